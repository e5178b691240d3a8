// The object behind vd_builder.
#pragma once

#include "ir/builder.h"

struct vd_builder final : vd::ir::Builder {
  using Builder::Builder;
};
