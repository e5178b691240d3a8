"""Costs of programs of Kompute on Vulkan by `vkdispatch.kp`, beside the same by hand in C, in one process and in turns.

    .venv/bin/python bench/kp.py [--device 0] [--evals 10000] [--quick] [--only dispatches eval transfer calls manager tensors]

Prints a line of JSON a case: `ours` and `raw` in the unit that the case names, medians of rounds in which both take turns, and their
ratio or difference with its goal. Raw Vulkan waits by spinning and by blocking; the better of both counts. Each side's numbers are
checked.
"""

import argparse
import ctypes
import gc
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from vkdispatch import kp

SEQUENCES, DISPATCHES, ELEMENTS, LOCAL = 10, 10, 102_400, 512
TRANSFER = 64 << 20  # bytes
TENSORS = 20_000
NO_CONSTANTS = np.array([], np.uint32)  # beside an array, push constants are taken as bytes
WAYS = {"block": 0, "spin": 1}  # raw_wait
SOURCE = """
#version 450
layout(local_size_x = 512) in;
layout(set = 0, binding = 0) buffer Y { float y[]; };
layout(set = 0, binding = 1) readonly buffer X { float x[]; };
layout(push_constant) uniform Values { float a, b; uint count; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] = y[i] * a + b + 0.0 * x[i];
}
"""


class RawValues(ctypes.Structure):
    """raw_values of bench/launch/raw_vulkan.h."""

    _fields_ = (("a", ctypes.c_float), ("b", ctypes.c_float), ("count", ctypes.c_uint32))


class Raw:
    """Vulkan by hand in C: bench/launch/raw_vulkan.h."""

    def __init__(self, library: Path, device: int):
        self.c = ctypes.CDLL(str(library))
        for name in ("open", "kernel_create", "graph_create", "round_trip_create"):
            getattr(self.c, f"raw_{name}").restype = ctypes.c_void_p
        self.c.raw_replay.restype = ctypes.c_double
        self.device = ctypes.c_void_p(self.c.raw_open(device))

    def kernel(self, words: bytes, size: int) -> ctypes.c_void_p:
        return ctypes.c_void_p(
            self.c.raw_kernel_create(self.device, words, ctypes.c_uint64(len(words)), ctypes.c_uint64(size))
        )

    def graph(self, kernel: ctypes.c_void_p, elements: int, dispatches: int) -> int:
        return self.c.raw_graph_create(
            kernel, RawValues(1, 1, elements), groups_of(elements), ctypes.c_uint32(dispatches), WAYS["block"]
        )

    def round_trip(self, kernel: ctypes.c_void_p, elements: int) -> tuple[int, np.ndarray]:
        """A recorded way there and back, and its numbers on the host."""
        memory = ctypes.c_void_p()
        made = self.c.raw_round_trip_create(
            kernel, RawValues(1, 1, elements), groups_of(elements), ctypes.c_uint32(1), ctypes.byref(memory)
        )
        return made, np.ctypeslib.as_array(ctypes.cast(memory, ctypes.POINTER(ctypes.c_float)), (elements,))

    def replay(self, graphs: list[int], turns: int, way: str) -> float:
        """Seconds."""
        handles = (ctypes.c_void_p * len(graphs))(*graphs)
        return self.c.raw_replay(handles, len(graphs), turns, WAYS[way])

    def seconds_to_open(self, device: int) -> float:
        begin = time.perf_counter()
        made = ctypes.c_void_p(self.c.raw_open(device))
        passed = time.perf_counter() - begin
        self.c.raw_close(made)
        return passed


def groups_of(elements: int) -> int:
    return (elements + LOCAL - 1) // LOCAL


def push(elements: int) -> np.ndarray:
    """The push constants as words: a is 1, b is 1."""
    return np.array([np.float32(1).view(np.uint32), np.float32(1).view(np.uint32), elements], np.uint32)


class Bench:
    def __init__(self, asked: argparse.Namespace):
        self.asked = asked
        self.rounds = 3 if asked.quick else 11
        self.manager = kp.Manager(asked.device)
        self.words = kp.Shader.compile_source(SOURCE)
        self.raw = Raw(asked.library, asked.device)
        print(json.dumps({"device": self.manager.get_device_properties()["device_name"]}))

    def algorithm(self, elements: int) -> tuple[kp.Tensor, kp.Algorithm]:
        y, x = self.manager.tensor(np.zeros(elements)), self.manager.tensor(np.zeros(elements))
        self.manager.sequence().eval(kp.OpSyncDevice([y, x]))
        return y, self.manager.algorithm([y, x], self.words, (groups_of(elements), 1, 1), NO_CONSTANTS, push(elements))

    def check(self, tensor: kp.Tensor, want: float) -> None:
        self.manager.sequence().eval(kp.OpSyncLocal([tensor]))
        same(tensor.data(), want)

    def in_turns(self, ours, raw_ways: dict) -> tuple[float, dict[str, float]]:
        """Medians of rounds in which ours and each raw way take turns."""
        ours(), [way() for way in raw_ways.values()]
        mine, theirs = [], {name: [] for name in raw_ways}
        for _ in range(self.rounds):
            mine.append(ours())
            for name, way in raw_ways.items():
                theirs[name].append(way())
        return statistics.median(mine), {name: statistics.median(times) for name, times in theirs.items()}

    def show(self, case: str, unit: str, ours: float, raw: dict[str, float], scale: float, **more) -> None:
        best = min(raw.values())
        line = {"case": case, "unit": unit, "ours": round(ours * scale, 3)}
        line |= {f"raw {name}": round(value * scale, 3) for name, value in raw.items()}
        print(json.dumps(line | {"ratio": round(ours / best, 3)} | more), flush=True)

    # ---- Cases

    def dispatches(self) -> None:
        """10 sequences of 10 dispatches, each evaluated so often."""
        evals = self.asked.evals // (10 if self.asked.quick else 1) // self.rounds + 1
        pairs = [self.algorithm(ELEMENTS) for _ in range(SEQUENCES)]
        sequences = []
        for _, algorithm in pairs:
            sequence = self.manager.sequence()
            for _ in range(DISPATCHES):
                sequence.record(kp.OpAlgoDispatch(algorithm))
            sequences.append(sequence)
        kernels = [self.raw.kernel(self.words, ELEMENTS * 4) for _ in range(SEQUENCES)]
        graphs = [self.raw.graph(kernel, ELEMENTS, DISPATCHES) for kernel in kernels]
        evaluated = 0

        def ours() -> float:
            nonlocal evaluated
            begin = time.perf_counter()
            for _ in range(evals):
                for sequence in sequences:
                    sequence.eval()
            evaluated += evals
            return time.perf_counter() - begin

        mine, theirs = self.in_turns(ours, {way: lambda way=way: self.raw.replay(graphs, evals, way) for way in WAYS})
        for tensor, _ in pairs:
            self.check(tensor, evaluated * DISPATCHES)
        count = evals * SEQUENCES * DISPATCHES
        rate = count / mine
        self.show(
            f"{SEQUENCES * DISPATCHES * self.asked.evals:,} dispatches",
            "us each",
            mine,
            theirs,
            1e6 / count,
            goal=1.2,
            dispatches_a_second=round(rate),
        )

    def eval(self) -> None:
        """A recorded sequence of one small dispatch, and the wait for it."""
        turns = 200 if self.asked.quick else 2000
        tensor, algorithm = self.algorithm(LOCAL)
        sequence = self.manager.sequence().record(kp.OpAlgoDispatch(algorithm))
        graph = self.raw.graph(self.raw.kernel(self.words, LOCAL * 4), LOCAL, 1)
        evaluated = 0

        def ours() -> float:
            nonlocal evaluated
            begin = time.perf_counter()
            for _ in range(turns):
                sequence.eval()
            evaluated += turns
            return (time.perf_counter() - begin) / turns

        mine, theirs = self.in_turns(
            ours, {way: lambda way=way: self.raw.replay([graph], turns, way) / turns for way in WAYS}
        )
        self.check(tensor, evaluated)
        above = mine - min(theirs.values())
        self.show("eval and wait", "us", mine, theirs, 1e6, above_raw=round(above * 1e6, 3), goal_above_raw=4)

    def transfer(self) -> None:
        """64 MiB up, a dispatch, down."""
        elements = TRANSFER // 4
        tensor, algorithm = self.algorithm(elements)
        sequence = self.manager.sequence().record(kp.OpSyncDevice([tensor])).record(kp.OpAlgoDispatch(algorithm))
        sequence.record(kp.OpSyncLocal([tensor]))
        graph, memory = self.raw.round_trip(self.raw.kernel(self.words, TRANSFER), elements)
        memory[:] = tensor.data()[:] = 0
        turns = 0

        def ours() -> float:
            nonlocal turns
            turns += 1
            begin = time.perf_counter()
            sequence.eval()
            return time.perf_counter() - begin

        mine, theirs = self.in_turns(ours, {"block": lambda: self.raw.replay([graph], 1, "block")})
        same(tensor.data(), turns)
        same(memory, turns)
        self.show("64 MiB up, dispatched, down", "ms", mine, theirs, 1e3, goal=round(1 / 0.9, 3))

    def calls(self) -> None:
        """Costs of calls on the host."""
        turns = 300 if self.asked.quick else 3000
        _y, algorithm = self.algorithm(LOCAL)
        tensors, sizes = algorithm.get_mem_objects(), push(LOCAL)
        ops = [kp.OpAlgoDispatch(algorithm) for _ in range(turns)]
        records, algorithms = [], []
        for _ in range(self.rounds):
            sequence = self.manager.sequence()
            begin = time.perf_counter()
            for op in ops:
                sequence.record(op)
            records.append((time.perf_counter() - begin) / turns)
            sequence.clear()
            begin = time.perf_counter()
            made = [
                self.manager.algorithm(tensors, self.words, (1, 1, 1), NO_CONSTANTS, sizes) for _ in range(turns // 10)
            ]
            algorithms.append((time.perf_counter() - begin) / len(made))
        print(json.dumps({"case": "record", "unit": "us", "ours": us(records), "goal": 2}))
        print(json.dumps({"case": "algorithm of a known shader", "unit": "us", "ours": us(algorithms), "goal": 50}))

    def open_manager(self) -> None:
        def ours() -> float:
            begin = time.perf_counter()
            manager = kp.Manager(self.asked.device)
            passed = time.perf_counter() - begin
            manager.destroy()
            return passed

        mine, theirs = self.in_turns(ours, {"open": lambda: self.raw.seconds_to_open(self.asked.device)})
        self.show("Manager()", "ms", mine, theirs, 1e3, goal=1.3)

    def tensors(self) -> None:
        """Memory of 20,000 tensors of 256 numbers."""
        size = 256
        data = np.ones(size, np.float32)
        gc.collect()
        before = resident()
        begin = time.perf_counter()
        kept = [self.manager.tensor_t(data) for _ in range(TENSORS)]
        passed = time.perf_counter() - begin
        self.manager.sequence().eval(kp.OpSyncDevice(kept))
        grown = (resident() - before) / TENSORS
        for tensor in kept[:: TENSORS // 10]:
            same(tensor.data(), 1)
        line = {"case": f"{TENSORS:,} tensors of {size * 4} bytes", "unit": "bytes each"}
        print(json.dumps(line | {"ours": round(grown), "us_to_make": round(passed / TENSORS * 1e6, 1)}))


def us(seconds: list[float]) -> float:
    return round(statistics.median(seconds) * 1e6, 3)


def same(numbers: np.ndarray, want: float) -> None:
    if not (numbers == np.float32(want)).all():
        raise SystemExit(f"wrong: {numbers[:4]}, not {want}")


def resident() -> int:
    """Bytes of main memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    cases = ("dispatches", "eval", "transfer", "calls", "manager", "tensors")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--evals", type=int, default=10_000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=cases, default=cases)
    parser.add_argument("--library", type=Path, default=root / "build/release/bench/libraw_vulkan.so")
    bench = Bench(parser.parse_args())
    for case in bench.asked.only:
        getattr(bench, "open_manager" if case == "manager" else case)()
    return 0


if __name__ == "__main__":
    sys.exit(main())
