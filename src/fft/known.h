// Results of this process by what they follow from. Choosing radices and counting bank conflicts takes longer than all
// else that a plan of known kernels does.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "core/hash.h"

namespace vd::fft {

template <class T>
class Known {
 public:
  template <class Find>
  T get(const Hash128& key, Find&& find) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = known_.find(key); known != known_.end()) return known->second;
    }
    T found = find();
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    known_.emplace(key, found);
    return found;
  }

 private:
  static constexpr size_t kMost = 4096;
  std::mutex mutex_;
  std::unordered_map<Hash128, T, HashOfHash> known_;
};

}  // namespace vd::fft
