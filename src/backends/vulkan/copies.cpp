#include "backends/vulkan/copies.h"

#include <utility>

namespace vd::vulkan {
namespace {

using backends::Command;

// Two waits between queues take a GPU about as long as a copy of this size does.
constexpr uint64_t kLeastSize = 1 << 20;
constexpr size_t kMostSlots = 128;

const Memory& memory_at(const backends::Range& range) noexcept { return static_cast<const Memory&>(*range.memory); }

}  // namespace

Copies::Copies(std::shared_ptr<const Gpu> gpu, std::string label, Timeline& timeline)
    : gpu_(std::move(gpu)), label_(std::move(label)), timeline_(timeline) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore handle = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreateSemaphore(gpu_->device(), &info, nullptr, &handle), "vkCreateSemaphore",
              "parts of copies of {}", label_);
  parts_ = Semaphore(gpu_, handle);
}

bool Copies::is_one(const Task& task, const CommandView& view) noexcept {
  if (task.kind != Task::Kind::List || task.count != 1 || task.queries.pool != VK_NULL_HANDLE) return false;
  const Command& command = view.commands.front();
  return command.kind == Command::Kind::Copy && command.destination.size >= kLeastSize &&
         !memory_at(command.source).mapped() && memory_at(command.destination).mapped();
}

Copies::Slot& Copies::free_slot() {
  const auto is_free = [&](const Slot& slot) {
    return slot.value <= timeline_.known_released() || slot.value <= timeline_.released();
  };
  if (slots_.empty() || (slots_.size() < kMostSlots && !is_free(slots_[next_]))) {
    Slot slot;
    slot.pool = make_pool(gpu_, gpu_->copy_family, true);
    slot.buffer = make_buffer(*gpu_, slot.pool, fmt::format("{} copy {}", label_, slots_.size()));
    // In front of the oldest, so that the ring stays in order of age.
    slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(next_), std::move(slot));
  } else {
    const Slot& slot = slots_[next_];
    while (!timeline_.wait_released(slot.value, Timeline::Clock::time_point::max())) gpu_->require_alive();
    gpu_->check(gpu_->vk.vkResetCommandPool(gpu_->device(), slot.pool.get(), 0), "vkResetCommandPool", "\"{}\"",
                label_);
  }
  Slot& taken = slots_[next_];
  next_ = (next_ + 1) % slots_.size();
  return taken;
}

VkCommandBuffer Copies::record(const Command& copy, size_t queue, uint64_t value) {
  constexpr uint64_t kAlign = 256;
  const size_t count = gpu_->copy_queues.size();
  const auto bound = [&](size_t part) {
    return part == count ? copy.destination.size : copy.destination.size / count * part / kAlign * kAlign;
  };
  const uint64_t begin = bound(queue), end = bound(queue + 1);
  Slot& slot = free_slot();
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  gpu_->check(gpu_->vk.vkBeginCommandBuffer(slot.buffer, &info), "vkBeginCommandBuffer", "a copy of {}", label_);
  const VkBufferCopy region{copy.source.offset + begin, copy.destination.offset + begin, end - begin};
  gpu_->vk.vkCmdCopyBuffer(slot.buffer, memory_at(copy.source).buffer(), memory_at(copy.destination).buffer(), 1,
                           &region);
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  gpu_->vk.vkCmdPipelineBarrier(slot.buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory,
                                0, nullptr, 0, nullptr);
  gpu_->check(gpu_->vk.vkEndCommandBuffer(slot.buffer), "vkEndCommandBuffer", "a copy of {}", label_);
  slot.value = value;
  return slot.buffer;
}

}  // namespace vd::vulkan
