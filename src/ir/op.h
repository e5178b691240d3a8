// The op table (ops.inc) as data. The builder's and the verifier's type rules, the text form and vd_op_get_info() read
// it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/kernel.h"

namespace vd::ir {

// The operands that an op takes; type_rules.cpp has the one implementation. "Numbers" are integers and floats, scalar
// or vector. docs/operations.md repeats the comments of these rules and classes.
enum class OperandRule : uint8_t {
  None,            // none
  Any,             // checked where the instruction is made
  Value,           // any value
  Buffer,          // a buffer, or a shared array
  Index,           // a reference or value with elements; an integer scalar
  Struct,          // a struct, by reference or value
  Reference,       // a reference that can be loaded
  Store,           // a writable reference; a value of its type
  View,            // a buffer or shared array
  Initial,         // nothing, or the first value of a variable
  Swizzle,         // scalar, vector or complex
  Components,      // parts of a value
  Copy,            // a reference to shared memory; one to a buffer
  Arithmetic,      // numbers, complex or matrix, all of one type
  Numbers,         // integers or floats, scalar or vector, all of one type
  Integers,        // integers, scalar or vector, all of one type
  Floats,          // floats, scalar or vector, all of one type
  Transcendental,  // floats or complex, all of one type
  Absolute,        // numbers or complex
  Product,         // numbers or complex of one type; complex or matrix by its scalar
  Quotient,        // numbers or complex of one type; complex or matrix by its scalar
  Shift,           // integers; integers of the same shape
  Equality,        // numbers, bools, complex or matrix, all of one type
  Booleans,        // bools, scalar or vector
  Bits,            // integers or bools
  Sum,             // numbers or complex
  Select,          // bool or bools; two values of one type
  Convert,         // scalar, vector, complex or matrix
  Bitcast,         // a value of the same size
  Dot,             // two vectors or scalars of numbers
  Cross,           // two float vectors of 3
  Geometry,        // float vectors or scalars of one type
  Complex,         // complex
  Angle,           // a float scalar
  Matrix,          // a matrix
  SquareMatrix,    // a square matrix
  Outer,           // two float vectors
  Matmul,          // matrices and vectors of fitting sizes
  AtomicNumber,    // a reference to a 32- or 64-bit scalar; values of it
  AtomicInteger,   // a reference to a 32- or 64-bit integer; values of it
  Cluster,         // a reference to a scalar or complex of 4 bytes at least in shared memory; an u32
  Exchange,        // scalar, vector or complex; the lane an u32 or i32
  Condition,       // a bool
  Counter,         // integers of one type, 32 or 64 bits
  Return,          // nothing, or the function's result
  String,          // a string
  Printf,          // a string; scalars
  Assert,          // a bool; a string
  Sample,          // an image that is sampled; floats, as many as it has coordinates; a float
  Fetch,           // an image that is sampled or read; integers, as many as it has coordinates; an integer
  Put,             // an image that is written; integers, as many as it has coordinates; four channels
  Image,           // an image; an integer
};

// The type of an op's value.
enum class ResultRule : uint8_t {
  Nothing,     // none
  Any,         // any
  First,       // as the first operand
  Second,      // as the second operand
  Constant,    // the given type: scalar, vector or complex
  Sized,       // the given type: any value type
  Builtin,     // u32 or u32x3
  Shape,       // i32x4
  Element,     // the element
  Field,       // the field
  Loaded,      // the value behind the reference
  View,        // an array of the given type
  Variable,    // a reference to the given type
  Swizzle,     // as many components as chosen
  Real,        // the scalar of a complex, vector or matrix; else as the first operand
  Comparison,  // bool, or as many bools as components
  Bool,        // bool
  Ballot,      // u32x4
  Convert,     // the given type, in the operand's shape
  Bitcast,     // the given type
  Cis,         // complex
  Transposed,  // the transposed matrix
  Outer,       // a matrix
  Matmul,      // matrix or vector
  Atomic,      // the scalar behind the reference
  Texel,       // four channels of the image
};

// The meaning of an op's immediate, apart from VD_MATH_PRECISE and VD_MATH_NATIVE.
enum class ImmediateRule : uint8_t {
  None,      // 0
  Internal,  // not checked
  Bits,      // the scalar's bits
  Builtin,   // a vd_builtin
  Field,     // the field's number
  Access,    // VD_ACCESS_ bits
  Swizzle,   // 2 bits for each component, their count in bits 8-11
  CopySize,  // bytes: 4, 8 or 16
  Groups,    // how many groups may be open, at most 255
  Memory,    // VD_MEMORY_ bits
  Loop,      // VD_LOOP_, or the factor to unroll by
  Resume,    // 1 continues the if that was closed last
};

// Classes of an op.
enum : uint32_t {
  kStatement = 1 << 0,     // takes its place in the program when emitted
  kConvergent = 1 << 1,    // never moved, merged or duplicated across control flow
  kReads = 1 << 2,         // reads memory
  kWrites = 1 << 3,        // writes memory, or something that a user sees
  kTerminator = 1 << 4,    // nothing runs after it in its region
  kBlock = 1 << 5,         // has regions
  kLeaf = 1 << 6,          // in no region
  kLocated = 1 << 7,       // can fail: its place is part of a node's identity
  kFloat = 1 << 8,         // takes VD_MATH_PRECISE and VD_MATH_NATIVE
  kAtomic = 1 << 9,        // accesses memory in one piece
  kSubgroup = 1 << 10,     // of the lanes of a subgroup
  kBarrier = 1 << 11,      // waits for other invocations
  kLoop = 1 << 12,         // a loop
  kBuilderOnly = 1 << 13,  // in no finished kernel
  kInternal = 1 << 14,     // no front end emits it
  kUnstable = 1 << 15,     // may change or go in any release
  kImage = 1 << 16,        // of an image, its first operand
};

struct OpInfo {
  Op op;
  const char* id;             // "VD_OP_ADD"
  const char* name;           // "add"
  const char* operand_names;  // "x, low, high"
  OperandRule operands;
  ResultRule result;
  ImmediateRule immediate;
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

// Above the numbers of all public ops, for tables by number.
inline constexpr uint32_t kPublicOps = [] {
  uint32_t end = 0;
#define VD_IR_OP(id, number, ...) end = number + 1;
#define VD_IR_OP_INTERNAL(...)
#include "ir/ops.inc"
#undef VD_IR_OP
#undef VD_IR_OP_INTERNAL
  return end;
}();

bool is_op(Op op);
const OpInfo& op_info(Op op);                  // throws VD_ERR_INVALID for a number that is no op
std::span<const OpInfo> all_ops();             // by number, internal ones last
const OpInfo* find_op(std::string_view name);  // of the text form; null if there is none

// Classes by op.
inline bool is_public(Op op) { return is_op(op) && !op_info(op).has(kInternal); }
inline bool is_atomic(Op op) { return op_info(op).has(kAtomic); }
inline bool is_loop(Op op) { return op_info(op).has(kLoop); }
inline bool is_subgroup(Op op) { return op_info(op).has(kSubgroup); }
// Gives a value that other lanes of the subgroup have a part in.
inline bool is_lane_exchange(Op op) { return (op_info(op).flags & (kSubgroup | kBarrier)) == kSubgroup; }
// Waits for the whole workgroup, or for more.
inline bool is_workgroup_barrier(Op op) { return (op_info(op).flags & (kSubgroup | kBarrier)) == kBarrier; }

// Names of the built-in values, as "global_id", and their types.
inline constexpr uint32_t kBuiltinCount = 12;
const char* builtin_name(uint32_t builtin);
Type builtin_type(uint32_t builtin);
bool is_subgroup_builtin(uint64_t builtin);  // an id or size of subgroups

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
