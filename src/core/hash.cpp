#include "core/hash.h"

#include <fmt/format.h>

#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace vd {
namespace {
Hash128 from(XXH128_hash_t h) noexcept { return {h.low64, h.high64}; }
XXH3_state_t* state_of(void* p) noexcept { return static_cast<XXH3_state_t*>(p); }
}  // namespace

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Hash128 hash_text(std::string_view text) noexcept { return from(XXH3_128bits(text.data(), text.size())); }

Hasher::Hasher() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_of(state_));
}
Hasher::~Hasher() { XXH3_freeState(state_of(state_)); }

Hasher& Hasher::raw(const void* data, size_t size) noexcept {
  if (size != 0) XXH3_128bits_update(state_of(state_), data, size);
  return *this;
}
Hasher& Hasher::add(std::string_view text) { return add(uint64_t{text.size()}).raw(text.data(), text.size()); }
Hasher& Hasher::add(std::span<const std::byte> bytes) {
  return add(uint64_t{bytes.size()}).raw(bytes.data(), bytes.size());
}
Hash128 Hasher::finish() const noexcept { return from(XXH3_128bits_digest(state_of(state_))); }

}  // namespace vd
