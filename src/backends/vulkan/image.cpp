#include "backends/vulkan/image.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "backends/vulkan/memory.h"
#include "core/texel.h"

namespace vd::vulkan {
namespace {

static_assert(VD_FORMAT_R8_UNORM == static_cast<int>(VK_FORMAT_R8_UNORM) &&
              VD_FORMAT_RGBA32_F32 == static_cast<int>(VK_FORMAT_R32G32B32A32_SFLOAT));
static_assert(VD_FILTER_LINEAR == static_cast<int>(VK_FILTER_LINEAR) &&
              VD_FILTER_LINEAR == static_cast<int>(VK_SAMPLER_MIPMAP_MODE_LINEAR) &&
              VD_ADDRESS_MIRROR_CLAMP_TO_EDGE == static_cast<int>(VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE) &&
              VD_BORDER_INT_OPAQUE_WHITE == static_cast<int>(VK_BORDER_COLOR_INT_OPAQUE_WHITE));

uint64_t count_texels(const backends::ImageShape& shape) {
  uint64_t count = 0;
  for (uint32_t level = 0; level < shape.levels; ++level) {
    uint64_t texels = std::max(shape.layers, 1u);
    for (const uint32_t n : shape.extent) texels *= std::max(n >> level, 1u);
    count += texels;
  }
  return count;
}

VkImageViewType view_type(const backends::ImageShape& shape) {
  switch (shape.dimensions) {
    case 1:
      return shape.layers != 0 ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    case 2:
      return shape.layers != 0 ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    default:
      return VK_IMAGE_VIEW_TYPE_3D;
  }
}

// Every second color is the one of integers.
VkBorderColor border_color(vd_border_color color, bool floats) {
  return static_cast<VkBorderColor>((static_cast<uint32_t>(color) & ~1u) | (floats ? 0 : 1));
}

SamplerHandle make_sampler(const std::shared_ptr<const Gpu>& gpu, const vd_sampler_desc& desc, bool floats) {
  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = floats ? static_cast<VkFilter>(desc.mag_filter) : VK_FILTER_NEAREST;
  info.minFilter = floats ? static_cast<VkFilter>(desc.min_filter) : VK_FILTER_NEAREST;
  info.mipmapMode = floats ? static_cast<VkSamplerMipmapMode>(desc.mip_filter) : VK_SAMPLER_MIPMAP_MODE_NEAREST;
  info.addressModeU = info.addressModeV = info.addressModeW = static_cast<VkSamplerAddressMode>(desc.address_mode);
  info.mipLodBias = desc.mip_lod_bias;
  info.maxLod = desc.max_lod == 0 ? VK_LOD_CLAMP_NONE : std::max(desc.max_lod, 0.0f);
  info.minLod = std::min(desc.min_lod, info.maxLod);  // the highest level counts where they contradict each other
  info.borderColor = border_color(desc.border_color, floats);
  VkSampler sampler = VK_NULL_HANDLE;
  gpu->check(gpu->vk.vkCreateSampler(gpu->device(), &info, nullptr, &sampler), "vkCreateSampler", "address mode {}",
             static_cast<int>(desc.address_mode));
  return {gpu, sampler};
}

VkImageType type_of(const backends::ImageShape& shape) {
  return shape.dimensions == 1 ? VK_IMAGE_TYPE_1D : shape.dimensions == 2 ? VK_IMAGE_TYPE_2D : VK_IMAGE_TYPE_3D;
}

uint64_t size_of(const backends::ImageShape& shape) {
  return count_texels(shape) * get_texel_format(shape.format, "the format of an image").size();
}

VkImageCreateInfo image_info(const Gpu& gpu, const backends::ImageShape& shape) {
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = type_of(shape);
  info.format = static_cast<VkFormat>(shape.format);
  info.extent = {shape.extent[0], shape.extent[1], shape.extent[2]};
  info.mipLevels = shape.levels;
  info.arrayLayers = std::max(shape.layers, 1u);
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = shape.host ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
  // The host may write it before the first work.
  info.initialLayout = shape.host ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED;
  info.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  // Kernels of ours write the levels after the first.
  if (shape.storage || shape.levels > 1) info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  info.sharingMode = gpu.family_indices.size() > 1 ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE;
  info.queueFamilyIndexCount = static_cast<uint32_t>(gpu.family_indices.size());
  info.pQueueFamilyIndices = gpu.family_indices.data();
  return info;
}

VmaAllocationCreateInfo memory_info(const backends::ImageShape& shape) {
  VmaAllocationCreateInfo info{};
  info.requiredFlags = shape.host ? kCoherent : VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT};
  if (shape.host) {
    info.preferredFlags = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    info.flags = VMA_ALLOCATION_CREATE_MAPPED_BIT;
  }
  return info;
}

// Whether samplers filter the format in rows, too, if they do in the device's own layout.
bool filters_in_rows(const Gpu& gpu, vd_format format) {
  VkFormatProperties has{};
  gpu.physical.instance.GetPhysicalDeviceFormatProperties(gpu.physical.handle, static_cast<VkFormat>(format), &has);
  return (has.optimalTilingFeatures & ~has.linearTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) ==
         0;
}

// A format may allow less than the device's limits.
void check_limits(const Gpu& gpu, const backends::ImageShape& shape, const VkImageCreateInfo& info) {
  const char* device = gpu.info().name;
  const char* format = find_texel_format(shape.format)->name;
  VkImageFormatProperties most{};
  const VkResult result = gpu.physical.instance.GetPhysicalDeviceImageFormatProperties(
      gpu.physical.handle, info.format, info.imageType, info.tiling, info.usage, 0, &most);
  const char* const where = shape.host ? " in memory that the host reaches" : "";
  if (result == VK_ERROR_FORMAT_NOT_SUPPORTED || (shape.host && !filters_in_rows(gpu, shape.format)))
    fail(VD_ERR_UNSUPPORTED, "Vulkan device \"{}\" has no images of format {} and {} dimensions{}{}.", device, format,
         shape.dimensions, (info.usage & VK_IMAGE_USAGE_STORAGE_BIT) != 0 ? " that kernels write" : "", where);
  gpu.check(result, "vkGetPhysicalDeviceImageFormatProperties", "format {}", format);
  const VkExtent3D& limit = most.maxExtent;
  if (info.extent.width > limit.width || info.extent.height > limit.height || info.extent.depth > limit.depth)
    fail(VD_ERR_UNSUPPORTED,
         "an image of {} x {} x {} texels of format {} is larger than Vulkan device \"{}\" has{} "
         "({} x {} x {}).",
         info.extent.width, info.extent.height, info.extent.depth, format, device, where, limit.width, limit.height,
         limit.depth);
  if (info.arrayLayers > most.maxArrayLayers || info.mipLevels > most.maxMipLevels)
    fail(VD_ERR_UNSUPPORTED,
         "an image of {} layers and {} levels of format {} is more than Vulkan device \"{}\" has{} ({} and {}).",
         info.arrayLayers, info.mipLevels, format, device, where, most.maxArrayLayers, most.maxMipLevels);
  if (size_of(shape) > most.maxResourceSize)
    fail(VD_ERR_OUT_OF_MEMORY, "an image of {} bytes of format {} is larger than Vulkan device \"{}\" allows ({}).",
         size_of(shape), format, device, most.maxResourceSize);
}

}  // namespace

void check_image(const Gpu& gpu, const backends::ImageShape& shape) {
  gpu.require_alive();
  const VkImageCreateInfo info = image_info(gpu, shape);
  check_limits(gpu, shape, info);
  if (!shape.host) return;
  const VmaAllocationCreateInfo where = memory_info(shape);
  uint32_t found = 0;
  gpu.check(vmaFindMemoryTypeIndexForImageInfo(gpu.allocator(), &info, &where, &found),
            "vmaFindMemoryTypeIndexForImageInfo", "an image of format {} in memory that the host reaches",
            find_texel_format(shape.format)->name);
}

Image::Image(std::shared_ptr<const Gpu> gpu, const backends::ImageShape& shape)
    : gpu_(std::move(gpu)), shape_(shape), storage_(shape.levels) {
  gpu_->require_alive();
  const TexelFormat& format = get_texel_format(shape.format, "the format of an image");
  is_float_ = format.is_float();
  texel_size_ = format.size();
  size_ = size_of(shape);
  const VkImageCreateInfo info = image_info(*gpu_, shape);
  check_limits(*gpu_, shape, info);
  const VmaAllocationCreateInfo where = memory_info(shape);
  VmaAllocationInfo got{};
  const std::string& label = shape.label;
  gpu_->check(vmaCreateImage(gpu_->allocator(), &info, &where, &image_, &allocation_, &got), "vmaCreateImage",
              "{} bytes of texels{}{}{} on \"{}\"", size_, label.empty() ? "" : " for \"", label,
              label.empty() ? "" : "\"", gpu_->info().name);
  mapped_ = static_cast<std::byte*>(got.pMappedData);
  gpu_->name(image_, VK_OBJECT_TYPE_IMAGE, label.empty() ? "image" : label);
  try {
    sampled_ = make_view(0, shape.levels);
  } catch (...) {
    vmaDestroyImage(gpu_->allocator(), image_, allocation_);
    throw;
  }
}

Image::~Image() {
  storage_.clear();
  sampled_ = {};
  vmaDestroyImage(gpu_->allocator(), image_, allocation_);
}

backends::HostLevel Image::host_level(uint32_t level) {
  const VkImageSubresource part{VK_IMAGE_ASPECT_COLOR_BIT, level, 0};
  VkSubresourceLayout layout{};
  gpu_->vk.vkGetImageSubresourceLayout(gpu_->device(), image_, &part, &layout);
  const uint64_t rows = std::max(shape_.extent[1] >> level, 1u);
  // Vulkan gives each pitch only to images that have several of its parts.
  const uint64_t row = rows > 1 ? layout.rowPitch : uint64_t{std::max(shape_.extent[0] >> level, 1u)} * texel_size_;
  const bool deep = std::max(shape_.extent[2] >> level, 1u) > 1;
  return {mapped_ + layout.offset, row, shape_.layers > 1 ? layout.arrayPitch : deep ? layout.depthPitch : row * rows};
}

ImageView Image::make_view(uint32_t first_level, uint32_t count) const {
  VkImageViewCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  info.image = image_;
  info.viewType = view_type(shape_);
  info.format = static_cast<VkFormat>(shape_.format);
  info.subresourceRange = whole();
  info.subresourceRange.baseMipLevel = first_level;
  info.subresourceRange.levelCount = count;
  VkImageView view = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreateImageView(gpu_->device(), &info, nullptr, &view), "vkCreateImageView",
              "{} levels from {} on", count, first_level);
  return {gpu_, view};
}

VkImageView Image::storage_view(uint32_t level) const {
  const std::lock_guard lock(views_mutex_);
  ImageView& view = storage_.at(level);
  if (!view) view = make_view(level, 1);
  return view.get();
}

VkImageType Image::type() const noexcept { return type_of(shape_); }

VkImageSubresourceRange Image::whole() const noexcept {
  return {VK_IMAGE_ASPECT_COLOR_BIT, 0, shape_.levels, 0, std::max(shape_.layers, 1u)};
}

bool Image::native(const char* kind, uint64_t& out) const {
  if (std::string_view(kind) != "VkImage") return false;
  out = reinterpret_cast<uint64_t>(image_);
  return true;
}

Place place_of(const Image& image, const backends::Box& box) noexcept {
  const bool layered = image.shape().layers != 0;
  Place place;
  place.part = {VK_IMAGE_ASPECT_COLOR_BIT, box.level, layered ? box.offset[2] : 0, layered ? box.extent[2] : 1};
  place.offset = {static_cast<int32_t>(box.offset[0]), static_cast<int32_t>(box.offset[1]),
                  layered ? 0 : static_cast<int32_t>(box.offset[2])};
  place.extent = {box.extent[0], box.extent[1], layered ? 1 : box.extent[2]};
  return place;
}

Sampler::Sampler(const std::shared_ptr<const Gpu>& gpu, const vd_sampler_desc& desc)
    : floats_(make_sampler(gpu, desc, true)) {
  if (desc.address_mode == VD_ADDRESS_CLAMP_TO_BORDER) integers_ = make_sampler(gpu, desc, false);
}

std::shared_ptr<Sampler> Samplers::get(const vd_sampler_desc& desc) {
  const float most = gpu_->physical.properties.limits.maxSamplerLodBias;
  if (desc.mip_lod_bias > most || desc.mip_lod_bias < -most)
    fail(VD_ERR_UNSUPPORTED, "mip_lod_bias ({}) is not between {} and {}, as Vulkan device \"{}\" has it.",
         desc.mip_lod_bias, -most, most, gpu_->info().name);
  Hasher hasher;
  hasher.add(desc.mag_filter).add(desc.min_filter).add(desc.mip_filter).add(desc.address_mode).add(desc.border_color);
  for (const float level : {desc.mip_lod_bias, desc.min_lod, desc.max_lod}) hasher.add(std::bit_cast<uint32_t>(level));
  const Hash128 key = hasher.finish();
  if (auto found = samplers_.find(key)) return found;
  return samplers_.add(key, std::make_shared<Sampler>(gpu_, desc));
}

}  // namespace vd::vulkan
