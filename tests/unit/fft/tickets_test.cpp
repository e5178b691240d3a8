// Two passes of long lines in one dispatch, whose workgroups take tiles by ticket.
#include "fft/tickets.h"

#include <gmock/gmock.h>

#include <set>
#include <tuple>

#include "devices.h"
#include "fft/candidate_words.h"
#include "fft/choice.h"
#include "fft/transform.h"
#include "support.h"

namespace vd::fft::test {
namespace {

using testing::HasSubstr;

struct Shape {
  TicketOrder order;
  uint64_t bundles;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const uint32_t slots : {2u, 3u, 4u, 7u, 16u}) {
    for (const auto& tiles : {std::array<uint32_t, 2>{1, 1}, {3, 2}, {2, 5}, {8, 8}, {1, 7}}) {
      for (const uint64_t bundles : {1u, 2u, 3u, 5u, 8u, 29u}) all.push_back({{slots, tiles}, bundles});
    }
  }
  return all;
}

// Tickets that a tile waits for.
std::vector<TicketOrder::Place> awaited_by(const TicketOrder& order, const TicketOrder::Place& place) {
  std::vector<TicketOrder::Place> all;
  if (place.pass == 1) {
    for (uint32_t tile = 0; tile < order.tiles[0]; ++tile) all.push_back({0, place.bundle, tile});
  } else if (place.bundle >= order.slots) {
    for (uint32_t tile = 0; tile < order.tiles[1]; ++tile) all.push_back({1, place.bundle - order.slots, tile});
  }
  return all;
}

// Otherwise workgroups that wait could keep those away that they wait for.
TEST(Tickets, WhatATileWaitsForHasASmallerTicket) {
  for (const auto& [order, bundles] : shapes()) {
    const auto key = [](const TicketOrder::Place& p) { return std::tuple(p.pass, p.bundle, p.tile); };
    std::map<std::tuple<uint32_t, uint64_t, uint32_t>, uint64_t> tickets;
    for (uint64_t ticket = 0; ticket < order.tickets(bundles); ++ticket) {
      const TicketOrder::Place place = order.place(ticket, bundles);
      ASSERT_LT(place.bundle, bundles);
      ASSERT_LT(place.tile, order.tiles[place.pass]);
      for (const TicketOrder::Place& other : awaited_by(order, place)) {
        ASSERT_TRUE(tickets.contains(key(other)))
            << "slots " << order.slots << ", pass " << place.pass << ", bundle " << place.bundle << " of " << bundles;
      }
      ASSERT_TRUE(tickets.emplace(key(place), ticket).second);
    }
    EXPECT_EQ(tickets.size(), bundles * order.tiles_of_bundle());
  }
}

// Does what the kernel does with its counters, by workgroups that come and go on in any order.
class Device {
 public:
  Device(const Shape& shape, uint32_t seed) : order_(shape.order), bundles_(shape.bundles), random_(seed) {
    counters_.resize(TicketCounters::words(order_.slots));
    ring_.resize(order_.slots, {~uint64_t{0}, 0});
  }

  void run() {
    const uint64_t all = order_.tickets(bundles_);
    uint64_t begun = 0, stuck = 0;
    std::vector<TicketOrder::Place> running;
    while (begun < all || !running.empty()) {
      // A device of few workgroups, as often of one.
      const size_t most = 1 + random_() % 6;
      if (begun < all && running.size() < most) {
        running.push_back(order_.place(counters_[TicketCounters::kTicket]++, bundles_));
        ++begun;
      }
      const size_t which = random_() % running.size();
      const TicketOrder::Place place = running[which];
      ASSERT_LT(++stuck, 10000u) << "no workgroup goes on";
      const auto slot = static_cast<uint32_t>(order_.slot(place.bundle));
      if (counters_[TicketCounters::done(1 - place.pass, slot)] < order_.awaited(place.pass, place.bundle)) continue;
      stuck = 0;
      Slot& held = ring_[slot];
      if (place.pass == 0) {
        ASSERT_TRUE(held.bundle == place.bundle || held.unread == 0) << "slot " << slot << " is overwritten";
        if (held.bundle != place.bundle) held = {place.bundle, order_.tiles[1]};
      } else {
        ASSERT_EQ(held.bundle, place.bundle);
        --held.unread;
      }
      ++counters_[TicketCounters::done(place.pass, slot)];
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
      if (place.pass == 1 && ++counters_[TicketCounters::kRead] == bundles_ * order_.tiles[1]) {
        ASSERT_TRUE(running.empty());
        ASSERT_EQ(begun, all);
        for (uint32_t i = 0; i < TicketCounters::count(order_.slots); ++i) counters_[i * TicketCounters::kStep] = 0;
      }
    }
    for (const uint32_t counter : counters_) ASSERT_EQ(counter, 0u);
  }

 private:
  struct Slot {
    uint64_t bundle;
    uint64_t unread;
  };
  const TicketOrder order_;
  const uint64_t bundles_;
  std::mt19937 random_;
  std::vector<uint32_t> counters_;
  std::vector<Slot> ring_;
};

TEST(Tickets, NoSlotIsOverwrittenBeforeItIsReadAndCountersEndAtZero) {
  for (const Shape& shape : shapes()) {
    for (uint32_t seed = 0; seed < 3; ++seed) {
      SCOPED_TRACE(testing::Message() << "slots " << shape.order.slots << ", tiles " << shape.order.tiles[0] << " and "
                                      << shape.order.tiles[1] << ", bundles " << shape.bundles << ", seed " << seed);
      Device(shape, seed).run();
      if (HasFatalFailure()) return;
    }
  }
}

Limits by_ticket(const Host& host, const std::string& words = "tickets=2", uint32_t shared_bytes = 512) {
  Limits limits = small_limits(host, shared_bytes);
  limits.traits.orders_workgroups = limits.traits.waits_in_loops = true;
  limits.tuning = Tuning::parse(words);
  limits.tuning.shared = shared_bytes;
  return limits;
}

uint64_t slots_of(const Program& program) {
  return program.passes.size() == 1 ? program.passes.front().layout.ring.order.slots : 0;
}

TEST(Tickets, ShortLinesThroughARing) {
  Host host;
  for (const char* words :
       vd::test::some({"tickets=2", "tickets=3", "tickets=1", "tickets=5,planar=1", "tickets=2,turned=0"})) {
    SCOPED_TRACE(words);
    const Limits limits = by_ticket(host, words);
    for (const uint64_t n : vd::test::some({600u, 256u, 240u, 1024u})) {
      for (const uint64_t count : {1u, 2u, 3u, 7u, 40u}) {
        for (const int sign : {-1, 1}) {
          const Problem p = lines(n, count, sign);
          ASSERT_GT(slots_of(make_program(p, limits)), 1u) << n << " " << make_program(p, limits).text();
          expect_transform(host, p, limits);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// Workgroups that wait while others are at work, with more threads than processors; a thread may stop anywhere.
TEST(Tickets, ManyThreads) {
  Host host(0, 7);
  for (const char* words : {"tickets=2", "tickets=4"}) {
    for (size_t i = 0; i < vd::test::samples(20); ++i) {
      expect_transform(host, lines(256, 60), by_ticket(host, words));
      if (HasFatalFailure()) return;
    }
  }
}

// It finds accesses outside of buffers and reads of unwritten memory.
TEST(Tickets, OnACheckedDevice) {
  Host host(VD_CONTEXT_CHECKED);
  expect_transform(host, lines(256, 7), by_ticket(host));
  expect_transform(host, columns(256, 6, 5), by_ticket(host));
}

TEST(Tickets, EveryKindOfPass) {
  Host host;
  // With a prime of a convolution, exchanges in parts, idle invocations, and a chirp as the last pass.
  for (const auto& [n, words] : {std::pair<uint64_t, const char*>{61 * 16, "tickets=2"},
                                 {37 * 32, "tickets=3"},
                                 {1024, "tickets=2,parts=2"},
                                 {7 * 9 * 11, "tickets=2"},
                                 {31 * 29, "tickets=4"},
                                 {101 * 16, "tickets=2"}}) {
    SCOPED_TRACE(words);
    const Limits limits = by_ticket(host, words, n == 101 * 16 ? 2048 : 1024);
    const Problem p = lines(n, 5);
    EXPECT_GT(slots_of(make_program(p, limits)), 1u) << make_program(p, limits).text();
    expect_transform(host, p, limits);
    if (HasFatalFailure()) return;
  }
  expect_transform<double>(host, lines(256, 5, 1, ir::Scalar::F64), by_ticket(host, "tickets=2", 1024));
  // Lines side by side in several planes; their bundles are planes.
  const Problem p = columns(256, 6, 5);
  EXPECT_EQ(slots_of(make_program(p, by_ticket(host))), 2u);
  expect_transform(host, p, by_ticket(host));
}

// Workgroups that the device's rows leave beyond the last tile take no ticket.
TEST(Tickets, MoreWorkgroupsThanTickets) {
  Host host;
  for (const std::array<uint32_t, 3>& most : {std::array<uint32_t, 3>{11, 65535, 1}, {3, 4, 65535}, {1, 1, 65535}}) {
    Limits limits = by_ticket(host);
    limits.workgroups = most;
    for (const uint64_t count : {1u, 3u, 13u}) {
      const Problem p = lines(256, count);
      ASSERT_EQ(slots_of(make_program(p, limits)), 2u);
      expect_transform(host, p, limits);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Tickets, OneKernelServesAnyCount) {
  Host host;
  const Limits limits = by_ticket(host, "tickets=4");
  const Program few = make_program(lines(256, 2), limits), many = make_program(lines(256, 50), limits);
  EXPECT_EQ(few.passes.front().kernel->hash, many.passes.front().kernel->hash);
  EXPECT_EQ(few.workspace_size, 2 * 256 * 8u);   // of as many slots as there are bundles
  EXPECT_EQ(many.workspace_size, 4 * 256 * 8u);  // of the ring's
  EXPECT_THAT(many.text(), HasSubstr("through a ring of 4 slots of 2048 bytes"));
  EXPECT_THAT(many.text(), HasSubstr("lower bound: a copy that reads 102400 and writes 102400 bytes"));
}

TEST(Tickets, AreTakenWhereTheyAreAskedForAlone) {
  Host host;
  const Problem p = lines(256, 9);
  EXPECT_EQ(slots_of(make_program(p, by_ticket(host, "tickets=2"))), 2u);
  EXPECT_EQ(slots_of(make_program(p, by_ticket(host, "tickets=1"))), kMostSlots);
  EXPECT_EQ(slots_of(make_program(p, by_ticket(host, "tickets=0"))), 0u);
  EXPECT_EQ(slots_of(make_program(p, by_ticket(host, ""))), 0u);
  Limits unordered = by_ticket(host);
  unordered.traits.orders_workgroups = false;
  EXPECT_EQ(slots_of(make_program(p, unordered)), 0u);
  Limits ending = by_ticket(host);
  ending.traits.waits_in_loops = false;
  EXPECT_EQ(slots_of(make_program(p, ending)), 0u);
  // A convolution has more passes, and columns that all lie side by side are one bundle.
  Problem convolution = p;
  convolution.convolve = true;
  convolution.filter.stride = 1;
  convolution.batches = {{9, 256, 256, 256}};
  convolution.filters.push_back({"kernel", ir::Type::complex(ir::Scalar::F32)});
  Table table;
  EXPECT_FALSE(make_plan(convolution, by_ticket(host), table).by_ticket());
  Problem side_by_side = columns(256, 6);
  side_by_side.batches = {{6, 1, 1}};
  EXPECT_FALSE(make_plan(side_by_side, by_ticket(host), table).by_ticket());
}

// Planes of an H200 that fit no workgroup, and such as fit one.
TEST(Tickets, Planes) {
  const auto planes = [](uint64_t rows, uint64_t columns, const char* words) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 3;
    desc.shape[0] = 100, desc.shape[1] = rows, desc.shape[2] = columns;
    desc.axis_count = 2;
    desc.axes[0] = 2, desc.axes[1] = 1;
    Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
    limits.tuning = Tuning::parse(words);
    std::vector<Program> programs;
    for (const Problem& problem : read_transform(desc, limits)) programs.push_back(make_program(problem, limits));
    return programs;
  };
  for (const auto& [rows, columns] : {std::pair<uint64_t, uint64_t>{256, 256}, {1000, 1000}, {480, 1024}}) {
    const std::vector<Program> one = planes(rows, columns, "tickets=4");
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(slots_of(one.front()), 4u) << one.front().text();
    EXPECT_EQ(one.front().workspace_size, 4 * rows * columns * 8);
    EXPECT_EQ(planes(rows, columns, "").size(), 2u);
  }
  // Half of the bytes without a ring.
  const std::vector<Program> small = planes(128, 128, "tickets=4");
  ASSERT_EQ(small.size(), 1u);
  EXPECT_EQ(slots_of(small.front()), 0u);
  EXPECT_EQ(small.front().workspace_size, 0u);
  // Parts of a plane, which the passes would read past.
  vd_fft_desc part = VD_FFT_DESC_INIT;
  part.rank = 2;
  part.shape[0] = part.shape[1] = 1000;
  part.axis_count = 2;
  part.axes[1] = 1;
  part.in_high[1] = 500;
  Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  limits.tuning = Tuning::parse("tickets=4");
  EXPECT_EQ(read_transform(part, limits).size(), 2u);
}

// A choice, which records have or the tuner found, is a candidate of the first pass.
TEST(Tickets, OfAChoice) {
  Host host;
  const Problem p = lines(256, 9);
  Limits limits = by_ticket(host, "");
  Table table;
  const fft::Plan usual = make_plan(p, limits, table);
  ASSERT_EQ(usual.passes.size(), 2u);
  std::string words = words_of(usual_candidates(usual.passes.front().desc, limits).front());
  Candidate candidate = read_candidate(words += " tickets=3", usual.passes.front().desc.n);
  EXPECT_EQ(candidate.tickets, 3u);
  EXPECT_EQ(words_of(candidate), words);
  auto choices = std::make_shared<Choices>();
  choices->of.emplace(key_of(usual.passes.front().desc), candidate);
  limits.choices = choices;
  EXPECT_EQ(slots_of(make_program(p, limits)), 3u);
  expect_transform(host, p, limits);
  limits.tuning.tickets = 0;
  EXPECT_EQ(slots_of(make_program(p, limits)), 0u);
}

TEST(Tickets, Words) {
  EXPECT_EQ(Tuning::parse("tickets=1").tickets, 1);
  EXPECT_EQ(Tuning::parse("").tickets, -1);
  EXPECT_THROW(Tuning::parse("tickets=257"), Error);
  EXPECT_THROW(Tuning::parse("tickets=x"), Error);
  EXPECT_THROW(read_candidate("radices=16 line_threads=1 lines=1 tickets=257", 16), Error);
}

// A device's shared memory has room for the ticket, too, where each pass alone would fill it.
TEST(Tickets, FitBesideTheLines) {
  Host host;
  for (const uint32_t shared_bytes : {512u, 1024u, 2048u}) {
    for (const uint64_t n : {256u, 1024u, 4096u}) {
      Limits limits = by_ticket(host, "tickets=2", shared_bytes);
      limits.invocations = 256;
      const Program program = make_program(lines(n, 3), limits);
      if (slots_of(program) == 0) continue;
      EXPECT_LE(program.passes.front().shared_size, shared_bytes) << program.text();
      expect_transform(host, lines(n, 3), limits);
    }
  }
}

// The lengths that they are for: workgroups of one size take both passes, and the ring is a third of the cache.
TEST(Tickets, OnAnH200) {
  for (const vd_backend backend : {VD_BACKEND_CUDA, VD_BACKEND_VULKAN}) {
    Limits limits = device_limits(h200(backend), 0);
    limits.tuning = Tuning::parse("tickets=1,strategy=four_step");
    for (const uint64_t n : {uint64_t{65536}, uint64_t{1} << 17, uint64_t{1} << 18, uint64_t{1} << 20,
                             uint64_t{1} << 22, uint64_t{1} << 24, uint64_t{100000}, uint64_t{531441}}) {
      SCOPED_TRACE(n);
      const Program program = make_program(lines(n, std::max<uint64_t>((uint64_t{1} << 27) / n, 1)), limits);
      ASSERT_EQ(program.passes.size(), 1u) << program.text();
      const Pass& pass = program.passes.front();
      EXPECT_EQ(pass.layout.workgroup_size(), pass.second->layout.workgroup_size());
      const uint32_t slots = pass.layout.ring.order.slots;
      EXPECT_EQ(slots, std::max<uint64_t>(2, 16777216 / (8 * pass.layout.ring.slot)));
      limits.tuning.tickets = -1;
      EXPECT_EQ(make_program(lines(n, 8), limits).passes.size(), 2u);
      limits.tuning.tickets = 1;
    }
  }
}

}  // namespace
}  // namespace vd::fft::test
