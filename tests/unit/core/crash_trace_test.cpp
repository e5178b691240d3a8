#include "support/crash_trace.h"

#include <gtest/gtest.h>

#include <csignal>

namespace vd {
namespace {

TEST(CrashTraceDeathTest, ACrashSaysWhere) {
  if (!VD_TRACES_CRASHES) GTEST_SKIP() << "sanitizers trace crashes themselves";
  EXPECT_EXIT(std::raise(SIGSEGV), testing::KilledBySignal(SIGSEGV),
              "the stack of the thread that crashed:\n.*vd_unit");
}

}  // namespace
}  // namespace vd
