"""The short form of tests: PoCL compiles a long kernel for seconds, and a bare machine has no compiled ones."""

import os

import pytest

FULL = bool(os.environ.get("VD_TEST_FULL"))


def compiles_long(device):
    """Whether kernels are to be few."""
    return device == "opencl" and not FULL


def skip_long_compiles(device):
    """Skip what compiles for seconds in the short form."""
    if compiles_long(device):
        pytest.skip("PoCL compiles this for seconds: VD_TEST_FULL=1 runs it on OpenCL")
