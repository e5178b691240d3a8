// Counts with their nouns, for texts that people read.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace vd {

// "1 line", "0 lines", "2 lines". A noun whose plural takes more than an "s" has it given.
inline std::string count_of(uint64_t count, std::string_view one, std::string_view many = {}) {
  return fmt::format("{} {}{}", count, count == 1 || many.empty() ? one : many, count != 1 && many.empty() ? "s" : "");
}

}  // namespace vd
