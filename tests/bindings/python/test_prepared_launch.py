"""Launches that go straight from the call to the library, beside the same by way of Python."""

import dataclasses
import gc
import signal
import sys
import threading
import time
import warnings
import weakref

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native
from vkdispatch.base import context as context_module
from vkdispatch.base import remarks
from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32, v2

pytestmark = pytest.mark.skipif(not _native.hot.EXTENSION, reason="the extension is not built")


def make_scale(**arguments):
    @vd.shader(**({"exec_size": 16} | arguments))
    def scale(out: Buff[f32], x: Buff[f32], factor: Const[f32] = 2.0):
        i = vc.global_invocation_id().x
        out[i] = x[i] * factor

    return scale


@pytest.fixture
def scale(host):
    """A kernel that was launched, and its buffers."""
    kernel, out, x = make_scale(), vd.buffer_f32(16), vd.asbuffer(np.arange(16, dtype=np.float32))
    kernel(out, x)
    assert kernel._quick is not None
    return kernel, out, x


def called(body):
    """The names of the Python functions that run in body()."""
    names = []
    sys.setprofile(lambda frame, event, _: names.append(frame.f_code.co_name) if event == "call" else None)
    try:
        body()
    finally:
        sys.setprofile(None)
    return names[1:]  # the body itself


def test_refusals_name_the_kernel(host):
    @vd.shader("x.size")
    def double(x: Buff[f32]):
        x[vc.global_invocation_id().x] *= 2

    x = vd.zeros(8)
    given = np.zeros(8, np.float32)
    given.flags.writeable = False
    fixed = vd.Buffer(8, vd.float32, given)
    for _ in range(2):  # without a prepared launch, and with one
        with pytest.raises(ValueError, match="^Kernel 'double': argument 0 .* read-only"):
            double(fixed)
        with x.map("rw"), pytest.raises(vd.StateError, match="^Kernel 'double': argument 0 .* mapping"):
            double(x)
        double(x)


class TestWhatIsQuick:
    def test_no_python_runs(self, scale):
        kernel, out, x = scale
        graph = vd.CommandGraph()
        for body in (
            lambda: kernel(out, x),
            lambda: kernel(out, x, 3),
            lambda: kernel(out, factor=3.0, x=x),
            lambda: kernel(out, x, 3.0, exec_size=16, graph=None, workgroups=None),
            lambda: kernel(out, x, np.float32(3), graph=graph),
        ):
            assert called(body) == []
        assert (out.read(0) == np.arange(16) * 3).all()

    def test_a_size_that_is_worked_out(self, host):
        for size, names in (("out.size // 2", ["<lambda>"]), (lambda a: a.out.size // 2, ["__init__", "<lambda>"])):
            kernel, out, x = make_scale(exec_size=size), vd.buffer_f32(16), vd.asbuffer(np.ones(16, np.float32))
            out.fill(0)
            kernel(out, x)
            assert called(lambda kernel=kernel, out=out, x=x: kernel(out, x, 4.0)) == names
            assert out.read(0).tolist() == [4.0] * 8 + [0.0] * 8

    def test_workgroups(self, host):
        kernel, out, x = make_scale(exec_size=None, local_size=4, workgroups="2"), vd.buffer_f32(16), vd.buffer_f32(16)
        x.write(np.ones(16, np.float32))
        out.fill(0)
        kernel(out, x)
        assert called(lambda: kernel(out, x)) == ["<lambda>"]
        assert out.read(0).tolist() == [2.0] * 8 + [0.0] * 8

    @pytest.mark.parametrize(
        ("how", "call", "expected"),
        [
            ({"exec_size": 9}, {}, (9, 1, 1)),
            ({"workgroups": (2, 3)}, {}, (8, 6, 1)),
            ({"exec_size": "(out.size, 2)"}, {}, (4, 2, 1)),
            ({"workgroups": lambda a: (2, a.out.size)}, {}, (8, 8, 1)),
            ({"exec_size": 1}, {"exec_size": (2, 3, 4)}, (2, 3, 4)),
            ({"exec_size": 1}, {"workgroups": (1, 2)}, (4, 4, 1)),
            ({"exec_size": 1}, {"workgroups": 3}, (12, 2, 1)),
            ({}, {"exec_size": 7}, (7, 1, 1)),
        ],
    )
    def test_sizes_along_several_axes(self, host, how, call, expected):
        @vd.shader(**how, local_size=(4, 2))
        def reach(out: Buff[u32]):
            i = vc.global_invocation_id()
            for axis, n in enumerate((i.x, i.y, i.z)):
                vc.atomic_max(out[axis], n + 1)

        out = vd.zeros(4, vd.uint32)
        reach(out, **call)
        assert out.read(0).tolist() == [*expected, 0]
        out.fill(0)
        names = called(lambda: reach(out, **call))
        assert "_call" not in names and out.read(0).tolist() == [*expected, 0]

    @pytest.mark.parametrize(
        "call",
        [
            {"exec_size": ()},
            {"exec_size": (1, 1, 1, 1)},
            {"exec_size": (2, 0)},
            {"workgroups": (1, 2.0)},
            {"workgroups": 2**32},
            {"exec_size": 2**32},
        ],
    )
    def test_sizes_that_are_none_are_left_to_the_slower_way(self, scale, call):
        kernel, out, x = scale
        with pytest.raises((TypeError, ValueError), match="size|Workgroup count"):
            kernel(out, x, **call)

    def test_fields_of_arguments(self, host):
        @dataclasses.dataclass
        class Line:
            slope: vd.float32
            shift: vd.float32

        @vd.shader("out.size")
        def line(out: Buff[f32], of: Line):
            i = vc.global_invocation_id().x
            out[i] = of.slope * i + of.shift

        out = vd.zeros(4)
        for slope in (1.0, 2.0, 3.0):
            names = called(lambda slope=slope: line(out, Line(slope, 0.5)))
            assert out.read(0).tolist() == [slope * i + 0.5 for i in range(4)]
        assert "_call" not in names
        with pytest.raises(ValueError, match="Argument 'of' has no field 'slope'"):
            line(out, 5)

    def test_vectors_are_packed_in_python(self, host):
        @vd.shader(4)
        def put(out: Buff[f32], value: Const[v2], k: Const[f32]):
            out[vc.global_invocation_id().x] = value.x + value.y + k

        out = vd.buffer_f32(4)
        for _ in range(2):
            put(out, (1.0, 2.0), 4.0)
        assert "_call" not in called(lambda: put(out, (1.0, 2.0), 4.0))
        assert out.read(0).tolist() == [7.0] * 4

    def test_more_arguments_than_it_takes(self, host):
        names = [f"v{i}" for i in range(40)]

        @vd.shader(1, arg_type_annotations=[Buff[f32]] + [Const[f32]] * 40, arg_names=["out", *names])
        def total(out, *values):
            out[0] = sum(values[1:], values[0])

        out = vd.buffer_f32(1)
        for _ in range(2):
            total(out, *range(40))
        assert total._quick is None and out.read(0)[0] == sum(range(40))


KINDS = ["float16", "float32", "float64", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (16, 32, 64))]


@pytest.mark.parametrize("kind", [getattr(vd, name) for name in KINDS], ids=KINDS)
def test_numbers_are_those_of_the_slower_way(host, kind):
    @vd.shader(1)
    def put(out: Buff[kind], value: Const[kind], next_value: Const[kind]):
        out[0] = value
        out[1] = next_value

    out = vd.Buffer((2,), kind)
    put(out, 1, 2)
    quick = put._quick

    def outcome(way, value):
        put._quick = way
        out.fill(0)
        try:
            put(out, value, 3)
        except Exception as error:
            return type(error), str(error)
        return out.read(0).tobytes()

    given = [
        0,
        1,
        -1,
        True,
        127,
        128,
        255,
        256,
        -129,
        65535,
        65536,
        2**31,
        -(2**31) - 1,
        2**32 - 1,
        2**63,
        2**64,
        2**70,
    ]
    given += [0.5, -0.0, 1e30, 1e39, 1e300, float("inf"), 10**400, "7", None, [1], b"x"]
    given += [np.float32(0.25), np.float64(0.1), np.int64(-3), np.uint8(200), np.array(5), np.bool_(True)]
    for value in given:
        assert outcome(quick, value) == outcome(None, value), value


class TestWhatIsNot:
    """It goes the slower way, with its messages."""

    def test_mistakes(self, scale):
        kernel, out, x = scale
        other = vd.Buffer((3,), vd.int16)
        for arguments, keywords, error in (
            ((out,), {}, "Missing argument 'x'"),
            ((out, x, 1.0, 2.0), {}, "takes 3 argument"),
            ((out, x), {"y": 3}, "no parameter 'y'"),
            ((out, x), {"x": x}, "'x' is given twice"),
            ((out, np.zeros(4, np.float32)), {}, "asbuffer"),
            ((out, other), {}, "numbers of 16 bits"),
            ((out, x, "two"), {}, "two"),
            ((out, x), {"exec_size": 0}, "greater than 0"),
            ((out, x), {"exec_size": 1, "workgroups": 1}, "Cannot specify both"),
            ((out, x), {"graph": 5}, "Expected a CommandGraph"),
        ):
            with pytest.raises((TypeError, ValueError), match=error):
                kernel(*arguments, **keywords)
        assert kernel(out, x) is None

    def test_a_destroyed_buffer(self, scale):
        kernel, out, x = scale
        x.destroy()
        assert not hasattr(x, "_bind")
        with pytest.raises(_native.Error, match="Buffer was destroyed"):
            kernel(out, x)

    def test_a_buffer_that_the_size_destroys(self, host):
        def size(arguments):
            if arguments.factor == 5:
                arguments.x.destroy()
            return 16

        kernel, out, x = make_scale(exec_size=size), vd.buffer_f32(16), vd.buffer_f32(16)
        kernel(out, x)
        with pytest.raises(_native.Error, match="Buffer was destroyed"):
            kernel(out, x, 5.0)

    def test_a_size_that_fails(self, host):
        failures = []

        def size(arguments):
            if failures:
                raise failures[0]
            return 16

        kernel, out, x = make_scale(exec_size=size), vd.buffer_f32(16), vd.buffer_f32(16)
        kernel(out, x)
        for error in (ZeroDivisionError, KeyboardInterrupt):
            failures[:] = [error()]
            with pytest.raises(error):
                kernel(out, x)
        failures.clear()
        kernel(out, x)

    def test_what_the_library_refuses(self, scale):
        kernel, out, x = scale
        _native.raw.vd_buffer_discard(x._pointer)
        with pytest.raises(_native.Error, match="discarded"):
            kernel(out, x)

    def test_another_dtype(self, scale):
        kernel, out, _ = scale
        pairs = vd.asbuffer(np.arange(16, dtype=np.float32).view(np.complex64))
        for _ in range(2):
            kernel(out, pairs)
        assert called(lambda: kernel(out, pairs)) == []
        assert (out.read(0) == np.arange(16) * 2).all()

    def test_a_call_while_tracing(self, scale):
        kernel, out, x = scale
        with pytest.raises(RuntimeError, match="while another kernel is being traced"):

            @vd.shader(4)
            def outer(data: Buff[f32]):
                kernel(out, x)

        assert called(lambda: kernel(out, x)) == []

    def test_a_context_that_is_gone(self, scale):
        kernel, out, x = scale
        context_module.destroy_context()
        assert kernel._quick is None
        with pytest.raises(_native.Error, match="Buffer was destroyed"):
            kernel(out, x)


class TestRemarks:
    """A launch with a buffer that is not a plain one logs a remark, and goes on."""

    def test_a_launch_that_warns_is_still_prepared(self, scale):
        kernel, out, _ = scale
        short, whole = vd.ones(4), vd.ones(16, "int32")
        for wrong, said in ((short, "has 4 elements"), (whole, "wants float32, and the buffer has int32")):
            with pytest.warns(UserWarning, match=said) as caught:
                kernel(out, wrong)
            assert [w.filename for w in caught] == [__file__]
            with warnings.catch_warnings(record=True):
                warnings.simplefilter("default")
                names = called(lambda wrong=wrong: kernel(out, wrong))
            assert "_call" not in names and "_remark" in names and "_remarks" not in names

    def test_it_is_an_error_where_asked_and_nothing_runs(self, scale):
        kernel, out, _ = scale
        out.fill(7)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="has 4 elements"):
                kernel(out, vd.zeros(4))
        vd.initialize(strict=True)
        try:
            with pytest.raises(ValueError, match="has 4 elements"):
                kernel(out, vd.zeros(4))
        finally:
            remarks.set_strict(None)
        assert out.read(0).tolist() == [7] * 16

    def test_a_warning_that_destroys_the_buffer(self, scale):
        kernel, out, _ = scale
        short = vd.ones(4)

        def show(*told, **more):
            short.destroy()

        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = show
            with pytest.raises(_native.Error, match="Buffer was destroyed"):
                kernel(out, short)


class TestGraphsOfThreads:
    def test_one_thread_records_and_another_runs(self, scale):
        kernel, out, x = scale
        out.fill(0)
        graph = vd.CommandGraph()
        with vd.record(graph):
            assert called(lambda: kernel(out, x, 7.0)) == []
            assert (out.read(0) == 0).all()
            runner = threading.Thread(target=kernel, args=(out, x, 3.0))
            runner.start()
            runner.join()
            assert (out.read(0) == np.arange(16) * 3).all()
        graph.submit()
        assert (out.read(0) == np.arange(16) * 7).all()

    def test_several_queues_go_the_slower_way(self, on_backend):
        with on_backend("host", queue_counts=2):
            kernel, out, x = make_scale(), vd.buffer_f32(16), vd.asbuffer(np.arange(16, dtype=np.float32))
            for _ in range(2):
                kernel(out, x)
            assert "_call" in called(lambda: kernel(out, x))

    def test_threads_that_launch_at_once(self, scale):
        kernel, _, x = scale
        outs = [vd.buffer_f32(16) for _ in range(4)]

        def work(out, factor):
            for _ in range(500):
                kernel(out, x, factor)

        threads = [threading.Thread(target=work, args=(out, i + 1.0)) for i, out in enumerate(outs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, out in enumerate(outs):
            assert (out.read(0) == np.arange(16) * (i + 1)).all()


class TestLifetimes:
    def test_a_kernel_in_a_circle_is_collected(self, host):
        def make():
            kernel = make_scale(exec_size=lambda arguments: kernel and 16)
            kernel(vd.buffer_f32(16), vd.buffer_f32(16))
            return weakref.ref(kernel), weakref.ref(kernel.plan)

        kernel, plan = make()
        gc.collect()
        assert kernel() is None and plan() is None

    def test_a_buffer_is_an_ordinary_object(self, host):
        buffer = vd.buffer_f32(4)
        reference, buffer.note = weakref.ref(buffer), "mine"
        assert buffer.note == "mine" and buffer._bind == buffer._handle and buffer.var_type is vd.float32
        del buffer
        assert reference() is None

    def test_a_prepared_launch_takes_no_other(self, scale):
        kernel, _, _ = scale
        with pytest.raises(TypeError, match="_quick"):
            kernel._quick = 5
        with pytest.raises((TypeError, ValueError)):
            type(kernel._quick)(1, 2)


class TestTransforms:
    def data(self):
        return np.random.default_rng(0).standard_normal((3, 8, 2)).astype(np.float32).view(np.complex64)[..., 0]

    def test_a_call_by_the_same_arguments_looks_at_nothing_else(self, host):
        vd.fft.cache_clear()
        data = self.data()
        buffer = vd.asbuffer(data)
        vd.fft.fft(buffer)
        names = called(lambda: vd.fft.ifft(buffer))
        assert "make_fft_shader" in names
        for function in (vd.fft.fft, vd.fft.ifft):
            names = called(lambda function=function: function(buffer))
            assert "make_fft_shader" not in names and "_call" not in names, names
        np.testing.assert_allclose(buffer.read(0), data, rtol=1e-5, atol=1e-6)
        info = vd.fft.get_cache_info()
        assert (info.hits, info.misses) == (2, 2)
        vd.fft.cache_clear()
        assert "make_fft_shader" in called(lambda: vd.fft.fft(buffer))

    def test_other_arguments_are_other_transforms(self, host):
        data = self.data()
        for axis, options, expected in (
            (None, {}, np.fft.fft(data)),
            (0, {}, np.fft.fft(data, axis=0)),
            (1, {"inverse": True}, np.fft.ifft(data)),
            (1, {"inverse": True, "normalize_inverse": False}, np.fft.ifft(data) * 8),
            (None, {"buffer_shape": (6, 4)}, np.fft.fft(data.reshape(6, 4)).reshape(3, 8)),
        ):
            for _ in range(2):
                buffer = vd.asbuffer(data)
                vd.fft.fft(buffer, axis=axis, **options)
                np.testing.assert_allclose(buffer.read(0), expected, rtol=1e-4, atol=1e-5)
        for _ in range(2):
            with pytest.raises(ValueError, match="exactly one buffer"):
                vd.fft.fft(buffer, buffer)
            with pytest.raises(ValueError):
                vd.fft.fft(buffer, axis=5)

    def test_a_transform_that_is_called(self, host):
        transform, data = vd.fft.make_fft_shader((3, 8)), self.data()
        buffer, graph = vd.asbuffer(data), vd.CommandGraph()
        transform(buffer)
        assert called(lambda: transform(buffer, graph=graph)) == []
        graph.submit()
        np.testing.assert_allclose(buffer.read(0), np.fft.fft(np.fft.fft(data)), rtol=1e-4, atol=1e-4)
        floats = vd.asbuffer(data.view(np.float32))
        transform(floats)  # another dtype: the slower way
        np.testing.assert_allclose(floats.read(0).view(np.complex64), np.fft.fft(data), rtol=1e-4, atol=1e-5)
        with pytest.raises(TypeError):
            transform(buffer, exec_size=4)
        with pytest.raises(ValueError, match="Missing argument"):
            transform()
        buffer.destroy()
        with pytest.raises(_native.Error, match="destroyed"):
            transform(buffer)

    def test_another_context_builds_another_plan(self, on_backend):
        transform, data = vd.fft.make_fft_shader((3, 8)), self.data()
        for _ in range(2):
            with on_backend("host"):
                buffer = vd.asbuffer(data)
                for _ in range(2):
                    transform(buffer)
                vd.fft.fft(buffer)
                vd.fft.ifft(buffer)
                expected = np.fft.fft(np.fft.fft(data))
                np.testing.assert_allclose(buffer.read(0), expected, rtol=1e-4, atol=1e-4)


class TestWaiting:
    def test_an_interrupt_arrives(self, host):
        @vd.shader(1)
        def spin(out: Buff[u32], turns: Const[u32]):
            count = vc.new_register(u32, 0, var_name="count")
            with vc.while_block(count < turns):
                count += 1
            out[0] = count

        out = vd.Buffer((1,), vd.uint32)
        spin(out, 1)
        vd.queue_wait_idle()

        def interrupt(number, frame):
            raise TimeoutError

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            spin(out, 200_000_000)
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            began = time.perf_counter()
            with pytest.raises(TimeoutError):
                vd.queue_wait_idle()
            waited = time.perf_counter() - began
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        vd.queue_wait_idle()
        assert waited < 60 and out.read(0)[0] == 200_000_000

    def test_a_context_that_is_gone(self, host):
        context = vd.get_context()
        context.destroy()
        with pytest.raises(RuntimeError, match="destroyed"):
            vd.queue_wait_idle(context=context)
