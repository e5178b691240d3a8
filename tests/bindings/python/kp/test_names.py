"""Each name of the list exists and says what it is, and programs find the module by its short name."""

import functools
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest
import vkdispatch as vd
from vkdispatch import kp

HERE = Path(__file__).parent
NAMES = [line for line in (HERE / "names.txt").read_text().split("\n") if line and line[0] != "#"]


def found(name):
    """The object with a dotted name."""
    return functools.reduce(getattr, name.split(".")[1:], vd)


@pytest.mark.parametrize("name", NAMES)
def test_name_exists(name):
    value = found(name)
    if inspect.isfunction(value) or inspect.isclass(value) or isinstance(value, property):
        assert value.__doc__, name


def test_all_is_in_the_list():
    assert {f"vkdispatch.kp.{name}" for name in kp.__all__} <= set(NAMES)
    assert vd.kp is kp


def test_install(monkeypatch):
    monkeypatch.delitem(sys.modules, "kp", raising=False)
    kp.install(pyshader=False)
    assert importlib.import_module("kp") is kp
    monkeypatch.delitem(sys.modules, "kp")


def test_examples_compat_on_the_path():
    folder = HERE.parents[3] / "examples/compat"
    code = "import kp, vkdispatch.kp; assert kp.Manager is vkdispatch.kp.Manager and kp.float is kp.DataTypes.float\n"
    code += "from pyshader import python2shader; assert python2shader is vkdispatch.kp.pyshader.python2shader"
    # Behind it what is there already: a package that is not installed is found by it.
    path = f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": path})
