// The functions that run instructions, compiled for several instruction sets; the best one that this processor has is
// taken at run time.
#pragma once

#include "backends/host/program.h"
#include "ir/op.h"

namespace vd::host {

// Whether a range may be read for all lanes of a block although some are not active. It is memory that the kernel may
// read, but another workgroup might write the part that no active lane asks for: harmless, yet a race to
// ThreadSanitizer.
#if defined(__SANITIZE_THREAD__)
#define VD_READS_AHEAD(active) ((active) == 0xffffu)
#else
#define VD_READS_AHEAD(active) (((active) | 1u) != 0)
#endif

inline constexpr size_t kPureOps = ir::kPublicOps;  // codes from here on are the host's own
inline constexpr size_t kScalars = 13;

// The layout of an element's scalar in memory, and the lanes' value.
enum class Cell : uint8_t { Bytes1, Bytes2, Bytes4, Bytes8, Half, Bool };
inline constexpr size_t kCells = 6;
enum class IndexKind : uint8_t { I32, U32, I64 };  // 64 bits: u64 as i64
inline constexpr size_t kIndexKinds = 3;

Cell cell_of(ir::Scalar s);

struct OpTable {
  const char* name = "";
  // Plain arrays: a function of std::array could be shared between instruction sets.
  // d = op(a, b, c) of operands of the scalar; comparisons give bool. LET copies; MUL, ADD ... as vkdispatch.h says.
  Insn::Fn pure[kPureOps][kScalars] = {};
  Insn::Fn convert[kScalars][kScalars] = {};  // [from][to]
  Insn::Fn half_of_bits = nullptr;            // f16 from its bits
  // d where active = a. [lane size 1, 2, 4, 8]
  Insn::Fn blend[4] = {};
  // Load: d, or the operands from c on (as many as the number says), = access b at index a; past the end zero.
  // Store: to access b at index a, where active; past the end nothing. Numbers of components 1 to 4.
  Insn::Fn load[kCells][kIndexKinds][4] = {}, store[kCells][kIndexKinds][4] = {};
  // Private arrays: d = the block of slots at b, c of them, at index a; and where active the reverse, a value at d.
  Insn::Fn load_private[4][kIndexKinds] = {}, store_private[4][kIndexKinds] = {};
};

const OpTable& base_table();
#if defined(__x86_64__)
const OpTable& avx2_table();
const OpTable& avx512_table();
#endif
// Whole tables by name ("base", "avx2", "avx512"); null if this machine cannot run it. For tests.
const OpTable* find_table(const char* name);
// The best that this processor runs; VKDISPATCH_HOST_ISA in the environment names another.
const OpTable& op_table();

// Adds what goes through libm and needs no vector code.
void add_math(OpTable& table);

}  // namespace vd::host
