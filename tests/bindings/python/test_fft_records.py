"""Files of records that `python -m vkdispatch.fft_records` writes, and what a folder of them does."""

import os
import subprocess
import sys

import pytest
from vkdispatch import fft_records

PROGRAM = """
import numpy as np
import vkdispatch as vd

x = (np.random.default_rng(3).normal(size=(6, 60, 2)) @ [1, 1j]).astype(np.complex64)
transform = vd.fft.make_fft_shader(x.shape)
held = vd.asbuffer(x)
transform(held)
assert np.allclose(held.read(0), np.fft.fft(x), atol=1e-3), transform.explain()
print(transform.explain())
"""


def run(*arguments, **environment):
    done = subprocess.run(
        [sys.executable, *arguments], check=False, env=os.environ | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "records").mkdir()
    return tmp_path / "program.py"


def test_what_is_measured_is_used(device, program, tmp_path):
    environment = {"VKDISPATCH_CACHE_DIR": str(tmp_path / "cache"), "VKDISPATCH_BACKEND": device}
    written = run("-m", "vkdispatch.fft_records", "--tune", "1", "6x60", "6x60@1", **environment).stdout
    lines = written.splitlines()
    assert lines[0] == "vkdispatch fft records 1"
    assert lines[2] == f"for device backend={device}"
    assert [line.split()[:2] for line in lines[3:]] == [["choice", "n=60"]]
    # Another layout than any that was measured is what the plan takes.
    head, _ = lines[3].split(": ")
    other = f"{head}: radices=3x4x5 line_threads=15 lines=1"
    (tmp_path / "records/mine.txt").write_text("\n".join([*lines[:3], other, ""]))
    done = run(program, **environment, VKDISPATCH_FFT_RECORDS=str(tmp_path / "records"))
    assert "3x4x5" in done.stdout and ", as a record says" in done.stdout and "mine.txt" not in done.stderr
    assert "3x4x5" not in run(program, **environment).stdout


def test_what_is_damaged_is_named_and_left_out(device, program, tmp_path):
    text = "vkdispatch fft records 1\ndevice A\nfor any\nusual n=60: radices=3x4x6 line_threads=15\n"
    (tmp_path / "records/mine.txt").write_text(text)
    done = run(program, VKDISPATCH_BACKEND=device, VKDISPATCH_FFT_RECORDS=str(tmp_path / "records"))
    assert "mine.txt:4: radices multiply to 72, which is not the length (60)" in done.stderr


def test_shapes():
    assert fft_records.read_shape("4096x1024@0") == ((4096, 1024), 0)
    assert fft_records.read_shape("6x60") == ((6, 60), 1)
    for wrong in ("6xsix", "", "6x60@2", "6x0", "6x60@-1", "6x60@one"):
        with pytest.raises(ValueError, match="Shape"):
            fft_records.read_shape(wrong)


def test_shapes_that_there_are_not_end_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "vkdispatch.fft_records", "6x60@2"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2 and "Shape ('6x60@2')" in done.stderr
