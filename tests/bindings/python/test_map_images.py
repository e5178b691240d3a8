"""Images among the parameters of maps: of transforms, convolutions and reductions, on every backend, beside NumPy."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Const, Img2, Img3, c64, f32, i32

from .short_form import skip_long_compiles

RNG = np.random.default_rng(20261130)


def image_of(values, dtype=vd.float32):
    image = (vd.Image2D if values.ndim == 2 else vd.Image3D)(values.shape, dtype)
    image.write(values)
    return image


def place_of(index, width):
    """(column, row) of an element's number."""
    signed = index.to_dtype(i32)
    return signed % width, signed // width


@vd.map
def texel(image: Img2[f32]):
    op = vd.fft.read_op()
    op.register[:] = vc.to_complex(image.load(place_of(op.io_index, image.size().x)).x)


def test_a_transform_reads_an_image(device):
    values = RNG.random((6, 20), np.float32)
    out = vd.empty((6, 20), vd.complex64)
    vd.fft.fft(out, image_of(values), input_map=texel)
    np.testing.assert_allclose(out.read(0), np.fft.fft(values), atol=1e-4)
    # Again with the same plan, another image, and all of a plane.
    other = RNG.random((6, 20), np.float32)
    vd.fft.fft(out, image_of(other), input_map=texel)
    np.testing.assert_allclose(out.read(0), np.fft.fft(other), atol=1e-4)
    vd.fft.fft2(out, image_of(values), input_map=texel)
    np.testing.assert_allclose(out.read(0), np.fft.fft2(values), atol=1e-3)


def test_a_transform_samples_and_takes_values(device):
    values = RNG.random((4, 16), np.float32)

    @vd.map
    def between(image: Img2[f32], x: Const[f32], signal: Buff[c64]):
        op = vd.fft.read_op()
        column, row = place_of(op.io_index, image.size().x)
        op.register[:] = image.sample((column + x, row)).x * signal[op.io_index]

    out, ones = vd.empty((4, 16), vd.complex64), vd.ones((4, 16), vd.complex64)
    nearest = image_of(values).sample(mag_filter=vd.Filter.NEAREST, address_mode=vd.AddressMode.REPEAT)
    vd.fft.fft(out, nearest, 1.0, ones, input_map=between)
    np.testing.assert_allclose(out.read(0), np.fft.fft(np.roll(values, -1, 1)), atol=1e-4)
    # An image stands for its plain sampler: linear, clamped.
    vd.fft.fft(out, image_of(values), 0.5, ones, input_map=between)
    padded = np.pad(values, ((0, 0), (0, 1)), mode="edge")
    halves = (padded[:, :-1] + padded[:, 1:]) / 2
    np.testing.assert_allclose(out.read(0), np.fft.fft(halves), atol=16 * 2**-8)


def test_a_transform_writes_an_image(device):
    signal = (RNG.random((5, 12)) + 1j * RNG.random((5, 12))).astype(np.complex64)

    @vd.map
    def power(image: vc.StorageImage2D[f32]):
        op = vd.fft.write_op()
        image.store(
            place_of(op.io_index, image.size().x),
            op.register.real * op.register.real + op.register.imag * op.register.imag,
        )

    @vd.map
    def read(buffer: Buff[c64]):
        op = vd.fft.read_op()
        op.register[:] = buffer[op.io_index]

    image = vd.Image2D((5, 12))
    vd.fft.fft(image, vd.asbuffer(signal), output_map=power, input_map=read)
    np.testing.assert_allclose(image.read(), np.abs(np.fft.fft(signal)) ** 2, rtol=1e-4, atol=1e-3)
    # The input is the caller's, whose type is the transform's.
    vd.fft.fft(image, vd.asbuffer(signal[::-1].copy()), output_map=power)
    np.testing.assert_allclose(image.read(), np.abs(np.fft.fft(signal[::-1])) ** 2, rtol=1e-4, atol=1e-3)


def test_a_long_transform_reads_an_image(device):
    skip_long_compiles(device)
    values = RNG.random((64, 1024), np.float32)
    out = vd.empty(64 * 1024, vd.complex64)
    vd.fft.fft(out, image_of(values), input_map=texel)
    np.testing.assert_allclose(out.read(0), np.fft.fft(values.ravel()), atol=0.05)


def test_planes_to_an_image_and_back(device):
    signal = (RNG.random((4, 12)) + 1j * RNG.random((4, 12))).astype(np.complex64)

    @vd.map
    def scaled(picture: vc.StorageImage2D[vc.v2], factor: Const[f32] = 1.0):
        op = vd.fft.write_op()
        picture.store(place_of(op.io_index, picture.size().x), (op.register.real * factor, op.register.imag * factor))

    @vd.map
    def number(picture: Img2[f32]):
        op = vd.fft.read_op()
        value = picture.load(place_of(op.io_index, picture.size().x))
        op.register[:] = vc.to_complex(value.x, value.y)

    picture = vd.Image2D((4, 12), channels=2)
    vd.fft.fft2(picture, vd.asbuffer(signal), output_map=scaled, factor=2.0)
    np.testing.assert_allclose(picture.read().view(np.complex64)[..., 0], 2 * np.fft.fft2(signal), atol=1e-3)
    vd.fft.fft2(picture, vd.asbuffer(signal), output_map=scaled)
    back = vd.empty((4, 12), vd.complex64)
    vd.fft.ifft2(back, picture, input_map=number)
    np.testing.assert_allclose(back.read(0), signal, atol=1e-5)
    with pytest.raises(ValueError, match=r"rfft\(\): an image of half spectra .* buffer_shape= is the real shape"):
        vd.fft.fft(picture, vd.asbuffer(signal.real.copy()), output_map=scaled, input_map=read_real, r2c=True)


@vd.map
def read_real(buffer: Buff[f32]):
    op = vd.fft.read_op()
    op.register[:] = vc.to_complex(buffer[op.io_index])


def test_the_shape_is_not_a_tables(device):
    @vd.map
    def through(table: Img2[f32], out: Buff[c64]):
        op = vd.fft.write_op()
        out[op.io_index] = op.register * table.load((0, 0)).x

    out = vd.empty((4, 12), vd.complex64)
    with pytest.raises(ValueError, match="Expected a buffer for argument 'output'"):
        vd.fft.fft(image_of(np.ones((2, 2), np.float32)), out, vd.ones((4, 12), vd.complex64), output_map=through)


def test_a_filter_is_an_image(device):
    signal = (RNG.random((3, 32)) + 1j * RNG.random((3, 32))).astype(np.complex64)
    gains = RNG.random((3, 32), np.float32)

    @vd.map
    def gain(image: Img2[f32]):
        op = vd.fft.read_op()
        op.register[:] = op.register * image.load(place_of(op.io_index, image.size().x)).x

    buffer = vd.asbuffer(signal)
    vd.fft.convolve(buffer, image_of(gains), kernel_map=gain)
    np.testing.assert_allclose(buffer.read(0), np.fft.ifft(np.fft.fft(signal) * gains), atol=1e-4)


def test_reductions_of_images(device):
    values = RNG.random((3, 5, 7), np.float32)

    def element(image: Img3[f32]) -> f32:
        column, rest = place_of(vd.reduce.mapped_io_index(), image.size().x)
        return image.load((column, rest % image.size().y, rest // image.size().y)).x

    largest = vd.reduce.map_reduce(vd.reduce.SubgroupMax)(element)
    assert largest(image_of(values)).read(0)[0] == values.max()
    assert largest(image_of(values[::-1].copy()).sample()).read(0)[0] == values.max()
    sums = vd.reduce.map_reduce(vd.reduce.SubgroupAdd, axes=[1])(element)
    np.testing.assert_allclose(sums(image_of(values)).read(0).reshape(3, 7), values.sum(1), rtol=1e-6)

    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def weighted(weights: Buff[f32], image: Img2[f32]) -> f32:
        index = vd.reduce.mapped_io_index()
        return weights[index] * image.load(place_of(index, image.size().x)).x

    weights = RNG.random((5, 7), np.float32)
    got = weighted(vd.asbuffer(weights), image_of(values[0])).read(0)[0]
    np.testing.assert_allclose(got, (weights * values[0]).sum(), rtol=1e-5)


def test_images_of_maps_in_graphs(device):
    values = RNG.random((2, 4, 8), np.float32)
    images = [image_of(v) for v in values]
    out = vd.empty((4, 8), vd.complex64)
    graph = vd.CommandGraph()
    vd.fft.fft(out, images[0], input_map=texel, graph=graph)
    graph.submit()
    np.testing.assert_allclose(out.read(0), np.fft.fft(values[0]), atol=1e-5)
    graph.replace(images[0], images[1])
    graph.submit()
    np.testing.assert_allclose(out.read(0), np.fft.fft(values[1]), atol=1e-5)


@pytest.mark.own_context
def test_several_contexts(device, other):
    @vd.reduce.map_reduce(vd.reduce.SubgroupAdd)
    def total(image: Img2[f32]) -> f32:
        return image.load(place_of(vd.reduce.mapped_io_index(), image.size().x)).x

    contexts = (vd.get_context(), other)
    values = [np.arange(24, dtype=np.float32).reshape(4, 6) + k for k in range(2)]
    images = [vd.Image2D((4, 6), vd.float32, context=context) for context in contexts]
    for image, of_image in zip(images, values, strict=True):
        image.write(of_image)
    # The same plan twice in each, by turns; a sampler has its image's context.
    for k in (0, 1, 0, 1):
        out = vd.zeros((4, 6), vd.complex64, context=contexts[k])
        vd.fft.fft(out, images[k], input_map=texel)
        np.testing.assert_allclose(out.read(0), np.fft.fft(values[k]), atol=1e-3)
        vd.fft.fft2(out, images[k].sample(), input_map=texel)
        np.testing.assert_allclose(out.read(0), np.fft.fft2(values[k]), atol=1e-3)
        sums = total(images[k])
        assert sums.read(0)[0] == values[k].sum() and sums.context is contexts[k]
    out = vd.zeros((4, 6), vd.complex64)
    for image in (images[1], images[1].sample()):
        with pytest.raises(ValueError, match="belongs to") as caught:
            vd.fft.fft(out, image, input_map=texel)
        assert vd.get_context().name in str(caught.value) and other.name in str(caught.value)
    assert not out.read(0).any()


@pytest.mark.own_context
def test_a_queue_has_its_copy_of_an_image(device):
    @vd.map
    def real_part(image: vc.StorageImage2D[f32]):
        op = vd.fft.write_op()
        image.store(place_of(op.io_index, image.size().x), op.register.real)

    try:
        context = vd.Context(backend=device, queue_counts=2)
    except vd.UnsupportedError as error:
        pytest.skip(f"one queue: {error}")
    with context.active():
        image, out = vd.Image2D((4, 6), vd.float32), vd.zeros((4, 6), vd.complex64)
        image.write(np.zeros((4, 6), np.float32))
        signal = RNG.random((4, 6)).astype(np.complex64)
        written = np.fft.fft(signal).real
        with vd.record() as writes:
            vd.fft.fft(image, vd.asbuffer(signal), output_map=real_part)
        with vd.record() as reads:
            vd.fft.fft(out, image, input_map=texel)
        writes.submit(queue_index=1)
        assert not image.read(0).any()
        np.testing.assert_allclose(image.read(1), written, atol=1e-5)
        for queue in (0, 1):
            reads.submit(queue_index=queue)
        assert not out.read(0).any()
        np.testing.assert_allclose(out.read(1), np.fft.fft(written), atol=1e-4)
    context.destroy()


def test_mistakes(device):
    out, image = vd.empty((4, 8), vd.complex64), image_of(np.zeros((4, 8), np.float32))
    with pytest.raises(
        ValueError,
        match=r"Expected an image for argument 'input0 \(image of texel\)' of transform 'fft' \(got Buffer\)! image.sample\(\)",
    ):
        vd.fft.fft(out, out, input_map=texel)
    with pytest.raises(ValueError, match=r"Expected a buffer for argument 'output' of 'fft\(\)' \(got Image2D\)"):
        vd.fft.fft(image)
    with pytest.raises(
        ValueError, match=r'argument 1 \("input0"\).*r32_i32, whose channels are i32, and the kernel samples f32'
    ):
        vd.fft.fft(out, vd.Image2D((4, 8), vd.int32), input_map=texel)
    add = vd.reduce.ReduceFunction(vd.reduce.SubgroupAdd, vd.float32)
    with pytest.raises(ValueError, match=r"Expected a buffer for argument 'param0' \(got Image2D\)"):
        add(image)
    image.destroy()
    with pytest.raises(RuntimeError, match="destroyed"):
        vd.fft.fft(out, image, input_map=texel)
