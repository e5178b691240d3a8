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

// The computation of a packed kernel, without the types of its values: all kernels share one body, which compiles once.
struct PackedKernel {
  std::string name;
  vd_type in, out;
  size_t in_size, out_size;
  vd_builder_flags flags;
  size_t count;             // elements
  const void* operands[3];  // a, b, c
  size_t op_count;
  std::function<Value(size_t op, Code& code, Value a, Value b, Value c)> emit;
  std::function<bool(size_t op, size_t at, const void* got, double& ulp)> right;
  std::function<std::string(size_t op)> op_name;
  std::function<std::string(size_t at, const void* got)> shown;
};
void run_packed(Run& run, const PackedKernel& packed);

template <class In, class Out>
void run_ops(Run& run, const std::string& name, const std::vector<OpCase<In, Out>>& ops, const std::vector<In>& a,
             const std::vector<In>& b, const std::vector<In>& c, vd_builder_flags flags = 0) {
  if (ops.empty()) return;
  PackedKernel packed{name,
                      Traits<In>::type,
                      Traits<Out>::type,
                      sizeof(In),
                      sizeof(Out),
                      flags,
                      a.size(),
                      {a.data(), b.data(), c.data()},
                      ops.size(),
                      {},
                      {},
                      {},
                      {}};
  packed.emit = [&](size_t op, Code& code, Value x, Value y, Value z) { return ops[op].emit(code, x, y, z); };
  packed.op_name = [&](size_t op) { return ops[op].name; };
  packed.right = [&](size_t op, size_t at, const void* got, double& ulp) {
    return ops[op].right(a[at], b[at], c[at], *static_cast<const Out*>(got), ulp);
  };
  packed.shown = [&](size_t at, const void* got) {
    return "(" + show(a[at]) + ", " + show(b[at]) + ", " + show(c[at]) + ") gave " +
           show(*static_cast<const Out*>(got));
  };
  run_packed(run, packed);
}

// The table's bound for f32; half the mantissa less for f16 is never worse than this plus rounding.
struct Bounds {
  double native, precise;
};
Bounds bounds_of(vd_op op);

}  // namespace vdc
