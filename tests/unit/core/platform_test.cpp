#include "core/platform.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

TEST(Platform, EmptyEnvironmentIsNotSet) {
  setenv("VD_TEST_VARIABLE", "", 1);
  EXPECT_FALSE(vd::platform::environment("VD_TEST_VARIABLE"));
  setenv("VD_TEST_VARIABLE", "x", 1);
  EXPECT_EQ(vd::platform::environment("VD_TEST_VARIABLE"), "x");
  unsetenv("VD_TEST_VARIABLE");
  EXPECT_FALSE(vd::platform::environment("VD_TEST_VARIABLE"));
}

TEST(Platform, MissingLibraryGivesReasons) {
  std::string why;
  EXPECT_FALSE(vd::platform::Library::open({"libvd-none-a.so", "libvd-none-b.so"}, &why));
  EXPECT_NE(why.find("libvd-none-a.so"), std::string::npos);
  EXPECT_NE(why.find("libvd-none-b.so"), std::string::npos);
}

TEST(Platform, LibraryHasSymbols) {
  auto library = vd::platform::Library::open("libm.so.6");
  ASSERT_TRUE(library);
  double (*cosine)(double) = nullptr;
  ASSERT_TRUE(library.get(cosine, "cos"));
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_FALSE(library.get(cosine, "no such thing"));
}

TEST(Platform, ThereIsAProcessor) { EXPECT_GE(vd::platform::processor_count(), 1u); }

}  // namespace
