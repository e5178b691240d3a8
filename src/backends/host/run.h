// Runs launches: workgroups over the threads of a device, each with a machine of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/host/program.h"
#include "core/thread_pool.h"

namespace vd::host {

class Runner {
 public:
  // A `watchdog_ns` of 0 is 60 s for a checked runner, else no limit. A checked runner uses one thread, so that its
  // findings are the same each time.
  Runner(uint32_t threads, uint64_t watchdog_ns, bool checked);
  ~Runner();

  // Runs a kernel to its end. Throws VD_ERR_KERNEL where it broke a rule that is checked, or ran too long.
  void dispatch(const Program& program, const std::array<uint32_t, 3>& workgroups,
                std::span<const backends::Range> bindings, std::span<const std::byte> values);
  uint32_t thread_count() const { return pool_.thread_count(); }
  uint64_t watchdog_ns() const { return watchdog_ns_; }  // UINT64_MAX: none

 private:
  ThreadPool pool_;
  const uint64_t watchdog_ns_;
  std::mutex mutex_;  // one launch at a time: machines are shared by the queues
  std::vector<std::unique_ptr<Machine>> machines_;
};

}  // namespace vd::host
