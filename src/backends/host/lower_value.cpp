// Values: every component of a kernel's value is a register. Ops that only pick or join components make no code.
#include <algorithm>
#include <cstring>

#include "backends/host/lower.h"
#include "core/error.h"
#include "ir/op.h"
#include "ir/type_rules.h"

namespace vd::host {

using ir::Inst;
using ir::Scalar;
using ir::Shape;
using ir::Type;
using ir::ValueId;

namespace {

// Bits of a scalar in memory, as Opcode::Const takes them: f16 as its own bits, bool as 0 or 1.
uint64_t read_bits(Scalar s, const std::byte* p) {
  uint64_t bits = 0;
  std::memcpy(&bits, p, ir::scalar_size(s));
  return s == Scalar::Bool ? bits != 0 : bits;
}

uint64_t one_bits(Scalar s) {
  switch (s) {
    case Scalar::F16:
      return 0x3c00;
    case Scalar::F32:
      return 0x3f800000;
    case Scalar::F64:
      return 0x3ff0000000000000;
    default:
      return 1;
  }
}

Scalar unsigned_of(uint32_t bytes) {
  return bytes == 1 ? Scalar::U8 : bytes == 2 ? Scalar::U16 : bytes == 4 ? Scalar::U32 : Scalar::U64;
}

}  // namespace

std::span<const Reg> Lowering::parts(ValueId id) {
  if (values_[id].first == ~0u) leaf(id);
  return {pool_.data() + values_[id].first, values_[id].count};
}

void Lowering::set_parts(ValueId id, std::span<const Reg> regs) {
  const std::vector<Reg> copy(regs.begin(), regs.end());  // may lie in the pool
  values_[id] = {static_cast<uint32_t>(pool_.size()), static_cast<uint32_t>(copy.size())};
  for (const Reg r : copy) {
    // A register is one name's own as long as each of its names has one use.
    origins_[r].shared |= uses_.count(id) != 1;
  }
  pool_.insert(pool_.end(), copy.begin(), copy.end());
}

Reg Lowering::constant(Scalar s, uint64_t bits) {
  const auto found = constants_[static_cast<size_t>(s)].find(bits);
  if (found != constants_[static_cast<size_t>(s)].end()) return found->second;
  const Reg r = new_reg(s, false, 0, 0);
  out_.regs[r].pinned = true;
  origins_[r].shared = true;
  // In front of all that runs once a dispatch.
  out_.blocks[dispatch_block_].nodes.push_back({.code = static_cast<uint16_t>(Opcode::Const),
                                                .scalar = s,
                                                .d = r,
                                                .x = static_cast<uint32_t>(bits),
                                                .y = static_cast<uint32_t>(bits >> 32)});
  constants_[static_cast<size_t>(s)].emplace(bits, r);
  return r;
}

Reg Lowering::pure(vd_op op, Scalar s, Reg a, Reg b, Reg c) {
  Scalar result = s;
  switch (op) {
    case VD_OP_EQ:
    case VD_OP_NE:
    case VD_OP_LT:
    case VD_OP_LE:
    case VD_OP_GT:
    case VD_OP_GE:
    case VD_OP_ISNAN:
    case VD_OP_ISINF:
      result = Scalar::Bool;
      break;
    default:
      break;
  }
  return emit({.code = static_cast<uint16_t>(op), .scalar = s, .a = a, .b = b, .c = c}, result);
}

Reg Lowering::convert(Scalar to, Reg a) {
  const Scalar from = out_.regs[a].scalar;
  if (from == to) return a;
  return emit({.code = static_cast<uint16_t>(Opcode::Convert), .scalar = to, .from = from, .a = a}, to);
}

// A new register with the present value of `a`.
Reg Lowering::copy(Reg a) {
  const RegInfo info = out_.regs[a];
  const Reg d = new_reg(info.scalar, info.varying, static_cast<uint32_t>(frames_.size()), 2);
  ++origins_[a].reads;
  out_.blocks[block_].nodes.push_back(
      {.code = VD_OP_LET, .scalar = info.scalar, .d = d, .a = a, .location = location_});
  return d;
}

Reg Lowering::input(vd_builtin builtin, uint32_t component, bool lanes, uint32_t level) {
  const uint32_t key = static_cast<uint32_t>(builtin) * 4 + component;
  const auto found = inputs_.find(key);
  if (found != inputs_.end()) return found->second;
  const Reg r = new_reg(Scalar::U32, lanes, 0, level);
  out_.regs[r].pinned = true;
  origins_[r].shared = true;
  (lanes ? out_.lane_inputs : out_.uniform_inputs).push_back({builtin, component, r});
  inputs_.emplace(key, r);
  return r;
}

void Lowering::builtin(ValueId id) {
  const auto which = static_cast<vd_builtin>(k_.insts[id].immediate);
  const auto lanes = [&](vd_builtin b, uint32_t c) { return input(b, c, true, 2); };
  Reg r[3] = {};
  switch (which) {
    case VD_BUILTIN_GLOBAL_ID:
    case VD_BUILTIN_LOCAL_ID:
      for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t size = p_.workgroup_size[i];
        const Reg local = size == 1 ? constant(Scalar::U32, 0) : lanes(VD_BUILTIN_LOCAL_ID, i);
        if (which == VD_BUILTIN_LOCAL_ID) {
          r[i] = local;
          continue;
        }
        Reg group = input(VD_BUILTIN_WORKGROUP_ID, i, false, 1);
        if (size != 1) {
          group = pure(VD_OP_MUL, Scalar::U32, group, constant(Scalar::U32, size));
          r[i] = pure(VD_OP_ADD, Scalar::U32, group, local);
        } else {
          r[i] = group;
        }
      }
      break;
    case VD_BUILTIN_WORKGROUP_ID:
      for (uint32_t i = 0; i < 3; ++i) r[i] = input(which, i, false, 1);
      break;
    case VD_BUILTIN_NUM_WORKGROUPS:
      for (uint32_t i = 0; i < 3; ++i) r[i] = input(which, i, false, 0);
      break;
    case VD_BUILTIN_WORKGROUP_SIZE:
      for (uint32_t i = 0; i < 3; ++i) r[i] = constant(Scalar::U32, p_.workgroup_size[i]);
      break;
    case VD_BUILTIN_EXEC_SIZE:
      for (uint32_t i = 0; i < 3; ++i) {
        r[i] = k_.values.exec_size_offset == ir::kNoOffset ? constant(Scalar::U32, ~0u)
                                                           : value_word(k_.values.exec_size_offset + 4 * i);
      }
      break;
    case VD_BUILTIN_LOCAL_INDEX:
    case VD_BUILTIN_SUBGROUP_ID:
    case VD_BUILTIN_SUBGROUP_LANE:
      r[0] = lanes(which, 0);
      break;
    case VD_BUILTIN_SUBGROUP_SIZE:
      r[0] = constant(Scalar::U32, kSubgroup);
      break;
    case VD_BUILTIN_NUM_SUBGROUPS:
      r[0] = constant(Scalar::U32, (p_.lanes + kSubgroup - 1) / kSubgroup);
      break;
    default:
      r[0] = constant(Scalar::U32, 0);
      break;
  }
  set_parts(id, {r, k_.insts[id].type.count()});
}

void Lowering::leaf(ValueId id) {
  const Inst& inst = k_.insts[id];
  std::vector<Reg> regs;
  switch (static_cast<uint32_t>(inst.op)) {
    case VD_OP_CONST: {
      const Scalar s = inst.type.scalar();
      uint64_t bits = inst.immediate;
      const uint32_t bytes = s == Scalar::Bool ? 1 : ir::scalar_size(s);
      if (bytes < 8) bits &= (uint64_t{1} << bytes * 8) - 1;
      for (uint32_t i = 0; i < inst.type.count() * inst.type.rows(); ++i) {
        regs.push_back(constant(s, inst.type.is_complex() && i == 1 ? 0 : bits));
      }
      break;
    }
    case VD_OP_ZERO:
      for (const Scalar s : cells(inst.type).scalars) regs.push_back(constant(s, 0));
      break;
    case static_cast<uint32_t>(ir::kOpConstant): {
      const ir::Constant& c = k_.constants[inst.immediate];
      const Cells& list = cells(inst.type);
      for (uint32_t i = 0; i < list.size(); ++i) {
        regs.push_back(constant(list.scalars[i], read_bits(list.scalars[i], c.bytes.data() + list.offsets[i])));
      }
      break;
    }
    case VD_OP_BUILTIN: {
      // At the start, since it is asked for everywhere.
      std::vector<Frame> inner(frames_.begin() + 1, frames_.end());
      frames_.resize(1);
      std::swap(block_, entry_block_);
      builtin(id);
      std::swap(block_, entry_block_);
      frames_.insert(frames_.end(), inner.begin(), inner.end());
      return;
    }
    default:
      unsupported(id, "it has no value of its own here");
  }
  set_parts(id, regs);
}

void Lowering::value(ValueId id) {
  const Inst& inst = k_.insts[id];
  switch (inst.op) {
    case VD_OP_SHAPE:
      return shape(id);
    case VD_OP_LOAD:
      return load(id);
    case VD_OP_MEMBER:
    case VD_OP_INDEX:
      if (inst.type.is_reference()) return;  // followed where it is used
      return index_value(id);
    case VD_OP_VIEW:
      return;
    case VD_OP_SWIZZLE: {
      const uint64_t plain = ir::plain_immediate(inst.immediate);
      Reg r[4];
      for (uint32_t i = 0; i < inst.type.count(); ++i) r[i] = part(k_.operands_of(inst)[0], plain >> 2 * i & 3);
      return set_parts(id, {r, inst.type.count()});
    }
    case VD_OP_CONSTRUCT:
      return construct(id);
    case VD_OP_BITCAST:
      return bitcast(id);
    default:
      break;
  }
  if (ir::is_atomic(inst.op)) return atomic(id);
  if (ir::is_lane_exchange(inst.op)) return subgroup(id);
  elementwise(id);
}

void Lowering::elementwise(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  const Type from = k_.insts[operands[0]].type;
  std::vector<Reg> regs;
  if (inst.op == VD_OP_ANY || inst.op == VD_OP_ALL) {
    Reg r = part(operands[0], 0);
    for (uint32_t i = 1; i < from.count(); ++i) {
      r = pure(inst.op == VD_OP_ANY ? VD_OP_LOR : VD_OP_LAND, Scalar::Bool, r, part(operands[0], i));
    }
    return set_parts(id, {&r, 1});
  }
  const uint32_t n = cells(inst.type).size();
  if (inst.op == VD_OP_SELECT) {
    const uint32_t conditions = from.count();
    for (uint32_t i = 0; i < n; ++i) {
      const Reg condition = part(operands[0], conditions == 1 ? 0 : i);
      const Reg a = part(operands[1], i), b = part(operands[2], i);
      regs.push_back(a == b ? a : pure(VD_OP_SELECT, out_.regs[a].scalar, condition, a, b));
    }
    return set_parts(id, regs);
  }
  if (inst.op == VD_OP_CONVERT) {
    for (uint32_t i = 0; i < n; ++i) regs.push_back(convert(inst.type.scalar(), part(operands[0], i)));
    return set_parts(id, regs);
  }
  const Scalar s = from.scalar();
  const auto op = static_cast<size_t>(inst.op);
  if (op >= kPureOps || op_table().pure[op][static_cast<size_t>(s)] == nullptr) {
    unsupported(id, fmt::format("it has no form for {}", k_.types.name(from)).c_str());
  }
  // Complex numbers and matrices were lowered, except in ops that work component by component.
  const bool whole = from.is_complex() || from.is_matrix();
  if (whole && inst.op != VD_OP_ADD && inst.op != VD_OP_SUB && inst.op != VD_OP_NEG) {
    if ((inst.op != VD_OP_MUL && inst.op != VD_OP_DIV) || k_.insts[operands[1]].type == from) {
      unsupported(id, fmt::format("it should have been lowered for {}", k_.types.name(from)).c_str());
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    Reg r[3] = {kNoReg, kNoReg, kNoReg};
    for (uint32_t j = 0; j < operands.size(); ++j) {
      const auto list = parts(operands[j]);
      r[j] = list[list.size() == 1 ? 0 : i];
      // Shift counts may be of another integer type.
      if (j == 1 && (inst.op == VD_OP_SHL || inst.op == VD_OP_SHR)) r[j] = convert(s, r[j]);
    }
    regs.push_back(pure(inst.op, s, r[0], r[1], r[2]));
  }
  set_parts(id, regs);
}

void Lowering::construct(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  const Type type = inst.type;
  const Scalar s = type.scalar();
  std::vector<Reg> regs;
  for (const ValueId operand : operands) {
    const auto list = parts(operand);
    regs.insert(regs.end(), list.begin(), list.end());
  }
  const uint32_t n = cells(type).size();
  if (type.is_complex() && regs.size() == 1) {
    regs.push_back(constant(s, 0));
  } else if (type.is_matrix() && operands.size() == 1) {
    // A diagonal, or as much of another matrix as fits into the identity.
    const Type from = k_.insts[operands[0]].type;
    std::vector<Reg> filled;
    for (uint32_t c = 0; c < type.count(); ++c) {
      for (uint32_t r = 0; r < type.rows(); ++r) {
        if (!from.is_matrix())
          filled.push_back(c == r ? regs[0] : constant(s, 0));
        else if (c < from.count() && r < from.rows())
          filled.push_back(regs[c * from.rows() + r]);
        else
          filled.push_back(constant(s, c == r ? one_bits(s) : 0));
      }
    }
    regs = std::move(filled);
  } else if (regs.size() == 1 && n > 1) {
    regs.assign(n, regs[0]);
  }
  if (regs.size() != n) unsupported(id, "the parts do not make the whole");
  set_parts(id, regs);
}

// Component `index` of a value whose elements have n registers each: a chain of selections.
void Lowering::pick(ValueId id, std::span<const Reg> from, uint32_t n, Reg index) {
  const Scalar s = out_.regs[index].scalar;
  const std::vector<Reg> list(from.begin(), from.end());
  const auto count = static_cast<uint32_t>(list.size() / n);
  std::vector<Reg> regs(list.begin(), list.begin() + n);
  for (uint32_t e = 1; e < count; ++e) {
    const Reg here = pure(VD_OP_EQ, s, index, constant(s, e));
    for (uint32_t i = 0; i < n; ++i) {
      regs[i] = pure(VD_OP_SELECT, out_.regs[regs[i]].scalar, here, list[e * n + i], regs[i]);
    }
  }
  set_parts(id, regs);
}

void Lowering::index_value(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  const Inst& whole = k_.insts[operands[0]];
  const uint32_t n = cells(inst.type).size();
  uint32_t first = 0;
  if (inst.op == VD_OP_MEMBER) {
    const auto& fields = k_.types.get_struct(whole.type).fields;
    for (uint64_t f = 0; f < ir::plain_immediate(inst.immediate); ++f) first += cells(fields[f].type).size();
  } else {
    const Inst& index = k_.insts[operands[1]];
    if (index.op != VD_OP_CONST) {
      const Reg at = part(operands[1], 0);
      if (whole.op == ir::kOpConstant && cells(whole.type).size() > 8) {
        // A table: in memory.
        auto [found, fresh] = constant_spans_.try_emplace(operands[0], 0);
        if (fresh) {
          const ir::Constant& c = k_.constants[whole.immediate];
          found->second = static_cast<uint32_t>(p_.spans.size());
          p_.spans.push_back(
              {SpanDesc::Kind::Constants, static_cast<uint32_t>(p_.constants.size()), c.bytes.size(), 0});
          p_.constants.insert(p_.constants.end(), c.bytes.begin(), c.bytes.end());
          p_.constants.resize((p_.constants.size() + 15) / 16 * 16);
        }
        ReferenceTarget s;
        s.span = found->second;
        s.type = inst.type;
        s.dynamic.push_back({at, k_.types.size(inst.type), ir::element_count(k_.types, whole.type), inst.location});
        return set_parts(id, load_memory(s, inst.type, inst.location));
      }
      return pick(id, parts(operands[0]), n, at);
    }
    const uint64_t count = cells(whole.type).size() / n;
    first = static_cast<uint32_t>(std::min<uint64_t>(index.immediate, count - 1)) * n;
  }
  set_parts(id, parts(operands[0]).subspan(first, n));
}

void Lowering::bitcast(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto source = parts(k_.operands_of(inst)[0]);
  const std::vector<Reg> from(source.begin(), source.end());
  const Scalar a = k_.insts[k_.operands_of(inst)[0]].type.scalar(), d = inst.type.scalar();
  const uint32_t as = ir::scalar_size(a), ds = ir::scalar_size(d);
  const auto bits_of = [&](Reg r) {
    const Scalar s = out_.regs[r].scalar, u = unsigned_of(ir::scalar_size(s));
    return s == u ? r : emit({.code = VD_OP_BITCAST, .scalar = s, .from = u, .a = r}, u);
  };
  const auto from_bits = [&](Reg r) {
    if (d == Scalar::F16) return emit({.code = static_cast<uint16_t>(Opcode::HalfOfBits), .scalar = d, .a = r}, d);
    const Scalar u = unsigned_of(ds);
    return d == u ? r : emit({.code = VD_OP_BITCAST, .scalar = u, .from = d, .a = r}, d);
  };
  std::vector<Reg> regs;
  const Scalar au = unsigned_of(as), du = unsigned_of(ds);
  if (as >= ds) {
    for (const Reg r : from) {
      const Reg bits = bits_of(r);
      for (uint32_t i = 0; i < as / ds; ++i) {
        const Reg moved = i == 0 ? bits : pure(VD_OP_SHR, au, bits, constant(au, uint64_t{i} * ds * 8));
        regs.push_back(from_bits(convert(du, moved)));
      }
    }
  } else {
    for (size_t first = 0; first < from.size(); first += ds / as) {
      Reg all = convert(du, bits_of(from[first]));
      for (uint32_t i = 1; i < ds / as; ++i) {
        const Reg wide = convert(du, bits_of(from[first + i]));
        all = pure(VD_OP_OR, du, all, pure(VD_OP_SHL, du, wide, constant(du, uint64_t{i} * as * 8)));
      }
      regs.push_back(from_bits(all));
    }
  }
  set_parts(id, regs);
}

void Lowering::subgroup(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  const bool ballot = inst.op == VD_OP_SUBGROUP_BALLOT;
  const auto make = [&](Reg a, Reg lane) {
    const Scalar s = ballot ? Scalar::U32 : a == kNoReg ? Scalar::Bool : out_.regs[a].scalar;
    return emit({.code = static_cast<uint16_t>(Opcode::Subgroup),
                 .scalar = s,
                 .a = a,
                 .b = lane,
                 .y = static_cast<uint32_t>(inst.op)},
                s);
  };
  std::vector<Reg> regs;
  if (operands.empty()) {
    regs.push_back(make(kNoReg, kNoReg));
  } else {
    const Reg lane = operands.size() > 1 ? convert(Scalar::U32, part(operands[1], 0)) : kNoReg;
    for (uint32_t i = 0; i < parts(operands[0]).size(); ++i) regs.push_back(make(part(operands[0], i), lane));
  }
  if (ballot) regs.resize(4, constant(Scalar::U32, 0));
  set_parts(id, regs);
}

}  // namespace vd::host
