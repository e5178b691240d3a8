"""The time of a Python process that imports the package, makes a context on the host and runs a kernel of one line.

    .venv/bin/python bench/python_start.py [--times 20] [--backend host] [--rival FOLDER]

Whole processes are timed, in turns with ones that only import NumPy. Printed are the median of each and the median of the differences
within a turn, one line of JSON a case. FOLDER has the site-packages of another version, whose import is timed too.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = """
import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32

@vd.shader("out.size")
def double(out: Buff[f32], x: Buff[f32]):
    out[vc.global_invocation_id().x] = x[vc.global_invocation_id().x] * 2

x, out = vd.asbuffer(np.arange(8, dtype=np.float32)), vd.Buffer(8, vd.float32)
double(out, x)
assert out.read(0)[7] == 14
"""

#: Milliseconds above `import numpy` that each case may take on an idle machine.
GOALS = {"first kernel, empty cache": 60, "first kernel, filled cache": 40}


class Case:
    """A program and what its processes took."""

    def __init__(self, name: str, code: str, folder: Path, **environment: str):
        self.name = name
        self.script = folder / (name.replace(" ", "_").replace(",", "") + ".py")  # kernels are read from their source
        self.script.write_text(code)
        # As where pip installed them, modules are bytecode, but nothing is left beside their source.
        self.environment = os.environ | {"PYTHONPYCACHEPREFIX": str(folder / "bytecode")} | environment
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.seconds: list[float] = []

    def run(self) -> None:
        start = time.perf_counter()
        subprocess.run([sys.executable, self.script], check=True, env=self.environment)
        self.seconds.append(time.perf_counter() - start)

    def ms(self) -> float:
        return statistics.median(self.seconds) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--backend", default="host")
    parser.add_argument("--rival", type=Path, help="site-packages with another version of the package")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        backend = {"VKDISPATCH_BACKEND": options.backend}
        base = Case("import numpy", "import numpy", folder)
        package = Case("import vkdispatch", "import numpy, vkdispatch", folder, **backend)
        empty = Case("first kernel, empty cache", PROGRAM, folder, **backend)
        full = Case("first kernel, filled cache", PROGRAM, folder, **backend, VKDISPATCH_CACHE_DIR=f"{name}/full")
        cases = [base, package, empty, full]
        if options.rival:
            rival = Case("import of the rival", "import numpy, vkdispatch", folder, PYTHONPATH=str(options.rival))
            cases.append(rival)
        for turn in range(options.times + 1):
            empty.environment["VKDISPATCH_CACHE_DIR"] = f"{name}/{turn}"
            for case in cases:
                case.run()
        for case in cases:
            del case.seconds[0]  # it wrote bytecode and filled the cache
        for case in cases:
            above = (
                statistics.median(ours - numpy for ours, numpy in zip(case.seconds, base.seconds, strict=True)) * 1e3
            )
            least = (min(case.seconds) - min(base.seconds)) * 1e3
            line = {"case": case.name, "ms": case.ms(), "above_numpy_ms": above, "least_above_ms": least}
            line = {key: round(value, 1) if isinstance(value, float) else value for key, value in line.items()}
            goal = {"goal_ms": GOALS[case.name]} if case.name in GOALS else {}
            print(json.dumps(line | goal))


if __name__ == "__main__":
    main()
