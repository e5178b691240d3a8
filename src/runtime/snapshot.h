// Recorded work as a submission hands it to the backend, and the backend's prepared form of it.
//
// Many graphs are submitted once and then changed, so the first submit hands over the list, and only the second has the
// backend prepare it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backends/backend.h"
#include "core/object.h"
#include "runtime/memory.h"
#include "runtime/plan.h"

namespace vd::runtime {

// Some of a graph's nodes in a row, once or several times one after the other, in the order of their levels, with all
// objects that they refer to. For one queue, or, if no buffer has replicas, for all queues of the device.
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
  // Some commands of `list` have changed, but no kernels, kinds, levels or edges. The executable follows, or goes.
  void patch(std::span<const uint32_t> commands);
  // Whether it is worth an executable although its commands change before each run.
  bool patchable() const;
  // Lets go of a block that no node uses any more. `accesses` lacks what comes instead until the snapshot is refreshed.
  void drop(const Block* block);
  // The use with this number has another range of memory.
  void set_use(size_t number, const Access& access);

  backends::CommandList list;
  std::vector<Access> accesses;  // merged; `blocks` and `plans` keep them alive
  std::vector<Ref<Block>> blocks;
  std::vector<Ref<vd_plan>> plans;
  LastUse last_use;  // under the context's order lock

  // For changes of some nodes:
  uint32_t first_node = 0, end_node = 0;
  uint32_t copies = 1;
  std::vector<Access> uses;  // of the nodes' arguments, one by one, as are the list's ranges; null where dropped
  struct Placed {
    std::shared_ptr<const Region> region;
    Span span;
  };
  std::vector<Placed> places;     // of the uses, also of those whose block is gone
  std::vector<Access> next_uses;  // scratch, kept for its memory
  std::vector<uint32_t> numbers;  // of a node's command; copy by copy
  std::vector<uint32_t> stale;    // nodes that have changed since `list` was made
  bool broken = false;            // a change failed half-way, so that another is made in its place
  struct Varied {
    uint32_t node, copy;
  };
  std::vector<Varied> varied;  // whose values in `list` are an instance's
  void note_stale(uint32_t first, uint32_t last);

 private:
  // Throws VD_ERR_STATE for memory that was discarded.
  std::vector<std::shared_ptr<DeviceMemory>> hold_memory() const;
  void adopt_executable();
  void retire_executable();

  vd_context& context_;
  const uint32_t device_;
  mutable std::mutex mutex_;  // of the next four
  bool used_ = false;
  bool patchable_;
  std::unique_ptr<backends::Executable> executable_;
  std::shared_ptr<Snapshot> previous_;
};

}  // namespace vd::runtime
