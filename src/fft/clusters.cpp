// Lines that the workgroups of a cluster share.
#include <algorithm>
#include <bit>

#include "fft/candidate.h"
#include "fft/cluster_plan.h"

namespace vd::fft {
namespace {

// Bytes of a line that a workgroup should have, so that several share a multiprocessor, and the most invocations that it
// should have for that.
constexpr uint64_t kShare = 65536;
constexpr uint32_t kSharedInvocations = 512;
// Invocations of a workgroup of short lines.
constexpr uint32_t kShortLineGroup = 128;
// Bytes of a row of columns that are read together.
constexpr uint32_t kColumnBytes = 64;

// Multiples of this have stages of 16 but for one. More than two workgroups with such stages were faster than two with mixed
// radices.
constexpr uint64_t kManyTwos = 512;

class Clusters {
 public:
  Clusters(const PassDesc& desc, const Limits& limits)
      : desc_(desc), limits_(limits), tuning_(limits.tuning), columns_(reads_columns(desc)) {}

  // The radices that the tuning gives, if it gives any.
  void add_given(uint32_t cluster) {
    if (!has_axis(tuning_.radices, desc_.rows)) return;
    add(make_radices(desc_.n, tuning_.radices, tuning_.line_threads * cluster, tuning_.form(), desc_.rows), cluster);
  }

  // `registers`: values of an invocation.
  void add(uint32_t registers, uint32_t cluster) {
    const uint32_t radix = tuning_.radix != 0 ? tuning_.radix : registers >= kMaxRadix ? kMaxRadix : kUsualRadix;
    const uint32_t most = std::min(limits_.invocations, kSharedInvocations);
    const uint32_t together = desc_.rows == 0 ? cluster : 1;
    const RadixPlan line =
        choose_radices(desc_.n, {registers, most * cluster, tuning_.form(), radix, desc_.rows, together});
    if (!add(line, cluster) && desc_.rows != 0) add(far_axis_turned(line), cluster);
  }

  // Three stages with mixed radices, which two workgroups share: none for lengths that were faster with others.
  void add_mixed() {
    if (desc_.n % kManyTwos == 0) return;
    const uint32_t most = std::min(limits_.invocations, kSharedInvocations);
    const RadixPlan line =
        choose_radices(desc_.n, {kMaxRadix, 2 * most, tuning_.form(), kMaxRadix, 0, 2, mixed_prime(desc_)});
    if (line.stages.size() == 3 && has_mixed_stage(line)) add(line, 2);
  }

  std::vector<Candidate> all;

 private:
  // The far axis's radices the other way round, so that its largest is beside the near axis's: 160 is 10x16 and 16x10.
  RadixPlan far_axis_turned(const RadixPlan& line) const {
    std::vector<uint32_t> radices;
    size_t far = 0;
    for (const Stage& stage : line.stages) {
      far += stage.span < desc_.rows ? 1 : 0;
      radices.push_back(stage.radix);
    }
    if (far == 0) return {};
    std::reverse(radices.begin(), radices.begin() + static_cast<ptrdiff_t>(far));
    return make_radices(desc_.n, radices, line.invocations, line.form, desc_.rows);
  }

  // False if a cluster cannot share it.
  bool add(const RadixPlan& line, uint32_t cluster) {
    Candidate candidate;
    candidate.radices = share_line(line, cluster, tuning_.crossing);
    if (candidate.radices.stages.empty()) return false;
    const uint64_t available = available_lines(desc_, columns_);
    uint32_t lines = columns_ ? kColumnBytes / (2 * ir::scalar_size(desc_.compute))
                              : std::bit_floor(std::max(kShortLineGroup / candidate.radices.invocations, 1u));
    if (tuning_.lines != 0) lines = tuning_.lines;
    for (; lines > 0; lines /= 2) {
      if (lines / 2 >= available) continue;
      candidate.lines = lines;
      for (const bool planar : {false, true}) {
        candidate.planar = planar;
        if (tuning_.planar < 0 || planar == (tuning_.planar != 0)) all.push_back(candidate);
      }
    }
    return true;
  }

  const PassDesc& desc_;
  const Limits& limits_;
  const Tuning& tuning_;
  const bool columns_;
};

}  // namespace

bool chooses_by_idle_lanes(const PassDesc& desc, const Limits& limits) {
  return limits.registers_total != 0 && limits.multiprocessors != 0 && limits.tuning.cluster == 0 &&
         leaves_choice(limits) && takes_many_values(desc) && desc.rows == 0 && !reads_columns(desc);
}

std::vector<Candidate> mixed_cluster_candidates(const PassDesc& desc, const Limits& limits) {
  Clusters clusters(desc, limits);
  clusters.add_mixed();
  return std::move(clusters.all);
}

std::vector<Candidate> cluster_candidates(const PassDesc& desc, const Limits& limits) {
  const Tuning& t = limits.tuning;
  Clusters clusters(desc, limits);
  const bool given = t.primes.empty() && t.gives_stages(desc.n);
  const uint32_t few = t.registers != 0 ? t.registers : limits.registers, many = 2 * few;
  const uint64_t bytes = uint64_t{desc.n} * 2 * ir::scalar_size(desc.compute);
  for (const uint32_t registers : {few, many}) {
    if (t.cluster > 1 && given) clusters.add_given(t.cluster);
    if (t.cluster > 1 && !given) clusters.add(registers, t.cluster);
    for (uint32_t size = 2; t.cluster == 0 && size <= limits.cluster; size *= 2) {
      if (bytes <= kShare * size) clusters.add(registers, size);
    }
  }
  for (uint32_t size = limits.cluster; t.cluster == 0 && size > 1; size /= 2) {
    if (bytes > kShare * size) clusters.add(many, size);
  }
  // Stages of 5, 6, 7 and 9 leave fewer invocations idle so.
  if (!chooses_by_idle_lanes(desc, limits)) return std::move(clusters.all);
  for (const uint32_t registers : {few + few / 2, many + few / 4}) {
    for (uint32_t size = 2; size <= limits.cluster; size *= 2) {
      if (bytes <= kShare * size) clusters.add(registers, size);
    }
  }
  clusters.add_mixed();
  return std::move(clusters.all);
}

}  // namespace vd::fft
