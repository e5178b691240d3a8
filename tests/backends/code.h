// Writing kernels in C++ for the conformance cases: one vd_builder with operators on its values. Every operator is one
// vd_builder_emit.
#pragma once

#include <source_location>

#include "session.h"

namespace vdc {

class Code;

struct Value {
  vd_value v = 0;
  Code* code = nullptr;
  vd_type type() const { return static_cast<vd_type>(v >> 32) & 0x0fffffffu; }
  Value operator[](Value index) const;
  Value operator[](uint32_t index) const;
};

class Code {
 public:
  explicit Code(const std::string& name, vd_builder_flags flags = 0, const vd_builder_desc* desc = nullptr);

  Value buffer(vd_type element, const char* name) { return argument(VD_ARGUMENT_BUFFER, element, name); }
  Value constant(vd_type type, const char* name) { return argument(VD_ARGUMENT_CONSTANT, type, name); }
  Value argument(vd_argument_kind kind, vd_type type, const char* name);
  Value shared(vd_type element, uint32_t count, const char* name, uint32_t offset = VD_SHARED_OFFSET_AUTO);
  vd_type array(vd_type element, uint32_t count);

  Value op(vd_op op, std::initializer_list<Value> operands, vd_type type = VD_TYPE_NONE, uint64_t immediate = 0,
           std::source_location where = std::source_location::current());
  Value op(vd_op op, std::span<const Value> operands, vd_type type, uint64_t immediate, std::source_location where);
  // The scalar bits, splat to the type.
  Value literal(vd_type type, uint64_t bits) { return op(VD_OP_CONST, {}, type, bits); }
  Value u32(uint32_t x) { return literal(VD_TYPE_U32, x); }
  Value i32(int32_t x) { return literal(VD_TYPE_I32, static_cast<uint32_t>(x)); }
  Value f32(float x);
  Value builtin(vd_builtin which) { return op(VD_OP_BUILTIN, {}, VD_TYPE_NONE, static_cast<uint64_t>(which)); }
  Value global_id(uint32_t axis = 0) { return builtin(VD_BUILTIN_GLOBAL_ID)[axis]; }
  Value local_id(uint32_t axis = 0) { return builtin(VD_BUILTIN_LOCAL_ID)[axis]; }

  Value variable(vd_type type, const char* name = nullptr);
  Value variable(Value first, const char* name = nullptr);
  void name(Value v, const char* name) { VDC(vd_builder_name(builder_, v.v, name)); }
  Value let(Value v) { return op(VD_OP_LET, {v}); }
  void store(Value reference, Value value, uint64_t access = 0) {
    op(VD_OP_STORE, {reference, value}, VD_TYPE_NONE, access);
  }
  Value convert(Value v, vd_type type) { return op(VD_OP_CONVERT, {v}, type); }
  void begin_if(Value condition) { op(VD_OP_IF, {condition}); }
  void begin_else() { op(VD_OP_ELSE, {}); }
  void begin_while(Value condition, uint64_t unroll = 0) { op(VD_OP_WHILE, {condition}, VD_TYPE_NONE, unroll); }
  Value begin_for(Value start, Value stop, Value step, uint64_t unroll = 0) {
    return op(VD_OP_FOR, {start, stop, step}, VD_TYPE_NONE, unroll);
  }
  void end() { op(VD_OP_END, {}); }
  void barrier() { op(VD_OP_BARRIER, {}); }

  vd_builder* builder() const { return builder_; }
  Kernel finish();

 private:
  Builder builder_;
};

const char* op_name(vd_op op);

Value operator+(Value a, Value b);
Value operator-(Value a, Value b);
Value operator*(Value a, Value b);
Value operator/(Value a, Value b);
Value operator%(Value a, Value b);
Value operator&(Value a, Value b);
Value operator|(Value a, Value b);
Value operator^(Value a, Value b);
Value operator<(Value a, Value b);
Value operator>(Value a, Value b);
Value operator>=(Value a, Value b);
Value operator==(Value a, Value b);
Value operator!=(Value a, Value b);
Value operator+(Value a, uint32_t b);
Value operator*(Value a, uint32_t b);
Value operator%(Value a, uint32_t b);
Value operator<(Value a, uint32_t b);

}  // namespace vdc
