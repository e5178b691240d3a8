// Memory: what a reference leads to, loads and stores, variables in registers.
#include <algorithm>
#include <numeric>

#include "backends/host/lower.h"
#include "core/error.h"
#include "ir/op.h"
#include "ir/type_rules.h"
#include "ir/walk.h"

namespace vd::host {

using ir::Inst;
using ir::Scalar;
using ir::Shape;
using ir::Space;
using ir::Type;
using ir::ValueId;

namespace {
constexpr uint32_t kMaxParts = 4;  // of one load or store
constexpr uint32_t kMaxScalars = 1 << 16;
}  // namespace

// The scalars of a type in the order of its memory.
const Lowering::Cells& Lowering::cells(Type type) {
  const auto [found, fresh] = cells_.try_emplace(type.value().bits());
  if (!fresh) return found->second;
  Cells list;
  const auto append = [&](const Cells& inner, uint64_t offset) {
    for (uint32_t i = 0; i < inner.size(); ++i) {
      list.scalars.push_back(inner.scalars[i]);
      list.offsets.push_back(static_cast<uint32_t>(offset) + inner.offsets[i]);
    }
  };
  if (type.is_array()) {
    const auto& array = k_.types.get_array(type);
    const Cells inner = cells(array.element);
    if (uint64_t{inner.size()} * array.count > kMaxScalars) {
      fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" has a value of type {}, which is past the host's limit ({} scalars).",
           k_.name, k_.types.name(type), kMaxScalars);
    }
    for (uint32_t i = 0; i < array.count; ++i) append(inner, i * k_.types.size(array.element));
  } else if (type.is_struct()) {
    for (const ir::Field& field : k_.types.get_struct(type).fields) append(Cells(cells(field.type)), field.offset);
  } else {
    for (uint32_t i = 0; i < type.count() * type.rows(); ++i) {
      list.scalars.push_back(type.scalar());
      list.offsets.push_back(i * ir::scalar_size(type.scalar()));
    }
  }
  return cells_[type.value().bits()] = std::move(list);
}

uint32_t Lowering::span_of(ValueId root) {
  const Inst& inst = k_.insts[root];
  if (inst.op == ir::kOpShared) return shared_spans_[inst.immediate];
  if (inst.op == ir::kOpArgument) {
    const ir::Argument& argument = k_.arguments[inst.immediate];
    if (argument.kind == VD_ARGUMENT_BUFFER) return argument_spans_[inst.immediate];
    if (argument.kind == VD_ARGUMENT_CONSTANT || argument.kind == VD_ARGUMENT_VARIABLE) return values_span_;
  }
  unsupported(root, "it is no memory of the host's");
}

Lowering::Spot Lowering::spot(ValueId reference) {
  std::vector<ValueId> way;
  ValueId id = reference;
  for (;; id = k_.operands_of(id)[0]) {
    const vd_op op = k_.insts[id].op;
    if (op != VD_OP_INDEX && op != VD_OP_MEMBER && op != VD_OP_VIEW) break;
    way.push_back(id);
  }
  Spot s;
  s.root = id;
  s.variable = k_.insts[id].op == VD_OP_VAR;
  if (!s.variable) s.span = span_of(id);
  const Inst& root = k_.insts[id];
  if (root.op == ir::kOpArgument && k_.arguments[root.immediate].kind != VD_ARGUMENT_BUFFER) {
    s.offset = k_.arguments[root.immediate].offset;
  }
  const auto size_of = [&](Type type) { return s.variable ? cells(type).size() : k_.types.size(type); };
  for (size_t i = way.size(); i-- > 0;) {
    const Inst& inst = k_.insts[way[i]];
    const auto operands = k_.operands_of(inst);
    const Type outer = k_.insts[operands[0]].type;
    if (inst.op == VD_OP_VIEW) continue;  // the same bytes from the start
    if (inst.op == VD_OP_MEMBER) {
      const auto& fields = k_.types.get_struct(outer).fields;
      const uint64_t number = ir::plain_immediate(inst.immediate);
      if (s.variable) {
        for (uint64_t f = 0; f < number; ++f) s.offset += cells(fields[f].type).size();
      } else {
        s.offset += fields[number].offset;
      }
      continue;
    }
    const uint64_t stride = size_of(inst.type);
    uint64_t limit = ir::element_count(k_.types, outer);
    if (limit == 0 && !s.variable && p_.spans[s.span].kind != SpanDesc::Kind::Binding)
      limit = p_.spans[s.span].size / stride;
    const Inst& index = k_.insts[operands[1]];
    // A constant needs no lanes, but one past the end of what is known must not lead elsewhere.
    if (index.op == VD_OP_CONST && (limit == 0 ? index.immediate < (uint64_t{1} << 31) : index.immediate < limit) &&
        (!p_.checked || limit != 0)) {
      s.offset += index.immediate * stride;
      continue;
    }
    Reg at = part(operands[1], 0);
    const Scalar kind = out_.regs[at].scalar;
    if (ir::scalar_size(kind) < 4) at = convert(Scalar::I32, at);
    s.dynamic.push_back({at, stride, limit, inst.location});
  }
  s.type = k_.insts[reference].type.value();
  return s;
}

// What a load or store moves: a wide one a vector.
Type Lowering::accessed(const Inst& inst, Type referred) const {
  const uint32_t width = ir::access_width(ir::plain_immediate(inst.immediate));
  return width == 1 ? referred : Type::vector(referred.scalar(), width);
}

// ---- variables ----

void Lowering::find_variables() {
  const auto inside = [&](ir::RegionId region, ir::RegionId home) {
    while (region != home) {
      const ValueId owner = u_.owner_of[region];
      if (owner == ir::kNoValue) return false;
      region = u_.region_of[owner];
    }
    return true;
  };
  ir::for_each_inst(k_, [&](ValueId id, const Inst& inst) {
    if (inst.op == VD_OP_VAR) {
      variables_.try_emplace(id);
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
    if (inst.op != VD_OP_LOAD && inst.op != VD_OP_STORE) return;
    const ValueId root = ir::reference_root(k_, k_.operands_of(inst)[0]);
    if (k_.insts[root].op != VD_OP_VAR) return;
    Variable& v = variables_[root];
    v.stores += inst.op == VD_OP_STORE;
    v.scoped &= inside(u_.region_of[id], u_.region_of[root]) && uses_.order(id) > uses_.order(root);
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
      const uint32_t varying = v.scoped ? u_.varying[id] : ~0u;
      for (uint32_t i = 0; i < list.size(); ++i) {
        const bool lanes = varying == ~0u || (varying >> i & 1) != 0;
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
        emit({.code = static_cast<uint16_t>(Code::ZeroPrivate), .d = r, .x = list.size()}, Scalar::None);
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
      const auto kind = std::ranges::find(v.array_scalars, list.scalars[i]) - v.array_scalars.begin();
      ++origins_[from[i]].reads;
      emit({.code = static_cast<uint16_t>(Code::StorePrivate),
            .scalar = list.scalars[i],
            .d = from[i],
            .a = constant(Scalar::U32, i),
            .b = v.arrays[static_cast<size_t>(kind)],
            .x = list.size()},
           Scalar::None);
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

// Writes `a` to the variable's register `d`: to all lanes unless some of them must keep what they have.
void Lowering::write_register(Reg d, Reg a, bool parted) {
  if (d == a) return;
  const bool lanes = out_.regs[d].varying;
  if (!lanes && out_.regs[a].varying) {
    fail(VD_ERR_INTERNAL, "kernel \"{}\": a variable thought uniform is given a value that is not.", k_.name);
  }
  if (parted && lanes) {
    emit({.code = static_cast<uint16_t>(Code::Blend), .scalar = out_.regs[d].scalar, .d = d, .a = a}, Scalar::None);
    return;
  }
  if (retarget(d, a)) return;
  ++origins_[a].reads;
  out_.blocks[block_].nodes.push_back(
      {.code = VD_OP_LET, .scalar = out_.regs[d].scalar, .d = d, .a = a, .location = location_});
}

// Lets the op that has just made `a` write `d` instead, if nobody else knows `a`.
bool Lowering::retarget(Reg d, Reg a) {
  const Origin& origin = origins_[a];
  if (origin.shared || origin.reads != 0 || out_.regs[a].variable || out_.regs[a].pinned) return false;
  if (out_.regs[a].varying != out_.regs[d].varying) return false;
  auto& nodes = out_.blocks[block_].nodes;
  constexpr size_t kReach = 32;
  for (size_t i = nodes.size(), n = 0; i-- > 0 && n < kReach; ++n) {
    Node& node = nodes[i];
    if (node.d == a) {
      if (node.code >= kPureOps && node.code != static_cast<uint16_t>(Code::Convert)) return false;
      node.d = d;
      // Its expression must not be found under a register that nothing fills.
      const Key key{
          uint64_t{node.code} << 16 | static_cast<uint64_t>(node.scalar) << 8 | static_cast<uint64_t>(node.from),
          node.a, node.b, node.c};
      const auto found = known_.find(key);
      if (found != known_.end() && found->second.reg == a) known_.erase(found);
      return true;
    }
    // In between nobody may touch the variable, and nothing may take another way.
    if (node.code >= static_cast<uint16_t>(Code::Load) || node.a == d || node.b == d || node.c == d || node.d == d) {
      return false;
    }
  }
  return false;
}

void Lowering::load_variable(ValueId id, const Spot& s, Type type) {
  Variable& v = variable(s.root);
  if (!v.declared) declare(s.root);
  const Cells& list = cells(type);
  std::vector<Reg> regs;
  if (v.dynamic) {
    check_spot(s, k_.insts[id].location);
    uint64_t stride = 1;
    const uint32_t total = cells(k_.insts[s.root].type).size();
    const Reg at = s.dynamic.empty() ? kNoReg : address(s, stride);
    for (uint32_t i = 0; i < list.size(); ++i) {
      const auto kind = std::ranges::find(v.array_scalars, list.scalars[i]) - v.array_scalars.begin();
      const uint64_t first = s.offset + i;
      Reg index = at;
      if (at == kNoReg) {
        index = constant(Scalar::U32, first);
      } else {
        const Scalar kind_of = out_.regs[at].scalar;
        if (stride != 1) index = pure(VD_OP_MUL, kind_of, index, constant(kind_of, stride));
        if (first != 0) index = pure(VD_OP_ADD, kind_of, index, constant(kind_of, first));
      }
      const Reg d = new_reg(list.scalars[i], true, static_cast<uint32_t>(frames_.size()), 2);
      regs.push_back(d);
      emit({.code = static_cast<uint16_t>(Code::LoadPrivate),
            .scalar = list.scalars[i],
            .d = d,
            .a = index,
            .b = v.arrays[static_cast<size_t>(kind)],
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

void Lowering::store_variable(ValueId id, const Spot& s, ValueId value, Type type) {
  Variable& v = variable(s.root);
  if (!v.declared) declare(s.root);
  const Cells& list = cells(type);
  const auto values = parts(value);
  std::vector<Reg> from(values.begin(), values.end());
  const bool parted = !v.scoped || u_.parted(u_.region_of[s.root], u_.region_of[id]);
  if (v.dynamic) {
    check_spot(s, k_.insts[id].location);
    uint64_t stride = 1;
    const uint32_t total = cells(k_.insts[s.root].type).size();
    const Reg at = s.dynamic.empty() ? kNoReg : address(s, stride);
    for (uint32_t i = 0; i < list.size(); ++i) {
      const auto kind = std::ranges::find(v.array_scalars, list.scalars[i]) - v.array_scalars.begin();
      const uint64_t first = s.offset + i;
      Reg index = at;
      if (at == kNoReg) {
        index = constant(Scalar::U32, first);
      } else {
        const Scalar kind_of = out_.regs[at].scalar;
        if (stride != 1) index = pure(VD_OP_MUL, kind_of, index, constant(kind_of, stride));
        if (first != 0) index = pure(VD_OP_ADD, kind_of, index, constant(kind_of, first));
      }
      ++origins_[from[i]].reads;
      emit({.code = static_cast<uint16_t>(Code::StorePrivate),
            .scalar = list.scalars[i],
            .d = from[i],
            .a = index,
            .b = v.arrays[static_cast<size_t>(kind)],
            .x = total},
           Scalar::None);
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

// ---- memory ----

uint32_t Lowering::access(const AccessDesc& desc) {
  auto& candidates = access_numbers_[uint64_t{desc.span} << 32 ^ desc.offset << 8 ^ desc.stride];
  for (const uint32_t number : candidates) {
    if (p_.accesses[number] == desc) return number;
  }
  p_.accesses.push_back(desc);
  candidates.push_back(static_cast<uint32_t>(p_.accesses.size() - 1));
  return candidates.back();
}

Reg Lowering::address(const Spot& s, uint64_t& stride) {
  if (s.dynamic.empty()) {
    stride = 1;
    return constant(Scalar::U32, 0);
  }
  if (s.dynamic.size() == 1) {
    stride = s.dynamic[0].stride;
    return s.dynamic[0].index;
  }
  stride = 0;
  for (const Dynamic& d : s.dynamic) stride = std::gcd(stride, d.stride);
  Reg sum = kNoReg;
  for (const Dynamic& d : s.dynamic) {
    Reg r = convert(Scalar::I64, d.index);
    if (d.stride != stride) r = pure(VD_OP_MUL, Scalar::I64, r, constant(Scalar::I64, d.stride / stride));
    sum = sum == kNoReg ? r : pure(VD_OP_ADD, Scalar::I64, sum, r);
  }
  return sum;
}

// Where the next group of components of a load or store ends: of one kind, side by side, at most four.
static uint32_t group_end(const std::vector<Scalar>& scalars, const std::vector<uint32_t>& offsets, uint32_t first) {
  uint32_t end = first + 1;
  while (end < scalars.size() && end - first < kMaxParts && cell_of(scalars[end]) == cell_of(scalars[first]) &&
         offsets[end] == offsets[end - 1] + ir::scalar_size(scalars[first])) {
    ++end;
  }
  return end;
}

std::vector<Reg> Lowering::load_memory(const Spot& s, Type type, uint32_t location) {
  uint64_t stride = 1;
  const Reg index = address(s, stride);
  const Cells& list = cells(type);
  const uint64_t size = list.offsets.back() + ir::scalar_size(list.scalars.back());
  check_spot(s, location);
  check_access(s, index, stride, size, Touch::Read, location);
  const bool varying = out_.regs[index].varying;
  // The block of values does not change during a dispatch.
  const bool fixed = !varying && s.span == values_span_ && origins_[index].level == 0;
  std::vector<Reg> regs;
  for (uint32_t first = 0; first < list.size();) {
    const uint32_t end = group_end(list.scalars, list.offsets, first);
    const uint32_t cell = ir::scalar_size(list.scalars[first]), bytes = (end - first) * cell;
    AccessDesc desc{s.span, s.offset + list.offsets[first], static_cast<uint32_t>(stride), bytes, 1};
    if (stride < bytes && bytes % stride == 0) desc.step = static_cast<uint32_t>(bytes / stride);
    Node node{.code = static_cast<uint16_t>(Code::Load), .scalar = list.scalars[first], .a = index};
    node.b = access(desc);
    node.x = static_cast<uint32_t>(out_.parts.size());
    node.y = end - first;
    node.location = location;
    for (uint32_t i = first; i < end; ++i) {
      const Reg r = new_reg(list.scalars[i], varying, fixed ? 0 : static_cast<uint32_t>(frames_.size()), fixed ? 0 : 2);
      out_.regs[r].pinned = fixed;
      out_.parts.push_back({r, static_cast<uint16_t>((i - first) * cell)});
      regs.push_back(r);
    }
    ++origins_[index].reads;
    out_.blocks[fixed ? dispatch_block_ : block_].nodes.push_back(node);
    first = end;
  }
  return regs;
}

void Lowering::store_memory(const Spot& s, Type type, std::span<const Reg> values, uint32_t location) {
  uint64_t stride = 1;
  const Reg index = address(s, stride);
  const Cells& list = cells(type);
  const uint64_t size = list.offsets.back() + ir::scalar_size(list.scalars.back());
  check_spot(s, location);
  check_access(s, index, stride, size, Touch::Write, location);
  for (uint32_t first = 0; first < list.size();) {
    const uint32_t end = group_end(list.scalars, list.offsets, first);
    const uint32_t cell = ir::scalar_size(list.scalars[first]), bytes = (end - first) * cell;
    AccessDesc desc{s.span, s.offset + list.offsets[first], static_cast<uint32_t>(stride), bytes, 1};
    if (stride < bytes && bytes % stride == 0) desc.step = static_cast<uint32_t>(bytes / stride);
    Node node{.code = static_cast<uint16_t>(Code::Store), .scalar = list.scalars[first], .a = index};
    node.b = access(desc);
    node.x = static_cast<uint32_t>(out_.parts.size());
    node.y = end - first;
    node.location = location;
    for (uint32_t i = first; i < end; ++i) {
      out_.parts.push_back({values[i], static_cast<uint16_t>((i - first) * cell)});
      ++origins_[values[i]].reads;
    }
    ++origins_[index].reads;
    out_.blocks[block_].nodes.push_back(node);
    first = end;
  }
}

void Lowering::load(ValueId id) {
  const Inst& inst = k_.insts[id];
  const Spot s = spot(k_.operands_of(inst)[0]);
  const Type type = accessed(inst, s.type);
  if (s.variable) return load_variable(id, s, type);
  set_parts(id, load_memory(s, type, inst.location));
}

void Lowering::store(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  const Spot s = spot(operands[0]);
  const Type type = accessed(inst, s.type);
  if (s.variable) return store_variable(id, s, operands[1], type);
  const auto values = parts(operands[1]);
  store_memory(s, type, std::vector<Reg>(values.begin(), values.end()), inst.location);
}

// A u32 of the block of values.
Reg Lowering::value_word(uint32_t offset) {
  const auto found = words_.find(offset);
  if (found != words_.end()) return found->second;
  Spot s;
  s.span = values_span_;
  s.offset = offset;
  const Reg r = load_memory(s, ir::kU32, 0)[0];
  origins_[r].shared = true;
  words_.emplace(offset, r);
  return r;
}

void Lowering::shape(ValueId id) {
  const ValueId root = ir::reference_root(k_, k_.operands_of(id)[0]);
  const Inst& inst = k_.insts[root];
  Reg r[4];
  if (inst.op == ir::kOpShared) {
    const uint32_t count = k_.shareds[inst.immediate].count;
    for (uint32_t i = 0; i < 4; ++i) r[i] = constant(Scalar::I32, i == 0 || i == 3 ? count : 1);
  } else {
    const uint32_t offset = k_.values.shape_offsets[inst.immediate];
    if (offset == ir::kNoOffset) unsupported(id, "the launch gives no shape of that argument");
    for (uint32_t i = 0; i < 4; ++i) {
      Spot s;
      s.span = values_span_;
      s.offset = offset + 4 * i;
      r[i] = load_memory(s, ir::kI32, 0)[0];
    }
  }
  set_parts(id, r);
}

void Lowering::atomic(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  const Spot s = spot(operands[0]);
  if (s.variable || s.span == values_span_) unsupported(id, "atomics work on buffers and shared arrays");
  uint64_t stride = 1;
  const Reg index = address(s, stride);
  const uint32_t size = ir::scalar_size(s.type.scalar());
  check_spot(s, inst.location);
  check_access(s, index, stride, size, Touch::Atomic, inst.location);
  Node node{.code = static_cast<uint16_t>(Code::Atomic), .scalar = s.type.scalar(), .a = index};
  node.x = access({s.span, s.offset, static_cast<uint32_t>(stride), size, 1});
  node.y = static_cast<uint32_t>(inst.op);
  if (operands.size() > 1) node.b = part(operands[1], 0);
  if (operands.size() > 2) node.c = part(operands[2], 0);
  const Reg r = emit(node, s.type.scalar());
  set_parts(id, {&r, 1});
}

void Lowering::async_copy(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  const auto bytes = static_cast<uint32_t>(ir::plain_immediate(inst.immediate));
  const Spot to = spot(operands[0]), from = spot(operands[1]);
  // As words: alignment is that of the elements, and words are what all of them allow.
  uint64_t to_stride = 1, from_stride = 1;
  const Reg to_index = address(to, to_stride), from_index = address(from, from_stride);
  check_spot(from, inst.location);
  check_spot(to, inst.location);
  check_access(from, from_index, from_stride, bytes, Touch::Read, inst.location);
  check_access(to, to_index, to_stride, bytes, Touch::Write, inst.location);
  Node node{.code = static_cast<uint16_t>(Code::CopyAsync), .a = from_index, .c = to_index};
  node.x = access({to.span, to.offset, static_cast<uint32_t>(to_stride), bytes, 1});
  node.z = access({from.span, from.offset, static_cast<uint32_t>(from_stride), bytes, 1});
  node.y = bytes;
  emit(node, Scalar::None);
}

// ---- checks ----

void Lowering::check_spot(const Spot& s, uint32_t location) {
  if (!p_.checked || s.span == values_span_) return;
  for (const Dynamic& d : s.dynamic) {
    CheckInfo info;
    info.span = s.variable ? ~0u : s.span;
    info.limit = d.limit;
    info.stride = d.stride;
    info.offset = s.offset;
    info.location = d.location == 0 ? location : d.location;
    p_.checks.push_back(info);
    emit({.code = static_cast<uint16_t>(Code::Check), .a = d.index, .x = static_cast<uint32_t>(p_.checks.size() - 1)},
         Scalar::None);
  }
}

void Lowering::check_access(const Spot& s, Reg index, uint64_t stride, uint64_t size, Touch touch, uint32_t location) {
  if (!p_.checked || p_.spans[s.span].kind == SpanDesc::Kind::Values ||
      p_.spans[s.span].kind == SpanDesc::Kind::Constants) {
    return;
  }
  CheckInfo info;
  info.span = s.span;
  info.access = access({s.span, s.offset, static_cast<uint32_t>(stride), static_cast<uint32_t>(size), 1});
  info.location = location;
  info.size = static_cast<uint32_t>(size);
  info.touch = static_cast<CheckInfo::Touch>(touch);
  p_.checks.push_back(info);
  emit({.code = static_cast<uint16_t>(Code::CheckAccess), .a = index, .x = static_cast<uint32_t>(p_.checks.size() - 1)},
       Scalar::None);
}

}  // namespace vd::host
