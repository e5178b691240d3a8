// Float arithmetic and math functions. The bound of each op comes from the op table, for the class (precise or native)
// that the kernel asks for; the truth is computed in long double.
#include "ops.h"

namespace vdc {

Bounds bounds_of(vd_op op) {
  vd_op_info info = VD_OP_INFO_INIT;
  VDC(vd_op_get_info(op, &info));
  return {info.native_ulp, info.precise_ulp};
}

namespace {

using Truth = std::function<long double(long double, long double, long double)>;

struct MathOp {
  const char* name;
  vd_op op;
  int arity;
  Truth truth;
  // The range of additional arguments; {0, 0}: none.
  double low = 0, high = 0;
};

long double truth_min(long double a, long double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b); }
long double truth_max(long double a, long double b) { return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b); }

const MathOp kArithmetic[] = {
    {"add", VD_OP_ADD, 2, [](long double a, long double b, long double) { return a + b; }},
    {"sub", VD_OP_SUB, 2, [](long double a, long double b, long double) { return a - b; }},
    {"mul", VD_OP_MUL, 2, [](long double a, long double b, long double) { return a * b; }},
    {"div", VD_OP_DIV, 2, [](long double a, long double b, long double) { return a / b; }},
    {"neg", VD_OP_NEG, 1, [](long double a, long double, long double) { return -a; }},
    {"abs", VD_OP_ABS, 1, [](long double a, long double, long double) { return std::fabs(a); }},
    {"min", VD_OP_MIN, 2, [](long double a, long double b, long double) { return truth_min(a, b); }},
    {"max", VD_OP_MAX, 2, [](long double a, long double b, long double) { return truth_max(a, b); }},
    {"floor", VD_OP_FLOOR, 1, [](long double a, long double, long double) { return std::floor(a); }},
    {"ceil", VD_OP_CEIL, 1, [](long double a, long double, long double) { return std::ceil(a); }},
    {"trunc", VD_OP_TRUNC, 1, [](long double a, long double, long double) { return std::trunc(a); }},
    {"round_even", VD_OP_ROUND_EVEN, 1, [](long double a, long double, long double) { return std::nearbyint(a); }},
    {"sqrt", VD_OP_SQRT, 1, [](long double a, long double, long double) { return std::sqrt(a); }},
    {"step", VD_OP_STEP, 2, [](long double a, long double b, long double) { return b < a ? 0.0L : 1.0L; }},
};

const MathOp kMath[] = {
    {"rsqrt", VD_OP_RSQRT, 1, [](long double a, long double, long double) { return 1 / std::sqrt(a); }, 1e-30, 1e30},
    {"exp", VD_OP_EXP, 1, [](long double a, long double, long double) { return std::exp(a); }, -90, 90},
    {"exp2", VD_OP_EXP2, 1, [](long double a, long double, long double) { return std::exp2(a); }, -130, 130},
    {"log", VD_OP_LOG, 1, [](long double a, long double, long double) { return std::log(a); }, 0.5, 2},
    {"log2", VD_OP_LOG2, 1, [](long double a, long double, long double) { return std::log2(a); }, 0.5, 2},
    {"pow", VD_OP_POW, 2, [](long double a, long double b, long double) { return std::pow(a, b); }, 0, 20},
    {"sin", VD_OP_SIN, 1, [](long double a, long double, long double) { return std::sin(a); }, -100, 100},
    {"cos", VD_OP_COS, 1, [](long double a, long double, long double) { return std::cos(a); }, -100, 100},
    {"tan", VD_OP_TAN, 1, [](long double a, long double, long double) { return std::tan(a); }, -10, 10},
    {"asin", VD_OP_ASIN, 1, [](long double a, long double, long double) { return std::asin(a); }, -1, 1},
    {"acos", VD_OP_ACOS, 1, [](long double a, long double, long double) { return std::acos(a); }, -1, 1},
    {"atan", VD_OP_ATAN, 1, [](long double a, long double, long double) { return std::atan(a); }, -4, 4},
    {"atan2", VD_OP_ATAN2, 2, [](long double a, long double b, long double) { return std::atan2(a, b); }, -4, 4},
    {"sinh", VD_OP_SINH, 1, [](long double a, long double, long double) { return std::sinh(a); }, -10, 10},
    {"cosh", VD_OP_COSH, 1, [](long double a, long double, long double) { return std::cosh(a); }, -10, 10},
    {"tanh", VD_OP_TANH, 1, [](long double a, long double, long double) { return std::tanh(a); }, -4, 4},
    {"asinh", VD_OP_ASINH, 1, [](long double a, long double, long double) { return std::asinh(a); }, -4, 4},
    {"acosh", VD_OP_ACOSH, 1, [](long double a, long double, long double) { return std::acosh(a); }, 1, 10},
    {"atanh", VD_OP_ATANH, 1, [](long double a, long double, long double) { return std::atanh(a); }, -0.99, 0.99},
};

// Contraction never enters: every op is alone in its expression. Division and square root of f32 have the driver's
// bounds unless the kernel is precise.
template <class T>
std::vector<OpCase<T, T>> float_ops(std::span<const MathOp> table, bool precise) {
  std::vector<OpCase<T, T>> ops;
  for (const MathOp& m : table) {
    const Bounds bounds = bounds_of(m.op);
    const bool always_exact = bounds.native == 0 && bounds.precise == 0;
    // 1 / sqrt(x) is the driver's, as division and root are.
    const bool ours = precise && m.op != VD_OP_RSQRT;
    double bound = always_exact ? 0.5
                   : ours       ? std::max(bounds.precise, 0.5)
                                : std::max({bounds.native, bounds.precise, 0.5});
    if (bounds.native < 0 && !precise && !always_exact) bound = 1e29;  // the driver promises nothing
    Truth truth = m.truth;
    const int arity = m.arity;
    const vd_op op = m.op;
    ops.push_back({m.name,
                   [op, arity](Code& code, Value a, Value b, Value) {
                     return arity == 1 ? code.op(op, {a}) : code.op(op, {a, b});
                   },
                   [truth, bound](T a, T b, T c, T got, double& ulp) {
                     ulp = ulp_distance(got, truth(to_double(a), to_double(b), to_double(c)));
                     return ulp <= bound;
                   }});
  }
  return ops;
}

template <class T>
void arithmetic(Run& run) {
  const std::string name = std::string("float_") + Traits<T>::name;
  auto a = samples<T>(run.random, run.samples(600, 50000)), b = samples<T>(run.random, a.size()),
       c = samples<T>(run.random, a.size());
  for (size_t i = 0; i < 17 * 17; ++i) a[i] = a[i % 17], b[i] = b[i / 17];
  run_ops<T, T>(run, name, float_ops<T>(kArithmetic, true), a, b, c, VD_BUILDER_PRECISE);
  // Without `precise` the driver's division may be off where a quotient leaves the middle of the range.
  std::vector<T> middle_a, middle_b;
  std::uniform_real_distribution<double> middle(0.01, 100);
  for (size_t i = 0; i < a.size(); ++i)
    middle_a.push_back(from_double<T>(middle(run.random))), middle_b.push_back(from_double<T>(middle(run.random)));
  run_ops<T, T>(run, name + "_default", float_ops<T>(kArithmetic, false), middle_a, middle_b, middle_a);
}

void math(Run& run) {
  const size_t count = run.samples(1000, 200000);
  std::vector<OpCase<float, float>> all = float_ops<float>(kMath, true);
  // One kernel for general arguments: all special values and all magnitudes.
  auto a = samples<float>(run.random, count), b = samples<float>(run.random, count);
  run_ops<float, float>(run, "math_f32", all, a, b, a);
  // And one with every op on the arguments where it is interesting.
  for (size_t k = 0; k < all.size(); ++k) {
    std::uniform_real_distribution<double> within(kMath[k].low, kMath[k].high);
    std::vector<float> x(count), y(count);
    for (float& v : x) v = static_cast<float>(within(run.random));
    for (float& v : y) v = static_cast<float>(within(run.random));
    if (!run.full && k % 4 != run.seed % 4) continue;
    run_ops<float, float>(run, std::string("math_f32_") + kMath[k].name, {all[k]}, x, y, x);
  }
}

// The driver's own functions: only that they are near, by an absolute bound that all drivers keep on these arguments.
void native_math(Run& run) {
  const size_t count = 256;
  std::vector<OpCase<float, float>> ops = float_ops<float>(kMath, false);
  for (size_t k = 0; k < ops.size(); ++k) {
    Truth truth = kMath[k].truth;
    ops[k].right = [truth](float a, float b, float c, float got, double&) {
      const long double exact = truth(a, b, c);
      return std::fabs(got - exact) <= 2e-3L * std::max(1.0L, std::fabs(exact));
    };
    const bool trigonometric = kMath[k].op == VD_OP_SIN || kMath[k].op == VD_OP_COS;
    std::uniform_real_distribution<double> within(trigonometric ? -3.1 : std::max(kMath[k].low, -3.0),
                                                  trigonometric ? 3.1 : std::min(kMath[k].high, 3.0));
    if (kMath[k].op == VD_OP_TAN) within = std::uniform_real_distribution<double>(-1, 1);
    if (kMath[k].op == VD_OP_RSQRT || kMath[k].op == VD_OP_POW) within = std::uniform_real_distribution<double>(0.1, 3);
    std::vector<float> x(count), y(count);
    for (float& v : x) v = static_cast<float>(within(run.random));
    for (float& v : y) v = static_cast<float>(within(run.random));
    if (!run.full && k % 6 != run.seed % 6) continue;
    run_ops<float, float>(run, std::string("native_") + kMath[k].name, {ops[k]}, x, y, x, VD_BUILDER_NATIVE);
  }
}

void fma_f32(Run& run) {
  auto a = samples<float>(run.random, 500), b = samples<float>(run.random, 500), c = samples<float>(run.random, 500);
  run_ops<float, float>(run, "fma_f32",
                        {{"fma",
                          [](Code& code, Value x, Value y, Value z) {
                            return code.op(VD_OP_FMA, {x, y, z});
                          },
                          [](float x, float y, float z, float got, double& ulp) {
                            const double fused = ulp_distance(
                                got, std::fma(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)));
                            const float product = x * y;
                            const float two_steps = product + z;
                            ulp = fused;
                            return fused <= 0.51 || got == two_steps || (std::isnan(got) && std::isnan(two_steps));
                          }}},
                        a, b, c, VD_BUILDER_PRECISE);
}

void classify_f32(Run& run) {
  auto a = samples<float>(run.random, 300);
  auto number = [](Code& code, Value v) { return code.op(VD_OP_SELECT, {v, code.u32(1), code.u32(0)}); };
  run_ops<float, uint32_t>(
      run, "classify_f32",
      {{"isnan", [number](Code& code, Value x, Value, Value) { return number(code, code.op(VD_OP_ISNAN, {x})); },
        [](float x, float, float, uint32_t got, double&) { return got == (std::isnan(x) ? 1u : 0u); }},
       {"isinf", [number](Code& code, Value x, Value, Value) { return number(code, code.op(VD_OP_ISINF, {x})); },
        [](float x, float, float, uint32_t got, double&) { return got == (std::isinf(x) ? 1u : 0u); }}},
      a, a, a);
}

// fract, mod, mix, smoothstep, radians and degrees are defined by formulas; a few roundings are allowed.
void formulas_f32(Run& run) {
  const size_t count = run.samples(500, 20000);
  std::uniform_real_distribution<float> middle(-50, 50), positive(0.5f, 20);
  std::vector<float> a(count), b(count), c(count);
  for (size_t i = 0; i < count; ++i)
    a[i] = middle(run.random), b[i] = positive(run.random), c[i] = middle(run.random) / 50;
  using Ref = std::function<double(double, double, double)>;
  auto near = [](Ref reference) {
    return [reference](float x, float y, float z, float got, double& ulp) {
      const double exact = reference(x, y, z);
      // The size of the terms: where they cancel, the result may be much smaller.
      const double size = std::fabs(x) + std::fabs(y) + std::fabs(z) + std::fabs(exact);
      ulp = std::fabs(got - exact) / (0x1p-23 * size);
      return std::fabs(got - exact) <= 2e-6 * size;
    };
  };
  auto emit = [](vd_op op, int arity) {
    return [op, arity](Code& code, Value x, Value y, Value z) {
      return arity == 1 ? code.op(op, {x}) : arity == 2 ? code.op(op, {x, y}) : code.op(op, {x, y, z});
    };
  };
  run_ops<float, float>(
      run, "formulas_f32",
      {{"fract", emit(VD_OP_FRACT, 1), near([](double x, double, double) { return x - std::floor(x); })},
       {"mod", emit(VD_OP_MOD, 2),
        [](float x, float y, float, float got, double&) {
          // floor of a quotient next to an integer may fall on either side.
          const double exact = x - y * std::floor(static_cast<double>(x) / y);
          const double off = std::fabs(got - exact);
          return std::min(off, std::fabs(off - y)) <= 1e-5 * (std::fabs(x) + y);
        }},
       {"mix", emit(VD_OP_MIX, 3), near([](double x, double y, double z) { return x + (y - x) * z; })},
       {"sign", emit(VD_OP_SIGN, 1), near([](double x, double, double) { return x > 0   ? 1
                                                                                : x < 0 ? -1
                                                                                        : 0; })},
       {"radians", emit(VD_OP_RADIANS, 1), near([](double x, double, double) { return x * 0.017453292519943295; })},
       {"degrees", emit(VD_OP_DEGREES, 1), near([](double x, double, double) { return x * 57.29577951308232; })},
       {"smoothstep",
        [](Code& code, Value x, Value y, Value z) {
          return code.op(VD_OP_SMOOTHSTEP, {z, code.op(VD_OP_ADD, {z, y}), x});
        },
        [](float x, float y, float z, float got, double&) {
          const double high = static_cast<double>(z) + y, t = std::min(1.0, std::max(0.0, (x - z) / (high - z)));
          return std::fabs(got - t * t * (3 - 2 * t)) <= 1e-4;
        }}},
      a, b, c);
}

[[maybe_unused]] const bool float_registered =
    (cases().push_back({"ops/float/f16", Traits<Half>::features, arithmetic<Half>}),
     cases().push_back({"ops/float/f32", 0, arithmetic<float>}),
     cases().push_back({"ops/float/f64", Traits<double>::features, arithmetic<double>}),
     cases().push_back({"ops/math/f32", 0, math}), cases().push_back({"ops/math_native/f32", 0, native_math}),
     cases().push_back({"ops/fma/f32", 0, fma_f32}), cases().push_back({"ops/classify/f32", 0, classify_f32}),
     cases().push_back({"ops/formulas/f32", 0, formulas_f32}), true);

}  // namespace
}  // namespace vdc
