// The source of the engine's twiddles, which are too many for literals.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fft/complex_writer.h"
#include "fft/table.h"

namespace vd::fft {

class Roots {
 public:
  virtual ~Roots() = default;
  // conj(root(j * power, radix * span)) for each of stage_powers(), where j is below the span.
  virtual std::vector<Complex> stage(ComplexWriter& c, uint32_t radix, uint32_t span, Value j) = 0;
  // Element `at` of `count` others that `value` computes; equal keys are the same.
  virtual Complex element(ComplexWriter& c, const std::string& key, uint32_t count,
                          const std::function<Root(uint64_t)>& value, Value at) = 0;
};

// In a buffer that is bound behind the kernel's other arguments.
class TableRoots final : public Roots {
 public:
  TableRoots(Table& table, Value buffer) : table_(table), buffer_(buffer) {}
  std::vector<Complex> stage(ComplexWriter& c, uint32_t radix, uint32_t span, Value j) override;
  Complex element(ComplexWriter& c, const std::string& key, uint32_t count, const std::function<Root(uint64_t)>& value,
                  Value at) override;

 private:
  Table& table_;
  const Value buffer_;
};

// Without a table: computed, in single precision and half, since a constant at an index that differs between
// invocations is read once for each invocation. In double precision constants: a short array, or two whose elements'
// products the others are.
class OwnRoots final : public Roots {
 public:
  std::vector<Complex> stage(ComplexWriter& c, uint32_t radix, uint32_t span, Value j) override;
  Complex element(ComplexWriter& c, const std::string& key, uint32_t count, const std::function<Root(uint64_t)>& value,
                  Value at) override;
};

}  // namespace vd::fft
