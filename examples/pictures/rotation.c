/* Rotates and scales a photograph by a sampler.
 *
 *   rotation BACKEND WIDTH HEIGHT ACROSS_X ACROSS_Y DOWN_X DOWN_Y FIRST_X FIRST_Y PIXELS.u8 RESULT.f32
 *                                                                               (rotation.py calls it so)
 *
 * The first pixel of the result is read at FIRST, each next one ACROSS further and each next row DOWN further. PIXELS has
 * three channels of a byte, RESULT three floats. */
#include "image.h"

typedef struct {
  uint32_t width;
  float across[2], down[2], first[2];
} values;

static vd_plan* make_rotation(vd_context* ctx) {
  vd_builder* b = begin_kernel("rotate");
  vd_value out = vd_argument_buffer(b, VD_TYPE_F32, "out"), photo = vd_argument_image(b, VD_TYPE_F32, 2, "photo");
  vd_value width = vd_argument_constant(b, VD_TYPE_U32, "width");
  vd_value across = vd_argument_constant(b, VD_TYPE_F32X2, "across");
  vd_value down = vd_argument_constant(b, VD_TYPE_F32X2, "down");
  vd_value first = vd_argument_constant(b, VD_TYPE_F32X2, "first");
  vd_value i = vd_global_id(b, 0);
  vd_value column = vd_convert(b, VD_TYPE_F32, vd_rem(b, i, vd_load(b, width)));
  vd_value row = vd_convert(b, VD_TYPE_F32, vd_div(b, i, vd_load(b, width)));
  vd_value right = vd_mul(b, vd_load(b, across), vd_construct(b, VD_TYPE_F32X2, &column, 1));
  vd_value below = vd_mul(b, vd_load(b, down), vd_construct(b, VD_TYPE_F32X2, &row, 1));
  vd_value texel = vd_image_sample(b, photo, vd_add(b, vd_add(b, vd_load(b, first), right), below), 0);
  vd_value at = vd_mul(b, i, vd_const_u32(b, 3));
  for (uint32_t c = 0; c < 3; ++c) vd_store_at(b, out, vd_add(b, at, vd_const_u32(b, c)), vd_component(b, texel, c));
  return end_kernel(ctx, b);
}

/* Images have no three channels: the fourth is 1. */
static uint8_t* with_fourth_channel(const char* name, size_t pixels) {
  uint8_t *three = malloc(3 * pixels), *four = malloc(4 * pixels);
  FILE* file = fopen(name, "rb");
  if (!three || !four || !file || fread(three, 3, pixels, file) != pixels) {
    fprintf(stderr, "cannot read %zu pixels from %s\n", pixels, name);
    exit(1);
  }
  fclose(file);
  for (size_t i = 0; i < pixels; ++i) {
    memcpy(four + 4 * i, three + 3 * i, 3);
    four[4 * i + 3] = 255;
  }
  free(three);
  return four;
}

int main(int argc, char** argv) {
  if (argc != 12) {
    fprintf(stderr, "usage: rotation BACKEND WIDTH HEIGHT ACROSS DOWN FIRST (x and y each) PIXELS.u8 RESULT.f32\n");
    return 2;
  }
  const uint32_t extent[2] = {(uint32_t)strtoul(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10)};
  const size_t pixels = (size_t)extent[0] * extent[1], size = pixels * 3 * sizeof(float);
  values way = {.width = extent[0]};
  for (int i = 0; i < 2; ++i) {
    way.across[i] = strtof(argv[4 + i], NULL);
    way.down[i] = strtof(argv[6 + i], NULL);
    way.first[i] = strtof(argv[8 + i], NULL);
  }
  uint8_t* texels = with_fourth_channel(argv[10], pixels);
  vd_context* ctx = open_context(argv[1]);
  vd_image* photo = make_image(ctx, VD_FORMAT_RGBA8_UNORM, 2, extent, texels, 4 * pixels);
  vd_sampler* sampler = make_sampler(ctx, VD_ADDRESS_CLAMP_TO_EDGE);
  vd_buffer* out = make_buffer(ctx, size, NULL);
  vd_plan* rotation = make_rotation(ctx);
  run_on_image(rotation, pixels, out, photo, sampler, &way, sizeof(way));

  float* result = malloc(size);
  if (!result) return 1;
  check(vd_buffer_read(out, 0, size, 0, result));
  write_floats(argv[11], result, 3 * pixels);

  free(result);
  free(texels);
  vd_plan_release(rotation);
  vd_buffer_release(out);
  vd_sampler_release(sampler);
  vd_image_release(photo);
  vd_context_release(ctx);
  return 0;
}
