// Kernels of given lengths as source, for other compilers to look at: tests/kernels names the lengths and the folder.
// The kernels of a described device say what its compiler makes of them, too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/print.h"
#include "fft/transform.h"
#include "unit/fft/devices.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

// One file for each pass.
void print_passes(const Problem& problem, const Limits& limits, const std::string& name) {
  const char* folder = std::getenv("VD_FFT_SOURCES");
  int number = 0;
  for (const Pass& pass : make_program(problem, limits).passes) {
    const std::string cuda = codegen::print(pass.kernel->code, VD_LANGUAGE_CUDA).text;
    EXPECT_FALSE(cuda.empty());
    if (folder != nullptr) std::ofstream(fmt::format("{}/{}_{}.cu", folder, name, ++number)) << cuda;
  }
}

TEST(Lengths, ArePrinted) {
  const char* words = std::getenv("VD_FFT_LENGTHS");
  std::istringstream lengths(words != nullptr ? words : "60 97");
  Limits limits;
  limits.invocations = 1024;
  limits.shared_bytes = 227 << 10;
  limits.traits.wide_addresses = limits.traits.bounds_registers = true;
  limits.shared_total = 228 << 10;
  limits.registers_total = 65536;
  limits.tuning = Tuning::read();
  int number = 0;
  for (uint64_t n = 0; lengths >> n; ++number) {
    // Rows and columns alternately.
    const Problem p = number % 2 == 0 ? lines(n, 100) : columns(n, 100);
    print_passes(p, limits, std::to_string(n));
  }
}

// Columns of planes, which one plane's spectrum multiplies.
Problem convolved_columns(uint64_t n, uint64_t count) {
  Problem p = columns(n, n, count);
  p.convolve = true;
  p.filter.argument = 1;
  p.filter.stride = n;
  p.batches[0].filter_stride = 1;
  p.filters = {{"kernel", ir::Type::complex(p.compute)}};
  return p;
}

Problem convolved_planes(uint64_t n, uint64_t count) {
  Problem p = planes(static_cast<uint32_t>(n), n, count);
  p.convolve = true;
  p.filter.argument = 1;
  p.filter.rows = {p.rows, n};
  p.filters = {{"kernel", ir::Type::complex(p.compute)}};
  return p;
}

// Rows of bench/fft on an H200: "l1024" are lines of 1024, "d1024" in double precision, "c1024" columns, "r1024" real lines, "k1024" the convolution of
// columns in the middle of a plane's, "p256" planes of 256 by 256 in one pass, "q256" their convolution; 1
// GiB of each.
TEST(Rows, ArePrinted) {
  const char* words = std::getenv("VD_FFT_ROWS");
  std::istringstream rows(words != nullptr ? words : "l64 c64 r64");
  const Limits limits = device_limits(h200(VD_BACKEND_CUDA), 0);
  for (std::string row; rows >> row;) {
    const uint64_t n = std::stoull(row.substr(1)), count = (uint64_t{1} << 27) / n;
    const Problem problem = row[0] == 'l'   ? lines(n, count)
                            : row[0] == 'd' ? lines(n, count / 2, -1, ir::Scalar::F64)
                            : row[0] == 'c' ? columns(n, n, std::max<uint64_t>(count / n, 1))
                            : row[0] == 'k' ? convolved_columns(n, std::max<uint64_t>(count / n, 1))
                            : row[0] == 'p' ? planes(static_cast<uint32_t>(n), n, count / n)
                            : row[0] == 'q' ? convolved_planes(n, count / n)
                                            : real_lines(n, 2 * count, false);
    print_passes(problem, limits, row);
  }
}

}  // namespace
}  // namespace vd::fft::test
