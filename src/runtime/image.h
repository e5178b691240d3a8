// The object behind vd_image: texels in a buffer, level by level, each as an array [layer][depth][height][width][channel].
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "core/object.h"
#include "core/texel.h"
#include "ir/image_block.h"
#include "runtime/buffer.h"
#include "runtime/sampler.h"

struct vd_image final : vd::Object {
 public:
  using Extent = std::array<uint32_t, 3>;
  struct Desc {
    const vd::TexelFormat* format = nullptr;
    uint32_t dimensions = 0;
    uint32_t layers = 0;  // 0: not layered
    Extent extent{};
    uint32_t levels = 1;
    uint32_t device = 0;
    vd_image_flags flags = 0;
    std::string label;
  };
  static vd::Ref<vd_image> create(vd_context& context, Desc desc);
  // Whether another one has the same device, format, dimensions, extent, layers and levels.
  bool is_like(const vd_image& other) const noexcept;
  struct Support {
    bool supported = false, mappable = false;
  };
  // Support for such an image. Throws VD_ERR_INVALID where create() does.
  static Support support(const vd_context& context, Desc desc);

  vd_context& context() const { return texels_->context(); }
  const Desc& desc() const { return desc_; }
  const vd::TexelFormat& format() const { return *desc_.format; }
  uint32_t layer_count() const { return desc_.layers == 0 ? 1 : desc_.layers; }
  Extent extent(uint32_t level) const;
  // The texels, or what stands for them: memory of the device's own images, whose bytes nothing reads or writes.
  vd_buffer& texels() const { return *texels_; }
  bool in_buffer() const { return in_buffer_; }
  // The name that messages give it: `image "x"`, or "the image".
  std::string name() const;
  void check_usable() const;  // throws VD_ERR_STATE once discarded
  // Throws if there is no such handle. Ends when the image is ready for work of the program's.
  uint64_t native(const char* kind, uint32_t queue) const;

  // Part of one level; depth and layers are one axis, since no image has both.
  struct Region {
    uint32_t level = 0;
    Extent offset{}, extent{};
  };
  void check_level(uint32_t level, const char* name,
                   const char* field = "") const;  // throws VD_ERR_INVALID if it has none of that number
  Region whole(uint32_t level = 0) const;
  // Reads a caller's region; throws VD_ERR_INVALID past an edge.
  Region region(const vd_image_region& given, const char* name) const;
  uint64_t size(const Region& region) const;  // bytes without gaps
  // Number of the texel at a place of a level, and the texels from one row and from one slice to the next.
  uint64_t number(uint32_t level, const Extent& at) const;
  std::array<uint64_t, 2> pitches(uint32_t level) const;
  // Whether no other texel lies between the region's.
  bool is_dense(const Region& region) const;

  // For images in buffers.
  vd::ir::StorageImageBlock storage_block(uint32_t level) const;
  // Without a sampler it takes VD_SAMPLER_DESC_INIT.
  vd::ir::SampledImageBlock sampled_block(const vd_sampler* sampler) const;
  vd::ir::SampleBlock sample_block(const vd_sampler* sampler) const;

 private:
  vd_image(Desc desc, vd::Ref<vd_buffer> texels, bool in_buffer, bool by_units)
      : desc_(std::move(desc)), texels_(std::move(texels)), in_buffer_(in_buffer), by_units_(by_units) {}
  uint32_t ways_of(const vd_sampler_desc& how, bool plain_border) const;
  // Width, height, depth or layers.
  Extent slices(uint32_t level) const;

  const Desc desc_;
  const vd::Ref<vd_buffer> texels_;
  const bool in_buffer_;
  const bool by_units_;  // units of the device sample it, though it lies in a buffer
};
