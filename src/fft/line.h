// The work along lines of any length, before it is known which passes do it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fft/phases/multiply.h"
#include "fft/phases/read.h"
#include "fft/phases/write.h"
#include "fft/spectrum_order.h"

namespace vd::fft {

struct Line {
  std::string name = "fft";
  uint64_t n = 1;
  uint32_t rows = 0;        // as a pass's: lines are planes of two axes, n numbers in all
  bool axes_apart = false;  // a pass along each of them
  int sign = -1;            // of the exponent
  ir::Scalar compute = ir::Scalar::F32;
  std::vector<Batch> batches;
  Reading read;
  // Between the transform and one back, if there is one.
  std::variant<std::monostate, KnownFilter, Filters> product;
  // Each result times the filters, as it is written.
  std::optional<Filters> on_write;
  Writing write;
  // Half a spectrum of n + 1 numbers, of packed real lines, is what is read, or written.
  bool reads_half = false, writes_half = false;
  uint32_t first_copy = 0;             // number that maps get for the first filter
  std::optional<SpectrumOrder> order;  // of the spectrum, if it is not natural

  bool goes_back() const { return product.index() != 0; }
  // The copies of the results that registers hold, one after the other.
  uint32_t copies() const {
    const Filters* filters = std::get_if<Filters>(&product);
    return filters != nullptr ? filters->count : 1;
  }
};

// All of it in one pass, if its length is one that a pass takes.
PassDesc one_pass(const Line& line);

}  // namespace vd::fft
