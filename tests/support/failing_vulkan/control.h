// Controls of the failing layer for tests, exported beside its two entry points. A program that has
// VK_INSTANCE_LAYERS=VK_LAYER_VD_failing and VK_ADD_LAYER_PATH=(its folder) when the loader makes an instance has each
// call below go through it.
#pragma once

#include <cstdint>

extern "C" {
// The number of calls that can be made to fail, and the name of each ("vkCreateBuffer").
unsigned vd_failing_count();
const char* vd_failing_name(unsigned call);
// The nth call of it (1 is the next) fails with a VkResult, once, and does nothing. After VK_ERROR_DEVICE_LOST each call
// that can tell of it does so for that device. n = 0 stops that, and lets lost devices be.
void vd_failing_set(unsigned call, unsigned n, int result);
// Whether one has failed since vd_failing_set().
int vd_failing_met();
// Devices without VK_KHR_pipeline_executable_properties get it from the layer. Says how many bytes each of the next `count`
// pipelines spills that are made with statistics, in their order; later ones spill none. Each has 32 registers.
void vd_failing_spill(const unsigned* bytes, unsigned count);
// The number of pipelines that were made with statistics.
unsigned vd_failing_told();
// The VkResult (of those that Vulkan's specification has for the call) in the given place; 0 past the last.
int vd_failing_result(unsigned call, unsigned place);
}
