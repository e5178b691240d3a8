// The object behind vd_sampler: its descriptor, which the backends and the kernels of images in buffers read.
#pragma once

#include <array>
#include <atomic>

#include "core/object.h"
#include "runtime/context.h"

struct vd_sampler final : vd::Object {
 public:
  vd_sampler(vd_context& context, const vd_sampler_desc& desc)
      : context_(vd::Ref<vd_context>::retain(&context)), desc_(desc) {}

  vd_context& context() const { return *context_; }
  const vd_sampler_desc& desc() const { return desc_; }
  // The sampler of a device of the context with images of its own; the device looks it up once.
  vd::backends::Sampler& on(uint32_t device) const {
    std::atomic<vd::backends::Sampler*>& own = own_.at(device);
    vd::backends::Sampler* found = own.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = &context_->device(device).sampler(desc_);
      own.store(found, std::memory_order_release);
    }
    return *found;
  }

 private:
  vd::Ref<vd_context> context_;
  const vd_sampler_desc desc_;
  mutable std::array<std::atomic<vd::backends::Sampler*>, VD_MAX_DEVICES> own_{};
};
