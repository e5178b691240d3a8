// Fourier transforms through the C API: one-shot plans, and the pulled generator.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "api/fft_support.h"
#include "support/argument.h"

namespace api {
namespace {

TEST_F(FftTest, OneShotPlansAreLaunchedAndRecordedAsOthers) {
  const Numbers data = numbers(2 * 30);
  const Numbers first = dft({data.begin(), data.begin() + 30}, -1), second = dft({data.begin() + 30, data.end()}, -1);
  Numbers want = first;
  want.insert(want.end(), second.begin(), second.end());
  Buffer b = buffer(data);
  vd_fft_desc desc = rows(2, 30);
  Plan forward, inverse;
  ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, forward.out())));
  desc.direction = VD_FFT_DIRECTION_INVERSE;
  ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, inverse.out())));
  const vd_binding binding = VD_BINDING_OF(b, 0, VD_WHOLE_SIZE);
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = &binding;
  launch.binding_count = 1;
  ASSERT_TRUE(ok(vd_plan_launch(forward, &launch, nullptr)));
  expect_near(read(b, 60), want);
  Graph graph;
  ASSERT_TRUE(ok(vd_graph_create(context_, nullptr, graph.out())));
  ASSERT_TRUE(ok(vd_graph_launch(graph, inverse, &launch, nullptr)));
  ASSERT_TRUE(ok(vd_graph_launch(graph, forward, &launch, nullptr)));
  ASSERT_TRUE(ok(vd_graph_submit(graph, nullptr, nullptr)));
  expect_near(read(b, 60), want);

  launch.invocations[0] = 1;
  EXPECT_EQ(vd_plan_launch(forward, &launch, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("has a size of its own"));
  vd_plan_info info = VD_PLAN_INFO_INIT;
  ASSERT_TRUE(ok(vd_plan_get_info(forward, &info)));
  EXPECT_EQ(info.binding_count, 1u);
  Blob text;
  ASSERT_TRUE(ok(vd_plan_explain(forward, text.out())));
  EXPECT_THAT(static_cast<const char*>(vd_blob_data(text, nullptr)), testing::HasSubstr("fft_30"));
}

TEST_F(FftTest, ALengthOfSeveralPassesAndABluesteinOne) {
  for (const uint64_t n : {uint64_t{17}, uint64_t{20000}}) {
    Numbers data(n);
    data[1] = 1;  // its transform is a turning phase
    Buffer b = buffer(data);
    vd_fft_desc desc = rows(1, n);
    Plan plan;
    ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
    const vd_binding binding = VD_BINDING_OF(b, 0, VD_WHOLE_SIZE);
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = &binding;
    launch.binding_count = 1;
    ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
    const Numbers got = read(b, n);
    for (uint64_t k = 0; k < n; ++k) {
      const double angle = -2 * 3.14159265358979323846 * static_cast<double>(k) / static_cast<double>(n);
      ASSERT_LT(std::abs(got[k] - std::complex<float>(std::polar(1.0, angle))), 1e-5) << k;
    }
  }
}

// Real rows and their half spectra as an in-place transform has them, and beside that.
TEST_F(FftTest, RealLinesBetweenTheirSpectra) {
  vd_fft_desc desc = rows(4, 10);
  desc.kind = VD_FFT_KIND_R2C;
  desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.in_strides[0] = 12, desc.in_strides[1] = 1;
  Plan plan;
  ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
  Buffer all = buffer(numbers(64));
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.binding_count = 2;
  for (const auto& [from, status] : {std::pair{0, VD_OK}, {8, VD_ERR_INVALID}, {192, VD_OK}}) {
    const vd_binding bindings[] = {VD_BINDING_OF(all, 0, VD_WHOLE_SIZE),
                                   VD_BINDING_OF(all, static_cast<uint64_t>(from), VD_WHOLE_SIZE)};
    launch.bindings = bindings;
    EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), status) << from << ": " << vd_last_error();
  }
}

// Long enough to be transformed in pairs, as complex lines of half the length; pairs are used only if the line begins
// at an even number.
TEST_F(FftTest, RealLinesAtOddPlaces) {
  for (const uint64_t n : {uint64_t{512}, uint64_t{600}}) {
    for (const auto& [first, step] : {std::pair{uint64_t{1}, n}, {uint64_t{0}, n + 1}, {uint64_t{3}, n + 3}}) {
      SCOPED_TRACE(fmt::format("length {}, from {} by {}", n, first, step));
      const uint64_t bins = n / 2 + 1;
      vd_fft_desc desc = rows(2, n);
      desc.kind = VD_FFT_KIND_R2C;
      desc.flags = VD_FFT_OUT_OF_PLACE;
      desc.in_strides[0] = static_cast<int64_t>(step), desc.in_strides[1] = 1;
      desc.in_offset = first;
      Plan there, back;
      ASSERT_OK(vd_plan_create_fft(context_, &desc, there.out()));
      std::swap(desc.in_strides, desc.out_strides);
      std::swap(desc.in_offset, desc.out_offset);
      desc.kind = VD_FFT_KIND_C2R;
      ASSERT_OK(vd_plan_create_fft(context_, &desc, back.out()));
      std::vector<float> reals(first + step + n);
      for (size_t i = 0; i < reals.size(); ++i) reals[i] = static_cast<float>(i * i % 13) - 6;
      Buffer in = make_buffer(context_, reals), out = buffer(Numbers(2 * bins));
      Buffer again = make_buffer(context_, std::vector<float>(reals.size()));
      for (auto* const plan : {&there, &back}) {
        const bool forward = plan == &there;
        const vd_binding bindings[] = {VD_BINDING_OF(forward ? out : again, 0, VD_WHOLE_SIZE),
                                       VD_BINDING_OF(forward ? in : out, 0, VD_WHOLE_SIZE)};
        vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
        launch.bindings = bindings;
        launch.binding_count = 2;
        ASSERT_OK(vd_plan_launch(*plan, &launch, nullptr));
      }
      const Numbers spectrum = read(out, 2 * bins);
      const std::vector<float> got = api::read<float>(again, reals.size());
      for (uint64_t row = 0; row < 2; ++row) {
        const Numbers want = dft(Numbers(&reals[first + row * step], &reals[first + row * step] + n), -1);
        for (uint64_t k = 0; k < bins; ++k) ASSERT_LT(std::abs(spectrum[row * bins + k] - want[k]), 2e-2) << k;
        for (uint64_t i = 0; i < n; ++i)
          ASSERT_NEAR(got[first + row * step + i], reals[first + row * step + i], 1e-4) << i;
      }
    }
  }
}

TEST_F(FftTest, AnyNumberOfRegistersMayBeAllowed) {
  for (const uint32_t registers : {1u << 20, 1u << 31, ~0u}) {
    vd_fft_desc desc = rows(1, 1024);
    desc.max_registers = registers;
    Plan plan;
    EXPECT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out()))) << registers;
    vd_fft_block_desc block = VD_FFT_BLOCK_DESC_INIT;
    block.size = 1024;
    block.max_registers = registers;
    vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
    EXPECT_TRUE(ok(vd_fft_block_get_info(&block, &info))) << registers;
  }
}

TEST_F(FftTest, SeveralAxesAndOutOfPlace) {
  const Numbers data = numbers(12);
  Buffer from = buffer(data), to = buffer(Numbers(12));
  vd_fft_desc desc = rows(3, 4);
  desc.axis_count = 2;
  desc.axes[0] = -1;
  desc.axes[1] = 0;
  desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.norm = VD_FFT_NORM_ORTHO;
  Plan plan;
  ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
  const vd_binding bindings[] = {VD_BINDING_OF(to, 0, VD_WHOLE_SIZE), VD_BINDING_OF(from, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = bindings;
  launch.binding_count = 2;
  ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
  Numbers want(12);
  for (size_t row = 0; row < 3; ++row) {
    const auto first = data.begin() + static_cast<long>(4 * row);
    const Numbers line = dft({first, first + 4}, -1);
    std::copy(line.begin(), line.end(), want.begin() + static_cast<long>(4 * row));
  }
  for (size_t c = 0; c < 4; ++c) {
    const Numbers line = dft({want[c], want[4 + c], want[8 + c]}, -1);
    for (size_t row = 0; row < 3; ++row) want[4 * row + c] = line[row] / std::sqrt(12.0f);
  }
  expect_near(read(to, 12), want);
  expect_near(read(from, 12), data);
}

TEST_F(FftTest, TheGeneratorTakesMaps) {
  vd_fft_desc desc = rows(2, 8);
  desc.flags = VD_FFT_MAP_INPUT;
  Own<vd_fft_gen> gen;
  ASSERT_TRUE(ok(vd_fft_gen_create(context_, &desc, gen.out())));
  EXPECT_EQ(vd_fft_gen_read(gen, 0, 0, 0), VD_ERR_STATE);
  vd_value source = 0;
  uint32_t reads = 0;
  while (true) {
    vd_fft_element element = VD_FFT_ELEMENT_INIT;
    Builder builder;
    ASSERT_TRUE(ok(vd_fft_gen_next(gen, &element, builder.out())));
    if (element.point == VD_FFT_POINT_DONE) {
      EXPECT_EQ(static_cast<vd_builder*>(builder), nullptr);
      break;
    }
    if (element.point == VD_FFT_POINT_ARGUMENTS) {
      EXPECT_EQ(element.part, static_cast<vd_fft_flags>(VD_FFT_MAP_INPUT));
      ASSERT_TRUE(ok(declare_argument(builder, VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32, "source", &source)));
      continue;
    }
    // The input with its sign changed.
    ASSERT_EQ(element.point, VD_FFT_POINT_READ);
    EXPECT_EQ(element.element_id, reads++);
    EXPECT_EQ(element.size, 8u);
    EXPECT_EQ(vd_fft_gen_write(gen, source, 0, 0), VD_ERR_STATE);
    Plan early;
    EXPECT_EQ(vd_fft_gen_finish(gen, early.out()), VD_ERR_STATE);
    ASSERT_TRUE(ok(vd_fft_gen_read(gen, source, 0, 0)));
    vd_value negative = 0;
    ASSERT_TRUE(ok(vd_builder_emit(builder, VD_OP_NEG, 0, &element.value, 1, 0, 0, &negative)));
    const vd_value operands[] = {element.value, negative};
    ASSERT_TRUE(ok(vd_builder_emit(builder, VD_OP_STORE, 0, operands, 2, 0, 0, nullptr)));
  }
  Plan plan;
  ASSERT_TRUE(ok(vd_fft_gen_finish(gen, plan.out())));
  const Numbers data = numbers(16);
  Buffer from = buffer(data), to = buffer(Numbers(16));
  const vd_binding bindings[] = {VD_BINDING_OF(to, 0, VD_WHOLE_SIZE), VD_BINDING_OF(from, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = bindings;
  launch.binding_count = 2;
  ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
  Numbers want = dft({data.begin(), data.begin() + 8}, -1);
  const Numbers second = dft({data.begin() + 8, data.end()}, -1);
  want.insert(want.end(), second.begin(), second.end());
  for (auto& v : want) v = -v;
  expect_near(read(to, 16), want);
}

// No buffer of the caller's is written between axes: the output map or the reals come last, and the input is unchanged.
TEST_F(FftTest, AWorkspaceBetweenAxes) {
  for (const uint64_t rows_of : {6, 34}) {
    const uint64_t n = 10, half = n / 2 + 1;
    vd_fft_desc desc = rows(rows_of, n);
    desc.axis_count = 2;
    desc.axes[1] = 1;
    desc.kind = VD_FFT_KIND_C2R;
    const Numbers data = numbers(rows_of * half);
    Buffer in_place = buffer(data), from = buffer(data), to = buffer(Numbers(rows_of * n / 2));
    Plan one, two;
    ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, one.out())));
    desc.flags = VD_FFT_OUT_OF_PLACE;
    ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, two.out())));
    const vd_binding bindings[] = {VD_BINDING_OF(to, 0, VD_WHOLE_SIZE), VD_BINDING_OF(from, 0, VD_WHOLE_SIZE)};
    const vd_binding alone = VD_BINDING_OF(in_place, 0, VD_WHOLE_SIZE);
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = &alone;
    launch.binding_count = 1;
    ASSERT_TRUE(ok(vd_plan_launch(one, &launch, nullptr)));
    launch.bindings = bindings;
    launch.binding_count = 2;
    ASSERT_TRUE(ok(vd_plan_launch(two, &launch, nullptr)));
    const Numbers padded = read(in_place, rows_of * half);
    Numbers want;
    for (size_t i = 0; i < rows_of * half; ++i) {
      if (i % half < n / 2) want.push_back(padded[i]);
    }
    expect_near(read(to, rows_of * n / 2), want);
    expect_near(read(from, rows_of * half), data);

    // A map that writes each number's negative.
    desc = rows(rows_of, n);
    desc.axis_count = 2;
    desc.axes[1] = 1;
    const Numbers whole = numbers(rows_of * n);
    Buffer same = buffer(whole), input = buffer(whole), out = buffer(Numbers(rows_of * n));
    Plan plain, mapped;
    ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plain.out())));
    desc.flags = VD_FFT_MAP_OUTPUT | VD_FFT_OUT_OF_PLACE;
    map_output(desc, mapped, [&](vd_builder* builder, const vd_fft_element& element, vd_value number) {
      EXPECT_EQ(element.axis, 1u);
      vd_value negative = 0;
      EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_NEG, 0, &number, 1, 0, 0, &negative)));
      return negative;
    });
    const vd_binding there = VD_BINDING_OF(same, 0, VD_WHOLE_SIZE);
    launch.bindings = &there;
    launch.binding_count = 1;
    ASSERT_TRUE(ok(vd_plan_launch(plain, &launch, nullptr)));
    const vd_binding both[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(input, 0, VD_WHOLE_SIZE)};
    launch.bindings = both;
    launch.binding_count = 2;
    ASSERT_TRUE(ok(vd_plan_launch(mapped, &launch, nullptr)));
    Numbers expected = read(same, rows_of * n);
    for (auto& v : expected) v = -v;
    expect_near(read(out, rows_of * n), expected);
    expect_near(read(input, rows_of * n), whole);
  }
}

}  // namespace
}  // namespace api
