#include "codegen/legalize/legalize.h"
#include "core/error.h"
#include "ir/rewriter.h"
#include "ir/walk.h"

namespace vd::codegen {

using namespace ir;

namespace {

// The barriers that must order buffers: those with a write to a buffer before and a read of a buffer after. In a loop,
// all of its body comes before and after.
class BarrierOrder {
 public:
  explicit BarrierOrder(const Kernel& kernel) : needed_(kernel.insts.size(), false) {
    // Positions in program order; a loop's end is known when the walk leaves it.
    struct Frame {
      RegionId region;
      size_t next;
      size_t loop;  // the outermost loop around, as an index of `loops`; none: npos
    };
    constexpr size_t kNone = ~size_t{0};
    struct Span {
      size_t begin, end;
    };
    std::vector<Span> loops;
    struct Barrier {
      ValueId id;
      size_t position, loop;
    };
    std::vector<Barrier> barriers;
    size_t position = 0, first_write = kNone, last_read = 0;
    bool reads = false;
    std::vector<std::pair<size_t, size_t>> writes;  // position, loop
    std::vector<Frame> stack{{kernel.body, 0, kNone}};
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const auto& list = kernel.regions[frame.region].insts;
      if (frame.next == list.size()) {
        const size_t loop = frame.loop;
        stack.pop_back();
        const bool leaves = loop != kNone && (stack.empty() || stack.back().loop != loop);
        if (leaves) loops[loop].end = position;
        continue;
      }
      const ValueId id = list[frame.next++];
      const size_t loop = frame.loop;
      const Inst& inst = kernel.insts[id];
      ++position;
      const auto touches_storage = [&](uint32_t operand) {
        return kernel.insts[kernel.operands_of(inst)[operand]].type.space() == Space::Storage;
      };
      if (inst.op == VD_OP_BARRIER) barriers.push_back({id, position, loop});
      const bool atomic = is_atomic(inst.op) && touches_storage(0);
      if ((inst.op == VD_OP_STORE && touches_storage(0)) || (atomic && inst.op != VD_OP_ATOMIC_LOAD)) {
        first_write = std::min(first_write, loop == kNone ? position : loops[loop].begin);
      }
      if ((inst.op == VD_OP_LOAD && touches_storage(0)) || inst.op == VD_OP_ASYNC_COPY || atomic) {
        reads = true;
        last_read = position;
        if (loop != kNone) writes.emplace_back(position, loop);
      }
      size_t inner = loop;
      if (is_loop(inst.op) && loop == kNone) {
        inner = loops.size();
        loops.push_back({position, position});
      }
      for (size_t i = inst.regions.size(); i-- > 0;)
        if (inst.regions[i] != kNoRegion) stack.push_back({inst.regions[i], 0, inner});
    }
    for (const auto& [at, loop] : writes) last_read = std::max({last_read, at, loops[loop].end});
    if (!reads || first_write == kNone) return;
    for (const Barrier& barrier : barriers) {
      const bool after_write = first_write < barrier.position;
      const bool before_read = last_read > barrier.position;
      needed_[barrier.id] = after_write && before_read;
    }
  }

  bool needed(ValueId barrier) const { return needed_[barrier]; }

 private:
  std::vector<bool> needed_;
};

class Memory {
 public:
  Memory(Rewriter& r, ValueId id, const Inst& inst, const Dialect& dialect, const BarrierOrder& order)
      : r_(r), e_(r.out), id_(id), inst_(inst), dialect_(dialect), order_(order) {}

  bool run() {
    if (is_atomic(inst_.op)) return atomic();
    switch (inst_.op) {
      case VD_OP_BARRIER:
        if (!dialect_.barrier_orders_buffers && order_.needed(id_))
          e_.emit(VD_OP_FENCE, Type(), {}, VD_MEMORY_ACQUIRE_RELEASE | VD_MEMORY_WORKGROUP | VD_MEMORY_STORAGE);
        return false;
      case VD_OP_LOAD: {
        if (!is_split(inst_.type, operand(0))) return false;
        r_.replace(id_, load(operand(0)));
        return true;
      }
      case VD_OP_STORE:
        if (!is_split(e_.type(operand(1)), operand(0))) return false;
        store(operand(0), operand(1));
        return true;
      case VD_OP_VAR: {
        if (inst_.operand_count == 0 || dialect_.array_values || !inst_.type.is_array()) return false;
        if (r_.source().insts[r_.operand(inst_, 0)].op == VD_OP_ZERO) return false;
        const ValueId first = operand(0);
        const ValueId variable = e_.var(inst_.type.value());
        if (id_ < r_.source().names.size()) {
          auto& names = r_.out.kernel().names;
          if (names.size() <= variable) names.resize(variable + 1);
          names[variable] = r_.source().names[id_];
        }
        r_.replace(id_, variable);
        store(variable, first);
        return true;
      }
      default:
        return false;
    }
  }

 private:
  ValueId operand(uint32_t i) { return r_[r_.operand(inst_, i)]; }

  // Whether a value of this type is moved in parts: arrays that the language cannot assign, packed matrices, and types
  // that a coherent access cannot move at once.
  bool is_split(Type type, ValueId reference) {
    const Space space = e_.type(reference).space();
    if (access_width(inst_.immediate) > 1) return false;
    if (type.is_array()) return !dialect_.array_values;
    if (type.is_matrix() && dialect_.packs_matrices && space != Space::Private) return true;
    const bool coherent = (inst_.immediate & VD_ACCESS_COHERENT) && dialect_.coherent_place;
    return coherent && !type.is_scalar();
  }

  uint32_t parts(Type type) {
    const TypeTable& types = e_.kernel().types;
    if (type.is_array()) return types.get_array(type).count;
    return type.is_struct() ? static_cast<uint32_t>(types.get_struct(type).fields.size()) : type.count();
  }
  ValueId part(ValueId whole, uint32_t i) {
    return e_.type(whole).value().is_struct() ? e_.member(whole, i) : e_.at(whole, i);
  }

  ValueId load(ValueId reference) {
    const Type type = e_.type(reference).value();
    if (!is_split(type, reference)) return e_.load(reference, inst_.immediate);
    std::vector<ValueId> values;
    for (uint32_t i = 0; i < parts(type); ++i) values.push_back(load(part(reference, i)));
    return e_.construct(type, values);
  }

  void store(ValueId reference, ValueId value) {
    const Type type = e_.type(value);
    if (!is_split(type, reference)) return e_.store(reference, value, inst_.immediate);
    for (uint32_t i = 0; i < parts(type); ++i) store(part(reference, i), part(value, i));
  }

  // An order is fences around a relaxed atomic.
  bool atomic() {
    const uint64_t order = inst_.immediate & 3, rest = inst_.immediate & ~uint64_t{3};
    const Type type = e_.type(operand(0)).value();
    const bool native = find_rule(dialect_, inst_.op, type, inst_.type, false, false) != nullptr;
    const bool load = inst_.op == VD_OP_ATOMIC_LOAD, store = inst_.op == VD_OP_ATOMIC_STORE;
    if (order == 0 && native) return false;
    if (!native && !load && !store) return false;
    const uint64_t fence = VD_MEMORY_ACQUIRE_RELEASE | (rest & 0xff0);
    if (order & VD_MEMORY_RELEASE) e_.emit(VD_OP_FENCE, Type(), {}, fence);
    ValueId result = kNoValue;
    if (native) {
      result = r_.copy(id_, inst_.type, rest);
    } else if (type.is_float()) {
      // A load or store of an aligned scalar is in one piece.
      if (load)
        result = e_.load(operand(0), VD_ACCESS_COHERENT);
      else
        e_.store(operand(0), operand(1), VD_ACCESS_COHERENT);
    } else if (load) {
      result = e_.emit(VD_OP_ATOMIC_OR, Type(), {operand(0), e_.constant(type, 0)}, rest);
    } else {
      e_.emit(VD_OP_ATOMIC_EXCHANGE, Type(), {operand(0), operand(1)}, rest);
    }
    if (result != kNoValue) r_.replace(id_, result);
    if (order & VD_MEMORY_ACQUIRE) e_.emit(VD_OP_FENCE, Type(), {}, fence);
    return true;
  }

  Rewriter& r_;
  Emitter& e_;
  ValueId id_;
  const Inst& inst_;
  const Dialect& dialect_;
  const BarrierOrder& order_;
};

bool has_builtin(const Dialect& dialect, uint64_t which) {
  for (const BuiltinRule& rule : dialect.builtins)
    if (static_cast<uint64_t>(rule.builtin) == which) return true;
  return which == VD_BUILTIN_EXEC_SIZE;
}

// Derives a built-in value that the language lacks from others: the local index from the local id, subgroups from the
// local index.
ValueId derive_builtin(Emitter& e, vd_builtin which, const std::array<uint32_t, 3>& size, const Dialect& dialect) {
  const auto u = [&](uint32_t n) { return e.bits(kU32, n); };
  const auto index = [&] {
    if (has_builtin(dialect, VD_BUILTIN_LOCAL_INDEX)) return e.builtin(VD_BUILTIN_LOCAL_INDEX);
    const ValueId id = e.builtin(VD_BUILTIN_LOCAL_ID);
    ValueId result = e.at(id, 0);
    if (size[1] > 1 || size[2] > 1) {
      ValueId upper = e.at(id, 1);
      if (size[2] > 1) upper = e.add(upper, e.mul(u(size[1]), e.at(id, 2)));
      result = e.add(result, e.mul(u(size[0]), upper));
    }
    return result;
  };
  const uint32_t lanes = dialect.subgroup_size, invocations = size[0] * size[1] * size[2];
  switch (which) {
    case VD_BUILTIN_LOCAL_INDEX:
      return index();
    case VD_BUILTIN_SUBGROUP_ID:
      return lanes ? e.div(index(), u(lanes)) : kNoValue;
    case VD_BUILTIN_SUBGROUP_LANE:
      return lanes ? e.emit(VD_OP_AND, index(), u(lanes - 1)) : kNoValue;
    case VD_BUILTIN_SUBGROUP_SIZE:
      return lanes ? u(lanes) : kNoValue;
    case VD_BUILTIN_NUM_SUBGROUPS:
      return lanes ? u((invocations + lanes - 1) / lanes) : kNoValue;
    default:
      return kNoValue;
  }
}

}  // namespace

Kernel legalize_memory(Kernel kernel, const Dialect& dialect) {
  const BarrierOrder order(kernel);
  Rewriter r(std::move(kernel), [&](Rewriter& rewriter, ValueId id, const Inst& inst) {
    return Memory(rewriter, id, inst, dialect, order).run();
  });
  const auto size = r.out.kernel().attributes.workgroup_size;
  for (ValueId id = 0; id < r.source().insts.size(); ++id) {
    const Inst& inst = r.source().insts[id];
    if (inst.op != VD_OP_BUILTIN || has_builtin(dialect, inst.immediate)) continue;
    const ValueId derived = derive_builtin(r.out, static_cast<vd_builtin>(inst.immediate), size, dialect);
    if (derived != kNoValue) r.replace(id, derived);
  }
  return r.run();
}

}  // namespace vd::codegen
