#include "fft/reach.h"

#include <algorithm>

#include "ir/type.h"

namespace vd::fft {
namespace {

uint64_t bytes_of(const Problem& problem, const Side& side, uint64_t Batch::*stride, uint32_t instances) {
  return reach_of(side, problem.n, problem.batches, stride, instances) * ir::scalar_size(side.scalar) *
         (side.real ? 1 : 2);
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

}  // namespace vd::fft
