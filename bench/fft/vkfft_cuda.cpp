#include "vkfft_cuda.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "libraries.h"
#include "module/vkfft_cuda.h"
#include "vkfft.h"

namespace bench {
namespace {

#define MODULE_CALL(name) (reinterpret_cast<decltype(&name)>(dlsym(module_, #name)))

class OnCuda : public Peer {
 public:
  OnCuda(void* module, const Contents& contents) : module_(module), contents_(contents) {}
  ~OnCuda() override { MODULE_CALL(vkfft_cuda_close)(); }
  OnCuda(const OnCuda&) = delete;
  OnCuda& operator=(const OnCuda&) = delete;

  const char* begin(uint64_t bytes) {
    if (const char* failure = MODULE_CALL(vkfft_cuda_open)(bytes)) return failure;
    load(Precision::Single);
    return nullptr;
  }

  bool prepare(const Case& c) override {
    if (!vkfft_takes(c)) return false;
    if (c.precision != precision_) load(c.precision);
    vkfft_shape shape = {.rank = 1,
                         .size = {c.n, 1, 1},
                         .first_is_kept = 0,
                         .is_real = c.real(),
                         .is_double = c.is_double(),
                         .count = c.count};
    if (c.kind == Kind::Strided) {
      shape.rank = 2;
      shape.size[0] = c.inner();
      shape.size[1] = c.n;
      shape.first_is_kept = 1;
    } else if (c.kind == Kind::Plane || c.kind == Kind::RealPlane || c.kind == Kind::Cube) {
      shape.rank = c.kind == Kind::Cube ? 3 : 2;
      for (uint32_t i = 0; i < shape.rank; ++i) shape.size[i] = c.n;
    }
    if (const char* failure = MODULE_CALL(vkfft_cuda_prepare)(&shape))
      return std::fprintf(stderr, "VkFFT on CUDA, %s: %s\n", c.name.c_str(), failure), false;
    return true;
  }
  void reset() override { check(MODULE_CALL(vkfft_cuda_reset)(), "reset"); }
  void run(int iterations) override { check(MODULE_CALL(vkfft_cuda_run)(iterations), "run"); }
  void read(uint64_t offset, uint64_t bytes, void* to) override {
    check(MODULE_CALL(vkfft_cuda_read)(offset, bytes, to), "read");
  }

 private:
  static void check(const char* failure, const char* what) {
    if (failure == nullptr) return;
    std::fprintf(stderr, "VkFFT on CUDA, %s: %s\n", what, failure);
    std::exit(1);
  }
  void load(Precision precision) {
    const std::vector<std::byte> block = contents_.scaled(precision, kSmall);
    check(MODULE_CALL(vkfft_cuda_load)(block.data(), block.size()), "load");
    precision_ = precision;
  }

  void* const module_;
  const Contents& contents_;
  Precision precision_ = Precision::Single;
};

}  // namespace

std::unique_ptr<Peer> open_vkfft_cuda(uint64_t bytes, const Contents& contents) {
  const auto path = std::filesystem::canonical("/proc/self/exe").parent_path() / "libvkfft_cuda.so";
  if (!std::filesystem::exists(path)) return std::fprintf(stderr, "no VkFFT on CUDA: no %s\n", path.c_str()), nullptr;
  // The module leaves the names of NVIDIA's libraries open; they are found among these.
  if (open_any({"libcuda.so.1"}) == nullptr || open_nvrtc() == nullptr ||
      open_any({"libcudart.so.13", "libcudart.so.12", "libcudart.so"}) == nullptr)
    return std::fprintf(stderr, "no VkFFT on CUDA: %s\n", dlerror()), nullptr;
  // Lazily: the module names entries that an older library of NVIDIA's may lack.
  void* module = dlopen(path.c_str(), RTLD_LAZY);
  if (module == nullptr) return std::fprintf(stderr, "no VkFFT on CUDA: %s\n", dlerror()), nullptr;
  auto peer = std::make_unique<OnCuda>(module, contents);
  if (const char* failure = peer->begin(bytes)) return std::fprintf(stderr, "no VkFFT on CUDA: %s\n", failure), nullptr;
  return peer;
}

}  // namespace bench
