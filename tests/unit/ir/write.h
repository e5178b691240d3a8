// Short hands for tests that build kernels.
#pragma once

#include <bit>
#include <initializer_list>
#include <string>

#include "core/error.h"
#include "ir/builder.h"
#include "ir/text.h"

namespace vd::ir::testing {

inline vd_builder_desc desc_of(vd_builder_flags flags, Type return_type = Type()) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = flags;
  desc.return_type = return_type.bits();
  return desc;
}

// A builder with one call an op. `at` is the place given to each op.
class Write {
 public:
  explicit Write(vd_builder_flags flags = 0, Type return_type = Type())
      : b(make_ref<Builder>(desc_of(flags, return_type))) {}

  vd_value buffer(Type type, const char* name = "buf") { return b->argument(VD_ARGUMENT_BUFFER, type, name); }
  vd_value value(Type type, const char* name = "value") { return b->argument(VD_ARGUMENT_CONSTANT, type, name); }
  vd_value op(vd_op code, std::initializer_list<vd_value> operands = {}, Type type = Type(), uint64_t immediate = 0) {
    return b->emit(code, type, std::span<const vd_value>(operands.begin(), operands.size()), immediate, at);
  }
  vd_value u32(uint32_t v) { return op(VD_OP_CONST, {}, kU32, v); }
  vd_value i32(int32_t v) { return op(VD_OP_CONST, {}, kI32, static_cast<uint32_t>(v)); }
  vd_value f32(float v) { return op(VD_OP_CONST, {}, kF32, std::bit_cast<uint32_t>(v)); }
  vd_value zero(Type type) { return op(VD_OP_ZERO, {}, type); }
  vd_value builtin(vd_builtin which) { return op(VD_OP_BUILTIN, {}, Type(), which); }
  vd_value index(vd_value of, vd_value i) { return op(VD_OP_INDEX, {of, i}); }
  vd_value index(vd_value of, int i) { return index(of, u32(static_cast<uint32_t>(i))); }
  vd_value gid() { return index(builtin(VD_BUILTIN_GLOBAL_ID), 0); }
  vd_value var(vd_value first) { return op(VD_OP_VAR, {first}); }
  vd_value var(Type type) { return op(VD_OP_VAR, {}, type); }
  void store(vd_value to, vd_value v) { op(VD_OP_STORE, {to, v}); }
  void end() { op(VD_OP_END); }
  Kernel finish(bool run_passes = true) { return b->finish(run_passes); }

  Ref<Builder> b;
  uint32_t at = 0;
};

// The message of what `f` throws; "" if it throws nothing.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}
template <class F>
vd_status status_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.status();
  }
  return VD_OK;
}

}  // namespace vd::ir::testing
