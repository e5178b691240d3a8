#include "fft/engine.h"

#include <algorithm>
#include <array>

#include "fft/butterfly.h"

namespace vd::fft {

Value Engine::butterfly_number(const RadixPlan& plan, const Stage& stage, uint32_t round, Value* owned) {
  const uint32_t count = plan.butterflies(stage);
  const Value number = c_.offset(lane_.lane, uint64_t{plan.threads} * round);
  if (owned != nullptr) *owned = 0;
  if (plan.threads * (round + 1) <= count) return number;
  if (owned != nullptr) *owned = c_.below(number, count);
  return c_.emit(VD_OP_MIN, {number, c_.index(count - 1)});
}

std::vector<Slot> Engine::slots(const RadixPlan& plan, const Stage& stage) {
  std::vector<Slot> all;
  for (uint32_t round = 0; round < stage.rounds; ++round) {
    Value owned = 0;
    const Value number = butterfly_number(plan, stage, round, &owned);
    for (uint32_t r = 0; r < stage.radix; ++r) {
      const uint32_t first = r * plan.butterflies(stage), b = plan.threads * round;
      const uint32_t last = std::min(b + plan.threads, plan.butterflies(stage)) - 1;
      all.push_back({c_.offset(number, first), owned, first + std::min(b, last), first + last});
    }
  }
  return all;
}

void Engine::twiddle(const Stage& stage, Value j, int sign, std::span<Complex> x) {
  uint64_t known = 0;
  if (c_.is_known(j, known)) {
    for (uint32_t r = 1; r < stage.radix; ++r) {
      x[r] = c_.mul_root(x[r], sign * static_cast<int64_t>(known * r), uint64_t{stage.radix} * stage.span);
    }
    return;
  }
  const uint32_t first = table_.add_stage(stage.radix, stage.span);
  const std::vector<uint32_t> loaded = stage_powers(stage.radix);
  std::array<Complex, kMaxRadix> power{};
  for (size_t i = 0; i < loaded.size(); ++i) {
    const Value at = c_.offset(j, first + i * stage.span);
    power[loaded[i]] = c_.split(c_.load(c_.at(table_buffer_, at)));
  }
  for (uint32_t r = 2; r < stage.radix; ++r) {
    if (power[r].re != 0) continue;
    // The highest power of two below, or its multiple by 4: the fewest products deep.
    uint32_t high = 1;
    while (2 * high < r) high *= 2;
    if (r > 12) high = 12;
    power[r] = c_.mul(power[high], power[r - high]);
  }
  for (uint32_t r = 1; r < stage.radix; ++r) x[r] = sign < 0 ? c_.mul(x[r], power[r]) : c_.mul_conj(x[r], power[r]);
}

// All values are this thread's: only their names change.
void Engine::permute(const RadixPlan& plan, const Stage& from, const Stage& to, std::vector<Complex>& values) {
  std::vector<Complex> line(plan.n);
  for (uint32_t b = 0; b < plan.butterflies(from); ++b) {
    const uint32_t j = b % from.span;
    for (uint32_t r = 0; r < from.radix; ++r) {
      line[(b - j) * from.radix + j + r * from.span] = values[b * from.radix + r];
    }
  }
  for (uint32_t b = 0; b < plan.butterflies(to); ++b) {
    for (uint32_t r = 0; r < to.radix; ++r) values[b * to.radix + r] = line[b + r * plan.butterflies(to)];
  }
}

void Engine::exchange(const RadixPlan& plan, const Stage& from, const Stage& to, std::vector<Complex>& values) {
  if (plan.threads == 1) return permute(plan, from, to, values);
  std::vector<Value> write_at, owned(from.rounds), read_at;
  for (uint32_t round = 0; round < from.rounds; ++round) {
    const Value b = butterfly_number(plan, from, round, &owned[round]);
    const Value j = c_.rem(b, from.span);
    // (b - j) * radix + j
    const Value base = c_.add(c_.mul(c_.div(b, from.span), uint64_t{from.span} * from.radix), j);
    for (uint32_t r = 0; r < from.radix; ++r) {
      write_at.push_back(exchange_.address(c_, c_.offset(base, uint64_t{r} * from.span), lane_.line));
    }
  }
  for (const Slot& slot : slots(plan, to)) read_at.push_back(exchange_.address(c_, slot.position, lane_.line));

  const auto write = [&](auto&& value) {
    for (uint32_t round = 0; round < from.rounds; ++round) {
      c_.begin_if(owned[round]);
      for (uint32_t r = 0; r < from.radix; ++r) {
        const uint32_t i = round * from.radix + r;
        c_.store(c_.at(shared_, write_at[i]), value(values[i]));
      }
      c_.end_if(owned[round]);
    }
  };
  settle();
  std::vector<Complex> result(slot_count(to));
  if (exchange_.planar) {
    write([](const Complex& v) { return v.re; });
    c_.barrier();
    for (size_t i = 0; i < result.size(); ++i) result[i].re = c_.load(c_.at(shared_, read_at[i]));
    c_.barrier();
    write([](const Complex& v) { return v.im; });
    c_.barrier();
    for (size_t i = 0; i < result.size(); ++i) result[i].im = c_.load(c_.at(shared_, read_at[i]));
  } else {
    write([&](const Complex& v) { return c_.join(v); });
    c_.barrier();
    for (size_t i = 0; i < result.size(); ++i) result[i] = c_.split(c_.load(c_.at(shared_, read_at[i])));
  }
  dirty_ = true;
  values = std::move(result);
}

void Engine::settle() {
  if (dirty_) c_.barrier();
  dirty_ = false;
}

void Engine::run(const RadixPlan& plan, int sign, std::vector<Complex>& values) {
  for (size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    for (uint32_t round = 0; round < stage.rounds; ++round) {
      const std::span<Complex> x = std::span(values).subspan(round * stage.radix, stage.radix);
      if (stage.span > 1) {
        twiddle(stage, c_.rem(butterfly_number(plan, stage, round, nullptr), stage.span), sign, x);
      }
      butterfly(c_, x, sign);
    }
    if (s + 1 < plan.stages.size()) exchange(plan, stage, plan.stages[s + 1], values);
  }
}

}  // namespace vd::fft
