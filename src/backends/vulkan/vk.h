// The parts of Vulkan that every file of this backend needs: volk's types and tables, and check(), which turns a
// failing call into an Error that names the call, the result and what was asked for.
#pragma once

#include <fmt/format.h>
#include <volk.h>

#include <string>
#include <utility>

#include "core/error.h"

namespace vd::vulkan {

// "VK_ERROR_DEVICE_LOST"; "VkResult -1234" for a number without a name.
std::string result_name(VkResult result);

// The status that a failing result comes to.
vd_status result_status(VkResult result) noexcept;

[[noreturn]] void fail_call(VkResult result, const char* call, const std::string& what);

// check(r, "vkCreateBuffer", "a buffer of {} bytes", size): nothing if the call succeeded.
template <class... Args>
void check(VkResult result, const char* call, fmt::format_string<Args...> what, Args&&... args) {
  if (result < 0) [[unlikely]]
    fail_call(result, call, fmt::format(what, std::forward<Args>(args)...));
}

}  // namespace vd::vulkan
