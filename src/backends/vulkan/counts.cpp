#include "backends/vulkan/counts.h"

#include "ir/analyse.h"
#include "ir/emitter.h"
#include "ir/verify.h"

namespace vd::vulkan {

ir::Kernel counts_kernel() {
  using ir::Type;
  ir::Kernel kernel;
  kernel.name = "workgroup_counts";
  kernel.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  const Type four = Type::vector(ir::Scalar::U32, 4);
  kernel.arguments = {{VD_ARGUMENT_BUFFER, ir::kU32, "counts"},
                      {VD_ARGUMENT_BUFFER, ir::kU32, "result"},
                      {VD_ARGUMENT_VARIABLE, four, "most_and_first"}};
  ir::Emitter e(kernel);
  const Type list = kernel.types.array(ir::kU32, 0).in(ir::Space::Storage);
  const ir::ValueId counts = e.leaf(ir::kOpArgument, list, 0), result = e.leaf(ir::kOpArgument, list, 1);
  const ir::ValueId values = e.load(e.leaf(ir::kOpArgument, four.in(ir::Space::Uniform), 2));
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const ir::ValueId count = e.load(e.index(counts, e.add(e.at(values, 3), e.bits(ir::kU32, axis))));
    e.store(e.at(result, axis), e.emit(VD_OP_MIN, count, e.at(values, axis)));
  }
  ir::verify(kernel);
  ir::analyse(kernel);
  return kernel;
}

}  // namespace vd::vulkan
