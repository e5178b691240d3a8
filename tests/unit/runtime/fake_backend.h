// A backend for the runtime's tests. Its queues keep to what backend.h promises and to nothing more: between two
// barriers commands run in a random order, queues advance at random, and no command runs before a thread waits. So work
// that the runtime failed to order gives wrong results, and memory that it freed too early is noticed.
#pragma once

// The tests name the members that they set, and leave the others at their defaults.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "core/error.h"
#include "core/object.h"
#include "runtime/arguments.h"
#include "runtime/context.h"
#include "runtime/kernel.h"
#include "support/error_of.h"

namespace vd::fake {

class Memory;
class Module;
class Queue;
class Device;

// State shared by the devices of one test: random numbers, and live objects.
struct World {
  explicit World(uint32_t seed = 1) : random(seed) {}
  std::recursive_mutex mutex;
  std::mt19937 random;
  std::set<const backends::Memory*> memories;
  std::set<const backends::Module*> modules;
  std::set<const backends::Executable*> executables;
  std::set<const backends::Sampler*> samplers;
  std::vector<Queue*> queues;
  std::vector<std::string> faults;  // what the runtime did wrong

  // Told by tests.
  uint64_t memory_limit = ~uint64_t{0};
  uint64_t memory_used = 0;
  int submits_until_failure = -1;   // then VD_ERR_DEVICE_LOST for good
  std::atomic<bool> full{false};    // would_block(), until a thread waits for room
  std::atomic<bool> refill{false};  // an executable's repeats leave the queue full
  std::function<void()> on_full;    // runs where a thread waits for room
  std::function<void()> on_read;    // runs in the middle of a read, without locks
  std::function<void()> on_stage;   // runs in the middle of a write, where others wait for memory to send it through
  uint64_t piece_size = 0;          // of writes; 0: any
  uint32_t repeats_at_once = 0;     // of an executable; 0: any
  size_t part_size = 0;             // commands of an executable that are given at once; 0: all
  std::function<void()> on_part;    // runs where one is given
  bool in_place = false;            // the host writes memory itself where nothing is left to do
  std::function<void()> on_write;   // runs where it does
  std::function<void()> on_submit;  // runs where a list is given, under the runtime's locks
  bool updates = false;             // executables take over lists of as many commands
  bool fail_update = false;
  bool clock = false;            // queues time lists and executables
  bool waits_for_times = false;  // reading times waits for all work
  bool by_edges = false;         // executables run by their edges, and pay no heed to levels
  bool holds = false;            // queues cannot wait for other devices, and are held up instead
  uint32_t offset_alignment = 1;

  // Seen by tests.
  int barriers = 0;          // submissions that began with one
  int waits = 0;             // wait_for calls
  std::atomic<int> held{0};  // queues that are held up
  int holds_made = 0;
  int modules_made = 0;
  int executables_made = 0;
  int updates_asked = 0;
  int patches = 0;
  int timed_lists = 0;
  int timed_executables = 0;
  int timings_read = 0;

  // Runs until `queue` has reached `value`.
  void run(Queue& queue, uint64_t value);
  // Runs one group of commands of some queue; false if none can run.
  bool step();
  void fault(std::string what) { faults.push_back(std::move(what)); }
};

class Memory final : public backends::Memory {
 public:
  Memory(World& world, uint64_t size);
  ~Memory() override;
  uint64_t size() const override { return bytes.size(); }
  void* host_pointer() override { return readback || world_.in_place ? bytes.data() : nullptr; }
  bool native(const char* kind, uint64_t& out) const override;
  std::vector<std::byte> bytes;
  bool readback = false;

 private:
  World& world_;
};

// The effect of a module on its ranges: a test gives it by the kernel's name, or the source's text.
using Body = std::function<void(const std::vector<std::span<std::byte>>& ranges, std::span<const std::byte> values)>;

class Module final : public backends::Module {
 public:
  Module(World& world, std::string text, Body body);
  ~Module() override;
  const std::string& source() const override { return text_; }
  // The size of text that ends with "of 32".
  std::array<uint32_t, 3> fixed_size() const override {
    return text_.ends_with("of 32") ? std::array<uint32_t, 3>{32, 1, 1} : std::array<uint32_t, 3>{};
  }
  uint32_t offset_alignment() const override { return world_.offset_alignment; }
  Body body;

 private:
  World& world_;
  std::string text_;
};

class Queue final : public backends::Queue {
 public:
  explicit Queue(World& world) : world_(world) { world.queues.push_back(this); }
  ~Queue() override;
  uint64_t submit(const backends::CommandList& list) override;
  uint64_t submit(backends::Executable& executable, uint32_t repeat) override;
  bool has_clock() const override { return world_.clock; }
  bool reads_times_at_once() const override { return !world_.waits_for_times; }
  uint64_t submit_timed(const backends::CommandList& list, std::unique_ptr<backends::Timing>& timing) override;
  bool times_executables() const override { return world_.clock; }
  uint64_t submit_timed_executable(backends::Executable& executable,
                                   std::unique_ptr<backends::Timing>& timing) override;
  uint32_t repeats_at_once(const backends::Executable& executable) const override;
  uint32_t parts(const backends::Executable& executable) const override;
  uint64_t submit_part(backends::Executable& executable, uint32_t part) override;
  // In pieces of `piece_size`, or of any.
  std::unique_ptr<backends::Upload> stage(const backends::Range& destination, const void* data) override;
  std::optional<uint64_t> write_in_place(const backends::Range& destination, const void* data) override;
  void read(const backends::Range& source, void* data) override;
  bool would_block() override { return world_.full; }
  void wait_for_room() override;
  uint64_t completed() override;
  bool wait(uint64_t value, uint64_t timeout_ns) override;
  void wait_for(backends::Queue& other, uint64_t value) override;
  bool wait_for_device(backends::Queue& other, uint64_t value) override;
  std::function<void()> hold() override;

 private:
  friend struct World;
  class Upload;
  struct Work {
    std::function<void()> run;
    std::function<void()> check;  // that what it uses is alive
    uint64_t value;
    uint64_t group;  // a new one begins at each barrier
  };
  void barrier() { ++group_; }
  void append(const backends::CommandList& list);
  void append_by_edges(const backends::CommandList& list);
  uint64_t append_runs(backends::Executable& executable, const backends::CommandList& list, uint32_t repeat);
  void check(const backends::Command& command, const backends::CommandList& list);
  void add(std::function<void()> run, std::function<void()> check);
  void check_health();
  bool can_run() const;
  void run_group();
  void release();

  World& world_;
  std::vector<Work> pending_;
  std::vector<Work> unreleased_;  // done, and what it uses must live until completed() says so
  // From this group on, another queue must have reached a value.
  struct Dependence {
    uint64_t group;
    Queue* other;
    uint64_t value;
  };
  std::vector<Dependence> dependences_;
  std::map<uint64_t, bool> holds_;  // from this group on, whether it may go on
  uint64_t group_ = 0;
  uint64_t given_ = 0;
  uint64_t done_ = 0;
  uint64_t released_ = 0;
  bool lost_ = false;
};

class Device final : public backends::Device {
 public:
  Device(World& world, uint32_t queues, vd_device_info info, std::map<std::string, Body> bodies);
  const vd_device_info& info() const override { return info_; }
  uint32_t queue_count() const override { return static_cast<uint32_t>(queues_.size()); }
  backends::Queue& queue(uint32_t index) override { return *queues_[index]; }
  std::unique_ptr<backends::Memory> make_memory(uint64_t size, bool host_visible, const std::string& label) override;
  std::unique_ptr<backends::Memory> make_readback(uint64_t size) override;
  std::shared_ptr<backends::Sampler> make_sampler(const vd_sampler_desc& desc) override;
  std::shared_ptr<backends::Module> make_module(const backends::ModuleDesc& desc) override;
  bool orders_by_edges() const override { return world_.by_edges; }
  bool patches_executables() const override { return world_.updates; }
  std::unique_ptr<backends::Executable> make_executable(const backends::CommandList& list) override;

 private:
  World& world_;
  vd_device_info info_;
  std::map<std::string, Body> bodies_;
  std::vector<std::unique_ptr<Queue>> queues_;
};

// A GPU with small limits and every feature.
vd_device_info device_info(const char* name = "fake", vd_device_type type = VD_DEVICE_DISCRETE_GPU);

struct ContextOptions {
  uint32_t devices = 1;
  uint32_t queues = 1;  // of each
  vd_device_info info = device_info();
  std::map<std::string, Body> bodies;
};
Ref<vd_context> make_context(World& world, ContextOptions options = {});
Ref<vd_buffer> make_buffer(vd_context& ctx, uint64_t size, const char* label = "b", vd_buffer_flags flags = 0);

// Arguments of one invocation of a "mix" plan, over two buffers and a value that lives as long.
inline runtime::Arguments mix_arguments(vd_plan& plan, const runtime::Bound (&bounds)[2], const uint32_t& value) {
  constexpr uint32_t one[3] = {1, 1, 1}, none[3] = {};
  return {plan, one, none, &value, sizeof(value), 2, [&](uint32_t i) { return bounds[i]; }};
}

using vd::test::error_of;

// ---- Kernels: arguments only; what they do is the fake's

struct KernelArgument {
  vd_argument_kind kind;
  ir::Type type;
  vd_argument_access use;
};
Ref<vd_kernel> make_kernel(const std::string& name, const std::vector<KernelArgument>& arguments);

// mix(dst: u32[] read and written, src: u32[] read, c: u32): dst = dst * 3 + src + c, over the shorter of the two.
Ref<vd_kernel> mix_kernel();
Body mix_body();

}  // namespace vd::fake
