#include <fmt/format.h>

#include "codegen/legalize/legalize.h"
#include "ir/rewriter.h"
#include "ir/walk.h"

namespace vd::codegen {

using namespace ir;

namespace {

ValueId make_string(Emitter& e, std::string text) {
  auto& strings = e.kernel().strings;
  strings.push_back(std::move(text));
  return e.leaf(kOpString, Type::string(), strings.size() - 1);
}

// As a type that a variable argument list takes.
ValueId widened(Emitter& e, ValueId value) {
  switch (e.type(value).scalar()) {
    case Scalar::Bool:
    case Scalar::I8:
    case Scalar::I16:
      return e.convert(kI32, value);
    case Scalar::U8:
    case Scalar::U16:
      return e.convert(kU32, value);
    case Scalar::F16:
      return e.convert(kF32, value);
    default:
      return value;
  }
}

}  // namespace

Kernel legalize_prints(Kernel kernel, const Options& options) {
  bool any = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) { any |= inst.op == VD_OP_PRINTF || inst.op == VD_OP_ASSERT; });
  if (!any) return kernel;
  const bool silent = (kernel.flags & VD_BUILDER_NO_PRINTF) || !(options.features & VD_FEATURE_PRINTF);
  return rewrite(std::move(kernel), [&](Rewriter& r, ValueId, const Inst& inst) {
    if (inst.op != VD_OP_PRINTF && inst.op != VD_OP_ASSERT) return false;
    if (silent) return true;
    Emitter& e = r.out;
    if (inst.op == VD_OP_PRINTF) {
      std::vector<ValueId> operands{r[r.operand(inst, 0)]};
      for (uint32_t i = 1; i < inst.operand_count; ++i) {
        operands.push_back(widened(e, r[r.operand(inst, i)]));
      }
      e.emit(VD_OP_PRINTF, Type(), operands);
      return true;
    }
    const Location& place = e.kernel().locations[inst.location];
    std::string text = "assertion failed";
    if (inst.operand_count > 1) text += ": " + e.kernel().strings[r.source().insts[r.operand(inst, 1)].immediate];
    if (inst.location) text += fmt::format(" ({}:{})", place.file, place.line);
    // The text is no format.
    for (size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 2)) text.insert(at, 1, '%');
    const ValueId condition = r[r.operand(inst, 0)];
    e.begin_if(e.emit(VD_OP_LNOT, condition));
    e.emit(VD_OP_PRINTF, Type(), {make_string(e, text + "\n")});
    e.end();
    return true;
  });
}

}  // namespace vd::codegen
