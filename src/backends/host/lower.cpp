// Statements: regions, branches and loops, at the level of a strip with masks and jumps, and at the level of a
// workgroup with steps around barriers.
#include "backends/host/lower.h"

#include <algorithm>

#include "core/error.h"
#include "ir/op.h"
#include "ir/walk.h"

namespace vd::host {

using ir::Inst;
using ir::kNoRegion;
using ir::kNoValue;
using ir::RegionId;
using ir::Scalar;
using ir::ValueId;

namespace {
// Values that are moved out of one loop; more would only crowd the cache.
constexpr uint32_t kMaxHoisted = 24;

bool is_terminator(ir::Op op) { return op == VD_OP_BREAK || op == VD_OP_CONTINUE || op == VD_OP_RETURN; }
}  // namespace

Lowering::Lowering(const ir::Kernel& kernel, Program& program)
    : k_(kernel),
      p_(program),
      u_(ir::find_uniformity(kernel, program.workgroup_size, ir::Agreement::Strip)),
      uses_(kernel, u_),
      cut_(program.strips > 1 && kernel.uses_barrier) {
  values_.resize(k_.insts.size());
  argument_spans_.assign(k_.arguments.size(), ~0u);
  for (uint32_t i = 0; i < k_.arguments.size(); ++i) {
    if (k_.arguments[i].kind != VD_ARGUMENT_BUFFER) continue;
    argument_spans_[i] = static_cast<uint32_t>(p_.spans.size());
    p_.spans.push_back({SpanDesc::Kind::Binding, k_.arguments[i].binding, 0, i});
  }
  for (uint32_t i = 0; i < k_.shareds.size(); ++i) {
    const ir::SharedArray& s = k_.shareds[i];
    shared_spans_.push_back(static_cast<uint32_t>(p_.spans.size()));
    p_.spans.push_back({SpanDesc::Kind::Shared, s.offset, k_.types.size(s.element) * s.count, i});
  }
  values_span_ = static_cast<uint32_t>(p_.spans.size());
  p_.spans.push_back({SpanDesc::Kind::Values, 0, 0, 0});
}

Listing Lowering::run() {
  dispatch_block_ = new_block();
  group_block_ = new_block();
  out_.dispatch_blocks.push_back(dispatch_block_);
  out_.group_blocks.push_back(group_block_);
  find_variables();
  begin_segment();
  entry_block_ = block_;
  block_ = new_block();
  out_.steps.back().blocks.push_back(block_);
  push_frame(Frame::Kind::Root);
  // A variable that is seen outside the region of its declaration is zero until that runs.
  for (auto& [id, v] : variables_) {
    if (!v.scoped) declare(id);
  }
  if (cut_) {
    ends_.push_back(kNoLabel);
    group_region(k_.body);
    ends_.pop_back();
  } else {
    const Label end = new_label();
    ends_.push_back(end);
    region(k_.body);
    ends_.pop_back();
    emit({.code = static_cast<uint16_t>(Opcode::Place), .x = end}, Scalar::None);
  }
  pop_frame();
  end_segment();
  for (const uint32_t b : {dispatch_block_, group_block_}) {
    out_.blocks[b].nodes.push_back({.code = static_cast<uint16_t>(Opcode::End)});
  }
  return std::move(out_);
}

// ---- places ----

uint32_t Lowering::new_block() {
  out_.blocks.emplace_back();
  return static_cast<uint32_t>(out_.blocks.size() - 1);
}

void Lowering::begin_segment() {
  block_ = new_block();
  PlannedStep step;
  step.blocks.push_back(block_);
  out_.steps.push_back(std::move(step));
}

void Lowering::end_segment() { out_.blocks[block_].nodes.push_back({.code = static_cast<uint16_t>(Opcode::End)}); }

void Lowering::push_frame(Frame::Kind kind, uint32_t preheader) {
  frames_.push_back({kind, preheader, static_cast<uint32_t>(scope_open_.size()), 0});
  scope_open_.push_back(1);
}

void Lowering::pop_frame() {
  scope_open_[frames_.back().serial] = 0;
  frames_.pop_back();
}

uint32_t Lowering::take_slots(uint32_t n) {
  const uint32_t first = mask_next_;
  mask_next_ += n;
  out_.mask_count = std::max(out_.mask_count, mask_next_);
  return first;
}

// Puts a node in its place: a node that depends on nothing here goes before the loops around it, to the start of the
// workgroup or of the dispatch. Makes `node.d` if `result` is a scalar; returns it.
Reg Lowering::emit(Node node, Scalar result) {
  node.location = location_;
  const bool makes = result != Scalar::None;
  const bool movable = makes && (node.code < kPureOps || node.code == static_cast<uint16_t>(Opcode::Convert) ||
                                 node.code == static_cast<uint16_t>(Opcode::HalfOfBits));
  if (!movable) {
    if (makes) node.d = new_reg(result, true, static_cast<uint32_t>(frames_.size()), 2);
    for (const Reg r : {node.a, node.b, node.c}) {
      if (r != kNoReg) ++origins_[r].reads;
    }
    out_.blocks[block_].nodes.push_back(node);
    return node.d;
  }

  bool varying = false, fixed = false;
  uint32_t level = 0, depth = 0;
  for (const Reg r : {node.a, node.b, node.c}) {
    if (r == kNoReg) continue;
    const RegInfo& info = out_.regs[r];
    varying |= info.varying;
    fixed |= info.variable;
    level = std::max(level, origins_[r].level);
    depth = std::max(depth, origins_[r].depth);
    ++origins_[r].reads;
  }
  const Key key{uint64_t{node.code} << 16 | static_cast<uint64_t>(node.scalar) << 8 | static_cast<uint64_t>(node.from),
                node.a, node.b, node.c};
  if (!fixed) {
    const auto found = known_.find(key);
    if (found != known_.end() && scope_open_[found->second.serial] != 0) {
      origins_[found->second.reg].shared = true;
      return found->second.reg;
    }
  }
  if (!fixed && !varying && level < 2) {
    node.d = new_reg(result, false, 0, level);
    out_.regs[node.d].pinned = true;
    out_.blocks[level == 0 ? dispatch_block_ : group_block_].nodes.push_back(node);
    known_[key] = {node.d, 0};
    return node.d;
  }
  // Out of the loops whose bodies contain this directly.
  uint32_t block = block_;
  auto frame = static_cast<uint32_t>(frames_.size());
  while (!fixed && frame > 0 && frames_[frame - 1].kind == Frame::Kind::Loop && depth < frame &&
         (!varying || frames_[frame - 1].hoisted < kMaxHoisted)) {
    block = frames_[frame - 1].preheader;
    frames_[frame - 1].hoisted += varying;
    --frame;
  }
  node.d = new_reg(result, varying, frame, 2);
  out_.blocks[block].nodes.push_back(node);
  if (!fixed) known_[key] = {node.d, frame == 0 ? 0 : frames_[frame - 1].serial};
  return node.d;
}

Reg Lowering::new_reg(Scalar s, bool varying, uint32_t depth, uint32_t level) {
  out_.regs.push_back({.scalar = s, .varying = varying});
  origins_.push_back({.depth = depth, .level = level});
  return static_cast<Reg>(out_.regs.size() - 1);
}

// ---- a strip's statements ----

void Lowering::region(RegionId id) {
  for (const ValueId inst : k_.regions[id].insts) {
    statement(inst);
    if (is_terminator(k_.insts[inst].op)) break;
  }
}

void Lowering::statement(ValueId id) {
  const Inst& inst = k_.insts[id];
  location_ = inst.location;
  switch (inst.op) {
    case VD_OP_IF:
      return if_statement(id);
    case VD_OP_WHILE:
    case VD_OP_LOOP:
    case VD_OP_FOR:
      return loop_statement(id);
    case VD_OP_SCOPE:
      if (inst.regions[0] != kNoRegion) {
        region(inst.regions[0]);
        if (uses_.has_exit(id) && ends_.back() != kNoLabel) {
          emit({.code = static_cast<uint16_t>(Opcode::JumpNone), .x = ends_.back()}, Scalar::None);
        }
      }
      return;
    case VD_OP_BREAK:
    case VD_OP_CONTINUE:
    case VD_OP_RETURN:
      return terminate(id);
    case VD_OP_BARRIER:
    case VD_OP_CLUSTER_BARRIER:
      return barrier(id);
    case VD_OP_VAR:
      return declare(id);
    case VD_OP_STORE:
      return store(id);
    case VD_OP_SUBGROUP_BARRIER:
      if (p_.checked) emit({.code = static_cast<uint16_t>(Opcode::SubgroupBarrierHere)}, Scalar::None);
      return;
    case VD_OP_FENCE:
    case VD_OP_COMMENT:
    case VD_OP_ASYNC_COMMIT:
    case VD_OP_ASYNC_WAIT:
      // A strip's lanes go together, and copies are done at once.
      return;
    case VD_OP_ASYNC_COPY:
      return async_copy(id);
    case VD_OP_ASSERT: {
      const ValueId text = inst.operand_count > 1 ? k_.operands_of(inst)[1] : kNoValue;
      emit({.code = static_cast<uint16_t>(Opcode::Assert),
            .a = part(k_.operands_of(inst)[0], 0),
            .x = text == kNoValue ? ~0u : static_cast<uint32_t>(k_.insts[text].immediate)},
           Scalar::None);
      return;
    }
    case VD_OP_PRINTF: {
      const auto operands = k_.operands_of(inst);
      const auto first = static_cast<uint32_t>(out_.parts.size());
      std::vector<Part> list;
      for (const ValueId operand : operands.subspan(1)) {
        for (const Reg r : parts(operand)) list.push_back({r, 0});
      }
      out_.parts.insert(out_.parts.end(), list.begin(), list.end());
      emit({.code = static_cast<uint16_t>(Opcode::Print), .x = id, .y = first, .z = static_cast<uint32_t>(list.size())},
           Scalar::None);
      return;
    }
    default:
      return value(id);
  }
}

void Lowering::jump_to_end() {
  if (ends_.back() != kNoLabel) emit({.code = static_cast<uint16_t>(Opcode::Jump), .x = ends_.back()}, Scalar::None);
}

void Lowering::terminate(ValueId id) {
  const auto remove = [&](uint32_t slot) {
    emit({.code = static_cast<uint16_t>(Opcode::Remove), .x = slot}, Scalar::None);
  };
  switch (k_.insts[id].op) {
    case VD_OP_RETURN:
      remove(0);
      for (const LoopInfo& loop : loops_) {
        remove(loop.slot + 1);
        remove(loop.slot + 2);
      }
      break;
    case VD_OP_BREAK:
      remove(loops_.back().slot + 1);
      remove(loops_.back().slot + 2);
      break;
    default:
      remove(loops_.back().slot + 2);
      break;
  }
  emit({.code = static_cast<uint16_t>(Opcode::Clear)}, Scalar::None);
  jump_to_end();
}

void Lowering::barrier(ValueId /*id*/) {
  // One strip goes in lock step: there is nothing to wait for.
  if (p_.checked) emit({.code = static_cast<uint16_t>(Opcode::BarrierHere)}, Scalar::None);
}

void Lowering::if_statement(ValueId id) {
  const Inst& inst = k_.insts[id];
  const Reg condition = part(k_.operands_of(inst)[0], 0);
  const bool has_else = inst.regions[1] != kNoRegion && !k_.regions[inst.regions[1]].insts.empty();
  const bool exits = uses_.has_exit(id);
  const Label end = new_label();
  const Label other = has_else ? new_label() : end;
  const auto place = [&](Label label) {
    emit({.code = static_cast<uint16_t>(Opcode::Place), .x = label}, Scalar::None);
  };
  const auto branch = [&](RegionId r) {
    push_frame(Frame::Kind::Branch);
    // Lanes that left a region join the others at its end.
    const Label inner = new_label();
    ends_.push_back(inner);
    region(r);
    ends_.pop_back();
    place(inner);
    pop_frame();
  };
  if (!out_.regs[condition].varying) {
    emit({.code = static_cast<uint16_t>(Opcode::JumpUnless), .a = condition, .x = other}, Scalar::None);
    branch(inst.regions[0]);
    if (has_else) {
      emit({.code = static_cast<uint16_t>(Opcode::Jump), .x = end}, Scalar::None);
      place(other);
      branch(inst.regions[1]);
    }
    place(end);
  } else {
    const uint32_t saved = mask_next_;
    const uint32_t slot = take_slots(2);
    emit({.code = static_cast<uint16_t>(Opcode::IfBegin), .a = condition, .x = slot, .y = other}, Scalar::None);
    branch(inst.regions[0]);
    if (has_else) {
      place(other);
      emit({.code = static_cast<uint16_t>(Opcode::IfElse), .x = slot, .y = end}, Scalar::None);
      branch(inst.regions[1]);
    }
    place(end);
    emit({.code = static_cast<uint16_t>(Opcode::IfEnd), .x = slot, .y = exits ? live_slot() : ~0u}, Scalar::None);
    mask_next_ = saved;
  }
  if (exits && ends_.back() != kNoLabel) {
    emit({.code = static_cast<uint16_t>(Opcode::JumpNone), .x = ends_.back()}, Scalar::None);
  }
}

Reg Lowering::begin_counter(ValueId id, const Inst& inst) {
  const auto operands = k_.operands_of(inst);
  const Reg start = part(operands[0], 0);
  const Reg counter = new_reg(inst.type.scalar(), u_.is_varying(id), static_cast<uint32_t>(frames_.size()), 2);
  out_.regs[counter].variable = true;
  write_register(counter, start, false);
  set_parts(id, {&counter, 1});
  return counter;
}

Reg Lowering::loop_condition(ValueId /*id*/, const Inst& inst, Reg counter) {
  if (inst.op == VD_OP_WHILE) {
    region(inst.regions[0]);
    location_ = inst.location;
    return part(k_.operands_of(inst)[0], 0);
  }
  // FOR: below stop, or above it for a negative step.
  const auto operands = k_.operands_of(inst);
  const Scalar s = inst.type.scalar();
  const Reg stop = part(operands[1], 0), step = part(operands[2], 0);
  if (!inst.type.is_signed()) return pure(VD_OP_LT, s, counter, stop);
  const Inst& step_inst = k_.insts[operands[2]];
  if (step_inst.op == VD_OP_CONST) {
    const bool up = s == Scalar::I64 ? static_cast<int64_t>(step_inst.immediate) >= 0
                                     : static_cast<int32_t>(step_inst.immediate) >= 0;
    return pure(up ? VD_OP_LT : VD_OP_GT, s, counter, stop);
  }
  const Reg rises = pure(VD_OP_GE, s, step, constant(s, 0));
  const Reg below = pure(VD_OP_LT, s, counter, stop), above = pure(VD_OP_GT, s, counter, stop);
  return pure(VD_OP_SELECT, Scalar::Bool, rises, below, above);
}

void Lowering::step_counter(const Inst& inst, Reg counter) {
  const Reg step = part(k_.operands_of(inst)[2], 0);
  const Reg next = pure(VD_OP_ADD, inst.type.scalar(), counter, step);
  write_register(counter, next, false);
}

void Lowering::loop_statement(ValueId id) {
  const Inst& inst = k_.insts[id];
  const bool exits = uses_.has_exit(id);
  const Label top = new_label(), next = new_label(), end = new_label();
  const auto plain = [&](Opcode code) { emit({.code = static_cast<uint16_t>(code)}, Scalar::None); };
  const auto place = [&](Label label) {
    emit({.code = static_cast<uint16_t>(Opcode::Place), .x = label}, Scalar::None);
  };
  const uint32_t saved = mask_next_;
  const uint32_t slot = take_slots(3);

  Reg counter = kNoReg;
  if (inst.op == VD_OP_FOR) {
    for (const ValueId operand : k_.operands_of(inst)) parts(operand);
    counter = begin_counter(id, inst);
  }
  // Values that do not change in the loop are computed in the block before it.
  const uint32_t preheader = block_;
  block_ = new_block();
  out_.steps.back().blocks.push_back(block_);
  push_frame(Frame::Kind::Loop, preheader);
  loops_.push_back({slot, true, next});
  ends_.push_back(next);

  plain(Opcode::LoopStart);
  emit({.code = static_cast<uint16_t>(Opcode::LoopBegin), .x = slot}, Scalar::None);
  place(top);
  emit({.code = static_cast<uint16_t>(Opcode::LoopTop), .x = slot, .y = end}, Scalar::None);
  if (inst.op != VD_OP_LOOP) {
    const Reg condition = loop_condition(id, inst, counter);
    if (out_.regs[condition].varying) {
      emit({.code = static_cast<uint16_t>(Opcode::LoopTest), .a = condition, .x = slot, .y = end}, Scalar::None);
    } else {
      emit({.code = static_cast<uint16_t>(Opcode::JumpUnless), .a = condition, .x = end}, Scalar::None);
    }
  }
  region(inst.regions[1]);
  location_ = inst.location;
  place(next);
  if (counter != kNoReg) step_counter(inst, counter);
  emit({.code = static_cast<uint16_t>(Opcode::Jump), .x = top}, Scalar::None);
  place(end);
  ends_.pop_back();
  loops_.pop_back();
  emit({.code = static_cast<uint16_t>(Opcode::LoopEnd), .x = slot, .y = exits ? live_slot() : ~0u}, Scalar::None);
  plain(Opcode::LoopStop);
  pop_frame();
  mask_next_ = saved;
  if (exits && ends_.back() != kNoLabel) {
    emit({.code = static_cast<uint16_t>(Opcode::JumpNone), .x = ends_.back()}, Scalar::None);
  }
}

// ---- a workgroup's statements: those with a barrier, if there are several strips ----

void Lowering::group_region(RegionId id) {
  for (const ValueId value : k_.regions[id].insts) {
    const Inst& inst = k_.insts[value];
    if (!uses_.has_barrier(value)) {
      statement(value);
      if (is_terminator(inst.op)) break;
      continue;
    }
    location_ = inst.location;
    switch (inst.op) {
      case VD_OP_IF:
        group_if(value);
        break;
      case VD_OP_SCOPE:
        group_region(inst.regions[0]);
        break;
      case VD_OP_BARRIER:
      case VD_OP_CLUSTER_BARRIER: {
        end_segment();
        PlannedStep step;
        step.kind = Step::Kind::Barrier;
        step.location = inst.location;
        out_.steps.push_back(std::move(step));
        begin_segment();
        break;
      }
      default:
        group_loop(value);
        break;
    }
  }
}

void Lowering::group_if(ValueId id) {
  const Inst& inst = k_.insts[id];
  const Reg condition = part(k_.operands_of(inst)[0], 0);
  const bool has_else = inst.regions[1] != kNoRegion;
  const Label end = new_label(), other = has_else ? new_label() : end;
  const uint32_t saved = mask_next_;
  const uint32_t slot = take_slots(2);
  const auto jump = [&](Label label) {
    end_segment();
    PlannedStep step;
    step.kind = Step::Kind::JumpIfNone;
    step.label = label;
    out_.steps.push_back(std::move(step));
    begin_segment();
  };
  const auto land = [&](Label label) {
    end_segment();
    begin_segment();
    out_.steps.back().here = label;
  };
  const auto branch = [&](RegionId r) {
    push_frame(Frame::Kind::Branch);
    ends_.push_back(kNoLabel);
    group_region(r);
    ends_.pop_back();
    pop_frame();
  };
  emit({.code = static_cast<uint16_t>(Opcode::IfBegin), .a = condition, .x = slot, .y = kNoLabel}, Scalar::None);
  jump(other);
  branch(inst.regions[0]);
  if (has_else) {
    land(other);
    emit({.code = static_cast<uint16_t>(Opcode::IfElse), .x = slot, .y = kNoLabel}, Scalar::None);
    jump(end);
    branch(inst.regions[1]);
  }
  land(end);
  emit({.code = static_cast<uint16_t>(Opcode::IfEnd), .x = slot, .y = uses_.has_exit(id) ? live_slot() : ~0u},
       Scalar::None);
  mask_next_ = saved;
}

void Lowering::group_loop(ValueId id) {
  const Inst& inst = k_.insts[id];
  const Label top = new_label(), end = new_label();
  const uint32_t saved = mask_next_;
  const uint32_t slot = take_slots(3);
  const auto jump = [&](Step::Kind kind, Label label) {
    end_segment();
    PlannedStep step;
    step.kind = kind;
    step.label = label;
    step.location = inst.location;
    out_.steps.push_back(std::move(step));
    begin_segment();
  };
  const auto land = [&](Label label) {
    end_segment();
    begin_segment();
    out_.steps.back().here = label;
  };
  Reg counter = kNoReg;
  if (inst.op == VD_OP_FOR) {
    for (const ValueId operand : k_.operands_of(inst)) parts(operand);
    counter = begin_counter(id, inst);
  }
  push_frame(Frame::Kind::GroupLoop);
  loops_.push_back({slot, true, kNoLabel});
  ends_.push_back(kNoLabel);
  emit({.code = static_cast<uint16_t>(Opcode::LoopBegin), .x = slot}, Scalar::None);
  land(top);
  emit({.code = static_cast<uint16_t>(Opcode::LoopTop), .x = slot, .y = kNoLabel}, Scalar::None);
  if (inst.op != VD_OP_LOOP) {
    if (inst.op == VD_OP_WHILE) group_region(inst.regions[0]);
    location_ = inst.location;
    const Reg condition = inst.op == VD_OP_WHILE ? part(k_.operands_of(inst)[0], 0) : loop_condition(id, inst, counter);
    emit({.code = static_cast<uint16_t>(Opcode::LoopTest), .a = condition, .x = slot, .y = kNoLabel}, Scalar::None);
  }
  jump(Step::Kind::JumpIfNone, end);
  group_region(inst.regions[1]);
  location_ = inst.location;
  if (counter != kNoReg) step_counter(inst, counter);
  jump(Step::Kind::Jump, top);
  ends_.pop_back();
  loops_.pop_back();
  out_.steps.back().here = end;
  emit({.code = static_cast<uint16_t>(Opcode::LoopEnd), .x = slot, .y = uses_.has_exit(id) ? live_slot() : ~0u},
       Scalar::None);
  pop_frame();
  mask_next_ = saved;
}

void Lowering::unsupported(ValueId id, const char* why) const {
  const Inst& inst = k_.insts[id];
  const ir::Location& at = k_.locations[inst.location];
  fail(VD_ERR_UNSUPPORTED, "the host backend cannot run op \"{}\" of kernel \"{}\"{}: {}.", ir::op_info(inst.op).name,
       k_.name, at.line == 0 ? "" : fmt::format(" ({}:{})", at.file, at.line), why);
}

}  // namespace vd::host
