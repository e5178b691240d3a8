// Writes the elements of lines, each invocation its own; or a workgroup's lines as one row, if the layout says so.
#pragma once

#include "fft/factor.h"
#include "fft/phases/filters.h"

namespace vd::fft {

class SlotFactors;

struct Writing {
  Side side{};  // side.instance: between the copies' results
  Factors factors{};
  double scale = 1;
  bool mapped = false;  // the caller writes the accesses
};

class Write : public Target {
 public:
  explicit Write(Writing what) : what_(std::move(what)) {}
  const Side& side() const override { return what_.side; }
  bool is_row(const PassDesc& desc) const override;
  Demands demands(const PassDesc&) const override {
    return {.mapped = what_.mapped, .real = what_.side.real, .factors = !what_.factors.empty()};
  }
  Traffic traffic(const PassDesc& desc) const override;
  std::vector<Access> accesses(const PassDesc& desc) const override;
  Steps<Element> write(Tile& tile) const override;

 protected:
  // The condition that the element is written, for which its block is opened; kNever: it is not.
  Value begin(Tile& tile, const RegisterSlot& slot, Value number) const;
  Complex value(Tile& tile, const SlotFactors& factors, size_t i, Value number) const;

  const Writing what_;
};

// Writes each element times those of several filters, one result for each.
class WriteProducts final : public Write {
 public:
  WriteProducts(Writing what, Filters filters) : Write(std::move(what)), filters_(filters) {}
  bool is_row(const PassDesc&) const override { return false; }
  Demands demands(const PassDesc& desc) const override;
  Traffic traffic(const PassDesc& desc) const override;
  std::string text() const override;
  std::vector<Access> accesses(const PassDesc& desc) const override;
  Steps<Element> write(Tile& tile) const override;

 private:
  const Filters filters_;
};

}  // namespace vd::fft
