#include "ir/passes/read_counts.h"

#include "ir/analyse.h"
#include "ir/passes/bounds_guard.h"
#include "ir/rewriter.h"
#include "ir/verify.h"

namespace vd::ir {

void read_counts(Kernel& kernel) {
  // The guard comes first: it would let invocations past the launch's size see counts of zero, and end before a barrier
  // that others of their workgroup reach.
  bounds_guard(kernel);
  const auto argument = static_cast<uint32_t>(kernel.arguments.size());
  kernel.arguments.push_back({VD_ARGUMENT_BUFFER, kU32, "counts"});
  bool begun = false;
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId, const Inst&) {
    if (begun) return false;
    begun = true;
    Emitter& e = r.out;
    const Type list = e.kernel().types.array(kU32, 0).in(Space::Storage);
    const ValueId counts = e.leaf(kOpArgument, list, argument);
    const ValueId group = e.builtin(VD_BUILTIN_WORKGROUP_ID), launched = e.builtin(VD_BUILTIN_NUM_WORKGROUPS);
    ValueId past = kNoValue, numbers[3];
    for (uint32_t axis = 0; axis < 3; ++axis) {
      const ValueId count = e.load(e.at(counts, axis));
      numbers[axis] = e.emit(VD_OP_MIN, count, e.at(launched, axis));
      const ValueId over = e.emit(VD_OP_GE, e.at(group, axis), count);
      past = past == kNoValue ? over : e.emit(VD_OP_LOR, past, over);
    }
    e.begin_if(past);
    e.emit(VD_OP_RETURN, Type(), std::span<const ValueId>{});
    e.end();
    const ValueId all = e.construct(e.type(launched), numbers);
    const Kernel& source = r.source();
    for (ValueId leaf = 0; leaf < source.insts.size(); ++leaf)
      if (source.insts[leaf].op == VD_OP_BUILTIN && source.insts[leaf].immediate == VD_BUILTIN_NUM_WORKGROUPS)
        r.replace(leaf, all);
    return false;
  });
  analyse(kernel);
  verify(kernel);
}

}  // namespace vd::ir
