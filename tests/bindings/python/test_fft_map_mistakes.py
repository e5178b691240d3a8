"""Maps of transforms that do nothing where they stand: said once, at the place of the map."""

import inspect
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, Var, c64, f32

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


# ---- Parameters of maps: by name, and left to their defaults ---------------------------------------------------------


@vd.map
def scaled(x: Buff[c64], by: Const[f32] = 2.0, more: Const[f32] = 0.0):
    op = vd.fft.read_op()
    op.register = x[op.io_index] * by + more


@vd.map
def gained(out: Buff[c64], gain: Const[f32] = 3.0):
    op = vd.fft.write_op()
    out[op.io_index] = op.register * gain


@vd.map
def times(k: Buff[c64], factor: Var[f32] = 5.0):
    op = vd.fft.read_op()
    op.register = op.register * k[op.io_index] * factor


BOTH = {"input_map": scaled, "output_map": gained}
CALLS = [
    ((), {"input_map": scaled}, 2),
    ((4.0,), {"input_map": scaled}, 4),
    ((), {"input_map": scaled, "by": 6.0}, 6),
    ((), {"output_map": gained}, 3),
    ((), BOTH, 6),
    ((), {**BOTH, "gain": 1.0}, 2),
    ((), {**BOTH, "gain": 1.0, "more": 0.0, "by": 5.0}, 5),
]


@pytest.mark.parametrize(("arguments", "options", "factor"), CALLS, ids=range(len(CALLS)))
def test_parameters_are_named_or_left_to_their_defaults(host, arguments, options, factor):
    data = random(4, 16)
    x, out = vd.asbuffer(data), vd.Buffer((4, 16), vd.complex64)
    for function, theirs in ((vd.fft.fft, np.fft.fft), (vd.fft.fft2, np.fft.fft2), (vd.fft.ifft, np.fft.ifft)):
        function(out, x, *arguments, **options)
        np.testing.assert_allclose(out.read(0), factor * theirs(data), rtol=1e-3, atol=1e-3)
    made = vd.fft.make_fft_shader((4, 16), **{k: v for k, v in options.items() if k.endswith("_map")})
    made(out, x, *arguments, **{k: v for k, v in options.items() if not k.endswith("_map")})
    np.testing.assert_allclose(out.read(0), factor * np.fft.fft(data), rtol=1e-3, atol=1e-3)
    if not arguments:  # one buffer for both sides
        vd.fft.ifft2(x, **options)
        np.testing.assert_allclose(x.read(0), factor * np.fft.ifft2(data), rtol=1e-3, atol=1e-3)


def test_kernel_maps_have_defaults_and_variables_by_name(host):
    data = random(4, 16)
    x, out, one = vd.asbuffer(data), vd.Buffer((4, 16), vd.complex64), vd.asbuffer(np.ones((4, 16), np.complex64))
    for function in (vd.fft.convolve, vd.fft.convolve2D):
        for options, factor in (({}, 10), ({"factor": 1.0}, 2), ({"by": 1.0, "factor": 3.0}, 3)):
            function(out, x, one, input_map=scaled, kernel_map=times, **options)
            np.testing.assert_allclose(out.read(0), factor * data, rtol=1e-3, atol=1e-4)
    graph = vd.CommandGraph()
    vd.fft.convolve(x, one, kernel_map=times, factor=graph.bind_var("factor"), graph=graph)
    graph.set_var("factor", 7.0)
    graph.submit()
    np.testing.assert_allclose(x.read(0), 7 * data, rtol=1e-3, atol=1e-4)


def test_names_that_are_no_parameters_are_refused(host):
    out, x = vd.Buffer((4, 16), vd.complex64), vd.asbuffer(random(4, 16))
    for function in (vd.fft.fft, vd.fft.fft2):
        with pytest.raises(TypeError, match=r"got an unexpected keyword argument 'bi'; its maps have .* x, by, more"):
            function(out, x, bi=2.0, input_map=scaled)
        with pytest.raises(TypeError, match=rf"{function.__name__}\(\) got an unexpected keyword argument 'zebra'$"):
            function(x, zebra=1)
    for function in (vd.fft.fft, vd.fft.ifft, vd.fft.fft2, vd.fft.ifft3):
        for keyword, said in (
            ("axes", r"fftn"),
            ("n", "buffer_shape"),
            ("s", "input_signal_range"),
            ("norm", "normalize"),
        ):
            with pytest.raises(TypeError, match=rf"^{function.__name__}\(\) got .* argument '{keyword}'; .*{said}"):
                function(x, **{keyword: None})
    with pytest.raises(TypeError, match="'x' is a parameter of several maps"):
        vd.fft.convolve(out, x, x=x, input_map=scaled, kernel_map=empty_input)
    with pytest.raises(ValueError, match=r"Missing argument 'x'! fft\(\) takes \(output, x, by, more\)"):
        vd.fft.fft(out, by=2.0, input_map=scaled)
    with pytest.raises(ValueError, match=r"takes 1 argument\(s\), but 2 were given! They are \(output\)"):
        vd.fft.make_fft_shader((4, 16))(out, x)
    with pytest.raises(ValueError, match=r"Expected a buffer for argument 'input0 \(x of scaled\)' \(got float\)"):
        vd.fft.fft(out, 1.0, input_map=scaled)


# ---- The number of a kernel where there is none ----------------------------------------------------------------------


def moved(distance):
    return vd.fft.mapped_kernel_index() * distance


@vd.map
def numbered(x: Buff[c64]):
    op = vd.fft.read_op()
    op.register = x[op.io_index + moved(240)]


@vd.map
def number_added(x: Buff[c64]):
    op = vd.fft.read_op()
    op.register = x[op.io_index + vd.fft.mapped_kernel_index()]


@vd.map
def another_none(x: Buff[c64]):
    return None * 2


def test_the_number_of_a_kernel_where_there_is_none(host):
    out, x = vd.Buffer((4, 16), vd.complex64), vd.asbuffer(random(4, 16))
    for mapping in (numbered, number_added):
        for function in (vd.fft.fft, vd.fft.ifft):
            with pytest.raises(TypeError, match=r"NoneType.*: vd.fft.mapped_kernel_index\(\) is None here") as raised:
                function(out, x, input_map=mapping)
            assert raised.traceback[-1].name != "_write"
    with pytest.raises(TypeError, match=r"'NoneType' and 'int'$"):
        vd.fft.fft(out, x, input_map=another_none)


def test_debug_mode_finds_what_a_map_reads_past_the_end(fresh):
    fresh()
    vd.initialize(debug_mode=True, backend="host")

    @vd.map
    def past(x: Buff[c64]):
        op = vd.fft.read_op()
        op.register = x[op.io_index]

    out = vd.Buffer((4, 16), vd.complex64)
    vd.fft.fft(out, vd.asbuffer(random(3, 16)), input_map=past)
    with pytest.raises(RuntimeError, match=r"test_fft_map_mistakes\.py:\d+ in past: index \(48\) is past the end"):
        out.read(0)


UNKNOWN_KEYWORDS = [  # function, keyword, what the message says of it
    ("rfft", "axis", "real lines are along the last axis"),
    ("irfft2", "axes", "real lines are along the last axis"),
    ("rfft", "norm", "unless normalize=False"),
    ("irfft3", "n", "the lengths are the buffer's"),
    ("rfft3", "ordre", r"Did you mean 'order'\?$"),
    ("fft", "axes", r"fft\(\) takes axis=, and fftn\(\)"),
    ("fft", "normalise_inverse", r"Did you mean 'normalize_inverse'\?$"),
    ("ifft", "normalise", r"Did you mean 'normalize'\?$"),
    ("fft2", "axis", r"fft\(\) takes one axis=, fftn\(\)"),
    ("fftn", "axis", r"fftn\(\) takes axes=$"),
    ("ifftn", "s", "the lengths are the buffer's"),
    ("convolve", "kernel_maps", r"Did you mean 'kernel_map'\?$"),
    ("transpose", "axes", r"transpose\(\) takes axis=$"),
    ("make_fft_shader", "axes", r"make_fft_shader\(\) takes axis=$"),
    ("make_convolution_shader", "zebra", "$"),
]


@pytest.mark.parametrize("name, keyword, said", UNKNOWN_KEYWORDS)
def test_a_keyword_that_is_not_known_names_the_one_that_is_meant(host, name, keyword, said):
    argument = (4, 16) if name.startswith("make") else vd.asbuffer(random(4, 16))
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument '{keyword}'.*{said}"):
        getattr(vd.fft, name)(argument, **{keyword: None})
