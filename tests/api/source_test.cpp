// Source text of a program's own: uniform blocks, images, samplers, specialisation constants, and modules of SPIR-V that
// are looked into without a device.
#include <bit>
#include <cmath>
#include <cstring>

#include "api/shared_context.h"
#include "api/support.h"

namespace api {

namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<uint32_t>;

constexpr char kHead[] =
    "#version 450\nlayout(local_size_x = 16) in;\nlayout(set = 0, binding = 0) buffer X { float x[]; };\n";

// Source, and what it binds.
struct Source {
  std::string text;
  std::vector<vd_binding_kind> kinds{VD_BINDING_STORAGE_BUFFER};
  uint32_t values_size = 0;
  std::vector<vd_spec_constant> constants{};
  vd_language language = VD_LANGUAGE_GLSL;

  vd_status make(vd_context* ctx, Plan& plan) const {
    vd_source_desc source = VD_SOURCE_DESC_INIT;
    source.language = language;
    source.text = text.data();
    source.size = text.size();
    source.binding_kinds = kinds.data();
    source.binding_count = static_cast<uint32_t>(kinds.size());
    source.values_size = values_size;
    source.spec_constants = constants.empty() ? nullptr : constants.data();
    source.spec_constant_count = static_cast<uint32_t>(constants.size());
    vd_plan_desc desc = VD_PLAN_DESC_INIT;
    desc.source = &source;
    desc.label = "mine";
    return vd_plan_create(ctx, &desc, plan.out());
  }
};

vd_binding bind(vd_image* image, vd_sampler* sampler = nullptr, uint32_t level = 0) {
  vd_binding binding = VD_BINDING_OF(nullptr, 0, 0);
  binding.image = image;
  binding.sampler = sampler;
  binding.level = level;
  return binding;
}
vd_binding bind(vd_buffer* buffer, uint64_t offset = 0, uint64_t size = VD_WHOLE_SIZE) {
  return VD_BINDING_OF(buffer, offset, size);
}

vd_status launch(vd_plan* plan, const std::vector<vd_binding>& bindings, uint32_t count = 16) {
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = count;
  desc.bindings = bindings.data();
  desc.binding_count = static_cast<uint32_t>(bindings.size());
  return vd_plan_launch(plan, &desc, nullptr);
}

// The context of a backend; skips without it.
class SourceTest : public testing::Test {
 protected:
  void open(vd_backend backend) {
    ctx_ = shared_context(backend, VD_CONTEXT_DEBUG);
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
  }
  // Vulkan's validation layer has nothing to say.
  void TearDown() override {
    for (const std::string& line : log_.lines) EXPECT_THAT(line, testing::Not(HasSubstr("Vulkan validation")));
  }
  // The message of a refusal.
  std::string refused(const Source& source, vd_status status) {
    Plan plan;
    EXPECT_EQ(source.make(ctx_, plan), status);
    EXPECT_EQ(static_cast<vd_plan*>(plan), nullptr);
    return vd_last_error();
  }
  Image image(vd_format format, uint32_t dimensions, std::array<uint32_t, 3> extent, vd_image_flags flags,
              uint32_t layers = 0) {
    vd_image_desc desc = VD_IMAGE_DESC_INIT;
    desc.format = format;
    desc.dimensions = dimensions;
    std::copy(extent.begin(), extent.end(), desc.extent);
    desc.flags = flags;
    desc.layers = layers;
    Image made;
    EXPECT_OK(vd_image_create(ctx_, &desc, made.out()));
    return made;
  }
  Log log_;
  Context ctx_;
};

class VulkanSourceTest : public SourceTest {
 protected:
  void SetUp() override { open(VD_BACKEND_VULKAN); }
};

TEST_F(VulkanSourceTest, ReadsAUniformBlock) {
  const Source source{std::string(kHead) +
                          "layout(set = 0, binding = 1, std140) uniform U { vec4 a; float b; };\n"
                          "void main() { x[gl_GlobalInvocationID.x] = a.y + b; }\n",
                      {VD_BINDING_STORAGE_BUFFER, VD_BINDING_UNIFORM_BUFFER}};
  Plan plan;
  ASSERT_OK(source.make(ctx_, plan));
  vd_device_info info = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_context_get_device(ctx_, 0, &info));
  const uint32_t align = info.uniform_buffer_alignment;
  std::vector<float> block(align / 4 + 8, 0.0f);
  block[align / 4 + 1] = 5;
  block[align / 4 + 4] = 0.25f;
  const Buffer x = make_buffer(ctx_, 64), values = make_buffer(ctx_, block);
  ASSERT_OK(launch(plan, {bind(x), bind(values, align, 20)}));
  EXPECT_EQ(read<float>(x, 16), std::vector<float>(16, 5.25f));
  // Words that the device writes are seen by the next launch, in a graph too.
  const uint32_t bits = std::bit_cast<uint32_t>(2.0f);
  ASSERT_OK(vd_buffer_fill(values, 0, VD_WHOLE_SIZE, bits, 0, nullptr, nullptr));
  ASSERT_OK(launch(plan, {bind(x), bind(values)}));
  EXPECT_EQ(read<float>(x, 16), std::vector<float>(16, 4.0f));
  // Two launches read the block and write different buffers: nothing orders them.
  const Buffer y = make_buffer(ctx_, 64);
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  for (vd_buffer* buffer : {static_cast<vd_buffer*>(x), static_cast<vd_buffer*>(y)}) {
    const vd_binding bindings[] = {bind(buffer), bind(values)};
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = 16;
    desc.bindings = bindings;
    desc.binding_count = 2;
    ASSERT_OK(vd_graph_launch(graph, plan, &desc, nullptr));
  }
  vd_graph_info graph_info = VD_GRAPH_INFO_INIT;
  ASSERT_OK(vd_graph_get_info(graph, &graph_info));
  EXPECT_EQ(graph_info.level_count, 1u);

  EXPECT_EQ(launch(plan, {bind(x), bind(values, 4)}), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("argument 1 (\"binding 1\") of \"mine\": offset (4) is not a multiple of"));
  EXPECT_EQ(launch(plan, {bind(x), bind(values, 0, 16)}), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("takes 20 bytes, and"));
  const Buffer large = make_buffer(ctx_, info.max_uniform_buffer_range + 16);
  EXPECT_EQ(launch(plan, {bind(x), bind(large)}), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("binds as a uniform block (" + std::to_string(info.max_uniform_buffer_range)));
}

TEST_F(VulkanSourceTest, SamplesAndStoresImages) {
  const Source source{
      "#version 450\nlayout(local_size_x = 4, local_size_y = 4) in;\n"
      "layout(set = 0, binding = 0) uniform sampler2D photo;\n"
      "layout(set = 0, binding = 1, r32f) uniform writeonly image2D picture;\n"
      "void main() { ivec2 at = ivec2(gl_GlobalInvocationID.xy);\n"
      "  imageStore(picture, at, textureLod(photo, (vec2(at) + 0.5) / 4.0 + vec2(0.125, 0.0), 0.0) * 2.0); }\n",
      {VD_BINDING_SAMPLED_IMAGE, VD_BINDING_STORAGE_IMAGE}};
  Plan plan;
  ASSERT_OK(source.make(ctx_, plan));
  const Image photo = image(VD_FORMAT_R32_F32, 2, {4, 4, 1}, 0);
  const Image picture = image(VD_FORMAT_R32_F32, 2, {4, 4, 1}, VD_IMAGE_STORAGE);
  std::vector<float> texels(16);
  for (size_t i = 0; i < 16; ++i) texels[i] = static_cast<float>(i);
  ASSERT_OK(vd_image_write(photo, nullptr, texels.data(), 64, 0));
  vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
  how.mag_filter = how.min_filter = VD_FILTER_LINEAR;
  how.address_mode = VD_ADDRESS_CLAMP_TO_EDGE;
  Sampler sampler;
  ASSERT_OK(vd_sampler_create(ctx_, &how, sampler.out()));
  ASSERT_OK(launch(plan, {bind(photo, sampler), bind(picture)}, 4));
  std::vector<float> got(16), wanted(16);
  ASSERT_OK(vd_image_read(picture, nullptr, 64, 0, got.data()));
  EXPECT_EQ(got[0], 1.0f) << "half way from 0 to 1, doubled";
  EXPECT_EQ(got[3], 6.0f) << "clamped to the edge";

  EXPECT_EQ(launch(plan, {bind(photo), bind(photo)}, 4), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("was made without VD_IMAGE_STORAGE"));
  const Image ints = image(VD_FORMAT_R32_U32, 2, {4, 4, 1}, VD_IMAGE_STORAGE);
  EXPECT_EQ(launch(plan, {bind(photo), bind(ints)}, 4), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("is of format r32_u32, and the kernel takes r32_f32"));
  EXPECT_EQ(launch(plan, {bind(ints), bind(picture)}, 4), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(),
              HasSubstr("and the kernel samples f32; an image of a normalised or float format is sampled so."));
  const Image volume = image(VD_FORMAT_R32_F32, 3, {4, 4, 4}, 0);
  EXPECT_EQ(launch(plan, {bind(volume), bind(picture)}, 4), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("has 3 dimensions, and the kernel takes 2"));
  const Buffer buffer = make_buffer(ctx_, 64);
  EXPECT_EQ(launch(plan, {bind(buffer), bind(picture)}, 4), VD_ERR_INVALID);
  EXPECT_EQ(launch(plan, {bind(photo), bind(picture, nullptr, 1)}, 4), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("level (1) is not below"));
}

// One texture by two samplers.
const std::string kApart = std::string(kHead) +
                           "layout(set = 0, binding = 1) uniform texture2D t;\n"
                           "layout(set = 0, binding = 2) uniform sampler near;\n"
                           "layout(set = 0, binding = 3) uniform sampler far;\n"
                           "void main() { uint i = gl_GlobalInvocationID.x; vec2 at = vec2(float(i) * 0.25, 0.5);\n"
                           "  x[i] = textureLod(sampler2D(t, near), at, 0).x +\n"
                           "         10.0 * textureLod(sampler2D(t, far), at, 0).x; }\n";

TEST_F(VulkanSourceTest, SamplesByASamplerApart) {
  const Source source{kApart, {VD_BINDING_STORAGE_BUFFER, VD_BINDING_TEXTURE, VD_BINDING_SAMPLER, VD_BINDING_SAMPLER}};
  Plan plan;
  ASSERT_OK(source.make(ctx_, plan));
  const Image photo = image(VD_FORMAT_R32_F32, 2, {2, 1, 1}, 0), other = image(VD_FORMAT_R32_F32, 2, {2, 1, 1}, 0);
  const float texels[] = {1, 3}, others[] = {100, 300};
  ASSERT_OK(vd_image_write(photo, nullptr, texels, 8, 0));
  ASSERT_OK(vd_image_write(other, nullptr, others, 8, 0));
  vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
  how.address_mode = VD_ADDRESS_CLAMP_TO_EDGE;
  Sampler nearest, linear;
  ASSERT_OK(vd_sampler_create(ctx_, &how, nearest.out()));
  how.mag_filter = how.min_filter = VD_FILTER_LINEAR;
  ASSERT_OK(vd_sampler_create(ctx_, &how, linear.out()));
  const Buffer x = make_buffer(ctx_, 64);
  // At 0, 0.25, 0.5, 0.75 and 1 of the width.
  const std::vector<float> near{1, 1, 3, 3, 3}, blend{1, 1, 2, 3, 3};
  const auto expect = [&](const std::vector<float>& first, const std::vector<float>& second, float scale = 1) {
    std::vector<float> wanted;
    for (size_t i = 0; i < 5; ++i) wanted.push_back(scale * (first[i] + 10 * second[i]));
    EXPECT_EQ(read<float>(x, 5), wanted);
  };
  ASSERT_OK(launch(plan, {bind(x), bind(photo), bind(nullptr, nearest), bind(nullptr, linear)}));
  expect(near, blend);
  ASSERT_OK(launch(plan, {bind(x), bind(photo), bind(nullptr, linear), bind(nullptr, nearest)}));
  expect(blend, near);

  // In a graph, whose samplers and textures are replaced.
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  const vd_binding bindings[] = {bind(x), bind(photo), bind(nullptr, nearest), bind(nullptr, nearest)};
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = 16;
  desc.bindings = bindings;
  desc.binding_count = 4;
  ASSERT_OK(vd_graph_launch(graph, plan, &desc, nullptr));
  const auto run = [&] {
    for (int turn = 0; turn < 2; ++turn) ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  };
  run();
  expect(near, near);
  vd_binding changed = bind(nullptr, linear);
  ASSERT_OK(vd_graph_set_bindings(graph, 0, 3, &changed, 1));
  run();
  expect(near, blend);
  changed = bind(other);
  ASSERT_OK(vd_graph_set_bindings(graph, 0, 1, &changed, 1));
  run();
  expect(near, blend, 100);

  const auto wrong = [&](uint32_t place, const vd_binding& binding) {
    std::vector<vd_binding> list{bind(x), bind(photo), bind(nullptr, nearest), bind(nullptr, linear)};
    list[place] = binding;
    EXPECT_EQ(launch(plan, list), VD_ERR_INVALID);
    return std::string(vd_last_error());
  };
  EXPECT_THAT(wrong(2, bind(nullptr, nullptr)), HasSubstr("argument 2 (\"binding 2\") of \"mine\": it has no sampler"));
  EXPECT_THAT(wrong(2, bind(photo, nearest)), HasSubstr("it is a sampler, and a buffer, an image"));
  EXPECT_THAT(wrong(2, bind(x)), HasSubstr("it is a sampler, and a buffer"));
  EXPECT_THAT(wrong(1, bind(photo, nearest)), HasSubstr("its sampler is another argument"));
  EXPECT_THAT(wrong(1, bind(nullptr, nearest)), HasSubstr("it has no image"));
  EXPECT_THAT(wrong(0, bind(nullptr, nearest)), HasSubstr("is a buffer, and an image, a sampler or a level is given"));
  Context elsewhere;
  vd_context_desc context = VD_CONTEXT_DESC_INIT;
  context.backend = VD_BACKEND_HOST;
  ASSERT_OK(vd_context_create(&context, elsewhere.out()));
  Sampler foreign;
  ASSERT_OK(vd_sampler_create(elsewhere, &how, foreign.out()));
  EXPECT_THAT(wrong(3, bind(nullptr, foreign)), HasSubstr("its sampler belongs to another context"));
}

TEST_F(VulkanSourceTest, IntegersAreNotFilteredByASamplerApart) {
  const Source source{std::string(kHead) +
                          "layout(set = 0, binding = 1) uniform itexture2D t;\n"
                          "layout(set = 0, binding = 2) uniform sampler s;\n"
                          "void main() { uint i = gl_GlobalInvocationID.x;\n"
                          "  x[i] = float(textureLod(isampler2D(t, s), vec2(float(i) - 0.5, 0.5), 0).x); }\n",
                      {VD_BINDING_STORAGE_BUFFER, VD_BINDING_TEXTURE, VD_BINDING_SAMPLER}};
  Plan plan;
  ASSERT_OK(source.make(ctx_, plan));
  const Image numbers = image(VD_FORMAT_R32_I32, 2, {2, 1, 1}, 0);
  const int32_t texels[] = {-5, 7};
  ASSERT_OK(vd_image_write(numbers, nullptr, texels, 8, 0));
  vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
  how.address_mode = VD_ADDRESS_CLAMP_TO_BORDER;
  how.border_color = VD_BORDER_INT_OPAQUE_WHITE;
  Sampler nearest, linear;
  ASSERT_OK(vd_sampler_create(ctx_, &how, nearest.out()));
  how.min_filter = VD_FILTER_LINEAR;
  ASSERT_OK(vd_sampler_create(ctx_, &how, linear.out()));
  const Buffer x = make_buffer(ctx_, 64);
  ASSERT_OK(launch(plan, {bind(x), bind(numbers), bind(nullptr, nearest)}));
  EXPECT_EQ(read<float>(x, 3), (std::vector<float>{1, 7, 1})) << "the border is one of integers";
  EXPECT_EQ(launch(plan, {bind(x), bind(numbers), bind(nullptr, linear)}), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("is a sampler that filters linearly, and the texture of argument 1"));
}

TEST_F(VulkanSourceTest, StoresToAnImageOfAnyFormat) {
  const Source source{
      "#version 450\nlayout(local_size_x = 4) in;\n"
      "layout(set = 0, binding = 0) uniform writeonly image1D picture;\n"
      "void main() { imageStore(picture, int(gl_GlobalInvocationID.x), vec4(0.5)); }\n",
      {VD_BINDING_STORAGE_IMAGE}};
  Plan plan;
  ASSERT_OK(source.make(ctx_, plan));
  const Image halves = image(VD_FORMAT_R16_F16, 1, {4, 1, 1}, VD_IMAGE_STORAGE);
  ASSERT_OK(launch(plan, {bind(halves)}, 4));
  std::vector<uint16_t> got(4);
  ASSERT_OK(vd_image_read(halves, nullptr, 8, 0, got.data()));
  EXPECT_EQ(got, std::vector<uint16_t>(4, 0x3800));
  const Image ints = image(VD_FORMAT_R32_I32, 1, {4, 1, 1}, VD_IMAGE_STORAGE);
  EXPECT_EQ(launch(plan, {bind(ints)}, 4), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("is of format r32_i32, and the kernel stores f32"));
}

TEST_F(VulkanSourceTest, TakesSpecialisationConstants) {
  Source source{
      "#version 450\nlayout(local_size_x_id = 4) in;\nlayout(set = 0, binding = 0) buffer X { float x[]; };\n"
      "layout(constant_id = 0) const float gain = 1.0;\nlayout(constant_id = 1) const bool turn = false;\n"
      "layout(constant_id = 2) const int add = 0;\nlayout(constant_id = 3) const uint count = 1;\n"
      "shared float part[count];\nvoid main() { uint i = gl_GlobalInvocationID.x;\n"
      "  part[gl_LocalInvocationIndex % count] = 0.0;\n"
      "  x[i] = (turn ? -gain : gain) + float(add) + float(gl_WorkGroupSize.x); }\n"};
  const Buffer x = make_buffer(ctx_, 64);
  const auto run = [&](std::vector<vd_spec_constant> constants) {
    source.constants = std::move(constants);
    Plan plan;
    EXPECT_OK(source.make(ctx_, plan));
    EXPECT_OK(launch(plan, {bind(x)}));
    return read<float>(x, 1)[0];
  };
  EXPECT_EQ(run({}), 2.0f);
  EXPECT_EQ(run({{0, 0, std::bit_cast<uint32_t>(2.5f)}, {2, 0, static_cast<uint64_t>(-3)}, {4, 0, 8}}), 7.5f);
  EXPECT_EQ(run({{1, 0, 1}, {0, 0, std::bit_cast<uint32_t>(0.5f)}}), 0.5f);
  EXPECT_EQ(run({}), 2.0f) << "the defaults, though other values were compiled before";
  const auto refuse = [&](std::vector<vd_spec_constant> constants, vd_status status) {
    source.constants = std::move(constants);
    return refused(source, status);
  };
  EXPECT_EQ(refuse({{9, 0, 1}}, VD_ERR_INVALID),
            "vd_plan_create: plan \"mine\" has no specialisation constant 9; it has 0 (gain), 1 (turn), 2 (add), 3 "
            "(count), 4.");
  EXPECT_THAT(refuse({{4, 0, 0}}, VD_ERR_COMPILE), HasSubstr("has a workgroup size of 0 x 1 x 1, without invocations"));
  EXPECT_THAT(refuse({{4, 0, 1u << 30}}, VD_ERR_UNSUPPORTED), HasSubstr("workgroup size of 1073741824 on axis x"));
  EXPECT_THAT(refuse({{3, 0, 0}}, VD_ERR_COMPILE), HasSubstr("must be at least 1: found 0"));
  EXPECT_THAT(refuse({{3, 0, 1u << 28}}, VD_ERR_UNSUPPORTED),
              HasSubstr("has 1073741824 bytes of shared memory; a workgroup has"));
  EXPECT_THAT(refuse({{0, 7, 0}}, VD_ERR_INVALID),
              HasSubstr("desc->source->spec_constants[0].reserved (7) is not zero"));
}

TEST_F(VulkanSourceTest, RefusesBindingsOfAnotherKind) {
  const std::string uniform = std::string(kHead) +
                              "layout(set = 0, binding = 1) uniform U { float u; };\n"
                              "void main() { x[0] = u; }\n";
  EXPECT_THAT(
      refused({uniform, {VD_BINDING_STORAGE_BUFFER, VD_BINDING_STORAGE_BUFFER}}, VD_ERR_INVALID),
      HasSubstr(
          "binding_kinds[1] (1) is a storage buffer, and the source of plan \"mine\" has a uniform block (3) there"));
  EXPECT_THAT(
      refused({kApart, {VD_BINDING_STORAGE_BUFFER, VD_BINDING_SAMPLED_IMAGE, VD_BINDING_SAMPLER, VD_BINDING_SAMPLER}},
              VD_ERR_INVALID),
      AllOf(HasSubstr("binding_kinds[1] (5) is an image with its sampler"),
            HasSubstr("an image without a sampler (7)")));
  EXPECT_THAT(refused({kApart, {VD_BINDING_STORAGE_BUFFER, VD_BINDING_TEXTURE, VD_BINDING_TEXTURE, VD_BINDING_SAMPLER}},
                      VD_ERR_INVALID),
              AllOf(HasSubstr("binding_kinds[2] (7)"), HasSubstr("a sampler without an image (8) there")));
  EXPECT_THAT(refused({std::string(kHead) + "layout(set = 0, binding = 1) uniform samplerCube c;\n"
                                            "void main() { x[0] = textureLod(c, vec3(1), 0).x; }\n",
                       {VD_BINDING_STORAGE_BUFFER, VD_BINDING_SAMPLED_IMAGE}},
                      VD_ERR_UNSUPPORTED),
              HasSubstr("is neither a buffer nor an image of one to three dimensions"));
  EXPECT_THAT(refused({std::string(kHead) + "layout(set = 0, binding = 1) uniform sampler2D many[2];\n"
                                            "void main() { x[0] = textureLod(many[1], vec2(1), 0).x; }\n",
                       {VD_BINDING_STORAGE_BUFFER, VD_BINDING_SAMPLED_IMAGE}},
                      VD_ERR_UNSUPPORTED),
              HasSubstr("is an array of descriptors"));
  EXPECT_THAT(refused({std::string(kHead) + "layout(set = 0, binding = 1, rgba16) uniform writeonly image2D p;\n"
                                            "void main() { imageStore(p, ivec2(0), vec4(x[0])); }\n",
                       {VD_BINDING_STORAGE_BUFFER, VD_BINDING_STORAGE_IMAGE}},
                      VD_ERR_UNSUPPORTED),
              HasSubstr("of a format that images of this library do not have"));
}

// ---- Other backends

TEST_F(SourceTest, OpenclReadsAUniformBlock) {
  open(VD_BACKEND_OPENCL);
  if (IsSkipped()) return;
  Source source{"__kernel void vkdispatch_main(__global float *x, __constant float *u) { x[get_global_id(0)] = u[1]; }",
                {VD_BINDING_STORAGE_BUFFER, VD_BINDING_UNIFORM_BUFFER}};
  source.language = VD_LANGUAGE_OPENCL;
  Plan plan;
  ASSERT_OK(source.make(ctx_, plan));
  const Buffer x = make_buffer(ctx_, 64), values = make_buffer(ctx_, std::vector<float>{1, 2.5f});
  ASSERT_OK(launch(plan, {bind(x), bind(values)}));
  EXPECT_EQ(read<float>(x, 16), std::vector<float>(16, 2.5f));
  source.kinds[1] = VD_BINDING_SAMPLED_IMAGE;
  EXPECT_THAT(refused(source, VD_ERR_UNSUPPORTED),
              AllOf(HasSubstr("desc->source->binding_kinds[1] (5) is an image, and images of device"),
                    HasSubstr("lie in buffers")));
  source.kinds[1] = VD_BINDING_SAMPLER;
  EXPECT_THAT(refused(source, VD_ERR_UNSUPPORTED), HasSubstr("desc->source->binding_kinds[1] (8) is a sampler"));
  source.kinds[1] = VD_BINDING_UNIFORM_BUFFER;
  source.constants = {{0, 0, 1}};
  EXPECT_THAT(
      refused(source, VD_ERR_UNSUPPORTED),
      HasSubstr("is given 1 specialisation constants, which OpenCL C does not have; write their values into its text"));
}

// ---- Modules of SPIR-V

const Words kEverything{
#include "support/spirv/everything.inc"
};

TEST(SpirvTest, IsLookedIntoWithoutADevice) {
  Own<vd_spirv> module;
  ASSERT_OK(vd_spirv_create(kEverything.data(), kEverything.size() * 4, nullptr, module.out()));
  vd_spirv_info info = VD_SPIRV_INFO_INIT;
  ASSERT_OK(vd_spirv_get_info(module, &info));
  EXPECT_STREQ(info.entry, "main");
  EXPECT_EQ(info.version, 0x10300u);
  EXPECT_EQ(info.shared_size, 64u);
  EXPECT_EQ(info.workgroup_size[1], 2u);
  EXPECT_EQ(info.workgroup_size_ids[0], 10u);
  EXPECT_EQ(info.workgroup_size_ids[1], VD_NO_SPEC_CONSTANT);
  EXPECT_EQ(info.push_constant_size, 16u);
  EXPECT_EQ(info.uses_subgroups, 1u);
  EXPECT_EQ(info.entry_count, 1u);
  EXPECT_STREQ(vd_spirv_get_entry(module, 0), "main");
  EXPECT_EQ(vd_spirv_get_entry(module, 1), nullptr);
  ASSERT_EQ(info.binding_count, 7u);
  vd_spirv_binding_info binding = VD_SPIRV_BINDING_INFO_INIT;
  ASSERT_OK(vd_spirv_get_binding(module, 4, &binding));
  EXPECT_EQ(binding.kind, VD_BINDING_STORAGE_IMAGE);
  EXPECT_STREQ(binding.name, "picture");
  EXPECT_EQ(binding.image_dimensions, 2u);
  EXPECT_EQ(binding.image_layers, 1u);
  EXPECT_EQ(binding.image_format, VD_FORMAT_RGBA8_UNORM);
  EXPECT_EQ(binding.access, vd_argument_access{VD_ARGUMENT_ACCESS_WRITE});
  EXPECT_EQ(binding.type, vd_type{VD_TYPE_F32});
  ASSERT_OK(vd_spirv_get_binding(module, 2, &binding));
  EXPECT_EQ(binding.kind, VD_BINDING_UNIFORM_BUFFER);
  EXPECT_EQ(binding.size, 20u);
  ASSERT_EQ(info.push_constant_count, 3u);
  vd_push_constant_info member = VD_PUSH_CONSTANT_INFO_INIT;
  ASSERT_OK(vd_spirv_get_push_constant(module, 1, &member));
  EXPECT_STREQ(member.name, "scale");
  EXPECT_EQ(member.offset, 8u);
  EXPECT_EQ(member.type, vd_type{VD_TYPE_F32X2});
  EXPECT_EQ(member.matrix_stride, 0u);
  EXPECT_EQ(member.row_major, 0u);
  ASSERT_EQ(info.spec_constant_count, 5u);
  vd_spec_constant_info constant = VD_SPEC_CONSTANT_INFO_INIT;
  ASSERT_OK(vd_spirv_get_spec_constant(module, 0, &constant));
  EXPECT_STREQ(constant.name, "steps");
  EXPECT_EQ(constant.bits, 0xfffffffdu);
  EXPECT_EQ(constant.type, vd_type{VD_TYPE_I32});
  uint32_t capabilities[8] = {}, count = 0;
  EXPECT_EQ(vd_spirv_get_capabilities(module, 1, capabilities, &count), VD_INCOMPLETE);
  EXPECT_EQ(capabilities[0], 1u) << "Shader";
  ASSERT_OK(vd_spirv_get_capabilities(module, 8, capabilities, &count));
  EXPECT_EQ(count, info.capability_count);
  EXPECT_EQ(capabilities[1], 61u) << "GroupNonUniform";
  EXPECT_EQ(capabilities[2], 0u);

  EXPECT_FAILS(vd_spirv_get_binding(module, 7, &binding), VD_ERR_INVALID,
               "vd_spirv_get_binding: index (7) is not below the bindings (7).");
  EXPECT_FAILS(vd_spirv_create(kEverything.data(), kEverything.size() * 4, "other", module.out()), VD_ERR_INVALID,
               "vd_spirv_create: entry (\"other\") is not a compute entry point of the module, which has \"main\".");
}

TEST(SpirvTest, RefusesWhatIsNotAModule) {
  Own<vd_spirv> module;
  EXPECT_FAILS(vd_spirv_create(kEverything.data(), 6, nullptr, module.out()), VD_ERR_INVALID,
               "vd_spirv_create: size (6) is not a multiple of 4.");
  EXPECT_FAILS(vd_spirv_create("nonsense", 8, nullptr, module.out()), VD_ERR_COMPILE,
               "vd_spirv_create: words (8 bytes) is not a SPIR-V module.");
  EXPECT_FAILS(vd_spirv_create(kEverything.data(), 20, nullptr, module.out()), VD_ERR_INVALID,
               "vd_spirv_create: the module has no compute entry point.");
  EXPECT_EQ(vd_spirv_create(kEverything.data(), kEverything.size() * 4 - 12, nullptr, module.out()), VD_ERR_COMPILE);
  EXPECT_EQ(static_cast<vd_spirv*>(module), nullptr);
}

// ---- Queue families and device extensions

TEST(ContextWishes, ChoosesFamiliesOfQueues) {
  vd_vulkan_device_info own = VD_VULKAN_DEVICE_INFO_INIT;
  if (vd_device_get_vulkan_info(0, &own) != VD_OK) GTEST_SKIP() << vd_last_error();
  uint32_t family = own.queue_family_count;
  for (uint32_t i = own.queue_family_count; i-- > 0;)
    if ((own.queue_flags[i] & 2) != 0) family = i;
  ASSERT_LT(family, own.queue_family_count);
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_VULKAN;
  desc.device_count = 1;
  desc.queue_families = &family;
  desc.queue_family_count = 1;
  Context ctx;
  ASSERT_OK(vd_context_create(&desc, ctx.out()));
  vd_queue_info queue = VD_QUEUE_INFO_INIT;
  ASSERT_OK(vd_context_get_queue(ctx, 0, &queue));
  EXPECT_EQ(queue.family, family);
  EXPECT_EQ(vd_context_get_queue(ctx, 1, &queue), VD_ERR_INVALID);

  const uint32_t beyond = own.queue_family_count;
  desc.queue_families = &beyond;
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("desc->queue_families[0] (" + std::to_string(beyond) +
                                         ") is not below the queue families (" + std::to_string(beyond) + ")"));
  const Words many(own.queue_counts[family] + 1, family);
  desc.queue_families = many.data();
  desc.queue_family_count = static_cast<uint32_t>(many.size());
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("fewer than asked for"));
  const uint32_t two = 2;
  desc.queue_counts = &two;
  desc.queue_family_count = 1;
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(),
              HasSubstr("desc->queue_family_count (1) is not the number of queues that the context has (2)"));
}

TEST(ContextWishes, OtherBackendsHaveOneFamily) {
  const uint32_t families[] = {0, 0};
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_HOST;
  desc.device_count = 1;
  desc.queue_families = families;
  desc.queue_family_count = 2;
  Context ctx;
  ASSERT_OK(vd_context_create(&desc, ctx.out()));
  vd_context_info info = VD_CONTEXT_INFO_INIT;
  ASSERT_OK(vd_context_get_info(ctx, &info));
  EXPECT_EQ(info.queue_count, 2u);
  vd_queue_info queue = VD_QUEUE_INFO_INIT;
  ASSERT_OK(vd_context_get_queue(ctx, 1, &queue));
  EXPECT_EQ(queue.index, 1u);
  EXPECT_EQ(queue.family, 0u);
  const uint32_t one = 1;
  desc.queue_families = &one;
  desc.queue_family_count = 1;
  EXPECT_FAILS(
      vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
      "vd_context_create: the host backend: desc->queue_families[0] (1) is not 0, the only queue family of the host "
      "backend.");
  desc.device_count = 0;
  EXPECT_FAILS(vd_context_create(&desc, ctx.out()), VD_ERR_INVALID,
               "vd_context_create: desc->device_count (0) is zero, and desc->queue_families is given.");
  desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_HOST;
  desc.required_extensions = "VK_KHR_nothing";
  EXPECT_FAILS(
      vd_context_create(&desc, ctx.out()), VD_ERR_UNSUPPORTED,
      "vd_context_create: the host backend: desc->required_extensions names VK_KHR_nothing, and only Vulkan has device "
      "extensions.");
}

TEST(ContextWishes, EnablesExtensions) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_VULKAN;
  desc.wished_extensions = "VK_KHR_no_such  VK_KHR_maintenance1\tVK_KHR_maintenance2";
  Context ctx;
  if (vd_context_create(&desc, ctx.out()) != VD_OK) GTEST_SKIP() << vd_last_error();
  vd_bool enabled = 7;
  ASSERT_OK(vd_context_has_extension(ctx, 0, "VK_KHR_maintenance1", &enabled));
  EXPECT_EQ(enabled, 1u);
  ASSERT_OK(vd_context_has_extension(ctx, 0, "VK_KHR_maintenance2", &enabled));
  EXPECT_EQ(enabled, 1u);
  ASSERT_OK(vd_context_has_extension(ctx, 0, "VK_KHR_no_such", &enabled));
  EXPECT_EQ(enabled, 0u);
  desc.wished_extensions = nullptr;
  desc.required_extensions = "VK_KHR_maintenance1 VK_KHR_no_such";
  EXPECT_EQ(vd_context_create(&desc, ctx.out()), VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), HasSubstr("lacks extension VK_KHR_no_such, which desc->required_extensions names."));
}

}  // namespace
}  // namespace api
