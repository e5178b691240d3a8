#include "core/overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
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
  // Refused, though no two overlap: 0, 2, 4, 3, 5, 7.
  EXPECT_EQ(found({{2, 3}, {3, 2}}), std::pair(0, 1));
}

// All bytes of an array, by listing them.
std::set<uint64_t> bytes_of(const StridedBytes& array) {
  std::vector<uint64_t> starts{array.begin};
  for (const StridedDim& dim : array.dims) {
    std::vector<uint64_t> more;
    for (const uint64_t start : starts) {
      for (uint64_t i = 0; i < dim.count; ++i) more.push_back(start + i * dim.stride);
    }
    starts = std::move(more);
  }
  std::set<uint64_t> bytes;
  for (const uint64_t start : starts) {
    for (uint64_t i = 0; i < array.size; ++i) bytes.insert(start + i);
  }
  return bytes;
}

TEST(SharedBytes, AreThoseThatAreInBothLists) {
  std::mt19937 random(17);
  const auto below = [&](uint64_t n) { return random() % n; };
  int shared = 0, distinct = 0;
  for (int i = 0; i < 4000; ++i) {
    StridedBytes arrays[2];
    const uint64_t unit = 1 + below(4);
    for (StridedBytes& a : arrays) {
      a.begin = below(80) * (below(3) == 0 ? 1 : unit);
      a.size = 1 + below(unit + 1);
      for (uint64_t rank = below(4); rank > 0; --rank)
        a.dims.push_back({0, below(6) == 0 ? 1 : 1 + below(5), below(12) * unit});
    }
    const auto a = bytes_of(arrays[0]), b = bytes_of(arrays[1]);
    const bool want = std::ranges::any_of(a, [&](uint64_t byte) { return b.contains(byte); });
    ASSERT_EQ(share_bytes(arrays[0], arrays[1]), want) << i;
    ASSERT_EQ(share_bytes(arrays[1], arrays[0]), want) << i;
    (want ? shared : distinct) += 1;
  }
  EXPECT_GT(shared, 500);
  EXPECT_GT(distinct, 500);
}

TEST(SharedBytes, OfLargeArrays) {
  const uint64_t n = uint64_t{1} << 30;
  // Even and odd elements of one line; rows and rows between them; a matrix and its transpose.
  EXPECT_FALSE(share_bytes({0, 8, {{0, n, 16}}}, {8, 8, {{0, n, 16}}}));
  EXPECT_TRUE(share_bytes({0, 8, {{0, n, 16}}}, {12, 8, {{0, n, 16}}}));
  EXPECT_FALSE(share_bytes({0, 8, {{0, 1000, 16000}, {1, 1000, 8}}}, {8000, 8, {{0, 1000, 16000}, {1, 1000, 8}}}));
  EXPECT_TRUE(share_bytes({0, 8, {{0, 1000, 16000}, {1, 1001, 8}}}, {8000, 8, {{0, 1000, 16000}, {1, 1000, 8}}}));
  EXPECT_TRUE(share_bytes({0, 8, {{0, 100, 8000}, {1, 1000, 8}}}, {0, 8, {{0, 100, 8}, {1, 1000, 800}}}));
  // Steps without a common divisor overlap somewhere.
  EXPECT_TRUE(share_bytes({0, 1, {{0, 1000003, 1000}}}, {1, 1, {{0, 1000, 1000003}}}));
  EXPECT_FALSE(share_bytes({0, 1, {{0, 10, 1000}}}, {1, 1, {{0, 10, 1003}}}));
  EXPECT_FALSE(share_bytes({0, 8, {}}, {8, 8, {}}));
  EXPECT_FALSE(share_bytes({0, 8, {{0, 0, 8}}}, {0, 8, {}}));
}

}  // namespace
}  // namespace vd
