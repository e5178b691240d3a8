// 128-bit hashes (XXH3) of bytes: names of cache entries and of equal kernels. Not against an attacker.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace vd {

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
  std::string hex() const;  // 32 digits, the high half first
};

// For unordered containers.
struct HashOfHash {
  size_t operator()(const Hash128& h) const noexcept { return static_cast<size_t>(h.low); }
};

Hash128 hash_text(std::string_view text) noexcept;

// A hash of several parts. Each text or block is preceded by its length, so that ("ab", "c") is not ("a", "bc").
class Hasher {
 public:
  Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  ~Hasher();

  Hasher& add(std::string_view text);
  Hasher& add(std::span<const std::byte> bytes);
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  Hasher& add(T value) {
    return raw(&value, sizeof(value));
  }
  Hasher& add(const Hash128& hash) { return add(hash.low).add(hash.high); }
  Hash128 finish() const noexcept;

 private:
  Hasher& raw(const void* data, size_t size) noexcept;
  void* state_;
};

}  // namespace vd
