#include "codegen/precise/functions.h"

#include <mutex>

#include "codegen/precise/exponential.h"
#include "codegen/precise/hyperbolic.h"
#include "codegen/precise/inverse.h"
#include "codegen/precise/rounded.h"
#include "codegen/precise/trigonometric.h"

namespace vd::codegen {

namespace {

using M = KernelMath;
using F = M::F;

struct Entry {
  const char* name;
  F (*one)(M&, F);
  F (*two)(M&, F, F);
  F (*three)(M&, F, F, F);
};

#define VD_ONE(name)                                                             \
  {                                                                              \
    "vd_" #name, [](M& m, F x) { return precise::name(m, x); }, nullptr, nullptr \
  }
#define VD_TWO(name)                                                                     \
  {                                                                                      \
    "vd_" #name, nullptr, [](M& m, F x, F y) { return precise::name(m, x, y); }, nullptr \
  }
#define VD_THREE(name)                                                                           \
  {                                                                                              \
    "vd_" #name, nullptr, nullptr, [](M& m, F x, F y, F z) { return precise::name(m, x, y, z); } \
  }
constexpr Entry kEntries[] = {VD_ONE(sin),  VD_ONE(cos),   VD_ONE(tan),   VD_ONE(exp),   VD_ONE(exp2), VD_ONE(log),
                              VD_ONE(log2), VD_ONE(asin),  VD_ONE(acos),  VD_ONE(atan),  VD_ONE(sinh), VD_ONE(cosh),
                              VD_ONE(tanh), VD_ONE(asinh), VD_ONE(acosh), VD_ONE(atanh), VD_TWO(pow),  VD_TWO(atan2),
                              VD_TWO(div),  VD_ONE(sqrt),  VD_ONE(rsqrt), VD_THREE(fma)};
#undef VD_ONE
#undef VD_TWO
#undef VD_THREE

ir::Kernel make(const Entry& entry) {
  ir::Kernel kernel;
  kernel.name = entry.name;
  kernel.flags = VD_BUILDER_FUNCTION;
  kernel.return_type = ir::kF32;
  const uint32_t count = entry.one ? 1 : entry.two ? 2 : 3;
  for (uint32_t i = 0; i < count; ++i) {
    ir::Argument argument;
    argument.kind = VD_ARGUMENT_VALUE;
    argument.type = ir::kF32;
    argument.name = "xyz"[i];
    kernel.arguments.push_back(argument);
  }
  ir::Emitter e(kernel);
  M m(e);
  const auto parameter = [&](uint64_t i) { return F{&e, e.leaf(ir::kOpArgument, ir::kF32, i)}; };
  const F result = entry.one   ? entry.one(m, parameter(0))
                   : entry.two ? entry.two(m, parameter(0), parameter(1))
                               : entry.three(m, parameter(0), parameter(1), parameter(2));
  e.emit(VD_OP_RETURN, ir::Type(), {result.id});
  return kernel;
}

}  // namespace

const ir::Kernel* precise_function(std::string_view name) {
  static std::mutex mutex;
  static const ir::Kernel* made[std::size(kEntries)];
  for (size_t i = 0; i < std::size(kEntries); ++i) {
    if (name != kEntries[i].name) continue;
    const std::lock_guard lock(mutex);
    if (!made[i]) made[i] = new ir::Kernel(make(kEntries[i]));
    return made[i];
  }
  return nullptr;
}

}  // namespace vd::codegen
