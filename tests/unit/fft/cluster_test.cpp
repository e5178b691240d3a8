// Lines that the workgroups of a cluster share: which places are whose, and when the planner has them do so. What they
// compute, tests/api/fft_cluster_test.cpp compares on a device that has clusters.
#include "fft/cluster_plan.h"

#include <set>
#include <tuple>

#include "devices.h"
#include "fft/candidate.h"
#include "fft/candidate_words.h"
#include "fft/rating.h"
#include "fft/transform.h"
#include "support.h"

namespace vd::fft::test {
namespace {

// Behind each stage every place of a workgroup is written once and read once; between workgroups, what is read is the
// number that the line has there.
TEST(Cluster, EveryNumberIsWrittenAndReadOnce) {
  for (const auto& shared : {std::pair<std::vector<uint32_t>, uint32_t>{{8, 8}, 2},
                             {{4, 8, 4}, 4},
                             {{4, 4, 4, 4}, 2},
                             {{9, 6, 5}, 3},
                             {{10, 6, 5}, 2}}) {
    const std::vector<uint32_t>& radices = shared.first;
    const uint32_t cluster = shared.second;
    uint32_t n = 1;
    for (const uint32_t r : radices) n *= r;
    for (uint32_t crossing = 0; crossing + 1 < radices.size(); ++crossing) {
      for (const bool reversed : {false, true}) {
        RadixPlan plan = share_line(make_radices(n, radices, cluster * 4), cluster, static_cast<int>(crossing));
        const bool divides = radices[crossing] % cluster == 0 && radices[crossing + 1] % cluster == 0;
        ASSERT_EQ(!plan.stages.empty(), divides);
        if (!divides) continue;
        if (reversed) plan = plan.reversed();
        EXPECT_EQ(plan.n * cluster, n);
        EXPECT_EQ(plan.reversed().reversed().crossing, plan.crossing);
        // A butterfly's number in the line.
        const auto in_line = [&](const Stage& s, uint32_t b, uint32_t rank) {
          return (b / s.slice * cluster + rank) * s.slice + b % s.slice;
        };
        for (size_t s = 0; s + 1 < plan.stages.size(); ++s) {
          const Stage &from = plan.stages[s], &to = plan.stages[s + 1];
          // (workgroup, place) and the number's position in the line.
          std::set<std::tuple<uint32_t, uint32_t, uint32_t>> written, read;
          for (uint32_t rank = 0; rank < cluster; ++rank) {
            for (uint32_t b = 0; b < plan.butterflies(from); ++b) {
              for (uint32_t r = 0; r < from.radix; ++r) {
                const uint32_t span = plan.turn(from), number = in_line(from, b, rank), j = number % span;
                written.insert({rank, plan.output_place(s, b, r), (number - j) * from.radix + j + r * span});
              }
            }
            for (uint32_t b = 0; b < plan.butterflies(to); ++b) {
              for (uint32_t r = 0; r < to.radix; ++r) {
                const uint32_t number = in_line(to, b, rank),
                               from_rank = plan.crosses(s) ? r / (to.radix / cluster) : rank;
                const uint32_t shift =
                    plan.crosses(s) ? rank * to.slice : 0;  // places count from the first workgroup's
                read.insert({from_rank, plan.input_place(s + 1, b, r) + shift, number + r * (n / to.radix)});
              }
            }
          }
          EXPECT_EQ(written.size(), n);
          EXPECT_EQ(written, read) << "behind stage " << s << ", exchange " << crossing;
        }
      }
    }
  }
}

TEST(Cluster, LinesThatFitNoWorkgroup) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const auto cluster = [&](const Problem& p, const Limits& with) {
    const Program program = make_program(p, with);
    return program.passes.size() == 1 ? program.passes.front().layout.radices.cluster : 0;
  };
  EXPECT_EQ(cluster(lines(8192, 100), limits), 1u);
  EXPECT_EQ(cluster(lines(16384, 100), limits), 1u);
  EXPECT_EQ(cluster(lines(32768, 100), limits), 4u);
  EXPECT_EQ(cluster(lines(65536, 100), limits), 8u);
  EXPECT_EQ(cluster(lines(20000, 100), limits), 2u);
  EXPECT_EQ(cluster(lines(20000, 10000), limits), 1u);  // measured
  EXPECT_EQ(cluster(lines(24576, 100), limits), 4u);
  EXPECT_EQ(cluster(lines(32768, 100, -1, ir::Scalar::F64), limits), 8u);
  EXPECT_EQ(cluster(columns(32768, 100), limits), 0u);
  const Program program = make_program(lines(32768, 100), limits);
  const Layout& layout = program.passes.front().layout;
  EXPECT_EQ(program.passes.front().kernel->code.attributes.cluster_size[0], 4u);
  EXPECT_EQ(layout.group_count, 100u);
  EXPECT_EQ(layout.workgroups[0] * layout.workgroups[1], 400u);
  EXPECT_EQ(layout.workgroups[0] % 4, 0u);
  EXPECT_GE(std::min(layout.score.read_run, layout.score.written_run), 128u);
  Limits without = limits;
  without.cluster = 1;
  EXPECT_EQ(cluster(lines(32768, 100), without), 0u);
  // One line, and as many as fill the device.
  EXPECT_EQ(cluster(lines(65536, 1), limits), 0u);
  EXPECT_EQ(cluster(lines(65536, 16), limits), 0u);
  EXPECT_EQ(cluster(lines(65536, 17), limits), 8u);
  // A tuning that makes shared memory short asks for more passes.
  Limits small = limits;
  small.tuning = Tuning::parse("shared=2048");
  small.shared_bytes = 2048;
  EXPECT_EQ(cluster(lines(2048, 100), small), 0u);
}

// Measuring had compared ways of one workgroup alone, and taken the best of these.
TEST(Cluster, IsAmongWhatIsMeasured) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  Table table;
  const PlannedPass pass = make_plan(lines(32768, 100), limits, table).passes.front();
  ASSERT_EQ(pass.layout.radices.cluster, 4u);
  for (const size_t most : {size_t{4}, ~size_t{0}}) {
    const std::vector<Candidate> measured = best_candidates(pass.desc, limits, most, &pass.layout);
    EXPECT_EQ(measured.front().radices.cluster, 4u);
    EXPECT_EQ(measured.front().radices.text(), pass.layout.radices.text());
  }
  const std::vector<Candidate> all = best_candidates(pass.desc, limits, ~size_t{0}, &pass.layout);
  EXPECT_TRUE(std::ranges::any_of(all, [](const Candidate& one) { return one.radices.cluster == 1; }));
}

TEST(Cluster, Words) {
  const std::string words = "radices=16x16x16x8 line_threads=512 lines=1 cluster=4 crossing=1";
  const Candidate candidate = read_candidate(words, 32768);
  EXPECT_EQ(candidate.radices.n, 8192u);
  EXPECT_EQ(candidate.radices.registers, 16u);
  EXPECT_EQ(words_of(candidate), words);
  EXPECT_EQ(read_candidate("radices=16x16x16x8 line_threads=512 lines=1 cluster=4", 32768).radices.crossing, 1u);
  for (const char* wrong : {"radices=16x16x16x8 line_threads=512 lines=1 cluster=0",
                            "radices=16x16x16x8 line_threads=512 lines=1 cluster=9",
                            "radices=16x16x16x8 line_threads=512 lines=1 crossing=1",
                            "radices=16x16x16x8 line_threads=512 lines=1 cluster=4 crossing=3",
                            "radices=16x16x16x8 line_threads=512 lines=1 cluster=3"})
    EXPECT_THROW(read_candidate(wrong, 32768), Error) << wrong;
  EXPECT_EQ(Tuning::parse("cluster=8,crossing=1").cluster, 8u);
  EXPECT_EQ(Tuning::parse("cluster=8,crossing=1").crossing, 1);
  for (const char* wrong : {"cluster=0", "cluster=9", "cluster=x"}) EXPECT_THROW(Tuning::parse(wrong), Error) << wrong;
}

}  // namespace
}  // namespace vd::fft::test
