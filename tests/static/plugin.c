/* A shared object with the static library inside, as a plugin of a program has it. */
#include <stddef.h>

#include "vkdispatch.h"

#define EXPORTED __attribute__((visibility("default")))

static vd_context* context;
static vd_buffer* buffer;

EXPORTED int plugin_begin(void);
EXPORTED int plugin_begin(void) {
  vd_context_desc open = VD_CONTEXT_DESC_INIT;
  vd_buffer_desc memory = VD_BUFFER_DESC_INIT;
  open.backend = VD_BACKEND_HOST;
  memory.size = 1 << 20;
  if (vd_context_create(&open, &context) != VD_OK) return 1;
  if (vd_buffer_create(context, &memory, &buffer) != VD_OK) return 1;
  for (uint32_t i = 0; i < 100; ++i)
    if (vd_buffer_fill(buffer, 0, VD_WHOLE_SIZE, i, 0, NULL, NULL) != VD_OK) return 1;
  return 0;
}

EXPORTED uint64_t plugin_objects(void);
EXPORTED uint64_t plugin_objects(void) { return vd_live_objects(); }

/* With work in flight. */
EXPORTED void plugin_end(void);
EXPORTED void plugin_end(void) {
  vd_buffer_release(buffer);
  vd_context_release(context);
}
