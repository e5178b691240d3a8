// One valid object of each kind on the host backend, for tests that make one argument wrong at a time.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <type_traits>

#include "support/argument.h"
#include "vkdispatch.h"

namespace vdtest {

// No types: a scalar of no kind; complex numbers of no scalar, of one of no kind and of integers; a vector of one; a
// matrix of integers; an array and a struct of no table; no shape; and bits that no type has.
inline constexpr vd_type kNoTypes[] = {0x3F,    0x200,    0x220,    0x23F, 0x27F,      0x208,     0x110B,
                                       0x22308, 0xFFF400, 0xFFF500, 0xF0B, 0x8000000B, 0xFFFFFFFF};

struct Samples {
  vd_context* context = nullptr;
  vd_buffer* buffer = nullptr;
  vd_image* image = nullptr;
  vd_sampler* sampler = nullptr;
  vd_builder* builder = nullptr;  // open
  vd_value variable = 0;          // of `builder`
  vd_kernel* kernel = nullptr;
  vd_kernel* function = nullptr;
  vd_plan* plan = nullptr;
  vd_graph* graph = nullptr;
  vd_blob* blob = nullptr;
  vd_spirv* spirv = nullptr;
  vd_profile* profile = nullptr;
  vd_mapping* mapping = nullptr;  // of a buffer that nothing else uses
  vd_fft_gen* gen = nullptr;      // at its first element
  vd_reduce_gen* reduce_gen = nullptr;
  vd_fft_block* block = nullptr;  // of `builder`

  void make() {
    vd_context_desc context_desc = VD_CONTEXT_DESC_INIT;
    context_desc.backend = VD_BACKEND_HOST;
    vd_context_create(&context_desc, &context);
    vd_buffer_desc buffer_desc = VD_BUFFER_DESC_INIT;
    buffer_desc.size = 256;
    if (context != nullptr) vd_buffer_create(context, &buffer_desc, &buffer);
    vd_buffer* mapped = nullptr;
    if (context != nullptr) vd_buffer_create(context, &buffer_desc, &mapped);
    if (mapped != nullptr) vd_buffer_map(mapped, 0, VD_WHOLE_SIZE, VD_MAP_READ, 0, &mapping);
    vd_buffer_release(mapped);
    vd_image_desc image_desc = VD_IMAGE_DESC_INIT;
    image_desc.format = VD_FORMAT_R8_U8;
    image_desc.dimensions = 2;
    image_desc.extent[0] = image_desc.extent[1] = 4;  // 16 bytes, as sample() says
    image_desc.mip_levels = 2;
    const vd_sampler_desc sampler_desc = VD_SAMPLER_DESC_INIT;
    if (context != nullptr) vd_image_create(context, &image_desc, &image);
    if (context != nullptr) vd_sampler_create(context, &sampler_desc, &sampler);
    if (context != nullptr) vd_graph_create(context, nullptr, &graph);
    make_kernel();
    vd_plan_desc plan_desc = VD_PLAN_DESC_INIT;
    plan_desc.kernel = kernel;
    if (context != nullptr && kernel != nullptr) vd_plan_create(context, &plan_desc, &plan);
    if (kernel != nullptr) vd_kernel_print(kernel, nullptr, &blob);
    static constexpr uint32_t kWords[] = {
#include "support/spirv/everything.inc"
    };
    vd_spirv_create(kWords, sizeof(kWords), nullptr, &spirv);
    if (context != nullptr) vd_profile_create(context, nullptr, &profile);
    if (profile != nullptr) vd_buffer_fill(buffer, 0, VD_WHOLE_SIZE, 0, 0, nullptr, nullptr);
    if (profile != nullptr) vd_profile_stop(profile, VD_WAIT_FOREVER);
    vd_fft_desc fft_desc = VD_FFT_DESC_INIT;
    fft_desc.rank = 1;
    fft_desc.shape[0] = 8;
    fft_desc.flags = VD_FFT_MAP_INPUT;
    if (context != nullptr) vd_fft_gen_create(context, &fft_desc, &gen);
    vd_reduce_desc reduce_desc = VD_REDUCE_DESC_INIT;
    reduce_desc.rank = 1;
    reduce_desc.shape[0] = 8;
    reduce_desc.flags = VD_REDUCE_MAP_INPUT;
    if (context != nullptr) vd_reduce_gen_create(context, &reduce_desc, &reduce_gen);
    if (vd_builder_create(nullptr, &builder) == VD_OK) {
      vd_builder_emit(builder, VD_OP_VAR, VD_TYPE_F32, nullptr, 0, 0, 0, &variable);
      vd_fft_block_desc block_desc = VD_FFT_BLOCK_DESC_INIT;
      block_desc.size = 8;
      vd_fft_block_create(builder, &block_desc, &block);
    }
  }

  void release() {
    vd_fft_gen_release(gen);
    vd_reduce_gen_release(reduce_gen);
    vd_fft_block_release(block);
    vd_blob_release(blob);
    vd_spirv_release(spirv);
    vd_profile_release(profile);
    vd_mapping_release(mapping);
    vd_plan_release(plan);
    vd_kernel_release(kernel);
    vd_kernel_release(function);
    vd_builder_release(builder);
    vd_graph_release(graph);
    vd_sampler_release(sampler);
    vd_image_release(image);
    vd_buffer_release(buffer);
    vd_context_release(context);
    *this = {};
  }

 private:
  // out[0] = 1
  void make_kernel() {
    vd_builder* b = nullptr;
    if (vd_builder_create(nullptr, &b) != VD_OK) return;
    vd_value out = 0, zero = 0, one = 0, element = 0;
    declare_argument(b, VD_ARGUMENT_BUFFER, VD_TYPE_F32, "out", &out);
    vd_builder_emit(b, VD_OP_ZERO, VD_TYPE_U32, nullptr, 0, 0, 0, &zero);
    vd_builder_emit(b, VD_OP_CONST, VD_TYPE_F32, nullptr, 0, 0x3F800000, 0, &one);
    const vd_value index[] = {out, zero};
    vd_builder_emit(b, VD_OP_INDEX, VD_TYPE_NONE, index, 2, 0, 0, &element);
    const vd_value store[] = {element, one};
    vd_builder_emit(b, VD_OP_STORE, VD_TYPE_NONE, store, 2, 0, 0, nullptr);
    vd_builder_finish(b, &kernel);
    vd_builder_release(b);
  }
};

inline Samples& samples() {
  static Samples all;
  return all;
}

// A valid argument of a type; of the entry `function` and its parameter `name` where the type does not decide.
template <class T>
T sample([[maybe_unused]] const char* function = "", [[maybe_unused]] const char* name = "") {
  Samples& s = samples();
  if constexpr (std::is_same_v<T, vd_context*>)
    return s.context;
  else if constexpr (std::is_same_v<T, vd_buffer*>)
    return s.buffer;
  else if constexpr (std::is_same_v<T, vd_image*>)
    return s.image;
  else if constexpr (std::is_same_v<T, vd_semaphore*>)
    return nullptr;  // the host backend has none
  else if constexpr (std::is_same_v<T, vd_sampler*>)
    return s.sampler;
  else if constexpr (std::is_same_v<T, vd_builder*>)
    return s.builder;
  else if constexpr (std::is_same_v<T, vd_kernel*>)
    return s.kernel;
  else if constexpr (std::is_same_v<T, vd_plan*>)
    return s.plan;
  else if constexpr (std::is_same_v<T, vd_graph*>)
    return s.graph;
  else if constexpr (std::is_same_v<T, vd_blob*>)
    return s.blob;
  else if constexpr (std::is_same_v<T, vd_spirv*>)
    return s.spirv;
  else if constexpr (std::is_same_v<T, vd_profile*>)
    return s.profile;
  else if constexpr (std::is_same_v<T, vd_mapping*>)
    return s.mapping;
  else if constexpr (std::is_same_v<T, vd_fft_gen*>)
    return s.gen;
  else if constexpr (std::is_same_v<T, vd_reduce_gen*>)
    return s.reduce_gen;
  else if constexpr (std::is_same_v<T, vd_fft_block*>)
    return s.block;
  else if constexpr (std::is_same_v<T, vd_backend>)
    return VD_BACKEND_HOST;
  else if constexpr (std::is_same_v<T, vd_op>)
    return VD_OP_ZERO;
  else if constexpr (std::is_enum_v<T>)
    return T{};
  else {
    const std::string parameter = name;
    if (parameter == "type" || parameter == "element") return static_cast<T>(VD_TYPE_F32);
    if (parameter == "value") return static_cast<T>(s.variable);
    // Copies go from the first half to the second.
    if (parameter == "destination_offset") return static_cast<T>(128);
    if (parameter == "size") return static_cast<T>(std::strcmp(function, "vd_builder_constant") == 0 ? 4 : 16);
    if (parameter == "count" || parameter == "cap" || parameter == "line" || parameter == "field_count") return 1;
    if (parameter.starts_with("invocations")) return 1;
    return 0;
  }
}

// A valid descriptor.
template <class T>
T desc() {
  Samples& s = samples();
  if constexpr (std::is_same_v<T, vd_context_desc>) {
    vd_context_desc d = VD_CONTEXT_DESC_INIT;
    d.backend = VD_BACKEND_HOST;
    return d;
  } else if constexpr (std::is_same_v<T, vd_buffer_desc>) {
    vd_buffer_desc d = VD_BUFFER_DESC_INIT;
    d.size = 64;
    return d;
  } else if constexpr (std::is_same_v<T, vd_plan_desc>) {
    vd_plan_desc d = VD_PLAN_DESC_INIT;
    d.kernel = s.kernel;
    return d;
  } else if constexpr (std::is_same_v<T, vd_launch_desc>) {
    static vd_binding binding;
    binding = VD_BINDING_OF(s.buffer, 0, VD_WHOLE_SIZE);
    vd_launch_desc d = VD_LAUNCH_DESC_INIT;
    d.invocations[0] = 1;
    d.bindings = &binding;
    d.binding_count = 1;
    return d;
  } else if constexpr (std::is_same_v<T, vd_fft_desc>) {
    vd_fft_desc d = VD_FFT_DESC_INIT;
    d.rank = 2;  // lines whose elements are not neighbours
    d.shape[0] = d.shape[1] = 8;
    d.axis_count = 1;
    return d;
  } else if constexpr (std::is_same_v<T, vd_image_desc>) {
    vd_image_desc d = VD_IMAGE_DESC_INIT;
    d.format = VD_FORMAT_R32_F32;
    d.dimensions = 2;
    d.extent[0] = d.extent[1] = d.extent[2] = 1;
    return d;
  } else if constexpr (std::is_same_v<T, vd_device_info>) {
    vd_device_info d = VD_DEVICE_INFO_INIT;
    vd_device_get_info(VD_BACKEND_DUMMY, 0, &d);
    return d;
  } else {
    T d{};
    if constexpr (requires { d.struct_size; }) d.struct_size = sizeof(T);
    if constexpr (requires { d.unstable_version; }) d.unstable_version = VD_UNSTABLE_VERSION;
    return d;
  }
}

// Whether a call failed with VD_ERR_INVALID and a message that names the entry and what was wrong.
inline testing::AssertionResult refused(vd_status status, const char* function, const char* argument) {
  if (status != VD_ERR_INVALID) {
    return testing::AssertionFailure() << function << " gave " << vd_status_name(status) << " for a wrong " << argument
                                       << " (last error: " << vd_last_error() << ")";
  }
  const std::string message = vd_last_error();
  if (message.rfind(std::string(function) + ": ", 0) != 0 || message.find(argument) == std::string::npos) {
    return testing::AssertionFailure() << "the message does not name " << function << " and " << argument << ": "
                                       << message;
  }
  return testing::AssertionSuccess();
}

}  // namespace vdtest

// The suite of generated_test.cpp.
class Generated : public testing::Test {
 protected:
  static void SetUpTestSuite() { vdtest::samples().make(); }
  static void TearDownTestSuite() { vdtest::samples().release(); }
};
