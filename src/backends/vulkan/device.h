// An open Vulkan device as the runtime sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/vulkan/gpu.h"
#include "backends/vulkan/image.h"
#include "backends/vulkan/module.h"
#include "backends/vulkan/queue.h"
#include "backends/vulkan/semaphore.h"

namespace vd::vulkan {

class Device final : public backends::Device {
 public:
  Device(std::shared_ptr<const Gpu> gpu, const backends::DeviceOptions& options);

  const vd_device_info& info() const override { return gpu_->info(); }
  uint32_t queue_count() const override { return static_cast<uint32_t>(queues_.size()); }
  backends::Queue& queue(uint32_t index) override { return *queues_.at(index); }
  std::unique_ptr<backends::Memory> make_memory(uint64_t size, bool host_visible, const std::string& label) override;
  std::unique_ptr<backends::Memory> make_readback(uint64_t size) override;
  std::unique_ptr<backends::Memory> import_memory(const backends::ExternalMemory& memory) override;
  std::unique_ptr<backends::Memory> make_exportable(uint64_t size, const std::string& label) override;
  std::shared_ptr<backends::Semaphore> make_semaphore(const backends::SemaphoreDesc& desc) override;
  bool has_images() const override { return gpu_->images; }
  bool reads_counts() const override { return true; }
  std::unique_ptr<backends::Image> make_image(const backends::ImageShape& shape) override;
  void check_image(const backends::ImageShape& shape) const override { vulkan::check_image(*gpu_, shape); }
  std::shared_ptr<backends::Sampler> make_sampler(const vd_sampler_desc& desc) override { return samplers_.get(desc); }
  std::shared_ptr<backends::Module> make_module(const backends::ModuleDesc& desc) override;
  std::vector<std::byte> print(const backends::ModuleDesc& desc) override { return compiler_.print(desc); }
  std::optional<Hash128> printing_key() const override { return compiler_.printing_key(); }
  std::unique_ptr<backends::Executable> make_executable(const backends::CommandList& list) override;
  backends::CompileCounts compile_counts() const override { return compiler_.counts(); }
  bool has_extension(const std::string& name) const override { return gpu_->physical.extensions.count(name) != 0; }
  bool native(const char* kind, uint64_t& out) const override;

  const Gpu& gpu() const noexcept { return *gpu_; }

 private:
  std::shared_ptr<const Gpu> gpu_;
  Compiler compiler_;
  Samplers samplers_;
  ThreadPool copiers_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

// Open a device; the backend does it without overrides.
std::unique_ptr<Device> open_device(uint32_t index, const backends::DeviceOptions& options,
                                    const Overrides& overrides = {});

}  // namespace vd::vulkan
