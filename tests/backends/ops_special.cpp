// Results of floats at the ends of their range under VD_BUILDER_PRECISE: infinities and NaNs everywhere, denormals if
// the device keeps them.
#include "case.h"
#include "code.h"
#include "random/program.h"
#include "reference.h"

namespace vdc {
namespace {

constexpr vd_op kOps[] = {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_MIN, VD_OP_MAX};

// Each op on each pair of values, and with each of them as a constant that the compiler sees.
template <class T>
void pairs(Run& run, const random::Device& device, const std::vector<T>& values) {
  const auto n = static_cast<uint32_t>(values.size());
  Code code(std::string("special_") + Traits<T>::name, VD_BUILDER_PRECISE);
  Value in = code.buffer(Traits<T>::type, "x"), out = code.buffer(Traits<T>::type, "y");
  Value i = code.let(code.global_id());
  Value x = code.let(in[i % n]);
  uint32_t row = 0;
  for (const vd_op op : kOps)
    for (uint32_t k = 0; k < n; ++k) {
      code.store(out[i + row++ * n], code.op(op, {x, in[code.u32(k)]}));
      code.store(out[i + row++ * n], code.op(op, {x, code.literal(Traits<T>::type, number_of(values[k]).bits)}));
    }
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel, 32);
  ++run.report.kernels;
  Buffer a = run.session.buffer(values), b = run.session.buffer(uint64_t{row} * n * sizeof(T));
  run.session.launch(plan, {n, 1, 1}, {a, b});
  const auto got = run.session.read<T>(b, size_t{row} * n);
  row = 0;
  for (const vd_op op : kOps)
    for (uint32_t k = 0; k < n; ++k)
      for (int form = 0; form < 2; ++form, ++row)
        for (uint32_t j = 0; j < n; ++j) {
          Open open;
          const Number operands[] = {number_of(values[j]), number_of(values[k])};
          const Number expected = evaluate(op, Traits<T>::type, operands, open), found = number_of(got[row * n + j]);
          ++run.report.compared;
          if (open.value || (form == 1 && device.llvmpipe && is_zero(operands[1]))) continue;
          if (expected.bits == found.bits || (is_nan(expected) && is_nan(found))) continue;
          fail("%s %s %s%s gave %s, expected %s", op_name(op), show(operands[0]).c_str(), show(operands[1]).c_str(),
               form ? " (a constant)" : "", show(found).c_str(), show(expected).c_str());
        }
}

template <class T>
std::vector<T> special(bool denormals) {
  std::vector<T> values;
  using L = std::numeric_limits<double>;
  for (const double x : {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, L::infinity(), -L::infinity(), L::quiet_NaN()})
    values.push_back(from_double<T>(x));
  if (!denormals) return values;
  const double least = std::ldexp(1.0, FloatShape<T>::min_exponent - FloatShape<T>::digits);
  for (const double x : {least, -least, 3 * least, std::ldexp(1.0, FloatShape<T>::min_exponent - 1)})
    values.push_back(from_double<T>(x));
  return values;
}

template <class T>
bool register_special() {
  const std::string name = Traits<T>::name;
  cases().push_back({"floats/special/" + name, Traits<T>::features,
                     [](Run& run) { pairs(run, random::describe(run.session), special<T>(false)); }});
  cases().push_back({"floats/denormals/" + name, Traits<T>::features, [](Run& run) {
                       const random::Device device = random::describe(run.session);
                       if (device.flushes_denormals)
                         run.report.skipped = "the device flushes denormals";
                       else if (random::describe(run.session, 0).flushes_denormals)
                         fail("denormals are flushed where a kernel is not precise, and kept where it is");
                       else
                         pairs(run, device, special<T>(true));
                     }});
  return true;
}
[[maybe_unused]] const bool special_registered =
    (register_special<Half>(), register_special<float>(), register_special<double>());

}  // namespace
}  // namespace vdc
