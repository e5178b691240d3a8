/* What the programs share: files of floats, the device, and buffers. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vkdispatch.h"

/* Ends the program with the library's message: what a small program does with an error. */
static void check(vd_status status) {
  if (status < 0) {
    fprintf(stderr, "%s\n", vd_last_error());
    exit(1);
  }
}

static inline float* read_floats(const char* name, size_t count) {
  FILE* file = fopen(name, "rb");
  float* data = malloc(count * sizeof(float));
  if (!file || !data || fread(data, sizeof(float), count, file) != count) {
    fprintf(stderr, "cannot read %zu numbers from %s\n", count, name);
    exit(1);
  }
  fclose(file);
  return data;
}

static inline void write_floats(const char* name, const float* data, size_t count) {
  FILE* file = fopen(name, "wb");
  if (!file || fwrite(data, sizeof(float), count, file) != count || fclose(file) != 0) {
    fprintf(stderr, "cannot write %s\n", name);
    exit(1);
  }
}

static vd_context* open_context(const char* backend) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  vd_context* ctx = NULL;
  for (vd_backend k = VD_BACKEND_VULKAN; k <= VD_BACKEND_HOST; k = (vd_backend)(k + 1)) {
    vd_backend_info info = VD_BACKEND_INFO_INIT;
    check(vd_backend_get_info(k, &info));
    if (strcmp(info.name, backend) == 0) desc.backend = k;
  }
  check(vd_context_create(&desc, &ctx));
  return ctx;
}

static vd_buffer* make_buffer(vd_context* ctx, uint64_t size, const void* data) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  vd_buffer* buffer = NULL;
  desc.size = size;
  desc.data = data;
  check(vd_buffer_create(ctx, &desc, &buffer));
  return buffer;
}

#endif
