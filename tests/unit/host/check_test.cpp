// Faults that a checked context finds, each with a correct kernel that is left alone; and faults that end any kernel.
#include <gmock/gmock.h>

#include <chrono>

#include "backends/host/run.h"
#include "unit/host/support.h"

namespace vd::host::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

backends::DeviceOptions checked() {
  backends::DeviceOptions options;
  options.flags = VD_CONTEXT_CHECKED;
  return options;
}

// A kernel over a buffer "data"; %0 is the global x, %1 its element.
std::string kernel(const std::string& body) {
  return "kernel \"careful\" no_exec_bounds\nargument 0 buffer u32 \"data\"\nargument 1 buffer u32 \"other\"\n"
         "shared 0 u32 x 64 \"tile\"\n{\n%0: u32 = index global_id, u32 0\n%1: storage u32 = index @0, %0\n" +
         body + "}\n";
}

class HostCheck : public testing::Test {
 protected:
  // Runs over 64 elements a workgroup; both buffers have been written.
  Error failure(const std::string& body, std::array<uint32_t, 3> workgroup_size = {64, 1, 1}, uint32_t workgroups = 1) {
    return error_of([&] { run(body, workgroup_size, workgroups); });
  }
  void run(const std::string& body, std::array<uint32_t, 3> workgroup_size = {64, 1, 1}, uint32_t workgroups = 1) {
    auto module = host_.module(kernel(body), workgroup_size);
    auto data = host_.buffer(std::vector<uint32_t>(64 * workgroups, 1)),
         other = host_.buffer(std::vector<uint32_t>(64, 2));
    host_.run(*module, {workgroups, 1, 1}, {data.get(), other.get()});
  }
  Host host_{checked()};
};

TEST_F(HostCheck, AnIndexPastTheEndOfABuffer) {
  run("store %1, u32 1\n");
  const Error e = failure(R"(%2: u32 = add %0, u32 60 at "blur.py":12 "blur"
%3: storage u32 = index @1, %2 at "blur.py":13 "blur"
%4: u32 = load %3 at "blur.py":14 "blur"
store %1, %4
)");
  EXPECT_EQ(e.status(), VD_ERR_KERNEL);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("kernel \"careful\" at blur.py:13 in blur"), HasSubstr("index (64)"),
                              HasSubstr("buffer \"other\" (argument 1) (64 elements)"),
                              HasSubstr("invocation (4, 0, 0) of workgroup (0, 0, 0)")));
}

TEST_F(HostCheck, ANegativeIndex) {
  EXPECT_THAT(
      failure("%2: i32 = convert %0\n%3: i32 = sub %2, i32 1\n%4: storage u32 = index @1, %3\nstore %4, %0\n").what(),
      HasSubstr("index (-1) is past the end of buffer \"other\""));
}

TEST_F(HostCheck, AConstantIndex) {
  EXPECT_THAT(failure("%2: storage u32 = index @1, u32 64\nstore %2, u32 1\n").what(), HasSubstr("index (64)"));
}

TEST_F(HostCheck, AnIndexPastTheEndOfASharedArray) {
  run("%2: shared u32 = index #0, %0\nstore %2, u32 1\n");
  EXPECT_THAT(failure("%2: u32 = mul %0, u32 2\n%3: shared u32 = index #0, %2\nstore %3, u32 1\n").what(),
              AllOf(HasSubstr("index (64)"), HasSubstr("shared array \"tile\" (64 elements)")));
}

TEST_F(HostCheck, AnIndexPastTheEndOfAPrivateArray) {
  const char* body =
      "%2: private [u32 x 8] = var\n%3: u32 = rem %0, u32 {}\n%4: private u32 = index %2, %3\nstore %4, %0\n"
      "%5: u32 = rem %0, u32 7\n%6: private u32 = index %2, %5\n%7: u32 = load %6\nstore %1, %7\n";
  run(fmt::format(fmt::runtime(body), 8));
  EXPECT_THAT(failure(fmt::format(fmt::runtime(body), 9)).what(),
              AllOf(HasSubstr("index (8)"), HasSubstr("private array (8 elements)")));
}

TEST_F(HostCheck, LanesThatABranchLeavesOutAreNotChecked) {
  run("%2: bool = lt %0, u32 32\nif %2 {\n%3: u32 = add %0, u32 32\n%4: storage u32 = index @1, %3\nstore %4, u32 "
      "1\n}\n");
}

TEST_F(HostCheck, ABufferReadBeforeItIsWritten) {
  auto module = host_.module(kernel("%2: u32 = load %1\n%3: storage u32 = index @1, %0\nstore %3, %2\n"), {64, 1, 1});
  auto fresh = host_.space(256), other = host_.space(256);
  EXPECT_THAT(error_of([&] {
                host_.run(*module, {1, 1, 1}, {fresh.get(), other.get()});
              }).what(),
              HasSubstr("element 0 of buffer \"data\" (argument 0) is read before anything was written to it"));
  const std::vector<uint32_t> half(32, 1);
  vd::test::write(host_.queue(), {fresh.get(), 0, 128}, half.data());
  EXPECT_THAT(error_of([&] {
                host_.run(*module, {1, 1, 1}, {fresh.get(), other.get()});
              }).what(),
              HasSubstr("element 32 "));
  // A fill counts, and so does a copy of what was written.
  backends::CommandList list;
  backends::Command fill;
  fill.kind = backends::Command::Kind::Fill;
  fill.destination = {fresh.get(), 128, 128};
  backends::Command copy;
  copy.kind = backends::Command::Kind::Copy;
  copy.level = 1;
  copy.source = {fresh.get(), 0, 256};
  copy.destination = {other.get(), 0, 256};
  list.commands = {fill, copy};
  host_.queue().submit(list);
  auto result = host_.space(256);
  host_.run(*module, {1, 1, 1}, {other.get(), result.get()});
}

TEST_F(HostCheck, SharedMemoryReadBeforeItIsWritten) {
  const std::string read = "%2: shared u32 = index #0, %0\n%3: u32 = load %2\nstore %1, %3\n";
  EXPECT_THAT(failure(read).what(), HasSubstr("element 0 of shared array \"tile\" is read before"));
  run("%4: shared u32 = index #0, %0\nstore %4, %0\n" + read);
  // One workgroup's writes do not initialize memory for the next.
  EXPECT_THAT(
      failure("%4: shared u32 = index #0, local_index\n%5: u32 = index workgroup_id, u32 0\n%6: bool = eq %5, u32 0\n"
              "if %6 {\nstore %4, %0\n}\n%7: u32 = load %4\nstore %1, %7\n",
              {64, 1, 1}, 2)
          .what(),
      HasSubstr("workgroup (1, 0, 0)"));
}

std::string exchange(const std::string& between) {
  return "%2: shared u32 = index #0, local_index\nstore %2, %0\n" + between +
         "%3: u32 = sub u32 63, local_index\n%4: shared u32 = index #0, %3\n%5: u32 = load %4 at \"race.py\":7 "
         "\"swap\"\nstore %1, %5\n";
}

TEST_F(HostCheck, ARaceInSharedMemory) {
  run(exchange("barrier\n"));
  EXPECT_THAT(failure(exchange("")).what(),
              AllOf(HasSubstr("data race"), HasSubstr("race.py:7"), HasSubstr("shared array \"tile\""),
                    HasSubstr("written by invocation (63, 0, 0) of the same workgroup")));
  // Lanes of one subgroup need no more than its barrier.
  const std::string pair =
      "%3: u32 = xor local_index, u32 1\n%4: shared u32 = index #0, %3\n%5: u32 = load %4\nstore %1, %5\n";
  run("%2: shared u32 = index #0, local_index\nstore %2, %0\nsubgroup_barrier\n" + pair);
  EXPECT_THAT(failure("%2: shared u32 = index #0, local_index\nstore %2, %0\n" + pair).what(), HasSubstr("data race"));
}

TEST_F(HostCheck, ARaceOfTwoWrites) {
  EXPECT_THAT(failure("%2: shared u32 = index #0, u32 5\nstore %2, %0\n").what(),
              HasSubstr("is written here and was written by"));
}

TEST_F(HostCheck, AWriteAfterAnothersRead) {
  const std::string first =
      "%2: shared u32 = index #0, local_index\nstore %2, %0\nbarrier\n%3: shared u32 = index #0, u32 9\n"
      "%4: u32 = load %3\nstore %1, %4\n";
  EXPECT_THAT(failure(first + "store %2, u32 1\n").what(), HasSubstr("is written here and was read by"));
  run(first + "barrier\nstore %2, u32 1\n");
}

TEST_F(HostCheck, RacesInBuffersWithinAWorkgroupAndAcross) {
  const std::string neighbour = "%2: u32 = xor %0, u32 1\n%3: storage u32 = index @0, %2\nstore %1, %0\n";
  EXPECT_THAT(failure(neighbour + "%4: u32 = load %3\n%5: storage u32 = index @1, %0\nstore %5, %4\n").what(),
              HasSubstr("buffer \"data\" (argument 0)"));
  run(neighbour + "barrier\n%4: u32 = load %3\n%5: storage u32 = index @1, %0\nstore %5, %4\n");
  // A barrier orders one workgroup, not two.
  EXPECT_THAT(
      failure(
          "%2: u32 = xor %0, u32 64\n%3: storage u32 = index @0, %2\nstore %1, %0\nbarrier\n%4: u32 = load %3\n"
          "%5: u32 = rem %0, u32 64\n%6: u32 = add %5, %4\n%7: bool = lt %6, u32 100000\nif %7 {\nstore %1, %4\n}\n",
          {64, 1, 1}, 2)
          .what(),
      AllOf(HasSubstr("data race"), HasSubstr("by workgroup (0, 0, 0)")));
}

TEST_F(HostCheck, AtomicsDoNotRaceWithEachOther) {
  run("%2: storage u32 = index @0, u32 0\n%3: u32 = atomic_add %2, u32 1\n", {64, 1, 1}, 4);
  EXPECT_THAT(
      failure("%2: storage u32 = index @0, u32 0\n%3: u32 = atomic_add %2, u32 1\n%4: u32 = load %2\nstore %1, %4\n")
          .what(),
      HasSubstr("data race"));
}

TEST_F(HostCheck, ABarrierThatSomeDoNotReach) {
  const std::string divergent =
      "%2: bool = lt local_index, u32 {}\nif %2 {{\nbarrier at \"odd.py\":3\n}}\nstore %1, u32 1\n";
  for (const uint32_t size : {64u, 128u, 256u}) {
    const std::string early = fmt::format(fmt::runtime(divergent), size / 2);
    auto module = host_.module(kernel(early), {size, 1, 1});
    auto data = host_.space(size * 4), other = host_.space(16);
    EXPECT_THAT(error_of([&] {
                  host_.run(*module, {1, 1, 1}, {data.get(), other.get()});
                }).what(),
                AllOf(HasSubstr("odd.py:3"), HasSubstr("divergent barrier"),
                      HasSubstr(fmt::format("invocation ({}, 0, 0)", size / 2))));
    auto all = host_.module(kernel(fmt::format(fmt::runtime(divergent), size)), {size, 1, 1});
    host_.run(*all, {1, 1, 1}, {data.get(), other.get()});
  }
}

TEST_F(HostCheck, AnIntegerThatIsDividedByZero) {
  const auto by_three_less = [](const char* division) {
    return "%2: u32 = sub %0, u32 3\n%3: i32 = convert %2\n" + std::string(division) + "\n";
  };
  for (const char* division :
       {R"(%4: u32 = div u32 7, %2 at "blur.py":13 "blur")", R"(%4: u32 = rem u32 7, %2 at "blur.py":13 "blur")",
        R"(%4: i32 = floordiv i32 -7, %3 at "blur.py":13 "blur")",
        R"(%4: i32 = floormod i32 -7, %3 at "blur.py":13 "blur")"}) {
    const Error e = failure(by_three_less(division) + "%5: u32 = bitcast %4\nstore %1, %5\n");
    EXPECT_EQ(e.status(), VD_ERR_KERNEL);
    EXPECT_STREQ(e.what(),
                 "kernel \"careful\" at blur.py:13 in blur: an integer is divided by zero, in invocation "
                 "(3, 0, 0) of workgroup (0, 0, 0).")
        << division;
  }
  EXPECT_THAT(failure("%2: u32x2 = construct u32 1, %0\n%3: u32x2 = div %2, %2\n%4: u32 = index %3, u32 1\n"
                      "store %1, %4\n")
                  .what(),
              AllOf(HasSubstr("an integer is divided by zero"), HasSubstr("invocation (0, 0, 0)")));
  run("%2: u32 = add %0, u32 1\n%3: u32 = div u32 7, %2\n%4: u32 = rem %3, u32 3\nstore %1, %4\n");
  run("%2: bool = ne %0, u32 0\nif %2 {\n%3: u32 = div u32 7, %0\nstore %1, %3\n}\n");
  run("%2: f32 = convert %0\n%3: f32 = div f32 1.5, %2\n%4: u32 = bitcast %3\nstore %1, %4\n");
}

TEST_F(HostCheck, TheQueueWorksAfterAFailure) {
  failure("%2: storage u32 = index @1, u32 64\nstore %2, u32 1\n");
  run("store %1, u32 1\n");
}

// ---- in any context ----

TEST(HostFailure, AnAssertion) {
  Host host;
  auto module =
      host.module(kernel("%2: bool = lt %0, u32 10\nassert %2, $\"small\" at \"a.py\":4 \"f\"\n"), {64, 1, 1});
  auto data = host.space(256), other = host.space(256);
  EXPECT_THAT(error_of([&] {
                host.run(*module, {1, 1, 1}, {data.get(), other.get()});
              }).what(),
              AllOf(HasSubstr("kernel \"careful\" at a.py:4 in f: assertion failed: small"),
                    HasSubstr("invocation (10, 0, 0)")));
}

TEST(HostFailure, TheWatchdogEndsALoopThatCannotEnd) {
  backends::DeviceOptions options;
  options.watchdog_ns = 50'000'000;
  Host host(options);
  for (const uint32_t size : {64u, 256u}) {
    for (const char* loop : {"loop {\n%2: u32 = load %1\n%3: bool = gt %2, u32 5\nif %3 {\nbreak\n}\n}\n",
                             "loop {\nbarrier\n}\n", "loop {\n}\n", "while {\n%2: bool = lt %0, u32 3\n} %2 {\n}\n"}) {
      auto module = host.module(kernel(loop), {size, 1, 1});
      auto data = host.buffer(std::vector<uint32_t>(4096, 0)), other = host.space(256);
      const auto start = std::chrono::steady_clock::now();
      const Error e = error_of([&] { host.run(*module, {16, 1, 1}, {data.get(), other.get()}); });
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
      EXPECT_EQ(e.status(), VD_ERR_KERNEL);
      EXPECT_THAT(e.what(), AllOf(HasSubstr("kernel \"careful\""), HasSubstr("watchdog"), HasSubstr("0.05 s"))) << loop;
    }
  }
}

TEST(HostFailure, TheWatchdogIsOnInCheckedContextsAloneUnlessAskedFor) {
  const uint64_t minute = 60'000'000'000;
  EXPECT_EQ(Runner(1, 0, false).watchdog_ns(), UINT64_MAX);
  EXPECT_EQ(Runner(1, 0, true).watchdog_ns(), minute);
  EXPECT_EQ(Runner(1, 5, false).watchdog_ns(), 5u);
  EXPECT_EQ(Runner(1, UINT64_MAX, true).watchdog_ns(), UINT64_MAX);
}

TEST(HostFailure, IsKeptForWhoeverIsToldOfIt) {
  Host host;
  auto bad = host.module(kernel("assert bool 0\n"), {64, 1, 1}),
       good = host.module(kernel("store %1, u32 3\n"), {64, 1, 1});
  auto data = host.space(256), other = host.space(256);
  const uint64_t first = host.launch(*bad, {1, 1, 1}, {data.get(), other.get()});
  const uint64_t second = host.launch(*good, {1, 1, 1}, {data.get(), other.get()});
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(host.queue().wait(second, ~uint64_t{0}));
  EXPECT_EQ(error_of([&] { host.queue().failures.report(second, true); }).status(), VD_ERR_KERNEL);
  host.queue().failures.report(second, true);
  EXPECT_EQ(error_of([&] { host.queue().failures.report(first, true); }).status(), VD_ERR_KERNEL);
  host.queue().failures.report(first, false);
  EXPECT_EQ(host.read<uint32_t>(*data)[63], 3u);  // what came later ran
}

TEST(HostFailure, SourceTextIsRefused) {
  Host host;
  backends::SourceText text;
  EXPECT_EQ(error_of([&] {
              host.device().make_module({nullptr, &text, {1, 1, 1}, "glsl"});
            }).status(),
            VD_ERR_UNSUPPORTED);
}

}  // namespace
}  // namespace vd::host::test
