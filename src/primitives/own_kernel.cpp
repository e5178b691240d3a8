#include "primitives/own_kernel.h"

#include <algorithm>

#include "ir/analyse.h"
#include "ir/hash.h"
#include "ir/passes/pipeline.h"
#include "ir/verify.h"
#include "runtime/kernel.h"

namespace vd::primitives {

uint64_t binding_align(const vd_context& context, uint32_t device) {
  return std::max<uint64_t>(context.device(device).info().storage_buffer_alignment, 16);
}

Ref<vd_plan> make_own_plan(vd_context& context, uint32_t device, ir::Kernel kernel) {
  ir::verify(kernel);
  ir::optimise(kernel);
  ir::analyse(kernel);
  const Hash128 hash = ir::hash_kernel(kernel);
  const Ref<vd_kernel> handle = make_ref<vd_kernel>(std::move(kernel), hash);
  vd_plan::Desc desc;
  desc.kernel = handle.get();
  desc.device = device;
  desc.own = true;
  return vd_plan::create(context, desc);
}

}  // namespace vd::primitives
