// Kernels of the intermediate code, from print to run: values as push constants and as uniform blocks, and what a
// device cannot do.
#include "ir/text.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

// data[i] = data[i] * a + b for i below the launch's size.
constexpr const char* kAffine = R"(kernel "affine"
argument 0 buffer u32 "data"
argument 1 constant u32 "a"
argument 2 constant u32 "b"
{
  %0: u32 = index global_id, u32 0
  %1: storage u32 = index @0, %0
  %2: u32 = load %1
  %3: u32 = load @1
  %4: u32 = load @2
  %5: u32 = mul %2, %3
  %6: u32 = add %5, %4
  store %1, %6
}
)";

struct Variant {
  const char* name;
  uint32_t max_push_constants;
  bool push_descriptors;
};

class VulkanKernel : public VulkanTest, public testing::WithParamInterface<Variant> {
 protected:
  Overrides overrides() const override {
    Overrides wishes;
    wishes.max_push_constants = GetParam().max_push_constants;
    wishes.push_descriptors = GetParam().push_descriptors;
    return wishes;
  }
  std::shared_ptr<backends::Module> compile(const ir::Kernel& kernel, uint32_t local = 64) {
    backends::ModuleDesc desc;
    desc.kernel = &kernel;
    desc.workgroup_size = {local, 1, 1};
    return device().make_module(desc);
  }
};

TEST_P(VulkanKernel, TakesItsValues) {
  const ir::Kernel kernel = ir::parse_text(kAffine);
  const auto module = compile(kernel);
  ASSERT_EQ(kernel.values.user_size, 8u);
  ASSERT_EQ(kernel.values.exec_size_offset, 8u);
  ASSERT_EQ(kernel.values.total_size, 20u);
  const auto buffer = words(std::vector<uint32_t>(1000, 1));
  uint32_t expected = 1;
  for (uint32_t i = 0; i < 300; ++i) {
    ListBuilder work;
    work.dispatch(*module, 16, {whole(*buffer)}, {i + 2, i, 999, 1, 1});
    queue().submit(work.list);
    expected = expected * (i + 2) + i;
  }
  const auto got = read_words(*buffer);
  EXPECT_EQ(got[0], expected);
  EXPECT_EQ(got[998], expected);
  EXPECT_EQ(got[999], 1u) << "past the launch's size";
}

TEST_P(VulkanKernel, TakesItsValuesInAGraph) {
  const ir::Kernel kernel = ir::parse_text(kAffine);
  const auto module = compile(kernel);
  const auto buffer = words({1, 1});
  ListBuilder work;
  for (uint32_t level = 0; level < 100; ++level)
    work.level(level).dispatch(*module, 1, {whole(*buffer)}, {level + 1, level, 2, 1, 1});
  const auto graph = device().make_executable(work.list);
  queue().submit(*graph, 3);
  uint32_t expected = 1;
  for (uint32_t i = 0; i < 300; ++i) expected = expected * (i % 100 + 1) + i % 100;
  EXPECT_EQ(read_words(*buffer)[1], expected);
}

TEST_P(VulkanKernel, SaysWhatTheDeviceCannotDo) {
  const auto refused = [&](ir::Kernel kernel, uint32_t local, const std::vector<std::string>& parts) {
    try {
      compile(kernel, local);
      ADD_FAILURE() << "accepted; expected " << parts[0];
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), VD_ERR_UNSUPPORTED) << error.what();
      for (const auto& part : parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << " lacks " << part;
    }
  };
  const ir::Kernel kernel = ir::parse_text(kAffine);
  const auto& info = device().info();
  refused(kernel, info.max_workgroup_size[0] + 1,
          {std::to_string(info.max_workgroup_size[0] + 1), std::to_string(info.max_workgroup_size[0])});
  ir::Kernel shared = kernel;
  shared.shared_size = info.max_shared_memory_size + 4;
  refused(shared, 64, {std::to_string(shared.shared_size), std::to_string(info.max_shared_memory_size)});
  ir::Kernel clusters = kernel;
  clusters.requirements |= VD_FEATURE_CLUSTERS;
  refused(clusters, 64, {"clusters", info.name});
}

INSTANTIATE_TEST_SUITE_P(All, VulkanKernel,
                         testing::Values(Variant{"PushConstants", UINT32_MAX, true}, Variant{"UniformBlock", 4, true},
                                         Variant{"UniformBlockInSet", 4, false}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vd::vulkan
