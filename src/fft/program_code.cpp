#include "fft/program_code.h"

namespace vd::fft {
namespace {

using What = LaunchNumber::What;

// But for its numbers of a launch.
void add_lines(Hasher& hasher, Side side) {
  side.offset = side.instance = 0;
  side.add_to(hasher);
}

void add_arguments(Hasher& hasher, const std::vector<PassArgument>& arguments) {
  hasher.add(arguments.size());
  for (const PassArgument& argument : arguments) hasher.add(argument.name).add(argument.element.bits());
}

void add_problem(Hasher& hasher, const Problem& p) {
  hasher.add(p.name).add(p.n).add(p.rows).add(p.sign).add(p.inverse).add(p.axis).add(p.scale).add(p.convolve);
  hasher.add(p.conjugate).add(p.instances).add(p.first_instance).add(p.filter_count).add(p.compute);
  for (const Side* side : {&p.in, &p.out, &p.filter}) add_lines(hasher, *side);
  for (const auto* arguments : {&p.outputs, &p.inputs, &p.filters}) add_arguments(hasher, *arguments);
}

void add_exchange(Hasher& hasher, const Exchange& e) {
  hasher.add(e.kind).add(e.planar).add(e.parts).add(e.amount).add(e.step).add(e.pitch).add(e.elements);
}

void add_layout(Hasher& hasher, const Layout& l) {
  l.radices.add_to(hasher);
  add_exchange(hasher, l.exchange);
  add_exchange(hasher, l.stage);
  hasher.add(l.wide).add(l.staged_in).add(l.staged_out).add(l.whole_lines).add(l.min_workgroups).add(l.carveout);
  hasher.add(l.lines).add(l.ahead).add(l.columns).add(l.orders.size());
  for (const LineOrder order : l.orders) hasher.add(order);
  const Layout::Ring& ring = l.ring;
  hasher.add(ring.order.slots).add(ring.order.tiles[0]).add(ring.order.tiles[1]).add(ring.batches).add(ring.slot);
  hasher.add(ring.coherent);
}

// Adds what the code knows of the numbers that it gets.
void add_numbers(Hasher& hasher, const PassDesc& desc, const Layout& layout) {
  const uint64_t lines = line_count(desc.batches);
  uint64_t workgroups = 1;
  for (const uint32_t n : layout.workgroups) workgroups *= n;
  hasher.add(layout.tiles * layout.lines > lines).add(workgroups > layout.group_count * layout.radices.cluster);
  hasher.add(workgroups > layout.ring.order.tickets(layout.ring.bundles));
  hasher.add(layout.workgroups[1] > 1).add(layout.workgroups[2] > 1).add(desc.batches.empty());
  const auto add = [&](const LaunchNumber& number) {
    hasher.add(first_equal(number, desc).access).add(value_of(number, desc, layout) >> 32 != 0);
  };
  const std::vector<Access> all = accesses(desc);
  hasher.add(all.size());
  for (uint32_t i = 0; i < all.size(); ++i) {
    const Access& access = all[i];
    add_lines(hasher, *access.side);
    hasher.add(access.at).add(access.mapped).add(access.copies).add(is_wide(desc, layout, access));
    const bool offset = takes_offset(access), stride = takes_stride(desc, layout, access), copy = takes_copy(access);
    hasher.add(offset).add(stride).add(copy);
    if (offset) add({What::Offset, i});
    if (stride) add({What::Stride, i});
    if (copy) add({What::Copy, i});
    if (!stride && !desc.batches.empty()) hasher.add(desc.batches.back().*access.stride);
  }
}

void add_pass(Hasher& hasher, const PlannedPass& pass) {
  const PassDesc& d = pass.desc;
  hasher.add(d.name).add(d.n).add(d.rows).add(d.compute).add(d.interleaved).add(d.first_interleaved).add(d.copies);
  const Demands all = demands(d);
  hasher.add(d.first_copy).add(all.mirrored).add(d.steps.size()).add(d.copy_steps.size()).add(text(d));
  hasher.add(all.back).add(all.whole_lines).add(all.real).add(all.pairs).add(all.words).add(all.factors);
  hasher.add(d.batches.size());
  for (size_t i = 0; i + 1 < d.batches.size(); ++i) {
    const Batch& batch = d.batches[i];
    hasher.add(batch.count).add(batch.in_stride).add(batch.out_stride).add(batch.filter_stride);
  }
  add_layout(hasher, pass.layout);
  add_numbers(hasher, d, pass.layout);
}

}  // namespace

Hash128 key_of(const Problem& problem, const Plan& plan, const Table& table, vd_builder_flags flags) {
  Hasher hasher;
  hasher.add("fft program").add(flags);
  add_problem(hasher, problem);
  table.add_to(hasher);
  for (const PlannedPass& pass : plan.passes) add_pass(hasher, pass);
  return hasher.finish();
}

}  // namespace vd::fft
