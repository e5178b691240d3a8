// The memory that a transform may read and write: bytes that both sides share, and buffers that are too small.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "api/fft_support.h"

namespace api {
namespace {

TEST_F(FftTest, WhatIsReadMustNotBeWritten) {
  const Numbers data = numbers(8 * 64);
  const auto run = [&](const vd_fft_desc& desc, uint64_t from, uint32_t count, Numbers* got) {
    Plan plan;
    EXPECT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
    Buffer all = buffer(Numbers(2 * data.size()));
    EXPECT_TRUE(ok(vd_buffer_write(all, from * 8, data.data(), data.size() * 8, 0)));
    const vd_binding bindings[] = {VD_BINDING_OF(all, 0, VD_WHOLE_SIZE), VD_BINDING_OF(all, from * 8, VD_WHOLE_SIZE)};
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = count;
    const vd_status status = vd_plan_launch(plan, &launch, nullptr);
    if (got != nullptr) *got = read(all, data.size());
    return status;
  };
  vd_fft_desc desc = rows(8, 64);
  desc.flags = VD_FFT_OUT_OF_PLACE;
  Numbers got, first(64);
  std::copy_n(data.begin(), 64, first.begin());
  for (const uint64_t from : {uint64_t{0}, uint64_t{512}}) {  // the very same bytes, and none of them
    ASSERT_EQ(run(desc, from, 2, &got), VD_OK) << vd_last_error();
    const Numbers want = dft(first, -1);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(std::abs(got[i] - want[i]), 0, 1e-4) << i;
  }
  EXPECT_EQ(run(desc, 64, 2, nullptr), VD_ERR_INVALID);
  EXPECT_NE(std::string(vd_last_error()).find("share bytes"), std::string::npos) << vd_last_error();
  vd_fft_desc wider = desc;  // elements at the same places in both arrays, which are others in memory
  wider.in_type = VD_TYPE_COMPLEX_F32, wider.out_type = VD_TYPE_COMPLEX_F64;
  EXPECT_EQ(run(wider, 0, 2, nullptr), VD_ERR_INVALID);
  vd_fft_desc turned = desc;  // each line becomes a column
  turned.out_strides[0] = 1, turned.out_strides[1] = 8;
  EXPECT_EQ(run(turned, 0, 2, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(run(turned, 512, 2, nullptr), VD_OK) << vd_last_error();
  vd_fft_desc convolution = rows(8, 64);
  convolution.flags = VD_FFT_CONVOLVE;
  EXPECT_EQ(run(convolution, 0, 2, nullptr), VD_OK) << vd_last_error();
  EXPECT_EQ(run(convolution, 64, 2, nullptr), VD_ERR_INVALID);
  convolution.flags |= VD_FFT_SHARED_FILTER;  // lines are written while others still read the first as their kernel
  EXPECT_EQ(run(convolution, 0, 2, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(run(convolution, 512, 2, nullptr), VD_OK) << vd_last_error();
}

// The distance to a next line, of which there is none, makes no difference.
TEST_F(FftTest, OneRealLineMayBeWrittenOverItself) {
  for (const vd_fft_kind kind : {VD_FFT_KIND_R2C, VD_FFT_KIND_C2R}) {
    for (const uint32_t rank : {1u, 2u}) {
      vd_fft_desc desc = VD_FFT_DESC_INIT;
      desc.rank = rank;
      desc.shape[0] = 1;
      desc.shape[rank - 1] = 64;
      desc.kind = kind;
      desc.flags = VD_FFT_OUT_OF_PLACE;
      Plan plan;
      ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
      Buffer all = buffer(numbers(33));
      const vd_binding bindings[] = {VD_BINDING_OF(all, 0, VD_WHOLE_SIZE), VD_BINDING_OF(all, 0, VD_WHOLE_SIZE)};
      vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
      launch.bindings = bindings;
      launch.binding_count = 2;
      EXPECT_OK(vd_plan_launch(plan, &launch, nullptr)) << "kind " << kind << ", rank " << rank;
    }
  }
}

// Two arrays in one buffer, each somewhere: refused where they have an element in common, and else transformed.
TEST_F(FftTest, ArraysWithGapsMayBeBetweenEachOthersElements) {
  struct Array {
    uint64_t first, rows, columns;  // strides
  };
  struct Case {
    Array out, in;
    bool allowed;
    vd_fft_flags flags = 0;
    uint32_t axes = 1;
    uint64_t low = 0, high = 0;  // of the input
  };
  constexpr uint64_t kRows = 4, kLine = 12, kAll = 400;
  const Case cases[] = {
      {{0, 24, 1}, {12, 24, 1}, true},                    // rows, and rows between them
      {{0, 24, 1}, {11, 24, 1}, false},                   // one element too early
      {{0, 24, 2}, {1, 24, 2}, true},                     // even and odd elements
      {{0, 24, 2}, {24, 24, 2}, false},                   // the second row is the first one's
      {{0, 24, 2}, {0, 24, 2}, true},                     // all at the same places
      {{0, 24, 2}, {2, 24, 2}, false},                    // each at its neighbour's
      {{0, 24, 1}, {11, 24, 1}, true, 0, 1, 1, 0},        // what is not read may be written
      {{0, 24, 1}, {0, 24, 1}, true, 0, 1, 3, 9},         // and the others where they are
      {{0, 1, 8}, {4, 1, 8}, true},                       // columns beside columns
      {{0, 1, 8}, {0, 12, 1}, false},                     // columns on rows
      {{0, 24, 1}, {12, 24, 1}, true, 0, 2},              // along both axes
      {{0, 24, 1}, {11, 24, 1}, false, 0, 2},             //
      {{0, 24, 1}, {12, 24, 1}, true, VD_FFT_CONVOLVE},   // a kernel with gaps, whose data are elsewhere
      {{0, 24, 1}, {18, 24, 1}, false, VD_FFT_CONVOLVE},  //
      {{0, 24, 1}, {0, 24, 1}, true, VD_FFT_CONVOLVE},    //
  };
  const Numbers data = numbers(kAll);
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("case {}", &c - cases));
    const bool convolves = c.flags != 0;
    vd_fft_desc desc = rows(kRows, kLine);
    desc.flags = c.flags | VD_FFT_OUT_OF_PLACE;
    desc.axis_count = c.axes;
    desc.axes[0] = 1, desc.axes[1] = 0;
    desc.in_low[1] = c.low, desc.in_high[1] = c.high;
    const auto set = [](int64_t* strides, uint64_t& first, const Array& array) {
      strides[0] = static_cast<int64_t>(array.rows), strides[1] = static_cast<int64_t>(array.columns);
      first = array.first;
    };
    set(desc.out_strides, desc.out_offset, c.out);
    if (convolves) {
      set(desc.filter_strides, desc.filter_offset, c.in);
    } else {
      set(desc.in_strides, desc.in_offset, c.in);
    }
    Plan plan;
    ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
    Buffer one = buffer(data), elsewhere = buffer(data), apart = buffer(data);
    vd_binding bindings[] = {VD_BINDING_OF(one, 0, VD_WHOLE_SIZE),
                             VD_BINDING_OF(convolves ? elsewhere : one, 0, VD_WHOLE_SIZE),
                             VD_BINDING_OF(one, 0, VD_WHOLE_SIZE)};
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = convolves ? 3 : 2;
    ASSERT_EQ(vd_plan_launch(plan, &launch, nullptr), c.allowed ? VD_OK : VD_ERR_INVALID) << vd_last_error();
    if (!c.allowed) {
      EXPECT_NE(std::string(vd_last_error()).find("share bytes"), std::string::npos) << vd_last_error();
      continue;
    }
    bindings[0] = VD_BINDING_OF(apart, 0, VD_WHOLE_SIZE);
    bindings[1] = bindings[2] = VD_BINDING_OF(elsewhere, 0, VD_WHOLE_SIZE);
    ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
    const Numbers got = read(one, kAll), want = read(apart, kAll);
    for (uint64_t i = 0; i < kRows * kLine; ++i) {
      const uint64_t at = c.out.first + i / kLine * c.out.rows + i % kLine * c.out.columns;
      EXPECT_EQ(got[at], want[at]) << i;
    }
  }
}

// Lines at the same places, whose elements beyond what is written are the next line's.
TEST_F(FftTest, LinesThatReachIntoEachOtherAreNotAtTheSamePlaces) {
  vd_fft_desc half = rows(4, 8), part = rows(4, 8);
  half.kind = VD_FFT_KIND_C2R;  // five complex numbers in the place of eight reals
  half.in_strides[0] = 4, half.in_strides[1] = 1;
  part.in_strides[0] = part.out_strides[0] = 4;
  part.in_strides[1] = part.out_strides[1] = 1;
  part.out_high[1] = 4;
  for (vd_fft_desc* desc : {&half, &part}) {
    desc->flags = VD_FFT_OUT_OF_PLACE;
    Plan plan;
    ASSERT_TRUE(ok(vd_plan_create_fft(context_, desc, plan.out())));
    Buffer one = buffer(numbers(32)), other = buffer(numbers(32));
    for (const auto& [from, status] : {std::pair{&one, VD_ERR_INVALID}, {&other, VD_OK}}) {
      const vd_binding bindings[] = {VD_BINDING_OF(one, 0, VD_WHOLE_SIZE), VD_BINDING_OF(*from, 0, VD_WHOLE_SIZE)};
      vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
      launch.bindings = bindings;
      launch.binding_count = 2;
      EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), status) << vd_last_error();
    }
  }
}

// Several kernels: a result of one must not be what another one's lines are.
TEST_F(FftTest, ResultsOfSeveralKernelsLieApartFromTheKernels) {
  vd_fft_desc desc = rows(2, 16);
  desc.flags = VD_FFT_CONVOLVE;
  desc.filter_count = 3;
  Plan plan;
  ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
  Buffer all = buffer(numbers(200));
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.binding_count = 2;
  for (const auto& [from, status] : {std::pair{96, VD_OK}, {64, VD_ERR_INVALID}, {32, VD_ERR_INVALID}}) {
    const vd_binding bindings[] = {VD_BINDING_OF(all, 0, VD_WHOLE_SIZE),
                                   VD_BINDING_OF(all, static_cast<uint64_t>(from) * 8, VD_WHOLE_SIZE)};
    launch.bindings = bindings;
    EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), status) << from << ": " << vd_last_error();
  }
}

// Buffers of exactly the bytes that a transform touches are enough: a checked device finds nothing past their ends.
// With a byte less it does not begin.
TEST_F(FftTest, BuffersThatAreTooSmallAreRefused) {
  context_ = host_context(VD_CONTEXT_CHECKED);
  const auto expect = [&](const char* what, const vd_fft_desc& desc, const std::vector<uint64_t>& sizes) {
    SCOPED_TRACE(what);
    Plan plan;
    ASSERT_OK(vd_plan_create_fft(context_, &desc, plan.out()));
    Buffer buffers[3];
    vd_binding bindings[3] = {};
    for (size_t i = 0; i < sizes.size(); ++i) {
      buffers[i] = make_buffer(context_, std::vector<std::byte>(sizes[i] + 256));
      bindings[i] = VD_BINDING_OF(buffers[i], 0, sizes[i]);
    }
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = static_cast<uint32_t>(sizes.size());
    EXPECT_OK(vd_plan_launch(plan, &launch, nullptr));
    EXPECT_OK(vd_context_wait_idle(context_, VD_QUEUE_ALL, VD_WAIT_FOREVER));
    Graph graph;
    ASSERT_OK(vd_graph_create(context_, nullptr, graph.out()));
    for (size_t i = 0; i < sizes.size(); ++i) {
      bindings[i].size -= 1;
      EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), VD_ERR_INVALID) << "binding " << i;
      EXPECT_THAT(vd_last_error(), testing::HasSubstr(fmt::format("takes {} bytes", sizes[i])));
      EXPECT_EQ(vd_graph_launch(graph, plan, &launch, nullptr), VD_ERR_INVALID) << "binding " << i;
      bindings[i].size += 1;
    }
  };
  vd_fft_desc desc = rows(3, 20);
  expect("rows", desc, {480});
  desc.axis_count = 1;
  expect("columns", desc, {480});
  desc.axis_count = 2, desc.axes[1] = 1;
  expect("both axes", desc, {480});
  desc.flags = VD_FFT_OUT_OF_PLACE;
  expect("from another buffer", desc, {480, 480});
  desc = rows(3, 20);
  desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.in_high[1] = 5, desc.out_low[1] = 2, desc.out_high[1] = 7;
  expect("ranges", desc, {(2 * 20 + 7) * 8, (2 * 20 + 5) * 8});
  desc = rows(2, 9);
  desc.kind = VD_FFT_KIND_R2C;
  expect("reals in place", desc, {2 * 5 * 8});
  desc.flags = VD_FFT_OUT_OF_PLACE;
  expect("reals from another buffer", desc, {2 * 5 * 8, 2 * 9 * 4});
  desc.kind = VD_FFT_KIND_C2R;
  expect("to reals", desc, {2 * 9 * 4, 2 * 5 * 8});
  desc = rows(3, 20);
  desc.kind = VD_FFT_KIND_C2R, desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.axis_count = 2, desc.axes[1] = 1;
  expect("to reals along both axes", desc, {480 / 2, 3 * 11 * 8});
  desc = rows(2, 34);
  expect("by Bluestein", desc, {2 * 34 * 8});
  desc = rows(4, 12);
  desc.flags = VD_FFT_CONVOLVE;
  expect("a kernel", desc, {4 * 12 * 8, 4 * 12 * 8});
  desc.flags |= VD_FFT_SHARED_FILTER | VD_FFT_OUT_OF_PLACE;
  desc.filter_count = 3;
  expect("shared kernels", desc, {3 * 4 * 12 * 8, 4 * 12 * 8, 3 * 12 * 8});
  vd_fft_desc images = desc;
  images.axis_count = 2, images.axes[0] = 1, images.axes[1] = 0;
  expect("of images", images, {3 * 4 * 12 * 8, 4 * 12 * 8, 3 * 4 * 12 * 8});
  images.kind = VD_FFT_KIND_R2C;
  expect("of real images", images, {3 * 4 * 12 * 4, 4 * 12 * 4, 3 * 4 * 7 * 8});
  desc.shape[1] = 34;
  expect("shared kernels by Bluestein", desc, {3 * 4 * 34 * 8, 4 * 34 * 8, 3 * 34 * 8});
  desc.kind = VD_FFT_KIND_R2C;
  expect("of real lines", desc, {3 * 4 * 34 * 4, 4 * 34 * 4, 3 * 18 * 8});
  const Tuned tuned("shared=128");
  desc.shape[1] = 102;
  expect("and in many passes", desc, {3 * 4 * 102 * 4, 4 * 102 * 4, 3 * 52 * 8});
  desc.kind = VD_FFT_KIND_C2C;
  desc.shape[1] = 1200;
  expect("shared kernels in many passes", desc, {3 * 4 * 1200 * 8, 4 * 1200 * 8, 3 * 1200 * 8});
  expect("in many passes", rows(3, 1200), {3 * 1200 * 8});
}

TEST_F(FftTest, InPlaceBothSidesAreTheSameBytes) {
  const Numbers data = numbers(2 * 8);
  Numbers spread(5 + 3 + 2 * 20);
  const auto place = [](size_t row, size_t i) { return 5 + row * 20 + 2 * i; };
  for (size_t i = 0; i < data.size(); ++i) spread[place(i / 8, i % 8)] = data[i];
  Numbers want = spread;
  for (size_t row = 0; row < 2; ++row) {
    const auto first = data.begin() + static_cast<long>(8 * row);
    const Numbers line = dft({first, first + 8}, -1);
    for (size_t i = 0; i < 8; ++i) want[place(row, i)] = line[i];
  }
  for (const bool of_input : {true, false}) {
    vd_fft_desc desc = rows(2, 8);
    int64_t* strides = of_input ? desc.in_strides : desc.out_strides;
    strides[0] = 20, strides[1] = 2;
    (of_input ? desc.in_offset : desc.out_offset) = 5;
    Plan plan;
    ASSERT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
    Buffer b = buffer(spread);
    const vd_binding binding = VD_BINDING_OF(b, 0, VD_WHOLE_SIZE);
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = &binding;
    launch.binding_count = 1;
    ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
    expect_near(read(b, spread.size()), want);
  }
  const auto refused = [&](const vd_fft_desc& desc, const char* message) {
    Plan plan;
    EXPECT_EQ(vd_plan_create_fft(context_, &desc, plan.out()), VD_ERR_INVALID) << message;
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  vd_fft_desc desc = rows(4, 8);
  desc.in_strides[0] = 8, desc.in_strides[1] = 1;
  desc.out_strides[0] = 16, desc.out_strides[1] = 1;
  refused(desc, "desc->in_strides[0] (8) and out_strides[0] (16) are not the same number of bytes");
  desc = rows(4, 8);
  desc.in_offset = 4, desc.out_offset = 8;
  refused(desc, "desc->in_offset (4) and out_offset (8) are not the same number of bytes");
  desc = rows(4, 8);
  desc.kind = VD_FFT_KIND_R2C;
  desc.in_strides[0] = 8, desc.in_strides[1] = 1;
  desc.out_strides[0] = 5, desc.out_strides[1] = 1;
  refused(desc, "desc->in_strides[0] (8) and out_strides[0] (5) are not the same number of bytes");
  desc.in_strides[0] = 10;
  Plan plan;
  EXPECT_TRUE(ok(vd_plan_create_fft(context_, &desc, plan.out())));
  desc.out_strides[0] = 0, desc.out_strides[1] = 0;
  desc.in_strides[0] = 11;
  refused(desc, "desc->in_strides[0] (11) and out_strides[0] (5) are not the same number of bytes");
  desc = rows(4, 8);
  desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.out_strides[1] = 1;
  refused(desc, "desc->out_strides[0] (0) puts 4 results at one address.");
}

}  // namespace
}  // namespace api
