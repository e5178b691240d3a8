"""Kernels of @vd.shader's on every backend, and what is said where SPIR-V does not run."""

import os
import subprocess
import sys

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, Const, f32, i32

from .conftest import BACKENDS, opened
from .shaders import INCREMENT, spirv


@vd.shader("out.size")
def saxpy(out: Buff[f32], x: Buff[f32], a: Const[f32], shift: Const[i32]):
    i = vc.global_invocation_id().x
    out[i] = a * x[i] + shift


def run(manager, algorithm, out, *ins, push=()):
    sq = manager.sequence().record(kp.OpSyncDevice(list(ins) or [out]))
    sq.record(kp.OpAlgoDispatch(algorithm, push)).record(kp.OpSyncLocal([out])).eval()
    return out.data().tolist()


def test_k23_traced_kernels(anywhere):
    x, out = anywhere.tensor(np.arange(1000)), anywhere.tensor(np.zeros(1000))
    algorithm = anywhere.algorithm([out, x], saxpy, push_consts=[2.0, 3])
    assert run(anywhere, algorithm, out, x) == [2.0 * i + 3 for i in range(1000)]
    assert run(anywhere, algorithm, out, x, push=[0.5, -1]) == [0.5 * i - 1 for i in range(1000)]


def test_k21_one_invocation_for_each_element(anywhere):
    x, out = anywhere.tensor(np.arange(1000)), anywhere.tensor(np.zeros(1000))
    algorithm = anywhere.algorithm([out, x], saxpy, push_consts=[1, 0])
    assert algorithm.get_workgroup()[0] < 1000


def test_a_given_workgroup_is_the_number_of_groups(anywhere):
    @vd.shader(local_size=(8, 1, 1))
    def number(out: Buff[f32]):
        out[vc.global_invocation_id().x] = vc.workgroup_id().x.to_dtype(vd.float32) + 1

    out = anywhere.tensor(np.zeros(32))
    assert run(anywhere, anywhere.algorithm([out], number, (2, 1, 1)), out) == [1] * 8 + [2] * 8 + [0] * 16


def test_carried_kernels(anywhere):
    class Carrier(bytes):
        kernel = saxpy

    x, out = anywhere.tensor([1, 2]), anywhere.tensor([0, 0])
    if anywhere.backend != "vulkan":
        assert run(anywhere, anywhere.algorithm([out, x], Carrier(b"spir"), push_consts=[1, 1]), out, x) == [2, 3]

    class Holder:
        kernel = saxpy

    assert run(anywhere, anywhere.algorithm([out, x], Holder(), push_consts=[1, 1]), out, x) == [2, 3]


def test_spec_consts_are_refused(anywhere):
    x, out = anywhere.tensor([1, 2]), anywhere.tensor([0, 0])
    with pytest.raises(TypeError, match="spec_consts"):
        anywhere.algorithm([out, x], saxpy, spec_consts=[1], push_consts=[1, 1])
    with pytest.raises(kp.Error, match="push constants"):
        anywhere.algorithm([out, x], saxpy, push_consts=[1])
    with pytest.raises(kp.Error, match="'x'"):
        anywhere.algorithm([out], saxpy, push_consts=[1, 1])


@pytest.mark.parametrize("backend", [name for name in BACKENDS if name != "vulkan"])
def test_spirv_is_refused_with_a_way_out(backend):
    made = opened(backend)
    t = made.tensor([1])
    for code, kind in ((spirv(INCREMENT), "SPIR-V"), (INCREMENT, "GLSL")):
        with pytest.raises(
            kp.Error, match=f"{kind} runs on the Vulkan backend only; this Manager is on '{backend}'.*@vd.shader"
        ):
            made.algorithm([t], code)
    made.destroy()


def test_why_vulkan_was_not_taken_is_told():
    code = """
from vkdispatch import kp

for choice in ({}, {"device_type": "cpu"}):
    manager = kp.Manager(**choice)
    try:
        manager.algorithm([manager.tensor([1])], "void main() {}")
    except kp.Error as error:
        assert "(vulkan: " in str(error), (choice, str(error))
    else:
        raise AssertionError(choice)
"""
    environment = {**os.environ, "VK_ICD_FILENAMES": "/no.json", "VK_DRIVER_FILES": "/no.json"}
    environment.pop("VKDISPATCH_BACKEND", None)
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr


@vd.reduce.reduce(0.0)
def total(a: f32, b: f32) -> f32:
    return a + b


def test_reductions_in_a_sequence(anywhere):
    t, sums = anywhere.tensor(np.arange(1000)), []
    sq = anywhere.sequence().record(kp.OpSyncDevice([t])).record(kp.OpFill(t, 2))
    sq.record_vd(lambda: sums.append(total(t.buffer))).record(kp.OpSyncDevice([t]))
    sq.record_vd(lambda: sums.append(total(t.buffer))).eval()
    assert [float(one.read(0).ravel()[0]) for one in sums] == [2000, 499500]
    t.data()[:] = 1
    sq.eval()  # the same launches, with the new numbers
    assert [float(one.read(0).ravel()[0]) for one in sums] == [2000, 1000]


def test_together_with_transforms_and_reductions(anywhere):
    data = np.random.default_rng(1).standard_normal(64).astype(np.complex64)
    t = anywhere.tensor_t(data)
    sq = anywhere.sequence().record(kp.OpSyncDevice([t])).record_vd(vd.fft.fft, t.buffer).record(kp.OpSyncLocal([t]))
    sq.eval()
    assert np.allclose(t.data(), np.fft.fft(data), atol=1e-4)
    sq.eval()  # uploads the spectrum, and transforms that
    assert np.allclose(t.data(), np.fft.fft(np.fft.fft(data)), atol=1e-2)
