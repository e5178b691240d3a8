#include "fft/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"

namespace vd::fft {
namespace {

constexpr uint64_t kReach32 = uint64_t{1} << 31;
constexpr Value kNever = ~Value{0};

// Elements of a side's line.
uint64_t length(const PassDesc& desc, const Side& side) { return desc.n * std::max<uint64_t>(side.split, 1); }

// Addresses of a side: the largest, plus one.
uint64_t reach(const PassDesc& desc, const Side& side, uint64_t Batch::*stride) {
  const std::span<const Batch> batches(desc.batches);
  return reach_of(side, length(desc, side), batches.subspan(side.split != 0 ? desc.interleaved : 0), stride,
                  desc.instances);
}

}  // namespace

Generator::Generator(const PassDesc& desc, const Layout& layout, ir::Builder& builder, Table& table)
    : desc_(desc), layout_(layout), c_(builder, desc.compute, layout.wide), table_(table) {}

bool Generator::next(Element& out) {
  if (!steps_) steps_ = emit();
  return steps_.next(out);
}

void Generator::declare(const std::vector<PassArgument>& list, std::vector<Value>& to) {
  for (const PassArgument& a : list) {
    to.push_back(c_.builder().argument(VD_ARGUMENT_BUFFER, a.element, a.name.c_str()));
  }
}

// ---- Places

Generator::LineAddress Generator::find_line_address() {
  LineAddress here;
  static_cast<Assignment&>(here) = find_assignment(c_, layout_, desc_.batches);
  for (size_t i = std::min<size_t>(desc_.interleaved, here.coordinates.size()); i-- > 0;) {
    const Value higher = here.interleaved;
    here.interleaved = here.coordinates[i];
    if (higher != 0) here.interleaved = c_.add(c_.mul(higher, desc_.batches[i].count), here.interleaved);
  }
  here.in = base(desc_.in, &Batch::in_stride, here.coordinates, desc_.maps_in);
  here.out = base(desc_.out, &Batch::out_stride, here.coordinates, desc_.maps_out);
  if (desc_.convolve || desc_.multiply_on_store) {
    here.filter = base(desc_.filter, &Batch::filter_stride, here.coordinates, desc_.maps_filter);
  }
  return here;
}

// Indices that maps see have 32 bits if these suffice.
Value Generator::base(const Side& side, uint64_t Batch::*stride, const std::vector<Value>& coordinates, bool mapped) {
  const bool wide = (layout_.wide && !mapped) || reach(desc_, side, stride) > kReach32;
  const ir::Type type = wide ? ir::kU64 : ir::kU32;
  Value sum = c_.index(side.offset, type);
  for (size_t i = side.split != 0 ? desc_.interleaved : 0; i < coordinates.size(); ++i) {
    sum = c_.add(sum, c_.mul(c_.widen(coordinates[i], type), desc_.batches[i].*stride));
  }
  return sum;
}

Value Generator::number(const Side& side, Value position) {
  return side.split == 0 ? position : c_.add(c_.mul(position, side.split), assignment_.interleaved);
}

Value Generator::address(const Side& side, Value base, const RegisterSlot& slot) {
  if (side.mirror != 0) {
    const Value number = mirrored(side, this->number(side, slot.position));
    return c_.add(base, c_.mul(c_.widen(number, ComplexWriter::type(base)), side.stride));
  }
  const uint64_t step = side.stride * std::max<uint64_t>(side.split, 1);
  Value at = c_.add(base, c_.mul(c_.widen(slot.place.base, ComplexWriter::type(base)), step));
  if (side.split != 0)
    at = c_.add(at, c_.mul(c_.widen(assignment_.interleaved, ComplexWriter::type(base)), side.stride));
  return c_.offset(at, slot.place.offset * step);
}

Value Generator::mirrored(const Side& side, Value number) {
  const Value over = c_.emit(VD_OP_GT, {number, c_.index(side.mirror / 2)});
  return c_.emit(VD_OP_SELECT, {over, c_.emit(VD_OP_SUB, {c_.index(side.mirror), number}), number});
}

Value Generator::inside(const Side& side, Value number, const RegisterSlot* slot, bool mapped) {
  if (side.mirror != 0 && !mapped && (side.low != 0 || side.high <= side.mirror / 2)) {
    // The range counts elements of the stored half.
    Side whole = side, half = side;
    whole.low = 0, whole.high = ~uint64_t{0};
    half.mirror = 0, half.end = ~uint64_t{0};
    const Value line = inside(whole, number, slot, mapped);
    return line == kNever ? kNever : c_.both(line, inside(half, mirrored(side, number), nullptr, false));
  }
  const uint64_t low = mapped ? 0 : side.low, high = mapped ? side.end : std::min(side.high, side.end);
  bool above = low == 0, below = high >= length(desc_, side);
  if (slot != nullptr && side.split == 0) {
    if (slot->most < low || slot->least >= high) return kNever;
    above = above || slot->least >= low;
    below = below || slot->most < high;
  }
  Value condition = 0;
  if (!above) condition = c_.emit(VD_OP_GE, {number, c_.index(low)});
  if (!below) condition = c_.both(condition, c_.below(number, high));
  return condition;
}

// ---- Values

Complex Generator::load(const Side& side, Value buffer, Value at, Value number) {
  const ir::TypeTable& types = c_.builder().types();
  const ir::Type array = ComplexWriter::type(buffer);
  ir::Type element = types.get_array(array).element;
  if (side.real && element.count() == 2) {
    element = ir::Type(element.scalar());
    buffer = c_.emit(VD_OP_VIEW, {buffer}, element);
  }
  // Reals may begin where a pair of them does not.
  if (side.packed && element.is_scalar()) {
    const Value first = c_.mul(at, 2);
    return {c_.convert(c_.load(c_.at(buffer, first)), desc_.compute),
            c_.convert(c_.load(c_.at(buffer, c_.offset(first, 1))), desc_.compute)};
  }
  const Value loaded = c_.load(c_.at(buffer, at));
  if (element.is_scalar()) return {c_.convert(loaded, desc_.compute), c_.constant(0)};
  if (!element.is_complex() && !element.is_vector()) {
    fail(VD_ERR_INVALID, "a buffer of {} holds no complex numbers.", types.name(element));
  }
  Complex value = c_.split(loaded);
  value = {c_.convert(value.re, desc_.compute), c_.convert(value.im, desc_.compute)};
  if (side.mirror == 0) return value;
  // The other half are conjugates, and the bins that are their own mirror image are real.
  const uint64_t half = side.mirror / 2;
  const Value over = c_.emit(VD_OP_GT, {number, c_.index(half)});
  value.im = c_.emit(VD_OP_SELECT, {over, c_.neg(value.im), value.im});
  Value alone = c_.emit(VD_OP_EQ, {number, c_.index(0)});
  if (side.mirror % 2 == 0) alone = c_.emit(VD_OP_LOR, {alone, c_.emit(VD_OP_EQ, {number, c_.index(half)})});
  value.im = c_.emit(VD_OP_SELECT, {alone, c_.constant(0), value.im});
  return value;
}

void Generator::store(const Side& side, Value buffer, Value at, Complex value) {
  const ir::TypeTable& types = c_.builder().types();
  ir::Type element = types.get_array(ComplexWriter::type(buffer)).element;
  if (side.real && element.count() == 2) {
    element = ir::Type(element.scalar());
    buffer = c_.emit(VD_OP_VIEW, {buffer}, element);
  }
  if (!element.is_scalar() && !element.is_complex() && !(element.is_vector() && element.count() == 2)) {
    fail(VD_ERR_INVALID, "a buffer of {} takes no complex numbers.", types.name(element));
  }
  const Value re = c_.convert(value.re, element.scalar());
  if (side.packed && element.is_scalar()) {
    const Value first = c_.mul(at, 2);
    c_.store(c_.at(buffer, first), re);
    return c_.store(c_.at(buffer, c_.offset(first, 1)), c_.convert(value.im, element.scalar()));
  }
  if (element.is_scalar()) return c_.store(c_.at(buffer, at), re);
  const Value im = c_.convert(value.im, element.scalar());
  c_.store(c_.at(buffer, at), c_.emit(VD_OP_CONSTRUCT, {re, im}, element));
}

Complex Generator::factor(const Factor& factor, Value position, Value number) {
  const auto element = [&](Value at, uint32_t first) {
    return c_.split(c_.load(c_.at(table_buffer_, c_.offset(at, first))));
  };
  if (factor.kind == Factor::Kind::Table) return element(number, factor.first);
  const Value product = c_.emit(VD_OP_MUL, {position, assignment_.interleaved});
  return c_.mul(element(c_.rem(product, factor.steps), factor.fine),
                element(c_.div(product, factor.steps), factor.coarse));
}

Complex Generator::apply(const Factor& f, Value position, Value number, Complex value) {
  if (f.kind == Factor::Kind::None) return value;
  const Complex by = factor(f, position, number);
  return f.conjugate ? c_.mul_conj(value, by) : c_.mul(value, by);
}

void Generator::read(const Element& element, Value buffer, Value at, Value into) {
  const Side& side = element.point == Point::Filter ? desc_.filter : desc_.in;
  const Value in_range = element.point == Point::Filter ? 0 : inside(side, element.position);
  c_.store(into, c_.join(c_.zero()));
  c_.begin_if(in_range);
  c_.store(into, c_.join(load(side, buffer, at == 0 ? element.address : at, element.position)));
  c_.end_if(in_range);
}

void Generator::write(const Element& element, Value buffer, Value at, Value value) {
  const Value in_range = inside(desc_.out, element.position);
  c_.begin_if(in_range);
  // The element's own value is the variable that maps change.
  if (ir::Builder::type_of(value).is_reference()) value = c_.load(value);
  store(desc_.out, buffer, at == 0 ? element.address : at, c_.split(value));
  c_.end_if(in_range);
}

// ---- Rows

std::vector<Generator::RowElement> Generator::row(const Side& side) {
  const uint32_t size = layout_.workgroup_size(), elements = desc_.n * layout_.lines;
  const uint64_t count = line_count(desc_.batches);
  const bool partial = layout_.tiles * layout_.lines > count;
  const ir::Type type = layout_.wide ? ir::kU64 : ComplexWriter::type(assignment_.in);
  Value limit = 0;
  if (partial) {
    const Value first = c_.mul(assignment_.group, layout_.lines);
    const Value left = c_.emit(VD_OP_SUB, {c_.index(count, ComplexWriter::type(first)), first});
    limit = c_.mul(c_.emit(VD_OP_MIN, {left, c_.index(layout_.lines)}), desc_.n);
  }
  const Value start = c_.offset(c_.mul(c_.widen(assignment_.group, type), elements), side.offset);
  const Value at = c_.add(start, c_.widen(assignment_.invocation, type));
  std::vector<RowElement> all;
  for (uint32_t first = 0; first < elements; first += size) {
    const Value which = c_.offset(assignment_.invocation, first);
    Value in_range = 0;
    if (partial) {
      in_range = c_.emit(VD_OP_LT, {which, limit});
    } else if (first + size > elements) {
      in_range = c_.below(which, elements);
    }
    all.push_back({c_.offset(at, first), {assignment_.invocation, first, 0, size}, in_range});
  }
  return all;
}

Value Generator::row_address(const Position& position) {
  Position place = position;
  place.base = c_.add(c_.mul(assignment_.lane.line, desc_.n), place.base);
  place.block = desc_.n;
  return layout_.stage.address(c_, place, c_.index(0));
}

std::vector<Complex> Generator::load_row(const std::vector<RegisterSlot>& slots, Value shared) {
  const std::vector<RowElement> elements = row(desc_.in);
  std::vector<Complex> loaded;
  for (const RowElement& e : elements) {
    const Value variable = e.in_range != 0 ? c_.variable(c_.complex()) : 0;
    c_.begin_if(e.in_range);
    const Complex value = load(desc_.in, buffer(desc_.in), e.address, 0);
    if (variable != 0) c_.store(variable, c_.join(value));
    c_.end_if(e.in_range);
    loaded.push_back(variable != 0 ? c_.split(c_.load(variable)) : value);
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    // Lines that the last workgroup lacks are zeros here: their invocations read them.
    const Position& place = elements[i].place;
    const uint32_t all = desc_.n * layout_.lines;
    const bool past = place.offset + layout_.workgroup_size() > all;
    const Value in_range = past ? c_.below(c_.offset(place.base, place.offset), all) : 0;
    c_.begin_if(in_range);
    c_.store(c_.at(shared, layout_.stage.address(c_, elements[i].place, c_.index(0))), c_.join(loaded[i]));
    c_.end_if(in_range);
  }
  c_.barrier();
  std::vector<Complex> values;
  for (const RegisterSlot& slot : slots) values.push_back(c_.split(c_.load(c_.at(shared, row_address(slot.place)))));
  return values;
}

void Generator::store_row(const std::vector<RegisterSlot>& slots, const std::vector<Complex>& values, Value shared,
                          Engine& engine) {
  engine.sync();
  for (size_t i = 0; i < slots.size(); ++i) {
    c_.begin_if(slots[i].owned);
    c_.store(c_.at(shared, row_address(slots[i].place)), c_.join(c_.scale(values[i], desc_.scale)));
    c_.end_if(slots[i].owned);
  }
  c_.barrier();
  for (const RowElement& e : row(desc_.out)) {
    const Value in_range = c_.both(assignment_.workgroup_exists, e.in_range);
    c_.begin_if(in_range);
    const Complex value = c_.split(c_.load(c_.at(shared, layout_.stage.address(c_, e.place, c_.index(0)))));
    store(desc_.out, buffer(desc_.out), e.address, value);
    c_.end_if(in_range);
  }
}

// ---- Half spectra

std::vector<Generator::Pair> Generator::pairs(const Side& side, Value base) {
  const uint32_t invocations = layout_.radices.invocations, n = desc_.n, count = n / 2 + 1;
  const Value lane = assignment_.lane.lane;
  const ir::Type type = ComplexWriter::type(base);
  const Value up = c_.add(base, c_.mul(c_.widen(lane, type), side.stride));
  const Value down = c_.emit(VD_OP_SUB, {base, c_.mul(c_.widen(lane, type), side.stride)});
  std::vector<Pair> all;
  for (uint32_t first = 0; first < count; first += invocations) {
    Pair p;
    p.k = c_.offset(lane, first);
    p.in_range = first + invocations > count ? c_.below(p.k, count) : 0;
    p.distinct = first + invocations > (n + 1) / 2 ? c_.below(p.k, (n + 1) / 2) : 0;
    p.known = first;
    if (first + invocations > count) {
      // Invocations without a pair repeat the last one.
      p.k = c_.emit(VD_OP_MIN, {p.k, c_.index(count - 1)});
      p.mirror = c_.emit(VD_OP_SUB, {c_.index(n), p.k});
      p.address = c_.add(base, c_.mul(c_.widen(p.k, type), side.stride));
      p.mirror_address = c_.add(base, c_.mul(c_.widen(p.mirror, type), side.stride));
    } else {
      p.mirror = c_.emit(VD_OP_SUB, {c_.index(n - first), lane});
      p.address = c_.offset(up, first * side.stride);
      p.mirror_address = c_.offset(down, (n - first) * side.stride);
    }
    all.push_back(p);
  }
  return all;
}

uint32_t Generator::pair_roots() {
  const uint64_t n = desc_.n;
  return table_.add(fmt::format("pairs {}", 2 * n), n / 2 + 1, [n](uint64_t k) {
    const Root w = root(k, 2 * n);
    return Root{w.re, -w.im};
  });
}

// X[k] = (E + w^k O) / 2, X[n - k] = conj(E - w^k O) / 2 with E = Z[k] + conj(Z[n - k]), O = -i (Z[k] - conj(Z[n -
// k])).
void Generator::store_pairs(const std::vector<RegisterSlot>& slots, const std::vector<Complex>& values, Value shared,
                            Engine& engine) {
  engine.sync();
  for (size_t i = 0; i < slots.size(); ++i) {
    c_.begin_if(slots[i].owned);
    c_.store(c_.at(shared, row_address(slots[i].place)), c_.join(values[i]));
    c_.end_if(slots[i].owned);
  }
  c_.barrier();
  const uint32_t roots = pair_roots();
  for (const Pair& p : pairs(desc_.out, assignment_.out)) {
    // The mirror image of 0 is 0.
    const Value wrapped =
        p.known == 0 ? c_.emit(VD_OP_SELECT, {c_.emit(VD_OP_EQ, {p.k, c_.index(0)}), c_.index(0), p.mirror}) : p.mirror;
    const Complex a = c_.split(c_.load(c_.at(shared, row_address({p.k, 0, 0, desc_.n}))));
    const Complex b = c_.split(c_.load(c_.at(shared, row_address({wrapped, 0, 0, desc_.n}))));
    const Complex w = c_.split(c_.load(c_.at(table_buffer_, c_.offset(p.k, roots))));
    const Complex even{c_.real_add(a.re, b.re), c_.real_sub(a.im, b.im)};
    const Complex odd = c_.mul({c_.real_add(a.im, b.im), c_.real_sub(b.re, a.re)}, w);
    const Complex sum = c_.scale(c_.add(even, odd), desc_.scale / 2);
    const Complex rest = c_.scale(c_.sub(even, odd), desc_.scale / 2);
    const Value in_range = c_.both(assignment_.exists, p.in_range), distinct = c_.both(assignment_.exists, p.distinct);
    c_.begin_if(in_range);
    store(desc_.out, buffer(desc_.out), p.address, sum);
    c_.end_if(in_range);
    c_.begin_if(distinct);
    store(desc_.out, buffer(desc_.out), p.mirror_address, {rest.re, c_.neg(rest.im)});
    c_.end_if(distinct);
  }
}

// Z[k] = E + i O, Z[n - k] = conj(E - i O) with E = X[k] + conj(X[n - k]), O = (X[k] - conj(X[n - k])) / w^k.
std::vector<Complex> Generator::load_pairs(const std::vector<RegisterSlot>& slots, Value shared) {
  const std::vector<Pair> all = pairs(desc_.in, assignment_.in);
  std::vector<std::array<Complex, 2>> loaded;
  for (const Pair& p : all) {
    loaded.push_back(
        {load(desc_.in, buffer(desc_.in), p.address, 0), load(desc_.in, buffer(desc_.in), p.mirror_address, 0)});
  }
  const uint32_t roots = pair_roots();
  for (size_t i = 0; i < all.size(); ++i) {
    const Pair& p = all[i];
    auto [a, b] = loaded[i];
    if (p.known == 0) {  // the first and the last number of a real line's spectrum are real
      const Value first = c_.emit(VD_OP_EQ, {p.k, c_.index(0)});
      a.im = c_.emit(VD_OP_SELECT, {first, c_.constant(0), a.im});
      b.im = c_.emit(VD_OP_SELECT, {first, c_.constant(0), b.im});
    }
    const Complex w = c_.split(c_.load(c_.at(table_buffer_, c_.offset(p.k, roots))));
    const Complex even{c_.real_add(a.re, b.re), c_.real_sub(a.im, b.im)};
    const Complex odd = c_.mul_conj({c_.real_sub(a.re, b.re), c_.real_add(a.im, b.im)}, w);
    const Complex sum = c_.add_i(even, odd, 1), rest = c_.add_i(even, odd, -1);
    // Number n is not in Z: that of k = 0 is used.
    Value distinct = p.distinct;
    if (p.known == 0) distinct = c_.both(distinct, c_.emit(VD_OP_NE, {p.k, c_.index(0)}));
    c_.begin_if(p.in_range);
    c_.store(c_.at(shared, row_address({p.k, 0, 0, desc_.n})), c_.join(sum));
    c_.end_if(p.in_range);
    c_.begin_if(distinct);
    c_.store(c_.at(shared, row_address({p.mirror, 0, 0, desc_.n})), c_.join({rest.re, c_.neg(rest.im)}));
    c_.end_if(distinct);
  }
  c_.barrier();
  std::vector<Complex> values;
  for (const RegisterSlot& slot : slots) values.push_back(c_.split(c_.load(c_.at(shared, row_address(slot.place)))));
  return values;
}

// ---- The pass

Steps<Element> Generator::emit() {
  Element element;
  const auto arguments = [&](uint32_t part) {
    element = {};
    element.part = part;
  };
  const auto at_slot = [&](Point point, size_t i, size_t count, uint32_t instance, Value number, Value at) {
    element = {point,  0,  static_cast<uint32_t>(i), static_cast<uint32_t>(count), desc_.first_instance + instance,
               number, at, c_.variable(c_.complex())};
  };
  if (maps.output) {
    arguments(0);
    co_yield element;
  } else {
    declare(outputs, arguments_);
  }
  if (maps.input) {
    arguments(1);
    co_yield element;
  } else {
    declare(inputs, arguments_);
  }
  if (maps.filter) {
    arguments(2);
    co_yield element;
  } else {
    declare(filters, arguments_);
  }
  declare(hidden, hidden_);
  table_buffer_ = c_.builder().argument(VD_ARGUMENT_BUFFER, c_.complex(), "constants");
  Value shared = 0;
  const bool staged =
      layout_.staged_in || layout_.staged_out || desc_.writes_half_spectrum || desc_.reads_half_spectrum;
  if (layout_.radices.invocations > 1 || staged) {
    const ir::Type element_type = layout_.exchange.planar && !staged ? c_.real() : c_.complex();
    const uint32_t exchanged = layout_.radices.invocations > 1 ? layout_.exchange.elements : 0;
    const uint32_t elements = std::max(exchanged, staged ? layout_.stage.elements : 0);
    shared = c_.builder().shared(element_type, elements, VD_SHARED_OFFSET_AUTO, "line");
  }
  assignment_ = find_line_address();
  TableRoots roots(table_, table_buffer_);
  Engine engine(c_, assignment_.lane, layout_.exchange, shared, roots);
  const RadixPlan& forward = layout_.radices;
  const RadixPlan backward = forward.reversed();

  const std::vector<RegisterSlot> inputs_at = engine.inputs(forward);
  std::vector<Complex> values;
  if (layout_.staged_in || desc_.reads_half_spectrum) {
    values = desc_.reads_half_spectrum ? load_pairs(inputs_at, shared) : load_row(inputs_at, shared);
    engine.mark_shared_used();
  }
  for (size_t i = values.size(); i < inputs_at.size(); ++i) {
    const Value which = number(desc_.in, inputs_at[i].position);
    const Value at = address(desc_.in, assignment_.in, inputs_at[i]);
    Value in_range = inside(desc_.in, which, &inputs_at[i], applied.input);
    if (in_range == kNever) {
      values.push_back(c_.zero());
      continue;
    }
    // With no barrier between, an idle invocation may not read where another one writes its result.
    if (forward.invocations == 1) in_range = c_.both(assignment_.exists, in_range);
    // Zero where nothing is read.
    const Value variable = in_range != 0 ? c_.variable(c_.complex()) : 0;
    c_.begin_if(in_range);
    Complex value;
    if (applied.input) {
      at_slot(Point::Read, i, inputs_at.size(), 0, which, at);
      co_yield element;
      value = c_.split(c_.load(element.value));
    } else {
      value = load(desc_.in, buffer(desc_.in), at, which);
    }
    value = apply(desc_.read_factor, inputs_at[i].position, which, value);
    if (variable != 0) c_.store(variable, c_.join(value));
    c_.end_if(in_range);
    values.push_back(variable != 0 ? c_.split(c_.load(variable)) : value);
  }
  engine.run(forward, desc_.sign, values);

  const std::vector<RegisterSlot> spectrum_at = engine.outputs(forward);
  const RadixPlan& last = desc_.convolve ? backward : forward;
  const std::vector<RegisterSlot> outputs_at = desc_.convolve ? engine.outputs(backward) : spectrum_at;
  const std::vector<Complex> spectrum = values;
  const bool reads_filter = (desc_.convolve || desc_.multiply_on_store) && !applied.filter &&
                            (desc_.multiply_on_store || desc_.filter_factor.kind == Factor::Kind::None);
  // Several filters are a loop, so that a kernel's code does not grow with them, if no map of the caller's gets their
  // numbers.
  const uint32_t filters_in_registers = desc_.multiply_on_store ? 1 : desc_.instances,
                 filters_on_store = desc_.multiply_on_store ? desc_.instances : 1;
  const bool rolled = filters_in_registers > 1 && !applied.filter && !applied.output && !desc_.writes_half_spectrum &&
                      !layout_.staged_out;
  Value copy_index = 0;
  const auto at_instance = [&](Value at, uint32_t instance, uint64_t stride) {
    return copy_index != 0 ? c_.add(at, c_.mul(copy_index, stride)) : c_.offset(at, instance * stride);
  };
  const auto filter_address = [&](const RegisterSlot& slot, uint32_t instance) {
    return at_instance(address(desc_.filter, assignment_.filter, slot), instance, desc_.filter.instance);
  };
  const auto times_filter = [&](Complex value, Value at, Value which) {
    const Complex filter = load(desc_.filter, buffer(desc_.filter), at, which);
    return desc_.conjugate ? c_.mul_conj(value, filter) : c_.mul(value, filter);
  };
  if (rolled) {
    const ir::Type wide =
        layout_.wide || filters_in_registers * std::max(desc_.filter.instance, desc_.out.instance) >> 32 != 0
            ? ir::Type(ir::Scalar::U64)
            : ir::Type(ir::Scalar::U32);
    copy_index = c_.emit(VD_OP_FOR, {c_.index(0, wide), c_.index(filters_in_registers, wide), c_.index(1, wide)},
                         ir::Type(), VD_LOOP_ROLLED);
  }
  for (uint32_t instance = 0; instance < (rolled ? 1 : filters_in_registers); ++instance) {
    values = spectrum;
    for (size_t i = 0; desc_.convolve && i < values.size(); ++i) {
      const Value which = number(desc_.filter, spectrum_at[i].position);
      values[i] = apply(desc_.filter_factor, spectrum_at[i].position, which, values[i]);
      if (desc_.multiply_on_store || (!applied.filter && !reads_filter)) continue;
      const Value at = filter_address(spectrum_at[i], instance);
      if (applied.filter) {
        at_slot(Point::Filter, i, values.size(), instance, which, at);
        c_.store(element.value, c_.join(values[i]));
        co_yield element;
        values[i] = c_.split(c_.load(element.value));
        continue;
      }
      values[i] = times_filter(values[i], at, which);
    }
    if (desc_.convolve) engine.run(last, -desc_.sign, values);
    if (desc_.writes_half_spectrum) {
      store_pairs(outputs_at, values, shared, engine);
      continue;
    }
    if (layout_.staged_out) {
      store_row(outputs_at, values, shared, engine);
      continue;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const Value position = outputs_at[i].position;
      const Value which = number(desc_.out, position);
      const Value wanted = inside(desc_.out, which, &outputs_at[i], applied.output);
      if (wanted == kNever) continue;
      const Value in_range = c_.both(c_.both(assignment_.exists, outputs_at[i].owned), wanted);
      c_.begin_if(in_range);
      const Complex value = c_.scale(apply(desc_.write_factor, position, which, values[i]), desc_.scale);
      const Value first = address(desc_.out, assignment_.out, outputs_at[i]);
      for (uint32_t copy = 0; copy < filters_on_store; ++copy) {
        Complex result = value;
        if (desc_.multiply_on_store && applied.filter) {
          at_slot(Point::Filter, i, values.size(), copy, which, filter_address(outputs_at[i], copy));
          c_.store(element.value, c_.join(value));
          co_yield element;
          result = c_.split(c_.load(element.value));
        } else if (desc_.multiply_on_store) {
          result = times_filter(value, filter_address(outputs_at[i], copy), which);
        }
        const Value at = at_instance(first, instance + copy, desc_.out.instance);
        if (applied.output) {
          at_slot(Point::Write, i, values.size(), instance + copy, which, at);
          c_.store(element.value, c_.join(result));
          co_yield element;
        } else {
          store(desc_.out, buffer(desc_.out), at, result);
        }
      }
      c_.end_if(in_range);
    }
  }
  if (rolled) c_.emit(VD_OP_END, {});
}

}  // namespace vd::fft
