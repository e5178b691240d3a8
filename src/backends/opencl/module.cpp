#include "backends/opencl/module.h"

#include <algorithm>
#include <string_view>

#include "backends/checks.h"
#include "core/name.h"

namespace vd::opencl {
namespace {

constexpr const char* kBuffer = "a pointer to __global or __constant memory";
constexpr const char* kValue = "a value";

// Describes a parameter of a kernel in words; "" if the driver does not report it.
std::string parameter_kind(const Context& context, cl_kernel kernel, cl_uint index) {
  const auto ask = [&](cl_kernel_arg_info what, size_t size, void* value) {
    return context.cl.GetKernelArgInfo(kernel, index, what, size, value, nullptr) == CL_SUCCESS;
  };
  cl_kernel_arg_address_qualifier space = 0;
  cl_kernel_arg_access_qualifier access = 0;
  char type[32] = "";
  if (!ask(CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(space), &space) ||
      !ask(CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access))
    return {};
  if (access != CL_KERNEL_ARG_ACCESS_NONE) return "an image";
  if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) return "a pointer to __local memory";
  if (space != CL_KERNEL_ARG_ADDRESS_PRIVATE) return kBuffer;
  return ask(CL_KERNEL_ARG_TYPE_NAME, sizeof(type), type) && std::string_view(type) == "sampler_t" ? "a sampler"
                                                                                                   : kValue;
}

MemHandle some_memory(const std::shared_ptr<const Context>& context) {
  constexpr size_t kSize = 16;
  cl_int result = CL_SUCCESS;
  const cl_mem memory = context->cl.CreateBuffer(context->handle(), CL_MEM_READ_WRITE, kSize, nullptr, &result);
  context->check(result, "clCreateBuffer", "{} bytes to try a kernel's arguments", kSize);
  return {context, memory};
}

}  // namespace

KernelHandle Module::make_kernel() const {
  cl_int result = CL_SUCCESS;
  const cl_kernel kernel = context_->cl.CreateKernel(program_->handle.get(), entry_.c_str(), &result);
  if (result == CL_INVALID_KERNEL_NAME)
    fail(VD_ERR_COMPILE, "the source of plan \"{}\" has no kernel \"{}\".", label_, shown_name(entry_));
  context_->check(result, "clCreateKernel", "\"{}\" of kernel \"{}\"", entry_, label_);
  return {context_, kernel};
}

std::unique_ptr<Arguments> Module::make_arguments() const {
  return std::make_unique<Arguments>(context_, make_kernel(), signature_, label_);
}

Compiler::Compiler(std::shared_ptr<const Context> context, const std::string& cache_dir)
    : context_(std::move(context)), programs_(context_, cache_dir) {}

uint32_t Module::offset_alignment() const { return signature_.offsets ? 1 : context_->physical.sub_buffer_alignment; }

std::shared_ptr<backends::Module> Compiler::make(const backends::ModuleDesc& desc) {
  context_->require_alive();
  auto module = std::make_shared<Module>();
  module->context_ = context_;
  module->label_ = backends::label_of(desc);
  for (int i = 0; i < 3; ++i) module->workgroup_size_[i] = std::max(desc.workgroup_size[i], 1u);
  if (desc.source == nullptr)
    from_kernel(desc, *module);
  else
    from_source(desc, *module);
  module->shared_.arguments = module->make_arguments();
  read_kernel(*module, module->shared_.arguments->kernel(), desc.source != nullptr);
  return module;
}

codegen::Options Compiler::options(uint32_t pointers) const {
  codegen::Options options;
  options.features = context_->info().features;
  if (!context_->native_subgroups) options.subgroup_size = context_->info().subgroup_size;
  // A pointer and an offset of each buffer are parameters too, and so are images.
  const uint32_t parameters = context_->info().max_push_constant_size;
  options.value_limit = parameters > 16 * pointers + 16 ? parameters - 16 * pointers : 16;
  if (const uint32_t limit = context_->overrides.value_limit; limit != 0) options.value_limit = limit;
  return options;
}

Hash128 Compiler::printing_key() const {
  return backends::printing_key(context_->info(), VD_LANGUAGE_OPENCL, options(0));
}

backends::PrintedKernel Compiler::print_kernel(const backends::ModuleDesc& desc) const {
  uint32_t pointers = 1;
  for (const ir::Argument& argument : desc.kernel->arguments)
    pointers += argument.kind == VD_ARGUMENT_BUFFER || argument.kind == VD_ARGUMENT_IMAGE ? 1 : 0;
  codegen::Options options = this->options(pointers);
  options.workgroup_size = desc.workgroup_size;
  return backends::print(*desc.kernel, VD_LANGUAGE_OPENCL, options);
}

std::vector<std::byte> Compiler::print(const backends::ModuleDesc& desc) const {
  backends::check_limits(desc, context_->info(), "OpenCL");
  return print_kernel(desc).bytes();
}

void Compiler::from_kernel(const backends::ModuleDesc& desc, Module& module) {
  backends::check_limits(desc, context_->info(), "OpenCL");
  backends::PrintedKernel printed =
      !desc.printed.empty() ? backends::PrintedKernel::read(desc.printed) : print_kernel(desc);
  for (const auto& argument : printed.arguments) {
    if (!argument.image.none()) continue;
    ++module.signature_.buffer_count;
    module.signature_.writes.push_back(argument.writes);
  }
  if (desc.kernel != nullptr) read_images(*desc.kernel, module);
  codegen::Source& source = printed.source;
  module.source_ = std::move(source.text);
  module.entry_ = source.entry;
  Signature& signature = module.signature_;
  if (source.values != codegen::ValuePlace::None) {
    signature.values_size = printed.values_size;
    signature.parameter_size = source.values_size;
    signature.values_by_pointer = source.values == codegen::ValuePlace::Pointer;
    if (signature.values_by_pointer && signature.values_size > context_->info().max_uniform_buffer_range)
      fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" has {} bytes of values; OpenCL device \"{}\" allows {}.", module.label_,
           signature.values_size, context_->info().name, context_->info().max_uniform_buffer_range);
  }
  const PlaceOfLine place = [&](uint32_t line) -> std::string {
    if (desc.kernel == nullptr || line == 0 || line > source.locations.size()) return {};
    const uint32_t index = source.locations[line - 1];
    const std::vector<ir::Location>& places = desc.kernel->locations;
    if (index == 0 || index >= places.size()) return {};
    return fmt::format(" ({}:{})", places[index].file, places[index].line);
  };
  module.program_ = programs_.make(module.source_, {.precise = source.precise}, module.label_, place);
}

void Compiler::read_images(const ir::Kernel& kernel, Module& module) const {
  Signature& signature = module.signature_;
  std::vector<uint32_t> number(kernel.arguments.size());  // among the buffers
  uint32_t buffers = 0;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const ir::Argument& argument = kernel.arguments[i];
    if (argument.kind == VD_ARGUMENT_BUFFER) number[i] = buffers++;
    if (argument.kind != VD_ARGUMENT_IMAGE) continue;
    module.stand_ins_.push_back(make_stand_in(context_, argument.type.dimensions(), argument.type.is_layered()));
    signature.images.push_back({number.at(argument.texels), module.stand_ins_.back().get()});
  }
  if (signature.images.empty()) return;
  const vd_sampler_desc any = VD_SAMPLER_DESC_INIT;
  module.exact_sampler_ = std::make_unique<Sampler>(context_, any, CL_FILTER_NEAREST);
  signature.exact_sampler = module.exact_sampler_->handle();
}

// A kernel of the user's own takes its buffers in order, each with a ulong offset in bytes behind it if it likes, then
// its values as one struct.
void Compiler::from_source(const backends::ModuleDesc& desc, Module& module) {
  const auto& source = *desc.source;
  backends::check_source(source, module.label_, {VD_LANGUAGE_OPENCL}, "OpenCL");
  if (!source.entry.empty()) module.entry_ = source.entry;
  module.source_ = source.text;
  module.program_ = programs_.make(module.source_, {.arguments = true}, module.label_, {});

  Signature& signature = module.signature_;
  signature.buffer_count = static_cast<uint32_t>(source.bindings.size());
  signature.writes.assign(signature.buffer_count, true);
  signature.values_size = signature.parameter_size = source.values_size;
  const KernelHandle owner = module.make_kernel();
  const cl_kernel kernel = owner.get();
  cl_uint count = 0;
  context_->check(context_->cl.GetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr),
                  "clGetKernelInfo", "the arguments of \"{}\"", module.entry_);
  const uint32_t values = source.values_size != 0 ? 1 : 0;
  signature.offsets = count == 2 * signature.buffer_count + values && signature.buffer_count != 0;
  if (!signature.offsets && count != signature.buffer_count + values)
    fail(VD_ERR_INVALID, "kernel \"{}\" of plan \"{}\" has {} arguments; {} buffers{} make {}, or {} with offsets.",
         module.entry_, module.label_, count, signature.buffer_count, values != 0 ? " and a block of values" : "",
         signature.buffer_count + values, 2 * signature.buffer_count + values);
  check_parameters(module, kernel);
}

// A launch sets each parameter by the signature; a mismatch is found here, where its cause is still known.
void Compiler::check_parameters(const Module& module, cl_kernel kernel) const {
  const Signature& signature = module.signature_;
  const cl_uint places = signature.offsets ? 2 : 1;  // of a buffer
  const MemHandle memory = some_memory(context_);
  const cl_mem buffer = memory.get();
  const cl_ulong offset = 0;
  const std::vector<std::byte> values(signature.values_size);
  const auto check = [&](cl_uint index, bool pointer, const std::string& given, size_t size, const void* value) {
    const auto refuse = [&](const std::string& why) {
      fail(VD_ERR_INVALID, "argument {} of kernel \"{}\" of plan \"{}\" cannot take {}, which a launch gives: {}{}.",
           index, module.entry_, module.label_, given, why,
           signature.offsets ? "; two arguments for each binding are a buffer and its offset" : "");
    };
    const std::string kind = parameter_kind(*context_, kernel, index);
    if (!kind.empty() && kind != (pointer ? kBuffer : kValue)) refuse("it is " + kind);
    const cl_int result = context_->cl.SetKernelArg(kernel, index, size, value);
    if (result == CL_INVALID_ARG_VALUE || result == CL_INVALID_ARG_SIZE || result == CL_INVALID_MEM_OBJECT ||
        result == CL_INVALID_SAMPLER)
      refuse(fmt::format("clSetKernelArg failed with {} for {} bytes", result_name(result), size));
    context_->check(result, "clSetKernelArg", "argument {} of kernel \"{}\" ({} bytes)", index, module.label_, size);
  };
  for (cl_uint i = 0; i < signature.buffer_count; ++i) {
    check(places * i, true, fmt::format("buffer {}", i), sizeof(buffer), &buffer);
    if (signature.offsets)
      check(places * i + 1, false, fmt::format("the offset of buffer {}, a ulong", i), sizeof(offset), &offset);
  }
  if (!values.empty())
    check(places * signature.buffer_count, false, fmt::format("{} bytes of values", values.size()), values.size(),
          values.data());
}

// The compiler's registers and scratch memory decide the largest workgroup, and own source may fix its size; the driver
// reports this only now.
void Compiler::read_kernel(Module& module, cl_kernel kernel, bool own_source) const {
  size_t invocations = 0, fixed[3] = {};
  cl_ulong shared = 0;
  const auto ask = [&](cl_kernel_work_group_info what, auto& value) {
    context_->check(
        context_->cl.GetKernelWorkGroupInfo(kernel, context_->device(), what, sizeof(value), &value, nullptr),
        "clGetKernelWorkGroupInfo", "property {:#x} of kernel \"{}\"", what, module.label_);
  };
  ask(CL_KERNEL_WORK_GROUP_SIZE, invocations);
  ask(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, fixed);
  ask(CL_KERNEL_LOCAL_MEM_SIZE, shared);
  if (own_source && fixed[0] != 0) {
    for (int i = 0; i < 3; ++i) module.fixed_size_[i] = static_cast<uint32_t>(fixed[i]);
    std::copy_n(fixed, 3, module.workgroup_size_);
  }
  const auto& info = context_->info();
  const size_t* local = module.workgroup_size_;
  // NVIDIA's driver says 256 of a kernel whose source fixes its size, though its compiler has kept to that size.
  const bool told = info.vendor_id != kVendorNvidia || fixed[0] == 0;
  if (told && local[0] * local[1] * local[2] > invocations)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" uses so many registers that OpenCL device \"{}\" runs it with at most {} invocations in a "
         "workgroup, not {} x {} x {}; give its plan a smaller workgroup size.",
         module.label_, info.name, invocations, local[0], local[1], local[2]);
  if (shared > info.max_shared_memory_size)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" needs {} bytes of shared memory; a workgroup has {} on OpenCL device \"{}\"; make its shared "
         "arrays smaller.",
         module.label_, shared, info.max_shared_memory_size, info.name);
}

}  // namespace vd::opencl
