// The end of a process, and of its main thread alone. Each runs in a process of its own.
#include "core/process_end.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/log.h"

namespace {

using vd::FinishedAtEnd;

class ProcessEndDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// A main thread may leave its process to the others (pthread_exit). What is open then is waited for, and again at the end
// of the process, with all of its time, even if something did not end by the first time.
TEST_F(ProcessEndDeathTest, TheMainThreadMayEndFirst) {
  const auto run = [] {
    // In the child of a fork the calling thread is the main thread: it ends by returning.
    pid_t child = 0;
    std::thread([&] {
      child = fork();
      if (child != 0) return;
      static std::atomic<int> asked{0};
      static FinishedAtEnd open;
      static FinishedAtEnd::Clock::time_point first;
      open.opened([](FinishedAtEnd::Clock::time_point deadline) {
        if (asked == 0) {
          first = deadline;
          if (vd::process_ends()) std::_Exit(5);
          ++asked;
          return false;
        }
        std::_Exit(vd::process_ends() && deadline > first ? 3 : 4);
      });
      std::thread([] {
        while (asked == 0) std::this_thread::yield();
        std::exit(6);
      }).detach();
    }).join();
    int status = 0;
    const bool right = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3;
    std::_Exit(right ? 3 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// Functions that a driver has registered by then would be called while it is loaded.
TEST_F(ProcessEndDeathTest, ADriverIsLoadedToItsEnd) {
  const auto run = [] {
    static std::atomic<bool> loads{false}, loaded{false}, torn_down{false};
    std::thread([] {
      {
        const vd::DriverLoad load;
        std::atexit([] {
          torn_down = true;
          while (!loaded) std::this_thread::yield();
        });
        loads = true;
        // Long enough for an exit() that does not wait.
        for (int i = 0; i < 200 && !torn_down; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (torn_down) std::_Exit(5);
      }
      loaded = true;
    }).detach();
    while (!loads) std::this_thread::yield();
    std::exit(3);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// exit() waits when it ends the main thread's own objects, and when it calls the functions for the end: together no
// longer than once.
TEST_F(ProcessEndDeathTest, ExitHasOneLimit) {
  const auto run = [] {
    static FinishedAtEnd open;
    static FinishedAtEnd::Clock::time_point first;
    open.opened([](FinishedAtEnd::Clock::time_point deadline) {
      if (!vd::process_ends()) {
        first = deadline;
        return false;
      }
      std::_Exit(deadline == first ? 3 : 4);
    });
    std::exit(5);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// Work of an owner that closes may be left where its call ends the process: the owner waits for the call, and not for the work.
TEST_F(ProcessEndDeathTest, ACallOfAnOwnerThatClosesFinishesItsWork) {
  const auto run = [] {
    static FinishedAtEnd open, other;
    static bool finished = false;
    std::atexit(
        [] { std::_Exit(finished ? 3 : 4); });  // called behind the library's function, which is asked for later
    other.opened([](FinishedAtEnd::Clock::time_point) { return true; });
    open.opened([](FinishedAtEnd::Clock::time_point) { return finished = true; });
    std::thread([] {
      if (!open.close()) std::_Exit(5);
      const FinishedAtEnd::Call call(open);
      std::exit(6);
    }).join();
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// The warning goes to receivers of the program's, which may release what they have.
TEST_F(ProcessEndDeathTest, AReceiverOfTheWarningMayClose) {
  const auto run = [] {
    static FinishedAtEnd open;
    open.opened([](FinishedAtEnd::Clock::time_point) { return false; });
    vd::add_log_receiver(
        VD_LOG_WARNING, [](const vd_log_message*, void*) { std::_Exit(open.close() ? 4 : 3); }, nullptr);
    std::exit(5);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

}  // namespace
