#include "backends/host/compile.h"

#include <algorithm>

#include "backends/host/assemble.h"
#include "backends/host/lower.h"
#include "backends/host/pure.h"
#include "core/error.h"
#include "ir/contents.h"
#include "ir/passes/assert_divisors.h"
#include "ir/passes/pipeline.h"
#include "ir/text.h"
#include "ir/walk.h"

namespace vd::host {
namespace {

// The narrowest scalar that the kernel reads or writes in memory: the unit in which conflicts are found.
uint32_t race_unit(const ir::Kernel& k) {
  uint32_t unit = 8;
  const auto look = [&](ir::Type type) {
    ir::contents_of(k.types, type).each_kind([&](ir::Scalar s) { unit = std::min(unit, ir::scalar_size(s)); });
  };
  for (const ir::Argument& a : k.arguments) {
    if (a.kind == VD_ARGUMENT_BUFFER) look(a.type);
  }
  for (const ir::SharedArray& s : k.shareds) look(s.element);
  ir::for_each_inst(k, [&](ir::ValueId, const ir::Inst& inst) {
    if (inst.op == VD_OP_VIEW) look(inst.type.value());
  });
  return unit;
}

}  // namespace

std::shared_ptr<const Program> compile(const ir::Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size,
                                       bool checked, const OpTable& table) {
  auto program = std::make_shared<Program>();
  Program& p = *program;
  p.kernel = kernel;
  p.text = ir::print_text(kernel, VD_PRINT_LOCATIONS);
  p.workgroup_size = workgroup_size;
  p.lanes = workgroup_size[0] * workgroup_size[1] * workgroup_size[2];
  if (p.lanes == 0 || p.lanes > kMaxInvocations) {
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\": workgroup size ({}, {}, {}) is not in the host's range (1 to {} invocations).", kernel.name,
         workgroup_size[0], workgroup_size[1], workgroup_size[2], kMaxInvocations);
  }
  p.strips = (p.lanes + kStrip - 1) / kStrip;
  p.strip_blocks = (std::min(p.lanes, kStrip) + kBlock - 1) / kBlock;
  p.checked = checked;
  p.shared_size = kernel.shared_size;

  if (checked) ir::assert_divisors(p.kernel);
  ir::PrepareOptions options;
  options.workgroup_size = workgroup_size;
  options.lower.define_division = options.lower.define_shifts = options.lower.define_conversions = false;
  ir::prepare(p.kernel, options);
  if (checked) p.race_unit = race_unit(p.kernel);
  assemble(Lowering(p.kernel, p).run(), table, p);
  return program;
}

}  // namespace vd::host
