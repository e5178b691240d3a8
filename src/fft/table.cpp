#include "fft/table.h"

#include <fmt/format.h>

#include <cstring>

#include "ir/emitter.h"

namespace vd::fft {
namespace {

// The first element whose number may not fit 32 bits, with as many of its kind behind it.
constexpr uint64_t kWide = uint64_t{1} << 31;

}  // namespace

uint64_t Table::add(const std::string& key, uint64_t count, const std::function<Root(uint64_t)>& value) {
  const auto [found, added] = known_.try_emplace(key, size_);
  if (added) {
    if (parts_.empty() || parts_.back().first + parts_.back().values.size() != size_) parts_.push_back({size_, {}});
    for (uint64_t i = 0; i < count; ++i) parts_.back().values.push_back(value(i));
    size_ += count;
  }
  return found->second;
}

uint64_t Table::add_stage(uint32_t radix, uint32_t span) {
  const std::vector<uint32_t> powers = stage_powers(radix);
  return add(fmt::format("stage {} {}", radix, span), powers.size() * span, [&](uint64_t i) {
    const Root w = root(i % span * powers[i / span], uint64_t{radix} * span);
    return Root{w.re, -w.im};
  });
}

DeviceChirp Table::add_chirp(uint64_t n, uint64_t padded) {
  for (const DeviceChirp& chirp : chirps_)
    if (chirp.n == n && chirp.padded == padded) return chirp;
  chirps_.push_back({size_, n, padded});
  size_ += chirps_.back().count();
  return chirps_.back();
}

Constants Table::constants(ir::Scalar scalar) const {
  const uint32_t size = ir::scalar_size(scalar);
  Constants all{scalar, size_ * 2 * size, {}, chirps_};
  for (const Part& part : parts_) {
    std::vector<std::byte> bytes(part.values.size() * 2 * size);
    std::byte* to = bytes.data();
    for (const Root& value : part.values) {
      for (const double number : {value.re, value.im}) {
        const uint64_t bits = ir::scalar_bits_of(scalar, number);
        std::memcpy(to, &bits, size);  // little endian
        to += size;
      }
    }
    all.parts.push_back({part.first * 2 * size, std::move(bytes)});
  }
  return all;
}

Complex load_constant(ComplexWriter& c, Value constants, Value at, uint64_t first) {
  if (first >= kWide) at = c.widen(at, ir::kU64);
  return c.split(c.load(c.at(constants, c.offset(at, first))));
}

std::vector<uint32_t> stage_powers(uint32_t radix) {
  if (radix <= 8) return {1};
  if (radix <= 16) return {1, 4};
  return {1, 4, 16};
}

}  // namespace vd::fft
