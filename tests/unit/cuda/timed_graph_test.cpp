// Graphs whose commands are timed: they run in their timed form.
#include <thread>
#include <utility>

#include "core/steady_time.h"
#include "unit/cuda/fixture.h"

namespace vd::cuda {
namespace {

struct Times {
  std::vector<backends::Interval> of;  // each command
  uint64_t error = 0;
};

class TimedGraph : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (!IsSkipped()) prepare_timing();
  }
  uint32_t queue_count() const override { return 2; }

  struct Run {
    uint64_t value = 0;
    std::unique_ptr<backends::Timing> timing;
  };
  static Run submit(backends::Queue& queue, backends::Executable& graph) {
    Run run;
    run.value = queue.submit_timed_executable(graph, run.timing);
    return run;
  }
  static Times read(backends::Queue& queue, Run& run, size_t commands) {
    EXPECT_TRUE(queue.wait(run.value, VD_WAIT_FOREVER));
    Times times;
    times.of.resize(commands);
    times.error = run.timing->read(times.of);
    for (size_t i = 0; i < commands; ++i) {
      EXPECT_LE(times.of[i].begin, times.of[i].end);
      EXPECT_LE(i == 0 ? 1 : times.of[i - 1].end, times.of[i].begin);
    }
    return times;
  }
  // Times a run, whose times lie between now and its end.
  void expect_times(backends::Queue& queue, backends::Executable& graph, size_t commands) {
    const uint64_t before = steady_time();
    Run run = submit(queue, graph);
    EXPECT_TRUE(queue.wait(run.value, VD_WAIT_FOREVER));
    const uint64_t after = steady_time();
    const Times times = read(queue, run, commands);
    EXPECT_GE(times.of.front().begin + times.error, before);
    EXPECT_LE(times.of.back().end, after + times.error);
  }
  void expect_times(backends::Executable& graph, size_t commands) { expect_times(queue(), graph, commands); }
};

// Also commands that might run side by side, of which the emulated driver would run the last first.
TEST_F(TimedGraph, RunsTheCommandsInTheirOrder) {
  const auto module = affine();
  const auto buffer = words({1, 0}), other = words({0, 0});
  ListBuilder work;
  work.level(0).dispatch(*module, 1, {whole(*buffer)}, {1, 2, 1});
  work.level(0).dispatch(*module, 1, {whole(*buffer)}, {1, 3, 5});
  work.level(0).dispatch(*module, 0, {whole(*buffer)}, {1, 0, 0});  // has no effect
  work.level(1).copy({buffer.get(), 0, 4}, {other.get(), 4, 4});
  work.level(1).fill({other.get(), 0, 4}, 9);
  const auto graph = device().make_executable(work.list);
  expect_times(*graph, 5);
  EXPECT_EQ(read_words(*buffer)[0], 14u);
  EXPECT_EQ(read_words(*other), (std::vector<uint32_t>{9, 14}));
}

TEST_F(TimedGraph, MayDoNothing) {
  const auto module = affine();
  const auto buffer = words({7});
  ListBuilder work;
  work.dispatch(*module, 0, {whole(*buffer)}, {1, 0, 0});
  const auto graph = device().make_executable(work.list);
  expect_times(*graph, 1);
  EXPECT_EQ(read_words(*buffer)[0], 7u);
}

// Also of runs in flight together, for which no node is changed.
TEST_F(TimedGraph, EachRunHasItsOwnTimes) {
  constexpr uint32_t kCommands = 5, kRuns = 4;
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < kCommands; ++i) work.level(i).dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  const auto graph = device().make_executable(work.list);
  expect_times(*graph, kCommands);
  const auto changes = [] {
    if (control().calls == nullptr) return uint64_t{0};  // a real driver does not count its calls
    return control().calls("cuGraphExecKernelNodeSetParams") + control().calls("cuGraphExecMemcpyNodeSetParams") +
           control().calls("cuGraphKernelNodeSetParams") + control().calls("cuGraphInstantiate");
  };
  const uint64_t before = changes();
  std::vector<Run> runs;
  for (uint32_t i = 0; i < kRuns; ++i) runs.push_back(submit(queue(), *graph));
  EXPECT_EQ(changes(), before);
  std::vector<Times> times;
  for (Run& run : runs) times.push_back(read(queue(), run, kCommands));
  for (uint32_t i = 1; i < kRuns; ++i)
    EXPECT_LE(times[i - 1].of.back().end, times[i].of.front().begin + times[i - 1].error + times[i].error);
  EXPECT_EQ(read_words(*buffer)[0], (kRuns + 1) * kCommands);
}

// Its memory serves again, whether it was read or not.
TEST_F(TimedGraph, ARunLeavesItsMemory) {
  if (control().calls == nullptr) GTEST_SKIP() << "a real driver does not count its calls";
  constexpr uint32_t kCommands = 1000, kRuns = 40;
  const auto buffer = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < kCommands; ++i) work.level(i).fill(whole(*buffer), i);
  const auto graph = device().make_executable(work.list);
  expect_times(*graph, kCommands);
  const uint64_t before = control().calls("cuMemHostAlloc");
  for (uint32_t i = 0; i < kRuns; ++i) {
    Run run = submit(queue(), *graph);
    if (i % 2 == 0)
      read(queue(), run, kCommands);
    else
      EXPECT_TRUE(queue().wait(run.value, VD_WAIT_FOREVER));
  }
  EXPECT_LE(control().calls("cuMemHostAlloc") - before, 1u);
}

// Updates and patches between timed runs, and between those and plain ones, on either queue.
TEST_F(TimedGraph, SeesWhatChanges) {
  const auto module = affine();
  const auto many = many_values();
  const auto a = words({1, 0}), b = words({1, 0}), sums = words({0, 0});
  const auto work = [&](backends::Memory& x, uint32_t value) {
    std::vector<uint32_t> values(kManyValues, 0);
    values.front() = value;
    values.back() = value + 1;
    ListBuilder builder;
    builder.level(0).dispatch(*module, 1, {{&x, 0, 4}}, {1, 2, value});
    builder.level(1).copy({&x, 0, 4}, {&x, 4, 4});
    builder.level(2).dispatch(*many, 1, {whole(*sums)}, values);
    builder.level(3).fill({&x, 4, 4}, value + 2);
    return builder;
  };
  const ListBuilder first = work(*a, 10);
  const auto graph = device().make_executable(first.list);
  const auto expect = [&](backends::Memory& x, uint32_t now, uint32_t value) {
    EXPECT_EQ(read_words(x), (std::vector<uint32_t>{now, value + 2}));
    EXPECT_EQ(read_words(*sums), (std::vector<uint32_t>{value + 1, value}));
  };
  expect_times(*graph, 4);
  expect(*a, 12, 10);
  const ListBuilder second = work(*b, 20);
  ASSERT_TRUE(graph->update(second.list));
  expect_times(*graph, 4);
  expect(*b, 22, 20);
  // Twice before a timed run, with a plain one between.
  const ListBuilder third = work(*b, 30), fourth = work(*a, 40);
  ASSERT_TRUE(graph->patch(third.list, std::vector<uint32_t>{0, 1, 2, 3}));
  queue().submit(*graph, 1);
  expect(*b, 74, 30);
  ASSERT_TRUE(graph->patch(fourth.list, std::vector<uint32_t>{0, 1, 2, 3}));
  expect_times(*graph, 4);
  expect(*a, 64, 40);
  queue().submit(*graph, 1);
  expect(*a, 168, 40);
  // Another queue's instance.
  queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER);
  expect_times(device().queue(1), *graph, 4);
  expect(*a, 376, 40);
  ASSERT_TRUE(graph->patch(third.list, std::vector<uint32_t>{0, 1, 2, 3}));
  expect_times(device().queue(1), *graph, 4);
  expect(*b, 178, 30);
}

// An instance takes no other copies of images, so another is made.
TEST_F(TimedGraph, SeesOtherCopiesOfImages) {
  using Kind = backends::Command::Kind;
  const auto image = line(4);
  const auto from = words({1, 2, 3, 4}), other = words({5, 6, 7, 8}), to = memory(16);
  const auto work = [&](backends::Memory& source) {
    ListBuilder builder;
    copy_boxes(builder.level(0), Kind::CopyToImage, source, *image, {{0, {}, {4, 1, 1}}});
    copy_boxes(builder.level(1), Kind::CopyFromImage, *image, *to, {{0, {}, {4, 1, 1}}});
    return builder;
  };
  const ListBuilder first = work(*from), second = work(*other);
  const auto graph = device().make_executable(first.list);
  expect_times(*graph, 2);
  ASSERT_TRUE(graph->update(second.list));
  expect_times(*graph, 2);
  EXPECT_EQ(read_words(*to), (std::vector<uint32_t>{5, 6, 7, 8}));
}

// ---- The timer

constexpr uint64_t kTimerHeld = UINT64_MAX;

class CudaTimer : public CudaFailure {
 protected:
  // Runs a list, or the graph of it.
  std::unique_ptr<backends::Timing> run_timed(bool list, const ListBuilder& work, backends::Executable& graph) {
    std::unique_ptr<backends::Timing> timing;
    queue().wait(list ? queue().submit_timed(work.list, timing) : queue().submit_timed_executable(graph, timing),
                 VD_WAIT_FOREVER);
    return timing;
  }
  void TearDown() override {
    if (control().timer != nullptr) control().timer(32, 0);
    CudaFailure::TearDown();
  }
};

TEST_F(CudaTimer, ItsResolutionIsPartOfTheError) {
  constexpr uint64_t kCoarse = 2'000'000;
  control().timer(kCoarse, 0);
  const auto buffer = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < 3; ++i) work.level(i).fill(whole(*buffer), i);
  const auto graph = device().make_executable(work.list);
  prepare_timing();
  for (const bool list : {true, false}) {
    const uint64_t before = steady_time();
    const auto timing = run_timed(list, work, *graph);
    const uint64_t after = steady_time();
    std::vector<backends::Interval> times(3);
    const uint64_t error = timing->read(times);
    EXPECT_GE(error, kCoarse);
    EXPECT_GE(times.front().begin + error, before);
    EXPECT_LE(times.back().end, after + error);
    for (const auto& time : times) EXPECT_EQ((time.end - time.begin) % kCoarse, 0u);
  }
}

// A profile may be read long after its work.
TEST_F(CudaTimer, MayBeFasterThanTheHosts) {
  constexpr uint64_t kFast = 100'000, kLate = 50'000'000;
  control().timer(32, kFast);
  const auto buffer = words({0});
  ListBuilder work;
  work.fill(whole(*buffer), 3);
  prepare_timing();
  const uint64_t before = steady_time();
  std::unique_ptr<backends::Timing> timing;
  queue().wait(queue().submit_timed(work.list, timing), VD_WAIT_FOREVER);
  const uint64_t after = steady_time();
  while (steady_time() < after + kLate) std::this_thread::yield();
  std::vector<backends::Interval> times(1);
  const uint64_t error = timing->read(times);
  EXPECT_GE(times[0].begin + error, before);
  EXPECT_LE(times[0].end, after + error + (times[0].end - times[0].begin) / 10);
}

TEST_F(CudaTimer, MayStandStill) {
  control().timer(0, 0);
  const auto buffer = words({0});
  ListBuilder work;
  work.fill(whole(*buffer), 3);
  std::unique_ptr<backends::Timing> timing;
  const std::string part = "the timer of CUDA device \"" + std::string(device().info().name) +
                           "\" (%globaltimer) has the same value after 262144 reads";
  const auto prepare = [&] {
    for (;;) device().prepare_timing();  // a busy machine may have no time for so many reads
  };
  expect_error(prepare, VD_ERR_UNSUPPORTED, part);
  EXPECT_FALSE(queue().has_clock()) << "the program's own work does not fail by it";
  control().timer(32, 0);
  prepare_timing();
  queue().wait(queue().submit_timed(work.list, timing), VD_WAIT_FOREVER);
  EXPECT_EQ(read_words(*buffer)[0], 3u);
}

// While kernels take all of the device, a run lies between its submission and now.
TEST_F(CudaTimer, AReadDoesNotWaitForRoom) {
  const auto buffer = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < 3; ++i) work.level(i).fill(whole(*buffer), i);
  prepare_timing();
  const uint64_t before = steady_time();
  uint64_t after = 0;
  const auto run = [&] {
    std::unique_ptr<backends::Timing> timing;
    queue().wait(queue().submit_timed(work.list, timing), VD_WAIT_FOREVER);
    after = steady_time();
    return timing;
  };
  // The number of times that the device was asked.
  const auto read = [&](backends::Timing& timing) {
    const uint64_t launches = control().calls("cuLaunchKernel");
    std::vector<backends::Interval> times(3);
    const uint64_t error = timing.read(times);
    EXPECT_GE(times.front().begin + error, before);
    EXPECT_LE(times.back().end, after + error);
    return control().calls("cuLaunchKernel") - launches;
  };
  while (read(*run()) < 3) std::this_thread::yield();
  const auto first = run(), second = run();
  control().timer(kTimerHeld, 0);
  EXPECT_LE(read(*first), 1u);
  EXPECT_EQ(read(*second), 0u) << "one look is under way";
  control().timer(32, 0);
  while (read(*run()) == 0) std::this_thread::yield();
}

// A kernel that runs until it is let go.
class CudaTimerBeside : public CudaTimer {
 protected:
  void SetUp() override {
    CudaTimer::SetUp();
    if (IsSkipped()) return;
    device_ = open_fresh({}, "", 2);
    gate_ = cuda(
        "extern \"C\" __global__ void vkdispatch_main(volatile unsigned* x) { x[1] = 1u; while (x[0] == 0u) {} }\n", 1,
        0, {1, 1, 1});
    shared_ = memory(8, true);
    for (int i = 0; i < 2; ++i) __atomic_store_n(word(i), 0, __ATOMIC_RELEASE);
  }
  void TearDown() override {
    if (held_ != 0) let_go();
    gate_.reset();
    shared_.reset();
    CudaTimer::TearDown();
  }
  uint32_t* word(int i) { return static_cast<uint32_t*>(static_cast<Memory&>(*shared_).host_pointer()) + i; }
  void hold() {
    ListBuilder work;
    work.dispatch(*gate_, 1, {whole(*shared_)}, {});
    held_ = device().queue(1).submit(work.list);
    while (__atomic_load_n(word(1), __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
  }
  void let_go() {
    __atomic_store_n(word(0), 1, __ATOMIC_RELEASE);
    device().queue(1).wait(std::exchange(held_, 0), VD_WAIT_FOREVER);
  }

 private:
  std::shared_ptr<backends::Module> gate_;
  std::unique_ptr<backends::Memory> shared_;
  uint64_t held_ = 0;
};

// Neither timed work nor a read of its times waits for another queue.
TEST_F(CudaTimerBeside, NoTimedWorkWaitsForAnotherQueue) {
  const auto module = affine();
  const auto buffer = words({1});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 2, 3});
  const auto graph = device().make_executable(work.list);
  const auto run = [&](bool list) {
    std::vector<backends::Interval> times(1);
    run_timed(list, work, *graph)->read(times);
    EXPECT_GT(times[0].begin, 0u);
  };
  prepare_timing();
  hold();
  run(true);
  run(false);
  EXPECT_EQ(read_words(*buffer)[0], 13u);
  let_go();
}

// Work that comes before the kernel could be loaded runs, and is not timed.
TEST_F(CudaTimerBeside, PreparingDoesNotWait) {
  const auto buffer = words({1});
  ListBuilder work;
  work.fill(whole(*buffer), 3);
  const auto graph = device().make_executable(work.list);
  const auto run = [&](bool list) { return run_timed(list, work, *graph) != nullptr; };
  hold();
  const uint64_t before = control().calls("cuModuleLoadDataEx");
  device().prepare_timing();
  EXPECT_FALSE(queue().has_clock());
  EXPECT_FALSE(run(true));
  EXPECT_FALSE(run(false));
  EXPECT_EQ(read_words(*buffer)[0], 3u);
  EXPECT_EQ(control().calls("cuModuleLoadDataEx"), before);
  let_go();
  while (!queue().has_clock()) std::this_thread::yield();
  EXPECT_EQ(control().calls("cuModuleLoadDataEx"), before + 1);
  EXPECT_TRUE(run(true));
  EXPECT_TRUE(run(false));
  EXPECT_EQ(control().calls("cuModuleLoadDataEx"), before + 1);
}

// ---- Failures

class TimedGraphFailure : public CudaFailure {
 protected:
  void TearDown() override {
    if (control().delay != nullptr) control().delay(100);
    CudaFailure::TearDown();
  }
};

// Whatever fails in a timed run, the next one sees all changes and has its times, and nothing is left over.
TEST_F(TimedGraphFailure, TheNextRunIsRight) {
  const auto work = [](backends::Module& module, backends::Memory& x, uint32_t value) {
    ListBuilder builder;
    for (uint32_t i = 0; i < 3; ++i) builder.level(i).dispatch(module, 1, {whole(x)}, {1, 0, value + i});
    return builder;
  };
  struct Call {
    const char* name;
    const char* text;
  };
  for (const Call& call :
       {Call{"cuModuleLoadDataEx", "kernel \"stamp\""}, Call{"cuMemHostAlloc", "pinned host memory"},
        Call{"cuStreamCreateWithPriority", "a stream for the time"}, Call{"cuLaunchKernel", "a stamp"},
        Call{"cuGraphCreate", "a graph of 3 commands"}, Call{"cuGraphAddKernelNode", "cuGraphAddKernelNode"},
        Call{"cuMemAllocFromPoolAsync", "for the times of a graph"},
        Call{"cuGraphKernelNodeSetParams", "of 3 commands"}, Call{"cuGraphInstantiate", "a graph of 7 nodes"},
        Call{"cuGraphUpload", "a graph of 7 nodes"}, Call{"cuGraphExecKernelNodeSetParams", "kernel \"affine\""},
        Call{"cuGraphLaunch", "repeat 1 of 1"}, Call{"cuMemcpyDtoHAsync", "4 stamps"}}) {
    for (unsigned nth = 1; nth <= 3; ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << " of " << call.name);
      device_ = open_fresh();  // whose timer was not read yet
      const auto module = affine();
      const auto buffer = memory(4, true),
                 other = memory(4, true);  // is read without a copy, which might be what fails
      for (auto* x : {buffer.get(), other.get()}) *static_cast<uint32_t*>(x->host_pointer()) = 0;
      const auto graph = device().make_executable(work(*module, *buffer, 10).list);
      control().fail(call.name, nth, kInvalidValue);
      bool failed = false;
      for (uint32_t turn = 0; turn < 3; ++turn) {
        auto& target = turn % 2 == 0 ? *buffer : *other;
        const ListBuilder now = work(*module, target, 20 + turn);
        std::unique_ptr<backends::Timing> timing;
        ASSERT_TRUE(turn == 0 || graph->update(now.list));
        const auto run = [&] {
          prepare_timing();
          return queue().submit_timed_executable(*graph, timing);
        };
        uint64_t value = 0;
        try {
          value = run();
        } catch (const Error& error) {
          EXPECT_FALSE(failed);
          failed = true;
          EXPECT_NE(std::string(error.what()).find(call.text), std::string::npos) << error.what();
          value = run();
        }
        ASSERT_NE(timing, nullptr);
        queue().wait(value, VD_WAIT_FOREVER);
        std::vector<backends::Interval> times(3);
        timing->read(times);
        EXPECT_EQ(read_words(target)[0], turn == 0 ? 12 : 22 + turn);
      }
      control().fail(call.name, 0, 0);
      EXPECT_TRUE(failed || nth > 1);
    }
  }
}

// The same of lists, which leave nothing half-way in what is behind them.
TEST_F(TimedGraphFailure, TheNextListIsRight) {
  control().delay(0);  // for thousands of commands
  for (const auto& [call, text] : {std::pair{"cuLaunchKernel", "a stamp"},
                                   {"cuMemcpyDtoHAsync", "1201 stamps"},
                                   {"cuMemAllocFromPoolAsync", "for the times of a list"}}) {
    for (unsigned nth = 1; nth <= 3; ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << " of " << call);
      device_ = open_fresh();
      const auto buffer = words({0});
      prepare_timing();
      ListBuilder work;
      for (uint32_t i = 0; i < 3; ++i) work.level(i).fill(whole(*buffer), i);
      ListBuilder large;
      for (uint32_t i = 0; i < 1200; ++i) large.level(i).fill(whole(*buffer), i);
      bool failed = false;
      for (const ListBuilder* now : {&large, &work, &large}) {
        std::unique_ptr<backends::Timing> timing;
        if (now == &large) control().fail(call, nth, kInvalidValue);
        uint64_t value = 0;
        try {
          value = queue().submit_timed(now->list, timing);
        } catch (const Error& error) {
          failed = true;
          EXPECT_EQ(timing, nullptr);
          EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
          value = queue().submit_timed(now->list, timing);
        }
        control().fail(call, 0, 0);
        queue().wait(value, VD_WAIT_FOREVER);
        std::vector<backends::Interval> times(now->list.commands.size());
        timing->read(times);
        for (size_t i = 1; i < times.size(); ++i) EXPECT_LE(times[i - 1].end, times[i].begin);
        EXPECT_EQ(read_words(*buffer)[0], times.size() - 1);
      }
      EXPECT_TRUE(failed || nth > 1);
    }
  }
}

TEST_F(TimedGraphFailure, ALostDeviceHasNoTimes) {
  const auto buffer = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < 3; ++i) work.level(i).fill(whole(*buffer), i);
  const auto graph = device().make_executable(work.list);
  prepare_timing();
  std::unique_ptr<backends::Timing> first, second, third;
  queue().wait(queue().submit_timed_executable(*graph, first), VD_WAIT_FOREVER);
  control().break_next_kernel(kIllegalAddress);  // a stamp
  const uint64_t value = queue().submit_timed_executable(*graph, second);
  expect_error([&] { queue().wait(value, VD_WAIT_FOREVER); }, VD_ERR_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_ADDRESS (700");
  const std::string part = "can no longer be used";
  std::vector<backends::Interval> times(3);
  expect_error([&] { first->read(times); }, VD_ERR_DEVICE_LOST, part);
  expect_error([&] { second->read(times); }, VD_ERR_DEVICE_LOST, part);
  expect_error([&] { queue().submit_timed(work.list, third); }, VD_ERR_DEVICE_LOST, part);
  expect_error([&] { device().prepare_timing(); }, VD_ERR_DEVICE_LOST, part);
}

}  // namespace
}  // namespace vd::cuda
