// A list made into a CUDA graph with the list's edges, to be launched again and again; so independent chains run side
// by side. The driver runs one launch of an instance at a time, so each queue has its own.
//
// A list of the same kernels with the same edges, but other buffers, values or sizes, reuses the graph: the parameters
// of the changed nodes are set; earlier launches run unchanged.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
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

  bool updatable() const override { return block_ == 0; }
  bool update(const backends::CommandList& list) override;
  bool patch(const backends::CommandList& list, std::span<const uint32_t> commands) override;

  // The instance for a queue's stream; null if there is nothing to do. The context is current.
  CUgraphExec instance(CUstream stream);
  size_t size() const noexcept { return nodes_; }
  bool prints() const noexcept { return prints_; }

 private:
  // A command as it is now, and its nodes: several for a large copy, none for a command without effect.
  struct Step {
    backends::Command command;
    std::vector<CUdeviceptr> addresses;  // of source and destination
    std::vector<std::byte> bindings;     // parameters of a dispatch's buffers and images
    CUDA_MEMCPY3D boxes{};               // of a copy of an image
    std::vector<std::byte> values;
    std::vector<CUgraphNode> nodes;
    bool in_graph = true;  // as it is now; else only in the instances

    bool same_parameters(const Step& other) const;
  };

  void build(const backends::CommandList& list, const CommandView& view);
  void add(Step& step, const std::vector<CUgraphNode>& after);
  void add_copy(Step& step, const std::vector<CUgraphNode>& after);
  static void describe(const backends::Command& command, const CommandView& view, Step& step);
  static bool same_shape(const Step& now, const Step& then);
  void set(Step& step, Step& now);
  void set_in_graph(Step& step);
  void set_in(CUgraphExec instance, const Step& step);
  CUDA_KERNEL_NODE_PARAMS kernel_parameters(const Step& step);
  // Calls one(bytes done, bytes) for each part of a copy.
  template <class F>
  void each_part(uint64_t size, F&& one) const;
  CUdeviceptr upload_values(const CommandView& view, const std::vector<uint32_t>& by_pointer);
  void destroy() noexcept;

  std::shared_ptr<const Gpu> gpu_;
  CUgraph graph_ = nullptr;
  size_t nodes_ = 0;
  bool prints_ = false;      // one of its kernels does
  std::vector<Step> steps_;  // by command
  std::vector<uint32_t> edges_;
  CUdeviceptr block_ = 0;               // values of the kernels that take a pointer
  std::vector<uint64_t> block_offset_;  // by command
  Arguments arguments_;
  Step next_;  // kept for its memory
  std::mutex mutex_;
  std::map<CUstream, CUgraphExec> instances_;
};

}  // namespace vd::cuda
