// What butterflies cost: real products in the code that is written, beside the least that is known.
#include "fft/butterfly.h"

#include <gtest/gtest.h>

#include "ir/builder.h"

namespace vd::fft::test {
namespace {

uint32_t products(uint32_t radix) {
  const Ref<ir::Builder> builder = make_ref<ir::Builder>(vd_builder_desc(VD_BUILDER_DESC_INIT));
  Code c(*builder, ir::Scalar::F32);
  const Value data = builder->argument(VD_ARGUMENT_BUFFER, c.real(), "data");
  std::vector<Complex> x;
  for (uint64_t i = 0; i < radix; ++i) {
    const Value re = c.load(c.at(data, c.index(2 * i))), im = c.load(c.at(data, c.index(2 * i + 1)));
    x.push_back({re, im});
  }
  butterfly(c, x, -1);
  for (uint64_t i = 0; i < radix; ++i) {
    c.store(c.at(data, c.index(2 * i)), x[i].re);
    c.store(c.at(data, c.index(2 * i + 1)), x[i].im);
  }
  uint32_t count = 0;
  const ir::Kernel kernel = builder->finish();
  for (const ir::Inst& inst : kernel.insts) {
    if (inst.type == c.real() && (inst.op == VD_OP_MUL || inst.op == VD_OP_FMA)) ++count;
  }
  return count;
}

// Beside the least that is known for complex data: S. Winograd's algorithms (1978), of coprime factors nested. 2, 3, 4,
// 6, 8 and 12 reach it. Odd primes pair x[k] with x[p - k]: (p - 1)^2 products where the definition takes four times as
// many, nearly each of which contracts with an addition, as Winograd's do not.
TEST(Butterfly, ProductsAreFew) {
  struct Row {
    uint32_t radix, products, winograd;
  };
  for (const Row& row : {Row{2, 0, 0}, Row{3, 4, 4}, Row{4, 0, 0}, Row{5, 12, 10}, Row{6, 8, 8}, Row{7, 36, 16},
                         Row{8, 4, 4}, Row{9, 40, 20}, Row{10, 24, 20}, Row{11, 100, 40}, Row{12, 16, 16},
                         Row{13, 144, 40}, Row{14, 72, 32}, Row{15, 56, 34}, Row{16, 24, 20}}) {
    const uint32_t got = products(row.radix);
    EXPECT_EQ(got, row.products) << row.radix;
    EXPECT_GE(got, row.winograd) << row.radix;
    // The definition, without the products by 1: four for a complex one.
    EXPECT_LE(got, (row.radix - 1) * (row.radix - 1)) << row.radix;
  }
}

}  // namespace
}  // namespace vd::fft::test
