// Random work on a backend that orders nothing by itself, against the same work done one piece after the other.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <optional>

#include "core/error.h"
#include "runtime/graph.h"
#include "unit/runtime/fake_backend.h"

namespace {

using namespace vd;
using fake::World;

constexpr uint32_t kWords = 64;  // of a buffer

// Buffers on the device beside the same bytes on the host.
struct Pair {
  Ref<vd_buffer> buffer;
  std::vector<uint32_t> expected;
};

struct Range {
  size_t buffer;
  uint64_t begin, words;
};

struct Program {
  World& world;
  Ref<vd_context> ctx;
  std::mt19937 random;
  std::vector<Pair> pairs;
  Ref<vd_plan> mix;

  Program(World& world, uint32_t seed, uint32_t queues)
      : world(world), ctx(fake::make_context(world, {.devices = 1, .queues = queues})), random(seed) {
    for (int i = 0; i < 4; ++i) {
      vd_buffer::Desc desc;
      desc.size = 4 * kWords;
      desc.label = fmt::format("b{}", i);
      Pair pair{vd_buffer::create(*ctx, desc), std::vector<uint32_t>(kWords)};
      std::iota(pair.expected.begin(), pair.expected.end(), i * 100);
      pair.buffer->write(VD_QUEUE_ALL, 0, pair.expected.data(), 4 * kWords);
      pairs.push_back(std::move(pair));
    }
    auto kernel = fake::mix_kernel();
    mix = vd_plan::create(*ctx, {kernel.get(), nullptr, {}, 0, {}});
  }

  uint32_t any(uint32_t below) { return static_cast<uint32_t>(random() % below); }

  Range range() {
    const uint64_t begin = 4 * any(kWords / 4);
    return {any(static_cast<uint32_t>(pairs.size())), begin, 1 + any(static_cast<uint32_t>(kWords - begin))};
  }
  uint32_t* host(const Range& r) { return pairs[r.buffer].expected.data() + r.begin; }
  vd_buffer& device(const Range& r) { return *pairs[r.buffer].buffer; }

  // One random piece of work, given to `graph` or, if null, to a queue.
  void act(vd_graph* graph, uint32_t queue) {
    const Range a = range(), b = range();
    switch (any(6)) {
      case 0: {  // fill
        const uint32_t pattern = any(1000);
        std::fill(host(a), host(a) + a.words, pattern);
        if (graph != nullptr) {
          graph->fill(device(a), 4 * a.begin, 4 * a.words, pattern);
        } else {
          runtime::fill(device(a), 4 * a.begin, 4 * a.words, pattern, queue);
        }
        break;
      }
      case 1: {  // copy
        const uint64_t words = std::min(a.words, b.words);
        if (a.buffer == b.buffer) return;
        std::copy(host(a), host(a) + words, host(b));
        if (graph != nullptr) {
          graph->copy(device(a), 4 * a.begin, device(b), 4 * b.begin, 4 * words);
        } else {
          runtime::copy(device(a), 4 * a.begin, device(b), 4 * b.begin, 4 * words, queue);
        }
        break;
      }
      case 2: {  // write from the host
        if (graph != nullptr) return;
        std::vector<uint32_t> data(a.words, any(1000));
        std::copy(data.begin(), data.end(), host(a));
        device(a).write(queue, 4 * a.begin, data.data(), 4 * a.words);
        break;
      }
      default: {
        const uint32_t c = any(1000);
        const runtime::Arguments arguments = fake::mix_arguments(
            *mix, {{&device(a), 4 * a.begin, 4 * a.words}, {&device(b), 4 * b.begin, 4 * b.words}}, c);
        std::vector<std::span<std::byte>> ranges{std::as_writable_bytes(std::span(host(a), a.words)),
                                                 std::as_writable_bytes(std::span(host(b), b.words))};
        fake::mix_body()(ranges, std::as_bytes(std::span(&c, 1)));
        if (graph != nullptr) {
          graph->dispatch(arguments);
        } else {
          ASSERT_TRUE(runtime::launch(arguments, queue, {}, true).has_value());
        }
      }
    }
  }

  void check(uint32_t queue, const std::string& where) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      std::vector<uint32_t> got(kWords);
      pairs[i].buffer->read(queue, 0, got.data(), 4 * kWords);
      ASSERT_EQ(got, pairs[i].expected) << where << ", buffer " << i;
    }
    ASSERT_EQ(world.faults, std::vector<std::string>{}) << where;
  }
};

class Ordering : public testing::TestWithParam<uint32_t> {};

TEST_P(Ordering, EagerWork) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    World world(seed);
    Program program(world, seed, GetParam());
    for (int i = 0; i < 200; ++i) {
      program.act(nullptr, program.any(GetParam()));
      if (program.any(50) == 0) program.check(program.any(GetParam()), fmt::format("seed {} step {}", seed, i));
      if (testing::Test::HasFatalFailure()) return;
    }
    program.check(0, fmt::format("seed {}", seed));
  }
}

TEST_P(Ordering, GraphsAmongEagerWork) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    World world(seed);
    Program program(world, seed, GetParam());
    for (int i = 0; i < 20; ++i) {
      auto graph = make_ref<vd_graph>(*program.ctx, "");
      const uint32_t nodes = program.any(25);
      for (uint32_t n = 0; n < nodes; ++n) program.act(graph.get(), 0);
      // Recording has already moved the expectation on, so nothing may come before the first submit.
      graph->submit({program.any(GetParam()), 1, {}});
      for (uint32_t n = program.any(5); n != 0; --n) program.act(nullptr, program.any(GetParam()));
      if (program.any(3) == 0) graph = nullptr;
      if (testing::Test::HasFatalFailure()) return;
    }
    program.check(0, fmt::format("seed {}", seed));
  }
}

INSTANTIATE_TEST_SUITE_P(Queues, Ordering, testing::Values(1u, 2u, 4u));

// A graph submitted again and again, also with repeats, on several queues, and recorded further in between; ordered by
// levels or by edges.
class OrderingOfAGraph : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(ByEdges, OrderingOfAGraph, testing::Bool());

TEST_P(OrderingOfAGraph, RunsAgain) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    World world(seed);
    world.by_edges = GetParam();
    Program program(world, seed, 2);
    auto graph = make_ref<vd_graph>(*program.ctx, "");
    struct Step {
      Range a, b;
      uint32_t c;
    };
    std::vector<Step> steps;
    for (int round = 0; round < 10; ++round) {
      for (uint32_t n = program.any(4); n != 0; --n) {
        Step s{program.range(), program.range(), program.any(100)};
        graph->dispatch(fake::mix_arguments(*program.mix,
                                            {{&program.device(s.a), 4 * s.a.begin, 4 * s.a.words},
                                             {&program.device(s.b), 4 * s.b.begin, 4 * s.b.words}},
                                            s.c));
        steps.push_back(s);
      }
      const uint32_t repeat = 1 + program.any(3);
      graph->submit({program.any(2), repeat, {}});
      for (uint32_t r = 0; r < repeat; ++r) {
        for (const Step& s : steps) {
          std::vector<std::span<std::byte>> ranges{std::as_writable_bytes(std::span(program.host(s.a), s.a.words)),
                                                   std::as_writable_bytes(std::span(program.host(s.b), s.b.words))};
          fake::mix_body()(ranges, std::as_bytes(std::span(&s.c, 1)));
        }
      }
    }
    program.check(1, fmt::format("seed {}", seed));
    if (HasFatalFailure()) return;
  }
}

// The same with other buffers and values for its nodes in between, and with values for each instance. Executables take the
// changes over, or not.
class OrderingOfAChangedGraph : public testing::TestWithParam<std::tuple<bool, bool>> {};
INSTANTIATE_TEST_SUITE_P(ByEdges, OrderingOfAChangedGraph, testing::Combine(testing::Bool(), testing::Bool()));

TEST_P(OrderingOfAChangedGraph, RunsAgain) {
  int patches = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    World world(seed);
    std::tie(world.by_edges, world.updates) = GetParam();
    Program program(world, seed, 2);
    auto graph = make_ref<vd_graph>(*program.ctx, "");
    struct Step {
      Range a, b;
      uint32_t c;
    };
    std::vector<Step> steps;
    const auto bound = [&](const Range& r) { return runtime::Bound{&program.device(r), 4 * r.begin, 4 * r.words}; };
    for (int round = 0; round < 12; ++round) {
      for (uint32_t n = round == 0 ? 3 : program.any(2); n != 0; --n) {
        Step s{program.range(), program.range(), program.any(100)};
        graph->dispatch(fake::mix_arguments(*program.mix,
                                            {{&program.device(s.a), 4 * s.a.begin, 4 * s.a.words},
                                             {&program.device(s.b), 4 * s.b.begin, 4 * s.b.words}},
                                            s.c));
        steps.push_back(s);
      }
      for (uint32_t n = program.any(3); n != 0; --n) {
        const uint32_t i = program.any(static_cast<uint32_t>(steps.size()));
        switch (program.any(4)) {
          case 0:  // both swapped, so that hazards come and go
            std::swap(steps[i].a, steps[i].b);
            graph->set_bindings(i, 0, std::vector{bound(steps[i].a), bound(steps[i].b)});
            break;
          case 1:
            steps[i].b = program.range();
            graph->set_bindings(i, 1, std::vector{bound(steps[i].b)});
            break;
          case 2:
            steps[i].a = program.range();
            graph->set_bindings(i, 0, std::vector{bound(steps[i].a)});
            break;
          default:
            steps[i].c = program.any(100);
            graph->set_values(i, 0, &steps[i].c, 4);
        }
      }
      vd_graph::Submit how{program.any(2), 1 + program.any(3), {}, {}};
      std::vector<std::vector<uint32_t>> given(steps.size());
      if (program.any(2) == 0) {
        how.repeat = 1 + program.any(round % 3 == 0 ? 200 : 4);
        for (uint32_t i = 0; i < steps.size(); ++i) {
          if (program.any(2) == 0) continue;
          for (uint32_t r = 0; r < how.repeat; ++r) given[i].push_back(program.any(100));
          how.values.push_back({i, 0, 4, reinterpret_cast<const std::byte*>(given[i].data())});
        }
      }
      graph->submit(how);
      for (uint32_t r = 0; r < how.repeat; ++r) {
        for (uint32_t i = 0; i < steps.size(); ++i) {
          const Step& s = steps[i];
          const uint32_t c = given[i].empty() ? s.c : given[i][r];
          std::vector<std::span<std::byte>> ranges{std::as_writable_bytes(std::span(program.host(s.a), s.a.words)),
                                                   std::as_writable_bytes(std::span(program.host(s.b), s.b.words))};
          fake::mix_body()(ranges, std::as_bytes(std::span(&c, 1)));
        }
      }
    }
    program.check(1, fmt::format("seed {}", seed));
    if (HasFatalFailure()) return;
    patches += world.patches;
  }
  EXPECT_EQ(patches > 0, std::get<1>(GetParam()));
}

TEST(Graph, ARecordThatFailsHalfwayLeavesNothing) {
  World world(1);
  Program program(world, 1, 1);
  auto graph = make_ref<vd_graph>(*program.ctx, "");
  vd_buffer& buffer = *program.pairs[0].buffer;
  graph->fill(buffer, 0, 4, 1);
  EXPECT_THROW(graph->record([&]() -> int {
    graph->fill(buffer, 4, 4, 2);
    graph->copy(buffer, 0, buffer, 8, 4);
    fail(VD_ERR_INVALID, "no more");
  }),
               Error);
  EXPECT_EQ(graph->node_count(), 1u);
  graph->submit({});
  std::vector<uint32_t> got(2);
  buffer.read(0, 0, got.data(), 8);
  EXPECT_EQ(got, (std::vector<uint32_t>{1, program.pairs[0].expected[1]}));
}

// Without patches, a graph that changes before each run is given as a list each time.
TEST(Graph, AnExecutableIsMadeWhereItIsWorthIt) {
  for (const bool patches : {false, true}) {
    World world(1);
    world.updates = patches;
    Program program(world, 1, 1);
    auto graph = make_ref<vd_graph>(*program.ctx, "");
    vd_buffer &a = *program.pairs[0].buffer, &b = *program.pairs[1].buffer;
    graph->fill(a, 0, 4, 1);
    for (int i = 0; i < 10; ++i) {
      graph->set_bindings(0, 0, std::vector{runtime::Bound{i % 2 == 0 ? &a : &b, 0, 4}});
      graph->submit({});
    }
    EXPECT_EQ(world.executables_made, patches ? 1 : 0);
    EXPECT_EQ(world.patches, patches ? 8 : 0);
    for (int i = 0; i < 3; ++i) graph->submit({});
    EXPECT_EQ(world.executables_made, 1);
    program.ctx->wait_idle(VD_QUEUE_ALL, VD_WAIT_FOREVER);
  }
}

// The controls: what the tests above rest on.
TEST(FakeBackend, RunsUnorderedWorkInAnyOrder) {
  int differ = 0;
  for (uint32_t seed = 0; seed < 20; ++seed) {
    World world(seed);
    fake::Device device(world, 1, fake::device_info(), {});
    auto memory = device.make_memory(4, false, "");
    backends::CommandList list;
    backends::Command fill;
    fill.kind = backends::Command::Kind::Fill;
    fill.destination = {memory.get(), 0, 4};
    for (const uint32_t pattern : {1u, 2u}) {
      fill.pattern = pattern;
      list.commands.push_back(fill);
    }
    device.queue(0).submit(list);
    uint32_t got = 0;
    device.queue(0).read({memory.get(), 0, 4}, &got);
    differ += got == 1;
  }
  EXPECT_GT(differ, 0);
  EXPECT_LT(differ, 20);
}

}  // namespace
