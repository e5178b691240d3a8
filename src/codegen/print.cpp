#include "codegen/print.h"

#include <algorithm>

#include "codegen/dialect.h"
#include "codegen/glslang.h"
#include "codegen/legalize/legalize.h"
#include "codegen/module.h"
#include "codegen/printer.h"
#include "core/error.h"

namespace vd::codegen {

namespace {

// Arguments that a front end gives for the whole, in the order in which the rules apply.
std::array<uint32_t, 3> choose_workgroup_size(const ir::Kernel& kernel, const Options& options) {
  if (kernel.attributes.workgroup_size[0]) return kernel.attributes.workgroup_size;
  if (options.workgroup_size[0]) return options.workgroup_size;
  return {64, 1, 1};
}

}  // namespace

Source print(const ir::Kernel& original, vd_language language, const Options& options) {
  const Dialect& dialect = get_dialect(language, options.buffer_addresses);
  ir::Kernel kernel = original;
  kernel.attributes.workgroup_size = choose_workgroup_size(original, options);
  for (uint32_t& n : kernel.attributes.workgroup_size) n = std::max(n, 1u);
  kernel = legalize(std::move(kernel), dialect, options);
  Module module(kernel, dialect, options);
  for (const ir::Argument& argument : kernel.arguments)
    if (argument.kind == VD_ARGUMENT_BUFFER || argument.kind == VD_ARGUMENT_IMAGE)
      module.values_binding = std::max(module.values_binding, argument.binding + 1);
  if (kernel.values.total_size)
    module.value_place = kernel.values.total_size <= (options.value_limit ? options.value_limit : dialect.value_limit)
                             ? dialect.small_values
                             : dialect.large_values;
  module.addresses_binding = module.values_binding + (module.value_place == ValuePlace::UniformBlock ? 1 : 0);
  Printer printer(module);
  printer.run();

  Source source;
  source.text = dialect.assemble(module);
  source.entry = dialect.entry;
  source.workgroup_size = module.workgroup_size;
  source.values = module.value_place;
  source.values_binding = module.values_binding;
  source.addresses = module.addressed_buffers();
  source.addresses_binding = module.addresses_binding;
  source.precise = module.precise;
  uint32_t align = 1;
  for (const ValueMember& member : module.value_members())
    align = std::max(align, static_cast<uint32_t>(kernel.types.align(member.type)));
  source.values_size = (kernel.values.total_size + align - 1) / align * align;
  source.dynamic_shared_size = module.dynamic_shared_size;
  // The body is the last part but for the closing brace.
  const auto lines = static_cast<size_t>(std::count(source.text.begin(), source.text.end(), '\n'));
  const std::vector<uint32_t>& body = printer.line_locations();
  source.locations.assign(lines - 1 - std::min(lines - 1, body.size()), 0);
  source.locations.insert(source.locations.end(), body.begin(), body.end());
  source.locations.push_back(0);
  if (options.line_numbers) source.text = number_lines(source.text);
  return source;
}

}  // namespace vd::codegen
