// Pipeline layouts: where a kernel's buffers and values are bound. Kernels with the same shape share one.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

struct LayoutKey {
  uint32_t storage_count = 0;  // storage buffers at bindings 0, 1, ...
  uint32_t uniform_size = 0;   // bytes of the uniform block at the binding after them; 0: none
  uint32_t push_size = 0;      // bytes of push constants; 0: none

  // Uniform blocks of any size are bound alike.
  auto tie() const { return std::tuple(storage_count, uniform_size != 0, push_size); }
  bool operator<(const LayoutKey& other) const { return tie() < other.tie(); }
  uint32_t binding_count() const { return storage_count + (uniform_size != 0 ? 1 : 0); }
};

struct Layout {
  LayoutKey key;
  bool push_descriptors = false;  // else sets from a pool
  DescriptorSetLayout set;
  PipelineLayout pipeline;
};

class Layouts {
 public:
  explicit Layouts(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {}
  std::shared_ptr<const Layout> get(const LayoutKey& key);

 private:
  std::shared_ptr<const Layout> make(const LayoutKey& key) const;

  std::shared_ptr<const Gpu> gpu_;
  std::mutex mutex_;
  std::map<LayoutKey, std::shared_ptr<const Layout>> layouts_;
};

}  // namespace vd::vulkan
