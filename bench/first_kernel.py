"""The first kernel of a process, from its call to its end, with an empty and with a filled cache of kernels.

    .venv/bin/python bench/first_kernel.py [--backend cuda] [--times 10]

The context and a buffer are there, so that the time is that of tracing, compiling or finding, and running one kernel. Each time is of a
process of its own; the driver's own cache is empty where ours is, as far as the environment can say so. One line of JSON a case.
"""

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from own_caches import numbers_printed

PROGRAM = """
import time
import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32

@vd.shader("x.size")
def double(x: Buff[f32]):
    x[vc.global_invocation_id().x] = x[vc.global_invocation_id().x] * 2

x = vd.asbuffer(np.arange(8, dtype=np.float32))
vd.queue_wait_idle()
begin = time.perf_counter()
double(x)
vd.queue_wait_idle()
print((time.perf_counter() - begin) * 1e3)
assert x.read(0)[7] == 14
"""

GOALS = {"filled cache": 5.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--backend")
    parser.add_argument("--times", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        script = Path(name) / "first.py"
        script.write_text(PROGRAM)
        numbers_printed(script, Path(name) / "full", options.backend)
        times: dict[str, list[float]] = {"empty cache": [], "filled cache": []}
        for turn in range(options.times):
            times["empty cache"] += numbers_printed(script, Path(name) / str(turn), options.backend)
            times["filled cache"] += numbers_printed(script, Path(name) / "full", options.backend)
        for case, list_of in times.items():
            row = {
                "case": f"first kernel, {case}",
                "backend": options.backend,
                "ms": round(statistics.median(list_of), 2),
            }
            row |= {"least_ms": round(min(list_of), 2)}
            print(json.dumps(row | ({"goal_ms": GOALS[case]} if case in GOALS else {})))


if __name__ == "__main__":
    main()
