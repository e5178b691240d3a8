#include "ir/uniformity.h"

#include <algorithm>

#include "ir/op.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

constexpr uint32_t kAll = ~0u;

uint32_t components(Type type) {
  if (type.is_array() || type.is_struct()) return 33;
  return type.count() * type.rows();
}
uint32_t all_of(Type type) {
  const uint32_t n = components(type);
  return n > 31 ? kAll : (1u << n) - 1;
}

class Analysis {
 public:
  Analysis(const Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size, Agreement agreement)
      : k_(kernel), workgroup_size_(workgroup_size), agreement_(agreement) {
    u_.varying.assign(k_.insts.size(), 0);
    u_.parts.assign(k_.insts.size(), 0);
    u_.escapes.assign(k_.insts.size(), 0);
    u_.region_of.assign(k_.insts.size(), kNoRegion);
    u_.owner_of.assign(k_.regions.size(), kNoValue);
    for (RegionId r = 0; r < k_.regions.size(); ++r) {
      for (const ValueId id : k_.regions[r].insts) {
        u_.region_of[id] = r;
        for (const RegionId inner : k_.insts[id].regions) {
          if (inner != kNoRegion) u_.owner_of[inner] = id;
        }
      }
    }
    for (ValueId id = 0; id < k_.insts.size(); ++id) {
      if (u_.region_of[id] == kNoRegion) u_.varying[id] = leaf(k_.insts[id]);
    }
    find_escapes();
  }

  Uniformity run() {
    // All values start as uniform; each varying one makes its users vary, until nothing changes.
    do {
      changed_ = false;
      for_each_inst(k_, [&](ValueId id, const Inst& inst) { visit(id, inst); });
    } while (changed_);
    return std::move(u_);
  }

 private:
  void find_escapes() {
    std::vector<uint8_t> declared(k_.insts.size(), 0);
    for_each_inst(k_, [&](ValueId id, const Inst& inst) {
      if (inst.op == VD_OP_VAR) declared[id] = 1;
      if (inst.op != VD_OP_LOAD && inst.op != VD_OP_STORE) return;
      const ValueId root = reference_root(k_, operand(inst, 0));
      if (k_.insts[root].op != VD_OP_VAR) return;
      RegionId region = u_.region_of[id];
      while (region != u_.region_of[root] && u_.owner_of[region] != kNoValue)
        region = u_.region_of[u_.owner_of[region]];
      if (declared[root] == 0 || region != u_.region_of[root]) u_.escapes[root] = 1;
    });
  }

  uint32_t leaf(const Inst& inst) const {
    if (inst.op != VD_OP_BUILTIN) return 0;
    uint32_t axes = 0;
    for (uint32_t i = 0; i < 3; ++i) axes |= workgroup_size_[i] > 1 ? 1u << i : 0;
    switch (static_cast<vd_builtin>(inst.immediate)) {
      case VD_BUILTIN_GLOBAL_ID:
      case VD_BUILTIN_LOCAL_ID:
        return axes;
      case VD_BUILTIN_LOCAL_INDEX:
      case VD_BUILTIN_SUBGROUP_ID:
      case VD_BUILTIN_SUBGROUP_LANE:
        return axes != 0 || agreement_ == Agreement::Strip ? 1 : 0;
      default:
        return 0;
    }
  }

  ValueId operand(const Inst& inst, uint32_t i) const { return k_.operands[inst.first_operand + i]; }
  uint32_t of(const Inst& inst, uint32_t i) const { return u_.varying[operand(inst, i)]; }
  bool constant_index(const Inst& inst, uint64_t& value) const {
    const Inst& index = k_.insts[operand(inst, 1)];
    if (index.op != VD_OP_CONST) return false;
    value = index.immediate;
    return true;
  }

  void set(ValueId id, uint32_t bits) {
    if ((u_.varying[id] | bits) == u_.varying[id]) return;
    u_.varying[id] |= bits;
    changed_ = true;
  }
  void part(ValueId id) {
    if (u_.parts[id] != 0) return;
    u_.parts[id] = 1;
    changed_ = true;
  }

  // Whether some index on the way of a reference varies.
  bool reference_varies(ValueId id) const {
    for (;;) {
      const Inst& inst = k_.insts[id];
      if (inst.op == VD_OP_INDEX && of(inst, 1) != 0) return true;
      if (inst.op != VD_OP_INDEX && inst.op != VD_OP_MEMBER && inst.op != VD_OP_VIEW) return false;
      id = operand(inst, 0);
    }
  }

  uint32_t load(const Inst& inst) const {
    const ValueId reference = operand(inst, 0);
    const ValueId root = reference_root(k_, reference);
    if (k_.insts[root].op != VD_OP_VAR) {
      const Space space = k_.insts[root].type.space();
      const bool constant = space == Space::Uniform || space == Space::Value;
      return reference_varies(reference) || (agreement_ == Agreement::Workgroup && !constant) ? kAll : 0;
    }
    if (reference == root) return u_.varying[root];
    const Inst& last = k_.insts[reference];
    uint64_t at = 0;
    if (last.op == VD_OP_INDEX && operand(last, 0) == root && components(last.type) == 1 && constant_index(last, at)) {
      if (at >= 32) return u_.varying[root] != 0 ? kAll : 0;  // past the bits that there are
      return u_.varying[root] == kAll ? kAll : u_.varying[root] >> at & 1;
    }
    return u_.varying[root] != 0 || reference_varies(reference) ? kAll : 0;
  }

  void store(ValueId id, const Inst& inst) {
    const ValueId reference = operand(inst, 0);
    const ValueId root = reference_root(k_, reference);
    if (k_.insts[root].op != VD_OP_VAR) return;
    const bool parted = u_.parted(u_.region_of[root], u_.region_of[id]);
    const uint32_t value = of(inst, 1);
    if (reference == root) {
      set(root, parted ? all_of(inst_type(root)) : value);
      return;
    }
    const Inst& last = k_.insts[reference];
    uint64_t at = 0;
    if (last.op == VD_OP_INDEX && operand(last, 0) == root && components(last.type) == 1 && constant_index(last, at)) {
      if (parted || value != 0) set(root, at < 32 ? 1u << at : kAll);
      return;
    }
    if (parted || value != 0 || reference_varies(reference)) set(root, all_of(inst_type(root)));
  }
  Type inst_type(ValueId id) const { return k_.insts[id].type.value(); }

  // A break or continue parts the invocations of its loop if only some of them come by.
  void leave(ValueId id) {
    RegionId r = u_.region_of[id];
    bool parted = false;
    for (ValueId owner = u_.owner_of[r]; owner != kNoValue; owner = u_.owner_of[r]) {
      const vd_op op = k_.insts[owner].op;
      if (is_loop(op)) {
        if (parted) part(owner);
        return;
      }
      parted |= u_.parts[owner] != 0;
      r = u_.region_of[owner];
    }
  }

  void visit(ValueId id, const Inst& inst) {
    uint32_t any = 0;
    for (uint32_t i = 0; i < inst.operand_count; ++i) any |= of(inst, i);
    switch (inst.op) {
      case VD_OP_VAR:
        if (agreement_ == Agreement::Strip && (inst.type.is_array() || inst.type.is_struct()))
          set(id, kAll);
        else if (u_.escapes[id] != 0 && (agreement_ == Agreement::Strip || u_.parted(k_.body, u_.region_of[id])))
          set(id, all_of(inst.type.value()));
        else if (inst.operand_count != 0)
          set(id, of(inst, 0));
        return;
      case VD_OP_LOAD:
        return set(id, load(inst) & all_of(inst.type));
      case VD_OP_STORE:
        return store(id, inst);
      case VD_OP_INDEX: {
        if (inst.type.is_reference()) return;
        uint64_t at = 0;
        const uint32_t n = components(inst.type);
        if (constant_index(inst, at) && of(inst, 0) != kAll && n * (at + 1) <= 32) {
          return set(id, of(inst, 0) >> at * n & all_of(inst.type));
        }
        return any != 0 ? set(id, all_of(inst.type)) : void();
      }
      case VD_OP_MEMBER:
      case VD_OP_VIEW:
        if (!inst.type.is_reference() && any != 0) set(id, all_of(inst.type));
        return;
      case VD_OP_SWIZZLE: {
        const auto plain = plain_immediate(inst.immediate);
        uint32_t bits = 0;
        for (uint32_t i = 0; i < inst.type.count(); ++i) {
          bits |= (of(inst, 0) == kAll ? 1 : of(inst, 0) >> (plain >> 2 * i & 3) & 1) << i;
        }
        return set(id, bits);
      }
      case VD_OP_CONSTRUCT: {
        uint32_t total = 0, bits = 0;
        for (uint32_t i = 0; i < inst.operand_count; ++i) {
          const uint32_t n = components(k_.insts[operand(inst, i)].type);
          if (total + n > 31) return any != 0 ? set(id, all_of(inst.type)) : void();
          bits |= (of(inst, i) & ((1u << n) - 1)) << total;
          total += n;
        }
        if (total != components(inst.type)) return any != 0 ? set(id, all_of(inst.type)) : void();
        return set(id, bits);
      }
      case VD_OP_IF:
      case VD_OP_WHILE:
        if (any != 0) part(id);
        return;
      case VD_OP_FOR:
        if (any != 0) part(id);
        if (of(inst, 0) != 0 || of(inst, 2) != 0) set(id, 1);
        return;
      case VD_OP_BREAK:
      case VD_OP_CONTINUE:
        return leave(id);
      case VD_OP_SHAPE:
        return;
      default:
        break;
    }
    if (inst.type.none()) return;
    if ((op_info(inst.op).flags & (kConvergent | kReads | kWrites)) != 0) {
      if (agreement_ != Agreement::Likely || any != 0 || varies_by_itself(inst)) set(id, all_of(inst.type));
      return;
    }
    // Elementwise where all have as many components; a scalar operand counts for every component.
    const uint32_t n = components(inst.type);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < inst.operand_count; ++i) {
      const uint32_t m = components(k_.insts[operand(inst, i)].type);
      const bool elementwise = m == n && inst.type.shape() != Shape::Complex && inst.type.shape() != Shape::Matrix &&
                               inst.op != VD_OP_CROSS && inst.op != VD_OP_NORMALIZE && inst.op != VD_OP_BITCAST;
      if (of(inst, i) != 0) bits |= elementwise ? of(inst, i) : all_of(inst.type);
    }
    set(id, bits);
  }

  // Under Agreement::Likely. An atomic that changes memory returns another old value to each invocation.
  bool varies_by_itself(const Inst& inst) const {
    const OpInfo& info = op_info(inst.op);
    if (!info.has(kAtomic)) return inst.op == VD_OP_SUBGROUP_ELECT;
    return info.has(kWrites) || reference_varies(operand(inst, 0));
  }

  const Kernel& k_;
  const std::array<uint32_t, 3> workgroup_size_;
  const Agreement agreement_;
  Uniformity u_;
  bool changed_ = false;
};

}  // namespace

bool Uniformity::parted(RegionId outer, RegionId inner) const {
  while (inner != outer) {
    const ValueId owner = inner == kNoRegion ? kNoValue : owner_of[inner];
    if (owner == kNoValue) return true;
    if (parts[owner] != 0) return true;
    inner = region_of[owner];
  }
  return false;
}

Uniformity find_uniformity(const Kernel& kernel, const std::array<uint32_t, 3>& workgroup_size, Agreement agreement) {
  return Analysis(kernel, workgroup_size, agreement).run();
}

}  // namespace vd::ir
