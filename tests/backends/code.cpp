#include "code.h"
#include "support/argument.h"

#include <bit>

namespace vdc {

Code::Code(const std::string& name, vd_builder_flags flags, const vd_builder_desc* given) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  if (given != nullptr) desc = *given;
  desc.flags |= flags;
  desc.name = name.c_str();
  VDC(vd_builder_create(&desc, builder_.out()));
}

Value Code::argument(vd_argument_kind kind, vd_type type, const char* name) {
  Value value{0, this};
  VDC(declare_argument(builder_, kind, type, name, &value.v));
  return value;
}

Value Code::shared(vd_type element, uint32_t count, const char* name, uint32_t offset) {
  Value value{0, this};
  VDC(vd_builder_shared(builder_, element, count, offset, name, &value.v));
  return value;
}

vd_type Code::array(vd_type element, uint32_t count) {
  vd_type type = 0;
  VDC(vd_builder_array_type(builder_, element, count, &type));
  return type;
}

Value Code::op(vd_op op, std::initializer_list<Value> operands, vd_type type, uint64_t immediate,
               std::source_location where) {
  return this->op(op, std::span<const Value>(operands.begin(), operands.size()), type, immediate, where);
}

Value Code::op(vd_op op, std::span<const Value> operands, vd_type type, uint64_t immediate,
               std::source_location where) {
  std::vector<vd_value> raw;
  for (const Value& operand : operands) raw.push_back(operand.v);
  uint32_t location = 0;
  VDC(vd_builder_location(builder_, where.file_name(), where.line(), where.function_name(), &location));
  Value value{0, this};
  VDC(vd_builder_emit(builder_, op, type, raw.data(), static_cast<uint32_t>(raw.size()), immediate, location,
                      &value.v));
  return value;
}

Value Code::f32(float x) { return literal(VD_TYPE_F32, std::bit_cast<uint32_t>(x)); }

Value Code::variable(vd_type type, const char* text) {
  Value value = op(VD_OP_VAR, {}, type);
  if (text != nullptr) name(value, text);
  return value;
}

Value Code::variable(Value first, const char* text) {
  Value value = op(VD_OP_VAR, {first}, first.type());
  if (text != nullptr) name(value, text);
  return value;
}

Kernel Code::finish() {
  Kernel kernel;
  VDC(vd_builder_finish(builder_, kernel.out()));
  return kernel;
}

Value Value::operator[](Value index) const { return code->op(VD_OP_INDEX, {*this, index}); }
Value Value::operator[](uint32_t index) const { return code->op(VD_OP_INDEX, {*this, code->u32(index)}); }

const char* op_name(vd_op op) {
  vd_op_info info = VD_OP_INFO_INIT;
  VDC(vd_op_get_info(op, &info));
  return info.name;
}

Value operator+(Value a, Value b) { return a.code->op(VD_OP_ADD, {a, b}); }
Value operator-(Value a, Value b) { return a.code->op(VD_OP_SUB, {a, b}); }
Value operator*(Value a, Value b) { return a.code->op(VD_OP_MUL, {a, b}); }
Value operator/(Value a, Value b) { return a.code->op(VD_OP_DIV, {a, b}); }
Value operator%(Value a, Value b) { return a.code->op(VD_OP_REM, {a, b}); }
Value operator&(Value a, Value b) { return a.code->op(VD_OP_AND, {a, b}); }
Value operator|(Value a, Value b) { return a.code->op(VD_OP_OR, {a, b}); }
Value operator^(Value a, Value b) { return a.code->op(VD_OP_XOR, {a, b}); }
Value operator<(Value a, Value b) { return a.code->op(VD_OP_LT, {a, b}); }
Value operator>(Value a, Value b) { return a.code->op(VD_OP_GT, {a, b}); }
Value operator>=(Value a, Value b) { return a.code->op(VD_OP_GE, {a, b}); }
Value operator==(Value a, Value b) { return a.code->op(VD_OP_EQ, {a, b}); }
Value operator!=(Value a, Value b) { return a.code->op(VD_OP_NE, {a, b}); }
Value operator+(Value a, uint32_t b) { return a + a.code->u32(b); }
Value operator*(Value a, uint32_t b) { return a * a.code->u32(b); }
Value operator%(Value a, uint32_t b) { return a % a.code->u32(b); }
Value operator<(Value a, uint32_t b) { return a < a.code->u32(b); }

}  // namespace vdc
