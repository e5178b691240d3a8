#include "fft/reach.h"

#include <algorithm>

#include "ir/type.h"

namespace vd::fft {
namespace {

uint64_t element_size(const Side& side) { return ir::scalar_size(side.scalar) * (side.real ? 1 : 2); }

uint64_t bytes_of(const Problem& problem, const Side& side, uint64_t Batch::*stride, uint32_t instances) {
  return reach_of(side, problem.n, problem.batches, stride, instances) * element_size(side);
}

// Whether lines of both sides are the same bytes where the arrays begin at the same one.
bool same_places(const Side& a, const Side& b, const std::vector<Batch>& batches, uint64_t Batch::*of_a,
                 uint64_t Batch::*of_b) {
  const uint64_t twice_a = !a.real && b.real ? 2 : 1, twice_b = a.real && !b.real ? 2 : 1;
  const bool mixed = a.real != b.real;
  if (a.scalar != b.scalar || (mixed ? a.stride != 1 || b.stride != 1 : a.stride != b.stride)) return false;
  if (twice_a * a.rows.stride != twice_b * b.rows.stride) return false;
  return std::ranges::all_of(
      batches, [&](const Batch& x) { return x.count == 1 || twice_a * (x.*of_a) == twice_b * (x.*of_b); });
}

// Index of the first batch among a part's dimensions: the line, the instances, then the batches.
constexpr size_t kFirstBatch = 2;

// The bytes that a problem accesses on one of its sides.
vd_plan::NoOverlap::Part part_of(uint32_t binding, const Problem& p, const Side& side, uint64_t Batch::*stride,
                                 uint32_t instances) {
  const uint64_t size = element_size(side), end = bytes_of(p, side, stride, instances);
  if (end == 0) return {};
  uint64_t high = std::min(p.n, side.high);
  if (side.mirror != 0) high = std::min(high, side.mirror / 2 + 1);
  vd_plan::NoOverlap::Part part{binding, (side.offset + side.low * side.stride) * size, end, size,
                                side.low * side.stride * size};
  part.dims.push_back({0, high - side.low, side.stride * size});
  part.dims.push_back({0, instances, side.instance * size});
  if (side.rows.count != 0) {
    const Rows& rows = side.rows;
    part.begin += rows.low * rows.stride * size;
    part.dims.push_back({0, std::min(rows.count, rows.high) - rows.low, rows.stride * size});
  }
  for (const Batch& batch : p.batches) part.dims.push_back({0, batch.count, batch.*stride * size});
  return part;
}

// Whether lines at the same positions, with the accesses of both sides, do not overlap each other.
bool lines_are_distinct(const vd_plan::NoOverlap::Part& a, const vd_plan::NoOverlap::Part& b) {
  // Reals and complex numbers are stored without gaps; the step is the real's.
  const uint64_t step = std::max<uint64_t>(std::min(a.dims[0].stride, b.dims[0].stride), 1);
  const auto end = [](const vd_plan::NoOverlap::Part& part) {
    return part.lead + (part.dims[0].count - 1) * part.dims[0].stride + part.element;
  };
  const uint64_t bytes = std::max(end(a), end(b)) - std::min(a.lead, b.lead);
  Overlaps lines;
  lines.add({0, (bytes + step - 1) / step, step});
  for (size_t i = kFirstBatch; i < a.dims.size(); ++i) lines.add(a.dims[i]);
  return !lines.find();
}

}  // namespace

std::vector<uint64_t> least_sizes(const std::vector<Problem>& problems, size_t binding_count) {
  std::vector<uint64_t> least(binding_count);
  const Problem& front = problems.front();
  const bool output = !front.outputs.empty(), input = !front.inputs.empty(), filter = !front.filters.empty();
  const bool convolves = std::ranges::any_of(problems, [](const Problem& p) { return p.convolve; });
  // Maps have arguments of any number in their part's place.
  const auto need = [&](size_t binding, uint64_t bytes) {
    if (binding < least.size()) least[binding] = std::max(least[binding], bytes);
  };
  const auto need_side = [&](const Problem& problem, const Side& side, uint64_t Batch::*stride, uint32_t instances) {
    if (side.hidden) return;
    const bool is_output = output && side.argument == 0;
    const bool countable = output || !convolves || filter;
    if (!is_output && !countable) return;
    const size_t at = is_output ? 0 : output ? 1 : binding_count - (filter ? 2 : 1);
    need(at, bytes_of(problem, side, stride, instances));
  };
  for (const Problem& problem : problems) {
    // The input is read once, whatever the number of filters.
    if (!problem.applied.input && (input || output)) need_side(problem, problem.in, &Batch::in_stride, 1);
    if (!problem.applied.output && output) need_side(problem, problem.out, &Batch::out_stride, problem.instances);
    if (problem.convolve && filter)
      need(binding_count - 1, bytes_of(problem, problem.filter, &Batch::filter_stride, problem.instances));
  }
  return least;
}

std::vector<vd_plan::NoOverlap> no_overlaps(const std::vector<Problem>& problems, size_t binding_count) {
  const Problem& front = problems.front();
  std::vector<vd_plan::NoOverlap> rules;
  if (front.outputs.empty()) return rules;
  const auto filter = static_cast<uint32_t>(binding_count - 1);
  std::vector<const Problem*> writers;  // this problem and those before it
  for (const Problem& p : problems) {
    if (!p.out.hidden && !p.applied.output) writers.push_back(&p);
    const auto forbid_overlap = [&](const Side& side, uint32_t binding, uint64_t Batch::*stride, uint32_t instances) {
      const vd_plan::NoOverlap::Part read = part_of(binding, p, side, stride, instances);
      for (const Problem* writer : writers) {
        vd_plan::NoOverlap one{part_of(0, *writer, writer->out, &Batch::out_stride, writer->instances), read};
        if (one.written.end == 0 || one.read.end == 0) continue;
        // A line belongs to one workgroup, which reads all of it before it writes; a workgroup must not write lines
        // that another reads.
        one.same = writer == &p && same_places(side, p.out, p.batches, stride, &Batch::out_stride) &&
                   (instances == 1 || side.instance == p.out.instance) && lines_are_distinct(one.written, one.read);
        // Passes write the output before the filter is read, whose numbers lie at other places.
        one.same = one.same && !(p.order && &side == &p.filter);
        rules.push_back(std::move(one));
      }
    };
    if (!p.in.hidden && !p.applied.input && p.in.argument != 0) forbid_overlap(p.in, 1, &Batch::in_stride, 1);
    if (p.convolve && !p.applied.filter && !p.filters.empty())
      forbid_overlap(p.filter, filter, &Batch::filter_stride, p.instances);
  }
  return rules;
}

}  // namespace vd::fft
