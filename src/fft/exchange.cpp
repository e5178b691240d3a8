#include "fft/exchange.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "fft/bank_conflicts.h"
#include "fft/known.h"

namespace vd::fft {
namespace {

constexpr uint32_t kLanes = Accesses::kLanes;

// Returns the positions that the longest part has.
uint32_t trace(const RadixPlan& plan, const ExchangeLimits& limits, Accesses& out) {
  uint32_t longest = limits.parts == 1 ? plan.n : 1;
  const uint32_t group = plan.invocations * limits.lines;
  const uint32_t subgroups = std::min((group + kLanes - 1) / kLanes, 4u);
  for (size_t s = 0; s + 1 < plan.stages.size(); ++s) {
    if (plan.multiplies(s)) continue;
    const uint32_t part = limits.parts == 1 ? plan.n : plan.part(plan.stages[s + 1], limits.parts);
    longest = std::max(longest, part);
    for (const bool write : {true, false}) {
      const Stage& stage = plan.stages[s + (write ? 0 : 1)];
      const uint32_t count = plan.butterflies(stage);
      const bool columns = limits.columns != (limits.turned && stage.assignment != 0);
      for (uint32_t slot = 0; slot < stage.rounds * stage.radix; ++slot) {
        const uint32_t round = slot / stage.radix, r = slot % stage.radix;
        for (uint32_t w = 0; w < subgroups; ++w) {
          std::array<Accesses::Lane, kLanes> lanes;
          size_t active = 0;
          for (uint32_t lane = 0; lane < kLanes && w * kLanes + lane < group; ++lane) {
            const uint32_t thread = w * kLanes + lane;
            const uint32_t line = columns ? thread % limits.lines : thread / plan.invocations;
            const uint32_t b = (columns ? thread / limits.lines : thread % plan.invocations) + plan.invocations * round;
            if (b >= count) continue;
            const uint32_t dealt = stage.dealt(b);
            lanes[active++] = {write ? plan.output_place(s, dealt, r) : plan.input_place(s + 1, dealt, r), line};
          }
          // One access of each part that a lane has a place in.
          for (uint32_t first = 0; first < plan.n; first += part) {
            for (const Accesses::Lane& lane : std::span(lanes).first(active))
              if (lane.position - first < part) out.add(lane.position - first, lane.line);
            out.end();
          }
        }
      }
    }
  }
  return longest;
}

}  // namespace

uint32_t Exchange::word(uint32_t p) const {
  switch (kind) {
    case Kind::Padded:
      return p + (p >> std::countr_zero(amount));
    case Kind::Swizzled:
      return p ^ (p >> amount & 31);
    default:
      return p;
  }
}

Value Exchange::address(ComplexWriter& c, const Position& p, Value line) const {
  const auto whole = [&](Value at) { return c.add(c.mul(at, step), c.mul(line, pitch)); };
  const auto padded = [&](Value at) { return c.add(at, c.div(at, amount)); };
  if (kind == Kind::Plain) return c.shared_offset(whole(p.base), uint64_t{p.offset} * step);
  if (kind == Kind::Swizzled) {
    const Value at = c.offset(p.base, p.offset);
    return whole(c.emit(VD_OP_XOR, {at, c.rem(c.div(at, uint64_t{1} << amount), 32)}));
  }
  // If the number of paddings before the place is the number before its base plus a constant, only the base's is
  // computed.
  const bool separable =
      p.offset % amount == 0 || ((p.block == 0 || p.block % amount == 0) && p.offset % amount + p.within <= amount);
  if (separable) return c.shared_offset(whole(padded(p.base)), uint64_t{p.offset + p.offset / amount} * step);
  if (p.block != 0 && amount % p.block == 0 && p.offset + p.within <= p.block) {
    return c.shared_offset(whole(padded(p.base)), uint64_t{p.offset} * step);
  }
  return whole(padded(c.offset(p.base, p.offset)));
}

namespace {

Exchange find_row(const RadixPlan& plan, uint32_t lines) {
  Accesses accesses;
  const uint32_t group = plan.invocations * lines, size = plan.n * lines;
  for (uint32_t first = 0; first + group <= size; first += group) {
    for (uint32_t w = 0; w < std::min(group / kLanes, 4u); ++w) {
      for (uint32_t lane = 0; lane < kLanes; ++lane) accesses.add(first + w * kLanes + lane, 0);
      accesses.end();
    }
  }
  for (const bool written : {false, true}) {
    const size_t s = written ? plan.stages.size() - 1 : 0;
    const Stage& stage = plan.stages[s];
    const uint32_t count = plan.butterflies(stage);
    for (uint32_t slot = 0; slot < stage.rounds * stage.radix; ++slot) {
      for (uint32_t w = 0; w < std::min((group + kLanes - 1) / kLanes, 4u); ++w) {
        for (uint32_t thread = w * kLanes; thread < std::min((w + 1) * kLanes, group); ++thread) {
          const uint32_t b = thread % plan.invocations + plan.invocations * (slot / stage.radix);
          if (b >= count) continue;
          const uint32_t r = slot % stage.radix;
          const uint32_t place = written ? plan.output_place(s, b, r) : plan.input_place(s, b, r);
          accesses.add(thread / plan.invocations * plan.n + place, 0);
        }
        accesses.end();
      }
    }
  }
  Exchange best;
  for (const uint32_t every : {0u, 64u, 32u, 16u, 8u}) {
    Exchange layout;
    layout.kind = every == 0 ? Exchange::Kind::Plain : Exchange::Kind::Padded;
    layout.amount = every;
    layout.elements = layout.word(size - 1) + 1;
    const auto is_better = [&](double conflicts) { return every == 0 || conflicts < best.conflicts - 0.05; };
    const std::optional<double> conflicts = accesses.cycles(layout, 2, is_better);
    if (!conflicts) continue;
    best = layout;
    best.conflicts = *conflicts;
  }
  return best;
}

std::optional<Exchange> find_exchange(const RadixPlan& plan, const ExchangeLimits& limits) {
  Accesses accesses;
  uint32_t room = trace(plan, limits, accesses);
  if (!plan.convolves()) room = std::max(room, trace(plan.reversed(), limits, accesses));
  const uint32_t words = std::max(1u, limits.scalar_size * (limits.planar ? 1 : 2) / 4);
  const uint32_t element_size = limits.scalar_size * (limits.planar ? 1 : 2);
  std::optional<Exchange> found;
  double best = 0;
  const auto consider = [&](Exchange layout, uint32_t line_words) {
    layout.planar = limits.planar;
    layout.parts = limits.parts;
    for (const uint32_t spare : {0u, 1u, 2u, 4u, 8u, 16u}) {
      if (limits.columns || limits.lines == 1) {
        if (spare != 0) break;
        layout.step = limits.lines;
        layout.pitch = 1;
      } else {
        layout.step = 1;
        layout.pitch = line_words + spare;
      }
      layout.elements = limits.columns || limits.lines == 1 ? line_words * limits.lines : layout.pitch * limits.lines;
      if (uint64_t{layout.elements} * element_size > limits.max_bytes) break;
      // Bytes count a little (they bound the workgroups that run at once), and so do the index operations.
      const double operations = layout.kind == Exchange::Kind::Padded     ? 0.02
                                : layout.kind == Exchange::Kind::Swizzled ? 0.5
                                                                          : 0;
      const auto score = [&](double conflicts) { return conflicts * (1 + 1e-6 * layout.elements) + operations; };
      const auto is_better = [&](double conflicts) { return !found || score(conflicts) < best; };
      const std::optional<double> conflicts = accesses.cycles(layout, words, is_better);
      if (!conflicts) continue;
      layout.conflicts = *conflicts;
      best = score(*conflicts);
      found = layout;
    }
  };
  consider({}, room);
  for (const uint32_t every : {4u, 8u, 16u, 32u, 64u, 128u}) {
    if (every >= room) break;
    Exchange layout;
    layout.kind = Exchange::Kind::Padded;
    layout.amount = every;
    consider(layout, layout.word(room - 1) + 1);
  }
  if (limits.swizzle && room % 32 == 0 && room > 32) {
    for (const uint32_t shift : {3u, 4u, 5u, 6u}) {
      Exchange layout;
      layout.kind = Exchange::Kind::Swizzled;
      layout.amount = shift;
      consider(layout, room);
    }
  }
  return found;
}

// Never destroyed: work may outlive main().
Known<std::optional<Exchange>>& known_exchanges() {
  static auto& known = *new Known<std::optional<Exchange>>;
  return known;
}

}  // namespace

Exchange choose_row(const RadixPlan& plan, uint32_t lines) {
  Hasher hasher;
  plan.add_to(hasher.add("row").add(lines));
  return *known_exchanges().get(hasher.finish(), [&] { return find_row(plan, lines); });
}

bool choose_exchange(const RadixPlan& plan, const ExchangeLimits& limits, Exchange& out) {
  Hasher hasher;
  hasher.add("exchange").add(limits.max_bytes).add(limits.lines).add(limits.columns).add(limits.planar);
  hasher.add(limits.scalar_size).add(limits.swizzle).add(limits.turned).add(limits.parts);
  plan.add_to(hasher);
  const auto chosen = known_exchanges().get(hasher.finish(), [&] { return find_exchange(plan, limits); });
  if (chosen) out = *chosen;
  return chosen.has_value();
}

}  // namespace vd::fft
