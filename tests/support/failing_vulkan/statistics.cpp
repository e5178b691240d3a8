#include "support/failing_vulkan/statistics.h"

#include <cstdio>
#include <map>
#include <mutex>

#include "support/failing_vulkan/control.h"

namespace statistics {
namespace {

std::mutex g_mutex;
std::map<VkPipeline, unsigned> g_spilled;  // bytes, of those that tell
std::vector<unsigned> g_next;
unsigned g_told = 0;

VkPipelineExecutableStatisticKHR number(const char* name, uint64_t value) {
  VkPipelineExecutableStatisticKHR one{};
  one.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
  std::snprintf(one.name, sizeof(one.name), "%s", name);
  one.format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
  one.value.u64 = value;
  return one;
}

}  // namespace

void note(VkPipeline pipeline, bool asked) {
  const std::lock_guard lock(g_mutex);
  g_spilled.erase(pipeline);
  if (!asked) return;
  ++g_told;
  g_spilled[pipeline] = g_next.empty() ? 0 : g_next.front();
  if (!g_next.empty()) g_next.erase(g_next.begin());
}

VkResult list_executables(uint32_t* count, VkPipelineExecutablePropertiesKHR* out) {
  VkPipelineExecutablePropertiesKHR one{};
  one.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR;
  one.stages = VK_SHADER_STAGE_COMPUTE_BIT;
  return hand_out(std::vector{one}, count, out);
}

VkResult list(VkPipeline pipeline, uint32_t* count, VkPipelineExecutableStatisticKHR* out) {
  const std::lock_guard lock(g_mutex);
  const auto found = g_spilled.find(pipeline);
  if (found == g_spilled.end()) return hand_out(std::vector<VkPipelineExecutableStatisticKHR>(), count, out);
  return hand_out(std::vector{number("Register Count", 32), number("Binary Size", 4096),
                              number("Local Memory Size", found->second)},
                  count, out);
}

}  // namespace statistics

extern "C" {
__attribute__((visibility("default"))) void vd_failing_spill(const unsigned* bytes, unsigned count) {
  const std::lock_guard lock(statistics::g_mutex);
  statistics::g_next.assign(bytes, bytes + count);
}
__attribute__((visibility("default"))) unsigned vd_failing_told() {
  const std::lock_guard lock(statistics::g_mutex);
  return statistics::g_told;
}
}
