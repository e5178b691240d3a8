#include "fft/strategies/strategy.h"

namespace vd::fft {

std::span<const Strategy> catalogue() {
  static constexpr Strategy kStrategies[] = {
#define VD_FFT_STRATEGY(NAME) {#NAME, plan_##NAME},
#include "fft/strategies/catalogue.inc"
#undef VD_FFT_STRATEGY
  };
  return kStrategies;
}

const Strategy* find_strategy(std::string_view name) {
  for (const Strategy& strategy : catalogue()) {
    if (strategy.name == name) return &strategy;
  }
  return nullptr;
}

}  // namespace vd::fft
