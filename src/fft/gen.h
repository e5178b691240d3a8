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
  // ---- Passes whose code spills registers have another candidate whose code spills fewer (spilling.cpp). Not of
  // transforms with maps, nor where the caller chose.

  // Takes those that an earlier compilation chose, before anything is compiled.
  void take_kept_rivals();
  // Compiles rivals of the passes that spill, all at once, and takes the better ones; false if the plans stay.
  // `plans`: of all passes.
  bool take_rivals(const std::vector<vd::Ref<vd_plan>>& plans);
  struct OpenPass;
  std::vector<OpenPass> open_passes() const;
  // Makes the programs anew if another candidate was chosen for a pass; false if none was.
  bool take(const std::vector<OpenPass>& passes);
  // Bytes that a rival's code spills; none if the device's compiler refuses it or does not tell.
  std::optional<uint32_t> spilled_by(const OpenPass& pass, const vd::fft::Candidate& rival) const;

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
  const bool has_choices_;  // of the caller's
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
