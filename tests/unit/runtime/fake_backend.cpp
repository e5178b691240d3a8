#include "unit/runtime/fake_backend.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>

#include "core/error.h"
#include "runtime/buffer.h"

namespace vd::fake {

using backends::Command;

// ---- World

bool World::step() {
  std::vector<Queue*> ready;
  for (Queue* queue : queues) {
    if (queue->can_run()) ready.push_back(queue);
  }
  if (ready.empty()) return false;
  ready[random() % ready.size()]->run_group();
  return true;
}

void World::run(Queue& queue, uint64_t value) {
  while (queue.done_ < value) {
    if (!step()) {
      fault("a queue waits for what never comes");
      return;
    }
  }
}

// ---- Memory and modules

Memory::Memory(World& world, uint64_t size) : bytes(size), world_(world) {
  std::lock_guard lock(world.mutex);
  if (world.memory_used + size > world.memory_limit) fail(VD_ERR_OUT_OF_MEMORY, "the fake device is full");
  world.memory_used += size;
  world.memories.insert(this);
}
Memory::~Memory() {
  std::lock_guard lock(world_.mutex);
  world_.memory_used -= bytes.size();
  world_.memories.erase(this);
}
bool Memory::native(const char* kind, uint64_t& out) const {
  if (std::strcmp(kind, "address") != 0) return false;
  out = reinterpret_cast<uint64_t>(bytes.data());
  return true;
}

Module::Module(World& world, std::string text, Body body)
    : body(std::move(body)), world_(world), text_(std::move(text)) {
  std::lock_guard lock(world.mutex);
  world.modules.insert(this);
  ++world.modules_made;
}
Module::~Module() {
  std::lock_guard lock(world_.mutex);
  world_.modules.erase(this);
}

namespace {

class Executable final : public backends::Executable {
 public:
  Executable(World& world, const backends::CommandList& list) : list(list), world_(world) {
    std::lock_guard lock(world.mutex);
    world.executables.insert(this);
    ++world.executables_made;
  }
  ~Executable() override {
    std::lock_guard lock(world_.mutex);
    world_.executables.erase(this);
  }
  bool updatable() const override { return world_.updates; }
  bool update(const backends::CommandList& next) override {
    std::lock_guard lock(world_.mutex);
    ++world_.updates_asked;
    if (next.commands.size() != list.commands.size()) return false;
    if (world_.fail_update) fail(VD_ERR_INTERNAL, "the update failed");
    list = next;
    return true;
  }
  bool patch(const backends::CommandList& next, std::span<const uint32_t> commands) override {
    std::lock_guard lock(world_.mutex);
    if (!world_.updates) return false;
    ++world_.patches;
    check_patch(next, commands);
    list = next;
    return true;
  }
  backends::CommandList list;

 private:
  // The commands that differ are among those that are told, and differ in their arguments alone.
  void check_patch(const backends::CommandList& next, std::span<const uint32_t> commands) {
    if (next.commands.size() != list.commands.size() || next.edges != list.edges)
      return world_.fault("a patch has other commands or edges");
    for (const backends::Range& range : next.ranges)
      if (!world_.memories.contains(range.memory)) world_.fault("a patch looks at memory that was freed");
    for (uint32_t i = 0; i < list.commands.size(); ++i) {
      const Command &then = list.commands[i], &now = next.commands[i];
      if (then.module != now.module || then.level != now.level || then.kind != now.kind)
        world_.fault("a patch changes a command's kind");
      if (std::ranges::find(commands, i) != commands.end()) continue;
      const auto value = [](const backends::CommandList& of, const Command& c) {
        return std::vector(of.values.begin() + c.first_value, of.values.begin() + c.first_value + c.values_size);
      };
      bool same = value(list, then) == value(next, now) && then.destination.offset == now.destination.offset;
      for (uint32_t k = 0; k < then.binding_count; ++k) {
        const backends::Range &a = list.ranges[then.first_binding + k], &b = next.ranges[now.first_binding + k];
        same = same && a.memory == b.memory && a.offset == b.offset && a.size == b.size;
      }
      if (!same) world_.fault("a patch does not tell of a command that it changes");
    }
  }

  World& world_;
};

std::span<std::byte> bytes_of(const backends::Range& range) {
  return std::span(static_cast<Memory*>(range.memory)->bytes).subspan(range.offset, range.size);
}

void run_command(const Command& command, const backends::CommandList& list) {
  switch (command.kind) {
    case backends::Command::Kind::CopyToImage:
    case backends::Command::Kind::CopyFromImage:
    case backends::Command::Kind::CopyImage:
      backends::refuse_image_copy();
    case Command::Kind::Dispatch: {
      std::vector<std::span<std::byte>> ranges;
      for (uint32_t i = 0; i < command.binding_count; ++i)
        ranges.push_back(bytes_of(list.ranges[command.first_binding + i]));
      const auto values = std::span(list.values).subspan(command.first_value, command.values_size);
      static_cast<Module*>(command.module)->body(ranges, values);
      break;
    }
    case Command::Kind::Copy:
      std::memcpy(bytes_of(command.destination).data(), bytes_of(command.source).data(), command.source.size);
      break;
    case Command::Kind::Fill:
      for (uint64_t at = 0; at < command.destination.size; at += 4)
        std::memcpy(bytes_of(command.destination).data() + at, &command.pattern, 4);
      break;
  }
}

}  // namespace

// ---- Queue

Queue::~Queue() {
  std::lock_guard lock(world_.mutex);
  if (!pending_.empty()) world_.fault("a queue was closed with work to do");
  std::erase(world_.queues, this);
}

void Queue::check_health() {
  if (world_.submits_until_failure == 0) lost_ = true;
  if (world_.submits_until_failure > 0) --world_.submits_until_failure;
  if (lost_) {
    pending_.clear();
    done_ = given_;
    fail(VD_ERR_DEVICE_LOST, "the fake device is lost");
  }
}

void Queue::check(const Command& command, const backends::CommandList& list) {
  const auto alive = [&](const backends::Range& range) {
    if (!world_.memories.contains(range.memory)) return world_.fault("memory was freed while work used it");
    if (range.size == 0 || range.offset + range.size > range.memory->size()) world_.fault("a range is out of bounds");
  };
  if (command.kind == Command::Kind::Dispatch) {
    if (!world_.modules.contains(command.module)) world_.fault("a module was freed while work used it");
    for (uint32_t i = 0; i < command.binding_count; ++i) alive(list.ranges[command.first_binding + i]);
  } else {
    if (command.kind == Command::Kind::Copy) alive(command.source);
    alive(command.destination);
  }
}

void Queue::add(std::function<void()> run, std::function<void()> check) {
  pending_.push_back({std::move(run), std::move(check), given_, group_});
}

void Queue::append(const backends::CommandList& list) {
  if (list.wait_before) barrier();
  uint32_t level = 0;
  const auto shared = std::make_shared<backends::CommandList>(list);
  for (const Command& command : shared->commands) {
    if (command.level < level) world_.fault("levels fall");
    if (command.level > level) barrier();
    level = command.level;
    check(command, *shared);
    add([shared, &command] { run_command(command, *shared); }, [this, shared, &command] { check(command, *shared); });
  }
}

// In a random order of those that the edges allow.
void Queue::append_by_edges(const backends::CommandList& list) {
  if (list.wait_before) barrier();
  const auto shared = std::make_shared<backends::CommandList>(list);
  std::vector<uint32_t> left(list.commands.size());
  std::iota(left.begin(), left.end(), 0u);
  for (const uint32_t i : left) {
    check(list.commands[i], list);
    uint32_t least = 0;
    for (const uint32_t other : list.edges_of(list.commands[i])) {
      if (other < least || other >= i || list.commands[other].level >= list.commands[i].level)
        return world_.fault("an edge leads to no earlier command, or edges fall");
      least = other + 1;
    }
  }
  std::vector<uint32_t> order;
  std::vector<bool> done(list.commands.size());
  while (!left.empty()) {
    const auto ready = [&](uint32_t i) {
      return std::ranges::all_of(list.edges_of(list.commands[i]), [&](uint32_t other) { return done[other]; });
    };
    const auto end = std::stable_partition(left.begin(), left.end(), ready);
    const auto next = left.begin() + static_cast<ptrdiff_t>(world_.random() % static_cast<size_t>(end - left.begin()));
    order.push_back(*next);
    done[*next] = true;
    left.erase(next);
  }
  add(
      [shared, order] {
        for (const uint32_t i : order) run_command(shared->commands[i], *shared);
      },
      [this, shared] {
        for (const Command& command : shared->commands) check(command, *shared);
      });
}

uint64_t Queue::submit(const backends::CommandList& list) {
  if (world_.on_submit) world_.on_submit();
  std::lock_guard lock(world_.mutex);
  check_health();
  ++given_;
  if (list.wait_before) ++world_.barriers;
  append(list);
  add([] {}, [] {});  // an empty list reaches its value too
  return given_;
}

uint64_t Queue::submit(backends::Executable& executable, uint32_t repeat) {
  std::lock_guard lock(world_.mutex);
  if (repeat > repeats_at_once(executable)) world_.fault("more repeats than the queue takes at once");
  return append_runs(executable, static_cast<Executable&>(executable).list, repeat);
}

namespace {

class Timing final : public backends::Timing {
 public:
  explicit Timing(World& world) : world_(world) {}
  uint64_t read(std::span<backends::Interval> out) override {
    std::lock_guard lock(world_.mutex);
    ++world_.timings_read;
    std::ranges::fill(out, backends::Interval{1, 1});
    return 0;
  }

 private:
  World& world_;
};

}  // namespace

uint64_t Queue::submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) {
  timing = std::make_unique<Timing>(world_);
  ++world_.timed_lists;
  return submit(list);
}

uint64_t Queue::submit_timed_executable(backends::Executable& executable, std::unique_ptr<backends::Timing>& timing) {
  timing = std::make_unique<Timing>(world_);
  ++world_.timed_executables;
  return submit(executable, 1);
}

uint32_t Queue::parts(const backends::Executable& executable) const {
  const size_t size = static_cast<const Executable&>(executable).list.commands.size();
  return world_.part_size == 0 ? 1 : static_cast<uint32_t>((size + world_.part_size - 1) / world_.part_size);
}

uint64_t Queue::submit_part(backends::Executable& executable, uint32_t part) {
  if (world_.on_part) world_.on_part();
  std::lock_guard lock(world_.mutex);
  backends::CommandList list = static_cast<Executable&>(executable).list;
  const size_t first = part * world_.part_size, end = std::min(first + world_.part_size, list.commands.size());
  list.commands = {list.commands.begin() + static_cast<ptrdiff_t>(first),
                   list.commands.begin() + static_cast<ptrdiff_t>(end)};
  return append_runs(executable, list, 1);
}

uint64_t Queue::append_runs(backends::Executable& executable, const backends::CommandList& list, uint32_t repeat) {
  check_health();
  if (world_.full) world_.fault("a caller would have been held back");
  ++given_;
  if (!world_.executables.contains(&executable)) world_.fault("an executable was used after it was freed");
  // A part of a list has the numbers of all of it in its edges.
  const bool by_edges = world_.by_edges && world_.part_size == 0;
  for (uint32_t i = 0; i < repeat; ++i) {
    if (by_edges)
      append_by_edges(list);
    else
      append(list);
  }
  add([] {},
      [this, &executable] {
        if (!world_.executables.contains(&executable)) world_.fault("an executable was freed while it ran");
      });
  if (world_.refill) world_.full = true;
  return given_;
}

uint32_t Queue::repeats_at_once(const backends::Executable&) const {
  return world_.repeats_at_once != 0 ? world_.repeats_at_once : UINT32_MAX;
}

class Queue::Upload final : public backends::Upload {
 public:
  Upload(Queue& queue, const backends::Range& destination, const std::byte* bytes)
      : queue_(queue), destination_(destination), copy_(bytes, bytes + destination.size) {}
  uint64_t size() const override { return destination_.size; }
  uint64_t submit(bool wait_before) override {
    std::lock_guard lock(queue_.world_.mutex);
    queue_.check_health();
    ++queue_.given_;
    if (wait_before) queue_.barrier();
    queue_.add([destination = destination_,
                copy = copy_] { std::memcpy(bytes_of(destination).data(), copy.data(), copy.size()); },
               [&world = queue_.world_, destination = destination_] {
                 if (!world.memories.contains(destination.memory))
                   world.fault("memory was freed while a write used it");
               });
    return queue_.given_;
  }

 private:
  Queue& queue_;
  const backends::Range destination_;
  const std::vector<std::byte> copy_;
};

std::unique_ptr<backends::Upload> Queue::stage(const backends::Range& destination, const void* data) {
  if (world_.on_stage) world_.on_stage();
  backends::Range piece = destination;
  {
    std::lock_guard lock(world_.mutex);
    if (world_.piece_size != 0)
      piece.size = std::min(piece.size, world_.piece_size);
    else if (world_.random() % 2 == 0)
      piece.size = 1 + world_.random() % piece.size;
  }
  return std::make_unique<Upload>(*this, piece, static_cast<const std::byte*>(data));
}

std::optional<uint64_t> Queue::write_in_place(const backends::Range& destination, const void* data) {
  std::lock_guard lock(world_.mutex);
  if (!world_.in_place || !pending_.empty()) return {};
  if (world_.on_write) world_.on_write();
  std::memcpy(bytes_of(destination).data(), data, destination.size);
  return given_;
}

void Queue::read(const backends::Range& source, void* data) {
  uint64_t value;
  {
    std::lock_guard lock(world_.mutex);
    check_health();
    barrier();
    value = ++given_;
    add([source, data] { std::memcpy(data, bytes_of(source).data(), source.size); }, [] {});
  }
  if (world_.on_read) world_.on_read();
  std::lock_guard lock(world_.mutex);
  world_.run(*this, value);
}

void Queue::wait_for_room() {
  if (world_.on_full) world_.on_full();
  world_.full = false;
}

bool Queue::can_run() const {
  if (pending_.empty()) return false;
  if (std::ranges::any_of(holds_, [&](const auto& h) { return !h.second && h.first <= pending_.front().group; }))
    return false;
  return std::all_of(dependences_.begin(), dependences_.end(), [&](const Dependence& d) {
    return d.group > pending_.front().group || d.other->done_ >= d.value;
  });
}

void Queue::run_group() {
  // Work between two barriers runs in any order; the timeline rises when all of it is done.
  const uint64_t group = pending_.front().group;
  const auto end = std::find_if(pending_.begin(), pending_.end(), [&](const Work& w) { return w.group != group; });
  std::shuffle(pending_.begin(), end, world_.random);
  uint64_t reached = done_;
  for (auto it = pending_.begin(); it != end; ++it) {
    it->check();
    it->run();
    reached = std::max(reached, it->value);
  }
  // A submission with work after the barrier is not done yet.
  if (end != pending_.end()) reached = std::min(reached, end->value - 1);
  unreleased_.insert(unreleased_.end(), std::make_move_iterator(pending_.begin()), std::make_move_iterator(end));
  pending_.erase(pending_.begin(), end);
  done_ = std::max(done_, reached);
}

void Queue::release() {
  for (const Work& work : unreleased_) work.check();
  unreleased_.clear();
  released_ = done_;
}

uint64_t Queue::completed() {
  std::lock_guard lock(world_.mutex);
  if (lost_) fail(VD_ERR_DEVICE_LOST, "the fake device is lost");
  if (world_.random() % 2 == 0) world_.step();
  // As drivers do: later than wait() ends.
  if (world_.random() % 2 == 0) release();
  return released_;
}

bool Queue::wait(uint64_t value, uint64_t timeout_ns) {
  std::lock_guard lock(world_.mutex);
  if (lost_) fail(VD_ERR_DEVICE_LOST, "the fake device is lost");
  if (timeout_ns == 0) return done_ >= value;
  world_.run(*this, value);
  return true;
}

void Queue::wait_for(backends::Queue& other, uint64_t value) {
  std::lock_guard lock(world_.mutex);
  ++world_.waits;
  barrier();  // later work only: what was given before need not wait
  dependences_.push_back({group_, static_cast<Queue*>(&other), value});
}

bool Queue::wait_for_device(backends::Queue& other, uint64_t value) {
  if (world_.holds) return false;
  wait_for(other, value);
  return true;
}

std::function<void()> Queue::hold() {
  std::lock_guard lock(world_.mutex);
  barrier();
  ++world_.held;
  ++world_.holds_made;
  holds_[group_] = false;
  return [this, group = group_] {
    std::lock_guard lock(world_.mutex);
    holds_[group] = true;
    --world_.held;
  };
}

// ---- Device

Device::Device(World& world, uint32_t queues, vd_device_info info, std::map<std::string, Body> bodies)
    : world_(world), info_(info), bodies_(std::move(bodies)) {
  for (uint32_t i = 0; i < queues; ++i) queues_.push_back(std::make_unique<Queue>(world));
}

std::unique_ptr<backends::Memory> Device::make_memory(uint64_t size, bool, const std::string&) {
  return std::make_unique<Memory>(world_, size);
}

std::unique_ptr<backends::Memory> Device::make_readback(uint64_t size) {
  auto memory = std::make_unique<Memory>(world_, size);
  memory->readback = true;
  return memory;
}

std::shared_ptr<backends::Sampler> Device::make_sampler(const vd_sampler_desc&) {
  class Sampler final : public backends::Sampler {
   public:
    explicit Sampler(World& world) : world_(world) {
      std::lock_guard lock(world.mutex);
      world.samplers.insert(this);
    }
    ~Sampler() override {
      std::lock_guard lock(world_.mutex);
      world_.samplers.erase(this);
    }

   private:
    World& world_;
  };
  return std::make_shared<Sampler>(world_);
}

std::shared_ptr<backends::Module> Device::make_module(const backends::ModuleDesc& desc) {
  const std::string name = desc.kernel != nullptr ? desc.kernel->name : desc.source->text;
  const auto found = bodies_.find(name);
  if (found == bodies_.end()) fail(VD_ERR_COMPILE, "the fake device knows no \"{}\"", name);
  return std::make_shared<Module>(world_, name, found->second);
}

std::unique_ptr<backends::Executable> Device::make_executable(const backends::CommandList& list) {
  return std::make_unique<Executable>(world_, list);
}

vd_device_info device_info(const char* name, vd_device_type type) {
  vd_device_info info = VD_DEVICE_INFO_INIT;
  info.type = type;
  std::strncpy(info.name, name, sizeof(info.name) - 1);
  info.features = ~uint64_t{0};
  for (int i = 0; i < 3; ++i) {
    info.max_workgroup_size[i] = 128;
    info.max_workgroup_count[i] = 1000;
  }
  info.max_workgroup_invocations = 128;
  info.max_storage_buffer_range = 1 << 16;
  info.max_allocation_size = 1 << 20;
  info.max_shared_memory_size = 4096;
  return info;
}

Ref<vd_context> make_context(World& world, ContextOptions options) {
  vd_context::Opened opened;
  opened.backend = VD_BACKEND_HOST;
  options.bodies.emplace("mix", mix_body());
  for (uint32_t d = 0; d < options.devices; ++d) {
    opened.devices.push_back(std::make_unique<Device>(world, options.queues, options.info, options.bodies));
  }
  return make_ref<vd_context>(std::move(opened));
}

Ref<vd_buffer> make_buffer(vd_context& ctx, uint64_t size, const char* label, vd_buffer_flags flags) {
  vd_buffer::Desc desc;
  desc.size = size;
  desc.label = label;
  desc.flags = flags;
  return vd_buffer::create(ctx, desc);
}

Ref<vd_kernel> make_kernel(const std::string& name, const std::vector<KernelArgument>& arguments) {
  ir::Kernel kernel;
  kernel.name = name;
  uint32_t bindings = 0, size = 0;
  for (const KernelArgument& given : arguments) {
    ir::Argument argument;
    argument.kind = given.kind;
    argument.type = given.type;
    argument.use = given.use;
    argument.name = fmt::format("a{}", kernel.arguments.size());
    if (given.kind == VD_ARGUMENT_BUFFER) {
      argument.binding = bindings++;
    } else {
      argument.offset = size;
      size += 4;
    }
    kernel.arguments.push_back(argument);
  }
  kernel.values.user_size = kernel.values.total_size = size;
  kernel.values.shape_offsets.assign(arguments.size(), ir::kNoOffset);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if ((arguments[i].use & VD_ARGUMENT_ACCESS_SHAPE) == 0) continue;
    kernel.values.shape_offsets[i] = kernel.values.total_size;
    kernel.values.total_size += 16;
  }
  return make_ref<vd_kernel>(std::move(kernel), hash_text(name));
}

Ref<vd_kernel> mix_kernel() {
  return make_kernel("mix", {{VD_ARGUMENT_BUFFER, ir::kU32, VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE},
                             {VD_ARGUMENT_BUFFER, ir::kU32, VD_ARGUMENT_ACCESS_READ},
                             {VD_ARGUMENT_CONSTANT, ir::kU32, VD_ARGUMENT_ACCESS_READ}});
}

Body mix_body() {
  return [](const std::vector<std::span<std::byte>>& ranges, std::span<const std::byte> values) {
    uint32_t c;
    std::memcpy(&c, values.data(), 4);
    const size_t n = std::min(ranges[0].size(), ranges[1].size()) / 4;
    std::vector<uint32_t> source(n), result(n);
    std::memcpy(source.data(), ranges[1].data(), 4 * n);
    std::memcpy(result.data(), ranges[0].data(), 4 * n);
    for (size_t i = 0; i < n; ++i) result[i] = result[i] * 3 + source[i] + c;
    std::memcpy(ranges[0].data(), result.data(), 4 * n);
  };
}

}  // namespace vd::fake
