#include "ir/kernel.h"

#include <algorithm>
#include <functional>

namespace vd::ir {

ValueId Kernel::add(Op op, Type type, std::span<const ValueId> args, uint64_t immediate, uint32_t location) {
  Inst inst;
  inst.op = op;
  inst.type = type;
  inst.immediate = immediate;
  inst.location = location;
  inst.first_operand = static_cast<uint32_t>(operands.size());
  inst.operand_count = static_cast<uint32_t>(args.size());
  // `args` may point into `operands` itself, which moves when it grows.
  const bool inside = !args.empty() && std::greater_equal<>()(args.data(), operands.data()) &&
                      std::less<>()(args.data(), operands.data() + operands.size());
  const size_t place = inside ? static_cast<size_t>(args.data() - operands.data()) : 0;
  const size_t count = args.size();
  operands.resize(operands.size() + count);
  const ValueId* source = inside ? operands.data() + place : args.data();
  std::copy(source, source + count, operands.end() - static_cast<ptrdiff_t>(count));
  insts.push_back(inst);
  return static_cast<ValueId>(insts.size() - 1);
}

RegionId Kernel::add_region() {
  regions.emplace_back();
  return static_cast<RegionId>(regions.size() - 1);
}

}  // namespace vd::ir
