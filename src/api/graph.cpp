// Graphs.
#include "runtime/graph.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "api/blob.h"
#include "api/desc.h"
#include "api/guard.h"
#include "api/image_region.h"
#include "api/launch_args.h"
#include "api/order.h"
#include "core/name.h"
#include "primitives/image_copy.h"
#include "primitives/mips.h"
#include "primitives/pattern_fill.h"
#include "primitives/strided_copy.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;
using vd::api::read_region;
using Reading = vd::runtime::GraphUses::Reading;
using Recording = vd::runtime::GraphUses::Recording;

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
    const Recording recording(g.uses());
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
    const Recording recording(g.uses());
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
    const Recording recording(g.uses());
    vd_buffer& b = in(buffer, "buffer");
    size = b.size_from(offset, size);
    const uint32_t node = g.fill(b, offset, size, pattern);
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_fill_pattern(vd_graph* graph, vd_buffer* buffer, uint64_t offset, uint64_t size, const void* pattern,
                                uint32_t pattern_size, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    vd_buffer& b = in(buffer, "buffer");
    const auto* bytes = static_cast<const std::byte*>(vd::api::bytes(pattern, pattern_size, "pattern"));
    const uint32_t node = vd::primitives::record_fill(g, b, offset, b.size_from(offset, size),
                                                      vd::runtime::Pattern({bytes, pattern_size}));
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_copy_strided(vd_graph* graph, vd_buffer* source, vd_buffer* destination,
                                const vd_strided_copy_desc* desc, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    vd_buffer& s = in(source, "source");
    vd_buffer& d = in(destination, "destination");
    const uint32_t node = vd::primitives::record_strided(g, s, d, vd::api::read_desc(desc, "desc"));
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

// The region of a recorded copy, for whatever image the copy is recorded with.
class Region {
 public:
  Region(const vd_image_region* given, const char* name) : name_(name) {
    if (given != nullptr) given_ = vd::api::read_desc(given, name);
  }
  vd_image::Region in(const vd_image& image) const { return read_region(image, given_ ? &*given_ : nullptr, name_); }

 private:
  std::optional<vd_image_region> given_;
  const char* name_;
};

// The image of a recorded copy's argument.
static vd_image& image_of(const vd::runtime::Bound& bound, uint32_t argument) {
  if (bound.image == nullptr || bound.buffer != nullptr)
    fail(VD_ERR_INVALID, "argument {} of the copy is an image, and {} is given", argument,
         bound.buffer != nullptr ? "a buffer" : "none");
  if (bound.sampler != nullptr || bound.level != 0)
    fail(VD_ERR_INVALID, "argument {} of the copy takes no sampler and no level", argument);
  return *bound.image;
}

// Records a copy that make(arguments) checks, and again for other arguments.
template <class Make>
class CopyRecord {
 public:
  explicit CopyRecord(Make make) : make_(std::move(make)) {}

  void operator()(vd_graph& graph, const vd::runtime::Bound* given) const {
    const vd::primitives::ImageCopy copy = make_(given);
    const uint32_t node = vd::primitives::record(graph, copy);
    std::array<vd::runtime::Bound, 2> arguments{given[0], given[1]};
    const auto& [x, y, z] = copy.extent;
    for (vd::runtime::Bound& bound : arguments)
      if (bound.buffer != nullptr) bound.size = uint64_t{x} * y * z * copy.texel_size;
    graph.set_origin(node, arguments, *this);
  }

 private:
  Make make_;
};

template <class Make>
static uint32_t record_copy(vd_graph& graph, const std::array<vd::runtime::Bound, 2>& arguments, Make make) {
  return graph.record([&] {
    CopyRecord<Make> copy(std::move(make));
    copy(graph, arguments.data());
    return graph.node_count() - 1;
  });
}

vd_status vd_graph_copy_buffer_to_image(vd_graph* graph, vd_image* image, const vd_image_region* region,
                                        vd_buffer* source, uint64_t source_offset, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    vd_image& i = in(image, "image");
    vd_buffer& s = in(source, "source");
    const Region part(region, "region");
    const uint32_t node =
        record_copy(g, {{{.buffer = &s, .offset = source_offset}, {.image = &i}}}, [part](const auto* given) {
          vd_image& into = image_of(given[1], 1);
          const vd_image::Region where = part.in(into);
          vd_buffer& from = vd::runtime::buffer_argument(given[0], into.size(where), "copy", 0);
          return vd::primitives::copy_into(into, where, from, given[0].offset);
        });
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_copy_image_to_buffer(vd_graph* graph, vd_image* image, const vd_image_region* region,
                                        vd_buffer* destination, uint64_t destination_offset, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    vd_image& i = in(image, "image");
    vd_buffer& d = in(destination, "destination");
    const Region part(region, "region");
    const uint32_t node =
        record_copy(g, {{{.image = &i}, {.buffer = &d, .offset = destination_offset}}}, [part](const auto* given) {
          vd_image& from = image_of(given[0], 0);
          const vd_image::Region where = part.in(from);
          vd_buffer& into = vd::runtime::buffer_argument(given[1], from.size(where), "copy", 1);
          return vd::primitives::copy_out_of(from, where, into, given[1].offset);
        });
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_copy_image(vd_graph* graph, vd_image* image, const vd_image_region* region, vd_image* destination,
                              const vd_image_region* to, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    vd_image& i = in(image, "image");
    vd_image& d = in(destination, "destination");
    const Region part(region, "region"), other(to, "to");
    const uint32_t node = record_copy(g, {{{.image = &i}, {.image = &d}}}, [part, other](const auto* given) {
      vd_image &from = image_of(given[0], 0), &into = image_of(given[1], 1);
      return vd::primitives::copy_between(from, part.in(from), into, other.in(into));
    });
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_generate_mips(vd_graph* graph, vd_image* image, uint32_t* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    const uint32_t node = vd::primitives::record_mips(g, in(image, "image"));
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_set_values(vd_graph* graph, uint32_t node, uint32_t offset, const void* values, uint32_t size) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    vd::api::bytes(values, size, "values");
    g.set_values(node, offset, values, size);
    return VD_OK;
  });
}

vd_status vd_graph_set_bindings(vd_graph* graph, vd_node node, uint32_t first, const vd_binding* bindings,
                                uint32_t binding_count) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    vd::api::array(bindings, binding_count, "bindings");
    g.check_arguments(node, first, binding_count, "first");  // before entries are read that may not be there
    std::vector<vd::runtime::Bound> bounds;
    for (uint32_t i = 0; i < binding_count; ++i) bounds.push_back(vd::api::read_binding(bindings[i], "bindings", i));
    g.set_bindings(node, first, bounds);
    return VD_OK;
  });
}

// As many handles as `count`, none of them NULL.
template <class T>
static std::span<T* const> handles(T* const* list, uint32_t count, const char* name) {
  vd::api::array(list, count, name);
  for (uint32_t i = 0; i < count; ++i)
    if (list[i] == nullptr) fail(VD_ERR_INVALID, "{}[{}] is NULL", name, i);
  return {list, count};
}

vd_status vd_graph_replace_buffers(vd_graph* graph, vd_buffer* const* buffers, vd_buffer* const* replacements,
                                   uint32_t count) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    const auto before = handles(buffers, count, "buffers");
    g.replace(before, handles(replacements, count, "replacements"));
    return VD_OK;
  });
}

vd_status vd_graph_replace_images(vd_graph* graph, vd_image* const* images, vd_image* const* replacements,
                                  uint32_t count) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    const auto before = handles(images, count, "images");
    g.replace(before, handles(replacements, count, "replacements"));
    return VD_OK;
  });
}

vd_status vd_graph_set_unordered(vd_graph* graph, vd_node node, uint32_t argument, vd_bool unordered) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    g.set_unordered(node, argument, vd::api::truth(unordered, "unordered"));
    return VD_OK;
  });
}

vd_status vd_graph_set_label(vd_graph* graph, vd_node node, const char* label) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    g.set_label(node, vd::shown_name(vd::api::text(label, "label")));
    return VD_OK;
  });
}

vd_status vd_graph_add_graph(vd_graph* graph, vd_graph* other, vd_node* out_first) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const vd_graph& o = in(other, "other");
    const Recording recording(g.uses());
    std::optional<Reading> reading;
    if (&o != &g) reading.emplace(o.uses());
    const uint32_t first = g.add_graph(o);
    if (out_first != nullptr) *out_first = first;
    return VD_OK;
  });
}

vd_status vd_graph_call(vd_graph* graph, vd_graph_fn callback, void* user, vd_free_fn user_free, vd_node* out_node) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    if (callback == nullptr) fail(VD_ERR_INVALID, "callback is NULL");
    const auto call = std::make_shared<vd::runtime::HostCall>(callback, user);
    const uint32_t node = g.call(call);
    call->own_user(user_free);
    if (out_node != nullptr) *out_node = node;
    return VD_OK;
  });
}

vd_status vd_graph_get_dot(const vd_graph* graph, vd_blob** out_text) {
  return guard(__func__, [&] {
    vd_blob*& result = out(out_text, "out_text");
    const vd_graph& g = in(graph, "graph");
    const Reading reading(g.uses());
    result = vd::make_ref<vd_blob>(g.dot()).detach();
    return VD_OK;
  });
}

vd_status vd_graph_reset(vd_graph* graph) {
  return guard(__func__, [&] {
    vd_graph& g = in(graph, "graph");
    const Recording recording(g.uses());
    g.reset();
    return VD_OK;
  });
}

vd_status vd_graph_get_info(const vd_graph* graph, vd_graph_info* out_info) {
  return guard(__func__, [&] {
    const vd_graph& g = in(graph, "graph");
    const Reading reading(g.uses());
    vd_graph_info info = VD_GRAPH_INFO_INIT;
    info.node_count = g.node_count();
    const vd::runtime::NodeOrder order = g.order();
    info.level_count = order.level_count();
    info.edge_count = static_cast<uint32_t>(std::min<size_t>(order.edge_count(), UINT32_MAX));
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

static std::vector<vd_graph::InstanceValues> read_instances(const vd_submit_desc& desc, uint32_t instances) {
  vd::api::array(desc.instance_values, desc.instance_value_count, "desc->instance_values");
  std::vector<vd_graph::InstanceValues> all;
  for (uint32_t i = 0; i < desc.instance_value_count; ++i) {
    const vd_instance_values& given = desc.instance_values[i];
    const auto refuse = [&]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
      fail(VD_ERR_INVALID, "desc->instance_values[{}]: {}", i, fmt::format(format, std::forward<Args>(args)...));
    };
    if (given.reserved != 0) refuse("reserved ({}) is not zero", given.reserved);
    if (given.size == 0) refuse("size (0) is zero");
    if (given.values_size != uint64_t{given.size} * instances)
      refuse("values_size ({}) is not size ({}) times desc->repeat ({})", given.values_size, given.size, instances);
    if (given.values == nullptr) refuse("values is NULL with {} bytes", given.values_size);
    all.push_back({given.node, given.offset, given.size, static_cast<const std::byte*>(given.values)});
  }
  return all;
}

vd_status vd_graph_submit(vd_graph* graph, const vd_submit_desc* desc, vd_ticket* out_ticket) {
  return guard(__func__, [&] {
    if (out_ticket != nullptr) *out_ticket = 0;
    vd_graph& g = in(graph, "graph");
    const Reading reading(g.uses());
    const vd_submit_desc d = vd::api::read_desc_or_default(desc, "desc");
    if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
    if (d.reserved_count != 0) fail(VD_ERR_INVALID, "desc->reserved_count ({}) is not zero", d.reserved_count);
    vd_graph::Submit how;
    how.queue = d.queue;
    how.repeat = std::max(d.repeat, 1u);
    how.values = read_instances(d, how.repeat);
    const vd::api::Order ordered(g.context(), d.queue, d.order, "desc->order", "desc->queue");
    how.waits = ordered.waits();
    const vd::runtime::CallSpan span(g.context().profiler(), "vd_graph_submit", VD_SPAN_CALL, 0, &how.waits.label);
    const vd_ticket ticket = g.submit(how);
    ordered.end(ticket, out_ticket);
    return VD_OK;
  });
}
