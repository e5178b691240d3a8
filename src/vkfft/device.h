// The functions of Vulkan and glslang that VkFFT calls, on a tape (tape.h): library.cpp gives them the global names.
#pragma once

#include <glslang/Include/glslang_c_interface.h>

#include "backends/vulkan/gpu.h"
#include "vkfft/tape.h"

namespace vd::vkfft::device {

// The recording of this thread. VkFFT cannot pass a pointer of ours through.
struct Current {
  Tape* tape = nullptr;
  const vulkan::Gpu* gpu = nullptr;
};
extern thread_local Current current;

// VkFFT's handles are pointers to objects of the tape.
template <class T, class H>
T* from(H handle) {
  return reinterpret_cast<T*>(handle);
}
template <class H, class T>
H handle(T* object) {
  return reinterpret_cast<H>(object);
}

void get_properties(VkPhysicalDevice, VkPhysicalDeviceProperties* out);
void get_memory_properties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out);
VkResult create_buffer(VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*, VkBuffer* out);
void get_requirements(VkDevice, VkBuffer buffer, VkMemoryRequirements* out);
VkResult allocate_memory(VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*, VkDeviceMemory* out);
VkResult bind_memory(VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset);
VkResult map_memory(VkDevice, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize, VkMemoryMapFlags, void** out);
void unmap_memory(VkDevice, VkDeviceMemory);
glslang_shader_t* shader_create(const glslang_input_t* input);
void shader_delete(glslang_shader_t*);
int shader_accept(glslang_shader_t* shader, const glslang_input_t*);
const char* shader_log(glslang_shader_t*);
glslang_program_t* program_create();
void program_delete(glslang_program_t*);
void program_add(glslang_program_t* program, glslang_shader_t* shader);
int program_link(glslang_program_t* program, int);
void program_generate(glslang_program_t*, glslang_stage_t);
const char* program_messages(glslang_program_t*);
const char* program_log(glslang_program_t*);
size_t program_size(glslang_program_t*);
unsigned int* program_words(glslang_program_t* program);
int compiler_begin();
void compiler_end();
VkResult create_shader(VkDevice, const VkShaderModuleCreateInfo* info, const VkAllocationCallbacks*,
                       VkShaderModule* out);
VkResult create_set_layout(VkDevice, const VkDescriptorSetLayoutCreateInfo* info, const VkAllocationCallbacks*,
                           VkDescriptorSetLayout* out);
VkResult create_pipeline_layout(VkDevice, const VkPipelineLayoutCreateInfo* info, const VkAllocationCallbacks*,
                                VkPipelineLayout* out);
VkResult create_pipelines(VkDevice, VkPipelineCache, uint32_t count, const VkComputePipelineCreateInfo* infos,
                          const VkAllocationCallbacks*, VkPipeline* out);
VkResult create_pool(VkDevice, const VkDescriptorPoolCreateInfo*, const VkAllocationCallbacks*, VkDescriptorPool* out);
VkResult allocate_sets(VkDevice, const VkDescriptorSetAllocateInfo* info, VkDescriptorSet* out);
void update_sets(VkDevice, uint32_t count, const VkWriteDescriptorSet* writes, uint32_t, const VkCopyDescriptorSet*);
VkResult allocate_commands(VkDevice, const VkCommandBufferAllocateInfo* info, VkCommandBuffer* out);
void free_commands(VkDevice, VkCommandPool, uint32_t, const VkCommandBuffer*);
VkResult begin(VkCommandBuffer buffer, const VkCommandBufferBeginInfo*);
VkResult end(VkCommandBuffer);
void bind_pipeline(VkCommandBuffer buffer, VkPipelineBindPoint, VkPipeline pipeline);
void bind_sets(VkCommandBuffer buffer, VkPipelineBindPoint, VkPipelineLayout, uint32_t first, uint32_t count,
               const VkDescriptorSet* sets, uint32_t offset_count, const uint32_t*);
void push(VkCommandBuffer buffer, VkPipelineLayout, VkShaderStageFlags, uint32_t offset, uint32_t size,
          const void* values);
void dispatch(VkCommandBuffer buffer, uint32_t x, uint32_t y, uint32_t z);
void copy_buffer(VkCommandBuffer buffer, VkBuffer source, VkBuffer destination, uint32_t count,
                 const VkBufferCopy* regions);
void pipeline_barrier(VkCommandBuffer, VkPipelineStageFlags, VkPipelineStageFlags, VkDependencyFlags, uint32_t,
                      const VkMemoryBarrier*, uint32_t, const VkBufferMemoryBarrier*, uint32_t,
                      const VkImageMemoryBarrier*);
VkResult queue_submit(VkQueue, uint32_t count, const VkSubmitInfo* infos, VkFence);
VkResult wait_for_fences(VkDevice, uint32_t, const VkFence*, VkBool32, uint64_t);
VkResult reset_fences(VkDevice, uint32_t, const VkFence*);
// VkFFT 1.3.4 leaks some host memory in every plan: the tape frees it.
void* allocate(size_t size);
void* allocate_zeros(size_t count, size_t size);
void give_back(void* memory);
[[gnu::format(printf, 1, 2)]] int print(const char* format, ...);

// The tape keeps the object: the recorded transform refers to it, and to its contents.
template <class H>
void destroy(VkDevice, H, const VkAllocationCallbacks*) {}

}  // namespace vd::vkfft::device
