// Objects of a backend that have no owner any more but that work in flight may still use. They are destroyed in the
// order in which they came, each when every queue has finished the work that used it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/backend.h"

namespace vd::runtime {

class Release;

// For each queue of the context the value at which the last use is done; 0 is never used.
using LastUse = std::vector<uint64_t>;

struct Retired {
  Retired() = default;
  Retired(LastUse last, std::unique_ptr<backends::Executable> an_executable, std::shared_ptr<backends::Module> a_module,
          std::unique_ptr<backends::Memory> a_memory, std::unique_ptr<Release> a_release = nullptr);
  Retired(Retired&& other) noexcept;
  Retired& operator=(Retired&& other) noexcept;
  ~Retired();

  LastUse last_use;
  std::unique_ptr<backends::Executable> executable;  // destroyed before the objects that it refers to
  std::shared_ptr<backends::Module> module;
  std::unique_ptr<backends::Memory> memory;
  std::unique_ptr<Release> release;  // of imported memory, once that is not used any more
  std::unique_ptr<backends::Timing> timing = nullptr;
  std::shared_ptr<backends::Sampler> sampler = nullptr;
};

class RetireList {
 public:
  // `completed` returns a queue's last done value and does not throw.
  RetireList(uint32_t queue_count, std::function<uint64_t(uint32_t)> completed)
      : queue_count_(queue_count), completed_(std::move(completed)), seen_(queue_count, 0) {}

  // Makes room for one more thing, so that adding it, which destructors do, cannot fail. Called when it is made.
  void expect();
  void add(Retired retired) noexcept;
  // Destroys finished objects. While another thread does so it leaves them to that one. Without `all`, the list is scanned only when
  // enough objects have been added, or have finished, to pay for it: a call costs the same for a list of any length,
  // and at most an eighth of it waits for a later one.
  void collect(bool all = false) noexcept;
  // Destroys everything; the queues are idle.
  void clear() noexcept;
  bool empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }

 private:
  void collect_now(bool all) noexcept;

  const uint32_t queue_count_;
  const std::function<uint64_t(uint32_t)> completed_;
  std::atomic<bool> asked_{false};  // for all that are finished, by a thread that may have left it to another
  std::mutex collecting_;           // held while things are destroyed, so that their order holds
  LastUse seen_;                    // under `collecting_`: the values that were done at the last scan
  size_t left_ = 0;                 // under `mutex_`: how much of it was not done then
  mutable std::mutex mutex_;
  std::vector<Retired> list_;
  std::atomic<size_t> size_{0};  // of the list, for a look without the lock
  size_t expected_ = 0;          // things alive or in the list
};

}  // namespace vd::runtime
