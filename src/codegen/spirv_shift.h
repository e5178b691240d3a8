// Lets printed kernels find their buffers behind where they are bound: each index into a storage buffer gets a number of
// elements added, which a uniform block has. So a buffer may begin at any element, though a device binds at an alignment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace vd::codegen {

struct ShiftedSpirv {
  // A variable of a storage buffer, in the order of the block's members, which are u32. A binding that is seen as
  // several types has several.
  struct Shift {
    uint32_t binding = 0;
    uint32_t stride = 0;  // bytes of an element
  };
  std::vector<uint32_t> words;
  std::vector<Shift> shifts;
};

// `binding` is that of the new block, in set 0. Nothing for code that uses buffers in another way than our printer
// writes: a block with one array, which is indexed at once.
std::optional<ShiftedSpirv> shift_buffers(std::span<const uint32_t> words, uint32_t binding);

}  // namespace vd::codegen
