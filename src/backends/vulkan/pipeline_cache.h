// The driver's cache of compiled pipelines, kept on disk from one process to the next.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

#include "backends/vulkan/gpu.h"
#include "core/disk_cache.h"

namespace vd::vulkan {

class PipelineCache {
 public:
  // `disk` outlives the cache.
  PipelineCache(std::shared_ptr<const Gpu> gpu, DiskCache& disk);
  PipelineCache(const PipelineCache&) = delete;
  PipelineCache& operator=(const PipelineCache&) = delete;
  ~PipelineCache();

  // A pipeline from the cache, or one that the driver compiles and that is kept soon. Drivers take long to compile, and
  // a process may end without a destructor.
  VkResult create(const VkComputePipelineCreateInfo& info, VkPipeline* out);

 private:
  PipelineCacheHandle make(const void* data, size_t size) const;
  void grown() noexcept;
  void save() noexcept;

  std::shared_ptr<const Gpu> gpu_;
  DiskCache& disk_;
  DiskCache::Key key_;
  PipelineCacheHandle cache_;
  std::mutex mutex_;  // of the members below
  bool dirty_ = false;
  std::chrono::steady_clock::time_point saved_{};
};

}  // namespace vd::vulkan
