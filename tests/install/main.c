#include <stdio.h>
#include <vkdispatch.h>
int main(void) {
  printf("version %u\n", vd_version());
  return vd_version() / 1000 == VD_VERSION_MAJOR * 1000 + VD_VERSION_MINOR ? 0 : 1;
}
