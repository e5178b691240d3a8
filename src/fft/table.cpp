#include "fft/table.h"

#include <fmt/format.h>

#include <cstring>

#include "core/error.h"
#include "ir/emitter.h"

namespace vd::fft {
namespace {

// Kernels count them in 32 bits.
constexpr uint64_t kMostValues = uint64_t{1} << 32;

}  // namespace

uint32_t Table::add(const std::string& key, uint64_t count, const std::function<Root(uint64_t)>& value) {
  const auto [found, added] = known_.try_emplace(key, static_cast<uint32_t>(values_.size()));
  if (added) {
    if (count > kMostValues - values_.size())
      fail(VD_ERR_UNSUPPORTED, "the constants of a transform ({} and {} more) are more than 2^32.", values_.size(),
           count);
    for (uint64_t i = 0; i < count; ++i) values_.push_back(value(i));
  }
  return found->second;
}

uint32_t Table::add_stage(uint32_t radix, uint32_t span) {
  const std::vector<uint32_t> powers = stage_powers(radix);
  return add(fmt::format("stage {} {}", radix, span), powers.size() * span, [&](uint64_t i) {
    const Root w = root(i % span * powers[i / span], uint64_t{radix} * span);
    return Root{w.re, -w.im};
  });
}

std::vector<std::byte> Table::bytes(ir::Scalar scalar) const {
  const uint32_t size = ir::scalar_size(scalar);
  std::vector<std::byte> out(values_.size() * 2 * size);
  std::byte* to = out.data();
  for (const Root& value : values_) {
    for (const double part : {value.re, value.im}) {
      const uint64_t bits = ir::scalar_bits_of(scalar, part);
      std::memcpy(to, &bits, size);  // little endian
      to += size;
    }
  }
  return out;
}

std::vector<uint32_t> stage_powers(uint32_t radix) {
  if (radix <= 8) return {1};
  if (radix <= 16) return {1, 4};
  return {1, 4, 16};
}

}  // namespace vd::fft
