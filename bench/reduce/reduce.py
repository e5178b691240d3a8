"""R1: sum, least and greatest of float32 arrays, beside CUB (through CuPy) and torch where these are there.

    .venv/bin/python bench/reduce/reduce.py [--backend cuda] [--sizes 10:28] [--operations sum,min,max] [--results FILE]

Each program records the reduction 20 times and runs that as one (a graph of ours, CUDA graphs of theirs); a time is the median
of several such runs, by the clock on the wall, for one reduction. The programs take turns. Every result is checked in the
run, and a wrong one voids its time. Prints a line of JSON a case, and a table of ratios (theirs / ours, more is better).
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import vkdispatch as vd

ITERATIONS = 20
OPERATIONS = {
    "sum": (vd.reduce.SubgroupAdd, np.sum),
    "min": (vd.reduce.SubgroupMin, np.min),
    "max": (vd.reduce.SubgroupMax, np.max),
}
#: Bytes a second that a copy moves on an H200, read and written; what the bound is made of.
COPY = 4.3e12

Case = tuple[Callable[[], None], Callable[[], float]]  # runs ITERATIONS of it until done; gives a result


def ours(operation: str, data: np.ndarray, buffer: Any) -> Case:
    """Ours, recorded into a graph."""

    reduction = vd.reduce.ReduceFunction(OPERATIONS[operation][0], vd.float32, name=operation)
    graph = vd.CommandGraph()
    results = [reduction(buffer, graph=graph) for _ in range(ITERATIONS)]

    def run() -> None:
        graph.submit()
        vd.queue_wait_idle()

    return run, lambda: float(results[-1].read(0)[0])


def cub(operation: str, data: np.ndarray) -> Case:
    """CUB's device reduction, as CuPy calls it, captured into a CUDA graph."""
    import cupy

    cupy._core.set_reduction_accelerators(["cub"])
    x, out = cupy.asarray(data), cupy.empty((), np.float32)
    function = getattr(cupy, operation)
    latest = [out]

    def reduce() -> None:
        # amin and amax of CuPy take no `out` that CUB could write to.
        latest[0] = function(x, out=out) if operation == "sum" else function(x)

    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        reduce()
        stream.synchronize()
        try:
            stream.begin_capture()
            for _ in range(ITERATIONS):
                reduce()
            graph = stream.end_capture()
        except Exception as error:  # noqa: BLE001 - whatever an old CuPy cannot capture
            print(f"# CuPy does not capture {operation} of {data.size}: {error}")
            graph = None

    def run() -> None:
        with stream:
            if graph is not None:
                graph.launch(stream)
            else:
                for _ in range(ITERATIONS):
                    reduce()
            stream.synchronize()

    return run, lambda: float(latest[0].get())


def torch_(operation: str, data: np.ndarray) -> Case:
    """Torch's reduction, captured into a CUDA graph."""
    import torch

    if not torch.cuda.is_available():
        raise ImportError("torch has no CUDA device")
    x = torch.from_numpy(data).cuda()
    function = {"sum": torch.sum, "min": torch.amin, "max": torch.amax}[operation]
    out = function(x, dim=0)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(ITERATIONS):
            out = function(x, dim=0)

    def run() -> None:
        graph.replay()
        torch.cuda.synchronize()

    return run, lambda: float(out.item())


def right(operation: str, got: float, data: np.ndarray) -> bool:
    """Whether a result is that of the array; a sum within what float32 can hold."""
    if operation == "sum":
        want = float(data.sum(dtype=np.float64))
        return bool(abs(got - want) <= 1e-4 * max(abs(want), float(np.sqrt(data.size))))
    return got == float(OPERATIONS[operation][1](data))


def measure(cases: dict[str, Case], least: float, repeats: int) -> dict[str, list[float]]:
    """Seconds of one reduction, for each program alternately, in an order that reverses."""
    turns = {}
    for name, (run, _) in cases.items():
        for _ in range(3):
            run()
        start = time.perf_counter()
        run()
        turns[name] = max(1, int(least / max(time.perf_counter() - start, 1e-7)))
    times: dict[str, list[float]] = {name: [] for name in cases}
    for repeat in range(repeats):
        for name in list(cases) if repeat % 2 == 0 else list(cases)[::-1]:
            start = time.perf_counter()
            for _ in range(turns[name]):
                cases[name][0]()
            times[name].append((time.perf_counter() - start) / turns[name] / ITERATIONS)
    return times


def main() -> None:
    """All cases asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backend", default=None)
    parser.add_argument("--sizes", default="10:28", help="first and last power of two, and the step: 10:28:2")
    parser.add_argument("--operations", default="sum,min,max")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.02, help="seconds that a repeat runs at least")
    parser.add_argument("--results", default=None, help="file that the lines of JSON are added to")
    options = parser.parse_args()
    vd.initialize(backend=options.backend)
    context = vd.make_context()
    device = context.device_infos[0].device_name
    print(f"# {vd.get_backend()}: {device}")
    first, last, *step = (int(part) for part in options.sizes.split(":"))
    peers: dict[str, Callable[[str, np.ndarray], Case]] = {"cub": cub, "torch": torch_}
    table: list[tuple[str, int, dict[str, float]]] = []
    for power in range(first, last + 1, *step):
        count = 1 << power
        data = np.random.default_rng(power).uniform(-1, 1, count).astype(np.float32)
        buffer = vd.asbuffer(data)
        for operation in options.operations.split(","):
            cases = {"ours": ours(operation, data, buffer)}
            for name in list(peers):
                try:
                    cases[name] = peers[name](operation, data)
                except ImportError as error:
                    print(f"# {name} is not here: {error}")
                    del peers[name]
            times = measure(cases, options.least, options.repeats)
            medians = {}
            for name, seconds in times.items():
                good = right(operation, cases[name][1](), data)
                median = statistics.median(seconds)
                line = {
                    "case": f"reduce_{operation}",
                    "program": name,
                    "backend": vd.get_backend() if name == "ours" else "cuda",
                    "device": device,
                    "count": count,
                    "right": good,
                    "us": round(median * 1e6, 3),
                    "spread_us": round((max(seconds) - min(seconds)) * 1e6, 3),
                    "GB/s": round(count * 4 / median / 1e9, 1),
                    "of_bound": round(count * 4 / COPY / median, 3),
                }
                print(json.dumps(line), flush=True)
                if options.results:
                    with open(options.results, "a") as file:
                        file.write(json.dumps(line) + "\n")
                if good:
                    medians[name] = median
            table.append((operation, power, medians))
    print("\n| case | ours us | ours GB/s |" + "".join(f" {name} / ours |" for name in peers))
    print("|---|---|---|" + "---|" * len(peers))
    for operation, power, medians in table:
        mine = medians.get("ours")
        if mine is None:
            print(f"| {operation} 2^{power} | wrong | |" + " |" * len(peers))
            continue
        ratios = "".join(f" {medians[name] / mine:.2f} |" if name in medians else " |" for name in peers)
        print(f"| {operation} 2^{power} | {mine * 1e6:.2f} | {(4 << power) / mine / 1e9:.0f} |{ratios}")


if __name__ == "__main__":
    main()
