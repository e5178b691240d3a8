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
    parts_.push_back({size_, count, value});
    size_ += count;
  }
  return found->second;
}

void Table::rewind(const Mark& mark) {
  parts_.resize(mark.parts);
  chirps_.resize(mark.chirps);
  size_ = mark.size;
  std::erase_if(known_, [&](const auto& known) { return known.second >= mark.size; });
}

void Table::add_to(Hasher& hasher) const {
  hasher.add(size_).add(known_.size());
  for (const auto& [key, first] : known_) hasher.add(key).add(first);
  for (const DeviceChirp& chirp : chirps_) hasher.add(chirp.first).add(chirp.n).add(chirp.padded);
}

uint64_t Table::add_stage(uint32_t radix, uint32_t span, ir::Scalar compute) {
  const std::vector<uint32_t> powers = stage_powers(radix, compute);
  return add(fmt::format("stage {} {}", radix, span), powers.size() * span, [powers, radix, span](uint64_t i) {
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
    const uint64_t first = part.first * 2 * size;
    if (all.parts.empty() || all.parts.back().offset + all.parts.back().bytes.size() != first)
      all.parts.push_back({first, {}});
    std::vector<std::byte>& bytes = all.parts.back().bytes;
    const size_t before = bytes.size();
    bytes.resize(before + part.count * 2 * size);
    std::byte* to = bytes.data() + before;
    for (uint64_t i = 0; i < part.count; ++i) {
      const Root value = part.value(i);
      for (const double number : {value.re, value.im}) {
        const uint64_t bits = ir::scalar_bits_of(scalar, number);
        std::memcpy(to, &bits, size);  // little endian
        to += size;
      }
    }
  }
  return all;
}

Complex load_constant(ComplexWriter& c, Value constants, Value at, uint64_t first) {
  if (first >= kWide) at = c.widen(at, ir::kU64);
  return c.split(c.load(c.at(constants, c.offset(at, first))));
}

std::vector<uint32_t> stage_powers(uint32_t radix, ir::Scalar compute) {
  if (compute == ir::Scalar::F64) {
    std::vector<uint32_t> powers{1};
    while (powers.back() * 2 < radix) powers.push_back(powers.back() * 2);
    return powers;
  }
  if (radix <= 8) return {1};
  if (radix <= 16) return {1, 4};
  return {1, 4, 16};
}

}  // namespace vd::fft
