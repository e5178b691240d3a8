"""Costs of programs of Kompute by `vkdispatch.kp`, beside the same by hand in C (Vulkan) or by CuPy (CUDA), in one process
and in turns.

    .venv/bin/python bench/kp.py [--backend vulkan] [--device 0] [--evals 10000] [--quick] [--old DIR] [--seconds 150]
        [--only dispatches eval transfer calls manager tensors]

Prints a line of JSON a case: `ours` and the others in the unit that the case names, medians of rounds in which all take turns,
and their ratio or difference with its goal, and whether it is `met`. Raw Vulkan waits by spinning and by blocking; the better of
both counts. Each side's numbers are checked. A case or a peer that fails says why, and the others go on.

--old names a folder into which another vkdispatch was installed: its graphs are timed first, in a process of their own. It runs
only this way:

    pip install --target DIR --no-deps vkdispatch==0.1.0 vkdispatch-core==0.1.0 vkdispatch-vulkan-native==0.1.0
    rm -r DIR/*.dist-info && strip --strip-unneeded DIR/*.so    # 5 MB instead of 63, for a machine without network

--seconds is the most that the rounds take in all; on a slow device each case has fewer and shorter ones.
"""

import argparse
import ctypes
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from kp_peers import DISPATCHES, ELEMENTS, LOCAL, SEQUENCES, TRANSFER, Cases, Cupy, same
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32

TENSORS = 20_000
# Parts of --seconds that the rounds of a case may take.
SHARES = {"old": 0.25, "dispatches": 0.4, "eval": 0.1, "transfer": 0.1, "manager": 0.05}
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


@vd.shader(local_size=(LOCAL, 1, 1))
def add(y: Buff[f32], x: Buff[f32], a: Const[f32], b: Const[f32], count: Const[u32]):
    i = vc.global_invocation_id().x
    with vc.if_block(i < count):
        y[i] = y[i] * a + b + x[i] * 0.0


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

    def read(self, kernel: ctypes.c_void_p, elements: int) -> np.ndarray:
        """The numbers that the kernel's runs have left."""
        found = np.empty(elements, np.float32)
        self.c.raw_kernel_read(kernel, ctypes.c_void_p(found.ctypes.data))
        return found

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


class Rounds:
    """Rounds in which ours and other ways take turns. `counts` has the times that each way was called."""

    def __init__(self, most: int, seconds: float):
        self.most, self.seconds = most, seconds
        self.counts: dict[str, int] = {}

    def run(self, ours, others: dict) -> tuple[float, dict[str, float]]:
        """The medians; a way that fails is left out, and says why."""
        ways, times = {"ours": ours, **others}, {}
        begin = time.perf_counter()
        for number in range(self.most + 1):  # the first is not counted
            if number > 1 and time.perf_counter() - begin > self.seconds:
                break
            for name in list(ways):
                try:
                    passed = ways[name]()
                except Exception as error:
                    if name == "ours":
                        raise
                    tell(name, error)
                    del ways[name]
                    times.pop(name, None)
                    continue
                self.counts[name] = self.counts.get(name, 0) + 1
                times.setdefault(name, []).extend([passed] * (number > 0))
        medians = {name: statistics.median(passed) for name, passed in times.items()}
        return medians.pop("ours"), medians


def tell(what: str, error: BaseException) -> None:
    """A line for what is left out."""
    print(json.dumps({"left_out": what, "why": f"{type(error).__name__}: {error}"[:300]}), flush=True)


class Bench:
    def __init__(self, asked: argparse.Namespace):
        self.asked = asked
        self.rounds = 3 if asked.quick else 11
        self.old = seconds_of_old(asked, self.evals) if asked.old else {}
        self.manager = self.open()
        vulkan = self.manager.backend == "vulkan"
        # SPIR-V where it runs, as Kompute's programs have it; else a kernel of the package's.
        self.code = kp.Shader.compile_source(SOURCE) if vulkan else add
        self.raw = Raw(asked.library, asked.device) if vulkan else None
        self.cupy = None
        if self.manager.backend == "cuda":
            try:
                self.cupy = Cases(Cupy(asked.device))
            except Exception as error:  # noqa: BLE001 - the others go on
                tell("cupy", error)
        print(json.dumps({"device": self.manager.get_device_properties()["device_name"]}))

    def open(self) -> kp.Manager:
        return kp.Manager(self.asked.device, backend=self.asked.backend)

    @property
    def evals(self) -> int:
        """The evals of a round, of each sequence."""
        return self.asked.evals // (10 if self.asked.quick else 1) // self.rounds + 1

    def algorithm(self, elements: int) -> tuple[kp.Tensor, kp.Algorithm]:
        y, x = self.manager.tensor(np.zeros(elements)), self.manager.tensor(np.zeros(elements))
        self.manager.sequence().eval(kp.OpSyncDevice([y, x]))
        return y, self.manager.algorithm([y, x], self.code, (groups_of(elements), 1, 1), NO_CONSTANTS, push(elements))

    def check(self, tensor: kp.Tensor, want: float) -> None:
        self.manager.sequence().eval(kp.OpSyncLocal([tensor]))
        same(tensor.data(), want)

    def in_turns(self, case: str, ours, others: dict) -> tuple[float, dict[str, float], dict[str, int]]:
        """Medians of rounds in which ours and each other way take turns, and the runs of each."""
        rounds = Rounds(self.rounds, self.asked.seconds * SHARES[case])
        mine, theirs = rounds.run(ours, others)
        return mine, theirs, rounds.counts

    def turns_for(self, case: str, most: int, once, ways: int) -> int:
        """The turns of a round, so that the rounds of all ways keep within the case's time."""
        once()
        begin = time.perf_counter()
        once()
        passed = time.perf_counter() - begin
        return max(1, min(most, int(self.asked.seconds * SHARES[case] / (passed * ways * (self.rounds + 1)))))

    def check_peers(self, theirs: dict[str, float], checks: dict) -> dict[str, float]:
        """The times of those whose numbers are right."""
        right = dict(theirs)
        for name, check in checks.items():
            try:
                check()
            except Exception as error:  # noqa: BLE001 - the others go on
                tell(name, error)
                for key in [key for key in right if key.startswith(name)]:
                    del right[key]
        return right

    def show(self, case: str, unit: str, ours: float, others: dict[str, float], scale: float, **more) -> None:
        """A line; the ratio is to the fastest way beside ours, and times_old to the other vkdispatch's.

        Of `more`, a goal is the most that a ratio or a difference may be, and goal_times_old the least.
        """
        line = {"case": case, "unit": unit, "ours": round(ours * scale, 3)}
        line |= {name: round(value * scale, 3) for name, value in others.items()}
        best = min((value for name, value in others.items() if name != "old"), default=None)
        if best is not None:
            line["ratio"] = round(ours / best, 3)
        if "old" in others:
            line["times_old"] = round(others["old"] / ours, 2)
        line |= more
        pairs = (("ratio", "goal"), ("above_raw", "goal_above_raw"))
        met = [line[value] <= line[goal] for value, goal in pairs if value in line and goal in line]
        met += [line["times_old"] >= line["goal_times_old"]] if "times_old" in line and "goal_times_old" in line else []
        print(json.dumps(line | ({"met": all(met)} if met else {})), flush=True)

    def by_old(self, case: str, turns: int = 1) -> dict[str, float]:
        """The time of the other vkdispatch, where it came so far."""
        return {"old": self.old[case] * turns} if case in self.old else {}

    # ---- Cases

    def dispatches(self) -> None:
        """10 sequences of 10 dispatches, each evaluated so often."""
        pairs = [self.algorithm(ELEMENTS) for _ in range(SEQUENCES)]
        sequences = []
        for _, algorithm in pairs:
            sequence = self.manager.sequence()
            for _ in range(DISPATCHES):
                sequence.record(kp.OpAlgoDispatch(algorithm))
            sequences.append(sequence)
        evaluated = 0

        def ours(turns: int) -> float:
            nonlocal evaluated
            begin = time.perf_counter()
            for _ in range(turns):
                for sequence in sequences:
                    sequence.eval()
            evaluated += turns
            return time.perf_counter() - begin

        evals = self.turns_for("dispatches", self.evals, lambda: ours(1), 1 + len(WAYS))
        others, checks, counts = {}, {}, {}
        if self.raw is not None:
            kernels = [self.raw.kernel(self.code, ELEMENTS * 4) for _ in range(SEQUENCES)]
            graphs = [self.raw.graph(kernel, ELEMENTS, DISPATCHES) for kernel in kernels]
            others |= {f"raw {way}": lambda way=way: self.raw.replay(graphs, evals, way) for way in WAYS}

            def check_raw() -> None:
                runs = sum(counts.get(f"raw {way}", 0) for way in WAYS)
                for kernel in kernels:
                    same(self.raw.read(kernel, ELEMENTS), runs * evals * DISPATCHES)

            checks["raw"] = check_raw
        if self.cupy is not None:
            others["cupy"] = lambda: self.cupy.dispatches(evals)
            checks["cupy"] = self.cupy.check_dispatches
        mine, theirs, counts = self.in_turns("dispatches", lambda: ours(evals), others)
        for tensor, _ in pairs:
            self.check(tensor, evaluated * DISPATCHES)
        theirs = self.check_peers(theirs, checks)
        count = evals * SEQUENCES * DISPATCHES
        self.show(
            f"{SEQUENCES * DISPATCHES * self.asked.evals:,} dispatches",
            "us each",
            mine,
            theirs | self.by_old("dispatches", evals),
            1e6 / count,
            goal=1.2,
            goal_times_old=2.5,
            dispatches_run=evaluated * SEQUENCES * DISPATCHES,
            dispatches_a_second=round(count / mine),
        )

    def eval(self) -> None:
        """A recorded sequence of one small dispatch, and the wait for it."""
        tensor, algorithm = self.algorithm(LOCAL)
        sequence = self.manager.sequence().record(kp.OpAlgoDispatch(algorithm))
        evaluated = 0

        def ours(turns: int) -> float:
            nonlocal evaluated
            begin = time.perf_counter()
            for _ in range(turns):
                sequence.eval()
            evaluated += turns
            return (time.perf_counter() - begin) / turns

        most = 200 if self.asked.quick else 2000
        turns = self.turns_for("eval", most, lambda: ours(1), 1 + len(WAYS))
        others, checks, counts = {}, {}, {}
        if self.raw is not None:
            kernel = self.raw.kernel(self.code, LOCAL * 4)
            graph = self.raw.graph(kernel, LOCAL, 1)
            others |= {f"raw {way}": lambda way=way: self.raw.replay([graph], turns, way) / turns for way in WAYS}
            checks["raw"] = lambda: same(
                self.raw.read(kernel, LOCAL), turns * sum(counts.get(f"raw {way}", 0) for way in WAYS)
            )
        if self.cupy is not None:
            others["cupy"] = lambda: self.cupy.eval(turns) / turns
            checks["cupy"] = self.cupy.check_eval
        mine, theirs, counts = self.in_turns("eval", lambda: ours(turns), others)
        self.check(tensor, evaluated)
        theirs = self.check_peers(theirs, checks)
        raw = [value for name, value in theirs.items() if name.startswith("raw")]
        above = {"above_raw": round((mine - min(raw)) * 1e6, 3), "goal_above_raw": 4} if raw else {}
        theirs |= self.by_old("eval")
        self.show("eval and wait", "us", mine, theirs, 1e6, **above)

    def transfer(self) -> None:
        """64 MiB up, a dispatch, down."""
        elements = TRANSFER // 4
        tensor, algorithm = self.algorithm(elements)
        sequence = self.manager.sequence().record(kp.OpSyncDevice([tensor])).record(kp.OpAlgoDispatch(algorithm))
        sequence.record(kp.OpSyncLocal([tensor]))
        tensor.data()[:] = 0
        others, checks, counts = {}, {}, {}
        if self.raw is not None:
            graph, memory = self.raw.round_trip(self.raw.kernel(self.code, TRANSFER), elements)
            memory[:] = 0
            others["raw block"] = lambda: self.raw.replay([graph], 1, "block")
            checks["raw"] = lambda: same(memory, counts["raw block"])
        if self.cupy is not None:
            others["cupy"] = self.cupy.transfer  # which checks
        turns = 0

        def ours() -> float:
            nonlocal turns
            turns += 1
            begin = time.perf_counter()
            sequence.eval()
            return time.perf_counter() - begin

        mine, theirs, counts = self.in_turns("transfer", ours, others)
        same(tensor.data(), turns)
        theirs = self.check_peers(theirs, checks) | self.by_old("transfer")
        goals = {"goal": round(1 / 0.9, 3), "goal_times_old": 2}
        self.show("64 MiB up, dispatched, down", "ms", mine, theirs, 1e3, **goals)

    def calls(self) -> None:
        """Costs of calls on the host."""
        turns = 100  # so few that a busy machine rarely takes the processor away meanwhile
        tensor, algorithm = self.algorithm(LOCAL)
        tensors, sizes = algorithm.get_mem_objects(), push(LOCAL)
        ops = [kp.OpAlgoDispatch(algorithm) for _ in range(turns)]
        records, algorithms = [], []
        for _ in range(30 if self.asked.quick else 300):
            sequence = self.manager.sequence()
            begin = time.perf_counter()
            for op in ops:
                sequence.record(op)
            records.append((time.perf_counter() - begin) / turns)
            sequence.clear()
            begin = time.perf_counter()
            made = [
                self.manager.algorithm(tensors, self.code, (1, 1, 1), NO_CONSTANTS, sizes) for _ in range(turns // 10)
            ]
            algorithms.append((time.perf_counter() - begin) / len(made))
        self.manager.sequence().record(ops[0]).record(kp.OpAlgoDispatch(made[-1])).eval()
        self.check(tensor, 2)  # what was recorded runs
        for case, times, goal in (("record", records, 2), ("algorithm of a known shader", algorithms, 50)):
            taken = us(times)
            print(
                json.dumps({"case": case, "unit": "us", "ours": taken, "goal": goal, "met": taken <= goal}), flush=True
            )

    def open_manager(self) -> None:
        def ours() -> float:
            begin = time.perf_counter()
            manager = self.open()
            passed = time.perf_counter() - begin
            manager.destroy()
            return passed

        raw = self.raw
        others = {} if raw is None else {"raw open": lambda: raw.seconds_to_open(self.asked.device)}
        mine, theirs, _ = self.in_turns("manager", ours, others)
        self.show("Manager()", "ms", mine, theirs, 1e3, goal=1.3)

    def tensors(self) -> None:
        """Memory of 20,000 tensors of 256 numbers: of the process, of the device, and of the mirrors.

        On a driver that is the CPU's, the process's has the other two in it.
        """
        size = 256
        data = np.ones(size, np.float32)
        in_use = self.manager.context.memory_in_use
        gc.collect()
        before, before_in_use = resident(), in_use()
        begin = time.perf_counter()
        kept = [self.manager.tensor_t(data) for _ in range(TENSORS)]
        passed = time.perf_counter() - begin
        self.manager.sequence().eval(kp.OpSyncDevice(kept))
        grown, both = ((now - then) / TENSORS for now, then in ((resident(), before), (in_use(), before_in_use)))
        for tensor in kept[:: TENSORS // 10]:
            same(tensor.data(), 1)
        before_in_use = in_use()
        without_mirrors = [self.manager.tensor_empty(size) for _ in range(TENSORS)]
        device = (in_use() - before_in_use) / len(without_mirrors)
        line = {"case": f"{TENSORS:,} tensors of {size * 4} bytes", "unit": "bytes each"}
        line |= {"ours": round(grown), "device": round(device), "mirror": round(both - device)}
        print(json.dumps(line | {"us_to_make": round(passed / TENSORS * 1e6, 1)}))


def us(seconds: list[float]) -> float:
    return round(statistics.median(seconds) * 1e6, 3)


def seconds_of_old(asked: argparse.Namespace, evals: int) -> dict[str, float]:
    """The seconds of each case by another vkdispatch: of those that it ended with the right numbers."""
    if not (asked.old / "vkdispatch").is_dir():
        tell("old", FileNotFoundError(f"--old ({asked.old}) has no folder vkdispatch"))
        return {}
    environment = {**os.environ, "PYTHONPATH": f"{asked.old}:{os.environ.get('PYTHONPATH', '')}"}
    peers = Path(__file__).with_name("kp_peers.py")
    # Few, since a run may take it hundreds of microseconds more.
    counts = ["--evals", min(evals, 30), "--turns", 200, "--rounds", 3]
    command = [sys.executable, peers, "--backend", asked.backend or "vulkan", "--device", asked.device, *counts]
    with subprocess.Popen(
        list(map(str, command)), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as child:
        try:
            said, _ = child.communicate(timeout=asked.seconds * SHARES["old"])
            why = f"ended with {child.returncode}: {' '.join(said.splitlines()[-3:])}"
        except subprocess.TimeoutExpired as error:
            child.kill()
            said, _ = child.communicate()
            why = f"took longer than {error.timeout} s"
    lines = said.splitlines()
    if child.returncode:
        tell("old", ChildProcessError(why))
    found = [json.loads(line) for line in lines if line.startswith('{"case"')]
    return {line["case"]: line["seconds"] for line in found}


def resident() -> int:
    """Bytes of main memory that the process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    cases = ("dispatches", "eval", "transfer", "calls", "manager", "tensors")
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend", help="vulkan, cuda, opencl or host")
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--old", type=Path, help="a folder with another vkdispatch")
    parser.add_argument("--evals", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", nargs="+", choices=cases, default=cases)
    parser.add_argument("--library", type=Path, default=root / "build/release/bench/libraw_vulkan.so")
    bench = Bench(parser.parse_args())
    failed = False
    for case in bench.asked.only:
        try:
            getattr(bench, "open_manager" if case == "manager" else case)()
        except Exception as error:  # noqa: BLE001 - the others go on
            tell(case, error)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
