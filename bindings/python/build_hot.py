#!/usr/bin/env python3
"""Builds the optional extension for the hot entries and puts it into the package. Needs a C compiler and Python.h.

Without it the package does the same over cffi, more slowly. Nothing is linked, so one file serves every CPython from 3.10 on.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

NATIVE = Path(__file__).resolve().parent / "vkdispatch" / "_native"
SOURCES = [NATIVE / name for name in ("_vdhot.c", "_launcher.c", "_launch.c", "_calls.c")]
HEADERS = [NATIVE / name for name in ("_launch.h", "_statuses.h")]
TARGET = NATIVE / ("_vdhot.pyd" if sys.platform == "win32" else "_vdhot.abi3.so")


def command() -> list[str]:
    """The compiler's command line."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = ["-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra"]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    include = sysconfig.get_path("include")
    return [*compiler, *flags, f"-I{include}", *map(str, SOURCES), "-o", str(TARGET)]


def build(quiet: bool = False) -> bool:
    """Build if a source is newer. Whether the extension is there afterwards."""
    if TARGET.exists() and TARGET.stat().st_mtime >= max(p.stat().st_mtime for p in (*SOURCES, *HEADERS)):
        return True
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        print("build_hot: no Python.h; the package will use cffi alone", file=sys.stderr)
        return False
    line = command()
    if not quiet:
        print(shlex.join(line))
    try:
        return subprocess.run(line, check=False).returncode == 0
    except OSError as error:
        print(f"build_hot: {error}; the package will use cffi alone", file=sys.stderr)
        return False


if __name__ == "__main__":
    build()
