// The engine's hand on a kernel being written: arithmetic on complex numbers as pairs of scalars, and on indices. Every
// value is frozen where it is made, so that a statement never evaluates a whole transform again; what is known while
// the kernel is written folds at once.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <unordered_map>

#include "ir/builder.h"

namespace vd::fft {

using Value = vd_value;  // 0 is none

struct Complex {
  Value re, im;
};

class Code {
 public:
  // `compute` is the scalar that complex numbers are made of.
  Code(ir::Builder& builder, ir::Scalar compute) : builder_(&builder), real_(compute) {}

  ir::Builder& builder() { return *builder_; }
  ir::Type real() const { return real_; }
  ir::Type complex() const { return ir::Type::complex(real_.scalar()); }
  static ir::Type type(Value value) { return ir::Builder::type_of(value); }

  // Any op; a value is frozen, a reference stays a recipe.
  Value emit(vd_op op, std::initializer_list<Value> operands, ir::Type type = ir::Type(), uint64_t immediate = 0);

  // ---- Indices: u32, or u64 where one operand is
  Value index(uint64_t value, ir::Type type = ir::kU32);
  bool is_known(Value value, uint64_t& out) const;
  Value add(Value a, Value b);
  Value mul(Value a, uint64_t b);
  Value div(Value a, uint64_t b);
  Value rem(Value a, uint64_t b);
  Value offset(Value a, uint64_t b) { return add(a, index(b, type(a))); }
  Value widen(Value a, ir::Type to);
  Value builtin(vd_builtin which, uint32_t component);
  // Conditions; 0 is "always".
  Value below(Value a, uint64_t limit);
  Value both(Value a, Value b);

  // ---- Complex numbers
  Value constant(double value);
  Complex zero() { return {constant(0), constant(0)}; }
  Complex add(Complex a, Complex b) { return {real_add(a.re, b.re), real_add(a.im, b.im)}; }
  Complex sub(Complex a, Complex b) { return {real_sub(a.re, b.re), real_sub(a.im, b.im)}; }
  Complex add_i(Complex a, Complex b, int sign);  // a + sign * i * b
  Complex scale(Complex a, double by);
  Complex scale(Complex a, Value by) { return {real_mul(a.re, by), real_mul(a.im, by)}; }
  Complex mul(Complex a, Complex b);
  Complex mul_conj(Complex a, Complex b);  // a * conj(b)
  // a * exp(2 pi i k / n), by fewer operations where the root is a simple one.
  Complex mul_root(Complex a, int64_t k, uint64_t n);
  Complex select(Value condition, Complex a, Complex b);
  Value real_add(Value a, Value b) { return emit(VD_OP_ADD, {a, b}); }
  Value real_sub(Value a, Value b) { return emit(VD_OP_SUB, {a, b}); }
  Value real_mul(Value a, Value b) { return emit(VD_OP_MUL, {a, b}); }
  Value neg(Value a) { return emit(VD_OP_NEG, {a}); }
  // As one value of the complex type, and back.
  Value join(Complex a) { return emit(VD_OP_CONSTRUCT, {a.re, a.im}, complex()); }
  Complex split(Value a);

  // ---- Memory and blocks
  Value at(Value array, Value index) { return emit(VD_OP_INDEX, {array, index}); }
  Value load(Value reference) { return emit(VD_OP_LOAD, {reference}); }
  void store(Value reference, Value value) { emit(VD_OP_STORE, {reference, value}); }
  Value convert(Value a, ir::Scalar to);
  Value variable(ir::Type type) { return emit(VD_OP_VAR, {}, type); }
  void barrier() { emit(VD_OP_BARRIER, {}); }
  // Opens nothing where the condition is 0.
  void begin_if(Value condition);
  void end_if(Value condition);

 private:
  ir::Builder* builder_;
  ir::Type real_;
  std::unordered_map<Value, uint64_t> known_;  // indices that are constants
};

}  // namespace vd::fft
