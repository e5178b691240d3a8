// What must be known of SPIR-V before a driver gets it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace vd::vulkan {

inline constexpr uint32_t kSpirvMagic = 0x07230203;

struct SpirvEntry {
  bool found = false;
  bool fixed = false;                           // whether its mode says a size
  std::array<uint32_t, 3> local_size{1, 1, 1};  // 1 where specialisation constants alone give it
};

// The compute entry point of that name. `words` begin with a header; what comes after it may be anything.
SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name);

// Whether the code knows of subgroups: of ids, sizes or operations. `words` as above.
bool uses_subgroups(std::span<const uint32_t> words);

}  // namespace vd::vulkan
