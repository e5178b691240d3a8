"""Integers of 8 bits and truths: as dtypes, in buffers and in kernels, beside NumPy."""

import itertools
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch._native import _enums
from vkdispatch.base import dtype as dt
from vkdispatch.codegen.abbreviations import *


@pytest.fixture(scope="module", autouse=True)
def context():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vd.make_context()
    needed = _enums.VD_FEATURE_I8 | _enums.VD_FEATURE_STORAGE_8
    if vd.get_context().device_infos[0].features & needed != needed:
        pytest.skip("needs 8-bit integers in buffers")


# ---- Buffers


def test_bytes_are_dtypes():
    assert (vd.int8.item_size, vd.uint8.item_size, vd.bool_.item_size) == (1, 1, 1)
    for name, t in (
        ("int8", vd.int8),
        ("uint8", vd.uint8),
        ("bool", vd.bool_),
        (np.bool_, vd.bool_),
        (np.uint8, vd.uint8),
    ):
        assert dt.from_numpy_dtype(name) is t
    assert dt.to_numpy_dtype(vd.bool_) == np.bool_ and dt.to_numpy_dtype(vd.uint8) == np.uint8
    assert (
        dt.is_integer_dtype(vd.uint8)
        and dt.is_signed_integer_dtype(vd.int8)
        and not dt.is_signed_integer_dtype(vd.uint8)
    )
    assert dt.is_scalar(vd.bool_) and not dt.is_integer_dtype(vd.bool_) and not dt.is_float_dtype(vd.bool_)
    assert dt.make_floating_dtype(vd.uint8) is dt.make_floating_dtype(vd.int8) is vd.float32
    for bad in (vd.uint8, vd.bool_):
        with pytest.raises(ValueError):
            dt.to_vector(bad, 3)


@pytest.mark.parametrize("array", [
    np.arange(251, dtype=np.uint8), np.arange(-128, 127, dtype=np.int8).reshape(5, 51), np.arange(21) % 3 == 0,
], ids=["uint8", "int8", "bool"])  # fmt: skip
def test_arrays_of_bytes_come_back(array):
    buffer = vd.asbuffer(array)
    assert buffer.itemsize == 1 and buffer.nbytes == array.nbytes
    got = buffer.read(0)
    assert got.dtype == array.dtype and (got == array).all()
    assert (buffer.copy().read(0) == array).all()


@pytest.mark.parametrize("size", [1, 3, 4, 7, 64])
def test_bytes_are_filled(size):
    buffer = vd.Buffer(size, vd.int8)
    buffer.fill(-5)
    assert buffer.read(0).tolist() == [-5] * size
    assert vd.zeros(size, vd.bool_).read(0).tolist() == [False] * size
    assert vd.ones(size, vd.bool_).read(0).tolist() == [True] * size
    truths = vd.Buffer(3, vd.bool_)
    truths.write([True, 0, 7])
    assert truths.read(0).tolist() == [True, False, True] and truths.read(0).view(np.uint8).tolist() == [1, 0, 1]
    with pytest.raises(OverflowError, match="300"):
        buffer.fill(300)


# ---- Integers of 8 bits


SCALARS = [vd.uint8, vd.int8, vd.uint16, vd.int16, vd.uint32, vd.int32, vd.uint64, vd.int64]


def test_the_wider_type_wins_and_of_the_same_width_the_signed_one(trace):
    for (i, a), (j, b) in itertools.product(enumerate(SCALARS), repeat=2):
        x, y = vc.new_register(a), vc.new_register(b)
        for got in (x + y, x * y, x // y, x & y, x << y):
            assert got.var_type is SCALARS[max(i, j)]
        assert (x < y).var_type is vd.int32
    x = vc.new_uint8_register()
    for got, wanted in (
        (x + 5, u8), (x * 255, u8), (x + 256, u32), (x - 1, u8), (x + -1, i32), (x * 0.5, f32), (x / 255, f32), (x / x, f32),
        (x * vc.new_float16_register(), f16), (vc.sqrt(x), f32), (vc.max(x, 3), u8), (vc.select(x, x, 0), u8), (x**2, f32),
    ):  # fmt: skip
        assert got.var_type is wanted
    assert (vc.new_int8_register() + -128).var_type is i8 and (vc.new_int8_register() + 128).var_type is u32


def test_a_picture_of_bytes_is_worked_on():
    @vd.shader("out.size")
    def brighten(out: Buff[u8], x: Buff[u8], gain: Const[f32]):
        i = vc.global_invocation_id().x
        out[i] = vc.to_uint8(vc.min(x[i] * gain + 0.5, 255.0))

    @vd.shader("out.size")
    def wrap(out: Buff[u8], x: Buff[u8], more: Const[u8]):
        i = vc.global_invocation_id().x
        out[i] = x[i] + more
        out[i] += 1

    @vd.shader("out.size")
    def signed(out: Buff[i8], x: Buff[u8]):
        i = vc.global_invocation_id().x
        out[i] = (-(x[i].to_dtype(i32) >> 1)).to_dtype(i8)

    photo = np.random.default_rng(2).integers(0, 256, (13, 17)).astype(np.uint8)
    out, small = vd.Buffer(photo.shape, u8), vd.Buffer(photo.shape, i8)
    brighten(out, vd.asbuffer(photo), 1.5)
    assert (out.read(0) == np.minimum(photo.astype(np.float32) * 1.5 + 0.5, 255).astype(np.uint8)).all()
    wrap(out, vd.asbuffer(photo), 200)
    assert (out.read(0) == photo + np.uint8(201)).all()
    signed(small, vd.asbuffer(photo))
    assert (small.read(0) == -(photo >> 1).astype(np.int8)).all()


@pytest.mark.parametrize("t", [i8, u8], ids=["int8", "uint8"])
def test_operators_on_bytes(t):
    kind = dt.to_numpy_dtype(t)
    edges = [-128, -127, -1, 0, 1, 5, 127] if t is i8 else [0, 1, 2, 127, 128, 254, 255]
    a, b = (np.array(v, kind) for v in zip(*itertools.product(edges, edges), strict=True))

    @vd.shader("out.size")
    def kernel(out: Buff[i32], a: Buff[t], b: Buff[t]):
        i = vc.global_invocation_id().x
        x, y = a[i // 8], b[i // 8]
        values = (x + y, x - y, x * y, vc.min(x, y), vc.max(x, y), x & y, vc.popcount(x), vc.clz(x))
        for k, value in enumerate(values):
            with vc.if_block(i % 8 == k):
                out[i] = value.to_dtype(i32)

    out = vd.Buffer((len(a), 8), i32)
    kernel(out, vd.asbuffer(a), vd.asbuffer(b))
    bits = [format(int(v) & 255, "08b") for v in a]
    wanted = [
        a + b, a - b, a * b, np.minimum(a, b), np.maximum(a, b), a & b,
        [s.count("1") for s in bits], [8 - len(s.lstrip("0")) for s in bits],
    ]  # fmt: skip
    assert (out.read(0) == np.stack(wanted, 1).astype(np.int32)).all()


def test_bytes_are_shared_and_tables():
    @vd.shader(64, local_size=64)
    def kernel(out: Buff[u8], table: Buff[u8], x: Buff[u8]):
        shared = vc.shared_buffer(u8, 64)
        i = vc.local_invocation_index()
        shared[63 - i] = table[x[i]]
        vc.barrier()
        out[i] = shared[i]

    table, x = np.arange(255, -1, -1, np.int32).astype(np.uint8), np.arange(0, 256, 4).astype(np.uint8)
    out = vd.Buffer(64, u8)
    kernel(out, vd.asbuffer(table), vd.asbuffer(x))
    assert (out.read(0) == table[x][::-1]).all()


# ---- Truths


def test_truths_are_stored_and_asked():
    @vd.shader("mask.size")
    def mark(mask: Buff[vd.bool_], x: Buff[f32]):
        i = vc.global_invocation_id().x
        mask[i] = x[i] > 0.5
        with vc.if_block(i == 3):
            mask[i] = True
        mask[i] |= x[i] < -0.5
        mask[i] ^= i == 0
        mask[i] &= True

    @vd.shader("out.size")
    def use(out: Buff[f32], mask: Buff[vd.bool_], flip: Const[vd.bool_], other: Var[vd.bool_]):
        i = vc.global_invocation_id().x
        kept = mask[i].to_register("kept")
        with vc.if_block(flip):
            kept[:] = vc.logical_and(kept == 0, True)
        seen = vc.new_bool_register(kept)
        with vc.if_block(vc.all(seen, vc.any(other, True))):
            out[i] = 1.0 + mask[i] * 2 + vc.select(other, 10, 20)
        out[i] += vc.to_float(mask[i]) * 100

    x = np.array([0.9, 0.1, -0.9, 0, 0.6, -0.2], np.float32)
    mask, out = vd.Buffer(6, vd.bool_), vd.zeros(6)
    mark(mask, vd.asbuffer(x))
    wanted = (x > 0.5) | (np.arange(6) == 3) | (x < -0.5)
    wanted[0] ^= True
    assert mask.read(0).dtype == np.bool_ and (mask.read(0) == wanted).all()
    assert set(mask.read(0).view(np.uint8).tolist()) <= {0, 1}
    for flip, other in itertools.product((False, True), repeat=2):
        out.fill(0)
        use(out, mask, flip, other)
        inside = 1 + wanted * 2 + (10 if other else 20)
        assert out.read(0).tolist() == (np.where(wanted != flip, inside, 0) + wanted * 100).tolist()


def test_every_byte_that_is_not_0_is_true():
    @vd.shader("out.size")
    def kernel(out: Buff[i32], mask: Buff[vd.bool_]):
        i = vc.global_invocation_id().x
        out[i] = mask[i].to_dtype(i32) + mask[i] * 10 + vc.to_int(vc.subgroup_any(mask[i])) * 0

    mask, out = vd.Buffer(5, vd.bool_), vd.Buffer(5, i32)
    mask.write(bytes([0, 1, 2, 128, 255]))
    kernel(out, mask)
    assert out.read(0).tolist() == [0, 11, 11, 11, 11]


def test_truths_are_shared():
    @vd.shader(32, local_size=32)
    def kernel(out: Buff[vd.bool_]):
        shared = vc.shared_buffer(vd.bool_, 32)
        i = vc.local_invocation_index()
        shared[i] = i % 3 == 0
        vc.barrier()
        out[i] = vc.any(shared[31 - i], shared[i])

    out = vd.Buffer(32, vd.bool_)
    kernel(out)
    thirds = np.arange(32) % 3 == 0
    assert (out.read(0) == thirds | thirds[::-1]).all()


def test_truths_count_as_int32_under_operators(trace):
    (mask,) = trace.declare_input_arguments([Buff[vd.bool_]], ["mask"])
    n = vc.new_uint_register()
    assert mask[n].var_type is vd.bool_ and mask[n].to_register().var_type is vd.bool_
    assert vc.new_bool_register().var_type is vd.bool_ and vc.to_bool(n).var_type is vd.bool_
    for got, wanted in (
        (mask[n] + 1, i32), (mask[n] * 0.5, f32), (-mask[n], i32), (mask[n] == 0, i32), (vc.min(mask[n], n), i32),
        (vc.abs(mask[n]), i32), (vc.to_float(mask[n]), f32), (mask[n].to_dtype(u8), u8), (vc.subgroup_add(mask[n]), i32),
        (vc.select(mask[n], n, 1), u32), (mask[mask[n]], vd.bool_), (vc.sqrt(mask[n]), f32),
    ):  # fmt: skip
        assert got.var_type is wanted


def test_what_truths_refuse(trace):
    mask, x, flag = trace.declare_input_arguments([Buff[vd.bool_], Buff[i32], Const[vd.bool_]], ["mask", "x", "flag"])
    n = vc.new_int_register()
    for error, text, use in (
        (ValueError, "type 'bool_' to value of type 'int32'.*write value != 0", lambda: mask.__setitem__(0, n)),
        (ValueError, "type 'int32' to value of type 'bool_'", lambda: x.__setitem__(0, mask[0])),
        (TypeError, r"\(2\), which is neither", lambda: mask.__setitem__(0, 2)),
        (TypeError, r"\(0.5\), which is neither", lambda: mask.__setitem__(0, 0.5)),
        (ValueError, "expression or a constant", lambda: flag.__setitem__(slice(None), True)),
        (TypeError, r"has none: '\(mask\[0\] != 0\) == 0' is its opposite", lambda: ~mask[0]),
        (TypeError, r"has none: 'kept == 0' is its opposite", lambda: ~vc.new_bool_register(1, var_name="kept")),
        (TypeError, r"not by \+=", lambda: mask[0].__iadd__(1)),
        (TypeError, "not by &= with int32", lambda: mask[0].__iand__(n)),
        (TypeError, "atomic_add", lambda: vc.atomic_add(mask[0], 1)),
        (TypeError, "stop must be an integer", lambda: vc.for_block(mask[0])),
    ):
        with pytest.raises(error, match=text):
            use()


def test_other_programs_bytes_may_be_read_as_truths():
    @vd.shader("out.size")
    def kernel(out: Buff[i32], mask: Buff[vd.bool_]):
        i = vc.global_invocation_id().x
        out[i] = vc.select(mask[i], 1, 0).to_dtype(i32)

    out = vd.Buffer(4, i32)
    kernel(out, vd.asbuffer(np.array([0, 9, 0, 200], np.uint8)))
    assert out.read(0).tolist() == [0, 1, 0, 1]
