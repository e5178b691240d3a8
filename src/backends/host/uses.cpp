#include "backends/host/uses.h"

#include <algorithm>

#include "ir/walk.h"

namespace vd::host {
namespace {

using ir::Inst;
using ir::Kernel;
using ir::kNoRegion;
using ir::kNoValue;
using ir::RegionId;
using ir::ValueId;

constexpr uint8_t kReturns = 1, kLeavesLoop = 2;

// Its result is its operands' registers, or leads to them.
bool forwards(const Inst& inst) {
  return inst.op == VD_OP_INDEX || inst.op == VD_OP_MEMBER || inst.op == VD_OP_VIEW || inst.op == VD_OP_SWIZZLE ||
         inst.op == VD_OP_CONSTRUCT;
}

}  // namespace

Uses::Uses(const Kernel& kernel, const ir::Uniformity& places) {
  const size_t n = kernel.insts.size();
  order_.assign(n, 0);
  end_.assign(n, 0);
  last_.assign(n, 0);
  counts_.assign(n, 0);
  barrier_.assign(n, 0);
  exits_.assign(n, 0);
  sequence_.reserve(n);
  bool barrier = false;
  uint8_t exits = 0;
  walk(kernel, kernel.body, 1, barrier, exits);

  for (size_t i = sequence_.size(); i-- > 0;) {
    const ValueId id = sequence_[i];
    const Inst& inst = kernel.insts[id];
    for (const ValueId operand : kernel.operands_of(inst)) {
      ++counts_[operand];
      uint32_t use = std::max(order_[id], forwards(inst) ? last_[id] : 0);
      // The condition of a while is used at each iteration.
      if (inst.op == VD_OP_WHILE) use = std::max(use, end_[id]);
      // The next iteration of a loop uses a value from outside the loop again.
      const RegionId home = places.region_of[operand];
      for (RegionId r = places.region_of[id]; home != kNoRegion && r != home && r != kNoRegion;) {
        const ValueId owner = places.owner_of[r];
        if (owner == kNoValue) break;
        if (ir::is_loop(kernel.insts[owner].op)) use = std::max(use, end_[owner]);
        r = places.region_of[owner];
      }
      last_[operand] = std::max(last_[operand], use);
    }
    const bool writes = inst.op == VD_OP_STORE;
    if (!writes && inst.op != VD_OP_VAR) continue;
    const ValueId root = writes ? ir::reference_root(kernel, kernel.operands[inst.first_operand]) : id;
    if (kernel.insts[root].op == VD_OP_VAR) stores_[root].push_back(order_[id]);
  }
  for (auto& [var, orders] : stores_) std::ranges::reverse(orders);
}

uint32_t Uses::walk(const Kernel& kernel, RegionId region, uint32_t next, bool& barrier, uint8_t& exits) {
  for (const ValueId id : kernel.regions[region].insts) {
    const Inst& inst = kernel.insts[id];
    order_[id] = next++;
    sequence_.push_back(id);
    bool inner_barrier = ir::is_workgroup_barrier(inst.op);
    uint8_t inner = 0;
    for (const RegionId r : inst.regions) {
      if (r != kNoRegion) next = walk(kernel, r, next, inner_barrier, inner);
    }
    if (ir::is_loop(inst.op)) inner &= kReturns;
    exits_[id] = inner;
    if (inst.op == VD_OP_RETURN) inner |= kReturns;
    if (inst.op == VD_OP_BREAK || inst.op == VD_OP_CONTINUE) inner |= kLeavesLoop;
    end_[id] = next++;
    barrier_[id] = inner_barrier;
    barrier |= inner_barrier;
    exits |= inner;
  }
  return next;
}

bool Uses::changes(ValueId var, ValueId load) const {
  const auto found = stores_.find(var);
  if (found == stores_.end()) return false;
  const auto next = std::ranges::upper_bound(found->second, order_[load]);
  return next != found->second.end() && *next < last_[load];
}

}  // namespace vd::host
