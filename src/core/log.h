// The log: messages with a level, to the program's receivers, or to standard error while there is none. No lock is held
// while a callback runs.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/utf8.h"
#include "vkdispatch.h"

namespace vd {

// Whether a message of this level goes anywhere; asks before a costly one is put together.
bool log_enabled(vd_log_level level) noexcept;
void log_message(vd_log_level level, const char* message) noexcept;

// Throws std::bad_alloc, and then `user_free` is not called.
vd_log_receiver add_log_receiver(vd_log_level level, vd_log_fn callback, void* user, vd_free_fn user_free = nullptr);
// The callback is not called any more. Waits until it has returned on all other threads, and frees `user`; a callback
// itself does not wait, and the last callback to return frees. False: there is no such receiver.
bool remove_log_receiver(vd_log_receiver receiver);
// The level of standard error.
void set_log_level(vd_log_level level) noexcept;
vd_log_level log_level() noexcept;

// A log line must not end a call: errors while it is written are dropped.
template <class... Args>
void log(vd_log_level level, fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (!log_enabled(level)) return;
  try {
    std::string message = fmt::format(format, std::forward<Args>(args)...);
    make_utf8(message);
    log_message(level, message.c_str());
  } catch (...) {
    log_message(level, "a log message was lost: out of memory");
  }
}

template <class... Args>
void log_verbose(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(VD_LOG_VERBOSE, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(VD_LOG_INFO, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(VD_LOG_WARNING, format, std::forward<Args>(args)...);
}
template <class... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) noexcept {
  log(VD_LOG_ERROR, format, std::forward<Args>(args)...);
}

// A kernel's print, without its last line break. The user asked for it, so it is shown unless the log is off.
void log_shader(std::string_view text) noexcept;

}  // namespace vd
