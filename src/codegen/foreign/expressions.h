// How deep expressions of GLSL are: glslang calls itself for each operator in another, until its stack is at an end.
#pragma once

#include <string>
#include <vector>

#include "codegen/foreign/macros.h"

namespace vd::codegen {

inline constexpr int kMaxExpression = 3000;

class ExpressionDepth {
 public:
  // `what` has the text: kernel "blur".
  explicit ExpressionDepth(const std::string& what) : what_(what) {}

  // Counts how deep the expression at this token is at most: its operators, and those of the expressions around it.
  // Throws VD_ERR_COMPILE with the line where they are more than kMaxExpression.
  void read(const PlainToken& token);

 private:
  // What is open, and its operators so far. Commas part what stands side by side in a call or a list of values.
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
