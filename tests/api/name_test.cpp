// Names of the caller's in messages: one line that no terminal obeys.
#include <gmock/gmock.h>

#include <algorithm>

#include "api/support.h"

namespace api {
namespace {

using testing::HasSubstr;

void expect_shown(const char* part) {
  const std::string message = vd_last_error();
  EXPECT_THAT(message, HasSubstr(part));
  EXPECT_TRUE(std::none_of(message.begin(), message.end(), [](char c) { return c == '\x1b' || c == '\n'; })) << message;
}

TEST(Names, OfABuffer) {
  const Context ctx = host_context();
  const Buffer buffer = make_buffer(ctx, 16, "weights\n\x1b[31m");
  const uint32_t word = 1;
  EXPECT_EQ(vd_buffer_write(buffer, 16, &word, 4, 0), VD_ERR_INVALID);
  expect_shown("\"weights\\n\\x1b[31m\"");
}

TEST(Names, AndMessagesAreUtf8) {
  const Context ctx = host_context();
  const Buffer buffer = make_buffer(ctx, 16, "caf\xe9");
  const uint32_t word = 1;
  EXPECT_EQ(vd_buffer_write(buffer, 16, &word, 4, 0), VD_ERR_INVALID);
  expect_shown("\"caf\\xe9\"");
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_HOST;
  desc.device_name =
      "gr\xfc\xdf"
      "e";
  Context none;
  EXPECT_EQ(vd_context_create(&desc, none.out()), VD_ERR_UNAVAILABLE);
  expect_shown("(\"gr??e\")");
  Log log;
  EXPECT_OK(vd_log_write(VD_LOG_ERROR, "na\xefve, na\xc3\xafve"));
  EXPECT_EQ(log.lines, (std::vector<std::string>{"na?ve, na\xc3\xafve"}));
}

TEST(Names, OfAKernelItsArgumentsAndAPlan) {
  const Context ctx = host_context();
  Writer w("first\nsecond");
  const vd_value out = w.buffer("o\x1but");
  w.store(w.at(out, w.x()), w.u32(1));
  const Kernel kernel = w.finish();
  EXPECT_EQ(vd_kernel_get_argument(kernel, 7, nullptr), VD_ERR_INVALID);
  expect_shown("kernel \"first\\nsecond\"");
  const Plan plan = make_plan(ctx, kernel);
  vd_buffer* none[] = {nullptr};
  EXPECT_EQ(vd_plan_try_launch(plan, nullptr, 0, 4, 1, 1, none, 1, nullptr, 0), VD_ERR_INVALID);
  expect_shown("(\"o\\x1but\") of \"first\\nsecond\"");
}

}  // namespace
}  // namespace api
