#include "runtime/image.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>

#include "core/error.h"
#include "core/traits.h"
#include "runtime/submission.h"

using namespace vd;

namespace {

// Kernels number texels and channels of images in buffers in 32 bits.
constexpr uint64_t kMaxTexels = uint64_t{1} << 30;

vd_image::Extent extent_of_level(const vd_image::Desc& desc, uint32_t level) {
  vd_image::Extent extent;
  for (uint32_t axis = 0; axis < 3; ++axis) extent[axis] = std::max(desc.extent[axis] >> level, 1u);
  return extent;
}

uint64_t count_texels(const vd_image::Desc& desc, uint32_t levels) {
  uint64_t count = 0;
  for (uint32_t level = 0; level < levels; ++level) {
    const auto extent = extent_of_level(desc, level);
    count += uint64_t{extent[0]} * extent[1] * extent[2] * std::max(desc.layers, 1u);
  }
  return count;
}

void check_extent(const vd_image::Desc& desc, const vd_device_info& info) {
  if ((info.features & VD_FEATURE_IMAGES) == 0) fail(VD_ERR_UNSUPPORTED, "device \"{}\" has no images", info.name);
  const uint32_t most = info.max_image_extent[desc.dimensions - 1];
  for (uint32_t axis = 0; axis < desc.dimensions; ++axis) {
    if (desc.extent[axis] > most) {
      fail(VD_ERR_INVALID, "desc->extent[{}] ({}) is more than device \"{}\" has for an image of {} dimensions ({})",
           axis, desc.extent[axis], info.name, desc.dimensions, most);
    }
  }
  if (desc.layers > info.max_image_layers) {
    fail(VD_ERR_INVALID, "desc->layers ({}) is more than device \"{}\" has ({})", desc.layers, info.name,
         info.max_image_layers);
  }
}

void check_texels(const vd_image::Desc& desc, const vd_device_info& info, uint64_t texels, uint64_t most) {
  if (texels <= most) return;
  fail(VD_ERR_INVALID,
       "desc->extent ({} x {} x {}), layers and levels make {} texels, and device \"{}\" has {} for an "
       "image of format {}",
       desc.extent[0], desc.extent[1], desc.extent[2], texels, info.name, most, desc.format->name);
}

// Channels as kernels see them: 0 or 1 as a float or an integer. Those that the format lacks are as in its texels.
std::array<uint32_t, 4> border_bits(vd_border_color color, const TexelFormat& format) {
  const uint32_t one = format.is_float() ? std::bit_cast<uint32_t>(1.0f) : 1;
  const bool white = color == VD_BORDER_FLOAT_OPAQUE_WHITE || color == VD_BORDER_INT_OPAQUE_WHITE;
  const bool opaque = white || color == VD_BORDER_FLOAT_OPAQUE_BLACK || color == VD_BORDER_INT_OPAQUE_BLACK;
  const uint32_t channel = white ? one : 0;
  const auto has = [&](uint32_t number) { return number < format.channels; };
  return {channel, has(1) ? channel : 0, has(2) ? channel : 0, opaque || !has(3) ? one : 0};
}

struct TexelMemory {
  bool in_buffer = false;
  uint64_t size = 0;  // bytes
};

// Fills in what a descriptor leaves open, and checks it against the device.
TexelMemory complete(const vd_context& context, vd_image::Desc& desc) {
  for (uint32_t& n : desc.extent) n = std::max(n, 1u);
  const auto longest = *std::ranges::max_element(desc.extent);
  const auto all = static_cast<uint32_t>(std::bit_width(longest));
  if (desc.levels == VD_MIP_LEVELS_ALL) desc.levels = all;
  if (desc.levels > all) {
    fail(VD_ERR_INVALID, "desc->mip_levels ({}) is more than an image of {} x {} x {} has ({})", desc.levels,
         desc.extent[0], desc.extent[1], desc.extent[2], all);
  }
  const backends::Device& device = context.device(desc.device);
  const vd_device_info& info = device.info();
  check_extent(desc, info);
  const uint64_t texels = count_texels(desc, desc.levels);
  const bool in_buffer = !device.has_images();
  const uint64_t most = in_buffer ? most_bytes(info) : info.max_allocation_size;
  check_texels(desc, info, texels, std::min(in_buffer ? kMaxTexels : UINT64_MAX, most / desc.format->size()));
  return {in_buffer, (texels * desc.format->size() + 3) / 4 * 4};  // kernels read words
}

backends::ImageShape shape_of(const vd_image::Desc& desc) {
  return {.format = desc.format->format,
          .dimensions = desc.dimensions,
          .layers = desc.layers,
          .extent = desc.extent,
          .levels = desc.levels,
          .storage = (desc.flags & VD_IMAGE_STORAGE) != 0,
          .host = (desc.flags & VD_IMAGE_HOST) != 0,
          .label = desc.label};
}

// Calls `use` with each device that has a replica.
template <class Use>
void each_device(const vd_context& context, const vd_image::Desc& desc, Use&& use) {
  for (uint32_t d = 0; d < context.device_count(); ++d)
    if (d == desc.device || (desc.flags & VD_IMAGE_PER_QUEUE) != 0) use(context.device(d));
}

}  // namespace

Ref<vd_image> vd_image::create(vd_context& context, Desc desc) {
  const TexelMemory needed = complete(context, desc);
  vd_buffer::Desc buffer;
  if ((desc.flags & VD_IMAGE_PER_QUEUE) != 0) buffer.flags |= VD_BUFFER_PER_QUEUE;
  buffer.size = needed.size;
  buffer.device = desc.device;
  buffer.label = desc.label;
  buffer.of_image = true;
  const backends::ImageShape shape = shape_of(desc);
  bool by_units = needed.in_buffer;  // on each device that has a replica
  each_device(context, desc, [&](const backends::Device& its) { by_units &= its.can_sample(shape); });
  Ref<vd_buffer> memory =
      vd_buffer::create(context, std::move(buffer), [&](backends::Device& its) -> std::unique_ptr<backends::Memory> {
        if (needed.in_buffer) return its.make_texels(shape, needed.size);
        return its.make_image(shape);
      });
  return Ref<vd_image>::adopt(new vd_image(std::move(desc), std::move(memory), needed.in_buffer, by_units));
}

vd_image::Support vd_image::support(const vd_context& context, Desc desc) {
  Support support{true, true};
  try {
    (void)complete(context, desc);
    const backends::ImageShape shape = shape_of(desc);
    each_device(context, desc, [&](const backends::Device& its) {
      its.check_image(shape);
      support.mappable &= its.maps_image(shape);
    });
  } catch (const Error& error) {
    if (error.status() != VD_ERR_UNSUPPORTED && error.status() != VD_ERR_OUT_OF_MEMORY) throw;
    return {};
  }
  return support;
}

std::string vd_image::name() const {
  return desc_.label.empty() ? std::string("the image") : fmt::format("image \"{}\"", desc_.label);
}

void vd_image::check_usable() const {
  if (texels_->discarded()) fail(VD_ERR_STATE, "{} was discarded", name());
}

uint64_t vd_image::native(const char* kind, uint32_t number) const {
  check_usable();
  vd_context& ctx = context();
  runtime::Queue& queue = ctx.queue(texels_->per_queue() ? number : ctx.first_queue(desc_.device));
  runtime::Block& block = texels_->block(queue);
  uint64_t handle = 0;
  {
    const std::lock_guard lock(ctx.order());
    if (!block.usable_memory()->get().native(kind, handle))
      fail(VD_ERR_UNSUPPORTED, "the {} backend has no \"{}\" for an image", backends::backend_name(ctx.backend()),
           kind);
  }
  if (in_buffer_) return handle;
  const runtime::Access access{&block, {0, block.size()}, false};
  const runtime::Work work{.accesses = {&access, 1}};
  const auto ticket = runtime::submit(ctx, queue, work, [&](bool) -> std::optional<runtime::Submitted> {
    const auto value = queue.backend.prepare(static_cast<backends::Image&>(block.memory()->get()));
    return value ? std::optional(runtime::Submitted{*value}) : std::nullopt;
  });
  if (ticket) ctx.wait(queue.index, ctx.check_ticket(*ticket).value, VD_WAIT_FOREVER);
  return handle;
}

// ---- Geometry

vd_image::Extent vd_image::extent(uint32_t level) const { return extent_of_level(desc_, level); }

vd_image::Extent vd_image::slices(uint32_t level) const {
  Extent extent = extent_of_level(desc_, level);
  if (desc_.layers != 0) extent[2] = desc_.layers;
  return extent;
}

void vd_image::check_level(uint32_t level, const char* name, const char* field) const {
  if (level >= desc_.levels)
    fail(VD_ERR_INVALID, "{}{} ({}) is not below the levels of {} ({})", name, field, level, this->name(),
         desc_.levels);
}

vd_image::Region vd_image::whole(uint32_t level) const { return {level, {}, slices(level)}; }

vd_image::Region vd_image::region(const vd_image_region& given, const char* name) const {
  check_level(given.level, name, "->level");
  const Extent all = extent_of_level(desc_, given.level);
  Region region{given.level, {}, {}};
  for (uint32_t axis = 0; axis < 3; ++axis) {
    const uint32_t first = given.offset[axis];
    if (first >= all[axis]) {
      fail(VD_ERR_INVALID, "{}->offset[{}] ({}) is not below the extent of level {} of {} ({})", name, axis, first,
           given.level, this->name(), all[axis]);
    }
    const uint32_t count = given.extent[axis] == 0 ? all[axis] - first : given.extent[axis];
    if (count > all[axis] - first) {
      fail(VD_ERR_INVALID, "{}->offset[{}] ({}) + extent[{}] ({}) is past the edge of level {} of {} ({})", name, axis,
           first, axis, count, given.level, this->name(), all[axis]);
    }
    region.offset[axis] = first;
    region.extent[axis] = count;
  }
  const uint32_t layers = layer_count();
  if (given.layer >= layers)
    fail(VD_ERR_INVALID, "{}->layer ({}) is not below the layers of {} ({})", name, given.layer, this->name(), layers);
  const uint32_t count = given.layer_count == 0 ? layers - given.layer : given.layer_count;
  if (count > layers - given.layer) {
    fail(VD_ERR_INVALID, "{}->layer ({}) + layer_count ({}) is past the layers of {} ({})", name, given.layer, count,
         this->name(), layers);
  }
  if (desc_.layers != 0) {
    region.offset[2] = given.layer;
    region.extent[2] = count;
  }
  return region;
}

uint64_t vd_image::size(const Region& region) const {
  return uint64_t{region.extent[0]} * region.extent[1] * region.extent[2] * format().size();
}

std::array<uint64_t, 2> vd_image::pitches(uint32_t level) const {
  const Extent all = slices(level);
  return {all[0], uint64_t{all[0]} * all[1]};
}

uint64_t vd_image::number(uint32_t level, const Extent& at) const {
  const auto [row, slice] = pitches(level);
  return count_texels(desc_, level) + at[2] * slice + at[1] * row + at[0];
}

bool vd_image::is_like(const vd_image& other) const noexcept {
  const Desc &a = desc(), &b = other.desc();
  return a.device == b.device && a.format == b.format && a.dimensions == b.dimensions && a.extent == b.extent &&
         a.layers == b.layers && a.levels == b.levels;
}

bool vd_image::is_dense(const Region& region) const {
  const Extent all = slices(region.level);
  // From the last axis on: once a part is taken, those below must be whole, above it one.
  const bool rows = region.extent[0] == all[0] || (region.extent[1] == 1 && region.extent[2] == 1);
  const bool planes = region.extent[1] == all[1] || region.extent[2] == 1;
  return rows && planes;
}

// ---- What kernels are told

ir::StorageImageBlock vd_image::storage_block(uint32_t level) const {
  const Extent all = slices(level);
  ir::StorageImageBlock block;
  for (uint32_t axis = 0; axis < 3; ++axis) block.size[axis] = static_cast<int32_t>(all[axis]);
  block.size[3] = static_cast<int32_t>(desc_.levels);
  block.from[0] = static_cast<uint32_t>(number(level, {}));
  return block;
}

namespace {

const vd_sampler_desc& desc_of(const vd_sampler* sampler) {
  static constexpr vd_sampler_desc kDefault = VD_SAMPLER_DESC_INIT;
  return sampler == nullptr ? kDefault : sampler->desc();
}

bool repeats(vd_address_mode mode) { return mode == VD_ADDRESS_REPEAT || mode == VD_ADDRESS_MIRRORED_REPEAT; }

// Whether units have the border of the block.
bool is_plain_border(const ir::SampledImageBlock& block) {
  const uint32_t fourth = block.texel[0] < 4 ? std::bit_cast<uint32_t>(1.0f) : 0;
  return block.border == std::array<uint32_t, 4>{0, 0, 0, fourth};
}

}  // namespace

// The flags of the block.
uint32_t vd_image::ways_of(const vd_sampler_desc& how, bool plain_border) const {
  const auto is_linear = [&](vd_filter filter) { return filter == VD_FILTER_LINEAR && format().is_float(); };
  uint32_t flags = format().channels == 1 && format().bits == 32 ? ir::kOneWord : 0;
  if (how.address_mode == VD_ADDRESS_CLAMP_TO_EDGE) flags |= ir::kEdgesRepeat;
  const float lod = runtime::plain_level(how);
  const bool at_base = desc_.levels == 1 || lod <= 0 || (lod <= 0.5f && !is_linear(how.mip_filter));
  const bool nearest = !is_linear(lod <= 0 ? how.mag_filter : how.min_filter);
  if (at_base && nearest) flags |= ir::kNearestWithoutLevel;
  if (desc_.levels == 1 && !is_linear(how.mag_filter) && !is_linear(how.min_filter)) flags |= ir::kNearestAtAnyLevel;
  const bool bordered = how.address_mode == VD_ADDRESS_CLAMP_TO_BORDER && !plain_border;
  const bool filters = is_linear(how.mag_filter) || is_linear(how.min_filter);
  if (by_units_ && !(bordered && filters)) flags |= at_base && !nearest ? ir::kByUnit | ir::kLinearByUnit : ir::kByUnit;
  return flags;
}

ir::SampledImageBlock vd_image::sampled_block(const vd_sampler* sampler) const {
  const vd_sampler_desc& how = desc_of(sampler);
  const Extent all = slices(0);
  ir::SampledImageBlock block;
  for (uint32_t axis = 0; axis < 3; ++axis) block.size[axis] = static_cast<int32_t>(all[axis]);
  block.size[3] = static_cast<int32_t>(desc_.levels);
  block.border = border_bits(how.border_color, format());
  block.texel = {format().channels, format().bits, static_cast<uint32_t>(format().channel), 0};
  block.texel[3] = ways_of(how, is_plain_border(block));
  block.sampler = {static_cast<uint32_t>(how.mag_filter), static_cast<uint32_t>(how.min_filter),
                   static_cast<uint32_t>(how.mip_filter), static_cast<uint32_t>(how.address_mode)};
  block.level = {how.mip_lod_bias, how.min_lod, runtime::highest_level(how), 0};
  for (uint32_t axis = 0; axis < 3; ++axis)
    block.unit[axis] = repeats(how.address_mode) ? 1 / static_cast<float>(all[axis]) : 1;
  for (uint32_t level = 0; level < desc_.levels; ++level)
    block.from[level / 4][level % 4] = static_cast<uint32_t>(number(level, {}));
  return block;
}

ir::SampleBlock vd_image::sample_block(const vd_sampler* sampler) const {
  const vd_sampler_desc& how = desc_of(sampler);
  const auto flag_of = [&](vd_filter filter, uint32_t flag) {
    return filter == VD_FILTER_NEAREST || !format().is_float() ? flag : 0;
  };
  ir::SampleBlock block;
  block.flags = flag_of(how.mag_filter, ir::kNearestMagnified) | flag_of(how.min_filter, ir::kNearestMinified) |
                flag_of(how.mip_filter, ir::kNearestLevel) |
                static_cast<uint32_t>(how.address_mode) << ir::kAddressModeShift;
  block.border = border_bits(how.border_color, format());
  block.bias = how.mip_lod_bias;
  block.lowest = how.min_lod;
  block.highest = runtime::highest_level(how);
  return block;
}
