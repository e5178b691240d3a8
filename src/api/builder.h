// The object behind vd_builder.
#pragma once

#include <string>
#include <unordered_map>

#include "ir/builder.h"

struct vd_builder final : vd::ir::Builder {
  using Builder::Builder;
  // The place that vd_builder_location() gave last, for an error of the next call if that takes none. 0: another call
  // came between.
  vd_location place = 0;
  // The numbers of the arguments that the caller declared. A generator's own may have the same names.
  std::unordered_map<std::string, size_t> argument_names;
};
