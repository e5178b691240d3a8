// Graphs whose commands are timed: they run in their timed form.
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

constexpr const char* kSetEvent = "cuGraphExecEventRecordNodeSetEvent";

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

// In flight together, each has events of its own; once they were read the next run has them.
TEST_F(TimedGraph, EachRunHasItsOwnTimes) {
  constexpr uint32_t kCommands = 5, kRuns = 4;
  if (control().calls == nullptr) GTEST_SKIP() << "a real driver does not count its calls";
  const auto calls = control().calls;
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < kCommands; ++i) work.level(i).dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  const auto graph = device().make_executable(work.list);
  const uint64_t first = calls(kSetEvent);
  std::vector<Run> runs;
  for (uint32_t i = 0; i < kRuns; ++i) runs.push_back(submit(queue(), *graph));
  EXPECT_EQ(calls(kSetEvent) - first, kRuns * (kCommands + 1));
  std::vector<Times> times;
  for (Run& run : runs) times.push_back(read(queue(), run, kCommands));
  for (uint32_t i = 1; i < kRuns; ++i)
    EXPECT_LE(times[i - 1].of.back().end, times[i].of.front().begin + times[i - 1].error + times[i].error);
  EXPECT_EQ(read_words(*buffer)[0], kRuns * kCommands);
  const uint64_t before = calls(kSetEvent), made = calls("cuEventCreate");
  for (uint32_t i = 0; i < kRuns; ++i) expect_times(*graph, kCommands);
  EXPECT_EQ(calls(kSetEvent), before);
  EXPECT_EQ(calls("cuEventCreate") - made, kRuns);  // of now, one for each reading
}

// Events of a run whose times nobody wants serve again, too.
TEST_F(TimedGraph, ARunThatIsNotReadLeavesItsEvents) {
  if (control().calls == nullptr) GTEST_SKIP() << "a real driver does not count its calls";
  const auto buffer = words({0});
  ListBuilder work;
  work.fill(whole(*buffer), 3);
  const auto graph = device().make_executable(work.list);
  {
    const Run run = submit(queue(), *graph);
    EXPECT_TRUE(queue().wait(run.value, VD_WAIT_FOREVER));
  }
  const auto calls = control().calls;
  const uint64_t before = calls(kSetEvent), created = calls("cuEventCreate");
  const Run run = submit(queue(), *graph);
  EXPECT_EQ(calls(kSetEvent), before);
  EXPECT_EQ(calls("cuEventCreate"), created);
  EXPECT_TRUE(queue().wait(run.value, VD_WAIT_FOREVER));
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

// An instance takes no other copies of images, so another is made, which is given events, too.
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

// ---- Failures

class TimedGraphFailure : public CudaFailure {};

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
       {Call{"cuGraphAddEventRecordNode", "of 3 commands"}, Call{kSetEvent, "of 3 commands"},
        Call{"cuEventCreate", "a time"}, Call{"cuGraphCreate", "a graph of 3 commands"},
        Call{"cuGraphInstantiate", "a graph of 7 nodes"}, Call{"cuGraphUpload", "a graph of 7 nodes"},
        Call{"cuGraphExecKernelNodeSetParams", "kernel \"affine\""}, Call{"cuGraphLaunch", "repeat 1 of 1"}}) {
    for (unsigned nth = 1; nth <= 3; ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << " of " << call.name);
      device_ = open_fresh();  // with no events that another graph has left
      const auto module = affine();
      const auto buffer = words({0}), other = words({0});
      const auto graph = device().make_executable(work(*module, *buffer, 10).list);
      control().fail(call.name, nth, kInvalidValue);
      bool failed = false;
      for (uint32_t turn = 0; turn < 3; ++turn) {
        auto& target = turn % 2 == 0 ? *buffer : *other;
        const ListBuilder now = work(*module, target, 20 + turn);
        std::unique_ptr<backends::Timing> timing;
        ASSERT_TRUE(turn == 0 || graph->update(now.list));
        const auto run = [&] { return queue().submit_timed_executable(*graph, timing); };
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

// A run between that failed has changed the first events of the instance.
TEST_F(TimedGraphFailure, EventsThatWereSetHalfWayAreSetAgain) {
  const auto buffer = words({0});
  ListBuilder work;
  for (uint32_t i = 0; i < 3; ++i) work.level(i).fill(whole(*buffer), i);
  const auto graph = device().make_executable(work.list);
  std::unique_ptr<backends::Timing> first, second;
  queue().submit_timed_executable(*graph, first);
  control().fail(kSetEvent, 3, kInvalidValue);
  expect_error([&] { queue().submit_timed_executable(*graph, second); }, VD_ERR_INTERNAL,
               "cuGraphExecEventRecordNodeSetEvent failed: CUDA_ERROR_INVALID_VALUE (1, invalid argument): time 2 of 3 "
               "commands");
  EXPECT_EQ(second, nullptr);
  std::vector<backends::Interval> times(3);
  first->read(times);  // a failure waits for the queue
  const uint64_t before = control().calls(kSetEvent);
  const uint64_t value = queue().submit_timed_executable(*graph, second);
  EXPECT_EQ(control().calls(kSetEvent) - before, 4u);
  EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
  second->read(times);
}

}  // namespace
}  // namespace vd::cuda
