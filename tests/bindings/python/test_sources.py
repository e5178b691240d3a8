"""Source text of a program's own from Python: uniform buffers, images, constants, SPIR-V, and names of 0.1's parameters."""

import re
import weakref
from pathlib import Path

import numpy as np
import pytest
import vkdispatch as vd
from vkdispatch.base.command_list import CommandList
from vkdispatch.base.compute_plan import ComputePlan
from vkdispatch.base.descriptor_set import DescriptorSet
from vkdispatch.base.named_parameters import expected_local_size, in_order

EVERYTHING = Path(__file__).resolve().parents[2] / "support/spirv/everything.inc"
HEAD = "#version 450\nlayout(local_size_x = 16) in;\nlayout(set = 0, binding = 0) buffer X { float x[]; };\n"


def everything():
    """The words of a module that has one of each thing."""
    words = re.findall(r"0x([0-9a-f]{8})", EVERYTHING.read_text())
    return np.array([int(word, 16) for word in words], np.uint32).tobytes()


def launch(plan, data=b"", blocks=(1, 1, 1), **bound):
    """Runs a plan once; keywords are `_<binding>=` buffers, samplers or images."""
    binds = DescriptorSet(plan)
    for name, thing in bound.items():
        number = int(name[1:])
        if isinstance(thing, vd.Buffer):
            binds.bind_buffer(thing, number)
        elif isinstance(thing, vd.Sampler):
            binds.bind_sampler(thing, number)
        else:
            binds.bind_image(thing, number)
    commands = CommandList()
    commands.record_compute_plan(plan, binds, blocks)
    commands.submit(data=data, instance_count=1)


class TestVulkan:
    @pytest.fixture(autouse=True)
    def vulkan(self, on_backend):
        with on_backend("vulkan"):
            yield

    def test_a_uniform_buffer(self):
        text = (
            HEAD
            + "layout(set = 0, binding = 1, std140) uniform U { vec4 a; float b; };\nvoid main() { x[0] = a.z + b; }"
        )
        plan = ComputePlan(text, [1, 3], 0, "uniform")
        x, u = vd.buffer_f32(16), vd.asbuffer(np.float32([0, 0, 7, 0, 0.5, 0]))
        binds = DescriptorSet(plan)
        binds.bind_buffer(x, 0)
        binds.bind_buffer(u, 1, uniform=True)
        commands = CommandList()
        commands.record_compute_plan(plan, binds, [1, 1, 1])
        commands.submit(instance_count=1)
        assert x.read(0)[0] == 7.5
        with pytest.raises(
            ValueError,
            match="DescriptorSet.bind_buffer: binding 0 of plan 'uniform' takes a storage buffer, not a uniform buffer",
        ):
            binds.bind_buffer(x, 0, uniform=True)
        with pytest.raises(ValueError, match="takes a uniform buffer, not an image with its sampler"):
            binds.bind_sampler(vd.Image2D((2, 2)).sample(), 1)
        with pytest.raises(RuntimeError, match="works on the CUDA backend alone"):
            binds.set_inline_uniform_payload(bytes(20))

    def test_images(self):
        text = HEAD + (
            "layout(set = 0, binding = 1) uniform sampler2D photo;\n"
            "layout(set = 0, binding = 2, r32f) uniform image2D picture;\n"
            "void main() { ivec2 at = ivec2(gl_GlobalInvocationID.x % 4, gl_GlobalInvocationID.x / 4);\n"
            "  x[gl_GlobalInvocationID.x] = textureLod(photo, (vec2(at) + 0.5) / 4.0, 0.0).x;\n"
            "  imageStore(picture, at, imageLoad(picture, at) + 1.0); }"
        )
        plan = ComputePlan(text, [1, 5, 6], 0, "images")
        texels = np.arange(16, dtype=np.float32).reshape(4, 4)
        photo, picture = vd.Image2D((4, 4)), vd.Image2D((4, 4))
        photo.write(texels)
        picture.write(texels * 2)
        x = vd.buffer_f32(16)
        launch(plan, _0=x, _1=photo.sample(), _2=picture)
        np.testing.assert_array_equal(x.read(0), texels.ravel())
        np.testing.assert_array_equal(picture.read(), texels * 2 + 1)
        binds = DescriptorSet(plan)
        binds.bind_sampler(photo, 1)  # with the defaults
        with pytest.raises(TypeError, match="bind_image: image .*is not a vd.Image"):
            binds.bind_image(x, 2)
        with pytest.raises(ValueError, match="level .1. is outside 0 to 0"):
            binds.bind_image(picture, 2, level=1)
        with pytest.raises(ValueError, match="takes an image with its sampler, not a storage image"):
            binds.bind_image(picture, 1)

    def test_a_sampler_apart(self):
        text = HEAD + (
            "layout(set = 0, binding = 1) uniform texture2D t;\nlayout(set = 0, binding = 2) uniform sampler s;\n"
            "void main() { x[0] = textureLod(sampler2D(t, s), vec2(0.5), 0.0).x; }"
        )
        plan = ComputePlan(text, [1, 7, 8])
        photo = vd.Image2D((1, 2))
        photo.write(np.float32([1, 3]))
        x = vd.buffer_f32(16)
        launch(plan, _0=x, _1=photo, _2=photo.sample(vd.Filter.LINEAR, vd.Filter.LINEAR))
        assert x.read(0)[0] == 2
        launch(plan, _0=x, _1=photo, _2=photo.sample(vd.Filter.NEAREST, vd.Filter.NEAREST))
        assert x.read(0)[0] == 3
        binds = DescriptorSet(plan)
        with pytest.raises(ValueError, match="takes a sampler alone, not a storage image or an image whose sampler is"):
            binds.bind_image(photo, 2)
        with pytest.raises(ValueError, match="takes an image whose sampler is another binding, not an image with its"):
            binds.bind_sampler(photo.sample(), 1)

    def test_constants(self):
        text = HEAD + (
            "layout(constant_id = 0) const float gain = 1.0;\nlayout(constant_id = 1) const bool turn = false;\n"
            "layout(constant_id = 7) const int add = 0;\nvoid main() { x[0] = (turn ? -gain : gain) + float(add); }"
        )
        x = vd.buffer_f32(16)

        def run(constants):
            launch(ComputePlan(text, [1], 0, "constants", spec_constants=constants), _0=x)
            return x.read(0)[0]

        assert run(None) == 1
        assert run({"gain": 2, 7: -5, "turn": True}) == -7
        assert run({"gain": np.float32(0.25)}) == 0.25
        for wrong, kind, words in [
            ({"gone": 1}, ValueError, "spec_constants has 'gone', which is not one of .*'gain'"),
            ({9: 1}, ValueError, "has no specialisation constant 9; it has 0 .gain., 1 .turn., 7 .add."),
            ({7: 2**40}, ValueError, "spec_constants.7. .1099511627776. does not fit in i32"),
            ({"gain": "much"}, (TypeError, ValueError), "much"),
        ]:
            with pytest.raises(kind, match=words):
                run(wrong)

    def test_a_binding_of_a_number_that_no_device_has(self):
        words = np.frombuffer(everything(), np.uint32).copy()
        place = np.flatnonzero((words[:-3] == 0x00040047) & (words[2:-1] == 33))[0]  # OpDecorate of a Binding
        words[place + 3] = 1 << 30
        with pytest.raises(
            ValueError, match=r"^ComputePlan.from_spirv: binding 1073741824 of 'far' is past 4095, the last"
        ):
            ComputePlan.from_spirv(words.tobytes(), shader_name="far")

    def test_spirv(self):
        with pytest.raises(ValueError, match="uses set 1"):
            ComputePlan.from_spirv(everything())
        with pytest.raises(vd.CompileError, match="is not a SPIR-V module"):
            ComputePlan.from_spirv(b"12345678")


def test_a_module_is_looked_into():
    module = vd.inspect_spirv(everything())
    assert module.entry == "main" and module.entries == ("main",) and module.version == (1, 3)
    assert module.workgroup_size == (1, 2, 1) and module.workgroup_size_ids == (10, None, None)
    assert module.shared_size == 64 and module.push_constant_size == 16 and module.uses_subgroups
    assert module.capabilities == (1, 61)
    kinds = [(b.set, b.binding, b.kind, b.name, b.used, b.readable, b.writable) for b in module.bindings]
    assert kinds == [
        (0, 0, 1, "In", True, True, False),
        (0, 1, 1, "Out", True, False, True),
        (0, 2, 3, "Shape", True, True, False),
        (0, 3, 5, "photo", True, True, False),
        (0, 4, 6, "picture", True, False, True),
        (0, 5, 1, "Unused", False, True, True),
        (1, 0, 6, "volume", True, True, True),
    ]
    picture = module.bindings[4]
    assert (picture.dimensions, picture.layers, picture.channels, picture.format) == (2, True, "f32", 37)
    assert [(c.id, c.name, c.type, c.default) for c in module.spec_constants] == [
        (0, "steps", "i32", -3),
        (1, "gain", "f32", 0.5),
        (2, "negate", "bool", True),
        (3, "parts", "u32", 4),
        (10, "", "u32", 1),
    ]
    assert [(m.name, m.offset, m.type, m.used) for m in module.push_constants] == [
        ("first", 0, "u32", True),
        ("scale", 8, "f32x2", True),
        ("spare", 16, "f32", False),
    ]
    with pytest.raises(
        ValueError, match="entry .*other.* is not a compute entry point of the module, which has .*main"
    ):
        vd.inspect_spirv(everything(), entry="other")
    with pytest.raises(ValueError, match="size .7. is not a multiple of 4"):
        vd.inspect_spirv(b"1234567")
    with pytest.raises(vd.CompileError, match="is not a SPIR-V module"):
        vd.inspect_spirv(bytes(40))
    for wrong in ("void main() {}", [0x07230203, 0], 5, None):
        with pytest.raises(TypeError, match="inspect_spirv: code must be the bytes of a module of SPIR-V"):
            vd.inspect_spirv(wrong)


def test_the_host_takes_no_source(on_backend):
    wanted = pytest.raises(vd.UnsupportedError, match="ComputePlan: the host backend compiles no source text .'mine'.")
    with on_backend("host"), wanted:
        ComputePlan(HEAD + "void main() {}", [1], 0, "mine")


class TestNamedParameters:
    def test_they_come_into_order(self):
        source = 'extern "C" __global__ void vkdispatch_main(Push vkdispatch_pc_value, float *vkdispatch_binding_1_ptr /*, (*/,\n'
        source += "  const U* vkdispatch_uniform_ptr) { work(); }"
        changed = in_order(source, [3, 1], opencl=False)
        assert "(const U* vkdispatch_uniform_ptr, float *vkdispatch_binding_1_ptr" in changed
        assert changed.endswith("Push vkdispatch_pc_value) { work(); }")

    def test_values_become_blocks(self):
        source = "__global__ void vkdispatch_main(U vkdispatch_uniform_value, float *vkdispatch_binding_2_ptr) { f(); }"
        changed = in_order(source, [3, 1, 1], opencl=False)
        assert changed == (
            "__global__ void vkdispatch_main(const U *vkdispatch_uniform_block, const void *vkdispatch_unused_1, "
            "float *vkdispatch_binding_2_ptr) { const U vkdispatch_uniform_value = *vkdispatch_uniform_block; f(); }"
        )
        pointer = in_order("__global__ void vkdispatch_main(const P *vkdispatch_pc_ptr) { f(); }", [], opencl=False)
        assert "(P vkdispatch_pc_block) { const P *vkdispatch_pc_ptr = &vkdispatch_pc_block; f(); }" in pointer

    @pytest.mark.parametrize(
        "source",
        [
            "__kernel void vkdispatch_main(__global float *x, Values v) { x[0] = v.k; }",
            "void other() {}",
            "void vkdispatch_main(",
            "void vkdispatch_main(float *vkdispatch_binding_0_ptr, int mine) {}",
            "",
        ],
    )
    def test_other_sources_stay(self, source):
        assert in_order(source, [1], opencl=True) == source

    def test_mistakes(self):
        twice = "void vkdispatch_main(float *vkdispatch_binding_0_ptr, U *vkdispatch_uniform_ptr) {}"
        with pytest.raises(ValueError, match="two parameters of vkdispatch_main are binding 0"):
            in_order(twice, [1], opencl=False)
        with pytest.raises(ValueError, match="parameter vkdispatch_binding_0_ptr is not one of the 0 bindings"):
            in_order("void vkdispatch_main(float *vkdispatch_binding_0_ptr) {}", [], opencl=False)

    def test_the_local_size(self):
        assert expected_local_size(
            "#define VKDISPATCH_EXPECTED_LOCAL_SIZE_X 64\n  #define VKDISPATCH_EXPECTED_LOCAL_SIZE_Z 2"
        ) == [64, 1, 2]
        assert expected_local_size("nothing") == []

    def test_on_opencl(self, on_backend):
        source = """#define VKDISPATCH_EXPECTED_LOCAL_SIZE_X 8
typedef struct { float gain; } U;
typedef struct { float add; } P;
__kernel void vkdispatch_main(P vkdispatch_pc_value, __global float *vkdispatch_binding_1_ptr, U vkdispatch_uniform_value) {
  vkdispatch_binding_1_ptr[get_global_id(0)] = vkdispatch_uniform_value.gain * get_local_size(0) + vkdispatch_pc_value.add;
}
"""
        with on_backend("opencl"):
            plan = ComputePlan(source, [3, 1], 4, "named")
            x, u = vd.buffer_f32(16), vd.asbuffer(np.float32([3]))
            launch(plan, np.float32([0.5]).tobytes(), (2, 1, 1), _0=u, _1=x)
            assert x.read(0).tolist() == [24.5] * 16

    def test_a_payload_on_cuda(self, on_backend):
        source = """#define VKDISPATCH_EXPECTED_LOCAL_SIZE_X 16
struct U { float gain; };
extern "C" __global__ void vkdispatch_main(U vkdispatch_uniform_value, float *vkdispatch_binding_1_ptr) {
  vkdispatch_binding_1_ptr[threadIdx.x] = vkdispatch_uniform_value.gain;
}
"""
        with on_backend("cuda"):
            plan = ComputePlan(source, [3, 1], 0, "payload")
            x = vd.buffer_f32(16)
            binds = DescriptorSet(plan)
            binds.bind_buffer(x, 1)
            commands = CommandList()
            for gain in (2.0, 5.0):
                binds.set_inline_uniform_payload(np.float32([gain]).tobytes())
                commands.reset()
                commands.record_compute_plan(plan, binds, [1, 1, 1])
                commands.submit(instance_count=1)
                assert x.read(0).tolist() == [gain] * 16
            with pytest.raises(ValueError, match="payload is empty"):
                binds.set_inline_uniform_payload(b"")

    def test_images_on_cuda(self, on_backend):
        source = """#define VKDISPATCH_EXPECTED_LOCAL_SIZE_X 4
#define VKDISPATCH_EXPECTED_LOCAL_SIZE_Y 4
typedef unsigned long long Object;  // cudaTextureObject_t and cudaSurfaceObject_t
extern "C" __global__ void vkdispatch_main(Object vkdispatch_binding_1_ptr, Object vkdispatch_sampler_0) {
  int x = threadIdx.x, y = threadIdx.y;
  float texel = tex2DLod<float4>(vkdispatch_sampler_0, (x + 1.0f) / 4.0f, (y + 0.5f) / 4.0f, 0.0f).x;
  surf2Dwrite(texel, vkdispatch_binding_1_ptr, x * 4, y, cudaBoundaryModeZero);
}
"""
        with on_backend("cuda"):
            plan = ComputePlan(source, [5, 6], 0, "images")
            texels = np.arange(16, dtype=np.float32).reshape(4, 4)
            photo, picture = vd.Image2D((4, 4)), vd.Image2D((4, 4))
            photo.write(texels)
            launch(plan, _0=photo.sample(), _1=picture)
            wanted = texels + np.float32([0.5, 0.5, 0.5, 0])  # between two columns, and the edge
            np.testing.assert_array_equal(picture.read(), wanted)


class TestLowLevel:
    """Descriptor sets and lists of launches say what is wrong with their arguments."""

    TEXT = (
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(push_constant) uniform P { float a; };\n"
        "layout(set = 0, binding = 0) buffer B { float x[]; };\nvoid main() { x[0] += a; }"
    )

    @pytest.fixture(autouse=True)
    def vulkan(self, on_backend):
        with on_backend("vulkan"):
            yield

    def plan(self):
        return ComputePlan(self.TEXT, [1], 4, "adding")

    @pytest.mark.parametrize(
        ("changed", "error", "said"),
        [
            ({"buffer": [1]}, TypeError, r"buffer \(\[1\]\) is not a vd\.Buffer"),
            ({"binding": "0"}, TypeError, r"binding must be an integer \(got '0'\)"),
            ({"binding": 1}, ValueError, r"binding \(1\) is not one of the 1 of plan 'adding'"),
            ({"offset": -4}, ValueError, r"offset \(-4\) is outside the 16 bytes of buffer 'numbers'"),
            ({"offset": 400}, ValueError, r"offset \(400\) is outside the 16 bytes of buffer 'numbers'"),
            ({"offset": 1.5}, TypeError, r"offset must be an integer \(got 1\.5\)"),
            (
                {"range": 20},
                ValueError,
                r"range \(20\) is outside 0 to 16, the bytes of buffer 'numbers' from offset 0",
            ),
            ({"offset": 8, "range": -1}, ValueError, r"range \(-1\) is outside 0 to 8"),
        ],
    )
    def test_what_bind_buffer_takes(self, changed, error, said):
        given = {"buffer": vd.Buffer(4, vd.float32, label="numbers"), "binding": 0, **changed}
        with pytest.raises(error, match=rf"^DescriptorSet\.bind_buffer: {said}") as caught:
            DescriptorSet(self.plan()).bind_buffer(**given)
        assert isinstance(caught.value, ValueError)

    def test_an_image_is_no_buffer(self):
        binds = DescriptorSet(self.plan())
        with pytest.raises(TypeError, match=r"^DescriptorSet\.bind_buffer: buffer \(.*Image2D.*\) is not a vd\.Buffer"):
            binds.bind_buffer(vd.Image2D((4, 4)), 0)
        with pytest.raises(TypeError, match=r"^DescriptorSet\.bind_image: image .* is not a vd\.Image"):
            binds.bind_image(vd.zeros(4), 0)
        with pytest.raises(
            TypeError, match=r"^DescriptorSet\.bind_sampler: sampler .* is not a vd\.Sampler or a vd\.Im"
        ):
            binds.bind_sampler(vd.zeros(4), 0)

    def test_a_buffer_of_another_context(self):
        binds = DescriptorSet(self.plan())
        with (
            vd.Context(backend="host") as other,
            pytest.raises(ValueError, match="^DescriptorSet.bind_buffer") as caught,
        ):
            binds.bind_buffer(vd.zeros(4, context=other), 0)
        assert other.name in str(caught.value) and binds.context.name in str(caught.value)

    @pytest.mark.parametrize(
        ("blocks", "error", "said"),
        [
            ([1, 1], TypeError, r"blocks \(\[1, 1\]\) must be three integers"),
            ([1, 1, 1, 1], TypeError, r"blocks \(\[1, 1, 1, 1\]\) must be three integers"),
            (7, TypeError, r"blocks \(7\) must be three integers"),
            ([0, 1, 1], ValueError, r"blocks\[0\] \(0\) is outside 1 to 4294967295"),
            ([1, 1, 1 << 32], ValueError, r"blocks\[2\] \(4294967296\) is outside"),
            ([1, -1, 1], ValueError, r"blocks\[1\] \(-1\) is outside"),
            ([1, 1.5, 1], TypeError, r"blocks\[1\] must be an integer \(got 1\.5\)"),
        ],
    )
    def test_sizes_of_a_recorded_launch(self, blocks, error, said):
        plan = self.plan()
        with pytest.raises(error, match=rf"^CommandList\.record_compute_plan: {said}") as caught:
            CommandList().record_compute_plan(plan, DescriptorSet(plan), blocks)
        assert isinstance(caught.value, ValueError)

    def test_sizes_in_an_array(self):
        plan, x = self.plan(), vd.zeros(64)
        binds = DescriptorSet(plan)
        binds.bind_buffer(x, np.int64(0), np.int64(64), np.int64(4))
        commands = CommandList()
        commands.record_compute_plan(plan, binds, np.ones(3, np.int32))
        commands.submit(np.float32([3]))
        assert np.flatnonzero(x.read(0)).tolist() == [16]
        binds.bind_buffer(x, 0, offset=4)
        with pytest.raises(ValueError, match=r"^CommandList\.submit: .*offset \(4\) is not a multiple of"):
            commands.submit(np.float32([3]))

    def test_what_was_bound_before_is_let_go_of(self):
        plan, x, y = self.plan(), vd.zeros(64), vd.zeros(64)
        binds, commands = DescriptorSet(plan), CommandList()
        binds.bind_buffer(x, 0)
        binds.bind_buffer(y, 0)
        commands.record_compute_plan(plan, binds, [1, 1, 1])
        x.destroy()
        commands.submit(np.float32([3]))
        assert y.read(0)[0] == 3
        held = weakref.ref(x)
        del x
        assert held() is None

    def test_a_descriptor_set_of_another_plan(self):
        with pytest.raises(
            ValueError, match="^CommandList.record_compute_plan: descriptor_set is one of plan 'adding'"
        ):
            CommandList().record_compute_plan(self.plan(), DescriptorSet(self.plan()), [1, 1, 1])
        with pytest.raises(TypeError, match=r"record_compute_plan: descriptor_set \(None\) is not a DescriptorSet"):
            CommandList().record_compute_plan(self.plan(), None, [1, 1, 1])
        with pytest.raises(TypeError, match=r"record_compute_plan: plan \(None\) is not a ComputePlan"):
            CommandList().record_compute_plan(None, None, [1, 1, 1])

    def test_what_submit_takes(self):
        commands = CommandList()
        for given, error, said in (
            ({"data": "abc"}, TypeError, r"data \('abc'\) is not bytes"),
            ({"data": b"", "instance_count": -1}, ValueError, r"instance_count \(-1\) must not be negative"),
            ({"data": b"", "instance_count": "x"}, TypeError, r"instance_count must be an integer \(got 'x'\)"),
            (
                {"data": b"", "queue_index": 9},
                ValueError,
                r"queue_index \(9\) must be -2 \(all\), -1 \(any\) or 0 to 0",
            ),
            ({"data": b"", "queue_index": "0"}, TypeError, r"queue_index \('0'\) must be an integer"),
            ({}, ValueError, "Either data or instance_count"),
        ):
            with pytest.raises(error, match=rf"^CommandList\.submit: {said}"):
                commands.submit(**given)
        with pytest.raises(ValueError, match=r"^CommandGraph\.submit: queue_index \(9\) must be"):
            vd.CommandGraph().submit(queue_index=9)

    @pytest.mark.parametrize(
        ("given", "error", "said"),
        [
            ({"spec_constants": [1]}, TypeError, "spec_constants .* must be a dict"),
            ({"spec_constants": {0: 5.5}}, ValueError, "spec_constants has 0, and the source has none"),
            ({"pc_size": -1}, ValueError, r"pc_size \(-1\) must be from 0 to"),
            ({"pc_size": "4"}, TypeError, r"pc_size \('4'\) must be an integer"),
            ({"shader_source": None}, TypeError, r"shader_source \(None\) must be a str"),
            ({"shader_name": 5}, TypeError, r"shader_name \(5\) must be a str"),
            ({"entry": 5}, TypeError, r"entry \(5\) must be a str"),
            ({"binding_type_list": 5}, TypeError, r"binding_type_list \(5\) must be made of integers"),
            ({"binding_type_list": [1.0]}, TypeError, r"binding_type_list \(\[1\.0\]\) must be made of integers"),
        ],
    )
    def test_arguments_of_a_plan(self, given, error, said):
        with pytest.raises(error, match=f"^ComputePlan: {said}"):
            ComputePlan(**{"shader_source": self.TEXT, "binding_type_list": [1], **given})

    def test_constants_that_a_source_lacks(self):
        text = self.TEXT.replace("local_size_x = 1", "local_size_x_id = 3").replace(
            "void main", "layout(constant_id = 1) const float k = 1.0;\nvoid main"
        )
        for given, error, said in (
            ({99: 0.5}, ValueError, r"^ComputePlan: spec_constants has 99, which is not one of \['1', '3', 'k'\]"),
            ({99: 5}, ValueError, r'^ComputePlan: plan "adding" has no specialisation constant 99; it has 1 \(k\), 3'),
            ({-1: 5}, ValueError, "^ComputePlan: spec_constants has -1, which is not one of"),
            ({"q": 5}, ValueError, "^ComputePlan: spec_constants has 'q', which is not one of"),
            ({3: 0.5}, TypeError, r"^ComputePlan: spec_constants\[3\] \(0.5\) is not a number of type u32"),
        ):
            with pytest.raises(error, match=said):
                ComputePlan(text, [1], 4, "adding", spec_constants=given)
        assert ComputePlan(text, [1], 4, "adding", spec_constants={3: 2, 1: 2.5}).pc_size == 4
        with pytest.raises(ValueError, match="^ComputePlan.from_spirv: spec_constants has 99, which is not one of"):
            ComputePlan.from_spirv(everything(), spec_constants={99: 5})


@pytest.mark.parametrize("name", ["opencl", "cuda"])
def test_constants_are_not_of_other_languages(on_backend, name):
    with (
        on_backend(name),
        pytest.raises(vd.UnsupportedError, match="^ComputePlan: spec_constants are GLSL's and SPIR-V's"),
    ):
        ComputePlan("void vkdispatch_main() {}", [], spec_constants={0: 1})


@pytest.mark.parametrize("name", ["opencl", "cuda"])
def test_spirv_is_vulkans(on_backend, name):
    wanted = (
        rf"^ComputePlan\.from_spirv: SPIR-V \('mine'\) runs on Vulkan alone, and the plan is for context \d+ \({name}"
    )
    with on_backend(name), pytest.raises(vd.UnsupportedError, match=wanted):
        ComputePlan.from_spirv(everything(), shader_name="mine")
