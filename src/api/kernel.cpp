// Kernels: their properties and their text.
#include "runtime/kernel.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/blob.h"
#include "api/desc.h"
#include "api/guard.h"
#include "codegen/glslang.h"
#include "codegen/print.h"
#include "core/device_check.h"
#include "ir/hash.h"
#include "ir/passes/lower_images.h"
#include "ir/text.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

std::string text_of(const vd::ir::Kernel& kernel, const vd_print_desc& desc) {
  if (desc.language == VD_LANGUAGE_IR) return vd::ir::print_text(kernel, desc.flags);
  vd::codegen::Options options;
  std::copy(desc.workgroup_size, desc.workgroup_size + 3, options.workgroup_size.begin());
  if (desc.device != nullptr) {
    const vd_device_info device = vd::api::read_desc(desc.device, "desc->device");
    vd::check_device(device, "desc->device", vd::DeviceLimits::Some);
    options.features = device.features;
    options.value_limit = device.max_push_constant_size;
  }
  options.line_numbers = (desc.flags & VD_PRINT_LINE_NUMBERS) != 0 && desc.language != VD_LANGUAGE_SPIRV;
  // On OpenCL images lie in buffers.
  if (desc.language == VD_LANGUAGE_OPENCL && vd::ir::has_images(kernel)) {
    vd::ir::Kernel lowered = kernel;
    vd::ir::lower_images(lowered);
    return vd::codegen::print(lowered, desc.language, options).text;
  }
  if (desc.language != VD_LANGUAGE_SPIRV) return vd::codegen::print(kernel, desc.language, options).text;
#if VD_HAVE_VULKAN
  const std::string glsl = vd::codegen::print(kernel, VD_LANGUAGE_GLSL, options).text;
  const std::vector<uint32_t> words = vd::codegen::compile_glsl(glsl, kernel.name);
  return std::string(reinterpret_cast<const char*>(words.data()), 4 * words.size());
#else
  fail(VD_ERR_UNAVAILABLE, "this library was built without the vulkan backend, whose compiler makes SPIR-V");
#endif
}

}  // namespace

void vd_kernel_retain(vd_kernel* kernel) {
  if (kernel != nullptr) kernel->retain();
}
void vd_kernel_release(vd_kernel* kernel) {
  if (kernel != nullptr) kernel->release();
}

vd_status vd_kernel_get_info(const vd_kernel* kernel, vd_kernel_info* out_info) {
  return guard(__func__, [&] {
    const vd_kernel& handle = in(kernel, "kernel");
    const vd::ir::Kernel& k = handle.code;
    vd_kernel_info info = VD_KERNEL_INFO_INIT;
    info.flags = k.flags;
    info.name = k.name.c_str();
    info.argument_count = static_cast<uint32_t>(k.arguments.size());
    info.values_size = k.values.user_size;
    info.requirements = k.requirements;
    info.shared_size = k.shared_size;
    for (const vd::ir::Region& region : k.regions) info.op_count += static_cast<uint32_t>(region.insts.size());
    std::copy(k.attributes.workgroup_size.begin(), k.attributes.workgroup_size.end(), info.workgroup_size);
    info.uses_barrier = k.uses_barrier ? 1 : 0;
    info.hash[0] = handle.hash.low;
    info.hash[1] = handle.hash.high;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_kernel_get_argument(const vd_kernel* kernel, uint32_t index, vd_argument_info* out_info) {
  return guard(__func__, [&] {
    const vd::ir::Kernel& k = in(kernel, "kernel").code;
    if (index >= k.arguments.size()) {
      fail(VD_ERR_INVALID, "index ({}) is not below the arguments of kernel \"{}\" ({})", index, k.name,
           k.arguments.size());
    }
    const vd::ir::Argument& argument = k.arguments[index];
    vd_argument_info info = VD_ARGUMENT_INFO_INIT;
    info.kind = argument.kind;
    info.name = argument.name.c_str();
    const bool image = argument.kind == VD_ARGUMENT_IMAGE;
    info.type = image ? vd::ir::Type(argument.type.scalar()).bits() : argument.type.value().bits();
    info.binding = argument.binding;
    info.offset = argument.offset;
    info.size = image ? 0 : static_cast<uint32_t>(k.types.size(argument.type.value()));
    info.access = argument.use;
    if (image) {
      info.image_dimensions = argument.type.dimensions();
      info.image_layers = argument.type.is_layered() ? 1 : 0;
      info.image_format = argument.type.format();
      info.image_access = argument.type.image_access();
    }
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_kernel_print(const vd_kernel* kernel, const vd_print_desc* desc, vd_blob** out_text) {
  return guard(__func__, [&] {
    vd_blob*& result = out(out_text, "out_text");
    const vd::ir::Kernel& k = in(kernel, "kernel").code;
    const vd_print_desc d = vd::api::read_desc_or_default(desc, "desc");
    constexpr vd_print_flags kKnown = VD_PRINT_LINE_NUMBERS | VD_PRINT_LOCATIONS | VD_PRINT_CANONICAL;
    vd::api::flags(d.flags, kKnown, "desc->flags");
    if (d.language < VD_LANGUAGE_IR || d.language > VD_LANGUAGE_SPIRV) {
      fail(VD_ERR_INVALID, "desc->language ({}) is not one of ir (0), glsl (1), cuda (2), opencl (3), spirv (4)",
           static_cast<int>(d.language));
    }
    if (d.language != VD_LANGUAGE_IR && k.is_function()) {
      fail(VD_ERR_INVALID,
           "kernel \"{}\" is a function, which has no source of its own; desc->language ({}) must be ir (0)", k.name,
           static_cast<int>(d.language));
    }
    result = vd::make_ref<vd_blob>(text_of(k, d)).detach();
    return VD_OK;
  });
}

vd_status vd_kernel_parse(const char* text, uint64_t size, vd_kernel** out_kernel) {
  return guard(__func__, [&] {
    vd_kernel*& result = out(out_kernel, "out_kernel");
    vd::api::text(text, "text");  // no kernel is empty, so NULL is never meant
    vd::ir::Kernel kernel = vd::ir::parse_text(std::string_view(text, size));
    const vd::Hash128 hash = vd::ir::hash_kernel(kernel);
    result = vd::make_ref<vd_kernel>(std::move(kernel), hash).detach();
    return VD_OK;
  });
}
