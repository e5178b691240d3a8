// Tokens of GLSL, each text kept once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace vd::codegen {

bool begins_name(char c);
bool continues_name(char c);

struct Token {
  uint32_t text = 0;  // number in the table
  bool name = false;
  bool finished = false;  // its macro was busy when it was read, so it stays as it is
};
using Tokens = std::vector<Token>;

class TokenTable {
 public:
  uint32_t intern(std::string_view text);
  const std::string& text(uint32_t number) const { return texts_[number]; }
  const std::string& text(const Token& token) const { return texts_[token.text]; }
  bool is(const Token& token, std::string_view text) const { return texts_[token.text] == text; }
  Tokens split(std::string_view line);

 private:
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<std::string> texts_;
};

}  // namespace vd::codegen
