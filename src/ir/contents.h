// The types that a type contains, at every depth.
#pragma once

#include <bit>
#include <cstdint>

#include "ir/type.h"

namespace vd::ir {

// The most scalars of a variable, or of a value that is loaded, stored or made. Buffers and shared arrays have no such
// limit: they are loaded in pieces.
inline constexpr uint64_t kMaxScalars = 1 << 16;

struct Contents {
  uint64_t scalars = 0;  // how many; of a runtime array none
  uint32_t kinds = 0;    // bit i for scalars of kind Scalar(i)

  bool holds(Scalar s) const { return (kinds >> static_cast<uint32_t>(s) & 1) != 0; }
  // Calls f(scalar) for each kind.
  template <class F>
  void each_kind(F&& f) const {
    for (uint32_t rest = kinds; rest != 0; rest &= rest - 1) f(static_cast<Scalar>(std::countr_zero(rest)));
  }
};

// Each type is looked at once: a struct of structs may hold far more scalars than anybody can count one by one.
Contents contents_of(const TypeTable& types, Type type);

}  // namespace vd::ir
