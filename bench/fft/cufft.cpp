#include "cufft.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "libraries.h"

namespace bench {
namespace {

// Without headers of NVIDIA's: cufftType, directions, and a callback that stores complex numbers.
constexpr int kC2C = 0x29, kR2C = 0x2a, kC2R = 0x2c, kZ2Z = 0x69, kForward = -1, kInverse = 1, kStoreComplex = 4;
constexpr const char* kSource =
    "struct __align__(8) f2 { float x, y; };\n"
    "extern \"C\" __global__ void __launch_bounds__(256) multiply(f2* data, const f2* kernel, unsigned mask, float s) "
    "{\n"
    "  unsigned i = blockIdx.x * 256u + threadIdx.x;\n  f2 a = data[i], b = kernel[i & mask];\n"
    "  f2 r; r.x = (a.x * b.x - a.y * b.y) * s; r.y = (a.x * b.y + a.y * b.x) * s;\n  data[i] = r;\n}\n"
    "extern \"C\" __global__ void __launch_bounds__(256) scale(f2* data, float s) {\n"
    "  unsigned i = blockIdx.x * 256u + threadIdx.x;\n  f2 a = data[i];\n"
    "  a.x *= s; a.y *= s;\n  data[i] = a;\n}\n"
    "extern \"C\" __global__ void __launch_bounds__(256) four(float4* out, const float4* in) {\n"
    "  unsigned i = blockIdx.x * 256u + threadIdx.x;\n  out[i] = in[i];\n}\n"
    "extern \"C\" __global__ void __launch_bounds__(256) eight(f2* out, const f2* in) {\n"
    "  unsigned long long i = blockIdx.x * 2048ull + threadIdx.x;\n  f2 v[8];\n"
    "#pragma unroll\n  for (int k = 0; k < 8; ++k) v[k] = in[i + k * 256];\n"
    "#pragma unroll\n  for (int k = 0; k < 8; ++k) out[i + k * 256] = v[k];\n}\n";

using Address = unsigned long long;

// The largest array whose transforms are a graph: the calls of larger ones take less time than their transforms.
constexpr uint64_t kMostInGraph = uint64_t{64} << 20;

// The one name by which cuFFT links a function that stores, mangled as in C++.
constexpr const char* kCallback = "cufftJITCallbackStoreComplex";
// The function that cuFFT calls for each number of a spectrum: `to` and `at` say where it goes, `filter` is the caller's.
std::string product_source(const Case& c, uint64_t size) {
  const std::string scale = std::to_string(c.scaled ? Case::kScale : 1.0f) + "f / " + std::to_string(size) + ".0f";
  const std::string row = c.shared_kernel ? " % " + std::to_string(size) + "u" : "";
  const std::string scaled = "  n.x *= " + scale + ";\n  n.y *= " + scale + ";\n";
  const std::string product = "  const float2 f = ((const float2*)filter)[at" + row +
                              "];\n"
                              "  n = make_float2(n.x * f.x - n.y * f.y, n.x * f.y + n.y * f.x);\n";
  return std::string("__device__ void ") + kCallback +
         "(void* to, unsigned long long at, float2 n, void* filter, void*) {\n" + (c.scaled ? "" : product) + scaled +
         "  ((float2*)to)[at] = n;\n}\n";
}

#define BENCH_CALL(library, name, ...) (reinterpret_cast<int (*)(__VA_ARGS__)>(dlsym(library, #name)))

void check(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "%s gave %d\n", what, result);
  std::exit(1);
}

class Driver final : public Cufft {
 public:
  Driver(uint64_t bytes, const Contents& contents, Product product)
      : bytes_(bytes), contents_(contents), product_(product) {}

  bool begin() {
    cu_ = open_any({"libcuda.so.1"});
    if (cu_ == nullptr) return std::fprintf(stderr, "no CUDA driver: no peer\n"), false;
    int device = 0;
    if (BENCH_CALL(cu_, cuInit, unsigned)(0) != 0) return false;
    check(BENCH_CALL(cu_, cuDeviceGet, int*, int)(&device, 0), "cuDeviceGet");
    check(BENCH_CALL(cu_, cuDevicePrimaryCtxRetain, void**, int)(&context_, device), "cuDevicePrimaryCtxRetain");
    make_current();
    check(BENCH_CALL(cu_, cuStreamCreate, void**, unsigned)(&stream_, 1), "cuStreamCreate");
    fft_ = open_any({std::getenv("BENCH_CUFFT"), "libcufft.so.12", "libcufft.so.11", "libcufft.so"});
    if (fft_ == nullptr) return std::fprintf(stderr, "no cuFFT (%s): no peer\n", dlerror()), false;
    for (Address* to : {&source_, &data_, &kernel_}) {
      check(BENCH_CALL(cu_, cuMemAlloc_v2, Address*, size_t)(to, bytes_), "cuMemAlloc");
    }
    load(Precision::Single);
    repeat(kernel_, std::as_bytes(std::span(contents_.filter)));
    nvrtc_ = open_nvrtc();
    if (nvrtc_ == nullptr) std::fprintf(stderr, "no NVRTC for the peer's multiplication\n"), std::exit(1);
    compile_kernels();
    return true;
  }

  bool prepare(const Case& c) override {
    if (product_ == Product::Callback && !c.convolves()) return false;
    make_current();
    drop_graph();
    case_ = c;
    if (c.precision != precision_) load(c.precision);
    for (int* plan : {&plan_, &back_}) {
      if (*plan != -1) BENCH_CALL(fft_, cufftDestroy, int)(*plan);
      *plan = -1;
    }
    int n[3] = {static_cast<int>(c.n), static_cast<int>(c.n), static_cast<int>(c.n)};
    const int whole = n[0] * n[0], count = static_cast<int>(c.count), inner = static_cast<int>(c.inner());
    const auto plan = BENCH_CALL(fft_, cufftPlanMany, int*, int, int*, int*, int, int, int*, int, int, int, int);
    int result = 0;
    if (c.is_double() && c.kind != Kind::Lines)
      return std::fprintf(stderr, "cuFFT gets lines alone in double precision, not %s\n", c.name.c_str()), false;
    if (product_ == Product::Callback) {
      const int rank = c.kind == Kind::Convolve ? 1 : 2, size = rank == 1 ? n[0] : whole;
      result = plan_with_callback(rank, n, size, count);
      if (result == 0) result = plan(&back_, rank, n, nullptr, 1, size, nullptr, 1, size, kC2C, count);
      if (result != 0)
        return std::fprintf(stderr, "cuFFT with a callback gave %d for %s\n", result, c.name.c_str()), false;
      return set_streams(), true;
    }
    switch (c.kind) {
      case Kind::Lines:
      case Kind::ThereAndBack:
      case Kind::Convolve:
        result = plan(&plan_, 1, n, nullptr, 1, n[0], nullptr, 1, n[0], c.is_double() ? kZ2Z : kC2C, count);
        break;
      case Kind::Strided:
        result = plan(&plan_, 1, n, n, inner, 1, n, inner, 1, kC2C, inner);
        break;
      case Kind::Plane:
      case Kind::ConvolvePlane:
        result = plan(&plan_, 2, n, nullptr, 1, whole, nullptr, 1, whole, kC2C, count);
        break;
      case Kind::Cube:
        result = plan(&plan_, 3, n, nullptr, 1, whole * n[0], nullptr, 1, whole * n[0], kC2C, count);
        break;
      case Kind::Real:
      case Kind::RealThereAndBack: {
        int real[1] = {2 * (n[0] / 2 + 1)}, half[1] = {n[0] / 2 + 1};
        result = plan(&plan_, 1, n, real, 1, real[0], half, 1, half[0], kR2C, count);
        if (c.kind == Kind::RealThereAndBack)
          result |= plan(&back_, 1, n, half, 1, half[0], real, 1, real[0], kC2R, count);
        break;
      }
      case Kind::RealPlane: {
        int real[2] = {n[0], 2 * (n[0] / 2 + 1)}, half[2] = {n[0], n[0] / 2 + 1};
        result = plan(&plan_, 2, n, real, 1, real[0] * real[1], half, 1, half[0] * half[1], kR2C, count);
        break;
      }
    }
    if (result != 0) return std::fprintf(stderr, "cufftPlanMany gave %d for %s\n", result, c.name.c_str()), false;
    return set_streams(), true;
  }

  void reset() override {
    check(BENCH_CALL(cu_, cuMemcpyDtoDAsync_v2, Address, Address, size_t, void*)(data_, source_, bytes_, stream_),
          "cuMemcpyDtoDAsync");
    wait();
  }

  void record(int iterations) override {
    drop_graph();
    if (case_.bytes() > kMostInGraph) return;
    void* graph = nullptr;
    // 2: other threads do as they like meanwhile.
    check(BENCH_CALL(cu_, cuStreamBeginCapture_v2, void*, int)(stream_, 2), "cuStreamBeginCapture");
    issue(iterations);
    check(BENCH_CALL(cu_, cuStreamEndCapture, void*, void**)(stream_, &graph), "cuStreamEndCapture");
    check(BENCH_CALL(cu_, cuGraphInstantiateWithFlags, void**, void*, unsigned long long)(&graph_, graph, 0),
          "cuGraphInstantiateWithFlags");
    check(BENCH_CALL(cu_, cuGraphDestroy, void*)(graph), "cuGraphDestroy");
  }

  void run(int iterations) override {
    if (graph_ != nullptr)
      check(BENCH_CALL(cu_, cuGraphLaunch, void*, void*)(graph_, stream_), "cuGraphLaunch");
    else
      issue(iterations);
    wait();
  }

  void read(uint64_t offset, uint64_t bytes, void* to) override {
    check(BENCH_CALL(cu_, cuMemcpyDtoH_v2, void*, Address, size_t)(to, data_ + offset, bytes), "cuMemcpyDtoH");
  }

  void copy(int iterations, bool as_transforms) override {
    void* arguments[] = {&data_, &source_};
    const uint64_t group = as_transforms ? 16384 : 4096;
    for (int i = 0; i < iterations; ++i)
      launch(as_transforms ? eight_ : four_, static_cast<unsigned>(bytes_ / group), arguments);
    wait();
  }

 private:
  void make_current() { check(BENCH_CALL(cu_, cuCtxSetCurrent, void*)(context_), "cuCtxSetCurrent"); }

  void drop_graph() {
    if (graph_ != nullptr) check(BENCH_CALL(cu_, cuGraphExecDestroy, void*)(graph_), "cuGraphExecDestroy");
    graph_ = nullptr;
  }

  void issue(int iterations) {
    const auto c2c = BENCH_CALL(fft_, cufftExecC2C, int, Address, Address, int);
    const auto z2z = BENCH_CALL(fft_, cufftExecZ2Z, int, Address, Address, int);
    const auto r2c = BENCH_CALL(fft_, cufftExecR2C, int, Address, Address);
    const auto c2r = BENCH_CALL(fft_, cufftExecC2R, int, Address, Address);
    for (int i = 0; i < iterations; ++i) {
      int result = 0;
      if (case_.kind == Kind::Strided) {
        for (uint64_t p = 0; p < case_.count; ++p) {
          const Address plane = data_ + p * case_.n * case_.inner() * 8;
          result |= c2c(plan_, plane, plane, kForward);
        }
      } else if (case_.is_double()) {
        result = z2z(plan_, data_, data_, kForward);
      } else if (case_.real()) {
        result = r2c(plan_, data_, data_);
        if (case_.kind == Kind::RealThereAndBack) result |= c2r(back_, data_, data_);
      } else {
        result = c2c(plan_, data_, data_, kForward);
        if (case_.kind == Kind::ThereAndBack) result |= c2c(plan_, data_, data_, kInverse);
      }
      if (product_ == Product::Callback) {
        result |= c2c(back_, data_, data_, kInverse);
      } else if (case_.convolves()) {
        const bool plane = case_.kind == Kind::ConvolvePlane;
        const uint64_t size = plane ? case_.n * case_.n : case_.n;
        const unsigned mask = case_.shared_kernel ? static_cast<unsigned>(size - 1) : ~0u;
        const float scale = (case_.scaled ? Case::kScale : 1.0f) / static_cast<float>(size);
        const auto groups = static_cast<unsigned>(case_.complexes() / 256);
        void* arguments[] = {&data_, &kernel_, const_cast<unsigned*>(&mask), const_cast<float*>(&scale)};
        void* scaled[] = {&data_, const_cast<float*>(&scale)};
        if (case_.scaled)
          launch(scale_, groups, scaled);
        else
          launch(multiply_, groups, arguments);
        result |= c2c(plan_, data_, data_, kInverse);
      }
      check(result, "cufftExec");
    }
  }

  void set_streams() {
    for (const int one : {plan_, back_}) {
      if (one != -1) check(BENCH_CALL(fft_, cufftSetStream, int, void*)(one, stream_), "cufftSetStream");
    }
  }

  // The transform to the spectrum, which multiplies as it stores. Callbacks are set before a plan is made.
  int plan_with_callback(int rank, int* n, int size, int count) {
    const auto set = BENCH_CALL(fft_, cufftXtSetJITCallback, int, const char*, const void*, size_t, int, void**);
    if (set == nullptr) return std::fprintf(stderr, "this cuFFT links no callbacks\n"), -1;
    const std::string code = compiled(product_source(case_, static_cast<uint64_t>(size)),
                                      {architecture().c_str(), "-dlto", "-rdc=true"}, "LTOIR");
    check(BENCH_CALL(fft_, cufftCreate, int*)(&plan_), "cufftCreate");
    auto* filter = reinterpret_cast<void*>(kernel_);
    check(set(plan_, kCallback, code.data(), code.size(), kStoreComplex, &filter), "cufftXtSetJITCallback");
    size_t work = 0;
    return BENCH_CALL(fft_, cufftMakePlanMany, int, int, int*, int*, int, int, int*, int, int, int, int, size_t*)(
        plan_, rank, n, nullptr, 1, size, nullptr, 1, size, kC2C, count, &work);
  }

  // The option that names the device's own.
  std::string architecture() {
    int major = 0, minor = 0;
    const auto get = BENCH_CALL(cu_, cuDeviceGetAttribute, int*, int, int);
    check(get(&major, 75, 0), "cuDeviceGetAttribute");
    check(get(&minor, 76, 0), "cuDeviceGetAttribute");
    return "--gpu-architecture=sm_" + std::to_string(major * 10 + minor);
  }

  void wait() { check(BENCH_CALL(cu_, cuStreamSynchronize, void*)(stream_), "cuStreamSynchronize"); }

  void load(Precision precision) {
    repeat(source_, contents_.scaled(precision, kSmall));
    precision_ = precision;
  }

  // Fills an array by repeating `block`.
  void repeat(Address to, std::span<const std::byte> block) {
    for (uint64_t at = 0; at < bytes_; at += block.size()) {
      const size_t part = std::min<uint64_t>(block.size(), bytes_ - at);
      check(BENCH_CALL(cu_, cuMemcpyHtoD_v2, Address, const void*, size_t)(to + at, block.data(), part),
            "cuMemcpyHtoD");
    }
  }

  void launch(void* function, unsigned groups, void** arguments) {
    check(BENCH_CALL(cu_, cuLaunchKernel, void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     void*, void**, void**)(function, groups, 1, 1, 256, 1, 1, 0, stream_, arguments, nullptr),
          "cuLaunchKernel");
  }

  // Code by NVRTC of a source: `what` is "PTX" or "LTOIR".
  std::string compiled(const std::string& source, std::vector<const char*> options, const std::string& what) {
    void* program = nullptr;
    check(BENCH_CALL(nvrtc_, nvrtcCreateProgram, void**, const char*, const char*, int, const char* const*,
                     const char* const*)(&program, source.c_str(), "peer", 0, nullptr, nullptr),
          "nvrtcCreateProgram");
    check(BENCH_CALL(nvrtc_, nvrtcCompileProgram, void*, int, const char* const*)(
              program, static_cast<int>(options.size()), options.data()),
          "nvrtcCompileProgram");
    const std::string get = "nvrtcGet" + what, get_size = get + "Size";
    size_t size = 0;
    check(reinterpret_cast<int (*)(void*, size_t*)>(dlsym(nvrtc_, get_size.c_str()))(program, &size), get_size.c_str());
    std::string code(size, '\0');
    check(reinterpret_cast<int (*)(void*, char*)>(dlsym(nvrtc_, get.c_str()))(program, code.data()), get.c_str());
    return code;
  }

  void compile_kernels() {
    const std::string ptx = compiled(kSource, {"--gpu-architecture=compute_75"}, "PTX");
    void* module = nullptr;
    check(BENCH_CALL(cu_, cuModuleLoadData, void**, const void*)(&module, ptx.data()), "cuModuleLoadData");
    const auto get = BENCH_CALL(cu_, cuModuleGetFunction, void**, void*, const char*);
    check(get(&multiply_, module, "multiply"), "cuModuleGetFunction");
    check(get(&scale_, module, "scale"), "cuModuleGetFunction");
    check(get(&four_, module, "four"), "cuModuleGetFunction");
    check(get(&eight_, module, "eight"), "cuModuleGetFunction");
  }

  void *cu_ = nullptr, *fft_ = nullptr, *nvrtc_ = nullptr, *context_ = nullptr, *stream_ = nullptr, *graph_ = nullptr,
       *multiply_ = nullptr, *scale_ = nullptr, *four_ = nullptr, *eight_ = nullptr;
  Address source_ = 0, data_ = 0, kernel_ = 0;
  const uint64_t bytes_;
  const Contents& contents_;
  const Product product_;
  Precision precision_ = Precision::Single;
  int plan_ = -1, back_ = -1;
  Case case_;
};

}  // namespace

std::unique_ptr<Cufft> Cufft::open(uint64_t bytes, const Contents& contents, Product product) {
  auto peer = std::make_unique<Driver>(bytes, contents, product);
  if (!peer->begin()) return nullptr;
  return peer;
}

}  // namespace bench
