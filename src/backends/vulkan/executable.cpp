#include "backends/vulkan/executable.h"

#include <algorithm>
#include <atomic>

namespace vd::vulkan {
namespace {

std::atomic<uint32_t> g_made{0};

}  // namespace

CommandPool make_pool(const std::shared_ptr<const Gpu>& gpu, uint32_t family, bool transient) {
  VkCommandPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  info.flags = transient ? VK_COMMAND_POOL_CREATE_TRANSIENT_BIT : 0;
  info.queueFamilyIndex = family;
  VkCommandPool pool = VK_NULL_HANDLE;
  gpu->check(gpu->vk.vkCreateCommandPool(gpu->device(), &info, nullptr, &pool), "vkCreateCommandPool",
             "queue family {}", family);
  return {gpu, pool};
}

VkCommandBuffer make_buffer(const Gpu& gpu, const CommandPool& pool, const std::string& label) {
  VkCommandBufferAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  info.commandPool = pool.get();
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  VkCommandBuffer buffer = VK_NULL_HANDLE;
  gpu.check(gpu.vk.vkAllocateCommandBuffers(gpu.device(), &info, &buffer), "vkAllocateCommandBuffers", "\"{}\"", label);
  gpu.name(buffer, VK_OBJECT_TYPE_COMMAND_BUFFER, label);
  return buffer;
}

Executable::Executable(std::shared_ptr<const Gpu> gpu, const backends::CommandList& list)
    : gpu_(std::move(gpu)), number_(g_made.fetch_add(1, std::memory_order_relaxed) + 1), arena_(gpu_) {
  gpu_->require_alive();
  const CommandView view{list.commands, list.ranges, list.values, list.images, list.boxes};
  check_commands(*gpu_, view);
  for_each_image(view, [&](Image& image) {
    if (std::ranges::find(images_, &image) == images_.end()) images_.push_back(&image);
  });
  if (list.commands.empty()) return;
  size_t end = 0;
  first_kinds_ = level_kinds(view.commands, 0, end);
  for (size_t first = 0; first < view.commands.size(); first = end) kinds_ |= level_kinds(view.commands, first, end);

  // It runs after itself when repeated, and after anything else, so it always begins with a barrier. Work of other
  // kinds than its own and compute is rare enough for the queue to add a barrier of its own.
  waits_for_ = kCompute | kinds_;
  for (const uint32_t family : gpu_->family_indices) {
    Recording recording;
    recording.family = family;
    recording.pool = make_pool(gpu_, family, false);
    recording.buffer = make_buffer(*gpu_, recording.pool, "graph");
    Hazards hazards;
    Encoder encoder(*gpu_, hazards);
    encoder.begin(recording.buffer, arena_, false);
    encoder.barrier(waits_for_, first_kinds_);
    encoder.encode(view, false);
    encoder.end();
    recordings_.push_back(std::move(recording));
  }
}

VkCommandBuffer Executable::buffer(uint32_t family) const noexcept {
  for (const auto& recording : recordings_)
    if (recording.family == family) return recording.buffer;
  return VK_NULL_HANDLE;
}

}  // namespace vd::vulkan
