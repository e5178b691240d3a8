#include "core/log.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "core/name.h"
#include "core/options.h"

namespace vd {
namespace {

struct Level {
  const char* name;   // in the option log
  const char* label;  // in a line
};
constexpr Level kLevels[] = {
    {"verbose", "verbose"}, {"info", "info"}, {"warning", "warning"}, {"error", "error"}, {"off", "off"}};

int level_at_start() noexcept {
  try {
    if (auto wish = option("log")) {
      for (int i = 0; i < 5; ++i) {
        if (*wish == kLevels[i].name) return i;
      }
      std::fprintf(
          stderr,
          "vkdispatch: warning: VKDISPATCH_LOG or option log (%s) is not one of verbose, info, warning, error, off\n",
          shown_name(*wish).c_str());
    }
  } catch (...) {
  }
  return VD_LOG_WARNING;
}

// Lives while it is in the list, and while a callback of it runs; then nothing uses what `user` points to.
struct Receiver {
  const vd_log_receiver number;
  const vd_log_level level;
  const vd_log_fn callback;
  void* const user;
  const vd_free_fn user_free;
  uint32_t running = 0;

  ~Receiver() {
    if (user_free != nullptr) user_free(user);
  }
};
using Receivers = std::vector<std::shared_ptr<Receiver>>;

// Made at first use, for a library that logs while it is loaded, and never destroyed, for threads that outlive main().
struct State {
  std::atomic<int> level{level_at_start()};  // of standard error
  std::atomic<int> least{level.load()};      // below it no message goes anywhere
  std::mutex mutex;                          // of all that follows
  std::condition_variable returned;
  // Changed by a copy, so that a message goes to those that were there when it came.
  std::shared_ptr<const Receivers> receivers = std::make_shared<Receivers>();
  vd_log_receiver last_number = 0;

  void find_least() noexcept {
    int found = receivers->empty() ? level.load() : VD_LOG_OFF;
    for (const auto& receiver : *receivers) found = std::min<int>(found, receiver->level);
    least.store(found, std::memory_order_relaxed);
  }
};

// The callbacks that this thread is in, one called by what another does.
thread_local uint32_t depth = 0;

State& state() noexcept {
  alignas(State) static unsigned char storage[sizeof(State)];
  static State* made = new (storage) State;
  return *made;
}

}  // namespace

bool log_enabled(vd_log_level level) noexcept { return level >= state().least.load(std::memory_order_relaxed); }

void log_message(vd_log_level level, const char* message) noexcept {
  State& s = state();
  if (level < VD_LOG_VERBOSE || level >= VD_LOG_OFF || !log_enabled(level)) return;
  std::shared_ptr<const Receivers> receivers;
  {
    std::lock_guard lock(s.mutex);
    receivers = s.receivers;
    for (const auto& receiver : *receivers) ++receiver->running;
  }
  if (receivers->empty() && level >= s.level.load(std::memory_order_relaxed))
    std::fprintf(stderr, "vkdispatch: %s: %s\n", kLevels[level].label, message);
  ++depth;
  for (const auto& receiver : *receivers) {
    if (level < receiver->level) continue;
    vd_log_message given = VD_LOG_MESSAGE_INIT;
    given.level = level;
    given.text = message;
    receiver->callback(&given, receiver->user);
  }
  --depth;
  {
    std::lock_guard lock(s.mutex);
    for (const auto& receiver : *receivers) --receiver->running;
  }
  s.returned.notify_all();
}

void log_shader(std::string_view text) noexcept {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  log(VD_LOG_ERROR, "Shader: {}", text);
}

vd_log_receiver add_log_receiver(vd_log_level level, vd_log_fn callback, void* user, vd_free_fn user_free) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  auto changed = std::make_shared<Receivers>(*s.receivers);
  changed->reserve(changed->size() + 1);
  changed->emplace_back(new Receiver{s.last_number + 1, level, callback, user, user_free});
  s.receivers = std::move(changed);
  s.find_least();
  return ++s.last_number;
}

bool remove_log_receiver(vd_log_receiver number) {
  State& s = state();
  std::shared_ptr<Receiver> removed;
  std::shared_ptr<const Receivers> before;
  std::unique_lock lock(s.mutex);
  auto changed = std::make_shared<Receivers>(*s.receivers);
  const auto found = std::ranges::find(*changed, number, [](const auto& receiver) { return receiver->number; });
  if (found == changed->end()) return false;
  removed = *found;
  changed->erase(found);
  before = std::exchange(s.receivers, std::move(changed));  // goes without the lock
  s.find_least();
  if (depth == 0) s.returned.wait(lock, [&] { return removed->running == 0; });
  lock.unlock();
  return true;
}

void set_log_level(vd_log_level level) noexcept {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.level.store(level, std::memory_order_relaxed);
  s.find_least();
}

vd_log_level log_level() noexcept { return static_cast<vd_log_level>(state().level.load(std::memory_order_relaxed)); }

}  // namespace vd
