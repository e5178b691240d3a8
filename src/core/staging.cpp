#include "core/staging.h"

#include <algorithm>
#include <cstring>

#include "core/platform.h"

namespace vd {
namespace {

constexpr uint64_t kCopyPart = 512 << 10;
constexpr uint64_t kLargePage = 2 << 20;

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

std::vector<std::pair<uint64_t, uint64_t>> split_at_large_pages(uint64_t address, uint64_t size) {
  std::vector<std::pair<uint64_t, uint64_t>> parts;  // from the first byte on
  for (uint64_t begin = 0; begin < size;) {
    const uint64_t end = std::min(size, begin + kLargePage - (address + begin) % kLargePage);
    parts.emplace_back(begin, end);
    begin = end;
  }
  return parts;
}

void copy_out(ThreadPool& copiers, std::byte* to, const std::byte* from, uint64_t size) {
  if (size < 2 * kCopyPart || platform::has_pages(to, size)) return copy_with(copiers, to, from, size);
  const auto parts = split_at_large_pages(reinterpret_cast<uintptr_t>(to), size);
  copiers.for_each(parts.size(), [&](size_t part) {
    const auto [begin, end] = parts[part];
    platform::make_pages(to + begin, end - begin);
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

}  // namespace vd
