// Reductions in pieces, where a device takes fewer bytes as an argument than the array has.
#pragma once

#include <functional>

#include "runtime/plan.h"

namespace vd::primitives {

// A plan that takes a part of the first dimension at a time, each by a plan that `make` makes: the parts' results lie one
// after the other, or, where the first dimension is reduced, are reduced themselves. Null where the device takes all of the
// array, and where it cannot be divided so: with strides, offsets, a map, an operation of the caller's, or if an element of
// the first dimension is past the limit. `most`: bytes that the device takes as an argument.
Ref<vd_plan> reduce_in_pieces(vd_context& context, const vd_reduce_desc& desc, uint64_t most,
                              const std::function<Ref<vd_plan>(const vd_reduce_desc&)>& make);

}  // namespace vd::primitives
