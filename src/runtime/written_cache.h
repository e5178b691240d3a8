// Kernels that the layers above wrote for plans of a context, by what they follow from, so that the same ones are not
// written again. The last few are kept.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/hash.h"

namespace vd::runtime {

class WrittenCache {
 public:
  // As it was added; null if it is not there. The caller knows the type by the key.
  std::shared_ptr<const void> find(const Hash128& key);
  void add(const Hash128& key, std::shared_ptr<const void> written);

 private:
  std::mutex mutex_;
  std::unordered_map<Hash128, std::shared_ptr<const void>, HashOfHash> written_;
  std::deque<Hash128> order_;  // the oldest first
};

}  // namespace vd::runtime
