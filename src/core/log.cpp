#include "core/log.h"

#ifndef _WIN32
#include <pthread.h>
#endif

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
#include "core/program_call.h"

namespace vd {
namespace {

constexpr const char* kLevels[] = {"verbose", "info", "warning", "error", "off"};

int level_at_start() noexcept {
  try {
    if (auto wish = option("log")) {
      for (int i = 0; i < 5; ++i) {
        if (*wish == kLevels[i]) return i;
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

struct Receiver {
  const vd_log_receiver number;
  const vd_log_level level;
  const vd_log_fn callback;
  void* const user;
  const vd_free_fn user_free;
  // Under the log's lock:
  uint32_t running = 0;
  bool removed = false;
  bool awaited = false;  // the thread that removes it waits for its callbacks, and frees it
  uint32_t waiting = 0;  // threads that removed it once more and wait for its callbacks
};
constexpr char kFree[] = "user_free of vd_log_add";
using Receivers = std::vector<std::shared_ptr<Receiver>>;

// Made at first use, for a library that logs while it is loaded, and never destroyed, for threads that outlive main().
struct State {
  std::atomic<int> level{level_at_start()};  // of standard error
  std::atomic<int> least{level.load()};      // below it no message goes anywhere
  std::mutex mutex;                          // of all that follows
  std::condition_variable returned;
  // Changed by a copy, so that a message goes to those that were there when it came.
  std::shared_ptr<const Receivers> receivers = std::make_shared<Receivers>();
  Receivers leaving;  // removed while their callbacks run
  vd_log_receiver last_number = 0;

  void find_least() noexcept {
    int found = receivers->empty() ? level.load() : VD_LOG_OFF;
    for (const auto& receiver : *receivers) found = std::min<int>(found, receiver->level);
    least.store(found, std::memory_order_relaxed);
  }
};

// The receivers whose callbacks this thread is in, innermost last.
struct Frame {
  Receiver* receiver;
  const Frame* outer;
};
thread_local const Frame* innermost = nullptr;

bool is_inside(const Receiver& receiver) noexcept {
  for (const Frame* f = innermost; f != nullptr; f = f->outer) {
    if (f->receiver == &receiver) return true;
  }
  return false;
}

State& state() noexcept;

#ifndef _WIN32
// The child of a fork has only the thread that forked: no other thread is in a callback there.
void before_fork() { state().mutex.lock(); }
void after_fork() { state().mutex.unlock(); }
void after_fork_in_child() {
  for (const auto& receiver : *state().receivers) receiver->running = 0;
  for (const auto& receiver : state().leaving) receiver->running = 0;
  for (const Frame* f = innermost; f != nullptr; f = f->outer) ++f->receiver->running;
  state().mutex.unlock();
}
#endif

State& state() noexcept {
  alignas(State) static unsigned char storage[sizeof(State)];
  static State* made = [] {
    auto* fresh = new (storage) State;
#ifndef _WIN32
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
#endif
    return fresh;
  }();
  return *made;
}

}  // namespace

bool log_enabled(vd_log_level level) noexcept { return level >= state().least.load(std::memory_order_relaxed); }

void log_message(vd_log_level level, const char* message) noexcept {
  State& s = state();
  if (level < VD_LOG_VERBOSE || level >= VD_LOG_OFF || !log_enabled(level)) return;
  std::unique_lock lock(s.mutex);
  const std::shared_ptr<const Receivers> receivers = s.receivers;
  if (receivers->empty() && level >= s.level.load(std::memory_order_relaxed)) {
    lock.unlock();
    std::fprintf(stderr, "vkdispatch: %s: %s\n", kLevels[level], message);
    return;
  }
  for (const auto& receiver : *receivers) {
    // A message that a callback logs is not passed to that callback again.
    if (level < receiver->level || receiver->removed || is_inside(*receiver)) continue;
    ++receiver->running;
    lock.unlock();
    const Frame frame{receiver.get(), innermost};
    innermost = &frame;
    vd_log_message given = VD_LOG_MESSAGE_INIT;
    given.level = level;
    given.text = message;
    call_program("a log receiver", [&] { receiver->callback(&given, receiver->user); });
    innermost = frame.outer;
    lock.lock();
    const bool last = --receiver->running == 0 && receiver->removed;
    const bool frees = last && !receiver->awaited && receiver->user_free != nullptr;
    if (last) std::erase(s.leaving, receiver);
    if (last && (receiver->awaited || receiver->waiting > 0)) s.returned.notify_all();
    if (frees) {
      lock.unlock();
      call_program(kFree, [&] { receiver->user_free(receiver->user); });
      lock.lock();
    }
  }
}

void log_shader(std::string_view text) noexcept {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  log(VD_LOG_ERROR, "Shader: {}", text);
}

vd_log_receiver add_log_receiver(vd_log_level level, vd_log_fn callback, void* user, vd_free_fn user_free) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  auto changed = std::make_shared<Receivers>(*s.receivers);
  changed->push_back(std::make_shared<Receiver>(Receiver{s.last_number + 1, level, callback, user, user_free}));
  s.receivers = std::move(changed);
  s.find_least();
  return ++s.last_number;
}

bool remove_log_receiver(vd_log_receiver number) {
  State& s = state();
  std::unique_lock lock(s.mutex);
  auto changed = std::make_shared<Receivers>(*s.receivers);
  const auto found = std::ranges::find(*changed, number, [](const auto& receiver) { return receiver->number; });
  if (found == changed->end()) {
    const auto left = std::ranges::find(s.leaving, number, [](const auto& receiver) { return receiver->number; });
    if (left != s.leaving.end() && innermost == nullptr) {
      const std::shared_ptr<Receiver> receiver = *left;
      ++receiver->waiting;
      s.returned.wait(lock, [&] { return receiver->running == 0; });
      --receiver->waiting;
    }
    return false;
  }
  const std::shared_ptr<Receiver> receiver = *found;
  changed->erase(found);
  s.receivers = std::move(changed);
  s.find_least();
  receiver->removed = true;
  if (receiver->running != 0) s.leaving.push_back(receiver);
  receiver->awaited = innermost == nullptr;  // two callbacks that waited for each other would never end
  if (receiver->awaited) s.returned.wait(lock, [&] { return receiver->running == 0; });
  const bool frees = receiver->running == 0 && receiver->user_free != nullptr;
  lock.unlock();
  if (frees) call_program(kFree, [&] { receiver->user_free(receiver->user); });
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
