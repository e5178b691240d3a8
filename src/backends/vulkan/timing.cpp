#include "backends/vulkan/timing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/steady_time.h"

namespace vd::vulkan {
namespace {

constexpr uint32_t kPoolSize = 1024;

uint64_t mask_of(const Gpu& gpu, uint32_t family) {
  const uint32_t bits = gpu.physical.families.at(family).timestampValidBits;
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// Whether the device tells its time and CLOCK_MONOTONIC, which is the steady clock, at once.
bool tells_both(const Physical& physical) {
  if (physical.extensions.count(VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME) == 0) return false;
  const auto list = physical.instance.GetPhysicalDeviceCalibrateableTimeDomainsEXT;
  uint32_t count = 0;
  if (list == nullptr || list(physical.handle, &count, nullptr) != VK_SUCCESS) return false;
  std::vector<VkTimeDomainEXT> domains(count);
  if (list(physical.handle, &count, domains.data()) != VK_SUCCESS) return false;
  return std::ranges::count(domains, VK_TIME_DOMAIN_DEVICE_EXT) != 0 &&
         std::ranges::count(domains, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT) != 0;
}

}  // namespace

DeviceClock::DeviceClock(std::shared_ptr<const Gpu> gpu, uint32_t family)
    : gpu_(std::move(gpu)), mask_(mask_of(*gpu_, family)) {
  calibrated_ = gpu_->overrides.calibrated_timestamps && tells_both(gpu_->physical);
}

bool DeviceClock::is_usable(const Gpu& gpu, uint32_t family) {
  return gpu.physical.families.at(family).timestampValidBits != 0 &&
         gpu.physical.features.v12.hostQueryReset != VK_FALSE;
}

DeviceClock::Taken DeviceClock::take(uint32_t count) {
  if (!pool_ || size_ - used_ < count) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = std::max(count, kPoolSize);
    VkQueryPool made = VK_NULL_HANDLE;
    gpu_->check(gpu_->vk.vkCreateQueryPool(gpu_->device(), &info, nullptr, &made), "vkCreateQueryPool", "{} timestamps",
                info.queryCount);
    pool_ = std::make_shared<QueryPool>(gpu_, made);
    size_ = info.queryCount;
    used_ = 0;
    gpu_->vk.vkResetQueryPool(gpu_->device(), made, 0, size_);
  }
  const uint32_t first = used_;
  used_ += count;
  return {pool_, first};
}

std::optional<DeviceClock::Pair> DeviceClock::now() const {
  if (!calibrated_) return {};
  std::array<VkCalibratedTimestampInfoEXT, 2> infos{};
  for (auto& info : infos) info.sType = VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  infos[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  infos[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  std::array<uint64_t, 2> times{};
  uint64_t deviation = 0;
  gpu_->check(gpu_->vk.vkGetCalibratedTimestampsEXT(gpu_->device(), 2, infos.data(), times.data(), &deviation),
              "vkGetCalibratedTimestampsEXT", "\"{}\"", gpu_->info().name);
  return Pair{times[0] & mask_, times[1], deviation};
}

uint64_t DeviceClock::between(uint64_t from, uint64_t to) const {
  const double period = static_cast<double>(gpu_->physical.properties.limits.timestampPeriod);
  return static_cast<uint64_t>(std::llround(static_cast<double>((to - from) & mask_) * period));
}

Timing::Timing(std::shared_ptr<const DeviceClock> clock, DeviceClock::Taken taken)
    : clock_(std::move(clock)), taken_(std::move(taken)), submitted_(steady_time()) {}

// Without a pair of times the last timestamp lies between now and the earliest time at which it can have been: when the
// list was submitted, plus what it took.
uint64_t Timing::read(std::span<backends::Interval> out) {
  if (out.empty()) return 0;
  const Gpu& gpu = clock_->gpu();
  std::vector<uint64_t> ticks(out.size() + 1);
  const size_t size = ticks.size() * sizeof(uint64_t);
  gpu.check(gpu.vk.vkGetQueryPoolResults(gpu.device(), taken_.pool->get(), taken_.first,
                                         static_cast<uint32_t>(ticks.size()), size, ticks.data(), sizeof(uint64_t),
                                         VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
            "vkGetQueryPoolResults", "the times of {} commands", out.size());
  DeviceClock::Pair pair;
  if (const auto now = clock_->now()) {
    pair = *now;
  } else {
    const uint64_t latest = steady_time();
    const uint64_t earliest = std::min(latest, submitted_ + clock_->between(ticks.front(), ticks.back()));
    pair = {ticks.back(), earliest + (latest - earliest) / 2, (latest - earliest) / 2 + 1};
  }
  // All from the first, so that rounding lets none overlap the next.
  const uint64_t first = pair.host - std::min(pair.host, clock_->between(ticks.front(), pair.ticks));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = {first + clock_->between(ticks.front(), ticks[i]), first + clock_->between(ticks.front(), ticks[i + 1])};
  return pair.error + static_cast<uint64_t>(std::ceil(gpu.physical.properties.limits.timestampPeriod));
}

}  // namespace vd::vulkan
