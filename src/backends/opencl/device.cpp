#include "backends/opencl/device.h"

#include <algorithm>
#include <string_view>

namespace vd::opencl {

Device::Device(std::shared_ptr<const Context> context, const backends::DeviceOptions& options)
    : context_(std::move(context)),
      compiler_(context_, options.cache_dir),
      copiers_(backends::copier_count(options), "vd-opencl-copy") {
  const uint32_t count = std::clamp(options.queue_count, 1u, info().queue_count);
  for (uint32_t i = 0; i < count; ++i) queues_.push_back(std::make_unique<Queue>(context_, i, copiers_));
}

// A queue may wait for another: all come to rest before the first goes.
Device::~Device() {
  for (const auto& queue : queues_) context_->cl.Finish(queue->handle());
}

std::unique_ptr<backends::Memory> Device::make_memory(uint64_t size, bool host_visible, const std::string& label) {
  return std::make_unique<Memory>(
      context_, size, host_visible, label, [this] { return side_queue(); }, [this] { return queue_handles(); },
      disposer_);
}

std::unique_ptr<backends::Memory> Device::make_texels(const backends::ImageShape& shape, uint64_t size) {
  auto memory = std::make_unique<Memory>(
      context_, size, shape.host, shape.label, [this] { return side_queue(); }, [this] { return queue_handles(); },
      disposer_);
  if (has_image(*context_, shape)) memory->set_copy(std::make_unique<SampledCopy>(context_, shape));
  return memory;
}

std::vector<cl_command_queue> Device::queue_handles() const {
  std::vector<cl_command_queue> handles;
  for (const auto& queue : queues_) handles.push_back(queue->handle());
  return handles;
}

cl_command_queue Device::side_queue() {
  const std::lock_guard lock(side_mutex_);
  if (!side_) side_ = make_queue(context_, "the queue that maps memory");
  return side_.get();
}

std::unique_ptr<backends::Memory> Device::make_readback(uint64_t size) {
  return std::make_unique<Memory>(context_, size, context_->direct_transfers ? nullptr : side_queue());
}

std::unique_ptr<backends::Memory> Device::import_memory(const backends::ExternalMemory& memory) {
  if (memory.kind != VD_MEMORY_KIND_HOST) return backends::Device::import_memory(memory);
  const backends::HostPages pages = backends::host_pages(memory, info(), "OpenCL");
  auto import =
      imports_.find(pages, "OpenCL", [&] { return std::make_unique<const HostImport>(context_, pages, memory.label); });
  return std::make_unique<Memory>(context_, std::move(import), memory.handle, [this] { return side_queue(); });
}

std::shared_ptr<backends::Module> Device::make_module(const backends::ModuleDesc& desc) { return compiler_.make(desc); }

std::unique_ptr<backends::Executable> Device::make_executable(const backends::CommandList& list) {
  return std::make_unique<Executable>(context_, queues_.front()->handle(), list);
}

bool Device::native(const char* kind, uint64_t& out) const {
  const std::string_view wanted = kind;
  if (wanted == "cl_platform_id")
    out = reinterpret_cast<uint64_t>(context_->physical.platform);
  else if (wanted == "cl_device_id")
    out = reinterpret_cast<uint64_t>(context_->device());
  else if (wanted == "cl_context")
    out = reinterpret_cast<uint64_t>(context_->handle());
  else
    return false;
  return true;
}

std::unique_ptr<Device> open_device(const Physical& physical, const backends::DeviceOptions& options,
                                    const Overrides& overrides) {
  if ((options.flags & VD_CONTEXT_ROBUST) != 0)
    fail(VD_ERR_UNSUPPORTED,
         "OpenCL has no robust access to buffers (VD_CONTEXT_ROBUST); the host backend with VD_CONTEXT_CHECKED reports "
         "accesses outside of a buffer");
  const Api& api = overrides.api != nullptr ? *overrides.api : Api::get();
  return std::make_unique<Device>(std::make_shared<Context>(api, physical, overrides), options);
}

}  // namespace vd::opencl
