/* A Wiener filter on a square picture: rows forward, columns with the filter between the two ways, rows back. The
 * filter is written into the second transform, so the spectrum never goes to memory in between.
 *
 *   deconvolution BACKEND SIZE NOISE BLURRED.f32 SPREAD.f32 RESULT.f32      (deconvolution.py calls it so) */
#include "inside.h"

/* x * conj(h) / (|h|^2 + noise) at every number x of the spectrum. */
static vd_plan* make_filter(vd_context* ctx, uint64_t rows, uint64_t columns) {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  vd_fft_gen* gen = NULL;
  vd_plan* plan = NULL;
  vd_value response = 0, noise = 0;
  desc.flags = VD_FFT_CONVOLVE | VD_FFT_MAP_FILTER;
  desc.rank = 2;
  desc.shape[0] = rows;
  desc.shape[1] = columns;
  desc.axis_count = 1;
  desc.label = "wiener";
  check(vd_fft_gen_create(ctx, &desc, &gen));
  for (;;) {
    vd_fft_element e = VD_FFT_ELEMENT_INIT;
    check(vd_fft_gen_next(gen, &e, &b));
    if (e.point == VD_FFT_POINT_DONE) break;
    if (e.point == VD_FFT_POINT_ARGUMENTS) {
      response = argument(VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32, "response");
      noise = argument(VD_ARGUMENT_CONSTANT, VD_TYPE_F32, "noise");
    } else {
      const vd_value h = emit(VD_OP_VAR, VD_TYPE_COMPLEX_F32, 0, 0, 0, 0);
      check(vd_fft_gen_read(gen, response, 0, h));
      const vd_value product = mul(e.value, emit(VD_OP_CONJ, VD_TYPE_NONE, 0, h, 0, 0));
      store(e.value, op2(VD_OP_DIV, product, add(power_of(h), noise)));
    }
    vd_builder_release(b);
  }
  check(vd_fft_gen_finish(gen, &plan));
  vd_fft_gen_release(gen);
  return plan;
}

static vd_plan* make_real(vd_context* ctx, vd_fft_kind kind, uint64_t size, int both_axes) {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  vd_plan* plan = NULL;
  desc.kind = kind;
  desc.rank = 2;
  desc.shape[0] = desc.shape[1] = size;
  desc.axis_count = both_axes ? 2 : 1;
  desc.axes[0] = 1;
  desc.axes[1] = 0;
  check(vd_plan_create_fft(ctx, &desc, &plan));
  return plan;
}

/* Rows of reals, padded as a transform in place wants them. */
static vd_buffer* upload(vd_context* ctx, const char* name, size_t size) {
  const size_t row = 2 * (size / 2 + 1);
  float* picture = read_floats(name, size * size);
  float* padded = calloc(size * row, sizeof(float));
  for (size_t i = 0; padded && i < size; ++i) memcpy(padded + i * row, picture + i * size, size * sizeof(float));
  vd_buffer* buffer = make_buffer(ctx, size * row * sizeof(float), padded);
  free(padded);
  free(picture);
  return buffer;
}

int main(int argc, char** argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: deconvolution BACKEND SIZE NOISE BLURRED.f32 SPREAD.f32 RESULT.f32\n");
    return 2;
  }
  const size_t size = strtoul(argv[2], NULL, 10), row = 2 * (size / 2 + 1);
  const float noise = strtof(argv[3], NULL);
  vd_context* ctx = open_context(argv[1]);
  vd_buffer* picture = upload(ctx, argv[4], size);
  vd_buffer* response = upload(ctx, argv[5], size);
  vd_plan* whole = make_real(ctx, VD_FFT_KIND_R2C, size, 1);
  vd_plan* rows = make_real(ctx, VD_FFT_KIND_R2C, size, 0);
  vd_plan* back = make_real(ctx, VD_FFT_KIND_C2R, size, 0);
  vd_plan* filter = make_filter(ctx, size, size / 2 + 1);

  run(whole, &response, 1, NULL, 0);
  run(rows, &picture, 1, NULL, 0);
  run(filter, (vd_buffer*[]){picture, response}, 2, &noise, sizeof(noise));
  run(back, &picture, 1, NULL, 0);

  float* padded = malloc(size * row * sizeof(float));
  if (!padded) return 1;
  check(vd_buffer_read(picture, 0, size * row * sizeof(float), 0, padded));
  for (size_t i = 1; i < size; ++i) memmove(padded + i * size, padded + i * row, size * sizeof(float));
  write_floats(argv[6], padded, size * size);
  free(padded);

  vd_plan* plans[] = {whole, rows, back, filter};
  for (size_t i = 0; i < 4; ++i) vd_plan_release(plans[i]);
  vd_buffer_release(picture);
  vd_buffer_release(response);
  vd_context_release(ctx);
  return 0;
}
