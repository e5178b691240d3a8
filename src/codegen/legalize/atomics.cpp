#include "codegen/legalize/legalize.h"
#include "codegen/legalize/swap_loop.h"
#include "core/error.h"
#include "ir/rewriter.h"
#include "ir/walk.h"

namespace vd::codegen {

using namespace ir;

namespace {

class FloatAtomic {
 public:
  FloatAtomic(Rewriter& r, ValueId id, const Inst& inst, const Dialect& dialect, const Options& options)
      : r_(r), e_(r.out), id_(id), inst_(inst), dialect_(dialect), options_(options) {}

  bool run() {
    switch (inst_.op) {
      case VD_OP_ATOMIC_ADD:
      case VD_OP_ATOMIC_SUB:
      case VD_OP_ATOMIC_MIN:
      case VD_OP_ATOMIC_MAX:
      case VD_OP_ATOMIC_EXCHANGE:
        break;
      default:
        return false;  // loads and stores of an aligned scalar are in one piece everywhere
    }
    const ValueId reference = r_.operand(inst_, 0);
    type_ = r_.source().insts[reference].type.value();
    if (!type_.is_float() || is_native()) return false;
    // Without pointers a shared array that is seen as other numbers is one of u32.
    if (!dialect_.pointer_view && type_.scalar() == Scalar::F64 &&
        r_.source().insts[reference].type.space() == Space::Shared)
      refuse();
    bits_ = Type(type_.scalar() == Scalar::F32 ? Scalar::U32 : Scalar::U64);
    const ValueId at = as_bits(reference), value = r_[r_.operand(inst_, 1)];
    if (inst_.op == VD_OP_ATOMIC_EXCHANGE) {
      const ValueId old = e_.emit(inst_.op, Type(), {at, e_.bitcast(bits_, value)}, inst_.immediate);
      r_.replace(id_, e_.bitcast(type_, old));
    } else {
      r_.replace(id_, e_.bitcast(type_, compute_and_swap(e_, inst_.op, type_, at, value, inst_.immediate)));
    }
    return true;
  }

 private:
  bool is_native() const {
    const Op op = inst_.op == VD_OP_ATOMIC_SUB ? VD_OP_ATOMIC_ADD : inst_.op;  // of the negative
    const vd_features needed = type_.scalar() == Scalar::F64 ? VD_FEATURE_F64_ATOMIC_ADD
                               : op == VD_OP_ATOMIC_ADD      ? VD_FEATURE_F32_ATOMIC_ADD
                                                             : VD_FEATURE_F32_ATOMICS;
    return (options_.features & needed) != 0 && find_rule(dialect_, op, type_, type_, false, false) != nullptr;
  }

  [[noreturn]] void refuse() const {
    const Kernel& kernel = e_.kernel();
    const Location* at = inst_.location == 0 ? nullptr : &kernel.locations[inst_.location];
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\": {} of f64 in a shared array{} is not supported by this device; use f32, or an element of a "
         "buffer",
         kernel.name, op_info(inst_.op).name, at == nullptr ? "" : fmt::format(" at {}:{}", at->file, at->line));
  }

  // The same bytes as an unsigned integer: an element of its buffer or shared array as an array of such.
  ValueId as_bits(ValueId reference) {
    const Kernel& source = r_.source();
    const TypeTable& types = e_.kernel().types;
    const uint32_t unit = scalar_size(bits_.scalar());
    std::vector<ValueId> steps;
    bool wide = false;
    for (; source.insts[reference].op == VD_OP_INDEX || source.insts[reference].op == VD_OP_MEMBER ||
           source.insts[reference].op == VD_OP_VIEW;
         reference = r_.operand(source.insts[reference], 0)) {
      const Inst& step = source.insts[reference];
      steps.push_back(reference);
      wide |= step.op == VD_OP_INDEX && scalar_size(source.insts[r_.operand(step, 1)].type.scalar()) == 8;
    }
    const Type index_type = wide ? kI64 : kU32;
    ValueId address = kNoValue;
    const auto add = [&](ValueId part) { address = address == kNoValue ? part : e_.add(address, part); };
    for (size_t i = steps.size(); i-- > 0;) {
      const Inst& step = source.insts[steps[i]];
      if (step.op == VD_OP_MEMBER) {
        const Type whole = source.insts[r_.operand(step, 0)].type.value();
        const uint32_t offset = types.get_struct(whole).fields[plain_immediate(step.immediate)].offset / unit;
        if (offset != 0) add(e_.bits(index_type, offset));
      } else if (step.op == VD_OP_INDEX) {
        const uint64_t stride = types.size(step.type.value()) / unit;
        const ValueId index = e_.convert(index_type, r_[r_.operand(step, 1)]);
        add(stride == 1 ? index : e_.mul(index, e_.bits(index_type, stride)));
      }
    }
    const Type memory = source.insts[reference].type;
    const auto count = types.get_array(memory.value()).count == 0 ? 0 : types.size(memory.value()) / unit;
    const Type viewed = e_.kernel().types.array(bits_, static_cast<uint32_t>(count)).in(memory.space());
    const ValueId view = e_.emit(VD_OP_VIEW, viewed, {r_[reference]});
    return e_.index(view, address == kNoValue ? e_.bits(index_type, 0) : address);
  }

  Rewriter& r_;
  Emitter& e_;
  ValueId id_;
  const Inst& inst_;
  Type type_, bits_;
  const Dialect& dialect_;
  const Options& options_;
};

}  // namespace

Kernel emulate_float_atomics(Kernel kernel, const Dialect& dialect, const Options& options) {
  return rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    return FloatAtomic(r, id, inst, dialect, options).run();
  });
}

}  // namespace vd::codegen
