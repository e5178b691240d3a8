#include "runtime/kept_kernel.h"

namespace vd::runtime {
namespace {

// Calls `visit` with each number of a buffer's binding, in the order in which they are kept.
template <class Binding, class Visit>
void each_number(Binding& b, Visit&& visit) {
  visit(b.read), visit(b.write), visit(b.element_size), visit(b.align), visit(b.shape_offset), visit(b.least_size);
  visit(b.fixed_index.index), visit(b.fixed_index.element_size), visit(b.fixed_index.end);
  visit(b.fixed_index.number_size), visit(b.by_invocation);
}

template <class Kernel, class Visit>
void each_number_of_kernel(Kernel& k, Visit&& visit) {
  visit(k.hash.low), visit(k.hash.high);
  for (auto& n : k.workgroup_size) visit(n);
  visit(k.values_size), visit(k.block_size), visit(k.exec_size_offset), visit(k.shared_size);
}

}  // namespace

void KeptKernel::add_to(ByteWriter& to) const {
  const auto add = [&](auto n) { to.add(n); };
  to.add(name).add(std::span(printed));
  each_number_of_kernel(*this, add);
  to.add(uint64_t{bindings.size()});
  for (const vd_plan::Binding& binding : bindings) {
    to.add(binding.name);
    each_number(binding, add);
  }
}

KeptKernel KeptKernel::read(ByteReader& from) {
  const auto get = [&]<class T>(T& n) { n = from.get<T>(); };
  KeptKernel kernel;
  kernel.name = from.text();
  const std::span<const std::byte> printed = from.bytes();
  kernel.printed.assign(printed.begin(), printed.end());
  each_number_of_kernel(kernel, get);
  kernel.bindings.resize(from.count(sizeof(uint64_t)));
  for (vd_plan::Binding& binding : kernel.bindings) {
    binding.name = from.text();
    each_number(binding, get);
  }
  return kernel;
}

}  // namespace vd::runtime
