// A finished kernel: typed, scheduled, structured code. Passes, printers, the interpreter, the text form and the hash
// see only this. There is no goto and no phi: regions hold instructions in order, if and loops hold regions, and
// changing values are in variables.
//
// Rules that a verified kernel keeps (src/ir/verify.h):
// - An instruction's number in `insts` is its value's number. Leaves (Argument, Shared, Constant, String, and the ops
//   Const, Zero and Builtin) belong to no region and are available everywhere. Every other instruction is in exactly
//   one region.
// - An operand's instruction comes earlier in the same region or in an enclosing one. The exception is VAR: its storage
//   lasts for the whole kernel and is zero until the declaration runs, so other regions may refer to it.
// - Every load is explicit. A reference (a type with a space) is an operand only of INDEX, MEMBER, VIEW, LOAD, STORE,
//   SHAPE, ATOMIC_* and ASYNC_COPY. INDEX on a reference gives a reference, INDEX on a value gives a value.
// - Operands of arithmetic, comparison and select have one type, with these exceptions: shift counts (any integer, same
//   shape); SELECT's condition (bool); MUL and DIV of a complex or a matrix by a scalar; MATMUL, OUTER, CIS, DOT,
//   LENGTH, DISTANCE. For a vector and a scalar, the builder makes a vector of the scalar (CONSTRUCT with one operand).
// - IF: operand 0 is the condition; regions then, else (kNoRegion without). SCOPE: region 0.
// - WHILE: region 0 computes the condition, operand 0, before each iteration; region 1 is the body. LOOP: region 1 is
//   the body.
// - FOR: operands start, stop, step (integers of one type, step not 0); its value is the counter, which runs while it is
//   below stop (above it for a negative step); region 1 is the body.
// - RETURN in a kernel has no operand. BREAK and CONTINUE are inside a loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/type.h"

namespace vd::ir {

using Op = vd_op;

// Instructions that no front end emits: kOpArgument and the like, with numbers above all public ops.
#define VD_IR_OP(...)
#define VD_IR_OP_INTERNAL(id, name, number, ...) inline constexpr Op id = static_cast<Op>(number);
#include "ir/ops.inc"
#undef VD_IR_OP
#undef VD_IR_OP_INTERNAL

using ValueId = uint32_t;
using RegionId = uint32_t;
inline constexpr ValueId kNoValue = 0xffffffffu;
inline constexpr RegionId kNoRegion = 0xffffffffu;

// The depth of nested blocks in a builder's kernel; passes may double it. Passes may therefore recurse over regions.
inline constexpr uint32_t kMaxDepth = 200;

struct Inst {
  Op op = VD_OP_NONE;
  Type type;                   // of the value; none() for statements without one
  uint64_t immediate = 0;      // as vkdispatch.h says for the op; VD_MATH_PRECISE and VD_MATH_NATIVE in the top bits
  uint32_t location = 0;       // index in `locations`; 0: none
  uint32_t first_operand = 0;  // in `operands`
  uint32_t operand_count = 0;
  std::array<RegionId, 2> regions{kNoRegion, kNoRegion};
};

struct Region {
  std::vector<ValueId> insts;
};

inline constexpr uint32_t kNoArgument = 0xffffffffu;

struct Argument {
  vd_argument_kind kind = VD_ARGUMENT_BUFFER;
  Type type;  // of a buffer's element, or of the value
  std::string name;
  vd_argument_access use = 0;  // derived by analyse()
  uint32_t binding = 0;        // buffers and images: place among them
  uint32_t offset = 0;         // values: first byte in the block of values
  // Of an image that units of the device sample, while its texels lie in a buffer: that buffer's argument
  // (passes/lower_images.h).
  uint32_t texels = kNoArgument;
};

// Bytes of whose multiple a buffer argument begins at: where 16-byte accesses to its elements would be aligned, as far as
// the element's size allows.
constexpr uint32_t argument_align(uint64_t element_size) {
  const uint64_t power = element_size & (~element_size + 1);
  return static_cast<uint32_t>(power == 0 ? 1 : power < 16 ? power : 16);
}

struct SharedArray {
  Type element;
  uint32_t count = 0;
  uint32_t offset = VD_SHARED_OFFSET_AUTO;  // bytes; given by assign_shared_offsets() where automatic
  bool explicit_offset = false;
  std::string name;
};

struct Location {
  std::string file, function;
  uint32_t line = 0;
};

struct Constant {
  Type type;
  std::vector<std::byte> bytes;  // memory layout
};

// Properties that a generator may fix and a device must have.
struct Attributes {
  std::array<uint32_t, 3> workgroup_size{};  // 0: the plan's
  std::array<uint32_t, 3> cluster_size{};    // 0: none
  uint32_t min_workgroups = 0;
  uint32_t shared_carveout = 0;  // percent plus 1
  uint32_t dynamic_shared_size = 0;
};

// The block of values that travels with a launch: the user's constants and variables first, in argument order and
// scalar block layout, then what the runtime fills in: the launch's size (u32x3, at exec_size_offset) if used, and an
// i32x4 for each buffer argument whose shape is read. Offsets are kNoOffset where absent.
inline constexpr uint32_t kNoOffset = 0xffffffffu;
struct ValueLayout {
  uint32_t user_size = 0;
  uint32_t total_size = 0;
  uint32_t exec_size_offset = kNoOffset;
  std::vector<uint32_t> shape_offsets;  // one an argument
};

struct Kernel {
  std::string name = "kernel";
  vd_builder_flags flags = 0;
  Type return_type;  // of a function
  Attributes attributes;
  TypeTable types;
  std::vector<Argument> arguments;
  std::vector<SharedArray> shareds;
  std::vector<Constant> constants;
  std::vector<std::string> strings;
  std::vector<Location> locations{Location{}};  // number 0 is "no place"
  std::vector<std::string> names;               // of variables, by ValueId; may be shorter than insts
  std::vector<Inst> insts;
  std::vector<ValueId> operands;
  std::vector<Region> regions{Region{}};
  RegionId body = 0;

  // Derived by analyse() (src/ir/analyse.h) when a kernel is finished and after every pass that may change it.
  vd_features requirements = 0;
  uint32_t shared_size = 0;
  bool uses_barrier = false;     // a workgroup barrier
  bool uses_convergent = false;  // a barrier or a subgroup operation
  ValueLayout values;

  std::span<const ValueId> operands_of(const Inst& inst) const {
    return {operands.data() + inst.first_operand, inst.operand_count};
  }
  std::span<const ValueId> operands_of(ValueId id) const { return operands_of(insts[id]); }
  bool is_function() const { return (flags & VD_BUILDER_FUNCTION) != 0; }

  // Append an instruction; the caller puts it into a region unless it is a leaf.
  ValueId add(Op op, Type type, std::span<const ValueId> args, uint64_t immediate = 0, uint32_t location = 0);
  RegionId add_region();
};

}  // namespace vd::ir
