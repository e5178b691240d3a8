// Tiles that are read ahead: what they compute, where they are offered, and that nobody gets them unasked.
#include "fft/ahead.h"

#include "convolution.h"
#include "devices.h"
#include "fft/candidate_words.h"
#include "fft/rating.h"
#include "fft/transform.h"
#include "support.h"

namespace vd::fft::test {
namespace {

Limits ahead_limits(const Host& host, const char* words) {
  Limits limits = host.limits();
  limits.tuning = Tuning::parse(words);
  return limits;
}

// Passes whose tiles are read ahead.
size_t count_ahead(const Program& program) {
  return static_cast<size_t>(
      std::ranges::count_if(program.passes, [](const Pass& pass) { return pass.layout.ahead != 0; }));
}

void expect_ahead(Host& host, const Problem& p, const char* words) {
  SCOPED_TRACE(words);
  const Limits limits = ahead_limits(host, words);
  const Program program = make_program(p, limits);
  EXPECT_EQ(count_ahead(program), program.passes.size()) << program.text();
  EXPECT_NE(program.text().find("tiles read ahead by"), std::string::npos);
  expect_transform(host, p, limits);
}

// Compares every bit of what a problem writes by two words from the same data: tiles are read ahead by the second ones
// alone.
template <class T>
void expect_equal(Host& host, const Problem& p, std::initializer_list<const char*> both, const std::vector<T>& data,
                  size_t count) {
  std::vector<std::vector<float>> results;
  for (const char* words : both) {
    const Program program = make_program(p, ahead_limits(host, words));
    EXPECT_EQ(count_ahead(program), results.size()) << program.text();
    auto to = host.buffer(std::vector<float>(count)), from = host.buffer(data);
    host.run(program, {to.get(), from.get()});
    results.push_back(host.read<float>(*to));
  }
  EXPECT_NE(results[0][5], 0);
  EXPECT_EQ(results[0], results[1]);
}

// Counts of tiles that the workgroups do not divide, fewer tiles than workgroups, and one.
TEST(Ahead, Columns) {
  Host host;
  for (const char* words : {"ahead=1,groups=3", "ahead=1,groups=1", "ahead=1,groups=100", "ahead=1",
                            "ahead=1,groups=3,planar=1", "ahead=1,groups=2,lines=8,parts=2"}) {
    expect_ahead(host, columns(48, 20, 2), words);
    expect_ahead(host, columns(60, 67), words);
    expect_ahead(host, columns(64, 3), words);
    expect_ahead(host, columns(256, 37, 3, 1), words);
  }
  for (const uint64_t n : {36, 100, 210, 512, 1024}) expect_ahead(host, columns(n, 13, 2), "ahead=1,groups=4");
}

TEST(Ahead, Lines) {
  Host host;
  for (const uint64_t count : {1, 2, 7, 50}) {
    expect_ahead(host, lines(256, count), "ahead=1,groups=3");
    expect_ahead(host, lines(512, count, 1), "ahead=1,groups=2,lines=2");
  }
  // Further apart than they are long, behind others.
  Problem apart = lines(256, 11);
  apart.batches = {{11, 300, 300}};
  apart.in.offset = apart.out.offset = 17;
  apart.scale = 0.5;
  expect_ahead(host, apart, "ahead=1,groups=3");
  expect_transform<double>(host, lines(256, 5, -1, ir::Scalar::F64), ahead_limits(host, "ahead=1,groups=2"));
}

// The passes of a long line, whose last one reads rows and writes columns.
TEST(Ahead, LinesOfSeveralPasses) {
  Host host;
  for (const char* words :
       {"ahead=1,groups=3,factors=32x64,strategy=four_step", "ahead=1,groups=5,factors=16x8x16,strategy=four_step"}) {
    const Limits limits = ahead_limits(host, words);
    const Problem p = lines(2048, 3);
    const Program program = make_program(p, limits);
    EXPECT_GT(program.passes.size(), 1u);
    EXPECT_GT(count_ahead(program), 0u) << program.text();
    expect_transform(host, p, limits);
  }
}

TEST(Ahead, Convolutions) {
  Host host;
  const Limits limits = ahead_limits(host, "ahead=1,groups=3,staged_in=0,staged_out=0");
  for (const bool in_place : {false, true}) {
    for (const uint32_t kernels : {1u, 3u}) {
      if (in_place && kernels > 1) continue;
      for (const bool columns : {false, true}) {
        const Convolution c{.n = 128, .count = 19, .kernels = kernels, .columns = columns, .in_place = in_place};
        EXPECT_GT(count_ahead(make_program(problem_of(c), limits)), 0u);
        expect_convolution(host, c, limits);
      }
    }
  }
  expect_convolution(host, {.n = 128, .count = 19, .shared = true, .columns = true, .high = 77}, limits);
}

// Memory's numbers are copied as they are, and converted once they are read.
TEST(Ahead, OtherTypesInMemory) {
  Host host;
  std::vector<uint16_t> halves(2 * 256 * 7);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(0x3c00 + i * 37 % 0x400);  // 1 to 2
  Problem p = lines(256, 7);
  p.in.argument = 1;
  p.in.scalar = ir::Scalar::F16;
  p.in.low = 3, p.in.high = 250;
  p.inputs = {{"data", ir::Type::complex(ir::Scalar::F16)}};
  expect_equal(host, p, {"ahead=0", "ahead=1,groups=2,lines=1"}, halves, halves.size());
}

// Numbers past a line's end are zeros, which are not copied: the lines of a chirp's convolution.
TEST(Ahead, ZerosAreNotCopied) {
  Host host;
  const Limits limits = ahead_limits(host, "ahead=1,groups=3,strategy=chirp");
  for (const Problem& p : {lines(67, 10), columns(67, 21, 2), columns(97, 9, 1, 1)}) {
    const Program program = make_program(p, limits);
    ASSERT_EQ(count_ahead(program), 1u) << program.text();
    const Layout& layout = program.passes.front().layout;
    EXPECT_LT(layout.ahead, layout.radices.registers);
    expect_transform(host, p, limits);
  }
}

// Half spectra of which a range alone is other than zero: elements past the half are copied from within it.
TEST(Ahead, PartsOfHalfSpectra) {
  Host host;
  struct Range {
    uint64_t n, low, high;
  };
  for (const Range& range : {Range{128, 0, 9}, Range{128, 3, 64}, Range{128, 30, 65}, Range{105, 7, 20}}) {
    SCOPED_TRACE(fmt::format("{}: {} to {}", range.n, range.low, range.high));
    Problem p = real_lines(range.n, 7, true);
    p.in.argument = 1;
    p.inputs = {{"spectra", ir::Type::complex(ir::Scalar::F32)}};
    p.in.low = range.low;
    if (range.high <= range.n / 2) p.in.high = range.high;
    const uint64_t half = p.batches[0].in_stride;
    const std::vector<float> data = flat<float>(random_values(half * 7, 5));
    expect_equal(host, p, {"ahead=0,staged_in=0,staged_out=0", "ahead=1,groups=2,lines=1,staged_in=0,staged_out=0"},
                 data, 2 * half * 7);
  }
}

// Reals, and lines that a workgroup reads as a row, are read as ever.
TEST(Ahead, LinesThatAreNot) {
  Host host;
  const Limits limits = ahead_limits(host, "ahead=1,groups=3");
  EXPECT_EQ(count_ahead(make_program(real_lines(45, 20, false), limits)), 0u);
  for (const uint64_t n : {8, 16, 60}) EXPECT_EQ(count_ahead(make_program(lines(n, 20), limits)), 0u) << n;
  EXPECT_EQ(count_ahead(make_program(lines(1, 20), limits)), 0u);
  expect_transform(host, lines(8, 20), limits);
  expect_real_lines(host, 45, 20, limits);
  expect_real_lines(host, 128, 20, limits);
}

// An H200's columns, the convolution of 10007 and the middle pass of a plane's: their workgroups are alone on a
// multiprocessor, and so are those that read ahead.
TEST(Ahead, FitsWhereAWorkgroupIsAlone) {
  Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const uint64_t many = 1 << 14;
  Convolution plane{.n = 1024, .count = many, .shared = false, .columns = true};
  const Problem problems[] = {columns(1024, many), columns(2048, many), columns(4096, many), lines(10007, many),
                              problem_of(plane)};
  for (const Problem& p : problems) {
    EXPECT_EQ(count_ahead(make_program(p, limits)), 0u);
    limits.tuning = Tuning::parse("ahead=1,strategy=one_pass");
    const Program program = make_program(p, limits);
    EXPECT_EQ(count_ahead(program), program.passes.size()) << program.text();
    for (const Pass& pass : program.passes) {
      EXPECT_LE(pass.shared_size, limits.shared_bytes);
      EXPECT_EQ(pass.shared_size, pass.kernel->code.shared_size);
      EXPECT_EQ(pass.layout.workgroups[0] % limits.multiprocessors, 0u);
      EXPECT_LT(pass.layout.workgroups[0], pass.layout.group_count);
      EXPECT_EQ(pass.layout.min_workgroups, pass.layout.workgroups[0] / limits.multiprocessors);
    }
    limits.tuning = {};
  }
}

// No score chooses them, and measuring tries them where copies go on beside the computation.
TEST(Ahead, IsMeasuredOnly) {
  Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const auto tried = [&] {
    Table table;
    const PlannedPass pass = make_plan(columns(4096, 1 << 14), limits, table).passes.front();
    EXPECT_EQ(pass.layout.ahead, 0u);
    const std::vector<Candidate> all = best_candidates(pass.desc, limits, ~size_t{0}, &pass.layout);
    EXPECT_FALSE(all.front().ahead);
    return std::ranges::count_if(all, &Candidate::ahead);
  };
  limits.copies_ahead = false;
  EXPECT_EQ(tried(), 0);
  limits.copies_ahead = true;
  EXPECT_GT(tried(), 0);
}

TEST(Ahead, Words) {
  const std::string words = "radices=32x16x8 line_threads=128 lines=4 planar=1 parts=2 ahead=1";
  const Candidate candidate = read_candidate(words, 4096);
  EXPECT_TRUE(candidate.ahead);
  EXPECT_EQ(words_of(candidate), words);
  EXPECT_THROW(read_candidate("radices=8x8 line_threads=8 lines=2 ahead=2", 64), Error);
  EXPECT_EQ(Tuning::parse("ahead=1,groups=132").groups, 132u);
  EXPECT_EQ(Tuning::parse("ahead=1,groups=132").ahead, 1);
  EXPECT_THROW(Tuning::parse("ahead=x"), Error);
}

}  // namespace
}  // namespace vd::fft::test
