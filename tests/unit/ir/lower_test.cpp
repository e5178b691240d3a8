// Lowered ops against what they mean: complex numbers, matrices, geometry, integer division, conversions, bit casts.
#include "ir/passes/lower.h"

#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <functional>
#include <random>
#include <set>

#include "ir/evaluate.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "unit/ir/run.h"
#include "unit/ir/write.h"

namespace vd::ir::testing {
namespace {

using ::testing::ElementsAre;

constexpr Type kC32 = Type::complex(Scalar::F32);

// Ops that nothing after lowering may hold.
const std::set<Op> kGone = {
    VD_OP_SWIZZLE,   VD_OP_ANY,         VD_OP_ALL,     VD_OP_FLOORDIV,   VD_OP_FLOORMOD,  VD_OP_CLAMP,   VD_OP_SIGN,
    VD_OP_FRACT,     VD_OP_MOD,         VD_OP_STEP,    VD_OP_SMOOTHSTEP, VD_OP_MIX,       VD_OP_RADIANS, VD_OP_DEGREES,
    VD_OP_DOT,       VD_OP_CROSS,       VD_OP_LENGTH,  VD_OP_DISTANCE,   VD_OP_NORMALIZE, VD_OP_CONJ,    VD_OP_CIS,
    VD_OP_TRANSPOSE, VD_OP_DETERMINANT, VD_OP_INVERSE, VD_OP_OUTER,      VD_OP_MATMUL};

void expect_lowered(const Kernel& kernel) {
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    EXPECT_FALSE(kGone.contains(inst.op)) << op_info(inst.op).name;
    const bool moves =
        inst.op == VD_OP_LOAD || inst.op == VD_OP_CONSTRUCT || inst.op == VD_OP_INDEX || inst.op == VD_OP_VAR;
    if (inst.type.is_complex() || inst.type.is_matrix()) {
      EXPECT_TRUE(moves) << op_info(inst.op).name;
    }
  });
}

// Runs out[0] = f(element 0 of each input) lowered. Inputs are given as bytes, one a type.
struct Input {
  Type type;
  std::vector<std::byte> bytes;
};
template <class T>
Input in(Type type, std::vector<T> values) {
  return {type, bytes_of(values)};
}
std::vector<std::byte> lowered(Type result, const std::vector<Input>& inputs,
                               const std::function<vd_value(Write&, const std::vector<vd_value>&)>& f) {
  Write w;
  const vd_value out = w.buffer(result);
  std::vector<vd_value> args;
  for (const Input& input : inputs) args.push_back(w.op(VD_OP_LOAD, {w.index(w.buffer(input.type), 0)}));
  w.store(w.index(out, 0), f(w, args));
  Kernel kernel = w.finish();
  lower(kernel);
  verify(kernel);
  expect_lowered(kernel);
  Memory memory;
  memory.arguments.emplace_back(kernel.types.size(result));
  for (const Input& input : inputs) memory.arguments.push_back(input.bytes);
  run(kernel, memory);
  return memory.arguments[0];
}
std::vector<std::byte> lowered(Type result, const std::vector<Input>& inputs, Op op, uint64_t immediate = 0) {
  return lowered(result, inputs, [&](Write& w, const std::vector<vd_value>& args) {
    return w.b->emit(op, result, args, immediate, 0);
  });
}

std::complex<float> complex_of(const std::vector<std::byte>& bytes) {
  const auto v = values_of<float>(bytes);
  return {v.at(0), v.at(1)};
}
Input z(std::complex<float> value) { return in<float>(kC32, {value.real(), value.imag()}); }

void expect_near(std::complex<float> a, std::complex<float> b, float tolerance = 2e-6F) {
  EXPECT_LE(std::abs(a - b), tolerance * std::max(1.0F, std::abs(b))) << a << " " << b;
}

TEST(LowerComplex, ArithmeticAndFunctions) {
  const std::vector<std::complex<float>> values = {{1, 2}, {-3, 0.5F}, {0, -2}, {4, 0}, {-4, 0}, {-1e-3F, -7}};
  for (const auto a : values) {
    expect_near(complex_of(lowered(kC32, {z(a)}, VD_OP_EXP)), std::exp(a));
    expect_near(complex_of(lowered(kC32, {z(a)}, VD_OP_LOG)), std::log(a));
    expect_near(complex_of(lowered(kC32, {z(a)}, VD_OP_SQRT)), std::sqrt(a));
    expect_near(complex_of(lowered(kC32, {z(a)}, VD_OP_CONJ)), std::conj(a));
    expect_near(complex_of(lowered(kC32, {z(a)}, VD_OP_NEG)), -a);
    EXPECT_NEAR(values_of<float>(lowered(kF32, {z(a)}, VD_OP_ABS))[0], std::abs(a), 1e-6F * std::abs(a));
    for (const auto b : values) {
      expect_near(complex_of(lowered(kC32, {z(a), z(b)}, VD_OP_ADD)), a + b);
      expect_near(complex_of(lowered(kC32, {z(a), z(b)}, VD_OP_MUL)), a * b);
      expect_near(complex_of(lowered(kC32, {z(a), z(b)}, VD_OP_DIV)), a / b);
      const auto power = std::pow(std::complex<double>(a), std::complex<double>(b));
      expect_near(complex_of(lowered(kC32, {z(a), z(b)}, VD_OP_POW)), std::complex<float>(power), 2e-4F);
      EXPECT_EQ(
          values_of<uint32_t>(lowered(kU32, {z(a), z(b)},
                                      [](Write& w, const auto& x) {
                                        return w.op(VD_OP_SELECT, {w.op(VD_OP_EQ, {x[0], x[1]}), w.u32(1), w.u32(0)});
                                      }))[0],
          a == b);
    }
    expect_near(complex_of(lowered(kC32, {z(a), in<float>(kF32, {2.5F})}, VD_OP_DIV)), a / 2.5F);
    expect_near(complex_of(lowered(kC32, {in<float>(kF32, {2.5F}), z(a)}, VD_OP_MUL)), a * 2.5F);
  }
}

TEST(LowerComplex, EdgesOfDivisionRootAndPower) {
  // Smith's division does not overflow where the quotient does not.
  expect_near(complex_of(lowered(kC32, {z({1e30F, 1e30F}), z({1e30F, 1e30F})}, VD_OP_DIV)), {1, 0});
  expect_near(complex_of(lowered(kC32, {z({0, 0})}, VD_OP_SQRT)), {0, 0});
  expect_near(complex_of(lowered(kC32, {z({0, 0}), z({2, 1})}, VD_OP_POW)), {0, 0});
  expect_near(complex_of(lowered(kC32, {z({0, 0}), z({0, 0})}, VD_OP_POW)), {1, 0});
}

TEST(LowerComplex, CisAndConversion) {
  expect_near(complex_of(lowered(kC32, {in<float>(kF32, {0.5F})}, VD_OP_CIS)), std::polar(1.0F, 0.5F));
  const auto wide = values_of<double>(lowered(Type::complex(Scalar::F64), {z({1.5F, -2})}, VD_OP_CONVERT));
  EXPECT_THAT(wide, ElementsAre(1.5, -2));
}

TEST(LowerMatrix, InverseTimesItselfIsOne) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> number(-2, 2);
  for (uint32_t n = 2; n <= 4; ++n) {
    std::vector<float> m(n * n);
    for (float& x : m) x = number(random);
    for (uint32_t i = 0; i < n; ++i) m[i * n + i] += 4;
    const Type type = Type::matrix(Scalar::F32, n, n);
    const auto one = values_of<float>(lowered(type, {in(type, m)}, [](Write& w, const auto& x) {
      return w.op(VD_OP_MATMUL, {x[0], w.op(VD_OP_INVERSE, {x[0]})});
    }));
    for (uint32_t i = 0; i < n * n; ++i) EXPECT_NEAR(one[i], i % (n + 1) == 0 ? 1 : 0, 1e-5);
    // det(m) * det(inverse) = 1
    const auto det = values_of<float>(lowered(kF32, {in(type, m)}, [](Write& w, const auto& x) {
      return w.op(VD_OP_MUL, {w.op(VD_OP_DETERMINANT, {x[0]}), w.op(VD_OP_DETERMINANT, {w.op(VD_OP_INVERSE, {x[0]})})});
    }));
    EXPECT_NEAR(det[0], 1, 1e-4);
  }
}

TEST(LowerMatrix, ColumnsAreTheFirstIndex) {
  const Type m = Type::matrix(Scalar::F32, 2, 3), v2 = Type::vector(Scalar::F32, 2), v3 = Type::vector(Scalar::F32, 3);
  const Input a = in<float>(m, {1, 2, 3, 4, 5, 6});  // columns (1 2 3) and (4 5 6)
  EXPECT_THAT(values_of<float>(lowered(v3, {a, in<float>(v2, {10, 1})}, VD_OP_MATMUL)), ElementsAre(14, 25, 36));
  EXPECT_THAT(values_of<float>(lowered(v2, {in<float>(v3, {1, 0, 2}), a}, VD_OP_MATMUL)), ElementsAre(7, 16));
  EXPECT_THAT(values_of<float>(lowered(Type::matrix(Scalar::F32, 3, 2), {a}, VD_OP_TRANSPOSE)),
              ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(values_of<float>(lowered(m, {in<float>(v3, {1, 2, 3}), in<float>(v2, {1, 10})}, VD_OP_OUTER)),
              ElementsAre(1, 2, 3, 10, 20, 30));
  EXPECT_THAT(values_of<float>(lowered(m, {a, in<float>(kF32, {2})}, VD_OP_DIV)), ElementsAre(.5, 1, 1.5, 2, 2.5, 3));
  EXPECT_THAT(values_of<float>(lowered(m, {a, a}, VD_OP_SUB)), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(values_of<float>(lowered(Type::matrix(Scalar::F32, 3, 3), {a}, VD_OP_CONSTRUCT)),
              ElementsAre(1, 2, 3, 4, 5, 6, 0, 0, 1));
  EXPECT_THAT(values_of<float>(lowered(Type::matrix(Scalar::F32, 2, 2), {in<float>(kF32, {3})}, VD_OP_CONSTRUCT)),
              ElementsAre(3, 0, 0, 3));
}

TEST(LowerGeometry, Vectors) {
  const Type v3 = Type::vector(Scalar::F32, 3);
  const Input a = in<float>(v3, {1, 2, 2}), b = in<float>(v3, {0, 3, -4});
  EXPECT_THAT(values_of<float>(lowered(kF32, {a, b}, VD_OP_DOT)), ElementsAre(-2));
  EXPECT_THAT(values_of<float>(lowered(kF32, {a}, VD_OP_LENGTH)), ElementsAre(3));
  EXPECT_THAT(values_of<float>(lowered(kF32, {b, in<float>(v3, {0, 0, 0})}, VD_OP_DISTANCE)), ElementsAre(5));
  EXPECT_THAT(values_of<float>(lowered(v3, {a, b}, VD_OP_CROSS)), ElementsAre(-14, 4, 3));
  EXPECT_THAT(values_of<float>(lowered(v3, {b}, VD_OP_NORMALIZE)), ElementsAre(0, 0.6F, -0.8F));
  EXPECT_THAT(values_of<float>(lowered(kF32, {in<float>(kF32, {-3})}, VD_OP_LENGTH)), ElementsAre(3));
  EXPECT_THAT(
      values_of<int32_t>(lowered(
          kI32, {in<int32_t>(Type::vector(Scalar::I32, 2), {3, 4}), in<int32_t>(Type::vector(Scalar::I32, 2), {1, -1})},
          VD_OP_DOT)),
      ElementsAre(-1));
}

TEST(LowerElementwise, ShortFunctions) {
  const auto f = [](Op op, std::vector<float> x) {
    std::vector<Input> inputs;
    for (const float v : x) inputs.push_back(in<float>(kF32, {v}));
    return values_of<float>(lowered(kF32, inputs, op))[0];
  };
  EXPECT_EQ(f(VD_OP_CLAMP, {5, 1, 3}), 3);
  EXPECT_EQ(f(VD_OP_SIGN, {-0.5F}), -1);
  EXPECT_EQ(f(VD_OP_SIGN, {NAN}), 0);
  EXPECT_EQ(f(VD_OP_FRACT, {-0.25F}), 0.75F);
  EXPECT_EQ(f(VD_OP_MOD, {-1, 3}), 2);
  EXPECT_EQ(f(VD_OP_STEP, {2, 2}), 1);
  EXPECT_EQ(f(VD_OP_STEP, {2, 1.9F}), 0);
  EXPECT_EQ(f(VD_OP_SMOOTHSTEP, {0, 2, 1}), 0.5F);
  EXPECT_EQ(f(VD_OP_SMOOTHSTEP, {1, 1, 1}), 1);
  EXPECT_EQ(f(VD_OP_SMOOTHSTEP, {1, 1, 0}), 0);
  EXPECT_EQ(f(VD_OP_MIX, {1, 3, 2}), 5);
  EXPECT_NEAR(f(VD_OP_RADIANS, {180}), 3.14159265F, 1e-6);
  EXPECT_NEAR(f(VD_OP_DEGREES, {3.14159265F}), 180, 1e-4);
}

// A lowered integer op gives what evaluate() says, for all edges.
void compare_integers(Op op, Scalar s) {
  const Type type(s);
  const uint32_t bits = s == Scalar::I8 || s == Scalar::U8 ? 8 : s == Scalar::I64 || s == Scalar::U64 ? 64 : 32;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const std::vector<uint64_t> edges = {0, 1, 2, 3, 7, mask, mask - 1, mask - 6, mask >> 1, (mask >> 1) + 1};
  Write w;
  const vd_value a = w.buffer(type), b = w.buffer(type), out = w.buffer(type);
  const vd_value i = w.gid();
  w.store(w.index(out, i), w.op(op, {w.index(a, i), w.index(b, i)}));
  Kernel kernel = w.finish();
  lower(kernel);
  expect_lowered(kernel);
  std::vector<std::byte> x, y;
  for (const uint64_t p : edges) {
    for (const uint64_t q : edges) {
      for (uint32_t k = 0; k < bits / 8; ++k) {
        x.push_back(static_cast<std::byte>(p >> (8 * k)));
        y.push_back(static_cast<std::byte>(q >> (8 * k)));
      }
    }
  }
  Memory memory{{x, y, std::vector<std::byte>(x.size())}, {}};
  run(kernel, memory, {{1, 1, 1}, {static_cast<uint32_t>(edges.size() * edges.size()), 1, 1}, {1, 1, 1}});
  size_t n = 0;
  for (const uint64_t p : edges) {
    for (const uint64_t q : edges) {
      const uint64_t args[2] = {p, q};
      uint64_t wanted = 0, got = 0;
      evaluate(op, s, s, args, wanted);
      std::memcpy(&got, memory.arguments[2].data() + n++ * (bits / 8), bits / 8);
      EXPECT_EQ(got, wanted) << op_info(op).name << " " << type_name(type) << " " << p << " " << q;
    }
  }
}

TEST(LowerInteger, DivisionsAndShiftsMeanWhatTheTableSays) {
  for (const Op op : {VD_OP_DIV, VD_OP_REM, VD_OP_FLOORDIV, VD_OP_FLOORMOD, VD_OP_SHL, VD_OP_SHR}) {
    for (const Scalar s : {Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::I8, Scalar::U8})
      compare_integers(op, s);
  }
}

TEST(LowerInteger, TheTargetsOwnDivisionNeverSeesABadDivisor) {
  Write w;
  const vd_value a = w.buffer(kI32);
  w.store(w.index(a, 0), w.op(VD_OP_DIV, {w.index(a, 1), w.index(a, 2)}));
  w.store(w.index(a, 1), w.op(VD_OP_DIV, {w.index(a, 1), w.i32(7)}));
  Kernel kernel = w.finish();
  lower(kernel);
  const std::string text = print_text(kernel);
  EXPECT_THAT(text, ::testing::HasSubstr("select"));
  EXPECT_THAT(text, ::testing::HasSubstr(", i32 7"));  // a good constant divides as it is
}

TEST(LowerConvert, SaturatesForEveryPair) {
  const std::vector<double> values = {
      0,      -0.5,    0.99,    1.5,     -1.5,         127.9,        128,           -128.9,       -129,
      255.5,  256,     32767.5, 65535.9, 2147483520.0, 2147483648.0, -2147483648.0, 4294967040.0, 4294967296.0,
      9.2e18, -9.3e18, 1.9e19,  1e30,    -1e30,        INFINITY,     -INFINITY,     NAN};
  for (const Scalar from : {Scalar::F16, Scalar::F32, Scalar::F64}) {
    for (uint32_t t = 2; t <= 9; ++t) {
      const auto to = static_cast<Scalar>(t);
      for (const double v : values) {
        const uint64_t bits = float_bits(from, v);
        std::vector<std::byte> raw(scalar_size(from));
        std::memcpy(raw.data(), &bits, raw.size());
        const auto result = lowered(Type(to), {{Type(from), raw}}, VD_OP_CONVERT);
        uint64_t got = 0, wanted = 0;
        std::memcpy(&got, result.data(), result.size());
        evaluate(VD_OP_CONVERT, from, to, {&bits, 1}, wanted);
        EXPECT_EQ(got, wanted) << type_name(Type(from)) << " " << type_name(Type(to)) << " " << v;
      }
    }
  }
}

TEST(LowerShape, BitcastsKeepTheBytes) {
  const std::vector<std::byte> bytes = bytes_of<uint32_t>({0x04030201, 0x80070605});
  const Type u16x4 = Type::vector(Scalar::U16, 4), u32x2 = Type::vector(Scalar::U32, 2),
             f16x4 = Type::vector(Scalar::F16, 4);
  const std::vector<Type> types = {
      u16x4, u32x2, f16x4, kU64, kF64, kI64, kC32, Type::vector(Scalar::F32, 2), Type::vector(Scalar::I16, 4)};
  for (const Type a : types) {
    for (const Type b : types)
      EXPECT_EQ(lowered(b, {{a, bytes}}, VD_OP_BITCAST), bytes) << type_name(a) << " " << type_name(b);
  }
  EXPECT_THAT(values_of<uint32_t>(
                  lowered(kU32, {{Type::vector(Scalar::U8, 4), bytes_of<uint32_t>({0x04030201})}}, VD_OP_BITCAST)),
              ElementsAre(0x04030201u));
}

TEST(LowerShape, SwizzlesAndConstructions) {
  const Type v2 = Type::vector(Scalar::F32, 2), v4 = Type::vector(Scalar::F32, 4);
  EXPECT_THAT(values_of<float>(lowered(v4, {in<float>(v2, {1, 2})}, VD_OP_SWIZZLE, 0x400 | 0b00'01'01'00)),
              ElementsAre(1, 2, 2, 1));
  EXPECT_THAT(values_of<float>(lowered(v2, {z({3, 4})}, VD_OP_SWIZZLE, 0x200 | 0b00'01)), ElementsAre(4, 3));
  EXPECT_THAT(values_of<float>(
                  lowered(v4, {in<float>(kF32, {9}), in<float>(v2, {1, 2}), in<float>(kF32, {8})}, VD_OP_CONSTRUCT)),
              ElementsAre(9, 1, 2, 8));
  EXPECT_THAT(values_of<float>(lowered(kC32, {in<float>(kF32, {9})}, VD_OP_CONSTRUCT)), ElementsAre(9, 0));
}

TEST(LowerFor, AStepOfTheRunGoesBothWays) {
  for (const auto& [start, stop, step, wanted] :
       {std::tuple{0, 7, 3, 3 + 6}, std::tuple{5, 0, -2, 5 + 1}, std::tuple{3, 3, 1, 0}}) {
    Write w;
    const vd_value data = w.buffer(kI32), sum = w.var(w.i32(0));
    const vd_value i = w.op(VD_OP_FOR, {w.index(data, 1), w.index(data, 2), w.index(data, 3)});
    w.op(VD_OP_IF, {w.op(VD_OP_EQ, {i, w.i32(3)})});
    w.op(VD_OP_IF, {w.op(VD_OP_LT, {w.index(data, 3), w.i32(0)})});
    w.op(VD_OP_CONTINUE);
    w.end();
    w.end();
    w.store(sum, w.op(VD_OP_ADD, {sum, i}));
    w.end();
    w.store(w.index(data, 0), sum);
    Kernel kernel = w.finish();
    lower(kernel);
    verify(kernel);
    EXPECT_EQ(print_text(kernel).find("= for"), std::string::npos);
    Memory memory{{bytes_of<int32_t>({-1, start, stop, step})}, {}};
    run(kernel, memory);
    EXPECT_EQ(values_of<int32_t>(memory.arguments[0])[0], wanted);
  }
}

}  // namespace
}  // namespace vd::ir::testing
