// Runs the iterations of a loop on several threads. The calling thread takes part, so a pool of one has no threads of
// its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vd {

// Whether the calling thread was started by the library. Such a thread must not wait for the queues that it serves.
bool on_library_thread() noexcept;

// Marks the thread that it lives on as the library's; comes first in every thread function. Without a name it stands for
// a part of the work of a thread of the program's, which keeps its name.
class LibraryThread {
 public:
  explicit LibraryThread(const char* name) noexcept;
  LibraryThread(const LibraryThread&) = delete;
  LibraryThread& operator=(const LibraryThread&) = delete;
  ~LibraryThread();
};

class ThreadPool {
 public:
  // `threads` counts the caller; 0 means one a processor. Threads start at the first loop that needs them.
  explicit ThreadPool(uint32_t threads = 0, const char* name = "vd-pool");
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  uint32_t thread_count() const noexcept { return thread_count_; }
  // Calls body(i) for each i below count, in any order, and returns when all are done. After an exception no further
  // iteration begins, and the first exception is thrown here. Loops of several callers take turns; one within a body
  // runs on its thread alone.
  void for_each(size_t count, const std::function<void(size_t)>& body);

 private:
  struct Loop;
  void start();
  void work();
  static void turn(Loop& loop);

  const uint32_t thread_count_;
  const char* const name_;
  std::mutex callers_;  // held through a loop
  std::mutex mutex_;    // of the members below
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Loop* loop_ = nullptr;
  uint64_t generation_ = 0;
  uint32_t busy_ = 0;
  bool stop_ = false;
};

}  // namespace vd
