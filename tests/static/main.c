/* main PLUGIN PLUGIN: two shared objects that each have the static library inside have nothing of it in common, though the
 * program shows the symbols of each to the other. They are opened and closed again, and the process forks. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct plugin {
  void* library;
  int (*begin)(void);
  uint64_t (*objects)(void);
  void (*end)(void);
};

static int open_plugin(const char* path, struct plugin* plugin) {
  plugin->library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (plugin->library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void**)&plugin->begin = dlsym(plugin->library, "plugin_begin");
  *(void**)&plugin->objects = dlsym(plugin->library, "plugin_objects");
  *(void**)&plugin->end = dlsym(plugin->library, "plugin_end");
  return plugin->begin == NULL || plugin->objects == NULL || plugin->end == NULL;
}

static int fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (int turn = 0; turn < 5; ++turn) {
    struct plugin one, two;
    int status = 0;
    pid_t child;
    if (open_plugin(argv[1], &one) != 0 || open_plugin(argv[2], &two) != 0) return 1;
    if (one.begin() != 0) return fail("the first plugin failed");
    if (two.objects() != 0) return fail("the second plugin has the first one's objects");
    if (two.begin() != 0) return fail("the second plugin failed");
    one.end();
    if (one.objects() != 0) return fail("the first plugin has objects left");
    if (two.objects() == 0) return fail("the first plugin's end was the second one's");
    two.end();
    dlclose(one.library);
    dlclose(two.library);
    child = fork();
    if (child == 0) _exit(0);
    if (waitpid(child, &status, 0) != child || status != 0) return fail("a forked child failed");
  }
  return 0;
}
