// Buffers: one cl_mem each. And host memory that bytes are fetched into, which has none that kernels may use.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/host_pages.h"
#include "backends/opencl/context.h"
#include "backends/opencl/host_side.h"
#include "backends/opencl/image.h"
#include "backends/opencl/staging.h"

namespace vd::opencl {

// Memory of the program's that buffers are aliases of.
struct HostImport {
  HostImport(std::shared_ptr<const Context> context, const backends::HostPages& imported, const std::string& label);
  const backends::HostPages pages;
  MemHandle handle;
  mutable std::mutex mapping;  // see Memory::mapping_mutex()
};

class Memory final : public backends::Memory {
 public:
  // A queue on which no thread waits for kernels.
  using SideQueue = std::function<cl_command_queue()>;
  using Queues = std::function<std::vector<cl_command_queue>()>;
  // `host_visible`: that the host can also map, through `side`; `queues` gives the device's others. Throws
  // VD_ERR_OUT_OF_MEMORY with the size.
  Memory(std::shared_ptr<const Context> context, uint64_t size, bool host_visible, const std::string& label,
         SideQueue side, Queues queues, Disposer& disposer);
  // For bytes that are fetched: pinned through `queue`, on which no thread waits for kernels, or plain if that is as
  // close to the device.
  Memory(std::shared_ptr<const Context> context, uint64_t size, cl_command_queue queue);
  // Over memory of the program's, the bytes at `address` of which are meant.
  Memory(std::shared_ptr<const Context> context, std::shared_ptr<const HostImport> import, uint64_t address,
         SideQueue side);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  uint64_t size() const override { return size_; }
  uint64_t front() const override { return front_; }
  void* host_pointer() override { return pinned_ ? pinned_->data() : plain_.get(); }
  bool mappable() override { return side_ != nullptr; }
  void* map(uint64_t offset, uint64_t size, bool write) override;
  void unmap(void* data, uint64_t offset, uint64_t size, bool write) override;
  // Units that sample a copy see what the host has written once a mapping with VD_MAP_WRITE was begun.
  bool shareable() override { return mappable() && context_->direct_transfers && !copy_; }
  bool native(const char* kind, uint64_t& out) const override;

  // For commands of queues that use_on() was called with.
  cl_mem handle() const;
  // Before commands of `queue` that use the handle.
  void use_on(cl_command_queue queue) const {
    if (host_side_) host_side_->move(queue);
  }
  bool has_host_side() const noexcept { return host_side_ != nullptr; }
  // Bytes that are the host's alone: of memory that bytes are fetched into, and of a host-visible buffer that no command but
  // copies has used. Null for others.
  std::byte* host_bytes() const;
  // The copy that units of the device sample, of an image's texels; null for other memory.
  SampledCopy* copy() const noexcept { return copy_.get(); }
  void set_copy(std::unique_ptr<SampledCopy> copy) noexcept { copy_ = std::move(copy); }
  // Before a command that writes it.
  void note_write() const noexcept {
    if (copy_) [[unlikely]]
      copy_->make_stale();
  }
  // Never used again, as an address may be.
  uint64_t serial() const noexcept { return serial_; }

 private:
  // Held while a mapping begins or ends: PoCL mixes up those of one place in a cl_mem.
  std::mutex& mapping_mutex() { return import_ ? import_->mapping : mapping_; }

  uint64_t size_;
  uint64_t serial_;
  uint64_t front_ = 0;
  MemHandle handle_;
  std::shared_ptr<const HostImport> import_;
  std::shared_ptr<const Context> context_;  // of memory that is mapped
  SideQueue side_;
  std::mutex mapping_;  // see mapping_mutex()
  std::unique_ptr<SampledCopy> copy_;
  std::unique_ptr<HostSide> host_side_;  // of a host-visible buffer, instead of a handle
  std::unique_ptr<PinnedMemory> pinned_;
  std::unique_ptr<std::byte[]> plain_;
};

}  // namespace vd::opencl
