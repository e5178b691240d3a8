// Reading of a reduction's descriptor: joined dimensions, identities, and the assignment of invocations.
#include "primitives/reduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/error.h"
#include "primitives/reduce_layout.h"
#include "support/axes.h"

namespace vd::primitives {
namespace {

vd_reduce_desc desc_of(std::initializer_list<uint64_t> shape, uint32_t axes) {
  vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
  for (const uint64_t n : shape) desc.shape[desc.rank++] = n;
  vdtest::set_axes(desc, axes);
  return desc;
}

std::vector<std::pair<uint64_t, uint64_t>> pairs(const std::vector<Dim>& dims) {
  std::vector<std::pair<uint64_t, uint64_t>> all;
  for (const Dim& dim : dims) all.emplace_back(dim.count, dim.stride);
  return all;
}
using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

TEST(Reduction, NeighboursAreJoined) {
  Reduction r = read_reduction(desc_of({4, 5, 6}, 0));
  EXPECT_EQ(pairs(r.reduced), (Pairs{{120, 1}}));
  EXPECT_TRUE(r.kept.empty());
  r = read_reduction(desc_of({4, 5, 6}, 0b110));
  EXPECT_EQ(pairs(r.reduced), (Pairs{{30, 1}}));
  EXPECT_EQ(pairs(r.kept), (Pairs{{4, 30}}));
  r = read_reduction(desc_of({4, 5, 6}, 0b101));
  EXPECT_EQ(pairs(r.reduced), (Pairs{{6, 1}, {4, 30}}));
  EXPECT_EQ(pairs(r.kept), (Pairs{{5, 6}}));
  // Across a dimension of 1 as well.
  r = read_reduction(desc_of({4, 1, 6}, 0b101));
  EXPECT_EQ(pairs(r.reduced), (Pairs{{24, 1}}));
  r = read_reduction(desc_of({1, 1}, 0b01));
  EXPECT_EQ(r.count(), 1u);
  EXPECT_EQ(r.outputs(), 1u);
  // Not where there is a gap.
  vd_reduce_desc desc = desc_of({4, 6}, 0);
  desc.in_strides[0] = 10, desc.in_strides[1] = 1;
  r = read_reduction(desc);
  EXPECT_EQ(pairs(r.reduced), (Pairs{{6, 1}, {4, 10}}));
  EXPECT_EQ(r.reach(), 36u);
}

// Sums and products of shape and strides that wrap around are as far as they say.
TEST(Reduction, WhatLiesTooFarIsRefused) {
  const auto refused = [](vd_reduce_desc desc) {
    try {
      read_reduction(desc);
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), VD_ERR_INVALID);
      EXPECT_NE(std::string(e.what()).find("more than the limit (1099511627776)"), std::string::npos) << e.what();
      return true;
    }
    return false;
  };
  vd_reduce_desc desc = desc_of({(uint64_t{1} << 33) + 1, 1}, 0);
  desc.in_strides[0] = int64_t{1} << 31, desc.in_strides[1] = 1;
  EXPECT_TRUE(refused(desc));
  desc = desc_of({3, 2}, 0);
  desc.in_strides[0] = 5, desc.in_strides[1] = int64_t{1} << 62;
  EXPECT_TRUE(refused(desc));
  desc.in_strides[0] = 0;
  EXPECT_TRUE(refused(desc));
  desc = desc_of({2}, 0);
  desc.in_offset = ~uint64_t{0};
  EXPECT_TRUE(refused(desc));
  desc.in_offset = (uint64_t{1} << 40) - 1;
  EXPECT_TRUE(refused(desc));
  desc.in_offset = (uint64_t{1} << 40) - 2;
  EXPECT_FALSE(refused(desc));
}

template <class T>
T identity(vd_reduce_op op, vd_type type, uint32_t component = 0) {
  vd_reduce_desc desc = desc_of({3}, 0);
  desc.op = op;
  desc.compute_type = type;
  const Reduction r = read_reduction(desc);
  T value;
  EXPECT_GE(r.identity.size(), (component + 1) * sizeof(T));
  std::memcpy(&value, r.identity.data() + component * sizeof(T), sizeof(T));
  return value;
}

TEST(Reduction, Identities) {
  EXPECT_TRUE(std::isnan(identity<float>(VD_REDUCE_OP_MIN, VD_TYPE_F32)));
  EXPECT_TRUE(std::isnan(identity<double>(VD_REDUCE_OP_MAX, VD_TYPE_F64)));
  EXPECT_EQ(identity<int32_t>(VD_REDUCE_OP_MIN, VD_TYPE_I32), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(identity<int64_t>(VD_REDUCE_OP_MAX, VD_TYPE_I64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(identity<uint64_t>(VD_REDUCE_OP_MIN, VD_TYPE_U64), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(identity<uint32_t>(VD_REDUCE_OP_MAX, VD_TYPE_U32), 0u);
  EXPECT_EQ(identity<int8_t>(VD_REDUCE_OP_MAX, VD_TYPE_I8), -128);
  EXPECT_EQ(identity<uint32_t>(VD_REDUCE_OP_AND, VD_TYPE_U32), ~0u);
  EXPECT_EQ(identity<float>(VD_REDUCE_OP_MUL, VD_TYPE_F32X3, 2), 1.0f);
  EXPECT_EQ(identity<float>(VD_REDUCE_OP_MUL, VD_TYPE_COMPLEX_F32, 0), 1.0f);
  EXPECT_EQ(identity<float>(VD_REDUCE_OP_MUL, VD_TYPE_COMPLEX_F32, 1), 0.0f);
  EXPECT_TRUE(std::isnan(identity<float>(VD_REDUCE_OP_MIN, VD_TYPE_F32X2, 1)));
}

ReduceLimits large_device() {
  ReduceLimits limits;
  limits.invocations = 512;
  limits.workgroups = {0x7fffffff, 65535, 65535};
  limits.shared_bytes = 48 << 10;
  limits.subgroup = 32;
  limits.multiprocessors = 132;
  limits.ticket = true;
  return limits;
}

// Choices that a device's traits allow: full subgroups, and a last workgroup that combines the parts.
TEST(ReduceLimits, FollowTheTraits) {
  const auto limits = [](vd_backend backend, uint32_t vendor_id = 0, uint32_t flags = 0) {
    vd_device_info device = VD_DEVICE_INFO_INIT;
    device.backend = backend;
    device.vendor_id = vendor_id;
    device.max_workgroup_invocations = device.max_workgroup_size[0] = 1024;
    device.features = VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC | VD_FEATURE_SUBGROUP_SHUFFLE;
    device.subgroup_size = 32;
    vd_reduce_desc desc = desc_of({64}, 0);
    desc.flags = flags;
    return reduce_limits(device, desc);
  };
  EXPECT_EQ(limits(VD_BACKEND_CUDA).subgroup, 32u);
  EXPECT_EQ(limits(VD_BACKEND_HOST).subgroup, 32u);
  EXPECT_EQ(limits(VD_BACKEND_OPENCL).subgroup, 0u);
  EXPECT_EQ(limits(VD_BACKEND_VULKAN, 0x10de).subgroup, 32u);
  EXPECT_EQ(limits(VD_BACKEND_VULKAN, 0x8086).subgroup, 0u);

  EXPECT_TRUE(limits(VD_BACKEND_CUDA).ticket);
  EXPECT_TRUE(limits(VD_BACKEND_VULKAN).ticket);
  EXPECT_FALSE(limits(VD_BACKEND_HOST).ticket);
  EXPECT_FALSE(limits(VD_BACKEND_OPENCL).ticket);
  EXPECT_FALSE(limits(VD_BACKEND_CUDA, 0, VD_REDUCE_TWO_PASSES).ticket);
}

TEST(ReduceLayout, FillsTheDeviceOnceAndReadsWide) {
  const ReduceLayout l = choose_layout(read_reduction(desc_of({1 << 28}, 0)), large_device(), true);
  EXPECT_EQ(l.vector, 4u);
  EXPECT_EQ(l.width, 264u);
  EXPECT_TRUE(l.ticket);
  EXPECT_TRUE(l.subgroups);
  EXPECT_EQ(l.workgroups[0], 264u);
  EXPECT_FALSE(l.columns);
}

TEST(ReduceLayout, SmallArraysTakeOneGroup) {
  for (const uint64_t n : {uint64_t{1}, uint64_t{33}, uint64_t{4096}}) {
    const ReduceLayout l = choose_layout(read_reduction(desc_of({n}, 0)), large_device(), true);
    EXPECT_EQ(l.width * l.tiles, 1u) << n;
    EXPECT_FALSE(l.ticket);
    EXPECT_LE(l.workgroup_size, 512u);
  }
}

TEST(ReduceLayout, RowsAndColumns) {
  const ReduceLayout rows = choose_layout(read_reduction(desc_of({4096, 65536}, 0b10)), large_device(), true);
  EXPECT_FALSE(rows.columns);
  EXPECT_EQ(rows.vector, 4u);
  EXPECT_EQ(rows.width, 1u);
  const ReduceLayout columns = choose_layout(read_reduction(desc_of({4096, 65536}, 0b01)), large_device(), true);
  EXPECT_TRUE(columns.columns);
  EXPECT_GE(columns.slots(), 32u);
  // Rows of an odd length are not aligned.
  EXPECT_EQ(choose_layout(read_reduction(desc_of({100, 1001}, 0b10)), large_device(), true).vector, 1u);
  // More rows than a device's limit of workgroups along one axis.
  ReduceLimits limits = large_device();
  limits.workgroups = {65535, 65535, 65535};
  const ReduceLayout many = choose_layout(read_reduction(desc_of({100000, 4096}, 0b10)), limits, true);
  EXPECT_GE(uint64_t{many.workgroups[0]} * many.workgroups[1], many.tiles);
  EXPECT_LE(many.workgroups[0], 65535u);
}

TEST(ReduceLayout, IndicesAreAsWideAsNeeded) {
  const Reduction large = read_reduction(desc_of({uint64_t{1} << 32}, 0));
  EXPECT_TRUE(choose_layout(large, large_device(), true).wide);
  ReduceLimits limits = large_device();
  limits.wide = false;
  EXPECT_THROW(choose_layout(large, limits, true), Error);
  EXPECT_FALSE(choose_layout(read_reduction(desc_of({1 << 30}, 0)), limits, true).wide);
}

// Whatever is asked for: powers of two, all results covered, no more than the device has.
TEST(ReduceLayout, HoldsForRandomShapes) {
  std::mt19937 random(7);
  const auto up_to = [&](uint32_t n) { return std::uniform_int_distribution<uint32_t>(1, n)(random); };
  for (int i = 0; i < 2000; ++i) {
    vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
    desc.rank = up_to(4);
    for (uint32_t d = 0; d < desc.rank; ++d) desc.shape[d] = up_to(i % 3 == 0 ? 3 : 300);
    vdtest::set_axes(desc, up_to((1u << desc.rank) - 1));
    desc.compute_type = i % 5 == 0 ? VD_TYPE_F64X4 : i % 7 == 0 ? VD_TYPE_I8 : VD_TYPE_F32;
    ReduceLimits limits = large_device();
    limits.invocations = up_to(1024);
    limits.subgroup = i % 2 == 0 ? 32 : i % 3 == 0 ? 8 : 0;
    limits.workgroups = {65535, 65535, 65535};
    const Reduction r = read_reduction(desc);
    const ReduceLayout l = choose_layout(r, limits, true);
    SCOPED_TRACE(l.text());
    EXPECT_EQ(l.workgroup_size & (l.workgroup_size - 1), 0u);
    EXPECT_EQ(l.workgroup_size % l.lanes, 0u);
    EXPECT_LE(l.workgroup_size, std::max(limits.invocations, limits.subgroup));
    EXPECT_GE(l.tiles * l.slots(), r.outputs());
    EXPECT_EQ(uint64_t{l.workgroups[0]} * l.workgroups[1] >= l.tiles * l.width, true);
    EXPECT_LE(l.workgroup_size * r.identity.size(), limits.shared_bytes);
    EXPECT_TRUE(l.width == 1 || l.columns || l.lanes == l.workgroup_size);
    EXPECT_TRUE(!l.subgroups || l.workgroup_size % l.subgroup == 0);
  }
}

}  // namespace
}  // namespace vd::primitives
