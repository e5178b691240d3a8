#include "fft/kept_choices.h"

#include <span>
#include <string>

#include "core/error.h"
#include "core/log.h"
#include "core/options.h"
#include "fft/candidate_words.h"

namespace vd::fft {
namespace {

// Results of other versions are not comparable.
constexpr uint32_t kVersion = 3;

}  // namespace

DiskCache::Key KeptChoices::key(const Hash128& pass, uint32_t level) const {
  Hasher hasher;
  hasher.add(what_).add(kVersion).add(info_.backend).add(std::string_view(info_.name)).add(info_.driver_version);
  for (const uint32_t part : info_.api_version) hasher.add(part);
  hasher.add(std::as_bytes(std::span(info_.uuid)));
  hasher.add(option("fft_tune").value_or(""));
  return hasher.add(pass).add(level).finish();
}

std::optional<Candidate> KeptChoices::load(const Hash128& pass, const PassDesc& desc, uint32_t level) {
  const auto bytes = disk_.load(key(pass, level));
  if (!bytes) return {};
  const std::string_view words(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  try {
    return read_candidate(words, desc.n, desc.rows);
  } catch (const Error& error) {
    log_info("the cache's choice for lines of {} is damaged and is made again: {}", desc.n, error.what());
    return {};
  }
}

void KeptChoices::store(const Hash128& pass, const Candidate& candidate, uint32_t level) {
  const std::string words = words_of(candidate);
  disk_.store(key(pass, level), std::as_bytes(std::span(words)));
}

}  // namespace vd::fft
