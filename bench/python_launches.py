"""The time of launches, graphs, transfers and a memory-bound kernel from Python, beside other libraries in the same
run.

    .venv/bin/python bench/python_launches.py [--backend cuda] [--quick] [--program build/release/bench/launch_cuda] [--old DIR]

Prints a line of JSON a case: microseconds, medians of rounds in which all take turns. Beside ours, where they are installed: CuPy's
RawKernel and torch with their CUDA graphs (backend cuda), pyopencl (opencl), and the raw API and this library in C: by --library
(build/release/bench/liblaunch_cuda.so) in this process and in turns with the others, since a host's clock is not the same for
long, or by --program in others. "above raw" is what ours takes more than the raw API. --old names a folder into which another vkdispatch was installed (pip install --target DIR "vkdispatch[cuda,opencl]==0.1.0": it
goes through cuda-python and pyopencl); it is timed in a process of its own, with few rounds, since a launch may take it hundreds of
microseconds.
Each gives the result of its kernels first, and they must agree.
"""

import argparse
import ctypes
import functools
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

TINY, LOCAL, WIDE = 64, 64, 256
SMALL = 1024  # floats of the small saxpy
SOURCE = """
extern "C" __global__ void tiny(float* y, const float* x, float a, float b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = y[i] * a + x[i] * b;
}
extern "C" __global__ void saxpy(float4* y, const float4* x, float a, float b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 p = y[i]; const float4 q = x[i];
  p.x = p.x * a + q.x * b; p.y = p.y * a + q.y * b; p.z = p.z * a + q.z * b; p.w = p.w * a + q.w * b;
  y[i] = p;
}
"""
CL_SOURCE = """
__kernel void tiny(__global float* y, __global const float* x, float a, float b) {
  const uint i = get_global_id(0);
  y[i] = y[i] * a + x[i] * b;
}
__kernel void saxpy(__global float4* y, __global const float4* x, float a, float b) {
  const uint i = get_global_id(0);
  y[i] = y[i] * a + x[i] * b;
}
"""


class Package:
    """vkdispatch: this one, or another under the same name."""

    def __init__(self, backend, floats, name="ours", device=None):
        os.environ["VKDISPATCH_BACKEND"] = backend
        import vkdispatch as vd
        import vkdispatch.codegen as vc
        from vkdispatch.codegen.abbreviations import Buff, Const, Var, f32, v4

        self.name, self.vd = name, vd
        vd.initialize(backend=backend)
        vd.make_context(**({} if device is None else {"device_ids": device}))

        @vd.shader(local_size=(LOCAL, 1, 1))
        def tiny(y: Buff[f32], x: Buff[f32], a: Const[f32], b: Const[f32]):
            i = vc.global_invocation_id().x
            y[i] = y[i] * a + x[i] * b

        @vd.shader(local_size=(WIDE, 1, 1))
        def saxpy(y: Buff[v4], x: Buff[v4], a: Const[f32], b: Const[f32]):
            i = vc.global_invocation_id().x
            y[i] = y[i] * a + x[i] * b

        @vd.shader(local_size=(LOCAL, 1, 1))
        def varied(y: Buff[f32], x: Buff[f32], a: Var[f32], b: Const[f32]):
            i = vc.global_invocation_id().x
            y[i] = y[i] * a + x[i] * b

        self.tiny_kernel, self.saxpy_kernel, self.varied_kernel = tiny, saxpy, varied
        self.y, self.x = vd.Buffer((TINY,), vd.float32), vd.Buffer((TINY,), vd.float32)
        self.vectors = floats // 4
        self.wide_y, self.wide_x = (vd.Buffer((self.vectors,), vd.vec4) for _ in range(2))
        self.device = getattr(vd.get_context().device_infos[0], "device_name", "")
        self.graph = None

    def launch(self):
        self.tiny_kernel(self.y, self.x, 0.5, 0.25, exec_size=TINY)

    def wait(self):
        self.vd.queue_wait_idle()

    def record(self, count):
        self.graph = self.vd.CommandGraph()
        for _ in range(count):
            self.tiny_kernel(self.y, self.x, 0.5, 0.25, exec_size=TINY, graph=self.graph)

    def replay(self):
        self.graph.submit()

    def record_instances(self, count):
        self.graph = self.vd.CommandGraph()
        for _ in range(count):
            self.varied_kernel(self.y, self.x, self.graph.bind_var("a"), 0.25, exec_size=TINY, graph=self.graph)

    def replay_instances(self, count):
        self.graph.set_var("a", np.linspace(0, 0.5, count, dtype=np.float32))
        self.graph.submit(instance_count=count)

    def saxpy(self):
        self.saxpy_kernel(self.wide_y, self.wide_x, 0.5, 0.25, exec_size=self.vectors)

    def small_saxpy(self):
        self.saxpy_kernel(self.wide_y, self.wide_x, 0.5, 0.25, exec_size=SMALL // 4)

    def upload(self, data):
        self.buffer = getattr(self, "buffer", None) or self.vd.Buffer((data.size,), self.vd.float32)
        self.buffer.write(data)
        self.wait()

    def download(self):
        return self.buffer.read(0)

    def check(self):
        self.y.write(np.arange(TINY, dtype=np.float32))
        self.x.write(np.full(TINY, 8, np.float32))
        self.launch()
        return np.asarray(self.y.read(0)).ravel()


class Cupy:
    """CuPy's RawKernel on a stream of its own, and its CUDA graphs."""

    name = "cupy"

    def __init__(self, floats):
        import cupy

        self.cupy = cupy
        module = cupy.RawModule(code=SOURCE)
        self.tiny_kernel, self.saxpy_kernel = module.get_function("tiny"), module.get_function("saxpy")
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        self.y, self.x = cupy.zeros(TINY, np.float32), cupy.zeros(TINY, np.float32)
        self.wide_y, self.wide_x = cupy.zeros(floats, np.float32), cupy.zeros(floats, np.float32)
        self.values = (np.float32(0.5), np.float32(0.25))
        self.groups = (floats // 4 // WIDE,)

    def launch(self):
        self.tiny_kernel((1,), (LOCAL,), (self.y, self.x, *self.values))

    def wait(self):
        self.stream.synchronize()

    def record(self, count):
        self.stream.begin_capture()
        for _ in range(count):
            self.launch()
        self.graph = self.stream.end_capture()

    def replay(self):
        self.graph.launch(self.stream)

    def saxpy(self):
        self.saxpy_kernel(self.groups, (WIDE,), (self.wide_y, self.wide_x, *self.values))

    def small_saxpy(self):
        self.saxpy_kernel((SMALL // 4 // WIDE,), (WIDE,), (self.wide_y, self.wide_x, *self.values))

    def upload(self, data):
        self.buffer = getattr(self, "buffer", None)
        if self.buffer is None:
            self.buffer = self.cupy.empty(data.size, np.float32)
        self.buffer.set(data)
        self.wait()

    def download(self):
        return self.buffer.get()

    def check(self):
        self.y.set(np.arange(TINY, dtype=np.float32))
        self.x.set(np.full(TINY, 8, np.float32))
        self.launch()
        return self.y.get()


class Torch:
    """torch's fused multiply and add of two tensors, eagerly and in a CUDA graph."""

    name = "torch"

    def __init__(self, floats):
        import torch

        self.torch = torch
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        self.y, self.x = torch.zeros(TINY, device="cuda"), torch.zeros(TINY, device="cuda")
        self.wide_y, self.wide_x = torch.zeros(floats, device="cuda"), torch.zeros(floats, device="cuda")
        self.small_y, self.small_x = self.wide_y[:SMALL], self.wide_x[:SMALL]

    def launch(self):
        self.torch.add(self.x, self.y, alpha=0.5, out=self.y)  # one kernel: x + 0.5 y

    def wait(self):
        self.stream.synchronize()

    def record(self, count):
        self.graph = self.torch.cuda.CUDAGraph()
        self.wait()
        with self.torch.cuda.graph(self.graph, stream=self.stream):
            for _ in range(count):
                self.launch()

    def replay(self):
        self.graph.replay()

    def saxpy(self):
        self.torch.add(self.wide_x, self.wide_y, alpha=0.5, out=self.wide_y)

    def small_saxpy(self):
        self.torch.add(self.small_x, self.small_y, alpha=0.5, out=self.small_y)

    def upload(self, data):
        host = self.torch.from_numpy(data)
        self.buffer = getattr(self, "buffer", None)
        if self.buffer is None:
            self.buffer = self.torch.empty(data.size, device="cuda")
        self.buffer.copy_(host)
        self.wait()

    def download(self):
        return self.buffer.cpu().numpy()

    def check(self):
        self.y.copy_(self.torch.arange(TINY))
        self.x.fill_(2)
        self.launch()
        return self.y.cpu().numpy()


class PyOpenCl:
    """pyopencl on the device of that name."""

    name = "pyopencl"

    def __init__(self, floats, device):
        import pyopencl as cl

        self.cl = cl
        devices = [d for p in cl.get_platforms() for d in p.get_devices() if d.name.strip("\0 ") == device]
        self.context = cl.Context(devices[:1])
        self.queue = cl.CommandQueue(self.context)
        program = cl.Program(self.context, CL_SOURCE).build()
        self.tiny_kernel, self.saxpy_kernel = program.tiny, program.saxpy
        flags = cl.mem_flags.READ_WRITE
        self.y, self.x = (cl.Buffer(self.context, flags, TINY * 4) for _ in range(2))
        self.wide_y, self.wide_x = (cl.Buffer(self.context, flags, floats * 4) for _ in range(2))
        self.values = (np.float32(0.5), np.float32(0.25))
        self.tiny_kernel.set_args(self.y, self.x, *self.values)
        self.saxpy_kernel.set_args(self.wide_y, self.wide_x, *self.values)
        self.threads = floats // 4
        self.count = 1

    def launch(self):
        self.tiny_kernel(self.queue, (TINY,), (LOCAL,), self.y, self.x, *self.values)

    def wait(self):
        self.queue.finish()

    def record(self, count):
        self.count = count  # nothing to record into: the kernel with its arguments set

    def replay(self):
        for _ in range(self.count):
            self.cl.enqueue_nd_range_kernel(self.queue, self.tiny_kernel, (TINY,), (LOCAL,))

    def saxpy(self):
        self.cl.enqueue_nd_range_kernel(self.queue, self.saxpy_kernel, (self.threads,), (WIDE,))

    def small_saxpy(self):
        self.cl.enqueue_nd_range_kernel(self.queue, self.saxpy_kernel, (SMALL // 4,), (WIDE,))

    def upload(self, data):
        self.size = data.size
        self.buffer = getattr(self, "buffer", None) or self.cl.Buffer(
            self.context, self.cl.mem_flags.READ_WRITE, data.nbytes
        )
        self.cl.enqueue_copy(self.queue, self.buffer, data)
        self.wait()

    def download(self):
        data = np.empty(self.size, np.float32)
        self.cl.enqueue_copy(self.queue, data, self.buffer)
        return data

    def check(self):
        self.cl.enqueue_copy(self.queue, self.y, np.arange(TINY, dtype=np.float32))
        self.cl.enqueue_copy(self.queue, self.x, np.full(TINY, 8, np.float32))
        self.launch()
        got = np.empty(TINY, np.float32)
        self.cl.enqueue_copy(self.queue, got, self.y)
        return got


class InC:
    """The raw API and this library from C, in this process: a benchmark built as a library (bench/launch_library.h)."""

    def __init__(self, path, floats):
        self.library = ctypes.CDLL(str(path))
        self.library.launch_measure.restype = ctypes.c_double
        self.library.launch_ways.restype = ctypes.c_char_p
        if self.library.launch_open(ctypes.c_uint64(floats)):
            raise RuntimeError(f"{path} cannot be opened")
        self.ways = self.library.launch_ways().decode().split("\n")

    def of(self, kind):
        """(column, measure(count)) of each way of a kind of case; a column may come several times."""
        for way in self.ways:
            side, _, rest = way.partition(" ")
            if rest.startswith(kind):
                yield f"{side} C", functools.partial(self.library.launch_measure, way.encode())

    def record(self, count):
        self.library.launch_record(count)


def timed(body, wait, count, until_done):
    """Microseconds of each of `count` calls, until the last returned or is done."""
    begin = time.perf_counter()
    for _ in range(count):
        body()
    end = time.perf_counter()
    wait()
    return ((time.perf_counter() if until_done else end) - begin) / count * 1e6


def latency(peer, count):
    begin = time.perf_counter()
    for _ in range(count):
        peer.launch()
        peer.wait()
    return (time.perf_counter() - begin) / count * 1e6


def cases(peers, quick, data):
    """(name, kind and number of calls in C, measure(peer), prepare(peer))"""
    steady = 1000 if quick else 10_000
    nothing = lambda peer: None
    none = ("none", 0)
    yield "burst of 256, host", ("burst", 256), lambda p: timed(p.launch, p.wait, 256, False), nothing
    yield f"{steady} until done", ("steady", steady), lambda p: timed(p.launch, p.wait, steady, True), nothing
    yield "launch and wait", ("latency", 100), lambda p: latency(p, 100), nothing
    for n in (1, 10, 100, 1000):
        replay = lambda p, n=n: timed(p.replay, p.wait, 1, True) / n
        yield f"graph of {n}, each", ("graph", n), replay, lambda p, n=n: p.record(n)
    replay_instances = lambda p: timed(lambda: p.replay_instances(1000), p.wait, 1, True) / 10_000
    yield "1000 instances of 10, each", none, replay_instances, lambda p: p.record_instances(10)
    yield "saxpy", ("saxpy", 20), lambda p: timed(p.saxpy, p.wait, 20, True), nothing
    yield f"small saxpy, {SMALL} floats", ("small", 256), lambda p: timed(p.small_saxpy, p.wait, 256, True), nothing
    yield f"{data.nbytes >> 20} MiB up", none, lambda p: timed(lambda: p.upload(data), no_wait, 1, True), nothing
    yield f"{data.nbytes >> 20} MiB down", none, lambda p: timed(p.download, no_wait, 1, True), nothing


def no_wait():
    pass


def warm_up(peer, quick):
    """A tenth of a second of large kernels, so that the device's clock is up."""
    end = time.perf_counter() + (0.01 if quick else 0.1)
    while time.perf_counter() < end:
        peer.saxpy()
        peer.wait()


def others(backend, floats, device):
    """The rivals that are installed."""
    found = []
    kinds = {"cuda": (Cupy, Torch), "opencl": (lambda f: PyOpenCl(f, device),)}.get(backend, ())
    for kind in kinds:
        try:
            found.append(kind(floats))
        except Exception as error:  # noqa: BLE001
            print(f"python_launches: {kind!r} is left out: {error}", file=sys.stderr)
    return found


def from_program(program, quick):
    """Cases of the raw API in C, which are the same by name, and of this library from C: medians of three processes."""
    found = {"raw C": {}, "ours C": {}}
    for _ in range(1 if quick else 3):
        done = subprocess.run([str(program), "--quick", "--rounds", "7"], check=True, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            entry = json.loads(line)
            case = entry["case"].removeprefix("cuda ").replace("10,000", "10000").replace("1,000", "1000")
            ways = [v for k, v in entry.items() if k.startswith("raw") and not k.endswith("_least")]
            if "until done" in case or "each" in case or case in ("burst of 256, host", "launch and wait"):
                found["raw C"].setdefault(case, []).append(min(ways))
                found["ours C"].setdefault(case, []).append(entry["ours"])
    return {name: {case: statistics.median(times) for case, times in of.items()} for name, of in found.items()}


def from_other(arguments, folder):
    """Another vkdispatch, by this script in a process of its own. Where it fails or takes too long, what came before counts."""
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"}
    rounds = str(min(arguments.rounds, 3))
    command = [sys.executable, __file__, "--backend", arguments.backend, "--name", "old", "--rounds", rounds]
    command += ["--cases", arguments.old_cases]
    if arguments.device is not None:
        command += ["--device", str(arguments.device)]
    process = subprocess.Popen(
        command + ["--quick"] * arguments.quick,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        output, errors = process.communicate(timeout=arguments.old_time)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        errors += f"\nstopped after {arguments.old_time} s"
    if process.returncode:
        print(f"python_launches: the other vkdispatch ended early:\n{errors[-1500:]}", file=sys.stderr)
    lines = [line for line in output.splitlines() if line.startswith("{") and line.endswith("}")]
    return {entry["case"]: entry["old"] for entry in map(json.loads, lines) if "old" in entry}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--device", type=int, help="which of the backend's; else the first GPU")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--launches", action="store_true", help="without saxpy and transfers")
    parser.add_argument("--cases", default="", help="those alone that begin so")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--program", type=Path)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--old", type=Path)
    parser.add_argument("--old-cases", default="", help="those of --old's cases alone that begin so")
    parser.add_argument("--old-time", type=float, default=120, help="seconds that --old may take")
    parser.add_argument("--name", default="ours", help=argparse.SUPPRESS)
    arguments = parser.parse_args()

    floats = 1 << (20 if arguments.quick else 28)
    data = np.ones((16 if arguments.quick else 256) << 18, np.float32)
    ours = Package(arguments.backend, floats, arguments.name, arguments.device)
    extra = {}
    if arguments.program and not arguments.library:
        extra |= from_program(arguments.program, arguments.quick)
    if arguments.old:
        extra["old"] = from_other(arguments, arguments.old)
    peers = [ours, *(others(arguments.backend, floats, ours.device) if arguments.name == "ours" else [])]
    for peer in peers:
        np.testing.assert_allclose(peer.check(), np.arange(TINY) * 0.5 + 2, err_msg=peer.name)

    in_c = InC(arguments.library, floats) if arguments.library else None
    columns = [peer.name for peer in peers] + (["raw C", "ours C"] if in_c else list(extra))
    columns += ["above raw"] * ("raw C" in columns)
    print(f"{ours.device}\n{'case (us)':24}" + "".join(f"{c:>12}" for c in columns), file=sys.stderr)
    for case, (kind, count), measure, prepare in cases(peers, arguments.quick, data):
        if not case.startswith(arguments.cases) or (arguments.launches and ("saxpy" in case or "MiB" in case)):
            continue
        times = {peer.name: [] for peer in peers}
        ways = list(in_c.of(kind)) if in_c else []
        times_in_c = [[] for _ in ways]
        if ways and kind == "graph":
            in_c.record(count)
        # A short graph many times in a row: a single one, after the others' rounds, would measure cold caches.
        turns = max(1, 50 // count) if kind == "graph" else 1
        failed = set()
        for peer in peers:
            try:
                prepare(peer)
                peer.wait()
                measure(peer)
                peer.wait()
            except Exception as error:  # noqa: BLE001
                print(f"python_launches: {peer.name} has no '{case}': {error}", file=sys.stderr)
                failed.add(peer.name)
        warm_up(ours, arguments.quick)
        # Rounds that do not count, until the host's clock is up too: a thread that waits for large kernels sleeps.
        counted_from = time.perf_counter() + (0.01 if arguments.quick else 0.1)
        counted = 0
        while counted < arguments.rounds:
            counts = time.perf_counter() >= counted_from
            counted += counts
            for peer in peers:
                if peer.name not in failed:
                    # OpenCL's peers have a context each, and the device takes 140 us to change over to another.
                    peer.launch()
                    peer.wait()
                    took = [measure(peer) for _ in range(turns)]
                    if counts:
                        times[peer.name].append(statistics.mean(took))
            for way, (_, measure_in_c) in enumerate(ways):
                took = [measure_in_c(count) for _ in range(turns)]
                if counts:
                    times_in_c[way].append(statistics.mean(took))
        entry = {"case": case, "backend": arguments.backend, "device": ours.device}
        entry |= {name: round(statistics.median(t), 3) for name, t in times.items() if t}
        entry |= {name: round(found[case], 3) for name, found in extra.items() if case in found}
        for (column, _), t in zip(ways, times_in_c, strict=True):  # of several ways the best
            entry[column] = min(entry.get(column, math.inf), round(statistics.median(t), 3))
        if "raw C" in entry and "ours" in entry:
            entry["above raw"] = round(entry["ours"] - entry["raw C"], 3)
        print(json.dumps(entry), flush=True)
        cells = "".join(f"{entry[c]:12.3f}" if c in entry else f"{'-':>12}" for c in columns)
        print(f"{case:24}{cells}", file=sys.stderr)


if __name__ == "__main__":
    main()
