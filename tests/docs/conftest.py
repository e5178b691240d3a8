"""Scripts of tests/gpu, as modules and as commands."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[1] / "gpu"


@pytest.fixture
def script():
    """Imports a script by its name."""

    def load(name):
        spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def check_page():
    """Fails unless a page has what a script's command makes of a file of results."""

    def check(name, command, results):
        line = [sys.executable, SCRIPTS / f"{name}.py", command, results, "--check"]
        done = subprocess.run(line, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    return check
