#include "core/thread_pool.h"

#include <utility>

#include "core/platform.h"
#include "core/thread.h"

namespace vd {
namespace {
thread_local uint32_t t_library = 0;
thread_local bool t_in_loop = false;
}  // namespace

bool on_library_thread() noexcept { return t_library != 0; }
LibraryThread::LibraryThread(const char* name) noexcept {
  ++t_library;
  if (name != nullptr) platform::name_thread(name);
}
LibraryThread::~LibraryThread() { --t_library; }

struct ThreadPool::Loop {
  const std::function<void(size_t)>& body;
  const size_t count;
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr error;
};

ThreadPool::ThreadPool(uint32_t threads, const char* name)
    : thread_count_(threads == 0 ? platform::processor_count() : threads), name_(name) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::turn(Loop& loop) {
  const bool outer = std::exchange(t_in_loop, true);
  for (size_t i; (i = loop.next.fetch_add(1, std::memory_order_relaxed)) < loop.count;) {
    try {
      loop.body(i);
    } catch (...) {
      loop.next.store(loop.count, std::memory_order_relaxed);
      std::lock_guard lock(loop.mutex);
      if (!loop.error) loop.error = std::current_exception();
    }
  }
  t_in_loop = outer;
}

void ThreadPool::start() {
  // If the machine grants no more threads, the existing ones do the work.
  threads_.reserve(thread_count_);
  try {
    while (threads_.size() + 1 < thread_count_) threads_.push_back(start_thread([this] { work(); }));
  } catch (const Error&) {
  }
}

void ThreadPool::work() {
  LibraryThread mark(name_);
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || (loop_ != nullptr && generation_ != seen); });
    if (stop_) return;
    seen = generation_;
    Loop& loop = *loop_;
    ++busy_;
    lock.unlock();
    turn(loop);
    lock.lock();
    if (--busy_ == 0) done_.notify_all();
  }
}

void ThreadPool::for_each(size_t count, const std::function<void(size_t)>& body) {
  Loop loop{body, count, {}, {}, {}};
  if (count <= 1 || thread_count_ == 1 || t_in_loop) {
    turn(loop);
  } else {
    std::lock_guard turn_taken(callers_);
    {
      std::lock_guard lock(mutex_);
      if (threads_.empty()) start();
      loop_ = &loop;
      ++generation_;
    }
    wake_.notify_all();
    turn(loop);
    std::unique_lock lock(mutex_);
    loop_ = nullptr;  // a thread that wakes late finds nothing
    done_.wait(lock, [&] { return busy_ == 0; });
  }
  if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace vd
