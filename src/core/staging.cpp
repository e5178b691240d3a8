#include "core/staging.h"

#include <cstring>

namespace vd {
namespace {

constexpr uint64_t kCopyPart = 512 << 10;

}  // namespace

void copy_with(ThreadPool& copiers, std::byte* to, const std::byte* from, uint64_t size) {
  if (size == 0) return;  // from and to may be null then
  const size_t parts = size / kCopyPart;
  if (parts < 2 || copiers.thread_count() == 1) {
    std::memcpy(to, from, size);
    return;
  }
  copiers.for_each(parts, [&](size_t part) {
    const uint64_t begin = part * kCopyPart;
    const uint64_t end = part + 1 == parts ? size : begin + kCopyPart;
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

}  // namespace vd
