#include "fft/words.h"

#include <algorithm>
#include <charconv>

#include "core/error.h"
#include "core/name.h"

namespace vd::fft {

std::string_view take(std::string_view& rest, char mark) {
  const std::string_view word = rest.substr(0, rest.find(mark));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

bool take_word(std::string_view& rest, NamedValue& word) {
  while (!rest.empty()) {
    word.whole = word.value = take(rest, ' ');
    if (word.whole.empty()) continue;
    word.name = take(word.value, '=');
    if (word.name.empty() || word.value.empty()) {
      fail(VD_ERR_INVALID, "\"{}\" is not name=value", shown_name(word.whole));
    }
    return true;
  }
  return false;
}

uint64_t number_of(const NamedValue& word, uint64_t most) {
  uint64_t number = 0;
  const char* end = word.value.data() + word.value.size();
  const auto [at, error] = std::from_chars(word.value.data(), end, number);
  if (error != std::errc() || at != end || number > most) {
    fail(VD_ERR_INVALID, "{} (\"{}\") is not a number from 0 to {}", shown_name(word.name), shown_name(word.value),
         most);
  }
  return number;
}

}  // namespace vd::fft
