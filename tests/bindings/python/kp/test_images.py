"""Images: channels, formats, products in shaders, copies."""

import numpy as np
import pytest
import vkdispatch as vd
import vkdispatch.codegen as vc
from vkdispatch import _native, kp
from vkdispatch.codegen.abbreviations import *

from .shaders import spirv

FORMATS = {
    "float32": ("image2D", "r32f"),
    "int32": ("iimage2D", "r32i"),
    "uint32": ("uimage2D", "r32ui"),
    "int16": ("iimage2D", "r16i"),
    "uint16": ("uimage2D", "r16ui"),
    "int8": ("iimage2D", "r8i"),
    "uint8": ("uimage2D", "r8ui"),
}
NUMBERS = {
    4: ([123, 153, 231], [9482, 1208, 1238]),
    2: ([12, 15, 23], [948, 120, 123]),
    1: ([2, 3, 2], [35, 12, 23]),
}


def product_shader(name):
    kind, form = FORMATS[name]
    lines = "\n".join(f"layout (set = 0, binding = {i}, {form}) uniform {kind} image{i};" for i in range(3))
    return spirv(f"""
        layout (local_size_x = 1) in;
        {lines}
        void main() {{
          ivec2 i = ivec2(gl_GlobalInvocationID.xy);
          imageStore(image2, i, imageLoad(image0, i) * imageLoad(image1, i));
        }}""")


@pytest.mark.parametrize("kind", [kp.MemoryTypes.device, kp.MemoryTypes.host, kp.MemoryTypes.deviceAndHost], ids=str)
@pytest.mark.parametrize("name", FORMATS)
def test_types(manager, name, kind):
    a, b = (np.array(x, name) for x in NUMBERS[np.dtype(name).itemsize])
    make = manager.image if name == "float32" else manager.image_t
    images = [make(x, 3, 1, 1, kind) for x in (a, b, np.zeros(3, name))]
    algorithm = manager.algorithm(images, product_shader(name))
    sq = (
        manager.sequence()
        .record(kp.OpSyncDevice(images))
        .record(kp.OpAlgoDispatch(algorithm))
        .record(kp.OpSyncLocal(images))
    )
    for _ in range(3):  # K18: replayed
        images[2].data()[:] = 0
        sq.eval()
        assert images[2].data().tolist() == (a * b).tolist() and images[2].data().dtype == np.dtype(name)


def test_looks(anywhere):
    image = anywhere.image(np.arange(24), 3, 4, 2)
    assert (image.size(), len(image), image.width, image.height, image.num_channels) == (24, 24, 3, 4, 2)
    view = image.data()
    assert view.base is image and view.shape == (24,) and view.tolist() == list(range(24))
    assert image.memory_type() is kp.MemoryTypes.device and image.data_type() is kp.DataTypes.float
    image.destroy()
    assert not image.is_init() and len(image) == 0


@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("size", [(3, 1), (7, 5), (33, 17)])
def test_k18_rows_are_tight(anywhere, channels, size):
    width, height = size
    data = np.arange(width * height * channels, dtype=np.uint8)
    a = anywhere.image_t(data, width, height, channels)
    b = anywhere.image_t(np.zeros_like(data), width, height, channels)
    anywhere.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpSyncLocal([b])).eval()
    assert np.array_equal(b.data(), data)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1], 0, 1, 1), "zero-sized"),
        (([1], 1, 0, 1), "zero-sized"),
        (([1], 1, 1, 0), "no channels"),
        (([1] * 3, 1, 1, 3), "can only have up to 1, 2 or 4 channels"),
        (([1] * 5, 1, 1, 5), "can only have up to 1, 2 or 4 channels"),
        (([1, 2, 3], 2, 2, 1), "data is smaller than the requested image size"),
    ],
)
def test_wrong_sizes(manager, arguments, said):
    with pytest.raises(RuntimeError, match=said):
        manager.image(*arguments)


@pytest.mark.parametrize("name", ["float64", "bool", "int64"])
def test_no_valid_dtype(manager, name):
    with pytest.raises(RuntimeError, match="no valid dtype supported"):
        manager.image_t(np.zeros(4, name), 2, 2, 1)


def test_wrong_types(manager):
    for arguments in (([1], -1, 1, 1), ([1], 1.5, 1, 1), ([1], 1, 1, "1"), ([1], 1, 1), ("x", 1, 1, 1)):
        with pytest.raises(TypeError):
            manager.image(*arguments)


ON_HOST = [kp.MemoryTypes.host, kp.MemoryTypes.deviceAndHost]


def has_rows_without_gaps(manager, width, height):
    """Whether host and device may use images of float32 at the same time, whose rows lie side by side."""
    raw, enums = _native.raw, _native.enums
    flags = enums.VD_IMAGE_STORAGE | enums.VD_IMAGE_HOST
    desc = raw.vd_image_desc(format=enums.VD_FORMAT_R32_F32, dimensions=2, extent=[width, height, 1], flags=flags)
    try:
        image = raw.vd_image_create(manager.context._pointer, desc)
        _, mapping = raw.vd_image_map(image, 0, enums.VD_MAP_READ | enums.VD_MAP_SHARED, 0)
    except _native.UnsupportedError:
        return False
    return raw.vd_mapping_get_info(mapping).size == width * height * 4


def add_one_to(manager, image, width, height):
    """A sequence that adds 1 to each texel of an image of float32."""
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (binding = 0, r32f) uniform image2D image;
        void main() {
          ivec2 i = ivec2(gl_GlobalInvocationID.xy);
          imageStore(image, i, imageLoad(image, i) + 1);
        }""")
    return manager.sequence().record(kp.OpAlgoDispatch(manager.algorithm([image], code, (width, height, 1))))


def test_images_where_both_use_them_have_no_second_copy(anywhere):
    size = 64 * 48 * 4
    in_use = anywhere.context.memory_in_use
    has_rows = has_rows_without_gaps(anywhere, 64, 48)
    unified = "unified_memory" in anywhere.get_device_properties()["features"]
    if anywhere.context.backend == "host" or "llvmpipe" in anywhere.get_device_properties()["device_name"]:
        assert has_rows and unified
    for kind in ON_HOST:
        copies = 1 if has_rows and (unified or kind is kp.MemoryTypes.host) else 2
        before = in_use()
        image = anywhere.image(np.arange(64 * 48), 64, 48, 1, kind)
        assert in_use() - before == copies * size, kind
        view = image.data()
        image.destroy()
        assert view[-1] == 64 * 48 - 1  # and stays


@pytest.mark.parametrize("kind", ON_HOST, ids=str)
@pytest.mark.parametrize("size", [(64, 48), (16, 1), (3, 5), (33, 17)])
@pytest.mark.parametrize("rows", ["as the device has them", "with gaps", "none"])
def test_images_of_host_type_in_shaders(manager, monkeypatch, kind, size, rows):
    width, height = size
    if rows == "with gaps":
        monkeypatch.setattr(kp.image.Pages, "of_image", lambda image, size: None)
    elif rows == "none":
        unsupported = _native.raw.vd_image_support_info(supported=0, mappable=0)
        monkeypatch.setattr(_native.raw, "vd_context_get_image_support", lambda context, desc: unsupported)
    data = np.arange(width * height, dtype=np.float32)
    image = manager.image(data, width, height, 1, kind)
    sq = add_one_to(manager, image, width, height)
    for turn in range(3):
        image.data()[:] = data * turn
        sq.eval()
        assert np.array_equal(image.data(), data * turn + 1)
    mirrored = manager.image(data, width, height, 1)
    manager.sequence().record(kp.OpCopy([image, mirrored])).eval()
    assert np.array_equal(mirrored.data(), data * 2 + 1)  # the mirror follows
    manager.sequence().record(kp.OpSyncLocal([mirrored])).eval()
    assert np.array_equal(mirrored.data(), data * 2 + 1)


def test_longer_data_is_cut(manager):
    assert manager.image(np.arange(9), 2, 2, 1).data().tolist() == [0, 1, 2, 3]


def test_copies_between_images_and_tensors(anywhere):
    data = np.arange(16, dtype=np.float32)
    image, tensor, other = (
        anywhere.image(data, 4, 4, 1),
        anywhere.tensor(np.zeros(16)),
        anywhere.image(np.zeros(16), 4, 4, 1),
    )
    sq = anywhere.sequence().record(kp.OpSyncDevice([image])).record(kp.OpCopy([image, tensor]))
    sq.record(kp.OpCopy([tensor, other])).record(kp.OpSyncLocal([tensor, other])).eval()
    assert np.array_equal(tensor.data(), data) and np.array_equal(other.data(), data)
    with pytest.raises(RuntimeError, match="image sizes do not match"):
        anywhere.sequence().record(kp.OpCopy([image, anywhere.image(data, 8, 2, 1)]))


KINDS = [kp.MemoryTypes.device, kp.MemoryTypes.host, kp.MemoryTypes.storage, kp.MemoryTypes.deviceAndHost]


@pytest.mark.parametrize("source", KINDS, ids=str)
@pytest.mark.parametrize("target", KINDS, ids=str)
@pytest.mark.parametrize("pair", ["image image", "image tensor", "tensor image"])
def test_copies_of_all_memory_types(anywhere, source, target, pair):
    def make(kind, values, memory):
        return anywhere.image(values, 5, 3, 1, memory) if kind == "image" else anywhere.tensor(values, memory)

    data = np.arange(1, 16)
    first, second = pair.split()
    a, b = make(first, data, source), make(second, data * 0, target)
    shown = anywhere.tensor(data * 0)
    sq = anywhere.sequence().record(kp.OpSyncDevice([a])).record(kp.OpCopy([a, b])).record(kp.OpCopy([b, shown]))
    sq.record(kp.OpSyncLocal([b, shown])).eval()
    assert np.array_equal(shown.data(), data)
    if target is not kp.MemoryTypes.storage:
        assert np.array_equal(b.data(), data)


@vd.shader("out.size")
def sample(out: Buff[f32], places: Buff[f32], image: Img2[f32]):
    i = vc.global_invocation_id().x
    out[i] = image.sample((places[2 * i], places[2 * i + 1])).x


def test_kernels_sample_images(anywhere):
    image = anywhere.image([0, 10, 20, 30], 2, 2, 1)
    places = anywhere.tensor([0, 0, 1, 0, 0.5, 0, 0.5, 0.5, 1, 1])
    out = anywhere.tensor_empty(5)
    algorithm = anywhere.algorithm([out, places, image], sample)
    sq = anywhere.sequence().record(kp.OpSyncDevice([image, places]))
    sq.record(kp.OpAlgoDispatch(algorithm)).record(kp.OpSyncLocal([out]))
    for factor in (1, 3):
        image.data()[:] = np.array([0, 10, 20, 30]) * factor
        sq.eval()
        np.testing.assert_allclose(out.data(), np.array([0, 10, 5, 15, 30]) * factor, atol=0.2 * factor)


def test_spirv_samples_images(manager):
    code = spirv("""
        layout (local_size_x = 1) in;
        layout (binding = 0) buffer Out { float o[]; };
        layout (binding = 1) uniform sampler2D image;
        void main() {
          uint i = gl_GlobalInvocationID.x;
          o[i] = textureLod(image, vec2(0.25 + 0.25 * i, 0.25), 0).x;
        }""")
    image, out = manager.image([0, 10, 20, 30], 2, 2, 1), manager.tensor([0, 0, 0])
    algorithm = manager.algorithm([out, image], code)
    sq = manager.sequence().record(kp.OpSyncDevice([image])).record(kp.OpAlgoDispatch(algorithm))
    sq.record(kp.OpSyncLocal([out])).eval()
    np.testing.assert_allclose(out.data(), [0, 5, 10], atol=0.1)
    with pytest.raises(kp.Error, match="an image with its sampler, and object 1 of the list is a Tensor"):
        manager.algorithm([out, out], code)


def test_images_of_another_format_are_refused(anywhere):
    wrong, right = anywhere.image_t(np.zeros(4, np.uint8), 2, 2, 1), anywhere.image(np.zeros(4), 2, 2, 1)

    @vd.shader("out.size")
    def read(out: Buff[f32], image: vc.StorageImage2D[f32]):
        out[vc.global_invocation_id().x] = image.load((0, 0)).x

    def made(image):
        if anywhere.backend == "vulkan":
            code = """
                layout (local_size_x = 1) in;
                layout (binding = 0) buffer A { float a[]; };
                layout (binding = 1, r32f) uniform image2D image;
                void main() { a[0] = imageLoad(image, ivec2(0)).x; }"""
            return anywhere.algorithm([anywhere.tensor([0]), image], code)
        return anywhere.algorithm([anywhere.tensor([0]), image], read)

    assert made(right).is_init()
    with pytest.raises(
        kp.Error, match="Manager.algorithm: .*'image'.* format r32_f32, and object 1 of the list has format r8_u8"
    ):
        made(wrong)
