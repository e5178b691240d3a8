#include "fft/ticket_counters.h"

#include <vector>

#include "ir/hash.h"
#include "ir/kernel_writer.h"
#include "runtime/hidden.h"

namespace vd::fft {
namespace {

constexpr uint32_t kWorkgroup = 64;
constexpr uint32_t kWord = sizeof(uint32_t);

// `values`: words of a launch's values that it leaves alone, since all steps of a plan get the caller's.
ir::Kernel clear_kernel(uint32_t values) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.name = "clear_counters";
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  desc.workgroup_size[0] = kWorkgroup;
  const Ref<ir::Builder> builder = make_ref<ir::Builder>(desc);
  ir::KernelWriter c(*builder);
  const ir::Value counters = builder->argument(VD_ARGUMENT_BUFFER, ir::kU32, "counters");
  for (uint32_t i = 0; i < values; ++i) builder->argument(VD_ARGUMENT_CONSTANT, ir::kU32, "unused");
  const ir::Value id = c.builtin(VD_BUILTIN_GLOBAL_ID, 0);
  c.store(c.at(counters, c.mul(id, TicketCounters::kStep)), c.index(0));
  return builder->finish();
}

}  // namespace

Ref<vd_buffer> make_counters(vd_context& context, uint32_t device, const Pass& pass) {
  const uint32_t step = TicketCounters::kStep * kWorkgroup;
  const std::vector<uint32_t> none((pass.counters() + step - 1) / step * step);  // whole workgroups of clear_step()
  return runtime::hidden_buffer(context, device, none.size() * kWord, none.data(), "fft counters");
}

vd_plan::Step clear_step(const Ref<vd_buffer>& counters, uint32_t bindings, const Pass& pass) {
  const uint32_t words = (pass.launch.given + kWord - 1) / kWord;
  ir::Kernel code = clear_kernel(words);
  const Hash128 hash = ir::hash_kernel(code);
  const Ref<vd_kernel> kernel = make_ref<vd_kernel>(std::move(code), hash);
  vd_plan::Desc desc;
  desc.kernel = kernel.get();
  desc.device = counters->device();
  vd_plan::Step step;
  step.plan = vd_plan::create(counters->context(), desc);
  step.workgroups = {static_cast<uint32_t>(counters->size() / kWord / TicketCounters::kStep / kWorkgroup), 1, 1};
  step.hidden.emplace_back(counters);
  step.arguments = {{bindings, 0, 0}};
  step.values.resize(words * kWord - pass.launch.given);
  return step;
}

}  // namespace vd::fft
