#include "backends/cuda/image.h"

#include <algorithm>
#include <string_view>

#include "backends/cuda/allocator.h"

namespace vd::cuda {
namespace {

uint32_t at_level(uint32_t extent, uint32_t level) { return std::max(extent >> level, 1u); }

uint64_t bytes_of(const backends::ImageShape& shape, const TexelFormat& format) {
  uint64_t texels = 0;
  for (uint32_t level = 0; level < shape.levels; ++level) {
    uint64_t count = std::max(shape.layers, 1u);
    for (const uint32_t n : shape.extent) count *= at_level(n, level);
    texels += count;
  }
  return (texels * format.size() + 3) / 4 * 4;  // as the runtime counts
}

CUarray_format array_format(const TexelFormat& format) {
  switch (format.channel) {
    case Channel::Float:
      return format.bits == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    case Channel::Signed:
      return format.bits == 8    ? CU_AD_FORMAT_SIGNED_INT8
             : format.bits == 16 ? CU_AD_FORMAT_SIGNED_INT16
                                 : CU_AD_FORMAT_SIGNED_INT32;
    default:
      return format.bits == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
             : format.bits == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                                 : CU_AD_FORMAT_UNSIGNED_INT32;
  }
}

CUaddress_mode address_mode_of(vd_address_mode mode) {
  switch (mode) {
    case VD_ADDRESS_REPEAT:
      return CU_TR_ADDRESS_MODE_WRAP;
    case VD_ADDRESS_MIRRORED_REPEAT:
      return CU_TR_ADDRESS_MODE_MIRROR;
    case VD_ADDRESS_CLAMP_TO_BORDER:
      return CU_TR_ADDRESS_MODE_BORDER;
    default:
      return CU_TR_ADDRESS_MODE_CLAMP;  // the kernel mirrors
  }
}

CUfilter_mode filter_of(vd_filter filter, const TexelFormat& format) {
  return filter == VD_FILTER_LINEAR && format.is_float() ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
}

// 0 or 1 in each channel.
std::array<uint32_t, 4> border_of(vd_border_color color) {
  const bool white = color == VD_BORDER_FLOAT_OPAQUE_WHITE || color == VD_BORDER_INT_OPAQUE_WHITE;
  const bool black = color == VD_BORDER_FLOAT_OPAQUE_BLACK || color == VD_BORDER_INT_OPAQUE_BLACK;
  const uint32_t one = white ? 1 : 0;
  return {one, one, one, white || black ? 1u : 0u};
}

}  // namespace

Image::Image(std::shared_ptr<const Gpu> gpu, const backends::ImageShape& shape)
    : gpu_(std::move(gpu)),
      shape_(shape),
      format_(get_texel_format(shape.format, "shape.format")),
      size_(bytes_of(shape, format_)),
      surfaces_(shape.levels) {
  gpu_->require_alive();
  check(shape_);
  const Current current(*gpu_);
  create();
  try {
    for (uint32_t level = 0; level < shape_.levels; ++level) {
      CUarray made = nullptr;
      gpu_->check(gpu_->cu.cuMipmappedArrayGetLevel(&made, array_, level), "cuMipmappedArrayGetLevel", "level {} of {}",
                  level, text());
      levels_.push_back(made);
    }
  } catch (...) {
    destroy(*gpu_, array_, {}, {});
    throw;
  }
}

void Image::check(const backends::ImageShape& shape) {
  if (shape.host)
    fail(VD_ERR_UNSUPPORTED, "desc->flags has VD_IMAGE_HOST, and CUDA keeps images in arrays, which no host reaches");
}

void Image::create() {
  // An image of one level has them too, so that kernels need no other functions for it.
  CUDA_ARRAY3D_DESCRIPTOR properties{};
  properties.Width = shape_.extent[0];
  properties.Height = shape_.dimensions > 1 ? shape_.extent[1] : 0;
  properties.Depth = shape_.layers != 0 ? shape_.layers : shape_.dimensions > 2 ? shape_.extent[2] : 0;
  properties.Format = array_format(format_);
  properties.NumChannels = format_.channels;
  if (shape_.layers != 0) properties.Flags |= CUDA_ARRAY3D_LAYERED;
  // Levels are computed by kernels.
  if (shape_.storage || shape_.levels > 1) properties.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
  CUresult result = gpu_->cu.cuMipmappedArrayCreate(&array_, &properties, shape_.levels);
  if (result == CUDA_ERROR_OUT_OF_MEMORY && gpu_->allocator().trim())
    result = gpu_->cu.cuMipmappedArrayCreate(&array_, &properties, shape_.levels);
  gpu_->check(result, "cuMipmappedArrayCreate", "{} on \"{}\"", text(), gpu_->info().name);
}

std::string Image::text() const {
  return fmt::format("an image of {} x {} x {} texels of {}, {} layers and {} levels{}", shape_.extent[0],
                     shape_.extent[1], shape_.extent[2], format_.name, shape_.layers, shape_.levels,
                     shape_.label.empty() ? "" : fmt::format(" for \"{}\"", shape_.label));
}

Image::~Image() {
  gpu_->dispose([gpu = gpu_.get(), array = array_, textures = std::move(textures_), surfaces = std::move(surfaces_)] {
    destroy(*gpu, array, textures, surfaces);
  });
}

void Image::destroy(const Gpu& gpu, CUmipmappedArray array, const std::vector<Texture>& textures,
                    const std::vector<CUsurfObject>& surfaces) noexcept {
  try {
    const Current current(gpu);
    for (const Texture& texture : textures) gpu.cu.cuTexObjectDestroy(texture.object);
    for (const CUsurfObject surface : surfaces)
      if (surface != 0) gpu.cu.cuSurfObjectDestroy(surface);
    gpu.cu.cuMipmappedArrayDestroy(array);
  } catch (...) {
    // The context is gone, and its arrays with it.
  }
}

bool Image::native(const char* kind, uint64_t& out) const {
  const std::string_view wanted = kind;
  if (wanted == "CUmipmappedArray")
    out = reinterpret_cast<uint64_t>(array_);
  else if (wanted == "CUarray")
    out = reinterpret_cast<uint64_t>(levels_.front());
  else
    return false;
  return true;
}

void Image::place(const backends::Box& box, CUDA_MEMCPY3D_END& end) const {
  end.memoryType = CU_MEMORYTYPE_ARRAY;
  end.array = levels_.at(box.level);
  end.xInBytes = uint64_t{box.offset[0]} * format_.size();
  end.y = box.offset[1];
  end.z = box.offset[2];
}

// ---- What kernels are told

CUtexObject Image::texture(const View& view) {
  for (const Texture& texture : textures_)
    if (texture.view == view) return texture.object;
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = array_;
  CUDA_TEXTURE_DESC properties{};
  // The hardware samples a line as the middle of a row of texels, and would mix a border above it in.
  std::ranges::fill(properties.addressMode, CU_TR_ADDRESS_MODE_CLAMP);
  std::fill_n(properties.addressMode, shape_.dimensions, view.address);
  properties.filterMode = view.filter;
  properties.mipmapFilterMode = view.between;
  properties.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  // Bytes that are read as numbers from 0 to 1 are those of unorm8.
  if (!format_.is_float()) properties.flags |= CU_TRSF_READ_AS_INTEGER;
  properties.maxMipmapLevelClamp = static_cast<float>(shape_.levels - 1);
  const auto border = border_of(view.border);
  for (int c = 0; c < 4; ++c) properties.borderColor[c] = static_cast<float>(border[static_cast<size_t>(c)]);
  textures_.reserve(textures_.size() + 1);
  CUtexObject made = 0;
  gpu_->check(gpu_->cu.cuTexObjectCreate(&made, &resource, &properties, nullptr), "cuTexObjectCreate", "{}", text());
  textures_.push_back({view, made});
  return made;
}

codegen::CudaSampledImage Image::sampled(const Sampler& sampler) {
  const vd_sampler_desc& how = sampler.desc;
  View view;
  view.address = address_mode_of(how.address_mode);
  view.between = filter_of(how.mip_filter, format_);
  if (how.address_mode == VD_ADDRESS_CLAMP_TO_BORDER) view.border = how.border_color;
  // Samplers of built kernels have one filter; source text samples level 0 by this one.
  view.filter = filter_of(how.mag_filter, format_);

  codegen::CudaSampledImage image;
  {
    const std::lock_guard lock(mutex_);
    image.texture = texture(view);
    image.fetch = texture({});
  }
  image.width = static_cast<int32_t>(shape_.extent[0]);
  image.height = static_cast<int32_t>(shape_.extent[1]);
  image.depth = static_cast<int32_t>(shape_.layers != 0 ? shape_.layers : shape_.extent[2]);
  image.levels = static_cast<int32_t>(shape_.levels);
  image.unit_x = 1 / static_cast<float>(shape_.extent[0]);
  image.unit_y = 1 / static_cast<float>(shape_.extent[1]);
  image.unit_z = 1 / static_cast<float>(shape_.extent[2]);
  image.flags = format_.channels;
  if (how.address_mode == VD_ADDRESS_MIRROR_CLAMP_TO_EDGE) image.flags |= codegen::kCudaMirrored;
  if (how.address_mode == VD_ADDRESS_CLAMP_TO_BORDER) image.flags |= codegen::kCudaBordered;
  std::ranges::copy(border_of(how.border_color), image.border);  // integers only
  return image;
}

codegen::CudaStorageImage Image::storage(uint32_t level) {
  codegen::CudaStorageImage image;
  image.width = static_cast<int32_t>(at_level(shape_.extent[0], level));
  image.height = static_cast<int32_t>(at_level(shape_.extent[1], level));
  image.depth = static_cast<int32_t>(shape_.layers != 0 ? shape_.layers : at_level(shape_.extent[2], level));
  const std::lock_guard lock(mutex_);
  CUsurfObject& surface = surfaces_.at(level);
  if (surface == 0) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = levels_[level];
    gpu_->check(gpu_->cu.cuSurfObjectCreate(&surface, &resource), "cuSurfObjectCreate", "level {} of {}", level,
                text());
  }
  image.surface = surface;
  return image;
}

}  // namespace vd::cuda
