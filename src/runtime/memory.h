// A block of device memory, which a buffer and its slices share: the bytes, and the accesses of work in flight.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "backends/backend.h"
#include "core/error.h"
#include "core/object.h"
#include "runtime/hazard.h"
#include "runtime/retire.h"

struct vd_context;

namespace vd::runtime {

// Calls a function of the owner of imported memory, on a thread of the library, when this goes.
class Release {
 public:
  Release(vd_context& context, std::function<void()> release) : context_(context), release_(std::move(release)) {}
  Release(const Release&) = delete;
  Release& operator=(const Release&) = delete;
  ~Release();
  void set(std::function<void()> release) { release_ = std::move(release); }

 private:
  vd_context& context_;
  std::function<void()> release_;
};

// Error of work on memory that was discarded. A caller that knows which argument has it names that.
class DiscardedError final : public Error {
 public:
  explicit DiscardedError(const std::string& name) : Error(VD_ERR_STATE, name + " was discarded") {}
};

// Memory within which work is ordered by the bytes that it uses: that of one buffer and its slices, or that of all
// imports, by address.
struct Region {
  Region(uint32_t queue_count, size_t spare) : log(queue_count, spare) {}
  AccessLog log;  // under the context's order lock
};

// The place of a block in a region: its first byte is the region's byte `base`.
struct Place {
  std::shared_ptr<Region> region;
  uint64_t base = 0;
};

// The bytes themselves. When the last holder lets go they are retired: freed once work in flight is done.
class DeviceMemory {
 public:
  // `release`: of imported memory.
  DeviceMemory(vd_context& context, std::unique_ptr<backends::Memory> memory,
               std::unique_ptr<Release> release = nullptr, bool imported = false);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  backends::Memory& get() const { return *memory_; }
  LastUse last_use;  // under the context's order lock

 private:
  vd_context& context_;
  std::unique_ptr<backends::Memory> memory_;
  std::unique_ptr<Release> release_;
  const uint64_t counted_;  // bytes of the library's own
};

class Block final : public Object {
 public:
  // `name` in messages: `buffer "x"`, or "a buffer".
  Block(Ref<vd_context> context, uint32_t device, std::unique_ptr<backends::Memory> memory, std::string name);
  // Imported memory.
  Block(Ref<vd_context> context, uint32_t device, std::unique_ptr<backends::Memory> memory, std::string name,
        Place place, std::unique_ptr<Release> release);

  vd_context& context() const { return *context_; }
  uint32_t device() const { return device_; }
  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }

  // Frees the bytes, even while other objects hold the block.
  void discard();
  bool discarded() const { return discarded_.load(std::memory_order_acquire); }

  // The next three under the context's order lock. The memory is null once discarded.
  const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }
  const std::shared_ptr<DeviceMemory>& usable_memory() const;  // throws VD_ERR_STATE once discarded
  AccessLog& log() const { return place_.region->log; }

  // Blocks of one region may share bytes, which have the same spans there.
  const std::shared_ptr<Region>& region() const { return place_.region; }
  Span placed(const Span& span) const { return {place_.base + span.begin, place_.base + span.end}; }

 private:
  Ref<vd_context> context_;  // outlives the memory
  const uint32_t device_;
  const std::string name_;
  const uint64_t size_;
  std::atomic<bool> discarded_{false};
  std::shared_ptr<DeviceMemory> memory_;
  const Place place_;
};

}  // namespace vd::runtime
