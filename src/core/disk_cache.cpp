#include "core/disk_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <set>

#include "core/log.h"
#include "core/options.h"
#include "core/platform.h"

namespace vd {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr char kFolder[] = "v2";  // of the format below
constexpr std::string_view kSuffix = ".entry";
constexpr std::string_view kTemporary = ".part";
constexpr auto kWriterDied = 1h;  // after which a temporary file has no writer any more

struct Header {
  char magic[8];
  uint64_t key[2];
  uint64_t size;
  uint64_t check[2];  // of the fields before it and of the bytes that follow
};
constexpr char kMagic[8] = {'V', 'D', 'C', 'A', 'C', 'H', 'E', '2'};

Header header_of(const Hash128& key, std::span<const std::byte> bytes) {
  Header h{{}, {key.low, key.high}, bytes.size(), {}};
  std::memcpy(h.magic, kMagic, sizeof(kMagic));
  Hasher hasher;
  hasher.add(std::as_bytes(std::span(&h, 1)).first(offsetof(Header, check))).add(bytes);
  const Hash128 check = hasher.finish();
  h.check[0] = check.low;
  h.check[1] = check.high;
  return h;
}

std::string name_of(const Hash128& key) { return key.hex() + std::string(kSuffix); }

// A new name for a temporary file. Processes of other machines and containers may have our number.
std::string fresh_name(const Hash128& key, std::string_view suffix) {
  static std::atomic<uint64_t> counter{0};
  return fmt::format("{}.{}.{}{}", key.hex(), platform::process_id(), ++counter, suffix);
}

bool first_warning_of(const std::string& directory) {
  static std::mutex mutex;
  static auto& warned = *new std::set<std::string>;  // a context may be opened while the process ends
  const std::lock_guard lock(mutex);
  return warned.insert(directory).second;
}

platform::PrivateFolder open_folder(const fs::path& directory) {
  std::string why;
  if (platform::PrivateFolder::open(directory, why)) {
    if (auto folder = platform::PrivateFolder::open(directory / kFolder, why)) return folder;
    why = fmt::format("has a folder \"{}\" that {}", kFolder, why);
  }
  if (first_warning_of(directory.string())) {
    log_warning("compiled kernels are not kept: folder \"{}\" {}", directory.string(), why);
  }
  return {};
}

}  // namespace

DiskCache::DiskCache(const std::string& directory, uint64_t limit) : path_(directory), limit_(limit) {
  if (!directory.empty()) folder_ = open_folder(directory);
}

std::optional<std::vector<std::byte>> DiskCache::load(const Key& key) noexcept {
  if (!enabled()) return std::nullopt;
  try {
    const auto file = folder_.open_file(name_of(key));
    Header header;
    // The size is believed only once the file is known to be as long, so that a damaged one asks for no memory.
    if (!file || !file.read(&header, sizeof(header)) || std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 ||
        header.key[0] != key.low || header.key[1] != key.high || file.size() - sizeof(header) != header.size ||
        header.size > limit_ / 4) {
      return std::nullopt;
    }
    std::vector<std::byte> bytes(header.size);
    if (!file.read(bytes.data(), bytes.size())) return std::nullopt;
    const Header expected = header_of(key, bytes);
    if (std::memcmp(&header, &expected, sizeof(header)) != 0) {
      log_info("entry {} of the cache \"{}\" is damaged and is not used", key.hex(), path_);
      return std::nullopt;
    }
    file.mark_used();
    return bytes;
  } catch (...) {
    return std::nullopt;
  }
}

void DiskCache::store(const Key& key, std::span<const std::byte> bytes) noexcept {
  if (!enabled() || bytes.size() > limit_ / 4) return;
  try {
    const Header header = header_of(key, bytes);
    const std::array<std::span<const std::byte>, 2> parts{std::as_bytes(std::span(&header, 1)), bytes};
    using Made = platform::PrivateFolder::Made;
    std::string part;
    Made made = Made::Exists;
    while (made == Made::Exists) {
      part = fresh_name(key, kTemporary);
      made = folder_.make_file(part, parts);
    }
    if (made == Made::NoRoom && first_warning_of(path_)) {
      log_warning("compiled kernels are not kept: folder \"{}\" has no room for {} bytes", path_,
                  sizeof(header) + bytes.size());
    }
    if (made != Made::Whole || !folder_.replace(part, name_of(key), fresh_name(key, ".folder"))) {
      log_info("entry {} of the cache \"{}\" could not be written", key.hex(), path_);
      if (made == Made::Whole) folder_.remove(part);
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

  std::vector<platform::PrivateFolder::Entry> entries = folder_.files();
  uint64_t total = 0;
  const auto now = std::chrono::system_clock::now();
  std::erase_if(entries, [&](const auto& entry) {
    if (entry.name.ends_with(kTemporary) && now - entry.used > kWriterDied) folder_.remove(entry.name);
    if (!entry.name.ends_with(kSuffix)) return true;
    total += entry.size;
    return false;
  });
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.used < b.used; });
  for (const auto& entry : entries) {
    if (total <= limit_ / 4 * 3) break;
    if (folder_.remove(entry.name)) total -= entry.size;
  }
}

std::string cache_directory(const char* wish) {
  if (wish != nullptr && *wish != '\0') return wish;
  if (auto dir = option("cache_dir")) return *dir;
  const fs::path user = platform::user_cache_directory();
  return user.empty() ? std::string() : (user / "vkdispatch").string();
}

}  // namespace vd
