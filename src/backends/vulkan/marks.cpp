#include "backends/vulkan/marks.h"

#include <cstring>

#include "backends/vulkan/executable.h"
#include "backends/vulkan/hazards.h"

namespace vd::vulkan {
namespace {

constexpr uint64_t kLine = 64;  // of the host's cache, for the word alone

}  // namespace

// An update of a buffer was the quickest way to write a word on an H200 (1.2 us from the last kernel; a kernel 1.5, an
// event 2.4, a fill 2.5), and with the barrier after it the only one that was never 30 us late.
void record_mark(const Gpu& gpu, VkCommandBuffer commands, VkBuffer word, uint32_t number) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = writes_of(kCompute | kTransfer);
  memory.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  gpu.vk.vkCmdPipelineBarrier(commands, stages_of(kCompute | kTransfer),
                              VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0, nullptr, 0,
                              nullptr);
  gpu.vk.vkCmdUpdateBuffer(commands, word, 0, sizeof(number), &number);
  memory.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  gpu.vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0,
                              nullptr, 0, nullptr);
}

Marks::Marks(std::shared_ptr<const Gpu> gpu, uint32_t family, const std::string& label)
    : gpu_(std::move(gpu)),
      label_(label + " mark"),
      word_(gpu_, kLine, Placement::Readback, label_),
      seen_(*static_cast<uint32_t*>(std::memset(word_.host_pointer(), 0, kLine))),
      pool_(make_pool(gpu_, family, false)) {
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  for (uint32_t number = 0; number < MarkNumbers::kCount; ++number) {
    const VkCommandBuffer commands = commands_[number] = make_buffer(*gpu_, pool_, label_);
    gpu_->check(gpu_->vk.vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer", "\"{}\"", label_);
    record_mark(*gpu_, commands, word(), number);
    gpu_->check(gpu_->vk.vkEndCommandBuffer(commands), "vkEndCommandBuffer", "\"{}\"", label_);
  }
}

uint64_t Marks::last() const noexcept {
  // Acquire: whoever sees the number also sees all that the device wrote before it.
  return numbers.last([&] { return seen_.load(std::memory_order_seq_cst); });
}

}  // namespace vd::vulkan
