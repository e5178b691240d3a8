#include "backends/host/control.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "backends/host/check.h"

namespace vd::host {
namespace {

// Jumps are relative; 0 stays.
const Insn* jump(const Insn* i, uint32_t delta) { return delta == 0 ? i + 1 : i + static_cast<int32_t>(delta); }

const Insn* run_const(Machine& m, const Insn* i) {
  const uint64_t bits = i->a | uint64_t{i->b} << 32;
  std::byte* d = m.frame + i->d;
  for (uint32_t l = 0; l < kBlock; ++l) std::memcpy(d + l * i->c, &bits, i->c);
  return i + 1;
}

const Insn* run_zero_private(Machine& m, const Insn* i) {
  std::memset(m.frame + i->d, 0, i->c);
  return i + 1;
}

const Insn* run_jump(Machine&, const Insn* i) { return jump(i, i->c); }
const Insn* run_jump_none(Machine& m, const Insn* i) { return m.mask.none() ? jump(i, i->c) : i + 1; }
const Insn* run_jump_unless(Machine& m, const Insn* i) { return *m.at<uint8_t>(i->a) == 0 ? jump(i, i->c) : i + 1; }

const Insn* run_if_begin(Machine& m, const Insn* i) {
  m.masks[i->d] = m.mask;
  m.mask &= lanes_where(m, i->a, i->sa);
  m.masks[i->d + 1] = m.mask;
  return m.mask.none() ? jump(i, i->c) : i + 1;
}
const Insn* run_if_else(Machine& m, const Insn* i) {
  m.mask = m.masks[i->d];
  m.mask.remove(m.masks[i->d + 1]);
  return m.mask.none() ? jump(i, i->c) : i + 1;
}
const Insn* run_if_end(Machine& m, const Insn* i) {
  m.mask = m.masks[i->d];
  if (i->b != ~0u) m.mask &= m.masks[i->b];
  return i + 1;
}
const Insn* run_loop_begin(Machine& m, const Insn* i) {
  m.masks[i->d] = m.masks[i->d + 1] = m.mask;
  return i + 1;
}
const Insn* run_loop_top(Machine& m, const Insn* i) {
  if (--m.fuel == 0) refuel(m, i);
  m.mask = m.masks[i->d + 2] = m.masks[i->d + 1];
  return m.mask.none() ? jump(i, i->c) : i + 1;
}
const Insn* run_loop_test(Machine& m, const Insn* i) {
  m.mask &= lanes_where(m, i->a, i->sa);
  m.masks[i->d + 1] = m.masks[i->d + 2] = m.mask;
  return m.mask.none() ? jump(i, i->c) : i + 1;
}
const Insn* run_remove(Machine& m, const Insn* i) {
  m.masks[i->d].remove(m.mask);
  return i + 1;
}
const Insn* run_clear(Machine& m, const Insn* i) {
  m.mask = {};
  return i + 1;
}
const Insn* run_end(Machine&, const Insn*) { return nullptr; }

// A lane's index of any width, in the form that loads take.
uint64_t lane_index(Machine& m, uint32_t slot, uint32_t step, uint32_t kind, uint32_t lane) {
  const uint32_t at = step == 0 ? 0 : lane;
  switch (static_cast<IndexKind>(kind)) {
    case IndexKind::I32:
      return static_cast<uint64_t>(int64_t{m.at<int32_t>(slot)[at]});
    case IndexKind::U32:
      return m.at<uint32_t>(slot)[at];
    default:
      return m.at<uint64_t>(slot)[at];
  }
}

// Operands: [access of the destination, access of the source, bytes, index kinds].
const Insn* run_copy_async(Machine& m, const Insn* i) {
  const Operand* o = m.program->operands.data() + i->b;
  const Access& to = m.accesses[o[0].slot];
  const Access& from = m.accesses[o[1].slot];
  const uint32_t bytes = o[2].slot;
  m.mask.each([&](uint32_t lane) {
    const uint64_t t = lane_index(m, i->c, i->sc, o[0].offset, lane);
    const uint64_t f = lane_index(m, i->a, i->sa, o[1].offset, lane);
    if (t >= to.count) return;
    if (f >= from.count)
      std::memset(to.base + t * to.stride, 0, bytes);
    else
      std::memcpy(to.base + t * to.stride, from.base + f * from.stride, bytes);
  });
  return i + 1;
}

const Insn* run_assert(Machine& m, const Insn* i) {
  Mask failed = m.mask;
  failed.remove(lanes_where(m, i->a, i->sa));
  if (!failed.none()) report_assert(m, i, failed);
  return i + 1;
}

const Insn* run_print(Machine& m, const Insn* i) {
  print(m, i);
  return i + 1;
}
const Insn* run_check(Machine& m, const Insn* i) {
  check_index(m, i);
  return i + 1;
}
const Insn* run_check_access(Machine& m, const Insn* i) {
  check_access(m, i);
  return i + 1;
}
const Insn* run_barrier(Machine& m, const Insn* i) {
  check_barrier(m, location_of(m, i), m.mask, m.strip);
  ++m.phase;
  return i + 1;
}

const Insn* run_subgroup_barrier(Machine& m, const Insn* i) {
  ++m.subphase;
  return i + 1;
}

}  // namespace

Mask lanes_where(const Machine& m, uint32_t slot, uint32_t step) {
  const auto* lanes = reinterpret_cast<const uint8_t*>(m.frame + slot);
  Mask mask;
  if (step == 0) {
    if (lanes[0] != 0) mask = Mask::first(kStrip);
    return mask;
  }
  for (uint32_t n = 0; n < m.blocks[1]; ++n) {
#if defined(__SSE2__)
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lanes + n * kBlock));
    const auto bits = static_cast<uint64_t>(_mm_movemask_epi8(_mm_slli_epi16(block, 7)));
#else
    uint64_t bits = 0;
    for (uint32_t h = 0; h < 2; ++h) {
      uint64_t eight;
      std::memcpy(&eight, lanes + n * kBlock + h * 8, 8);
      bits |= ((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << (h * 8);
    }
#endif
    mask.word[n / 4] |= bits << (n % 4 * kBlock);
  }
  return mask;
}

Insn::Fn control_function(Opcode code) {
  switch (code) {
    case Opcode::Const:
      return run_const;
    case Opcode::ZeroPrivate:
      return run_zero_private;
    case Opcode::Assert:
      return run_assert;
    case Opcode::Print:
      return run_print;
    case Opcode::CopyAsync:
      return run_copy_async;
    case Opcode::Check:
      return run_check;
    case Opcode::CheckAccess:
      return run_check_access;
    case Opcode::BarrierHere:
      return run_barrier;
    case Opcode::SubgroupBarrierHere:
      return run_subgroup_barrier;
    case Opcode::Jump:
      return run_jump;
    case Opcode::JumpNone:
      return run_jump_none;
    case Opcode::JumpUnless:
      return run_jump_unless;
    case Opcode::IfBegin:
      return run_if_begin;
    case Opcode::IfElse:
      return run_if_else;
    case Opcode::IfEnd:
      return run_if_end;
    case Opcode::LoopBegin:
      return run_loop_begin;
    case Opcode::LoopTop:
      return run_loop_top;
    case Opcode::LoopTest:
      return run_loop_test;
    case Opcode::LoopEnd:
      return run_if_end;
    case Opcode::Remove:
      return run_remove;
    case Opcode::Clear:
      return run_clear;
    case Opcode::End:
      return run_end;
    default:
      return nullptr;
  }
}

}  // namespace vd::host
