// Plans and launches.
#include "runtime/plan.h"

#include <algorithm>
#include <exception>
#include <vector>

#include "api/blob.h"
#include "api/desc.h"
#include "api/guard.h"
#include "api/launch_args.h"
#include "api/order.h"
#include "core/name.h"
#include "runtime/graph.h"
#include "runtime/launch.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

// Throws unless a plan can bind such a thing.
void check_kind(uint32_t index, vd_binding_kind kind) {
  switch (kind) {
    case VD_BINDING_STORAGE_BUFFER:
    case VD_BINDING_UNIFORM_BUFFER:
    case VD_BINDING_SAMPLED_IMAGE:
    case VD_BINDING_STORAGE_IMAGE:
    case VD_BINDING_TEXTURE:
    case VD_BINDING_SAMPLER:
      return;
    case VD_BINDING_OTHER:
      fail(VD_ERR_UNSUPPORTED,
           "desc->source->binding_kinds[{}] ({}) is neither a buffer nor an image of one to three dimensions", index,
           static_cast<int>(kind));
    default:
      fail(VD_ERR_INVALID, "desc->source->binding_kinds[{}] ({}) is unknown", index, static_cast<int>(kind));
  }
}

vd::Ref<vd_plan> make_plan(vd_context& ctx, const vd_plan_desc& d) {
  if (d.flags != 0) fail(VD_ERR_INVALID, "desc->flags ({:#x}) has unknown bits", d.flags);
  if ((d.kernel == nullptr) == (d.source == nullptr)) {
    fail(VD_ERR_INVALID, "desc->kernel and desc->source are {}; give exactly one of them",
         d.kernel == nullptr ? "both NULL" : "both given");
  }
  vd_plan::Desc desc;
  desc.kernel = d.kernel;
  std::copy(d.workgroup_size, d.workgroup_size + 3, desc.workgroup_size.begin());
  ctx.device(d.device, "desc->device");
  desc.device = d.device;
  if (d.label != nullptr) desc.label = vd::shown_name(d.label);
  vd::backends::SourceText text;
  if (d.source != nullptr) {
    const vd_source_desc s = vd::api::read_desc(d.source, "desc->source");
    if (s.language < VD_LANGUAGE_GLSL || s.language > VD_LANGUAGE_SPIRV) {
      fail(VD_ERR_INVALID, "desc->source->language ({}) is not one of glsl (1), cuda (2), opencl (3), spirv (4)",
           static_cast<int>(s.language));
    }
    if (s.text == nullptr) fail(VD_ERR_INVALID, "desc->source->text is NULL");
    if (s.size == 0) fail(VD_ERR_INVALID, "desc->source->size (0) is zero");
    if (s.language == VD_LANGUAGE_SPIRV && s.size % 4 != 0) {
      fail(VD_ERR_INVALID, "desc->source->size ({}) is not a multiple of 4, the size of a SPIR-V word", s.size);
    }
    vd::api::array(s.binding_kinds, s.binding_count, "desc->source->binding_kinds");
    for (uint32_t i = 0; i < s.binding_count; ++i) check_kind(i, s.binding_kinds[i]);
    if (s.reserved != 0) fail(VD_ERR_INVALID, "desc->source->reserved ({}) is not zero", s.reserved);
    vd::api::array(s.spec_constants, s.spec_constant_count, "desc->source->spec_constants");
    for (uint32_t i = 0; i < s.spec_constant_count; ++i)
      if (s.spec_constants[i].reserved != 0)
        fail(VD_ERR_INVALID, "desc->source->spec_constants[{}].reserved ({}) is not zero", i,
             s.spec_constants[i].reserved);
    text.language = s.language;
    text.text.assign(s.text, s.size);
    const bool vulkan = s.language == VD_LANGUAGE_GLSL || s.language == VD_LANGUAGE_SPIRV;
    text.entry = s.entry != nullptr ? s.entry : vulkan ? "main" : "vkdispatch_main";
    text.bindings.assign(s.binding_kinds, s.binding_kinds + s.binding_count);
    text.values_size = s.values_size;
    text.spec_constants.assign(s.spec_constants, s.spec_constants + s.spec_constant_count);
    desc.source = &text;
  }
  return vd_plan::create(ctx, desc);
}

// The names in messages of vd_plan_try_launch()'s parameters.
constexpr vd::runtime::LaunchNames kParameters{.invocations = "invocations",
                                               .axes = {"_x", "_y", "_z"},
                                               .binding_count = "buffer_count",
                                               .values_size = "values_size"};

}  // namespace

vd_status vd_plan_create(vd_context* ctx, const vd_plan_desc* desc, vd_plan** out_plan) {
  return guard(__func__, [&] {
    vd_plan*& result = out(out_plan, "out_plan");
    result = make_plan(in(ctx, "ctx"), vd::api::read_desc(desc, "desc")).detach();
    return VD_OK;
  });
}

vd_status vd_plan_create_many(vd_context* ctx, const vd_plan_desc* descs, uint32_t count, vd_plan** out_plans) {
  return guard(__func__, [&] {
    vd::api::array(out_plans, count, "out_plans");
    std::fill(out_plans, out_plans + count, nullptr);
    vd_context& c = in(ctx, "ctx");
    vd::api::array(descs, count, "descs");
    if (count == 0) return VD_OK;
    const std::vector<vd_plan_desc> wanted = vd::api::read_descs(descs, count, "descs");
    std::vector<std::exception_ptr> failures(count);
    c.compilers().for_each(count, [&](size_t i) {
      try {
        out_plans[i] = make_plan(c, wanted[i]).detach();
      } catch (const vd::Error& error) {
        failures[i] = std::make_exception_ptr(
            vd::Error(error.status(), fmt::format("number {} of {}: {}", i, count, error.what())));
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
    for (const auto& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    return VD_OK;
  });
}

void vd_plan_retain(vd_plan* plan) {
  if (plan != nullptr) plan->retain();
}
void vd_plan_release(vd_plan* plan) {
  if (plan != nullptr) plan->release();
}

vd_status vd_plan_get_info(const vd_plan* plan, vd_plan_info* out_info) {
  return guard(__func__, [&] {
    const vd_plan& p = in(plan, "plan");
    vd_plan_info info = VD_PLAN_INFO_INIT;
    info.binding_count = static_cast<uint32_t>(p.bindings().size());
    info.values_size = p.values_size();
    std::copy(p.workgroup_size().begin(), p.workgroup_size().end(), info.workgroup_size);
    info.shared_size = p.shared_size();
    info.registers = p.statistics(false).registers.value_or(0);
    info.from_cache = p.from_cache() ? 1 : 0;
    info.name = p.name().c_str();
    info.own_size = p.steps().empty() ? 0 : 1;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

const char* vd_plan_get_source(const vd_plan* plan, uint64_t* out_size) {
  if (out_size != nullptr) *out_size = 0;
  if (plan == nullptr) return nullptr;
  const std::string& text = plan->source();
  if (out_size != nullptr) *out_size = text.size();
  return text.c_str();
}

vd_status vd_plan_explain(const vd_plan* plan, vd_blob** out_text) {
  return guard(__func__, [&] {
    vd_blob*& result = out(out_text, "out_text");
    result = vd::make_ref<vd_blob>(in(plan, "plan").explain()).detach();
    return VD_OK;
  });
}

vd_status vd_plan_launch(vd_plan* plan, const vd_launch_desc* desc, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_plan& p = in(plan, "plan");
    const vd::api::LaunchArgs args(p, desc);
    vd_context& c = p.context();
    const vd::runtime::CallSpan span(c.profiler(), "vd_plan_launch", VD_SPAN_CALL, 0, &p.name());
    const vd::api::Order ordered(c, args.desc.queue, args.desc.order, "desc->order", "desc->queue");
    const auto ticket = vd::runtime::launch(args.arguments, args.desc.queue, ordered.waits(), true);
    ordered.end(*ticket, out_ticket);
    c.retired().collect();
    return VD_OK;
  });
}

vd_status vd_plan_try_launch(vd_plan* plan, vd_graph* graph, uint32_t queue, uint32_t invocations_x,
                             uint32_t invocations_y, uint32_t invocations_z, vd_buffer* const* buffers,
                             uint32_t buffer_count, const void* values, uint32_t values_size) {
  return guard(__func__, [&] {
    vd_plan& p = in(plan, "plan");
    vd::api::array(buffers, buffer_count, "buffers");
    vd::api::bytes(values, values_size, "values");
    const uint32_t invocations[3] = {invocations_x, invocations_y, invocations_z};
    constexpr uint32_t none[3] = {};
    const vd::runtime::Arguments arguments(
        p, invocations, none, values, values_size, buffer_count,
        [&](uint32_t i) { return vd::runtime::Bound{buffers[i]}; }, kParameters);
    if (graph != nullptr) {
      const vd::runtime::GraphUses::Recording recording(graph->uses());
      graph->dispatch(arguments);
      return VD_OK;
    }
    const vd::runtime::CallSpan span(p.context().profiler(), "vd_plan_try_launch", VD_SPAN_CALL, 0, &p.name(), true);
    return vd::runtime::launch(arguments, queue, {}, false) ? VD_OK : VD_ERR_WOULD_BLOCK;
  });
}
