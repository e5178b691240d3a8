// The public C API with destructors and exceptions, as thin as a test needs: one open device and the objects made on
// it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/owned.h"
#include "vkdispatch.h"

namespace vdc {

// Thrown by a case that does not hold.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws Failure with the call and vd_last_error() on a negative status.
vd_status check(vd_status status, const char* call);
#define VDC(call) ::vdc::check((call), #call)

using vd::test::Owned;
using Context = Owned<vd_context, vd_context_release>;
using Buffer = Owned<vd_buffer, vd_buffer_release>;
using Kernel = Owned<vd_kernel, vd_kernel_release>;
using Plan = Owned<vd_plan, vd_plan_release>;
using Graph = Owned<vd_graph, vd_graph_release>;
using Blob = Owned<vd_blob, vd_blob_release>;
using Builder = Owned<vd_builder, vd_builder_release>;

std::string text_of(const vd_blob* blob);

constexpr uint32_t kBestDevice = ~0u;  // what the library chooses

// One open device.
class Session {
 public:
  Session(vd_backend backend, uint32_t device, vd_context_flags flags);
  vd_context* context() const { return context_; }
  const vd_device_info& info() const { return info_; }
  vd_backend backend() const { return info_.backend; }
  // Lavapipe and PoCL, which take seconds for a long kernel.
  bool compiles_on_cpu() const { return info_.type == VD_DEVICE_CPU && info_.backend != VD_BACKEND_HOST; }
  bool has(uint64_t features) const { return (info_.features & features) == features; }

  Buffer buffer(uint64_t size, const void* data = nullptr);
  template <class T>
  Buffer buffer(const std::vector<T>& data) {
    return buffer(data.size() * sizeof(T), data.data());
  }
  template <class T>
  std::vector<T> read(vd_buffer* buffer, size_t count) {
    std::vector<T> data(count);
    VDC(vd_buffer_read(buffer, 0, count * sizeof(T), 0, data.data()));
    return data;
  }
  Plan plan(const vd_kernel* kernel, uint32_t x = 64, uint32_t y = 1, uint32_t z = 1);
  // Launches `threads` invocations on each axis.
  void launch(vd_plan* plan, std::array<uint32_t, 3> invocations, std::vector<vd_buffer*> buffers,
              const void* values = nullptr, uint32_t values_size = 0);
  void launch_workgroups(vd_plan* plan, std::array<uint32_t, 3> workgroups, std::vector<vd_buffer*> buffers,
                         const void* values = nullptr, uint32_t values_size = 0);

 private:
  Context context_;
  vd_device_info info_ = VD_DEVICE_INFO_INIT;
};

}  // namespace vdc
