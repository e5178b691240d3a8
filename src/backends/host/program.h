// A compiled kernel: a flat list of instructions over slots, and the machine that runs it. Every value is a slot of a
// frame: its lanes side by side, or, where all lanes have one value, one block of equal lanes. An instruction is a
// function with byte offsets into the frame, so one op over a strip costs one indirect call and one vector loop.
//
// Where a workgroup has more than one strip and a barrier, the code is cut into segments. A segment runs for each strip
// in turn; what lives longer than a segment is kept in a store of its strip and moved in and out of the frame.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backends/host/lane.h"
#include "ir/kernel.h"

namespace vd::host {

struct Machine;

struct Insn {
  // Returns the next instruction, null at the end of a segment.
  using Fn = const Insn* (*)(Machine&, const Insn*);
  Fn fn = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0;  // offsets into the frame, or what the function says
  uint16_t sa = 0, sb = 0, sc = 0;      // bytes from one block of an operand to the next; 0 where all lanes are equal
  uint16_t varying = 0;                 // 1: the result has lanes; 0: it is one block
};
static_assert(sizeof(Insn) == 32);

// The memory that a reference addresses: a span, at the lanes' index times `stride`.
struct AccessDesc {
  uint32_t span = 0;
  uint64_t offset = 0;  // bytes before index 0
  uint32_t stride = 1;  // bytes from one index to the next
  uint32_t size = 1;    // bytes touched
  uint32_t step = 1;    // index difference of neighbouring lanes that touch neighbouring bytes
  friend bool operator==(const AccessDesc&, const AccessDesc&) = default;
};

// The same for one dispatch: `count` indices lie within the span.
struct Access {
  std::byte* base = nullptr;
  uint64_t count = 0;
  uint32_t stride = 1;
  uint32_t step = 1;
};

// A range of memory that references start from.
struct SpanDesc {
  enum class Kind : uint8_t { Binding, Shared, Values, Constants } kind = Kind::Binding;
  uint32_t index = 0;     // Binding: its place; Shared: byte offset
  uint64_t size = 0;      // Shared, Constants
  uint32_t argument = 0;  // Binding: number in the kernel's arguments; Shared: in its arrays
};

struct Span {
  std::byte* data = nullptr;
  uint64_t size = 0;
};

// An operand of an instruction with more than three of them.
struct Operand {
  uint32_t slot = 0;
  uint16_t step = 0;    // as Insn::sa
  uint16_t offset = 0;  // byte offset of the component in the element
};

struct Move {
  uint32_t frame = 0, store = 0, size = 0;
};

// Steps that the workgroup does together.
struct Step {
  enum class Kind : uint8_t { Segment, Barrier, Jump, JumpIfNone } kind = Kind::Segment;
  uint32_t target = 0;    // Segment: first instruction; jumps: step
  uint32_t location = 0;  // Barrier
  std::vector<Move> in, out;
};

// A built-in value that the machine puts into the frame.
struct Input {
  vd_builtin builtin = VD_BUILTIN_GLOBAL_ID;
  uint32_t component = 0;
  uint32_t slot = 0;
};

// The access that a check of checked code watches.
struct CheckInfo {
  enum class Touch : uint32_t { Read, Write, Atomic };
  uint32_t span = 0;    // ~0: a private array
  uint32_t access = 0;  // of the whole
  uint32_t size = 0;    // bytes touched
  Touch touch = Touch::Read;
  uint64_t limit = 0;  // of one index: elements; 0: as many of `stride` bytes as the binding holds
  uint64_t stride = 1;
  uint64_t offset = 0;
  uint32_t location = 0;
};

class Checker;

struct Program {
  ir::Kernel kernel;  // prepared; for names and places in messages
  std::array<uint32_t, 3> workgroup_size{};
  uint32_t lanes = 1;  // of a workgroup
  uint32_t strips = 1;
  uint32_t strip_blocks = 1;  // of a full strip
  bool checked = false;
  uint32_t race_unit = 4;  // checked: bytes of the unit in which conflicts are found

  std::vector<Insn> code;
  std::vector<uint32_t> locations;  // of each instruction
  std::vector<Operand> operands;
  std::vector<AccessDesc> accesses;
  std::vector<SpanDesc> spans;
  std::vector<CheckInfo> checks;
  std::vector<std::byte> constants;

  uint32_t dispatch_code = 0;  // once a dispatch and machine
  uint32_t group_code = 0;     // once a workgroup
  std::vector<Step> steps;     // then these

  std::vector<Input> uniform_inputs;  // set once a dispatch or workgroup
  std::vector<Input> lane_inputs;  // by strip; filled in before the segment where there is one strip, else in the store
  uint32_t frame_size = 0;
  uint32_t store_size = 0;  // of a strip
  uint32_t mask_count = 1;  // mask 0: lanes that have not returned
  uint32_t shared_size = 0;

  std::string text;  // the listing
};

// One launch, shared by all machines that work on it.
struct Launch {
  const Program* program = nullptr;
  std::array<uint32_t, 3> workgroups{};
  std::vector<Span> bindings;
  const std::byte* values = nullptr;
  uint32_t values_size = 0;
  uint64_t deadline_ns = ~uint64_t{0};  // of steady_clock
  uint64_t watchdog_ns = 0;
  std::atomic<bool>* stop = nullptr;
  Checker* checker = nullptr;
};

// One thread's state. Kept from launch to launch; its memory only grows.
struct Machine {
  std::byte* frame = nullptr;
  std::array<uint32_t, 2> blocks{1, 1};  // by Insn::varying
  const Program* program = nullptr;
  const Access* accesses = nullptr;
  Mask mask;              // lanes that are active now
  Mask* masks = nullptr;  // this strip's
  uint32_t fuel = 0;      // iterations of loops until the watchdog looks at the clock
  uint32_t strip = 0;
  std::array<uint32_t, 3> group{};
  uint32_t phase = 0;     // barriers passed in this workgroup
  uint32_t subphase = 0;  // and those of subgroups
  const Launch* launch = nullptr;
  std::byte* shared = nullptr;

  std::vector<Access> access_storage;
  std::vector<Mask> mask_storage;
  std::vector<std::byte> frame_storage, store_storage, shared_storage;

  // Slots as lanes.
  template <class T>
  T* at(uint32_t offset) {
    return reinterpret_cast<T*>(frame + offset);
  }
};

// The instruction that ran, for messages.
inline uint32_t location_of(const Machine& m, const Insn* i) {
  return m.program->locations[static_cast<size_t>(i - m.program->code.data())];
}

// Called when the fuel is used up: throws VD_ERR_KERNEL past the deadline or when the launch is to stop.
void refuel(Machine& m, const Insn* i);

}  // namespace vd::host
