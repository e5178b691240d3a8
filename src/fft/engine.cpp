#include "fft/engine.h"

#include <algorithm>
#include <array>
#include <map>

#include "fft/butterfly.h"
#include "fft/rader.h"

namespace vd::fft {

Position Engine::butterfly_number(const RadixPlan& plan, const Stage& stage, uint32_t round, Value* owned) {
  const uint32_t count = plan.butterflies(stage), first = plan.invocations * round;
  if (owned != nullptr) *owned = 0;
  if (stage.neighbours != 0) return dealt_number(plan, stage, round, owned);
  if (first + plan.invocations <= count) return {lane(stage).lane, first, 0, plan.invocations};
  const Value number = c_.offset(lane(stage).lane, first);
  if (owned != nullptr) *owned = c_.below(number, count);
  return {c_.emit(VD_OP_MIN, {number, c_.index(count - 1)}), 0, 0, count};
}

Position Engine::dealt_number(const RadixPlan& plan, const Stage& stage, uint32_t round, Value* owned) {
  const uint32_t count = plan.butterflies(stage), first = plan.invocations * round, along = stage.neighbours;
  const auto dealt = [&](Value i) { return c_.add(c_.mul(c_.rem(i, along), stage.apart), c_.div(i, along)); };
  if (first + plan.invocations <= count && first % along == 0)
    return {dealt(lane(stage).lane), first / along, stage.apart, (plan.invocations + along - 1) / along};
  Value number = c_.offset(lane(stage).lane, first);
  if (first + plan.invocations > count) {
    if (owned != nullptr) *owned = c_.below(number, count);
    number = c_.emit(VD_OP_MIN, {number, c_.index(count - 1)});
  }
  return {dealt(number), 0, stage.apart, stage.apart};
}

void Engine::find_rows(uint32_t row, std::vector<RegisterSlot>& slots) {
  std::map<Value, std::array<Value, 2>> known;
  for (RegisterSlot& slot : slots) {
    Position place = slot.place;
    const bool whole = place.offset % row == 0;
    const bool within = place.block % row == 0 && place.offset % row + place.within <= row;
    if (!whole && !within) place = {c_.offset(place.base, place.offset), 0, 0, ~0u};
    const bool first = within && place.block == 0;  // the base is in row 0
    auto [at, fresh] = known.try_emplace(place.base);
    if (fresh)
      at->second = {first ? c_.index(0) : c_.div(place.base, row), first ? place.base : c_.rem(place.base, row)};
    slot.major = {at->second[0], place.offset / row, 0, 1};
    slot.minor = {at->second[1], place.offset % row, 0, 1};
  }
}

std::vector<RegisterSlot> Engine::slots(const RadixPlan& plan, const Stage& stage) {
  std::vector<RegisterSlot> all;
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    Value owned = 0;
    const Position number = butterfly_number(plan, stage, round, &owned);
    for (uint32_t r = 0; r < stage.radix; ++r) {
      const uint32_t first = r * plan.butterflies(stage), b = plan.invocations * round;
      const uint32_t last = std::min(b + plan.invocations, plan.butterflies(stage)) - 1;
      Position place = number;
      place.offset += first;
      if (stage.neighbours != 0) {
        all.push_back({c_.offset(place.base, place.offset), place, owned, first, first + plan.butterflies(stage) - 1});
        continue;
      }
      all.push_back({c_.offset(place.base, place.offset), place, owned, first + std::min(b, last), first + last});
    }
  }
  return all;
}

std::vector<RegisterSlot> Engine::slots_in_line(const RadixPlan& plan, const Stage& stage) {
  std::vector<RegisterSlot> all;
  const uint32_t count = plan.butterflies(stage) * plan.cluster;
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    Value owned = 0;
    Position place = in_line(plan, stage, butterfly_number(plan, stage, round, &owned));
    for (uint32_t r = 0; r < stage.radix; ++r, place.offset += count)
      all.push_back({c_.offset(place.base, place.offset), place, owned, r * count, (r + 1) * count - 1});
  }
  return all;
}

Value Engine::in_line(const RadixPlan& plan, const Stage& stage, Value b) {
  const Value whole = c_.mul(c_.div(b, stage.slice), uint64_t{stage.slice} * plan.cluster);
  return c_.add(c_.add(whole, c_.mul(lane(stage).rank, stage.slice)), c_.rem(b, stage.slice));
}

Position Engine::in_line(const RadixPlan& plan, const Stage& stage, const Position& b) {
  const uint32_t slice = stage.slice, block = slice * plan.cluster, within = b.offset % slice;
  if (b.block == 0 && within + b.within <= slice) {
    // All in one slice.
    return {c_.add(b.base, c_.mul(lane(stage).rank, slice)), b.offset / slice * block + within, 0, block};
  }
  if (b.block != 0 && b.block % slice == 0 && (within == 0 || within + b.within <= slice)) {
    // Dealt along rows: the known part stays known.
    const uint32_t most = (b.within - 1) / slice * block + (plan.cluster - 1) * slice + std::min(b.within, slice);
    return {in_line(plan, stage, b.base), b.offset / slice * block + within, b.block * plan.cluster, most};
  }
  if (within != 0) return {in_line(plan, stage, c_.offset(b.base, b.offset)), 0, block, block};
  return {in_line(plan, stage, b.base), b.offset * plan.cluster, block, block};
}

// Position of a butterfly's first output: (b - j) * radix + j, where j = b % span. The others follow at the span.
Position Engine::output(const Stage& stage, Position b) {
  uint32_t known = 0;
  if (b.offset % stage.span == 0) {
    known = b.offset * stage.radix;
  } else {
    b.base = c_.offset(b.base, b.offset);
  }
  const uint32_t block = stage.span * stage.radix;
  if (b.within <= stage.span && b.block == 0 && b.offset % stage.span == 0) return {b.base, known, block, stage.span};
  return {c_.add(c_.mul(c_.div(b.base, stage.span), block), c_.rem(b.base, stage.span)), known, block, stage.span};
}

Value Engine::root_number(const RadixPlan& plan, const Stage& stage, Value j) {
  const bool near = plan.is_near(stage);
  if (stage.crossed && !(near && plan.shares_first())) {
    j = in_line(plan, stage, j);
    return near ? c_.div(j, plan.axis) : j;
  }
  const uint32_t beside = stage.span / plan.turn(stage);
  return beside == 1 ? j : c_.div(j, beside);
}

std::vector<Engine::Twiddle> Engine::load_twiddles(const RadixPlan& plan, const Stage& stage) {
  std::vector<Twiddle> all(stage.rounds);
  if (plan.turn(stage) == 1 || stage.radix == 1) return all;
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    const Position b = butterfly_number(plan, stage, round, nullptr);
    if (round > 0 && b.base == lane(stage).lane && b.offset % stage.span == 0) continue;  // as the first
    Twiddle& to = all[round];
    if (stage.neighbours != 0 && stage.span != 1) {
      // The last stage of two axes: its span is the number of its butterflies.
      if (round > 0 && plan.invocations % stage.neighbours == 0 && plan.butterflies(stage) % plan.invocations == 0)
        continue;
      to.j = root_number(plan, stage, c_.offset(b.base, b.offset));
    } else {
      const Value number = c_.offset(b.base, b.offset);
      to.j = root_number(plan, stage,
                         b.block == 0 && b.offset + b.within <= stage.span ? number : c_.rem(number, stage.span));
    }
    uint64_t known = 0;
    if (c_.is_known(to.j, known)) continue;
    to.loaded = roots_.stage(c_, stage.radix, plan.turn(stage), to.j);
  }
  return all;
}

std::vector<Complex> Engine::loaded_powers(const Stage& stage, const Twiddle& by) const {
  const std::vector<uint32_t> numbers = stage_powers(stage.radix, c_.real().scalar());
  std::vector<Complex> powers(stage.radix);
  for (size_t i = 0; i < numbers.size(); ++i) powers[numbers[i]] = by.loaded[i];
  return powers;
}

void Engine::twiddle(const RadixPlan& plan, const Stage& stage, Twiddle& by, int sign, std::span<Complex> x) {
  uint64_t known = 0;
  if (c_.is_known(by.j, known)) {
    for (uint32_t r = 1; r < stage.radix; ++r) {
      x[r] = c_.mul_root(x[r], sign * static_cast<int64_t>(known * r), uint64_t{stage.radix} * plan.turn(stage));
    }
    return butterfly(c_, x, sign, plan.form);
  }
  if (is_fused(stage.radix)) {
    if (by.powers.empty()) {
      std::vector<Complex> power = loaded_powers(stage, by);
      for (Complex& one : power) {
        if (sign > 0 && one.re != 0) one.im = c_.neg(one.im);
      }
      for (uint32_t p = 2; p < stage.radix; p *= 2) {
        if (power[p].re == 0) power[p] = c_.mul(power[p / 2], power[p / 2]);
      }
      by.powers = fused_roots(c_, stage.radix, power, sign);
    }
    return fused_butterfly(c_, x, by.powers, sign);
  }
  if (by.powers.empty()) {
    by.powers = loaded_powers(stage, by);
    for (uint32_t r = 2; r < stage.radix; ++r) {
      if (by.powers[r].re != 0) continue;
      // The highest power of two below, or its multiple by 4: the fewest products deep.
      uint32_t high = 1;
      while (2 * high < r) high *= 2;
      if (r > 12 && r < 16) high = 12;
      by.powers[r] = c_.mul(by.powers[high], by.powers[r - high]);
    }
  }
  for (uint32_t r = 1; r < stage.radix; ++r) {
    x[r] = sign < 0 ? c_.mul(x[r], by.powers[r]) : c_.mul_conj(x[r], by.powers[r]);
  }
  butterfly(c_, x, sign, plan.form);
}

std::vector<RegisterSlot> Engine::slots(const RadixPlan& plan, RegisterOrder order) {
  if (order.outputs ? plan.leaves(order.stage) : plan.enters(order.stage)) return convolved_slots(plan, order);
  const Stage& stage = plan.stages[order.stage];
  // The last stage leaves its outputs in the places of the first one's inputs.
  if (!order.outputs || order.stage + 1 == plan.stages.size()) {
    std::vector<RegisterSlot> ends = plan.cluster > 1 ? slots_in_line(plan, stage) : slots(plan, stage);
    if (plan.axis != 0) find_rows(order.outputs ? plan.axis : plan.n * plan.cluster / plan.axis, ends);
    return ends;
  }
  std::vector<RegisterSlot> all;
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    Value owned = 0;
    Position place = output(stage, butterfly_number(plan, stage, round, &owned));
    for (uint32_t r = 0; r < stage.radix; ++r, place.offset += stage.span) {
      all.push_back({c_.offset(place.base, place.offset), place, owned, 0, plan.n - 1});
    }
  }
  return all;
}

Value Engine::line_beside(const RadixPlan& plan, const Stage& stage, uint32_t number, Value& owned) {
  const uint32_t first = plan.invocations * number, count = plan.prime_lines(stage);
  const Value line = c_.offset(lane(stage).lane, first);
  owned = first + plan.invocations <= count ? 0 : c_.below(line, count);
  return owned == 0 ? line : c_.emit(VD_OP_MIN, {line, c_.index(count - 1)});
}

// Number i of line l is element g^-i of its inputs, and g^i of its outputs: one power is loaded for each round, and the
// others are its products with known ones.
template <class F>
void Engine::for_convolved(const RadixPlan& plan, RegisterOrder order, F&& take) {
  const Stage& stage = plan.stages[order.stage];
  const PrimeConvolution& convolution = plan.convolution(stage);
  const uint32_t lines = plan.prime_lines(stage), prime = convolution.prime, size = prime - 1;
  const uint32_t step = size / stage.radix;
  const auto powers = [numbers = convolution.powers, size](uint64_t i) {
    return Root{static_cast<double>(numbers[i]), static_cast<double>(numbers[(size - i) % size])};
  };
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    Value owned = 0;
    const Position b = butterfly_number(plan, stage, round, &owned);
    const Value number = c_.offset(b.base, b.offset);
    const Value line = c_.rem(number, lines), i = c_.div(number, lines);
    const Complex loaded = roots_.element(c_, "powers " + std::to_string(prime), size, powers, i);
    const Value first = c_.convert(order.outputs ? loaded.re : loaded.im, ir::Scalar::U32);
    for (uint32_t r = 0; r < stage.radix; ++r) {
      const uint32_t known = convolution.powers[order.outputs ? r * step : (size - r * step) % size];
      take(line, r == 0 ? first : c_.rem(c_.mul(first, known), prime), owned);
    }
  }
}

std::vector<RegisterSlot> Engine::convolved_slots(const RadixPlan& plan, RegisterOrder order) {
  const Stage& stage = plan.stages[order.stage];
  const PrimeConvolution& convolution = plan.convolution(stage);
  const uint32_t lines = plan.prime_lines(stage), span = convolution.span;
  std::vector<RegisterSlot> all;
  const auto add = [&](Value line, Value element, Value owned) {
    Value place = line;
    if (order.outputs && span == 1) place = c_.mul(line, convolution.prime);
    if (order.outputs && span != 1)
      place = c_.add(c_.mul(c_.div(line, span), uint64_t{span} * convolution.prime), c_.rem(line, span));
    if (element != 0)
      place = c_.add(order.outputs && span == 1 ? element : c_.mul(element, order.outputs ? span : lines), place);
    all.push_back({place, {place, 0, 0, plan.n}, owned, 0, plan.n - 1});
  };
  for_convolved(plan, order, add);
  for (uint32_t number = 0; number < plan.beside(stage); ++number) {
    Value owned = 0;
    const Value line = line_beside(plan, stage, number, owned);
    add(line, 0, owned);
  }
  return all;
}

std::vector<Complex> Engine::load_entry_roots(const RadixPlan& plan, size_t stage) {
  std::vector<Complex> all;
  if (!plan.enters(stage) || plan.convolution(plan.stages[stage]).span == 1) return all;
  const PrimeConvolution& convolution = plan.convolution(plan.stages[stage]);
  const uint32_t span = convolution.span, count = span * convolution.prime;
  const auto value = [count](uint64_t k) {
    const Root w = root(k, count);
    return Root{w.re, -w.im};
  };
  // Below the count, as both factors are below theirs.
  for_convolved(plan, {static_cast<uint32_t>(stage), false}, [&](Value line, Value element, Value) {
    const Value number = c_.emit(VD_OP_MUL, {c_.rem(line, span), element});
    all.push_back(roots_.element(c_, "roots " + std::to_string(count), count, value, number));
  });
  return all;
}

// With a constant added to the first number of the spectrum, so it is to all results. The results of element 0 are sums
// of all.
void Engine::convolve(const RadixPlan& plan, const Stage& stage, int sign, std::vector<Complex>& values,
                      std::vector<Complex>& beside) {
  const uint32_t prime = plan.convolution(stage).prime, lines = plan.prime_lines(stage), size = prime - 1;
  const uint32_t step = size / stage.radix;
  const auto known = [filter = std::make_shared<std::vector<Root>>(), prime](uint64_t i) {
    if (filter->empty()) *filter = rader_filter(prime);
    return (*filter)[i];
  };
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    const Position b = butterfly_number(plan, stage, round, nullptr);
    const Value number = c_.div(c_.offset(b.base, b.offset), lines);
    for (uint32_t r = 0; r < stage.radix; ++r) {
      const Complex by =
          roots_.element(c_, "rader " + std::to_string(prime), size, known, c_.offset(number, uint64_t{r} * step));
      Complex& value = values[round * stage.radix + r];
      const Complex sum = value;
      value = sign < 0 ? c_.mul(value, by) : c_.mul_conj(value, by);
      if (r != 0 || round >= beside.size()) continue;
      Value owned = 0;
      line_beside(plan, stage, round, owned);
      value = c_.add(value, c_.select(owned, beside[round], c_.zero()));
      beside[round] = c_.add(beside[round], sum);
    }
  }
}

// All values stay in this invocation: only their names change.
void Engine::permute(const RadixPlan& plan, RegisterOrder from, RegisterOrder to, std::vector<Complex>& values) {
  const auto position = [&](RegisterOrder order, uint32_t slot) {
    const Stage& stage = plan.stages[order.stage];
    const uint32_t b = slot / stage.radix, r = slot % stage.radix, j = b % stage.span;
    return order.outputs ? (b - j) * stage.radix + j + r * stage.span : b + r * plan.butterflies(stage);
  };
  std::vector<Complex> line(plan.n);
  for (uint32_t i = 0; i < plan.n; ++i) line[position(from, i)] = values[i];
  for (uint32_t i = 0; i < plan.n; ++i) values[i] = line[position(to, i)];
}

std::vector<Engine::SharedRound> Engine::shared_addresses(const RadixPlan& plan, RegisterOrder order) {
  const Stage& stage = plan.stages[order.stage];
  std::vector<SharedRound> all(stage.rounds);
  const auto address = [&](const Position& place) { return exchange_.address(c_, place, lane(stage).line); };
  const bool convolved = order.outputs ? plan.leaves(order.stage) : plan.enters(order.stage);
  if (convolved || !order.outputs) {
    const std::vector<RegisterSlot> places = convolved ? convolved_slots(plan, order) : slots(plan, stage);
    for (size_t i = 0; i < places.size(); ++i) {
      const size_t round = i / stage.radix;
      if (round < stage.rounds) {
        all[round].owned = places[i].owned;
        all[round].at.push_back(address(places[i].place));
      } else {
        all.push_back({places[i].owned, {address(places[i].place)}});
      }
    }
    return all;
  }
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    Position place = output(stage, butterfly_number(plan, stage, round, &all[round].owned));
    for (uint32_t r = 0; r < stage.radix; ++r, place.offset += stage.span) all[round].at.push_back(address(place));
  }
  return all;
}

void Engine::move(const RadixPlan& plan, RegisterOrder from, RegisterOrder to, std::vector<Complex>& values) {
  if (plan.invocations == 1) return permute(plan, from, to, values);
  const std::vector<SharedRound> target = shared_addresses(plan, from);
  std::vector<Value> source;
  for (const SharedRound& round : shared_addresses(plan, to))
    source.insert(source.end(), round.at.begin(), round.at.end());
  const auto write = [&](auto&& value) {
    for (size_t i = 0; const SharedRound& round : target) {
      c_.begin_if(round.owned);
      for (const Value at : round.at) c_.store(c_.at(shared_, at), value(values[i++]));
      c_.end_if(round.owned);
    }
  };
  sync();
  std::vector<Complex> result(source.size());
  if (exchange_.planar) {
    write([](const Complex& v) { return v.re; });
    c_.barrier();
    for (size_t i = 0; i < result.size(); ++i) result[i].re = c_.load(c_.at(shared_, source[i]));
    c_.barrier();
    write([](const Complex& v) { return v.im; });
    c_.barrier();
    for (size_t i = 0; i < result.size(); ++i) result[i].im = c_.load(c_.at(shared_, source[i]));
  } else {
    write([&](const Complex& v) { return c_.join(v); });
    c_.barrier();
    for (size_t i = 0; i < result.size(); ++i) result[i] = c_.split(c_.load(c_.at(shared_, source[i])));
  }
  access_ = SharedAccess::Read;
  used_in_ = c_.builder().region();
  values = std::move(result);
}

// go_through(value, take) stores value(v) of each value v, and takes each result i by take(i, loaded): the parts of complex
// numbers one after the other, or pairs.
template <class F>
std::vector<Complex> Engine::through_shared(size_t count, F&& go_through) {
  std::vector<Complex> result(count);
  if (exchange_.planar) {
    go_through([](const Complex& v) { return v.re; }, [&](size_t i, Value v) { result[i].re = v; });
    go_through([](const Complex& v) { return v.im; }, [&](size_t i, Value v) { result[i].im = v; });
  } else {
    go_through([&](const Complex& v) { return c_.join(v); }, [&](size_t i, Value v) { result[i] = c_.split(v); });
  }
  return result;
}

void Engine::exchange_parts(const RadixPlan& plan, size_t s, std::vector<Complex>& values) {
  const Stage &from = plan.stages[s], &to = plan.stages[s + 1];
  const uint32_t part = plan.part(to, exchange_.parts), count = (plan.n + part - 1) / part;
  // All outputs of a butterfly are in one part: those before it are outputs of this many butterflies.
  const uint32_t butterflies = part / from.radix;
  struct Target {
    std::vector<Value> at;
    Value owned = 0, part = 0;  // part: the first one with this butterfly, as the kernel computes it; 0: known
    uint32_t more = 0;          // and the rest of its number
  };
  std::vector<Target> targets(from.rounds);
  for (uint32_t round = 0; round < from.rounds; ++round) {
    Target& target = targets[round];
    Position b = butterfly_number(plan, from, round, &target.owned);
    if (from.neighbours != 0) b = {c_.offset(b.base, b.offset), 0, 0, plan.butterflies(from)};
    target.more = b.offset / butterflies;
    b.offset %= butterflies;
    if (b.offset + b.within > butterflies) {
      const Value number = c_.offset(b.base, b.offset);
      target.part = c_.div(number, butterflies);
      b = {c_.rem(number, butterflies), 0, 0, butterflies};
    }
    Position place = output(from, b);
    for (uint32_t r = 0; r < from.radix; ++r, place.offset += from.span) {
      target.at.push_back(exchange_.address(c_, place, lane(from).line));
    }
  }
  // The places of each round's inputs that are in one part.
  const uint32_t inputs = part / plan.butterflies(to);
  std::vector<Value> sources;
  for (uint32_t round = 0; round < to.rounds; ++round) {
    Position place = butterfly_number(plan, to, round, nullptr);
    for (uint32_t r = 0; r < inputs; ++r, place.offset += plan.butterflies(to)) {
      sources.push_back(exchange_.address(c_, place, lane(to).line));
    }
  }
  const auto go_through = [&](auto&& value, auto&& take) {
    for (uint32_t p = 0; p < count; ++p) {
      sync();
      for (size_t round = 0; round < targets.size(); ++round) {
        const Target& target = targets[round];
        if (target.part == 0 ? target.more != p : target.more > p) continue;
        Value mine = target.owned;
        if (target.part != 0) mine = c_.both(mine, c_.emit(VD_OP_EQ, {target.part, c_.index(p - target.more)}));
        c_.begin_if(mine);
        for (uint32_t r = 0; r < from.radix; ++r) {
          c_.store(c_.at(shared_, target.at[r]), value(values[round * from.radix + r]));
        }
        c_.end_if(mine);
      }
      c_.barrier();
      for (uint32_t round = 0; round < to.rounds; ++round) {
        for (uint32_t r = 0; r < std::min(inputs, to.radix - p * inputs); ++r) {
          take(round * to.radix + p * inputs + r, c_.load(c_.at(shared_, sources[round * inputs + r])));
        }
      }
      access_ = SharedAccess::Read;
      used_in_ = c_.builder().region();
    }
  };
  values = through_shared(slot_count(to), go_through);
}

// The inputs of a butterfly come from the workgroups in order, as many from each.
void Engine::exchange_in_cluster(const RadixPlan& plan, size_t s, std::vector<Complex>& values) {
  const Stage& to = plan.stages[s + 1];
  const std::vector<SharedRound> target = shared_addresses(plan, {static_cast<uint32_t>(s), true});
  const uint32_t each = to.radix / plan.cluster;
  std::vector<Value> source;
  for (uint32_t round = 0; round < to.rounds; ++round) {
    Position place = in_line(plan, to, butterfly_number(plan, to, round, nullptr));
    for (uint32_t r = 0; r < each; ++r, place.offset += plan.n / each)
      source.push_back(exchange_.address(c_, place, lane(to).line));
  }
  const auto go_through = [&](auto&& value, auto&& take) {
    sync();
    for (size_t i = 0; const SharedRound& round : target) {
      c_.begin_if(round.owned);
      for (const Value at : round.at) c_.store(c_.at(shared_, at), value(values[i++]));
      c_.end_if(round.owned);
    }
    c_.emit(VD_OP_CLUSTER_BARRIER, {});
    for (uint32_t i = 0; i < slot_count(to); ++i) {
      const uint32_t round = i / to.radix, r = i % to.radix;
      const Value at = c_.at(shared_, source[round * each + r % each]);
      take(i, c_.emit(VD_OP_CLUSTER_LOAD, {at, c_.index(r / each)}));
    }
    access_ = SharedAccess::Read;
    used_in_ = c_.builder().region();
    crossed_ = true;
  };
  values = through_shared(slot_count(to), go_through);
}

void Engine::put(const RadixPlan& plan, RegisterOrder from, const std::vector<Complex>& values) {
  switch_access(SharedAccess::Written);
  for (size_t i = 0; const SharedRound& round : shared_addresses(plan, from)) {
    c_.begin_if(round.owned);
    for (const Value at : round.at) c_.store(c_.at(shared_, at), c_.join(values[i++]));
    c_.end_if(round.owned);
  }
}

std::vector<Complex> Engine::take(const RadixPlan& plan, RegisterOrder to) {
  switch_access(SharedAccess::Read);
  std::vector<Complex> values;
  for (const SharedRound& round : shared_addresses(plan, to)) {
    for (const Value at : round.at) values.push_back(c_.split(c_.load(c_.at(shared_, at))));
  }
  return values;
}

bool Engine::is_unsure() { return c_.builder().inside_loop() && used_in_ != c_.builder().region(); }

void Engine::switch_access(SharedAccess next) {
  if ((access_ != SharedAccess::None && access_ != next) || is_unsure()) barrier();
  access_ = next;
  used_in_ = c_.builder().region();
}

void Engine::barrier() {
  const bool across = crossed_ || (lanes_.front().rank != 0 && is_unsure());
  c_.emit(across ? VD_OP_CLUSTER_BARRIER : VD_OP_BARRIER, {});
  crossed_ = false;
}

void Engine::sync() {
  if (access_ != SharedAccess::None || is_unsure()) barrier();
  access_ = SharedAccess::None;
}

void Engine::leave() {
  if (crossed_) barrier();
}

void Engine::run(const RadixPlan& plan, int sign, std::vector<Complex>& values) {
  std::vector<Twiddle> roots;
  std::vector<Complex> beside, entry;
  for (size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    const int way = stage.way == Stage::Way::Back ? -sign : sign;
    if (plan.enters(s)) {
      const auto first = values.end() - plan.beside(stage);
      beside.assign(first, values.end());
      values.erase(first, values.end());
      for (size_t i = 0; i < entry.size(); ++i)
        values[i] = sign < 0 ? c_.mul(values[i], entry[i]) : c_.mul_conj(values[i], entry[i]);
    }
    for (uint32_t round = 0; round < stage.rounds; ++round) {
      const std::span<Complex> x = std::span(values).subspan(round * stage.radix, stage.radix);
      if (plan.turn(stage) > 1 && stage.radix > 1) {
        twiddle(plan, stage, roots[round].j != 0 ? roots[round] : roots[0], way, x);
      } else {
        butterfly(c_, x, way, plan.form);
      }
    }
    if (plan.leaves(s)) values.insert(values.end(), beside.begin(), beside.end());
    if (s + 1 == plan.stages.size()) break;
    if (plan.multiplies(s)) {
      convolve(plan, stage, sign, values, beside);
      continue;
    }
    // Loaded before the exchange, whose barriers hide the time of the loads.
    roots = load_twiddles(plan, plan.stages[s + 1]);
    entry = load_entry_roots(plan, s + 1);
    const auto number = static_cast<uint32_t>(s);
    if (plan.crosses(s)) {
      exchange_in_cluster(plan, s, values);
    } else if (exchange_.parts > 1 && plan.invocations > 1) {
      exchange_parts(plan, s, values);
    } else {
      move(plan, {number, true}, {number + 1, false}, values);
    }
  }
}

}  // namespace vd::fft
