#include "core/thread.h"

#include <gtest/gtest.h>

#include <csignal>

namespace {

// A program's handlers run on the program's threads, but for faults of the library's threads and for profilers.
TEST(StartThread, BlocksSignalsThereAndNotHere) {
  sigset_t here_before, here_after, there;
  pthread_sigmask(SIG_SETMASK, nullptr, &here_before);
  vd::start_thread([&] { pthread_sigmask(SIG_SETMASK, nullptr, &there); }).join();
  pthread_sigmask(SIG_SETMASK, nullptr, &here_after);
  for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGCHLD}) {
    EXPECT_EQ(sigismember(&there, signal), 1) << signal;
    EXPECT_EQ(sigismember(&here_after, signal), sigismember(&here_before, signal)) << signal;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
    EXPECT_EQ(sigismember(&there, signal), 0) << signal;
}

}  // namespace
