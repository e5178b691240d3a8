// Writes neutral commands into a command buffer: pipelines, arguments, dispatches, copies, fills, and the barriers
// between levels. Only state that changed since the last command is set again.
#pragma once

#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/checks.h"
#include "backends/vulkan/arena.h"
#include "backends/vulkan/hazards.h"
#include "backends/vulkan/image.h"
#include "backends/vulkan/module.h"
#include "backends/vulkan/timing.h"

namespace vd::vulkan {

// The queue keeps many lists one after another in such arrays.
using backends::CommandView;

// Kinds of the commands of the level that begins at `first`; `end` becomes the level's end.
uint32_t level_kinds(std::span<const backends::Command> commands, size_t first, size_t& end) noexcept;

// Throws if a command cannot be encoded on this device: a range that is too long or not aligned, a missing argument.
void check_commands(const Gpu& gpu, const CommandView& view);

// Calls give(image) for every image that the commands use, once for each use.
template <class F>
void for_each_image(const CommandView& view, F&& give) {
  if (view.images.empty() && view.boxes.empty()) return;
  using Kind = backends::Command::Kind;
  const auto image = [](const backends::Range& range) -> Image& { return static_cast<Image&>(*range.memory); };
  for (const backends::Command& command : view.commands) {
    if (command.kind == Kind::CopyFromImage || command.kind == Kind::CopyImage) give(image(command.source));
    if (command.kind == Kind::CopyToImage || command.kind == Kind::CopyImage) give(image(command.destination));
    if (command.kind != Kind::Dispatch) continue;
    const LayoutKey& key = static_cast<const Module&>(*command.module).layout().key;
    for (uint32_t i = 0; i < key.kinds.size(); ++i)
      if (is_image(key.kinds[i])) give(image(view.ranges[command.first_binding + i]));
  }
}

class Encoder {
 public:
  // Both outlive the encoder. `hazards` carries over from one command buffer to the next.
  Encoder(const Gpu& gpu, Hazards& hazards) : gpu_(gpu), hazards_(hazards) {}

  // Begin a command buffer that is submitted once, or many times at once. `arena` is its own.
  void begin(VkCommandBuffer buffer, Arena& arena, bool once);
  void end();
  bool open() const noexcept { return buffer_ != VK_NULL_HANDLE; }

  // All commands; the first level waits for what was recorded before only if `wait_before`.
  void encode(const CommandView& view, bool wait_before);
  // One after the other, each after all earlier work, with a timestamp before each and after the last.
  void encode(const CommandView& view, const Queries& queries);
  void copy(VkBuffer source, uint64_t source_offset, VkBuffer destination, uint64_t destination_offset, uint64_t size);
  // An image's layout becomes the one that it keeps.
  void prepare(const Image& image);
  // Make work of kinds `next` wait for all earlier work if it `depends` on that, else for what is owed (hazards.h).
  void show_to_uniforms();
  void barrier_before(uint32_t next, bool depends);
  void barrier(uint32_t from, uint32_t to);
  // At the end of a command buffer: writes to mapped memory become visible to the host.
  void touches_host() noexcept { touches_host_ = true; }
  // At the end of the last command buffer of a submission (marks.h).
  void mark(VkBuffer word, uint32_t number);

 private:
  void encode(const backends::Command& command, const CommandView& view);
  void dispatch(const backends::Command& command, const CommandView& view);
  // Before the dispatches of `commands`, which are of one level.
  void limit_counts(std::span<const backends::Command> commands, const CommandView& view);
  void forget_bindings() noexcept;
  void bind(const Module& module, const backends::Command& command, const CommandView& view);
  void copy_to_image(VkBuffer source, uint64_t offset, const Image& image, const backends::Box& box);
  void copy_from_image(const Image& image, const backends::Box& box, VkBuffer destination, uint64_t offset);
  void copy_image(const Image& source, const backends::Box& from, const Image& destination, const backends::Box& to);
  // Takes what a command may write.
  void note(const backends::Range& range) noexcept;
  void note(const Image& image) noexcept;

  const Gpu& gpu_;
  Hazards& hazards_;
  Arena* arena_ = nullptr;
  VkCommandBuffer buffer_ = VK_NULL_HANDLE;
  bool touches_host_ = false;
  // The current bindings of the command buffer.
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorBufferInfo> bound_;
  std::vector<VkDescriptorImageInfo> bound_images_;
  const Module* bound_module_ = nullptr;       // of the last dispatch, where that had buffers alone
  std::vector<backends::Range> bound_ranges_;  // and their ranges
  std::vector<std::byte> pushed_;
  // Scratch.
  std::vector<VkDescriptorBufferInfo> infos_;       // of all bindings; nothing for images
  std::vector<VkDescriptorImageInfo> image_infos_;  // of the images
  std::vector<VkWriteDescriptorSet> writes_;
  std::vector<uint32_t> shifts_;
  std::vector<backends::Range> counts_;  // of the dispatches that have them, until they are encoded
  size_t next_counts_ = 0;
  std::vector<uint64_t> addresses_;
};

}  // namespace vd::vulkan
