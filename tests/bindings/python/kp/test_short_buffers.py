"""Kernels that index past their tensors' ends: the remark of a direct call, when an algorithm gets its size."""

import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, f32, u32


@vd.shader("out.size")
def double(out: Buff[f32], x: Buff[f32]):
    i = vc.global_invocation_id().x
    out[i] = 2 * x[i]


@vd.shader("image.size")
def inverted(image: vc.StorageImage2D[f32]):
    i = vc.global_invocation_id().x
    width = image.size().x.to_dtype(u32)
    at = (i % width, i // width)
    image.store(at, 1 - image.load(at))


def said(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [str(one.message) for one in found]


def test_a_launch_past_the_end_is_a_warning(anywhere):
    out, x, short = (anywhere.tensor(np.zeros(n)) for n in (100, 100, 2))
    (message,) = said(lambda: anywhere.algorithm([out, short], double))
    assert "'double': argument 'x' has 2 elements, and the launch has 100 invocations" in message
    messages = said(lambda: anywhere.algorithm([out, x], double, (100, 1, 1)))
    assert len(messages) == 2 and all("100 elements, and the launch has 6400 invocations" in one for one in messages)
    assert said(lambda: anywhere.algorithm([out, x], double)) == []
    algorithm = anywhere.algorithm([short, x], double)
    (message,) = said(lambda: algorithm.set_workgroup((1, 1, 1)))
    assert "'out' has 2 elements, and the launch has 64" in message
    assert said(lambda: algorithm.rebuild([out, x], double)) == []


def test_objects_that_the_kernel_does_not_use_are_not_looked_at(anywhere):
    out, other = anywhere.tensor([0.0] * 4), anywhere.tensor([0.0])
    algorithm = anywhere.algorithm([out, other], _fill())
    sequence = anywhere.sequence().record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([out]))
    assert sequence.eval() is sequence and out.data().tolist() == [5] * 4


def test_in_strict_mode_it_is_an_error_and_changes_nothing(anywhere):
    out, short = anywhere.tensor(np.zeros(100)), anywhere.tensor([1.0, 2.0])
    algorithm = anywhere.algorithm([short], _fill())
    vd.initialize(strict=True)
    try:
        with pytest.raises(ValueError, match="argument 'x' has 2 elements"):
            algorithm.rebuild([out, short], double)
    finally:
        vd.initialize(strict=False)
    assert algorithm.get_tensors() == [short]


def _fill():
    @vd.shader("out.size")
    def fill(out: Buff[f32]):
        out[vc.global_invocation_id().x] = 5

    return fill


def test_the_size_of_an_image_is_its_texels(anywhere):
    image = anywhere.image(np.linspace(0, 1, 12), 4, 3, 1)
    algorithm = anywhere.algorithm([image], inverted)
    sequence = anywhere.sequence().record(kp.OpSyncDevice([image])).record(kp.OpAlgoDispatch(algorithm))
    sequence.record(kp.OpSyncLocal([image])).eval()
    np.testing.assert_allclose(image.data(), np.linspace(1, 0, 12), atol=1e-6)


def test_a_kernels_own_call_says_where_a_tensors_buffer_is(anywhere):
    tensor = anywhere.tensor([1.0, 2.0])
    with pytest.raises(TypeError, match=r"argument 'out' of kernel 'double' \(got Tensor\)! out\.buffer is one"):
        double(tensor, tensor)
