"""Parts of buffers, views, asynchronous transfers, events and mapped memory."""

import asyncio
import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vkdispatch import _native
from vkdispatch._native import _notify
from vkdispatch.base.buffer import Mapping
from vkdispatch.base.event import Future
from vkdispatch.codegen.abbreviations import Buff, f32, i32
from vkdispatch.compat import numpy_compat as npc


@pytest.fixture
def table(device):
    array = np.arange(24, dtype=np.float32).reshape(4, 6)
    return vd.asbuffer(array), array


@pytest.fixture
def two_queues(on_backend):
    with on_backend("host", queue_counts=2):
        yield


def test_parts_that_overlap_are_copied(device):
    x = vd.arange(6)
    x[1:] = x[:-1]
    assert x.read(0).tolist() == [0, 0, 1, 2, 3, 4]
    x[:-2] = x[2:]
    x[:2].copy_from(x[4:])
    x.copy_from(x)
    assert x.read(0).tolist() == [3, 4, 3, 4, 3, 4]


def test_an_array_for_all_queues(two_queues):
    x = vd.zeros(4)
    x.write([5, 6, 7, 8], index=1)
    out = np.empty((2, 4), np.float32)
    assert x.read(out=out) is out and out.tolist() == [[0] * 4, [5, 6, 7, 8]]
    part = np.empty((2, 2), np.float32)
    assert x[::2].read(out=part) is part and part.tolist() == [[0, 0], [5, 7]]
    with pytest.raises(ValueError, match="Buffer.read: out has 16 bytes, the buffer in 2 queues 32"):
        x.read(out=part)


@vd.shader("out.size")
def past_the_end(out: Buff[f32], numbers: Buff[f32]):
    i = vc.global_invocation_id().x
    out[i] = numbers[i + 3]


@vd.shader(1)
def counted(x: Buff[i32]):
    with vc.while_block(x[0] < 300000):
        x[0] = x[0] + 1


@pytest.fixture
def failing():
    """A function that launches a kernel which fails, behind one that may still run if `running`, and gives its event."""

    def launch(running=False):
        out, numbers = vd.zeros(4), vd.ones(4)
        if running:
            counted(vd.zeros(1, vd.int32))
        past_the_end(out, numbers)
        return vd.Event()

    with vd.Context(backend="host", checked=True):
        yield launch


@pytest.fixture
def logged():
    """The messages that are logged."""
    said = []
    vd.set_log_callback(lambda level, text: said.append(text))
    yield said
    vd.set_log_callback(None)


def notified(waited):
    """Wait until an event or a future calls back."""
    called = threading.Event()
    waited.call_when_done(called.set)
    assert called.wait(10)


def raised_by(wait, times):
    """Whether each of several waits raises a failure of work."""

    def raises():
        try:
            wait()
        except vd.KernelError:
            return True
        return False

    return [raises() for _ in range(times)]


@vd.shader("x.size")
def doubled(x: Buff[f32]):
    i = vc.global_invocation_id().x
    x[i] = x[i] * 2


class TestParts:
    @pytest.mark.parametrize(
        "key",
        [
            np.s_[1:3],
            np.s_[2],
            np.s_[-1],
            np.s_[1, 2],
            np.s_[...],
            np.s_[:, 0],
            np.s_[::2],
            np.s_[1::2, ::3],
            np.s_[..., 5],
            np.s_[None, 2:],
            np.s_[1:2, 3:5],
            np.s_[np.int64(1)],
            np.s_[3:, 5:],
        ],
        ids=str,
    )
    def test_are_numpys(self, table, key):
        buffer, array = table
        part = buffer[key]
        assert part.shape == array[key].shape and part.size == array[key].size and part.nbytes == array[key].nbytes
        assert (part.read(0) == array[key]).all() and part.ndim == array[key].ndim
        assert (np.asarray(part) == array[key]).all()
        out = np.empty_like(np.ascontiguousarray(array[key]))
        assert part.read(0, out=out) is out and (out == array[key]).all()
        assert (part.copy().read(0) == array[key]).all()
        assert (part.read_async().result(10) == array[key]).all()
        part.write(array[key] + 100)
        array[key] += 100
        assert (buffer.read(0) == array).all()
        part.fill(-3)
        array[key] = -3
        assert (buffer.read(0) == array).all()
        part.write_async(np.full(array[key].shape, 8, np.float32)).result(10)
        array[key] = 8
        assert (buffer.read(0) == array).all()

    @settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(data=st.data())
    def test_random_parts_of_parts(self, host, data):
        shape = tuple(data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4)))
        dtype = data.draw(st.sampled_from([np.uint8, np.int16, np.float32, np.complex128]))
        array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
        part, other = vd.asbuffer(array), array
        for _ in range(2):
            key = []
            for n in other.shape:
                start = data.draw(st.integers(0, n - 1))
                key.append(slice(start, data.draw(st.integers(start + 1, n)), data.draw(st.integers(1, 3))))
            part, other = part[tuple(key)], other[tuple(key)]
        assert (part.read(0) == other).all()
        part[...] = np.ascontiguousarray(other) + np.ones((), dtype)
        assert (part.read(0) == other + np.ones((), dtype)).all()

    def test_of_vectors_have_their_axes(self, device):
        points = vd.Buffer((5, 4), vd.vec3)
        array = np.arange(60, dtype=np.float32).reshape(5, 4, 3)
        points.write(array)
        assert points[1:, ::2].shape == (4, 2)
        assert (points[1:, ::2].read(0) == array[1:, ::2]).all()
        points[:, 1] = np.ones((5, 3), np.float32)
        array[:, 1] = 1
        points[2].fill((1, 2, 3))
        array[2] = (1, 2, 3)
        points[:, 3].fill((4, 5, 6))
        array[:, 3] = (4, 5, 6)
        assert (points.read(0) == array).all()

    def test_are_copied_on_the_device(self, table):
        buffer, array = table
        buffer[:, 0] = buffer[:, 5]
        array[:, 0] = array[:, 5]
        buffer[0] = buffer[3]
        array[0] = array[3]
        buffer[1:3] = buffer[::3]
        array[1:3] = array[::3].copy()
        other = vd.zeros((2, 3))
        other.copy_from(buffer[::2, ::2])
        assert (buffer.read(0) == array).all() and (other.read(0) == array[::2, ::2]).all()

    def test_kernels_take_rows_at_any_element(self, table):
        buffer, array = table
        flat = buffer.ravel()
        for first, last in ((0, 8), (8, 12), (1, 4), (23, 24), (5, 22)):
            doubled(flat[first:last])
            array.reshape(-1)[first:last] *= 2
            assert (buffer.read(0) == array).all(), (first, last)

    def test_transforms_take_them(self, device):
        array = np.random.default_rng(3).standard_normal((5, 9)).astype(np.float32)
        lines = vd.zeros((5, 9), vd.complex64)
        lines.write((array + 1j * array[::-1]).astype(np.complex64))
        expected = np.fft.fft(lines.read(0)[3])
        vd.fft.fft(lines[3])
        assert np.allclose(lines.read(0)[3], expected, atol=1e-4)

    def test_kernels_see_a_views_shape(self, device):
        @vd.shader(1)
        def look(out: Buff[i32], a: Buff[f32]):
            shape = a.shape
            for i, n in enumerate((shape.x, shape.y, shape.z, shape.w)):
                out[i] = vc.to_int(n)

        out, a = vd.Buffer((4,), vd.int32), vd.Buffer((8, 16), vd.float32)
        look(out, a[2:4])
        assert tuple(out.read(0)) == a[2:4].shader_shape == (2, 16, 1, 32)
        look(out, a.reshape(2, 4, 16))
        assert tuple(out.read(0)) == (2, 4, 16, 128)

    @pytest.mark.parametrize(
        "key, error, words",
        [
            (np.s_[::-1], ValueError, "step \\(-1\\) is negative: kernels and copies count"),
            (np.s_[4], IndexError, "index \\(4\\) is outside axis 0 of 4 elements"),
            (np.s_[0, -7], IndexError, "axis 1 of 6"),
            (np.s_[0, 0, 0], IndexError, "3 indices for 2 axes"),
            (np.s_[..., ...], IndexError, "at most one"),
            (np.s_[2:2], ValueError, "no elements"),
            ([1, 2], TypeError, "read\\(\\)\\[...\\]"),
            (True, TypeError, "integers"),
            ("a", TypeError, "integers"),
            (1.5, TypeError, "integers"),
            (np.s_["a":], TypeError, "a slice is made of integers"),
            (np.s_[::0], ValueError, "zero"),
            ((None,) * 7, ValueError, "at most 8"),
        ],
        ids=str,
    )
    def test_bad_indices(self, table, key, error, words):
        for part in (table[0], table[0][:, ::2]):
            if key in (np.s_[0, -7],) and part is not table[0]:
                continue
            with pytest.raises(error, match=words):
                part[key]

    def test_bad_values(self, table):
        buffer, _ = table
        with pytest.raises(ValueError, match="12 bytes, the view 16"):
            buffer[:, 0] = np.zeros(3, np.float32)
        with pytest.raises(ValueError, match="8 bytes"):
            buffer[1] = np.zeros(2, np.float32)
        with pytest.warns(UserWarning, match="array of int32 goes into a view of float32"):
            buffer[:, 0] = np.zeros(4, np.int32)
        with pytest.raises(ValueError, match="shape \\(4,\\) of float32"):
            vd.zeros(3).copy_from(buffer[:, 0])
        with pytest.raises(TypeError, match="Buffer or a view"):
            buffer[:, 0].copy_from(3)
        with pytest.raises(ValueError, match="16 bytes|the view 16"):
            buffer[:, 0].read(0, out=np.empty(3, np.float32))
        with pytest.raises(ValueError, match="elements of int32"):
            buffer[:, 0].read(0, out=np.empty(4, np.int32))
        with pytest.raises(TypeError, match="x.copy\\(\\)"):
            doubled(buffer[:, 0])
        with pytest.raises(TypeError, match="'in' needs its contents"):
            assert 3 in buffer

    def test_live_as_long_as_their_memory(self, table):
        buffer, array = table
        row, column = buffer[1], buffer[:, 1]
        row.destroy()
        assert (buffer.read(0) == array).all()
        with pytest.raises(RuntimeError, match="destroyed"):
            row.read(0)
        row = buffer[2]
        del buffer, table
        gc.collect()
        assert (row.read(0) == array[2]).all() and row.base is not None
        row.base.destroy()
        for part in (row, column):
            with pytest.raises(RuntimeError, match="destroyed"):
                part.read(0)
        assert row.destroyed

    def test_of_each_queue(self, two_queues):
        buffer = vd.Buffer((4, 4), vd.float32)
        for queue in range(2):
            buffer.write(np.full((4, 4), queue, np.float32), queue)
        buffer[:, 1].fill(7, 1)
        buffer[:, 2] = np.full(4, 9, np.float32)
        columns = buffer[0].read()
        assert columns.tolist() == [[0, 0, 9, 0], [1, 7, 9, 1]]
        assert buffer[:, 1:3].read().shape == (2, 4, 2)


class TestViews:
    def test_reshape_and_retype(self, table):
        buffer, array = table
        assert (buffer.reshape(2, -1).read(0) == array.reshape(2, -1)).all()
        assert (buffer.reshape((3, 8)).read(0) == array.reshape(3, 8)).all()
        assert (buffer.view(vd.complex64).read(0) == array.view(np.complex64)).all()
        assert (buffer.view(np.uint8).read(0) == array.view(np.uint8)).all()
        assert (buffer.view(vd.vec2, shape=12).read(0) == array.reshape(12, 2)).all()
        assert (buffer.view(vd.int32).read(0) == array.view(np.int32)).all()
        assert (buffer.view(vd.complex64)[1:, 1].read(0) == array.view(np.complex64)[1:, 1]).all()

    def test_what_does_not_fit(self, table):
        buffer, _ = table
        with pytest.raises(ValueError, match="24 elements do not make the shape \\(5, -1\\)"):
            buffer.reshape(5, -1)
        with pytest.raises(ValueError, match="do not make"):
            buffer.reshape(-1, -1)
        with pytest.raises(ValueError, match="24 bytes of the last axis"):
            buffer.view(vd.vec4)
        with pytest.raises(ValueError, match="no whole number of elements of mat3"):
            buffer.view(vd.mat3, shape=2)
        with pytest.raises(TypeError, match="dtype must be a dtype"):
            buffer.view("nope")

    def test_kernels_that_need_more_alignment_say_so(self, device):
        @vd.shader("x.size")
        def cleared(x: Buff[vc.v4]):
            x[vc.global_invocation_id().x] = vc.to_dtype(vd.vec4, 0)

        flat = vd.zeros(40)
        cleared(flat[4:20].view(vd.vec4))
        with pytest.raises(ValueError, match="in a slice from byte 4 on is not a multiple of 16"):
            cleared(flat[1:17].view(vd.vec4))


class TestFill:
    @pytest.mark.parametrize(
        "name",
        [
            "uint8",
            "int16",
            "hvec3",
            "float32",
            "vec3",
            "complex64",
            "float64",
            "complex128",
            "dvec3",
            "dvec4",
            "mat3",
            "mat4",
        ],
    )
    def test_every_dtype(self, device, name):
        try:
            buffer = vd.Buffer((5, 3), getattr(vd, name))
        except vd.UnsupportedError:
            pytest.skip(f"no {name} here")
        buffer.fill(2)
        assert (buffer.read(0) == 2).all()
        buffer[1:, ::2].fill(3)
        assert buffer.read(0)[1:, ::2].min() == 3 and (buffer.read(0)[:, 1] == 2).all()

    def test_numbers_of_an_element(self, device):
        for dtype, value in ((vd.vec3, (1, 2, 3)), (vd.dvec4, [1, 2, 3, 4]), (vd.mat3, np.arange(9, dtype=np.float32))):
            buffer = vd.Buffer(70000, dtype)
            buffer.fill(value)
            assert (buffer.read(0).reshape(70000, -1) == np.asarray(value)).all()
        buffer = vd.Buffer(100000, vd.complex128)
        buffer.fill(1 + 2j)
        assert (buffer.read(0) == 1 + 2j).all()

    def test_wrong_values(self, host):
        with pytest.raises(TypeError, match="value must be a number \\(got \\[1, 2\\]\\)"):
            vd.zeros(3).fill([1, 2])
        with pytest.raises(TypeError, match="the 3 numbers of an element"):
            vd.Buffer(3, vd.vec3).fill((1, 2))
        with pytest.raises(TypeError):
            vd.zeros(3).fill("x")


class TestAsync:
    def test_reads_before_later_work(self, device):
        buffer = vd.zeros(1000)
        futures = []
        for turn in range(8):
            buffer.fill(turn)
            futures.append(buffer.read_async())
        for turn, future in enumerate(futures):
            got = future.result(10)
            assert (got == turn).all() and future.result() is got and future.done() and future.exception() is None
            got[0] = 5  # the array is the caller's
        assert "done" in repr(futures[0]) and future.event.done()

    def test_arrays_outlive_everything(self, device):
        future = vd.asbuffer(np.arange(5000, dtype=np.int32)).read_async()
        array = future.result(10)
        del future
        gc.collect()
        vd.destroy_context()
        assert array.sum() == 5000 * 4999 // 2

    def test_timeouts_are_numpys_numbers_too(self, host):
        for timeout in (np.float32(5), np.float64(5), np.int64(5), np.uint8(5), 10**400):
            assert vd.Event().wait(timeout) and vd.ones(4).read_async().result(timeout)[0] == 1
        for timeout in (True, np.True_, "5", 1j, np.complex64(1)):
            with pytest.raises(TypeError, match=r"Event\.wait: timeout \(.*\) must be a number of seconds"):
                vd.Event().wait(timeout)
        with pytest.raises(ValueError, match=r"timeout \(.*-1.*\) must be"):
            vd.Event().wait(np.int32(-1))

    @pytest.mark.own_context
    def test_delivered_results_outlive_the_context(self, host):
        context = vd.Context(backend="host")
        future, event = vd.ones(4, context=context).read_async(), vd.Event(context=context)
        array = future.result()
        assert event.wait()
        context.destroy()
        assert future.done() and future.result() is array and future.exception() is None and event.done()
        assert (
            event.wait(0) and event.elapsed >= 0 and repr(future) == "<Future, done>" and repr(event) == "<Event, done>"
        )

        async def awaited():
            return await future

        assert asyncio.run(awaited()) is array

    @pytest.mark.own_context
    def test_undelivered_results_end_with_the_context(self, host):
        context = vd.Context(backend="host")
        future, event = vd.ones(4, context=context).read_async(), vd.Event(context=context)
        context.destroy()
        assert repr(future) == "<Future, of a destroyed context>" and repr(event) == "<Event, of a destroyed context>"
        for use in (future.result, future.done, event.wait, event.done, lambda: event.call_when_done(print)):
            with pytest.raises(RuntimeError, match="context was destroyed"):
                use()

    def test_after_events(self, two_queues):
        one, two = vd.zeros(1 << 16), vd.zeros(1 << 16)
        sent = one.write_async(np.ones(1 << 16, np.float32), 0)
        again = two.write_async(np.full(1 << 16, 2, np.float32), 1, after=[sent, vd.Event(0)])
        got = two.read_async(1, after=again)
        assert (got.result(10) == 2).all() and sent.done() and again.result() is None
        assert one.write_async(b"\0\0\0\0", offset=3).result(10) is None
        assert one.read(0)[3] == 0 and one.read(0)[4] == 1

    def test_complex_halves(self, device):
        buffer = vd.Buffer(3, vd.complex32)
        buffer.write(np.arange(6, dtype=np.float16))
        assert buffer.read_async().result(10).tolist() == [1j, 2 + 3j, 4 + 5j]

    def test_without_numpy(self, host, monkeypatch):
        buffer = vd.asbuffer(np.arange(6, dtype=np.float32))
        monkeypatch.setattr(npc, "numpy_module", lambda: None)
        assert list(buffer[::2].read(0)) == [0, 2, 4] and list(buffer.read_async().result()) == [0, 1, 2, 3, 4, 5]

    def test_awaits(self, device):
        async def both():
            buffer = vd.zeros(64)
            first = buffer.read_async()
            await buffer.write_async(np.full(64, 3, np.float32))
            second, third = await asyncio.gather(wait_for(buffer.read_async()), wait_for(buffer[::2].read_async()))
            await vd.Event()
            return await first, second, third

        async def wait_for(future):
            return await future

        first, second, third = asyncio.run(both())
        assert (first == 0).all() and (second == 3).all() and third.shape == (32,)

    def test_many_awaits_at_a_time(self, device):
        buffers = [vd.full(100, i) for i in range(50)]

        async def total():
            async def one(buffer):
                return (await buffer.read_async()).sum()

            return sum(await asyncio.gather(*map(one, buffers)))

        assert asyncio.run(total()) == 100 * sum(range(50))

    def test_calls_when_done(self, device):
        called = threading.Event()
        vd.zeros(4).read_async().call_when_done(called.set)
        assert called.wait(10)
        again = threading.Event()
        vd.Event().call_when_done(again.set)
        assert again.wait(10)

    @pytest.mark.own_context
    @pytest.mark.parametrize("way", ["await", "wait_for", "polled", "twice", "called", "event", "map"])
    def test_every_way_to_wait_raises_the_failure(self, way):
        async def awaited(future):
            return await (asyncio.wait_for(future, 10) if way == "wait_for" else future)

        with vd.Context(backend="host", checked=True):
            out, event = vd.zeros(4), threading.Event()
            past_the_end(out, vd.ones(4))
            with pytest.raises(
                vd.KernelError, match=r"^(Event|Future\.result|Buffer\.\w+): kernel .*past_the_end.* index \(4\)"
            ):
                if way == "map":
                    out.map("r")
                elif way == "event":
                    done = vd.Event()
                    while not done.done():
                        time.sleep(0.001)
                    out.read(0)
                else:
                    future = out.read_async()
                    if way in ("polled", "twice"):
                        while not future.done():
                            time.sleep(0.001)
                    if way == "twice":
                        assert isinstance(future.exception(), vd.KernelError)
                    if way == "called":
                        future.call_when_done(event.set)
                        assert event.wait(10)
                    if way in ("await", "wait_for"):
                        asyncio.run(awaited(future))
                    future.result(10)
            assert out.read(0).size == 4  # reported once

    def test_a_failure_of_earlier_work_is_raised_once(self, failing):
        good, own = vd.ones(4), failing()
        future, later = good.read_async(), vd.Event()
        with pytest.raises(vd.KernelError, match=r"^Future\.result: kernel"):
            future.result(10)
        assert future.result(10).tolist() == [1] * 4 and later.wait(10)
        for _ in range(2):
            with pytest.raises(vd.KernelError, match=r"^Event\.wait: kernel"):
                own.wait(10)
        assert own.done() and later.done() and own.elapsed > 0

    def test_each_wait_raises_an_exception_of_its_own(self, failing):
        own = failing()
        future = vd.zeros(4).read_async()
        seen = future.exception(10)
        text = str(seen)
        raised = []
        for wait in (future.result, own.wait, own.wait):
            with pytest.raises(vd.KernelError) as caught:
                wait(10)
            raised.append(caught.value)
        assert text == str(seen) and len({id(error) for error in [seen, *raised]}) == 4
        names = [str(error).split(" kernel ")[0] for error in [seen, *raised]]
        assert names == ["Future.result:", "Future.result:", "Event.wait:", "Event.wait:"]
        assert future.exception() is None

    def test_a_failure_is_kept_until_result_raises_it(self, failing):
        failing()
        future = vd.zeros(4).read_async()
        assert isinstance(future.exception(10), vd.KernelError) and isinstance(future.exception(), vd.KernelError)
        vd.queue_wait_idle()  # exception() told it
        with pytest.raises(vd.KernelError):
            future.result()
        assert future.exception() is None and future.result().size == 4

    @pytest.mark.parametrize("running", [True, False])
    @pytest.mark.parametrize("dropped", [True, False])
    def test_a_failure_that_a_notification_took_is_not_lost(self, failing, running, dropped):
        earlier = vd.ones(4).read_async()
        failing(running)
        event = vd.Event()
        notified(event)
        assert earlier.result(10).tolist() == [1] * 4 and event.done()
        if dropped:
            del event
        assert raised_by(vd.queue_wait_idle, 3) == [True, False, False]
        if not dropped:
            assert raised_by(event.wait, 2) == [True, True]
        vd.queue_wait_idle()

    @pytest.mark.parametrize("running", [True, False])
    def test_a_failure_that_a_notification_took_is_raised_by_a_wait_for_later_work(self, failing, running):
        failing(running)
        notified(vd.Event())
        later = vd.ones(4).read_async()
        assert raised_by(later.result, 2) == [True, False] and later.result().tolist() == [1] * 4
        vd.queue_wait_idle()

    @pytest.mark.parametrize("running", [True, False])
    @pytest.mark.parametrize("waited", [True, False])
    def test_notifications_of_several_events_take_a_failure_once(self, failing, running, waited):
        first, second = failing(running), vd.Event()
        assert first.tickets == second.tickets
        calls = [threading.Event() for _ in range(4)]
        for event, call in zip((first, second, second, first), calls, strict=True):
            event.call_when_done(call.set)
        if waited:  # also while they are to come
            assert raised_by(first.wait, 2) == [True, True]
        assert all(call.wait(10) for call in calls)
        notified(vd.Event())
        assert raised_by(vd.queue_wait_idle, 3) == [not waited, False, False]
        assert raised_by(second.wait, 2) == [True, True]
        vd.queue_wait_idle()

    @pytest.mark.parametrize("running", [True, False])
    def test_a_wait_for_the_queue_raises_what_a_notification_is_to_take(self, failing, running):
        called = threading.Event()
        failing(running).call_when_done(called.set)
        assert raised_by(vd.queue_wait_idle, 1) == [True] and called.wait(10)
        assert raised_by(lambda: vd.queue_wait_idle(timeout=10), 2) == [False, False]

    @pytest.mark.parametrize("before", [True, False])
    @pytest.mark.parametrize("between", [notified, lambda event: vd.get_context().is_idle(), repr, None])
    def test_failures_in_equal_words_are_raised_each(self, failing, before, between):
        numbers, out = vd.ones(4), vd.zeros(4)
        for _ in range(3):
            past_the_end(out, numbers)
        event = vd.Event()
        while not event.done():
            time.sleep(0.001)
        if before:
            assert vd.get_context().is_idle()
        assert raised_by(event.wait, 1) == [True]
        if between is not None:
            between(event)
        assert raised_by(vd.queue_wait_idle, 4) == [True, True, False, False]

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    def test_every_call_is_made_beside_one_that_raises(self, failing):
        def fails():
            raise LookupError("of the program's own")

        event, called = failing(True), threading.Event()
        event.call_when_done(fails)
        event.call_when_done(called.set)
        assert called.wait(10) and raised_by(vd.queue_wait_idle, 2) == [True, False]

    def test_a_wait_in_a_call_is_refused_beside_one_that_is_to_come(self, failing):
        first, second = failing(True), failing()
        refused = threading.Event()

        def wait():
            with pytest.raises(vd.StateError, match=r"^Event\.wait: "):
                second.wait()
            refused.set()

        first.call_when_done(wait)
        notified(second)
        assert refused.is_set() and raised_by(vd.queue_wait_idle, 3) == [True, True, False]

    @pytest.mark.parametrize("own", [True, False])
    def test_an_event_that_raises_what_a_notification_took_ends_the_matter(self, failing, own):
        event = failing()
        if not own:
            vd.zeros(4)
            event = vd.Event()
        notified(event)
        for _ in range(2 if own else 1):
            with pytest.raises(vd.KernelError, match=r"^Event\.wait: kernel"):
                event.wait(10)
        notified(event)  # which is told of the event's own failure again
        vd.queue_wait_idle()
        assert own or event.wait(10)

    def test_each_event_raises_the_failure_that_its_notification_took(self, failing):
        futures = []
        for _ in range(2):
            failing(True)
            futures.append(vd.zeros(4).read_async())
            notified(futures[-1])
        for future in futures:
            with pytest.raises(vd.KernelError):
                future.result(10)
        vd.queue_wait_idle()

    def test_what_a_notification_took_is_logged_at_the_contexts_end(self, failing, logged):
        failing()
        notified(vd.Event())
        vd.get_context().destroy()
        assert sum('work failed while its context was closed: kernel "past_the_end"' in text for text in logged) == 1

    def test_repr_takes_no_failure(self, failing):
        own = failing()
        while not own.done():
            time.sleep(0.001)
        assert "1., 1." in repr(vd.ones(4))
        assert raised_by(own.wait, 2) == [True, True]
        vd.queue_wait_idle()

    def test_an_await_beside_a_failure_gets_its_result(self, failing):
        async def both():
            good = vd.ones(4).read_async()
            failing()
            bad = vd.zeros(4).read_async()
            while not bad.done():
                await asyncio.sleep(0)
            return await asyncio.gather(wait_for(bad), wait_for(good), return_exceptions=True)

        async def wait_for(future):
            called = asyncio.Event()
            loop = asyncio.get_running_loop()
            future.call_when_done(lambda: loop.call_soon_threadsafe(called.set))
            await called.wait()
            return await future

        bad, good = asyncio.run(both())
        assert isinstance(bad, vd.KernelError) and good.tolist() == [1] * 4
        vd.queue_wait_idle()

    def test_several_threads_get_one_result(self, device):
        entered, go = threading.Event(), threading.Event()

        def finish():
            entered.set()
            go.wait(10)
            return [7]

        future = Future(vd.Event(), finish)
        with ThreadPoolExecutor(1) as other:
            found = other.submit(future.result)
            assert entered.wait(10), found.exception(0)
            threading.Timer(0.05, go.set).start()
            assert future.result() == [7]
            assert found.result(10) is future.result()

    @pytest.mark.skipif(not _native.hot.EXTENSION, reason="the extension is not built")
    def test_the_interpreters_end_waits_until_calls_have_left_it(self, device, monkeypatch):
        left = []

        class Slow(threading.Condition):
            """Lets go of its lock, and leaves Python some time later."""

            def __exit__(self, *exception):
                super().__exit__(*exception)
                if threading.current_thread() is not threading.main_thread():
                    time.sleep(0.2)
                    left.append(threading.get_ident())

        monkeypatch.setattr(_notify, "_delivered", Slow())
        vd.Event().call_when_done(lambda: None)
        _notify._end()
        assert len(left) == 1

    def test_times_out_and_waits_on(self, host):
        @vd.shader(1)
        def slow(x: Buff[i32], turns: vc.Const[vc.i32]):
            with vc.while_block(x[0] < turns):
                x[0] = x[0] + 1

        x = vd.zeros(4, vd.int32)
        slow(x, turns=300000)
        future, event = x.read_async(), vd.Event()
        assert not future.done() and not event.wait(0) and not event.wait(timeout=0.001)
        with pytest.raises(TimeoutError, match="not done after 0.001 s"):
            future.result(0.001)
        assert future.result()[0] == 300000 and event.done()

    def test_wrong_arguments(self, device):
        buffer = vd.zeros(4)
        with pytest.raises(TypeError, match="after\\[1\\] must be a vd.Event"):
            buffer.read_async(after=[vd.Event(), 3])
        with pytest.raises(ValueError, match="queue index \\(1\\)"):
            buffer.read_async(1)
        with pytest.raises(ValueError, match="12 bytes"):
            buffer.write_async(np.zeros(3, np.float32))
        with pytest.raises(ValueError, match=r"Event: index \(7\) must be"):
            vd.Event(7)
        for timeout in (-1, "x", float("nan"), True):
            with pytest.raises(ValueError, match="timeout"):
                vd.Event().wait(timeout)
        buffer.destroy()
        for call in (buffer.read_async, lambda: buffer.write_async(b""), lambda: buffer[0], buffer.map, buffer.ravel):
            with pytest.raises(RuntimeError, match="destroyed"):
                call()

    def test_an_event_of_another_context(self, device):
        event = vd.Event()
        future = vd.zeros(4).read_async()
        vd.destroy_context()
        other = vd.zeros(4)
        for after in (event, [future]):
            with pytest.raises(ValueError, match="after\\[0\\] is an event of context") as caught:
                other.read_async(after=after)
            assert event.context.name in str(caught.value) and other.context.name in str(caught.value)
        with pytest.raises(RuntimeError, match="destroyed"):
            event.wait()


class TestMap:
    def test_both_ways(self, device):
        buffer = vd.Buffer((3, 4), vd.float32, host_visible=True)
        assert buffer.mappable
        array = np.arange(12, dtype=np.float32).reshape(3, 4)
        with buffer.map("w") as memory:
            assert memory.shape == (3, 4) and memory.dtype == np.float32
            memory[...] = array
        doubled(buffer)
        with buffer.map("r") as memory:
            assert (memory == 2 * array).all()
            with pytest.raises(ValueError, match="read-only"):
                memory[0, 0] = 1
        with buffer.map() as memory:
            memory += 1
        with buffer[1].map() as memory:
            assert (memory == 2 * array[1] + 1).all()
        assert (buffer.read(0) == 2 * array + 1).all()

    def test_a_block_of_an_ended_mapping_is_refused(self, device):
        buffer = vd.Buffer(8, vd.float32, host_visible=True)
        mapping = buffer.map("rw")
        with pytest.raises(vd.StateError):
            buffer.fill(2, index=0)  # it holds from map() on
        with mapping as memory:
            memory[:] = 3
        with pytest.raises(vd.StateError, match=r"Mapping: it was ended; Buffer.map\(\) makes another one"), mapping:
            pass
        buffer.fill(4, index=0)
        assert buffer.read(0)[0] == 4

    def test_copies_through_it(self, device):
        up, down, far = (vd.Buffer(10000, vd.int32, host_visible=h) for h in (True, True, False))
        for turn in range(5):
            with up.map("w") as memory:
                memory[:] = turn
            far.copy_from(up)
            down.copy_from(far)
            with down.map("r") as memory:
                assert (memory == turn).all()

    def test_work_that_conflicts_is_an_error(self, device):
        buffer, other = vd.Buffer(8, vd.float32, host_visible=True), vd.zeros(8)
        mapping = buffer.map("rw")
        assert isinstance(mapping, Mapping)
        for work in (
            lambda: doubled(buffer),
            lambda: buffer.read(0),
            lambda: buffer.write(np.zeros(8, np.float32)),
            lambda: buffer.fill(0),
            lambda: other.copy_from(buffer),
            lambda: buffer.map("r"),
            buffer.read_async,
        ):
            with pytest.raises(RuntimeError, match="conflict with a mapping that has not ended"):
                work()
        mapping.end()
        mapping.end()
        doubled(buffer)

    def test_the_memory_outlives_the_buffer(self, device):
        buffer = vd.Buffer(8, vd.float32, host_visible=True)
        with buffer.map("w") as memory:
            memory[:] = 3
        buffer.destroy()
        del buffer
        gc.collect()
        assert (memory == 3).all()
        memory[:] = 4  # of no use, and safe

    def test_wrong_arguments(self, device):
        buffer = vd.Buffer(8, vd.float32, host_visible=True)
        for mode in ("x", "", None, 3):
            with pytest.raises(ValueError, match="mode must be 'r', 'w' or 'rw'"):
                buffer.map(mode)
        with pytest.raises(ValueError, match="queue index"):
            buffer.map("r", index=5)

    def test_device_memory_says_so(self, device):
        buffer = vd.zeros(8)
        if buffer.mappable:
            with buffer.map("r") as memory:
                assert (memory == 0).all()
        else:
            with pytest.raises(vd.UnsupportedError, match="host_visible=True makes memory that it reaches"):
                buffer.map()

    def test_would_wait(self, host):
        @vd.shader(1)
        def slow(x: Buff[i32]):
            with vc.while_block(x[0] < 200000):
                x[0] = x[0] + 1

        x = vd.zeros(4, vd.int32)
        slow(x)
        with pytest.raises(RuntimeError, match="work in flight is in the way"):
            x.map("r", wait=False)
        with x.map("r") as memory:
            assert memory[0] == 200000

    def test_without_numpy(self, host, monkeypatch):
        buffer = vd.Buffer(4, vd.uint8)
        monkeypatch.setattr(npc, "numpy_module", lambda: None)
        with buffer.map("w") as memory:
            memory[:] = b"abcd"
        with buffer.map("r") as memory:
            assert bytes(memory) == b"abcd" and memory.readonly
