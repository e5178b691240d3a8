#include "fft/candidate_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace vd::fft {
namespace {

// The text before `mark`, which both are taken from `rest`.
std::string_view take(std::string_view& rest, char mark) {
  const std::string_view word = rest.substr(0, rest.find(mark));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

bool read_number(std::string_view text, uint32_t& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool read_radices(std::string_view text, std::vector<uint32_t>& to) {
  while (!text.empty()) {
    if (!read_number(take(text, 'x'), to.emplace_back()) || to.back() < 2 || to.back() > kMaxRadix) return false;
  }
  return !to.empty();
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
  add("fewest", c.radices.form == ButterflyForm::Fewest);
  return words;
}

std::optional<Candidate> read_candidate(std::string_view words, uint32_t n) {
  std::vector<uint32_t> radices;
  uint32_t threads = 0, lines = 0, parts = 1, turned = 0, staged_in = 0, staged_out = 0, planar = 0, fewest = 0;
  struct Word {
    std::string_view name;
    uint32_t* to;
    uint32_t most;
  };
  const Word known[] = {{"line_threads", &threads, 1 << 16},
                        {"lines", &lines, 1 << 16},
                        {"turned", &turned, 1},
                        {"staged_in", &staged_in, 1},
                        {"staged_out", &staged_out, 1},
                        {"planar", &planar, 1},
                        {"parts", &parts, 4},
                        {"fewest", &fewest, 1}};
  while (!words.empty()) {
    std::string_view value = take(words, ' ');
    if (value.empty()) continue;
    const std::string_view name = take(value, '=');
    if (name == "radices") {
      if (value != "1" && !read_radices(value, radices)) return {};
      continue;
    }
    const Word* word = std::ranges::find(known, name, &Word::name);
    if (word == std::end(known) || !read_number(value, *word->to) || *word->to > word->most) return {};
  }
  uint64_t product = 1;
  for (const uint32_t radix : radices) product *= radix;
  if (product != n || threads == 0 || threads > n || lines == 0 || parts == 0) return {};
  Candidate c;
  if (radices.empty()) radices.push_back(1);
  c.radices = make_radices(n, radices, threads, fewest != 0 ? ButterflyForm::Fewest : ButterflyForm::Fused);
  c.lines = lines;
  c.turned = turned != 0;
  c.staged_in = staged_in != 0;
  c.staged_out = staged_out != 0;
  c.planar = planar != 0;
  c.parts = parts;
  return c;
}

}  // namespace vd::fft
