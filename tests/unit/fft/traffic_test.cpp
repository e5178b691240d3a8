// Transforms and convolutions made by the public calls take as many dispatches as explain() names, and nothing else;
// those of one pass access the bytes that it names. Counted by the host device. Bytes of each of several passes:
// planner_test.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "support/host_counters.h"

namespace vd::fft::test {
namespace {

using vd::test::counts_of;
using vd::test::memory_of;

struct Case {
  std::vector<uint64_t> shape;
  std::vector<int32_t> axes;
  size_t passes;
  vd_fft_flags flags = 0;
  vd_fft_kind kind = VD_FFT_KIND_C2C;
  uint32_t kernels = 0;
};

size_t occurrences(const std::string& text, const char* part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(FftTraffic, TakesTheDispatchesItSays) {
  vd_context_desc context_desc = VD_CONTEXT_DESC_INIT;
  context_desc.backend = VD_BACKEND_HOST;
  context_desc.flags = VD_CONTEXT_CHECKED;
  vd_context* context = nullptr;
  ASSERT_EQ(vd_context_create(&context_desc, &context), VD_OK) << vd_last_error();
  const vd_fft_flags out = VD_FFT_OUT_OF_PLACE, convolve = VD_FFT_CONVOLVE;
  for (const Case& c :
       {Case{{5, 60}, {1}, 1}, Case{{5, 60}, {1}, 1, out}, Case{{3, 17}, {1}, 1}, Case{{30, 7}, {0}, 1},
        Case{{12, 20}, {0, 1}, 1}, Case{{4, 6, 10}, {0, 1, 2}, 2, out}, Case{{2, 20000}, {1}, 2},
        Case{{1, 20011}, {1}, 3}, Case{{4, 30}, {1}, 1, out, VD_FFT_KIND_R2C},
        Case{{4, 30}, {1}, 1, out, VD_FFT_KIND_C2R}, Case{{6, 30}, {1, 0}, 1, out, VD_FFT_KIND_R2C},
        Case{{3, 20}, {1}, 1, convolve, VD_FFT_KIND_C2C, 1}, Case{{3, 20}, {1}, 1, convolve | out, VD_FFT_KIND_C2C, 2},
        Case{{3, 20}, {0}, 1, convolve | out | VD_FFT_SHARED_FILTER, VD_FFT_KIND_C2C, 1},
        Case{{2, 74}, {1}, 2, convolve | out, VD_FFT_KIND_C2C, 3},
        Case{{12, 20}, {1, 0}, 1, convolve | out, VD_FFT_KIND_C2C, 1},
        Case{{3, 20}, {1}, 1, convolve | out, VD_FFT_KIND_R2C, 1}}) {
    vd_fft_desc desc = VD_FFT_DESC_INIT;
    desc.rank = static_cast<uint32_t>(c.shape.size());
    desc.axis_count = static_cast<uint32_t>(c.axes.size());
    std::copy(c.shape.begin(), c.shape.end(), desc.shape);
    std::copy(c.axes.begin(), c.axes.end(), desc.axes);
    desc.kind = c.kind;
    desc.flags = c.flags;
    desc.filter_count = c.kernels;
    vd_plan* plan = nullptr;
    ASSERT_EQ(vd_plan_create_fft(context, &desc, &plan), VD_OK) << vd_last_error();
    SCOPED_TRACE(plan->explain());
    // Room for each side; what is more is not touched.
    uint64_t size = 16 * std::max<uint64_t>(c.kernels, 1);
    for (const uint64_t n : c.shape) size *= n + 2;
    const std::vector<std::byte> zeros(size);
    vd_buffer_desc buffer_desc = VD_BUFFER_DESC_INIT;
    buffer_desc.size = size;
    buffer_desc.data = zeros.data();
    std::vector<vd_buffer*> buffers(1 + ((c.flags & out) != 0 ? 1 : 0) + ((c.flags & convolve) != 0 ? 1 : 0));
    for (vd_buffer*& buffer : buffers) ASSERT_EQ(vd_buffer_create(context, &buffer_desc, &buffer), VD_OK);

    for (vd_buffer* buffer : buffers) memory_of(*buffer).watch();
    const host::Queue::Counts before = counts_of(*context);
    ASSERT_EQ(vd_plan_try_launch(plan, nullptr, 0, 0, 0, 0, buffers.data(), static_cast<uint32_t>(buffers.size()),
                                 nullptr, 0),
              VD_OK)
        << vd_last_error();
    ASSERT_EQ(vd_context_wait_idle(context, VD_QUEUE_ALL, VD_WAIT_FOREVER), VD_OK) << vd_last_error();
    const host::Queue::Counts after = counts_of(*context);
    const uint64_t dispatches = after.dispatches - before.dispatches;
    EXPECT_EQ(dispatches, c.passes);
    EXPECT_EQ(dispatches, occurrences(plan->explain(), " of lanes idle, "));
    EXPECT_EQ(dispatches, plan->steps().size());
    EXPECT_EQ(after.copies + after.fills, before.copies + before.fills);
    uint64_t read = 0, written = 0;
    for (vd_buffer* buffer : buffers) {
      read += memory_of(*buffer).touched().read;
      written += memory_of(*buffer).touched().written;
      vd_buffer_release(buffer);
    }
    if (dispatches == 1) {
      EXPECT_THAT(plan->explain(), testing::HasSubstr(fmt::format(", reads {} and writes {} bytes\n", read, written)));
      EXPECT_THAT(plan->explain(), testing::HasSubstr(fmt::format(
                                       "lower bound: a copy that reads {} and writes {} bytes\n", read, written)));
    }
    vd_plan_release(plan);
  }
  vd_context_release(context);
}

}  // namespace
}  // namespace vd::fft::test
