"""Every helper with every map, and maps between precisions."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, c32, c64, c128

HELPERS = {
    "ifft": (vd.fft.ifft, np.fft.ifft),
    "fft2": (vd.fft.fft2, np.fft.fft2),
    "ifft2": (vd.fft.ifft2, np.fft.ifft2),
    "fft3": (vd.fft.fft3, np.fft.fftn),
    "ifft3": (vd.fft.ifft3, np.fft.ifftn),
}


def random(*shape, seed=3):
    generator = np.random.default_rng(seed)
    return (generator.uniform(-1, 1, shape) + 1j * generator.uniform(-1, 1, shape)).astype(np.complex64)


def error(got, want):
    return np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30)


def run(function, data, *args, **kwargs):
    buffer = vd.asbuffer(data)
    function(buffer, *args, **kwargs)
    return buffer.read(0)


@vd.map
def twice(source: Buff[c64]):
    op = vd.fft.read_op()
    op.read_from_buffer(source)
    op.register *= 2


@vd.map
def one_more(result: Buff[c64]):
    op = vd.fft.write_op()
    op.register += 1
    op.write_to_buffer(result)


@vd.map
def times(kernel: Buff[c64]):
    op = vd.fft.read_op()
    factor = vc.new_complex_register()
    op.read_from_buffer(kernel, register=factor)
    op.register[:] = vc.mult_complex(op.register, factor)


MAPS = [{}, {"input_map": twice}, {"output_map": one_more}, {"input_map": twice, "output_map": one_more}]


def with_maps(function, data, maps):
    """What a function of NumPy makes of it."""
    return function(data * (2 if "input_map" in maps else 1)) + (1 if "output_map" in maps else 0)


@pytest.mark.parametrize("name", HELPERS)
def test_transforms(device, name):
    helper, theirs = HELPERS[name]
    data = random(3, 4, 10)
    for maps in MAPS:
        assert error(run(helper, data, **maps), with_maps(theirs, data, maps)) < 3e-6, list(maps)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_one_axis(host, axis):
    data = random(3, 17, 8)
    for maps in MAPS:
        want = with_maps(lambda d: np.fft.ifft(d, axis=axis), data, maps)
        assert error(run(vd.fft.ifft, data, axis=axis, **maps), want) < 3e-6, list(maps)


def test_images_convolved(host):
    data, kernel = random(2, 6, 10), random(2, 6, 10, seed=5)
    spectrum = np.fft.fft2(kernel).astype(np.complex64)
    for maps in MAPS:
        for kernel_map, factor in ((None, spectrum.conj()), (times, spectrum)):
            want = with_maps(lambda d, f=factor: np.fft.ifft2(np.fft.fft2(d) * f), data, maps)
            got = run(vd.fft.convolve2D, data, vd.asbuffer(spectrum), kernel_map=kernel_map, **maps)
            assert error(got, want) < 3e-6, list(maps)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_lines_convolved(host, axis):
    data, kernel = random(2, 6, 10), random(2, 6, 10, seed=5)
    factor = np.fft.fft(kernel, axis=axis).astype(np.complex64)
    for maps in MAPS:
        want = with_maps(lambda d: np.fft.ifft(np.fft.fft(d, axis=axis) * factor, axis=axis), data, maps)
        out, source = vd.asbuffer(data), vd.asbuffer(data)
        arguments = [out, vd.asbuffer(factor)] if not maps else [out, source, vd.asbuffer(factor)]
        vd.fft.convolve(*arguments, axis=axis, kernel_map=times, **maps)
        assert error(out.read(0), want) < 3e-6, list(maps)


def half(data):
    """Numbers as a complex32 buffer takes them."""
    return np.stack([data.real, data.imag], -1).astype(np.float16)


def filled(data, var_type):
    buffer = vd.Buffer(data.shape, var_type)
    buffer.write(half(data) if var_type is c32 else data.astype(np.complex64 if var_type is c64 else np.complex128))
    return buffer


def numbers(buffer):
    data = buffer.read(0)
    return data if data.dtype.kind == "c" else data.reshape(*buffer.shape, 2).astype(np.float64) @ [1, 1j]


@pytest.mark.parametrize("reads", [c32, c64, c128])
@pytest.mark.parametrize("writes", [c32, c64, c128])
def test_between_precisions(host, reads, writes):
    def source(buffer: Buff[reads]):
        op = vd.fft.read_op()
        op.read_from_buffer(buffer)
        op.register *= 2

    def target(buffer: Buff[writes]):
        op = vd.fft.write_op()
        op.register += 1
        op.write_to_buffer(buffer)

    data, kernel = random(3, 12), random(3, 12, seed=5)
    close = 5e-3 if c32 in (reads, writes) else 3e-6
    for compute in (None, c64, c128):
        result = filled(np.zeros((3, 12)), writes)
        maps = {"input_map": vd.map(source), "output_map": vd.map(target)}
        vd.fft.fft(result, filled(data, reads), buffer_shape=(3, 12), compute_type=compute, **maps)
        assert error(numbers(result), np.fft.fft(2 * data) + 1) < close
        del maps["input_map"]
        vd.fft.convolve(result, filled(data, reads), filled(kernel, c64), compute_type=compute, **maps)
        assert error(numbers(result), np.fft.ifft(np.fft.fft(data) * kernel.conj()) + 1) < close
