#include "codegen/spirv.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "codegen/spirv_words.h"
#include "core/error.h"
#include "core/texel.h"

namespace vd::codegen {

namespace {

// The pointers that an instruction of a function goes through.
std::span<const uint32_t> pointers_of(uint32_t op, std::span<const uint32_t> operands) {
  const auto part = [&](size_t first, size_t count) {
    return first < operands.size() ? operands.subspan(first, std::min(count, operands.size() - first))
                                   : std::span<const uint32_t>();
  };
  if (op == spv::kOpStore) return part(0, 1);
  if (op > spv::kOpStore && op <= spv::kOpCopyMemorySized) return part(0, 2);
  if (op == spv::kOpFunctionCall) return part(3, operands.size());
  if (op == spv::kOpImageTexelPointer || op == spv::kOpLoad ||
      (op >= spv::kOpAccessChain && op <= spv::kOpArrayLength) || op == spv::kOpCopyObject)
    return part(2, 1);
  return {};
}

// A variable outside of functions, and its decorations.
struct DeclaredVariable {
  uint32_t storage = 0, type = 0, set = 0, binding = 0;
};

// A member of a struct, and its offset.
struct DeclaredMember {
  uint32_t type = 0, offset = 0, matrix_stride = 0;
  bool row_major = false;
  bool readable = true, writable = true;
  std::string name;
};

// A type that holds others: a vector, matrix, array or struct of `count` times `element`.
struct DeclaredType {
  uint32_t op = 0, element = 0, count = 0, stride = 0;
  uint64_t size = 0;                          // of scalars, vectors and structs
  uint64_t packed = 0;                        // without gaps, as in shared memory
  ir::Type value;                             // of a scalar, vector or matrix that the kernel language has
  uint32_t dim = 0, sampled = 0, format = 0;  // of an image
  bool arrayed = false, multisampled = false;
  bool readable = true, writable = true;  // some member of a struct
};

// Numbers of a module may be arbitrary; products of two of them fit in 64 bits, and a sum stays below this limit.
constexpr uint64_t kAbsurd = uint64_t{1} << 62;
uint64_t capped(uint64_t size) { return std::min(size, kAbsurd); }
uint64_t strided(uint64_t stride, uint32_t count, uint64_t last) {
  return count == 0 ? 0 : capped(stride * (count - 1) + last);
}
uint64_t times(uint64_t size, uint32_t count) { return count != 0 && size > kAbsurd / count ? kAbsurd : size * count; }

// SPIR-V's image formats, in the order of their numbers; none where the library has no such texels.
constexpr vd_format kFormats[] = {
    VD_FORMAT_NONE,       VD_FORMAT_RGBA32_F32, VD_FORMAT_RGBA16_F16, VD_FORMAT_R32_F32,   VD_FORMAT_RGBA8_UNORM,
    VD_FORMAT_NONE,       VD_FORMAT_RG32_F32,   VD_FORMAT_RG16_F16,   VD_FORMAT_NONE,      VD_FORMAT_R16_F16,
    VD_FORMAT_NONE,       VD_FORMAT_NONE,       VD_FORMAT_NONE,       VD_FORMAT_RG8_UNORM, VD_FORMAT_NONE,
    VD_FORMAT_R8_UNORM,   VD_FORMAT_NONE,       VD_FORMAT_NONE,       VD_FORMAT_NONE,      VD_FORMAT_NONE,
    VD_FORMAT_NONE,       VD_FORMAT_RGBA32_I32, VD_FORMAT_RGBA16_I16, VD_FORMAT_RGBA8_I8,  VD_FORMAT_R32_I32,
    VD_FORMAT_RG32_I32,   VD_FORMAT_RG16_I16,   VD_FORMAT_RG8_I8,     VD_FORMAT_R16_I16,   VD_FORMAT_R8_I8,
    VD_FORMAT_RGBA32_U32, VD_FORMAT_RGBA16_U16, VD_FORMAT_RGBA8_U8,   VD_FORMAT_R32_U32,   VD_FORMAT_NONE,
    VD_FORMAT_RG32_U32,   VD_FORMAT_RG16_U16,   VD_FORMAT_RG8_U8,     VD_FORMAT_R16_U16,   VD_FORMAT_R8_U8};
static_assert(std::size(kFormats) == 40);

// The value of an op on specialisation constants, if it is one that lengths and sizes are made of.
std::optional<uint32_t> evaluate(uint32_t op, uint32_t a, uint32_t b) {
  switch (op) {
    case 128:  // IAdd
      return a + b;
    case 130:  // ISub
      return a - b;
    case 132:  // IMul
      return a * b;
    case 134:  // UDiv
      return b == 0 ? std::nullopt : std::optional(a / b);
    case 135:  // SDiv
      return b == 0 || static_cast<int32_t>(a) < 0 || static_cast<int32_t>(b) < 0 ? std::nullopt : std::optional(a / b);
    case 137:  // UMod
      return b == 0 ? std::nullopt : std::optional(a % b);
    case 194:  // ShiftRightLogical
      return b > 31 ? std::nullopt : std::optional(a >> b);
    case 196:  // ShiftLeftLogical
      return b > 31 ? std::nullopt : std::optional(a << b);
    default:
      return std::nullopt;
  }
}

// The instructions of a module before its functions.
struct SpirvDeclarations {
  uint32_t entry = 0;                                        // function of the entry point
  std::unordered_map<uint32_t, DeclaredVariable> variables;  // by id
  std::unordered_map<uint32_t, uint32_t> constants;          // their first words
  std::unordered_set<uint32_t> uncertain;           // constants whose words may be replaced, or that have more than one
  std::unordered_map<uint32_t, uint32_t> pointees;  // of pointer types
  std::unordered_map<uint32_t, DeclaredType> types;                 // by id
  std::map<std::pair<uint32_t, uint32_t>, DeclaredMember> members;  // of (struct type, number)
  std::unordered_map<uint32_t, uint32_t> sets, binds, strides;      // which are said before the things themselves
  std::unordered_map<uint32_t, std::string> names;                  // of any id
  std::unordered_set<uint32_t> buffer_blocks;                       // struct types
  std::unordered_set<uint32_t> builtins;                            // variables
  std::unordered_set<uint32_t> unwritable, unreadable;              // variables

  void add(uint32_t op, std::span<const uint32_t> o, std::string_view name) {
    if (op == spv::kOpEntryPoint && o.size() > 2 && o[0] == spv::kGlCompute && spv::string_at(o.subspan(2)) == name)
      entry = o[1];
    if (op == spv::kOpName && o.size() >= 2) names[o[0]] = spv::string_at(o.subspan(1));
    if (op == spv::kOpDecorate && o.size() == 2 && o[1] == spv::kBufferBlock) buffer_blocks.insert(o[0]);
    if (op == spv::kOpDecorate && o.size() == 2 && o[1] == spv::kNonWritable) unwritable.insert(o[0]);
    if (op == spv::kOpDecorate && o.size() == 2 && o[1] == spv::kNonReadable) unreadable.insert(o[0]);
    if (op == spv::kOpDecorate && o.size() == 3 && o[1] == spv::kBuiltIn) builtins.insert(o[0]);
    // If it appears twice, drivers use one or the other: the larger must be in range.
    if (op == spv::kOpDecorate && o.size() == 3 && o[1] == spv::kDescriptorSet) sets[o[0]] = std::max(sets[o[0]], o[2]);
    if (op == spv::kOpDecorate && o.size() == 3 && o[1] == spv::kBinding) binds[o[0]] = std::max(binds[o[0]], o[2]);
    if (op == spv::kOpDecorate && o.size() == 3 && o[1] == spv::kArrayStride) strides[o[0]] = o[2];
    if (op == spv::kOpMemberName && o.size() >= 3) members[{o[0], o[1]}].name = spv::string_at(o.subspan(2));
    if (op == spv::kOpMemberDecorate && o.size() >= 3) decorate(members[{o[0], o[1]}], o);
    if ((op == spv::kOpConstant || op == spv::kOpSpecConstant) && o.size() >= 3) constants[o[1]] = o[2];
    const bool wide = op == spv::kOpConstant && o.size() > 3 && o[3] != 0;
    if ((op == spv::kOpSpecConstant || op == spv::kOpSpecConstantOp || wide) && o.size() >= 3) uncertain.insert(o[1]);
    if (op == spv::kOpSpecConstantOp && o.size() == 5) {
      const auto a = constants.find(o[3]), b = constants.find(o[4]);
      if (a != constants.end() && b != constants.end())
        if (const auto value = evaluate(o[2], a->second, b->second)) constants[o[1]] = *value;
    }
    if (op == spv::kOpTypePointer && o.size() == 3) pointees[o[0]] = o[2];
    if (op == spv::kOpVariable && o.size() >= 3) variables[o[1]] = {o[2], pointees[o[0]], sets[o[1]], binds[o[1]]};
    if (op >= spv::kOpTypeBool && op <= spv::kOpTypeStruct && !o.empty()) types[o[0]] = type_of(op, o);
  }

  static void decorate(DeclaredMember& member, std::span<const uint32_t> o) {
    if (o[2] == spv::kRowMajor) member.row_major = true;
    if (o[2] == spv::kNonWritable) member.writable = false;
    if (o[2] == spv::kNonReadable) member.readable = false;
    if (o[2] == spv::kOffset && o.size() == 4) member.offset = o[3];
    if (o[2] == spv::kMatrixStride && o.size() == 4) member.matrix_stride = o[3];
  }

  DeclaredType type_of(uint32_t op, std::span<const uint32_t> o) {
    DeclaredType type;
    type.op = op;
    if (op <= spv::kOpTypeFloat) type.value = ir::Type(spv::declared_scalar(op, o));
    if (op == spv::kOpTypeBool) type.packed = 4;
    if ((op == spv::kOpTypeInt || op == spv::kOpTypeFloat) && o.size() >= 2) type.size = type.packed = o[1] / 8;
    if ((op == spv::kOpTypeVector || op == spv::kOpTypeMatrix || op == spv::kOpTypeArray) && o.size() == 3) {
      const DeclaredType& element = types[o[1]];
      type.element = o[1];
      const auto length = constants.find(o[2]);
      type.count = op != spv::kOpTypeArray ? o[2] : length != constants.end() ? length->second : 0;
      type.stride = op == spv::kOpTypeArray ? strides[o[0]] : 0;
      type.packed = times(element.packed, type.count);
      const bool few = type.count >= 2 && type.count <= 4;
      if (op == spv::kOpTypeVector) {
        type.size = times(element.size, type.count);
        if (few && element.value.is_scalar()) type.value = ir::Type::vector(element.value.scalar(), type.count);
      }
      if (op == spv::kOpTypeMatrix && few && element.value.is_vector())
        type.value = ir::Type::matrix(element.value.scalar(), type.count, element.value.count());
    }
    if (op == spv::kOpTypeRuntimeArray && o.size() == 2) type.element = o[1];
    if (op == spv::kOpTypeSampledImage && o.size() == 2) type.element = o[1];
    if (op == spv::kOpTypeImage && o.size() >= 8) {
      type.element = o[1];
      type.dim = o[2];
      type.arrayed = o[4] != 0;
      type.multisampled = o[5] != 0;
      type.sampled = o[6];
      type.format = o[7];
    }
    if (op == spv::kOpTypeStruct && o.size() > 1) type.readable = type.writable = false;
    for (uint32_t i = 1; op == spv::kOpTypeStruct && i < o.size(); ++i) {
      DeclaredMember& member = members[{o[0], i - 1}];
      type.readable = type.readable || member.readable;
      type.writable = type.writable || member.writable;
      member.type = o[i];
      type.size = std::max(type.size, capped(member.offset + extent(member)));
      type.packed = capped(type.packed + types[o[i]].packed);
    }
    return type;
  }

  // Bytes from the first to the last of a member. A type comes behind those that it is made of, so none holds itself.
  uint64_t extent(const DeclaredMember& member) { return extent(member.type, member, 0); }
  uint64_t extent(uint32_t id, const DeclaredMember& member, int depth) {
    const DeclaredType type = types[id];
    if (depth > 32) return kAbsurd;
    if (type.op == spv::kOpTypeArray) return strided(type.stride, type.count, extent(type.element, member, depth + 1));
    if (type.op != spv::kOpTypeMatrix) return type.size;
    const DeclaredType column = types[type.element];
    const uint64_t scalar = types[column.element].size;
    return member.row_major ? strided(member.matrix_stride, column.count, scalar * type.count)
                            : strided(member.matrix_stride, type.count, column.size);
  }

  SpirvBinding describe(uint32_t id, const DeclaredVariable& variable) {
    SpirvBinding binding;
    binding.set = variable.set;
    binding.binding = variable.binding;
    binding.id = id;
    uint32_t type_id = variable.type;
    for (int depth = 0; depth < 32; ++depth) {
      const DeclaredType& type = types[type_id];
      if (type.op != spv::kOpTypeArray && type.op != spv::kOpTypeRuntimeArray) break;
      binding.count = static_cast<uint32_t>(
          std::min<uint64_t>(times(binding.count, type.op == spv::kOpTypeArray ? type.count : 0), UINT32_MAX));
      type_id = type.element;
    }
    const DeclaredType type = types[type_id];
    if (const auto name = names.find(id); name != names.end()) binding.name = name->second;
    if (binding.name.empty())
      if (const auto name = names.find(type_id); name != names.end()) binding.name = name->second;
    binding.readable = !unreadable.contains(id);
    binding.writable = !unwritable.contains(id);
    const bool block = variable.storage == spv::kUniform && !buffer_blocks.contains(type_id);
    if (variable.storage == spv::kStorageBuffer || variable.storage == spv::kUniform) {
      binding.element = last_element(type_id);
      binding.kind = block ? VD_BINDING_UNIFORM_BUFFER : VD_BINDING_STORAGE_BUFFER;
      binding.size = type.size;
      binding.readable = binding.readable && type.readable;
      binding.writable = binding.writable && type.writable && !block;
    } else if (type.op == spv::kOpTypeSampler) {
      binding.kind = VD_BINDING_SAMPLER;
      binding.writable = false;
    } else {
      describe_image(type, binding);
    }
    return binding;
  }

  // The numbers that indices of an access have, up to the first one that is not known.
  std::vector<uint32_t> path_of(std::span<const uint32_t> indices) const {
    constexpr size_t kMost = 32;  // types nest no deeper in any block that a device has room for
    std::vector<uint32_t> path;
    for (const uint32_t id : indices) {
      const auto number = constants.find(id);
      if (path.size() == kMost || number == constants.end() || uncertain.contains(id)) break;
      path.push_back(number->second);
    }
    return path;
  }

  // The members of a struct, in their order.
  struct MembersOf {
    std::map<std::pair<uint32_t, uint32_t>, DeclaredMember>::const_iterator first, last;
    auto begin() const { return first; }
    auto end() const { return last; }
  };
  MembersOf members_of(uint32_t type) const {
    return {members.lower_bound({type, 0}), members.upper_bound({type, UINT32_MAX})};
  }

  // The type of the elements of the array that a block ends in.
  ir::Type last_element(uint32_t block) {
    auto after = members.lower_bound({block + 1, 0});
    if (after == members.begin() || std::prev(after)->first.first != block) return {};
    const DeclaredType& last = types[std::prev(after)->second.type];
    const bool array = last.op == spv::kOpTypeArray || last.op == spv::kOpTypeRuntimeArray;
    return array ? types[last.element].value : ir::Type();
  }

  void describe_image(const DeclaredType& type, SpirvBinding& binding) {
    const bool combined = type.op == spv::kOpTypeSampledImage;
    const DeclaredType image = combined ? types[type.element] : type;
    const bool storage = !combined && image.sampled == 2;
    if (!storage) binding.writable = false;
    // Images have one to three dimensions here; cubes, texel buffers and attachments are others.
    if (image.op != spv::kOpTypeImage || image.dim > 2 || image.multisampled || (image.dim == 2 && image.arrayed))
      return;
    binding.kind = combined ? VD_BINDING_SAMPLED_IMAGE : storage ? VD_BINDING_STORAGE_IMAGE : VD_BINDING_TEXTURE;
    const ir::Scalar channel = types[image.element].value.scalar();
    const vd_argument_access access = !storage ? 0u
                                               : (binding.readable ? uint32_t{VD_ARGUMENT_ACCESS_READ} : 0u) |
                                                     (binding.writable ? uint32_t{VD_ARGUMENT_ACCESS_WRITE} : 0u);
    vd_format format = VD_FORMAT_NONE;
    if (storage && image.format < std::size(kFormats)) format = kFormats[image.format];
    binding.other_format = storage && image.format != 0 && format == VD_FORMAT_NONE;
    binding.image = ir::Type::image(channel, image.dim + 1, image.arrayed,
                                    storage && access == 0 ? uint32_t{VD_ARGUMENT_ACCESS_READ} : access, format);
  }
};

// The parts of a variable that code accesses, as a tree of their numbers: of members of structs, and of elements.
struct UsedParts {
  bool whole = false;
  std::map<uint32_t, std::unique_ptr<UsedParts>> parts;

  // Adds the part that a path of numbers leads to.
  void add(std::span<const uint32_t> path) {
    UsedParts* at = this;
    for (const uint32_t number : path) {
      std::unique_ptr<UsedParts>& part = at->parts[number];
      if (part == nullptr) part = std::make_unique<UsedParts>();
      at = part.get();
    }
    at->whole = true;
  }
};

// The used elements of an array. A number past its end is any of them: what such code reads is the driver's affair.
const UsedParts* used_elements(const UsedParts* used, uint64_t count) {
  static const UsedParts& all = *new UsedParts{.whole = true, .parts = {}};  // never destroyed: work may outlive main()
  if (used == nullptr || used->whole || used->parts.empty() || used->parts.rbegin()->first < count) return used;
  return &all;
}

// The used parts of a part; null where it is not used.
const UsedParts* used_part(const UsedParts* used, uint32_t number) {
  if (used == nullptr || used->whole) return used;
  const auto found = used->parts.find(number);
  return found == used->parts.end() ? nullptr : found->second.get();
}

// The members of blocks of push constants. Members of structs are listed one by one, and so are the elements of arrays of
// structs or arrays: "lights[1].color". A member of too many parts, which no device's block has room for, stays whole.
struct PushConstantList {
  explicit PushConstantList(SpirvDeclarations& of) : declared(of) {}

  SpirvDeclarations& declared;
  std::vector<SpirvPushConstant> found;

  void add(const DeclaredMember& member, const UsedParts* used) {
    const size_t before = found.size();
    const bool apart = add_parts(member.name, member.offset, member.type, member, used, 0);
    if (apart && found.size() > before) return;
    found.resize(before);
    add_whole(member.name, member.offset, member.type, member, used);
  }

 private:
  static constexpr int kMostDepth = 32;
  static constexpr size_t kMostName = 256;
  uint32_t steps_left_ = 16384;

  static std::string joined(const std::string& name, std::string_view between, const std::string& part) {
    if (name.empty() || part.empty() || name.size() + part.size() > kMostName) return "";
    return fmt::format("{}{}{}", name, between, part);
  }

  void add_whole(const std::string& name, uint64_t offset, uint32_t id, const DeclaredMember& member,
                 const UsedParts* used) {
    const DeclaredType type = declared.types[id];
    const bool array = type.op == spv::kOpTypeArray;
    const ir::Type element = array ? declared.types[type.element].value : ir::Type();
    const bool matrix = type.value.is_matrix() || element.is_matrix();
    found.push_back({.name = name,
                     .offset = offset,
                     .size = declared.extent(id, member, 0),
                     .type = type.value,
                     .element = element,
                     .stride = array ? type.stride : 0,
                     .matrix_stride = matrix ? member.matrix_stride : 0,
                     .row_major = matrix && member.row_major,
                     .used = used != nullptr});
  }

  // False where there are too many parts. `member` has the layout of a matrix in it.
  bool add_parts(const std::string& name, uint64_t offset, uint32_t id, const DeclaredMember& member,
                 const UsedParts* used, int depth) {
    if (depth > kMostDepth) return false;
    const DeclaredType type = declared.types[id];
    const uint32_t element = type.op == spv::kOpTypeArray ? declared.types[type.element].op : 0;
    if (type.op == spv::kOpTypeStruct) {
      for (const auto& [key, part] : declared.members_of(id)) {
        const uint64_t at = capped(offset + part.offset);
        if (!take_steps(1) ||
            !add_parts(joined(name, ".", part.name), at, part.type, part, used_part(used, key.second), depth + 1))
          return false;
      }
    } else if (element == spv::kOpTypeStruct || element == spv::kOpTypeArray) {
      if (!take_steps(type.count)) return false;
      used = used_elements(used, type.count);
      for (uint32_t i = 0; i < type.count; ++i)
        if (!add_parts(joined(name, "", fmt::format("[{}]", i)), capped(offset + times(type.stride, i)), type.element,
                       member, used_part(used, i), depth + 1))
          return false;
    } else {
      add_whole(name, offset, id, member, used);
    }
    return true;
  }

  bool take_steps(uint32_t count) {
    if (count > steps_left_) return false;
    steps_left_ -= count;
    return true;
  }
};

// The variables that one function accesses, and the functions that it calls.
struct CalledFunction {
  struct Use {
    uint32_t variable = 0;
    // The numbers of a part of push constants, of its part and so on; empty: the whole variable.
    std::vector<uint32_t> path;
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

void check_spirv_words(std::span<const uint32_t> words, const std::string& what) {
  // SPIRV-Tools does not look at the last word of the header, which drivers want to be 0.
  if (words.size() < spv::kHeaderWords || words.front() != kSpirvMagic || words[4] != 0)
    fail(VD_ERR_COMPILE, "{} ({} bytes) is not a SPIR-V module.", what, words.size_bytes());
  bool needs_function = false, in_function = false;
  const size_t end = spv::for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t>) {
    if (op == spv::kOpEntryPoint) needs_function = true;
    if (op == spv::kOpFunction) in_function = true;
    if (op == spv::kOpFunctionEnd) needs_function = in_function = false;
    return true;
  });
  if (end != words.size())
    fail(VD_ERR_COMPILE, "{} is not valid: the instruction at word {} has {} words, and the module ends at word {}.",
         what, end, words[end] >> 16, words.size());
  if (in_function || needs_function)
    fail(VD_ERR_COMPILE, "{} is cut off: it ends at word {} {}.", what, words.size(),
         in_function ? "within a function" : "before the function of its entry point");
}

SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name) {
  SpirvEntry entry;
  uint32_t function = 0, overriding = 0;
  std::unordered_map<uint32_t, uint32_t> constants;
  std::unordered_map<uint32_t, uint32_t> spec_ids;
  std::array<uint32_t, 3> ids{};  // of constants that give the size
  spv::for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    const bool mode = (op == spv::kOpExecutionMode || op == spv::kOpExecutionModeId) && entry.found &&
                      operands.size() == 5 && operands[0] == function;
    if (op == spv::kOpEntryPoint && operands.size() > 2 && operands[0] == spv::kGlCompute &&
        spv::string_at(operands.subspan(2)) == name) {
      entry.found = true;
      function = operands[1];
    } else if (mode && operands[1] == spv::kLocalSize) {
      entry.fixed = true;
      entry.workgroup_size = entry.mode_size = {operands[2], operands[3], operands[4]};
    } else if (mode && operands[1] == spv::kLocalSizeId) {
      ids = {operands[2], operands[3], operands[4]};
    } else if (op == spv::kOpDecorate && operands.size() == 3 && operands[1] == spv::kSpecId) {
      spec_ids[operands[0]] = operands[2];
    } else if (op == spv::kOpDecorate && operands.size() == 3 && operands[1] == spv::kBuiltIn &&
               operands[2] == spv::kWorkgroupSize) {
      overriding = operands[0];
    } else if ((op == spv::kOpConstant || op == spv::kOpSpecConstant) && operands.size() >= 3) {
      constants[operands[1]] = operands[2];
    } else if ((op == spv::kOpConstantComposite || op == spv::kOpSpecConstantComposite) && operands.size() == 5 &&
               operands[1] == overriding && overriding != 0) {
      ids = {operands[2], operands[3], operands[4]};  // comes before every mode
    }
  });
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto found = constants.find(ids[axis]);
    if (ids[axis] == 0 || found == constants.end()) continue;
    entry.fixed = true;
    entry.workgroup_size[axis] = found->second;
    if (const auto spec = spec_ids.find(ids[axis]); spec != spec_ids.end()) entry.size_ids[axis] = spec->second;
  }
  return entry;
}

std::vector<std::string> find_entries(std::span<const uint32_t> words) {
  std::vector<std::string> names;
  spv::for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op == spv::kOpEntryPoint && operands.size() > 2 && operands[0] == spv::kGlCompute)
      names.emplace_back(spv::string_at(operands.subspan(2)));
  });
  return names;
}

SpirvPushConstant SpirvUses::last_push_constant() const {
  SpirvPushConstant last;
  for (const SpirvPushConstant& one : push_constants)
    if (one.used && one.end() > last.end()) last = one;
  return last;
}

namespace {

// The functions that an entry point calls, and what they access. `largest_variable` becomes that of any function.
std::vector<CalledFunction::Use> uses_of(std::span<const uint32_t> words, const SpirvDeclarations& declared,
                                         uint64_t& largest_variable) {
  std::unordered_map<uint32_t, CalledFunction> functions;
  uint32_t current = 0;
  spv::for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op == spv::kOpFunction && operands.size() == 4) current = operands[1];
    if (current == 0) return true;
    CalledFunction& function = functions[current];
    if (op == spv::kOpVariable && operands.size() >= 3) {
      const auto pointee = declared.pointees.find(operands[0]);
      const auto type =
          pointee == declared.pointees.end() ? declared.types.end() : declared.types.find(pointee->second);
      if (type != declared.types.end()) largest_variable = std::max(largest_variable, type->second.packed);
    }
    if (op == spv::kOpFunctionCall && operands.size() >= 3) function.callees.push_back(operands[2]);
    for (const uint32_t id : pointers_of(op, operands)) {
      const auto variable = declared.variables.find(id);
      if (variable == declared.variables.end()) continue;
      const bool chain = op == spv::kOpAccessChain || op == spv::kOpInBoundsAccessChain;
      function.uses.push_back({id, {}});
      if (chain && variable->second.storage == spv::kPushConstant)
        function.uses.back().path = declared.path_of(operands.subspan(std::min<size_t>(3, operands.size())));
    }
    return true;
  });
  std::vector<CalledFunction::Use> uses;
  std::unordered_set<uint32_t> reached{declared.entry};
  std::vector<uint32_t> waiting{declared.entry};
  while (!waiting.empty()) {
    const CalledFunction& function = functions[waiting.back()];
    waiting.pop_back();
    for (const uint32_t callee : function.callees)
      if (reached.insert(callee).second && functions.contains(callee)) waiting.push_back(callee);
    uses.insert(uses.end(), function.uses.begin(), function.uses.end());
  }
  return uses;
}

}  // namespace

SpirvUses find_uses(std::span<const uint32_t> words, std::string_view entry) {
  SpirvDeclarations declared;
  spv::for_each_declaration(
      words, [&](uint32_t op, std::span<const uint32_t> operands) { declared.add(op, operands, entry); });
  std::unordered_set<uint32_t> used;
  std::map<uint32_t, UsedParts> used_blocks;  // of push constants, by their types
  SpirvUses uses;
  for (const CalledFunction::Use& use : uses_of(words, declared, uses.largest_variable)) {
    used.insert(use.variable);
    const DeclaredVariable& variable = declared.variables[use.variable];
    if (variable.storage == spv::kPushConstant) used_blocks[variable.type].add(use.path);
  }
  std::set<uint32_t> blocks;  // types of push constants; a valid module has one
  for (const auto& [id, variable] : declared.variables) {
    switch (variable.storage) {
      case spv::kInput:
      case spv::kOutput:
        if (!declared.builtins.contains(id)) uses.stray_variable = id;
        break;
      case spv::kWorkgroup:
        if (used.contains(id)) uses.shared_size = capped(uses.shared_size + declared.types[variable.type].packed);
        break;
      case spv::kPrivate:
        uses.largest_variable = std::max(uses.largest_variable, declared.types[variable.type].packed);
        break;
      case spv::kPushConstant:
        blocks.insert(variable.type);
        break;
      case spv::kStorageBuffer:
      case spv::kUniform:
      case spv::kUniformConstant:
        uses.bindings.push_back(declared.describe(id, variable));
        uses.bindings.back().used = used.contains(id);
        break;
      default:
        break;
    }
  }
  PushConstantList listed(declared);
  for (const uint32_t block : blocks)
    for (const auto& [key, member] : declared.members_of(block))
      listed.add(member, used_part(&used_blocks[block], key.second));
  uses.push_constants = std::move(listed.found);
  std::ranges::sort(uses.bindings, {}, [](const SpirvBinding& b) { return std::tuple(b.set, b.binding, b.id); });
  return uses;
}

bool uses_subgroups(std::span<const uint32_t> words) {
  bool uses = false;
  spv::for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    uses = uses || (op == spv::kOpCapability && operands.size() == 1 && is_of_subgroups(operands[0]));
  });
  return uses;
}

std::vector<uint32_t> find_capabilities(std::span<const uint32_t> words) {
  std::vector<uint32_t> capabilities;
  spv::for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op == spv::kOpCapability && operands.size() == 1) capabilities.push_back(operands[0]);
  });
  return capabilities;
}

}  // namespace vd::codegen
