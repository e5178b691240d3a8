"""Other libraries with the programs of bench/kp.py: CuPy's CUDA graphs, and another vkdispatch's graphs.

bench/kp.py uses both; it runs this file in a process of its own for another vkdispatch, whose name is the same:

    PYTHONPATH=DIR python bench/kp_peers.py --backend vulkan --device 0 --evals 90 --turns 200

prints a line of JSON for each case with the seconds of an eval of its sequences, medians of rounds. Numbers are checked.
"""

import argparse
import json
import os
import statistics
import sys
import time

import numpy as np

SEQUENCES, DISPATCHES, ELEMENTS, LOCAL = 10, 10, 102_400, 512
TRANSFER = 64 << 20  # bytes
CUDA_SOURCE = """
extern "C" __global__ void add(float* y, const float* x, float a, float b, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = y[i] * a + b + 0.0f * x[i];
}
"""


def same(numbers, want: float) -> None:
    if not (np.asarray(numbers) == np.float32(want)).all():
        raise ArithmeticError(f"wrong: {np.asarray(numbers).ravel()[:4]}, not {want}")


class Peer:
    """A library's recordings of so many dispatches of y = y + 1, each on arrays of its own."""

    def seconds(self, recordings: list, turns: int) -> float:
        """Seconds in which each recording runs so often, with a wait after each run."""
        begin = time.perf_counter()
        for _ in range(turns):
            for recording in recordings:
                self.run(recording)
        return time.perf_counter() - begin

    def round_trip(self, recording, data) -> float:
        """Seconds of data's way up, a run and the way down."""
        begin = time.perf_counter()
        self.put(recording, data)
        self.run(recording)
        found = self.get(recording)
        passed = time.perf_counter() - begin
        same(found, data.ravel()[0] + 1)
        return passed


class Cupy(Peer):
    """CuPy's RawKernel in CUDA graphs. Data travels from and to pinned memory."""

    name = "cupy"

    def __init__(self, device: int = 0):
        import cupy

        self.cupy = cupy
        cupy.cuda.Device(device).use()
        self.kernel = cupy.RawModule(code=CUDA_SOURCE).get_function("add")
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        self.pinned = {}

    def record(self, elements: int, dispatches: int):
        y, x = (self.cupy.zeros(elements, np.float32) for _ in range(2))
        self.stream.synchronize()
        self.stream.begin_capture()
        for _ in range(dispatches):
            values = (y, x, np.float32(1), np.float32(1), np.uint32(elements))
            self.kernel(((elements + LOCAL - 1) // LOCAL,), (LOCAL,), values)
        return self.stream.end_capture(), y

    def run(self, recording) -> None:
        recording[0].launch(self.stream)
        self.stream.synchronize()

    def _pinned(self, size: int):
        if size not in self.pinned:
            memory = self.cupy.cuda.alloc_pinned_memory(4 * size)
            self.pinned[size] = np.frombuffer(memory, np.float32, size)
        return self.pinned[size]

    def put(self, recording, data) -> None:
        recording[1].set(data)

    def get(self, recording):
        out = self._pinned(recording[1].size)
        recording[1].get(out=out)
        self.stream.synchronize()
        return out


class Package(Peer):
    """A vkdispatch by names that every one of its versions has."""

    name = "old"

    def __init__(self, backend: str, device: int = 0):
        os.environ["VKDISPATCH_BACKEND"] = backend
        import vkdispatch as vd
        import vkdispatch.codegen as vc
        from vkdispatch.codegen.abbreviations import Buff, Const, f32

        self.vd = vd
        vd.initialize(backend=backend)
        vd.make_context(device_ids=[device])

        @vd.shader(local_size=(LOCAL, 1, 1))
        def add(y: Buff[f32], x: Buff[f32], a: Const[f32], b: Const[f32]):
            i = vc.global_invocation_id().x
            y[i] = y[i] * a + b + x[i] * 0.0

        self.kernel = add

    def record(self, elements: int, dispatches: int):
        y, x = (self.vd.Buffer((elements,), self.vd.float32) for _ in range(2))
        for buffer in (y, x):
            buffer.write(np.zeros(elements, np.float32))
        graph = self.vd.CommandGraph()
        for _ in range(dispatches):
            self.kernel(y, x, 1.0, 1.0, exec_size=elements, graph=graph)
        return graph, y

    def run(self, recording) -> None:
        recording[0].submit()
        self.vd.queue_wait_idle()

    def put(self, recording, data) -> None:
        recording[1].write(data)

    def get(self, recording):
        return recording[1].read(0)


class Cases:
    """The cases of bench/kp.py for a peer: each gives seconds, and its check asks for the numbers that the runs have left."""

    def __init__(self, peer: Peer):
        self.peer = peer
        self.many = [peer.record(ELEMENTS, DISPATCHES) for _ in range(SEQUENCES)]
        self.small = peer.record(LOCAL, 1)
        self.large = peer.record(TRANSFER // 4, 1)
        self.data = np.zeros(TRANSFER // 4, np.float32)
        self.many_runs = self.small_runs = 0

    def dispatches(self, evals: int) -> float:
        self.many_runs += evals
        return self.peer.seconds(self.many, evals)

    def eval(self, turns: int) -> float:
        self.small_runs += turns
        return self.peer.seconds([self.small], turns)

    def transfer(self) -> float:
        self.data += 1
        return self.peer.round_trip(self.large, self.data)

    def check_dispatches(self) -> None:
        for recording in self.many:
            same(self.peer.get(recording), self.many_runs * DISPATCHES)

    def check_eval(self) -> None:
        same(self.peer.get(self.small), self.small_runs)

    def check_transfer(self) -> None:
        same(self.peer.get(self.large), self.data[0] + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend", default="vulkan")
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--evals", type=int, default=30)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    cases = Cases(Package(asked.backend, asked.device))
    for name, run in (
        ("dispatches", lambda: cases.dispatches(asked.evals) / asked.evals),
        ("eval", lambda: cases.eval(asked.turns) / asked.turns),
        ("transfer", cases.transfer),
    ):
        run()
        seconds = statistics.median(run() for _ in range(asked.rounds))
        getattr(cases, f"check_{name}")()
        print(json.dumps({"case": name, "seconds": seconds}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
