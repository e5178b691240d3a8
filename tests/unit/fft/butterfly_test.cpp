// The cost of butterflies: real products in the written code, beside the fewest known, and operations beside the
// planner's estimate. And their results, in double precision.
#include "fft/butterfly.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ir/builder.h"
#include "unit/fft/support.h"

namespace vd::fft::test {
namespace {

ir::Kernel write(uint32_t radix, ButterflyForm form, int sign = -1, ir::Scalar scalar = ir::Scalar::F32) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  const Ref<ir::Builder> builder = make_ref<ir::Builder>(desc);
  ComplexWriter c(*builder, scalar);
  builder->fix_workgroup_size({1, 1, 1});
  const Value data = builder->argument(VD_ARGUMENT_BUFFER, c.real(), "data");
  builder->argument(VD_ARGUMENT_BUFFER, c.real(), "constants");  // as the passes of a program have
  std::vector<Complex> x;
  for (uint64_t i = 0; i < radix; ++i) {
    const Value re = c.load(c.at(data, c.index(2 * i))), im = c.load(c.at(data, c.index(2 * i + 1)));
    x.push_back({re, im});
  }
  butterfly(c, x, sign, form);
  for (uint64_t i = 0; i < radix; ++i) {
    c.store(c.at(data, c.index(2 * i)), x[i].re);
    c.store(c.at(data, c.index(2 * i + 1)), x[i].im);
  }
  return builder->finish();
}

struct Cost {
  uint32_t products = 0, operations = 0;
};

// A product contracts if all that it goes into are additions, with no other product yet.
Cost cost_of(const ir::Kernel& kernel) {
  std::map<ir::ValueId, std::vector<ir::ValueId>> uses;
  std::vector<ir::ValueId> products;
  Cost cost;
  for (ir::ValueId id = 0; id < kernel.insts.size(); ++id) {
    const ir::Inst& inst = kernel.insts[id];
    for (const ir::ValueId operand : kernel.operands_of(inst)) uses[operand].push_back(id);
    if (inst.type != ir::kF32) continue;
    if (inst.op == VD_OP_ADD || inst.op == VD_OP_SUB) ++cost.operations;
    EXPECT_NE(inst.op, VD_OP_FMA);
    if (inst.op == VD_OP_MUL) products.push_back(id);
  }
  std::set<ir::ValueId> taken;
  for (const ir::ValueId id : products) {
    ++cost.products;
    bool contracts = true;
    for (const ir::ValueId use : uses[id]) {
      const ir::Op op = kernel.insts[use].op;
      contracts = contracts && (op == VD_OP_ADD || op == VD_OP_SUB) && !taken.contains(use);
    }
    if (contracts) {
      taken.insert(uses[id].begin(), uses[id].end());
    } else {
      ++cost.operations;
    }
  }
  return cost;
}

struct Row {
  uint32_t radix, fused, fewest;
};
// Products. Fewest is the least that is known for complex data: S. Winograd's algorithms (1978), of coprime factors
// nested. Primes above 16 have one form, whose products all contract but the first of each sum.
constexpr Row kProducts[] = {
    {2, 0, 0},      {3, 4, 4},      {4, 0, 0},      {5, 10, 10},    {6, 8, 8},      {7, 36, 16},   {8, 4, 4},
    {9, 40, 20},    {10, 20, 20},   {11, 100, 40},  {12, 16, 16},   {13, 144, 40},  {14, 72, 32},  {15, 50, 34},
    {16, 24, 20},   {17, 256, 256}, {18, 80, 40},   {19, 324, 324}, {20, 40, 40},   {21, 136, 76}, {22, 200, 80},
    {23, 484, 484}, {24, 44, 44},   {25, 164, 164}, {26, 288, 80},  {27, 220, 160}, {28, 144, 64}, {29, 784, 784},
    {30, 100, 68},  {31, 900, 900}, {32, 88, 88}};

TEST(Butterfly, ProductsAreFew) {
  for (const Row& row : kProducts) {
    EXPECT_EQ(cost_of(write(row.radix, ButterflyForm::Fused)).products, row.fused) << row.radix;
    EXPECT_EQ(cost_of(write(row.radix, ButterflyForm::Fewest)).products, row.fewest) << row.radix;
  }
}

TEST(Butterfly, CostIsWhatIsWritten) {
  for (const Row& row : kProducts) {
    for (const ButterflyForm form : {ButterflyForm::Fused, ButterflyForm::Fewest}) {
      EXPECT_EQ(butterfly_cost(row.radix, form), cost_of(write(row.radix, form)).operations)
          << row.radix << (form == ButterflyForm::Fewest ? ", fewest products" : ", fused");
    }
  }
}

TEST(Butterfly, Transforms) {
  Host host;
  for (const Row& row : kProducts) {
    for (const ButterflyForm form : {ButterflyForm::Fused, ButterflyForm::Fewest}) {
      for (const int sign : {-1, 1}) {
        const Program program = program_of(write(row.radix, form, sign, ir::Scalar::F64));
        const std::vector<Exact> x = random_values(row.radix, test_seed());
        auto memory = host.buffer(flat<double>(x));
        host.run(program, {memory.get()});
        EXPECT_LE(distance(unflat(host.read<double>(*memory)), exact_dft(x, sign)), bound(row.radix, ir::Scalar::F64))
            << row.radix << ' ' << sign << (form == ButterflyForm::Fewest ? ", fewest products" : ", fused");
      }
    }
  }
}

}  // namespace
}  // namespace vd::fft::test
