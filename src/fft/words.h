// Words of the form name=value, one after the other with blanks between.
#pragma once

#include <cstdint>
#include <string_view>

namespace vd::fft {

struct NamedValue {
  std::string_view whole, name, value;
};

// The text before `mark`, which both are taken from `rest`.
std::string_view take(std::string_view& rest, char mark);
// The next word, which is taken from `rest`; false if there is none. Throws VD_ERR_INVALID if it is not name=value.
bool take_word(std::string_view& rest, NamedValue& word);
// Throws VD_ERR_INVALID, naming the word, if its value is not a number up to `most`.
uint64_t number_of(const NamedValue& word, uint64_t most);

}  // namespace vd::fft
