#include "backends/cuda/device.h"

#include <algorithm>
#include <string_view>

namespace vd::cuda {

Device::Device(std::shared_ptr<const Gpu> gpu, const Nvrtc& nvrtc, const backends::DeviceOptions& options)
    : gpu_(std::move(gpu)),
      fetched_(std::make_shared<HostPool>(gpu_)),
      compiler_(gpu_, nvrtc, options.cache_dir),
      clock_(std::make_shared<DeviceClock>(gpu_, compiler_, fetched_)),
      copiers_(backends::copier_count(options), "vd-cuda-copy") {
  const uint32_t count = std::clamp(options.queue_count, 1u, gpu_->info().queue_count);
  for (uint32_t i = 0; i < count; ++i) queues_.push_back(std::make_unique<Queue>(gpu_, i, copiers_, clock_));
}

std::unique_ptr<backends::Memory> Device::make_memory(uint64_t size, bool host_visible, const std::string& label) {
  return std::make_unique<Memory>(gpu_, size, host_visible, label);
}

std::unique_ptr<backends::Memory> Device::make_readback(uint64_t size) {
  return std::make_unique<Memory>(gpu_, size, fetched_);
}

std::unique_ptr<backends::Memory> Device::import_memory(const backends::ExternalMemory& memory) {
  if (memory.kind == VD_MEMORY_KIND_FD)
    return std::make_unique<Memory>(gpu_, memory, std::make_unique<ForeignMemory>(gpu_, memory));
  if (memory.kind == VD_MEMORY_KIND_CUDA) return std::make_unique<Memory>(gpu_, memory);
  if (memory.kind != VD_MEMORY_KIND_HOST) return backends::Device::import_memory(memory);
  gpu_->require_alive();
  gpu_->expect_captures();
  const backends::HostPages pages = backends::host_pages(memory, info(), "CUDA");
  // A context of the program's may be gone before those of others.
  backends::HostImports<Pinned>& imports = gpu_->owns_context() ? Pinned::of_process() : imports_;
  return std::make_unique<Memory>(
      gpu_, memory, imports.find(pages, "CUDA", [&] { return std::make_unique<const Pinned>(gpu_, pages); }));
}

std::unique_ptr<backends::Memory> Device::make_exportable(uint64_t size, const std::string& label) {
  if ((info().features & VD_FEATURE_MEMORY_FD) == 0) return backends::Device::make_exportable(size, label);
  const std::string what = label.empty() ? "" : fmt::format(" for \"{}\"", label);
  return std::make_unique<Memory>(gpu_, size, std::make_unique<ExportableMemory>(gpu_, size, what));
}

std::shared_ptr<backends::Semaphore> Device::make_semaphore(const backends::SemaphoreDesc& desc) {
  return std::make_shared<SharedSemaphore>(gpu_, desc);
}

std::unique_ptr<backends::Image> Device::make_image(const backends::ImageShape& shape) {
  return std::make_unique<Image>(gpu_, shape);
}

std::shared_ptr<backends::Module> Device::make_module(const backends::ModuleDesc& desc) { return compiler_.make(desc); }

std::unique_ptr<backends::Executable> Device::make_executable(const backends::CommandList& list) {
  return std::make_unique<Executable>(gpu_, list);
}

void Device::prepare_timing() {
  gpu_->require_alive();
  constexpr uint64_t kPatience = 100'000'000;
  static_cast<void>(clock_->prepare(kPatience));
}

bool Device::native(const char* kind, uint64_t& out) const {
  const std::string_view wanted = kind;
  if (wanted == "CUdevice")
    out = static_cast<uint64_t>(gpu_->physical.handle);
  else if (wanted == "CUcontext")
    out = reinterpret_cast<uint64_t>(gpu_->context());
  else
    return false;
  gpu_->expect_captures();
  return true;
}

std::unique_ptr<Device> open_device(const DeviceIndex& place, const backends::DeviceOptions& options,
                                    const Overrides& overrides) {
  if ((options.flags & VD_CONTEXT_ROBUST) != 0)
    fail(VD_ERR_UNSUPPORTED,
         "CUDA has no robust access to buffers (VD_CONTEXT_ROBUST); the host backend with VD_CONTEXT_CHECKED reports "
         "accesses outside of a buffer");
  const Driver& driver = Driver::get();
  // No kernel runs without it, so its absence is reported now.
  const Nvrtc& nvrtc = Nvrtc::get(driver.version());
  auto* const context = options.native ? reinterpret_cast<CUcontext>(options.native->cuda_context) : nullptr;
  auto gpu = std::make_shared<const Gpu>(driver, place, overrides, context);
  return std::make_unique<Device>(std::move(gpu), nvrtc, options);
}

}  // namespace vd::cuda
