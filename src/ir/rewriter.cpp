#include "ir/rewriter.h"

namespace vd::ir {
namespace {

// Everything but the code.
Kernel take_tables(Kernel& from) {
  Kernel to;
  to.name = std::move(from.name);
  to.flags = from.flags;
  to.return_type = from.return_type;
  to.attributes = from.attributes;
  to.types = std::move(from.types);
  to.arguments = std::move(from.arguments);
  to.shareds = std::move(from.shareds);
  to.constants = std::move(from.constants);
  to.strings = std::move(from.strings);
  to.locations = std::move(from.locations);
  to.requirements = from.requirements;
  to.shared_size = from.shared_size;
  to.uses_barrier = from.uses_barrier;
  to.uses_convergent = from.uses_convergent;
  to.values = std::move(from.values);
  to.insts.reserve(from.insts.size());
  to.operands.reserve(from.operands.size());
  to.regions.reserve(from.regions.size());
  return to;
}

}  // namespace

Rewriter::Rewriter(Kernel&& source, Handler handler)
    : result_(take_tables(source)),
      source_(std::move(source)),
      handler_(std::move(handler)),
      map_(source_.insts.size(), kNoValue),
      out(result_) {}

Kernel Rewriter::run() {
  copy_region(source_.body);
  return std::move(result_);
}

ValueId Rewriter::operator[](ValueId old) {
  if (map_[old] == kNoValue && is_op(source_.insts[old].op) && op_info(source_.insts[old].op).has(kLeaf)) {
    const Inst& inst = source_.insts[old];
    map_[old] = out.leaf(inst.op, inst.type, inst.immediate);
  } else if (map_[old] == kNoValue && source_.insts[old].op == VD_OP_VAR) {
    // Its declaration went with code that never runs: it is zero for ever.
    const ValueId id = result_.add(VD_OP_VAR, source_.insts[old].type, {}, 0, source_.insts[old].location);
    auto& body = result_.regions[result_.body].insts;
    body.insert(body.begin(), id);
    map_[old] = id;
  }
  return map_[old];
}

ValueId Rewriter::copy(ValueId old) { return copy(old, source_.insts[old].type, source_.insts[old].immediate); }

ValueId Rewriter::copy(ValueId old, Type type, uint64_t immediate) {
  const Inst inst = source_.insts[old];
  if (op_info(inst.op).has(kLeaf)) return (*this)[old];
  // A while's condition is known only after its region.
  const bool late = inst.op == VD_OP_WHILE;
  scratch_.clear();
  for (uint32_t i = 0; i < inst.operand_count; ++i) scratch_.push_back(late ? kNoValue : (*this)[operand(inst, i)]);
  Inst fresh = inst;
  fresh.type = type;
  fresh.immediate = immediate;
  fresh.regions = {kNoRegion, kNoRegion};
  const ValueId id = out.append(fresh, scratch_);
  map_[old] = id;
  if (old < source_.names.size() && !source_.names[old].empty()) {
    if (result_.names.size() <= id) result_.names.resize(id + 1);
    result_.names[id] = source_.names[old];
  }
  const RegionId outer = out.region();
  for (int i = 0; i < 2; ++i) {
    if (inst.regions[i] == kNoRegion) continue;
    const RegionId region = result_.add_region();
    result_.insts[id].regions[i] = region;
    out.set_region(region);
    copy_region(inst.regions[i]);
    if (late && i == 0) result_.operands[result_.insts[id].first_operand] = (*this)[operand(inst, 0)];
  }
  out.set_region(outer);
  return id;
}

void Rewriter::copy_region(RegionId old) {
  for (const ValueId id : source_.regions[old].insts) {
    const Inst& inst = source_.insts[id];
    out.location = inst.location;
    out.math_class = op_info(inst.op).has(kFloat) ? inst.immediate & kClassBits : 0;
    if (!handler_(*this, id, inst)) copy(id);
    // A branch that took its place may have ended the region.
    const auto& list = result_.regions[out.region()].insts;
    if (!list.empty() && op_info(result_.insts[list.back()].op).has(kTerminator)) return;
  }
}

}  // namespace vd::ir
