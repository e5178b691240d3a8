// The constants of a plan's passes that are too many for literals: roots of unity for the stages, for the four-step
// pass, and chirps. Computed in double precision and rounded once to the compute type; one buffer holds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fft/root.h"
#include "ir/type.h"

namespace vd::fft {

class Table {
 public:
  // First element of `count` values that `value` computes; equal keys are stored once.
  uint32_t add(const std::string& key, uint64_t count, const std::function<Root(uint64_t)>& value);
  // Elements a stage loads: conj(root(j * power, radix * span)) at power_index * span + j. Which powers:
  // stage_powers().
  uint32_t add_stage(uint32_t radix, uint32_t span);

  bool empty() const { return values_.empty(); }
  size_t size() const { return values_.size(); }
  // As complex numbers of `scalar`.
  std::vector<std::byte> bytes(ir::Scalar scalar) const;

 private:
  std::vector<Root> values_;
  std::map<std::string, uint32_t> known_;
};

// The powers of a stage's root that are loaded; products of at most four of them give the others.
std::vector<uint32_t> stage_powers(uint32_t radix);

}  // namespace vd::fft
