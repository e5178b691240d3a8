// VkFFT on a Vulkan device of its own context, through vd_plan_create_vkfft(): what it records is its own, and so are its
// shaders.
#pragma once

#include <memory>

#include "contents.h"
#include "peer.h"

namespace bench {

// Whether VkFFT is measured on it.
inline bool vkfft_takes(const Case& c) {
  // Kernels of convolutions are in an order of its own; and undivided, 20 transforms there and back do not stay finite.
  return !c.convolves() && !c.goes_back();
}

class Vkfft : public Peer {
 public:
  // Null where there is no Vulkan device; says why on standard error.
  static std::unique_ptr<Vkfft> open(uint64_t bytes, const Contents& contents);
};

}  // namespace bench
