// Two passes of long lines in one dispatch, whose workgroups take tiles by ticket: through the C API, on every backend
// that orders the memory of workgroups.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "api/fft_support.h"
#include "api/shared_context.h"

namespace api {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kLength = 256;
constexpr const char* kWords = "shared=512,parts=1,tickets=3";
constexpr const char* kUsual = "shared=512,parts=1";

// Mesa's device on the processor.
bool is_software(vd_context* context) {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  EXPECT_OK(vd_context_get_device(context, 0, &info));
  return info.vendor_id == 0x10005;
}

// A plan with a map of its output, which gets a constant of this type with each launch. `write` writes an element of
// `target`, and has the constant's value.
using WriteWith =
    std::function<void(vd_fft_gen*, vd_builder*, const vd_fft_element&, vd_value target, vd_value constant)>;
void map_with_constant(vd_context* context, const vd_fft_desc& desc, vd_type type, Plan& plan, const WriteWith& write) {
  Own<vd_fft_gen> gen;
  ASSERT_OK(vd_fft_gen_create(context, &desc, gen.out()));
  vd_value target = 0, constant = 0;
  for (;;) {
    vd_fft_element element = VD_FFT_ELEMENT_INIT;
    Builder builder;
    ASSERT_OK(vd_fft_gen_next(gen, &element, builder.out()));
    if (element.point == VD_FFT_POINT_DONE) break;
    if (element.point == VD_FFT_POINT_ARGUMENTS) {
      ASSERT_OK(declare_argument(builder, VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32, "target", &target));
      ASSERT_OK(declare_argument(builder, VD_ARGUMENT_CONSTANT, type, "constant", &constant));
      continue;
    }
    vd_value loaded = 0;
    ASSERT_OK(vd_builder_emit(builder, VD_OP_LOAD, 0, &constant, 1, 0, 0, &loaded));
    write(gen, builder, element, target, loaded);
  }
  ASSERT_OK(vd_fft_gen_finish(gen, plan.out()));
}

class FftTickets : public FftTest, public testing::WithParamInterface<vd_backend> {
 protected:
  void SetUp() override {
    context_ = shared_context(GetParam());
    if (context_ == nullptr) GTEST_SKIP() << vd_last_error();
    if (GetParam() == VD_BACKEND_VULKAN && is_software(context_)) GTEST_SKIP() << "it ends loops that wait";
  }

  Plan plan(const vd_fft_desc& desc, const char* words = kWords) {
    const Tuned tuned(words);
    Plan made;
    EXPECT_OK(vd_plan_create_fft(context_, &desc, made.out()));
    return made;
  }
  static vd_status launch(const Plan& plan, vd_buffer* data, uint32_t queue = 0) {
    const vd_binding whole = VD_BINDING_OF(data, 0, VD_WHOLE_SIZE);
    vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
    desc.queue = queue;
    desc.bindings = &whole;
    desc.binding_count = 1;
    return vd_plan_launch(plan, &desc, nullptr);
  }
  static Numbers wanted(const Numbers& data, int sign) {
    Numbers all;
    for (size_t at = 0; at < data.size(); at += kLength) {
      const auto begin = data.begin() + static_cast<std::ptrdiff_t>(at);
      for (const std::complex<float>& number : dft(Numbers(begin, begin + kLength), sign)) all.push_back(number);
    }
    return all;
  }
  static void expect_same_bits(const Numbers& got, const Numbers& want) {
    ASSERT_EQ(got.size(), want.size());
    float most = 0;
    for (size_t i = 0; i < got.size(); ++i) most = std::max(most, std::abs(got[i] - want[i]));
    EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(got[0])), 0) << "by " << most << " at most";
  }
  static bool is_by_ticket(const Plan& plan) {
    return text_of(plan).find("tickets: both passes in one dispatch") != std::string::npos;
  }
};

// The same numbers in the same order of operations: every bit is that of two dispatches. A compiler that may contract a
// product and a sum chooses one of two products in each kernel anew, and so has two launches alone with the same bits.
TEST_P(FftTickets, EveryBitIsThatOfTwoDispatches) {
  for (const vd_builder_flags flags : {vd_builder_flags{0}, vd_builder_flags{VD_BUILDER_PRECISE}}) {
    for (const uint64_t count : {1u, 2u, 5u, 33u}) {
      for (const vd_fft_direction direction : {VD_FFT_DIRECTION_FORWARD, VD_FFT_DIRECTION_INVERSE}) {
        SCOPED_TRACE(fmt::format("{} lines, direction {}, builder flags {:#x}", count, direction, flags));
        vd_fft_desc desc = rows(count, kLength);
        desc.direction = direction;
        desc.builder_flags = flags;
        const Plan both = plan(desc), apart = plan(desc, kUsual);
        ASSERT_TRUE(is_by_ticket(both)) << text_of(both);
        ASSERT_FALSE(is_by_ticket(apart));
        const Numbers data = numbers(count * kLength);
        const auto result = [&](const Plan& of) {
          Buffer b = buffer(data);
          EXPECT_OK(launch(of, b));
          return read(b, data.size());
        };
        const Numbers got = result(both), usual = result(apart);
        expect_same_bits(result(both), got);
        if (flags != 0) {
          expect_same_bits(got, usual);
        } else {
          expect_near(got, usual);
        }
        if (direction == VD_FFT_DIRECTION_FORWARD) expect_near(got, wanted(data, -1));
      }
    }
  }
}

// Each launch finds the counters at 0, whatever ran before.
TEST_P(FftTickets, ManyLaunches) {
  constexpr uint64_t kCount = 7, kTimes = 40;
  vd_fft_desc desc = rows(kCount, kLength);
  desc.norm = VD_FFT_NORM_ORTHO;
  const Plan there = plan(desc);
  desc.direction = VD_FFT_DIRECTION_INVERSE;
  const Plan back = plan(desc);
  const Numbers data = numbers(kCount * kLength);
  Buffer b = buffer(data);
  for (uint64_t i = 0; i < kTimes; ++i) {
    ASSERT_OK(launch(there, b));
    ASSERT_OK(launch(back, b));
  }
  expect_near(read(b, data.size()), data);
}

TEST_P(FftTickets, GraphOfSeveralInstances) {
  constexpr uint64_t kCount = 5;
  const vd_fft_desc desc = rows(kCount, kLength);
  const Plan both = plan(desc);
  const Numbers data = numbers(kCount * kLength);
  Buffer b = buffer(data);
  Graph graph;
  vd_graph_desc graph_desc = VD_GRAPH_DESC_INIT;
  ASSERT_OK(vd_graph_create(context_, &graph_desc, graph.out()));
  const vd_binding whole = VD_BINDING_OF(b, 0, VD_WHOLE_SIZE);
  vd_launch_desc launched = VD_LAUNCH_DESC_INIT;
  launched.bindings = &whole;
  launched.binding_count = 1;
  // Twice in the graph, three instances of it, twice: a line is itself times n after four.
  for (int i = 0; i < 2; ++i) ASSERT_OK(vd_graph_launch(graph, both, &launched, nullptr));
  vd_submit_desc submit = VD_SUBMIT_DESC_INIT;
  submit.repeat = 3;
  for (int i = 0; i < 2; ++i) ASSERT_OK(vd_graph_submit(graph, &submit, nullptr));
  Numbers got = read(b, data.size());
  const float scale = std::pow(static_cast<float>(kLength), 6.0f);
  for (auto& number : got) number /= scale;
  expect_near(got, data);
}

// Launches of one plan share its counters, so they run one after the other.
TEST_P(FftTickets, LaunchesOfSeveralQueues) {
  context_ = shared_context(GetParam(), 0, 2);
  if (context_ == nullptr) GTEST_SKIP() << vd_last_error();
  constexpr uint64_t kCount = 9;
  const Plan both = plan(rows(kCount, kLength));
  const Numbers data = numbers(kCount * kLength), want = wanted(data, -1);
  std::vector<Buffer> arrays;
  for (uint32_t i = 0; i < 8; ++i) {
    arrays.push_back(buffer(data));
    ASSERT_OK(launch(both, arrays.back(), i % 2));
  }
  for (Buffer& array : arrays) expect_near(read(array, data.size()), want);
}

TEST_P(FftTickets, LinesWithGapsAndBatchesOfTwoDimensions) {
  constexpr uint64_t kFar = 3, kNear = 2, kPitch = kLength + 5, kPlane = kNear * kPitch + 7;
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 3;
  desc.shape[0] = kFar, desc.shape[1] = kNear, desc.shape[2] = kLength;
  desc.axis_count = 1;
  desc.axes[0] = 2;
  desc.in_strides[0] = desc.out_strides[0] = kPlane;
  desc.in_strides[1] = desc.out_strides[1] = kPitch;
  desc.in_strides[2] = desc.out_strides[2] = 1;
  desc.in_offset = desc.out_offset = 3;
  const Plan both = plan(desc);
  ASSERT_TRUE(is_by_ticket(both)) << text_of(both);
  const Numbers data = numbers(kFar * kPlane + 3);
  Buffer b = buffer(data);
  ASSERT_OK(launch(both, b));
  Numbers want = data;
  for (uint64_t line = 0; line < kFar * kNear; ++line) {
    const auto at = static_cast<std::ptrdiff_t>(3 + line / kNear * kPlane + line % kNear * kPitch);
    const Numbers one = dft(Numbers(data.begin() + at, data.begin() + at + kLength), -1);
    std::copy(one.begin(), one.end(), want.begin() + at);
  }
  expect_near(read(b, data.size()), want);
}

// One with a stride, whose columns lie side by side, in several planes.
TEST_P(FftTickets, Columns) {
  constexpr uint64_t kPlanes = 5, kColumns = 6;
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 3;
  desc.shape[0] = kPlanes, desc.shape[1] = kLength, desc.shape[2] = kColumns;
  desc.axis_count = 1;
  desc.axes[0] = 1;
  const Plan both = plan(desc);
  ASSERT_TRUE(is_by_ticket(both)) << text_of(both);
  const Numbers data = numbers(kPlanes * kLength * kColumns);
  Buffer b = buffer(data);
  ASSERT_OK(launch(both, b));
  const Numbers got = read(b, data.size());
  for (uint64_t i = 0; i < kPlanes * kColumns; ++i) {
    const uint64_t first = i / kColumns * kColumns * kLength + i % kColumns;
    Numbers line(kLength), is(kLength);
    for (uint64_t k = 0; k < kLength; ++k) line[k] = data[first + k * kColumns], is[k] = got[first + k * kColumns];
    expect_near(is, dft(line, -1));
  }
}

// A pass along each axis of planes that fit no workgroup; their bundles are planes.
TEST_P(FftTickets, Planes) {
  constexpr uint64_t kPlanes = 7, kRows = 48, kColumns = 40, kSize = kPlanes * kRows * kColumns;
  for (const bool out_of_place : {false, true}) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 3;
    desc.shape[0] = kPlanes, desc.shape[1] = kRows, desc.shape[2] = kColumns;
    desc.axis_count = 2;
    desc.axes[0] = out_of_place ? 1 : 2;
    desc.axes[1] = out_of_place ? 2 : 1;
    desc.flags = out_of_place ? VD_FFT_OUT_OF_PLACE : 0;
    const Plan both = plan(desc);
    desc.direction = VD_FFT_DIRECTION_INVERSE;
    const Plan back = plan(desc), apart = plan(desc, kUsual);
    ASSERT_TRUE(is_by_ticket(both)) << text_of(both);
    ASSERT_TRUE(is_by_ticket(back)) << text_of(back);
    ASSERT_FALSE(is_by_ticket(apart));
    const Numbers data = numbers(kSize);
    Buffer from = buffer(data), to = buffer(Numbers(kSize));
    const auto run = [&](const Plan& of, vd_buffer* out, vd_buffer* in) {
      const vd_binding bindings[] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE), VD_BINDING_OF(in, 0, VD_WHOLE_SIZE)};
      vd_launch_desc launched = VD_LAUNCH_DESC_INIT;
      launched.bindings = bindings;
      launched.binding_count = out_of_place ? 2 : 1;
      ASSERT_OK(vd_plan_launch(of, &launched, nullptr));
    };
    vd_buffer* const spectrum = out_of_place ? to : from;
    run(both, spectrum, from);
    const Numbers got = read(spectrum, kSize);
    for (const auto& [k, l] : {std::pair<uint64_t, uint64_t>{0, 0}, {1, 3}, {47, 39}, {20, 21}}) {
      for (const uint64_t plane : {uint64_t{0}, uint64_t{3}, kPlanes - 1}) {
        std::complex<double> sum;
        for (uint64_t i = 0; i < kRows * kColumns; ++i) {
          const double turns =
              static_cast<double>(i / kColumns * k) / kRows + static_cast<double>(i % kColumns * l) / kColumns;
          sum += std::complex<double>(data[plane * kRows * kColumns + i]) *
                 std::polar(1.0, -2 * 3.14159265358979323846 * turns);
        }
        const std::complex<double> is = got[(plane * kRows + k) * kColumns + l];
        ASSERT_LT(std::abs(is - sum), 2e-2) << k << " " << l << " of plane " << plane;
      }
    }
    run(back, from, spectrum);
    expect_near(read(from, kSize), data);
  }
}

TEST_P(FftTickets, RealLinesThereAndBack) {
  constexpr uint64_t kCount = 5, kReals = 512, kHalf = kReals / 2 + 1;
  vd_fft_desc desc = rows(kCount, kReals);
  desc.kind = VD_FFT_KIND_R2C;
  const Plan there = plan(desc);
  desc.kind = VD_FFT_KIND_C2R;
  const Plan back = plan(desc);
  EXPECT_TRUE(is_by_ticket(there)) << text_of(there);
  EXPECT_TRUE(is_by_ticket(back)) << text_of(back);
  std::vector<float> data(kCount * 2 * kHalf);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>((i * i) % 13) - 6;
  Numbers packed(data.size() / 2);
  for (size_t i = 0; i < packed.size(); ++i) packed[i] = {data[2 * i], data[2 * i + 1]};
  Buffer b = buffer(packed);
  ASSERT_OK(launch(there, b));
  const Numbers spectra = read(b, packed.size());
  for (uint64_t line = 0; line < kCount; ++line) {
    Numbers reals(kReals);
    for (uint64_t i = 0; i < kReals; ++i) reals[i] = data[line * 2 * kHalf + i];
    Numbers want = dft(reals, -1);
    want.resize(kHalf);
    const auto begin = spectra.begin() + static_cast<std::ptrdiff_t>(line * kHalf);
    const Numbers got(begin, begin + kHalf);
    for (uint64_t k = 0; k < kHalf; ++k) ASSERT_LT(std::abs(got[k] - want[k]), 1e-3) << line << " " << k;
  }
  ASSERT_OK(launch(back, b));
  const Numbers result = read(b, packed.size());
  std::vector<float> got(data.size());
  std::memcpy(got.data(), result.data(), got.size() * sizeof(float));
  for (uint64_t i = 0; i < got.size(); ++i) {
    if (i % (2 * kHalf) >= kReals) continue;  // padding
    ASSERT_NEAR(got[i], data[i], 1e-4) << i;
  }
}

// A map of the output gets each element once, with its address.
TEST_P(FftTickets, Maps) {
  constexpr uint64_t kCount = 6;
  vd_fft_desc desc = rows(kCount, kLength);
  desc.flags = VD_FFT_MAP_OUTPUT | VD_FFT_OUT_OF_PLACE;
  Plan mapped;
  {
    const Tuned tuned(kWords);
    map_output(desc, mapped, [](vd_builder* builder, const vd_fft_element&, vd_value number) {
      vd_value operands[] = {number, number}, sum = 0;
      EXPECT_OK(vd_builder_emit(builder, VD_OP_ADD, 0, operands, 2, 0, 0, &sum));
      return sum;
    });
  }
  ASSERT_TRUE(is_by_ticket(mapped)) << text_of(mapped);
  const Numbers data = numbers(kCount * kLength);
  Buffer from = buffer(data), to = buffer(Numbers(data.size()));
  for (int i = 0; i < 2; ++i) ASSERT_OK(launch_whole(mapped, {to, from}));
  Numbers want = wanted(data, -1);
  for (auto& number : want) number *= 2;
  expect_near(read(to, data.size()), want);
}

// Its values come with the launch. Where a launch may fail half-way, the counters are cleared before it, by a kernel that
// gets the same values.
TEST_P(FftTickets, AMapWithValues) {
  vd_fft_desc desc = rows(6, kLength);
  desc.flags = VD_FFT_MAP_OUTPUT | VD_FFT_OUT_OF_PLACE;
  Plan mapped;
  {
    const Tuned tuned(kWords);
    const WriteWith multiply = [](vd_fft_gen* gen, vd_builder* builder, const vd_fft_element& element, vd_value target,
                                  vd_value factor) {
      vd_value operands[2] = {0, factor}, product = 0;
      ASSERT_OK(vd_builder_emit(builder, VD_OP_LOAD, 0, &element.value, 1, 0, 0, &operands[0]));
      ASSERT_OK(vd_builder_emit(builder, VD_OP_MUL, 0, operands, 2, 0, 0, &product));
      ASSERT_OK(vd_fft_gen_write(gen, target, 0, product));
    };
    ASSERT_NO_FATAL_FAILURE(map_with_constant(context_, desc, VD_TYPE_COMPLEX_F32, mapped, multiply));
  }
  ASSERT_TRUE(is_by_ticket(mapped)) << text_of(mapped);
  const Numbers data = numbers(6 * kLength);
  Buffer from = buffer(data), to = buffer(Numbers(data.size()));
  const vd_binding bindings[] = {VD_BINDING_OF(to, 0, VD_WHOLE_SIZE), VD_BINDING_OF(from, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launched = VD_LAUNCH_DESC_INIT;
  launched.bindings = bindings;
  launched.binding_count = 2;
  launched.values_size = sizeof(std::complex<float>);
  for (const std::complex<float> factor : {std::complex<float>(2, 0), std::complex<float>(0, 1)}) {
    launched.values = &factor;
    ASSERT_OK(vd_plan_launch(mapped, &launched, nullptr));
    Numbers want = wanted(data, -1);
    for (auto& number : want) number *= factor;
    expect_near(read(to, data.size()), want);
  }
}

TEST_P(FftTickets, CallersWorkspace) {
  constexpr uint64_t kCount = 6;
  vd_fft_desc desc = rows(kCount, kLength);
  desc.flags = VD_FFT_WORKSPACE;
  const Plan both = plan(desc);
  ASSERT_TRUE(is_by_ticket(both)) << text_of(both);
  uint64_t size = 0;
  {
    const Tuned tuned(kWords);
    ASSERT_OK(vd_context_get_fft_workspace_size(context_, &desc, &size));
  }
  EXPECT_EQ(size, 3 * kLength * 8);  // the ring
  EXPECT_THAT(text_of(both), HasSubstr("6 bundles through a ring of 3 slots of 2048 bytes"));
  const Numbers data = numbers(kCount * kLength);
  Buffer b = buffer(data), space = buffer(Numbers(size / 8));
  ASSERT_OK(launch_whole(both, {b, space}));
  expect_near(read(b, data.size()), wanted(data, -1));
}

// Measured beside two dispatches. Whichever is faster is what the plan does and what its records say, now and by the cache.
TEST_P(FftTickets, AreMeasured) {
  vd_fft_desc desc = rows(7, kLength);
  desc.tune = VD_FFT_TUNE_BEST;
  for (int i = 0; i < 2; ++i) {
    const Plan measured = plan(desc, kUsual);
    const std::string text = text_of(measured);
    EXPECT_THAT(text, HasSubstr(" measured, "));
    EXPECT_THAT(text, HasSubstr("choice n="));
    EXPECT_EQ(is_by_ticket(measured), text.find(" tickets=1") != std::string::npos) << text;
    const Numbers data = numbers(7 * kLength);
    Buffer b = buffer(data);
    ASSERT_OK(launch(measured, b));
    expect_near(read(b, data.size()), wanted(data, -1));
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, FftTickets, testing::Values(VD_BACKEND_HOST, VD_BACKEND_VULKAN, VD_BACKEND_CUDA),
                         backend_name);

// A launch that fails leaves tickets taken; the next one begins with the first again.
TEST(FftTicketsAfter, AFailedLaunch) {
  Context context = host_context(VD_CONTEXT_CHECKED);
  const Tuned tuned(kWords);
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = 5, desc.shape[1] = kLength;
  desc.flags = VD_FFT_MAP_OUTPUT | VD_FFT_OUT_OF_PLACE;
  Plan plan;
  const WriteWith shift = [](vd_fft_gen* gen, vd_builder* builder, const vd_fft_element& element, vd_value target,
                             vd_value by) {
    vd_value operands[2] = {element.index, by}, index = 0;
    ASSERT_OK(vd_builder_emit(builder, VD_OP_ADD, 0, operands, 2, 0, 0, &index));
    ASSERT_OK(vd_fft_gen_write(gen, target, index, 0));
  };
  ASSERT_NO_FATAL_FAILURE(map_with_constant(context, desc, VD_TYPE_U32, plan, shift));
  Blob text;
  ASSERT_OK(vd_plan_explain(plan, text.out()));
  ASSERT_THAT(static_cast<const char*>(vd_blob_data(text, nullptr)), HasSubstr("tickets: "));

  Numbers data(5 * kLength);
  for (size_t line = 0; line < 5; ++line) data[line * kLength] = static_cast<float>(line + 1);
  vd_buffer_desc space = VD_BUFFER_DESC_INIT;
  space.size = data.size() * sizeof(data[0]);
  space.data = data.data();
  Buffer from, to;
  ASSERT_OK(vd_buffer_create(context, &space, from.out()));
  ASSERT_OK(vd_buffer_create(context, &space, to.out()));
  const vd_binding bindings[] = {VD_BINDING_OF(to, 0, VD_WHOLE_SIZE), VD_BINDING_OF(from, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launched = VD_LAUNCH_DESC_INIT;
  launched.bindings = bindings;
  launched.binding_count = 2;
  launched.values_size = sizeof(uint32_t);
  for (const uint32_t by : {3 * kLength, uint64_t{0}}) {
    launched.values = &by;
    vd_ticket ticket = 0;
    ASSERT_OK(vd_plan_launch(plan, &launched, &ticket));
    const vd_status done = vd_ticket_wait(context, ticket, VD_WAIT_FOREVER);
    if (by != 0) {
      EXPECT_NE(done, VD_OK);  // the last lines would be written past the end
    } else {
      EXPECT_OK(done);
    }
  }
  // One number makes a constant spectrum.
  Numbers got(data.size());
  ASSERT_OK(vd_buffer_read(to, 0, got.size() * sizeof(got[0]), 0, got.data()));
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], std::complex<float>(static_cast<float>(i / kLength + 1))) << i;
}

// OpenCL C 1.2 orders memory within a workgroup alone, and llvmpipe ends loops that wait for long.
TEST(FftTicketsRefused, WhereWorkgroupsCannotWaitForEachOther) {
  const Tuned tuned(kWords);
  for (const vd_backend backend : {VD_BACKEND_OPENCL, VD_BACKEND_VULKAN}) {
    Context context = shared_context(backend);
    if (context == nullptr || (backend == VD_BACKEND_VULKAN && !is_software(context))) continue;
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = 2;
    desc.shape[0] = 4, desc.shape[1] = kLength;
    Plan plan;
    ASSERT_OK(vd_plan_create_fft(context, &desc, plan.out()));
    Blob text;
    ASSERT_OK(vd_plan_explain(plan, text.out()));
    EXPECT_THAT(static_cast<const char*>(vd_blob_data(text, nullptr)), Not(HasSubstr("tickets: ")));
  }
}

}  // namespace
}  // namespace api
