"""What a newcomer gets wrong, and what the package says to it."""

import math
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.base import buffer as buffer_module
from vkdispatch.codegen.abbreviations import Buff, Const, f32


@pytest.fixture
def messages():
    """What the package logs, as (level, text)."""
    got = []
    vd.set_log_callback(lambda level, text: got.append((level, text)))
    yield got
    vd.set_log_callback(None)


def warnings_of(messages):
    return [text for level, text in messages if level is vd.LogLevel.WARNING]


def saxpy_kernel():
    @vd.shader("out.size")
    def saxpy(out: Buff[f32], x: Buff[f32], a: Const[f32]):
        i = vc.global_invocation_id().x
        out[i] = a * x[i] + out[i]

    return saxpy


def ones(n=8, dtype=np.float32):
    return vd.asbuffer(np.ones(n, dtype))


# ---- Wrong or silent


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.int32])
def test_a_buffer_of_other_numbers_is_taken_with_one_warning(host, messages, dtype):
    saxpy, out, x = saxpy_kernel(), ones(), ones(8, dtype)
    for _ in range(3):
        saxpy(out, x, 2.0)
    (said,) = warnings_of(messages)
    assert "kernel 'saxpy': argument 'x' wants float32" in said and np.dtype(dtype).name in said
    assert "test_mistakes.py" in said


def test_a_buffer_of_the_same_numbers_is_no_reason_to_warn(host, messages):
    @vd.shader("out.size")
    def shift(out: Buff[vd.vec2]):
        out[vc.global_invocation_id().x].x += 1.0

    shift(vd.asbuffer(np.ones(8, np.complex64)))
    assert not warnings_of(messages)


def test_an_array_of_other_numbers_is_written_with_one_warning(host, messages):
    buffer_module._noted_writes.clear()
    for _ in range(2):
        vd.Buffer((4,), vd.float32).write(np.ones(4, np.int32))
    (said,) = warnings_of(messages)
    assert "array of int32 goes into a buffer of float32" in said


def test_arrays_of_the_same_numbers_and_bytes_are_written_quietly(host, messages):
    vd.Buffer((4,), vd.complex32).write(np.ones((4, 2), np.float16))
    vd.Buffer((4,), vd.vec2).write(np.ones((4, 2), np.float32))
    vd.Buffer((4, 4), vd.float32).write(np.ones((2, 8), np.float32))
    vd.Buffer((4,), vd.float32).write(np.zeros(16, np.uint8))
    assert not warnings_of(messages)


def test_a_negative_index_is_refused_where_it_is_written(host):
    with pytest.raises(ValueError, match=r"index \(-1\) is negative.*test_mistakes\.py:\d+, in last"):

        @vd.shader("out.size")
        def last(out: Buff[f32]):
            out[-1] = 1.0


def test_debug_mode_on_the_host_says_what_is_out_of_bounds(fresh):
    fresh()
    vd.initialize(debug_mode=True, backend="host")

    @vd.shader("out.size")
    def past(out: Buff[f32]):
        out[vc.global_invocation_id().x + 4] = 5.0

    out = ones()
    past(out)
    with pytest.raises(RuntimeError, match=r"test_mistakes\.py:\d+ in past: index \(8\) is past the end"):
        out.read(0)


_SLOW = """
    import numpy as np, vkdispatch as vd, vkdispatch.codegen as vc
    from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32
    vd.initialize(backend="host")
    @vd.shader("out.size")
    def slow(out: Buff[f32], n: Const[u32]):
        i = vc.global_invocation_id().x
        x, j = out[i].to_register("x"), vc.new_uint_register(var_name="j")
        with vc.while_block(j < n):
            x[:] = vc.sin(x) + 1.0
            j += 1
        out[i] = x
    out = vd.asbuffer(np.ones(4096, np.float32))
    graph = vd.CommandGraph()
    slow(out, 1); out.read(0)
    slow(out, 4000000000)
    print("waiting", flush=True)
    try:
        {wait}
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        import os
        os._exit(0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("wait", ["out.read(0)", "vd.queue_wait_idle()", "graph.wait()"])
def test_an_interrupt_ends_a_wait(wait):
    program = textwrap.dedent(_SLOW).format(wait=wait)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "waiting\n"
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            begin = time.monotonic()
            assert child.stdout.readline() == "interrupted\n"
            assert time.monotonic() - begin < 10
        finally:
            child.kill()


def test_a_kernel_that_stores_nothing_is_remarked_on(host, messages):
    @vd.shader("x.size")
    def idle(x: Buff[f32]):
        x[0] * 2

    idle(ones())
    (said,) = warnings_of(messages)
    assert "kernel 'idle'" in said and "stores nothing" in said and "test_mistakes.py:" in said


def test_a_later_use_cpu_that_would_have_changed_the_choice_is_remarked_on(host, messages, monkeypatch):
    vd.make_context(use_cpu=True)
    assert not warnings_of(messages)  # the host was asked for
    from vkdispatch.backends import backend_selection
    from vkdispatch.base import init

    monkeypatch.setattr(init, "_explicit", False)
    monkeypatch.setattr(backend_selection, "choose_backend", lambda use_cpu=False: ("vulkan", []))
    vd.make_context(use_cpu=True)
    (said,) = warnings_of(messages)
    assert "use_cpu" in said and "test_mistakes.py" in said


def test_text_is_no_number(host):
    with pytest.raises(ValueError, match="'2' is no value for 'a' of type float32: it is text"):
        saxpy_kernel()(ones(), ones(), "2")


def test_a_number_that_becomes_infinite_is_remarked_on(host, messages):
    saxpy_kernel()(ones(), ones(), 1e60)
    assert any("1e+60 does not fit 'a' of type float32" in text for text in warnings_of(messages))


# ---- Messages that name the kernel and the cure


def test_a_missing_argument_names_the_kernel_and_its_arguments(host):
    with pytest.raises(ValueError, match=r"Missing argument 'a'! Kernel 'saxpy' takes \(out, x, a\)"):
        saxpy_kernel()(ones(), ones())


def test_an_array_instead_of_a_buffer_says_how_to_make_one(host):
    with pytest.raises(
        ValueError, match=r"Expected a buffer for argument 'x' of kernel 'saxpy' \(got ndarray\)! vd\.asbuffer\(x\)"
    ):
        saxpy_kernel()(ones(), np.ones(8, np.float32), 2.0)


def test_a_launch_size_that_names_nothing_lists_the_arguments(host):
    @vd.shader("ouy.size")
    def typo(out: Buff[f32]):
        out[0] = 1.0

    with pytest.raises(ValueError, match=r"'ouy\.size' of kernel 'typo': .*'ouy'.*its arguments are: out"):
        typo(ones())


def traced(body, types=(Buff[f32],)):
    """Trace `body` as a kernel's function."""
    return vd.shader("param0.size", arg_type_annotations=list(types))(body)


def test_a_store_of_another_type_says_the_cast(host):
    def body(out):
        out[0] = vc.global_invocation_id().x

    with pytest.raises(ValueError, match=r"to value of type 'uint32'!.*value\.to_dtype\(vd\.float32\)"):
        traced(body)


@pytest.mark.parametrize(
    ("use", "hint"),
    [
        (lambda x: list(range(x)), "vc.while_block"),
        (lambda x: math.sin(x), "vc.sin"),
        (lambda x: np.sin(x), "vc.sin"),
        (lambda x: float(x), "vc.to_float"),
        (lambda x: int(x), "vc.to_int"),
        (lambda x: [1, 2][x], "Python's own"),
    ],
)
def test_python_functions_on_gpu_values_point_to_ours(host, use, hint):
    with pytest.raises(TypeError, match=hint):
        traced(lambda out: use(out[0]))


def test_an_unknown_function_suggests_one(host):
    with pytest.raises(AttributeError, match="no attribute 'squrt'. Did you mean: 'sqrt'"):
        vc.squrt  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'zzzzzz'$"):
        vc.zzzzzz  # noqa: B018


def test_an_unknown_component_says_which_there_are(host):
    def body(out):
        out[vc.global_invocation_id().q] = 1.0

    with pytest.raises(
        AttributeError, match=r"'uvec3' has no attribute 'q' \(components are x, y, z and w; v\.swizzle"
    ):
        traced(body)


def test_an_open_block_says_where_it_was_opened(host):
    def body(out):
        vc.if_statement(out[0] > 1.0)
        out[0] = 1.0

    line = body.__code__.co_firstlineno + 1
    with pytest.raises(RuntimeError, match=rf"still open at the end of the kernel: if! .*test_mistakes\.py:{line}"):
        traced(body)


@pytest.mark.parametrize("wrong", [np.float32, "float32", np.dtype(np.float32)])
def test_a_dtype_of_numpy_names_ours(host, wrong):
    with pytest.raises(TypeError, match=r"elements are of a dtype .*vd\.float32"):
        vd.Buffer((4,), wrong)


def test_a_destroyed_buffer_says_which_it_was(host):
    x = ones()
    x.destroy()
    with pytest.raises(RuntimeError, match=r"Buffer was destroyed \(it had shape \(8,\) of float32\)"):
        x.read(0)
    with pytest.raises(RuntimeError, match="Buffer was destroyed.*argument 'x' of kernel 'saxpy'"):
        saxpy_kernel()(ones(), x, 1.0)


DEMO = Path(__file__).parents[3] / "examples/edges_and_blur/edges_and_blur.py"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no such picture.png"], "cannot read the picture no such picture.png"),
        ([str(DEMO)], "cannot read the picture"),
        (["--size", "-5"], "-5 is no number of pixels"),
    ],
)
def test_the_demo_says_in_a_line_what_it_cannot_do(arguments, said):
    for module in ("PIL", "scipy"):
        pytest.importorskip(module)
    command = [sys.executable, str(DEMO), *arguments]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and said in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr


def test_the_demo_takes_the_backend_of_the_environment():
    for module in ("PIL", "scipy"):
        pytest.importorskip(module)
    environment = {**os.environ, "VKDISPATCH_BACKEND": "nonsense"}
    command = [sys.executable, str(DEMO), "--size", "64"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode != 0 and "VKDISPATCH_BACKEND (nonsense)" in done.stderr
