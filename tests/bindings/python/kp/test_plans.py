"""Algorithms from plans: transforms, reductions and code that was compiled elsewhere."""

import numpy as np
import pytest
from vkdispatch import _native, kp
from vkdispatch.base.compute_plan import ComputePlan

from .conftest import opened

raw, enums = _native.raw, _native.enums
ADD = """
#version 450
layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { float o[]; };
layout(push_constant) uniform Values { float a, b; };
void main() { o[gl_GlobalInvocationID.x] = a + b * gl_GlobalInvocationID.x; }
"""


def transform(manager, count):
    return raw.vd_plan_create_fft(manager.context._pointer, raw.vd_fft_desc(rank=1, shape=[count]))


def test_k25_transforms_and_reductions_in_a_sequence(anywhere):
    numbers = (np.arange(12) + 1j * np.arange(12)[::-1]).astype(np.complex64)
    data = anywhere.tensor_t(numbers)
    fft = anywhere.algorithm([data], transform(anywhere, 12))
    desc = raw.vd_reduce_desc(rank=1, shape=[24], op=enums.VD_REDUCE_OP_ADD)
    floats, total = anywhere.tensor(np.arange(24)), anywhere.tensor([0])
    add = anywhere.algorithm([total, floats], raw.vd_plan_create_reduce(anywhere.context._pointer, desc))
    assert fft.is_init() and fft.get_workgroup() == (0, 0, 0) and fft.get_push_consts() == b""
    sq = anywhere.sequence().record(kp.OpSyncDevice([data, floats])).record(kp.OpAlgoDispatch(fft))
    sq.record(kp.OpAlgoDispatch(add)).record(kp.OpSyncLocal([data, total]))
    for _ in range(3):
        data.data()[:] = numbers
        sq.eval()
        assert np.allclose(data.data(), np.fft.fft(numbers), atol=1e-4)
        assert total[0] == 276
    for change in (
        lambda: fft.set_workgroup((2, 1, 1)),
        lambda: fft.rebuild([data], transform(anywhere, 12), (1, 1, 1)),
    ):
        with pytest.raises(kp.Error, match="own size"):
            change()
    sq.eval()


def test_a_plan_of_the_packages(manager):
    with manager.context.active():
        plan = ComputePlan(ADD, [1], 8, "add")
    out = manager.tensor(np.zeros(8))
    algorithm = manager.algorithm([out], plan, (2, 1, 1), push_consts=[10, 2])
    sq = manager.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([out])).eval()
    assert out.data().tolist() == [10, 12, 14, 16, 18, 20, 22, 24]
    sq.clear()
    sq.record(kp.OpAlgoDispatch(algorithm, np.float32([1, 0]))).record(kp.OpSyncLocal([out])).eval()
    assert out.data().tolist() == [1] * 8
    image = manager.image(np.zeros(4), 2, 2, 1)
    other = opened("vulkan")
    wrong = [
        (lambda: manager.algorithm([image], plan), kp.Error, "binding 0 is a storage buffer"),
        (lambda: manager.algorithm([out], plan, push_consts=[1, 2, 3]), kp.Error, "takes 8 bytes, and 12"),
        (lambda: manager.algorithm([out], plan, spec_consts=[1]), TypeError, "has been compiled"),
        (lambda: other.algorithm([other.tensor([1])], plan), kp.Error, "the plan belongs to"),
        (lambda: manager.algorithm([out], transform_out_of_place(manager)), kp.Error, "2 bindings, and the list has 1"),
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()
    other.destroy()
    sq.eval()


def transform_out_of_place(manager):
    return raw.vd_plan_create_fft(
        manager.context._pointer, raw.vd_fft_desc(rank=1, shape=[4], flags=enums.VD_FFT_OUT_OF_PLACE)
    )
