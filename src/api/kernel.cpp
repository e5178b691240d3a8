// Kernels: what they are, and as text.
#include "runtime/kernel.h"

#include <algorithm>
#include <string>

#include "api/blob.h"
#include "api/desc.h"
#include "api/guard.h"
#include "codegen/print.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

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
    std::copy(k.attributes.local_size.begin(), k.attributes.local_size.end(), info.local_size);
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
    info.type = argument.type.value().bits();
    info.binding = argument.binding;
    info.offset = argument.offset;
    info.size = argument.kind == VD_ARGUMENT_IMAGE ? 0 : static_cast<uint32_t>(k.types.size(argument.type.value()));
    info.use = argument.use;
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
      fail(VD_ERR_INVALID, "desc->language ({}) is none of ir (0), glsl (1), cuda (2), opencl (3), spirv (4)",
           static_cast<int>(d.language));
    }
    if (d.language == VD_LANGUAGE_IR) fail(VD_ERR_UNSUPPORTED, "the text form is not there yet");
    vd::codegen::Options options;
    std::copy(d.local_size, d.local_size + 3, options.local_size.begin());
    options.line_numbers = (d.flags & VD_PRINT_LINE_NUMBERS) != 0;
    result = vd::make_ref<vd_blob>(vd::codegen::print(k, d.language, options).text).detach();
    return VD_OK;
  });
}
