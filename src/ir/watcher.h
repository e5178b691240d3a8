// An observer of a kernel while it is written.
#pragma once

#include <span>

#include "vkdispatch.h"

namespace vd::ir {

class Watcher {
 public:
  virtual ~Watcher() = default;
  // An op was emitted, with its operands as given: a reference means the value that it refers to.
  virtual void emitted(vd_op op, std::span<const vd_value> operands, uint64_t immediate, uint32_t location,
                       vd_value result) = 0;
};

}  // namespace vd::ir
