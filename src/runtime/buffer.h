// The object behind vd_buffer: a range of a block of device memory, or of one block for each queue.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/object.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/waits.h"

namespace vd::runtime {
class Transfer;
struct Access;
}  // namespace vd::runtime

struct vd_buffer final : vd::Object {
 public:
  struct Desc {
    vd_buffer_flags flags = 0;
    uint64_t size = 0;
    std::array<uint64_t, VD_MAX_DIMS> shape{};
    uint32_t device = 0;
    std::string label;
    bool of_image = false;  // it stands for an image's texels
    bool imported = false, read_only = false;
    bool by_fd = false;
    uint64_t front = 0;  // bytes of imported memory before the buffer
  };
  static vd::Ref<vd_buffer> create(vd_context& context, Desc desc);
  // With memory that `make` gives, of `desc.size` bytes on each device.
  static vd::Ref<vd_buffer> create(vd_context& context, Desc desc, const vd_context::Make& make);
  // Over memory of the program's or another library's. If it throws, `release` is never called.
  struct Import {
    vd::backends::ExternalMemory memory;
    uint64_t stream = 0;            // whose work so far comes before all uses
    std::function<void()> release;  // when no work uses the memory any more
  };
  static vd::Ref<vd_buffer> import(vd_context& context, Desc desc, const Import& from);
  // `names` comes before the names of the fields in messages.
  vd::Ref<vd_buffer> slice(uint64_t offset, uint64_t size, const std::array<uint64_t, VD_MAX_DIMS>& shape = {},
                           const std::string& names = {});
  // All of the memory that a slice is part of.
  vd::Ref<vd_buffer> root();

  vd_context& context() const { return replicas_[0]->context(); }
  uint64_t size() const { return desc_.size; }
  uint64_t offset() const { return offset_; }
  // The first byte in the buffer that owns the memory.
  uint64_t slice_offset() const { return offset_ - desc_.front; }
  uint32_t device() const { return desc_.device; }
  vd_buffer_flags flags() const { return desc_.flags; }
  const std::array<uint64_t, VD_MAX_DIMS>& shape() const { return desc_.shape; }
  bool discarded() const { return replicas_[0]->discarded(); }
  bool shareable() const;  // whether VD_MAP_SHARED works; false once discarded
  bool mappable() const;   // whether the host reaches the memory; false once discarded
  bool per_queue() const { return replicas_.size() > 1; }
  bool imported() const { return desc_.imported; }
  bool read_only() const { return desc_.read_only; }
  // Whether both are of one region, so that their bytes may overlap: where the spans of placed() do.
  bool same_memory(const vd_buffer& other) const { return replicas_[0]->region() == other.replicas_[0]->region(); }
  vd::runtime::Span placed(const vd::runtime::Span& span) const { return replicas_[0]->placed(span); }
  // One, or one for each queue.
  const std::vector<vd::Ref<vd::runtime::Block>>& blocks() const { return replicas_; }
  // The place of byte `offset` behind its number in messages: "", " in a slice from byte 4 on" or " in memory at 0x1002".
  std::string place_name() const;
  // The buffer's name in messages: `buffer "x"`, or "the buffer".
  std::string name() const;

  // The memory that a queue sees; throws VD_ERR_INVALID if it is another device's.
  vd::runtime::Block& block(const vd::runtime::Queue& queue) const;
  // Bytes of the block that a range of the buffer is.
  vd::runtime::Span span(uint64_t offset, uint64_t size) const { return {offset_ + offset, offset_ + offset + size}; }
  // A size as it was given, or the rest of the buffer for VD_WHOLE_SIZE.
  uint64_t size_from(uint64_t offset, uint64_t size) const {
    return size == VD_WHOLE_SIZE && offset <= desc_.size ? desc_.size - offset : size;
  }
  // Throws unless the range is within the buffer: `offset (256) + size (64) is past the end of buffer "x" (300).`
  void check_range(const char* offset_name, uint64_t offset, uint64_t size) const;
  void check_usable() const;    // throws VD_ERR_STATE once discarded
  void check_writable() const;  // throws VD_ERR_INVALID if it was imported to be read alone

  void write(uint32_t queue, uint64_t offset, const void* data, uint64_t size);
  // The same for one queue, after `waits`. The ticket is done when the device has the bytes.
  vd_ticket send(uint32_t queue, uint64_t offset, const void* data, uint64_t size, const vd::runtime::Waits& waits);
  void read(uint32_t queue, uint64_t offset, void* data, uint64_t size);
  void discard();
  uint64_t native(const char* kind, uint32_t queue) const;  // throws if there is no such handle
  vd::backends::ExportedMemory export_memory() const;
  // The memory of a buffer without replicas, with its address, for holders outside of the library.
  struct Shared {
    vd::Ref<vd::runtime::Block> block;
    std::shared_ptr<vd::runtime::DeviceMemory> memory;
    uint64_t address = 0;
  };
  Shared share(const char* kind) const;

 private:
  vd_buffer(Desc desc, std::vector<vd::Ref<vd::runtime::Block>> replicas, uint64_t offset);
  vd_ticket write_replica(vd::runtime::Queue& queue, uint64_t offset, const void* data, uint64_t size,
                          const vd::runtime::Waits& waits = {});

  Desc desc_;
  std::vector<vd::Ref<vd::runtime::Block>> replicas_;  // one, or one for each queue
  uint64_t offset_;
};

namespace vd::runtime {

// Issued at once, to run after `waits`; the ticket becomes done when they are.
vd_ticket copy(vd_buffer& source, uint64_t source_offset, vd_buffer& destination, uint64_t destination_offset,
               uint64_t size, uint32_t queue, const Waits& waits = {});
vd_ticket fill(vd_buffer& buffer, uint64_t offset, uint64_t size, uint32_t pattern, uint32_t queue,
               const Waits& waits = {});

// A checked copy from or to an image of a device's own.
struct BoxCopy {
  backends::Command::Kind kind = backends::Command::Kind::CopyImage;
  vd_buffer *source = nullptr, *destination = nullptr;
  Span read, written;  // of their blocks
  std::vector<backends::Box> boxes;
};
vd_ticket copy_boxes(const BoxCopy& copy, uint32_t queue, const Waits& waits);

// Copies a range that is read into memory of the library, which no other work uses.
vd_ticket copy_out(vd_context& context, Queue& queue, const Access& source, DeviceMemory& destination,
                   const Waits& waits);

// The rules of both, for graphs too.
void check_copy(const vd_buffer& source, uint64_t source_offset, const vd_buffer& destination,
                uint64_t destination_offset, uint64_t size);
void check_fill(const vd_buffer& buffer, uint64_t offset, uint64_t size);

}  // namespace vd::runtime
