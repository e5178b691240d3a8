// Transforms by the VkFFT library, on Vulkan, beside sums in double precision and our own transforms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>

#include "api/numbers.h"
#include "api/shared_context.h"
#include "support/log_receiver.h"
#include "support/turns.h"

namespace api {
namespace {

using Number = std::complex<float>;
using Shape = std::vector<uint64_t>;

Numbers numbers(size_t count, unsigned seed = 1) {
  Numbers data(count);
  uint32_t state = seed * 2654435761u + 1;
  const auto next = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  };
  for (auto& x : data) {
    const float re = next();
    x = {re, next()};
  }
  return data;
}

size_t count_of(const Shape& shape) {
  size_t count = 1;
  for (const uint64_t n : shape) count *= n;
  return count;
}

// Along one axis of an array in C order.
std::vector<std::complex<double>> dft(const std::vector<std::complex<double>>& x, const Shape& shape, size_t axis,
                                      int sign) {
  std::vector<std::complex<double>> y(x.size());
  size_t step = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) step *= shape[i];
  const size_t n = shape[axis];
  for (size_t at = 0; at < x.size(); ++at) {
    const size_t k = at / step % n, first = at - k * step;
    for (size_t j = 0; j < n; ++j)
      y[at] += x[first + j * step] * std::polar(1.0, sign * 2 * 3.14159265358979323846 *
                                                         static_cast<double>(j * k % n) / static_cast<double>(n));
  }
  return y;
}

Numbers transform(const Numbers& data, const Shape& shape, const std::vector<size_t>& axes, int sign,
                  bool normalize = false) {
  std::vector<std::complex<double>> x(data.begin(), data.end());
  for (const size_t axis : axes) {
    x = dft(x, shape, axis, sign);
    if (normalize)
      for (auto& v : x) v /= static_cast<double>(shape[axis]);
  }
  return {x.begin(), x.end()};
}

double error(const Numbers& got, const Numbers& want) {
  EXPECT_EQ(got.size(), want.size());
  double difference = 0, size = 0;
  for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    difference += std::norm(std::complex<double>(got[i]) - std::complex<double>(want[i]));
    size += std::norm(std::complex<double>(want[i]));
  }
  return std::sqrt(difference / std::max(size, 1e-30));
}

constexpr double kNear = 2e-6;

// The validation layer is on, and what it says is a failure.
void fail_on_message(const vd_log_message* message, void*) { ADD_FAILURE() << message->text; }

class VkfftTest : public NumbersTest {
 protected:
  void SetUp() override {
    context_ = shared_context(VD_BACKEND_VULKAN, VD_CONTEXT_DEBUG);
    if (context_ == nullptr) GTEST_SKIP() << vd_last_error();
    memory_before_ = memory();
  }
  void TearDown() override {
    if (context_ != nullptr) {
      EXPECT_TRUE(ok(vd_context_wait_idle(context_, VD_QUEUE_ALL, VD_WAIT_FOREVER)));
      EXPECT_EQ(memory(), memory_before_);
    }
  }

  vd::test::LogReceiver receiver_{fail_on_message};

  uint64_t memory() {
    vd_context_info info = VD_CONTEXT_INFO_INIT;
    EXPECT_TRUE(ok(vd_context_get_info(context_, &info)));
    return info.memory_in_use;
  }
  static vd_fft_desc describe(const Shape& shape, const std::vector<size_t>& axes, vd_fft_flags flags = 0,
                              vd_fft_direction direction = VD_FFT_DIRECTION_FORWARD) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = static_cast<uint32_t>(shape.size());
    for (size_t i = 0; i < shape.size(); ++i) desc.shape[i] = shape[i];
    desc.axis_count = static_cast<uint32_t>(axes.size());
    for (size_t i = 0; i < axes.size(); ++i) desc.axes[i] = static_cast<int32_t>(axes[i]);
    desc.direction = direction;
    desc.flags = flags;
    return desc;
  }
  Plan plan(const vd_fft_desc& desc) {
    Plan made;
    EXPECT_TRUE(ok(vd_plan_create_vkfft(context_, &desc, made.out())));
    return made;
  }
  void launch(vd_plan* plan, const std::vector<vd_buffer*>& buffers) {
    ASSERT_TRUE(ok(vd_plan_try_launch(plan, nullptr, 0, 0, 0, 0, buffers.data(), static_cast<uint32_t>(buffers.size()),
                                      nullptr, 0)));
  }

  uint64_t memory_before_ = 0;
};

TEST_F(VkfftTest, ComplexTransformsAlongAnyAxes) {
  struct Case {
    Shape shape;
    std::vector<size_t> axes;
  };
  // Lengths of one pass, of primes (Rader), and of a prime whose neighbour has large factors (Bluestein).
  const std::vector<Case> cases = {{{4, 21}, {0}},       {{3, 8, 10}, {0, 1, 2}},   {{3, 47}, {1}},
                                   {{2, 2 * 1019}, {1}}, {{2, 2, 3, 4, 5}, {2, 4}}, {{30}, {0}},
                                   {{4, 21}, {1}},       {{6, 8, 10}, {1}},         {{3, 8, 10}, {1, 2}},
                                   {{5, 6, 7}, {0, 2}},  {{2, 6, 34}, {1, 2}},      {{61}, {0}}};
  for (const Case& c : vd::test::first_of(cases, 5)) {
    SCOPED_TRACE(testing::Message() << testing::PrintToString(c.shape) << " " << testing::PrintToString(c.axes));
    const Numbers data = numbers(count_of(c.shape));
    Buffer b = buffer(data);
    const Numbers want = transform(data, c.shape, c.axes, -1);
    Plan forward = plan(describe(c.shape, c.axes, 0)),
         back = plan(describe(c.shape, c.axes, 0, VD_FFT_DIRECTION_INVERSE));
    if (HasFailure()) return;
    launch(forward, {b});
    EXPECT_LT(error(read(b, data.size()), want), kNear);
    launch(back, {b});
    EXPECT_LT(error(read(b, data.size()), data), kNear);
  }
}

TEST_F(VkfftTest, LongLinesTakeSeveralPassesAndAWorkspace) {
  const Shape shape = {2, 1 << 15};
  const Numbers data = numbers(count_of(shape));
  Buffer b = buffer(data);
  const uint64_t before = memory();
  {
    Plan forward = plan(describe(shape, {1}, 0)), back = plan(describe(shape, {1}, 0, VD_FFT_DIRECTION_INVERSE));
    EXPECT_GE(memory(), before + 2 * count_of(shape) * sizeof(Number));  // what VkFFT keeps is counted
    launch(forward, {b});
    const Numbers got = read(b, data.size());
    for (const size_t k : {size_t{0}, size_t{1}, size_t{12345}, size_t{32767}}) {
      std::complex<double> sum;
      for (size_t j = 0; j < shape[1]; ++j)
        sum += std::complex<double>(data[j]) *
               std::polar(1.0, -2 * 3.14159265358979323846 * static_cast<double>(j * k % shape[1]) / 32768);
      EXPECT_LT(std::abs(sum - std::complex<double>(got[k])), 1e-3);
    }
    launch(back, {b});
    EXPECT_LT(error(read(b, data.size()), data), kNear);
  }
  EXPECT_TRUE(ok(vd_context_wait_idle(context_, VD_QUEUE_ALL, VD_WAIT_FOREVER)));
  EXPECT_EQ(memory(), before);
}

TEST_F(VkfftTest, OutOfPlaceTheInputStays) {
  const Shape shape = {6, 25};
  const Numbers data = numbers(count_of(shape));
  Buffer in = buffer(data), out = buffer(Numbers(data.size()));
  Plan forward = plan(describe(shape, {0, 1}, VD_FFT_OUT_OF_PLACE));
  launch(forward, {out, in});
  EXPECT_LT(error(read(out, data.size()), transform(data, shape, {0, 1}, -1)), kNear);
  EXPECT_EQ(read(in, data.size()), data);
}

TEST_F(VkfftTest, RealLinesThereAndBack) {
  for (const Shape& shape : vd::test::first_of<Shape>({{5, 9}, {3, 6, 10}, {16}}, 2)) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const size_t n = shape.back(), half = n / 2 + 1, lines = count_of(shape) / n;
    const Numbers noise = numbers(count_of(shape));
    Numbers padded(lines * half), whole(count_of(shape));
    for (size_t i = 0; i < whole.size(); ++i) {
      reinterpret_cast<float*>(padded.data())[i / n * half * 2 + i % n] = noise[i].real();
      whole[i] = noise[i].real();
    }
    std::vector<size_t> axes;
    for (size_t i = shape.size(); i-- > 0;) axes.push_back(i);
    const Numbers spectrum = transform(whole, shape, axes, -1);
    Numbers want(padded.size());
    for (size_t i = 0; i < want.size(); ++i) want[i] = spectrum[i / half * n + i % half];
    Buffer b = buffer(padded);
    vd_fft_desc desc = describe(shape, axes, 0);
    desc.kind = VD_FFT_KIND_R2C;
    Plan forward = plan(desc);
    desc.kind = VD_FFT_KIND_C2R;
    Plan back = plan(desc);
    if (HasFailure()) return;
    launch(forward, {b});
    EXPECT_LT(error(read(b, padded.size()), want), kNear);
    launch(back, {b});
    Numbers got = read(b, padded.size());
    for (size_t i = 0; i < whole.size(); ++i)
      EXPECT_NEAR(reinterpret_cast<float*>(got.data())[i / n * half * 2 + i % n], whole[i].real(), 1e-5) << i;
  }
}

TEST_F(VkfftTest, ConvolutionsWithAKernelForEachArray) {
  for (const Shape& shape : vd::test::first_of<Shape>({{2, 30}, {3, 16, 16}, {12, 10}, {2, 6, 34}}, 2)) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const size_t rank = shape.size();
    std::vector<size_t> axes = {rank - 1};
    if (count_of(shape) != 60) axes.insert(axes.begin(), rank - 2);
    const Numbers data = numbers(count_of(shape)), kernel = numbers(data.size(), 2);
    Buffer signal = buffer(data), spectrum = buffer(kernel);
    Plan prepare = plan(describe(shape, axes, 0)), convolve = plan(describe(shape, axes, VD_FFT_CONVOLVE));
    launch(prepare, {spectrum});
    launch(convolve, {signal, spectrum});
    Numbers product = transform(data, shape, axes, -1);
    const Numbers factors = transform(kernel, shape, axes, -1);
    for (size_t i = 0; i < product.size(); ++i) product[i] *= factors[i];
    EXPECT_LT(error(read(signal, data.size()), transform(product, shape, axes, 1, true)), kNear);
    EXPECT_LT(error(read(spectrum, data.size()), factors), kNear);
  }
}

TEST_F(VkfftTest, AKernelIsNotWhatIsConvolved) {
  const Numbers data = numbers(120);
  Buffer signal = buffer(data);
  const Plan image = plan(describe({12, 10}, {0, 1}, VD_FFT_CONVOLVE));
  vd_buffer* const both[] = {signal, signal};
  EXPECT_EQ(vd_plan_try_launch(image, nullptr, 0, 0, 0, 0, both, 2, nullptr, 0), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("0 to 960 are written, 0 to 960 read"));
  Buffer moved = buffer(numbers(240));
  const Plan out = plan(describe({12, 10}, {1}, VD_FFT_OUT_OF_PLACE));
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  const vd_binding bindings[] = {VD_BINDING_OF(moved, 0, VD_WHOLE_SIZE), VD_BINDING_OF(moved, 80, VD_WHOLE_SIZE)};
  desc.bindings = bindings;
  desc.binding_count = 2;
  EXPECT_EQ(vd_plan_launch(out, &desc, nullptr), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("0 to 960 are written, 80 to 1040 read"));
}

TEST_F(VkfftTest, ZerosAreNotRead) {
  const Shape shape = {3, 8, 12};
  for (const std::vector<size_t>& axes : {std::vector<size_t>{1, 2}, std::vector<size_t>{1}}) {
    Numbers data = numbers(count_of(shape));
    vd_fft_desc desc = describe(shape, axes, 0);
    if (axes.size() == 2) {
      desc.in_low[2] = 9;  // columns 3 to 9 are zero
      desc.in_high[2] = 3;
    } else {
      desc.in_high[1] = 5;  // rows 5 to 8
    }
    Plan forward = plan(desc);
    Buffer b = buffer(data);
    launch(forward, {b});
    for (size_t i = 0; i < data.size(); ++i) {
      const size_t column = i % 12, row = i / 12 % 8;
      if (axes.size() == 2 ? column >= 3 && column < 9 : row >= 5) data[i] = 0;
    }
    EXPECT_LT(error(read(b, data.size()), transform(data, shape, axes, -1)), kNear);
  }
}

TEST_F(VkfftTest, ZerosOfTheSpectrum) {
  const Shape shape = {4, 30};
  Numbers data = numbers(count_of(shape));
  vd_fft_desc desc = describe(shape, {1}, 0, VD_FFT_DIRECTION_INVERSE);
  desc.in_low[1] = 20;  // 10 to 20 are zero
  desc.in_high[1] = 10;
  Plan back = plan(desc);
  Buffer b = buffer(data);
  launch(back, {b});
  for (size_t i = 0; i < data.size(); ++i)
    if (i % 30 >= 10 && i % 30 < 20) data[i] = 0;
  EXPECT_LT(error(read(b, data.size()), transform(data, shape, {1}, 1, true)), kNear);
}

// A graph is replayed with other work before and after, on two sets of buffers, and the plan is launched between.
TEST_F(VkfftTest, RecordedReplayedAndOrderedByMemory) {
  const Shape shape = {4, 48};
  const Numbers data = numbers(count_of(shape));
  const uint64_t size = data.size() * sizeof(Number);
  Buffer source = buffer(data), a = buffer(Numbers(data.size())), b = buffer(Numbers(data.size())),
         result = buffer(Numbers(data.size()));
  Plan forward = plan(describe(shape, {1}, 0)), columns = plan(describe(shape, {0}, 0));
  vd_fft_desc ours = describe(shape, {1}, 0, VD_FFT_DIRECTION_INVERSE);
  Plan back;
  ASSERT_TRUE(ok(vd_plan_create_fft(context_, &ours, back.out())));
  Graph graph;
  ASSERT_TRUE(ok(vd_graph_create(context_, nullptr, graph.out())));
  const auto record = [&](vd_plan* p, vd_buffer* on) {
    vd_buffer* const list[] = {on};
    ASSERT_TRUE(ok(vd_plan_try_launch(p, graph, 0, 0, 0, 0, list, 1, nullptr, 0)));
  };
  ASSERT_TRUE(ok(vd_graph_copy(graph, source, 0, a, 0, size, nullptr)));
  ASSERT_TRUE(ok(vd_graph_copy(graph, source, 0, b, 0, size, nullptr)));
  record(forward, a);
  record(forward, b);
  record(columns, b);
  record(back, a);
  ASSERT_TRUE(ok(vd_graph_copy(graph, b, 0, result, 0, size, nullptr)));
  const Numbers want = transform(data, shape, {1, 0}, -1);
  for (const uint32_t repeat : {1u, 1u, 7u}) {
    vd_submit_desc submit = VD_SUBMIT_DESC_INIT;
    submit.repeat = repeat;
    ASSERT_TRUE(ok(vd_graph_submit(graph, &submit, nullptr)));
    EXPECT_LT(error(read(result, data.size()), want), kNear);
    EXPECT_LT(error(read(a, data.size()), data), kNear);
    launch(forward, {a});
    EXPECT_LT(error(read(a, data.size()), transform(data, shape, {1}, -1)), kNear);
  }
  // The work keeps what it uses.
  ASSERT_TRUE(ok(vd_graph_submit(graph, nullptr, nullptr)));
  forward = Plan();
  columns = Plan();
  back = Plan();
  graph = Graph();
  EXPECT_LT(error(read(result, data.size()), want), kNear);
}

TEST_F(VkfftTest, DoubleAndItsComputationInSingleMemory) {
  const Shape shape = {3, 40};
  const Numbers data = numbers(count_of(shape));
  vd_fft_desc desc = describe(shape, {1}, 0);
  desc.compute_type = VD_TYPE_COMPLEX_F64;
  Plan mixed = plan(desc);
  Buffer b = buffer(data);
  launch(mixed, {b});
  EXPECT_LT(error(read(b, data.size()), transform(data, shape, {1}, -1)), 2e-7);
  desc.in_type = desc.out_type = VD_TYPE_COMPLEX_F64;
  Plan wide = plan(desc);
  Buffer c = buffer(Numbers(2 * data.size()));
  std::vector<std::complex<double>> values(data.begin(), data.end());
  ASSERT_TRUE(ok(vd_buffer_write(c, 0, values.data(), values.size() * sizeof(values[0]), 0)));
  launch(wide, {c});
  const auto want = dft(values, shape, 1, -1);
  ASSERT_TRUE(ok(vd_buffer_read(c, 0, values.size() * sizeof(values[0]), 0, values.data())));
  for (size_t i = 0; i < want.size(); ++i) EXPECT_LT(std::abs(values[i] - want[i]), 1e-12) << i;
}

TEST_F(VkfftTest, SaysWhatItDoesAndWhatItCannot) {
  vd_fft_desc desc = describe({4, 64}, {1}, 0);
  Plan made = plan(desc);
  Blob text;
  ASSERT_TRUE(ok(vd_plan_explain(made, text.out())));
  EXPECT_THAT(static_cast<const char*>(vd_blob_data(text, nullptr)), testing::HasSubstr("VkFFT 1."));
  uint64_t size = 0;
  EXPECT_THAT(vd_plan_get_source(made, &size), testing::HasSubstr("#version"));
  // Buffers that are too small are refused as everywhere.
  Buffer small = buffer(Numbers(100));
  vd_buffer* const list[] = {small};
  EXPECT_EQ(vd_plan_try_launch(made, nullptr, 0, 0, 0, 0, list, 1, nullptr, 0), VD_ERR_INVALID);

  const auto refused = [&](vd_status status, const char* words) {
    Plan none;
    EXPECT_EQ(vd_plan_create_vkfft(context_, &desc, none.out()), status);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(words));
    desc = describe({4, 64}, {1}, 0);
  };
  desc.flags |= VD_FFT_MAP_INPUT;
  refused(VD_ERR_UNSUPPORTED, "functions of the caller");
  desc.norm = VD_FFT_NORM_ORTHO;
  refused(VD_ERR_UNSUPPORTED, "desc->norm (2)");
  desc.scale = 2;
  refused(VD_ERR_UNSUPPORTED, "desc->scale (2)");
  desc.in_strides[0] = 100;
  refused(VD_ERR_UNSUPPORTED, "packed");
  desc.out_offset = 1;
  refused(VD_ERR_UNSUPPORTED, "out_offset (1)");
  desc.in_low[1] = 8;
  desc.in_high[1] = 16;
  refused(VD_ERR_UNSUPPORTED, "leaves out one");
  desc.flags |= VD_FFT_CONVOLVE | VD_FFT_SHARED_FILTER;
  refused(VD_ERR_UNSUPPORTED, "one filter for several arrays");
  desc.flags |= VD_FFT_CONVOLVE | VD_FFT_CONJUGATE;
  refused(VD_ERR_UNSUPPORTED, "the conjugate of the filter");
  desc.flags |= VD_FFT_CONVOLVE;
  desc.norm = VD_FFT_NORM_NONE;
  refused(VD_ERR_UNSUPPORTED, "desc->norm (1)");
  desc.axis_count = 2;
  desc.axes[0] = 0;
  desc.axes[1] = 1;
  desc.in_high[0] = 2;
  refused(VD_ERR_UNSUPPORTED, "parts of the last axis, or of the only one");
  desc = describe({1 << 15}, {0}, VD_FFT_CONVOLVE);
  refused(VD_ERR_UNSUPPORTED, "passes for this convolution");
  desc = describe({84, 74, 71}, {1, 2}, VD_FFT_CONVOLVE);
  refused(VD_ERR_UNSUPPORTED, "VkFFT wrote a shader that does not compile");
  // Nothing has been planned for these lines, which need twice their size.
  vd_device_info device = VD_DEVICE_INFO_INIT;
  ASSERT_TRUE(ok(vd_context_get_device(context_, 0, &device)));
  if (device.max_storage_buffer_range <= uint64_t{1} << 27) {
    desc = describe({10000019}, {0}, 0);
    refused(
        VD_ERR_UNSUPPORTED,
        "desc->shape[0] (10000019) has a prime factor (10000019) for which VkFFT needs a buffer of at least 160000296 "
        "bytes, and Vulkan device");
    desc = describe({10000022}, {0}, 0);
    refused(VD_ERR_UNSUPPORTED, "desc->shape[0] (10000022) has a prime factor (5000011)");
  }
  desc.out_type = VD_TYPE_F32X3;
  refused(VD_ERR_INVALID, "is not a complex type");
  desc.max_registers = 1;
  refused(VD_ERR_INVALID, "desc->max_registers (1)");
  desc.axes[0] = 2;
  refused(VD_ERR_INVALID, "is not an axis of 2 dimensions");
  desc.kind = VD_FFT_KIND_R2C;
  desc.axes[0] = 0;
  refused(VD_ERR_INVALID, "last axis");
  // From real lines it goes one way alone: the flag would make it go from their spectra.
  desc.kind = VD_FFT_KIND_R2C;
  desc.direction = VD_FFT_DIRECTION_INVERSE;
  refused(VD_ERR_UNSUPPORTED, "on real lines, which VkFFT applies to spectra only");
  desc.in_type = VD_TYPE_F32;
  refused(VD_ERR_INVALID, "desc->in_type (f32) is not a complex type");
  desc.kind = VD_FFT_KIND_C2R;
  desc.out_type = VD_TYPE_COMPLEX_F32;
  refused(VD_ERR_INVALID, "desc->out_type (complex_f32) is not a real type");
  desc.axis_count = 3;
  refused(VD_ERR_INVALID, "desc->axis_count (3) is more than desc->rank (2)");
  desc.flags |= VD_FFT_CONJUGATE;
  refused(VD_ERR_INVALID, "without VD_FFT_CONVOLVE");
}

TEST(VkfftElsewhereTest, IsRefused) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_HOST;
  Context host;
  ASSERT_TRUE(ok(vd_context_create(&desc, host.out())));
  vd_fft_desc fft = VD_FFT_DESC_INIT;
  fft.rank = 1;
  fft.shape[0] = 8;
  Plan none;
  EXPECT_EQ(vd_plan_create_vkfft(host, &fft, none.out()), VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("VkFFT is for Vulkan, and the context's backend is host"));
}

}  // namespace
}  // namespace api
