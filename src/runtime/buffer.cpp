#include "runtime/buffer.h"

#include <algorithm>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/platform.h"
#include "runtime/host_write.h"
#include "runtime/stream.h"
#include "runtime/submission.h"
#include "runtime/transfer.h"

namespace {

using namespace vd;
using runtime::Access;

}  // namespace

// ---- Making

vd_buffer::vd_buffer(Desc desc, std::vector<Ref<runtime::Block>> replicas, uint64_t offset)
    : desc_(std::move(desc)), replicas_(std::move(replicas)), offset_(offset) {}

namespace {

void check_shape(const std::array<uint64_t, VD_MAX_DIMS>& shape, uint64_t size) {
  uint64_t elements = 1;
  for (uint32_t i = 0; i < VD_MAX_DIMS && shape[i] != 0; ++i) {
    if (shape[i] > size / elements) {
      fail(VD_ERR_INVALID, "desc->shape[{}] ({}) makes more elements than desc->size ({}) has bytes", i, shape[i],
           size);
    }
    elements *= shape[i];
  }
}

}  // namespace

Ref<vd_buffer> vd_buffer::create(vd_context& context, Desc desc) {
  if (desc.size == 0) fail(VD_ERR_INVALID, "desc->size (0) is zero");
  check_shape(desc.shape, desc.size);
  const bool host_visible = (desc.flags & VD_BUFFER_HOST) != 0, exported = (desc.flags & VD_BUFFER_EXPORT) != 0;
  if (exported && desc.flags != VD_BUFFER_EXPORT)
    fail(VD_ERR_INVALID, "desc->flags ({:#x}) has others beside VD_BUFFER_EXPORT", desc.flags);
  const vd_context::Make make = [host_visible, exported, size = desc.size,
                                 label = desc.label](backends::Device& device) {
    const vd_device_info& info = device.info();
    if (size > info.max_allocation_size) {
      fail(VD_ERR_INVALID, "desc->size ({}) is more than device \"{}\" allocates at once ({})", size, info.name,
           info.max_allocation_size);
    }
    return exported ? device.make_exportable(size, label) : device.make_memory(size, host_visible, label);
  };
  return create(context, std::move(desc), make);
}

Ref<vd_buffer> vd_buffer::create(vd_context& context, Desc desc, const vd_context::Make& make) {
  const bool per_queue = (desc.flags & VD_BUFFER_PER_QUEUE) != 0 && context.queue_count() > 1;
  const char* const kind = desc.of_image ? "image" : "buffer";
  const std::string name = desc.label.empty() ? fmt::format("{} {}", desc.of_image ? "an" : "a", kind)
                                              : fmt::format("{} \"{}\"", kind, desc.label);
  std::vector<Ref<runtime::Block>> replicas;
  for (uint32_t q = 0; q < (per_queue ? context.queue_count() : 1); ++q) {
    const uint32_t device = per_queue ? context.queue(q).device : desc.device;
    replicas.push_back(
        make_ref<runtime::Block>(Ref<vd_context>::retain(&context), device, context.allocate(device, make), name));
  }
  return Ref<vd_buffer>::adopt(new vd_buffer(std::move(desc), std::move(replicas), 0));
}

Ref<vd_buffer> vd_buffer::import(vd_context& context, Desc desc, const Import& from) {
  const bool by_fd = from.memory.kind == VD_MEMORY_KIND_FD;
  if (from.memory.handle == 0 && !by_fd)
    fail(VD_ERR_INVALID, "desc->handle (0) is a null pointer, not the address of memory");
  if (desc.size == 0) fail(VD_ERR_INVALID, "desc->size (0) is zero");
  check_shape(desc.shape, desc.size);
  if (from.memory.handle + desc.size < from.memory.handle) {
    fail(VD_ERR_INVALID, "desc->handle ({:#x}) + desc->size ({}) is past the last address", from.memory.handle,
         desc.size);
  }
  runtime::Queue& queue = context.queue(context.first_queue(desc.device));
  if (from.stream != 0) queue.backend.check_stream(from.stream, "desc->stream");
  context.require_callable();
  context.retired().collect();
  backends::Device& device = context.device(desc.device);
  const vd_device_info& info = device.info();
  if (from.memory.kind == VD_MEMORY_KIND_HOST && desc.size > info.max_allocation_size)
    fail(VD_ERR_INVALID, "desc->size ({}) is more than device \"{}\" has in one buffer ({})", desc.size, info.name,
         info.max_allocation_size);
  auto memory = context.call([&] { return device.import_memory(from.memory); });
  auto release = std::make_unique<runtime::Release>(context, nullptr);
  auto* const released = release.get();
  const uint64_t front = memory->front(), all = memory->size();
  const std::string name = desc.label.empty() ? "a buffer" : fmt::format("buffer \"{}\"", desc.label);
  auto place =
      by_fd ? runtime::Place{std::make_shared<runtime::Region>(context.queue_count(), 0), from.memory.offset - front}
            : context.place_of(from.memory.handle - front, all);
  auto block = make_ref<runtime::Block>(Ref<vd_context>::retain(&context), desc.device, std::move(memory), name,
                                        std::move(place), std::move(release));
  if (from.stream != 0) {
    const Access bytes{block.get(), {front, front + desc.size}, true};
    submit(context, queue, {.accesses = {&bytes, 1}}, [&](bool) {
      return runtime::Submitted{queue.backend.wait_stream(from.stream), true};
    });
  }
  desc.imported = true;
  desc.front = front;
  desc.by_fd = by_fd;
  auto result = Ref<vd_buffer>::adopt(new vd_buffer(std::move(desc), {std::move(block)}, front));
  released->set(from.release);  // nothing fails from here on
  // Closed only now: an import that fails, also after the backend's part, leaves it to the program.
  if (by_fd) platform::close_descriptor(static_cast<int>(from.memory.handle));
  return result;
}

Ref<vd_buffer> vd_buffer::slice(uint64_t offset, uint64_t size, const std::array<uint64_t, VD_MAX_DIMS>& shape,
                                const std::string& names) {
  check_usable();
  const bool whole = size == VD_WHOLE_SIZE;
  size = size_from(offset, size);
  check_range((names + "offset").c_str(), offset, size);
  if (size == 0 && whole)
    fail(VD_ERR_INVALID, "{}offset ({}) is the end of {}, so the slice is empty", names, offset, name());
  if (size == 0) fail(VD_ERR_INVALID, "{}size (0) is zero; VD_WHOLE_SIZE is to the end of {}", names, name());
  check_shape(shape, size);
  Desc desc = desc_;
  desc.size = size;
  desc.shape = shape;
  return Ref<vd_buffer>::adopt(new vd_buffer(std::move(desc), replicas_, offset_ + offset));
}

Ref<vd_buffer> vd_buffer::root() {
  check_usable();
  Desc desc = desc_;
  desc.shape = {};
  {
    const std::lock_guard lock(context().order());
    desc.size = replicas_[0]->usable_memory()->get().size();
  }
  return Ref<vd_buffer>::adopt(new vd_buffer(std::move(desc), replicas_, 0));
}

// ---- Looking

bool vd_buffer::mappable() const {
  const std::lock_guard lock(context().order());
  const auto& memory = replicas_[0]->memory();
  return memory && memory->get().mappable();
}

bool vd_buffer::shareable() const {
  const std::lock_guard lock(context().order());
  const auto& memory = replicas_[0]->memory();
  return memory && memory->get().shareable();
}

std::string vd_buffer::name() const {
  const char* const kind = desc_.of_image ? "image" : "buffer";
  return desc_.label.empty() ? fmt::format("the {}", kind) : fmt::format("{} \"{}\"", kind, desc_.label);
}

std::string vd_buffer::place_name() const {
  const uint64_t first = placed(span(0, 0)).begin;
  if (desc_.by_fd) return fmt::format(" from byte {} on behind a file descriptor", first);
  if (desc_.imported) return fmt::format(" in memory at {:#x}", first);
  return slice_offset() == 0 ? "" : fmt::format(" in a slice from byte {} on", slice_offset());
}

runtime::Block& vd_buffer::block(const runtime::Queue& queue) const {
  runtime::Block& block = *replicas_[per_queue() ? queue.index : 0];
  if (block.device() != queue.device) {
    fail(VD_ERR_INVALID, "{} is on device {}, queue {} on device {}", name(), block.device(), queue.index,
         queue.device);
  }
  return block;
}

void vd_buffer::check_range(const char* offset_name, uint64_t offset, uint64_t size) const {
  if (offset > desc_.size && size == VD_WHOLE_SIZE) {
    fail(VD_ERR_INVALID, "{} ({}) is past the end of {} ({})", offset_name, offset, name(), desc_.size);
  }
  if (offset > desc_.size || size > desc_.size - offset) {
    fail(VD_ERR_INVALID, "{} ({}) + size ({}) is past the end of {} ({})", offset_name, offset, size, name(),
         desc_.size);
  }
}

void vd_buffer::check_usable() const {
  if (discarded()) fail(VD_ERR_STATE, "{} was discarded", name());
}

void vd_buffer::check_writable() const {
  if (desc_.read_only) fail(VD_ERR_INVALID, "{} is read-only: it was imported so", name());
}

// ---- Transfers with the host

void vd_buffer::write(uint32_t queue, uint64_t offset, const void* data, uint64_t size) {
  check_usable();
  check_writable();
  check_range("offset", offset, size);
  vd_context& ctx = context();
  if (queue != VD_QUEUE_ALL) {
    write_replica(ctx.queue(queue), offset, data, size);
  } else if (per_queue()) {
    for (uint32_t q = 0; q < ctx.queue_count(); ++q) write_replica(ctx.queue(q), offset, data, size);
  } else {
    write_replica(ctx.queue(ctx.first_queue(replicas_[0]->device())), offset, data, size);
  }
  ctx.retired().collect();
}

vd_ticket vd_buffer::send(uint32_t queue_index, uint64_t offset, const void* data, uint64_t size,
                          const runtime::Waits& waits) {
  check_usable();
  check_writable();
  check_range("offset", offset, size);
  vd_context& ctx = context();
  runtime::Queue& queue = ctx.queue(queue_index);
  block(queue);
  if (size == 0) return runtime::submit_nothing(ctx, queue, waits);
  if (waits.stream != 0) runtime::wait_stream(ctx, queue, waits.stream);
  const vd_ticket ticket = write_replica(queue, offset, data, size, waits);
  if (waits.stream != 0) runtime::signal_stream(ctx, queue.index, waits.stream);
  ctx.retired().collect();
  return ticket;
}

vd_ticket vd_buffer::write_replica(runtime::Queue& queue, uint64_t offset, const void* data, uint64_t size,
                                   const runtime::Waits& waits) {
  if (size == 0) return 0;
  const Access access{&block(queue), span(offset, size), true};
  const runtime::Transfer transfer(context(), access);
  return runtime::send(context(), queue, access, {static_cast<const std::byte*>(data), size}, transfer, waits);
}

void vd_buffer::read(uint32_t queue_index, uint64_t offset, void* data, uint64_t size) {
  check_usable();
  check_range("offset", offset, size);
  vd_context& ctx = context();
  runtime::Queue& queue = ctx.queue(queue_index);
  runtime::Block& where = block(queue);
  if (size == 0) return;
  {
    const Access access{&where, span(offset, size), false};
    const runtime::Transfer transfer(ctx, access);
    submit(ctx, queue, {.accesses = {&access, 1}, .claim = &transfer.claim()}, [](bool) { return std::nullopt; });
    // Reading waits, so other threads may submit meanwhile; only work that writes these bytes waits for us.
    const uint64_t last = queue.last_value;
    ctx.call([&] { queue.read({&transfer.memory(), access.span.begin, size}, data, last); });
  }
  ctx.retired().collect();
}

void vd_buffer::discard() {
  for (auto& block : replicas_) block->discard();
}

uint64_t vd_buffer::native(const char* kind, uint32_t queue) const {
  vd_context& ctx = context();
  const uint32_t index = per_queue() ? ctx.queue(queue).index : 0;
  uint64_t handle = 0;
  const std::lock_guard lock(ctx.order());
  const auto& memory = replicas_[index]->memory();
  if (!memory) fail(VD_ERR_STATE, "{} was discarded", name());
  if (!memory->get().native(kind, handle)) {
    fail(VD_ERR_UNSUPPORTED, "the {} backend has no \"{}\" for a buffer", backends::backend_name(ctx.backend()), kind);
  }
  // It may come back as an import.
  if (ctx.device(replicas_[index]->device()).dlpack()) ctx.note_address(*replicas_[index], handle);
  return handle;
}

backends::ExportedMemory vd_buffer::export_memory() const {
  if ((desc_.flags & VD_BUFFER_EXPORT) == 0) fail(VD_ERR_INVALID, "{} was not made with VD_BUFFER_EXPORT", name());
  std::shared_ptr<runtime::DeviceMemory> memory;
  {
    const std::lock_guard lock(context().order());
    memory = replicas_[0]->memory();
  }
  if (!memory) fail(VD_ERR_STATE, "{} was discarded", name());
  return context().call([&] { return memory->get().export_memory(); });
}

vd_buffer::Shared vd_buffer::share(const char* kind) const {
  Shared shared;
  shared.address = native(kind, 0);
  shared.block = replicas_[0];
  const std::lock_guard lock(context().order());
  shared.memory = replicas_[0]->usable_memory();
  return shared;
}

// ---- Copies and fills

namespace vd::runtime {
namespace {

// `outside`: where a copy goes to that leaves the buffers.
vd_ticket issue(vd_context& ctx, Queue& queue, std::span<const Access> accesses, const Waits& waits,
                backends::Command command, DeviceMemory* outside = nullptr, std::span<const backends::Box> boxes = {}) {
  const auto range = [&](size_t i) {
    return backends::Range{&accesses[i].block->memory()->get(), accesses[i].span.begin,
                           accesses[i].span.end - accesses[i].span.begin};
  };
  const Work work{.accesses = accesses,
                  .after = waits.queues,
                  .after_devices = waits.devices,
                  .stream = waits.stream,
                  .semaphores = waits.semaphores.get()};
  return *submit(ctx, queue, work, [&](bool needs_barrier) {
    const bool copies = command.kind != backends::Command::Kind::Fill;
    if (copies) command.source = range(0);
    command.destination =
        outside != nullptr ? backends::Range{&outside->get(), 0, command.source.size} : range(copies ? 1 : 0);
    backends::CommandList& list = queue.scratch;
    list.clear();
    list.commands.push_back(command);
    list.boxes.assign(boxes.begin(), boxes.end());
    list.wait_before = needs_barrier;
    const uint64_t value = give(ctx.profiler(), queue, list, [&](size_t) {
      SpanName name = name_of(command);
      name.label = waits.label;
      return name;
    });
    if (outside != nullptr) outside->last_use[queue.index] = value;
    return Submitted{value, needs_barrier};
  });
}

}  // namespace

void check_copy(const vd_buffer& source, uint64_t source_offset, const vd_buffer& destination,
                uint64_t destination_offset, uint64_t size) {
  if (&source.context() != &destination.context()) {
    fail(VD_ERR_INVALID, "source ({}) and destination ({}) belong to different contexts", source.name(),
         destination.name());
  }
  source.check_usable();
  destination.check_usable();
  destination.check_writable();
  source.check_range("source_offset", source_offset, size);
  destination.check_range("destination_offset", destination_offset, size);
  const Span from = source.span(source_offset, size), to = destination.span(destination_offset, size);
  if (source.same_memory(destination) && source.placed(from).overlaps(destination.placed(to))) {
    fail(VD_ERR_INVALID, "source bytes {} to {} and destination bytes {} to {} of {} overlap", from.begin, from.end,
         to.begin, to.end, source.name());
  }
}

void check_fill(const vd_buffer& buffer, uint64_t offset, uint64_t size) {
  buffer.check_usable();
  buffer.check_writable();
  if (buffer.placed(buffer.span(offset, 0)).begin % 4 != 0) {
    fail(VD_ERR_INVALID, "offset ({}){} is not a multiple of 4", offset, buffer.place_name());
  }
  if (size % 4 != 0) fail(VD_ERR_INVALID, "size ({}) is not a multiple of 4", size);
  buffer.check_range("offset", offset, size);
}

vd_ticket copy(vd_buffer& source, uint64_t source_offset, vd_buffer& destination, uint64_t destination_offset,
               uint64_t size, uint32_t queue_index, const Waits& waits) {
  check_copy(source, source_offset, destination, destination_offset, size);
  vd_context& ctx = source.context();
  Queue& queue = ctx.queue(queue_index);
  const Access accesses[2] = {{&source.block(queue), source.span(source_offset, size), false},
                              {&destination.block(queue), destination.span(destination_offset, size), true}};
  if (size == 0) return submit_nothing(ctx, queue, waits);
  backends::Command command;
  command.kind = backends::Command::Kind::Copy;
  return issue(ctx, queue, accesses, waits, command);
}

vd_ticket copy_boxes(const BoxCopy& copy, uint32_t queue_index, const Waits& waits) {
  vd_context& ctx = copy.source->context();
  Queue& queue = ctx.queue(queue_index);
  const Access accesses[2] = {{&copy.source->block(queue), copy.read, false},
                              {&copy.destination->block(queue), copy.written, true}};
  backends::Command command;
  command.kind = copy.kind;
  return issue(ctx, queue, accesses, waits, command, nullptr, copy.boxes);
}

vd_ticket copy_out(vd_context& context, Queue& queue, const Access& source, DeviceMemory& destination,
                   const Waits& waits) {
  backends::Command command;
  command.kind = backends::Command::Kind::Copy;
  return issue(context, queue, {&source, 1}, waits, command, &destination);
}

vd_ticket fill(vd_buffer& buffer, uint64_t offset, uint64_t size, uint32_t pattern, uint32_t queue_index,
               const Waits& waits) {
  check_fill(buffer, offset, size);
  vd_context& ctx = buffer.context();
  Queue& queue = ctx.queue(queue_index);
  const Access access{&buffer.block(queue), buffer.span(offset, size), true};
  if (size == 0) return submit_nothing(ctx, queue, waits);
  backends::Command command;
  command.kind = backends::Command::Kind::Fill;
  command.pattern = pattern;
  return issue(ctx, queue, {&access, 1}, waits, command);
}

}  // namespace vd::runtime
