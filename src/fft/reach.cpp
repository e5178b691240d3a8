#include "fft/reach.h"

#include <algorithm>

#include "ir/type.h"

namespace vd::fft {
namespace {

uint64_t element_size(const Side& side) { return ir::scalar_size(side.scalar) * (side.real ? 1 : 2); }

uint64_t bytes_of(const Problem& problem, const Side& side, uint64_t Batch::*stride, uint32_t instances) {
  return reach_of(side, problem.n, problem.batches, stride, instances) * element_size(side);
}

bool same_places(const Side& a, const Side& b) {
  return a.scalar == b.scalar && a.real == b.real && a.packed == b.packed && a.stride == b.stride && a.split == b.split;
}

}  // namespace

std::vector<uint64_t> least_sizes(const std::vector<Problem>& problems, size_t binding_count) {
  std::vector<uint64_t> least(binding_count);
  const Problem& front = problems.front();
  const bool output = !front.outputs.empty(), input = !front.inputs.empty(), kernel = !front.middles.empty();
  const bool convolves = std::ranges::any_of(problems, [](const Problem& p) { return p.convolve; });
  // Maps have arguments of any number in their part's place.
  const auto need = [&](size_t binding, uint64_t bytes) {
    if (binding < least.size()) least[binding] = std::max(least[binding], bytes);
  };
  const auto need_side = [&](const Problem& problem, const Side& side, uint64_t Batch::*stride, uint32_t instances) {
    if (side.hidden) return;
    const bool is_output = output && side.argument == 0;
    const bool countable = output || !convolves || kernel;
    if (!is_output && !countable) return;
    const size_t at = is_output ? 0 : output ? 1 : binding_count - (kernel ? 2 : 1);
    need(at, bytes_of(problem, side, stride, instances));
  };
  for (const Problem& problem : problems) {
    // The input is read once, whatever the number of kernels.
    if (!problem.applied.input && (input || output)) need_side(problem, problem.in, &Batch::in_stride, 1);
    if (!problem.applied.output && output) need_side(problem, problem.out, &Batch::out_stride, problem.instances);
    if (problem.convolve && kernel)
      need(binding_count - 1, bytes_of(problem, problem.middle, &Batch::middle_stride, problem.instances));
  }
  return least;
}

std::vector<vd_plan::Apart> parts_apart(const std::vector<Problem>& problems, const std::vector<uint64_t>& least,
                                        size_t passes) {
  const Problem& front = problems.front();
  const bool mapped =
      std::ranges::any_of(problems, [](const Problem& p) { return p.maps.input || p.maps.output || p.maps.middle; });
  if (mapped || problems.size() != 1 || front.instances != 1) return {};
  const uint64_t lines = line_count(front.batches);
  const auto part = [&](uint32_t binding, const Side& side) {
    return vd_plan::Apart::Part{binding, side.offset * element_size(side), least[binding]};
  };
  // An array with gaps may have another's elements in them.
  const auto dense = [&](const vd_plan::Apart::Part& p, const Side& side) {
    return p.end > p.begin && p.end - p.begin == lines * front.n * element_size(side);
  };
  std::vector<vd_plan::Apart> apart;
  if (!front.outputs.empty() && !front.inputs.empty()) {
    vd_plan::Apart one{part(0, front.out), part(1, front.in), false};
    one.same = passes == 1 && same_places(front.in, front.out) &&
               std::ranges::all_of(front.batches, [](const Batch& b) { return b.in_stride == b.out_stride; });
    if (dense(one.written, front.out) && dense(one.read, front.in)) apart.push_back(one);
  }
  if (front.convolve && !front.middles.empty()) {
    const auto kernel = static_cast<uint32_t>(least.size() - 1);
    const bool shared = std::ranges::any_of(
        front.batches, [](const Batch& b) { return b.count > 1 && b.middle_stride != b.out_stride; });
    vd_plan::Apart one{part(0, front.out), part(kernel, front.middle),
                       !shared && passes == 1 && same_places(front.middle, front.out)};
    if (dense(one.written, front.out) && one.read.end > one.read.begin && (shared || dense(one.read, front.middle)))
      apart.push_back(one);
  }
  return apart;
}

}  // namespace vd::fft
