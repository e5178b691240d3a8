#include "runtime/memory.h"

#include "core/error.h"
#include "runtime/context.h"

namespace vd::runtime {

DeviceMemory::DeviceMemory(vd_context& context, std::unique_ptr<backends::Memory> memory)
    : last_use(context.queue_count(), 0), context_(context), memory_(std::move(memory)) {
  context_.retired().expect();
  context_.add_memory(static_cast<int64_t>(memory_->size()));
}

DeviceMemory::~DeviceMemory() {
  context_.add_memory(-static_cast<int64_t>(memory_->size()));
  context_.retired().add({std::move(last_use), nullptr, nullptr, std::move(memory_)});
  context_.retired().collect();
}

Block::Block(Ref<vd_context> context, uint32_t device, std::unique_ptr<backends::Memory> memory, std::string name)
    : log(context->queue_count()), context_(std::move(context)), device_(device), name_(std::move(name)) {
  memory_ = std::make_shared<DeviceMemory>(*context_, std::move(memory));
}

const std::shared_ptr<DeviceMemory>& Block::usable_memory() const {
  if (!memory_) fail(VD_ERR_STATE, "{} was discarded", name_);
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
