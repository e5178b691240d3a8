#include <algorithm>

#include "codegen/legalize/legalize.h"
#include "codegen/legalize/swap_loop.h"
#include "core/error.h"
#include "ir/contents.h"
#include "ir/rewriter.h"
#include "ir/walk.h"

namespace vd::codegen {

using namespace ir;

namespace {

bool is_shared(const Kernel& kernel, ValueId reference) {
  return kernel.insts[reference].type.space() == Space::Shared;
}

// The size of the smallest scalar that any shared array or view of one holds; at most 4.
uint32_t smallest_scalar(const TypeTable& types, Type type) {
  uint32_t smallest = 4;
  contents_of(types, type).each_kind([&](Scalar s) { smallest = std::min(smallest, scalar_size(s)); });
  return smallest;
}

Type unit_of_size(uint32_t size) { return Type(size == 1 ? Scalar::U8 : size == 2 ? Scalar::U16 : Scalar::U32); }

class Flattener {
 public:
  Flattener(Rewriter& r, Type unit, ValueId memory) : r_(r), e_(r.out), unit_(unit), memory_(memory) {}

  bool run(ValueId id, const Inst& inst) {
    const Kernel& source = r_.source();
    if (inst.type.is_reference() && inst.type.space() == Space::Shared) return true;  // its users have its address
    if (inst.operand_count == 0 || !is_shared(source, r_.operand(inst, 0))) return false;
    const ValueId reference = r_.operand(inst, 0);
    const Type type = source.insts[reference].type.value();
    const uint32_t width = access_width(inst.immediate);
    if (inst.op == VD_OP_SHAPE) {
      const uint64_t count = e_.kernel().shareds[source.insts[reference_root(source, reference)].immediate].count;
      const uint64_t shape[] = {count, 1, 1, count};
      r_.replace(id, e_.components(inst.type, shape));
    } else if (inst.op == VD_OP_LOAD) {
      r_.replace(id, load(inst.type, address(reference)));
    } else if (inst.op == VD_OP_STORE) {
      const ValueId value = r_[r_.operand(inst, 1)];
      store(width > 1 ? e_.type(value) : type, address(reference), value);
    } else {
      atomic(id, inst, type, reference);
    }
    return true;
  }

 private:
  uint32_t unit_size() const { return scalar_size(unit_.scalar()); }
  uint32_t units(Type type) { return static_cast<uint32_t>(e_.kernel().types.size(type)) / unit_size(); }
  ValueId u(uint32_t n) { return e_.bits(kU32, n); }
  ValueId plus(ValueId address, uint32_t n) { return n ? e_.add(address, u(n)) : address; }
  ValueId word(ValueId address) { return e_.index(memory_, address); }

  // In units from the beginning of shared memory.
  ValueId address(ValueId reference) {
    const Kernel& source = r_.source();
    std::vector<ValueId> steps;
    while (source.insts[reference].op != kOpShared) {
      steps.push_back(reference);
      reference = r_.operand(source.insts[reference], 0);
    }
    ValueId result = u(e_.kernel().shareds[source.insts[reference].immediate].offset / unit_size());
    for (size_t i = steps.size(); i-- > 0;) {
      const Inst& step = source.insts[steps[i]];
      if (step.op == VD_OP_MEMBER) {
        const Type whole = source.insts[r_.operand(step, 0)].type.value();
        result = plus(result,
                      e_.kernel().types.get_struct(whole).fields[plain_immediate(step.immediate)].offset / unit_size());
      } else if (step.op == VD_OP_INDEX) {
        const ValueId index = e_.convert(kU32, r_[r_.operand(step, 1)]);
        result = e_.add(result, e_.mul(index, u(units(step.type.value()))));
      }
    }
    return result;
  }

  uint32_t part_count(Type type) { return type.is_array() ? e_.kernel().types.get_array(type).count : type.count(); }
  Type part_type(Type type) { return type.is_array() ? e_.kernel().types.get_array(type).element : type.component(); }

  ValueId load(Type type, ValueId at) {
    if (type.is_scalar()) return load_scalar(type, at);
    std::vector<ValueId> parts;
    if (type.is_struct()) {
      const std::vector<Field> fields = e_.kernel().types.get_struct(type).fields;
      for (const Field& field : fields) parts.push_back(load(field.type, plus(at, field.offset / unit_size())));
    } else {
      const Type part = part_type(type);
      for (uint32_t i = 0; i < part_count(type); ++i) parts.push_back(load(part, plus(at, i * units(part))));
    }
    return e_.construct(type, parts);
  }

  void store(Type type, ValueId at, ValueId value) {
    if (type.is_scalar()) return store_scalar(type, at, value);
    if (type.is_struct()) {
      const std::vector<Field> fields = e_.kernel().types.get_struct(type).fields;
      for (uint32_t i = 0; i < fields.size(); ++i)
        store(fields[i].type, plus(at, fields[i].offset / unit_size()), e_.member(value, i));
      return;
    }
    const Type part = part_type(type);
    for (uint32_t i = 0; i < part_count(type); ++i) store(part, plus(at, i * units(part)), e_.at(value, i));
  }

  // `size` bytes as an unsigned number, lowest unit first.
  ValueId load_bits(uint32_t size, ValueId at) {
    if (size == unit_size()) return e_.load(word(at));
    const Type whole = unit_of_size(size);
    ValueId bits = kNoValue;
    for (uint32_t i = 0; i < size / unit_size(); ++i) {
      const ValueId piece = e_.convert(whole, e_.load(word(plus(at, i))));
      const ValueId moved = i ? e_.emit(VD_OP_SHL, piece, e_.bits(whole, i * unit_size() * 8)) : piece;
      bits = i ? e_.emit(VD_OP_OR, bits, moved) : moved;
    }
    return bits;
  }
  void store_bits(uint32_t size, ValueId at, ValueId bits) {
    for (uint32_t i = 0; i < size / unit_size(); ++i) {
      const ValueId moved = i ? e_.emit(VD_OP_SHR, bits, e_.bits(e_.type(bits), i * unit_size() * 8)) : bits;
      e_.store(word(plus(at, i)), e_.convert(unit_, moved));
    }
  }

  ValueId load_scalar(Type type, ValueId at) {
    const uint32_t size = scalar_size(type.scalar());
    if (size == 8) {
      const ValueId halves[] = {load_bits(4, at), load_bits(4, plus(at, 4 / unit_size()))};
      return e_.bitcast(type, e_.construct(Type::vector(Scalar::U32, 2), halves));
    }
    const ValueId bits = load_bits(size, at);
    return type.is_bool() ? e_.emit(VD_OP_NE, bits, u(0)) : e_.bitcast(type, bits);
  }
  void store_scalar(Type type, ValueId at, ValueId value) {
    const uint32_t size = scalar_size(type.scalar());
    if (size == 8) {
      const ValueId halves = e_.bitcast(Type::vector(Scalar::U32, 2), value);
      store_bits(4, at, e_.at(halves, 0));
      return store_bits(4, plus(at, 4 / unit_size()), e_.at(halves, 1));
    }
    store_bits(size, at, type.is_bool() ? e_.convert(kU32, value) : e_.bitcast(unit_of_size(size), value));
  }

  void atomic(ValueId id, const Inst& inst, Type type, ValueId reference) {
    if (unit_ != kU32 || scalar_size(type.scalar()) != 4)
      fail(VD_ERR_UNSUPPORTED,
           "kernel \"{}\": {} of {} in shared arrays that overlap or are viewed as other types has no form here",
           e_.kernel().name, op_info(inst.op).name, type_name(type));
    const ValueId at = word(address(reference));
    const auto operand = [&](uint32_t i) { return r_[r_.operand(inst, i)]; };
    const auto as_bits = [&](uint32_t i) { return e_.bitcast(kU32, operand(i)); };
    const Op op = inst.op;
    if (op == VD_OP_ATOMIC_STORE) {
      e_.emit(op, Type(), {at, as_bits(1)}, inst.immediate);
      return;
    }
    const bool sum = op == VD_OP_ATOMIC_ADD || op == VD_OP_ATOMIC_SUB;
    const bool ordered = op == VD_OP_ATOMIC_MIN || op == VD_OP_ATOMIC_MAX;
    ValueId old;
    if ((sum && type.is_float()) || (ordered && type.is_signed())) {  // the bits do not behave as the number
      old = compute_and_swap(e_, op, type, at, operand(1), inst.immediate);
    } else if (op == VD_OP_ATOMIC_LOAD) {
      old = e_.emit(op, Type(), {at}, inst.immediate);
    } else if (op == VD_OP_ATOMIC_CAS) {
      old = e_.emit(op, Type(), {at, as_bits(1), as_bits(2)}, inst.immediate);
    } else {
      old = e_.emit(op, Type(), {at, as_bits(1)}, inst.immediate);
    }
    r_.replace(id, e_.bitcast(type, old));
  }

  Rewriter& r_;
  Emitter& e_;
  Type unit_;
  ValueId memory_;
};

}  // namespace

Kernel flatten_shared(Kernel kernel, const Dialect& dialect) {
  if (dialect.pointer_view) return kernel;
  bool needed = false;
  uint32_t smallest = 4;
  for (const SharedArray& shared : kernel.shareds) {
    needed |= shared.explicit_offset;
    smallest = std::min(smallest, smallest_scalar(kernel.types, shared.element));
  }
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    if (inst.op != VD_OP_VIEW || inst.type.space() != Space::Shared) return;
    needed = true;
    smallest = std::min(smallest, smallest_scalar(kernel.types, inst.type.value()));
  });
  if (!needed) return kernel;

  const Type unit = unit_of_size(smallest);
  const uint32_t count = (kernel.shared_size + smallest - 1) / smallest;
  ValueId memory = kNoValue;
  Rewriter r(std::move(kernel), [&](Rewriter& rewriter, ValueId id, const Inst& inst) {
    return Flattener(rewriter, unit, memory).run(id, inst);
  });
  Kernel& result = r.out.kernel();
  // The arrays' offsets are still read while the code is rewritten; their replacement comes after them.
  memory = r.out.leaf(kOpShared, result.types.array(unit, count).in(Space::Shared), result.shareds.size());
  Kernel flat = r.run();
  SharedArray all;
  all.element = unit;
  all.count = count;
  all.offset = 0;
  all.name = "shared_memory";
  flat.shareds.assign(1, all);
  flat.insts[memory].immediate = 0;
  return flat;
}

}  // namespace vd::codegen
