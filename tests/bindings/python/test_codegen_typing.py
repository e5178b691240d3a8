"""Kernels as a type checker sees them."""

import importlib.metadata
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


# A user's program that passes --strict.
STRICT = """
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32, v3


@vd.shader("out.size")
def saxpy(out: Buff[f32], x: Buff[f32], a: Const[f32] = 2.0) -> None:
    i = vc.global_invocation_id().x
    out[i] = a * x[i] + out[i]


@vd.shader
def bare(out: Buff[f32], direction: Const[v3]) -> None:
    out[0] = direction.x


@vd.shader(exec_size=lambda args: (args.width, 2), local_size=(8, 8, 1))
def wide(out: Buff[f32], width: Const[i32] = 8) -> None:
    out[0] = 1.0


x: vd.Buffer[vd.float32] = vd.Buffer((2,), vd.float32)
by_name: vd.Buffer[vd.dtype] = vd.Buffer(2, "float32")
made: vd.Buffer[vd.dtype] = vd.zeros((2, 3), dtype="int32")
saxpy(x, x)
bare(x, (1, 2, 3), exec_size=3)
wide(x, graph=vd.CommandGraph())
"""


# Types of results, as an editor infers them.
RESULTS = """
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32


@vd.map
def doubled(x: Buff[f32]) -> f32:
    return x[vd.reduce.mapped_io_index()] * 2


def kernel(x: Buff[f32]) -> None:
    reveal_type(vc.sin(x[0]))
    reveal_type(vc.max(x[0], 2))
    reveal_type(vc.max(1.5, 2))
    reveal_type(vc.select(x[0] > 0, x[0], 0.0))
    reveal_type(vc.clz(vc.to_int(x[0])))
    reveal_type(vc.global_invocation_id())


reveal_type(doubled)
reveal_type(vd.asbuffer([1]).read(0))
reveal_type(vd.arange(3))
reveal_type(vd.shader("x.size")(kernel))
reveal_type(vd.get_context())
reveal_type(vd.CommandGraph().bind_var("x"))
reveal_type(vd.fft.fft_src((4, 8)))
"""
REVEALED = [
    *("ShaderVariable", "ShaderVariable", "float", "ShaderVariable", "ShaderVariable", "ShaderVariable"),
    *("MappingFunction", "ndarray[", "Buffer[", "ShaderFunction", "Context", "BoundValue", "ShaderSource"),
]


def check(source, folder, *options, environment=None):
    (folder / "kernel.py").write_text(source)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--follow-imports=silent",
        f"--cache-dir={ROOT}/build/cache/mypy-tests{'-strict' * ('--strict' in options)}",
        *options,
        "kernel.py",
    ]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=folder, timeout=300,
        env={"MYPYPATH": str(ROOT / "bindings/python"), "PATH": ""} if environment is None else environment,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_kernel_type_checks_and_mistakes_do_not(tmp_path):
    pytest.importorskip("mypy")
    assert "Success" in check(GOOD, tmp_path)
    lines = "\n".join(f"    {line}" for line in BAD)
    text = check(f"import vkdispatch.codegen as vc\n\ndef kernel() -> None:\n{lines}\n", tmp_path)
    for number, code in enumerate(BAD.values(), 4):
        assert any(line.startswith(f"kernel.py:{number}:") and f"[{code}]" in line for line in text.splitlines()), text


def test_a_program_with_its_defaults_checks_strictly(tmp_path):
    pytest.importorskip("mypy")
    text = check(STRICT, tmp_path, "--strict")
    assert "Success" in text, text


def test_results_have_types_that_editors_know(tmp_path):
    pytest.importorskip("mypy")
    text = check(RESULTS, tmp_path)
    revealed = [line.partition('Revealed type is "')[2] for line in text.splitlines() if "Revealed type" in line]
    assert len(revealed) == len(REVEALED), text
    for found, name in zip(revealed, REVEALED, strict=True):
        head = found.partition("[")[0].rstrip('"')
        assert head.rpartition(".")[2] == name.rstrip("["), text


def test_a_name_that_is_not_there_is_an_error(tmp_path):
    pytest.importorskip("mypy")
    text = check("import vkdispatch as vd\n\nvd.fft.fft\nvd.no_such\nvd.fft.no_such\n", tmp_path)
    assert "kernel.py:4:" in text and "kernel.py:5:" in text and "kernel.py:3:" not in text, text


def test_a_wrong_attribute_of_a_constant_and_a_wrong_dtype_are_found(tmp_path):
    pytest.importorskip("mypy")
    text = check(STRICT.replace("direction.x", "direction.foo") + "vd.Buffer((2,), 3)\n", tmp_path, "--strict")
    assert "[union-attr]" in text and "NumpyDtype" in text and "Never" not in text and "Found 2 errors" in text, text


def test_the_installed_package_is_seen_by_checkers(tmp_path):
    pytest.importorskip("mypy")
    try:
        importlib.metadata.distribution("libvkdispatch")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed here")
    text = check("import vkdispatch as vd\n\nvd.nothing\n", tmp_path, environment={"PATH": ""})
    assert "[attr-defined]" in text and "import-" not in text, text
