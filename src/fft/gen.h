// The object behind vd_fft_gen: a transform being written into builders, then compiled to a plan.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/object.h"
#include "fft/candidate.h"
#include "fft/code_store.h"
#include "fft/program.h"
#include "runtime/plan.h"

struct vd_fft_gen final : vd::Object {
 public:
  // `choices`: of candidates for passes; may be null. `remark`: comes first in the plan's explanation.
  vd_fft_gen(vd_context& context, const vd_fft_desc& desc, vd::fft::BuilderFactory factory,
             std::shared_ptr<const vd::fft::Choices> choices = {}, std::string remark = {});

  // Fills in the element and returns the builder; null when all is written.
  vd::ir::Builder* next(vd_fft_element& out);
  void read(vd_value buffer, vd_value address, vd_value into);
  void write(vd_value buffer, vd_value address, vd_value value);
  vd::Ref<vd_plan> finish();

 private:
  void begin();
  // The plans of all passes, compiled by the context's compilers at once. Throws the first pass's failure.
  std::vector<vd::Ref<vd_plan>> compile();
  // Whether another candidate was chosen for a pass, since the planned one's code spills registers and its own fewer.
  // Of transforms without maps. `plans`: of all passes.
  bool choose_by_spills(const std::vector<vd::Ref<vd_plan>>& plans);
  // The candidate of a pass whose code spills fewer registers than the plan's; none where the plan's is to stay.
  std::optional<vd::fft::Candidate> find_rival(uint32_t problem, uint32_t pass, const vd_plan& plan) const;
  // The plan of a pass with another candidate; null if the device's compiler refuses it.
  vd::Ref<vd_plan> compile_rival(uint32_t problem, uint32_t pass, const vd::fft::Candidate& candidate) const;
  // The plan of a pass whose code was kept, or was written; `keep` receives what to keep of it, if it is not null.
  vd::Ref<vd_plan> compile(uint32_t problem, uint32_t pass, vd::runtime::KeptKernel* keep) const;
  void check_size(uint64_t size, const char* what) const;
  // The buffers of a pass of a plan that is given this many, behind which are its own.
  std::vector<vd_plan::Step::Argument> arguments_of(const vd::fft::Pass& pass, uint32_t given) const;
  vd::Ref<vd_buffer> make_constants(const vd::fft::Constants& constants) const;
  const vd::fft::Element& at(const char* what, bool reads) const;
  void check(vd_value buffer, vd_value index, vd_value other) const;

  vd::Ref<vd_context> context_;
  const uint32_t device_;
  const vd_builder_flags flags_;
  const bool given_workspace_;  // an argument of the plan
  const vd::fft::BuilderFactory factory_;
  vd::fft::Limits limits_;
  std::string remark_;
  std::vector<vd::fft::Problem> problems_;
  std::vector<vd::fft::Program> programs_;
  vd::fft::CodeStore store_;
  std::unique_ptr<vd::fft::ProgramWriter> writer_;
  vd::fft::Element element_;
  bool stopped_ = false;  // at an element
  bool finished_ = false;
  uint32_t passes_ = 0;  // of the programs that are complete
};
