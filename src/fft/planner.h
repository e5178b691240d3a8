// Chooses the passes of lines of any length: one where a line fits a workgroup; several (D. H. Bailey's four-step, with
// as many factors as needed), and as many again less one around a multiplication, where it does not; and a convolution
// with a chirp (L. I. Bluestein, 1970) of a smooth length where the length has a prime factor above 13. A convolution
// along such a length is two of those, with the filter between them.
#pragma once

#include <string>
#include <vector>

#include "fft/generator.h"
#include "fft/pass.h"

namespace vd::fft {

// Numbers along a line are 32 bits wide.
constexpr uint64_t kLongestLine = uint64_t{1} << 32;

// The transform to plan. Sides and batches as in PassDesc, for the whole line.
struct Problem {
  std::string name = "fft";
  uint64_t n = 1;
  int sign = -1;
  bool inverse = false;  // passed to maps, with the axis
  uint32_t axis = 0;
  double scale = 1;
  bool convolve = false;
  bool conjugate = true;
  uint32_t instances = 1;
  uint32_t first_instance = 0, filter_count = 1;  // passed to maps
  ir::Scalar compute = ir::Scalar::F32;
  Side in, out, filter;
  std::vector<Batch> batches;
  Maps maps;     // whose arguments the caller declares
  Maps applied;  // and that are written in this problem
  // Buffers for the parts without a map, output's first. An input side with no buffer of its own reads the output's.
  std::vector<PassArgument> outputs, inputs, filters;
  uint64_t kept = 0;  // elements at the workspace's beginning that hold hidden sides
};

// A pass to write.
struct PlannedPass {
  PassDesc desc;
  Layout layout;
  Maps applied;
  bool workspace() const { return desc.in.hidden || desc.out.hidden; }
};

struct Plan {
  std::vector<PlannedPass> passes;
  uint64_t workspace_size = 0;  // bytes
};

// Adds the passes' constants to the table.
Plan make_plan(const Problem& problem, const Limits& limits, Table& table);

// Factors of n, the smallest first, of which the largest is as small as it can be; none if that is above `most`. n is
// smooth.
std::vector<uint64_t> split_length(uint64_t n, uint64_t most, uint32_t parts);

}  // namespace vd::fft
