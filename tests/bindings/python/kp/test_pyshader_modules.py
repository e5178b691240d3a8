"""Modules of the form that the original pyshader writes run as they are, on Vulkan."""

import os
import shutil
import subprocess

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch.base.command_list import CommandList
from vkdispatch.base.compute_plan import ComputePlan
from vkdispatch.base.descriptor_set import DescriptorSet

from . import pyshader_modules as modules

VERSIONS = ["1.0", "1.3"]


@pytest.fixture
def vulkan(on_backend):
    with on_backend("vulkan"):
        yield


def run(module, groups, *buffers):
    plan = ComputePlan.from_spirv(module)
    binds, commands = DescriptorSet(plan), CommandList()
    for i, buffer in enumerate(buffers):
        binds.bind_buffer(buffer, i)
    commands.record_compute_plan(plan, binds, groups)
    commands.submit(instance_count=1)
    return [buffer.read(0) for buffer in buffers]


def floats(*values):
    return vd.asbuffer(np.array(values, np.float32))


@pytest.mark.parametrize("version", VERSIONS)
def test_multiplication(vulkan, version):
    module = modules.multiply(version)
    found = vd.inspect_spirv(module)
    assert found.version == tuple(map(int, version.split("."))) and found.workgroup_size == (1, 1, 1)
    assert [b.kind for b in found.bindings] == [1, 1, 1], "BufferBlocks in Uniform are storage buffers"
    assert run(module, [3, 1, 1], floats(2, 2, 2), floats(1, 2, 3), floats(0, 0, 0))[2].tolist() == [2, 4, 6]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_grid_of_workgroups(vulkan, version):
    a, b = run(modules.grid(version), [16, 8, 1], vd.empty(128), vd.empty(128))
    assert a.tolist() == [float(i // 8) for i in range(128)] and b.tolist() == [float(i % 8) for i in range(128)]


def test_gradients(vulkan):
    buffers = [floats(0, 1, 1, 1, 1), floats(0, 0, 0, 1, 1), floats(0, 0, 0, 1, 1), floats(0.001, 0.001)]
    buffers += [floats(*[0] * 5), floats(*[0] * 5), floats(0), floats(*[0] * 5), floats(*[0] * 5), floats(5)]
    found = run(modules.gradients(), [5, 1, 1], *buffers)
    np.testing.assert_allclose(found[4], [0, 0.10005, 0.10005, -0.0999, -0.0999], atol=1e-5)
    np.testing.assert_allclose(found[5], [0, 0, 0, -0.0999, -0.0999], atol=1e-5)
    np.testing.assert_allclose(found[7], [0.1, 0.10005, 0.10005, -0.0999, -0.0999], atol=1e-5)
    np.testing.assert_allclose(found[8], [0.6931, 0.6936, 0.6936, 0.6921, 0.6921], atol=2e-4)


def test_the_other_order_of_bytes(vulkan):
    module = np.frombuffer(modules.multiply(), "<u4").astype(">u4").tobytes()
    assert vd.inspect_spirv(module) == vd.inspect_spirv(modules.multiply())
    assert run(module, [3, 1, 1], floats(2, 2, 2), floats(1, 2, 3), floats(0, 0, 0))[2].tolist() == [2, 4, 6]


ORIGINAL = """
import sys
from pyshader import Array, f32, ivec3, python2shader

@python2shader
def compute_multiply(
    index=("input", "GlobalInvocationId", ivec3),
    data1=("buffer", 0, Array(f32)),
    data2=("buffer", 1, Array(f32)),
    data3=("buffer", 2, Array(f32)),
):
    i = index.x
    data3[i] = data1[i] * data2[i]

sys.stdout.buffer.write(compute_multiply.to_spirv())
"""


def original_module(tmp_path):
    """A module of the original's; a Python that it works on is named by VD_PYSHADER_PYTHON, or on PATH."""
    path = tmp_path / "original.py"
    path.write_text(ORIGINAL)
    named = os.environ.get("VD_PYSHADER_PYTHON")
    for python in [named] if named else filter(None, map(shutil.which, ("python3.10", "python3.9", "python3.8"))):
        done = subprocess.run([python, str(path)], check=False, capture_output=True)
        if done.returncode == 0:
            return done.stdout
        assert not named, done.stderr.decode()
    return None


def test_the_original(vulkan, tmp_path):
    module = original_module(tmp_path)
    if module is None:
        pytest.skip("no Python up to 3.10 with pyshader on PATH; VD_PYSHADER_PYTHON names one")
    own = vd.inspect_spirv(modules.multiply())
    found = vd.inspect_spirv(module)
    assert (found.version, found.workgroup_size, found.entry) == (own.version, own.workgroup_size, own.entry)
    assert [b.kind for b in found.bindings] == [b.kind for b in own.bindings]
    assert run(module, [3, 1, 1], floats(2, 2, 2), floats(1, 2, 3), floats(0, 0, 0))[2].tolist() == [2, 4, 6]
