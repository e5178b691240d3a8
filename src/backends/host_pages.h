// Memory of the program's that a device imports.
#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "backends/backend.h"

namespace vd::backends {

// Addresses that a device imports at once, with the bytes that were asked for among them.
struct HostPages {
  uint64_t begin = 0, size = 0;
  uint64_t front = 0;  // bytes before those that were asked for

  void* pointer() const noexcept { return reinterpret_cast<void*>(begin); }
};

// Whole pages around memory that is not aligned as the device needs: all bytes of a page belong to the process, if one
// does. Throws VD_ERR_UNSUPPORTED for a device that imports none, VD_ERR_INVALID where the alignment is larger than a page.
// `kind` is the backend's name in messages.
HostPages host_pages(const ExternalMemory& memory, const vd_device_info& info, const char* kind);

// Throws VD_ERR_UNSUPPORTED: memory to import is partly within an import of `begin` to `end`.
[[noreturn]] void refuse_overlap(const HostPages& pages, uint64_t begin, uint64_t end, const char* kind);

// The memory that is imported at present, each with what a driver made of it, for drivers that know no byte twice. Imports
// within an earlier one share it. Lives longer than what it gives.
template <class T>
class HostImports {
 public:
  // The one of an import around `pages`, else a new one by make(). Throws VD_ERR_UNSUPPORTED for memory that is partly within
  // another.
  template <class Make>
  std::shared_ptr<const T> find(const HostPages& pages, const char* kind, Make&& make) {
    const std::lock_guard lock(mutex_);
    const uint64_t end = pages.begin + pages.size;
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (pages.begin >= entry->begin && end <= entry->end) return use(entry);
      if (pages.begin < entry->end && entry->begin < end) refuse_overlap(pages, entry->begin, entry->end, kind);
    }
    std::unique_ptr<const T> made = make();
    entries_.push_back({pages.begin, end, std::move(made), 0});
    return use(std::prev(entries_.end()));
  }

 private:
  struct Entry {
    uint64_t begin, end;
    std::unique_ptr<const T> made;
    uint32_t users;
  };
  using Place = typename std::list<Entry>::iterator;

  // A use is given up under the lock, since another import of the memory may come at the same time.
  std::shared_ptr<const T> use(Place entry) {
    ++entry->users;
    return {entry->made.get(), [this, entry](const T*) {
              const std::lock_guard lock(mutex_);
              if (--entry->users == 0) entries_.erase(entry);
            }};
  }

  std::recursive_mutex mutex_;  // a pointer that cannot be made gives up its use at once
  std::list<Entry> entries_;
};

}  // namespace vd::backends
