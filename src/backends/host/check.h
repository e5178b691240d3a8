// The rules that a checked context holds kernels to, and the messages of errors that end a running kernel.
//
// Bounds are those of buffers, shared and private arrays. A byte of a buffer or shared array must have been written
// before it is read. No integer is divided by zero, though the IR defines the result. Two invocations race if they
// access the same bytes, one of them writes, not both use atomics, and no barrier is between. No barrier is ever
// between invocations of different workgroups; this check ignores them if the kernel orders memory by fences or
// atomics.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "backends/host/memory.h"
#include "backends/host/program.h"

namespace vd::host {

// State of one checked launch.
class Checker {
 public:
  struct Binding {
    Memory* memory = nullptr;
    uint64_t offset = 0;
    bool raced = false;  // another invocation writes to these bytes
  };
  Checker(const Program& program, std::vector<Binding> bindings);
  // A new workgroup: nothing of its shared memory has been written.
  void begin_group();

  struct Touched {
    uint64_t group = 0;  // plus 1; 0: none
    uint32_t lane = 0, phase = 0, subphase = 0;
    bool atomic = false;
    bool several = false;  // invocations
  };
  struct Cell {
    Touched writer, reader;
  };

  Cell& cell(const std::byte* address, bool shared);
  const Binding& binding(uint32_t index) const { return bindings_[index]; }
  bool is_shared_written(uint64_t offset) const { return shared_written_[offset] == group_; }
  void mark_shared(uint64_t offset) { shared_written_[offset] = group_; }
  bool orders_groups() const { return orders_groups_; }

 private:
  static constexpr size_t kPage = 1024;
  uint32_t unit_;
  bool orders_groups_ = false;
  uint32_t group_ = 0;
  std::vector<Binding> bindings_;
  std::vector<uint32_t> shared_written_;
  std::unordered_map<uintptr_t, std::unique_ptr<Cell[]>> pages_, shared_pages_;
};

void check_index(Machine& m, const Insn* i);
void check_access(Machine& m, const Insn* i);
// Whether all lanes of the strip are here.
void check_barrier(const Machine& m, uint32_t location, const Mask& here, uint32_t strip);

[[noreturn]] void report_assert(const Machine& m, const Insn* i, const Mask& failed);
void print(Machine& m, const Insn* i);

// Throws VD_ERR_KERNEL with the fault, the kernel and the user's line.
[[noreturn]] void end_kernel(const Program& program, uint32_t location, const std::string& what);
// "invocation (1, 0, 0) of workgroup (2, 0, 0)".
std::string invocation_name(const Machine& m, uint32_t lane);

}  // namespace vd::host
