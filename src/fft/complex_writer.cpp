#include "fft/complex_writer.h"

#include "fft/root.h"
#include "ir/emitter.h"

namespace vd::fft {

Value ComplexWriter::constant(double value) {
  return builder().emit(VD_OP_CONST, real_, {}, ir::scalar_bits_of(real_.scalar(), value), 0);
}

Complex ComplexWriter::add_i(Complex a, Complex b, int sign) {
  if (sign < 0) return {real_add(a.re, b.im), real_sub(a.im, b.re)};
  return {real_sub(a.re, b.im), real_add(a.im, b.re)};
}

Complex ComplexWriter::scale(Complex a, double by) { return by == 1 ? a : scale(a, constant(by)); }

Complex ComplexWriter::mul(Complex a, Complex b) {
  return {real_sub(real_mul(a.re, b.re), real_mul(a.im, b.im)), real_add(real_mul(a.re, b.im), real_mul(a.im, b.re))};
}

Complex ComplexWriter::mul_conj(Complex a, Complex b) {
  return {real_add(real_mul(a.re, b.re), real_mul(a.im, b.im)), real_sub(real_mul(a.im, b.re), real_mul(a.re, b.im))};
}

Complex ComplexWriter::mul_root(Complex a, int64_t k, uint64_t n) {
  const auto size = static_cast<int64_t>(n);
  const uint64_t turn = static_cast<uint64_t>((k % size + size) % size);
  if (turn == 0) return a;
  if (8 * turn % n == 0) {
    const Value half = constant(root(1, 8).re);
    switch (8 * turn / n) {
      case 1:
        return scale(Complex{real_sub(a.re, a.im), real_add(a.re, a.im)}, half);
      case 2:
        return {neg(a.im), a.re};
      case 3:
        return scale(Complex{neg(real_add(a.re, a.im)), real_sub(a.re, a.im)}, half);
      case 4:
        return {neg(a.re), neg(a.im)};
      case 5:
        return scale(Complex{real_sub(a.im, a.re), neg(real_add(a.re, a.im))}, half);
      case 6:
        return {a.im, neg(a.re)};
      default:
        return scale(Complex{real_add(a.re, a.im), real_sub(a.im, a.re)}, half);
    }
  }
  const Root w = root(turn, n);
  return mul(a, {constant(w.re), constant(w.im)});
}

Complex ComplexWriter::select(Value condition, Complex a, Complex b) {
  if (condition == 0) return a;
  return {emit(VD_OP_SELECT, {condition, a.re, b.re}), emit(VD_OP_SELECT, {condition, a.im, b.im})};
}

Complex ComplexWriter::split(Value a) { return {emit(VD_OP_INDEX, {a, index(0)}), emit(VD_OP_INDEX, {a, index(1)})}; }

}  // namespace vd::fft
