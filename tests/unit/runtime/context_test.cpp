#include "runtime/context.h"

#include <gmock/gmock.h>

#include <array>
#include <future>
#include <thread>

#include "core/error.h"
#include "runtime/graph.h"
#include "unit/runtime/fake_backend.h"

namespace {

using namespace vd;
using fake::error_of;
using fake::make_buffer;
using fake::World;
using testing::HasSubstr;

Ref<vd_plan> make_mix(vd_context& ctx) {
  auto kernel = fake::mix_kernel();
  return vd_plan::create(ctx, {kernel.get(), nullptr, {}, 0, {}});
}

vd_ticket launch_mix(vd_plan& plan, vd_buffer& a, vd_buffer& b, uint32_t queue = 0) {
  const uint32_t c = 1;
  return runtime::launch(fake::mix_arguments(plan, {{&a}, {&b}}, c), queue, {}, true).value();
}

TEST(Barriers, OnlyWhereMemoryIsShared) {
  World world;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64), c = make_buffer(*ctx, 64), d = make_buffer(*ctx, 64);
  auto mix = make_mix(*ctx);
  launch_mix(*mix, *a, *b);
  launch_mix(*mix, *c, *d);
  EXPECT_EQ(world.barriers, 0);
  launch_mix(*mix, *c, *b);  // writes what the second wrote; reads what the first reads
  EXPECT_EQ(world.barriers, 1);
  launch_mix(*mix, *a, *d);  // the barrier has ordered all that came before it
  EXPECT_EQ(world.barriers, 1);
  launch_mix(*mix, *b, *d);  // writes what the third read
  EXPECT_EQ(world.barriers, 2);
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Barriers, BetweenQueuesOneWait) {
  World world;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64);
  auto mix = make_mix(*ctx);
  launch_mix(*mix, *a, *b, 0);
  launch_mix(*mix, *a, *b, 1);
  EXPECT_EQ(world.waits, 1);
  launch_mix(*mix, *a, *b, 1);  // already waits for queue 0
  EXPECT_EQ(world.waits, 1);
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
}

// Pieces of one buffer that go through three queues, lap after lap. Many uses of a buffer are merged, each with bytes that
// it never had, and a lap that is over must not be among them.
TEST(Barriers, NoneBetweenPiecesOfOneBuffer) {
  constexpr uint32_t kQueues = 3, kPieces = 64, kPiece = 16;
  World world;
  auto ctx = fake::make_context(world, {.queues = kQueues});
  auto in = make_buffer(*ctx, kPieces * kPiece), out = make_buffer(*ctx, kPieces * kPiece);
  std::vector<Ref<vd_buffer>> slots;
  for (uint32_t q = 0; q < kQueues; ++q) slots.push_back(make_buffer(*ctx, kPiece));
  for (uint32_t lap = 0; lap < 9; ++lap) {
    for (uint32_t i = 0; i < kPieces; ++i) {
      const uint32_t piece = lap % 2 == 0 ? i : kPieces - 1 - i, queue = i % kQueues;
      runtime::copy(*in, piece * kPiece, *slots[queue], 0, kPiece, queue, {});
      runtime::copy(*slots[queue], 0, *out, piece * kPiece, kPiece, queue, {});
    }
    ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  }
  EXPECT_EQ(world.waits, 0);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Barriers, ReplicasOfAQueueAreItsOwn) {
  World world;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 64, "a", VD_BUFFER_PER_QUEUE), b = make_buffer(*ctx, 64, "b", VD_BUFFER_PER_QUEUE);
  auto mix = make_mix(*ctx);
  const uint32_t one = 1, two = 2;
  uint32_t got = 0;
  b->write(VD_QUEUE_ALL, 0, &one, 4);
  a->write(0, 0, &one, 4);
  a->write(1, 0, &two, 4);
  launch_mix(*mix, *a, *b, 0);
  launch_mix(*mix, *a, *b, 1);
  EXPECT_EQ(world.waits, 0);
  a->read(0, 0, &got, 4);
  EXPECT_EQ(got, 5u);
  a->read(1, 0, &got, 4);
  EXPECT_EQ(got, 8u);
  // A graph sees the replicas of the queue that it runs on.
  auto graph = make_ref<vd_graph>(*ctx, "");
  graph->copy(*b, 0, *a, 0, 4);
  graph->submit({1, 1, {}});
  a->read(0, 0, &got, 4);
  EXPECT_EQ(got, 5u);
  a->read(1, 0, &got, 4);
  EXPECT_EQ(got, 1u);
}

TEST(Lifetime, WorkInFlightKeepsWhatItUses) {
  World world;
  auto ctx = fake::make_context(world);
  for (int i = 0; i < 20; ++i) {
    auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64);
    launch_mix(*make_mix(*ctx), *a, *b);
    auto graph = make_ref<vd_graph>(*ctx, "");
    graph->copy(*a, 0, *b, 0, 64);
    graph->submit({});
  }
  ctx = nullptr;  // waits
  EXPECT_THAT(world.faults, testing::IsEmpty());
  EXPECT_TRUE(world.memories.empty());
  EXPECT_TRUE(world.modules.empty());
  EXPECT_TRUE(world.executables.empty());
}

TEST(Lifetime, AnyOrderOfReleases) {
  World world;
  const uint64_t before = live_objects();
  for (uint32_t order = 0; order < 24; ++order) {
    auto ctx = fake::make_context(world);
    auto buffer = make_buffer(*ctx, 64);
    auto part = buffer->slice(16, 16);
    auto graph = make_ref<vd_graph>(*ctx, "");
    graph->fill(*part, 0, 16, 1);
    graph->submit({});
    std::vector<Ref<Object>> held{Ref<Object>(std::move(ctx)), Ref<Object>(std::move(buffer)),
                                  Ref<Object>(std::move(part)), Ref<Object>(std::move(graph))};
    for (uint32_t n = order; !held.empty(); n /= 2) held.erase(held.begin() + n % static_cast<uint32_t>(held.size()));
    EXPECT_EQ(live_objects(), before);
  }
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Lifetime, DiscardFreesWhenWorkIsDone) {
  World world;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64, "a"), b = make_buffer(*ctx, 64, "b");
  auto part = a->slice(0, 16);
  auto graph = make_ref<vd_graph>(*ctx, "");
  graph->copy(*a, 0, *b, 0, 64);
  graph->submit({});
  EXPECT_EQ(ctx->memory_in_use(), 128u);
  a->discard();
  a->discard();
  EXPECT_EQ(error_of(VD_ERR_STATE, [&] { graph->submit({}); }), "node 0: buffer \"a\" was discarded");
  uint32_t word = 0;
  EXPECT_EQ(error_of(VD_ERR_STATE, [&] { part->read(0, 0, &word, 4); }), "buffer \"a\" was discarded");
  EXPECT_EQ(error_of(VD_ERR_STATE, [&] { a->slice(0, 16); }), "buffer \"a\" was discarded");
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  EXPECT_EQ(ctx->memory_in_use(), 64u);
  // The driver lets go of what is done a little later.
  for (int i = 0; i < 100 && world.memories.size() > 1; ++i) ctx->retired().collect();
  EXPECT_EQ(world.memories.size(), 1u);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Lifetime, FullMemoryWaitsForWhatIsBeingFreed) {
  World world;
  world.memory_limit = 300;
  auto ctx = fake::make_context(world);
  for (int i = 0; i < 50; ++i) {
    auto a = make_buffer(*ctx, 128);
    runtime::fill(*a, 0, 128, 0, 0);
  }
  auto a = make_buffer(*ctx, 128), b = make_buffer(*ctx, 128);
  error_of(VD_ERR_OUT_OF_MEMORY, [&] { make_buffer(*ctx, 128); });
  b = nullptr;
  b = make_buffer(*ctx, 128);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Lifetime, FullMemoryLeavesFailuresToTheProgram) {
  World world;
  world.memory_limit = 300;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 128), b = make_buffer(*ctx, 128);
  runtime::fill(*a, 0, 128, 0, 0);
  const uint64_t value = ctx->queue(0).last_value;
  ctx->queue(0).backend.failures.add(value, std::make_exception_ptr(Error(VD_ERR_KERNEL, "no more milk")));
  a = nullptr;
  a = make_buffer(*ctx, 128);
  EXPECT_EQ(error_of(VD_ERR_KERNEL, [&] { ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER); }), "no more milk");
  EXPECT_TRUE(ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER));
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Lifetime, LastReleaseOnALibraryThreadDoesNotWaitThere) {
  World world;
  const uint64_t before = live_objects();
  auto ctx = fake::make_context(world);
  runtime::fill(*make_buffer(*ctx, 64), 0, 64, 0, 0);
  vd_context* raw = ctx.detach();
  std::thread([&] {
    LibraryThread mark("test");
    raw->release();
  }).join();
  for (int i = 0; i < 1000 && live_objects() > before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(live_objects(), before);
}

TEST(Tickets, BelongToTheirContext) {
  World world;
  auto ctx = fake::make_context(world, {.queues = 2}), other = fake::make_context(world);
  auto a = make_buffer(*ctx, 64);
  const vd_ticket ticket = runtime::fill(*a, 0, 64, 0, 1);
  EXPECT_EQ(ctx->check_ticket(ticket).queue, 1u);
  EXPECT_THAT(error_of(VD_ERR_INVALID, [&] { other->check_ticket(ticket); }), HasSubstr("another context"));
  EXPECT_THAT(error_of(VD_ERR_INVALID, [&] { ctx->check_ticket(ticket + 1); }), HasSubstr("is not from this context"));
  EXPECT_FALSE(ctx->wait(1, ctx->check_ticket(ticket).value, 0));
  EXPECT_TRUE(ctx->wait(1, ctx->check_ticket(ticket).value, VD_WAIT_FOREVER));
  // A tag comes back late, so a ticket outlives its context as a foreign one.
  ctx = nullptr;
  auto next = fake::make_context(world);
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { next->check_ticket(ticket); }),
            fmt::format("ticket ({:#x}) belongs to another context", ticket));
  const vd_ticket list[] = {0, ticket};
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { runtime::read_waits(*next, next->queue(0), list, "order->waits"); }),
            fmt::format("order->waits[1] ({:#x}) belongs to another context", ticket));
}

TEST(Tickets, SubmitWaitsForThem) {
  World world;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64);
  const vd_ticket first = runtime::fill(*a, 0, 64, 0, 0);
  auto graph = make_ref<vd_graph>(*ctx, "");
  const std::array<vd_ticket, 2> waits{first, 0};
  const vd_ticket empty =
      graph->submit({1, 1, runtime::read_waits(*ctx, ctx->queue(1), waits, "waits")});  // it is an ordering point
  EXPECT_EQ(world.waits, 1);
  EXPECT_TRUE(ctx->wait(1, ctx->check_ticket(empty).value, VD_WAIT_FOREVER));
  auto c = make_buffer(*ctx, 64), d = make_buffer(*ctx, 64);
  const vd_ticket second = runtime::fill(*b, 0, 64, 0, 0);
  const auto kernel = fake::mix_kernel();
  auto plan = vd_plan::create(*ctx, {kernel.get(), nullptr, {}, 0, {}});
  const uint32_t value = 1;
  const auto launched = runtime::launch(fake::mix_arguments(*plan, {{c.get()}, {d.get()}}, value), 1,
                                        runtime::read_waits(*ctx, ctx->queue(1), {&second, 1}, "waits"), true);
  EXPECT_EQ(world.waits, 2) << "a launch waits as well";
  EXPECT_TRUE(ctx->wait(0, ctx->check_ticket(first).value, 0));
  const vd_ticket own = graph->submit({1, 1, {}});
  EXPECT_NE(own, launched) << "which may fail yet";
  EXPECT_TRUE(ctx->wait(1, ctx->check_ticket(own).value, VD_WAIT_FOREVER));
  EXPECT_EQ(graph->submit({1, 1, {}}), own) << "the last work's, which is done";
}

TEST(Tickets, ThereAreTagsFor255Contexts) {
  World world;
  std::vector<Ref<vd_context>> contexts;
  for (int i = 0; i < 255; ++i) contexts.push_back(fake::make_context(world));
  EXPECT_THAT(error_of(VD_ERR_UNSUPPORTED, [&] { fake::make_context(world); }), HasSubstr("255"));
}

TEST(Graphs, AreMadeReadyWhenSubmittedAgain) {
  World world;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64);
  auto graph = make_ref<vd_graph>(*ctx, "");
  for (int i = 0; i < 3; ++i) {
    graph->fill(*a, 0, 64, 0);
    graph->submit({});
    graph->reset();
  }
  EXPECT_EQ(world.executables_made, 0);
  graph->fill(*a, 0, 64, 0);
  for (int i = 0; i < 3; ++i) graph->submit({});
  EXPECT_EQ(world.executables_made, 1);
  graph->fill(*a, 0, 64, 1);
  graph->submit({0, 5, {}});
  EXPECT_EQ(world.executables_made, 2);
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Graphs, RecordedAnewTheyTakeOverWhatIsReady) {
  World world;
  world.updates = true;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64);
  auto graph = make_ref<vd_graph>(*ctx, "");
  const auto word = [&](vd_buffer& buffer) {
    uint32_t value = 0;
    buffer.read(0, 0, &value, 4);
    return value;
  };
  graph->fill(*a, 0, 64, 1);
  for (int i = 0; i < 2; ++i) graph->submit({});
  for (uint32_t turn = 2; turn < 6; ++turn) {
    graph->reset();
    graph->reset();
    graph->fill(turn % 2 == 0 ? *b : *a, 0, 64, turn);
    graph->submit({});  // at once: no list goes out in between
    EXPECT_EQ(word(turn % 2 == 0 ? *b : *a), turn);
  }
  EXPECT_EQ(world.executables_made, 1);
  EXPECT_EQ(world.updates_asked, 4);

  graph->fill(*b, 0, 64, 7);  // another shape: as a new graph, the list first
  graph->submit({});
  EXPECT_EQ(world.executables_made, 1);
  EXPECT_EQ(world.updates_asked, 5);
  graph->submit({});
  EXPECT_EQ(world.executables_made, 2);
  EXPECT_EQ(word(*b), 7u);

  world.fail_update = true;
  graph->reset();
  graph->fill(*a, 0, 64, 8);
  graph->fill(*b, 0, 64, 8);
  error_of(VD_ERR_INTERNAL, [&] { graph->submit({}); });
  for (int i = 0; i < 2; ++i) graph->submit({});  // it is not tried again
  EXPECT_EQ(world.executables_made, 3);
  EXPECT_EQ(word(*b), 8u);
  graph->reset();
  graph = nullptr;
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

// Memory that no longer belongs to the graph may be freed while its executable waits for the next shape.
TEST(Graphs, MemoryOfAnOlderFormIsNotKept) {
  World world;
  world.updates = true;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64);
  auto graph = make_ref<vd_graph>(*ctx, "");
  graph->fill(*a, 0, 64, 1);
  for (int i = 0; i < 2; ++i) graph->submit({});
  graph->reset();
  a = nullptr;
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  ctx->retired().collect(true);
  EXPECT_TRUE(world.memories.empty());
  a = make_buffer(*ctx, 64);
  graph->fill(*a, 0, 64, 2);
  graph->submit({});
  EXPECT_EQ(world.executables_made, 1);
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

// The owner of imported memory is told although nobody calls the library any more, and its driver is done with the memory only
// some time after the work.
TEST(Memory, ItsOwnerIsToldWhenTheWorkIsDone) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    World world(seed);
    auto ctx = fake::make_context(world);
    auto a = make_buffer(*ctx, 64);
    std::promise<void> released;
    auto memory = std::make_unique<runtime::DeviceMemory>(
        *ctx, ctx->device(0).make_memory(64, false, ""),
        std::make_unique<runtime::Release>(*ctx, [&] { released.set_value(); }), true);
    runtime::fill(*a, 0, 64, 1, 0);
    memory->last_use[0] = ctx->queue(0).last_value;
    memory.reset();
    EXPECT_TRUE(ctx->queue(0).backend.wait(ctx->queue(0).last_value, VD_WAIT_FOREVER));
    EXPECT_EQ(released.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready) << seed;
  }
}

// The same for memory that no work has used, among much that is in use.
TEST(Memory, ItsOwnerIsToldAtOnceIfItWasNotUsed) {
  World world;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64);
  for (int i = 0; i < 1000; ++i) runtime::fill(*a, 0, 64, 1, 0);
  for (int i = 0; i < 100; ++i) runtime::fill(*make_buffer(*ctx, 64), 0, 64, 1, 0);
  ctx->retired().collect(true);
  ASSERT_FALSE(ctx->retired().empty());
  std::promise<void> released;
  auto memory = std::make_unique<runtime::DeviceMemory>(
      *ctx, ctx->device(0).make_memory(64, false, ""),
      std::make_unique<runtime::Release>(*ctx, [&] { released.set_value(); }), true);
  memory.reset();
  EXPECT_EQ(released.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
}

// A node may have a discarded buffer when its values change.
// ---- Addresses that were given away

constexpr uint64_t kAddress = 1 << 20;

void give_away(vd_context& ctx, const runtime::Block& block) {
  const std::lock_guard lock(ctx.order());
  ctx.note_address(block, kAddress);
}

// A program's bytes may be a buffer's once their import has gone.
TEST(Addresses, AnImportsLeaveNothingBehind) {
  World world;
  auto ctx = fake::make_context(world);
  {
    const auto imported = make_ref<runtime::Block>(
        Ref<vd_context>::retain(ctx.get()), 0, std::make_unique<fake::Memory>(world, 64), "an import",
        ctx->place_of(kAddress, 64), std::make_unique<runtime::Release>(*ctx, nullptr));
    give_away(*ctx, *imported);
  }
  const auto own = make_buffer(*ctx, 64);
  give_away(*ctx, *own->blocks()[0]);
  EXPECT_EQ(ctx->place_of(kAddress, 16).region, own->blocks()[0]->region());
}

// Another buffer may have the memory of one that was discarded and is held.
TEST(Addresses, GoWithTheirMemory) {
  World world;
  auto ctx = fake::make_context(world);
  const auto first = make_buffer(*ctx, 64), second = make_buffer(*ctx, 64);
  const auto region_of = [](const Ref<vd_buffer>& buffer) { return buffer->blocks()[0]->region(); };
  give_away(*ctx, *first->blocks()[0]);
  EXPECT_EQ(ctx->place_of(kAddress + 8, 16).region, region_of(first));
  EXPECT_EQ(ctx->place_of(kAddress + 8, 16).base, 8u);
  std::shared_ptr<runtime::DeviceMemory> shared;
  {
    const std::lock_guard lock(ctx->order());
    shared = first->blocks()[0]->usable_memory();
  }
  first->discard();
  EXPECT_EQ(ctx->place_of(kAddress, 64).region, region_of(first)) << "a tensor has it";
  shared.reset();
  EXPECT_NE(ctx->place_of(kAddress, 64).region, region_of(first));
  give_away(*ctx, *second->blocks()[0]);
  EXPECT_EQ(ctx->place_of(kAddress, 64).region, region_of(second));
}

TEST(Graphs, ChangesLookAtNoMemoryThatWasDiscarded) {
  World world;
  world.updates = true;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64), c = make_buffer(*ctx, 64);
  auto graph = make_ref<vd_graph>(*ctx, "");
  auto mix = make_mix(*ctx);
  const uint32_t one = 1;
  graph->dispatch(fake::mix_arguments(*mix, {{a.get()}, {b.get()}}, one));
  for (int i = 0; i < 2; ++i) graph->submit({});
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  b->discard();
  while (world.memories.size() > 2) ctx->retired().collect(true);
  graph->set_values(0, 0, &one, 4);
  for (int i = 0; i < 2; ++i) error_of(VD_ERR_STATE, [&] { graph->submit({}); });
  const runtime::Bound other{c.get(), 0, VD_WHOLE_SIZE};
  graph->set_bindings(0, 1, {&other, 1});
  for (int i = 0; i < 2; ++i) graph->submit({});
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

// A buffer may come to lie where a replaced one was in the host's memory.
TEST(Graphs, ABufferIsNotTakenForOneThatIsGone) {
  World world;
  world.updates = true;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64), between = make_buffer(*ctx, 64);
  auto graph = make_ref<vd_graph>(*ctx, "");
  graph->fill(*a, 0, 64, 7);
  for (int i = 0; i < 2; ++i) graph->submit({});
  const auto bind = [&](vd_buffer& buffer) {
    const runtime::Bound bound{&buffer, 0, VD_WHOLE_SIZE};
    graph->set_bindings(0, 0, {&bound, 1});
  };
  bind(*between);
  const auto* const gone = &a->block(ctx->queue(0));
  const auto memory = make_buffer(*ctx, 64);  // so that the next one has other bytes
  a = nullptr;
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  ctx->retired().collect(true);
  std::vector<Ref<vd_buffer>> buffers;
  do buffers.push_back(make_buffer(*ctx, 64));
  while (&buffers.back()->block(ctx->queue(0)) != gone && buffers.size() < 100);
  bind(*buffers.back());
  graph->submit({});
  uint32_t word = 0;
  buffers.back()->read(0, 0, &word, 4);
  EXPECT_EQ(word, 7u);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

// Queue 1 is of device 0, and takes nothing that device 1 has ready.
TEST(Graphs, RecordedAnewWithReplicasTheyKeepToTheirDevice) {
  World world;
  world.updates = true;
  auto ctx = fake::make_context(world, {.devices = 2, .queues = 2});
  vd_buffer::Desc desc;
  desc.size = 64;
  desc.device = 1;
  auto there = vd_buffer::create(*ctx, desc);
  auto everywhere = make_buffer(*ctx, 64, "b", VD_BUFFER_PER_QUEUE);
  auto graph = make_ref<vd_graph>(*ctx, "");
  graph->fill(*there, 0, 64, 1);
  for (int i = 0; i < 2; ++i) graph->submit({.queue = 2});
  graph->reset();
  graph->fill(*everywhere, 0, 64, 2);
  graph->submit({.queue = 1});
  EXPECT_EQ(world.executables_made, 1);
  EXPECT_EQ(world.updates_asked, 0);
  ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

TEST(Failure, LostDeviceIsRememberedAndEndsQuietly) {
  World world;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64);
  runtime::fill(*a, 0, 64, 0, 0);
  world.submits_until_failure = 0;
  error_of(VD_ERR_DEVICE_LOST, [&] { runtime::fill(*a, 0, 64, 0, 0); });
  EXPECT_TRUE(ctx->lost());
  error_of(VD_ERR_DEVICE_LOST, [&] { ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER); });
  a = nullptr;
  ctx = nullptr;
  EXPECT_TRUE(world.memories.empty());
}

TEST(LaunchNow, NeverWaits) {
  World world;
  auto ctx = fake::make_context(world);
  auto a = make_buffer(*ctx, 64), b = make_buffer(*ctx, 64);
  auto mix = make_mix(*ctx);
  const uint32_t c = 1;
  const runtime::Arguments arguments = fake::mix_arguments(*mix, {{a.get()}, {b.get()}}, c);
  const auto now = [&] { return runtime::launch(arguments, 0, {}, false).has_value(); };
  EXPECT_TRUE(now());
  world.full = true;
  EXPECT_FALSE(now());
  world.full = false;
  {
    std::lock_guard lock(ctx->order());
    std::thread([&] { EXPECT_FALSE(now()); }).join();
  }
  // A buffer that is being read may not be written until it has been.
  bool answered = true;
  world.on_read = [&] { answered = now(); };
  uint32_t word;
  a->read(0, 0, &word, 4);
  EXPECT_FALSE(answered);
  world.on_read = nullptr;
  EXPECT_TRUE(now());
}

TEST(Threads, ManyThreadsManyQueues) {
  World world;
  auto ctx = fake::make_context(world, {.queues = 2});
  auto mix = make_mix(*ctx);
  auto shared = make_buffer(*ctx, 64, "shared");
  const std::vector<uint32_t> zeros(16);
  shared->write(VD_QUEUE_ALL, 0, zeros.data(), 64);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const uint32_t queue = t % 2;
      for (int i = 0; i < 50; ++i) {
        auto mine = make_buffer(*ctx, 64);
        std::vector<uint32_t> data(16, t), got(16);
        mine->write(queue, 0, data.data(), 64);
        launch_mix(*mix, *mine, *shared, queue);
        auto graph = make_ref<vd_graph>(*ctx, "");
        graph->copy(*mine, 0, *mine, 32, 32);
        graph->submit({queue, 1, {}});
        mine->read(queue, 0, got.data(), 64);
        EXPECT_EQ(got, std::vector<uint32_t>(16, 3 * t + 1));
        if (i % 10 == 0) ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_THAT(world.faults, testing::IsEmpty());
}

}  // namespace
