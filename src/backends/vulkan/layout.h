// Pipeline layouts: where a kernel's buffers and values are bound. Kernels with the same shape share one.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "backends/vulkan/gpu.h"

namespace vd::vulkan {

// Address: a buffer that is found by its address, so nothing is bound at its number.
enum class BindingKind : uint8_t { Buffer, SampledImage, StorageImage, UniformBuffer, Texture, Sampler, Address };

constexpr bool is_image(BindingKind kind) {
  return kind == BindingKind::SampledImage || kind == BindingKind::StorageImage || kind == BindingKind::Texture;
}
// Whether a launch has a backends::ImageUse for it.
constexpr bool has_use(BindingKind kind) { return is_image(kind) || kind == BindingKind::Sampler; }

struct LayoutKey {
  uint32_t argument_count = 0;       // buffers, uniform blocks, images and samplers at bindings 0, 1, ...
  std::vector<BindingKind> kinds{};  // of the arguments; empty if all are storage buffers
  uint32_t uniform_size = 0;         // bytes of the uniform block at the binding after them; 0: none
  uint32_t push_size = 0;            // bytes of push constants; 0: none
  uint32_t shift_count = 0;          // numbers in the block of shifts, at the last binding; 0: none
  uint32_t address_count = 0;        // buffers in the block of addresses, at the last binding; 0: none

  // Uniform blocks of any size are bound alike.
  std::tuple<uint32_t, bool, uint32_t, bool, bool, const std::vector<BindingKind>&> tie() const {
    return {argument_count, uniform_size != 0, push_size, shift_count != 0, address_count != 0, kinds};
  }
  bool operator<(const LayoutKey& other) const { return tie() < other.tie(); }
  uint32_t binding_count() const {
    return argument_count + (uniform_size != 0 ? 1 : 0) + (shift_count != 0 ? 1 : 0) + (address_count != 0 ? 1 : 0);
  }
  bool is_bound(uint32_t binding) const { return binding >= argument_count || kind(binding) != BindingKind::Address; }
  BindingKind kind(uint32_t argument) const { return kinds.empty() ? BindingKind::Buffer : kinds[argument]; }
  uint32_t count(BindingKind kind) const {
    if (kinds.empty()) return kind == BindingKind::Buffer ? argument_count : 0;
    return static_cast<uint32_t>(std::ranges::count(kinds, kind));
  }
  VkDescriptorType descriptor(uint32_t binding) const;
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
