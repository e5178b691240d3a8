// The number is a word that is zero in a new process: the system wipes its page there. Where it cannot, a handler of
// fork() does. Process ids would not do: they cost a call of the system, and in namespaces parent and child may have one.
#include "core/fork.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>

#if !defined(_WIN32)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace vd {
namespace {

std::atomic<uint32_t> g_last{0};  // number of this process or its parent
std::atomic<uint32_t> g_plain{0};
constinit std::atomic<uint32_t>* g_number = &g_plain;

#if defined(MADV_WIPEONFORK)
constexpr size_t kMostPage = 65536;
unsigned char g_room[2 * kMostPage];  // has a whole page of its own

void move_to_wiped_page() noexcept {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* at = g_room;
  size_t room = sizeof(g_room);
  if (page > kMostPage || std::align(page, page, at, room) == nullptr || madvise(at, page, MADV_WIPEONFORK) != 0)
    return;
  g_number = new (at) std::atomic<uint32_t>(g_plain.load());
}
#endif

#if !defined(_WIN32)
[[maybe_unused]] const int g_asked = [] {
#if defined(MADV_WIPEONFORK)
  move_to_wiped_page();
#endif
  return pthread_atfork(nullptr, nullptr, [] { g_number->store(0); });
}();
#endif

}  // namespace

uint32_t process_number() noexcept {
  const uint32_t number = g_number->load(std::memory_order_relaxed);
  if (number != 0) [[likely]]
    return number;
  uint32_t present = 0;
  const uint32_t mine = ++g_last;
  return g_number->compare_exchange_strong(present, mine) ? mine : present;
}

}  // namespace vd
