"""Messages of reductions about invalid arguments."""

import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, c64, f32, i32


def ones(*shape, dtype=np.float32):
    return vd.asbuffer(np.ones(shape, dtype))


def adding(**options):
    @vd.reduce.reduce(0.0, **options)
    def added(a: f32, b: f32) -> f32:
        return a + b

    return added


def test_complex_numbers_taken_for_twice_as_many_are_told(host, recwarn):
    assert adding()(ones(4, 6, dtype=np.complex64)).read(0)[0] == 24
    (said,) = recwarn.list
    assert "24 elements of complex64 are taken for 48 of float32" in str(said.message) and said.filename == __file__
    recwarn.clear()

    @vd.reduce.reduce(0)
    def both(a: c64, b: c64) -> c64:
        return a + b

    both(ones(4, 6, dtype=np.complex64))
    adding()(ones(4, 6))
    assert not recwarn.list


@pytest.mark.parametrize("axes", [[1, 1], [1, -1]])
def test_an_axis_named_twice_is_refused(host, axes):
    with pytest.raises(ValueError, match=r"axes \(1, -?1\) name an axis of 2 dimension\(s\) twice"):
        adding(axes=axes)(ones(4, 6))


def test_decorators_without_parentheses_are_told_at_once(host):
    def total(a: f32, b: f32) -> f32:
        return a + b

    with pytest.raises(ValueError, match=r"write @vd.reduce.reduce\(0\) above 'total'"):
        vd.reduce.reduce(total)
    with pytest.raises(
        ValueError, match=r"Expected a ReduceOp .*got function.*vd.reduce.map_reduce\(vd.reduce.SubgroupAdd"
    ):
        vd.reduce.map_reduce(total)


def test_an_index_that_is_there_in_maps_only(host):
    def outside(out: Buff[f32]):
        out[vd.reduce.mapped_io_index()] = 1.0

    with pytest.raises(TypeError, match=r"not NoneType! vd.reduce.mapped_io_index\(\) is None outside of a reduction"):
        vd.shader("out.size")(outside)


@vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
def weighted(x: Buff[f32], by: Const[f32] = 2.0, more: Const[f32] = 1.0) -> f32:
    return x[vd.reduce.mapped_io_index()] * by + more


def test_parameters_of_a_map_have_defaults_and_names(host):
    x = ones(4)
    calls = [((x,), {}, 12), ((x, 3.0), {}, 16), ((x,), {"more": 0.0}, 8), ((), {"by": 1.0, "x": x}, 8)]
    for args, kwargs, want in calls:
        assert weighted(*args, **kwargs).read(0)[0] == want
    with pytest.raises(TypeError, match="'by' is given twice"):
        weighted(x, 1.0, by=2.0)

    @vd.map
    def scaled(x: Buff[f32], by: Const[f32], more: Const[f32] = 1.0) -> f32:
        return x[vd.reduce.mapped_io_index()] * by + more

    mapped = adding(mapping_function=scaled)
    assert mapped(x, by=3.0).read(0)[0] == 16
    with pytest.raises(ValueError, match=r"Missing argument 'by'! Reduction 'added' takes \(x, by, more\)"):
        mapped(x)


def test_a_buffer_that_is_no_number_is_told_in_a_line(host):
    with pytest.raises(
        ValueError, match=r"^Buffer of float32, shape \(2, 3\) is not a value for 'by' of type float32: .*$"
    ):
        weighted(ones(4), ones(2, 3))
    with pytest.raises(ValueError, match=r"^group_size \(array of float32, shape \(2,\)\) must be an integer"):
        adding(group_size=np.ones(2, np.float32))
    with pytest.raises(ValueError, match=r"^axes \(Buffer of float32, shape \(4,\)\) must be"):
        adding(axes=ones(4))
    with pytest.raises(ValueError, match=r"axis \(Buffer of float32, shape \(4,\)\) must be an integer"):
        vd.fft.fft(ones(4, dtype=np.complex64), axis=ones(4))
    with pytest.raises(ValueError, match=r"^identity \(Buffer of float32, shape \(4,\)\) must be a number"):
        vd.reduce.reduce(ones(4))
    makers = [vd.map, vd.shader("x.size"), vd.reduce.reduce(0), vd.reduce.map_reduce(vd.reduce.SubgroupAdd)]
    for make, what in zip(makers, ("map", "kernel", "reduction", "reduction"), strict=True):
        with pytest.raises(
            TypeError, match=rf"^A {what} is made of a function \(got Buffer of float32, shape \(4,\)\)"
        ):
            make(ones(4))
    with pytest.raises(TypeError, match=r"var_type must be a dtype \(got Buffer of float32, shape \(4,\);"):
        vd.Buffer((4,), ones(4))
    with pytest.raises(ValueError, match=r"compute_type must be .* \(got Buffer of float32, shape \(4,\)\)"):
        vd.fft.fft(ones(4, dtype=np.complex64), compute_type=ones(4))
    with pytest.raises(ValueError, match=r"instance_count \(Buffer of float32, shape \(4,\)\) must be"):
        vd.CommandGraph().submit(ones(4))
    with pytest.raises(ValueError, match="^'x{119}... is not a value"):
        weighted(ones(4), "x" * 500)


def test_a_block_that_is_left_open_is_told_by_its_place(host):
    def left_open(x: Buff[c64]):
        op = vd.fft.read_op()
        op.read_from_buffer(x)
        vc.if_statement(op.fft_index < 3)
        op.register *= 2

    z = ones(8, dtype=np.complex64)
    line = left_open.__code__.co_firstlineno + 3
    place = rf"opposite order.*: the if that was opened at .*test_reduce_mistakes\.py:{line} is still open"
    with pytest.raises(RuntimeError, match=place):
        vd.fft.fft(z, z, input_map=vd.map(left_open))

    def closed_twice(x: Buff[c64]):
        vd.fft.read_op().read_from_buffer(x)
        vc.end()

    with pytest.raises(RuntimeError, match=r"opposite order.*: this one was closed by an end\(\) inside of it"):
        vd.fft.fft(z, z, input_map=vd.map(closed_twice))


@pytest.mark.parametrize("make", [np.array, list, tuple])
def test_an_identity_of_several_numbers(host, make):
    @vd.reduce.reduce(make([np.float32(1e30), np.float32(0)]))
    def least_and_sum(a: vc.v2, b: vc.v2) -> vc.v2:
        return vc.to_vec2(vc.min(a.x, b.x), a.y + b.y)

    data = np.random.rand(1000, 2).astype(np.float32)
    buffer = vd.Buffer((1000,), vc.v2)
    buffer.write(data)
    np.testing.assert_allclose(least_and_sum(buffer).read(0)[0], [data[:, 0].min(), data[:, 1].sum()], rtol=1e-4)


def test_identities_that_only_look_the_same_are_two(host):
    results = []
    for small in (1.0, 1.0 + 1e-9):  # NumPy prints eight digits

        @vd.reduce.reduce(np.array([small, 0.0]))
        def first(a: vc.dv2, b: vc.dv2) -> vc.dv2:
            return vc.max(a, b)

        buffer = vd.Buffer((4,), vc.dv2)
        buffer.write(np.zeros((4, 2)))
        results.append(first(buffer).read(0)[0][0])
    assert results == [1.0, 1.0 + 1e-9]


def test_annotations_that_are_not_what_is_reduced_are_told(host):
    def mixed(a: i32, b: c64) -> f32:
        return a + b

    def of_buffers(a: Buff[f32], b: f32) -> f32:
        return a + b

    for wrong, said in ((mixed, r"\(a: int32, b: complex64\)"), (of_buffers, r"\(a: Buffer\[float32\]\)")):
        with pytest.warns(UserWarning, match=rf"reduction '{wrong.__name__}' of type 'float32': both .*{said}") as told:
            vd.reduce.reduce(0)(wrong)
        assert len(told) == 1 and told[0].filename == __file__ and told[0].lineno == wrong.__code__.co_firstlineno

    def bare(a, b) -> f32:
        return a + b

    def for_type_checkers(a: "Unknown", b: vc.ShaderVariable) -> "f32":  # noqa: F821
        return a + b

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for right in (bare, for_type_checkers):
            assert vd.reduce.reduce(0)(right)(ones(4)).read(0)[0] == 4


def test_what_belongs_to_the_decorator_is_said_with_the_name(host):
    def nothing_said(a: f32, b: f32):
        return a + b

    def a_number(x: Buff[f32]) -> float:
        return x[0]

    with pytest.raises(ValueError, match=r"^Return type must be annotated: .*'nothing_said'"):
        vd.reduce.reduce(0)(nothing_said)
    with pytest.raises(
        ValueError, match=r"^Return type must be annotated with a dtype: that of reduction 'a_number' is"
    ):
        vd.reduce.map_reduce(vd.reduce.SubgroupAdd)(a_number)
    for option, told in (("axis", "axes"), ("axes", "axes"), ("keepdims", "keepdims")):
        with pytest.raises(TypeError, match=rf"no parameter '{option}'! {told}= .* above 'added'.*, {told}=\.\.\.\)"):
            adding()(ones(4), **{option: 0})
