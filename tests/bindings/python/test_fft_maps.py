"""Every helper with every map, and maps between precisions."""

import os

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, Var, c32, c64, c128, f32
from vkdispatch.fft.precision import supports_complex_precision

from .transformed import error, filled, maps_of, needs, numbers, random, run

FULL = bool(os.environ.get("VD_TEST_FULL"))
HELPERS = {
    "ifft": (vd.fft.ifft, np.fft.ifft),
    "fft2": (vd.fft.fft2, np.fft.fft2),
    "ifft2": (vd.fft.ifft2, np.fft.ifft2),
    "fft3": (vd.fft.fft3, np.fft.fftn),
    "ifft3": (vd.fft.ifft3, np.fft.ifftn),
}


_sides, _kernel = maps_of(c64)
twice, one_more, times = *_sides.values(), _kernel["kernel_map"]
MAPS = [{}, {"input_map": twice}, {"output_map": one_more}, {"input_map": twice, "output_map": one_more}]


def with_maps(function, data, maps):
    """The result of a function of NumPy, with the maps' changes."""
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


@vd.map
def windowed(source: Buff[c64], window: Buff[f32], scale: Const[f32]):
    op = vd.fft.read_op()
    op.read_from_buffer(source)
    op.register *= window[op.io_index] * scale


@vd.map
def power(result: Buff[f32], scale: Var[f32]):
    op = vd.fft.write_op()
    result[op.io_index] = (op.register.real * op.register.real + op.register.imag * op.register.imag) * scale


@vd.map
def weighed(kernel: Buff[c64], weight: Const[f32]):
    op = vd.fft.read_op()
    factor = vc.new_complex_register()
    op.read_from_buffer(kernel, register=factor)
    op.register[:] = vc.mult_complex(op.register, factor) * weight


class TestFurtherArguments:
    """Maps with more than a buffer: a second one, a constant, a variable."""

    shape = (3, 4, 10)

    def filled(self):
        window = np.random.default_rng(7).uniform(0, 1, self.shape).astype(np.float32)
        return random(*self.shape), window

    @pytest.mark.parametrize("name", HELPERS)
    def test_each_helper_takes_the_arguments_of_fft(self, device, name):
        helper, theirs = HELPERS[name]
        data, window = self.filled()
        want = theirs(data * window * 2)
        source, taper = vd.asbuffer(data), vd.asbuffer(window)
        out = vd.Buffer(self.shape, c64)
        helper(out, source, taper, 2.0, input_map=windowed)
        assert error(out.read(0), want) < 3e-6
        helper(out, source, taper, 2.0, input_map=windowed, output_map=one_more)
        assert error(out.read(0), want + 1) < 3e-6
        strength = vd.Buffer(self.shape, f32)
        helper(strength, 0.5, source, taper, 2.0, input_map=windowed, output_map=power)
        assert error(strength.read(0), abs(want) ** 2 / 2) < 6e-6
        helper(strength, 0.5, source, output_map=power)
        assert error(strength.read(0), abs(theirs(data)) ** 2 / 2) < 6e-6
        assert error(source.read(0), data) == 0

    @pytest.mark.parametrize("name", ["ifft", "fft2", "ifft3"])
    def test_a_variable_is_set_later(self, host, name):
        helper, theirs = HELPERS[name]
        data, _ = self.filled()
        graph, strength = vd.CommandGraph(), vd.Buffer(self.shape, f32)
        helper(strength, graph.bind_var("scale"), vd.asbuffer(data), output_map=power, graph=graph)
        for scale in (3.0, 0.25):
            graph.set_var("scale", scale)
            graph.submit()
            assert error(strength.read(0), abs(theirs(data)) ** 2 * scale) < 6e-6

    def test_a_part_of_a_larger_buffer(self, host):
        data = random(5, 8)
        out = vd.asbuffer(np.zeros(64, np.complex64))
        for helper, theirs in (HELPERS["fft2"], HELPERS["ifft2"]):
            helper(out, vd.asbuffer(data), input_map=twice, buffer_shape=(5, 8))
            assert error(out.read(0)[:40].reshape(5, 8), theirs(2 * data)) < 3e-6
        vd.fft.ifft(out, vd.asbuffer(data), input_map=twice, buffer_shape=(5, 8), axis=0)
        assert error(out.read(0)[:40].reshape(5, 8), np.fft.ifft(2 * data, axis=0)) < 3e-6

    def test_images_and_volumes(self, device):
        data, window = self.filled()
        source, taper = vd.asbuffer(data), vd.asbuffer(window)
        for convolve, axes in ((vd.fft.convolve2D, (1, 2)), (vd.fft.convolve3D, (0, 1, 2))):
            spectrum = np.fft.fftn(random(*self.shape, seed=5), axes=axes).astype(np.complex64)
            kernel = vd.asbuffer(spectrum)

            def theirs(d, factor, axes=axes):
                return np.fft.ifftn(np.fft.fftn(d, axes=axes) * factor, axes=axes)

            out = vd.asbuffer(data)
            convolve(out, kernel, 3.0, kernel_map=weighed)
            assert error(out.read(0), theirs(data, 3 * spectrum)) < 3e-6
            convolve(out, source, taper, 2.0, kernel, input_map=windowed)
            assert error(out.read(0), theirs(data * window * 2, spectrum.conj())) < 3e-6
            strength = vd.Buffer(self.shape, f32)
            maps = {"input_map": windowed, "output_map": power, "kernel_map": weighed}
            convolve(strength, 1.0, source, taper, 2.0, kernel, 0.5, **maps)
            assert error(strength.read(0), abs(theirs(data * window * 2, spectrum / 2)) ** 2) < 6e-6
            assert error(source.read(0), data) == 0

    def test_real_images(self, host):
        data, kernel = random(6, 10).real, random(6, 10, seed=5).real
        rows, response = vd.asrfftbuffer(data), vd.asrfftbuffer(kernel)
        vd.fft.rfft2(response)
        vd.fft.convolve2DR(rows, response, 2.0, kernel_map=weighed)
        want = np.fft.irfft2(2 * np.fft.rfft2(data) * np.fft.rfft2(kernel), s=data.shape)
        assert error(rows.read_real(0), want) < 3e-6

    def test_options_by_position_as_before(self, host):
        data = random(3, 8)
        graph, buffer = vd.CommandGraph(), vd.asbuffer(data)
        vd.fft.fft2(buffer, graph)
        vd.fft.ifft2(buffer, graph, False, False)
        vd.fft.ifft(buffer, graph, False, 0, None, False)
        vd.fft.ifft(graph=graph, buffer=buffer, axis=1, normalize=False)
        graph.submit()
        assert error(buffer.read(0), np.fft.ifft2(data) * 24 * 24) < 3e-6
        spectrum = np.fft.fft2(data).astype(np.complex64)
        buffer, kernel = vd.asbuffer(data), vd.asbuffer(spectrum)
        want = np.fft.ifft2(np.fft.fft2(data) * spectrum)
        vd.fft.convolve2D(buffer, kernel, times, (3, 8), None, False, True)
        assert error(buffer.read(0), want) < 3e-6
        buffer.write(data)
        vd.fft.convolve2D(buffer, kernel=kernel, kernel_map=times)
        assert error(buffer.read(0), want) < 3e-6

    def test_mistakes(self, host):
        b, data = vd.asbuffer(random(3, 8)), vd.asbuffer(random(3, 8))
        with pytest.raises(
            ValueError, match=r"fft2\(\) takes 4 argument\(s\) \(1 of the output, 3 of the input\), but 1 were given"
        ):
            vd.fft.fft2(b, input_map=windowed)
        with pytest.raises(ValueError, match="exactly one buffer unless"):
            vd.fft.ifft2(b, data)
        with pytest.raises(ValueError, match=r"convolve2D\(\) takes 3 argument\(s\)"):
            vd.fft.convolve2D(b, data, kernel_map=weighed)
        with pytest.raises(ValueError, match="input_map must be a vd.map function"):
            vd.fft.fft3(b, input_map=lambda x: None)
        with pytest.raises(TypeError, match="several values for argument 'graph'"):
            vd.fft.fft2(b, None, graph=None)
        with pytest.raises(TypeError, match="at most"):
            vd.fft.fft2(b, *[None] * 20)
        with pytest.raises(ValueError, match="At least one buffer"):
            vd.fft.ifft()


@pytest.mark.parametrize("reads", [c32, c64, c128])
@pytest.mark.parametrize("writes", [c32, c64, c128])
def test_between_precisions(device, reads, writes):
    needs(reads, writes)

    data, kernel = random(3, 12), random(3, 12, seed=5)
    close = 5e-3 if c32 in (reads, writes) else 3e-6
    computes = (None, c64, c128) if supports_complex_precision(c128) else (None, c64)
    if device == "opencl" and not FULL:  # PoCL compiles for long
        computes = computes[-1:]
    for compute in computes:
        result = filled(np.zeros((3, 12)), writes)
        maps = {"input_map": maps_of(reads)[0]["input_map"], "output_map": maps_of(writes)[0]["output_map"]}
        vd.fft.fft(result, filled(data, reads), buffer_shape=(3, 12), compute_type=compute, **maps)
        assert error(numbers(result), np.fft.fft(2 * data) + 1) < close
        del maps["input_map"]
        vd.fft.convolve(result, filled(data, reads), filled(kernel, c64), compute_type=compute, **maps)
        assert error(numbers(result), np.fft.ifft(np.fft.fft(data) * kernel.conj()) + 1) < close


def test_a_register_is_assigned_to(device):
    """The same as in vkdispatch 0.1's output maps, and in input maps, where 0.1 took only the name."""

    @vd.map
    def twice(x: Buff[f32]):
        op = vd.fft.read_op()
        op.register = vc.to_complex(x[op.io_index])
        op.register *= 2

    @vd.map
    def scaled(out: Buff[c64]):
        op = vd.fft.write_op()
        op.register = op.register * 3
        op.write_to_buffer(out)

    x = np.random.default_rng(1).random((4, 12), np.float32)
    result = vd.Buffer(x.shape, vd.complex64)
    vd.fft.fft(result, vd.asbuffer(x), buffer_shape=x.shape, input_map=twice, output_map=scaled)
    np.testing.assert_allclose(result.read(0), 6 * np.fft.fft(x), rtol=1e-4, atol=1e-4)


def test_a_missing_argument_is_named_as_the_map_names_it(host):
    @vd.map
    def windowed(x: Buff[f32], scale: Const[f32]):
        op = vd.fft.read_op()
        op.register.real = x[op.io_index] * scale
        op.register.imag = 0

    out, x = vd.Buffer((8,), vd.complex64), vd.asbuffer(np.ones(8, np.float32))
    with pytest.raises(
        ValueError,
        match=r"Missing argument 'input1 \(scale of windowed\)'! The transform 'fft' takes \(output, input0 \(x of windowed\), input1 ",
    ):
        vd.fft.fft(out, x, buffer_shape=(8,), input_map=windowed)
