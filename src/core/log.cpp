#include "core/log.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string_view>

#include "core/name.h"
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
                   shown_name(*wish).c_str());
    }
  } catch (...) {
  }
  return VD_LOG_WARNING;
}

// The program's callback, and how many threads are in it.
struct Receiver {
  const vd_log_fn callback;
  void* const user;
  uint32_t running = 0;
};

// Made at first use, for a library that logs while it is loaded, and never destroyed, for threads that outlive main().
struct State {
  std::atomic<int> level{level_at_start()};
  std::mutex mutex;  // of all that follows
  std::condition_variable returned;
  std::shared_ptr<Receiver> receiver;  // none: standard error
};

// The callbacks that this thread is in, one called by what another does.
struct Frame {
  const Receiver* receiver;
  const Frame* outer;
};
thread_local const Frame* innermost = nullptr;

uint32_t frames_of(const Receiver& receiver) noexcept {
  uint32_t count = 0;
  for (const Frame* f = innermost; f != nullptr; f = f->outer) count += f->receiver == &receiver ? 1 : 0;
  return count;
}

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
  std::shared_ptr<Receiver> receiver;
  {
    std::lock_guard lock(s.mutex);
    receiver = s.receiver;
    if (receiver) ++receiver->running;
  }
  if (!receiver) {
    std::fprintf(stderr, "vkdispatch: %s: %s\n", kLevels[level].label, message);
    return;
  }
  const Frame frame{receiver.get(), innermost};
  innermost = &frame;
  vd_log_message given = VD_LOG_MESSAGE_INIT;
  given.level = level;
  given.text = message;
  receiver->callback(&given, receiver->user);
  innermost = frame.outer;
  {
    std::lock_guard lock(s.mutex);
    --receiver->running;
  }
  s.returned.notify_all();
}

void log_shader(std::string_view text) noexcept {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  log(VD_LOG_ERROR, "Shader: {}", text);
}

void set_log_callback(vd_log_fn callback, void* user) {
  State& s = state();
  std::shared_ptr<Receiver> receiver;
  if (callback != nullptr) receiver = std::make_shared<Receiver>(Receiver{callback, user});
  std::unique_lock lock(s.mutex);
  s.receiver.swap(receiver);
  if (receiver) s.returned.wait(lock, [&] { return receiver->running <= frames_of(*receiver); });
}

void set_log_level(vd_log_level level) noexcept { state().level.store(level, std::memory_order_relaxed); }

vd_log_level log_level() noexcept { return static_cast<vd_log_level>(state().level.load(std::memory_order_relaxed)); }

}  // namespace vd
