// How much of its buffers a transform touches.
#pragma once

#include <cstdint>
#include <vector>

#include "fft/program.h"

namespace vd::fft {

// Bytes that each of the first `binding_count` buffers of a plan must have; 0 where the caller's maps decide.
// `problems` are a plan's, in order.
std::vector<uint64_t> least_sizes(const std::vector<Problem>& problems, size_t binding_count);

// Bytes of one buffer that a plan writes, and of another that it reads.
struct Apart {
  struct Part {
    uint32_t binding = 0;
    uint64_t begin = 0, end = 0;
  };
  Part written, read;
  bool same = false;  // they may be the very same bytes
};

// Which must not overlap, as far as it can be told: of arrays without gaps, where no map of the caller's has a hand in
// it. `least` is what least_sizes() gave, `passes` how many there are.
std::vector<Apart> parts_apart(const std::vector<Problem>& problems, const std::vector<uint64_t>& least, size_t passes);

}  // namespace vd::fft
