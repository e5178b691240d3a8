// Reads the elements of lines, each invocation its own; or a workgroup's lines as one row, if the layout says so.
#pragma once

#include "fft/factor.h"
#include "fft/phase.h"

namespace vd::fft {

struct Reading {
  Side side;
  Factors factors{};    // that elements are multiplied by
  bool mapped = false;  // the caller writes the accesses
};

class Read final : public Source {
 public:
  explicit Read(Reading what) : what_(std::move(what)) {}
  const Side& side() const override { return what_.side; }
  bool is_row(const PassDesc& desc) const override;
  bool reads_ahead() const override { return !what_.mapped && !what_.side.real && !what_.side.packed; }
  void copy_ahead(Tile& tile) const override;
  Demands demands(const PassDesc&) const override {
    return {.mapped = what_.mapped, .real = what_.side.real, .factors = !what_.factors.empty()};
  }
  Traffic traffic(const PassDesc& desc) const override;
  std::vector<Access> accesses(const PassDesc& desc) const override;
  Steps<Element> write(Tile& tile) const override;

 private:
  const Reading what_;
};

}  // namespace vd::fft
