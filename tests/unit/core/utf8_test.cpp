#include "core/utf8.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace {

std::string made(std::string text) {
  vd::make_utf8(text);
  return text;
}

TEST(Utf8, KeepsCharacters) {
  for (const char* text : {"", "plain", "Größe", "\n\x1b", "日本", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf",
                           "\xed\x9f\xbf", "\xee\x80\x80"}) {
    EXPECT_EQ(made(text), text);
  }
  EXPECT_EQ(made(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8, ReplacesOtherBytes) {
  EXPECT_EQ(made("caf\xe9"), "caf?");
  EXPECT_EQ(made("\xff\xfe"), "??");
  EXPECT_EQ(made("\xc3"), "?") << "cut off";
  EXPECT_EQ(made("\xe6\x97x"), "??x") << "cut off by another";
  EXPECT_EQ(made("\xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf"), "?? ??? ????") << "longer than needed";
  EXPECT_EQ(made("\xed\xa0\x80"), "???") << "half of a pair of UTF-16";
  EXPECT_EQ(made("\xf4\x90\x80\x80 \xf5"), "???? ?") << "past the last character";
}

TEST(Utf8, MessagesOfErrorsAreIt) {
  EXPECT_STREQ(vd::Error(VD_ERR_COMPILE, "line 1: \xe9\nline 2").what(), "line 1: ?\nline 2");
}

}  // namespace
