// A compiled kernel: CUDA C++, the cubin that NVRTC made of it, and the driver's function.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/gpu.h"
#include "backends/cuda/nvrtc.h"
#include "backends/printed.h"
#include "core/disk_cache.h"
#include "core/weak_table.h"

namespace vd::cuda {

class Module final : public backends::Module {
 public:
  explicit Module(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {}
  ~Module() override;

  const std::string& source() const override { return source_; }
  bool from_cache() const override { return from_cache_; }
  backends::Statistics statistics(bool /*ask*/) const override { return statistics_; }

  CUfunction function() const noexcept { return function_; }
  const std::array<uint32_t, 3>& block() const noexcept { return block_; }
  uint32_t dynamic_shared_size() const noexcept { return dynamic_shared_size_; }
  const std::string& label() const noexcept { return label_; }
  // Types of the bindings that are images; none for buffers.
  const std::vector<ir::Type>& images() const noexcept { return images_; }
  // Whether images are given as the driver's texture and surface objects alone: of source text.
  bool plain_images() const noexcept { return plain_images_; }
  // Bytes of the parameter of a binding.
  uint32_t parameter_size(ir::Type image) const;
  uint32_t values_size() const noexcept { return values_size_; }
  // The kernel takes the address of its values, which are too large for a parameter.
  bool values_by_pointer() const noexcept { return values_by_pointer_; }
  // It writes to standard output.
  bool prints() const noexcept { return prints_; }

 private:
  friend class Compiler;

  std::shared_ptr<const Gpu> gpu_;
  std::string label_;
  std::string source_;
  std::string entry_;
  bool from_cache_ = false;
  std::array<uint32_t, 3> block_{};
  uint32_t dynamic_shared_size_ = 0;
  std::vector<ir::Type> images_;
  bool plain_images_ = false;
  uint32_t values_size_ = 0;
  bool values_by_pointer_ = false;
  bool prints_ = false;
  backends::Statistics statistics_;
  std::shared_ptr<const std::vector<std::byte>> code_;  // for kernels that print alike
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

// Makes modules, on any thread. Cubins are looked up in memory, then on disk, by the hash of the printed source, the
// options and the compiler: neither device nor driver is in the key, so that a cubin made on a machine without a GPU is
// found on one that has it.
class Compiler {
 public:
  Compiler(std::shared_ptr<const Gpu> gpu, const Nvrtc& nvrtc, const std::string& cache_dir);

  std::shared_ptr<backends::Module> make(const backends::ModuleDesc& desc);
  std::vector<std::byte> print(const backends::ModuleDesc& desc) const;
  Hash128 printing_key() const;
  backends::CompileCounts counts() const noexcept {
    return {compiled_.load(std::memory_order_relaxed), cached_.load(std::memory_order_relaxed)};
  }

 private:
  using Code = std::vector<std::byte>;

  codegen::Options options() const;
  backends::PrintedKernel print_kernel(const backends::ModuleDesc& desc) const;
  ir::Attributes take_kernel(const backends::ModuleDesc& desc, Module& module) const;
  void take_source(const backends::ModuleDesc& desc, Module& module) const;
  std::vector<std::string> options_of(const Module& module) const;
  std::shared_ptr<const Code> compile(Module& module);
  void load(Module& module, const Code& code) const;
  void set_attributes(Module& module, const ir::Attributes& attributes) const;

  std::shared_ptr<const Gpu> gpu_;
  const Nvrtc& nvrtc_;
  std::vector<std::string> options_;
  bool ptx_ = false;  // NVRTC is older than the device: the driver makes the machine code
  DiskCache disk_;
  std::atomic<uint64_t> compiled_{0};
  std::atomic<uint64_t> cached_{0};
  WeakTable<const Code> codes_;
};

}  // namespace vd::cuda
