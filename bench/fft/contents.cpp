#include "contents.h"

#include <cmath>

#include "reference.h"

namespace bench {
namespace {

// Below 1, so that a complex number of modulus 1 can have one as its real part.
constexpr double kMost = 0.999;

template <class Real>
std::vector<std::byte> scaled_bytes(std::vector<Real> values, double factor) {
  for (Real& v : values) v *= static_cast<Real>(factor);
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Contents::Contents(size_t reals) : singles(reals), doubles(reals / 2), filter(reals) {
  for (size_t i = 0; i < singles.size(); ++i) singles[i] = static_cast<float>(noise(i) * kMost);
  for (size_t i = 0; i < doubles.size(); ++i) doubles[i] = noise(i) * kMost;
  for (size_t i = 0; i + 1 < filter.size(); i += 2) {
    filter[i] = singles[i];
    filter[i + 1] = std::sqrt(1 - singles[i] * singles[i]);
  }
}

std::vector<std::byte> Contents::scaled(Precision precision, double factor) const {
  return precision == Precision::Double ? scaled_bytes(doubles, factor) : scaled_bytes(singles, factor);
}

}  // namespace bench
