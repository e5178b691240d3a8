#include "fft/tuning.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/name.h"
#include "core/options.h"
#include "fft/butterfly.h"
#include "fft/cluster_plan.h"
#include "fft/rader.h"
#include "fft/radix_words.h"
#include "fft/strategies/strategy.h"
#include "fft/ticket_order.h"

namespace vd::fft {
namespace {

constexpr uint32_t kMost = 1u << 20, kMostPercent = 100;

uint32_t number(std::string_view text, std::string_view word, uint32_t most) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > most)
    fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is not a number of at most {}.", shown_name(word), most);
  return value;
}

void read_prime(Tuning& to, const NamedValue& word) {
  try {
    RadixWords read = read_radix_words(word);
    to.primes = std::move(read.primes);
    to.radices = std::move(read.outer);
  } catch (const Error& e) {
    fail(e.status(), "VKDISPATCH_FFT_TUNE: {}.", e.what());
  }
}

}  // namespace

bool Tuning::gives_stages(uint64_t n) const {
  if (line_threads == 0) return false;
  if (primes.empty()) return !radices.empty() && product_of(radices) == n;
  return line_threads > 1 && makes_rader(n, primes, radices);
}

Tuning Tuning::parse(const std::string& text) {
  Tuning t;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.empty()) continue;
    const size_t sign = word.find('=');
    if (sign == std::string_view::npos)
      fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is not name=number.", shown_name(word));
    const std::string_view name = word.substr(0, sign);
    std::string_view value = word.substr(sign + 1);
    if (name == "radices" && value.find('(') != std::string_view::npos) {
      read_prime(t, {word, name, value});
      continue;
    }
    if (name == "radices" || name == "factors") {
      while (!value.empty()) {
        const std::string_view one = value.substr(0, value.find('x'));
        (name == "radices" ? t.radices : t.factors).push_back(number(one, word, kMost));
        if (name == "radices" && !is_radix(t.radices.back()))
          fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" has {}, which is no radix.", shown_name(word), one);
        value.remove_prefix(std::min(value.size(), one.size() + 1));
      }
      continue;
    }
    if (name == "butterflies") {
      t.butterflies = value == "fewest" ? 1 : 0;
      if (t.butterflies == 0 && value != "fused")
        fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is neither fewest nor fused.", shown_name(word));
      continue;
    }
    if (name == "strategy") {
      t.strategy = value;
      if (find_strategy(t.strategy) == nullptr)
        fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is no strategy.", shown_name(word));
      continue;
    }
    const uint32_t n = number(value, word, name == "carveout" ? kMostPercent : kMost);
    if (name == "line_threads") {
      t.line_threads = n;
    } else if (name == "registers") {
      t.registers = n;
    } else if (name == "threads") {
      t.invocations = n;
    } else if (name == "lines") {
      t.lines = n;
    } else if (name == "min_workgroups") {
      t.min_workgroups = n;
    } else if (name == "radix") {
      t.radix = n;
      if (n < 2 || !is_radix(n)) fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is no radix.", shown_name(word));
    } else if (name == "parts") {
      t.parts = n;
      if (n != 1 && n != 2 && n != 4)
        fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is not 1, 2 or 4.", shown_name(word));
    } else if (name == "cluster") {
      t.cluster = n;
      if (n < 1 || n > kMostCluster)
        fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is not 1 to {}.", shown_name(word), kMostCluster);
    } else if (name == "crossing") {
      t.crossing = static_cast<int>(n);
    } else if (name == "shared") {
      t.shared = n;
    } else if (name == "carveout") {
      t.carveout = static_cast<int>(n);
    } else if (name == "planar") {
      t.planar = static_cast<int>(n);
    } else if (name == "swizzle") {
      t.swizzle = static_cast<int>(n);
    } else if (name == "staged_in") {
      t.staged_in = static_cast<int>(n);
    } else if (name == "staged_out") {
      t.staged_out = static_cast<int>(n);
    } else if (name == "host_chirp") {
      t.host_chirp = static_cast<int>(n);
    } else if (name == "ahead") {
      t.ahead = static_cast<int>(n);
    } else if (name == "padded") {
      t.padded = n;
    } else if (name == "groups") {
      t.groups = n;
    } else if (name == "wide") {
      t.wide = static_cast<int>(n);
    } else if (name == "tickets") {
      t.tickets = static_cast<int>(n);
      if (n > kMostSlots)
        fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is not 0 to {}.", shown_name(word), kMostSlots);
    } else if (name == "turned") {
      t.turned = static_cast<int>(n);
    } else {
      fail(VD_ERR_INVALID, "VKDISPATCH_FFT_TUNE: \"{}\" is unknown.", shown_name(name));
    }
  }
  return t;
}

Tuning Tuning::read() { return parse(option("fft_tune").value_or("")); }

}  // namespace vd::fft
