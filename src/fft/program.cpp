#include "fft/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/count_of.h"
#include "core/error.h"
#include "fft/code_store.h"
#include "ir/hash.h"

namespace vd::fft {

namespace {

bool has_maps(const Maps& maps) { return maps.input || maps.output || maps.filter; }

}  // namespace

ProgramWriter::ProgramWriter(Problem problem, const Limits& limits, BuilderFactory factory, vd_builder_flags flags,
                             CodeStore* store)
    : problem_(std::move(problem)),
      factory_(std::move(factory)),
      flags_(flags),
      plan_(make_plan(problem_, limits, table_)),
      store_(has_maps(problem_.maps) ? nullptr : store) {
  program_.workspace_size = plan_.workspace_size;
  if (!find_code()) begin_pass();
}

bool ProgramWriter::find_code() {
  if (store_ == nullptr) return false;
  program_.key = key_of(problem_, plan_, table_, flags_);
  const auto known = store_->find(program_.key);
  if (!known || known->passes.size() != kernel_count()) return false;
  for (const ProgramCode::Pass& pass : known->passes) add_pass(pass);
  program_.constants = known->constants;
  return true;
}

std::span<const PlannedPass> ProgramWriter::planned() const {
  const std::span<const PlannedPass> all = plan_.passes;
  return plan_.by_ticket() ? all : all.subspan(program_.passes.size(), 1);
}

void ProgramWriter::begin_pass() {
  const std::span<const PlannedPass> passes = this->planned();
  const PlannedPass& planned = passes.front();
  const std::string name = passes.size() == 1 ? planned.desc.name : problem_.name + "_by_ticket";
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = flags_ | VD_BUILDER_NO_EXEC_BOUNDS;
  desc.name = name.c_str();
  desc.workgroup_size[0] = planned.layout.workgroup_size();
  desc.min_workgroups = planned.layout.min_workgroups;
  desc.shared_carveout = planned.layout.carveout;
  if (planned.layout.radices.cluster > 1) desc.cluster_size[0] = planned.layout.radices.cluster;
  builder_ = factory_(desc);
  generator_ = std::make_unique<Generator>(passes, *builder_, table_);
  generator_->maps = problem_.maps;
  generator_->outputs = problem_.outputs;
  generator_->inputs = problem_.inputs;
  generator_->filters = problem_.filters;
  if (planned.workspace()) generator_->hidden.push_back({"workspace", ir::Type::complex(problem_.compute)});
  if (passes.size() > 1) generator_->hidden.push_back({"counters", ir::kU32});
}

void ProgramWriter::end_pass() {
  ir::Kernel written = builder_->finish();
  const Hash128 hash = ir::hash_kernel(written);
  ProgramCode::Pass code;
  code.launch = launch_block(written, generator_->launch_numbers());
  code.shared_size = written.shared_size;
  code.kernel = make_ref<vd_kernel>(std::move(written), hash);
  add_pass(code);
  if (store_ != nullptr) code_.passes.push_back(std::move(code));
  generator_.reset();
}

void ProgramWriter::add_pass(const ProgramCode::Pass& code) {
  const std::span<const PlannedPass> passes = this->planned();
  const PlannedPass& planned = passes.front();
  Pass pass;
  pass.layout = planned.layout;
  pass.desc = planned.desc;
  pass.workspace = planned.workspace();
  pass.kernel = code.kernel;
  pass.kept = code.kept;
  pass.shared_size = code.shared_size;
  pass.launch = code.launch;
  if (passes.size() > 1) pass.second = std::make_shared<const PlannedPass>(passes.back());
  pass.values = launch_bytes(pass.launch, passes);
  program_.passes.push_back(std::move(pass));
}

bool ProgramWriter::next(Element& out) {
  while (generator_) {
    if (generator_->next(out)) return true;
    end_pass();
    if (program_.passes.size() < kernel_count()) begin_pass();
  }
  return false;
}

Program ProgramWriter::finish() {
  if (generator_) fail(VD_ERR_STATE, "the transform is not complete: elements are left.");
  if (program_.constants) return std::move(program_);
  if (table_.empty()) table_.add("none", 1, [](uint64_t) { return Root{1, 0}; });
  program_.constants = std::make_shared<const Constants>(table_.constants(problem_.compute));
  if (store_ != nullptr && !code_.passes.empty()) {
    program_.written = true;
    code_.constants = program_.constants;
    store_->add(program_.key, std::make_shared<const ProgramCode>(std::move(code_)));
  }
  return std::move(program_);
}

namespace {

// A pass of explain(), with the numbers of its kernel.
std::string text_of(const Pass& pass, const PassDesc& desc, const Layout& l) {
  std::string out =
      fmt::format("{}: {}{}, {} and {} per workgroup, {}, {} per invocation, {} bytes of shared memory", desc.name,
                  l.radices.text(), demands(desc).back ? " and back" : "", count_of(l.workgroup_size(), "invocation"),
                  count_of(l.lines, l.orders.front() == LineOrder::Columns ? "column" : "line"),
                  count_of(l.group_count * l.radices.cluster, "workgroup"), count_of(l.radices.registers, "element"),
                  pass.shared_size);
  if (l.radices.invocations > 1) {
    out += fmt::format(" ({}{}{}, {:.2f} cycles per access)", l.exchange.planar ? "planar" : "interleaved",
                       l.exchange.parts > 1 ? fmt::format(", in {} parts", l.exchange.parts) : "",
                       l.exchange.kind == Exchange::Kind::Padded     ? ", padded"
                       : l.exchange.kind == Exchange::Kind::Swizzled ? ", swizzled"
                                                                     : "",
                       l.exchange.conflicts);
  }
  if (l.radices.cluster > 1)
    out += fmt::format(", each {} in a cluster of {} workgroups (exchange {} of {})", desc.rows != 0 ? "plane" : "line",
                       l.radices.cluster, l.radices.crossing + 1, l.radices.stages.size() - 1);
  if (l.staged_in || l.staged_out) {
    out += l.staged_in && l.staged_out ? ", staged reads and writes"
           : l.staged_in               ? ", staged reads"
                                       : ", staged writes";
  }
  if (l.turns()) {
    out += l.orders.front() == LineOrder::Lines ? ", read as lines and written as columns"
                                                : ", read as columns and written as lines";
  }
  if (l.ahead != 0) out += ", tiles read ahead by " + count_of(l.workgroups[0], "workgroup");
  out += fmt::format(", runs of {} bytes read and {} written, {:.0f} % of lanes idle, {} bytes in flight per {}",
                     l.score.read_run, l.score.written_run, 100 * l.score.idle, l.score.in_flight,
                     l.score.time != 0 ? "multiprocessor" : "workgroup");
  if (l.recorded) out += ", as a record says";
  return out + fft::text(desc);
}

std::string text_of(const Traffic& moved) {
  return fmt::format(", reads {} and writes {} bytes\n", moved.read, moved.written);
}

// The ring that two passes of a dispatch share.
std::string text_of_tickets(const Pass& pass) {
  const Layout::Ring& ring = pass.layout.ring;
  const uint64_t slot = ring.slot * 2 * ir::scalar_size(pass.desc.compute);
  return fmt::format(
      "tickets: both passes in one dispatch of {}, {} and {} of a bundle of lines; {} through a ring of {} of {} "
      "bytes\n",
      count_of(ring.order.tickets(ring.bundles), "workgroup"), ring.order.tiles[0], ring.order.tiles[1],
      count_of(ring.bundles, "bundle"), count_of(ring.order.slots, "slot"), slot);
}

}  // namespace

std::vector<std::string> Program::texts() const {
  std::vector<std::string> result;
  std::string out;
  Traffic all;
  for (const Pass& pass : passes) {
    result.push_back(std::exchange(out, {}) + text_of(pass, pass.desc, pass.layout));
    const Traffic first = traffic(pass.desc), last = pass.second ? traffic(pass.second->desc) : first;
    out += text_of(first);
    if (pass.second)
      out += text_of(pass, pass.second->desc, pass.second->layout) + text_of(last) + text_of_tickets(pass);
    // Numbers in a ring stay in the cache.
    all.read += first.read;
    all.written += last.written;
  }
  out +=
      fmt::format("workspace: {} bytes, constants: {} bytes; lower bound: a copy that reads {} and writes {} bytes\n",
                  workspace_size, constants->size, all.read, all.written);
  result.push_back(std::move(out));
  return result;
}

std::string Program::text() const { return fmt::format("{}", fmt::join(texts(), "")); }

Program make_program(const Problem& problem, const Limits& limits, const BuilderFactory& factory,
                     vd_builder_flags flags, CodeStore* store) {
  ProgramWriter writer(problem, limits, factory, flags, store);
  Element element;
  if (writer.next(element)) fail(VD_ERR_INTERNAL, "a problem without maps asks for a map.");
  return writer.finish();
}

Program make_program(const Problem& problem, const Limits& limits) {
  return make_program(problem, limits, [](const vd_builder_desc& desc) { return make_ref<ir::Builder>(desc); });
}

}  // namespace vd::fft
