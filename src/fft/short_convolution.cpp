#include "fft/short_convolution.h"

namespace vd::fft {
namespace {

using Known = std::vector<long double>;

template <class T>
std::vector<std::vector<T>> split(const std::vector<T>& all, size_t parts) {
  const size_t size = all.size() / parts;
  std::vector<std::vector<T>> split;
  for (size_t i = 0; i < parts; ++i) split.emplace_back(all.begin() + i * size, all.begin() + (i + 1) * size);
  return split;
}

template <class T>
std::vector<T> join(const std::vector<std::vector<T>>& parts) {
  std::vector<T> all;
  for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// a * fa + b * fb.
Known mix(const Known& a, long double fa, const Known& b, long double fb) {
  Known sum(a.size());
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = a[i] * fa + b[i] * fb;
  return sum;
}

class Convolution {
 public:
  Convolution(ComplexWriter& c, const Product& product) : c_(c), product_(product) {}

  Numbers run(std::span<const ConvolutionAxis> axes, const Numbers& x, const Known& h, const Product& total) {
    if (axes.empty()) return total(x, static_cast<double>(h.front()));
    const ConvolutionAxis& axis = axes.front();
    const std::span rest = axes.subspan(1);
    if (axis.count == 1) return run(rest, x, h, total);
    const std::vector<Numbers> parts = split(x, axis.count);
    const std::vector<Known> known = split(h, axis.known());
    if (!axis.cyclic) return join(halves(rest, parts, known));
    return join(axis.count == 2 ? two(rest, parts, known, total) : odd(rest, parts, known, total));
  }

 private:
  Numbers run(std::span<const ConvolutionAxis> axes, const Numbers& x, const Known& h) {
    return run(axes, x, h, product_);
  }

  // Not cyclic: of the two halves' transforms, and of their difference.
  std::vector<Numbers> halves(std::span<const ConvolutionAxis> rest, const std::vector<Numbers>& x,
                              const std::vector<Known>& h) {
    const size_t n = x.size(), half = n / 2;
    if (n == 1) return {run(rest, x[0], h[0])};
    std::vector<Numbers> low, high, across;
    std::vector<Known> of_low, of_high, of_across;
    for (size_t i = 0; i < half; ++i) {
      low.push_back(x[i]);
      high.push_back(x[i + half]);
      across.push_back(sub(c_, x[i], x[i + half]));
    }
    for (size_t i = 0; i < n - 1; ++i) {
      of_low.push_back(mix(h[i], 1, h[i + half], 1));
      of_high.push_back(mix(h[i + half], 1, h[i + n], 1));
      of_across.push_back(mix(h[i + half], -1, h[i + half], 0));
    }
    const std::vector<Numbers> a = halves(rest, low, of_low), b = halves(rest, high, of_high),
                               d = halves(rest, across, of_across);
    std::vector<Numbers> y(n);
    for (size_t i = 0; i < half; ++i) {
      y[i] = add(c_, a[i], d[i]);
      y[i + half] = sub(c_, b[i], d[i]);
    }
    return y;
  }

  std::vector<Numbers> two(std::span<const ConvolutionAxis> rest, const std::vector<Numbers>& x,
                           const std::vector<Known>& h, const Product& total) {
    const Numbers even = run(rest, add(c_, x[0], x[1]), mix(h[0], 0.5L, h[1], 0.5L), total);
    const Numbers odd = run(rest, sub(c_, x[0], x[1]), mix(h[0], 0.5L, h[1], -0.5L));
    return {add(c_, even, odd), sub(c_, even, odd)};
  }

  // The sum by the mean, and the rest, where h without its mean adds up to 0: so the last x can be subtracted from the
  // others.
  std::vector<Numbers> odd(std::span<const ConvolutionAxis> rest, const std::vector<Numbers>& x,
                           const std::vector<Known>& h, const Product& total) {
    const size_t n = x.size();
    Numbers sum = x[0];
    Known mean = h[0];
    for (size_t i = 1; i < n; ++i) {
      sum = add(c_, sum, x[i]);
      mean = mix(mean, 1, h[i], 1);
    }
    mean = mix(mean, 1.0L / static_cast<long double>(n), mean, 0);
    const Numbers middle = run(rest, sum, mean, total);
    std::vector<Known> g;
    for (size_t i = 0; i < 2 * n; ++i) g.push_back(mix(h[i % n], 1, mean, -1));
    std::vector<Numbers> y(n, middle);
    if (n == 3) {  // each product in two results, which contracts better than the general form
      const auto pair = [&](size_t i, size_t k) {
        const Numbers part = run(rest, sub(c_, x[i], x[k]), g[i + k]);
        y[k] = add(c_, y[k], part);
        y[i] = sub(c_, y[i], part);
      };
      pair(0, 2);
      pair(1, 2);
      pair(0, 1);
      return y;
    }
    std::vector<Numbers> others;
    for (size_t i = 0; i + 1 < n; ++i) others.push_back(sub(c_, x[i], x[n - 1]));
    g.resize(2 * n - 3);
    const std::vector<Numbers> parts = halves(rest, others, g);
    for (size_t i = 0; i + 1 < n; ++i) {
      y[i] = add(c_, middle, parts[i]);
      y[n - 1] = sub(c_, y[n - 1], parts[i]);
    }
    return y;
  }

  ComplexWriter& c_;
  const Product& product_;
};

}  // namespace

Numbers add(ComplexWriter& c, const Numbers& a, const Numbers& b) {
  Numbers sum;
  for (size_t i = 0; i < a.size(); ++i) sum.push_back(c.add(a[i], b[i]));
  return sum;
}

Numbers sub(ComplexWriter& c, const Numbers& a, const Numbers& b) {
  Numbers difference;
  for (size_t i = 0; i < a.size(); ++i) difference.push_back(c.sub(a[i], b[i]));
  return difference;
}

Numbers convolve(ComplexWriter& c, std::span<const ConvolutionAxis> axes, const Numbers& x,
                 const std::vector<long double>& h, const Product& product, const Product& total) {
  return Convolution(c, product).run(axes, x, h, total);
}

}  // namespace vd::fft
