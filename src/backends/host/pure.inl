// Ops over lanes, as loops that the compiler turns into vector code. Included once for each instruction set, inside its own
// namespace and after its target pragma: nothing here may be shared between the copies, or the linker could take code
// for one machine to another. Hence the functions of the standard library stay out, but for those that are built in.

namespace {

using ir::Scalar;

template <bool C, class A, class B>
struct If { using type = A; };
template <class A, class B>
struct If<false, A, B> { using type = B; };

template <class T> inline constexpr bool kIsFloat = false;
template <> inline constexpr bool kIsFloat<float> = true;
template <> inline constexpr bool kIsFloat<double> = true;
template <class T> inline constexpr bool kIsSigned = T(-1) < T(0);

template <size_t Bytes> struct UnsignedOf;
template <> struct UnsignedOf<1> { using type = uint8_t; };
template <> struct UnsignedOf<2> { using type = uint16_t; };
template <> struct UnsignedOf<4> { using type = uint32_t; };
template <> struct UnsignedOf<8> { using type = uint64_t; };
template <class T> using unsigned_t = typename UnsignedOf<sizeof(T)>::type;
// Wide enough that small types do not become int, whose overflow is undefined.
template <class T> using wrap_t = typename If<(sizeof(T) < 4), uint32_t, unsigned_t<T>>::type;
template <class T> inline constexpr T kLeast = kIsSigned<T> ? T(unsigned_t<T>(1) << (sizeof(T) * 8 - 1)) : T(0);
template <class T> inline constexpr T kMost = T(~unsigned_t<T>(kLeast<T>));

// What a float op's result is rounded to: f16 is kept as a float.
template <Scalar S, class T>
VD_INLINE lane_t<S> fit(T x) {
  if constexpr (S == Scalar::F16) return round_to_half(x);
  else return static_cast<lane_t<S>>(x);
}

// ---- loops ----

template <Scalar D, Scalar A, class F>
const Insn* run1(Machine& m, const Insn* i) {
  auto* d = m.at<lane_t<D>>(i->d);
  const auto* a = m.at<lane_t<A>>(i->a);
  const uint32_t sa = i->sa / sizeof(lane_t<A>);
  for (uint32_t n = m.blocks[i->varying]; n != 0; --n, d += kBlock, a += sa) {
    VD_LANES(l, kBlock) d[l] = F::template f<A>(a[l]);
  }
  return i + 1;
}

template <Scalar D, Scalar A, class F>
const Insn* run2(Machine& m, const Insn* i) {
  auto* d = m.at<lane_t<D>>(i->d);
  const auto* a = m.at<lane_t<A>>(i->a);
  const auto* b = m.at<lane_t<A>>(i->b);
  const uint32_t sa = i->sa / sizeof(lane_t<A>), sb = i->sb / sizeof(lane_t<A>);
  for (uint32_t n = m.blocks[i->varying]; n != 0; --n, d += kBlock, a += sa, b += sb) {
    VD_LANES(l, kBlock) d[l] = F::template f<A>(a[l], b[l]);
  }
  return i + 1;
}

template <Scalar D, Scalar A, class F>
const Insn* run3(Machine& m, const Insn* i) {
  auto* d = m.at<lane_t<D>>(i->d);
  const auto* a = m.at<lane_t<A>>(i->a);
  const auto* b = m.at<lane_t<A>>(i->b);
  const auto* c = m.at<lane_t<A>>(i->c);
  const uint32_t sa = i->sa / sizeof(lane_t<A>), sb = i->sb / sizeof(lane_t<A>), sc = i->sc / sizeof(lane_t<A>);
  for (uint32_t n = m.blocks[i->varying]; n != 0; --n, d += kBlock, a += sa, b += sb, c += sc) {
    VD_LANES(l, kBlock) d[l] = F::template f<A>(a[l], b[l], c[l]);
  }
  return i + 1;
}

// Comparisons: bools, by way of lanes as wide as the operands.
template <Scalar A, class F>
const Insn* run_test(Machine& m, const Insn* i) {
  auto* d = m.at<uint8_t>(i->d);
  const auto* a = m.at<lane_t<A>>(i->a);
  const auto* b = m.at<lane_t<A>>(i->b);
  const uint32_t sa = i->sa / sizeof(lane_t<A>), sb = i->sb / sizeof(lane_t<A>);
  for (uint32_t n = m.blocks[i->varying]; n != 0; --n, d += kBlock, a += sa, b += sb) {
    unsigned_t<lane_t<A>> wide[kBlock];
    VD_LANES(l, kBlock) wide[l] = F::template f<A>(a[l], b[l]);
    VD_LANES(l, kBlock) d[l] = uint8_t(wide[l]);
  }
  return i + 1;
}

template <class T>
const Insn* run_select(Machine& m, const Insn* i) {
  T* d = m.at<T>(i->d);
  const uint8_t* a = m.at<uint8_t>(i->a);
  const T* b = m.at<T>(i->b);
  const T* c = m.at<T>(i->c);
  const uint32_t sa = i->sa, sb = i->sb / sizeof(T), sc = i->sc / sizeof(T);
  for (uint32_t n = m.blocks[i->varying]; n != 0; --n, d += kBlock, a += sa, b += sb, c += sc) {
    // In two steps, since the vectoriser works on the narrowest type of a loop.
    unsigned_t<T> wide[kBlock];
    VD_LANES(l, kBlock) wide[l] = a[l];
    VD_LANES(l, kBlock) {
      const T x = b[l], y = c[l];
      d[l] = wide[l] != 0 ? x : y;
    }
  }
  return i + 1;
}

template <class T>
const Insn* run_copy(Machine& m, const Insn* i) {
  T* d = m.at<T>(i->d);
  const T* a = m.at<T>(i->a);
  const uint32_t sa = i->sa / sizeof(T);
  for (uint32_t n = m.blocks[i->varying]; n != 0; --n, d += kBlock, a += sa) {
    VD_LANES(l, kBlock) d[l] = a[l];
  }
  return i + 1;
}

template <class T>
VD_INLINE void blend_block(T* d, const T* a, uint32_t active) {
  if (active == 0xffff) {
    VD_LANES(l, kBlock) d[l] = a[l];
  } else if (active != 0) {
    VD_LANES(l, kBlock) {
      const T x = a[l], y = d[l];
      d[l] = (active & 1u << l) != 0 ? x : y;
    }
  }
}

template <class T>
const Insn* run_blend(Machine& m, const Insn* i) {
  T* d = m.at<T>(i->d);
  const T* a = m.at<T>(i->a);
  const uint32_t sa = i->sa / sizeof(T);
  for (uint32_t n = 0; n < m.blocks[1]; ++n, d += kBlock, a += sa) blend_block(d, a, m.mask.block(n));
  return i + 1;
}

// ---- arithmetic ----

#define VD_OP1(Name, expression)                 \
  struct Name {                                  \
    template <Scalar S>                          \
    static VD_INLINE auto f(lane_t<S> a) {       \
      using T = lane_t<S>;                       \
      using W [[maybe_unused]] = wrap_t<T>;      \
      return expression;                         \
    }                                            \
  };
#define VD_OP2(Name, expression)                              \
  struct Name {                                               \
    template <Scalar S>                                       \
    static VD_INLINE auto f(lane_t<S> a, lane_t<S> b) {       \
      using T = lane_t<S>;                                    \
      using W [[maybe_unused]] = wrap_t<T>;                   \
      return expression;                                      \
    }                                                         \
  };

VD_OP2(AddInt, T(W(a) + W(b)))
VD_OP2(SubInt, T(W(a) - W(b)))
VD_OP2(MulInt, T(W(a) * W(b)))
VD_OP2(AddFloat, fit<S>(a + b))
VD_OP2(SubFloat, fit<S>(a - b))
VD_OP2(MulFloat, fit<S>(a * b))
VD_OP2(DivFloat, fit<S>(a / b))
VD_OP1(NegInt, T(W(0) - W(a)))
VD_OP1(NegFloat, T(-a))
VD_OP1(AbsInt, T(a < 0 ? W(0) - W(a) : W(a)))
VD_OP1(AbsFloat, (sizeof(T) == 4 ? T(__builtin_fabsf(static_cast<float>(a))) : T(__builtin_fabs(a))))
VD_OP1(Same, a)
VD_OP1(SignInt, T(T(a > T(0)) - T(a < T(0))))
VD_OP1(SignFloat, T(T(a > T(0)) - T(a < T(0))))
VD_OP2(MinInt, T(a < b ? a : b))
VD_OP2(MaxInt, T(a > b ? a : b))
// If one is NaN, the other.
template <class T>
VD_INLINE T min_float(T a, T b) {
  const T least = a < b ? a : b;
  return a != a ? b : (b != b ? a : least);
}
template <class T>
VD_INLINE T max_float(T a, T b) {
  const T most = a > b ? a : b;
  return a != a ? b : (b != b ? a : most);
}
VD_OP2(MinFloat, min_float(a, b))
VD_OP2(MaxFloat, max_float(a, b))

struct ClampInt {
  template <Scalar S>
  static VD_INLINE auto f(lane_t<S> x, lane_t<S> low, lane_t<S> high) {
    const lane_t<S> y = x > low ? x : low;
    return y < high ? y : high;
  }
};
struct ClampFloat {
  template <Scalar S>
  static VD_INLINE auto f(lane_t<S> x, lane_t<S> low, lane_t<S> high) {
    return min_float(max_float(x, low), high);
  }
};
struct Fma {
  template <Scalar S>
  static VD_INLINE auto f(lane_t<S> a, lane_t<S> b, lane_t<S> c) {
    if constexpr (S == Scalar::F16) return round_to_half(double(a) * double(b) + double(c));
    else if constexpr (S == Scalar::F32) return __builtin_fmaf(a, b, c);
    else return __builtin_fma(a, b, c);
  }
};

// Integers of 32 bits divide as doubles, which vectorise: the quotient of two such is never rounded across an integer.
template <class T>
VD_INLINE T divide(T a, T b) {
  if constexpr (sizeof(T) <= 4) {
    const double q = double(a) / double(b == 0 ? T(1) : b);
    // The least integer / -1 is one past the largest.
    if constexpr (kIsSigned<T>) return q > double(kMost<T>) ? kLeast<T> : T(int32_t(q));
    else return T(uint32_t(q));
  } else {
    if (b == 0) return a;
    if constexpr (kIsSigned<T>) {
      if (b == -1) return T(wrap_t<T>(0) - wrap_t<T>(a));
    }
    return T(a / b);
  }
}
template <class T>
VD_INLINE T remainder(T a, T b) {
  using W = wrap_t<T>;
  return b == 0 ? T(0) : T(W(a) - W(divide(a, b)) * W(b));
}
VD_OP2(DivInt, divide(a, b))
VD_OP2(RemInt, remainder(a, b))
struct FloorDiv {
  template <Scalar S>
  static VD_INLINE auto f(lane_t<S> a, lane_t<S> b) {
    using T = lane_t<S>;
    using W = wrap_t<T>;
    const T q = divide(a, b);
    if constexpr (kIsSigned<T>) {
      const T r = T(W(a) - W(q) * W(b));
      const bool down = b != 0 && r != 0 && (r < 0) != (b < 0);
      return T(W(q) - W(down));
    } else {
      return q;
    }
  }
};
struct FloorMod {
  template <Scalar S>
  static VD_INLINE auto f(lane_t<S> a, lane_t<S> b) {
    using T = lane_t<S>;
    using W = wrap_t<T>;
    const T r = remainder(a, b);
    if constexpr (kIsSigned<T>) return T(W(r) + (r != 0 && (r < 0) != (b < 0) ? W(b) : W(0)));
    else return r;
  }
};

// ---- bits ----

VD_OP2(And, T(a & b))
VD_OP2(Or, T(a | b))
VD_OP2(Xor, T(a ^ b))
VD_OP1(Not, T(~a))
VD_OP1(NotBool, T(a ^ 1))
VD_OP2(Shl, T(W(a) << (W(b) & (sizeof(T) * 8 - 1))))
VD_OP2(Shr, T(a >> (W(b) & (sizeof(T) * 8 - 1))))
VD_OP1(Popcount, T(sizeof(T) == 8 ? __builtin_popcountll(uint64_t(a)) : __builtin_popcount(uint32_t(unsigned_t<T>(a)))))
VD_OP1(Clz, T(a == 0 ? sizeof(T) * 8
                     : (sizeof(T) == 8 ? __builtin_clzll(uint64_t(a) | (a == 0))
                                       : __builtin_clz(uint32_t(unsigned_t<T>(a)) | (a == 0)) - (32 - int(sizeof(T)) * 8))))
VD_OP1(Ctz, T(a == 0 ? sizeof(T) * 8
                     : (sizeof(T) == 8 ? __builtin_ctzll(uint64_t(a) | (a == 0)) : __builtin_ctz(uint32_t(a) | (a == 0)))))
struct BitReverse {
  template <Scalar S>
  static VD_INLINE auto f(lane_t<S> a) {
    using T = lane_t<S>;
    using W = wrap_t<T>;
    W x = W(unsigned_t<T>(a));
    x = (x >> 1 & W(0x5555555555555555u)) | (x & W(0x5555555555555555u)) << 1;
    x = (x >> 2 & W(0x3333333333333333u)) | (x & W(0x3333333333333333u)) << 2;
    x = (x >> 4 & W(0x0f0f0f0f0f0f0f0fu)) | (x & W(0x0f0f0f0f0f0f0f0fu)) << 4;
    if constexpr (sizeof(T) >= 2) x = (x >> 8 & W(0x00ff00ff00ff00ffu)) | (x & W(0x00ff00ff00ff00ffu)) << 8;
    if constexpr (sizeof(T) >= 4) x = (x >> 16 & W(0x0000ffff0000ffffu)) | (x & W(0x0000ffff0000ffffu)) << 16;
    if constexpr (sizeof(T) == 8) x = x >> 32 | x << 32;
    return T(x);
  }
};

// ---- comparison ----

VD_OP2(Eq, uint8_t(a == b))
VD_OP2(Ne, uint8_t(a != b))
VD_OP2(Lt, uint8_t(a < b))
VD_OP2(Le, uint8_t(a <= b))
VD_OP2(Gt, uint8_t(a > b))
VD_OP2(Ge, uint8_t(a >= b))
VD_OP1(IsNan, uint8_t(a != a))
VD_OP1(IsInf, uint8_t(AbsFloat::f<S>(a) == T(__builtin_inf())))

// ---- math that is vector code ----

#define VD_ROUND(Name, function) VD_OP1(Name, (sizeof(T) == 4 ? T(function##f(float(a))) : T(function(a))))
VD_ROUND(Floor, __builtin_floor)
VD_ROUND(Ceil, __builtin_ceil)
VD_ROUND(Trunc, __builtin_trunc)
VD_ROUND(RoundEven, __builtin_rint)
#undef VD_ROUND
VD_OP1(Fract, fit<S>(a - Floor::f<S>(a)))
VD_OP2(Mod, fit<S>(a - fit<S>(b * Floor::f<S>(fit<S>(a / b)))))
VD_OP2(StepAt, T(b < a ? T(0) : T(1)))
struct Mix {
  template <Scalar S>
  static VD_INLINE auto f(lane_t<S> x, lane_t<S> y, lane_t<S> a) {
    return fit<S>(x + fit<S>(fit<S>(y - x) * a));
  }
};
struct SmoothStep {
  template <Scalar S>
  static VD_INLINE auto f(lane_t<S> e0, lane_t<S> e1, lane_t<S> x) {
    using T = lane_t<S>;
    const T raw = fit<S>(fit<S>(x - e0) / fit<S>(e1 - e0));
    const T t = min_float(max_float(raw, T(0)), T(1));
    const T smooth = fit<S>(fit<S>(t * t) * fit<S>(T(3) - fit<S>(T(2) * t)));
    const T step = x < e0 ? T(0) : T(1);
    return e0 == e1 ? step : smooth;
  }
};
VD_OP1(Radians, fit<S>(double(a) * 0.017453292519943295))
VD_OP1(Degrees, fit<S>(double(a) * 57.29577951308232))
VD_OP1(Sqrt, fit<S>(sizeof(T) == 4 ? T(__builtin_sqrtf(float(a))) : T(__builtin_sqrt(a))))
VD_OP1(Rsqrt, fit<S>(1.0 / __builtin_sqrt(double(a))))

// ---- conversion ----

template <Scalar D>
struct To {
  template <Scalar S>
  static VD_INLINE lane_t<D> f(lane_t<S> a) {
    using A = lane_t<S>;
    using T = lane_t<D>;
    if constexpr (D == Scalar::Bool) {
      return a != A(0);
    } else if constexpr (D == Scalar::F16) {
      if constexpr (S == Scalar::F16) return a;
      else if constexpr (sizeof(A) <= 2) return round_to_half(float(a));
      else return round_to_half(double(a));
    } else if constexpr (kIsFloat<A> && !kIsFloat<T>) {
      // Saturates; NaN gives 0. The bounds are powers of two, exact in A, but for f16, which cannot reach the wide ones.
      constexpr A low = A(kLeast<T>);
      constexpr A above = A(kMost<T> / 2 + 1) * A(2);
      const A x = a != a ? A(0) : a;
      using Wide = typename If<(sizeof(T) < 4), int32_t, T>::type;
      const A inside = x < low ? low : (x >= above ? A(0) : x);
      const T value = T(Wide(inside));
      return x >= above ? kMost<T> : value;
    } else {
      return T(a);
    }
  }
};

struct BitsOfHalf {
  template <Scalar S>
  static VD_INLINE uint16_t f(float a) { return half_bits(a); }
};
struct HalfOfBits {
  template <Scalar S>
  static VD_INLINE float f(lane_t<S> a) { return half_value(uint16_t(a)); }
};

// ---- memory ----

template <class T>
struct [[gnu::packed, gnu::may_alias]] Unaligned { T value; };
template <class T>
VD_INLINE T peek(const std::byte* p) { return reinterpret_cast<const Unaligned<T>*>(p)->value; }
template <class T>
VD_INLINE void poke(std::byte* p, T x) { reinterpret_cast<Unaligned<T>*>(p)->value = x; }

template <Cell C> struct CellOf;
template <> struct CellOf<Cell::Bytes1> { using memory = uint8_t; using lane = uint8_t; };
template <> struct CellOf<Cell::Bytes2> { using memory = uint16_t; using lane = uint16_t; };
template <> struct CellOf<Cell::Bytes4> { using memory = uint32_t; using lane = uint32_t; };
template <> struct CellOf<Cell::Bytes8> { using memory = uint64_t; using lane = uint64_t; };
template <> struct CellOf<Cell::Half> { using memory = uint16_t; using lane = float; };
template <> struct CellOf<Cell::Bool> { using memory = uint32_t; using lane = uint8_t; };
template <Cell C>
VD_INLINE typename CellOf<C>::lane decode(typename CellOf<C>::memory x) {
  if constexpr (C == Cell::Half) return half_value(x);
  else if constexpr (C == Cell::Bool) return x != 0;
  else return x;
}
template <Cell C>
VD_INLINE typename CellOf<C>::memory encode(typename CellOf<C>::lane x) {
  if constexpr (C == Cell::Half) return half_bits(x);
  else return x;
}
template <Cell C>
VD_INLINE typename CellOf<C>::lane take(const std::byte* p) { return decode<C>(peek<typename CellOf<C>::memory>(p)); }
template <Cell C>
VD_INLINE void put(std::byte* p, typename CellOf<C>::lane x) { poke<typename CellOf<C>::memory>(p, encode<C>(x)); }

template <IndexKind K> struct IndexOf;
template <> struct IndexOf<IndexKind::I32> { using type = int32_t; static constexpr uint64_t limit = 1ull << 31; };
template <> struct IndexOf<IndexKind::U32> { using type = uint32_t; static constexpr uint64_t limit = 1ull << 32; };
template <> struct IndexOf<IndexKind::I64> { using type = int64_t; static constexpr uint64_t limit = ~0ull; };
// A negative index becomes one past every end.
template <class I>
VD_INLINE uint64_t as_index(I x) {
  if constexpr (kIsSigned<I>) return uint64_t(int64_t(x));
  else return x;
}

// Whether the indices of each run of Run lanes rise by `step`: then a run is one range of memory.
template <uint32_t Run, class I>
__attribute__((noinline)) bool in_runs(const I* index, uint32_t blocks, uint32_t step) {
  using U = unsigned_t<I>;
  U difference[kBlock] = {};
  for (uint32_t n = 0; n < blocks; ++n, index += kBlock) {
    for (uint32_t r = 0; r < kBlock; r += Run) {
      const U first = U(index[r]);
      VD_LANES(l, Run) difference[r + l] |= U(U(index[r + l]) - first) ^ U(U(l) * U(step));
    }
  }
  U any = 0;
  VD_LANES(l, kBlock) any |= difference[l];
  return any == 0;
}

// The slots of an element's components.
struct Parts {
  std::byte* slot[4];
  uint32_t step[4];    // bytes from block to block
  uint32_t offset[4];  // bytes in the element
  uint32_t count;
};
template <int N>
VD_INLINE Parts parts_of(Machine& m, const Insn* i) {
  Parts v;
  v.count = N;
  if constexpr (N == 1) {
    v.slot[0] = m.frame + i->d;
    v.step[0] = i->sc;
    v.offset[0] = 0;
  } else {
    const Operand* o = m.program->operands.data() + i->c;
    for (int k = 0; k < N; ++k) {
      v.slot[k] = m.frame + o[k].slot;
      v.step[k] = o[k].step;
      v.offset[k] = o[k].offset;
    }
  }
  return v;
}

// What is rare is kept small: one function for all numbers of components, and no vector code.
#if defined(__clang__)
#define VD_RARE __attribute__((noinline))
#else
#define VD_RARE __attribute__((noinline, optimize("no-tree-vectorize", "no-unroll-loops")))
#endif

// Lanes of one block, each from its own place; past the end, and where not active, zero.
template <Cell C, IndexKind K>
VD_RARE void gather(const Parts& v, const Access& x, uint32_t n, const typename IndexOf<K>::type* index, uint32_t active) {
  using L = typename CellOf<C>::lane;
  for (uint32_t k = 0; k < v.count; ++k) {
    L* d = reinterpret_cast<L*>(v.slot[k]) + n * kBlock;
    const std::byte* base = x.base + v.offset[k];
    VD_LANES(l, kBlock) {
      const uint64_t u = as_index(index[l]);
      d[l] = u < x.count && (active & 1u << l) != 0 ? take<C>(base + u * x.stride) : L(0);
    }
  }
}
template <Cell C, IndexKind K>
VD_RARE void scatter(const Parts& v, const Access& x, uint32_t n, const typename IndexOf<K>::type* index, uint32_t active) {
  using L = typename CellOf<C>::lane;
  VD_LANES(l, kBlock) {
    const uint64_t u = as_index(index[l]);
    if ((active & 1u << l) == 0 || u >= x.count) continue;
    for (uint32_t k = 0; k < v.count; ++k) {
      const L* d = reinterpret_cast<const L*>(v.slot[k] + n * v.step[k]);
      put<C>(x.base + u * x.stride + v.offset[k], d[l]);
    }
  }
}
// `run` lanes that lie `pitch` bytes apart.
template <Cell C>
VD_RARE void load_apart(const Parts& v, uint32_t first, uint32_t run, const std::byte* p, uint32_t pitch) {
  using L = typename CellOf<C>::lane;
  for (uint32_t k = 0; k < v.count; ++k) {
    L* d = reinterpret_cast<L*>(v.slot[k]) + first;
    for (uint32_t l = 0; l < run; ++l) d[l] = take<C>(p + v.offset[k] + size_t(l) * pitch);
  }
}
// Lanes of N components that lie side by side.
template <Cell C, int N, uint32_t Run>
VD_INLINE void load_packed(const Parts& v, uint32_t first, const std::byte* p) {
  using L = typename CellOf<C>::lane;
  using M = typename CellOf<C>::memory;
  if constexpr (N == 1 && C < Cell::Half) {
    __builtin_memcpy(reinterpret_cast<L*>(v.slot[0]) + first, p, Run * sizeof(L));
  } else {
    M cells[Run * N];
    __builtin_memcpy(cells, p, sizeof(cells));
    for (int k = 0; k < N; ++k) {
      L* d = reinterpret_cast<L*>(v.slot[k]) + first;
      VD_LANES(l, Run) d[l] = decode<C>(cells[l * N + k]);
    }
  }
}
template <Cell C, int N, uint32_t Run>
__attribute__((noinline)) void load_packed_far(const Parts& v, uint32_t first, const std::byte* p) {
  load_packed<C, N, Run>(v, first, p);
}
template <Cell C, int N>
VD_INLINE void store_packed(const Parts& v, uint32_t n, std::byte* p) {
  using L = typename CellOf<C>::lane;
  using M = typename CellOf<C>::memory;
  if constexpr (N == 1 && C < Cell::Half) {
    __builtin_memcpy(p, v.slot[0] + n * v.step[0], kBlock * sizeof(L));
  } else {
    M cells[kBlock * N];
    for (int k = 0; k < N; ++k) {
      const L* d = reinterpret_cast<const L*>(v.slot[k] + n * v.step[k]);
      VD_LANES(l, kBlock) cells[l * N + k] = encode<C>(d[l]);
    }
    __builtin_memcpy(p, cells, sizeof(cells));
  }
}
template <Cell C, int N>
__attribute__((noinline)) void store_packed_far(const Parts& v, uint32_t n, std::byte* p) {
  store_packed<C, N>(v, n, p);
}
template <Cell C, int N, uint32_t Run>
VD_INLINE void load_run(const Parts& v, uint32_t first, const std::byte* p, uint32_t pitch) {
  if (pitch != N * sizeof(typename CellOf<C>::memory)) load_apart<C>(v, first, Run, p, pitch);
  else if constexpr (N == 1) load_packed<C, N, Run>(v, first, p);
  else load_packed_far<C, N, Run>(v, first, p);
}

template <Cell C, IndexKind K>
VD_RARE void load_uniform(const Parts& v, const Access& x, const typename IndexOf<K>::type* index) {
  using L = typename CellOf<C>::lane;
  const uint64_t u = as_index(index[0]);
  for (uint32_t k = 0; k < v.count; ++k) {
    const L value = u < x.count ? take<C>(x.base + u * x.stride + v.offset[k]) : L(0);
    L* d = reinterpret_cast<L*>(v.slot[k]);
    VD_LANES(l, kBlock) d[l] = value;
  }
}

template <Cell C, IndexKind K, int N>
const Insn* run_load(Machine& m, const Insn* i) {
  using I = typename IndexOf<K>::type;
  const Access& x = m.accesses[i->b];
  const I* index = m.at<I>(i->a);
  const Parts v = parts_of<N>(m, i);
  if (i->varying == 0) {
    load_uniform<C, K>(v, x, index);
    return i + 1;
  }
  const uint32_t blocks = m.blocks[1];
  const uint32_t step = i->sa / sizeof(I);
  const uint32_t pitch = x.stride * x.step;
  const uint64_t limit = x.count < IndexOf<K>::limit ? x.count : IndexOf<K>::limit;
  if (step != 0 && in_runs<kBlock>(index, blocks, x.step)) {
    const uint64_t reach = uint64_t(kBlock - 1) * x.step;
    for (uint32_t n = 0; n < blocks; ++n, index += kBlock) {
      const uint64_t first = as_index(index[0]);
      if (first < limit && reach < limit - first && VD_READS_AHEAD(m.mask.block(n))) {
        load_run<C, N, kBlock>(v, n * kBlock, x.base + first * x.stride, pitch);
      } else {
        gather<C, K>(v, x, n, index, m.mask.block(n));
      }
    }
  } else if (step != 0 && in_runs<kBlock / 2>(index, blocks, x.step)) {
    constexpr uint32_t kHalf = kBlock / 2;
    const uint64_t reach = uint64_t(kHalf - 1) * x.step;
    for (uint32_t n = 0; n < blocks; ++n, index += kBlock) {
      const uint64_t first = as_index(index[0]), second = as_index(index[kHalf]);
      if (first < limit && reach < limit - first && second < limit && reach < limit - second &&
          VD_READS_AHEAD(m.mask.block(n))) {
        load_run<C, N, kHalf>(v, n * kBlock, x.base + first * x.stride, pitch);
        load_run<C, N, kHalf>(v, n * kBlock + kHalf, x.base + second * x.stride, pitch);
      } else {
        gather<C, K>(v, x, n, index, m.mask.block(n));
      }
    }
  } else {
    for (uint32_t n = 0; n < blocks; ++n, index += step) gather<C, K>(v, x, n, index, m.mask.block(n));
  }
  return i + 1;
}

template <Cell C, IndexKind K, int N>
const Insn* run_store(Machine& m, const Insn* i) {
  using I = typename IndexOf<K>::type;
  const Access& x = m.accesses[i->b];
  const I* index = m.at<I>(i->a);
  const Parts v = parts_of<N>(m, i);
  const uint32_t blocks = m.blocks[1];
  const uint32_t step = i->sa / sizeof(I);
  const uint64_t limit = x.count < IndexOf<K>::limit ? x.count : IndexOf<K>::limit;
  const uint64_t reach = uint64_t(kBlock - 1) * x.step;
  const bool runs = step != 0 && x.stride * x.step == N * sizeof(typename CellOf<C>::memory) &&
                    in_runs<kBlock>(index, blocks, x.step);
  for (uint32_t n = 0; n < blocks; ++n, index += step) {
    const uint32_t active = m.mask.block(n);
    if (active == 0) continue;
    const uint64_t first = as_index(index[0]);
    if (runs && active == 0xffff && first < limit && reach < limit - first) {
      if constexpr (N == 1) store_packed<C, N>(v, n, x.base + first * x.stride);
      else store_packed_far<C, N>(v, n, x.base + first * x.stride);
    } else {
      scatter<C, K>(v, x, n, index, active);
    }
  }
  return i + 1;
}

// A private array is a slot an element, all of one size.
template <class L, IndexKind K>
VD_RARE const Insn* run_load_private(Machine& m, const Insn* i) {
  using I = typename IndexOf<K>::type;
  const I* index = m.at<I>(i->a);
  L* d = m.at<L>(i->d);
  const L* block = m.at<L>(i->b);
  const uint32_t blocks = m.blocks[1];
  const uint32_t pitch = m.program->strip_blocks * kBlock;
  const uint64_t count = i->c;
  if (i->sa == 0) {
    const uint64_t at = as_index(index[0]);
    for (uint32_t l = 0; l < blocks * kBlock; ++l) d[l] = at < count ? block[at * pitch + l] : L(0);
    return i + 1;
  }
  for (uint32_t l = 0; l < blocks * kBlock; ++l) {
    const uint64_t at = as_index(index[l]);
    d[l] = at < count ? block[at * pitch + l] : L(0);
  }
  return i + 1;
}

template <class L, IndexKind K>
VD_RARE const Insn* run_store_private(Machine& m, const Insn* i) {
  using I = typename IndexOf<K>::type;
  const I* index = m.at<I>(i->a);
  const L* d = m.at<L>(i->d);
  L* block = m.at<L>(i->b);
  const uint32_t blocks = m.blocks[1];
  const uint32_t pitch = m.program->strip_blocks * kBlock;
  const uint32_t step = i->sa / sizeof(I), value_step = i->sc / sizeof(L);
  const uint64_t count = i->c;
  for (uint32_t n = 0; n < blocks; ++n, index += step, d += value_step) {
    const uint32_t active = m.mask.block(n);
    if (step == 0) {
      const uint64_t at = as_index(index[0]);
      if (at < count) blend_block(block + at * pitch + n * kBlock, d, active);
      continue;
    }
    VD_LANES(l, kBlock) {
      const uint64_t at = as_index(index[l]);
      if ((active & 1u << l) != 0 && at < count) block[at * pitch + n * kBlock + l] = d[l];
    }
  }
  return i + 1;
}

// ---- the table ----

constexpr size_t number(Scalar s) { return static_cast<size_t>(s); }

template <class F, Scalar... S>
void add1(OpTable& t, vd_op op) { ((t.pure[size_t(op)][number(S)] = &run1<S, S, F>), ...); }
template <class F, Scalar... S>
void add2(OpTable& t, vd_op op) { ((t.pure[size_t(op)][number(S)] = &run2<S, S, F>), ...); }
template <class F, Scalar... S>
void add3(OpTable& t, vd_op op) { ((t.pure[size_t(op)][number(S)] = &run3<S, S, F>), ...); }
template <class F, Scalar... S>
void add_test(OpTable& t, vd_op op) { ((t.pure[size_t(op)][number(S)] = &run_test<S, F>), ...); }
template <class F, Scalar... S>
void add_test1(OpTable& t, vd_op op) { ((t.pure[size_t(op)][number(S)] = &run1<Scalar::Bool, S, F>), ...); }

// Signed integers whose op is that of the unsigned ones.
void share_unsigned(OpTable& t, vd_op op) {
  Insn::Fn* row = t.pure[size_t(op)];
  row[number(Scalar::I8)] = row[number(Scalar::U8)];
  row[number(Scalar::I16)] = row[number(Scalar::U16)];
  row[number(Scalar::I32)] = row[number(Scalar::U32)];
  row[number(Scalar::I64)] = row[number(Scalar::U64)];
}

template <Scalar From, Scalar... To_>
void add_convert_from(OpTable& t) {
  ((t.convert[number(From)][number(To_)] = &run1<To_, From, To<To_>>), ...);
}
template <Scalar... S>
void add_converts(OpTable& t) { (add_convert_from<S, S...>(t), ...); }

template <class T>
void add_size(OpTable& t, size_t log, std::initializer_list<Scalar> scalars) {
  for (const Scalar s : scalars) {
    t.pure[VD_OP_SELECT][number(s)] = &run_select<T>;
    t.pure[VD_OP_LET][number(s)] = &run_copy<T>;
  }
  t.blend[log] = &run_blend<T>;
  t.load_private[log][0] = &run_load_private<T, IndexKind::I32>;
  t.load_private[log][1] = &run_load_private<T, IndexKind::U32>;
  t.load_private[log][2] = &run_load_private<T, IndexKind::I64>;
  t.store_private[log][0] = &run_store_private<T, IndexKind::I32>;
  t.store_private[log][1] = &run_store_private<T, IndexKind::U32>;
  t.store_private[log][2] = &run_store_private<T, IndexKind::I64>;
}

template <Cell C, IndexKind K, int... N>
void add_memory(OpTable& t) {
  ((t.load[size_t(C)][size_t(K)][N - 1] = &run_load<C, K, N>), ...);
  ((t.store[size_t(C)][size_t(K)][N - 1] = &run_store<C, K, N>), ...);
}
template <Cell... C>
void add_memories(OpTable& t) {
  (add_memory<C, IndexKind::I32, 1, 2, 3, 4>(t), ...);
  (add_memory<C, IndexKind::U32, 1, 2, 3, 4>(t), ...);
  (add_memory<C, IndexKind::I64, 1, 2, 3, 4>(t), ...);
}

#define VD_SIGNED Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64
#define VD_UNSIGNED Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64
#define VD_FLOATS Scalar::F16, Scalar::F32, Scalar::F64

void fill(OpTable& t) {
  add2<AddInt, VD_UNSIGNED>(t, VD_OP_ADD);
  add2<SubInt, VD_UNSIGNED>(t, VD_OP_SUB);
  add2<MulInt, VD_UNSIGNED>(t, VD_OP_MUL);
  add1<NegInt, VD_UNSIGNED>(t, VD_OP_NEG);
  add2<And, Scalar::Bool, VD_UNSIGNED>(t, VD_OP_AND);
  add2<Or, Scalar::Bool, VD_UNSIGNED>(t, VD_OP_OR);
  add2<Xor, Scalar::Bool, VD_UNSIGNED>(t, VD_OP_XOR);
  add1<Not, VD_UNSIGNED>(t, VD_OP_NOT);
  add1<NotBool, Scalar::Bool>(t, VD_OP_NOT);
  add2<Shl, VD_UNSIGNED>(t, VD_OP_SHL);
  add1<Popcount, VD_UNSIGNED>(t, VD_OP_POPCOUNT);
  add1<Clz, VD_UNSIGNED>(t, VD_OP_CLZ);
  add1<Ctz, VD_UNSIGNED>(t, VD_OP_CTZ);
  add1<BitReverse, VD_UNSIGNED>(t, VD_OP_BITREVERSE);
  add_test<Eq, Scalar::Bool, VD_UNSIGNED, VD_FLOATS>(t, VD_OP_EQ);
  add_test<Ne, Scalar::Bool, VD_UNSIGNED, VD_FLOATS>(t, VD_OP_NE);
  for (const vd_op op : {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_NEG, VD_OP_AND, VD_OP_OR, VD_OP_XOR, VD_OP_NOT, VD_OP_SHL,
                         VD_OP_POPCOUNT, VD_OP_CLZ, VD_OP_CTZ, VD_OP_BITREVERSE, VD_OP_EQ, VD_OP_NE}) {
    share_unsigned(t, op);
  }
  add2<AddFloat, VD_FLOATS>(t, VD_OP_ADD);
  add2<SubFloat, VD_FLOATS>(t, VD_OP_SUB);
  add2<MulFloat, VD_FLOATS>(t, VD_OP_MUL);
  add2<DivFloat, VD_FLOATS>(t, VD_OP_DIV);
  add2<DivInt, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_DIV);
  add2<RemInt, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_REM);
  add2<FloorDiv, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_FLOORDIV);
  add2<FloorMod, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_FLOORMOD);
  add1<NegFloat, VD_FLOATS>(t, VD_OP_NEG);
  add1<AbsInt, VD_SIGNED>(t, VD_OP_ABS);
  add1<Same, VD_UNSIGNED>(t, VD_OP_ABS);
  add1<AbsFloat, VD_FLOATS>(t, VD_OP_ABS);
  add1<SignInt, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_SIGN);
  add1<SignFloat, VD_FLOATS>(t, VD_OP_SIGN);
  add2<MinInt, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_MIN);
  add2<MaxInt, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_MAX);
  add2<MinFloat, VD_FLOATS>(t, VD_OP_MIN);
  add2<MaxFloat, VD_FLOATS>(t, VD_OP_MAX);
  add3<ClampInt, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_CLAMP);
  add3<ClampFloat, VD_FLOATS>(t, VD_OP_CLAMP);
  add3<Fma, VD_FLOATS>(t, VD_OP_FMA);
  add2<Shr, VD_SIGNED, VD_UNSIGNED>(t, VD_OP_SHR);
  add_test<Lt, VD_SIGNED, VD_UNSIGNED, VD_FLOATS>(t, VD_OP_LT);
  add_test<Le, VD_SIGNED, VD_UNSIGNED, VD_FLOATS>(t, VD_OP_LE);
  add_test<Gt, VD_SIGNED, VD_UNSIGNED, VD_FLOATS>(t, VD_OP_GT);
  add_test<Ge, VD_SIGNED, VD_UNSIGNED, VD_FLOATS>(t, VD_OP_GE);
  t.pure[VD_OP_LAND][number(Scalar::Bool)] = t.pure[VD_OP_AND][number(Scalar::Bool)];
  t.pure[VD_OP_LOR][number(Scalar::Bool)] = t.pure[VD_OP_OR][number(Scalar::Bool)];
  t.pure[VD_OP_LNOT][number(Scalar::Bool)] = t.pure[VD_OP_NOT][number(Scalar::Bool)];
  add_test1<IsNan, VD_FLOATS>(t, VD_OP_ISNAN);
  add_test1<IsInf, VD_FLOATS>(t, VD_OP_ISINF);
  add1<Floor, VD_FLOATS>(t, VD_OP_FLOOR);
  add1<Ceil, VD_FLOATS>(t, VD_OP_CEIL);
  add1<Trunc, VD_FLOATS>(t, VD_OP_TRUNC);
  add1<RoundEven, VD_FLOATS>(t, VD_OP_ROUND_EVEN);
  add1<Fract, VD_FLOATS>(t, VD_OP_FRACT);
  add2<Mod, VD_FLOATS>(t, VD_OP_MOD);
  add2<StepAt, VD_FLOATS>(t, VD_OP_STEP);
  add3<SmoothStep, VD_FLOATS>(t, VD_OP_SMOOTHSTEP);
  add3<Mix, VD_FLOATS>(t, VD_OP_MIX);
  add1<Radians, VD_FLOATS>(t, VD_OP_RADIANS);
  add1<Degrees, VD_FLOATS>(t, VD_OP_DEGREES);
  add1<Sqrt, VD_FLOATS>(t, VD_OP_SQRT);
  add1<Rsqrt, VD_FLOATS>(t, VD_OP_RSQRT);
  add_converts<Scalar::Bool, VD_SIGNED, VD_UNSIGNED, VD_FLOATS>(t);

  add_size<uint8_t>(t, 0, {Scalar::Bool, Scalar::I8, Scalar::U8});
  add_size<uint16_t>(t, 1, {Scalar::I16, Scalar::U16});
  add_size<uint32_t>(t, 2, {Scalar::I32, Scalar::U32, Scalar::F16, Scalar::F32});
  add_size<uint64_t>(t, 3, {Scalar::I64, Scalar::U64, Scalar::F64});
  // Bit casts between scalars of one size are copies, but f16 is not kept as its own bits.
  for (size_t s = 0; s < kScalars; ++s) t.pure[VD_OP_BITCAST][s] = t.pure[VD_OP_LET][s];
  t.pure[VD_OP_BITCAST][number(Scalar::F16)] = &run1<Scalar::U16, Scalar::F16, BitsOfHalf>;
  t.half_of_bits = &run1<Scalar::F16, Scalar::U16, HalfOfBits>;
  add_memories<Cell::Bytes1, Cell::Bytes2, Cell::Bytes4, Cell::Bytes8, Cell::Half, Cell::Bool>(t);
}

}  // namespace
