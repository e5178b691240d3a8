// Opens a context: chooses backend and devices, and reports why there are none.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/object.h"
#include "runtime/context.h"

namespace vd::runtime {

// The caller's wishes; the environment fills in the others.
struct Wish {
  vd_backend backend = VD_BACKEND_AUTO;
  vd_context_flags flags = 0;
  std::vector<uint32_t> devices;         // indices in the backend
  std::vector<uint32_t> queue_counts;    // of each device; 0 means 1
  std::vector<uint32_t> queue_families;  // of each queue of all devices; empty: the backend chooses
  std::vector<std::string> required_extensions, wished_extensions;
  std::string device_name;  // a part of the name, or a UUID
  std::string from_option;  // how messages name the option that chose a device; empty: the descriptor did
  std::string cache_dir;
  std::optional<vd_device_info> dummy_device;  // the properties of the dummy backend's device
  std::optional<backends::NativeDevice> native;
  uint64_t watchdog_ns = 0;
  uint32_t thread_count = 0;

  // The name in messages of the source of entry `i` of `devices`.
  std::string device_source(size_t i) const {
    return from_option.empty() ? fmt::format("desc->devices[{}]", i) : from_option;
  }
};

using BackendSource = std::function<backends::Backend&(vd_backend)>;

Ref<vd_context> open_context(Wish wish, const BackendSource& source = backends::get_backend);

// "vulkan" and so on to its number, with blanks and case ignored; throws VD_ERR_INVALID, naming `what`, for another
// word.
vd_backend parse_backend(const std::string& name, const char* what);

}  // namespace vd::runtime
