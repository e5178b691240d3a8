// The numbers that the arrays hold, as many as most cases have. Longer arrays go on with the first of them again.
// Arrays of equal parts would not do: a stage that adds these parts makes zeros without any error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cases.h"

namespace bench {

struct Contents {
  explicit Contents(size_t reals);

  std::span<const std::byte> data(Precision precision) const {
    return precision == Precision::Double ? std::as_bytes(std::span(doubles)) : std::as_bytes(std::span(singles));
  }
  // The data multiplied by `factor`.
  std::vector<std::byte> scaled(Precision precision, double factor) const;

  std::vector<float> singles;
  std::vector<double> doubles;  // of as many bytes
  std::vector<float> filter;    // complex numbers of modulus 1, so that repeated products keep their size
};

}  // namespace bench
