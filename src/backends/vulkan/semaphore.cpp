#include "backends/vulkan/semaphore.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "backends/vulkan/work.h"
#include "core/platform.h"

namespace vd::vulkan {
namespace {

constexpr auto kFd = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

}  // namespace

SharedSemaphore::SharedSemaphore(std::shared_ptr<const Gpu> gpu, const backends::SemaphoreDesc& desc)
    : gpu_(std::move(gpu)), label_(desc.label), highest_set_(desc.initial_value) {
  gpu_->require_alive();
  if (desc.source == VD_SEMAPHORE_NATIVE) {
    handle_ = reinterpret_cast<VkSemaphore>(desc.handle);
    return;
  }
  const bool by_fd = (gpu_->info().features & VD_FEATURE_SEMAPHORE_FD) != 0;
  if (desc.source == VD_SEMAPHORE_FD && !by_fd)
    fail(VD_ERR_UNSUPPORTED,
         "Vulkan device \"{}\" has no semaphores by file descriptors (it lacks VK_KHR_external_semaphore_fd for "
         "timeline "
         "semaphores)",
         gpu_->info().name);
  exportable_ = by_fd && desc.source == VD_SEMAPHORE_NEW;
  VkExportSemaphoreCreateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
  exported.handleTypes = kFd;
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.pNext = exportable_ ? &exported : nullptr;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  type.initialValue = desc.initial_value;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  gpu_->check(gpu_->vk.vkCreateSemaphore(gpu_->device(), &info, nullptr, &handle_), "vkCreateSemaphore", "{}", label_);
  owned_ = vulkan::Semaphore(gpu_, handle_);
  gpu_->name(handle_, VK_OBJECT_TYPE_SEMAPHORE, label_);
  if (desc.source == VD_SEMAPHORE_FD) take_fd(desc.handle);
}

void SharedSemaphore::take_fd(uint64_t fd) {
  VkImportSemaphoreFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR;
  info.semaphore = handle_;
  info.handleType = kFd;
  info.fd = platform::copy_descriptor(static_cast<int>(fd));
  if (info.fd < 0) fail(VD_ERR_INVALID, "desc->handle ({}) is no file descriptor", fd);
  const VkResult taken = gpu_->vk.vkImportSemaphoreFdKHR(gpu_->device(), &info);
  if (taken != VK_SUCCESS) platform::close_descriptor(info.fd);  // else it is the driver's
  if (taken == VK_ERROR_INVALID_EXTERNAL_HANDLE)
    fail(VD_ERR_INVALID, "desc->handle ({}) is no file descriptor of a timeline semaphore of device \"{}\"", fd,
         gpu_->info().name);
  gpu_->check(taken, "vkImportSemaphoreFdKHR", "{}", label_);
}

uint64_t SharedSemaphore::value() const {
  gpu_->require_alive();
  uint64_t value = 0;
  gpu_->check(gpu_->vk.vkGetSemaphoreCounterValue(gpu_->device(), handle_, &value), "vkGetSemaphoreCounterValue", "{}",
              label_);
  return value;
}

// The driver is not obliged to notice.
void SharedSemaphore::check(uint64_t value, bool set, const std::string& name) {
  const uint64_t present = this->value(), most = gpu_->physical.max_timeline_difference;
  if (value > present && value - present > most)
    fail(VD_ERR_INVALID, "{} ({}) is further above the value of {} ({}) than Vulkan device \"{}\" takes ({})", name,
         value, label_, present, gpu_->info().name, most);
  if (!set) return;
  const std::lock_guard lock(mutex_);
  require_above(value, claimed == 0 ? pending_.end() : pending_.lower_bound(claimed), name);
  if (value <= present)
    fail(VD_ERR_INVALID, "{} ({}) is not above the present value of {} ({})", name, value, label_, present);
}

// Above all that the host has set, and the values of work up to `end`.
void SharedSemaphore::require_above(uint64_t value, std::set<uint64_t>::const_iterator end, const std::string& name) {
  const uint64_t highest = end == pending_.begin() ? highest_set_ : std::max(highest_set_, *std::prev(end));
  if (value <= highest)
    fail(VD_ERR_INVALID, "{} ({}) is not above the last value of {} ({})", name, value, label_, highest);
}

void SharedSemaphore::claim(uint64_t value, const std::string& name) {
  check(value, true, name);
  const std::lock_guard lock(mutex_);
  require_above(value, pending_.end(), name);  // the host may have set it meanwhile
  if (pending_.size() >= most_pending_) {
    forget_up_to(this->value());
    most_pending_ = std::max(kLeastPending, 2 * pending_.size());
  }
  pending_.insert(value);
}

void SharedSemaphore::forget_failure(uint64_t value) noexcept {
  const std::lock_guard lock(mutex_);
  broken_.erase(value);
}

void SharedSemaphore::give_back(uint64_t value, const std::exception_ptr& failure) noexcept {
  const std::lock_guard lock(mutex_);
  pending_.erase(value);
  if (!failure) return;
  try {
    broken_[value] = failure;
  } catch (...) {  // no memory: whoever waits meets the end of his time
  }
}

void SharedSemaphore::forget_up_to(uint64_t present) {
  const auto end = pending_.upper_bound(present);
  if (end == pending_.begin()) return;
  highest_set_ = std::max(highest_set_, *std::prev(end));
  pending_.erase(pending_.begin(), end);
}

// Values must rise, those of work in flight too.
void SharedSemaphore::signal(uint64_t value) {
  const std::lock_guard lock(mutex_);
  const uint64_t present = this->value();
  if (value <= present)
    fail(VD_ERR_INVALID, "value ({}) is not above the present value of {} ({})", value, label_, present);
  forget_up_to(present);
  if (!pending_.empty() && value >= *pending_.begin())
    fail(VD_ERR_INVALID, "value ({}) is not below the one to which work in flight sets {} ({})", value, label_,
         *pending_.begin());
  set(value);
  broken_.erase(broken_.begin(), broken_.upper_bound(value));
}

void SharedSemaphore::force(uint64_t value) {
  const std::lock_guard lock(mutex_);
  set(value);
}

void SharedSemaphore::set(uint64_t value) {
  VkSemaphoreSignalInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
  info.semaphore = handle_;
  info.value = value;
  gpu_->check(gpu_->vk.vkSignalSemaphore(gpu_->device(), &info), "vkSignalSemaphore", "value {} of {}", value, label_);
  highest_set_ = std::max(highest_set_, value);
}

// Throws if the work that would have set this very value failed, even where the library or a later value moved it on.
bool SharedSemaphore::reached(uint64_t value) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto broken = broken_.find(value); broken != broken_.end()) try {
        std::rethrow_exception(broken->second);
      } catch (const Error& error) {
        fail(error.status(), "the work that would set {} to {} failed: {}", label_, value, error.what());
      }
  }
  return this->value() >= value;
}

bool SharedSemaphore::wait(uint64_t value, uint64_t timeout_ns) {
  if (reached(value)) return true;
  if (timeout_ns == 0) return false;
  VkSemaphoreWaitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &handle_;
  info.pValues = &value;
  // In pieces, so that a lost device ends it, and a queue that fails.
  constexpr uint64_t kPiece = 100'000'000;
  for (uint64_t left = timeout_ns;;) {
    gpu_->require_alive();
    const uint64_t piece = std::min(left, kPiece);
    const VkResult result = gpu_->vk.vkWaitSemaphores(gpu_->device(), &info, piece);
    gpu_->check(result, "vkWaitSemaphores", "value {} of {}", value, label_);
    if (result == VK_SUCCESS || reached(value)) return true;
    if (timeout_ns != VD_WAIT_FOREVER) left -= piece;
    if (left == 0) return false;
  }
}

int SharedSemaphore::export_fd() const {
  if (!exportable_) return backends::Semaphore::export_fd();
  gpu_->require_alive();
  VkSemaphoreGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  info.semaphore = handle_;
  info.handleType = kFd;
  int fd = -1;
  gpu_->check(gpu_->vk.vkGetSemaphoreFdKHR(gpu_->device(), &info, &fd), "vkGetSemaphoreFdKHR", "{}", label_);
  return fd;
}

void Work::give_back_claims(size_t first, const std::exception_ptr& failure) const noexcept {
  for (const SharedUse& use : uses)
    if (use.claims && use.task >= first) use.semaphore->give_back(use.value, failure);
}

bool SharedSemaphore::native(const char* kind, uint64_t& out) const {
  if (std::string_view(kind) != "VkSemaphore") return false;
  out = reinterpret_cast<uint64_t>(handle_);
  return true;
}

}  // namespace vd::vulkan
