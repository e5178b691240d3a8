"""The examples of transforms and images in their short form: right beside SciPy, in Python and in C."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from vkdispatch.backends import backend_selection

from .turns import in_turn

ROOT = Path(__file__).resolve().parent.parent.parent
SHORT = {
    "deconvolution": (["--size", "96"], ["deconvolution-blurred.png", "deconvolution-sharpened.png"]),
    "rotation": ([], ["rotation.png"]),
    "spectrogram": (["--samples", "6000", "--length", "240", "--hop", "100"], ["spectrogram.png"]),
    "volume": (["--side", "51"], ["volume.png"]),
}


# A run for one backend (VKDISPATCH_BACKEND) leaves the others to theirs.
BACKENDS = [os.environ["VKDISPATCH_BACKEND"]] if "VKDISPATCH_BACKEND" in os.environ else ["host", "vulkan", "opencl"]


@pytest.mark.parametrize(("name", "backend"), [one for name in SHORT for one in in_turn(name, BACKENDS, name)])
def test_example(name, backend, tmp_path):
    info = backend_selection.backend_info(backend)
    if not info.available:
        pytest.skip(f"backend '{backend}': {backend_selection.reason_of(info)}")
    arguments, pictures = SHORT[name]
    command = [sys.executable, str(ROOT / f"examples/pictures/{name}.py"), "--output", str(tmp_path)]
    command += ["--backend", backend]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{backend}: " in done.stdout
    assert "Python: largest difference from SciPy" in done.stdout
    for picture in pictures:
        with Image.open(tmp_path / picture) as image:
            assert min(image.size) > 50
    program = ROOT / f"build/release/examples/{name}"
    if not program.exists():
        pytest.skip(f"{program.relative_to(ROOT)} is not built: only the half in Python was run, and is right")
    assert "C: largest difference from SciPy" in done.stdout


def test_frames_of_an_odd_length_are_refused(tmp_path):
    # Both halves of the spectrum count but for the first number and the last: of an odd length there is no such last one.
    command = [
        sys.executable,
        str(ROOT / "examples/pictures/spectrogram.py"),
        "--output",
        str(tmp_path),
        "--length",
        "15",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "--length (15) is no even number" in done.stderr
    program = ROOT / "build/release/examples/spectrogram"
    if program.exists():
        command = [str(program), "host", "100", "15", "4", "in.f32", "window.f32", "out.f32"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "an even number" in done.stderr


def test_a_benchmark_of_reductions_runs():
    command = [sys.executable, str(ROOT / "bench/reduce/reduce.py"), "--backend", "host", "--sizes", "10:11"]
    done = subprocess.run([*command, "--repeats", "1", "--least", "0.001"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"right": true' in done.stdout and '"right": false' not in done.stdout
    assert "| sum 2^10 |" in done.stdout


def test_a_benchmark_of_images_runs():
    command = [sys.executable, str(ROOT / "bench/image_blur.py"), "--backend", "host", "--size", "64", "--turns", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in done.splitlines()]
    assert [line["case"] for line in lines] == ["blur", "blur_nearest", "blur_linear"]
    assert all(line["ours_ms"] > 0 for line in lines)


def test_a_benchmark_of_planning_runs():
    command = [sys.executable, str(ROOT / "bench/fft_planning.py"), "--backend", "host", "--times", "1"]
    done = subprocess.run([*command, "--lengths", "60"], capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in done.splitlines()]
    assert [line["case"] for line in lines] == [
        f"planning lines of 60, {case}" for case in ("empty cache", "filled cache", "another count")
    ]
    assert lines[2]["ms"] < lines[0]["ms"]
