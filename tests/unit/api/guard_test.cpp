// Statuses and messages that exceptions become at the entry points.
#include "api/guard.h"

#include <gtest/gtest.h>

#include <string>
#include <system_error>

namespace vd::api {
namespace {

TEST(Guard, ThreadsThatTheSystemDoesNotStartAreMissingMemory) {
  const auto refused = [] { return std::make_error_code(std::errc::resource_unavailable_try_again); };
  const vd_status status = guard("vd_context_create", [&]() -> vd_status { throw std::system_error(refused()); });
  EXPECT_EQ(status, VD_ERR_OUT_OF_MEMORY);
  EXPECT_STREQ(
      vd_last_error(),
      "vd_context_create: the system starts no thread: its limit is reached, or memory for a stack is missing.");
}

TEST(Guard, OtherErrorsOfTheSystemKeepTheirWords) {
  const std::system_error error(std::make_error_code(std::errc::io_error), "a file");
  EXPECT_EQ(guard("vd_kernel_load", [&]() -> vd_status { throw error; }), VD_ERR_INTERNAL);
  EXPECT_NE(std::string(vd_last_error()).find(error.what()), std::string::npos);
}

}  // namespace
}  // namespace vd::api
