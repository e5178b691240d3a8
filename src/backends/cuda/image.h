// Images: mipmapped arrays with texture objects, which kernels sample, and surface objects, which kernels load and store.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/gpu.h"
#include "codegen/cuda_images.h"
#include "core/texel.h"

namespace vd::cuda {

class Sampler final : public backends::Sampler {
 public:
  explicit Sampler(const vd_sampler_desc& how) : desc(how) {}
  const vd_sampler_desc desc;
};

class Image final : public backends::Image {
 public:
  // Throws VD_ERR_UNSUPPORTED where the host would have to reach the texels.
  static void check(const backends::ImageShape& shape);
  // Throws as check(), and VD_ERR_OUT_OF_MEMORY with the size.
  Image(std::shared_ptr<const Gpu> gpu, const backends::ImageShape& shape);
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() override;

  uint64_t size() const override { return size_; }
  bool native(const char* kind, uint64_t& out) const override;

  // One end of a copy whose other one is a buffer, or another image.
  void place(const backends::Box& box, CUDA_MEMCPY3D_END& end) const;
  uint32_t texel_size() const noexcept { return format_.size(); }

  // Parameters of kernels. The context is current. What they name lives as long as the image.
  codegen::CudaSampledImage sampled(const Sampler& sampler);
  codegen::CudaStorageImage storage(uint32_t level);

 private:
  // Properties of a texture object.
  struct View {
    CUaddress_mode address = CU_TR_ADDRESS_MODE_CLAMP;
    CUfilter_mode filter = CU_TR_FILTER_MODE_POINT, between = CU_TR_FILTER_MODE_POINT;
    vd_border_color border = VD_BORDER_FLOAT_TRANSPARENT_BLACK;
    friend bool operator==(const View&, const View&) = default;
  };
  struct Texture {
    View view;
    CUtexObject object;
  };

  CUtexObject texture(const View& view);
  void create();
  std::string text() const;
  static void destroy(const Gpu& gpu, CUmipmappedArray array, const std::vector<Texture>& textures,
                      const std::vector<CUsurfObject>& surfaces) noexcept;

  const std::shared_ptr<const Gpu> gpu_;
  const backends::ImageShape shape_;
  const TexelFormat format_;
  const uint64_t size_;
  CUmipmappedArray array_ = nullptr;
  std::vector<CUarray> levels_;
  std::mutex mutex_;
  std::vector<Texture> textures_;
  std::vector<CUsurfObject> surfaces_;  // by level; 0 where none was needed yet
};

}  // namespace vd::cuda
