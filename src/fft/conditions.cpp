#include "fft/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/name.h"
#include "fft/candidate.h"
#include "fft/words.h"

namespace vd::fft {
namespace {

struct Asked {
  const PassDesc& desc;
  const Limits& limits;
  const Demands demanded;
  const bool columns;
};

struct Fact {
  enum class Use : uint8_t { Equal, Least, Most };
  std::string_view name;
  uint64_t most;
  uint64_t (*of)(const Asked&);
  bool tells = false;  // a part of the shape of a pass's lines
  Use use = Use::Equal;
};
constexpr uint64_t kAnyNumber = ~uint64_t{0};
// The last ones are of the device.
constexpr Fact kFacts[] = {
    {"n", 1u << 20, [](const Asked& o) -> uint64_t { return o.desc.n; }, true},
    {"rows", 1u << 20, [](const Asked& o) -> uint64_t { return o.desc.rows; }, true},
    {"scalar_size", 8, [](const Asked& o) -> uint64_t { return ir::scalar_size(o.desc.compute); }, true},
    {"columns", 1, [](const Asked& o) -> uint64_t { return o.columns; }},
    {"reads_columns", 1, [](const Asked& o) -> uint64_t { return reads_columns(o.desc); }},
    {"read_stride", kAnyNumber, [](const Asked& o) -> uint64_t { return o.desc.source->side().stride; }, true},
    {"written_stride", kAnyNumber, [](const Asked& o) -> uint64_t { return o.desc.target->side().stride; }, true},
    {"read_split", 1, [](const Asked& o) -> uint64_t { return o.desc.source->side().split != 0; }, true},
    {"written_split", 1, [](const Asked& o) -> uint64_t { return o.desc.target->side().split != 0; }, true},
    {"real", 1, [](const Asked& o) -> uint64_t { return o.demanded.real; }, true},
    {"back", 1, [](const Asked& o) -> uint64_t { return o.demanded.back; }, true},
    {"mapped", 1, [](const Asked& o) -> uint64_t { return o.demanded.mapped; }, true},
    {"factors", 1, [](const Asked& o) -> uint64_t { return o.demanded.factors; }, true},
    {"whole_lines", 1, [](const Asked& o) -> uint64_t { return o.demanded.whole_lines; }, true},
    {"plain", 1, [](const Asked& o) -> uint64_t { return takes_many_values(o.desc); }},
    {"copies", 1u << 20, [](const Asked& o) -> uint64_t { return o.desc.copies; }, true},
    {"least_lines", kAnyNumber, [](const Asked& o) { return line_count(o.desc.batches); }, true, Fact::Use::Least},
    {"most_lines", kAnyNumber, [](const Asked& o) { return line_count(o.desc.batches); }, true, Fact::Use::Most},
    {"bounds_registers", 1, [](const Asked& o) -> uint64_t { return o.limits.traits.bounds_registers; }},
    {"clusters", 1, [](const Asked& o) -> uint64_t { return o.limits.cluster > 1; }},
    {"scarce_shared_memory", 1, [](const Asked& o) -> uint64_t { return o.limits.traits.scarce_shared_memory; }},
};
constexpr size_t kLength = 0, kRows = 1;

// Elements of a pass that are enough for every device: as many more lines make no difference.
constexpr uint64_t kManyElements = uint64_t{1} << 24;

Asked ask(const PassDesc& desc, const Limits& limits, bool columns) { return {desc, limits, demands(desc), columns}; }

}  // namespace

Conditions Conditions::read(std::string_view words) {
  Conditions out;
  for (NamedValue word; take_word(words, word);) {
    const Fact* fact = std::ranges::find(kFacts, word.name, &Fact::name);
    if (fact == std::end(kFacts)) fail(VD_ERR_INVALID, "condition \"{}\" is unknown", shown_name(word.name));
    const auto number = static_cast<size_t>(fact - std::begin(kFacts));
    if (std::ranges::find(out.words_, number, &Word::number) != out.words_.end())
      fail(VD_ERR_INVALID, "condition \"{}\" is there twice", word.name);
    out.words_.push_back({number, number_of(word, fact->most)});
    if (number == kRows) out.rows_ = static_cast<uint32_t>(out.words_.back().value);
    if (number == kLength) out.n_ = static_cast<uint32_t>(out.words_.back().value);
  }
  if (out.n_ == 0) fail(VD_ERR_INVALID, "there is no condition \"n\", the length of the lines, of at least 1");
  return out;
}

Conditions Conditions::of(const PassDesc& desc, const Limits& limits) {
  Conditions out;
  out.n_ = desc.n;
  out.rows_ = desc.rows;
  const Asked pass = ask(desc, limits, false);
  for (size_t i = 0; i < std::size(kFacts); ++i) {
    const Fact& fact = kFacts[i];
    if (!fact.tells) continue;
    uint64_t value = fact.of(pass);
    if (i == kRows && value == 0) continue;
    const bool many = value * desc.n >= kManyElements;
    if (fact.use == Fact::Use::Most && many) continue;
    if (fact.use == Fact::Use::Least) value = many ? std::min(value, kManyElements / desc.n) : (value + 1) / 2;
    if (fact.use == Fact::Use::Most) value = 2 * value;
    out.words_.push_back({i, value});
  }
  return out;
}

bool Conditions::hold(const PassDesc& desc, const Limits& limits, bool columns) const {
  if (desc.n != n_ || desc.rows != rows_) return false;
  const Asked pass = ask(desc, limits, columns);
  return std::ranges::all_of(words_, [&](const Word& word) {
    const Fact& fact = kFacts[word.number];
    const uint64_t value = fact.of(pass);
    switch (fact.use) {
      case Fact::Use::Least:
        return value >= word.value;
      case Fact::Use::Most:
        return value <= word.value;
      default:
        return value == word.value;
    }
  });
}

std::string Conditions::text() const {
  std::string text;
  for (const Word& word : words_) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", kFacts[word.number].name, word.value);
  }
  return text;
}

}  // namespace vd::fft
