#include "codegen/foreign/check.h"

#include "codegen/foreign/expressions.h"
#include "codegen/foreign/structs.h"

namespace vd::codegen {

void check_foreign(const std::string& text, const std::string& what, const BuiltinMacros& builtins) {
  ExpressionDepth expressions(what);
  StructSizes structs(what);
  expand_macros(text, what, builtins, [&](const PlainToken& token) {
    expressions.read(token);
    structs.read(token);
  });
}

}  // namespace vd::codegen
