#include "backends/printed.h"

#include <algorithm>

#include "core/bytes.h"

namespace vd::backends {
namespace {

// Calls `visit` with each number that the bytes have, in their order.
template <class Source, class Attributes, class Visit>
void each_number(Source& source, Attributes& attributes, Visit&& visit) {
  for (auto& n : source.workgroup_size) visit(n);
  visit(source.values), visit(source.values_binding), visit(source.addresses_binding), visit(source.values_size);
  visit(source.precise), visit(source.dynamic_shared_size);
  for (auto& n : attributes.workgroup_size) visit(n);
  for (auto& n : attributes.cluster_size) visit(n);
  visit(attributes.min_workgroups), visit(attributes.shared_carveout), visit(attributes.dynamic_shared_size);
}

}  // namespace

std::vector<std::byte> PrintedKernel::bytes() const {
  if (std::ranges::any_of(arguments, [](const Argument& argument) { return !argument.image.none(); })) return {};
  ByteWriter to;
  to.add(source.text).add(source.entry).add(values_size);
  each_number(source, attributes, [&](auto n) { to.add(n); });
  to.add(uint64_t{arguments.size()});
  for (const Argument& argument : arguments) to.add(argument.writes);
  return to.bytes();
}

PrintedKernel PrintedKernel::read(std::span<const std::byte> bytes) {
  ByteReader from(bytes);
  PrintedKernel kernel;
  kernel.source.text = from.text();
  kernel.source.entry = from.text();
  kernel.values_size = from.get<uint32_t>();
  each_number(kernel.source, kernel.attributes, [&]<class T>(T& n) { n = from.get<T>(); });
  kernel.arguments.resize(from.count());
  for (Argument& argument : kernel.arguments) argument.writes = from.get<bool>();
  if (!from.at_end()) fail(VD_ERR_INVALID, "bytes are left behind a printed kernel");
  return kernel;
}

PrintedKernel print(const ir::Kernel& kernel, vd_language language, const codegen::Options& options) {
  PrintedKernel printed;
  printed.source = codegen::print(kernel, language, options);
  for (const ir::Argument& argument : kernel.arguments) {
    const bool image = argument.kind == VD_ARGUMENT_IMAGE;
    if (!image && argument.kind != VD_ARGUMENT_BUFFER) continue;
    const bool writes = (argument.use & (VD_ARGUMENT_ACCESS_WRITE | VD_ARGUMENT_ACCESS_ATOMIC)) != 0;
    printed.arguments.push_back({image ? argument.type.value() : ir::Type(), writes});
  }
  printed.values_size = kernel.values.total_size;
  printed.attributes = kernel.attributes;
  return printed;
}

Hash128 printing_key(const vd_device_info& info, vd_language language, const codegen::Options& options) {
  // The names of all options: with another one this does not compile.
  const auto& [workgroup_size, features, value_limit, subgroup_size, explicit_shared_layout, subgroup_extended_types,
               buffer_addresses, clamped_indices, line_numbers] = options;
  Hasher hasher;
  hasher.add(std::as_bytes(std::span(&info, 1))).add(language);
  for (const uint32_t n : workgroup_size) hasher.add(n);
  hasher.add(features).add(value_limit).add(subgroup_size).add(explicit_shared_layout).add(subgroup_extended_types);
  return hasher.add(buffer_addresses).add(clamped_indices).add(line_numbers).finish();
}

}  // namespace vd::backends
