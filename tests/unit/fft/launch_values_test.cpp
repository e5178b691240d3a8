// Numbers that kernels get with each launch: which ones they are, their widths, and that passes which differ in them
// alone are the same code.
#include "fft/launch_values.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "devices.h"
#include "fft/transform.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

using What = LaunchNumber::What;

// The only pass of a problem.
Pass pass_of(const Problem& p, const Limits& limits = {}) {
  Program program = make_program(p, limits);
  EXPECT_EQ(program.passes.size(), 1u);
  return std::move(program.passes.front());
}
Hash128 code_of(const Problem& p, const Limits& limits = {}) { return pass_of(p, limits).kernel->hash; }

template <class T>
std::vector<T> values_of(const Pass& pass) {
  std::vector<T> values(pass.values.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), pass.values.data(), values.size() * sizeof(T));
  return values;
}

Problem apart(uint64_t n, uint64_t count, uint64_t pitch, uint64_t offset) {
  Problem p = lines(n, count);
  p.batches = {{count, pitch, pitch}};
  p.in.offset = p.out.offset = offset;
  return p;
}

// Workgroups of one line: nothing of the count is in the code.
Limits one_line() {
  Limits limits;
  limits.tuning.lines = 1;
  limits.workgroups[0] = 1 << 30;
  return limits;
}

TEST(LaunchValues, AreWhatTheCodeLacks) {
  EXPECT_TRUE(pass_of(lines(256, 7), one_line()).values.empty());
  Limits four;
  four.tuning.lines = 4;
  EXPECT_TRUE(pass_of(lines(256, 8), four).values.empty());
  EXPECT_EQ(values_of<uint32_t>(pass_of(lines(256, 7), four)), std::vector<uint32_t>{6});
  // In place a number serves both sides.
  EXPECT_EQ(values_of<uint32_t>(pass_of(apart(256, 7, 300, 5), four)), (std::vector<uint32_t>{6, 5, 300}));
}

TEST(LaunchValues, OfTwoBuffersAreApart) {
  Problem p = apart(256, 5, 300, 7);
  p.inputs = p.outputs;
  p.in.argument = 1;
  p.batches[0].out_stride = 256;
  p.out.offset = 9;
  EXPECT_EQ(values_of<uint32_t>(pass_of(p, one_line())), (std::vector<uint32_t>{7, 300, 9}));
}

TEST(LaunchValues, MakeNoOtherCode) {
  Limits four;
  four.tuning.lines = 4;
  std::set<Hash128> seen;
  for (const uint64_t count : {7, 9, 1001}) seen.insert(code_of(lines(256, count), four));
  EXPECT_EQ(seen.size(), 1u);
  for (const uint64_t count : {4, 8, 1000}) seen.insert(code_of(lines(256, count), four));
  EXPECT_EQ(seen.size(), 2u) << "that fill their workgroups";
  for (const uint64_t offset : {1, 6, 4000}) seen.insert(code_of(apart(256, 9, 256, offset), four));
  EXPECT_EQ(seen.size(), 3u) << "that begin behind their buffer's first element";
  for (const uint64_t pitch : {300, 555}) seen.insert(code_of(apart(256, 9, pitch, 0), four));
  EXPECT_EQ(seen.size(), 4u) << "with gaps";
}

// The outermost count of arrays of columns is the launch's, and not that of the columns.
TEST(LaunchValues, CountWhatIsOutermost) {
  EXPECT_EQ(code_of(columns(60, 24, 3)), code_of(columns(60, 24, 50)));
  EXPECT_NE(code_of(columns(60, 24, 3)), code_of(columns(60, 25, 3)));
}

TEST(LaunchValues, AreThoseOfEachPass) {
  const Program few = make_program(lines(1 << 15, 3), Limits{}), many = make_program(lines(1 << 15, 50), Limits{});
  ASSERT_EQ(few.passes.size(), many.passes.size());
  ASSERT_GT(few.passes.size(), 1u);
  for (size_t i = 0; i < few.passes.size(); ++i)
    EXPECT_EQ(few.passes[i].kernel->hash, many.passes[i].kernel->hash) << i;
}

// More workgroups than a device takes along an axis.
TEST(LaunchValues, OfWorkgroupsInRowsAndPlanes) {
  Host host;
  Limits limits = host.limits();
  limits.workgroups = {7, 5, 30};
  limits.tuning.lines = 2;
  std::set<Hash128> seen;
  for (const uint64_t count : {2 * 7 * 5 * 3, 2 * 7 * 5 * 4, 2 * 7 * 5 * 29}) {
    expect_transform(host, lines(12, count), limits);
    seen.insert(code_of(lines(12, count), limits));
  }
  EXPECT_EQ(seen.size(), 1u);
  for (const uint64_t count : {2 * 71 - 1, 2 * 113 - 1}) {
    expect_transform(host, lines(12, count), limits);
    const Pass pass = pass_of(lines(12, count), limits);
    EXPECT_GT(pass.layout.workgroups[2], 1u);
    seen.insert(pass.kernel->hash);
  }
  EXPECT_LE(seen.size(), 3u);
}

// Numbers past 2^32, which no test has the memory for: the arguments' types, and the bytes that a launch gives.
TEST(LaunchValues, OfManyElements) {
  constexpr uint64_t kPitch = (uint64_t{1} << 33) + 3, kOffset = (uint64_t{1} << 40) + 5;
  const Pass far = pass_of(apart(256, 100, kPitch, kOffset), one_line());
  EXPECT_EQ(values_of<uint64_t>(far), (std::vector<uint64_t>{kOffset, kPitch}));
  for (const ir::Argument& argument : far.kernel->code.arguments) {
    if (argument.kind == VD_ARGUMENT_CONSTANT) {
      EXPECT_EQ(argument.type, ir::kU64) << argument.name;
    }
  }
  // Numbers of 32 bits whose products are longer.
  const Pass wide = pass_of(apart(256, 1 << 20, 1 << 20, 7), one_line());
  EXPECT_EQ(values_of<uint32_t>(wide), (std::vector<uint32_t>{7, 1 << 20}));
  for (const Access& access : accesses(wide.desc)) EXPECT_TRUE(is_wide(wide.desc, wide.layout, access));
  const Pass narrow = pass_of(apart(256, 1 << 10, 1 << 20, 7), one_line());
  for (const Access& access : accesses(narrow.desc)) EXPECT_FALSE(is_wide(narrow.desc, narrow.layout, access));
  EXPECT_NE(wide.kernel->hash, narrow.kernel->hash);
}

// Results of several filters lie one behind the other, as far apart as all lines are long.
TEST(LaunchValues, OfSeveralFilters) {
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  const auto types = [&](uint64_t count) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 2;
    desc.shape[0] = count, desc.shape[1] = 256;
    desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE;
    desc.filter_count = 3;
    std::vector<ir::Type> found;
    const Program program = make_program(read_transform(desc, limits).front(), limits);
    for (const ir::Argument& argument : program.passes.front().kernel->code.arguments)
      if (argument.name == "copy_stride") found.push_back(argument.type);
    return found;
  };
  EXPECT_EQ(types(1000), std::vector<ir::Type>(2, ir::kU32));  // of the filters, and of the results
  EXPECT_EQ(types(uint64_t{1} << 24), std::vector<ir::Type>(2, ir::kU64));
}

// A long number behind a short one of a map's begins at a multiple of its size.
TEST(LaunchValues, AreAlignedBehindAMapsOwn) {
  Problem p = apart(64, 10, uint64_t{1} << 33, 0);
  p.outputs.clear();
  p.maps.input = p.maps.output = p.applied.input = p.applied.output = true;
  ProgramWriter writer(p, one_line(), [](const vd_builder_desc& d) { return make_ref<ir::Builder>(d); });
  Value buffer = 0;
  for (Element e; writer.next(e);) {
    ir::Builder& b = writer.builder();
    if (e.point == Point::Arguments) {
      buffer = b.argument(VD_ARGUMENT_BUFFER, ir::Type::complex(ir::Scalar::F32), "mapped");
      if (e.part == 0) b.argument(VD_ARGUMENT_CONSTANT, ir::kU32, "given");
    } else if (e.point == Point::Read) {
      writer.generator().read(e, buffer, 0, e.value);
    } else {
      writer.generator().write(e, buffer, 0, e.value);
    }
  }
  const Program program = writer.finish();
  const Pass& pass = program.passes.front();
  EXPECT_EQ(pass.launch.given, 4u);
  EXPECT_EQ(values_of<uint64_t>(pass).size(), pass.values.size() / 8);
  EXPECT_EQ(pass.kernel->code.values.user_size, 8 + pass.values.size());
}

}  // namespace
}  // namespace vd::fft::test
