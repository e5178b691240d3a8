// The parts of OpenCL that every file of this backend needs: its types, and check(), which turns a failing call into an
// Error that names the call, the code and what was asked for.
#pragma once

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS  // clCreateCommandQueue, which every version has
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "core/error.h"

namespace vd::opencl {

// "CL_OUT_OF_RESOURCES"; "OpenCL code -9999" for a number without a name.
std::string result_name(cl_int result);

// The status that a failing result comes to.
vd_status result_status(cl_int result) noexcept;

[[noreturn]] void fail_call(cl_int result, const char* call, const std::string& what);

// check(r, "clCreateBuffer", "a buffer of {} bytes", size): nothing if the call succeeded.
template <class... Args>
void check(cl_int result, const char* call, fmt::format_string<Args...> what, Args&&... args) {
  if (result != CL_SUCCESS) [[unlikely]]
    fail_call(result, call, fmt::format(what, std::forward<Args>(args)...));
}

}  // namespace vd::opencl
