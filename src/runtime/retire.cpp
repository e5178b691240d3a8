#include "runtime/retire.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/driver_thread.h"
#include "runtime/memory.h"

namespace vd::runtime {

Retired::Retired(LastUse last, std::unique_ptr<backends::Executable> an_executable,
                 std::shared_ptr<backends::Module> a_module, std::unique_ptr<backends::Memory> a_memory,
                 std::unique_ptr<Release> a_release)
    : last_use(std::move(last)),
      executable(std::move(an_executable)),
      module(std::move(a_module)),
      memory(std::move(a_memory)),
      release(std::move(a_release)) {}
Retired::Retired(Retired&& other) noexcept = default;
Retired& Retired::operator=(Retired&& other) noexcept = default;
Retired::~Retired() {
  executable.reset();
  module.reset();
  memory.reset();
}

void RetireList::expect() {
  std::lock_guard lock(mutex_);
  if (list_.capacity() <= expected_) list_.reserve(std::max<size_t>(64, 2 * expected_));
  ++expected_;
}

void RetireList::add(Retired retired) noexcept {
  std::lock_guard lock(mutex_);
  list_.push_back(std::move(retired));
  size_.store(list_.size(), std::memory_order_release);
}

void RetireList::collect(bool all) noexcept {
  if (empty()) return;  // as after nearly every launch
  if (all) asked_.store(true);
  if (on_driver_thread()) return;  // the next one has it to do
  do {
    const std::unique_lock collecting(collecting_, std::try_to_lock);
    if (!collecting) return;  // whoever does so now sees that all were asked for
    collect_now(asked_.exchange(false));
  } while (asked_.load());
}

void RetireList::collect_now(bool all) noexcept {
  try {
    LastUse done(queue_count_);
    uint64_t news = 0;
    for (uint32_t q = 0; q < queue_count_; ++q) {
      done[q] = completed_(q);
      news += std::min<uint64_t>(done[q] - seen_[q], std::numeric_limits<uint32_t>::max());
    }
    const auto is_done = [&](const Retired& r) {
      for (size_t q = 0; q < r.last_use.size(); ++q) {
        if (r.last_use[q] > done[q]) return false;
      }
      return true;
    };
    std::vector<Retired> finished;
    {
      std::lock_guard lock(mutex_);
      news += list_.size() - left_;
      if (!all && news * 8 < list_.size()) return;
      const auto rest = std::stable_partition(list_.begin(), list_.end(), is_done);
      finished.assign(std::make_move_iterator(list_.begin()), std::make_move_iterator(rest));
      list_.erase(list_.begin(), rest);
      size_.store(list_.size(), std::memory_order_release);
      expected_ -= finished.size();
      left_ = list_.size();
    }
    seen_ = std::move(done);
    for (Retired& r : finished) r = Retired{};
  } catch (...) {
    // No memory to sort the list with: it is looked at again next time.
  }
}

void RetireList::clear() noexcept {
  std::lock_guard collecting(collecting_);
  std::vector<Retired> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(list_);
    size_.store(0, std::memory_order_release);
    expected_ -= all.size();
    left_ = 0;
  }
  for (Retired& r : all) r = Retired{};
}

}  // namespace vd::runtime
