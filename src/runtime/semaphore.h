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

// The part of a queue's wait, once, under the order lock: by the first of the submissions that the work has.
class SemaphoreOrder {
 public:
  explicit SemaphoreOrder(SemaphoreUses uses) : uses_(std::move(uses)) {}
  void wait(vd_context& context, Queue& queue);
  // Behind the work.
  void signal(vd_context& context, Queue& queue) const;
  bool waits() const { return !uses_.waits.empty(); }

 private:
  const SemaphoreUses uses_;
  bool waited_ = false;  // under the context's order lock
};

}  // namespace vd::runtime
