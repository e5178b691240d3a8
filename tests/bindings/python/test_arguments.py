"""Buffers of other numbers than a kernel's argument wants, and shorter than its launch: errors, warnings, and strict mode."""

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.base import remarks
from vkdispatch.codegen.abbreviations import Buff, Const, c64, f32, f64, i32, u32, v2


@pytest.fixture
def strict(host):
    """Strict mode, for the time of a test."""
    vd.initialize(strict=True)
    yield
    remarks.set_strict(None)


def doubled(annotation=f32):
    @vd.shader("out.size")
    def double(out: Buff[annotation], x: Buff[annotation]):
        i = vc.global_invocation_id().x
        out[i] = x[i] + x[i]

    return double


def logged(level, function):
    """The messages of a level that a call writes to the log."""
    found = []
    vd.set_log_level(vd.LogLevel.VERBOSE)
    vd.set_log_callback(lambda which, text: found.append(text) if which is level else None)
    try:
        function()
    finally:
        vd.set_log_callback(None)
        vd.set_log_level(vd.LogLevel.WARNING)
    return found


# ---- Numbers of another size


@pytest.mark.parametrize("given", [vd.float64, vd.float16, vd.int64, vd.int16, vd.complex128, vd.dvec2, vd.hvec4])
def test_numbers_of_another_size_are_an_error(host, given):
    kernel, out = doubled(), vd.zeros(8)
    wrong = vd.zeros(8, given)
    for _ in range(2):  # nothing is remembered as good
        with pytest.raises(ValueError, match=rf"'double': argument 'x' wants float32, and the buffer has {given.name}"):
            kernel(out, wrong)
    assert not out.read(0).any()


@pytest.mark.parametrize("wanted, given", [(f64, vd.float32), (i32, vd.int16), (c64, vd.complex128), (v2, vd.float64)])
def test_of_other_arguments_too(host, wanted, given):
    with pytest.raises(ValueError, match=f"wants {wanted.name}, and the buffer has {given.name}: numbers of"):
        doubled(wanted)(vd.zeros(8, wanted), vd.zeros(8, given))


def test_in_maps_and_reductions_too(host):
    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def total(x: Buff[f32]) -> f32:
        return x[vd.reduce.mapped_io_index()]

    @vd.reduce.reduce(0)
    def plain(a: u32, b: u32) -> u32:
        return a + b

    @vd.map
    def real(x: Buff[f32]):
        vd.fft.read_op().register.real = x[vd.fft.read_op().io_index]

    doubles, spectrum = vd.zeros(8, vd.float64), vd.zeros(8, vd.complex64)
    with pytest.raises(ValueError, match="reduction 'total': argument 'x' wants float32, and the buffer has float64"):
        total(doubles)
    with pytest.raises(ValueError, match="reduction 'plain': argument 'param0' wants uint32, .* float64"):
        plain(doubles)
    with pytest.raises(ValueError, match=r"transform 'fft': argument 'input0 \(x of real\)' wants float32, .* float64"):
        vd.fft.fft(spectrum, doubles, buffer_shape=(8,), input_map=real)
    with pytest.warns(UserWarning, match="'plain': argument 'param0' wants uint32, and the buffer has float32"):
        plain(vd.ones(8))
    with pytest.warns(UserWarning, match="wants float32, and the buffer has int32"):
        vd.fft.fft(spectrum, vd.zeros(8, "int32"), buffer_shape=(8,), input_map=real)


# ---- Numbers of another kind


def test_numbers_of_another_kind_are_a_warning_at_each_place(host):
    kernel, out, wrong = doubled(), vd.zeros(8), vd.ones(8, "int32")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            kernel(out, wrong)
        kernel(out, wrong)
    first, second = caught
    assert first.filename == second.filename == __file__ and second.lineno == first.lineno + 1
    assert "argument 'x' wants float32, and the buffer has int32" in str(first.message)


def test_the_warning_is_an_error_where_asked(host):
    kernel, out, wrong = doubled(), vd.zeros(8), vd.ones(8, "uint32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            with pytest.raises(UserWarning, match="wants float32"):
                kernel(out, wrong)
    assert not out.read(0).any()


def test_numbers_of_another_kind_are_an_error_in_strict_mode(strict):
    kernel, out = doubled(), vd.zeros(8)
    for _ in range(2):
        with pytest.raises(ValueError, match="argument 'x' wants float32, and the buffer has int32"):
            kernel(out, vd.ones(8, "int32"))
    with pytest.raises(ValueError, match="array of int32 goes into a buffer of float32"):
        out.write(np.ones(8, np.int32))
    with pytest.raises(ValueError, match="a buffer of int32 goes into a buffer of float32"):
        out.copy_from(vd.ones(8, "int32"))


@vd.reduce.reduce(0)
def plain_sum(a: f32, b: f32) -> f32:
    return a + b


def packed_rows():
    vd.fft.fft(vd.RFFTBuffer((2, 8)))


def rows_of_another_length():
    vd.fft.fft(vd.RFFTBuffer((2, 60)), buffer_shape=(2, 61), r2c=True)


def kernel_of_another_shape():
    vd.fft.convolve(vd.zeros((2, 8), vd.complex64), vd.zeros((4, 4), vd.complex64))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: plain_sum(vd.zeros(4, vd.complex64)), "4 elements of complex64 are taken for 8 of float32"),
        (packed_rows, "transformed along its last axis as the complex numbers"),
        (rows_of_another_length, "taken as rows of 61"),
        (kernel_of_another_shape, r"the kernel has shape \(4, 4\)"),
        (lambda: vd.zeros(4, "int32").fill(2.5), "2.5 becomes 2 in the buffer"),
        (lambda: vd.zeros(4).fill(1e300), r"1e\+300 does not fit the buffer of type float32 and becomes infinite"),
    ],
    ids=["reduction", "packed rows", "row length", "kernel shape", "fraction", "infinity"],
)
def test_every_warning_about_a_call_is_an_error_in_strict_mode(host, call, said):
    with pytest.warns(UserWarning, match=said):
        call()
    vd.initialize(strict=True)
    try:
        with pytest.raises(ValueError, match=said):
            call()
    finally:
        remarks.set_strict(None)


@pytest.mark.parametrize("wanted, given", [(v2, vd.complex64), (f32, vd.vec4), (c64, vd.float32), (u32, vd.int32)])
def test_bytes_that_mean_the_same_are_taken_with_a_line_in_the_log(strict, wanted, given):
    kernel, out = doubled(wanted), vd.zeros(8, wanted)
    x = vd.zeros(32, given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (said,) = logged(vd.LogLevel.INFO, lambda: [kernel(out, x) for _ in range(3)])
    assert f"argument 'x' wants {wanted.name}, the buffer has {given.name}" in said


# ---- Buffers shorter than the launch


def test_a_buffer_shorter_than_the_launch_is_a_warning(host):
    kernel, out = doubled(), vd.zeros(8)
    with pytest.warns(
        UserWarning, match="'double': argument 'x' has 5 elements, and the launch has 8 invocations"
    ) as said:
        kernel(out, vd.ones(5))
    assert [w.filename for w in said] == [__file__]
    with pytest.warns(UserWarning, match="'out' has 8 elements, and the launch has 9"):
        kernel(out, vd.ones(9), exec_size=9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):  # by each way of launching
            kernel(out, vd.ones(8))
            kernel(out, vd.ones(100))
            kernel(out, vd.ones(4), exec_size=4)
            kernel(out, vd.zeros(4, vd.vec2))
        with pytest.raises(UserWarning):
            kernel(out, vd.ones(5))
        with pytest.raises(UserWarning):
            kernel(out, vd.zeros(3, vd.vec2))


def test_a_buffer_shorter_than_the_launch_is_an_error_in_strict_mode(strict):
    kernel, out = doubled(), vd.zeros(8)
    kernel(out, vd.ones(8))
    with pytest.raises(ValueError, match="'x' has 5 elements, and the launch has 8 invocations"):
        kernel(out, vd.ones(5))
    graph = vd.CommandGraph()
    with pytest.raises(ValueError, match="'x' has 5 elements"):
        kernel(out, vd.ones(5), graph=graph)


def warns_of(function, buffers, exec_size=16):
    """The arguments that a launch over short buffers warns of."""
    kernel = vd.shader(exec_size, local_size=8)(function)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel(*[vd.zeros(4) for _ in range(buffers)])
    return {str(w.message).split("argument '")[1].split("'")[0] for w in caught if "invocations" in str(w.message)}


def test_every_spelling_of_the_number_is_found(host):
    def kernel(a: Buff[f32], b: Buff[f32], c: Buff[f32], d: Buff[f32], e: Buff[f32]):
        a[vc.global_invocation_id().x] = b[vc.global_invocation().x]
        i = vc.global_invocation_id().x.to_register("i")
        c[i] += 1.0
        signed = vc.to_int(vc.global_invocation_id().x)
        value = vc.sin(d[signed]) * 2.0
        with vc.if_block(vc.any(value > 1.0, e[i] > 1.0)):
            a[0] = 1.0

    assert warns_of(kernel, 5) == {"a", "b", "c", "d", "e"}


def test_atomics_count_too(host):
    @vd.shader(16)
    def kernel(counts: Buff[u32]):
        vc.atomic_add(counts[vc.global_invocation_id().x], 1)

    with pytest.warns(UserWarning, match="'counts' has 4 elements, and the launch has 16 invocations"):
        kernel(vd.zeros(4, "uint32"))


def test_what_is_guarded_or_computed_is_not_warned_of(host):
    def kernel(a: Buff[f32], b: Buff[f32], c: Buff[f32], d: Buff[f32], e: Buff[f32], unused: Buff[f32]):
        i = vc.global_invocation_id().x
        with vc.if_block(i < a.shape.w):
            a[i] = b[i]
        b[i // 4] = 1.0
        c[i % 4] = 1.0
        moved = i.to_register()
        d[moved] = 1.0
        moved[:] = moved // 2
        formula = unused[i]
        assert formula is not None  # and no statement has it
        with vc.if_block(i >= e.shape.w):
            vc.return_statement()
        e[i] = 1.0

    assert warns_of(kernel, 6) == set()


def test_along_x_alone(host):
    def kernel(a: Buff[f32], b: Buff[f32]):
        at = vc.global_invocation_id()
        a[at.x] = 1.0
        b[at.y] = 1.0

    assert warns_of(kernel, 2, (4, 16)) == set()
    assert warns_of(kernel, 2, (16, 4)) == {"a"}


def test_without_the_extension_the_same_is_said():
    script = textwrap.dedent(
        """
        import warnings
        import numpy as np, vkdispatch as vd, vkdispatch.codegen as vc
        from vkdispatch.codegen.abbreviations import *
        @vd.shader("out.size")
        def double(out: Buff[f32], x: Buff[f32]):
            i = vc.global_invocation_id().x
            out[i] = x[i] + x[i]
        warnings.simplefilter("error")
        out = vd.zeros(8)
        for _ in range(3):
            double(out, vd.ones(8))
        for wrong in (vd.ones(5), vd.ones(8, "int32")):
            for _ in range(2):
                try:
                    double(out, wrong)
                except UserWarning:
                    continue
                raise SystemExit("nothing was said")
        """
    )
    environment = {**os.environ, "VKDISPATCH_BACKEND": "host", "VKDISPATCH_NO_EXTENSION": "1"}
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


# ---- Strict mode


@pytest.mark.parametrize("value, expected", [("1", True), ("true", True), ("0", False), ("", False), ("off", False)])
def test_the_environment_asks_for_strict_mode(host, monkeypatch, value, expected):
    monkeypatch.setenv("VKDISPATCH_STRICT", value)
    kernel, out, wrong = doubled(), vd.zeros(8), vd.zeros(8, "int32")
    with pytest.raises(ValueError) if expected else pytest.warns(UserWarning):
        kernel(out, wrong)


def test_initialize_wins_over_the_environment_and_may_be_called_again(host, monkeypatch):
    monkeypatch.setenv("VKDISPATCH_STRICT", "1")
    kernel, out, wrong = doubled(), vd.zeros(8), vd.zeros(8, "int32")
    try:
        vd.initialize(strict=False)
        with pytest.warns(UserWarning):
            kernel(out, wrong)
        vd.initialize(strict=True)
        vd.initialize()  # says nothing of it
        with pytest.raises(ValueError):
            kernel(out, wrong)
        with pytest.raises(ValueError, match="initialize: strict"):
            vd.initialize(strict="yes")
    finally:
        remarks.set_strict(None)


# ---- A checked host


CHECKED = """
import numpy as np, vkdispatch as vd, vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import *
vd.initialize(debug_mode=True, backend="host")

@vd.shader(8)
def load(out: Buff[f32], x: Buff[f32], k: Const[i32]):
    i = vc.to_int(vc.global_invocation_id().x)
    out[i] = x[i + k]  # load

@vd.shader(8)
def store(out: Buff[f32], x: Buff[f32], k: Const[i32]):
    x[vc.to_int(vc.global_invocation_id().x) + k] = out[0]  # store

@vd.shader(8)
def component(out: Buff[f32], x: Buff[v2], k: Const[i32]):
    x[vc.to_int(vc.global_invocation_id().x) + k].y = out[0]  # component

@vd.shader(8)
def atomic(out: Buff[f32], x: Buff[i32], k: Const[i32]):
    vc.atomic_add(x[vc.to_int(vc.global_invocation_id().x) + k], 1)  # atomic

@vd.shader(8)
def plain(out: Buff[f32], x: Buff[f32], k: Const[i32]):
    i = vc.global_invocation_id().x
    with vc.if_block(k != 100):
        x[i] += 1.0  # plain

lines = open(__file__).read().split(chr(10))
out = vd.zeros(8)
for kernel, dtype in ((load, "float32"), (store, "float32"), (component, "vec2"), (atomic, "int32"), (plain, "float32")):
    line = next(i for i, text in enumerate(lines, 1) if text.endswith(f"# {kernel.name}"))
    for count, k in ((7, 0), (8, -1), (8, 5)) if kernel is not plain else ((7, 0), (1, 0)):
        x = vd.zeros(count, dtype)
        kernel(out, x, k)
        try:
            vd.queue_wait_idle()
        except RuntimeError as error:
            assert "past the end of buffer" in str(error) or "negative" in str(error), error
            assert f"{__file__}:{line}" in str(error), error
        else:
            raise SystemExit(f"{kernel.name} {count} {k}: nothing was said")
    kernel(out, vd.zeros(8, dtype), 0)
    vd.queue_wait_idle()
"""


def test_a_checked_host_reports_every_access_past_the_end(tmp_path):
    (tmp_path / "checked.py").write_text(CHECKED)
    done = subprocess.run([sys.executable, tmp_path / "checked.py"], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_constant_has_its_own_words(host):
    @vd.shader("out.size")
    def kernel(out: Buff[f32], k: Const[u32]):
        out[vc.global_invocation_id().x] = vc.to_float(k)

    with pytest.warns(UserWarning, match="2.5 becomes 2 in 'k' of kernel '.*' of type uint32"):
        kernel(vd.zeros(4), 2.5)
