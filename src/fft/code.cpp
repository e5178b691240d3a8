#include "fft/code.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "fft/root.h"
#include "ir/emitter.h"
#include "ir/op.h"

namespace vd::fft {

Value Code::emit(vd_op op, std::initializer_list<Value> operands, ir::Type type, uint64_t immediate) {
  const Value made = builder_->emit(op, type, {operands.begin(), operands.size()}, immediate, 0);
  if (ir::op_info(op).has(ir::kStatement) || ir::Builder::type_of(made).is_reference()) return made;
  return builder_->emit(VD_OP_LET, ir::Type(), {&made, 1}, 0, 0);
}

// ---- Indices

Value Code::index(uint64_t value, ir::Type type) {
  const Value made = builder_->emit(VD_OP_CONST, type, {}, value, 0);
  known_[made] = value;
  return made;
}

bool Code::is_known(Value value, uint64_t& out) const {
  const auto found = known_.find(value);
  if (found == known_.end()) return false;
  out = found->second;
  return true;
}

Value Code::widen(Value a, ir::Type to) {
  if (type(a) == to) return a;
  uint64_t known = 0;
  return is_known(a, known) ? index(known, to) : emit(VD_OP_CONVERT, {a}, to);
}

Value Code::add(Value a, Value b) {
  const ir::Type wide = type(a) == ir::kU64 || type(b) == ir::kU64 ? ir::kU64 : ir::kU32;
  uint64_t x = 0, y = 0;
  const bool know_a = is_known(a, x), know_b = is_known(b, y);
  if (know_a && know_b) return index(x + y, wide);
  if (know_a && x == 0) return widen(b, wide);
  if (know_b && y == 0) return widen(a, wide);
  return emit(VD_OP_ADD, {widen(a, wide), widen(b, wide)});
}

Value Code::mul(Value a, uint64_t b) {
  uint64_t x = 0;
  if (is_known(a, x)) return index(x * b, type(a));
  if (b == 0) return index(0, type(a));
  if (b == 1) return a;
  if (std::has_single_bit(b)) return emit(VD_OP_SHL, {a, index(static_cast<uint64_t>(std::countr_zero(b)))});
  return emit(VD_OP_MUL, {a, index(b, type(a))});
}

Value Code::div(Value a, uint64_t b) {
  uint64_t x = 0;
  if (is_known(a, x)) return index(x / b, type(a));
  if (b == 1) return a;
  if (std::has_single_bit(b)) return emit(VD_OP_SHR, {a, index(static_cast<uint64_t>(std::countr_zero(b)))});
  return emit(VD_OP_DIV, {a, index(b, type(a))});
}

Value Code::rem(Value a, uint64_t b) {
  uint64_t x = 0;
  if (is_known(a, x)) return index(x % b, type(a));
  if (b == 1) return index(0, type(a));
  if (std::has_single_bit(b)) return emit(VD_OP_AND, {a, index(b - 1, type(a))});
  return emit(VD_OP_REM, {a, index(b, type(a))});
}

Value Code::builtin(vd_builtin which, uint32_t component) {
  const Value vector = builder_->emit(VD_OP_BUILTIN, ir::Type(), {}, which, 0);
  return emit(VD_OP_INDEX, {vector, index(component)});
}

Value Code::below(Value a, uint64_t limit) { return emit(VD_OP_LT, {a, index(limit, type(a))}); }

Value Code::both(Value a, Value b) {
  if (a == 0 || b == 0) return a == 0 ? b : a;
  return emit(VD_OP_LAND, {a, b});
}

// ---- Complex numbers

Value Code::constant(double value) {
  return builder_->emit(VD_OP_CONST, real_, {}, ir::scalar_bits_of(real_.scalar(), value), 0);
}

Complex Code::add_i(Complex a, Complex b, int sign) {
  if (sign < 0) return {real_add(a.re, b.im), real_sub(a.im, b.re)};
  return {real_sub(a.re, b.im), real_add(a.im, b.re)};
}

Complex Code::scale(Complex a, double by) { return by == 1 ? a : scale(a, constant(by)); }

Complex Code::mul(Complex a, Complex b) {
  return {real_sub(real_mul(a.re, b.re), real_mul(a.im, b.im)), real_add(real_mul(a.re, b.im), real_mul(a.im, b.re))};
}

Complex Code::mul_conj(Complex a, Complex b) {
  return {real_add(real_mul(a.re, b.re), real_mul(a.im, b.im)), real_sub(real_mul(a.im, b.re), real_mul(a.re, b.im))};
}

Complex Code::mul_root(Complex a, int64_t k, uint64_t n) {
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

Complex Code::select(Value condition, Complex a, Complex b) {
  if (condition == 0) return a;
  return {emit(VD_OP_SELECT, {condition, a.re, b.re}), emit(VD_OP_SELECT, {condition, a.im, b.im})};
}

Complex Code::split(Value a) { return {emit(VD_OP_INDEX, {a, index(0)}), emit(VD_OP_INDEX, {a, index(1)})}; }

// ---- Memory and blocks

Value Code::convert(Value a, ir::Scalar to) {
  return type(a).scalar() == to ? a : emit(VD_OP_CONVERT, {a}, type(a).with(to));
}

void Code::begin_if(Value condition) {
  if (condition != 0) emit(VD_OP_IF, {condition});
}

void Code::end_if(Value condition) {
  if (condition != 0) emit(VD_OP_END, {});
}

}  // namespace vd::fft
