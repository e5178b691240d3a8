// A kernel with its arguments and what they must hold afterwards: what random programs are turned into, and what a file
// of tests/kernels/corpus holds. A file has a line for the launch, one for each argument by its name, and then the text
// of the kernel:
//
//   launch 96 32                                   invocations, workgroup size
//   value ci i32 05000000                          bytes in the order of memory
//   array xi16 i16 in 00ff... out 0100... open 3 5 what it holds before and after; elements that are not compared
//   kernel
//   kernel "k" ...
#pragma once

#include <string>
#include <vector>

#include "session.h"

namespace vdc {

struct Recorded {
  struct Value {
    std::string name;
    vd_type type;
    std::vector<uint8_t> bytes;
  };
  struct Array {
    std::string name;
    vd_type type;
    std::vector<uint8_t> before;
    std::vector<uint8_t> after;  // empty: it is only read
    std::vector<uint32_t> open;  // elements that may hold anything
  };
  std::string text;
  uint32_t invocations = 0, workgroup_size = 0;
  std::vector<Value> values;
  std::vector<Array> arrays;
};

// Runs it and gives what differs, or "". All NaNs are equal, and so are both zeros. `plan_source` gets the printed
// source if it is asked for.
std::string difference(Session& session, const Recorded& recorded, std::string* plan_source = nullptr);

// The features that a kernel's text needs.
vd_features features_of(const Recorded& recorded);

std::string to_text(const Recorded& recorded);
// Throws Failure, naming the line, for what is no such text.
Recorded parse_recorded(const std::string& text);

}  // namespace vdc
