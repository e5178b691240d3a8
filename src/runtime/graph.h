// The object behind vd_graph: recorded work, and its prepared form, which a submission hands to the backend.
//
// Recording only appends. A submit compiles the recorded work into a snapshot, once, and uses the same snapshot until
// more is recorded; work in flight keeps the snapshot that it runs.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/object.h"
#include "runtime/launch.h"
#include "runtime/node_order.h"

namespace vd::runtime {

// The work that a submit runs, in the order of its levels, with all objects that it refers to. For one queue, or, if no
// buffer has replicas, for all queues of the device.
//
// Many graphs are submitted once and then changed, so the first submit hands over the list, and only the second has the
// backend prepare it.
class Snapshot {
 public:
  Snapshot(vd_context& context, uint32_t device);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  // The executable, made if this is not the first use or `again` says that it is worth it at once; else null.
  backends::Executable* executable(bool again);
  // The recorded work has changed, and its next snapshot may use the executable: everything but the executable and its
  // kernels is dropped. False if the executable cannot be used.
  bool keep_for_update();
  // The form before the last change, whose executable this one tries to take over at its first use.
  void set_previous(std::shared_ptr<Snapshot> previous) { previous_ = std::move(previous); }

  backends::CommandList list;
  std::vector<Access> accesses;  // merged; `blocks` and `plans` keep them alive
  std::vector<Ref<Block>> blocks;
  std::vector<Ref<vd_plan>> plans;
  LastUse last_use;  // under the context's order lock

 private:
  void adopt_executable();

  vd_context& context_;
  const uint32_t device_;
  std::mutex mutex_;  // of the next three
  bool used_ = false;
  std::unique_ptr<backends::Executable> executable_;
  std::shared_ptr<Snapshot> previous_;
};

}  // namespace vd::runtime

struct vd_graph final : vd::Object {
 public:
  vd_graph(vd_context& context, std::string label);

  vd_context& context() const { return *context_; }
  uint32_t node_count() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t level_count() const;

  // Each returns the node's number, the last one's for a plan of several steps.
  uint32_t dispatch(const vd::runtime::Arguments& arguments);
  uint32_t copy(vd_buffer& source, uint64_t source_offset, vd_buffer& destination, uint64_t destination_offset,
                uint64_t size);
  uint32_t fill(vd_buffer& buffer, uint64_t offset, uint64_t size, uint32_t pattern);
  uint32_t copy_boxes(const vd::runtime::BoxCopy& copy);
  // Bytes of the values that a launch was recorded with, by the number that dispatch() gave.
  void set_values(uint32_t node, uint32_t offset, const void* values, uint32_t size);
  void reset();

  struct Submit {
    uint32_t queue = 0;
    uint32_t repeat = 1;
    vd::runtime::Waits waits;
  };
  vd_ticket submit(const Submit& how);

 private:
  struct Node {
    vd::backends::Command::Kind kind;
    vd::Ref<vd_plan> plan;
    std::array<uint32_t, 3> workgroups{};
    uint32_t first_bound = 0;
    uint32_t bound_count = 0;
    uint32_t first_value = 0;
    uint32_t values_size = 0;
    uint32_t pattern = 0;
    uint32_t first_box = 0;
    uint32_t first_image = 0;
    uint32_t image_count = 0;
    uint32_t first_step = 0;  // a launch's nodes are these up to its own
    uint32_t user_size = 0;   // bytes of values that the caller gave; the library's follow them
  };
  uint32_t dispatch_kernel(vd_plan& plan, const vd::runtime::Extent& extent, const vd::runtime::Bound* bounds,
                           const void* values);
  struct Held {
    vd::Ref<vd_buffer> buffer;
    vd::runtime::Span span;  // of its block
    bool write;
  };
  void hold(vd_buffer& buffer, uint64_t offset, uint64_t size, bool write);
  uint32_t append(Node node);
  void changed();
  // The order of the nodes, for the memory that a queue sees.
  vd::runtime::NodeOrder find_order(const vd::runtime::Queue& queue, bool edges) const;
  std::shared_ptr<vd::runtime::Snapshot> compile(vd::runtime::Queue& queue) const;
  std::shared_ptr<vd::runtime::Snapshot> snapshot(vd::runtime::Queue& queue);

  vd::Ref<vd_context> context_;
  const std::string label_;
  std::vector<Node> nodes_;
  std::vector<Held> held_;
  std::vector<std::byte> values_;
  std::vector<vd::backends::Box> boxes_;
  std::vector<vd::backends::ImageUse> images_;
  bool per_queue_ = false;  // some buffer has replicas, so that each queue needs a snapshot of its own

  std::mutex mutex_;  // of the next: any thread may submit
  using Snapshots = std::unordered_map<uint32_t, std::shared_ptr<vd::runtime::Snapshot>>;  // by queue, or by device
  Snapshots snapshots_;
  Snapshots previous_;  // before the last change
};
