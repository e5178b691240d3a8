#include "fft/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/error.h"
#include "fft/host_dft.h"

namespace vd::fft {
namespace {

// Lengths that a Bluestein transform tries, from the shortest on.
constexpr int kPaddedLengths = 24;
// Even at 16 numbers a workgroup these are enough for the longest line.
constexpr uint32_t kMostParts = 8;
// Shorter real lines go faster as complex ones with zeros: their halves have too few invocations for whole memory
// lines.
constexpr uint64_t kLeastPacked = 512;

Factor product(Table& table, uint64_t n, bool conjugate) {
  Factor f;
  f.kind = Factor::Kind::Product;
  f.conjugate = conjugate;
  f.period = n;
  f.steps = 1u << ((std::bit_width(n) + 1) / 2);
  const auto conj = [](Root w) { return Root{w.re, -w.im}; };
  f.fine = table.add(fmt::format("fine {}", n), f.steps, [&](uint64_t i) { return conj(root(i, n)); });
  f.coarse =
      table.add(fmt::format("coarse {}", n), n / f.steps + 1, [&](uint64_t i) { return conj(root(i * f.steps, n)); });
  return f;
}

// A pass along a whole line, as if it fit a workgroup; its length may be more than a pass takes.
struct Line {
  uint64_t n = 1;
  PassDesc pass;
  Maps applied;
};

class Planner {
 public:
  Planner(const Problem& problem, const Limits& limits, Table& table)
      : problem_(problem), limits_(limits), table_(table), kept_(problem.kept) {}

  Plan run() {
    if (kept_ != 0) reserve(0);
    if (is_smooth(problem_.n)) {
      if (!plan_real()) plan_line(whole());
    } else if (problem_.convolve) {
      plan_chirped_convolution();
    } else {
      plan_line(chirped(whole()));
    }
    return std::move(plan_);
  }

 private:
  Line whole() const;
  Line chirped(const Line& line);
  bool plan_real();
  void plan_chirped_convolution();
  void plan_line(const Line& line);
  bool plan_single(const Line& line);
  void plan_split(const Line& line);
  bool split(const Line& line, const std::vector<uint64_t>& factors);
  bool add(PassDesc desc, Maps applied);
  void reserve(uint64_t elements);
  Side workspace(uint64_t offset) const;

  const Problem& problem_;
  const Limits& limits_;
  Table& table_;
  Plan plan_;
  uint64_t kept_;  // elements at the workspace's beginning that passes of a line leave alone
};

Line Planner::whole() const {
  Line line{problem_.n, {}, problem_.applied};
  PassDesc& desc = line.pass;
  desc.name = problem_.name;
  desc.sign = problem_.sign;
  desc.scale = problem_.scale;
  desc.convolve = problem_.convolve;
  desc.conjugate = problem_.conjugate;
  desc.instances = problem_.instances;
  desc.first_instance = problem_.first_instance;
  desc.compute = problem_.compute;
  desc.in = problem_.in;
  desc.out = problem_.out;
  desc.filter = problem_.filter;
  desc.batches = problem_.batches;
  return line;
}

Side Planner::workspace(uint64_t offset) const {
  Side side;
  side.hidden = true;
  side.scalar = problem_.compute;
  side.offset = offset;
  return side;
}

void Planner::reserve(uint64_t elements) {
  plan_.workspace_size = std::max(plan_.workspace_size, (kept_ + elements) * 2 * ir::scalar_size(problem_.compute));
}

bool Planner::add(PassDesc desc, Maps applied) {
  PlannedPass pass;
  pass.desc = std::move(desc);
  pass.desc.maps_in = applied.input;
  pass.desc.maps_filter = applied.filter;
  pass.desc.maps_out = applied.output;
  pass.applied = applied;
  if (!choose_layout(pass.desc, limits_, pass.layout)) return false;
  plan_.passes.push_back(std::move(pass));
  return true;
}

bool Planner::plan_single(const Line& line) {
  if (line.n >= kLongestLine) return false;
  PassDesc desc = line.pass;
  desc.n = static_cast<uint32_t>(line.n);
  return add(std::move(desc), line.applied);
}

void Planner::plan_line(const Line& line) {
  if (!plan_single(line)) plan_split(line);
}

// Real lines of even length as complex ones of half the length, if the elements of a line are adjacent and no map needs
// single elements.
bool Planner::plan_real() {
  const uint64_t n = problem_.n;
  const bool forward = problem_.in.real && problem_.out.high == n / 2 + 1 && problem_.out.low == 0;
  const bool backward = problem_.in.mirror == n && problem_.out.real && problem_.out.high >= n && problem_.out.low == 0;
  if (forward == backward || n % 2 != 0 || n < kLeastPacked || problem_.sign != (forward ? -1 : 1)) return false;
  if (problem_.convolve || problem_.applied.input || problem_.applied.output) return false;
  Line line = whole();
  line.n = n / 2;
  PassDesc& desc = line.pass;
  Side& real = forward ? desc.in : desc.out;
  if (desc.in.low != 0 || desc.in.high < n / 2 + 1 || (forward && desc.in.high < n)) return false;
  if (real.stride != 1 || real.offset % 2 != 0) return false;
  const auto stride = forward ? &Batch::in_stride : &Batch::out_stride;
  for (Batch& batch : desc.batches) {
    if (batch.*stride % 2 != 0) return false;
    batch.*stride /= 2;
  }
  real.offset /= 2;
  real.real = false;
  real.packed = true;
  real.high = ~uint64_t{0};
  desc.in.mirror = 0;
  desc.writes_half_spectrum = forward;
  desc.reads_half_spectrum = backward;
  return plan_single(line);
}

// ---- Lines that do not fit a workgroup

void Planner::plan_split(const Line& line) {
  uint64_t most = 1;
  Layout layout;
  for (PassDesc probe = line.pass; most < line.n; most *= 2) {
    probe.n = static_cast<uint32_t>(most * 2);
    probe.batches.clear();
    if (!choose_layout(probe, limits_, layout)) break;
  }
  const size_t before = plan_.passes.size();
  for (uint32_t parts = 2; parts <= kMostParts; ++parts) {
    const std::vector<uint64_t> factors = split_length(line.n, most, parts);
    if (factors.empty()) continue;
    if (split(line, factors)) return;
    plan_.passes.resize(before);
  }
  fail(VD_ERR_UNSUPPORTED, "the length ({}) has no {} factors of at most {}, which a workgroup ({} bytes) takes.",
       line.n, kMostParts, most, limits_.shared_bytes);
}

// Element number i of a line, with the digits i[0] (the highest) to i[p - 1], becomes number k of its transform with
// the digits k[0] (the lowest) to k[p - 1], one digit a pass. The workspace has digit p - 1 in rows, and the row that
// the others number as k does: so the last pass has whole rows, and every other works in place.
bool Planner::split(const Line& line, const std::vector<uint64_t>& factors) {
  const PassDesc& desc = line.pass;
  const size_t digits = factors.size(), last = digits - 1;
  const uint64_t row = factors[last], rows = line.n / row;
  std::vector<uint64_t> below;  // product of the factors before a digit's
  for (uint64_t before = 1; const uint64_t factor : factors) {
    below.push_back(before);
    before *= factor;
  }
  const auto stride = [&](size_t digit) { return digit == last ? 1 : below[digit] * row; };

  // Lines of the workspace, packed; copies of them for several kernels.
  const uint32_t copies = desc.multiply_on_store ? 1 : desc.instances;
  std::vector<Batch> lines;
  uint64_t packed = line.n;
  for (const Batch& batch : desc.batches) {
    lines.push_back({batch.count, packed, packed, batch.filter_stride});
    packed *= batch.count;
  }
  reserve(packed * copies);
  const auto with_lines = [&](std::vector<Batch> batches, uint64_t Batch::*user) {
    for (size_t i = 0; i < lines.size(); ++i) {
      batches.push_back(lines[i]);
      if (user != nullptr) batches.back().*user = desc.batches[i].*user;
    }
    return batches;
  };
  // A pass along a digit that is not the last: the digits after it are interleaved, those before it are a batch.
  const auto along = [&](size_t digit, const char* name) {
    PassDesc pass = desc;
    pass.name = desc.name + name + (digit == 0 ? "" : fmt::format("_{}", digit + 1));
    pass.n = static_cast<uint32_t>(factors[digit]);
    pass.scale = 1;
    pass.convolve = pass.multiply_on_store = false;
    pass.instances = 1;
    pass.read_factor = pass.filter_factor = pass.write_factor = {};
    pass.in = pass.out = workspace(kept_);
    pass.in.stride = pass.out.stride = stride(digit);
    pass.interleaved = static_cast<uint32_t>(last - digit);
    pass.batches.clear();
    for (size_t other = last; other > digit; --other) {
      pass.batches.push_back({factors[other], stride(other), stride(other), 0});
    }
    if (digit != 0) pass.batches.push_back({below[digit], row, row, 0});
    return pass;
  };

  for (size_t digit = 0; digit < last; ++digit) {
    PassDesc pass = along(digit, "_columns");
    if (digit == 0) {
      pass.in = desc.in;
      pass.in.split = line.n / factors[0];
      pass.read_factor = desc.read_factor;
    }
    pass.write_factor = product(table_, line.n / below[digit], desc.sign > 0);
    pass.batches = with_lines(std::move(pass.batches), digit == 0 ? &Batch::in_stride : nullptr);
    if (!add(std::move(pass), {.input = digit == 0 && line.applied.input})) return false;
  }

  PassDesc row_pass = desc;
  row_pass.name += "_rows";
  row_pass.n = static_cast<uint32_t>(row);
  row_pass.in = workspace(kept_);
  row_pass.read_factor = {};
  if (!desc.convolve) {
    row_pass.out.split = rows;
    row_pass.batches = with_lines({{rows, row, 1, 0}}, &Batch::out_stride);
    return add(std::move(row_pass), {.output = line.applied.output});
  }
  row_pass.scale = 1;
  row_pass.multiply_on_store = false;
  row_pass.instances = copies;
  row_pass.write_factor = {};
  row_pass.out = workspace(kept_);
  row_pass.out.instance = packed;
  row_pass.filter.split = rows;
  row_pass.batches = with_lines({{rows, row, row, 0}}, nullptr);
  if (!add(std::move(row_pass), {.filter = line.applied.filter && !desc.multiply_on_store})) return false;

  for (size_t digit = last; digit-- > 0;) {
    PassDesc pass = along(digit, "_back");
    pass.sign = -desc.sign;
    pass.read_factor = product(table_, line.n / below[digit], desc.sign < 0);
    if (digit != 0) {
      pass.batches = with_lines(std::move(pass.batches), nullptr);
      if (copies > 1) pass.batches.push_back({copies, packed, packed, 0});
      if (!add(std::move(pass), {})) return false;
      continue;
    }
    pass.scale = desc.scale;
    pass.out = desc.out;
    pass.out.split = line.n / factors[0];
    pass.filter.split = pass.out.split;
    pass.write_factor = desc.write_factor;
    pass.multiply_on_store = desc.multiply_on_store;
    pass.batches = with_lines(std::move(pass.batches), &Batch::out_stride);
    const Maps applied{.output = line.applied.output, .filter = line.applied.filter && desc.multiply_on_store};
    if (desc.multiply_on_store) {
      pass.instances = desc.instances;
    } else if (copies > 1 && !applied.output) {
      pass.batches.push_back({copies, packed, desc.out.instance, 0});
    }
    // A map knows the kernel's number while it is traced: each has a pass of its own.
    const uint32_t times = applied.output ? copies : 1;
    for (uint32_t copy = 0; copy < times; ++copy) {
      PassDesc one = pass;
      one.first_instance = desc.first_instance + copy;
      one.in.offset += copy * packed;
      one.out.offset += copy * desc.out.instance;
      if (!add(std::move(one), applied)) return false;
    }
  }
  return true;
}

// ---- Lengths with prime factors above 13

// As a convolution of a padded length: with w = exp(-pi i / n), X[k] = w^(k^2) sum over j of (x[j] w^(j^2)) w^(-(k -
// j)^2).
Line Planner::chirped(const Line& line) {
  const uint64_t n = line.n;
  uint64_t padded = 0;
  double best = 0;
  int tried = 0;
  for (uint64_t m = 2 * n - 1; tried < kPaddedLengths; ++m) {
    if (!is_smooth(m)) continue;
    ++tried;
    const uint64_t words = m * ir::scalar_size(problem_.compute);  // in planes, the least that it takes
    RadixPlan radices;
    if (words <= limits_.shared_bytes) {
      radices = choose_radices(static_cast<uint32_t>(m), {2 * limits_.registers, limits_.invocations});
    }
    // Without a plan of its own a length costs as its size, and more than any that has one.
    const double cost = radices.stages.empty() ? 1e12 * static_cast<double>(m) * (m % 4 == 0 ? 1 : 1.2) : radices.cost;
    if (padded == 0 || cost < best) {
      padded = m;
      best = cost;
    }
  }
  if (padded > kLongestLine) {
    fail(VD_ERR_UNSUPPORTED,
         "the length ({}) has a prime factor above 13, and twice as much ({}) is past the limit (2^32).", n, padded);
  }
  // exp(-pi i k^2 / n), and its spectrum over the padded length.
  const RootTable roots(2 * n);
  const auto chirp = [&](uint64_t k) {
    const Root w = roots[k * k % (2 * n)];
    return Root{w.re, -w.im};
  };
  std::vector<Root> filter;
  const auto filter_at = [&](uint64_t k) {
    if (filter.empty()) {
      filter.resize(padded, Root{0, 0});
      for (uint64_t i = 0; i < n; ++i) {
        const Root w = chirp(i);
        filter[i] = {w.re, -w.im};
        if (i != 0) filter[padded - i] = filter[i];
      }
      filter = host_dft(filter);
    }
    const double part = 1 / static_cast<double>(padded);
    return Root{filter[k].re * part, filter[k].im * part};
  };
  Line result = line;
  result.n = padded;
  PassDesc& desc = result.pass;
  desc.convolve = true;
  desc.in.end = desc.out.end = n;
  desc.read_factor.kind = desc.filter_factor.kind = desc.write_factor.kind = Factor::Kind::Table;
  desc.read_factor.conjugate = desc.filter_factor.conjugate = desc.write_factor.conjugate = desc.sign > 0;
  desc.read_factor.first = desc.write_factor.first = table_.add(fmt::format("chirp {}", n), n, chirp);
  desc.filter_factor.first = table_.add(fmt::format("filter {} {}", n, padded), padded, filter_at);
  return result;
}

// The spectra, already multiplied by the filters, are in the workspace between the two transforms.
void Planner::plan_chirped_convolution() {
  Line forth = whole(), back = forth;
  uint64_t packed = problem_.n;
  for (size_t i = 0; i < problem_.batches.size(); ++i) {
    forth.pass.batches[i].out_stride = back.pass.batches[i].in_stride = packed;
    back.pass.batches[i].filter_stride = 0;
    packed *= problem_.batches[i].count;
  }
  const uint32_t copies = problem_.instances;
  forth.pass.name += "_there";
  forth.pass.scale = 1;
  forth.pass.multiply_on_store = true;
  forth.pass.out = workspace(kept_);
  forth.pass.out.instance = packed;
  forth.applied.output = false;
  back.pass.name += "_and_back";
  back.pass.sign = -problem_.sign;
  back.pass.in = workspace(kept_);
  back.pass.filter = {};
  back.pass.instances = 1;
  back.applied = {.output = problem_.applied.output};
  reserve(packed * copies);
  kept_ += packed * copies;
  plan_line(chirped(forth));
  if (copies > 1 && !back.applied.output) back.pass.batches.push_back({copies, packed, problem_.out.instance, 0});
  const uint32_t times = back.applied.output ? copies : 1;
  for (uint32_t copy = 0; copy < times; ++copy) {
    Line one = back;
    one.pass.first_instance = copy;
    one.pass.in.offset += copy * packed;
    one.pass.out.offset += copy * problem_.out.instance;
    plan_line(chirped(one));
  }
}

// Splits n into factors of at most `most`; `divisors` are n's, or more.
bool split_into(uint64_t n, uint64_t most, uint32_t parts, const std::vector<uint64_t>& divisors,
                std::vector<uint64_t>& out) {
  if (parts == 1) {
    if (n > most) return false;
    out.push_back(n);
    return true;
  }
  const auto fits = [&](uint64_t largest) {
    uint64_t power = 1;
    for (uint32_t i = 0; i < parts; ++i) {
      if (power >= (n + largest - 1) / largest) return true;
      power *= largest;
    }
    return power >= n;
  };
  for (const uint64_t d : divisors) {
    if (d > most) break;
    if (n % d != 0 || !fits(d)) continue;
    if (split_into(n / d, d, parts - 1, divisors, out)) {
      out.push_back(d);
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<uint64_t> split_length(uint64_t n, uint64_t most, uint32_t parts) {
  std::vector<uint64_t> divisors{1}, factors;
  uint64_t rest = n;
  for (const uint64_t p : {2, 3, 5, 7, 11, 13}) {
    const size_t without = divisors.size();
    for (uint64_t power = p; rest % p == 0; rest /= p, power *= p) {
      for (size_t i = 0; i < without; ++i) divisors.push_back(divisors[i] * power);
    }
  }
  std::ranges::sort(divisors);
  if (!split_into(n, most, parts, divisors, factors)) factors.clear();
  return factors;
}

Plan make_plan(const Problem& problem, const Limits& limits, Table& table) {
  if (problem.n == 0) fail(VD_ERR_INVALID, "the length of a transform (0) is not at least 1.");
  if (problem.n > kLongestLine) fail(VD_ERR_UNSUPPORTED, "the length ({}) is past the limit (2^32).", problem.n);
  return Planner(problem, limits, table).run();
}

}  // namespace vd::fft
