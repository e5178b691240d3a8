#include "runtime/graph.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>

#include "core/error.h"

using namespace vd;
using backends::Command;
using runtime::Access;
using runtime::Block;
using runtime::Span;
using runtime::Submitted;
using runtime::Ticket;

// ---- Snapshots

namespace vd::runtime {

Snapshot::Snapshot(vd_context& context, uint32_t device)
    : last_use(context.queue_count(), 0), context_(context), device_(device) {
  context_.retired().expect();
}

Snapshot::~Snapshot() {
  // This comes first: retired objects are destroyed in order, and the executable refers to memory and modules.
  context_.retired().add({std::move(last_use), std::move(executable_), nullptr, nullptr});
}

backends::Executable* Snapshot::executable(bool again) {
  std::lock_guard lock(mutex_);
  if (executable_ || (!previous_ && !std::exchange(used_, true) && !again)) return executable_.get();
  // Held while the backend looks at it: another thread may discard a buffer meanwhile.
  std::vector<std::shared_ptr<DeviceMemory>> memories;
  {
    std::lock_guard order(context_.order());
    for (const auto& block : blocks) memories.push_back(block->usable_memory());
  }
  if (previous_) {
    adopt_executable();
    if (executable_ || (!std::exchange(used_, true) && !again)) return executable_.get();
  }
  executable_ = context_.call([&] { return context_.device(device_).make_executable(list); });
  return executable_.get();
}

bool Snapshot::keep_for_update() {
  std::lock_guard lock(mutex_);
  if (!executable_ || !executable_->updatable()) return false;
  list = {};
  accesses.clear();
  blocks.clear();
  return true;
}

// If the update fails or is impossible, the previous form keeps its executable, and retires it.
void Snapshot::adopt_executable() {
  const auto previous = std::exchange(previous_, nullptr);
  std::lock_guard lock(previous->mutex_);
  if (!context_.call([&] { return previous->executable_->update(list); })) return;
  executable_ = std::move(previous->executable_);
  std::lock_guard order(context_.order());
  for (size_t q = 0; q < last_use.size(); ++q) last_use[q] = std::max(last_use[q], previous->last_use[q]);
}

}  // namespace vd::runtime

namespace {

// More ranges of one block than this are taken for their hull.
constexpr size_t kMaxRanges = 8;

// A longer list is prepared before its first run, too: a driver that has room for this number of commands would
// block its caller in the middle of the list, under the order lock.
constexpr size_t kLongList = 256;

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

}  // namespace

// ---- Recording

vd_graph::vd_graph(vd_context& context, std::string label)
    : context_(Ref<vd_context>::retain(&context)), label_(std::move(label)) {}

void vd_graph::hold(vd_buffer& buffer, uint64_t offset, uint64_t size, bool write) {
  per_queue_ = per_queue_ || buffer.per_queue();
  held_.push_back({Ref<vd_buffer>::retain(&buffer), buffer.span(offset, size), write});
}

void vd_graph::changed() {
  if (snapshots_.empty()) return;
  // An entry is empty where making it failed.
  std::erase_if(snapshots_, [](const auto& entry) { return !entry.second || !entry.second->keep_for_update(); });
  previous_ = std::exchange(snapshots_, {});
}

uint32_t vd_graph::append(Node node) {
  nodes_.push_back(std::move(node));
  changed();
  return node_count() - 1;
}

uint32_t vd_graph::dispatch(const runtime::Arguments& arguments) {
  vd_plan& plan = arguments.plan();
  if (&plan.context() != context_.get()) fail(VD_ERR_INVALID, "graph and plan belong to different contexts");
  const runtime::Bound* bounds = arguments.bounds();
  const void* values = arguments.values();
  const uint32_t first = node_count();
  const size_t held = held_.size(), size = values_.size(), images = images_.size();
  try {
    if (plan.steps().empty()) dispatch_kernel(plan, arguments.extent(), bounds, values);
    std::vector<std::byte> own;
    for (const vd_plan::Step& step : plan.steps()) {
      const std::vector<runtime::Bound> all = runtime::step_bounds(plan, step, bounds);
      dispatch_kernel(*step.plan, {step.workgroups, {}}, all.data(), runtime::step_values(plan, step, values, own));
    }
  } catch (...) {  // half of a launch must not be recorded
    nodes_.erase(nodes_.begin() + first, nodes_.end());
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(held), held_.end());
    values_.resize(size);
    images_.resize(images);
    changed();
    throw;
  }
  nodes_.back().first_step = first;
  nodes_.back().user_size = plan.values_size();
  return node_count() - 1;
}

uint32_t vd_graph::dispatch_kernel(vd_plan& plan, const runtime::Extent& extent, const runtime::Bound* bounds,
                                   const void* values) {
  if (values_.size() > UINT32_MAX - plan.block_size())
    fail(VD_ERR_INVALID, "the values of the graph's launches ({} bytes) with those of \"{}\" ({}) are more than 4 GiB",
         values_.size(), plan.name(), plan.block_size());
  Node node;
  node.kind = Command::Kind::Dispatch;
  node.plan = Ref<vd_plan>::retain(&plan);
  node.workgroups = extent.workgroups;
  node.first_bound = static_cast<uint32_t>(held_.size());
  node.bound_count = static_cast<uint32_t>(plan.bindings().size());
  node.first_value = static_cast<uint32_t>(values_.size());
  node.values_size = plan.block_size();
  node.first_image = static_cast<uint32_t>(images_.size());
  for (uint32_t i = 0; i < node.bound_count; ++i) {
    hold(*bounds[i].buffer, bounds[i].offset, bounds[i].size, plan.bindings()[i].write);
    if (bounds[i].image == nullptr || bounds[i].image->in_buffer()) continue;
    images_.push_back(runtime::use_of(context_->device(plan.device()), plan.bindings()[i], bounds[i]));
    ++node.image_count;
  }
  runtime::append_values(plan, extent, values, bounds, values_);
  values_.resize((values_.size() + 7) / 8 * 8);
  return append(std::move(node));
}

uint32_t vd_graph::copy(vd_buffer& source, uint64_t source_offset, vd_buffer& destination, uint64_t destination_offset,
                        uint64_t size) {
  runtime::check_copy(source, source_offset, destination, destination_offset, size);
  if (&source.context() != context_.get())
    fail(VD_ERR_INVALID, "graph and {} belong to different contexts", source.name());
  Node node;
  node.kind = Command::Kind::Copy;
  node.first_bound = static_cast<uint32_t>(held_.size());
  node.bound_count = 2;
  hold(source, source_offset, size, false);
  hold(destination, destination_offset, size, true);
  return append(std::move(node));
}

uint32_t vd_graph::copy_boxes(const runtime::BoxCopy& copy) {
  if (&copy.source->context() != context_.get())
    fail(VD_ERR_INVALID, "graph and {} belong to different contexts", copy.source->name());
  Node node;
  node.kind = copy.kind;
  node.first_bound = static_cast<uint32_t>(held_.size());
  node.bound_count = 2;
  node.first_box = static_cast<uint32_t>(boxes_.size());
  hold(*copy.source, copy.read.begin - copy.source->offset(), copy.read.end - copy.read.begin, false);
  hold(*copy.destination, copy.written.begin - copy.destination->offset(), copy.written.end - copy.written.begin, true);
  boxes_.insert(boxes_.end(), copy.boxes.begin(), copy.boxes.end());
  return append(std::move(node));
}

uint32_t vd_graph::fill(vd_buffer& buffer, uint64_t offset, uint64_t size, uint32_t pattern) {
  runtime::check_fill(buffer, offset, size);
  if (&buffer.context() != context_.get())
    fail(VD_ERR_INVALID, "graph and {} belong to different contexts", buffer.name());
  Node node;
  node.kind = Command::Kind::Fill;
  node.first_bound = static_cast<uint32_t>(held_.size());
  node.bound_count = 1;
  node.pattern = pattern;
  hold(buffer, offset, size, true);
  return append(std::move(node));
}

void vd_graph::set_values(uint32_t node, uint32_t offset, const void* values, uint32_t size) {
  if (node >= nodes_.size() || nodes_[node].kind != Command::Kind::Dispatch) {
    fail(VD_ERR_INVALID, "node ({}) is not a launch of this graph ({} nodes)", node, nodes_.size());
  }
  const Node& launch = nodes_[node];
  if (uint64_t{offset} + size > launch.user_size) {
    fail(VD_ERR_INVALID, "offset ({}) + size ({}) is past the end of the values of \"{}\" ({})", offset, size,
         launch.plan->name(), launch.user_size);
  }
  if (size == 0) return;
  for (uint32_t i = launch.first_step; i <= node; ++i) {
    std::memcpy(values_.data() + nodes_[i].first_value + offset, values, size);
  }
  changed();
}

void vd_graph::reset() {
  nodes_.clear();
  held_.clear();
  values_.clear();
  boxes_.clear();
  images_.clear();
  per_queue_ = false;
  changed();
}

// ---- Ordering

runtime::NodeOrder vd_graph::find_order(const runtime::Queue& queue, bool edges) const {
  runtime::NodeOrder order(edges);
  std::vector<Access> accesses;
  for (const Node& node : nodes_) {
    accesses.clear();
    for (uint32_t i = 0; i < node.bound_count; ++i) {
      const Held& held = held_[node.first_bound + i];
      accesses.push_back({&held.buffer->block(queue), held.span, held.write});
    }
    order.add(accesses);
  }
  return order;
}

uint32_t vd_graph::level_count() const {
  if (nodes_.empty()) return 0;
  // The levels are those of the queues where it could run: any queue of the first buffer's device.
  uint32_t q = 0;
  if (!held_.empty() && !held_[0].buffer->per_queue()) q = context_->first_queue(held_[0].buffer->device());
  return find_order(context_->queue(q), false).level_count();
}

std::shared_ptr<runtime::Snapshot> vd_graph::compile(runtime::Queue& queue) const {
  auto result = std::make_shared<runtime::Snapshot>(*context_, queue.device);
  const bool by_edges = context_->device(queue.device).orders_by_edges();
  const runtime::NodeOrder order = find_order(queue, by_edges);
  std::vector<uint32_t> sorted(nodes_.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](uint32_t a, uint32_t b) { return order.level(a) < order.level(b); });
  std::vector<uint32_t> number(by_edges ? nodes_.size() : 0);  // of a node's command
  for (uint32_t i = 0; i < number.size(); ++i) number[sorted[i]] = i;

  // For each block of memory, the bytes read and written, as other work sees them.
  struct Ranges {
    std::vector<Span> read, written;
    backends::Memory* memory = nullptr;
  };
  std::map<Block*, Ranges> blocks;
  std::map<vd_plan*, bool> plans;
  for (const Held& held : held_) {
    Block& block = held.buffer->block(queue);
    Ranges& ranges = blocks[&block];
    (held.write ? ranges.written : ranges.read).push_back(held.span);
  }
  {
    std::lock_guard lock(context_->order());
    for (auto& [block, ranges] : blocks) ranges.memory = &block->usable_memory()->get();
  }

  const auto range = [&](const Held& held) {
    return backends::Range{blocks.at(&held.buffer->block(queue)).memory, held.span.begin,
                           held.span.end - held.span.begin};
  };
  backends::CommandList& list = result->list;
  list.wait_before = true;
  list.values = values_;
  list.boxes = boxes_;
  list.images = images_;
  for (const uint32_t n : sorted) {
    const Node& node = nodes_[n];
    Command command;
    command.kind = node.kind;
    command.level = order.level(n);
    if (by_edges) {
      command.first_edge = static_cast<uint32_t>(list.edges.size());
      for (const uint32_t other : order.edges(n)) list.edges.push_back(number[other]);
      command.edge_count = static_cast<uint32_t>(list.edges.size()) - command.first_edge;
      std::sort(list.edges.begin() + command.first_edge, list.edges.end());
    }
    if (node.kind == Command::Kind::Dispatch) {
      command.module = &node.plan->compiled().module();
      command.workgroups = node.workgroups;
      command.first_binding = static_cast<uint32_t>(list.ranges.size());
      command.binding_count = node.bound_count;
      command.first_value = node.first_value;
      command.values_size = node.values_size;
      command.first_image = node.first_image;
      for (uint32_t i = 0; i < node.bound_count; ++i) list.ranges.push_back(range(held_[node.first_bound + i]));
      if (!std::exchange(plans[node.plan.get()], true)) result->plans.push_back(node.plan);
    } else {
      command.destination = range(held_[node.first_bound + node.bound_count - 1]);
      if (node.kind != Command::Kind::Fill) command.source = range(held_[node.first_bound]);
      command.first_box = node.first_box;
      command.pattern = node.pattern;
    }
    list.commands.push_back(command);
  }

  for (auto& [block, ranges] : blocks) {
    result->blocks.push_back(Ref<Block>::retain(block));
    join(ranges.read);
    join(ranges.written);
    for (const Span& span : ranges.read) result->accesses.push_back({block, span, false});
    for (const Span& span : ranges.written) result->accesses.push_back({block, span, true});
  }
  return result;
}

// ---- Submitting

std::shared_ptr<runtime::Snapshot> vd_graph::snapshot(runtime::Queue& queue) {
  std::lock_guard lock(mutex_);
  const uint32_t key = per_queue_ ? queue.index : queue.device;
  auto& place = snapshots_[key];
  if (!place) {
    for (const Node& node : nodes_) {
      if (node.plan && node.plan->device() != queue.device) {
        fail(VD_ERR_INVALID, "\"{}\" was made for device {}, and queue {} is on device {}", node.plan->name(),
             node.plan->device(), queue.index, queue.device);
      }
    }
    place = compile(queue);
    if (const auto found = previous_.find(key); found != previous_.end()) {
      place->set_previous(std::move(found->second));
      previous_.erase(found);
    }
  }
  return place;
}

vd_ticket vd_graph::submit(const Submit& how) {
  runtime::Queue& queue = context_->queue(how.queue);
  if (nodes_.empty()) return runtime::submit_nothing(*context_, queue, how.waits);
  runtime::Work order{.accesses = {}, .after = how.waits.queues, .after_devices = how.waits.devices};
  if (!context_->runs_kernels()) {
    fail(VD_ERR_UNSUPPORTED, "the {} backend shows code and runs no kernels",
         backends::backend_name(context_->backend()));
  }

  const std::shared_ptr<runtime::Snapshot> work = snapshot(queue);
  backends::Executable* ready = work->executable(how.repeat > 1 || work->list.commands.size() > kLongList);
  // More parts than the queue takes at once are submitted one by one, so that no thread waits under the lock for room,
  // or for all of them; the claim keeps the parts together.
  const uint32_t parts = ready != nullptr ? queue.backend.parts(*ready) : 1;
  const uint32_t most = ready != nullptr && parts == 1 ? queue.backend.repeats_at_once(*ready) : 1;
  const uint64_t all = uint64_t{how.repeat} * parts;
  std::optional<runtime::Claim> claim;
  if (all > most) claim.emplace(*context_, work->accesses.data(), work->accesses.size());
  order.accesses = work->accesses;
  if (claim) order.claim = &*claim;
  vd_ticket ticket = 0;
  for (uint64_t given = 0; given < all;) {
    if (given != 0) context_->order().let_others_in();
    const auto turns = static_cast<uint32_t>(std::min<uint64_t>(all - given, most));
    const auto part = static_cast<uint32_t>(given % parts);
    ticket = *runtime::submit(*context_, queue, order, [&](bool) {
      const uint64_t value = ready == nullptr ? queue.backend.submit(work->list)
                             : parts == 1     ? queue.backend.submit(*ready, turns)
                                              : queue.backend.submit_part(*ready, part);
      work->last_use[queue.index] = value;
      for (const auto& plan : work->plans) plan->compiled().last_use[queue.index] = value;
      return Submitted{value, true};  // the list begins with a barrier
    });
    order.after_devices = {};
    given += turns;
  }
  claim.reset();
  context_->retired().collect();
  return ticket;
}
