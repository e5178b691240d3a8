// Marks: the device itself writes into a word of host memory that a submission is done. The word holds the number of
// the last mark, counted modulo 64, so that the commands which write it are recorded once for each number and submitted
// again and again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "backends/vulkan/gpu.h"
#include "backends/vulkan/memory.h"

namespace vd::vulkan {

// The numbers that stand for values of the timeline. One thread at a time assigns numbers, any thread may look them up.
class MarkNumbers {
 public:
  static constexpr uint32_t kCount = 64;

  // The next number, for a submission that reaches `value`. Nothing if too many are in flight to tell a number from its
  // last use, or if its commands are still in use: `released` is the value that the driver is done with.
  std::optional<uint32_t> take(uint64_t value, uint64_t released) noexcept {
    const uint64_t next = issued_.load(std::memory_order_relaxed) + 1;
    if (values_[(next + 1) % kCount].load(std::memory_order_relaxed) > released) return std::nullopt;
    // This comes first: a thread that sees the new value then also sees that the number was reused.
    issued_.store(next, std::memory_order_seq_cst);
    values_[next % kCount].store(value, std::memory_order_seq_cst);
    return static_cast<uint32_t>(next % kCount);
  }

  // The value of the last mark that is done, or less. `word` reads the number that the device wrote last.
  template <class Word>
  uint64_t last(Word&& word) const noexcept {
    const uint64_t issued = issued_.load(std::memory_order_seq_cst);
    const uint64_t behind = (issued - word()) % kCount;
    if (behind > issued) return 0;  // a mark that was recorded after we looked
    const uint64_t number = issued - behind;
    const uint64_t value = values_[number % kCount].load(std::memory_order_seq_cst);
    // If the number was reused meanwhile, the value may be that of the later use.
    return issued_.load(std::memory_order_seq_cst) - number < kCount ? value : 0;
  }

 private:
  std::atomic<uint64_t> issued_{0};
  std::array<std::atomic<uint64_t>, kCount> values_{};
};

// Once all work before it on the queue is done and its writes are visible to the host: write `number` into `word`.
void record_mark(const Gpu& gpu, VkCommandBuffer commands, VkBuffer word, uint32_t number);

class Marks {
 public:
  Marks(std::shared_ptr<const Gpu> gpu, uint32_t family, const std::string& label);

  MarkNumbers numbers;
  VkBuffer word() const noexcept { return word_.buffer(); }
  // Commands that write a number, to be submitted behind others.
  VkCommandBuffer commands(uint32_t number) const noexcept { return commands_[number]; }
  uint64_t last() const noexcept;

 private:
  std::shared_ptr<const Gpu> gpu_;
  std::string label_;
  Memory word_;
  std::atomic_ref<uint32_t> seen_;
  CommandPool pool_;
  std::array<VkCommandBuffer, MarkNumbers::kCount> commands_{};
};

}  // namespace vd::vulkan
