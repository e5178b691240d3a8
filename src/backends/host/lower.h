// Turns a prepared kernel into a listing: one scalar op per component over virtual registers, with masks for control
// flow at which the lanes diverge, and cut into segments where a workgroup of several strips has barriers.
//
// Values that all lanes share are computed once per dispatch, workgroup or strip; values that do not change in a loop
// are computed before it; a variable's register is read and written in place if that has no visible effect.
#pragma once

#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "backends/host/code.h"
#include "backends/host/uses.h"

namespace vd::host {

class Lowering {
 public:
  // Fills the program's spans, accesses, checks and constants.
  Lowering(const ir::Kernel& kernel, Program& program);
  Listing run();

 private:
  // ---- lower.cpp: statements ----
  // Where code goes and what may be reused there.
  struct Frame {
    enum class Kind : uint8_t { Root, Branch, Loop, GroupLoop } kind = Kind::Root;
    uint32_t preheader = 0;  // Loop: block before it
    uint32_t serial = 0;
    uint32_t hoisted = 0;
  };
  struct LoopInfo {
    uint32_t slot;  // kept, alive, this iteration
    bool masks;
    Label next;  // end of the body, strip level
  };

  void region(ir::RegionId id);
  void group_region(ir::RegionId id);
  void statement(ir::ValueId id);
  void if_statement(ir::ValueId id);
  void loop_statement(ir::ValueId id);
  void group_if(ir::ValueId id);
  void group_loop(ir::ValueId id);
  void terminate(ir::ValueId id);
  void barrier(ir::ValueId id);
  Reg loop_condition(ir::ValueId id, const ir::Inst& inst, Reg counter);
  Reg begin_counter(ir::ValueId id, const ir::Inst& inst);
  void step_counter(const ir::Inst& inst, Reg counter);
  void begin_segment();
  void end_segment();
  void push_frame(Frame::Kind kind, uint32_t preheader = 0);
  void pop_frame();
  uint32_t new_block();
  Label new_label() { return out_.label_count++; }
  uint32_t take_slots(uint32_t n);
  uint32_t live_slot() const { return loops_.empty() ? 0 : loops_.back().slot + 2; }
  void jump_to_end();  // of the innermost region

  // ---- lower_value.cpp: values ----
  std::span<const Reg> parts(ir::ValueId id);
  Reg part(ir::ValueId id, uint32_t i) { return parts(id)[i]; }
  void set_parts(ir::ValueId id, std::span<const Reg> regs);
  void leaf(ir::ValueId id);
  void builtin(ir::ValueId id);
  void value(ir::ValueId id);
  void elementwise(ir::ValueId id);
  void construct(ir::ValueId id);
  void index_value(ir::ValueId id);
  void bitcast(ir::ValueId id);
  void subgroup(ir::ValueId id);
  Reg constant(ir::Scalar s, uint64_t bits);
  Reg pure(vd_op op, ir::Scalar s, Reg a, Reg b = kNoReg, Reg c = kNoReg);
  Reg convert(ir::Scalar to, Reg a);
  Reg copy(Reg a);
  Reg emit(Node node, ir::Scalar result);
  Reg input(vd_builtin builtin, uint32_t component, bool lanes, uint32_t level);
  void pick(ir::ValueId id, std::span<const Reg> from, uint32_t n, Reg index);

  // ---- lower_reference.cpp: memory ----
  // A piece of an aggregate: a scalar and where it lies, in bytes of memory.
  struct Cells {
    std::vector<ir::Scalar> scalars;
    std::vector<uint32_t> offsets;
    uint32_t size() const { return static_cast<uint32_t>(scalars.size()); }
  };
  struct Dynamic {
    Reg index;
    uint64_t stride;
    uint64_t limit;  // elements; 0: as many as the span holds
    uint32_t location;
  };
  // The target of a reference. For a variable, offsets count scalars instead of bytes.
  struct ReferenceTarget {
    ir::ValueId root = ir::kNoValue;
    bool variable = false;
    uint32_t span = 0;
    uint64_t offset = 0;
    std::vector<Dynamic> dynamic;
    ir::Type type;
  };
  struct Variable {
    bool declared = false;
    bool scoped = true;    // never seen outside the region of its declaration
    bool dynamic = false;  // indexed by a value known only at run time
    bool alias = false;    // holds its first value for ever
    uint32_t stores = 0;
    std::vector<Reg> regs;    // one a scalar
    std::vector<Reg> arrays;  // dynamic: one a kind of scalar, each as long as the whole
    std::vector<ir::Scalar> array_scalars;
  };

  const Cells& cells(ir::Type type);
  ReferenceTarget target(ir::ValueId reference);
  void load(ir::ValueId id);
  void store(ir::ValueId id);
  std::vector<Reg> load_memory(const ReferenceTarget& s, ir::Type type, uint32_t location);
  void store_memory(const ReferenceTarget& s, ir::Type type, std::span<const Reg> values, uint32_t location);
  void atomic(ir::ValueId id);
  void async_copy(ir::ValueId id);
  void shape(ir::ValueId id);
  Reg value_word(uint32_t offset);
  // One index for all dynamic ones, and its stride.
  Reg address(const ReferenceTarget& s, uint64_t& stride);
  uint32_t access(const AccessDesc& desc);
  uint32_t span_of(ir::ValueId root);
  ir::Type accessed(const ir::Inst& inst, ir::Type referred) const;
  enum class Touch : uint32_t { Read, Write, Atomic };
  void check_target(const ReferenceTarget& s, uint32_t location);
  void check_access(const ReferenceTarget& s, Reg index, uint64_t stride, uint64_t size, Touch touch,
                    uint32_t location);

  // ---- lower_variable.cpp ----
  void find_variables();
  Variable& variable(ir::ValueId id);
  void declare(ir::ValueId id);
  void load_variable(ir::ValueId id, const ReferenceTarget& s, ir::Type type);
  void store_variable(ir::ValueId id, const ReferenceTarget& s, ir::ValueId value, ir::Type type);
  void write_register(Reg d, Reg a, bool parted);
  bool retarget(Reg d, Reg a);
  Reg array_index(Reg at, uint64_t stride, uint64_t first);
  Reg array_of(const Variable& v, ir::Scalar s) const;
  void store_element(const Variable& v, ir::Scalar s, Reg index, Reg value, uint32_t total);

  [[noreturn]] void unsupported(ir::ValueId id, const char* why) const;

  const ir::Kernel& k_;
  Program& p_;
  Listing out_;
  ir::Uniformity u_;
  Uses uses_;
  const bool cut_;  // several strips and a barrier

  uint32_t block_ = 0;
  uint32_t dispatch_block_ = 0, group_block_ = 0, entry_block_ = 0;
  std::vector<Frame> frames_;
  std::vector<LoopInfo> loops_;
  std::vector<Label> ends_;  // of open regions of the strip; kNoLabel for those of the workgroup
  std::vector<uint8_t> scope_open_;
  uint32_t mask_next_ = 1;
  uint32_t location_ = 0;

  struct Range {
    uint32_t first = ~0u, count = 0;
  };
  std::vector<Range> values_;
  std::vector<Reg> pool_;

  // By register.
  struct Origin {
    uint32_t depth = 0;   // frames open at its definition
    uint32_t level = 2;   // 0: once a dispatch, 1: once a workgroup
    uint32_t reads = 0;   // by nodes so far
    bool shared = false;  // known by more than one name, or found again by its expression
  };
  std::vector<Origin> origins_;
  Reg new_reg(ir::Scalar s, bool varying, uint32_t depth, uint32_t level);

  struct Key {
    uint64_t code;
    Reg a, b, c;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      uint64_t h = key.code * 0x9e3779b97f4a7c15u ^ (uint64_t{key.a} << 32 | key.b);
      h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u + key.c;
      return static_cast<size_t>(h ^ h >> 32);
    }
  };
  struct Known {
    Reg reg;
    uint32_t serial;
  };
  std::unordered_map<Key, Known, KeyHash> known_;
  std::unordered_map<uint64_t, Reg> constants_[kScalars];
  std::unordered_map<uint32_t, Cells> cells_;
  std::unordered_map<ir::ValueId, Variable> variables_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> access_numbers_;
  std::unordered_map<uint32_t, Reg> words_;
  std::unordered_map<ir::ValueId, uint32_t> constant_spans_;
  std::vector<uint32_t> argument_spans_, shared_spans_;
  uint32_t values_span_ = 0;
  std::unordered_map<uint32_t, Reg> inputs_;
};

}  // namespace vd::host
