// Two elements share a byte if the sum of one's steps less that of the other's equals the distance of the arrays, up to
// an element's bytes. Steps back are steps forward from the far end, so the question is whether a sum of multiples,
// each between zero and its limit, is in an interval. Dimensions that fill each other's gaps are joined; the others are
// searched from the largest step down, with bounds from what the rest can reach and from the greatest common divisor of
// its steps.
#include "core/overlap.h"

#include <numeric>

namespace vd {
namespace {

// Steps tried before two arrays count as one. Arrays whose dimensions nest take a few.
constexpr int kMostSteps = 1 << 14;

struct Term {
  int64_t step, most;
};

class Search {
 public:
  explicit Search(std::vector<Term> terms) : terms_(std::move(terms)) {
    join();
    std::ranges::sort(terms_, [](const Term& a, const Term& b) { return a.step > b.step; });
    reach_.resize(terms_.size() + 1);
    divisor_.resize(terms_.size() + 1);
    for (size_t i = terms_.size(); i-- > 0;) {
      reach_[i] = reach_[i + 1] + terms_[i].step * terms_[i].most;
      divisor_[i] = std::gcd(divisor_[i + 1], terms_[i].step);
    }
  }

  bool finds(int64_t low, int64_t high) { return finds(0, low, high); }

 private:
  // A term whose steps are multiples of another's, and not larger than that term's reach, makes it longer.
  void join() {
    for (size_t i = 0; i < terms_.size(); ++i) {
      for (size_t j = 0; j < terms_.size(); ++j) {
        const Term &large = terms_[i], &small = terms_[j];
        if (i == j || large.step % small.step != 0 || large.step / small.step - 1 > small.most) continue;
        terms_[j].most += large.step / small.step * large.most;
        terms_.erase(terms_.begin() + static_cast<ptrdiff_t>(i));
        i = ~size_t{0};
        break;
      }
    }
  }

  bool finds(size_t at, int64_t low, int64_t high) {
    low = std::max<int64_t>(low, 0);
    high = std::min(high, reach_[at]);
    if (low > high) return false;
    if (low == 0 || high == reach_[at]) return true;
    const int64_t divisor = divisor_[at];
    if ((low + divisor - 1) / divisor * divisor > high) return false;
    if (at + 1 == terms_.size()) return true;  // a multiple of its step is in there
    const int64_t step = terms_[at].step, rest = reach_[at + 1];
    const int64_t first = low > rest ? (low - rest + step - 1) / step : 0;
    const int64_t last = std::min(high / step, terms_[at].most);
    for (int64_t i = last; i >= first; --i) {
      if (++steps_ > kMostSteps || finds(at + 1, low - i * step, high - i * step)) return true;
    }
    return false;
  }

  std::vector<Term> terms_;
  std::vector<int64_t> reach_;    // of the terms from each on
  std::vector<int64_t> divisor_;  // of their steps
  int steps_ = 0;
};

}  // namespace

bool share_bytes(const StridedBytes& a, const StridedBytes& b) {
  std::vector<Term> terms;
  auto distance = static_cast<int64_t>(b.begin - a.begin);
  for (const StridedBytes* array : {&a, &b}) {
    for (const StridedDim& dim : array->dims) {
      if (dim.count == 0) return false;
      if (dim.count == 1 || dim.stride == 0) continue;
      terms.push_back({static_cast<int64_t>(dim.stride), static_cast<int64_t>(dim.count - 1)});
      if (array == &b) distance += terms.back().step * terms.back().most;
    }
  }
  return Search(std::move(terms))
      .finds(distance - static_cast<int64_t>(a.size - 1), distance + static_cast<int64_t>(b.size - 1));
}

}  // namespace vd
