// Recording, and changes of what was recorded.
#include "runtime/graph.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

using namespace vd;
using runtime::Bound;

vd_buffer& runtime::buffer_argument(const Bound& given, uint64_t size, const char* what, uint32_t argument) {
  if (given.buffer == nullptr || given.image != nullptr)
    fail(VD_ERR_INVALID, "argument {} of the {} is a buffer, and {} is given", argument, what,
         given.image != nullptr ? "an image" : "none");
  if (given.size != size && given.size != VD_WHOLE_SIZE)
    fail(VD_ERR_INVALID, "argument {} of the {}: size ({}) is neither the node's ({}) nor VD_WHOLE_SIZE", argument,
         what, given.size, size);
  return *given.buffer;
}

vd_graph::vd_graph(vd_context& context, std::string label)
    : context_(Ref<vd_context>::retain(&context)), label_(std::move(label)) {}

Bound vd_graph::Held::bound() const {
  if (!image && sampler) return {nullptr, 0, VD_WHOLE_SIZE, nullptr, sampler.get()};
  if (image) return {nullptr, 0, VD_WHOLE_SIZE, image.get(), sampler.get(), level, own};
  Bound bound{buffer.get(), span.begin - lead - buffer->offset(), span.end - span.begin + lead};
  bound.lead = lead;
  return bound;
}

// ---- Recording

void vd_graph::hold(vd_buffer& buffer, uint64_t offset, uint64_t size, bool write, uint64_t lead) {
  Held held;
  held.buffer = Ref<vd_buffer>::retain(&buffer);
  held.span = buffer.span(offset + lead, size - lead);
  held.lead = lead;
  held.write = write;
  held_.push_back(std::move(held));
}

void vd_graph::changed() {
  if (snapshots_.empty()) return;
  // An entry is empty where making it failed.
  std::erase_if(snapshots_, [](const auto& entry) {
    return !entry.second || entry.second->broken || !entry.second->keep_for_update();
  });
  previous_ = std::exchange(snapshots_, {});
}

// The node's arguments, boxes and images follow.
vd_graph::Node vd_graph::next_node(Kind kind) const {
  Node node;
  node.kind = kind;
  node.first_step = node_count();
  node.first_bound = static_cast<uint32_t>(held_.size());
  node.first_value = static_cast<uint32_t>(values_.size());
  node.first_box = static_cast<uint32_t>(boxes_.size());
  node.first_image = static_cast<uint32_t>(images_.size());
  return node;
}

uint32_t vd_graph::append(Node node) {
  node.bound_count = static_cast<uint32_t>(held_.size()) - node.first_bound;
  node.box_count = static_cast<uint32_t>(boxes_.size()) - node.first_box;
  node.image_count = static_cast<uint32_t>(images_.size()) - node.first_image;
  for (uint32_t i = 0; i < node.bound_count; ++i)
    per_queue_ = per_queue_ || held_[node.first_bound + i].buffer->per_queue();
  nodes_.push_back(std::move(node));
  return node_count() - 1;
}

void vd_graph::cut(const Sizes& sizes) {
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(sizes.nodes), nodes_.end());
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(sizes.held), held_.end());
  values_.resize(sizes.values);
  boxes_.resize(sizes.boxes);
  images_.resize(sizes.images);
  origins_.erase(origins_.lower_bound(static_cast<uint32_t>(sizes.nodes)), origins_.end());
}

uint32_t vd_graph::dispatch(const runtime::Arguments& arguments) {
  return record([&] { return append_launch(arguments); });
}

uint32_t vd_graph::append_launch(const runtime::Arguments& arguments) {
  vd_plan& plan = arguments.plan();
  if (&plan.context() != context_.get()) fail(VD_ERR_INVALID, "graph and plan belong to different contexts");
  const Bound* bounds = arguments.bounds();
  const void* values = arguments.values();
  const uint32_t first = node_count();
  if (arguments.has_counts()) {
    vd_plan& counted = plan.for_levels(bounds);
    append_kernel(counted.counted(), arguments.extent(), runtime::with_counts(arguments).data(), values, &counted);
  } else if (plan.steps().empty()) {
    append_kernel(plan.for_levels(bounds), arguments.extent(), bounds, values);
  }
  std::vector<std::byte> own;
  for (const vd_plan::Step& step : plan.steps()) {
    // A graph may run beside others, on any queue.
    const auto memory_of = [](runtime::Workspace& workspace) -> vd_buffer& { return *workspace.own(); };
    const std::vector<Bound> all = runtime::step_bounds(plan, step, bounds, memory_of);
    append_kernel(step.plan->for_levels(all.data()), {step.workgroups, step.invocations}, all.data(),
                  runtime::step_values(plan, step, values, own));
  }
  for (uint32_t node = first; node < node_count(); ++node) nodes_[node].first_step = first;
  nodes_.back().user_size = plan.values_size();
  if (!plan.steps().empty()) {
    set_origin(node_count() - 1, {bounds, plan.bindings().size()}, nullptr);
    origins_[node_count() - 1].plan = Ref<vd_plan>::retain(&plan);
  }
  return node_count() - 1;
}

// `counted`: the plan of a launch with counts, which are behind its bounds.
void vd_graph::append_kernel(vd_plan& plan, const runtime::Extent& extent, const Bound* bounds, const void* values,
                             vd_plan* counted) {
  if (values_.size() > UINT32_MAX - plan.block_size())
    fail(VD_ERR_INVALID, "the values of the graph's launches ({} bytes) with those of \"{}\" ({}) are more than 4 GiB",
         values_.size(), plan.name(), plan.block_size());
  Node node = next_node(Kind::Dispatch);
  node.plan = Ref<vd_plan>::retain(&plan);
  node.counted = Ref<vd_plan>::retain(counted);
  node.extent = extent;
  node.values_size = plan.block_size();
  for (uint32_t i = 0; i < plan.bindings().size(); ++i) {
    const Bound& bound = bounds[i];
    hold(*bound.buffer, bound.offset, bound.size, plan.bindings()[i].write, bound.lead);
    if (runtime::has_use(plan.bindings()[i], bound))
      images_.push_back(runtime::use_of(plan, plan.bindings()[i], bound));
    if (bound.image == nullptr && bound.sampler == nullptr) continue;
    Held& held = held_.back();
    held.image = Ref<vd_image>::retain(bound.image);
    held.sampler = Ref<vd_sampler>::retain(bound.sampler);
    held.level = bound.level;
    held.own = bound.own;
  }
  if (node.device_reads_counts()) {
    const Bound& counts = bounds[plan.bindings().size()];
    hold(*counts.buffer, counts.offset, counts.size, false);
  }
  runtime::append_values(plan, extent, values, bounds, values_);
  values_.resize((values_.size() + 7) / 8 * 8);
  append(std::move(node));
}

uint32_t vd_graph::copy(vd_buffer& source, uint64_t source_offset, vd_buffer& destination, uint64_t destination_offset,
                        uint64_t size) {
  runtime::check_copy(source, source_offset, destination, destination_offset, size);
  if (&source.context() != context_.get())
    fail(VD_ERR_INVALID, "graph and {} belong to different contexts", source.name());
  return record([&] {
    Node node = next_node(Kind::Copy);
    hold(source, source_offset, size, false);
    hold(destination, destination_offset, size, true);
    return append(std::move(node));
  });
}

uint32_t vd_graph::copy_boxes(const runtime::BoxCopy& copy) {
  if (&copy.source->context() != context_.get())
    fail(VD_ERR_INVALID, "graph and {} belong to different contexts", copy.source->name());
  return record([&] {
    Node node = next_node(copy.kind);
    hold(*copy.source, copy.read.begin - copy.source->offset(), copy.read.end - copy.read.begin, false);
    hold(*copy.destination, copy.written.begin - copy.destination->offset(), copy.written.end - copy.written.begin,
         true);
    boxes_.insert(boxes_.end(), copy.boxes.begin(), copy.boxes.end());
    return append(std::move(node));
  });
}

uint32_t vd_graph::fill(vd_buffer& buffer, uint64_t offset, uint64_t size, uint32_t pattern) {
  runtime::check_fill(buffer, offset, size);
  if (&buffer.context() != context_.get())
    fail(VD_ERR_INVALID, "graph and {} belong to different contexts", buffer.name());
  return record([&] {
    Node node = next_node(Kind::Fill);
    node.pattern = pattern;
    hold(buffer, offset, size, true);
    return append(std::move(node));
  });
}

uint32_t vd_graph::call(std::shared_ptr<const runtime::HostCall> call) {
  return record([&] {
    Node node = next_node(Kind::Fill);
    node.call = std::move(call);
    has_calls_ = true;
    return append(std::move(node));
  });
}

uint32_t vd_graph::add_graph(const vd_graph& other) {
  if (&other.context() != context_.get()) fail(VD_ERR_INVALID, "graph and other belong to different contexts");
  const uint64_t nodes = uint64_t{node_count()} + other.node_count();
  if (nodes > UINT32_MAX || values_.size() + other.values_.size() > UINT32_MAX)
    fail(VD_ERR_INVALID, "graph ({} nodes, {} bytes of values) and other ({}, {}) are more than 2^32 together",
         node_count(), values_.size(), other.node_count(), other.values_.size());
  const Sizes base = sizes(), added = other.sizes();  // it may be this graph
  return record([&] {
    const auto copy = [](auto& to, const auto& from, size_t count) {
      to.reserve(to.size() + count);  // the two may be one
      for (size_t i = 0; i < count; ++i) to.push_back(from[i]);
    };
    copy(held_, other.held_, added.held);
    copy(values_, other.values_, added.values);
    copy(boxes_, other.boxes_, added.boxes);
    copy(images_, other.images_, added.images);
    copy(nodes_, other.nodes_, added.nodes);
    const auto first = static_cast<uint32_t>(base.nodes);
    for (size_t i = base.nodes; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      node.first_bound += static_cast<uint32_t>(base.held);
      node.first_value += static_cast<uint32_t>(base.values);
      node.first_box += static_cast<uint32_t>(base.boxes);
      node.first_image += static_cast<uint32_t>(base.images);
      node.first_step += first;
    }
    for (uint32_t node = 0; node < added.nodes; ++node)
      if (const auto found = other.origins_.find(node); found != other.origins_.end())
        origins_.emplace(first + node, found->second);
    per_queue_ = per_queue_ || other.per_queue_;
    has_unordered_ = has_unordered_ || other.has_unordered_;
    has_calls_ = has_calls_ || other.has_calls_;
    return first;
  });
}

void vd_graph::reset() {
  cut({});
  per_queue_ = has_unordered_ = has_calls_ = false;
  changed();
}

// ---- Changes of nodes

void vd_graph::check_values(const std::string& of, uint32_t node, uint64_t offset, uint64_t size) const {
  if (node >= nodes_.size() || !nodes_[node].plan || is_own(node)) {
    fail(VD_ERR_INVALID, "{}node ({}) is not a launch of this graph ({} nodes)", of, node, nodes_.size());
  }
  const Node& launch = nodes_[node];
  if (offset + size > launch.user_size) {
    fail(VD_ERR_INVALID, "{}offset ({}) + size ({}) is past the end of the values of \"{}\" ({})", of, offset, size,
         launch.plan->name(), launch.user_size);
  }
}

void vd_graph::set_values(uint32_t node, uint32_t offset, const void* values, uint32_t size) {
  check_values({}, node, offset, size);
  if (size == 0) return;
  const uint32_t first = nodes_[node].first_step;
  for (uint32_t i = first; i <= node; ++i) std::memcpy(values_.data() + nodes_[i].first_value + offset, values, size);
  changed_nodes(first, node);
}

void vd_graph::check_node(uint32_t node) const {
  if (node >= nodes_.size())
    fail(VD_ERR_INVALID, "node ({}) is not a node of this graph ({} nodes)", node, nodes_.size());
}

bool vd_graph::is_own(uint32_t node) const {
  const auto origin = origins_.find(node);
  return origin != origins_.end() && origin->second.record;
}

bool vd_graph::is_last_of_launch(uint32_t node) const {
  return node + 1 == nodes_.size() || nodes_[node + 1].first_step > node;
}

void vd_graph::set_label(uint32_t node, const std::string& label) {
  check_node(node);
  const uint32_t first = nodes_[node].first_step;
  for (uint32_t i = first; i < node_count() && nodes_[i].first_step == first; ++i) nodes_[i].label = label;
}

void vd_graph::set_origin(uint32_t node, std::span<const Bound> arguments, Record record) {
  Origin origin;
  for (const Bound& bound : arguments) {
    Held held;
    vd_buffer* const buffer = bound.image != nullptr ? &bound.image->texels() : bound.buffer;
    held.buffer = Ref<vd_buffer>::retain(buffer);
    held.span = bound.image != nullptr ? runtime::Span{} : buffer->span(bound.offset, bound.size);
    held.image = Ref<vd_image>::retain(bound.image);
    held.sampler = Ref<vd_sampler>::retain(bound.sampler);
    held.level = bound.level;
    held.own = bound.own;
    origin.arguments.push_back(std::move(held));
  }
  origin.record = std::move(record);
  origins_[node] = std::move(origin);
}

std::span<const vd_graph::Held> vd_graph::arguments_of(uint32_t node) const {
  if (const auto found = origins_.find(node); found != origins_.end()) return found->second.arguments;
  return {held_.data() + nodes_[node].first_bound, nodes_[node].bound_count};
}

void vd_graph::check_arguments(uint32_t node, uint64_t first, uint64_t count, const char* name) const {
  check_node(node);
  if (!is_last_of_launch(node))
    fail(VD_ERR_INVALID, "node ({}) is within a launch of several nodes; the last has its number", node);
  if (nodes_[node].call) fail(VD_ERR_INVALID, "node ({}) is a call, and has no arguments", node);
  const size_t have = arguments_of(node).size();
  if (first + count <= have) return;
  if (count == 1) fail(VD_ERR_INVALID, "{} ({}) is not below the arguments of node {} ({})", name, first, node, have);
  fail(VD_ERR_INVALID, "{} ({}) + binding_count ({}) is past the arguments of node {} ({})", name, first, count, node,
       have);
}

void vd_graph::set_bindings(uint32_t node, uint32_t first, std::span<const Bound> bindings) {
  check_arguments(node, first, bindings.size(), "first");
  if (bindings.empty()) return;
  std::vector<Bound> arguments;
  for (const Held& one : arguments_of(node)) arguments.push_back(one.bound());
  std::ranges::copy(bindings, arguments.begin() + first);
  exchange([&](Successors& successors) { append_successor(node, arguments.data(), successors); });
}

// Appends the nodes that are to take the place of a launch, copy or fill.
void vd_graph::append_successor(uint32_t node, const Bound* arguments, Successors& successors) {
  const std::span<const Held> before = arguments_of(node);
  for (size_t i = 0; i < before.size(); ++i) {
    if (!before[i].own) continue;
    if (!arguments[i].own)
      fail(VD_ERR_UNSUPPORTED, "node ({}) computes a mip level, and its arguments are set by vd_graph_replace_images()",
           node);
    if (!before[i].image->is_like(*arguments[i].image))
      fail(VD_ERR_INVALID,
           "node ({}) computes a mip level of {}, and {} has another format, extent or number of levels", node,
           before[i].image->name(), arguments[i].image->name());
  }
  const uint32_t place = nodes_[node].first_step, first = node_count();
  record_again(node, arguments);
  if (node_count() - first != node + 1 - place) fail(VD_ERR_INTERNAL, "node ({}) became another number of nodes", node);
  successors.push_back({place, first});
}

// append(successors) appends nodes, which then take their places. If it throws, the graph is as it was.
template <class F>
void vd_graph::exchange(F&& append) {
  const uint32_t count = node_count();
  const bool was_per_queue = per_queue_;
  Successors successors;
  replaces_ = true;
  try {
    append(successors);
    // The last ones are at the end.
    for (; !successors.empty(); successors.pop_back())
      take_place(successors.back().place, sizes_before(successors.back().first));
  } catch (...) {
    cut(sizes_before(count));
    per_queue_ = was_per_queue;
    replaces_ = false;
    throw;
  }
  replaces_ = false;
  if (per_queue_ != was_per_queue) changed();
}

// `of` gives the place in an argument where it has a T, and `find` the number of what stands for one, if any, and its
// replacement.
template <class T, class Of, class Find>
void vd_graph::replace_arguments(const char* list, std::span<T* const> before, Of&& of, Find&& find) {
  for (size_t i = 0; i < before.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (before[i] == before[k]) fail(VD_ERR_INVALID, "{}[{}] is {}[{}]", list, i, list, k);
  exchange([&](Successors& successors) {
    std::vector<bool> used(before.size());
    const uint32_t count = node_count();
    for (uint32_t node = 0; node < count; ++node) {
      if (nodes_[node].call || !is_last_of_launch(node)) continue;
      std::vector<Bound> bounds;
      bool changes = false;
      for (const Held& one : arguments_of(node)) {
        Bound& bound = bounds.emplace_back(one.bound());
        T*& place = of(bound);
        if (place == nullptr) continue;
        const auto [index, replacement] = find(*place);
        if (index == before.size()) continue;
        used[index] = changes = true;
        if (bound.buffer != nullptr && bound.size == bound.buffer->size() - bound.offset) bound.size = VD_WHOLE_SIZE;
        place = replacement;
      }
      if (changes) append_successor(node, bounds.data(), successors);
    }
    for (size_t i = 0; i < before.size(); ++i)
      if (!used[i]) fail(VD_ERR_INVALID, "{}[{}] ({}) is an argument of no node", list, i, before[i]->name());
  });
}

void vd_graph::replace(std::span<vd_buffer* const> before, std::span<vd_buffer* const> after) {
  std::vector<Ref<vd_buffer>> slices;
  // The buffer itself or another handle of its range, else the smallest that it is a slice of.
  const auto find = [&](vd_buffer& place) {
    const auto holds = [&](const vd_buffer& b) {
      return b.blocks()[0].get() == place.blocks()[0].get() && b.offset() <= place.offset() &&
             place.offset() + place.size() <= b.offset() + b.size();
    };
    size_t best = before.size();
    for (size_t i = 0; i < before.size(); ++i) {
      if (before[i] == &place) return std::pair(i, after[i]);
      if (holds(*before[i]) && (best == before.size() || before[i]->size() < before[best]->size())) best = i;
    }
    if (best == before.size()) return std::pair(best, static_cast<vd_buffer*>(nullptr));
    const vd_buffer& whole = *before[best];
    if (whole.size() == place.size()) return std::pair(best, after[best]);
    slices.push_back(after[best]->slice(place.offset() - whole.offset(), place.size(), place.shape(),
                                        fmt::format("replacements[{}], of a slice: ", best)));
    return std::pair(best, slices.back().get());
  };
  replace_arguments(
      "buffers", before, [](Bound& bound) -> vd_buffer*& { return bound.buffer; }, find);
}

void vd_graph::replace(std::span<vd_image* const> before, std::span<vd_image* const> after) {
  const auto find = [&](vd_image& place) {
    const auto index = static_cast<size_t>(std::ranges::find(before, &place) - before.begin());
    return std::pair(index, index == before.size() ? nullptr : after[index]);
  };
  replace_arguments(
      "images", before, [](Bound& bound) -> vd_image*& { return bound.image; }, find);
}

// The launch keeps its size: throws if each of its invocations indexes a buffer by its number, and the other buffer ends
// before, as that of the node does not.
void vd_graph::check_lengths(uint32_t node, const vd_plan& plan, const runtime::Arguments& arguments) const {
  const uint64_t invocations = arguments.extent().invocations[0];
  const std::span<const Held> before = arguments_of(node);
  for (size_t i = 0; i < plan.bindings().size(); ++i) {
    const vd_plan::Binding& binding = plan.bindings()[i];
    const Bound& bound = arguments.bounds()[i];
    const uint64_t needed = binding.fixed_index.number_size * invocations;
    if (bound.size >= needed || before[i].span.end - before[i].span.begin < needed) continue;
    fail(VD_ERR_INVALID,
         "argument {} (\"{}\") of \"{}\": {} has {} bytes from offset {}, and each of the {} invocations of node {} "
         "indexes it by its number, which takes {}",
         i, binding.name, plan.name(), bound.buffer->name(), bound.size, bound.offset, invocations, node, needed);
  }
}

// Appends what takes the node's place.
void vd_graph::record_again(uint32_t node, const Bound* arguments) {
  const Node& then = nodes_[node];
  const auto origin = origins_.find(node);
  if (origin != origins_.end() && origin->second.record) {
    const Record again = origin->second.record;
    return again(*this, arguments);
  }
  if (then.kind == Kind::Dispatch) {
    const Ref<vd_plan> plan = origin != origins_.end() ? origin->second.plan : then.counted ? then.counted : then.plan;
    const std::byte* values = values_.data() + nodes_[then.first_step].first_value;
    const std::vector<std::byte> user(values, values + then.user_size);
    constexpr uint32_t none[3] = {};
    const runtime::Arguments checked(
        *plan, plan->steps().empty() ? then.extent.invocations.data() : none, none, user.data(),
        static_cast<uint32_t>(user.size()), static_cast<uint32_t>(plan->bindings().size()),
        [&](uint32_t i) { return arguments[i]; }, {}, then.counted ? arguments[plan->bindings().size()] : Bound{});
    if (!then.counted) check_lengths(node, *plan, checked);
    dispatch(checked);
    return;
  }
  const runtime::Span span = held_[then.first_bound].span;
  const uint64_t size = span.end - span.begin;
  const char* const what = then.kind == Kind::Copy ? "copy" : "fill";
  for (uint32_t i = 0; i < then.bound_count; ++i) runtime::buffer_argument(arguments[i], size, what, i);
  if (then.kind == Kind::Copy)
    copy(*arguments[0].buffer, arguments[0].offset, *arguments[1].buffer, arguments[1].offset, size);
  else
    fill(*arguments[0].buffer, arguments[0].offset, size, then.pattern);
}

// Whether a node's place has room for another's arguments, and the same command takes them.
bool vd_graph::fits(const Node& place, const Node& node) {
  return place.kind == node.kind && place.bound_count == node.bound_count && place.values_size == node.values_size &&
         place.image_count == node.image_count && place.box_count == node.box_count &&
         place.extent.workgroups == node.extent.workgroups && place.counted.get() == node.counted.get() &&
         (!node.plan || &place.plan->compiled() == &node.plan->compiled());
}

// The nodes behind `then`, which are the last ones, take the places of as many from `first` on. Throws before it has
// changed one.
void vd_graph::take_place(uint32_t first, const Sizes& then) {
  const auto count = static_cast<uint32_t>(nodes_.size() - then.nodes);
  const uint32_t last = first + count - 1;
  bool fit = true;
  for (uint32_t i = 0; i < count; ++i) {
    const Node &place = nodes_[first + i], &node = nodes_[then.nodes + i];
    fit = fit && fits(place, node);
    for (uint32_t k = 0; k < std::min(place.bound_count, node.bound_count); ++k)
      held_[node.first_bound + k].ordered = held_[place.first_bound + k].ordered;
  }
  if (!fit) put_in_order(first, count, then);
  const auto origin = origins_.find(last), now = origins_.find(static_cast<uint32_t>(then.nodes) + count - 1);
  if (origin != origins_.end() && now != origins_.end()) origin->second.arguments = std::move(now->second.arguments);
  if (!fit) {
    origins_.erase(origins_.lower_bound(node_count()), origins_.end());
    return changed();
  }
  for (uint32_t i = 0; i < count; ++i) {
    Node &place = nodes_[first + i], &node = nodes_[then.nodes + i];
    std::swap_ranges(held_.begin() + node.first_bound, held_.begin() + node.first_bound + node.bound_count,
                     held_.begin() + place.first_bound);
    std::copy_n(values_.begin() + node.first_value, node.values_size, values_.begin() + place.first_value);
    std::copy_n(boxes_.begin() + node.first_box, node.box_count, boxes_.begin() + place.first_box);
    std::copy_n(images_.begin() + node.first_image, node.image_count, images_.begin() + place.first_image);
    place.plan = std::move(node.plan);
    place.extent = node.extent;
  }
  for (size_t i = then.held; i < held_.size(); ++i) let_go(*held_[i].buffer, then.held);
  cut(then);
  changed_nodes(first, last);
}

// Memory that none of the first `count` arguments has is not held until the next submit.
void vd_graph::let_go(const vd_buffer& buffer, size_t count) {
  for (const Ref<runtime::Block>& block : buffer.blocks()) {
    const auto has = [&](const Held& held) {
      return std::ranges::any_of(held.buffer->blocks(), [&](const auto& other) { return other.get() == block.get(); });
    };
    if (std::any_of(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count), has)) continue;
    for (const auto& [key, snapshot] : snapshots_)
      if (snapshot) snapshot->drop(block.get());
  }
}

// The same for nodes of other sizes: everything behind them moves.
void vd_graph::put_in_order(uint32_t first, uint32_t count, const Sizes& then) {
  std::vector<Node> nodes;
  std::vector<Held> held;
  std::vector<std::byte> values;
  std::vector<backends::Box> boxes;
  std::vector<backends::ImageUse> images;
  for (uint32_t i = 0; i < then.nodes; ++i) {
    const bool replaced = i >= first && i < first + count;
    Node node = nodes_[replaced ? then.nodes + i - first : i];
    const auto take = [](auto& to, const auto& from, uint32_t& begin, size_t n) {
      const auto at = from.begin() + begin;
      begin = static_cast<uint32_t>(to.size());
      to.insert(to.end(), at, at + static_cast<std::ptrdiff_t>(n));
    };
    take(held, held_, node.first_bound, node.bound_count);
    take(values, values_, node.first_value, (node.values_size + 7) / 8 * 8);
    take(boxes, boxes_, node.first_box, node.box_count);
    take(images, images_, node.first_image, node.image_count);
    if (replaced) {
      node.first_step = nodes_[i].first_step;
      node.label = nodes_[i].label;
    }
    nodes.push_back(std::move(node));
  }
  nodes_ = std::move(nodes);
  held_ = std::move(held);
  values_ = std::move(values);
  boxes_ = std::move(boxes);
  images_ = std::move(images);
}

// The snapshots of single runs are changed by the next submit.
void vd_graph::changed_nodes(uint32_t first, uint32_t last) noexcept {
  try {
    for (auto place = snapshots_.begin(); place != snapshots_.end();) {
      const auto now = place++;
      const auto& [key, snapshot] = *now;
      if (snapshot && key.form == Form::Single) {
        if (first < snapshot->end_node && snapshot->first_node <= last) snapshot->note_stale(first, last);
      } else {
        if (snapshot && !snapshot->broken && snapshot->keep_for_update()) previous_[key] = snapshot;
        snapshots_.erase(now);
      }
    }
  } catch (...) {
    // No memory to note the change, which is made: the next submit makes all of them anew.
    snapshots_.clear();
    previous_.clear();
  }
}

void vd_graph::set_unordered(uint32_t node, uint32_t argument, bool unordered) {
  const bool all = argument == VD_ALL_ARGUMENTS;
  check_arguments(node, all ? 0 : argument, all ? 0 : 1, "argument");
  const auto origin = origins_.find(node);
  const vd_plan* const plan = origin != origins_.end() ? origin->second.plan.get() : nullptr;
  for (uint32_t i = nodes_[node].first_step; i <= node; ++i) {
    const std::vector<vd_plan::Step::Argument>* parts = nullptr;
    if (plan != nullptr) parts = &plan->steps()[i - nodes_[node].first_step].arguments;
    for (uint32_t k = 0; k < nodes_[i].bound_count; ++k) {
      const uint32_t number = parts != nullptr && !parts->empty() ? (*parts)[k].index : k;
      const bool users = plan == nullptr || number < plan->bindings().size();  // not the plan's own memory
      if (users && (all || number == argument)) held_[nodes_[i].first_bound + k].ordered = !unordered;
    }
  }
  has_unordered_ = std::ranges::any_of(held_, [](const Held& held) { return !held.ordered; });
  changed();
}
