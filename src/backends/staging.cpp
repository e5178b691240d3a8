#include "backends/staging.h"

#include <algorithm>

#include "core/platform.h"

namespace vd::backends {
namespace {

constexpr uint32_t kMostCopiers = 4;  // more do not make the bus faster

}  // namespace

uint32_t copier_count(const DeviceOptions& options) {
  const uint32_t all = options.thread_count != 0 ? options.thread_count : platform::processor_count();
  return std::clamp(all / 2, 1u, kMostCopiers);
}

}  // namespace vd::backends
