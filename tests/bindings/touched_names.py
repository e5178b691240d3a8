#!/usr/bin/env python3
"""Runs the Python tests on the host, and says which public names none of them has touched, and which names a backend
cannot offer.

A function or a value is touched where a test takes it from its module; a method or property where it is called or read, and
its class with it; another member, as of an enumeration, where a test names it. Modules are left to test_names.py, which
imports each. The script is a plugin of pytest's too, in each of the processes that share the tests.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import inspect
import os
import sys
import tempfile
import types
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent / "python"
PACKAGE = "vkdispatch"
#: Tests import all of it, which shows nothing of a name's use: named() finds them.
STARRED = "vkdispatch.codegen.abbreviations"
#: Backends that cannot offer a name, and why.
NOT_OFFERED = {
    "vkdispatch.CUDAGraphCapture": {"vulkan, opencl, host": "captures are CUDA's"},
    "vkdispatch.cuda_graph_capture": {"vulkan, opencl, host": "captures are CUDA's"},
    "vkdispatch.get_cuda_capture": {"vulkan, opencl, host": "captures are CUDA's"},
    "vkdispatch.from_cuda_array": {"vulkan, opencl, host": "the memory of CUDA arrays is CUDA's"},
    "vkdispatch.vkfft": {"cuda, opencl, host": "VkFFT is built for Vulkan; elsewhere our own transforms do the same"},
}


def public_names() -> list[str]:
    """All names of the package: of each list beside the tests."""
    lines = [line for list_of in sorted(TESTS.rglob("names.txt")) for line in list_of.read_text().split("\n")]
    return [line for line in lines if line and not line.startswith("#")]


def is_module(name: str) -> bool:
    """Whether a name is a module's, which test_names.py imports."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def split(name: str) -> tuple[str, list[str]]:
    """The module of a name, and the rest of it."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = ".".join(parts[:count])
        if is_module(module):
            return module, parts[count:]
    raise ValueError(name)


def read_inside(module: types.ModuleType) -> set[str]:
    """Names that a module's own functions read, without those of functions in functions."""
    holders = [module, *(one for one in vars(module).values() if inspect.isclass(one))]
    functions = [one for holder in holders for one in vars(holder).values() if inspect.isfunction(one)]
    return {name for one in functions if one.__module__ == module.__name__ for name in one.__code__.co_names}


class Recorder:
    """Records the names that were used since it was made."""

    def __init__(self, names: list[str]):
        self.touched: set[str] = set()
        self._watched: set[tuple[type, str]] = set()
        by_module: dict[str, set[str]] = {}
        for name in names:
            module, rest = split(name)
            if rest and module != STARRED:
                by_module.setdefault(module, set()).add(rest[0])
            if len(rest) == 2:
                self._watch_member(name, getattr(importlib.import_module(module), rest[0]), rest[1])
        for module, own in by_module.items():
            self._watch_module(importlib.import_module(module), own)

    def _watch_module(self, module: types.ModuleType, names: set[str]) -> None:
        own = [name for name in names if name in vars(module) and not inspect.ismodule(vars(module)[name])]
        if names & read_inside(module):
            self._watch_module_in_use(module, names)
            return
        # A module's __getattr__ gives the names that it lacks.
        hidden = {name: vars(module).pop(name) for name in own}
        others = vars(module).get("__getattr__")

        def getattr_of_module(name: str) -> object:
            if name not in hidden:
                if others is not None:
                    vars(module).update(hidden)  # what it suggests is among the names that there are
                    try:
                        return others(name)
                    finally:
                        for one in hidden:
                            del vars(module)[one]
                raise AttributeError(f"module '{module.__name__}' has no attribute '{name}'", name=name, obj=module)
            if TESTS in Path(sys._getframe(1).f_code.co_filename).parents:
                self.touched.add(f"{module.__name__}.{name}")
            return hidden[name]

        module.__getattr__ = getattr_of_module
        module.__dir__ = lambda: sorted([*vars(module), *hidden])

    def _watch_module_in_use(self, module: types.ModuleType, names: set[str]) -> None:
        """Watch a module that must keep its names, since its functions read them. The package knows modules by their type: so
        this is no way for those that hold kernels' names. test_names.py, which looks at each name, does not count."""
        touched = self.touched

        def is_a_use(file: Path) -> bool:
            return TESTS in file.parents and file.name != "test_names.py"

        class Watched(types.ModuleType):
            def __getattribute__(self, name: str) -> object:
                value = super().__getattribute__(name)
                if name in names and is_a_use(Path(sys._getframe(1).f_code.co_filename)):
                    touched.add(f"{module.__name__}.{name}")
                return value

        module.__class__ = Watched

    def _watch_member(self, name: str, cls: type, member: str) -> None:
        if not inspect.isclass(cls):
            return
        found = inspect.getattr_static(cls, member, None)
        owner = next((base for base in cls.__mro__ if member in vars(base)), None)
        if owner is None or owner.__module__.split(".")[0] != PACKAGE or (owner, member) in self._watched:
            return

        def recording(function):
            def call(*args, **kwargs):
                self.touched.add(name)
                return function(*args, **kwargs)

            # Called through a function of the package: its warnings name the innermost place outside of it.
            inside = types.FunctionType(call.__code__, {"__name__": "vkdispatch.watched"}, closure=call.__closure__)
            return functools.wraps(function)(inside)

        if isinstance(found, property):
            made: object = property(recording(found.fget), found.fset)
        elif isinstance(found, classmethod | staticmethod):
            made = type(found)(recording(found.__func__))
        elif inspect.isfunction(found):
            made = recording(found)
        else:
            return  # a value: named() finds it
        setattr(owner, member, made)
        self._watched.add((owner, member))


def named() -> set[str]:
    """Names, attributes and words that the tests write; getattr() takes words."""
    nodes = [node for file in TESTS.rglob("*.py") for node in ast.walk(ast.parse(file.read_text()))]
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return attributes | words | {node.id for node in nodes if isinstance(node, ast.Name)}


if __name__ != "__main__":
    _recorder = Recorder(public_names())


def pytest_sessionfinish() -> None:
    """Leave what this process's tests touched in the script's folder."""
    Path(os.environ["VD_TOUCHED"], str(os.getpid())).write_text("\n".join(_recorder.touched))


def main() -> int:
    """0 where all names are touched."""
    os.environ.setdefault("VKDISPATCH_BACKEND", "host")
    names = public_names()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VD_TOUCHED"] = folder
        sys.path.insert(0, str(Path(__file__).parent))
        status = pytest.main(["-q", "-n", str(os.cpu_count()), "-p", Path(__file__).stem, str(TESTS)])
        used = {name for file in Path(folder).iterdir() for name in file.read_text().split("\n")}
    touched = used | {name.rpartition(".")[0] for name in used}
    attributes = named()

    def is_missing(name: str) -> bool:
        if name in touched or is_module(name):
            return False
        module, rest = split(name)
        if module != STARRED and len(rest) != 2:
            return True
        # A table of tests may hold the two halves of a format.
        return rest[-1] not in attributes and not all(half in attributes for half in rest[-1].rsplit("_", 1))

    missing = [name for name in names if is_missing(name)]
    for name, reasons in NOT_OFFERED.items():
        for backends, reason in reasons.items():
            print(f"{name}: not on {backends}: {reason}")
    print(f"{len(names)} names; not touched by a test: {len(missing)}", *missing, sep="\n  ")
    return int(status) or bool(missing)


if __name__ == "__main__":
    sys.exit(main())
