#include "ours.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "block.h"

namespace bench {

void require(vd_status status, const char* what) {
  if (status == VD_OK) return;
  throw std::runtime_error(std::string(what) + ": " + vd_last_error());
}

void fill(vd_buffer* buffer, uint64_t bytes, std::span<const std::byte> block) {
  for (uint64_t at = 0; at < bytes; at += block.size()) {
    const uint64_t part = std::min<uint64_t>(block.size(), bytes - at);
    require(vd_buffer_write(buffer, at, block.data(), part, 0), "vd_buffer_write");
  }
}

void copy(vd_context* context, vd_buffer* from, vd_buffer* to, uint64_t bytes) {
  vd_graph* graph = nullptr;
  require(vd_graph_create(context, nullptr, &graph), "vd_graph_create");
  require(vd_graph_copy(graph, from, 0, to, 0, bytes, nullptr), "vd_graph_copy");
  vd_ticket ticket = 0;
  require(vd_graph_submit(graph, nullptr, &ticket), "vd_graph_submit");
  require(vd_ticket_wait(context, ticket, ~uint64_t{0}), "vd_ticket_wait");
  vd_graph_release(graph);
}

// A convolution whose kernel is a number: the caller's function multiplies by it.
static vd_plan* scaled_plan(vd_context* context, vd_fft_desc desc) {
  desc.flags |= VD_FFT_MAP_FILTER;
  vd_fft_gen* gen = nullptr;
  require(vd_fft_gen_create(context, &desc, &gen), "vd_fft_gen_create");
  vd_fft_element element = VD_FFT_ELEMENT_INIT;
  const uint64_t bits = std::bit_cast<uint32_t>(Case::kScale);
  for (vd_builder* builder = nullptr;; vd_builder_release(builder)) {
    require(vd_fft_gen_next(gen, &element, &builder), "vd_fft_gen_next");
    if (element.point == VD_FFT_POINT_DONE) break;
    if (element.point != VD_FFT_POINT_FILTER) continue;
    vd_value factor = 0, product = 0;
    require(vd_builder_emit(builder, VD_OP_CONST, VD_TYPE_F32, nullptr, 0, bits, 0, &factor), "vd_builder_emit");
    const vd_value factors[] = {element.value, factor};
    require(vd_builder_emit(builder, VD_OP_MUL, VD_TYPE_NONE, factors, 2, 0, 0, &product), "vd_builder_emit");
    const vd_value store[] = {element.value, product};
    require(vd_builder_emit(builder, VD_OP_STORE, VD_TYPE_NONE, store, 2, 0, 0, &product), "vd_builder_emit");
  }
  vd_plan* plan = nullptr;
  require(vd_fft_gen_finish(gen, &plan), "vd_fft_gen_finish");
  vd_fft_gen_release(gen);
  return plan;
}

static void launch(vd_plan* plan, vd_buffer* data) {
  const vd_binding binding = VD_BINDING_OF(data, 0, VD_WHOLE_SIZE);
  vd_launch_desc desc = VD_LAUNCH_DESC_INIT;
  desc.bindings = &binding;
  desc.binding_count = 1;
  require(vd_plan_launch(plan, &desc, nullptr), "vd_plan_launch");
}

void Work::add_filter_plans() {
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.rank = 1;
  desc.shape[0] = case_.n;
  desc.direction = VD_FFT_DIRECTION_INVERSE;
  for (vd_plan*& made : filter_plans_ = {nullptr, nullptr}) {
    require(vd_plan_create_fft(context_, &desc, &made), "vd_plan_create_fft");
    desc.direction = VD_FFT_DIRECTION_FORWARD;
    desc.spectrum = VD_FFT_SPECTRUM_ANY;
  }
}

vd_buffer* Work::ordered(vd_buffer* kernel) {
  if (filter_plans_.empty()) return kernel;
  if (filter_ != nullptr) return filter_;
  vd_buffer_desc desc = VD_BUFFER_DESC_INIT;
  desc.size = case_.n * 8;
  require(vd_buffer_create(context_, &desc, &filter_), "vd_buffer_create");
  copy(context_, kernel, filter_, desc.size);
  for (vd_plan* plan : filter_plans_) launch(plan, filter_);
  return filter_;
}

Work::Work(vd_context* context, const Case& c, const std::string& tune, bool vkfft) : context_(context), case_(c) {
  setenv("VKDISPATCH_FFT_TUNE", tune.c_str(), 1);
  const auto begin = std::chrono::steady_clock::now();
  const auto keep = [&](vd_plan* made, bool takes_kernel) {
    plans_.push_back(made);
    takes_kernel_.push_back(takes_kernel);
  };
  const auto add = [&](vd_fft_desc desc) {
    vd_plan* made = nullptr;
    if (vkfft)
      require(vd_plan_create_vkfft(context_, &desc, &made), "vd_plan_create_vkfft");
    else
      require(vd_plan_create_fft(context_, &desc, &made), "vd_plan_create_fft");
    keep(made, (desc.flags & VD_FFT_CONVOLVE) != 0);
  };
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  const bool plane =
      c.kind == Kind::Strided || c.kind == Kind::Plane || c.kind == Kind::ConvolvePlane || c.kind == Kind::RealPlane;
  desc.rank = c.kind == Kind::Cube ? 4 : plane ? 3 : 2;
  desc.shape[0] = c.count;
  desc.shape[1] = c.n;
  desc.shape[2] = c.kind == Kind::Strided ? c.inner() : c.n;
  desc.shape[3] = c.n;
  desc.norm = vkfft ? VD_FFT_NORM_NONE : VD_FFT_NORM_ORTHO;
  if (c.is_double()) desc.in_type = desc.out_type = VD_TYPE_COMPLEX_F64;
  try {
    if (c.block) {
      const BlockPlan made = block_plan(context_, c);
      std::copy(made.workgroups, made.workgroups + 3, workgroups_);
      keep(made.plan, c.kind == Kind::Convolve);
      build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      return;
    }
    switch (c.kind) {
      case Kind::Lines:
        add(desc);
        break;
      case Kind::ThereAndBack:
        desc.spectrum = c.any ? VD_FFT_SPECTRUM_ANY : VD_FFT_SPECTRUM_NATURAL;
        add(desc);
        desc.direction = VD_FFT_DIRECTION_INVERSE;
        add(desc);
        break;
      case Kind::Strided:
        desc.axis_count = 1;
        desc.axes[0] = 1;
        add(desc);
        break;
      case Kind::Plane:
        desc.axis_count = 2;
        desc.axes[0] = 2;
        desc.axes[1] = 1;
        add(desc);
        break;
      case Kind::Cube:
        desc.axis_count = 3;
        for (int32_t i = 0; i < 3; ++i) desc.axes[i] = 3 - i;
        add(desc);
        break;
      case Kind::Convolve:
        desc.flags = VD_FFT_CONVOLVE | (c.shared_kernel ? VD_FFT_SHARED_FILTER : 0);
        desc.norm = VD_FFT_NORM_INVERSE;
        if (c.any) {
          desc.spectrum = VD_FFT_SPECTRUM_ANY;
          add_filter_plans();
        }
        if (c.scaled)
          keep(scaled_plan(context_, desc), false);
        else
          add(desc);
        break;
      case Kind::ConvolvePlane: {
        desc.norm = VD_FFT_NORM_INVERSE;
        desc.axis_count = 1;
        desc.axes[0] = 2;
        if (c.traffic == 2) {  // one pass there and back
          desc.axis_count = 2;
          desc.axes[1] = 1;
          desc.flags = VD_FFT_CONVOLVE | VD_FFT_SHARED_FILTER;
          add(desc);
          break;
        }
        add(desc);
        vd_fft_desc middle = desc;
        middle.axes[0] = 1;
        middle.flags = VD_FFT_CONVOLVE | VD_FFT_SHARED_FILTER;
        add(middle);
        desc.direction = VD_FFT_DIRECTION_INVERSE;
        add(desc);
        break;
      }
      case Kind::Real:
        desc.kind = VD_FFT_KIND_R2C;
        add(desc);
        break;
      case Kind::RealThereAndBack:
        desc.kind = VD_FFT_KIND_R2C;
        add(desc);
        desc.kind = VD_FFT_KIND_C2R;
        add(desc);
        break;
      case Kind::RealPlane:
        desc.kind = VD_FFT_KIND_R2C;
        desc.axis_count = 2;
        desc.axes[0] = 2;
        desc.axes[1] = 1;
        add(desc);
        break;
    }
  } catch (...) {
    release();
    throw;
  }
  build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Work::~Work() { release(); }

void Work::release() {
  vd_graph_release(graph_);
  for (vd_plan* p : plans_) vd_plan_release(p);
  for (vd_plan* p : filter_plans_) vd_plan_release(p);
  vd_buffer_release(filter_);
}

void Work::record(vd_buffer* data, vd_buffer* kernel, int turns) {
  kernel = ordered(kernel);
  vd_graph_release(graph_);
  graph_ = nullptr;
  require(vd_graph_create(context_, nullptr, &graph_), "vd_graph_create");
  for (int i = 0; i < turns; ++i) {
    for (size_t p = 0; p < plans_.size(); ++p) {
      const vd_binding bindings[] = {VD_BINDING_OF(data, 0, VD_WHOLE_SIZE), VD_BINDING_OF(kernel, 0, VD_WHOLE_SIZE)};
      vd_launch_desc launch = VD_LAUNCH_DESC_INIT;
      std::copy(workgroups_, workgroups_ + 3, launch.workgroups);
      launch.bindings = bindings;
      launch.binding_count = takes_kernel_[p] ? 2 : 1;
      require(vd_graph_launch(graph_, plans_[p], &launch, nullptr), "vd_graph_launch");
    }
  }
}

void Work::submit() const {
  vd_ticket ticket = 0;
  require(vd_graph_submit(graph_, nullptr, &ticket), "vd_graph_submit");
  require(vd_ticket_wait(context_, ticket, ~uint64_t{0}), "vd_ticket_wait");
}

uint32_t Work::registers() const {
  uint32_t most = 0;
  for (vd_plan* p : plans_) {
    vd_plan_info info = VD_PLAN_INFO_INIT;
    require(vd_plan_get_info(p, &info), "vd_plan_get_info");
    most = std::max(most, info.registers);
  }
  return most;
}

std::string Work::explain() const {
  std::string text;
  for (vd_plan* p : plans_) {
    vd_blob* blob = nullptr;
    require(vd_plan_explain(p, &blob), "vd_plan_explain");
    uint64_t size = 0;
    const auto* bytes = static_cast<const char*>(vd_blob_data(blob, &size));
    text.append(bytes, size);
    vd_blob_release(blob);
  }
  return text;
}

}  // namespace bench
