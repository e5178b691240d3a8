// The files that name drivers to OpenCL's loader: one .icd file a driver, in the folder that OCL_ICD_VENDORS names,
// else in /etc/OpenCL/vendors. The loader passes over a broken one without a word, so we look ourselves.
#pragma once

#include <string>

namespace vd::opencl {

// The files whose library is missing or is not a driver, in words for the end of a message; "" if there are none.
std::string broken_drivers();

// Possible reasons why the loader found no driver, in such words.
std::string explain_drivers();

}  // namespace vd::opencl
