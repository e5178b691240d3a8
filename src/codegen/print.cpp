#include "codegen/print.h"

#include <algorithm>

#include "codegen/dialect.h"
#include "codegen/glslang.h"
#include "codegen/module.h"
#include "codegen/printer.h"
#include "core/error.h"

namespace vd::codegen {

Source print(const ir::Kernel& kernel, vd_language language, const Options& options) {
  const Dialect& dialect = get_dialect(language);
  Module module(kernel, dialect, options);
  if (kernel.values.total_size) {
    module.value_place = kernel.values.total_size <= options.value_limit ? dialect.small_values : dialect.large_values;
    for (const ir::Argument& argument : kernel.arguments)
      if (argument.kind == VD_ARGUMENT_BUFFER || argument.kind == VD_ARGUMENT_IMAGE)
        module.values_binding = std::max(module.values_binding, argument.binding + 1);
  }
  Printer printer(module);
  printer.run();

  Source source;
  source.text = dialect.assemble(module);
  source.entry = dialect.entry;
  source.local_size = module.local_size;
  source.values = module.value_place;
  source.values_binding = module.values_binding;
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
