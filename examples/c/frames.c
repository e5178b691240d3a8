/* The power of a signal's frequencies, frame by frame: a kernel of one's own with a transform inside. It reads frames
 * that overlap, by a window, and writes squares of what comes out; between the two the numbers stay in registers.
 *
 *   frames [vulkan|cuda|opencl|host]      without a name the library chooses */
#define VD_UNSTABLE /* transforms inside kernels, which may change in any release */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkdispatch_build.h"

enum { kSize = 256, kHop = 64, kFrames = 100, kSamples = kSize + kHop * (kFrames - 1), kTone = 37 };

static void check(vd_status status) {
  if (status < 0) {
    fprintf(stderr, "%s\n", vd_last_error());
    exit(1);
  }
}

static vd_kernel* build_kernel(const vd_fft_block_desc* lines) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  vd_fft_block_assignment place = VD_FFT_BLOCK_ASSIGNMENT_INIT;
  vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
  vd_builder* builder = NULL;
  vd_fft_block* block = NULL;
  vd_kernel* kernel = NULL;
  vd_value power, signal, window, start, sample, re, im, sum;

  desc.name = "frames";
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  check(vd_builder_create(&desc, &builder));
  power = vd_argument_buffer(builder, VD_TYPE_F32, "power");
  signal = vd_argument_buffer(builder, VD_TYPE_F32, "signal");
  window = vd_argument_buffer(builder, VD_TYPE_F32, "window");
  check(vd_fft_block_create(builder, lines, &block));
  check(vd_fft_block_get_assignment(block, &place));
  start = vd_mul(builder, place.outer, vd_const_u32(builder, kHop));

  /* Real parts; the registers are zero else. */
  while (check(vd_fft_block_next(block, VD_FFT_ACCESS_READ, &element)), element.value != 0) {
    sample = vd_mul(builder, vd_at(builder, signal, vd_add(builder, start, element.position)),
                    vd_at(builder, window, element.position));
    vd_store(builder, vd_component(builder, element.value, 0), sample);
  }
  check(vd_fft_block_execute(block, VD_FFT_DIRECTION_FORWARD));
  while (check(vd_fft_block_next(block, VD_FFT_ACCESS_WRITE, &element)), element.value != 0) {
    re = vd_component(builder, element.value, 0);
    im = vd_component(builder, element.value, 1);
    sum = vd_add(builder, vd_mul(builder, re, re), vd_mul(builder, im, im));
    vd_store_at(builder, power, element.index, sum);
  }
  check(vd_builder_finish(builder, &kernel));
  vd_fft_block_release(block);
  vd_builder_release(builder);
  return kernel;
}

static vd_buffer* make_buffer(vd_context* ctx, size_t count, const float* data) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  vd_buffer* buffer = NULL;
  desc.size = count * sizeof(float);
  desc.data = data;
  check(vd_buffer_create(ctx, &desc, &buffer));
  return buffer;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"", "vulkan", "cuda", "opencl", "host"}; /* by vd_backend */
  static float signal[kSamples], window[kSize], power[kFrames * kSize];
  const double turn = 6.283185307179586;
  vd_context_desc context_desc = VD_CONTEXT_DESC_INIT;
  vd_device_info device = VD_DEVICE_INFO_INIT;
  vd_fft_block_desc lines = VD_FFT_BLOCK_DESC_INIT;
  vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
  vd_plan_desc plan_desc = VD_PLAN_DESC_INIT;
  vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
  vd_context* ctx = NULL;
  vd_kernel* kernel = NULL;
  vd_plan* plan = NULL;
  int wrong = 0;

  for (int i = 1; argc > 1 && i < 5; ++i)
    if (strcmp(argv[1], names[i]) == 0) context_desc.backend = (vd_backend)i;
  check(vd_context_create(&context_desc, &ctx));
  check(vd_context_get_device(ctx, 0, &device));

  lines.size = kSize;
  lines.outer_count = kFrames;
  lines.device = &device;
  check(vd_fft_block_get_info(&lines, &info));
  plan_desc.kernel = kernel = build_kernel(&lines);
  check(vd_plan_create(ctx, &plan_desc, &plan));

  /* A tone, louder with time. */
  for (int i = 0; i < kSamples; ++i) signal[i] = (float)(i * sin(turn * kTone * i / kSize) / kSamples);
  for (int i = 0; i < kSize; ++i) window[i] = (float)(0.5 - 0.5 * cos(turn * i / kSize));
  vd_buffer* buffers[] = {make_buffer(ctx, kFrames * kSize, NULL), make_buffer(ctx, kSamples, signal),
                          make_buffer(ctx, kSize, window)};
  const vd_binding bindings[] = {VD_BINDING_OF(buffers[0], 0, VD_WHOLE_SIZE),
                                 VD_BINDING_OF(buffers[1], 0, VD_WHOLE_SIZE),
                                 VD_BINDING_OF(buffers[2], 0, VD_WHOLE_SIZE)};
  memcpy(launch.workgroups, info.workgroups, sizeof(launch.workgroups));
  launch.bindings = bindings;
  launch.binding_count = 3;
  check(vd_plan_launch(plan, &launch, NULL));
  check(vd_buffer_read(buffers[0], 0, sizeof(power), 0, power));

  for (int f = 0; f < kFrames; ++f) {
    int loudest = 0;
    for (int k = 1; k < kSize / 2; ++k)
      if (power[f * kSize + k] > power[f * kSize + loudest]) loudest = k;
    wrong += loudest != kTone || (f > 0 && power[f * kSize + kTone] <= power[(f - 1) * kSize + kTone]);
  }
  printf("%s: the tone is loudest in %d of %d frames; %u invocations a frame, %u frames a workgroup\n", device.name,
         kFrames - wrong, kFrames, info.invocations, info.lines);

  for (int i = 0; i < 3; ++i) vd_buffer_release(buffers[i]);
  vd_plan_release(plan);
  vd_kernel_release(kernel);
  vd_context_release(ctx);
  return wrong != 0;
}
