// Memory: the addresses of references, loads and stores. References to variables are in lower_variable.cpp.
#include <algorithm>
#include <numeric>

#include "backends/host/lower.h"
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
  unsupported(root, "it is not memory of the host");
}

Lowering::ReferenceTarget Lowering::target(ValueId reference) {
  std::vector<ValueId> way;
  ValueId id = reference;
  for (;; id = k_.operands_of(id)[0]) {
    const vd_op op = k_.insts[id].op;
    if (op != VD_OP_INDEX && op != VD_OP_MEMBER && op != VD_OP_VIEW) break;
    way.push_back(id);
  }
  ReferenceTarget s;
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
    // A constant needs no lanes, but one out of range must not address other memory.
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

// The type that a load or store moves: a vector if the access is wide.
Type Lowering::accessed(const Inst& inst, Type referred) const {
  const uint32_t width = ir::access_width(ir::plain_immediate(inst.immediate));
  return width == 1 ? referred : Type::vector(referred.scalar(), width);
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

Reg Lowering::address(const ReferenceTarget& s, uint64_t& stride) {
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

// The end of the next group of components of a load or store: of one kind, adjacent, at most four.
static uint32_t group_end(const std::vector<Scalar>& scalars, const std::vector<uint32_t>& offsets, uint32_t first) {
  uint32_t end = first + 1;
  while (end < scalars.size() && end - first < kMaxParts && cell_of(scalars[end]) == cell_of(scalars[first]) &&
         offsets[end] == offsets[end - 1] + ir::scalar_size(scalars[first])) {
    ++end;
  }
  return end;
}

std::vector<Reg> Lowering::load_memory(const ReferenceTarget& s, Type type, uint32_t location) {
  uint64_t stride = 1;
  const Reg index = address(s, stride);
  const Cells& list = cells(type);
  const uint64_t size = list.offsets.back() + ir::scalar_size(list.scalars.back());
  check_target(s, location);
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
    Node node{.code = static_cast<uint16_t>(Opcode::Load), .scalar = list.scalars[first], .a = index};
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

void Lowering::store_memory(const ReferenceTarget& s, Type type, std::span<const Reg> values, uint32_t location) {
  uint64_t stride = 1;
  const Reg index = address(s, stride);
  const Cells& list = cells(type);
  const uint64_t size = list.offsets.back() + ir::scalar_size(list.scalars.back());
  check_target(s, location);
  check_access(s, index, stride, size, Touch::Write, location);
  for (uint32_t first = 0; first < list.size();) {
    const uint32_t end = group_end(list.scalars, list.offsets, first);
    const uint32_t cell = ir::scalar_size(list.scalars[first]), bytes = (end - first) * cell;
    AccessDesc desc{s.span, s.offset + list.offsets[first], static_cast<uint32_t>(stride), bytes, 1};
    if (stride < bytes && bytes % stride == 0) desc.step = static_cast<uint32_t>(bytes / stride);
    Node node{.code = static_cast<uint16_t>(Opcode::Store), .scalar = list.scalars[first], .a = index};
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
  const ReferenceTarget s = target(k_.operands_of(inst)[0]);
  const Type type = accessed(inst, s.type);
  if (s.variable) return load_variable(id, s, type);
  set_parts(id, load_memory(s, type, inst.location));
}

void Lowering::store(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  const ReferenceTarget s = target(operands[0]);
  const Type type = accessed(inst, s.type);
  if (s.variable) return store_variable(id, s, operands[1], type);
  const auto values = parts(operands[1]);
  store_memory(s, type, std::vector<Reg>(values.begin(), values.end()), inst.location);
}

// A u32 of the block of values.
Reg Lowering::value_word(uint32_t offset) {
  const auto found = words_.find(offset);
  if (found != words_.end()) return found->second;
  ReferenceTarget s;
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
      ReferenceTarget s;
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
  const ReferenceTarget s = target(operands[0]);
  if (s.variable || s.span == values_span_) unsupported(id, "atomics work on buffers and shared arrays");
  uint64_t stride = 1;
  const Reg index = address(s, stride);
  const uint32_t size = ir::scalar_size(s.type.scalar());
  check_target(s, inst.location);
  check_access(s, index, stride, size, Touch::Atomic, inst.location);
  Node node{.code = static_cast<uint16_t>(Opcode::Atomic), .scalar = s.type.scalar(), .a = index};
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
  const ReferenceTarget to = target(operands[0]), from = target(operands[1]);
  // Copies words: the alignment is the elements', and words are the largest unit that all of them allow.
  uint64_t to_stride = 1, from_stride = 1;
  const Reg to_index = address(to, to_stride), from_index = address(from, from_stride);
  check_target(from, inst.location);
  check_target(to, inst.location);
  check_access(from, from_index, from_stride, bytes, Touch::Read, inst.location);
  check_access(to, to_index, to_stride, bytes, Touch::Write, inst.location);
  Node node{.code = static_cast<uint16_t>(Opcode::CopyAsync), .a = from_index, .c = to_index};
  node.x = access({to.span, to.offset, static_cast<uint32_t>(to_stride), bytes, 1});
  node.z = access({from.span, from.offset, static_cast<uint32_t>(from_stride), bytes, 1});
  node.y = bytes;
  emit(node, Scalar::None);
}

// ---- checks ----

void Lowering::check_target(const ReferenceTarget& s, uint32_t location) {
  if (!p_.checked || s.span == values_span_) return;
  for (const Dynamic& d : s.dynamic) {
    CheckInfo info;
    info.span = s.variable ? ~0u : s.span;
    info.limit = d.limit;
    info.stride = d.stride;
    info.offset = s.offset;
    info.location = d.location == 0 ? location : d.location;
    p_.checks.push_back(info);
    emit({.code = static_cast<uint16_t>(Opcode::Check), .a = d.index, .x = static_cast<uint32_t>(p_.checks.size() - 1)},
         Scalar::None);
  }
}

void Lowering::check_access(const ReferenceTarget& s, Reg index, uint64_t stride, uint64_t size, Touch touch,
                            uint32_t location) {
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
  emit({.code = static_cast<uint16_t>(Opcode::CheckAccess),
        .a = index,
        .x = static_cast<uint32_t>(p_.checks.size() - 1)},
       Scalar::None);
}

}  // namespace vd::host
