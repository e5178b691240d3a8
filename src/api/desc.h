// Structs across the boundary: descriptors come in by the rule of the Linux kernel's copy_struct_from_user, and reports
// go out as far as the caller's struct reaches. No other file reads a caller's struct.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "api/first_sizes.h"
#include "core/error.h"

namespace vd::api {

// A larger size means a struct that was never initialised.
inline constexpr uint32_t kMaxStructSize = 4096;

// Bytes of a struct in its first release: the least that a caller may give.
template <class T>
constexpr uint32_t first_size() {
  static_assert(kFirstSize<T> >= sizeof(uint32_t) && kFirstSize<T> <= sizeof(T), "run bindings/generator/generate.py");
  return kFirstSize<T>;
}

// Throws unless `size` bytes at `data` can be read as a struct of `known` bytes; `first` of them were always there.
void check_struct(const void* data, uint32_t size, uint32_t first, uint32_t known, const char* name);

// Throws VD_ERR_UNSUPPORTED unless a descriptor, whose size is followed by `unstable_version`, is of a program that was
// built for the unstable section of this library's header. An entry of that section checks it before anything else,
// since what such a program passes may have another layout.
void check_unstable_version(const void* desc, const char* name);

// The size that a caller's struct states.
inline uint32_t read_size(const void* data) {
  uint32_t size;
  std::memcpy(&size, data, sizeof(size));
  return size;
}

// A copy of the caller's descriptor; fields that the caller does not know are zero.
template <class T>
T read_desc(const T* desc, const char* name) {
  if (desc == nullptr) fail(VD_ERR_INVALID, "{} is NULL", name);
  const uint32_t size = read_size(desc);
  check_struct(desc, size, first_size<T>(), sizeof(T), name);
  T copy{};
  std::memcpy(static_cast<void*>(&copy), desc, std::min<size_t>(size, sizeof(T)));
  copy.struct_size = sizeof(T);
  return copy;
}

// The descriptors of an array. All are as large as the first one says, since the size gives the position of the next.
template <class T>
std::vector<T> read_descs(const T* descs, uint32_t count, const char* name) {
  std::vector<T> copies;
  if (count == 0) return copies;
  const std::string first = fmt::format("{}[0]", name);
  const uint32_t stride = read_size(descs);
  check_struct(descs, stride, first_size<T>(), sizeof(T), first.c_str());
  if (stride % alignof(T) != 0)
    fail(VD_ERR_INVALID, "{}.struct_size ({}) is not a multiple of {}", first, stride, alignof(T));
  copies.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const auto* desc = reinterpret_cast<const T*>(reinterpret_cast<const char*>(descs) + size_t{i} * stride);
    if (const uint32_t size = read_size(desc); size != stride)
      fail(VD_ERR_INVALID, "{}[{}].struct_size ({}) is not {}.struct_size ({})", name, i, size, first, stride);
    copies.push_back(read_desc(desc, fmt::format("{}[{}]", name, i).c_str()));
  }
  return copies;
}

// The same where NULL means the defaults.
template <class T>
T read_desc_or_default(const T* desc, const char* name) {
  if (desc != nullptr) return read_desc(desc, name);
  T copy{};
  copy.struct_size = sizeof(T);
  return copy;
}

// Gives as much of `info` as the caller's struct holds, and keeps its struct_size. A larger struct's tail is zeroed.
template <class T>
void write_info(const T& info, T* out_info, const char* name) {
  if (out_info == nullptr) fail(VD_ERR_INVALID, "{} is NULL", name);
  const uint32_t size = read_size(out_info);
  if (size < first_size<T>() || size > kMaxStructSize) {
    fail(VD_ERR_INVALID, "{}->struct_size ({}) is not between {} and {}; set it with the _INIT macro", name, size,
         first_size<T>(), kMaxStructSize);
  }
  auto* bytes = reinterpret_cast<unsigned char*>(out_info);
  const size_t copied = std::min<size_t>(size, sizeof(T));
  std::memcpy(bytes + sizeof(size), reinterpret_cast<const unsigned char*>(&info) + sizeof(size),
              copied - sizeof(size));
  std::memset(bytes + copied, 0, size - copied);
}

}  // namespace vd::api
