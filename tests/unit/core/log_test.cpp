#include "core/log.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "support/log_receiver.h"

namespace {

using vd::test::LogReceiver;

struct Capture {
  std::vector<std::string> lines;
  LogReceiver receiver;
  explicit Capture(vd_log_level level = VD_LOG_WARNING) : receiver(&receive, this, level) {}
  static void receive(const vd_log_message* message, void* user) {
    static_cast<Capture*>(user)->lines.push_back(std::to_string(message->level) + " " + message->text);
  }
};
using Lines = std::vector<std::string>;

TEST(Log, EachReceiverGetsWhatIsFromItsLevelOn) {
  Capture all(VD_LOG_VERBOSE), errors(VD_LOG_ERROR), none(VD_LOG_OFF);
  vd::log_info("a");
  vd::log_error("b {}", 1);
  EXPECT_EQ(all.lines, (Lines{"1 a", "3 b 1"}));
  EXPECT_EQ(errors.lines, Lines{"3 b 1"});
  EXPECT_EQ(none.lines, Lines{});
}

TEST(Log, StandardErrorIsWrittenToWhileThereIsNoReceiver) {
  testing::internal::CaptureStderr();
  vd::log_info("below its level");
  vd::log_warning("one");
  {
    Capture capture;
    vd::log_warning("two");
    EXPECT_EQ(capture.lines, Lines{"2 two"});
  }
  vd::log_warning("three");
  vd::set_log_level(VD_LOG_OFF);
  vd::log_error("four");
  vd::set_log_level(VD_LOG_WARNING);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "vkdispatch: warning: one\nvkdispatch: warning: three\n");
}

TEST(Log, LevelsDecideWhetherAMessageIsPutTogether) {
  EXPECT_FALSE(vd::log_enabled(VD_LOG_INFO));
  {
    Capture capture(VD_LOG_INFO);
    EXPECT_TRUE(vd::log_enabled(VD_LOG_INFO));
    EXPECT_FALSE(vd::log_enabled(VD_LOG_VERBOSE));
  }
  EXPECT_FALSE(vd::log_enabled(VD_LOG_INFO));
  EXPECT_TRUE(vd::log_enabled(VD_LOG_WARNING));
}

TEST(Log, TextIsNeverAFormat) {
  Capture capture;
  vd::log_message(VD_LOG_ERROR, "100% {} %s");
  EXPECT_EQ(capture.lines, Lines{"3 100% {} %s"});
}

// A callback may log, add receivers and remove them: no lock is held while it runs. What it writes goes to the others.
TEST(Log, WhatACallbackWritesGoesToTheOthers) {
  static int calls;
  calls = 0;
  const LogReceiver talkative([](const vd_log_message*, void*) {
    ++calls;
    vd::log_error("again");
  });
  const Capture other;
  vd::log_error("first");
  EXPECT_EQ(calls, 1) << "it would never end";
  EXPECT_EQ(other.lines, (Lines{"3 again", "3 first"}));
}

TEST(Log, CallbackMayReplaceItself) {
  static Lines lines;
  static vd_log_receiver receiver;
  lines.clear();
  receiver = vd::add_log_receiver(
      VD_LOG_ERROR,
      [](const vd_log_message* message, void*) {
        lines.push_back(std::string("old ") + message->text);
        EXPECT_TRUE(vd::remove_log_receiver(receiver));
        receiver = vd::add_log_receiver(
            VD_LOG_ERROR, [](const vd_log_message* m, void*) { lines.push_back(std::string("new ") + m->text); },
            nullptr);
        vd::log_error("within");
      },
      nullptr);
  vd::log_error("first");
  vd::log_error("second");
  EXPECT_TRUE(vd::remove_log_receiver(receiver));
  EXPECT_EQ(lines, (Lines{"old first", "new within", "new second"}));
}

TEST(Log, ARemovedReceiverIsNone) {
  const vd_log_receiver receiver = vd::add_log_receiver(
      VD_LOG_ERROR, [](const vd_log_message*, void*) {}, nullptr);
  EXPECT_TRUE(vd::remove_log_receiver(receiver));
  EXPECT_FALSE(vd::remove_log_receiver(receiver));
  EXPECT_FALSE(vd::remove_log_receiver(0));
}

// `user` is freed once, when no callback can use it any more: also where the callback itself removes its receiver.
TEST(Log, UserIsFreedBehindTheLastCall) {
  struct User {
    vd_log_receiver receiver = 0;
    int freed = 0, freed_within = -1;
  } user;
  const auto free_user = [](void* u) { ++static_cast<User*>(u)->freed; };
  user.receiver = vd::add_log_receiver(
      VD_LOG_ERROR, [](const vd_log_message*, void*) {}, &user, free_user);
  EXPECT_EQ(user.freed, 0);
  vd::remove_log_receiver(user.receiver);
  EXPECT_EQ(user.freed, 1);
  user.receiver = vd::add_log_receiver(
      VD_LOG_ERROR,
      [](const vd_log_message*, void* u) {
        auto* me = static_cast<User*>(u);
        vd::remove_log_receiver(me->receiver);
        me->freed_within = me->freed;
      },
      &user, free_user);
  vd::log_error("removes itself");
  EXPECT_EQ(user.freed_within, 1) << "not before the callback has returned";
  EXPECT_EQ(user.freed, 2);
}

// Whoever removes a receiver may free what it used: no thread is in it any more.
TEST(Log, RemovingWaitsForTheCallback) {
  struct Slow {
    std::binary_semaphore entered{0}, go{0};
    std::atomic<bool> returned{false};
  } slow;
  LogReceiver receiver(
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
  std::thread removes([&] {
    receiver.remove();
    saw = slow.returned;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it would have come through
  slow.go.release();
  removes.join();
  reports.join();
  EXPECT_TRUE(saw);
}

// A child of a fork has no thread that would leave a callback: it neither waits for one nor finds the log locked.
TEST(LogDeathTest, TheChildOfAForkWaitsForNobody) {
  struct Slow {
    std::binary_semaphore entered{0}, go{0};
  } slow;
  LogReceiver receiver(
      [](const vd_log_message*, void* user) {
        auto* s = static_cast<Slow*>(user);
        s->entered.release();
        s->go.acquire();
      },
      &slow);
  std::thread reports([] { vd::log_error("long"); });
  slow.entered.acquire();
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // ends a child that waits
    receiver.remove();
    _exit(7);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  slow.go.release();
  reports.join();
}

// Two callbacks that each remove the other's receiver while both run do not wait for each other.
TEST(Log, CallbacksMayRemoveEachOther) {
  struct Pair {
    std::binary_semaphore entered[2]{std::binary_semaphore{0}, std::binary_semaphore{0}};
    vd_log_receiver receivers[2] = {0, 0};
    std::atomic<int> threads{0};
  } pair;
  const vd_log_fn callback = [](const vd_log_message*, void* user) {
    auto* p = static_cast<Pair*>(user);
    static thread_local int me = -1;
    if (me >= 0) return;  // a second message of this thread
    me = p->threads++;
    p->entered[me].release();
    p->entered[1 - me].acquire();
    vd::remove_log_receiver(p->receivers[1 - me]);
  };
  for (vd_log_receiver& receiver : pair.receivers) receiver = vd::add_log_receiver(VD_LOG_ERROR, callback, &pair);
  std::thread other([] { vd::log_error("b"); });
  vd::log_error("a");
  other.join();
  for (const vd_log_receiver receiver : pair.receivers) EXPECT_FALSE(vd::remove_log_receiver(receiver));
}

// A receiver that a callback removes gets nothing more, not even the message that is on its way.
TEST(Log, ARemovedReceiverGetsNothingMore) {
  static vd_log_receiver second;
  static int calls;
  calls = 0;
  const LogReceiver first([](const vd_log_message*, void*) {
    if (second == 0) return;
    EXPECT_TRUE(vd::remove_log_receiver(second));
    second = 0;
  });
  second = vd::add_log_receiver(
      VD_LOG_ERROR, [](const vd_log_message*, void*) { ++calls; }, nullptr);
  vd::log_error("a");
  vd::log_error("b");
  EXPECT_EQ(calls, 0);
}

// If a thread removes a receiver, `user` is freed before that returns; no thread calls it afterwards.
TEST(Log, ThreadsThatLogMeetNoFreedUser) {
  struct User {
    std::atomic<bool> alive{true};
    std::atomic<int> late{0}, freed{0};
  };
  std::atomic<bool> stop{false};
  std::vector<std::thread> talkers;
  for (int i = 0; i < 3; ++i) {
    talkers.emplace_back([&] {
      while (!stop) vd::log_error("x");
    });
  }
  const LogReceiver quiet([](const vd_log_message*, void*) {});  // so that nothing goes to standard error
  for (int turn = 0; turn < 2000; ++turn) {
    User user;
    const vd_log_receiver receiver = vd::add_log_receiver(
        VD_LOG_ERROR,
        [](const vd_log_message*, void* u) {
          auto* it = static_cast<User*>(u);
          if (!it->alive) ++it->late;
        },
        &user,
        [](void* u) {
          auto* it = static_cast<User*>(u);
          it->alive = false;
          ++it->freed;
        });
    if (turn % 2 == 0) vd::log_error("y");
    ASSERT_TRUE(vd::remove_log_receiver(receiver));
    ASSERT_EQ(user.freed, 1) << turn;
    ASSERT_EQ(user.late, 0) << turn;
  }
  stop = true;
  for (std::thread& talker : talkers) talker.join();
}

}  // namespace
