"""Runs a GoogleTest program whose suites are cut off: says each failure at once, and leaves out what passed before.

    gtests.py PROGRAM --passed FILE [--workers N] [--backends B...]

FILE has the tests that passed or were skipped, one a line; it grows while they run. The tests of a backend (their names end
in it) run in few processes, since a GPU's driver takes seconds to open a context and they share it; all others in one process
a worker. A test that ends its process fails, and the rest of that process's tests run in another. Prints how long tests of 10 s
and more took.
"""

import argparse
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ALL_BACKENDS = ("vulkan", "cuda", "opencl", "host")
BACKEND_PROCESSES = 3  # at most, of
BACKEND_TESTS = 50  # and more
LONG_S = 10
LINE = re.compile(r"\[( RUN {6}| {7}OK |  SKIPPED |  FAILED  )\] ([^ ,\n]+)")


def tests_of(program):
    """The names of a program's tests."""
    listed = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    names, suite = [], ""
    for line in listed.splitlines():
        name = line.partition("#")[0].rstrip()
        if re.fullmatch(r"\S+\.", name):
            suite = name
        elif suite and re.fullmatch(r"  \S+", name) and "DISABLED_" not in suite + name:
            names.append(suite + name.strip())
    return names


def backend_of(name):
    return next((backend for backend in ALL_BACKENDS if name.endswith("/" + backend)), None)


def share(names, count):
    """Parts of neighbours, so that suites stay whole but for the ends."""
    return [names[len(names) * i // count : len(names) * (i + 1) // count] for i in range(count)]


class Run:
    """The tests that are left of a program."""

    def __init__(self, program, path):
        self.program, self.path = program, path
        self.lock = threading.Lock()
        self.passed = set(path.read_text().splitlines()) if path.exists() else set()
        self.failures = 0

    def pass_(self, name):
        with self.lock, self.path.open("a") as file:
            file.write(name + "\n")

    def fail(self, what, output):
        with self.lock:
            self.failures += 1
            print(f"FAILED AT ONCE {what}\n{output[-3000:]}", flush=True)

    def print_long(self, name, seconds):
        if seconds >= LONG_S:
            with self.lock:
                print(f"{seconds:.0f} s {name}", flush=True)

    def take_back(self, names):
        """Forget that tests passed whose process failed without one of them."""
        with self.lock:
            kept = [name for name in self.path.read_text().splitlines() if name not in names]
            self.path.write_text("".join(name + "\n" for name in kept))

    def run(self, names):
        """Run tests in one process, and in another what a test that ended it left."""
        while names:
            names = self.run_once(names)

    def run_once(self, names):
        command = [self.program, "--gtest_color=no", "--gtest_filter=" + ":".join(names)]
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        current, output, good, seen, began = None, "", [], set(), 0.0
        for line in process.stdout:
            output += line
            found = LINE.match(line)
            if found and found[1].strip() == "RUN":
                current, output, began = found[2], line, time.monotonic()
                seen.add(current)
            elif found and found[2] == current:
                if found[1].strip() == "FAILED":
                    self.fail(current, output)
                else:
                    self.pass_(current)
                    good.append(current)
                self.print_long(current, time.monotonic() - began)
                current, output = None, ""
        status = process.wait()
        if current is not None:
            self.fail(f"{current} (its process ended with {status})", output)
            return [name for name in names if name not in seen]
        missing = [name for name in names if name not in seen]
        if missing or (status != 0 and len(good) == len(names)):
            self.take_back(good)
            self.fail(f"{Path(self.program).name} (status {status}, {len(missing)} tests did not run)", output)
        return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--passed", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--backends", nargs="*", default=ALL_BACKENDS)
    given = parser.parse_args()
    run = Run(given.program, given.passed)
    wanted = [name for name in tests_of(given.program) if backend_of(name) in (None, *given.backends)]
    left = [name for name in wanted if name not in run.passed]
    workers = given.workers
    parts = []
    for backend in given.backends:
        names = [name for name in left if backend_of(name) == backend]
        parts += share(names, min(BACKEND_PROCESSES, 1 + len(names) // BACKEND_TESTS))
    parts += share([name for name in left if backend_of(name) is None], workers)
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(run.run, parts))
    print(f"{len(left)} of {len(wanted)} tests ran, {run.failures} failed")
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
