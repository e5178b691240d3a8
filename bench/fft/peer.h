// Another library's transforms of the same arrays, in place.
#pragma once

#include <cstdint>

#include "cases.h"

namespace bench {

class Peer {
 public:
  virtual ~Peer() = default;
  // Whether it can do that; says why not on standard error. Data are of the case's precision from then on. Called on any
  // thread.
  virtual bool prepare(const Case& c) = 0;
  virtual void reset() = 0;  // fresh data
  // So many transforms, done when it returns. What is recorded for that is no part of the time.
  virtual void record(int iterations) { (void)iterations; }
  virtual void run(int iterations) = 0;
  virtual void read(uint64_t offset, uint64_t bytes, void* to) = 0;
  // Factor by which the data were multiplied, so that repeated transforms stay finite: results are not divided. A power
  // of two, so that it rounds none of them.
  static constexpr double kSmall = 0x1p-100;
};

}  // namespace bench
