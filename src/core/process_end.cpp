#include "core/process_end.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "core/fork.h"
#include "core/log.h"
#include "core/platform.h"

namespace vd {
namespace {

using Clock = FinishedAtEnd::Clock;

// The longest wait for all that is open, together: a kernel that never ends must not keep the process.
constexpr auto kLimit = std::chrono::seconds(5);
// Threads of a driver's own (PoCL's) tidy up for a moment behind the last work that they report as done.
constexpr auto kTidyTime = std::chrono::milliseconds(2);
// A driver has its own functions for the end called when it is loaded, which may be when its first context is opened.
// The last that were asked for are called first, so we ask again with each context, but not without bound.
constexpr int kMostAsked = 64;

std::atomic<bool> g_ends{false};
std::atomic<bool> g_ended{false};
// Until when the wait before it lasts or lasted, in a thread that has ended its own objects. What such a thread still
// runs is exit(): a main thread that ends alone runs nothing more.
thread_local Clock::time_point t_deadline{};
thread_local int t_loads = 0;                          // that this thread is in
thread_local const FinishedAtEnd* t_caller = nullptr;  // whose function of the program's runs

}  // namespace

struct ProcessEnd {
  std::mutex mutex;
  std::condition_variable closed;
  std::vector<FinishedAtEnd*> open;
  int loads = 0;
  std::atomic<uint32_t> process{0};
  int asked = 0;

  // Lives longer than anything that the end destroys.
  static ProcessEnd& get() {
    alignas(ProcessEnd) static unsigned char storage[sizeof(ProcessEnd)];
    static ProcessEnd* made = new (storage) ProcessEnd;
    return *made;
  }

  // A forked child has none of the threads, nor may it call the drivers.
  bool is_of_parent() const { return process != process_number(); }

  // Under the lock, before something is added.
  void enter_process() {
    if (!is_of_parent()) return;
    open.clear();
    loads = 0;
    process = process_number();
  }

  // Waits for the work of all that is open, and for loads by other threads; false if some of it still runs.
  bool finish_work(std::unique_lock<std::mutex>& lock, Clock::time_point deadline) {
    bool done = true;
    // One that closes does not get further than to wait for a call of its own.
    for (FinishedAtEnd* one : open)
      if (!one->closes_ || one == t_caller) done &= one->finish_(deadline);
    const auto all_closed = [&] {
      return loads <= t_loads && std::ranges::all_of(open, [](const FinishedAtEnd* one) {
               return !one->closes_ || one->calls_program_ || one == t_caller;
             });
    };
    done &= closed.wait_until(lock, deadline, all_closed);
    if (!open.empty()) std::this_thread::sleep_for(kTidyTime);
    return done;
  }

  // exit() ends the calling thread's own objects before it calls any function for the end. Compilers of drivers (LLVM)
  // have objects destroyed by such functions that they made during their first kernel, long after our last request.
  // The main thread may also end alone (pthread_exit). Nothing that is decided here may then outlast the wait, but for
  // what this thread alone sees.
  struct MainThread {
    ~MainThread() {
      ProcessEnd& end = get();
      if (process_ended() || end.is_of_parent()) return;
      std::unique_lock lock(end.mutex);
      t_deadline = Clock::now() + kLimit;
      static_cast<void>(end.finish_work(lock, t_deadline));
    }
  };
  static void watch_main_thread() {
    if (platform::on_main_thread()) thread_local const MainThread watched;
  }

  static void run() noexcept {
    ProcessEnd& end = get();
    g_ends.store(true, std::memory_order_relaxed);
    bool done = true;
    if (end.is_of_parent()) {
      g_ended.store(true, std::memory_order_relaxed);
    } else if (!process_ended()) {
      std::unique_lock lock(end.mutex);
      done = end.finish_work(lock, t_deadline != Clock::time_point{} ? t_deadline : Clock::now() + kLimit);
      g_ended.store(true, std::memory_order_relaxed);  // before another thread begins to close a context
      for (FinishedAtEnd* one : end.open)
        if (one->let_go_) one->let_go_();
    }
    if (!done) log_warning("the process ends while work that it gave to a device still runs");
  }
};

// Drivers may be loaded by other threads alone.
[[maybe_unused]] const bool g_watched = (ProcessEnd::watch_main_thread(), true);

DriverLoad::DriverLoad() noexcept : process_(process_number()) {
  ProcessEnd& end = ProcessEnd::get();
  const std::lock_guard lock(end.mutex);
  end.enter_process();
  ++end.loads;
  ++t_loads;
}

DriverLoad::~DriverLoad() {
  ProcessEnd& end = ProcessEnd::get();
  {
    const std::lock_guard lock(end.mutex);
    if (process_ == process_number()) --end.loads;
    --t_loads;
  }
  end.closed.notify_all();
}

bool process_ends() noexcept { return g_ends.load(std::memory_order_relaxed); }
bool process_ended() noexcept { return g_ended.load(std::memory_order_relaxed); }

void FinishedAtEnd::opened(Finish finish, LetGo let_go) {
  ProcessEnd& end = ProcessEnd::get();
  const std::lock_guard lock(end.mutex);
  end.enter_process();
  process_ = end.process;
  end.open.push_back(this);
  listed_ = true;
  finish_ = std::move(finish);
  let_go_ = std::move(let_go);
  if (end.asked < kMostAsked && std::atexit([] { ProcessEnd::run(); }) == 0) ++end.asked;
  ProcessEnd::watch_main_thread();
}

bool FinishedAtEnd::close() noexcept {
  if (process_ != process_number()) return false;
  const std::lock_guard lock(ProcessEnd::get().mutex);
  if (process_ended()) return false;
  closes_ = true;
  return true;
}

FinishedAtEnd::Call::Call(const FinishedAtEnd& owner) noexcept : outer_(t_caller) { t_caller = &owner; }
FinishedAtEnd::Call::~Call() { t_caller = outer_; }

void FinishedAtEnd::call_program() noexcept {
  ProcessEnd& end = ProcessEnd::get();
  {
    const std::lock_guard lock(end.mutex);
    calls_program_ = true;
  }
  end.closed.notify_all();
}

void FinishedAtEnd::call_drivers() noexcept {
  std::unique_lock lock(ProcessEnd::get().mutex);
  calls_program_ = false;
  while (process_ended()) {
    lock.unlock();
    std::this_thread::sleep_for(kLimit);  // until the process is gone
    lock.lock();
  }
  let_go_ = nullptr;
}

FinishedAtEnd::~FinishedAtEnd() {
  if (!listed_) return;
  ProcessEnd& end = ProcessEnd::get();
  {
    const std::lock_guard lock(end.mutex);
    std::erase(end.open, this);
  }
  end.closed.notify_all();
}

}  // namespace vd
