// Instructions are a word with length and opcode, and their operands (SPIR-V specification, 2.3). Capabilities, entry
// points and their modes precede the first function, in that order.
#include "backends/vulkan/spirv.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace vd::vulkan {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpMemberName = 6;
constexpr uint32_t kOpTypeInt = 21, kOpTypeFloat = 22, kOpTypeVector = 23, kOpTypeMatrix = 24, kOpTypeArray = 28;
constexpr uint32_t kOpTypeStruct = 30;
constexpr uint32_t kOpEntryPoint = 15, kOpExecutionMode = 16, kOpCapability = 17, kOpTypePointer = 32, kOpConstant = 43;
constexpr uint32_t kOpFunction = 54, kOpFunctionCall = 57, kOpVariable = 59, kOpImageTexelPointer = 60, kOpLoad = 61;
constexpr uint32_t kOpStore = 62, kOpCopyMemorySized = 64, kOpAccessChain = 65, kOpInBoundsAccessChain = 66;
constexpr uint32_t kOpArrayLength = 68, kOpDecorate = 71, kOpMemberDecorate = 72, kOpCopyObject = 83;
constexpr uint32_t kRowMajor = 4, kArrayStride = 6, kMatrixStride = 7;                          // decorations
constexpr uint32_t kBufferBlock = 3, kBinding = 33, kDescriptorSet = 34, kOffset = 35;          // decorations
constexpr uint32_t kUniformConstant = 0, kUniform = 2, kPushConstant = 9, kStorageBuffer = 12;  // storage classes
constexpr uint32_t kInput = 1, kOutput = 3;                                                     // storage classes
constexpr uint32_t kGlCompute = 5;                                                              // an execution model
constexpr uint32_t kLocalSize = 17, kLocalSizeId = 38;                                          // execution modes
constexpr uint32_t kOpConstantComposite = 44, kOpSpecConstant = 50, kOpSpecConstantComposite = 51;
constexpr uint32_t kOpExecutionModeId = 331;
constexpr uint32_t kBuiltIn = 11, kWorkgroupSize = 25;  // a decoration, and its operand

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

// A variable outside of functions, and its decorations.
struct Variable {
  uint32_t storage = 0, type = 0, set = 0, binding = 0;
};

// A member of a struct, and its offset.
struct Member {
  uint32_t type = 0, offset = 0, matrix_stride = 0;
  bool row_major = false;
  std::string name;
};

// A type that holds others: a vector, matrix, array or struct of `count` times `element`.
struct Type {
  uint32_t op = 0, element = 0, count = 0, stride = 0;
  uint64_t size = 0;  // of scalars, vectors and structs
};

// Numbers of a module may be arbitrary; products of two of them fit in 64 bits, and a sum stays below this limit.
constexpr uint64_t kAbsurd = uint64_t{1} << 62;
uint64_t capped(uint64_t size) { return std::min(size, kAbsurd); }
uint64_t strided(uint64_t stride, uint32_t count, uint64_t last) {
  return count == 0 ? 0 : capped(stride * (count - 1) + last);
}

// The instructions of a module before its functions.
struct Declarations {
  uint32_t entry = 0;                                           // function of the entry point
  std::unordered_map<uint32_t, Variable> variables;             // by id
  std::unordered_map<uint32_t, uint32_t> constants;             // their first words
  std::unordered_map<uint32_t, uint32_t> pointees;              // of pointer types
  std::unordered_map<uint32_t, Type> types;                     // by id
  std::map<std::pair<uint32_t, uint32_t>, Member> members;      // of (struct type, number)
  std::unordered_map<uint32_t, uint32_t> sets, binds, strides;  // which are said before the things themselves
  std::unordered_set<uint32_t> buffer_blocks;                   // struct types
  std::unordered_set<uint32_t> builtins;                        // variables

  void add(uint32_t op, std::span<const uint32_t> o, std::string_view name) {
    if (op == kOpEntryPoint && o.size() > 2 && o[0] == kGlCompute && string_at(o.subspan(2)) == name) entry = o[1];
    if (op == kOpDecorate && o.size() == 2 && o[1] == kBufferBlock) buffer_blocks.insert(o[0]);
    if (op == kOpDecorate && o.size() == 3 && o[1] == kBuiltIn) builtins.insert(o[0]);
    // If it appears twice, drivers use one or the other: the larger must be in range.
    if (op == kOpDecorate && o.size() == 3 && o[1] == kDescriptorSet) sets[o[0]] = std::max(sets[o[0]], o[2]);
    if (op == kOpDecorate && o.size() == 3 && o[1] == kBinding) binds[o[0]] = std::max(binds[o[0]], o[2]);
    if (op == kOpDecorate && o.size() == 3 && o[1] == kArrayStride) strides[o[0]] = o[2];
    if (op == kOpMemberName && o.size() >= 3) members[{o[0], o[1]}].name = string_at(o.subspan(2));
    if (op == kOpMemberDecorate && o.size() >= 3) decorate(members[{o[0], o[1]}], o);
    if (op == kOpConstant && o.size() >= 3) constants[o[1]] = o[2];
    if (op == kOpTypePointer && o.size() == 3) pointees[o[0]] = o[2];
    if (op == kOpVariable && o.size() >= 3) variables[o[1]] = {o[2], pointees[o[0]], sets[o[1]], binds[o[1]]};
    if (op >= kOpTypeInt && op <= kOpTypeStruct && !o.empty()) types[o[0]] = type_of(op, o);
  }

  static void decorate(Member& member, std::span<const uint32_t> o) {
    if (o[2] == kRowMajor) member.row_major = true;
    if (o[2] == kOffset && o.size() == 4) member.offset = o[3];
    if (o[2] == kMatrixStride && o.size() == 4) member.matrix_stride = o[3];
  }

  Type type_of(uint32_t op, std::span<const uint32_t> o) {
    Type type;
    type.op = op;
    if ((op == kOpTypeInt || op == kOpTypeFloat) && o.size() >= 2) type.size = o[1] / 8;
    if ((op == kOpTypeVector || op == kOpTypeMatrix || op == kOpTypeArray) && o.size() == 3) {
      type.element = o[1];
      type.count = op == kOpTypeArray ? constants[o[2]] : o[2];
      type.stride = op == kOpTypeArray ? strides[o[0]] : 0;
      if (op == kOpTypeVector) type.size = capped(types[o[1]].size * type.count);
    }
    for (uint32_t i = 1; op == kOpTypeStruct && i < o.size(); ++i) {
      Member& member = members[{o[0], i - 1}];
      member.type = o[i];
      type.size = std::max(type.size, capped(member.offset + extent(member)));
    }
    return type;
  }

  // Bytes from the first to the last of a member. A type comes behind those that it is made of, so none holds itself.
  uint64_t extent(const Member& member) { return extent(member.type, member, 0); }
  uint64_t extent(uint32_t id, const Member& member, int depth) {
    const Type type = types[id];
    if (depth > 32) return kAbsurd;
    if (type.op == kOpTypeArray) return strided(type.stride, type.count, extent(type.element, member, depth + 1));
    if (type.op != kOpTypeMatrix) return type.size;
    const Type column = types[type.element];
    const uint64_t scalar = types[column.element].size;
    return member.row_major ? strided(member.matrix_stride, column.count, scalar * type.count)
                            : strided(member.matrix_stride, type.count, column.size);
  }
};

// The variables that one function accesses, and the functions that it calls.
struct Function {
  struct Use {
    uint32_t variable = 0;
    std::optional<uint32_t> member;  // none: the whole variable
  };
  std::vector<Use> uses;
  std::vector<uint32_t> callees;
};

bool is_of_subgroups(uint32_t capability) {
  // GroupNonUniform and the capabilities that build on it; ballot and vote of the extensions before it; rotate;
  // partitioned.
  return (capability >= 61 && capability <= 68) || capability == 4423 || capability == 4431 || capability == 6026 ||
         capability == 5297;
}

}  // namespace

SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name) {
  SpirvEntry entry;
  uint32_t function = 0, overriding = 0;
  std::unordered_map<uint32_t, uint32_t> constants;
  std::array<uint32_t, 3> ids{};  // of constants that give the size
  for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    const bool mode = (op == kOpExecutionMode || op == kOpExecutionModeId) && entry.found && operands.size() == 5 &&
                      operands[0] == function;
    if (op == kOpEntryPoint && operands.size() > 2 && operands[0] == kGlCompute &&
        string_at(operands.subspan(2)) == name) {
      entry.found = true;
      function = operands[1];
    } else if (mode && operands[1] == kLocalSize) {
      entry.fixed = true;
      entry.workgroup_size = entry.mode_size = {operands[2], operands[3], operands[4]};
    } else if (mode && operands[1] == kLocalSizeId) {
      ids = {operands[2], operands[3], operands[4]};
    } else if (op == kOpDecorate && operands.size() == 3 && operands[1] == kBuiltIn && operands[2] == kWorkgroupSize) {
      overriding = operands[0];
    } else if ((op == kOpConstant || op == kOpSpecConstant) && operands.size() >= 3) {
      constants[operands[1]] = operands[2];
    } else if ((op == kOpConstantComposite || op == kOpSpecConstantComposite) && operands.size() == 5 &&
               operands[1] == overriding && overriding != 0) {
      ids = {operands[2], operands[3], operands[4]};  // comes before every mode
    }
  });
  // A specialisation constant has its default, since no other value is given.
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto found = constants.find(ids[axis]);
    if (ids[axis] == 0 || found == constants.end()) continue;
    entry.fixed = true;
    entry.workgroup_size[axis] = found->second;
  }
  return entry;
}

SpirvUses find_uses(std::span<const uint32_t> words, std::string_view entry) {
  Declarations declared;
  for_each_declaration(words,
                       [&](uint32_t op, std::span<const uint32_t> operands) { declared.add(op, operands, entry); });
  std::unordered_map<uint32_t, Function> functions;
  uint32_t current = 0;
  for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op == kOpFunction && operands.size() == 4) current = operands[1];
    if (current == 0) return true;
    Function& function = functions[current];
    if (op == kOpFunctionCall && operands.size() >= 3) function.callees.push_back(operands[2]);
    for (const uint32_t id : pointers_of(op, operands)) {
      if (!declared.variables.contains(id)) continue;
      Function::Use use{id, {}};
      if ((op == kOpAccessChain || op == kOpInBoundsAccessChain) && operands.size() > 3) {
        if (const auto number = declared.constants.find(operands[3]); number != declared.constants.end())
          use.member = number->second;
      }
      function.uses.push_back(use);
    }
    return true;
  });

  SpirvUses uses;
  for (const auto& [id, variable] : declared.variables)
    if ((variable.storage == kInput || variable.storage == kOutput) && !declared.builtins.contains(id))
      uses.stray_variable = id;
  std::unordered_set<uint32_t> seen, reached{declared.entry};
  std::vector<uint32_t> waiting{declared.entry};
  while (!waiting.empty()) {
    const Function& function = functions[waiting.back()];
    waiting.pop_back();
    for (const uint32_t callee : function.callees)
      if (reached.insert(callee).second && functions.contains(callee)) waiting.push_back(callee);
    for (const Function::Use& use : function.uses) {
      const Variable& variable = declared.variables[use.variable];
      const uint32_t storage = variable.storage;
      if (storage == kPushConstant) {
        const uint32_t first = use.member.value_or(0), last = use.member.value_or(UINT32_MAX);
        auto member = declared.members.lower_bound({variable.type, first});
        for (; member != declared.members.end() && member->first <= std::pair(variable.type, last); ++member) {
          const SpirvUses::PushConstant found{member->second.name, member->second.offset,
                                              declared.extent(member->second)};
          if (found.end() > uses.last_push_constant.end()) uses.last_push_constant = found;
        }
      }
      if (storage != kStorageBuffer && storage != kUniform && storage != kUniformConstant) continue;
      const bool buffer =
          storage == kStorageBuffer || (storage == kUniform && declared.buffer_blocks.contains(variable.type));
      if (seen.insert(use.variable).second) uses.bindings.push_back({variable.set, variable.binding, buffer});
    }
  }
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
