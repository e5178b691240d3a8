// A device that does not exist: it has the limits that the user gives, prints source for them and runs nothing.
#include <algorithm>
#include <cstring>

#include "backends/backend.h"
#include "codegen/print.h"
#include "core/device_check.h"
#include "core/error.h"
#include "core/image_limits.h"

namespace vd::dummy {
namespace {

constexpr vd_features kAllFeatures = (vd_features{1} << 28) - 1;

vd_device_info default_info() {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  info.backend = VD_BACKEND_DUMMY;
  info.type = VD_DEVICE_DISCRETE_GPU;
  info.api_version[1] = 1;
  info.api_version[2] = 3;
  info.driver_version = 1001000;
  info.vendor_id = 0x1BAD;
  info.device_id = 1;
  info.uuid_valid = 1;
  std::memcpy(info.uuid, "vkdispatch-dummy", 16);
  std::strncpy(info.name, "VKDispatch Web Dummy GPU", sizeof(info.name) - 1);
  info.features = kAllFeatures;
  report_buffer_images(info);
  info.max_workgroup_size[0] = info.max_workgroup_size[1] = 1024;
  info.max_workgroup_size[2] = 64;
  info.max_workgroup_invocations = 1024;
  std::fill_n(info.max_workgroup_count, 3, 65535u);
  info.max_storage_buffer_range = info.max_allocation_size = info.memory_size = uint64_t{1} << 30;
  info.max_uniform_buffer_range = 65536;
  info.max_push_constant_size = 256;
  info.storage_buffer_alignment = 16;
  info.max_shared_memory_size = info.max_shared_memory_opt_in = info.shared_memory_per_multiprocessor = 65536;
  info.subgroup_size = 32;
  info.queue_count = 12;
  return info;
}

[[noreturn]] void refuse(const char* what) {
  fail(VD_ERR_UNSUPPORTED, "the dummy backend is codegen-only: it prints kernels and has no {}.", what);
}

class Module final : public backends::Module {
 public:
  explicit Module(std::string text) : text_(std::move(text)) {}
  const std::string& source() const override { return text_; }

 private:
  std::string text_;
};

class Queue final : public backends::Queue {
 public:
  uint64_t submit(const backends::CommandList&) override { refuse("queue to run them on (submit)"); }
  uint64_t submit(backends::Executable&, uint32_t) override { refuse("queue to run them on (submit)"); }
  std::unique_ptr<backends::Upload> stage(const backends::Range&, const void*) override { refuse("memory (write)"); }
  void read(const backends::Range&, void*) override { refuse("memory (read)"); }
  // Nothing was ever submitted, so everything is done.
  uint64_t completed() override { return 0; }
  bool wait(uint64_t, uint64_t) override { return true; }
  void wait_for(backends::Queue&, uint64_t) override {}
};

class Device final : public backends::Device {
 public:
  Device(const vd_device_info& info, uint32_t queue_count) : info_(info), queues_(std::max(queue_count, 1u)) {}

  const vd_device_info& info() const override { return info_; }
  uint32_t queue_count() const override { return static_cast<uint32_t>(queues_.size()); }
  backends::Queue& queue(uint32_t index) override { return queues_.at(index); }
  std::unique_ptr<backends::Memory> make_memory(uint64_t, bool, const std::string&) override {
    refuse("memory (buffers)");
  }
  std::shared_ptr<backends::Module> make_module(const backends::ModuleDesc& desc) override {
    if (desc.kernel == nullptr) return std::make_shared<Module>(desc.source->text);
    const codegen::Options options{
        .workgroup_size = desc.workgroup_size, .features = info_.features, .value_limit = info_.max_push_constant_size};
    return std::make_shared<Module>(codegen::print(*desc.kernel, VD_LANGUAGE_GLSL, options).text);
  }
  std::unique_ptr<backends::Executable> make_executable(const backends::CommandList&) override {
    refuse("queue to run them on (graphs)");
  }

 private:
  const vd_device_info info_;
  std::vector<Queue> queues_;
};

// The user's properties, once it is sure that some device could have them.
vd_device_info checked(vd_device_info info) {
  check_device(info, "desc->dummy_device", DeviceLimits::All);
  info.struct_size = sizeof(info);
  info.backend = VD_BACKEND_DUMMY;
  info.index = 0;
  info.name[sizeof(info.name) - 1] = '\0';
  return info;
}

class DummyBackend final : public backends::Backend {
 public:
  const char* name() const override { return "dummy"; }
  const std::vector<vd_device_info>& devices() override { return devices_; }
  std::unique_ptr<backends::Device> make_device(uint32_t index, const backends::DeviceOptions& options) override {
    if (index != 0) fail(VD_ERR_INVALID, "device ({}) is past the end: the dummy backend has one device.", index);
    return std::make_unique<Device>(options.dummy_device ? checked(*options.dummy_device) : devices_[0],
                                    options.queue_count);
  }
  bool runs_kernels() const override { return false; }
  bool survives_fork() const override { return true; }

 private:
  const std::vector<vd_device_info> devices_{default_info()};
};

}  // namespace

backends::Backend& backend();
backends::Backend& backend() {
  static DummyBackend backend;
  return backend;
}

}  // namespace vd::dummy
