// What must be known of SPIR-V before a driver gets it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace vd::vulkan {

inline constexpr uint32_t kSpirvMagic = 0x07230203;

struct SpirvEntry {
  bool found = false;
  bool fixed = false;                           // whether its mode says a size
  std::array<uint32_t, 3> local_size{1, 1, 1};  // 1 where specialisation constants alone give it
};

// The compute entry point of that name. `words` begin with a header; what comes after it may be anything.
SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name);

// What the code reaches outside of itself, as far as it is seen: nothing of it in a module of several entry points.
struct SpirvUses {
  struct Binding {
    uint32_t set = 0, binding = 0;
    bool buffer = false;  // a storage buffer; else an image, a sampler, a uniform block
  };
  std::vector<Binding> bindings;
  uint32_t push_end = 0;  // where the first byte of the last push constant ends
};
SpirvUses find_uses(std::span<const uint32_t> words);

// Whether the code knows of subgroups: of ids, sizes or operations. `words` as above.
bool uses_subgroups(std::span<const uint32_t> words);

}  // namespace vd::vulkan
