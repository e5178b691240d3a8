#include "fft/record.h"

#include <algorithm>

namespace vd::fft {
namespace {

// Usual ones were measured with as many registers as a line usually has, and single precision.
bool takes_usual(const PassDesc& desc, const Limits& limits, bool columns) {
  const Tuning& t = limits.tuning;
  const Demands demanded = demands(desc);
  return limits.leaves_registers() && t.registers == 0 && t.radices.empty() && desc.compute == ir::Scalar::F32 &&
         !demanded.whole_lines && (!demanded.back || columns);
}

bool fits_invocations(const Record& record, const Limits& limits) {
  const Candidate& candidate = record.candidate;
  return uint64_t{candidate.radices.invocations} * candidate.lines <= limits.invocations;
}

template <class Visit>
void each_record(const PassDesc& desc, const Limits& limits, Record::Kind kind, bool columns, Visit&& visit) {
  for (const std::shared_ptr<const RecordFile>& file : records(limits).files) {
    const auto [first, last] = file->records.equal_range(desc.n);
    for (auto at = first; at != last; ++at) {
      const Record& record = at->second;
      if (record.kind == kind && fits_invocations(record, limits) && record.conditions.hold(desc, limits, columns) &&
          !visit(record))
        return;
    }
  }
}

}  // namespace

bool RecordFile::is_for(const vd_device_info& info) const {
  return (backend == VD_BACKEND_AUTO || backend == info.backend) && (any || device == info.name);
}

const Record* find_usual(const PassDesc& desc, const Limits& limits, bool columns) {
  if (!takes_usual(desc, limits, columns)) return nullptr;
  const Record* found = nullptr;
  each_record(desc, limits, Record::Kind::Usual, columns, [&](const Record& record) {
    found = &record;
    return false;
  });
  return found;
}

std::vector<const Record*> find_choices(const PassDesc& desc, const Limits& limits) {
  std::vector<const Record*> found;
  each_record(desc, limits, Record::Kind::Choice, reads_columns(desc), [&](const Record& record) {
    found.push_back(&record);
    return true;
  });
  return found;
}

bool follows_usual(const PassDesc& desc, const Limits& limits, const Layout& layout) {
  const Record* record = find_usual(desc, limits, layout.columns);
  if (record == nullptr) return false;
  const Candidate& candidate = record->candidate;
  const RadixPlan &radices = candidate.radices, &taken = layout.radices;
  return radices.text() == taken.text() && radices.invocations == taken.invocations &&
         radices.cluster == taken.cluster && candidate.parts == layout.exchange.parts &&
         (!record->lines || candidate.lines == layout.lines) &&
         (!record->planar || candidate.planar == layout.exchange.planar);
}

}  // namespace vd::fft
