// The body is copied once for each count, its counter a constant. BREAK and CONTINUE of the loop itself cannot be
// copied so: such loops stay. A factor k leaves a loop over blocks of k iterations if k divides the number of
// iterations.
#include "ir/passes/unroll.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/error.h"
#include "ir/evaluate.h"
#include "ir/fold.h"
#include "ir/rewriter.h"
#include "ir/type_rules.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

// Instructions of a region, or 0 if it leaves its loop by BREAK, CONTINUE or RETURN.
uint32_t body_size(const Kernel& k, RegionId region, bool inner_loop = false) {
  uint32_t size = 1;
  for (const ValueId id : k.regions[region].insts) {
    const Inst& inst = k.insts[id];
    if (inst.op == VD_OP_RETURN || (!inner_loop && (inst.op == VD_OP_BREAK || inst.op == VD_OP_CONTINUE))) return 0;
    ++size;
    for (const RegionId inner : inst.regions) {
      if (inner == kNoRegion) continue;
      const uint32_t more = body_size(k, inner, inner_loop || is_loop(inst.op));
      if (more == 0) return 0;
      size += more;
    }
  }
  return size;
}

// Counts the iterations of a loop with constant bounds; false if the bounds are not constant, or the count is too
// large.
bool count_iterations(const Kernel& k, ValueId start, ValueId stop, ValueId step, uint64_t& iterations) {
  uint64_t a = 0, b = 0, s = 0;
  if (!constant_splat(k, start, a) || !constant_splat(k, stop, b) || !constant_splat(k, step, s)) return false;
  const Type type = k.insts[start].type;
  if (type.is_unsigned()) {
    if (s == 0) return false;
    iterations = a >= b ? 0 : (b - a - 1) / s + 1;
    return true;
  }
  const int64_t from = extend(type.scalar(), a), to = extend(type.scalar(), b), by = extend(type.scalar(), s);
  constexpr int64_t far = int64_t{1} << 40;
  if (by == 0 || from > far || from < -far || to > far || to < -far || by > far || by < -far) return false;
  const int64_t way = by > 0 ? to - from : from - to;
  const int64_t length = by > 0 ? by : -by;
  iterations = way <= 0 ? 0 : static_cast<uint64_t>((way - 1) / length + 1);
  return true;
}

// The number of copies of a loop's body. A loop with an unknown number of iterations is never unrolled completely.
uint64_t copies_of(const Kernel& k, const Inst& inst) {
  const uint64_t wish = plain_immediate(inst.immediate);
  if (!is_loop(inst.op) || wish <= 1) return 1;
  uint64_t iterations = 0;
  const std::span<const ValueId> args = k.operands_of(inst);
  const bool known = inst.op == VD_OP_FOR && count_iterations(k, args[0], args[1], args[2], iterations);
  if (!known) return wish == VD_LOOP_FULL ? 1 : wish;
  return std::clamp<uint64_t>(wish == VD_LOOP_FULL ? iterations : std::min(wish, iterations), 1, uint64_t{1} << 40);
}

class UnrollCounter {
 public:
  UnrollCounter(const Kernel& kernel, uint32_t limit) : k_(kernel), limit_(limit) {}

  // Instructions of a region; `outside` of every unrolled loop, whose numbers are summed up and compared.
  uint64_t count(RegionId region, bool outside) {
    uint64_t size = 0;
    for (const ValueId id : k_.regions[region].insts) {
      const Inst& inst = k_.insts[id];
      const uint64_t copies = copies_of(k_, inst);
      uint64_t inner = 0;
      for (const RegionId part : inst.regions)
        if (part != kNoRegion) inner = capped(inner + count(part, outside && copies == 1));
      const uint64_t here = copies == 1 ? inner : capped(std::max<uint64_t>(inner, 1) * copies);
      size = capped(size + 1 + here);
      if (outside && copies > 1 && (sum_ = capped(sum_ + here)) > limit_) refuse(inst, copies, here);
    }
    return size;
  }

 private:
  // Far above any limit, and times the copies of a loop it fits in 64 bits.
  static constexpr uint64_t kMany = uint64_t{1} << 22;
  static uint64_t capped(uint64_t size) { return std::min(size, kMany); }

  [[noreturn]] void refuse(const Inst& inst, uint64_t copies, uint64_t size) const {
    const Location& at = k_.locations[inst.location];
    const std::string place = at.line == 0 ? "" : fmt::format(" at {}:{}", at.file, at.line);
    fail(VD_ERR_COMPILE,
         "kernel \"{}\"{}: a loop unrolled {} times becomes {}{} instructions{}; the limit for all loops of a kernel "
         "is {}.",
         k_.name, place, copies, size == kMany ? "more than " : "", size,
         sum_ > size ? fmt::format(", {} with those before it", sum_) : "", limit_);
  }

  const Kernel& k_;
  const uint32_t limit_;
  uint64_t sum_ = 0;
};

// Copies of a body need values of their own: the replacements of an earlier copy are dropped.
void copy_body(Rewriter& r, ValueId loop, RegionId body, ValueId counter) {
  for_each_inst(r.source(), body, [&](ValueId id, const Inst& inst) {
    if (inst.op != VD_OP_VAR) r.replace(id, kNoValue);
  });
  r.replace(loop, counter);
  r.copy_region(body);
}

}  // namespace

void check_unrolling(const Kernel& kernel, uint32_t limit) { UnrollCounter(kernel, limit).count(kernel.body, true); }

void unroll(Kernel& kernel, uint32_t limit) {
  uint64_t spent = 0;
  kernel = rewrite(std::move(kernel), [&](Rewriter& r, ValueId id, const Inst& inst) {
    if (inst.op == VD_OP_VAR && r.has(id)) {
      // A variable of an unrolled body is declared once, and set anew in each copy.
      const ValueId first = inst.operand_count == 0 ? r.out.zero(inst.type.value()) : r[r.operand(inst, 0)];
      r.out.store(r[id], first);
      return true;
    }
    if (inst.op != VD_OP_FOR) return false;
    Emitter& e = r.out;
    const ValueId start = r[r.operand(inst, 0)], stop = r[r.operand(inst, 1)], step = r[r.operand(inst, 2)];
    uint64_t iterations = 0;
    if (!count_iterations(e.kernel(), start, stop, step, iterations) || iterations == 0) return false;
    const uint64_t wish = plain_immediate(inst.immediate);
    const bool full = wish == VD_LOOP_FULL || iterations == 1 || (wish > 1 && wish >= iterations);
    if (!full && (wish <= 1 || iterations % wish != 0)) return false;
    const uint64_t copies = full ? iterations : wish;
    const RegionId body = inst.regions[1];
    const uint32_t size = body_size(r.source(), body);
    if (size == 0 || copies > limit || size * copies > limit - std::min<uint64_t>(spent, limit)) return false;
    spent += size * copies;
    const Type type = inst.type;
    if (full) {
      uint64_t at = 0, by = 0;
      constant_splat(e.kernel(), start, at);
      constant_splat(e.kernel(), step, by);
      for (uint64_t i = 0; i < copies; ++i, at += by) {
        const uint32_t bits = scalar_bits(type.scalar());
        copy_body(r, id, body, e.bits(type, bits == 64 ? at : at & ((uint64_t{1} << bits) - 1)));
      }
      return true;
    }
    const ValueId stride = e.mul(step, e.constant(type, static_cast<double>(copies)));
    const ValueId base = e.begin_for(start, stop, stride, VD_LOOP_ROLLED);
    for (uint64_t i = 0; i < copies; ++i) {
      copy_body(r, id, body, e.add(base, e.mul(step, e.constant(type, static_cast<double>(i)))));
    }
    e.end();
    return true;
  });
}

}  // namespace vd::ir
