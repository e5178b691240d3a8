#include "runtime/workspace.h"

#include <algorithm>
#include <iterator>

#include "runtime/buffer.h"
#include "runtime/context.h"

namespace vd::runtime {
namespace {

Ref<vd_buffer> make(vd_context& context, uint32_t device, uint64_t size) {
  vd_buffer::Desc desc;
  desc.device = device;
  desc.size = size;
  desc.label = "fft workspace";
  return vd_buffer::create(context, desc);
}

}  // namespace

uint64_t WorkspacePool::most(uint32_t device) const {
  uint64_t most = 0;
  for (const auto& [of, size] : needs_)
    if (of == device) most = std::max(most, size);
  return most;
}

Ref<vd_buffer> WorkspacePool::get(vd_context& context, uint32_t queue, uint64_t size) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, queue, &Kept::queue);
  if (found != kept_.end() && found->buffer->size() >= size) return found->buffer;
  const uint32_t device = context.queue(queue).device;
  // There may be no room for both; the shorter one goes once work that uses it is done.
  if (found != kept_.end()) kept_.erase(found);
  kept_.push_back({queue, device, make(context, device, std::max(size, most(device)))});
  return kept_.back().buffer;
}

void WorkspacePool::add_need(uint32_t device, uint64_t size) {
  const std::lock_guard lock(mutex_);
  needs_.emplace(device, size);
}

void WorkspacePool::remove_need(uint32_t device, uint64_t size) noexcept {
  std::list<Kept> gone;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  needs_.erase(needs_.find({device, size}));
  const uint64_t left = most(device);
  for (auto at = kept_.begin(); at != kept_.end();) {
    const auto next = std::next(at);
    if (at->device == device && at->buffer->size() > left) gone.splice(gone.end(), kept_, at);
    at = next;
  }
}

Workspace::Workspace(vd_context& context, uint32_t device, uint64_t size)
    : context_(context), device_(device), size_(size) {
  context.workspaces().add_need(device, size);
  try {
    on(context.first_queue(device));
  } catch (...) {
    context.workspaces().remove_need(device, size);
    throw;
  }
}

Workspace::~Workspace() { context_.workspaces().remove_need(device_, size_); }

Ref<vd_buffer> Workspace::on(uint32_t queue) const { return context_.workspaces().get(context_, queue, size_); }

Ref<vd_buffer> Workspace::own() {
  const std::lock_guard lock(mutex_);
  if (!own_) own_ = make(context_, device_, size_);
  return own_;
}

}  // namespace vd::runtime
