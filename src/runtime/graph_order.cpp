// The order of a graph's nodes, and their snapshots.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "core/error.h"
#include "runtime/graph.h"

using namespace vd;
using backends::Command;
using runtime::Access;
using runtime::Block;
using runtime::NodeOrder;
using runtime::Snapshot;
using runtime::Span;

namespace {

// More ranges of one block than this are taken for their hull.
constexpr size_t kMaxRanges = 8;
// More comparisons than this take longer than to order the nodes anew.
constexpr uint64_t kMostComparisons = 1 << 16;

void join(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  size_t kept = 0;
  for (const Span& span : spans) {
    if (kept != 0 && span.begin <= spans[kept - 1].end) {
      spans[kept - 1].end = std::max(spans[kept - 1].end, span.end);
    } else {
      spans[kept++] = span;
    }
  }
  spans.resize(kept);
  if (kept > kMaxRanges) spans = {{spans.front().begin, spans.back().end}};
}

// The bytes read and written, as other work sees them. `uses` are of one block.
void merge(std::span<const Access> uses, std::vector<Access>& out) {
  for (const bool write : {false, true}) {
    std::vector<Span> spans;
    for (const Access& use : uses)
      if (use.write == write) spans.push_back(use.span);
    join(spans);
    for (const Span& span : spans) out.push_back({uses[0].block, span, write});
  }
}

// Merges the uses of some blocks, all of which the snapshot then holds.
void merge_blocks(std::vector<Access> uses, Snapshot& snapshot) {
  std::ranges::stable_sort(uses, std::less<>(), &Access::block);
  for (size_t first = 0, end = 0; first < uses.size(); first = end) {
    Block* const block = uses[first].block;
    for (end = first; end < uses.size() && uses[end].block == block; ++end) {
    }
    const auto held = [&](const Ref<Block>& other) { return other.get() == block; };
    if (std::ranges::none_of(snapshot.blocks, held)) snapshot.blocks.push_back(Ref<Block>::retain(block));
    merge({uses.data() + first, end - first}, snapshot.accesses);
  }
}

bool same_access(const Access& a, const Access& b) {
  return a.block == b.block && a.span == b.span && a.write == b.write && a.lead == b.lead;
}

bool conflict(const Access& a, const Access& b) {
  return a.block->region() == b.block->region() && (a.write || b.write) &&
         a.block->placed(a.span).overlaps(b.block->placed(b.span));
}

// The same as they were when the snapshot was made.
bool conflicted(const Snapshot& snapshot, size_t a, size_t b) {
  const Snapshot::Placed &first = snapshot.places[a], &second = snapshot.places[b];
  return first.region == second.region && (snapshot.uses[a].write || snapshot.uses[b].write) &&
         first.span.overlaps(second.span);
}

// The memory of each use.
std::vector<backends::Memory*> memories_of(vd_context& context, std::span<const Access> uses) {
  std::vector<backends::Memory*> memories;
  memories.reserve(uses.size());
  std::lock_guard lock(context.order());
  for (const Access& use : uses) memories.push_back(&use.block->usable_memory()->get());
  return memories;
}

backends::Range range_of(const Access& use, backends::Memory* memory) {
  return {memory, use.span.begin - use.lead, use.span.end - use.span.begin + use.lead};
}

}  // namespace

// ---- Order

std::vector<vd_graph::Section> vd_graph::sections() const {
  std::vector<Section> sections(1);
  for (uint32_t n = 0; n < node_count(); ++n) {
    if (!nodes_[n].call) continue;
    sections.back().call = nodes_[n].call;
    sections.push_back({n + 1, n + 1, nullptr});
    sections[sections.size() - 2].end = n;
  }
  sections.back().end = node_count();
  if (sections.size() > 1 && sections.back().first == node_count()) sections.pop_back();
  return sections;
}

NodeOrder vd_graph::find_order(const runtime::Queue& queue, const Section& section, uint32_t copies, bool edges) const {
  NodeOrder order(edges);
  std::vector<NodeOrder::Use> uses;
  for (uint32_t copy = 0; copy < copies; ++copy) {
    if (copy != 0 && has_unordered_) order.fence();
    for (uint32_t n = section.first; n < section.end; ++n) {
      const Node& node = nodes_[n];
      uses.clear();
      bool free = false;
      for (uint32_t i = 0; i < node.bound_count; ++i) {
        const Held& held = held_[node.first_bound + i];
        const Block& block = held.buffer->block(queue);
        if (held.ordered)
          uses.push_back({block.region().get(), block.placed(held.span), held.write});
        else
          free = true;
      }
      // The nodes of one launch stay in order: a byte that they all write stands for it.
      if (free && has_steps(n)) uses.push_back({&nodes_[node.first_step], {0, 1}, true});
      if (node.call) order.fence();
      order.add(uses);
      if (node.call) order.fence();
    }
  }
  return order;
}

// The extent of what was recorded before a node.
vd_graph::Sizes vd_graph::sizes_before(uint32_t n) const {
  if (n == node_count()) return sizes();
  const Node& node = nodes_[n];
  return {n, node.first_bound, node.first_value, node.first_box, node.first_image};
}

bool vd_graph::has_steps(uint32_t node) const {
  return nodes_[node].first_step != node || (node + 1 < node_count() && nodes_[node + 1].first_step <= node);
}

NodeOrder vd_graph::order() const {
  // That of the queues where it could run: any queue of the first buffer's device.
  uint32_t q = 0;
  if (!held_.empty() && !held_[0].buffer->per_queue()) q = context_->first_queue(held_[0].buffer->device());
  return find_order(context_->queue(q), {0, node_count(), nullptr}, 1, true);
}

// ---- Snapshots

std::shared_ptr<Snapshot> vd_graph::compile(runtime::Queue& queue, const Section& section, uint32_t copies) const {
  auto result = std::make_shared<Snapshot>(*context_, queue.device);
  const uint32_t first = section.first, count = section.end - section.first;
  const bool by_edges = context_->device(queue.device).orders_by_edges();
  const NodeOrder order = find_order(queue, section, copies, by_edges);
  std::vector<uint32_t> sorted(size_t{count} * copies);
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](uint32_t a, uint32_t b) { return order.level(a) < order.level(b); });
  result->first_node = first;
  result->end_node = section.end;
  result->copies = copies;
  result->numbers.resize(sorted.size());
  for (uint32_t i = 0; i < sorted.size(); ++i) result->numbers[sorted[i]] = i;

  const Sizes base = sizes_before(first), end = sizes_before(section.end);
  backends::CommandList& list = result->list;
  result->uses.resize(end.held - base.held);
  result->places.resize(end.held - base.held);
  for (size_t i = base.held; i < end.held; ++i) {
    const Held& held = held_[i];
    result->set_use(i - base.held, {&held.buffer->block(queue), held.span, held.write, held.lead});
  }
  merge_blocks(result->uses, *result);
  const std::vector<backends::Memory*> memories = memories_of(*context_, result->uses);
  for (size_t i = 0; i < memories.size(); ++i) list.ranges.push_back(range_of(result->uses[i], memories[i]));
  list.wait_before = true;
  const auto part = [](const auto& all, size_t from, size_t to) {
    return std::remove_cvref_t<decltype(all)>(all.begin() + static_cast<std::ptrdiff_t>(from),
                                              all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  for (uint32_t copy = 0; copy < copies; ++copy)
    list.values.insert(list.values.end(), values_.begin() + static_cast<std::ptrdiff_t>(base.values),
                       values_.begin() + static_cast<std::ptrdiff_t>(end.values));
  list.boxes = part(boxes_, base.boxes, end.boxes);
  list.images = part(images_, base.images, end.images);
  list.commands.reserve(sorted.size());
  for (const uint32_t n : sorted) {
    const Node& node = nodes_[first + n % count];
    Command command;
    command.kind = node.kind;
    command.level = order.level(n);
    if (by_edges) {
      command.first_edge = static_cast<uint32_t>(list.edges.size());
      for (const uint32_t other : order.edges(n)) list.edges.push_back(result->numbers[other]);
      command.edge_count = static_cast<uint32_t>(list.edges.size()) - command.first_edge;
      std::sort(list.edges.begin() + command.first_edge, list.edges.end());
    }
    const auto at = static_cast<uint32_t>(node.first_bound - base.held);
    command.first_box = static_cast<uint32_t>(node.first_box - base.boxes);
    if (node.kind == Kind::Dispatch) {
      command.module = &node.plan->compiled().module();
      command.workgroups = node.extent.workgroups;
      command.first_binding = at;
      command.counts = node.device_reads_counts();
      command.binding_count = node.bound_count - (command.counts ? 1 : 0);
      command.first_value =
          static_cast<uint32_t>(node.first_value - base.values + n / count * (end.values - base.values));
      command.values_size = node.values_size;
      command.first_image = static_cast<uint32_t>(node.first_image - base.images);
    } else {
      command.destination = list.ranges[at + node.bound_count - 1];
      if (node.kind != Kind::Fill) command.source = list.ranges[at];
      command.pattern = node.pattern;
    }
    list.commands.push_back(command);
  }
  std::set<const vd_plan*> plans;
  for (uint32_t n = first; n < section.end; ++n)
    if (nodes_[n].plan && plans.insert(nodes_[n].plan.get()).second) result->plans.push_back(nodes_[n].plan);
  return result;
}

// Whether the nodes keep their order: each changed use is in the way of the same ones as before.
bool vd_graph::keeps_hazards(const Snapshot& snapshot, std::span<const Access> uses,
                             std::span<const Changed> changed) const {
  if (changed.size() * uses.size() > kMostComparisons) return false;
  const size_t base = sizes_before(snapshot.first_node).held;
  for (const auto& [use, node] : changed) {
    if (!held_[base + use].ordered) continue;
    const size_t first = nodes_[node].first_bound - base, end = first + nodes_[node].bound_count;
    for (size_t other = 0; other < uses.size(); ++other) {
      if ((other >= first && other < end) || !held_[base + other].ordered) continue;
      if (conflicted(snapshot, use, other) != conflict(uses[use], uses[other])) return false;
    }
  }
  return true;
}

// Makes the changes of nodes in their snapshot. False if they need a new one.
bool vd_graph::refresh(Snapshot& snapshot, runtime::Queue& queue) const {
  std::vector<uint32_t> nodes = snapshot.stale;
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  const Sizes base = sizes_before(snapshot.first_node);
  std::vector<Access>& uses = snapshot.next_uses;
  uses = snapshot.uses;
  std::vector<Changed> changed;
  std::vector<const Block*> touched;
  for (const uint32_t n : nodes) {
    for (uint32_t i = nodes_[n].first_bound; i < nodes_[n].first_bound + nodes_[n].bound_count; ++i) {
      const Held& held = held_[i];
      const Access now{&held.buffer->block(queue), held.span, held.write, held.lead};
      Access& use = uses[i - base.held];
      if (same_access(use, now)) continue;
      touched.push_back(use.block);
      touched.push_back(now.block);
      use = now;
      changed.push_back({static_cast<uint32_t>(i - base.held), n});
    }
  }
  if (!changed.empty() && !keeps_hazards(snapshot, uses, changed)) return false;
  std::vector<Access> moved;
  for (const Changed& change : changed) moved.push_back(uses[change.use]);
  const std::vector<backends::Memory*> memories = memories_of(*context_, moved);

  backends::CommandList& list = snapshot.list;
  for (size_t i = 0; i < changed.size(); ++i) list.ranges[changed[i].use] = range_of(moved[i], memories[i]);
  std::vector<uint32_t> commands;
  for (const uint32_t n : nodes) {
    const Node& node = nodes_[n];
    commands.push_back(snapshot.numbers[n - snapshot.first_node]);
    Command& command = list.commands[commands.back()];
    if (node.kind == Kind::Dispatch) {
      std::copy_n(values_.begin() + node.first_value, node.values_size, list.values.begin() + command.first_value);
      std::copy_n(images_.begin() + node.first_image, node.image_count, list.images.begin() + command.first_image);
      continue;
    }
    const size_t at = node.first_bound - base.held;
    command.destination = list.ranges[at + node.bound_count - 1];
    if (node.kind != Kind::Fill) command.source = list.ranges[at];
    std::copy_n(boxes_.begin() + node.first_box, node.box_count, list.boxes.begin() + command.first_box);
  }
  for (const Changed& change : changed) snapshot.set_use(change.use, uses[change.use]);
  const auto is_touched = [&](const Access& use) { return std::ranges::find(touched, use.block) != touched.end(); };
  std::erase_if(snapshot.accesses, is_touched);
  std::vector<Access> again;  // most nodes of a graph use the same few ranges, one after the other
  for (const Access& use : snapshot.uses)
    if ((again.empty() || !same_access(again.back(), use)) && is_touched(use)) again.push_back(use);
  merge_blocks(std::move(again), snapshot);
  snapshot.stale.clear();
  snapshot.patch(commands);
  return true;
}

std::shared_ptr<Snapshot> vd_graph::snapshot(runtime::Queue& queue, const Section& section, uint32_t number, Form form,
                                             uint32_t copies) {
  std::lock_guard lock(mutex_);
  // No queue has the place of a device: a graph may come to have replicas, or to lose them, between two forms.
  const Key key{per_queue_ ? context_->device_count() + queue.index : queue.device, number, form};
  auto& place = snapshots_[key];
  const auto is_useless = [&] {
    if (place->broken || place->copies != copies) return true;
    if (place->stale.empty()) return false;
    place->broken = true;
    const bool refreshed = refresh(*place, queue);
    place->broken = false;
    return !refreshed;
  };
  if (place && is_useless()) {
    if (!place->broken && place->copies == copies && place->keep_for_update()) previous_[key] = place;
    place = nullptr;
  }
  if (!place) {
    for (const Node& node : nodes_) {
      if (node.plan && node.plan->device() != queue.device) {
        fail(VD_ERR_INVALID, "\"{}\" was made for device {}, and queue {} is on device {}", node.plan->name(),
             node.plan->device(), queue.index, queue.device);
      }
    }
    place = compile(queue, section, copies);
    if (const auto found = previous_.find(key); found != previous_.end()) {
      place->set_previous(std::move(found->second));
      previous_.erase(found);
    }
  }
  return place;
}
