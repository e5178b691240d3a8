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


OVER_RANGES = """
import numpy as np, vkdispatch as vd, vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Var, f32
vd.initialize(backend="vulkan")
a = np.random.default_rng(1).random((40, 100), np.float32)  # 16,000 bytes of the 4,096 that are bound
x, y, out = vd.asbuffer(a), vd.asbuffer(2 * a), vd.empty(a.shape)
for local_size in (64, 1024):  # a range is one workgroup at most
    @vd.shader("out.size", local_size=local_size)
    def scaled(out: Buff[f32], x: Buff[f32], k: Var[f32]):
        i = vc.global_invocation_id().x
        out[i] = x[i] * k

    graph = vd.CommandGraph()
    scaled(out, x, 3.0, graph=graph)
    for now, numbers in ((x, a), (y, 2 * a)):
        graph.replace(x, now)
        graph.submit()
        np.testing.assert_allclose(out.read(0), 3 * numbers, rtol=1e-6)
lines = vd.asbuffer(a.astype(np.complex64))
vd.fft.fft(lines)
np.testing.assert_allclose(lines.read(0), np.fft.fft(a), atol=1e-4)
vd.fft.ifft(lines)
np.testing.assert_allclose(lines.read(0), a, atol=1e-5)
reals = vd.asrfftbuffer(a)
vd.fft.rfft(reals)
np.testing.assert_allclose(reals.read_fourier(0), np.fft.rfft(a), atol=1e-4)
vd.fft.irfft(reals)
np.testing.assert_allclose(reals.read_real(0), a, atol=1e-5)
try:
    vd.fft.fft(lines, axis=0)  # a column lies in all of it
except ValueError as error:
    print(error)
"""


def test_kernels_graphs_and_lines_over_ranges(on_backend):
    with on_backend("vulkan"):
        pass
    environment = {**os.environ, "VKDISPATCH_VULKAN_LIMITS": "buffer_range=4096,buffer_addresses=0"}
    command = [sys.executable, "-c", OVER_RANGES]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "size (32000) is more than device" in done.stdout and "binds (4096)" in done.stdout
