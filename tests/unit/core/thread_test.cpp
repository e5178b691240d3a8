#include "core/thread.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <system_error>

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

// Work of which no thread can be made, for the reason that the constructor of std::thread gives.
class Refused {
 public:
  explicit Refused(std::errc reason) : reason_(reason) {}
  Refused(const Refused& other) : reason_(other.reason_) { throw std::system_error(std::make_error_code(reason_)); }
  void operator()() const {}

 private:
  std::errc reason_;
};

TEST(StartThread, SaysThatTheSystemStartsNone) {
  try {
    const Refused work(std::errc::resource_unavailable_try_again);
    vd::start_thread(work);
    ADD_FAILURE() << "no error";
  } catch (const vd::Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_OUT_OF_MEMORY);
    EXPECT_STREQ(error.what(), "the system starts no thread: its limit is reached, or memory for a stack is missing");
  }
}

// The pool goes on with the threads that it has, whatever the reason.
TEST(StartThread, SaysWhyTheSystemStartsNone) {
  try {
    const Refused work(std::errc::operation_not_permitted);
    vd::start_thread(work);
    ADD_FAILURE() << "no error";
  } catch (const vd::Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_INTERNAL);
    EXPECT_STREQ(error.what(), "the system starts no thread: Operation not permitted");
  }
}

}  // namespace
