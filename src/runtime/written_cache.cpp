#include "runtime/written_cache.h"

#include <utility>

namespace vd::runtime {
namespace {

constexpr size_t kMostWritten = 64;  // plans; a kernel takes some 100 KB

}  // namespace

std::shared_ptr<const void> WrittenCache::find(const Hash128& key) {
  const std::lock_guard lock(mutex_);
  const auto found = written_.find(key);
  return found != written_.end() ? found->second : nullptr;
}

void WrittenCache::add(const Hash128& key, std::shared_ptr<const void> written) {
  std::shared_ptr<const void> oldest;  // let go without the lock
  const std::lock_guard lock(mutex_);
  if (!written_.try_emplace(key, std::move(written)).second) return;
  order_.push_back(key);
  if (order_.size() <= kMostWritten) return;
  oldest = std::move(written_.extract(order_.front()).mapped());
  order_.pop_front();
}

}  // namespace vd::runtime
