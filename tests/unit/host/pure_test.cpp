// Every op over lanes, of every instruction set that this machine has, against the meaning that the IR gives it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "backends/host/half.h"
#include "backends/host/pure.h"
#include "ir/evaluate.h"
#include "ir/half.h"
#include "ir/op.h"
#include "ir/type_rules.h"

namespace vd::host {
namespace {

using ir::Scalar;

constexpr Scalar kAll[] = {Scalar::Bool, Scalar::I8,  Scalar::I16, Scalar::I32, Scalar::I64, Scalar::U8,
                           Scalar::U16,  Scalar::U32, Scalar::U64, Scalar::F16, Scalar::F32, Scalar::F64};

uint64_t lane_bits(Scalar s, const std::byte* lane) {
  uint64_t bits = 0;
  std::memcpy(&bits, lane, lane_size(s));
  return s == Scalar::F16 ? half_bits(std::bit_cast<float>(static_cast<uint32_t>(bits))) : bits;
}
void put_lane(Scalar s, std::byte* lane, uint64_t bits) {
  if (s == Scalar::F16) bits = std::bit_cast<uint32_t>(ir::half_to_float(static_cast<uint16_t>(bits)));
  std::memcpy(lane, &bits, lane_size(s));
}

bool is_float(Scalar s) { return ir::Type(s).is_float(); }
bool is_nan(Scalar s, uint64_t bits) { return is_float(s) && std::isnan(ir::float_value(s, bits)); }

// Values at the edges, then random ones.
uint64_t sample(Scalar s, std::mt19937_64& random) {
  if (s == Scalar::Bool) return random() & 1;
  const uint64_t kind = random() % 3;
  if (is_float(s)) {
    constexpr double special[] = {0.0,          -0.0,  1.0,     -1.0,    0.5,      1.5,      2.5,          -2.5,
                                  3.0,          1e-3,  65504.0, 65520.0, 1e9,      -1e20,    2147483647.0, 2147483648.0,
                                  4294967296.0, 1e300, 0x1p-24, 0x1p-25, 0x1p-149, INFINITY, -INFINITY,    NAN};
    if (kind == 0) return ir::float_bits(s, special[random() % std::size(special)]);
    if (kind == 1) return ir::float_bits(s, std::uniform_real_distribution<double>(-100, 100)(random));
    const uint64_t bits =
        random() & (ir::scalar_bits(s) == 64 ? ~uint64_t{0} : (uint64_t{1} << ir::scalar_bits(s)) - 1);
    // Signalling NaNs are not compared: libraries differ.
    return is_nan(s, bits) ? ir::float_bits(s, NAN) : bits;
  }
  const uint64_t mask = ir::scalar_bits(s) == 64 ? ~uint64_t{0} : (uint64_t{1} << ir::scalar_bits(s)) - 1;
  const uint64_t top = (mask >> 1) + 1;
  const uint64_t special[] = {0, 1, 2, 3, 7, mask, mask - 1, top, top - 1, top + 1, 10, mask - 9};
  if (kind == 0) return special[random() % std::size(special)];
  if (kind == 1) return random() % 64 & mask;
  return random() & mask;
}

class PureTest : public testing::TestWithParam<const char*> {
 protected:
  PureTest() : table_(find_table(GetParam())) {
    frame_.resize(1 << 16);
    program_.strip_blocks = kMaxBlocks;
    m_.frame = frame_.data() + (64 - reinterpret_cast<uintptr_t>(frame_.data()) % 64);
    m_.program = &program_;
    m_.blocks = {1, kMaxBlocks};
    m_.mask = Mask::first(kStrip);
  }
  void SetUp() override {
    if (table_ == nullptr) GTEST_SKIP() << "this processor has no " << GetParam();
  }

  // Runs `fn` on random operands, uniform ones as `uniform` has bits, and compares each lane with `expect`.
  template <class F>
  void compare(Insn::Fn fn, const std::vector<Scalar>& from, Scalar to, uint32_t uniform, const std::string& what,
               F&& expect) {
    constexpr uint32_t kSlot = kStrip * 8;
    const bool all_uniform = uniform + 1 == 1u << from.size();
    Insn i;
    i.fn = fn;
    i.varying = all_uniform ? 0 : 1;
    i.d = 3 * kSlot;
    uint64_t values[3][kStrip];
    uint32_t offsets[3] = {};
    uint16_t steps[3] = {};
    for (uint32_t k = 0; k < from.size(); ++k) {
      const bool one = (uniform >> k & 1) != 0;
      const uint64_t value = sample(from[k], random_);
      for (uint32_t l = 0; l < kStrip; ++l) {
        values[k][l] = one ? value : sample(from[k], random_);
        put_lane(from[k], m_.frame + k * kSlot + l * lane_size(from[k]), values[k][l]);
      }
      offsets[k] = k * kSlot;
      steps[k] = static_cast<uint16_t>(one ? 0 : lane_size(from[k]) * kBlock);
    }
    i.a = offsets[0];
    i.b = offsets[1];
    i.c = offsets[2];
    i.sa = steps[0];
    i.sb = steps[1];
    i.sc = steps[2];
    ASSERT_EQ(fn(m_, &i), &i + 1);
    for (uint32_t l = 0; l < (all_uniform ? kBlock : kStrip); ++l) {
      uint64_t args[3] = {};
      for (uint32_t k = 0; k < from.size(); ++k) args[k] = values[k][l];
      uint64_t wanted = 0;
      if (!expect(std::span<const uint64_t>(args, from.size()), wanted)) return;
      const uint64_t got = lane_bits(to, m_.frame + i.d + l * lane_size(to));
      if (is_nan(to, wanted) && is_nan(to, got)) continue;
      // Zeros of either sign count as equal where the op says so.
      if (is_float(to) && ir::float_value(to, got) == 0 && ir::float_value(to, wanted) == 0 && zeros_equal_) continue;
      ASSERT_EQ(got, wanted) << what << " of " << std::hex << args[0] << ", " << args[1] << ", " << args[2];
    }
  }

  const OpTable* table_;
  std::vector<std::byte> frame_;
  Program program_;
  Machine m_;
  std::mt19937_64 random_{1};
  bool zeros_equal_ = false;
};

TEST_P(PureTest, OpsAreAsTheIrDefinesThem) {
  int covered = 0;
  for (const ir::OpInfo& info : ir::all_ops()) {
    const auto number = static_cast<size_t>(info.op);
    if (number >= kPureOps || info.op == VD_OP_LET || info.op == VD_OP_BITCAST) continue;
    zeros_equal_ = info.op == VD_OP_MIN || info.op == VD_OP_MAX || info.op == VD_OP_CLAMP;
    for (const Scalar s : kAll) {
      const Insn::Fn fn = table_->pure[number][static_cast<size_t>(s)];
      if (fn == nullptr) continue;
      std::vector<Scalar> from(info.min_operands, s);
      Scalar to = s;
      if (info.op == VD_OP_SELECT)
        from[0] = Scalar::Bool;
      else if (info.result == ir::ResultRule::Comparison)
        to = Scalar::Bool;
      for (uint32_t uniform = 0; uniform < 1u << from.size(); ++uniform) {
        for (int turn = 0; turn < 4; ++turn) {
          compare(fn, from, to, uniform, fmt::format("{} {}", info.name, ir::type_name(ir::Type(s))),
                  [&](std::span<const uint64_t> args, uint64_t& wanted) {
                    return ir::evaluate(info.op, s, to, args, wanted);
                  });
          if (HasFatalFailure()) return;
        }
      }
      ++covered;
    }
  }
  EXPECT_GT(covered, 250);
}

TEST_P(PureTest, EveryConversionIsAsTheIrDefinesIt) {
  for (const Scalar from : kAll) {
    for (const Scalar to : kAll) {
      const Insn::Fn fn = table_->convert[static_cast<size_t>(from)][static_cast<size_t>(to)];
      ASSERT_NE(fn, nullptr);
      for (int turn = 0; turn < 16; ++turn) {
        compare(fn, {from}, to, turn == 0,
                fmt::format("{} to {}", ir::type_name(ir::Type(from)), ir::type_name(ir::Type(to))),
                [&](std::span<const uint64_t> args, uint64_t& wanted) {
                  return ir::evaluate(VD_OP_CONVERT, from, to, args, wanted);
                });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(PureTest, MathIsTheLibrarysRoundedOnce) {
  struct Case {
    vd_op op;
    double (*one)(double);
    double (*two)(double, double);
  };
  const Case cases[] = {
      {VD_OP_EXP, std::exp, nullptr},     {VD_OP_EXP2, std::exp2, nullptr},   {VD_OP_LOG, std::log, nullptr},
      {VD_OP_LOG2, std::log2, nullptr},   {VD_OP_SIN, std::sin, nullptr},     {VD_OP_COS, std::cos, nullptr},
      {VD_OP_TAN, std::tan, nullptr},     {VD_OP_ASIN, std::asin, nullptr},   {VD_OP_ACOS, std::acos, nullptr},
      {VD_OP_ATAN, std::atan, nullptr},   {VD_OP_SINH, std::sinh, nullptr},   {VD_OP_COSH, std::cosh, nullptr},
      {VD_OP_TANH, std::tanh, nullptr},   {VD_OP_ASINH, std::asinh, nullptr}, {VD_OP_ACOSH, std::acosh, nullptr},
      {VD_OP_ATANH, std::atanh, nullptr}, {VD_OP_POW, nullptr, std::pow},     {VD_OP_ATAN2, nullptr, std::atan2}};
  for (const Case& c : cases) {
    for (const Scalar s : {Scalar::F16, Scalar::F32, Scalar::F64}) {
      for (uint32_t uniform = 0; uniform < (c.one != nullptr ? 2u : 4u); ++uniform) {
        compare(table_->pure[c.op][static_cast<size_t>(s)], std::vector<Scalar>(c.one != nullptr ? 1 : 2, s), s,
                uniform, ir::op_info(c.op).name, [&](std::span<const uint64_t> args, uint64_t& wanted) {
                  const double a = ir::float_value(s, args[0]);
                  wanted = ir::float_bits(s, c.one != nullptr ? c.one(a) : c.two(a, ir::float_value(s, args[1])));
                  return true;
                });
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(PureTest, BlendKeepsLanesThatAreNotActive) {
  for (const size_t log : {0u, 1u, 2u, 3u}) {
    const uint32_t size = 1u << log;
    for (Mask& mask : std::vector<Mask>{Mask{}, Mask::first(kStrip), Mask::first(37), Mask{{0x123456789abcdef0u, 7}}}) {
      m_.mask = mask;
      for (uint32_t l = 0; l < kStrip; ++l) {
        std::memset(m_.frame + l * size, 0x11, size);
        std::memset(m_.frame + 4096 + l * size, static_cast<int>(l), size);
      }
      Insn i;
      i.a = 4096;
      i.sa = static_cast<uint16_t>(size * kBlock);
      i.varying = 1;
      table_->blend[log](m_, &i);
      for (uint32_t l = 0; l < kStrip; ++l) {
        ASSERT_EQ(static_cast<uint32_t>(m_.frame[l * size]), mask.has(l) ? l : 0x11u) << l;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, PureTest, testing::Values("base", "avx2", "avx512"),
                         [](const auto& info) { return std::string(info.param); });

TEST(HostHalf, ConvertsEveryValueThereAndBack) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const auto bits = static_cast<uint16_t>(h);
    const float value = half_value(bits);
    const float other = ir::half_to_float(bits);
    if (std::isnan(other)) {
      ASSERT_TRUE(std::isnan(value));
      ASSERT_EQ(half_bits(value) & 0x7c00, 0x7c00);
      continue;
    }
    ASSERT_EQ(std::bit_cast<uint32_t>(value), std::bit_cast<uint32_t>(other)) << h;
    ASSERT_EQ(half_bits(value), bits);
    ASSERT_EQ(round_to_half(value), value);
  }
}

TEST(HostHalf, RoundsToNearestEven) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000000; ++i) {
    const double x =
        std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random), static_cast<int>(random() % 48) - 30);
    ASSERT_EQ(half_bits(round_to_half(x)), ir::double_to_half(x)) << x;
    const auto f = static_cast<float>(x);
    ASSERT_EQ(half_bits(round_to_half(f)), ir::double_to_half(f)) << f;
  }
}

}  // namespace
}  // namespace vd::host
