#include "backends/vulkan/encoder.h"

#include <algorithm>
#include <cstring>

#include "backends/vulkan/counts.h"
#include "backends/vulkan/marks.h"

namespace vd::vulkan {
namespace {

using backends::Command;
using backends::Range;

Memory& memory_of(const Range& range) { return static_cast<Memory&>(*range.memory); }
Image& image_of(const Range& range) { return static_cast<Image&>(*range.memory); }

uint32_t kind_of(const Command& command) noexcept {
  return command.kind == Command::Kind::Dispatch ? kCompute : kTransfer;
}

bool same(const VkDescriptorBufferInfo& a, const VkDescriptorBufferInfo& b) noexcept {
  return a.buffer == b.buffer && a.offset == b.offset && a.range == b.range;
}
bool same_range(const Range& a, const Range& b) noexcept {
  return a.memory == b.memory && a.offset == b.offset && a.size == b.size;
}
bool same_image(const VkDescriptorImageInfo& a, const VkDescriptorImageInfo& b) noexcept {
  return a.sampler == b.sampler && a.imageView == b.imageView;
}

// Makes the view that it is bound by, so that encoding does not fail for want of it.
void check_image(BindingKind kind, const Range& range, const CommandView& view, uint32_t use, uint32_t binding,
                 const std::string& label) {
  if (use >= view.images.size())
    fail(VD_ERR_INVALID, "image {} of kernel \"{}\" is given without its use.", binding, label);
  const backends::ImageUse& how = view.images[use];
  if (kind == BindingKind::SampledImage || kind == BindingKind::Sampler) {
    if (how.sampler == nullptr) fail(VD_ERR_INVALID, "image {} of kernel \"{}\" has no sampler.", binding, label);
    return;
  }
  if (kind == BindingKind::Texture) return;
  const Image& image = image_of(range);
  if (how.level >= image.shape().levels) {
    fail(VD_ERR_INVALID, "level ({}) of image {} of kernel \"{}\" is not below {}.", how.level, binding, label,
         image.shape().levels);
  } else {
    (void)image.storage_view(how.level);
  }
}

// The code that has the buffers' addresses, where the module wants them or one is longer than what a descriptor binds.
const Module* by_address(const Gpu& gpu, const Module& module, const Command& command, const CommandView& view) {
  const Module* const other = module.by_address();
  if (other == nullptr || module.wants_addresses()) return other;
  const uint64_t most = gpu.info().max_storage_buffer_range;
  const LayoutKey& key = module.layout().key;
  for (uint32_t i = 0; i < key.argument_count; ++i)
    if (view.ranges[command.first_binding + i].size > most && key.kind(i) == BindingKind::Buffer) return other;
  return nullptr;
}

// Buffers of a kernel that finds them by their addresses.
void check_addresses(const Gpu& gpu, const Module& module, const Command& command, const CommandView& view) {
  for (const codegen::AddressedBuffer& buffer : module.addresses()) {
    const Range& range = view.ranges[command.first_binding + buffer.binding];
    if ((memory_of(range).address() + range.offset) % buffer.align != 0)
      fail(VD_ERR_UNSUPPORTED,
           "the offset ({}) of buffer {} of kernel \"{}\" is not a multiple of {}, as its accesses are.", range.offset,
           buffer.binding, module.label(), buffer.align);
    if (gpu.robust && range.size < buffer.least_size)
      fail(VD_ERR_UNSUPPORTED, "buffer {} of kernel \"{}\" has {} bytes, fewer than an access to it ({}).",
           buffer.binding, module.label(), range.size, buffer.least_size);
  }
}

void check_dispatch(const Gpu& gpu, const Command& command, const CommandView& view) {
  const auto& module = static_cast<const Module&>(*command.module);
  const auto& info = gpu.info();
  const LayoutKey& key = module.layout().key;
  backends::check_arguments(command, view, module.label(), key.argument_count, module.values_size());
  for (int i = 0; i < 3; ++i)
    if (command.workgroups[i] > info.max_workgroup_count[i])
      fail(VD_ERR_UNSUPPORTED,
           "kernel \"{}\" is launched with {} workgroups on axis {}; Vulkan device \"{}\" allows {}.", module.label(),
           command.workgroups[i], "xyz"[i], info.name, info.max_workgroup_count[i]);
  if (command.counts && module.counter() == nullptr)
    fail(VD_ERR_INTERNAL, "kernel \"{}\" was not made ready for counts in memory.", module.label());
  uint32_t image = command.first_image;
  const Module* const addressed = by_address(gpu, module, command, view);
  if (addressed != nullptr) check_addresses(gpu, *addressed, command, view);
  for (uint32_t i = 0; i < command.binding_count; ++i) {
    const Range& range = view.ranges[command.first_binding + i];
    if (has_use(key.kind(i))) {
      check_image(key.kind(i), range, view, image++, i, module.label());
      continue;
    }
    if (addressed != nullptr) continue;
    const bool uniform = key.kind(i) == BindingKind::UniformBuffer;
    const uint64_t most = uniform ? info.max_uniform_buffer_range : info.max_storage_buffer_range;
    const uint32_t alignment = uniform ? info.uniform_buffer_alignment : info.storage_buffer_alignment;
    const bool aligned = alignment == 0 || range.offset % alignment == 0;
    const Module* shifted = aligned || uniform ? nullptr : module.shifted();
    const auto shift = shifted == nullptr ? std::nullopt : shifted->shift_of(i, range.offset);
    if (range.size + shift.value_or(0) > most)
      fail(VD_ERR_UNSUPPORTED, "{} {} of kernel \"{}\" has {} bytes; Vulkan device \"{}\" binds at most {}.",
           uniform ? "uniform block" : "buffer", i, module.label(), range.size, info.name, most);
    if (!aligned && !shift)
      fail(VD_ERR_UNSUPPORTED,
           "the offset ({}) of {} {} of kernel \"{}\" is not a multiple of {}, as Vulkan device \"{}\" needs.",
           range.offset, uniform ? "uniform block" : "buffer", i, module.label(), alignment, info.name);
  }
}

bool reads_uniforms(std::span<const Command> commands) {
  return std::ranges::any_of(commands, [](const Command& command) {
    return command.kind == Command::Kind::Dispatch &&
           static_cast<const Module&>(*command.module).layout().key.count(BindingKind::UniformBuffer) != 0;
  });
}

}  // namespace

uint32_t level_kinds(std::span<const Command> commands, size_t first, size_t& end) noexcept {
  uint32_t kinds = kNoWork;
  for (end = first; end < commands.size() && commands[end].level == commands[first].level; ++end)
    kinds |= kind_of(commands[end]);
  return kinds;
}

void check_commands(const Gpu& gpu, const CommandView& view) {
  for (const Command& command : view.commands)
    if (command.kind == Command::Kind::Dispatch) check_dispatch(gpu, command, view);
}

void Encoder::begin(VkCommandBuffer buffer, Arena& arena, bool once) {
  buffer_ = buffer;
  arena_ = &arena;
  touches_host_ = false;
  pipeline_ = VK_NULL_HANDLE;
  layout_ = VK_NULL_HANDLE;
  forget_bindings();
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = once ? VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT : VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  gpu_.check(gpu_.vk.vkBeginCommandBuffer(buffer_, &info), "vkBeginCommandBuffer", "{}",
             once ? "a list of work" : "a graph");
}

void Encoder::end() {
  if (touches_host_) {
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = writes_of(kCompute | kTransfer);
    memory.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    gpu_.vk.vkCmdPipelineBarrier(buffer_, stages_of(kCompute | kTransfer), VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &memory, 0,
                                 nullptr, 0, nullptr);
  }
  gpu_.check(gpu_.vk.vkEndCommandBuffer(buffer_), "vkEndCommandBuffer", "recorded work");
  buffer_ = VK_NULL_HANDLE;
}

// The queue's hazards are not told: only the next mark accesses the word, and a recorded transfer would make the
// barriers of later kernels slower.
void Encoder::mark(VkBuffer word, uint32_t number) {
  record_mark(gpu_, buffer_, word, number);
  touches_host_ = false;
}

void Encoder::barrier(uint32_t from, uint32_t to) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = writes_of(from);
  memory.dstAccessMask = accesses_of(to);
  gpu_.vk.vkCmdPipelineBarrier(buffer_, stages_of(from), stages_of(to), 0, 1, &memory, 0, nullptr, 0, nullptr);
  hazards_.barrier(from, to);
}

void Encoder::barrier_before(uint32_t next, bool depends) {
  if (const uint32_t from = hazards_.before(next, depends); from != kNoWork) barrier(from, next);
  if (depends) hazards_.mark_ordered();
}

void Encoder::encode(const CommandView& view, bool wait_before) {
  for (size_t first = 0, end = 0; first < view.commands.size(); first = end) {
    const uint32_t kinds = level_kinds(view.commands, first, end);
    barrier_before(kinds, first != 0 || wait_before);
    const std::span<const Command> level = view.commands.subspan(first, end - first);
    if (reads_uniforms(level)) show_to_uniforms();
    limit_counts(level, view);
    for (size_t i = first; i < end; ++i) encode(view.commands[i], view);
    hazards_.record(kinds);
  }
}

// A timestamp is written when all earlier commands have ended; the barrier before it lets the next one begin no earlier.
// So one is the end of a command and the begin of the next, and no command's time has a wait in it.
void Encoder::encode(const CommandView& view, const Queries& queries) {
  uint32_t query = queries.first;
  const auto write_time = [&] {
    gpu_.vk.vkCmdWriteTimestamp(buffer_, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries.pool, query++);
  };
  for (size_t i = 0; i < view.commands.size(); ++i) {
    const std::span<const Command> command = view.commands.subspan(i, 1);
    const uint32_t kind = kind_of(command.front());
    barrier_before(kind, true);
    if (reads_uniforms(command)) show_to_uniforms();
    write_time();
    limit_counts(command, view);
    encode(command.front(), view);
    hazards_.record(kind);
  }
  write_time();
}

void Encoder::encode(const Command& command, const CommandView& view) {
  switch (command.kind) {
    case Command::Kind::Dispatch:
      dispatch(command, view);
      break;
    case Command::Kind::Copy:
      note(command.source);
      note(command.destination);
      copy(memory_of(command.source).buffer(), command.source.offset, memory_of(command.destination).buffer(),
           command.destination.offset, command.destination.size);
      break;
    case Command::Kind::CopyToImage:
      note(command.source);
      note(image_of(command.destination));
      copy_to_image(memory_of(command.source).buffer(), command.source.offset, image_of(command.destination),
                    view.boxes[command.first_box]);
      break;
    case Command::Kind::CopyFromImage:
      note(command.destination);
      copy_from_image(image_of(command.source), view.boxes[command.first_box], memory_of(command.destination).buffer(),
                      command.destination.offset);
      break;
    case Command::Kind::CopyImage:
      note(image_of(command.destination));
      copy_image(image_of(command.source), view.boxes[command.first_box], image_of(command.destination),
                 view.boxes[command.first_box + 1]);
      break;
    case Command::Kind::Fill:
      note(command.destination);
      if (command.destination.size != 0)
        gpu_.vk.vkCmdFillBuffer(buffer_, memory_of(command.destination).buffer(), command.destination.offset,
                                command.destination.size, command.pattern);
      break;
  }
}

// The other barriers do not show writes to uniform blocks, which few kernels have.
void Encoder::show_to_uniforms() {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = writes_of(kCompute | kTransfer);
  memory.dstAccessMask = VK_ACCESS_UNIFORM_READ_BIT;
  gpu_.vk.vkCmdPipelineBarrier(buffer_, stages_of(kCompute | kTransfer), stages_of(kCompute), 0, 1, &memory, 0, nullptr,
                               0, nullptr);
}

void Encoder::limit_counts(std::span<const Command> commands, const CommandView& view) {
  counts_.clear();
  next_counts_ = 0;
  const uint64_t align = std::max<uint64_t>(gpu_.info().storage_buffer_alignment, sizeof(uint32_t));
  for (const Command& command : commands) {
    if (!command.counts) continue;
    const Range& given = view.ranges[command.first_binding + command.binding_count];
    const uint64_t begin = given.offset / align * align, end = given.offset + given.size;
    const Range ranges[] = {{given.memory, begin, end - begin}, arena_->take_counts()};
    const CountsValues values{command.workgroups, static_cast<uint32_t>((given.offset - begin) / sizeof(uint32_t))};
    Command limit;
    limit.module = static_cast<const Module&>(*command.module).counter();
    limit.workgroups = {1, 1, 1};
    limit.binding_count = 2;
    limit.values_size = sizeof(values);
    dispatch(limit, {{&limit, 1}, ranges, std::as_bytes(std::span(&values, 1))});
    counts_.push_back(ranges[1]);
  }
  if (counts_.empty()) return;
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_INDIRECT_COMMAND_READ_BIT;
  gpu_.vk.vkCmdPipelineBarrier(buffer_, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0, 1,
                               &memory, 0, nullptr, 0, nullptr);
}

void Encoder::copy(VkBuffer source, uint64_t source_offset, VkBuffer destination, uint64_t destination_offset,
                   uint64_t size) {
  if (size == 0) return;
  const VkBufferCopy region{source_offset, destination_offset, size};
  gpu_.vk.vkCmdCopyBuffer(buffer_, source, destination, 1, &region);
}

// ---- Images

void Encoder::prepare(const Image& image) {
  VkImageMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
  barrier.srcAccessMask = image.mapped() ? VK_ACCESS_HOST_WRITE_BIT : 0;
  barrier.dstAccessMask = accesses_of(kCompute | kTransfer);
  barrier.oldLayout = image.mapped() ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED;
  barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
  barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.handle();
  barrier.subresourceRange = image.whole();
  const VkPipelineStageFlags from = image.mapped() ? VK_PIPELINE_STAGE_HOST_BIT : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT;
  gpu_.vk.vkCmdPipelineBarrier(buffer_, from, stages_of(kCompute | kTransfer), 0, 0, nullptr, 0, nullptr, 1, &barrier);
}

void Encoder::copy_to_image(VkBuffer source, uint64_t offset, const Image& image, const backends::Box& box) {
  const Place place = place_of(image, box);
  const VkBufferImageCopy region{offset, 0, 0, place.part, place.offset, place.extent};
  gpu_.vk.vkCmdCopyBufferToImage(buffer_, source, image.handle(), VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

void Encoder::copy_from_image(const Image& image, const backends::Box& box, VkBuffer destination, uint64_t offset) {
  const Place place = place_of(image, box);
  const VkBufferImageCopy region{offset, 0, 0, place.part, place.offset, place.extent};
  gpu_.vk.vkCmdCopyImageToBuffer(buffer_, image.handle(), VK_IMAGE_LAYOUT_GENERAL, destination, 1, &region);
}

void Encoder::copy_image(const Image& source, const backends::Box& from, const Image& destination,
                         const backends::Box& to) {
  // Vulkan copies between images of one type, and between those of 2 and 3 dimensions.
  const bool one_type = source.type() == destination.type();
  if (!one_type && (source.type() == VK_IMAGE_TYPE_1D || destination.type() == VK_IMAGE_TYPE_1D)) {
    const uint64_t texels = uint64_t{from.extent[0]} * from.extent[1] * from.extent[2];
    const VkBuffer scratch = arena_->make_scratch(texels * source.texel_size());
    copy_from_image(source, from, scratch, 0);
    VkMemoryBarrier memory{};
    memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    memory.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    memory.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
    gpu_.vk.vkCmdPipelineBarrier(buffer_, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &memory,
                                 0, nullptr, 0, nullptr);
    return copy_to_image(scratch, 0, destination, to);
  }
  const Place here = place_of(source, from), there = place_of(destination, to);
  VkExtent3D extent = here.extent;
  extent.depth = std::max(here.extent.depth, there.extent.depth);  // layers of the one may be the other's depth
  const VkImageCopy region{here.part, here.offset, there.part, there.offset, extent};
  gpu_.vk.vkCmdCopyImage(buffer_, source.handle(), VK_IMAGE_LAYOUT_GENERAL, destination.handle(),
                         VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

void Encoder::note(const Range& range) noexcept {
  if (memory_of(range).mapped()) touches_host_ = true;
}
void Encoder::note(const Image& image) noexcept {
  if (image.mapped()) touches_host_ = true;
}

namespace {

// The code that takes these buffers: where they begin, and as long as they are.
const Module& module_for(const Gpu& gpu, const Command& command, const CommandView& view) {
  const auto& module = static_cast<const Module&>(*command.module);
  if (const Module* const addressed = by_address(gpu, module, command, view); addressed != nullptr) [[unlikely]]
    return *addressed;
  const Module* shifted = module.shifted();
  if (shifted == nullptr) [[likely]]
    return module;
  const LayoutKey& key = module.layout().key;
  for (uint32_t i = 0; i < command.binding_count; ++i)
    if (key.kind(i) == BindingKind::Buffer &&
        view.ranges[command.first_binding + i].offset % module.offset_alignment() != 0)
      return *shifted;
  return module;
}

// A sampler alone is the one of integers where all of the kernel's textures are.
bool samples_integers(const LayoutKey& key, std::span<const Range> ranges) {
  bool integers = false;
  for (uint32_t i = 0; i < key.argument_count; ++i) {
    if (key.kind(i) != BindingKind::Texture) continue;
    if (image_of(ranges[i]).is_float()) return false;
    integers = true;
  }
  return integers;
}

VkDescriptorImageInfo image_info(const LayoutKey& key, uint32_t binding, std::span<const Range> ranges,
                                 const backends::ImageUse& use) {
  const BindingKind kind = key.kind(binding);
  if (kind == BindingKind::Sampler)
    return {static_cast<const Sampler&>(*use.sampler).of(samples_integers(key, ranges)), VK_NULL_HANDLE,
            VK_IMAGE_LAYOUT_UNDEFINED};
  const Image& image = image_of(ranges[binding]);
  if (kind == BindingKind::StorageImage)
    return {VK_NULL_HANDLE, image.storage_view(use.level), VK_IMAGE_LAYOUT_GENERAL};
  const VkSampler sampler =
      kind == BindingKind::SampledImage ? static_cast<const Sampler&>(*use.sampler).of(image) : VK_NULL_HANDLE;
  return {sampler, image.sampled_view(), VK_IMAGE_LAYOUT_GENERAL};
}

}  // namespace

void Encoder::dispatch(const Command& command, const CommandView& view) {
  if (command.workgroups[0] == 0 || command.workgroups[1] == 0 || command.workgroups[2] == 0) return;
  const Module& module = module_for(gpu_, command, view);
  if (module.pipeline() != pipeline_) {
    pipeline_ = module.pipeline();
    gpu_.vk.vkCmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
  }
  const Layout& layout = module.layout();
  if (layout.pipeline.get() != layout_) {
    // Another layout invalidates the bindings of the last one.
    layout_ = layout.pipeline.get();
    forget_bindings();
  }
  bind(module, command, view);
  const std::byte* values = view.values.data() + command.first_value;
  if (layout.key.push_size != 0 &&
      (pushed_.size() != command.values_size || std::memcmp(pushed_.data(), values, command.values_size) != 0)) {
    pushed_.assign(values, values + command.values_size);
    // Push constants are whole words.
    const size_t size = pushed_.size();
    pushed_.resize(layout.key.push_size);
    gpu_.vk.vkCmdPushConstants(buffer_, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, layout.key.push_size, pushed_.data());
    pushed_.resize(size);
  }
  if (command.counts) {
    const Range& counts = counts_[next_counts_++];
    gpu_.vk.vkCmdDispatchIndirect(buffer_, memory_of(counts).buffer(), counts.offset);
  } else {
    gpu_.vk.vkCmdDispatch(buffer_, command.workgroups[0], command.workgroups[1], command.workgroups[2]);
  }
}

void Encoder::forget_bindings() noexcept {
  bound_.clear();
  bound_images_.clear();
  bound_module_ = nullptr;
  pushed_.clear();
}

void Encoder::bind(const Module& module, const Command& command, const CommandView& view) {
  const Layout& layout = module.layout();
  const uint32_t count = layout.key.binding_count();
  if (count == 0) return;
  const auto ranges = view.ranges.subspan(command.first_binding, command.binding_count);
  if (bound_module_ == &module && std::equal(ranges.begin(), ranges.end(), bound_ranges_.begin(), same_range)) return;
  const bool plain = layout.key.kinds.empty() && layout.key.uniform_size == 0 && layout.key.shift_count == 0;
  bound_module_ = plain ? &module : nullptr;
  if (plain) bound_ranges_.assign(ranges.begin(), ranges.end());
  infos_.clear();
  image_infos_.clear();
  const LayoutKey& key = layout.key;
  for (uint32_t i = 0; i < key.argument_count; ++i) {
    const Range& range = ranges[i];
    if (!key.is_bound(i)) {
      note(range);
      infos_.push_back({});
      continue;
    }
    if (!has_use(key.kind(i))) {
      note(range);
      const uint64_t shift = key.shift_count != 0 ? module.shift_of(i, range.offset).value_or(0) : 0;
      infos_.push_back({memory_of(range).buffer(), range.offset - shift, range.size + shift});
      continue;
    }
    const backends::ImageUse& use = view.images[command.first_image + image_infos_.size()];
    if (key.kind(i) == BindingKind::StorageImage) note(image_of(range));
    image_infos_.push_back(image_info(key, i, ranges, use));
    infos_.push_back({});
  }
  if (key.uniform_size != 0) {
    const UniformSlice slice = arena_->put_values(view.values.data() + command.first_value, command.values_size);
    infos_.push_back({slice.buffer, slice.offset, command.values_size});
  }
  if (key.shift_count != 0) {
    shifts_.clear();
    for (const auto& [binding, stride] : module.shifts()) {
      const uint64_t offset = view.ranges[command.first_binding + binding].offset;
      shifts_.push_back(static_cast<uint32_t>(module.shift_of(binding, offset).value_or(0) / stride));
    }
    const auto size = static_cast<uint32_t>(shifts_.size() * sizeof(uint32_t));
    const UniformSlice slice = arena_->put_values(shifts_.data(), size);
    infos_.push_back({slice.buffer, slice.offset, size});
  }
  if (key.address_count != 0) {
    addresses_.clear();
    for (const codegen::AddressedBuffer& buffer : module.addresses()) {
      const Range& range = view.ranges[command.first_binding + buffer.binding];
      addresses_.push_back(memory_of(range).address() + range.offset);
      addresses_.push_back(range.size);
    }
    const auto size = static_cast<uint32_t>(addresses_.size() * sizeof(uint64_t));
    const UniformSlice slice = arena_->put_values(addresses_.data(), size);
    infos_.push_back({slice.buffer, slice.offset, size});
  }
  if (bound_.size() == count && std::equal(infos_.begin(), infos_.end(), bound_.begin(), same) &&
      std::ranges::equal(image_infos_, bound_images_, same_image))
    return;
  bound_ = infos_;
  bound_images_ = image_infos_;

  const VkDescriptorSet set = layout.push_descriptors ? VK_NULL_HANDLE : arena_->allocate_set(layout);
  writes_.clear();
  size_t image = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!key.is_bound(i)) continue;
    auto& write = writes_.emplace_back();
    write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
    write.dstSet = set;
    write.dstBinding = i;
    write.descriptorCount = 1;
    write.descriptorType = key.descriptor(i);
    if (i < key.argument_count && has_use(key.kind(i)))
      write.pImageInfo = &image_infos_[image++];
    else
      write.pBufferInfo = &infos_[i];
  }
  if (layout.push_descriptors) {
    gpu_.vk.vkCmdPushDescriptorSetKHR(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0,
                                      static_cast<uint32_t>(writes_.size()), writes_.data());
  } else {
    gpu_.vk.vkUpdateDescriptorSets(gpu_.device(), static_cast<uint32_t>(writes_.size()), writes_.data(), 0, nullptr);
    gpu_.vk.vkCmdBindDescriptorSets(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set, 0, nullptr);
  }
}

}  // namespace vd::vulkan
