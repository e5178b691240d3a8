"""The demo's way with pictures that are not as it would like them, and with wrong arguments."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

for needed in ("PIL", "scipy"):
    pytest.importorskip(needed)
from PIL import Image

DEMO = Path(__file__).resolve().parents[2] / "examples/edges_and_blur/edges_and_blur.py"


@pytest.fixture(scope="module")
def demo():
    spec = importlib.util.spec_from_file_location("edges_and_blur_demo", DEMO)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def gradient(width, height):
    """A picture whose left is dark and whose right is bright."""
    return Image.fromarray(
        np.repeat(np.linspace(0, 255, width).astype(np.uint8)[None, :, None], height, 0).repeat(3, 2)
    )


def run(folder, *arguments, timeout=300):
    """The demo without the C program."""
    command = [sys.executable, str(DEMO), "--program", str(folder / "nowhere"), *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=timeout)


def test_a_large_picture_is_scaled_down_whole(demo):
    small = demo.fit(gradient(200, 50), 100)
    assert small.shape == (25, 100, 3) and small[:, 0].max() < 0.05 and small[:, -1].min() > 0.95
    assert demo.fit(gradient(20, 10), 100).shape == (10, 20, 3)


def test_a_picture_is_turned_as_its_camera_says(demo, tmp_path):
    path, exif = tmp_path / "turned.jpg", Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    gradient(64, 32).save(path, exif=exif)
    assert demo.load_picture(str(path))[0].size == (32, 64)


def test_tiles_meet_without_an_edge(demo):
    picture = demo.fit(gradient(24, 20), 100)
    large = demo.tile_to(picture, 100)
    assert large.shape == (100, 100, 3) and (large[:20, :24] == picture).all()
    np.testing.assert_allclose(demo.reference(large)[1][:20, :24], demo.reference(picture)[1], atol=1e-12)


def test_columns_of_long_times_stay_apart(demo, capsys):
    demo.print_table([("Python", "opencl", "d" * 60, 123.4, 456.7, 1e-6), ("C", "host", "cpu", 0.001, 0.0123, 2e-7)])
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len({len(line) for line in lines}) == 1
    assert " 123.4 s " in lines[1] and " 456.7 s " in lines[1] and " 12.30 ms " in lines[2]


def test_without_a_terminal_each_backend_says_that_it_begins(tmp_path):
    gradient(300, 150).save(tmp_path / "wide.png")
    done = run(tmp_path, tmp_path / "wide.png", "--size", 64, "--seconds", 0, "--backend", "host", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "SciPy ...\nPython on host ..." in done.stderr
    assert "300x150, scaled down to 64x32; timed on it tiled to 64x64" in done.stdout
    assert Image.open(tmp_path / "python-host-edges.png").size == (64, 32)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seconds", "-1"], "-1 is no number of seconds"),
        (["--seconds", "nan"], "nan is no number of seconds"),
        (["--output", "/proc/x"], "cannot write pictures to /proc/x"),
    ],
)
def test_it_says_in_a_line_what_it_cannot_do(arguments, said, tmp_path):
    done = run(tmp_path, "--size", 64, *arguments)
    assert done.returncode != 0 and said in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr
