"""Subgroup operations, compared with Python."""

import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import *

LOCAL, GROUPS = 64, 2
COUNT = LOCAL * GROUPS


@pytest.fixture(scope="module", autouse=True)
def context():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vd.make_context()


def subgroups(expressions, x, t=u32):
    """The value of each expression in each lane: an array per subgroup, its rows by lane, next to the values
    themselves."""

    @vd.shader(workgroups=GROUPS, local_size=LOCAL)
    def kernel(x: Buff[t], where: Buff[uv2], out: Buff[t]):
        i = vc.global_invocation_id().x
        where[i] = vc.to_uvec2(vc.subgroup_id(), vc.subgroup_invocation_id())
        for k, value in enumerate(expressions(x[i].to_register())):
            out[i * WIDTH + k] = value.to_dtype(t)

    where, out = vd.Buffer((COUNT,), uv2), vd.asbuffer(np.zeros(COUNT * WIDTH, x.dtype))
    kernel(vd.asbuffer(x), where, out)
    places, rows = where.read(0), out.read(0).reshape(COUNT, WIDTH)
    found = []
    for group in range(GROUPS):
        for number in sorted(set(places[group * LOCAL : (group + 1) * LOCAL, 0])):
            mine = [i for i in range(group * LOCAL, (group + 1) * LOCAL) if places[i, 0] == number]
            mine.sort(key=lambda i: places[i, 1])
            assert [places[i, 1] for i in mine] == list(range(len(mine)))
            found.append((x[mine], rows[mine]))
    assert sum(len(values) for values, _ in found) == COUNT
    return found


WIDTH = 8
VALUES = np.random.default_rng(11).integers(0, 1000, COUNT)


def test_lanes_take_each_others_values():
    def expressions(v):
        lane = vc.subgroup_invocation_id()
        size = vc.subgroup_size()
        return (
            vc.subgroup_shuffle(v, size - 1 - lane), vc.subgroup_shuffle(v, 0), vc.subgroup_shuffle_xor(v, 1),
            vc.subgroup_shuffle_up(v, 1), vc.subgroup_shuffle_down(v, 2), vc.subgroup_broadcast_first(v),
            vc.subgroup_broadcast(v, 0), vc.subgroup_broadcast(v, size // 2),
        )  # fmt: skip

    for dtype, t in ((np.uint32, u32), (np.float32, f32), (np.int32, i32)):
        for values, rows in subgroups(expressions, VALUES.astype(dtype), t):
            n = len(values)
            assert (rows[:, 0] == values[::-1]).all()
            assert (rows[:, 1] == values[0]).all() and (rows[:, 5] == values[0]).all()
            assert (rows[:, 6] == values[0]).all() and (rows[:, 7] == values[n // 2]).all()
            if n > 2:
                assert (rows[:, 2] == values[np.arange(n) ^ 1]).all()
                assert (rows[1:, 3] == values[:-1]).all() and (rows[:-2, 4] == values[2:]).all()


def test_lanes_vote():
    def expressions(v):
        return (
            vc.subgroup_any(v == 7), vc.subgroup_all(v < 500), vc.subgroup_any(False), vc.subgroup_all(True),
            vc.subgroup_any(v), vc.subgroup_all(v),
        )  # fmt: skip

    x = np.full(COUNT, 3, np.uint32)
    x[5], x[70], x[71] = 7, 600, 0
    for values, rows in subgroups(expressions, x):
        wanted = [(values == 7).any(), (values < 500).all(), False, True, values.any(), values.all()]
        assert (rows[:, :6] == wanted).all()


def test_a_ballot_has_a_bit_for_each_lane():
    def expressions(v):
        ballot = vc.subgroup_ballot(v % 3 == 0).to_register("ballot")
        return ballot.x, ballot.y, ballot.z, ballot.w, vc.popcount(vc.subgroup_ballot(True).x)

    for values, rows in subgroups(expressions, VALUES.astype(np.uint32)):
        bits = sum(1 << lane for lane, value in enumerate(values) if value % 3 == 0)
        assert (rows[:, :4] == [bits >> 32 * word & 0xFFFFFFFF for word in range(4)]).all()
        assert (rows[:, 4] == min(len(values), 32)).all()


def test_vectors_and_complex_numbers_travel():
    @vd.shader(workgroups=1, local_size=LOCAL)
    def kernel(v: Buff[v3], c: Buff[c64]):
        i = vc.local_invocation_index()
        v[i] = vc.subgroup_shuffle(v[i], 0)
        c[i] = vc.subgroup_broadcast_first(c[i])

    v, c = vd.Buffer((LOCAL,), v3), vd.Buffer((LOCAL,), c64)
    v.write(np.arange(3 * LOCAL, dtype=np.float32).reshape(LOCAL, 3))
    c.write((np.arange(LOCAL) * (1 + 2j)).astype(np.complex64))
    kernel(v, c)
    first = v.read(0)[:, 0] / 3
    assert (v.read(0)[:, 2] == 3 * first + 2).all() and (c.read(0) == first * (1 + 2j)).all()


def test_types_of_what_lanes_give(trace):
    x, z, n = vc.new_float_register(), vc.new_complex_register(), vc.new_int16_register()
    for function in (
        vc.subgroup_shuffle,
        vc.subgroup_shuffle_xor,
        vc.subgroup_shuffle_up,
        vc.subgroup_shuffle_down,
        vc.subgroup_broadcast,
    ):
        assert function(x, 1).var_type is f32 and function(z, n).var_type is c64
        assert function(x < 1, 0).var_type is i32
    assert vc.subgroup_broadcast_first(x).var_type is f32
    assert vc.subgroup_ballot(x < 1).var_type is vc.subgroup_ballot(n).var_type is uv4
    assert vc.subgroup_any(x < 1).var_type is vc.subgroup_all(n).var_type is i32


def test_what_lanes_refuse(trace):
    (buffer,) = trace.declare_input_arguments([Buff[f32]], ["x"])
    x = vc.new_float_register()
    for error, text, use in (
        (TypeError, "subgroup_shuffle.. takes a variable, not int", lambda: vc.subgroup_shuffle(1, 0)),
        (TypeError, "subgroup_shuffle.. takes a variable", lambda: vc.subgroup_shuffle(buffer, 0)),
        (TypeError, "not defined for type 'mat2'", lambda: vc.subgroup_shuffle_up(vc.new_mat2_register(), 0)),
        (TypeError, "lane must be an integer scalar, not 'float32'", lambda: vc.subgroup_shuffle_down(x, x)),
        (TypeError, "lane must be an integer scalar, not float", lambda: vc.subgroup_shuffle_xor(x, 0.5)),
        (TypeError, "lane must be an integer scalar, not bool", lambda: vc.subgroup_shuffle(x, True)),
        (ValueError, r"the lane \(-1\) is not in 0", lambda: vc.subgroup_shuffle(x, -1)),
        (TypeError, "takes a variable, not float", lambda: vc.subgroup_broadcast_first(1.0)),
        (TypeError, "condition", lambda: vc.subgroup_any(x)),
        (TypeError, "condition", lambda: vc.subgroup_ballot(x)),
        (ValueError, r"subgroup_broadcast.*lane \(-2\)", lambda: vc.subgroup_broadcast(x, -2)),
        (TypeError, "boolean", lambda: vc.subgroup_all(1)),
    ):
        with pytest.raises(error, match=text):
            use()
