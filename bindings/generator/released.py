#!/usr/bin/env python3
"""Holds the header against every release in abi/released/; with --write adds today's release to them.

A release is two files that are never edited: NUMBER.txt, the layout of what is stable, and NUMBER.h, the header without
its section of unstable entries.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

from vdgen import emit_abi, header, model, nouns, promise

HEADER = "include/vkdispatch.h"
FOLDER = "abi/released"


def stable_header(text: str) -> str:
    """A header without the section of unstable entries."""
    return re.sub(rf"^/\* ---- {model.UNSTABLE} .*?(?=^#ifdef __cplusplus$)", "", text, flags=re.MULTILINE | re.DOTALL)


def check(root: Path) -> list[str]:
    """The promises of released headers that the header of a checkout breaks."""
    layouts = {path.stem: path.read_text() for path in (root / FOLDER).glob("*.txt")}
    model_ = header.parse(HEADER, (root / HEADER).read_text())
    today = emit_abi.layouts(model_, stable=True)
    return promise.problems(layouts, today, (root / "docs/abi.md").read_text()) + [
        f"{path.stem}: {problem}"
        for path in sorted((root / FOLDER).glob("*.h"))
        for problem in moved_methods(header.parse(path.name, path.read_text()), model_)
    ]


def moved_methods(released: model.Header, today: model.Header) -> list[str]:
    """Entries whose noun or method is another one since: a new type can be a longer prefix of their name."""
    known = {function.name: function for function in today.functions}
    found = []
    for function in released.functions:
        now = known.get(function.name)
        if now is None:
            continue  # promise.problems() reports it
        before, after = nouns.named(released, function), nouns.named(today, now)
        if before != after:
            found.append(
                f"'{function.name}' is the {before.kind} '{before.method}' of '{before.noun}', and today the "
                f"{after.kind} '{after.method}' of '{after.noun}': bindings would rename it"
            )
    return found


def write(root: Path) -> list[str]:
    """Add the release that the header's version names; what is wrong if that is not possible."""
    text = (root / HEADER).read_text()
    model_ = header.parse(HEADER, text)
    release = f"{model_.constant('VD_VERSION_MAJOR')}.{model_.constant('VD_VERSION_MINOR')}"
    paths = [root / FOLDER / f"{release}.{end}" for end in ("txt", "h")]
    there = [str(path.relative_to(root)) for path in paths if path.exists()]
    if there:
        return [f"{', '.join(there)}: is there, and nobody edits a release"]
    paths[0].parent.mkdir(parents=True, exist_ok=True)
    paths[0].write_text(emit_abi.layouts(model_, stable=True))
    paths[1].write_text(stable_header(text))
    return []


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="add the release of today's header")
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    options = parser.parse_args(argv)
    found = write(options.root) if options.write else check(options.root)
    for line in found:
        print(line, file=sys.stderr)
    if not found and not options.write:
        print(f"releases that the header keeps: {len(list((options.root / FOLDER).glob('*.txt')))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
