// A reduction's descriptor with its defaults filled in and its dimensions joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/type.h"

namespace vd::primitives {

struct Dim {
  uint64_t count = 1, stride = 1;  // in elements
  uint64_t out_stride = 1;         // in results, of a dimension that stays
};

struct Reduction {
  std::string name;
  ir::Type in = ir::kF32, type = ir::kF32, out = ir::kF32;  // elements, combined values, results
  vd_op combine = VD_OP_NONE;                               // none: the caller's function
  vd_op subgroup = VD_OP_NONE;                              // the same over a subgroup, if there is one
  std::vector<std::byte> identity;                          // of `type`
  bool mapped = false;                                      // the caller writes the code of an element
  std::vector<Dim> kept, reduced;                           // the nearest first
  uint64_t offset = 0, out_offset = 0;

  uint64_t outputs() const { return product(kept); }
  uint64_t count() const { return product(reduced); }  // elements of a result
  uint64_t reach() const;                              // largest address, plus one; saturates
  uint64_t out_reach() const;                          // the same of the results
  bool packed_out() const;                             // whether result i is element i of the output

 private:
  static uint64_t product(const std::vector<Dim>& dims);
};

// Throws for invalid or unsupported descriptors.
Reduction read_reduction(const vd_reduce_desc& desc);

}  // namespace vd::primitives
