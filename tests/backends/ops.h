// Many ops packed into one kernel: for each element i the kernel stores op k of (a[i], b[i], c[i]) at out[k * n + i].
// The test computes the same and compares, each op by its own bound.
#pragma once

#include <functional>

#include "case.h"
#include "code.h"
#include "numbers.h"

namespace vdc {

// One op of a packed kernel with operands and results of scalar types In and Out.
template <class In, class Out>
struct OpCase {
  std::string name;
  std::function<Value(Code&, Value a, Value b, Value c)> emit;
  std::function<bool(In a, In b, In c, Out got, double& ulp)> right;  // ulp is reported for floats
};

template <class In, class Out>
void run_ops(Run& run, const std::string& name, const std::vector<OpCase<In, Out>>& ops, const std::vector<In>& a,
             const std::vector<In>& b, const std::vector<In>& c, vd_builder_flags flags = 0) {
  if (ops.empty()) return;
  const auto n = static_cast<uint32_t>(a.size());
  Code code(name, flags);
  Value in_a = code.buffer(Traits<In>::type, "a"), in_b = code.buffer(Traits<In>::type, "b"),
        in_c = code.buffer(Traits<In>::type, "c"), out = code.buffer(Traits<Out>::type, "result");
  Value i = code.let(code.global_id());
  Value x = code.let(in_a[i]), y = code.let(in_b[i]), z = code.let(in_c[i]);
  for (uint32_t k = 0; k < ops.size(); ++k) code.store(out[i + k * n], ops[k].emit(code, x, y, z));
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel);
  ++run.report.kernels;
  Buffer ba = run.session.buffer(a), bb = run.session.buffer(b), bc = run.session.buffer(c);
  Buffer result = run.session.buffer(ops.size() * n * sizeof(Out));
  run.session.launch(plan, {n, 1, 1}, {ba, bb, bc, result});
  std::vector<Out> got = run.session.read<Out>(result, ops.size() * n);
  for (size_t k = 0; k < ops.size(); ++k)
    for (size_t j = 0; j < n; ++j) {
      double ulp = 0;
      const Out value = got[k * n + j];
      const bool right = ops[k].right(a[j], b[j], c[j], value, ulp);
      ++run.report.compared;
      if (right)
        run.report.difference(ulp, ops[k].name);
      else
        fail("%s: %s(%s, %s, %s) gave %s, %.3g ulp off", name.c_str(), ops[k].name.c_str(), show(a[j]).c_str(),
             show(b[j]).c_str(), show(c[j]).c_str(), show(value).c_str(), ulp);
    }
}

// The table's bound for f32; half the mantissa less for f16 is never worse than this plus rounding.
struct Bounds {
  double native, precise;
};
Bounds bounds_of(vd_op op);

}  // namespace vdc
