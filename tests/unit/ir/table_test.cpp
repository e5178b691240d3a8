// The op table, types, their names and memory layout.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "ir/evaluate.h"
#include "ir/half.h"
#include "ir/op.h"
#include "ir/type_rules.h"
#include "support/samples.h"
#include "unit/ir/write.h"

namespace vd::ir::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Types, AreShownByTheirNames) {
  TypeTable types;
  const Type array = types.array(kF32, 4);
  EXPECT_EQ(shown_type(Type()), "0");
  EXPECT_EQ(shown_type(Type(VD_TYPE_F32X2)), "f32x2");
  EXPECT_EQ(shown_type(kF32.in(Space::Private)), "private f32");
  EXPECT_EQ(shown_type(array, types), "f32[4]");
  // An array of no table, and numbers that are no type.
  EXPECT_EQ(shown_type(array), fmt::format("{:#x}", array.bits()));
  EXPECT_EQ(shown_type(Type(0xFFu)), "0xff");
}

TEST(OpTable, NamesAreUniqueAndFindTheirOp) {
  std::set<std::string> names;
  for (const OpInfo& info : all_ops()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    // Ops of ours are no words of the text form.
    EXPECT_EQ(find_op(info.name), !info.has(kInternal) ? &op_info(info.op) : nullptr) << info.name;
    EXPECT_GE(info.max_operands, info.min_operands) << info.name;
    const std::string doc = info.doc;
    EXPECT_TRUE(doc.ends_with('.') || doc.ends_with('?')) << info.name;
  }
  EXPECT_EQ(find_op("no_such_op"), nullptr);
  EXPECT_EQ(status_of([] { op_info(static_cast<Op>(5000)); }), VD_ERR_INVALID);
}

TEST(OpTable, ClassesAreThoseOfTheNames) {
  std::set<std::string> loops, barriers;
  for (const OpInfo& info : all_ops()) {
    const std::string name = info.name;
    const bool barrier = name.ends_with("barrier");
    EXPECT_EQ(is_atomic(info.op), name.starts_with("atomic_")) << name;
    EXPECT_EQ(is_subgroup(info.op), name.starts_with("subgroup_")) << name;
    EXPECT_EQ(is_lane_exchange(info.op), name.starts_with("subgroup_") && !barrier) << name;
    EXPECT_EQ(info.has(kConvergent), is_subgroup(info.op) || barrier) << name;
    EXPECT_EQ(info.has(kInternal), info.id[0] == 'k') << name;
    if (is_loop(info.op)) loops.insert(name);
    if (is_workgroup_barrier(info.op)) barriers.insert(name);
  }
  EXPECT_EQ(loops, (std::set<std::string>{"while", "loop", "for"}));
  EXPECT_EQ(barriers, (std::set<std::string>{"barrier", "cluster_barrier"}));
  EXPECT_FALSE(is_public(static_cast<Op>(5000)));
  for (uint32_t b = 0; b < kBuiltinCount; ++b)
    EXPECT_EQ(is_subgroup_builtin(b), std::string(builtin_name(b)).find("subgroup") != std::string::npos) << b;
  EXPECT_FALSE(is_subgroup_builtin(kBuiltinCount));
}

TEST(OpTable, OperandsAreCountedByTheirNames) {
  const auto count = [](Op op) { return std::pair(op_info(op).min_operands, op_info(op).max_operands); };
  EXPECT_EQ(count(VD_OP_BARRIER), std::pair(0u, 0u));
  EXPECT_EQ(count(VD_OP_CLAMP), std::pair(3u, 3u));
  EXPECT_EQ(count(VD_OP_VAR), std::pair(0u, 1u));
  EXPECT_EQ(count(VD_OP_ASSERT), std::pair(1u, 2u));
  EXPECT_EQ(count(VD_OP_CONSTRUCT), std::pair(1u, 65535u));
  EXPECT_EQ(count(VD_OP_PRINTF), std::pair(1u, 65535u));
}

TEST(OpTable, AWeakerNativeBoundIsStated) {
  for (const OpInfo& info : all_ops()) {
    if (info.native_ulp == -1 && info.precise_ulp >= 0 && info.op != VD_OP_FMA && info.op != VD_OP_CIS) {
      EXPECT_THAT(info.doc, HasSubstr("ative")) << info.name;
    }
  }
}

TEST(Types, NamesParseBack) {
  for (uint32_t s = 1; s <= 12; ++s) {
    const auto scalar = static_cast<Scalar>(s);
    for (uint32_t n = 1; n <= 4; ++n)
      EXPECT_EQ(parse_type(type_name(Type::vector(scalar, n))), Type::vector(scalar, n));
  }
  EXPECT_EQ(type_name(Type::complex(Scalar::F16)), "complex_f16");
  EXPECT_EQ(type_name(Type::matrix(Scalar::F32, 3, 3)), "f32m3");
  EXPECT_EQ(parse_type("f64m2x4"), Type::matrix(Scalar::F64, 2, 4));
  for (const char* none : {"", "f", "f33", "f32x", "f32x5", "f32x22", "i32m2", "complex_i32", "f32m5", "x3"}) {
    EXPECT_TRUE(parse_type(none).none()) << none;
  }
}

TEST(Types, PublicNumbersAreTheClass) {
  EXPECT_EQ(Type::vector(Scalar::F32, 3).bits(), VD_TYPE_F32X3);
  EXPECT_EQ(Type::complex(Scalar::F64).bits(), VD_TYPE_COMPLEX_F64);
  EXPECT_EQ(Type::matrix(Scalar::F32, 4, 4).bits(), VD_TYPE_F32M4);
}

TEST(Types, LayoutIsScalarBlockLayout) {
  TypeTable types;
  EXPECT_EQ(types.size(Type::vector(Scalar::F32, 3)), 12u);
  EXPECT_EQ(types.align(Type::vector(Scalar::F32, 3)), 4u);
  EXPECT_EQ(types.size(Type::matrix(Scalar::F32, 3, 3)), 36u);
  EXPECT_EQ(types.size(Type::complex(Scalar::F16)), 4u);
  const Type s =
      types.structure("s", {{kF16, "h", 0}, {Type::vector(Scalar::F32, 3), "v", 0}, {kF64, "d", 0}, {kU32, "u", 0}});
  const auto& info = types.get_struct(s);
  EXPECT_EQ(info.fields[1].offset, 4u);
  EXPECT_EQ(info.fields[2].offset, 16u);
  EXPECT_EQ(info.fields[3].offset, 24u);
  EXPECT_EQ(info.size, 32u);
  EXPECT_EQ(types.size(types.array(s, 3)), 96u);
  EXPECT_EQ(types.name(types.array(s, 3)), "s[3]");
  EXPECT_EQ(types.array(kF32, 4), types.array(kF32, 4));
}

TEST(Types, BogusBitsAreNotValid) {
  TypeTable types;
  for (const uint32_t bits :
       {0x0u, 0xdu, 0x80000004u, 0x5104u, 0x204u, 0x2230au, 0x12104u, 0x400u, 0x500u, 0x70000004u, 0xf00u}) {
    EXPECT_FALSE(types.is_valid(Type(bits))) << std::hex << bits;
  }
}

TEST(Types, TablesRefuseWhatCannotBe) {
  TypeTable types;
  EXPECT_EQ(status_of([&] { types.array(Type(), 3); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { types.array(kF32, 0x7fffffff); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { types.structure("e", {}); }), VD_ERR_INVALID);
  Type t = kF32;
  EXPECT_EQ(status_of([&] {
              for (int i = 0; i < 100; ++i) t = types.array(t, 1);
            }),
            VD_ERR_INVALID);
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(double_to_half(1.0), 0x3c00);
  EXPECT_EQ(double_to_half(-2.0), 0xc000);
  EXPECT_EQ(double_to_half(65504.0), 0x7bff);
  EXPECT_EQ(double_to_half(65519.99), 0x7bff);
  EXPECT_EQ(double_to_half(65520.0), 0x7c00);
  EXPECT_EQ(double_to_half(0x1p-24), 0x0001);
  EXPECT_EQ(double_to_half(0x1p-25), 0x0000);
  EXPECT_EQ(double_to_half(0x1.8p-25), 0x0001);
  EXPECT_EQ(double_to_half(1 + 0x1p-11), 0x3c00);
  EXPECT_EQ(double_to_half(1 + 0x1.8p-10), 0x3c02);
  EXPECT_EQ(double_to_half(std::nan("")) & 0x7e00, 0x7e00);
}

TEST(Half, EveryValueSurvivesARoundTrip) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float value = half_to_float(static_cast<uint16_t>(h));
    if (std::isnan(value)) continue;
    EXPECT_EQ(double_to_half(static_cast<double>(value)), h);
  }
}

uint64_t eval(Op op, Scalar s, std::initializer_list<uint64_t> args, Scalar to = Scalar::None) {
  uint64_t result = 0;
  EXPECT_TRUE(evaluate(op, s, to == Scalar::None ? s : to, std::vector<uint64_t>(args), result));
  return result;
}
uint64_t i32(int64_t v) { return static_cast<uint32_t>(v); }
uint64_t f32(float v) { return std::bit_cast<uint32_t>(v); }

TEST(Evaluate, DivisionIsDefinedEverywhere) {
  const uint64_t least = 0x80000000u;
  EXPECT_EQ(eval(VD_OP_DIV, Scalar::I32, {i32(7), 0}), i32(7));
  EXPECT_EQ(eval(VD_OP_REM, Scalar::I32, {i32(7), 0}), 0u);
  EXPECT_EQ(eval(VD_OP_DIV, Scalar::I32, {least, i32(-1)}), least);
  EXPECT_EQ(eval(VD_OP_REM, Scalar::I32, {least, i32(-1)}), 0u);
  EXPECT_EQ(eval(VD_OP_DIV, Scalar::U8, {200, 0}), 200u);
  EXPECT_EQ(eval(VD_OP_DIV, Scalar::I64, {uint64_t{1} << 63, ~uint64_t{0}}), uint64_t{1} << 63);
  EXPECT_EQ(eval(VD_OP_DIV, Scalar::I8, {0x80, 0xff}), 0x80u);
}

TEST(Evaluate, FloorDivisionIsPythons) {
  for (int a = -9; a <= 9; ++a) {
    for (int b = -4; b <= 4; ++b) {
      if (b == 0) continue;
      const auto quotient = static_cast<int>(std::floor(static_cast<double>(a) / b));
      EXPECT_EQ(eval(VD_OP_FLOORDIV, Scalar::I32, {i32(a), i32(b)}), i32(quotient));
      EXPECT_EQ(eval(VD_OP_FLOORMOD, Scalar::I32, {i32(a), i32(b)}), i32(a - quotient * b));
    }
  }
  EXPECT_EQ(eval(VD_OP_FLOORDIV, Scalar::I32, {i32(-7), 0}), i32(-7));
  EXPECT_EQ(eval(VD_OP_FLOORMOD, Scalar::I32, {i32(-7), 0}), 0u);
}

TEST(Evaluate, ShiftsAreMasked) {
  EXPECT_EQ(eval(VD_OP_SHL, Scalar::U32, {1, 33}), 2u);
  EXPECT_EQ(eval(VD_OP_SHR, Scalar::I16, {0x8000, 1}), 0xc000u);
  EXPECT_EQ(eval(VD_OP_SHR, Scalar::U64, {8, 64}), 8u);
}

TEST(Evaluate, ConversionsSaturateAndWrap) {
  const auto convert = [](Scalar from, Scalar to, uint64_t bits) { return eval(VD_OP_CONVERT, from, {bits}, to); };
  EXPECT_EQ(convert(Scalar::F32, Scalar::I32, f32(3e9F)), 0x7fffffffu);
  EXPECT_EQ(convert(Scalar::F32, Scalar::I32, f32(-3e9F)), 0x80000000u);
  EXPECT_EQ(convert(Scalar::F32, Scalar::I32, f32(-1.9F)), i32(-1));
  EXPECT_EQ(convert(Scalar::F32, Scalar::U32, f32(-1.9F)), 0u);
  EXPECT_EQ(convert(Scalar::F32, Scalar::U8, f32(255.9F)), 255u);
  EXPECT_EQ(convert(Scalar::F32, Scalar::U64, f32(INFINITY)), ~uint64_t{0});
  EXPECT_EQ(convert(Scalar::F32, Scalar::I32, f32(NAN)), 0u);
  EXPECT_EQ(convert(Scalar::I32, Scalar::U8, i32(-1)), 255u);
  EXPECT_EQ(convert(Scalar::I8, Scalar::I64, 0x80), static_cast<uint64_t>(-128));
  EXPECT_EQ(convert(Scalar::U64, Scalar::F32, ~uint64_t{0}), f32(18446744073709551616.0F));
  EXPECT_EQ(convert(Scalar::Bool, Scalar::F32, 1), f32(1));
  EXPECT_EQ(convert(Scalar::F32, Scalar::Bool, f32(-0.0F)), 0u);
  EXPECT_EQ(convert(Scalar::F32, Scalar::Bool, f32(NAN)), 1u);
}

TEST(Evaluate, MinAndMaxSkipNan) {
  EXPECT_EQ(eval(VD_OP_MIN, Scalar::F32, {f32(NAN), f32(2)}), f32(2));
  EXPECT_EQ(eval(VD_OP_MAX, Scalar::F32, {f32(2), f32(NAN)}), f32(2));
  EXPECT_EQ(eval(VD_OP_CLAMP, Scalar::F32, {f32(NAN), f32(1), f32(2)}), f32(1));
  EXPECT_EQ(eval(VD_OP_MIN, Scalar::I8, {0x80, 1}), 0x80u);
  EXPECT_EQ(eval(VD_OP_SIGN, Scalar::F32, {f32(NAN)}), f32(0));
}

TEST(Evaluate, BitsOfNarrowTypes) {
  EXPECT_EQ(eval(VD_OP_CLZ, Scalar::U8, {0}), 8u);
  EXPECT_EQ(eval(VD_OP_CLZ, Scalar::U16, {1}), 15u);
  EXPECT_EQ(eval(VD_OP_CTZ, Scalar::U16, {0}), 16u);
  EXPECT_EQ(eval(VD_OP_BITREVERSE, Scalar::U8, {1}), 0x80u);
  EXPECT_EQ(eval(VD_OP_POPCOUNT, Scalar::I32, {i32(-1)}), 32u);
  EXPECT_EQ(eval(VD_OP_NOT, Scalar::U8, {0}), 255u);
}

TEST(TypeRules, EveryOpRefusesNothingAtAllAndNonsense) {
  // No combination of types may do worse than throw VD_ERR_INVALID.
  TypeTable types;
  const Type array = types.array(kF32, 0).in(Space::Storage);
  const Type record = types.structure("s", {{kF32, "x", 0}});
  const std::vector<Type> all = {kBool,
                                 kI32,
                                 kU64,
                                 kF16,
                                 kF32,
                                 Type::vector(Scalar::F32, 3),
                                 Type::vector(Scalar::Bool, 2),
                                 Type::complex(Scalar::F32),
                                 Type::matrix(Scalar::F32, 2, 3),
                                 array,
                                 record,
                                 record.in(Space::Private),
                                 kF32.in(Space::Uniform),
                                 kU32.in(Space::Storage),
                                 Type::string(),
                                 Type()};
  size_t turn = 0;  // of what a short form takes
  for (const OpInfo& info : all_ops()) {
    for (const Type a : all) {
      ++turn;
      for (size_t i = 0; i < vd::test::samples(all.size()); ++i) {
        const Type b = all[(i + turn) % all.size()];
        for (const Type given : {Type(), Type(0xffffffffu)}) {
          for (const uint64_t immediate : {uint64_t{0}, uint64_t{0x111}}) {
            const Type list[] = {a, b, b};
            for (size_t n = 0; n <= 3; ++n) {
              try {
                result_type(types, info.op, given, {list, n}, immediate);
              } catch (const Error& error) {
                ASSERT_EQ(error.status(), VD_ERR_INVALID) << error.what();
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace vd::ir::testing
