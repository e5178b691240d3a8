// The ops for any processor.
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "backends/host/half.h"
#include "backends/host/pure.h"

namespace vd::host::base {
#include "backends/host/pure.inl"
}  // namespace vd::host::base

namespace vd::host {

const OpTable& base_table() {
  static const OpTable table = [] {
    OpTable t;
    t.name = "base";
    base::fill(t);
    add_math(t);
    return t;
  }();
  return table;
}

}  // namespace vd::host
