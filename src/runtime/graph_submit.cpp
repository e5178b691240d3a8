// Submissions of a graph.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/error.h"
#include "runtime/graph.h"

using namespace vd;
using runtime::Queue;
using runtime::Snapshot;
using runtime::Submitted;

namespace {

// A longer list is prepared before its first run, too: a driver that has room for this number of commands would
// block its caller in the middle of the list, under the order lock.
constexpr size_t kLongList = 256;
// The most commands of instances in one submission: the device runs some while the host prepares the next.
constexpr size_t kCommandsAtOnce = kLongList;

}  // namespace

// One submission: its parts, one after the other, of which other work sees all or none.
class vd_graph::Run {
 public:
  Run(vd_context& context, Queue& queue, const runtime::Waits& waits)
      : context_(context),
        queue_(queue),
        order_{.accesses = {},
               .after = waits.queues,
               .after_devices = waits.devices,
               .stream = waits.stream,
               .semaphores = waits.semaphores.get()},
        captured_(waits.stream != 0 && queue.backend.is_capturing(waits.stream)) {
    if (!captured_) order_.parts = &parts_;  // what is captured has no value of its own
  }

  // Whether the work becomes part of a graph of the program's, which takes commands and no executables.
  bool captured() const { return captured_; }

  // Everything that it accesses, where there are several parts. It may wait for other such work.
  void claim(const std::vector<std::shared_ptr<Snapshot>>& work) {
    for (const auto& snapshot : work) all_.insert(all_.end(), snapshot->accesses.begin(), snapshot->accesses.end());
    claim(all_);
  }
  void claim(std::span<const runtime::Access> accesses) {
    if (!claim_) claim_.emplace(context_, accesses.data(), accesses.size());
    order_.claim = &*claim_;
  }

  void call(const std::shared_ptr<const runtime::HostCall>& call) {
    next({});
    ticket_ = runtime::call_in_order(context_, queue_, order_, call);
  }
  // The snapshot's list, once.
  void add_list(Snapshot& work) {
    add(work, [&] { return queue_.backend.submit(work.list); });
  }
  // The snapshot's work, `repeat` times, timed: its executable, if it is `ready` for that, or its list in parts.
  // names(first, end) are those of its commands.
  template <class Names>
  void add_timed(Snapshot& work, backends::Executable* ready, uint32_t repeat, Names&& names) {
    const size_t count = work.list.commands.size();
    if (ready != nullptr) {
      if (repeat > 1) claim(work.accesses);
      for (uint32_t turn = 0; turn < repeat; ++turn)
        add(work, [&] { return context_.profiler().submit(queue_, *ready, names(0, count)); });
      return;
    }
    if (repeat > 1 || count > runtime::kTimedCommands) claim(work.accesses);
    for (uint32_t turn = 0; turn < repeat; ++turn) {
      for (size_t first = 0; first < count; first += runtime::kTimedCommands) {
        const size_t end = std::min(first + runtime::kTimedCommands, count);
        backends::CommandList part;
        part.ranges = work.list.ranges;
        part.images = work.list.images;
        part.boxes = work.list.boxes;
        part.values = work.list.values;
        part.commands.assign(work.list.commands.begin() + static_cast<std::ptrdiff_t>(first),
                             work.list.commands.begin() + static_cast<std::ptrdiff_t>(end));
        add(work, [&] { return context_.profiler().submit(queue_, part, names(first, end)); });
      }
    }
  }
  // Its executable. More parts than the queue takes at once are submitted one by one, so that no thread waits under the
  // lock for room, or for all of them; the claim keeps the parts together.
  void add(Snapshot& work, backends::Executable& ready, uint32_t repeat) {
    const uint32_t parts = queue_.backend.parts(ready);
    const uint32_t most = parts == 1 ? queue_.backend.repeats_at_once(ready) : 1;
    const uint64_t all = uint64_t{repeat} * parts;
    if (all > most) claim(work.accesses);
    for (uint64_t given = 0; given < all;) {
      const auto turns = static_cast<uint32_t>(std::min<uint64_t>(all - given, most));
      const auto part = static_cast<uint32_t>(given % parts);
      add(work,
          [&] { return parts == 1 ? queue_.backend.submit(ready, turns) : queue_.backend.submit_part(ready, part); });
      given += turns;
    }
  }
  vd_ticket end() {
    claim_.reset();
    context_.retired().collect();
    return ticket_;
  }

 private:
  void next(std::span<const runtime::Access> accesses) {
    if (begun_) {
      if (!std::exchange(several_, true)) context_.completed(queue_.index);  // renews `done`: older parts are forgotten
      context_.order().let_others_in();
      order_.after_devices = {};
    }
    begun_ = true;
    order_.accesses = accesses;
  }
  template <class Give>
  void add(Snapshot& work, Give&& give) {
    next(work.accesses);
    ticket_ = *runtime::submit(context_, queue_, order_, [&](bool) {
      const uint64_t value = give();
      work.last_use[queue_.index] = value;
      for (const auto& plan : work.plans) plan->compiled().last_use[queue_.index] = value;
      return Submitted{value, true};  // the list begins with a barrier
    });
  }

  vd_context& context_;
  Queue& queue_;
  runtime::Work order_;
  const bool captured_;
  std::vector<runtime::Access> all_;
  std::optional<runtime::Claim> claim_;
  WorkFailures::Work parts_;
  bool begun_ = false;
  bool several_ = false;
  vd_ticket ticket_ = 0;
};

template <class IsOf>
void vd_graph::refuse_node(const Error& error, IsOf&& is_of) const {
  for (uint32_t n = 0; n < node_count(); ++n) {
    const Node& node = nodes_[n];
    for (uint32_t i = 0; i < node.bound_count; ++i) {
      if (!is_of(held_[node.first_bound + i])) continue;
      uint32_t last = n;  // of a launch, whose number it has
      while (!is_last_of_launch(last)) ++last;
      if (node.kind != Kind::Dispatch || is_own(last) || i >= node.plan->bindings().size())
        fail(error.status(), "node {}: {}", last, error.what());
      fail(error.status(), "node {}: argument {} (\"{}\") of \"{}\": {}", last, i, node.plan->bindings()[i].name,
           node.plan->name(), error.what());
    }
  }
  throw;
}

vd_ticket vd_graph::submit(const Submit& how) {
  Queue& queue = context_->queue(how.queue);
  for (size_t i = 0; i < how.values.size(); ++i)
    check_values(fmt::format("desc->instance_values[{}].", i), how.values[i].node, how.values[i].offset,
                 how.values[i].size);
  if (nodes_.empty()) return runtime::submit_nothing(*context_, queue, how.waits);
  if (!context_->runs_kernels()) {
    fail(VD_ERR_UNSUPPORTED, "the {} backend shows code and runs no kernels",
         backends::backend_name(context_->backend()));
  }
  try {
    return submit_nodes(how, queue);
  } catch (const runtime::MappedError& error) {
    const runtime::Access& access = error.access();
    refuse_node(error, [&](const Held& held) {
      return &held.buffer->block(queue) == access.block && held.write == access.write &&
             held.span.overlaps(access.span);
    });
  } catch (const runtime::DiscardedError& error) {
    refuse_node(error, [](const Held& held) { return held.buffer->discarded(); });
  }
}

vd_ticket vd_graph::submit_nodes(const Submit& how, Queue& queue) {
  if (has_calls_ || !how.values.empty()) return submit_instances(how, queue, sections());
  const std::shared_ptr<Snapshot> work = snapshot(queue, {0, node_count(), nullptr}, 0, Form::Single, 1);
  Run run(*context_, queue, how.waits);
  if (run.captured()) {
    for (uint32_t i = 0; i < how.repeat; ++i) run.add_list(*work);
    return run.end();
  }
  const bool timed = context_->profiler().active();
  backends::Executable* const ready = !timed || queue.backend.times_executables()
                                          ? work->executable(how.repeat > 1 || work->list.commands.size() > kLongList)
                                          : nullptr;
  if (timed)
    run.add_timed(*work, ready, how.repeat, [&](size_t first, size_t end) { return span_names(*work, first, end); });
  else if (ready != nullptr)
    run.add(*work, *ready, how.repeat);
  else
    run.add_list(*work);
  return run.end();
}

// The names of a snapshot's commands in profiles.
std::vector<runtime::SpanName> vd_graph::span_names(const Snapshot& snapshot, size_t first, size_t end) const {
  std::vector<uint32_t> nodes(snapshot.numbers.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const size_t count = snapshot.end_node - snapshot.first_node;
    nodes[snapshot.numbers[i]] = static_cast<uint32_t>(snapshot.first_node + i % count);
  }
  std::vector<runtime::SpanName> names;
  for (size_t i = first; i < end; ++i) {
    const Node& node = nodes_[nodes[i]];
    const bool launches = node.kind == Kind::Dispatch;
    names.push_back(launches ? runtime::SpanName{VD_SPAN_LAUNCH, node.plan->name()}
                             : runtime::name_of(snapshot.list.commands[i]));
    names.back().label = node.label;
  }
  return names;
}

// With values for each instance, or with calls. Threads that submit such a graph take turns, since its snapshots hold the
// values of one submission.
vd_ticket vd_graph::submit_instances(const Submit& how, Queue& queue, const std::vector<Section>& sections) {
  std::lock_guard turn(instances_);
  const bool several = sections.size() == 1 && !sections[0].call;
  const uint32_t most =
      several ? std::min(how.repeat, static_cast<uint32_t>(std::max<size_t>(kCommandsAtOnce / nodes_.size(), 1))) : 1;
  const Form form = how.values.empty() ? Form::Single : how.repeat >= most && most > 1 ? Form::Copies : Form::Rest;
  std::vector<std::shared_ptr<Snapshot>> work(sections.size());
  for (uint32_t s = 0; s < sections.size(); ++s)
    if (sections[s].first != sections[s].end) work[s] = snapshot(queue, sections[s], s, form, most);
  Run run(*context_, queue, how.waits);
  if (run.captured() && std::ranges::any_of(sections, [](const Section& section) { return section.call != nullptr; }))
    fail(VD_ERR_UNSUPPORTED, "a graph that calls functions of the program cannot be captured");
  if (!several || how.repeat > most) {
    std::vector<std::shared_ptr<Snapshot>> parts;
    std::ranges::copy_if(work, std::back_inserter(parts), [](const auto& part) { return part != nullptr; });
    run.claim(parts);
  }
  for (uint32_t first = 0; first < how.repeat;) {
    const uint32_t copies = std::min(most, how.repeat - first);
    for (uint32_t s = 0; s < sections.size(); ++s) {
      if (work[s]) {
        if (copies < work[s]->copies) work[s] = snapshot(queue, sections[s], s, Form::Rest, copies);
        Snapshot& part = *work[s];
        if (!how.values.empty()) {
          part.broken = true;
          part.patch(put_values(part, how, first));
          part.broken = false;
        }
        const bool timed = context_->profiler().active() && !run.captured();
        const bool long_list = part.list.commands.size() > kLongList;
        const bool again = how.values.empty() ? how.repeat > 1 : part.copies == most && how.repeat / most > 2;
        backends::Executable* const ready = !run.captured() && (!timed || queue.backend.times_executables()) &&
                                                    (how.values.empty() || part.patchable() || long_list)
                                                ? part.executable(again || long_list)
                                                : nullptr;
        if (timed)
          run.add_timed(part, ready, 1, [&](size_t begin, size_t end) { return span_names(part, begin, end); });
        else if (ready != nullptr)
          run.add(part, *ready, 1);
        else
          run.add_list(part);
      }
      if (sections[s].call) run.call(sections[s].call);
    }
    first += copies;
  }
  return run.end();
}

// The values of the instances from `first` on. Gives the commands whose values change.
std::vector<uint32_t> vd_graph::put_values(Snapshot& snapshot, const Submit& how, uint32_t first) const {
  std::vector<uint32_t> commands;
  const uint32_t count = snapshot.end_node - snapshot.first_node;
  const auto values_of = [&](const Snapshot::Varied& varied) {
    commands.push_back(snapshot.numbers[varied.copy * count + varied.node - snapshot.first_node]);
    return snapshot.list.values.data() + snapshot.list.commands[commands.back()].first_value;
  };
  // The last submission may have given values that this one leaves as they were recorded.
  for (const Snapshot::Varied& varied : snapshot.varied) {
    const Node& node = nodes_[varied.node];
    std::memcpy(values_of(varied), values_.data() + node.first_value, node.values_size);
  }
  snapshot.varied.clear();
  for (const InstanceValues& given : how.values) {
    if (given.node < snapshot.first_node || given.node >= snapshot.end_node) continue;
    for (uint32_t copy = 0; copy < snapshot.copies; ++copy) {
      const std::byte* const values = given.values + size_t{first + copy} * given.size;
      for (uint32_t step = nodes_[given.node].first_step; step <= given.node; ++step) {
        snapshot.varied.push_back({step, copy});
        std::memcpy(values_of(snapshot.varied.back()) + given.offset, values, given.size);
      }
    }
  }
  std::sort(commands.begin(), commands.end());
  commands.erase(std::unique(commands.begin(), commands.end()), commands.end());
  return commands;
}
