// An open OpenCL device as the runtime sees it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/module.h"
#include "backends/opencl/queue.h"

namespace vd::opencl {

class Device final : public backends::Device {
 public:
  Device(std::shared_ptr<const Context> context, const backends::DeviceOptions& options);
  ~Device() override;

  const vd_device_info& info() const override { return context_->info(); }
  uint32_t queue_count() const override { return static_cast<uint32_t>(queues_.size()); }
  backends::Queue& queue(uint32_t index) override { return *queues_.at(index); }
  std::unique_ptr<backends::Memory> make_memory(uint64_t size, bool host_visible, const std::string& label) override;
  std::unique_ptr<backends::Memory> make_readback(uint64_t size) override;
  std::unique_ptr<backends::Memory> import_memory(const backends::ExternalMemory& memory) override;
  bool has_sampling_units() const override { return context_->images; }
  bool can_sample(const backends::ImageShape& shape) const override { return has_image(*context_, shape); }
  std::shared_ptr<backends::Sampler> make_sampler(const vd_sampler_desc& desc) override {
    return std::make_shared<Sampler>(context_, desc);
  }
  bool maps_image(const backends::ImageShape& shape) const override { return shape.host || context_->direct_transfers; }
  std::unique_ptr<backends::Memory> make_texels(const backends::ImageShape& shape, uint64_t size) override;
  std::shared_ptr<backends::Module> make_module(const backends::ModuleDesc& desc) override;
  std::vector<std::byte> print(const backends::ModuleDesc& desc) override { return compiler_.print(desc); }
  std::optional<Hash128> printing_key() const override { return compiler_.printing_key(); }
  std::unique_ptr<backends::Executable> make_executable(const backends::CommandList& list) override;
  backends::CompileCounts compile_counts() const override { return compiler_.counts(); }
  bool native(const char* kind, uint64_t& out) const override;

  const Context& context() const noexcept { return *context_; }

 private:
  cl_command_queue side_queue();
  std::vector<cl_command_queue> queue_handles() const;

  std::shared_ptr<const Context> context_;
  Compiler compiler_;
  ThreadPool copiers_;
  std::vector<std::unique_ptr<Queue>> queues_;
  backends::HostImports<HostImport> imports_;
  std::mutex side_mutex_;
  QueueHandle side_;                     // maps memory, with no kernels before it; made at first use
  Disposer disposer_{"vd-opencl-free"};  // last, since what it destroys needs the queue
};

// Open a device; the backend does it without overrides.
std::unique_ptr<Device> open_device(const Physical& physical, const backends::DeviceOptions& options,
                                    const Overrides& overrides = {});

}  // namespace vd::opencl
