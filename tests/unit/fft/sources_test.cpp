// Kernels of given lengths as source, for other compilers to look at: tests/kernels names the lengths and the folder.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/print.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

TEST(Lengths, ArePrinted) {
  const char* words = std::getenv("VD_FFT_LENGTHS");
  const char* folder = std::getenv("VD_FFT_SOURCES");
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
    int pass_number = 0;
    for (const Pass& pass : make_program(p, limits).passes) {
      const std::string cuda = codegen::print(pass.kernel->code, VD_LANGUAGE_CUDA).text;
      EXPECT_FALSE(cuda.empty());
      if (folder != nullptr) std::ofstream(fmt::format("{}/{}_{}.cu", folder, n, ++pass_number)) << cuda;
    }
  }
}

}  // namespace
}  // namespace vd::fft::test
