#include "runtime/claim.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace vd::runtime {

MappedError::MappedError(const Access& access)
    : Error(VD_ERR_STATE, fmt::format("bytes {} to {} of {} conflict with a mapping that has not ended",
                                      access.span.begin, access.span.end, access.block->name())),
      access_(access) {}

bool Claim::is_in_the_way(vd_context& context, const Access* accesses, size_t count, const Claim* own) {
  bool claimed = false;
  for (const Claim* claim : context.claims()) {
    if (claim == own) continue;
    const Access* found =
        std::find_if(accesses, accesses + count, [&](const Access& a) { return claim->conflicts(a); });
    if (found == accesses + count) continue;
    if (claim->mapping_) throw MappedError(*found);
    claimed = true;
  }
  return claimed;
}

Claim::Claim(vd_context& context, const Access* accesses, size_t count) : Claim(context, accesses, count, Unlisted()) {
  context.require_callable();
  std::unique_lock lock(context_.order());
  context_.claim_ended().wait(lock, [&] { return !is_in_the_way(context_, accesses_, count_, nullptr); });
  for (size_t i = 0; i < count; ++i) accesses[i].block->usable_memory();
  context_.claims().push_back(this);
}

std::unique_ptr<Claim> Claim::try_make(vd_context& context, const Access* accesses, size_t count,
                                       const std::function<bool()>& wanted) {
  context.require_callable();
  std::unique_lock lock(context.order());
  if (is_in_the_way(context, accesses, count, nullptr)) return nullptr;
  for (size_t i = 0; i < count; ++i) accesses[i].block->usable_memory();
  if (!wanted()) return nullptr;
  std::unique_ptr<Claim> claim(new Claim(context, accesses, count, Unlisted()));
  // The lock is given back before the destructor would take it.
  try {
    context.claims().push_back(claim.get());
  } catch (...) {
    lock.unlock();
    throw;
  }
  return claim;
}

void Claim::give_to_mapping() {
  {
    const std::lock_guard lock(context_.order());
    mapping_ = true;
  }
  context_.claim_ended().notify_all();
}

Claim::~Claim() {
  {
    const std::lock_guard lock(context_.order());
    std::erase(context_.claims(), this);
  }
  context_.claim_ended().notify_all();
}

bool Claim::conflicts(const Access& access) const {
  return std::any_of(accesses_, accesses_ + count_, [&](const Access& mine) {
    return access.block->region() == mine.block->region() && (access.write || mine.write) &&
           access.block->placed(access.span).overlaps(mine.block->placed(mine.span));
  });
}

}  // namespace vd::runtime
