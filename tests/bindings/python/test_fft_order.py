"""The order of registers in fft_context: uses in another order give a warning, and no others do."""

import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, c64, f32, i32

from .transformed import error, random

SHAPE = (3, 60)


def read(ctx, lines, registers=None):
    for op in vd.fft.global_reads_iterator(ctx.registers if registers is None else registers):
        op.read_from_buffer(lines)


def write(ctx, lines):
    for op in ctx.writes_iter():
        op.write_to_buffer(lines)


def each(registers):
    return range(registers.count)


@vd.map
def gain_map(gains: Buff[f32]):
    op = vd.fft.read_op()
    op.register[:] = op.register * gains[op.fft_index]


# ---- Wrong: (what it does, what the warning says) -------------------------------------------------------------------


def there_and_back(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute(inverse=False)
    ctx.execute(inverse=True)  # here


def gains_in_the_wrong_order(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    for op in ctx.reads_iter():  # here
        op.register[:] = op.register * gains[op.fft_index]


def by_a_place_in_a_variable(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    for op in ctx.reads_iter():  # here
        gain = gains[op.io_index % 60].to_register()
        op.register.real = op.register.real * gain


def zeros_behind_a_place(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    for op in ctx.reads_iter():  # here
        with vc.if_block(op.fft_index >= 10):
            op.register[:] = 0


def written_as_read(ctx, lines, gains, flag):
    read(ctx, lines)
    for op in ctx.writes_iter():  # here
        op.write_to_buffer(lines)


def written_after_a_shuffle(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    ctx.register_shuffle()
    for op in ctx.writes_iter():  # here
        op.write_to_buffer(lines)


def shuffled_twice(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    ctx.register_shuffle()
    ctx.register_shuffle()  # here


def shuffled_too_early(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.sdata.write_to_sdata()  # here


def saved_and_brought_back(ctx, lines, gains, flag):
    saved = ctx.allocate_registers("saved")
    read(ctx, lines)
    ctx.execute()
    saved.slice_set(slice(None), ctx.registers.register_slice(slice(None)))
    ctx.registers.clear()
    ctx.registers.read_from_registers(saved)
    ctx.execute()  # here


def scaled_one_by_one(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    for i in each(ctx.registers):
        ctx.registers[i] = ctx.registers[i] * 2
    ctx.execute()  # here


def orders_put_together(ctx, lines, gains, flag):
    other = ctx.allocate_registers("other")
    read(ctx, lines)
    ctx.execute()
    read(ctx, lines, other)
    for i in each(other):
        ctx.registers[i] = vc.mult_complex(ctx.registers[i], other[i])  # here


def shared_by_element_in_the_wrong_order(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    ctx.sdata.do_op("write")
    for op in vd.fft.memory_reads_iterator(ctx.resources, 0):  # here
        ctx.sdata.op_write(op, ctx.registers[op.register_id])


def of_another_stage(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.sdata.do_op("write")
    for op in ctx.reads_iter():
        ctx.sdata.op_write(op, op.register)
    ctx.sdata.read_from_sdata(stage_index=1)
    ctx.execute()  # here


WRONG = [
    (there_and_back, r"execute\(\) takes registers in the order of inputs.*register_shuffle\(\) before"),
    (gains_in_the_wrong_order, r"order of inputs.*outputs that execute\(\) left.*register_shuffle"),
    (by_a_place_in_a_variable, "register_shuffle"),
    (zeros_behind_a_place, "register_shuffle"),
    (written_as_read, r"order of outputs.*order of inputs: call ctx.execute\(\) before"),
    (written_after_a_shuffle, r"call ctx.execute\(\) before"),
    (shuffled_twice, r"register_shuffle\(\) takes registers in the order of outputs"),
    (shuffled_too_early, r"write_to_sdata\(\) takes registers in the order of outputs"),
    (saved_and_brought_back, r"execute\(\) takes"),
    (scaled_one_by_one, r"execute\(\) takes"),
    (orders_put_together, "put together"),
    (shared_by_element_in_the_wrong_order, "register_shuffle"),
    (of_another_stage, "stage 1's inputs"),
]


def line_of_here(function):
    code = function.__code__
    with open(code.co_filename) as file:
        lines = file.read().splitlines()
    return next(i for i in range(code.co_firstlineno, len(lines)) if lines[i - 1].endswith("# here"))


def traced(function, shape=SHAPE, **how):
    with vd.fft.fft_context(shape, **how) as ctx:
        types = [Buff[c64], Buff[f32], Const[i32]]
        function(ctx, *ctx.declare_shader_args(types, names=["lines", "gains", "flag"]))
    return ctx.get_callable()


@pytest.mark.parametrize(("function", "says"), WRONG, ids=[f.__name__ for f, _ in WRONG])
def test_registers_used_in_another_order_than_they_are_in(host, function, says):
    with pytest.warns(UserWarning, match=says) as said:
        traced(function)
    assert [(w.filename, w.lineno) for w in said] == [(__file__, line_of_here(function))]


def test_a_kernel_map_before_the_registers_are_brought_back(host):
    with vd.fft.fft_context(SHAPE) as ctx:
        io = ctx.make_io_manager(None, kernel_map=gain_map)
        io.read_input()
        ctx.execute()
        with pytest.warns(UserWarning, match="register_shuffle") as said:
            io.read_kernel()
    assert len(said) == 1 and said[0].filename == __file__


# ---- Right -----------------------------------------------------------------------------------------------------------


def doubled_in_any_order(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    for op in ctx.reads_iter():
        op.register *= 2
    ctx.registers.normalize()
    write(ctx, lines)


def filled_and_doubled_in_an_order_of_its_own(ctx, lines, gains, flag):
    for i in each(ctx.registers):
        ctx.registers[i] = lines[i]
    for op in ctx.reads_iter():
        op.register *= 2
    write(ctx, lines)


def one_line_after_another(ctx, lines, gains, flag):
    read(ctx, lines)
    ctx.execute()
    write(ctx, lines)
    read(ctx, lines)
    ctx.execute()
    write(ctx, lines)
    for op in ctx.reads_iter():
        op.register.real = gains[op.fft_index]
        op.register.imag = 0
    ctx.execute()
    write(ctx, lines)
    for i in each(ctx.registers):
        ctx.registers[i] = lines[ctx.grid.get_transposed_index(i)]
    ctx.execute()
    write(ctx, lines)


def padded_by_hand(ctx, lines, gains, flag):
    for way in range(4):
        for op in ctx.reads_iter():
            inside = op.fft_index < 30
            if way == 0:
                with vc.if_block(inside):
                    op.register[:] = lines[op.io_index]
                with vc.else_block():
                    op.register[:] = 0
            elif way == 1:
                vc.if_statement(inside)
                op.register[:] = lines[op.io_index]
                vc.else_statement()
                op.register[:] = 0
                vc.end()
            elif way == 2:
                with vc.if_block(inside):
                    op.register[:] = lines[op.io_index]
                with vc.if_block(op.fft_index >= 30):
                    op.register[:] = 0
            else:
                op.register[:] = 0
                with vc.if_block(inside):
                    op.register[:] = lines[op.io_index]
        ctx.execute()
        write(ctx, lines)


def there_or_back(ctx, lines, gains, flag):
    read(ctx, lines)
    with vc.if_block(flag == 1):
        ctx.execute(inverse=True)
    with vc.else_block():
        ctx.execute(inverse=False)
    write(ctx, lines)


def saved_before(ctx, lines, gains, flag):
    saved, spectrum = ctx.allocate_registers("saved"), ctx.allocate_registers("spectrum")
    read(ctx, lines)
    saved.read_from_registers(ctx.registers)
    ctx.execute()
    spectrum.read_from_registers(ctx.registers)
    ctx.registers.slice_set(slice(None), saved.register_slice(slice(None)))
    ctx.execute(inverse=True)
    for i in each(spectrum):
        ctx.registers[i] = ctx.registers[i] + spectrum[i]
    write(ctx, lines)
    ctx.register_shuffle(spectrum)
    for op in ctx.reads_iter():
        ctx.registers[op.register_id] = spectrum[op.register_id] * gains[op.fft_index]
    ctx.execute(inverse=True)
    write(ctx, lines)


def in_a_loop(ctx, lines, gains, flag):
    i = vc.new_int_register(0)
    with vc.while_block(i < flag):
        read(ctx, lines)
        ctx.execute()
        write(ctx, lines)
        i[:] = i + 1


def in_a_loop_and_behind_it(ctx, lines, gains, flag):
    ctx.registers.clear()
    in_a_loop(ctx, lines, gains, flag)
    ctx.registers.clear()
    ctx.execute()


def stored_as_read(ctx, lines, gains, flag):
    read(ctx, lines)
    for op in ctx.reads_iter():
        lines[op.io_index] = op.register


RIGHT = [
    doubled_in_any_order, filled_and_doubled_in_an_order_of_its_own, one_line_after_another, padded_by_hand, there_or_back, saved_before, in_a_loop,
    in_a_loop_and_behind_it, stored_as_read,
]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=[f.__name__ for f in RIGHT])
@pytest.mark.parametrize("shape", [SHAPE, (2, 7), (64, 5)])
def test_nothing_is_said_of_what_is_right(host, function, shape):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        traced(function, shape, axis=0 if shape[0] == 64 else None)


@pytest.mark.parametrize(("n", "registers"), [(64, 8), (16, 16), (2, None)])
def test_orders_that_are_the_same_need_no_shuffle(device, n, registers):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with vd.fft.fft_context((3, n), max_register_count=registers) as ctx:
            (lines,) = ctx.declare_shader_args([Buff[c64]])
            read(ctx, lines)
            ctx.execute(inverse=False)
            ctx.execute(inverse=True)
            ctx.registers.normalize()
            write(ctx, lines)
    data = random(3, n)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer)
    assert error(buffer.read(0), data) < 1e-6


# ---- The callable ----------------------------------------------------------------------------------------------------


def test_a_buffer_that_is_too_small(host):
    kernel = traced(doubled_in_any_order, (4, 8))
    gains = vd.asbuffer(np.ones(8, np.float32))
    kernel(vd.Buffer((4, 8), vd.complex64), gains, 1)
    kernel(vd.Buffer((64,), vd.float32), gains, 1)  # as many bytes
    kernel(lines=vd.Buffer((5, 8), vd.complex64), gains=gains, flag=1)
    with pytest.raises(ValueError, match=r"'lines' of kernel 'fft_8'.*\(4, 8\), takes 256 bytes.*\(3, 8\).*has 192"):
        kernel(vd.Buffer((3, 8), vd.complex64), gains, 1)
    with pytest.raises(ValueError, match=r"takes 256 bytes.*float32 has 128"):
        kernel(vd.Buffer((4, 8), vd.float32), gains=gains, flag=1)
    with pytest.raises(ValueError, match=r"Missing argument 'flag'! Kernel 'fft_8' takes \(lines, gains, flag\)"):
        kernel(vd.Buffer((4, 8), vd.complex64), gains)


@pytest.mark.parametrize(
    ("how", "size"), [({}, 4 * 9), ({"signal_range": (2, 5)}, 3 * 9 + 5), ({"inner_only": True}, 9)]
)
def test_how_much_is_read(host, how, size):
    with vd.fft.fft_context((4, 9)) as ctx:
        (lines,) = ctx.declare_shader_args([Buff[c64]])
        for op in ctx.reads_iter(**how):
            op.read_from_buffer(lines)
    ctx.get_callable()(vd.Buffer((size,), vd.complex64))
    with pytest.raises(ValueError, match=f"'param0'.*takes {8 * size} bytes"):
        ctx.get_callable()(vd.Buffer((size - 1,), vd.complex64))


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("n", [8, 9])
def test_how_much_real_lines_take(host, inverse, n):
    with vd.fft.fft_context((4, n)) as ctx:
        (lines,) = ctx.declare_shader_args([Buff[c64]])
        for op in ctx.reads_iter(r2c=True, inverse=inverse):
            op.read_from_buffer(lines)
        ctx.execute(inverse=inverse)
        for op in ctx.writes_iter(r2c=True, inverse=inverse):
            op.write_to_buffer(lines)
    ctx.get_callable()(vd.RFFTBuffer((4, n)))
    with pytest.raises(ValueError, match="takes"):
        ctx.get_callable()(vd.RFFTBuffer((3, n)))


def test_what_is_not_read_in_any_case_may_be_missing(host):
    with vd.fft.fft_context((4, 8)) as ctx:
        lines, some = ctx.declare_shader_args([Buff[c64], Const[i32]])
        for op in ctx.reads_iter():
            with vc.if_block(op.io_index < some):
                op.read_from_buffer(lines)
            op.read_from_buffer(lines, io_index=op.fft_index)
    ctx.get_callable()(vd.Buffer((8,), vd.complex64), 8)


def test_names_of_arguments(host):
    with pytest.raises(ValueError, match="names"), vd.fft.fft_context((8,)) as ctx:
        ctx.declare_shader_args([Buff[c64], Buff[c64]], names=["same", "same"])
    with pytest.raises(ValueError, match="names"), vd.fft.fft_context((8,)) as ctx:
        ctx.declare_shader_args([Buff[c64]], names=[])


def test_names_and_defaults_of_maps(host):
    @vd.map
    def doubled(out: Buff[c64], factor: Const[f32] = 2.0):
        op = vd.fft.write_op()
        out[op.io_index] = op.register * factor

    def kernel_of(output, kernel, **how):
        with vd.fft.fft_context((4, 60)) as ctx:
            io = ctx.make_io_manager(output, kernel_map=kernel, **how)
            io.read_input()
            ctx.execute()
            ctx.register_shuffle()
            io.read_kernel()
            ctx.execute(inverse=True)
            ctx.registers.normalize()
            io.write_output()
        return ctx.get_callable()

    data, gain = random(4, 60), np.linspace(0, 1, 60, dtype=np.float32)
    out, lines, gains = vd.Buffer((4, 60), vd.complex64), vd.asbuffer(data), vd.asbuffer(gain)
    named = kernel_of(doubled, gain_map, input_type=vd.complex64)
    expected = np.fft.ifft(np.fft.fft(data) * gain)
    named(out=out, input=lines, gains=gains)
    assert error(out.read(0), 2 * expected) < 1e-6
    named(out=out, factor=3, input=lines, gains=gains)
    assert error(out.read(0), 3 * expected) < 1e-6
    with pytest.raises(
        ValueError, match=r"Missing argument 'gains'! Kernel 'fft_60' takes \(out, factor, input, gains\)"
    ):
        named(out=out, input=lines)

    @vd.map
    def output(graph: Buff[c64]):
        vd.fft.write_op().write_to_buffer(graph)

    kernel_of(output, gain_map, input_type=vd.complex64)(output0=out, input0=lines, kernel0=gains)
    assert error(out.read(0), expected) < 1e-6
