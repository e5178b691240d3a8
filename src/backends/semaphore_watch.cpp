#include "backends/semaphore_watch.h"

#include <exception>
#include <thread>

#include "core/error.h"
#include "core/log.h"
#include "core/thread.h"
#include "core/thread_pool.h"

namespace vd::backends {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLookTime = std::chrono::milliseconds(5);

}  // namespace

class SemaphoreWatch {
 public:
  using State = SemaphoreWaits::State;

  static SemaphoreWatch& get() {
    static auto* const watch = new SemaphoreWatch;  // its thread may outlive the end of main()
    return *watch;
  }

  void add(const SemaphoreUse& use, uint64_t before, uint64_t after, bool waits, const std::shared_ptr<State>& state) {
    const std::lock_guard lock(mutex_);
    uses_.push_back({use, before, after, waits, state, {}});
    if (running_) return;
    try {
      start_thread([this] { run(); }).detach();
      running_ = true;
    } catch (...) {
      uses_.pop_back();
      throw;
    }
  }

  void begin_last(const std::shared_ptr<State>& state) noexcept {
    const std::lock_guard lock(mutex_);
    if (const auto use = last(state); use != uses_.end()) use->waits = true;
  }

  void remove_last(const std::shared_ptr<State>& state) noexcept {
    std::list<Use> gone;
    const std::lock_guard lock(mutex_);
    if (const auto use = last(state); use != uses_.end()) gone.splice(gone.end(), uses_, use);
  }

  void remove(const std::shared_ptr<State>& state) {
    std::list<Use> gone;  // their semaphores go without the lock
    const std::lock_guard lock(mutex_);
    for (auto use = uses_.begin(); use != uses_.end();) {
      const auto here = use++;
      if (here->state == state) gone.splice(gone.end(), uses_, here);
    }
  }

 private:
  struct Use {
    SemaphoreUse use;
    uint64_t before, after;
    bool waits;  // the queue waits by it, which may be ended
    std::shared_ptr<State> state;
    std::optional<Clock::time_point> since;  // the queue has nothing else to do
  };

  std::list<Use>::iterator last(const std::shared_ptr<State>& state) noexcept {
    for (auto use = uses_.end(); use != uses_.begin();)
      if ((--use)->state == state) return use;
    return uses_.end();
  }

  void run() {
    const LibraryThread library_thread("vd-semaphore");
    std::unique_lock lock(mutex_);
    while (!uses_.empty()) {
      std::list<Use> over;
      for (auto use = uses_.begin(); use != uses_.end();) {
        const auto here = use++;
        if (is_over(*here)) over.splice(over.end(), uses_, here);
      }
      lock.unlock();
      over.clear();
      std::this_thread::sleep_for(kLookTime);
      lock.lock();
    }
    running_ = false;
  }

  static bool is_over(Use& use) {
    uint64_t done = 0;
    try {
      done = use.state->done();
    } catch (const Error& error) {  // that the driver could not be asked says nothing of the work
      return error.status() == VD_ERR_DEVICE_LOST;
    } catch (...) {
      return false;
    }
    if (done >= use.after) return true;
    if (!use.waits || use.use.timeout_ns == UINT64_MAX || done < use.before) return false;
    const auto now = Clock::now();
    if (!use.since) use.since = now;
    if (now - *use.since >= std::chrono::nanoseconds(use.use.timeout_ns)) end(use);
    return false;
  }

  static void end(Use& use) {
    const std::string why = fmt::format("the queue waited for {} to reach {} for {} ms, and nobody set it",
                                        use.use.name, use.use.value, use.use.timeout_ns / 1000000);
    log_error("{}; the library has set it, and the queue takes no more work", why);
    {
      const std::lock_guard lock(use.state->mutex);
      if (!use.state->ended.load(std::memory_order_relaxed)) {
        use.state->why = why;
        use.state->value = use.after;
      }
      use.state->ended.store(true, std::memory_order_release);
    }
    use.since.reset();  // once more later, if that is in vain
    try {
      use.use.semaphore->force(use.use.value);
    } catch (const std::exception& error) {
      log_error("{} cannot be set: {}", use.use.name, error.what());
    }
  }

  std::mutex mutex_;
  std::list<Use> uses_;
  bool running_ = false;
};

SemaphoreWaits::~SemaphoreWaits() { SemaphoreWatch::get().remove(state_); }

void SemaphoreWaits::begin_wait() noexcept { SemaphoreWatch::get().begin_last(state_); }
void SemaphoreWaits::take_back() noexcept { SemaphoreWatch::get().remove_last(state_); }

void SemaphoreWaits::add(const SemaphoreUse& use, uint64_t before, uint64_t after, bool waits) {
  SemaphoreWatch::get().add(use, before, after, waits, state_);
}

void SemaphoreWaits::require_none_ended(uint64_t value) const {
  if (!state_->ended.load(std::memory_order_acquire)) [[likely]]
    return;
  const std::lock_guard lock(state_->mutex);
  if (value >= state_->value) fail(VD_ERR_STATE, "{}", state_->why);
}

}  // namespace vd::backends
