// A program that crashes says where: the stack of the thread that did, on stderr.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VD_TRACES_CRASHES 0  // sanitizers tell it themselves
#elif defined(__has_feature)
#define VD_TRACES_CRASHES (!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer))
#else
#define VD_TRACES_CRASHES 1
#endif

#if VD_TRACES_CRASHES && __has_include(<execinfo.h>)
#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>
#else
#undef VD_TRACES_CRASHES
#define VD_TRACES_CRASHES 0
#endif

namespace vd::test {

inline void trace_crashes() {
#if VD_TRACES_CRASHES
  std::array<void*, 1> first{};
  backtrace(first.data(), 1);  // loads what it needs, which a handler must not do
  struct sigaction action = {};
  action.sa_handler = [](int signal) {
    constexpr std::string_view kText = "the stack of the thread that crashed:\n";
    if (write(STDERR_FILENO, kText.data(), kText.size()) > 0) {
      std::array<void*, 64> stack{};
      backtrace_symbols_fd(stack.data(), backtrace(stack.data(), static_cast<int>(stack.size())), STDERR_FILENO);
    }
    raise(signal);  // ends the program, since the handler is taken back
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
#endif
}

}  // namespace vd::test
