// Transforms inside kernels of the caller's: lines of many lengths and layouts against a DFT in long double, the orders
// of registers, shared memory, loops, and what is refused. The host's contexts are checked ones: a missing barrier, or
// a line that is read while another invocation writes it, fails the launch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "api/support.h"
#include "support/samples.h"

namespace api::block {
namespace {

using Block = Own<vd_fft_block>;
using Numbers = std::vector<std::complex<float>>;
using Exact = std::vector<std::complex<long double>>;

vd_fft_block_desc lines(uint64_t size, uint64_t outer = 1, uint64_t inner = 1) {
  vd_fft_block_desc desc = VD_FFT_BLOCK_DESC_INIT;
  desc.size = size;
  desc.outer_count = outer;
  desc.inner_count = inner;
  return desc;
}

// A device with the limits of an H200.
vd_device_info large_device(vd_backend backend) {
  vd_device_info device = VD_DEVICE_INFO_INIT;
  device.backend = backend;
  device.max_workgroup_invocations = device.max_workgroup_size[0] = 1024;
  device.max_shared_memory_size = 49152;
  device.max_shared_memory_opt_in = 232448;
  return device;
}

vd_fft_block_info info_of(const vd_fft_block_desc& desc) {
  vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
  EXPECT_OK(vd_fft_block_get_info(&desc, &info));
  return info;
}

Numbers random_numbers(size_t count, uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Numbers data(count);
  for (auto& x : data) x = {uniform(random), uniform(random)};
  return data;
}

Exact exact(const Numbers& data) { return {data.begin(), data.end()}; }

// Along the middle dimension.
Exact dft(const Exact& in, const vd_fft_block_desc& d, int sign) {
  Exact roots(d.size), out(in.size());
  for (uint64_t k = 0; k < d.size; ++k) {
    roots[k] = std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / d.size);
  }
  for (uint64_t line = 0; line < in.size() / d.size; ++line) {
    const uint64_t first = line / d.inner_count * d.size * d.inner_count + line % d.inner_count;
    for (uint64_t k = 0; k < d.size; ++k) {
      for (uint64_t n = 0; n < d.size; ++n) {
        out[first + k * d.inner_count] += in[first + n * d.inner_count] * roots[k * n % d.size];
      }
    }
  }
  return out;
}

double error(const Numbers& got, const Exact& expected) {
  long double difference = 0, whole = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::norm(std::complex<long double>(got[i]) - expected[i]);
    whole += std::norm(expected[i]);
  }
  return static_cast<double>(std::sqrt(difference / whole));
}

// A kernel with a block in it.
struct Transform : Writer {
  vd_fft_block_desc desc;
  Block block;

  explicit Transform(const vd_fft_block_desc& desc) : Writer("transform", VD_BUILDER_NO_EXEC_BOUNDS), desc(desc) {}
  // Behind the arguments.
  void begin() { EXPECT_OK(vd_fft_block_create(builder, &desc, block.out())); }

  template <class Body>
  void each(vd_fft_access access, Body&& body) {
    vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
    for (;;) {
      ASSERT_OK(vd_fft_block_next(block, access, &element));
      if (element.value == 0) return;
      body(element);
    }
  }
  void load(vd_value buffer) {
    each(VD_FFT_ACCESS_READ, [&](const vd_fft_block_element& e) { store(e.value, at(buffer, e.index)); });
  }
  void save(vd_value buffer) {
    each(VD_FFT_ACCESS_WRITE, [&](const vd_fft_block_element& e) { store(at(buffer, e.index), e.value); });
  }
  vd_value numbers(const char* name) { return buffer(name, VD_TYPE_COMPLEX_F32); }
};

class FftBlockTest : public testing::Test {
 protected:
  void SetUp() override { context_ = host_context(VD_CONTEXT_CHECKED); }

  void run(Transform& t, std::initializer_list<vd_buffer*> buffers) {
    const vd_fft_block_info info = info_of(t.desc);
    Kernel kernel = t.finish();
    Plan plan = make_plan(context_, kernel);
    const std::vector<vd_binding> bindings = whole(buffers);
    vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
    std::copy(info.workgroups, info.workgroups + 3, launch.workgroups);
    launch.bindings = bindings.data();
    launch.binding_count = static_cast<uint32_t>(bindings.size());
    ASSERT_OK(vd_plan_launch(plan, &launch, nullptr));
    ASSERT_OK(vd_context_wait_idle(context_, 0, UINT64_MAX));
  }

  // In place.
  void expect_transform(const vd_fft_block_desc& desc, bool inverse) {
    SCOPED_TRACE(testing::Message() << desc.outer_count << " x " << desc.size << " x " << desc.inner_count
                                    << " inverse " << inverse);
    const Numbers data = random_numbers(desc.outer_count * desc.size * desc.inner_count);
    Transform t(desc);
    const vd_value buffer = t.numbers("data");
    t.begin();
    t.load(buffer);
    EXPECT_OK(vd_fft_block_execute(t.block, inverse ? VD_FFT_DIRECTION_INVERSE : VD_FFT_DIRECTION_FORWARD));
    if (inverse) {
      EXPECT_OK(vd_fft_block_normalize(t.block));
    }
    t.save(buffer);
    Buffer memory = make_buffer(context_, data);
    run(t, {memory});
    Exact expected = dft(exact(data), desc, inverse ? 1 : -1);
    if (inverse) {
      for (auto& x : expected) x /= static_cast<long double>(desc.size);
    }
    EXPECT_LT(error(read<std::complex<float>>(memory, data.size()), expected), 5e-7);
  }

  Context context_;
};

bool is_smooth(uint64_t n) {
  for (const uint64_t p : {2, 3, 5, 7, 11, 13}) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

TEST_F(FftBlockTest, EverySmoothLength) {
  for (uint64_t n = 1; n <= vd::test::samples(200); ++n) {
    if (is_smooth(n)) expect_transform(lines(n, 5), n % 2 == 0);
  }
  for (const int n : vd::test::some({243, 512, 625, 1001, 1024, 1155, 1440})) expect_transform(lines(n, 2), n % 2 == 0);
}

TEST_F(FftBlockTest, Layouts) {
  for (const uint64_t n : {6, 16, 60, 91}) {
    for (const uint64_t inner : {2, 3, 16, 33}) expect_transform(lines(n, 3, inner), inner % 2 == 0);
  }
  for (const uint32_t registers : {2, 4, 7, 31}) {
    vd_fft_block_desc desc = lines(48, 3);
    desc.max_registers = registers;
    expect_transform(desc, false);
    EXPECT_LE(info_of(desc).register_count, 2 * std::max(registers, 3u));
  }
  vd_fft_block_desc desc = lines(16, 100);
  EXPECT_GT(info_of(desc).lines, 3u);
  desc.max_lines = 3;
  EXPECT_LE(info_of(desc).lines, 3u);
  expect_transform(desc, false);
}

TEST_F(FftBlockTest, WhatIsSaidOfIt) {
  for (const uint64_t n : {1, 13, 64, 1001, 1024}) {
    const vd_fft_block_desc desc = lines(n, 70000);
    const vd_fft_block_info info = info_of(desc);
    uint64_t product = 1;
    for (uint32_t i = 0; i < info.stage_count; ++i) product *= info.radices[i];
    EXPECT_EQ(product, n);
    EXPECT_GE(uint64_t{info.invocations} * info.register_count, n);
    EXPECT_EQ(info.workgroup_size[0], info.invocations * info.lines);
    EXPECT_LE(info.workgroup_size[0], 128u);
    EXPECT_LE(info.shared_size, 16384u);
    EXPECT_EQ(info.shared_size != 0, info.invocations > 1);
    EXPECT_GE(uint64_t{info.workgroups[0]} * info.workgroups[1] * info.workgroups[2] * info.lines, 70000u);
    EXPECT_EQ(info.columns, 0u);
  }
  EXPECT_EQ(info_of(lines(64, 1, 64)).columns, 1u);
  EXPECT_GT(info_of(lines(64, 1, 1u << 20)).workgroups[0], 1000u);
}

// Columns depend on the device's limits: whole memory lines side by side if they fit, and if the compiler bounds the
// registers of that many invocations.
TEST_F(FftBlockTest, ColumnsTakeWhatADeviceGives) {
  vd_fft_block_desc desc = lines(1024, 1, 1024);
  desc.max_invocations = 1024;
  desc.max_shared_size = 49152;
  EXPECT_EQ(info_of(desc).lines, 4u);
  desc.max_shared_size = 232448;
  EXPECT_EQ(info_of(desc).lines, 4u);
  for (const vd_backend backend : {VD_BACKEND_VULKAN, VD_BACKEND_OPENCL, VD_BACKEND_DUMMY}) {
    const vd_device_info device = large_device(backend);
    desc.device = &device;
    EXPECT_EQ(info_of(desc).lines, 4u) << backend;
  }
  const vd_device_info host = large_device(VD_BACKEND_HOST), device = large_device(VD_BACKEND_CUDA);
  desc.device = &host;
  EXPECT_EQ(info_of(desc).lines, 16u);  // by its record
  desc.device = &device;
  EXPECT_EQ(info_of(desc).lines, 16u);
  EXPECT_LE(info_of(desc).shared_size, 232448u);
  EXPECT_GT(info_of(desc).shared_size, 49152u);
}

// The device's limits apply where the descriptor gives none.
TEST_F(FftBlockTest, LimitsAreTheDevices) {
  vd_fft_block_desc desc = lines(4096);
  vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
  EXPECT_EQ(vd_fft_block_get_info(&desc, &info), VD_ERR_UNSUPPORTED);
  vd_device_info device = large_device(VD_BACKEND_VULKAN);
  desc.device = &device;
  info = info_of(desc);
  EXPECT_GT(info.workgroup_size[0], 128u);
  EXPECT_GT(info.shared_size, 16384u);
  desc.max_shared_size = 16384;
  EXPECT_FAILS(vd_fft_block_get_info(&desc, &info), VD_ERR_UNSUPPORTED,
               "vd_fft_block_get_info: a line of desc->size (4096) does not fit a workgroup of 1024 invocations with "
               "16384 bytes "
               "of shared memory.");
  desc.max_shared_size = 0, desc.max_invocations = 64;
  EXPECT_FAILS(
      vd_fft_block_get_info(&desc, &info), VD_ERR_UNSUPPORTED,
      "vd_fft_block_get_info: a line of desc->size (4096) does not fit a workgroup of 64 invocations with 232448 bytes "
      "of shared memory.");
  // The smaller of the two limits of a workgroup, and the larger one of its shared memory.
  desc = lines(8192);
  desc.device = &device;
  device.max_workgroup_size[0] = 32, device.max_shared_memory_opt_in = 0;
  EXPECT_FAILS(
      vd_fft_block_get_info(&desc, &info), VD_ERR_UNSUPPORTED,
      "vd_fft_block_get_info: a line of desc->size (8192) does not fit a workgroup of 32 invocations with 49152 bytes "
      "of shared memory.");
  // The context's own.
  EXPECT_OK(vd_context_get_device(context_, 0, &device));
  desc = lines(3072);
  desc.device = &device;
  expect_transform(desc, false);
}

// The host has 64 KiB: a kernel that was made for a device with more cannot become a plan there.
TEST_F(FftBlockTest, ADeviceWithLessRefusesTheKernel) {
  vd_fft_block_desc desc = lines(1024, 1, 1024);
  desc.max_invocations = 1024;
  desc.max_shared_size = 232448;
  const vd_device_info device = large_device(VD_BACKEND_CUDA);
  desc.device = &device;
  Transform t(desc);
  t.begin();
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  Kernel kernel = t.finish();
  vd_plan_desc plan_desc = VD_PLAN_DESC_INIT;
  plan_desc.kernel = kernel;
  vd_plan* plan = nullptr;
  EXPECT_EQ(vd_plan_create(context_, &plan_desc, &plan), VD_ERR_UNSUPPORTED);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr(" needs " + std::to_string(info_of(desc).shared_size) +
                                                  " bytes of shared memory, device "));
  EXPECT_EQ(plan, nullptr);
}

// More workgroups than an axis takes are arranged in rows, with hardly one beyond the last line: it would work for
// nothing.
TEST_F(FftBlockTest, HardlyAGroupBeyondTheLast) {
  for (const uint64_t count : {uint64_t{1} << 17, uint64_t{131071}, uint64_t{65536} * 3, uint64_t{70001}}) {
    const vd_fft_block_info info = info_of(lines(1024, count));
    ASSERT_EQ(info.lines, 1u);
    const uint64_t workgroups = uint64_t{info.workgroups[0]} * info.workgroups[1] * info.workgroups[2];
    EXPECT_GE(workgroups, count);
    EXPECT_LE(workgroups, count + info.workgroups[1]) << count;
    if (count % 2 == 0) {
      EXPECT_EQ(workgroups, count);
    }
  }
}

// A convolution: back from the order that the way there ended in, without moving a number in between.
TEST_F(FftBlockTest, ThereAndBack) {
  for (const uint64_t n : {8, 60, 96}) {
    const vd_fft_block_desc desc = lines(n, 3, 2);
    const Numbers data = random_numbers(n * 6), kernel = random_numbers(n * 6, 2);
    Transform t(desc);
    const vd_value buffer = t.numbers("data"), factors = t.numbers("factors");
    t.begin();
    t.load(buffer);
    EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
    t.each(VD_FFT_ACCESS_READ, [&](const vd_fft_block_element& e) {
      t.store(e.value, t.emit(VD_OP_MUL, {e.value, t.at(factors, e.index)}));
    });
    EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_INVERSE));
    EXPECT_OK(vd_fft_block_normalize(t.block));
    t.save(buffer);
    Buffer memory = make_buffer(context_, data), other = make_buffer(context_, kernel);
    run(t, {memory, other});
    Exact expected = dft(exact(data), desc, -1);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] *= std::complex<long double>(kernel[i]);
    expected = dft(expected, desc, 1);
    for (auto& x : expected) x /= static_cast<long double>(n);
    EXPECT_LT(error(read<std::complex<float>>(memory, data.size()), expected), 6e-7);
  }
}

// Every order into every other one: what a register is said to hold is what it holds.
TEST_F(FftBlockTest, Orders) {
  for (const uint64_t n : {12, 13, 90, 128}) {
    const vd_fft_block_desc desc = lines(n, 3);
    const auto count = static_cast<int32_t>(2 * info_of(desc).stage_count);
    const Numbers data = random_numbers(n * 3);
    for (int32_t from = -count; from < 0; ++from) {
      Transform t(desc);
      const vd_value buffer = t.numbers("data"), result = t.numbers("result"), shared = t.numbers("shared");
      t.begin();
      for (int32_t to = 0; to < count; ++to) {
        EXPECT_OK(vd_fft_block_set_order(t.block, from));
        t.load(buffer);
        EXPECT_OK(vd_fft_block_reorder(t.block, to));
        t.save(result);
        EXPECT_OK(vd_fft_block_to_shared(t.block));
        EXPECT_OK(vd_fft_block_from_shared(t.block, from));
        t.save(shared);
      }
      Buffer a = make_buffer(context_, data), b = make_buffer(context_, data.size() * 8),
             c = make_buffer(context_, data.size() * 8);
      run(t, {a, b, c});
      EXPECT_EQ(read<std::complex<float>>(b, data.size()), data) << n << " from " << from;
      EXPECT_EQ(read<std::complex<float>>(c, data.size()), data) << n << " from " << from;
    }
  }
}

// Shared memory by element, in lines of one invocation and of several: the line turned round.
TEST_F(FftBlockTest, SharedMemoryByElement) {
  for (const uint64_t n : {7, 80}) {
    Transform t(lines(n, 5));
    const vd_value buffer = t.numbers("data");
    t.begin();
    t.load(buffer);
    vd_value place = 0;
    EXPECT_OK(vd_fft_block_sync_shared(t.block, VD_FFT_ACCESS_WRITE_SHARED));
    t.each(VD_FFT_ACCESS_WRITE_SHARED, [&](const vd_fft_block_element& e) {
      EXPECT_OK(vd_fft_block_shared(t.block, e.position, &place));
      t.store(place, e.value);
    });
    EXPECT_OK(vd_fft_block_sync_shared(t.block, VD_FFT_ACCESS_READ));
    t.each(VD_FFT_ACCESS_READ, [&](const vd_fft_block_element& e) {
      const vd_value turned = t.emit(VD_OP_SUB, {t.u32(static_cast<uint32_t>(n - 1)), e.position});
      EXPECT_OK(vd_fft_block_shared(t.block, turned, &place));
      t.store(e.value, place);
    });
    t.save(buffer);
    const Numbers data = random_numbers(n * 5);
    Numbers expected = data;
    for (size_t line = 0; line < 5; ++line) std::reverse(&expected[line * n], &expected[line * n] + n);
    Buffer memory = make_buffer(context_, data);
    run(t, {memory});
    EXPECT_EQ(read<std::complex<float>>(memory, data.size()), expected) << n;
  }
}

// In a loop the end of an iteration meets the beginning of the next.
TEST_F(FftBlockTest, InALoop) {
  const vd_fft_block_desc desc = lines(64, 2);
  Transform t(desc);
  const vd_value buffer = t.numbers("data");
  t.begin();
  t.load(buffer);
  t.emit(VD_OP_FOR, {t.u32(0), t.u32(3), t.u32(1)});
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_INVERSE));
  EXPECT_OK(vd_fft_block_normalize(t.block));
  t.emit(VD_OP_END, {});
  t.save(buffer);
  const Numbers data = random_numbers(128);
  Buffer memory = make_buffer(context_, data);
  run(t, {memory});
  EXPECT_LT(error(read<std::complex<float>>(memory, data.size()), exact(data)), 1e-6);
}

// Two lines at once in variables of the caller's.
TEST_F(FftBlockTest, OtherRegisters) {
  const vd_fft_block_desc desc = lines(30, 4);
  Transform t(desc);
  const vd_value a = t.numbers("a"), b = t.numbers("b");
  t.begin();
  uint32_t count = 0;
  EXPECT_EQ(vd_fft_block_get_registers(t.block, 0, nullptr, &count), VD_INCOMPLETE);
  EXPECT_EQ(count, info_of(desc).register_count);
  std::vector<vd_value> own(count), others(count);
  EXPECT_OK(vd_fft_block_get_registers(t.block, count, own.data(), &count));
  for (vd_value& variable : others) variable = t.emit(VD_OP_VAR, {}, VD_TYPE_COMPLEX_F32);
  t.load(a);
  EXPECT_OK(vd_fft_block_set_registers(t.block, others.data(), count));
  t.load(b);
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  t.save(b);
  EXPECT_OK(vd_fft_block_set_registers(t.block, own.data(), count));
  EXPECT_OK(vd_fft_block_set_order(t.block, VD_FFT_ORDER_INPUT));
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_INVERSE));
  t.save(a);
  const Numbers x = random_numbers(120), y = random_numbers(120, 2);
  Buffer first = make_buffer(context_, x), second = make_buffer(context_, y);
  run(t, {first, second});
  EXPECT_LT(error(read<std::complex<float>>(first, 120), dft(exact(x), desc, 1)), 5e-7);
  EXPECT_LT(error(read<std::complex<float>>(second, 120), dft(exact(y), desc, -1)), 5e-7);
}

// Frames of a signal that overlap, each by a window: addresses are the caller's own.
TEST_F(FftBlockTest, AddressesOfTheCallersOwn) {
  constexpr uint32_t kSize = 32, kFrames = 9, kHop = 8;
  const vd_fft_block_desc desc = lines(kSize, kFrames);
  Transform t(desc);
  const vd_value signal = t.buffer("signal", VD_TYPE_F32), out = t.numbers("out");
  t.begin();
  vd_fft_block_assignment place = VD_FFT_BLOCK_ASSIGNMENT_INIT;
  EXPECT_OK(vd_fft_block_get_assignment(t.block, &place));
  const vd_value start = t.emit(VD_OP_MUL, {place.outer, t.u32(kHop)});
  t.each(VD_FFT_ACCESS_READ, [&](const vd_fft_block_element& e) {
    t.store(t.emit(VD_OP_INDEX, {e.value, t.u32(0)}), t.at(signal, t.emit(VD_OP_ADD, {start, e.position})));
  });
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  t.save(out);
  std::vector<float> samples(kSize + kHop * (kFrames - 1));
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = std::sin(0.3f * static_cast<float>(i * i % 97));
  Exact frames;
  for (uint32_t f = 0; f < kFrames; ++f) {
    for (uint32_t i = 0; i < kSize; ++i) frames.emplace_back(samples[f * kHop + i]);
  }
  Buffer in = make_buffer(context_, samples), memory = make_buffer(context_, frames.size() * 8);
  run(t, {in, memory});
  EXPECT_LT(error(read<std::complex<float>>(memory, frames.size()), dft(frames, desc, -1)), 5e-7);
}

TEST_F(FftBlockTest, EndsBeforeTheLastElement) {
  Transform t(lines(16, 3));
  const vd_value buffer = t.numbers("data");
  t.begin();
  vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
  EXPECT_OK(vd_fft_block_end(t.block));
  EXPECT_OK(vd_fft_block_next(t.block, VD_FFT_ACCESS_WRITE, &element));
  EXPECT_EQ(element.element_id, 0u);
  t.store(t.at(buffer, element.index), element.value);
  EXPECT_OK(vd_fft_block_end(t.block));
  t.load(buffer);
  t.save(buffer);
  t.finish();
}

// ---- Remarks on the order of registers

vd_fft_block_remark remark_of(vd_fft_block* block) {
  vd_fft_block_remark remark = VD_FFT_BLOCK_REMARK_INIT;
  EXPECT_OK(vd_fft_block_take_remark(block, &remark));
  return remark;
}

// Code that assumes another order than the registers are in, for lines of 60 in two stages.
struct Remarks : Transform {
  Remarks() : Transform(lines(60, 3)) {
    data = numbers("data");
    begin();
    last = static_cast<int32_t>(2 * info_of(desc).stage_count - 1);
  }
  void expect(vd_fft_block_remark_kind kind, int32_t found, int32_t wanted) {
    const vd_fft_block_remark remark = remark_of(block);
    EXPECT_EQ(remark.kind, kind);
    EXPECT_EQ(remark.found, found);
    EXPECT_EQ(remark.wanted, wanted);
    EXPECT_EQ(remark_of(block).kind, VD_FFT_BLOCK_REMARK_NONE);
  }
  // Multiplies by what belongs to an element's position.
  void multiply() {
    each(VD_FFT_ACCESS_READ, [&](const vd_fft_block_element& e) {
      store(e.value, emit(VD_OP_MUL, {e.value, emit(VD_OP_LOAD, {at(data, e.position)})}));
    });
  }
  vd_value data;
  int32_t last;
};

TEST(FftBlockRemarks, ThereIsNoneOfWhatIsRight) {
  Remarks t;
  t.load(t.data);
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  t.multiply();
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_INVERSE));
  EXPECT_OK(vd_fft_block_normalize(t.block));
  t.save(t.data);
  EXPECT_EQ(remark_of(t.block).kind, VD_FFT_BLOCK_REMARK_NONE);
}

TEST(FftBlockRemarks, ACallThatTakesRegistersInAnotherOrder) {
  Remarks t;
  t.load(t.data);
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  EXPECT_OK(vd_fft_block_set_order(t.block, VD_FFT_ORDER_INPUT));
  EXPECT_EQ(remark_of(t.block).kind, VD_FFT_BLOCK_REMARK_NONE);
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  t.expect(VD_FFT_BLOCK_REMARK_CALL, t.last, 0);
}

TEST(FftBlockRemarks, ElementsWhosePositionIsAnother) {
  Remarks t;
  t.load(t.data);
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  EXPECT_OK(vd_fft_block_set_order(t.block, VD_FFT_ORDER_INPUT));
  t.multiply();
  t.expect(VD_FFT_BLOCK_REMARK_ELEMENTS, t.last, 0);
}

TEST(FftBlockRemarks, RegistersThatArePutTogether) {
  Remarks t;
  uint32_t count = 0;
  std::vector<vd_value> own(info_of(t.desc).register_count), others(own.size());
  EXPECT_OK(vd_fft_block_get_registers(t.block, static_cast<uint32_t>(own.size()), own.data(), &count));
  for (vd_value& variable : others) variable = t.emit(VD_OP_VAR, {}, VD_TYPE_COMPLEX_F32);
  t.load(t.data);
  EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  EXPECT_OK(vd_fft_block_set_registers(t.block, others.data(), count));
  EXPECT_OK(vd_fft_block_set_order(t.block, VD_FFT_ORDER_INPUT));
  t.load(t.data);
  uint32_t here = 0;
  EXPECT_OK(vd_builder_location(t.builder, "mixed.c", 7, "mix", &here));
  for (uint32_t i = 0; i < count; ++i) {
    const vd_value operands[] = {own[i], t.emit(VD_OP_ADD, {own[i], others[i]})};
    vd_value none = 0;
    EXPECT_OK(vd_builder_emit(t.builder, VD_OP_STORE, VD_TYPE_NONE, operands, 2, 0, here, &none));
  }
  const vd_fft_block_remark remark = remark_of(t.block);
  EXPECT_EQ(remark.kind, VD_FFT_BLOCK_REMARK_MIXED);
  EXPECT_EQ(remark.location, here);
  EXPECT_EQ(remark_of(t.block).kind, VD_FFT_BLOCK_REMARK_NONE);
}

TEST(FftBlockRemarks, WhatNobodyTookIsInTheLog) {
  Log log;
  {
    Remarks t;
    t.load(t.data);
    EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
    EXPECT_OK(vd_fft_block_set_order(t.block, VD_FFT_ORDER_INPUT));
    EXPECT_OK(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD));
  }
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_NE(log.lines[0].find("a call takes registers in order 0, and these are in order"), std::string::npos);
}

// ---- What is refused

TEST(FftBlockErrors, Descriptors) {
  const auto refused = [](const vd_fft_block_desc& desc, vd_status status, const char* message) {
    vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
    EXPECT_FAILS(vd_fft_block_get_info(&desc, &info), status,
                 (std::string("vd_fft_block_get_info: ") + message + ".").c_str());
    Writer w("refused");
    vd_fft_block* block = nullptr;
    EXPECT_FAILS(vd_fft_block_create(w.builder, &desc, &block), status,
                 (std::string("vd_fft_block_create: ") + message + ".").c_str());
    EXPECT_EQ(block, nullptr);
  };
  refused(lines(0), VD_ERR_INVALID, "desc->size (0) is not at least 1");
  vd_fft_block_desc odd = lines(4);
  vd_device_info device = VD_DEVICE_INFO_INIT;
  odd.device = &device;
  refused(odd, VD_ERR_INVALID, "desc->device->backend (0) is unknown; vd_context_get_device() fills in a device");
  device.backend = static_cast<vd_backend>(77);
  refused(odd, VD_ERR_INVALID, "desc->device->backend (77) is unknown; vd_context_get_device() fills in a device");
  device = large_device(VD_BACKEND_HOST);
  device.max_workgroup_size[0] = 0;
  refused(odd, VD_ERR_INVALID,
          "desc->device->max_workgroup_invocations (1024) or max_workgroup_size[0] (0) is not at least 1");
  device = large_device(VD_BACKEND_HOST);
  device.struct_size = 12;
  refused(odd, VD_ERR_INVALID,
          "desc->device->struct_size (12) is not between 440 and 4096; set it with the _INIT macro");
  odd = lines(4);
  odd.reserved = 3;
  refused(odd, VD_ERR_INVALID, "desc->reserved (3) is not zero");
  refused(lines(34), VD_ERR_INVALID, "desc->size (34) has a prime factor (17) above 13");
  refused(lines(uint64_t{1} << 40, 2), VD_ERR_INVALID,
          "desc->outer_count (2), size (1099511627776) and inner_count (1) make more than 2^40 elements");
  refused(lines(4096), VD_ERR_UNSUPPORTED,
          "a line of desc->size (4096) does not fit a workgroup of 128 invocations with 16384 bytes of shared memory");
  refused(lines(uint64_t{1} << 30), VD_ERR_UNSUPPORTED,
          "a line of desc->size (1073741824) does not fit a workgroup of 128 invocations with 16384 bytes of shared "
          "memory");
  vd_fft_block_desc desc = lines(8);
  desc.max_registers = 1;
  refused(desc, VD_ERR_INVALID, "desc->max_registers (1) is not at least 2");
  desc = lines(8);
  desc.compute_type = VD_TYPE_F32X2;
  refused(desc, VD_ERR_INVALID, "desc->compute_type (f32x2) is not a complex type");
}

// A program of a stable release, or of another version of the section, learns that before anything else is looked at.
TEST(FftBlockErrors, AProgramOfAnotherUnstableVersion) {
  const auto refused = [](const void* desc, uint32_t version) {
    const std::string message = ": desc->unstable_version (" + std::to_string(version) + ") is not " +
                                std::to_string(VD_UNSTABLE_VERSION) +
                                ", the VD_UNSTABLE_VERSION of this library; build the program with the library's own "
                                "header.";
    const auto* given = static_cast<const vd_fft_block_desc*>(desc);
    vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
    info.struct_size = 8;  // as large as another version may have it
    info.invocations = 77;
    EXPECT_FAILS(vd_fft_block_get_info(given, &info), VD_ERR_UNSUPPORTED, ("vd_fft_block_get_info" + message).c_str());
    EXPECT_EQ(info.invocations, 77u);
    Writer w("refused");
    vd_fft_block* block = nullptr;
    EXPECT_FAILS(vd_fft_block_create(w.builder, given, &block), VD_ERR_UNSUPPORTED,
                 ("vd_fft_block_create" + message).c_str());
    EXPECT_EQ(block, nullptr);
  };
  for (const uint32_t version : {0u, VD_UNSTABLE_VERSION + 1u, 0xFFFFFFFFu}) {
    vd_fft_block_desc desc = lines(64);
    desc.unstable_version = version;
    refused(&desc, version);
    desc.struct_size = 8;
    refused(&desc, version);
  }
  // The descriptor of release 0.2, which had the type where the version is now.
  alignas(8) std::array<uint32_t, 14> first{sizeof(first), 0, 64};
  refused(first.data(), 0);
  first[1] = VD_TYPE_COMPLEX_F32;
  refused(first.data(), VD_TYPE_COMPLEX_F32);
}

TEST(FftBlockErrors, Builders) {
  const vd_fft_block_desc desc = lines(64, 4);
  Block block;
  Writer function("function", VD_BUILDER_FUNCTION);
  EXPECT_FAILS(vd_fft_block_create(function.builder, &desc, block.out()), VD_ERR_INVALID,
               "vd_fft_block_create: builder writes a function, and only a kernel may contain transforms.");
  Writer w("two");
  ASSERT_OK(vd_fft_block_create(w.builder, &desc, block.out()));
  Block again, other;
  EXPECT_OK(vd_fft_block_create(w.builder, &desc, again.out()));
  vd_fft_block_desc wider = desc;
  wider.max_lines = 1;
  const std::string size = std::to_string(info_of(desc).workgroup_size[0]),
                    one = std::to_string(info_of(wider).workgroup_size[0]);
  EXPECT_FAILS(
      vd_fft_block_create(w.builder, &wider, other.out()), VD_ERR_INVALID,
      ("vd_fft_block_create: kernel \"two\" is for workgroups of (" + size + ", 1, 1), not of (" + one + ", 1, 1).")
          .c_str());
  Kernel kernel = w.finish();
  const char* ended = "kernel \"two\" is finished; ";
  vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
  vd_value value = 0;
  const auto expect_ended = [&](vd_status status) {
    EXPECT_EQ(status, VD_ERR_STATE);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(ended));
  };
  expect_ended(vd_fft_block_create(w.builder, &desc, other.out()));
  expect_ended(vd_fft_block_next(block, VD_FFT_ACCESS_READ, &element));
  expect_ended(vd_fft_block_end(block));
  expect_ended(vd_fft_block_execute(block, VD_FFT_DIRECTION_FORWARD));
  expect_ended(vd_fft_block_normalize(block));
  expect_ended(vd_fft_block_reorder(block, 0));
  expect_ended(vd_fft_block_set_order(block, 0));
  expect_ended(vd_fft_block_to_shared(block));
  expect_ended(vd_fft_block_from_shared(block, 0));
  expect_ended(vd_fft_block_sync_shared(block, VD_FFT_ACCESS_READ));
  expect_ended(vd_fft_block_shared(block, value, &value));
  expect_ended(vd_fft_block_set_registers(block, nullptr, 0));
}

TEST(FftBlockErrors, CallsOutOfOrder) {
  Transform t(lines(60));
  t.begin();
  EXPECT_FAILS(vd_fft_block_execute(t.block, static_cast<vd_fft_direction>(2)), VD_ERR_INVALID,
               "vd_fft_block_execute: direction (2) is unknown.");
  const int32_t count = static_cast<int32_t>(2 * info_of(t.desc).stage_count);
  ASSERT_GT(count, 2);
  for (const int32_t order : {count, -count - 1}) {
    const std::string message = "order (" + std::to_string(order) + ") is not between " + std::to_string(-count) +
                                " and " + std::to_string(count - 1) + ".";
    EXPECT_FAILS(vd_fft_block_set_order(t.block, order), VD_ERR_INVALID,
                 ("vd_fft_block_set_order: " + message).c_str());
    EXPECT_FAILS(vd_fft_block_reorder(t.block, order), VD_ERR_INVALID, ("vd_fft_block_reorder: " + message).c_str());
    EXPECT_FAILS(vd_fft_block_from_shared(t.block, order), VD_ERR_INVALID,
                 ("vd_fft_block_from_shared: " + message).c_str());
  }
  EXPECT_OK(vd_fft_block_set_order(t.block, 1));
  EXPECT_FAILS(vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD), VD_ERR_STATE,
               "vd_fft_block_execute: the registers are in order 1: a transform begins in the first or the last one.");
  EXPECT_OK(vd_fft_block_set_order(t.block, VD_FFT_ORDER_INPUT));

  vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
  EXPECT_OK(vd_fft_block_next(t.block, VD_FFT_ACCESS_READ, &element));
  const vd_value position = element.position;
  const std::string message = "element 0 of " + std::to_string(element.element_count) +
                              " is being written: go on to the last, or call vd_fft_block_end().";
  EXPECT_FAILS(vd_fft_block_next(t.block, VD_FFT_ACCESS_WRITE, &element), VD_ERR_STATE,
               ("vd_fft_block_next: " + message).c_str());
  for (const vd_status status :
       {vd_fft_block_execute(t.block, VD_FFT_DIRECTION_FORWARD), vd_fft_block_normalize(t.block),
        vd_fft_block_reorder(t.block, 1), vd_fft_block_set_order(t.block, 1), vd_fft_block_to_shared(t.block),
        vd_fft_block_from_shared(t.block, 1), vd_fft_block_sync_shared(t.block, VD_FFT_ACCESS_READ),
        vd_fft_block_set_registers(t.block, nullptr, 0)}) {
    EXPECT_EQ(status, VD_ERR_STATE);
    EXPECT_THAT(vd_last_error(), testing::HasSubstr(message));
  }
  t.emit(VD_OP_IF, {t.emit(VD_OP_LT, {position, t.u32(3)})});
  EXPECT_FAILS(vd_fft_block_next(t.block, VD_FFT_ACCESS_READ, &element), VD_ERR_STATE,
               "vd_fft_block_next: 1 blocks of code are open, not 0 as when element 0 began.");
  EXPECT_FAILS(vd_fft_block_end(t.block), VD_ERR_STATE,
               "vd_fft_block_end: 1 blocks of code are open, not 0 as when element 0 began.");
  t.emit(VD_OP_END, {});
  EXPECT_OK(vd_fft_block_end(t.block));
  EXPECT_FAILS(vd_fft_block_sync_shared(t.block, VD_FFT_ACCESS_WRITE), VD_ERR_INVALID,
               "vd_fft_block_sync_shared: access (1) neither reads nor writes shared memory.");
  t.finish();
}

TEST(FftBlockErrors, Values) {
  Transform t(lines(60));
  t.begin();
  uint32_t count = 0;
  std::vector<vd_value> registers(64);
  ASSERT_OK(vd_fft_block_get_registers(t.block, 64, registers.data(), &count));
  EXPECT_FAILS(vd_fft_block_set_registers(t.block, registers.data(), count - 1), VD_ERR_INVALID,
               ("vd_fft_block_set_registers: register_count (" + std::to_string(count - 1) + ") is not the block's (" +
                std::to_string(count) + ").")
                   .c_str());
  std::vector<vd_value> wrong = registers;
  wrong[1] = wrong[0];
  EXPECT_FAILS(vd_fft_block_set_registers(t.block, wrong.data(), count), VD_ERR_INVALID,
               "vd_fft_block_set_registers: registers[1] and registers[0] are the same variable.");
  wrong[1] = t.emit(VD_OP_VAR, {}, VD_TYPE_F32);
  EXPECT_EQ(vd_fft_block_set_registers(t.block, wrong.data(), count), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("registers[1] (private f32) is not a variable of complex_f32"));
  // A value of another builder's, which has more of them.
  Writer other("other");
  for (int i = 0; i < 500; ++i) wrong[1] = other.emit(VD_OP_VAR, {}, VD_TYPE_COMPLEX_F32);
  EXPECT_EQ(vd_fft_block_set_registers(t.block, wrong.data(), count), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("is not a value of this builder"));
  vd_value place = 0;
  EXPECT_EQ(vd_fft_block_shared(t.block, registers[0], &place), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("is not an integer"));
  EXPECT_EQ(place, 0u);
  EXPECT_OK(vd_fft_block_shared(t.block, t.emit(VD_OP_CONST, {}, VD_TYPE_I32, 3), &place));
  EXPECT_NE(place, 0u);
}

// Lines that need no shared memory may be too many for it.
TEST(FftBlockErrors, TooLittleSharedMemory) {
  vd_fft_block_desc desc = lines(13, 100);
  desc.max_shared_size = 256;
  const vd_fft_block_info info = info_of(desc);
  ASSERT_EQ(info.invocations, 1u);
  Transform t(desc);
  t.begin();
  EXPECT_FAILS(vd_fft_block_to_shared(t.block), VD_ERR_UNSUPPORTED,
               ("vd_fft_block_to_shared: " + std::to_string(info.lines) +
                " lines of 13 do not fit shared memory: ask for fewer with desc->max_lines.")
                   .c_str());
}

}  // namespace
}  // namespace api::block
