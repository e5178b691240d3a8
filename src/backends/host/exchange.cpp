// Atomics, lane by lane in order, and subgroup operations over the active lanes of each group of 32.
#include <atomic>
#include <bit>
#include <cstring>

#include "backends/host/control.h"
#include "backends/host/half.h"

namespace vd::host {
namespace {

using ir::Scalar;

template <class T>
uint64_t index_at(Machine& m, const Insn* i, uint32_t lane) {
  const T x = m.at<T>(i->a)[i->sa == 0 ? 0 : lane];
  return static_cast<uint64_t>(static_cast<int64_t>(x));
}

// Operands: [access, step of b, step of c], then b and c by slot; sb holds the kind of the index.
template <vd_op O, class T>
T apply(T* p, T b, T c) {
  std::atomic_ref<T> ref(*p);
  // Relaxed operations would do for the default order; the strongest costs the same on x86 and serves every order.
  if constexpr (O == VD_OP_ATOMIC_LOAD)
    return ref.load();
  else if constexpr (O == VD_OP_ATOMIC_STORE)
    return ref.store(b), b;
  else if constexpr (O == VD_OP_ATOMIC_EXCHANGE)
    return ref.exchange(b);
  else if constexpr (O == VD_OP_ATOMIC_ADD)
    return ref.fetch_add(b);
  else if constexpr (O == VD_OP_ATOMIC_SUB)
    return ref.fetch_sub(b);
  else if constexpr (O == VD_OP_ATOMIC_MIN || O == VD_OP_ATOMIC_MAX) {
    // Minimum and maximum of a NaN and a number are the number. An unchanged value is not stored, so that a NaN ends
    // the loop, too.
    T old = ref.load();
    for (;;) {
      const bool better = b == b && (old != old || (O == VD_OP_ATOMIC_MIN ? b < old : b > old));
      if (!better || ref.compare_exchange_weak(old, b)) return old;
    }
  } else if constexpr (std::is_floating_point_v<T>)
    return b;
  else if constexpr (O == VD_OP_ATOMIC_AND)
    return ref.fetch_and(b);
  else if constexpr (O == VD_OP_ATOMIC_OR)
    return ref.fetch_or(b);
  else if constexpr (O == VD_OP_ATOMIC_XOR)
    return ref.fetch_xor(b);
  else
    return ref.compare_exchange_strong(b, c), b;
}

template <vd_op O, class T>
const Insn* run_atomic(Machine& m, const Insn* i) {
  const Operand* o = m.program->operands.data() + i->c;
  const Access& x = m.accesses[o[0].slot];
  T* d = m.at<T>(i->d);
  const auto each = [&](auto read_index) {
    m.mask.each([&](uint32_t lane) {
      const uint64_t at = read_index(lane);
      std::byte* p = x.base + at * x.stride;
      // An address that the processor cannot change atomically is out of range for atomics.
      if (at >= x.count || reinterpret_cast<uintptr_t>(p) % sizeof(T) != 0) {
        d[lane] = T(0);
        return;
      }
      const T b = o[1].slot == ~0u ? T(0) : m.at<T>(o[1].slot)[o[1].step == 0 ? 0 : lane];
      const T c = o[2].slot == ~0u ? T(0) : m.at<T>(o[2].slot)[o[2].step == 0 ? 0 : lane];
      d[lane] = apply<O>(reinterpret_cast<T*>(p), b, c);
    });
  };
  switch (static_cast<IndexKind>(i->b)) {
    case IndexKind::I32:
      each([&](uint32_t lane) { return index_at<int32_t>(m, i, lane); });
      break;
    case IndexKind::U32:
      each([&](uint32_t lane) { return index_at<uint32_t>(m, i, lane) & 0xffffffffu; });
      break;
    default:
      each([&](uint32_t lane) { return index_at<int64_t>(m, i, lane); });
      break;
  }
  return i + 1;
}

template <vd_op O>
Insn::Fn atomic_of(Scalar s) {
  switch (s) {
    case Scalar::I32:
      return run_atomic<O, int32_t>;
    case Scalar::U32:
      return run_atomic<O, uint32_t>;
    case Scalar::I64:
      return run_atomic<O, int64_t>;
    case Scalar::U64:
      return run_atomic<O, uint64_t>;
    case Scalar::F32:
      return run_atomic<O, float>;
    case Scalar::F64:
      return run_atomic<O, double>;
    default:
      return nullptr;
  }
}

// ---- subgroups ----

template <class T>
struct Wrap {
  using type = T;
};
template <>
struct Wrap<int8_t> {
  using type = uint32_t;
};
template <>
struct Wrap<int16_t> {
  using type = uint32_t;
};
template <>
struct Wrap<uint8_t> {
  using type = uint32_t;
};
template <>
struct Wrap<uint16_t> {
  using type = uint32_t;
};
template <>
struct Wrap<int32_t> {
  using type = uint32_t;
};
template <>
struct Wrap<int64_t> {
  using type = uint64_t;
};

template <vd_op O, Scalar S>
lane_t<S> combine(lane_t<S> a, lane_t<S> b) {
  using T = lane_t<S>;
  using W = typename Wrap<T>::type;
  if constexpr (O == VD_OP_SUBGROUP_ADD || O == VD_OP_SUBGROUP_MUL) {
    const W r = O == VD_OP_SUBGROUP_ADD ? W(W(a) + W(b)) : W(W(a) * W(b));
    if constexpr (S == Scalar::F16)
      return round_to_half(r);
    else
      return T(r);
  } else if constexpr (O == VD_OP_SUBGROUP_MIN) {
    if (a != a) return b;
    return b < a ? b : a;
  } else if constexpr (O == VD_OP_SUBGROUP_MAX) {
    if (a != a) return b;
    return b > a ? b : a;
  } else if constexpr (std::is_floating_point_v<T>) {
    return a;
  } else if constexpr (O == VD_OP_SUBGROUP_AND || O == VD_OP_SUBGROUP_ALL) {
    return T(a & b);
  } else if constexpr (O == VD_OP_SUBGROUP_OR || O == VD_OP_SUBGROUP_ANY) {
    return T(a | b);
  } else {
    return T(a ^ b);
  }
}

// Calls f(first lane, active lanes of it) for each subgroup that has some.
template <class F>
void each_subgroup(const Machine& m, F&& f) {
  for (uint32_t s = 0; s < kStrip / kSubgroup; ++s) {
    const uint32_t active = m.mask.subgroup(s);
    if (active != 0) f(s * kSubgroup, active);
  }
}
template <class F>
void each_bit(uint32_t bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) f(static_cast<uint32_t>(std::countr_zero(bits)));
}

template <vd_op O, Scalar S>
const Insn* run_reduce(Machine& m, const Insn* i) {
  using T = lane_t<S>;
  T* d = m.at<T>(i->d);
  const T* a = m.at<T>(i->a);
  const bool lanes = i->sa != 0;
  each_subgroup(m, [&](uint32_t first, uint32_t active) {
    const auto begin = static_cast<uint32_t>(std::countr_zero(active));
    T sum = a[lanes ? first + begin : 0];
    each_bit(active & (active - 1), [&](uint32_t l) { sum = combine<O, S>(sum, a[lanes ? first + l : 0]); });
    each_bit(active, [&](uint32_t l) { d[first + l] = sum; });
  });
  return i + 1;
}

const Insn* run_elect(Machine& m, const Insn* i) {
  auto* d = m.at<uint8_t>(i->d);
  each_subgroup(m, [&](uint32_t first, uint32_t active) {
    each_bit(active, [&](uint32_t l) { d[first + l] = l == static_cast<uint32_t>(std::countr_zero(active)); });
  });
  return i + 1;
}

const Insn* run_ballot(Machine& m, const Insn* i) {
  static_assert(kSubgroup == 32);
  auto* d = m.at<uint32_t>(i->d);
  const auto* a = m.at<uint8_t>(i->a);
  const bool lanes = i->sa != 0;
  each_subgroup(m, [&](uint32_t first, uint32_t active) {
    uint32_t bits = 0;
    each_bit(active, [&](uint32_t l) { bits |= (a[lanes ? first + l : 0] != 0 ? 1u : 0u) << l; });
    each_bit(active, [&](uint32_t l) { d[first + l] = bits; });
  });
  return i + 1;
}

// From a lane that is not active, or not there: zero.
template <vd_op O, class T>
const Insn* run_shuffle(Machine& m, const Insn* i) {
  T* d = m.at<T>(i->d);
  const T* a = m.at<T>(i->a);
  const auto* lane = m.at<uint32_t>(i->b);
  const bool lanes = i->sa != 0;
  each_subgroup(m, [&](uint32_t first, uint32_t active) {
    each_bit(active, [&](uint32_t l) {
      uint32_t from = static_cast<uint32_t>(std::countr_zero(active));
      if constexpr (O != VD_OP_SUBGROUP_BROADCAST_FIRST) {
        const uint32_t n = lane[i->sb == 0 ? 0 : first + l];
        from = O == VD_OP_SUBGROUP_SHUFFLE || O == VD_OP_SUBGROUP_BROADCAST ? n
               : O == VD_OP_SUBGROUP_SHUFFLE_XOR                            ? l ^ n
               : O == VD_OP_SUBGROUP_SHUFFLE_UP                             ? l - n
                                                                            : l + n;
      }
      const bool present = from < kSubgroup && (active >> from & 1) != 0;
      d[first + l] = present ? a[lanes ? first + from : 0] : T(0);
    });
  });
  return i + 1;
}

template <vd_op O>
Insn::Fn reduce_of(Scalar s) {
  switch (s) {
    case Scalar::Bool:
      return run_reduce<O, Scalar::Bool>;
    case Scalar::I8:
      return run_reduce<O, Scalar::I8>;
    case Scalar::I16:
      return run_reduce<O, Scalar::I16>;
    case Scalar::I32:
      return run_reduce<O, Scalar::I32>;
    case Scalar::I64:
      return run_reduce<O, Scalar::I64>;
    case Scalar::U8:
      return run_reduce<O, Scalar::U8>;
    case Scalar::U16:
      return run_reduce<O, Scalar::U16>;
    case Scalar::U32:
      return run_reduce<O, Scalar::U32>;
    case Scalar::U64:
      return run_reduce<O, Scalar::U64>;
    case Scalar::F16:
      return run_reduce<O, Scalar::F16>;
    case Scalar::F32:
      return run_reduce<O, Scalar::F32>;
    case Scalar::F64:
      return run_reduce<O, Scalar::F64>;
    default:
      return nullptr;
  }
}
template <vd_op O>
Insn::Fn shuffle_of(Scalar s) {
  switch (lane_size(s)) {
    case 1:
      return run_shuffle<O, uint8_t>;
    case 2:
      return run_shuffle<O, uint16_t>;
    case 4:
      return run_shuffle<O, uint32_t>;
    default:
      return run_shuffle<O, uint64_t>;
  }
}

}  // namespace

Insn::Fn atomic_function(vd_op op, Scalar s) {
  switch (op) {
    case VD_OP_ATOMIC_ADD:
      return atomic_of<VD_OP_ATOMIC_ADD>(s);
    case VD_OP_ATOMIC_SUB:
      return atomic_of<VD_OP_ATOMIC_SUB>(s);
    case VD_OP_ATOMIC_MIN:
      return atomic_of<VD_OP_ATOMIC_MIN>(s);
    case VD_OP_ATOMIC_MAX:
      return atomic_of<VD_OP_ATOMIC_MAX>(s);
    case VD_OP_ATOMIC_AND:
      return atomic_of<VD_OP_ATOMIC_AND>(s);
    case VD_OP_ATOMIC_OR:
      return atomic_of<VD_OP_ATOMIC_OR>(s);
    case VD_OP_ATOMIC_XOR:
      return atomic_of<VD_OP_ATOMIC_XOR>(s);
    case VD_OP_ATOMIC_EXCHANGE:
      return atomic_of<VD_OP_ATOMIC_EXCHANGE>(s);
    case VD_OP_ATOMIC_CAS:
      return atomic_of<VD_OP_ATOMIC_CAS>(s);
    case VD_OP_ATOMIC_LOAD:
      return atomic_of<VD_OP_ATOMIC_LOAD>(s);
    case VD_OP_ATOMIC_STORE:
      return atomic_of<VD_OP_ATOMIC_STORE>(s);
    default:
      return nullptr;
  }
}

Insn::Fn subgroup_function(vd_op op, Scalar s) {
  switch (op) {
    case VD_OP_SUBGROUP_ADD:
      return reduce_of<VD_OP_SUBGROUP_ADD>(s);
    case VD_OP_SUBGROUP_MUL:
      return reduce_of<VD_OP_SUBGROUP_MUL>(s);
    case VD_OP_SUBGROUP_MIN:
      return reduce_of<VD_OP_SUBGROUP_MIN>(s);
    case VD_OP_SUBGROUP_MAX:
      return reduce_of<VD_OP_SUBGROUP_MAX>(s);
    case VD_OP_SUBGROUP_AND:
      return reduce_of<VD_OP_SUBGROUP_AND>(s);
    case VD_OP_SUBGROUP_OR:
      return reduce_of<VD_OP_SUBGROUP_OR>(s);
    case VD_OP_SUBGROUP_XOR:
      return reduce_of<VD_OP_SUBGROUP_XOR>(s);
    case VD_OP_SUBGROUP_ANY:
      return reduce_of<VD_OP_SUBGROUP_ANY>(s);
    case VD_OP_SUBGROUP_ALL:
      return reduce_of<VD_OP_SUBGROUP_ALL>(s);
    case VD_OP_SUBGROUP_ELECT:
      return run_elect;
    case VD_OP_SUBGROUP_BROADCAST_FIRST:
      return shuffle_of<VD_OP_SUBGROUP_BROADCAST_FIRST>(s);
    case VD_OP_SUBGROUP_SHUFFLE:
      return shuffle_of<VD_OP_SUBGROUP_SHUFFLE>(s);
    case VD_OP_SUBGROUP_SHUFFLE_XOR:
      return shuffle_of<VD_OP_SUBGROUP_SHUFFLE_XOR>(s);
    case VD_OP_SUBGROUP_SHUFFLE_UP:
      return shuffle_of<VD_OP_SUBGROUP_SHUFFLE_UP>(s);
    case VD_OP_SUBGROUP_SHUFFLE_DOWN:
      return shuffle_of<VD_OP_SUBGROUP_SHUFFLE_DOWN>(s);
    case VD_OP_SUBGROUP_BROADCAST:
      return shuffle_of<VD_OP_SUBGROUP_BROADCAST>(s);
    case VD_OP_SUBGROUP_BALLOT:
      return run_ballot;
    default:
      return nullptr;
  }
}

}  // namespace vd::host
