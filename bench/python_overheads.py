"""The time that Python adds: tracing and printing a kernel, recording a launch beside the same from C, also with a busy
thread, and a transform's call.

    .venv/bin/python bench/python_overheads.py [--backend host] [--program build/release/bench/record]

Prints a line of JSON a case. The C call is timed by a program of its own (bench/record.c) in the same run.
"""

import argparse
import json
import statistics
import subprocess
import threading
import time
from pathlib import Path

import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32

LAUNCHES = 1000


def trace_case(turns: int = 15) -> None:
    """From the decorator to printed source, for a kernel of 200 operations."""

    def once() -> float:
        start = time.perf_counter()

        @vd.shader(exec_size=64, local_size=64)
        def chain(out: Buff[f32], x: Buff[f32]):
            i = vc.global_invocation_id().x
            value = x[i].to_register("value")
            for k in range(100):
                value[:] = value * 0.5 + (k + 0.25)
            out[i] = value

        chain.shader_description.make_source(64, 1, 1)
        return time.perf_counter() - start

    once()
    times = [once() for _ in range(turns)]
    print(
        json.dumps(
            {
                "case": "trace_200_ops",
                "ms": round(min(times) * 1e3, 3),
                "median_ms": round(statistics.median(times) * 1e3, 3),
            }
        )
    )


def blocks_case(turns: int = 15) -> None:
    """A kernel of 200 blocks, each on lines of its own, so that every block and operation has a place of its own."""
    body = "".join(f"    with vc.if_block(x > {k}.5):\n        x += {k}.25\n" for k in range(200))
    source = f"def kernel(out: Buff[f32]):\n    x = out[0].to_register()\n{body}    out[0] = x\n"
    scope = {"vc": vc, "Buff": Buff, "f32": f32}
    exec(compile(source, "<200 blocks>", "exec"), scope)  # noqa: S102 - made above

    def once() -> float:
        start = time.perf_counter()
        vd.shader(1)(scope["kernel"])
        return time.perf_counter() - start

    once()
    times = [once() for _ in range(turns)]
    line = {"case": "trace_200_blocks", "ms": min(times) * 1e3, "median_ms": statistics.median(times) * 1e3}
    print(json.dumps({name: x if name == "case" else round(x, 3) for name, x in line.items()}))


def record_case(program: Path, backend: str) -> None:
    @vd.shader(local_size=64)
    def affine(out: Buff[f32], x: Buff[f32], scale: Const[f32], shift: Const[f32]):
        i = vc.global_invocation_id().x
        out[i] = x[i] * scale + shift

    out, x = vd.Buffer(64, vd.float32), vd.Buffer(64, vd.float32)
    graph = vd.CommandGraph()
    affine(out, x, 2.0, 1.0, exec_size=64, graph=graph)

    def turn() -> float:
        graph.reset()
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            affine(out, x, 2.0, 1.0, exec_size=64, graph=graph)
        return (time.perf_counter() - start) / LAUNCHES

    python_us = sorted(turn() * 1e6 for _ in range(15))
    line = {
        "case": "record_launch",
        "backend": backend,
        "python_us": round(python_us[0], 3),
        "python_median_us": round(python_us[7], 3),
    }
    if program.exists():
        done = subprocess.run([str(program), backend], check=True, capture_output=True, text=True)
        c_us = json.loads(done.stdout)["ns"] / 1e3
        line |= {"c_us": round(c_us, 3), "above_c_us": round(python_us[0] - c_us, 3)}
    print(json.dumps(line))

    # A second thread that spins: the mean may treble, and 1 call in 1,000 may take over 1 ms.
    stop = threading.Event()

    def spin():
        n = 0
        while not stop.is_set():
            for _ in range(1000):
                n += 1

    spinner = threading.Thread(target=spin)
    spinner.start()
    latencies = []
    try:
        for _ in range(20):
            graph.reset()
            for _ in range(LAUNCHES):
                start = time.perf_counter()
                affine(out, x, 2.0, 1.0, exec_size=64, graph=graph)
                latencies.append(time.perf_counter() - start)
    finally:
        stop.set()
        spinner.join()
    mean = statistics.fmean(latencies) * 1e6
    slow = sum(t > 1e-3 for t in latencies) * 1000 / len(latencies)
    line = {
        "case": "record_launch_busy_thread",
        "mean_us": round(mean, 3),
        "ratio_to_quiet": round(mean / statistics.median(python_us), 2),
    }
    print(json.dumps(line | {"over_1ms_per_1000": round(slow, 3)}))


def transform_case() -> None:
    """A transform that is called by the same arguments again, recorded."""
    buffer, graph = vd.Buffer((4, 64), vd.complex64), vd.CommandGraph()
    vd.fft.fft(buffer, graph=graph)

    def turn() -> float:
        graph.reset()
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            vd.fft.fft(buffer, graph=graph)
        return (time.perf_counter() - start) / LAUNCHES * 1e6

    times = sorted(turn() for _ in range(15))
    print(json.dumps({"case": "record_fft", "us": round(times[0], 3), "median_us": round(times[7], 3)}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="host")
    parser.add_argument(
        "--program", type=Path, default=Path(__file__).resolve().parents[1] / "build/release/bench/record"
    )
    options = parser.parse_args()
    vd.initialize(backend=options.backend)
    vd.make_context(use_cpu=True)
    trace_case()
    blocks_case()
    record_case(options.program, options.backend)
    transform_case()
