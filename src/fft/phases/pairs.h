// A real line of 2 n numbers as a complex one of n: its other side is a half spectrum of n + 1 numbers, which is
// computed from the complex one's, or the other way round, between a position k and its mirror image n - k. Both lie in
// shared memory. Where lines are rows, a workgroup's invocations take the pairs of all its lines one after the other.
#pragma once

#include "fft/phase.h"

namespace vd::fft {

class ReadPairs final : public Source {
 public:
  explicit ReadPairs(Side spectrum) : side_(spectrum) {}
  const Side& side() const override { return side_; }
  bool is_row(const PassDesc& desc) const override;
  // Two numbers and their root at once.
  Demands demands(const PassDesc&) const override { return {.whole_lines = true, .words = 8}; }
  Traffic traffic(const PassDesc& desc) const override;
  std::string text() const override { return ", packed real lines"; }
  std::vector<Access> accesses(const PassDesc& desc) const override;
  Steps<Element> write(Tile& tile) const override;

 private:
  const Side side_;
};

class WritePairs final : public Target {
 public:
  WritePairs(Side spectrum, double scale) : side_(spectrum), scale_(scale) {}
  const Side& side() const override { return side_; }
  bool is_row(const PassDesc& desc) const override;
  Demands demands(const PassDesc&) const override { return {.whole_lines = true}; }
  Traffic traffic(const PassDesc& desc) const override;
  std::string text() const override { return ", packed real lines"; }
  std::vector<Access> accesses(const PassDesc& desc) const override;
  Steps<Element> write(Tile& tile) const override;

 private:
  const Side side_;
  const double scale_;
};

}  // namespace vd::fft
