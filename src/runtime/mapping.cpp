#include "runtime/mapping.h"

#include <exception>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/log.h"

using namespace vd;
using runtime::Claim;

Ref<vd_mapping> vd_mapping::create(vd_buffer& buffer, uint64_t offset, uint64_t size, vd_map_flags flags,
                                   uint32_t queue) {
  return create(buffer, offset, size, flags, queue, Level{});
}

Ref<vd_mapping> vd_mapping::create(vd_image& image, uint32_t level, vd_map_flags flags, uint32_t queue) {
  image.check_level(level, "level");
  const uint64_t first = image.number(level, {}) * image.format().size();
  return create(image.texels(), first, image.size(image.whole(level)), flags, queue, Level{&image, level});
}

Ref<vd_mapping> vd_mapping::create(vd_buffer& buffer, uint64_t offset, uint64_t size, vd_map_flags flags,
                                   uint32_t queue_index, const Level& level) {
  vd_context& context = buffer.context();
  buffer.check_usable();
  if ((flags & VD_MAP_WRITE) != 0) buffer.check_writable();
  buffer.check_range("offset", offset, size);
  if (size == 0) fail(VD_ERR_INVALID, "size (0) is zero; VD_WHOLE_SIZE is to the end of {}", buffer.name());
  runtime::Block& block = buffer.block(context.queue(queue_index));
  if (!buffer.mappable()) {
    buffer.check_usable();  // another thread may have discarded it meanwhile
    fail(VD_ERR_UNSUPPORTED, "{} is in device memory, which the host does not reach on the {} backend; {}",
         buffer.name(), backends::backend_name(context.backend()),
         level.image != nullptr
             ? "VD_IMAGE_HOST makes memory that it reaches, where vd_context_get_image_support() reports mappable"
             : "VD_BUFFER_HOST makes memory that it reaches");
  }
  const bool shared = (flags & VD_MAP_SHARED) != 0;
  if (shared && !buffer.shareable()) {
    buffer.check_usable();
    fail(VD_ERR_UNSUPPORTED,
         "flags ({:#x}) have VD_MAP_SHARED, and the host and the device of the {} backend do not use the bytes of {} "
         "at the same time",
         flags, backends::backend_name(context.backend()), buffer.name());
  }
  const runtime::Access access{&block, buffer.span(offset, size), (flags & VD_MAP_WRITE) != 0};
  Ref<vd_mapping> mapping = Ref<vd_mapping>::adopt(new vd_mapping(Ref<runtime::Block>::retain(&block), access, flags));
  const runtime::Access* mine = &mapping->access_;
  if ((flags & VD_MAP_NO_WAIT) != 0) {
    // Not claimed first, as work of other threads would wait for a map that is not made.
    mapping->claim_ = Claim::try_make(context, mine, 1, [&] { return !mapping->is_in_use(context); });
    if (!mapping->claim_) return {};
  } else {
    mapping->claim_ = std::make_unique<Claim>(context, mine, 1);
  }
  mapping->wait_for_earlier(context);
  mapping->map(level);
  if (shared)
    mapping->end();  // work in flight was waited for, and later work may use the bytes
  else
    mapping->claim_->give_to_mapping();  // only now: a map that fails has refused no work
  return mapping;
}

// Whether conflicting work is in flight. Under the order lock.
bool vd_mapping::is_in_use(vd_context& context) const {
  bool in_use = false;
  block_->log().conflicts(block_->placed(access_.span), access_.write, [&](const runtime::AccessLog::Entry& e) {
    in_use = in_use || !context.reached(e.queue, e.value);
  });
  return in_use;
}

// Waits for conflicting work in flight. Nothing new comes in its place, since the bytes are claimed.
void vd_mapping::wait_for_earlier(vd_context& context) {
  std::vector<std::pair<uint32_t, uint64_t>> earlier;
  {
    const std::lock_guard lock(context.order());
    memory_ = block_->usable_memory();
    block_->log().conflicts(block_->placed(access_.span), access_.write,
                            [&](const runtime::AccessLog::Entry& e) { earlier.emplace_back(e.queue, e.value); });
  }
  // Also where nothing is left to wait for: the map reports what failed, unless that was reported before.
  for (const auto& work : earlier)
    context.call([&] { return context.queue(work.first).wait_idle(work.second, VD_WAIT_FOREVER); });
}

void vd_mapping::map(const Level& level) {
  backends::HostLevel found;
  block_->context().call([&] {
    if (level.image != nullptr && !level.image->in_buffer())
      found = static_cast<backends::Image&>(memory_->get()).host_level(level.number);
    else
      found.first = static_cast<std::byte*>(memory_->get().map(access_.span.begin, size_, access_.write));
  });
  if (found.first == nullptr) fail(VD_ERR_INTERNAL, "{} bytes that the host reaches cannot be mapped", size_);
  data_ = found.first;
  if (level.image == nullptr) return;
  const vd_image::Extent extent = level.image->whole(level.number).extent;
  const uint64_t row = uint64_t{extent[0]} * level.image->format().size();
  row_pitch_ = found.row_pitch != 0 ? found.row_pitch : row;
  slice_pitch_ = found.slice_pitch != 0 ? found.slice_pitch : row_pitch_ * extent[1];
  size_ = (extent[2] - 1) * slice_pitch_ + (extent[1] - 1) * row_pitch_ + row;
}

vd_mapping::~vd_mapping() {
  try {
    end();
  } catch (const std::exception& error) {
    log_warning("a mapping was released and could not be ended: {}", error.what());
  }
}

bool vd_mapping::ended() const {
  const std::lock_guard lock(mutex_);
  return claim_ == nullptr;
}

void vd_mapping::end() {
  const std::lock_guard lock(mutex_);
  if (!claim_) return;
  // The bytes are free again, whatever the device says.
  const std::unique_ptr<Claim> claim = std::move(claim_);
  if (data_ == nullptr) return;  // it was never mapped
  block_->context().call(
      [&] { memory_->get().unmap(data_, access_.span.begin, access_.span.end - access_.span.begin, access_.write); });
}
