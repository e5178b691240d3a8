#!/usr/bin/env python3
"""Runs the tests of transforms and reductions on the host, and says which public names none of them has touched.

A function or a value is touched where a test takes it from its package; a member where it is called or read, and its class
with it. Modules are left to test_names.py, which imports each.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
import types
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent / "python"
PACKAGES = ("fft", "reduce", "vkfft")
FILES = ("test_fft*.py", "test_reduce.py", "test_vkfft.py")


def public_names() -> list[str]:
    """All names of the packages, without "vkdispatch."."""
    names = [line.removeprefix("vkdispatch.") for line in (TESTS / "names.txt").read_text().split("\n")]
    return [name for name in names if name.split(".")[0] in PACKAGES and "." in name]


class Recorder:
    """Records the names that were used since it was made."""

    def __init__(self, names: list[str]):
        self.touched: set[str] = set()
        for package in PACKAGES:
            own = {name.split(".")[1] for name in names if name.startswith(f"{package}.")}
            self._watch_package(importlib.import_module(f"vkdispatch.{package}"), package, own)
        for name in names:
            if name.count(".") == 2:
                self._watch_member(name)

    def _watch_package(self, module: types.ModuleType, package: str, names: set[str]) -> None:
        # A module's __getattr__ gives the names that it lacks.
        hidden = {name: vars(module).pop(name) for name in names if not inspect.ismodule(vars(module)[name])}

        def getattr_of_module(name: str) -> object:
            if name not in hidden:
                raise AttributeError(f"module 'vkdispatch.{package}' has no attribute '{name}'", name=name, obj=module)
            if Path(sys._getframe(1).f_code.co_filename).parent == TESTS:
                self.touched.add(f"{package}.{name}")
            return hidden[name]

        module.__getattr__ = getattr_of_module

    def _watch_member(self, name: str) -> None:
        package, owner, member = name.split(".")
        cls = getattr(importlib.import_module(f"vkdispatch.{package}"), owner)
        found = inspect.getattr_static(cls, member)

        def recording(function):
            def call(*args, **kwargs):
                self.touched.add(name)
                return function(*args, **kwargs)

            # Called through a function of the package: its warnings name the innermost place outside of it.
            inside = types.FunctionType(call.__code__, {"__name__": "vkdispatch.watched"}, closure=call.__closure__)
            return functools.wraps(function)(inside)

        if isinstance(found, property):
            setattr(cls, member, property(recording(found.fget), found.fset))
        elif isinstance(found, classmethod | staticmethod):
            setattr(cls, member, type(found)(recording(found.__func__)))
        else:
            setattr(cls, member, recording(found))


def main() -> int:
    """0 where all names are touched."""
    os.environ.setdefault("VKDISPATCH_BACKEND", "host")
    names = public_names()
    recorder = Recorder(names)
    files = [str(file) for pattern in FILES for file in sorted(TESTS.glob(pattern))]
    status = pytest.main(["-q", *files])
    touched = recorder.touched | {name.rpartition(".")[0] for name in recorder.touched}
    missing = [name for name in names if name not in touched and f"vkdispatch.{name}" not in sys.modules]
    print(f"{len(names)} names of {', '.join(PACKAGES)}; not touched by a test: {len(missing)}", *missing, sep="\n  ")
    return int(status) or bool(missing)


if __name__ == "__main__":
    sys.exit(main())
