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
    // A 64-bit integer may lie between two values: nearest, or for f64 and f16 what one rounding gives.
    const long double exact = static_cast<long double>(from);
    ulp = ulp_distance(got, exact);
    return ulp <= 0.5;
  } else {
    return got == static_cast<To>(from);
  }
}

template <class From, class To>
void convert_pair(Run& run) {
  const uint64_t needed = Traits<From>::features | Traits<To>::features;
  if (!run.session.has(needed)) return;  // the case of the To type alone is skipped aloud
  auto a = samples<From>(run.random, run.samples(300, 10000));
  const std::string name = std::string("convert_") + Traits<From>::name + "_" + Traits<To>::name;
  std::vector<OpCase<From, To>> ops = {
      {name, [](Code& code, Value x, Value, Value) { return code.convert(x, Traits<To>::type); },
       [](From x, From, From, To got, double& ulp) { return converted(x, got, ulp); }}};
  if constexpr (sizeof(From) == sizeof(To) && !std::is_same_v<From, To>)
    ops.push_back({"bitcast",
                   [](Code& code, Value x, Value, Value) { return code.op(VD_OP_BITCAST, {x}, Traits<To>::type); },
                   [](From x, From, From, To got, double&) {
                     // A NaN may come back as another NaN where the bits passed through a float register.
                     if (std::memcmp(&x, &got, sizeof x) == 0) return true;
                     if constexpr (kFloat<From>) return std::isnan(to_double(x));
                     if constexpr (kFloat<To>)
                       return std::isnan(to_double(got)) && std::isnan(to_double(std::bit_cast<To>(x)));
                     return false;
                   }});
  run_ops<From, To>(run, name, ops, a, a, a);
}

template <class To>
bool register_type() {
  cases().push_back({std::string("ops/convert/") + Traits<To>::name, Traits<To>::features, [](Run& run) {
                       convert_pair<int8_t, To>(run), convert_pair<int16_t, To>(run), convert_pair<int32_t, To>(run);
                       convert_pair<int64_t, To>(run), convert_pair<uint8_t, To>(run), convert_pair<uint16_t, To>(run);
                       convert_pair<uint32_t, To>(run), convert_pair<uint64_t, To>(run), convert_pair<Half, To>(run);
                       convert_pair<float, To>(run), convert_pair<double, To>(run);
                     }});
  return true;
}
[[maybe_unused]] const bool registered =
    (register_type<int8_t>(), register_type<int16_t>(), register_type<int32_t>(), register_type<int64_t>(),
     register_type<uint8_t>(), register_type<uint16_t>(), register_type<uint32_t>(), register_type<uint64_t>(),
     register_type<Half>(), register_type<float>(), register_type<double>());

}  // namespace
}  // namespace vdc
