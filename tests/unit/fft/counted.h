// Programs on a device that counts the bytes that each pass accesses.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "backends/host/memory.h"
#include "unit/fft/support.h"

namespace vd::fft::test {

// Runs a program on a device that counts the accesses of kernels. It also finds accesses outside of buffers, reads of
// unwritten memory, and races.
inline void expect_traffic(Host& host, const Problem& p, const Limits& limits, std::vector<backends::Memory*> buffers) {
  const Program program = make_program(p, limits);
  SCOPED_TRACE(program.text());
  const auto of = [](backends::Memory* memory) { return static_cast<host::Memory*>(memory); };
  uint64_t read = 0, written = 0;
  size_t passes = 0;
  host.run(
      program, std::move(buffers),
      [&](const Pass&, const std::vector<backends::Memory*>& all) {
        for (backends::Memory* memory : all) of(memory)->watch();
      },
      [&](const Pass& pass, const std::vector<backends::Memory*>& all) {
        host::Memory::Touched sum;
        for (backends::Memory* memory : all) {
          sum.read += of(memory)->touched().read;
          sum.written += of(memory)->touched().written;
        }
        EXPECT_EQ(sum.read, traffic(pass.desc).read) << pass.desc.name;
        EXPECT_EQ(sum.written, traffic(pass.desc).written) << pass.desc.name;
        read += sum.read, written += sum.written;
        ++passes;
      });
  EXPECT_THAT(program.text(), testing::HasSubstr(fmt::format("reads {} and writes {} bytes\n", read, written)));
  const std::string text = program.text();
  size_t said = 0;
  for (size_t at = 0; (at = text.find(" of lanes idle", at)) != std::string::npos; ++at) ++said;
  EXPECT_EQ(said, passes);
}

}  // namespace vd::fft::test
