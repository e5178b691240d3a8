// Around every entry point that can fail: the only place where an exception becomes a status and a message.
#pragma once

#include <exception>

#include "core/error.h"
#include "vkdispatch.h"

namespace vd::api {

// Keeps "function: message" for vd_last_error() and returns the status. Called in a catch block.
vd_status translate_current_exception(const char* function) noexcept;

template <class F>
vd_status guard(const char* function, F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return translate_current_exception(function);
  }
}

// ---- Arguments

// The object behind a handle; NULL is an error.
template <class T>
T& in(T* handle, const char* name) {
  if (handle == nullptr) fail(VD_ERR_INVALID, "{} is NULL", name);
  return *handle;
}

// A place for a result; NULL is an error. It is cleared, so that a failure leaves nothing there.
template <class T>
T& out(T* place, const char* name) {
  if (place == nullptr) fail(VD_ERR_INVALID, "{} is NULL", name);
  *place = T{};
  return *place;
}

// A required text.
inline const char* text(const char* pointer, const char* name) {
  if (pointer == nullptr) fail(VD_ERR_INVALID, "{} is NULL", name);
  return pointer;
}

// An array or block of bytes: NULL is an error unless it has no entries.
template <class T>
T* array(T* pointer, uint64_t count, const char* name) {
  if (pointer == nullptr && count != 0) fail(VD_ERR_INVALID, "{} is NULL with {} entries", name, count);
  return pointer;
}
template <class T>
T* bytes(T* pointer, uint64_t size, const char* name) {
  if (pointer == nullptr && size != 0) fail(VD_ERR_INVALID, "{} is NULL with {} bytes", name, size);
  return pointer;
}

// A truth value: no other number stands for one.
inline bool truth(vd_bool value, const char* name) {
  if (value > 1) fail(VD_ERR_INVALID, "{} ({}) is neither 0 nor 1", name, value);
  return value != 0;
}

// Flags of which the library knows `known`.
template <class T>
T flags(T value, T known, const char* name) {
  if ((value & ~known) != 0) fail(VD_ERR_INVALID, "{} ({:#x}) has unknown bits ({:#x})", name, value, value & ~known);
  return value;
}

}  // namespace vd::api
