// The object behind vd_semaphore, and its use by work.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/object.h"
#include "runtime/context.h"

struct vd_semaphore final : vd::Object {
 public:
  vd_semaphore(vd_context& context, uint32_t device, uint64_t timeout_ns, const vd::backends::SemaphoreDesc& desc);

  vd_context& context() const { return *context_; }
  uint32_t device() const { return device_; }
  const std::string& name() const { return name_; }  // in messages: `semaphore "x"`, or "a semaphore"
  vd::backends::Semaphore& get() const { return *semaphore_; }
  vd::backends::SemaphoreUse use(uint64_t value) const { return {semaphore_, value, timeout_ns_, name_}; }

 private:
  vd::Ref<vd_context> context_;  // outlives the semaphore
  const uint32_t device_;
  const uint64_t timeout_ns_;
  const std::string name_;
  std::shared_ptr<vd::backends::Semaphore> semaphore_;
};

namespace vd::runtime {

// Semaphores that a piece of work waits for before it begins, and sets at its end.
struct SemaphoreUses {
  std::vector<backends::SemaphoreUse> waits, signals;
};

// Semaphores in the order of some work. The values to set are claimed before any of the work is submitted, so that a
// value which cannot be set refuses the work, and no other thread takes it meanwhile.
class SemaphoreOrder {
 public:
  SemaphoreOrder(vd_context& context, SemaphoreUses uses) : context_(context), uses_(std::move(uses)) {}
  SemaphoreOrder(const SemaphoreOrder&) = delete;
  SemaphoreOrder& operator=(const SemaphoreOrder&) = delete;
  // Gives back the values that were not set.
  ~SemaphoreOrder();

  // Throws VD_ERR_INVALID for a value that is not above all before; `name` is the list's in messages. Waits until other
  // threads that set one of the semaphores have submitted their work, since queues are given values in rising order.
  void claim(const std::string& name);
  // The queue's wait, once, under the order lock: by the first of the submissions that the work has.
  void wait(Queue& queue);
  // Behind the work.
  void signal(Queue& queue);
  bool waits() const { return !uses_.waits.empty(); }

 private:
  void end_claims() noexcept;

  vd_context& context_;
  const SemaphoreUses uses_;
  bool waited_ = false;             // under the context's order lock, as the next
  size_t claimed_ = 0, given_ = 0;  // of the values to set, from the first on
};

}  // namespace vd::runtime
