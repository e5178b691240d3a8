// Graphs.
#include "runtime/graph.h"

#include <algorithm>

#include "api/desc.h"
#include "api/guard.h"
#include "api/image_region.h"
#include "api/launch_args.h"
#include "api/order.h"
#include "core/name.h"
#include "primitives/image_copy.h"
#include "primitives/mips.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;
using vd::api::read_region;

vd_status vd_graph_create(vd_context* ctx, const vd_graph_desc* desc, vd_graph** out_graph) {
  return guard(__func__, [&] {
    vd_graph*& result = out(out_graph, "out_graph");
    vd_context& c = in(ctx, "ctx");
    const vd_graph_desc d = vd::api::read_desc_or_default(desc, "desc");
    if (d.flags != 0) fail(VD_ERR_INVALID, "desc->flags ({:#x}) has unknown bits", d.flags);
    result = vd::make_ref<vd_graph>(c, d.label != nullptr ? vd::shown_name(d.label) : "").detach();
    return VD_OK;
  });
}

void vd_graph_retain(vd_graph* graph) {
  if (graph != nullptr) graph->retain();
}
void vd_graph_release(vd_graph* graph) {
  if (graph != nullptr) graph->release();
}

vd_status vd_graph_launch(vd_graph* graph, vd_plan* plan, const vd_launch_desc* desc, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    vd_plan& p = in(plan, "plan");
    const vd::api::LaunchArgs args(p, desc);
    if (args.desc.order != nullptr) {
      fail(VD_ERR_INVALID,
           "desc->order is given, and a recorded launch takes none; vd_graph_submit() takes the graph's order");
    }
    const uint32_t node = g.dispatch(args.arguments);
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_copy(vd_graph* graph, vd_buffer* source, uint64_t source_offset, vd_buffer* destination,
                        uint64_t destination_offset, uint64_t size, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    vd_buffer& s = in(source, "source");
    vd_buffer& d = in(destination, "destination");
    size = s.size_from(source_offset, size);
    const uint32_t node = g.copy(s, source_offset, d, destination_offset, size);
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_fill(vd_graph* graph, vd_buffer* buffer, uint64_t offset, uint64_t size, uint32_t pattern,
                        uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    vd_buffer& b = in(buffer, "buffer");
    size = b.size_from(offset, size);
    const uint32_t node = g.fill(b, offset, size, pattern);
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_copy_buffer_to_image(vd_graph* graph, vd_image* image, const vd_image_region* region,
                                        vd_buffer* source, uint64_t source_offset, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    vd_image& i = in(image, "image");
    const auto copy =
        vd::primitives::copy_into(i, read_region(i, region, "region"), in(source, "source"), source_offset);
    const uint32_t node = vd::primitives::record(g, copy);
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_copy_image_to_buffer(vd_graph* graph, vd_image* image, const vd_image_region* region,
                                        vd_buffer* destination, uint64_t destination_offset, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    vd_image& i = in(image, "image");
    const auto copy = vd::primitives::copy_out_of(i, read_region(i, region, "region"), in(destination, "destination"),
                                                  destination_offset);
    const uint32_t node = vd::primitives::record(g, copy);
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_copy_image(vd_graph* graph, vd_image* image, const vd_image_region* region, vd_image* destination,
                              const vd_image_region* to, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    vd_image& from = in(image, "image");
    vd_image& into = in(destination, "destination");
    const auto copy =
        vd::primitives::copy_between(from, read_region(from, region, "region"), into, read_region(into, to, "to"));
    const uint32_t node = vd::primitives::record(g, copy);
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_generate_mips(vd_graph* graph, vd_image* image, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const uint32_t node = vd::primitives::record_mips(g, in(image, "image"));
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_set_values(vd_graph* graph, uint32_t node, uint32_t offset, const void* values, uint32_t size) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    vd::api::bytes(values, size, "values");
    g.set_values(node, offset, values, size);
    return VD_OK;
  });
}

vd_status vd_graph_reset(vd_graph* graph) {
  return guard(__func__, [&] {
    in(graph, "graph").reset();
    return VD_OK;
  });
}

vd_status vd_graph_get_info(const vd_graph* graph, vd_graph_info* out_info) {
  return guard(__func__, [&] {
    const vd_graph& g = in(graph, "graph");
    vd_graph_info info = VD_GRAPH_INFO_INIT;
    info.node_count = g.node_count();
    info.level_count = g.level_count();
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_graph_submit(vd_graph* graph, const vd_submit_desc* desc, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_graph& g = in(graph, "graph");
    const vd_submit_desc d = vd::api::read_desc_or_default(desc, "desc");
    if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
    vd_graph::Submit how;
    how.queue = d.queue;
    how.repeat = std::max(d.repeat, 1u);
    how.waits = vd::api::read_order(g.context(), g.context().queue(d.queue, "desc->queue"), d.order, "desc->order");
    const vd_ticket ticket = g.submit(how);
    if (out_ticket != nullptr) *out_ticket = ticket;
    return VD_OK;
  });
}
