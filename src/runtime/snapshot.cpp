#include "runtime/snapshot.h"

#include <algorithm>

#include "runtime/context.h"

namespace vd::runtime {

Snapshot::Snapshot(vd_context& context, uint32_t device)
    : last_use(context.queue_count(), 0),
      context_(context),
      device_(device),
      patchable_(context.device(device).patches_executables()) {
  context_.retired().expect();
}

Snapshot::~Snapshot() {
  // This comes first: retired objects are destroyed in order, and the executable refers to memory and modules.
  context_.retired().add({std::move(last_use), std::move(executable_), nullptr, nullptr});
}

backends::Executable* Snapshot::executable(bool again) {
  std::lock_guard lock(mutex_);
  if (executable_ || (!previous_ && !std::exchange(used_, true) && !again)) return executable_.get();
  const auto held = hold_memory();
  if (previous_) {
    adopt_executable();
    if (executable_ || (!std::exchange(used_, true) && !again)) return executable_.get();
  }
  executable_ = context_.call([&] { return context_.device(device_).make_executable(list); });
  return executable_.get();
}

// Held while the backend looks at it: another thread may discard a buffer meanwhile.
std::vector<std::shared_ptr<DeviceMemory>> Snapshot::hold_memory() const {
  std::vector<std::shared_ptr<DeviceMemory>> memories;
  const std::lock_guard order(context_.order());
  for (const auto& block : blocks) memories.push_back(block->usable_memory());
  return memories;
}

bool Snapshot::keep_for_update() {
  std::lock_guard lock(mutex_);
  if (!executable_ || !executable_->updatable()) return false;
  list = {};
  accesses.clear();
  blocks.clear();
  return true;
}

// If the update fails or is impossible, the previous form keeps its executable, and retires it.
void Snapshot::adopt_executable() {
  const auto previous = std::exchange(previous_, nullptr);
  std::lock_guard lock(previous->mutex_);
  if (!context_.call([&] { return previous->executable_->update(list); })) return;
  executable_ = std::move(previous->executable_);
  std::lock_guard order(context_.order());
  for (size_t q = 0; q < last_use.size(); ++q) last_use[q] = std::max(last_use[q], previous->last_use[q]);
}

void Snapshot::patch(std::span<const uint32_t> commands) {
  std::lock_guard lock(mutex_);
  // Without patches it may change again before another executable is worth it.
  if (!patchable_) used_ = false;
  if (!executable_) return;
  try {
    const auto held = hold_memory();
    if (context_.call([&] { return executable_->patch(list, commands); })) return;
    patchable_ = used_ = false;
  } catch (...) {
    retire_executable();
    throw;
  }
  retire_executable();
}

bool Snapshot::patchable() const {
  std::lock_guard lock(mutex_);
  return patchable_;
}

void Snapshot::retire_executable() {
  context_.retired().expect();
  LastUse used;
  {
    std::lock_guard order(context_.order());
    used = last_use;
  }
  context_.retired().add({std::move(used), std::move(executable_), nullptr, nullptr});
}

void Snapshot::note_stale(uint32_t first, uint32_t last) {
  for (uint32_t node = std::max(first, first_node); node <= last && node < end_node; ++node) stale.push_back(node);
  if (stale.size() <= 2 * size_t{end_node - first_node}) return;
  std::sort(stale.begin(), stale.end());
  stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
}

void Snapshot::drop(const Block* block) {
  for (Access& use : uses)
    if (use.block == block) use.block = nullptr;  // another block may come to lie where it was
  std::erase_if(accesses, [&](const Access& access) { return access.block == block; });
  std::erase_if(blocks, [&](const Ref<Block>& held) { return held.get() == block; });
}

void Snapshot::set_use(size_t number, const Access& access) {
  uses[number] = access;
  places[number] = {access.block->region(), access.block->placed(access.span)};
}

}  // namespace vd::runtime
