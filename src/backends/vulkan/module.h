// A compiled kernel: GLSL, the SPIR-V that glslang made of it, and the driver's pipeline.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/vulkan/float_controls.h"
#include "backends/vulkan/layout.h"
#include "backends/vulkan/pipeline_cache.h"
#include "codegen/print.h"
#include "codegen/spirv_shift.h"
#include "core/disk_cache.h"
#include "core/weak_table.h"

namespace vd::vulkan {

class Module final : public backends::Module {
 public:
  const std::string& source() const override { return source_; }
  bool from_cache() const override { return from_cache_; }
  // Asks for those of the code that has the buffers' addresses, once there is any. They come from a second pipeline,
  // which is made when it is first asked for: to capture them may disable a driver's caches.
  backends::Statistics statistics(bool ask) const override;
  std::array<uint32_t, 3> fixed_size() const override { return fixed_size_; }
  uint32_t offset_alignment() const override { return offset_alignment_; }
  uint32_t uniform_alignment() const override { return uniform_alignment_; }
  // For a kernel: by code that adds a number of elements to each index, which is compiled when it is first asked for.
  bool binds_at(uint32_t binding, uint64_t offset) const override;
  // For a kernel: by code that has the buffers' addresses, which is compiled when it is first asked for.
  bool binds_any_size() const override;
  const std::vector<backends::SourceBinding>& source_bindings() const override { return source_bindings_; }

  void prepare_counts() const override;
  // The kernel that keeps counts within the most (counts.h); null until prepare_counts().
  Module* counter() const noexcept { return ready_counter_.load(std::memory_order_acquire); }

  VkPipeline pipeline() const noexcept { return pipeline_.get(); }
  const Layout& layout() const noexcept { return *layout_; }
  const std::string& label() const noexcept { return label_; }
  uint32_t values_size() const noexcept { return values_size_; }

  // Whether all launches take the code that has the buffers' addresses.
  bool wants_addresses() const noexcept { return wants_addresses_; }
  // The same kernel for buffers of any size; null until binds_any_size() made it.
  const Module* by_address() const noexcept { return ready_by_address_.load(std::memory_order_acquire); }
  // The buffers of such a kernel, in the order of its block of addresses.
  const std::vector<codegen::AddressedBuffer>& addresses() const noexcept { return addresses_; }

  // The same kernel for buffers that begin at any element; null until binds_at() made it.
  const Module* shifted() const noexcept { return ready_shifted_.load(std::memory_order_acquire); }
  // For such a kernel: the bytes by which a buffer is bound before its first element, fewer than its elements have up to
  // an aligned one. Nothing if no aligned place is a whole number of elements before.
  std::optional<uint64_t> shift_of(uint32_t binding, uint64_t offset) const noexcept;
  const std::vector<codegen::ShiftedSpirv::Shift>& shifts() const noexcept { return shifts_; }

 private:
  friend class Compiler;

  std::string label_;
  std::string source_;
  std::string entry_ = "main";
  bool from_cache_ = false;
  std::array<uint32_t, 3> fixed_size_{};
  uint32_t offset_alignment_ = 1;
  uint32_t uniform_alignment_ = 1;
  std::vector<backends::SourceBinding> source_bindings_;
  uint32_t values_size_ = 0;                            // bytes that a launch must have
  std::shared_ptr<const std::vector<uint32_t>> spirv_;  // for kernels that print alike
  std::shared_ptr<const Layout> layout_;
  Pipeline pipeline_;
  std::function<backends::Statistics(const Module&)> read_statistics_;  // by its compiler, where the driver tells them
  mutable std::once_flag statistics_once_;
  mutable backends::Statistics statistics_;
  mutable std::atomic<bool> has_statistics_{false};
  std::vector<codegen::ShiftedSpirv::Shift> shifts_;  // of a shifted kernel
  std::vector<uint64_t> units_;                       // bytes of whole elements of each of its bindings
  std::function<std::shared_ptr<Module>(const Module&)>
      make_shifted_;  // of a kernel, by its compiler, which outlives it
  mutable std::once_flag shifted_once_;
  mutable std::shared_ptr<Module> shifted_;
  mutable std::atomic<const Module*> ready_shifted_{nullptr};
  std::function<std::shared_ptr<Module>()> get_counter_;  // by its compiler
  mutable std::once_flag counter_once_;
  mutable std::shared_ptr<Module> counter_;
  mutable std::atomic<Module*> ready_counter_{nullptr};
  bool wants_addresses_ = false;
  std::vector<codegen::AddressedBuffer> addresses_;           // of a kernel by address
  std::function<std::shared_ptr<Module>()> make_by_address_;  // of a kernel, where the device has buffer addresses
  mutable std::once_flag by_address_once_;
  mutable std::shared_ptr<Module> by_address_;
  mutable std::atomic<const Module*> ready_by_address_{nullptr};
};

// Makes modules, on any thread. SPIR-V is looked up in memory, then on disk, by the hash of the printed source: neither
// kernels that print alike nor a second process compile twice.
class Compiler {
 public:
  Compiler(std::shared_ptr<const Gpu> gpu, const std::string& cache_dir);

  std::shared_ptr<backends::Module> make(const backends::ModuleDesc& desc);
  std::vector<std::byte> print(const backends::ModuleDesc& desc) const;
  Hash128 printing_key() const;
  // Makes the layout of kernels with one buffer. A driver loads its compiler with its first layout.
  void prepare() noexcept;
  backends::CompileCounts counts() const noexcept {
    return {compiled_.load(std::memory_order_relaxed), cached_.load(std::memory_order_relaxed)};
  }

 private:
  using Words = std::vector<uint32_t>;

  std::shared_ptr<Module> make_module(const backends::ModuleDesc& desc);
  codegen::Options options(const std::array<uint32_t, 3>& workgroup_size, bool by_address = false) const;
  std::shared_ptr<const Words> from_kernel(const backends::ModuleDesc& desc, Module& module, LayoutKey& layout,
                                           bool by_address = false);
  std::shared_ptr<const Words> from_source(const backends::ModuleDesc& desc, Module& module, LayoutKey& layout);
  std::shared_ptr<const Words> compile(Module& module, const FloatControls& floats);
  // Makes the pipeline, of code that is `foreign` or printed here.
  void finish(Module& module, std::shared_ptr<const Words> words, bool foreign);
  Pipeline make_pipeline(const Module& module, const Words& words, bool foreign, VkPipelineCreateFlags flags = 0);
  backends::Statistics read_statistics(const Module& module, bool foreign);
  std::shared_ptr<Module> make_shifted(const Module& module);
  std::shared_ptr<Module> counter();
  std::shared_ptr<Module> make_by_address(const backends::ModuleDesc& desc);
  void check_layout(const std::string& label, const LayoutKey& layout) const;
  void check_entry(Module& module, const Words& words) const;
  void read_uses(const backends::ModuleDesc& desc, Module& module, const Words& words) const;
  void validate(const Module& module, const Words& words) const;

  std::shared_ptr<const Gpu> gpu_;
  std::mutex counter_mutex_;
  std::shared_ptr<Module> counter_;
  DiskCache disk_;
  Layouts layouts_;
  PipelineCache pipelines_;
  std::atomic<uint64_t> compiled_{0};
  std::atomic<uint64_t> cached_{0};
  WeakTable<const Words> words_;
};

}  // namespace vd::vulkan
