// Text of callers, drivers and files: the library returns UTF-8 alone, since languages with checked strings refuse anything else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vd {

// Bytes of the character that `text` begins with. 0 if it begins with none, or with one that is cut off.
size_t utf8_size(std::string_view text) noexcept;

// Puts "?" in the place of each byte that belongs to no character.
void make_utf8(std::string& text) noexcept;

}  // namespace vd
