#include "codegen/foreign/expressions.h"

#include <cctype>
#include <utility>

#include "core/error.h"

namespace vd::codegen {

void ExpressionDepth::read(const PlainToken& token) {
  const std::string text(token.text);
  if (token.name || text == "]" || text == "[") {
    before_call_ = text != "[";
    before_.clear();
    if (text == "[") add_operator(token);
    return;
  }
  const bool call = std::exchange(before_call_, false);
  const std::string before = std::exchange(before_, text);
  if (text == "(" || text == "{") {
    add_operator(token);
    const bool values = before == "=" || before == "," || (before == "{" && levels_.back().list);
    levels_.push_back({text == "(" ? call : values, 0});
  } else if (text == ")" || text == "}") {
    depth_ -= levels_.back().operators;
    if (levels_.size() > 1) {
      levels_.pop_back();
    } else {
      levels_.back().operators = 0;
    }
    if (text == "}") side_by_side();
  } else if (text == ";" || (text == "," && levels_.back().list)) {
    side_by_side();
  } else if (std::ispunct(static_cast<unsigned char>(text[0])) != 0) {
    add_operator(token);
  }
}

void ExpressionDepth::side_by_side() {
  depth_ -= levels_.back().operators;
  levels_.back().operators = 0;
}

void ExpressionDepth::add_operator(const PlainToken& token) {
  ++levels_.back().operators;
  if (++depth_ <= kMaxExpression) return;
  const std::string by = token.macro.empty() ? "" : fmt::format("macro \"{}\" makes ", token.macro);
  fail(VD_ERR_COMPILE, "{}: {}the expression in line {} {} more than {} operators and parentheses within each other.",
       what_, by, token.line, by.empty() ? "has" : "of", kMaxExpression);
}

}  // namespace vd::codegen
