// Writes indices and conditions of a generated kernel. Every value is frozen where it is made, so that a statement
// never evaluates it again; values that are known while the kernel is written fold at once.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <unordered_map>

#include "ir/builder.h"

namespace vd::ir {

using Value = vd_value;  // 0: none

// Makes the builder of a kernel.
using BuilderFactory = std::function<Ref<Builder>(const vd_builder_desc&)>;

class KernelWriter {
 public:
  explicit KernelWriter(Builder& builder) : builder_(&builder) {}

  Builder& builder() { return *builder_; }
  static Type type(Value value) { return Builder::type_of(value); }

  // Any op; a value is frozen, a reference stays a recipe.
  Value emit(vd_op op, std::initializer_list<Value> operands, Type type = Type(), uint64_t immediate = 0);

  // ---- Indices: u32, or u64 where one operand is
  Value index(uint64_t value, Type type = kU32);
  bool is_known(Value value, uint64_t& out) const;
  Value add(Value a, Value b);
  Value mul(Value a, uint64_t b);
  Value div(Value a, uint64_t b);
  Value rem(Value a, uint64_t b);
  Value offset(Value a, uint64_t b) { return add(a, index(b, type(a))); }
  Value widen(Value a, Type to);
  Value builtin(vd_builtin which, uint32_t component);
  // Conditions; 0 is "always".
  Value below(Value a, uint64_t limit);
  Value both(Value a, Value b);

  // ---- Memory and blocks
  Value at(Value array, Value index) { return emit(VD_OP_INDEX, {array, index}); }
  Value load(Value reference, uint64_t access = 0) { return emit(VD_OP_LOAD, {reference}, Type(), access); }
  void store(Value reference, Value value, uint64_t access = 0) {
    emit(VD_OP_STORE, {reference, value}, Type(), access);
  }
  Value convert(Value a, Scalar to);
  Value variable(Type type) { return emit(VD_OP_VAR, {}, type); }
  void barrier() { emit(VD_OP_BARRIER, {}); }
  // Opens nothing where the condition is 0.
  void begin_if(Value condition);
  void end_if(Value condition);

 private:
  Builder* builder_;
  std::unordered_map<Value, uint64_t> known_;  // indices that are constants
};

}  // namespace vd::ir
