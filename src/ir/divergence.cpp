#include "ir/divergence.h"

#include "ir/op.h"
#include "ir/uniformity.h"
#include "ir/walk.h"

namespace vd::ir {

std::vector<ValueId> divergent_barriers(const Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size) {
  if (!kernel.uses_barrier) return {};
  Uniformity u = find_uniformity(kernel, workgroup_size, Agreement::Likely);
  const auto is_parted = [&](ValueId id) { return u.parted(kernel.body, u.region_of[id]); };
  // Invocations that have returned skip all that follows, and further iterations of the loops around.
  for_each_inst(kernel, [&](ValueId id, const Inst& inst) {
    if (inst.op != VD_OP_RETURN || !is_parted(id)) return;
    for (ValueId owner = u.owner_of[u.region_of[id]]; owner != kNoValue; owner = u.owner_of[u.region_of[owner]])
      if (is_loop(kernel.insts[owner].op)) u.parts[owner] = 1;
  });
  std::vector<ValueId> found;
  bool left = false;
  for_each_inst(kernel, [&](ValueId id, const Inst& inst) {
    const bool is_barrier = inst.op == VD_OP_BARRIER || inst.op == VD_OP_CLUSTER_BARRIER;
    if ((!is_barrier && inst.op != VD_OP_RETURN) || (!left && !is_parted(id))) return;
    if (is_barrier)
      found.push_back(id);
    else
      left = true;
  });
  return found;
}

}  // namespace vd::ir
