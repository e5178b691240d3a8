"""Transforms inside kernels of one's own: fft_context and its parts, against NumPy."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, c64, f32
from vkdispatch.fft.config import FFTConfig

from .short_form import skip_long_compiles
from .transformed import error, random

SHAPES = [
    ((1,), None, None), ((2,), None, None), ((16,), None, None), ((3, 60), None, None), ((301, 13), None, None),
    ((2, 1001), None, None), ((3, 500), None, None), ((5, 256), None, 4), ((6, 35, 9), 1, None), ((64, 70), 0, None),
    ((2, 3, 128), -1, 16),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "axis", "registers"), SHAPES)
@pytest.mark.parametrize("inverse", [False, True])
def test_lines(device, shape, axis, registers, inverse):
    if inverse:
        skip_long_compiles(device)
    with vd.fft.fft_context(shape, axis=axis, max_register_count=registers, name="lines") as ctx:
        (buffer,) = ctx.declare_shader_args([vc.Buffer[vd.complex64]])
        for op in ctx.reads_iter():
            op.read_from_buffer(buffer)
        ctx.execute(inverse=inverse)
        if inverse:
            ctx.registers.normalize()
        for op in ctx.writes_iter():
            op.write_to_buffer(buffer)
        with pytest.raises(ValueError, match="not finished"):
            ctx.get_callable()
    data = random(*shape)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer)
    transform = np.fft.ifft if inverse else np.fft.fft
    assert error(buffer.read(0), transform(data, axis=-1 if axis is None else axis)) < 1e-6


@vd.map
def times(kernel: Buff[c64]):
    op = vd.fft.read_op()
    value = vc.new_complex_register()
    op.read_from_buffer(kernel, register=value)
    op.register[:] = vc.mult_complex(op.register, value)


@pytest.mark.parametrize("shape", [(5, 8), (3, 60), (4, 256)])
def test_a_convolution(device, shape):
    with vd.fft.fft_context(shape) as ctx:
        io = ctx.make_io_manager(None, kernel_map=times)
        io.read_input()
        ctx.execute(inverse=False)
        ctx.register_shuffle()
        io.read_kernel()
        ctx.execute(inverse=True)
        ctx.registers.normalize()
        io.write_output()
    data, kernel = random(*shape), np.fft.fft(random(*shape, seed=4)).astype(np.complex64)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer, vd.asbuffer(kernel))
    assert error(buffer.read(0), np.fft.ifft(np.fft.fft(data) * kernel)) < 1e-6


def test_two_sets_of_registers_and_maps(device):
    @vd.map
    def read(a: Buff[f32]):
        op = vd.fft.read_op()
        op.register[:] = vc.to_complex64(a[op.io_index] * 2, 0)

    @vd.map
    def write(b: Buff[f32]):
        op = vd.fft.write_op()
        b[op.io_index] = op.register.imag

    with vd.fft.fft_context((7, 96)) as ctx:
        io = ctx.make_io_manager(write, input_map=read)
        other = ctx.allocate_registers("other")
        io.read_input(other)
        ctx.registers.read_from_registers(other)
        other.clear()
        ctx.registers.slice_set(slice(0, 1), ctx.registers.register_slice(slice(0, 1)))
        ctx.registers[0] = ctx.registers[0] + other[0]
        ctx.execute(inverse=False)
        io.write_output()
    data, out = random(7, 96, real=True), vd.asbuffer(np.zeros((7, 96), np.float32))
    ctx.get_callable()(out, vd.asbuffer(data))
    assert error(out.read(0), 2 * np.fft.fft(data).imag) < 1e-6


@pytest.mark.parametrize("n", [9, 16, 96])
def test_real_lines(device, n):
    kernels = []
    for inverse in (False, True):
        with vd.fft.fft_context((3, n)) as ctx:
            (buffer,) = ctx.declare_shader_args([vc.Buffer[vd.complex64]])
            for op in ctx.reads_iter(r2c=True, inverse=inverse):
                op.read_from_buffer(buffer)
            ctx.execute(inverse=inverse)
            if inverse:
                ctx.registers.normalize()
            for op in ctx.writes_iter(r2c=True, inverse=inverse):
                op.write_to_buffer(buffer)
        kernels.append(ctx.get_callable())
    data = random(3, n, real=True)
    buffer = vd.asrfftbuffer(data)
    kernels[0](buffer)
    assert error(buffer.read_fourier(0), np.fft.rfft(data)) < 1e-6
    kernels[1](buffer)
    assert error(buffer.read_real(0), data) < 1e-6


def test_ranges_and_the_order_of_registers(device):
    shape = (6, 40)
    with vd.fft.fft_context(shape) as ctx:
        prepared, source = ctx.declare_shader_args([vc.Buffer[vd.complex64], vc.Buffer[vd.complex64]])
        for op in ctx.reads_iter(signal_range=(3, 30)):
            op.read_from_buffer(source)
        for op in vd.fft.global_trasposed_write_iterator(ctx.registers):
            op.write_to_buffer(prepared)
    with vd.fft.fft_context(shape) as back:
        target, source = back.declare_shader_args([vc.Buffer[vd.complex64], vc.Buffer[vd.complex64]])
        for op in back.reads_iter(format_transposed=True):
            op.read_from_buffer(source)
        for read in vd.fft.memory_reads_iterator(back.resources, 0):
            target[back.grid.global_outer_offset + read.fft_index] = back.registers[read.register_id]
    data = random(*shape)
    size = vd.fft.get_transposed_size(shape)
    prepared = vd.Buffer((size,), vd.complex64)
    out = vd.asbuffer(np.ones(shape, np.complex64))
    ctx.get_callable()(prepared, vd.asbuffer(data))
    back.get_callable()(out, prepared)
    expected = data.copy()
    expected[:, :3] = expected[:, 30:] = 0
    assert np.array_equal(out.read(0), expected)


@pytest.mark.parametrize(("shape", "axis"), [((4, 60), 1), ((3, 35, 9), 1), ((64, 7), 0), ((2, 1001), -1)])
@pytest.mark.parametrize("inner_only", [False, True])
def test_kernels_that_transpose_made(device, shape, axis, inner_only):
    if inner_only:
        skip_long_compiles(device)
    with vd.fft.fft_context(shape, axis=axis) as ctx:
        io = ctx.make_io_manager(None, kernel_map=times)
        io.read_input()
        ctx.execute(inverse=False)
        ctx.register_shuffle()
        io.read_kernel(format_transposed=True, inner_only=inner_only)
        ctx.execute(inverse=True)
        ctx.registers.normalize()
        io.write_output()
    inner = shape[axis % len(shape) :] if inner_only else shape
    data, kernel = random(*shape), random(*inner, seed=5)
    buffer = vd.asbuffer(data)
    prepared = vd.fft.transpose(vd.asbuffer(kernel), conv_shape=shape, axis=axis, kernel_inner_only=inner_only)
    ctx.get_callable()(buffer, prepared)
    want = np.fft.ifft(np.fft.fft(data, axis=axis) * kernel, axis=axis)
    assert error(buffer.read(0), want) < 1e-6
    again = vd.asbuffer(data)
    how = {"transposed_kernel": True, "kernel_inner_only": inner_only, "conjugate_kernel": False}
    vd.fft.convolve(again, prepared, axis=axis, **how)
    assert error(again.read(0), want) < 1e-6


def test_guards_and_stages_by_hand(device):
    with vd.fft.fft_context((5, 64), max_register_count=4) as ctx:
        (buffer,) = ctx.declare_shader_args([vc.Buffer[vd.complex64]])
        assert isinstance(ctx.resources, vd.fft.FFTResources)
        for op in vd.fft.global_reads_iterator(ctx.registers):
            assert isinstance(op, vd.fft.MemoryOp)
            op.read_from_buffer(buffer)
        ctx.resources.stage_begin(0)
        for instance in range(ctx.config.stages[0].instance_count):
            ctx.resources.invocation_gaurd(0, instance)
            for part in range(ctx.config.stages[0].fft_length):
                ctx.registers[instance * ctx.config.stages[0].fft_length + part] *= 2
            ctx.resources.invocation_end(0, instance)
        ctx.resources.stage_end(0)
        ctx.execute(inverse=False)
        for op in vd.fft.global_writes_iterator(ctx.registers):
            op.write_to_buffer(buffer)
    data = random(5, 64)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer)
    assert error(buffer.read(0), 2 * np.fft.fft(data)) < 1e-6


@pytest.mark.parametrize("shape", [(3, 60), (2, 1001), (2, 1)])
def test_where_a_register_lies_in_a_transposed_kernel(device, shape):
    with vd.fft.fft_context(shape) as ctx:
        target, source = ctx.declare_shader_args([vc.Buffer[vd.complex64], vc.Buffer[vd.complex64]])
        for i in range(ctx.registers.count):
            ctx.registers[i] = source[ctx.grid.get_transposed_index(i)]
        for op in vd.fft.global_trasposed_write_iterator(ctx.registers):
            op.write_to_buffer(target)
    data, out = random(*shape), vd.asbuffer(np.zeros(shape, np.complex64))
    ctx.get_callable()(out, vd.asbuffer(data))
    assert np.array_equal(out.read(0), data)


def test_shared_memory_by_element(device):
    with vd.fft.fft_context((4, 64)) as ctx:
        (buffer,) = ctx.declare_shader_args([vc.Buffer[vd.complex64]])
        for op in ctx.reads_iter():
            op.read_from_buffer(buffer)
        ctx.sdata.do_op("write")
        for op in vd.fft.memory_reads_iterator(ctx.resources, 0):
            ctx.sdata.op_write(op, ctx.registers[op.register_id])
        ctx.sdata.do_op("read")
        for op in vd.fft.memory_writes_iterator(ctx.resources, -1):
            ctx.sdata.op_read(op, ctx.registers[op.register_id])
        for op in ctx.writes_iter():
            op.write_to_buffer(buffer)
    data = random(4, 64)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer)
    assert np.array_equal(buffer.read(0), data)


def test_configurations(host):
    for n in (1, 2, 8, 60, 1024, 1001):
        config = vd.fft.FFTConfig((3, n))
        assert n == config.N and config.batch_threads * config.register_count >= n
        assert np.prod([stage.fft_length for stage in config.stages]) == n
        assert config.batch_outer_count == 3 and config.fft_stride == 1 and config.batch_outer_stride == n
        assert len(config.thread_counts) == len(config.stages)
        assert config.sdata_row_size <= config.sdata_row_size_padded
        grid = vd.fft.FFTGridManager(config, declare_variables=False)
        assert all(e == g * s for e, g, s in zip(grid.exec_size, grid.workgroup_count, grid.local_size, strict=True))
    assert config.angle_factor(True) == -config.angle_factor(False) == pytest.approx(2 * np.pi)
    assert config.max_prime_radix == 13 and repr(config)
    with pytest.raises(ValueError, match="A prime factor of N is 17"):
        vd.fft.FFTConfig((34,))
    with pytest.raises(ValueError, match="complex"):
        vd.fft.FFTConfig((8,), compute_type=vd.float32)
    with pytest.raises(ValueError, match="Unable to build an FFT plan"):
        vd.fft.FFTConfig((1 << 20,))


def test_mistakes(host):
    with pytest.raises(ValueError, match="declared already"), vd.fft.fft_context((8,)) as ctx:
        ctx.declare_shader_args([vc.Buffer[vd.complex64]])
        ctx.make_io_manager(None)
    with pytest.raises(ValueError, match="input_map or an input_type"), vd.fft.fft_context((8,)) as ctx:
        ctx.make_io_manager(vd.map(lambda: None, input_types=[]))
    with pytest.raises(ValueError, match="contiguous"), vd.fft.fft_context((8, 8), axis=0) as ctx:
        list(ctx.reads_iter(r2c=True, inverse=False))
    with pytest.raises(ValueError, match="not supported"), vd.fft.fft_context((8,)) as ctx:
        list(ctx.reads_iter(r2c=True, inverse=False, format_transposed=True))
    with pytest.raises(ValueError, match="counts"), vd.fft.fft_context((8,)) as ctx:
        ctx.registers.read_from_registers(ctx.allocate_registers("few", 2))
    with pytest.raises(ValueError, match="no map"):
        vd.fft.IOProxy(vd.complex64, "side").do_callback()
    with pytest.raises(ValueError, match="argument"):
        vd.fft.IOProxy(vd.complex64, "side").set_variables([])
    assert vd.fft.IOProxy(None, "side").has_callback() is False


def test_mistakes_are_told_with_what_to_write(host):
    one_type = r"^declare_shader_args\(\) takes a list .*: write \[{}\]!"
    with vd.fft.fft_context((8,)) as ctx:
        for given, told in ((Buff[c64], r"Buffer\[complex64\]"), (Buff, "Buffer")):
            with pytest.raises(TypeError, match=one_type.format(told)):
                ctx.declare_shader_args(given)
        for names in (["a", "b"], []):
            with pytest.raises(
                ValueError, match=rf"^declare_shader_args\(\): names .* 1 type\(s\).*\(got {len(names)}\)!"
            ):
                ctx.declare_shader_args([Buff[c64]], names=names)
        with pytest.raises(ValueError, match=r"all different"):
            ctx.declare_shader_args((Buff[c64], Buff[f32]), names=["a", "a"])
        said = "A global ShaderBuilder is already set for the current thread! .* one fft_context, .* at a time"
        with pytest.raises(RuntimeError, match=said), vd.fft.fft_context((8,)):
            pass
        (x,) = ctx.declare_shader_args([Buff[c64]])
        for op in ctx.reads_iter():
            op.read_from_buffer(x)
        for iterator in (ctx.reads_iter, ctx.writes_iter):
            with pytest.raises(ValueError, match=rf"^{iterator.__name__}\(\): r2c needs .* inverse=False or True"):
                list(iterator(r2c=True))
    said = r"^fft_context\(\) of shape \(4, 17\): A prime factor of N is 17, .*vd.fft.fft\(\)"
    with pytest.raises(ValueError, match=said), vd.fft.fft_context((4, 17)):
        pass
    with pytest.raises(ValueError, match=r"^fft_context\(\) of shape \(1048576,\): Unable to build .*vd.fft.fft\(\)"):
        vd.fft.FFTConfig((1 << 20,))


def test_double_precision(device):
    if not vd.fft.precision.supports_complex_precision(vd.complex128):
        pytest.skip("the device does not report f64")
    with vd.fft.fft_context((3, 90), compute_type=vd.complex128) as ctx:
        io = ctx.make_io_manager(None, output_type=vd.complex128)
        io.read_input()
        ctx.execute(inverse=False)
        io.write_output()
    data = random(3, 90).astype(np.complex128)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer)
    assert error(buffer.read(0), np.fft.fft(data)) < 1e-15


def test_elements_left_out(host):
    def leaves(ctx):
        for op in ctx.reads_iter():
            if op.register_id == 1:
                break

    with (
        pytest.raises(RuntimeError, match=r"test_fft_context.py:\d+ was left after 2 of 16"),
        vd.fft.fft_context((5, 64)) as ctx,
    ):
        leaves(ctx)
    with pytest.raises(RuntimeError, match="left after 2 of 16"), vd.fft.fft_context((5, 64)) as ctx:
        leaves(ctx)
        ctx.execute()
    with pytest.raises(RuntimeError, match="left after 1 of 16"), vd.fft.fft_context((5, 64)) as ctx:
        kept = ctx.writes_iter()
        next(kept)
        ctx.register_shuffle()
    with vd.fft.fft_context((5, 64)) as ctx:  # the last one may be left, too
        for op in ctx.reads_iter():
            if op.register_id == op.register_count - 1:
                break


@pytest.mark.parametrize("n, in_registers", [(8, True), (96, False)])
def test_the_order_of_registers_is_brought_back_where_no_thread_needs_another(host, n, in_registers):
    with vd.fft.fft_context((5, n)) as ctx:
        (buffer,) = ctx.declare_shader_args([vc.Buffer[vd.complex64]])
        for op in ctx.reads_iter():
            op.read_from_buffer(buffer)
        ctx.execute(inverse=False)
        assert ctx.registers.try_shuffle() is in_registers
        if not in_registers:
            ctx.register_shuffle()
        ctx.execute(inverse=True)
        ctx.registers.normalize()
        for op in ctx.writes_iter():
            op.write_to_buffer(buffer)
    data = random(5, n)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer)
    assert error(buffer.read(0), data) < 1e-6


def test_columns_take_the_shared_memory_that_the_device_gives(device):
    config = FFTConfig((1024, 1024), axis=0)
    info = vd.get_context().device_infos[0]
    shared = config.sdata_allocation * config.compute_type.item_size
    assert config.columns and shared <= info.max_shared_memory_opt_in
    if device == "cuda":
        assert config.inline_batches_inner == 16 and shared > info.max_compute_shared_memory_size
