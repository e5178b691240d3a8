"""Kernels that index past their tensors' ends: the remark of a direct call, when an algorithm gets its size."""

import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import kp
from vkdispatch.codegen.abbreviations import Buff, Const, f32, u32


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
    assert said(lambda: anywhere.algorithm([out, x], double)) == []
    messages = said(lambda: anywhere.algorithm([out, x], _fixed(), (100, 1, 1)))
    assert len(messages) == 2 and all("100 elements, and the launch has 6400 invocations" in one for one in messages)
    algorithm = anywhere.algorithm([short, short], _fixed(), (0, 0, 0))
    messages = said(lambda: algorithm.set_workgroup((1, 1, 1)))
    assert "'out' has 2 elements, and the launch has 64" in messages[0]
    assert said(lambda: algorithm.rebuild([out, x], double)) == []


def _fixed():
    @vd.shader(2)
    def doubled(out: Buff[f32], x: Buff[f32]):
        i = vc.global_invocation_id().x
        out[i] = 2 * x[i]

    return doubled


def _ran(manager, kernel, groups, tensors, push=()):
    """The elements of the first tensor that a dispatch of as many workgroups changes, set anew before it."""
    algorithm = manager.algorithm(tensors, kernel, groups, push_consts=push)
    sequence = manager.sequence().record(kp.OpSyncDevice(tensors)).record(kp.OpAlgoDispatch(algorithm))
    sequence.record(kp.OpSyncLocal(tensors)).eval()
    return [np.flatnonzero(one.data()).tolist() for one in tensors]


@pytest.mark.parametrize("size", ["out.size", "(out.size, 1)", lambda args: args.out.size])
def test_a_kernel_does_not_run_past_the_size_that_it_has_by_its_objects(anywhere, size):
    @vd.shader(size)
    def fill(out: Buff[f32]):
        out[vc.global_invocation_id().x] = 7

    out, *others = (anywhere.tensor(np.zeros(n)) for n in (100, *[64] * 20))
    assert said(lambda: anywhere.algorithm([out], fill, (100, 1, 1))) == []
    assert _ran(anywhere, fill, (100, 1, 1), [out]) == [list(range(100))]
    assert all(not one.data().any() for one in others)
    out.data()[:] = 0
    assert _ran(anywhere, fill, (1, 1, 1), [out]) == [list(range(64))], "a smaller number of workgroups runs fewer"
    algorithm = anywhere.algorithm([out], fill, (1, 1, 1))
    assert algorithm.get_workgroup() == (1, 1, 1)
    assert said(lambda: algorithm.set_workgroup((100, 2, 1))) == [] and algorithm.get_workgroup() == (100, 2, 1)
    out.data()[:] = 0
    sequence = anywhere.sequence().record(kp.OpSyncDevice([out])).record(kp.OpAlgoDispatch(algorithm))
    sequence.record(kp.OpSyncLocal([out])).eval()
    assert out.data().tolist() == [7] * 100


@pytest.mark.parametrize("size", ["count", "min(out.size, count)", "out.size if count > 99 else count"])
def test_a_kernel_does_not_run_past_the_size_that_its_numbers_say(anywhere, size):
    @vd.shader(size)
    def fill(out: Buff[f32], count: Const[u32]):
        out[vc.global_invocation_id().x] = count.to_dtype(vd.float32)

    out = anywhere.tensor(np.zeros(100))
    assert said(lambda: anywhere.algorithm([out], fill, (100, 1, 1), push_consts=[3])) == []
    for push in ([3], np.uint32([3]).tobytes()):
        for groups in ((100, 1, 1), (0, 0, 0)):
            out.data()[:] = 0
            assert _ran(anywhere, fill, groups, [out], push) == [[0, 1, 2]]
    algorithm = anywhere.algorithm([out], fill, (1, 1, 1), push_consts=[3])

    def ran(*operations):
        out.data()[:] = 0
        sequence = anywhere.sequence().record(kp.OpSyncDevice([out]))
        for operation in operations:
            sequence.record(operation)
        sequence.record(kp.OpSyncLocal([out])).eval()
        return np.flatnonzero(out.data()).size

    plain = kp.OpAlgoDispatch(algorithm)
    assert ran(plain) == 3 and ran(kp.OpAlgoDispatch(algorithm, [5])) == 5
    assert ran(kp.OpAlgoDispatch(algorithm, [99])) == 64, "all of the workgroup"
    algorithm.set_push_constants([7])
    assert ran(plain) == 7
    assert ran(kp.OpAlgoDispatch(algorithm, kp.live(np.uint32([7])))) == 64, "live numbers may grow"


def test_live_numbers_that_are_not_in_the_size(anywhere):
    @vd.shader("out.size")
    def fill(out: Buff[f32], value: Const[f32]):
        out[vc.global_invocation_id().x] = value

    out, other = anywhere.tensor(np.zeros(64)), anywhere.tensor(np.zeros(64))
    algorithm = anywhere.algorithm([out], fill, (100, 1, 1), push_consts=[3])
    sequence = anywhere.sequence().record(kp.OpAlgoDispatch(algorithm, kp.live(np.float32([2]))))
    sequence.record(kp.OpSyncLocal([out, other])).eval()
    assert out.data().tolist() == [2] * 64 and not other.data().any()


def test_a_fixed_size_does_not_end_a_given_number_of_workgroups(anywhere):
    @vd.shader(1)
    def fill(out: Buff[f32]):
        out[vc.global_invocation_id().x] = 7

    out = anywhere.tensor(np.zeros(100))
    assert _ran(anywhere, fill, (1, 1, 1), [out]) == [list(range(64))]


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
