// The peer: cuFFT in place on memory of the CUDA driver, opened at run time. It also holds a CUDA context, which keeps
// the clock of the multiprocessors up while another interface is measured.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cases.h"

namespace bench {

class Cufft {
 public:
  // Null where there is no driver or no cuFFT; says why on standard error.
  static std::unique_ptr<Cufft> open(uint64_t bytes, const std::vector<float>& data);
  virtual ~Cufft() = default;
  virtual bool prepare(const Case& c) = 0;
  virtual void reset() = 0;  // fresh data
  virtual void run(int iterations) = 0;
  virtual void wait() = 0;
  virtual void read(uint64_t offset, uint64_t bytes, void* to) = 0;
  // A copy of the array onto another, for what the memory gives.
  virtual void copy() = 0;
  // What the data were multiplied by when they were taken, so that repeated transforms stay finite.
  static constexpr float kSmall = 1e-30f;
};

}  // namespace bench
