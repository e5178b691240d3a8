// Whole kernels: memory, control flow, barriers, atomics, subgroups, on workgroups of one strip and of several.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "core/log.h"
#include "support/log_receiver.h"
#include "unit/host/support.h"

namespace vd::host::test {
namespace {

using testing::Each;
using testing::ElementsAreArray;

// A kernel over a buffer of u32 "out" at the invocation's place; `body` may use %0 (global x) and %1 (the reference).
std::string over(const std::string& body, const std::string& declarations = "") {
  return "kernel \"k\" no_exec_bounds\nargument 0 buffer u32 \"out\"\n" + declarations +
         "{\n%0: u32 = index global_id, u32 0\n%1: storage u32 = index @0, %0\n" + body + "}\n";
}

class HostRun : public testing::TestWithParam<uint32_t> {
 protected:
  // Runs `text` over n elements in workgroups of the parameter's size and gives what it left.
  std::vector<uint32_t> run(const std::string& text, uint32_t n, uint32_t fill = 0) {
    Host host;
    auto module = host.module(text, {GetParam(), 1, 1});
    auto buffer = host.buffer(std::vector<uint32_t>(n, fill));
    host.run(*module, {(n + GetParam() - 1) / GetParam(), 1, 1}, {buffer.get()});
    return host.read<uint32_t>(*buffer);
  }
  template <class F>
  static std::vector<uint32_t> table(uint32_t n, F&& f) {
    std::vector<uint32_t> all(n);
    for (uint32_t i = 0; i < n; ++i) all[i] = f(i);
    return all;
  }
};

TEST_P(HostRun, AVariableOfManyUniformScalars) {
  std::string fields = "u32", values = "u32 0";
  for (int i = 1; i < 40; ++i) fields += ", u32", values += fmt::format(", u32 {}", i);
  const std::string text = "kernel \"k\" no_exec_bounds\nstruct 0 { " + fields +
                           " }\nargument 0 buffer u32 \"out\"\n{\n%0: u32 = index global_id, u32 0\n"
                           "%1: storage u32 = index @0, %0\n%2: struct0 = construct " +
                           values +
                           "\n%3: private struct0 = var %2\n%4: private u32 = member<38> %3\n"
                           "store %4, u32 3\n%6: private u32 = member<39> %3\n%7: u32 = load %6\n%8: u32 = load %4\n"
                           "%9: u32 = add %7, %8\nstore %1, %9\n}\n";
  EXPECT_THAT(run(text, 100, 3), Each(42u));
}

// It is zero where its declaration has not run, so what is computed from it differs too.
TEST_P(HostRun, AVariableThatIsUsedOutsideItsBlock) {
  EXPECT_EQ(run(R"(kernel "k" no_exec_bounds
argument 0 buffer u32 "out"
{
  %0: u32 = index global_id, u32 0
  %1: bool = lt %0, u32 32
  if %1 {
    %2: private u32 = var u32 5
  }
  %3: u32 = load %2
  %4: private u32 = var u32 1
  %5: u32 = index workgroup_id, u32 0
  %6: bool = lt %5, u32 1000
  if %6 {
    store %4, %3
  }
  %7: u32 = load %4
  %8: storage u32 = index @0, %0
  store %8, %7
}
)",
                100),
            table(100, [](uint32_t i) { return i < 32 ? 5u : 0u; }));
}

TEST(HostPrint, OneLineAnInvocationByItsFormat) {
  static std::vector<std::string> lines;
  lines.clear();
  vd::test::LogReceiver receiver([](const vd_log_message* message, void*) { lines.emplace_back(message->text); },
                                 nullptr, VD_LOG_INFO);
  {
    Host host;
    auto module = host.module(
        over("printf $\"%u: %5.2f|%-4d|%#lx%% %999u %.999f\", %0, f32 1.5, i32 -7, u64 255, u32 1, f64 1e308\n"),
        {2, 1, 1});
    auto buffer = host.buffer(std::vector<uint32_t>(2));
    host.run(*module, {1, 1, 1}, {buffer.get()});
  }
  receiver.remove();
  std::erase_if(lines, [](const std::string& line) { return line.find("0xff% ") == std::string::npos; });
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].substr(0, 27), "Shader: 1:  1.50|-7  |0xff%");
  EXPECT_EQ(lines[1].size(), 27 + 1 + 999 + 1 + 309 + 1 + 999u);
}

TEST_P(HostRun, StoresPastTheEndDoNothing) {
  EXPECT_THAT(run(over("store %1, %0\n"), 1000), ElementsAreArray(table(1000, [](uint32_t i) { return i; })));
}

TEST_P(HostRun, LoadsPastTheEndGiveZero) {
  const auto got =
      run(over("%2: u32 = add %0, u32 500\n%3: storage u32 = index @0, %2\n%4: u32 = load %3\n"
               "%5: u32 = add %4, u32 1\n%6: u32 = add %0, u32 3000000000\n%7: storage u32 = index @0, %6\n"
               "%8: u32 = load %7\n%9: u32 = add %5, %8\nstore %1, %9\n"),
          400, 7);
  EXPECT_THAT(got, Each(1u));
}

TEST_P(HostRun, NestedLoopsWithBreakAndContinueOfSomeLanes) {
  // sum = 0; for i in 0..9 { if i == x % 11 break; for j in 0..x % 5 { if j == i continue; if j + i > 9 return; sum +=
  // i*j } }
  const auto got = run(over(R"(%2: private u32 = var u32 0
%3: u32 = rem %0, u32 11
%4: u32 = rem %0, u32 5
%5: u32 = for u32 0, u32 9, u32 1 {
  %6: bool = eq %5, %3
  if %6 {
    break
  }
  %7: u32 = for u32 0, %4, u32 1 {
    %8: bool = eq %7, %5
    if %8 {
      continue
    }
    %9: u32 = add %5, %7
    %10: bool = gt %9, u32 9
    if %10 {
      store %1, u32 1000000
      return
    }
    %11: u32 = mul %5, %7
    %12: u32 = add %11, u32 1
    %13: u32 = load %2
    %14: u32 = add %13, %12
    store %2, %14
  }
}
%15: u32 = load %2
store %1, %15
)"),
                       700);
  EXPECT_THAT(got, ElementsAreArray(table(700, [](uint32_t x) -> uint32_t {
                uint32_t sum = 0;
                for (uint32_t i = 0; i < 9; ++i) {
                  if (i == x % 11) break;
                  for (uint32_t j = 0; j < x % 5; ++j) {
                    if (j == i) continue;
                    if (i + j > 9) return 1000000;
                    sum += i * j + 1;
                  }
                }
                return sum;
              })));
}

TEST_P(HostRun, WhileReadsItsConditionEachTurn) {
  // Collatz.
  const auto got = run(over(R"(%2: private u32 = var %0
%3: private u32 = var
while {
  %4: u32 = load %2
  %5: bool = gt %4, u32 1
} %5 {
  %6: u32 = load %2
  %7: u32 = and %6, u32 1
  %8: bool = eq %7, u32 0
  if %8 {
    %9: u32 = shr %6, u32 1
    store %2, %9
  } else {
    %10: u32 = mul %6, u32 3
    %11: u32 = add %10, u32 1
    store %2, %11
  }
  %12: u32 = load %3
  %13: u32 = add %12, u32 1
  store %3, %13
}
%14: u32 = load %3
store %1, %14
)"),
                       500);
  EXPECT_THAT(got, ElementsAreArray(table(500, [](uint32_t n) {
                uint32_t steps = 0;
                for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
                return steps;
              })));
}

TEST_P(HostRun, ALoopCountsDown) {
  const auto got = run(over(R"(%2: private i32 = var
%3: i32 = for i32 10, i32 0, i32 -3 {
  %4: i32 = load %2
  %5: i32 = mul %4, i32 10
  %6: i32 = add %5, %3
  store %2, %6
}
%7: i32 = load %2
%8: u32 = bitcast %7
store %1, %8
)"),
                       64);
  EXPECT_THAT(got, Each(((10u * 10 + 7) * 10 + 4) * 10 + 1));
}

TEST_P(HostRun, AVariableKeepsItsValueInLanesThatABranchLeavesOut) {
  const auto got = run(over(R"(%2: private u32 = var u32 5
%3: bool = lt %0, u32 33
if %3 {
  store %2, u32 6
}
%4: u32 = load %2
store %1, %4
)"),
                       100);
  EXPECT_THAT(got, ElementsAreArray(table(100, [](uint32_t i) { return i < 33 ? 6u : 5u; })));
}

TEST_P(HostRun, ALoadedVariableKeepsWhatItWas) {
  // t = v; v = v + 1; out = t * 10 + v
  const auto got = run(over(R"(%2: private u32 = var %0
%3: u32 = load %2
%4: u32 = add %3, u32 1
store %2, %4
%5: u32 = load %2
%6: u32 = mul %3, u32 10
%7: u32 = add %6, %5
store %1, %7
)"),
                       80);
  EXPECT_THAT(got, ElementsAreArray(table(80, [](uint32_t i) { return i * 10 + i + 1; })));
}

TEST_P(HostRun, ComponentsOfAVariableAreTakenWholeBeforeTheyChange) {
  const auto got = run(over(R"(%2: u32 = add %0, u32 100
%3: u32x2 = construct %0, %2
%4: private u32x2 = var %3
%5: u32x2 = load %4
%6: u32 = index %5, u32 0
%7: u32 = index %5, u32 1
%8: u32x2 = construct %7, %6
store %4, %8
%9: private u32 = index %4, u32 0
%10: u32 = load %9
store %1, %10
)"),
                       80);
  EXPECT_THAT(got, ElementsAreArray(table(80, [](uint32_t i) { return i + 100; })));
}

TEST_P(HostRun, PrivateArraysAreIndexedByLanes) {
  const auto got = run(over(R"(%2: private [u32 x 5] = var
%3: u32 = for u32 0, u32 5, u32 1 {
  %4: private u32 = index %2, %3
  %5: u32 = mul %3, %0
  store %4, %5
}
%6: u32 = rem %0, u32 7
%7: private u32 = index %2, %6
%8: u32 = load %7
store %1, %8
)"),
                       300);
  EXPECT_THAT(got, ElementsAreArray(table(300, [](uint32_t i) { return i % 7 < 5 ? i % 7 * i : 0; })));
}

TEST_P(HostRun, SharedMemoryReversesAWorkgroup) {
  const uint32_t size = GetParam();
  const auto got = run(over(R"(%2: u32 = mul %0, u32 3
%3: shared u32 = index #0, local_index
store %3, %2
barrier
%4: u32 = index workgroup_size, u32 0
%5: u32 = sub %4, local_index
%6: u32 = sub %5, u32 1
%7: shared u32 = index #0, %6
%8: u32 = load %7
store %1, %8
)",
                            "shared 0 u32 x 1024 \"tile\"\n"),
                       size * 3);
  EXPECT_THAT(
      got, ElementsAreArray(table(size * 3, [&](uint32_t i) { return (i / size * size + size - 1 - i % size) * 3; })));
}

TEST_P(HostRun, BarriersInUniformLoopsMakeATree) {
  const uint32_t size = GetParam();
  const auto got = run(over(R"(%2: shared u32 = index #0, local_index
store %2, %0
%3: private u32 = var u32 1
while {
  %4: u32 = load %3
  %5: u32 = index workgroup_size, u32 0
  %6: bool = lt %4, %5
} %6 {
  barrier
  %7: u32 = load %3
  %8: u32 = add local_index, %7
  %9: u32 = mul %7, u32 2
  %10: u32 = rem local_index, %9
  %11: bool = eq %10, u32 0
  %12: u32 = index workgroup_size, u32 0
  %13: bool = lt %8, %12
  %14: bool = land %11, %13
  if %14 {
    %15: shared u32 = index #0, %8
    %16: u32 = load %15
    %17: u32 = load %2
    %18: u32 = add %16, %17
    store %2, %18
  }
  store %3, %9
}
barrier
%19: shared u32 = index #0, u32 0
%20: u32 = load %19
store %1, %20
)",
                            "shared 0 u32 x 1024 \"sums\"\n"),
                       size * 2);
  const auto sum = [&](uint32_t g) { return size * (size - 1) / 2 + g * size * size; };
  EXPECT_THAT(got, ElementsAreArray(table(size * 2, [&](uint32_t i) { return sum(i / size); })));
}

TEST_P(HostRun, ValuesLiveAcrossBarriersInForLoopsAndBranches) {
  const uint32_t size = GetParam();
  // Each iteration rotates the workgroup's values by one; a branch that all invocations take holds a barrier, too.
  const auto got = run(over(R"(%2: private u32 = var %0
%3: u32 = mul %0, u32 1000
%4: u32 = index workgroup_size, u32 0
%5: u32 = add local_index, u32 1
%6: u32 = rem %5, %4
%7: u32 = for u32 0, u32 3, u32 1 {
  %8: shared u32 = index #0, local_index
  %9: u32 = load %2
  store %8, %9
  barrier
  %10: shared u32 = index #0, %6
  %11: u32 = load %10
  store %2, %11
  %12: bool = eq %7, u32 1
  if %12 {
    barrier
    %13: u32 = load %2
    %14: u32 = add %13, u32 100000
    store %2, %14
  } else {
    barrier
  }
}
%15: u32 = load %2
%16: u32 = sub %15, %3
%17: u32 = add %16, %3
store %1, %17
)",
                            "shared 0 u32 x 1024 \"tile\"\n"),
                       size * 2);
  EXPECT_THAT(got, ElementsAreArray(
                       table(size * 2, [&](uint32_t i) { return i / size * size + (i % size + 3) % size + 100000; })));
}

TEST_P(HostRun, LanesThatReturnedDoNotHoldUpABarrierOfTheOthers) {
  const uint32_t size = GetParam();
  const auto got = run(over(R"(%2: u32 = and local_index, u32 1
%3: bool = eq %2, u32 1
store %1, u32 1
if %3 {
  return
}
barrier
store %1, u32 2
)"),
                       size);
  EXPECT_THAT(got, ElementsAreArray(table(size, [](uint32_t i) { return i % 2 == 1 ? 1u : 2u; })));
}

TEST_P(HostRun, AtomicsCountEveryInvocation) {
  const uint32_t n = GetParam() * 50;
  const auto got = run(over(R"(%2: storage u32 = index @0, u32 0
%3: u32 = atomic_add %2, u32 1
%4: u32 = rem %0, u32 7
%5: u32 = add %4, u32 1
%6: storage u32 = index @0, %5
%7: u32 = atomic_max %6, %0
)"),
                       n);
  EXPECT_EQ(got[0], n);
  for (uint32_t k = 0; k < 7; ++k) EXPECT_EQ(got[k + 1], (n - 1) - (n - 1 - k) % 7);
}

TEST_P(HostRun, ConvergentKernelsAreGuardedByTheLaunchsSize) {
  Host host;
  const uint32_t size = GetParam();
  auto module = host.module(R"(kernel "guarded"
argument 0 buffer u32 "out"
shared 0 u32 x 1024 "tile"
{
  %0: u32 = index global_id, u32 0
  %1: shared u32 = index #0, local_index
  store %1, %0
  barrier
  %2: u32 = load %1
  %3: u32 = add %2, u32 1
  %4: storage u32 = index @0, %0
  store %4, %3
}
)",
                            {size, 1, 1});
  auto buffer = host.buffer(std::vector<uint32_t>(2 * size, 0));
  host.run(*module, {2, 1, 1}, {buffer.get()}, pack(size + 3, 1u, 1u));
  EXPECT_THAT(host.read<uint32_t>(*buffer),
              ElementsAreArray(table(2 * size, [&](uint32_t i) { return i < size + 3 ? i + 1 : 0; })));
}

TEST_P(HostRun, SubgroupsOf32Reduce) {
  const uint32_t size = GetParam();
  const auto got =
      run(over("%2: u32 = subgroup_add %0\n%3: bool = subgroup_elect\nif %3 {\nstore %1, %2\n}\n"), size * 2);
  for (uint32_t i = 0; i < got.size(); ++i) {
    const uint32_t local = i % size, first = i - local % 32, count = std::min(32u, size - local / 32 * 32);
    const uint32_t sum = count * first + count * (count - 1) / 2;
    ASSERT_EQ(got[i], local % 32 == 0 ? sum : 0) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, HostRun, testing::Values(1, 7, 16, 32, 64, 100, 128, 129, 256, 1000, 1024));

TEST(HostIds, AllThreeAxes) {
  Host host;
  const std::array<uint32_t, 3> size{5, 3, 20}, workgroups{2, 3, 2};
  auto module = host.module(R"(kernel "ids" no_exec_bounds
argument 0 buffer u32 "out"
{
  %0: u32 = index global_id, u32 0
  %1: u32 = index global_id, u32 1
  %2: u32 = index global_id, u32 2
  %3: u32 = mul %2, u32 9
  %4: u32 = add %3, %1
  %5: u32 = mul %4, u32 10
  %6: u32 = add %5, %0
  %7: storage u32 = index @0, %6
  %8: u32 = index workgroup_id, u32 2
  %9: u32 = index num_workgroups, u32 1
  %10: u32 = mul %8, u32 1000
  %11: u32 = add %10, local_index
  %12: u32 = mul %9, u32 100000
  %13: u32 = add %11, %12
  store %7, %13
}
)",
                            size);
  auto buffer = host.space(10 * 9 * 40 * 4);
  host.run(*module, workgroups, {buffer.get()});
  const auto got = host.read<uint32_t>(*buffer);
  for (uint32_t z = 0; z < 40; ++z) {
    for (uint32_t y = 0; y < 9; ++y) {
      for (uint32_t x = 0; x < 10; ++x) {
        const uint32_t local = x % 5 + 5 * (y % 3 + 3 * (z % 20));
        ASSERT_EQ(got[(z * 9 + y) * 10 + x], 300000 + z / 20 * 1000 + local);
      }
    }
  }
}

// Every width and kind of element, at indices that run, that repeat and that scatter.
TEST(HostMemory, ElementsOfEveryTypeAreMoved) {
  Host host;
  const char* types[] = {"u8",    "i16",   "u32",   "f32",   "f16",         "i64",         "f64",   "u8x3",
                         "f32x2", "f32x3", "f32x4", "f16x4", "complex_f32", "complex_f64", "u16x2", "i64x3"};
  const uint32_t sizes[] = {1, 2, 4, 4, 2, 8, 8, 3, 8, 12, 16, 8, 8, 16, 4, 24};
  for (size_t t = 0; t < std::size(types); ++t) {
    for (const char* index : {"%0", "u32 3", "%2", "%3", "%6", "%7"}) {
      const std::string text = fmt::format(R"(kernel "move" no_exec_bounds
argument 0 buffer {0} "in"
argument 1 buffer {0} "out"
{{
  %0: u32 = index global_id, u32 0
  %1: u32 = mul %0, u32 7
  %2: u32 = rem %1, u32 50
  %3: i32 = convert %2
  %4: i32 = sub i32 199, %3
  %5: u32 = xor %0, u32 8
  %6: u64 = convert %5
  %7: i32 = convert %4
  %8: storage {0} = index @0, {1}
  %9: {0} = load %8
  %10: storage {0} = index @1, %0
  store %10, %9
}}
)",
                                           types[t], index);
      auto module = host.module(text, {64, 1, 1});
      std::vector<uint8_t> data(200 * sizes[t]);
      for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 37 + i / 256);
      // Half numbers that are NaN need not keep their bits.
      if (std::string(types[t]).starts_with("f16")) {
        for (size_t i = 1; i < data.size(); i += 2) data[i] &= 0x3f;
      }
      auto in = host.buffer(data), out = host.space(data.size());
      host.run(*module, {4, 1, 1}, {in.get(), out.get()});
      const auto got = host.read<uint8_t>(*out);
      for (uint32_t i = 0; i < 200; ++i) {
        const uint32_t scattered = i * 7 % 50;
        const std::string which = index;
        const uint32_t from = which == "%0"      ? i
                              : which == "u32 3" ? 3
                              : which == "%6"    ? i ^ 8
                              : which == "%7"    ? 199 - scattered
                                                 : scattered;
        for (uint32_t b = 0; b < sizes[t]; ++b) {
          const uint8_t wanted = from < 200 ? data[from * sizes[t] + b] : 0;
          ASSERT_EQ(got[i * sizes[t] + b], wanted) << types[t] << " by " << index << " at " << i;
        }
      }
    }
  }
}

TEST(HostMemory, WideAccessesAndViews) {
  Host host;
  auto module = host.module(R"(kernel "wide" no_exec_bounds
argument 0 buffer f32 "in"
argument 1 buffer f32 "out"
{
  %0: u32 = index global_id, u32 0
  %1: u32 = mul %0, u32 4
  %2: storage f32 = index @0, %1
  %3: f32x4 = load<4> %2
  %4: f32x4 = add %3, f32x4 1
  %5: storage f32 = index @1, %1
  store<4> %5, %4
  %6: storage [u32] = view @1
  %7: storage u32 = index %6, %1
  %8: u32 = load %7
  %9: u32 = xor %8, u32 0x80000000
  store %7, %9
}
)",
                            {32, 1, 1});
  std::vector<float> data(4 * 96);
  std::iota(data.begin(), data.end(), 0.0f);
  auto in = host.buffer(data), out = host.space(data.size() * 4);
  host.run(*module, {4, 1, 1}, {in.get(), out.get()});
  const auto got = host.read<float>(*out);
  for (uint32_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], (i % 4 == 0 ? -1.0f : 1.0f) * (data[i] + 1));
}

TEST(HostMemory, ValuesTravelWithTheLaunch) {
  Host host;
  auto module = host.module(R"(kernel "values" no_exec_bounds
argument 0 constant f32 "scale"
argument 1 buffer f32 "out"
argument 2 variable u32x3 "v"
{
  %0: u32 = index global_id, u32 0
  %1: f32 = load @0
  %2: u32x3 = load @2
  %3: u32 = index %2, u32 2
  %4: u32 = add %3, %0
  %5: f32 = convert %4
  %6: f32 = mul %5, %1
  %7: storage f32 = index @1, %0
  store %7, %6
}
)",
                            {64, 1, 1});
  auto out = host.space(64 * 4);
  host.run(*module, {1, 1, 1}, {out.get()}, pack(0.5f, 1u, 2u, 30u));
  const auto got = host.read<float>(*out);
  for (uint32_t i = 0; i < 64; ++i) ASSERT_EQ(got[i], static_cast<float>(i + 30) * 0.5f);
}

// 5,000 ops, as an unrolled FFT has. bench/host_kernels.py shows how long one takes to build.
TEST(HostCompile, LongUnrolledKernels) {
  std::string text =
      "kernel \"long\" no_exec_bounds\nargument 0 buffer u32 \"data\"\n{\n%0: u32 = index global_id, u32 0\n"
      "%1: storage u32 = index @0, %0\n%2: u32 = load %1\n%3: u32 = add %2, u32 1\n";
  std::vector<uint32_t> expected(64);
  for (uint32_t lane = 0; lane < expected.size(); ++lane) {
    uint32_t a = lane, b = lane + 1;
    for (int i = 4; i < 5000; ++i) a = std::exchange(b, i % 3 == 0 ? b * a : b + a);
    expected[lane] = b;
  }
  for (int i = 4; i < 5000; ++i)
    text += fmt::format("%{}: u32 = {} %{}, %{}\n", i, i % 3 == 0 ? "mul" : "add", i - 1, i - 2);
  text += "store %1, %4999\n}\n";
  Host host;
  const auto module = host.module(text, {64, 1, 1});
  std::vector<uint32_t> ids(64);
  std::iota(ids.begin(), ids.end(), 0u);
  const auto buffer = host.buffer(ids);
  host.run(*module, {1, 1, 1}, {buffer.get()});
  EXPECT_EQ(host.read<uint32_t>(*buffer), expected);
}

}  // namespace
}  // namespace vd::host::test
