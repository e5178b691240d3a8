"""The examples of transforms in their short form: right beside SciPy, in Python and, where it is built, in C."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent.parent
SHORT = {
    "deconvolution": (["--size", "96"], ["deconvolution-blurred.png", "deconvolution-sharpened.png"]),
    "spectrogram": (["--samples", "6000", "--length", "240", "--hop", "100"], ["spectrogram.png"]),
}


@pytest.mark.parametrize("name", SHORT)
def test_example(name, tmp_path):
    arguments, pictures = SHORT[name]
    command = [
        sys.executable,
        str(ROOT / f"examples/spectra/{name}.py"),
        "--backend",
        "host",
        "--output",
        str(tmp_path),
    ]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Python: largest difference from SciPy" in done.stdout
    if (ROOT / f"build/release/examples/{name}").exists():
        assert "C: largest difference from SciPy" in done.stdout
    for picture in pictures:
        with Image.open(tmp_path / picture) as image:
            assert min(image.size) > 50


def test_a_benchmark_of_reductions_runs():
    command = [sys.executable, str(ROOT / "bench/reduce/reduce.py"), "--backend", "host", "--sizes", "10:11"]
    done = subprocess.run([*command, "--repeats", "1", "--least", "0.001"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"right": true' in done.stdout and '"right": false' not in done.stdout
    assert "| sum 2^10 |" in done.stdout
