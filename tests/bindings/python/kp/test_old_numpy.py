"""Programs of kp with NumPy 1, in a process of its own: the suites run with a later one, and some tests without any."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parents[3] / "build/old_numpy"  # .ci/setup old_numpy
#: The files in which kp and NumPy meet.
FILES = ("test_tensors.py", "test_algorithms.py", "test_bad_input.py")


@pytest.mark.skipif("VKDISPATCH_BACKEND" in os.environ, reason="a run for one backend leaves the others to theirs")
@pytest.mark.skipif(
    not (FOLDER / "numpy").is_dir(), reason="build/old_numpy has no NumPy 1; .ci/setup old_numpy fetches one"
)
def test_k22_with_numpy_1():
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["PYTHONPATH"] = f"{FOLDER}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    code = """
import sys
import numpy, pytest
assert numpy.__version__.startswith("1."), numpy.__version__
sys.exit(pytest.main(sys.argv[1:]))
"""
    options = [
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-k",
        "not opencl and not vulkan and not twenty_thousand and not many and not versions",
    ]
    command = [sys.executable, "-c", code, *options, *(str(HERE / name) for name in FILES)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    ran = re.search(r"(\d+) passed", done.stdout)
    assert ran and int(ran[1]) > 100, done.stdout[-500:]
