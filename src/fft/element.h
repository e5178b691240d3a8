// The elements at which the writing of a pass stops, for a caller's map.
#pragma once

#include <cstdint>
#include <string>

#include "fft/side.h"
#include "ir/kernel_writer.h"
#include "ir/type.h"

namespace vd::fft {

using ir::Value;

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
  uint32_t instance = 0;       // number of the filter
  Value position = 0;          // along the axis, of the whole transform
  Value address = 0;           // in natural order
  Value value = 0;             // a variable of the compute type
  const Side* side = nullptr;  // where the element is
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

}  // namespace vd::fft
