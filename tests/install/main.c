#include <stdio.h>
#include <vkdispatch_build.h>
int main(void) {
  vd_builder* b = NULL;
  vd_kernel* kernel = NULL;
  if (vd_builder_create(NULL, &b) < 0) return 1;
  vd_value x = vd_argument_buffer(b, VD_TYPE_F32, "x"), i = vd_global_id(b, 0);
  vd_store_at(b, x, i, vd_neg(b, vd_at(b, x, i)));
  if (vd_builder_finish(b, &kernel) < 0) return 1;
  vd_kernel_release(kernel);
  vd_builder_release(b);
  printf("version %u\n", vd_version());
  return vd_version() / 1000 == VD_VERSION_MAJOR * 1000 + VD_VERSION_MINOR ? 0 : 1;
}
