// The object behind vd_graph: recorded work, and its prepared forms, which a submission hands to the backend.
//
// Recording only appends. A submit compiles the recorded work into a snapshot, once, and uses the same snapshot until
// more is recorded; work in flight keeps the snapshot that it runs. A change of a node's arguments or values is made in
// the snapshots that there are, as long as no hazard comes or goes by it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/object.h"
#include "runtime/graph_uses.h"
#include "runtime/host_call.h"
#include "runtime/launch.h"
#include "runtime/node_order.h"
#include "runtime/snapshot.h"

namespace vd::runtime {

// The buffer that a copy or fill (`what`) is recorded with, as its argument number `argument`. Throws unless it is one, given
// with the size or VD_WHOLE_SIZE.
vd_buffer& buffer_argument(const Bound& given, uint64_t size, const char* what, uint32_t argument);

}  // namespace vd::runtime

struct vd_graph final : vd::Object {
 public:
  vd_graph(vd_context& context, std::string label);

  vd_context& context() const { return *context_; }
  // Each call of the program's takes part in them, before it looks at the graph.
  vd::runtime::GraphUses& uses() const { return uses_; }
  uint32_t node_count() const { return static_cast<uint32_t>(nodes_.size()); }
  // The order of all nodes; throws VD_ERR_INVALID if they are of several devices.
  vd::runtime::NodeOrder order() const;
  // In Graphviz's language.
  std::string dot() const;

  // Each returns the node's number, the last one's for a plan of several steps.
  uint32_t dispatch(const vd::runtime::Arguments& arguments);
  uint32_t copy(vd_buffer& source, uint64_t source_offset, vd_buffer& destination, uint64_t destination_offset,
                uint64_t size);
  uint32_t fill(vd_buffer& buffer, uint64_t offset, uint64_t size, uint32_t pattern);
  uint32_t copy_boxes(const vd::runtime::BoxCopy& copy);
  uint32_t call(std::shared_ptr<const vd::runtime::HostCall> call);
  // Returns the number of the other's first node.
  uint32_t add_graph(const vd_graph& other);
  // Calls append(), which records nodes; they are removed again if it throws.
  template <class F>
  auto record(F&& append) {
    const Sizes before = sizes();
    try {
      const auto result = append();
      if (!replaces_) changed();
      return result;
    } catch (...) {
      cut(before);
      throw;
    }
  }

  // Bytes of the values that a launch was recorded with, by the number that dispatch() gave.
  void set_values(uint32_t node, uint32_t offset, const void* values, uint32_t size);
  // Keeps a node's arguments, and a function that records it with others, where its buffers do not say that.
  using Record = std::function<void(vd_graph& graph, const vd::runtime::Bound* arguments)>;
  void set_origin(uint32_t node, std::span<const vd::runtime::Bound> arguments, Record record);
  void set_bindings(uint32_t node, uint32_t first, std::span<const vd::runtime::Bound> bindings);
  // Replaces each of `before` by the one of `after` with its index.
  void replace(std::span<vd_buffer* const> before, std::span<vd_buffer* const> after);
  void replace(std::span<vd_image* const> before, std::span<vd_image* const> after);
  void set_unordered(uint32_t node, uint32_t argument, bool unordered);
  void set_label(uint32_t node, const std::string& label);  // and all nodes of its launch
  void reset();

  // Bytes of a launch's values, for each instance of a submission.
  struct InstanceValues {
    uint32_t node = 0;
    uint32_t offset = 0;
    uint32_t size = 0;
    const std::byte* values = nullptr;
  };
  struct Submit {
    uint32_t queue = 0;
    uint32_t repeat = 1;
    vd::runtime::Waits waits;
    std::vector<InstanceValues> values;
  };
  vd_ticket submit(const Submit& how);
  // Throws VD_ERR_INVALID unless the node is a launch with that many bytes of values.
  void check_values(const std::string& of, uint32_t node, uint64_t offset, uint64_t size) const;
  // The same unless the node has `count` arguments from `first` on. `name` is that of `first`.
  void check_arguments(uint32_t node, uint64_t first, uint64_t count, const char* name) const;

 private:
  using Kind = vd::backends::Command::Kind;
  struct Node {
    Kind kind = Kind::Dispatch;
    std::shared_ptr<const vd::runtime::HostCall> call;  // instead of a command
    vd::Ref<vd_plan> plan;
    vd::Ref<vd_plan> counted;  // of a launch with counts, which are its last argument: the plan that was asked for
    vd::runtime::Extent extent;
    uint32_t first_bound = 0;
    uint32_t bound_count = 0;
    uint32_t first_value = 0;
    uint32_t values_size = 0;
    uint32_t pattern = 0;
    uint32_t first_box = 0;
    uint32_t box_count = 0;
    uint32_t first_image = 0;
    uint32_t image_count = 0;
    uint32_t first_step = 0;  // a launch's nodes are these up to its own
    uint32_t user_size = 0;   // bytes of values that the caller gave; the library's follow them
    std::string label;
    bool device_reads_counts() const { return counted && counted.get() == plan.get(); }
  };
  // An argument of a node.
  struct Held {
    vd::Ref<vd_buffer> buffer;
    vd::runtime::Span span;  // of its block
    uint64_t lead = 0;       // bytes before it that are bound, too
    bool write = false;
    bool ordered = true;  // in the graph
    vd::Ref<vd_image> image;
    vd::Ref<vd_sampler> sampler;
    uint32_t level = 0;
    bool own = false;
    vd::runtime::Bound bound() const;
  };
  struct Origin {
    std::vector<Held> arguments;
    Record record;
    vd::Ref<vd_plan> plan;  // of several steps
  };
  // The extent of what was recorded.
  struct Sizes {
    size_t nodes, held, values, boxes, images;
  };
  // Nodes in a row that no call separates, and the call after them.
  struct Section {
    uint32_t first = 0, end = 0;
    std::shared_ptr<const vd::runtime::HostCall> call;
  };
  // A section as it is, several copies at once for as many instances, and the last of these.
  enum class Form : uint8_t { Single, Copies, Rest };
  struct Key {
    uint32_t place;  // the device, or the queue behind all devices
    uint32_t section;
    Form form;
    auto operator<=>(const Key&) const = default;
  };
  using Snapshots = std::map<Key, std::shared_ptr<vd::runtime::Snapshot>>;

  // ---- Recording
  uint32_t append_launch(const vd::runtime::Arguments& arguments);
  void append_kernel(vd_plan& plan, const vd::runtime::Extent& extent, const vd::runtime::Bound* bounds,
                     const void* values, vd_plan* counted = nullptr);
  void hold(vd_buffer& buffer, uint64_t offset, uint64_t size, bool write, uint64_t lead = 0);
  Node next_node(Kind kind) const;
  uint32_t append(Node node);
  Sizes sizes() const { return {nodes_.size(), held_.size(), values_.size(), boxes_.size(), images_.size()}; }
  void cut(const Sizes& sizes);
  void changed();

  // ---- Changes of nodes
  void check_node(uint32_t node) const;
  bool is_last_of_launch(uint32_t node) const;
  template <class T, class Of, class Find>
  void replace_arguments(const char* list, std::span<T* const> before, Of&& of, Find&& find);
  std::span<const Held> arguments_of(uint32_t node) const;
  // Nodes from `first` on, for the place of as many from `place` on.
  struct Successor {
    uint32_t place, first;
  };
  using Successors = std::vector<Successor>;
  template <class F>
  void exchange(F&& append);
  void append_successor(uint32_t node, const vd::runtime::Bound* arguments, Successors& successors);
  void record_again(uint32_t node, const vd::runtime::Bound* arguments);
  void check_lengths(uint32_t node, const vd_plan& plan, const vd::runtime::Arguments& arguments) const;
  static bool fits(const Node& place, const Node& node);
  void take_place(uint32_t first, const Sizes& then);
  void put_in_order(uint32_t first, uint32_t count, const Sizes& then);
  void let_go(const vd_buffer& buffer, size_t count);
  void changed_nodes(uint32_t first, uint32_t last) noexcept;

  // ---- Order
  struct Changed {
    uint32_t use, node;
  };
  Sizes sizes_before(uint32_t node) const;
  // Whether a node is a copy or fill by a kernel of the library's.
  bool is_own(uint32_t node) const;
  bool has_steps(uint32_t node) const;
  std::vector<Section> sections() const;
  // The order of the nodes, `copies` times, for the memory that a queue sees.
  vd::runtime::NodeOrder find_order(const vd::runtime::Queue& queue, const Section& section, uint32_t copies,
                                    bool edges) const;
  std::shared_ptr<vd::runtime::Snapshot> compile(vd::runtime::Queue& queue, const Section& section,
                                                 uint32_t copies) const;
  bool keeps_hazards(const vd::runtime::Snapshot& snapshot, std::span<const vd::runtime::Access> uses,
                     std::span<const Changed> changed) const;
  bool refresh(vd::runtime::Snapshot& snapshot, vd::runtime::Queue& queue) const;
  // Gives the snapshot of section `number`.
  std::shared_ptr<vd::runtime::Snapshot> snapshot(vd::runtime::Queue& queue, const Section& section, uint32_t number,
                                                  Form form, uint32_t copies);
  std::string node_text(uint32_t node) const;
  std::string edge_text(uint32_t before, uint32_t after) const;

  // ---- Submitting
  class Run;
  vd_ticket submit_nodes(const Submit& how, vd::runtime::Queue& queue);
  // The error of a submission, with the first node that `is_of` says it is of, and the argument.
  template <class IsOf>
  [[noreturn]] void refuse_node(const vd::Error& error, IsOf&& is_of) const;
  vd_ticket submit_instances(const Submit& how, vd::runtime::Queue& queue, const std::vector<Section>& sections);
  std::vector<vd::runtime::SpanName> span_names(const vd::runtime::Snapshot& snapshot, size_t first, size_t end) const;
  std::vector<uint32_t> put_values(vd::runtime::Snapshot& snapshot, const Submit& how, uint32_t first_instance) const;

  vd::Ref<vd_context> context_;
  const std::string label_;
  mutable vd::runtime::GraphUses uses_;
  std::vector<Node> nodes_;
  std::vector<Held> held_;
  std::vector<std::byte> values_;
  std::vector<vd::backends::Box> boxes_;
  std::vector<vd::backends::ImageUse> images_;
  std::map<uint32_t, Origin> origins_;  // by node
  bool per_queue_ = false;              // some buffer has replicas, so that each queue needs snapshots of its own
  bool has_unordered_ = false;
  bool has_calls_ = false;  // or had
  bool replaces_ = false;   // nodes are recorded that take the place of others

  std::mutex instances_;  // held while a submission fills snapshots with its instances' values
  std::mutex mutex_;      // of the next: any thread may submit
  Snapshots snapshots_;
  Snapshots previous_;  // before the last change
};
