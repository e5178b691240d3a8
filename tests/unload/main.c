/* unload LIBRARY: opens it, makes a context on Vulkan and closes all again, twenty times. Drivers' threads must not
 * pile up. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>

#include "vkdispatch.h"

static int threads(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  if (folder == NULL) return 0;
  for (struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder)) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

int main(int argc, char** argv) {
  int first = 0;
  if (argc != 2) return 2;
  for (int turn = 0; turn < 20; ++turn) {
    vd_context* context = NULL;
    vd_context_desc desc = VD_CONTEXT_DESC_INIT;
    vd_status (*create)(const vd_context_desc*, vd_context**) = NULL;
    void (*release)(vd_context*) = NULL;
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    *(void**)&create = dlsym(library, "vd_context_create");
    *(void**)&release = dlsym(library, "vd_context_release");
    desc.backend = VD_BACKEND_VULKAN;
    desc.flags = VD_CONTEXT_USE_CPU;
    if (create(&desc, &context) != VD_OK) {
      puts("no Vulkan device");
      return 77;
    }
    release(context);
    dlclose(library);
    if (turn == 1) first = threads();
  }
  printf("%d threads after two turns, %d after twenty\n", first, threads());
  return threads() <= first ? 0 : 1;
}
