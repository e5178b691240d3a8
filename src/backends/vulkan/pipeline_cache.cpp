#include "backends/vulkan/pipeline_cache.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "core/hash.h"

namespace vd::vulkan {
namespace {

constexpr auto kSaveInterval = std::chrono::seconds(2);

// The driver checks vendor, device and UUID in the blob's header itself, but it would then begin with an empty cache;
// with them in the key, several devices and driver versions each keep theirs.
DiskCache::Key key_of(const Gpu& gpu) {
  const auto& p = gpu.physical.properties;
  Hasher hasher;
  hasher.add(std::string_view("Vulkan pipelines")).add(p.vendorID).add(p.deviceID).add(p.driverVersion);
  hasher.add(std::as_bytes(std::span(p.pipelineCacheUUID)));
  return hasher.finish();
}

}  // namespace

PipelineCache::PipelineCache(std::shared_ptr<const Gpu> gpu, DiskCache& disk)
    : gpu_(std::move(gpu)), disk_(disk), key_(key_of(*gpu_)) {
  const auto kept = disk_.load(key_);
  cache_ = make(kept ? kept->data() : nullptr, kept ? kept->size() : 0);
  gpu_->name(cache_.get(), VK_OBJECT_TYPE_PIPELINE_CACHE, "pipelines");
}

PipelineCache::~PipelineCache() {
  const std::lock_guard lock(mutex_);
  if (dirty_) save();
}

PipelineCacheHandle PipelineCache::make(const void* data, size_t size) const {
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = size;
  info.pInitialData = data;
  VkPipelineCache cache = VK_NULL_HANDLE;
  gpu_->check(gpu_->vk.vkCreatePipelineCache(gpu_->device(), &info, nullptr, &cache), "vkCreatePipelineCache",
              "{} bytes of initial data", size);
  return {gpu_, cache};
}

// To keep the cache takes longer than to find a pipeline in it, so what was found is not kept again.
VkResult PipelineCache::create(const VkComputePipelineCreateInfo& info, VkPipeline* out) {
  VkPipelineCreationFeedback whole{}, stage{};
  VkPipelineCreationFeedbackCreateInfo feedback{};
  feedback.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO;
  feedback.pPipelineCreationFeedback = &whole;
  feedback.pipelineStageCreationFeedbackCount = 1;
  feedback.pPipelineStageCreationFeedbacks = &stage;
  VkComputePipelineCreateInfo asking = info;
  if (gpu_->physical.tells_cache_hits) {
    feedback.pNext = info.pNext;
    asking.pNext = &feedback;
  }
  const VkResult made = gpu_->vk.vkCreateComputePipelines(gpu_->device(), cache_.get(), 1, &asking, nullptr, out);
  constexpr VkPipelineCreationFeedbackFlags kFound =
      VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT | VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  if (made == VK_SUCCESS && (whole.flags & kFound) != kFound) grown();
  return made;
}

void PipelineCache::grown() noexcept {
  const std::lock_guard lock(mutex_);
  dirty_ = true;
  const auto now = std::chrono::steady_clock::now();
  if (now - saved_ >= kSaveInterval) save();
}

// Pipelines that other processes stored meanwhile are merged in, so that no process undoes another's work. A failure
// costs time, not results.
void PipelineCache::save() noexcept {
  saved_ = std::chrono::steady_clock::now();
  dirty_ = false;
  if (!disk_.enabled() || gpu_->lost()) return;
  try {
    const auto& vk = gpu_->vk;
    if (const auto others = disk_.load(key_)) {
      const PipelineCacheHandle other = make(others->data(), others->size());
      const VkPipelineCache source = other.get();
      gpu_->check(vk.vkMergePipelineCaches(gpu_->device(), cache_.get(), 1, &source), "vkMergePipelineCaches",
                  "{} bytes from disk", others->size());
    }
    size_t size = 0;
    gpu_->check(vk.vkGetPipelineCacheData(gpu_->device(), cache_.get(), &size, nullptr), "vkGetPipelineCacheData",
                "its size");
    if (size <= sizeof(VkPipelineCacheHeaderVersionOne)) return;  // the driver keeps no pipelines here
    std::vector<std::byte> bytes(size);
    const VkResult got = vk.vkGetPipelineCacheData(gpu_->device(), cache_.get(), &size, bytes.data());
    gpu_->check(got, "vkGetPipelineCacheData", "{} bytes", size);
    bytes.resize(size);
    if (got == VK_SUCCESS) disk_.store(key_, bytes);  // VK_INCOMPLETE: another thread compiled in between
  } catch (...) {
    dirty_ = true;
  }
}

}  // namespace vd::vulkan
