"""The example with torch: right beside torch's own operations, or open about what it lacks."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/torch/smooth.py"
SKIPPED = 77


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(EXAMPLE), *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_smooth(tmp_path):
    done = run("--turns", 3, "--output", tmp_path)
    if done.returncode == SKIPPED:
        assert done.stdout.startswith("skipped: ") and "torch" in done.stdout
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "largest difference from torch's own operations" in done.stdout
    assert (tmp_path / "smooth.png").exists()
    done = run("--turns", 0)
    assert done.returncode == 2 and "--turns (0) is not at least 1" in done.stderr
