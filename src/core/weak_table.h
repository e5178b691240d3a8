// Objects in use, by their hash: equal objects are made once for all users, and live as long as one user does.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/hash.h"

namespace vd {

template <class T>
class WeakTable {
 public:
  // Null if no object with this key is alive.
  std::shared_ptr<T> find(const Hash128& key) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() ? found->second.lock() : nullptr;
  }
  // The one to use: another thread may have made it first.
  std::shared_ptr<T> add(const Hash128& key, std::shared_ptr<T> made) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= sweep_at_) {
      std::erase_if(entries_, [](const auto& entry) { return entry.second.expired(); });
      sweep_at_ = std::max(kFirstSweep, 2 * entries_.size());
    }
    std::weak_ptr<T>& entry = entries_[key];
    if (auto earlier = entry.lock()) return earlier;
    entry = made;
    return made;
  }
  // Entries, of which some may have ended.
  size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }

 private:
  static constexpr size_t kFirstSweep = 64;

  mutable std::mutex mutex_;
  std::unordered_map<Hash128, std::weak_ptr<T>, HashOfHash> entries_;
  size_t sweep_at_ = kFirstSweep;
};

}  // namespace vd
