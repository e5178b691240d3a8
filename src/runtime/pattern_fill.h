// Fills with patterns of 1 to 16 bytes. Devices fill with words of 32 bits; any other pattern is sent once, and doubled
// by copies within the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/buffer.h"

namespace vd::runtime {

class Pattern {
 public:
  static constexpr uint32_t kMostBytes = 16;

  // Throws VD_ERR_INVALID for a size that is not 1 to 16.
  explicit Pattern(std::span<const std::byte> bytes);

  uint32_t given_size() const { return given_size_; }
  // The word that repeats it, if one does.
  std::optional<uint32_t> word() const;
  // At least one repeat, and no more than `most` bytes where that is enough.
  std::vector<std::byte> repeated(uint64_t most) const;

 private:
  uint32_t given_size_;
  std::vector<std::byte> bytes_;  // of the least period
};

// Throws unless the buffer may be filled so. Gives the word to fill with, where one does it.
std::optional<uint32_t> check_fill(const vd_buffer& buffer, uint64_t offset, uint64_t size, const Pattern& pattern);

vd_ticket fill(vd_buffer& buffer, uint64_t offset, uint64_t size, const Pattern& pattern, uint32_t queue,
               const Waits& waits);

}  // namespace vd::runtime
