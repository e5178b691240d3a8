// Lanes: one invocation each. A strip is at most kStrip invocations of a workgroup that run in lock step; its
// temporaries stay in the first-level cache. Loops over lanes run in blocks of kBlock, which is one vector register of
// 32-bit lanes on the widest machines.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "ir/type.h"

namespace vd::host {

inline constexpr uint32_t kBlock = 16;
inline constexpr uint32_t kStrip = 128;
inline constexpr uint32_t kSubgroup = 32;
inline constexpr uint32_t kMaxInvocations = 1024;  // of a workgroup; as on GPUs, so that their kernels run here, too
inline constexpr uint32_t kMaxBlocks = kStrip / kBlock;

// The layout of a scalar in a lane: bool is a byte, 0 or 1; f16 is a float that holds a value of f16.
template <ir::Scalar S>
struct LaneOf;
template <>
struct LaneOf<ir::Scalar::Bool> {
  using type = uint8_t;
};
template <>
struct LaneOf<ir::Scalar::I8> {
  using type = int8_t;
};
template <>
struct LaneOf<ir::Scalar::I16> {
  using type = int16_t;
};
template <>
struct LaneOf<ir::Scalar::I32> {
  using type = int32_t;
};
template <>
struct LaneOf<ir::Scalar::I64> {
  using type = int64_t;
};
template <>
struct LaneOf<ir::Scalar::U8> {
  using type = uint8_t;
};
template <>
struct LaneOf<ir::Scalar::U16> {
  using type = uint16_t;
};
template <>
struct LaneOf<ir::Scalar::U32> {
  using type = uint32_t;
};
template <>
struct LaneOf<ir::Scalar::U64> {
  using type = uint64_t;
};
template <>
struct LaneOf<ir::Scalar::F16> {
  using type = float;
};
template <>
struct LaneOf<ir::Scalar::F32> {
  using type = float;
};
template <>
struct LaneOf<ir::Scalar::F64> {
  using type = double;
};
template <ir::Scalar S>
using lane_t = typename LaneOf<S>::type;

// Bytes of a scalar in a lane.
constexpr uint32_t lane_size(ir::Scalar s) {
  switch (s) {
    case ir::Scalar::None:
      return 0;
    case ir::Scalar::Bool:
    case ir::Scalar::I8:
    case ir::Scalar::U8:
      return 1;
    case ir::Scalar::I16:
    case ir::Scalar::U16:
      return 2;
    case ir::Scalar::I64:
    case ir::Scalar::U64:
    case ir::Scalar::F64:
      return 8;
    default:
      return 4;
  }
}

// The active lanes of a strip.
struct Mask {
  // A plain array: this is used in code for several instruction sets, which must not share a function.
  static constexpr uint32_t kWords = kStrip / 64;
  uint64_t word[kWords] = {};

  static Mask first(uint32_t count) {
    Mask m;
    for (uint64_t& w : m.word) {
      w = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
      count -= count >= 64 ? 64 : count;
    }
    return m;
  }
  bool none() const {
    uint64_t all = 0;
    for (const uint64_t w : word) all |= w;
    return all == 0;
  }
  bool has(uint32_t lane) const { return (word[lane / 64] >> (lane % 64) & 1) != 0; }
  uint32_t block(uint32_t b) const { return static_cast<uint32_t>(word[b / 4] >> (b % 4 * kBlock)) & 0xffffu; }
  uint32_t subgroup(uint32_t s) const { return static_cast<uint32_t>(word[s / 2] >> (s % 2 * kSubgroup)); }
  uint32_t count() const {
    uint32_t n = 0;
    for (const uint64_t w : word) n += static_cast<uint32_t>(std::popcount(w));
    return n;
  }
  // Calls f(lane) for each active lane, in order.
  template <class F>
  void each(F&& f) const {
    for (uint32_t k = 0; k < kWords; ++k) {
      for (uint64_t w = word[k]; w != 0; w &= w - 1) f(k * 64 + static_cast<uint32_t>(std::countr_zero(w)));
    }
  }
  Mask& operator&=(const Mask& o) {
    for (uint32_t k = 0; k < kWords; ++k) word[k] &= o.word[k];
    return *this;
  }
  Mask& operator|=(const Mask& o) {
    for (uint32_t k = 0; k < kWords; ++k) word[k] |= o.word[k];
    return *this;
  }
  Mask& remove(const Mask& o) {
    for (uint32_t k = 0; k < kWords; ++k) word[k] &= ~o.word[k];
    return *this;
  }
  friend Mask operator&(Mask a, const Mask& b) { return a &= b; }
  friend bool operator==(const Mask&, const Mask&) = default;
};

}  // namespace vd::host
