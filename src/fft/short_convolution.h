// Convolutions of a few numbers with known ones, by few products. They are symmetric forms, y[k] = sum over j of h[k +
// j] x[j], for which an algorithm of the kind "sums, products with constants, the same sums transposed" needs no
// division and no inverse of the sums (S. Winograd, "On computing the discrete Fourier transform", 1978). Two numbers
// take 3 products (A. Karatsuba, 1962) instead of 4; cyclic ones of 2, 3 and 5 take 2, 4 and 10 (R. Agarwal, J. Cooley,
// 1977); nested in each other their product.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fft/complex_writer.h"

namespace vd::fft {

using Numbers = std::vector<Complex>;
Numbers add(ComplexWriter& c, const Numbers& a, const Numbers& b);
Numbers sub(ComplexWriter& c, const Numbers& a, const Numbers& b);

// Along one dimension of x and h, of which the first varies slowest.
struct ConvolutionAxis {
  uint32_t count;  // of x: 1, 2, 3 or 5 if cyclic, else 1 or 2 or 4
  bool cyclic;     // h has as many numbers, and h[k + j] goes round; else 2 * count - 1
  uint32_t known() const { return cyclic ? count : 2 * count - 1; }
};

// Multiplies the representation of one number (itself, or a nested transform) by a known constant.
using Product = std::function<Numbers(const Numbers& x, double h)>;
inline Product plain_product(ComplexWriter& c) {
  return [&c](const Numbers& x, double h) { return Numbers{c.scale(x.front(), h)}; };
}

// x has the representations of its numbers one after the other. In a cyclic convolution the sum of all x has a product
// of its own, with the mean of h, which is part of every result: `total` gives that part.
Numbers convolve(ComplexWriter& c, std::span<const ConvolutionAxis> axes, const Numbers& x,
                 const std::vector<long double>& h, const Product& product, const Product& total);

}  // namespace vd::fft
