// Suites that are instantiated as InTurn take turns: support/turns.h.
#include "support/turns.h"

#include <gtest/gtest.h>

namespace api {
namespace {

class Turns : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    if (!name.starts_with("InTurn/")) return;
    const size_t end = name.rfind('/');
    if (const std::string why = vd::test::awaits_turn(name.substr(0, end), name.substr(end + 1)); !why.empty())
      GTEST_SKIP() << why;
  }
};

[[maybe_unused]] const bool kTakesTurns = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new Turns);
  return true;
}();

}  // namespace
}  // namespace api
