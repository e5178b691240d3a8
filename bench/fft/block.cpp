#define VD_UNSTABLE  // vd_fft_block
#include "block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <stdexcept>

#include "ours.h"

namespace bench {
namespace {

class Kernel {
 public:
  Kernel(const vd_fft_block_desc& desc, bool convolves) {
    vd_builder_desc builder = VD_BUILDER_DESC_INIT;
    builder.name = "block";
    builder.flags = VD_BUILDER_NO_EXEC_BOUNDS;
    require(vd_builder_create(&builder, &builder_), "vd_builder_create");
    const vd_value data = argument("data"), factors = convolves ? argument("factors") : 0;
    require(vd_fft_block_create(builder_, &desc, &block_), "vd_fft_block_create");
    each(VD_FFT_ACCESS_READ, [&](const vd_fft_block_element& e) { store(e.value, at(data, e.index)); });
    require(vd_fft_block_execute(block_, VD_FFT_DIRECTION_FORWARD), "vd_fft_block_execute");
    double scale = 1 / std::sqrt(static_cast<double>(desc.size));
    if (convolves) {
      each(VD_FFT_ACCESS_READ, [&](const vd_fft_block_element& e) {
        store(e.value, emit(VD_OP_MUL, {e.value, at(factors, e.index)}));
      });
      require(vd_fft_block_execute(block_, VD_FFT_DIRECTION_INVERSE), "vd_fft_block_execute");
      scale *= scale;
    }
    const uint64_t bits = std::bit_cast<uint32_t>(static_cast<float>(scale));
    const vd_value factor = emit(VD_OP_CONST, {}, VD_TYPE_F32, bits);
    each(VD_FFT_ACCESS_WRITE, [&](const vd_fft_block_element& e) {
      store(at(data, e.index), emit(VD_OP_MUL, {e.value, factor}));
    });
    require(vd_builder_finish(builder_, &kernel_), "vd_builder_finish");
  }
  ~Kernel() {
    vd_kernel_release(kernel_);
    vd_fft_block_release(block_);
    vd_builder_release(builder_);
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  const vd_kernel* get() const { return kernel_; }

 private:
  vd_value argument(const char* name) {
    vd_value value = 0;
    const vd_argument_desc desc = VD_ARGUMENT_DESC_OF(VD_ARGUMENT_BUFFER, VD_TYPE_COMPLEX_F32, name);
    require(vd_builder_argument(builder_, &desc, &value), "vd_builder_argument");
    return value;
  }
  vd_value emit(vd_op op, std::initializer_list<vd_value> operands, vd_type type = VD_TYPE_NONE, uint64_t bits = 0) {
    vd_value value = 0;
    require(
        vd_builder_emit(builder_, op, type, operands.begin(), static_cast<uint32_t>(operands.size()), bits, 0, &value),
        "vd_builder_emit");
    return value;
  }
  vd_value at(vd_value buffer, vd_value index) { return emit(VD_OP_INDEX, {buffer, index}); }
  void store(vd_value place, vd_value value) { emit(VD_OP_STORE, {place, value}); }
  void each(vd_fft_access access, const std::function<void(const vd_fft_block_element&)>& body) {
    vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
    for (;;) {
      require(vd_fft_block_next(block_, access, &element), "vd_fft_block_next");
      if (element.value == 0) return;
      body(element);
    }
  }

  vd_builder* builder_ = nullptr;
  vd_fft_block* block_ = nullptr;
  vd_kernel* kernel_ = nullptr;
};

}  // namespace

BlockPlan block_plan(vd_context* context, const Case& c) {
  if (c.kind != Kind::Lines && c.kind != Kind::Strided && (c.kind != Kind::Convolve || c.shared_kernel))
    throw std::runtime_error("a block has no such case");
  vd_device_info device = VD_DEVICE_INFO_INIT;
  require(vd_context_get_device(context, 0, &device), "vd_context_get_device");
  vd_fft_block_desc desc = VD_FFT_BLOCK_DESC_INIT;
  desc.size = c.n;
  desc.outer_count = c.count;
  desc.inner_count = c.kind == Kind::Strided ? c.inner() : 1;
  desc.device = &device;
  vd_fft_block_info info = VD_FFT_BLOCK_INFO_INIT;
  require(vd_fft_block_get_info(&desc, &info), "vd_fft_block_get_info");
  const Kernel kernel(desc, c.kind == Kind::Convolve);
  vd_plan_desc plan = VD_PLAN_DESC_INIT;
  plan.kernel = kernel.get();
  BlockPlan made;
  require(vd_plan_create(context, &plan, &made.plan), "vd_plan_create");
  std::copy(info.workgroups, info.workgroups + 3, made.workgroups);
  return made;
}

}  // namespace bench
