// Writes one pass into a builder, and is pulled: next() stops at each element for which a caller's map must be written
// and hands it out; the caller writes into the builder and calls next() again. Without maps one call suffices.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "core/steps.h"
#include "fft/planner.h"
#include "fft/tile.h"

namespace vd::fft {

class Generator {
 public:
  // `arguments` are declared in order, output's first, between the maps' own; hidden ones come last, then the
  // constants' if there are any. All must outlive the generator. `passes`: one, or two whose tiles are taken by ticket.
  Generator(std::span<const PlannedPass> passes, ir::Builder& builder, Table& table);
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  Maps maps;  // have arguments that the caller declares
  std::vector<PassArgument> outputs, inputs, filters, hidden;

  // False when the pass is complete.
  bool next(Element& out);
  // For maps: the pass's own access, on a buffer of the caller's. `address` 0 is the element's own.
  void read(const Element& element, Value buffer, Value address, Value into);
  void write(const Element& element, Value buffer, Value address, Value value);
  // Values that the code has asked for, in the order of its arguments.
  std::vector<LaunchNumber> launch_numbers() const;

 private:
  Steps<Element> write_phases();
  Steps<Element> write_pass(const PlannedPass& pass);
  // The phases behind the source.
  Steps<Element> write_steps(Tile& tile);
  // All phases for one tile after the other, of which the next is read ahead.
  Steps<Element> write_tiles(Tile& tile);
  // Two passes, of whose tiles a workgroup takes one.
  Steps<Element> write_by_ticket(const Buffers& buffers);
  std::array<Value, 2> declare_shared();
  Steps<Element> declare(Buffers& to);
  void declare(const std::vector<PassArgument>& list, std::vector<Value>& to);

  const std::span<const PlannedPass> passes_;
  ComplexWriter c_;
  std::deque<LaunchValues> launch_values_;  // of each pass
  Table& table_;
  std::optional<Tile> tile_;
  Steps<Element> steps_;
};

}  // namespace vd::fft
