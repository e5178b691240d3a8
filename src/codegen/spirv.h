// A module of SPIR-V, as it describes its compute entry points: for checks before a driver gets it, and for users who
// look into modules. The words may be arbitrary behind a header; every answer is then some answer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/type.h"
#include "vkdispatch.h"

namespace vd::codegen {

inline constexpr uint32_t kSpirvMagic = 0x07230203;

// Throws VD_ERR_COMPILE unless the words are a header, whole instructions and whole functions; `what` names them: the SPIR-V of plan "blur".
void check_spirv_words(std::span<const uint32_t> words, const std::string& what);

struct SpirvEntry {
  bool found = false;
  bool fixed = false;                               // whether the module says a size
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};  // with the defaults of specialisation constants
  std::array<uint32_t, 3> mode_size{1, 1, 1};       // of the entry point's mode, which a built-in constant overrides
  // Specialisation constants that give the size.
  std::array<uint32_t, 3> size_ids{VD_NO_SPEC_CONSTANT, VD_NO_SPEC_CONSTANT, VD_NO_SPEC_CONSTANT};
};

// The compute entry point of that name.
SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name);
// The names of all compute entry points.
std::vector<std::string> find_entries(std::span<const uint32_t> words);

// A variable of a descriptor set.
struct SpirvBinding {
  uint32_t set = 0, binding = 0, id = 0;
  vd_binding_kind kind = VD_BINDING_OTHER;
  uint32_t count = 1;  // of descriptors; 0 if it is not known
  bool used = false;   // by the entry point
  bool readable = true, writable = true;
  uint64_t size = 0;  // of a buffer, at least
  std::string name;
  // The type of an image of one, two or three dimensions, with the format none where the code says none; none for others.
  ir::Type image;
  ir::Type element;           // of the array that ends a buffer's block; none for others
  bool other_format = false;  // a format that images of the library cannot have
};

// A member of the block of push constants that is no struct; of structs in it each member: "lights[1].color".
struct SpirvPushConstant {
  std::string name;  // "" where the module names none
  uint64_t offset = 0, size = 0;
  ir::Type type;
  ir::Type element;  // of an array; none for others
  uint64_t stride = 0;
  uint32_t matrix_stride = 0;  // from one column or row of a matrix to the next; 0 for others
  bool row_major = false;      // whether a matrix has row after row in memory
  bool used = false;
  uint64_t end() const { return offset + size; }
};

// Things that an entry point uses, as far as the module shows it.
struct SpirvUses {
  std::vector<SpirvBinding> bindings;  // all that are declared, by set and number
  std::vector<SpirvPushConstant> push_constants;
  uint64_t shared_size = 0;                // of a workgroup, at least
  uint64_t largest_variable = 0;           // of an invocation's own, in bytes, at least
  std::optional<uint32_t> stray_variable;  // an input or output that is no built-in value

  // The push constant that ends last, of those used.
  SpirvPushConstant last_push_constant() const;
};
SpirvUses find_uses(std::span<const uint32_t> words, std::string_view entry);

// Whether the code knows of subgroups: of ids, sizes or operations.
bool uses_subgroups(std::span<const uint32_t> words);
std::vector<uint32_t> find_capabilities(std::span<const uint32_t> words);

// A scalar whose default the user of a module may replace.
struct SpecConstant {
  uint32_t id = 0;
  std::string name;
  ir::Type type;      // of a bool, 32 bits are stored
  uint64_t bits = 0;  // of the default
};
// Ordered by their numbers.
std::vector<SpecConstant> find_spec_constants(std::span<const uint32_t> words);
// Makes the values the module's defaults. Throws VD_ERR_INVALID with a constant that does not exist or is given twice, or
// with a value that does not fit; `what` names the module.
void specialise(std::vector<uint32_t>& words, std::span<const vd_spec_constant> values, const std::string& what);

}  // namespace vd::codegen
