#include "sample.h"

#include <algorithm>
#include <thread>

namespace bench {
namespace {

using Line = std::vector<Exact>;

// The reference takes seconds for such a line: a comb of its spectrum suffices.
constexpr uint64_t kLongLine = uint64_t{1} << 22;
// Numbers of a comb.
constexpr uint64_t kFewestTeeth = 256, kMostTeeth = 4096;
// Numbers between two of a sample from which on each is read by itself.
constexpr uint64_t kFar = uint64_t{1} << 12;

template <class Real>
Exact at(const std::vector<Real>& block, uint64_t i) {
  return {block[2 * i % block.size()], block[(2 * i + 1) % block.size()]};
}

// Numbers of a sample as they were read.
template <class Real>
Line read_numbers(const Sample& sample, const Reader& read) {
  Line got(sample.want.size());
  if (sample.stride >= kFar) {
    for (size_t i = 0; i < got.size(); ++i) {
      std::complex<Real> one;
      read((sample.first + i * sample.stride) * sizeof(one), sizeof(one), &one);
      got[i] = Exact(one);
    }
    return got;
  }
  std::vector<std::complex<Real>> row((sample.want.size() - 1) * sample.stride + 1);
  read(sample.first * sizeof(row[0]), row.size() * sizeof(row[0]), row.data());
  for (size_t i = 0; i < got.size(); ++i) got[i] = Exact(row[i * sample.stride]);
  return got;
}

// The largest divisor of a length that a comb may have; 0 if there is none.
uint64_t teeth_of(uint64_t n) {
  for (uint64_t m = kMostTeeth; m >= kFewestTeeth; --m) {
    if (n % m == 0) return m;
  }
  return 0;
}

// The spectrum of a line at `first`, `first` + n / teeth and so on: a transform of as many sums, of numbers that lie
// `teeth` apart, each turned by what belongs to its place.
template <class Number>
Line comb(uint64_t n, uint64_t teeth, uint64_t first, const Number& number) {
  Line sums(teeth);
  const auto root = [&](uint64_t i) { return std::conj(exact_root(first * i % n, n)); };
  Line within(teeth);
  for (uint64_t i = 0; i < teeth; ++i) within[i] = root(i);
  for (uint64_t begin = 0; begin < n; begin += teeth) {
    const Exact turn = root(begin);
    for (uint64_t i = 0; i < teeth; ++i) sums[i] += product(product(number(begin + i), within[i]), turn);
  }
  return exact_dft(sums, -1);
}

// Both transforms of a plane, rows first, or columns first with the sign of an inverse.
void plane_dft(std::vector<Line>& rows, int sign) {
  for (Line& row : rows) row = exact_dft(row, sign);
  Line column(rows.size());
  for (size_t x = 0; x < rows.size(); ++x) {
    for (size_t y = 0; y < rows.size(); ++y) column[y] = rows[y][x];
    column = exact_dft(column, sign);
    for (size_t y = 0; y < rows.size(); ++y) rows[y][x] = column[y];
  }
}

}  // namespace

std::vector<Sample> make_samples(const Case& c, const Contents& contents) {
  const std::vector<float>&data = contents.singles, &kernel = contents.filter;
  std::vector<Sample> all;
  const uint64_t n = c.n, last = c.count - 1;
  switch (c.kind) {
    case Kind::ThereAndBack:
      for (const uint64_t line : {last, uint64_t{0}}) {
        Line x(n);
        for (uint64_t i = 0; i < n; ++i) x[i] = at(data, line * n + i);
        all.push_back({line * n, 1, x});
      }
      break;
    case Kind::Lines:
    case Kind::Convolve:
      if (const uint64_t teeth = n < kLongLine || c.kind == Kind::Convolve ? 0 : teeth_of(n); teeth != 0) {
        const auto number = [&](uint64_t i) {
          return c.is_double() ? at(contents.doubles, last * n + i) : at(data, last * n + i);
        };
        for (const uint64_t first : {uint64_t{1}, n / teeth / 3})
          all.push_back({last * n + first, n / teeth, comb(n, teeth, first, number)});
        break;
      }
      for (const uint64_t line : {last, uint64_t{0}, last / 2 + last / 5}) {
        if (n >= kLongLine && !all.empty()) break;
        Line x(n);
        for (uint64_t i = 0; i < n; ++i)
          x[i] = c.is_double() ? at(contents.doubles, line * n + i) : at(data, line * n + i);
        x = exact_dft(x, -1);
        if (c.kind == Kind::Convolve) {
          for (uint64_t i = 0; i < n; ++i)
            x[i] *= c.scaled ? Exact(Case::kScale) : at(kernel, c.shared_kernel ? i : line * n + i);
          x = exact_dft(x, 1);
          for (Exact& v : x) v /= static_cast<long double>(n);
        }
        all.push_back({line * n, 1, x});
      }
      break;
    case Kind::Strided:
      for (const uint64_t column : {c.inner() - 1, uint64_t{3}}) {
        const uint64_t first = last * n * c.inner() + column;
        Line x(n);
        for (uint64_t i = 0; i < n; ++i) x[i] = at(data, first + i * c.inner());
        all.push_back({first, c.inner(), exact_dft(x, -1)});
      }
      break;
    case Kind::Plane:
      // One column of the result: each row's number by its definition.
      for (const uint64_t column : {n - 1, uint64_t{5}}) {
        Line unit(n);
        unit[column] = 1;
        const Line roots = exact_dft(unit, -1);
        const uint64_t first = last * n * n;
        Line x(n);
        for (uint64_t y = 0; y < n; ++y) {
          for (uint64_t i = 0; i < n; ++i) x[y] += at(data, first + y * n + i) * roots[i];
        }
        all.push_back({first + column, n, exact_dft(x, -1)});
      }
      break;
    case Kind::Cube:
      // One line of the result along the first axis: each plane's number by its definition.
      for (const uint64_t place : {n - 2, uint64_t{3}}) {
        Line unit(n), x(n);
        unit[place] = 1;
        const Line roots = exact_dft(unit, -1);
        const uint64_t first = last * n * n * n;
        for (uint64_t z = 0; z < n; ++z) {
          for (uint64_t y = 0; y < n; ++y) {
            for (uint64_t i = 0; i < n; ++i) x[z] += at(data, first + (z * n + y) * n + i) * roots[y] * roots[i];
          }
        }
        all.push_back({first + place * n + place, n * n, exact_dft(x, -1)});
      }
      break;
    case Kind::ConvolvePlane: {
      std::vector<Line> rows(n, Line(n));
      const uint64_t first = last * n * n;
      for (uint64_t y = 0; y < n; ++y) {
        for (uint64_t x = 0; x < n; ++x) rows[y][x] = at(data, first + y * n + x);
      }
      plane_dft(rows, -1);
      for (uint64_t y = 0; y < n; ++y) {
        for (uint64_t x = 0; x < n; ++x) rows[y][x] *= at(kernel, y * n + x);
      }
      plane_dft(rows, 1);
      for (const uint64_t y : {n - 1, uint64_t{2}}) {
        for (Exact& v : rows[y]) v /= static_cast<long double>(n * n);
        all.push_back({first + y * n, 1, rows[y]});
      }
      break;
    }
    case Kind::RealThereAndBack:
      for (const uint64_t line : {last, uint64_t{0}}) {
        Line x(n / 2);
        for (uint64_t i = 0; i < n / 2; ++i) x[i] = at(data, line * (n / 2 + 1) + i);
        all.push_back({line * (n / 2 + 1), 1, x});
      }
      break;
    case Kind::RealPlane:
      for (const uint64_t column : {n / 2, uint64_t{5}}) {
        Line unit(n);
        unit[column] = 1;
        const Line roots = exact_dft(unit, -1);
        const uint64_t width = n / 2 + 1, first = last * n * width;
        Line x(n);
        for (uint64_t y = 0; y < n; ++y) {
          for (uint64_t i = 0; i < n; ++i) x[y] += Exact(data[(2 * (first + y * width) + i) % data.size()]) * roots[i];
        }
        all.push_back({first + column, width, exact_dft(x, -1)});
      }
      break;
    case Kind::Real:
      for (const uint64_t line : {last, uint64_t{0}}) {
        Line x(n);
        for (uint64_t i = 0; i < n; ++i) x[i] = data[(line * 2 * (n / 2 + 1) + i) % data.size()];
        x = exact_dft(x, -1);
        x.resize(n / 2 + 1);
        all.push_back({line * (n / 2 + 1), 1, x});
      }
      break;
  }
  return all;
}

SamplesAhead::SamplesAhead(const std::vector<Case>& cases, const Contents& contents)
    : cases_(cases), contents_(contents) {
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) begin_next();
}

void SamplesAhead::begin_next() {
  if (begun_ == cases_.size()) return;
  ahead_.push_back(std::async(std::launch::async, make_samples, std::cref(cases_[begun_++]), std::cref(contents_)));
}

std::vector<Sample> SamplesAhead::next() {
  begin_next();
  std::future<std::vector<Sample>> first = std::move(ahead_.front());
  ahead_.pop_front();
  return first.get();
}

double worst(const std::vector<Sample>& samples, size_t count, Precision precision, long double scale,
             const Reader& read) {
  double most = 0;
  for (size_t s = 0; s < std::min(count, samples.size()); ++s) {
    const Sample& sample = samples[s];
    Line got = precision == Precision::Double ? read_numbers<double>(sample, read) : read_numbers<float>(sample, read);
    for (Exact& v : got) v /= scale;
    most = std::max(most, distance(got, sample.want));
  }
  return most;
}

}  // namespace bench
