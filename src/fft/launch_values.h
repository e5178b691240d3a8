// Numbers of a pass that its kernel gets with each launch: the count of its lines, and where they lie in their buffers.
// Passes that differ in these alone have the same kernel. What the kernel does know of them is whether the lines fill
// all workgroups, whether they begin with their buffer and lie without gaps, and which numbers need 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fft/complex_writer.h"
#include "fft/layout.h"
#include "ir/kernel.h"

namespace vd::fft {

struct PlannedPass;

struct LaunchNumber {
  enum class What : uint8_t {
    LastLine,
    LastWorkgroup,
    WorkgroupsOfRow,
    WorkgroupsOfPlane,
    Bundles,
    Offset,
    Stride,
    Copy
  };
  What what;
  uint32_t access = 0;  // Offset, Stride, Copy: of which of the pass's lines (pass.h)
  uint32_t pass = 0;    // of the two of a dispatch
  friend bool operator==(const LaunchNumber&, const LaunchNumber&) = default;
};

uint64_t value_of(const LaunchNumber& number, const PassDesc& desc, const Layout& layout);
// Numbers of one buffer that are equal are one, so that a line in place has one address: the first of them.
LaunchNumber first_equal(const LaunchNumber& number, const PassDesc& desc);
// Whether the address of an access's lines begins with an offset, or takes its stride, from the launch, or that of the
// next of several arrays.
bool takes_offset(const Access& access);
bool takes_copy(const Access& access);
bool takes_stride(const PassDesc& desc, const Layout& layout, const Access& access);
// Whether its addresses have 64 bits. Indices that maps see have 32 if these suffice.
bool is_wide(const PassDesc& desc, const Layout& layout, const Access& access);

// Declares what a kernel's code asks for, as arguments behind its others.
class LaunchValues {
 public:
  LaunchValues(ComplexWriter& c, const PassDesc& desc, const Layout& layout, uint32_t pass = 0)
      : c_(c), desc_(desc), layout_(layout), pass_(pass) {}

  // It has 32 bits if these suffice.
  Value get(const LaunchNumber& number);
  Value get(LaunchNumber::What what) { return get(LaunchNumber{what}); }
  const std::vector<LaunchNumber>& all() const { return all_; }

 private:
  ComplexWriter& c_;
  const PassDesc& desc_;
  const Layout& layout_;
  const uint32_t pass_;
  std::vector<LaunchNumber> all_;
  std::vector<Value> values_;
};

// Places of such numbers in a launch's block of values: behind the values that a caller's maps declared.
struct LaunchBlock {
  struct Place {
    LaunchNumber number;
    uint32_t offset = 0, size = 0;  // in bytes, in the block of values
  };
  std::vector<Place> places;
  uint32_t given = 0;  // bytes of the values before them
};
LaunchBlock launch_block(const ir::Kernel& kernel, const std::vector<LaunchNumber>& numbers);

// The bytes that a launch of the kernel ends its values with.
std::vector<std::byte> launch_bytes(const LaunchBlock& block, std::span<const PlannedPass> passes);

}  // namespace vd::fft
