#include "runtime/transfer.h"

#include <mutex>

namespace vd::runtime {

Transfer::Transfer(vd_context& context, const Access& access) : access_(access), claim_(context, &access_, 1) {
  const std::lock_guard lock(context.order());
  memory_ = access_.block->usable_memory();
}

}  // namespace vd::runtime
