"""Images and samplers on every backend, beside NumPy; tests/api/image_test.cpp has every format, mode and filter."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch.codegen.abbreviations import Buff, Img1, Img2, Img3, f32, i32, u32, uv4, v4

RNG = np.random.default_rng(20240611)
DTYPES = [vd.uint8, vd.int8, vd.uint16, vd.int16, vd.float16, vd.uint32, vd.int32, vd.float32]


def texels(image):
    shape, numpy_type = image.array_shape, image.dtype.numpy
    if np.issubdtype(numpy_type, np.floating):
        return RNG.random(shape).astype(numpy_type)
    limits = np.iinfo(numpy_type)
    return RNG.integers(limits.min, limits.max, shape, dtype=numpy_type, endpoint=True)


def made(shape, dtype, channels):
    if len(shape) == 1:
        return vd.Image1D(shape[0], dtype, channels)
    return (vd.Image2D if len(shape) == 2 else vd.Image3D)(shape, dtype, channels)


#: The numbers of vkdispatch 0.1, which are Vulkan's, by width of the channels: unsigned, signed, float.
FORMATS = {
    "R8": (13, 14), "R8G8": (20, 21), "R8G8B8": (27, 28), "R8G8B8A8": (41, 42),
    "R16": (74, 75, 76), "R16G16": (81, 82, 83), "R16G16B16": (88, 89, 90), "R16G16B16A16": (95, 96, 97),
    "R32": (98, 99, 100), "R32G32": (101, 102, 103), "R32G32B32": (104, 105, 106), "R32G32B32A32": (107, 108, 109),
    "R64": (110, 111, 112), "R64G64": (113, 114, 115), "R64G64B64": (116, 117, 118), "R64G64B64A64": (119, 120, 121),
}  # fmt: skip
ENUMERATIONS = {
    "image_type": {"TYPE_1D": 0, "TYPE_2D": 1, "TYPE_3D": 2},
    "image_view_type": {"VIEW_TYPE_1D": 0, "VIEW_TYPE_2D": 1, "VIEW_TYPE_3D": 2, "VIEW_TYPE_2D_ARRAY": 5},
    "Filter": {"NEAREST": 0, "LINEAR": 1},
    "AddressMode": {
        "REPEAT": 0, "MIRRORED_REPEAT": 1, "CLAMP_TO_EDGE": 2, "CLAMP_TO_BORDER": 3, "MIRROR_CLAMP_TO_EDGE": 4,
    },
    "BorderColor": {
        "FLOAT_TRANSPARENT_BLACK": 0, "INT_TRANSPARENT_BLACK": 1, "FLOAT_OPAQUE_BLACK": 2, "INT_OPAQUE_BLACK": 3,
        "FLOAT_OPAQUE_WHITE": 4, "INT_OPAQUE_WHITE": 5,
    },
}  # fmt: skip


def test_numbers_of_enumerations():
    for width, numbers in FORMATS.items():
        for kind, number in zip(("UINT", "SINT", "SFLOAT"), numbers, strict=False):
            assert vd.image_format[f"{width}_{kind}"].value == number
    for name, members in ENUMERATIONS.items():
        assert {member.name: member.value for member in getattr(vd, name)} == members


def test_formats_of_dtypes(device):
    for dtype, kind in ((vd.uint8, "UINT"), (vd.int16, "SINT"), (vd.float16, "SFLOAT"), (vd.float32, "SFLOAT")):
        bits = 8 * dtype.item_size
        for channels, width in enumerate((f"R{bits}", f"R{bits}G{bits}", f"R{bits}G{bits}B{bits}"), 1):
            assert vd.Image2D((2, 2), dtype, channels).format is vd.image_format[f"{width}_{kind}"]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: t.name)
def test_arrays_come_back(device, dtype):
    for channels in (1, 2, 3, 4):
        for shape in ((7,), (5, 3), (2, 3, 4)):
            image = made(shape, dtype, channels)
            data = texels(image)
            image.write(data)
            read = image.read(0)
            assert read.dtype == data.dtype and read.shape == shape + ((channels,) if channels > 1 else ())
            assert (read == data).all()
            assert image.mem_size == data.nbytes and image.block_size == data.itemsize * channels
            assert (np.asarray(image) == data).all()


def test_layers_and_parts(device):
    image = vd.Image2DArray((6, 5), 4, vd.float32, 2)
    data = texels(image)
    image.write(data)
    assert image.shape == (4, 6, 5) and image.extent == (5, 6, 1) and image.layers == 4
    assert (image.read(offset=(1, 2, 0), shape=(2, 3, 4)) == data[1:3, 2:5, 0:4]).all()
    part = RNG.random((2, 3, 4, 2)).astype(np.float32)
    image.write(part, offset=(2, 3, 1), shape=(2, 3, 4))
    data[2:4, 3:6, 1:5] = part
    assert (image.read() == data).all()
    image.write(data[::-1].transpose(0, 1, 2, 3))  # not contiguous
    assert (image.read() == data[::-1]).all()


def test_strides_and_bytes(device):
    image = vd.Image2D((4, 6), vd.uint16)
    data = texels(image)
    image.write(data.T.copy().T)
    assert (image.read() == data).all()
    image.write(data.tobytes())
    assert (image.read() == data).all()


@vd.shader("out.size")
def sample_2d(out: Buff[v4], place: Buff[f32], level: Buff[f32], image: Img2[f32]):
    i = vc.global_invocation_id().x
    out[i] = image.sample((place[2 * i], place[2 * i + 1]), level[i])


def sampled(sampler, places, levels=None):
    out = vd.Buffer((len(places),), vd.vec4)
    levels = np.zeros(len(places), np.float32) if levels is None else np.asarray(levels, np.float32)
    sample_2d(out, vd.asbuffer(np.asarray(places, np.float32)), vd.asbuffer(levels), sampler)
    return out.read(0)


def test_linear_between_texels(device):
    image = vd.Image2D((5, 9), vd.float32)
    data = texels(image)
    image.write(data)
    places = np.column_stack([RNG.random(200) * 8, RNG.random(200) * 4]).astype(np.float32)
    x0, y0 = np.floor(places).astype(int).T
    fx, fy = (places - np.floor(places)).T
    x1, y1 = np.minimum(x0 + 1, 8), np.minimum(y0 + 1, 4)
    top, bottom = (data[y, x0] * (1 - fx) + data[y, x1] * fx for y in (y0, y1))
    found = sampled(image.sample(), places)
    np.testing.assert_allclose(found[:, 0], top * (1 - fy) + bottom * fy, atol=2 / 256)
    np.testing.assert_allclose(found[:, 1:], [[0, 0, 1]] * 200, atol=1e-6)
    assert (sampled(image, places) == found).all()  # the image itself: with the defaults


def test_columns_come_first(device):
    image = vd.Image2D((3, 7))
    data = texels(image)
    image.write(data)
    rows, columns = np.mgrid[:3, :7]
    found = sampled(
        image.sample(vd.Filter.NEAREST, vd.Filter.NEAREST), np.column_stack([columns.ravel(), rows.ravel()])
    )
    assert (found[:, 0].reshape(3, 7) == data).all()


def test_addresses_outside(device):
    image = vd.Image2D((1, 4))
    image.write(np.array([[1, 2, 3, 4]], np.float32))
    columns = np.arange(-6, 10)
    places = np.column_stack([columns, np.zeros_like(columns)])
    wanted = {
        vd.AddressMode.REPEAT: columns % 4,
        vd.AddressMode.MIRRORED_REPEAT: np.minimum(columns % 8, 7 - columns % 8),
        vd.AddressMode.CLAMP_TO_EDGE: columns.clip(0, 3),
        vd.AddressMode.MIRROR_CLAMP_TO_EDGE: np.where(columns < 0, -1 - columns, columns).clip(0, 3),
    }
    for mode, at in wanted.items():
        found = sampled(image.sample(vd.Filter.NEAREST, vd.Filter.NEAREST, address_mode=mode), places)
        assert (found[:, 0] == at + 1).all(), mode
    border = image.sample(
        vd.Filter.NEAREST, vd.Filter.NEAREST, address_mode=vd.AddressMode.CLAMP_TO_BORDER,
        border_color=vd.BorderColor.FLOAT_OPAQUE_WHITE,
    )  # fmt: skip
    outside = (columns < 0) | (columns > 3)
    # Channels that the format lacks are those of a texel there, too.
    assert (sampled(border, places)[outside] == [1, 0, 0, 1]).all()


def test_levels(device):
    image = vd.Image2D((16, 16), vd.float32, 1, True)
    data = texels(image)
    image.write(data)
    assert image.mip_levels == 5
    mean = data.reshape(8, 2, 8, 2).mean((1, 3))
    np.testing.assert_allclose(image.read(level=1), mean, atol=1 / 256)
    np.testing.assert_allclose(image.read(level=4), [[data.mean()]], atol=1 / 256)
    place = [[7.5, 7.5]] * 3
    found = sampled(image.sample(), place, [0, 4, 9])[:, 0]
    np.testing.assert_allclose(found[1:], data.mean(), atol=1 / 256)
    base = sampled(image.sample(max_lod=0.0), place, [0, 4, 9])[:, 0]
    np.testing.assert_allclose(base, found[0], atol=1 / 256)
    image.write(np.zeros((16, 16), np.float32))
    assert (image.read(level=2) == 0).all()


def test_three_axes(device):
    @vd.shader("out.size")
    def all_of(out: Buff[f32], line: Img1[f32], block: Img3[f32]):
        i = vc.global_invocation_id().x
        plane = (i % 6).to_register()
        out[i] = block.sample((plane % 3, plane // 3, i // 6)).x + 100 * line.sample(i % 4).x

    block, line = vd.Image3D((4, 2, 3)), vd.Image1D(4, vd.float32)
    data, row = texels(block), texels(line)
    block.write(data)
    line.write(row)
    out = vd.empty(24)
    all_of(out, block=block.sample(), line=line.sample())
    np.testing.assert_allclose(out.read(0), data.ravel() + 100 * row[np.arange(24) % 4], rtol=1e-5)


def test_layers_are_chosen(device):
    @vd.shader("out.size")
    def pick(out: Buff[u32], image: vc.Image2DArray[u32]):
        i = vc.global_invocation_id().x
        out[i] = image.sample((1, 0, i)).x + image.size().z.to_dtype(u32) * 1000

    image = vd.Image2DArray((2, 2), 3, vd.uint8)
    data = texels(image)
    image.write(data)
    out = vd.Buffer((5,), vd.uint32)
    pick(out, image.sample())
    assert out.read(0).tolist() == [3000 + int(data[min(i, 2), 0, 1]) for i in range(5)]


def test_kernels_load_and_store(device):
    @vd.shader("to.size")
    def turn(to: vc.StorageImage2D[uv4], source: vc.Image2D[u32]):
        i = vc.global_invocation_id().x.to_dtype(i32)
        width = to.size().x
        column, row = (i % width).to_register(), (i // width).to_register()
        to.store((column, row), source.load((row, width - 1 - column)))

    source, to = vd.Image2D((4, 6), vd.uint32, 4), vd.Image2D((6, 4), vd.uint32, 4)
    data = texels(source)
    source.write(data)
    turn(to, source)
    assert (to.read() == data[::-1].transpose(1, 0, 2)).all()


def test_stores_keep_to_the_format(device):
    @vd.shader(4)
    def put(image: vc.StorageImage1D[vd.image_format.R8_UNORM]):
        i = vc.global_invocation_id().x.to_dtype(i32)
        image.store(i + 1, i.to_dtype(f32) - 1)  # the last one is outside

    image = vd.Image1D(4, vd.uint8, normalized=True)
    image.write(np.full(4, 7, np.uint8))
    put(image)
    assert image.read().tolist() == [7, 0, 0, 255]


def test_a_sampler_stands_for_its_image(device):
    @vd.shader("image.shape[0]")
    def put(image: vc.StorageImage1D[f32]):
        image.store(vc.global_invocation_id().x.to_dtype(i32), 2.0)

    image = vd.Image1D(4, vd.float32)
    put(image.sample())
    assert image.read().tolist() == [2] * 4


def test_arrays_of_another_dtype(device):
    image = vd.Image2D((2, 8))
    with pytest.warns(UserWarning, match="an array of int32 goes into an image of float32 byte by byte"):
        image.write(np.ones((2, 8), np.int32))
    with pytest.raises(TypeError, match="elements of object"):
        image.write(np.full((1, 8), None))


def test_copies_on_the_device(device):
    image, other = vd.Image2D((3, 5), vd.float32, 2), vd.Image2D((3, 5), vd.float32, 2)
    data = texels(image)
    image.write(data)
    other.copy_from(image)
    buffer = vd.Buffer((3, 5), vd.vec2)
    other.copy_to(buffer)
    assert (buffer.read(0) == data).all()
    buffer.write(data[::-1])
    image.copy_from(buffer)
    assert (image.read() == data[::-1]).all()


class TestParts:
    def test_copies(self, device):
        image, other = vd.Image2D((6, 8), enable_mipmaps=True), vd.Image2D((4, 4))
        data = texels(image)
        image.write(data)
        other.write(np.zeros((4, 4), np.float32))
        part = image.part(offset=(1, 2), shape=(3, 4))
        assert part.image is image and (part.level, part.offset, part.shape) == (0, (1, 2), (3, 4))
        other.part(offset=(1, 0)).copy_from(part)
        assert (other.read()[1:] == data[1:4, 2:6]).all() and not other.read()[0].any()
        part.copy_to(other.part(shape=(3, 4)))
        assert (other.read()[:3] == data[1:4, 2:6]).all()
        buffer = vd.zeros((3, 4))
        part.copy_to(buffer)
        assert (buffer.read(0) == data[1:4, 2:6]).all()
        buffer.fill(7)
        image.part(level=1).copy_from(buffer)  # level 1 is 3 by 4
        assert (image.read(level=1) == 7).all() and (image.read() == data).all()
        part.copy_from(image.part(level=1))
        assert (image.read(offset=(1, 2), shape=(3, 4)) == 7).all() and image.read()[0, 0] == data[0, 0]
        other.copy_from(image.part(offset=(2, 4)))
        image.part(offset=(0, 0), shape=(2, 2)).copy_to(image.part(offset=(0, 2), shape=(2, 2)))
        assert (image.read(shape=(2, 2)) == image.read(offset=(0, 2), shape=(2, 2))).all()
        alike = vd.Image2D((6, 8))
        image.copy_to(alike)
        assert (alike.read() == image.read()).all()

    def test_views_of_buffers(self, device):
        image, buffer = vd.Image2D((2, 4)), vd.asbuffer(np.arange(32, dtype=np.float32))
        image.copy_from(buffer[8:16])
        assert image.read().ravel().tolist() == list(range(8, 16))
        image.part(offset=(1, 0)).copy_to(buffer[28:])
        assert buffer.read(0)[28:].tolist() == [12, 13, 14, 15]

    def test_layers_and_volumes(self, device):
        stack, volume = vd.Image2DArray((2, 4), 3), vd.Image3D((3, 2, 4))
        data = np.arange(24, dtype=np.float32).reshape(3, 2, 4)
        stack.write(data)
        volume.write(data + 100)
        plane = vd.Image2DArray((2, 4), 2)
        plane.copy_from(stack.part(offset=(1, 0, 0)))
        assert (plane.read() == data[1:]).all()
        out = vd.zeros((2, 1, 4))
        volume.part(offset=(1, 1, 0)).copy_to(out)
        assert (out.read(0) == data[1:, 1:] + 100).all()

    def test_three_channels(self, device):
        image, buffer = vd.Image2D((4, 4), vd.uint8, channels=3), vd.Buffer((2, 2, 4), vd.uint8)
        data = texels(image)
        image.write(data)
        image.part(offset=(1, 1), shape=(2, 2)).copy_to(buffer)
        assert (buffer.read(0)[..., :3] == data[1:3, 1:3]).all()

    def test_graphs(self, device):
        image, other = vd.Image2D((4, 4), enable_mipmaps=True), vd.Image2D((4, 4), enable_mipmaps=True)
        source, out = vd.asbuffer(np.arange(4, dtype=np.float32)), vd.zeros((2, 2))
        image.write(np.zeros((4, 4), np.float32))
        with vd.record() as graph:
            graph.copy(source, image.part(offset=(2, 2)))
            graph.generate_mips(image)
            graph.copy(image.part(level=1), image.part(shape=(2, 2)))
            graph.copy(image.part(level=1), out)
        graph.submit()
        assert image.read().tolist() == [[0, 0, 0, 0], [0, 1.5, 0, 0], [0, 0, 0, 1], [0, 0, 2, 3]]
        assert out.read(0).tolist() == [[0, 0], [0, 1.5]]
        other.write(np.zeros((4, 4), np.float32))
        graph.replace(image, other)
        source.write(np.full(4, 5, np.float32))
        graph.submit()
        assert other.read()[1, 1] == 5 and out.read(0)[1, 1] == 5
        assert graph.dot().count("->") >= 3
        with graph.unordered(other):
            graph.copy(other.part(level=1), other.part(shape=(2, 2)))

    def test_mistakes(self, device):
        image, other = vd.Image2D((4, 4), label="one"), vd.Image2D((4, 4), vd.uint32, label="two")
        part = image.part(offset=(1, 1), shape=(2, 2))
        assert "level=0, offset=(1, 1), shape=(2, 2)" in repr(part)
        for call, error, said in (
            (lambda: image.part(level=1), ValueError, r"^Image\.part: level \(1\) is outside 0 to 0"),
            (lambda: image.part(offset=(3, 3), shape=(2, 1)), ValueError, r"^Image\.part: .* past the edge of level 0"),
            (
                lambda: image.part(offset=(0, 9)),
                ValueError,
                r"^Image\.part: offset \(9\) on axis 1 is past the edge of level 0",
            ),
            (lambda: image.part(offset=(3,)), ValueError, r"^Image\.part: offset \(3,\) must have 2 axes"),
            (
                lambda: part.copy_to(vd.zeros(3)),
                ValueError,
                r"^ImagePart\.copy_to: the buffer .* has 12 bytes, 2x2 texels of level 0 of image 'one' 16",
            ),
            (lambda: part.copy_from(3), TypeError, r"^ImagePart\.copy_from: source must be an Image, a part .*got int"),
            (lambda: part.copy_from(other.part(shape=(2, 2))), ValueError, r"^ImagePart\.copy_from: .*format"),
            (lambda: part.copy_from(image.part(shape=(3, 2))), ValueError, r"^ImagePart\.copy_from: "),
            (lambda: part.copy_to(image.part(shape=(2, 2))), ValueError, r"^ImagePart\.copy_to: .*overlap"),
        ):
            with pytest.raises(error, match=said):
                call()
        image.destroy()
        with pytest.raises(RuntimeError, match="destroyed"):
            part.copy_to(vd.zeros((2, 2)))


def test_graphs(device):
    image = vd.Image2D((2, 2))
    graph = vd.CommandGraph()
    place, level, out = vd.asbuffer(np.array([0.5, 0.5], np.float32)), vd.zeros(1), vd.Buffer((1,), vd.vec4)
    sample_2d(out, place, level, image.sample(), graph=graph)
    for base in (0, 10):
        image.write(np.arange(base, base + 4, dtype=np.float32).reshape(2, 2))
        graph.submit()
        assert out.read(0)[0, 0] == base + 1.5


def test_levels_keep_their_order(host):
    image, graph = vd.Image2D((8, 8), vd.float32, enable_mipmaps=True), vd.CommandGraph()
    graph.generate_mips(image)
    ordered = graph.dot().count("->")
    assert ordered >= 2
    for resources in ((), (image,)):
        graph.reset()
        with graph.label("levels"), graph.unordered(*resources):
            graph.generate_mips(image)
        assert graph.dot().count("->") == ordered and graph.dot().count(": levels\\n") == 3
    outer = vd.CommandGraph()
    graph.fill(vd.zeros(4))
    with outer.label("all"):
        outer.add_graph(graph)
    assert outer.dot().count(": all: levels\\n") == 3 and outer.dot().count(": all\\n") == 1


def test_graphs_copy_images_and_compute_levels(device):
    image, other = vd.Image2D((4, 4), vd.float32, enable_mipmaps=True), vd.Image2D((4, 4), vd.float32)
    source, out = vd.asbuffer(np.arange(16, dtype=np.float32)), vd.zeros((4, 4))
    image.write(np.zeros((4, 4), np.float32))
    with vd.record() as graph:
        graph.copy(source, image)
        graph.generate_mips(image)
        graph.copy(image, other)
        graph.copy(other, out)
    assert not image.read(level=2).any()
    for turn in (0, 1):
        source.write(np.arange(16, dtype=np.float32) + turn)
        graph.submit()
        assert image.read(level=2).item() == 7.5 + turn
        np.testing.assert_array_equal(out.read(0), source.read(0).reshape(4, 4))
    assert graph.dot().count("->") >= 3
    with graph.unordered(other):
        graph.copy(image, other)
    unordered = graph.dot()
    graph.copy(image, other)
    assert graph.dot().count("->") > unordered.count("->")
    for call, error, said in (
        (
            lambda: graph.copy(image, vd.zeros(3)),
            ValueError,
            r"^CommandGraph\.copy: the buffer .* has 12 bytes, image .* 64",
        ),
        (
            lambda: graph.copy(vd.zeros((4, 4))[:, 1], image),
            TypeError,
            "source must be an Image, a part of one or a Buffer .got Strided",
        ),
        (lambda: graph.copy(image, 3), TypeError, "destination must be an Image, a part of one or a Buffer .got int"),
        (lambda: graph.generate_mips(source), TypeError, r"generate_mips: expected an Image \(got Buffer"),
        (lambda: graph.copy(image, vd.Image2D((4, 5))), ValueError, "^CommandGraph.copy: "),
    ):
        with pytest.raises(error, match=said):
            call()


def test_the_image_outlives_its_sampler_and_name(device):
    image = vd.Image2D((1, 1))
    image.write(np.ones((1, 1), np.float32))
    sampler = image.sample()
    del image
    assert sampled(sampler, [[0, 0]])[0, 0] == 1
    sampler.image.destroy()
    with pytest.raises(RuntimeError):
        sampled(sampler, [[0, 0]])


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: vd.Image2D((0, 3)), ValueError, "must be at least 1"),
        (lambda: vd.Image2D((3,)), ValueError, "must have 2 axes"),
        (lambda: vd.Image2D((3, 3), channels=5), ValueError, r"channels \(5\) must be 1 to 4"),
        (lambda: vd.Image2D((3, 3), channels=2.0), ValueError, "integers"),
        (lambda: vd.Image2D((3, 3), vd.float64), vd.UnsupportedError, "64 bits"),
        (lambda: vd.Image2D((3, 3), vd.vec2), ValueError, "channels of vec2; the dtype is that of a channel"),
        (lambda: vd.Image1D(5.0, vd.float32), ValueError, r"Image1D: shape \(5\.0\) must be made of integers"),
        (lambda: vd.Image2D((3, 3)).write(bytes(4), offset=(1, 1)), ValueError, "2x2 texels .* shape= says how many"),
        (lambda: vd.Image2D((3, 3), str), ValueError, "dtype"),
        (lambda: vd.Image3D((1 << 20,) * 3), RuntimeError, r"^Image3D: extent\[?"),
        (lambda: vd.Image2D((3, 3), vd.uint16, normalized=True), ValueError, "Only channels of uint8"),
        (lambda: vd.Image2D((3, 3)).write([1]), TypeError, "must be an array or bytes"),
        (lambda: vd.Image2D((3, 3)).write(np.zeros(3, np.float32)), ValueError, "has 12 bytes, and 3x3 texels"),
        (lambda: vd.Image2D((3, 3)).read(level=1), ValueError, r"level \(1\) is outside 0 to 0"),
        (lambda: vd.Image2D((3, 3)).read(7), ValueError, r"device_index \(7\)"),
        (lambda: vd.Image2D((3, 3)).read(offset=(1, 0), shape=(3, 1)), ValueError, "past the edge of level 0"),
        (lambda: vd.Image2D((3, 3)).sample(mag_filter=5), TypeError, "must be one of vd.Filter"),
        (lambda: vd.Image2D((3, 3)).sample(mip_lod_bias=float("nan")), ValueError, "must be finite"),
        (lambda: vd.Image2D((3, 3)).copy_to(vd.zeros(4)), ValueError, "has 16 bytes, image"),
        (lambda: vd.Image2D[f32], RuntimeError, r"vc.Image2D\[...\]"),
    ],
)
def test_mistakes(device, make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_wrong_arguments_of_kernels(device):
    image, out = vd.Image2D((2, 2)), vd.Buffer((1,), vd.vec4)
    with pytest.raises(ValueError, match="Expected an image for argument 'image' of kernel 'sample_2d'"):
        sample_2d(out, vd.zeros(2), vd.zeros(1), out)
    with pytest.raises(ValueError, match="Expected a buffer for argument 'out'"):
        sample_2d(image, vd.zeros(2), vd.zeros(1), image)
    with pytest.raises(
        vd.Error,
        match="^Kernel 'sample_2d': .* is of format r32_u32, whose channels are u32, and the kernel samples f32; an image of a",
    ):
        sample_2d(out, vd.zeros(2), vd.zeros(1), vd.Image2D((2, 2), vd.uint32))
    with pytest.raises(ValueError, match="has 2 coordinates"):

        @vd.shader(1)
        def flat(out: Buff[f32], image: Img2[f32]):
            out[0] = image.sample(1.0).x

        flat.build()


def test_an_extent_past_32_bits_names_the_argument(device):
    with pytest.raises(ValueError, match=r"Image2D: shape .*1099511627776.* must be below 2\*\*32 everywhere"):
        vd.Image2D((1 << 40, 1))
    with pytest.raises(ValueError, match=r"Image2DArray: layers .* must be below 2\*\*32 everywhere"):
        vd.Image2DArray((2, 2), 1 << 33)


@pytest.mark.parametrize(
    ("annotation", "body", "said"),
    [
        (vc.StorageImage2D[u32], lambda x: x.store((0, 0), 2.5), r"uint32' to \(2\.5\), which is not an integer"),
        (
            vc.StorageImage2D[u32],
            lambda x: x.store((0, 0), x.load((0, 0)).x.to_dtype(f32)),
            "'uint32' cannot be set to 'float32'",
        ),
        (vc.StorageImage2D[u32], lambda x: x.store((2.7, 0), 1), r"integers, not float \(2\.7\)"),
        (vc.StorageImage2D[u32], lambda x: x.load((0, x.load((0, 0)).x.to_dtype(f32))), "integers, not float32"),
        (vc.StorageImage2D[u32], lambda x: x.size(0.5), r"integers, not float \(0\.5\)"),
        (vc.StorageImage2D[u32], lambda x: x.sample((0, 0)), "is stored and has no sampler"),
        (vc.Image2D[u32], lambda x: x.store((0, 0), 1), "is sampled and not stored"),
        (vc.Image2D[u32], lambda x: x.load((0, 0), 0.5), r"integers, not float \(0\.5\)"),
    ],
)
def test_texels_are_not_converted(host, annotation, body, said):
    with pytest.raises(TypeError, match=said):

        @vd.shader(1)
        def wrong(x: annotation):
            body(x)

        wrong(vd.Image2D((2, 2), vd.uint32))
