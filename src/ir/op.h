// The op table (ops.inc) as data. From it live the builder's and the verifier's type rules, the docs, the text form and
// vd_op_get_info().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/kernel.h"

namespace vd::ir {

// What operands an op takes; type_rules.cpp has the one implementation. "Numbers" are integers and floats, scalar or
// vector.
enum class OperandRule : uint8_t {
  None,
  Any,         // checked where the instruction is made
  Value,       // any value
  Buffer,      // a buffer, or a shared array
  Index,       // (reference or value with elements; integer scalar)
  Struct,      // a struct, by reference or value
  Reference,   // what can be loaded
  Store,       // (writable reference, value of its type)
  View,        // a buffer or shared array
  Initial,     // nothing, or the first value of a variable
  Swizzle,     // scalar, vector or complex
  Components,  // parts of a value
  Copy,        // (shared reference, storage reference)
  Arithmetic,  // numbers, complex or matrix, all of one type
  Numbers,     // integers or floats, scalar or vector, all of one type
  Integers,
  Floats,
  Transcendental,  // floats or complex
  Absolute,        // numbers or complex
  Product,         // as Arithmetic without matrix; complex or matrix by its scalar
  Quotient,        // the same
  Shift,           // (integers, integers of the same shape)
  Equality,        // numbers, bools, complex or matrix
  Booleans,        // bool, scalar or vector
  Bits,            // integers or bools
  Sum,             // numbers or complex
  Select,          // (bool or bools; two values of one type)
  Convert,
  Bitcast,
  Dot,       // two vectors (or scalars) of numbers
  Cross,     // two float vectors of 3
  Geometry,  // float vectors (or scalars) of one type
  Complex,
  Angle,  // float scalar
  Matrix,
  SquareMatrix,
  Outer,  // two float vectors
  Matmul,
  AtomicNumber,  // (reference to a 32- or 64-bit scalar, values of it)
  AtomicInteger,
  Exchange,   // (scalar, vector or complex[; u32 or i32])
  Condition,  // bool scalar
  Counter,    // three integers of one type, 32 or 64 bits
  Return,
  String,
  Printf,  // (string, values...)
  Assert,  // (bool[, string])
};

// What type an op's value has.
enum class ResultRule : uint8_t {
  Nothing,
  Any,
  First,  // the first operand's
  Second,
  Constant,  // as given: scalar, vector or complex
  Sized,     // as given: any value type
  Builtin,
  Shape,  // i32x4
  Element,
  Field,
  Loaded,
  View,
  Variable,
  Swizzle,
  Real,        // the first operand's scalar; of numbers, the operand's type (Absolute)
  Comparison,  // bool, or as many bools as components
  Bool,
  Ballot,  // u32x4
  Convert,
  Bitcast,
  Cis,
  Transposed,
  Outer,
  Matmul,
  Atomic,
};

// Flags of an op.
enum : uint32_t {
  kStatement = 1 << 0,   // takes its place when emitted
  kConvergent = 1 << 1,  // never moved, merged or duplicated across control flow
  kReads = 1 << 2,       // memory
  kWrites = 1 << 3,      // memory, or something that a user sees
  kTerminator = 1 << 4,  // nothing runs after it in its region
  kBlock = 1 << 5,       // has regions
  kLeaf = 1 << 6,        // in no region
  kLocated = 1 << 7,     // can fail: its place is part of a node's identity
  kFloat = 1 << 8,       // takes VD_MATH_PRECISE and VD_MATH_NATIVE
};

struct OpInfo {
  Op op;
  const char* id;             // "VD_OP_ADD"
  const char* name;           // "add"
  const char* operand_names;  // "x, low, high"
  OperandRule operands;
  ResultRule result;
  uint32_t min_operands;
  uint32_t max_operands;
  uint32_t flags;
  double native_ulp;
  double precise_ulp;
  const char* doc;

  bool has(uint32_t flag) const { return (flags & flag) != 0; }
  // No side effect and no memory: may be shared, moved within its region and dropped.
  bool is_pure() const { return (flags & (kStatement | kConvergent | kReads | kWrites)) == 0; }
};

// Gives a value that other lanes of the subgroup have a part in.
constexpr bool is_lane_exchange(Op op) { return op >= VD_OP_SUBGROUP_ADD && op <= VD_OP_SUBGROUP_BROADCAST; }

constexpr bool is_loop(Op op) { return op == VD_OP_WHILE || op == VD_OP_LOOP || op == VD_OP_FOR; }
bool is_op(Op op);
const OpInfo& op_info(Op op);                  // throws VD_ERR_INVALID for a number that is no op
std::span<const OpInfo> all_ops();             // by number, internal ones last
const OpInfo* find_op(std::string_view name);  // of the text form; null if there is none

// Names of the built-in values, as "global_id", and their types.
inline constexpr uint32_t kBuiltinCount = 12;
const char* builtin_name(uint32_t builtin);
Type builtin_type(uint32_t builtin);

// `immediate` without VD_MATH_PRECISE and VD_MATH_NATIVE.
inline constexpr uint64_t kClassBits = VD_MATH_PRECISE | VD_MATH_NATIVE;
constexpr uint64_t plain_immediate(uint64_t immediate) { return immediate & ~kClassBits; }

// VD_ACCESS_: how many elements a load or store moves at once.
constexpr uint32_t access_width(uint64_t immediate) {
  const uint32_t n = static_cast<uint32_t>(immediate & 0xff);
  return n == 0 ? 1 : n;
}
// Alignment in bytes that an access promises; 0 is the element's own.
constexpr uint32_t access_align(uint64_t immediate) {
  const uint32_t n = static_cast<uint32_t>(immediate >> 8 & 0xff);
  return n == 0 ? 0 : 1u << ((n - 1) & 31);
}

}  // namespace vd::ir
