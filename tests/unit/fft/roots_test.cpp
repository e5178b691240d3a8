// Roots of unity that kernels compute themselves, beside exact ones: each power of each radix, for each butterfly.
#include "fft/roots.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

// An invocation for each butterfly, which writes its powers.
ir::Kernel write(uint32_t radix, uint32_t span, ir::Scalar scalar) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  const Ref<ir::Builder> builder = make_ref<ir::Builder>(desc);
  ComplexWriter c(*builder, scalar);
  builder->fix_workgroup_size({span, 1, 1});
  const Value data = builder->argument(VD_ARGUMENT_BUFFER, c.real(), "data");
  builder->argument(VD_ARGUMENT_BUFFER, c.real(), "constants");  // as the passes of a program have
  const Value j = c.emit(VD_OP_BUILTIN, {}, ir::Type(), VD_BUILTIN_LOCAL_INDEX);
  OwnRoots own;
  const std::vector<Complex> roots = own.stage(c, radix, span, j);
  for (uint64_t i = 0; i < roots.size(); ++i) {
    const Value at = c.offset(c.mul(j, 2 * roots.size()), 2 * i);
    c.store(c.at(data, at), roots[i].re);
    c.store(c.at(data, c.offset(at, 1)), roots[i].im);
  }
  return builder->finish();
}

// The largest distance between a root and the exact one.
template <class T>
double error(Host& host, uint32_t radix, uint32_t span, ir::Scalar scalar) {
  const Program program = program_of(write(radix, span, scalar));
  const std::vector<uint32_t> powers = stage_powers(radix, scalar);
  auto memory = host.buffer(std::vector<T>(2 * powers.size() * span));
  host.run(program, {memory.get()});
  const std::vector<Exact> got = unflat(host.read<T>(*memory));
  double largest = 0;
  for (size_t j = 0; j < span; ++j)
    for (size_t i = 0; i < powers.size(); ++i)
      largest = std::max(largest, static_cast<double>(std::abs(got[j * powers.size() + i] -
                                                               std::conj(exact_root(j * powers[i], radix * span)))));
  return largest;
}

TEST(OwnRoots, AreExactForEachPower) {
  Host host;
  for (const uint32_t radix : {2, 3, 5, 8, 9, 13, 16, 17, 20, 25, 30, 31, 32})
    for (const uint32_t span : {2, 25, 64}) {
      EXPECT_LT(error<float>(host, radix, span, ir::Scalar::F32), 4 * 0x1p-24) << radix << ' ' << span;
      EXPECT_LT(error<double>(host, radix, span, ir::Scalar::F64), 4 * 0x1p-53) << radix << ' ' << span;
    }
}

}  // namespace
}  // namespace vd::fft::test
