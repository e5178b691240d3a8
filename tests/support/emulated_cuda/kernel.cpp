// The emulated driver's modules and launches.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/emulated_cuda/state.h"

using namespace vd::cuda;
using namespace vd::cuda::emulated;

namespace vd::cuda::emulated {

CUresult check_launch(CUfunction function, const unsigned (&grid)[3], const unsigned (&block)[3], unsigned shared,
                      void** parameters, Launch& out) {
  // A cubin of a real NVRTC can be loaded, so that a cache can be filled here; it cannot run.
  if (function->kernel == nullptr) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  const vd_emulated_kernel& kernel = *function->kernel;
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    constexpr unsigned kMostBlock[] = {1024, 1024, 64}, kMostGrid[] = {0x7fffffff, 65535, 65535};
    if (block[i] == 0 || block[i] > kMostBlock[i] || grid[i] == 0 || grid[i] > kMostGrid[i])
      return CUDA_ERROR_INVALID_VALUE;
    threads *= block[i];
  }
  if (threads > 1024 || shared > function->most_dynamic) return CUDA_ERROR_INVALID_VALUE;
  if (threads > kernel.most_threads) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  for (int i = 0; i < 3; ++i)
    if (grid[i] % kernel.cluster[i] != 0) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  out.function = function;
  std::memcpy(out.grid, grid, sizeof grid);
  std::memcpy(out.block, block, sizeof block);
  out.shared = shared;
  for (unsigned i = 0; i < kernel.parameter_count; ++i) {
    const auto* bytes = static_cast<const std::byte*>(parameters[i]);
    out.parameters.emplace_back(bytes, bytes + kernel.parameter_sizes[i]);
  }
  return CUDA_SUCCESS;
}

// Bytes that a kernel spills whose workgroups have so many invocations.
int spilled_by(unsigned threads) {
  const char* text = std::getenv("VD_EMULATED_SPILLS");
  unsigned size = 0;
  int bytes = 0, length = 0;
  for (; text != nullptr && std::sscanf(text, "%u:%d%n", &size, &bytes, &length) == 2;
       text += length + (text[length] == ','))
    if (size == threads) return bytes;
  return 0;
}

// Nanoseconds of %globaltimer, since a time of its own.
unsigned long long timer() {
  uint64_t step = timer_step();
  for (; step == UINT64_MAX; step = timer_step()) std::this_thread::sleep_for(std::chrono::microseconds(100));
  if (step == 0) return 1;  // asks no clock, which on some machines is slower than a kernel may be that reads it often
  constexpr std::chrono::hours kSince(1'000'000);
  const auto now = std::chrono::steady_clock::now().time_since_epoch() + kSince;
  auto ns = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  ns += ns / 1'000'000 * timer_fast() + ns % 1'000'000 * timer_fast() / 1'000'000;
  return ns - ns % step;
}

// A cluster's workgroups, from the first one on; false if they do not come to an end.
bool run_cluster(const vd_emulated_kernel& kernel, const vd_emulated_thread& first, void** parameters) {
  const unsigned *size = kernel.cluster, count = size[0] * size[1] * size[2];
  Cluster cluster(count);
  std::atomic<bool> ended = true;
  const auto run = [&](unsigned rank) {
    vd_emulated_thread group = first;
    group.cluster_rank = rank;
    group.block[0] += rank % size[0];
    group.block[1] += rank / size[0] % size[1];
    group.block[2] += rank / size[0] / size[1];
    if (kernel.waits == 0) {
      kernel.run_group(&group, parameters);
    } else if (!run_waiting_group(kernel, group, parameters, cluster)) {
      ended = false;
    }
    cluster.barrier.arrive_and_drop();
  };
  if (count == 1) {
    run(0);
    return ended;
  }
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < count; ++rank) threads.emplace_back(run, rank);
  for (std::thread& thread : threads) thread.join();
  return ended;
}

void run_launch(const Launch& launch) {
  CUcontext context = launch.function->context;
  if (context->ends()) return;
  if (const int code = take_break(); code != 0) {
    context->end(code);
    return;
  }
  const vd_emulated_kernel& kernel = *launch.function->kernel;
  std::vector<void*> parameters;
  for (const auto& bytes : launch.parameters) parameters.push_back(const_cast<std::byte*>(bytes.data()));
  vd_emulated_thread group{};
  group.timer = timer;
  std::memcpy(group.grid, launch.grid, sizeof group.grid);
  std::memcpy(group.block_size, launch.block, sizeof group.block_size);
  unsigned* at = group.block;
  for (at[2] = 0; at[2] < launch.grid[2]; at[2] += kernel.cluster[2])
    for (at[1] = 0; at[1] < launch.grid[1]; at[1] += kernel.cluster[1])
      for (at[0] = 0; at[0] < launch.grid[0]; at[0] += kernel.cluster[0]) {
        if (run_cluster(kernel, group, parameters.data())) continue;
        context->end(CUDA_ERROR_LAUNCH_TIMEOUT);
        return;
      }
}

}  // namespace vd::cuda::emulated

VD_ENTRY(cuModuleLoadDataEx, CUmodule* module, const void* image, unsigned count, CUjit_option* options,
         void** values) {
  VD_BEGIN(cuModuleLoadDataEx);
  const Exclusive alone;
  vd_emulated_image head;
  std::memcpy(&head, image, sizeof head);
  const auto say = [&](const std::string& text) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) std::strcpy(static_cast<char*>(values[i]), text.c_str());
  };
  if (std::memcmp(head.magic,
                  "\x7f"
                  "ELF",
                  4) == 0) {
    *module = new CUmod_st{nullptr, -1, current(), {}};
    live(1);
    return CUDA_SUCCESS;
  }
  if (std::memcmp(head.magic, "VDEMUL1", sizeof head.magic) != 0) {
    say("not made by the emulated NVRTC");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  const int file = memfd_create("kernel", 0);
  const char* bytes = static_cast<const char*>(image) + sizeof head;
  for (size_t done = 0; done < head.size;) {
    const ssize_t wrote = write(file, bytes + done, head.size - done);
    if (wrote <= 0) break;
    done += static_cast<size_t>(wrote);
  }
  void* library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    say(std::string(dlerror()).substr(0, 1000));
    close(file);
    return CUDA_ERROR_INVALID_IMAGE;
  }
  // The file stays open: the loader takes libraries of one name for one, and the name has the file's number.
  *module = new CUmod_st{library, file, current(), {}};
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuModuleUnload, CUmodule module) {
  VD_BEGIN_ANYWHERE(cuModuleUnload);
  const Exclusive alone;
  if (module->library != nullptr) {
    dlclose(module->library);
    close(module->file);
  }
  delete module;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuModuleGetFunction, CUfunction* function, CUmodule module, const char* name) {
  VD_BEGIN(cuModuleGetFunction);
  const std::string symbol = "vd_kernel_" + std::string(name);
  const vd_emulated_kernel* kernel = nullptr;
  if (module->library != nullptr) {
    kernel = static_cast<const vd_emulated_kernel*>(dlsym(module->library, symbol.c_str()));
    if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
  }
  CUfunc_st& made = module->functions[name];
  made.kernel = kernel;
  made.context = module->context;
  *function = &made;
  return CUDA_SUCCESS;
}
VD_ENTRY(cuFuncGetAttribute, int* value, CUfunction_attribute attribute, CUfunction function) {
  VD_BEGIN(cuFuncGetAttribute);
  if (function->kernel == nullptr) {
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return CUDA_SUCCESS;
  }
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(function->kernel->most_threads);
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      // Shared memory whose size the launch gives is an array of the largest size here.
      *value = static_cast<int>(
          function->kernel->static_shared_size >= 228 * 1024 ? 0 : function->kernel->static_shared_size);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = spilled_by(function->kernel->most_threads);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = static_cast<int>(function->kernel->registers);
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
VD_ENTRY(cuFuncSetAttribute, CUfunction function, CUfunction_attribute attribute, int value) {
  VD_BEGIN(cuFuncSetAttribute);
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || unsigned(value) > kMostShared) return CUDA_ERROR_INVALID_VALUE;
    function->most_dynamic = static_cast<unsigned>(value);
  }
  return CUDA_SUCCESS;
}
VD_ENTRY(cuLaunchKernel, CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
         unsigned block_y, unsigned block_z, unsigned shared, CUstream handle, void** parameters, void**) {
  VD_BEGIN(cuLaunchKernel);
  CUstream stream = resolve(handle);
  if (stream->captures() && stream->capture->aborted) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  auto launch = std::make_shared<Launch>();
  const unsigned grid[3] = {grid_x, grid_y, grid_z}, block[3] = {block_x, block_y, block_z};
  const CUresult result = check_launch(function, grid, block, shared, parameters, *launch);
  if (result == CUDA_SUCCESS) stream->push([launch] { run_launch(*launch); });
  return result;
}
