// The object behind vd_sampler: its descriptor, which the backends and the kernels of images in buffers read.
#pragma once

#include "core/object.h"
#include "runtime/context.h"

struct vd_sampler final : vd::Object {
 public:
  vd_sampler(vd_context& context, const vd_sampler_desc& desc)
      : context_(vd::Ref<vd_context>::retain(&context)), desc_(desc) {}

  vd_context& context() const { return *context_; }
  const vd_sampler_desc& desc() const { return desc_; }

 private:
  vd::Ref<vd_context> context_;
  const vd_sampler_desc desc_;
};
