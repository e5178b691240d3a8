#include "runtime/memory.h"

#include "core/error.h"
#include "runtime/context.h"

namespace vd::runtime {

Release::~Release() {
  if (release_) context_.releases().add(std::move(release_));
}

DeviceMemory::DeviceMemory(vd_context& context, std::unique_ptr<backends::Memory> memory,
                           std::unique_ptr<Release> release, bool imported)
    : last_use(context.queue_count(), 0),
      context_(context),
      memory_(std::move(memory)),
      release_(std::move(release)),
      counted_(imported ? 0 : memory_->size()) {
  context_.retired().expect();
  context_.add_memory(static_cast<int64_t>(counted_));
}

DeviceMemory::~DeviceMemory() {
  context_.add_memory(-static_cast<int64_t>(counted_));
  const bool imported = release_ != nullptr;
  LastUse waited;
  try {
    if (imported) waited = last_use;
  } catch (...) {
    // As below.
  }
  context_.retired().add({std::move(last_use), nullptr, nullptr, std::move(memory_), std::move(release_)});
  context_.retired().collect(imported);
  // The owner of imported memory is told as soon as work in flight is done, whether or not anybody calls us again.
  for (uint32_t q = 0; q < waited.size(); ++q) {
    if (waited[q] == 0) continue;
    try {
      context_.when_done(
          q, waited[q], [&context = context_, q, value = waited[q]](const auto&) { context.collect_behind(q, value); });
    } catch (...) {
      // No memory for that: the owner is told at a later call.
    }
  }
}

Block::Block(Ref<vd_context> context, uint32_t device, std::unique_ptr<backends::Memory> memory, std::string name)
    : context_(std::move(context)),
      device_(device),
      name_(std::move(name)),
      size_(memory->size()),
      place_{std::make_shared<Region>(context_->queue_count(), 0), 0} {
  memory_ = std::make_shared<DeviceMemory>(*context_, std::move(memory));
}

Block::Block(Ref<vd_context> context, uint32_t device, std::unique_ptr<backends::Memory> memory, std::string name,
             Place place, std::unique_ptr<Release> release)
    : context_(std::move(context)),
      device_(device),
      name_(std::move(name)),
      size_(memory->size()),
      place_(std::move(place)) {
  memory_ = std::make_shared<DeviceMemory>(*context_, std::move(memory), std::move(release), true);
}

const std::shared_ptr<DeviceMemory>& Block::usable_memory() const {
  if (!memory_) throw DiscardedError(name_);
  return memory_;
}

void Block::discard() {
  std::shared_ptr<DeviceMemory> gone;
  {
    std::lock_guard lock(context_->order());
    gone = std::move(memory_);
    memory_ = nullptr;
    discarded_.store(true, std::memory_order_release);
  }
}

}  // namespace vd::runtime
