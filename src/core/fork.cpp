#include "core/fork.h"

#include <atomic>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace vd {
namespace {

std::atomic<uint32_t> g_forks{0};

#if !defined(_WIN32)
[[maybe_unused]] const int g_asked =
    pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1, std::memory_order_relaxed); });
#endif

}  // namespace

uint32_t fork_count() noexcept { return g_forks.load(std::memory_order_relaxed); }

}  // namespace vd
