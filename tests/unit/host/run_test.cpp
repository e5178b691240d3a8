// Whole kernels: memory, control flow, barriers.
#include <gmock/gmock.h>

#include <numeric>

#include "unit/host/support.h"

namespace vd::host::test {
namespace {

using testing::ElementsAreArray;

TEST(HostRun, AddsOneToEachElement) {
  Host host;
  auto module = host.module(R"(kernel "add" no_exec_bounds
argument 0 buffer f32 "data"
{
  %0: u32 = index global_id, u32 0
  %1: storage f32 = index @0, %0
  %2: f32 = load %1
  %3: f32 = add %2, f32 1
  store %1, %3
}
)", {64, 1, 1});
  std::vector<float> data(1000);
  std::iota(data.begin(), data.end(), 0.0f);
  auto buffer = host.buffer(data);
  host.run(*module, {16, 1, 1}, {buffer.get()});  // 24 invocations too many: they do nothing
  for (float& x : data) x += 1;
  EXPECT_THAT(host.read<float>(*buffer), ElementsAreArray(data));
}

}  // namespace
}  // namespace vd::host::test
