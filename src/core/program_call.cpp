#include "core/program_call.h"

#include <chrono>
#include <exception>
#include <thread>

#include "core/log.h"

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace vd {

std::string describe_thrown(const char* name) {
  try {
    throw;
#if defined(__GLIBCXX__)
  } catch (const abi::__forced_unwind&) {
    log_error("{} ended its thread (pthread_exit), which belongs to the library", name);
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
#endif
  } catch (const std::exception& error) {
    return fmt::format("{} threw an exception: {}", name, error.what());
  } catch (...) {
    return fmt::format("{} threw an exception of a type of its own", name);
  }
}

void log_thrown(const char* name) noexcept {
  try {
    log_error("{}", describe_thrown(name));
  } catch (...) {
    log_error("{} threw an exception, and there is no memory for its words", name);
  }
}

}  // namespace vd
