#include "fft/tile.h"

#include <algorithm>

#include "core/error.h"

namespace vd::fft {
namespace {

std::vector<LineIndex> lanes(const std::vector<Tile::Place>& places) {
  std::vector<LineIndex> all;
  for (const Tile::Place& place : places) all.push_back(place.lane);
  return all;
}

Value declare(ComplexWriter& c, const SharedNeed& need) {
  return need.elements == 0 ? 0 : c.builder().shared(need.type, need.elements, VD_SHARED_OFFSET_AUTO, "line");
}

}  // namespace

SharedNeed shared_need(const ComplexWriter& c, const Layout& layout) {
  return {layout.shares_reals() ? c.real() : c.complex(), layout.shared_elements()};
}

Tile::Tile(const PassDesc& pass, const Layout& pass_layout, ComplexWriter& code, Table& constants, Buffers arguments,
           LaunchValues& given, const Turn* taken, Value exchanged)
    : desc(pass),
      layout(pass_layout),
      c(code),
      table(constants),
      buffers(std::move(arguments)),
      launch_values(given),
      turn(taken),
      shared(exchanged != 0 ? exchanged : declare(c, shared_need(c, layout))),
      ahead(declare_ahead()),
      places(find_places()),
      forward(layout.radices),
      backward(forward.reversed()),
      roots(table, buffers.constants),
      engine(c, lanes(places), layout.exchange, shared, roots),
      here_(&at_read()) {}

Value Tile::declare_ahead() {
  if (layout.ahead == 0) return 0;
  const ir::Type array = ComplexWriter::type(buffer(desc.source->side()));
  const ir::Type element = c.builder().types().get_array(array).element;
  return c.builder().shared(element, layout.ahead * layout.workgroup_size(), VD_SHARED_OFFSET_AUTO, "ahead");
}

std::vector<Tile::Place> Tile::find_places(Value number) {
  if (number == 0 && layout.ahead != 0) number = c.builtin(VD_BUILTIN_WORKGROUP_ID, 0);
  const bool mirrored = demands(desc).mirrored;
  std::vector<Place> all;
  for (const LineOrder order : layout.orders) {
    Place& here = all.emplace_back();
    static_cast<Assignment&>(here) =
        find_assignment(c, layout, order, desc.batches, mirrored, &launch_values, number, turn);
    const size_t end = desc.first_interleaved + desc.interleaved;
    for (size_t i = std::min(end, here.coordinates.size()); i-- > desc.first_interleaved;) {
      const Value higher = here.interleaved;
      here.interleaved = here.coordinates[i];
      if (higher != 0) here.interleaved = c.add(c.mul(higher, desc.batches[i].count), here.interleaved);
    }
  }
  return all;
}

// ---- Places

void Tile::place() {
  const Place* const places_at[] = {&at_read(), &at_spectrum(), &at_write()};
  const std::vector<Access> all = accesses(desc);
  for (uint32_t number = 0; number < all.size(); ++number) {
    const Access& access = all[number];
    const Place& where = *places_at[static_cast<size_t>(access.at)];
    const ir::Type type = is_wide(desc, layout, access) ? ir::kU64 : ir::kU32;
    const auto given = [&](LaunchNumber::What what) { return c.widen(launch_values.get({what, number}), type); };
    Value sum = takes_offset(access) ? given(LaunchNumber::What::Offset) : c.index(0, type);
    firsts_[access.side] = sum;
    const size_t bundles = in_ring(*access.side) ? layout.ring.batches : 0;
    for (size_t i = 0; i < where.coordinates.size() - bundles; ++i) {
      if (desc.is_split(*access.side, i)) continue;
      const Value coordinate = c.widen(where.coordinates[i], type);
      const bool gaps = i + 1 == where.coordinates.size() && takes_stride(desc, layout, access);
      sum = c.add(sum, gaps ? c.emit(VD_OP_MUL, {coordinate, given(LaunchNumber::What::Stride)})
                            : c.mul(coordinate, desc.batches[i].*access.stride));
    }
    if (in_ring(*access.side)) sum = c.add(sum, c.mul(c.widen(turn->slot, type), layout.ring.slot));
    bases_[access.side] = sum;
    if (takes_copy(access)) copies_[access.side] = given(LaunchNumber::What::Copy);
  }
}

void Tile::place(Value number) {
  places = find_places(number);
  here_ = &at_read();
  transposed_ = false;
  place();
}

Value Tile::number(uint64_t split, Value position) {
  return split == 0 ? position : c.add(c.mul(position, split), here().interleaved);
}

Value Tile::number(const Side& side, const RegisterSlot& slot) {
  return side.rows.count != 0 ? whole(in_rows(slot).near) : number(std::max(side.split, side.numbers), slot.position);
}

Value Tile::address(const Side& side, const RegisterSlot& slot) {
  if (side.rows.count != 0) return address_in_rows(side, slot);
  const Value base = this->base(side);
  if (side.mirror != 0) {
    const Value number = mirrored(side, this->number(side, slot));
    return c.add(base, c.mul(c.widen(number, ComplexWriter::type(base)), side.stride));
  }
  const uint64_t step = side.stride * std::max<uint64_t>(side.split, 1);
  Value at = c.add(base, c.mul(c.widen(slot.place.base, ComplexWriter::type(base)), step));
  if (side.split != 0) at = c.add(at, c.mul(c.widen(here().interleaved, ComplexWriter::type(base)), side.stride));
  return c.offset(at, slot.place.offset * step);
}

Value Tile::mirrored(const Side& side, Value number) {
  const Value over = c.emit(VD_OP_GT, {number, c.index(side.mirror / 2)});
  return c.emit(VD_OP_SELECT, {over, c.emit(VD_OP_SUB, {c.index(side.mirror), number}), number});
}

Value Tile::inside(const Side& side, Value number, const RegisterSlot* slot, bool mapped) {
  if (side.rows.count != 0) return inside_rows(side, *slot);
  if (side.mirrors_range() && !mapped) {
    Side whole = side, half = side;
    whole.low = 0, whole.high = ~uint64_t{0};
    half.mirror = 0, half.end = ~uint64_t{0};
    const Value line = inside(whole, number, slot, mapped);
    return line == kNever ? kNever : c.both(line, inside(half, mirrored(side, number), nullptr, false));
  }
  const uint64_t low = mapped ? 0 : side.low, high = mapped ? side.end : std::min(side.high, side.end);
  bool above = low == 0, below = high >= side.length(desc.n);
  if (slot != nullptr && side.split == 0) {
    if (slot->most < low || slot->least >= high) return kNever;
    above = above || slot->least >= low;
    below = below || slot->most < high;
  }
  Value condition = 0;
  if (!above) condition = c.emit(VD_OP_GE, {number, c.index(low)});
  if (!below) condition = c.both(condition, c.below(number, high));
  return condition;
}

// ---- Two axes

Tile::InRows Tile::in_rows(const RegisterSlot& slot) const {
  const uint32_t row = transposed_ ? desc.rows : desc.n / desc.rows;
  const Along major{slot.major, slot.least / row, slot.most / row};
  const bool one = major.least == major.most;
  const Along minor{slot.minor, one ? slot.least % row : 0, one ? slot.most % row : row - 1};
  return transposed_ ? InRows{major, minor} : InRows{minor, major};
}

// Number k of row r of a whole spectrum is the conjugate of number n - k of row -r.
std::array<Value, 2> Tile::stored(const Side& side, const InRows& at) {
  const Value near = whole(at.near), far = whole(at.far);
  if (side.mirror == 0 || at.near.most <= side.mirror / 2) return {near, far};
  const Value over = c.emit(VD_OP_GT, {near, c.index(side.mirror / 2)});
  const Value wrapped = c.rem(c.emit(VD_OP_SUB, {c.index(side.rows.count), far}), side.rows.count);
  return {mirrored(side, near), c.emit(VD_OP_SELECT, {over, wrapped, far})};
}

Value Tile::address_in_rows(const Side& side, const RegisterSlot& slot) {
  const Value base = this->base(side);
  const auto times = [&](Value number, uint64_t stride) {
    return c.mul(c.widen(number, ComplexWriter::type(base)), stride);
  };
  const InRows at = in_rows(slot);
  if (side.mirror != 0) {
    const auto [near, far] = stored(side, at);
    return c.add(base, c.add(times(far, side.rows.stride), times(near, side.stride)));
  }
  const bool adjoin = !transposed_ && side.rows.stride == side.stride * side.length(desc.n);
  if (adjoin) return c.offset(c.add(base, times(slot.place.base, side.stride)), slot.place.offset * side.stride);
  const Value known = c.add(times(at.far.place.base, side.rows.stride), times(at.near.place.base, side.stride));
  return c.offset(c.add(base, known), at.far.place.offset * side.rows.stride + at.near.place.offset * side.stride);
}

Value Tile::inside_rows(const Side& side, const RegisterSlot& slot) {
  const InRows at = in_rows(slot);
  const bool moved = side.mirror != 0 && at.near.most > side.mirror / 2;  // ranges count what is stored
  const auto [near, far] = stored(side, at);
  Value condition = 0;
  const auto limit = [&](Value number, const Along& along, uint64_t low, uint64_t high) {
    const uint64_t least = moved ? 0 : along.least, most = moved ? ~uint64_t{0} - 1 : along.most;
    if (most < low || least >= high) return false;
    if (least < low) condition = c.both(condition, c.emit(VD_OP_GE, {number, c.index(low)}));
    if (most >= high && high != ~uint64_t{0}) condition = c.both(condition, c.below(number, high));
    return true;
  };
  const uint64_t end = side.mirror != 0 ? side.mirror / 2 + 1 : side.length(desc.n);
  const uint64_t high = std::min(side.high, side.end), rows = side.rows.high;
  if (!limit(near, at.near, side.low, high >= end ? ~uint64_t{0} : high)) return kNever;
  if (!limit(far, at.far, side.rows.low, rows >= side.rows.count ? ~uint64_t{0} : rows)) return kNever;
  return condition;
}

// ---- Values

Complex Tile::load(const Side& side, Value buffer, Value at, Value number) {
  const ir::TypeTable& types = c.builder().types();
  const ir::Type array = ComplexWriter::type(buffer);
  ir::Type element = types.get_array(array).element;
  if (side.real && element.count() == 2) {
    element = ir::Type(element.scalar());
    buffer = c.emit(VD_OP_VIEW, {buffer}, element);
  }
  // Reals may begin where a pair of them does not.
  if (side.packed && element.is_scalar()) {
    const Value first = c.mul(at, 2);
    return {c.convert(c.load(c.at(buffer, first)), desc.compute),
            c.convert(c.load(c.at(buffer, c.offset(first, 1))), desc.compute)};
  }
  const Value loaded = c.load(c.at(buffer, at), access(side));
  if (element.is_scalar()) return {c.convert(loaded, desc.compute), c.constant(0)};
  if (!element.is_complex() && !element.is_vector()) {
    fail(VD_ERR_INVALID, "a buffer of {} holds no complex numbers.", types.name(element));
  }
  Complex value = c.split(loaded);
  value = {c.convert(value.re, desc.compute), c.convert(value.im, desc.compute)};
  if (side.mirror == 0) return value;
  // The other half are conjugates, and the bins that are their own mirror image are real.
  const uint64_t half = side.mirror / 2;
  const Value over = c.emit(VD_OP_GT, {number, c.index(half)});
  value.im = c.emit(VD_OP_SELECT, {over, c.neg(value.im), value.im});
  // Numbers of all rows are real only together.
  if (side.rows.count != 0) return value;
  Value alone = c.emit(VD_OP_EQ, {number, c.index(0)});
  if (side.mirror % 2 == 0) alone = c.emit(VD_OP_LOR, {alone, c.emit(VD_OP_EQ, {number, c.index(half)})});
  value.im = c.emit(VD_OP_SELECT, {alone, c.constant(0), value.im});
  return value;
}

void Tile::store(const Side& side, Value buffer, Value at, Complex value) {
  const ir::TypeTable& types = c.builder().types();
  ir::Type element = types.get_array(ComplexWriter::type(buffer)).element;
  if (side.real && element.count() == 2) {
    element = ir::Type(element.scalar());
    buffer = c.emit(VD_OP_VIEW, {buffer}, element);
  }
  if (!element.is_scalar() && !element.is_complex() && !(element.is_vector() && element.count() == 2)) {
    fail(VD_ERR_INVALID, "a buffer of {} takes no complex numbers.", types.name(element));
  }
  const Value re = c.convert(value.re, element.scalar());
  if (side.packed && element.is_scalar()) {
    const Value first = c.mul(at, 2);
    c.store(c.at(buffer, first), re);
    return c.store(c.at(buffer, c.offset(first, 1)), c.convert(value.im, element.scalar()));
  }
  if (element.is_scalar()) return c.store(c.at(buffer, at), re);
  const Value im = c.convert(value.im, element.scalar());
  c.store(c.at(buffer, at), c.emit(VD_OP_CONSTRUCT, {re, im}, element), access(side));
}

// ---- Copies

void Tile::begin_copies() {
  spectrum_ = values;
  spectrum_slots_ = slots;
  bool mapped = false;
  const auto see = [&](const Phase& phase) { mapped = mapped || phase.demands(desc).mapped; };
  for (const PhaseOf<Step>& step : desc.copy_steps) see(*step);
  see(*desc.target);
  rolled_ = desc.copies > 1 && !mapped;
  if (!rolled_) return;
  copy_index_ = c.emit(VD_OP_FOR, {c.index(0), c.index(desc.copies), c.index(1)}, ir::Type(), VD_LOOP_ROLLED);
}

bool Tile::next_copy() {
  if (copying_) ++copy_;
  copying_ = true;
  values = spectrum_;
  slots = spectrum_slots_;
  move_to(at_spectrum());
  set_transposed(true);
  if (copy_ < (rolled_ ? 1 : desc.copies)) return true;
  if (rolled_) c.emit(VD_OP_END, {});
  return false;
}

Value Tile::at_copy(Value at, const Side& side, uint32_t more) {
  const auto stride = copies_.find(&side);
  if (stride == copies_.end() || (copy_index_ == 0 && copy_ + more == 0)) return at;
  if (copy_index_ == 0) return c.add(at, c.mul(stride->second, copy_ + more));
  const Value copy = c.widen(copy_index_, ComplexWriter::type(stride->second));
  return c.add(at, c.emit(VD_OP_MUL, {copy, stride->second}));
}

Element Tile::element(Point point, const Side& side, size_t i, Value number, Value at, uint32_t more) {
  return {point,
          0,
          static_cast<uint32_t>(i),
          static_cast<uint32_t>(slots.size()),
          desc.first_copy + copy_ + more,
          number,
          at,
          c.variable(c.complex()),
          &side};
}

}  // namespace vd::fft
