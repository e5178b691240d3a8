#include "backends/vulkan/layout.h"

#include <vector>

namespace vd::vulkan {

VkDescriptorType LayoutKey::descriptor(uint32_t binding) const {
  if (binding >= argument_count) return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  switch (kind(binding)) {
    case BindingKind::SampledImage:
      return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case BindingKind::StorageImage:
      return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case BindingKind::UniformBuffer:
      return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
    case BindingKind::Texture:
      return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case BindingKind::Sampler:
      return VK_DESCRIPTOR_TYPE_SAMPLER;
    default:
      return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  }
}

std::shared_ptr<const Layout> Layouts::get(const LayoutKey& key) {
  const std::lock_guard lock(mutex_);
  auto& layout = layouts_[key];
  if (!layout) layout = make(key);
  return layout;
}

std::shared_ptr<const Layout> Layouts::make(const LayoutKey& key) const {
  auto layout = std::make_shared<Layout>();
  layout->key = key;
  layout->push_descriptors = gpu_->push_descriptors && key.binding_count() <= gpu_->physical.max_push_descriptors;

  std::vector<VkDescriptorSetLayoutBinding> bindings;
  for (uint32_t i = 0; i < key.binding_count(); ++i) {
    if (!key.is_bound(i)) continue;
    VkDescriptorSetLayoutBinding& binding = bindings.emplace_back();
    binding.binding = i;
    binding.descriptorType = key.descriptor(i);
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
  }
  VkDescriptorSetLayoutCreateInfo set_info{};
  set_info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  if (layout->push_descriptors) set_info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
  set_info.bindingCount = static_cast<uint32_t>(bindings.size());
  set_info.pBindings = bindings.data();
  VkDescriptorSetLayout set = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreateDescriptorSetLayout(gpu_->device(), &set_info, nullptr, &set),
              "vkCreateDescriptorSetLayout", "{} bindings", bindings.size());
  layout->set = DescriptorSetLayout(gpu_, set);

  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, key.push_size};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = key.push_size != 0 ? 1 : 0;
  info.pPushConstantRanges = &range;
  VkPipelineLayout pipeline = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreatePipelineLayout(gpu_->device(), &info, nullptr, &pipeline), "vkCreatePipelineLayout",
              "{} bindings and {} bytes of push constants", bindings.size(), key.push_size);
  layout->pipeline = PipelineLayout(gpu_, pipeline);
  return layout;
}

}  // namespace vd::vulkan
