// VkFFT's CUDA backend, on memory of the CUDA driver: a module beside the program (module/vkfft_cuda.h), opened at run
// time.
#pragma once

#include <memory>

#include "contents.h"
#include "peer.h"

namespace bench {

// Null where there is no module, no device or no memory; says why on standard error.
std::unique_ptr<Peer> open_vkfft_cuda(uint64_t bytes, const Contents& contents);

}  // namespace bench
