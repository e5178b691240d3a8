"""Kernels as a type checker sees them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

GOOD = """
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32, v3


def kernel(out: Buff[f32], x: Buff[v3], factor: Const[f32]) -> None:
    i = vc.global_invocation_id().x
    total = vc.new_float_register(1.0, var_name="total")
    total += x[i].y * factor
    total[:] = vc.max(total, 0) + 2**i
    x[i].z = 3
    tile = vc.shared_buffer(u32, 64)
    with vc.if_block(vc.all(total < 3, tile[0] == 1)):
        out[i] = -total / 2 + out.shape.x
    z: vc.ShaderVariable = vc.to_complex(total).conjugate().real
"""

BAD = {
    "vc.to_float(1).foo": "attr-defined",
    "vc.new_float_register(1, name='x')": "call-arg",
    "vc.shared_buffer('f32', 4)": "arg-type",
    "vc.if_blok(True)": "attr-defined",
    "s: str = vc.global_invocation_id().x": "assignment",
}


def check(source, folder):
    (folder / "kernel.py").write_text(source)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--follow-imports=silent",
        f"--cache-dir={ROOT}/build/cache/mypy",
        "kernel.py",
    ]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=folder, timeout=300,
        env={"MYPYPATH": str(ROOT / "bindings/python"), "PATH": ""},
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_kernel_type_checks_and_mistakes_do_not(tmp_path):
    pytest.importorskip("mypy")
    assert "Success" in check(GOOD, tmp_path)
    lines = "\n".join(f"    {line}" for line in BAD)
    text = check(f"import vkdispatch.codegen as vc\n\ndef kernel() -> None:\n{lines}\n", tmp_path)
    for number, code in enumerate(BAD.values(), 4):
        assert any(line.startswith(f"kernel.py:{number}:") and f"[{code}]" in line for line in text.splitlines()), text
