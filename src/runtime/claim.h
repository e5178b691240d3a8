// Claims on memory, and the error of work that a mapping is in the way of.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "core/error.h"
#include "runtime/context.h"
#include "runtime/memory.h"

namespace vd::runtime {

// Error of work that conflicts with a mapping. A caller that knows which argument has the access names it.
class MappedError final : public Error {
 public:
  explicit MappedError(const Access& access);
  const Access& access() const { return access_; }  // one of those that the work was given with

 private:
  Access access_;
};

// A claim on memory, for work that takes longer to submit than the order lock may be held. As long as a claim lives,
// other work that conflicts with it waits for its end: all work under a claim is one step in the order of work. A claim
// that a mapping holds may last for ever, so other work reports an error instead.
class Claim {
 public:
  // Waits for other claims that it conflicts with: hence before anything is taken that another may wait for. The uses
  // live as long. Throws VD_ERR_STATE for memory that is mapped or was discarded: before any part of the work is done.
  Claim(vd_context& context, const Access* accesses, size_t count);
  // The same without waiting: nothing where it would have to, or where `wanted`, called under the order lock, says so.
  static std::unique_ptr<Claim> try_make(vd_context& context, const Access* accesses, size_t count,
                                         const std::function<bool()>& wanted);
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim();

  // Work that waits for the claim, and all that comes later, reports an error.
  void give_to_mapping();

  bool conflicts(const Access& access) const;

  // Whether a claim other than `own` is in the way of these accesses; throws if a mapping is. Under the order lock.
  static bool is_in_the_way(vd_context& context, const Access* accesses, size_t count, const Claim* own);

 private:
  struct Unlisted {};
  Claim(vd_context& context, const Access* accesses, size_t count, Unlisted)
      : context_(context), accesses_(accesses), count_(count) {}

  vd_context& context_;
  const Access* const accesses_;
  const size_t count_;
  bool mapping_ = false;  // under the order lock
};

}  // namespace vd::runtime
