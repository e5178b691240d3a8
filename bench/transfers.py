"""Transfers between the host and a device, beside CuPy's: rates of pageable and mapped memory, and of pieces that stream.

    .venv/bin/python bench/transfers.py [--backend cuda] [--size 256] [--pieces 64] [--piece 16] [--turns 5] [--only NAME]

Ours and CuPy's run in turns, in one process; results are checked in every row. Sizes are in MiB. Without CuPy ours are printed alone.
A line of JSON is a row: GB/s of the median turn, and our rate divided by CuPy's.

up, down          a pageable array written, and read into an array that was used before; on Vulkan beside ours on CUDA, too:
                  `of_cuda` is our time divided by that
down_new          a read into a new array each time; `touch_ms` is how long as many threads take to touch as many new pages,
                  and `allowed` the time of `down` and of the touching together, divided by ours: at least 1 is the aim
mapped_up,        host-visible memory that is mapped, written by its first word alone, unmapped and copied to the device, and
mapped_down       back; CuPy copies from and to pinned memory
stream            pieces go up, through a kernel and down, on three queues; CuPy has three streams and pinned memory. The host
                  writes a word of each piece before, and reads one of each behind: where the device keeps host-visible memory
                  for itself, its bytes travel then. `given_ms` is how long the host took to give all work
"""

import argparse
import json
import os
import statistics
import threading
import time

import numpy as np
import vkdispatch as vd
from vkdispatch._native import enums, raw
from vkdispatch.backends.backend_selection import BACKEND_NUMBERS

MIB = 1 << 20
QUEUES = 3
#: Threads that copy to and from the library's staging memory.
COPIERS = min(4, max(1, (os.cpu_count() or 1) // 2))
KERNEL = """kernel "step" workgroup_size 256 1 1
argument 0 buffer f32 "x"
{
  %0: u32 = index global_id, u32 0
  %1: storage f32 = index @0, %0
  %2: f32 = load %1
  %3: f32 = mul %2, f32 2
  %4: f32 = add %3, f32 1
  store %1, %4
}
"""


def cupy_or_none():
    """CuPy, where it is installed and has a device."""
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except (ImportError, RuntimeError):  # CuPy's errors of the driver are RuntimeErrors
        return None
    return cupy


def seconds(turns: int, *runs) -> list[float | None]:
    """The median time of a turn of each, one after the other; the first one is not counted. None for what is None."""
    times = [[] for _ in runs]
    for _ in range(turns + 1):
        for run, taken in zip(runs, times, strict=True):
            if run is None:
                continue
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
    return [statistics.median(taken[1:]) if taken else None for taken in times]


def context_of_cuda():
    """A context of ours on CUDA beside one on Vulkan, where there is a device."""
    try:
        return vd.Context(backend="cuda") if vd.get_backend() == "vulkan" else None
    except ImportError:  # no driver, or no device
        return None


def row(name: str, nbytes: int, ours: float, theirs: float | None, **more) -> None:
    """Print a row."""
    said = {"case": name, "backend": vd.get_backend(), "MiB": nbytes // MIB, "GB_s": round(nbytes / ours / 1e9, 3)}
    if theirs is not None:
        said |= {"cupy_GB_s": round(nbytes / theirs / 1e9, 3), "ratio": round(theirs / ours, 3)}
    print(json.dumps(said | more), flush=True)


def touch(nbytes: int) -> None:
    """Touch each page of a new array, by as many threads as copy."""
    pages = np.empty(nbytes, np.uint8)
    part = -(-nbytes // COPIERS)

    def work(begin: int) -> None:
        pages[begin : begin + part : 4096] = 1

    threads = [threading.Thread(target=work, args=(i * part,)) for i in range(COPIERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def pinned(cupy, count: int) -> np.ndarray:
    """CuPy's pinned memory as an array of float32."""
    memory = cupy.cuda.alloc_pinned_memory(count * 4)
    return np.frombuffer(memory, np.float32, count)


def pageable(cupy, nbytes: int, turns: int) -> None:
    """The rows up, down and down_new."""
    source = np.random.default_rng(0).random(nbytes // 4, np.float32)
    buffer, used = vd.Buffer(source.shape, vd.float32), np.zeros_like(source)
    theirs = cupy.empty(source.shape, cupy.float32) if cupy else None
    kept = []

    cuda = context_of_cuda()
    on_cuda = vd.Buffer(source.shape, vd.float32, context=cuda) if cuda else None

    def up(buffer=buffer):
        buffer.write(source)
        vd.queue_wait_idle(context=buffer.context)

    def their_up():
        theirs.set(source)
        cupy.cuda.get_current_stream().synchronize()

    def down_new():
        kept[:] = [buffer.read(0)]

    def their_down_new():
        kept[:] = [theirs.get()]

    def beside_cuda(ours, on_cuda):
        return {"of_cuda": round(ours / on_cuda, 3)} if on_cuda else {}

    ours, their, other = seconds(turns, up, cupy and their_up, cuda and (lambda: up(on_cuda)))
    row("up", nbytes, ours, their, **beside_cuda(ours, other))
    ours, their, other = seconds(
        turns,
        lambda: buffer.read(0, out=used),
        cupy and (lambda: theirs.get(out=used)),
        cuda and (lambda: on_cuda.read(out=used)),
    )
    row("down", nbytes, ours, their, **beside_cuda(ours, other))
    assert (used == source).all()
    down = ours
    ours, touching, their = seconds(turns, down_new, lambda: touch(nbytes), cupy and their_down_new)
    assert (kept[0] == source).all()
    row("down_new", nbytes, ours, their, touch_ms=round(touching * 1e3, 2), allowed=round((down + touching) / ours, 3))


def mapped(cupy, nbytes: int, turns: int) -> None:
    """The rows mapped_up and mapped_down."""
    shape = nbytes // 4
    host, far = vd.Buffer(shape, vd.float32, host_visible=True), vd.Buffer(shape, vd.float32)
    back = vd.Buffer(shape, vd.float32, host_visible=True)
    source = np.random.default_rng(1).random(shape, np.float32)
    with host.map("w") as array:
        array[:] = source
    theirs = cupy.empty(shape, cupy.float32) if cupy else None
    their_source = pinned(cupy, shape) if cupy else source
    if cupy:
        their_source[:] = source
    count = 0

    def up():
        nonlocal count
        count += 1
        with host.map("w") as array:
            array[0] = count
        far.copy_from(host)
        vd.queue_wait_idle()

    def their_up():
        theirs.set(their_source)
        cupy.cuda.get_current_stream().synchronize()

    def down():
        back.copy_from(far)
        with back.map("r") as array:
            assert array[0] == count

    row("mapped_up", nbytes, *seconds(turns, up, cupy and their_up))
    row("mapped_down", nbytes, *seconds(turns, down, cupy and (lambda: theirs.get(out=their_source))))
    with back.map("r") as array:
        assert (array[1:] == source[1:]).all()


class OurStream:
    """Pieces on three queues of a context of their own, by the C API: the package has one queue on CUDA."""

    def __init__(self, pieces: int, nbytes: int):
        queues = min(QUEUES, raw.vd_device_get_info(BACKEND_NUMBERS[vd.get_backend()], 0).queue_count)
        desc = raw.vd_context_desc(
            backend=BACKEND_NUMBERS[vd.get_backend()], flags=enums.VD_CONTEXT_USE_CPU, device_count=1,
            queue_counts=[queues],
        )  # fmt: skip
        self.context = raw.vd_context_create(desc)
        self.queues = raw.vd_context_get_info(self.context).queue_count
        self.pieces, self.nbytes = pieces, nbytes
        self.turn, self.given = 0, 0.0
        host = raw.vd_buffer_desc(size=pieces * nbytes, flags=enums.VD_BUFFER_HOST)
        self.host_in, self.host_out = (raw.vd_buffer_create(self.context, host) for _ in range(2))
        device = raw.vd_buffer_desc(size=nbytes)
        self.slots = [raw.vd_buffer_create(self.context, device) for _ in range(self.queues)]
        kernel = raw.vd_kernel_parse(KERNEL)
        self.plan = raw.vd_plan_create(self.context, raw.vd_plan_desc(kernel=kernel))
        self.launches = []
        for queue, slot in enumerate(self.slots):
            binding = raw.vd_binding(buffer=slot, size=enums.VD_WHOLE_SIZE)
            self.launches.append(
                raw.vd_launch_desc(queue=queue, invocations=[nbytes // 4, 1, 1], bindings=binding, binding_count=1)
            )

    def array(self, buffer, flags):
        """The mapping of a host buffer, and its array."""
        _, mapping = raw.vd_buffer_map(buffer, 0, enums.VD_WHOLE_SIZE, flags, 0)
        info = raw.vd_mapping_get_info(mapping)
        memory = vd._native._memory.memory_at(info.data, info.size, mapping)
        return mapping, np.frombuffer(memory, np.float32)

    def run(self) -> None:
        self.turn += 1
        mapping, array = self.array(self.host_in, enums.VD_MAP_WRITE)
        array[:: self.nbytes // 4] = self.turn
        raw.vd_mapping_end(mapping)
        start = time.perf_counter()
        for piece in range(self.pieces):
            queue, at = piece % self.queues, piece * self.nbytes
            raw.vd_buffer_copy(self.host_in, at, self.slots[queue], 0, self.nbytes, queue)
            raw.vd_plan_launch(self.plan, self.launches[queue])
            raw.vd_buffer_copy(self.slots[queue], 0, self.host_out, at, self.nbytes, queue)
        self.given = time.perf_counter() - start
        raw.vd_context_wait_idle(self.context, enums.VD_QUEUE_ALL, enums.VD_WAIT_FOREVER)
        mapping, array = self.array(self.host_out, enums.VD_MAP_READ)
        assert (array[:: self.nbytes // 4] == 2 * self.turn + 1).all()
        raw.vd_mapping_end(mapping)


def stream(cupy, pieces: int, nbytes: int, turns: int) -> None:
    """The row stream."""
    ours = OurStream(pieces, nbytes)
    source = np.random.default_rng(2).random(pieces * nbytes // 4, np.float32)
    mapping, array = ours.array(ours.host_in, enums.VD_MAP_WRITE)
    array[:] = source
    raw.vd_mapping_end(mapping)
    run = None
    if cupy:
        kernel = cupy.RawKernel('extern "C" __global__ void step(float* x) { x[blockIdx.x * 256 + threadIdx.x] = '
                                "x[blockIdx.x * 256 + threadIdx.x] * 2 + 1; }", "step")  # fmt: skip
        count = nbytes // 4
        host_in, host_out = pinned(cupy, pieces * count), pinned(cupy, pieces * count)
        host_in[:] = source
        streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(QUEUES)]
        slots = [cupy.empty(count, cupy.float32) for _ in range(QUEUES)]

        turn = 0

        def run():
            nonlocal turn
            turn += 1
            host_in[::count] = turn
            for piece in range(pieces):
                at, slot = slice(piece * count, (piece + 1) * count), slots[piece % QUEUES]
                with streams[piece % QUEUES] as on:
                    slot.set(host_in[at], stream=on)
                    kernel((count // 256,), (256,), (slot,))
                    slot.get(out=host_out[at], stream=on, blocking=False)
            for one in streams:
                one.synchronize()
            assert (host_out[::count] == 2 * turn + 1).all()

    time_of_ours, theirs = seconds(turns, ours.run, run)
    mapping, array = ours.array(ours.host_out, enums.VD_MAP_READ)
    source[:: nbytes // 4] = ours.turn
    expected = source * np.float32(2) + np.float32(1)
    assert np.allclose(array, expected)
    raw.vd_mapping_end(mapping)
    if cupy:
        expected[::count] = 2 * turn + 1
        assert np.allclose(host_out, expected)
    given = round(ours.given * 1e3, 2)
    row("stream", pieces * nbytes, time_of_ours, theirs, pieces=pieces, queues=ours.queues, given_ms=given)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--pieces", type=int, default=64)
    parser.add_argument("--piece", type=int, default=16)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--queues", type=int, default=1, help="of the context of all rows but stream")
    parser.add_argument("--only", choices=["pageable", "mapped", "stream"])
    arguments = parser.parse_args()
    vd.initialize(backend=arguments.backend)
    vd.make_context(use_cpu=True, queue_counts=arguments.queues if arguments.queues > 1 else None)
    cupy = cupy_or_none()
    if arguments.only in (None, "pageable"):
        pageable(cupy, arguments.size * MIB, arguments.turns)
    if arguments.only in (None, "mapped"):
        mapped(cupy, arguments.size * MIB, arguments.turns)
    if arguments.only in (None, "stream"):
        stream(cupy, arguments.pieces, arguments.piece * MIB, arguments.turns)


if __name__ == "__main__":
    main()
