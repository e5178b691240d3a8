// Writes one pass into a builder, and is pulled: next() stops at each element for which a caller's map must be written
// and hands it out; the caller writes into the builder and calls next() again. Without maps one call suffices.
#pragma once

#include <optional>
#include <vector>

#include "core/steps.h"
#include "fft/tile.h"

namespace vd::fft {

class Generator {
 public:
  // `arguments` are declared in order, output's first, between the maps' own; hidden ones come last, then the
  // constants' if there are any. All must outlive the generator.
  Generator(const PassDesc& desc, const Layout& layout, ir::Builder& builder, Table& table);
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  Maps maps;  // have arguments that the caller declares
  std::vector<PassArgument> outputs, inputs, filters, hidden;

  // False when the pass is complete.
  bool next(Element& out);
  // For maps: the pass's own access, on a buffer of the caller's. `address` 0 is the element's own.
  void read(const Element& element, Value buffer, Value address, Value into);
  void write(const Element& element, Value buffer, Value address, Value value);
  // Values that the pass's code has asked for.
  const LaunchValues& launch_values() const { return launch_values_; }

 private:
  Steps<Element> write_phases();
  // The phases behind the source.
  Steps<Element> write_steps(Tile& tile);
  // All phases for one tile after the other, of which the next is read ahead.
  Steps<Element> write_tiles(Tile& tile);
  Steps<Element> declare(Buffers& to);
  void declare(const std::vector<PassArgument>& list, std::vector<Value>& to);

  const PassDesc& desc_;
  const Layout& layout_;
  ComplexWriter c_;
  LaunchValues launch_values_;
  Table& table_;
  std::optional<Tile> tile_;
  Steps<Element> steps_;
};

}  // namespace vd::fft
