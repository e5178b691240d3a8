// Some random kernels in each run of the conformance suite; vd_random_kernels runs thousands.
#include "case.h"
#include "program.h"

namespace vdc {
namespace {

void random_kernels(Run& run) {
  const random::Device device = random::describe(run.session);
  for (size_t turn = 0; turn < run.samples(16, 400); ++turn) {
    const uint64_t seed = run.random();
    random::Program program = random::generate(seed, device);
    const auto attempt = [&] { return difference(run.session, random::record(program, device)); };
    const Recorded recorded = random::record(program, device);
    ++run.report.kernels;
    for (const Recorded::Array& array : recorded.arrays) run.report.compared += array.after.size();
    if (difference(run.session, recorded).empty()) continue;
    random::shrink(program, [&] { return !attempt().empty(); });
    fail("random kernel %zu, made smaller: %s%s", turn, attempt().c_str(),
         to_text(random::record(program, device)).c_str());
  }
}

[[maybe_unused]] const Register random_registered("random/kernels", 0, random_kernels);

}  // namespace
}  // namespace vdc
