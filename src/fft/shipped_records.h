// The files of fft/records, which the build writes into the library.
#pragma once

#include <span>

namespace vd::fft {

struct ShippedRecords {
  const char* name;
  const char* text;
};
std::span<const ShippedRecords> shipped_records();

}  // namespace vd::fft
