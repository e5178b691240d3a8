// An open CUDA device as the runtime sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/gpu.h"
#include "backends/cuda/image.h"
#include "backends/cuda/module.h"
#include "backends/cuda/queue.h"
#include "backends/cuda/semaphore.h"

namespace vd::cuda {

class Device final : public backends::Device {
 public:
  Device(std::shared_ptr<const Gpu> gpu, const Nvrtc& nvrtc, const backends::DeviceOptions& options);

  const vd_device_info& info() const override { return gpu_->info(); }
  uint32_t queue_count() const override { return static_cast<uint32_t>(queues_.size()); }
  backends::Queue& queue(uint32_t index) override { return *queues_.at(index); }
  std::unique_ptr<backends::Memory> make_memory(uint64_t size, bool host_visible, const std::string& label) override;
  std::unique_ptr<backends::Memory> make_readback(uint64_t size) override;
  std::optional<backends::DlpackDevice> dlpack() const override {
    return backends::DlpackDevice{2, gpu_->physical.handle};  // kDLCUDA
  }
  std::unique_ptr<backends::Memory> import_memory(const backends::ExternalMemory& memory) override;
  std::unique_ptr<backends::Memory> make_exportable(uint64_t size, const std::string& label) override;
  std::shared_ptr<backends::Semaphore> make_semaphore(const backends::SemaphoreDesc& desc) override;
  bool has_images() const override { return true; }
  std::unique_ptr<backends::Image> make_image(const backends::ImageShape& shape) override;
  void check_image(const backends::ImageShape& shape) const override { Image::check(shape); }
  std::shared_ptr<backends::Sampler> make_sampler(const vd_sampler_desc& desc) override {
    return std::make_shared<Sampler>(desc);
  }
  std::shared_ptr<backends::Module> make_module(const backends::ModuleDesc& desc) override;
  std::vector<std::byte> print(const backends::ModuleDesc& desc) override { return compiler_.print(desc); }
  std::optional<Hash128> printing_key() const override { return compiler_.printing_key(); }
  bool orders_by_edges() const override { return true; }
  bool patches_executables() const override { return true; }
  std::unique_ptr<backends::Executable> make_executable(const backends::CommandList& list) override;
  backends::CompileCounts compile_counts() const override { return compiler_.counts(); }
  void prepare_timing() override;
  bool native(const char* kind, uint64_t& out) const override;

  const Gpu& gpu() const noexcept { return *gpu_; }

 private:
  std::shared_ptr<const Gpu> gpu_;
  const std::shared_ptr<HostPool> fetched_;
  Compiler compiler_;
  const std::shared_ptr<DeviceClock> clock_;
  ThreadPool copiers_;
  std::vector<std::unique_ptr<Queue>> queues_;
  backends::HostImports<Pinned> imports_;  // in a context of the program's
};

// Open a device; the backend does it without overrides.
std::unique_ptr<Device> open_device(const DeviceIndex& place, const backends::DeviceOptions& options,
                                    const Overrides& overrides = {});

}  // namespace vd::cuda
