// Reductions read and write what their plans say, in as many dispatches: counted by the host device.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "support/host_counters.h"

namespace vd::primitives {
namespace {

using vd::test::counts_of;
using vd::test::memory_of;

struct Case {
  std::vector<uint64_t> shape;
  std::vector<int32_t> axes;
  vd_type type = VD_TYPE_F32;
};

size_t occurrences(const std::string& text, const char* part) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(ReduceTraffic, MovesWhatItSays) {
  vd_context_desc context_desc = VD_CONTEXT_DESC_INIT;
  context_desc.backend = VD_BACKEND_HOST;
  context_desc.flags = VD_CONTEXT_CHECKED;
  vd_context* context = nullptr;
  ASSERT_EQ(vd_context_create(&context_desc, &context), VD_OK) << vd_last_error();
  size_t most_passes = 0;  // depends on the machine's processors
  for (const Case& c : {Case{{1000}, {}}, Case{{7, 300}, {1}}, Case{{300, 7}, {0}}, Case{{5, 6, 7}, {0, 2}},
                        Case{{40}, {}, VD_TYPE_F32X3}, Case{{100000}, {}, VD_TYPE_F32},
                        Case{{3, 50001}, {1}, VD_TYPE_U64}, Case{{60000, 3}, {0}, VD_TYPE_COMPLEX_F32}}) {
    SCOPED_TRACE(testing::PrintToString(c.shape));
    vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
    desc.rank = static_cast<uint32_t>(c.shape.size());
    desc.axis_count = static_cast<uint32_t>(c.axes.size());
    std::copy(c.shape.begin(), c.shape.end(), desc.shape);
    std::copy(c.axes.begin(), c.axes.end(), desc.axes);
    desc.compute_type = c.type;
    vd_plan* plan = nullptr;
    ASSERT_EQ(vd_plan_create_reduce(context, &desc, &plan), VD_OK) << vd_last_error();
    uint64_t size = ir::TypeTable().size(ir::Type(c.type));
    for (const uint64_t n : c.shape) size *= n;
    vd_buffer *in = nullptr, *out = nullptr;
    vd_buffer_desc buffer_desc = VD_BUFFER_DESC_INIT;
    const std::vector<std::byte> zeros(size);
    buffer_desc.size = size;
    buffer_desc.data = zeros.data();
    ASSERT_EQ(vd_buffer_create(context, &buffer_desc, &in), VD_OK);
    ASSERT_EQ(vd_buffer_create(context, &buffer_desc, &out), VD_OK);

    most_passes = std::max(most_passes, plan->steps().size());
    std::vector<host::Memory*> watched{&memory_of(*in), &memory_of(*out)};
    for (const auto& hidden : plan->steps().front().hidden) watched.push_back(&memory_of(*hidden.buffer));
    for (host::Memory* memory : watched) memory->watch();
    vd_buffer* const buffers[] = {out, in};
    const host::Queue::Counts before = counts_of(*context);
    ASSERT_EQ(vd_plan_try_launch(plan, nullptr, 0, 0, 0, 0, buffers, 2, nullptr, 0), VD_OK) << vd_last_error();
    ASSERT_EQ(vd_context_wait_idle(context, VD_QUEUE_ALL, VD_WAIT_FOREVER), VD_OK) << vd_last_error();
    uint64_t read = 0, written = 0;
    for (host::Memory* memory : watched) read += memory->touched().read, written += memory->touched().written;
    EXPECT_THAT(plan->explain(), testing::HasSubstr(fmt::format("reads {} and writes {} bytes\n", read, written)));
    const host::Queue::Counts after = counts_of(*context);
    EXPECT_EQ(after.dispatches - before.dispatches, occurrences(plan->explain(), " of them per result, "))
        << plan->explain();
    EXPECT_EQ(after.copies + after.fills, before.copies + before.fills);
    vd_buffer_release(in);
    vd_buffer_release(out);
    vd_plan_release(plan);
  }
  EXPECT_EQ(most_passes, 2u);
  vd_context_release(context);
}

}  // namespace
}  // namespace vd::primitives
