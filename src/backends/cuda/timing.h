// Times of commands, by events in their stream. Events are kept for the next list or run of a graph, since making one takes
// longer than recording it.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/gpu.h"

namespace vd::cuda {

// The device's clock: events, and a stream in which nothing runs.
class EventClock {
 public:
  explicit EventClock(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {}
  EventClock(const EventClock&) = delete;
  EventClock& operator=(const EventClock&) = delete;
  ~EventClock();

  const Gpu& gpu() const { return *gpu_; }
  // With the device's context current.
  CUevent take();
  // Destroys those that it has no room for.
  void give_back(std::span<const CUevent> events) noexcept;
  // An event of now, with the host's time.
  struct Now {
    CUevent event = nullptr;
    backends::Interval host;
  };
  Now now();

 private:
  const std::shared_ptr<const Gpu> gpu_;
  std::mutex mutex_;
  std::vector<CUevent> free_;
  CUstream stream_ = nullptr;
};

// Events of one list or run of a graph: before the first command, and behind each. Where one ends the next may begin, so that
// its time has no wait in it.
class Events {
 public:
  explicit Events(std::shared_ptr<EventClock> clock) : clock_(std::move(clock)) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() { clock_->give_back(all_); }

  // With the device's context current.
  CUevent add();
  EventClock& clock() const { return *clock_; }
  const std::vector<CUevent>& all() const { return all_; }

 private:
  const std::shared_ptr<EventClock> clock_;
  std::vector<CUevent> all_;
};

class Timing final : public backends::Timing {
 public:
  explicit Timing(std::shared_ptr<Events> events) : events_(std::move(events)) {}
  void record(CUstream stream);
  // Lets go of the events.
  uint64_t read(std::span<backends::Interval> out) override;

 private:
  std::shared_ptr<Events> events_;
};

}  // namespace vd::cuda
