"""Reductions against NumPy."""

import re

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from vkdispatch.codegen.abbreviations import Buff, Const, Var, f32, i32, u32, v2, v4
from vkdispatch.reduce import reduce_function

from .short_form import compiles_long, skip_long_compiles

OPERATIONS = {
    "add": (vd.reduce.SubgroupAdd, np.add),
    "mul": (vd.reduce.SubgroupMul, np.multiply),
    "min": (vd.reduce.SubgroupMin, np.minimum),
    "max": (vd.reduce.SubgroupMax, np.maximum),
    "and": (vd.reduce.SubgroupAnd, np.bitwise_and),
    "or": (vd.reduce.SubgroupOr, np.bitwise_or),
    "xor": (vd.reduce.SubgroupXor, np.bitwise_xor),
}
TYPES = {"int32": vd.int32, "uint32": vd.uint32, "float32": vd.float32}


def values(shape, dtype, seed=1):
    generator = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return generator.uniform(0.9, 1.1, shape).astype(dtype)
    return generator.integers(0, 2**31 - 1, shape).astype(dtype)


def plain(operation, dtype, axes=None, **kwargs):
    """The reduction of a buffer's own elements."""
    kernel_type = TYPES[np.dtype(dtype).name]

    @vd.reduce.map_reduce(OPERATIONS[operation][0], axes=axes, **kwargs)
    def reduction(buffer: Buff[kernel_type]) -> kernel_type:
        return buffer[vd.reduce.mapped_io_index()]

    return reduction


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_operation(device, operation, dtype):
    if dtype == "uint32":
        skip_long_compiles(device)
    if dtype == "float32" and operation in ("and", "or", "xor"):
        with pytest.raises(Exception, match="bits|integer"):
            plain(operation, dtype)(vd.asbuffer(values(3, dtype)))
        return
    for count in (31, 70001) if compiles_long(device) else (1, 2, 31, 1000, 70001):
        data = values(count, dtype)
        with np.errstate(over="ignore"):
            expected = OPERATIONS[operation][1].reduce(data, dtype=data.dtype)
        got = plain(operation, dtype)(vd.asbuffer(data)).read(0)[0]
        if operation == "mul" and dtype == "float32" and count > 1000:
            continue  # runs out of its range
        assert np.allclose(got, expected, rtol=1e-4), count


@pytest.mark.parametrize("count", [1, 5, 300, 4097, 300000])
def test_a_function_of_two_values(device, count):
    @vd.reduce.reduce(0)
    def total(a: f32, b: f32) -> f32:
        return a + b

    data = values(count, "float32")
    assert np.allclose(total(vd.asbuffer(data)).read(0)[0], data.sum(dtype=np.float64), rtol=1e-5)
    assert total is not None and vd.reduce.mapped_io_index() is None


def test_a_mapping_function(device):
    @vd.map
    def product(a: Buff[f32], b: Buff[f32], factor: Const[f32]) -> f32:
        index = vd.reduce.mapped_io_index()
        return a[index] * b[index] * factor

    @vd.reduce.reduce(0, mapping_function=product)
    def dot(a: f32, b: f32) -> f32:
        return a + b

    a, b = values(5000, "float32"), values(5000, "float32", 2)
    want = 3 * np.dot(a.astype(np.float64), b)
    assert np.allclose(dot(vd.asbuffer(a), vd.asbuffer(b), 3.0).read(0)[0], want, rtol=1e-5)
    assert np.allclose(dot(vd.asbuffer(a), factor=3.0, b=vd.asbuffer(b)).read(0)[0], want, rtol=1e-5)
    with pytest.raises(ValueError, match="must return what is reduced"):

        @vd.reduce.reduce(0, mapping_function=product)
        def whole(a: i32, b: i32) -> i32:
            return a + b


def test_sine_and_vectors(device):
    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def sines(buffer: Buff[f32]) -> f32:
        return vc.sin(buffer[vd.reduce.mapped_io_index()])

    data = np.random.default_rng(4).uniform(-3, 3, 4000).astype(np.float32)
    assert np.allclose(sines(vd.asbuffer(data)).read(0)[0], np.sin(data.astype(np.float64)).sum(), atol=1e-2)

    for n, var_type in ((2, v2), (4, v4)):
        pairs = values((5000, n), "float32")
        for op, fold in ((vd.reduce.SubgroupAdd, np.add), (vd.reduce.SubgroupMin, np.minimum)):

            @vd.reduce.map_reduce(op)
            def folded(buffer: Buff[var_type]) -> var_type:
                return buffer[vd.reduce.mapped_io_index()]

            buffer = vd.Buffer((5000,), var_type)
            buffer.write(pairs)
            graph = vd.CommandGraph()
            out = folded(buffer, graph=graph)
            graph.submit()
            assert np.allclose(out.read(0)[0], fold.reduce(pairs, axis=0), rtol=1e-4)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((10, 30000), [1]), ((300, 7), [1]), ((300, 7), [0]), ((5, 6, 7), [1, 2]), ((5, 6, 7), [0, 2]), ((5, 6, 7), -2),
     ((4, 3, 5, 6), (0, 2)), ((2, 3, 4, 5), [0, 1, 2, 3])],
)  # fmt: skip
def test_axes(device, shape, axes):
    data = values(shape, "int32")
    numbers = (axes,) if isinstance(axes, int) else tuple(axes)
    expected = np.bitwise_xor.reduce(data, axis=numbers)
    out = plain("xor", "int32", axes)(vd.asbuffer(data))
    got = out.read(0)[0]
    assert np.array_equal(np.asarray(got).reshape(-1), np.asarray(expected).reshape(-1))
    kept = plain("xor", "int32", axes, keepdims=True)(vd.asbuffer(data)).read(0)
    assert np.array_equal(kept, np.bitwise_xor.reduce(data, axis=numbers, keepdims=True))


@given(data=st.data())
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=False
)
def test_random_shapes(host, data):
    shape = tuple(data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=4), label="shape"))
    axes = data.draw(
        st.one_of(st.none(), st.sets(st.integers(0, len(shape) - 1), min_size=1).map(sorted)), label="axes"
    )
    dtype = data.draw(st.sampled_from(sorted(TYPES)), label="dtype")
    names = ["add", "min", "max"] if dtype == "float32" else sorted(set(OPERATIONS) - {"mul"})
    operation = data.draw(st.sampled_from(names), label="operation")
    group_size = data.draw(st.sampled_from([None, 32, 96, 256]), label="group_size")
    array = values(shape, dtype, data.draw(st.integers(0, 1000), label="seed"))
    got = plain(operation, dtype, axes, group_size=group_size)(vd.asbuffer(array)).read(0)[0]
    expected = OPERATIONS[operation][1].reduce(array, axis=None if axes is None else tuple(axes), dtype=array.dtype)
    assert np.allclose(np.asarray(got).reshape(-1), np.asarray(expected).reshape(-1), rtol=1e-4)


def test_variables_change_between_submissions(host):
    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def scaled(buffer: Buff[f32], factor: Var[f32]) -> f32:
        return buffer[vd.reduce.mapped_io_index()] * factor

    data = values(3000, "float32")
    graph = vd.CommandGraph()
    out = scaled(vd.asbuffer(data), graph.bind_var("factor"), graph=graph)
    for factor in (1.0, -2.5):
        graph.set_var("factor", factor)
        graph.submit()
        assert np.allclose(out.read(0)[0], factor * data.sum(dtype=np.float64), rtol=1e-4)


def test_a_decorator_inside_a_function_traces_once(host):
    def make(factor):
        @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
        def scaled(buffer: Buff[f32]) -> f32:
            return buffer[vd.reduce.mapped_io_index()] * factor

        return scaled

    data = vd.asbuffer(np.ones(100, np.float32))
    before = reduce_function._plans.misses
    for _ in range(3):
        assert make(2.0)(data).read(0)[0] == 200
    assert reduce_function._plans.misses == before + 1
    assert make(3.0)(data).read(0)[0] == 300
    assert reduce_function._plans.misses == before + 2


def test_sources(host):
    sources = plain("min", "float32").get_src()
    assert len(sources) == 2 and all(sources)
    reduction = plain("max", "float32", axes=[1])
    assert all(reduction.get_src(line_numbers=True))
    assert repr(reduction)
    reduction.print_src()
    assert "invocations per workgroup" in reduction.explain((10, 1000))
    assert reduction.reduction is vd.reduce.SubgroupMax
    assert reduction.out_type is vd.float32 and reduction.axes == (1,) and reduction.group_size > 0
    assert reduction.map_func is not None and len(reduction.input_types) == 1


def test_mistakes(host):
    total = plain("add", "float32")
    data = vd.asbuffer(np.ones(4, np.float32))
    with pytest.raises(ValueError, match="must be a buffer"):
        total(3)
    with pytest.raises(ValueError, match="must be a buffer"):
        total()
    with pytest.raises(ValueError, match="were given"):
        total(data, data)
    with pytest.raises(TypeError, match="no parameter 'axis'"):
        total(data, axis=0)
    with pytest.raises(ValueError, match="CommandGraph"):
        total(data, graph=3)
    with pytest.raises(ValueError, match="Group size must be a multiple of the sub-group size!"):
        plain("add", "float32", group_size=33)(data)
    with pytest.raises(ValueError, match="is not an axis"):
        plain("add", "float32", axes=[1])(data)
    with pytest.raises(ValueError, match="Return type must be annotated"):

        @vd.reduce.reduce(0)
        def nothing(a: f32, b: f32):
            return a + b

    with pytest.raises(ValueError, match="ReduceOp"):
        vd.reduce.map_reduce(3)
    for axes in ("x", 1.0, [0.5]):
        with pytest.raises(ValueError, match="axes .* must be an integer or several"):
            plain("add", "float32", axes=axes)
    with pytest.raises(ValueError, match="at least one axis"):
        plain("add", "float32", axes=[])
    with pytest.raises(ValueError, match=r"group_size \(1.5\) must be an integer"):
        plain("add", "float32", group_size=1.5)
    for shape in ((-1,), (4, 0)):
        with pytest.raises(ValueError, match="must have positive dimensions"):
            total.explain(shape)


def test_axes_as_numpy_gives_them(host):
    data = values((3, 4), "int32") % 1000
    for axes in (np.int64(1), np.array([1]), range(1, 2), [-1]):
        assert np.array_equal(plain("add", "int32", axes=axes)(vd.asbuffer(data)).read(0)[0], data.sum(1))


def test_functions_that_do_not_fit_are_told_by_their_place(host):
    data = vd.asbuffer(np.ones(4, np.float32))

    def pair(a: f32, b: f32) -> f32:
        return vc.new_vec2_register(1, 2)

    def number(a: f32, b: f32) -> f32:
        return vc.new_complex_register()

    def text(a: f32, b: f32) -> f32:
        return "one"

    def nothing(a: f32, b: f32) -> f32:
        pass

    for function, kind in ((pair, ValueError), (number, ValueError), (text, TypeError), (nothing, ValueError)):
        place = rf"test_reduce\.py:{function.__code__.co_firstlineno}: function '{function.__name__}' of type 'float32'"
        with pytest.raises(kind, match=place):
            vd.reduce.reduce(0)(function)(data)

    def integer(buffer: Buff[f32]) -> i32:
        return buffer[vd.reduce.mapped_io_index()]

    with pytest.raises(
        ValueError, match=rf"test_reduce\.py:{integer.__code__.co_firstlineno}: map 'integer'.*to_dtype"
    ):
        vd.reduce.map_reduce(vd.reduce.SubgroupAdd)(integer)(data)
    with pytest.raises(ValueError, match="'one' must take the two values"):

        @vd.reduce.reduce(0)
        def one(a: f32) -> f32:
            return a

    with pytest.raises(ValueError, match=r"identity \(1.5\) is not a value of int32"):

        @vd.reduce.reduce(1.5)
        def add(a: i32, b: i32) -> i32:
            return a + b

        add(vd.asbuffer(np.ones(4, np.int32)))


def test_rows_and_parts_at_every_offset(device):
    @vd.reduce.reduce(0)
    def total(a: i32, b: i32) -> i32:
        return a + b

    @vd.reduce.reduce(0, axes=1, keepdims=True)
    def sums(a: i32, b: i32) -> i32:
        return a + b

    data = np.arange(24, dtype=np.int32).reshape(4, 6)
    table = vd.asbuffer(data)
    for row in range(4):
        assert total(table[row]).read(0)[0] == data[row].sum()
    np.testing.assert_array_equal(sums(table[1:]).read(0), data[1:].sum(axis=1, keepdims=True))
    graph = vd.CommandGraph()
    result = total(table[1], graph=graph)
    graph.submit()
    assert result.read(0)[0] == data[1].sum()
    with pytest.raises(ValueError, match="The reduction takes 1 argument"):
        total(table[1], 2)


def test_memory_of_others_at_every_offset(host):
    @vd.reduce.reduce(0)
    def total(a: i32, b: i32) -> i32:
        return a + b

    memory = np.arange(40, dtype=np.int32)
    for first in range(1, 5):
        alias = vd.Buffer(32, vd.int32, memory[first : first + 32])
        assert total(alias).read(0)[0] == memory[first : first + 32].sum()


def test_the_stages_of_a_reduction(device):
    stage = vd.reduce.make_reduction_stage(vd.reduce.SubgroupAdd, vd.uint32, 64, False)
    final = vd.reduce.make_reduction_stage(vd.reduce.SubgroupAdd, vd.uint32, 64, True)
    data = values(5000, "uint32")
    out = vd.Buffer((8,), vd.uint32)
    out.write(np.zeros(8, np.uint32))
    stage(out, vd.asbuffer(data), vd.reduce.ReductionParams(0, 5000, 1, 0, 0, 1, 1, 0, 0), workgroups=7)
    final(out, vd.reduce.ReductionParams(1, 7, 1, 0, 0, 0, 1, 0, 0), workgroups=1)
    assert out.read(0)[0] == data.sum(dtype=np.uint32)


def test_own_operations_have_an_identity_of_their_type(device):
    greatest = vd.reduce.ReduceOp("greatest", lambda x, y: vc.max(x, y), "-inf")
    for var_type, dtype in ((u32, "uint32"), (i32, "int32"), (f32, "float32")):

        @vd.reduce.map_reduce(greatest)
        def largest(buffer: Buff[var_type]) -> var_type:
            return buffer[vd.reduce.mapped_io_index()]

        data = values(777, dtype) if dtype != "int32" else -values(777, dtype)
        assert largest(vd.asbuffer(data)).read(0)[0] == data.max()


@pytest.mark.parametrize("name", ["int16", "uint16", "int64", "uint64", "float16", "float64"])
def test_other_widths(device, name):
    var_type = getattr(vd, name)
    for shape, axes in (((5000,), None), ((300, 70), [1]), ((70, 300), [0])):
        data = np.random.default_rng(5).integers(0, 3, shape).astype(name)
        for op, fold in ((vd.reduce.SubgroupAdd, np.add), (vd.reduce.SubgroupMax, np.maximum)):
            try:
                out = vd.reduce.ReduceFunction(op, var_type, axes=axes)(vd.asbuffer(data))
            except NotImplementedError as error:
                pytest.skip(str(error))
            expected = fold.reduce(data.astype(np.float64), axis=None if axes is None else tuple(axes))
            assert np.allclose(np.ravel(out.read(0)[0]).astype(np.float64), np.ravel(expected), rtol=1e-2)


def test_the_shape_of_results_and_what_is_explained(device):
    # As vkdispatch 0.1 lays them out, without the rows that it keeps its parts in: results are row 0.
    data = values((6, 5, 1000), "int32")
    cases = [(None, (1,)), ([2], (1, 30)), ([1, 2], (1, 6)), ([0, 1, 2], (1,))]
    for axes, shape in cases[: 2 if device == "opencl" else None]:  # PoCL compiles for long

        @vd.reduce.reduce(0, axes=axes)
        def total(a: i32, b: i32) -> i32:
            return a + b

        out = total(vd.asbuffer(data))
        assert out.shape == shape and out.var_type is vd.int32, axes
        want = data.sum(axis=tuple(axes) if axes else None, dtype=np.int32).reshape(-1)
        assert np.array_equal(np.atleast_1d(out.read(0)[0]), want)
        text = total.explain(data.shape)
        passes = [line for line in text.splitlines() if " of them per result, " in line]
        moved = [
            re.search(
                r"(\d+) bytes of shared memory, .*?reads (\d+) and writes (\d+) bytes"
                r"(?:, \d+ registers per invocation)?(?:, \d+ bytes spilled per invocation)?$",
                line,
            )
            for line in passes
        ]
        count = want.size
        assert passes[0].startswith(f"total: {count} result{'s' * (count != 1)} of {data.size // count} elements; ")
        bound = re.search(r"lower bound: a copy that reads (\d+) and writes (\d+) bytes", text)
        assert [int(v) for v in bound.groups()] == [sum(int(m[i]) for m in moved) for i in (2, 3)]
        assert int(moved[0][2]) >= data.nbytes and int(moved[-1][3]) >= 4 * count
        assert all(int(m[1]) <= vd.get_context().max_shared_memory for m in moved)


@pytest.mark.parametrize(("operation", "fold"), [("min", np.fmin), ("max", np.fmax)])
def test_nan_is_passed_over_unless_it_is_alone(device, operation, fold):
    data = np.full((3, 700), np.nan, dtype=np.float32)
    data[1, 699] = 4
    result = plain(operation, np.float32, axes=[1])(vd.asbuffer(data)).read(0)
    np.testing.assert_array_equal(np.ravel(result), fold.reduce(data, axis=1))
