#include "fft/gen.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "core/error.h"
#include "core/log.h"
#include "core/traits.h"
#include "fft/device_chirp.h"
#include "fft/reach.h"
#include "fft/ticket_counters.h"
#include "fft/transform.h"
#include "runtime/hidden.h"

using namespace vd;
using fft::Point;

namespace {

fft::Limits limits_of(vd_context& context, const vd_fft_desc& desc, std::shared_ptr<const fft::Choices> choices) {
  fft::Limits limits = fft::device_limits(context.device(desc.device).info(), desc.max_registers);
  limits.choices = std::move(choices);
  return limits;
}

}  // namespace

vd_fft_gen::vd_fft_gen(vd_context& context, const vd_fft_desc& desc, fft::BuilderFactory factory,
                       std::shared_ptr<const fft::Choices> choices, std::string remark)
    : context_(Ref<vd_context>::retain(&context)),
      device_(desc.device),
      flags_(desc.builder_flags),
      given_workspace_((desc.flags & VD_FFT_WORKSPACE) != 0),
      factory_(std::move(factory)),
      has_choices_(choices != nullptr),
      limits_(limits_of(context, desc, std::move(choices))),
      remark_(std::move(remark)),
      problems_(fft::read_transform(desc, limits_)),
      store_(context, desc.device) {
  begin();
}

void vd_fft_gen::begin() {
  writer_ = std::make_unique<fft::ProgramWriter>(problems_[programs_.size()], limits_, factory_, flags_, &store_);
}

ir::Builder* vd_fft_gen::next(vd_fft_element& out) {
  if (finished_) fail(VD_ERR_STATE, "the transform is finished");
  if (stopped_) writer_->builder().resume();
  stopped_ = false;
  while (writer_) {
    if (writer_->next(element_)) {
      writer_->builder().suspend(element_.point == Point::Arguments,
                                 "a map must not return: invocations meet at barriers after it");
      stopped_ = true;
      break;
    }
    programs_.push_back(writer_->finish());
    passes_ += static_cast<uint32_t>(programs_.back().passes.size());
    writer_.reset();
    if (programs_.size() < problems_.size()) begin();
  }
  if (!writer_) return nullptr;
  const fft::Problem& problem = writer_->problem();
  constexpr vd_fft_point kPoints[] = {VD_FFT_POINT_ARGUMENTS, VD_FFT_POINT_READ, VD_FFT_POINT_FILTER,
                                      VD_FFT_POINT_WRITE};
  constexpr vd_fft_flags kParts[] = {VD_FFT_MAP_OUTPUT, VD_FFT_MAP_INPUT, VD_FFT_MAP_FILTER};
  out.point = kPoints[static_cast<int>(element_.point)];
  out.part = element_.point == Point::Arguments ? kParts[element_.part] : 0;
  out.pass = passes_ + writer_->pass();
  out.element_id = element_.id;
  out.element_count = element_.count;
  out.filter_index = element_.instance;
  out.filter_count = problem.filter_count;
  out.direction = problem.inverse ? VD_FFT_DIRECTION_INVERSE : VD_FFT_DIRECTION_FORWARD;
  out.axis = problem.axis;
  out.size = problem.n;
  const bool filter = element_.point == Point::Filter;
  out.stride = filter ? problem.filter.stride : element_.point == Point::Write ? problem.out.stride : problem.in.stride;
  out.position = element_.position;
  out.index = element_.address;
  out.value = element_.value;
  return &writer_->builder();
}

const fft::Element& vd_fft_gen::at(const char* what, bool reads) const {
  const bool fits = stopped_ && (reads ? element_.point == Point::Read || element_.point == Point::Filter
                                       : element_.point == Point::Write);
  if (!fits) fail(VD_ERR_STATE, "the transform is not at an element that {}", what);
  return element_;
}

void vd_fft_gen::check(vd_value buffer, vd_value index, vd_value other) const {
  const ir::Builder& builder = writer_->builder();
  builder.check_value(buffer, "buffer");
  if (!ir::Builder::type_of(buffer).is_array())
    fail(VD_ERR_INVALID, "buffer ({}) is not a buffer argument.", builder.types().name(ir::Builder::type_of(buffer)));
  if (index != 0) builder.check_value(index, "index");
  if (other != 0) builder.check_value(other, "value");
}

void vd_fft_gen::read(vd_value buffer, vd_value address, vd_value into) {
  const fft::Element& element = at("reads", true);
  check(buffer, address, into);
  writer_->generator().read(element, buffer, address, into != 0 ? into : element.value);
}

void vd_fft_gen::write(vd_value buffer, vd_value address, vd_value value) {
  const fft::Element& element = at("writes", false);
  check(buffer, address, value);
  writer_->generator().write(element, buffer, address, value != 0 ? value : element.value);
}

void vd_fft_gen::check_size(uint64_t size, const char* what) const {
  const vd_device_info& info = context_->device(device_).info();
  // Every launch would fail.
  if (size > most_bytes(info))
    fail(VD_ERR_UNSUPPORTED,
         "the fft {} takes {} bytes, more than device \"{}\" binds ({}): transform fewer or shorter lines at a time",
         what, size, info.name, most_bytes(info));
}

Ref<vd_buffer> vd_fft_gen::make_constants(const fft::Constants& constants) const {
  check_size(constants.size, "constants");
  Ref<vd_buffer> buffer = runtime::hidden_buffer(*context_, device_, constants.size, nullptr, "fft constants");
  for (const fft::Constants::Part& part : constants.parts)
    buffer->write(context_->first_queue(device_), part.offset, part.bytes.data(), part.bytes.size());
  for (const fft::DeviceChirp& chirp : constants.chirps) fft::write_chirp(*context_, *buffer, chirp, constants.scalar);
  return buffer;
}

std::vector<vd_plan::Step::Argument> vd_fft_gen::arguments_of(const fft::Pass& pass, uint32_t given) const {
  std::vector<vd_plan::Step::Argument> all;
  for (uint32_t i = 0; i < given; ++i) all.push_back({i, 0, 0});
  if (pass.workspace) all.push_back({given, 0, 0});
  if (pass.second) all.push_back({given + 1, 0, 0});           // the counters
  all.push_back({given + 1 + (pass.second ? 1u : 0u), 0, 0});  // the constants
  return all;
}

Ref<vd_plan> vd_fft_gen::compile(uint32_t problem, uint32_t number, runtime::KeptKernel* keep) const {
  const fft::Pass& pass = programs_[problem].passes[number];
  vd_plan::Desc desc;
  desc.device = device_;
  desc.kernel = pass.kernel.get();
  desc.keep = keep;
  desc.by_address = pass.layout.wide;
  if (!pass.kept) return vd_plan::create(*context_, desc);
  desc.write = [of = problems_[problem], limits = limits_, factory = factory_, flags = flags_, number] {
    return fft::make_program(of, limits, factory, flags).passes.at(number).kernel;
  };
  desc.kept = pass.kept.get();
  try {
    return vd_plan::create(*context_, desc);
  } catch (const Error& error) {
    log_info("what the disk cache has of kernel \"{}\" is not used: {}", pass.kept->name, error.what());
  }
  const Ref<const vd_kernel> kernel = desc.write();
  desc.kernel = kernel.get();
  desc.kept = nullptr;
  return vd_plan::create(*context_, desc);
}

std::vector<Ref<vd_plan>> vd_fft_gen::compile() {
  struct Work {
    uint32_t problem, pass;
    runtime::KeptKernel* keep;
    Ref<vd_plan> plan;
    std::exception_ptr failure;
  };
  std::vector<Work> all;
  std::vector<std::vector<runtime::KeptKernel>> kept(programs_.size());
  for (uint32_t i = 0; i < programs_.size(); ++i) {
    const bool keeps = programs_[i].written && store_.keeps();
    kept[i].resize(keeps ? programs_[i].passes.size() : 0);
    for (uint32_t k = 0; k < programs_[i].passes.size(); ++k)
      all.push_back({i, k, keeps ? &kept[i][k] : nullptr, {}, {}});
  }
  context_->compilers().for_each(all.size(), [&](size_t i) {
    Work& work = all[i];
    try {
      work.plan = compile(work.problem, work.pass, work.keep);
    } catch (...) {
      work.failure = std::current_exception();
    }
  });
  std::vector<Ref<vd_plan>> plans;
  for (Work& work : all) {
    if (work.failure) std::rethrow_exception(work.failure);
    plans.push_back(std::move(work.plan));
  }
  for (size_t i = 0; i < programs_.size(); ++i)
    if (!kept[i].empty()) store_.keep(programs_[i], kept[i]);
  return plans;
}

Ref<vd_plan> vd_fft_gen::finish() {
  if (finished_) fail(VD_ERR_STATE, "the transform is finished");
  if (writer_) fail(VD_ERR_STATE, "the transform is not complete: go on with vd_fft_gen_next()");
  finished_ = true;
  take_kept_rivals();
  std::vector<Ref<vd_plan>> plans = compile();
  if (take_rivals(plans)) plans = compile();
  const fft::Pass& first = programs_.front().passes.front();
  const auto arguments =
      static_cast<uint32_t>(plans.front()->bindings().size()) - (first.workspace ? 2 : 1) - (first.second ? 1 : 0);
  const uint32_t bindings = arguments + (given_workspace_ ? 1 : 0);
  // One workspace for all: the passes run one after the other.
  uint64_t workspace_size = 0;
  for (const fft::Program& program : programs_) workspace_size = std::max(workspace_size, program.workspace_size);
  check_size(workspace_size, "workspace");
  // A device without memory shows source only; hidden buffers stay bindings there.
  std::vector<Ref<vd_buffer>> constants;
  std::shared_ptr<runtime::Workspace> workspace;
  if (context_->runs_kernels()) {
    for (const fft::Program& program : programs_) constants.push_back(make_constants(*program.constants));
    if (workspace_size != 0 && !given_workspace_)
      workspace = std::make_shared<runtime::Workspace>(*context_, device_, workspace_size);
  }
  const std::string name = plans.front()->name();
  std::vector<vd_plan::Step> steps;
  std::vector<vd_plan::Explanation> explanation{{remark_}};
  auto next_plan = plans.begin();
  for (size_t i = 0; i < programs_.size(); ++i) {
    std::vector<std::string> texts = programs_[i].texts();
    for (size_t k = 0; k < programs_[i].passes.size(); ++k) {
      const fft::Pass& pass = programs_[i].passes[k];
      vd_plan::Step step;
      step.plan = std::move(*next_plan++);
      step.workgroups = pass.layout.workgroups;
      step.values = pass.values;
      if (!constants.empty()) {
        if (pass.workspace && workspace) step.hidden.emplace_back(workspace);
        if (pass.second) {
          Ref<vd_buffer> counters = fft::make_counters(*context_, device_, pass);
          if (!traits_of(context_->device(device_).info()).completes_launches)
            steps.push_back(fft::clear_step(counters, bindings, pass));
          step.hidden.emplace_back(std::move(counters));
        }
        step.hidden.emplace_back(constants[i]);
      }
      if (given_workspace_) step.arguments = arguments_of(pass, arguments);
      explanation.push_back({std::move(texts[k]), step.plan});
      steps.push_back(std::move(step));
    }
    explanation.push_back({std::move(texts.back())});
  }
  Ref<vd_plan> plan = vd_plan::compose(*context_, device_, name, std::move(steps), bindings, std::move(explanation),
                                       first.launch.given);
  std::vector<uint64_t> sizes = fft::least_sizes(problems_, arguments);
  std::vector<vd_plan::NoOverlap> rules = fft::no_overlaps(problems_, arguments);
  if (given_workspace_) {
    plan->set_name(arguments, "workspace");
    for (uint32_t i = 0; i < arguments && workspace_size != 0; ++i)
      if (sizes[i] != 0) rules.push_back({{arguments, 0, workspace_size}, {i, 0, sizes[i]}});
    sizes.push_back(workspace_size);
  }
  plan->set_least_sizes(sizes);
  plan->set_no_overlaps(std::move(rules));
  return plan;
}
