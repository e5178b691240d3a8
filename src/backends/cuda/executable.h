// A list made into a CUDA graph, to be launched again and again. Edges are what the commands' ranges say: a command
// waits for the last writers of what it uses, and for the readers since of what it writes, so independent chains run
// side by side. The driver runs one launch of an instance at a time, so each queue has its own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/arguments.h"

namespace vd::cuda {

class Executable final : public backends::Executable {
 public:
  Executable(std::shared_ptr<const Gpu> gpu, const backends::CommandList& list);
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  ~Executable() override;

  // The instance for a queue's stream; null if there is nothing to do. The context is current.
  CUgraphExec instance(CUstream stream);
  size_t size() const noexcept { return nodes_; }

 private:
  struct Access;
  class Hazards;

  void build(const CommandView& view);
  CUgraphNode add(const backends::Command& command, const CommandView& view, const std::vector<CUgraphNode>& after);
  CUgraphNode add_copy(CUdeviceptr from, CUdeviceptr to, uint64_t size, const std::vector<CUgraphNode>& after);
  CUdeviceptr upload_values(const CommandView& view, const std::vector<uint32_t>& by_pointer);
  void destroy() noexcept;

  std::shared_ptr<const Gpu> gpu_;
  CUgraph graph_ = nullptr;
  size_t nodes_ = 0;
  CUdeviceptr block_ = 0;               // values of the kernels that take a pointer
  std::vector<uint64_t> block_offset_;  // by command
  Arguments arguments_;
  std::mutex mutex_;
  std::map<CUstream, CUgraphExec> instances_;
};

}  // namespace vd::cuda
