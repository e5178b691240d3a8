// Random programs: well typed, free of races, with the same result for any order of invocations. One is drawn from a
// seed (generator.cpp), computed here (interpreter.cpp), written as a kernel (writer.cpp) and, if a device's result
// differs, made smaller (shrinker.cpp).
//
// A program has private variables; of each type that it uses an array that it reads, and one that it reads and writes,
// each invocation its own element; counters for atomics; and at the top level exchanges through shared memory.
#pragma once

#include <functional>
#include <memory>
#include <random>

#include "recorded.h"
#include "reference.h"

namespace vdc::random {

// bool, i8 ... u64, f16 ... f64, and complex of f32 and f64.
using Kind = vd_type;
inline bool is_complex(Kind kind) { return kind == VD_TYPE_COMPLEX_F32 || kind == VD_TYPE_COMPLEX_F64; }
inline Kind part_of(Kind kind) { return is_complex(kind) ? static_cast<Kind>(kind & 0xff) : kind; }
inline uint32_t size_of(Kind kind) { return bits_of(part_of(kind)) / 8 * (is_complex(kind) ? 2 : 1); }

// A value's bits; of a complex number two.
struct Data {
  uint64_t re = 0, im = 0;
};

struct Expression {
  enum class What { Constant, Variable, Input, Output, GlobalId, LocalId, Argument, Op } what = What::Constant;
  Kind kind = VD_TYPE_U32;
  Data constant;
  uint32_t variable = 0;
  vd_op op = VD_OP_NONE;
  std::vector<std::unique_ptr<Expression>> operands;
};
using Tree = std::unique_ptr<Expression>;

struct Statement {
  // Count runs its block `count` times, with the number in a private counter; While as often as its condition's value
  // modulo 4 says, which is evaluated before each time.
  enum class What { Assign, Output, If, Count, While, Break, Continue, Atomic, Exchange } what = What::Assign;
  uint32_t variable = 0;    // Assign, Exchange: the target
  Kind kind = VD_TYPE_U32;  // Output: which array; Atomic: i32 or u32
  uint32_t count = 0;       // Count: times; Atomic: which counter; Exchange: how far
  Tree value;
  std::vector<std::unique_ptr<Statement>> then, otherwise;
};
using Block = std::vector<std::unique_ptr<Statement>>;

inline constexpr uint32_t kLocalSize = 32;
// The op of each counter: what their order does not matter to.
inline constexpr vd_op kCounterOps[] = {VD_OP_ATOMIC_ADD, VD_OP_ATOMIC_AND, VD_OP_ATOMIC_OR,
                                        VD_OP_ATOMIC_XOR, VD_OP_ATOMIC_MIN, VD_OP_ATOMIC_MAX};
inline constexpr uint32_t kCounters = 6;

struct Program {
  std::vector<Kind> kinds;      // that have arrays
  std::vector<Kind> variables;  // their types
  Block body;
  uint32_t invocations = 96;
  int32_t argument = 0;                          // a value that travels with the launch
  std::vector<std::vector<Data>> input, output;  // by kind: before the launch
  std::vector<Data> counters[2];                 // u32, i32
};

// Properties of a device that the random choice needs.
struct Device {
  vd_features features = 0;
  bool flushes_denormals = false;
  // Mesa's llvmpipe (22.3) replaces int(float(x)) by x, which is right only for values that fit the float's digits, and
  // x + 0 by x and x * 0 by 0 if the zero is a constant, whatever the shader asks for.
  bool llvmpipe = false;
};
Device describe(Session& session, vd_builder_flags flags = VD_BUILDER_PRECISE);

Program generate(uint64_t seed, const Device& device);
// The program as a kernel's text, and what it computes.
Recorded record(const Program& program, const Device& device);
// Makes a failing program smaller as long as it fails. Arrays, variables and addresses stay.
void shrink(Program& program, const std::function<bool()>& fails);

}  // namespace vdc::random
