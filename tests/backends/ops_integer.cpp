// Integer arithmetic, bits and shifts, exact on every backend, the corner cases included: they are defined by the IR.
#include "ops.h"

namespace vdc {
namespace {

template <class T>
using U = std::make_unsigned_t<T>;

template <class T>
std::vector<OpCase<T, T>> arithmetic() {
  using Ref = std::function<T(T, T, T)>;
  std::vector<OpCase<T, T>> ops;
  auto add = [&](const char* name, vd_op op, int arity, Ref reference) {
    ops.push_back({name,
                   [op, arity](Code& code, Value a, Value b, Value c) {
                     return arity == 1 ? code.op(op, {a}) : arity == 2 ? code.op(op, {a, b}) : code.op(op, {a, b, c});
                   },
                   [reference](T a, T b, T c, T got, double&) { return got == reference(a, b, c); }});
  };
  constexpr bool is_signed = std::is_signed_v<T>;
  constexpr T lowest = std::numeric_limits<T>::min();
  add("add", VD_OP_ADD, 2, [](T a, T b, T) { return static_cast<T>(U<T>(a) + U<T>(b)); });
  add("sub", VD_OP_SUB, 2, [](T a, T b, T) { return static_cast<T>(U<T>(a) - U<T>(b)); });
  add("mul", VD_OP_MUL, 2,
      [](T a, T b, T) { return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); });
  add("neg", VD_OP_NEG, 1, [](T a, T, T) { return static_cast<T>(U<T>(0) - U<T>(a)); });
  add("abs", VD_OP_ABS, 1, [](T a, T, T) { return a < 0 ? static_cast<T>(U<T>(0) - U<T>(a)) : a; });
  add("sign", VD_OP_SIGN, 1, [](T a, T, T) { return static_cast<T>((a > 0) - (a < 0)); });
  add("min", VD_OP_MIN, 2, [](T a, T b, T) { return b < a ? b : a; });
  add("max", VD_OP_MAX, 2, [](T a, T b, T) { return a < b ? b : a; });
  ops.push_back({"clamp",
                 [](Code& code, Value a, Value b, Value c) {
                   return code.op(VD_OP_CLAMP, {a, code.op(VD_OP_MIN, {b, c}), code.op(VD_OP_MAX, {b, c})});
                 },
                 [](T a, T b, T c, T got, double&) {
                   const T low = c < b ? c : b, high = b < c ? c : b;
                   return got == (a < low ? low : high < a ? high : a);
                 }});
  // Division by zero and the one quotient that overflows are defined: see the op table.
  auto quotient = [](T a, T b) {
    if (b == 0) return a;
    if (is_signed && a == lowest && b == static_cast<T>(-1)) return lowest;
    return static_cast<T>(a / b);
  };
  auto remainder = [](T a, T b) {
    if (b == 0) return static_cast<T>(0);
    if (is_signed && b == static_cast<T>(-1)) return static_cast<T>(0);
    return static_cast<T>(a % b);
  };
  add("div", VD_OP_DIV, 2, [quotient](T a, T b, T) { return quotient(a, b); });
  add("rem", VD_OP_REM, 2, [remainder](T a, T b, T) { return remainder(a, b); });
  add("floordiv", VD_OP_FLOORDIV, 2, [quotient, remainder](T a, T b, T) {
    if (b == 0) return quotient(a, b);
    const T q = quotient(a, b);
    return remainder(a, b) != 0 && ((a < 0) != (b < 0)) ? static_cast<T>(q - 1) : q;
  });
  add("floormod", VD_OP_FLOORMOD, 2, [remainder](T a, T b, T) {
    if (b == 0) return static_cast<T>(0);
    const T r = remainder(a, b);
    return r != 0 && ((r < 0) != (b < 0)) ? static_cast<T>(r + b) : r;
  });
  return ops;
}

template <class T>
std::vector<OpCase<T, T>> bits() {
  using Ref = std::function<T(T, T, T)>;
  std::vector<OpCase<T, T>> ops;
  auto add = [&](const char* name, vd_op op, int arity, Ref reference) {
    ops.push_back({name,
                   [op, arity](Code& code, Value a, Value b, Value) {
                     return arity == 1 ? code.op(op, {a}) : code.op(op, {a, b});
                   },
                   [reference](T a, T b, T c, T got, double&) { return got == reference(a, b, c); }});
  };
  constexpr int width = sizeof(T) * 8;
  add("and", VD_OP_AND, 2, [](T a, T b, T) { return static_cast<T>(a & b); });
  add("or", VD_OP_OR, 2, [](T a, T b, T) { return static_cast<T>(a | b); });
  add("xor", VD_OP_XOR, 2, [](T a, T b, T) { return static_cast<T>(a ^ b); });
  add("not", VD_OP_NOT, 1, [](T a, T, T) { return static_cast<T>(~a); });
  // Shift counts are taken modulo the width.
  add("shl", VD_OP_SHL, 2, [](T a, T b, T) { return static_cast<T>(static_cast<U<T>>(a) << (U<T>(b) % width)); });
  add("shr", VD_OP_SHR, 2, [](T a, T b, T) { return static_cast<T>(a >> (U<T>(b) % width)); });
  add("popcount", VD_OP_POPCOUNT, 1, [](T a, T, T) { return static_cast<T>(std::popcount(U<T>(a))); });
  add("clz", VD_OP_CLZ, 1, [](T a, T, T) { return static_cast<T>(std::countl_zero(U<T>(a))); });
  add("ctz", VD_OP_CTZ, 1, [](T a, T, T) { return static_cast<T>(std::countr_zero(U<T>(a))); });
  add("bitreverse", VD_OP_BITREVERSE, 1, [](T a, T, T) {
    U<T> r = 0;
    for (int i = 0; i < width; ++i)
      if (U<T>(a) >> i & 1) r = static_cast<U<T>>(r | U<T>(1) << (width - 1 - i));
    return static_cast<T>(r);
  });
  return ops;
}

// Every pair of the special values besides random ones.
template <class T>
void operands(Run& run, std::vector<T>& a, std::vector<T>& b, std::vector<T>& c) {
  a = samples<T>(run.random, run.samples(400, 20000));
  b = samples<T>(run.random, a.size());
  for (size_t i = 0; i < 12 * 12 && i < a.size(); ++i) a[i] = a[i % 12], b[i] = b[i / 12];
  c = samples<T>(run.random, a.size());
}

template <class T>
bool register_type() {
  const std::string name = Traits<T>::name;
  cases().push_back({"ops/integer/" + name, Traits<T>::features, [name](Run& run) {
                       std::vector<T> a, b, c;
                       operands(run, a, b, c);
                       run_ops<T, T>(run, "integer_" + name, arithmetic<T>(), a, b, c);
                     }});
  cases().push_back({"ops/bits/" + name, Traits<T>::features, [name](Run& run) {
                       std::vector<T> a, b, c;
                       operands(run, a, b, c);
                       run_ops<T, T>(run, "bits_" + name, bits<T>(), a, b, c);
                     }});
  return true;
}
[[maybe_unused]] const bool registered =
    (register_type<int8_t>(), register_type<int16_t>(), register_type<int32_t>(), register_type<int64_t>(),
     register_type<uint8_t>(), register_type<uint16_t>(), register_type<uint32_t>(), register_type<uint64_t>());

}  // namespace
}  // namespace vdc
