// Images of the device's own, and their samplers. An image is in the layout GENERAL for all of its life: kernels may load
// and store it, and copies reach it, without a change of layout between them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/vulkan/gpu.h"
#include "core/weak_table.h"

namespace vd::vulkan {

// Throws VD_ERR_UNSUPPORTED with the format and the limit, VD_ERR_OUT_OF_MEMORY with the size, where the device has no such
// image.
void check_image(const Gpu& gpu, const backends::ImageShape& shape);

class Image final : public backends::Image {
 public:
  // Throws as check_image(), and VD_ERR_OUT_OF_MEMORY.
  Image(std::shared_ptr<const Gpu> gpu, const backends::ImageShape& shape);
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() override;

  uint64_t size() const override { return size_; }
  bool mappable() override { return mapped(); }
  backends::HostLevel host_level(uint32_t level) override;
  bool native(const char* kind, uint64_t& out) const override;

  // In rows, where the host may look at it and write it between submissions.
  bool mapped() const noexcept { return mapped_ != nullptr; }
  VkImage handle() const noexcept { return image_; }
  const backends::ImageShape& shape() const noexcept { return shape_; }
  VkImageType type() const noexcept;
  bool is_float() const noexcept { return is_float_; }
  uint32_t texel_size() const noexcept { return texel_size_; }
  // All levels and layers, for samplers.
  VkImageView sampled_view() const noexcept { return sampled_.get(); }
  // One level with all layers, for loads and stores. Made at its first use; throws then.
  VkImageView storage_view(uint32_t level) const;
  VkImageSubresourceRange whole() const noexcept;

  // Whether every queue of the device orders its later work after the change of layout; guarded by first_use.
  std::atomic<bool> ready{false};
  std::mutex first_use;

 private:
  ImageView make_view(uint32_t first_level, uint32_t count) const;

  const std::shared_ptr<const Gpu> gpu_;
  const backends::ImageShape shape_;
  bool is_float_ = false;
  uint32_t texel_size_ = 0;
  uint64_t size_ = 0;
  VkImage image_ = VK_NULL_HANDLE;
  VmaAllocation allocation_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
  ImageView sampled_;
  mutable std::mutex views_mutex_;
  mutable std::vector<ImageView> storage_;  // by level
};

// Border colors are of floats or of integers, as the image is.
class Sampler final : public backends::Sampler {
 public:
  Sampler(const std::shared_ptr<const Gpu>& gpu, const vd_sampler_desc& desc);
  VkSampler of(const Image& image) const noexcept { return of(!image.is_float()); }
  // For images of integers, or of floats.
  VkSampler of(bool integers) const noexcept { return integers && integers_ ? integers_.get() : floats_.get(); }

 private:
  SamplerHandle floats_;
  SamplerHandle integers_;  // none where it would be the same
};

// The samplers of a device that are in use, one for each description: a device may have few thousands.
class Samplers {
 public:
  explicit Samplers(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {}
  // Throws VD_ERR_UNSUPPORTED with the limit.
  std::shared_ptr<Sampler> get(const vd_sampler_desc& desc);

 private:
  const std::shared_ptr<const Gpu> gpu_;
  WeakTable<Sampler> samplers_;
};

// The place of a box in an image, for copies.
struct Place {
  VkImageSubresourceLayers part{};
  VkOffset3D offset{};
  VkExtent3D extent{};
};
Place place_of(const Image& image, const backends::Box& box) noexcept;

}  // namespace vd::vulkan
