// Subgroup operations for devices that have no subgroups: values go through shared memory between workgroup barriers
// (legalize/exchange.h).
//
// The whole workgroup must reach a barrier, but only some invocations may reach a subgroup operation. So divergent
// control flow around one becomes data: all invocations run all of it, and a variable of each invocation says whether
// it is active (if-conversion, as in vectorising compilers). Each piece of code between two operations runs under an
// `if` on that variable. A value of one piece that another needs is stored in a variable; a reference is computed
// again. A loop runs until no invocation of the workgroup is left in it. Control flow on values that the whole
// workgroup shares stays as it is.
#include <utility>
#include <vector>

#include "codegen/legalize/exchange.h"
#include "codegen/legalize/legalize.h"
#include "core/error.h"
#include "ir/rewriter.h"
#include "ir/uniformity.h"
#include "ir/walk.h"

namespace vd::codegen {

using namespace ir;

namespace {

bool is_jump(Op op) { return op == VD_OP_BREAK || op == VD_OP_CONTINUE || op == VD_OP_RETURN; }

// The instructions that contain a subgroup operation, and those of them at which the workgroup diverges.
class Shape {
 public:
  explicit Shape(const Kernel& kernel)
      : kernel_(kernel),
        parent(kernel.insts.size(), kNoValue),
        leads(kernel.insts.size(), 0),
        masked(kernel.insts.size(), 0) {
    for_each_inst(kernel, [&](ValueId id, const Inst& inst) {
      order_.push_back(id);
      for (const RegionId region : inst.regions)
        if (region != kNoRegion)
          for (const ValueId inner : kernel.regions[region].insts) parent[inner] = id;
    });
    for (const ValueId id : order_)
      if (is_subgroup(kernel.insts[id].op)) {
        any = true;
        for (ValueId at = id; at != kNoValue; at = parent[at]) leads[at] = 1;
      }
    if (!any) return;
    parts_ = find_uniformity(kernel, kernel.attributes.workgroup_size, Agreement::Workgroup).parts;
    for (const ValueId id : order_)
      if (leads[id] && parts_[id]) masked[id] = 1;
    while (spread()) {
    }
  }

 private:
  const Kernel& kernel_;

 public:
  std::vector<ValueId> parent;  // the block around; kNoValue in the body
  std::vector<uint8_t> leads;   // to a subgroup operation, or out of a block that does
  std::vector<uint8_t> masked;  // blocks that become data
  bool body_masked = false;
  bool any = false;

 private:
  // A block inside one that is masked is masked. So is a loop that some leave before others, and all on the way there.
  bool spread() {
    bool changed = false;
    const auto set = [&](uint8_t& flag) {
      changed |= flag == 0;
      flag = 1;
    };
    for (const ValueId id : order_) {
      const Inst& inst = kernel_.insts[id];
      const bool inside = parent[id] == kNoValue ? body_masked : masked[parent[id]] != 0;
      if (leads[id] && inside && op_info(inst.op).has(kBlock)) set(masked[id]);
      if (!is_jump(inst.op)) continue;
      // Up to the target: a loop, or the body.
      ValueId target = parent[id];
      while (target != kNoValue && (inst.op == VD_OP_RETURN || !is_loop(kernel_.insts[target].op)))
        target = parent[target];
      if (target != kNoValue && !leads[target]) continue;
      bool divergent = target == kNoValue ? body_masked : masked[target] != 0;
      for (ValueId at = parent[id]; at != target; at = parent[at]) divergent |= masked[at] != 0 || parts_[at] != 0;
      if (!divergent) continue;
      for (ValueId at = id; at != target; at = parent[at]) {
        set(leads[at]);
        if (at != id) set(masked[at]);
      }
      if (target != kNoValue) {
        set(masked[target]);
      } else {
        changed |= !body_masked;
        body_masked = true;
      }
    }
    return changed;
  }

  std::vector<ValueId> order_;
  std::vector<uint8_t> parts_;
};

class Flow {
 public:
  Flow(Rewriter& r, const Shape& shape, uint32_t lanes, uint32_t invocations)
      : r_(r),
        e_(r.out),
        source_(r.source()),
        shape_(shape),
        exchange_(e_, lanes, invocations),
        piece_(source_.insts.size(), 0),
        kept_(source_.insts.size(), kNoValue) {}

  void replace_builtins() {
    for (ValueId id = 0; id < source_.insts.size(); ++id) {
      const Inst& inst = source_.insts[id];
      if (inst.op != VD_OP_BUILTIN) continue;
      const ValueId value = exchange_.builtin(static_cast<vd_builtin>(inst.immediate));
      if (value != kNoValue) r_.replace(id, value);
    }
  }

  // The rewriter's handler.
  bool run(ValueId id, const Inst& inst) {
    if (shape_.body_masked && shape_.parent[id] == kNoValue && !in_piece_) {
      if (std::exchange(body_done_, true)) return true;
      cut(source_.body);
      declare_kept();
      const ValueId active = e_.var(e_.bits(Type(Scalar::Bool), 1));
      inside(active, Scope::Kind::Body, [&] { region(source_.body); });
      return true;
    }
    if (!shape_.leads[id]) return false;
    if (is_subgroup(inst.op)) {
      emit_exchange(id, inst);
      return true;
    }
    if (!shape_.masked[id]) return false;
    piece_[id] = ++piece_count_;
    for (const RegionId inner : inst.regions)
      if (inner != kNoRegion) cut(inner);
    declare_kept();
    block(id, inst);
    return true;
  }

 private:
  struct Scope {
    enum class Kind : uint8_t { Body, Branch, Loop, Turn };
    ValueId active;  // the variable
    Kind kind;
  };

  // ---- Cutting masked regions into pieces, and finding the values that outlive their piece

  bool stands_alone(ValueId id) const { return shape_.leads[id] || source_.insts[id].op == VD_OP_BARRIER; }

  // Gives numbers to the pieces of a region and of those inside that are masked.
  void cut(RegionId id) {
    for (const ValueId inst : source_.regions[id].insts) {
      if (!stands_alone(inst)) {
        mark(inst, piece_count_ + 1);
        continue;
      }
      ++piece_count_;
      piece_[inst] = ++piece_count_;
      for (const RegionId inner : source_.insts[inst].regions)
        if (inner != kNoRegion) cut(inner);
      ++piece_count_;
    }
    ++piece_count_;
  }
  void mark(ValueId id, uint32_t piece) {
    piece_[id] = piece;
    for (const RegionId inner : source_.insts[id].regions)
      if (inner != kNoRegion)
        for (const ValueId inst : source_.regions[inner].insts) mark(inst, piece);
  }

  // Whether it is computed in a piece, and so unknown outside.
  bool in_a_piece(ValueId id) const { return piece_[id] != 0 && !stands_alone(id); }

  void declare_kept() {
    std::vector<ValueId> wanted;
    for (ValueId id = 0; id < source_.insts.size(); ++id) {
      if (piece_[id] == 0) continue;
      for (const ValueId operand : source_.operands_of(id))
        if (operand != kNoValue && in_a_piece(operand) && piece_[operand] != piece_[id]) wanted.push_back(operand);
    }
    while (!wanted.empty()) {
      const ValueId id = wanted.back();
      wanted.pop_back();
      const Inst& inst = source_.insts[id];
      if (inst.op == VD_OP_VAR || kept_[id] != kNoValue) continue;
      if (inst.type.is_reference()) {
        for (const ValueId operand : source_.operands_of(inst))
          if (in_a_piece(operand)) wanted.push_back(operand);
      } else {
        kept_[id] = e_.var(inst.type);
      }
    }
  }

  // Makes a value of the source known at the current place.
  ValueId provide(ValueId id) {
    const Inst& inst = source_.insts[id];
    if (in_a_piece(id) && inst.op != VD_OP_VAR) {
      if (kept_[id] != kNoValue) {
        r_.replace(id, e_.load(kept_[id]));
      } else if (inst.type.is_reference()) {
        for (const ValueId operand : source_.operands_of(inst)) provide(operand);
        copy(id);
      }
    }
    return r_[id];
  }
  void provide_operands(ValueId id, uint32_t piece) {
    for (const ValueId operand : source_.operands_of(id))
      if (operand != kNoValue && in_a_piece(operand) && piece_[operand] != piece) provide(operand);
    for (const RegionId inner : source_.insts[id].regions)
      if (inner != kNoRegion)
        for (const ValueId inst : source_.regions[inner].insts) provide_operands(inst, piece);
  }

  // ---- Emitting

  void settle(const Inst& inst) {
    e_.location = inst.location;
    e_.math_class = op_info(inst.op).has(kFloat) ? inst.immediate & kClassBits : 0;
  }
  void copy(ValueId id) {
    settle(source_.insts[id]);
    const bool outer = std::exchange(in_piece_, true);
    r_.copy(id);
    in_piece_ = outer;
  }

  ValueId mask() { return scopes_.empty() ? kNoValue : e_.load(scopes_.back().active); }
  ValueId both(ValueId a, ValueId b) { return a == kNoValue ? b : e_.emit(VD_OP_LAND, a, b); }
  ValueId inverse(ValueId a) { return e_.emit(VD_OP_LNOT, a); }

  template <class F>
  void inside(ValueId active, typename Scope::Kind kind, F&& f) {
    scopes_.push_back({active, kind});
    f();
    scopes_.pop_back();
  }

  void region(RegionId id) {
    std::vector<ValueId> piece;
    for (const ValueId inst_id : source_.regions[id].insts) {
      if (!stands_alone(inst_id)) {
        piece.push_back(inst_id);
        continue;
      }
      emit_piece(piece);
      const Inst& inst = source_.insts[inst_id];
      settle(inst);
      if (is_jump(inst.op)) return jump(inst.op);
      if (inst.op == VD_OP_BARRIER)
        exchange_.barrier();
      else if (is_subgroup(inst.op))
        emit_exchange(inst_id, inst);
      else
        block(inst_id, inst);
    }
    emit_piece(piece);
  }

  void emit_piece(std::vector<ValueId>& piece) {
    if (piece.empty()) return;
    e_.begin_if(mask());
    for (const ValueId id : piece) provide_operands(id, piece_[id]);
    for (const ValueId id : piece) {
      copy(id);
      if (kept_[id] != kNoValue) e_.store(kept_[id], r_[id]);
    }
    e_.end();
    piece.clear();
  }

  void emit_exchange(ValueId id, const Inst& inst) {
    if (inst.op == VD_OP_SUBGROUP_BARRIER) return exchange_.barrier();
    std::vector<ValueId> operands;
    for (const ValueId operand : source_.operands_of(inst)) operands.push_back(provide(operand));
    settle(inst);
    r_.replace(id, exchange_.run(inst.op, inst.type, operands, mask()));
  }

  void block(ValueId id, const Inst& inst) {
    const auto operand = [&](uint32_t i) { return provide(r_.operand(inst, i)); };
    switch (inst.op) {
      case VD_OP_SCOPE:
        return region(inst.regions[0]);
      case VD_OP_IF: {
        const ValueId condition = operand(0), before = mask();
        const ValueId then = e_.var(both(before, condition));
        // Computed before the first branch may change the mask that it depends on.
        const ValueId otherwise = inst.regions[1] == kNoRegion ? kNoValue : e_.var(both(before, inverse(condition)));
        inside(then, Scope::Kind::Branch, [&] { region(inst.regions[0]); });
        if (otherwise != kNoValue) inside(otherwise, Scope::Kind::Branch, [&] { region(inst.regions[1]); });
        return;
      }
      case VD_OP_FOR: {
        const ValueId start = operand(0), stop = operand(1), step = operand(2);
        const ValueId counter = e_.var(start);
        return loop(inst, [&] {
          const ValueId now = e_.load(counter), zero = e_.zero(e_.type(step));
          r_.replace(id, now);
          e_.store(counter, e_.add(now, step));
          const ValueId up = e_.emit(VD_OP_LT, now, stop);
          if (inst.type.is_unsigned()) return up;
          return e_.select(e_.emit(VD_OP_GT, step, zero), up, e_.emit(VD_OP_GT, now, stop));
        });
      }
      case VD_OP_WHILE:
        return loop(inst, [&] {
          region(inst.regions[0]);
          return provide(r_.operand(inst, 0));
        });
      case VD_OP_LOOP:
        return loop(inst, [] { return kNoValue; });
      default:
        fail(VD_ERR_INTERNAL, "{} leads to a subgroup operation", op_info(inst.op).name);
    }
  }

  // `condition` emits the condition for another iteration; kNoValue: none.
  template <class F>
  void loop(const Inst& inst, F&& condition) {
    const ValueId before = mask();
    const ValueId alive = e_.var(before == kNoValue ? e_.bits(Type(Scalar::Bool), 1) : before);
    e_.begin_loop();
    const ValueId somebody = exchange_.any(e_.load(alive));
    e_.begin_if(inverse(somebody));
    e_.leave();
    e_.end();
    const ValueId turn = e_.var(e_.load(alive));
    inside(alive, Scope::Kind::Loop, [&] {
      inside(turn, Scope::Kind::Turn, [&] {
        if (const ValueId again = condition(); again != kNoValue) {
          e_.store(alive, both(e_.load(alive), again));
          e_.store(turn, both(e_.load(turn), again));
        }
        region(inst.regions[1]);
      });
    });
    e_.end();
  }

  // Invocations that are active here become inactive, from here up to the end of the block that the jump leaves.
  void jump(Op op) {
    const ValueId stay = inverse(mask());
    for (size_t i = scopes_.size(); i-- > 0;) {
      const Scope& scope = scopes_[i];
      if (op == VD_OP_CONTINUE && scope.kind == Scope::Kind::Loop) return;
      e_.store(scope.active, both(e_.load(scope.active), stay));
      if (op == VD_OP_BREAK && scope.kind == Scope::Kind::Loop) return;
    }
  }

  Rewriter& r_;
  Emitter& e_;
  const Kernel& source_;
  const Shape& shape_;
  Exchange exchange_;
  std::vector<uint32_t> piece_;  // by instruction of a masked region; 0: none
  std::vector<ValueId> kept_;    // variables of values that outlive their piece
  std::vector<Scope> scopes_;
  uint32_t piece_count_ = 0;
  bool in_piece_ = false;
  bool body_done_ = false;
};

}  // namespace

Kernel emulate_subgroups(Kernel kernel, uint32_t lanes) {
  bool needed = false;
  for (const Inst& inst : kernel.insts)
    needed |= is_subgroup(inst.op) || (inst.op == VD_OP_BUILTIN && is_subgroup_builtin(inst.immediate));
  if (lanes == 0 || !needed) return kernel;
  const auto size = kernel.attributes.workgroup_size;
  const uint32_t invocations = size[0] * size[1] * size[2];
  const Shape shape(kernel);
  Flow* flow = nullptr;
  Rewriter r(std::move(kernel), [&](Rewriter&, ValueId id, const Inst& inst) { return flow->run(id, inst); });
  Flow its_flow(r, shape, lanes, invocations);
  flow = &its_flow;
  its_flow.replace_builtins();
  Kernel result = r.run();
  result.uses_barrier |= shape.any;
  return result;
}

}  // namespace vd::codegen
