"""Loops that count, leaving them, and choosing between values: what kernels compute, beside Python."""

import itertools
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.base import dtype as dt
from vkdispatch.codegen.abbreviations import *


@pytest.fixture(scope="module", autouse=True)
def context():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vd.make_context()


ROOM = 24


def turns(bounds, *values):
    """The counts of a loop whose bounds are made of values of the kernel."""

    @vd.shader(1)
    def kernel(out: Buff[i32], n: Buff[i32], x: Buff[i32]):
        with vc.for_block(*bounds(x)) as i:
            out[n[0]] = i.to_dtype(i32)
            n[0] += 1
            with vc.if_block(n[0] == ROOM):
                vc.break_statement()

    out, n = vd.asbuffer(np.full(ROOM, -99, np.int32)), vd.asbuffer(np.zeros(1, np.int32))
    kernel(out, n, vd.asbuffer(np.array(values or (0,), np.int32)))
    return out.read(0)[: n.read(0)[0]].tolist()


RANGES = [(0, 5, 1), (3, 3, 1), (5, 2, 1), (2, 11, 3), (5, -1, -1), (4, 4, -1), (-3, 3, 2), (7, 0, -3), (0, 5, -1)]


@pytest.mark.parametrize("bounds", RANGES)
def test_numbers_count_as_range_does(bounds):
    assert turns(lambda x: bounds) == list(range(*bounds))


@pytest.mark.parametrize("bounds", RANGES)
def test_variables_count_as_range_does(bounds):
    assert turns(lambda x: (x[0], x[1], x[2]), *bounds) == list(range(*bounds))
    assert turns(lambda x: (x[0], x[1], bounds[2]), *bounds) == list(range(*bounds))
    assert turns(lambda x: (bounds[0], x[1], x[2]), *bounds) == list(range(*bounds))


def test_fewer_bounds_as_range_has():
    assert turns(lambda x: (4,)) == turns(lambda x: (x[0],), 4) == [0, 1, 2, 3]
    assert turns(lambda x: (2, x[0]), 4) == [2, 3]


def test_a_step_that_turns_out_as_0_makes_no_turn():
    assert turns(lambda x: (0, 5, x[0]), 0) == []
    assert turns(lambda x: (5, 0, x[0]), 0) == []


def test_bounds_of_each_type_count_down():
    for t in (i16, u16, i32, u32, i64, u64):

        def bounds(x, t=t):
            return x[0].to_dtype(t), 0, -2

        assert turns(bounds, 7) == [7, 5, 3, 1], t.name


def test_bounds_are_evaluated_once():
    @vd.shader(1)
    def kernel(out: Buff[u32], n: Buff[u32]):
        with vc.for_block(n[0]):
            n[0] = vc.to_uint(100)
            out[0] += 1

    out = vd.asbuffer(np.zeros(1, np.uint32))
    kernel(out, vd.asbuffer(np.array([3], np.uint32)))
    assert out.read(0)[0] == 3


def test_break_and_continue_are_of_the_innermost_loop():
    @vd.shader("out.size")
    def kernel(out: Buff[u32]):
        g = vc.global_invocation_id().x
        total = vc.new_uint_register(var_name="total")
        with vc.for_block(g) as i:
            with vc.if_block(i % 3 == 1):
                vc.continue_statement()
            with vc.for_block(10) as j:
                with vc.if_block(j > i):
                    vc.break_statement()
                total += 1
            n = vc.new_uint_register()
            with vc.while_block(n < 5):
                n += 1
                with vc.if_block(n % 2 == 0):
                    vc.continue_statement()
                with vc.else_if_block(n > 3):
                    vc.break_statement()
                total += 100
        out[g] = total

    def wanted(g):
        total = 0
        for i in range(g):
            if i % 3 == 1:
                continue
            for j in range(10):
                if j > i:
                    break
                total += 1
            total += 200
        return total

    out = vd.asbuffer(np.zeros(12, np.uint32))
    kernel(out)
    assert out.read(0).tolist() == [wanted(g) for g in range(12)]


def test_what_follows_a_break_is_not_reached():
    @vd.shader(1)
    def kernel(out: Buff[u32]):
        with vc.for_block(5):
            out[0] += 1
            vc.break_statement()
            out[1] += 1

    out = vd.asbuffer(np.zeros(2, np.uint32))
    kernel(out)
    assert out.read(0).tolist() == [1, 0]


def test_counters_have_the_type_of_their_bounds(trace):
    u16_, i16_, u64_, i64_ = (vc.new_register(t) for t in (u16, i16, u64, i64))
    n = vc.new_uint_register()
    for bounds, wanted in (
        ((5,), u32), ((-1, 5), i32), ((5, 0, -1), i32), ((n,), u32), ((0, n, -1), i32), ((n, -1, -1), i32),
        ((u16_,), u32), ((i16_,), i32), ((u64_,), u64), ((u64_, 0, -1), i64), ((0, i64_), i64), ((2**40,), u64),
        ((-(2**40), 0), i64),
    ):  # fmt: skip
        with vc.for_block(*bounds) as i:
            assert i.var_type is wanted, bounds
            assert not i.settable


@pytest.mark.parametrize(
    "bounds",
    [
        (0, 2**32 - 1, 2),
        (2**31 - 1, -(2**31), -(2**31)),
        (0, 1 - 2**31, -3),
        (-1, 2**31 - 1, 2**30 + 1),
        (-(2**63), 2**63 - 1, 2**62),
    ],
)
def test_a_loop_of_numbers_whose_count_would_wrap_is_refused(trace, bounds):
    last = range(*bounds)[-1]
    loop = vc.for_block(*bounds)
    with pytest.raises(ValueError, match=rf"\({last} \+ {bounds[2]}\) does not fit .*test_codegen_loops\.py:\d+"):
        loop.__enter__()


@pytest.mark.parametrize(
    "bounds",
    [(2**32 - 1,), (0, 2**32, 2**31), (10, 0, -(2**31)), (0, -(2**31), -(2**31)), (0, 2**31 - 1, 2**31 - 1), (5, 2**31 - 1, -1), (0, 2**63, 2**62)],
)  # fmt: skip
def test_a_loop_of_numbers_that_just_fit_is_none(trace, bounds):
    with vc.for_block(*bounds):
        pass


def test_what_a_loop_refuses(trace):
    (buffer,) = trace.declare_input_arguments([Buff[f32]], ["x"])
    n = vc.new_uint_register()
    for error, text, use in (
        (ValueError, r"step is 0.*test_codegen_loops\.py:\d+", lambda: vc.for_block(0, 5, 0)),
        (ValueError, "step is 0", lambda: vc.for_block(n, 5, np.int64(0))),
        (TypeError, "stop must be an integer, not bool", lambda: vc.for_block(True)),
        (TypeError, "start must be an integer, not bool", lambda: vc.for_block(False, 5)),
        (TypeError, "step must be an integer, not float", lambda: vc.for_block(0, 5, 0.5)),
        (TypeError, "stop must be an integer, not str", lambda: vc.for_block(0, "5")),
        (TypeError, "stop must be an integer, and it is a comparison", lambda: vc.for_block(n < 3)),
        (TypeError, "start must be an integer, and it is of type 'float32'", lambda: vc.for_block(buffer[0], 5)),
        (TypeError, "start must be an integer, and it is of type 'uvec2'", lambda: vc.for_block(vc.to_uvec2(n), 5)),
        ((TypeError, ValueError), "buffer or image", lambda: vc.for_block(buffer)),
        (OverflowError, "does not fit 64 bits", lambda: vc.for_block(2**70).__enter__()),
        (RuntimeError, r"outside of a loop.*test_codegen_loops\.py:\d+", vc.break_statement),
        (RuntimeError, "outside of a loop", vc.continue_statement),
    ):
        with pytest.raises(error, match=text):
            use()
    with vc.if_block(n), pytest.raises(RuntimeError, match="outside of a loop"):
        vc.break_statement()
    with vc.while_block(n), vc.if_block(n):
        vc.break_statement()
    with pytest.raises(RuntimeError, match="outside of a loop"):  # the loop is closed
        vc.continue_statement()


def test_a_loop_of_another_kernel_is_refused(trace):
    n = vc.new_uint_register()
    vc.set_builder(None)
    with vc.shader_context(), pytest.raises(RuntimeError, match="different kernel"):
        vc.for_block(n).__enter__()
    vc.set_builder(trace.builder)


# ---- Selection


def test_select_of_numbers_has_their_own_type(trace):
    n = vc.new_int_register(1)
    found = [vc.select(n == 1, a, b).var_type for a, b in [(1, 0), (1, -1), (1.0, 0), (2**40, 0)]]
    assert found == [dt.uint32, dt.int32, dt.float32, dt.uint64]
    assert vc.select(n == 1, n, 0).var_type is dt.int32 and vc.select(True, 1, 0) == 1


def test_select_meets_as_operators_do(trace):
    types = {t: vc.new_register(t) for t in (u16, i16, u32, i32, u64, i64, f16, f32, f64)}
    n = types[u32]
    for (a, x), (b, y) in itertools.product(types.items(), types.items()):
        assert vc.select(n == 1, x, y).var_type is dt.cross_type(a, b)
    assert vc.select(n, types[f32], 1).var_type is f32 and vc.select(n, 2.5, n).var_type is f32
    assert vc.select(n > 1, 1, 0).var_type is u32 and vc.select(n > 1, 1, -1).var_type is i32
    assert vc.select(n > 1, 1.5, 2).var_type is f32
    assert vc.select(True, n, 0).var_type is u32
    assert vc.select(n, vc.new_vec3_register(), 0).var_type is v3
    assert vc.select(n, vc.new_complex_register(), 1).var_type is c64
    assert vc.select(n, vc.new_mat2_register(), vc.new_mat2_register()).var_type is m2
    assert vc.select(n, n > 1, n < 5).var_type is i32
    assert vc.select(True, 3, 4) == 3 and vc.select(np.False_, 3, 4.5) == 4.5


def test_what_select_refuses(trace):
    (buffer,) = trace.declare_input_arguments([Buff[f32]], ["x"])
    n = vc.new_uint_register()
    for error, use in (
        (TypeError, lambda: vc.select(buffer[0], 1, 2)),
        (TypeError, lambda: vc.select(1, n, 2)),
        (TypeError, lambda: vc.select("x", 1, 2)),
        ((TypeError, ValueError), lambda: vc.select(n, buffer, 2)),
        (ValueError, lambda: vc.select(n, "x", 2)),
        (ValueError, lambda: vc.select(n, vc.new_vec2_register(), vc.new_vec3_register())),
    ):
        with pytest.raises(error):
            use()


def test_select_chooses_element_by_element():
    @vd.shader("out.size")
    def kernel(out: Buff[f32], z: Buff[c64], m: Buff[m2], x: Buff[f32]):
        i = vc.global_invocation_id().x
        out[i] = vc.select(x[i] < 0, 0, x[i]) + vc.select(i % 2, 10, 20)
        z[i] = vc.select(i == 3, z[i] * 2, 1)
        m[i] = vc.select(i < 2, m[i], m[i] + m[i])

    x = np.array([-1, 2, -3, 4], np.float32)
    out, z, m = vd.Buffer((4,), f32), vd.asbuffer(np.full(4, 1 + 1j, np.complex64)), vd.Buffer((4,), m2)
    m.write(np.ones((4, 2, 2), np.float32))
    kernel(out, z, m, vd.asbuffer(x))
    assert out.read(0).tolist() == [20, 12, 20, 14]
    assert z.read(0).tolist() == [1, 1, 1, 2 + 2j]
    assert m.read(0)[:, 0, 0].tolist() == [1, 1, 2, 2]
