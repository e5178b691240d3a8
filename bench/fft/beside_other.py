"""Transforms from Python beside another vkdispatch, which pip installed into a folder: both in processes of their own, in turns.

    .venv/bin/python bench/fft/beside_other.py --old DIR [--backend cuda] [--quick] [--out FILE]

DIR is made by pip install --target DIR "vkdispatch[cuda,opencl]==0.1.0". A recorded graph of 20 transforms in place, forward and
inverse in turns, of 2^25 complex64 numbers (256 MiB) is submitted and waited for; medians of the rounds. GB/s counts every number as
read and written once. A line of each result is compared with NumPy in that run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np

TURNS = 20


def cases(numbers):
    """name, shape, axes"""
    for n in (64, 256, 1024, 4096):
        yield f"pow2_{n}", (numbers // n, n), (1,)
    for n in (100, 360, 1000):
        yield f"smooth_{n}", (numbers // n, n), (1,)
    yield "strided_1024", (max(1, numbers >> 20), 1024, 1024), (1,)
    yield "plane_1024", (max(1, numbers >> 20), 1024, 1024), (2, 1)


class Package:
    """The vkdispatch that is imported in this process; a case at a time, by lines of JSON."""

    def __init__(self, backend, device=None):
        os.environ["VKDISPATCH_BACKEND"] = backend
        import vkdispatch as vd

        self.vd = vd
        vd.initialize(backend=backend)
        vd.make_context(**({} if device is None else {"device_ids": device}))

    def transform(self, buffer, axes, inverse, **more):
        for axis in reversed(axes) if inverse else axes:
            (self.vd.fft.ifft if inverse else self.vd.fft.fft)(buffer, axis=axis, **more)

    def prepare(self, shape, axes):
        """The relative distance of the last line, or plane, from NumPy's."""
        rng = np.random.default_rng(1)
        block = (rng.random((1 << 20, 2), np.float32) - 0.5).view(np.complex64).ravel()
        data = np.resize(block, shape)
        self.buffer = None
        self.buffer = self.vd.Buffer(shape, self.vd.complex64)
        self.buffer.write(data)
        self.transform(self.buffer, axes, False)
        got = np.asarray(self.buffer.read(0)).reshape(shape)[-1].astype(np.complex128)
        want = data[-1].astype(np.complex128)
        for axis in axes:
            want = np.fft.fft(want, axis=axis - 1)
        self.graph = self.vd.CommandGraph()
        for turn in range(TURNS):
            self.transform(self.buffer, axes, turn % 2 == 0, graph=self.graph)
        self.time()
        return float(np.linalg.norm(got - want) / np.linalg.norm(want))

    def time(self):
        begin = time.perf_counter()
        self.graph.submit()
        self.vd.queue_wait_idle()
        return (time.perf_counter() - begin) / TURNS

    def serve(self):
        for line in sys.stdin:
            order = json.loads(line)
            if "shape" in order:
                answer = {"error": self.prepare(order["shape"], order["axes"])}
            else:
                answer = {"seconds": self.time()}
            print("=" + json.dumps(answer), flush=True)


class Process:
    """A package in a process of its own."""

    def __init__(self, backend, device, folder):
        path = ":".join(p for p in (folder, os.environ.get("PYTHONPATH")) if p)
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--backend", backend, "--serve"]
            + ([] if device is None else ["--device", str(device)]),
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, **order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("="):
                return json.loads(line[1:])
        raise RuntimeError(f"the process ended ({self.process.wait()})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--device", type=int, help="which of the backend's; else each package's own choice")
    parser.add_argument("--old")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        Package(arguments.backend, arguments.device).serve()
        return
    packages = {"ours": Process(arguments.backend, arguments.device, "")}
    if arguments.old:
        packages["old"] = Process(arguments.backend, arguments.device, arguments.old)
    lines = []
    print(f"{'case':16}" + "".join(f"{name + ', GB/s':>12}{'error':>10}" for name in packages))
    for case, shape, axes in cases(1 << (20 if arguments.quick else 25)):
        line = {"case": case, "backend": arguments.backend}
        times = {}
        for name, package in list(packages.items()):
            try:
                line[f"{name} error"] = package.ask(shape=shape, axes=axes)["error"]
                times[name] = []
            except (RuntimeError, BrokenPipeError) as error:
                print(f"{name} is left out from {case} on: {error}", file=sys.stderr)
                del packages[name]
        for _ in range(arguments.rounds):
            for name, package in packages.items():
                times[name].append(package.ask()["seconds"])
        for name, found in times.items():
            line[f"{name} GB/s"] = 2 * 8 * int(np.prod(shape)) / statistics.median(found) / 1e9
        lines.append(line)
        print(f"{case:16}" + "".join(f"{line[f'{n} GB/s']:12.1f}{line[f'{n} error']:10.1e}" for n in times), flush=True)
    if arguments.out:
        with open(arguments.out, "w") as out:
            out.writelines(json.dumps(line) + "\n" for line in lines)
    if any(line.get("ours error", 1) > 2e-6 for line in lines):
        sys.exit("a result is wrong")


if __name__ == "__main__":
    main()
