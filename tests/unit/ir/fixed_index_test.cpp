#include "ir/fixed_index.h"

#include <gtest/gtest.h>

#include "unit/ir/write.h"

namespace vd::ir {
namespace {

using testing::Write;

TEST(FixedIndices, AreTheLargestConstantsOutsideOfBlocks) {
  Write w;
  const vd_value x = w.buffer(kF32, "x"), y = w.buffer(Type::vector(Scalar::F32, 4), "y"), n = w.value(kU32, "n");
  w.store(w.index(x, 3), w.op(VD_OP_LOAD, {w.index(x, 7)}));
  w.store(w.index(x, n), w.f32(1));  // not a constant
  w.store(w.index(w.index(y, 2), 1), w.f32(2));
  w.op(VD_OP_ATOMIC_EXCHANGE, {w.index(w.op(VD_OP_VIEW, {y}, kU32), 40), w.u32(1)});
  w.op(VD_OP_IF, {w.op(VD_OP_LT, {n, w.u32(5)})});
  w.store(w.index(x, 100), w.f32(1));
  w.end();
  w.store(w.index(x, 9), w.f32(1));
  const std::vector<FixedIndex> fixed = fixed_indices(w.finish());
  ASSERT_EQ(fixed.size(), 3u);
  EXPECT_EQ(fixed[0].index, 9u);
  EXPECT_EQ(fixed[0].element_size, 4u);
  EXPECT_EQ(fixed[0].end, 40u);
  EXPECT_EQ(fixed[1].index, 40u);  // words of the view
  EXPECT_EQ(fixed[1].element_size, 4u);
  EXPECT_EQ(fixed[1].end, 164u);
  EXPECT_EQ(fixed[2].element_size, 0u);
}

TEST(FixedIndices, NothingBehindAReturnCounts) {
  Write w;
  const vd_value x = w.buffer(kF32, "x"), n = w.value(kU32, "n");
  w.store(w.index(x, 3), w.f32(1));
  w.op(VD_OP_IF, {w.op(VD_OP_LT, {n, w.u32(5)})});
  w.op(VD_OP_RETURN);
  w.end();
  w.store(w.index(x, 100), w.f32(1));
  EXPECT_EQ(fixed_indices(w.finish())[0].index, 3u);
}

TEST(FixedIndices, FarOnesDoNotWrap) {
  Write w;
  const vd_value x = w.buffer(Type::vector(Scalar::F32, 4), "x");
  w.store(w.index(w.index(x, w.op(VD_OP_CONST, {}, Type(Scalar::U64), uint64_t{1} << 60)), 0), w.f32(1));
  const FixedIndex fixed = fixed_indices(w.finish())[0];
  EXPECT_EQ(fixed.index, uint64_t{1} << 60);
  EXPECT_EQ(fixed.end, ~uint64_t{0});
}

}  // namespace
}  // namespace vd::ir
