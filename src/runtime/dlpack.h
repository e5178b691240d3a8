// Buffers as tensors of DLPack, the exchange format of array libraries, whose structs are declared in dlpack.cpp.
#pragma once

#include <cstdint>

#include "runtime/buffer.h"

namespace vd::runtime {

// The address of a new DLManagedTensorVersioned or DLManagedTensor, which keeps the buffer's memory until its deleter is
// called.
uint64_t export_dlpack(const vd_buffer& buffer, const vd_dlpack_desc& desc);

}  // namespace vd::runtime
