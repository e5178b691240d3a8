#include "backends/vulkan/submitter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "backends/vulkan/marks.h"
#include "core/log.h"

namespace vd::vulkan {
namespace {

using Clock = Timeline::Clock;

// Commands of one submit. Encoding takes 0.6 us a command and a dependent dispatch runs for 1.9 us, so batches of this
// size overlap with the device, and the cost of a submit (3-6 us) is spread over many.
constexpr size_t kBatchCommands = 128;
constexpr size_t kBatchRuns = 64;  // command buffers of graphs in one submit
constexpr size_t kBatchSlots = 8;  // command buffers of ours in one submit; well below kRingSlots
constexpr size_t kRingSlots = 64;

}  // namespace

Submitter::Submitter(std::shared_ptr<const Gpu> gpu, uint32_t family, uint32_t index, std::string label,
                     Timeline& timeline, const Demand& demand)
    : gpu_(std::move(gpu)),
      family_(family),
      label_(std::move(label)),
      timeline_(timeline),
      demand_(demand),
      encoder_(*gpu_, hazards_) {
  queue_ = gpu_->queue(family, index);
  gpu_->name(queue_, VK_OBJECT_TYPE_QUEUE, label_);
}

Work& Submitter::refill() {
  std::ranges::copy_if(taken_.uses, std::back_inserter(waiting_), [&](const auto& use) { return use.task >= given_; });
  taken_.clear();
  cursor_ = given_ = 0;
  return taken_;
}

void Submitter::drop(const std::exception_ptr& failure) noexcept {
  taken_.give_back_claims(given_, failure);
  taken_.clear();
  waiting_.clear();
  cursor_ = given_ = 0;
}

VkResult Submitter::wait_idle() const noexcept {
  try {
    return gpu_->use_queue(queue_, [&] { return gpu_->vk.vkQueueWaitIdle(queue_); });
  } catch (const Error& error) {  // of the program's lock
    log_error("{} was not waited for: {}", label_, error.what());
    return VK_ERROR_UNKNOWN;
  }
}

bool Submitter::is_free(const CommandSlot& slot) {
  return slot.value <= timeline_.known_released() || slot.value <= timeline_.released();
}

size_t Submitter::free_slot() {
  if (ready_slot_) return *std::exchange(ready_slot_, std::nullopt);
  if (slots_.empty() || (slots_.size() < kRingSlots && !is_free(slots_[next_slot_]))) {
    CommandSlot slot;
    slot.pool = make_pool(gpu_, family_, true);
    slot.buffer = make_buffer(*gpu_, slot.pool, fmt::format("{} list {}", label_, slots_.size()));
    slot.arena = std::make_unique<Arena>(gpu_);
    // In front of the oldest, so that the ring stays in order of age.
    slots_.insert(slots_.begin() + static_cast<std::ptrdiff_t>(next_slot_), std::move(slot));
    for (size_t& used : batch_.slots)
      if (used >= next_slot_) ++used;
  } else {
    CommandSlot& slot = slots_[next_slot_];
    while (!timeline_.wait_released(slot.value, Clock::time_point::max())) gpu_->require_alive();
    gpu_->check(gpu_->vk.vkResetCommandPool(gpu_->device(), slot.pool.get(), 0), "vkResetCommandPool", "\"{}\"",
                label_);
    slot.arena->reset();
  }
  const size_t taken = next_slot_;
  next_slot_ = (next_slot_ + 1) % slots_.size();
  slots_[taken].value = UINT64_MAX;  // known when its batch is submitted
  return taken;
}

// Right after a submission, when the device has work: a thread that waits for it and then launches again does not spend
// its own time on this.
void Submitter::prepare_slot() {
  if (ready_slot_ || slots_.empty() || !is_free(slots_[next_slot_])) return;
  ready_slot_ = free_slot();
}

Encoder& Submitter::open_encoder(Batch& batch) {
  if (!encoder_.open()) {
    const size_t index = free_slot();
    batch.slots.push_back(index);
    batch.buffers.push_back(slots_[index].buffer);
    encoder_.begin(slots_[index].buffer, *slots_[index].arena, true);
  }
  return encoder_;
}

void Submitter::close_encoder(Batch&) {
  if (encoder_.open()) encoder_.end();
}

void Submitter::add_run(Batch& batch, Task& task) {
  const Executable& executable = *task.executable;
  const VkCommandBuffer buffer = executable.buffer(family_);
  if (buffer == VK_NULL_HANDLE || task.repeat == 0) {
    task.repeat = 0;
    return;
  }
  // Its own first barrier does not wait for everything.
  if (const uint32_t missed = hazards_.before(executable.first_kinds(), true) & ~executable.waits_for();
      missed != kNoWork)
    open_encoder(batch).barrier(missed, executable.first_kinds());
  close_encoder(batch);
  const uint32_t times = std::min<uint32_t>(task.repeat, kBatchRuns);
  batch.buffers.insert(batch.buffers.end(), times, buffer);
  batch.graph = executable.number();
  hazards_.barrier(executable.waits_for(), executable.first_kinds());
  hazards_.mark_ordered();
  hazards_.record(executable.kinds());
  task.repeat -= times;
}

void Submitter::add(Batch& batch, Task& task) {
  batch.empty = false;
  batch.value = task.value;
  if (task.settled) hazards_.mark_ordered();
  switch (task.kind) {
    case Task::Kind::List:
      if (task.count == 0) {
        // The runtime takes a list for a barrier, where it wants one. An empty one owes it.
        if (task.wait_before) hazards_.mark_ordered();
        break;
      }
      if (task.queries.pool != VK_NULL_HANDLE)
        open_encoder(batch).encode(taken_.view(task), task.queries);
      else
        open_encoder(batch).encode(taken_.view(task), task.wait_before);
      batch.commands += task.count;
      break;
    case Task::Kind::Run:
      add_run(batch, task);
      batch.commands = kBatchCommands;  // a graph is worth a submit of its own
      batch.partial = task.repeat != 0;
      break;
    case Task::Kind::Copy: {
      Encoder& encoder = open_encoder(batch);
      encoder.barrier_before(kTransfer, task.wait_before);
      encoder.copy(task.source, task.source_offset, task.destination, task.destination_offset, task.size);
      if (task.touches_host) encoder.touches_host();
      hazards_.record(kTransfer);
      ++batch.commands;
      break;
    }
    case Task::Kind::Prepare:
      open_encoder(batch).prepare(*task.image);
      ++batch.commands;
      break;
    case Task::Kind::Wait:
    case Task::Kind::Signal:
      break;
  }
  batch.closed = task.close;
}

void Submitter::submit_batch() {
  Batch& batch = batch_;
  batch.buffers.clear();
  batch.slots.clear();
  batch.commands = 0;
  batch.graph = 0;
  batch.partial = batch.closed = false;
  batch.empty = true;
  while (cursor_ < taken_.tasks.size()) {
    Task& task = taken_.tasks[cursor_];
    if (task.kind == Task::Kind::Wait) {
      if (!batch.empty) break;  // the work in the batch need not wait
      wait_semaphores_.push_back(task.semaphore);
      wait_values_.push_back(task.semaphore_value);
      wait_stages_.push_back(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT);
      ++cursor_;
      continue;
    }
    if (task.kind == Task::Kind::Signal) {  // of the work up to here
      signal_semaphores_.push_back(task.semaphore);
      signal_values_.push_back(task.semaphore_value);
      ++cursor_;
      break;
    }
    add(batch, task);
    if (batch.partial) break;
    ++cursor_;
    if (batch.closed || batch.commands >= kBatchCommands || batch.slots.size() >= kBatchSlots) break;
  }
  if (!batch.empty || !signal_semaphores_.empty()) queue_submit(batch);
}

// A mark costs the device 1 to 3 us. In a stream of submissions only the last one gets it, and those that a thread
// already waits for.
bool Submitter::wants_mark(const Batch& batch) const noexcept {
  if (timeline_.marks() == nullptr || batch.partial) return false;
  if (batch.closed) return true;  // a piece of a transfer, which its thread waits for
  if (cursor_ == taken_.tasks.size() && !demand_.has_open.load(std::memory_order_acquire)) return true;
  const uint64_t wanted = demand_.wanted.load(std::memory_order_relaxed);
  return wanted > submitted_.load(std::memory_order_relaxed) && wanted <= batch.value;
}

void Submitter::add_mark(Batch& batch) {
  if (!encoder_.open() && batch.graph != 0 && !timeline_.wants_mark(batch.graph, batch.value)) return;
  const auto number = timeline_.take_mark(batch.value);
  if (!number) return;
  if (encoder_.open())
    encoder_.mark(timeline_.marks()->word(), *number);
  else
    batch.buffers.push_back(timeline_.marks()->commands(*number));
}

void Submitter::queue_submit(Batch& batch) {
  if (!batch.empty && wants_mark(batch)) add_mark(batch);
  close_encoder(batch);
  if (!batch.partial && !batch.empty) {
    signal_semaphores_.push_back(timeline_.semaphore());
    signal_values_.push_back(batch.value);
  }
  VkTimelineSemaphoreSubmitInfo values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  values.waitSemaphoreValueCount = static_cast<uint32_t>(wait_values_.size());
  values.pWaitSemaphoreValues = wait_values_.data();
  values.signalSemaphoreValueCount = static_cast<uint32_t>(signal_values_.size());
  values.pSignalSemaphoreValues = signal_values_.data();
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &values;
  info.waitSemaphoreCount = static_cast<uint32_t>(wait_semaphores_.size());
  info.pWaitSemaphores = wait_semaphores_.data();
  info.pWaitDstStageMask = wait_stages_.data();
  info.commandBufferCount = static_cast<uint32_t>(batch.buffers.size());
  info.pCommandBuffers = batch.buffers.data();
  info.signalSemaphoreCount = static_cast<uint32_t>(signal_semaphores_.size());
  info.pSignalSemaphores = signal_semaphores_.data();
  const VkResult given =
      gpu_->use_queue(queue_, [&] { return gpu_->vk.vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE); });
  gpu_->check(given, "vkQueueSubmit", "{} commands on {}", batch.commands, label_);
  given_ = cursor_;
  waiting_.clear();
  std::erase_if(taken_.uses, [&](const SharedUse& use) { return use.task < given_; });
  if (gpu_->clock_hold) gpu_->clock_hold->begin();
  wait_semaphores_.clear();
  wait_values_.clear();
  wait_stages_.clear();
  signal_semaphores_.clear();
  signal_values_.clear();
  for (const size_t slot : batch.slots) slots_[slot].value = batch.value;
  if (!batch.partial && !batch.empty) submitted_.store(batch.value, std::memory_order_release);
  prepare_slot();
}

}  // namespace vd::vulkan
