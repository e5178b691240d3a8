#include "fft/candidate_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/name.h"
#include "fft/cluster_plan.h"
#include "fft/rader.h"
#include "fft/radix_words.h"
#include "fft/ticket_order.h"
#include "fft/words.h"

namespace vd::fft {
namespace {

// More values than this no invocation has registers for.
constexpr uint32_t kMostWordValues = 64;
constexpr uint32_t kMostCrossing = 32;

RadixPlan make_radix_plan(const RadixWords& radices, uint32_t n, uint32_t rows, uint32_t threads, ButterflyForm form) {
  const uint64_t all = length_of(radices.primes, radices.outer);
  if (all != n) fail(VD_ERR_INVALID, "radices multiply to {}, which is not the length ({})", all, n);
  if (rows != 0 && (!radices.primes.empty() || !has_axis(radices.outer, rows)))
    fail(VD_ERR_INVALID, "radices do not begin with those of the {} rows", rows);
  if (radices.primes.empty())
    return make_radices(n, radices.outer.empty() ? std::vector{1u} : radices.outer, threads, form, rows);
  for (const PrimeRadices& one : radices.primes) {
    if (!std::ranges::count(rader_primes(n), one.prime))
      fail(VD_ERR_INVALID, "prime ({}) is not one of {} that a convolution takes", one.prime, n);
    if (product_of(one.inner) != one.prime - 1)
      fail(VD_ERR_INVALID, "radices in parentheses multiply to {}, which is not the prime less one ({})",
           product_of(one.inner), one.prime - 1);
  }
  if (!makes_rader(n, radices.primes, radices.outer))
    fail(VD_ERR_INVALID, "the primes of convolutions are not all of {}", n);
  if (threads < 2) fail(VD_ERR_INVALID, "line_threads ({}) are fewer than 2, which a prime takes", threads);
  return make_rader(n, radices.primes, radices.outer, threads, form);
}

}  // namespace

std::string words_of(const Candidate& c) {
  std::string words =
      fmt::format("radices={} line_threads={} lines={}", c.radices.text(), c.radices.invocations, c.lines);
  const auto add = [&](const char* name, uint32_t value) {
    if (value != 0) words += fmt::format(" {}={}", name, value);
  };
  add("turned", c.turned);
  add("staged_in", c.staged_in);
  add("staged_out", c.staged_out);
  add("planar", c.planar);
  add("parts", c.parts > 1 ? c.parts : 0);
  add("ahead", c.ahead);
  add("fewest", c.radices.form == ButterflyForm::Fewest);
  add("tickets", c.tickets);
  if (c.radices.cluster > 1) words += fmt::format(" cluster={} crossing={}", c.radices.cluster, c.radices.crossing);
  return words;
}

CandidateWords read_words(std::string_view words, uint32_t n, uint32_t rows) {
  struct KnownWord {
    std::string_view name;
    uint64_t most, value = 0;
    bool given = false;
  };
  KnownWord threads{"line_threads", 1 << 16}, lines{"lines", 1 << 16}, turned{"turned", 1}, staged_in{"staged_in", 1},
      staged_out{"staged_out", 1}, planar{"planar", 1}, parts{"parts", 4, 1}, ahead{"ahead", 1}, fewest{"fewest", 1},
      cluster{"cluster", kMostCluster, 1}, crossing{"crossing", kMostCrossing}, tickets{"tickets", kMostSlots};
  KnownWord* const all[] = {&threads, &lines, &turned, &staged_in, &staged_out, &planar,
                            &parts,   &ahead, &fewest, &cluster,   &crossing,   &tickets};
  std::optional<RadixWords> radices;
  for (NamedValue word; take_word(words, word);) {
    const auto known = std::ranges::find(all, word.name, [](const KnownWord* one) { return one->name; });
    const bool again = known != std::end(all) ? (*known)->given : radices.has_value();
    if (known == std::end(all) && word.name != "radices")
      fail(VD_ERR_INVALID, "word \"{}\" of a layout is unknown", shown_name(word.name));
    if (again) fail(VD_ERR_INVALID, "\"{}\" is given twice", word.name);
    if (known == std::end(all)) {
      radices = read_radix_words(word);
      continue;
    }
    (*known)->value = number_of(word, (*known)->most);
    (*known)->given = true;
  }
  if (!radices) fail(VD_ERR_INVALID, "radices are not given");
  if (threads.value == 0 || threads.value > n)
    fail(VD_ERR_INVALID, "line_threads ({}) are not 1 to the length ({})", threads.value, n);
  if (cluster.value == 0) fail(VD_ERR_INVALID, "cluster (0) is not at least 1");
  if (crossing.given && cluster.value == 1) fail(VD_ERR_INVALID, "crossing is given without a cluster");
  if (lines.given && lines.value == 0) fail(VD_ERR_INVALID, "lines (0) of a workgroup are not at least 1");
  if (parts.value != 1 && parts.value != 2 && parts.value != 4)
    fail(VD_ERR_INVALID, "parts ({}) are not 1, 2 or 4", parts.value);
  CandidateWords out;
  Candidate& c = out.candidate;
  c.radices = make_radix_plan(*radices, n, rows, static_cast<uint32_t>(threads.value * cluster.value),
                              fewest.value != 0 ? ButterflyForm::Fewest : ButterflyForm::Fused);
  if (cluster.value > 1) {
    c.radices = share_line(c.radices, static_cast<uint32_t>(cluster.value),
                           crossing.given ? static_cast<int>(crossing.value) : -1);
    if (c.radices.stages.empty())
      fail(VD_ERR_INVALID, "a cluster of {} does not divide radices \"{}\" there", cluster.value, radices->whole);
  }
  if (c.radices.registers > kMostWordValues)
    fail(VD_ERR_INVALID, "line_threads ({}) leave {} values to an invocation, more than {}", threads.value,
         c.radices.registers, kMostWordValues);
  c.lines = static_cast<uint32_t>(std::max<uint64_t>(lines.value, 1));
  c.turned = turned.value != 0;
  c.staged_in = staged_in.value != 0;
  c.staged_out = staged_out.value != 0;
  c.planar = planar.value != 0;
  c.parts = static_cast<uint32_t>(parts.value);
  c.ahead = ahead.value != 0;
  c.tickets = static_cast<uint32_t>(tickets.value);
  out.lines = lines.given;
  out.planar = planar.given;
  return out;
}

Candidate read_candidate(std::string_view words, uint32_t n, uint32_t rows) {
  CandidateWords read = read_words(words, n, rows);
  if (!read.lines) fail(VD_ERR_INVALID, "lines of a workgroup are not given");
  return std::move(read.candidate);
}

}  // namespace vd::fft
