#include "backends/host/check.h"

#include <algorithm>
#include <bit>

#include "backends/host/pure.h"
#include "core/count_of.h"
#include "core/error.h"
#include "core/log.h"
#include "ir/op.h"
#include "ir/passes/assert_divisors.h"
#include "ir/walk.h"

namespace vd::host {
namespace {

uint64_t index_of(Machine& m, const Insn* i, uint32_t lane) {
  const uint32_t at = i->sa == 0 ? 0 : lane;
  switch (static_cast<IndexKind>(i->b)) {
    case IndexKind::I32:
      return static_cast<uint64_t>(int64_t{m.at<int32_t>(i->a)[at]});
    case IndexKind::U32:
      return m.at<uint32_t>(i->a)[at];
    default:
      return m.at<uint64_t>(i->a)[at];
  }
}

std::string index_text(const Insn* i, uint64_t index) {
  return ir::Type(static_cast<ir::Scalar>(i->c)).is_signed() ? fmt::format("{}", static_cast<int64_t>(index))
                                                             : fmt::format("{}", index);
}

// "buffer "image"", "shared array "tile"".
std::string span_name(const Program& p, uint32_t span) {
  if (span == ~0u) return "a private array";
  const SpanDesc& s = p.spans[span];
  if (s.kind == SpanDesc::Kind::Binding) {
    return fmt::format("buffer \"{}\" (argument {})", p.kernel.arguments[s.argument].name, s.argument);
  }
  if (s.kind == SpanDesc::Kind::Shared) return fmt::format("shared array \"{}\"", p.kernel.shareds[s.argument].name);
  return "a constant table";
}

Span span_of(const Machine& m, uint32_t number) {
  const SpanDesc& s = m.program->spans[number];
  if (s.kind == SpanDesc::Kind::Binding) return m.launch->bindings[s.index];
  return {m.shared + s.index, s.size};
}

uint64_t group_number(const Machine& m) {
  const auto& n = m.launch->workgroups;
  return 1 + m.group[0] + uint64_t{n[0]} * (m.group[1] + uint64_t{n[1]} * m.group[2]);
}

struct Invocation {
  uint64_t group;
  uint32_t lane, phase, subphase;
};

// Whether the access `before` is ordered before this invocation's access.
bool ordered(const Checker& c, bool shared, const Checker::Touched& before, const Invocation& now) {
  if (before.group == 0) return true;
  if (before.group != now.group) return shared || c.orders_groups();
  if (before.phase != now.phase) return true;
  if (before.several) return false;
  return before.lane == now.lane || (before.lane / kSubgroup == now.lane / kSubgroup && before.subphase < now.subphase);
}

std::string other_name(const Machine& m, const Checker::Touched& t) {
  if (t.group == group_number(m)) {
    const auto& s = m.program->workgroup_size;
    return fmt::format("invocation ({}, {}, {}) of the same workgroup", t.lane % s[0], t.lane / s[0] % s[1],
                       t.lane / s[0] / s[1]);
  }
  const auto& n = m.launch->workgroups;
  const uint64_t g = t.group - 1;
  return fmt::format("workgroup ({}, {}, {})", g % n[0], g / n[0] % n[1], g / n[0] / n[1]);
}

void note(Checker::Touched& t, const Invocation& now, bool atomic) {
  const bool same_time = t.group == now.group && t.phase == now.phase;
  const bool several = same_time && (t.several || t.lane != now.lane);
  t = {now.group, now.lane, now.phase, now.subphase, atomic, several};
}

}  // namespace

std::string invocation_name(const Machine& m, uint32_t lane) {
  const auto& s = m.program->workgroup_size;
  const uint32_t l = m.strip * kStrip + lane;
  return fmt::format("invocation ({}, {}, {}) of workgroup ({}, {}, {})", l % s[0], l / s[0] % s[1], l / s[0] / s[1],
                     m.group[0], m.group[1], m.group[2]);
}

void end_kernel(const Program& program, uint32_t location, const std::string& what) {
  const ir::Location& at = program.kernel.locations[location];
  std::string place;
  if (at.line != 0)
    place = fmt::format(" at {}:{}{}", at.file, at.line, at.function.empty() ? "" : " in " + at.function);
  throw Error(VD_ERR_KERNEL, fmt::format("kernel \"{}\"{}: {}.", program.kernel.name, place, what));
}

// ---- the checker ----

Checker::Checker(const Program& program, std::vector<Binding> bindings)
    : unit_(program.race_unit), bindings_(std::move(bindings)) {
  shared_written_.resize(program.shared_size);
  for (const SpanDesc& s : program.spans) {
    if (s.kind != SpanDesc::Kind::Binding) continue;
    const vd_argument_access use = program.kernel.arguments[s.argument].use;
    if ((use & (VD_ARGUMENT_ACCESS_WRITE | VD_ARGUMENT_ACCESS_ATOMIC)) == 0) continue;
    for (Binding& b : bindings_) b.raced |= b.memory == bindings_[s.index].memory;
  }
  ir::for_each_inst(program.kernel, [&](ir::ValueId, const ir::Inst& inst) {
    if (inst.op == VD_OP_FENCE) orders_groups_ = true;
    if (ir::is_atomic(inst.op) && (inst.immediate & 0xf) != VD_MEMORY_RELAXED) {
      orders_groups_ = true;
    }
  });
}

void Checker::begin_group() { ++group_; }

Checker::Cell& Checker::cell(const std::byte* address, bool shared) {
  const uintptr_t number = reinterpret_cast<uintptr_t>(address) / unit_;
  auto& page = (shared ? shared_pages_ : pages_)[number / kPage];
  if (page == nullptr) page = std::make_unique<Cell[]>(kPage);
  return page[number % kPage];
}

// ---- calls of checked code ----

void check_index(Machine& m, const Insn* i) {
  const CheckInfo& info = m.program->checks[i->d];
  uint64_t limit = info.limit;
  if (limit == 0) {
    const Span span = span_of(m, info.span);
    limit = span.size / info.stride;
  }
  m.mask.each([&](uint32_t lane) {
    const uint64_t index = index_of(m, i, lane);
    if (index < limit) return;
    end_kernel(*m.program, info.location,
               fmt::format("index ({}) is past the end of {} ({}), in {}", index_text(i, index),
                           span_name(*m.program, info.span), count_of(limit, "element"), invocation_name(m, lane)));
  });
}

void check_access(Machine& m, const Insn* i) {
  using Touch = CheckInfo::Touch;
  const CheckInfo& info = m.program->checks[i->d];
  const SpanDesc& desc = m.program->spans[info.span];
  const bool shared = desc.kind == SpanDesc::Kind::Shared;
  const Access& access = m.accesses[info.access];
  Checker& checker = *m.launch->checker;
  const Checker::Binding* binding = shared ? nullptr : &checker.binding(desc.index);
  const bool raced = shared || binding->raced;
  const uint32_t unit = m.program->race_unit;
  const uint64_t group = group_number(m);

  m.mask.each([&](uint32_t lane) {
    const uint64_t index = index_of(m, i, lane);
    const auto stop = [&](const std::string& what) {
      end_kernel(*m.program, info.location, fmt::format("{}, in {}", what, invocation_name(m, lane)));
    };
    if (index >= access.count) {
      stop(fmt::format("an access of {} bytes at byte {} is past the end of {} ({} bytes)", info.size,
                       m.program->accesses[info.access].offset + index * access.stride,
                       span_name(*m.program, info.span), span_of(m, info.span).size));
    }
    const std::byte* p = access.base + index * access.stride;
    // Bytes of the buffer's memory, or of the workgroup's shared memory.
    const uint64_t first = shared ? static_cast<uint64_t>(p - m.shared)
                                  : binding->offset + static_cast<uint64_t>(p - m.launch->bindings[desc.index].data);
    const auto element = [&] { return index_text(i, index); };
    if (info.touch != Touch::Write) {
      for (uint64_t b = first; b < first + info.size; ++b) {
        if (shared ? checker.is_shared_written(b) : binding->memory->is_written(b)) continue;
        stop(fmt::format("element {} of {} is read before anything was written to it", element(),
                         span_name(*m.program, info.span)));
      }
    }
    if (info.touch != Touch::Read) {
      if (shared) {
        for (uint64_t b = first; b < first + info.size; ++b) checker.mark_shared(b);
      } else {
        binding->memory->mark_written(first, info.size);
      }
    }
    if (!shared) {
      if (info.touch != Touch::Write) binding->memory->mark_touched(first, info.size, group, false);
      if (info.touch != Touch::Read) binding->memory->mark_touched(first, info.size, group, true);
    }
    if (!raced) return;
    const Invocation now{group, m.strip * kStrip + lane, m.phase, m.subphase};
    const bool writes = info.touch != Touch::Read, atomic = info.touch == Touch::Atomic;
    for (uint64_t b = 0; b < info.size; b += unit) {
      Checker::Cell& cell = checker.cell(p + b, shared);
      const Checker::Touched& writer = cell.writer;
      if (!(writer.atomic && atomic) && !ordered(checker, shared, writer, now)) {
        stop(fmt::format("data race: element {} of {} is {} here and was written by {}, with no barrier between",
                         element(), span_name(*m.program, info.span), writes ? "written" : "read",
                         other_name(m, writer)));
      }
      const Checker::Touched& reader = cell.reader;
      if (writes && !(reader.atomic && atomic) && !ordered(checker, shared, reader, now)) {
        stop(fmt::format("data race: element {} of {} is written here and was read by {}, with no barrier between",
                         element(), span_name(*m.program, info.span), other_name(m, reader)));
      }
      if (writes)
        note(cell.writer, now, atomic);
      else
        note(cell.reader, now, false);
    }
  });
}

void check_barrier(const Machine& m, uint32_t location, const Mask& here, uint32_t strip) {
  const uint32_t lanes = std::min(m.program->lanes - strip * kStrip, kStrip);
  Mask absent = Mask::first(lanes);
  absent.remove(here);
  if (absent.none()) return;
  uint32_t lane = 0;
  while (!absent.has(lane)) ++lane;
  Machine at;
  at.program = m.program;
  at.group = m.group;
  at.strip = strip;
  end_kernel(*m.program, location,
             fmt::format("divergent barrier: {} does not reach it (nor do {} others of its strip)",
                         invocation_name(at, lane), absent.count() - 1));
}

void report_assert(const Machine& m, const Insn* i, const Mask& failed) {
  uint32_t lane = 0;
  while (!failed.has(lane)) ++lane;
  const std::string text = i->d == ~0u ? "" : m.program->kernel.strings[i->d];
  const std::string what = text.empty()                  ? "assertion failed"
                           : text == ir::kDivisionByZero ? text
                                                         : "assertion failed: " + text;
  end_kernel(*m.program, location_of(m, i), fmt::format("{}, in {}", what, invocation_name(m, lane)));
}

}  // namespace vd::host
