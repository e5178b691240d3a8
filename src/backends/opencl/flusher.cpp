#include "backends/opencl/flusher.h"

#include <chrono>

#include "core/thread.h"
#include "core/thread_pool.h"

namespace vd::opencl {
namespace {

// A burst is over when nothing came for so long.
constexpr auto kQuiet = std::chrono::microseconds(50);
// Then the thread looks so often again before it sleeps for good: waking it costs the caller some microseconds.
constexpr int kLooks = 20;

}  // namespace

Flusher::~Flusher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool Flusher::ask() noexcept {
  asked_.store(true);
  if (!sleeps_.load()) return true;
  try {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = start_thread([this] { run(); });
  } catch (...) {
    return false;
  }
  wake_.notify_one();
  return true;
}

void Flusher::run() {
  const LibraryThread library_thread("vd-opencl-flush");
  std::unique_lock lock(mutex_);
  while (!stop_) {
    sleeps_.store(true);
    wake_.wait(lock, [this] { return stop_ || asked_.load(); });
    sleeps_.store(false);
    lock.unlock();
    bool pending = false;
    for (int looks = 0; looks < kLooks; ++looks) {
      if (asked_.exchange(false)) {
        pending = true;
        looks = 0;
      } else if (pending) {
        flush_();
        pending = false;
      }
      std::this_thread::sleep_for(kQuiet);
    }
    lock.lock();
  }
}

}  // namespace vd::opencl
