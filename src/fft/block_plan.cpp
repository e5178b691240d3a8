#include "fft/block_plan.h"

#include <algorithm>

#include "core/array_desc.h"
#include "core/error.h"
#include "fft/phases/read.h"
#include "fft/phases/write.h"
#include "fft/record.h"

namespace vd::fft {
namespace {

// Limits that every device grants at least.
constexpr uint32_t kLeastThreads = 128, kLeastShared = 16384;
// More values than that leave the caller's code too few registers.
constexpr uint64_t kLargestBlockPrime = 13;
// Longer lines fit no workgroup; up to here they are planned to find out.
constexpr uint64_t kLongestBlockLine = uint64_t{1} << 17;

ir::Scalar compute_scalar(vd_type type) {
  const ir::Type t = type == 0 ? ir::Type::complex(ir::Scalar::F32) : ir::Type(type);
  const bool known = t == ir::Type::complex(ir::Scalar::F16) || t == ir::Type::complex(ir::Scalar::F32) ||
                     t == ir::Type::complex(ir::Scalar::F64);
  if (!known) fail(VD_ERR_INVALID, "desc->compute_type ({}) is not a complex type", ir::shown_type(t));
  return t.scalar();
}

}  // namespace

BlockPlan plan_block(const vd_fft_block_desc& desc) {
  if (desc.size == 0) fail(VD_ERR_INVALID, "desc->size (0) is not at least 1");
  if (desc.max_registers == 1) fail(VD_ERR_INVALID, "desc->max_registers (1) is not at least 2");
  BlockPlan plan;
  plan.compute = compute_scalar(desc.compute_type);
  plan.inner = std::max<uint64_t>(desc.inner_count, 1);
  const uint64_t outer = std::max<uint64_t>(desc.outer_count, 1);
  if (desc.size > kMostElements || plan.inner > kMostElements / desc.size ||
      outer > kMostElements / (desc.size * plan.inner)) {
    fail(VD_ERR_INVALID, "desc->outer_count ({}), size ({}) and inner_count ({}) make more than 2^40 elements", outer,
         desc.size, plan.inner);
  }
  if (!is_smooth(desc.size, kLargestBlockPrime)) {
    fail(VD_ERR_INVALID, "desc->size ({}) has a prime factor ({}) above 13", desc.size, largest_prime(desc.size));
  }
  Limits limits;
  limits.invocations = kLeastThreads;
  limits.shared_bytes = kLeastShared;
  if (desc.device != nullptr) {
    limits.traits = traits_of(*desc.device);
    limits.records = records_of(*desc.device);
    limits.invocations = most_invocations(*desc.device);
    limits.shared_bytes = most_shared_memory(*desc.device);
  }
  if (limits.invocations == 0) {
    fail(VD_ERR_INVALID, "desc->device->max_workgroup_invocations ({}) or max_workgroup_size[0] ({}) is not at least 1",
         desc.device->max_workgroup_invocations, desc.device->max_workgroup_size[0]);
  }
  if (desc.max_invocations != 0) limits.invocations = std::min(desc.max_invocations, kMostInvocations);
  if (desc.max_shared_size != 0) limits.shared_bytes = desc.max_shared_size;
  if (desc.max_registers != 0) limits.bound_registers(std::min(desc.max_registers, kMostRegisters));
  limits.pairs = true;
  plan.batches = {{plan.inner, 1, 1, 1}, {outer, desc.size * plan.inner, desc.size * plan.inner, 1}};
  PassDesc pass;
  pass.compute = plan.compute;
  pass.batches = plan.batches;
  // The accesses are the caller's.
  Side side;
  side.scalar = plan.compute;
  side.stride = plan.inner;
  pass.source = std::make_shared<Read>(Reading{side, {}, true});
  pass.target = std::make_shared<Write>(Writing{side, {}, 1, true});
  bool found = false;
  if (desc.size <= kLongestBlockLine) {
    pass.n = plan.n = static_cast<uint32_t>(desc.size);
    found = choose_layout(pass, limits, plan.layout);
    if (found && desc.max_lines != 0 && plan.layout.lines > desc.max_lines) {
      limits.tuning.lines = desc.max_lines;
      found = choose_layout(pass, limits, plan.layout);
    }
  }
  if (!found) {
    fail(VD_ERR_UNSUPPORTED,
         "a line of desc->size ({}) does not fit a workgroup of {} invocations with {} bytes of shared memory",
         desc.size, limits.invocations, limits.shared_bytes);
  }
  // If no transform needs shared memory, the caller may still use it.
  Layout& layout = plan.layout;
  const ExchangeLimits room{limits.shared_bytes, layout.lines, layout.columns, false, ir::scalar_size(plan.compute)};
  plan.fits_shared = layout.radices.invocations > 1 || choose_exchange(layout.radices, room, layout.exchange);
  return plan;
}

vd_fft_block_info block_info(const BlockPlan& plan) {
  const Layout& layout = plan.layout;
  vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
  info.invocations = layout.radices.invocations;
  info.lines = layout.lines;
  info.columns = layout.columns ? 1 : 0;
  info.register_count = layout.radices.registers;
  info.stage_count = static_cast<uint32_t>(layout.radices.stages.size());
  if (info.stage_count > VD_MAX_FFT_STAGES) fail(VD_ERR_INTERNAL, "there are too many stages ({})", info.stage_count);
  for (uint32_t i = 0; i < info.stage_count; ++i) info.radices[i] = layout.radices.stages[i].radix;
  info.workgroup_size[0] = layout.workgroup_size();
  info.workgroup_size[1] = info.workgroup_size[2] = 1;
  std::copy(layout.workgroups.begin(), layout.workgroups.end(), info.workgroups);
  if (layout.radices.invocations > 1) info.shared_size = layout.exchange.elements * 2 * ir::scalar_size(plan.compute);
  return info;
}

}  // namespace vd::fft
