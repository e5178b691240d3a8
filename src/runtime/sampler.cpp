#include "runtime/sampler.h"

#include <algorithm>
#include <utility>

#include "ir/image_block.h"
#include "runtime/memory.h"

using namespace vd;

float runtime::highest_level(const vd_sampler_desc& how) {
  return how.max_lod == 0 ? static_cast<float>(ir::kMaxImageLevels) : std::max(how.max_lod, 0.0f);
}

float runtime::plain_level(const vd_sampler_desc& how) {
  return std::min(std::max(how.mip_lod_bias, how.min_lod), highest_level(how));
}

backends::Sampler& vd_sampler::make(uint32_t device) const {
  const std::lock_guard lock(mutex_);
  Own& own = own_.at(device);
  if (own.kept == nullptr) {
    own.last_use.resize(context_->queue_count());
    auto made = context_->device(device).make_sampler(desc_);
    context_->retired().expect();
    own.kept = std::move(made);
    own.ready.store(own.kept.get(), std::memory_order_release);
  }
  return *own.kept;
}

const vd_sampler& vd_sampler::without_levels() const {
  const bool bounded = desc_.mip_lod_bias != 0 || desc_.min_lod != 0 || desc_.max_lod != 0;
  if (!bounded && desc_.mag_filter == desc_.min_filter) return *this;
  if (const vd_sampler* found = without_levels_ready_.load(std::memory_order_acquire)) return *found;
  const std::lock_guard lock(mutex_);
  if (!without_levels_) {
    vd_sampler_desc desc = desc_;
    desc.mip_lod_bias = desc.min_lod = desc.max_lod = 0;
    if (desc.mag_filter != desc.min_filter) desc.mag_filter = desc.min_filter = VD_FILTER_LINEAR;
    without_levels_ = make_ref<vd_sampler>(*context_, desc);
    without_levels_ready_.store(without_levels_.get(), std::memory_order_release);
  }
  return *without_levels_;
}

vd_sampler::~vd_sampler() {
  for (Own& own : own_) {
    if (own.kept == nullptr) continue;
    // Work that uses it was given to its queue before its last user let go.
    for (uint32_t q = 0; q < own.last_use.size(); ++q)
      own.last_use[q] = context_->queue(q).last_value.load(std::memory_order_acquire);
    runtime::Retired retired;
    retired.last_use = std::move(own.last_use);
    retired.sampler = std::move(own.kept);
    context_->retired().add(std::move(retired));
  }
  context_->retired().collect();
}
