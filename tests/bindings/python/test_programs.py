"""Programs for vkdispatch 0.1 run as they are, on every backend."""

import pytest
from vkdispatch.codegen.abbreviations import c32

from . import programs
from .test_fft_lengths import fft_lengths
from .transformed import needs

# PoCL compiles each kernel for seconds: in the short form it runs one program of four.
ON_POCL = set(programs.PROGRAMS) if fft_lengths.FULL else set(list(programs.PROGRAMS)[::4])


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_program(device, name):
    if device == "opencl" and name not in ON_POCL:
        pytest.skip("VD_TEST_FULL=1 runs every program on OpenCL")
    if name == "half_storage":
        needs(c32)
    found = list(programs.distances(name))
    assert found
    for number, distance in enumerate(found):
        assert isinstance(distance, float), f"result {number}: {distance}"
        assert distance < 2e-5, f"result {number}"
