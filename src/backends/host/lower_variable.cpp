// Variables: registers of their own, or arrays of lanes where only the run knows the index.
#include <algorithm>

#include "backends/host/lower.h"
#include "core/error.h"
#include "ir/op.h"
#include "ir/type_rules.h"
#include "ir/walk.h"

namespace vd::host {

using ir::Inst;
using ir::Scalar;
using ir::Type;
using ir::ValueId;

void Lowering::find_variables() {
  ir::for_each_inst(k_, [&](ValueId id, const Inst& inst) {
    if (inst.op == VD_OP_VAR) {
      variables_[id].scoped = u_.escapes[id] == 0;
      return;
    }
    if (inst.op == VD_OP_INDEX && inst.type.is_reference()) {
      const ValueId root = ir::reference_root(k_, id);
      if (k_.insts[root].op != VD_OP_VAR) return;
      const Inst& index = k_.insts[k_.operands_of(inst)[1]];
      const uint64_t limit = ir::element_count(k_.types, k_.insts[k_.operands_of(inst)[0]].type);
      if (index.op != VD_OP_CONST || index.immediate >= limit) variables_[root].dynamic = true;
      return;
    }
    if (inst.op != VD_OP_STORE) return;
    const ValueId root = ir::reference_root(k_, k_.operands_of(inst)[0]);
    if (k_.insts[root].op == VD_OP_VAR) ++variables_[root].stores;
  });
}

Lowering::Variable& Lowering::variable(ValueId id) { return variables_.at(id); }

void Lowering::declare(ValueId id) {
  const Inst& inst = k_.insts[id];
  Variable& v = variable(id);
  const auto operands = k_.operands_of(inst);
  const Type type = inst.type.value();
  if (!operands.empty() && v.scoped && !v.dynamic && v.stores == 0) {
    const auto first = parts(operands[0]);
    if (std::ranges::none_of(first, [&](Reg r) { return out_.regs[r].variable; })) {
      v.alias = v.declared = true;
      v.regs.assign(first.begin(), first.end());
      for (const Reg r : v.regs) origins_[r].shared = true;
      return;
    }
  }
  const Cells& list = cells(type);
  const bool fresh = !v.declared;
  if (fresh) {
    v.declared = true;
    const auto depth = static_cast<uint32_t>(frames_.size());
    if (v.dynamic) {
      for (const Scalar s : list.scalars) {
        if (std::ranges::find(v.array_scalars, s) != v.array_scalars.end()) continue;
        const Reg r = new_reg(s, true, 0, 2);
        out_.regs[r].variable = out_.regs[r].pinned = true;
        out_.regs[r].count = list.size();
        v.array_scalars.push_back(s);
        v.arrays.push_back(r);
      }
    } else {
      const uint32_t varying = u_.varying[id];
      for (uint32_t i = 0; i < list.size(); ++i) {
        const bool lanes = varying == ~0u || (i < 32 && (varying >> i & 1) != 0);
        const Reg r = new_reg(list.scalars[i], lanes, depth, 2);
        out_.regs[r].variable = true;
        out_.regs[r].pinned = !v.scoped;
        v.regs.push_back(r);
      }
    }
  }
  // Not scoped: made before everything, zero until its declaration runs.
  const bool here = v.scoped || !fresh;
  const bool parted = !v.scoped && here;
  if (v.dynamic) {
    if (!here || (operands.empty() && v.scoped)) {
      for (const Reg r : v.arrays) {
        emit({.code = static_cast<uint16_t>(Opcode::ZeroPrivate), .d = r, .x = list.size()}, Scalar::None);
      }
      return;
    }
    std::vector<Reg> from;
    if (operands.empty()) {
      for (const Scalar s : list.scalars) from.push_back(constant(s, 0));
    } else {
      const auto values = parts(operands[0]);
      from.assign(values.begin(), values.end());
    }
    for (uint32_t i = 0; i < list.size(); ++i) {
      store_element(v, list.scalars[i], constant(Scalar::U32, i), from[i], list.size());
    }
    return;
  }
  std::vector<Reg> from;
  if (operands.empty() || !here) {
    for (const Scalar s : list.scalars) from.push_back(constant(s, 0));
  } else {
    const auto values = parts(operands[0]);
    from.assign(values.begin(), values.end());
  }
  for (uint32_t i = 0; i < list.size(); ++i) write_register(v.regs[i], from[i], parted);
}

void Lowering::store_element(const Variable& v, Scalar s, Reg index, Reg value, uint32_t total) {
  ++origins_[value].reads;
  emit({.code = static_cast<uint16_t>(Opcode::StorePrivate),
        .scalar = s,
        .d = value,
        .a = index,
        .b = array_of(v, s),
        .x = total},
       Scalar::None);
}

// Writes `a` to the variable's register `d`: to all lanes unless some of them must keep their values.
void Lowering::write_register(Reg d, Reg a, bool parted) {
  if (d == a) return;
  const bool lanes = out_.regs[d].varying;
  if (!lanes && out_.regs[a].varying) {
    fail(VD_ERR_INTERNAL, "kernel \"{}\": a variable thought uniform is given a value that is not.", k_.name);
  }
  if (parted && lanes) {
    emit({.code = static_cast<uint16_t>(Opcode::Blend), .scalar = out_.regs[d].scalar, .d = d, .a = a}, Scalar::None);
    return;
  }
  if (retarget(d, a)) return;
  ++origins_[a].reads;
  out_.blocks[block_].nodes.push_back(
      {.code = VD_OP_LET, .scalar = out_.regs[d].scalar, .d = d, .a = a, .location = location_});
}

// Lets the op that has just made `a` write `d` instead, if `a` has no other use.
bool Lowering::retarget(Reg d, Reg a) {
  const Origin& origin = origins_[a];
  if (origin.shared || origin.reads != 0 || out_.regs[a].variable || out_.regs[a].pinned) return false;
  if (out_.regs[a].varying != out_.regs[d].varying) return false;
  auto& nodes = out_.blocks[block_].nodes;
  constexpr size_t kReach = 32;
  for (size_t i = nodes.size(), n = 0; i-- > 0 && n < kReach; ++n) {
    Node& node = nodes[i];
    if (node.d == a) {
      if (node.code >= kPureOps && node.code != static_cast<uint16_t>(Opcode::Convert)) return false;
      node.d = d;
      // Its expression must not be found under a register that nothing fills.
      const Key key{
          uint64_t{node.code} << 16 | static_cast<uint64_t>(node.scalar) << 8 | static_cast<uint64_t>(node.from),
          node.a, node.b, node.c};
      const auto found = known_.find(key);
      if (found != known_.end() && found->second.reg == a) known_.erase(found);
      return true;
    }
    // Between them the variable must not be accessed, and no jump may leave.
    if (node.code >= static_cast<uint16_t>(Opcode::Load) || node.a == d || node.b == d || node.c == d || node.d == d) {
      return false;
    }
  }
  return false;
}

// The index of a cell in its array: `first` plus `at` times `stride`.
Reg Lowering::array_index(Reg at, uint64_t stride, uint64_t first) {
  const Scalar scalar = out_.regs[at].scalar;
  if (stride != 1) at = pure(VD_OP_MUL, scalar, at, constant(scalar, stride));
  return first != 0 ? pure(VD_OP_ADD, scalar, at, constant(scalar, first)) : at;
}

Reg Lowering::array_of(const Variable& v, Scalar s) const {
  return v.arrays[static_cast<size_t>(std::ranges::find(v.array_scalars, s) - v.array_scalars.begin())];
}

void Lowering::load_variable(ValueId id, const ReferenceTarget& s, Type type) {
  Variable& v = variable(s.root);
  if (!v.declared) declare(s.root);
  const Cells& list = cells(type);
  std::vector<Reg> regs;
  if (v.dynamic) {
    check_target(s, k_.insts[id].location);
    const uint32_t total = cells(k_.insts[s.root].type).size();
    uint64_t stride = 1;
    const Reg at = address(s, stride);
    for (uint32_t i = 0; i < list.size(); ++i) {
      const Reg index = array_index(at, stride, s.offset + i);
      const Reg d = new_reg(list.scalars[i], true, static_cast<uint32_t>(frames_.size()), 2);
      regs.push_back(d);
      emit({.code = static_cast<uint16_t>(Opcode::LoadPrivate),
            .scalar = list.scalars[i],
            .d = d,
            .a = index,
            .b = array_of(v, list.scalars[i]),
            .x = total},
           Scalar::None);
    }
    return set_parts(id, regs);
  }
  for (uint32_t i = 0; i < list.size(); ++i) regs.push_back(v.regs[s.offset + i]);
  // Read in place, unless it changes while the value is needed.
  if (!v.alias && uses_.changes(s.root, id)) {
    for (Reg& r : regs) r = copy(r);
  }
  set_parts(id, regs);
}

void Lowering::store_variable(ValueId id, const ReferenceTarget& s, ValueId value, Type type) {
  Variable& v = variable(s.root);
  if (!v.declared) declare(s.root);
  const Cells& list = cells(type);
  const auto values = parts(value);
  std::vector<Reg> from(values.begin(), values.end());
  const bool parted = !v.scoped || u_.parted(u_.region_of[s.root], u_.region_of[id]);
  if (v.dynamic) {
    check_target(s, k_.insts[id].location);
    const uint32_t total = cells(k_.insts[s.root].type).size();
    uint64_t stride = 1;
    const Reg at = address(s, stride);
    for (uint32_t i = 0; i < list.size(); ++i) {
      store_element(v, list.scalars[i], array_index(at, stride, s.offset + i), from[i], total);
    }
    return;
  }
  // A value made of the variable's own components is taken whole before any of them changes.
  for (uint32_t i = 0; i < from.size(); ++i) {
    for (uint32_t j = 0; j < i; ++j) {
      if (from[i] == v.regs[s.offset + j]) {
        from[i] = copy(from[i]);
        break;
      }
    }
  }
  for (uint32_t i = 0; i < list.size(); ++i) write_register(v.regs[s.offset + i], from[i], parted);
}

}  // namespace vd::host
