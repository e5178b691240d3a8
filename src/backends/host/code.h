// Code between kernel and program: scalar ops on virtual registers, one register per component. Registers hold values
// or are variables that are written again. Blocks are in the order in which they run.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/host/program.h"
#include "backends/host/pure.h"

namespace vd::host {

using Reg = uint32_t;
inline constexpr Reg kNoReg = ~0u;
using Label = uint32_t;
inline constexpr Label kNoLabel = ~0u;

// Node::code below kPureOps is a vd_op of OpTable::pure. Mask slots are numbers in Machine::masks; slot 0 holds the
// lanes that have not returned.
enum class Opcode : uint16_t {
  Convert = kPureOps,   // d = a, scalar to `scalar` from `from`
  HalfOfBits,           // d = the f16 with the bits a
  Const,                // d = the scalar with the bits x | y << 32
  Blend,                // d = a where active
  Load,                 // parts x.. (y of them) = access b's cells at index a
  Store,                // the reverse, where active
  LoadPrivate,          // d = array b at index a; x elements
  StorePrivate,         // array b at index a = d, where active
  ZeroPrivate,          // array d = 0; x elements
  Atomic,               // d = old value of access x at index a; op y, with b (and c)
  Subgroup,             // d = op y of a (and lane b)
  Assert,               // ends the kernel where active and a is false; string x
  Print,                // the PRINTF x of the kernel with parts y.. (z of them)
  CopyAsync,            // y bytes from access z at index a to access x at index c
  Check,                // checked: one index a against checks[x]
  CheckAccess,          // checked: the access at index a, described by checks[x]
  BarrierHere,          // a barrier in a workgroup of one strip, or checked
  SubgroupBarrierHere,  // checked
  LoopStart,            // marks for the life of registers: no instruction
  LoopStop,
  Place,       // where jumps to label x land: no instruction
  Jump,        // to label x
  JumpNone,    // to label x if no lane is active
  JumpUnless,  // to label x unless the uniform bool a
  IfBegin,     // slot x: keep the mask there and in x + 1 the part for which bool a is true; to label y if that is
               // empty
  IfElse,      // the other lanes of slot x; to label y if there are none
  IfEnd,       // the lanes of slot x that are still in slot y
  LoopBegin,   // slot x: keep the mask in x and x + 1
  LoopTop,     // the lanes of x + 1, also into x + 2, those of this iteration; to label y if none
  LoopTest,    // drop lanes whose bool a is false from x + 1 and x + 2; to label y if none
  LoopEnd,     // the lanes of slot x that are still in slot y
  Remove,      // drop the active lanes from slot x
  Clear,       // no lane is active
  End,         // of a segment
};

struct Node {
  uint16_t code = 0;
  ir::Scalar scalar = ir::Scalar::None, from = ir::Scalar::None;
  Reg d = kNoReg, a = kNoReg, b = kNoReg, c = kNoReg;
  uint32_t x = 0, y = 0, z = 0;
  uint32_t location = 0;
};

struct RegInfo {
  ir::Scalar scalar = ir::Scalar::None;
  bool varying = true;
  bool variable = false;  // written more than once
  bool pinned = false;    // lives all the time
  uint32_t count = 1;     // elements of a private array
};

// A component of a load or store.
struct Part {
  Reg reg = kNoReg;
  uint16_t offset = 0;
};

struct Block {
  std::vector<Node> nodes;
};

// The steps of a workgroup before addresses are known.
struct PlannedStep {
  Step::Kind kind = Step::Kind::Segment;
  std::vector<uint32_t> blocks;  // Segment
  Label label = kNoLabel;        // target of a jump, or the label before this step
  uint32_t location = 0;
  Label here = kNoLabel;
};

struct LaneInput {
  vd_builtin builtin;
  uint32_t component;
  Reg reg;
};

struct Listing {
  std::vector<Block> blocks;
  std::vector<RegInfo> regs;
  std::vector<Part> parts;
  std::vector<uint32_t> dispatch_blocks, group_blocks;
  std::vector<PlannedStep> steps;
  std::vector<LaneInput> uniform_inputs, lane_inputs;
  uint32_t mask_count = 1;
  uint32_t label_count = 0;
};

}  // namespace vd::host
