"""Some transforms and reductions, and all of interop, on the emulated CUDA driver, a tool of tests: what passes here has not
run on CUDA."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from vkdispatch._native import _load

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]

#: Few, since the emulated compiler takes a tenth of a second or more for each kernel.
SELECTION = [
    "test_fft.py::test_each_axis",
    "test_fft.py::test_lines_written_as_columns",
    "test_fft.py::test_real_lines_of_several_passes",
    "test_fft_lengths.py",
    "test_fft_maps.py::test_transforms",
    "test_fft_spectrum.py::test_a_product_and_a_kernel",
    "kp/test_backends.py::test_k23_traced_kernels",
    "kp/test_pyshader_programs.py::test_program",
    "kp/test_backends.py::test_spirv_is_refused_with_a_way_out",
    "kp/test_backends.py::test_together_with_transforms_and_reductions",
    "kp/test_failing_calls.py",
    "kp/test_images.py::test_copies_between_images_and_tensors",
    "kp/test_images.py::test_images_where_both_use_them_have_no_second_copy",
    "kp/test_legacy.py::test_mult",
    "kp/test_lifetimes.py::test_a_manager_that_ends_in_a_function_of_anothers",
    "kp/test_random_programs.py::test_random_programs",
    "kp/test_sequences.py::test_copies",
    "kp/test_sequences.py::test_k15_timestamps",
    "kp/test_sequences.py::test_sequence",
    "kp/test_tensors.py::test_memory_types",
    "kp/test_tensors.py::test_tensor_from_dlpack",
    "kp/test_backends.py::test_reductions_in_a_sequence",
    "kp/test_tensors.py::test_tensor_t_keeps_the_dtype",
    "kp/test_pyshader.py::test_control_flow",
    "kp/test_pyshader.py::test_logistic_regression",
    "kp/test_pyshader.py::test_samplers_need_no_object",
    "kp/test_pyshader.py::test_structs_and_uniforms",
    "test_graphs.py",
    "test_plain_python.py::test_kernels_compute_what_python_does",
    "test_map_images.py",
    "test_profile.py",
    "test_reduce.py::test_axes",
    "test_sources.py::TestNamedParameters::test_images_on_cuda",
    "test_sources.py::TestNamedParameters::test_a_payload_on_cuda",
    "test_cuda_interop.py",
    "test_sharing.py::TestEmulatedCuda",
]


@pytest.mark.skipif("VKDISPATCH_BACKEND" in os.environ, reason="a run for one backend leaves the others to theirs")
def test_transforms_and_reductions_on_the_emulated_driver():
    folder = Path(_load.candidates()[0]).resolve().parent / "emulated"
    if not (folder / "libcuda.so.1").is_file():
        pytest.skip("the library's build folder has no emulated driver")
    # The folder in which ctest keeps files that it compiled for the same prelude.
    prelude = (ROOT / "tests/support/emulated_cuda/prelude.inc").read_bytes()
    cache = ROOT / "build/cache" / f"emulated-{hashlib.sha256(prelude).hexdigest()[:8]}"
    environment = {
        **os.environ,
        "VKDISPATCH_BACKEND": "cuda",
        "LD_LIBRARY_PATH": str(folder),
        "VKDISPATCH_NVRTC": str(folder / "libnvrtc.so"),
        "VKDISPATCH_CACHE_DIR": str(cache),
        "VD_EMULATED_CACHE": str(ROOT / "build/cache/emulated"),
    }
    environment = {name: value for name, value in environment.items() if not name.startswith("PYTEST_")}
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-k", "not host"]
    command = [sys.executable, "-m", "pytest", *options, *(str(HERE / name) for name in SELECTION)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    # None of them may have been left out for want of the driver.
    ran = re.search(r"(\d+) passed", done.stdout)
    assert ran and int(ran[1]) >= 10 and "skipped" not in done.stdout.splitlines()[-1], done.stdout[-500:]
