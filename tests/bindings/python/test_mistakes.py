"""A newcomer's mistakes, and the package's messages."""

import gc
import math
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from array import array
from pathlib import Path

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.base.words import bracketed
from vkdispatch.codegen.abbreviations import Buff, Const, Img2, f32, i32, iv2, u32
from vkdispatch.codegen.other_languages import NAMES


@pytest.fixture
def messages():
    """The package's log, as (level, text)."""
    got = []
    gc.collect()  # contexts of other tests, which may still have something to say
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


def test_images_say_what_their_shape_and_layers_are(host):
    with pytest.raises(
        vd.base.errors.WrongTypeError, match=r"shape \(16\) must be a sequence of integers, one for each axis"
    ):
        vd.Image2D(16)
    with pytest.raises(TypeError, match=r"Image2D: it has no layers; vd.Image2DArray has them"):
        vd.Image2D((8, 8), layers=3)
    with pytest.raises(TypeError, match=r"got Buffer\).* copy\(\) is another buffer|Its copy\(\) is another buffer"):
        vd.asbuffer(vd.zeros(3))
    with pytest.raises(TypeError, match=r"got Buffer; copy_from\(\) takes a buffer"):
        vd.zeros(3).write(vd.zeros(3))
    with (
        open(__file__, "rb") as file,
        pytest.raises(TypeError, match="inspect_spirv: code must be the bytes of a module"),
    ):
        vd.inspect_spirv(file)


def test_a_buffer_of_the_same_numbers_is_no_reason_to_warn(host, messages):
    @vd.shader("out.size")
    def shift(out: Buff[vd.vec2]):
        out[vc.global_invocation_id().x].x += 1.0

    shift(vd.asbuffer(np.ones(8, np.complex64)))
    assert not warnings_of(messages)


def test_an_array_of_other_numbers_is_written_with_a_warning(host):
    with pytest.warns(UserWarning, match="array of int32 goes into a buffer of float32") as said:
        vd.Buffer((4,), vd.float32).write(np.ones(4, np.int32))
    assert [w.filename for w in said] == [__file__]
    times = np.array([1, 2], "datetime64[s]")
    for other in (times, np.ones(1, np.longdouble), array("d", [1, 2]), memoryview(np.ones(2))):
        with pytest.warns(
            UserWarning, match=r"Buffer\.write: an array of .* goes into a buffer of float32 byte by byte"
        ):
            vd.Buffer((4,), vd.float32).write(other)


def test_arrays_of_the_same_numbers_and_bytes_are_written_quietly(host, recwarn):
    vd.Buffer((4,), vd.complex32).write(np.ones((4, 2), np.float16))
    vd.Buffer((4,), vd.vec2).write(np.ones((4, 2), np.float32))
    vd.Buffer((4, 4), vd.float32).write(np.ones((2, 8), np.float32))
    vd.Buffer((4,), vd.float32).write(np.zeros(16, np.uint8))
    for same in (array("f", [1, 2, 3, 4]), memoryview(np.ones(4, np.float32)), memoryview(bytes(16))):
        vd.Buffer((4,), vd.float32).write(same)
    assert not recwarn


@pytest.mark.parametrize("index", [2**63, 2**64 - 1])
def test_an_index_that_no_buffer_has_is_told_as_it_was_written(host, index):
    with pytest.raises(
        ValueError, match=rf"index \({index}\) is past the end of every buffer.*test_mistakes\.py:\d+, in far"
    ):

        @vd.shader(1)
        def far(out: Buff[f32]):
            out[index] = 1.0


def test_a_constant_index_past_the_end_is_refused_at_the_launch(host):
    @vd.shader(1)
    def far(out: Buff[f32], limit: Const[i32]):
        out[7] = 1.0
        with vc.if_block(limit > 100):
            out[1000] = 1.0

    out = vd.asbuffer(np.zeros(8, np.float32))
    far(out, 1)
    assert out.read(0)[7] == 1.0
    with pytest.raises(ValueError, match=r'"out"\) of "far": index \(7\) is past the end of buffer .* \(7 elements\)'):
        far(vd.asbuffer(np.zeros(7, np.float32)), 1)


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
    import signal
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
    import numpy as np, vkdispatch as vd, vkdispatch.codegen as vc
    from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32, iv2, u32
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
            assert child.communicate(timeout=60) == ("interrupted\n", None)  # the kernel runs for hours
        finally:
            child.kill()


_HELD = """
    import os, signal, sys, threading, numpy as np, vkdispatch as vd
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
    vd.initialize(backend="{backend}")
    vd.make_context()
    main, go, heard = threading.get_ident(), threading.Event(), []
    def hold():
        waits = ("vd_context_wait_writable", "vd_buffer_write", "vd_buffer_send")
        while sys._current_frames()[main].f_code.co_name not in waits:
            pass
        os.kill(os.getpid(), signal.SIGINT)
        heard.append(go.wait(20))
    old, new = (np.full({size}, value, np.uint8) for value in (1, 2))
    out = vd.asbuffer(old)
    vd.queue_wait_idle()
    graph = vd.CommandGraph()
    graph.call(hold)
    graph.submit()
    try:
        for _ in range({times}):
            out.{write}(new)
        print("written")
    except KeyboardInterrupt:
        go.set()
    graph.wait()
    assert heard == [True]
    assert {times} > 1 or np.array_equal(out.read(0), old)
    out.{write}(new)
    assert np.array_equal(out.read(0), new)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("write", "size", "times"), [("write", 80, 1), ("write_async", 80, 1), ("write", 4, 40)])
def test_an_interrupt_ends_a_write_that_waits(device, write, size, times):
    if device == "host":
        pytest.skip("the host takes any write at once")
    program = textwrap.dedent(_HELD).format(backend=device, size=size << 20, write=write, times=times)
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_kernel_that_stores_nothing_is_remarked_on(host):
    @vd.shader("x.size")
    def idle(x: Buff[f32]):
        x[0] * 2

    with pytest.warns(UserWarning, match="kernel 'idle' .*stores nothing") as said:
        idle(ones())
    assert (said[0].filename, said[0].lineno) == (__file__, idle.__wrapped__.__code__.co_firstlineno)


def test_a_later_use_cpu_that_would_have_changed_the_choice_is_remarked_on(host, recwarn, monkeypatch):
    vd.make_context(use_cpu=True)
    assert not recwarn  # the host was asked for
    from vkdispatch.backends import backend_selection
    from vkdispatch.base import init

    monkeypatch.setattr(init, "_explicit", False)
    monkeypatch.setattr(backend_selection, "choose_backend", lambda use_cpu=False: ("vulkan", []))
    with pytest.warns(UserWarning, match="use_cpu") as said:
        vd.make_context(use_cpu=True)
    assert said[0].filename == __file__


def test_text_is_no_number(host):
    with pytest.raises(ValueError, match="'2' is not a value for 'a' of kernel '.*' of type float32: it is text"):
        saxpy_kernel()(ones(), ones(), "2")


def test_a_number_that_becomes_infinite_is_remarked_on(host):
    with pytest.warns(UserWarning, match=r"1e\+60 does not fit 'a' of kernel 'saxpy' of type float32"):
        saxpy_kernel()(ones(), ones(), 1e60)


def test_a_constant_that_loses_its_fraction_is_remarked_on(host, recwarn):
    @vd.shader("x.size")
    def kernel(x: Buff[i32], n: Const[u32], v: Const[iv2] = (1, 2)):
        x[0] = n.to_dtype(i32) + v.x

    x = vd.Buffer((4,), vd.int32)
    kernel(x, 2.0)
    kernel(x, np.uint32(3))
    assert not recwarn
    kernel(x, 1.5)
    kernel(x, 1, (7, 1.25))
    first, second = recwarn
    assert "1.5 becomes 1 in 'n' of kernel 'kernel' of type uint32" in str(first.message) and first.filename == __file__
    assert (
        "1.25 becomes 1 in 'v' of kernel 'kernel' of type ivec2" in str(second.message)
        and second.lineno == first.lineno + 1
    )
    assert x.read(0)[0] == 8


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


def test_a_real_value_in_a_complex_variable_says_how(host):
    def body(out, real):
        number = vc.new_register(vd.complex64)
        for value in (real[0], vc.global_invocation_id().x, real[0].to_dtype(vd.float64)):
            parts = r" its \.real = value and its \.imag = 0, or" if value.var_type is f32 else ""
            said = (
                rf"^Cannot set variable of type 'complex64' to value of type '{value.var_type.name}'! .*: write{parts}"
            )
            with pytest.raises(ValueError, match=said + r" vc\.to_complex64\(value, 0\)\.$"):
                number[:] = value
            number[:] = vc.to_complex64(value, 0)
            out[0] = number

    traced(body, (Buff[vd.complex64], Buff[f32]))


@pytest.mark.parametrize(
    ("use", "hint"),
    [
        (lambda x: list(range(x)), "vc.for_block"),
        (lambda x: math.sin(x), "vc.sin"),
        (lambda x: np.sin(x), "vc.sin"),
        (lambda x: float(x), "vc.to_float"),
        (lambda x: int(x), "vc.to_int"),
        (lambda x: [1, 2][x], r"a list, tuple or array .*vd\.asbuffer\(table\)"),
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


def test_names_of_other_languages_lead_to_ours(host):
    for name, ours in (("threadIdx", r"vc\.local_invocation_id\(\)"), ("where", r"vc\.select\(condition, a, b\)")):
        with pytest.raises(AttributeError, match=f"no attribute '{name}': here that is {ours}$"):
            getattr(vc, name)
    for name, ours in NAMES.items():
        assert not hasattr(vc, name)
        assert all(hasattr(vc, known) for known in re.findall(r"vc\.(\w+)", ours)), ours


@pytest.mark.parametrize(
    ("body", "error", "said"),
    [
        (lambda out: len(out), TypeError, "buffer.size is its number of elements"),
        (lambda out: out.__setitem__((0, 1), 1.0), ValueError, r"vc\.unravel_index\(\(row, column\), buffer\.shape\)"),
        (lambda out: f32(out[0]), TypeError, r"value\.to_dtype\(vd\.float32\) converts"),
        (lambda out: (out[0] + 1).set_value(2.0), ValueError, r"to_register\(\) makes a register"),
        (lambda out: out[0] % 2, TypeError, r"vc\.mod\(a, b\) take floats"),
        (lambda out: ones()[out[0].to_dtype(u32)], TypeError, "the buffers that it is given as arguments"),
        (lambda out: out.__setitem__(0, ones()[0]), TypeError, "the buffers that it is given as arguments"),
    ],
)
def test_a_mistake_in_a_kernel_says_what_to_write(host, body, error, said):
    with pytest.raises(error, match=said):
        traced(body)


def test_the_size_of_a_buffer_is_a_value_in_kernels(host):
    @vd.shader("out.size", local_size=8)
    def sizes(out: Buff[i32], x: Buff[f32]):
        part = vc.shared_buffer(f32, 24)
        out[vc.global_invocation_id().x] = x.size + 100 * part.size

    out = vd.zeros(2, vd.int32)
    sizes(out, vd.zeros((2, 3)))
    assert out.read(0).tolist() == [2406, 2406]


def test_an_image_in_a_kernel_has_no_elements(host):
    with pytest.raises(TypeError, match=r"an image, which has no elements: load\(\(column, row\)\)"):
        traced(lambda out, image: image[0], (Buff[f32], Img2[f32]))
    with pytest.raises(ValueError, match="must have 2 axes, .*; channels= counts the channels"):
        vd.Image2D((4, 4, 3), vd.uint8)


def test_a_number_of_too_many_bits_is_refused_in_a_kernel(host):
    @vd.shader(1)
    def bits(out: Buff[u32]):
        out[0] = -1
        out[1] = 0xFFFFFFFF
        vc.atomic_and(out[1], -2)

    out = vd.zeros(2, vd.uint32)
    bits(out)
    assert out.read(0).tolist() == [0xFFFFFFFF, 0xFFFFFFFE]
    for wrong in (1 << 32, -(1 << 31) - 1):
        with pytest.raises(OverflowError, match=rf"type 'uint32' to \({wrong}\), which does not fit 32 bits!"):
            traced(lambda out: out.__setitem__(0, wrong), (Buff[u32],))  # noqa: B023 (called at once)
        with pytest.raises(OverflowError, match=rf"atomic_add: the .* \({wrong}\) does not fit 32 bits!"):
            traced(lambda out: vc.atomic_add(out[0], wrong), (Buff[u32],))  # noqa: B023
    with pytest.raises(OverflowError, match=r"type 'ivec2' to \(4294967296\)"):
        traced(lambda out: out.__setitem__(0, 1 << 32), (Buff[iv2],))


def test_an_annotation_names_buffers_and_values(host):
    with pytest.raises(TypeError, match=r"'x' must have .* like Buff\[f32\] for a buffer or Const\[f32\] for a value"):

        @vd.shader(1)
        def kernel(x: float):
            pass


def test_a_wrong_keyword_names_the_parameters(host):
    with pytest.raises(TypeError, match=r"no parameter 'scale'! It takes \(out, x, a\); a graph is given as graph="):
        saxpy_kernel()(ones(), ones(), scale=2)
    with pytest.raises(TypeError, match=r"takes 3 argument\(s\), but 4 were given! They are \(out, x, a\)\.$"):
        saxpy_kernel()(ones(), ones(), 1, 2)


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


def test_a_destroyed_buffer_says_which_it_was(host):
    x = ones()
    x.destroy()
    with pytest.raises(RuntimeError, match=r"Buffer was destroyed \(it had shape \(8,\) of float32\)"):
        x.read(0)
    with pytest.raises(RuntimeError, match="Buffer was destroyed.*argument 'x' of kernel 'saxpy'"):
        saxpy_kernel()(ones(), x, 1.0)
    named = vd.Buffer(8, vd.float32, label="mass")
    named.destroy()
    with pytest.raises(RuntimeError, match=r"Buffer was destroyed \('mass', it had shape \(8,\) of float32\)"):
        named.read(0)
    with vd.Context(backend="host") as context:
        image, buffer = vd.Image2D((2, 2), context=context), vd.zeros(4, context=context)
        view = buffer[1:]
    with pytest.raises(RuntimeError, match="Image2D was destroyed with its context"):
        image.read()
    for ended in (buffer, view):
        with pytest.raises(RuntimeError, match="Buffer was destroyed with its context"):
            ended.read(0)
    with pytest.raises(RuntimeError, match="Event: .* was destroyed"):
        vd.Event(context=context)


def test_what_another_thread_destroys_during_a_call_is_said(host):
    image = vd.Image2D((2, 2))
    image._pointer = None  # as destroy() leaves it, after the call has looked
    with pytest.raises(vd.StateError, match=r"^Image.level_shape: another thread destroyed"):
        image.write(np.zeros((2, 2), np.float32))
    with pytest.raises(vd.StateError, match=r"^Image.generate_mips: another thread destroyed"):
        image.generate_mips()


# ---- Values, sizes and switches


def test_a_warning_of_a_later_call_names_the_programs_line(host, recwarn):
    saxpy, out, x = saxpy_kernel(), ones(), ones()
    saxpy(out, x, 2.0)
    saxpy(out, ones(8, np.int32), 2.0)
    saxpy(out, x, 1e60)
    first, second = recwarn
    assert first.filename == second.filename == __file__ and second.lineno == first.lineno + 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (None, r"must be a Buffer \(got NoneType\)"),
        (np.zeros(8), r"must be a Buffer \(got ndarray; write\(array\) takes one\)"),
    ],
)
def test_copy_from_wants_a_buffer(host, wrong, said):
    with pytest.raises(TypeError, match=r"Buffer\.copy_from: source " + said):
        ones().copy_from(wrong)


def test_copy_from_other_numbers_warns(host, recwarn):
    out = ones()
    out.copy_from(ones(8, np.int32))
    out.copy_from(ones(4, np.complex64))
    (said,) = recwarn
    assert "copy_from: a buffer of int32 goes into a buffer of float32" in str(said.message)
    assert said.filename == __file__
    with pytest.raises(ValueError, match="the source has 16 bytes of float32, the buffer 32 of float32"):
        out.copy_from(ones(4))


@pytest.mark.parametrize("wrong", [None, "a", "2", [1, 2], {}])
def test_fill_wants_a_number(host, wrong):
    with pytest.raises(TypeError, match=r"Buffer\.fill: value must be a number"):
        ones().fill(wrong)


def test_numbers_that_do_not_fit_a_buffer_are_refused(host):
    integers = vd.asbuffer(np.ones(8, np.int32))
    for write in (lambda: integers.fill(2**40), lambda: integers.write([1, 2**40] * 4), lambda: integers.write(2**40)):
        with pytest.raises(OverflowError, match=r"^\S+: 1099511627776 does not fit the buffer of type int32"):
            write()
    assert integers.read(0).tolist() == [1] * 8
    with pytest.raises(TypeError, match="'1' is not a value .* it is text"):
        ones().write(["1"] * 8)


def test_numbers_that_change_in_a_buffer_are_remarked_on(host, recwarn):
    integers, floats = vd.asbuffer(np.ones(8, np.int32)), ones()
    integers.fill(1.7)
    integers.write([2.0, 2.5] * 4)
    floats.fill(1e60)
    assert integers.read(0).tolist() == [2] * 8 and np.isinf(floats.read(0)).all()
    cut, cut_too, infinite = (str(w.message) for w in recwarn)
    assert "1.7 becomes 1" in cut and "2.5 becomes 2" in cut_too and "1e+60 does not fit" in infinite


def test_an_rfft_buffer_has_a_dimension(host):
    for make in (lambda: vd.RFFTBuffer(()), lambda: vd.asrfftbuffer(np.float32(1))):
        with pytest.raises(ValueError, match="at least one dimension"):
            make()


def test_transforms_say_what_they_want(host):
    data = vd.asbuffer(np.zeros(8, np.complex64))
    with pytest.raises(ValueError, match=r"axis \('a'\) must be an integer"):
        vd.fft.fft(data, axis="a")
    with pytest.raises(ValueError, match=r"input_signal_range \('ab'\) must be two integers"):
        vd.fft.fft(data, input_signal_range="ab")
    with pytest.raises(ValueError, match=r"Expected an RFFTBuffer \(got Buffer\)! vd\.asrfftbuffer\(array\)"):
        vd.fft.rfft(vd.Buffer((8,), vd.float32))
    vd.fft.fft(data, buffer_shape=(2, 4))
    for shape in ("ab", (2.0, 4), 8.0, ((2, 4),)):
        with pytest.raises(ValueError, match=r"buffer_shape \(.*\) must be integers"):
            vd.fft.fft(data, buffer_shape=shape)
    for number in (0, -1, 1.5, "a"):
        with pytest.raises(ValueError, match=r"kernel_num \(.*\) must be an integer of at least 1"):
            vd.fft.convolve(data, data, kernel_num=number)
    for signal_range in ((None, 0), (8, None), (3, 3)):
        with pytest.raises(ValueError, match=r"input_signal_range \(.*\) is empty"):
            vd.fft.fft(data, input_signal_range=signal_range)
    with pytest.raises(ValueError, match="kernel_map must be a vd.map function"):
        vd.fft.convolve(data, data, kernel_map=lambda kernel: None)
    with pytest.raises(ValueError, match=r"in_buffer has 8 elements; a kernel of shape \(2, 8\) takes 16"):
        vd.fft.transpose(data, conv_shape=(2, 8))


@pytest.mark.parametrize("wrong", [2**40, -1, "a", 1.5])
def test_submit_names_itself_and_its_count(host, wrong):
    with pytest.raises(ValueError, match=r"CommandGraph\.submit: instance_count \("):
        vd.CommandGraph().submit(wrong)


def test_write_past_an_offset_says_what_is_left(host):
    with pytest.raises(
        ValueError, match=r"float32, shape \(4,\) has 16 bytes, the buffer '.*' 8 after offset 6 \(of 32\)"
    ):
        ones().write(np.zeros(4, np.float32), offset=6)
    with pytest.raises(TypeError, match=r"Buffer\.write: offset must be an integer"):
        ones().write(b"", offset="a")


def test_read_of_a_queue_that_is_not_there(host):
    with pytest.raises(ValueError, match=r"Buffer\.read: queue index \(1\) is outside 0 to 0"):
        ones().read(1)


def test_launch_sizes_name_the_kernel(host):
    saxpy, out = saxpy_kernel(), ones()
    for size, said in [
        (0, r"The launch size of kernel 'saxpy' \(0\)"),
        ((1.5,), r"The launch size of kernel 'saxpy' \(1\.5,\)"),
        (2**40, r"The launch size of kernel 'saxpy' \(1099511627776 invocations\)"),
        (2**50, r"Workgroup count of kernel 'saxpy'"),
        ("7+", r"the launch size '7\+' of kernel 'saxpy'"),
    ]:
        for _ in range(2):
            with pytest.raises(ValueError, match=said):
                saxpy(out, out, 1.0, exec_size=size)
            saxpy(out, out, 1.0)


def test_a_local_size_names_the_kernel(host):
    @vd.shader("out.size", local_size=1 << 20)
    def huge(out: Buff[f32]):
        out[0] = 1.0

    with pytest.raises(ValueError, match="Local size of kernel 'huge'"):
        huge(ones())


def test_a_launch_without_a_size_names_the_kernel_and_its_file(host):
    @vd.shader
    def sizeless(out: Buff[f32]):
        out[0] = 1.0

    with pytest.raises(
        ValueError, match=r"kernel 'sizeless'.*exec_size or workgroups is needed.*test_mistakes\.py:\d+"
    ):
        sizeless(ones())


def test_kernel_functions_outside_of_a_kernel_say_where_they_work(host):
    for use in (vc.barrier, vc.global_invocation_id):
        with pytest.raises(RuntimeError, match=r"No global ShaderWriter.*only inside a @vd\.shader function"):
            use()


def only_by_name(out: Buff[f32], *, a: Const[f32]):
    out[0] = a


def generating(out: Buff[f32]):
    yield out


async def awaited(out: Buff[f32]):
    out[0] = 1.0


@pytest.mark.parametrize(
    "function, error, said",
    [
        (only_by_name, ValueError, "'a' of 'only_by_name' is behind '\\*'"),
        (generating, TypeError, "'generating' is a generator or coroutine"),
        (awaited, TypeError, "'awaited' is a generator or coroutine"),
    ],
)
def test_functions_that_are_no_kernels_are_refused(host, function, error, said):
    with pytest.raises(error, match=said):
        vd.shader("out.size")(function)


@pytest.mark.parametrize("wrong", [-1, float("nan"), "1"])
def test_a_timeout_is_a_number_of_seconds(host, wrong):
    with pytest.raises(ValueError, match=r"queue_wait_idle: timeout \("):
        vd.queue_wait_idle(timeout=wrong)


def test_an_infinite_timeout_is_one(host):
    assert vd.queue_wait_idle(timeout=float("inf"))


def test_switches_are_true_or_false(host):
    with pytest.raises(ValueError, match=r"debug_mode \('x'\) must be True or False"):
        vd.initialize(debug_mode="x")
    with pytest.raises(ValueError, match=r"use_cpu \(3\) must be True or False"):
        vd.make_context(use_cpu=3)
    assert vd.make_context(use_cpu=np.True_) is vd.make_context(use_cpu=1)


# ---- Which buffer, and which call


def test_messages_say_which_buffer(host):
    saxpy, out, x = saxpy_kernel(), ones(), vd.Buffer((8,), vd.float32, label="the signal")
    graph = vd.CommandGraph()
    saxpy(out, x, 2.0, graph=graph)
    x.destroy()
    where = r'^CommandGraph\.submit: node 0: argument 1 \("x"\) of "saxpy": '
    with pytest.raises(RuntimeError, match=where + 'buffer "the signal" was discarded'):
        graph.submit()
    graph.reset()
    saxpy(out, out, 2.0, graph=graph)
    out.destroy()
    with pytest.raises(RuntimeError, match=r'buffer "float32 of shape \(8,\)" was discarded'):
        graph.submit()


def test_what_goes_wrong_in_a_kernel_is_said_by_read(fresh):
    fresh()
    vd.initialize(debug_mode=True, backend="host")

    @vd.shader("out.size")
    def past(out: Buff[f32]):
        out[vc.global_invocation_id().x + 4] = 5.0

    out = ones()
    past(out)
    with pytest.raises(RuntimeError, match=r"^Buffer\.read: .*index \(8\) is past the end") as caught:
        out.read(0)
    assert "vd_context" not in str(caught.value)


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


def test_big_endian_arrays_are_converted(host):
    values = np.arange(6, dtype=">f4").reshape(2, 3)
    buffer = vd.asbuffer(values)
    assert buffer.var_type is vd.float32 and (buffer.read(0) == values).all()
    buffer.write(values + 1)
    buffer.write((values[0] + 1).astype(">f4"), offset=3)
    assert buffer.read(0).tolist() == [[1, 2, 3], [1, 2, 3]]
    buffer.write(memoryview(values))
    assert (buffer.read(0) == values).all()
    image = vd.Image2D((2, 3))
    image.write(values)
    assert (image.read() == values).all()
    with pytest.raises(ValueError, match="external_buffer has elements in the other byte order .*'>f'"):
        vd.Buffer((2, 3), vd.float32, values)


def test_counts_of_queues_that_no_list_could_hold(host):
    with pytest.raises(ValueError, match=r"queue_counts\[0\] \(4000000000\) is more than a context has .256"):
        vd.Context(queue_counts=4_000_000_000, backend="host")


def test_reading_into_an_array_of_other_numbers(host):
    buffer = vd.asbuffer(np.arange(4, dtype=np.float32))
    for wrong in (np.int32, ">f4", np.float16):
        with pytest.raises(ValueError, match="Buffer.read: out has elements of .*float32; nothing is converted"):
            buffer.read(0, out=np.empty(16 // np.dtype(wrong).itemsize, wrong))
    with pytest.raises(ValueError, match="^Buffer.read: out has 12 bytes, the buffer 16$"):
        buffer.read(0, out=np.empty(3, np.float32))
    frozen = np.empty(4, np.float32)
    frozen.flags.writeable = False
    for wrong, said in ((frozen, "out is read-only"), (np.empty(8, np.float32)[::2], r"out has strides \(8,\)")):
        with pytest.raises(ValueError, match=f"^Buffer.read: {said}"):
            buffer.read(0, out=wrong)
    for wrong in (bytes(16), 5):
        with pytest.raises(TypeError, match="^Buffer.read: out must be an array"):
            buffer.read(0, out=wrong)
    raw = np.empty(16, np.uint8)
    buffer.read(0, out=raw)
    assert raw.view(np.float32).tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="^Numpy buffer sizes must match! Buffer.write: the .* the buffer 'signal' 16"):
        vd.Buffer((4,), vd.float32, label="signal").write(np.zeros(3, np.float32))


@pytest.mark.parametrize(
    ("label", "error", "said"),
    [
        (b"x", TypeError, r"label \(b'x'\) must be a str"),
        (3, TypeError, r"label \(3\) must be a str"),
        ("a\0b", ValueError, r"label \('a\\x00b'\) has a NUL"),
        ("\udcff", ValueError, r"label \('\\udcff'\) has half of a surrogate pair"),
    ],
)
def test_labels_that_no_message_can_show(host, label, error, said):
    with pytest.raises(error, match="Buffer: " + said):
        vd.zeros(3, label=label)
    with pytest.raises(error, match="Image2D: " + said):
        vd.Image2D((2, 2), label=label)
    with pytest.raises(error, match="Semaphore: " + said):
        vd.Semaphore(label=label)
    if isinstance(label, str):
        with pytest.raises(error, match="CommandGraph.label: " + said), vd.CommandGraph().label(label):
            pass


def test_what_is_no_log_level(host):
    for call in (lambda: vd.set_log_level(17), lambda: vd.initialize(log_level="loud")):
        with pytest.raises(TypeError, match=r"log level \((17|'loud')\) must be a vd.LogLevel"):
            call()


def test_what_is_no_callback_and_no_dtype(host):
    with pytest.raises(TypeError, match="set_log_callback: callback must be a function.*got 3"):
        vd.set_log_callback(3)
    with pytest.raises(ValueError, match=r"Unsupported dtype \(<U1\)! Supported are bool_, int8.*float32.*complex64"):
        vd.asbuffer(np.array(["x"]))


def test_a_tuple_in_a_message_keeps_its_own_parentheses():
    assert [bracketed(value) for value in ((0, 3), (4,), (), 7, [1, 2], "(x)")] == [
        "(0, 3)", "(4,)", "()", "(7)", "([1, 2])", "('(x)')",
    ]  # fmt: skip
    assert bracketed(tuple(range(99))).startswith("((0, 1, ")  # cut off, so that its end is not there
    buffer = vd.zeros((4, 4), vd.complex64)
    with pytest.raises(ValueError, match=r"has a length \(18446744073709551616\) of more than 64 bits"):
        vd.fft.make_fft_shader((2**64,))
    with pytest.raises(ValueError, match=r"^buffer_shape \(0, 3\) must have one to eight positive dimensions"):
        vd.fft.fft(buffer, buffer_shape=(0, 3))
    with pytest.raises(ValueError, match=r"axes \(0, 0\) name an axis twice"):
        vd.fft.fftn(buffer, axes=(0, 0))
    with pytest.raises(ValueError, match=r"shape \(4, 4, 4\) must have 2 axes"):
        vd.Image2D((4, 4, 4), vd.float32, 1)


NOT_A_CONTEXT = {
    "default_graph": lambda: vd.default_graph(5),
    "queue_wait_idle": lambda: vd.queue_wait_idle(context="host"),
    "vd.profile": lambda: vd.profile(context=np.zeros(2)),
}


@pytest.mark.parametrize("name", NOT_A_CONTEXT)
def test_a_context_that_is_none_is_refused(host, name):
    with pytest.raises(TypeError, match=rf"^{name}: context must be a vd\.Context \(got (int|str|ndarray)\)$"):
        NOT_A_CONTEXT[name]()


def test_other_objects_than_images_graphs_and_functions_are_refused(host):
    with pytest.raises(TypeError, match=r"^Sampler: image must be a vd\.Image \(got 5\)$"):
        vd.Sampler(5)
    with pytest.raises(TypeError, match=r"^record: graph must be a CommandGraph \(got int\)$"), vd.record(0):
        pass
    done = vd.zeros(3).read_async()
    with pytest.raises(TypeError, match=r"^Event\.call_when_done: call must be a function \(got 'print'\)$"):
        done.call_when_done("print")
    assert list(done.result()) == [0, 0, 0]


def test_a_whole_number_past_every_float_becomes_infinite(host):
    with pytest.warns(UserWarning, match="becomes infinite"):
        x = vd.full(2, -(10**400), vd.float32)
    assert list(x.read(0)) == [-np.inf, -np.inf]


def test_a_destroyed_context_says_so(host):
    context = vd.Context(backend="host")
    with pytest.raises(TypeError, match=r"^Context\.has_extension: name must be a str \(got 5\)$"):
        context.has_extension(5)
    context.destroy()
    for name, arguments in (("memory_in_use", ()), ("info", ()), ("is_idle", ()), ("has_extension", ("x",))):
        with pytest.raises(RuntimeError, match=rf"^Context\.{name}: context \d+ \(host: .*\) was destroyed$"):
            getattr(context, name)(*arguments)


def test_a_profile_ends_once(host):
    profile = vd.profile(summary=False)
    with pytest.raises(RuntimeError, match="This profile does not record"):
        profile.__exit__(None, None, None)
    with profile:
        pass
    with pytest.raises(RuntimeError, match="This profile does not record"):
        profile.__exit__(None, None, None)


def test_numbers_for_a_buffer_name_the_call(host):
    x = vd.Buffer(4, vd.uint8)
    for name, call in (
        ("Buffer.write", lambda: x.write([300])),
        ("Buffer.write_async", lambda: x.write_async([300])),
        ("Buffer.fill", lambda: x.fill(300)),
        ("StridedView.write", lambda: x[::2].write([300, 1])),
        ("CommandGraph.fill", lambda: vd.CommandGraph().fill(x, 300)),
    ):
        with pytest.raises(OverflowError, match=rf"^{name}: 300 does not fit the buffer of type uint8"):
            call()
    with pytest.raises(
        TypeError, match=r"^Buffer\.write: Expected an array-like or bytes-like object \(got list: 'a' is"
    ):
        x.write(["a"])
    with pytest.warns(UserWarning, match=r"^Buffer\.fill: 1\.5 becomes 1 in the buffer of type uint8"):
        x.fill(1.5)


def test_a_wrong_type_is_a_type_error(host):
    for said, call in (
        (r"CommandGraph\.submit: instance_count \('x'\)", lambda: vd.CommandGraph().submit("x")),
        (r"Event\.wait: timeout \('x'\)", lambda: vd.Event().wait("x")),
        (r"Future\.result: timeout \('x'\)", lambda: vd.zeros(1).read_async().result("x")),
        (r"queue_wait_idle: timeout \('x'\)", lambda: vd.queue_wait_idle(timeout="x")),
        (r"queue_wait_idle: queue_index must be an integer", lambda: vd.queue_wait_idle("x")),
        (r"CommandGraph\.submit: queue_index \('x'\)", lambda: vd.CommandGraph().submit(1, "x")),
        (r"Event: index \('x'\)", lambda: vd.Event("x")),
    ):
        with pytest.raises(TypeError, match=f"^{said}") as caught:
            call()
        assert isinstance(caught.value, ValueError)  # as in 0.1
    with pytest.raises(ValueError, match=r"instance_count \(-1\)") as caught:
        vd.CommandGraph().submit(-1)
    assert not isinstance(caught.value, TypeError)


def test_messages_have_keywords_of_python(device):
    if device == "host":
        return
    with pytest.raises(vd.Error, match="exportable=True") as caught:
        vd.zeros(4).export_fd()
    assert "VD_" not in str(caught.value)


def test_robust_access_that_a_backend_lacks_is_named_by_its_keyword(on_backend):
    with on_backend("opencl"), pytest.raises(vd.UnsupportedError, match=r"\(robust=True\).*checked=True") as caught:
        vd.Context(backend="opencl", robust=True)
    assert "VD_CONTEXT" not in str(caught.value)
