#include "core/name.h"

#include <gtest/gtest.h>

namespace {

using vd::shown_name;

TEST(Name, IsShownInOneLine) {
  EXPECT_EQ(shown_name("weights of layer 3"), "weights of layer 3");
  EXPECT_EQ(shown_name("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(shown_name("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(shown_name(""), "");
}

TEST(Name, KeepsOtherLetters) {
  EXPECT_EQ(shown_name("Größe C:\\temp"), "Größe C:\\temp");
  EXPECT_EQ(shown_name("\xc2\x9b"
                       "31m"),
            "\\x9b31m")
      << "an escape sequence begins so, too";
  EXPECT_EQ(shown_name("\xc2\xa0"), "\xc2\xa0");
}

TEST(Name, SpellsBytesOfNoCharacter) {
  EXPECT_EQ(shown_name("\xc2"), "\\xc2");
  EXPECT_EQ(shown_name("caf\xe9 3"), "caf\\xe9 3") << "Latin-1";
  EXPECT_EQ(shown_name("\xff\xfe"), "\\xff\\xfe");
}

}  // namespace
