#include "core/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string_view>

#include "core/platform.h"

namespace vd {
namespace {

struct Level {
  const char* name;   // in VKDISPATCH_LOG
  const char* label;  // in a line
};
constexpr Level kLevels[] = {
    {"verbose", "verbose"}, {"info", "info"}, {"warning", "warning"}, {"error", "error"}, {"off", "off"}};

int level_at_start() noexcept {
  try {
    if (auto wish = platform::environment("VKDISPATCH_LOG")) {
      for (int i = 0; i < 5; ++i) {
        if (*wish == kLevels[i].name) return i;
      }
      std::fprintf(stderr, "vkdispatch: warning: VKDISPATCH_LOG (%s) is none of verbose, info, warning, error, off\n",
                   wish->c_str());
    }
  } catch (...) {
  }
  return VD_LOG_WARNING;
}

// Made at first use, for a library that logs while it is loaded, and never destroyed, for threads that outlive main().
struct State {
  std::atomic<int> level{level_at_start()};
  std::mutex mutex;  // of the next two
  vd_log_fn callback = nullptr;
  void* user = nullptr;
};

State& state() noexcept {
  alignas(State) static unsigned char storage[sizeof(State)];
  static State* made = new (storage) State;
  return *made;
}

}  // namespace

bool log_enabled(vd_log_level level) noexcept { return level >= state().level.load(std::memory_order_relaxed); }

void log_message(vd_log_level level, const char* message) noexcept {
  State& s = state();
  if (level < VD_LOG_VERBOSE || level >= VD_LOG_OFF || !log_enabled(level)) return;
  vd_log_fn callback;
  void* user;
  {
    std::lock_guard lock(s.mutex);
    callback = s.callback;
    user = s.user;
  }
  if (callback != nullptr) {
    callback(level, message, user);
  } else {
    std::fprintf(stderr, "vkdispatch: %s: %s\n", kLevels[level].label, message);
  }
}

void log_shader(std::string_view text) noexcept {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  log(VD_LOG_ERROR, "Shader: {}", text);
}

void set_log_callback(vd_log_fn callback, void* user) noexcept {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.callback = callback;
  s.user = callback != nullptr ? user : nullptr;
}

void set_log_level(vd_log_level level) noexcept { state().level.store(level, std::memory_order_relaxed); }

vd_log_level log_level() noexcept { return static_cast<vd_log_level>(state().level.load(std::memory_order_relaxed)); }

}  // namespace vd
