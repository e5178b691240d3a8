#include "core/disk_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/platform.h"

namespace {

namespace fs = std::filesystem;

struct DiskCacheTest : testing::Test {
  fs::path dir = fs::path(testing::TempDir()) / ("vd_cache_" + std::to_string(vd::platform::process_id()));
  void SetUp() override { fs::remove_all(dir); }
  void TearDown() override { fs::remove_all(dir); }

  static std::vector<std::byte> bytes(size_t size, int value) {
    return std::vector<std::byte>(size, static_cast<std::byte>(value));
  }
  static vd::Hash128 key(int n) { return vd::hash_text(std::to_string(n)); }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (auto& entry : fs::recursive_directory_iterator(dir)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }
};

TEST_F(DiskCacheTest, GivesBackWhatWasStored) {
  vd::DiskCache(dir.string()).store(key(1), bytes(1000, 7));
  vd::DiskCache second(dir.string());
  EXPECT_EQ(second.load(key(1)), bytes(1000, 7));
  EXPECT_EQ(second.load(key(2)), std::nullopt);
  second.store(key(1), bytes(0, 0));
  EXPECT_EQ(second.load(key(1)), bytes(0, 0));
}

TEST_F(DiskCacheTest, WithoutADirectoryKeepsNothing) {
  vd::DiskCache cache("");
  cache.store(key(1), bytes(10, 1));
  EXPECT_FALSE(cache.enabled());
  EXPECT_EQ(cache.load(key(1)), std::nullopt);
}

TEST_F(DiskCacheTest, IgnoresDamagedEntries) {
  vd::DiskCache cache(dir.string());
  cache.store(key(1), bytes(1000, 7));
  ASSERT_EQ(files().size(), 1u);
  const fs::path file = files()[0];
  const auto size = fs::file_size(file);
  // Every byte of the header, and some of the rest.
  for (uint64_t at = 0; at < size; at += at < 64 ? 1 : 97) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(f.get());
    f.seekp(static_cast<std::streamoff>(at));
    f.put(static_cast<char>(old ^ 0x10));
    f.close();
    EXPECT_EQ(cache.load(key(1)), std::nullopt) << at;
    std::fstream g(file, std::ios::in | std::ios::out | std::ios::binary);
    g.seekp(static_cast<std::streamoff>(at));
    g.put(old);
  }
  EXPECT_EQ(cache.load(key(1)), bytes(1000, 7));
  for (uint64_t shorter : {uint64_t{0}, uint64_t{10}, size - 1}) {
    fs::resize_file(file, shorter);
    EXPECT_EQ(cache.load(key(1)), std::nullopt) << shorter;
  }
}

TEST_F(DiskCacheTest, LimitRemovesWhatWasNotUsedForLongest) {
  const uint64_t limit = 100000;
  vd::DiskCache cache(dir.string(), limit);
  for (int i = 0; i < 8; ++i) cache.store(key(i), bytes(10000, i));
  for (const fs::path& file : files()) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(24));
  }
  ASSERT_TRUE(cache.load(key(0)));  // the only one in use
  for (int i = 8; i < 12; ++i) cache.store(key(i), bytes(10000, i));
  EXPECT_TRUE(cache.load(key(0)));
  EXPECT_TRUE(cache.load(key(11)));
  int kept = 0;
  for (int i = 1; i < 8; ++i) kept += cache.load(key(i)).has_value();
  EXPECT_LT(kept, 7);
  for (int i = 12; i < 40; ++i) cache.store(key(i), bytes(10000, i));
  uint64_t total = 0;
  for (const fs::path& file : files()) total += fs::file_size(file);
  EXPECT_LE(total, limit + limit / 8);
}

TEST_F(DiskCacheTest, UnwritableDirectoryIsNoFailure) {
  std::ofstream(dir.string()) << "a file where the folder should be";
  vd::DiskCache cache(dir.string());
  EXPECT_FALSE(cache.enabled());
  cache.store(key(1), bytes(10, 1));
  fs::remove(dir);
}

TEST_F(DiskCacheTest, ManyWritersAndReadersSeeWholeEntriesOnly) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      vd::DiskCache cache(dir.string(), 200000);  // as another process would
      for (int i = 0; i < 100; ++i) {
        const int n = (i * 7 + t) % 10;
        if (auto found = cache.load(key(n))) {
          EXPECT_EQ(*found, bytes(5000, n));
        }
        cache.store(key(n), bytes(5000, n));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const fs::path& file : files()) EXPECT_EQ(file.extension(), ".entry");
}

TEST(CacheDirectory, FollowsTheWishThenTheEnvironment) {
  EXPECT_EQ(vd::cache_directory("/x/y"), "/x/y");
  const auto kept = vd::platform::environment("VKDISPATCH_CACHE_DIR");
  setenv("VKDISPATCH_CACHE_DIR", "/from/environment", 1);
  EXPECT_EQ(vd::cache_directory(nullptr), "/from/environment");
  setenv("VKDISPATCH_CACHE_DIR", "", 1);
  const auto xdg = vd::platform::environment("XDG_CACHE_HOME");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(vd::cache_directory(""), "/xdg/vkdispatch");
  xdg ? setenv("XDG_CACHE_HOME", xdg->c_str(), 1) : unsetenv("XDG_CACHE_HOME");
  kept ? setenv("VKDISPATCH_CACHE_DIR", kept->c_str(), 1) : unsetenv("VKDISPATCH_CACHE_DIR");
}

}  // namespace
