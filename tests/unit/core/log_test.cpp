#include "core/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

struct Capture {
  std::vector<std::string> lines;
  Capture() { vd::set_log_callback(&receive, this); }
  ~Capture() {
    vd::set_log_callback(nullptr, nullptr);
    vd::set_log_level(VD_LOG_WARNING);
  }
  static void receive(vd_log_level level, const char* message, void* user) {
    static_cast<Capture*>(user)->lines.push_back(std::to_string(level) + " " + message);
  }
};

TEST(Log, DropsWhatIsBelowTheLevel) {
  Capture capture;
  vd::set_log_level(VD_LOG_ERROR);
  vd::log_warning("no");
  vd::log_error("yes {}", 1);
  vd::set_log_level(VD_LOG_OFF);
  vd::log_error("no");
  EXPECT_EQ(capture.lines, std::vector<std::string>{"3 yes 1"});
}

TEST(Log, TextIsNeverAFormat) {
  Capture capture;
  vd::log_message(VD_LOG_ERROR, "100% {} %s");
  EXPECT_EQ(capture.lines, std::vector<std::string>{"3 100% {} %s"});
}

// A callback may log, or set another callback: no lock is held while it runs.
TEST(Log, CallbackMayLog) {
  static int calls;
  calls = 0;
  vd::set_log_callback(
      [](vd_log_level, const char*, void*) {
        if (++calls == 1) vd::log_error("again");
      },
      nullptr);
  vd::log_error("first");
  vd::set_log_callback(nullptr, nullptr);
  EXPECT_EQ(calls, 2);
}

}  // namespace
