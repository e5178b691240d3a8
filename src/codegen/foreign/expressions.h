// The depth of expressions in GLSL: glslang recurses for each operator nested in another, until its stack overflows.
#pragma once

#include <string>
#include <vector>

#include "codegen/foreign/macros.h"

namespace vd::codegen {

inline constexpr int kMaxExpression = 3000;

class ExpressionDepth {
 public:
  // `what` names the text's owner: kernel "blur".
  explicit ExpressionDepth(const std::string& what) : what_(what) {}

  // Counts the greatest depth of the expression at this token: its operators, and those of the expressions around it.
  // Throws VD_ERR_COMPILE with the line if there are more than kMaxExpression.
  void read(const PlainToken& token);

 private:
  // An open bracket, and its operators so far. Commas separate expressions in a call or a list of values.
  struct Level {
    bool list = false;
    int operators = 0;
  };

  void side_by_side();
  void add_operator(const PlainToken& token);

  const std::string& what_;
  std::vector<Level> levels_{Level()};
  int depth_ = 0;
  bool before_call_ = false;
  std::string before_;
};

}  // namespace vd::codegen
