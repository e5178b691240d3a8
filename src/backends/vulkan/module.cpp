#include "backends/vulkan/module.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>

#include "backends/checks.h"
#include "backends/printed.h"
#include "backends/vulkan/capabilities.h"
#include "backends/vulkan/counts.h"
#include "backends/vulkan/statistics.h"
#include "backends/vulkan/subgroups.h"
#include "codegen/glslang.h"
#include "codegen/kept_glsl.h"
#include "codegen/spirv.h"
#include "codegen/spirv_read.h"
#include "codegen/spirv_validator.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/name.h"

namespace vd::vulkan {

namespace {

// Bytes. Drivers' compilers take minutes for much larger variables of an invocation, or crash: lavapipe's for one of
// gigabytes. GPUs have half a MiB for all of an invocation's.
constexpr uint64_t kLargestVariable = uint64_t{1} << 22;

// Names a kind of binding in messages.
const char* kind_name(uint32_t kind) {
  switch (kind) {
    case VD_BINDING_STORAGE_BUFFER:
      return "a storage buffer";
    case VD_BINDING_UNIFORM_BUFFER:
      return "a uniform block";
    case VD_BINDING_SAMPLED_IMAGE:
      return "an image with its sampler";
    case VD_BINDING_STORAGE_IMAGE:
      return "a storage image";
    case VD_BINDING_TEXTURE:
      return "an image without a sampler";
    case VD_BINDING_SAMPLER:
      return "a sampler without an image";
    default:
      return "neither a buffer nor an image of one to three dimensions";
  }
}

BindingKind kind_of(uint32_t kind) {
  switch (kind) {
    case VD_BINDING_UNIFORM_BUFFER:
      return BindingKind::UniformBuffer;
    case VD_BINDING_SAMPLED_IMAGE:
      return BindingKind::SampledImage;
    case VD_BINDING_STORAGE_IMAGE:
      return BindingKind::StorageImage;
    case VD_BINDING_TEXTURE:
      return BindingKind::Texture;
    case VD_BINDING_SAMPLER:
      return BindingKind::Sampler;
    default:
      return BindingKind::Buffer;
  }
}

}  // namespace

Compiler::Compiler(std::shared_ptr<const Gpu> gpu, const std::string& cache_dir)
    : gpu_(std::move(gpu)), disk_(cache_dir), layouts_(gpu_), pipelines_(gpu_, disk_) {}

void Compiler::prepare() noexcept {
  try {
    layouts_.get({.argument_count = 1});
  } catch (...) {
    // The first kernel meets it again.
  }
}

std::shared_ptr<backends::Module> Compiler::make(const backends::ModuleDesc& desc) {
  auto module = make_module(desc);
  module->get_counter_ = [this] { return counter(); };
  return module;
}

std::shared_ptr<Module> Compiler::make_module(const backends::ModuleDesc& desc) {
  gpu_->require_alive();
  auto module = std::make_shared<Module>();
  module->label_ = backends::label_of(desc);
  module->offset_alignment_ = gpu_->info().storage_buffer_alignment;
  module->uniform_alignment_ = std::max(gpu_->info().uniform_buffer_alignment, 1u);
  LayoutKey layout;
  std::shared_ptr<const Words> words;
  if (desc.source == nullptr) {
    backends::check_limits(desc, gpu_->info(), "Vulkan");
    words = from_kernel(desc, *module, layout);
  } else {
    words = from_source(desc, *module, layout);
    check_entry(*module, *words);
    read_uses(desc, *module, *words);
  }
  check_layout(module->label_, layout);
  module->layout_ = layouts_.get(layout);
  finish(*module, std::move(words), desc.source != nullptr && desc.source->language == VD_LANGUAGE_SPIRV);
  if (desc.source != nullptr) return module;
  module->make_shifted_ = [this](const Module& of) { return make_shifted(of); };
  if (gpu_->buffer_addresses) {
    auto write = desc.write;
    if (!write) write = [kernel = std::make_shared<const ir::Kernel>(*desc.kernel)] { return kernel; };
    const auto size = desc.workgroup_size;
    module->make_by_address_ = [this, write, size, label = module->label_] {
      const std::shared_ptr<const ir::Kernel> kernel = write();
      return make_by_address({.kernel = kernel.get(), .workgroup_size = size, .label = label});
    };
    module->wants_addresses_ = desc.by_address && module->binds_any_size();
  }
  return module;
}

void Compiler::finish(Module& module, std::shared_ptr<const Words> words, bool foreign) {
  module.pipeline_ = make_pipeline(module, *words, foreign);
  module.spirv_ = std::move(words);
  if (tells_statistics(*gpu_))
    module.read_statistics_ = [this, foreign](const Module& of) { return read_statistics(of, foreign); };
}

std::shared_ptr<Module> Compiler::counter() {
  const std::lock_guard lock(counter_mutex_);
  if (counter_) return counter_;
  const ir::Kernel kernel = counts_kernel();
  return counter_ = make_module({.kernel = &kernel, .workgroup_size = {1, 1, 1}, .label = kernel.name});
}

void Module::prepare_counts() const {
  std::call_once(counter_once_, [&] {
    counter_ = get_counter_();
    ready_counter_.store(counter_.get(), std::memory_order_release);
  });
}

std::shared_ptr<Module> Compiler::make_by_address(const backends::ModuleDesc& desc) {
  auto module = std::make_shared<Module>();
  module->label_ = backends::label_of(desc);
  LayoutKey layout;
  const auto words = from_kernel(desc, *module, layout, true);
  check_layout(module->label_, layout);
  module->layout_ = layouts_.get(layout);
  finish(*module, words, false);
  return module;
}

bool Module::binds_any_size() const {
  if (!make_by_address_) return false;
  std::call_once(by_address_once_, [&] {
    by_address_ = make_by_address_();
    ready_by_address_.store(by_address_.get(), std::memory_order_release);
  });
  return true;
}

// Null for a kernel without buffers, and for one that has as many bindings as the device allows.
std::shared_ptr<Module> Compiler::make_shifted(const Module& module) {
  LayoutKey key = module.layout().key;
  auto shifted = codegen::shift_buffers(*module.spirv_, key.binding_count());
  if (!shifted) return nullptr;
  key.shift_count = static_cast<uint32_t>(shifted->shifts.size());
  if (key.binding_count() > gpu_->physical.properties.limits.maxPerStageResources) return nullptr;
  auto result = std::make_shared<Module>();
  result->label_ = module.label_;
  result->entry_ = module.entry_;
  result->offset_alignment_ = module.offset_alignment_;
  result->values_size_ = module.values_size_;
  result->layout_ = layouts_.get(key);
  result->pipeline_ = make_pipeline(*result, shifted->words, false);
  result->units_.assign(key.argument_count, 0);
  for (const auto& [binding, stride] : shifted->shifts) {
    if (binding >= key.argument_count) return nullptr;
    uint64_t& unit = result->units_[binding];
    unit = unit == 0 ? stride : std::lcm(unit, uint64_t{stride});
  }
  result->shifts_ = std::move(shifted->shifts);
  return result;
}

bool Module::binds_at(uint32_t binding, uint64_t offset) const {
  if (!make_shifted_) return false;
  std::call_once(shifted_once_, [&] {
    shifted_ = make_shifted_(*this);
    ready_shifted_.store(shifted_.get(), std::memory_order_release);
  });
  const Module* shifted = this->shifted();
  return shifted != nullptr && shifted->shift_of(binding, offset).has_value();
}

std::optional<uint64_t> Module::shift_of(uint32_t binding, uint64_t offset) const noexcept {
  const uint64_t align = offset_alignment_;
  if (offset % align == 0) return 0;
  if (binding >= units_.size()) return {};
  const uint64_t unit = units_[binding];
  if (unit == 0) return offset % align;  // the kernel does not access it
  // Within one unit for each place in an aligned block.
  for (uint64_t shift = unit, i = 0; i < align && shift <= offset; shift += unit, ++i)
    if ((offset - shift) % align == 0) return shift;
  return {};
}

// Drivers are not obliged to notice, and crash.
void Compiler::check_layout(const std::string& label, const LayoutKey& layout) const {
  const auto& info = gpu_->info();
  const auto& limits = gpu_->physical.properties.limits;
  const uint32_t sampled = layout.count(BindingKind::SampledImage);
  const struct {
    uint32_t count;
    const char* name;
    uint32_t most;
  } kinds[] = {{layout.count(BindingKind::Buffer), "buffers", gpu_->max_storage_buffers},
               {layout.count(BindingKind::UniformBuffer), "uniform blocks",
                std::min(limits.maxPerStageDescriptorUniformBuffers, limits.maxDescriptorSetUniformBuffers)},
               {sampled + layout.count(BindingKind::Texture), "images that it samples",
                std::min(limits.maxPerStageDescriptorSampledImages, limits.maxDescriptorSetSampledImages)},
               {sampled + layout.count(BindingKind::Sampler), "samplers",
                std::min(limits.maxPerStageDescriptorSamplers, limits.maxDescriptorSetSamplers)},
               {layout.count(BindingKind::StorageImage), "images that it loads and stores",
                std::min(limits.maxPerStageDescriptorStorageImages, limits.maxDescriptorSetStorageImages)}};
  for (const auto& [count, name, most] : kinds)
    if (count > most)
      fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" has {} {}; Vulkan device \"{}\" allows {}.", label, count, name,
           info.name, most);
  const uint32_t resources = limits.maxPerStageResources;
  if (layout.binding_count() > resources)
    fail(VD_ERR_UNSUPPORTED,
         "kernel \"{}\" has {} buffers, images and blocks of values; Vulkan device \"{}\" allows {} in all.", label,
         layout.argument_count, info.name, resources);
  if (layout.uniform_size > info.max_uniform_buffer_range)
    fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" has {} bytes of values; Vulkan device \"{}\" allows {}.", label,
         layout.uniform_size, info.name, info.max_uniform_buffer_range);
}

void Compiler::check_entry(Module& module, const Words& words) const {
  const codegen::SpirvEntry entry = codegen::find_entry(words, module.entry_);
  if (!entry.found)
    fail(VD_ERR_COMPILE, "plan \"{}\" has no compute entry point \"{}\".", module.label_, shown_name(module.entry_));
  if (std::ranges::find(entry.workgroup_size, 0u) != entry.workgroup_size.end())
    fail(VD_ERR_COMPILE, "the source of plan \"{}\" has a workgroup size of {} x {} x {}, without invocations.",
         module.label_, entry.workgroup_size[0], entry.workgroup_size[1], entry.workgroup_size[2]);
  for (const auto& size : {entry.workgroup_size, entry.mode_size})
    backends::check_workgroup_size(fmt::format("plan \"{}\"", module.label_), size, gpu_->info(), "Vulkan");
  if (entry.fixed) module.fixed_size_ = entry.workgroup_size;
}

// Drivers do not check this, and end the process when such code runs.
void Compiler::read_uses(const backends::ModuleDesc& desc, Module& module, const Words& words) const {
  const codegen::SpirvUses uses = codegen::find_uses(words, module.entry_);
  const std::vector<uint32_t>& kinds = desc.source->bindings;
  const std::string& label = module.label_;
  if (uses.stray_variable)
    fail(VD_ERR_COMPILE,
         "the SPIR-V of plan \"{}\" has an input or output (id {}) that is not a built-in value; a compute shader has "
         "no "
         "others.",
         label, *uses.stray_variable);
  module.source_bindings_.assign(kinds.size(), {.read = false, .write = false, .least_size = 0, .image = {}});
  for (const codegen::SpirvBinding& used : uses.bindings) {
    if (!used.used) continue;
    const auto refuse = [&](vd_status status, const std::string& why) {
      fail(status, "binding {} of set {} in the source of plan \"{}\" {}.", used.binding, used.set, label, why);
    };
    if (used.set != 0)
      fail(VD_ERR_INVALID, "the source of plan \"{}\" uses set {} (binding {}); a plan binds set 0 alone.", label,
           used.set, used.binding);
    if (used.kind == VD_BINDING_OTHER)
      refuse(VD_ERR_UNSUPPORTED, fmt::format("is {}, and a plan binds no others", kind_name(used.kind)));
    if (used.other_format)
      refuse(VD_ERR_UNSUPPORTED, "is a storage image of a format that images of this library do not have");
    if (used.count != 1)
      refuse(VD_ERR_UNSUPPORTED, "is an array of descriptors; a plan binds one buffer or image to each binding");
    if (used.binding >= kinds.size())
      fail(VD_ERR_INVALID, "the source of plan \"{}\" uses binding {}, which is not below binding_count ({}).", label,
           used.binding, kinds.size());
    if (static_cast<uint32_t>(used.kind) != kinds[used.binding])
      fail(VD_ERR_INVALID, "binding_kinds[{}] ({}) is {}, and the source of plan \"{}\" has {} ({}) there.",
           used.binding, kinds[used.binding], kind_name(kinds[used.binding]), label, kind_name(used.kind),
           static_cast<int>(used.kind));
    backends::SourceBinding& binding = module.source_bindings_[used.binding];
    binding.read = binding.read || used.readable;
    binding.write = binding.write || used.writable;
    binding.image = used.image;
    if (used.kind == VD_BINDING_UNIFORM_BUFFER) binding.least_size = std::max(binding.least_size, used.size);
  }
  const codegen::SpirvPushConstant last = uses.last_push_constant();
  if (last.end() > desc.source->values_size)
    fail(VD_ERR_INVALID,
         "the source of plan \"{}\" uses push constant \"{}\" at offset ({}) with size ({}), past values_size ({}).",
         label, shown_name(last.name), last.offset, last.size, desc.source->values_size);
  if (const uint32_t most = gpu_->info().max_shared_memory_size; uses.shared_size > most)
    fail(VD_ERR_UNSUPPORTED,
         "the source of plan \"{}\" has {} bytes of shared memory; a workgroup has {} on Vulkan device \"{}\".", label,
         uses.shared_size, most, gpu_->info().name);
  if (uses.largest_variable > kLargestVariable)
    fail(
        VD_ERR_UNSUPPORTED,
        "the source of plan \"{}\" has a variable of {} bytes in each invocation, above the largest ({}) that drivers' "
        "compilers are asked for.",
        label, uses.largest_variable, kLargestVariable);
}

codegen::Options Compiler::options(const std::array<uint32_t, 3>& workgroup_size, bool by_address) const {
  codegen::Options options;
  options.workgroup_size = workgroup_size;
  options.features = gpu_->info().features;
  options.value_limit = gpu_->max_push_constants;
  const auto& shared_layout = gpu_->physical.features.workgroup_layout;
  options.explicit_shared_layout = shared_layout.workgroupMemoryExplicitLayout != VK_FALSE;
  options.subgroup_extended_types = gpu_->physical.features.v12.shaderSubgroupExtendedTypes != VK_FALSE;
  options.buffer_addresses = by_address;
  options.clamped_indices = by_address && gpu_->robust;
  return options;
}

std::vector<std::byte> Compiler::print(const backends::ModuleDesc& desc) const {
  backends::check_limits(desc, gpu_->info(), "Vulkan");
  return backends::print(*desc.kernel, VD_LANGUAGE_GLSL, options(desc.workgroup_size)).bytes();
}

Hash128 Compiler::printing_key() const { return backends::printing_key(gpu_->info(), VD_LANGUAGE_GLSL, options({})); }

std::shared_ptr<const Compiler::Words> Compiler::from_kernel(const backends::ModuleDesc& desc, Module& module,
                                                             LayoutKey& layout, bool by_address) {
  backends::PrintedKernel printed =
      !desc.printed.empty() ? backends::PrintedKernel::read(desc.printed)
                            : backends::print(*desc.kernel, VD_LANGUAGE_GLSL, options(desc.workgroup_size, by_address));
  codegen::Source& source = printed.source;
  module.source_ = std::move(source.text);
  module.entry_ = source.entry;
  bool has_image = false;
  for (const auto& argument : printed.arguments) {
    const bool image = !argument.image.none();
    layout.kinds.push_back(!image && by_address          ? BindingKind::Address
                           : !image                      ? BindingKind::Buffer
                           : argument.image.is_sampled() ? BindingKind::SampledImage
                                                         : BindingKind::StorageImage);
    has_image = has_image || image;
  }
  layout.argument_count = static_cast<uint32_t>(layout.kinds.size());
  if (!has_image && !by_address) layout.kinds.clear();
  module.addresses_ = std::move(source.addresses);
  layout.address_count = static_cast<uint32_t>(module.addresses_.size());
  module.values_size_ = printed.values_size;
  switch (source.values) {
    case codegen::ValuePlace::None:
      module.values_size_ = 0;
      break;
    case codegen::ValuePlace::PushConstant:
      layout.push_size = (module.values_size_ + 3) / 4 * 4;
      break;
    default:
      layout.uniform_size = module.values_size_;
  }
  // On an H200 honoured zeros and NaNs cost 3 to 16 % of a transform's time, and rounding to nearest even, which it
  // does anyway, up to 20 %: a kernel that wants them says `precise`.
  FloatControls floats = gpu_->physical.float_controls;
  if (!source.precise) floats.keep_special = floats.round_to_even = 0;
  return compile(module, floats);
}

std::shared_ptr<const Compiler::Words> Compiler::from_source(const backends::ModuleDesc& desc, Module& module,
                                                             LayoutKey& layout) {
  const auto& source = *desc.source;
  backends::check_source(source, module.label_, {VD_LANGUAGE_GLSL, VD_LANGUAGE_SPIRV}, "Vulkan");
  if (!source.entry.empty()) module.entry_ = source.entry;
  layout.argument_count = static_cast<uint32_t>(source.bindings.size());
  if (std::ranges::any_of(source.bindings, [](uint32_t kind) { return kind_of(kind) != BindingKind::Buffer; }))
    for (const uint32_t kind : source.bindings) layout.kinds.push_back(kind_of(kind));
  if (source.values_size > gpu_->max_push_constants)
    fail(VD_ERR_UNSUPPORTED, "plan \"{}\" has {} bytes of push constants; Vulkan device \"{}\" allows {}.",
         module.label_, source.values_size, gpu_->info().name, gpu_->max_push_constants);
  layout.push_size = (source.values_size + 3) / 4 * 4;
  module.values_size_ = source.values_size;
  const std::string what = fmt::format("plan \"{}\"", module.label_);
  if (source.language == VD_LANGUAGE_GLSL) {
    module.source_ = source.text;
    codegen::check_foreign_glsl(module.source_, module.label_);
    auto words = compile(module, {});
    if (source.spec_constants.empty()) return words;
    auto special = std::make_shared<Words>(*words);
    codegen::specialise(*special, source.spec_constants, what);
    validate(module, *special);
    return special;
  }
  auto words = std::make_shared<Words>(codegen::read_spirv(source.text));
  codegen::check_spirv_words(*words, "the SPIR-V of " + what);
  codegen::specialise(*words, source.spec_constants, what);
  validate(module, *words);
  return words;
}

void Compiler::validate(const Module& module, const Words& words) const {
  const Physical& physical = gpu_->physical;
  codegen::SpirvRules rules;
  rules.vulkan_minor = VK_API_VERSION_MINOR(physical.api_version);
  rules.scalar_block_layout = physical.features.v12.scalarBlockLayout != VK_FALSE;
  rules.scalar_workgroup_layout =
      physical.features.workgroup_layout.workgroupMemoryExplicitLayoutScalarBlockLayout != VK_FALSE;
  rules.local_size_id = physical.features.v13.maintenance4 != VK_FALSE;
  codegen::validate_spirv(words, fmt::format("plan \"{}\"", module.label_), rules);
  if (const auto missing = missing_capability(words, physical.features, physical.own.subgroup_operations);
      !missing.empty())
    fail(VD_ERR_UNSUPPORTED, "the SPIR-V of plan \"{}\" needs capability {}, which Vulkan device \"{}\" lacks.",
         module.label_, missing, gpu_->info().name);
}

std::shared_ptr<const Compiler::Words> Compiler::compile(Module& module, const FloatControls& floats) {
  const bool spirv_1_5 = gpu_->physical.api_version >= VK_API_VERSION_1_2;
  Hasher hasher;
  hasher.add(std::string_view("SPIR-V of GLSL")).add(std::string_view(codegen::glslang_version())).add(spirv_1_5);
  hasher.add(floats.keep_denormals).add(floats.keep_special).add(floats.round_to_even);
  hasher.add(std::string_view(module.source_));
  const Hash128 key = hasher.finish();
  if (auto found = words_.find(key)) return found;
  std::shared_ptr<Words> words;
  if (auto kept = codegen::load_spirv(disk_, key)) {
    words = std::make_shared<Words>(*std::move(kept));
    module.from_cache_ = true;
    cached_.fetch_add(1, std::memory_order_relaxed);
  } else {
    words = std::make_shared<Words>(codegen::compile_glsl(module.source_, module.label_, spirv_1_5));
    add_float_controls(*words, floats);
    compiled_.fetch_add(1, std::memory_order_relaxed);
    disk_.store(key, std::as_bytes(std::span(*words)));
  }
  return words_.add(key, std::move(words));
}

backends::Statistics Module::statistics(bool ask) const {
  if (const Module* const other = by_address()) return other->statistics(ask);
  if (ask && read_statistics_)
    std::call_once(statistics_once_, [&] {
      statistics_ = read_statistics_(*this);
      has_statistics_.store(true, std::memory_order_release);
    });
  return has_statistics_.load(std::memory_order_acquire) ? statistics_ : backends::Statistics{};
}

backends::Statistics Compiler::read_statistics(const Module& module, bool foreign) {
  try {
    const Pipeline pipeline =
        make_pipeline(module, *module.spirv_, foreign, VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR);
    return vulkan::read_statistics(gpu_->vk, gpu_->device(), pipeline.get());
  } catch (const Error& error) {
    log_info("the driver's statistics of kernel \"{}\" are not known: {}", module.label_, error.what());
    return {};
  }
}

Pipeline Compiler::make_pipeline(const Module& module, const Words& words, bool foreign, VkPipelineCreateFlags flags) {
  VkShaderModuleCreateInfo shader_info{};
  shader_info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  shader_info.codeSize = words.size() * 4;
  shader_info.pCode = words.data();
  VkShaderModule shader_handle = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreateShaderModule(gpu_->device(), &shader_info, nullptr, &shader_handle),
              "vkCreateShaderModule", "kernel \"{}\" ({} bytes of SPIR-V)", module.label_, shader_info.codeSize);
  const ShaderModule shader(gpu_, shader_handle);

  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.flags = flags;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader.get();
  info.stage.pName = module.entry_.c_str();
  info.layout = module.layout_->pipeline.get();
  const SubgroupWishes subgroups = choose_subgroups(gpu_->physical.subgroups, codegen::uses_subgroups(words),
                                                    codegen::find_entry(words, module.entry_).workgroup_size);
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{};
  size.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO;
  size.requiredSubgroupSize = subgroups.size;
  if (size.requiredSubgroupSize != 0) info.stage.pNext = &size;
  if (subgroups.full) info.stage.flags |= VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  // The device is opened without robust access. Code that we did not print gets it where a pipeline can have it alone.
  VkPipelineRobustnessCreateInfoEXT robust{};
  robust.sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT;
  robust.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT;
  robust.uniformBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_EXT;
  if (foreign && gpu_->physical.features.pipeline_robustness.pipelineRobustness != VK_FALSE) info.pNext = &robust;
  VkPipeline handle = VK_NULL_HANDLE;
  const VkResult made = pipelines_.create(info, &handle);
  // The validator lets some pass that a driver refuses, such as a matrix whose columns are 0 bytes apart.
  if (foreign && (made == VK_ERROR_UNKNOWN || made == VK_ERROR_INVALID_SHADER_NV))
    fail(VD_ERR_COMPILE, "the driver of Vulkan device \"{}\" refuses the SPIR-V of plan \"{}\" ({}).",
         gpu_->info().name, module.label_, result_name(made));
  gpu_->check(made, "vkCreateComputePipelines", "kernel \"{}\" on device \"{}\"", module.label_, gpu_->info().name);
  Pipeline pipeline(gpu_, handle);
  gpu_->name(handle, VK_OBJECT_TYPE_PIPELINE, module.label_);
  return pipeline;
}

}  // namespace vd::vulkan
