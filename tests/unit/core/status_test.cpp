#include "core/status.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace {

TEST(Status, NamesEveryNumber) {
  EXPECT_STREQ(vd::status_name(VD_OK), "VD_OK");
  for (int s = VD_ERR_WOULD_BLOCK; s <= VD_INCOMPLETE; ++s) {
    EXPECT_STRNE(vd::status_name(static_cast<vd_status>(s)), "VD_STATUS_UNKNOWN") << s;
  }
  EXPECT_STREQ(vd::status_name(static_cast<vd_status>(77)), "VD_STATUS_UNKNOWN");
}

TEST(LastError, BelongsToItsThread) {
  vd::set_last_error("vd_x", "here");
  std::thread([] {
    EXPECT_STREQ(vd::last_error(), "");
    vd::set_last_error("vd_y", "there");
    EXPECT_STREQ(vd::last_error(), "vd_y: there.");
  }).join();
  EXPECT_STREQ(vd::last_error(), "vd_x: here.");
}

TEST(LastError, KeepsLongMessagesAndForgetsThem) {
  const std::string log(100000, 'x');
  vd::set_last_error("vd_x", log.c_str());
  EXPECT_EQ(vd::last_error(), "vd_x: " + log + ".");
  vd::set_last_error("vd_x", "short");
  EXPECT_STREQ(vd::last_error(), "vd_x: short.");
}

TEST(LastError, EndsASentenceAsOne) {
  vd::set_last_error("f", "it is.");
  EXPECT_STREQ(vd::last_error(), "f: it is.");
  vd::set_last_error("f", "a name \"x\"");
  EXPECT_STREQ(vd::last_error(), "f: a name \"x\".");
  vd::set_last_error("f", "is it there?");
  EXPECT_STREQ(vd::last_error(), "f: is it there?");
  vd::set_last_error("f", "a log:\n1 | line");
  EXPECT_STREQ(vd::last_error(), "f: a log:\n1 | line");
  vd::set_last_error("f", "");
  EXPECT_STREQ(vd::last_error(), "f: ");
}

}  // namespace
