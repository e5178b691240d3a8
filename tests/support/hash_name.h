// A hash of a name, FNV-1a: what is drawn by a name depends on neither its place nor the compiler.
#pragma once

#include <cstdint>
#include <string_view>

namespace vd::test {

inline uint64_t hash_name(std::string_view name) {
  uint64_t hash = 1469598103934665603u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace vd::test
