"""Calls of transforms that are taken for another than they are meant: warned of, refused or made to work."""

import re
import warnings

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, Var, c64, f32

from .transformed import error, random

fft = vd.fft


def ones(*shape):
    return vd.asbuffer(np.ones(shape, np.complex64))


def rows(*shape):
    return vd.RFFTBuffer(shape)


# ---- Kernels of another shape ----------------------------------------------------------------------------------------

OTHER_SHAPES = [
    (
        lambda: fft.convolve(ones(4, 60), ones(4, 61)),
        "convolve",
        r"\(4, 61\).*\(4, 60\): the first 240 of 244 elements",
    ),
    (lambda: fft.convolve(ones(4, 60), ones(60, 4)), "convolve", r"\(60, 4\).*\(4, 60\): all 240 elements"),
    (lambda: fft.convolve(ones(4, 60), ones(5, 60)), "convolve", "the first 240 of 300"),
    (
        lambda: fft.convolve(ones(4, 60), ones(4, 60), kernel_inner_only=True),
        "convolve",
        r"kernel_inner_only, has \(60,\)",
    ),
    (lambda: fft.convolve(ones(4, 8), ones(4, 9), buffer_shape=(2, 8), kernel_num=2), "convolve", r"\(2, 2, 8\)"),
    (lambda: fft.convolve(rows(4, 60), ones(4, 60), r2c=True), "convolve", r"\(4, 31\).*first half, as rfft"),
    (lambda: fft.convolve(rows(4, 60), rows(4, 61), r2c=True), "convolve", "rows of 61.*have 60"),
    (lambda: fft.convolve2D(ones(4, 60), ones(4, 61)), "convolve2D", r"\(4, 61\).*\(4, 60\)"),
    (lambda: fft.convolve2D(ones(3, 4, 6), ones(3, 4, 6), kernel_inner_only=True), "convolve2D", r"has \(4, 6\)"),
    (lambda: fft.convolve2DR(rows(4, 60), ones(4, 60)), "convolve2DR", r"\(4, 31\).*first half, as rfft"),
    (lambda: fft.convolve2DR(rows(4, 60), rows(4, 61)), "convolve2DR", "rows of 61.*have 60"),
    (lambda: fft.convolve3D(ones(4, 5, 6), ones(4, 6, 5)), "convolve3D", r"\(4, 6, 5\).*\(4, 5, 6\)"),
    (lambda: vd.vkfft.convolve2D(ones(4, 60), ones(4, 61)), r"vkfft\.convolve2D", r"\(4, 61\).*\(4, 60\)"),
]


@pytest.mark.parametrize(("call", "name", "says"), OTHER_SHAPES)
def test_a_kernel_of_another_shape(host, call, name, says):
    with pytest.warns(UserWarning, match=rf"^{name}\(\): the kernel .*{says}") as said:
        call()
    assert [(w.filename, w.lineno) for w in said] == [(__file__, call.__code__.co_firstlineno)]


SAME_ORDER = [
    lambda: fft.convolve(ones(4, 60), ones(240)),
    lambda: fft.convolve(ones(4, 60), ones(300)),
    lambda: fft.convolve(ones(4, 60), ones(1, 4, 60, 1)),
    lambda: fft.convolve(ones(2, 2, 60), ones(4, 60)),
    lambda: fft.convolve(ones(4, 60), ones(2, 2, 60)),
    lambda: fft.convolve(ones(4, 60), ones(5, 61), transposed_kernel=True),
    lambda: fft.convolve(ones(4, 60), ones(1, 60), kernel_inner_only=True),
    lambda: fft.convolve(ones(8, 60), ones(8, 60), buffer_shape=(4, 60), kernel_num=2),
    lambda: fft.convolve(ones(8, 60), ones(2, 4, 60), buffer_shape=(4, 60), kernel_num=np.int64(2)),
    lambda: fft.convolve(rows(4, 60), rows(4, 60), r2c=True),
    lambda: fft.convolve(rows(4, 60), rows(4, 60), axis=0),
    lambda: fft.convolve2D(ones(1, 4, 60), ones(4, 60)),
    lambda: fft.convolve2D(ones(3, 4, 6), ones(4, 6), kernel_inner_only=True),
    lambda: fft.convolve2D(ones(4, 60), ones(8, 60), transposed_kernel=True),
    lambda: fft.convolve(ones(4, 60), vd.Buffer((4, 120), vd.float32), kernel_type=vd.complex64),
    lambda: fft.transpose(ones(8, 61), conv_shape=(4, 60)),  # a buffer that is used again
    lambda: fft.convolve2DR(rows(4, 60), rows(4, 60)),
    lambda: fft.convolve2DR(rows(4, 60), ones(4, 31)),
    lambda: vd.vkfft.convolve2D(ones(1, 4, 60), ones(4, 60)),
    lambda: fft.fft(rows(4, 60), axis=0),
    lambda: fft.fft(rows(4, 60), r2c=True),
    lambda: fft.fft(rows(4, 60), buffer_shape=(4, 31)),
    lambda: fft.rfft2(rows(4, 60)),
    lambda: fft.irfft3(rows(3, 4, 60)),
    lambda: vd.vkfft.rfft2(rows(4, 60)),
]


@pytest.mark.parametrize("call", SAME_ORDER)
def test_what_lies_as_it_should(host, call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()


PACKED = [
    lambda: fft.fft(rows(4, 60)),
    lambda: fft.ifft(rows(4, 60), axis=1),
    lambda: fft.fft2(rows(4, 60)),
    lambda: fft.fftn(rows(4, 60)),
    lambda: fft.convolve(rows(4, 60), rows(4, 60)),
    lambda: vd.vkfft.fft(rows(4, 60)),
]


@pytest.mark.parametrize("call", PACKED)
def test_real_rows_taken_as_complex_numbers(host, call):
    with pytest.warns(UserWarning, match=r"real shape \(4, 60\).*of shape \(4, 31\).*r2c=True") as said:
        call()
    assert [(w.filename, w.lineno) for w in said] == [(__file__, call.__code__.co_firstlineno)]


LENGTHS = [
    lambda: fft.fft(rows(4, 60), r2c=True, buffer_shape=(4, 61)),
    lambda: fft.fft(rows(4, 60), r2c=True, inverse=True, buffer_shape=(4, 61)),
    lambda: fft.convolve(rows(4, 60), rows(4, 61), r2c=True, buffer_shape=(4, 61)),
    lambda: fft.convolve2DR(rows(4, 60), rows(4, 61), buffer_shape=(4, 61)),
]


@pytest.mark.parametrize("call", LENGTHS)
def test_real_rows_taken_for_rows_of_another_length(host, call):
    said = r"^The last extent of buffer_shape \(4, 61\) is 61, and the real rows of the RFFTBuffer have 60 .*\(4, 60\)"
    with pytest.warns(UserWarning, match=said) as told:
        call()
    assert {(w.filename, w.lineno) for w in told} == {(__file__, call.__code__.co_firstlineno)}


def test_real_rows_of_their_own_length(host):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in (None, (4, 60), [2, 60], (60,)):
            fft.fft(rows(4, 60), r2c=True, buffer_shape=shape)
            fft.convolve(rows(4, 60), r2c=True, buffer_shape=shape, kernel_map=halved)
        fft.rfft2(rows(4, 60))
        fft.fft(rows(4, 60), ones(4, 60), r2c=True, buffer_shape=(4, 61), input_map=of_ones)


@vd.map
def halved():
    fft.read_op().register *= 0.5


@vd.map
def of_ones(x: Buff[c64]):
    op = fft.read_op()
    op.register = x[op.fft_index % 60]


# ---- Maps that move elements -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(6, 10), (3, 5, 8)])
@pytest.mark.parametrize("twice", [False, True])
def test_shifts_with_one_buffer(device, shape, twice):
    data = random(*shape)
    axes = (-2, -1)
    to_middle, from_middle = fft.fftshift_map(shape, axes=axes), fft.ifftshift_map(shape, axes=axes)

    def transformed(function, **maps):
        z = vd.asbuffer(data)
        function(*[z] * (2 if twice and len(maps) == 1 else 1), **maps)
        return z.read(0)

    spectrum = np.fft.fftshift(np.fft.fft2(data), axes=axes)
    assert error(transformed(fft.fft2, output_map=to_middle), spectrum) < 1e-6
    back = np.fft.ifft2(np.fft.ifftshift(data, axes=axes))
    assert error(transformed(fft.ifft2, input_map=from_middle), back) < 1e-6
    both = np.fft.fftshift(np.fft.fft2(np.fft.ifftshift(data, axes=axes)), axes=axes)
    assert error(transformed(fft.fft2, input_map=from_middle, output_map=to_middle), both) < 1e-6
    if not twice:
        z = vd.asbuffer(data)
        fft.convolve2D(z, vd.asbuffer(np.ones(shape, np.complex64)), output_map=to_middle)
        assert error(z.read(0), np.fft.fftshift(data, axes=axes)) < 1e-6


def test_shifts_with_one_buffer_keep_its_precision(device):
    if not fft.precision.supports_complex_precision(vd.complex128):
        pytest.skip("the device does not report f64")
    data = random(6, 10).astype(np.complex128) / 3
    z = vd.asbuffer(data)
    fft.ifft2(z, input_map=fft.ifftshift_map(data.shape, var_type=vd.complex128))
    assert error(z.read(0), np.fft.ifft2(np.fft.ifftshift(data))) < 1e-14
    z.write(data)
    fft.fft2(z, output_map=fft.fftshift_map(data.shape, var_type=vd.complex128))
    assert error(z.read(0), np.fft.fftshift(np.fft.fft2(data))) < 1e-14


def test_shifts_along_one_axis_need_two_buffers(host):
    z, to_middle, from_middle = ones(4, 60), fft.fftshift_map((4, 60)), fft.ifftshift_map((4, 60))
    for call in (
        lambda: fft.fft(z, z, output_map=to_middle),
        lambda: fft.fft(z, z, input_map=from_middle),
        lambda: fft.ifft(z, output_map=to_middle),
        lambda: fft.convolve(z, z, ones(4, 60), output_map=to_middle),
    ):
        with pytest.raises(ValueError, match="'i?fftshift' moves elements.*two buffers"):
            call()
    fft.fft(ones(4, 60), z, output_map=to_middle)


# ---- Refused, and why ------------------------------------------------------------------------------------------------


@vd.map
def scaled(x: Buff[f32], scale: Const[f32]):
    op = fft.read_op()
    op.register.real = x[op.io_index] * scale
    op.register.imag = 0


@vd.map
def real_part(out: Buff[f32]):
    op = fft.write_op()
    out[op.io_index] = op.register.real


def of_a_variable_bound_elsewhere():
    @vd.map
    def gained(gain: Var[f32]):
        op = fft.read_op()
        op.register *= gain

    graph = vd.CommandGraph()
    fft.convolve(ones(4, 60), graph.bind_var("gain"), kernel_map=gained)


NO_TYPE = "output_type cannot be provided when output_map is used"
floats = {"output_map": real_part, "output_type": vd.complex64}
REFUSED = [
    (lambda: fft.fft2(ones(8)), r"^fft2\(\): Buffer must have 2 or 3 dimensions \(got 1, of shape \(8,\)\).*fftn"),
    (lambda: fft.ifft3(ones(8, 8)), r"^ifft3\(\): Buffer must have 3 dimensions \(got 2, of shape \(8, 8\)\)"),
    (
        lambda: fft.rfft2(rows(8)),
        r"^rfft2\(\): Buffer must have 2 or 3 dimensions \(got 1, of shape \(8,\)\).*rfft\(\)",
    ),
    (lambda: fft.convolve2D(ones(8), ones(8)), r"^convolve2D\(\): Buffer must have 2 or 3 dimensions \(got 1"),
    (lambda: fft.convolve2DR(rows(8), rows(8)), r"^convolve2DR\(\): Buffer must have 2 or 3 dimensions \(got 1"),
    (lambda: fft.fft3_src((8, 8)), r"^fft3_src\(\): Buffer must have 3 dimensions \(got 2"),
    (
        lambda: fft.fft(rows(4, 60), r2c=True, axis=0),
        r"contiguous data: with r2c=True axis \(0\) must be the last one \(1\)",
    ),
    (lambda: fft.fftn(ones(4, 6), axes=(1, -1)), r"^fftn\(\): axes \(1, -1\) name an axis twice"),
    (lambda: fft.fftn(ones(4, 6), axes=1.5), r"axis \(1.5\) must be an integer"),
    (lambda: fft.fft(ones(4, 6), axis=(0, 1)), r"axis \(0, 1\) must be an integer! fftn\(\) takes several"),
    (lambda: fft.fft2(np.ones((4, 6), np.complex64)), r"'output' \(got ndarray\)! vd.asbuffer\(array\) makes one"),
    (lambda: fft.read_op(), "No global read operation.*for a @vd.map function.*input_map or kernel_map"),
    (lambda: fft.write_op(), "No global write operation.*for a @vd.map function.*output_map"),
    (lambda: fft.pad_dim(-1), r"Dimension must be greater than 0 \(pad_dim\(\) got -1\)"),
    (
        lambda: fft.convolve(ones(8, 60), ones(4, 60), ones(8, 60), kernel_num=2),
        r"^convolve\(\) takes 2 argument\(s\), but 3 were given! They are \(output, kernel\).*the first part of the results' buffer",
    ),
    (
        lambda: fft.convolve(ones(65, 60), ones(4, 60), kernel_num=65),
        r"^convolve\(\): kernel_num \(65\) is past the limit \(64\)!",
    ),
    (lambda: fft.convolve(ones(8, 60), ones(4, 60), kernel_num=1.5), r"^kernel_num \(1.5\) must be an integer"),
    (lambda: fft.make_convolution_shader((8,), kernel_num=65), r"kernel_num \(65\) is past the limit \(64\)"),
    (
        lambda: fft.fft(ones(4, 30), buffer_shape=(4, 60)),
        r'^fft\(\) of shape \(4, 60\) along axis 1: argument 0 \("output"\).*takes 1920 bytes.*\(4, 30\)',
    ),
    (
        lambda: fft.convolve(ones(4, 60), ones(3, 60)),
        r"^convolve\(\): the kernel.*\(3, 60\).*takes 240 elements, not 180",
    ),
    (
        lambda: vd.vkfft.convolve2D(ones(4, 60), ones(3, 60)),
        r"^vkfft.convolve2D\(\): the kernel.*240 elements, not 180",
    ),
    (of_a_variable_bound_elsewhere, "'kernel0.*was bound to another graph!.*graph="),
    (lambda: fft.fft2(ones(4, 60), **floats), NO_TYPE),
    (lambda: fft.ifft3(ones(2, 4, 60), **floats), NO_TYPE),
    (lambda: fft.convolve2D(ones(4, 60), ones(4, 60), **floats), NO_TYPE),
    (lambda: fft.convolve3D(ones(2, 4, 60), ones(2, 4, 60), **floats), NO_TYPE),
    (
        lambda: fft.fft2(ones(4, 60), ones(4, 60), 1.0, input_map=scaled, input_type=vd.complex64),
        "input_type cannot be provided when input_map is used",
    ),
    (
        lambda: fft.fft(rows(4, 60), r2c=True, inverse=True, input_signal_range=(0, 40)),
        r"input_signal_range \(0, 40\) is not a range of 0 to 31",
    ),
]


@pytest.mark.parametrize(("call", "says"), REFUSED)
def test_what_is_refused_says_why(host, call, says):
    with pytest.raises(ValueError, match=says) as raised:
        call()
    assert not re.match(r"vd_\w+: ", str(raised.value))


@pytest.mark.parametrize("transposed", [False, True])
def test_a_kernel_that_is_too_small_leaves_the_signal_as_it_was(host, transposed):
    data = random(4, 60)
    signal = vd.asbuffer(data)
    with pytest.raises(ValueError, match=r"^convolve2D\(\): .*takes 240 elements, not 200"):
        fft.convolve2D(signal, ones(4, 50), transposed_kernel=transposed)
    assert np.array_equal(signal.read(0), data)
    real = vd.asrfftbuffer(data.real.astype(np.float32))
    before = real.read_real(0)
    with pytest.raises(ValueError, match=r"^convolve2DR\(\): .*takes 124 elements, not 120"):
        fft.convolve2DR(real, ones(4, 30), transposed_kernel=transposed)
    assert np.array_equal(real.read_real(0), before)


def test_read_and_write_op_in_the_other_map(host):
    @vd.map
    def reads(out: Buff[c64]):
        fft.read_op()

    @vd.map
    def writes(x: Buff[c64]):
        fft.write_op()

    with pytest.raises(ValueError, match="Here is an output_map, which has write_op"):
        fft.fft(ones(8), ones(8), output_map=reads)
    with pytest.raises(ValueError, match="Here is a map that reads, which has read_op"):
        fft.fft(ones(8), ones(8), input_map=writes)
    with pytest.raises(ValueError, match="input_map or kernel_map"):

        @vd.shader("n")
        def outside(n: Const[vc.i32]):
            fft.read_op()


def test_one_axis_as_a_number(device):
    data = random(4, 6)
    z = vd.asbuffer(data)
    fft.fftn(z, axes=0)
    assert error(z.read(0), np.fft.fft(data, axis=0)) < 1e-6
    fft.ifftn(z, axes=-2)
    assert error(z.read(0), data) < 1e-6


@pytest.mark.parametrize("end", [20, 31, 60])
def test_the_range_of_a_half_spectrum(device, end):
    data = np.random.default_rng(3).random((4, 60)).astype(np.float32)
    buffer = vd.asrfftbuffer(data)
    fft.rfft(buffer)
    fft.fft(buffer, r2c=True, inverse=True, input_signal_range=(0, end))
    spectrum = np.fft.rfft(data)
    spectrum[:, end:] = 0
    assert error(buffer.read_real(0), np.fft.irfft(spectrum, 60)) < 1e-6


def test_mistakes_name_the_function():
    buffer, other = (vd.asbuffer(np.ones(8, np.complex64)) for _ in range(2))
    real = vd.asrfftbuffer(np.ones(8, np.float32))
    for kind in ("fft", "ifft"):
        call = getattr(vd.fft, kind)
        for mistake, wrong, said in (
            (lambda call=call: call(buffer, name=5), TypeError, r"name \(5\) must be a str"),
            (lambda call=call: call(buffer, axis=2), ValueError, r"axis \(2\) is not an axis of 1 dimension"),
            (lambda call=call: call(buffer, axis=1.0), TypeError, r"axis \(1.0\) must be an integer"),
            (lambda call=call: call(), ValueError, "At least one buffer must be provided"),
        ):
            with pytest.raises(wrong, match=rf"^{kind}\(\): {said}"):
                mistake()
        for given in (None, 5):
            with pytest.raises(TypeError, match=rf"argument 'output' of '{kind}\(\)' \(got {type(given).__name__}\)"):
                call(given)
    for function, call in (
        ("rfft", lambda: vd.fft.rfft(real, name=5)),
        ("irfft", lambda: vd.fft.irfft(real, name=5)),
        ("fft", lambda: vd.fft.make_fft_shader((8,), name=5)),
        ("convolve", lambda: vd.fft.convolve(buffer, other, name=5)),
        ("convolve", lambda: vd.fft.make_convolution_shader((8,), name=5)),
    ):
        with pytest.raises(TypeError, match=rf"^{function}\(\): name \(5\) must be a str"):
            call()
