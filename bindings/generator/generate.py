#!/usr/bin/env python3
"""Writes every file that is derived from include/vkdispatch.h and the op table; with --check only compares."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN_PYTHON = ROOT / ".venv/bin/python"

# cffi writes the tables of the Python package; the checkout's own environment has the version that everybody writes them with.
if __name__ == "__main__" and importlib.util.find_spec("cffi") is None and OWN_PYTHON.exists():
    os.execv(OWN_PYTHON, [str(OWN_PYTHON), *sys.argv])

sys.path.insert(0, str(Path(__file__).resolve().parent))

from vdgen import (
    check,
    emit_abi,
    emit_build,
    emit_docs,
    emit_fields,
    emit_hot,
    emit_json,
    emit_ops,
    emit_python,
    emit_python_ops,
    emit_sizes,
    emit_tests,
    emit_unstable,
    header,
    ops,
)
from vdgen.model import Header, HeaderError

HEADER = "include/vkdispatch.h"
EMITTERS = (emit_json, emit_abi, emit_python, emit_hot, emit_tests, emit_docs, emit_fields)


def generate(path: str, text: str, first_sizes: str = "", rebase: bool = False, unstable: str = "") -> dict[str, str]:
    """Every derived file by its path from the root; HeaderError where the header breaks a rule.

    `first_sizes` is the text of abi/first_sizes.txt, which `rebase` forgets, and `unstable` that of abi/unstable.txt.
    """
    check.check_lines(path, text)
    model = header.parse(path, text)
    check.check(model)
    files: dict[str, str] = {}
    for emitter in EMITTERS:
        files |= emitter.emit(model)
    return files | emit_sizes.emit(model, first_sizes, rebase) | emit_unstable.emit(model, unstable)


def from_ops(table: ops.Table, files: dict[str, str], model: Header) -> dict[str, str]:
    """The files that the op table gives or adds to, by their path from the root."""
    return {
        **emit_ops.emit(table),
        **emit_build.emit(table, model),
        **emit_python_ops.emit(table, ROOT, files[emit_python_ops.ENUMS]),
        emit_ops.API: emit_ops.with_rows(files[emit_ops.API], table),
    }


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="change nothing; fail where a file is not what would be written"
    )
    parser.add_argument("--header", default=str(ROOT / HEADER), help="the header to read")
    parser.add_argument("--ops", type=Path, default=ROOT, help="the checkout whose op table is read")
    parser.add_argument("--root", type=Path, default=ROOT, help="where to write")
    parser.add_argument(
        "--rebase-sizes",
        action="store_true",
        help="take today's sizes of structs for those of their first release: while there has been none",
    )
    options = parser.parse_args(argv)
    committed = [options.root / path for path in (emit_sizes.TABLE, emit_unstable.PATH)]
    try:
        known, unstable = [path.read_text() if path.exists() else "" for path in committed]
        table_of_ops = ops.read(options.ops)
        text = emit_ops.with_enumerators(HEADER, Path(options.header).read_text(), table_of_ops)
        files = generate(HEADER, text, known, options.rebase_sizes, unstable)
        if emit_ops.BEGIN in text:
            files |= from_ops(table_of_ops, files, header.parse(HEADER, text)) | {HEADER: text}
            check.check_lines(emit_build.PATH, files[emit_build.PATH])
    except HeaderError as error:
        print(error, file=sys.stderr)
        return 1
    stale = []
    for name, text in files.items():
        path = options.root / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for name in stale:
        print(
            f"{name}: {'is not what the header gives; run bindings/generator/generate.py' if options.check else 'written'}"
        )
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
