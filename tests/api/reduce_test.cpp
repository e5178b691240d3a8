// Reductions through the C API: one-shot plans over all or some dimensions, the pulled generator, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <thread>

#include "api/shared_context.h"
#include "api/support.h"
#include "support/axes.h"

namespace api {
namespace {

class ReduceTest : public testing::Test {
 protected:
  void SetUp() override { context_ = host_context(); }

  static vd_reduce_desc whole(uint64_t count, vd_type type = VD_TYPE_U32) {
    vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
    desc.rank = 1;
    desc.shape[0] = count;
    desc.compute_type = type;
    return desc;
  }
  static std::vector<uint32_t> numbers(size_t count) {
    std::vector<uint32_t> data(count);
    for (size_t i = 0; i < count; ++i) data[i] = static_cast<uint32_t>(i * 2654435761u ^ i >> 3);
    return data;
  }
  template <class T, class Out = T>
  std::vector<Out> run(const vd_reduce_desc& desc, const std::vector<T>& data, size_t outputs) {
    Plan plan;
    EXPECT_OK(vd_plan_create_reduce(context_, &desc, plan.out()));
    Buffer in = make_buffer(context_, data), out = make_buffer(context_, outputs * sizeof(Out));
    const vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(in, 0, VD_WHOLE_SIZE)};
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = 2;
    // Twice: what a run leaves behind must not matter to the next.
    EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
    EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
    return read<Out>(out, outputs);
  }

  Context context_;
};

TEST_F(ReduceTest, SumsOfAllSizes) {
  for (const uint64_t n : {1, 2, 3, 4, 5, 7, 31, 32, 33, 64, 100, 511, 512, 513, 2047, 4099, 16384, 100003, 1000000}) {
    const std::vector<uint32_t> data = numbers(n);
    for (const vd_reduce_flags flags : {0u, uint32_t{VD_REDUCE_TWO_PASSES}}) {
      vd_reduce_desc desc = whole(n);
      desc.flags = flags;
      EXPECT_EQ(run(desc, data, 1)[0], std::accumulate(data.begin(), data.end(), 0u)) << n << " " << flags;
    }
  }
}

TEST_F(ReduceTest, EachOperation) {
  const std::vector<uint32_t> data = numbers(5000);
  const auto fold = [&](uint32_t first, auto&& f) { return std::accumulate(data.begin(), data.end(), first, f); };
  const uint32_t expected[] = {fold(0u, [](uint32_t a, uint32_t b) { return a + b; }),
                               fold(1u, [](uint32_t a, uint32_t b) { return a * b; }),
                               fold(~0u, [](uint32_t a, uint32_t b) { return std::min(a, b); }),
                               fold(0u, [](uint32_t a, uint32_t b) { return std::max(a, b); }),
                               fold(~0u, [](uint32_t a, uint32_t b) { return a & b; }),
                               fold(0u, [](uint32_t a, uint32_t b) { return a | b; }),
                               fold(0u, [](uint32_t a, uint32_t b) { return a ^ b; })};
  for (int op = 0; op < VD_REDUCE_OP_CUSTOM; ++op) {
    vd_reduce_desc desc = whole(data.size());
    desc.op = static_cast<vd_reduce_op>(op);
    EXPECT_EQ(run(desc, data, 1)[0], expected[op]) << op;
    desc.workgroup_size = 48;  // not a power of two
    desc.builder_flags = VD_BUILDER_NO_SUBGROUP;
    EXPECT_EQ(run(desc, data, 1)[0], expected[op]) << op;
  }
}

TEST_F(ReduceTest, AnySetOfAxes) {
  const uint64_t shape[3] = {6, 35, 33};
  const std::vector<uint32_t> data = numbers(6 * 35 * 33);
  for (uint32_t axes = 1; axes < 8; ++axes) {
    vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
    desc.rank = 3;
    std::copy(shape, shape + 3, desc.shape);
    vdtest::set_axes(desc, axes);
    desc.compute_type = VD_TYPE_U32;
    size_t outputs = 1;
    for (int i = 0; i < 3; ++i) outputs *= (axes >> i & 1) != 0 ? 1 : shape[i];
    std::vector<uint32_t> expected(outputs);
    for (size_t i = 0; i < data.size(); ++i) {
      const size_t at[3] = {i / (35 * 33), i / 33 % 35, i % 33};
      size_t to = 0;
      for (int d = 0; d < 3; ++d) {
        if ((axes >> d & 1) == 0) to = to * shape[d] + at[d];
      }
      expected[to] += data[i];
    }
    EXPECT_EQ(run(desc, data, outputs), expected) << axes;
  }
}

TEST_F(ReduceTest, StridesAndOffsets) {
  const std::vector<uint32_t> data = numbers(4000);
  vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = 9, desc.shape[1] = 50;
  desc.in_strides[0] = 200, desc.in_strides[1] = 3;
  desc.in_offset = 17;
  vdtest::set_axes(desc, 1 << 1);
  desc.compute_type = VD_TYPE_U32;
  std::vector<uint32_t> expected(9);
  for (size_t i = 0; i < 9; ++i) {
    for (size_t j = 0; j < 50; ++j) expected[i] += data[17 + 200 * i + 3 * j];
  }
  EXPECT_EQ(run(desc, data, 9), expected);
}

// The results of rows, columns and of both, transposed and with gaps; elements in the gaps keep their contents.
void expect_placed_results(vd_context* context, uint64_t rows, uint64_t columns, uint64_t depth) {
  SCOPED_TRACE(testing::Message() << rows << " x " << columns << " x " << depth);
  std::vector<uint32_t> data(rows * columns * depth);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint32_t>(i * 2654435761u ^ i >> 3);
  for (uint32_t axes = 1; axes < 8; ++axes) {
    SCOPED_TRACE(axes);
    vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
    desc.rank = 3;
    desc.shape[0] = rows, desc.shape[1] = columns, desc.shape[2] = depth;
    vdtest::set_axes(desc, axes);
    desc.compute_type = VD_TYPE_U32;
    desc.out_offset = 5;
    uint64_t step = 3;  // the first dimension that is kept is the nearest
    for (int d = 0; d < 3; ++d) {
      if ((axes >> d & 1) != 0) continue;
      desc.out_strides[d] = step;
      step *= desc.shape[d];
    }
    std::vector<uint32_t> expected(5 + step, 7u);
    std::vector<bool> seen(expected.size());
    for (size_t i = 0; i < data.size(); ++i) {
      const uint64_t at[3] = {i / (columns * depth), i / depth % columns, i % depth};
      size_t to = 5;
      for (int d = 0; d < 3; ++d) to += desc.out_strides[d] * at[d];
      expected[to] = (seen[to] ? expected[to] : 0) + data[i];
      seen[to] = true;
    }
    Plan plan;
    ASSERT_OK(vd_plan_create_reduce(context, &desc, plan.out()));
    Buffer in = make_buffer(context, data), out = make_buffer(context, std::vector<uint32_t>(expected.size(), 7u));
    const vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(in, 0, VD_WHOLE_SIZE)};
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = 2;
    ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
    EXPECT_EQ(read<uint32_t>(out, expected.size()), expected);
  }
}

TEST_F(ReduceTest, ResultsGoWhereTheyAreWanted) {
  expect_placed_results(context_, 6, 5, 7);
  expect_placed_results(context_, 3, 70, 1000);
  expect_placed_results(context_, 9000, 2, 3);
}

// Wide accesses are for rows that begin where those may.
TEST_F(ReduceTest, RowsFromAnyElement) {
  const std::vector<uint32_t> data = numbers(8 + 3 * 100);
  for (uint64_t first = 0; first < 8; ++first) {
    for (const uint64_t step : {96, 97, 98}) {
      vd_reduce_desc desc = whole(3);
      desc.rank = 2, desc.shape[1] = 90;
      desc.in_strides[0] = static_cast<int64_t>(step), desc.in_strides[1] = 1;
      desc.in_offset = first;
      vdtest::set_axes(desc, 2);
      const std::vector<uint32_t> got = run(desc, data, 3);
      for (size_t row = 0; row < 3; ++row) {
        const uint32_t* begin = &data[first + row * step];
        EXPECT_EQ(got[row], std::accumulate(begin, begin + 90, 0u)) << first << " by " << step << ", row " << row;
      }
    }
  }
}

// Strides of reduced axes are ignored.
TEST_F(ReduceTest, StridesOfResultsAreOfDimensionsThatStay) {
  const std::vector<uint32_t> data = numbers(4 * 6);
  Buffer in = make_buffer(context_, data);
  for (const int64_t step : {int64_t{0}, int64_t{2}}) {
    for (const int64_t other : {int64_t{0}, int64_t{1}, int64_t{-5}}) {
      SCOPED_TRACE(fmt::format("strides {}, {}", step, other));
      vd_reduce_desc desc = whole(4);
      desc.rank = 2, desc.shape[1] = 6;
      desc.axis_count = 1, desc.axes[0] = 1;
      desc.out_strides[0] = step, desc.out_strides[1] = other;
      Plan plan;
      ASSERT_OK(vd_plan_create_reduce(context_, &desc, plan.out()));
      Buffer out = make_buffer(context_, std::vector<uint32_t>(8));
      const vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(in, 0, VD_WHOLE_SIZE)};
      vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
      launch.bindings = bindings;
      launch.binding_count = 2;
      ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
      const std::vector<uint32_t> got = read<uint32_t>(out, 8);
      for (size_t i = 0; i < 4; ++i)
        EXPECT_EQ(got[i * (step == 0 ? 1 : 2)], std::accumulate(&data[i * 6], &data[i * 6] + 6, 0u)) << i;
    }
  }
}

TEST_F(ReduceTest, ManyResultsAndManyColumns) {
  vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
  desc.rank = 2;
  desc.compute_type = VD_TYPE_U32;
  for (const auto& [rows, columns] : {std::pair<uint64_t, uint64_t>{70001, 3}, {3, 70001}, {257, 1031}}) {
    const std::vector<uint32_t> data = numbers(rows * columns);
    desc.shape[0] = rows, desc.shape[1] = columns;
    std::vector<uint32_t> of_rows(rows), of_columns(columns);
    for (size_t i = 0; i < data.size(); ++i) {
      of_rows[i / columns] += data[i];
      of_columns[i % columns] += data[i];
    }
    vdtest::set_axes(desc, 2);
    EXPECT_EQ(run(desc, data, rows), of_rows);
    vdtest::set_axes(desc, 1);
    EXPECT_EQ(run(desc, data, columns), of_columns);
  }
}

TEST_F(ReduceTest, TypesOfElementsSumsAndResults) {
  const std::vector<int8_t> bytes{100, 100, 100, -1};
  vd_reduce_desc desc = whole(4, VD_TYPE_I32);
  desc.in_type = VD_TYPE_I8;
  desc.out_type = VD_TYPE_F32;
  EXPECT_EQ((run<int8_t, float>(desc, bytes, 1)[0]), 299.0f);
  const std::vector<float> floats{3, -2, std::numeric_limits<float>::quiet_NaN(), 7};
  desc = whole(4, VD_TYPE_F32);
  desc.op = VD_REDUCE_OP_MIN;
  EXPECT_EQ(run(desc, floats, 1)[0], -2.0f);
  desc = whole(2, VD_TYPE_COMPLEX_F32);
  desc.op = VD_REDUCE_OP_MUL;
  EXPECT_EQ(run(desc, std::vector<float>{1, 2, 3, 4}, 2), (std::vector<float>{-5, 10}));
  // A reduction of nothing but the identity.
  desc = whole(1, VD_TYPE_F64);
  desc.op = VD_REDUCE_OP_MAX;
  EXPECT_EQ(run(desc, std::vector<double>{-1e300}, 1)[0], -1e300);
}

// The sum of squares of two buffers' products, combined by a function of the test's own.
TEST_F(ReduceTest, TheGeneratorIsPulled) {
  for (const uint64_t n : {uint64_t{7}, uint64_t{50000}}) {
    for (const vd_reduce_flags flags : {0u, uint32_t{VD_REDUCE_TWO_PASSES}}) {
      const uint32_t zero = 0;
      vd_reduce_desc desc = whole(n);
      desc.op = VD_REDUCE_OP_CUSTOM;
      desc.flags = VD_REDUCE_MAP_INPUT | flags;
      desc.identity = &zero;
      desc.identity_size = sizeof(zero);
      Own<vd_reduce_gen> gen;
      ASSERT_OK(vd_reduce_gen_create(context_, &desc, gen.out()));
      vd_value a = 0, b = 0, factor = 0;
      uint32_t maps = 0;
      for (;;) {
        vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
        Writer w("unused");
        ASSERT_OK(vd_reduce_gen_next(gen, &element, w.builder.out()));
        if (element.point == VD_REDUCE_POINT_DONE) break;
        if (element.point == VD_REDUCE_POINT_COMBINE) {
          w.store(element.value, w.emit(VD_OP_ADD, {element.left, element.right}));
        } else if (element.point == VD_REDUCE_POINT_ARGUMENTS) {
          a = w.buffer("a");
          factor = w.constant("factor");
          b = w.buffer("b");
        } else {
          EXPECT_LT(element.element_id, element.element_count);
          ++maps;
          w.store(element.value,
                  w.emit(VD_OP_MUL, {w.emit(VD_OP_MUL, {w.at(a, element.index), w.at(b, element.index)}), factor}));
        }
      }
      EXPECT_GE(maps, n > 1000 ? 5u : 1u);
      Plan plan;
      ASSERT_OK(vd_reduce_gen_finish(gen, plan.out()));
      EXPECT_EQ(vd_reduce_gen_finish(gen, plan.out()), VD_ERR_STATE);
      ASSERT_OK(vd_reduce_gen_create(context_, &desc, gen.out()));
      EXPECT_EQ(vd_reduce_gen_finish(gen, plan.out()), VD_ERR_STATE);
      EXPECT_THAT(vd_last_error(), testing::HasSubstr("not complete"));
    }
  }
}

// In the caller's operation and in maps alike.
TEST_F(ReduceTest, BuilderFlagsAreThoseOfWhatTheCallerWrites) {
  vd_reduce_desc desc = whole(3000);
  const uint32_t zero = 0;
  desc.op = VD_REDUCE_OP_CUSTOM;
  desc.identity = &zero, desc.identity_size = 4;
  desc.flags = VD_REDUCE_MAP_INPUT;
  desc.builder_flags = VD_BUILDER_NO_SUBGROUP;
  for (const vd_reduce_point point : {VD_REDUCE_POINT_COMBINE, VD_REDUCE_POINT_READ}) {
    Own<vd_reduce_gen> gen;
    ASSERT_OK(vd_reduce_gen_create(context_, &desc, gen.out()));
    vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
    Writer w("unused");
    do {
      ASSERT_OK(vd_reduce_gen_next(gen, &element, w.builder.out()));
    } while (element.point != point);
    vd_value sum = 0;
    EXPECT_EQ(vd_builder_emit(w.builder, VD_OP_SUBGROUP_ADD, 0, &element.value, 1, 0, 0, &sum), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr("VD_BUILDER_NO_SUBGROUP"));
  }
}

TEST_F(ReduceTest, AMapsValuesTravelBeforeItsOwn) {
  vd_reduce_desc desc = whole(3000);
  desc.flags = VD_REDUCE_MAP_INPUT;
  Own<vd_reduce_gen> gen;
  ASSERT_OK(vd_reduce_gen_create(context_, &desc, gen.out()));
  vd_value a = 0, factor = 0;
  for (;;) {
    vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
    Writer w("unused");
    ASSERT_OK(vd_reduce_gen_next(gen, &element, w.builder.out()));
    if (element.point == VD_REDUCE_POINT_DONE) break;
    if (element.point == VD_REDUCE_POINT_ARGUMENTS) {
      a = w.buffer("a");
      factor = w.constant("factor");
    } else {
      w.store(element.value, w.emit(VD_OP_MUL, {w.at(a, element.index), factor}));
    }
  }
  Plan plan;
  ASSERT_OK(vd_reduce_gen_finish(gen, plan.out()));
  vd_plan_info info = VD_PLAN_INFO_INIT;
  ASSERT_OK(vd_plan_get_info(plan, &info));
  EXPECT_EQ(info.values_size, 4u);
  EXPECT_EQ(info.binding_count, 2u);
  const std::vector<uint32_t> data = numbers(3000);
  Buffer in = make_buffer(context_, data), out = make_buffer(context_, 4);
  const vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(in, 0, VD_WHOLE_SIZE)};
  const uint32_t three = 3;
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = bindings;
  launch.binding_count = 2;
  launch.values = &three;
  launch.values_size = 4;
  ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
  EXPECT_EQ(read<uint32_t>(out, 1)[0], 3 * std::accumulate(data.begin(), data.end(), 0u));
  Graph graph;
  ASSERT_OK(vd_graph_create(context_, nullptr, graph.out()));
  ASSERT_OK(vd_graph_launch(graph, plan, &launch, nullptr));
  ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  EXPECT_EQ(read<uint32_t>(out, 1)[0], 3 * std::accumulate(data.begin(), data.end(), 0u));
}

// Faults that a checked device would report: races, reads of unwritten memory, barriers that some invocations do not
// reach.
TEST_F(ReduceTest, ACheckedDeviceFindsNothing) {
  context_ = host_context(VD_CONTEXT_CHECKED);
  const std::vector<uint32_t> data = numbers(30000);
  for (const vd_builder_flags flags : {0u, uint32_t{VD_BUILDER_NO_SUBGROUP}}) {
    vd_reduce_desc desc = whole(data.size());
    desc.builder_flags = flags;
    EXPECT_EQ(run(desc, data, 1)[0], std::accumulate(data.begin(), data.end(), 0u));
    desc.rank = 2;
    desc.shape[0] = 1000, desc.shape[1] = 30;
    for (const uint32_t axes : {1u, 2u}) {
      vdtest::set_axes(desc, axes);
      run(desc, data, axes == 1 ? 30 : 1000);
    }
  }
}

TEST_F(ReduceTest, BuffersThatAreTooSmallAreRefused) {
  vd_reduce_desc desc = whole(100);
  desc.rank = 2;
  desc.shape[0] = 4, desc.shape[1] = 25;
  vdtest::set_axes(desc, 2);
  Plan plan;
  ASSERT_OK(vd_plan_create_reduce(context_, &desc, plan.out()));
  Buffer in = make_buffer(context_, 400), out = make_buffer(context_, 16);
  vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(in, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = bindings;
  launch.binding_count = 2;
  EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
  bindings[0].size = 12;
  EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("takes 16 bytes"));
  bindings[0].size = VD_WHOLE_SIZE, bindings[1].size = 396;
  EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("takes 400 bytes"));
}

TEST_F(ReduceTest, ResultsDoNotOverwriteTheInput) {
  vd_reduce_desc desc = whole(100);
  desc.in_offset = 20;
  Plan plan;
  ASSERT_OK(vd_plan_create_reduce(context_, &desc, plan.out()));
  Buffer all = make_buffer(context_, 800), part;
  ASSERT_OK(vd_buffer_slice(all, 80, 400, part.out()));
  vd_binding bindings[] = {VD_BINDING_OF(all, 0, VD_WHOLE_SIZE), VD_BINDING_OF(all, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = bindings;
  launch.binding_count = 2;
  // Input elements 20 to 120 are read; the result is before, within and behind them.
  EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
  bindings[0].offset = 76;
  EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
  bindings[0].offset = 480;
  EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
  for (const uint64_t offset : {80, 200, 476}) {
    bindings[0].offset = offset;
    EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), VD_ERR_INVALID) << offset;
    EXPECT_THAT(vd_last_error(), testing::HasSubstr("80 to 480 read"));
  }
  bindings[0] = VD_BINDING_OF(part, 0, VD_WHOLE_SIZE);
  EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("share bytes of"));
  Graph graph;
  vd_graph_desc graph_desc = VD_GRAPH_DESC_INIT;
  ASSERT_OK(vd_graph_create(context_, &graph_desc, graph.out()));
  EXPECT_EQ(vd_graph_launch(graph, plan, &launch, nullptr), VD_ERR_INVALID);
}

// Rows of 6 with room for 2 behind each, where the sums of the rows find place.
TEST_F(ReduceTest, ResultsMayStandInGapsOfTheInput) {
  std::vector<uint32_t> data = numbers(50 * 8);
  vd_reduce_desc desc = whole(50);
  desc.rank = 2, desc.shape[1] = 6;
  desc.in_strides[0] = 8, desc.in_strides[1] = 1;
  desc.out_strides[0] = 8;
  vdtest::set_axes(desc, 2);
  for (const uint64_t gap : {5, 6, 7, 8}) {
    desc.out_offset = gap;
    Plan plan;
    ASSERT_OK(vd_plan_create_reduce(context_, &desc, plan.out()));
    data.resize(50 * 8 + 8);
    Buffer all = make_buffer(context_, data);
    const vd_binding bindings[] = {VD_BINDING_OF(all, 0, VD_WHOLE_SIZE), VD_BINDING_OF(all, 0, VD_WHOLE_SIZE)};
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = 2;
    if (gap == 5 || gap == 8) {
      EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), VD_ERR_INVALID) << gap;
      EXPECT_THAT(vd_last_error(), testing::HasSubstr("share bytes of"));
      continue;
    }
    ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
    const std::vector<uint32_t> got = read<uint32_t>(all, data.size());
    for (size_t row = 0; row < 50; ++row)
      EXPECT_EQ(got[row * 8 + gap], std::accumulate(&data[row * 8], &data[row * 8 + 6], 0u)) << row;
  }
}

// The passes of a launch share memory that is the plan's: no other launch may come between them.
TEST_F(ReduceTest, ManyThreadsLaunchOnePlan) {
  constexpr uint32_t kCount = 1 << 17, kThreads = 8;
  vd_reduce_desc desc = whole(kCount);
  desc.flags = VD_REDUCE_TWO_PASSES;
  Plan plan;
  ASSERT_OK(vd_plan_create_reduce(context_, &desc, plan.out()));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (uint32_t t = 1; t <= kThreads; ++t) {
    threads.emplace_back([&, t] {
      Buffer in = make_buffer(context_, std::vector<uint32_t>(kCount, t)), out = make_buffer(context_, 4);
      const vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(in, 0, VD_WHOLE_SIZE)};
      vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
      launch.bindings = bindings;
      launch.binding_count = 2;
      for (int i = 0; i < 60; ++i) {
        if (vd_plan_launch(plan, &launch, nullptr) != VD_OK || read<uint32_t>(out, 1)[0] != kCount * t) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// The state left behind by a launch that fails half-way must not matter to the next.
TEST_F(ReduceTest, AfterALaunchThatFails) {
  context_ = host_context(VD_CONTEXT_CHECKED);
  constexpr uint32_t kCount = 1 << 14;
  for (const vd_reduce_flags flags : {0u, uint32_t{VD_REDUCE_TWO_PASSES}}) {
    vd_reduce_desc desc = whole(kCount);
    desc.flags = VD_REDUCE_MAP_INPUT | flags;
    Own<vd_reduce_gen> gen;
    ASSERT_OK(vd_reduce_gen_create(context_, &desc, gen.out()));
    vd_value a = 0, shift = 0;
    for (;;) {
      vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
      Writer w("unused");
      ASSERT_OK(vd_reduce_gen_next(gen, &element, w.builder.out()));
      if (element.point == VD_REDUCE_POINT_DONE) break;
      if (element.point == VD_REDUCE_POINT_ARGUMENTS) {
        a = w.buffer("a");
        shift = w.constant("shift");
      } else {
        w.store(element.value, w.at(a, w.emit(VD_OP_ADD, {element.index, shift})));
      }
    }
    Plan plan;
    ASSERT_OK(vd_reduce_gen_finish(gen, plan.out()));
    const std::vector<uint32_t> data = numbers(kCount);
    Buffer in = make_buffer(context_, data), out = make_buffer(context_, 4);
    const vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(in, 0, VD_WHOLE_SIZE)};
    for (const uint32_t past : {0u, 1u, 0u, 5000u, 0u, 0u}) {
      vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
      launch.bindings = bindings;
      launch.binding_count = 2;
      launch.values = &past;
      launch.values_size = 4;
      ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
      uint32_t sum = 0;
      const vd_status status = vd_buffer_read(out, 0, 4, 0, &sum);
      if (past != 0) {
        EXPECT_EQ(status, VD_ERR_KERNEL);
        continue;
      }
      EXPECT_TRUE(ok(status));
      EXPECT_EQ(sum, std::accumulate(data.begin(), data.end(), 0u)) << flags;
    }
  }
}

TEST_F(ReduceTest, ExplainsItself) {
  vd_reduce_desc desc = whole(1 << 20);
  desc.label = "my_sum";
  Plan plan;
  ASSERT_OK(vd_plan_create_reduce(context_, &desc, plan.out()));
  Blob text;
  ASSERT_OK(vd_plan_explain(plan, text.out()));
  EXPECT_THAT(static_cast<const char*>(vd_blob_data(text, nullptr)), testing::HasSubstr("my_sum: 1 result of 1048576"));
  EXPECT_THAT(static_cast<const char*>(vd_blob_data(text, nullptr)),
              testing::HasSubstr("lower bound: a copy that reads"));
}

TEST_F(ReduceTest, WhatIsRefused) {
  Plan plan;
  const auto refused = [&](const vd_reduce_desc& desc, const char* message) {
    EXPECT_LT(vd_plan_create_reduce(context_, &desc, plan.out()), 0) << message;
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  vd_reduce_desc desc = whole(10);
  desc.rank = 9;
  refused(desc, "desc->rank (9)");
  desc = whole(0);
  refused(desc, "desc->shape[0] (0)");
  desc = whole(10);
  desc.axis_count = 1, desc.axes[0] = -2;
  refused(desc, "desc->axes[0] (-2) is not an axis of 1 dimensions.");
  desc = whole(10);
  desc.axis_count = 2;
  refused(desc, "desc->axis_count (2) is more than desc->rank (1).");
  desc.rank = 2, desc.shape[1] = 4, desc.axes[0] = 1, desc.axes[1] = -1;
  refused(desc, "desc->axes[1] (-1) is given twice.");
  desc.axis_count = 1, desc.rank = 3, desc.shape[2] = 6, desc.axes[0] = 2, desc.out_strides[1] = 1;
  refused(desc, "desc->out_strides[0] (0) puts 10 results at one address.");
  desc.out_strides[0] = 1;
  refused(desc, "desc->out_strides[0] (1) puts results at addresses of dimension 1 (4 of stride 1).");
  desc.out_strides[0] = -1;
  refused(desc, "desc->out_strides[0] (-1) is negative, and the first element of a buffer is the lowest one.");
  desc = whole(10);
  desc.flags = 64;
  refused(desc, "desc->flags (0x40)");
  desc = whole(10);
  desc.op = static_cast<vd_reduce_op>(99);
  refused(desc, "desc->op (99)");
  desc = whole(10, VD_TYPE_F32);
  desc.op = VD_REDUCE_OP_XOR;
  refused(desc, "bitwise operations take integers, not f32");
  desc = whole(10, VD_TYPE_COMPLEX_F32);
  desc.op = VD_REDUCE_OP_MAX;
  refused(desc, "has no order");
  desc = whole(10, VD_TYPE_BOOL);
  refused(desc, "desc->compute_type (bool) is not a type of numbers");
  desc = whole(10, VD_TYPE_F32);
  desc.in_type = VD_TYPE_COMPLEX_F32;
  refused(desc, "does not convert");
  desc = whole(10);
  desc.op = VD_REDUCE_OP_CUSTOM;
  refused(desc, "desc->op (7) is a custom operation, which only vd_reduce_gen_create() takes.");
  desc = whole(10);
  desc.flags = VD_REDUCE_MAP_INPUT;
  refused(desc, "desc->flags (0x1) have map bits, which only vd_reduce_gen_create() takes.");
  desc = whole(10);
  desc.workgroup_size = 1 << 20;
  refused(desc, "desc->workgroup_size (1048576)");
  desc = whole(10);
  const uint32_t one = 1;
  desc.identity = &one;
  desc.identity_size = 4;
  refused(desc, "has its own");
  desc.op = VD_REDUCE_OP_CUSTOM;
  desc.identity_size = 3;
  Own<vd_reduce_gen> gen;
  EXPECT_EQ(vd_reduce_gen_create(context_, &desc, gen.out()), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("desc->identity_size (3)"));
}

// ---- Every type of elements, on every backend that has a device

class ReduceEachBackend : public ReduceTest, public testing::WithParamInterface<vd_backend> {
 protected:
  void SetUp() override {
    context_ = api::shared_context(GetParam());
    if (context_ == nullptr) GTEST_SKIP() << vd_last_error();
    ASSERT_OK(vd_context_get_device(context_, 0, &info_));
  }
  bool has(vd_features features) const { return (info_.features & features) == features; }

  // One operation of each kind on numbers of `components` scalars, which T counts in.
  template <class T>
  void expect_all(const char* name, vd_type type, uint32_t components, vd_features features) {
    if (!has(features)) return;
    SCOPED_TRACE(name);
    constexpr size_t kCount = 9001;  // of several groups, and odd
    const std::vector<uint32_t> words = numbers(2 * kCount * components);
    std::vector<T> data(kCount * components);
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<T>(words[2 * i] | (sizeof(T) == 8 ? uint64_t{words[2 * i + 1]} << 32 : 0));
    const std::function<T(T, T)> folds[] = {[](T a, T b) { return static_cast<T>(uint64_t(a) + uint64_t(b)); },
                                            [](T a, T b) { return static_cast<T>(uint64_t(a) * uint64_t(b)); },
                                            [](T a, T b) { return std::min(a, b); },
                                            [](T a, T b) { return std::max(a, b); },
                                            [](T a, T b) { return static_cast<T>(a & b); },
                                            [](T a, T b) { return static_cast<T>(a | b); },
                                            [](T a, T b) { return static_cast<T>(a ^ b); }};
    for (const int op : {VD_REDUCE_OP_ADD, VD_REDUCE_OP_MAX, VD_REDUCE_OP_XOR}) {
      // Compilers take long for these.
      if ((components > 1 || GetParam() == VD_BACKEND_OPENCL) && op != VD_REDUCE_OP_ADD) continue;
      vd_reduce_desc desc = whole(kCount, type);
      desc.op = static_cast<vd_reduce_op>(op);
      std::vector<T> expected(data.begin(), data.begin() + components);
      for (size_t i = components; i < data.size(); ++i)
        expected[i % components] = folds[op](expected[i % components], data[i]);
      EXPECT_EQ(run(desc, data, components), expected) << op;
    }
  }

  // Sums, minima and maxima of floats, small whole numbers; `bits` turns one into the element type's.
  template <class T>
  void expect_floats(const char* name, vd_type type, uint32_t components, vd_features features, T (*bits)(int)) {
    if (!has(features)) return;
    SCOPED_TRACE(name);
    constexpr size_t kCount = 9001;
    std::vector<T> data(kCount * components);
    const auto number = [&](size_t i) { return i % 37 == 0 ? static_cast<int>(i % 3) - 1 : i % 911 == 0 ? 5 : 0; };
    std::vector<int> sums(components), least(components), largest(components);
    for (size_t i = 0; i < data.size(); ++i) {
      const int n = number(i);
      data[i] = bits(n);
      sums[i % components] += n;
      least[i % components] = std::min(least[i % components], n);
      largest[i % components] = std::max(largest[i % components], n);
    }
    const auto expect = [&](vd_reduce_op op, const std::vector<int>& expected) {
      vd_reduce_desc desc = whole(kCount, type);
      desc.op = op;
      std::vector<T> wanted;
      for (const int n : expected) wanted.push_back(bits(n));
      EXPECT_EQ(run(desc, data, components), wanted) << op;
    };
    expect(VD_REDUCE_OP_ADD, sums);
    const bool ordered = (type & 0xff00) == 0 || (type & 0x0f00) == 0x0100;
    if (!ordered) return;
    expect(VD_REDUCE_OP_MIN, least);
    expect(VD_REDUCE_OP_MAX, largest);
  }

  static uint16_t half(int n) {
    if (n == 0) return 0;
    const auto magnitude = static_cast<uint32_t>(std::abs(n));
    uint32_t exponent = 0;
    while (magnitude >> (exponent + 1)) ++exponent;
    return static_cast<uint16_t>((n < 0 ? 0x8000 : 0) | (exponent + 15) << 10 |
                                 ((magnitude << 10 >> exponent) & 0x3ff));
  }

  vd_device_info info_ = VD_DEVICE_INFO_INIT;
};

TEST_P(ReduceEachBackend, IntegersOfEveryWidth) {
  const vd_features i8 = VD_FEATURE_I8 | VD_FEATURE_STORAGE_8, i16 = VD_FEATURE_I16 | VD_FEATURE_STORAGE_16;
  expect_all<int8_t>("i8", VD_TYPE_I8, 1, i8);
  expect_all<uint8_t>("u8", VD_TYPE_U8, 1, i8);
  expect_all<int16_t>("i16", VD_TYPE_I16, 1, i16);
  expect_all<uint16_t>("u16", VD_TYPE_U16, 1, i16);
  expect_all<int32_t>("i32", VD_TYPE_I32, 1, 0);
  expect_all<uint32_t>("u32", VD_TYPE_U32, 1, 0);
  expect_all<int64_t>("i64", VD_TYPE_I64, 1, VD_FEATURE_I64);
  expect_all<uint64_t>("u64", VD_TYPE_U64, 1, VD_FEATURE_I64);
  expect_all<uint8_t>("u8x4", VD_TYPE_U8X4, 4, i8);
  expect_all<int64_t>("i64x2", VD_TYPE_I64X2, 2, VD_FEATURE_I64);
}

TEST_P(ReduceEachBackend, FloatsOfEveryWidth) {
  const vd_features f16 = VD_FEATURE_F16 | VD_FEATURE_STORAGE_16;
  const auto f32 = [](int n) { return static_cast<float>(n); };
  const auto f64 = [](int n) { return static_cast<double>(n); };
  expect_floats<uint16_t>("f16", VD_TYPE_F16, 1, f16, half);
  expect_floats<uint16_t>("f16x3", VD_TYPE_F16X3, 3, f16, half);
  expect_floats<uint16_t>("complex_f16", VD_TYPE_COMPLEX_F16, 2, f16, half);
  expect_floats<float>("f32", VD_TYPE_F32, 1, 0, f32);
  expect_floats<float>("f32x3", VD_TYPE_F32X3, 3, 0, f32);
  expect_floats<float>("complex_f32", VD_TYPE_COMPLEX_F32, 2, 0, f32);
  expect_floats<float>("f32m2", VD_TYPE_F32M2, 4, 0, f32);
  // Compilers take long for these.
  if (GetParam() != VD_BACKEND_OPENCL) expect_floats<float>("f32m3", VD_TYPE_F32M3, 9, 0, f32);
  expect_floats<double>("f64", VD_TYPE_F64, 1, VD_FEATURE_F64, f64);
  expect_floats<double>("complex_f64", VD_TYPE_COMPLEX_F64, 2, VD_FEATURE_F64, f64);
}

TEST_P(ReduceEachBackend, NanAloneIsTheLeastAndTheGreatest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const size_t counts[] = {1, 5, 9001};  // by one thread, by one group, by several
  for (const size_t count : counts) {
    if (GetParam() == VD_BACKEND_OPENCL && count != 9001) continue;  // compilers take long there
    for (const vd_reduce_op op : {VD_REDUCE_OP_MIN, VD_REDUCE_OP_MAX}) {
      SCOPED_TRACE(testing::Message() << count << " elements, op " << op);
      vd_reduce_desc desc = whole(count, VD_TYPE_F32);
      desc.op = op;
      std::vector<float> data(count, nan);
      EXPECT_TRUE(std::isnan(run(desc, data, 1)[0]));
      data.back() = -3;
      EXPECT_EQ(run(desc, data, 1), std::vector<float>{-3});
    }
  }
}

// The group that finishes last folds what the others left, where a device orders memory between groups and a launch
// that failed leaves no count behind; elsewhere, and where it is asked for, a second dispatch does.
TEST_P(ReduceEachBackend, OneDispatchWhereItCanBe) {
  constexpr size_t kCount = 300000;  // of several groups
  const auto explained = [&](const vd_reduce_desc& desc) {
    Plan plan;
    EXPECT_OK(vd_plan_create_reduce(context_, &desc, plan.out()));
    Blob text;
    EXPECT_OK(vd_plan_explain(plan, text.out()));
    return std::string(static_cast<const char*>(vd_blob_data(text, nullptr)));
  };
  const auto count = [](const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  const auto expect = [&](const vd_reduce_desc& desc, bool one) {
    const std::string text = explained(desc);
    EXPECT_EQ(count(text, " workgroups per result"), 1u) << text;
    EXPECT_EQ(count(text, " workgroups per result, the last to finish combines them"), one ? 1u : 0u) << text;
    EXPECT_EQ(count(text, " of them per result, "), one ? 1u : 2u) << text;
  };
  const bool can = GetParam() == VD_BACKEND_VULKAN || GetParam() == VD_BACKEND_CUDA;
  const std::vector<uint32_t> data = numbers(kCount);
  for (const vd_reduce_flags flags : {0u, uint32_t{VD_REDUCE_TWO_PASSES}}) {
    vd_reduce_desc desc = whole(kCount);
    desc.flags = flags;
    expect(desc, can && flags == 0);
    EXPECT_EQ(run(desc, data, 1)[0], std::accumulate(data.begin(), data.end(), 0u));
  }
  // Several results of several groups each.
  vd_reduce_desc rows = VD_REDUCE_DESC_INIT;
  rows.rank = 2;
  rows.shape[0] = 2, rows.shape[1] = kCount / 2;
  vdtest::set_axes(rows, 1 << 1);
  rows.compute_type = VD_TYPE_U32;
  expect(rows, can);
  const auto middle = data.begin() + kCount / 2;
  EXPECT_EQ(run(rows, data, 2),
            (std::vector{std::accumulate(data.begin(), middle, 0u), std::accumulate(middle, data.end(), 0u)}));
  // The elements of one workgroup need no second pass.
  EXPECT_EQ(count(explained(whole(60)), " workgroups per result"), 0u);
  if (has(VD_FEATURE_F16 | VD_FEATURE_STORAGE_16)) expect(whole(kCount, VD_TYPE_F16), false);
}

// Numbers of elements that 32 bits do not hold; a map needs no memory for them.
TEST_P(ReduceEachBackend, MapsOfElementsFarApart) {
  vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = 5, desc.shape[1] = 3000;
  desc.in_strides[0] = int64_t{1} << 33, desc.in_strides[1] = 1 << 20;
  desc.compute_type = VD_TYPE_U32;
  desc.flags = VD_REDUCE_MAP_INPUT;
  Own<vd_reduce_gen> gen;
  if (!has(VD_FEATURE_I64)) {
    EXPECT_FAILS(
        vd_reduce_gen_create(context_, &desc, gen.out()), VD_ERR_UNSUPPORTED,
        "vd_reduce_gen_create: the array reaches to element 37504417792, past the limit (2147483648) of a device "
        "without 64-bit integers.");
    return;
  }
  ASSERT_OK(vd_reduce_gen_create(context_, &desc, gen.out()));
  for (;;) {
    vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
    Writer w("unused");
    ASSERT_OK(vd_reduce_gen_next(gen, &element, w.builder.out()));
    if (element.point == VD_REDUCE_POINT_DONE) break;
    if (element.point != VD_REDUCE_POINT_READ) continue;
    const vd_value steps = w.emit(VD_OP_SHR, {element.index, w.u32(20)});
    w.store(element.value, w.emit(VD_OP_CONVERT, {steps}, VD_TYPE_U32));
  }
  Plan plan;
  ASSERT_OK(vd_reduce_gen_finish(gen, plan.out()));
  Buffer out = make_buffer(context_, sizeof(uint32_t));
  const vd_binding binding = VD_BINDING_OF(out, 0, VD_WHOLE_SIZE);
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = &binding;
  launch.binding_count = 1;
  ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
  uint32_t expected = 0;
  for (uint32_t i = 0; i < 5; ++i) {
    for (uint32_t j = 0; j < 3000; ++j) expected += (i << 13) + j;
  }
  EXPECT_EQ(read<uint32_t>(out, 1)[0], expected);
}

INSTANTIATE_TEST_SUITE_P(InTurn, ReduceEachBackend, api::each_backend(), api::backend_name);

}  // namespace
}  // namespace api
