#include "fft/ticket_writer.h"

namespace vd::fft {
namespace {

using What = LaunchNumber::What;

constexpr uint64_t kPlace = VD_MEMORY_DEVICE | VD_MEMORY_STORAGE;
constexpr uint64_t kOrder = VD_MEMORY_ACQUIRE_RELEASE | kPlace;

}  // namespace

TicketWriter::TicketWriter(ComplexWriter& code, const Layout& layout, Value counters, LaunchValues& values)
    : c_(code), ring_(layout.ring), counters_(counters), bundles_(values.get(What::Bundles)) {
  if (layout.workgroup_size() > 1)
    leader_ = c_.below(c_.emit(VD_OP_BUILTIN, {}, ir::Type(), VD_BUILTIN_LOCAL_INDEX), 1);
  const std::array<uint32_t, 3>& workgroups = layout.workgroups;
  if (uint64_t{workgroups[0]} * workgroups[1] * workgroups[2] == ring_.order.tickets(ring_.bundles)) return;
  // A workgroup beyond the last tile takes no ticket: the counters may have been reset already.
  Value number = c_.builtin(VD_BUILTIN_WORKGROUP_ID, 0);
  for (uint32_t axis = 1; axis < 3 && workgroups[axis] > 1; ++axis) {
    const Value before = values.get(axis == 1 ? What::WorkgroupsOfRow : What::WorkgroupsOfPlane);
    number = c_.add(number, c_.emit(VD_OP_MUL, {c_.builtin(VD_BUILTIN_WORKGROUP_ID, axis), before}));
  }
  exists_ = c_.emit(VD_OP_LT, {number, c_.mul(bundles_, ring_.order.tiles_of_bundle())});
}

Turn TicketWriter::take() {
  c_.begin_if(exists_);
  const Value told = c_.at(c_.builder().shared(ir::kU32, 1, VD_SHARED_OFFSET_AUTO, "ticket"), c_.index(0));
  c_.begin_if(leader_);
  c_.store(told, c_.emit(VD_OP_ATOMIC_ADD, {counter(c_.index(TicketCounters::kTicket)), c_.index(1)}, ir::Type(),
                         VD_MEMORY_RELAXED | kPlace));
  c_.end_if(leader_);
  c_.barrier();
  const Value ticket = c_.load(told);

  // As TicketOrder::place(). A difference that would be negative is very large.
  const TicketOrder& order = ring_.order;
  const auto minus = [&](Value a, Value b) { return c_.emit(VD_OP_SUB, {a, b}); };
  const auto select = [&](Value condition, Value a, Value b) { return c_.emit(VD_OP_SELECT, {condition, a, b}); };
  const Value ahead = c_.emit(VD_OP_MIN, {c_.index(order.most_ahead()), bundles_}), left = minus(bundles_, ahead);
  const Value begin = c_.mul(ahead, order.tiles[0]), both = c_.mul(left, order.tiles_of_bundle());
  const Value is_begin = c_.emit(VD_OP_LT, {ticket, begin});
  const Value number = minus(ticket, begin), behind = minus(number, both);
  const Value is_turn = c_.both(c_.emit(VD_OP_GE, {ticket, begin}), c_.emit(VD_OP_LT, {number, both}));
  const Value at = c_.div(number, order.tiles_of_bundle()), tile = c_.rem(number, order.tiles_of_bundle());
  is_first_ = c_.emit(VD_OP_LOR, {is_begin, c_.both(is_turn, c_.below(tile, order.tiles[0]))});
  const Value first_bundle = select(is_begin, c_.div(ticket, order.tiles[0]), c_.add(ahead, at));
  const Value first_tile = select(is_begin, c_.rem(ticket, order.tiles[0]), tile);
  const Value second_bundle = select(is_turn, at, c_.add(left, c_.div(behind, order.tiles[1])));
  const Value second_tile = select(is_turn, minus(tile, c_.index(order.tiles[0])), c_.rem(behind, order.tiles[1]));
  turn_.bundle = select(is_first_, first_bundle, second_bundle);
  turn_.tile = select(is_first_, first_tile, second_tile);
  turn_.slot = c_.rem(turn_.bundle, order.slots);
  round_ = c_.div(turn_.bundle, order.slots);
  return turn_;
}

Value TicketWriter::done(uint32_t pass) {
  return counter(c_.offset(c_.mul(turn_.slot, TicketCounters::done(0, 1) - TicketCounters::done(0, 0)),
                           TicketCounters::done(pass, 0)));
}

void TicketWriter::fence() { c_.emit(VD_OP_FENCE, {}, ir::Type(), kOrder); }

void TicketWriter::begin(uint32_t pass) {
  c_.emit(VD_OP_IF, {pass == 0 ? is_first_ : c_.emit(VD_OP_LNOT, {is_first_})});
  const TicketOrder& order = ring_.order;
  const Value awaited = pass == 0 ? c_.mul(round_, order.tiles[1]) : c_.mul(c_.offset(round_, 1), order.tiles[0]);
  c_.begin_if(leader_);
  c_.emit(VD_OP_LOOP, {});
  const Value now = c_.emit(VD_OP_ATOMIC_LOAD, {done(1 - pass)}, ir::Type(), VD_MEMORY_RELAXED | kPlace);
  c_.emit(VD_OP_IF, {c_.emit(VD_OP_GE, {now, awaited})});
  c_.emit(VD_OP_BREAK, {});
  c_.emit(VD_OP_END, {});
  c_.emit(VD_OP_END, {});
  fence();
  c_.end_if(leader_);
  if (leader_ == 0) return;
  c_.barrier();
  fence();
}

void TicketWriter::add_one(Value reference) { c_.emit(VD_OP_ATOMIC_ADD, {reference, c_.index(1)}, ir::Type(), kOrder); }

void TicketWriter::end(uint32_t pass) {
  fence();
  if (leader_ != 0) c_.barrier();
  c_.begin_if(leader_);
  add_one(done(pass));
  if (pass == 1) reset_after_last();
  c_.end_if(leader_);
  c_.emit(VD_OP_END, {});
}

// The last tile of the second pass is the last of all: each of the first was awaited.
void TicketWriter::reset_after_last() {
  const Value before =
      c_.emit(VD_OP_ATOMIC_ADD, {counter(c_.index(TicketCounters::kRead)), c_.index(1)}, ir::Type(), kOrder);
  const Value all = c_.mul(bundles_, ring_.order.tiles[1]);
  const Value is_last = c_.emit(VD_OP_EQ, {before, c_.emit(VD_OP_SUB, {all, c_.index(1)})});
  c_.begin_if(is_last);
  const Value number =
      c_.emit(VD_OP_FOR, {c_.index(0), c_.index(TicketCounters::count(ring_.order.slots)), c_.index(1)}, ir::Type(),
              VD_LOOP_ROLLED);
  c_.store(counter(c_.mul(number, TicketCounters::kStep)), c_.index(0));
  c_.emit(VD_OP_END, {});
  c_.end_if(is_last);
}

}  // namespace vd::fft
