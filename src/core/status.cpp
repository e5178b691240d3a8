#include "core/status.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace vd {
namespace {

// Most messages fit `text`, so that a failure for lack of memory can still be reported. Compilers' logs go to the heap.
// After the thread's destructors have run (finalizers of a binding may fail that late) only `text` is used.
struct LastError {
  char text[512];
  char* heap;
  bool gone;
};
thread_local LastError t_last_error{};

struct Cleaner {
  ~Cleaner() {
    std::free(t_last_error.heap);
    t_last_error.heap = nullptr;
    t_last_error.gone = true;
  }
};
thread_local Cleaner t_cleaner;

}  // namespace

const char* status_name(vd_status status) noexcept {
  switch (status) {
    case VD_OK:
      return "VD_OK";
    case VD_TIMEOUT:
      return "VD_TIMEOUT";
    case VD_INCOMPLETE:
      return "VD_INCOMPLETE";
    case VD_ERR_INVALID:
      return "VD_ERR_INVALID";
    case VD_ERR_STATE:
      return "VD_ERR_STATE";
    case VD_ERR_UNSUPPORTED:
      return "VD_ERR_UNSUPPORTED";
    case VD_ERR_OUT_OF_MEMORY:
      return "VD_ERR_OUT_OF_MEMORY";
    case VD_ERR_UNAVAILABLE:
      return "VD_ERR_UNAVAILABLE";
    case VD_ERR_DEVICE_LOST:
      return "VD_ERR_DEVICE_LOST";
    case VD_ERR_COMPILE:
      return "VD_ERR_COMPILE";
    case VD_ERR_IO:
      return "VD_ERR_IO";
    case VD_ERR_KERNEL:
      return "VD_ERR_KERNEL";
    case VD_ERR_INTERNAL:
      return "VD_ERR_INTERNAL";
    case VD_ERR_WOULD_BLOCK:
      return "VD_ERR_WOULD_BLOCK";
    default:
      return "VD_STATUS_UNKNOWN";
  }
}

namespace {

// One sentence gets a full stop; a compiler's log or a listing ends as it is.
const char* full_stop(const char* message) noexcept {
  const size_t size = std::strlen(message);
  if (size == 0 || std::strchr(message, '\n') != nullptr) return "";
  return std::strchr(".!?:", message[size - 1]) != nullptr ? "" : ".";
}

}  // namespace

void set_last_error(const char* function, const char* message) noexcept {
  LastError& last = t_last_error;
  const char* stop = full_stop(message);
  const size_t size = std::strlen(function) + 2 + std::strlen(message) + std::strlen(stop) + 1;
  if (size > sizeof(last.text) && !last.gone) {
    (void)&t_cleaner;  // made now, so that it frees the heap text when the thread ends
    if (char* heap = static_cast<char*>(std::realloc(last.heap, size))) {
      last.heap = heap;
      std::snprintf(heap, size, "%s: %s%s", function, message, stop);
      last.text[0] = '\0';
      return;
    }
  }
  std::free(last.heap);
  last.heap = nullptr;
  std::snprintf(last.text, sizeof(last.text), "%s: %s%s", function, message, stop);
}

const char* last_error() noexcept { return t_last_error.heap != nullptr ? t_last_error.heap : t_last_error.text; }

}  // namespace vd
