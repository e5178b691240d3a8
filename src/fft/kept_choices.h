// Candidates that a device's measurements or compiler chose for passes, in the cache folder by device and driver.
#pragma once

#include <optional>
#include <string_view>

#include "core/disk_cache.h"
#include "core/hash.h"
#include "fft/candidate.h"

namespace vd::fft {

class KeptChoices {
 public:
  // `what` chose them; both outlive the object.
  KeptChoices(DiskCache& disk, const vd_device_info& info, std::string_view what)
      : disk_(disk), info_(info), what_(what) {}

  // `pass`: the key of the pass and of all else that the choice follows from; `level`: of the effort.
  std::optional<Candidate> load(const Hash128& pass, const PassDesc& desc, uint32_t level = 0);
  void store(const Hash128& pass, const Candidate& candidate, uint32_t level = 0);

 private:
  DiskCache::Key key(const Hash128& pass, uint32_t level) const;

  DiskCache& disk_;
  const vd_device_info& info_;
  const std::string_view what_;
};

}  // namespace vd::fft
