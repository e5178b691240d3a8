// Slots are assigned by a scan over the code in its order: a register's slot is free again after its last use, or after
// the end of a loop that uses a value from before the loop. Branches that exclude each other follow one another in the
// code and run in that order, so the order alone decides.
#include "backends/host/assemble.h"

#include <algorithm>
#include <queue>

#include "backends/host/control.h"
#include "backends/host/half.h"
#include "core/error.h"
#include "ir/op.h"

namespace vd::host {
namespace {

using ir::Scalar;

constexpr uint32_t kSlotAlign = 64;
constexpr uint32_t kUnplaced = ~0u;

struct Life {
  uint32_t slot = kUnplaced;
  uint32_t begin = ~0u, end = 0;  // twice the node's number; odd: after its reads
  uint32_t home = 0;              // loops open where it is first written
  uint32_t store = kUnplaced;     // in the strip's store
  uint32_t segment = ~0u;
  bool crosses = false;  // more than one segment
};

Opcode code_of(const Node& n) { return static_cast<Opcode>(n.code); }
bool is_pure(const Node& n) {
  return n.code < kPureOps || code_of(n) == Opcode::Convert || code_of(n) == Opcode::HalfOfBits;
}

// Calls f(reg, writes) for each register of a node, reads first.
template <class F>
void each_reg(const Listing& l, const Node& n, F&& f) {
  const auto read = [&](Reg r) {
    if (r != kNoReg) f(r, false);
  };
  if (is_pure(n)) {
    read(n.a);
    read(n.b);
    read(n.c);
    f(n.d, true);
    return;
  }
  switch (code_of(n)) {
    case Opcode::Const:
    case Opcode::ZeroPrivate:
      f(n.d, true);
      return;
    case Opcode::Blend:
      read(n.a);
      read(n.d);
      f(n.d, true);
      return;
    case Opcode::Load:
      read(n.a);
      for (uint32_t i = 0; i < n.y; ++i) f(l.parts[n.x + i].reg, true);
      return;
    case Opcode::Store:
      read(n.a);
      for (uint32_t i = 0; i < n.y; ++i) read(l.parts[n.x + i].reg);
      return;
    case Opcode::LoadPrivate:
      read(n.a);
      read(n.b);
      f(n.d, true);
      return;
    case Opcode::StorePrivate:
      read(n.a);
      read(n.d);
      read(n.b);
      f(n.b, true);
      return;
    case Opcode::Print:
      for (uint32_t i = 0; i < n.z; ++i) read(l.parts[n.y + i].reg);
      return;
    case Opcode::CopyAsync:
      read(n.a);
      read(n.c);
      return;
    default:
      read(n.a);
      read(n.b);
      read(n.c);
      if (n.d != kNoReg) f(n.d, true);
      return;
  }
}

class Assembler {
 public:
  Assembler(const Listing& listing, const OpTable& table, Program& program) : l_(listing), t_(table), p_(program) {}

  void run() {
    lives_.resize(l_.regs.size());
    gather();
    measure();
    place();
    write();
    steps();
  }

 private:
  uint32_t bytes(Reg r) const {
    const RegInfo& info = l_.regs[r];
    const uint32_t lane = lane_size(info.scalar) * kBlock;
    const uint32_t size = (info.varying ? lane * p_.strip_blocks : lane) * info.count;
    return (size + kSlotAlign - 1) / kSlotAlign * kSlotAlign;
  }
  uint16_t step(Reg r) const {
    return r != kNoReg && l_.regs[r].varying ? static_cast<uint16_t>(lane_size(l_.regs[r].scalar) * kBlock) : 0;
  }
  uint32_t slot(Reg r) const { return r == kNoReg ? 0 : lives_[r].slot; }
  IndexKind index_kind(Reg r) const {
    const Scalar s = l_.regs[r].scalar;
    return s == Scalar::I32 ? IndexKind::I32 : s == Scalar::U32 ? IndexKind::U32 : IndexKind::I64;
  }
  static size_t log_size(Scalar s) {
    const uint32_t n = lane_size(s);
    return n == 1 ? 0 : n == 2 ? 1 : n == 4 ? 2 : 3;
  }

  void gather() {
    const auto take = [&](const std::vector<uint32_t>& blocks, uint32_t segment) {
      for (const uint32_t b : blocks) {
        for (const Node& n : l_.blocks[b].nodes) {
          nodes_.push_back(&n);
          segments_.push_back(segment);
        }
      }
    };
    dispatch_at_ = 0;
    take(l_.dispatch_blocks, 0);
    group_at_ = static_cast<uint32_t>(nodes_.size());
    take(l_.group_blocks, 0);
    for (uint32_t s = 0; s < l_.steps.size(); ++s) {
      starts_.push_back(static_cast<uint32_t>(nodes_.size()));
      take(l_.steps[s].blocks, s + 1);
    }
  }

  // Finds where each register is first written and last used.
  void measure() {
    const bool cut =
        std::ranges::count_if(l_.steps, [](const PlannedStep& s) { return s.kind == Step::Kind::Segment; }) > 1;
    std::vector<std::vector<Reg>> open;  // loops, with the registers that must last until their end
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      const Node& n = *nodes_[i];
      if (code_of(n) == Opcode::LoopStart) {
        open.emplace_back();
        continue;
      }
      if (code_of(n) == Opcode::LoopStop) {
        for (const Reg r : open.back()) lives_[r].end = std::max(lives_[r].end, 2 * i);
        open.pop_back();
        continue;
      }
      each_reg(l_, n, [&](Reg r, bool writes) {
        Life& life = lives_[r];
        if (segments_[i] != 0) {
          if (life.segment == ~0u) life.segment = segments_[i];
          life.crosses |= cut && life.segment != segments_[i];
        }
        if (life.begin == ~0u) {
          life.begin = 2 * i + (writes ? 1 : 0);
          life.home = static_cast<uint32_t>(open.size());
        }
        // Ops that work lane by lane may write in place if both registers have their lanes at the same bytes.
        const bool in_place = is_pure(n) && l_.regs[r].varying == l_.regs[n.d].varying &&
                              lane_size(l_.regs[r].scalar) == lane_size(l_.regs[n.d].scalar);
        life.end = std::max(life.end, writes || !in_place ? 2 * i + 1 : 2 * i);
        if (open.size() > life.home) open[life.home].push_back(r);
      });
    }
  }

  void place() {
    uint32_t top = 0;
    const auto fresh = [&](uint32_t size) {
      const uint32_t at = top;
      top += size;
      if (top > (1u << 28))
        fail(VD_ERR_UNSUPPORTED, "kernel \"{}\" needs more registers than the host has.", p_.kernel.name);
      return at;
    };
    const auto keep = [&](Reg r) {
      if (lives_[r].slot == kUnplaced) lives_[r].slot = fresh(bytes(r));
    };
    for (const LaneInput& in : l_.uniform_inputs) keep(in.reg);
    for (const LaneInput& in : l_.lane_inputs) keep(in.reg);
    for (Reg r = 0; r < lives_.size(); ++r) {
      if (lives_[r].begin == ~0u) continue;
      if (l_.regs[r].pinned || lives_[r].crosses) keep(r);
    }
    // Registers that a strip keeps between segments; pinned uniform values hold for the whole workgroup. If there are
    // several strips, each has its own ids.
    if (p_.strips > 1) {
      for (const LaneInput& in : l_.lane_inputs) lives_[in.reg].crosses = true;
    }
    for (Reg r = 0; r < lives_.size(); ++r) {
      Life& life = lives_[r];
      if (!life.crosses || (l_.regs[r].pinned && !l_.regs[r].varying && !l_.regs[r].variable)) continue;
      life.store = p_.store_size;
      p_.store_size += bytes(r);
    }
    std::vector<Reg> order;
    for (Reg r = 0; r < lives_.size(); ++r) {
      if (lives_[r].begin != ~0u && lives_[r].slot == kUnplaced) order.push_back(r);
    }
    std::ranges::sort(order, {}, [&](Reg r) { return lives_[r].begin; });
    using Ending = std::pair<uint32_t, Reg>;
    std::priority_queue<Ending, std::vector<Ending>, std::greater<>> active;
    std::vector<std::pair<uint32_t, std::vector<uint32_t>>> free;  // by size; few sizes
    const auto list_of = [&](uint32_t size) -> std::vector<uint32_t>& {
      for (auto& [s, list] : free) {
        if (s == size) return list;
      }
      return free.emplace_back(size, std::vector<uint32_t>{}).second;
    };
    for (const Reg r : order) {
      while (!active.empty() && active.top().first < lives_[r].begin) {
        const Reg done = active.top().second;
        active.pop();
        list_of(bytes(done)).push_back(lives_[done].slot);
      }
      auto& list = list_of(bytes(r));
      if (list.empty()) {
        lives_[r].slot = fresh(bytes(r));
      } else {
        lives_[r].slot = list.back();
        list.pop_back();
      }
      active.emplace(lives_[r].end, r);
    }
    p_.frame_size = top;
  }

  [[noreturn]] void missing(const Node& n, const char* what) const {
    const ir::Location& at = p_.kernel.locations[n.location];
    fail(VD_ERR_UNSUPPORTED, "the host backend has no {} for {} in kernel \"{}\"{}.", what,
         ir::type_name(ir::Type(n.scalar)), p_.kernel.name,
         at.line == 0 ? "" : fmt::format(" ({}:{})", at.file, at.line));
  }

  void write() {
    p_.code.reserve(nodes_.size());
    p_.locations.reserve(nodes_.size());
    labels_.assign(l_.label_count, kUnplaced);
    at_.resize(nodes_.size() + 1);
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      at_[i] = static_cast<uint32_t>(p_.code.size());
      const Node& n = *nodes_[i];
      if (code_of(n) == Opcode::Place) {
        labels_[n.x] = at_[i];
        continue;
      }
      if (code_of(n) == Opcode::LoopStart || code_of(n) == Opcode::LoopStop) continue;
      const Insn insn = make(n);
      if (insn.fn == nullptr)
        missing(n, n.code < kPureOps ? ir::op_info(static_cast<vd_op>(n.code)).name : "form of an op");
      p_.code.push_back(insn);
      p_.locations.push_back(n.location);
    }
    at_[nodes_.size()] = static_cast<uint32_t>(p_.code.size());
    for (const auto& [at, label] : fixups_) p_.code[at].c = labels_[label] - at;
    p_.dispatch_code = at_[dispatch_at_];
    p_.group_code = at_[group_at_];
  }

  void jump_to(Label label) {
    if (label != kNoLabel) fixups_.emplace_back(static_cast<uint32_t>(p_.code.size()), label);
  }

  uint32_t put_parts(uint32_t first, uint32_t count) {
    const auto at = static_cast<uint32_t>(p_.operands.size());
    for (uint32_t i = first; i < first + count; ++i) {
      p_.operands.push_back({slot(l_.parts[i].reg), step(l_.parts[i].reg), l_.parts[i].offset});
    }
    return at;
  }

  Insn make(const Node& n) {
    Insn i;
    if (is_pure(n)) {
      const auto s = static_cast<size_t>(n.scalar);
      i.fn = code_of(n) == Opcode::Convert      ? t_.convert[static_cast<size_t>(n.from)][s]
             : code_of(n) == Opcode::HalfOfBits ? t_.half_of_bits
                                                : t_.pure[n.code][s];
      i.d = slot(n.d);
      i.a = slot(n.a);
      i.b = slot(n.b);
      i.c = slot(n.c);
      i.sa = step(n.a);
      i.sb = step(n.b);
      i.sc = step(n.c);
      i.varying = l_.regs[n.d].varying;
      return i;
    }
    i.fn = control_function(code_of(n));
    i.a = slot(n.a);
    i.sa = step(n.a);
    switch (code_of(n)) {
      case Opcode::Const: {
        uint64_t bits = n.x | uint64_t{n.y} << 32;
        if (n.scalar == Scalar::F16) bits = std::bit_cast<uint32_t>(half_value(static_cast<uint16_t>(bits)));
        i.d = slot(n.d);
        i.a = static_cast<uint32_t>(bits);
        i.b = static_cast<uint32_t>(bits >> 32);
        i.c = lane_size(n.scalar);
        break;
      }
      case Opcode::ZeroPrivate:
        i.d = slot(n.d);
        i.c = bytes(n.d);
        break;
      case Opcode::Blend:
        i.fn = t_.blend[log_size(n.scalar)];
        i.d = slot(n.d);
        i.varying = 1;
        break;
      case Opcode::Load:
      case Opcode::Store: {
        const bool load = code_of(n) == Opcode::Load;
        const auto cell = static_cast<size_t>(cell_of(n.scalar)), kind = static_cast<size_t>(index_kind(n.a));
        i.fn = load ? t_.load[cell][kind][n.y - 1] : t_.store[cell][kind][n.y - 1];
        i.b = n.b;
        const Reg first = l_.parts[n.x].reg;
        if (n.y == 1) {
          i.d = slot(first);
          i.sc = step(first);
        } else {
          i.c = put_parts(n.x, n.y);
        }
        i.varying = load ? l_.regs[first].varying : 1;
        break;
      }
      case Opcode::LoadPrivate:
      case Opcode::StorePrivate: {
        const auto kind = static_cast<size_t>(index_kind(n.a));
        i.fn = code_of(n) == Opcode::LoadPrivate ? t_.load_private[log_size(n.scalar)][kind]
                                                 : t_.store_private[log_size(n.scalar)][kind];
        i.d = slot(n.d);
        i.b = slot(n.b);
        i.c = n.x;
        i.sc = step(n.d);
        i.varying = 1;
        break;
      }
      case Opcode::Atomic:
        i.fn = atomic_function(static_cast<vd_op>(n.y), n.scalar);
        i.d = slot(n.d);
        i.b = static_cast<uint32_t>(index_kind(n.a));
        i.c = static_cast<uint32_t>(p_.operands.size());
        i.varying = 1;
        p_.operands.push_back({n.x, 0, 0});
        p_.operands.push_back({n.b == kNoReg ? ~0u : slot(n.b), step(n.b), 0});
        p_.operands.push_back({n.c == kNoReg ? ~0u : slot(n.c), step(n.c), 0});
        break;
      case Opcode::Subgroup:
        i.fn = subgroup_function(static_cast<vd_op>(n.y), n.scalar);
        i.d = slot(n.d);
        i.b = slot(n.b);
        i.sb = step(n.b);
        i.varying = 1;
        break;
      case Opcode::Assert:
        i.d = n.x;
        break;
      case Opcode::Print:
        i.d = n.x;
        i.c = put_parts(n.y, n.z);
        i.b = n.z;
        break;
      case Opcode::CopyAsync:
        i.b = static_cast<uint32_t>(p_.operands.size());
        i.c = slot(n.c);
        i.sc = step(n.c);
        p_.operands.push_back({n.x, 0, static_cast<uint16_t>(index_kind(n.c))});
        p_.operands.push_back({n.z, 0, static_cast<uint16_t>(index_kind(n.a))});
        p_.operands.push_back({n.y, 0, 0});
        break;
      case Opcode::Check:
      case Opcode::CheckAccess:
        i.d = n.x;
        i.b = static_cast<uint32_t>(index_kind(n.a));
        // Signed or not matters in the message.
        i.c = static_cast<uint32_t>(l_.regs[n.a].scalar);
        break;
      case Opcode::Jump:
      case Opcode::JumpNone:
      case Opcode::JumpUnless:
        jump_to(n.x);
        break;
      case Opcode::IfBegin:
      case Opcode::IfElse:
      case Opcode::LoopTop:
      case Opcode::LoopTest:
        i.d = n.x;
        jump_to(n.y);
        break;
      case Opcode::IfEnd:
      case Opcode::LoopEnd:
        i.d = n.x;
        i.b = n.y;
        break;
      default:
        i.d = n.x;
        break;
    }
    return i;
  }

  void steps() {
    std::vector<uint32_t> step_labels(l_.label_count, kUnplaced);
    for (uint32_t s = 0; s < l_.steps.size(); ++s) {
      if (l_.steps[s].here != kNoLabel) step_labels[l_.steps[s].here] = s;
    }
    for (uint32_t s = 0; s < l_.steps.size(); ++s) {
      const PlannedStep& planned = l_.steps[s];
      Step step;
      step.kind = planned.kind;
      step.location = planned.location;
      if (planned.kind == Step::Kind::Segment)
        step.target = at_[starts_[s]];
      else if (planned.label != kNoLabel)
        step.target = step_labels[planned.label];
      p_.steps.push_back(std::move(step));
    }
    // Registers that are loaded from the store before a segment, and stored after it.
    std::vector<uint8_t> seen(lives_.size());
    std::vector<Reg> used;
    for (uint32_t i = starts_.empty() ? static_cast<uint32_t>(nodes_.size()) : starts_[0], s = 0; s < l_.steps.size();
         ++s) {
      const auto end = s + 1 < starts_.size() ? starts_[s + 1] : static_cast<uint32_t>(nodes_.size());
      used.clear();
      for (; i < end; ++i) {
        each_reg(l_, *nodes_[i], [&](Reg r, bool writes) {
          if (lives_[r].store == kUnplaced) return;
          if (seen[r] == 0) used.push_back(r);
          seen[r] |= writes ? 2 : 1;
        });
      }
      for (const Reg r : used) {
        const Move move{lives_[r].slot, lives_[r].store, bytes(r)};
        // A register that is only written is loaded too: some lanes, or all, may leave it unwritten.
        p_.steps[s].in.push_back(move);
        if ((seen[r] & 2) != 0) p_.steps[s].out.push_back(move);
        seen[r] = 0;
      }
    }
    for (const LaneInput& in : l_.uniform_inputs) p_.uniform_inputs.push_back({in.builtin, in.component, slot(in.reg)});
    for (const LaneInput& in : l_.lane_inputs) {
      p_.lane_inputs.push_back(
          {in.builtin, in.component, lives_[in.reg].store == kUnplaced ? slot(in.reg) : lives_[in.reg].store});
    }
    p_.mask_count = l_.mask_count;
  }

  const Listing& l_;
  const OpTable& t_;
  Program& p_;
  std::vector<const Node*> nodes_;
  std::vector<uint32_t> segments_, starts_, at_, labels_;
  std::vector<std::pair<uint32_t, Label>> fixups_;
  std::vector<Life> lives_;
  uint32_t dispatch_at_ = 0, group_at_ = 0;
};

}  // namespace

void assemble(const Listing& listing, const OpTable& table, Program& program) {
  Assembler(listing, table, program).run();
}

}  // namespace vd::host
