// Values one after the other in bytes, as entries of the disk cache have them: numbers as they are in memory, and texts
// behind their lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.h"

namespace vd {

template <class T>
concept PlainNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class ByteWriter {
 public:
  template <PlainNumber T>
  ByteWriter& add(T value) {
    return raw(&value, sizeof(value));
  }
  ByteWriter& add(std::span<const std::byte> bytes) {
    add(uint64_t{bytes.size()});
    return raw(bytes.data(), bytes.size());
  }
  ByteWriter& add(std::string_view text) { return add(std::as_bytes(std::span(text))); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  ByteWriter& raw(const void* data, size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
    return *this;
  }
  std::vector<std::byte> bytes_;
};

// Throws VD_ERR_INVALID where the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <PlainNumber T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  // Items of `each` bytes at least, so that a wrong number asks for no memory.
  size_t count(size_t each = 1) {
    const auto count = get<uint64_t>();
    if (count > left_.size() / each) fail(VD_ERR_INVALID, "{} items in {} bytes", count, left_.size());
    return static_cast<size_t>(count);
  }
  std::span<const std::byte> bytes() { return take(count()); }
  std::string text() {
    const std::span<const std::byte> all = bytes();
    return {reinterpret_cast<const char*>(all.data()), all.size()};
  }
  bool at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> take(size_t size) {
    if (size > left_.size()) fail(VD_ERR_INVALID, "{} bytes of {}", size, left_.size());
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  std::span<const std::byte> left_;
};

}  // namespace vd
