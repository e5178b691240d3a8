// A queue that is held up (backends::Queue::hold): opened when the last holder lets go.
#pragma once

#include <functional>

namespace vd::runtime {

struct Hold {
  std::function<void()> open;
  Hold() = default;
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() {
    if (open) open();
  }
};

}  // namespace vd::runtime
