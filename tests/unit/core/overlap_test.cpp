#include "core/overlap.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace vd {
namespace {

// The two dimensions, or {-1, -1}.
std::pair<int, int> found(const std::vector<std::pair<uint64_t, uint64_t>>& dims) {
  Overlaps overlaps;
  for (uint32_t i = 0; i < dims.size(); ++i) overlaps.add({i, dims[i].first, dims[i].second});
  const auto overlap = overlaps.find();
  if (!overlap) return {-1, -1};
  return {static_cast<int>(overlap->dim.index), static_cast<int>(overlap->over.index)};
}

TEST(Overlaps, DimensionsNestInAnyOrder) {
  const std::pair<int, int> none{-1, -1};
  EXPECT_EQ(found({}), none);
  EXPECT_EQ(found({{4, 8}, {8, 1}}), none);
  EXPECT_EQ(found({{8, 1}, {4, 8}}), none);
  EXPECT_EQ(found({{2, 3}, {5, 100}, {3, 1}}), none);
  EXPECT_EQ(found({{2, 2}, {2, 3}}), none);          // 0, 2, 3, 5
  EXPECT_EQ(found({{1, 1}, {4, 1}, {1, 0}}), none);  // of one element no stride counts
}

TEST(Overlaps, SharedPlacesAreFound) {
  EXPECT_EQ(found({{4, 1}, {8, 1}}), std::pair(0, 1));
  EXPECT_EQ(found({{4, 7}, {8, 1}}), std::pair(0, 1));
  EXPECT_EQ(found({{8, 1}, {4, 7}}), std::pair(1, 0));
  // Past each of the smaller ones, not past both.
  EXPECT_EQ(found({{2, 9}, {2, 8}, {4, 2}}), std::pair(0, 1));
  // Sums that wrap around.
  EXPECT_EQ(found({{3, ~uint64_t{0}}, {3, ~uint64_t{0} - 1}}), std::pair(0, 1));
  // Refused, though no two meet: 0, 2, 4, 3, 5, 7.
  EXPECT_EQ(found({{2, 3}, {3, 2}}), std::pair(0, 1));
}

}  // namespace
}  // namespace vd
