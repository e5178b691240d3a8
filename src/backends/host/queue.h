// A queue of the host: one thread that does the submitted work in order. The device's pool of threads shares a kernel's
// workgroups.
//
// A failure belongs to the submission in which it happened: the rest of that submission is left out, later ones run.
// It is one of the queue's `failures`, and the queue is usable on.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/host/run.h"

namespace vd::host {

class Executable final : public backends::Executable {
 public:
  explicit Executable(const backends::CommandList& list) : list_(std::make_shared<backends::CommandList>(list)) {}
  const std::shared_ptr<const backends::CommandList>& list() const { return list_; }
  // Work in flight keeps the list that it runs.
  bool patch(const backends::CommandList& list, std::span<const uint32_t> /*commands*/) override {
    list_ = std::make_shared<backends::CommandList>(list);
    return true;
  }

 private:
  std::shared_ptr<const backends::CommandList> list_;
};

// Written by the queue's thread, which may outlive the timing's owner.
class Timing final : public backends::Timing {
 public:
  using Intervals = std::vector<backends::Interval>;
  explicit Timing(size_t count) : intervals_(std::make_shared<Intervals>(count)) {}
  const std::shared_ptr<Intervals>& intervals() const { return intervals_; }
  uint64_t read(std::span<backends::Interval> out) override {
    std::copy_n(intervals_->begin(), out.size(), out.begin());
    return 0;
  }

 private:
  const std::shared_ptr<Intervals> intervals_;
};

class Queue final : public backends::Queue {
 public:
  // `copiers` copies large transfers: not the runner's threads, which may be busy with another queue's kernel.
  Queue(Runner& runner, ThreadPool& copiers, uint32_t index);
  ~Queue() override;

  uint64_t submit(const backends::CommandList& list) override;
  uint64_t submit(backends::Executable& executable, uint32_t repeat) override;
  bool has_clock() const override { return true; }
  uint64_t submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) override;
  std::unique_ptr<backends::Upload> stage(const backends::Range& destination, const void* data) override;
  std::optional<uint64_t> write_in_place(const backends::Range& destination, const void* data) override;
  void read(const backends::Range& source, void* data) override;
  uint64_t completed() override { return completed_.load(std::memory_order_acquire); }
  bool wait(uint64_t value, uint64_t timeout_ns) override { return wait_done(value, timeout_ns); }
  bool reached(uint64_t value) override { return completed_.load() >= value; }
  bool listen(std::function<void(uint64_t value)> on_progress) override;
  void wait_for(backends::Queue& other, uint64_t value) override;
  std::optional<uint64_t> call(std::function<void()> function) override {
    return push({.list = nullptr, .call = std::move(function)});
  }
  // Waits for all submitted work, failed or not.
  void drain();
  // Commands that were run since the queue was made, by kind: tests compare them with plans' explanations.
  struct Counts {
    uint64_t dispatches = 0, copies = 0, fills = 0;
  };
  Counts counts() const { return {dispatches_.load(), copies_.load(), fills_.load()}; }

 private:
  class Upload;
  struct Task {
    std::shared_ptr<const backends::CommandList> list;
    uint32_t repeat = 1;
    std::function<void()> call;                  // instead of a list
    uint64_t value = 0;                          // reached after it; 0: none
    std::shared_ptr<Timing::Intervals> times{};  // of the list's commands, if they are wanted
  };
  uint64_t push(Task task, bool counts = true);
  void work();
  void run(const backends::CommandList& list, Timing::Intervals* times);
  void run(const backends::Command& command, const backends::CommandList& list);
  bool wait_done(uint64_t value, uint64_t timeout_ns);

  Runner& runner_;
  ThreadPool& copiers_;
  std::atomic<uint64_t> completed_{0};
  std::atomic<uint64_t> dispatches_{0}, copies_{0}, fills_{0};
  std::mutex mutex_;  // of the members below
  std::condition_variable wake_, done_;
  std::deque<Task> tasks_;
  uint64_t last_ = 0;
  bool working_ = false;
  std::function<void(uint64_t value)> on_progress_;  // set once
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace vd::host
