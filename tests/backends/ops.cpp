#include "ops.h"

namespace vdc {

void run_packed(Run& run, const PackedKernel& packed) {
  const auto n = static_cast<uint32_t>(packed.count);
  Code code(packed.name, packed.flags);
  Value in_a = code.buffer(packed.in, "a"), in_b = code.buffer(packed.in, "b"), in_c = code.buffer(packed.in, "c"),
        out = code.buffer(packed.out, "result");
  Value i = code.let(code.global_id());
  Value x = code.let(in_a[i]), y = code.let(in_b[i]), z = code.let(in_c[i]);
  for (uint32_t k = 0; k < packed.op_count; ++k) code.store(out[i + k * n], packed.emit(k, code, x, y, z));
  Kernel kernel = code.finish();
  Plan plan = run.session.plan(kernel);
  ++run.report.kernels;
  Buffer operands[3];
  for (int k = 0; k < 3; ++k) operands[k] = run.session.buffer(packed.count * packed.in_size, packed.operands[k]);
  Buffer result = run.session.buffer(packed.op_count * n * packed.out_size);
  run.session.launch(plan, {n, 1, 1}, {operands[0], operands[1], operands[2], result});
  const std::vector<std::byte> got = run.session.read<std::byte>(result, packed.op_count * n * packed.out_size);
  for (size_t k = 0; k < packed.op_count; ++k) {
    const std::string name = packed.op_name(k);
    for (size_t j = 0; j < n; ++j) {
      double ulp = 0;
      const void* value = &got[(k * n + j) * packed.out_size];
      ++run.report.compared;
      if (packed.right(k, j, value, ulp))
        run.report.difference(ulp, name);
      else
        fail("%s: %s%s, %.3g ulp off", packed.name.c_str(), name.c_str(), packed.shown(j, value).c_str(), ulp);
    }
  }
}

}  // namespace vdc
