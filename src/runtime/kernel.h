// The object behind vd_kernel: finished code and its hash.
#pragma once

#include <utility>

#include "core/hash.h"
#include "core/object.h"
#include "ir/kernel.h"

struct vd_kernel final : vd::Object {
  vd_kernel(vd::ir::Kernel code, const vd::Hash128& hash) : code(std::move(code)), hash(hash) {}
  const vd::ir::Kernel code;  // verified and analysed
  const vd::Hash128 hash;     // names and places do not enter
};
