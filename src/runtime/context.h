// A context: devices, their queues, and the objects that order the queues' work and live until it is done.
//
// Locks. `order` is held while work is submitted to a queue, never during a wait: not for a read's bytes, nor for
// memory to send a write through, nor for room on the queue. A launch that may not wait only tries it. Objects of
// finished work are destroyed without it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/disk_cache.h"
#include "core/disposer.h"
#include "core/fair_mutex.h"
#include "core/object.h"
#include "core/process_end.h"
#include "core/thread_pool.h"
#include "runtime/hazard.h"
#include "runtime/module_cache.h"
#include "runtime/profiler.h"
#include "runtime/queue.h"
#include "runtime/retire.h"
#include "runtime/ticket.h"
#include "runtime/workspace.h"
#include "runtime/written_cache.h"

namespace vd::runtime {
class Block;
class Claim;
class DeviceMemory;
class Notifier;
struct Place;
struct Region;
}  // namespace vd::runtime

struct vd_context final : vd::Object {
 public:
  struct Opened {
    vd_backend backend = VD_BACKEND_AUTO;
    bool runs_kernels = true;
    vd_context_flags flags = 0;
    std::string cache_directory;  // "": nothing is kept
    std::vector<std::unique_ptr<vd::backends::Device>> devices;
  };
  explicit vd_context(Opened opened);

  // ---- Its parts
  vd_backend backend() const { return opened_.backend; }
  bool runs_kernels() const { return opened_.runs_kernels; }
  vd_context_flags flags() const { return opened_.flags; }
  const std::string& cache_directory() const { return opened_.cache_directory; }
  // The cache on disk, for what the layers above keep there. Opened when it is first asked for.
  vd::DiskCache& disk();
  uint32_t device_count() const { return static_cast<uint32_t>(opened_.devices.size()); }
  uint32_t queue_count() const { return static_cast<uint32_t>(queues_.size()); }
  uint32_t tag() const { return tag_; }
  bool lost() const { return lost_.load(std::memory_order_relaxed); }
  uint64_t memory_in_use() const { return memory_in_use_.load(std::memory_order_relaxed); }
  vd::backends::CompileCounts compile_counts() const;

  // Throw VD_ERR_INVALID for a number out of range; `name` is the parameter or field that has it.
  vd::backends::Device& device(uint32_t index, const char* name = "device") const;
  vd::runtime::Queue& queue(uint32_t index, const char* name = "queue") const;
  uint32_t first_queue(uint32_t device) const { return first_queues_[device]; }

  // ---- Waiting
  // Throws VD_ERR_STATE in a child of the process that opened the context.
  void refuse_in_child() const;
  // And in a callback. Called by all functions that wait or submit.
  void require_callable() const;
  // The value of a ticket's queue; throws for a ticket that this context never gave. It is the parameter `ticket`, or
  // entry `index` of `list`.
  vd::runtime::Ticket check_ticket(vd_ticket ticket, const char* list = nullptr, size_t index = 0);
  vd_ticket ticket(uint32_t queue, uint64_t value) const { return vd::runtime::pack_ticket({tag_, queue, value}); }
  vd_ticket last_ticket(uint32_t queue);  // 0 if the queue had no work
  bool wait(uint32_t queue, uint64_t value, uint64_t timeout_ns);
  bool reached(uint32_t queue, uint64_t value);         // whether a wait would return at once; reports no failure
  bool wait_idle(uint32_t queue, uint64_t timeout_ns);  // VD_QUEUE_ALL: every queue
  // Waits until a write of this size would wait for nothing but earlier writes.
  bool wait_writable(uint32_t queue, uint64_t size, uint64_t timeout_ns);
  // Calls `done` once when that work is done, on a thread of the library, with what a wait for it would throw; 0 of any
  // queue is done.
  void notify(uint32_t queue, uint64_t value, std::function<void(const std::exception_ptr& failure)> done);

  // ---- For the runtime
  // As notify(), but with the sticky failure of the queue alone: that of the work is left to those who wait.
  void when_done(uint32_t queue, uint64_t value, std::function<void(const std::exception_ptr& failure)> done,
                 vd::runtime::HeldQueue held = {});
  // As wait(), and leaves the failure of the work to those who wait for it.
  bool wait_for_end(uint32_t queue, uint64_t value, uint64_t timeout_ns);
  // The value up to which the backend is done with memory; of a queue that failed for good the highest.
  uint64_t completed(uint32_t queue) noexcept;
  vd::FairMutex& order() { return order_; }
  std::vector<const vd::runtime::Claim*>& claims() { return claims_; }  // under `order`
  std::condition_variable_any& claim_ended() { return claim_ended_; }
  vd::runtime::RetireList& retired() { return *retired_; }
  // Destroys what work used whose results are there: a driver may be done with it only a moment later.
  void collect_behind(uint32_t queue, uint64_t value) noexcept;
  // The device's sampler for images that are bound without one.
  vd::backends::Sampler& default_sampler(uint32_t device);
  vd::runtime::ModuleCache& modules() { return modules_; }
  vd::ThreadPool& compilers() { return compilers_; }
  vd::runtime::WorkspacePool& workspaces() { return workspaces_; }
  vd::runtime::WrittenCache& written() { return written_; }
  vd::runtime::Profiler& profiler() { return profiler_; }
  // Calls the owners of imported memory, on a thread of its own, so that they are called under no lock.
  vd::Disposer& releases() { return releases_; }
  // A block's address was given away, so that its bytes may come back as an import. Under `order`.
  void note_address(const vd::runtime::Block& block, uint64_t address);
  // The place where work on imported memory is ordered: beside the block whose address it is, else by its address.
  vd::runtime::Place place_of(uint64_t address, uint64_t size);
  void add_memory(int64_t bytes) { memory_in_use_.fetch_add(static_cast<uint64_t>(bytes), std::memory_order_relaxed); }
  // New memory, by `make`; if there is none left, waits for memory that finished and discarded work still holds.
  using Make = std::function<std::unique_ptr<vd::backends::Memory>(vd::backends::Device& device)>;
  std::unique_ptr<vd::backends::Memory> allocate(uint32_t device, const Make& make);
  // Memory for bytes that are fetched. Waits for nothing.
  std::unique_ptr<vd::backends::Memory> allocate_readback(uint32_t device, uint64_t size);
  const vd::FinishedAtEnd& finished_at_end() const noexcept { return finished_at_end_; }
  // Calls the backend, and remembers when the device is lost.
  template <class F>
  auto call(F&& body) {
    try {
      return body();
    } catch (...) {
      note_failure();
      throw;
    }
  }

 private:
  ~vd_context() override;
  // As the process ends: false if not all of the work was done in time.
  bool finish(vd::FinishedAtEnd::Clock::time_point deadline) noexcept;
  bool finish(const vd::runtime::Queue& queue, uint64_t value, vd::FinishedAtEnd::Clock::time_point deadline) noexcept;
  // In a callback: the work of each queue that ends though the callback does not return.
  std::vector<uint64_t> last_values_without_this_thread();
  void last_release() const noexcept override;
  void note_failure() noexcept;
  // Waits for the value of each queue. `reports`: the failure of one, if all were reached.
  bool wait_queues(uint32_t queue, uint64_t timeout_ns, const std::function<uint64_t(const vd::runtime::Queue&)>& until,
                   bool reports);
  // Wait until the backends are done with all submitted work, beyond its results: memory that it used may be destroyed.
  void wait_completed() noexcept;
  void wait_completed(uint32_t queue, uint64_t value) noexcept;

  mutable vd::FinishedAtEnd finished_at_end_;  // first, so that it goes last
  Opened opened_;
  const uint32_t tag_;
  std::vector<std::unique_ptr<vd::runtime::Queue>> queues_;
  std::vector<uint32_t> first_queues_;  // of each device
  std::atomic<bool> lost_{false};
  std::atomic<uint64_t> memory_in_use_{0};
  vd::FairMutex order_;
  std::vector<const vd::runtime::Claim*> claims_;
  std::condition_variable_any claim_ended_;
  std::unique_ptr<vd::runtime::RetireList> retired_;
  struct DefaultSampler {
    std::once_flag once;
    std::shared_ptr<vd::backends::Sampler> sampler;
  };
  std::vector<DefaultSampler> default_samplers_;  // by device
  vd::runtime::ModuleCache modules_;
  vd::ThreadPool compilers_{0, "vd-compile"};
  vd::runtime::WorkspacePool workspaces_;  // empty once no plan lives
  vd::runtime::WrittenCache written_;
  std::once_flag disk_once_;
  std::optional<vd::DiskCache> disk_;
  vd::runtime::Profiler profiler_{*this};
  std::unique_ptr<vd::runtime::Notifier> notifier_;
  vd::Disposer releases_{"vd-release"};
  struct Known {
    uint64_t begin, end;
    std::weak_ptr<vd::runtime::DeviceMemory> memory;  // whose bytes they are, as long as it lives
    std::weak_ptr<vd::runtime::Region> region;
    uint64_t base;  // of `begin` in the region
  };
  std::mutex known_mutex_;    // of the next two
  std::vector<Known> known_;  // blocks whose addresses were given away
  std::shared_ptr<vd::runtime::Region> imports_;
};
