// Comparison, logic and selection, for every scalar type.
#include "ops.h"

namespace vdc {
namespace {

template <class T>
std::vector<OpCase<T, uint32_t>> comparisons() {
  using Ref = std::function<bool(T, T, T)>;
  std::vector<OpCase<T, uint32_t>> ops;
  auto as_number = [](Code& code, Value condition) {
    return code.op(VD_OP_SELECT, {condition, code.u32(1), code.u32(0)});
  };
  auto add = [&](const char* name, std::function<Value(Code&, Value, Value, Value)> emit, Ref reference) {
    ops.push_back(
        {name,
         [as_number, emit](Code& code, Value a, Value b, Value c) { return as_number(code, emit(code, a, b, c)); },
         [reference](T a, T b, T c, uint32_t got, double&) { return got == (reference(a, b, c) ? 1u : 0u); }});
  };
  auto compare = [&](const char* name, vd_op op, auto relation) {
    add(
        name,
        [op](Code& code, Value a, Value b, Value) {
          return code.op(op, {a, b});
        },
        [relation](T a, T b, T) {
          if constexpr (std::is_same_v<T, Half>)
            return relation(to_double(a), to_double(b));
          else
            return relation(a, b);
        });
  };
  compare("eq", VD_OP_EQ, [](auto a, auto b) { return a == b; });
  compare("ne", VD_OP_NE, [](auto a, auto b) { return a != b; });
  compare("lt", VD_OP_LT, [](auto a, auto b) { return a < b; });
  compare("le", VD_OP_LE, [](auto a, auto b) { return a <= b; });
  compare("gt", VD_OP_GT, [](auto a, auto b) { return a > b; });
  compare("ge", VD_OP_GE, [](auto a, auto b) { return a >= b; });
  auto number = [](T x) {
    if constexpr (std::is_same_v<T, Half>)
      return to_double(x);
    else
      return x;
  };
  add(
      "land",
      [](Code& code, Value a, Value b, Value c) {
        return code.op(VD_OP_LAND, {code.op(VD_OP_LT, {a, b}), code.op(VD_OP_LE, {b, c})});
      },
      [number](T a, T b, T c) { return number(a) < number(b) && number(b) <= number(c); });
  add(
      "lor",
      [](Code& code, Value a, Value b, Value c) {
        return code.op(VD_OP_LOR, {code.op(VD_OP_LT, {a, b}), code.op(VD_OP_EQ, {b, c})});
      },
      [number](T a, T b, T c) { return number(a) < number(b) || number(b) == number(c); });
  add(
      "lnot",
      [](Code& code, Value a, Value b, Value) {
        return code.op(VD_OP_LNOT, {code.op(VD_OP_LT, {a, b})});
      },
      [number](T a, T b, T) { return !(number(a) < number(b)); });
  return ops;
}

template <class T>
std::vector<OpCase<T, T>> selections() {
  return {{"select",
           [](Code& code, Value a, Value b, Value c) {
             return code.op(VD_OP_SELECT, {code.op(VD_OP_LT, {a, b}), b, c});
           },
           [](T a, T b, T c, T got, double&) {
             if constexpr (std::is_same_v<T, Half>) {
               const T expected = to_double(a) < to_double(b) ? b : c;
               return expected.bits == got.bits || (std::isnan(to_double(expected)) && std::isnan(to_double(got)));
             } else {
               const T expected = a < b ? b : c;
               return expected == got || (expected != expected && got != got);
             }
           }}};
}

template <class T>
bool register_compare() {
  const std::string name = Traits<T>::name;
  cases().push_back({"ops/compare/" + name, Traits<T>::features, [name](Run& run) {
                       auto a = samples<T>(run.random, run.samples(400, 20000)), b = samples<T>(run.random, a.size()),
                            c = samples<T>(run.random, a.size());
                       for (size_t i = 0; i < 144; ++i) a[i] = a[i % 12], b[i] = b[i / 12];
                       run_ops<T, uint32_t>(run, "compare_" + name, comparisons<T>(), a, b, c);
                       run_ops<T, T>(run, "select_" + name, selections<T>(), a, b, c);
                     }});
  return true;
}
[[maybe_unused]] const bool compare_registered =
    (register_compare<int8_t>(), register_compare<int16_t>(), register_compare<int32_t>(), register_compare<int64_t>(),
     register_compare<uint8_t>(), register_compare<uint16_t>(), register_compare<uint32_t>(),
     register_compare<uint64_t>(), register_compare<Half>(), register_compare<float>(), register_compare<double>());

}  // namespace
}  // namespace vdc
