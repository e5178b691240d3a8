"""Functions of numbers alone compute while tracing, and give nan and infinities as a device would."""

import math

import numpy as np
import pytest
import vkdispatch.codegen as vc
from hypothesis import given
from hypothesis import strategies as st

NAN, INF = math.nan, math.inf

CASES = [
    (vc.abs, (-2,), 2.0), (vc.abs, (3 + 4j,), 5.0), (vc.sign, (-7,), -1.0), (vc.sign, (0,), 0.0), (vc.sign, (NAN,), NAN),
    (vc.floor, (-1.5,), -2.0), (vc.floor, (INF,), INF), (vc.ceil, (1.2,), 2.0), (vc.trunc, (-1.9,), -1.0),
    (vc.round, (2.5,), 2.0), (vc.round, (3.5,), 4.0), (vc.round_even, (-0.5,), 0.0), (vc.round, (NAN,), NAN),
    (vc.fract, (-0.25,), 0.75), (vc.fract, (3,), 0.0), (vc.mod, (-1, 3), 2.0), (vc.mod, (1, 0), NAN), (vc.mod, (5.5, -2), -0.5),
    (vc.min, (1, 2), 1.0), (vc.max, (1, 2), 2.0), (vc.min, (NAN, 2), 2.0), (vc.max, (2, NAN), 2.0),
    (vc.clamp, (5, 0, 1), 1.0), (vc.clip, (-5, 0, 1), 0.0), (vc.mix, (1, 3, 2), 5.0), (vc.step, (2, 2), 1.0), (vc.step, (2, 1), 0.0),
    (vc.smoothstep, (0, 1, 0.5), 0.5), (vc.smoothstep, (1, 1, 1), 1.0), (vc.smoothstep, (1, 1, 0.5), 0.0), (vc.smoothstep, (0, 1, 9), 1.0),
    (vc.fma, (2, 3, 4), 10.0), (vc.sqrt, (9,), 3.0), (vc.sqrt, (-1,), NAN), (vc.inversesqrt, (4,), 0.5), (vc.inversesqrt, (0,), INF),
    (vc.inversesqrt, (-1,), NAN), (vc.exp, (0,), 1.0), (vc.exp, (1e9,), INF), (vc.exp2, (3,), 8.0), (vc.exp2, (1e5,), INF),
    (vc.log, (0,), -INF), (vc.log, (-1,), NAN), (vc.log2, (8,), 3.0), (vc.log2, (0,), -INF), (vc.pow, (2, 10), 1024.0),
    (vc.pow, (-8, 1 / 3), NAN), (vc.pow, (0, -1), INF), (vc.pow, (-2, 1025), -INF), (vc.pow, (10, 400), INF), (vc.pow, (-0.0, -3), -INF),
    (vc.sin, (INF,), NAN), (vc.acos, (2,), NAN), (vc.atanh, (1,), INF), (vc.atanh, (-1,), -INF), (vc.acosh, (0.5,), NAN),
    (vc.sinh, (-1e4,), -INF), (vc.cosh, (-1e4,), INF), (vc.atan2, (1, -1), 0.75 * math.pi), (vc.radians, (180,), math.pi),
    (vc.degrees, (math.pi,), 180.0), (vc.length, (-3,), 3.0), (vc.distance, (1, 4), 3.0), (vc.dot, (2, 3), 6.0),
    (vc.exp, (1j * math.pi,), -1.0), (vc.sqrt, (-4 + 0j,), 2j), (vc.log, (0j,), complex(NAN, NAN)), (vc.pow, (1j, 2), -1.0),
]  # fmt: skip


@pytest.mark.parametrize("function, arguments, wanted", CASES, ids=lambda x: getattr(x, "__name__", str(x)))
def test_folding(function, arguments, wanted):
    got = function(*arguments)
    assert isinstance(got, (float, complex))
    np.testing.assert_allclose(got, wanted, rtol=1e-14, atol=1e-15)


def test_tests_give_bools():
    assert vc.isnan(NAN) is True and vc.isnan(1) is False and vc.isinf(-INF) is True and vc.isinf(2.5) is False


def test_modf_of_a_number_is_a_pair():
    assert vc.modf(-1.25) == (-0.25, -1.0) and vc.modf(1.25, 7) == (0.25, 1.0)


def test_bit_casts_fold():
    assert vc.float_bits_to_int(1.0) == 0x3F800000 and vc.float_bits_to_uint(-0.0) == 0x80000000
    assert vc.float_bits_to_int(-1.0) == 0x3F800000 - 2**31
    assert vc.int_bits_to_float(-(2**31)) == 0.0 and vc.uint_bits_to_float(0x40490FDB) == pytest.approx(
        math.pi, rel=1e-7
    )
    assert isinstance(vc.float_bits_to_uint(2), int)


def test_numpy_numbers_fold():
    assert vc.sqrt(np.float32(4)) == 2.0 and vc.max(np.int64(3), np.float64(2)) == 3.0


def test_complex_numbers_where_none_may_be():
    for function in (vc.sin, vc.floor, vc.exp2, vc.sign, vc.isnan):
        with pytest.raises(TypeError):
            function(1j)


@given(st.floats(), st.floats())
def test_no_argument_raises(x, y):
    for function in (vc.abs, vc.sign, vc.floor, vc.round, vc.fract, vc.sin, vc.tan, vc.asin, vc.sinh, vc.acosh, vc.exp, vc.exp2, vc.log,
                     vc.log2, vc.sqrt, vc.inversesqrt, vc.radians, vc.length):  # fmt: skip
        assert isinstance(function(x), float)
    for function in (vc.mod, vc.min, vc.max, vc.step, vc.pow, vc.atan2, vc.distance, vc.dot):
        assert isinstance(function(x, y), float)
    assert isinstance(vc.mix(x, y, 0.5), float) and isinstance(vc.smoothstep(x, y, 0.5), float)


@given(st.floats(width=32))
def test_bit_casts_come_back(x):
    assert vc.uint_bits_to_float(vc.float_bits_to_uint(x)) == x or math.isnan(x)
