#include "runtime/module_cache.h"

#include "runtime/context.h"
#include "runtime/memory.h"

namespace vd::runtime {
namespace {
constexpr size_t kKept = 64;            // modules that live on without a plan; lavapipe takes 3-10 MB for each
constexpr size_t kSlotsAtFirst = 1024;  // keys before those without a module are forgotten
}  // namespace

Compiled::Compiled(vd_context& context, std::shared_ptr<backends::Module> module)
    : last_use(context.queue_count(), 0), context_(context), module_(std::move(module)) {
  context_.retired().expect();
}

Compiled::~Compiled() {
  context_.retired().add({std::move(last_use), nullptr, std::move(module_), nullptr});
  context_.retired().collect();
}

std::shared_ptr<Compiled> ModuleCache::get(const Hash128& key, const std::function<std::shared_ptr<Compiled>()>& make,
                                           bool stays) {
  std::shared_ptr<Compiled> found = find_or_make(key, make);
  if (!stays) return found;
  const std::lock_guard lock(mutex_);
  staying_.emplace(key, found);
  return found;
}

std::shared_ptr<Compiled> ModuleCache::find_or_make(const Hash128& key,
                                                    const std::function<std::shared_ptr<Compiled>()>& make) {
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex_);
    if (entries_.size() >= kSlotsAtFirst) forget_unused();
    auto& place = entries_[key];
    if (!place) place = std::make_shared<Entry>();
    entry = place;
  }
  std::lock_guard compiling(entry->mutex);
  if (auto found = entry->compiled.lock()) return found;
  std::shared_ptr<Compiled> made = make();
  entry->compiled = made;
  std::shared_ptr<Compiled> oldest;  // let go without the lock
  std::lock_guard lock(mutex_);
  kept_.push_back(made);
  if (kept_.size() > kKept) {
    oldest = std::move(kept_.front());
    kept_.pop_front();
  }
  return made;
}

void ModuleCache::forget_unused() {
  std::erase_if(entries_,
                [](const auto& entry) { return entry.second.use_count() == 1 && entry.second->compiled.expired(); });
}

void ModuleCache::clear() {
  std::list<std::shared_ptr<Compiled>> kept;  // an empty deque allocates
  decltype(staying_) staying;
  std::lock_guard lock(mutex_);
  kept.swap(kept_);
  staying.swap(staying_);
  entries_.clear();
}

}  // namespace vd::runtime
