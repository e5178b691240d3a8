#include "core/object.h"

#include <atomic>
#include <exception>

#include "core/driver_thread.h"
#include "core/fork.h"
#include "core/log.h"
#include "core/process_end.h"
#include "core/thread.h"

namespace vd {
namespace {
std::atomic<uint64_t> g_live{0};
}

// A thread that sees an object gone also sees all effects of its destructor.
uint64_t live_objects() noexcept { return g_live.load(std::memory_order_acquire); }

Object::Object() noexcept : process_(process_number()) { g_live.fetch_add(1, std::memory_order_relaxed); }
bool Object::is_of_parent() const noexcept { return process_ != process_number(); }
void Object::last_release() const noexcept {
  if (process_ended() || is_of_parent()) return;
  if (on_driver_thread()) {
    try {
      start_thread([this] {
        if (!process_ended()) delete this;
      }).detach();
    } catch (const std::exception&) {  // no memory, or no thread
      log_error("no thread could be started to let go of an object, which stays");
    }
    return;
  }
  delete this;
}
Object::~Object() { g_live.fetch_sub(1, std::memory_order_release); }

}  // namespace vd
