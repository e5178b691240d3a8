"""Element types: the table of sizes and shapes, promotion, and the ways to and from NumPy."""

import numpy as np
import pytest
from vkdispatch.base import dtype as d
from vkdispatch.compat import numpy_compat as npc


@pytest.mark.parametrize(
    "t, size, glsl, child, count, shape, numpy_shape, true_shape",
    [
        (d.int16, 2, "int16_t", None, 0, (1,), (1,), ()),
        (d.uint32, 4, "uint", None, 0, (1,), (1,), ()),
        (d.float64, 8, "double", None, 0, (1,), (1,), ()),
        (d.complex32, 4, "f16vec2", d.float16, 2, (2,), (1,), ()),
        (d.complex128, 16, "dvec2", d.float64, 2, (2,), (1,), ()),
        (d.hvec3, 6, "f16vec3", d.float16, 3, (3,), (3,), (3,)),
        (d.vec3, 12, "vec3", d.float32, 3, (3,), (3,), (3,)),
        (d.dvec4, 32, "dvec4", d.float64, 4, (4,), (4,), (4,)),
        (d.uhvec2, 4, "u16vec2", d.uint16, 2, (2,), (2,), (2,)),
        (d.mat3, 36, "mat3", d.vec3, 3, (3, 3), (3, 3), (3, 3)),
    ],
)
def test_layout_is_tight(t, size, glsl, child, count, shape, numpy_shape, true_shape):
    assert (t.item_size, t.glsl_type, t.child_type, t.child_count) == (size, glsl, child, count)
    assert (t.shape, t.numpy_shape, t.true_numpy_shape) == (shape, numpy_shape, true_shape)


def test_there_are_39_types_with_names_and_docs():
    assert len(d.ALL_DTYPES) == 39
    for name, t in d.ALL_DTYPES.items():
        assert getattr(d, name) is t and t.name == name and t.__doc__
        assert t.dimensions == t.dimentions


def test_a_dtype_has_no_instances():
    with pytest.raises(TypeError):
        d.float32()


def test_format_strings():
    assert d.int64.format_str == "%lld"
    assert d.complex64.format_str == "(%f, %f)"
    assert d.dvec2.format_str == "(%lf, %lf)"
    assert d.mat2.format_str == "[%f, %f]\n[%f, %f]"


def test_predicates_answer_false_for_what_is_no_class():
    for test in (d.is_dtype, d.is_scalar, d.is_complex, d.is_vector, d.is_matrix, d.is_float_dtype, d.is_integer_dtype):
        assert test(3) is False and test("float32") is False and test(int) is False
    assert d.is_integer_dtype(d.uvec3) and not d.is_float_dtype(d.uvec3)
    assert not d.is_integer_dtype(d.complex64) and not d.is_float_dtype(d.complex64)
    assert d.is_float_dtype(d.mat4)


def test_vectors():
    assert d.to_vector(d.uint32, 1) is d.uint32
    assert d.to_vector(d.uint32, 3) is d.uvec3
    assert d.vector_size(d.ihvec4) == 4
    for bad in ((d.uint32, 5), (d.uint32, 0), (d.int64, 2), (d.vec2, 2), (d.complex64, 2), (3, 2)):
        with pytest.raises(ValueError):
            d.to_vector(*bad)
    with pytest.raises(ValueError):
        d.vector_size(d.float32)


def test_rank_of_scalars():
    order = [d.uint16, d.int16, d.uint32, d.int32, d.uint64, d.int64, d.float16, d.float32, d.float64]
    for i, a in enumerate(order):
        for j, b in enumerate(order):
            assert d.cross_type(a, b) is order[max(i, j)]


@pytest.mark.parametrize(
    "a, b, expected",
    [
        (d.ivec3, d.float32, d.vec3),
        (d.float64, d.uvec2, d.dvec2),
        (d.uhvec2, d.ihvec2, d.ihvec2),
        (d.complex64, d.int32, d.complex64),
        (d.complex64, d.float64, d.complex128),
        (d.complex32, d.complex128, d.complex128),
        (d.mat3, d.float64, d.mat3),
        (d.mat3, d.mat3, d.mat3),
    ],
)
def test_cross_type(a, b, expected):
    assert d.cross_type(a, b) is expected and d.cross_type(b, a) is expected


@pytest.mark.parametrize(
    "a, b",
    [
        (d.vec2, d.vec3),
        (d.vec2, d.complex64),
        (d.ivec2, d.int64),
        (d.mat2, d.mat3),
        (d.mat2, d.vec2),
        (d.mat2, d.complex64),
        (d.float32, int),
    ],
)
def test_impossible_pairs(a, b):
    with pytest.raises(ValueError):
        d.cross_type(a, b)


def test_multiply_type():
    assert d.cross_multiply_type(d.mat3, d.vec3) is d.vec3
    assert d.cross_multiply_type(d.vec2, d.mat2) is d.vec2
    for a, b in ((d.mat3, d.vec2), (d.mat2, d.dvec2), (d.mat2, d.ivec2)):
        with pytest.raises(ValueError):
            d.cross_multiply_type(a, b)


def test_floating_types():
    assert d.make_floating_dtype(d.uint16) is d.float16
    assert d.make_floating_dtype(d.int64) is d.float64
    assert d.make_floating_dtype(d.uvec3) is d.vec3
    assert d.make_floating_dtype(d.complex32) is d.complex32
    assert d.complex_from_float(d.float16) is d.complex32
    with pytest.raises(ValueError):
        d.complex_from_float(d.int32)


def test_numpy_and_back():
    for name in (
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float16",
        "float32",
        "float64",
    ):
        assert d.from_numpy_dtype(np.dtype(name)) is getattr(d, name)
        assert d.from_numpy_dtype(getattr(np, name)) is getattr(d, name)
        assert d.to_numpy_dtype(getattr(d, name)) == np.dtype(name)
    assert d.from_numpy_dtype("complex32") is d.complex32
    assert d.to_numpy_dtype(d.complex32) is npc.COMPLEX32
    assert d.from_numpy_dtype(npc.COMPLEX64) is d.complex64
    assert d.vec3.numpy == np.float32
    assert d.from_numpy_dtype(bool) is d.from_numpy_dtype("bool") is d.bool_ and d.to_numpy_dtype(d.bool_) == np.bool_
    for bad in (np.str_, np.dtype("S3"), "datetime64[s]", "vec2", None, object()):
        with pytest.raises(ValueError):
            d.from_numpy_dtype(bad)
    with pytest.raises(ValueError):
        d.to_numpy_dtype(d.vec2)
