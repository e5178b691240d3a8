// The measured transforms: their shapes and bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

enum class Kind {
  Lines,
  ThereAndBack,
  Strided,
  Plane,
  Cube,
  Convolve,
  ConvolvePlane,
  Real,
  RealThereAndBack,
  RealPlane
};

enum class Precision { Single, Double };

struct Case {
  std::string row, name;
  Kind kind = Kind::Lines;
  uint64_t n = 0, count = 0;  // length; lines, planes of n * n, or cubes
  bool shared_kernel = false;
  double traffic = 2;    // arrays read and written at least, in units of the array
  bool block = false;    // in a kernel of a user's
  bool any = false;      // the spectrum lies in any order
  bool scaled = false;   // a convolution whose kernel is the one number kScale
  uint64_t columns = 0;  // of Strided, side by side. 0: n
  Precision precision = Precision::Single;
  static constexpr float kScale = 0.75f;
  bool real() const { return kind == Kind::Real || kind == Kind::RealThereAndBack || kind == Kind::RealPlane; }
  uint64_t inner() const { return columns != 0 ? columns : n; }
  bool goes_back() const { return kind == Kind::RealThereAndBack || kind == Kind::ThereAndBack; }
  bool convolves() const { return kind == Kind::Convolve || kind == Kind::ConvolvePlane; }
  double transforms() const { return goes_back() ? 2 : 1; }
  uint64_t complexes() const {
    if (kind == Kind::RealPlane) return count * n * (n / 2 + 1);
    if (kind == Kind::Cube) return count * n * n * n;
    if (real()) return count * (n / 2 + 1);
    if (kind == Kind::Strided) return n * inner() * count;
    const bool lines = kind == Kind::Lines || kind == Kind::ThereAndBack || kind == Kind::Convolve;
    return lines ? n * count : n * n * count;
  }
  bool is_double() const { return precision == Precision::Double; }
  uint64_t number_bytes() const { return is_double() ? 16 : 8; }
  uint64_t bytes() const { return complexes() * number_bytes(); }
  // The largest relative error of a result that counts as right.
  double tolerance() const { return is_double() ? 4e-15 : 2e-6; }
};

// The cases of the table, of lines of lengths that the seed draws (lengths.h), and further ones with lines of the given
// lengths, and with planes of such: those of which the array of `total` complex64 numbers holds one at least.
std::vector<Case> all_cases(uint64_t total, const std::vector<uint64_t>& lengths, const std::vector<uint64_t>& planes,
                            uint64_t seed);

}  // namespace bench
