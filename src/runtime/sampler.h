// The object behind vd_sampler: its descriptor, which the backends and the kernels of images in buffers read.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "core/object.h"
#include "runtime/context.h"

namespace vd::runtime {

// The highest level of detail, and that of samples without a level.
float highest_level(const vd_sampler_desc& how);
float plain_level(const vd_sampler_desc& how);

}  // namespace vd::runtime

struct vd_sampler final : vd::Object {
 public:
  vd_sampler(vd_context& context, const vd_sampler_desc& desc)
      : context_(vd::Ref<vd_context>::retain(&context)), desc_(desc) {}
  vd_context& context() const { return *context_; }
  const vd_sampler_desc& desc() const { return desc_; }
  // The sampler of a device of the context with images of its own, which makes it once.
  vd::backends::Sampler& on(uint32_t device) const {
    vd::backends::Sampler* found = own_.at(device).ready.load(std::memory_order_acquire);
    return found != nullptr ? *found : make(device);
  }
  // Whether samples without a level find theirs: it may not be 0, or a unit has to choose between filters.
  bool finds_level() const { return vd::runtime::plain_level(desc_) > 0 || desc_.mag_filter != desc_.min_filter; }
  // This one for kernels that find the level of detail themselves: without a bias and bounds, and with one filter, the
  // linear one if it has both.
  const vd_sampler& without_levels() const;

 private:
  // The devices' samplers go when the work that was submitted so far is done.
  ~vd_sampler() override;
  vd::backends::Sampler& make(uint32_t device) const;

  struct Own {
    std::atomic<vd::backends::Sampler*> ready{nullptr};
    std::shared_ptr<vd::backends::Sampler> kept;
    vd::runtime::LastUse last_use;  // filled at the end, which cannot fail
  };
  vd::Ref<vd_context> context_;
  const vd_sampler_desc desc_;
  mutable std::mutex mutex_;  // while one is made
  mutable std::array<Own, VD_MAX_DEVICES> own_;
  mutable std::atomic<vd_sampler*> without_levels_ready_{nullptr};
  mutable vd::Ref<vd_sampler> without_levels_;
};
