// Long chirps, whose constants are left to the device, and lines that are none.
#include <gtest/gtest.h>

#include "ir/text.h"
#include "unit/fft/convolution.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

Limits limits_of_a_gpu() {
  Limits limits;
  limits.shared_bytes = 49152;
  limits.invocations = 1024;
  limits.workgroups = {0x7fffffff, 65535, 65535};
  limits.computes_chirps = true;
  return limits;
}

// The largest prime below 2^31: on a processor its constants take 100 GB and more.
TEST(Chirp, NearTheLongestLineThePlanHasFewConstantsOfItsOwn) {
  constexpr uint64_t kPrime = 2147483647;
  const Program program = make_program(lines(kPrime, 1), limits_of_a_gpu());
  ASSERT_EQ(program.constants->chirps.size(), 1u);
  const DeviceChirp& chirp = program.constants->chirps[0];
  EXPECT_EQ(chirp.n, kPrime);
  EXPECT_EQ(chirp.padded, uint64_t{1} << 32);
  uint64_t given = 0;
  for (const Constants::Part& part : program.constants->parts) given += part.bytes.size();
  EXPECT_LT(given, uint64_t{8} << 20);
  EXPECT_EQ(program.constants->size, given + 8 * chirp.count());
  EXPECT_LE(program.passes.size(), 8u);
  // Constants behind the chirp's are past what 32 bits count.
  const std::string text = ir::print_text(program.passes.front().kernel->code, 0);
  EXPECT_NE(text.find("u64"), std::string::npos) << text;
}

TEST(Chirp, ShortOnesAreComputedOnTheHost) {
  Limits limits = limits_of_a_gpu();
  EXPECT_TRUE(make_program(lines(10007, 1), limits).constants->chirps.empty());
  limits.tuning.host_chirp = 0;
  EXPECT_EQ(make_program(lines(10007, 1), limits).constants->chirps.size(), 1u);
  limits.computes_chirps = false;
  EXPECT_TRUE(make_program(lines(10007, 1), limits).constants->chirps.empty());
}

// Measured on an H200: 1.4 of the rate with 7680 (docs/performance.md).
TEST(Chirp, PrefersThePowerOfTwoToALengthALittleShorter) {
  Limits limits = limits_of_a_gpu();
  limits.shared_bytes = 227 << 10;
  limits.registers_total = 65536;
  limits.traits.bounds_registers = true;
  EXPECT_EQ(make_program(lines(3745, 1), limits).passes.front().desc.n, 8192u);
  EXPECT_EQ(make_program(lines(3343, 1), limits).passes.front().desc.n, 6912u);
}

TEST(Chirp, HasTheLengthThatIsAskedForWhereItIsLongEnough) {
  Host host;
  Limits limits = host.limits();
  limits.tuning.strategy = "chirp";
  const auto length = [&](uint32_t padded) {
    limits.tuning.padded = padded;
    return make_program(lines(61, 1), limits).passes.front().desc.n;
  };
  EXPECT_EQ(length(135), 135u);
  EXPECT_EQ(length(121), 121u);
  const uint64_t planned = length(0);
  EXPECT_GT(planned, 121u);
  EXPECT_EQ(length(120), planned);
  EXPECT_EQ(length(2 * 61 * 37), planned) << "no stage has the prime 61";
}

// Constants of every kind behind those of the device have their own places.
// A chirp takes the place of a filter's.
TEST(Chirp, IsNotAskedForAConvolution) {
  Host host;
  Limits limits = host.limits();
  limits.tuning.strategy = "chirp";
  for (const uint64_t n : {47, 94}) {
    expect_convolution(host, {.n = n}, limits);
    expect_convolution(host, {.n = n, .kernels = 2, .shared = true, .columns = true, .conjugate = true}, limits);
  }
}

TEST(Table, PartsOfTheDeviceLieBetweenOthers) {
  Table table;
  const auto ones = [](uint64_t) { return Root{1, 0}; };
  EXPECT_EQ(table.add("a", 3, ones), 0u);
  const DeviceChirp chirp = table.add_chirp(5, 9);
  EXPECT_EQ(chirp.first, 3u);
  EXPECT_EQ(table.add_chirp(5, 9).first, 3u);
  EXPECT_EQ(table.add("b", 2, ones), 17u);
  EXPECT_EQ(table.add("c", 1, ones), 19u);
  EXPECT_EQ(table.add("a", 3, ones), 0u);
  const Constants all = table.constants(ir::Scalar::F64);
  EXPECT_EQ(all.size, 20 * 16u);
  ASSERT_EQ(all.parts.size(), 2u);
  EXPECT_EQ(all.parts[0].bytes.size(), 3 * 16u);
  EXPECT_EQ(all.parts[1].offset, 17 * 16u);
  EXPECT_EQ(all.parts[1].bytes.size(), 3 * 16u);
}

}  // namespace
}  // namespace vd::fft::test
