// Value numbering over the tree of regions: a value computed in a region is known in the regions inside it. A load's
// key holds the version of the memory that it reads; a write gives that memory a new version. All buffers are one
// memory, since two arguments may be bound to the same bytes; so are all shared arrays, which may overlap; each private
// variable is its own. Before a loop is entered, what it writes anywhere gets new versions.
//
// A load after a store of the same reference is the stored value, unless invocations past the launch's end could see a
// difference: they store nothing and load zeros, which a subgroup operation or shared memory would show to the others.
#include "ir/passes/share_loads.h"

#include <algorithm>

#include "ir/walk.h"

namespace vd::ir {
namespace {

constexpr uint64_t mix(uint64_t h, uint64_t value) {
  h ^= value;
  h *= 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

// Whether bounds are still to be guarded in a kernel where invocations past the end run beside the others. A function
// does not know its callers.
bool shows_strays(const Kernel& kernel) {
  if (kernel.is_function()) return true;
  if ((kernel.flags & VD_BUILDER_NO_EXEC_BOUNDS) != 0) return false;
  bool any = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) { any |= op_info(inst.op).has(kConvergent); });
  return any;
}

bool acquires(uint64_t memory) { return (memory & VD_MEMORY_ACQUIRE) != 0; }

// Kinds of memory that are versioned as a whole.
enum : uint32_t { kStorage = 1, kShared = 2, kReferences = 4, kEvery = 7 };

class Sharing {
 public:
  explicit Sharing(Kernel& kernel)
      : k_(kernel),
        forwards_storage_(!shows_strays(kernel)),
        replaced_(kernel.insts.size(), kNoValue),
        variables_(kernel.insts.size(), 0) {
    size_t buckets = 64;
    while (buckets < kernel.insts.size()) buckets *= 2;
    heads_.assign(buckets, 0);
    entries_.push_back({});
  }

  bool run() {
    visit(k_.body);
    return changed_;
  }

 private:
  struct Entry {
    uint64_t hash = 0;
    ValueId key = kNoValue;  // an instruction with this op, type, immediate and operands ...
    bool load_of = false;    // ... or, if set, a load of reference `key`
    uint32_t version = 0;
    ValueId value = kNoValue;
    uint32_t next = 0;
  };
  struct Memory {
    uint32_t version[3];
  };

  void visit(RegionId region);
  bool visit_inst(ValueId id);  // false if it has been replaced
  void visit_if(const Inst& inst);
  void visit_loop(const Inst& inst);
  bool share_pure(ValueId id);
  bool share_load(ValueId id);
  void store(ValueId id);

  uint32_t version_of(ValueId reference) const;
  void write(ValueId reference);
  void write_memory(uint32_t kinds);
  uint32_t kinds_of(ValueId root) const;
  void effects(const Inst& inst);

  void insert(const Entry& entry) {
    entries_.push_back(entry);
    uint32_t& head = heads_[entry.hash & (heads_.size() - 1)];
    entries_.back().next = head;
    head = static_cast<uint32_t>(entries_.size() - 1);
  }
  void leave(size_t mark) {
    while (entries_.size() > mark) {
      const Entry& entry = entries_.back();
      heads_[entry.hash & (heads_.size() - 1)] = entry.next;
      entries_.pop_back();
    }
  }

  Kernel& k_;
  const bool forwards_storage_;  // from a store to a buffer to loads behind it
  bool changed_ = false;
  std::vector<ValueId> replaced_;
  std::vector<uint32_t> variables_;                // version of each private variable
  std::vector<std::pair<ValueId, uint32_t>> log_;  // versions that `variables_` had
  Memory memory_{};
  uint32_t clock_ = 0;
  std::vector<uint32_t> heads_;
  std::vector<Entry> entries_;
};

bool is_shareable(uint64_t access) { return (access & VD_ACCESS_COHERENT) == 0; }

uint32_t Sharing::kinds_of(ValueId root) const {
  const Inst& inst = k_.insts[root];
  if (inst.op == kOpArgument && k_.arguments[inst.immediate].kind == VD_ARGUMENT_REFERENCE) return kReferences;
  switch (inst.type.space()) {
    case Space::Storage:
      return kStorage;
    case Space::Shared:
    case Space::Cluster:
      return kShared;
    default:
      return 0;
  }
}

uint32_t Sharing::version_of(ValueId reference) const {
  const ValueId root = reference_root(k_, reference);
  if (k_.insts[root].op == VD_OP_VAR) return variables_[root];
  switch (kinds_of(root)) {
    case kStorage:
      return memory_.version[0];
    case kShared:
      return memory_.version[1];
    case kReferences:
      return memory_.version[2];
    default:
      return 0;
  }
}

void Sharing::write_memory(uint32_t kinds) {
  // A function's reference may point anywhere but to its own variables.
  if (k_.is_function() && kinds != 0) kinds = kEvery;
  for (uint32_t i = 0; i < 3; ++i) {
    if ((kinds >> i & 1) != 0) memory_.version[i] = ++clock_;
  }
}

void Sharing::write(ValueId reference) {
  const ValueId root = reference_root(k_, reference);
  if (k_.insts[root].op == VD_OP_VAR) {
    log_.emplace_back(root, variables_[root]);
    variables_[root] = ++clock_;
  } else {
    write_memory(kinds_of(root));
  }
}

// Records the writes of one instruction.
void Sharing::effects(const Inst& inst) {
  switch (inst.op) {
    case VD_OP_STORE:
      write(k_.operands[inst.first_operand]);
      break;
    case VD_OP_ASYNC_COPY:
    case VD_OP_ASYNC_WAIT:
      write_memory(kShared);
      break;
    case VD_OP_BARRIER:
    case VD_OP_FENCE:
    case VD_OP_SUBGROUP_BARRIER:
    case VD_OP_CLUSTER_BARRIER:
      write_memory(kStorage | kShared);
      break;
    default:
      if (op_info(inst.op).operands == OperandRule::AtomicNumber ||
          op_info(inst.op).operands == OperandRule::AtomicInteger) {
        write(k_.operands[inst.first_operand]);
        // Other invocations' writes before they released are visible from here on, in any memory.
        if (acquires(inst.immediate)) write_memory(kStorage | kShared);
      }
      break;
  }
}

bool Sharing::share_pure(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operands = k_.operands_of(inst);
  uint64_t hash = mix(static_cast<uint64_t>(inst.op) << 32 | inst.type.bits(), inst.immediate);
  for (const ValueId operand : operands) hash = mix(hash, operand);
  for (uint32_t at = heads_[hash & (heads_.size() - 1)]; at != 0; at = entries_[at].next) {
    const Entry& entry = entries_[at];
    if (entry.hash != hash || entry.load_of) continue;
    const Inst& other = k_.insts[entry.key];
    if (other.op == inst.op && other.type == inst.type && other.immediate == inst.immediate &&
        std::ranges::equal(k_.operands_of(other), operands)) {
      replaced_[id] = entry.value;
      return true;
    }
  }
  insert({hash, id, false, 0, id, 0});
  return false;
}

bool Sharing::share_load(ValueId id) {
  const Inst& inst = k_.insts[id];
  if (!is_shareable(inst.immediate)) return false;
  const ValueId reference = k_.operands[inst.first_operand];
  const uint32_t version = version_of(reference);
  const uint64_t hash = mix(mix(static_cast<uint64_t>(VD_OP_LOAD) << 32 | inst.type.bits(), reference), version);
  for (uint32_t at = heads_[hash & (heads_.size() - 1)]; at != 0; at = entries_[at].next) {
    const Entry& entry = entries_[at];
    if (entry.hash == hash && entry.load_of && entry.key == reference && entry.version == version &&
        k_.insts[entry.value].type == inst.type) {
      replaced_[id] = entry.value;
      return true;
    }
  }
  insert({hash, reference, true, version, id, 0});
  return false;
}

// After a store (or a declaration with a first value) the reference's content is known.
void Sharing::store(ValueId id) {
  const Inst& inst = k_.insts[id];
  const bool declaration = inst.op == VD_OP_VAR;
  const ValueId reference = declaration ? id : k_.operands[inst.first_operand];
  write(reference);
  if (inst.operand_count == 0 || !is_shareable(inst.immediate)) return;
  if (!forwards_storage_ && (kinds_of(reference_root(k_, reference)) & (kStorage | kReferences)) != 0) return;
  const ValueId value = k_.operands[inst.first_operand + inst.operand_count - 1];
  const uint32_t version = version_of(reference);
  const Type type = k_.insts[value].type;
  const uint64_t hash = mix(mix(static_cast<uint64_t>(VD_OP_LOAD) << 32 | type.bits(), reference), version);
  insert({hash, reference, true, version, value, 0});
}

bool Sharing::visit_inst(ValueId id) {
  const Inst inst = k_.insts[id];
  for (uint32_t i = 0; i < inst.operand_count; ++i) {
    ValueId& operand = k_.operands[inst.first_operand + i];
    if (operand < replaced_.size() && replaced_[operand] != kNoValue) operand = replaced_[operand];
  }
  switch (inst.op) {
    case VD_OP_LOAD:
      return !share_load(id);
    case VD_OP_STORE:
    case VD_OP_VAR:
      store(id);
      return true;
    case VD_OP_IF:
      visit_if(inst);
      return true;
    case VD_OP_WHILE: {
      visit_loop(inst);
      ValueId& condition = k_.operands[inst.first_operand];  // known only after its region
      if (replaced_[condition] != kNoValue) condition = replaced_[condition];
      return true;
    }
    case VD_OP_LOOP:
    case VD_OP_FOR:
      visit_loop(inst);
      return true;
    case VD_OP_SCOPE:
      visit(inst.regions[0]);
      return true;
    default:
      break;
  }
  if (op_info(inst.op).is_pure()) return !share_pure(id);
  effects(inst);
  return true;
}

void Sharing::visit_if(const Inst& inst) {
  const Memory before = memory_;
  bool wrote[3] = {};
  std::vector<ValueId> variables;
  const size_t mark = log_.size();
  for (const RegionId region : inst.regions) {
    if (region == kNoRegion) continue;
    visit(region);
    const auto& list = k_.regions[region].insts;
    const bool leaves = !list.empty() && op_info(k_.insts[list.back()].op).has(kTerminator);
    for (int i = 0; i < 3; ++i) wrote[i] |= !leaves && memory_.version[i] != before.version[i];
    memory_ = before;
    while (log_.size() > mark) {
      if (!leaves) variables.push_back(log_.back().first);
      variables_[log_.back().first] = log_.back().second;
      log_.pop_back();
    }
  }
  for (uint32_t i = 0; i < 3; ++i) {
    if (wrote[i]) write_memory(1u << i);
  }
  for (const ValueId variable : variables) write(variable);
}

void Sharing::visit_loop(const Inst& inst) {
  for (const RegionId region : inst.regions) {
    if (region == kNoRegion) continue;
    for_each_inst(k_, region, [&](ValueId id, const Inst& inner) {
      if (inner.op == VD_OP_VAR) write(id);
      effects(inner);
    });
  }
  for (const RegionId region : inst.regions) {
    if (region != kNoRegion) visit(region);
  }
}

void Sharing::visit(RegionId region) {
  const size_t mark = entries_.size();
  auto& list = k_.regions[region].insts;
  size_t kept = 0;
  for (const ValueId id : list) {
    if (visit_inst(id)) {
      list[kept++] = id;
    } else {
      changed_ = true;
    }
  }
  list.resize(kept);
  leave(mark);
}

}  // namespace

bool share_loads(Kernel& kernel) { return Sharing(kernel).run(); }

}  // namespace vd::ir
