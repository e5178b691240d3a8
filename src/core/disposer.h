// Gives objects back, on a thread of its own, to a driver that may wait for its device: so no caller waits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace vd {

class Disposer {
 public:
  explicit Disposer(const char* name) : name_(name) {}
  Disposer(const Disposer&) = delete;
  Disposer& operator=(const Disposer&) = delete;
  // Ends when everything has been destroyed.
  ~Disposer();

  // `dispose` throws nothing. It is called here if there is no memory or no thread for it.
  void add(std::function<void()> dispose) noexcept;
  // Ends when everything that was added before has been destroyed.
  void drain();

 private:
  void work();

  const char* const name_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<std::function<void()>> list_;
  uint64_t added_ = 0, disposed_ = 0;
  bool stop_ = false;
  std::thread thread_;  // begins with the first thing
};

}  // namespace vd
