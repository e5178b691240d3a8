// A compiled kernel: its printed source, the program that the driver made of it, and the way in which a launch passes
// its arguments.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/arguments.h"
#include "backends/opencl/program.h"
#include "backends/printed.h"

namespace vd::opencl {

class Module final : public backends::Module {
 public:
  const std::string& source() const override { return source_; }
  bool from_cache() const override { return program_->from_cache; }
  std::array<uint32_t, 3> fixed_size() const override { return fixed_size_; }

  const std::string& label() const noexcept { return label_; }
  const Signature& signature() const noexcept { return signature_; }
  const size_t* workgroup_size() const noexcept { return workgroup_size_; }
  uint32_t offset_alignment() const override;
  // A kernel object of its own, whose arguments no other caller sets.
  std::unique_ptr<Arguments> make_arguments() const;

  // The kernel object of launches outside of graphs.
  struct Shared {
    std::mutex mutex;
    std::unique_ptr<Arguments> arguments;
  };
  Shared& shared() const noexcept { return shared_; }

 private:
  friend class Compiler;

  KernelHandle make_kernel() const;

  std::shared_ptr<const Context> context_;
  std::string label_;
  std::string source_;
  std::string entry_ = "vkdispatch_main";
  size_t workgroup_size_[3] = {1, 1, 1};
  std::array<uint32_t, 3> fixed_size_{};
  Signature signature_;
  std::vector<MemHandle> stand_ins_;
  std::unique_ptr<Sampler> exact_sampler_;
  std::shared_ptr<const Program> program_;
  mutable Shared shared_;
};

// Makes modules, on any thread.
class Compiler {
 public:
  Compiler(std::shared_ptr<const Context> context, const std::string& cache_dir);

  std::shared_ptr<backends::Module> make(const backends::ModuleDesc& desc);
  std::vector<std::byte> print(const backends::ModuleDesc& desc) const;
  Hash128 printing_key() const;
  backends::CompileCounts counts() const noexcept { return programs_.counts(); }

 private:
  codegen::Options options(uint32_t pointers) const;
  backends::PrintedKernel print_kernel(const backends::ModuleDesc& desc) const;
  void from_kernel(const backends::ModuleDesc& desc, Module& module);
  void from_source(const backends::ModuleDesc& desc, Module& module);
  void read_images(const ir::Kernel& kernel, Module& module) const;
  void check_parameters(const Module& module, cl_kernel kernel) const;
  void read_kernel(Module& module, cl_kernel kernel, bool own_source) const;

  std::shared_ptr<const Context> context_;
  Programs programs_;
};

}  // namespace vd::opencl
