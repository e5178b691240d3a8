// Writes one pass into a builder, and is pulled: next() stops at each element for which a caller's map must be written
// and hands it out; the caller writes into the builder and calls next() again. Without maps one call suffices.
#pragma once

#include <vector>

#include "core/steps.h"
#include "fft/assignment.h"
#include "fft/engine.h"
#include "fft/pass.h"

namespace vd::fft {

// The points at which next() stops.
enum class Point : uint8_t {
  Arguments,  // declare the map's arguments, in this order
  Read,       // load the element into `value`
  Filter,     // change `value`, between forward and inverse transform
  Write,      // put `value` somewhere
};

struct Element {
  Point point = Point::Arguments;
  uint32_t part = 0;           // Arguments: 0 output, 1 input, 2 middle
  uint32_t id = 0, count = 0;  // of the elements that this invocation reads or writes
  uint32_t instance = 0;       // of desc.instances
  Value position = 0;          // along the axis, of the whole transform
  Value address = 0;           // in natural order
  Value value = 0;             // a variable of the compute type
};

// Parts of a transform.
struct Maps {
  bool output = false, input = false, filter = false;
};

// A buffer argument that the pass declares itself.
struct PassArgument {
  std::string name;
  ir::Type element;
};

class Generator {
 public:
  // `arguments` are declared in order, output's first, between the maps' own; hidden ones come last, then the
  // constants' if there are any. All must outlive the generator.
  Generator(const PassDesc& desc, const Layout& layout, ir::Builder& builder, Table& table);
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  Maps maps;     // have arguments that the caller declares
  Maps applied;  // and are written in this pass
  std::vector<PassArgument> outputs, inputs, filters, hidden;

  // False when the pass is complete.
  bool next(Element& out);
  // For maps: the pass's own access, on a buffer of the caller's. `address` 0 is the element's own.
  void read(const Element& element, Value buffer, Value address, Value into);
  void write(const Element& element, Value buffer, Value address, Value value);

 private:
  struct LineAddress : Assignment {
    Value interleaved = 0;              // one coordinate for the batches that are
    Value in = 0, filter = 0, out = 0;  // address of the line's position 0
  };

  Steps<Element> emit();
  void declare(const std::vector<PassArgument>& list, std::vector<Value>& to);
  LineAddress find_line_address();
  Value base(const Side& side, uint64_t Batch::*stride, const std::vector<Value>& coordinates, bool mapped);
  // The element number of a side that a position of this pass is.
  Value number(const Side& side, Value position);
  Value address(const Side& side, Value base, const RegisterSlot& slot);
  // The position of a number of a real line's spectrum in the half that is stored.
  Value mirrored(const Side& side, Value number);
  // The condition that the side has this element; 0: it always has, and kNever: it never has. A map is traced for every
  // element of a line: it checks the range itself.
  Value inside(const Side& side, Value number, const RegisterSlot* slot = nullptr, bool mapped = false);
  Value buffer(const Side& side) const { return side.hidden ? hidden_[side.argument] : arguments_[side.argument]; }
  Complex load(const Side& side, Value buffer, Value at, Value number);
  void store(const Side& side, Value buffer, Value at, Complex value);
  // The lines of a workgroup as one row: the elements of each invocation, and the condition that each exists.
  struct RowElement {
    Value address;
    Position place;
    Value in_range;
  };
  std::vector<RowElement> row(const Side& side);
  std::vector<Complex> load_row(const std::vector<RegisterSlot>& slots, Value shared);
  void store_row(const std::vector<RegisterSlot>& slots, const std::vector<Complex>& values, Value shared,
                 Engine& engine);
  Value row_address(const Position& position);
  // Half spectra: position k and its mirror image n - k, for each k of an invocation.
  struct Pair {
    Value k, mirror;           // mirror: n - k
    Value in_range, distinct;  // conditions that this k exists, and that its mirror image is another element
    Value address, mirror_address;
    uint32_t known = 0;  // k is lane + this
  };
  std::vector<Pair> pairs(const Side& side, Value base);
  uint32_t pair_roots();
  std::vector<Complex> load_pairs(const std::vector<RegisterSlot>& slots, Value shared);
  void store_pairs(const std::vector<RegisterSlot>& slots, const std::vector<Complex>& values, Value shared,
                   Engine& engine);
  // `number` of the side where the factor is applied.
  Complex factor(const Factor& factor, Value position, Value number);
  Complex apply(const Factor& factor, Value position, Value number, Complex value);

  const PassDesc& desc_;
  const Layout& layout_;
  ComplexWriter c_;
  Table& table_;
  std::vector<Value> arguments_, hidden_;
  Value table_buffer_ = 0;
  LineAddress assignment_;
  Steps<Element> steps_;
};

}  // namespace vd::fft
