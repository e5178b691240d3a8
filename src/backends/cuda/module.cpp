#include "backends/cuda/module.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>

#include "backends/checks.h"
#include "backends/cuda/arguments.h"
#include "codegen/cuda_images.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/name.h"

namespace vd::cuda {
namespace {

constexpr const char* kEntry = "vkdispatch_main";
// The printer's own limit leaves room for 64 buffers.
constexpr uint32_t kMostValues = kParameterBytes - 512;
constexpr uint32_t kAddressBytes = 8;
constexpr uint32_t kPortableCluster = 8;
// Loading waits for the device, as long as other threads keep it busy.
constexpr std::chrono::milliseconds kLoadPatience{20};

// Bytes of the parameter of a buffer (none), or of an image of a kernel's.
uint32_t parameter_bytes(ir::Type image) {
  if (image.none()) return kAddressBytes;
  return image.is_sampled() ? sizeof(codegen::CudaSampledImage) : sizeof(codegen::CudaStorageImage);
}

// Bytes of the parameters of a kernel's buffers and images.
uint32_t binding_bytes(const Module& module) {
  uint32_t bytes = 0;
  for (const ir::Type image : module.images()) bytes += module.parameter_size(image);
  return bytes;
}

}  // namespace

uint32_t Module::parameter_size(ir::Type image) const { return plain_images_ ? kAddressBytes : parameter_bytes(image); }

Module::~Module() {
  if (module_ == nullptr) return;
  gpu_->dispose([gpu = gpu_.get(), module = module_] {
    try {
      const Current current(*gpu);
      gpu->cu.cuModuleUnload(module);
    } catch (...) {
      // The context is gone, and its modules with it.
    }
  });
}

Compiler::Compiler(std::shared_ptr<const Gpu> gpu, const Nvrtc& nvrtc, const std::string& cache_dir)
    : gpu_(std::move(gpu)), nvrtc_(nvrtc), disk_(cache_dir) {
  const int wanted = static_cast<int>(gpu_->physical.architecture());
  const int best = nvrtc_.best_architecture(wanted);
  if (best == 0)
    fail(VD_ERR_UNSUPPORTED,
         "NVRTC {} ({}) does not know compute capability {}.{} of device \"{}\"; install another NVRTC",
         version_text(nvrtc_.version()), nvrtc_.path(), wanted / 10, wanted % 10, gpu_->info().name);
  ptx_ = best != wanted;
  options_ = {fmt::format("--gpu-architecture={}_{}", ptx_ ? "compute" : "sm", best), "--std=c++17",
              // Variables that a kernel sets and does not read are the kernel's affair.
              "--diag-suppress=177,550"};
}

std::shared_ptr<backends::Module> Compiler::make(const backends::ModuleDesc& desc) {
  gpu_->require_alive();
  auto module = std::make_shared<Module>(gpu_);
  module->label_ = backends::label_of(desc);
  module->entry_ = kEntry;
  module->block_ = desc.workgroup_size;
  for (uint32_t& n : module->block_) n = std::max(n, 1u);
  ir::Attributes attributes;
  if (desc.source == nullptr) {
    backends::check_limits(desc, gpu_->info(), "CUDA");
    attributes = take_kernel(desc, *module);
  } else {
    take_source(desc, *module);
  }
  if (binding_bytes(*module) + (module->values_by_pointer_ ? kAddressBytes : module->values_size_) > kParameterBytes)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" has {} buffers and images, and {} bytes of values; CUDA takes {} bytes of parameters.",
         module->label_, module->images().size(), module->values_size_, kParameterBytes);
  module->prints_ = module->source_.find("printf") != std::string::npos;
  module->code_ = compile(*module);
  load(*module, *module->code_);
  set_attributes(*module, attributes);
  return module;
}

codegen::Options Compiler::options() const {
  codegen::Options options;
  options.features = gpu_->info().features;
  return options;
}

Hash128 Compiler::printing_key() const { return backends::printing_key(gpu_->info(), VD_LANGUAGE_CUDA, options()); }

backends::PrintedKernel Compiler::print_kernel(const backends::ModuleDesc& desc) const {
  codegen::Options options = this->options();
  options.workgroup_size = desc.workgroup_size;
  uint32_t addresses = 0;
  for (const ir::Argument& argument : desc.kernel->arguments) {
    if (argument.kind == VD_ARGUMENT_BUFFER) addresses += parameter_bytes({});
    if (argument.kind == VD_ARGUMENT_IMAGE) addresses += parameter_bytes(argument.type.value());
  }
  options.value_limit = addresses + kMostValues <= kParameterBytes        ? kMostValues
                        : addresses + 2 * kAddressBytes < kParameterBytes ? kParameterBytes - addresses - kAddressBytes
                                                                          : 1;
  return backends::print(*desc.kernel, VD_LANGUAGE_CUDA, options);
}

std::vector<std::byte> Compiler::print(const backends::ModuleDesc& desc) const {
  backends::check_limits(desc, gpu_->info(), "CUDA");
  return print_kernel(desc).bytes();
}

ir::Attributes Compiler::take_kernel(const backends::ModuleDesc& desc, Module& module) const {
  backends::PrintedKernel printed =
      !desc.printed.empty() ? backends::PrintedKernel::read(desc.printed) : print_kernel(desc);
  for (const auto& argument : printed.arguments) module.images_.push_back(argument.image);
  codegen::Source& source = printed.source;
  module.source_ = std::move(source.text);
  module.entry_ = source.entry;
  module.block_ = source.workgroup_size;
  module.dynamic_shared_size_ = source.dynamic_shared_size;
  module.values_size_ = source.values == codegen::ValuePlace::None ? 0 : printed.values_size;
  module.values_by_pointer_ = source.values == codegen::ValuePlace::Pointer;
  return printed.attributes;
}

void Compiler::take_source(const backends::ModuleDesc& desc, Module& module) const {
  const auto& source = *desc.source;
  backends::check_source(source, module.label_, {VD_LANGUAGE_CUDA}, "CUDA");
  if (!source.entry.empty()) module.entry_ = source.entry;
  module.source_ = source.text;
  module.plain_images_ = true;
  for (const uint32_t kind : source.bindings) {
    const bool storage = kind == VD_BINDING_STORAGE_IMAGE, sampled = kind == VD_BINDING_SAMPLED_IMAGE;
    const vd_argument_access access = storage ? VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE : 0;
    module.images_.push_back(storage || sampled ? ir::Type::image(ir::Scalar::None, 0, false, access) : ir::Type());
  }
  module.values_size_ = source.values_size;
}

// NVRTC reads thousands of lines of declarations before each source. Printed kernels without images need half of them.
std::vector<std::string> Compiler::options_of(const Module& module) const {
  std::vector<std::string> options = options_;
  const auto is_image = [](ir::Type image) { return !image.none(); };
  if (!module.plain_images_ && std::none_of(module.images_.begin(), module.images_.end(), is_image) &&
      nvrtc_.knows_minimal())
    options.emplace_back("--minimal");
  return options;
}

std::shared_ptr<const Compiler::Code> Compiler::compile(Module& module) {
  const std::vector<std::string> options = options_of(module);
  Hasher hasher;
  hasher.add(std::string_view("cubin of CUDA")).add(nvrtc_.version());
  for (const std::string& option : options) hasher.add(std::string_view(option));
  hasher.add(std::string_view(module.source_));
  const Hash128 key = hasher.finish();
  if (auto found = codes_.find(key)) return found;
  std::shared_ptr<Code> code;
  if (auto kept = disk_.load(key); kept && !kept->empty()) {
    code = std::make_shared<Code>(std::move(*kept));
    module.from_cache_ = true;
    cached_.fetch_add(1, std::memory_order_relaxed);
  } else {
    Nvrtc::Output output = nvrtc_.compile(module.source_, module.label_, options, ptx_);
    if (!output.log.empty()) log_verbose("NVRTC on kernel \"{}\": {}", module.label_, output.log);
    code = std::make_shared<Code>(std::move(output.code));
    compiled_.fetch_add(1, std::memory_order_relaxed);
    disk_.store(key, std::span<const std::byte>(*code));
  }
  return codes_.add(key, std::move(code));
}

void Compiler::load(Module& module, const Code& code) const {
  const Current current(*gpu_);
  const Driver& cu = gpu_->cu;
  char log[4096] = "";
  CUjit_option names[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(uintptr_t{sizeof(log) - 1})};
  CUresult loaded = CUDA_SUCCESS;
  gpu_->streams().call_when_idle(
      *gpu_, [&] { loaded = cu.cuModuleLoadDataEx(&module.module_, code.data(), 2, names, values); }, kLoadPatience);
  gpu_->check(loaded, "cuModuleLoadDataEx", "kernel \"{}\" ({} bytes of {} by NVRTC {}) on \"{}\"{}{}", module.label_,
              code.size(), ptx_ ? "PTX" : "machine code", version_text(nvrtc_.version()), gpu_->info().name,
              log[0] != '\0' ? ": " : "", static_cast<const char*>(log));
  const CUresult result = cu.cuModuleGetFunction(&module.function_, module.module_, module.entry_.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    fail(VD_ERR_COMPILE, "plan \"{}\" has no kernel of the name \"{}\"; it must be extern \"C\" __global__.",
         module.label_, shown_name(module.entry_));
  gpu_->check(result, "cuModuleGetFunction", "\"{}\" of kernel \"{}\"", module.entry_, module.label_);
}

void Compiler::set_attributes(Module& module, const ir::Attributes& attributes) const {
  const Current current(*gpu_);
  const Driver& cu = gpu_->cu;
  const auto get = [&](CUfunction_attribute attribute) {
    int value = 0;
    gpu_->check(cu.cuFuncGetAttribute(&value, attribute, module.function_), "cuFuncGetAttribute",
                "attribute {} of kernel \"{}\"", static_cast<int>(attribute), module.label_);
    return static_cast<uint32_t>(std::max(value, 0));
  };
  const auto set = [&](CUfunction_attribute attribute, uint32_t value, const char* what) {
    gpu_->check(cu.cuFuncSetAttribute(module.function_, attribute, static_cast<int>(value)), "cuFuncSetAttribute",
                "{} ({}) of kernel \"{}\"", what, value, module.label_);
  };
  const uint32_t registers = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
  if (registers != 0) module.statistics_.registers = registers;
  module.statistics_.spilled = get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  const uint32_t invocations = module.block_[0] * module.block_[1] * module.block_[2];
  if (const uint32_t most = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK); invocations > most)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" uses {} registers an invocation, so that a workgroup has at most {} invocations; it has {}. "
         "Give it a smaller workgroup size, or __launch_bounds__.",
         module.label_, registers, most, invocations);
  const uint32_t shared = get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES) + module.dynamic_shared_size_;
  if (shared > gpu_->info().max_shared_memory_opt_in)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" needs {} bytes of shared memory; a workgroup has {} on CUDA device \"{}\"; make its shared "
         "arrays smaller.",
         module.label_, shared, gpu_->info().max_shared_memory_opt_in, gpu_->info().name);
  if (module.dynamic_shared_size_ != 0)
    set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, module.dynamic_shared_size_, "dynamic shared memory");
  if (attributes.shared_carveout != 0)
    set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, attributes.shared_carveout - 1, "shared carve-out");
  uint32_t cluster = 1;
  for (const uint32_t n : attributes.cluster_size) cluster *= std::max(n, 1u);
  if (cluster > kPortableCluster) set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, "a large cluster");
}

}  // namespace vd::cuda
