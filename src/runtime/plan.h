// The object behind vd_plan: a module and how its arguments are laid out, or several plans in a row that share their
// arguments.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/object.h"
#include "core/overlap.h"
#include "ir/fixed_index.h"
#include "ir/passes/exact_samples.h"
#include "ir/passes/lower_images.h"
#include "runtime/buffer.h"
#include "runtime/context.h"
#include "runtime/kernel.h"
#include "runtime/workspace.h"

namespace vd::runtime {
struct Bound;
struct KeptKernel;
}  // namespace vd::runtime

struct vd_plan final : vd::Object {
 public:
  struct Desc {
    const vd_kernel* kernel = nullptr;
    const vd::backends::SourceText* source = nullptr;
    std::array<uint32_t, 3> workgroup_size{};
    uint32_t device = 0;
    std::string label;
    bool own = false;                           // a kernel of the library's, which stays as long as the context
    vd::ir::Units units = vd::ir::Units::Some;  // that sample images, of a device that has some
    bool by_address = false;                    // as backends::ModuleDesc's
    // Samples without a level of detail, of images of the device's own.
    vd::ir::PlainLevel plain_level = vd::ir::PlainLevel::Base;
    // In place of a kernel: what was kept of it. `write` makes it again, for code in another form.
    const vd::runtime::KeptKernel* kept = nullptr;
    std::function<vd::Ref<const vd_kernel>()> write = {};
    // Receives what to keep of the kernel, of a device that has a printing_key().
    vd::runtime::KeptKernel* keep = nullptr;
  };
  static vd::Ref<vd_plan> create(vd_context& context, const Desc& desc);

  // One plan of several: the number of its workgroups, and its buffers and values after the caller's.
  struct Step {
    // Part of a buffer: the caller's by number, then the hidden ones.
    struct Argument {
      uint32_t index = 0;
      uint64_t offset = 0;
      uint64_t size = 0;  // 0: to the end
    };
    // The plan's own memory, or its workspace, which depends on the queue.
    struct Hidden {
      Hidden(vd::Ref<vd_buffer> a_buffer) : buffer(std::move(a_buffer)) {}
      Hidden(std::shared_ptr<vd::runtime::Workspace> a_workspace) : workspace(std::move(a_workspace)) {}
      uint64_t size() const { return workspace ? workspace->size() : buffer->size(); }
      vd::Ref<vd_buffer> buffer;
      std::shared_ptr<vd::runtime::Workspace> workspace;
    };
    vd::Ref<vd_plan> plan;
    std::array<uint32_t, 3> workgroups{};
    std::array<uint32_t, 3> invocations{};  // in range, of a kernel that asks for them
    std::vector<Hidden> hidden;
    std::vector<std::byte> values;    // the last bytes of the step's values
    std::vector<Argument> arguments;  // of `plan`, in its order; none: the caller's and then the hidden ones
  };
  // Part of what explain() says, and a plan whose statistics come behind it, unless it is null. They are asked for
  // then.
  struct Explanation {
    std::string text;
    vd::Ref<vd_plan> plan = {};
  };
  // A plan that runs `steps` one after the other. Each takes the same arguments, the first `binding_count` of its
  // buffers and the first `values_size` bytes of its values (kAllValues: all of them) from the caller.
  static constexpr uint32_t kAllValues = ~0u;
  static vd::Ref<vd_plan> compose(vd_context& context, uint32_t device, std::string name, std::vector<Step> steps,
                                  uint32_t binding_count, std::vector<Explanation> explanation,
                                  uint32_t values_size = kAllValues);

  // Whether a buffer argument may begin at an offset in its memory that is not a multiple of `device_align`. Compiles
  // code for such buffers when it is first asked.
  bool binds_at(uint32_t binding, uint64_t offset) const;

  // The plan that runs launches whose counts are in memory: this one where the device reads them, else one with a kernel that
  // looks for itself and has the counts as its last argument. Compiles when it is first asked. Throws
  // VD_ERR_UNSUPPORTED for source text that cannot be changed so. Of a plan without steps.
  vd_plan& counted();
  // The plan that runs a launch or a graph's node with these arguments, which are the same for both: this one, or one whose
  // samples without a level find the level and the filter that the sampler gives. Compiles when it is first needed.
  vd_plan& for_levels(const vd::runtime::Bound* bounds);
  // The plan that runs a launch with these arguments, which are the same for both: of a kernel that samples images in buffers,
  // one with less code where units of the device do that. Compiles when it is first needed.
  const vd_plan& for_images(const vd::runtime::Bound* bounds);
  // Whether a buffer argument may have that size. Compiles code for buffers past vd_device_info::max_storage_buffer_range
  // when it is first asked.
  bool binds_size(uint32_t binding, uint64_t size) const;

  // A buffer or image argument.
  struct Binding {
    std::string name;
    bool read = true;
    bool write = true;
    uint32_t element_size = 4;
    uint32_t align = 4;                         // of a binding's first byte in its buffer
    uint32_t device_align = 1;                  // of its first byte in memory, a power of two
    uint32_t shape_offset = vd::ir::kNoOffset;  // in the block of values, if its shape is read
    uint64_t least_size = 0;                    // bytes that it must have
    vd::ir::FixedIndex fixed_index = {};        // the access that asks for them, if the kernel has one
    bool by_invocation = false;                 // a launch over some of the invocations takes their elements alone
    // Of an image argument; none for a buffer. Source text may leave open its dimensions (0), channels and format (none).
    vd::ir::Type image = {};
    bool uniform = false;                       // a uniform block of source text
    bool texture = false;                       // an image of source text whose sampler is another binding
    bool sampler = false;                       // a sampler alone, of source text
    uint32_t image_offset = vd::ir::kNoOffset;  // of its block (ir/image_block.h) in the block of values, if it has one
    bool by_unit = false;                       // a unit of the device samples a copy of it
  };

  // Bytes that a plan with a size of its own reads of one buffer while it writes another: they must be distinct.
  struct NoOverlap {
    struct Part {
      uint32_t binding = 0;
      uint64_t begin = 0, end = 0;  // in bytes, from where it is bound
      // For an array with gaps: its elements, and the bytes before the first one that is accessed.
      uint64_t element = 0, lead = 0;
      std::vector<vd::StridedDim> dims = {};
    };
    Part written, read;
    bool same = false;  // they may be the very same bytes
  };

  // Declares that source text does not write to a binding, which the plan cannot see.
  void set_only_read(uint32_t binding) { bindings_.at(binding).write = false; }
  // The bytes of each binding that a plan with a size of its own accesses.
  void set_least_sizes(const std::vector<uint64_t>& sizes);
  // The name of an argument that no step takes.
  void set_name(uint32_t binding, std::string name) { bindings_.at(binding).name = std::move(name); }
  void set_no_overlaps(std::vector<NoOverlap> no_overlaps) { no_overlaps_ = std::move(no_overlaps); }

  vd_context& context() const { return *context_; }
  const std::vector<Step>& steps() const { return steps_; }       // none: it is a kernel
  vd::runtime::Compiled& compiled() const { return *compiled_; }  // of a kernel
  const std::string& source() const;
  std::string explain() const;
  const std::vector<Explanation>& explanation() const { return explanation_; }  // of a plan of several
  // As the module's; of several steps the most. A child of the process that made the plan asks for nothing.
  vd::backends::Statistics statistics(bool ask) const;
  bool from_cache() const;
  const vd_device_info& device_info() const { return context_->device(device_).info(); }
  uint32_t device() const { return device_; }
  const std::string& name() const { return name_; }
  const std::array<uint32_t, 3>& workgroup_size() const { return workgroup_size_; }
  const std::vector<Binding>& bindings() const { return bindings_; }
  const std::vector<NoOverlap>& no_overlaps() const { return no_overlaps_; }
  // Stands for the memory that samplers alone have not, among the arguments' memories; null without such arguments.
  vd_buffer* stand_in() const { return stand_in_.get(); }
  uint32_t values_size() const { return values_size_; }  // bytes of a launch's values
  uint32_t block_size() const { return block_size_; }    // with the runtime's own values
  uint32_t exec_size_offset() const { return exec_size_offset_; }
  uint32_t shared_size() const { return shared_size_; }

 private:
  vd_plan(vd_context& context, uint32_t device) : context_(vd::Ref<vd_context>::retain(&context)), device_(device) {}
  // `written`: as the user wrote it, with its images.
  void read_kernel(const vd::ir::Kernel& kernel, const vd::ir::Kernel& written);
  void take_kept(const vd::runtime::KeptKernel& kept);
  vd::runtime::KeptKernel keep(const vd::Hash128& hash, std::vector<std::byte> printed) const;
  // This kernel, or one made of it, compiled in another way.
  vd::Ref<vd_plan> again(const vd_kernel& kernel, vd::ir::Units units, vd::ir::PlainLevel level) const;
  void read_source(const vd::backends::SourceText& source);
  void read_source_bindings();
  void take_fixed_size(const std::array<uint32_t, 3>& told);
  void join_bindings(const Step& step, std::vector<bool>& known);
  void require_hidden(const Step& step, size_t number) const;

  vd::Ref<vd_context> context_;  // outlives the module
  const uint32_t device_;
  vd::Ref<const vd_kernel> kernel_;  // where counted(), for_levels() or for_images() needs it
  std::mutex others_mutex_;
  vd::Ref<vd_plan> counted_;
  bool by_address_ = false;
  vd::ir::PlainLevel plain_level_ = vd::ir::PlainLevel::Base;
  bool samples_base_ = false;  // has samples without a level, and they are of level 0
  vd::Ref<vd_plan> finds_level_;
  bool may_be_all_units_ = false;
  std::map<vd::ir::Units, vd::Ref<vd_plan>> by_units_;  // of all images alone
  std::string name_;
  std::array<uint32_t, 3> workgroup_size_{};
  std::vector<Binding> bindings_;
  vd::Ref<vd_buffer> stand_in_;
  std::vector<NoOverlap> no_overlaps_;
  uint32_t values_size_ = 0;
  uint32_t block_size_ = 0;
  uint32_t exec_size_offset_ = vd::ir::kNoOffset;
  uint32_t shared_size_ = 0;
  std::shared_ptr<vd::runtime::Compiled> compiled_;
  std::vector<Step> steps_;
  std::string source_;  // of several steps
  std::vector<Explanation> explanation_;
};
