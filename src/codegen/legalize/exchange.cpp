#include "codegen/legalize/exchange.h"

#include <string_view>

#include "ir/layout.h"

namespace vd::codegen {

using namespace ir;

ValueId Exchange::builtin(vd_builtin which) {
  switch (which) {
    case VD_BUILTIN_SUBGROUP_ID:
      return e_.div(self(), u(lanes_));
    case VD_BUILTIN_SUBGROUP_LANE:
      return e_.emit(VD_OP_AND, self(), u(lanes_ - 1));
    case VD_BUILTIN_SUBGROUP_SIZE:
      return u(lanes_);
    case VD_BUILTIN_NUM_SUBGROUPS:
      return u((threads_ + lanes_ - 1) / lanes_);
    default:
      return kNoValue;
  }
}

// The last subgroup may have fewer lanes.
ValueId Exchange::end() {
  const ValueId end = e_.add(first(), u(lanes_));
  return threads_ % lanes_ == 0 ? end : e_.emit(VD_OP_MIN, end, u(threads_));
}

// A shared array behind the kernel's own, shared by all operations that need the same type and count.
ValueId Exchange::slots(Type type, uint32_t count, const char* name) {
  for (const Slots& s : known_)
    if (s.type == type && s.count == count && std::string_view(s.name) == name) return s.reference;
  Kernel& kernel = e_.kernel();
  SharedArray shared;
  shared.element = type;
  shared.count = count;
  shared.offset = (kernel.shared_size + 15) / 16 * 16;
  shared.name = name;
  kernel.shared_size = shared.offset + static_cast<uint32_t>(kernel.types.size(type)) * count;
  kernel.shareds.push_back(shared);
  const ValueId reference =
      e_.leaf(kOpShared, kernel.types.array(type, count).in(Space::Shared), kernel.shareds.size() - 1);
  known_.push_back({type, count, name, reference});
  return reference;
}

ValueId Exchange::flags(ValueId mask) {
  const ValueId flags = slots(kU32, threads_, "lane_active");
  publish(flags, word(mask));
  return flags;
}

// The index of the first active invocation; past the last where none is.
ValueId Exchange::first_active(ValueId flags) {
  const ValueId least = e_.var(end());
  const ValueId i = e_.begin_for(first(), end(), u(1));
  const ValueId present = e_.emit(VD_OP_NE, e_.load(e_.index(flags, i)), u(0));
  e_.begin_if(present);
  e_.store(least, e_.emit(VD_OP_MIN, e_.load(least), i));
  e_.end();
  e_.end();
  return e_.load(least);
}

// In the order of lanes, so that every lane has the same bits.
ValueId Exchange::reduce(Op op, Type type, ValueId value, ValueId mask) {
  const ValueId values = slots(type, threads_, "lane_values");
  publish(values, value);
  const ValueId active = mask == kNoValue ? kNoValue : flags(mask);
  barrier();
  ValueId sum;
  if (mask == kNoValue) {
    sum = e_.var(e_.load(e_.index(values, first())));
    const ValueId i = e_.begin_for(e_.add(first(), u(1)), end(), u(1));
    e_.store(sum, e_.emit(op, e_.load(sum), e_.load(e_.index(values, i))));
    e_.end();
  } else {
    sum = e_.var(value);
    const ValueId begun = e_.var(e_.bits(Type(Scalar::Bool), 0));
    const ValueId i = e_.begin_for(first(), end(), u(1));
    e_.begin_if(e_.emit(VD_OP_NE, e_.load(e_.index(active, i)), u(0)));
    const ValueId other = e_.load(e_.index(values, i));
    e_.begin_if(e_.load(begun));
    e_.store(sum, e_.emit(op, e_.load(sum), other));
    e_.begin_else();
    e_.store(sum, other);
    e_.store(begun, e_.bits(Type(Scalar::Bool), 1));
    e_.end();
    e_.end();
    e_.end();
  }
  barrier();
  return e_.load(sum);
}

// An inactive lane votes for the neutral answer.
ValueId Exchange::vote(bool all, ValueId value, ValueId mask) {
  if (mask != kNoValue)
    value = all ? e_.emit(VD_OP_LOR, value, e_.emit(VD_OP_LNOT, mask)) : e_.emit(VD_OP_LAND, value, mask);
  return e_.emit(VD_OP_NE, reduce(all ? VD_OP_AND : VD_OP_OR, kU32, word(value), kNoValue), u(0));
}

// Each lane adds its bit to the word that has it.
ValueId Exchange::ballot(ValueId value, ValueId mask) {
  if (mask != kNoValue) value = e_.emit(VD_OP_LAND, value, mask);
  const ValueId lane = builtin(VD_BUILTIN_SUBGROUP_LANE);
  const ValueId bit = e_.select(value, e_.emit(VD_OP_SHL, u(1), e_.emit(VD_OP_AND, lane, u(31))), u(0));
  std::vector<ValueId> words;
  for (uint32_t w = 0; w < 4; ++w) {
    if (w * 32 >= lanes_) {
      words.push_back(u(0));
    } else if (lanes_ <= 32) {
      words.push_back(reduce(VD_OP_OR, kU32, bit, kNoValue));
    } else {
      const ValueId mine = e_.emit(VD_OP_EQ, e_.emit(VD_OP_SHR, lane, u(5)), u(w));
      words.push_back(reduce(VD_OP_OR, kU32, e_.select(mine, bit, u(0)), kNoValue));
    }
  }
  return e_.construct(Type::vector(Scalar::U32, 4), words);
}

// A lane that does not exist gives the own value; an inactive one gives any value, as the kernel language allows.
ValueId Exchange::shuffle(Op op, Type type, ValueId value, ValueId by) {
  const ValueId values = slots(type, threads_, "lane_values");
  publish(values, value);
  barrier();
  const ValueId lane = builtin(VD_BUILTIN_SUBGROUP_LANE), n = e_.convert(kU32, by);
  const bool named = op == VD_OP_SUBGROUP_SHUFFLE || op == VD_OP_SUBGROUP_BROADCAST;
  const ValueId from = named                              ? n
                       : op == VD_OP_SUBGROUP_SHUFFLE_XOR ? e_.emit(VD_OP_XOR, lane, n)
                       : op == VD_OP_SUBGROUP_SHUFFLE_UP  ? e_.sub(lane, n)
                                                          : e_.add(lane, n);
  const ValueId present = e_.emit(VD_OP_LT, from, e_.sub(end(), first()));
  const ValueId result = e_.load(e_.index(values, e_.select(present, e_.add(first(), from), self())));
  barrier();
  return result;
}

ValueId Exchange::run(Op op, Type type, std::span<const ValueId> operands, ValueId mask) {
  switch (op) {
    case VD_OP_SUBGROUP_ADD:
      return reduce(VD_OP_ADD, type, operands[0], mask);
    case VD_OP_SUBGROUP_MUL:
      return reduce(VD_OP_MUL, type, operands[0], mask);
    case VD_OP_SUBGROUP_MIN:
      return reduce(VD_OP_MIN, type, operands[0], mask);
    case VD_OP_SUBGROUP_MAX:
      return reduce(VD_OP_MAX, type, operands[0], mask);
    case VD_OP_SUBGROUP_AND:
      return reduce(VD_OP_AND, type, operands[0], mask);
    case VD_OP_SUBGROUP_OR:
      return reduce(VD_OP_OR, type, operands[0], mask);
    case VD_OP_SUBGROUP_XOR:
      return reduce(VD_OP_XOR, type, operands[0], mask);
    case VD_OP_SUBGROUP_ANY:
      return vote(false, operands[0], mask);
    case VD_OP_SUBGROUP_ALL:
      return vote(true, operands[0], mask);
    case VD_OP_SUBGROUP_BALLOT:
      return ballot(operands[0], mask);
    case VD_OP_SUBGROUP_ELECT: {
      if (mask == kNoValue) return e_.emit(VD_OP_EQ, builtin(VD_BUILTIN_SUBGROUP_LANE), u(0));
      const ValueId active = flags(mask);
      barrier();
      const ValueId elected = e_.emit(VD_OP_EQ, first_active(active), self());
      barrier();
      return elected;
    }
    case VD_OP_SUBGROUP_BROADCAST_FIRST: {
      const ValueId values = slots(type, threads_, "lane_values");
      publish(values, operands[0]);
      const ValueId active = mask == kNoValue ? kNoValue : flags(mask);
      barrier();
      ValueId from = first();
      if (mask != kNoValue) {
        from = first_active(active);
        from = e_.select(e_.emit(VD_OP_LT, from, end()), from, self());
      }
      const ValueId result = e_.load(e_.index(values, from));
      barrier();
      return result;
    }
    default:
      return shuffle(op, type, operands[0], operands[1]);
  }
}

ValueId Exchange::any(ValueId flag) {
  const ValueId votes = e_.index(slots(kU32, 1, "group_vote"), u(0));
  e_.begin_if(e_.emit(VD_OP_EQ, self(), u(0)));
  e_.store(votes, u(0));
  e_.end();
  barrier();
  e_.begin_if(flag);
  e_.emit(VD_OP_ATOMIC_OR, Type(), {votes, u(1)}, VD_MEMORY_WORKGROUP | VD_MEMORY_SHARED);
  e_.end();
  barrier();
  const ValueId result = e_.emit(VD_OP_NE, e_.load(votes), u(0));
  barrier();
  return result;
}

}  // namespace vd::codegen
