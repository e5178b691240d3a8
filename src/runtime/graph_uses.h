// Uses of a graph by calls: by one that records into it, or by any number that submit it or read what is recorded. A call
// that another thread's excludes throws instead of waiting, since that thread may wait for what this one would do next.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/error.h"

namespace vd::runtime {

class GraphUses {
 public:
  class Recording {
   public:
    explicit Recording(GraphUses& uses) : uses_(uses) {
      int32_t found = 0;
      if (!uses_.count_.compare_exchange_strong(found, kRecorded, std::memory_order_acquire))
        fail(VD_ERR_STATE, "graph is being {} by another thread",
             found == kRecorded ? "recorded" : "submitted or read");
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    ~Recording() { uses_.count_.store(0, std::memory_order_release); }

   private:
    GraphUses& uses_;
  };

  class Reading {
   public:
    explicit Reading(GraphUses& uses) : uses_(uses) {
      int32_t found = uses_.count_.load(std::memory_order_relaxed);
      do {
        if (found == kRecorded) fail(VD_ERR_STATE, "graph is being recorded by another thread");
      } while (!uses_.count_.compare_exchange_weak(found, found + 1, std::memory_order_acquire));
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() { uses_.count_.fetch_sub(1, std::memory_order_release); }

   private:
    GraphUses& uses_;
  };

 private:
  static constexpr int32_t kRecorded = -1;
  std::atomic<int32_t> count_{0};  // of calls that read it, or kRecorded
};

}  // namespace vd::runtime
