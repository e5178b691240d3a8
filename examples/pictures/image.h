/* What the two programs share that sample an image: the kernel, the image, its sampler, and the launch. */
#ifndef IMAGE_H
#define IMAGE_H

#include "program.h"
#include "vkdispatch_build.h"

static vd_builder* begin_kernel(const char* name) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  vd_builder* b = NULL;
  desc.name = name;
  check(vd_builder_create(&desc, &b));
  return b;
}

static vd_plan* end_kernel(vd_context* ctx, vd_builder* b) {
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  vd_kernel* kernel = NULL;
  vd_plan* plan = NULL;
  check(vd_builder_finish(b, &kernel));
  desc.kernel = kernel;
  check(vd_plan_create(ctx, &desc, &plan));
  vd_kernel_release(kernel);
  vd_builder_release(b);
  return plan;
}

static vd_image* make_image(vd_context* ctx, vd_format format, uint32_t dimensions, const uint32_t* extent,
                            const void* texels, uint64_t size) {
  vd_image_desc desc = VD_IMAGE_DESC_INIT;
  vd_image* image = NULL;
  desc.format = format;
  desc.dimensions = dimensions;
  for (uint32_t i = 0; i < dimensions; ++i) desc.extent[i] = extent[i];
  check(vd_image_create(ctx, &desc, &image));
  check(vd_image_write(image, NULL, texels, size, 0));
  return image;
}

/* Between texels, and beyond the edges as told. */
static vd_sampler* make_sampler(vd_context* ctx, vd_address_mode beyond) {
  vd_sampler_desc desc = VD_SAMPLER_DESC_INIT;
  vd_sampler* sampler = NULL;
  desc.mag_filter = desc.min_filter = VD_FILTER_LINEAR;
  desc.address_mode = beyond;
  desc.border_color = VD_BORDER_FLOAT_TRANSPARENT_BLACK;
  check(vd_sampler_create(ctx, &desc, &sampler));
  return sampler;
}

/* Runs a kernel whose arguments are a buffer, an image and constants, an invocation for each element of the result. */
static void run_on_image(vd_plan* plan, uint64_t count, vd_buffer* out, vd_image* image, vd_sampler* sampler,
                         const void* values, uint32_t values_size) {
  vd_binding bindings[2] = {VD_BINDING_OF(out, 0, VD_WHOLE_SIZE)};
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  bindings[1].image = image;
  bindings[1].sampler = sampler;
  launch.invocations[0] = count;
  launch.bindings = bindings;
  launch.binding_count = 2;
  launch.values = values;
  launch.values_size = values_size;
  check(vd_plan_launch(plan, &launch, NULL));
}

#endif
