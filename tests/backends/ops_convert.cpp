// Conversion between every two scalar types, and bit casts. Float to integer truncates and saturates, NaN gives 0;
// integer to integer wraps; to a narrower float rounds to nearest even.
#include "ops.h"

namespace vdc {
namespace {

template <class From, class To>
bool converted(From from, To got, double& ulp) {
  if constexpr (kFloat<From> && kFloat<To>) {
    const double x = to_double(from);
    const double expected = to_double(from_double<To>(x));
    ulp = ulp_distance(got, expected);
    return ulp == 0;
  } else if constexpr (kFloat<From>) {
    const double x = to_double(from);
    using L = std::numeric_limits<To>;
    To expected;
    if (std::isnan(x))
      expected = 0;
    else if (x <= static_cast<double>(L::min()))
      expected = L::min();
    else if (x >= std::ldexp(1.0, L::digits))
      expected = L::max();
    else
      expected = static_cast<To>(x);
    return got == expected;
  } else if constexpr (kFloat<To>) {
    // A 64-bit integer may be between two values: the result is the nearest, or for f64 and f16 that of one rounding.
    const long double exact = static_cast<long double>(from);
    ulp = ulp_distance(got, exact);
    return ulp <= 0.5;
  } else {
    return got == static_cast<To>(from);
  }
}

// A NaN may come back as another NaN where the bits passed through a float register.
template <class From, class To>
bool same_bits(From from, To got) {
  if (std::memcmp(&from, &got, sizeof from) == 0) return true;
  if constexpr (kFloat<From>) return std::isnan(to_double(from));
  if constexpr (kFloat<To>) return std::isnan(to_double(got)) && std::isnan(to_double(std::bit_cast<To>(from)));
  return false;
}

using Emit = std::function<Value(size_t op, Code& code, Value a, Value b, Value c)>;
Emit emit_pair(vd_type to) {
  return [to](size_t op, Code& code, Value x, Value, Value) {
    return op == 0 ? code.convert(x, to) : code.op(VD_OP_BITCAST, {x}, to);
  };
}
std::function<std::string(size_t)> names_of(const std::string& pair) {
  return [pair](size_t op) { return op == 0 ? pair : "bitcast"; };
}

template <class From, class To>
void convert_pair(Run& run) {
  const uint64_t needed = Traits<From>::features | Traits<To>::features;
  if (!run.session.has(needed)) return;  // the case of the To type alone is skipped aloud
  const auto a = samples<From>(run.random, run.samples(300, 10000));
  constexpr bool bitcast = sizeof(From) == sizeof(To) && !std::is_same_v<From, To>;
  const std::string name = std::string("convert_") + Traits<From>::name + "_" + Traits<To>::name;
  PackedKernel packed{name,
                      Traits<From>::type,
                      Traits<To>::type,
                      sizeof(From),
                      sizeof(To),
                      0,
                      a.size(),
                      {a.data(), a.data(), a.data()},
                      bitcast ? 2u : 1u,
                      emit_pair(Traits<To>::type),
                      {},
                      names_of(name),
                      {}};
  packed.right = [&a](size_t op, size_t at, const void* value, double& ulp) {
    const To got = *static_cast<const To*>(value);
    if constexpr (bitcast)
      if (op == 1) return same_bits(a[at], got);
    return converted(a[at], got, ulp);
  };
  packed.shown = [&a](size_t at, const void* got) {
    return "(" + show(a[at]) + ") gave " + show(*static_cast<const To*>(got));
  };
  run_packed(run, packed);
}

template <class To>
bool register_convert() {
  cases().push_back({std::string("ops/convert/") + Traits<To>::name, Traits<To>::features, [](Run& run) {
                       convert_pair<int8_t, To>(run), convert_pair<int16_t, To>(run), convert_pair<int32_t, To>(run);
                       convert_pair<int64_t, To>(run), convert_pair<uint8_t, To>(run), convert_pair<uint16_t, To>(run);
                       convert_pair<uint32_t, To>(run), convert_pair<uint64_t, To>(run), convert_pair<Half, To>(run);
                       convert_pair<float, To>(run), convert_pair<double, To>(run);
                     }});
  return true;
}
[[maybe_unused]] const bool convert_registered =
    (register_convert<int8_t>(), register_convert<int16_t>(), register_convert<int32_t>(), register_convert<int64_t>(),
     register_convert<uint8_t>(), register_convert<uint16_t>(), register_convert<uint32_t>(),
     register_convert<uint64_t>(), register_convert<Half>(), register_convert<float>(), register_convert<double>());

}  // namespace
}  // namespace vdc
