"""Programs as they are written for vkdispatch 0.1: transforms, convolutions, reductions and kernels around them.

Each makes pairs of what it got and what NumPy says. They use nothing that is new, so that tests/gpu/beside_programs.py runs them with
another vkdispatch, too.
"""

# The annotations of kernels are values: no `from __future__ import annotations` here.
import numpy as np
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, Var, c64, f32, i32, u32, v2

PROGRAMS = {}


def program(function):
    """Puts a function on the list."""
    PROGRAMS[function.__name__] = function
    return function


def complexes(*shape, seed=1):
    generator = np.random.default_rng(seed)
    return (generator.random(shape) - 0.5 + 1j * (generator.random(shape) - 0.5)).astype(np.complex64)


def reals(*shape, seed=1):
    return (np.random.default_rng(seed).random(shape) - 0.5).astype(np.float32)


@program
def each_axis():
    for axis in (0, 1, 2):
        data = complexes(6, 10, 14, seed=axis)
        buffer = vd.asbuffer(data)
        vd.fft.fft(buffer, axis=axis)
        yield buffer.read(0), np.fft.fft(data, axis=axis)
        vd.fft.ifft(buffer, axis=axis)
        yield buffer.read(0), data


@program
def planes_and_cubes():
    data = complexes(4, 12, 15)
    buffer = vd.Buffer(data.shape, vd.complex64)
    buffer.write(data)
    vd.fft.fft2(buffer)
    yield buffer.read(0), np.fft.fft2(data)
    vd.fft.ifft2(buffer)
    yield buffer.read(0), data
    vd.fft.fft3(buffer)
    yield buffer.read(0), np.fft.fftn(data)
    vd.fft.ifft3(buffer, normalize=False)
    yield buffer.read(0), data * data.size


@program
def real_transforms():
    data = reals(6, 8, 20)
    for forward, back, theirs in (
        (vd.fft.rfft, vd.fft.irfft, np.fft.rfft),
        (vd.fft.rfft2, vd.fft.irfft2, np.fft.rfft2),
        (vd.fft.rfft3, vd.fft.irfft3, np.fft.rfftn),
    ):
        buffer = vd.asrfftbuffer(data)
        forward(buffer)
        yield buffer.read_fourier(0), theirs(data)
        back(buffer)
        yield buffer.read_real(0), data


@program
def a_padded_signal():
    data = complexes(3, 50)
    buffer = vd.asbuffer(data)
    vd.fft.fft(buffer, input_signal_range=(0, 20))
    padded = data.copy()
    padded[:, 20:] = 0
    yield buffer.read(0), np.fft.fft(padded)


@program
def an_input_map():
    @vd.map
    def weigh(source: Buff[c64], factor: Var[f32]):
        op = vd.fft.read_op()
        op.read_from_buffer(source)
        op.register *= factor

    data = complexes(5, 24)
    out = vd.Buffer(data.shape, vd.complex64)
    vd.fft.fft(out, vd.asbuffer(data), 3.0, input_map=weigh)
    yield out.read(0), np.fft.fft(3 * data)


@program
def an_output_map():
    @vd.map
    def power(result: Buff[f32]):
        op = vd.fft.write_op()
        result[op.io_index] = op.register.real * op.register.real + op.register.imag * op.register.imag

    data = complexes(4, 30)
    out = vd.Buffer(data.shape, vd.float32)
    vd.fft.fft(out, vd.asbuffer(data), output_map=power)
    yield out.read(0), np.abs(np.fft.fft(data)) ** 2


@program
def both_maps_and_another_shape():
    @vd.map
    def gather(source: Buff[f32]):
        op = vd.fft.read_op()
        op.register.real = source[op.io_index]
        op.register.imag = 0

    @vd.map
    def shifted(result: Buff[c64]):
        op = vd.fft.write_op()
        line = op.io_index // op.fft_size
        result[line * op.fft_size + (op.fft_index + op.fft_size // 2) % op.fft_size] = op.register

    data = reals(6, 16)
    out = vd.Buffer((6, 16), vd.complex64)
    vd.fft.fft(out, vd.asbuffer(data), buffer_shape=(6, 16), input_map=gather, output_map=shifted)
    yield out.read(0), np.fft.fftshift(np.fft.fft(data), axes=1)


@program
def a_correlation():
    data, kernel = complexes(7, 40), complexes(7, 40, seed=2)
    signal, spectrum = vd.asbuffer(data), vd.asbuffer(kernel)
    vd.fft.fft(spectrum)
    vd.fft.convolve(signal, spectrum)
    yield signal.read(0), np.fft.ifft(np.fft.fft(data) * np.fft.fft(kernel).conj())


@program
def a_kernel_map_with_numbers():
    @vd.map
    def scale(factor: Var[f32], shift: Const[f32]):
        op = vd.fft.read_op()
        op.register[:] = op.register * factor + shift

    data = complexes(3, 35)
    signal = vd.asbuffer(data)
    vd.fft.convolve(signal, 0.5, 0.25, kernel_map=scale)
    yield signal.read(0), np.fft.ifft(np.fft.fft(data) * 0.5 + 0.25)


@program
def a_kernel_map_with_a_kernel():
    @vd.map
    def product(kernel: Buff[c64]):
        op = vd.fft.read_op()
        value = vc.new_complex64_register()
        op.read_from_buffer(kernel, register=value)
        op.register[:] = vc.mult_complex(op.register, value)

    data, kernel = complexes(4, 9, 11), np.fft.fft(complexes(4, 9, 11, seed=5), axis=1).astype(np.complex64)
    signal = vd.asbuffer(data)
    vd.fft.convolve(signal, vd.asbuffer(kernel), kernel_map=product, axis=1)
    yield signal.read(0), np.fft.ifft(np.fft.fft(data, axis=1) * kernel, axis=1)


@program
def one_kernel_for_all():
    data, kernel = complexes(5, 12, 8), complexes(12, 8, seed=3)
    signal = vd.asbuffer(data)
    vd.fft.convolve(signal, vd.asbuffer(kernel), axis=1, kernel_inner_only=True)
    yield signal.read(0), np.fft.ifft(np.fft.fft(data, axis=1) * kernel.conj(), axis=1)


@program
def a_transposed_kernel():
    data, kernel = complexes(3, 16, 10), complexes(3, 16, 10, seed=3)
    signal = vd.asbuffer(data)
    laid = vd.fft.transpose(vd.asbuffer(kernel), axis=1)
    vd.fft.convolve(signal, laid, axis=1, transposed_kernel=True)
    yield signal.read(0), np.fft.ifft(np.fft.fft(data, axis=1) * kernel.conj(), axis=1)
    yield np.array(vd.fft.get_transposed_size((3, 16, 10), axis=1) >= kernel.size), np.array(True)


@program
def images():
    data, kernel = complexes(2, 18, 20), complexes(2, 18, 20, seed=4)
    want = np.fft.ifft2(np.fft.fft2(data) * np.fft.fft2(kernel).conj())
    for transposed in (False, True):
        signal, spectrum = vd.asbuffer(data), vd.asbuffer(kernel)
        vd.fft.fft2(spectrum)
        if transposed:
            spectrum = vd.fft.transpose(spectrum, axis=1)
        vd.fft.convolve2D(signal, spectrum, transposed_kernel=transposed)
        yield signal.read(0), want
    signal, spectrum = vd.asbuffer(data), vd.asbuffer(kernel[:1])
    vd.fft.fft2(spectrum)
    vd.fft.convolve2D(signal, spectrum, kernel_inner_only=True, normalize=False)
    yield signal.read(0), np.fft.ifft2(np.fft.fft2(data) * np.fft.fft2(kernel[:1]).conj()) * 360


@program
def real_images():
    data, kernel = reals(2, 14, 26), reals(2, 14, 26, seed=7)
    signal, spectrum = vd.asrfftbuffer(data), vd.asrfftbuffer(kernel)
    vd.fft.rfft2(spectrum)
    vd.fft.convolve2DR(signal, spectrum)
    yield signal.read_real(0), np.fft.irfft2(np.fft.rfft2(data) * np.fft.rfft2(kernel).conj(), s=(14, 26))


@program
def several_kernels():
    @vd.map
    def times_number(factor: Const[f32]):
        op = vd.fft.read_op()
        op.register *= factor * (vd.fft.mapped_kernel_index() + 2)

    @vd.map
    def put(result: Buff[c64]):
        op = vd.fft.write_op()
        result[vd.fft.mapped_kernel_index() * 66 + op.io_index] = op.register

    @vd.map
    def get(source: Buff[c64]):
        vd.fft.read_op().read_from_buffer(source)

    data = complexes(6, 11)
    out = vd.Buffer((3, 6, 11), vd.complex64)
    vd.fft.convolve(
        out,
        vd.asbuffer(data),
        1.0,
        kernel_map=times_number,
        kernel_num=3,
        buffer_shape=(6, 11),
        input_map=get,
        output_map=put,
    )
    yield out.read(0), np.stack([data * n for n in (2, 3, 4)])


@program
def several_kernels_and_buffers():
    """A map may choose by the number of the kernel, which is Python's."""

    @vd.map
    def product(first: Buff[c64], second: Buff[c64]):
        op = vd.fft.read_op()
        value = vc.new_complex64_register()
        op.read_from_buffer(second if vd.fft.mapped_kernel_index() else first, register=value)
        op.register[:] = vc.mult_complex(op.register, value)

    @vd.map
    def put(first: Buff[c64], second: Buff[c64]):
        op = vd.fft.write_op()
        op.write_to_buffer(second if vd.fft.mapped_kernel_index() else first)

    @vd.map
    def get(source: Buff[c64]):
        vd.fft.read_op().read_from_buffer(source)

    data, kernels = complexes(5, 20), [complexes(5, 20, seed=seed) for seed in (2, 3)]
    results = [vd.Buffer(data.shape, vd.complex64) for _ in kernels]
    vd.fft.convolve(
        *results, vd.asbuffer(data), *map(vd.asbuffer, kernels), kernel_map=product, kernel_num=2, buffer_shape=(5, 20),
        input_map=get, output_map=put,
    )  # fmt: skip
    for result, kernel in zip(results, kernels):
        yield result.read(0), np.fft.ifft(np.fft.fft(data) * kernel)


@program
def variables_of_a_graph():
    @vd.map
    def scale(factor: Var[f32]):
        op = vd.fft.read_op()
        op.register *= factor

    data = complexes(4, 16)
    signal = vd.asbuffer(data)
    graph = vd.CommandGraph()
    vd.fft.convolve(signal, graph.bind_var("factor"), kernel_map=scale, graph=graph)
    want = data
    for factor in (2.0, -3.0):
        graph.set_var("factor", factor)
        graph.submit()
        want = want * factor
        yield signal.read(0), want


@program
def recorded_transforms():
    data = complexes(8, 32)
    signal = vd.asbuffer(data)
    graph = vd.CommandGraph()
    vd.fft.fft(signal, graph=graph)
    vd.fft.ifft(signal, graph=graph, normalize=False)
    graph.submit(3)
    yield signal.read(0), data * 32**3
    vd.set_global_graph(graph2 := vd.CommandGraph())
    vd.fft.fft(signal)
    vd.set_global_graph(None)
    graph2.submit()
    yield signal.read(0), np.fft.fft(data) * 32**3


@program
def transforms_of_lines_in_a_kernel():
    shape = (9, 48)
    with vd.fft.fft_context(shape) as ctx:
        source, result = ctx.declare_shader_args([Buff[c64], Buff[c64]])
        for op in vd.fft.global_reads_iterator(ctx.registers):
            op.read_from_buffer(source)
        ctx.execute(inverse=False)
        for op in vd.fft.global_writes_iterator(ctx.registers):
            op.write_to_buffer(result)
    data = complexes(*shape)
    out = vd.Buffer(shape, vd.complex64)
    ctx.get_callable()(vd.asbuffer(data), out)
    yield out.read(0), np.fft.fft(data)


@program
def a_filter_in_a_kernel():
    shape = (6, 60)
    with vd.fft.fft_context(shape) as ctx:
        io = ctx.make_io_manager(None)
        io.read_input()
        ctx.execute(inverse=False)
        ctx.register_shuffle()
        for op in vd.fft.memory_reads_iterator(ctx.resources):
            ctx.registers[op.register_id][:] = ctx.registers[op.register_id] * vc.to_dtype(vd.float32, op.fft_index)
        ctx.execute(inverse=True)
        ctx.registers.normalize()
        io.write_output()
    data = complexes(*shape)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer)
    yield buffer.read(0), np.fft.ifft(np.fft.fft(data) * np.arange(60))


@program
def columns_in_a_kernel():
    shape = (3, 32, 6)
    with vd.fft.fft_context(shape, axis=1, max_register_count=8) as ctx:
        args = ctx.declare_shader_args([Buff[c64]])
        for op in ctx.reads_iter():
            op.read_from_buffer(args[0])
        ctx.execute(inverse=True)
        ctx.registers.normalize()
        for op in ctx.writes_iter():
            op.write_to_buffer(args[0])
    data = complexes(*shape)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer)
    yield buffer.read(0), np.fft.ifft(data, axis=1)


@program
def a_config():
    config = vd.fft.FFTConfig((4, 6, 40), axis=1)
    yield (
        np.array([config.N, config.fft_stride, config.batch_outer_stride, config.batch_outer_count]),
        np.array([6, 40, 240, 4]),
    )
    yield np.array(config.angle_factor(True)), np.array(2 * np.pi)
    yield np.array(config.batch_inner_count), np.array(40)
    yield np.array([vd.fft.pad_dim(n) for n in (1, 17, 31, 1009)]), np.array([1, 18, 32, 1014])


@program
def sources():
    shader = vd.fft.make_fft_shader((4, 64))
    data = complexes(4, 64)
    buffer = vd.asbuffer(data)
    shader(buffer, graph=vd.global_graph())
    yield buffer.read(0), np.fft.fft(data)
    for source in (vd.fft.fft_src((4, 64)), vd.fft.convolve_src((4, 64)), vd.fft.transpose_src((4, 64))):
        yield np.array(len(source.code) > 100), np.array(True)
    yield np.array(len(vd.fft.convolve2D_src((16, 16)))), np.array(3)


@program
def a_sum():
    @vd.reduce.reduce(0)
    def total(a: f32, b: f32) -> f32:
        return a + b

    data = reals(30011)
    result = total(vd.asbuffer(data))
    yield result.read(0)[0], data.sum(dtype=np.float64)


@program
def sums_of_rows():
    @vd.reduce.reduce(0, axes=[1])
    def total(a: f32, b: f32) -> f32:
        return a + b

    data = reals(10, 3001)
    result = total(vd.asbuffer(data))
    yield result.read(0)[0], data.sum(axis=1, dtype=np.float64)


@program
def mapped_sums():
    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def of_sines(values: Buff[f32]) -> f32:
        return vc.sin(values[vd.reduce.mapped_io_index()])

    @vd.reduce.map_reduce(vd.reduce.SubgroupMax)
    def of_products(values: Buff[i32], factor: Const[i32]) -> i32:
        return values[vd.reduce.mapped_io_index()] * factor

    data = reals(9999)
    yield of_sines(vd.asbuffer(data)).read(0)[0], np.sin(data.astype(np.float64)).sum()
    whole = np.random.default_rng(1).integers(-99, 99, 5000).astype(np.int32)
    yield of_products(vd.asbuffer(whole), -3).read(0)[0], (whole * -3).max()


@program
def each_operation():
    whole = np.random.default_rng(1).integers(1, 1 << 20, 4096).astype(np.uint32)
    for operation, theirs in (
        (vd.reduce.SubgroupAnd, np.bitwise_and),
        (vd.reduce.SubgroupOr, np.bitwise_or),
        (vd.reduce.SubgroupXor, np.bitwise_xor),
        (vd.reduce.SubgroupAdd, np.add),
        (vd.reduce.SubgroupMax, np.maximum),
    ):

        @vd.reduce.map_reduce(operation)
        def of_all(values: Buff[u32]) -> u32:
            return values[vd.reduce.mapped_io_index()]

        yield of_all(vd.asbuffer(whole)).read(0)[0], theirs.reduce(whole)

    data = reals(4097)
    for operation, theirs in ((vd.reduce.SubgroupMin, np.min), (vd.reduce.SubgroupMax, np.max)):

        @vd.reduce.map_reduce(operation)
        def of_numbers(values: Buff[f32]) -> f32:
            return values[vd.reduce.mapped_io_index()]

        yield of_numbers(vd.asbuffer(data)).read(0)[0], theirs(data)


@program
def a_sum_of_vectors():
    @vd.reduce.reduce(0)
    def total(a: v2, b: v2) -> v2:
        return a + b

    data = reals(5000, 2)
    buffer = vd.Buffer((5000,), vd.vec2)
    buffer.write(data)
    graph = vd.CommandGraph()
    result = total(buffer, graph=graph)
    graph.submit()
    yield result.read(0)[0], data.sum(axis=0, dtype=np.float64)


@program
def kernels_and_transforms():
    @vd.shader(exec_size=lambda args: args.values.size)
    def square(values: Buff[c64]):
        i = vc.global_invocation_id().x
        values[i] = vc.mult_complex(values[i], values[i])

    data = complexes(4, 20)
    buffer = vd.asbuffer(data)
    vd.fft.fft(buffer)
    square(buffer)
    vd.fft.ifft(buffer)
    yield buffer.read(0), np.fft.ifft(np.fft.fft(data) ** 2)


@program
def the_other_library():
    data, kernel = complexes(3, 16, 24), complexes(3, 16, 24, seed=2)
    buffer = vd.asbuffer(data)
    vd.vkfft.fft(buffer)
    yield buffer.read(0), np.fft.fft(data)
    vd.vkfft.ifft(buffer)
    vd.vkfft.fft2(buffer)
    yield buffer.read(0), np.fft.fft2(data)
    real = vd.asrfftbuffer(reals(5, 30))
    vd.vkfft.rfft(real)
    yield real.read_fourier(0), np.fft.rfft(reals(5, 30))
    signal, spectrum = vd.asbuffer(data), vd.asbuffer(kernel)
    vd.vkfft.transpose_kernel2D(spectrum)
    vd.vkfft.convolve2D(signal, spectrum, normalize=True)
    yield signal.read(0), np.fft.ifft2(np.fft.fft2(data) * np.fft.fft2(kernel))


@program
def real_lines_by_fft():
    data = reals(4, 36)
    buffer = vd.asrfftbuffer(data)
    vd.fft.fft(buffer, buffer_shape=buffer.real_shape, r2c=True, input_signal_range=(0, 20))
    padded = data.copy()
    padded[:, 20:] = 0
    yield buffer.read_fourier(0), np.fft.rfft(padded)
    vd.fft.fft(buffer, buffer_shape=buffer.real_shape, r2c=True, inverse=True)
    yield buffer.read_real(0), padded


@program
def a_larger_kernel_buffer():
    kernels = vd.Buffer((5000,), vd.complex64)
    for shape in ((3, 16, 12), (2, 20, 30)):
        data, kernel = complexes(*shape), complexes(*shape, seed=6)
        signal, spectrum = vd.asbuffer(data), vd.asbuffer(kernel)
        vd.fft.fft2(spectrum)
        vd.fft.transpose(spectrum, conv_shape=shape, axis=1, out_buffer=kernels)
        vd.fft.convolve2D(signal, kernels, transposed_kernel=True)
        yield signal.read(0), np.fft.ifft2(np.fft.fft2(data) * np.fft.fft2(kernel).conj())


@program
def half_storage():
    data = complexes(6, 64)
    halves = np.stack([data.real, data.imag], -1).astype(np.float16)
    buffer = vd.Buffer(data.shape, vd.complex32)
    buffer.write(halves)
    vd.fft.fft(buffer, compute_type=vd.complex64)
    got = np.asarray(buffer.read(0))
    if not np.iscomplexobj(got):
        got = got.reshape(6, 64, 2).astype(np.float32) @ [1, 1j]
    # Halves are right to a thousandth.
    yield np.array(np.abs(got - np.fft.fft(data)).max() < 0.02), np.array(True)


@program
def maps_of_another_size():
    """Crops and pads: maps that make addresses of their own."""
    small = (5, 12)

    @vd.map
    def padded(source: Buff[c64]):
        op = vd.fft.read_op()
        line = op.io_index // op.fft_size
        op.register[:] = vc.new_complex64_register()
        with vc.if_block(op.fft_index < small[1]):
            op.read_from_buffer(source, io_index=line * small[1] + op.fft_index)

    data = complexes(*small)
    out = vd.Buffer((5, 32), vd.complex64)
    vd.fft.fft(out, vd.asbuffer(data), buffer_shape=(5, 32), input_map=padded)
    yield out.read(0), np.fft.fft(data, n=32)


@program
def fields_of_an_element():
    @vd.map
    def index(numbers: Buff[f32]):
        op = vd.fft.write_op()
        numbers[op.io_index] = vc.to_dtype(vd.float32, op.fft_index * 1000 + op.io_index + op.fft_size * 100000)
        assert 0 <= op.register_id < op.register_count
        assert 0 <= op.element_id < op.element_count

    out = vd.Buffer((4, 10, 3), vd.float32)
    vd.fft.fft(out, vd.asbuffer(complexes(4, 10, 3)), axis=1, output_map=index)
    along = np.broadcast_to(np.arange(10)[None, :, None], (4, 10, 3))
    yield out.read(0), along * 1000 + np.arange(120).reshape(4, 10, 3) + 1000000.0


@program
def a_reduction_of_maps():
    @vd.map
    def squares(values: Buff[f32]) -> f32:
        x = values[vd.reduce.mapped_io_index()]
        return x * x

    @vd.reduce.reduce(0, mapping_function=squares)
    def total(a: f32, b: f32) -> f32:
        return a + b

    data = reals(20000)
    yield total(vd.asbuffer(data)).read(0)[0], (data.astype(np.float64) ** 2).sum()


@program
def sums_of_planes():
    @vd.reduce.reduce(0, axes=[1, 2])
    def total(a: f32, b: f32) -> f32:
        return a + b

    data = reals(7, 30, 40)
    yield total(vd.asbuffer(data)).read(0)[0], data.sum(axis=(1, 2), dtype=np.float64)


@program
def lines_of_another_length_in_one_graph():
    graph = vd.CommandGraph()
    pairs = []
    for n in (4, 9, 26, 55, 64, 98, 121, 169, 210):
        data = complexes(3, n, seed=n)
        buffer = vd.asbuffer(data)
        vd.fft.fft(buffer, graph=graph)
        pairs.append((buffer, np.fft.fft(data)))
    graph.submit()
    for buffer, want in pairs:
        yield buffer.read(0), want


@program
def transforms_in_threads():
    import threading

    results = {}

    def work(number):
        graph = vd.CommandGraph()
        vd.set_global_graph(graph)
        data = complexes(4, 32, seed=number)
        buffer = vd.asbuffer(data)
        vd.fft.fft(buffer)
        graph.submit()
        results[number] = buffer.read(0), np.fft.fft(data)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        yield results[number]


@program
def a_correlation_in_a_kernel():
    shape = (4, 64)

    @vd.map
    def conjugate_product(kernel: Buff[c64]):
        op = vd.fft.read_op()
        value = vc.new_complex64_register()
        op.read_from_buffer(kernel, register=value)
        op.register[:] = vc.mult_complex(op.register, value.conjugate())

    with vd.fft.fft_context(shape) as ctx:
        io = ctx.make_io_manager(None, kernel_map=conjugate_product)
        io.read_input()
        ctx.execute(inverse=False)
        ctx.register_shuffle()
        io.read_kernel()
        ctx.execute(inverse=True)
        ctx.registers.normalize()
        io.write_output()
    data, kernel = complexes(*shape), np.fft.fft(complexes(*shape, seed=8)).astype(np.complex64)
    buffer = vd.asbuffer(data)
    ctx.get_callable()(buffer, vd.asbuffer(kernel))
    yield buffer.read(0), np.fft.ifft(np.fft.fft(data) * kernel.conj())


def distances(name):
    """The distance of each result of a program from NumPy's, relative to the largest; shapes must agree."""
    for got, want in PROGRAMS[name]():
        got, want = (np.asarray(a) if np.asarray(a).dtype != bool else np.asarray(a, int) for a in (got, want))
        if got.shape != want.shape:
            yield f"shape {got.shape} instead of {want.shape}"
        else:
            yield float(np.max(np.abs(got - want), initial=0) / max(np.max(np.abs(want), initial=0), 1e-30))
