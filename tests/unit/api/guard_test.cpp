// Statuses and messages that exceptions become at the entry points.
#include "api/guard.h"

#include <gtest/gtest.h>

#include <string>
#include <system_error>

namespace vd::api {
namespace {

TEST(Guard, ErrorsOfTheSystemKeepTheirWords) {
  const std::system_error error(std::make_error_code(std::errc::io_error), "a file");
  EXPECT_EQ(guard("vd_kernel_load", [&]() -> vd_status { throw error; }), VD_ERR_INTERNAL);
  EXPECT_NE(std::string(vd_last_error()).find(error.what()), std::string::npos);
}

}  // namespace
}  // namespace vd::api
