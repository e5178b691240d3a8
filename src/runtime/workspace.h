// The workspaces of plans: memory that their passes write and read again. Work of one queue runs in order, so the plans
// of a device share one buffer for each queue, as long as the largest of them needs.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <set>
#include <utility>

#include "core/object.h"

struct vd_buffer;
struct vd_context;

namespace vd::runtime {

// The buffers of a context.
class WorkspacePool {
 public:
  // For a queue: of at least that size, and of what any plan of the device needs.
  Ref<vd_buffer> get(vd_context& context, uint32_t queue, uint64_t size);
  void add_need(uint32_t device, uint64_t size);
  // Lets go of buffers that are longer than any plan still needs.
  void remove_need(uint32_t device, uint64_t size) noexcept;

 private:
  struct Kept {
    uint32_t queue = 0, device = 0;
    Ref<vd_buffer> buffer;
  };
  uint64_t most(uint32_t device) const;

  std::mutex mutex_;
  std::multiset<std::pair<uint32_t, uint64_t>> needs_;  // by device
  std::list<Kept> kept_;
};

// The need of one plan.
class Workspace {
 public:
  // Throws VD_ERR_OUT_OF_MEMORY if there is no room for it on the device's first queue.
  Workspace(vd_context& context, uint32_t device, uint64_t size);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  uint64_t size() const { return size_; }
  // Shared with other plans, for work that the queue orders.
  Ref<vd_buffer> on(uint32_t queue) const;
  // This plan's alone, as long as it lives, for graphs.
  Ref<vd_buffer> own();

 private:
  vd_context& context_;  // of the plan, which outlives this
  const uint32_t device_;
  const uint64_t size_;
  std::mutex mutex_;  // of the next
  Ref<vd_buffer> own_;
};

}  // namespace vd::runtime
