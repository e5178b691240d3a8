// One op on scalars, as the IR defines it. Nothing of the library computes here: kernels are compared with this.
#pragma once

#include <span>

#include "numbers.h"

namespace vdc {

// A scalar of any type as its bits; a bool is 0 or 1.
struct Number {
  vd_type type = VD_TYPE_NONE;
  uint64_t bits = 0;
};

template <class T>
Number number_of(T value) {
  Number n{Traits<T>::type, 0};
  std::memcpy(&n.bits, &value, sizeof value);
  return n;
}
template <class T>
T value_of(Number n) {
  T value;
  std::memcpy(static_cast<void*>(&value), &n.bits, sizeof value);
  return value;
}

uint32_t bits_of(vd_type scalar);
bool is_float(vd_type scalar);
bool is_integer(vd_type scalar);
bool is_signed(vd_type scalar);
bool is_nan(Number n);
bool is_zero(Number n);  // of either sign
std::string show(Number n);

// Operations in an evaluation whose results may differ between devices.
struct Open {
  bool denormal = false;  // an operand or result of f16 or f32 is one, and devices may flush it
  bool value = false;     // the sign of a zero, or the bits of a NaN or a zero
};

// `op` of these operands, which is of type `type`. Floats are rounded as under VD_BUILDER_PRECISE. Ends the program for
// an op that it does not know.
Number evaluate(vd_op op, vd_type type, std::span<const Number> operands, Open& open);

// Integer ops by themselves, for tables of them. Unused operands are ignored.
template <class T>
T integer_op(vd_op op, T a, T b, T c);

}  // namespace vdc
