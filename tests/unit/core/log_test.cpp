#include "core/log.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Capture {
  std::vector<std::string> lines;
  Capture() { vd::set_log_callback(&receive, this); }
  ~Capture() {
    vd::set_log_callback(nullptr, nullptr);
    vd::set_log_level(VD_LOG_WARNING);
  }
  static void receive(const vd_log_message* message, void* user) {
    static_cast<Capture*>(user)->lines.push_back(std::to_string(message->level) + " " + message->text);
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
      [](const vd_log_message*, void*) {
        if (++calls == 1) vd::log_error("again");
      },
      nullptr);
  vd::log_error("first");
  vd::set_log_callback(nullptr, nullptr);
  EXPECT_EQ(calls, 2);
}

TEST(Log, CallbackMaySetAnother) {
  static std::vector<std::string> lines;
  lines.clear();
  vd::set_log_callback(
      [](const vd_log_message* message, void*) {
        lines.push_back(std::string("old ") + message->text);
        vd::set_log_callback([](const vd_log_message* m, void*) { lines.push_back(std::string("new ") + m->text); },
                             nullptr);
        vd::log_error("within");
      },
      nullptr);
  vd::log_error("first");
  vd::log_error("second");
  vd::set_log_callback(nullptr, nullptr);
  EXPECT_EQ(lines, (std::vector<std::string>{"old first", "new within", "new second"}));
}

// Whoever replaces a callback may free what it used: no thread is in it any more.
TEST(Log, SettingWaitsForTheCallbackThatIsReplaced) {
  struct Slow {
    std::binary_semaphore entered{0}, go{0};
    std::atomic<bool> returned{false};
  } slow;
  vd::set_log_callback(
      [](const vd_log_message*, void* user) {
        auto* s = static_cast<Slow*>(user);
        s->entered.release();
        s->go.acquire();
        s->returned = true;
      },
      &slow);
  std::thread reports([] { vd::log_error("long"); });
  slow.entered.acquire();
  bool saw = false;
  std::thread replaces([&] {
    vd::set_log_callback(nullptr, nullptr);
    saw = slow.returned;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it would have come through
  slow.go.release();
  replaces.join();
  reports.join();
  EXPECT_TRUE(saw);
}

}  // namespace
