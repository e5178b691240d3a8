// The planner's choices among candidates, on devices as their drivers describe them.
#include "devices.h"
#include "fft/access.h"
#include "fft/candidate.h"
#include "fft/rating.h"
#include "fft/transform.h"
#include "fft/workgroups.h"
#include "support.h"
#include "support/samples.h"

namespace vd::fft::test {
namespace {

const std::vector<vd_backend> kBackends{VD_BACKEND_CUDA, VD_BACKEND_VULKAN};

std::vector<PlannedPass> passes(const Problem& p, const Limits& limits) {
  Table table;
  return make_plan(p, limits, table).passes;
}

constexpr uint64_t kAll = uint64_t{1} << 27;  // numbers of an array that fills the device

TEST(Score, NoLongLineSpillsOrMovesPartsOfSectors) {
  for (const vd_backend backend : kBackends) {
    const Limits limits = device_limits(h200(backend), 0);
    for (uint64_t n = 64; n <= uint64_t{1} << 28; n *= vd::test::kSanitized ? 64 : 2) {
      for (const uint64_t count : {std::max<uint64_t>(kAll / n, 1), uint64_t{1}}) {
        for (const PlannedPass& pass : passes(lines(n, count), limits)) {
          const Score& score = pass.layout.score;
          EXPECT_EQ(score.spilled, 0u) << n << " " << pass.desc.name;
          EXPECT_GE(std::min(score.read_run, score.written_run), kSector)
              << n << " times " << count << " " << pass.desc.name;
        }
      }
    }
  }
  // A workgroup of 1,024 invocations has 64 registers for each of them.
  Limits alone = device_limits(h200(VD_BACKEND_CUDA), 0);
  alone.cluster = 1;
  EXPECT_GT(passes(lines(32768, 4096), alone).size(), 1u);
}

TEST(Score, OneLineFillsTheDevice) {
  for (const vd_backend backend : kBackends) {
    const Limits limits = device_limits(h200(backend), 0);
    for (const PlannedPass& pass : passes(lines(1 << 16, 1), limits)) EXPECT_GE(pass.layout.group_count, 32u);
    for (const PlannedPass& pass : passes(lines(1 << 20, 1), limits)) EXPECT_GE(pass.layout.group_count, 128u);
    // Many lines have longer runs instead.
    EXPECT_GE(passes(lines(1 << 16, kAll >> 16), limits).front().layout.score.read_run, 128u);
  }
}

// Measured choices stay: where the model sees no more than what it may err by, the usual candidate is taken.
TEST(Score, KeepsWhatWasMeasured) {
  for (const vd_backend backend : kBackends) {
    const Limits limits = device_limits(h200(backend), 0);
    std::vector<Problem> measured;
    for (uint64_t n = 8; n <= (backend == VD_BACKEND_CUDA ? 8192 : 4096); n *= 2)
      measured.push_back(lines(n, kAll / n));
    for (const uint64_t n : {30, 60, 100, 125, 243, 360, 625, 720, 1155, 1920, 2187, 3125, 3600})
      measured.push_back(lines(n, kAll / n));
    // Vulkan's shared memory takes more columns of 1024 in parts: 3,252 GB/s instead of 2,848.
    for (uint64_t n = 64; n <= (backend == VD_BACKEND_CUDA ? 2048 : 512); n *= 2)
      measured.push_back(columns(n, n, kAll / n / n));
    for (const Problem& p : measured) {
      const std::vector<PlannedPass> plan = passes(p, limits);
      ASSERT_EQ(plan.size(), 1u);
      const Candidate usual = best_candidates(plan[0].desc, limits, 1).front();
      EXPECT_EQ(plan[0].layout.radices.text(), usual.radices.text()) << p.n;
      EXPECT_EQ(plan[0].layout.radices.invocations, usual.radices.invocations) << p.n;
    }
  }
}

// Three stages with a mixed radix, and the order and the number of invocations that were the fastest on an H200 or within
// 4 % of it (docs/performance.md); none of them is a record.
TEST(Score, RowsTakeMixedRadices) {
  const auto way = [](uint64_t n, vd_backend backend) {
    const std::vector<PlannedPass> plan = passes(lines(n, kAll / n), device_limits(h200(backend), 0));
    const Layout& layout = plan.front().layout;
    return plan.size() > 1 ? "several passes"
                           : fmt::format("{} by {}", layout.radices.text(), layout.radices.invocations);
  };
  const auto on_cuda = [&](uint64_t n) { return way(n, VD_BACKEND_CUDA); };
  EXPECT_EQ(on_cuda(6250), "25x25x10 by 250");
  EXPECT_EQ(on_cuda(7000), "25x28x10 by 280") << "the first stage reads whole sectors";
  EXPECT_EQ(on_cuda(7500), "25x12x25 by 313");
  EXPECT_EQ(on_cuda(9360), "24x26x15 by 390") << "no radix of 13 at the beginning";
  EXPECT_EQ(on_cuda(9000), "30x30x10 by 300");
  EXPECT_EQ(on_cuda(10000), "20x20x25 by 500");
  EXPECT_EQ(on_cuda(15000), "24x25x25 by 625");
  EXPECT_EQ(on_cuda(18000), "24x25x30 by 750");
  EXPECT_EQ(on_cuda(18432), "32x24x24 by 768");
  EXPECT_EQ(on_cuda(19200), "32x30x20 by 640");
  // Two workgroups of a multiprocessor, where the registers and the shared memory of two suffice.
  for (const uint64_t n : {6250, 7000, 7500, 9000, 9360}) {
    const Layout layout = passes(lines(n, kAll / n), device_limits(h200(VD_BACKEND_CUDA), 0)).front().layout;
    EXPECT_EQ(layout.min_workgroups, 2u) << n;
  }
  // In parts, where shared memory holds no whole line.
  EXPECT_EQ(way(18000, VD_BACKEND_VULKAN), "24x25x30 by 750");
  EXPECT_EQ(way(20000, VD_BACKEND_VULKAN), "32x25x25 by 800");
  EXPECT_EQ(way(27000, VD_BACKEND_VULKAN), "several passes");
  // Columns and powers of two stay as they were measured.
  for (const uint64_t n : {500, 1000, 1250}) {
    const std::vector<PlannedPass> plan = passes(columns(n, n, kAll / n / n), device_limits(h200(VD_BACKEND_CUDA), 0));
    EXPECT_FALSE(has_mixed_stage(plan.front().layout.radices)) << n;
  }
}

// A warp that is alone on its multiprocessor computes at a fourth of its rate, so 32 values of each invocation instead of
// 8 save no time, but make three times the code.
TEST(Score, FewLinesOfAThousandHaveTheKernelOfMany) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const Layout many = passes(lines(1024, kAll >> 10), limits).front().layout;
  for (const uint64_t count : {1, 16, 132, 264, 528}) {
    const Layout few = passes(lines(1024, count), limits).front().layout;
    EXPECT_EQ(few.radices.text(), many.radices.text()) << count;
    EXPECT_EQ(few.radices.invocations, many.radices.invocations) << count;
  }
}

TEST(Score, RunsOfColumnsOfAThousand) {
  const std::vector<PlannedPass> plan = passes(columns(1000, 1000, 134), device_limits(h200(VD_BACKEND_CUDA), 0));
  EXPECT_EQ(plan[0].layout.score.read_run, 128u);
  EXPECT_EQ(plan[0].layout.score.written_run, 128u);
  const std::string text = make_program(columns(1000, 1000, 134), device_limits(h200(VD_BACKEND_CUDA), 0)).text();
  EXPECT_NE(text.find(", runs of 128 bytes read and 128 written, 0 % of lanes idle, 128000 bytes in flight per "
                      "multiprocessor"),
            std::string::npos)
      << text;
  EXPECT_NE(make_program(lines(64, 3), Limits{}).text().find("bytes in flight per workgroup"), std::string::npos);
}

// Planes that were measured in one pass are in one, alone on a multiprocessor or not; others are where they do not fit.
TEST(Score, JoinsTwoAxes) {
  const auto joins = [](const std::vector<uint64_t>& shape, uint32_t axes, vd_fft_kind kind, vd_fft_flags flags,
                        vd_backend backend) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = static_cast<uint32_t>(shape.size());
    std::ranges::copy(shape, desc.shape);
    desc.axis_count = axes;
    for (uint32_t i = 0; i < axes; ++i) desc.axes[i] = static_cast<int32_t>(desc.rank - 1 - i);
    desc.kind = kind;
    desc.flags = flags;
    const std::vector<Problem> problems = read_transform(desc, device_limits(h200(backend), 0));
    return std::ranges::any_of(problems, [](const Problem& p) { return p.rows != 0; });
  };
  constexpr vd_fft_kind kComplex = VD_FFT_KIND_C2C, kReal = VD_FFT_KIND_R2C;
  for (const vd_backend backend : kBackends) {
    for (const uint64_t n : {64, 100, 128}) {
      EXPECT_TRUE(joins({kAll / n / n, n, n}, 2, kComplex, 0, backend)) << n;
      EXPECT_TRUE(joins({2 * kAll / n / n, n, n}, 2, kReal, 0, backend)) << n;
      EXPECT_TRUE(joins({kAll / n / n, n, n}, 2, kComplex, VD_FFT_CONVOLVE | VD_FFT_SHARED_FILTER, backend)) << n;
    }
    EXPECT_TRUE(joins({128, 128, 128}, 3, kComplex, 0, backend));
    EXPECT_EQ(joins({256, 256, 256}, 3, kComplex, 0, backend), backend == VD_BACKEND_CUDA);  // by a cluster
    // One workgroup would have all the work of many.
    EXPECT_FALSE(joins({4, 128, 128}, 2, kComplex, 0, backend));
  }
}

// Planes whose invocations hold 16 to 20 values leave room for a second workgroup, with which they were a third faster.
TEST(Score, TwoPlanesShareAMultiprocessor) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  for (const uint64_t n : {96, 100}) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 3;
    desc.shape[0] = kAll / n / n;
    desc.shape[1] = desc.shape[2] = n;
    desc.axis_count = 2;
    desc.axes[0] = 2;
    desc.axes[1] = 1;
    const std::vector<Problem> problems = read_transform(desc, limits);
    ASSERT_EQ(problems.size(), 1u) << n;
    EXPECT_EQ(passes(problems[0], limits).front().layout.min_workgroups, 2u) << n;
  }
}

// The same limits give the same plan, and a device of which too little is known gives the usual one.
TEST(Score, IsDeterministic) {
  const Limits limits = device_limits(h200(VD_BACKEND_VULKAN), 0);
  for (const uint64_t n : {1000, 4096, 65536, 1000000}) {
    EXPECT_EQ(make_program(lines(n, 3), limits).text(), make_program(lines(n, 3), limits).text());
  }
  Limits unknown = limits;
  unknown.multiprocessors = 0;
  const std::vector<PlannedPass> plan = passes(columns(1000, 1000, 134), unknown);
  EXPECT_EQ(plan[0].layout.score.time, 0);
  EXPECT_EQ(plan[0].layout.radices.invocations, usual_candidates(plan[0].desc, unknown).front().radices.invocations);
}

// Invocations that a group's last warp lacks idle, and so do those without a butterfly.
TEST(Score, CountsIdleLanes) {
  Layout layout;
  layout.radices = make_radices(64, {8, 8}, 8);
  layout.lines = 4;
  Line line;
  line.n = 64;
  line.batches = {{100, 64, 64, 0}};
  const PassDesc desc = one_pass(line);
  EXPECT_DOUBLE_EQ(score_of(desc, {}, layout).idle, 0);
  layout.lines = 3;
  EXPECT_DOUBLE_EQ(score_of(desc, {}, layout).idle, 0.25);
  layout.lines = 4;
  layout.radices = make_radices(64, {8, 8}, 16);
  EXPECT_DOUBLE_EQ(score_of(desc, {}, layout).idle, 0.5);
  EXPECT_EQ(score_of(desc, {}, layout).in_flight, 64u * 4 * 8);
}

}  // namespace
}  // namespace vd::fft::test
