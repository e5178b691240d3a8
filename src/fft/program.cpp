#include "fft/program.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/error.h"
#include "fft/host_dft.h"

namespace vd::fft {
namespace {

// Lengths that a Bluestein transform tries, from the shortest on.
constexpr int kPaddedLengths = 24;

Factor product(Table& table, uint64_t n, bool conjugate) {
  Factor f;
  f.kind = Factor::Kind::Product;
  f.conjugate = conjugate;
  f.turn = n;
  f.steps = 1u << ((std::bit_width(n) + 1) / 2);
  const auto conj = [](Root w) { return Root{w.re, -w.im}; };
  f.fine = table.add(fmt::format("fine {}", n), f.steps, [&](uint64_t i) { return conj(root(i, n)); });
  f.coarse =
      table.add(fmt::format("coarse {}", n), n / f.steps + 1, [&](uint64_t i) { return conj(root(i * f.steps, n)); });
  return f;
}

// Shorter real lines go faster as complex ones with zeros: their halves have too few threads for whole memory lines.
constexpr uint64_t kLeastPacked = 512;

// The largest divisor of n not above `most`, and whose cofactor is not either; 0 if there is none.
uint64_t balanced_divisor(uint64_t n, uint64_t most) {
  uint64_t best = 0;
  for (uint64_t d = 1; d * d <= n; ++d) {
    if (n % d == 0 && n / d <= most) best = d;
  }
  return best;
}

}  // namespace

Programmer::Programmer(Problem problem, const Limits& limits, BuilderFactory factory, vd_builder_flags flags)
    : problem_(std::move(problem)), limits_(limits), factory_(std::move(factory)), flags_(flags) {
  if (problem_.n == 0) fail(VD_ERR_INVALID, "the length of a transform (0) is not at least 1.");
  if (problem_.n > 0xffffffffull) fail(VD_ERR_UNSUPPORTED, "the length ({}) is past the limit (2^32).", problem_.n);
  plan();
  begin_pass();
}

// ---- Choosing the passes

PassDesc Programmer::whole(uint64_t n) const {
  PassDesc desc;
  desc.name = problem_.name;
  desc.n = static_cast<uint32_t>(n);
  desc.sign = problem_.sign;
  desc.scale = problem_.scale;
  desc.convolve = problem_.convolve;
  desc.conjugate = problem_.conjugate;
  desc.instances = problem_.instances;
  desc.compute = problem_.compute;
  desc.in = problem_.in;
  desc.out = problem_.out;
  desc.middle = problem_.middle;
  desc.batches = problem_.batches;
  return desc;
}

void Programmer::plan() {
  if (!is_smooth(problem_.n)) return plan_bluestein();
  if (plan_real()) return;
  const PassDesc desc = whole(problem_.n);
  if (!plan_single(desc)) plan_split(problem_.n, desc);
}

// Real lines of even length as complex ones of half the length, where neighbours lie side by side and nobody asks for
// single elements.
bool Programmer::plan_real() {
  const uint64_t n = problem_.n;
  const bool forward = problem_.in.real && problem_.out.high == n / 2 + 1 && problem_.out.low == 0;
  const bool backward = problem_.in.mirror == n && problem_.out.real && problem_.out.high >= n && problem_.out.low == 0;
  if (forward == backward || n % 2 != 0 || n < kLeastPacked || problem_.sign != (forward ? -1 : 1)) return false;
  if (problem_.convolve || problem_.applied.input || problem_.applied.output) return false;
  PassDesc desc = whole(n / 2);
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
  desc.splits_out = forward;
  desc.joins_in = backward;
  return plan_single(desc);
}

bool Programmer::plan_single(const PassDesc& desc) {
  Planned pass;
  pass.desc = desc;
  pass.desc.maps_in = problem_.applied.input;
  pass.desc.maps_middle = problem_.applied.middle;
  pass.desc.maps_out = problem_.applied.output;
  if (!choose_layout(pass.desc, limits_, pass.layout)) return false;
  pass.applied = problem_.applied;
  planned_.push_back(std::move(pass));
  return true;
}

// n = rows * columns. Element row * columns + column of the line; the workspace keeps that order.
void Programmer::plan_split(uint64_t n, const PassDesc& desc) {
  if (desc.instances > 1) {
    fail(VD_ERR_UNSUPPORTED, "a line ({}) with several kernels ({}) does not fit a workgroup.", n, desc.instances);
  }
  uint64_t most = 1;
  Layout layout;
  for (PassDesc probe = desc; most < n; most *= 2) {
    probe.n = static_cast<uint32_t>(most * 2);
    probe.batches.clear();
    if (!choose_layout(probe, limits_, layout)) break;
  }
  const uint64_t rows = balanced_divisor(n, most);
  if (rows == 0) fail(VD_ERR_UNSUPPORTED, "the length ({}) needs more than two passes of at most {}.", n, most);
  const uint64_t columns = n / rows;

  // Lines of the workspace, packed.
  std::vector<Batch> lines;
  uint64_t packed = n;
  for (const Batch& batch : desc.batches) {
    lines.push_back({batch.count, packed, packed, batch.middle_stride});
    packed *= batch.count;
  }
  program_.workspace_size = packed * 2 * ir::scalar_size(problem_.compute);
  Side workspace;
  workspace.hidden = true;
  workspace.scalar = problem_.compute;

  const auto add = [&](PassDesc pass, Batch first, uint64_t Batch::*user, const char* name, Maps applied) {
    Planned planned;
    planned.applied = applied;
    pass.maps_in = applied.input;
    pass.maps_middle = applied.middle;
    pass.maps_out = applied.output;
    std::vector<Batch> batches = lines;
    for (size_t i = 0; i < batches.size() && user != nullptr; ++i) batches[i].*user = desc.batches[i].*user;
    batches.insert(batches.begin(), first);
    pass.batches = std::move(batches);
    pass.name = desc.name + name;
    planned.desc = std::move(pass);
    planned.workspace = true;
    if (!choose_layout(planned.desc, limits_, planned.layout)) {
      fail(VD_ERR_UNSUPPORTED, "a part ({}) of the length ({}) does not fit a workgroup.", planned.desc.n, n);
    }
    planned_.push_back(std::move(planned));
  };

  // Along the rows' index, for each column.
  PassDesc first = desc;
  first.n = static_cast<uint32_t>(rows);
  first.scale = 1;
  first.convolve = false;
  first.in.split = columns;
  first.out = workspace;
  first.out.stride = columns;
  first.middle_factor = {};
  first.write_factor = product(table_, n, desc.sign > 0);
  add(first, {columns, 1, 1}, &Batch::in_stride, "_columns", {.input = problem_.applied.input});

  // Along each row, whose output number k belongs at k * rows + row.
  PassDesc second = desc;
  second.n = static_cast<uint32_t>(columns);
  second.in = workspace;
  second.read_factor = {};
  if (!desc.convolve) {
    second.out.split = rows;
    add(second, {rows, columns, 1}, &Batch::out_stride, "_rows", {.output = problem_.applied.output});
    return;
  }
  second.scale = 1;
  second.out = workspace;
  second.middle.split = rows;
  second.write_factor = product(table_, n, desc.sign < 0);
  add(second, {rows, columns, columns, 0}, nullptr, "_rows", {.middle = problem_.applied.middle});

  PassDesc third = desc;
  third.n = static_cast<uint32_t>(rows);
  third.sign = -desc.sign;
  third.convolve = false;
  third.in = workspace;
  third.in.stride = columns;
  third.out.split = columns;
  third.read_factor = {};
  third.middle_factor = {};
  add(third, {columns, 1, 1}, &Batch::out_stride, "_back", {.output = problem_.applied.output});
}

void Programmer::plan_bluestein() {
  if (problem_.convolve) {
    fail(VD_ERR_UNSUPPORTED, "a convolution along a length ({}) with a prime factor above 13 is not in this version.",
         problem_.n);
  }
  const uint64_t n = problem_.n;
  uint64_t padded = 0;
  double best = 0;
  int tried = 0;
  for (uint64_t m = 2 * n - 1; tried < kPaddedLengths; ++m) {
    if (!is_smooth(m)) continue;
    ++tried;
    const uint64_t words = m * ir::scalar_size(problem_.compute);  // in planes, the least that it takes
    RadixPlan radices;
    if (words <= limits_.shared_bytes) {
      radices = choose_radices(static_cast<uint32_t>(m), {2 * limits_.registers, limits_.threads});
    }
    // Without a plan of its own a length costs as its size, and more than any that has one.
    const double cost = radices.stages.empty() ? 1e12 * static_cast<double>(m) * (m % 4 == 0 ? 1 : 1.2) : radices.cost;
    if (padded == 0 || cost < best) {
      padded = m;
      best = cost;
    }
  }
  // exp(-pi i k^2 / n), and its spectrum over the padded length.
  const auto chirp = [n](uint64_t k) {
    const Root w = root(k * k % (2 * n), 2 * n);
    return Root{w.re, -w.im};
  };
  std::vector<Root> filter(padded, Root{0, 0});
  for (uint64_t k = 0; k < n; ++k) {
    const Root w = chirp(k);
    filter[k] = {w.re, -w.im};
    if (k != 0) filter[padded - k] = filter[k];
  }
  filter = host_dft(filter);
  PassDesc desc = whole(padded);
  desc.convolve = true;
  desc.in.end = desc.out.end = n;
  desc.read_factor.kind = desc.middle_factor.kind = desc.write_factor.kind = Factor::Kind::Table;
  desc.read_factor.conjugate = desc.middle_factor.conjugate = desc.write_factor.conjugate = problem_.sign > 0;
  desc.read_factor.first = desc.write_factor.first = table_.add(fmt::format("chirp {}", n), n, chirp);
  const double part = 1 / static_cast<double>(padded);
  desc.middle_factor.first = table_.add(fmt::format("filter {} {}", n, padded), padded, [&](uint64_t k) {
    return Root{filter[k].re * part, filter[k].im * part};
  });
  if (!plan_single(desc)) plan_split(padded, desc);
}

// ---- Writing them

void Programmer::begin_pass() {
  const Planned& planned = planned_[program_.passes.size()];
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = flags_ | VD_BUILDER_NO_EXEC_BOUNDS;
  desc.name = planned.desc.name.c_str();
  desc.local_size[0] = planned.layout.group_size();
  desc.min_groups = planned.layout.min_groups;
  desc.shared_carveout = planned.layout.carveout;
  builder_ = factory_(desc);
  generator_ = std::make_unique<Generator>(planned.desc, planned.layout, *builder_, table_);
  generator_->maps = problem_.maps;
  generator_->applied = planned.applied;
  generator_->outputs = problem_.outputs;
  generator_->inputs = problem_.inputs;
  generator_->middles = problem_.middles;
  if (planned.workspace) generator_->hidden.push_back({"workspace", ir::Type::complex(problem_.compute)});
}

void Programmer::end_pass() {
  const Planned& planned = planned_[program_.passes.size()];
  Pass pass;
  pass.kernel = builder_->finish();
  pass.layout = planned.layout;
  pass.desc = planned.desc;
  pass.workspace = planned.workspace;
  generator_.reset();
  program_.passes.push_back(std::move(pass));
}

bool Programmer::next(Element& out) {
  while (generator_) {
    if (generator_->next(out)) return true;
    end_pass();
    if (program_.passes.size() < planned_.size()) begin_pass();
  }
  return false;
}

Program Programmer::finish() {
  if (generator_) fail(VD_ERR_STATE, "the transform is not complete: elements are left.");
  if (table_.empty()) table_.add("none", 1, [](uint64_t) { return Root{1, 0}; });
  program_.constants = table_.bytes(problem_.compute);
  return std::move(program_);
}

std::string Program::text() const {
  std::string out;
  Traffic all;
  for (const Pass& pass : passes) {
    const Layout& l = pass.layout;
    out += fmt::format("{}: {}{}, {} threads, {} {} a group, {} groups, {} values a thread, {} bytes shared",
                       pass.desc.name, l.radices.text(), pass.desc.convolve ? " and back" : "", l.group_size(), l.lines,
                       l.columns ? "columns" : "lines", l.group_count, l.radices.registers, pass.kernel.shared_size);
    if (l.radices.threads > 1) {
      out += fmt::format(" ({}{}, {:.2f} cycles an access)", l.exchange.planar ? "planes" : "pairs",
                         l.exchange.kind == Exchange::Kind::Padded     ? ", padded"
                         : l.exchange.kind == Exchange::Kind::Swizzled ? ", swizzled"
                                                                       : "",
                         l.exchange.conflicts);
    }
    if (l.staged_in || l.staged_out) out += l.staged_in && l.staged_out ? ", rows in and out" : ", rows";
    if (pass.desc.splits_out || pass.desc.joins_in) out += ", real lines packed";
    if (pass.registers != 0) out += fmt::format(", {} registers", pass.registers);
    const Traffic t = traffic(pass.desc);
    out += fmt::format(", reads {} and writes {} bytes\n", t.read, t.written);
    all.read += t.read;
    all.written += t.written;
  }
  return out +
         fmt::format("workspace: {} bytes, constants: {} bytes; bound: a copy that reads {} and writes {} bytes\n",
                     workspace_size, constants.size(), all.read, all.written);
}

Program make_program(const Problem& problem, const Limits& limits) {
  Programmer programmer(problem, limits, [](const vd_builder_desc& desc) { return make_ref<ir::Builder>(desc); });
  Element element;
  if (programmer.next(element)) fail(VD_ERR_INTERNAL, "a problem without maps asks for one.");
  return programmer.finish();
}

}  // namespace vd::fft
