// Every way to run a pass that the planner may choose gives right results.
#include "fft/candidate.h"

#include "devices.h"
#include "fft/candidate_words.h"
#include "fft/choice.h"
#include "fft/rating.h"
#include "fft/spills.h"
#include "fft/transform.h"
#include "support.h"
#include "support/samples.h"

namespace vd::fft::test {
namespace {

// Tells each pass of a plan in turn to run by each of its candidates, one in `step`; fewer under a sanitizer.
void expect_all(Host& host, const Problem& p, Limits limits, size_t step, size_t& tried) {
  if (vd::test::kSanitized) step *= 8;
  Table table;
  for (const PlannedPass& pass : make_plan(p, limits, table).passes) {
    const std::vector<Candidate> all = best_candidates(pass.desc, limits, ~size_t{0});
    ASSERT_FALSE(all.empty());
    for (size_t i = 0; i < all.size(); i += step, ++tried) {
      SCOPED_TRACE(pass.desc.name + ": " + words_of(all[i]));
      auto choices = std::make_shared<Choices>();
      choices->of[key_of(pass.desc)] = all[i];
      limits.choices = choices;
      expect_transform(host, p, limits);
    }
  }
}

TEST(Candidate, EveryOneIsRight) {
  Host host;
  size_t tried = 0;
  const Limits limits = host.limits();
  Limits scarce = limits;  // exchanges in parts
  scarce.traits.scarce_shared_memory = true;
  scarce.copies_ahead = true;
  for (const int n : vd::test::some({60, 6, 16, 64})) expect_all(host, lines(n, 9), limits, 1, tried);
  expect_all(host, columns(48, 20, 2), scarce, 1, tried);
  expect_all(host, lines(256, 5), scarce, 2, tried);
  expect_all(host, columns(210, 9), limits, 2, tried);
  expect_all(host, lines(1024, 3), scarce, 7, tried);
  // The passes of a long line, of which the last reads rows and writes columns.
  Limits small = scarce;
  small.shared_bytes = 4096;
  expect_all(host, lines(2048, 2), small, 3, tried);
  EXPECT_GT(tried, vd::test::samples(100));
}

TEST(Candidate, ChosenOnesAreTaken) {
  Host host;
  Limits limits = host.limits();
  const Problem p = lines(64, 9);
  Table table;
  const PassDesc desc = make_plan(p, limits, table).passes[0].desc;
  const std::vector<Candidate> all = best_candidates(desc, limits, ~size_t{0});
  for (const Candidate& candidate : all) {
    auto choices = std::make_shared<Choices>();
    choices->of[key_of(desc)] = candidate;
    limits.choices = choices;
    const Layout layout = make_plan(p, limits, table).passes[0].layout;
    EXPECT_EQ(layout.radices.text(), candidate.radices.text());
    EXPECT_EQ(layout.radices.invocations, candidate.radices.invocations);
    EXPECT_EQ(layout.lines, candidate.lines);
  }
  // Another pass's choice is not.
  auto choices = std::make_shared<Choices>();
  choices->of[Hash128{1, 2}] = all.back();
  limits.choices = choices;
  EXPECT_EQ(make_plan(p, limits, table).passes[0].layout.lines, all.front().lines);
}

TEST(Candidate, WordsAreReadBack) {
  const Limits limits = Host().limits();
  Table table;
  for (const uint64_t n : {1, 7, 64, 720, 37, 244}) {  // the last two by a prime's convolution
    for (const Problem& p : {lines(n, 9), columns(n, 40)}) {
      const PassDesc desc = make_plan(p, limits, table).passes[0].desc;
      for (const Candidate& candidate : best_candidates(desc, limits, ~size_t{0})) {
        const std::string words = words_of(candidate);
        EXPECT_EQ(words_of(read_candidate(words, static_cast<uint32_t>(n))), words);
      }
    }
  }
  for (const char* damaged : {"", "radices=8x8", "radices=8x8 line_threads=8", "radices=8x8 line_threads=0 lines=2",
                              "radices=8x4 line_threads=8 lines=2", "radices=8x8x line_threads=8 lines=2 x",
                              "radices=8x8 line_threads=8 lines=", "radices=8x8 line_threads=8 lines=2 planar=2",
                              "radices=8x8 line_threads=8 lines=-2", "radices=64 line_threads=8 lines=2",
                              "radices=8x8 line_threads=99 lines=1", "radix=8x8 line_threads=8 lines=2"}) {
    EXPECT_THROW(read_candidate(damaged, 64), Error) << damaged;
  }
}

// Addresses in 64 bits, by the device's trait or by the caller's word; nothing else follows from it.
TEST(Candidate, AddressesAreWideWhereTheCallerSays) {
  const auto layout = [](const Limits& limits) {
    Table table;
    return make_plan(lines(4096, 50), limits, table).passes.front().layout;
  };
  for (const bool trait : {true, false}) {
    Limits limits = device_limits(h200(VD_BACKEND_VULKAN), 0);
    limits.traits.wide_addresses = trait;
    EXPECT_EQ(layout(limits).wide, trait);
    const std::string usual = words_of(candidate_of(layout(limits)));
    for (const bool wide : {true, false}) {
      limits.tuning = Tuning::parse(wide ? "wide=1" : "wide=0");
      EXPECT_EQ(layout(limits).wide, wide);
      EXPECT_EQ(words_of(candidate_of(layout(limits))), usual);
    }
  }
}

}  // namespace
}  // namespace vd::fft::test
