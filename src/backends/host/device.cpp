// The CPU as a device: always there, and the reference for every other.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "backends/host/compile.h"
#include "backends/host/memory.h"
#include "backends/host/module.h"
#include "backends/host/pure.h"
#include "backends/host/queue.h"
#include "backends/host/run.h"
#include "backends/staging.h"
#include "core/error.h"
#include "core/image_limits.h"
#include "core/platform.h"

namespace vd::host {
namespace {

constexpr uint32_t kMaxShared = 64 << 10;
constexpr uint32_t kMaxQueues = 16;

vd_device_info make_info(uint32_t threads) {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  info.backend = VD_BACKEND_HOST;
  info.type = VD_DEVICE_CPU;
  info.api_version[1] = VD_VERSION_MAJOR;
  info.api_version[2] = VD_VERSION_MINOR;
  info.api_version[3] = VD_VERSION_PATCH;
  info.driver_version = VD_VERSION_MAJOR * 1000000 + VD_VERSION_MINOR * 1000 + VD_VERSION_PATCH;
  info.uuid_valid = 1;
  std::memcpy(info.uuid, "vkdispatch-host", 16);
  std::snprintf(info.name, sizeof(info.name), "Host CPU (%u thread%s)", threads, threads == 1 ? "" : "s");
  info.features = VD_FEATURE_F64 | VD_FEATURE_F16 | VD_FEATURE_I64 | VD_FEATURE_I16 | VD_FEATURE_I8 |
                  VD_FEATURE_STORAGE_16 | VD_FEATURE_UNIFORM_16 | VD_FEATURE_PUSH_CONSTANT_16 | VD_FEATURE_STORAGE_8 |
                  VD_FEATURE_F32_ATOMICS | VD_FEATURE_F32_ATOMIC_ADD | VD_FEATURE_F64_ATOMIC_ADD |
                  VD_FEATURE_I64_ATOMICS | VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC |
                  VD_FEATURE_SUBGROUP_SHUFFLE | VD_FEATURE_SUBGROUP_VOTE | VD_FEATURE_SCALAR_BLOCK_LAYOUT |
                  VD_FEATURE_TIMELINE_SEMAPHORE | VD_FEATURE_PRINTF | VD_FEATURE_UNIFIED_MEMORY | VD_FEATURE_TIMESTAMPS;
  info.timestamp_period = 1;
  report_buffer_images(info);
  info.max_workgroup_size[0] = info.max_workgroup_size[1] = kMaxInvocations;
  info.max_workgroup_size[2] = 64;
  info.max_workgroup_invocations = kMaxInvocations;
  std::fill_n(info.max_workgroup_count, 3, 0x7fffffffu);
  info.max_storage_buffer_range = uint64_t{1} << 40;
  info.max_uniform_buffer_range = 64 << 10;
  info.max_allocation_size = uint64_t{1} << 40;
  info.memory_size = platform::memory_size();
  info.max_push_constant_size = 4096;
  info.uniform_buffer_alignment = 16;
  info.storage_buffer_alignment = 1;
  info.host_import_alignment = 1;
  info.max_shared_memory_size = info.max_shared_memory_opt_in = info.shared_memory_per_multiprocessor = kMaxShared;
  info.multiprocessor_count = threads;
  info.subgroup_size = kSubgroup;
  info.queue_count = kMaxQueues;
  return info;
}

class Device final : public backends::Device {
 public:
  Device(const vd_device_info& info, const backends::DeviceOptions& options)
      : info_(info),
        checked_((options.flags & (VD_CONTEXT_CHECKED | VD_CONTEXT_ROBUST)) != 0),
        runner_(options.thread_count, options.watchdog_ns, checked_),
        copiers_(backends::copier_count(options), "vd-host-copy") {
    const uint32_t count = std::clamp(options.queue_count, 1u, kMaxQueues);  // who asks for more is told how many
    for (uint32_t i = 0; i < count; ++i) queues_.push_back(std::make_unique<Queue>(runner_, copiers_, i));
  }

  // A queue may wait for another: all come to rest before the first goes.
  ~Device() override {
    for (const auto& queue : queues_) queue->drain();
  }

  const vd_device_info& info() const override { return info_; }
  uint32_t queue_count() const override { return static_cast<uint32_t>(queues_.size()); }
  Queue& queue(uint32_t index) override { return *queues_.at(index); }
  bool reads_counts() const override { return true; }

  std::unique_ptr<backends::Memory> make_memory(uint64_t size, bool /*host_visible*/,
                                                const std::string& label) override {
    return std::make_unique<Memory>(size, checked_, label);
  }
  std::optional<backends::DlpackDevice> dlpack() const override { return backends::DlpackDevice{1, 0}; }  // kDLCPU
  std::unique_ptr<backends::Memory> import_memory(const backends::ExternalMemory& memory) override {
    if (memory.kind != VD_MEMORY_KIND_HOST) return backends::Device::import_memory(memory);
    return std::make_unique<Memory>(reinterpret_cast<std::byte*>(memory.handle), memory.size, checked_, memory.label);
  }
  // Copies alone write it and kernels never see it, so it has no shadow, also in a checked context.
  std::unique_ptr<backends::Memory> make_readback(uint64_t size) override {
    return std::make_unique<Memory>(size, false, "fetched bytes");
  }

  bool maps_image(const backends::ImageShape& /*shape*/) const override { return true; }

  std::shared_ptr<backends::Module> make_module(const backends::ModuleDesc& desc) override {
    if (desc.kernel == nullptr) {
      fail(VD_ERR_UNSUPPORTED,
           "desc->source is given, and the host backend has no language of source text; build a kernel");
    }
    compiled_.fetch_add(1, std::memory_order_relaxed);
    return std::make_shared<Module>(compile(*desc.kernel, desc.workgroup_size, checked_));
  }

  std::unique_ptr<backends::Executable> make_executable(const backends::CommandList& list) override {
    return std::make_unique<Executable>(list);
  }
  backends::CompileCounts compile_counts() const override { return {compiled_.load(std::memory_order_relaxed), 0}; }

 private:
  const vd_device_info info_;
  const bool checked_;
  std::atomic<uint64_t> compiled_{0};
  Runner runner_;
  ThreadPool copiers_;
  std::vector<std::unique_ptr<Queue>> queues_;  // end before the runner
};

class HostBackend final : public backends::Backend {
 public:
  const char* name() const override { return "host"; }
  const std::vector<vd_device_info>& devices() override {
    static const std::vector<vd_device_info> list{make_info(platform::processor_count())};
    return list;
  }
  std::unique_ptr<backends::Device> make_device(uint32_t index, const backends::DeviceOptions& options) override {
    if (index != 0) fail(VD_ERR_INVALID, "device ({}) is past the end: the host is one device.", index);
    return std::make_unique<Device>(devices()[0], options);
  }
  bool survives_fork() const override { return true; }
};

}  // namespace

backends::Backend& backend() {
  static HostBackend instance;
  return instance;
}

}  // namespace vd::host
