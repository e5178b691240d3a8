"""Asynchronous copies: native from compute capability 8.0 on, loads and stores before."""

from pathlib import Path

import pytest

from . import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")

SOURCE = (Path(__file__).parent / "golden" / "slots.cu").read_text()
WORDS = ["cp.async.ca.shared.global", "cp.async.commit_group", "cp.async.wait_group"]


@pytest.mark.parametrize("architecture", ["compute_80", "compute_90"])
def test_they_are_native(architecture):
    text, _ = nvrtc.compile_ptx(SOURCE, architecture)
    assert [word for word in WORDS if word not in text] == []


def test_older_devices_copy_at_once():
    text, _ = nvrtc.compile_ptx(SOURCE, "compute_75")
    assert "cp.async" not in text
    assert "st.shared" in text
    cubin, _ = nvrtc.compile_cubin(SOURCE, "sm_75")
    assert cubin[:4] == b"\x7fELF"
