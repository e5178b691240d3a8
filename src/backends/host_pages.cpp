#include "backends/host_pages.h"

#include "core/error.h"
#include "core/platform.h"

namespace vd::backends {

HostPages host_pages(const ExternalMemory& memory, const vd_device_info& info, const char* kind) {
  const uint64_t alignment = info.host_import_alignment;
  if (alignment == 0)
    fail(VD_ERR_UNSUPPORTED, "{} device \"{}\" imports no memory of the host (its host_import_alignment is 0)", kind,
         info.name);
  const auto refuse = [&](const char* field, uint64_t value) {
    fail(VD_ERR_INVALID, "{} ({:#x}) is not a multiple of {:#x}, the host_import_alignment of {} device \"{}\"", field,
         value, alignment, kind, info.name);
  };
  if (alignment > platform::page_size()) {
    if (memory.handle % alignment != 0) refuse("desc->handle", memory.handle);
    if (memory.size % alignment != 0) refuse("desc->size", memory.size);
  }
  HostPages pages;
  pages.front = memory.handle % alignment;
  pages.begin = memory.handle - pages.front;
  pages.size = (pages.front + memory.size + alignment - 1) / alignment * alignment;
  return pages;
}

void refuse_overlap(const HostPages& pages, uint64_t begin, uint64_t end, const char* kind) {
  fail(VD_ERR_UNSUPPORTED,
       "desc->handle ({:#x}) and desc->size reach beyond an import of {:#x} to {:#x} that is in use, and {} knows no "
       "byte "
       "twice: import the larger one first",
       pages.begin + pages.front, begin, end, kind);
}

}  // namespace vd::backends
