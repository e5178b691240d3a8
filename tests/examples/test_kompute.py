"""The examples for programs of Kompute: each says its numbers, and that they are right."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .turns import in_turn

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples/kompute"


def backends(name):
    """Runs on the host, and on the driver whose turn it is of those that compile."""
    return pytest.mark.parametrize("backend", in_turn(name, ("vulkan", "opencl", "host")))


def run(name, *arguments):
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@backends("array_multiplication")
def test_array_multiplication(backend):
    done = run("array_multiplication.py", "--backend", backend)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[2, 2, 2] x [1, 2, 3] = [2.0, 4.0, 6.0]" in done.stdout
    assert "[2, 4, 6] x [0, 1, 2] = [0.0, 4.0, 12.0]" in done.stdout


@backends("logistic_regression")
def test_logistic_regression(backend):
    done = run("logistic_regression.py", "--backend", backend)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"^after +(\d+): weights (\S+) (\S+), bias (\S+)$", done.stdout, re.MULTILINE)
    wanted = [(1, 0.00097, 0.02098, -0.01003), (10, 0.00075573, 0.19639303, -0.0980189)]
    wanted.append((100, 0.000326737746, 1.587460000329, -0.794009106397))
    for line, values in zip(found, wanted, strict=True):
        assert int(line[0]) == values[0]
        assert [float(x) for x in line[1:]] == pytest.approx(values[1:], abs=5e-6)


@backends("life")
def test_life(backend, tmp_path):
    generations = 1000 if backend == "vulkan" else 100
    done = run("life.py", "--size", 64, "--generations", generations, "--backend", backend, "--output", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "glider after 4 generations: one cell down and right" in done.stdout
    assert f"{generations} generations: " in done.stdout and "as NumPy says" in done.stdout
    assert (tmp_path / "life-first.png").exists() and (tmp_path / "life-last.png").exists()


@backends("matmul")
def test_matmul(backend):
    size = 64 if backend == "host" else 128
    done = run("matmul.py", "--size", size, "--seconds", 0, "--backend", backend)
    assert done.returncode == 0, done.stdout + done.stderr
    times = r" +(\d+\.\d+) ms +\d+\.\d+ GFLOP/s"
    for way in ("naive", "tiled", "blocked"):
        (found,) = re.findall(rf"^{way}{times} +(\d+\.\d+) ms of transfers$", done.stdout, re.MULTILINE)
        assert all(float(milliseconds) > 0 for milliseconds in found)
    assert re.search(rf"^NumPy{times}$", done.stdout, re.MULTILINE)
    assert "GFLOP/s" in done.stdout and "WRONG" not in done.stdout


@backends("vgg7")
def test_vgg7(backend):
    done = run("vgg7.py", "--width", 20, "--height", 17, "--backend", backend)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 layers: " in done.stdout and "within 0.0001" in done.stdout


def test_prints():
    done = run("prints.py")
    assert done.returncode == 0, done.stdout + done.stderr
    for line in ("number 0 is 0.5", "number 1 is 1.5", "number 2 is 2.5", "[1.0, 3.0, 5.0]"):
        assert line in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("life.py", ["--size", 4], "--size (4) is not at least 8"),
        ("matmul.py", ["--size", 100], "--size (100) is not a multiple of 64"),
        ("vgg7.py", ["--width", 14], "--width (14) is not at least 15"),
    ],
)
def test_wrong_arguments(name, arguments, said):
    done = run(name, *arguments)
    assert done.returncode == 2 and said in done.stderr


def test_the_benchmark_runs():
    """Each case, with this package as the other vkdispatch; it checks the numbers itself."""
    command = [sys.executable, str(ROOT / "bench/kp.py"), "--backend", "host", "--quick", "--evals", "3"]
    command += ["--old", str(ROOT / "bindings/python"), "--only", "dispatches", "eval", "calls", "manager", "tensors"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "left_out" not in done.stdout, done.stdout + done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line.get("case") for line in lines][1:] == [
        "300 dispatches", "eval and wait", "record", "algorithm of a known shader", "Manager()",
        "20,000 tensors of 1024 bytes",
    ]  # fmt: skip
    assert lines[1]["old"] > 0 and lines[2]["times_old"] > 0
    assert lines[-1]["device"] == lines[-1]["mirror"] == 1024 and lines[-1]["ours"] > 0


def test_the_benchmark_says_what_it_leaves_out(tmp_path):
    """A peer that fails is told with its reason, and the rest goes on."""
    (tmp_path / "vkdispatch").mkdir()
    (tmp_path / "vkdispatch/__init__.py").write_text("raise ImportError('a driver is missing')")
    command = [
        sys.executable,
        str(ROOT / "bench/kp.py"),
        "--backend",
        "host",
        "--quick",
        "--evals",
        "3",
        "--only",
        "eval",
    ]
    for folder, why in ((tmp_path, "a driver is missing"), (tmp_path / "none", "has no folder vkdispatch")):
        done = subprocess.run([*command, "--old", str(folder)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        first, *_, last = (json.loads(line) for line in done.stdout.splitlines())
        assert first["left_out"] == "old" and why in first["why"]
        assert last["case"] == "eval and wait" and "old" not in last
