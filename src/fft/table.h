// The constants of a plan's passes that are too many for literals: roots of unity for the stages, for the four-step
// pass, and chirps. Computed in double precision and rounded once to the compute type; one buffer holds them. Of a long
// chirp it has the place alone: the device computes it there (device_chirp.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/hash.h"
#include "fft/complex_writer.h"
#include "fft/root.h"
#include "ir/type.h"

namespace vd::fft {

// Constants that the device computes: from element `first` on the spectrum, over `padded` elements, of the filter of a
// chirp, divided by that many; then the chirp, exp(-pi i k^2 / n) for k below n.
struct DeviceChirp {
  uint64_t first = 0, n = 0, padded = 0;
  uint64_t count() const { return padded + n; }
};

struct Constants {
  struct Part {
    uint64_t offset = 0;  // in bytes
    std::vector<std::byte> bytes;
  };
  ir::Scalar scalar = ir::Scalar::F32;
  uint64_t size = 0;  // of all, in bytes
  std::vector<Part> parts;
  std::vector<DeviceChirp> chirps;
};

class Table {
 public:
  // First element of `count` values that `value` computes once they are needed; equal keys are stored once.
  uint64_t add(const std::string& key, uint64_t count, const std::function<Root(uint64_t)>& value);
  // Elements a stage loads: conj(root(j * power, radix * span)) at power_index * span + j. Which powers:
  // stage_powers().
  uint64_t add_stage(uint32_t radix, uint32_t span, ir::Scalar compute);
  // The place of a chirp's.
  DeviceChirp add_chirp(uint64_t n, uint64_t padded);

  bool empty() const { return size_ == 0; }
  // The state before what a plan adds that is then dropped.
  struct Mark {
    size_t parts = 0, chirps = 0;
    uint64_t size = 0;
  };
  Mark mark() const { return {parts_.size(), chirps_.size(), size_}; }
  void rewind(const Mark& mark);
  // Adds the kinds of its constants, and their places.
  void add_to(Hasher& hasher) const;
  // As complex numbers of `scalar`.
  Constants constants(ir::Scalar scalar) const;

 private:
  struct Part {
    uint64_t first = 0, count = 0;
    std::function<Root(uint64_t)> value;
  };
  uint64_t size_ = 0;
  std::vector<Part> parts_;
  std::vector<DeviceChirp> chirps_;
  std::map<std::string, uint64_t> known_;
};

// Element `first` + `at` of the buffer of constants.
Complex load_constant(ComplexWriter& c, Value constants, Value at, uint64_t first);

// The powers of a stage's root that are loaded; products of at most four of them give the others. In double precision all
// powers of two are: a transform of 512 has two thirds of the error then, since a square has twice that of its number.
std::vector<uint32_t> stage_powers(uint32_t radix, ir::Scalar compute);

}  // namespace vd::fft
