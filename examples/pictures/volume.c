/* Renders a volume by ray casting.
 *
 *   volume BACKEND WIDTH HEIGHT DEPTH SIDE STEPS AIR DENSITY AMBIENT VOLUME.f32 PLACES.f32 RESULT.f32
 *                                                                               (volume.py calls it so)
 *
 * PLACES has five vectors of x, y and z, in texels: where the first ray begins, a pixel to the right, a pixel down, a step
 * forward, and a step towards the light. RESULT has SIDE x SIDE floats. */
#include "image.h"

typedef struct {
  uint32_t side, steps;
  float air, density, ambient;
  float places[5][3];
} values;

static vd_value splat(vd_builder* b, vd_value x) { return vd_construct(b, VD_TYPE_F32X3, &x, 1); }
static vd_value clamp01(vd_builder* b, vd_value x) { return vd_clamp(b, x, vd_const_f32(b, 0), vd_const_f32(b, 1)); }

static vd_value constant(vd_builder* b, vd_type type, const char* name) {
  return vd_load(b, vd_argument_constant(b, type, name));
}

static vd_plan* make_cast(vd_context* ctx) {
  vd_builder* b = begin_kernel("cast");
  vd_value out = vd_argument_buffer(b, VD_TYPE_F32, "out"), volume = vd_argument_image(b, VD_TYPE_F32, 3, "volume");
  vd_value side = constant(b, VD_TYPE_U32, "side"), steps = constant(b, VD_TYPE_U32, "steps");
  vd_value air = constant(b, VD_TYPE_F32, "air"), density = constant(b, VD_TYPE_F32, "density");
  vd_value ambient = constant(b, VD_TYPE_F32, "ambient"), first = constant(b, VD_TYPE_F32X3, "first");
  vd_value across = constant(b, VD_TYPE_F32X3, "across"), down = constant(b, VD_TYPE_F32X3, "down");
  vd_value forward = constant(b, VD_TYPE_F32X3, "forward"), light = constant(b, VD_TYPE_F32X3, "light");

  vd_value one = vd_const_f32(b, 1), i = vd_global_id(b, 0);
  vd_value column = splat(b, vd_convert(b, VD_TYPE_F32, vd_rem(b, i, side)));
  vd_value row = splat(b, vd_convert(b, VD_TYPE_F32, vd_div(b, i, side)));
  vd_value begin = vd_add(b, vd_add(b, first, vd_mul(b, across, column)), vd_mul(b, down, row));
  vd_value place = vd_var(b, VD_TYPE_F32X3, begin);
  vd_value seen = vd_var(b, VD_TYPE_F32, vd_const_f32(b, 0)), left = vd_var(b, VD_TYPE_F32, one);
  vd_for(b, vd_const_u32(b, 0), steps, vd_const_u32(b, 1));
  {
    vd_value at = vd_load(b, place), rest = vd_load(b, left);
    vd_value value = vd_component(b, vd_image_sample(b, volume, at, 0), 0);
    vd_value above = vd_div(b, vd_sub(b, value, air), vd_sub(b, one, air));
    vd_value opacity = vd_mul(b, clamp01(b, above), density);
    /* Surfaces that face the light are brighter: towards it, the volume gets thinner. */
    vd_value towards = vd_component(b, vd_image_sample(b, volume, vd_add(b, at, light), 0), 0);
    vd_value thinner = vd_mul(b, vd_sub(b, value, towards), vd_const_f32(b, 2));
    vd_value shade = vd_add(b, ambient, clamp01(b, thinner));
    vd_store(b, seen, vd_add(b, vd_load(b, seen), vd_mul(b, vd_mul(b, rest, opacity), shade)));
    vd_store(b, left, vd_mul(b, rest, vd_sub(b, one, opacity)));
    vd_store(b, place, vd_add(b, at, forward));
  }
  vd_end(b);
  vd_store_at(b, out, i, vd_load(b, seen));
  return end_kernel(ctx, b);
}

int main(int argc, char** argv) {
  if (argc != 13) {
    fprintf(
        stderr,
        "usage: volume BACKEND WIDTH HEIGHT DEPTH SIDE STEPS AIR DENSITY AMBIENT VOLUME.f32 PLACES.f32 RESULT.f32\n");
    return 2;
  }
  uint32_t extent[3];
  for (int i = 0; i < 3; ++i) extent[i] = (uint32_t)strtoul(argv[2 + i], NULL, 10);
  const size_t texels = (size_t)extent[0] * extent[1] * extent[2];
  values view = {.side = (uint32_t)strtoul(argv[5], NULL, 10), .steps = (uint32_t)strtoul(argv[6], NULL, 10)};
  view.air = strtof(argv[7], NULL);
  view.density = strtof(argv[8], NULL);
  view.ambient = strtof(argv[9], NULL);
  float *data = read_floats(argv[10], texels), *places = read_floats(argv[11], 15);
  memcpy(view.places, places, sizeof(view.places));
  const size_t pixels = (size_t)view.side * view.side;

  vd_context* ctx = open_context(argv[1]);
  vd_image* volume = make_image(ctx, VD_FORMAT_R32_F32, 3, extent, data, texels * sizeof(float));
  vd_sampler* sampler = make_sampler(ctx, VD_ADDRESS_CLAMP_TO_BORDER);
  vd_buffer* out = make_buffer(ctx, pixels * sizeof(float), NULL);
  vd_plan* cast = make_cast(ctx);
  run_on_image(cast, pixels, out, volume, sampler, &view, sizeof(view));

  float* result = malloc(pixels * sizeof(float));
  if (!result) return 1;
  check(vd_buffer_read(out, 0, pixels * sizeof(float), 0, result));
  write_floats(argv[12], result, pixels);

  free(result);
  free(places);
  free(data);
  vd_plan_release(cast);
  vd_buffer_release(out);
  vd_sampler_release(sampler);
  vd_image_release(volume);
  vd_context_release(ctx);
  return 0;
}
