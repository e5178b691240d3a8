# ruff: noqa: B018, B023 (expressions for their errors, and functions that are called at once)
"""The type that every operator gives: the promotion tables of the language, written out."""

import itertools

import numpy as np
import pytest
import vkdispatch.codegen as vc
from vkdispatch.base import dtype as dt

SHORT = {
    "u16": dt.uint16, "i16": dt.int16, "u32": dt.uint32, "i32": dt.int32, "u64": dt.uint64, "i64": dt.int64,
    "f16": dt.float16, "f32": dt.float32, "f64": dt.float64,
    "c32": dt.complex32, "c64": dt.complex64, "c128": dt.complex128,
}  # fmt: skip
SHORT |= {name: t for name, t in dt.ALL_DTYPES.items() if dt.is_vector(t) or dt.is_matrix(t)}

SCALARS = ["u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64"]
INTEGERS = SCALARS[:6]
FLOATS = SCALARS[6:]


@pytest.fixture
def builder():
    with vc.shader_context() as context:
        yield context.builder


def value(short):
    """Some expression of a type; not a constant."""
    return +vc.new_register(SHORT[short])


# ---- Scalars with scalars (6.1, 6.2)

SUMS = """
u16 i16 u32 i32 u64 i64 f16 f32 f64
i16 i16 u32 i32 u64 i64 f16 f32 f64
u32 u32 u32 i32 u64 i64 f16 f32 f64
i32 i32 i32 i32 u64 i64 f16 f32 f64
u64 u64 u64 u64 u64 i64 f16 f32 f64
i64 i64 i64 i64 i64 i64 f16 f32 f64
f16 f16 f16 f16 f16 f16 f16 f32 f64
f32 f32 f32 f32 f32 f32 f32 f32 f64
f64 f64 f64 f64 f64 f64 f64 f64 f64
""".strip().splitlines()
TABLE = {(a, b): row.split()[j] for a, row in zip(SCALARS, SUMS, strict=True) for j, b in enumerate(SCALARS)}
FLOAT_OF = {"u16": "f16", "i16": "f16", "u32": "f32", "i32": "f32", "u64": "f64", "i64": "f64"}


def test_scalars_with_scalars(builder):
    for a, b in itertools.product(SCALARS, SCALARS):
        x, y, wanted = value(a), value(b), TABLE[a, b]
        for got in (x + y, x - y, x * y):
            assert got.var_type is SHORT[wanted], (a, b)
        floating = FLOAT_OF.get(wanted, wanted)
        assert (x / y).var_type is SHORT[floating], (a, b)
        assert (x**y).var_type is SHORT[floating], (a, b)
        for got in (x < y, x <= y, x > y, x >= y, x == y, x != y):
            assert got.var_type is dt.int32


def test_whole_division_and_bits_are_for_integers(builder):
    for a, b in itertools.product(SCALARS, SCALARS):
        x, y = value(a), value(b)
        operations = [
            lambda: x // y, lambda: x % y, lambda: x & y, lambda: x | y, lambda: x ^ y, lambda: x << y, lambda: x >> y,
        ]  # fmt: skip
        for operation in operations:
            if a in INTEGERS and b in INTEGERS:
                assert operation().var_type is SHORT[TABLE[a, b]], (a, b)
            else:
                with pytest.raises(TypeError):
                    operation()


# ---- Literals (6.3, with 16-bit types not widened by literals that they can hold)

LITERALS = """
       +5      +-5     +2.5    +2**33  /5      *4      *3      *-4     *2.5    5-x     5/x     <<2     &3      **2
u16    u16     i32     f32     u64     f32     u16     u16     i32     f32     u16     f32     u16     u16     f16
i16    i16     i16     f32     u64     f32     i16     i16     i16     f32     i16     f32     i16     i16     f16
u32    u32     i32     f32     u64     f32     u32     u32     i32     f32     u32     f32     u32     u32     f32
i32    i32     i32     f32     u64     f32     i32     i32     i32     f32     i32     f32     i32     i32     f32
u64    u64     u64     f32     u64     f64     u64     u64     u64     f32     u64     f64     u64     u64     f64
i64    i64     i64     f32     i64     f64     i64     i64     i64     f32     i64     f64     i64     i64     f64
f16    f16     f16     f16     f16     f16     f16     f16     f16     f16     f16     f16     TypeError TypeError f16
f32    f32     f32     f32     f32     f32     f32     f32     f32     f32     f32     f32     TypeError TypeError f32
f64    f64     f64     f64     f64     f64     f64     f64     f64     f64     f64     f64     TypeError TypeError f64
c32    c32     c32     c32     c64     c32     c32     c32     c32     c32     c32     c32     TypeError TypeError c32
c64    c64     c64     c64     c64     c64     c64     c64     c64     c64     c64     c64     TypeError TypeError c64
c128   c128    c128    c128    c128    c128    c128    c128    c128    c128    c128    c128    TypeError TypeError c128
vec3   vec3    vec3    vec3    vec3    vec3    vec3    vec3    vec3    vec3    vec3    vec3    TypeError TypeError vec3
dvec2  dvec2   dvec2   dvec2   dvec2   dvec2   dvec2   dvec2   dvec2   dvec2   dvec2   dvec2   TypeError TypeError dvec2
hvec4  hvec4   hvec4   hvec4   hvec4   hvec4   hvec4   hvec4   hvec4   hvec4   hvec4   hvec4   TypeError TypeError hvec4
ivec2  ivec2   ivec2   vec2    TypeError vec2  ivec2   ivec2   ivec2   vec2    ivec2   vec2    ivec2   ivec2   vec2
uvec3  uvec3   ivec3   vec3    TypeError vec3  uvec3   uvec3   ivec3   vec3    uvec3   vec3    uvec3   uvec3   vec3
ihvec2 ihvec2  ihvec2  vec2    TypeError vec2  ihvec2  ihvec2  ihvec2  vec2    ihvec2  vec2    ihvec2  ihvec2  hvec2
uhvec2 uhvec2  ivec2   vec2    TypeError vec2  uhvec2  uhvec2  ivec2   vec2    uhvec2  vec2    uhvec2  uhvec2  hvec2
mat2   mat2    mat2    mat2    mat2    mat2    mat2    mat2    mat2    mat2    mat2    mat2    TypeError TypeError TypeError
""".strip().splitlines()
OPERATIONS = {
    "+5": lambda x: x + 5, "+-5": lambda x: x + -5, "+2.5": lambda x: x + 2.5, "+2**33": lambda x: x + 2**33,
    "/5": lambda x: x / 5, "*4": lambda x: x * 4, "*3": lambda x: x * 3, "*-4": lambda x: x * -4,
    "*2.5": lambda x: x * 2.5, "5-x": lambda x: 5 - x, "5/x": lambda x: 5 / x, "<<2": lambda x: x << 2,
    "&3": lambda x: x & 3, "**2": lambda x: x**2,
}  # fmt: skip


@pytest.mark.parametrize("row", LITERALS[1:], ids=lambda row: row.split()[0])
def test_literals(builder, row):
    short, *wanted = row.split()
    for operation, result in zip(LITERALS[0].split(), wanted, strict=True):
        if result == "TypeError":
            with pytest.raises(TypeError):
                OPERATIONS[operation](value(short))
        else:
            assert OPERATIONS[operation](value(short)).var_type is SHORT[result], operation


def test_more_literals(builder):
    assert (value("u16") / 2).var_type is dt.float32
    assert (value("u64") / 2.5).var_type is dt.float32
    assert (value("u16") + 70000).var_type is dt.uint32
    assert (value("i16") + 40000).var_type is dt.uint32
    assert (value("f16") + 1e6).var_type is dt.float32
    assert (value("f16") + float("inf")).var_type is dt.float16
    assert (1 << value("i32")).var_type is dt.int32
    assert (2 ** value("i32")).var_type is dt.float32
    assert (8 // value("u32")).var_type is dt.uint32
    assert (value("f32") ** 0.5).var_type is dt.float32
    assert (value("f16") ** 1000.5).var_type is dt.float16
    with pytest.raises(OverflowError):
        value("u32") + 2**64


def test_numpy_scalars_are_numbers(builder):
    assert (np.float64(2) * value("f32")).var_type is dt.float32
    assert (np.int64(3) - value("u32")).var_type is dt.uint32
    assert (value("i32") // np.uint8(3)).var_type is dt.int32
    with pytest.raises(TypeError):
        np.arange(3) * value("u32")
    with pytest.raises(TypeError):
        value("u32") + np.True_


# ---- Vectors, complex numbers and matrices (6.4)


def check(got, wanted):
    if isinstance(wanted, type) and issubclass(wanted, Exception):
        with pytest.raises(wanted):
            got()
    else:
        assert got().var_type is SHORT[wanted]


COMPOSITES = [
    # left, right, + and -, *, /
    ("vec3", "i32", "vec3", "vec3", "vec3"),
    ("ivec2", "u32", "ivec2", "ivec2", "vec2"),
    ("ivec2", "f32", "vec2", "vec2", "vec2"),
    ("uvec2", "i32", "ivec2", "ivec2", "vec2"),
    ("vec2", "f64", "dvec2", "dvec2", "dvec2"),
    ("i32", "uvec4", "ivec4", "ivec4", "vec4"),
    ("vec3", "ivec3", "vec3", "vec3", "vec3"),
    ("uvec3", "ivec3", "ivec3", "ivec3", "vec3"),
    ("vec2", "vec3", ValueError, ValueError, ValueError),
    ("ivec2", "i64", ValueError, ValueError, ValueError),
    ("vec2", "i64", "vec2", "vec2", "vec2"),
    ("vec2", "c64", ValueError, ValueError, ValueError),
    ("c64", "c64", "c64", "c64", "c64"),
    ("c32", "c128", "c128", "c128", "c128"),
    ("c64", "f64", "c128", "c128", "c128"),
    ("c32", "i16", "c32", "c32", "c32"),
    ("i32", "c64", "c64", "c64", "c64"),
    ("mat3", "f32", "mat3", "mat3", "mat3"),
    ("mat3", "f64", "mat3", "mat3", "mat3"),
    ("u32", "mat2", "mat2", "mat2", "mat2"),
    ("mat3", "mat3", "mat3", ValueError, ValueError),
    ("mat2", "mat3", ValueError, ValueError, ValueError),
    ("mat3", "vec3", ValueError, "vec3", ValueError),
    ("vec3", "mat3", ValueError, "vec3", ValueError),
    ("mat3", "vec2", ValueError, ValueError, ValueError),
    ("mat3", "ivec3", ValueError, ValueError, ValueError),
    ("dvec3", "mat3", ValueError, ValueError, ValueError),
    ("mat2", "c64", ValueError, ValueError, ValueError),
]


@pytest.mark.parametrize("left, right, plus, times, over", COMPOSITES)
def test_composites(builder, left, right, plus, times, over):
    a, b = value(left), value(right)
    check(lambda: a + b, plus)
    check(lambda: a - b, plus)
    check(lambda: a * b, times)
    check(lambda: a / b, over)


def test_matrix_products(builder):
    assert (value("mat3") @ value("mat3")).var_type is dt.mat3
    assert (value("mat3") @ value("vec3")).var_type is dt.vec3
    assert (value("vec3") @ value("mat3")).var_type is dt.vec3
    assert (value("vec3") @ value("vec3")).var_type is dt.float32
    assert (value("ivec2") @ value("ivec2")).var_type is dt.int32
    for a, b in (("mat2", "mat3"), ("f32", "mat2"), ("c64", "mat2"), ("vec2", "vec3")):
        with pytest.raises(ValueError):
            value(a) @ value(b)
    with pytest.raises(TypeError):
        value("mat2") @ 2


def test_comparison_of_composites(builder):
    for t in ("vec3", "ivec2", "c64", "mat3"):
        assert (value(t) == value(t)).var_type is dt.int32
        assert (value(t) != value(t)).var_type is dt.int32
        with pytest.raises(TypeError):
            value(t) < value(t)  # noqa: B015
    assert (value("c64") == 1).var_type is dt.int32
    assert (value("c64") == 1j).var_type is dt.int32


def test_comparisons_are_int32_and_count(builder):
    truth = value("f32") < value("f32")
    assert (truth + 1).var_type is dt.int32
    assert (truth * 2.5).var_type is dt.float32
    assert (~truth).var_type is dt.int32
    assert (-truth).var_type is dt.int32
    assert truth.to_register().var_type is dt.int32


def test_unary_operators_keep_the_type(builder):
    for short, t in SHORT.items():
        x = value(short)
        assert (-x).var_type is t and (+x).var_type is t
        if dt.is_integer_dtype(t):
            assert (~x).var_type is t
        else:
            with pytest.raises(TypeError):
                ~x
        if dt.is_matrix(t):
            with pytest.raises(TypeError):
                abs(x)
        else:
            assert abs(x).var_type is (t.child_type if dt.is_complex(t) else t)


def test_python_complex_numbers(builder):
    assert (value("f32") + 1j).var_type is dt.complex64
    assert (1j * value("f64")).var_type is dt.complex128
    assert (value("f16") * 1j).var_type is dt.complex32
    assert (value("c32") - (1 + 2j)).var_type is dt.complex32
    for t in ("i32", "u16", "vec2", "mat2"):
        with pytest.raises(TypeError, match="complex numbers are not supported"):
            value(t) + 1j


def test_powers(builder):
    assert value("f32") ** 0 == 1
    assert isinstance(value("i32") ** 0, int)
    assert (value("i32") ** -2).var_type is dt.float32
    assert (value("c64") ** 3).var_type is dt.complex64
    assert (value("ivec2") ** 2).var_type is dt.vec2
    for bad in (
        lambda: value("c64") ** 0.5,
        lambda: value("c64") ** value("f32"),
        lambda: 2 ** value("c64"),
        lambda: value("mat2") ** 2,
    ):
        with pytest.raises(TypeError):
            bad()


def test_other_operands_are_type_errors(builder):
    for other in (None, "1", True, [1], object()):
        for operation in (lambda x: x + other, lambda x: other * x, lambda x: x / other, lambda x: x & other):
            with pytest.raises(TypeError, match="Unsupported type for"):
                operation(value("u32"))
        for operation in (lambda x: x == other, lambda x: x < other):
            with pytest.raises(TypeError, match="must be a ShaderVariable or number"):
                operation(value("u32"))
    for other in (2.5, np.float32(1)):
        with pytest.raises(TypeError, match="Bitwise"):
            value("u32") | other


def test_a_type_error_is_not_about_our_tables(builder):
    """Nothing but the message is shown: no "During handling of the above exception" of a cache that had no entry."""
    for operation in (
        lambda: value("f32") & value("u32"),
        lambda: value("f32") & value("u32"),  # nor the second time
        lambda: value("mat2") * value("mat3"),
        lambda: value("c64") < value("vec2"),
    ):
        with pytest.raises((TypeError, ValueError)) as caught:
            operation()
        assert caught.value.__context__ is None, operation


# ---- In place (7.5)


def test_in_place_keeps_the_register(builder):
    r = vc.new_float_register(1.0)
    same = r
    r += 1
    r *= 2
    r /= 3
    r -= 1.5
    r **= 2
    assert r is same
    i = vc.new_uint_register(7)
    i //= 2
    i %= 3
    i <<= 2
    i >>= 1
    i &= 6
    i |= 1
    i ^= 5
    v = vc.new_vec3_register(1)
    v += vc.new_float_register(2)
    v *= vc.new_mat3_register(1)
    h = vc.new_float16_register(1)
    h += 0.5
    s = vc.new_int16_register(1)
    s += 1


def test_in_place_refuses_another_type(builder):
    u, i = vc.new_uint_register(), vc.new_int_register()
    with pytest.raises(TypeError, match="result type to match"):
        u += -1
    with pytest.raises(TypeError, match="result type to match"):
        u += 1.0
    with pytest.raises(TypeError, match="result type to match"):
        i **= 2
    with pytest.raises(ValueError, match="true division is not supported for integer"):
        u /= 2


def test_in_place_needs_something_to_assign_to(builder):
    x = vc.new_float_register() * 2
    with pytest.raises(ValueError, match="Inplace arithmetic requires the variable to be settable"):
        x += 1
    y = vc.new_uint_register() * 2
    with pytest.raises(ValueError, match="Inplace bitwise"):
        y &= 1
    z = vc.new_float_register() * 1
    with pytest.raises(ValueError):
        z += 1


# ---- Functions (12)


def test_function_types(builder):
    f32, i32, u16, f64, v3, iv2 = (value(t) for t in ("f32", "i32", "u16", "f64", "vec3", "ivec2"))
    for function in (vc.sin, vc.exp, vc.sqrt, vc.floor, vc.round, vc.fract, vc.radians, vc.log2, vc.atanh):
        assert function(f32).var_type is dt.float32
        assert function(i32).var_type is dt.float32
        assert function(u16).var_type is dt.float16
        assert function(f64).var_type is dt.float64
        assert function(value("i64")).var_type is dt.float64
        assert function(v3).var_type is dt.vec3
        assert function(iv2).var_type is dt.vec2
    assert vc.abs(i32).var_type is dt.int32 and vc.sign(i32).var_type is dt.int32
    assert vc.min(i32, 0).var_type is dt.int32 and vc.max(i32, 2.5).var_type is dt.float32
    assert vc.min(f64, f32).var_type is dt.float64
    assert vc.clamp(value("u32"), 1, 5).var_type is dt.uint32
    assert vc.clip(v3, 0, 1).var_type is dt.vec3
    assert vc.mix(v3, v3, f32).var_type is dt.vec3
    assert vc.mod(i32, 5).var_type is dt.float32
    assert vc.pow(f32, f64).var_type is dt.float64 and vc.pow(i32, 2).var_type is dt.float32
    assert vc.atan2(f32, 1).var_type is dt.float32
    assert vc.fma(f32, 2, f64).var_type is dt.float64
    assert vc.step(0.5, v3).var_type is dt.vec3
    assert vc.smoothstep(0, 1, f32).var_type is dt.float32
    assert vc.length(v3).var_type is dt.float32 and vc.length(iv2).var_type is dt.float32
    assert vc.distance(v3, v3).var_type is dt.float32
    assert vc.dot(v3, v3).var_type is dt.float32 and vc.dot(iv2, iv2).var_type is dt.int32
    assert vc.cross(v3, v3).var_type is dt.vec3 and vc.cross(value("dvec3"), value("dvec3")).var_type is dt.dvec3
    assert vc.normalize(v3).var_type is dt.vec3
    assert vc.isnan(f32).var_type is dt.int32
    assert vc.outer_product(value("vec2"), value("vec2")).var_type is dt.mat2
    m = value("mat3")
    assert vc.transpose(m).var_type is dt.mat3 and vc.determinant(m).var_type is dt.float32
    assert vc.inverse(m).var_type is dt.mat3 and vc.matrix_comp_mult(m, m).var_type is dt.mat3
    assert vc.float_bits_to_int(f32).var_type is dt.int32 and vc.float_bits_to_uint(v3).var_type is dt.uvec3
    assert vc.int_bits_to_float(i32).var_type is dt.float32 and vc.uint_bits_to_float(i32).var_type is dt.float32
    frac, whole = vc.modf(i32)
    assert frac.var_type is dt.float32 and whole.var_type is dt.float32


def test_complex_functions(builder):
    c = value("c64")
    assert vc.abs(c).var_type is dt.float32
    for function in (vc.exp, vc.sqrt, vc.log):
        assert function(c).var_type is dt.complex64
    assert vc.pow(c, 2).var_type is dt.complex64 and vc.pow(value("f32"), c).var_type is dt.complex64
    assert vc.mult_complex(c, value("c128")).var_type is dt.complex128
    assert vc.mult_complex(value("c32"), 1j).var_type is dt.complex32
    assert vc.mult_complex(1j, 2).var_type is dt.complex64
    assert vc.complex_from_euler_angle(value("f64")).var_type is dt.complex128
    assert vc.complex_from_euler_angle(value("u32")).var_type is dt.complex64
    assert vc.complex_from_euler_angle(0.5).var_type is dt.complex64
    for function in (vc.sin, vc.floor, vc.sign, vc.exp2, vc.log2, vc.inversesqrt, vc.length):
        with pytest.raises(TypeError, match="not defined for type"):
            function(c)
    with pytest.raises(TypeError):
        vc.mult_complex(c, value("f32"))
    with pytest.raises(TypeError):
        vc.complex_from_euler_angle("1")


def test_functions_refuse_what_they_cannot_take(builder):
    for function in (vc.abs, vc.sin, vc.floor, vc.sqrt, vc.isnan, vc.length, vc.normalize):
        for bad in ("1", None, True, [1.0]):
            with pytest.raises(ValueError, match="must be a ShaderVariable or number"):
                function(bad)
    with pytest.raises(ValueError):
        vc.dot(value("vec2"), True)
    for function in (vc.sin, vc.abs, vc.sqrt, vc.length):
        with pytest.raises(TypeError):
            function(value("mat2"))
    for bad in (lambda: vc.cross(value("vec2"), value("vec2")), lambda: vc.cross(value("ivec3"), value("ivec3")),
                lambda: vc.normalize(2.0), lambda: vc.outer_product(value("ivec2"), value("ivec2")),
                lambda: vc.outer_product(value("vec2"), value("vec3")), lambda: vc.transpose(value("vec2")),
                lambda: vc.determinant(2.0), lambda: vc.matrix_comp_mult(value("mat2"), value("mat3"))):  # fmt: skip
        with pytest.raises(ValueError):
            bad()
    for bad in (lambda: vc.isnan(value("vec2")), lambda: vc.isinf(value("vec2")), lambda: vc.float_bits_to_int(value("i32")),
                lambda: vc.int_bits_to_float(value("f32"))):  # fmt: skip
        with pytest.raises(TypeError):
            bad()


def test_subgroup_types(builder):
    assert vc.subgroup_add(value("c64")).var_type is dt.complex64
    assert vc.subgroup_min(value("ivec2")).var_type is dt.ivec2
    assert vc.subgroup_xor(value("u64")).var_type is dt.uint64
    assert vc.subgroup_or(value("f32") < 1).var_type is dt.int32
    assert vc.subgroup_elect().var_type is dt.int32
    for function, bad in ((vc.subgroup_and, "f32"), (vc.subgroup_add, "mat2"), (vc.subgroup_max, "c64")):
        with pytest.raises(TypeError):
            function(value(bad))
    with pytest.raises(TypeError):
        vc.subgroup_add(1)


def test_builtin_values(builder):
    for name in ("global_invocation_id", "local_invocation_id", "workgroup_id", "workgroup_size", "num_workgroups"):
        assert getattr(vc, name)().var_type is dt.uvec3
    for name in ("local_invocation_index", "num_subgroups", "subgroup_id", "subgroup_size", "subgroup_invocation_id"):
        assert getattr(vc, name)().var_type is dt.uint32
    for width, t in ((16, dt.float16), (32, dt.float32), (64, dt.float64)):
        assert getattr(vc, f"inf_f{width}")().var_type is t and getattr(vc, f"ninf_f{width}")().var_type is t
