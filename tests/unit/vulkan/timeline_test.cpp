// The end of a wait: by the word that the device writes, if the driver's semaphore is late; by the semaphore, if the
// word is not written; by a failure. Entry points in the driver's place simulate its lateness.
#include <atomic>
#include <chrono>
#include <ctime>
#include <random>
#include <thread>

#include "backends/vulkan/mark_trials.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

std::atomic<bool> lost{false};
std::atomic<uint32_t> marks{0};
std::atomic<uint32_t> last_buffers{0};  // of the last submission
std::atomic<uint32_t> looks{0};         // at the semaphore
std::atomic<uint32_t> hidden{0};        // looks that still find the work undone
std::atomic<uint32_t> blocks{0};
PFN_vkCmdUpdateBuffer real_update = nullptr;
PFN_vkGetSemaphoreCounterValue real_counter = nullptr;
PFN_vkWaitSemaphores real_wait = nullptr;
PFN_vkQueueSubmit real_submit = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL late_counter(VkDevice, VkSemaphore, uint64_t* value) {
  *value = 0;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL late_wait(VkDevice, const VkSemaphoreWaitInfo*, uint64_t) { return VK_TIMEOUT; }
VKAPI_ATTR VkResult VKAPI_CALL losing_counter(VkDevice device, VkSemaphore semaphore, uint64_t* value) {
  if (lost) return VK_ERROR_DEVICE_LOST;
  return real_counter(device, semaphore, value);
}
VKAPI_ATTR VkResult VKAPI_CALL hiding_counter(VkDevice device, VkSemaphore semaphore, uint64_t* value) {
  ++looks;
  const VkResult result = real_counter(device, semaphore, value);
  if (hidden == 0) return result;
  --hidden;
  *value = 0;
  return result;
}
VKAPI_ATTR VkResult VKAPI_CALL counted_wait(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t timeout) {
  ++blocks;
  return real_wait(device, info, timeout);
}
VKAPI_ATTR VkResult VKAPI_CALL counted_submit(VkQueue queue, uint32_t count, const VkSubmitInfo* infos, VkFence fence) {
  last_buffers = infos[0].commandBufferCount;
  if (infos[0].commandBufferCount > 1) ++marks;  // a graph's and its mark's; before the first one a barrier's, too
  return real_submit(queue, count, infos, fence);
}
VKAPI_ATTR void VKAPI_CALL no_update(VkCommandBuffer, VkBuffer, VkDeviceSize, VkDeviceSize, const void*) {}
VKAPI_ATTR void VKAPI_CALL counted_update(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset,
                                          VkDeviceSize size, const void* data) {
  ++marks;
  real_update(commands, buffer, offset, size, data);
}

// A device that makes marks in order, a driver that releases what is done late, and threads that look.
TEST(VulkanMarks, ANumberIsNeverTakenForALaterUseOfIt) {
  constexpr uint64_t kLast = 200'000;
  MarkNumbers numbers;
  std::atomic<uint32_t> word{0};
  std::atomic<uint64_t> done{0};
  std::vector<std::thread> lookers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 2; ++t)
    lookers.emplace_back([&] {
      for (uint64_t value = 0; value < kLast;) {
        value = numbers.last([&] { return word.load(); });
        if (value > done.load()) ++wrong;
        std::this_thread::yield();
      }
    });
  std::vector<std::pair<uint64_t, uint32_t>> in_flight;
  uint64_t released = 0;
  std::mt19937 random(1);
  for (uint64_t value = 3; value <= kLast; value += value + 3 <= kLast ? 3 : kLast - value == 0 ? 1 : kLast - value) {
    for (;;) {
      const auto number = numbers.take(value, released);
      if (number) {
        in_flight.emplace_back(value, *number);
        break;
      }
      ASSERT_FALSE(in_flight.empty() && released == done.load()) << "none in flight, and no number at " << value;
      for (const auto& [end, mark] : in_flight) {
        done = end;
        word = mark;
      }
      in_flight.clear();
      released = random() % 2 == 0 ? done.load() : released;
    }
    while (!in_flight.empty() && random() % 4 != 0) {
      done = in_flight.front().first;
      word = in_flight.front().second;
      in_flight.erase(in_flight.begin());
    }
    if (random() % 8 == 0) released = done;
  }
  for (const auto& [end, mark] : in_flight) {
    done = end;
    word = mark;
  }
  for (auto& thread : lookers) thread.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(VulkanMarks, AreRefusedWhileTheirNumbersAreInUse) {
  MarkNumbers numbers;
  uint32_t given = 0;
  while (numbers.take(given + 1, 0)) ++given;
  EXPECT_EQ(given, MarkNumbers::kCount - 1);
  EXPECT_EQ(numbers.last([] { return 0u; }), 0u);
  EXPECT_EQ(numbers.last([] { return 5u; }), 5u);
  EXPECT_TRUE(numbers.take(given + 1, 1).has_value());
  EXPECT_FALSE(numbers.take(given + 2, 1).has_value());
}

class VulkanTimeline : public VulkanTest {
 protected:
  Overrides overrides() const override {
    Overrides wishes;
    wishes.map_memory = false;
    wishes.spin = true;
    return wishes;
  }
  void SetUp() override {
    VulkanTest::SetUp();
    if (!device_) return;
    std::string reason;
    device_ = open_fresh(overrides(), "", reason);  // of our own: its entry points are changed
    real_update = table().vkCmdUpdateBuffer;
    real_counter = table().vkGetSemaphoreCounterValue;
    real_wait = table().vkWaitSemaphores;
    real_submit = table().vkQueueSubmit;
    marks = 0;
    lost = false;
  }
  void TearDown() override {
    if (!lost) VulkanTest::TearDown();
    device_.reset();
  }
  VolkDeviceTable& table() { return const_cast<Gpu&>(device_->gpu()).vk; }
};

TEST(VulkanDemand, KeepsTheLatestValueThatIsWaitedFor) {
  Demand demand;
  demand.want(5);
  demand.want(3);  // another thread, for earlier work
  EXPECT_EQ(demand.wanted, 5u);
  demand.want(7);
  EXPECT_EQ(demand.wanted, 7u);
}

TEST_F(VulkanTimeline, AWaitEndsByTheMarkWhileTheSemaphoreIsLate) {
  const auto module = affine();
  const auto buffer = words({1, 2, 3});
  const VolkDeviceTable real = table();
  table().vkGetSemaphoreCounterValue = late_counter;
  table().vkWaitSemaphores = late_wait;
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {3, 5, 1});
  const auto graph = device().make_executable(work.list);
  uint64_t last = queue().submit(work.list);
  EXPECT_TRUE(queue().wait(last, 10'000'000'000));
  last = queue().submit(*graph, 2);
  EXPECT_TRUE(queue().wait(last, 10'000'000'000));
  EXPECT_TRUE(queue().wait(last, 0));
  EXPECT_EQ(read_words(*buffer), (std::vector<uint32_t>{156, 281, 406})) << "reading waits by the mark too";
  EXPECT_EQ(queue().completed(), 0u) << "what the work used may be destroyed only when the driver says so";
  table() = real;
  EXPECT_GE(queue().completed(), last);
}

TEST_F(VulkanTimeline, AWaitEndsByTheSemaphoreWhereMarksStayAway) {
  const auto module = affine();
  const auto buffer = words({1});
  table().vkCmdUpdateBuffer = no_update;
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 5, 1});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(queue().wait(queue().submit(work.list), VD_WAIT_FOREVER));
  table().vkCmdUpdateBuffer = real_update;
}

// The number of marks among runs of a graph which take 15 us, those with marks 2 us more, those without `late` more.
uint32_t marked_runs(MarkTrials& trials, uint32_t graph, uint32_t runs, std::chrono::microseconds late,
                     bool waits = true) {
  static uint64_t value = 0;
  MarkTrials::Clock::time_point now{};
  uint32_t marked = 0;
  for (uint32_t i = 0; i < runs; ++i) {
    const bool has_mark = trials.wants_mark(graph, ++value, now);
    marked += has_mark ? 1 : 0;
    now += std::chrono::microseconds(15) + (has_mark ? std::chrono::microseconds(2) : late);
    if (!waits) continue;
    trials.ended(value, now);
    trials.ended(value, now + std::chrono::seconds(1));  // another thread's wait
  }
  return marked;
}
constexpr std::chrono::microseconds kQuick(0), kLate(30);

constexpr uint32_t kTrialRuns = MarkTrials::kRuns, kPeriod = MarkTrials::kPeriod;

TEST(VulkanMarkTrials, KeepTheQuickerWay) {
  MarkTrials trials;
  EXPECT_EQ(marked_runs(trials, 1, 3 * kPeriod, kQuick), 3 * kTrialRuns) << "marks only cost time";
  // The next trial finds the semaphore late and ends at once, and the one after it comes twice as late.
  EXPECT_EQ(marked_runs(trials, 1, 4 * kPeriod, kLate), 4 * kPeriod - 2) << "in two trials one run has none";
  EXPECT_EQ(marked_runs(trials, 2, kPeriod, kQuick), kTrialRuns) << "another graph has its own";
}

TEST(VulkanMarkTrials, SlowFirstRunsDecideNothing) {
  MarkTrials trials;
  MarkTrials::Clock::time_point now{};
  uint64_t value = 0;
  for (uint32_t i = 0; i + 1 < kTrialRuns; ++i) {
    EXPECT_TRUE(trials.wants_mark(1, ++value, now));
    now += std::chrono::milliseconds(1);
    trials.ended(value, now);
  }
  EXPECT_EQ(marked_runs(trials, 1, 1, kLate), 1u);
  EXPECT_EQ(marked_runs(trials, 1, kPeriod - kTrialRuns, kLate), kPeriod - kTrialRuns - 1);
}

// Some runs are quick by chance where most without marks are late.
TEST(VulkanMarkTrials, QuickRunsByChanceDecideNothing) {
  for (uint32_t lucky = 0; lucky < kTrialRuns; ++lucky) {
    MarkTrials trials;
    EXPECT_EQ(marked_runs(trials, 1, kTrialRuns, kLate), kTrialRuns);
    EXPECT_EQ(marked_runs(trials, 1, lucky, kQuick), 0u);
    EXPECT_EQ(marked_runs(trials, 1, kPeriod - kTrialRuns - lucky, kLate), kPeriod - kTrialRuns - lucky - 1) << lucky;
  }
}

// As after other work of the device, which takes turns with the graph's.
TEST(VulkanMarkTrials, AChoiceBetweenLateRunsEndsAfterAQuickOne) {
  MarkTrials trials;
  MarkTrials::Clock::time_point now{};
  uint64_t value = 1'000'000;
  for (uint32_t i = 0; i < 3 * kTrialRuns; ++i) {
    trials.wants_mark(1, ++value, now);
    now += std::chrono::microseconds(60);
    trials.ended(value, now);
  }
  EXPECT_EQ(marked_runs(trials, 1, 1, kQuick), 0u);
  EXPECT_EQ(marked_runs(trials, 1, kPeriod / 2, kLate), kPeriod / 2 - MarkTrials::kLateRuns);
}

TEST(VulkanMarkTrials, LateRunsWithoutMarksEndThatChoice) {
  MarkTrials trials;
  constexpr uint32_t kLateRuns = MarkTrials::kLateRuns;
  EXPECT_EQ(marked_runs(trials, 1, kPeriod / 2, kQuick), kTrialRuns);
  EXPECT_EQ(marked_runs(trials, 1, 1, kLate) + marked_runs(trials, 1, 1, kQuick), 0u) << "one late run is chance";
  EXPECT_EQ(marked_runs(trials, 1, kPeriod / 4, kLate), kPeriod / 4 - kLateRuns);
}

TEST(VulkanMarkTrials, KeepMarksOfWhatIsNotWaitedFor) {
  MarkTrials trials;
  EXPECT_GE(marked_runs(trials, 1, kPeriod, kQuick, false), kPeriod - kTrialRuns);
}

TEST_F(VulkanTimeline, RunsOfAGraphTryBothWays) {
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  const auto graph = device().make_executable(work.list);
  const VolkDeviceTable real = table();
  table().vkQueueSubmit = counted_submit;
  uint32_t runs = 0;
  const auto run = [&] {
    EXPECT_TRUE(queue().wait(queue().submit(*graph, 1), VD_WAIT_FOREVER));
    ++runs;
  };
  for (uint32_t i = 0; i < kTrialRuns; ++i) run();
  EXPECT_EQ(marks, kTrialRuns);
  run();
  EXPECT_EQ(marks, kTrialRuns) << "the same without";
  table() = real;
  EXPECT_EQ(read_words(*buffer)[0], runs);
}

// A trial that counted it would compare the graph with work that takes no time.
TEST_F(VulkanTimeline, AnEmptyListIsNoRunOfTheGraphBefore) {
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  const auto graph = device().make_executable(work.list);
  const auto finish = [&](uint64_t value) { EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER)); };
  for (uint32_t i = 0; i < kTrialRuns; ++i) finish(queue().submit(*graph, 1));
  const VolkDeviceTable real = table();
  table().vkQueueSubmit = counted_submit;
  finish(queue().submit(backends::CommandList{}));
  EXPECT_EQ(last_buffers, 1u) << "a mark alone";
  finish(queue().submit(*graph, 1));
  EXPECT_EQ(last_buffers, 1u) << "the graph alone, in its trial without marks";
  table() = real;
}

TEST_F(VulkanTimeline, AWaitEndsWhenTheDeviceIsLost) {
  for (const auto delay :
       {std::chrono::microseconds(0), std::chrono::microseconds(5000), std::chrono::microseconds(120'000)}) {
    std::string reason;
    lost = false;
    device_ = open_fresh(overrides(), "", reason);
    const auto buffer = words({1});
    ASSERT_TRUE(queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER));
    // A value that no work will reach while the test lasts.
    real_counter = table().vkGetSemaphoreCounterValue;
    table().vkGetSemaphoreCounterValue = losing_counter;
    std::thread loses([&] {
      std::this_thread::sleep_for(delay);
      lost = true;
    });
    vd_status status = VD_OK;
    try {
      queue().wait(UINT32_MAX, 20'000'000'000);
    } catch (const Error& error) {
      status = error.status();
    }
    loses.join();
    EXPECT_EQ(status, VD_ERR_DEVICE_LOST) << delay.count() << " us";
    // Later waits report the first failure.
    expect_error([&] { device_->gpu().require_alive(); }, VD_ERR_DEVICE_LOST,
                 "was lost (vkGetSemaphoreCounterValue for");
  }
}

TEST(VulkanSpinBudget, SpinsInVainTakeAShareOfTheTime) {
  using std::chrono::milliseconds, std::chrono::seconds;
  constexpr auto kAll = SpinBudget::kSaved, kMost = SpinBudget::kMostLoss;
  SpinBudget budget;
  SpinBudget::Clock::time_point now{std::chrono::hours(1)};
  EXPECT_TRUE(budget.allows(now));
  for (milliseconds lost(0); lost < kAll; lost += kMost) {
    EXPECT_TRUE(budget.allows(now)) << lost.count() << " ms were lost";
    budget.lose(seconds(1), now);  // a long kernel counts no more than the most
  }
  EXPECT_FALSE(budget.allows(now));
  now += SpinBudget::kShare * milliseconds(1);
  EXPECT_TRUE(budget.allows(now)) << "the time has made up for one millisecond";
  budget.lose(milliseconds(2), now);
  EXPECT_FALSE(budget.allows(now));
  now += std::chrono::hours(1);
  budget.lose(kMost, now);
  EXPECT_TRUE(budget.allows(now));
  for (milliseconds lost(kMost); lost < kAll; lost += kMost) budget.lose(kMost, now);
  EXPECT_FALSE(budget.allows(now)) << "a long time without losses saves no more than a short one";
}

// A device whose work is done by the host's own processors.
class VulkanHostTimeline : public VulkanTimeline {
 protected:
  Overrides overrides() const override { return {}; }
  void SetUp() override {
    VulkanTimeline::SetUp();
    if (!device_) return;
    if (device().gpu().spins) GTEST_SKIP() << "waits as for a GPU";
    looks = hidden = blocks = 0;
    table().vkGetSemaphoreCounterValue = hiding_counter;
    table().vkWaitSemaphores = counted_wait;
  }
};

TEST_F(VulkanHostTimeline, AShortWaitEndsWithoutBlocking) {
  const auto module = affine();
  const auto buffer = words({0});
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  uint32_t runs = 0;
  const auto blocked = [&] {
    const uint64_t value = queue().submit(work.list);
    ++runs;
    blocks = 0;
    hidden = 3;
    EXPECT_TRUE(queue().wait(value, VD_WAIT_FOREVER));
    return blocks != 0;
  };
  // A busy system may stop the thread for longer than it spins, and a driver compile a kernel.
  while (blocked() && runs < 100) continue;
  EXPECT_EQ(blocks, 0u);
  hidden = 0;
  EXPECT_EQ(read_words(*buffer)[0], runs);
}

TEST_F(VulkanHostTimeline, AfterManySpinsInVainWaitsBlock) {
  constexpr uint32_t kFew = 8;
  ASSERT_TRUE(queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER));
  const auto looks_of_a_wait = [&] {
    looks = 0;
    EXPECT_FALSE(queue().wait(UINT32_MAX, 300'000)) << "nothing reaches that value";
    return looks.load();
  };
  // A busy system may stop a thread that spins, but hardly ten times one after the other.
  constexpr int kInARow = 10;
  bool spun = false;
  int blocked = 0;
  for (int turn = 0; turn < 2000 && blocked < kInARow; ++turn) {
    const bool few = looks_of_a_wait() <= kFew;
    blocked = spun && few ? blocked + 1 : 0;
    spun = spun || !few;
  }
  EXPECT_TRUE(spun) << "no wait spun";
  EXPECT_EQ(blocked, kInARow) << "spins without success never ended";
}

TEST_F(VulkanTimeline, InABurstFewSubmissionsAreMarked) {
  const auto module = affine();
  const auto buffer = words({0});
  table().vkCmdUpdateBuffer = counted_update;
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
  uint64_t last = 0;
  for (int i = 0; i < 2000; ++i) last = queue().submit(work.list);
  EXPECT_TRUE(queue().wait(last, VD_WAIT_FOREVER));
  EXPECT_GE(marks.load(), 1u);
  EXPECT_LT(marks.load(), 1000u) << "most submissions of a burst go without";
  EXPECT_EQ(read_words(*buffer)[0], 2000u);
  table().vkCmdUpdateBuffer = real_update;
}

#if defined(__linux__)
TEST_F(VulkanTimeline, ALongWaitLeavesTheProcessorToOthers) {
  const auto used = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  ASSERT_TRUE(queue().wait(queue().submit(backends::CommandList{}), VD_WAIT_FOREVER));
  for (int turn = 0; turn < 3; ++turn) {
    const double before = used();
    EXPECT_FALSE(queue().wait(UINT32_MAX, 200'000'000)) << "nothing reaches that value";
    EXPECT_LT(used() - before, 0.1) << "of 0.2 s";
  }
}
#endif

// A long wait must neither end early nor need a processor of its own; nor may threads disturb each other.
TEST_F(VulkanTimeline, ManyThreadsWaitForDifferentValues) {
  const auto module = affine();
  const auto buffer = words(std::vector<uint32_t>(1 << 16, 0));
  ListBuilder work;
  work.dispatch(*module, 1 << 10, {whole(*buffer)}, {1 << 16, 1, 1});
  std::vector<uint64_t> values;
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 64; ++i) values.push_back(queue().submit(work.list));
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (size_t i = static_cast<size_t>(t); i < values.size(); i += 6)
        if (queue().wait(values[i], VD_WAIT_FOREVER)) ++right;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right.load(), 64);
  EXPECT_EQ(read_words(*buffer)[0], 64u);
}

}  // namespace
}  // namespace vd::vulkan
