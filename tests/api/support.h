// Helpers of the C API's tests: owning handles, kernels written through vd_builder_emit(), and the error that a call
// left behind. The tests know nothing of the library but its header.
#pragma once

#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "support/argument.h"
#include "support/log_receiver.h"
#include "support/owned.h"
#include "vkdispatch.h"

namespace api {

// ---- Handles

inline void release(vd_context* p) { vd_context_release(p); }
inline void release(vd_buffer* p) { vd_buffer_release(p); }
inline void release(vd_semaphore* p) { vd_semaphore_release(p); }
inline void release(vd_image* p) { vd_image_release(p); }
inline void release(vd_sampler* p) { vd_sampler_release(p); }
inline void release(vd_builder* p) { vd_builder_release(p); }
inline void release(vd_kernel* p) { vd_kernel_release(p); }
inline void release(vd_plan* p) { vd_plan_release(p); }
inline void release(vd_graph* p) { vd_graph_release(p); }
inline void release(vd_mapping* p) { vd_mapping_release(p); }
inline void release(vd_blob* p) { vd_blob_release(p); }
inline void release(vd_spirv* p) { vd_spirv_release(p); }
inline void release(vd_profile* p) { vd_profile_release(p); }
inline void release(vd_fft_gen* p) { vd_fft_gen_release(p); }
inline void release(vd_fft_block* p) { vd_fft_block_release(p); }
inline void release(vd_reduce_gen* p) { vd_reduce_gen_release(p); }

template <class T>
using Own = vd::test::Owned<T, release>;

using Context = Own<vd_context>;
using Buffer = Own<vd_buffer>;
using Semaphore = Own<vd_semaphore>;
using Image = Own<vd_image>;
using Sampler = Own<vd_sampler>;
using Builder = Own<vd_builder>;
using Kernel = Own<vd_kernel>;
using Plan = Own<vd_plan>;
using Graph = Own<vd_graph>;
using Blob = Own<vd_blob>;
using Mapping = Own<vd_mapping>;
using Profile = Own<vd_profile>;

// ---- Statuses

// The call succeeded, else its message.
inline testing::AssertionResult ok(vd_status status) {
  if (status == VD_OK) return testing::AssertionSuccess();
  return testing::AssertionFailure() << vd_status_name(status) << ": " << vd_last_error();
}
#define EXPECT_OK(call) EXPECT_TRUE(api::ok(call))
#define ASSERT_OK(call) ASSERT_TRUE(api::ok(call))
// The call failed with a status and this message.
#define EXPECT_FAILS(call, status, message) \
  do {                                      \
    EXPECT_EQ(call, status);                \
    EXPECT_STREQ(vd_last_error(), message); \
  } while (false)

// ---- Backends

// For suites that run on each backend, and the names of their tests.
inline auto each_backend() {
  return testing::Values(VD_BACKEND_HOST, VD_BACKEND_VULKAN, VD_BACKEND_OPENCL, VD_BACKEND_CUDA);
}
inline std::string backend_name(const testing::TestParamInfo<vd_backend>& info) {
  switch (info.param) {
    case VD_BACKEND_VULKAN:
      return "vulkan";
    case VD_BACKEND_OPENCL:
      return "opencl";
    case VD_BACKEND_CUDA:
      return "cuda";
    default:
      return "host";
  }
}

// ---- Contexts and buffers

inline Context host_context(vd_context_flags flags = 0, uint32_t queues = 1) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = VD_BACKEND_HOST;
  desc.flags = flags;
  desc.device_count = 1;
  desc.queue_counts = &queues;
  Context ctx;
  EXPECT_OK(vd_context_create(&desc, ctx.out()));
  return ctx;
}

// A context of a backend's first device, a CPU too. Null where the backend is not here, and vd_last_error() says why; any other
// failure fails the test.
inline Context open_context(vd_backend backend, vd_context_flags flags = 0) {
  vd_context_desc desc = VD_CONTEXT_DESC_INIT;
  desc.backend = backend;
  desc.flags = flags | VD_CONTEXT_USE_CPU;
  Context ctx;
  const vd_status status = vd_context_create(&desc, ctx.out());
  EXPECT_TRUE(status == VD_OK || status == VD_ERR_UNAVAILABLE) << vd_status_name(status) << ": " << vd_last_error();
  return ctx;
}

inline Buffer make_buffer(vd_context* ctx, uint64_t size, const char* label = nullptr, const void* data = nullptr) {
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = size;
  desc.label = label;
  desc.data = data;
  Buffer buffer;
  EXPECT_OK(vd_buffer_create(ctx, &desc, buffer.out()));
  return buffer;
}

// An import of the test's own memory, which counts its release.
inline vd_buffer_import_desc host_import(void* bytes, uint64_t size, std::atomic<int>& released) {
  vd_buffer_import_desc desc = VD_BUFFER_IMPORT_DESC_INIT;
  desc.kind = VD_MEMORY_KIND_HOST;
  desc.handle = reinterpret_cast<uint64_t>(bytes);
  desc.size = size;
  desc.label = "theirs";
  desc.release = [](void* user) { ++*static_cast<std::atomic<int>*>(user); };
  desc.user = &released;
  return desc;
}

template <class T>
Buffer make_buffer(vd_context* ctx, const std::vector<T>& data, const char* label = nullptr) {
  return make_buffer(ctx, data.size() * sizeof(T), label, data.data());
}

template <class T>
std::vector<T> read(vd_buffer* buffer, size_t count, uint32_t queue = 0) {
  std::vector<T> data(count);
  EXPECT_OK(vd_buffer_read(buffer, 0, count * sizeof(T), queue, data.data()));
  return data;
}

// Buffers from their first byte to their last.
inline std::vector<vd_binding> whole(const std::vector<vd_buffer*>& buffers) {
  std::vector<vd_binding> bindings;
  for (vd_buffer* buffer : buffers) bindings.push_back(VD_BINDING_OF(buffer, 0, VD_WHOLE_SIZE));
  return bindings;
}

// Launches a plan that takes buffers alone, whole ones.
inline vd_status launch_whole(vd_plan* plan, const std::vector<vd_buffer*>& buffers) {
  const std::vector<vd_binding> bindings = whole(buffers);
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.bindings = bindings.data();
  desc.binding_count = static_cast<uint32_t>(bindings.size());
  return vd_plan_launch(plan, &desc, nullptr);
}

// ---- Kernels

// A builder with the ops that the tests use.
struct Writer {
  Builder builder;

  explicit Writer(const char* name, vd_builder_flags flags = 0) {
    vd_builder_desc desc = VD_BUILDER_DESC_INIT;
    desc.name = name;
    desc.flags = flags;
    EXPECT_OK(vd_builder_create(&desc, builder.out()));
  }
  vd_value emit(vd_op op, std::initializer_list<vd_value> operands, vd_type type = VD_TYPE_NONE,
                uint64_t immediate = 0) {
    vd_value value = 0;
    EXPECT_OK(vd_builder_emit(builder, op, type, operands.begin(), static_cast<uint32_t>(operands.size()), immediate, 0,
                              &value));
    return value;
  }
  vd_value argument(vd_argument_kind kind, vd_type type, const char* name) {
    vd_value value = 0;
    EXPECT_OK(declare_argument(builder, kind, type, name, &value));
    return value;
  }
  vd_value buffer(const char* name, vd_type type = VD_TYPE_U32) { return argument(VD_ARGUMENT_BUFFER, type, name); }
  vd_value constant(const char* name, vd_type type = VD_TYPE_U32) { return argument(VD_ARGUMENT_CONSTANT, type, name); }
  vd_value u32(uint32_t n) { return emit(VD_OP_CONST, {}, VD_TYPE_U32, n); }
  // The invocation's place on the first axis.
  vd_value x() { return emit(VD_OP_SWIZZLE, {emit(VD_OP_BUILTIN, {}, 0, VD_BUILTIN_GLOBAL_ID)}, 0, 1 << 8); }
  vd_value at(vd_value buffer, vd_value index) { return emit(VD_OP_INDEX, {buffer, index}); }
  void store(vd_value reference, vd_value value) { emit(VD_OP_STORE, {reference, value}); }
  Kernel finish() {
    Kernel kernel;
    EXPECT_OK(vd_builder_finish(builder, kernel.out()));
    return kernel;
  }
};

// mix(dst, src, c): dst[i] = dst[i] * 3 + src[i] + c.
inline Kernel mix_kernel(const char* name = "mix") {
  Writer w(name);
  const vd_value dst = w.buffer("dst"), src = w.buffer("src"), c = w.constant("c"), i = w.x();
  const vd_value tripled = w.emit(VD_OP_MUL, {w.at(dst, i), w.u32(3)});
  w.store(w.at(dst, i), w.emit(VD_OP_ADD, {w.emit(VD_OP_ADD, {tripled, w.at(src, i)}), c}));
  return w.finish();
}

inline Plan make_plan(vd_context* ctx, vd_kernel* kernel, uint32_t workgroup_size = 0) {
  vd_plan_desc desc = VD_PLAN_DESC_INIT;
  desc.kernel = kernel;
  desc.workgroup_size[0] = workgroup_size;
  Plan plan;
  EXPECT_OK(vd_plan_create(ctx, &desc, plan.out()));
  return plan;
}

// A launch by threads with one value.
struct Launch {
  struct Part {
    vd_buffer* buffer;
    uint64_t offset, size;
  };
  std::vector<vd_binding> bindings;
  uint32_t value = 0;
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;

  Launch(uint32_t invocations, std::initializer_list<Part> parts) {
    for (const Part& part : parts)
      bindings.push_back(VD_BINDING_OF(part.buffer, part.offset, part.size == 0 ? VD_WHOLE_SIZE : part.size));
    desc.invocations[0] = invocations;
    desc.bindings = bindings.data();
    desc.binding_count = static_cast<uint32_t>(bindings.size());
  }
  Launch(uint32_t invocations, std::initializer_list<Part> parts, uint32_t given) : Launch(invocations, parts) {
    value = given;
    desc.values = &value;
    desc.values_size = sizeof(value);
  }
  Launch(const Launch&) = delete;
};

// ---- Log

// Takes what is logged while it lives.
struct Log {
  std::vector<std::string> lines;
  vd::test::LogReceiver receiver{&receive, this};
  static void receive(const vd_log_message* message, void* user) {
    static_cast<Log*>(user)->lines.push_back(message->text);
  }
};

}  // namespace api
