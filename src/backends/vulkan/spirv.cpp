// Instructions are a word with length and opcode, and their operands (SPIR-V specification, 2.3). Capabilities, entry
// points and their modes stand before the first function, in that order.
#include "backends/vulkan/spirv.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

namespace vd::vulkan {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpEntryPoint = 15, kOpExecutionMode = 16, kOpCapability = 17, kOpTypePointer = 32, kOpConstant = 43;
constexpr uint32_t kOpFunction = 54, kOpFunctionCall = 57, kOpVariable = 59, kOpImageTexelPointer = 60, kOpLoad = 61;
constexpr uint32_t kOpStore = 62, kOpCopyMemorySized = 64, kOpAccessChain = 65, kOpInBoundsAccessChain = 66;
constexpr uint32_t kOpArrayLength = 68, kOpDecorate = 71, kOpMemberDecorate = 72, kOpCopyObject = 83;
constexpr uint32_t kBufferBlock = 3, kBinding = 33, kDescriptorSet = 34, kOffset = 35;          // decorations
constexpr uint32_t kUniformConstant = 0, kUniform = 2, kPushConstant = 9, kStorageBuffer = 12;  // storage classes
constexpr uint32_t kGlCompute = 5;                                                              // an execution model
constexpr uint32_t kLocalSize = 17;                                                             // an execution mode

// A string's bytes, four a word, end with a zero.
std::string_view string_at(std::span<const uint32_t> words) {
  const auto* text = reinterpret_cast<const char*>(words.data());
  return {text, strnlen(text, words.size_bytes())};
}

// Calls f(opcode, operands) for each instruction, until it says false.
template <class F>
void for_each_instruction(std::span<const uint32_t> words, F&& f) {
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t op = words[at] & 0xffff, length = words[at] >> 16;
    if (length == 0 || length > words.size() - at || !f(op, words.subspan(at + 1, length - 1))) break;
    at += length;
  }
}

// The same for those before the first function.
template <class F>
void for_each_declaration(std::span<const uint32_t> words, F&& f) {
  for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op != kOpFunction) f(op, operands);
    return op != kOpFunction;
  });
}

// The pointers that an instruction of a function goes through.
std::span<const uint32_t> pointers_of(uint32_t op, std::span<const uint32_t> operands) {
  const auto part = [&](size_t first, size_t count) {
    return first < operands.size() ? operands.subspan(first, std::min(count, operands.size() - first))
                                   : std::span<const uint32_t>();
  };
  if (op == kOpStore) return part(0, 1);
  if (op > kOpStore && op <= kOpCopyMemorySized) return part(0, 2);
  if (op == kOpFunctionCall) return part(3, operands.size());
  if (op == kOpImageTexelPointer || op == kOpLoad || (op >= kOpAccessChain && op <= kOpArrayLength) ||
      op == kOpCopyObject)
    return part(2, 1);
  return {};
}

// A variable outside of functions, and what is said of it.
struct Variable {
  uint32_t storage = 0, type = 0, set = 0, binding = 0;
};

// What stands before the functions of a module.
struct Declarations {
  uint32_t entry_points = 0;
  std::unordered_map<uint32_t, Variable> variables;    // by id
  std::unordered_map<uint32_t, uint32_t> constants;    // their first words
  std::unordered_map<uint32_t, uint32_t> pointees;     // of pointer types
  std::unordered_map<uint64_t, uint32_t> offsets;      // of (struct type, member)
  std::unordered_map<uint32_t, uint32_t> sets, binds;  // of variables, which are declared behind their decorations
  std::unordered_set<uint32_t> buffer_blocks;          // struct types

  static uint64_t member(uint32_t type, uint32_t number) { return uint64_t{type} << 32 | number; }

  void add(uint32_t op, std::span<const uint32_t> o) {
    if (op == kOpEntryPoint) ++entry_points;
    if (op == kOpDecorate && o.size() == 2 && o[1] == kBufferBlock) buffer_blocks.insert(o[0]);
    if (op == kOpDecorate && o.size() == 3 && o[1] == kDescriptorSet) sets[o[0]] = o[2];
    if (op == kOpDecorate && o.size() == 3 && o[1] == kBinding) binds[o[0]] = o[2];
    if (op == kOpMemberDecorate && o.size() == 4 && o[2] == kOffset) offsets[member(o[0], o[1])] = o[3];
    if (op == kOpConstant && o.size() >= 3) constants[o[1]] = o[2];
    if (op == kOpTypePointer && o.size() == 3) pointees[o[0]] = o[2];
    if (op == kOpVariable && o.size() >= 3) variables[o[1]] = {o[2], pointees[o[0]], sets[o[1]], binds[o[1]]};
  }
};

bool is_of_subgroups(uint32_t capability) {
  // GroupNonUniform and what builds on it; ballot and vote of the extensions before it; rotate; partitioned.
  return (capability >= 61 && capability <= 68) || capability == 4423 || capability == 4431 || capability == 6026 ||
         capability == 5297;
}

}  // namespace

SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name) {
  SpirvEntry entry;
  uint32_t function = 0;
  for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op == kOpEntryPoint && operands.size() > 2 && operands[0] == kGlCompute &&
        string_at(operands.subspan(2)) == name) {
      entry.found = true;
      function = operands[1];
    }
    if (op == kOpExecutionMode && entry.found && operands.size() == 5 && operands[0] == function &&
        operands[1] == kLocalSize) {
      entry.fixed = true;
      entry.local_size = {operands[2], operands[3], operands[4]};
    }
  });
  return entry;
}

SpirvUses find_uses(std::span<const uint32_t> words) {
  Declarations declared;
  for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) { declared.add(op, operands); });
  SpirvUses uses;
  if (declared.entry_points != 1) return uses;  // whose functions are whose, is not looked at
  std::unordered_set<uint32_t> seen;
  bool inside = false;
  for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    inside = inside || op == kOpFunction;
    for (const uint32_t id : inside ? pointers_of(op, operands) : std::span<const uint32_t>()) {
      const auto found = declared.variables.find(id);
      if (found == declared.variables.end()) continue;
      const Variable& variable = found->second;
      const uint32_t storage = variable.storage;
      if (storage == kPushConstant && (op == kOpAccessChain || op == kOpInBoundsAccessChain) && operands.size() > 3) {
        const auto number = declared.constants.find(operands[3]);
        if (number == declared.constants.end()) continue;
        const auto offset = declared.offsets.find(Declarations::member(variable.type, number->second));
        if (offset != declared.offsets.end() && offset->second < UINT32_MAX)
          uses.push_end = std::max(uses.push_end, offset->second + 1);
      }
      if (storage != kStorageBuffer && storage != kUniform && storage != kUniformConstant) continue;
      const bool buffer =
          storage == kStorageBuffer || (storage == kUniform && declared.buffer_blocks.contains(variable.type));
      if (seen.insert(id).second) uses.bindings.push_back({variable.set, variable.binding, buffer});
    }
    return true;
  });
  return uses;
}

bool uses_subgroups(std::span<const uint32_t> words) {
  bool uses = false;
  for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    uses = uses || (op == kOpCapability && operands.size() == 1 && is_of_subgroups(operands[0]));
  });
  return uses;
}

}  // namespace vd::vulkan
