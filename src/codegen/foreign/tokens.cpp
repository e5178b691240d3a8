#include "codegen/foreign/tokens.h"

#include <cctype>

namespace vd::codegen {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

uint32_t TokenTable::intern(std::string_view text) {
  const auto [found, added] = ids_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
  if (added) texts_.push_back(found->first);
  return found->second;
}

Tokens TokenTable::split(std::string_view line) {
  static constexpr std::string_view kPairs[] = {"##", "<<", ">>", "&&", "||", "^^", "==", "!=", "<=", ">=",
                                                "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
  Tokens tokens;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = at;
    Token token;
    if (std::isspace(static_cast<unsigned char>(line[at])) != 0) {
      ++at;
      continue;
    }
    if (begins_name(line[at])) {
      token.name = true;
      while (at < line.size() && continues_name(line[at])) ++at;
    } else if (std::isdigit(static_cast<unsigned char>(line[at])) != 0) {
      while (at < line.size() && (continues_name(line[at]) || line[at] == '.')) ++at;
    } else {
      ++at;
      for (const auto& pair : kPairs)
        if (line.substr(begin, 2) == pair) at = begin + 2;
    }
    token.text = intern(line.substr(begin, at - begin));
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace vd::codegen
