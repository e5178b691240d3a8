// Fourier transforms through the C API: one-shot plans, the pulled generator, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <functional>
#include <limits>

#include "api/support.h"

// Found by its argument, where api::Own lets go.
static void release(vd_fft_gen* p) { vd_fft_gen_release(p); }

namespace api {
namespace {

using Numbers = std::vector<std::complex<float>>;

Numbers dft(const Numbers& x, int sign) {
  Numbers y(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    std::complex<double> sum;
    for (size_t n = 0; n < x.size(); ++n) {
      const double angle =
          sign * 2 * 3.14159265358979323846 * static_cast<double>(n * k % x.size()) / static_cast<double>(x.size());
      sum += std::complex<double>(x[n]) * std::polar(1.0, angle);
    }
    y[k] = std::complex<float>(sum);
  }
  return y;
}

// What the planner is told while this lives.
struct Tuned {
  explicit Tuned(const char* words) { setenv("VKDISPATCH_FFT_TUNE", words, 1); }
  ~Tuned() { unsetenv("VKDISPATCH_FFT_TUNE"); }
  Tuned(const Tuned&) = delete;
  Tuned& operator=(const Tuned&) = delete;
};

class FftTest : public testing::Test {
 protected:
  void SetUp() override {
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    desc.backend = VD_BACKEND_HOST;
    ASSERT_TRUE(ok(vd_context_create(&desc, context_.out())));
  }

  Buffer buffer(const Numbers& data) {
    vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
    desc.size = data.size() * sizeof(data[0]);
    desc.data = data.data();
    Buffer made;
    EXPECT_TRUE(ok(vd_buffer_create(context_, &desc, made.out())));
    return made;
  }
  // The element's place among the results of several kernels, which a map has to find itself.
  static vd_value place_of(vd_builder* builder, const vd_fft_element& element, const vd_fft_desc& desc) {
    uint64_t place = element.instance_id;
    for (uint32_t i = 0; i < desc.rank; ++i) place *= desc.shape[i];
    if (place == 0) return 0;
    const auto number = static_cast<uint32_t>(place);
    vd_value operands[] = {element.index, 0}, sum = 0;
    EXPECT_TRUE(ok(vd_builder_constant(builder, VD_TYPE_U32, &number, sizeof(number), &operands[1])));
    EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_ADD, 0, operands, 2, 0, 0, &sum)));
    return sum;
  }
  // A plan whose output map stores what `value` makes of an element's number.
  using Written = std::function<vd_value(vd_builder*, const vd_fft_element&, vd_value number)>;
  void map_output(const vd_fft_desc& desc, Plan& plan, const Written& value) {
    Own<vd_fft_gen> gen;
    ASSERT_TRUE(ok(vd_fft_gen_create(context_, &desc, gen.out())));
    vd_value target = 0;
    for (;;) {
      vd_fft_element element = VD_FFT_ELEMENT_INIT;
      Builder builder;
      ASSERT_TRUE(ok(vd_fft_gen_next(gen, &element, builder.out())));
      if (element.point == VD_FFT_POINT_DONE) break;
      if (element.point == VD_FFT_POINT_ARGUMENTS) {
        ASSERT_TRUE(ok(vd_builder_argument(builder, VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32, "target", &target)));
        continue;
      }
      ASSERT_EQ(element.point, VD_FFT_POINT_WRITE);
      vd_value number = 0;
      ASSERT_TRUE(ok(vd_builder_emit(builder, VD_OP_LOAD, 0, &element.value, 1, 0, 0, &number)));
      ASSERT_TRUE(ok(vd_fft_gen_write(gen, target, place_of(builder, element, desc), value(builder, element, number))));
    }
    ASSERT_TRUE(ok(vd_fft_gen_finish(gen, plan.out())));
  }
  Numbers read(vd_buffer* from, size_t count) {
    Numbers data(count);
    EXPECT_TRUE(ok(vd_buffer_read(from, 0, count * sizeof(data[0]), 0, data.data())));
    return data;
  }
  static vd_fft_desc rows(uint64_t count, uint64_t n) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 2;
    desc.shape[0] = count;
    desc.shape[1] = n;
    return desc;
  }
  static Numbers numbers(size_t count) {
    Numbers data(count);
    for (size_t i = 0; i < count; ++i) data[i] = {static_cast<float>(i % 7) - 3, static_cast<float>((i * i) % 11) / 4};
    return data;
  }
  static void expect_near(const Numbers& got, const Numbers& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_LT(std::abs(got[i] - want[i]), 2e-4) << i;
  }

  Context context_;
};

TEST_F(FftTest, OneShotPlansAreLaunchedAndRecordedAsOthers) {
  const Numbers data = numbers(2 * 30);
  const Numbers first = dft({data.begin(), data.begin() + 30}, -1), second = dft({data.begin() + 30, data.end()}, -1);
  Numbers want = first;
  want.insert(want.end(), second.begin(), second.end());
  Buffer b = buffer(data);
  vd_fft_desc desc = rows(2, 30);
  Plan forward, inverse;
  ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, forward.out())));
  desc.flags = VD_FFT_INVERSE;
  ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, inverse.out())));
  const vd_binding binding = VD_BINDING_OF(b, 0, 0);
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = &binding;
  launch.binding_count = 1;
  ASSERT_TRUE(ok(vd_plan_launch(forward, &launch, nullptr)));
  expect_near(read(b, 60), want);
  Graph graph;
  ASSERT_TRUE(ok(vd_graph_create(context_, nullptr, graph.out())));
  ASSERT_TRUE(ok(vd_graph_dispatch(graph, inverse, &launch, nullptr)));
  ASSERT_TRUE(ok(vd_graph_dispatch(graph, forward, &launch, nullptr)));
  ASSERT_TRUE(ok(vd_graph_submit(graph, nullptr, nullptr)));
  expect_near(read(b, 60), want);

  launch.threads[0] = 1;
  EXPECT_EQ(vd_plan_launch(forward, &launch, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("knows its own"));
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
    ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
    const vd_binding binding = VD_BINDING_OF(b, 0, 0);
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

// A plan that no launch could run: lavapipe binds 128 MiB of a buffer at most, and zeros fill twice the lines' length.
TEST_F(FftTest, AWorkspaceThatTheDeviceDoesNotBindIsRefused) {
  vd_context_desc wish = VD_CONTEXT_DESC_INIT;
  wish.backend = VD_BACKEND_VULKAN;
  wish.flags = VD_CONTEXT_USE_CPU;
  if (vd_context_create(&wish, context_.out()) < 0) GTEST_SKIP() << vd_last_error();
  vd_device_info info = VD_DEVICE_INFO_INIT;
  ASSERT_OK(vd_context_get_device(context_, 0, &info));
  const Tuned small("shared=4096");
  constexpr uint64_t kPrime = 1009;
  vd_fft_desc desc = rows(info.max_storage_buffer_range / (kPrime * 8) * 3 / 4, kPrime);
  Plan plan;
  EXPECT_EQ(vd_fft_plan_create(context_, &desc, plan.out()), VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("the fft workspace takes"));
  EXPECT_THAT(vd_last_error(), testing::HasSubstr(fmt::format("binds ({})", info.max_storage_buffer_range)));
}

// Lengths of several prime factors, in any place, with one kernel for all and with one each.
TEST_F(FftTest, ConvolutionsAlongEveryLength) {
  for (const uint64_t n : {17, 34, 323, 502}) {
    for (const uint32_t axis : {0u, 1u, 2u}) {
      for (const vd_fft_flags shared : {0u, uint32_t{VD_FFT_SHARED_KERNEL}}) {
        SCOPED_TRACE(fmt::format("{} along axis {}, flags {}", n, axis, shared));
        vd_fft_desc desc = VD_FFT_DESC_INIT;
        desc.rank = 3;
        desc.shape[0] = 2, desc.shape[1] = 3, desc.shape[2] = 2;
        desc.shape[axis] = n;
        desc.axis_count = 1;
        desc.axes[0] = static_cast<int32_t>(axis);
        desc.flags = VD_FFT_CONVOLVE | VD_FFT_OUT_OF_PLACE | shared;
        desc.kernel_count = 2;
        const uint64_t size = desc.shape[0] * desc.shape[1] * desc.shape[2];
        uint64_t kernel = 1, step = 1;
        for (uint32_t i = shared != 0 ? axis : 0; i < 3; ++i) kernel *= desc.shape[i];
        for (uint32_t i = axis + 1; i < 3; ++i) step *= desc.shape[i];
        // A turning phase moves the lines around, by one step and by three.
        const Numbers data = numbers(size);
        Numbers kernels(2 * kernel), want(2 * size);
        for (size_t i = 0; i < kernels.size(); ++i) {
          const uint64_t bin = i % kernel / step % n * (i < kernel ? 1 : 3) % n;
          kernels[i] = std::complex<float>(
              std::polar(1.0, -2 * 3.14159265358979323846 * static_cast<double>(bin) / static_cast<double>(n)));
        }
        for (size_t i = 0; i < want.size(); ++i) {
          const uint64_t at = i % size, place = at / step % n, from = (place + n - (i < size ? 1 : 3)) % n;
          want[i] = data[at - place * step + from * step];
        }
        Plan plan;
        ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
        Buffer to = buffer(Numbers(2 * size)), from = buffer(data), by = buffer(kernels);
        const vd_binding bindings[] = {VD_BINDING_OF(to, 0, 0), VD_BINDING_OF(from, 0, 0), VD_BINDING_OF(by, 0, 0)};
        vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
        launch.bindings = bindings;
        launch.binding_count = 3;
        ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
        expect_near(read(to, 2 * size), want);
      }
    }
  }
}

// Of images and volumes: there along all axes but the last, around that, and back. The kernels move what they meet,
// each another way.
TEST_F(FftTest, ConvolutionsAlongSeveralAxes) {
  struct Case {
    std::vector<int32_t> axes;
    vd_fft_kind kind;
    vd_fft_flags flags;
    uint32_t kernels;
    bool maps;
  };
  constexpr vd_fft_flags kApart = VD_FFT_OUT_OF_PLACE, kShared = VD_FFT_SHARED_KERNEL;
  const std::vector<Case> cases{
      {{2, 1}, VD_FFT_KIND_C2C, 0, 1, false},
      {{1, 2}, VD_FFT_KIND_C2C, kApart | VD_FFT_CONJUGATE, 3, false},
      {{2, 1}, VD_FFT_KIND_C2C, kApart | kShared, 2, false},
      {{0, 2, 1}, VD_FFT_KIND_C2C, VD_FFT_INVERSE, 2, false},
      {{2, 1}, VD_FFT_KIND_R2C, kApart | kShared, 2, false},
      {{2, 0, 1}, VD_FFT_KIND_R2C, kApart, 1, false},
      {{2, 1}, VD_FFT_KIND_C2C, kApart, 2, true},
  };
  for (const uint64_t side : {4, 17}) {
    for (const Case& c : cases) {
      SCOPED_TRACE(fmt::format("side {}, {} axes, first {}, kind {}, flags {:#x}, {} kernels", side, c.axes.size(),
                               c.axes[0], static_cast<int>(c.kind), c.flags, c.kernels));
      vd_fft_desc desc = VD_FFT_DESC_INIT;
      desc.kind = c.kind;
      desc.flags = c.flags | VD_FFT_CONVOLVE | (c.maps ? VD_FFT_MAP_OUTPUT : 0);
      desc.rank = 3;
      desc.shape[0] = 3, desc.shape[1] = side, desc.shape[2] = 6;
      desc.axis_count = static_cast<uint32_t>(c.axes.size());
      std::copy(c.axes.begin(), c.axes.end(), desc.axes);
      desc.kernel_count = c.kernels;
      const bool real = c.kind == VD_FFT_KIND_R2C, apart = (c.flags & kApart) != 0;
      const bool shared = (c.flags & kShared) != 0;
      const bool turned = ((c.flags & VD_FFT_CONJUGATE) != 0) != ((c.flags & VD_FFT_INVERSE) != 0);
      const auto steps = [&](size_t dim, uint32_t k) -> uint64_t {
        return std::ranges::find(c.axes, static_cast<int32_t>(dim)) == c.axes.end() ? 0 : (dim + k) % 3;
      };
      const uint64_t bins = real ? 4 : 6, planes = shared ? 1 : 3, size = 3 * side * 6;
      Numbers kernels;
      for (uint32_t k = 0; k < c.kernels; ++k) {
        for (uint64_t i = 0; i < planes * side * bins; ++i) {
          const double angle = static_cast<double>(steps(2, k) * (i % bins)) / 6 +
                               static_cast<double>(steps(1, k) * (i / bins % side)) / static_cast<double>(side) +
                               static_cast<double>(steps(0, k) * (i / bins / side)) / 3;
          kernels.push_back(std::complex<float>(std::polar(1.0, -2 * 3.14159265358979323846 * angle)));
        }
      }
      // Real arrays are taken two numbers at a time.
      const Numbers data = numbers(real ? size / 2 : size);
      const auto* reals = reinterpret_cast<const float*>(data.data());
      Numbers want(data.size() * c.kernels);
      auto* wanted = reinterpret_cast<float*>(want.data());
      const auto from = [&](uint64_t at, uint64_t n, uint64_t by) {
        return turned ? (at + by) % n : (at + n - by) % n;
      };
      for (uint64_t i = 0; i < size * c.kernels; ++i) {
        const auto k = static_cast<uint32_t>(i / size);
        const uint64_t x = from(i % 6, 6, steps(2, k)), y = from(i / 6 % side, side, steps(1, k)),
                       z = from(i / 6 / side % 3, 3, steps(0, k)), at = (z * side + y) * 6 + x;
        if (real) {
          wanted[i] = reals[at];
        } else {
          want[i] = data[at] * (c.maps ? static_cast<float>(k + 1) : 1.0f);
        }
      }
      Plan plan;
      if (c.maps) {
        map_output(desc, plan, [&](vd_builder* builder, const vd_fft_element& element, vd_value number) {
          EXPECT_EQ(element.instance_count, c.kernels);
          // As many times as the kernel's number says.
          vd_value sum = number;
          for (uint32_t i = 0; i < element.instance_id; ++i) {
            const vd_value operands[] = {sum, number};
            EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_ADD, 0, operands, 2, 0, 0, &sum)));
          }
          return sum;
        });
      } else {
        ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
      }
      Numbers room(want.size());
      if (!apart) std::copy(data.begin(), data.end(), room.begin());
      Buffer to = buffer(room), input = buffer(data), by = buffer(kernels);
      std::vector<vd_binding> bindings{VD_BINDING_OF(to, 0, 0)};
      if (apart) bindings.push_back(VD_BINDING_OF(input, 0, 0));
      bindings.push_back(VD_BINDING_OF(by, 0, 0));
      vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
      launch.bindings = bindings.data();
      launch.binding_count = static_cast<uint32_t>(bindings.size());
      ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
      expect_near(read(to, want.size()), want);
    }
  }
}

TEST_F(FftTest, WhatIsReadMustNotBeWritten) {
  const Numbers data = numbers(8 * 64);
  const auto run = [&](const vd_fft_desc& desc, uint64_t from, uint32_t count, Numbers* got) {
    Plan plan;
    EXPECT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
    Buffer all = buffer(Numbers(2 * data.size()));
    EXPECT_TRUE(ok(vd_buffer_write(all, from * 8, data.data(), data.size() * 8, 0)));
    const vd_binding bindings[] = {VD_BINDING_OF(all, 0, 0), VD_BINDING_OF(all, from * 8, 0)};
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
  convolution.flags |= VD_FFT_SHARED_KERNEL;  // lines are written while others still read the first as their kernel
  EXPECT_EQ(run(convolution, 0, 2, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(run(convolution, 512, 2, nullptr), VD_OK) << vd_last_error();
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
      set(desc.kernel_strides, desc.kernel_offset, c.in);
    } else {
      set(desc.in_strides, desc.in_offset, c.in);
    }
    Plan plan;
    ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
    Buffer one = buffer(data), elsewhere = buffer(data), apart = buffer(data);
    vd_binding bindings[] = {VD_BINDING_OF(one, 0, 0), VD_BINDING_OF(convolves ? elsewhere : one, 0, 0),
                             VD_BINDING_OF(one, 0, 0)};
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = bindings;
    launch.binding_count = convolves ? 3 : 2;
    ASSERT_EQ(vd_plan_launch(plan, &launch, nullptr), c.allowed ? VD_OK : VD_ERR_INVALID) << vd_last_error();
    if (!c.allowed) {
      EXPECT_NE(std::string(vd_last_error()).find("share bytes"), std::string::npos) << vd_last_error();
      continue;
    }
    bindings[0] = VD_BINDING_OF(apart, 0, 0);
    bindings[1] = bindings[2] = VD_BINDING_OF(elsewhere, 0, 0);
    ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
    const Numbers got = read(one, kAll), want = read(apart, kAll);
    for (uint64_t i = 0; i < kRows * kLine; ++i) {
      const uint64_t at = c.out.first + i / kLine * c.out.rows + i % kLine * c.out.columns;
      EXPECT_EQ(got[at], want[at]) << i;
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
  ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
  Buffer all = buffer(numbers(64));
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.binding_count = 2;
  for (const auto& [from, status] : {std::pair{0, VD_OK}, {8, VD_ERR_INVALID}, {192, VD_OK}}) {
    const vd_binding bindings[] = {VD_BINDING_OF(all, 0, 0), VD_BINDING_OF(all, static_cast<uint64_t>(from), 0)};
    launch.bindings = bindings;
    EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), status) << from << ": " << vd_last_error();
  }
}

// Long enough to go in pairs, as complex lines of half the length; a pair begins at an even number, or there are none.
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
      ASSERT_OK(vd_fft_plan_create(context_, &desc, there.out()));
      std::swap(desc.in_strides, desc.out_strides);
      std::swap(desc.in_offset, desc.out_offset);
      desc.kind = VD_FFT_KIND_C2R;
      ASSERT_OK(vd_fft_plan_create(context_, &desc, back.out()));
      std::vector<float> reals(first + step + n);
      for (size_t i = 0; i < reals.size(); ++i) reals[i] = static_cast<float>(i * i % 13) - 6;
      Buffer in = make_buffer(context_, reals), out = buffer(Numbers(2 * bins));
      Buffer again = make_buffer(context_, std::vector<float>(reals.size()));
      for (auto* const plan : {&there, &back}) {
        const bool forward = plan == &there;
        const vd_binding bindings[] = {VD_BINDING_OF(forward ? out : again, 0, 0),
                                       VD_BINDING_OF(forward ? in : out, 0, 0)};
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
    EXPECT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out()))) << registers;
    vd_fft_block_desc block = VD_FFT_BLOCK_DESC_INIT;
    block.size = 1024;
    block.max_registers = registers;
    vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
    EXPECT_TRUE(ok(vd_fft_block_get_info(&block, &info))) << registers;
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
    ASSERT_TRUE(ok(vd_fft_plan_create(context_, desc, plan.out())));
    Buffer one = buffer(numbers(32)), other = buffer(numbers(32));
    for (const auto& [from, status] : {std::pair{&one, VD_ERR_INVALID}, {&other, VD_OK}}) {
      const vd_binding bindings[] = {VD_BINDING_OF(one, 0, 0), VD_BINDING_OF(*from, 0, 0)};
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
  desc.kernel_count = 3;
  Plan plan;
  ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
  Buffer all = buffer(numbers(200));
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.binding_count = 2;
  for (const auto& [from, status] : {std::pair{96, VD_OK}, {64, VD_ERR_INVALID}, {32, VD_ERR_INVALID}}) {
    const vd_binding bindings[] = {VD_BINDING_OF(all, 0, 0), VD_BINDING_OF(all, static_cast<uint64_t>(from) * 8, 0)};
    launch.bindings = bindings;
    EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), status) << from << ": " << vd_last_error();
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
  ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
  const vd_binding bindings[] = {VD_BINDING_OF(to, 0, 0), VD_BINDING_OF(from, 0, 0)};
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
      ASSERT_TRUE(ok(vd_builder_argument(builder, VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32, "source", &source)));
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
  const vd_binding bindings[] = {VD_BINDING_OF(to, 0, 0), VD_BINDING_OF(from, 0, 0)};
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

TEST_F(FftTest, AnOutputMapNeedsAnInput) {
  vd_fft_desc desc = rows(2, 8);
  desc.flags = VD_FFT_MAP_OUTPUT;
  Own<vd_fft_gen> gen;
  EXPECT_FAILS(vd_fft_gen_create(context_, &desc, gen.out()), VD_ERR_INVALID,
               "vd_fft_gen_create: with VD_FFT_MAP_OUTPUT and no input map the input is an argument: set "
               "VD_FFT_OUT_OF_PLACE.");
}

// Between axes nothing of the caller's is written: his map or his reals come last, and what he gave stays as it is.
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
    ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, one.out())));
    desc.flags = VD_FFT_OUT_OF_PLACE;
    ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, two.out())));
    const vd_binding bindings[] = {VD_BINDING_OF(to, 0, 0), VD_BINDING_OF(from, 0, 0)};
    const vd_binding alone = VD_BINDING_OF(in_place, 0, 0);
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
    ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plain.out())));
    desc.flags = VD_FFT_MAP_OUTPUT | VD_FFT_OUT_OF_PLACE;
    map_output(desc, mapped, [&](vd_builder* builder, const vd_fft_element& element, vd_value number) {
      EXPECT_EQ(element.axis, 1u);
      vd_value negative = 0;
      EXPECT_TRUE(ok(vd_builder_emit(builder, VD_OP_NEG, 0, &number, 1, 0, 0, &negative)));
      return negative;
    });
    const vd_binding there = VD_BINDING_OF(same, 0, 0);
    launch.bindings = &there;
    launch.binding_count = 1;
    ASSERT_TRUE(ok(vd_plan_launch(plain, &launch, nullptr)));
    const vd_binding both[] = {VD_BINDING_OF(out, 0, 0), VD_BINDING_OF(input, 0, 0)};
    launch.bindings = both;
    launch.binding_count = 2;
    ASSERT_TRUE(ok(vd_plan_launch(mapped, &launch, nullptr)));
    Numbers expected = read(same, rows_of * n);
    for (auto& v : expected) v = -v;
    expect_near(read(out, rows_of * n), expected);
    expect_near(read(input, rows_of * n), whole);
  }
}

// Buffers of exactly the bytes that a transform touches are enough: a checked device finds nothing past their ends.
// With a byte less it does not begin.
TEST_F(FftTest, BuffersThatAreTooSmallAreRefused) {
  context_ = host_context(VD_CONTEXT_CHECKED);
  const auto expect = [&](const char* what, const vd_fft_desc& desc, const std::vector<uint64_t>& sizes) {
    SCOPED_TRACE(what);
    Plan plan;
    ASSERT_OK(vd_fft_plan_create(context_, &desc, plan.out()));
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
      EXPECT_EQ(vd_graph_dispatch(graph, plan, &launch, nullptr), VD_ERR_INVALID) << "binding " << i;
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
  desc.flags |= VD_FFT_SHARED_KERNEL | VD_FFT_OUT_OF_PLACE;
  desc.kernel_count = 3;
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

TEST_F(FftTest, WrongWishesAreNamed) {
  const auto refused = [&](const vd_fft_desc& desc, vd_status status, const char* message) {
    Plan plan;
    EXPECT_EQ(vd_fft_plan_create(context_, &desc, plan.out()), status);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  vd_fft_desc desc = rows(2, 8);
  desc.rank = 0;
  refused(desc, VD_ERR_INVALID, "desc->rank (0)");
  desc = rows(2, 0);
  refused(desc, VD_ERR_INVALID, "desc->shape[1] (0)");
  desc = rows(2, 8);
  desc.axis_count = 3;
  desc.axes[1] = 1;
  refused(desc, VD_ERR_INVALID, "desc->axis_count (3) is more than desc->rank (2).");
  desc.axis_count = 9;
  refused(desc, VD_ERR_INVALID, "desc->axis_count (9) is more than desc->rank (2).");
  desc = rows(2, 8);
  desc.scale = std::numeric_limits<double>::quiet_NaN();
  refused(desc, VD_ERR_INVALID, "desc->scale (nan) is no finite number.");
  desc.scale = -std::numeric_limits<double>::infinity();
  refused(desc, VD_ERR_INVALID, "desc->scale (-inf) is no finite number.");
  desc = rows(2, 8);
  desc.axis_count = 1;
  desc.axes[0] = -3;
  refused(desc, VD_ERR_INVALID, "desc->axes[0] (-3)");
  desc = rows(2, 8);
  desc.flags = VD_FFT_CONJUGATE;
  refused(desc, VD_ERR_INVALID, "without VD_FFT_CONVOLVE");
  desc.flags = VD_FFT_MAP_INPUT;
  refused(desc, VD_ERR_INVALID, "maps");
  desc.flags = 1u << 20;
  refused(desc, VD_ERR_INVALID, "unknown bits");
  desc = rows(2, (uint64_t{1} << 32) + 2);
  refused(desc, VD_ERR_UNSUPPORTED, "desc->shape[1] (4294967298) is past the limit (2^32) of an axis that is");
  desc = rows(1, (uint64_t{1} << 31) + 11);
  refused(desc, VD_ERR_UNSUPPORTED, "the length (2147483659) has a prime factor above 13, and twice as much");
  desc = rows(2, 8);
  desc.in_low[1] = 3;
  desc.in_high[1] = 9;
  refused(desc, VD_ERR_INVALID, "desc->in_low[1] (3) and in_high[1] (9) are no range of 0 to 8.");
  desc = rows(2, 8);
  desc.out_low[1] = 8;
  refused(desc, VD_ERR_INVALID, "desc->out_low[1] (8) and out_high[1] (0) are no range of 0 to 8.");
  desc = rows(2, 8);
  desc.kind = VD_FFT_KIND_R2C;
  desc.out_low[1] = 6;
  refused(desc, VD_ERR_INVALID, "desc->out_low[1] (6) and out_high[1] (0) are no range of 0 to 5.");
  desc = rows(2, 8);
  desc.in_high[0] = 1;
  refused(desc, VD_ERR_INVALID, "desc->in_low[0] and in_high[0] are given for a dimension that is not transformed.");
  desc = rows(2, 8);
  desc.kernel_strides[1] = 1;
  refused(desc, VD_ERR_INVALID, "desc->kernel_strides or kernel_offset (0) are given without a kernel to read.");
  for (const vd_fft_flags flags : {vd_fft_flags{0}, vd_fft_flags{VD_FFT_OUT_OF_PLACE}}) {
    desc = rows(4, 8);
    desc.flags = flags;
    desc.out_strides[0] = desc.out_strides[1] = 1;
    refused(desc, VD_ERR_INVALID,
            "desc->out_strides[0] (1) puts results into places that dimension 1 (8 of stride 1) takes.");
  }
  // Rows of reals lie apart, and not those of their spectra.
  desc = rows(4, 8);
  desc.kind = VD_FFT_KIND_C2R;
  desc.out_strides[0] = 8, desc.out_strides[1] = 1;
  refused(desc, VD_ERR_INVALID,
          "desc->in_strides[0] (4) puts elements into places that dimension 1 (5 of stride 1) takes.");
  // What is not wanted is not written.
  desc = rows(4, 8);
  desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.out_strides[0] = 3, desc.out_strides[1] = 1;
  desc.out_high[1] = 3;
  Plan part;
  EXPECT_TRUE(ok(vd_fft_plan_create(context_, &desc, part.out())));
  desc = rows(2, 8);
  desc.in_strides[0] = -8, desc.in_strides[1] = 1;
  refused(desc, VD_ERR_UNSUPPORTED, "desc->in_strides[0] (-8) is negative, which is not in this version.");
  desc = rows(2, 8);
  desc.compute_type = VD_TYPE_F32;
  refused(desc, VD_ERR_INVALID, "desc->compute_type");
  desc = rows(2, 8);
  desc.kind = VD_FFT_KIND_R2C;
  desc.axis_count = 1;
  desc.axes[0] = 0;
  refused(desc, VD_ERR_INVALID, "last axis");
}

// In place there is one array: a layout of one side is that of both, and two that differ are refused.
// Kernels number lines in 32 bits; a line of more would be one from the beginning again.
TEST_F(FftTest, MoreLinesThanNumbersAreRefused) {
  const uint64_t most = uint64_t{1} << 32;
  for (const uint64_t n : {1, 2, 12}) {
    Plan plan;
    vd_fft_desc desc = rows(most, n);
    EXPECT_OK(vd_fft_plan_create(context_, &desc, plan.out()));
    desc.shape[0] = most + 1;
    EXPECT_EQ(vd_fft_plan_create(context_, &desc, plan.out()), VD_ERR_UNSUPPORTED);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr("4294967297 lines in groups of"));
    // Columns.
    desc.shape[0] = n, desc.shape[1] = most + 1;
    desc.axis_count = 1, desc.axes[0] = 0;
    EXPECT_EQ(vd_fft_plan_create(context_, &desc, plan.out()), VD_ERR_UNSUPPORTED);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr("4294967297 lines in groups of"));
  }
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
    ASSERT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
    Buffer b = buffer(spread);
    const vd_binding binding = VD_BINDING_OF(b, 0, 0);
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    launch.bindings = &binding;
    launch.binding_count = 1;
    ASSERT_TRUE(ok(vd_plan_launch(plan, &launch, nullptr)));
    expect_near(read(b, spread.size()), want);
  }
  const auto refused = [&](const vd_fft_desc& desc, const char* message) {
    Plan plan;
    EXPECT_EQ(vd_fft_plan_create(context_, &desc, plan.out()), VD_ERR_INVALID) << message;
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  vd_fft_desc desc = rows(4, 8);
  desc.in_strides[0] = 8, desc.in_strides[1] = 1;
  desc.out_strides[0] = 16, desc.out_strides[1] = 1;
  refused(desc, "desc->in_strides[0] (8) and out_strides[0] (16) are not the same bytes");
  desc = rows(4, 8);
  desc.in_offset = 4, desc.out_offset = 8;
  refused(desc, "desc->in_offset (4) and out_offset (8) are not the same bytes");
  desc = rows(4, 8);
  desc.kind = VD_FFT_KIND_R2C;
  desc.in_strides[0] = 8, desc.in_strides[1] = 1;
  desc.out_strides[0] = 5, desc.out_strides[1] = 1;
  refused(desc, "desc->in_strides[0] (8) and out_strides[0] (5) are not the same bytes");
  desc.in_strides[0] = 10;
  Plan plan;
  EXPECT_TRUE(ok(vd_fft_plan_create(context_, &desc, plan.out())));
  desc.out_strides[0] = 0, desc.out_strides[1] = 0;
  desc.in_strides[0] = 11;
  refused(desc, "desc->in_strides[0] (11) and out_strides[0] (5) are not the same bytes");
  desc = rows(4, 8);
  desc.flags = VD_FFT_OUT_OF_PLACE;
  desc.out_strides[1] = 1;
  refused(desc, "desc->out_strides[0] (0) puts 4 results into one place.");
}

// Values of another builder, and some that are no buffer.
TEST_F(FftTest, TheGeneratorChecksItsOperands) {
  vd_fft_desc desc = rows(2, 8);
  desc.flags = VD_FFT_MAP_INPUT | VD_FFT_MAP_OUTPUT;
  Own<vd_fft_gen> gen;
  ASSERT_TRUE(ok(vd_fft_gen_create(context_, &desc, gen.out())));
  vd_fft_element element = VD_FFT_ELEMENT_INIT;
  vd_value argument = 0;
  while (element.point != VD_FFT_POINT_READ) {
    Own<vd_builder> builder;
    ASSERT_TRUE(ok(vd_fft_gen_next(gen, &element, builder.out())));
    if (element.point == VD_FFT_POINT_ARGUMENTS) {
      ASSERT_TRUE(ok(vd_builder_argument(builder, VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32,
                                         element.part == VD_FFT_MAP_INPUT ? "x" : "y", &argument)));
    }
  }
  const auto refused = [&](vd_value buffer, vd_value index, vd_value into, const char* message) {
    EXPECT_EQ(vd_fft_gen_read(gen, buffer, index, into), VD_ERR_INVALID) << message;
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  const vd_value foreign = uint64_t{0x3FFFF400} << 32 | 77777;
  refused(foreign, 0, 0, "is not a value of this builder.");
  refused(0, 0, 0, "buffer (0x0) is not a value of this builder.");
  refused(element.index, 0, 0, "is not a buffer argument.");
  refused(argument, foreign, 0, "is not a value of this builder.");
  refused(argument, 0, foreign, "is not a value of this builder.");
  EXPECT_TRUE(ok(vd_fft_gen_read(gen, argument, 0, 0)));
}

// Strides and offsets whose sums or products would wrap around.
TEST_F(FftTest, WhatLiesTooFarIsRefused) {
  const auto refused = [&](const vd_fft_desc& desc, const char* message) {
    Plan plan;
    EXPECT_EQ(vd_fft_plan_create(context_, &desc, plan.out()), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  };
  vd_fft_desc desc = rows(5, 8);
  desc.in_strides[0] = int64_t{1} << 62, desc.in_strides[1] = 1;
  refused(desc, "desc->in_strides[0] (4611686018427387904) times 4 reaches past the limit (1099511627776 elements)");
  desc = rows(2, 8);
  desc.out_strides[0] = 8, desc.out_strides[1] = int64_t{1} << 61;
  refused(desc, "desc->out_strides[1] (2305843009213693952) times 7 reaches past the limit (1099511627776 elements)");
  desc = rows(2, 8);
  desc.in_offset = ~uint64_t{0} - 3;
  refused(desc, "desc->in_offset (18446744073709551612) is past the limit (1099511627776 elements)");
  desc = rows(2, 8);
  desc.out_offset = uint64_t{1} << 40;
  refused(desc, "desc->out_offset (1099511627776) is past the limit (1099511627776 elements)");
  desc = rows(1, 8);
  desc.flags = VD_FFT_CONVOLVE;
  desc.kernel_count = 16;
  desc.out_strides[0] = int64_t{1} << 60, desc.out_strides[1] = 1;
  refused(desc, "desc->out_strides[0] (1152921504606846976) times 1 for 16 kernels is past the limit");
  // Nothing lies at a stride of one element, unless kernels follow each other.
  desc = rows(1, 8);
  desc.flags = VD_FFT_CONVOLVE;
  desc.kernel_strides[0] = int64_t{1} << 60, desc.kernel_strides[1] = 1;
  Plan plan;
  EXPECT_OK(vd_fft_plan_create(context_, &desc, plan.out()));
  desc.kernel_count = 2;
  refused(desc, "desc->kernel_count (2) kernels of 1152921504606846976 elements are past the limit");
}

}  // namespace
}  // namespace api
