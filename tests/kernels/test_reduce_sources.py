"""Reductions as source: what NVRTC and clang say to the kernels that vd_unit_primitives prints."""

import os
import subprocess
from pathlib import Path

import pytest

from . import nvrtc
from .test_golden_sources import CLANG, run

UNIT = Path(__file__).parents[2] / "build" / "release" / "bin" / "vd_unit_primitives"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The printed sources, one file a kernel and language."""
    if not UNIT.exists():
        pytest.skip("vd_unit_primitives is not built")
    path = tmp_path_factory.mktemp("reduce")
    command = [UNIT, "--gtest_filter=ReducePass.CompilesInEveryLanguage"]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "VD_REDUCE_SOURCES": str(path)})
    return path


@pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")
def test_nvrtc_compiles_reductions(folder):
    paths = sorted(folder.glob("*.cu"))
    assert len(paths) == 18
    for path in paths:
        cubin, log = nvrtc.compile_cubin(path.read_text(), options=nvrtc.WITHOUT_IMAGES)
        assert cubin[:4] == b"\x7fELF"
        assert "warning" not in log, f"{path}: {log}"


@pytest.mark.skipif(CLANG is None, reason="no clang")
def test_clang_takes_reductions(folder):
    paths = sorted(folder.glob("*.cl"))
    assert len(paths) == 9
    for path in paths:
        command = [CLANG, "-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header", "-Xclang",
                   "-cl-ext=+cl_khr_fp64", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-variable", str(path)]  # fmt: skip
        run(*command)
