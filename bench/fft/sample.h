// Lines of a result whose exact values are known.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <vector>

#include "cases.h"
#include "contents.h"
#include "reference.h"

namespace bench {

struct Sample {
  uint64_t first = 0, stride = 1;  // complex numbers
  std::vector<Exact> want;         // without any scale
};

std::vector<Sample> make_samples(const Case& c, const Contents& contents);

// The samples of each case in its turn. Other threads make those of the cases that follow, for the largest take seconds.
class SamplesAhead {
 public:
  SamplesAhead(const std::vector<Case>& cases, const Contents& contents);
  std::vector<Sample> next();

 private:
  void begin_next();

  const std::vector<Case>& cases_;
  const Contents& contents_;
  size_t begun_ = 0;
  std::deque<std::future<std::vector<Sample>>> ahead_;
};

using Reader = std::function<void(uint64_t offset, uint64_t bytes, void* to)>;
// Relative L2 distance of the worst of the first `count` samples. `scale`: what a result was multiplied by.
double worst(const std::vector<Sample>& samples, size_t count, Precision precision, long double scale,
             const Reader& read);

}  // namespace bench
