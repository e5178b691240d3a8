// Conversion between every two scalar types, and bit casts. Float to integer truncates and saturates, NaN gives 0;
// integer to integer wraps; to a narrower float rounds to nearest even.
#include "case.h"
#include "code.h"
#include "numbers.h"

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

// One kernel converts values of a type to every other type that the device has: an array of results for each.
template <class From>
class Conversions {
 public:
  explicit Conversions(Run& run) : run_(run), from_(samples<From>(run.random, run.samples(300, 10000))) {}

  template <class To>
  void add() {
    if (!run_.session.has(Traits<To>::features)) return;  // the case of this type is skipped aloud
    results_.push_back({VD_OP_CONVERT, Traits<To>::type, sizeof(To), Traits<To>::name,
                        [](From from, const void* got, double& ulp) { return converted(from, at<To>(got), ulp); },
                        [](const void* got) { return show(at<To>(got)); }});
    if constexpr (sizeof(From) == sizeof(To) && !std::is_same_v<From, To>)
      results_.push_back({VD_OP_BITCAST, Traits<To>::type, sizeof(To), Traits<To>::name,
                          [](From from, const void* got, double&) { return same_bits(from, at<To>(got)); },
                          [](const void* got) { return show(at<To>(got)); }});
  }

  void run() {
    const auto n = static_cast<uint32_t>(from_.size());
    Code code(std::string("convert_") + Traits<From>::name);
    Value in = code.buffer(Traits<From>::type, "x");
    std::vector<Value> out;
    for (const Result& result : results_) out.push_back(code.buffer(result.type, name_of(result).c_str()));
    Value i = code.let(code.global_id());
    Value x = code.let(in[i]);
    for (size_t k = 0; k < results_.size(); ++k) code.store(out[k][i], code.op(results_[k].op, {x}, results_[k].type));
    Kernel kernel = code.finish();
    Plan plan = run_.session.plan(kernel);
    ++run_.report.kernels;
    std::vector<Buffer> buffers;
    buffers.push_back(run_.session.buffer(from_));
    for (const Result& result : results_) buffers.push_back(run_.session.buffer(n * result.size));
    const std::vector<vd_buffer*> bound(buffers.begin(), buffers.end());
    run_.session.launch(plan, {n, 1, 1}, bound);
    for (size_t k = 0; k < results_.size(); ++k) compare(results_[k], bound[k + 1]);
  }

 private:
  struct Result {
    vd_op op;
    vd_type type;
    size_t size;
    const char* to;
    bool (*right)(From from, const void* got, double& ulp);
    std::string (*shown)(const void* got);
  };

  template <class To>
  static To at(const void* got) {
    To value;
    std::memcpy(&value, got, sizeof value);
    return value;
  }
  static std::string name_of(const Result& result) {
    return std::string(result.op == VD_OP_CONVERT ? "to_" : "bits_as_") + result.to;
  }

  void compare(const Result& result, vd_buffer* buffer) {
    const auto got = run_.session.read<std::byte>(buffer, from_.size() * result.size);
    const std::string name = std::string(Traits<From>::name) + " " + name_of(result);
    for (size_t j = 0; j < from_.size(); ++j) {
      double ulp = 0;
      const void* value = &got[j * result.size];
      ++run_.report.compared;
      if (result.right(from_[j], value, ulp))
        run_.report.difference(ulp, name);
      else
        fail("%s: %s gave %s, %.3g ulp off", name.c_str(), show(from_[j]).c_str(), result.shown(value).c_str(), ulp);
    }
  }

  Run& run_;
  std::vector<From> from_;
  std::vector<Result> results_;
};

template <class... To>
struct Types {
  template <class From>
  static bool register_from() {
    cases().push_back({std::string("ops/convert/") + Traits<From>::name, Traits<From>::features,
                       [](Run& run) {
                         Conversions<From> conversions(run);
                         (conversions.template add<To>(), ...);
                         conversions.run();
                       },
                       Turn::Case, (Traits<To>::features | ...)});
    return true;
  }
  static bool register_all() { return (register_from<To>() && ...); }
};
[[maybe_unused]] const bool convert_registered = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                                                       uint64_t, Half, float, double>::register_all();

}  // namespace
}  // namespace vdc
