#include "backends/cuda/executable.h"

#include <algorithm>
#include <cstring>

#include "backends/cuda/allocator.h"
#include "backends/cuda/chains.h"
#include "backends/cuda/image_copy.h"

namespace vd::cuda {
namespace {

using backends::Command;

constexpr uint64_t kBlockAlign = 256;
// Branches of a graph that a driver of CUDA 13 instantiates without waiting for the context's streams: 8 on an H100, not 16.
constexpr uint32_t kMostBranches = 8;

bool does_something(const Command& command) {
  if (command.kind == Command::Kind::Dispatch)
    return command.workgroups[0] != 0 && command.workgroups[1] != 0 && command.workgroups[2] != 0;
  return command.destination.size != 0;
}

}  // namespace

Executable::Executable(std::shared_ptr<const Gpu> gpu, size_t commands) : gpu_(std::move(gpu)) {
  gpu_->require_alive();
  const Current current(*gpu_);
  gpu_->check(gpu_->cu.cuGraphCreate(&graph_, 0), "cuGraphCreate", "a graph of {} commands", commands);
}

Executable::Executable(std::shared_ptr<const Gpu> gpu, const backends::CommandList& list)
    : Executable(std::move(gpu), list.commands.size()) {
  const CommandView view{list.commands, list.ranges, list.values, list.images, list.boxes};
  check_commands(view);
  const Current current(*gpu_);
  build(list, view);
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
  for (const auto& [stream, instance] : instances_) {
    if (instance.handle != nullptr) gpu_->cu.cuGraphExecDestroy(instance.handle);
    if (instance.block != 0) gpu_->allocator().release(instance.block);
  }
  if (graph_ != nullptr) gpu_->cu.cuGraphDestroy(graph_);
}

void Executable::build(const backends::CommandList& list, const CommandView& view) {
  block_offset_.assign(view.commands.size(), 0);
  for (uint32_t i = 0; i < view.commands.size(); ++i) {
    const Command& command = view.commands[i];
    if (command.kind != Command::Kind::Dispatch) continue;
    const auto& module = static_cast<const Module&>(*command.module);
    prints_ = prints_ || module.prints();
    if (!module.values_by_pointer()) continue;
    block_offset_[i] = block_size_;
    block_size_ += (command.values_size + kBlockAlign - 1) / kBlockAlign * kBlockAlign;
  }

  edges_ = list.edges;
  steps_.reserve(view.commands.size());
  std::vector<CUgraphNode> after;
  std::vector<uint32_t> numbers;
  Chains chains(kMostBranches);
  for (uint32_t i = 0; i < view.commands.size(); ++i) {
    const Command& command = view.commands[i];
    describe(command, view, steps_.emplace_back());
    if (!does_something(command)) continue;
    after.clear();
    numbers.clear();
    for (const uint32_t other : list.edges_of(command)) {
      if (steps_[other].nodes.empty()) continue;
      after.push_back(steps_[other].nodes.back());
      numbers.push_back(other);
    }
    add(steps_[i], after);
    ++nodes_;
    if (const auto before = chains.add(i, numbers)) {
      narrowing_.from.push_back(steps_[*before].nodes.back());
      narrowing_.to.push_back(steps_[i].nodes.front());
    }
  }
}

void Executable::describe(const Command& command, const CommandView& view, Step& step) {
  step.command = command;
  step.boxes = {};
  step.addresses.clear();
  step.bindings.clear();
  step.values.clear();
  if (command.kind == Command::Kind::Dispatch) {
    append_bindings(command, view, step.bindings);
    const auto* values = view.values.data() + command.first_value;
    step.values.assign(values, values + command.values_size);
  } else if (is_of_boxes(command)) {
    step.boxes = box_parameters(command, view);
  } else if (command.destination.size != 0) {
    step.addresses.push_back(command.kind == Command::Kind::Copy ? address_of(command.source) : 0);
    step.addresses.push_back(address_of(command.destination));
  }
}

bool Executable::Step::by_pointer() const {
  return command.kind == Command::Kind::Dispatch && static_cast<const Module&>(*command.module).values_by_pointer();
}

bool Executable::Step::same_parameters(const Step& other) const {
  return addresses == other.addresses && bindings == other.bindings && (by_pointer() || values == other.values) &&
         std::memcmp(&boxes, &other.boxes, sizeof(boxes)) == 0 && command.workgroups == other.command.workgroups &&
         command.pattern == other.command.pattern && command.destination.size == other.command.destination.size;
}

// The parameters of one of `steps_`, in an instance with this block.
CUDA_KERNEL_NODE_PARAMS Executable::kernel_parameters(const Step& step, CUdeviceptr block) {
  const auto& module = static_cast<const Module&>(*step.command.module);
  CUDA_KERNEL_NODE_PARAMS parameters{};
  parameters.func = module.function();
  parameters.gridDimX = step.command.workgroups[0];
  parameters.gridDimY = step.command.workgroups[1];
  parameters.gridDimZ = step.command.workgroups[2];
  parameters.blockDimX = module.block()[0];
  parameters.blockDimY = module.block()[1];
  parameters.blockDimZ = module.block()[2];
  parameters.sharedMemBytes = module.dynamic_shared_size();
  parameters.kernelParams = arguments_.fill(module, step.bindings, step.values, block + block_offset_[number_of(step)]);
  return parameters;
}

namespace {

CUDA_MEMSET_NODE_PARAMS fill_parameters(const Command& command, CUdeviceptr to) {
  CUDA_MEMSET_NODE_PARAMS parameters{};
  parameters.dst = to;
  parameters.value = command.pattern;
  parameters.elementSize = 4;
  parameters.width = command.destination.size / 4;
  parameters.height = 1;
  return parameters;
}

CUDA_MEMCPY3D copy_parameters(CUdeviceptr from, CUdeviceptr to, uint64_t size) {
  CUDA_MEMCPY3D parameters{};
  parameters.src.memoryType = parameters.dst.memoryType = CU_MEMORYTYPE_UNIFIED;
  parameters.src.device = from;
  parameters.dst.device = to;
  parameters.src.pitch = parameters.dst.pitch = parameters.WidthInBytes = size;
  parameters.Height = parameters.Depth = 1;
  return parameters;
}

std::string kernel_text(const Command& command) {
  const auto& module = static_cast<const Module&>(*command.module);
  return fmt::format("kernel \"{}\" in workgroups of {}, {} x {} x {} workgroups", module.label(),
                     module.block()[0] * module.block()[1] * module.block()[2], command.workgroups[0],
                     command.workgroups[1], command.workgroups[2]);
}

}  // namespace

void Executable::add(Step& step, const std::vector<CUgraphNode>& after) {
  const Driver& cu = gpu_->cu;
  const Command& command = step.command;
  CUgraphNode node = nullptr;
  switch (command.kind) {
    case Command::Kind::Dispatch: {
      const auto parameters = kernel_parameters(step, 0);
      gpu_->check(cu.cuGraphAddKernelNode(&node, graph_, after.data(), after.size(), &parameters),
                  "cuGraphAddKernelNode", "{}", kernel_text(command));
      break;
    }
    case Command::Kind::Copy:
      return add_copy(step, after);
    case Command::Kind::CopyToImage:
    case Command::Kind::CopyFromImage:
    case Command::Kind::CopyImage:
      gpu_->check(cu.cuGraphAddMemcpyNode(&node, graph_, after.data(), after.size(), &step.boxes, gpu_->context()),
                  "cuGraphAddMemcpyNode", "{}", box_text(step.boxes));
      break;
    case Command::Kind::Fill: {
      const auto parameters = fill_parameters(command, step.addresses[1]);
      gpu_->check(cu.cuGraphAddMemsetNode(&node, graph_, after.data(), after.size(), &parameters, gpu_->context()),
                  "cuGraphAddMemsetNode", "{} bytes", command.destination.size);
      break;
    }
  }
  step.nodes.push_back(node);
}

// A row of a copy is its pitch too, which is below 2 GiB; so a large copy is a chain.
template <class F>
void Executable::each_part(uint64_t size, F&& one) const {
  const uint64_t most = gpu_->overrides.copy_node_size;
  for (uint64_t done = 0; done < size; done += most) one(done, std::min(size - done, most));
}

void Executable::add_copy(Step& step, const std::vector<CUgraphNode>& after) {
  const uint64_t size = step.command.destination.size;
  each_part(size, [&](uint64_t done, uint64_t part) {
    const auto parameters = copy_parameters(step.addresses[0] + done, step.addresses[1] + done, part);
    const CUgraphNode* before = done == 0 ? after.data() : &step.nodes.back();
    CUgraphNode node = nullptr;
    gpu_->check(gpu_->cu.cuGraphAddMemcpyNode(&node, graph_, before, done == 0 ? after.size() : 1, &parameters,
                                              gpu_->context()),
                "cuGraphAddMemcpyNode", "{} bytes at {} of {}", part, done, size);
    step.nodes.push_back(node);
  });
}

// ---- Another list of the same shape

bool Executable::same_shape(const Step& now, const Step& then) {
  const Command &a = now.command, &b = then.command;
  if (a.kind != b.kind || a.edge_count != b.edge_count || does_something(a) != does_something(b)) return false;
  if (a.kind == Command::Kind::Dispatch) return a.module == b.module;
  if (is_of_boxes(a)) return true;
  return a.kind == Command::Kind::Fill || a.destination.size == b.destination.size;
}

bool Executable::update(const backends::CommandList& list) {
  gpu_->require_alive();
  const CommandView view{list.commands, list.ranges, list.values, list.images, list.boxes};
  check_commands(view);
  const std::lock_guard lock(mutex_);
  if (view.commands.size() != steps_.size() || list.edges != edges_) return false;
  const Current current(*gpu_);
  std::vector<Step> steps(steps_.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    describe(view.commands[i], view, steps[i]);
    if (!same_shape(steps_[i], steps[i])) return false;
  }
  for (size_t i = 0; i < steps.size(); ++i) set(steps_[i], steps[i]);
  return true;
}

bool Executable::patch(const backends::CommandList& list, std::span<const uint32_t> commands) {
  gpu_->require_alive();
  const CommandView view{list.commands, list.ranges, list.values, list.images, list.boxes};
  const std::lock_guard lock(mutex_);
  const Current current(*gpu_);
  for (const uint32_t i : commands) {
    describe(list.commands[i], view, next_);
    set(steps_[i], next_);
  }
  return true;
}

// A step becomes another of its shape, which is left with what it was.
void Executable::set(Step& step, Step& now) {
  const bool same = step.nodes.empty() || step.same_parameters(now);
  if (timed_) untold_.insert(number_of(step));
  if (step.by_pointer() && step.values != now.values)
    for (auto& [stream, instance] : instances_) instance.stale.insert(number_of(step));
  now.nodes = step.nodes;
  now.in_graph = step.in_graph && same;
  std::swap(step, now);
  if (same) return;
  for (auto& [stream, instance] : instances_) {
    // A driver takes no other parameters for a copy of more than one dimension, nor memory of another kind, such as the program's
    // own instead of the device's; the next launch has an instance made.
    if (instance.handle != nullptr && !instance.outdated)
      instance.outdated = is_of_boxes(step.command) || !set_in(instance, step);
  }
}

bool Executable::set_in(const Instance& of, const Step& step) {
  const CUgraphExec instance = of.handle;
  const Driver& cu = gpu_->cu;
  CUresult result = CUDA_SUCCESS;
  const Command& command = step.command;
  switch (command.kind) {
    case Command::Kind::Dispatch: {
      const auto parameters = kernel_parameters(step, of.block);
      gpu_->check(cu.cuGraphExecKernelNodeSetParams(instance, step.nodes[0], &parameters),
                  "cuGraphExecKernelNodeSetParams", "{}", kernel_text(command));
      break;
    }
    case Command::Kind::Copy: {
      size_t number = 0;
      each_part(command.destination.size, [&](uint64_t done, uint64_t part) {
        const auto parameters = copy_parameters(step.addresses[0] + done, step.addresses[1] + done, part);
        if (result == CUDA_ERROR_INVALID_VALUE) return;
        result = cu.cuGraphExecMemcpyNodeSetParams(instance, step.nodes[number++], &parameters, gpu_->context());
        if (result != CUDA_ERROR_INVALID_VALUE) gpu_->check(result, "cuGraphExecMemcpyNodeSetParams", "{} bytes", part);
      });
      break;
    }
    case Command::Kind::CopyToImage:
    case Command::Kind::CopyFromImage:
    case Command::Kind::CopyImage:
      break;  // set() has another instance made
    case Command::Kind::Fill: {
      const auto parameters = fill_parameters(command, step.addresses[1]);
      result = cu.cuGraphExecMemsetNodeSetParams(instance, step.nodes[0], &parameters, gpu_->context());
      if (result != CUDA_ERROR_INVALID_VALUE)
        gpu_->check(result, "cuGraphExecMemsetNodeSetParams", "{} bytes", command.destination.size);
      break;
    }
  }
  return result == CUDA_SUCCESS;
}

// In the graph, of which the next queue gets its instance.
void Executable::set_in_graph(Step& step, CUdeviceptr block) {
  const Driver& cu = gpu_->cu;
  const Command& command = step.command;
  switch (command.kind) {
    case Command::Kind::Dispatch: {
      const auto parameters = kernel_parameters(step, block);
      gpu_->check(cu.cuGraphKernelNodeSetParams(step.nodes[0], &parameters), "cuGraphKernelNodeSetParams", "{}",
                  kernel_text(command));
      break;
    }
    case Command::Kind::Copy: {
      size_t number = 0;
      each_part(command.destination.size, [&](uint64_t done, uint64_t part) {
        const auto parameters = copy_parameters(step.addresses[0] + done, step.addresses[1] + done, part);
        gpu_->check(cu.cuGraphMemcpyNodeSetParams(step.nodes[number++], &parameters), "cuGraphMemcpyNodeSetParams",
                    "{} bytes", part);
      });
      break;
    }
    case Command::Kind::CopyToImage:
    case Command::Kind::CopyFromImage:
    case Command::Kind::CopyImage:
      gpu_->check(cu.cuGraphMemcpyNodeSetParams(step.nodes[0], &step.boxes), "cuGraphMemcpyNodeSetParams", "{}",
                  box_text(step.boxes));
      break;
    case Command::Kind::Fill: {
      const auto parameters = fill_parameters(command, step.addresses[1]);
      gpu_->check(cu.cuGraphMemsetNodeSetParams(step.nodes[0], &parameters), "cuGraphMemsetNodeSetParams", "{} bytes",
                  command.destination.size);
      break;
    }
  }
  step.in_graph = true;
}

CUgraphExec Executable::instance(CUstream stream, CUstream target, bool captured) {
  if (nodes_ == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  Instance& instance = instances_[stream];
  const CUstream first = captured ? nullptr : target;
  if (instance.handle == nullptr || instance.outdated ||
      (instance.narrow && !is_busy(first) && gpu_->streams().are_idle(stream)))
    instantiate(instance, stream, first);
  if (!instance.stale.empty()) send_values(instance, target);
  return instance.handle;
}

void Executable::instantiate(Instance& instance, CUstream stream, CUstream first) {
  if (block_size_ != 0 && instance.block == 0) {
    for (const Step& step : steps_)
      if (step.by_pointer() && !step.nodes.empty()) instance.stale.insert(number_of(step));
    // In the stream that uses it first: memory for every stream is waited for, behind whatever the device works on. A stream
    // that is captured would allocate in the program's graph.
    const char* const what = clock_ ? " for the times of a graph" : " for the values of a graph";
    const Allocator& allocator = gpu_->allocator();
    instance.block =
        first != nullptr ? allocator.allocate(block_size_, first, what) : allocator.allocate(block_size_, what);
  }
  for (Step& step : steps_)
    if (!step.nodes.empty() && (step.by_pointer() || !step.in_graph)) set_in_graph(step, instance.block);
  set_stamps_in_graph(instance.block);
  CUgraphExec made = make_instance(stream, first, instance.narrow);
  // The driver frees one that runs when it has ended.
  if (instance.handle != nullptr) gpu_->cu.cuGraphExecDestroy(instance.handle);
  instance.handle = made;
  instance.outdated = false;
  // Then the first launch costs as much as every other.
  gpu_->check(gpu_->cu.cuGraphUpload(made, stream), "cuGraphUpload", "a graph of {} nodes", nodes_);
}

// The driver makes streams of its own for a graph's branches. For many it waits for all work of the context, and keeps every other
// call waiting meanwhile; then a submission would wait for kernels. So while there is work, an instance has few branches.
CUgraphExec Executable::make_instance(CUstream stream, CUstream first, bool& narrow) {
  CUgraphExec made = nullptr;
  CUresult result = CUDA_SUCCESS;
  const auto make = [&] { result = gpu_->cu.cuGraphInstantiate(&made, graph_, 0); };
  bool made_narrow = false;
  set_narrow(false);
  if (narrowing_.from.empty()) {
    make();
  } else if (is_busy(first) || !gpu_->streams().call_if_idle(stream, make)) {
    set_narrow(true);
    made_narrow = true;
    make();
  }
  gpu_->check(result, "cuGraphInstantiate", "a graph of {} nodes", nodes_);
  narrow = made_narrow;
  return made;
}

bool Executable::is_busy(CUstream stream) const {
  return stream != nullptr && gpu_->cu.cuStreamQuery(stream) == CUDA_ERROR_NOT_READY;
}

void Executable::set_narrow(bool narrow) {
  if (narrow == narrowing_.in_graph) return;
  const auto& [from, to, in_graph] = narrowing_;
  if (narrow)
    gpu_->check(gpu_->cu.cuGraphAddDependencies(graph_, from.data(), to.data(), from.size()), "cuGraphAddDependencies",
                "{} edges", from.size());
  else
    gpu_->check(gpu_->cu.cuGraphRemoveDependencies(graph_, from.data(), to.data(), from.size()),
                "cuGraphRemoveDependencies", "{} edges", from.size());
  narrowing_.in_graph = narrow;
}

// Earlier launches of the instance have read their values when the copies begin, and the driver has taken bytes from pageable
// memory when a call returns.
void Executable::send_values(Instance& instance, CUstream stream) {
  for (const size_t number : instance.stale) {
    const Step& step = steps_[number];
    gpu_->check(gpu_->cu.cuMemcpyHtoDAsync(instance.block + block_offset_[number], step.values.data(),
                                           step.values.size(), stream),
                "cuMemcpyHtoDAsync", "{} bytes of values of kernel \"{}\"", step.values.size(),
                static_cast<const Module&>(*step.command.module).label());
  }
  instance.stale.clear();
}

// ---- The timed form

Executable::Executable(const Executable& plain, std::shared_ptr<DeviceClock> clock)
    : Executable(plain.gpu_, plain.steps_.size()) {
  clock_ = std::move(clock);
  steps_ = plain.steps_;
  block_offset_ = plain.block_offset_;
  stamps_offset_ = plain.block_size_;
  block_size_ = stamps_offset_ + (steps_.size() + 1) * kStampSize;
  const Current current(*gpu_);
  add_stamp({});
  for (Step& step : steps_) {
    const bool runs = !step.nodes.empty();
    step.nodes.clear();
    step.in_graph = true;
    if (runs) add(step, {stamps_.back()});
    add_stamp({runs ? step.nodes.back() : stamps_.back()});
    nodes_ += runs ? 1 : 0;
  }
}

void Executable::add_stamp(const std::vector<CUgraphNode>& after) {
  const Stamp stamp(clock_->kernel(), 0);
  CUgraphNode node = nullptr;
  gpu_->check(gpu_->cu.cuGraphAddKernelNode(&node, graph_, after.data(), after.size(), &stamp.parameters()),
              "cuGraphAddKernelNode", "stamp {} of {} commands", stamps_.size(), steps_.size());
  stamps_.push_back(node);
  ++nodes_;
}

void Executable::set_stamps_in_graph(CUdeviceptr block) {
  for (size_t i = 0; i < stamps_.size(); ++i) {
    const Stamp stamp(clock_->kernel(), block + stamps_offset_ + i * kStampSize);
    gpu_->check(gpu_->cu.cuGraphKernelNodeSetParams(stamps_[i], &stamp.parameters()), "cuGraphKernelNodeSetParams",
                "stamp {} of {} commands", i, steps_.size());
  }
}

Executable::Timed Executable::timed_instance(CUstream stream, CUstream target,
                                             const std::shared_ptr<DeviceClock>& clock) {
  const std::lock_guard lock(mutex_);
  if (!timed_) timed_.reset(new Executable(*this, clock));
  change_timed();
  CUgraphExec made = timed_->instance(stream, target, false);
  return {made, timed_->instances_[stream].block + timed_->stamps_offset_, timed_->stamps_.size()};
}

// The plain form may change many times between two timed launches.
void Executable::change_timed() {
  try {
    for (const size_t number : untold_) {
      next_ = steps_[number];
      timed_->set(timed_->steps_[number], next_);
    }
  } catch (...) {
    for (auto& [stream, instance] : timed_->instances_) instance.outdated = true;
    throw;
  }
  untold_.clear();
}

}  // namespace vd::cuda
