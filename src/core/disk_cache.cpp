#include "core/disk_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/log.h"
#include "core/platform.h"

namespace vd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr char kFolder[] = "v1";  // of the format below
constexpr char kSuffix[] = ".entry";
constexpr char kTemporary[] = ".part";

struct Header {
  char magic[8];
  uint64_t key[2];
  uint64_t size;
  uint64_t check[2];  // of the bytes that follow
};
constexpr char kMagic[8] = {'V', 'D', 'C', 'A', 'C', 'H', 'E', '1'};

Header header_of(const Hash128& key, std::span<const std::byte> bytes) {
  const Hash128 check = hash_bytes(bytes);
  Header h{{}, {key.low, key.high}, bytes.size(), {check.low, check.high}};
  std::memcpy(h.magic, kMagic, sizeof(kMagic));
  return h;
}

// The time of use is the file's time, refreshed at most once a minute to spare the disk.
void touch(const fs::path& path) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  if (now - fs::last_write_time(path, error) > 60s && !error) fs::last_write_time(path, now, error);
}

}  // namespace

DiskCache::DiskCache(const std::string& directory, uint64_t limit) : limit_(limit) {
  if (directory.empty()) return;
  root_ = fs::path(directory) / kFolder;
  if (!platform::make_private_directory(root_)) {
    log_warning("compiled kernels are not kept: {} cannot be made", root_.string());
    root_.clear();
  }
}

fs::path DiskCache::path_of(const Key& key) const { return root_ / (key.hex() + kSuffix); }

std::optional<std::vector<std::byte>> DiskCache::load(const Key& key) noexcept {
  if (!enabled()) return std::nullopt;
  try {
    const fs::path path = path_of(key);
    std::ifstream file(path, std::ios::binary);
    Header header;
    if (!file.read(reinterpret_cast<char*>(&header), sizeof(header))) return std::nullopt;
    // The size is believed only once the file is known to be as long, so that a damaged one asks for no memory.
    std::error_code error;
    if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.key[0] != key.low ||
        header.key[1] != key.high || fs::file_size(path, error) != sizeof(header) + header.size || error) {
      return std::nullopt;
    }
    std::vector<std::byte> bytes(header.size);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
      return std::nullopt;
    }
    const Header expected = header_of(key, bytes);
    if (std::memcmp(&header, &expected, sizeof(header)) != 0) {
      log_info("cache entry {} is damaged and is not used", path.string());
      return std::nullopt;
    }
    touch(path);
    return bytes;
  } catch (...) {
    return std::nullopt;
  }
}

void DiskCache::store(const Key& key, std::span<const std::byte> bytes) noexcept {
  if (!enabled() || bytes.size() > limit_ / 4) return;
  try {
    static std::atomic<uint64_t> counter{0};
    const fs::path path = path_of(key);
    const fs::path part = root_ / fmt::format("{}.{}.{}{}", key.hex(), platform::process_id(), ++counter, kTemporary);
    const Header header = header_of(key, bytes);
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(&header), sizeof(header));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    std::error_code error;
    if (!file || !platform::replace_file(part, path)) {
      log_info("cache entry {} could not be written", path.string());
      fs::remove(part, error);
      return;
    }
    // Other processes store too, so the folder is measured again after each sixteenth of the limit.
    if (unseen_ += sizeof(header) + bytes.size(); unseen_ > limit_ / 16 || !measured_) make_room();
  } catch (...) {
  }
}

void DiskCache::make_room() {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;
  measured_ = true;
  unseen_ = 0;

  struct Entry {
    fs::file_time_type used;
    uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator it(root_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // another process may remove the file under our eyes
    Entry entry{it->last_write_time(gone), 0, it->path()};
    if (gone) continue;
    entry.size = it->file_size(gone);
    if (gone) continue;
    if (entry.path.extension() == kTemporary) {
      if (now - entry.used > 1h) fs::remove(entry.path, gone);  // its writer died
    } else if (entry.path.extension() == kSuffix) {
      total += entry.size;
      entries.push_back(std::move(entry));
    }
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit_ / 4 * 3) break;
    if (fs::remove(entry.path, error)) total -= entry.size;
  }
}

std::string cache_directory(const char* wish) {
  if (wish != nullptr && *wish != '\0') return wish;
  if (auto dir = platform::environment("VKDISPATCH_CACHE_DIR")) return *dir;
  const fs::path user = platform::user_cache_directory();
  return user.empty() ? std::string() : (user / "vkdispatch").string();
}

}  // namespace vd
