#include "backends/opencl/module.h"

#include <algorithm>

#include "backends/checks.h"
#include "codegen/print.h"

namespace vd::opencl {
namespace {
constexpr uint32_t kNvidia = 0x10de;  // PCI vendor
}  // namespace

KernelHandle Module::make_kernel() const {
  cl_int result = CL_SUCCESS;
  const cl_kernel kernel = context_->cl.CreateKernel(program_->handle.get(), entry_.c_str(), &result);
  if (result == CL_INVALID_KERNEL_NAME)
    fail(VD_ERR_COMPILE, "the source of plan \"{}\" has no kernel \"{}\".", label_, entry_);
  context_->check(result, "clCreateKernel", "\"{}\" of kernel \"{}\"", entry_, label_);
  return {context_, kernel};
}

std::unique_ptr<Arguments> Module::make_arguments() const {
  return std::make_unique<Arguments>(context_, make_kernel(), signature_, label_);
}

Compiler::Compiler(std::shared_ptr<const Context> context, const std::string& cache_dir)
    : context_(std::move(context)), programs_(context_, cache_dir) {}

std::shared_ptr<backends::Module> Compiler::make(const backends::ModuleDesc& desc) {
  context_->require_alive();
  auto module = std::make_shared<Module>();
  module->context_ = context_;
  module->label_ = !desc.label.empty() ? desc.label : desc.kernel != nullptr ? desc.kernel->name : "kernel";
  for (int i = 0; i < 3; ++i) module->local_size_[i] = std::max(desc.local_size[i], 1u);
  if (desc.kernel != nullptr)
    from_kernel(desc, *module);
  else if (desc.source != nullptr)
    from_source(desc, *module);
  else
    fail(VD_ERR_INVALID, "plan \"{}\" has neither kernel nor source.", module->label_);
  module->shared_.arguments = module->make_arguments();
  check_kernel(*module, module->shared_.arguments->kernel());
  return module;
}

void Compiler::from_kernel(const backends::ModuleDesc& desc, Module& module) {
  backends::check_limits(desc, context_->info(), "OpenCL");
  const auto& kernel = *desc.kernel;
  uint32_t buffers = 0;
  for (const auto& argument : kernel.arguments) buffers += argument.kind == VD_ARGUMENT_BUFFER ? 1 : 0;
  codegen::Options options;
  options.local_size = desc.local_size;
  options.features = context_->info().features;
  if (!context_->native_subgroups) options.subgroup_size = context_->info().subgroup_size;
  // A pointer and an offset of each buffer are parameters too.
  const uint32_t parameters = context_->info().max_push_constant_size;
  options.value_limit = parameters > 16 * buffers + 16 ? parameters - 16 * buffers : 16;
  if (const uint32_t limit = context_->overrides.value_limit; limit != 0) options.value_limit = limit;
  codegen::Source source = codegen::print(kernel, VD_LANGUAGE_OPENCL, options);
  module.source_ = std::move(source.text);
  module.entry_ = source.entry;
  Signature& signature = module.signature_;
  signature.buffer_count = buffers;
  if (source.values != codegen::ValuePlace::None) {
    signature.values_size = kernel.values.total_size;
    signature.parameter_size = source.values_size;
    signature.values_by_pointer = source.values == codegen::ValuePlace::Pointer;
    if (signature.values_by_pointer && signature.values_size > context_->info().max_uniform_buffer_range)
      fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" has {} bytes of values; OpenCL device \"{}\" allows {}.", kernel.name,
           signature.values_size, context_->info().name, context_->info().max_uniform_buffer_range);
  }
  const PlaceOfLine place = [&](uint32_t line) -> std::string {
    if (line == 0 || line > source.locations.size()) return {};
    const uint32_t index = source.locations[line - 1];
    if (index == 0 || index >= kernel.locations.size()) return {};
    return fmt::format(" ({}:{})", kernel.locations[index].file, kernel.locations[index].line);
  };
  module.program_ = programs_.make(module.source_, source.precise, module.label_, place);
}

// A kernel of the user's own takes its buffers in order, each with a ulong offset in bytes behind it if it likes, then
// its values as one struct.
void Compiler::from_source(const backends::ModuleDesc& desc, Module& module) {
  const auto& source = *desc.source;
  if (source.language != VD_LANGUAGE_OPENCL)
    fail(VD_ERR_UNSUPPORTED, "OpenCL takes OpenCL C; plan \"{}\" is in language {}.", module.label_,
         static_cast<int>(source.language));
  if (!source.entry.empty()) module.entry_ = source.entry;
  for (const uint32_t kind : source.bindings)
    if (kind != 1)
      fail(VD_ERR_INVALID, "binding kind ({}) of plan \"{}\" is not 1 (storage buffer).", kind, module.label_);
  module.source_ = source.text;
  module.program_ = programs_.make(module.source_, false, module.label_, {});

  Signature& signature = module.signature_;
  signature.buffer_count = static_cast<uint32_t>(source.bindings.size());
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
  size_t fixed[3] = {};
  context_->check(context_->cl.GetKernelWorkGroupInfo(kernel, context_->device(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                                      sizeof(fixed), fixed, nullptr),
                  "clGetKernelWorkGroupInfo", "the workgroup size of \"{}\"", module.entry_);
  for (int i = 0; i < 3; ++i) {
    if (fixed[0] == 0) break;
    if (desc.local_size[i] != 0 && module.local_size_[i] != fixed[i])
      fail(VD_ERR_INVALID, "local_size[{}] ({}) of plan \"{}\" is not what its source fixes ({}).", i,
           module.local_size_[i], module.label_, fixed[i]);
    module.local_size_[i] = fixed[i];
  }
}

// The compiler's registers and scratch decide what a workgroup may be; it says so only now.
void Compiler::check_kernel(const Module& module, cl_kernel kernel) const {
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
  const auto& info = context_->info();
  const size_t* local = module.local_size_;
  // NVIDIA's driver says 256 of a kernel whose source fixes its size, though its compiler has kept to that size.
  const bool told = info.vendor_id != kNvidia || fixed[0] == 0;
  if (told && local[0] * local[1] * local[2] > invocations)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" uses so many registers that OpenCL device \"{}\" runs it with at most {} invocations in a "
         "workgroup, not {} x {} x {}; give its plan a smaller local size.",
         module.label_, info.name, invocations, local[0], local[1], local[2]);
  if (shared > info.max_shared_memory_size)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" needs {} bytes of shared memory; a workgroup has {} on OpenCL device \"{}\"; make its shared "
         "arrays smaller.",
         module.label_, shared, info.max_shared_memory_size, info.name);
}

}  // namespace vd::opencl
