#include "vkfft/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "core/log.h"

namespace vd::vkfft::device {

thread_local Current current;

namespace {

Tape& tape() { return *current.tape; }

// VkFFT is C and cannot be unwound: an exception is kept on the tape.
template <class F>
VkResult kept(F&& body) noexcept {
  try {
    body();
    return VK_SUCCESS;
  } catch (...) {
    if (!tape().failure) tape().failure = std::current_exception();
    return VK_ERROR_UNKNOWN;
  }
}

void not_known(const char* what) {
  fail(VD_ERR_UNSUPPORTED, "VkFFT asks for {}, which the recorder of its dispatches does not have", what);
}

// The replacement of a module's words: VkFFT copies them from one call to the next.
struct Words {
  uint32_t magic = 0x07230203;
  uint32_t size = sizeof(Words);
  std::string* glsl = nullptr;
};

struct SetLayout {
  uint32_t count = 0;
};
struct PipelineLayout {
  uint32_t binding_count = 0;
  uint32_t values_size = 0;
};
using Set = std::vector<Slice>;

}  // namespace

// ---- Device and memory

void get_properties(VkPhysicalDevice, VkPhysicalDeviceProperties* out) { *out = current.gpu->physical.properties; }
void get_memory_properties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out) {
  *out = current.gpu->physical.memory;
}

VkResult create_buffer(VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*, VkBuffer* out) {
  return kept([&] {
    auto* made = tape().make<Buffer>();
    made->size = info->size;
    *out = handle<VkBuffer>(made);
  });
}
void get_requirements(VkDevice, VkBuffer buffer, VkMemoryRequirements* out) {
  *out = {from<Buffer>(buffer)->size, 256, (1u << current.gpu->physical.memory.memoryTypeCount) - 1};
}
VkResult allocate_memory(VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*,
                         VkDeviceMemory* out) {
  return kept([&] {
    auto* made = tape().make<Memory>();
    made->size = info->allocationSize;
    *out = handle<VkDeviceMemory>(made);
  });
}
VkResult bind_memory(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset) {
  return kept([&] {
    Buffer& bound = *from<Buffer>(buffer);
    bound.memory = from<Memory>(memory);
    bound.offset = offset;
    if (bound.memory->buffer != nullptr) not_known("one memory for several buffers");
    bound.memory->buffer = &bound;
    if (offset > bound.memory->size || bound.size > bound.memory->size - offset) not_known("a buffer past its memory");
  });
}
VkResult map_memory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags, void** out) {
  return kept([&] { *out = tape().map(*from<Memory>(memory)) + offset; });
}
void unmap_memory(VkDevice, VkDeviceMemory) {}
// ---- Shaders. glslang's part is to hold the text: it is compiled as all other GLSL is, behind the disk cache.

glslang_shader_t* shader_create(const glslang_input_t* input) {
  std::string* made = nullptr;
  kept([&] { made = tape().make<std::string>(input->code); });
  return handle<glslang_shader_t*>(made);
}
void shader_delete(glslang_shader_t*) {}
int shader_accept(glslang_shader_t* shader, const glslang_input_t*) { return shader != nullptr ? 1 : 0; }
const char* shader_log(glslang_shader_t*) { return ""; }
glslang_program_t* program_create() {
  Words* made = nullptr;
  kept([&] { made = tape().make<Words>(); });
  return handle<glslang_program_t*>(made);
}
void program_delete(glslang_program_t*) {}
void program_add(glslang_program_t* program, glslang_shader_t* shader) {
  from<Words>(program)->glsl = from<std::string>(shader);
}
int program_link(glslang_program_t* program, int) { return program != nullptr ? 1 : 0; }
void program_generate(glslang_program_t*, glslang_stage_t) {}
const char* program_messages(glslang_program_t*) { return nullptr; }
const char* program_log(glslang_program_t*) { return ""; }
size_t program_size(glslang_program_t*) { return sizeof(Words) / sizeof(uint32_t); }
unsigned int* program_words(glslang_program_t* program) { return from<unsigned int>(program); }
int compiler_begin() { return 1; }
void compiler_end() {}

VkResult create_shader(VkDevice, const VkShaderModuleCreateInfo* info, const VkAllocationCallbacks*,
                       VkShaderModule* out) {
  return kept([&] {
    Words words{};
    if (info->codeSize != sizeof(words)) not_known("a shader from elsewhere");
    std::copy_n(from<const std::byte>(info->pCode), sizeof(words), from<std::byte>(&words));
    *out = handle<VkShaderModule>(words.glsl);
  });
}

// ---- Layouts, sets and pipelines

VkResult create_set_layout(VkDevice, const VkDescriptorSetLayoutCreateInfo* info, const VkAllocationCallbacks*,
                           VkDescriptorSetLayout* out) {
  return kept([&] {
    auto* made = tape().make<SetLayout>();
    made->count = info->bindingCount;
    for (uint32_t i = 0; i < info->bindingCount; ++i) {
      const VkDescriptorSetLayoutBinding& binding = info->pBindings[i];
      if (binding.binding >= info->bindingCount || binding.descriptorCount != 1 ||
          binding.descriptorType != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
        not_known("a binding that is not a storage buffer");
    }
    *out = handle<VkDescriptorSetLayout>(made);
  });
}
VkResult create_pipeline_layout(VkDevice, const VkPipelineLayoutCreateInfo* info, const VkAllocationCallbacks*,
                                VkPipelineLayout* out) {
  return kept([&] {
    if (info->setLayoutCount > 1) not_known("several descriptor sets");
    auto* made = tape().make<PipelineLayout>();
    if (info->setLayoutCount == 1) made->binding_count = from<SetLayout>(info->pSetLayouts[0])->count;
    for (uint32_t i = 0; i < info->pushConstantRangeCount; ++i) {
      const VkPushConstantRange& range = info->pPushConstantRanges[i];
      made->values_size = std::max(made->values_size, range.offset + range.size);
    }
    *out = handle<VkPipelineLayout>(made);
  });
}
VkResult create_pipelines(VkDevice, VkPipelineCache, uint32_t count, const VkComputePipelineCreateInfo* infos,
                          const VkAllocationCallbacks*, VkPipeline* out) {
  return kept([&] {
    for (uint32_t i = 0; i < count; ++i) {
      if (infos[i].stage.pSpecializationInfo != nullptr) not_known("specialization constants");
      const auto& layout = *from<PipelineLayout>(infos[i].layout);
      auto* made = tape().make<Pipeline>();
      made->glsl = *from<const std::string>(infos[i].stage.module);
      made->binding_count = layout.binding_count;
      made->values_size = layout.values_size;
      out[i] = handle<VkPipeline>(made);
    }
  });
}
VkResult create_pool(VkDevice, const VkDescriptorPoolCreateInfo*, const VkAllocationCallbacks*, VkDescriptorPool* out) {
  return kept([&] { *out = handle<VkDescriptorPool>(tape().make<int>()); });
}
VkResult allocate_sets(VkDevice, const VkDescriptorSetAllocateInfo* info, VkDescriptorSet* out) {
  return kept([&] {
    for (uint32_t i = 0; i < info->descriptorSetCount; ++i)
      out[i] = handle<VkDescriptorSet>(tape().make<Set>(from<SetLayout>(info->pSetLayouts[i])->count));
  });
}
void update_sets(VkDevice, uint32_t count, const VkWriteDescriptorSet* writes, uint32_t, const VkCopyDescriptorSet*) {
  kept([&] {
    for (uint32_t i = 0; i < count; ++i) {
      Set& set = *from<Set>(writes[i].dstSet);
      for (uint32_t k = 0; k < writes[i].descriptorCount; ++k) {
        const VkDescriptorBufferInfo& info = writes[i].pBufferInfo[k];
        set.at(writes[i].dstBinding + k) = {from<Buffer>(info.buffer), info.offset,
                                            info.range == VK_WHOLE_SIZE ? 0 : info.range};
      }
    }
  });
}

// ---- Commands

VkResult allocate_commands(VkDevice, const VkCommandBufferAllocateInfo* info, VkCommandBuffer* out) {
  return kept([&] {
    for (uint32_t i = 0; i < info->commandBufferCount; ++i) out[i] = handle<VkCommandBuffer>(tape().make<Commands>());
  });
}
void free_commands(VkDevice, VkCommandPool, uint32_t, const VkCommandBuffer*) {}
VkResult begin(VkCommandBuffer buffer, const VkCommandBufferBeginInfo*) {
  return kept([&] { *from<Commands>(buffer) = {}; });
}
VkResult end(VkCommandBuffer) { return tape().failure ? VK_ERROR_UNKNOWN : VK_SUCCESS; }
void bind_pipeline(VkCommandBuffer buffer, VkPipelineBindPoint, VkPipeline pipeline) {
  from<Commands>(buffer)->pipeline = from<Pipeline>(pipeline);
}
void bind_sets(VkCommandBuffer buffer, VkPipelineBindPoint, VkPipelineLayout, uint32_t first, uint32_t count,
               const VkDescriptorSet* sets, uint32_t offset_count, const uint32_t*) {
  kept([&] {
    if (first != 0 || count != 1 || offset_count != 0) not_known("several descriptor sets");
    from<Commands>(buffer)->set = from<Set>(sets[0]);
  });
}
void push(VkCommandBuffer buffer, VkPipelineLayout, VkShaderStageFlags, uint32_t offset, uint32_t size,
          const void* values) {
  kept([&] {
    auto& all = from<Commands>(buffer)->values;
    all.resize(std::max<size_t>(all.size(), size_t{offset} + size));
    std::memcpy(all.data() + offset, values, size);
  });
}
void dispatch(VkCommandBuffer buffer, uint32_t x, uint32_t y, uint32_t z) {
  kept([&] {
    Commands& commands = *from<Commands>(buffer);
    if (commands.pipeline == nullptr) fail(VD_ERR_INTERNAL, "VkFFT dispatches without a pipeline");
    Dispatch one{commands.pipeline, {}, commands.values, {x, y, z}};
    one.values.resize(one.pipeline->values_size);
    if (commands.set != nullptr) one.slices = *commands.set;
    bool complete = one.slices.size() == one.pipeline->binding_count;
    for (const Slice& slice : one.slices) complete = complete && slice.buffer != nullptr;
    if (!complete) fail(VD_ERR_INTERNAL, "VkFFT dispatches without all of its buffers");
    commands.work.emplace_back(std::move(one));
  });
}
void copy_buffer(VkCommandBuffer buffer, VkBuffer source, VkBuffer destination, uint32_t count,
                 const VkBufferCopy* regions) {
  kept([&] {
    for (uint32_t i = 0; i < count; ++i)
      from<Commands>(buffer)->work.emplace_back(
          Copy{{from<Buffer>(source), regions[i].srcOffset, regions[i].size},
               {from<Buffer>(destination), regions[i].dstOffset, regions[i].size}});
  });
}
// The steps of a plan run one after the other, and so does work that is run at once.
void pipeline_barrier(VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags, VkDependencyFlags, uint32_t,
                      const VkMemoryBarrier*, uint32_t, const VkBufferMemoryBarrier*, uint32_t,
                      const VkImageMemoryBarrier*) {}
VkResult queue_submit(VkQueue, uint32_t count, const VkSubmitInfo* infos, VkFence) {
  return kept([&] {
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t k = 0; k < infos[i].commandBufferCount; ++k)
        tape().run(*from<Commands>(infos[i].pCommandBuffers[k]));
  });
}
VkResult wait_for_fences(VkDevice, uint32_t, const VkFence*, VkBool32, uint64_t) { return VK_SUCCESS; }
VkResult reset_fences(VkDevice, uint32_t, const VkFence*) { return VK_SUCCESS; }

void* allocate_zeros(size_t count, size_t size) {
  void* made = calloc(count, size);
  if (made == nullptr) return nullptr;
  if (kept([&] { tape().host.insert(made); }) == VK_SUCCESS) return made;
  free(made);
  return nullptr;
}
void* allocate(size_t size) { return allocate_zeros(1, size); }
void give_back(void* memory) {
  tape().host.erase(memory);
  free(memory);
}

// VkFFT's output goes to the log.
int print(const char* format, ...) {
  char line[1024];
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(line, sizeof(line), format, list);
  va_end(list);
  std::string_view text(line);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (!text.empty()) log_warning("VkFFT: {}", text);
  return length;
}

}  // namespace vd::vkfft::device
