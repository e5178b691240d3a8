// First, within each region, stores to variables that are stored over before anyone reads them go. Then it marks from
// effects backwards. A store to a private variable counts once the variable is read by something that
// counts, a block once something in it does.
#include "ir/passes/dead_code.h"

#include "ir/walk.h"

namespace vd::ir {
namespace {

class DeadCode {
 public:
  explicit DeadCode(Kernel& kernel)
      : k_(kernel),
        live_(kernel.insts.size(), false),
        parent_(kernel.insts.size(), kNoValue),
        read_(kernel.insts.size(), false) {}

  void run() {
    drop_overwritten(k_.body, true);
    find_parents();
    for_each_inst(k_, [&](ValueId id, const Inst& inst) {
      if (inst.op == VD_OP_STORE) {
        const ValueId root = reference_root(k_, k_.operands[inst.first_operand]);
        if (k_.insts[root].op == VD_OP_VAR) {
          stores_.emplace_back(root, id);
          return;
        }
      }
      if (has_effect(id, inst)) mark(id);
    });
    // Stores of one variable, linked.
    next_.assign(stores_.size(), kNone);
    heads_.assign(k_.insts.size(), kNone);
    for (size_t i = 0; i < stores_.size(); ++i) {
      next_[i] = heads_[stores_[i].first];
      heads_[stores_[i].first] = static_cast<uint32_t>(i);
      if (live_[stores_[i].first] && is_named(stores_[i].first)) read_[stores_[i].first] = true;
    }
    for (const auto& [variable, store] : stores_) {
      if (read_[variable]) mark(store);
    }
    linked_ = true;
    while (!work_.empty()) {
      const ValueId id = work_.back();
      work_.pop_back();
      spread(id);
    }
    sweep(k_.body);
  }

 private:
  static constexpr uint32_t kNone = 0xffffffffu;

  bool is_named(ValueId id) const { return id < k_.names.size() && !k_.names[id].empty(); }

  // Backwards through a region. A variable is `dead` from a store to all of it back to the previous read; at the
  // kernel's end all are. Blocks are not analysed: after one, nothing is known.
  void drop_overwritten(RegionId region, bool last) {
    if (overwritten_.empty()) overwritten_.assign(k_.insts.size(), 0);
    auto& list = k_.regions[region].insts;
    for (const ValueId id : list) {
      for (const RegionId inner : k_.insts[id].regions) {
        if (inner != kNoRegion) drop_overwritten(inner, false);
      }
    }
    bool all = last;
    epoch_ += 2;  // overwritten_[v] is epoch_: dead; epoch_ + 1: read
    const auto is_dead = [&](ValueId v) { return overwritten_[v] == epoch_ || (all && overwritten_[v] != epoch_ + 1); };
    size_t kept = list.size();
    for (size_t i = list.size(); i-- > 0;) {
      const ValueId id = list[i];
      const Inst& inst = k_.insts[id];
      bool drop = false;
      if (inst.op == VD_OP_RETURN) all = true;
      if (inst.regions[0] != kNoRegion || inst.regions[1] != kNoRegion) {
        all = false;
        epoch_ += 2;
      } else if (inst.op == VD_OP_VAR) {
        overwritten_[id] = epoch_;
      } else if (inst.op == VD_OP_STORE && k_.insts[k_.operands[inst.first_operand]].op == VD_OP_VAR) {
        const ValueId variable = k_.operands[inst.first_operand];
        drop = is_dead(variable) && !is_named(variable);
        overwritten_[variable] = epoch_;
      } else if (inst.op != VD_OP_STORE && inst.op != VD_OP_INDEX && inst.op != VD_OP_MEMBER && inst.op != VD_OP_VIEW) {
        for (const ValueId operand : k_.operands_of(inst)) {
          if (!k_.insts[operand].type.is_reference()) continue;
          const ValueId root = reference_root(k_, operand);
          if (k_.insts[root].op == VD_OP_VAR) overwritten_[root] = epoch_ + 1;
        }
      }
      if (!drop) list[--kept] = id;
    }
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(kept));
  }

  void find_parents() {
    for_each_inst(k_, [&](ValueId id, const Inst& inst) {
      for (const RegionId region : inst.regions) {
        if (region == kNoRegion) continue;
        for (const ValueId inner : k_.regions[region].insts) parent_[inner] = id;
      }
    });
  }

  bool has_effect(ValueId id, const Inst& inst) const {
    const OpInfo& info = op_info(inst.op);
    switch (inst.op) {
      case VD_OP_VAR:
        return is_named(id);
      case VD_OP_IF:
      case VD_OP_FOR:
      case VD_OP_SCOPE:
      case VD_OP_LOAD:
        return false;
      default:
        return info.has(kStatement | kWrites);
    }
  }

  void mark(ValueId id) {
    if (live_[id]) return;
    live_[id] = true;
    work_.push_back(id);
  }

  void read(ValueId variable) {
    if (read_[variable]) return;
    read_[variable] = true;
    if (!linked_) return;  // its stores are marked when they are known
    for (uint32_t i = heads_[variable]; i != kNone; i = next_[i]) mark(stores_[i].second);
  }

  void spread(ValueId id) {
    const Inst& inst = k_.insts[id];
    if (parent_[id] != kNoValue) mark(parent_[id]);
    for (const ValueId operand : k_.operands_of(inst)) mark(operand);
    // Whatever takes a reference reads through it, but a store and a step towards an element.
    if (inst.op == VD_OP_STORE || inst.op == VD_OP_INDEX || inst.op == VD_OP_MEMBER || inst.op == VD_OP_VIEW) return;
    for (const ValueId operand : k_.operands_of(inst)) {
      if (!k_.insts[operand].type.is_reference()) continue;
      const ValueId root = reference_root(k_, operand);
      if (k_.insts[root].op == VD_OP_VAR) read(root);
    }
  }

  void sweep(RegionId region) {
    auto& list = k_.regions[region].insts;
    size_t kept = 0;
    for (const ValueId id : list) {
      if (!live_[id]) continue;
      list[kept++] = id;
      Inst& inst = k_.insts[id];
      for (RegionId& inner : inst.regions) {
        if (inner == kNoRegion) continue;
        sweep(inner);
        if (inst.op == VD_OP_IF && &inner == &inst.regions[1] && k_.regions[inner].insts.empty()) inner = kNoRegion;
      }
    }
    list.resize(kept);
  }

  Kernel& k_;
  std::vector<bool> live_;
  std::vector<ValueId> parent_;
  std::vector<bool> read_;
  std::vector<std::pair<ValueId, ValueId>> stores_;  // (variable, store)
  std::vector<uint32_t> next_, heads_;
  bool linked_ = false;
  std::vector<uint32_t> overwritten_;
  uint32_t epoch_ = 0;
  std::vector<ValueId> work_;
};

}  // namespace

void dead_code(Kernel& kernel) { DeadCode(kernel).run(); }

}  // namespace vd::ir
