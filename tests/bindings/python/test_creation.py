"""Buffers made and looked at as NumPy's arrays are."""

import subprocess
import sys

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, f32


@pytest.mark.parametrize("shape", [5, (5,), [2, 3], (2, 1, 3)])
@pytest.mark.parametrize("dtype", [None, vd.float32, np.float32, "float32", np.dtype(np.int16), "uint64", vd.complex64])
def test_zeros_ones_and_full_are_numpys(device, shape, dtype):
    kind = np.dtype(np.float32) if dtype is None else np.dtype(dtype.numpy if vd.base.dtype.is_dtype(dtype) else dtype)
    cases = [(vd.zeros(shape, dtype), np.zeros), (vd.ones(shape, dtype), np.ones)]
    for buffer, theirs in cases:
        wanted = theirs(shape, kind)
        found = buffer.read(0)
        assert found.dtype == wanted.dtype and found.shape == wanted.shape and (found == wanted).all()
    assert (vd.full(shape, 7, dtype).read(0) == np.full(shape, 7, kind)).all()


def test_full_of_a_complex_number_is_complex(host):
    for number in (1 + 2j, np.complex64(1 + 2j), np.complex128(1 + 2j), np.array(1 + 2j)):
        assert vd.full(3, number).read(0).tolist() == [1 + 2j] * 3
    assert vd.full(2, np.float64(1.5)).dtype is vd.float32
    assert vd.full(2, 1.5).dtype is vd.float32 and vd.full(2, 3).dtype is vd.float32


def test_vectors_are_filled_in_every_component(host):
    assert (vd.ones((2,), vd.vec3).read(0) == np.ones((2, 3))).all()
    assert (vd.zeros(2, "mat2").read(0) == np.zeros((2, 2, 2))).all()


def test_empty_has_a_shape_and_float32(host):
    buffer = vd.empty((3, 4))
    assert buffer.shape == (3, 4) and buffer.dtype is vd.float32
    assert vd.empty(3, label="scratch").label == "scratch"


RANGES = [(5,), (2, 9), (9, 2, -3), (0, 1, 0.25), (3.0,), (-4, 100, 7), (0, 1000, 3), (0.0, 100.0, 0.5), (1000, 0, -1)]


@pytest.mark.parametrize("arguments", RANGES)
@pytest.mark.parametrize("dtype", [None, np.float64, "int64", vd.float32])
def test_arange_is_numpys(host, arguments, dtype):
    found, wanted = vd.arange(*arguments, dtype=dtype), np.arange(*arguments)
    if dtype is None:
        assert found.dtype is (vd.int32 if wanted.dtype.kind == "i" else vd.float32)
    elif dtype == "int64":
        wanted = np.arange(*arguments).astype(np.int64)
    np.testing.assert_allclose(found.read(0), wanted, rtol=1e-6)


@pytest.mark.parametrize("count", [4, 4000])
def test_arange_cuts_fractions_in_silence_as_numpy_does(host, recwarn, count):
    assert not vd.arange(0, count / 4, 0.25, dtype="int64").read(0)[:4].any()
    assert not [str(w.message) for w in recwarn]


def test_arange_reaches_the_largest_integers(host):
    for count in (3, 100):
        found = vd.arange((1 << 64) - 1, (1 << 64) - 1 - count, -1, "uint64").read(0)
        assert found.tolist() == [(1 << 64) - 1 - i for i in range(count)]
        lowest = vd.arange(-(1 << 63), count - (1 << 63), dtype="int64").read(0)
        assert lowest.tolist() == [i - (1 << 63) for i in range(count)]


@pytest.mark.parametrize(
    "arguments, error, said",
    [
        ((0,), ValueError, "no number is between start .0. and stop .0."),
        ((3, 1), ValueError, "in steps of 1"),
        ((0, 3, 0), ValueError, "step .0. must not be zero"),
        (("3",), TypeError, "stop must be a number"),
        ((0, float("inf")), ValueError, "stop .inf. must be finite"),
        ((0, 3, 1, vd.vec2), ValueError, "dtype .vec2."),
        ((0, 3, 1, "quad"), TypeError, "dtype must be a dtype .*quad"),
        ((0, 70000, 1, "int16"), OverflowError, "does not fit"),
        ((0, 70000, 69999, "int16"), OverflowError, "does not fit"),
        ((0, 100, 1, "bool_"), ValueError, "dtype .bool_. must be that of an integer or a float"),
        ((0, 1e300, 1e-300), ValueError, "more numbers than can be counted"),
        ((1 << 70,), ValueError, "at most 281474976710656 elements"),
    ],
)
def test_wrong_ranges_are_refused(host, arguments, error, said):
    with pytest.raises(error, match=said):
        vd.arange(*arguments)


@pytest.mark.parametrize("wrong", [float, int, bool, "quad", None, 3, [vd.float32], vd.dtype, np.array([1])])
def test_what_is_no_dtype_is_refused(host, wrong):
    with pytest.raises(TypeError, match="must be a dtype"):
        vd.Buffer((4,), wrong)


@pytest.mark.parametrize("given", [np.float32, "float32", np.dtype(np.float32), vd.float32])
def test_a_dtype_of_numpy_stands_wherever_ours_does(host, given):
    @vd.shader("out.size", arg_type_annotations=[vc.Buffer[given], Buff[f32]], arg_names=["out", "x"])
    def kernel(out, x):
        i = vc.global_invocation_id().x
        part = vc.shared_buffer(given, 4)
        part[0] = x[i]
        register = vc.new_register(given, 2)
        out[i] = vc.to_dtype(given, i) + register.to_dtype(given) * x[i]

    @vd.shader("out.size")
    def annotated(out: Buff[given]):
        out[vc.global_invocation_id().x] = 1.0

    @vd.reduce.reduce(0)
    def total(a: f32, b: f32) -> given:
        return a + b

    out, x = vd.Buffer(4, given), vd.ones(4)
    kernel(out, x)
    assert out.dtype is vd.float32 and out.read(0).tolist() == [2, 3, 4, 5]
    annotated(out)
    assert total(out).read(0)[0] == 4


@pytest.mark.parametrize("given", [np.complex128, "complex128", np.dtype(np.complex128)])
def test_transforms_take_numpys_types(host, given):
    data = np.random.default_rng(0).random(8) + 0j
    z = vd.asbuffer(data)
    vd.fft.fft(z, output_type=given, input_type=given, compute_type=given)
    np.testing.assert_allclose(z.read(0), np.fft.fft(data), atol=1e-12)
    rows = vd.asrfftbuffer(data.real, fourier_type=given)
    assert rows.dtype is vd.complex128
    with pytest.raises(ValueError, match="compute_type must be one of complex32.*float32"):
        vd.fft.fft(z, compute_type=np.float32)


def test_a_buffer_has_the_attributes_of_an_array(host):
    buffer = vd.zeros((3, 4), vd.vec2)
    assert (len(buffer), buffer.nbytes, buffer.ndim, buffer.itemsize) == (3, 96, 2, 8)
    single = vd.zeros((), vd.float32)
    with pytest.raises(TypeError, match="without axes"):
        len(single)
    assert bool(single) and bool(buffer)


def test_asarray_is_the_first_queues_array(device):
    buffer = vd.arange(6)
    assert np.asarray(buffer).dtype == np.int32 and np.asarray(buffer).tolist() == [0, 1, 2, 3, 4, 5]
    assert np.asarray(buffer, np.float64).dtype == np.float64
    assert np.array(buffer, copy=True).tolist() == [0, 1, 2, 3, 4, 5]
    assert (np.asarray(buffer) + 1).sum() == 21


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 does not hand copy= on")
def test_an_array_without_a_copy_is_refused(host):
    with pytest.raises(ValueError, match="copy=False forbids"):
        np.asarray(vd.arange(6), copy=False)


# ---- repr


def test_repr_shows_small_contents(device):
    assert repr(vd.arange(4)) == "Buffer(shape=(4,), dtype=int32,\n[0, 1, 2, 3])"
    sums = vd.zeros((2, 2), label="sums")
    vd.queue_wait_idle()  # contents that repr() would wait for are left out
    assert repr(sums).startswith("Buffer(shape=(2, 2), dtype=float32, label='sums',\n[[0., 0.]")
    assert repr(vd.zeros(1000)) == "Buffer(shape=(1000,), dtype=float32)"
    gone = vd.arange(4)
    gone.destroy()
    assert repr(gone) == "Buffer(shape=(4,), dtype=int32, destroyed)"


def test_repr_shows_no_contents_while_a_graph_is_recorded_or_a_kernel_traced(host):
    buffer = vd.arange(4)
    vd.set_global_graph(vd.CommandGraph())
    assert repr(buffer) == "Buffer(shape=(4,), dtype=int32)"
    vd.set_global_graph(None)
    seen = []

    @vd.shader("out.size")
    def kernel(out: Buff[f32]):
        seen.append(repr(buffer))
        out[vc.global_invocation_id().x] = 1.0

    assert seen == ["Buffer(shape=(4,), dtype=int32)"] and "[0, 1" in repr(buffer)


def test_repr_does_not_wait(host):
    @vd.shader(64)
    def slow(out: Buff[f32], n: vc.Const[vc.u32]):
        k = vc.new_uint_register()
        with vc.while_block(k < n):
            k += 1
        out[vc.global_invocation_id().x] = vc.to_float(k)

    out = vd.zeros(64)
    slow(out, 1)
    out.read(0)
    for turns in (1 << power for power in range(20, 28)):
        slow(out, turns)
        shown = repr(out)  # without contents while the kernel runs, and with them once it is done
        out.read(0)
        if "[" not in shown:
            break
    assert shown == "Buffer(shape=(64,), dtype=float32)"


FAILED = """
import numpy as np, vkdispatch as vd, vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import *
vd.initialize(debug_mode=True, backend="host")
@vd.shader("out.size")
def past(out: Buff[f32]):
    out[vc.global_invocation_id().x + 4] = 1.0
out = vd.zeros(4)
past(out)
repr(out)
try:
    out.read(0)
except RuntimeError as error:
    assert "past the end" in str(error), error
    assert repr(out).startswith("Buffer(shape=(4,)")
else:
    raise SystemExit("repr() took the error")
"""


def test_repr_takes_no_error_away():
    done = subprocess.run([sys.executable, "-c", FAILED], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import vkdispatch as vd
vd.initialize(backend="host")
assert vd.arange(100).read(0).tolist() == list(range(100))
assert vd.full((2, 2), 1.5).read(0).tolist() == [[1.5, 1.5], [1.5, 1.5]]
assert "0, 1, 2" in repr(vd.arange(3)) and vd.zeros(3, "float64").itemsize == 8
"""


def test_all_of_it_works_without_numpy():
    done = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
