"""Half and double precision through every helper, and how the precision of a transform is chosen."""

import os
from types import SimpleNamespace

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch.codegen.abbreviations import c32, c64, c128, f32
from vkdispatch.fft import functions, precision

from .short_form import skip_long_compiles
from .transformed import error, filled, maps_of, needs, numbers, random

FULL = bool(os.environ.get("VD_TEST_FULL"))
CLOSE = {c32: 4e-3, c128: 1e-14}
SHAPE = (2, 3, 4)
AXES = {1: (-1,), 2: (-2, -1), 3: (-3, -2, -1)}

both = pytest.mark.parametrize("var_type", CLOSE, ids=lambda t: t.name)


@both
def test_each_transform_with_and_without_maps(device, var_type):
    needs(var_type)
    short = device == "opencl" and not FULL  # PoCL compiles for long
    data, (maps, _) = random(*SHAPE), maps_of(var_type)
    for name, axes in (("fft", 1), ("fft2", 2), ("fft3", 3)):
        want = np.fft.fftn(data.astype(np.complex128), axes=AXES[axes])
        buffer = filled(data, var_type)
        getattr(vd.fft, name)(buffer)
        assert error(numbers(buffer), want) < CLOSE[var_type], name
        getattr(vd.fft, f"i{name}")(buffer)
        assert error(numbers(buffer), data) < CLOSE[var_type], name
        if short and axes < 3:
            continue
        # The maps' annotations do not choose the precision of the computation.
        back = np.fft.ifftn(2 * data.astype(np.complex128), axes=AXES[axes]) + 1
        for helper, result in ((name, 2 * want + 1), (f"i{name}", back)):
            out = filled(np.zeros(SHAPE), var_type)
            maps["compute_type"] = var_type if var_type is c128 else None
            getattr(vd.fft, helper)(out, filled(data, var_type), buffer_shape=SHAPE, **maps)
            assert error(numbers(out), result) < CLOSE[var_type], helper


def test_roots_in_double_precision_are_as_precise_as_the_sums(device):
    needs(c128)
    n, rng = 512, np.random.default_rng(1)
    data = rng.uniform(-1, 1, (4, n)) + 1j * rng.uniform(-1, 1, (4, n))
    turns = (np.outer(np.arange(n), np.arange(n)) % n).astype(np.longdouble) / n
    angles = -8 * np.arctan(np.longdouble(1)) * turns
    want = data.astype(np.clongdouble) @ (np.cos(angles) + 1j * np.sin(angles))
    buffer = filled(data, c128)
    vd.fft.fft(buffer)
    assert np.linalg.norm(numbers(buffer) - want) / np.linalg.norm(want) < 3e-16


@both
def test_each_transform_of_real_lines(device, var_type):
    needs(var_type)
    data = random(*SHAPE, real=True)
    rows = vd.asrfftbuffer(data, fourier_type=var_type)
    for name, axes in (("rfft", 1), ("rfft2", 2), ("rfft3", 3)):
        getattr(vd.fft, name)(rows)
        assert error(numbers(rows), np.fft.rfftn(data.astype(np.float64), axes=AXES[axes])) < CLOSE[var_type], name
        getattr(vd.fft, f"i{name}")(rows)
        assert error(rows.read_real(0), data) < 2 * CLOSE[var_type], name
        rows.write_real(data)


@both
def test_each_convolution_with_and_without_maps(device, var_type):
    needs(var_type)
    short = device == "opencl" and not FULL
    data, kernel = random(*SHAPE), random(*SHAPE, seed=5)
    maps, kernel_map = maps_of(var_type)
    compute = {"compute_type": var_type} if var_type is c128 else {}
    for name, axes in (("convolve", 1), ("convolve2D", 2), ("convolve3D", 3)):

        def theirs(factor, d=data.astype(np.complex128), axes=AXES[axes]):
            return np.fft.ifftn(np.fft.fftn(d, axes=axes) * factor, axes=axes)

        convolve, spectrum = getattr(vd.fft, name), filled(kernel, var_type)
        factor = numbers(spectrum)
        buffer = filled(data, var_type)
        convolve(buffer, spectrum)
        assert error(numbers(buffer), theirs(factor.conj())) < CLOSE[var_type], name
        if short and axes > 1:
            continue
        out = filled(np.zeros(SHAPE), var_type)
        convolve(out, filled(data, var_type), spectrum, buffer_shape=SHAPE, **maps, **kernel_map, **compute)
        assert error(numbers(out), 2 * theirs(factor) + 1) < CLOSE[var_type], name
    prepared = vd.fft.transpose(spectrum, axis=1)
    assert prepared.var_type is var_type
    buffer = filled(data, var_type)
    vd.fft.convolve2D(buffer, prepared, transposed_kernel=True)
    assert (
        error(numbers(buffer), np.fft.ifft2(np.fft.fft2(data.astype(np.complex128)) * factor.conj())) < CLOSE[var_type]
    )


@both
def test_each_convolution_of_real_lines(device, var_type):
    needs(var_type)
    data, kernel = random(6, 10, real=True), random(6, 10, real=True, seed=5) / 8
    for axes in (1, 2):
        rows, response = vd.asrfftbuffer(data, var_type), vd.asrfftbuffer(kernel, var_type)
        if axes == 1:
            vd.fft.rfft(response)
            vd.fft.convolve(rows, response, r2c=True)
        else:
            vd.fft.rfft2(response)
            vd.fft.convolve2DR(rows, response)
        spectrum = (
            np.fft.rfftn(data.astype(np.float64), axes=AXES[axes])
            * np.fft.rfftn(kernel.astype(np.float64), axes=AXES[axes]).conj()
        )
        want = np.fft.irfftn(spectrum, s=data.shape[-axes:], axes=AXES[axes])
        assert error(rows.read_real(0), want) < 2 * CLOSE[var_type], axes


def test_half_precision_is_computed_in_where_asked(device):
    needs(c32)
    data = random(3, 12)
    buffer = filled(data, c32)
    vd.fft.fft(buffer, compute_type=c32)
    assert error(numbers(buffer), np.fft.fft(data)) < 1e-2
    assert vd.fft.make_fft_shader((3, 12), input_type=c32, output_type=c32).transform.compute_type is c64


# The powers of a convolution's prime are numbers of the type: half precision has whole ones to 2048.
@pytest.mark.parametrize("n", [7 * 2593, 128 * 1297, 128 * 2593])
def test_lengths_with_a_long_prime_in_half_precision(device, n):
    needs(c32)
    skip_long_compiles(device)
    data = random(1, n) / 16
    buffer = filled(data, c64)
    vd.fft.fft(buffer, compute_type=c32)
    assert error(numbers(buffer), np.fft.fft(data)) < 1e-2


# ---- How the precision is chosen, by the names that programs use


def buffer_of(var_type):
    return SimpleNamespace(var_type=var_type)


def map_of(*buffer_types):
    return SimpleNamespace(buffer_types=list(buffer_types))


@pytest.fixture
def asked(monkeypatch):
    """The questions that the active devices are asked: (type, role) of each. Needs no device."""
    questions = []
    monkeypatch.setattr(
        functions, "ensure_supported_complex_precision", lambda dtype, role: questions.append((dtype, role))
    )
    return questions


def resolve(buffers, input_map=None, output_map=None, input_type=None, output_precision=None):
    return functions._resolve_input_precision(
        buffers=buffers,
        input_map=input_map,
        output_map=output_map,
        input_type=input_type,
        output_precision=output_precision,
    )


def test_the_input_precision(asked):
    two = [buffer_of(c64), buffer_of(c32)]
    assert resolve(two, input_map=map_of(1), output_map=map_of(1)) is None and not asked
    # In place it is the output's.
    assert resolve(two, output_precision=c128) is c128
    assert resolve(two, input_type=c128, output_precision=c128) is c128
    with pytest.raises(ValueError, match="input_type must match output_type when input_map is None"):
        resolve(two, input_type=c64, output_precision=c128)
    # With an output map it is that of the buffer after the map's arguments.
    asked.clear()
    assert resolve(two, output_map=map_of(1)) is c32
    assert resolve([*two, buffer_of(c128)], output_map=map_of(1, 2)) is c128
    assert resolve(two, output_map=map_of(1), input_type=c64) is c64
    assert asked == [(c32, "Input"), (c128, "Input"), (c64, "Input")]
    with pytest.raises(ValueError, match="input buffer argument must be provided"):
        resolve(two[:1], output_map=map_of(1))
    with pytest.raises(ValueError, match="must be a buffer"):
        resolve([two[0], 3.0], output_map=map_of(1))
    with pytest.raises(ValueError, match="input_type must be one of complex32, complex64, or complex128"):
        resolve([two[0], buffer_of(f32)], output_map=map_of(1))


def test_the_output_and_kernel_precision(host, asked):
    b = vd.Buffer((4,), c64)
    assert functions._resolve_output_precision([b], map_of(1), None) is None
    assert functions._resolve_output_precision([b], None, None) is c64
    assert functions._resolve_output_precision([b], None, c128) is c128
    assert functions._resolve_kernel_precision([b, b], map_of(1), None, 1) is None
    assert functions._resolve_kernel_precision([b, b], None, None, 1) is c64
    assert functions._resolve_kernel_precision([b, b], None, c32, 1) is c32
    assert asked == [(c64, "Output"), (c128, "Output"), (c64, "Kernel"), (c32, "Kernel")]
    with pytest.raises(ValueError, match="kernel_type cannot be provided when kernel_map is used"):
        functions._resolve_kernel_precision([b, b], map_of(1), c64, 1)


def test_transforms_ask_by_the_name_that_programs_replace(host, asked):
    b = vd.asbuffer(random(2, 8))
    vd.fft.fft(b, input_type=c64)
    assert (c64, "Output") in asked


@pytest.fixture
def devices(monkeypatch):
    """Sets what the devices of the active set report: (halves, halves in buffers, in uniforms too, doubles) of each."""

    def report(*rows):
        infos = [
            SimpleNamespace(
                device_name=f"device {i}",
                float_16_support=half,
                storage_buffer_16_bit_access=storage,
                uniform_and_storage_buffer_16_bit_access=both,
                float_64_support=double,
            )
            for i, (half, storage, both, double) in enumerate(rows)
        ]
        monkeypatch.setattr(precision, "get_context", lambda: SimpleNamespace(device_infos=infos))

    return report


ALL, NONE = (1, 1, 1, 1), (0, 0, 0, 0)


def test_which_precisions_a_set_of_devices_supports(devices):
    def supported():
        return [t for t in (c32, c64, c128) if precision.supports_complex_precision(t)]

    devices(ALL)
    assert supported() == [c32, c64, c128]
    devices(ALL, NONE)  # every device must
    assert supported() == [c64]
    for row, want in (((1, 1, 0, 0), True), ((1, 0, 1, 0), True), ((1, 0, 0, 0), False), ((0, 1, 1, 0), False)):
        devices(row)
        assert precision.supports_complex_precision(c32) is want, row
    devices(ALL, (1, 1, 1, 0))
    precision.ensure_supported_complex_precision(c32, role="Input")
    with pytest.raises(
        ValueError, match="Input precision 'complex128' is not supported on the active device set.*device 1"
    ):
        precision.ensure_supported_complex_precision(c128, role="Input")


def test_the_precision_that_is_computed_in(devices, monkeypatch):
    resolve = precision.resolve_compute_precision
    devices(ALL)
    # The highest precision of input and output without maps, at least complex64.
    for given, want in (
        ([c32], c64),
        ([c64, c32], c64),
        ([c32, c128], c128),
        ([None, c128], c128),
        ([None, None], c64),
        ([], c64),
    ):
        assert resolve(given) is want, given
    # A requested type is checked, and used.
    for asked in (c32, c64, c128):
        assert resolve([c64], asked) is asked
    with pytest.raises(
        ValueError, match="compute_type must be one of complex32, complex64, or complex128 .got float32"
    ):
        resolve([c64], f32)
    devices((1, 1, 1, 0))
    with pytest.raises(ValueError, match="Compute precision 'complex128' is not supported"):
        resolve([c64], c128)
    # Without doubles complex64, without that complex32, and without any an error.
    assert resolve([c128]) is c64
    monkeypatch.setattr(precision, "supports_complex_precision", lambda t: t is c32)
    assert resolve([c128]) is c32 and resolve([]) is c32
    monkeypatch.setattr(precision, "supports_complex_precision", lambda t: False)
    with pytest.raises(ValueError, match="Unable to resolve"):
        resolve([c64])
    with pytest.raises(ValueError, match="mine must be one of complex32, complex64, or complex128"):
        precision.ensure_complex_precision(f32, "mine")
