// Reductions.
#include "api/builder.h"
#include "api/desc.h"
#include "api/guard.h"
#include "api/types.h"
#include "core/traits.h"
#include "primitives/reduce_gen.h"
#include "primitives/reduce_pieces.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

vd_reduce_desc read(vd_context& ctx, const vd_reduce_desc* desc, bool functions) {
  const vd_reduce_desc d = vd::api::read_desc(desc, "desc");
  vd::api::known_type(d.in_type, "desc->in_type");
  vd::api::known_type(d.out_type, "desc->out_type");
  vd::api::known_type(d.compute_type, "desc->compute_type");
  if (!functions && d.op == VD_REDUCE_OP_CUSTOM) {
    fail(VD_ERR_INVALID, "desc->op ({}) is a custom operation, which only vd_reduce_gen_create() takes",
         static_cast<int>(d.op));
  }
  if (!functions && (d.flags & VD_REDUCE_MAP_INPUT) != 0) {
    fail(VD_ERR_INVALID, "desc->flags ({:#x}) have map bits, which only vd_reduce_gen_create() takes", d.flags);
  }
  vd::api::bytes(d.identity, d.identity_size, "desc->identity");
  ctx.device(d.device, "desc->device");
  return d;
}

vd::Ref<vd_reduce_gen> make_gen(vd_context& ctx, const vd_reduce_desc& d) {
  return vd::make_ref<vd_reduce_gen>(
      ctx, d, [](const vd_builder_desc& b) { return vd::Ref<vd::ir::Builder>(vd::make_ref<vd_builder>(b)); });
}

vd::Ref<vd_plan> make_plan(vd_context& ctx, const vd_reduce_desc& d) {
  const vd::Ref<vd_reduce_gen> gen = make_gen(ctx, d);
  vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
  if (gen->next(element) != nullptr) fail(VD_ERR_INTERNAL, "a reduction without functions asks for a function");
  return gen->finish();
}

}  // namespace

vd_status vd_plan_create_reduce(vd_context* ctx, const vd_reduce_desc* desc, vd_plan** out_plan) {
  return guard(__func__, [&] {
    vd_plan*& result = out(out_plan, "out_plan");
    vd_context& c = in(ctx, "ctx");
    const vd_reduce_desc d = read(c, desc, false);
    const auto make = [&](const vd_reduce_desc& part) { return make_plan(c, part); };
    vd::Ref<vd_plan> plan = vd::primitives::reduce_in_pieces(c, d, vd::most_bytes(c.device(d.device).info()), make);
    result = (plan ? plan : make(d)).detach();
    return VD_OK;
  });
}

vd_status vd_reduce_gen_create(vd_context* ctx, const vd_reduce_desc* desc, vd_reduce_gen** out_gen) {
  return guard(__func__, [&] {
    vd_reduce_gen*& result = out(out_gen, "out_gen");
    vd_context& c = in(ctx, "ctx");
    result = make_gen(c, read(c, desc, true)).detach();
    return VD_OK;
  });
}

void vd_reduce_gen_retain(vd_reduce_gen* gen) {
  if (gen != nullptr) gen->retain();
}
void vd_reduce_gen_release(vd_reduce_gen* gen) {
  if (gen != nullptr) gen->release();
}

vd_status vd_reduce_gen_next(vd_reduce_gen* gen, vd_reduce_element* out_element, vd_builder** out_builder) {
  return guard(__func__, [&] {
    vd_builder*& result = out(out_builder, "out_builder");
    vd_reduce_gen& g = in(gen, "gen");
    vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
    vd::api::write_info(element, out_element, "out_element");
    // The factory above makes no other builders.
    auto* builder = static_cast<vd_builder*>(g.next(element));
    vd::api::write_info(element, out_element, "out_element");
    if (builder != nullptr) result = vd::Ref<vd_builder>::retain(builder).detach();
    return VD_OK;
  });
}

vd_status vd_reduce_gen_finish(vd_reduce_gen* gen, vd_plan** out_plan) {
  return guard(__func__, [&] {
    vd_plan*& result = out(out_plan, "out_plan");
    result = in(gen, "gen").finish().detach();
    return VD_OK;
  });
}
