// The Vulkan Memory Allocator's one translation unit. It fetches its entry points from the two that gpu.cpp hands it.
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#define VMA_IMPLEMENTATION
#include <volk.h>

#include <vk_mem_alloc.h>
