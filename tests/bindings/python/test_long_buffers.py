"""Buffers that are longer than a Vulkan device binds."""

import os
import subprocess
import sys

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, f32


def test_a_kernel_and_a_transform_across_the_limit(on_backend):
    with on_backend("vulkan"):
        limit = vd.get_context().device_infos[0].max_storage_buffer_range
        if limit > 1 << 30:
            pytest.skip(f"the device binds {limit} bytes; tests/api/long_buffer_test.cpp goes there")

        @vd.shader("out.size")
        def scaled(out: Buff[f32], a: Buff[f32], factor: Const[f32]):
            i = vc.global_invocation_id().x
            out[i] = a[i] * factor

        a = np.arange(limit // 4 + 1234567, dtype=np.float32) % 1021
        out = vd.empty(a.size)
        scaled(out, vd.asbuffer(a), 0.5)
        np.testing.assert_array_equal(out.read(0), a * 0.5)

        lines = np.empty((limit // 8 // 1000 + 1001, 1000), np.complex64)
        lines[:] = np.arange(1000) % 7 + 1j * (np.arange(len(lines)) % 11)[:, None]
        there = vd.asbuffer(lines)
        vd.fft.fft(there)
        got = there.read(0)
        across = limit // 8 // 1000
        for line in (0, across - 1, across, across + 1, len(lines) - 1):
            np.testing.assert_allclose(got[line], np.fft.fft(lines[line]), atol=2e-2)


WITHOUT = """
import numpy as np, vkdispatch as vd, vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32
vd.initialize(backend="vulkan")

@vd.shader(256)
def turned(out: Buff[f32], a: Buff[f32]):
    i = vc.global_invocation_id().x
    out[i] = a[255 - i]

print(vd.get_context().device_infos[0].max_storage_buffer_range)
out = vd.empty(256)
try:
    turned(out, vd.asbuffer(np.arange(256, dtype=np.float32)))
    print(out.read(0)[:3].tolist())
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("addresses", [True, False])
def test_limits_lower_than_the_devices_own(on_backend, addresses):
    with on_backend("vulkan"):
        name = vd.get_context().device_infos[0].device_name
    limits = "buffer_range=512" + ("" if addresses else ",buffer_addresses=0")
    environment = {**os.environ, "VKDISPATCH_VULKAN_LIMITS": limits}
    done = subprocess.run([sys.executable, "-c", WITHOUT], check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    told, result = done.stdout.splitlines()[:2]
    assert told == "512"
    if addresses:
        assert result == "[255.0, 254.0, 253.0]"
    else:
        assert 'argument 0 ("out") of "turned"' in result
        assert f'size (1024) is more than device "{name}" binds (512)' in result
