#include "backends/vulkan/timeline.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "backends/vulkan/host_signal.h"
#include "core/platform.h"
#include "core/wait.h"

namespace vd::vulkan {
namespace {

using Clock = Timeline::Clock;

// The time for which a wait spins, from its start: a tiny kernel is done within 15 us of its submission, ten dependent
// ones within 35, a hundred within 250. The longer time is for queues whose last wait was over within it, so that a
// thread which waits for long work does not spin for long.
constexpr auto kSpinTime = std::chrono::microseconds(50);
constexpr auto kLongSpinTime = std::chrono::microseconds(400);
// After that it sleeps for this part of the time waited so far: the wait ends that much late at most, and the longer it
// takes, the less of the processor it needs (1/4 after 1 ms, 1/25 after 10).
constexpr int kDozePart = 128;
// From here on blocking, which ends 200 to 400 us late, costs less than 1 % of the time.
constexpr auto kDozeTime = std::chrono::milliseconds(50);
// The time of spinning where the host's own processors do the work, as far as SpinBudget allows; after that it blocks.
// A tiny kernel takes 20 to 45 us there, ten dependent ones 140, and longer work wants all processors.
constexpr auto kHostSpinTime = std::chrono::microseconds(200);
// A blocking wait is cut into pieces, so that a failure which another thread met ends it too.
constexpr auto kWaitPiece = std::chrono::milliseconds(100);
constexpr auto kPollTime = std::chrono::microseconds(100);
// Looks at the mark for each question to the driver.
constexpr int kLooks = 16;

void raise(std::atomic<uint64_t>& known, uint64_t value) noexcept {
  uint64_t last = known.load(std::memory_order_relaxed);
  while (last < value && !known.compare_exchange_weak(last, value, std::memory_order_acq_rel)) {
  }
}

}  // namespace

Timeline::Timeline(std::shared_ptr<const Gpu> gpu, uint32_t family, const std::string& label) : gpu_(std::move(gpu)) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore handle = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreateSemaphore(gpu_->device(), &info, nullptr, &handle), "vkCreateSemaphore", "a timeline");
  semaphore_ = Semaphore(gpu_, handle);
  gpu_->name(handle, VK_OBJECT_TYPE_SEMAPHORE, label);
  if (gpu_->spins) marks_ = std::make_unique<Marks>(gpu_, family, label);
}

uint64_t Timeline::released() {
  uint64_t value = 0;
  gpu_->check(gpu_->vk.vkGetSemaphoreCounterValue(gpu_->device(), semaphore_.get(), &value),
              "vkGetSemaphoreCounterValue", "a queue's timeline");
  raise(released_, value);
  return value;
}

std::optional<uint32_t> Timeline::take_mark(uint64_t value) {
  auto number = marks_->numbers.take(value, known_released());
  if (!number) number = marks_->numbers.take(value, released());
  if (number) marked_.store(value, std::memory_order_release);
  return number;
}

uint64_t Timeline::last_seen() noexcept {
  const uint64_t last = std::max(seen_.load(std::memory_order_acquire), released_.load(std::memory_order_acquire));
  if (!marks_) return last;
  const uint64_t marked = marks_->last();
  if (marked <= last) return last;
  raise(seen_, marked);
  return marked;
}

bool Timeline::wait(uint64_t value, Clock::time_point start, Clock::time_point deadline) {
  if (!gpu_->spins) return seen(value) || wait_for_host(value, start, deadline);
  const bool quick = quick_.load(std::memory_order_relaxed);
  const bool is_done = spin(value, std::min(start + (quick ? kLongSpinTime : kSpinTime), deadline)) ||
                       doze(value, start, std::min(start + kDozeTime, deadline)) || done(value) ||
                       wait_released(value, deadline);
  const auto now = Clock::now();
  if (is_done) trials_.ended(value, now);
  const bool now_quick = now - start < kLongSpinTime;
  if (now_quick != quick) quick_.store(now_quick, std::memory_order_relaxed);
  return is_done;
}

bool Timeline::wait_for_host(uint64_t value, Clock::time_point start, Clock::time_point deadline) {
  const auto end = std::min(start + kHostSpinTime, deadline);
  if (Clock::now() >= end || !spin_budget_.allows(start)) return wait_released(value, deadline);
  std::unique_lock alone(host_spin_mutex_, std::try_to_lock);  // several would take the driver's processors
  if (!alone) return wait_released(value, deadline);
  bool is_done = spin(value, end);
  alone.unlock();
  if (!is_done) is_done = wait_released(value, deadline);
  if (const auto now = Clock::now(); now > end) spin_budget_.lose(now - start, now);
  return is_done;
}

bool Timeline::spin(uint64_t value, Clock::time_point end) {
  while (Clock::now() < end) {
    const int looks = marked_.load(std::memory_order_acquire) >= value ? kLooks : 1;
    for (int i = 0; i < looks; ++i) {
      if (seen(value)) return true;
      spin_pause();
    }
    if (released() >= value) return true;
  }
  return false;
}

bool Timeline::doze(uint64_t value, Clock::time_point start, Clock::time_point end) {
  auto now = Clock::now();
  if (now >= end) return false;
  const platform::PreciseSleep precise;
  do {
    if (done(value)) return true;
    std::this_thread::sleep_for(std::min<Clock::duration>((now - start) / kDozePart, end - now));
    now = Clock::now();
  } while (now < end);
  return false;
}

bool Timeline::wait_released(uint64_t value, Clock::time_point deadline) {
  if (released() >= value) return true;
  const auto now = Clock::now();
  if (now >= deadline) return false;
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  const VkSemaphore semaphore = semaphore_.get();
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  if (gpu_->physical.instance.validates()) {
    // Version 1.3.239 of the layer loses track when several threads block on one timeline: it stalls for ten seconds
    // and reports a bug of its own. It handles polling.
    std::this_thread::sleep_for(kPollTime);
    return false;
  }
  const auto piece = std::min<Clock::duration>(kWaitPiece, deadline - now);
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(piece).count();
  const VkResult result = gpu_->vk.vkWaitSemaphores(gpu_->device(), &info, static_cast<uint64_t>(ns));
  gpu_->check(result, "vkWaitSemaphores", "value {} of a queue's timeline", value);
  if (result == VK_SUCCESS) raise(released_, value);
  return result == VK_SUCCESS;
}

void Timeline::signal(uint64_t value) noexcept { signal_from_host(*gpu_, semaphore_.get(), value); }

}  // namespace vd::vulkan
