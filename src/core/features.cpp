#include "core/features.h"

#include <fmt/format.h>

#include <array>

namespace vd {
namespace {

struct FeatureName {
  vd_features bit;
  const char* name;
};

constexpr std::array<FeatureName, 30> kNames{{
    {VD_FEATURE_F64, "64-bit floats"},
    {VD_FEATURE_F16, "16-bit floats"},
    {VD_FEATURE_I64, "64-bit integers"},
    {VD_FEATURE_I16, "16-bit integers"},
    {VD_FEATURE_I8, "8-bit integers"},
    {VD_FEATURE_STORAGE_16, "16-bit elements in buffers"},
    {VD_FEATURE_UNIFORM_16, "16-bit values"},
    {VD_FEATURE_PUSH_CONSTANT_16, "16-bit push constants"},
    {VD_FEATURE_INPUT_OUTPUT_16, "16-bit inputs and outputs"},
    {VD_FEATURE_STORAGE_8, "8-bit elements in buffers"},
    {VD_FEATURE_F32_ATOMICS, "f32 atomics"},
    {VD_FEATURE_F32_ATOMIC_ADD, "f32 atomic add"},
    {VD_FEATURE_F64_ATOMIC_ADD, "f64 atomic add"},
    {VD_FEATURE_I64_ATOMICS, "64-bit atomics"},
    {VD_FEATURE_SUBGROUP_BASIC, "subgroups"},
    {VD_FEATURE_SUBGROUP_ARITHMETIC, "subgroup reductions"},
    {VD_FEATURE_SUBGROUP_SHUFFLE, "subgroup shuffles"},
    {VD_FEATURE_SUBGROUP_VOTE, "subgroup votes"},
    {VD_FEATURE_SCALAR_BLOCK_LAYOUT, "scalar block layout"},
    {VD_FEATURE_TIMELINE_SEMAPHORE, "timeline semaphores"},
    {VD_FEATURE_BUFFER_ADDRESS, "buffer addresses"},
    {VD_FEATURE_IMAGES, "images"},
    {VD_FEATURE_PRINTF, "printf"},
    {VD_FEATURE_ASYNC_COPY, "asynchronous copies"},
    {VD_FEATURE_CLUSTERS, "workgroup clusters"},
    {VD_FEATURE_UNIFIED_MEMORY, "unified memory"},
    {VD_FEATURE_TIMESTAMPS, "timestamps"},
    {VD_FEATURE_QUAD_ALL_STAGES, "quad operations"},
    {VD_FEATURE_MEMORY_FD, "memory by file descriptors"},
    {VD_FEATURE_SEMAPHORE_FD, "semaphores by file descriptors"},
}};

}  // namespace

std::string feature_names(vd_features features) {
  std::string names;
  const auto append = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (const auto& one : kNames) {
    if ((features & one.bit) != 0) append(one.name);
    features &= ~one.bit;
  }
  if (features != 0) append(fmt::format("unknown features ({:#x})", features));
  return names.empty() ? "nothing" : names;
}

}  // namespace vd
