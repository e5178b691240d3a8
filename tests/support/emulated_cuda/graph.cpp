// The emulated driver's graphs. Of the nodes that may run, the one added last runs first: a missing edge shows.
#include <algorithm>
#include <cstring>
#include <optional>
#include <queue>

#include "support/emulated_cuda/state.h"

using namespace vd::cuda;
using namespace vd::cuda::emulated;

namespace {

// For more a driver makes streams, and waits for the context's.
constexpr unsigned kMostBranches = 8;

CUresult add(CUgraphNode* out, CUgraph graph, const CUgraphNode* after, size_t count, std::function<void()> run,
             CUfunction function = nullptr) {
  auto node = std::make_unique<CUgraphNode_st>();
  for (size_t i = 0; i < count; ++i) {
    if (!graph->known.contains(after[i])) return CUDA_ERROR_INVALID_VALUE;
    node->after.push_back(after[i]);
  }
  node->run = std::move(run);
  node->function = function;
  *out = node.get();
  graph->known.insert(node.get());
  graph->nodes.push_back(std::move(node));
  return CUDA_SUCCESS;
}

CUresult kernel_task(const CUDA_KERNEL_NODE_PARAMS& p, std::function<void()>& task) {
  auto launch = std::make_shared<Launch>();
  const unsigned grid[3] = {p.gridDimX, p.gridDimY, p.gridDimZ}, block[3] = {p.blockDimX, p.blockDimY, p.blockDimZ};
  const CUresult result = check_launch(p.func, grid, block, p.sharedMemBytes, p.kernelParams, *launch);
  task = [launch] { run_launch(*launch); };
  return result;
}

CUresult fill_task(const CUDA_MEMSET_NODE_PARAMS& p, std::function<void()>& task) {
  if (p.elementSize != 4 || p.height != 1 || !is_memory(p.dst, p.width * 4)) return CUDA_ERROR_INVALID_VALUE;
  task = [to = p.dst, value = p.value, width = p.width] {
    for (size_t i = 0; i < width; ++i) reinterpret_cast<unsigned*>(to)[i] = value;
  };
  return CUDA_SUCCESS;
}

Operands operands_of(const CUDA_MEMCPY3D& p) { return {is_registered(p.src.device), is_registered(p.dst.device)}; }
Operands operands_of(const CUDA_MEMSET_NODE_PARAMS& p) { return {false, is_registered(p.dst)}; }

// An instance's node; null if it is not of that graph.
CUgraphExec_st::Node* node_of(CUgraphExec exec, CUgraphNode node) {
  const auto found = exec->index.find(node);
  return found == exec->index.end() ? nullptr : &exec->nodes[found->second];
}

void run_graph(const std::vector<CUgraphExec_st::Node>& nodes, const CUctx_st& context) {
  std::vector<size_t> waits(nodes.size());
  std::vector<std::vector<size_t>> then(nodes.size());
  std::priority_queue<size_t> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    waits[i] = nodes[i].after.size();
    for (const size_t before : nodes[i].after) then[before].push_back(i);
    if (waits[i] == 0) ready.push(i);
  }
  while (!ready.empty() && !context.ends()) {
    const size_t next = ready.top();
    ready.pop();
    nodes[next].run();
    for (const size_t later : then[next])
      if (--waits[later] == 0) ready.push(later);
  }
}

}  // namespace

VD_ENTRY(cuGraphCreate, CUgraph* graph, unsigned) {
  VD_BEGIN_ANYWHERE(cuGraphCreate);
  *graph = new CUgraph_st{};
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuGraphDestroy, CUgraph graph) {
  VD_BEGIN_ANYWHERE(cuGraphDestroy);
  delete graph;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuGraphAddKernelNode_v2, CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
         const CUDA_KERNEL_NODE_PARAMS* parameters) {
  VD_BEGIN(cuGraphAddKernelNode_v2);
  std::function<void()> task;
  if (const CUresult result = kernel_task(*parameters, task); result != CUDA_SUCCESS) return result;
  return add(node, graph, after, count, std::move(task), parameters->func);
}
VD_ENTRY(cuGraphAddMemcpyNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
         const CUDA_MEMCPY3D* parameters, CUcontext) {
  VD_BEGIN(cuGraphAddMemcpyNode);
  std::function<void()> task;
  if (const CUresult result = copy_task(*parameters, task); result != CUDA_SUCCESS) return result;
  const CUresult result = add(node, graph, after, count, std::move(task));
  if (result == CUDA_SUCCESS) (*node)->operands = operands_of(*parameters);
  return result;
}
VD_ENTRY(cuGraphAddMemsetNode, CUgraphNode* node, CUgraph graph, const CUgraphNode* after, size_t count,
         const CUDA_MEMSET_NODE_PARAMS* parameters, CUcontext) {
  VD_BEGIN(cuGraphAddMemsetNode);
  std::function<void()> task;
  if (const CUresult result = fill_task(*parameters, task); result != CUDA_SUCCESS) return result;
  const CUresult result = add(node, graph, after, count, std::move(task));
  if (result == CUDA_SUCCESS) (*node)->operands = operands_of(*parameters);
  return result;
}
VD_ENTRY(cuGraphKernelNodeSetParams_v2, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  VD_BEGIN(cuGraphKernelNodeSetParams_v2);
  return kernel_task(*parameters, node->run);
}
VD_ENTRY(cuGraphMemcpyNodeSetParams, CUgraphNode node, const CUDA_MEMCPY3D* parameters) {
  VD_BEGIN(cuGraphMemcpyNodeSetParams);
  node->operands = operands_of(*parameters);
  return copy_task(*parameters, node->run);
}
VD_ENTRY(cuGraphMemsetNodeSetParams, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters) {
  VD_BEGIN(cuGraphMemsetNodeSetParams);
  node->operands = operands_of(*parameters);
  return fill_task(*parameters, node->run);
}
VD_ENTRY(cuGraphAddDependencies, CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  VD_BEGIN(cuGraphAddDependencies);
  for (size_t i = 0; i < count; ++i) {
    if (!graph->known.contains(from[i]) || !graph->known.contains(to[i])) return CUDA_ERROR_INVALID_VALUE;
    if (std::ranges::count(to[i]->after, from[i]) != 0) return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuGraphRemoveDependencies, CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  VD_BEGIN(cuGraphRemoveDependencies);
  for (size_t i = 0; i < count; ++i) {
    if (!graph->known.contains(to[i]) || std::ranges::count(to[i]->after, from[i]) == 0)
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; ++i) std::erase(to[i]->after, from[i]);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuGraphInstantiateWithFlags, CUgraphExec* exec, CUgraph graph, unsigned long long) {
  VD_BEGIN(cuGraphInstantiateWithFlags);
  auto* made = new CUgraphExec_st{};
  std::vector<unsigned> levels, widths;  // of each node; how many nodes each level has
  for (const auto& node : graph->nodes) {
    made->index[node.get()] = made->nodes.size();
    made->nodes.push_back({node->run, {}, node->operands});
    unsigned level = 0;
    for (CUgraphNode before : node->after) {
      made->nodes.back().after.push_back(made->index.at(before));
      level = std::max(level, levels[made->index.at(before)] + 1);
    }
    levels.push_back(level);
    widths.resize(std::max<size_t>(widths.size(), level + 1));
    ++widths[level];
  }
  std::optional<Exclusive> alone;
  if (!widths.empty() && *std::ranges::max_element(widths) > kMostBranches) alone.emplace();
  *exec = made;
  live(1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuGraphExecDestroy, CUgraphExec exec) {
  VD_BEGIN_ANYWHERE(cuGraphExecDestroy);
  delete exec;
  live(-1);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuGraphExecKernelNodeSetParams_v2, CUgraphExec exec, CUgraphNode node,
         const CUDA_KERNEL_NODE_PARAMS* parameters) {
  VD_BEGIN(cuGraphExecKernelNodeSetParams_v2);
  auto* found = node_of(exec, node);
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : kernel_task(*parameters, found->run);
}
VD_ENTRY(cuGraphExecMemcpyNodeSetParams, CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* parameters,
         CUcontext) {
  VD_BEGIN(cuGraphExecMemcpyNodeSetParams);
  // An instance takes other copies of one dimension only, and in memory of the same kind.
  if (parameters->Height != 1 || parameters->Depth != 1 || parameters->src.memoryType == CU_MEMORYTYPE_ARRAY ||
      parameters->dst.memoryType == CU_MEMORYTYPE_ARRAY)
    return CUDA_ERROR_INVALID_VALUE;
  auto* found = node_of(exec, node);
  if (found == nullptr || found->operands != operands_of(*parameters)) return CUDA_ERROR_INVALID_VALUE;
  return copy_task(*parameters, found->run);
}
VD_ENTRY(cuGraphExecMemsetNodeSetParams, CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* parameters,
         CUcontext) {
  VD_BEGIN(cuGraphExecMemsetNodeSetParams);
  auto* found = node_of(exec, node);
  if (found == nullptr || found->operands != operands_of(*parameters)) return CUDA_ERROR_INVALID_VALUE;
  return fill_task(*parameters, found->run);
}
VD_ENTRY(cuGraphUpload, CUgraphExec, CUstream) {
  VD_BEGIN(cuGraphUpload);
  return CUDA_SUCCESS;
}
VD_ENTRY(cuGraphLaunch, CUgraphExec exec, CUstream handle) {
  VD_BEGIN(cuGraphLaunch);
  CUstream stream = resolve(handle);
  if (stream->captures() && stream->capture->aborted) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream->captures()) {
    stream->capture->aborted = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  // A launch runs the graph as it is now, whatever is set later; an instance runs one launch at a time.
  stream->push([nodes = exec->nodes, running = exec->running, context = stream->context] {
    const std::lock_guard lock(*running);
    run_graph(nodes, *context);
  });
  return CUDA_SUCCESS;
}
