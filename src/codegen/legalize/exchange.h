// Subgroup operations through shared memory: each writes its value into a slot of its own, a workgroup barrier, each
// reads what it needs, and another barrier before the slots are used again. All invocations of the workgroup must run
// the code that this emits; which of them take part is a mask.
#pragma once

#include <vector>

#include "ir/emitter.h"

namespace vd::codegen {

class Exchange {
 public:
  // `lanes` of a subgroup, a power of two; `threads` of the workgroup.
  Exchange(ir::Emitter& emitter, uint32_t lanes, uint32_t invocations)
      : e_(emitter), lanes_(lanes), threads_(invocations) {}

  // A built-in value of the subgroup; kNoValue for another one.
  ir::ValueId builtin(vd_builtin which);
  // A subgroup operation's result. `mask` is true in the active invocations; kNoValue: in all.
  ir::ValueId run(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands, ir::ValueId mask);
  // Whether `flag` is true in any invocation of the workgroup.
  ir::ValueId any(ir::ValueId flag);
  void barrier() { e_.emit(VD_OP_BARRIER, ir::Type(), std::span<const ir::ValueId>{}); }

 private:
  ir::ValueId u(uint32_t n) { return e_.bits(ir::kU32, n); }
  ir::ValueId word(ir::ValueId flag) { return e_.select(flag, u(1), u(0)); }
  ir::ValueId self() { return e_.builtin(VD_BUILTIN_LOCAL_INDEX); }
  ir::ValueId first() { return e_.emit(VD_OP_AND, self(), u(~(lanes_ - 1))); }
  ir::ValueId end();
  ir::ValueId slots(ir::Type type, uint32_t count, const char* name);
  void publish(ir::ValueId slots, ir::ValueId value) { e_.store(e_.index(slots, self()), value); }
  ir::ValueId flags(ir::ValueId mask);
  ir::ValueId first_active(ir::ValueId flags);
  ir::ValueId reduce(ir::Op op, ir::Type type, ir::ValueId value, ir::ValueId mask);
  ir::ValueId ballot(ir::ValueId value, ir::ValueId mask);
  ir::ValueId vote(bool all, ir::ValueId value, ir::ValueId mask);
  ir::ValueId shuffle(ir::Op op, ir::Type type, ir::ValueId value, ir::ValueId by);

  struct Slots {
    ir::Type type;
    uint32_t count;
    const char* name;
    ir::ValueId reference;
  };

  ir::Emitter& e_;
  const uint32_t lanes_, threads_;
  std::vector<Slots> known_;
};

}  // namespace vd::codegen
