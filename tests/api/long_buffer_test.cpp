// Buffers that are longer than a device binds: kernels, reductions and transforms on them, across the limit at an odd
// place, beside the host's results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "api/shared_context.h"
#include "api/support.h"
#include "support/samples.h"

namespace api {
namespace {

using Complex = std::complex<float>;

// As many bytes past the limit, and past the end of what a descriptor would take.
constexpr uint64_t kPast = 4 * 999983;
constexpr uint32_t kRow = 1 << 16;  // invocations on the first axis

class LongBufferTest : public testing::TestWithParam<vd_backend> {
 protected:
  void SetUp() override {
    open(0);
    if (!IsSkipped() && GetParam() == VD_BACKEND_VULKAN && !by_address())
      GTEST_SKIP() << "the device has no buffer addresses";
  }
  void TearDown() override {
    for (const std::string& line : log_.lines) EXPECT_EQ(line.find("VUID"), std::string::npos) << line;
  }
  void open(vd_context_flags flags) {
    ctx_ = api::shared_context(GetParam(), flags | (GetParam() == VD_BACKEND_VULKAN ? VD_CONTEXT_DEBUG : 0));
    if (ctx_ == nullptr) GTEST_SKIP() << vd_last_error();
    ASSERT_OK(vd_context_get_device(ctx_, 0, &info_));
    range_ = std::min(info_.max_storage_buffer_range, uint64_t{1} << 32);
    if (GetParam() != VD_BACKEND_VULKAN) range_ = uint64_t{1} << 24;  // they have no such limit
    if (range_ > info_.memory_size / 8) GTEST_SKIP() << "the device has " << info_.memory_size << " bytes";
  }
  bool by_address() const {
    constexpr vd_features kNeeded = VD_FEATURE_BUFFER_ADDRESS | VD_FEATURE_I64;
    return (info_.features & kNeeded) == kNeeded;
  }
  uint64_t words() const { return (range_ + kPast) / 4; }

  // y * kRow + x.
  static vd_value number(Writer& w) {
    const vd_value id = w.emit(VD_OP_BUILTIN, {}, 0, VD_BUILTIN_GLOBAL_ID);
    const vd_value x = w.emit(VD_OP_SWIZZLE, {id}, 0, 1 << 8), y = w.emit(VD_OP_SWIZZLE, {id}, 0, 1 << 8 | 1);
    return w.emit(VD_OP_ADD, {w.emit(VD_OP_MUL, {y, w.u32(kRow)}), x});
  }
  // A kernel whose body runs for each number below its constant.
  template <class Body>
  static Kernel counted(const char* name, std::initializer_list<vd_type> buffers, Body&& body) {
    Writer w(name);
    std::vector<vd_value> arguments;
    for (const vd_type type : buffers) arguments.push_back(w.buffer("", type));
    const vd_value count = w.constant("count"), i = number(w);
    w.emit(VD_OP_IF, {w.emit(VD_OP_LT, {i, count})});
    body(w, arguments, i);
    w.emit(VD_OP_END, {});
    return w.finish();
  }
  vd_status run(vd_plan* plan, uint64_t count, std::vector<vd_buffer*> buffers) {
    const std::vector<vd_binding> bindings = whole(buffers);
    const auto value = static_cast<uint32_t>(count);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = kRow;
    desc.invocations[1] = static_cast<uint32_t>((count + kRow - 1) / kRow);
    desc.bindings = bindings.data();
    desc.binding_count = static_cast<uint32_t>(bindings.size());
    desc.values = &value;
    desc.values_size = sizeof(value);
    return vd_plan_launch(plan, &desc, nullptr);
  }
  static uint32_t hash(uint64_t i) { return static_cast<uint32_t>(i * 2654435761u ^ i >> 3); }
  template <class T, class F>
  static void expect_each(const std::vector<T>& got, F&& want) {
    for (size_t i = 0; i < got.size(); ++i)
      if (got[i] != want(i)) {
        ADD_FAILURE() << "element " << i << " of " << got.size() << " is " << +got[i] << ", not " << +want(i);
        return;
      }
  }

  void reduce_rows_columns_and_all();
  void transform_contiguous_lines();
  void convolve_lines();
  void vkfft_lines();
  void vkfft_convolve_lines();

  Log log_;
  Context ctx_;
  vd_device_info info_ = VD_DEVICE_INFO_INIT;
  uint64_t range_ = 0;
};

std::vector<Complex> numbers_of_lines(size_t count) {
  std::vector<Complex> data(count);
  for (size_t i = 0; i < count; ++i)
    data[i] = {static_cast<float>(i * 2654435761u >> 8 & 1023) / 512 - 1,
               static_cast<float>(i * 40503u & 255) / 128 - 1};
  return data;
}

// The largest difference of a line's transform from its definition, in units of the root of its length.
double difference_of_line(const std::vector<Complex>& in, const std::vector<Complex>& out, size_t first, size_t step,
                          size_t n) {
  double worst = 0;
  for (size_t k = 0; k < n; k += 37) {
    std::complex<double> sum;
    for (size_t i = 0; i < n; ++i) {
      const double angle = -2 * 3.14159265358979323846 * static_cast<double>(i * k % n) / static_cast<double>(n);
      sum += std::complex<double>(in[first + i * step]) * std::polar(1.0, angle);
    }
    worst = std::max(worst, std::abs(std::complex<double>(out[first + k * step]) - sum));
  }
  return worst / std::sqrt(static_cast<double>(n));
}

void LongBufferTest::reduce_rows_columns_and_all() {
  // A row of this many elements lies across the limit.
  const uint64_t width = 33331, rows = (range_ + kPast) / 4 / width;
  std::vector<uint32_t> data(rows * width);
  for (size_t i = 0; i < data.size(); ++i) data[i] = hash(i);
  const Buffer in = make_buffer(ctx_, data);
  for (const int axis : {-1, 0, 1}) {
    SCOPED_TRACE(fmt::format("axis {}", axis));
    vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
    desc.rank = 2;
    desc.shape[0] = rows, desc.shape[1] = width;
    desc.compute_type = VD_TYPE_U32;
    desc.axis_count = axis < 0 ? 0 : 1;
    desc.axes[0] = axis;
    const uint64_t outputs = axis < 0 ? 1 : axis == 0 ? width : rows;
    std::vector<uint32_t> want(outputs);
    for (size_t i = 0; i < data.size(); ++i) want[axis < 0 ? 0 : axis == 0 ? i % width : i / width] += data[i];
    Plan plan;
    ASSERT_OK(vd_plan_create_reduce(ctx_, &desc, plan.out()));
    const Buffer out = make_buffer(ctx_, outputs * 4);
    ASSERT_OK(launch_whole(plan, {out, in}));
    expect_each(read<uint32_t>(out, outputs), [&](size_t i) { return want[i]; });
  }
}

void LongBufferTest::transform_contiguous_lines() {
  const uint64_t n = 1000, lines = (range_ + kPast) / 8 / n;
  const std::vector<Complex> data = numbers_of_lines(lines * n);
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = lines, desc.shape[1] = n;
  desc.axis_count = 1, desc.axes[0] = 1;
  Plan plan;
  ASSERT_OK(vd_plan_create_fft(ctx_, &desc, plan.out()));
  const Buffer a = make_buffer(ctx_, data);
  ASSERT_OK(launch_whole(plan, {a}));
  const auto got = read<Complex>(a, data.size());
  const uint64_t across = range_ / 8 / n;
  for (const uint64_t line : {uint64_t{0}, across - 1, across, across + 1, lines - 1})
    EXPECT_LT(difference_of_line(data, got, line * n, 1, n), 1e-5) << line;
}

// A filter that turns each line by three elements.
void LongBufferTest::convolve_lines() {
  const uint64_t n = 500, lines = (range_ + kPast) / 8 / n;
  const std::vector<Complex> data = numbers_of_lines(lines * n);
  std::vector<Complex> filter(n);
  for (uint64_t k = 0; k < n; ++k)
    filter[k] =
        Complex(std::polar(1.0, -2 * 3.14159265358979323846 * static_cast<double>(3 * k % n) / static_cast<double>(n)));
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = lines, desc.shape[1] = n;
  desc.axis_count = 1, desc.axes[0] = 1;
  desc.flags = VD_FFT_CONVOLVE | VD_FFT_SHARED_FILTER;
  Plan plan;
  ASSERT_OK(vd_plan_create_fft(ctx_, &desc, plan.out()));
  const Buffer a = make_buffer(ctx_, data), by = make_buffer(ctx_, filter);
  ASSERT_OK(launch_whole(plan, {a, by}));
  const auto got = read<Complex>(a, data.size());
  double worst = 0;
  for (uint64_t i = 0; i < data.size(); ++i) {
    const uint64_t line = i / n * n;
    worst = std::max(worst, static_cast<double>(std::abs(got[i] - data[line + (i - line + n - 3) % n])));
  }
  EXPECT_LT(worst, 1e-4);
}

void LongBufferTest::vkfft_lines() {
  const uint64_t n = 1000, lines = (range_ + kPast) / 8 / n;
  const std::vector<Complex> data = numbers_of_lines(lines * n);
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 3;  // the first two count the lines
  desc.shape[0] = 1, desc.shape[1] = lines, desc.shape[2] = n;
  desc.axis_count = 1, desc.axes[0] = -1;
  desc.flags = VD_FFT_OUT_OF_PLACE;
  Plan plan;
  const vd_status status = vd_plan_create_vkfft(ctx_, &desc, plan.out());
  if (status == VD_ERR_UNSUPPORTED && std::string(vd_last_error()).find("without VkFFT") != std::string::npos)
    GTEST_SKIP() << vd_last_error();
  ASSERT_OK(status);
  const Buffer to = make_buffer(ctx_, data.size() * 8), from = make_buffer(ctx_, data);
  ASSERT_OK(launch_whole(plan, {to, from}));
  const auto got = read<Complex>(to, data.size());
  const uint64_t across = range_ / 8 / n;
  for (const uint64_t line : {uint64_t{0}, across - 1, across, across + 1, lines - 1})
    EXPECT_LT(difference_of_line(data, got, line * n, 1, n), 1e-5) << line;
  EXPECT_EQ(launch_whole(plan, {to, to}), VD_OK) << vd_last_error();
  const vd_binding shifted[] = {VD_BINDING_OF(to, 0, VD_WHOLE_SIZE), VD_BINDING_OF(to, 8, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.bindings = shifted;
  launch.binding_count = 2;
  EXPECT_EQ(vd_plan_launch(plan, &launch, nullptr), VD_ERR_INVALID);
}

// Each line has a filter of its own, which turns it by as many elements as its number says.
void LongBufferTest::vkfft_convolve_lines() {
  const uint64_t n = 500, lines = (range_ + kPast) / 8 / n;
  const std::vector<Complex> data = numbers_of_lines(lines * n);
  std::vector<Complex> filters(lines * n), roots(n);
  for (uint64_t k = 0; k < n; ++k)
    roots[k] = Complex(std::polar(1.0, -2 * 3.14159265358979323846 * static_cast<double>(k) / static_cast<double>(n)));
  for (uint64_t i = 0; i < filters.size(); ++i) filters[i] = roots[i % n * (i / n % n) % n];
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = lines, desc.shape[1] = n;
  desc.axis_count = 1, desc.axes[0] = 1;
  desc.flags = VD_FFT_CONVOLVE;
  Plan plan;
  const vd_status status = vd_plan_create_vkfft(ctx_, &desc, plan.out());
  if (status == VD_ERR_UNSUPPORTED && std::string(vd_last_error()).find("without VkFFT") != std::string::npos)
    GTEST_SKIP() << vd_last_error();
  ASSERT_OK(status);
  const Buffer a = make_buffer(ctx_, data), by = make_buffer(ctx_, filters);
  ASSERT_OK(launch_whole(plan, {a, by}));
  const auto got = read<Complex>(a, data.size());
  double worst = 0;
  for (uint64_t i = 0; i < data.size(); ++i) {
    const uint64_t line = i / n, from = (i % n + n - line % n) % n;
    worst = std::max(worst, static_cast<double>(std::abs(got[i] - data[line * n + from])));
  }
  EXPECT_LT(worst, 1e-4);
}

// The forms of work on such buffers. Backends without the limit pass them as they pass others.
class LongBufferFormsTest : public LongBufferTest {};

// Each element once, together with a short buffer.
TEST_P(LongBufferTest, AKernelReadsAndWritesAllOfIt) {
  const uint64_t count = words();
  if (GetParam() == VD_BACKEND_VULKAN) {
    ASSERT_GT(count * 4, info_.max_storage_buffer_range);
  }
  std::vector<uint32_t> data(count), small(1000);
  for (size_t i = 0; i < count; ++i) data[i] = hash(i);
  std::iota(small.begin(), small.end(), 7u);
  const Buffer a = make_buffer(ctx_, data), b = make_buffer(ctx_, small);
  const Kernel kernel = counted("affine", {VD_TYPE_U32, VD_TYPE_U32}, [](Writer& w, auto& buffers, vd_value i) {
    const vd_value from = w.emit(VD_OP_REM, {i, w.u32(1000)});
    const vd_value tripled = w.emit(VD_OP_MUL, {w.at(buffers[0], i), w.u32(3)});
    w.store(w.at(buffers[0], i), w.emit(VD_OP_ADD, {tripled, w.at(buffers[1], from)}));
  });
  const Plan plan = make_plan(ctx_, kernel);
  ASSERT_OK(run(plan, 1000, {b, b}));  // a short launch before and after: by descriptors
  ASSERT_OK(run(plan, count, {a, b}));
  ASSERT_OK(run(plan, 1000, {b, b}));
  expect_each(read<uint32_t>(a, count), [&](size_t i) { return data[i] * 3 + 4 * small[i % 1000]; });
  expect_each(read<uint32_t>(b, 1000), [&](size_t i) { return 16 * small[i]; });
}

// Elements of a byte, counted in 64 bits: their numbers pass 2^32 where the limit is 4 GiB.
TEST_P(LongBufferFormsTest, IndicesHave64Bits) {
  constexpr vd_features kNeeded = VD_FEATURE_I64 | VD_FEATURE_I8 | VD_FEATURE_STORAGE_8;
  if ((info_.features & kNeeded) != kNeeded) GTEST_SKIP() << "the device lacks integers of 8 or 64 bits";
  const uint64_t size = words() * 4, step = 4099;
  const uint64_t count = (size + step - 1) / step;
  const Buffer a = make_buffer(ctx_, size);
  ASSERT_OK(vd_buffer_fill(a, 0, VD_WHOLE_SIZE, 0, 0, nullptr, nullptr));
  const Kernel kernel = counted("sparse", {VD_TYPE_U8}, [&](Writer& w, auto& buffers, vd_value i) {
    const vd_value at =
        w.emit(VD_OP_MUL, {w.emit(VD_OP_CONVERT, {i}, VD_TYPE_U64), w.emit(VD_OP_CONST, {}, VD_TYPE_U64, step)});
    const vd_value rest = w.emit(VD_OP_ADD, {w.emit(VD_OP_REM, {i, w.u32(251)}), w.u32(1)});
    w.store(w.at(buffers[0], at), w.emit(VD_OP_CONVERT, {rest}, VD_TYPE_U8));
  });
  const Plan plan = make_plan(ctx_, kernel);
  ASSERT_OK(run(plan, count, {a}));
  expect_each(read<uint8_t>(a, size),
              [&](size_t i) { return static_cast<uint8_t>(i % step == 0 ? i / step % 251 + 1 : 0); });
}

// Elements of 12 bytes, of which one lies across the limit, as vectors and by their components.
TEST_P(LongBufferFormsTest, ElementsLieAcrossTheLimit) {
  const uint64_t count = (range_ + kPast) / 12;
  std::vector<float> data(count * 3);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(hash(i) >> 16);
  const Buffer a = make_buffer(ctx_, data);
  const Kernel kernel = counted("turn", {VD_TYPE_F32X3}, [](Writer& w, auto& buffers, vd_value i) {
    const vd_value place = w.at(buffers[0], i), old = w.emit(VD_OP_LET, {w.emit(VD_OP_LOAD, {place})});
    w.store(place, w.emit(VD_OP_SWIZZLE, {old}, 0, 3 << 8 | 1 << 0 | 2 << 2 | 0 << 4));
    const vd_value one = w.emit(VD_OP_INDEX, {place, w.u32(1)});
    w.store(one, w.emit(VD_OP_ADD, {w.emit(VD_OP_LOAD, {one}), w.emit(VD_OP_CONST, {}, VD_TYPE_F32, 0x3f800000)}));
  });
  const Plan plan = make_plan(ctx_, kernel);
  ASSERT_OK(run(plan, count, {a}));
  expect_each(read<float>(a, data.size()),
              [&](size_t i) { return data[i / 3 * 3 + (i + 1) % 3] + (i % 3 == 1 ? 1.0f : 0.0f); });
}

// The bins lie around the limit.
TEST_P(LongBufferFormsTest, AtomicsCountOnBothSidesOfTheLimit) {
  const uint64_t count = words();
  constexpr uint32_t kBins = 5000, kAdded = 1'000'003;
  const auto first = static_cast<uint32_t>(range_ / 4 - kBins / 3);
  const Buffer bins = make_buffer(ctx_, count * 4);
  ASSERT_OK(vd_buffer_fill(bins, 0, VD_WHOLE_SIZE, 3, 0, nullptr, nullptr));
  const Kernel kernel = counted("histogram", {VD_TYPE_U32}, [&](Writer& w, auto& buffers, vd_value i) {
    const vd_value bin = w.emit(VD_OP_REM, {w.emit(VD_OP_MUL, {i, w.u32(2654435761u)}), w.u32(kBins)});
    w.emit(VD_OP_ATOMIC_ADD, {w.at(buffers[0], w.emit(VD_OP_ADD, {bin, w.u32(first)})), w.u32(1)});
  });
  const Plan plan = make_plan(ctx_, kernel);
  ASSERT_OK(run(plan, kAdded, {bins}));
  std::vector<uint32_t> want(count, 3);
  for (uint32_t i = 0; i < kAdded; ++i) ++want[first + i * 2654435761u % kBins];
  const auto got = read<uint32_t>(bins, count);
  expect_each(got, [&](size_t i) { return want[i]; });
}

TEST_P(LongBufferFormsTest, AGraphHasShortAndLongLaunches) {
  const uint64_t count = words();
  std::vector<uint32_t> data(count);
  for (size_t i = 0; i < count; ++i) data[i] = hash(i);
  const Buffer a = make_buffer(ctx_, data), b = make_buffer(ctx_, count * 4), c = make_buffer(ctx_, 4096);
  ASSERT_OK(vd_buffer_fill(c, 0, VD_WHOLE_SIZE, 5, 0, nullptr, nullptr));
  const Kernel kernel = counted("add", {VD_TYPE_U32, VD_TYPE_U32}, [](Writer& w, auto& buffers, vd_value i) {
    w.store(w.at(buffers[0], i), w.emit(VD_OP_ADD, {w.at(buffers[1], i), w.u32(1)}));
  });
  const Plan plan = make_plan(ctx_, kernel);
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  const auto node = [&](vd_buffer* to, vd_buffer* from, uint64_t n) {
    const vd_binding bindings[] = {VD_BINDING_OF(to, 0, VD_WHOLE_SIZE), VD_BINDING_OF(from, 0, VD_WHOLE_SIZE)};
    const auto value = static_cast<uint32_t>(n);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = kRow;
    desc.invocations[1] = static_cast<uint32_t>((n + kRow - 1) / kRow);
    desc.bindings = bindings;
    desc.binding_count = 2;
    desc.values = &value;
    desc.values_size = sizeof(value);
    return vd_graph_launch(graph, plan, &desc, nullptr);
  };
  ASSERT_OK(node(c, c, 1024));
  ASSERT_OK(node(b, a, count));
  ASSERT_OK(node(a, b, count));
  ASSERT_OK(node(c, c, 1024));
  for (int turn = 0; turn < 2; ++turn) ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  expect_each(read<uint32_t>(a, count), [&](size_t i) { return data[i] + 4; });
  expect_each(read<uint32_t>(c, 1024), [](size_t) { return 9u; });
}

TEST_P(LongBufferTest, ReductionsOfRowsColumnsAndAll) { reduce_rows_columns_and_all(); }

// ---- Transforms

TEST_P(LongBufferFormsTest, TransformsOfContiguousLines) { transform_contiguous_lines(); }

TEST_P(LongBufferFormsTest, TransformsOfStridedLines) {
  const uint64_t n = 1000, columns = (range_ + kPast) / 8 / n;
  const std::vector<Complex> data = numbers_of_lines(columns * n);
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = n, desc.shape[1] = columns;
  desc.axis_count = 1, desc.axes[0] = 0;
  Plan plan;
  ASSERT_OK(vd_plan_create_fft(ctx_, &desc, plan.out()));
  const Buffer a = make_buffer(ctx_, data);
  ASSERT_OK(launch_whole(plan, {a}));
  const auto got = read<Complex>(a, data.size());
  for (const uint64_t column : {uint64_t{0}, columns / 3, columns - 1})
    EXPECT_LT(difference_of_line(data, got, column, columns, n), 1e-5) << column;
}

// A line that takes several passes, with a workspace as long as the buffer.
TEST_P(LongBufferFormsTest, ATransformOfALongLine) {
  uint64_t n = 1024;
  while (n * 8 <= range_) n *= 2;
  n = n / 2 / 8 * 9;  // past the limit by an eighth
  std::vector<Complex> data(n);
  // The sum of three waves.
  const uint64_t waves[3] = {1, 77773, n - 12345};
  for (uint64_t i = 0; i < n; ++i)
    for (const uint64_t wave : waves)
      data[i] += Complex(
          std::polar(1.0, 2 * 3.14159265358979323846 * static_cast<double>(i * wave % n) / static_cast<double>(n)));
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 1;
  desc.shape[0] = n;
  Plan plan;
  ASSERT_OK(vd_plan_create_fft(ctx_, &desc, plan.out()));
  const Buffer a = make_buffer(ctx_, data);
  ASSERT_OK(launch_whole(plan, {a}));
  const auto got = read<Complex>(a, n);
  double worst = 0;
  for (uint64_t k = 0; k < n; ++k) {
    const bool wave = std::ranges::find(waves, k) != std::end(waves);
    worst = std::max(worst, std::abs(std::complex<double>(got[k]) - (wave ? static_cast<double>(n) : 0.0)));
  }
  EXPECT_LT(worst, 1e-5 * static_cast<double>(n));
}

TEST_P(LongBufferFormsTest, Convolutions) { convolve_lines(); }

std::vector<vd_backend> backends_of_forms() {
  if (!vd::test::full_form()) return {VD_BACKEND_VULKAN};
  return {VD_BACKEND_HOST, VD_BACKEND_VULKAN, VD_BACKEND_OPENCL, VD_BACKEND_CUDA};
}

INSTANTIATE_TEST_SUITE_P(All, LongBufferTest, each_backend(), backend_name);
INSTANTIATE_TEST_SUITE_P(Long, LongBufferFormsTest, testing::ValuesIn(backends_of_forms()), backend_name);

// ---- Vulkan alone

class LongVulkanBufferTest : public LongBufferTest {};

// The kernel's indices are not to be trusted: what is past the end is the last element.
TEST_P(LongVulkanBufferTest, RobustAccessesStayInTheBuffer) {
  open(VD_CONTEXT_ROBUST);
  if (IsSkipped()) return;
  const uint64_t count = words();
  const Buffer a = make_buffer(ctx_, count * 4), b = make_buffer(ctx_, count * 4);
  ASSERT_OK(vd_buffer_fill(a, 0, VD_WHOLE_SIZE, 1, 0, nullptr, nullptr));
  ASSERT_OK(vd_buffer_fill(b, 0, VD_WHOLE_SIZE, 1, 0, nullptr, nullptr));
  Writer w("stray");
  const vd_value to = w.buffer("to"), from = w.buffer("from"), i = w.x();
  const vd_value far =
      w.emit(VD_OP_ADD, {w.emit(VD_OP_MUL, {i, w.u32(1 << 20)}), w.u32(static_cast<uint32_t>(count - 2))});
  w.store(w.at(to, far), w.emit(VD_OP_ADD, {w.at(from, far), w.u32(41)}));
  const Kernel kernel = w.finish();
  const Plan plan = make_plan(ctx_, kernel);
  const vd_binding bindings[] = {VD_BINDING_OF(a, 0, VD_WHOLE_SIZE), VD_BINDING_OF(b, 0, VD_WHOLE_SIZE)};
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = 3000;
  desc.bindings = bindings;
  desc.binding_count = 2;
  ASSERT_OK(vd_plan_launch(plan, &desc, nullptr));
  // The last element may have been written by those past the end, with a number that the buffer had or zero.
  expect_each(read<uint32_t>(b, count), [](size_t) { return 1u; });
  auto got = read<uint32_t>(a, count);
  EXPECT_EQ(got[count - 2], 42u);
  EXPECT_TRUE(got[count - 1] == 42u || got[count - 1] == 41u || got[count - 1] == 1u) << got[count - 1];
  got.resize(count - 2);
  expect_each(got, [](size_t) { return 1u; });
}

// A program's own text says how it binds, so the limit holds for it.
TEST_P(LongVulkanBufferTest, SourceTextKeepsTheLimit) {
  const std::string text =
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer X { uint x[]; };\n"
      "void main() { x[gl_GlobalInvocationID.x] = 1; }\n";
  vd_source_desc source = VD_SOURCE_DESC_INIT;
  source.language = VD_LANGUAGE_GLSL;
  source.text = text.data();
  source.size = text.size();
  const vd_binding_kind kind = VD_BINDING_STORAGE_BUFFER;
  source.binding_kinds = &kind;
  source.binding_count = 1;
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  desc.source = &source;
  desc.label = "ones";
  Plan plan;
  ASSERT_OK(vd_plan_create(ctx_, &desc, plan.out()));
  const uint64_t size = range_ + 4096;
  const Buffer a = make_buffer(ctx_, size);
  const vd_binding bindings[] = {VD_BINDING_OF(a, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  launch.invocations[0] = 64;
  launch.bindings = bindings;
  launch.binding_count = 1;
  EXPECT_FAILS(
      vd_plan_launch(plan, &launch, nullptr), VD_ERR_INVALID,
      fmt::format("vd_plan_launch: argument 0 (\"binding 0\") of \"ones\": size ({}) is more than device \"{}\" "
                  "binds ({}); source text takes no buffers by address.",
                  size, info_.name, info_.max_storage_buffer_range)
          .c_str());
}

// VkFFT's shaders bind their buffers, so they take some of the arrays at a time.
TEST_P(LongVulkanBufferTest, VkfftTakesArraysInPieces) { vkfft_lines(); }
TEST_P(LongVulkanBufferTest, VkfftConvolvesArraysInPieces) { vkfft_convolve_lines(); }

INSTANTIATE_TEST_SUITE_P(Vulkan, LongVulkanBufferTest, testing::Values(VD_BACKEND_VULKAN), backend_name);

// ---- A Vulkan device without buffer addresses, which tests are told of by VKDISPATCH_VULKAN_LIMITS=buffer_addresses=0

class BufferRangesTest : public LongBufferTest {
 protected:
  void SetUp() override {
    open(0);
    if (!IsSkipped() && by_address()) GTEST_SKIP() << "the device has buffer addresses";
  }
  // a[i] = a[i] * 3 + c[2], b[i].y += 1 and c[2] stays.
  static Kernel by_number() {
    Writer w("by_number");
    const vd_value a = w.buffer("a"), b = w.buffer("b", VD_TYPE_F32X3), c = w.buffer("c"), i = w.x();
    const vd_value tripled = w.emit(VD_OP_MUL, {w.at(a, i), w.u32(3)});
    w.store(w.at(a, i), w.emit(VD_OP_ADD, {tripled, w.at(c, w.u32(2))}));
    const vd_value part = w.emit(VD_OP_INDEX, {w.at(b, w.emit(VD_OP_CONVERT, {i}, VD_TYPE_I32)), w.u32(1)});
    w.store(part, w.emit(VD_OP_ADD, {w.emit(VD_OP_LOAD, {part}), w.emit(VD_OP_CONST, {}, VD_TYPE_F32, 0x3f800000)}));
    return w.finish();
  }
};

TEST_P(BufferRangesTest, AKernelThatIndexesByItsNumber) {
  const auto count = static_cast<uint32_t>(words());
  std::vector<uint32_t> data(count + 5);
  std::vector<float> points(data.size() * 3);
  for (size_t i = 0; i < data.size(); ++i) data[i] = hash(i);
  for (size_t i = 0; i < points.size(); ++i) points[i] = static_cast<float>(hash(i) >> 16);
  const std::vector<uint32_t> small{1, 2, 300, 4};
  const Buffer a = make_buffer(ctx_, data), b = make_buffer(ctx_, points), c = make_buffer(ctx_, small);
  const Kernel kernel = by_number();
  const Plan plan = make_plan(ctx_, kernel, 256);
  // One element in, which is no place where the device binds.
  const vd_binding bindings[] = {VD_BINDING_OF(a, 4, VD_WHOLE_SIZE), VD_BINDING_OF(b, 12, VD_WHOLE_SIZE),
                                 VD_BINDING_OF(c, 0, VD_WHOLE_SIZE)};
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.invocations[0] = count;
  desc.bindings = bindings;
  desc.binding_count = 3;
  ASSERT_OK(vd_plan_launch(plan, &desc, nullptr));
  Graph graph;
  ASSERT_OK(vd_graph_create(ctx_, nullptr, graph.out()));
  ASSERT_OK(vd_graph_launch(graph, plan, &desc, nullptr));
  for (int turn = 0; turn < 2; ++turn) ASSERT_OK(vd_graph_submit(graph, nullptr, nullptr));
  const auto inside = [&](size_t i) { return i >= 1 && i <= count; };
  expect_each(read<uint32_t>(a, data.size()),
              [&](size_t i) { return inside(i) ? ((data[i] * 3 + 300) * 3 + 300) * 3 + 300 : data[i]; });
  expect_each(read<float>(b, points.size()),
              [&](size_t i) { return points[i] + (inside(i / 3) && i % 3 == 1 ? 3.0f : 0.0f); });
  expect_each(read<uint32_t>(c, small.size()), [&](size_t i) { return small[i]; });
}

TEST_P(BufferRangesTest, AKernelThatNeedsAllOfItSaysSo) {
  const Kernel kernel = counted("sparse", {VD_TYPE_U32}, [](Writer& w, auto& buffers, vd_value i) {
    w.store(w.at(buffers[0], w.emit(VD_OP_MUL, {i, w.u32(3)})), i);
  });
  const Plan plan = make_plan(ctx_, kernel);
  const uint64_t size = words() * 4;
  const Buffer a = make_buffer(ctx_, size), b = make_buffer(ctx_, size * 3);
  EXPECT_FAILS(
      run(plan, 1000, {a}), VD_ERR_INVALID,
      fmt::format("vd_plan_launch: argument 0 (\"\") of \"sparse\": size ({}) is more than device \"{}\" binds "
                  "({}); longer ones are divided where each access is at the invocation's number alone.",
                  size, info_.name, info_.max_storage_buffer_range)
          .c_str());
  // Such a kernel, in a launch of several rows, and with a buffer that ends before.
  const Kernel other = by_number();
  const Plan rows = make_plan(ctx_, other, 256);
  const Buffer c = make_buffer(ctx_, 64);
  const auto launch = [&](uint32_t x, uint32_t y, vd_buffer* first) {
    const vd_binding bindings[] = {VD_BINDING_OF(first, 0, VD_WHOLE_SIZE), VD_BINDING_OF(b, 0, size * 3 / 12 * 12),
                                   VD_BINDING_OF(c, 0, VD_WHOLE_SIZE)};
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.invocations[0] = x, desc.invocations[1] = y;
    desc.bindings = bindings;
    desc.binding_count = 3;
    return vd_plan_launch(rows, &desc, nullptr);
  };
  EXPECT_EQ(launch(1024, 2, a), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("its launch of 4 x 2 x 1 workgroups is not along one axis"));
  EXPECT_EQ(launch(1024, 1, c), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("size (64) is less than 1024 invocations access"));
}

TEST_P(BufferRangesTest, Reductions) { reduce_rows_columns_and_all(); }
TEST_P(BufferRangesTest, Transforms) { transform_contiguous_lines(); }
TEST_P(BufferRangesTest, Convolutions) { convolve_lines(); }
TEST_P(BufferRangesTest, Vkfft) { vkfft_lines(); }

INSTANTIATE_TEST_SUITE_P(Vulkan, BufferRangesTest, testing::Values(VD_BACKEND_VULKAN), backend_name);

}  // namespace
}  // namespace api
