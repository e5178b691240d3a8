// Lines that the workgroups of a cluster share: which places are whose, and when the planner has them do so. What they
// compute, tests/api/fft_cluster_test.cpp compares on a device that has clusters.
#include "fft/cluster_plan.h"

#include <set>
#include <tuple>

#include "devices.h"
#include "fft/candidate.h"
#include "fft/candidate_words.h"
#include "fft/choice.h"
#include "fft/rating.h"
#include "fft/record.h"
#include "fft/spills.h"
#include "fft/transform.h"
#include "support.h"

namespace vd::fft::test {
namespace {

// Records of one choice, or several.
std::shared_ptr<const Records> recorded_choice(const std::string& lines) {
  auto all = std::make_shared<Records>(records(Limits{}));
  all->files.insert(all->files.begin(),
                    std::make_shared<const RecordFile>(
                        read_record_file("test", "vkdispatch fft records 1\ndevice NVIDIA H200\nfor any\n" + lines)));
  return all;
}

// A butterfly's number in the line.
uint32_t in_line(const RadixPlan& plan, const Stage& s, uint32_t b, uint32_t rank) {
  return (b / s.slice * plan.cluster + rank) * s.slice + b % s.slice;
}

// Behind each stage every place of a workgroup is written once and read once; between workgroups, what is read is the
// number that the line has there.
TEST(Cluster, EveryNumberIsWrittenAndReadOnce) {
  struct Shared {
    std::vector<uint32_t> radices;
    uint32_t cluster, axis;
  };
  for (const auto& [radices, cluster, axis] : {Shared{{8, 8}, 2, 0},
                                               {{4, 8, 4}, 4, 0},
                                               {{4, 4, 4, 4}, 2, 0},
                                               {{9, 6, 5}, 3, 0},
                                               {{10, 6, 5}, 2, 0},
                                               {{4, 4, 4, 4}, 4, 16},
                                               {{8, 4, 4, 6}, 2, 32},
                                               {{4, 4, 8}, 4, 16}}) {
    uint32_t n = 1;
    for (const uint32_t r : radices) n *= r;
    for (uint32_t crossing = 0; crossing + 1 < radices.size(); ++crossing) {
      for (const bool reversed : {false, true}) {
        RadixPlan plan = share_line(make_radices(n, radices, cluster * 4, ButterflyForm::Fused, axis), cluster,
                                    static_cast<int>(crossing));
        const bool divides = radices[crossing] % cluster == 0 && radices[crossing + 1] % cluster == 0;
        ASSERT_EQ(!plan.stages.empty(), divides);
        if (!divides) continue;
        if (reversed) plan = plan.reversed();
        EXPECT_EQ(plan.n * cluster, n);
        EXPECT_EQ(plan.reversed().reversed().crossing, plan.crossing);
        EXPECT_EQ(plan.reversed().reversed().axis, plan.axis);
        for (size_t s = 0; s + 1 < plan.stages.size(); ++s) {
          const Stage &from = plan.stages[s], &to = plan.stages[s + 1];
          // (workgroup, place) and the number's position in the line.
          std::set<std::tuple<uint32_t, uint32_t, uint32_t>> written, read;
          for (uint32_t rank = 0; rank < cluster; ++rank) {
            for (uint32_t b = 0; b < plan.butterflies(from); ++b) {
              for (uint32_t r = 0; r < from.radix; ++r) {
                const uint32_t span = plan.whole_span(from), number = in_line(plan, from, b, rank), j = number % span;
                written.insert({rank, plan.output_place(s, b, r), (number - j) * from.radix + j + r * span});
              }
            }
            for (uint32_t b = 0; b < plan.butterflies(to); ++b) {
              for (uint32_t r = 0; r < to.radix; ++r) {
                const uint32_t number = in_line(plan, to, b, rank),
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

// Neighbouring invocations read and write whole sectors of a plane, and no workgroup touches another's.
TEST(Cluster, PlanesMoveWholeSectors) {
  constexpr uint32_t kWarp = 32, kSectorNumbers = 4;
  struct Case {
    uint32_t rows, n;
    const char* words;
    uint32_t read, written;  // bytes of a run, which is in one row
  };
  for (const auto& [rows, n, words, read, written] :
       {Case{256, 256, "radices=16x16x16x16 line_threads=512 lines=1 cluster=8", 2048, 128},
        Case{256, 256, "radices=16x16x16x16 line_threads=512 lines=1 cluster=8 crossing=1", 256, 128},
        Case{256, 256, "radices=16x16x16x16 line_threads=1024 lines=1 cluster=4", 2048, 128},
        Case{512, 128, "radices=16x8x4x16x8 line_threads=512 lines=1 cluster=8", 1024, 128},
        Case{160, 160, "radices=10x16x16x10 line_threads=400 lines=1 cluster=8", 160, 128},
        Case{32, 64, "radices=8x4x8x8 line_threads=32 lines=1 cluster=2 crossing=0", 256, 64}}) {
    SCOPED_TRACE(words);
    const Candidate candidate = read_candidate(words, rows * n, rows);
    const RadixPlan& plan = candidate.radices;
    for (const bool outputs : {false, true}) {
      const Stage& stage = outputs ? plan.stages.back() : plan.stages.front();
      std::set<uint32_t> all;
      for (uint32_t rank = 0; rank < plan.cluster; ++rank) {
        std::set<uint32_t> of_workgroup;
        for (uint32_t slot = 0; slot < stage.rounds * stage.radix; ++slot) {
          for (uint32_t first = 0; first < plan.invocations; first += kWarp) {
            std::set<uint32_t> sectors;
            uint32_t numbers = 0;
            for (uint32_t t = first; t < std::min(first + kWarp, plan.invocations); ++t) {
              const uint32_t number = t + plan.invocations * (slot / stage.radix);
              if (number >= plan.butterflies(stage)) continue;
              const uint32_t at = in_line(plan, stage, stage.dealt(number), rank) +
                                  slot % stage.radix * plan.butterflies(stage) * plan.cluster;
              sectors.insert((outputs ? at % rows * n + at / rows : at) / kSectorNumbers);
              ++numbers;
            }
            EXPECT_EQ(sectors.size() * kSectorNumbers, numbers);
            of_workgroup.insert(sectors.begin(), sectors.end());
          }
        }
        EXPECT_EQ(of_workgroup.size() * kSectorNumbers, plan.n);
        all.insert(of_workgroup.begin(), of_workgroup.end());
      }
      EXPECT_EQ(all.size() * kSectorNumbers, rows * n);
    }
    Table table;
    Limits recorded = device_limits(h200(VD_BACKEND_CUDA), 0);
    recorded.records = recorded_choice(fmt::format("choice n={} rows={}: {}\n", rows * n, rows, words));
    const PlannedPass pass = make_plan(planes(rows, n, 300), recorded, table).passes.at(0);
    EXPECT_EQ(words_of(candidate), words_of(candidate_of(pass.layout)));
    EXPECT_EQ(pass.layout.score.read_run, read);
    EXPECT_EQ(pass.layout.score.written_run, written);
  }
}

// No rule shares planes: of those that were measured some are faster.
TEST(Cluster, PlanesAreSharedWhereThatIsAsked) {
  Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const auto problems_of = [](uint64_t rows, uint64_t n, const Limits& with) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 3;
    desc.shape[0] = 300, desc.shape[1] = rows, desc.shape[2] = n;
    desc.axis_count = 2;
    desc.axes[0] = 2, desc.axes[1] = 1;
    return read_transform(desc, with);
  };
  // The workgroups of a cluster, and 0 where the axes are problems of their own.
  const auto cluster = [&](uint64_t rows, uint64_t n, const Limits& with) -> uint32_t {
    const std::vector<Problem> problems = problems_of(rows, n, with);
    return problems.size() == 1 ? make_program(problems.front(), with).passes.at(0).layout.radices.cluster : 0;
  };
  EXPECT_EQ(cluster(256, 256, limits), 8u);  // measured
  EXPECT_EQ(cluster(150, 150, limits), 0u);
  EXPECT_EQ(cluster(160, 160, limits), 1u);
  Records none = records(limits);
  none.files.clear();
  limits.records = std::make_shared<const Records>(std::move(none));
  EXPECT_EQ(cluster(256, 256, limits), 0u);
  EXPECT_EQ(cluster(64, 64, limits), 1u);
  Limits tuned = limits;
  tuned.tuning = Tuning::parse("strategy=plane,cluster=8");
  for (const auto& [rows, n] : {std::pair{256, 256}, {128, 256}, {512, 128}, {160, 160}, {192, 192}, {64, 64}})
    EXPECT_EQ(cluster(rows, n, tuned), 8u) << rows << " by " << n;
  EXPECT_EQ(cluster(512, 512, tuned), 0u);  // 2 MiB
  Table table;
  const PassDesc pass = make_plan(problems_of(256, 256, tuned).front(), tuned, table).passes.at(0).desc;
  // The words of lines alone leave planes as they are.
  tuned.tuning = Tuning::parse("cluster=8");
  EXPECT_EQ(cluster(256, 256, tuned), 0u);
  EXPECT_EQ(cluster(64, 64, tuned), 1u);
  Limits recorded = limits;
  recorded.records = recorded_choice(
      "choice n=65536 rows=256 least_lines=300: radices=16x16x16x16 line_threads=512 lines=1 cluster=8 crossing=0\n"
      "choice n=4096 rows=64: radices=8x8x8x8 line_threads=128 lines=1 cluster=2\n"
      "choice n=65536 rows=512: radices=16x8x4x16x8 line_threads=512 lines=1 cluster=8 crossing=0\n");
  EXPECT_EQ(cluster(256, 256, recorded), 8u);
  EXPECT_EQ(cluster(64, 64, recorded), 2u);
  EXPECT_EQ(cluster(512, 128, recorded), 8u);
  EXPECT_EQ(cluster(128, 512, recorded), 0u);
  // A choice that measuring made.
  Limits measured = limits;
  measured.choices = std::make_shared<const Choices>(
      Choices{{{key_of(pass), read_candidate("radices=16x16x16x16 line_threads=1024 lines=1 cluster=4", 65536, 256)}}});
  EXPECT_EQ(cluster(256, 256, measured), 4u);
  recorded.cluster = 4;
  EXPECT_EQ(cluster(256, 256, recorded), 0u);
  recorded.cluster = 1;
  EXPECT_EQ(cluster(256, 256, recorded), 0u);
  EXPECT_EQ(cluster(64, 64, recorded), 1u);
}

TEST(Cluster, LinesThatFitNoWorkgroup) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const auto cluster = [&](const Problem& p, const Limits& with) {
    const Program program = make_program(p, with);
    return program.passes.size() == 1 ? program.passes.front().layout.radices.cluster : 0;
  };
  EXPECT_EQ(cluster(lines(8192, 100), limits), 1u);
  EXPECT_EQ(cluster(lines(16384, 100), limits), 1u);
  EXPECT_EQ(cluster(lines(32768, 100), limits), 8u);
  EXPECT_EQ(cluster(lines(32768, 10000), limits), 4u);
  EXPECT_EQ(cluster(lines(65536, 100), limits), 8u);
  EXPECT_EQ(cluster(lines(20000, 100), limits), 1u);
  EXPECT_EQ(cluster(lines(20000, 10000), limits), 1u);  // measured
  EXPECT_EQ(cluster(lines(24576, 100), limits), 8u);
  EXPECT_EQ(cluster(lines(32768, 100, -1, ir::Scalar::F64), limits), 8u);
  // Columns, where measuring chose so.
  EXPECT_EQ(cluster(columns(32768, 100), limits), 0u);
  Limits recorded = limits;
  recorded.records = recorded_choice(
      "choice n=32768 read_stride=100: radices=16x16x16x8 line_threads=256 lines=4 planar=1 cluster=8 crossing=1\n");
  EXPECT_EQ(cluster(columns(32768, 100), recorded), 8u);
  EXPECT_EQ(cluster(columns(32768, 104), recorded), 0u);
  const Program program = make_program(lines(32768, 100), limits);
  const Layout& layout = program.passes.front().layout;
  EXPECT_EQ(program.passes.front().kernel->code.attributes.cluster_size[0], 8u);
  EXPECT_EQ(layout.group_count, 100u);
  EXPECT_EQ(layout.workgroups[0] * layout.workgroups[1], 800u);
  EXPECT_EQ(layout.workgroups[0] % 8, 0u);
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

// Ways that were the fastest on an H200, or within 4 % of it (docs/performance.md).
TEST(Cluster, HasFewIdleLanes) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const auto way = [&](uint64_t n) {
    const Program program = make_program(lines(n, (uint64_t{1} << 27) / n), limits);
    const RadixPlan& radices = program.passes.front().layout.radices;
    return program.passes.size() > 1
               ? std::string("several passes")
               : fmt::format("{} by {} of {}", radices.text(), radices.invocations, radices.cluster);
  };
  EXPECT_EQ(way(17280), "24x24x30 by 720 of 1");
  EXPECT_EQ(way(18432), "32x24x24 by 768 of 1");
  EXPECT_EQ(way(22500), "30x30x25 by 450 of 2");
  EXPECT_EQ(way(24000), "32x30x25 by 480 of 2");
  EXPECT_EQ(way(27000), "30x30x30 by 450 of 2");
  EXPECT_EQ(way(27648), "32x32x27 by 512 of 2");
  EXPECT_EQ(way(28800), "32x30x30 by 480 of 2");
  EXPECT_EQ(way(20480), "32x32x20 by 640 of 1");
  EXPECT_EQ(way(24576), "16x16x8x12 by 96 of 8");
  EXPECT_EQ(way(28672), "16x16x16x7 by 224 of 4");
  EXPECT_EQ(way(49152), "16x16x16x12 by 192 of 8");
  EXPECT_EQ(way(61440), "16x16x16x15 by 256 of 8");
  // Records, against the estimate.
  EXPECT_EQ(way(32000), "20x20x10x8 by 800 of 2");
  EXPECT_EQ(way(40000), "20x20x10x10 by 500 of 2");
  // Estimated to be slower by a cluster.
  EXPECT_EQ(way(43200), "several passes");
  EXPECT_EQ(way(60000), "several passes");
}

// Radices that the workgroups divide stand beside each other, wherever their size puts them.
TEST(Cluster, RadicesAreChosenToBeShared) {
  const RadixPlan alone = choose_radices(24000, {32, 1024});
  EXPECT_TRUE(share_line(alone, 4).stages.empty()) << alone.text();
  const RadixPlan plan = choose_radices(24000, {24, 2048, ButterflyForm::Fused, kUsualRadix, 0, 4});
  EXPECT_EQ(share_line(plan, 4).cluster, 4u) << plan.text();
  EXPECT_EQ(plan.invocations % 4, 0u);
  EXPECT_TRUE(choose_radices(10000, {32, 4096, ButterflyForm::Fused, kUsualRadix, 0, 8}).stages.empty());
}

// Measuring had compared ways of one workgroup alone, and taken the best of these.
TEST(Cluster, IsAmongWhatIsMeasured) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  Table table;
  const PlannedPass pass = make_plan(lines(32768, 100), limits, table).passes.front();
  ASSERT_EQ(pass.layout.radices.cluster, 8u);
  for (const size_t most : {size_t{4}, ~size_t{0}}) {
    const std::vector<Candidate> measured = best_candidates(pass.desc, limits, most, &pass.layout);
    EXPECT_EQ(measured.front().radices.cluster, 8u);
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
