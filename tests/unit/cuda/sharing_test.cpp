// Memory and semaphores by file descriptors on the emulated driver, whose descriptors are those of memory files.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

constexpr size_t kPage = 4096;
constexpr uint64_t kSoon = 20'000'000, kLong = 60'000'000'000;

void expect_fails(vd_status status, const std::string& part, const std::function<void()>& body) {
  expect_error(body, status, part);
}

bool is_open(int fd) { return fcntl(fd, F_GETFD) != -1; }

// A semaphore of another API, as far as the emulated driver knows such.
class TheirSemaphore {
 public:
  TheirSemaphore() : fd_(memfd_create("semaphore", MFD_CLOEXEC)) {
    EXPECT_EQ(ftruncate(fd_, kPage), 0);
    value_ = static_cast<std::atomic<uint64_t>*>(mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
  }
  TheirSemaphore(const TheirSemaphore&) = delete;
  ~TheirSemaphore() {
    munmap(static_cast<void*>(value_), kPage);
    close(fd_);
  }
  int fd() const { return fd_; }
  std::atomic<uint64_t>& value() { return *value_; }

 private:
  int fd_;
  std::atomic<uint64_t>* value_;
};

class CudaSharing : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (control().live == nullptr) GTEST_SKIP() << "the descriptors are the emulated driver's";
    device_ = open_fresh();  // a queue that fails is of no use to others
    copies_ = memory(64);
  }
  std::shared_ptr<backends::Semaphore> import(int fd) {
    return device().make_semaphore({VD_SEMAPHORE_FD, static_cast<uint64_t>(fd), 0, "semaphore \"theirs\""});
  }
  static backends::SemaphoreUse use(const std::shared_ptr<backends::Semaphore>& semaphore, uint64_t value,
                                    uint64_t timeout_ns = UINT64_MAX) {
    return {semaphore, value, timeout_ns, "semaphore \"theirs\""};
  }
  uint64_t set(const std::shared_ptr<backends::Semaphore>& semaphore, uint64_t value) {
    semaphore->claim(value, "value");
    return queue().signal(use(semaphore, value));
  }
  uint64_t fill(uint32_t pattern) {
    ListBuilder work;
    work.fill(whole(*copies_), pattern);
    return queue().submit(work.list);
  }
  std::unique_ptr<backends::Memory> copies_;
};

TEST_F(CudaSharing, WorkWaitsAndSets) {
  TheirSemaphore theirs;
  const auto semaphore = import(theirs.fd());
  EXPECT_TRUE(is_open(theirs.fd())) << "the caller's";
  fill(1);
  queue().wait_for(use(semaphore, 3));
  fill(2);
  const uint64_t value = set(semaphore, 4);
  EXPECT_FALSE(queue().wait(value, kSoon));
  EXPECT_EQ(theirs.value(), 0u);
  theirs.value() = 3;
  EXPECT_TRUE(queue().wait(value, kLong));
  EXPECT_EQ(theirs.value(), 4u);
  EXPECT_EQ(read_words(*copies_)[15], 2u);
}

TEST_F(CudaSharing, OneThatNobodySetsEndsInAStatus) {
  TheirSemaphore theirs;
  const auto semaphore = import(theirs.fd());
  const uint64_t before = fill(1);
  queue().wait_for(use(semaphore, 3, 100'000'000));
  const uint64_t after = fill(2);
  EXPECT_TRUE(queue().wait(before, kLong));
  expect_fails(VD_ERR_STATE, "the queue waited for semaphore \"theirs\" to reach 3 for 100 ms, and nobody set it",
               [&] { queue().wait(after, VD_WAIT_FOREVER); });
  expect_fails(VD_ERR_STATE, "semaphore \"theirs\"", [&] { fill(3); });
  EXPECT_TRUE(queue().wait(before, kLong)) << "nothing before it is lost";
  EXPECT_EQ(theirs.value(), 3u);
  device_.reset();
  copies_.reset();
}

// A device that closes while a queue waits.
TEST_F(CudaSharing, ADeviceEndsWithAWait) {
  TheirSemaphore theirs;
  auto semaphore = import(theirs.fd());
  queue().wait_for(use(semaphore, 3, 100'000'000));
  fill(2);
  semaphore.reset();
  device_.reset();
  copies_.reset();
  EXPECT_EQ(theirs.value(), 3u);
}

// The stream waits by then, and no caller has a value to wait for.
TEST_F(CudaSharing, AWaitWithoutItsMarkIsEnded) {
  TheirSemaphore theirs;
  auto semaphore = import(theirs.fd());
  queue().wait(fill(1), kLong);
  control().fail("cuStreamWriteValue64", 1, kInvalidValue);
  EXPECT_THROW(queue().wait_for(use(semaphore, 3, 100'000'000)), Error);
  semaphore.reset();
  device_.reset();
  copies_.reset();
  EXPECT_EQ(theirs.value(), 3u);
}

// A wait that the driver refuses does not count.
TEST_F(CudaSharing, ARefusedWaitIsNotEnded) {
  TheirSemaphore theirs;
  const auto semaphore = import(theirs.fd());
  queue().wait(fill(1), kLong);
  control().fail("cuWaitExternalSemaphoresAsync", 1, kInvalidValue);
  EXPECT_THROW(queue().wait_for(use(semaphore, 3, 0)), Error);
  // The watch has looked at all others by then.
  queue().wait_for(use(semaphore, 1, 0));
  const auto is_ended = [&] {
    try {
      queue().wait(fill(2), kLong);
      return false;
    } catch (const Error&) {
      return true;
    }
  };
  while (!is_ended()) std::this_thread::yield();
  device_.reset();
  copies_.reset();
  EXPECT_EQ(theirs.value(), 1u);
}

TEST_F(CudaSharing, AValueThatTheDriverRefusesToSetMayBeGivenAgain) {
  TheirSemaphore theirs;
  const auto semaphore = import(theirs.fd());
  control().fail("cuSignalExternalSemaphoresAsync", 1, kInvalidValue);
  EXPECT_THROW(set(semaphore, 5), Error);
  semaphore->give_back(5);
  EXPECT_TRUE(queue().wait(set(semaphore, 5), kLong));
  EXPECT_EQ(theirs.value(), 5u);
  EXPECT_THROW(set(semaphore, 5), Error);
}

// A value that work will set is no other work's, from before the submission.
TEST_F(CudaSharing, AClaimedValueIsTaken) {
  TheirSemaphore theirs;
  const auto semaphore = import(theirs.fd());
  semaphore->claim(5, "value");
  expect_fails(VD_ERR_INVALID, "value (5) is not above the last value of semaphore \"theirs\" (5)",
               [&] { semaphore->claim(5, "value"); });
  EXPECT_THROW(semaphore->claim(4, "value"), Error);
  EXPECT_NO_THROW(semaphore->check(4, true, "value")) << "5 may be given back";
  semaphore->claim(6, "value");
  semaphore->give_back(5);
  EXPECT_THROW(semaphore->claim(5, "value"), Error) << "6 is still to come";
  semaphore->give_back(6);
  EXPECT_TRUE(queue().wait(set(semaphore, 4), kLong));
  EXPECT_EQ(theirs.value(), 4u);
  EXPECT_THROW(semaphore->check(4, true, "value"), Error);
}

TEST_F(CudaSharing, SemaphoresThatAreNone) {
  const int file = memfd_create("small", MFD_CLOEXEC);
  expect_fails(VD_ERR_INVALID, "no file descriptor of a timeline semaphore", [&] { import(file); });
  EXPECT_TRUE(is_open(file)) << "the caller's, since the import failed";
  close(file);
  expect_fails(VD_ERR_INVALID, "desc->handle (1000000) is no file descriptor", [&] { import(1000000); });
  expect_fails(VD_ERR_UNSUPPORTED, "CUDA makes no semaphores", [&] {
    device().make_semaphore({VD_SEMAPHORE_NEW, 0, 0, "a semaphore"});
  });
  TheirSemaphore theirs;
  const auto semaphore = import(theirs.fd());
  expect_fails(VD_ERR_UNSUPPORTED, "does not tell its value", [&] { semaphore->value(); });
  expect_fails(VD_ERR_UNSUPPORTED, "does not let the host set it", [&] { semaphore->signal(1); });
  expect_fails(VD_ERR_UNSUPPORTED, "does not let the host wait", [&] { semaphore->wait(1, 0); });
  EXPECT_TRUE(queue().wait(set(semaphore, 5), kLong));
  expect_fails(VD_ERR_INVALID, "value (5) is not above the last value of semaphore \"theirs\" (5)",
               [&] { semaphore->check(5, true, "value"); });
}

TEST_F(CudaSharing, MemoryGoesThereAndBack) {
  const auto ours = device().make_exportable(100'000, "ours");
  EXPECT_EQ(ours->size(), 100'000u);
  const std::vector<uint32_t> values{1, 2, 3, 4};
  test::write(queue(), {ours.get(), 4096, 16}, values.data());
  const backends::ExportedMemory exported = ours->export_memory();
  EXPECT_GE(exported.size, 100'000u);
  backends::ExternalMemory wanted;
  wanted.kind = VD_MEMORY_KIND_FD;
  wanted.handle = static_cast<uint64_t>(exported.fd);
  wanted.memory_size = exported.size;
  wanted.offset = 4100;
  wanted.size = 12;
  auto theirs = device().import_memory(wanted);
  EXPECT_TRUE(is_open(exported.fd)) << "the caller's";
  close(exported.fd);
  EXPECT_EQ(read_words(*theirs), (std::vector<uint32_t>{2, 3, 4}));
  ListBuilder work;
  work.fill(whole(*theirs), 9);
  queue().wait(queue().submit(work.list), kLong);
  std::vector<uint32_t> got(4);
  queue().read({ours.get(), 4096, 16}, got.data());
  EXPECT_EQ(got, (std::vector<uint32_t>{1, 9, 9, 9}));
  expect_fails(VD_ERR_INVALID, "VD_BUFFER_EXPORT", [&] { theirs->export_memory(); });
}

class CudaSharingFailure : public CudaFailure {};

// Each call fails once, and nothing is left.
TEST_F(CudaSharingFailure, OfEachCall) {
  for (const char* call :
       {"cuMemGetAllocationGranularity", "cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess",
        "cuMemExportToShareableHandle", "cuImportExternalMemory", "cuExternalMemoryGetMappedBuffer"}) {
    control().fail(call, 1, kInvalidValue);
    EXPECT_THROW(
        {
          const auto ours = device().make_exportable(4096, "ours");
          const backends::ExportedMemory exported = ours->export_memory();
          backends::ExternalMemory wanted;
          wanted.kind = VD_MEMORY_KIND_FD;
          wanted.handle = static_cast<uint64_t>(exported.fd);
          wanted.memory_size = exported.size;
          wanted.size = 4096;
          try {
            device().import_memory(wanted);
          } catch (...) {
            close(exported.fd);
            throw;
          }
        },
        Error)
        << call;
    control().fail(call, 0, 0);
  }
  for (const char* call :
       {"cuImportExternalSemaphore", "cuWaitExternalSemaphoresAsync", "cuSignalExternalSemaphoresAsync"}) {
    TheirSemaphore theirs;
    control().fail(call, 1, kInvalidValue);
    EXPECT_THROW(
        {
          const auto semaphore =
              device().make_semaphore({VD_SEMAPHORE_FD, static_cast<uint64_t>(theirs.fd()), 0, "a semaphore"});
          semaphore->claim(1, "value");
          queue().signal({semaphore, 1, 0, "a semaphore"});
          queue().wait_for({semaphore, 1, UINT64_MAX, "a semaphore"});
        },
        Error)
        << call;
    control().fail(call, 0, 0);
  }
  queue().wait(queue().submit(backends::CommandList{}), kLong);
}

}  // namespace
}  // namespace vd::cuda
