#include "ir/invocation_index.h"

#include <algorithm>

#include "ir/walk.h"

namespace vd::ir {
namespace {

constexpr uint64_t kFirstComponent = 1 << 8;  // of a swizzle

// The first component of operand 0.
bool is_first(const Kernel& kernel, const Inst& inst) {
  if (inst.op == VD_OP_SWIZZLE) return plain_immediate(inst.immediate) == kFirstComponent;
  if (inst.op != VD_OP_INDEX) return false;
  const Inst& index = kernel.insts[kernel.operands_of(inst)[1]];
  return index.op == VD_OP_CONST && index.immediate == 0;
}

// The same number, of another type.
bool keeps_number(const Inst& inst) {
  return (inst.op == VD_OP_CONVERT || inst.op == VD_OP_BITCAST) && inst.type.is_integer() && inst.type.is_scalar() &&
         scalar_size(inst.type.scalar()) >= 4;
}

class Reader {
 public:
  explicit Reader(const Kernel& kernel) : kernel_(kernel), numbers_(kernel.insts.size()), indexed_(numbers_.size()) {
    for (const Argument& argument : kernel.arguments) good_.push_back(argument.kind == VD_ARGUMENT_BUFFER);
    touched_.resize(good_.size());
  }

  std::vector<bool> run() {
    for_each_inst(kernel_, [&](ValueId id, const Inst& inst) { read(id, inst); });
    // In a range of invocations the number counts from its first one, so a buffer has to begin there as a whole.
    for (size_t i = 0; i < good_.size(); ++i) elsewhere_ = elsewhere_ || (touched_[i] && !good_[i]);
    if (elsewhere_) std::fill(good_.begin(), good_.end(), false);
    return good_;
  }

 private:
  bool is_builtin(const Inst& inst, vd_builtin which) const {
    return inst.op == VD_OP_BUILTIN && inst.immediate == static_cast<uint64_t>(which);
  }

  void read(ValueId id, const Inst& inst) {
    const auto operands = kernel_.operands_of(inst);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Inst& operand = kernel_.insts[operands[i]];
      if (is_builtin(operand, VD_BUILTIN_GLOBAL_ID)) {
        if (is_first(kernel_, inst))
          numbers_[id] = true;
        else
          elsewhere_ = true;
      }
      for (const vd_builtin place :
           {VD_BUILTIN_WORKGROUP_ID, VD_BUILTIN_NUM_WORKGROUPS, VD_BUILTIN_EXEC_SIZE, VD_BUILTIN_CLUSTER_RANK})
        elsewhere_ = elsewhere_ || is_builtin(operand, place);
      if (numbers_[operands[i]]) use_number(id, inst, i);
      if (operand.op == kOpArgument && kernel_.arguments[operand.immediate].kind == VD_ARGUMENT_BUFFER)
        good_[operand.immediate] = good_[operand.immediate] && inst.op == VD_OP_INDEX && numbers_[operands[1]];
      if (indexed_[operands[i]] != 0) use_element(inst, indexed_[operands[i]] - 1);
    }
  }

  void use_number(ValueId id, const Inst& inst, size_t operand) {
    if (keeps_number(inst)) {
      numbers_[id] = true;
      return;
    }
    const Inst& base = kernel_.insts[kernel_.operands_of(inst)[0]];
    const bool element = inst.op == VD_OP_INDEX && operand == 1 && base.op == kOpArgument &&
                         kernel_.arguments[base.immediate].kind == VD_ARGUMENT_BUFFER;
    if (element) {
      indexed_[id] = static_cast<uint32_t>(base.immediate) + 1;
      touched_[base.immediate] = true;
    } else {
      elsewhere_ = true;
    }
  }

  // An access to several elements may leave a range.
  void use_element(const Inst& inst, uint32_t argument) {
    const bool access = inst.op == VD_OP_LOAD || inst.op == VD_OP_STORE;
    if ((access && access_width(inst.immediate) > 1) || inst.op == VD_OP_ASYNC_COPY || inst.op == VD_OP_VIEW)
      good_[argument] = false;
  }

  const Kernel& kernel_;
  std::vector<bool> numbers_;      // values that are the number
  std::vector<uint32_t> indexed_;  // references to an element at that number: of argument n - 1
  std::vector<bool> good_;         // by argument: each access is at the number
  std::vector<bool> touched_;      // some access is
  bool elsewhere_ = false;
};

}  // namespace

std::vector<bool> indexed_by_invocation(const Kernel& kernel) { return Reader(kernel).run(); }

bool is_invocation_number(const Kernel& kernel, ValueId value) {
  const Inst* inst = &kernel.insts[value];
  while (keeps_number(*inst)) inst = &kernel.insts[kernel.operands_of(*inst)[0]];
  if (!is_first(kernel, *inst)) return false;
  const Inst& of = kernel.insts[kernel.operands_of(*inst)[0]];
  return of.op == VD_OP_BUILTIN && of.immediate == static_cast<uint64_t>(VD_BUILTIN_GLOBAL_ID);
}

}  // namespace vd::ir
