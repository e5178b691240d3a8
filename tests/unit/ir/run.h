// A small interpreter of scheduled code for the tests of passes: what a kernel does before a pass it must do after. It
// runs invocations one after the other, so barriers are nothing to it; elementwise ops mean what ir/evaluate.h says.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "ir/kernel.h"

namespace vd::ir::testing {

struct Memory {
  std::vector<std::vector<std::byte>> arguments;  // buffers, and the bytes of values
  std::vector<std::byte> shared;
};

struct Launch {
  std::array<uint32_t, 3> workgroups{1, 1, 1};
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};
  std::array<uint32_t, 3> exec_size{0xffffffffu, 0xffffffffu, 0xffffffffu};
};

// Throws std::runtime_error for what it does not know, an access out of bounds, or more than a million steps.
void run(const Kernel& kernel, Memory& memory, const Launch& launch = {});

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace vd::ir::testing
