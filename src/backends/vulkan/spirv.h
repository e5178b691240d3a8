// Facts about SPIR-V that are checked before a driver gets it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vd::vulkan {

inline constexpr uint32_t kSpirvMagic = 0x07230203;

struct SpirvEntry {
  bool found = false;
  bool fixed = false;                               // whether the module says a size
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};  // with the defaults of specialisation constants
  std::array<uint32_t, 3> mode_size{1, 1, 1};       // of the entry point's mode, which a built-in constant overrides
};

// The compute entry point of that name. `words` begin with a valid header; the rest may be arbitrary.
SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name);

// Resources that an entry point uses, as far as the module shows them.
struct SpirvUses {
  struct Binding {
    uint32_t set = 0, binding = 0;
    bool buffer = false;  // a storage buffer; else an image, a sampler, a uniform block
  };
  struct PushConstant {
    std::string name;  // "" where the module names none
    uint64_t offset = 0, size = 0;
    uint64_t end() const { return offset + size; }
  };
  std::vector<Binding> bindings;
  PushConstant last_push_constant;         // of those used, the member that ends last
  std::optional<uint32_t> stray_variable;  // an input or output that is no built-in value
};
SpirvUses find_uses(std::span<const uint32_t> words, std::string_view entry);

// Whether the code knows of subgroups: of ids, sizes or operations. `words` as above.
bool uses_subgroups(std::span<const uint32_t> words);

}  // namespace vd::vulkan
