"""The golden sources are what the languages' own compilers take: NVRTC, and clang for OpenCL C. (GLSL: the unit tests.)"""

import shutil
import subprocess
from pathlib import Path

import pytest

from . import nvrtc

GOLDEN = Path(__file__).parent / "golden"


def sources(extension):
    return sorted(GOLDEN.glob(f"*.{extension}"))


def run(*command):
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")
@pytest.mark.parametrize("path", sources("cu"), ids=lambda p: p.stem)
def test_nvrtc_compiles_cuda(path):
    cubin, log = nvrtc.compile_cubin(path.read_text(), options=nvrtc.PRINTED)
    assert cubin[:4] == b"\x7fELF"
    assert "warning" not in log, log
    if not path.stem.startswith("images_"):
        same = nvrtc.compile_cubin(path.read_text(), options=nvrtc.WITHOUT_IMAGES) == (cubin, log)
        assert same, "declarations that a kernel does not use change its code"


CLANG = shutil.which("clang-15") or shutil.which("clang")
# Kernels that OpenCL C 1.2 cannot express.
NEEDS_3_0 = {"subgroups", "subgroup_types"}
EXTENSIONS = [
    "fp64", "fp16", "int64_base_atomics", "int64_extended_atomics", "subgroups", "subgroup_non_uniform_vote",
    "subgroup_non_uniform_arithmetic", "subgroup_ballot", "subgroup_shuffle", "subgroup_shuffle_relative",
]  # fmt: skip


@pytest.mark.skipif(CLANG is None, reason="no clang")
@pytest.mark.parametrize("path", sources("cl"), ids=lambda p: p.stem)
def test_clang_takes_opencl(path):
    standard = "CL3.0" if path.stem in NEEDS_3_0 else "CL1.2"
    extensions = ",".join(f"+cl_khr_{name}" for name in EXTENSIONS)
    command = [CLANG, "-x", "cl", f"-cl-std={standard}", "-target", "spir64", "-Xclang", "-finclude-default-header", "-Xclang",
               f"-cl-ext={extensions}", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable", str(path)]  # fmt: skip
    run(*command)
