// Writes the engine's arithmetic: complex numbers as pairs of scalars.
#pragma once

#include <cstdint>

#include "ir/kernel_writer.h"

namespace vd::fft {

using ir::Value;

struct Complex {
  Value re, im;
};

class ComplexWriter : public ir::KernelWriter {
 public:
  // `compute` is the scalar that complex numbers are made of.
  // `wide`: an address in shared memory takes its known part in 64 bits, where it cannot wrap.
  ComplexWriter(ir::Builder& builder, ir::Scalar compute, bool wide = false)
      : ir::KernelWriter(builder), real_(compute), wide_(wide) {}

  ir::Type real() const { return real_; }
  ir::Type complex() const { return ir::Type::complex(real_.scalar()); }

  // An address in shared memory and a known number.
  Value shared_offset(Value a, uint64_t b) { return wide_ ? offset(widen(a, ir::kU64), b) : offset(a, b); }

  Value constant(double value);
  Complex zero() { return {constant(0), constant(0)}; }
  using ir::KernelWriter::add;
  using ir::KernelWriter::mul;
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

 private:
  ir::Type real_;
  bool wide_ = false;
};

}  // namespace vd::fft
