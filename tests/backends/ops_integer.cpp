// Integer arithmetic, bits and shifts, exact on every backend, the corner cases included: they are defined by the IR.
#include "ops.h"
#include "reference.h"

namespace vdc {
namespace {

// An op by itself, beside the reference's.
template <class T>
OpCase<T, T> single(const char* name, vd_op op, int arity) {
  return {name,
          [op, arity](Code& code, Value a, Value b, Value) {
            return arity == 1 ? code.op(op, {a}) : code.op(op, {a, b});
          },
          [op](T a, T b, T c, T got, double&) { return got == integer_op(op, a, b, c); }};
}

template <class T>
std::vector<OpCase<T, T>> arithmetic() {
  std::vector<OpCase<T, T>> ops = {
      single<T>("add", VD_OP_ADD, 2), single<T>("sub", VD_OP_SUB, 2), single<T>("mul", VD_OP_MUL, 2),
      single<T>("neg", VD_OP_NEG, 1), single<T>("abs", VD_OP_ABS, 1), single<T>("sign", VD_OP_SIGN, 1),
      single<T>("min", VD_OP_MIN, 2), single<T>("max", VD_OP_MAX, 2),
      // Division by zero and the one quotient that overflows are defined: see the op table.
      single<T>("div", VD_OP_DIV, 2), single<T>("rem", VD_OP_REM, 2), single<T>("floordiv", VD_OP_FLOORDIV, 2),
      single<T>("floormod", VD_OP_FLOORMOD, 2)};
  ops.push_back({"clamp",
                 [](Code& code, Value a, Value b, Value c) {
                   return code.op(VD_OP_CLAMP, {a, code.op(VD_OP_MIN, {b, c}), code.op(VD_OP_MAX, {b, c})});
                 },
                 [](T a, T b, T c, T got, double&) {
                   const T low = c < b ? c : b, high = b < c ? c : b;
                   return got == (a < low ? low : high < a ? high : a);
                 }});
  return ops;
}

template <class T>
std::vector<OpCase<T, T>> bits() {
  return {single<T>("and", VD_OP_AND, 2),           single<T>("or", VD_OP_OR, 2),
          single<T>("xor", VD_OP_XOR, 2),           single<T>("not", VD_OP_NOT, 1),
          single<T>("shl", VD_OP_SHL, 2),           single<T>("shr", VD_OP_SHR, 2),
          single<T>("popcount", VD_OP_POPCOUNT, 1), single<T>("clz", VD_OP_CLZ, 1),
          single<T>("ctz", VD_OP_CTZ, 1),           single<T>("bitreverse", VD_OP_BITREVERSE, 1)};
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
bool register_integer() {
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
[[maybe_unused]] const bool integer_registered =
    (register_integer<int8_t>(), register_integer<int16_t>(), register_integer<int32_t>(), register_integer<int64_t>(),
     register_integer<uint8_t>(), register_integer<uint16_t>(), register_integer<uint32_t>(),
     register_integer<uint64_t>());

}  // namespace
}  // namespace vdc
