// VkFFT on a Vulkan device of its own context, through vd_plan_create_vkfft(): what it records is its own, and so are its
// shaders.
#pragma once

#include <memory>
#include <vector>

#include "peer.h"

namespace bench {

class Vkfft : public Peer {
 public:
  // Null where there is no Vulkan device; says why on standard error.
  static std::unique_ptr<Vkfft> open(uint64_t bytes, const std::vector<float>& data);
};

}  // namespace bench
