// Host-visible memory of a device that has memory of its own. A driver keeps such a buffer on the device, and moves all that is
// mapped both ways for each mapping. So the bytes stay in pinned memory of ours, where the host writes them and copies begin
// and end, until a kernel or another command needs a buffer. From then on they are the buffer's, and mappings move their part.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backends/opencl/staging.h"
#include "core/disposer.h"

namespace vd::opencl {

class HostSide {
 public:
  // Mapped by way of `side`, on which no thread waits for kernels. `queues` gives all others of the device.
  HostSide(std::shared_ptr<const Context> context, cl_command_queue side,
           std::function<std::vector<cl_command_queue>()> queues, uint64_t size, Disposer& disposer);
  HostSide(const HostSide&) = delete;
  HostSide& operator=(const HostSide&) = delete;
  // Bytes that are on their way to the device stay until they are there, for which this thread does not wait: it may be
  // the one that lets their queue go on.
  ~HostSide();

  // The bytes, while they are the host's; else null.
  std::byte* bytes() const;
  // The device's buffer, made when it is first asked for.
  cl_mem buffer();
  // Before a command of `queue` that uses the buffer, whatever other queues were given.
  void move(cl_command_queue queue);
  // Waits until the buffer has the bytes, for the program's own commands.
  void move_now();
  void* map(uint64_t offset, uint64_t size);
  void unmap(uint64_t offset, uint64_t size, bool write);

 private:
  struct Bytes {
    Bytes(std::shared_ptr<const Context> of, cl_command_queue side, uint64_t size)
        : context(std::move(of)), pinned(context, side, size) {}
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;
    ~Bytes();  // waits for the move

    const std::shared_ptr<const Context> context;
    PinnedMemory pinned;
    MemHandle buffer;
    EventHandle moving;  // null once it is over
  };
  void move_locked(cl_command_queue queue);
  cl_mem buffer_locked();

  const std::shared_ptr<const Context> context_;
  const cl_command_queue side_;
  const std::function<std::vector<cl_command_queue>()> queues_;
  const uint64_t size_;
  Disposer& disposer_;

  mutable std::mutex mutex_;
  std::unique_ptr<Bytes> bytes_;
  bool moved_ = false;
  cl_command_queue moved_on_ = nullptr;
};

}  // namespace vd::opencl
