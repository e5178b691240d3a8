#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/hash.h"
#include "core/source_hash.h"
#include "core/thread_pool.h"
#include "fft/candidate_words.h"
#include "fft/choice.h"
#include "fft/gen.h"
#include "fft/kept_choices.h"
#include "fft/spills.h"

using namespace vd;

// A pass whose candidate may give way to a rival.
struct vd_fft_gen::OpenPass {
  uint32_t problem, number;
  size_t plan;     // its number among all passes
  bool tight;      // registers are scarce, so that the code may spill
  Hash128 desc;    // of the pass
  Hash128 choice;  // of all that the choice follows from
  fft::Candidate planned;
  std::optional<fft::Candidate> chosen{};
  std::optional<uint32_t> spilled{};
};

namespace {

constexpr const char* kWhat = "fft spills";

}  // namespace

std::vector<vd_fft_gen::OpenPass> vd_fft_gen::open_passes() const {
  const auto has_maps = [](const fft::Problem& problem) {
    return problem.maps.input || problem.maps.output || problem.maps.filter;
  };
  if (has_choices_ || !context_->runs_kernels() || std::ranges::any_of(problems_, has_maps)) return {};
  // They take registers, too.
  const vd_context_flags checks = context_->flags() & (VD_CONTEXT_CHECKED | VD_CONTEXT_ROBUST);
  std::vector<OpenPass> all;
  std::set<Hash128> seen;
  size_t plan = 0;
  for (uint32_t i = 0; i < programs_.size(); ++i) {
    for (uint32_t k = 0; k < programs_[i].passes.size(); ++k, ++plan) {
      const fft::Pass& pass = programs_[i].passes[k];
      if (pass.second || !fft::is_open(pass.desc, limits_, pass.layout)) continue;
      const Hash128 desc = fft::key_of(pass.desc);
      if (!seen.insert(desc).second || (limits_.choices && limits_.choices->of.contains(desc))) continue;
      fft::Candidate planned = fft::candidate_of(pass.layout);
      Hasher hasher;
      hasher.add(source_hash()).add(desc).add(flags_).add(checks).add(fft::words_of(planned));
      all.push_back({i, k, plan, pass.layout.score.tight, desc, hasher.finish(), std::move(planned)});
    }
  }
  return all;
}

bool vd_fft_gen::take(const std::vector<OpenPass>& passes) {
  fft::Choices choices = limits_.choices ? *limits_.choices : fft::Choices{};
  const size_t before = choices.of.size();
  for (const OpenPass& pass : passes) {
    if (!pass.chosen || fft::words_of(*pass.chosen) == fft::words_of(pass.planned)) continue;
    choices.of.emplace(pass.desc, *pass.chosen);
    remark_ += fmt::format("{}: {} spills fewer registers than the usual choice\n",
                           programs_[pass.problem].passes[pass.number].desc.name, fft::words_of(*pass.chosen));
  }
  if (choices.of.size() == before) return false;
  limits_.choices = std::make_shared<const fft::Choices>(std::move(choices));
  for (uint32_t i = 0; i < programs_.size(); ++i)
    programs_[i] = fft::make_program(problems_[i], limits_, factory_, flags_, &store_);
  return true;
}

void vd_fft_gen::take_kept_rivals() {
  std::vector<OpenPass> passes = open_passes();
  fft::KeptChoices kept(context_->disk(), context_->device(device_).info(), kWhat);
  for (OpenPass& pass : passes)
    if (pass.tight) pass.chosen = kept.load(pass.choice, programs_[pass.problem].passes[pass.number].desc);
  take(passes);
}

bool vd_fft_gen::take_rivals(const std::vector<Ref<vd_plan>>& plans) {
  std::vector<OpenPass> passes = open_passes();
  // A driver that must compile once more to tell is asked where registers are scarce.
  std::erase_if(passes, [&](const OpenPass& pass) {
    const std::optional<uint32_t> spilled = plans[pass.plan]->statistics(false).spilled;
    return spilled ? *spilled == 0 : !pass.tight;
  });
  fft::KeptChoices kept(context_->disk(), context_->device(device_).info(), kWhat);
  std::vector<OpenPass*> asked;
  for (OpenPass& pass : passes) {
    pass.chosen = kept.load(pass.choice, programs_[pass.problem].passes[pass.number].desc);
    if (!pass.chosen) asked.push_back(&pass);
  }
  ThreadPool& compilers = context_->compilers();
  compilers.for_each(asked.size(),
                     [&](size_t i) { asked[i]->spilled = plans[asked[i]->plan]->statistics(true).spilled; });
  struct Trial {
    OpenPass* pass;
    fft::Candidate rival;
    std::optional<uint32_t> spilled{};
  };
  std::vector<Trial> trials;
  for (OpenPass* const pass : asked) {
    if (!pass->spilled) continue;
    pass->chosen = pass->planned;
    if (*pass->spilled == 0) continue;
    const fft::Pass& of = programs_[pass->problem].passes[pass->number];
    for (fft::Candidate& rival : fft::find_rivals(of.desc, limits_, of.layout))
      trials.push_back({pass, std::move(rival)});
  }
  compilers.for_each(trials.size(),
                     [&](size_t i) { trials[i].spilled = spilled_by(*trials[i].pass, trials[i].rival); });
  for (Trial& trial : trials) {
    if (!trial.spilled || *trial.spilled >= *trial.pass->spilled) continue;
    trial.pass->spilled = trial.spilled;
    trial.pass->chosen = std::move(trial.rival);
  }
  for (const OpenPass* const pass : asked)
    if (pass->chosen) kept.store(pass->choice, *pass->chosen);
  return take(passes);
}

std::optional<uint32_t> vd_fft_gen::spilled_by(const OpenPass& pass, const fft::Candidate& rival) const {
  fft::Limits limits = limits_;
  limits.choices = std::make_shared<const fft::Choices>(fft::Choices{{{pass.desc, rival}}});
  const fft::Program program = fft::make_program(problems_[pass.problem], limits, factory_, flags_);
  const fft::Pass& with = program.passes.at(pass.number);
  vd_plan::Desc desc;
  desc.device = device_;
  desc.kernel = with.kernel.get();
  desc.by_address = with.layout.wide;
  const auto plan = fft::unless_refused(rival, [&] { return vd_plan::create(*context_, desc); });
  return plan ? (*plan)->statistics(true).spilled : std::nullopt;
}
