// Images where a device has none of its own, or none with all that ours have: texels lie in a buffer, level by level,
// each as a C array [layer][depth][height][width][channel], and a kernel reads and filters them itself.
//
// An image argument becomes a buffer of u32 with the same number, and behind all arguments comes one constant for each,
// in their order: a struct of vectors like SampledImageBlock or StorageImageBlock. The filters are those of the Vulkan
// specification (1.3, "Texel Filtering"), with weights in f32.
//
// Where units of the device sample copies of such images, an argument for the copy of each image's level 0 follows, in
// their order. The block tells whether there is one.
#pragma once

#include "ir/kernel.h"

namespace vd::ir {

bool has_images(const Kernel& kernel);

// Arguments for units of a kernel: every device that has some takes 16 samplers, one of them for texels without a filter.
inline constexpr uint32_t kMostUnitImages = 15;

// Samplers of images: the kernel itself, units of the device where an image's block says so, or units alone, for launches whose
// blocks all say so (is_sampled_at_base()). If these blocks also all ask for nearest texels with repeated edges, or all for
// linear filters, the kernel has no branches between its samples, and a device begins many before it waits for one.
enum class Units { None, Some, All, AllNearest, AllLinear };

// The least that samples without a level need, by the flags of an image's block, and by those of two images.
Units units_for(uint32_t flags);
Units units_for(Units a, Units b);

// Whether all samples of a kernel may be by units: those that ask for no level.
bool may_be_all_units(const Kernel& kernel);

// The kernel is analysed again.
void lower_images(Kernel& kernel, Units units = Units::None);

}  // namespace vd::ir
