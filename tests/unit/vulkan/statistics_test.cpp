// Statistics of compiled code: by each driver's names for them, from a second pipeline, and when asked alone.
#include "backends/vulkan/statistics.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "api/fft_support.h"
#include "support/failing_vulkan/controls.h"
#include "support/samples.h"
#include "support/scratch_folder.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

using testing::HasSubstr;
using testing::Not;

VkPipelineExecutableStatisticKHR statistic(
    const std::string& name, uint64_t value,
    VkPipelineExecutableStatisticFormatKHR format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR) {
  VkPipelineExecutableStatisticKHR one{};
  std::snprintf(one.name, sizeof(one.name), "%s", name.c_str());
  one.format = format;
  one.value.u64 = value;
  return one;
}

using List = std::vector<VkPipelineExecutableStatisticKHR>;

// A driver whose pipeline has these executables.
struct Driver {
  std::vector<List> executables;
  VkResult listed = VK_SUCCESS, told = VK_SUCCESS;  // results of the calls
  uint32_t fewer = 0;                               // statistics that it gives less than it has said
};
Driver driver;

VKAPI_ATTR VkResult VKAPI_CALL list_executables(VkDevice, const VkPipelineInfoKHR*, uint32_t* count,
                                                VkPipelineExecutablePropertiesKHR* out) {
  if (out == nullptr) *count = static_cast<uint32_t>(driver.executables.size());
  return driver.listed;
}

VKAPI_ATTR VkResult VKAPI_CALL list_statistics(VkDevice, const VkPipelineExecutableInfoKHR* info, uint32_t* count,
                                               VkPipelineExecutableStatisticKHR* out) {
  const List& all = driver.executables.at(info->executableIndex);
  if (out == nullptr) {
    *count = static_cast<uint32_t>(all.size());
    return driver.told < 0 ? driver.told : VK_SUCCESS;
  }
  EXPECT_EQ(out->sType, VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR);
  *count -= driver.fewer;
  std::copy_n(all.begin(), *count, out);
  return driver.told;
}

backends::Statistics read(Driver made) {
  driver = std::move(made);
  VolkDeviceTable vk{};
  vk.vkGetPipelineExecutablePropertiesKHR = list_executables;
  vk.vkGetPipelineExecutableStatisticsKHR = list_statistics;
  return read_statistics(vk, VK_NULL_HANDLE, VK_NULL_HANDLE);
}

backends::Statistics read(const List& statistics) { return read(Driver{{statistics}}); }

TEST(VulkanStatistics, AreReadByEachDriversNames) {
  const auto nvidia = read({statistic("Binary Size", 9000), statistic("Register Count", 56),
                            statistic("Local Memory Size", 16), statistic("Shared Memory Size", 8192)});
  EXPECT_EQ(nvidia.registers, 56u);
  EXPECT_EQ(nvidia.spilled, 16u);
  const auto nvk = read({statistic("Code Size", 900), statistic("Number of GPRs", 40), statistic("SLM Size", 0)});
  EXPECT_EQ(nvk.registers, 40u);
  EXPECT_EQ(nvk.spilled, 0u);
  // Mesa changed the case of letters from one version to another. A register has four bytes.
  const auto radv = read(
      {statistic("SGPRs", 128), statistic("vgprs", 64), statistic("Spilled SGPRs", 7), statistic("Spilled VGPRs", 3)});
  EXPECT_EQ(radv.registers, 64u);
  EXPECT_EQ(radv.spilled, 12u);
  EXPECT_EQ(read({statistic("numUsedVgprs", 24)}).registers, 24u);
}

TEST(VulkanStatistics, AreUnknownUnderOtherNamesAndKindsOfNumbers) {
  constexpr auto kReal = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR;
  constexpr auto kBool = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR;
  constexpr auto kSigned = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR;
  VkPipelineExecutableStatisticKHR endless = statistic("", 5);
  std::ranges::fill(endless.name, 'x');  // no NUL
  for (const List& all : {List{}, List{statistic("Registers", 5), statistic("Register Counts", 5), endless},
                          List{statistic("Register Count", 5, kReal), statistic("Local Memory Size", 5, kBool)},
                          List{statistic("Register Count", ~0ull, kSigned), statistic("SLM Size", ~0ull)},
                          List{statistic("Register Count", 1ull << 32), statistic("Spilled VGPRs", 1u << 30)},
                          List{statistic("Register Count", 0)}}) {
    const auto found = read(all);
    EXPECT_FALSE(found.registers) << *found.registers;
    EXPECT_FALSE(found.spilled) << *found.spilled;
  }
  EXPECT_EQ(read({statistic("Register Count", 5, kSigned)}).registers, 5u);
}

TEST(VulkanStatistics, OfSeveralExecutablesAreTheMost) {
  const auto found = read(Driver{{{statistic("Register Count", 20), statistic("Local Memory Size", 8)},
                                  {},
                                  {statistic("Register Count", 30), statistic("Local Memory Size", 0)}}});
  EXPECT_EQ(found.registers, 30u);
  EXPECT_EQ(found.spilled, 8u);
  EXPECT_FALSE(read(Driver{}).registers);
}

TEST(VulkanStatistics, OfCallsThatFailAreUnknown) {
  const List all{statistic("Register Count", 20), statistic("Local Memory Size", 8)};
  EXPECT_FALSE(read(Driver{{all}, VK_ERROR_OUT_OF_HOST_MEMORY}).registers);
  EXPECT_FALSE(read(Driver{{all}, VK_SUCCESS, VK_ERROR_OUT_OF_DEVICE_MEMORY}).registers);
  // The driver gives fewer than it has said.
  const auto some = read(Driver{{all}, VK_INCOMPLETE, VK_INCOMPLETE, 1});
  EXPECT_EQ(some.registers, 20u);
  EXPECT_FALSE(some.spilled);
}

// Numbers of the device that the environment tells while it lives.
struct ToldNumbers {
  explicit ToldNumbers(const char* words) { setenv("VKDISPATCH_VULKAN_LIMITS", words, 1); }
  ~ToldNumbers() { unsetenv("VKDISPATCH_VULKAN_LIMITS"); }
  ToldNumbers(const ToldNumbers&) = delete;
  ToldNumbers& operator=(const ToldNumbers&) = delete;
};

// On lavapipe the layer of the tests tells them.
class VulkanStatisticsTest : public VulkanTest {
 protected:
  void SetUp() override {
    VulkanTest::SetUp();
    if (IsSkipped()) return;
    if (controls_.told == nullptr) GTEST_SKIP() << "no layer in " << test::layer_folder();
    if (device().info().type != VD_DEVICE_CPU) GTEST_SKIP() << "the device tells its own";
  }
  void TearDown() override {
    if (controls_.spill != nullptr) controls_.spill(nullptr, 0);
    VulkanTest::TearDown();
  }
  static api::Context open_context(const char* cache_dir = nullptr, vd_context_flags checks = 0) {
    api::Context context;
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = VD_BACKEND_VULKAN;
    desc.flags = VD_CONTEXT_USE_CPU | checks;
    desc.cache_dir = cache_dir;
    EXPECT_OK(vd_context_create(&desc, context.out()));
    return context;
  }
  static std::string explain(const vd_plan* plan) {
    api::Blob text;
    EXPECT_OK(vd_plan_explain(plan, text.out()));
    return static_cast<const char*>(vd_blob_data(text, nullptr));
  }
  const test::LayerControls controls_;
};

TEST_F(VulkanStatisticsTest, ComeFromASecondPipelineOnceTheyAreAskedFor) {
  const auto module = affine();
  const unsigned before = controls_.told();
  EXPECT_FALSE(module->statistics(false).registers);
  EXPECT_EQ(controls_.told(), before);
  const unsigned spilled = 24;
  controls_.spill(&spilled, 1);
  for (const bool ask : {true, false, true}) {
    EXPECT_EQ(module->statistics(ask).registers, 32u);
    EXPECT_EQ(module->statistics(ask).spilled, 24u);
  }
  EXPECT_EQ(controls_.told(), before + 1);
  // The code that runs is the first pipeline's.
  const auto buffer = words({1, 2, 3});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {3, 2, 5});
  queue().submit(work.list);
  EXPECT_EQ(read_words(*buffer), (std::vector<uint32_t>{7, 9, 11}));
}

TEST_F(VulkanStatisticsTest, AreUnknownWhereACallFails) {
  // The driver is asked for counts, and then for as much.
  const std::pair<const char*, unsigned> calls[] = {{"vkCreateShaderModule", 1},
                                                    {"vkCreateComputePipelines", 1},
                                                    {"vkGetPipelineExecutablePropertiesKHR", 2},
                                                    {"vkGetPipelineExecutableStatisticsKHR", 2}};
  for (const auto& [call, times] : calls) {
    const unsigned number = controls_.number_of(call);
    ASSERT_LT(number, controls_.count()) << call;
    for (unsigned nth = 1; nth <= times; ++nth) {
      const auto module = affine();
      controls_.set(number, nth, VK_ERROR_OUT_OF_HOST_MEMORY);
      const backends::Statistics found = module->statistics(true);
      EXPECT_NE(controls_.met(), 0) << call;
      controls_.set(number, 0, 0);
      EXPECT_FALSE(found.registers) << call;
      EXPECT_FALSE(module->statistics(true).spilled) << call << ": is asked once";
    }
  }
}

TEST_F(VulkanStatisticsTest, AreInThePlansExplanation) {
  const api::Context context = open_context();
  const auto registers = [](const vd_plan* plan) {
    vd_plan_info info = VD_PLAN_INFO_INIT;
    EXPECT_OK(vd_plan_get_info(plan, &info));
    return info.registers;
  };
  // A transform of two axes: two passes, of which the second spills.
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = 30, desc.shape[1] = 42;
  desc.axis_count = 2;
  desc.axes[1] = 1;
  const api::Tuned apart("strategy=one_pass");
  api::Plan plan;
  ASSERT_OK(vd_plan_create_fft(context, &desc, plan.out()));
  EXPECT_EQ(registers(plan), 0u) << "nobody has asked";
  const unsigned before = controls_.told(), spilled[] = {0, 72};
  controls_.spill(spilled, 2);
  const std::string text = explain(plan);
  EXPECT_EQ(controls_.told(), before + 2) << text;
  const size_t first = text.find(", 32 registers per invocation, 0 bytes spilled per invocation, reads");
  const size_t second = text.find(", 32 registers per invocation, 72 bytes spilled per invocation, reads");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_NE(second, std::string::npos) << text;
  EXPECT_LT(first, second);
  EXPECT_EQ(registers(plan), 32u);
  EXPECT_EQ(explain(plan), text);
}

// A child of this process must not call the driver, which knows nothing of it.
TEST_F(VulkanStatisticsTest, AreNotAskedForInAForkedProcess) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer's allocator stays locked in a child if a thread was in it";
  const api::Context context = open_context();
  const api::Plan plan = api::make_plan(context, api::mix_kernel());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // ends a child that hangs
    _exit(explain(plan).find("registers") == std::string::npos ? 3 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
  EXPECT_THAT(explain(plan), HasSubstr("32 registers per invocation"));
}

// A transform of a length without records, on a device of few registers: its code is asked, and if it spills that of
// others, once.
TEST_F(VulkanStatisticsTest, ChooseAmongCandidatesOfATransform) {
  const test::ScratchFolder cache;
  const ToldNumbers told("registers=1024,multiprocessors=16");
  vd_context_flags checks = 0;
  const auto run = [&](const std::string& folder, std::vector<unsigned> spilled, unsigned& asked) {
    const api::Context context = open_context(folder.c_str(), checks);
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 2;
    desc.shape[0] = 640, desc.shape[1] = 500;
    controls_.spill(spilled.data(), static_cast<unsigned>(spilled.size()));
    const unsigned before = controls_.told();
    api::Plan plan;
    EXPECT_OK(vd_plan_create_fft(context, &desc, plan.out()));
    asked = controls_.told() - before;
    return explain(plan);
  };
  constexpr const char* kChosen = "spills fewer registers than the usual choice";
  unsigned asked = 0;
  const test::ScratchFolder other;
  EXPECT_THAT(run(other.path(), {}, asked), Not(HasSubstr(kChosen)));
  EXPECT_EQ(asked, 1u);
  const std::string chosen = run(cache.path(), {64, 8, 16}, asked);
  EXPECT_THAT(chosen, HasSubstr(kChosen));
  EXPECT_GE(asked, 2u);
  EXPECT_LE(asked, 3u);
  // The cache has the choice, of either plan.
  EXPECT_THAT(run(cache.path(), {}, asked), HasSubstr(kChosen));
  EXPECT_EQ(asked, 0u);
  EXPECT_THAT(run(other.path(), {64}, asked), Not(HasSubstr(kChosen)));
  EXPECT_EQ(asked, 0u);
  // Checked code spills as it does, and another usual choice is compared with others of its own.
  checks = VD_CONTEXT_CHECKED;
  EXPECT_THAT(run(cache.path(), {}, asked), Not(HasSubstr(kChosen)));
  EXPECT_EQ(asked, 1u);
  checks = 0;
  const ToldNumbers more("registers=4096,multiprocessors=2");
  EXPECT_THAT(run(cache.path(), {}, asked), Not(HasSubstr(kChosen)));
  EXPECT_EQ(asked, 1u);
}

}  // namespace
}  // namespace vd::vulkan
