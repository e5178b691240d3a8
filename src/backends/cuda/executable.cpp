#include "backends/cuda/executable.h"

#include <algorithm>

#include "backends/cuda/allocator.h"

namespace vd::cuda {
namespace {

using backends::Command;
using backends::Range;

constexpr uint64_t kBlockAlign = 256;

}  // namespace

// Bytes that a command uses, by address: two memories may be one.
struct Executable::Access {
  CUdeviceptr begin, end;
  uint32_t command;
  bool write;
};

// What later commands may have to wait for.
class Executable::Hazards {
 public:
  // Commands that `command` must run after, each once.
  std::vector<uint32_t> add(const std::vector<Access>& uses) {
    std::vector<uint32_t> after;
    for (const Access& use : uses)
      for (const Access& old : live_)
        if ((old.write || use.write) && old.begin < use.end && use.begin < old.end) after.push_back(old.command);
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    for (const Access& use : uses) {
      // Whoever waits for this write waits for what it covers too.
      if (use.write) std::erase_if(live_, [&](const Access& o) { return use.begin <= o.begin && o.end <= use.end; });
      live_.push_back(use);
    }
    return after;
  }

 private:
  std::vector<Access> live_;
};

Executable::Executable(std::shared_ptr<const Gpu> gpu, const backends::CommandList& list) : gpu_(std::move(gpu)) {
  gpu_->require_alive();
  const CommandView view{list.commands, list.ranges, list.values};
  check_commands(view);
  const Current current(*gpu_);
  try {
    build(view);
  } catch (...) {
    destroy();
    throw;
  }
}

Executable::~Executable() {
  try {
    const Current current(*gpu_);
    destroy();
  } catch (...) {
    // The context is gone, and its graphs with it.
  }
}

void Executable::destroy() noexcept {
  for (const auto& [stream, instance] : instances_) gpu_->cu.cuGraphExecDestroy(instance);
  if (graph_ != nullptr) gpu_->cu.cuGraphDestroy(graph_);
  if (block_ != 0) gpu_->allocator().release(block_);
}

void Executable::build(const CommandView& view) {
  gpu_->check(gpu_->cu.cuGraphCreate(&graph_, 0), "cuGraphCreate", "a graph of {} commands", view.commands.size());
  std::vector<uint32_t> by_pointer;
  block_offset_.assign(view.commands.size(), 0);
  for (uint32_t i = 0; i < view.commands.size(); ++i) {
    const Command& command = view.commands[i];
    if (command.kind == Command::Kind::Dispatch && static_cast<const Module&>(*command.module).values_by_pointer())
      by_pointer.push_back(i);
  }
  if (!by_pointer.empty()) block_ = upload_values(view, by_pointer);

  Hazards hazards;
  std::vector<CUgraphNode> nodes(view.commands.size(), nullptr);
  std::vector<Access> uses;
  std::vector<CUgraphNode> after;
  for (uint32_t i = 0; i < view.commands.size(); ++i) {
    const Command& command = view.commands[i];
    uses.clear();
    const auto use = [&](const Range& range, bool write) {
      const CUdeviceptr begin = address_of(range);
      uses.push_back({begin, begin + range.size, i, write});
    };
    if (command.kind == Command::Kind::Dispatch) {
      if (command.groups[0] == 0 || command.groups[1] == 0 || command.groups[2] == 0) continue;
      const auto& module = static_cast<const Module&>(*command.module);
      for (uint32_t b = 0; b < command.binding_count; ++b)
        use(view.ranges[command.first_binding + b], module.writes(b));
    } else {
      if (command.destination.size == 0) continue;
      if (command.kind == Command::Kind::Copy) use(command.source, false);
      use(command.destination, true);
    }
    after.clear();
    // Commands of one level are independent, whatever their ranges say.
    for (const uint32_t other : hazards.add(uses))
      if (view.commands[other].level != command.level) after.push_back(nodes[other]);
    nodes[i] = add(command, view, after);
    ++nodes_;
  }
}

CUdeviceptr Executable::upload_values(const CommandView& view, const std::vector<uint32_t>& by_pointer) {
  std::vector<std::byte> bytes;
  for (const uint32_t i : by_pointer) {
    const Command& command = view.commands[i];
    block_offset_[i] = bytes.size();
    const std::byte* values = view.values.data() + command.first_value;
    bytes.insert(bytes.end(), values, values + command.values_size);
    bytes.resize((bytes.size() + kBlockAlign - 1) / kBlockAlign * kBlockAlign);
  }
  const Allocator& allocator = gpu_->allocator();
  const CUdeviceptr block = allocator.allocate(bytes.size(), " for the values of a graph");
  CUresult result = gpu_->cu.cuMemcpyHtoDAsync(block, bytes.data(), bytes.size(), allocator.stream());
  if (result == CUDA_SUCCESS) result = gpu_->cu.cuStreamSynchronize(allocator.stream());
  if (result != CUDA_SUCCESS) allocator.release(block);
  gpu_->check(result, "cuMemcpyHtoDAsync", "{} bytes of a graph's values", bytes.size());
  return block;
}

CUgraphNode Executable::add(const Command& command, const CommandView& view, const std::vector<CUgraphNode>& after) {
  const Driver& cu = gpu_->cu;
  CUgraphNode node = nullptr;
  switch (command.kind) {
    case Command::Kind::Dispatch: {
      const auto& module = static_cast<const Module&>(*command.module);
      const auto index = static_cast<size_t>(&command - view.commands.data());
      CUDA_KERNEL_NODE_PARAMS parameters{};
      parameters.func = module.function();
      parameters.gridDimX = command.groups[0];
      parameters.gridDimY = command.groups[1];
      parameters.gridDimZ = command.groups[2];
      parameters.blockDimX = module.block()[0];
      parameters.blockDimY = module.block()[1];
      parameters.blockDimZ = module.block()[2];
      parameters.sharedMemBytes = module.dynamic_shared_size();
      parameters.kernelParams = arguments_.fill(command, view, block_ + block_offset_[index]);
      gpu_->check(cu.cuGraphAddKernelNode(&node, graph_, after.data(), after.size(), &parameters),
                  "cuGraphAddKernelNode", "kernel \"{}\" in groups of {}, {} x {} x {} groups", module.label(),
                  module.block()[0] * module.block()[1] * module.block()[2], command.groups[0], command.groups[1],
                  command.groups[2]);
      break;
    }
    case Command::Kind::Copy:
      return add_copy(address_of(command.source), address_of(command.destination), command.destination.size, after);
    case Command::Kind::Fill: {
      CUDA_MEMSET_NODE_PARAMS parameters{};
      parameters.dst = address_of(command.destination);
      parameters.value = command.pattern;
      parameters.elementSize = 4;
      parameters.width = command.destination.size / 4;
      parameters.height = 1;
      gpu_->check(cu.cuGraphAddMemsetNode(&node, graph_, after.data(), after.size(), &parameters, gpu_->context()),
                  "cuGraphAddMemsetNode", "{} bytes", command.destination.size);
      break;
    }
  }
  return node;
}

// A row of a copy is its pitch too, which is below 2 GiB; so a large copy is a chain.
CUgraphNode Executable::add_copy(CUdeviceptr from, CUdeviceptr to, uint64_t size,
                                 const std::vector<CUgraphNode>& after) {
  const uint64_t most = gpu_->overrides.copy_node_size;
  CUgraphNode last = nullptr;
  for (uint64_t done = 0; done < size;) {
    const uint64_t part = std::min(size - done, most);
    CUDA_MEMCPY3D parameters{};
    parameters.src.memoryType = parameters.dst.memoryType = CU_MEMORYTYPE_UNIFIED;
    parameters.src.device = from + done;
    parameters.dst.device = to + done;
    parameters.src.pitch = parameters.dst.pitch = parameters.WidthInBytes = part;
    parameters.Height = parameters.Depth = 1;
    CUgraphNode node = nullptr;
    const CUgraphNode* before = done == 0 ? after.data() : &last;
    gpu_->check(gpu_->cu.cuGraphAddMemcpyNode(&node, graph_, before, done == 0 ? after.size() : 1, &parameters,
                                              gpu_->context()),
                "cuGraphAddMemcpyNode", "{} bytes at {} of {}", part, done, size);
    last = node;
    done += part;
  }
  return last;
}

CUgraphExec Executable::instance(CUstream stream) {
  if (nodes_ == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  if (const auto found = instances_.find(stream); found != instances_.end()) return found->second;
  CUgraphExec instance = nullptr;
  gpu_->check(gpu_->cu.cuGraphInstantiate(&instance, graph_, 0), "cuGraphInstantiate", "a graph of {} nodes", nodes_);
  instances_[stream] = instance;
  // So that the first launch costs what every launch costs.
  gpu_->check(gpu_->cu.cuGraphUpload(instance, stream), "cuGraphUpload", "a graph of {} nodes", nodes_);
  return instance;
}

}  // namespace vd::cuda
