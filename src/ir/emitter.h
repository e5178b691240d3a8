// Writes scheduled code: appends instructions to the current region of a kernel, with leaves interned and types checked
// by the op table. For passes and expansions (a math function as a sequence of ops); front ends use Builder.
//
//   Emitter e(kernel);
//   ValueId t = e.mul(x, e.constant(e.type(x), 0.5));
//   e.begin_if(e.emit(VD_OP_LT, t, limit));
//     e.store(out, t);
//   e.end();
#pragma once

#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/op.h"

namespace vd::ir {

class Emitter {
 public:
  // Appends to `region` (the body if not given). The kernel must outlive the emitter, which alone may add to it.
  explicit Emitter(Kernel& kernel, RegionId region = kNoRegion);

  Kernel& kernel() { return kernel_; }
  const Kernel& kernel() const { return kernel_; }
  Type type(ValueId id) const { return kernel_.insts[id].type; }
  RegionId region() const { return region_; }
  void set_region(RegionId region) { region_ = region; }

  // Given to every instruction from here on.
  uint32_t location = 0;
  // VD_MATH_PRECISE or VD_MATH_NATIVE for the ops that take one.
  uint64_t math_class = 0;
  // Evaluate ops of constants and drop ops without effect (x * 1).
  bool folding = true;

  // Any op that has no regions. The type may be none() where the operands decide.
  ValueId emit(Op op, Type type, std::span<const ValueId> operands, uint64_t immediate = 0);
  ValueId emit(Op op, Type type, std::initializer_list<ValueId> operands, uint64_t immediate = 0) {
    return emit(op, type, std::span<const ValueId>(operands.begin(), operands.size()), immediate);
  }
  ValueId emit(Op op, std::initializer_list<ValueId> operands) { return emit(op, Type(), operands, 0); }
  ValueId emit(Op op, ValueId a) { return emit(op, Type(), {a}, 0); }
  ValueId emit(Op op, ValueId a, ValueId b) { return emit(op, Type(), {a, b}, 0); }
  ValueId emit(Op op, ValueId a, ValueId b, ValueId c) { return emit(op, Type(), {a, b, c}, 0); }

  // Leaves.
  ValueId leaf(Op op, Type type, uint64_t immediate);
  ValueId bits(Type type, uint64_t scalar_bits);  // VD_OP_CONST
  ValueId constant(Type type, double value);      // scalar, vector (splat) or complex (real)
  ValueId constant(Type type, int value) { return constant(type, static_cast<double>(value)); }
  ValueId components(Type type, std::span<const uint64_t> scalars);  // one by one, as bits
  ValueId bytes(Type type, std::span<const std::byte> data);
  ValueId zero(Type type);
  ValueId builtin(vd_builtin which) { return leaf(VD_OP_BUILTIN, builtin_type(which), which); }

  // Values.
  ValueId add(ValueId a, ValueId b) { return emit(VD_OP_ADD, a, b); }
  ValueId sub(ValueId a, ValueId b) { return emit(VD_OP_SUB, a, b); }
  ValueId mul(ValueId a, ValueId b) { return emit(VD_OP_MUL, a, b); }
  ValueId div(ValueId a, ValueId b) { return emit(VD_OP_DIV, a, b); }
  ValueId neg(ValueId a) { return emit(VD_OP_NEG, a); }
  ValueId fma(ValueId a, ValueId b, ValueId c) { return emit(VD_OP_FMA, a, b, c); }
  ValueId select(ValueId condition, ValueId a, ValueId b) { return emit(VD_OP_SELECT, condition, a, b); }
  ValueId convert(Type type, ValueId a) { return this->type(a) == type ? a : emit(VD_OP_CONVERT, type, {a}); }
  ValueId bitcast(Type type, ValueId a) { return this->type(a) == type ? a : emit(VD_OP_BITCAST, type, {a}); }
  ValueId splat(Type type, ValueId a) { return this->type(a) == type ? a : emit(VD_OP_CONSTRUCT, type, {a}); }
  ValueId construct(Type type, std::span<const ValueId> parts) { return emit(VD_OP_CONSTRUCT, type, parts); }
  ValueId construct(Type type, std::initializer_list<ValueId> parts) { return emit(VD_OP_CONSTRUCT, type, parts); }
  ValueId index(ValueId of, ValueId at) { return emit(VD_OP_INDEX, of, at); }
  ValueId at(ValueId of, uint32_t i) { return emit(VD_OP_INDEX, of, bits(kU32, i)); }  // component i
  ValueId member(ValueId of, uint32_t field) { return emit(VD_OP_MEMBER, Type(), {of}, field); }

  // Memory.
  ValueId load(ValueId reference, uint64_t access = 0) { return emit(VD_OP_LOAD, Type(), {reference}, access); }
  void store(ValueId reference, ValueId value, uint64_t access = 0) {
    emit(VD_OP_STORE, Type(), {reference, value}, access);
  }
  ValueId var(Type type) { return emit(VD_OP_VAR, type.in(Space::Private), std::span<const ValueId>{}); }
  ValueId var(ValueId first) { return emit(VD_OP_VAR, type(first).in(Space::Private), {first}); }
  ValueId view(ValueId of, Type element);

  // Blocks. Each begin_ makes the block's region the current one, and end() goes back.
  ValueId begin_if(ValueId condition);
  void begin_else();
  void begin_while(uint64_t immediate = 0);  // emit the condition, then
  void begin_body(ValueId condition);        // this, then the body
  void begin_loop(uint64_t immediate = 0);
  ValueId begin_for(ValueId start, ValueId stop, ValueId step, uint64_t immediate = 0);  // returns the counter
  void begin_scope();
  void end();
  void leave() { emit(VD_OP_BREAK, Type(), std::span<const ValueId>{}); }  // the innermost loop

  // Appends an instruction unchecked: the caller has checked its type, and fills its regions.
  ValueId append(const Inst& inst, std::span<const ValueId> operands);

 private:
  struct LeafKey {
    Op op;
    Type type;
    uint64_t immediate;
    bool operator==(const LeafKey&) const = default;
  };
  struct LeafHash {
    size_t operator()(const LeafKey& key) const {
      uint64_t h = key.immediate * 0x9e3779b97f4a7c15u;
      h ^= (h >> 32) + static_cast<uint64_t>(key.type.bits()) * 0xff51afd7ed558ccdu + static_cast<uint64_t>(key.op);
      return static_cast<size_t>(h ^ h >> 29);
    }
  };
  ValueId open(Op op, Type type, std::span<const ValueId> operands, uint64_t immediate, int region);

  Kernel& kernel_;
  RegionId region_;
  struct Block {
    ValueId inst;
    RegionId outer;
  };
  std::vector<Block> blocks_;
  std::unordered_map<LeafKey, ValueId, LeafHash> leaves_;
  std::unordered_multimap<size_t, size_t> constants_;  // by hash of their content
  size_t known_constants_ = 0;
  std::vector<Type> types_;  // scratch
};

// A float as bits of a scalar type, rounded to nearest even; an integer truncated to its bits.
uint64_t scalar_bits_of(Scalar scalar, double value);

}  // namespace vd::ir
