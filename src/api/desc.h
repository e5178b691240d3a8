// Structs across the boundary: descriptors come in by the rule of the Linux kernel's copy_struct_from_user, reports go
// out as far as the caller's struct reaches. Nobody else looks at a caller's struct.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/error.h"

namespace vd::api {

// More than this is a struct that nobody initialised.
inline constexpr uint32_t kMaxStructSize = 4096;

// Bytes of a struct's first released form, which is the least that a caller may give. Specialised when a struct grows.
template <class T>
inline constexpr uint32_t kFirstSize = sizeof(T);

// Throws unless `size` bytes at `data` can be read as a struct of `known` bytes; `first` of them were always there.
void check_struct(const void* data, uint32_t size, uint32_t first, uint32_t known, const char* name);

// A copy of the caller's descriptor, in which what the caller does not know is zero.
template <class T>
T read_desc(const T* desc, const char* name) {
  if (desc == nullptr) fail(VD_ERR_INVALID, "{} is NULL", name);
  uint32_t size;
  std::memcpy(&size, desc, sizeof(size));
  check_struct(desc, size, kFirstSize<T>, sizeof(T), name);
  T copy{};
  std::memcpy(static_cast<void*>(&copy), desc, std::min<size_t>(size, sizeof(T)));
  copy.struct_size = sizeof(T);
  return copy;
}

// Bytes between the descriptors of an array, which are all as large as the first one says.
template <class T>
uint32_t read_desc_stride(const T* descs, const char* name) {
  const uint32_t size = descs->struct_size;
  check_struct(descs, size, kFirstSize<T>, sizeof(T), name);
  if (size % alignof(T) != 0)
    fail(VD_ERR_INVALID, "{}->struct_size ({}) is not a multiple of {}", name, size, alignof(T));
  return size;
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
  uint32_t size;
  std::memcpy(&size, out_info, sizeof(size));
  if (size < kFirstSize<T> || size > kMaxStructSize) {
    fail(VD_ERR_INVALID, "{}->struct_size ({}) is not between {} and {}; set it with the _INIT macro", name, size,
         kFirstSize<T>, kMaxStructSize);
  }
  auto* bytes = reinterpret_cast<unsigned char*>(out_info);
  const size_t copied = std::min<size_t>(size, sizeof(T));
  std::memcpy(bytes + sizeof(size), reinterpret_cast<const unsigned char*>(&info) + sizeof(size),
              copied - sizeof(size));
  std::memset(bytes + copied, 0, size - copied);
}

}  // namespace vd::api
