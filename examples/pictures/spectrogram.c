/* The spectrogram of a recording in one launch: frames are gathered and weighed while they are read, and what is
 * written is the power of half the spectrum.
 *
 *   spectrogram BACKEND SAMPLES LENGTH HOP SAMPLES.f32 WINDOW.f32 RESULT.f32      (spectrogram.py calls it so) */
#include "inside.h"

static vd_plan* make_plan(vd_context* ctx, uint64_t frames, uint32_t length) {
  const uint32_t bins = length / 2 + 1;
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  vd_fft_gen* gen = NULL;
  vd_plan* plan = NULL;
  vd_value result = 0, scale = 0, samples = 0, window = 0, hop = 0;
  desc.flags = VD_FFT_MAP_OUTPUT | VD_FFT_MAP_INPUT;
  desc.rank = 2;
  desc.shape[0] = frames;
  desc.shape[1] = length;
  desc.label = "spectrogram";
  check(vd_fft_gen_create(ctx, &desc, &gen));
  for (;;) {
    vd_fft_element e = VD_FFT_ELEMENT_INIT;
    check(vd_fft_gen_next(gen, &e, &b));
    if (e.point == VD_FFT_POINT_DONE) break;
    if (e.point == VD_FFT_POINT_ARGUMENTS && e.part == VD_FFT_MAP_OUTPUT) {
      result = argument(VD_ARGUMENT_BUFFER, VD_TYPE_F32, "result");
      scale = argument(VD_ARGUMENT_CONSTANT, VD_TYPE_F32, "scale");
    } else if (e.point == VD_FFT_POINT_ARGUMENTS) {
      samples = argument(VD_ARGUMENT_BUFFER, VD_TYPE_F32, "samples");
      window = argument(VD_ARGUMENT_BUFFER, VD_TYPE_F32, "window");
      hop = argument(VD_ARGUMENT_CONSTANT, VD_TYPE_U32, "hop");
    } else {
      const vd_value frame = let(op2(VD_OP_DIV, e.index, number(length)));
      if (e.point == VD_FFT_POINT_READ) {
        const vd_value sample = at(samples, add(mul(frame, hop), e.position));
        const vd_value weighed = mul(sample, at(window, e.position));
        store(e.value, emit(VD_OP_CONSTRUCT, VD_TYPE_COMPLEX_F32, 0, weighed, 0, 0));
      } else {
        /* Both halves of the spectrum count, where there are two. */
        const vd_value first = op2(VD_OP_EQ, e.position, number(0));
        const vd_value alone = op2(VD_OP_LOR, first, op2(VD_OP_EQ, e.position, number(bins - 1)));
        const vd_value energy = let(mul(power_of(e.value), scale));
        emit(VD_OP_IF, VD_TYPE_NONE, 0, op2(VD_OP_LT, e.position, number(bins)), 0, 0);
        store(at(result, add(mul(frame, number(bins)), e.position)),
              emit(VD_OP_SELECT, VD_TYPE_NONE, 0, alone, energy, add(energy, energy)));
        emit(VD_OP_END, VD_TYPE_NONE, 0, 0, 0, 0);
      }
    }
    vd_builder_release(b);
  }
  check(vd_fft_gen_finish(gen, &plan));
  vd_fft_gen_release(gen);
  return plan;
}

int main(int argc, char** argv) {
  if (argc != 8) {
    fprintf(stderr, "usage: spectrogram BACKEND SAMPLES LENGTH HOP SAMPLES.f32 WINDOW.f32 RESULT.f32\n");
    return 2;
  }
  const size_t count = strtoul(argv[2], NULL, 10), length = strtoul(argv[3], NULL, 10);
  const uint32_t hop = (uint32_t)strtoul(argv[4], NULL, 10);
  if (length < 2 || length % 2 != 0 || hop == 0 || count < length) {
    fprintf(stderr, "frames of %zu (an even number) every %u do not fit %zu samples\n", length, hop, count);
    return 2;
  }
  const size_t frames = (count - length) / hop + 1, bins = length / 2 + 1;
  float* samples = read_floats(argv[5], count);
  float* window = read_floats(argv[6], length);
  double sum = 0;
  for (size_t i = 0; i < length; ++i) sum += (double)window[i] * window[i];
  struct {
    float scale;
    uint32_t hop;
  } values = {(float)(1 / sum), hop};

  vd_context* ctx = open_context(argv[1]);
  vd_buffer* buffers[] = {make_buffer(ctx, frames * bins * sizeof(float), NULL),
                          make_buffer(ctx, count * sizeof(float), samples),
                          make_buffer(ctx, length * sizeof(float), window)};
  vd_plan* plan = make_plan(ctx, frames, (uint32_t)length);
  run(plan, buffers, 3, &values, sizeof(values));
  float* result = malloc(frames * bins * sizeof(float));
  if (!result) return 1;
  check(vd_buffer_read(buffers[0], 0, frames * bins * sizeof(float), 0, result));
  write_floats(argv[7], result, frames * bins);

  free(result);
  free(samples);
  free(window);
  for (size_t i = 0; i < 3; ++i) vd_buffer_release(buffers[i]);
  vd_plan_release(plan);
  vd_context_release(ctx);
  return 0;
}
