#include "ir/emitter.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "core/error.h"
#include "ir/fold.h"
#include "ir/half.h"
#include "ir/type_rules.h"

namespace vd::ir {

uint64_t scalar_bits_of(Scalar scalar, double value) {
  switch (scalar) {
    case Scalar::Bool:
      return value != 0;
    case Scalar::F16:
      return double_to_half(value);
    case Scalar::F32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case Scalar::F64:
      return std::bit_cast<uint64_t>(value);
    default: {
      const uint64_t bits =
          value < 0 ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
      const uint32_t width = scalar_bits(scalar);
      return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
    }
  }
}

Emitter::Emitter(Kernel& kernel, RegionId region)
    : kernel_(kernel), region_(region == kNoRegion ? kernel.body : region) {}

ValueId Emitter::append(const Inst& inst, std::span<const ValueId> operands) {
  const ValueId id = kernel_.add(inst.op, inst.type, operands, inst.immediate, inst.location);
  kernel_.insts[id].regions = inst.regions;
  if (!op_info(inst.op).has(kLeaf)) kernel_.regions[region_].insts.push_back(id);
  return id;
}

ValueId Emitter::leaf(Op op, Type type, uint64_t immediate) {
  const auto [place, added] = leaves_.try_emplace({op, type, immediate}, kNoValue);
  if (added) place->second = kernel_.add(op, type, {}, immediate);
  return place->second;
}

ValueId Emitter::emit(Op op, Type type, std::span<const ValueId> operands, uint64_t immediate) {
  const OpInfo& info = op_info(op);
  if (info.has(kLeaf)) return leaf(op, type, immediate);
  if (info.has(kFloat) && (immediate & kClassBits) == 0) immediate |= math_class;
  types_.clear();
  for (const ValueId operand : operands) types_.push_back(kernel_.insts[operand].type);
  if (info.operands != OperandRule::Return) type = result_type(kernel_.types, op, type, types_, immediate);
  if (folding && info.is_pure()) {
    // Folding may emit, and so move the kernel's operands.
    const ValueId* const pool = kernel_.operands.data();
    std::vector<ValueId> copy;
    if (operands.data() >= pool && operands.data() < pool + kernel_.operands.size()) {
      copy.assign(operands.begin(), operands.end());
      operands = copy;
    }
    if (const ValueId folded = fold_op(*this, op, type, operands, immediate); folded != kNoValue) return folded;
  }
  const ValueId id = kernel_.add(op, type, operands, immediate, location);
  kernel_.regions[region_].insts.push_back(id);
  return id;
}

ValueId Emitter::bits(Type type, uint64_t scalar_bits) { return leaf(VD_OP_CONST, type, scalar_bits); }

ValueId Emitter::constant(Type type, double value) { return bits(type, scalar_bits_of(type.scalar(), value)); }

ValueId Emitter::zero(Type type) {
  return type.is_matrix() || type.is_array() || type.is_struct() ? leaf(VD_OP_ZERO, type, 0) : bits(type, 0);
}

ValueId Emitter::components(Type type, std::span<const uint64_t> scalars) {
  bool equal = true, zero = true;
  for (size_t i = 0; i < scalars.size(); ++i) {
    // A complex constant of one scalar has its imaginary part zero.
    equal &= type.is_complex() && i > 0 ? scalars[i] == 0 : scalars[i] == scalars[0];
    zero &= scalars[i] == 0;
  }
  if (zero) return this->zero(type);
  if (equal && !type.is_matrix()) return bits(type, scalars[0]);
  const uint32_t size = scalar_size(type.scalar());
  std::vector<std::byte> data(size * scalars.size());
  for (size_t i = 0; i < scalars.size(); ++i) std::memcpy(data.data() + i * size, &scalars[i], size);  // little endian
  return bytes(type, data);
}

ValueId Emitter::bytes(Type type, std::span<const std::byte> data) {
  const auto key = [](Type t, std::span<const std::byte> d) {
    const std::string_view text(reinterpret_cast<const char*>(d.data()), d.size());
    return std::hash<std::string_view>()(text) ^ t.bits();
  };
  for (; known_constants_ < kernel_.constants.size(); ++known_constants_) {
    const Constant& constant = kernel_.constants[known_constants_];
    constants_.emplace(key(constant.type, constant.bytes), known_constants_);
  }
  const auto [first, last] = constants_.equal_range(key(type, data));
  for (auto at = first; at != last; ++at) {
    const Constant& other = kernel_.constants[at->second];
    if (other.type == type && std::ranges::equal(other.bytes, data)) return leaf(kOpConstant, type, at->second);
  }
  kernel_.constants.push_back({type, {data.begin(), data.end()}});
  return leaf(kOpConstant, type, kernel_.constants.size() - 1);
}

ValueId Emitter::view(ValueId of, Type element) {
  const auto from = kernel_.types.get_array(type(of));
  const uint64_t size = kernel_.types.size(element);
  const uint32_t count = from.count == 0 || size == 0 ? 0 : static_cast<uint32_t>(from.size / size);
  return emit(VD_OP_VIEW, kernel_.types.array(element, count).in(type(of).space()), {of});
}

ValueId Emitter::open(Op op, Type type, std::span<const ValueId> operands, uint64_t immediate, int region) {
  const ValueId id = kernel_.add(op, type, operands, immediate, location);
  kernel_.regions[region_].insts.push_back(id);
  const RegionId inner = kernel_.add_region();
  kernel_.insts[id].regions[region] = inner;
  blocks_.push_back({id, region_});
  region_ = inner;
  return id;
}

ValueId Emitter::begin_if(ValueId condition) { return open(VD_OP_IF, Type(), {&condition, 1}, 0, 0); }

void Emitter::begin_else() {
  const RegionId inner = kernel_.add_region();
  kernel_.insts[blocks_.back().inst].regions[1] = inner;
  region_ = inner;
}

void Emitter::begin_while(uint64_t immediate) {
  const ValueId none = kNoValue;
  open(VD_OP_WHILE, Type(), {&none, 1}, immediate, 0);
}

void Emitter::begin_body(ValueId condition) {
  const RegionId inner = kernel_.add_region();
  Inst& loop = kernel_.insts[blocks_.back().inst];
  loop.regions[1] = inner;
  kernel_.operands[loop.first_operand] = condition;
  region_ = inner;
}

void Emitter::begin_loop(uint64_t immediate) { open(VD_OP_LOOP, Type(), {}, immediate, 1); }

ValueId Emitter::begin_for(ValueId start, ValueId stop, ValueId step, uint64_t immediate) {
  const ValueId operands[] = {start, stop, step};
  return open(VD_OP_FOR, type(start), operands, immediate, 1);
}

void Emitter::begin_scope() { open(VD_OP_SCOPE, Type(), {}, 0, 0); }

void Emitter::end() {
  region_ = blocks_.back().outer;
  blocks_.pop_back();
}

}  // namespace vd::ir
