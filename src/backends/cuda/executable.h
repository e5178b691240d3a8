// A list made into a CUDA graph with the list's edges, to be launched again and again; so independent chains run side
// by side. The driver runs one launch of an instance at a time, so each queue has its own.
//
// A list of the same kernels with the same edges, but other buffers, values or sizes, reuses the graph: the parameters
// of the changed nodes are set; earlier launches run unchanged. Values that do not fit in a kernel's parameters lie in memory of the
// instance, and changed ones are copied there in the stream, before its next launch.
//
// Its timed form is a graph of the same commands, one after the other, with stamps between them, which are in memory of the
// instance until they are copied behind its launch. It follows the commands' changes when it is launched next.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/arguments.h"
#include "backends/cuda/timing.h"

namespace vd::cuda {

class Executable final : public backends::Executable {
 public:
  Executable(std::shared_ptr<const Gpu> gpu, const backends::CommandList& list);
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  ~Executable() override;

  bool updatable() const override { return true; }
  bool update(const backends::CommandList& list) override;
  bool patch(const backends::CommandList& list, std::span<const uint32_t> commands) override;

  // The instance for a queue's stream, to be launched next in `target`, which may be `captured`; null if there is nothing to do.
  // The context is current.
  CUgraphExec instance(CUstream stream, CUstream target, bool captured);
  // The same of the timed form, which is not captured, and where each of its launches leaves its stamps. The clock is prepared.
  struct Timed {
    CUgraphExec instance = nullptr;
    CUdeviceptr stamps = 0;
    size_t count = 0;
  };
  Timed timed_instance(CUstream stream, CUstream target, const std::shared_ptr<DeviceClock>& clock);
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

    bool by_pointer() const;  // it takes the address of its values
    bool same_parameters(const Step& other) const;
  };
  struct Instance {
    CUgraphExec handle = nullptr;
    CUdeviceptr block = 0;   // values of the kernels that take a pointer, and stamps
    std::set<size_t> stale;  // commands whose values there are not as they are now
    bool outdated = false;   // it has changed in what an instance does not take
    bool narrow = false;     // with the edges of `narrowing_`
  };

  Executable(std::shared_ptr<const Gpu> gpu, size_t commands);
  // The timed form of a plain one.
  Executable(const Executable& plain, std::shared_ptr<DeviceClock> clock);
  void build(const backends::CommandList& list, const CommandView& view);
  void add(Step& step, const std::vector<CUgraphNode>& after);
  void add_copy(Step& step, const std::vector<CUgraphNode>& after);
  void add_stamp(const std::vector<CUgraphNode>& after);
  void set_stamps_in_graph(CUdeviceptr block);
  void change_timed();
  static void describe(const backends::Command& command, const CommandView& view, Step& step);
  static bool same_shape(const Step& now, const Step& then);
  void set(Step& step, Step& now);
  void set_in_graph(Step& step, CUdeviceptr block);
  // False if the driver takes no such change.
  bool set_in(const Instance& instance, const Step& step);
  // `first`: the stream that launches it first, null if that is captured.
  void instantiate(Instance& instance, CUstream stream, CUstream first);
  CUgraphExec make_instance(CUstream stream, CUstream first, bool& narrow);
  bool is_busy(CUstream stream) const;
  void set_narrow(bool narrow);
  void send_values(Instance& instance, CUstream stream);
  size_t number_of(const Step& step) const { return static_cast<size_t>(&step - steps_.data()); }
  CUDA_KERNEL_NODE_PARAMS kernel_parameters(const Step& step, CUdeviceptr block);
  // Calls one(bytes done, bytes) for each part of a copy.
  template <class F>
  void each_part(uint64_t size, F&& one) const;
  void destroy() noexcept;

  std::shared_ptr<const Gpu> gpu_;
  CUgraph graph_ = nullptr;
  size_t nodes_ = 0;
  bool prints_ = false;      // one of its kernels does
  std::vector<Step> steps_;  // by command
  std::vector<uint32_t> edges_;
  struct {
    std::vector<CUgraphNode> from, to;
    bool in_graph = false;
  } narrowing_;              // edges with which no more nodes run at once than the driver instantiates without waiting
  uint64_t block_size_ = 0;  // of an instance
  std::vector<uint64_t> block_offset_;  // by command
  Arguments arguments_;
  Step next_;  // kept for its memory
  std::mutex mutex_;
  std::map<CUstream, Instance> instances_;
  std::unique_ptr<Executable> timed_;
  std::set<size_t> untold_;  // commands that have changed, but not in the timed form

  // Members of a timed form:
  std::shared_ptr<DeviceClock> clock_;
  std::vector<CUgraphNode> stamps_;  // before the first command, and behind each
  uint64_t stamps_offset_ = 0;       // in an instance's block
};

}  // namespace vd::cuda
