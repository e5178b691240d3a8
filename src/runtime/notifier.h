// Calls a program back when work is done. A queue that reports its progress from a thread of its own delivers there,
// which costs no further wake-up. All other queues of the context are watched by one thread: it spins for a moment as a
// thread in vd_ticket_wait() does, then sleeps for a small part of the time that it has waited already, so that a
// notification is late by that part at most and an idle one costs next to nothing.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/queue.h"

struct vd_context;

namespace vd::runtime {

class Notifier {
 public:
  // Receives a failure, or null. Throws nothing. Destroyed without locks.
  using Done = std::function<void(const std::exception_ptr& failure)>;
  // Chooses what `done` receives: as a wait for the work, which reports the work's failure; or the sticky failure of the
  // queue alone, so that others still hear of a failure of the work.
  enum class Asks { AsWait, ForEnd };

  explicit Notifier(vd_context& context);
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;
  // After close().
  ~Notifier() = default;

  // `held`: the queue that waits until `done` is gone.
  // Calls `done` once when the queue's work up to `value` is done, on a thread of the library and without locks. Throws
  // if there is no memory or no thread for that; then it is not called.
  void add(Queue& queue, uint64_t value, Asks asks, Done done, HeldQueue held);
  // Queues that wait for calls which this thread, in a call, would make later.
  std::vector<HeldQueue> held_by_this_thread();
  // Ends when every call has returned. No requests may be added any more.
  void close() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Request {
    uint64_t value;
    uint64_t number;  // of two for one value, the earlier one comes first
    Asks asks;
    Done done;
    HeldQueue held;
  };
  // The requests for one queue.
  struct Line {
    explicit Line(Queue& queue) : queue(queue) {}
    Queue& queue;
    std::vector<Request> requests;               // a heap: the lowest value in front
    std::atomic<uint64_t> lowest{~uint64_t{0}};  // the value in front, for a queue that reports its progress
    bool asked_to_listen = false, listens = false;
  };
  static bool later(const Request& a, const Request& b);

  void start();
  void work();
  void progressed(Line& line, uint64_t value);
  void call_back(Queue& from, Request request, std::exception_ptr failure);
  bool deliver(Line& line, std::unique_lock<std::mutex>& lock, uint64_t most);
  void rest(std::unique_lock<std::mutex>& lock);
  bool quiet() const;
  bool is_own_thread() const;

  vd_context& context_;
  bool spins_ = false;  // no device needs the processors for its own work

  std::mutex mutex_;  // of the members below, and of the lines
  std::condition_variable wake_, quiet_;
  std::deque<Line> lines_;
  uint64_t number_ = 0;
  uint32_t calling_ = 0;  // threads in a call
  bool started_ = false, stop_ = false;
  bool added_ = false;       // since the thread looked last
  Clock::time_point since_;  // when something was added or delivered last
  bool quick_ = true;        // the last delivery came soon
  std::thread thread_;
};

}  // namespace vd::runtime
