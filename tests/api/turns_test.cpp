#include <gtest/gtest.h>

#include <map>

#include "support/turns.h"

namespace api {
namespace {

TEST(Turns, EachNameHasOneDriver) {
  const std::vector<std::string> drivers = {"vulkan", "opencl", "cuda"};
  std::map<std::string, int> runs;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "Suite.Test" + std::to_string(i);
    int of_this = 0;
    for (const std::string& driver : drivers) {
      const bool now = vd::test::awaits_turn(name, driver, drivers).empty();
      runs[driver] += now, of_this += now;
    }
    EXPECT_EQ(of_this, 1) << name;
    EXPECT_EQ(vd::test::awaits_turn(name, "host", drivers), "");
    EXPECT_EQ(vd::test::awaits_turn(name, "opencl", {}), "");
  }
  for (const std::string& driver : drivers) EXPECT_GT(runs[driver], 60) << driver;
}

}  // namespace
}  // namespace api
