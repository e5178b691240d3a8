// Samples that find the level of detail of their sampler, which another kernel than that of level 0 does: launches with
// counts, unaligned buffers, transforms with a workspace, and texels that are not numbers beside others.
#include <array>
#include <limits>
#include <vector>

#include "api/shared_context.h"
#include "api/support.h"
#include "api/validation_log.h"
#include "vkdispatch_build.h"

namespace api {

namespace {

class ImageLevelsTest : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    ctx_ = api::shared_context(GetParam(), GetParam() == VD_BACKEND_VULKAN ? VD_CONTEXT_DEBUG : 0);
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
  }
  void TearDown() override { EXPECT_EQ(validation_.text(), ""); }

  // Lines of f32 in two levels.
  Image make_line(const std::vector<float>& base, const std::vector<float>& above) {
    vd_image_desc desc = VD_IMAGE_DESC_INIT;
    desc.format = VD_FORMAT_R32_F32;
    desc.dimensions = 1;
    desc.extent[0] = static_cast<uint32_t>(base.size());
    desc.mip_levels = 2;
    Image image;
    EXPECT_OK(vd_image_create(ctx_, &desc, image.out()));
    vd_image_region region = VD_IMAGE_REGION_INIT;
    EXPECT_OK(vd_image_write(image, &region, base.data(), base.size() * 4, 0));
    region.level = 1;
    EXPECT_OK(vd_image_write(image, &region, above.data(), above.size() * 4, 0));
    return image;
  }
  Sampler make_sampler(float min_lod) {
    vd_sampler_desc desc = VD_SAMPLER_DESC_INIT;
    desc.min_lod = min_lod;
    desc.address_mode = VD_ADDRESS_CLAMP_TO_EDGE;
    Sampler sampler;
    EXPECT_OK(vd_sampler_create(ctx_, &desc, sampler.out()));
    return sampler;
  }
  // out[i] = sample(line, 0)
  Plan make_plan_of_samples() {
    Builder b;
    EXPECT_OK(vd_builder_create(nullptr, b.out()));
    const vd_value out = vd_argument_buffer(b, VD_TYPE_F32, "out"), line = vd_argument_image(b, VD_TYPE_F32, 1, "line");
    const vd_value texel = vd_image_sample(b, line, vd_const_f32(b, 0), 0);
    vd_store_at(b, out, vd_global_id(b, 0), vd_component(b, texel, 0));
    Kernel kernel;
    EXPECT_OK(vd_builder_finish(b, kernel.out()));
    return make_plan(ctx_, kernel);
  }
  static std::array<vd_binding, 2> bind(vd_buffer* out, uint64_t offset, vd_image* image, vd_sampler* sampler) {
    std::array<vd_binding, 2> bindings{};
    bindings[0] = VD_BINDING_OF(out, offset, VD_WHOLE_SIZE);
    bindings[1].image = image;
    bindings[1].sampler = sampler;
    return bindings;
  }

  ValidationLog validation_;
  Context ctx_;
};

TEST_P(ImageLevelsTest, CountsHold) {
  const Image line = make_line({1, 1, 1, 1}, {2, 2});
  const Plan plan = make_plan_of_samples();
  vd_plan_info info = VD_PLAN_INFO_INIT;
  ASSERT_OK(vd_plan_get_info(plan, &info));
  const uint32_t local = info.workgroup_size[0], all = 4 * local;
  const Buffer out = make_buffer(ctx_, all * 4), counts = make_buffer(ctx_, std::vector<uint32_t>{1, 1, 1});
  const Sampler samplers[] = {make_sampler(1), make_sampler(0)};
  const auto expect = [&](float value, const char* what) {
    const auto found = read<float>(out, all);
    EXPECT_EQ(found[0], value) << what;
    EXPECT_EQ(found[local - 1], value) << what;
    EXPECT_EQ(found[local], 0) << what << ": a workgroup past the counts";
    ASSERT_OK(vd_buffer_fill(out, 0, all * 4, 0, 0, nullptr, nullptr));
  };
  ASSERT_OK(vd_buffer_fill(out, 0, all * 4, 0, 0, nullptr, nullptr));
  const auto bindings = bind(out, 0, line, samplers[0]), others = bind(out, 0, line, samplers[1]);
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.workgroups[0] = 4;
  desc.bindings = bindings.data();
  desc.binding_count = 2;
  desc.counts = counts;
  ASSERT_OK(vd_plan_launch(plan, &desc, nullptr));
  expect(2, "launch");
  Graph graph;
  vd_node node = 0;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  ASSERT_OK(vd_graph_launch(graph, plan, &desc, &node));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  expect(2, "graph");
  ASSERT_OK(vd_graph_set_bindings(graph, node, 0, others.data(), 2));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  expect(1, "graph with the other sampler");
  ASSERT_OK(vd_graph_set_bindings(graph, node, 0, bindings.data(), 2));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  expect(2, "graph with the first sampler again");
}

// Code for buffers that begin there is compiled when a plan is first asked for it.
TEST_P(ImageLevelsTest, BuffersBeginAtAnyElement) {
  const Image line = make_line({1, 1, 1, 1}, {2, 2});
  const Plan plan = make_plan_of_samples();
  for (const float min_lod : {1.0f, 0.0f}) {
    const Buffer out = make_buffer(ctx_, std::vector<float>(9, 0));
    const Sampler sampler = make_sampler(min_lod);
    const auto bindings = bind(out, 4, line, sampler);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = 7;
    desc.bindings = bindings.data();
    desc.binding_count = 2;
    ASSERT_OK(vd_plan_launch(plan, &desc, nullptr));
    const float value = min_lod + 1;
    EXPECT_EQ(read<float>(out, 9), (std::vector<float>{0, value, value, value, value, value, value, value, 0}));
  }
}

// A filter of the unit's gives weights to neighbours that should have none.
TEST_P(ImageLevelsTest, NearestTexelsLeaveTheirNeighboursOut) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> base = {1, kInf, 3, 1e30f, 5, 6, 7, 8};
  const Image line = make_line(base, {2, 2, 2, 2});
  Builder b;
  ASSERT_OK(vd_builder_create(nullptr, b.out()));
  const vd_value out = vd_argument_buffer(b, VD_TYPE_F32, "out"), image = vd_argument_image(b, VD_TYPE_F32, 1, "line");
  const vd_value levels = vd_argument_buffer(b, VD_TYPE_F32, "levels"), i = vd_global_id(b, 0);
  const vd_value texel = vd_image_sample(b, image, vd_convert(b, VD_TYPE_F32, i), vd_at(b, levels, i));
  vd_store_at(b, out, i, vd_component(b, texel, 0));
  Kernel kernel;
  ASSERT_OK(vd_builder_finish(b, kernel.out()));
  const Plan plan = make_plan(ctx_, kernel);
  const Buffer result = make_buffer(ctx_, base.size() * 4);
  for (const bool magnifies : {false, true}) {
    vd_sampler_desc how = VD_SAMPLER_DESC_INIT;
    how.mag_filter = magnifies ? VD_FILTER_NEAREST : VD_FILTER_LINEAR;
    how.min_filter = magnifies ? VD_FILTER_LINEAR : VD_FILTER_NEAREST;
    Sampler sampler;
    ASSERT_OK(vd_sampler_create(ctx_, &how, sampler.out()));
    // The last two are filtered by the other filter, at the same time.
    const float near = magnifies ? 0.0f : 0.25f, far = magnifies ? 0.25f : 0.0f;
    const Buffer level = make_buffer(ctx_, std::vector<float>{near, near, near, near, near, near, far, far});
    auto two = bind(result, 0, line, sampler);
    const vd_binding bindings[] = {two[0], two[1], VD_BINDING_OF(level, 0, VD_WHOLE_SIZE)};
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = static_cast<uint32_t>(base.size());
    desc.bindings = bindings;
    desc.binding_count = 3;
    ASSERT_OK(vd_plan_launch(plan, &desc, nullptr));
    const auto found = read<float>(result, base.size());
    for (size_t k = 0; k < 6; ++k) EXPECT_EQ(found[k], base[k]) << "texel " << k << ", magnifies " << magnifies;
    for (size_t k = 6; k < 8; ++k) EXPECT_NEAR(found[k], base[k], 8.0 / 256) << "texel " << k;
  }
}

TEST_P(ImageLevelsTest, TransformsWithAWorkspaceSampleInTheirMaps) {
  constexpr uint32_t kRows = 4, kLength = 60;
  const Image line = make_line(std::vector<float>(kRows * kLength, 1), std::vector<float>(kRows * kLength / 2, 2));
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.flags = VD_FFT_OUT_OF_PLACE | VD_FFT_MAP_INPUT | VD_FFT_WORKSPACE;
  desc.rank = desc.axis_count = 2;
  desc.shape[0] = kRows;
  desc.shape[1] = kLength;
  desc.axes[1] = 1;
  vd_fft_gen* gen = nullptr;
  ASSERT_OK(vd_fft_gen_create(ctx_, &desc, &gen));
  vd_value photo = 0;
  for (;;) {
    vd_fft_element element = VD_FFT_ELEMENT_INIT;
    Builder b;
    ASSERT_OK(vd_fft_gen_next(gen, &element, b.out()));
    if (element.point == VD_FFT_POINT_DONE) break;
    if (element.point == VD_FFT_POINT_ARGUMENTS) photo = vd_argument_image(b, VD_TYPE_F32, 1, "photo");
    if (element.point != VD_FFT_POINT_READ) continue;
    const vd_value texel = vd_image_sample(b, photo, vd_convert(b, VD_TYPE_F32, element.index), 0);
    const vd_value parts[] = {vd_component(b, texel, 0), vd_const_f32(b, 0)};
    vd_store(b, element.value, vd_construct(b, VD_TYPE_COMPLEX_F32, parts, 2));
  }
  Plan plan;
  ASSERT_OK(vd_fft_gen_finish(gen, plan.out()));
  vd_fft_gen_release(gen);
  const Buffer out = make_buffer(ctx_, kRows * kLength * 8), work = make_buffer(ctx_, 1 << 20);
  for (const float min_lod : {0.0f, 1.0f}) {
    const Sampler sampler = make_sampler(min_lod);
    const auto two = bind(out, 0, line, sampler);
    const vd_binding bindings[] = {two[0], two[1], VD_BINDING_OF(work, 0, VD_WHOLE_SIZE)};
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = 3;
    ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
    EXPECT_FLOAT_EQ(read<float>(out, 2)[0], kRows * kLength * (min_lod + 1));
    Graph graph;
    ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
    ASSERT_OK(vd_graph_launch(graph, plan, &launch, nullptr));
    ASSERT_OK(vd_buffer_fill(out, 0, kRows * kLength * 8, 0, 0, nullptr, nullptr));
    ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
    EXPECT_FLOAT_EQ(read<float>(out, 2)[0], kRows * kLength * (min_lod + 1));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ImageLevelsTest, each_backend(), backend_name);

}  // namespace
}  // namespace api
