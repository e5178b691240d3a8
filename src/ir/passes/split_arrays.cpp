#include "ir/passes/split_arrays.h"

#include <unordered_map>

#include "ir/fold.h"
#include "ir/rewriter.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

constexpr uint32_t kMaxElements = 1024;

// Variables of array type that are declared empty or zero, and of which each use is an INDEX by a constant within
// bounds.
std::vector<bool> find_arrays(const Kernel& k) {
  std::vector<bool> split(k.insts.size(), false);
  for_each_inst(k, [&](ValueId id, const Inst& inst) {
    if (inst.op != VD_OP_VAR || !inst.type.is_array() || k.types.get_array(inst.type).count > kMaxElements) return;
    split[id] = inst.operand_count == 0 || k.insts[k.operands[inst.first_operand]].op == VD_OP_ZERO;
  });
  for_each_inst(k, [&](ValueId, const Inst& inst) {
    const auto operands = k.operands_of(inst);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!split[operands[i]]) continue;
      uint64_t at = 0;
      const bool fine = inst.op == VD_OP_INDEX && i == 0 && constant_splat(k, operands[1], at) &&
                        at < k.types.get_array(k.insts[operands[0]].type).count;
      if (!fine) split[operands[i]] = false;
    }
  });
  return split;
}

}  // namespace

void split_arrays(Kernel& kernel) {
  const std::vector<bool> split = find_arrays(kernel);
  std::unordered_map<ValueId, std::vector<ValueId>> elements;
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    Emitter& e = r.out;
    if (inst.op == VD_OP_VAR && split[id]) {
      const auto array = e.kernel().types.get_array(inst.type);
      auto& list = elements[id];
      const std::string name = id < r.source().names.size() ? r.source().names[id] : "";
      for (uint32_t i = 0; i < array.count; ++i) {
        list.push_back(e.var(e.zero(array.element)));
        if (name.empty()) continue;
        auto& names = e.kernel().names;
        if (names.size() <= list.back()) names.resize(list.back() + 1);
        names[list.back()] = name + "_" + std::to_string(i);
      }
      return true;
    }
    if (inst.op != VD_OP_INDEX || !split[r.operand(inst, 0)]) return false;
    uint64_t at = 0;
    constant_splat(e.kernel(), r[r.operand(inst, 1)], at);
    r.replace(id, elements[r.operand(inst, 0)][at]);
    return true;
  });
}

}  // namespace vd::ir
