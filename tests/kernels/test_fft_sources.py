"""Transforms as source: what NVRTC and clang say to the kernels that vd_unit_fft prints."""

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

from . import nvrtc
from .test_golden_sources import CLANG, run

_spec = importlib.util.spec_from_file_location("fft_lengths", Path(__file__).parents[1] / "support" / "fft_lengths.py")
fft_lengths = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fft_lengths)
UNIT = Path(__file__).parents[2] / "build" / "release" / "bin" / "vd_unit_fft"


def printed(folder, test, **environment):
    """The sources that a test of vd_unit_fft prints into a folder."""
    if not UNIT.exists():
        pytest.skip("vd_unit_fft is not built")
    environment = {**os.environ, "VD_FFT_SOURCES": str(folder), **environment}
    subprocess.run([UNIT, f"--gtest_filter={test}"], check=True, capture_output=True, env=environment)
    return folder


def compile_all(paths):
    for path in paths:
        cubin, log = nvrtc.compile_cubin(path.read_text(), options=nvrtc.WITHOUT_IMAGES)
        assert cubin[:4] == b"\x7fELF"
        assert "warning" not in log, f"{path}: {log}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The printed sources, one file a pass and language."""
    return printed(tmp_path_factory.mktemp("fft"), "Source.*")


@pytest.mark.tools
@pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")
def test_nvrtc_compiles_transforms(folder):
    paths = sorted(folder.glob("*.cu"))
    assert len(paths) >= 16
    compile_all(paths)


@pytest.mark.tools
@pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")
def test_nvrtc_compiles_lengths_of_each_class(tmp_path, tell):
    lengths = fft_lengths.lengths(None if fft_lengths.FULL else 2100, tell)
    printed(tmp_path, "Lengths.*", VD_FFT_LENGTHS=" ".join(map(str, lengths)))
    paths = sorted(tmp_path.glob("*.cu"))
    assert {int(path.stem.partition("_")[0]) for path in paths} == set(lengths)
    compile_all(paths)


@pytest.mark.skipif(CLANG is None, reason="no clang")
def test_clang_takes_transforms(folder):
    for path in sorted(folder.glob("*.cl")):
        command = [CLANG, "-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header", "-Xclang",
                   "-cl-ext=+cl_khr_fp64", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-variable",
                   "-Wno-unused-but-set-variable", str(path)]  # fmt: skip
        run(*command)
