"""Maps of transforms that do nothing where they stand: said once, at the place of the map."""

import inspect
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, c64

from .transformed import random


@vd.map
def empty_input(x: Buff[c64]):
    pass


@vd.map
def returned_input(x: Buff[c64]):
    return x[vd.fft.read_op().io_index]


@vd.map
def typed_input(x: Buff[c64]) -> c64:
    return x[vd.fft.read_op().io_index]


@vd.map
def read_elsewhere(x: Buff[c64]):
    op = vd.fft.read_op()
    value = x[op.io_index].to_register()
    op.read_from_buffer(x, register=value)
    value.real = 1.0


@vd.map
def set_and_returned(x: Buff[c64]):
    op = vd.fft.read_op()
    op.read_from_buffer(x)
    return op.register * 2


@vd.map
def empty_output(out: Buff[c64]):
    op = vd.fft.write_op()
    op.register *= 2


@vd.map
def returned_output(out: Buff[c64]):
    return vd.fft.write_op().register * 2


@vd.map
def returned_kernel():
    return vd.fft.read_op().register * 2


@vd.map
def untouched():
    pass


@vd.map
def component(x: Buff[c64]):
    op = vd.fft.read_op()
    op.register.real = x[op.io_index].real
    return op.register


@vd.map
def indexed(x: Buff[c64]):
    op = vd.fft.read_op()
    op.register[0] = x[op.io_index].real


@vd.map
def some(x: Buff[c64]):
    op = vd.fft.read_op()
    if op.register_id == 0:
        with vc.if_block(op.fft_index < 4):
            op.register += x[op.io_index]


@vd.map
def into_itself(x: Buff[c64]):
    op = vd.fft.read_op()
    op.read_from_buffer(x, register=op.register)


@vd.map
def counted(hits: Buff[vd.uint32]):
    vc.atomic_add(hits[0], 1)


def name(value):
    """A test's own, of its map."""
    return value.mapping_function.__name__ if isinstance(value, vd.MappingFunction) else ""


WRONG = [
    ("input", empty_input, "never sets op.register"),
    ("input", returned_input, "never sets op.register.*returns a value, which is not taken"),
    ("input", typed_input, "never sets op.register.*returns a value"),
    ("input", read_elsewhere, "never sets op.register"),
    ("input", set_and_returned, "returns a value, which is not taken! Write"),
    ("output", empty_output, "writes to no buffer"),
    ("output", returned_output, "writes to no buffer.*returns a value"),
    ("kernel", returned_kernel, "returns a value.*op.register"),
]
RIGHT = [
    ("input", component),
    ("input", indexed),
    ("input", some),
    ("input", into_itself),
    ("output", counted),
    ("kernel", untouched),
]


def transform(part, mapping):
    vd.fft.cache_clear()  # what is not traced says nothing
    out, x = vd.Buffer((2, 16), vd.complex64), vd.asbuffer(random(2, 16))
    if part == "kernel":
        vd.fft.convolve(out, kernel_map=mapping)
    elif mapping is counted:
        vd.fft.fft(vd.asbuffer(np.zeros(1, np.uint32)), x, buffer_shape=(2, 16), output_map=mapping)
    else:
        vd.fft.fft(out, x, **{f"{part}_map": mapping})


@pytest.mark.parametrize(("part", "mapping", "said"), WRONG, ids=name)
def test_a_map_that_does_nothing_is_told_by_its_place(host, part, mapping, said):
    with pytest.warns(UserWarning, match=f"{part} map '{mapping.mapping_function.__name__}' .*{said}") as told:
        transform(part, mapping)
    assert len(told) == 1 and told[0].filename == __file__
    assert told[0].lineno == inspect.getsourcelines(mapping.mapping_function)[1]


@pytest.mark.parametrize(("part", "mapping"), RIGHT, ids=name)
def test_a_map_that_does_something_for_some_elements_is_not(host, part, mapping):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        transform(part, mapping)


def test_the_same_inside_a_kernel_of_the_users_own(host):
    with vd.fft.fft_context((2, 16)) as ctx:
        io = ctx.make_io_manager(output_map=empty_output, input_map=returned_input)
        with pytest.warns(UserWarning, match="input map 'returned_input' never sets"):
            io.read_input()
        ctx.execute(inverse=False)
        with pytest.warns(UserWarning, match="output map 'empty_output' writes to no buffer"):
            io.write_output()


def test_a_map_without_code_of_its_own_is_told_where_it_is_used(host):
    class Callable:
        def __call__(self, x):
            pass

    mapping = vd.map(Callable(), input_types=[Buff[c64]])
    with pytest.warns(UserWarning, match="never sets op.register") as told:
        transform("input", mapping)
    assert told[0].filename == __file__
