// A kernel being written. Expressions are recipes (recipe.h): emit() of an expression only makes a node. A statement
// instantiates the recipes that it consumes at its place in the program, loads included, each node once. Therefore `x =
// buf[i]; buf[i] = 0; out[i] = x` stores 0, and each iteration evaluates a while-condition anew. LET freezes a value;
// with VD_BUILDER_BY_VALUE each load and subgroup operation is frozen where it is emitted.
//
// Blocks: IF, ELSE_IF and ELSE (which close the branch before them), WHILE, LOOP, FOR, SCOPE, and END. ELSE and ELSE_IF
// with immediate 1 continue the `if` that was closed last, if nothing but comments came since.
//
// All members throw vd::Error; a wrong operand names the op, its types and the user's file and line.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "core/object.h"
#include "ir/recipe.h"
#include "ir/watcher.h"

namespace vd::ir {

class Builder : public Object {
 public:
  explicit Builder(const vd_builder_desc& desc);

  vd_value argument(vd_argument_kind kind, Type type, const char* name, uint32_t location = 0);
  vd_value shared(Type element, uint32_t count, uint32_t offset, const char* name);
  Type array_type(Type element, uint32_t count);
  Type struct_type(const char* name, std::span<const Type> types, std::span<const char* const> names);
  vd_value constant(Type type, const void* data, uint64_t size);
  vd_value string(std::string_view text);
  uint32_t location(std::string_view file, uint32_t line, std::string_view function);
  void name(vd_value value, std::string_view name);  // 0: of the kernel

  vd_value emit(vd_op op, Type type, std::span<const vd_value> operands, uint64_t immediate, uint32_t location);
  // Inline a finished function; returns its value or 0.
  vd_value call(const Kernel& function, std::span<const vd_value> operands, uint32_t location);
  // Text that a person can read, as "src[global_id.x] + 1".
  std::string describe(vd_value value) const;

  // The error of finish(): the first failure of a caller that did not check.
  void keep_failure(std::string message) {
    if (failure_.empty()) failure_ = std::move(message);
  }

  // Verify the kernel, run the passes (unless a test wants the code as it was written) and hand it out. The builder
  // takes no further calls.
  Kernel finish(bool run_passes = true);

  // For generators that let a caller write in between. The caller can neither close nor leave the blocks that are open
  // now, finish() waits for the generator, and arguments are declared only if `arguments` is true. RETURN is refused if
  // more code follows that every invocation must reach: `no_return` is the reason.
  void suspend(bool arguments, const char* no_return);
  // Throws if something failed since, or a block was left open, which may be closed yet.
  void resume();

  // Tells a watcher of every op from here on, until unwatch().
  void watch(Watcher& watcher) { watchers_.push_back(&watcher); }
  void unwatch(Watcher& watcher) { std::erase(watchers_, &watcher); }
  // A message with the file and line of a location, if it does not have them yet; 0 has none.
  std::string at_place(std::string message, uint32_t location) const;
  // Calls body(); its failure gets the file and line of a location.
  template <class F>
  auto located(uint32_t location, F&& body) const {
    check_open();
    check_location(location);
    try {
      return body();
    } catch (const Error& error) {
      if (location == 0) throw;
      throw Error(error.status(), at_place(error.what(), location));
    }
  }

  // The kernel is for workgroups of this size; throws if it is for another one already.
  void fix_workgroup_size(const std::array<uint32_t, 3>& size);

  const TypeTable& types() const { return kernel_.types; }
  bool finished() const { return finished_; }
  size_t argument_count() const { return kernel_.arguments.size(); }
  void check_open() const;  // throws if it is

  // For generators that write into a caller's kernel: their position in it.
  bool is_function() const { return kernel_.is_function(); }
  RegionId region() const { return region_; }
  size_t depth() const { return blocks_.size(); }  // of open blocks
  bool inside_loop() const { return inside_loop(0); }

  // Throws for a value that is not from this builder.
  void check_value(vd_value value, const char* what) const { node_of(value, what); }
  static constexpr Type type_of(vd_value value) { return Type(static_cast<uint32_t>(value >> 32)); }

 private:
  struct Block {
    Op kind;
    ValueId first;         // the block's instruction; of an if chain the outermost one
    ValueId inst;          // of an if chain the innermost one
    RegionId outer;        // current again after END
    bool dead_outer;       // code around the block is not reached
    uint32_t open_all;     // regions open before the block
    uint32_t open_branch;  // and before its present branch
    uint32_t location;
  };
  vd_value handle(NodeId id) const { return static_cast<uint64_t>(nodes_[id].type.bits()) << 32 | id; }
  NodeId node_of(vd_value value, const char* what) const;
  void check_location(uint32_t location) const;
  vd_value add_argument(vd_argument_kind kind, Type type, const char* name);
  std::string place(uint32_t location) const;

  // Expressions.
  vd_value emit_checked(Op op, Type type, std::span<const vd_value> operands, uint64_t immediate, uint32_t location);
  NodeId expression(Op op, Type type, uint64_t immediate, uint32_t location);  // of args_
  NodeId load(NodeId reference, uint32_t location);
  NodeId splat(NodeId value, Type type, uint32_t location);
  void coerce(Op op, Type given, uint32_t location);
  void check_index(uint32_t location) const;
  Type check(Op op, Type type, uint64_t immediate);

  // Statements.
  ValueId instantiate(NodeId root);
  NodeId freeze(ValueId value);
  vd_value statement(Op op, Type type, uint64_t immediate, uint32_t location);
  ValueId append(Op op, Type type, std::span<const ValueId> operands, uint64_t immediate, uint32_t location);
  void open_region(RegionId region);
  void close_regions(uint32_t down_to);
  void check_depth() const;
  bool inside_loop(size_t from) const;  // of the blocks from there on
  void check_closed(size_t depth) const;
  void check_whole() const;
  void enter(ValueId inst, int region);
  void open_block(Op op, ValueId inst, int region, uint32_t location);
  void open_if(uint32_t location);
  void open_while(uint64_t immediate, uint32_t location);
  std::vector<ValueId> take_condition(RegionId from);
  void open_else(Op op, uint64_t immediate, uint32_t location);
  void end();
  void terminate();

  Kernel kernel_;
  RecipeTable nodes_;
  bool finished_ = false;
  std::string failure_;  // the first
  uint32_t stamp_ = 0;
  RegionId region_ = 0;
  std::vector<uint8_t> open_;  // by RegionId: instructions may still refer to its values
  std::vector<RegionId> open_stack_;
  std::vector<Block> blocks_;
  std::vector<Block> closed_;            // the if that ELSE with immediate 1 may continue, or nothing
  std::vector<ValueId> unreached_vars_;  // declared after a return or break, perhaps used after the block
  bool lent_ = false;
  bool arguments_ = true;            // may be declared
  size_t suspended_depth_ = 0;       // blocks below are the lender's
  const char* no_return_ = nullptr;  // why, if it is not allowed
  bool dead_ = false;                // behind a return, break or continue
  std::vector<Watcher*> watchers_;
  std::vector<NodeId> args_;  // scratch
  std::vector<Type> arg_types_;
  std::vector<ValueId> values_;
  std::vector<NodeId> work_;
  std::unordered_map<std::string, uint32_t> strings_, locations_, constants_;
};

}  // namespace vd::ir
