"""Helpers of the scripts beside it: lines of JSON in, marked blocks of pages out."""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = {"vulkan": "Vulkan", "cuda": "CUDA", "opencl": "OpenCL", "host": "host"}
BACKENDS = tuple(NAMES)


def lines_of(path):
    """The JSON lines of a file that may have others."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(errors="replace").splitlines() if line.startswith("{")]


def in_block(page, text, begin, end, content):
    """A page's text with another content of the block between two marks."""
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page} has no block from {begin} to {end}")
    return f"{before}{begin}\n{content}\n{end}{after}"


def update(page, wanted, check, command):
    """Write the page's text, or with `check` say whether it is there already: the exit status."""
    if not check:
        page.write_text(wanted)
    elif page.read_text() != wanted:
        print(f"{page.name} is not what the results say; run {command}", file=sys.stderr)
        return 1
    return 0


def main(name, doc, page, collect, in_page):
    """The commands of a script that keeps lines of runs as a file of results, and makes a page's tables of that."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("collect")
    one.add_argument("folder", type=Path)
    one.add_argument("--write", type=Path, required=True)
    two = commands.add_parser("tables")
    two.add_argument("file", type=Path)
    two.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.command == "collect":
        lines = ",\n".join(json.dumps(line) for line in collect(arguments.folder))
        arguments.write.write_text(f"[\n{lines}\n]\n")
        return 0
    wanted = in_page(page.read_text(), json.loads(arguments.file.read_text()))
    return update(page, wanted, arguments.check, f"tests/gpu/{name} tables {arguments.file}")
