"""Reductions and transforms are made once for their functions and the values that these read, and anew when a value
changes."""

import gc
import types
import weakref

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, c64, f32, i32
from vkdispatch.reduce import reduce_function
from vkdispatch.shader import memo
from vkdispatch.shader.memo import function_key, map_key

SCALE = 2.0
LIMIT = 1
settings = types.ModuleType("settings")
settings.scale = 2.0


class Config:
    scale = 2.0

    @property
    def computed(self):
        return self.scale


class Holder:
    pass


def helper(x):
    return x * SCALE


def total(of):
    """A reduction made anew; `of` gives a map's element."""

    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def reduction(buffer: Buff[f32]) -> f32:
        return of(buffer[vd.reduce.mapped_io_index()])

    return reduction


def ones(count=4):
    return vd.asbuffer(np.ones(count, np.float32))


def value(reduction, data):
    return reduction(data).read(0)[0]


@pytest.fixture
def count_plans():
    """Gives a function: how many reductions were traced since it was called last."""
    reduce_function._plans.clear()
    seen = 0

    def count():
        nonlocal seen
        new, seen = reduce_function._plans.misses - seen, reduce_function._plans.misses
        return new

    return count


def test_a_global_that_changes(host, monkeypatch, count_plans):
    def make():
        @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
        def scaled(buffer: Buff[f32]) -> f32:
            return buffer[vd.reduce.mapped_io_index()] * SCALE

        return scaled

    data, kept = ones(), make()
    assert value(kept, data) == value(make(), data) == 8 and count_plans() == 1
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert value(make(), data) == value(kept, data) == 12 and count_plans() == 1
    monkeypatch.undo()
    assert value(make(), data) == 8 and count_plans() == 0


def test_a_global_that_an_inner_function_reads(host, monkeypatch):
    def make():
        @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
        def scaled(buffer: Buff[f32]) -> f32:
            return next(helper(x) for x in [buffer[vd.reduce.mapped_io_index()]])

        return scaled

    data = ones()
    assert value(make(), data) == 8
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert value(make(), data) == 20


def test_a_module_s_value_that_changes(host, monkeypatch):
    def scaled(x):
        return x * settings.scale

    data = ones()
    assert value(total(scaled), data) == 8
    monkeypatch.setattr(settings, "scale", 4.0)
    assert value(total(scaled), data) == 16


@pytest.mark.parametrize("attribute", ["scale", "computed"])
def test_an_object_that_changes(host, attribute):
    config = Config()

    def plain(x):
        return x * config.scale

    def computed(x):
        return x * config.computed

    of = plain if attribute == "scale" else computed
    data = ones()
    assert value(total(of), data) == 8
    config.scale = 3.0
    assert value(total(of), data) == 12


def test_a_list_and_an_array_that_change(host):
    factors, weights = [2.0], np.array([1.0, 2.0])

    def weighted(x):
        return x * factors[0] * float(weights[1])

    data = ones()
    assert value(total(weighted), data) == 16
    factors[0] = 3.0
    assert value(total(weighted), data) == 24
    weights[1] = 1.0
    assert value(total(weighted), data) == 12


def test_values_that_are_equal_but_of_other_types(host, count_plans):
    def make(divisor):
        @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
        def divided(buffer: Buff[i32]) -> f32:
            element = buffer[vd.reduce.mapped_io_index()]
            quotient = element // int(divisor) if isinstance(divisor, int) else vc.to_dtype(f32, element) / divisor
            return vc.to_dtype(f32, quotient)

        return divided

    data = vd.asbuffer(np.full(4, 7, np.int32))
    assert value(make(2), data) == 12
    assert value(make(2.0), data) == 14
    assert value(make(1), data) == 28
    assert value(make(True), data) == 28
    assert count_plans() == 4


def returns(x):
    return lambda: x


def test_keys_of_values_that_compare_equal():
    different = [
        1,
        1.0,
        True,
        0.0,
        -0.0,
        0,
        False,
        "1",
        b"1",
        (1,),
        (1.0,),
        [1],
        1j,
        1 - 0j,
        np.float32(1),
        np.int32(1),
    ]
    keys = [function_key(returns(x)) for x in different]
    assert None not in keys and len(set(keys)) == len(keys)
    assert function_key(returns(float("nan"))) == function_key(returns(float("nan")))
    assert function_key(returns(object())) is None
    assert function_key(returns(np.zeros(10000))) is None
    assert function_key(print) is None and function_key(Config().__init__) is None


def test_keys_by_what_code_reads():
    def imports():
        import random

        return random.random()

    def reaches():
        return globals()["SCALE"]

    def remembers():
        global LIMIT
        LIMIT = 2

    def chance():
        return np.random.rand()

    def method(config=Config()):
        return config.scale

    def missing():
        return not_there  # noqa: F821

    for function in (imports, reaches, remembers, chance, method):
        assert function_key(function) is None, function
    for function in (missing, helper, lambda: np.sqrt(2.0) + vc.pi if hasattr(vc, "pi") else len("")):
        assert function_key(function) is not None

    def shadowed():
        SCALE = 1.0
        return lambda: SCALE

    assert function_key(shadowed) is not None


def test_methods_are_told_apart_by_their_objects():
    class Doubler:
        factor = 2

        def scale(self, buffer: Buff[f32]) -> f32:
            return buffer[0] * self.factor

    first = vd.map(Doubler().scale, input_types=[Buff[f32]], return_type=f32)
    second = vd.map(Doubler().scale, input_types=[Buff[f32]], return_type=f32)
    assert map_key(first) == map_key(first) != map_key(second)


def test_transforms_follow_globals(host, monkeypatch):
    vd.fft.cache_clear()

    def make():
        @vd.map
        def scaled(result: Buff[c64]):
            op = vd.fft.write_op()
            op.register[:] = op.register * SCALE
            op.write_to_buffer(result)

        return scaled

    data = vd.asbuffer(np.eye(1, 8, dtype=np.complex64))
    result = vd.Buffer((1, 8), vd.complex64)
    kept = make()

    def run(mapping):
        vd.fft.fft(result, data, output_map=mapping)
        return result.read(0)[0, 0].real

    assert run(kept) == 2 and run(make()) == 2
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert run(kept) == 3 and run(make()) == 3
    info = vd.fft.get_cache_info()
    assert (info.hits, info.misses, info.currsize) == (2, 2, 2)


def test_the_memo_holds_no_object(host):
    def make():
        holder, config = Holder(), Config()

        @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
        def reduction(buffer: Buff[f32]) -> f32:
            holder  # noqa: B018
            return buffer[vd.reduce.mapped_io_index()]

        @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
        def plain(buffer: Buff[f32]) -> f32:
            return buffer[vd.reduce.mapped_io_index()] * config.scale

        @vd.map
        def first(source: Buff[c64]):
            holder, config.scale  # noqa: B018
            vd.fft.read_op().read_from_buffer(source)

        assert value(reduction, ones()) == 4 and value(plain, ones()) == 8
        data = vd.asbuffer(np.ones((1, 8), np.complex64))
        vd.fft.fft(data, data, input_map=first)
        return weakref.ref(holder), weakref.ref(config)

    references = make()
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_transforms_are_kept_without_bound(host):
    vd.fft.cache_clear()
    made = [vd.fft.make_fft_shader((n,)) for n in range(1, 301)]
    assert all(vd.fft.make_fft_shader((n,)) is kept for n, kept in enumerate(made, 1))
    assert vd.fft.get_cache_info() == (300, 300, None, 300)
    assert vd.fft.shader_factories._transforms._plans.bound is None


def test_the_memo_is_bounded(host, monkeypatch):
    reduce_function._plans.clear()
    monkeypatch.setattr(reduce_function._plans, "bound", 3)
    data = ones()
    for factor in range(6):

        def scaled(x, factor=factor):
            return x * factor

        assert value(total(scaled), data) == 4 * factor
    assert len(reduce_function._plans) == 3


def test_a_reduction_that_hands_on_an_object_is_traced_once_for_a_shape(host):
    traced = Config()
    traced.scale = 0

    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def counted(buffer: Buff[f32]) -> f32:
        traced.scale += 1
        return buffer[vd.reduce.mapped_io_index()]

    data = ones()
    assert value(counted, data) == 4
    once = traced.scale
    assert value(counted, data) == 4 and traced.scale == once
    assert isinstance(counted._own_plans, memo.PlanMemo) and len(counted._own_plans) == 1
