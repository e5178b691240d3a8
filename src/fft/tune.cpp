#include "fft/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <set>

#include "core/count_of.h"
#include "fft/candidate_words.h"
#include "fft/conditions.h"
#include "fft/kept_choices.h"
#include "fft/rating.h"
#include "fft/tickets.h"
#include "fft/transform.h"
#include "runtime/launch.h"

namespace vd::fft {
namespace {

constexpr auto kLeastTime = std::chrono::milliseconds(2);
constexpr int kRounds = 3, kMostLaunches = 256;
constexpr double kNever = std::numeric_limits<double>::infinity();  // seconds

// The choice that was found before, with at least as many candidates.
std::optional<Candidate> load(KeptChoices& kept, const Hash128& pass, const PassDesc& desc, uint32_t level) {
  std::optional<Candidate> found;
  for (uint32_t higher = VD_FFT_TUNE_ALL; !found && higher >= level; --higher) found = kept.load(pass, desc, higher);
  return found;
}

// The line that a cluster's workgroups share.
RadixPlan in_one_workgroup(const RadixPlan& shared) {
  std::vector<uint32_t> radices;
  for (const Stage& stage : shared.stages) radices.push_back(stage.radix);
  return make_radices(shared.n * shared.cluster, radices, shared.invocations * shared.cluster, shared.form,
                      shared.axis);
}

// Runs plans of one transform over buffers of its own.
class Stopwatch {
 public:
  Stopwatch(vd_context& context, uint32_t device) : context_(context), device_(device) {}

  // Seconds of a launch.
  double time(vd_plan& plan) {
    make_buffers(plan);
    run(plan, 1);
    double best = 0;
    int launches = 1;
    for (int round = 0; round < kRounds;) {
      const std::chrono::duration<double> taken = run(plan, launches);
      if (round == 0 && taken < kLeastTime && launches < kMostLaunches) {
        launches *= 2;
        continue;
      }
      const double each = taken.count() / launches;
      best = round == 0 ? each : std::min(best, each);
      ++round;
    }
    return best;
  }

 private:
  void make_buffers(const vd_plan& plan) {
    if (!buffers_.empty()) return;
    for (const vd_plan::Binding& binding : plan.bindings()) {
      vd_buffer::Desc desc;
      desc.size = std::max<uint64_t>(binding.least_size, 16);
      desc.device = device_;
      desc.label = "fft tune";
      buffers_.push_back(vd_buffer::create(context_, desc));
      // The same numbers for all candidates, and none that is slow to compute with.
      runtime::fill(*buffers_.back(), 0, desc.size / 4 * 4, 0, queue(), {});
    }
  }

  uint32_t queue() const { return context_.first_queue(device_); }

  std::chrono::duration<double> run(vd_plan& plan, int launches) {
    constexpr uint32_t kNone[3] = {};
    const runtime::Arguments arguments(plan, kNone, kNone, nullptr, 0, static_cast<uint32_t>(buffers_.size()),
                                       [&](uint32_t i) { return runtime::Bound{buffers_[i].get()}; });
    const auto start = std::chrono::steady_clock::now();
    vd_ticket last = 0;
    for (int i = 0; i < launches; ++i) last = *runtime::launch(arguments, queue(), {}, true);
    const runtime::Ticket ticket = context_.check_ticket(last);
    context_.wait(ticket.queue, ticket.value, VD_WAIT_FOREVER);
    return std::chrono::steady_clock::now() - start;
  }

  vd_context& context_;
  const uint32_t device_;
  std::vector<Ref<vd_buffer>> buffers_;
};

}  // namespace

std::string Tuned::text() const {
  return fmt::format("tuned: {} measured, {} from the cache\n{}", count_of(measured, "candidate"),
                     count_of(kept, "pass", "passes"), records);
}

Tuned tune(vd_context& context, const vd_fft_desc& desc, const MakeChosen& make) {
  const vd_device_info& info = context.device(desc.device).info();
  const Limits limits = device_limits(info, desc.max_registers);
  KeptChoices kept(context.disk(), info, "fft tune");
  Stopwatch watch(context, desc.device);
  Choices choices;
  const auto time_with = [&](const Hash128& pass, const Candidate& candidate) -> std::optional<double> {
    Choices trial = choices;
    trial.of.insert_or_assign(pass, candidate);
    return unless_refused(candidate,
                          [&] { return watch.time(*make(std::make_shared<const Choices>(std::move(trial)))); });
  };
  std::set<Hash128> seen;
  std::vector<std::pair<Hash128, std::string>> found;  // passes, with their conditions
  Tuned tuned;
  const size_t most = desc.tune == VD_FFT_TUNE_BEST ? kBestCandidates : ~size_t{0};
  // The fastest candidate that takes less than `least`, if there is one.
  const auto find_fastest = [&](const Hash128& pass, const std::vector<Candidate>& candidates, double least) {
    std::optional<Candidate> best;
    for (const Candidate& candidate : candidates) {
      const std::optional<double> time = time_with(pass, candidate);
      if (!time) continue;
      ++tuned.measured;
      if (*time >= least) continue;
      best = candidate;
      least = *time;
    }
    return best;
  };
  const auto level = static_cast<uint32_t>(desc.tune);
  // Has the passes of a plan, whose layouts are chosen, share a dispatch if that is faster.
  const auto try_tickets = [&](const Problem& problem, const Hash128& first) {
    const auto known = choices.of.find(first);
    if (known == choices.of.end() || known->second.tickets != 0) return;
    Candidate apart = known->second, together = apart;
    together.tickets = 1;
    Limits with = limits;
    Choices trial = choices;
    trial.of.insert_or_assign(first, together);
    with.choices = std::make_shared<const Choices>(std::move(trial));
    Table table;
    if (!make_plan(problem, with, table).by_ticket()) return;
    const std::optional<double> one = time_with(first, apart), other = time_with(first, together);
    if (!other) return;
    ++tuned.measured;
    if (one && *other >= *one) return;
    kept.store(first, together, level);
    choices.of.insert_or_assign(first, std::move(together));
  };
  for (const Problem& problem : read_transform(desc, limits)) {
    Table table;
    const Plan plan = make_plan(problem, limits, table);
    bool is_new = false;
    for (const PlannedPass& pass : plan.passes) {
      const Hash128 key = key_of(pass.desc);
      if (!seen.insert(key).second) continue;
      const auto choose = [&](const Candidate& candidate) {
        choices.of.insert_or_assign(key, candidate);
        found.emplace_back(key, Conditions::of(pass.desc, limits).text());
      };
      if (auto known = load(kept, key, pass.desc, level)) {
        choose(*known);
        ++tuned.kept;
        continue;
      }
      const std::optional<Candidate> best =
          find_fastest(key, best_candidates(pass.desc, limits, most, &pass.layout), kNever);
      if (!best) continue;
      choose(*best);
      kept.store(key, *best, level);
      is_new = true;
    }
    if (is_new && may_take_tickets(plan, limits)) try_tickets(problem, key_of(plan.passes.front().desc));
  }
  // Several passes, chosen now, and one of a cluster's workgroups, of planes and of columns. Where several are faster, a
  // way of one workgroup is kept, which stands for that.
  Limits sharing = limits;
  sharing.shares_all = true;
  for (const Problem& problem : read_transform(desc, sharing)) {
    if (problem.axes_apart) continue;
    Table table;
    const PlannedPass pass = make_plan(problem, sharing, table).passes.front();
    const RadixPlan& radices = pass.layout.radices;
    const Hash128 key = key_of(pass.desc);
    if (radices.cluster == 1 || !seen.insert(key).second) continue;
    std::optional<Candidate> best = load(kept, key, pass.desc, level);
    if (best) {
      ++tuned.kept;
    } else {
      const double apart = watch.time(*make(std::make_shared<const Choices>(choices)));
      std::vector<Candidate> candidates = best_candidates(pass.desc, sharing, most, &pass.layout);
      std::erase_if(candidates, [](const Candidate& candidate) { return candidate.radices.cluster == 1; });
      best = find_fastest(key, candidates, apart);
      if (!best) best = Candidate{.radices = in_one_workgroup(radices)};
      kept.store(key, *best, level);
    }
    if (best->radices.cluster == 1) continue;
    choices.of.insert_or_assign(key, *best);
    found.emplace_back(key, Conditions::of(pass.desc, limits).text());
  }
  for (const auto& [key, conditions] : found)
    tuned.records += fmt::format("choice {}: {}\n", conditions, words_of(choices.of.at(key)));
  tuned.choices = std::make_shared<const Choices>(std::move(choices));
  return tuned;
}

}  // namespace vd::fft
