"""Planning a transform: with an empty cache of kernels, with a filled one, and for another number of lines.

    .venv/bin/python bench/fft_planning.py [--backend cuda] [--times 10] [--lengths 1024 65536]

A time is that of `vd.fft.fft_src()`, which makes the plan and runs nothing: choosing passes, writing and compiling their
kernels or finding them, and computing constants. The first two are of a process of its own each, in which a transform
of another length was planned before, so that the driver's compiler is loaded; the driver's own cache is empty where
ours is, as far as the environment can say so. One line of JSON a case; `cpu_ms` is the processor's time on all threads,
which other work on the machine changes little.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from own_caches import numbers_printed

PROGRAM = """
import sys
import time
import vkdispatch as vd

n = int(sys.argv[1])

def planned(count, n):
    begin, busy = time.perf_counter(), time.process_time()
    vd.fft.fft_src((count, n))
    return (time.perf_counter() - begin) * 1e3, (time.process_time() - busy) * 1e3

vd.make_context()
planned(2, 12)
first = planned(16, n)
others = [planned(count, n) for count in (17, 18, 20, 24, 32)]
print(*first, *sorted(others)[2])
"""

#: Milliseconds, by case and by whether one pass does it.
GOALS = {"empty cache": (150.0, 200.0), "filled cache": (5.0, 5.0), "another count": (1.0, 1.0)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--lengths", type=int, nargs="+", default=[1024, 65536])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "plan.py"
        script.write_text(PROGRAM)
        for n in options.lengths:
            full = Path(name) / f"full {n}"
            numbers_printed(script, full, options.backend, n)
            times: dict[str, list[list[float]]] = {case: [] for case in GOALS}
            for turn in range(options.times):
                empty = numbers_printed(script, Path(name) / f"{n} {turn}", options.backend, n)
                filled = numbers_printed(script, full, options.backend, n)
                times["empty cache"].append(empty[:2])
                times["filled cache"].append(filled[:2])
                times["another count"].append(filled[2:])
            for case, pairs in times.items():
                list_of, busy = zip(*pairs, strict=True)
                row = {"case": f"planning lines of {n}, {case}", "backend": options.backend}
                row |= {"ms": round(statistics.median(list_of), 2), "least_ms": round(min(list_of), 2)}
                row |= {"cpu_ms": round(statistics.median(busy), 2)}
                row["goal_ms"] = GOALS[case][n > 16384]
                print(json.dumps(row))


if __name__ == "__main__":
    main()
