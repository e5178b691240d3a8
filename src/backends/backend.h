// The interface of a backend, and all that the runtime knows of one. A backend finds devices and makes one usable; a
// device has memory, modules (compiled kernels) and queues; a queue takes neutral command lists and returns values of
// its timeline. The runtime orders work: it sorts commands into levels, and a backend puts one barrier between levels,
// or takes the edges that the runtime found.
//
// All objects may be used from any thread unless a line says otherwise. Failures are vd::Error. A backend includes
// core, ir, codegen and this header; never another backend or the runtime.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/fork.h"
#include "core/hash.h"
#include "core/work_failures.h"
#include "ir/kernel.h"
#include "vkdispatch.h"

namespace vd::backends {

// Memory behind a file descriptor.
struct ExportedMemory {
  int fd = -1;  // a new one, of the caller
  uint64_t size = 0;
};

// Bytes on a device. Freed by the destructor, which the runtime calls only when no work in flight uses it.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual uint64_t size() const = 0;
  // Bytes of imported memory before those that were asked for.
  virtual uint64_t front() const { return 0; }
  // Address at which the host may read and write the memory once the device does not use it; null if it may not.
  virtual void* host_pointer() { return nullptr; }
  // Whether the host may use the bytes where they are while the device does not.
  virtual bool mappable() { return host_pointer() != nullptr; }
  // The address of a range for the host, when no work in flight is in its way. Of mappable memory alone. What the host
  // writes reaches later work once unmap() was called.
  virtual void* map(uint64_t offset, uint64_t /*size*/, bool /*write*/) {
    return static_cast<std::byte*>(host_pointer()) + offset;
  }
  virtual void unmap(void* /*data*/, uint64_t /*offset*/, uint64_t /*size*/, bool /*write*/) {}
  // Whether the address that map() gave stays good after unmap(), and each side sees what the other has written by then.
  virtual bool shareable() { return mappable(); }
  // "VkBuffer", "CUdeviceptr", "cl_mem", "address"; false if it has no such thing.
  virtual bool native(const char* /*kind*/, uint64_t& /*out*/) const { return false; }
  // A descriptor for memory that was made to be exported.
  virtual ExportedMemory export_memory() const;
};

// Memory that the program or another library owns.
struct ExternalMemory {
  vd_memory_kind kind = VD_MEMORY_KIND_NONE;
  uint64_t handle = 0;  // an address, or a file descriptor, which stays the caller's
  uint64_t size = 0;
  std::string label;
  uint64_t memory_size = 0, offset = 0;  // behind a file descriptor
};

// A number that rises, which several APIs may know. Throws VD_ERR_UNSUPPORTED for what an API lacks.
class Semaphore {
 public:
  virtual ~Semaphore() = default;
  virtual uint64_t value() const;
  virtual void signal(uint64_t value);
  virtual bool wait(uint64_t value, uint64_t timeout_ns);
  virtual int export_fd() const;
  virtual bool native(const char* /*kind*/, uint64_t& /*out*/) const { return false; }
  // Sets it for whoever waits in vain.
  virtual void force(uint64_t value) = 0;
  // Throws VD_ERR_INVALID unless work may wait for the value, or set it: above all values that queues were given. `name`
  // is the value's in messages.
  virtual void check(uint64_t /*value*/, bool /*set*/, const std::string& /*name*/) {}
  // Keeps a value for work, from before its submission: Queue::signal() or give_back() follows. Throws as check() does,
  // and unless it is above all values that are claimed.
  virtual void claim(uint64_t /*value*/, const std::string& /*name*/) {}
  virtual void give_back(uint64_t /*value*/) noexcept {}

  // Least value that work has claimed and no queue was given yet; 0: none. The runtime's, under its order lock.
  uint64_t claimed = 0;
};

struct SemaphoreDesc {
  vd_semaphore_source source = VD_SEMAPHORE_NEW;
  uint64_t handle = 0, initial_value = 0;  // a file descriptor stays the caller's
  std::string label;                       // as it is called in messages
};

// A semaphore that a queue waits for, or sets.
struct SemaphoreUse {
  std::shared_ptr<Semaphore> semaphore;
  uint64_t value = 0;
  uint64_t timeout_ns = 0;  // of a wait
  std::string name;         // in messages
};

// Properties of an image.
struct ImageShape {
  vd_format format = VD_FORMAT_NONE;
  uint32_t dimensions = 0;
  uint32_t layers = 0;  // 0: it is not layered
  std::array<uint32_t, 3> extent{};
  uint32_t levels = 1;
  bool storage = false;  // kernels write it
  bool host = false;     // the host reaches it
  std::string label;
};

// A level of an image where the host reaches it: the first texel, and the bytes from one row and from one slice to the
// next.
struct HostLevel {
  std::byte* first = nullptr;
  uint64_t row_pitch = 0, slice_pitch = 0;
};

// Texels in a layout of the device's own. As memory it has the size of its texels without gaps: spans of such bytes
// stand for its parts when work is ordered. Its texels travel by copies of boxes alone.
class Image : public Memory {
 public:
  // Takes the place of map() for an image that is mappable(): rows may have gaps between them.
  virtual HostLevel host_level(uint32_t /*level*/) { return {}; }
};

// Filter and addressing of a device's own images. The runtime keeps it as long as work in flight uses it.
class Sampler {
 public:
  virtual ~Sampler() = default;
};

// Part of a level of an image. Depth and layers are one axis, since no image has both.
struct Box {
  uint32_t level = 0;
  std::array<uint32_t, 3> offset{}, extent{};
};

// The use of an image argument by a kernel, or a sampler alone, whose range stands for no memory.
struct ImageUse {
  Sampler* sampler = nullptr;  // of one that it samples, if the sampler is not another argument
  uint32_t level = 0;          // of one that it loads and stores
};

// Source text in the backend's own language instead of a kernel.
struct SourceText {
  vd_language language = VD_LANGUAGE_IR;
  std::string text;  // or SPIR-V words
  std::string entry;
  std::vector<uint32_t> bindings;  // vd_binding_kind: buffers, uniform blocks, images and samplers
  uint32_t values_size = 0;
  std::vector<vd_spec_constant> spec_constants;
};

// Accesses of source text to a binding, as far as the text shows them.
struct SourceBinding {
  bool read = true;
  bool write = true;
  uint64_t least_size = 0;  // bytes of a uniform block
  ir::Type image;           // of an image; none where the text does not show it, and for buffers
};

struct ModuleDesc {
  const ir::Kernel* kernel = nullptr;  // verified; the backend runs the lowering passes on a copy of its own
  const SourceText* source = nullptr;
  std::array<uint32_t, 3> workgroup_size{};  // final: never zero with `kernel`
  std::string label = {};
  // The known parts of the kernel's indices should be in the instructions of its accesses: where buffers are bound by
  // descriptors and can be found by their addresses, by these.
  bool by_address = false;
  // Bytes that Device::print() made of a kernel for this workgroup size: with the kernel, or in its place. Then `write` makes
  // the kernel again, for code in another form.
  std::span<const std::byte> printed = {};
  std::function<std::shared_ptr<const ir::Kernel>()> write = {};
};

// Numbers of compiled code, for each invocation; none that the device does not tell.
struct Statistics {
  std::optional<uint32_t> registers;  // at least 1
  std::optional<uint32_t> spilled;    // bytes of memory for what is not in registers
};

// A compiled kernel.
class Module {
 public:
  virtual ~Module() = default;
  virtual const std::string& source() const = 0;  // the compiled text
  virtual bool from_cache() const { return false; }
  // Gives what is known already, or with `ask` all that the device tells: that may take as long as making the module,
  // the first time, and fails for no reason but a lack of memory.
  virtual Statistics statistics(bool /*ask*/) const { return {}; }
  // The workgroup size that source text fixes; zeros if the text fixes none or the backend cannot read it, and for
  // kernels.
  virtual std::array<uint32_t, 3> fixed_size() const { return {}; }
  // A power of two that divides the place in memory of each range that is bound.
  virtual uint32_t offset_alignment() const { return 1; }
  // The same for uniform blocks of source text.
  virtual uint32_t uniform_alignment() const { return offset_alignment(); }
  // Whether a buffer of a kernel may begin at an offset in its memory that is not aligned so. It may take as long as
  // making the module, the first time.
  virtual bool binds_at(uint32_t /*binding*/, uint64_t /*offset*/) const { return false; }
  // Before the first dispatch with counts in memory, of a device that reads them. It may take as long as making the module.
  virtual void prepare_counts() const {}
  // Whether buffers of a kernel may be longer than vd_device_info::max_storage_buffer_range. It may take as long as making
  // the module, the first time.
  virtual bool binds_any_size() const { return false; }
  // Uses of source text's bindings, one for each; none if the backend cannot read it, and for kernels.
  virtual const std::vector<SourceBinding>& source_bindings() const {
    static const std::vector<SourceBinding> none;
    return none;
  }
};

struct Range {
  Memory* memory = nullptr;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct Command {
  // Copies to and from an image have the texels of a box, without gaps, at their other end.
  enum class Kind : uint8_t { Dispatch, Copy, Fill, CopyToImage, CopyFromImage, CopyImage };
  Kind kind = Kind::Dispatch;
  uint32_t level = 0;       // commands of one level are independent; levels rise through the list
  uint32_t first_edge = 0;  // in CommandList::edges: the commands that this one must run after
  uint32_t edge_count = 0;

  Module* module = nullptr;              // Dispatch
  std::array<uint32_t, 3> workgroups{};  // Dispatch; the most, with `counts`
  // Dispatch: the range behind the bindings has three numbers of 32 bits, the workgroups on each axis; larger ones are taken
  // for the most. Only for a device that reads_counts().
  bool counts = false;
  uint32_t first_binding = 0;  // Dispatch: in CommandList::ranges
  uint32_t binding_count = 0;
  uint32_t first_image = 0;   // Dispatch: in CommandList::images, one for each binding that is an image or a sampler
  uint32_t first_box = 0;     // copies of images: in CommandList::boxes, the source's before the destination's
  uint32_t first_value = 0;   // Dispatch: in CommandList::values
  uint32_t values_size = 0;   // the whole block, the runtime's part included
  Range source, destination;  // copies: both, of one size; Fill: destination
  uint32_t pattern = 0;       // Fill
};

// Flat, so that it is copied and kept cheaply.
struct CommandList {
  std::vector<Command> commands;
  std::vector<Range> ranges;
  std::vector<ImageUse> images;
  std::vector<Box> boxes;
  std::vector<std::byte> values;
  // Numbers of commands, rising for each command, and of lower levels than its own. Only in lists that a device which
  // orders_by_edges() makes ready.
  std::vector<uint32_t> edges;
  bool wait_before = true;  // the first level depends on earlier work of the same queue

  std::span<const uint32_t> edges_of(const Command& command) const {
    return {edges.data() + command.first_edge, command.edge_count};
  }
  // Keeps the memory that it has.
  void clear() noexcept {
    commands.clear();
    ranges.clear();
    images.clear();
    boxes.clear();
    values.clear();
    edges.clear();
  }
};

// A command list made ready once, to be submitted many times, also several times in flight.
class Executable {
 public:
  virtual ~Executable() = default;
  // Whether update() is worth asking for, when a graph is recorded anew.
  virtual bool updatable() const { return false; }
  // Make it run `list` from the next submit on, for less time than a new one costs; earlier submissions run unchanged.
  // False, without any change, if that is not possible. The modules of the old list are still alive; its memories may
  // not be. After a failure it can only be destroyed.
  virtual bool update(const CommandList& /*list*/) { return false; }
  // The same where `list` differs from the one that it runs in the ranges, images, boxes, values and patterns of these
  // `commands` alone.
  virtual bool patch(const CommandList& /*list*/, std::span<const uint32_t> /*commands*/) { return false; }
};

// Nanoseconds of the host's steady clock.
struct Interval {
  uint64_t begin = 0, end = 0;
};

// When the commands of a list ran. It lives until the queue has completed() the list.
class Timing {
 public:
  virtual ~Timing() = default;
  // Once the list is done: the time of each of its commands, in their order. Returns the most nanoseconds that the
  // device's clock may be off on the host's. Called until it succeeds.
  virtual uint64_t read(std::span<Interval> out) = 0;
};

// Some of the host's bytes on their way to the device. One that is not submitted leaves no trace.
class Upload {
 public:
  virtual ~Upload() = default;
  // The number of bytes that it takes, from the start of those that it was made for.
  virtual uint64_t size() const = 0;
  // Gives the queue the copy to the device, and returns its value; once, and it waits for nothing. `wait_before`: after
  // all earlier work of the queue.
  virtual uint64_t submit(bool wait_before) = 0;
  // After submit(): ends when the host's bytes have been taken.
  virtual void finish() {}
};

// A queue and its timeline. Values rise by submission; work is done in order where it depends on each other.
class Queue {
 public:
  virtual ~Queue() = default;

  // Failures of kernels that broke a rule, which a backend adds before their value is reached, and of the program's
  // functions, which the runtime adds. No wait of the backend's throws them.
  WorkFailures failures;

  // Run a list once. Returns at once with the value that the timeline reaches when it is done. The backend has copied
  // the parts of `list` that it needs; the runtime keeps memories and modules alive until completed() reaches the
  // value.
  virtual uint64_t submit(const CommandList& list) = 0;
  // Run a prepared list `repeat` times, one after the other.
  virtual uint64_t submit(Executable& executable, uint32_t repeat) = 0;
  // The most repeats of a prepared list that submit() takes without waiting for the device while would_block() is
  // false; at least one. The runtime submits more than these in parts, and lets other threads submit in between.
  virtual uint32_t repeats_at_once(const Executable& /*executable*/) const { return UINT32_MAX; }
  // The number of parts in which a run of a prepared list is submitted, if one call for all of it would block other
  // threads for long. The parts run one after the other.
  virtual uint32_t parts(const Executable& /*executable*/) const { return 1; }
  virtual uint64_t submit_part(Executable& executable, uint32_t /*part*/) { return submit(executable, 1); }
  // Whether submit_timed() may be called.
  virtual bool has_clock() const { return false; }
  // Whether the times of work that is done can be read without waiting for other work.
  virtual bool reads_times_at_once() const { return true; }
  // As submit(), with the commands one after the other, each between two looks at the device's clock behind barriers of
  // its own. `timing` receives them; null for work that is captured, and does not run now, and without a clock.
  virtual uint64_t submit_timed(const CommandList& list, std::unique_ptr<Timing>& timing);
  // Whether submit_timed_executable() may be called. If not, graphs are timed as lists.
  virtual bool times_executables() const { return false; }
  // The same for one run of a prepared list of any length, which is not captured.
  virtual uint64_t submit_timed_executable(Executable& executable, std::unique_ptr<Timing>& timing);
  // The first bytes of a write from host memory, as many as travel at once, at least one. Waits for memory to send them
  // through, which earlier work may hold; so a caller that holds a lock, or another upload, waits for itself.
  virtual std::unique_ptr<Upload> stage(const Range& destination, const void* data) = 0;
  // Whether all of a write of this size would find that memory now.
  virtual bool takes_at_once(uint64_t /*size*/) { return true; }
  // Writes where the host reaches the memory itself, if no work of this queue is left that could be in the way, and
  // returns the last value; otherwise does nothing.
  virtual std::optional<uint64_t> write_in_place(const Range& /*destination*/, const void* /*data*/) { return {}; }
  // Copy device memory to the host, after all earlier work of this queue. Waits.
  virtual void read(const Range& source, void* data) = 0;

  // Whether submit() would have to wait now, for example for a slot of a full ring. The runtime submits to a queue from
  // one thread at a time, so false holds until the next call.
  virtual bool would_block() { return false; }
  // Ends when would_block() has become false, for a moment at least.
  virtual void wait_for_room() {}
  // Make sure that submitted work reaches the device without further calls.
  virtual void flush() {}
  // The last value that the driver is done with: memory that its work used may be destroyed. Throws the queue's sticky
  // failure.
  virtual uint64_t completed() = 0;
  // Wait until the work up to a value is done, so that the host may use its results; completed() may reach that value
  // only some microseconds later. False if the time ran out. Throws the sticky failure.
  virtual bool wait(uint64_t value, uint64_t timeout_ns) = 0;
  // Whether wait() of a value would return at once. The first question sees to it that a later one is answered with yes
  // when the work is done, whether or not anybody waits for it.
  virtual bool reached(uint64_t value) { return wait(value, 0); }
  // Whether a thread in wait() sleeps, and wakes up as soon as the work is done, however short its timeout. Other
  // queues are looked at from time to time.
  virtual bool wakes_waiters() const { return false; }
  // Has `on_progress` called with the new value each time that the timeline has moved on, on a thread of the queue's
  // own, which may not wait for the queue. At most once; false for a queue that cannot.
  virtual bool listen(std::function<void(uint64_t value)> /*on_progress*/) { return false; }
  // Let later work of this queue wait for another queue's value of the same device.
  virtual void wait_for(Queue& other, uint64_t value) = 0;
  // The same for a queue of another device of this backend. False, and nothing has been done, where that is not
  // possible.
  virtual bool wait_for_device(Queue& /*other*/, uint64_t /*value*/) { return false; }
  // Lets later work of this queue wait until the result is called, once, by any thread and before the queue is closed.
  // Empty where that is not possible.
  virtual std::function<void()> hold() { return {}; }
  // The process ends: nothing holds this queue up from now on, since its driver waits for it while it is torn down.
  virtual void let_go() noexcept {}
  // Calls `function` once, on another thread, when all earlier work is done, and lets later work wait until it has
  // returned. The value that the timeline reaches then; none, and nothing has been done, where a queue is held instead.
  // If earlier work fails, it is destroyed without having been called.
  virtual std::optional<uint64_t> call(std::function<void()> /*function*/) { return {}; }
  // Sees to it that the program can use the handle of an image of the device's own. The value after which it can; none if
  // it can already.
  virtual std::optional<uint64_t> prepare(Image& /*image*/) { return {}; }
  // "VkQueue", "CUstream", "cl_command_queue".
  virtual bool native(const char* /*kind*/, uint64_t& /*out*/) const { return false; }
  // Vulkan's queue family.
  virtual uint32_t family() const { return 0; }

  // Lets later work wait for a semaphore of the device, and sets one, to a value that was claimed, when the work submitted
  // so far is done. Returns the value that the timeline has reached when that is over; until then the queue keeps the
  // semaphore. A claim whose signal() fails is still the caller's.
  virtual uint64_t wait_for(const SemaphoreUse& use);
  virtual uint64_t signal(const SemaphoreUse& use);

  // Streams of the program's. Throws unless the queue works with such; `name` is the stream's in messages. The others
  // are called with streams that passed.
  virtual void check_stream(uint64_t stream, const std::string& name);
  // Whether what the stream is given becomes part of a graph, and does not run.
  virtual bool is_capturing(uint64_t /*stream*/) { return false; }
  // submit() runs its work on the stream until this is called with 0: after what the stream and the queue were given
  // before, and before what they are given later. What is captured is in the order of the stream alone, and submit()
  // returns the last value for it.
  virtual void use_stream(uint64_t /*stream*/) {}
  // Lets later work of the queue wait for what the stream was given so far, and returns the value of that point.
  virtual uint64_t wait_stream(uint64_t /*stream*/) { return 0; }
  // Lets the stream wait for the work submitted so far.
  virtual void signal_stream(uint64_t /*stream*/) {}
};

// Objects of the program's instead of a device's own.
struct NativeDevice {
  uint32_t api_version = 0;
  uint64_t instance = 0, physical_device = 0, device = 0;
  std::vector<vd_native_queue> queues;
  std::vector<std::string> extensions;
  uint64_t features = 0;
  std::function<void(uint64_t queue, bool lock)> lock;  // empty: none is needed
  uint64_t cuda_context = 0;
};

struct DeviceOptions {
  vd_context_flags flags = 0;
  uint32_t queue_count = 1;
  std::vector<uint32_t> queue_families;  // Vulkan: of each queue; empty: the backend chooses
  uint32_t first_queue = 0;              // the number in the context of the device's first queue, for messages
  std::vector<std::string> required_extensions, wished_extensions;  // Vulkan
  uint64_t watchdog_ns = 0;
  uint32_t thread_count = 0;
  std::string cache_dir;                       // "" where nothing is kept
  std::optional<vd_device_info> dummy_device;  // the properties of the dummy backend's device
  std::optional<NativeDevice> native;          // Vulkan, CUDA
};

// Counts of compilations and of hits in the disk cache.
struct CompileCounts {
  uint64_t compiled = 0;
  uint64_t cached = 0;
};

// A device in the terms of DLPack: its DLDeviceType and its number.
struct DlpackDevice {
  int32_t type;
  int32_t number;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const vd_device_info& info() const = 0;
  virtual uint32_t queue_count() const = 0;
  virtual Queue& queue(uint32_t index) = 0;
  // `host_visible` asks for memory that the host reads quickly.
  virtual std::unique_ptr<Memory> make_memory(uint64_t size, bool host_visible, const std::string& label) = 0;
  // Memory that can be exported by a file descriptor.
  virtual std::unique_ptr<Memory> make_exportable(uint64_t size, const std::string& label);
  virtual std::shared_ptr<Semaphore> make_semaphore(const SemaphoreDesc& desc);
  // Memory that copies may write, and that the host reads quickly through host_pointer() when they are done.
  virtual std::unique_ptr<Memory> make_readback(uint64_t size) { return make_memory(size, true, "fetched bytes"); }
  // The device as other libraries of the process know it, if they can use the "address" of its memory.
  virtual std::optional<DlpackDevice> dlpack() const { return {}; }
  // Memory over bytes that another owner keeps, and maybe over some around them. Throws VD_ERR_UNSUPPORTED for kinds that
  // the device does not know.
  virtual std::unique_ptr<Memory> import_memory(const ExternalMemory& memory);
  // Whether images are the device's own. If not, they lie in buffers, and kernels come without image arguments
  // (ir/passes/lower_images.h). If they are, kernels choose nearest texels and levels (ir/passes/exact_samples.h): their
  // samplers have one filter, no bias and no bounds.
  virtual bool has_images() const { return false; }
  virtual std::unique_ptr<Image> make_image(const ImageShape& shape);
  // Throws what make_image() does for a shape that the device has no images of, however much memory is left.
  virtual void check_image(const ImageShape& /*shape*/) const {}
  // Whether the host reaches the texels of images of that shape.
  virtual bool maps_image(const ImageShape& shape) const { return shape.host; }
  // Whether units of the device sample copies of images that lie in buffers. Kernels then come with an argument for each
  // (ir/passes/lower_images.h), and dispatches with uses: both in the order of the images' buffers. The device makes the
  // copies, of level 0, and brings one up to date when a dispatch samples it after the buffer was written.
  virtual bool has_sampling_units() const { return false; }
  // Whether such units can sample an image of that shape, and the buffer of its texels, level by level. The border that
  // they know has zeros, and 1 for a fourth channel that the format lacks.
  virtual bool can_sample(const ImageShape& /*shape*/) const { return false; }
  virtual std::unique_ptr<Memory> make_texels(const ImageShape& shape, uint64_t size);
  // For images of the device's own, and for units that sample copies.
  virtual std::shared_ptr<Sampler> make_sampler(const vd_sampler_desc& desc);
  virtual std::shared_ptr<Module> make_module(const ModuleDesc& desc) = 0;
  // A kernel's text as bytes that make_module() takes, in this process or another one. Nothing of kernels with images.
  // Only for a device with a printing_key().
  virtual std::vector<std::byte> print(const ModuleDesc& /*desc*/) { return {}; }
  // All that print() follows from beside the kernel, but for the library's code.
  virtual std::optional<Hash128> printing_key() const { return {}; }
  // Whether the counts of a dispatch may be in memory (Command::counts). If not, a kernel looks for itself
  // (ir/passes/read_counts.h).
  virtual bool reads_counts() const { return false; }
  // Whether executables run a command once those that it has edges to are done, and pay no heed to levels. If not, lists
  // come without edges.
  virtual bool orders_by_edges() const { return false; }
  // Whether patch() of an executable costs less than to submit its list.
  virtual bool patches_executables() const { return false; }
  // Bindings, values and levels are fixed. The caller keeps memories and modules alive longer than the result.
  virtual std::unique_ptr<Executable> make_executable(const CommandList& list) = 0;
  virtual CompileCounts compile_counts() const { return {}; }
  // Makes what the queues' submit_timed() needs, if that can be done soon without waiting for the device. Otherwise has_clock() of
  // its queues is false until a call of that finds the device idle.
  virtual void prepare_timing() {}
  // Whether an extension of Vulkan's is enabled.
  virtual bool has_extension(const std::string& /*name*/) const { return false; }
  virtual bool native(const char* /*kind*/, uint64_t& /*out*/) const { return false; }
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const = 0;
  // Load the driver and list its devices. Throws VD_ERR_UNAVAILABLE with the reason. The answer is kept.
  virtual const std::vector<vd_device_info>& devices() = 0;
  // Names the software to install before the listed devices can run kernels, if opening one fails without it; empty if
  // none is missing. Called only if there are devices.
  virtual std::string missing() { return {}; }
  virtual std::unique_ptr<Device> make_device(uint32_t index, const DeviceOptions& options) = 0;
  // Properties of device `index`, below devices().size(), that only Vulkan reports. Not called on other backends.
  virtual vd_vulkan_device_info vulkan_info(uint32_t /*index*/) { return VD_VULKAN_DEVICE_INFO_INIT; }
  // CPU devices that stand in for a GPU (lavapipe, PoCL) are chosen only when asked for.
  virtual bool runs_kernels() const { return true; }
  // Whether a child of a process that has used it may use it, too. Drivers have threads, which a child lacks.
  virtual bool survives_fork() const { return false; }
  // Throws VD_ERR_STATE where it does not survive the fork that made this process.
  void refuse_in_child() const;

 private:
  const uint32_t process_ = process_number();  // the one that used it first
};

// The backend of that number; throws VD_ERR_UNAVAILABLE if this library was built without it, VD_ERR_STATE where it does
// not survive a fork. Never VD_BACKEND_AUTO.
// (src/backends/registry.cpp; the folder of a backend defines `backends::Backend& backend()` in its namespace,
// vd::vulkan for one.)
Backend& get_backend(vd_backend backend);
// For copies that only a device with images of its own is given: throws VD_ERR_INTERNAL.
[[noreturn]] void refuse_image_copy();
// "vulkan", "cuda", "opencl", "host", "dummy" or "auto".
const char* backend_name(vd_backend backend) noexcept;
// The language's name in messages: "GLSL", "CUDA C++", "OpenCL C", "SPIR-V".
const char* language_name(vd_language language) noexcept;

}  // namespace vd::backends
