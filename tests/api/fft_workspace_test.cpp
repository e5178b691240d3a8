// The workspace of transforms of several passes: known before, shared by the plans of a queue, or the caller's.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "api/fft_support.h"
#include "support/argument.h"

namespace api {
namespace {

using testing::HasSubstr;

constexpr uint64_t kLine = 1024;

class FftWorkspaceTest : public FftTest {
 protected:
  uint64_t memory() {
    EXPECT_TRUE(ok(vd_context_wait_idle(context_, VD_QUEUE_ALL, VD_WAIT_FOREVER)));
    vd_context_info info = VD_CONTEXT_INFO_INIT;
    EXPECT_TRUE(ok(vd_context_get_info(context_, &info)));
    return info.memory_in_use;
  }
  // A number of explain()'s.
  static uint64_t told(const Plan& plan, const std::string& before) {
    const std::string all = text_of(plan);
    const size_t at = all.find(before);
    EXPECT_NE(at, std::string::npos) << all;
    return at == std::string::npos ? 0 : std::strtoull(all.c_str() + at + before.size(), nullptr, 10);
  }
  uint64_t size_of(const vd_fft_desc& desc) {
    uint64_t size = 0;
    EXPECT_TRUE(ok(vd_context_get_fft_workspace_size(context_, &desc, &size)));
    return size;
  }
  static vd_status launch(const Plan& plan, std::vector<vd_binding> bindings) {
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.bindings = bindings.data();
    desc.binding_count = static_cast<uint32_t>(bindings.size());
    return vd_plan_launch(plan, &desc, nullptr);
  }
  static vd_binding whole(const Buffer& buffer) { return VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE); }
  Buffer space(uint64_t size) {
    vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
    desc.size = size;
    Buffer made;
    EXPECT_TRUE(ok(vd_buffer_create(context_, &desc, made.out())));
    return made;
  }
  // The transforms of `count` lines.
  static Numbers wanted(const Numbers& data) {
    Numbers all;
    for (size_t at = 0; at < data.size(); at += kLine) {
      const auto begin = data.begin() + static_cast<std::ptrdiff_t>(at);
      const Numbers line = dft(Numbers(begin, begin + kLine), -1);
      all.insert(all.end(), line.begin(), line.end());
    }
    return all;
  }

  const Tuned several_passes_{"shared=512"};
};

TEST_F(FftWorkspaceTest, ItsSizeIsKnownBeforeThePlan) {
  for (const uint64_t count : {1u, 5u}) {
    const vd_fft_desc desc = rows(count, kLine);
    Plan plan;
    ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    EXPECT_EQ(size_of(desc), told(plan, "workspace: "));
    EXPECT_EQ(size_of(desc), count * kLine * 8);
  }
  EXPECT_EQ(size_of(rows(4, 16)), 0u);
  vd_fft_desc mapped = rows(2, kLine);
  mapped.flags = VD_FFT_MAP_OUTPUT | VD_FFT_OUT_OF_PLACE;
  EXPECT_EQ(size_of(mapped), 2 * kLine * 8);
  uint64_t size = 1;
  vd_fft_desc wrong = rows(2, 8);
  wrong.axes[0] = 7;
  wrong.axis_count = 1;
  EXPECT_EQ(vd_context_get_fft_workspace_size(context_, &wrong, &size), VD_ERR_INVALID);
  EXPECT_EQ(size, 0u);
  EXPECT_THAT(vd_last_error(), HasSubstr("vd_context_get_fft_workspace_size: desc->axes[0] (7)"));
}

// The spectrum of a convolution of planes in several passes is kept there; in one pass nothing is.
TEST_F(FftWorkspaceTest, OfPlanesIsWhatTheirPassesTake) {
  vd_fft_desc desc = rows(16, 32);
  desc.axis_count = 2;
  desc.axes[0] = 1;
  desc.axes[1] = 0;
  desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
  for (const bool joined : {false, true}) {
    const Tuned way(joined ? "strategy=plane" : "strategy=one_pass");
    Plan plan;
    ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    EXPECT_EQ(size_of(desc), told(plan, "workspace: ")) << joined;
    EXPECT_EQ(size_of(desc), joined ? 0u : 16 * 32 * 8u);
  }
}

TEST_F(FftWorkspaceTest, TenPlansOfAQueueHoldOne) {
  const uint64_t before = memory();
  Plan plans[10];
  uint64_t constants = 0;
  for (uint64_t i = 0; i < std::size(plans); ++i) {
    const vd_fft_desc desc = rows(i + 1, kLine);
    ASSERT_OK(vd_plan_create_fft(context_, &desc, plans[i].out()));
    constants += told(plans[i], "constants: ");
  }
  EXPECT_EQ(memory(), before + constants + 10 * kLine * 8);
  // All at once, each with an array of its own.
  std::vector<Buffer> arrays;
  for (uint64_t i = 0; i < std::size(plans); ++i) {
    Numbers data = numbers((i + 1) * kLine);
    data[0] = static_cast<float>(i);
    arrays.push_back(buffer(data));
  }
  for (uint64_t i = 0; i < std::size(plans); ++i) ASSERT_OK(launch(plans[i], {whole(arrays[i])}));
  for (uint64_t i = 0; i < std::size(plans); ++i) {
    Numbers data = numbers((i + 1) * kLine);
    data[0] = static_cast<float>(i);
    expect_near(read(arrays[i], data.size()), wanted(data));
  }
  // The longest goes with the plan that needs it, and the others with the last.
  arrays.clear();
  plans[9] = {};
  Buffer line = buffer(numbers(kLine));
  ASSERT_OK(launch(plans[0], {whole(line)}));
  expect_near(read(line, kLine), wanted(numbers(kLine)));
  line = {};
  constants = 0;
  for (uint64_t i = 0; i < 9; ++i) constants += told(plans[i], "constants: ");
  EXPECT_EQ(memory(), before + constants + 9 * kLine * 8);
  for (Plan& plan : plans) plan = {};
  EXPECT_EQ(memory(), before);
}

// A graph may run on any queue, and beside others.
TEST_F(FftWorkspaceTest, PlansInGraphsHaveTheirOwn) {
  const vd_fft_desc desc = rows(3, kLine);
  Plan plan;
  ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
  const Buffer data = buffer(numbers(3 * kLine));
  const uint64_t before = memory();
  Graph graph;
  vd_graph_desc wish = VD_GRAPH_DESC_INIT;
  ASSERT_OK(vd_graph_create(context_, &wish, graph.out()));
  const vd_binding binding = whole(data);
  vd_launch_desc recorded = VD_LAUNCH_DESC_INIT;
  recorded.bindings = &binding;
  recorded.binding_count = 1;
  ASSERT_OK(vd_graph_launch(graph, plan, &recorded, nullptr));
  EXPECT_EQ(memory(), before + 3 * kLine * 8);
}

TEST_F(FftWorkspaceTest, TheCallers) {
  vd_fft_desc desc = rows(2, kLine);
  desc.flags = VD_FFT_WORKSPACE;
  const uint64_t size = size_of(desc), before = memory();
  Plan plan;
  ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
  EXPECT_EQ(memory(), before + told(plan, "constants: "));
  vd_plan_info info = VD_PLAN_INFO_INIT;
  ASSERT_OK(vd_plan_get_info(plan, &info));
  EXPECT_EQ(info.binding_count, 2u);
  const Buffer data = buffer(numbers(2 * kLine)), other = buffer(numbers(2 * kLine)), workspace = space(size);
  // Two transforms that share it run one after the other.
  ASSERT_OK(launch(plan, {whole(data), whole(workspace)}));
  ASSERT_OK(launch(plan, {whole(other), whole(workspace)}));
  expect_near(read(data, 2 * kLine), wanted(numbers(2 * kLine)));
  expect_near(read(other, 2 * kLine), wanted(numbers(2 * kLine)));

  const Buffer small = space(size - 4);
  EXPECT_EQ(launch(plan, {whole(data), whole(small)}), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("argument 1 (\"workspace\")"));
  EXPECT_THAT(vd_last_error(), HasSubstr(std::to_string(size)));
  EXPECT_EQ(launch(plan, {whole(data), whole(data)}), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), HasSubstr("arguments 1 (\"workspace\") and 0"));
  EXPECT_EQ(launch(plan, {whole(data)}), VD_ERR_INVALID);
  // One that needs none takes any.
  desc = rows(2, 16);
  desc.flags = VD_FFT_WORKSPACE;
  Plan one;
  ASSERT_OK(vd_plan_create_fft(context_, &desc, one.out()));
  const Buffer lines = buffer(numbers(32));
  ASSERT_OK(launch(one, {whole(lines), whole(small)}));
}

}  // namespace
}  // namespace api
