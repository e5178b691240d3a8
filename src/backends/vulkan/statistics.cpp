#include "backends/vulkan/statistics.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace vd::vulkan {
namespace {

// A driver's name for a number of each invocation, in any case of letters: Mesa's drivers have changed it.
struct Name {
  std::string_view text;
  std::optional<uint32_t> backends::Statistics::*number;
  uint32_t unit;  // what one of the driver's is
};
// Names of NVIDIA, Mesa's NVK, RADV and HoneyKrisp, and AMD. Others count by subgroups of a width that they do not tell
// (Intel), or in registers of four words (Qualcomm).
constexpr Name kNames[] = {
    {"register count", &backends::Statistics::registers, 1},  {"number of gprs", &backends::Statistics::registers, 1},
    {"vgprs", &backends::Statistics::registers, 1},           {"numusedvgprs", &backends::Statistics::registers, 1},
    {"local memory size", &backends::Statistics::spilled, 1}, {"slm size", &backends::Statistics::spilled, 1},
    {"spilled vgprs", &backends::Statistics::spilled, 4},
};

bool is_named(const VkPipelineExecutableStatisticKHR& statistic, std::string_view name) {
  const std::string_view found(statistic.name, strnlen(statistic.name, sizeof(statistic.name)));
  return std::ranges::equal(found, name, {}, [](unsigned char c) { return std::tolower(c); });
}

// None for kinds of numbers that no count has.
std::optional<uint64_t> number_of(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
      return statistic.value.u64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      if (statistic.value.i64 >= 0) return static_cast<uint64_t>(statistic.value.i64);
      return {};
    default:
      return {};
  }
}

// All that `call(count, items)` gives, with items of this type; none if it fails. It may give fewer than it has said.
template <class T, class Call>
std::vector<T> list(VkStructureType type, Call call) {
  uint32_t count = 0;
  if (call(&count, static_cast<T*>(nullptr)) < 0 || count == 0) return {};
  T empty{};
  empty.sType = type;
  std::vector<T> items(count, empty);
  if (call(&count, items.data()) < 0) return {};
  items.resize(std::min<size_t>(count, items.size()));
  return items;
}

void take(const VkPipelineExecutableStatisticKHR& statistic, backends::Statistics& into) {
  const auto name = std::ranges::find_if(kNames, [&](const Name& one) { return is_named(statistic, one.text); });
  const auto number = number_of(statistic);
  if (name == std::end(kNames) || !number || *number > UINT32_MAX / name->unit) return;
  auto& most = into.*name->number;
  most = std::max(most, std::optional(static_cast<uint32_t>(*number) * name->unit));
}

}  // namespace

bool tells_statistics(const Gpu& gpu) {
  return gpu.physical.features.executable_properties.pipelineExecutableInfo != VK_FALSE &&
         gpu.vk.vkGetPipelineExecutablePropertiesKHR != nullptr &&
         gpu.vk.vkGetPipelineExecutableStatisticsKHR != nullptr;
}

backends::Statistics read_statistics(const VolkDeviceTable& vk, VkDevice device, VkPipeline pipeline) {
  VkPipelineInfoKHR whole{};
  whole.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR;
  whole.pipeline = pipeline;
  const auto executables = list<VkPipelineExecutablePropertiesKHR>(
      VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR, [&](uint32_t* count, auto* items) {
        return vk.vkGetPipelineExecutablePropertiesKHR(device, &whole, count, items);
      });
  backends::Statistics most;
  for (uint32_t i = 0; i < executables.size(); ++i) {
    VkPipelineExecutableInfoKHR one{};
    one.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR;
    one.pipeline = pipeline;
    one.executableIndex = i;
    const auto statistics = list<VkPipelineExecutableStatisticKHR>(
        VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR, [&](uint32_t* count, auto* items) {
          return vk.vkGetPipelineExecutableStatisticsKHR(device, &one, count, items);
        });
    for (const VkPipelineExecutableStatisticKHR& statistic : statistics) take(statistic, most);
  }
  if (most.registers == 0u) most.registers.reset();  // a kernel has some
  return most;
}

}  // namespace vd::vulkan
