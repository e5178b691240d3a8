// The candidates that are compiled for a pass whose code spills.
#include "fft/spills.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "fft/candidate_words.h"
#include "fft/choice.h"
#include "fft/rating.h"
#include "fft/record.h"
#include "fft/transform.h"
#include "unit/fft/devices.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

PlannedPass planned_pass(const Problem& problem, const Limits& limits, size_t number = 0) {
  Table table;
  return make_plan(problem, limits, table).passes.at(number);
}

TEST(FftSpills, RivalsAreOthersThatTakeAboutAsLong) {
  size_t count = 0;
  for (const vd_backend backend : {VD_BACKEND_CUDA, VD_BACKEND_VULKAN}) {
    const Limits limits = device_limits(h200(backend), 0);
    for (const uint64_t n : {7, 100, 720, 1000, 2187, 4096, 10007}) {
      const PlannedPass pass = planned_pass(lines(n, 5000), limits);
      const std::string own = words_of(candidate_of(pass.layout));
      // A layout's candidate makes that layout.
      Layout layout;
      ASSERT_TRUE(lay_out_scored(pass.desc, limits, candidate_of(pass.layout), layout)) << n;
      EXPECT_EQ(layout.score.time, pass.layout.score.time) << n << " " << own;
      const std::vector<Candidate> rivals = find_rivals(pass.desc, limits, pass.layout);
      EXPECT_LE(rivals.size(), kMostRivals);
      std::set<std::string> seen{own};
      double before = 0;
      for (const Candidate& rival : rivals) {
        EXPECT_TRUE(seen.insert(words_of(rival)).second) << words_of(rival);
        ASSERT_TRUE(lay_out_scored(pass.desc, limits, rival, layout)) << words_of(rival);
        EXPECT_LE(layout.score.time * kBetterTime, pass.layout.score.time * 1.0000001);
        EXPECT_GE(layout.score.time, before);
        before = layout.score.time;
        ++count;
      }
    }
  }
  EXPECT_GT(count, 5u);
}

// By an estimate alone, lines of 36 had workgroups of 24 invocations, which are half as fast.
TEST(FftSpills, RivalsKeepTheMemoryBusy) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  size_t count = 0;
  for (const uint64_t n : {12, 20, 30, 36, 50, 60, 98, 100}) {
    const PlannedPass pass = planned_pass(lines(n, (1 << 27) / n), limits);
    Layout layout;
    for (const Candidate& rival : find_rivals(pass.desc, limits, pass.layout)) {
      ASSERT_TRUE(lay_out_scored(pass.desc, limits, rival, layout)) << words_of(rival);
      EXPECT_GE(layout.score.in_flight, std::min<uint64_t>(pass.layout.score.in_flight, 64 << 10)) << words_of(rival);
      ++count;
    }
  }
  EXPECT_GT(count, 5u);
}

TEST(FftSpills, AreOpenWhereRulesAndScoresChose) {
  Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const PlannedPass pass = planned_pass(lines(720, 5000), limits);
  EXPECT_TRUE(is_open(pass.desc, limits, pass.layout));
  const PlannedPass prime = planned_pass(lines(193, 5000), limits);
  EXPECT_FALSE(is_open(prime.desc, limits, prime.layout)) << "estimates of its ways say little";
  Limits tuned = limits;
  tuned.tuning = Tuning::parse("threads=128");
  EXPECT_FALSE(is_open(pass.desc, tuned, pass.layout));
  // A record of a measurement.
  Limits recorded = limits;
  auto records = std::make_shared<Records>(*limits.records);
  records->files.insert(records->files.begin(),
                        std::make_shared<const RecordFile>(read_record_file(
                            "test", "vkdispatch fft records 1\ndevice NVIDIA H200\nfor any\nchoice n=720: " +
                                        words_of(candidate_of(pass.layout)) + "\n")));
  recorded.records = records;
  EXPECT_FALSE(is_open(pass.desc, recorded, pass.layout));
  // A device that does not tell its registers.
  const Limits host = device_limits(h200(VD_BACKEND_HOST), 0);
  const PlannedPass unknown = planned_pass(lines(720, 5000), host);
  EXPECT_FALSE(is_open(unknown.desc, host, unknown.layout));
}

// Vulkan's drivers compile once more to tell what they spill, so they are asked where registers are scarce.
TEST(FftSpills, RegistersAreTightWhereACompilerWouldTakeMore) {
  const Limits limits = device_limits(h200(VD_BACKEND_VULKAN), 0);
  EXPECT_FALSE(planned_pass(lines(1024, 5000), limits).layout.score.tight);
  EXPECT_TRUE(planned_pass(lines(16384, 5000), limits).layout.score.tight);
}

}  // namespace
}  // namespace vd::fft::test
