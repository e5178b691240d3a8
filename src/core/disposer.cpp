#include "core/disposer.h"

#include "core/thread.h"
#include "core/thread_pool.h"

namespace vd {

Disposer::~Disposer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Disposer::add(std::function<void()> dispose) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) thread_ = start_thread([this] { work(); });
    list_.push_back(dispose);
    ++added_;
  } catch (...) {
    dispose();
    return;
  }
  wake_.notify_one();
}

void Disposer::drain() {
  std::unique_lock lock(mutex_);
  const uint64_t last = added_;
  done_.wait(lock, [&] { return disposed_ >= last; });
}

void Disposer::work() {
  const LibraryThread library_thread(name_);
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stop_ || !list_.empty(); });
    if (list_.empty()) return;
    const auto dispose = std::move(list_.front());
    list_.pop_front();
    lock.unlock();
    dispose();
    lock.lock();
    ++disposed_;
    done_.notify_all();
  }
}

}  // namespace vd
