// The same ops on vectors, and the ops of vectors, complex numbers and matrices alone. Inputs are small integers as
// floats, so that sums of products are exact in any order.
#include <cmath>
#include <complex>
#include <limits>

#include "case.h"
#include "code.h"

namespace vdc {
namespace {

constexpr uint32_t kVectors = 40;

// Inputs of `width` f32 a row; the kernel writes `results` f32 a row; the reference computes a row.
void rows(Run& run, const char* name, vd_type type, uint32_t width, uint32_t results,
          const std::function<void(Code&, Value a, Value b, std::function<void(Value)> put)>& emit,
          const std::function<std::vector<double>(const float* a, const float* b)>& reference, double tolerance = 0) {
  std::vector<float> a(kVectors * width), b(kVectors * width);
  for (float& x : a) x = static_cast<float>(static_cast<int>(run.random() % 19) - 9);
  for (float& x : b) x = static_cast<float>(static_cast<int>(run.random() % 19) - 9);
  Code code(name);
  Value in_a = code.buffer(type, "a"), in_b = code.buffer(type, "b"), out = code.buffer(VD_TYPE_F32, "result");
  Value i = code.let(code.global_id()), base = code.let(i * results);
  uint32_t at = 0;
  emit(code, code.let(in_a[i]), code.let(in_b[i]), [&](Value v) { code.store(out[base + at++], v); });
  if (at != results) fail("%s writes %u results, not %u", name, at, results);
  Plan plan = run.session.plan(code.finish(), 32);
  Buffer ba = run.session.buffer(a), bb = run.session.buffer(b), result = run.session.buffer(kVectors * results * 4);
  run.session.launch(plan, {kVectors, 1, 1}, {ba, bb, result});
  auto got = run.session.read<float>(result, kVectors * results);
  for (uint32_t k = 0; k < kVectors; ++k) {
    const auto expected = reference(&a[k * width], &b[k * width]);
    for (uint32_t n = 0; n < results; ++n) {
      ++run.report.compared;
      const double x = got[k * results + n], off = std::fabs(x - expected[n]);
      if (!(off <= tolerance * std::max(1.0, std::fabs(expected[n]))))
        fail("%s: result %u of row %u is %.9g, expected %.9g", name, n, k, x, expected[n]);
    }
  }
}

template <uint32_t N>
void vectors(Run& run) {
  const vd_type type = N == 2 ? VD_TYPE_F32X2 : N == 3 ? VD_TYPE_F32X3 : VD_TYPE_F32X4;
  rows(
      run, "vector_ops", type, N, 7 * N + 3,
      [](Code& code, Value a, Value b, auto put) {
        Value all[] = {a + b,
                       a - b,
                       a * b,
                       a * code.f32(3),
                       code.op(VD_OP_NEG, {a}),
                       code.op(VD_OP_MAX, {a, b}),
                       code.op(VD_OP_SELECT, {code.op(VD_OP_LT, {a, b}), a, b})};
        for (Value v : all) {
          Value frozen = code.let(v);
          for (uint32_t n = 0; n < N; ++n) put(frozen[n]);
        }
        put(code.op(VD_OP_DOT, {a, b}));
        auto number = [&](Value c) { return code.op(VD_OP_SELECT, {c, code.f32(1), code.f32(0)}); };
        put(number(code.op(VD_OP_ALL, {code.op(VD_OP_LE, {a, b})})));
        put(number(code.op(VD_OP_ANY, {code.op(VD_OP_EQ, {a, b})})));
      },
      [](const float* a, const float* b) {
        std::vector<double> r;
        for (uint32_t n = 0; n < N; ++n) r.push_back(a[n] + b[n]);
        for (uint32_t n = 0; n < N; ++n) r.push_back(a[n] - b[n]);
        for (uint32_t n = 0; n < N; ++n) r.push_back(a[n] * b[n]);
        for (uint32_t n = 0; n < N; ++n) r.push_back(a[n] * 3);
        for (uint32_t n = 0; n < N; ++n) r.push_back(-a[n]);
        for (uint32_t n = 0; n < N; ++n) r.push_back(std::max(a[n], b[n]));
        for (uint32_t n = 0; n < N; ++n) r.push_back(a[n] < b[n] ? a[n] : b[n]);
        double dot = 0;
        bool all = true, any = false;
        for (uint32_t n = 0; n < N; ++n) dot += a[n] * b[n], all &= a[n] <= b[n], any |= a[n] == b[n];
        r.insert(r.end(), {dot, all ? 1.0 : 0.0, any ? 1.0 : 0.0});
        return r;
      });
}

void geometry(Run& run) {
  rows(
      run, "geometry", VD_TYPE_F32X3, 3, 8,
      [](Code& code, Value a, Value b, auto put) {
        Value cross = code.let(code.op(VD_OP_CROSS, {a, b}));
        for (uint32_t n = 0; n < 3; ++n) put(cross[n]);
        put(code.op(VD_OP_LENGTH, {a}));
        put(code.op(VD_OP_DISTANCE, {a, b}));
        Value unit = code.let(code.op(VD_OP_NORMALIZE, {a + code.f32(0.5f)}));
        for (uint32_t n = 0; n < 3; ++n) put(unit[n]);
      },
      [](const float* a, const float* b) {
        double aa = 0, ab = 0, nn = 0;
        for (int n = 0; n < 3; ++n)
          aa += a[n] * a[n], ab += (a[n] - b[n]) * (a[n] - b[n]), nn += (a[n] + 0.5) * (a[n] + 0.5);
        return std::vector<double>{static_cast<double>(a[1] * b[2] - a[2] * b[1]),
                                   static_cast<double>(a[2] * b[0] - a[0] * b[2]),
                                   static_cast<double>(a[0] * b[1] - a[1] * b[0]),
                                   std::sqrt(aa),
                                   std::sqrt(ab),
                                   (a[0] + 0.5) / std::sqrt(nn),
                                   (a[1] + 0.5) / std::sqrt(nn),
                                   (a[2] + 0.5) / std::sqrt(nn)};
      },
      2e-6);
}

void complex_numbers(Run& run) {
  rows(
      run, "complex_ops", VD_TYPE_COMPLEX_F32, 2, 18,
      [](Code& code, Value a, Value b, auto put) {
        Value real = code.f32(4);
        Value shifted = code.let(b + code.op(VD_OP_CONSTRUCT, {code.f32(20), code.f32(1)}, VD_TYPE_COMPLEX_F32));
        Value all[] = {a + b,
                       a - b,
                       a * b,
                       a * real,
                       a / real,
                       code.op(VD_OP_NEG, {a}),
                       code.op(VD_OP_CONJ, {a}),
                       a / shifted,
                       code.op(VD_OP_CIS, {a[0u]})};
        for (Value v : all) {
          Value frozen = code.let(v);
          put(frozen[0u]), put(frozen[1u]);
        }
      },
      [](const float* p, const float* q) {
        const std::complex<double> a(p[0], p[1]), b(q[0], q[1]);
        std::vector<double> r;
        for (std::complex<double> v :
             {a + b, a - b, a * b, a * 4.0, a / 4.0, -a, std::conj(a), a / (b + std::complex<double>(20, 1)),
              std::polar(1.0, static_cast<double>(p[0]))})
          r.push_back(v.real()), r.push_back(v.imag());
        return r;
      },
      1e-6);
}

void matrices(Run& run) {
  rows(
      run, "matrix_ops", VD_TYPE_F32M3, 9, 9 * 5 + 3 + 3 + 1,
      [](Code& code, Value a, Value b, auto put) {
        Value all[] = {a + b, a * code.f32(2), code.op(VD_OP_MATMUL, {a, b}), code.op(VD_OP_TRANSPOSE, {a}),
                       code.op(VD_OP_OUTER, {a[0u], b[1u]})};
        for (Value v : all) {
          Value frozen = code.let(v);
          for (uint32_t c = 0; c < 3; ++c)
            for (uint32_t r = 0; r < 3; ++r) put(frozen[c][r]);
        }
        Value mv = code.let(code.op(VD_OP_MATMUL, {a, b[0u]})), vm = code.let(code.op(VD_OP_MATMUL, {b[0u], a}));
        for (uint32_t r = 0; r < 3; ++r) put(mv[r]);
        for (uint32_t r = 0; r < 3; ++r) put(vm[r]);
        put(code.op(VD_OP_DETERMINANT, {a}));
      },
      [](const float* a, const float* b) {  // column-major
        std::vector<double> out;
        auto at = [](const float* m, int c, int r) { return static_cast<double>(m[c * 3 + r]); };
        for (int k = 0; k < 9; ++k) out.push_back(a[k] + b[k]);
        for (int k = 0; k < 9; ++k) out.push_back(a[k] * 2);
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r)
            out.push_back(at(a, 0, r) * at(b, c, 0) + at(a, 1, r) * at(b, c, 1) + at(a, 2, r) * at(b, c, 2));
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r) out.push_back(at(a, r, c));
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r) out.push_back(at(a, 0, r) * at(b, 1, c));
        for (int r = 0; r < 3; ++r) out.push_back(at(a, 0, r) * b[0] + at(a, 1, r) * b[1] + at(a, 2, r) * b[2]);
        for (int c = 0; c < 3; ++c) out.push_back(at(a, c, 0) * b[0] + at(a, c, 1) * b[1] + at(a, c, 2) * b[2]);
        out.push_back(at(a, 0, 0) * (at(a, 1, 1) * at(a, 2, 2) - at(a, 2, 1) * at(a, 1, 2)) -
                      at(a, 1, 0) * (at(a, 0, 1) * at(a, 2, 2) - at(a, 2, 1) * at(a, 0, 2)) +
                      at(a, 2, 0) * (at(a, 0, 1) * at(a, 1, 2) - at(a, 1, 1) * at(a, 0, 2)));
        return out;
      });
}

// Every op on integers gives a vector what it gives its components, which other cases compare with the truth.
template <class T>
void integers(Run& run, vd_type scalar) {
  constexpr uint32_t kWidth = 3;
  struct Op {
    vd_op op;
    uint32_t operands;
  };
  const Op ops[] = {{VD_OP_ADD, 2},      {VD_OP_SUB, 2},       {VD_OP_MUL, 2}, {VD_OP_DIV, 2},      {VD_OP_REM, 2},
                    {VD_OP_FLOORDIV, 2}, {VD_OP_FLOORMOD, 2},  {VD_OP_NEG, 1}, {VD_OP_ABS, 1},      {VD_OP_SIGN, 1},
                    {VD_OP_MIN, 2},      {VD_OP_MAX, 2},       {VD_OP_AND, 2}, {VD_OP_OR, 2},       {VD_OP_XOR, 2},
                    {VD_OP_NOT, 1},      {VD_OP_SHL, 2},       {VD_OP_SHR, 2}, {VD_OP_POPCOUNT, 1}, {VD_OP_CLZ, 1},
                    {VD_OP_CTZ, 1},      {VD_OP_BITREVERSE, 1}};
  constexpr uint32_t kOps = std::size(ops);
  std::vector<T> a(kVectors * kWidth), b(kVectors * kWidth);
  const T edges[] = {0, 1, 2, 7, T(-1), T(-2), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  for (auto* side : {&a, &b})
    for (T& x : *side) x = run.random() % 2 ? edges[run.random() % 8] : static_cast<T>(run.random());
  const vd_type vector = scalar | 0x3100;
  Code code("vector_integers");
  Value in_a = code.buffer(vector, "a"), in_b = code.buffer(vector, "b"), whole = code.buffer(scalar, "whole"),
        parts = code.buffer(scalar, "parts");
  Value i = code.let(code.global_id()), x = code.let(in_a[i]), y = code.let(in_b[i]),
        base = code.let(i * (kOps * kWidth));
  for (uint32_t k = 0; k < kOps; ++k) {
    const bool two = ops[k].operands == 2;
    Value v = code.let(two ? code.op(ops[k].op, {x, y}) : code.op(ops[k].op, {x}));
    for (uint32_t c = 0; c < kWidth; ++c) {
      code.store(whole[base + (k * kWidth + c)], v[c]);
      code.store(parts[base + (k * kWidth + c)], two ? code.op(ops[k].op, {x[c], y[c]}) : code.op(ops[k].op, {x[c]}));
    }
  }
  Plan plan = run.session.plan(code.finish(), 32);
  constexpr uint32_t kResults = kVectors * kOps * kWidth;
  Buffer ba = run.session.buffer(a), bb = run.session.buffer(b), bw = run.session.buffer(kResults * sizeof(T)),
         bp = run.session.buffer(kResults * sizeof(T));
  run.session.launch(plan, {kVectors, 1, 1}, {ba, bb, bw, bp});
  const auto together = run.session.read<T>(bw, kResults), apart = run.session.read<T>(bp, kResults);
  for (uint32_t n = 0; n < kResults; ++n) {
    const uint32_t row = n / (kOps * kWidth), k = n / kWidth % kOps, c = n % kWidth;
    if (together[n] != apart[n])
      fail("op %d of vectors: %llx of %llx and %llx, and of the components %llx", static_cast<int>(ops[k].op),
           static_cast<unsigned long long>(together[n]), static_cast<unsigned long long>(a[row * kWidth + c]),
           static_cast<unsigned long long>(b[row * kWidth + c]), static_cast<unsigned long long>(apart[n]));
  }
  run.report.compared += kResults;
}

constexpr uint64_t k8 = VD_FEATURE_I8 | VD_FEATURE_STORAGE_8, k16 = VD_FEATURE_I16 | VD_FEATURE_STORAGE_16;

[[maybe_unused]] const Register vector_registered[] = {
    {"ops/vector/i8x3", k8, [](Run& run) { integers<int8_t>(run, VD_TYPE_I8); }},
    {"ops/vector/u8x3", k8, [](Run& run) { integers<uint8_t>(run, VD_TYPE_U8); }},
    {"ops/vector/i16x3", k16, [](Run& run) { integers<int16_t>(run, VD_TYPE_I16); }},
    {"ops/vector/u16x3", k16, [](Run& run) { integers<uint16_t>(run, VD_TYPE_U16); }},
    {"ops/vector/i32x3", 0, [](Run& run) { integers<int32_t>(run, VD_TYPE_I32); }},
    {"ops/vector/u32x3", 0, [](Run& run) { integers<uint32_t>(run, VD_TYPE_U32); }},
    {"ops/vector/i64x3", VD_FEATURE_I64, [](Run& run) { integers<int64_t>(run, VD_TYPE_I64); }},
    {"ops/vector/u64x3", VD_FEATURE_I64, [](Run& run) { integers<uint64_t>(run, VD_TYPE_U64); }},
    {"ops/vector/f32x2", 0, vectors<2>},
    {"ops/vector/f32x3", 0, vectors<3>},
    {"ops/vector/f32x4", 0, vectors<4>},
    {"ops/geometry/f32", 0, geometry},
    {"ops/complex/f32", 0, complex_numbers},
    {"ops/matrix/f32", 0, matrices},
};

}  // namespace
}  // namespace vdc
