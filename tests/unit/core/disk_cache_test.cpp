#include "core/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/log.h"
#include "core/platform.h"
#include "support/log_receiver.h"

namespace {

namespace fs = std::filesystem;

struct DiskCacheTest : testing::Test {
  // A folder a test: the log warns of each once in a process.
  fs::path dir = fs::path(testing::TempDir()) / ("vd_cache_" + std::to_string(vd::platform::process_id()) + "_" +
                                                 testing::UnitTest::GetInstance()->current_test_info()->name());
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

// Collects the log's warnings while it lives.
struct Warnings {
  std::vector<std::string> texts;
  vd::test::LogReceiver receiver{[](const vd_log_message* message, void* user) {
                                   if (message->level == VD_LOG_WARNING)
                                     static_cast<Warnings*>(user)->texts.push_back(message->text);
                                 },
                                 this};
};

constexpr uid_t kStranger = 54321;
constexpr char kNotRoot[] = "only root may give a folder to another user";

// The folder is not used, nothing in it is touched, and the log says so once with this reason.
void expect_refused(const fs::path& dir, const std::string& reason) {
  Warnings warnings;
  for (int i = 0; i < 2; ++i) {
    vd::DiskCache cache(dir.string());
    EXPECT_FALSE(cache.enabled());
    cache.store(vd::hash_text("1"), DiskCacheTest::bytes(10, 1));
    EXPECT_EQ(cache.load(vd::hash_text("1")), std::nullopt);
  }
  ASSERT_EQ(warnings.texts.size(), 1u) << dir;
  EXPECT_NE(warnings.texts[0].find('"' + dir.string() + '"'), std::string::npos) << warnings.texts[0];
  EXPECT_NE(warnings.texts[0].find(reason), std::string::npos) << warnings.texts[0];
}

TEST_F(DiskCacheTest, AFolderThatOthersMayWriteIsNotUsed) {
  for (const mode_t mode : {0777, 0770, 0702, 01777}) {
    const fs::path folder = dir / std::to_string(mode);
    fs::create_directories(folder);
    ASSERT_EQ(chmod(folder.c_str(), mode), 0);
    expect_refused(folder, "may be written by others");
    EXPECT_TRUE(fs::is_empty(folder));
  }
}

// Sets a variable while it lives.
struct Variable {
  Variable(const char* name, const std::string& value) : name(name), old(vd::platform::environment(name)) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { old ? setenv(name, old->c_str(), 1) : unsetenv(name); }
  const char* name;
  std::optional<std::string> old;
};

TEST_F(DiskCacheTest, TheRuleHoldsWhoeverNamesTheFolder) {
  const fs::path named = dir / "named", variable = dir / "variable", user = dir / "user";
  for (const fs::path& folder : {named, variable, user / "vkdispatch"}) {
    fs::create_directories(folder);
    ASSERT_EQ(chmod(folder.c_str(), 0777), 0);
  }
  const Variable home("XDG_CACHE_HOME", user.string());
  {
    const Variable other("VKDISPATCH_CACHE_DIR", variable.string());
    expect_refused(vd::cache_directory(named.c_str()), "may be written by others");
    expect_refused(vd::cache_directory(nullptr), "may be written by others");
  }
  const Variable none("VKDISPATCH_CACHE_DIR", "");
  ASSERT_EQ(vd::cache_directory(nullptr), (user / "vkdispatch").string());
  expect_refused(vd::cache_directory(nullptr), "may be written by others");
}

TEST_F(DiskCacheTest, AFolderWithinThatOthersMayWriteIsNotUsed) {
  vd::DiskCache(dir.string()).store(key(1), bytes(10, 1));
  const fs::path inner = files().at(0).parent_path();
  ASSERT_EQ(chmod(inner.c_str(), 0777), 0);
  expect_refused(dir, "may be written by others");
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(DiskCacheTest, AFolderOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << kNotRoot;
  fs::create_directories(dir);
  ASSERT_EQ(chown(dir.c_str(), kStranger, kStranger), 0);
  expect_refused(dir, "belongs to another user (uid 54321)");
}

TEST_F(DiskCacheTest, AFolderWithinOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << kNotRoot;
  vd::DiskCache(dir.string()).store(key(1), bytes(10, 1));
  ASSERT_EQ(chown(files().at(0).parent_path().c_str(), kStranger, kStranger), 0);
  expect_refused(dir, "belongs to another user (uid 54321)");
}

TEST_F(DiskCacheTest, RootsFolderIsReadByEveryUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make root's folder";
  vd::DiskCache(dir.string()).store(key(1), bytes(10, 1));
  fs::permissions(dir, fs::perms(0755));
  fs::permissions(files().at(0).parent_path(), fs::perms(0755));
  fs::permissions(files().at(0), fs::perms(0644));
  ASSERT_EQ(seteuid(kStranger), 0);
  const bool reachable = eaccess(dir.c_str(), X_OK) == 0;
  std::optional<std::vector<std::byte>> found;
  {
    vd::DiskCache cache(dir.string());
    found = cache.load(key(1));
    cache.store(key(2), bytes(10, 2));  // may not, and says nothing
  }
  ASSERT_EQ(seteuid(0), 0);
  if (!reachable) GTEST_SKIP() << "the folder of tests is closed to others";
  EXPECT_EQ(found, bytes(10, 1));
}

TEST_F(DiskCacheTest, AnEntryOfAnotherUserIsNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << kNotRoot;
  vd::DiskCache cache(dir.string());
  cache.store(key(1), bytes(10, 1));
  ASSERT_EQ(chown(files().at(0).c_str(), kStranger, kStranger), 0);
  EXPECT_EQ(cache.load(key(1)), std::nullopt);
  cache.store(key(1), bytes(10, 1));
  EXPECT_EQ(cache.load(key(1)), bytes(10, 1));
}

TEST_F(DiskCacheTest, OwnLinksToAFolderAreFollowed) {
  const fs::path folder = dir / "folder", link = dir / "link";
  fs::create_directories(folder);
  fs::create_directory_symlink(folder, link);
  vd::DiskCache(link.string()).store(key(1), bytes(10, 1));
  EXPECT_EQ(vd::DiskCache(folder.string()).load(key(1)), bytes(10, 1));
  EXPECT_EQ(vd::DiskCache((link / "").string()).load(key(1)), bytes(10, 1));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(DiskCacheTest, OtherLinksAreNotFollowed) {
  fs::create_directories(dir / "folder");
  fs::create_directory_symlink(dir / "nowhere", dir / "dangling");
  expect_refused(dir / "dangling", "is a link to a folder that does not exist");
  EXPECT_FALSE(fs::exists(dir / "nowhere"));
  ASSERT_EQ(chmod((dir / "folder").c_str(), 0777), 0);
  fs::create_directory_symlink(dir / "folder", dir / "open");
  expect_refused(dir / "open", "may be written by others");
  if (geteuid() != 0) GTEST_SKIP() << kNotRoot;
  ASSERT_EQ(chmod((dir / "folder").c_str(), 0700), 0);
  fs::create_directory_symlink(dir / "folder", dir / "strange");
  ASSERT_EQ(lchown((dir / "strange").c_str(), kStranger, kStranger), 0);
  expect_refused(dir / "strange", "is a link of another user (uid 54321)");
  EXPECT_TRUE(fs::is_empty(dir / "folder"));
}

TEST_F(DiskCacheTest, AnEntryThatIsALinkIsReplacedAndItsTargetIsKept) {
  vd::DiskCache cache(dir.string());
  cache.store(key(1), bytes(10, 1));
  const fs::path entry = files().at(0), target = dir / "precious";
  fs::rename(entry, target);
  fs::create_symlink(target, entry);
  EXPECT_EQ(cache.load(key(1)), std::nullopt);
  cache.store(key(1), bytes(10, 2));
  EXPECT_EQ(cache.load(key(1)), bytes(10, 2));
  EXPECT_FALSE(fs::is_symlink(entry));
  EXPECT_EQ(fs::file_size(target), fs::file_size(entry));
}

TEST_F(DiskCacheTest, FilesAreForThisUserAlone) {
  const mode_t old = umask(0);
  vd::DiskCache(dir.string()).store(key(1), bytes(10, 1));
  umask(old);
  struct stat status;
  ASSERT_EQ(stat(files().at(0).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0600u);
  for (fs::path folder = files().at(0).parent_path(); folder != dir.parent_path(); folder = folder.parent_path()) {
    ASSERT_EQ(stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777u, 0700u) << folder;
  }
}

TEST_F(DiskCacheTest, TheBodyOfAnotherEntryIsNoticed) {
  vd::DiskCache cache(dir.string());
  cache.store(key(1), bytes(100, 1));
  const fs::path first = files().at(0);
  fs::rename(first, dir / "kept");
  cache.store(key(2), bytes(100, 2));
  const fs::path second = files().at(0).extension() == ".entry" ? files()[0] : files()[1];
  const auto read = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string one = read(dir / "kept"), two = read(second);
  const size_t key_end = 8 + 16;  // magic and key, which stay
  ASSERT_EQ(one.size(), two.size());
  std::ofstream(first, std::ios::binary) << one.substr(0, key_end) << two.substr(key_end);
  EXPECT_EQ(cache.load(key(1)), std::nullopt);
  std::ofstream(first, std::ios::binary) << two;
  EXPECT_EQ(cache.load(key(1)), std::nullopt);
  std::ofstream(first, std::ios::binary) << one;
  EXPECT_EQ(cache.load(key(1)), bytes(100, 1));
}

TEST_F(DiskCacheTest, AnEntryThatIsAFolderIsMended) {
  for (const bool full : {false, true}) {
    vd::DiskCache cache(dir.string());
    cache.store(key(1), bytes(10, 1));
    const fs::path entry = files().at(0);
    fs::remove(entry);
    fs::create_directory(entry);
    if (full) std::ofstream(entry / "note") << "somebody's";
    EXPECT_EQ(cache.load(key(1)), std::nullopt);
    cache.store(key(1), bytes(10, 1));
    EXPECT_EQ(cache.load(key(1)), bytes(10, 1));
  }
  EXPECT_EQ(files().size(), 2u);  // the entry, and the note in a folder of another name
}

TEST_F(DiskCacheTest, AnEntryThatIsAPipeHoldsNobody) {
  vd::DiskCache cache(dir.string());
  cache.store(key(1), bytes(10, 1));
  const fs::path entry = files().at(0);
  fs::remove(entry);
  ASSERT_EQ(mkfifo(entry.c_str(), 0600), 0);
  EXPECT_EQ(cache.load(key(1)), std::nullopt);
  cache.store(key(1), bytes(10, 1));
  EXPECT_EQ(cache.load(key(1)), bytes(10, 1));
}

// While it lives, files of this process end after some bytes, as on a full disk.
struct NoRoom {
  explicit NoRoom(rlim_t size) {
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{size, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~NoRoom() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  rlimit before{};
  void (*handler)(int) = std::signal(SIGXFSZ, SIG_IGN);  // else the system ends the process
};

TEST_F(DiskCacheTest, ADiskWithoutRoomIsWarnedOfOnce) {
  vd::DiskCache cache(dir.string());
  cache.store(key(1), bytes(10, 1));
  Warnings warnings;
  {
    const NoRoom limit(200);
    cache.store(key(2), bytes(1000, 2));
    cache.store(key(3), bytes(1000, 3));
    vd::DiskCache(dir.string()).store(key(4), bytes(1000, 4));
  }
  ASSERT_EQ(warnings.texts.size(), 1u);
  EXPECT_EQ(warnings.texts[0],
            "compiled kernels are not kept: folder \"" + dir.string() + "\" has no room for 1048 bytes");
  EXPECT_EQ(files().size(), 1u) << "no half of a file is left";
  EXPECT_EQ(cache.load(key(1)), bytes(10, 1));
  EXPECT_EQ(cache.load(key(2)), std::nullopt);
  cache.store(key(2), bytes(1000, 2));
  EXPECT_EQ(cache.load(key(2)), bytes(1000, 2)) << "there is room again";
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
