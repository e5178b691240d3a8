// The frame of a pass: copies a kernel instruction by instruction into a fresh one, and lets a handler replace what it
// knows. Instructions that no handler copies vanish, leaves are interned, numbers become dense.
//
//   kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
//     if (inst.op != VD_OP_RADIANS) return false;            // copied as it is
//     const ValueId x = r[r.operand(inst, 0)];               // operand in the new kernel
//     r.replace(id, r.out.mul(x, r.out.constant(inst.type, kPi / 180)));
//     return true;
//   });
#pragma once

#include <functional>

#include "ir/emitter.h"

namespace vd::ir {

class Rewriter {
 public:
  // True if the handler dealt with the instruction: emitted its replacement and, if it has a value, replaced that.
  using Handler = std::function<bool(Rewriter&, ValueId, const Inst&)>;

  Rewriter(Kernel&& source, Handler handler);
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  // Copies the body. Call once.
  Kernel run();

  // The kernel being read: its instructions, operands and regions. Its tables (types, arguments, constants ...) have
  // moved to `out.kernel()`.
  const Kernel& source() const { return source_; }
  ValueId operand(const Inst& inst, uint32_t i) const { return source_.operands[inst.first_operand + i]; }

  // The new value for a value of the source. Leaves are copied on first use.
  ValueId operator[](ValueId old);
  bool has(ValueId old) const { return map_[old] != kNoValue; }
  void replace(ValueId old, ValueId now) { map_[old] = now; }

  // Copy an instruction with its operands replaced, its regions through the handler; the default for all.
  ValueId copy(ValueId old);
  // Copy with another type or immediate.
  ValueId copy(ValueId old, Type type, uint64_t immediate);
  // Copy a region's instructions, through the handler, to the current place of `out`.
  void copy_region(RegionId old);

 private:
  Kernel result_;
  Kernel source_;
  Handler handler_;
  std::vector<ValueId> map_;
  std::vector<ValueId> scratch_;

 public:
  Emitter out;
};

inline Kernel rewrite(Kernel&& kernel, Rewriter::Handler handler) {
  return Rewriter(std::move(kernel), std::move(handler)).run();
}

}  // namespace vd::ir
