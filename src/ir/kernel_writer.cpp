#include "ir/kernel_writer.h"

#include <bit>

#include "ir/emitter.h"
#include "ir/op.h"

namespace vd::ir {

Value KernelWriter::emit(vd_op op, std::initializer_list<Value> operands, Type type, uint64_t immediate) {
  const Value made = builder_->emit(op, type, {operands.begin(), operands.size()}, immediate, 0);
  if (op_info(op).has(kStatement) || Builder::type_of(made).is_reference()) return made;
  return builder_->emit(VD_OP_LET, Type(), {&made, 1}, 0, 0);
}

// ---- Indices

Value KernelWriter::index(uint64_t value, Type type) {
  const Value made = builder_->emit(VD_OP_CONST, type, {}, value, 0);
  known_[made] = value;
  return made;
}

bool KernelWriter::is_known(Value value, uint64_t& out) const {
  const auto found = known_.find(value);
  if (found == known_.end()) return false;
  out = found->second;
  return true;
}

Value KernelWriter::widen(Value a, Type to) {
  if (type(a) == to) return a;
  uint64_t known = 0;
  return is_known(a, known) ? index(known, to) : emit(VD_OP_CONVERT, {a}, to);
}

Value KernelWriter::add(Value a, Value b) {
  const Type wide = type(a) == kU64 || type(b) == kU64 ? kU64 : kU32;
  uint64_t x = 0, y = 0;
  const bool know_a = is_known(a, x), know_b = is_known(b, y);
  if (know_a && know_b) return index(x + y, wide);
  if (know_a && x == 0) return widen(b, wide);
  if (know_b && y == 0) return widen(a, wide);
  return emit(VD_OP_ADD, {widen(a, wide), widen(b, wide)});
}

Value KernelWriter::mul(Value a, uint64_t b) {
  uint64_t x = 0;
  if (is_known(a, x)) return index(x * b, type(a));
  if (b == 0) return index(0, type(a));
  if (b == 1) return a;
  if (std::has_single_bit(b)) return emit(VD_OP_SHL, {a, index(static_cast<uint64_t>(std::countr_zero(b)))});
  return emit(VD_OP_MUL, {a, index(b, type(a))});
}

Value KernelWriter::div(Value a, uint64_t b) {
  uint64_t x = 0;
  if (is_known(a, x)) return index(x / b, type(a));
  if (b == 1) return a;
  if (std::has_single_bit(b)) return emit(VD_OP_SHR, {a, index(static_cast<uint64_t>(std::countr_zero(b)))});
  return emit(VD_OP_DIV, {a, index(b, type(a))});
}

Value KernelWriter::rem(Value a, uint64_t b) {
  uint64_t x = 0;
  if (is_known(a, x)) return index(x % b, type(a));
  if (b == 1) return index(0, type(a));
  if (std::has_single_bit(b)) return emit(VD_OP_AND, {a, index(b - 1, type(a))});
  return emit(VD_OP_REM, {a, index(b, type(a))});
}

Value KernelWriter::builtin(vd_builtin which, uint32_t component) {
  const Value vector = builder_->emit(VD_OP_BUILTIN, Type(), {}, which, 0);
  return emit(VD_OP_INDEX, {vector, index(component)});
}

Value KernelWriter::below(Value a, uint64_t limit) { return emit(VD_OP_LT, {a, index(limit, type(a))}); }

Value KernelWriter::both(Value a, Value b) {
  if (a == 0 || b == 0) return a == 0 ? b : a;
  return emit(VD_OP_LAND, {a, b});
}

// ---- Memory and blocks

Value KernelWriter::convert(Value a, Scalar to) {
  return type(a).scalar() == to ? a : emit(VD_OP_CONVERT, {a}, type(a).with(to));
}

void KernelWriter::begin_if(Value condition) {
  if (condition != 0) emit(VD_OP_IF, {condition});
}

void KernelWriter::end_if(Value condition) {
  if (condition != 0) emit(VD_OP_END, {});
}

}  // namespace vd::ir
