#include "codegen/foreign/condition.h"

#include <cstdlib>
#include <string>
#include <string_view>

namespace vd::codegen {
namespace {

int precedence(std::string_view op) {
  static const std::unordered_map<std::string_view, int> kLevels = {
      {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
      {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
  const auto found = kLevels.find(op);
  return found == kLevels.end() ? 0 : found->second;
}

int64_t apply(std::string_view op, int64_t a, int64_t b) {
  const auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
  const auto whole = [](uint32_t bits) { return int64_t{static_cast<int32_t>(bits)}; };
  if (op == "||") return a != 0 || b != 0;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "|") return a | b;
  if (op == "^") return a ^ b;
  if (op == "&") return a & b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "<<") return whole(ua << (ub & 31));
  if (op == ">>") return a >> (ub & 31);
  if (op == "+") return whole(ua + ub);
  if (op == "-") return whole(ua - ub);
  if (op == "*") return whole(ua * ub);
  if (b == 0) return 0;
  return op == "/" ? a / b : a % b;
}

class Condition {
 public:
  Condition(const TokenTable& table, const Tokens& tokens) : table_(table), tokens_(tokens) {}

  int64_t binary(int least, int depth) {
    int64_t left = unary(depth);
    while (at_ < tokens_.size()) {
      const std::string_view op = table_.text(tokens_[at_]);
      const int level = precedence(op);
      if (level == 0 || level <= least || depth > kMaxNesting) break;
      ++at_;
      left = apply(op, left, binary(level, depth + 1));
    }
    return left;
  }

  int64_t unary(int depth) {
    std::string signs;
    for (; at_ < tokens_.size(); ++at_) {
      const std::string& sign = table_.text(tokens_[at_]);
      if (sign != "!" && sign != "~" && sign != "-" && sign != "+") break;
      signs += sign;
    }
    int64_t value = 0;
    if (at_ < tokens_.size()) {
      const Token token = tokens_[at_++];
      if (table_.is(token, "(") && depth < kMaxNesting) {
        value = binary(0, depth + 1);
        if (at_ < tokens_.size()) ++at_;
      } else if (!token.name) {
        value = static_cast<int32_t>(std::strtoul(table_.text(token).c_str(), nullptr, 0));
      }
    }
    for (size_t i = signs.size(); i-- > 0;)
      value = signs[i] == '!' ? value == 0 : signs[i] == '~' ? ~value : signs[i] == '-' ? -value : value;
    return static_cast<int32_t>(value);
  }

 private:
  const TokenTable& table_;
  const Tokens& tokens_;
  size_t at_ = 0;
};

}  // namespace

int64_t condition_value(const TokenTable& table, const Tokens& tokens) { return Condition(table, tokens).binary(0, 0); }

}  // namespace vd::codegen
