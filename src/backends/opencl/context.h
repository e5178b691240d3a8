// An open device: its cl_context, the entry points it is reached through, and how it was opened. Everything made on it
// holds it by shared_ptr, so that any order of destruction is right.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "backends/loss.h"
#include "backends/opencl/physical.h"

namespace vd::opencl {

// Limits that tests set when they open a device, to reach the code for such devices on any device.
struct Overrides {
  const Api* api = nullptr;            // entry points instead of the loader's, so that they may fail
  bool direct_transfers = true;        // false: through pinned memory, as on a discrete GPU
  bool command_buffers = true;         // false: lists are always issued command by command
  bool native_subgroups = true;        // false: emulated
  std::optional<bool> images;          // whether units of the device sample them; else what the device is for
  std::optional<bool> keeps_programs;  // in the disk cache; else what the process asks for
  uint32_t value_limit = 0;            // bytes of values passed as a parameter; 0: the device's limit
  uint64_t staging_size = 0;           // bytes of each staging ring; 0: the default
  std::string build_options;           // appended
};

class Context {
 public:
  Context(const Api& api, Physical physical, const Overrides& overrides);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  const Api& cl;
  const Physical physical;
  const Overrides overrides;
  const bool direct_transfers;  // host memory is as near to the device as its own
  const bool native_subgroups;
  const bool images;                       // units of the device sample them
  const bool keeps_programs;               // in the disk cache
  const CommandBufferApi command_buffers;  // null where they are not to be used

  cl_context handle() const noexcept { return handle_; }
  cl_device_id device() const noexcept { return physical.device; }
  const vd_device_info& info() const noexcept { return physical.info; }

  // As opencl::check(), and a lost device stays lost.
  template <class... Args>
  void check(cl_int result, const char* call, fmt::format_string<Args...> what, Args&&... args) const {
    if (result != CL_SUCCESS) [[unlikely]]
      failed(result, call, fmt::format(what, std::forward<Args>(args)...));
  }
  bool lost() const noexcept { return static_cast<bool>(loss_); }
  // The first report is the message of every later call.
  void lose(const std::string& why) const { loss_.report(why); }
  // Throws VD_ERR_DEVICE_LOST if the device is lost.
  void require_alive() const;

 private:
  [[noreturn]] void failed(cl_int result, const char* call, const std::string& what) const;

  cl_context handle_ = nullptr;
  mutable backends::Loss loss_;
};

// One object of a context, released with its entry point: Handle<cl_kernel, &Api::ReleaseKernel>.
template <class T, auto Release>
class Handle {
 public:
  Handle() noexcept = default;
  Handle(std::shared_ptr<const Context> context, T handle) noexcept : context_(std::move(context)), handle_(handle) {}
  Handle(Handle&& other) noexcept
      : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != nullptr) (context_->cl.*Release)(handle_);
  }

  T get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  std::shared_ptr<const Context> context_;
  T handle_ = nullptr;
};

using QueueHandle = Handle<cl_command_queue, &Api::ReleaseCommandQueue>;
using MemHandle = Handle<cl_mem, &Api::ReleaseMemObject>;
using SamplerHandle = Handle<cl_sampler, &Api::ReleaseSampler>;
using ProgramHandle = Handle<cl_program, &Api::ReleaseProgram>;
using KernelHandle = Handle<cl_kernel, &Api::ReleaseKernel>;
using EventHandle = Handle<cl_event, &Api::ReleaseEvent>;

}  // namespace vd::opencl
