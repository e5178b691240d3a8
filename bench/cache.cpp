// Times the disk cache: an entry read with all checks beside the same bytes read plainly, an entry written, and the
// folder opened. One line of JSON.
//
//   build/release/bench/cache [entries [bytes]]
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/disk_cache.h"

namespace {

namespace fs = std::filesystem;

template <class F>
double microseconds(F&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

size_t number(const char* text, size_t least) {
  return std::max(static_cast<size_t>(std::strtoul(text, nullptr, 10)), least);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = argc > 1 ? number(argv[1], 1) : 500, size = argc > 2 ? number(argv[2], 1) : 16384;
  std::string folder = (fs::temp_directory_path() / "vd_bench_cache_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  std::vector<double> opens, stores, loads, reads;
  const std::vector<std::byte> bytes(size, std::byte{7});
  const auto key = [](size_t i) { return vd::hash_text(std::to_string(i)); };
  size_t found = 0;
  {
    vd::DiskCache cache(folder);
    for (size_t i = 0; i < count; ++i) stores.push_back(microseconds([&] { cache.store(key(i), bytes); }));
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  for (int round = 0; round < 3; ++round) {  // alternating, so that a busy moment affects both
    opens.push_back(microseconds([&] { vd::DiskCache opened(folder); }));
    vd::DiskCache filled(folder);
    for (size_t i = 0; i < files.size(); ++i) {
      reads.push_back(microseconds([&] {
        std::ifstream file(files[i], std::ios::binary);
        std::vector<char> plain(size);
        found += file.read(plain.data(), static_cast<std::streamsize>(size)).good();
      }));
      loads.push_back(microseconds([&] { found += filled.load(key(i)).has_value(); }));
    }
  }
  fs::remove_all(folder);
  if (found != 6 * count) return 1;
  const double load = median(loads), read = median(reads);
  std::printf(
      "{\"case\": \"disk cache\", \"entries\": %zu, \"bytes\": %zu, \"open_us\": %.1f, \"store_us\": %.1f, "
      "\"load_us\": %.1f, \"plain_read_us\": %.1f, \"checks_us\": %.1f}\n",
      count, size, median(opens), median(stores), load, read, load - read);
}
