"""The package as a type checker sees it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import vkdispatch as vd

PROGRAM = """
import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32


@vd.shader("out.size")
def scale(out: Buff[f32], x: Buff[f32], factor: Const[f32]):
    i = vc.global_invocation_id().x
    out[i] = x[i] * factor


graph = vd.CommandGraph()
out = vd.Buffer((4, 4), vd.float32)
x: vd.Buffer = vd.asbuffer(np.ones((4, 4), np.float32))
scale(out, x, 2.0, graph=graph)
graph.submit(instance_count=2)
shape: tuple[int, ...] = out.shape
names: list[str] = [info.device_name for info in vd.get_devices()]
source: str = vd.ShaderSource("k", "", (1, 1, 1)).code
vd.fft.fft(out)
"""
WRONG = """
import vkdispatch as vd

vd.make_context(devices=1)
size: str = vd.get_devices()[0].max_workgroup_invocations
"""


def check(path, text):
    pytest.importorskip("mypy")
    path.write_text(text)
    # An editable install is found by an import hook, which a type checker does not run.
    environment = {**os.environ, "MYPYPATH": str(Path(vd.__file__).parents[1])}
    options = ["--ignore-missing-imports", "--follow-imports=silent", f"--cache-dir={path.parent}"]
    command = [sys.executable, "-m", "mypy", *options, str(path)]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment)


def test_a_program_is_right(tmp_path):
    done = check(tmp_path / "program.py", PROGRAM)
    assert done.returncode == 0, done.stdout


def test_mistakes_are_found(tmp_path):
    done = check(tmp_path / "wrong.py", WRONG)
    assert done.returncode == 1 and "devices" in done.stdout and '"int"' in done.stdout
