// Long reads and writes: the work that may run meanwhile, and the work that may not.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "core/error.h"
#include "runtime/graph.h"
#include "unit/runtime/fake_backend.h"

namespace {

using namespace vd;
using namespace std::chrono_literals;
using fake::make_buffer;
using fake::World;
using testing::Each;
using testing::ElementsAre;

constexpr auto kTooLong = 20s;  // nothing here takes that long unless it waits for ever

std::vector<uint32_t> words_of(vd_buffer& buffer) {
  std::vector<uint32_t> words(buffer.size() / 4);
  buffer.read(0, 0, words.data(), buffer.size());
  return words;
}

struct Launch {
  Launch(vd_context& ctx, vd_buffer& a, vd_buffer& b) : bounds{{&a}, {&b}} {
    const auto kernel = fake::mix_kernel();
    plan = vd_plan::create(ctx, {kernel.get(), nullptr, {}, 0, {}});
  }
  runtime::Arguments arguments() const { return fake::mix_arguments(*plan, bounds, one); }
  bool run(bool patient, uint32_t queue = 0) { return runtime::launch(arguments(), queue, {}, patient).has_value(); }
  Ref<vd_plan> plan;
  const runtime::Bound bounds[2];
  const uint32_t one = 1;
};

// The work before it may fail in the last moment, and a write in place is done when that work is.
TEST(Write, InPlaceHasNoFailureOfTheWorkBeforeIt) {
  World world;
  world.in_place = true;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64);
  runtime::fill(*a, 0, 64, 1, 0);
  const uint64_t before = ctx->queue(0).last_value;
  ASSERT_TRUE(ctx->wait(0, before, VD_WAIT_FOREVER));
  world.on_write = [&] {
    ctx->queue(0).backend.failures.add(before, std::make_exception_ptr(Error(VD_ERR_KERNEL, "no more milk")));
  };
  const std::vector<uint32_t> words(16, 2);
  const vd_ticket ticket = a->send(0, 0, words.data(), 64, {});
  EXPECT_EQ(fake::error_of(VD_ERR_KERNEL, [&] { ctx->wait(0, before, VD_WAIT_FOREVER); }), "no more milk");
  EXPECT_TRUE(ctx->wait(0, runtime::unpack_ticket(ticket).value, VD_WAIT_FOREVER));
  EXPECT_THAT(words_of(*a), Each(2));
}

// A write that waits for memory to send its bytes through is no reason for anybody else to wait.
TEST(Write, WaitingForStagingHoldsUpNobody) {
  World world;
  world.piece_size = 32;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 128), b = make_buffer(*ctx, 64), c = make_buffer(*ctx, 64);
  Launch launch(*ctx, *b, *c);
  std::vector<std::thread> others;
  int stages = 0;
  world.on_stage = [&] {
    ++stages;
    if (!others.empty()) return;
    std::promise<void> done;
    auto is_done = done.get_future();
    others.emplace_back([&, done = std::move(done)]() mutable {
      for (uint32_t queue = 0; queue < 2; ++queue) {
        runtime::fill(*b, 0, 64, 1, queue);
        runtime::copy(*b, 0, *c, 0, 64, queue);
        EXPECT_TRUE(launch.run(true, queue));
        EXPECT_TRUE(launch.run(false, queue));
      }
      make_buffer(*ctx, 64)->discard();
      words_of(*c);
      done.set_value();
    });
    EXPECT_EQ(is_done.wait_for(kTooLong), std::future_status::ready) << "another thread waits for a write";
  };
  const std::vector<uint32_t> data(32, 7);
  a->write(0, 0, data.data(), 128);
  for (auto& other : others) other.join();
  EXPECT_EQ(stages, 4);
  EXPECT_THAT(words_of(*a), Each(7u));
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

// Nor is work for a queue that is full.
TEST(Launch, WaitingForRoomOnItsQueueHoldsUpNobody) {
  World world;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64), c = make_buffer(*ctx, 64);
  Launch launch(*ctx, *a, *b);
  std::thread other;
  world.full = true;
  EXPECT_FALSE(launch.run(false));
  world.on_full = [&] {
    std::promise<void> done;
    auto is_done = done.get_future();
    world.full = false;  // the other queue has room
    other = std::thread([&, done = std::move(done)]() mutable {
      runtime::fill(*c, 0, 64, 1, 1);
      make_buffer(*ctx, 64)->discard();
      done.set_value();
    });
    EXPECT_EQ(is_done.wait_for(kTooLong), std::future_status::ready) << "another thread waits for a full queue";
    world.full = true;
  };
  EXPECT_TRUE(launch.run(true));
  other.join();
  EXPECT_TRUE(launch.run(false));
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

// Nor are more repeats of a graph than the queue has room for. They stay together: what uses their memory waits.
TEST(Graph, WaitingForRoomBetweenItsRepeatsHoldsUpNobodyElse) {
  World world;
  world.repeats_at_once = 10;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64), c = make_buffer(*ctx, 64);
  runtime::fill(*a, 0, 64, 0, 0);
  runtime::fill(*b, 0, 64, 0, 0);
  Launch once(*ctx, *a, *b);
  const auto graph = make_ref<vd_graph>(*ctx, "repeated");
  graph->dispatch(once.arguments());
  std::vector<std::thread> others;
  std::atomic<bool> given{false};
  int parts = 0;
  world.on_full = [&, submitter = std::this_thread::get_id()] {
    if (std::this_thread::get_id() != submitter || ++parts != 3) return;
    std::promise<void> done;
    auto is_done = done.get_future();
    world.full = false;  // the other queue has room
    others.emplace_back([&, done = std::move(done)]() mutable {
      runtime::fill(*c, 0, 64, 1, 1);
      words_of(*c);
      done.set_value();
    });
    EXPECT_EQ(is_done.wait_for(kTooLong), std::future_status::ready) << "another thread waits for a full queue";
    EXPECT_FALSE(once.run(false, 1)) << "what may not wait says so";
    others.emplace_back([&] {
      runtime::fill(*a, 0, 64, 5, 1);
      given = true;
    });
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(given) << "between two repeats";
  };
  world.refill = true;
  const vd_ticket ticket = graph->submit({.repeat = 35});
  world.refill = world.full = false;
  for (auto& other : others) other.join();
  EXPECT_EQ(parts, 3);
  EXPECT_EQ(runtime::unpack_ticket(ticket).value, ctx->queue(0).last_value) << "the last part's";
  EXPECT_TRUE(ctx->claims().empty());
  EXPECT_THAT(words_of(*a), Each(5u));
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Graph, RepeatsInPartsAreAsMany) {
  for (const uint32_t repeat : {1u, 4u, 5u, 7u, 8u}) {
    World world;
    world.repeats_at_once = 4;
    auto ctx = fake::make_context(world);
    auto a = make_buffer(*ctx, 4), b = make_buffer(*ctx, 4);
    runtime::fill(*a, 0, 4, 0, 0);
    runtime::fill(*b, 0, 4, 0, 0);
    Launch once(*ctx, *a, *b);
    const auto graph = make_ref<vd_graph>(*ctx, "repeated");
    graph->dispatch(once.arguments());
    graph->submit({.repeat = repeat});
    uint32_t expected = 0;
    for (uint32_t i = 0; i < repeat; ++i) expected = expected * 3 + 1;
    EXPECT_THAT(words_of(*a), Each(expected)) << repeat;
    EXPECT_THAT(world.faults, testing::IsEmpty());
  }
}

// A part that fails ends the rest, and lets go of the memory.
TEST(Graph, APartOfItsRepeatsFails) {
  World world;
  world.repeats_at_once = 4;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 4), b = make_buffer(*ctx, 4);
  Launch once(*ctx, *a, *b);
  const auto graph = make_ref<vd_graph>(*ctx, "repeated");
  graph->dispatch(once.arguments());
  world.submits_until_failure = 2;
  EXPECT_THROW(graph->submit({.repeat = 20}), Error);
  EXPECT_TRUE(ctx->claims().empty());
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

// A long graph may be given in parts, too, and each is a chance for everybody else.
TEST(Graph, GivenInPartsHoldsUpNobodyElse) {
  World world;
  world.part_size = 2;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 4), b = make_buffer(*ctx, 4), c = make_buffer(*ctx, 4);
  runtime::fill(*a, 0, 4, 0, 0);
  runtime::fill(*b, 0, 4, 0, 0);
  Launch once(*ctx, *a, *b);
  const auto graph = make_ref<vd_graph>(*ctx, "long");
  constexpr int kLaunches = 601, kParts = (kLaunches + 1) / 2;
  uint32_t expected = 0;
  for (int i = 0; i < kLaunches; ++i) {
    graph->dispatch(once.arguments());
    expected = expected * 3 + 1;
  }
  std::thread other;
  std::atomic<int> given{0}, given_at{0};
  world.on_part = [&] {
    if (++given == 3)
      other = std::thread([&] {
        runtime::fill(*c, 0, 4, 1, 1);
        given_at = given.load();
      });
    std::this_thread::sleep_for(1ms);  // a driver's time, under the lock
  };
  const vd_ticket ticket = graph->submit({});
  EXPECT_EQ(given, kParts);
  other.join();
  EXPECT_LT(given_at, 50) << "another thread waits for more than the part that is being given";
  EXPECT_EQ(runtime::unpack_ticket(ticket).value, ctx->queue(0).last_value) << "the last part's";
  EXPECT_TRUE(ctx->claims().empty());
  EXPECT_THAT(words_of(*a), Each(expected));
  EXPECT_THAT(words_of(*c), Each(1u));
  world.on_part = nullptr;
  graph->submit({.repeat = 3});
  for (int i = 0; i < 3 * kLaunches; ++i) expected = expected * 3 + 1;
  EXPECT_THAT(words_of(*a), Each(expected)) << "repeats of all parts";
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Write, OfSeveralPiecesIsSeenWhole) {
  World world;
  world.piece_size = 32;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 128), b = make_buffer(*ctx, 128), copied = make_buffer(*ctx, 128);
  runtime::fill(*a, 0, 128, 1, 0);
  runtime::fill(*b, 0, 128, 1, 0);
  Launch reads(*ctx, *b, *a);
  std::vector<std::thread> others;
  std::atomic<bool> given{false};
  int stages = 0;
  world.on_stage = [&] {
    if (++stages != 2) return;
    EXPECT_FALSE(reads.run(false)) << "what may not wait says so";
    others.emplace_back([&] {
      runtime::copy(*a, 0, *copied, 0, 128, 1);
      given = true;
    });
    others.emplace_back([&] {
      const uint32_t nine = 9;
      a->write(1, 0, &nine, 4);
      given = true;
    });
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(given) << "between two pieces of a write";
  };
  const std::vector<uint32_t> data(32, 7);
  a->write(0, 0, data.data(), 128);
  for (auto& other : others) other.join();
  const auto found = words_of(*copied);
  EXPECT_THAT(std::vector(found.begin() + 1, found.end()), Each(7u));
  EXPECT_THAT(words_of(*a).front(), 9u);
  EXPECT_TRUE(reads.run(false));
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Write, ThreadsThatWriteTheSameBytesTakeTurns) {
  World world;
  world.piece_size = 16;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 256);
  runtime::fill(*a, 0, 256, 0, 0);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      const std::vector<uint32_t> mine(64, t);
      for (int i = 0; i < 40; ++i) {
        a->write(t % 2, 0, mine.data(), 256);
        const auto found = words_of(*a);
        EXPECT_THAT(found, Each(found.front()));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Write, ThatFailsLetsGoOfItsBytes) {
  World world;
  world.piece_size = 32;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 128);
  runtime::fill(*a, 0, 128, 1, 0);
  int stages = 0;
  world.on_stage = [&] {
    if (++stages == 3) fail(VD_ERR_OUT_OF_MEMORY, "no memory to upload through");
  };
  const std::vector<uint32_t> data(32, 7);
  EXPECT_THROW(a->write(0, 0, data.data(), 128), Error);
  EXPECT_TRUE(ctx->claims().empty());
  runtime::fill(*a, 0, 4, 3, 0);
  const auto found = words_of(*a);
  EXPECT_THAT(std::vector(found.begin(), found.begin() + 2), ElementsAre(3, 7));
  EXPECT_EQ(found[15], 7u) << "the pieces before it are there";
  EXPECT_EQ(found[16], 1u);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Write, EndsWhereItsBufferIsDiscarded) {
  World world;
  world.piece_size = 32;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 128);
  int stages = 0;
  world.on_stage = [&] {
    if (++stages == 3) std::thread([&] { a->discard(); }).join();
  };
  const std::vector<uint32_t> data(32, 7);
  try {
    a->write(0, 0, data.data(), 128);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_STATE) << error.what();
  }
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  for (int i = 0; i < 100 && !world.memories.empty(); ++i) ctx->retired().collect();
  EXPECT_TRUE(world.memories.empty());
  EXPECT_EQ(ctx->memory_in_use(), 0u);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

}  // namespace
