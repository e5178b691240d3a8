// As phases/pairs.h, for real lines that do not fit a workgroup: half a spectrum of n + 1 numbers is computed from the n
// of a complex line, or the other way round, between number k and its mirror image n - k. They lie in two lines of the
// pass, which a workgroup takes together (Demands::mirrored).
#pragma once

#include <vector>

#include "fft/tile.h"

namespace vd::fft {

// Reads both of each pair.
class ReadHalfSpectrum final : public Source {
 public:
  explicit ReadHalfSpectrum(Side spectrum) : side_(spectrum) {}
  const Side& side() const override { return side_; }
  Demands demands(const PassDesc& desc) const override;
  Traffic traffic(const PassDesc& desc) const override;
  std::string text() const override { return ", from half a spectrum"; }
  std::vector<Access> accesses(const PassDesc& desc) const override;
  Steps<Element> write(Tile& tile) const override;

 private:
  const Side side_;
};

// Numbers meet their mirror images in shared memory.
class WriteHalfSpectrum final : public Target {
 public:
  WriteHalfSpectrum(Side spectrum, double scale) : side_(spectrum), scale_(scale) {}
  const Side& side() const override { return side_; }
  Demands demands(const PassDesc& desc) const override;
  Traffic traffic(const PassDesc& desc) const override;
  std::string text() const override { return ", to half a spectrum"; }
  std::vector<Access> accesses(const PassDesc& desc) const override;
  Steps<Element> write(Tile& tile) const override;

 private:
  std::vector<Complex> mirror_images(Tile& tile) const;

  const Side side_;
  const double scale_;
};

}  // namespace vd::fft
