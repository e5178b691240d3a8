// The sectors of 32 bytes, the least that a GPU's memory moves, which each workgroup of a pass touches: as the host
// device counts them. Added up they are about as many as the pass has, so no two workgroups share many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/host/memory.h"
#include "devices.h"
#include "fft/transform.h"
#include "unit/fft/convolution.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

// Sums of the workgroups, of the fewest that a pass has; and the least that they can be.
struct SectorUse {
  std::string pass;
  double read = 0, written = 0;
  double least_read = 1, least_written = 1;
};

double least_use(const Pass& pass) {
  constexpr double kNumbers = kSector / 8;
  const double lines = pass.layout.lines;
  // The numbers 0 to 3 are a sector, and their mirror images -3 to 0 are in two. So of the two runs that a workgroup has,
  // one of each half of its lines, one ends in a sector that another workgroup has, too.
  if (demands(pass.desc).mirrored) return 1 + kNumbers / lines;
  // Long columns with a convolution in them may leave a workgroup room for two: a chirp is two to four times as long on
  // chip, and a prime's stages take many invocations.
  const bool convolves = demands(pass.desc).back || pass.layout.radices.convolves();
  return convolves && reads_columns(pass.desc) && lines == kNumbers / 2 ? 2 : 1;
}

std::vector<SectorUse> sector_use(Host& host, const Problem& p, const Limits& limits) {
  uint64_t size = 2 * p.n + 2;
  for (const Batch& b : p.batches) size *= b.count;
  size *= std::max(p.rows, 1u);
  std::vector<std::unique_ptr<backends::Memory>> buffers;
  std::vector<backends::Memory*> bound;
  for (size_t i = 0; i < p.outputs.size() + p.inputs.size() + p.filters.size(); ++i) {
    buffers.push_back(host.buffer(std::vector<float>(2 * size * p.instances)));
    bound.push_back(buffers.back().get());
  }
  std::vector<SectorUse> all;
  const auto of = [](backends::Memory* memory) { return static_cast<host::Memory*>(memory); };
  host.run(
      make_program(p, limits), bound,
      [&](const Pass&, const std::vector<backends::Memory*>& touched) {
        for (backends::Memory* memory : touched) of(memory)->watch();
      },
      [&](const Pass& pass, const std::vector<backends::Memory*>& touched) {
        host::Memory::Touched::Sectors read, written;
        const auto add = [](host::Memory::Touched::Sectors& sum, const host::Memory::Touched::Sectors& one) {
          sum.distinct += one.distinct;
          sum.by_workgroups += one.by_workgroups;
        };
        for (backends::Memory* memory : touched) {
          add(read, of(memory)->touched().read_sectors);
          add(written, of(memory)->touched().written_sectors);
        }
        const auto ratio = [](const host::Memory::Touched::Sectors& s) {
          return static_cast<double>(s.by_workgroups) / static_cast<double>(s.distinct);
        };
        const double least = least_use(pass);
        all.push_back({pass.desc.name, ratio(read), ratio(written), reads_columns(pass.desc) ? least : 1, least});
      });
  return all;
}

// Packed arrays whose lines begin at whole sectors.
constexpr double kMost = 1.05;

class Sectors : public testing::Test {
 protected:
  Sectors() : host_(VD_CONTEXT_CHECKED) {}

  Limits limits(uint32_t shared_bytes = 0) const {
    Limits limits = host_.limits();
    if (shared_bytes != 0) limits.shared_bytes = shared_bytes;
    return limits;
  }
  void expect(const Problem& p, const Limits& limits, double most = kMost) {
    for (const SectorUse& use : sector_use(host_, p, limits)) {
      EXPECT_LE(use.read, most * use.least_read) << p.n << " " << use.pass << "\n" << make_program(p, limits).text();
      EXPECT_LE(use.written, most * use.least_written) << p.n << " " << use.pass << "\n"
                                                       << make_program(p, limits).text();
    }
  }

  Host host_;
};

TEST_F(Sectors, OfLinesAndColumns) {
  for (const uint64_t n : {4, 8, 12, 16, 20, 32, 44, 60, 100, 256, 600, 1000, 1024, 2048}) {
    expect(lines(n, 64), limits());
    expect(columns(n, 64), limits());
    expect(lines(n, 64, -1, ir::Scalar::F64), limits());
  }
  // Chirps, whose lines are padded on chip.
  for (const uint64_t n : {148, 1004}) {
    expect(lines(n, 64), limits());
    expect(columns(n, 64), limits());
  }
}

TEST_F(Sectors, OfLinesInSeveralPasses) {
  for (const uint64_t n : {4096, 10000, 46656, 65536}) expect(lines(n, 3), limits(8192));
  for (const uint64_t n : {4096, 10000}) {
    expect(lines(n, 3), limits(2048));
    expect(columns(n, 16), limits(8192));
  }
}

TEST_F(Sectors, OfRealLines) {
  for (const bool back : {false, true}) {
    for (const uint64_t n : {16, 64, 256, 1000, 1024, 2048}) expect(real_lines(n, 64, back), limits());
    // Rows without gaps, of which a workgroup has enough for whole sectors.
    for (const uint64_t n : {9, 16, 27, 64, 75, 100, 128}) {
      Problem p = real_lines(n, 64, back);
      const uint64_t half = n / 2 + 1;
      p.batches = {{64, back ? half : 2 * half, back ? 2 * half : half}};
      expect(p, limits());
    }
    for (const uint32_t bytes : {2048, 8192, 16384, 32768}) expect(real_lines(16384, 3, back), limits(bytes));
  }
}

TEST_F(Sectors, OfConvolutions) {
  for (const uint64_t n : {60, 256, 1024}) {
    expect(problem_of({.n = n, .count = 64}), limits());
    expect(problem_of({.n = n, .count = 64, .kernels = 2, .columns = true}), limits());
  }
  expect(problem_of({.n = 4096}), limits(8192));
}

// Neighbouring invocations write whole sectors of a row, although a transform leaves columns.
TEST_F(Sectors, OfTwoAxesInOnePass) {
  for (const uint64_t n : {8, 12, 16, 20, 32, 60, 64}) {
    Problem p = planes(24, n, 3);
    expect(p, limits());
    const Score score = make_program(p, limits()).passes[0].layout.score;
    EXPECT_GE(score.read_run, kSector) << n;
    EXPECT_GE(score.written_run, kSector) << n;
    p.in.stride = p.out.stride = 2;
    p.in.rows = p.out.rows = {24, 2 * n};
    p.batches = {{3, 48 * n, 48 * n}};
    EXPECT_LT(make_program(p, limits()).passes[0].layout.score.written_run, kSector) << n;
  }
}

// One multiprocessor of an H200, which few lines fill: they have the plans that many have on all of them. Of few lines for
// a whole device each workgroup has as few as one, so that no multiprocessor is idle, and columns share sectors.
TEST_F(Sectors, OfLengthsBySeedOnAnH200) {
  constexpr uint64_t kCount = 40;
  std::mt19937 random(test_seed());
  for (const vd_backend backend : {VD_BACKEND_CUDA, VD_BACKEND_VULKAN}) {
    Limits limits = device_limits(h200(backend), 0);
    limits.multiprocessors = 1;
    limits.cluster = 0;  // the host has none
    for (size_t i = vd::test::samples(10, 100); i != 0; --i) {
      const uint64_t n = 2 + random() % 2099;
      expect(lines(n, kCount), limits);
      expect(columns(n, kCount), limits);
      expect(real_lines(n, kCount, false), limits);
      expect(real_lines(n, kCount, true), limits);
      expect(problem_of({.n = n, .count = kCount}), limits);
    }
    for (size_t i = vd::test::samples(2, 20); i != 0; --i) {
      // Whole sectors are a line's, and a factor's.
      uint64_t n = 0;
      while (n == 0 || !is_smooth(n)) n = (1 + random() % 30) << 12;
      expect(lines(n, 2), limits);
      expect(real_lines(2 * n, 2, false), limits);
      expect(real_lines(2 * n, 2, true), limits);
    }
  }
}

// Arrays of other lengths: each run of 32 bytes is in two sectors at most. Workspaces are aligned.
TEST_F(Sectors, OfArraysThatAreNotAligned) {
  for (const uint64_t n : {15015, 6561}) EXPECT_LE(sector_use(host_, lines(n, 3), limits(8192)).front().written, 1.15);
  for (const uint64_t n : {15015, 6561}) expect(lines(n, 3), limits(8192), 2);
  for (const uint64_t n : {17, 81, 625}) expect(columns(n, 33), limits(), 2);
}

// A workgroup that writes one row as a column touches a sector for each number; three others touch it, too.
TEST_F(Sectors, AreFoundToBeShared) {
  Limits limits = this->limits(8192);
  limits.tuning = Tuning::parse("lines=1,turned=0");
  for (const uint64_t n : {4096, 46656}) EXPECT_GT(sector_use(host_, lines(n, 2), limits).back().written, 3.9) << n;
}

}  // namespace
}  // namespace vd::fft::test
