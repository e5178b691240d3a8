// Results of compilers, kept on disk from one process to the next. Every entry is one file, named by its key and
// written under another name first, so that any number of processes may share a directory. An entry that is cut short,
// damaged or of another version counts as missing. Above the limit, the entries not used for longest are removed.
//
// Nothing here fails a call: a directory that cannot be written, or a full disk, only means that nothing is kept. The
// log warns of it once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/hash.h"
#include "core/private_folder.h"

namespace vd {

class DiskCache {
 public:
  using Key = Hash128;
  static constexpr uint64_t kDefaultLimit = uint64_t{1} << 30;

  // `directory` "" keeps nothing.
  explicit DiskCache(const std::string& directory, uint64_t limit = kDefaultLimit);

  std::optional<std::vector<std::byte>> load(const Key& key) noexcept;
  void store(const Key& key, std::span<const std::byte> bytes) noexcept;
  bool enabled() const noexcept { return static_cast<bool>(folder_); }

 private:
  void make_room();

  std::string path_;                // for messages
  platform::PrivateFolder folder_;  // one a version of the format
  uint64_t limit_;
  std::mutex mutex_;                 // one thread makes room
  std::atomic<uint64_t> unseen_{0};  // bytes stored since the folder was last measured
  std::atomic<bool> measured_{false};
};

// The directory of compiled kernels: `wish`, else VKDISPATCH_CACHE_DIR, else vkdispatch in the user's cache directory;
// "" if there is none.
std::string cache_directory(const char* wish);

}  // namespace vd
