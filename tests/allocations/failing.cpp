#include "allocations/failing.h"

#include <link.h>
#include <unwind.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace allocations {
namespace {

struct Code {
  uintptr_t begin = 0, end = 0;
  bool has(uintptr_t address) const { return address >= begin && address < end; }
};

Code g_watched, g_standard;  // the C++ standard library allocates for its caller
std::atomic<uint64_t> g_left{0};

Code find(const char* name) {
  struct Search {
    const char* name;
    Code found;
  } search{name, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, wanted.name) == nullptr) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
            wanted.found = {info->dlpi_addr + segment.p_vaddr, info->dlpi_addr + segment.p_vaddr + segment.p_memsz};
        }
        return 1;
      },
      &search);
  return search.found;
}

// The first caller behind the standard library, which was called from there.
uintptr_t caller() {
  struct Walk {
    bool in_standard = false;
    uintptr_t found = 0;
  } walk;
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* data) {
        auto& state = *static_cast<Walk*>(data);
        const uintptr_t address = _Unwind_GetIP(frame);
        const bool standard = g_standard.has(address);
        if (standard) state.in_standard = true;
        if (standard || !state.in_standard) return _URC_NO_REASON;
        state.found = address;
        return _URC_END_OF_STACK;
      },
      &walk);
  return walk.found;
}

bool fails(const void* from) {
  if (g_left.load(std::memory_order_relaxed) == 0) return false;
  const auto address = reinterpret_cast<uintptr_t>(from);
  if (!g_watched.has(g_standard.has(address) ? caller() : address)) return false;
  uint64_t left = g_left.load();
  while (left != 0 && !g_left.compare_exchange_weak(left, left - 1)) {
  }
  return left == 1;
}

}  // namespace

bool watch(const char* name) {
  g_standard = find("libstdc++");
  g_watched = find(name);
  return g_watched.end != 0;
}

void fail(uint64_t nth) { g_left = nth; }
bool failed() { return g_left.exchange(0) == 0; }

}  // namespace allocations

namespace {

void* take(size_t size, size_t alignment, const void* from) noexcept {
  if (allocations::fails(from)) return nullptr;
  if (size == 0) size = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}
void* take_or_throw(size_t size, size_t alignment, const void* from) {
  void* memory = take(size, alignment, from);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

#define FROM __builtin_return_address(0)
void* operator new(size_t size) { return take_or_throw(size, 1, FROM); }
void* operator new[](size_t size) { return take_or_throw(size, 1, FROM); }
void* operator new(size_t size, std::align_val_t align) { return take_or_throw(size, size_t(align), FROM); }
void* operator new[](size_t size, std::align_val_t align) { return take_or_throw(size, size_t(align), FROM); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return take(size, 1, FROM); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return take(size, 1, FROM); }
void* operator new(size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
  return take(size, size_t(align), FROM);
}
void* operator new[](size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
  return take(size, size_t(align), FROM);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
