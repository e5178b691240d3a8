// Transforms of packed arrays in pieces, where a device takes fewer bytes as an argument than all arrays have. Arrays
// along the dimensions before the first axis lie one after the other and know nothing of each other, so a plan of plans
// transforms some of them at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/plan.h"

namespace vd::fft {

struct Pieces {
  uint64_t arrays = 1;          // in all
  uint64_t at_once = 1;         // of a piece
  std::vector<uint64_t> bytes;  // of an array in each argument of the plan; 0: all arrays share it
  vd_fft_desc desc{};           // with a first dimension that counts the arrays of a piece

  vd_fft_desc of(uint64_t count) const {
    vd_fft_desc part = desc;
    part.shape[0] = count;
    return part;
  }
  // Bytes of each argument; of one that is shared 0.
  std::vector<uint64_t> all_bytes() const;
};

// Nothing where the device takes all arrays at once, and where they cannot be divided so: with strides, offsets, maps or
// several filters, and if one array is past the limit. `most`: bytes that the device takes as an argument.
std::optional<Pieces> divide(const vd_fft_desc& desc, const vd_device_info& info, uint64_t most);

// Each piece is a plan that `make` made of Pieces::of().
Ref<vd_plan> join_pieces(vd_context& context, const Pieces& pieces,
                         const std::function<Ref<vd_plan>(const vd_fft_desc&)>& make);

}  // namespace vd::fft
