// A block of device memory, which a buffer and its slices share: the bytes, and the accesses of work in flight.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "backends/backend.h"
#include "core/object.h"
#include "runtime/hazard.h"
#include "runtime/retire.h"

struct vd_context;

namespace vd::runtime {

// The bytes themselves. When the last holder lets go they are retired: freed once work in flight is done.
class DeviceMemory {
 public:
  DeviceMemory(vd_context& context, std::unique_ptr<backends::Memory> memory);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  backends::Memory& get() const { return *memory_; }
  LastUse last_use;  // under the context's order lock

 private:
  vd_context& context_;
  std::unique_ptr<backends::Memory> memory_;
};

class Block final : public Object {
 public:
  // `name` in messages: `buffer "x"`, or "a buffer".
  Block(Ref<vd_context> context, uint32_t device, std::unique_ptr<backends::Memory> memory, std::string name);

  vd_context& context() const { return *context_; }
  uint32_t device() const { return device_; }
  const std::string& name() const { return name_; }

  // Frees the bytes, even while other objects hold the block.
  void discard();
  bool discarded() const { return discarded_.load(std::memory_order_acquire); }

  // The next three under the context's order lock. The memory is null once discarded.
  const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }
  const std::shared_ptr<DeviceMemory>& usable_memory() const;  // throws VD_ERR_STATE once discarded
  AccessLog log;

 private:
  Ref<vd_context> context_;  // outlives the memory
  const uint32_t device_;
  const std::string name_;
  std::atomic<bool> discarded_{false};
  std::shared_ptr<DeviceMemory> memory_;
};

}  // namespace vd::runtime
