"""Results of kernels, compared with NumPy: operators on every pair of types, conversions, functions, vectors, complex
numbers."""

import functools
import math
import os
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from vkdispatch._native import _enums
from vkdispatch.base import dtype as dt
from vkdispatch.codegen.abbreviations import *

SCALARS = (u16, i16, u32, i32, u64, i64, f16, f32, f64)
INTEGERS = SCALARS[:6]
LANES = 8
FULL = bool(os.environ.get("VD_TEST_FULL"))  # the long form


@pytest.fixture(scope="module", autouse=True)
def context():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vd.make_context()


def supported(t):
    """Whether the device has scalars of a type."""
    bit = {
        f16: _enums.VD_FEATURE_F16,
        f64: _enums.VD_FEATURE_F64,
        u64: _enums.VD_FEATURE_I64,
        i64: _enums.VD_FEATURE_I64,
    }
    needed = bit.get(t, 0)
    return vd.get_context().device_infos[0].features & needed == needed


def launch(kernel, n, *arguments):
    """Run a kernel on NumPy arrays; the result is all of them as they are after."""
    buffers = [vd.asbuffer(a) if isinstance(a, np.ndarray) else a for a in arguments]
    kernel(*buffers, exec_size=n)
    return [b.read(0) if isinstance(b, vd.Buffer) else b for b in buffers]


def evaluate(expression, *arrays, types=None):
    """Element by element what `expression`, traced on elements of the arrays, gives."""
    types = types or [dt.from_numpy_dtype(a.dtype) for a in arrays]
    with vc.shader_context() as trace:
        inputs = trace.declare_input_arguments([Buff[t] for t in types])
        i = vc.global_invocation_id().x
        result = expression(*[x[i] for x in inputs])
        out = trace.builder.declare_shader_arguments([Buff[result.var_type]])[-1]
        out[i] = result
        description = trace.get_description("expression")
    kernel = vd.make_shader_function(description, exec_count=len(arrays[0]))
    got = vd.Buffer((len(arrays[0]),), result.var_type)
    kernel(
        *[
            vd.asbuffer(a) if t.child_type is None or dt.is_complex(t) else _typed(a, t)
            for a, t in zip(arrays, types, strict=True)
        ],
        got,
    )
    return got.read(0)


def _typed(array, t):
    buffer = vd.Buffer((len(array),), t)
    buffer.write(array)
    return buffer


def close(got, wanted, ulp=4):
    wanted = np.asarray(wanted)
    eps = np.finfo(wanted.dtype).eps if wanted.dtype.kind in "fc" else 0
    tiny = np.finfo(wanted.dtype).tiny if wanted.dtype.kind in "fc" else 0
    np.testing.assert_allclose(got, wanted, rtol=ulp * eps, atol=ulp * tiny)


# ---- Operators on every pair of types (6, 7)

OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
WHOLE = ("//", "%", "&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@functools.cache
def pair_kernel(ta, tb):
    """All operators on one pair of types in one kernel, each into a buffer of its own."""
    signs = [s for s in OPERATORS if s not in WHOLE or ta in INTEGERS and tb in INTEGERS]
    with vc.shader_context() as trace:
        a, b = trace.declare_input_arguments([Buff[ta], Buff[tb]])
        i = vc.global_invocation_id().x
        results = [OPERATORS[s](a[i], b[i]) for s in signs]
        # A quotient of 16-bit integers is an f16.
        signs, results = zip(
            *[(s, r) for s, r in zip(signs, results, strict=True) if supported(r.var_type)], strict=True
        )
        types = [r.var_type for r in results]
        for out, r in zip(trace.builder.declare_shader_arguments([Buff[t] for t in types])[2:], results, strict=True):
            out[i] = r
        description = trace.get_description(f"{ta.name}_{tb.name}")
    return signs, types, vd.make_shader_function(description, exec_count=LANES)


def run_pair(ta, tb, a, b):
    signs, types, kernel = pair_kernel(ta, tb)
    outputs = [vd.Buffer((LANES,), t) for t in types]
    kernel(vd.asbuffer(a), vd.asbuffer(b), *outputs)
    return signs, types, [o.read(0) for o in outputs]


def numpy_result(sign, a, b, common, result):
    """NumPy's answer, both sides converted first."""
    common_np = dt.to_numpy_dtype(common)
    if sign == "/":
        common_np = dt.to_numpy_dtype(result)
    x, y = a.astype(common_np), b.astype(common_np)
    if sign in ("<<", ">>"):
        y = y & common_np.type(8 * common.item_size - 1)
    if sign == "/":
        return x / y
    if sign in ("//", "%") and common in (i16, i32, i64):
        return np.floor_divide(x, y) if sign == "//" else np.mod(x, y)
    return OPERATORS[sign](x, y)


def numbers(t):
    """A strategy of lists of values of a type that keep every conversion between types in range."""
    if t in INTEGERS:
        info = np.iinfo(dt.to_numpy_dtype(t))
        element = st.integers(int(info.min), int(info.max)) | st.integers(0, 9)
        return st.lists(element, min_size=LANES, max_size=LANES)
    width = 8 * t.item_size
    limit = 30000.0 if width == 16 else 2.0**99
    element = st.floats(-limit, limit, width=width, allow_subnormal=False) | st.integers(-9, 9).map(float)
    return st.lists(element, min_size=LANES, max_size=LANES)


@st.composite
def pairs(draw):
    ta, tb = draw(st.sampled_from(SCALARS)), draw(st.sampled_from(SCALARS))
    assume(supported(ta) and supported(tb))
    return ta, tb, draw(numbers(ta)), draw(numbers(tb))


def check_pair(ta, tb, a, b):
    a = np.array(a, dt.to_numpy_dtype(ta))
    b = np.array(b, dt.to_numpy_dtype(tb))
    b[b == 0] = 3
    common = dt.cross_type(ta, tb)
    with np.errstate(all="ignore"):
        for sign, t, got in zip(*run_pair(ta, tb, a, b), strict=True):
            y = b.astype(dt.to_numpy_dtype(common))
            if sign in ("/", "//", "%") and not y.all():
                continue  # what wraps to zero divides otherwise
            wanted = numpy_result(sign, a, b, common, t)
            assert t is (dt.int32 if sign in COMPARISONS else dt.make_floating_dtype(common) if sign == "/" else common)
            if t in (f16, f32, f64):
                finite = np.isfinite(wanted) & (np.abs(wanted) > 1e3 * np.finfo(wanted.dtype).tiny)
                close(got[finite], wanted[finite], 3)
            else:
                np.testing.assert_array_equal(
                    got, wanted.astype(dt.to_numpy_dtype(t)), err_msg=f"{ta} {sign} {tb}: {a} {b}"
                )


@pytest.mark.parametrize("tb", SCALARS, ids=lambda t: t.name)
@pytest.mark.parametrize("ta", SCALARS, ids=lambda t: t.name)
def test_every_pair(ta, tb):
    signed = (i16, i32, i64, f16, f32, f64)
    a = [-200, -7, 65, -3, 9, 100, -1, 0] if ta in signed else [200, 7, 65, 3, 9, 100, 1, 0]
    b = [3, -2, 7, -5, -9, 11, 200, -1] if tb in signed else [3, 2, 7, 5, 9, 11, 200, 1]
    check_pair(ta, tb, a, b)


@settings(
    max_examples=3000 if FULL else 150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(pairs())
def test_pairs(case):
    check_pair(*case)


# Formulas of several operators: what the passes of the core make of them is still what NumPy computes.

LEAVES = (u16, i16, u32, i32, u64, i64)
STEPS = ("+", "-", "*", "//", "%", "&", "|", "^", "<", "==", "min", "neg", "not", "cast", "literal")


@st.composite
def formulas(draw, depth=4):
    """(function of the inputs, the same on arrays of their types, the type)"""
    if depth == 0 or draw(st.integers(0, 9)) == 0:
        k = draw(st.integers(0, len(LEAVES) - 1))
        return (lambda x: x[k]), (lambda x: x[k]), LEAVES[k]
    step = draw(st.sampled_from(STEPS))
    f, g, t = draw(formulas(depth=depth - 1))
    if step == "neg":
        return (lambda x: -f(x)), (lambda x: (0 - g(x).astype(np.int64)).astype(dt.to_numpy_dtype(t))), t
    if step == "not":
        return (lambda x: ~f(x)), (lambda x: ~g(x)), t
    if step == "cast":
        to = draw(st.sampled_from(LEAVES))
        return (lambda x: f(x).to_dtype(to)), (lambda x: g(x).astype(dt.to_numpy_dtype(to))), to
    if step == "literal":
        n = draw(st.integers(0, 30000))
        wide = dt.cross_type(t, t if t in (u16, i16) else u32)
        kind = dt.to_numpy_dtype(wide)
        return (lambda x: f(x) * n + n), (lambda x: g(x).astype(kind) * kind.type(n) + kind.type(n)), wide
    f2, g2, t2 = draw(formulas(depth=depth - 1))
    common = dt.cross_type(t, t2)
    kind = dt.to_numpy_dtype(common)

    def both(x):
        a, b = g(x).astype(kind), g2(x).astype(kind)
        return a, (b | kind.type(1) if step in ("//", "%") else b)

    if step == "min":
        return (lambda x: vc.min(f(x), f2(x))), (lambda x: np.minimum(*both(x))), common
    if step in ("<", "=="):
        return (lambda x: OPERATORS[step](f(x), f2(x))), (lambda x: OPERATORS[step](*both(x)).astype(np.int32)), i32
    if step in ("//", "%"):
        odd = lambda x: f2(x).to_dtype(common) | vc.to_dtype(common, 1)
        return (lambda x: OPERATORS[step](f(x), odd(x))), (lambda x: OPERATORS[step](*both(x))), common
    return (lambda x: OPERATORS[step](f(x), f2(x))), (lambda x: OPERATORS[step](*both(x))), common


@settings(max_examples=1500 if FULL else 60, deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas(), st.integers(0, 2**32 - 1))
def test_formulas_of_integers(formula, seed):
    function, reference, t = formula
    rng = np.random.default_rng(seed)
    inputs = []
    for leaf in LEAVES:
        info = np.iinfo(dt.to_numpy_dtype(leaf))
        inputs.append(rng.integers(info.min, info.max, 16, dtype=info.dtype, endpoint=True))
    with np.errstate(all="ignore"):
        wanted = reference(inputs)
    got = evaluate(lambda *x: function(x), *inputs)
    assert got.dtype == dt.to_numpy_dtype(t)
    np.testing.assert_array_equal(got, wanted)


def test_signed_wins_over_unsigned_in_comparisons():
    u, i = np.array([1, 2, 3], np.uint32), np.array([2, 2, -1], np.int32)
    assert evaluate(lambda a, b: (a - b) < 0, u, i).tolist() == [1, 0, 0]
    assert evaluate(lambda a, b: a > b, u, i).tolist() == [0, 0, 1]


def test_floor_division_and_modulo_are_those_of_python():
    x = np.arange(-9, 10, dtype=np.int32)
    for divisor in (4, 3, -3, -4):
        assert (evaluate(lambda a, d=divisor: a // d, x) == x // divisor).all()
        assert (evaluate(lambda a, d=divisor: a % d, x) == x % divisor).all()
    y = np.array([1, 2, 3, 8, 9], np.uint32)
    assert (evaluate(lambda a: 8 // a, y) == 8 // y).all()
    assert (evaluate(lambda a: 1 // a, y) == 1 // y).all()


def test_literals_take_the_precision_that_they_meet():
    x = np.array([1.0, 2.0, 3.0])
    assert (evaluate(lambda a: a + 0.1, x) == x + 0.1).all()
    assert (evaluate(lambda a: a / 3, x) == x / 3).all()
    h = np.array([1, 2, 3], np.float16)
    assert (evaluate(lambda a: a * 0.5, h) == h * np.float16(0.5)).all()
    assert np.isinf(evaluate(lambda a: a + float("inf"), h)).all()
    assert (evaluate(lambda a: vc.new_float64_register(0.1), x) == 0.1).all()


def test_powers():
    x = np.array([-2.0, 0.5, 3.0], np.float32)
    for n in (1, 2, 3, 4, 7, 16, -1, -3):
        close(evaluate(lambda a, n=n: a**n, x), x.astype(np.float64) ** n, ulp=1e10)
        np.testing.assert_allclose(evaluate(lambda a, n=n: a**n, x), x.astype(np.float64) ** n, rtol=2e-6)
    i = np.array([-2, 3, 5], np.int32)
    np.testing.assert_allclose(evaluate(lambda a: a**2, i), i**2)
    np.testing.assert_allclose(evaluate(lambda a: a**-2, i), 1 / i.astype(float) ** 2, rtol=1e-6)
    p = np.array([0.5, 2.0, 9.0], np.float32)
    np.testing.assert_allclose(evaluate(lambda a: a**0.5, p), np.sqrt(p), rtol=1e-6)
    np.testing.assert_allclose(evaluate(lambda a: 2**a, p), 2**p, rtol=1e-6)
    np.testing.assert_allclose(evaluate(lambda a, b: a**b, p, x), p**x, rtol=1e-6)


# ---- Conversions (15)


@pytest.mark.parametrize("target", SCALARS, ids=lambda t: t.name)
@pytest.mark.parametrize("source", SCALARS, ids=lambda t: t.name)
def test_conversions_between_scalars(source, target):
    values = [0, 1, 2.5, -1, -2.75, 100.9, 1e4, 70000, -70000, 3e9, 1e12, -1e12]
    s, t = dt.to_numpy_dtype(source), dt.to_numpy_dtype(target)
    if source in INTEGERS:
        info = np.iinfo(s)
        x = np.array([int(v) for v in values if info.min <= v <= info.max], s)
    else:
        x = np.array([v for v in values if abs(v) < float(np.finfo(s).max)], s)
    got = evaluate(lambda a: a.to_dtype(target), x)
    if source not in INTEGERS and target in INTEGERS:
        info = np.iinfo(t)
        assert got.tolist() == [min(max(math.trunc(v), int(info.min)), int(info.max)) for v in x.tolist()]
    else:
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(got, x.astype(t))


def test_constants_convert_as_values_do():
    one = np.zeros(1, np.float32)
    cases = [(vc.to_int, -2.9, -2), (vc.to_uint, -5, 2**32 - 5), (vc.to_uint, -5.5, 0), (vc.to_int16, 70000, 4464),
             (vc.to_int16, 70000.0, 32767), (vc.to_uint64, 2**64 - 1, 2**64 - 1), (vc.to_int, math.nan, 0),
             (vc.to_float16, 1e9, np.inf), (vc.to_float, 1e300, np.inf), (vc.to_float64, 0.1, 0.1)]  # fmt: skip
    for function, value, wanted in cases:
        assert evaluate(lambda a, f=function, v=value: f(v), one)[0] == wanted, (function, value)


def test_bit_casts():
    x = np.array([1.0, -2.5, np.pi, 1e-30], np.float32)
    assert (evaluate(vc.float_bits_to_int, x) == x.view(np.int32)).all()
    assert (evaluate(vc.float_bits_to_uint, x) == x.view(np.uint32)).all()
    assert (evaluate(vc.int_bits_to_float, x.view(np.int32)) == x).all()
    assert (evaluate(vc.uint_bits_to_float, x.view(np.uint32)) == x).all()


# ---- Comparisons as numbers and conditions (7.3)


@pytest.mark.parametrize("t", INTEGERS, ids=lambda t: t.name)
def test_bits_are_counted(t):
    if not supported(t):
        pytest.skip(f"needs {t.name}")
    width = 8 * t.item_size
    numbers = [0, 1, 2, 3, 0b1011000, (1 << width) - 1, 1 << (width - 1), (1 << width) - 2, 1 << (width // 2)]
    unsigned = np.array(numbers, f"uint{width}")
    texts = [format(n, f"0{width}b") for n in numbers]
    x = unsigned.view(dt.to_numpy_dtype(t))
    for function, fold in (
        (vc.popcount, lambda s: s.count("1")),
        (vc.clz, lambda s: len(s) - len(s.lstrip("0"))),
        (vc.ctz, lambda s: len(s) - len(s.rstrip("0"))),
        (vc.bitreverse, lambda s: int(s[::-1], 2)),
    ):
        got = evaluate(function, x)
        assert got.dtype == x.dtype
        assert got.view(unsigned.dtype).tolist() == [fold(s) for s in texts], function.__name__


def test_bits_of_vectors_numbers_and_what_has_none():
    x = np.array([[1, 2, 255], [0, 2**31, 7]], np.uint32)
    assert evaluate(vc.popcount, x, types=[uv3]).tolist() == [[1, 1, 8], [0, 1, 3]]
    assert (vc.popcount(7), vc.clz(1), vc.ctz(8), vc.bitreverse(1), vc.clz(2**40)) == (3, 31, 3, 2**31, 23)
    assert vc.popcount(-1) == 32
    with vc.shader_context():
        for bad in (vc.new_float_register(), vc.new_mat2_register(), vc.new_complex_register(), 1.5):
            for function in (vc.popcount, vc.clz, vc.ctz, vc.bitreverse):
                with pytest.raises(TypeError, match=rf"{function.__name__}\(\) takes integers, not"):
                    function(bad)


def test_comparisons_are_one_or_zero():
    x = np.array([-1, 0, 1], np.int32)
    assert evaluate(lambda a: (a > 0) + (a == 0) * 10, x).tolist() == [0, 10, 1]
    assert evaluate(lambda a: ~(a > 0), x).tolist() == [-1, -1, -2]
    assert evaluate(lambda a: vc.any(a < 0, a > 0), x).tolist() == [1, 0, 1]
    assert evaluate(lambda a: vc.all(a >= 0, a, True), x).tolist() == [0, 0, 1]
    assert evaluate(lambda a: vc.any(), x).tolist() == [0, 0, 0]
    assert evaluate(lambda a: vc.all(), x).tolist() == [1, 1, 1]
    assert evaluate(lambda a: (a > 0) == (a >= 1), x).tolist() == [1, 1, 1]


def test_vectors_compare_as_a_whole():
    x = np.array([[1, 2], [1, 3], [0, 0]], np.float32)
    assert evaluate(lambda a: a == vc.to_vec2(1, 2), x, types=[v2]).tolist() == [1, 0, 0]
    assert evaluate(lambda a: a != vc.to_vec2(1, 2), x, types=[v2]).tolist() == [0, 1, 1]
    z = np.array([1 + 2j, 1, 2j], np.complex64)
    assert evaluate(lambda a: a == 1, z).tolist() == [0, 1, 0]
    assert evaluate(lambda a: a != (1 + 2j), z).tolist() == [0, 1, 1]


# ---- Functions (12)

UNARY = [
    (vc.sin, np.sin, (-9, 9)), (vc.cos, np.cos, (-9, 9)), (vc.tan, np.tan, (-1.5, 1.5)), (vc.asin, np.arcsin, (-1, 1)),
    (vc.acos, np.arccos, (-0.99, 0.99)), (vc.atan, np.arctan, (-9, 9)), (vc.sinh, np.sinh, (-5, 5)), (vc.cosh, np.cosh, (-5, 5)),
    (vc.tanh, np.tanh, (-5, 5)), (vc.asinh, np.arcsinh, (-9, 9)), (vc.acosh, np.arccosh, (1.1, 9)), (vc.atanh, np.arctanh, (-0.9, 0.9)),
    (vc.exp, np.exp, (-9, 9)), (vc.exp2, np.exp2, (-9, 9)), (vc.log, np.log, (0.01, 99)), (vc.log2, np.log2, (0.01, 99)),
    (vc.sqrt, np.sqrt, (0, 99)), (vc.inversesqrt, lambda x: 1 / np.sqrt(x), (0.01, 99)), (vc.radians, np.radians, (-360, 360)),
    (vc.degrees, np.degrees, (-7, 7)), (vc.floor, np.floor, (-9, 9)), (vc.ceil, np.ceil, (-9, 9)), (vc.trunc, np.trunc, (-9, 9)),
    (vc.round, np.round, (-9, 9)), (vc.round_even, np.round, (-9, 9)), (vc.abs, np.abs, (-9, 9)), (vc.sign, np.sign, (-9, 9)),
    (vc.fract, lambda x: x - np.floor(x), (-9, 9)),
]  # fmt: skip


INVERSE = (vc.asin, vc.acos, vc.atan, vc.asinh, vc.acosh, vc.atanh)


@pytest.mark.parametrize("t", [f32, f64, f16], ids=lambda t: t.name)
def test_functions_of_one_argument(t):
    kind = dt.to_numpy_dtype(t)
    n = 64
    inputs = np.empty((len(UNARY), n), kind)
    with vc.shader_context() as trace:
        x, y = trace.declare_input_arguments([Buff[t], Buff[t]])
        i = vc.global_invocation_id().x
        for k, (function, _, (low, high)) in enumerate(UNARY):
            y[i + k * n] = function(x[i + k * n])
            inputs[k] = np.concatenate([np.linspace(low, high, n - 4), np.clip([0.5, 1.5, 2.5, -0.5], low, high)])
        description = trace.get_description("functions")
    got = vd.asbuffer(np.zeros(inputs.size, kind))
    try:
        vd.make_shader_function(description, exec_count=n)(vd.asbuffer(inputs.ravel()), got)
    except vd.ShaderBuildError as error:
        if "has no form of" not in str(error):
            raise
        pytest.skip(str(error))
    eps = np.finfo(kind).eps
    native = 2**-10 if vd.get_backend() != "host" else 0  # what drivers promise of their own inverse functions
    for (function, reference, _), x, y in zip(UNARY, inputs, got.read(0).reshape(inputs.shape), strict=True):
        wanted = reference(x.astype(np.float64))
        atol = max(8 * eps, native * (function in INVERSE))
        np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=8 * eps, atol=atol, err_msg=function.__name__)


def test_functions_of_more_arguments():
    rng = np.random.default_rng(1)
    x, y, z = rng.uniform(-4, 4, (3, 64)).astype(np.float32)
    cases = [
        (lambda a, b, c: vc.min(a, b), np.minimum(x, y)),
        (lambda a, b, c: vc.max(a, b), np.maximum(x, y)),
        (lambda a, b, c: vc.clamp(a, -1, 1), np.clip(x, -1, 1)),
        (lambda a, b, c: vc.mix(a, b, c), x + (y - x) * z),
        (lambda a, b, c: vc.mod(a, b), x - y * np.floor(x / y)),
        (lambda a, b, c: vc.step(a, b), (y >= x).astype(np.float32)),
        (lambda a, b, c: vc.fma(a, b, c), x.astype(np.float64) * y + z),
        (lambda a, b, c: vc.atan2(a, b), np.arctan2(x, y)),
        (lambda a, b, c: vc.pow(vc.abs(a), b), np.abs(x) ** y),
        (lambda a, b, c: vc.modf(a)[0], np.modf(x)[0]),
        (lambda a, b, c: vc.modf(a)[1], np.modf(x)[1]),
        (lambda a, b, c: vc.distance(a, b), np.abs(y - x)),
        (lambda a, b, c: vc.dot(a, b), x * y),
        (lambda a, b, c: vc.length(a), np.abs(x)),
    ]
    for expression, wanted in cases:
        np.testing.assert_allclose(evaluate(expression, x, y, z), wanted, rtol=1e-5, atol=2e-6)
    t = np.clip((x + 1) / 3, 0, 1)
    np.testing.assert_allclose(
        evaluate(lambda a: vc.smoothstep(-1, 2, a), x), t * t * (3 - 2 * t), rtol=1e-5, atol=1e-6
    )


def test_integers_stay_integers():
    x, y = np.array([-5, 7, 2**31 - 1], np.int32), np.array([3, -7, 1], np.int32)
    assert (evaluate(vc.min, x, y) == np.minimum(x, y)).all() and (evaluate(vc.max, x, y) == np.maximum(x, y)).all()
    assert evaluate(vc.abs, x).tolist() == [5, 7, 2**31 - 1] and evaluate(vc.sign, x).tolist() == [-1, 1, 1]
    assert evaluate(lambda a: vc.clamp(a, 0, 100), x).tolist() == [0, 7, 100]


def test_nan_and_infinity():
    x = np.array([1, np.nan, np.inf, -np.inf], np.float32)
    assert evaluate(vc.isnan, x).tolist() == [0, 1, 0, 0]
    assert evaluate(vc.isinf, x).tolist() == [0, 0, 1, 1]
    assert evaluate(lambda a: vc.min(a, 2), x).tolist() == [1, 2, 2, -np.inf]
    for function, wanted in (
        (vc.inf_f32, np.inf),
        (vc.ninf_f32, -np.inf),
        (vc.inf_f16, np.inf),
        (vc.ninf_f64, -np.inf),
    ):
        assert evaluate(lambda a, f=function: f(), x)[0] == wanted


# ---- Vectors and matrices (14)


def test_vectors():
    rng = np.random.default_rng(2)
    x, y = rng.uniform(-2, 2, (2, 16, 3)).astype(np.float32)
    i = rng.integers(0, 3, 16).astype(np.uint32)
    cases = [
        (lambda a, b, k: a + b * 2, x + y * 2),
        (lambda a, b, k: 1 / a, 1 / x),
        (lambda a, b, k: vc.dot(a, b), (x * y).sum(1)),
        (lambda a, b, k: a @ b, (x * y).sum(1)),
        (lambda a, b, k: vc.length(a), np.linalg.norm(x, axis=1)),
        (lambda a, b, k: vc.distance(a, b), np.linalg.norm(x - y, axis=1)),
        (lambda a, b, k: vc.normalize(a), x / np.linalg.norm(x, axis=1, keepdims=True)),
        (lambda a, b, k: vc.cross(a, b), np.cross(x, y)),
        (lambda a, b, k: a.swizzle("zxx"), x[:, [2, 0, 0]]),
        (lambda a, b, k: a[k], x[np.arange(16), i]),
        (lambda a, b, k: a.z, x[:, 2]),
        (lambda a, b, k: vc.to_vec4(b.swizzle("xy"), a.z, 5), np.c_[y[:, :2], x[:, 2], np.full(16, 5)]),
        (lambda a, b, k: vc.to_vec2(a), x[:, :2]),
        (lambda a, b, k: vc.to_vec3(a.x), np.repeat(x[:, :1], 3, 1)),
        (lambda a, b, k: -a, -x),
        (lambda a, b, k: vc.max(a, 0), np.maximum(x, 0)),
    ]
    for expression, wanted in cases:
        got = evaluate(expression, x, y, i, types=[v3, v3, u32])
        np.testing.assert_allclose(got, wanted, rtol=2e-6, atol=1e-6)
    ints = rng.integers(-9, 9, (16, 3)).astype(np.int32)
    assert (evaluate(lambda a: a % 4, ints, types=[iv3]) == ints % 4).all()
    assert (evaluate(lambda a: vc.dot(a, a), ints, types=[iv3]) == (ints * ints).sum(1)).all()
    assert (evaluate(lambda a: -a, ints.view(np.uint32), types=[uv3]) == (-ints).view(np.uint32)).all()


def test_matrices():
    rng = np.random.default_rng(3)
    memory = rng.uniform(-2, 2, (8, 3, 3)).astype(np.float32)
    m = memory.transpose(0, 2, 1)  # columns lie one after the other
    v = rng.uniform(-2, 2, (8, 3)).astype(np.float32)
    cases = [
        (lambda a, x: a @ a, m @ m),
        (lambda a, x: a * x, np.einsum("kij,kj->ki", m, v)),
        (lambda a, x: x * a, np.einsum("ki,kij->kj", v, m)),
        (lambda a, x: vc.transpose(a), m.transpose(0, 2, 1)),
        (lambda a, x: vc.determinant(a), np.linalg.det(m)),
        (lambda a, x: vc.inverse(a), np.linalg.inv(m)),
        (lambda a, x: vc.matrix_comp_mult(a, a), m * m),
        (lambda a, x: vc.outer_product(x, x), np.einsum("ki,kj->kij", v, v)),
        (lambda a, x: a[1], m[:, :, 1]),
        (lambda a, x: a[2][0], m[:, 0, 2]),
        (lambda a, x: a + 2, m + 2),
        (lambda a, x: 2 / a, 2 / m),
        (lambda a, x: a / 2 - a, m / 2 - m),
        (lambda a, x: vc.to_mat3(x, x, x), np.repeat(v[:, :, None], 3, 2)),
        (lambda a, x: vc.to_mat3(x.x), v[:, 0, None, None] * np.eye(3)),
        (lambda a, x: vc.to_mat2(a), m[:, :2, :2]),
        (lambda a, x: vc.to_mat2(1, 2, 3, x.x), np.stack([np.array([[1, 3], [2, x]]) for x in v[:, 0]])),
        (lambda a, x: a == vc.transpose(vc.transpose(a)), np.ones(8)),
    ]
    for expression, wanted in cases:
        got = evaluate(expression, memory, v, types=[m3, v3])
        if got.ndim == 3:
            got = got.transpose(0, 2, 1)
        np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=1e-4)


# ---- Complex numbers (13)


def test_complex_numbers():
    rng = np.random.default_rng(4)
    z, w = (rng.uniform(-2, 2, (2, 32)) + 1j * rng.uniform(-2, 2, (2, 32))).astype(np.complex64)
    s = rng.uniform(0.5, 2, 32).astype(np.float32)
    cases = [
        (lambda a, b, r: a + b, z + w), (lambda a, b, r: a * b, z * w), (lambda a, b, r: a / b, z / w),
        (lambda a, b, r: a + r, z + s), (lambda a, b, r: r - a, s - z), (lambda a, b, r: a * r, z * s),
        (lambda a, b, r: r * a, z * s), (lambda a, b, r: a / r, z / s), (lambda a, b, r: r / a, s / z),
        (lambda a, b, r: 2 / a, 2 / z), (lambda a, b, r: a * (1 + 2j), z * (1 + 2j)), (lambda a, b, r: r + 1j, s + 1j),
        (lambda a, b, r: vc.mult_complex(a, b), z * w), (lambda a, b, r: a.conjugate(), z.conj()),
        (lambda a, b, r: a.conjugate() + b, z.conj() + w), (lambda a, b, r: a.conjugate()[1], -z.imag),
        (lambda a, b, r: a.conjugate().conjugate(), z), (lambda a, b, r: a.conjugate().to_register(), z.conj()),
        (lambda a, b, r: vc.mult_complex(a, b.conjugate()), z * w.conj()), (lambda a, b, r: -a, -z),
        (lambda a, b, r: a**3, z**3), (lambda a, b, r: a**-2, z**-2.0), (lambda a, b, r: abs(a), np.abs(z)),
        (lambda a, b, r: vc.exp(a), np.exp(z)), (lambda a, b, r: vc.log(a), np.log(z)), (lambda a, b, r: vc.sqrt(a), np.sqrt(z)),
        (lambda a, b, r: vc.pow(a, b), z**w), (lambda a, b, r: vc.complex_from_euler_angle(r), np.exp(1j * s)),
        (lambda a, b, r: vc.to_complex(r, a.real), s + 1j * z.real), (lambda a, b, r: vc.to_complex(r), s + 0j),
        (lambda a, b, r: a.swizzle("yx"), np.c_[z.imag, z.real]), (lambda a, b, r: vc.to_vec2(a), np.c_[z.real, z.imag]),
        (lambda a, b, r: vc.to_complex64(vc.to_vec2(r, 3)), s + 3j), (lambda a, b, r: vc.to_complex128(a), z.astype(np.complex128)),
        (lambda a, b, r: vc.to_complex(1 + 2j) + a, z + 1 + 2j),
    ]  # fmt: skip
    for k, (expression, wanted) in enumerate(cases):
        np.testing.assert_allclose(evaluate(expression, z, w, s), wanted, rtol=2e-5, atol=2e-5, err_msg=str(k))


# ---- Names stand for formulas (2)


def test_an_expression_is_evaluated_where_it_is_used():
    @vd.shader(exec_size=1)
    def kernel(out: Buff[u32], buf: Buff[u32]):
        r = vc.new_uint_register(1)
        e = r + 1
        r[:] = 5
        out[0] = e
        x = buf[0]
        buf[0] = 0
        out[1] = x
        y = buf[1]
        frozen = y.to_register()
        buf[1] = 9
        out[2] = frozen
        out[3] = y

    out, buf = vd.asbuffer(np.zeros(4, np.uint32)), vd.asbuffer(np.array([7, 8], np.uint32))
    kernel(out, buf)
    assert out.read(0).tolist() == [6, 0, 8, 9]


def test_in_place_operators_store_once():
    @vd.shader(exec_size=1)
    def kernel(out: Buff[f32], vectors: Buff[v2], values: Buff[c64], m: Buff[m2]):
        out[0] += 2
        out[1] *= out[0]
        vectors[0].x += 5
        vectors[0][1] -= 1
        values[0].real -= 2
        values[0].imag = 8
        m[0][1][0] += 3
        m[0][0] *= 2
        r = vc.new_vec2_register(1, 2)
        r.y += 10
        r[:] += 1
        vectors[1] = r

    arrays = [
        np.array([1, 2], np.float32),
        np.zeros((2, 2), np.float32),
        np.zeros(1, np.complex64),
        np.ones((1, 2, 2), np.float32),
    ]
    buffers = [_typed(a, t) for a, t in zip(arrays, (f32, v2, c64, m2), strict=True)]
    kernel(*buffers)
    out, vectors, values, m = (b.read(0) for b in buffers)
    assert out.tolist() == [3, 6] and vectors.tolist() == [[5, -1], [2, 13]] and values.tolist() == [-2 + 8j]
    assert m.tolist() == [[[2, 2], [4, 1]]]
    assert kernel.source.count("=") < 40


def test_registers_of_a_loop_begin_anew():
    @vd.shader(exec_size=1)
    def kernel(out: Buff[u32]):
        i = vc.new_uint_register()
        with vc.while_block(i < 3):
            r = vc.new_uint_register()
            r += i
            out[i] = r
            i += 1
        out[3] = r

    out = vd.asbuffer(np.full(4, 77, np.uint32))
    kernel(out)
    assert out.read(0).tolist() == [0, 1, 2, 2]


# ---- Control flow (9)


def test_branches_and_loops():
    @vd.shader("out.size")
    def kernel(out: Buff[i32]):
        i = vc.global_invocation_id().x
        r = vc.new_int_register()
        with vc.if_block(i % 3 == 0):
            r[:] = 1
        2 * i
        vc.comment("between")
        with vc.else_if_block(vc.any(i == 1, i == 4)):
            r[:] = 2
        with vc.else_block(), vc.while_block(r < 10):
            r += 3
        vc.if_statement(i & 1)
        r += 100
        vc.else_statement()
        r += 200
        vc.end()
        with vc.scope_block(comment="the end"):
            out[i] = r

    out = vd.asbuffer(np.zeros(8, np.int32))
    kernel(out)
    wanted = [{0: 1}.get(i % 3, 2 if i in (1, 4) else 12) + (100 if i & 1 else 200) for i in range(8)]
    assert out.read(0).tolist() == wanted


def test_return_ends_an_invocation():
    @vd.shader("out.size")
    def kernel(out: Buff[u32]):
        i = vc.global_invocation_id().x
        out[i] = 1
        with vc.if_block(i < 3):
            vc.return_statement()
        out[i] = 2

    out = vd.asbuffer(np.zeros(5, np.uint32))
    kernel(out)
    assert out.read(0).tolist() == [1, 1, 1, 2, 2]


# ---- Shared memory, barriers, atomics, ids (10, 11)


def test_a_workgroup_reverses_its_part():
    @vd.shader("out.size", local_size=(16, 1, 1))
    def kernel(out: Buff[u32], x: Buff[u32]):
        tile = vc.shared_buffer(u32, 16, "tile")
        k = vc.local_invocation_id().x
        tile[k] = x[vc.global_invocation_id().x]
        vc.barrier()
        vc.memory_barrier()
        vc.memory_barrier_shared()
        vc.memory_barrier_buffer()
        vc.memory_barrier_image()
        vc.group_memory_barrier()
        out[vc.global_invocation_id().x] = tile[15 - k] + vc.to_uint(tile.shape.x)

    x = np.arange(64, dtype=np.uint32)
    out = vd.asbuffer(np.zeros(64, np.uint32))
    kernel(out, vd.asbuffer(x))
    assert (out.read(0) == x.reshape(4, 16)[:, ::-1].ravel() + 16).all()


def test_atomics_count_every_invocation():
    @vd.shader("seen.size", local_size=(32, 1, 1))
    def kernel(seen: Buff[u32], count: Buff[i32]):
        seen[vc.atomic_add(count[0], 1)] += 1
        shared = vc.shared_buffer(i32, 1)
        with vc.if_block(vc.local_invocation_index() == 0):
            shared[0] = 0
        vc.barrier()
        vc.atomic_add(shared[0], vc.to_int(2))
        vc.barrier()
        with vc.if_block(vc.local_invocation_index() == 0):
            count[1 + vc.workgroup_id().x] = shared[0]

    seen, count = vd.asbuffer(np.zeros(96, np.uint32)), vd.asbuffer(np.zeros(4, np.int32))
    kernel(seen, count)
    assert (seen.read(0) == 1).all() and count.read(0).tolist() == [96, 64, 64, 64]


def test_atomics_of_each_kind():
    @vd.shader(96, local_size=(32, 1, 1))
    def kernel(out: Buff[i32], bits: Buff[u32], order: Buff[u32]):
        i = vc.global_invocation_id().x
        vc.atomic_min(out[0], -i.to_dtype(i32))
        vc.atomic_max(out[1], i)
        vc.atomic_and(bits[0], ~(vc.to_uint(1) << (i % 16)))
        vc.atomic_or(bits[1], vc.to_uint(1) << (i % 8))
        vc.atomic_xor(bits[2], 1 << 5)  # an even number of times
        vc.atomic_add(bits[3], vc.atomic_exchange(order[0], i + 1))
        with vc.if_block(vc.atomic_compare_exchange(order[1], 7, i) == 7):  # of one alone
            vc.atomic_add(order[2], 1)
        shared = vc.shared_buffer(i32, 1)
        with vc.if_block(vc.local_invocation_index() == 0):
            shared[0] = 0
        vc.barrier()
        vc.atomic_max(shared[0], vc.local_invocation_index())
        vc.barrier()
        with vc.if_block(vc.local_invocation_index() == 0):
            out[2 + vc.workgroup_id().x] = shared[0]

    out = vd.asbuffer(np.zeros(5, np.int32))
    bits = vd.asbuffer(np.array([0xFFFFFFFF, 0, 32, 0], np.uint32))
    order = vd.asbuffer(np.array([0, 7, 0], np.uint32))
    kernel(out, bits, order)
    assert out.read(0).tolist() == [-95, 95, 31, 31, 31]
    found, last = bits.read(0).tolist(), order.read(0).tolist()
    assert found[:3] == [0xFFFF0000, 0xFF, 32]
    assert found[3] + last[0] == 96 * 97 // 2, "each number was taken out once, but for the last"
    assert 0 <= last[1] < 96 and last[2] == 1


@pytest.mark.parametrize("t", [i64, u64, f32, f64], ids=lambda t: t.name)
def test_atomics_on_wide_integers_and_floats(t):
    floating = t in (f32, f64)
    if not supported(t) or t.item_size == 8 and not supported_atomics_of_64_bits():
        pytest.skip(f"needs 64-bit atomics and {t.name}")

    @vd.shader(96, local_size=32)
    def kernel(out: Buff[t], x: Buff[t]):
        v = x[vc.global_invocation_id().x].to_register()
        vc.atomic_add(out[0], v)
        vc.atomic_min(out[1], v)
        vc.atomic_max(out[2], v)
        old = vc.atomic_exchange(out[3], v)
        vc.atomic_add(out[4], old)
        if not floating:
            vc.atomic_xor(out[5], v)
            vc.atomic_compare_exchange(out[6], 7, v)
        if floating and t.item_size == 8:
            return
        shared = vc.shared_buffer(t, 1)
        with vc.if_block(vc.local_invocation_index() == 0):
            shared[0] = 0
        vc.barrier()
        vc.atomic_add(shared[0], 2)
        vc.barrier()
        with vc.if_block(vc.local_invocation_index() == 0):
            out[7 + vc.workgroup_id().x] = shared[0]

    x = np.random.default_rng(3).integers(0, 5000, 96) - (0 if t is u64 else 2500)
    if t.item_size == 8 and not floating:
        x = x * 0x100000001
    x = x.astype(dt.to_numpy_dtype(t))
    first = np.array([0, x.max(), x.min(), 3, 0, 0, 7, 0, 0, 0], x.dtype)
    (out, _) = launch(kernel, 96, first, x)
    assert out[:3].tolist() == [x.sum(), x.min(), x.max()]
    assert out[4] + out[3] == x.sum() + 3, "each number was taken out once, but for the last"
    if not floating:
        assert out[5] == np.bitwise_xor.reduce(x) and out[6] in x
    if not (floating and t.item_size == 8):
        assert out[7:].tolist() == [64, 64, 64]


def supported_atomics_of_64_bits():
    return bool(vd.get_context().device_infos[0].features & _enums.VD_FEATURE_I64_ATOMICS)


def test_ids_and_sizes():
    @vd.shader(workgroups=(3, 2, 1), local_size=(4, 2, 1))
    def kernel(out: Buff[u32]):
        g, size = vc.global_invocation_id(), vc.workgroup_size()
        group, local = vc.workgroup_id(), vc.local_invocation_id()
        at = (g.y * 12 + g.x) * 4
        out[at] = group.x * size.x + local.x
        out[at + 1] = group.y * size.y + local.y
        out[at + 2] = vc.local_invocation_index()
        out[at + 3] = vc.num_workgroups().x * 10 + vc.num_workgroups().y

    out = vd.asbuffer(np.zeros(12 * 4 * 4, np.uint32))
    kernel(out)
    y, x = np.mgrid[:4, :12]
    got = out.read(0).reshape(4, 12, 4)
    assert (got[..., 0] == x).all() and (got[..., 1] == y).all() and (got[..., 2] == x % 4 + y % 2 * 4).all()
    assert (got[..., 3] == 32).all()


def test_subgroups_reduce():
    @vd.shader(workgroups=2, local_size=64)
    def kernel(x: Buff[u32], out: Buff[u32]):
        i = vc.global_invocation_id().x
        values = (
            vc.subgroup_add(x[i]), vc.subgroup_min(x[i]), vc.subgroup_max(x[i]), vc.to_uint(vc.subgroup_elect()),
            vc.subgroup_size(), vc.subgroup_id(), vc.subgroup_invocation_id(), vc.num_subgroups(),
        )  # fmt: skip
        for k, value in enumerate(values):
            out[i * len(values) + k] = value

    x = np.random.default_rng(5).integers(0, 1000, 128).astype(np.uint32)
    out = vd.asbuffer(np.zeros(128 * 8, np.uint32))
    kernel(vd.asbuffer(x), out)
    total, least, most, elected, size, number, lane, count = out.read(0).reshape(2, 64, 8).transpose(2, 0, 1)
    assert (count == (63 + size) // size).all()
    for group in range(2):
        assert len(set(zip(number[group], lane[group], strict=True))) == 64  # each has a place of its own
        for n in range(count[0, 0]):
            mine, together = x.reshape(2, 64)[group][number[group] == n], number[group] == n
            assert (total[group][together] == mine.sum()).all()
            assert (least[group][together] == mine.min()).all() and (most[group][together] == mine.max()).all()
            assert elected[group][together].sum() == 1


def test_index_helpers():
    @vd.shader("out.size")
    def kernel(out: Buff[uv4], flat: Buff[u32]):
        i = vc.global_invocation_id().x
        c = vc.ravel_index(i, (2, 3, 4))
        out[i] = vc.to_uvec4(c, vc.ravel_index(i, (6, 4)).y)
        flat[i] = vc.unravel_index(c, (2, 3, 4)) + vc.to_uint(flat.shape.x - out.shape.w)

    out, flat = vd.Buffer((24,), dt.uvec4), vd.asbuffer(np.zeros(24, np.uint32))
    kernel(out, flat)
    i = np.arange(24)
    assert (out.read(0) == np.stack([i // 12, i // 4 % 3, i % 4, i % 4], 1)).all()
    assert (flat.read(0) == i).all()


# ---- Arguments (4)


def test_constants_variables_and_dataclasses():
    import dataclasses

    @dataclasses.dataclass
    class Params:
        offset: u32
        scale: v3
        z: c64

    @vd.shader("out.size")
    def kernel(out: Buff[f32], params: Params, factor: Const[f32], shift: Var[i32] = 5):
        i = vc.global_invocation_id().x
        out[i] = (i + params.offset) * params.scale.y * factor + shift + params.z.imag

    out = vd.asbuffer(np.zeros(4, np.float32))
    kernel(out, Params(10, (1, 2, 3), 1 + 4j), 0.5)
    assert out.read(0).tolist() == [10 + 9, 11 + 9, 12 + 9, 13 + 9]
    kernel(out, Params(0, (1, 2, 3), 0), 1.0, shift=-1)
    assert out.read(0).tolist() == [-1, 1, 3, 5]


def test_literals_on_the_left_and_matrices_in_place():
    x = np.array([1, 5, 12, 31], np.int32)
    got = evaluate(lambda v: (12 & v) + (3 | v) * 100 + (7 ^ v) * 10_000 + (4096 >> (v & 3)) * 1_000_000, x)
    wanted = (12 & x) + (3 | x) * 100 + (7 ^ x) * 10_000 + (4096 >> (x & 3)) * 1_000_000
    np.testing.assert_array_equal(got, wanted.astype(np.int64).astype(np.int32))

    @vd.shader(1, local_size=1)
    def kernel(m: Buff[m2], v: Buff[v4], f: Buff[f32]):
        turn = vc.to_mat2(0, 1, -1, 0)
        product = m[0].to_register()
        product @= turn
        m[0] = product
        v[0].w = 7
        power = f[0].to_register()
        power **= 0
        f[1] = power
        f[2] = vc.modf(f[0], 2)  # with two arguments it is mod()
        f[3] = vc.float_bits_to_int(vc.to_float(f[0])).to_dtype(f32)
        f[4] = f[0] + np.complex64(2).real

    m, v, f = vd.Buffer(1, m2), vd.Buffer(1, v4), vd.asbuffer(np.array([5.5, 0, 0, 0, 0], np.float32))
    m.write(np.array([1, 2, 3, 4], np.float32))
    v.write(np.zeros(4, np.float32))
    kernel(m, v, f)
    assert m.read(0).ravel().tolist() == [3, 4, -1, -2]
    assert v.read(0).tolist() == [[0, 0, 0, 7]]
    assert f.read(0).tolist() == [5.5, 1, 1.5, 0x40B00000, 7.5]


def test_large_literals():
    x = np.array([1, -3], np.int64)
    np.testing.assert_array_equal(evaluate(lambda v: v - 2**33 + -(2**40), x), x - 2**33 - 2**40)
    np.testing.assert_array_equal(evaluate(lambda v: v * 0 + -(2**63), x), np.full(2, -(2**63)))


def test_maps_are_written_into_kernels():
    @vd.map
    def scaled(x: Buff[f32], k: Const[f32]) -> f32:
        return x[vc.global_invocation_id().x] * k

    store = vd.map(lambda out, v: out.__setitem__(vc.global_invocation_id().x, v), input_types=[Buff[f32], Const[f32]])
    assert scaled.return_type is dt.float32 and scaled.buffer_types == [vc.Buffer[f32], vc.Constant[f32]]
    assert scaled in (scaled,) and scaled != store and hash(scaled) != hash(store)

    @vd.shader("out.size")
    def kernel(out: Buff[f32], x: Buff[f32]):
        r = scaled.callback(x, 3)
        r += scaled.callback(x, 0.5)
        assert r.is_register() and store.callback(out, r) is None

    out = vd.asbuffer(np.zeros(4, np.float32))
    kernel(out, vd.asbuffer(np.arange(4, dtype=np.float32)))
    assert out.read(0).tolist() == [0, 3.5, 7, 10.5]
