"""The work before a program's first kernel: the modules that are imported, and when."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32

imported = set(sys.modules)
vd.get_context()
opened = set(sys.modules)

@vd.shader("out.size")
def scale(out: Buff[f32], x: Buff[f32], factor: Const[f32]):
    i = vc.global_invocation_id().x
    with vc.if_block(x[i] > 0):
        out[i] = vc.sqrt(x[i]) * factor

x, out = vd.asbuffer(np.ones(8, np.float32)), vd.Buffer(8, vd.float32)
for turn in range(3):
    scale(out, x, 2.0)
assert (out.read(0) == 2).all()
graph = vd.CommandGraph()
scale(out, x, 3.0, graph=graph)
graph.submit()
assert (out.read(0) == 3).all()
print(json.dumps({"imported": sorted(imported), "opened": sorted(opened), "late": sorted(set(sys.modules) - opened)}))
"""


@pytest.fixture(params=["", "1"], ids=["extension", "no_extension"])
def modules(request, tmp_path):
    """The modules of a program's three stages."""
    (tmp_path / "program.py").write_text(PROGRAM)  # a file, since kernels are read from their source
    environment = os.environ | {"VKDISPATCH_BACKEND": "host", "VKDISPATCH_NO_EXTENSION": request.param}
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"], check=False, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_tracing_and_launching_import_nothing(modules):
    assert not modules["late"]


def test_nothing_parses_declarations(modules):
    for name in ("cffi", "pycparser"):
        assert name not in modules["opened"]
    assert not {"pathlib", "logging", "uuid"} & (set(modules["opened"]) - set(modules["imported"]))
    assert "_cffi_backend" in modules["opened"]


def test_transforms_and_reductions_are_imported_when_they_are_asked_for(modules):
    assert not [name for name in modules["opened"] if name.startswith(("vkdispatch.fft", "vkdispatch.reduce"))]


@pytest.mark.parametrize("name", ["fft", "reduce", "vkfft"])
def test_a_later_module_is_there_in_every_spelling(name):
    for code in (
        f"import vkdispatch as vd; assert vd.{name}.__name__ == 'vkdispatch.{name}'",
        f"from vkdispatch import {name}",
        f"import vkdispatch.{name} as m; assert m.__doc__",
        f"from vkdispatch import *; {name}.__doc__",
        f"import vkdispatch as vd; assert '{name}' in dir(vd) and hasattr(vd, '{name}') and not hasattr(vd, 'no_such')",
    ):
        subprocess.run([sys.executable, "-c", code], check=True)
