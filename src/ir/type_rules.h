// The operand and result rules of the op table, in one place for the builder, the parser and the verifier.
#pragma once

#include <span>
#include <string>

#include "ir/op.h"

namespace vd::ir {

// The type of the result of `op` on operands of these types, or none() if it makes none. `given` is the type that the
// caller asks for; it decides where the operands do not (constants, conversions, views, variables) and must agree where
// they do, unless `given` is none(). Throws VD_ERR_INVALID with a message that names the op and the types.
//
// References stay references here: the builder loads them first where a value is wanted.
Type result_type(const TypeTable& types, Op op, Type given, std::span<const Type> operands, uint64_t immediate);

// The operands that may be references: bit i for operand i.
uint32_t reference_operands(Op op);

// The type of INDEX's result, without space; none() if `type` has no elements.
Type element_type(const TypeTable& types, Type type);
// The number of elements that INDEX may reach; 0 if only the launch knows.
uint32_t element_count(const TypeTable& types, Type type);

// Bits of one scalar of an integer type.
constexpr uint32_t scalar_bits(Scalar s) {
  switch (s) {
    case Scalar::I8:
    case Scalar::U8:
      return 8;
    case Scalar::I16:
    case Scalar::U16:
    case Scalar::F16:
      return 16;
    case Scalar::I64:
    case Scalar::U64:
    case Scalar::F64:
      return 64;
    default:
      return 32;
  }
}

// "f32, i32": for messages.
std::string type_list(const TypeTable& types, std::span<const Type> list);

}  // namespace vd::ir
