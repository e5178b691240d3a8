// Host-visible memory of a device with memory of its own: where its bytes are, and by which calls they travel.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "unit/opencl/fixture.h"

namespace vd::opencl {
namespace {

constexpr uint32_t kWords = 1 << 12;
constexpr uint64_t kSize = kWords * 4;

std::atomic<int> g_maps{0}, g_copies{0}, g_reads{0}, g_writes{0};

template <auto Member, auto& Counter, class F>
struct Counted;
template <auto Member, auto& Counter, class R, class... A>
struct Counted<Member, Counter, R (*)(A...)> {
  static R CL_API_CALL call(A... arguments) {
    ++Counter;
    return (real->*Member)(arguments...);
  }
};

cl_int CL_API_CALL refused_launch(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*,
                                  cl_uint, const cl_event*, cl_event*) {
  return CL_INVALID_WORK_GROUP_SIZE;
}

// The event of the last write that has one.
cl_event g_written = nullptr;
cl_int CL_API_CALL kept_write(cl_command_queue queue, cl_mem to, cl_bool blocks, size_t offset, size_t size,
                              const void* data, cl_uint count, const cl_event* waits, cl_event* event) {
  const cl_int result = real->EnqueueWriteBuffer(queue, to, blocks, offset, size, data, count, waits, event);
  if (event != nullptr && real->RetainEvent(*event) == CL_SUCCESS) g_written = *event;
  return result;
}

// Unmapped pinned memory, in all and before that write was over.
std::atomic<int> g_unmaps{0}, g_early_unmaps{0};
cl_int CL_API_CALL noted_unmap(cl_command_queue queue, cl_mem memory, void* mapped, cl_uint count,
                               const cl_event* waits, cl_event* event) {
  cl_int status = CL_QUEUED;
  real->GetEventInfo(g_written, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr);
  if (status != CL_COMPLETE) ++g_early_unmaps;
  ++g_unmaps;
  return real->EnqueueUnmapMemObject(queue, memory, mapped, count, waits, event);
}

class OpenClHostSide : public OpenClTest {
 protected:
  static constexpr uint32_t kQueues = 3;
  void SetUp() override {
    OpenClTest::SetUp();
    if (!device_) return;
    real = &Api::get();
    api_ = *real;
    api_.EnqueueMapBuffer = Counted<&Api::EnqueueMapBuffer, g_maps, decltype(Api::EnqueueMapBuffer)>::call;
    api_.EnqueueCopyBuffer = Counted<&Api::EnqueueCopyBuffer, g_copies, decltype(Api::EnqueueCopyBuffer)>::call;
    api_.EnqueueReadBuffer = Counted<&Api::EnqueueReadBuffer, g_reads, decltype(Api::EnqueueReadBuffer)>::call;
    api_.EnqueueWriteBuffer = Counted<&Api::EnqueueWriteBuffer, g_writes, decltype(Api::EnqueueWriteBuffer)>::call;
    Overrides wishes;
    wishes.direct_transfers = false;
    wishes.api = &api_;
    std::string reason;
    device_ = open_fresh(wishes, "", reason, kQueues);
    host_ = memory(kSize, true);
    far_ = memory(kSize);
    fill(*host_, 0);
    g_maps = g_copies = g_reads = g_writes = 0;
  }
  void TearDown() override {
    if (!device_) return;
    host_.reset();
    far_.reset();
    device_.reset();
  }
  // Words that count up from `first`, through a mapping.
  void fill(backends::Memory& host, uint32_t first) {
    auto* words = static_cast<uint32_t*>(host.map(0, kSize, true));
    std::iota(words, words + kWords, first);
    host.unmap(words, 0, kSize, true);
  }
  uint32_t last(backends::Memory& host) {
    auto* words = static_cast<uint32_t*>(host.map(0, kSize, false));
    const uint32_t word = words[kWords - 1];
    host.unmap(words, 0, kSize, false);
    return word;
  }
  uint64_t copy(backends::Queue& queue, const backends::Range& from, const backends::Range& to) {
    ListBuilder work;
    work.copy(from, to);
    return queue.submit(work.list);
  }
  void finish(backends::Queue& queue, uint64_t value) { ASSERT_TRUE(queue.wait(value, VD_WAIT_FOREVER)); }

  Api api_;
  std::unique_ptr<backends::Memory> host_, far_;
};

// A driver that keeps the buffer on the device moves all of it for each mapping, and copies within the device.
TEST_F(OpenClHostSide, CopiesAloneMoveBytes) {
  fill(*host_, 7);
  EXPECT_EQ(g_maps, 0);
  finish(queue(), copy(queue(), whole(*host_), whole(*far_)));
  EXPECT_EQ(g_writes, 1);
  const auto back = memory(kSize, true);
  g_maps = 0;
  finish(queue(), copy(queue(), whole(*far_), whole(*back)));
  EXPECT_EQ(last(*back), kWords + 6);
  EXPECT_EQ(g_reads, 1);
  EXPECT_EQ(g_copies, 0);
  EXPECT_EQ(g_maps, 0);
  std::vector<uint32_t> got(kWords);
  queue().read(whole(*back), got.data());
  EXPECT_EQ(got.back(), kWords + 6);
  EXPECT_EQ(g_reads, 1) << "the bytes are there";
}

TEST_F(OpenClHostSide, WritesGoThereAtOnce) {
  const std::vector<uint32_t> words(kWords, 11);
  const auto value = queue().write_in_place(whole(*host_), words.data());
  ASSERT_TRUE(value);
  finish(queue(), copy(queue(), whole(*host_), whole(*far_)));
  EXPECT_EQ(read_words(*far_), words);
  const auto open = queue().hold();
  EXPECT_FALSE(queue().write_in_place(whole(*host_), words.data()))
      << "the queue may wait for what needs the old bytes";
  open();
}

TEST_F(OpenClHostSide, AKernelTakesThemToTheDevice) {
  const auto module = affine();
  ListBuilder work;
  work.dispatch(*module, kWords / 64, {whole(*host_)}, {kWords, 3, 5});
  finish(queue(), queue().submit(work.list));
  EXPECT_EQ(last(*host_), (kWords - 1) * 3 + 5);
  const std::vector<uint32_t> words(kWords, 11);
  EXPECT_FALSE(queue().write_in_place(whole(*host_), words.data()));
  fill(*host_, 100);
  finish(queue(), queue().submit(work.list));
  EXPECT_EQ(read_words(*host_).back(), (kWords + 99) * 3 + 5);
  finish(queue(), copy(queue(), whole(*host_), whole(*far_)));
  EXPECT_EQ(read_words(*far_).back(), (kWords + 99) * 3 + 5);
  EXPECT_EQ(g_copies, 1);
  const auto second = memory(kSize, true);  // of two host-visible buffers
  finish(queue(), copy(queue(), whole(*host_), whole(*second)));
  EXPECT_EQ(last(*second), (kWords + 99) * 3 + 5);
  test::write(queue(), whole(*second), words.data());
  EXPECT_EQ(last(*second), 11u);
}

TEST_F(OpenClHostSide, AGraphDoesSoAtEachRun) {
  const auto module = affine();
  ListBuilder work;
  work.dispatch(*module, kWords / 64, {whole(*host_)}, {kWords, 1, 1});
  const auto graph = device().make_executable(work.list);
  fill(*host_, 1);
  finish(queue(), queue().submit(*graph, 2));
  EXPECT_EQ(last(*host_), kWords + 2);
}

// Bytes that another queue copies, that a mapping writes, and that a kernel uses, all of one buffer at once.
TEST_F(OpenClHostSide, NoBytesAreLostOnTheWay) {
  const auto module = affine();
  const uint64_t third = kSize / 4;
  for (int turn = 0; turn < 20; ++turn) {
    const auto host = memory(kSize, true);
    const std::vector<uint32_t> words(kWords / 4, 1000 + static_cast<uint32_t>(turn));
    const uint64_t written = test::write(queue(), {far_.get(), 0, third}, words.data());
    auto* mapped = static_cast<uint32_t*>(host->map(third, third, true));
    auto& other = device().queue(1);
    other.wait_for(queue(), written);
    const uint64_t copied = copy(other, {far_.get(), 0, third}, {host.get(), 0, third});
    ListBuilder work;
    work.fill({host.get(), 2 * third, third}, 3);
    work.level(1).dispatch(*module, kWords / 4 / 64, {{host.get(), 2 * third, third}}, {kWords / 4, 2, 1});
    const uint64_t computed = queue().submit(work.list);
    auto& reader = device().queue(2);
    reader.wait_for(other, copied);
    std::fill_n(mapped, kWords / 4, 77u);
    std::vector<uint32_t> got(kWords / 4);
    reader.read({host.get(), 0, third}, got.data());
    EXPECT_EQ(got, words);
    finish(queue(), computed);
    host->unmap(mapped, third, third, true);
    const std::vector<uint32_t> all = read_words(*host);
    EXPECT_EQ(all[kWords / 4], 77u);
    EXPECT_EQ(all[kWords / 2 - 1], 77u);
    EXPECT_EQ(all[kWords / 2], 7u);
  }
}

TEST_F(OpenClHostSide, TheProgramsOwnCommandsFindThem) {
  fill(*host_, 21);
  uint64_t handle = 0;
  ASSERT_TRUE(host_->native("cl_mem", handle));
  cl_command_queue own = reinterpret_cast<Queue&>(queue()).handle();
  uint32_t word = 0;
  ASSERT_EQ(real->EnqueueReadBuffer(own, reinterpret_cast<cl_mem>(handle), CL_TRUE, 4, 4, &word, 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(word, 22u);
}

// The runtime knows of no work that uses the memory where its launch failed, and frees it at once, maybe on the thread that
// lets the queue go on.
TEST_F(OpenClHostSide, MemoryStaysUntilItHasMoved) {
  const auto module = affine();
  const auto open = queue().hold();
  ListBuilder work;
  api_.EnqueueWriteBuffer = kept_write;
  api_.EnqueueNDRangeKernel = refused_launch;
  work.dispatch(*module, 1, {whole(*host_)}, {kWords, 1, 1});
  EXPECT_THROW(queue().submit(work.list), Error);
  ASSERT_NE(g_written, nullptr);
  api_.EnqueueUnmapMemObject = noted_unmap;
  host_.reset();
  EXPECT_EQ(g_unmaps, 0) << "the device still reads what was freed";
  open();
  device_.reset();
  EXPECT_EQ(g_unmaps, 1);
  EXPECT_EQ(g_early_unmaps, 0) << "the device still reads what was freed";
  real->ReleaseEvent(g_written);
  g_written = nullptr;
}

}  // namespace
}  // namespace vd::opencl
