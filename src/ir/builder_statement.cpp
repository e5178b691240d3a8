// The statements of Builder: how recipes become scheduled code, and blocks.
#include <algorithm>
#include <unordered_set>

#include "core/error.h"
#include "ir/analyse.h"
#include "ir/builder.h"
#include "ir/passes/inline.h"
#include "ir/passes/pipeline.h"
#include "ir/type_rules.h"
#include "ir/verify.h"

namespace vd::ir {

// Puts a recipe's nodes into the current region, operands first, each once in a statement. Iterative: a chain of
// 100,000 nodes is no deeper than one.
ValueId Builder::instantiate(NodeId root) {
  const auto ready = [&](NodeId id) {
    const Node& node = nodes_[id];
    if (node.stamp != kAlways) return node.stamp == stamp_;
    if (node.region != kNoRegion && open_[node.region] == 0) {
      fail(VD_ERR_INVALID, "a value of {} is used after the block that made it; keep it in a variable.",
           kernel_.types.name(node.type));
    }
    return true;
  };
  work_.clear();
  if (!ready(root)) work_.push_back(root);
  while (!work_.empty()) {
    const NodeId id = work_.back();
    if (ready(id)) {
      work_.pop_back();
      continue;
    }
    Node& node = nodes_[id];
    const auto operands = nodes_.operands(node);
    const size_t before = work_.size();
    for (size_t i = operands.size(); i-- > 0;) {
      if (!ready(operands[i])) work_.push_back(operands[i]);
    }
    if (work_.size() != before) continue;
    values_.clear();
    for (const NodeId operand : operands) values_.push_back(nodes_[operand].value);
    const bool leaf = op_info(node.op).has(kLeaf);
    node.value = kernel_.add(node.op, node.type, values_, node.immediate, node.location);
    node.stamp = leaf ? kAlways : stamp_;
    if (!leaf) kernel_.regions[region_].insts.push_back(node.value);
    work_.pop_back();
  }
  return nodes_[root].value;
}

NodeId Builder::freeze(ValueId value) {
  const NodeId id = nodes_.intern(kOpFrozen, kernel_.insts[value].type, {}, value, 0);
  Node& node = nodes_[id];
  node.stamp = kAlways;
  node.value = value;
  node.region =
      kernel_.insts[value].op == VD_OP_VAR || op_info(kernel_.insts[value].op).has(kLeaf) ? kNoRegion : region_;
  return id;
}

ValueId Builder::append(Op op, Type type, std::span<const ValueId> operands, uint64_t immediate, uint32_t location) {
  const ValueId id = kernel_.add(op, type, operands, immediate, location);
  kernel_.regions[region_].insts.push_back(id);
  return id;
}

vd_value Builder::statement(Op op, Type type, uint64_t immediate, uint32_t location) {
  if (op != VD_OP_COMMENT && op != VD_OP_ELSE && op != VD_OP_ELSE_IF) closed_.clear();
  type = check(op, type, immediate);
  switch (op) {
    case VD_OP_LET: {
      ++stamp_;
      if (nodes_[args_[0]].stamp == kAlways) {
        instantiate(args_[0]);  // only to check that it may be used here
        return handle(args_[0]);
      }
      return handle(freeze(instantiate(args_[0])));
    }
    case VD_OP_IF:
      open_if(location);
      return 0;
    case VD_OP_ELSE_IF:
    case VD_OP_ELSE:
      open_else(op, immediate, location);
      return 0;
    case VD_OP_WHILE:
      open_while(immediate, location);
      return 0;
    case VD_OP_END:
      end();
      return 0;
    case VD_OP_BREAK:
    case VD_OP_CONTINUE:
      if (!inside_loop(suspended_depth_))
        fail(VD_ERR_INVALID, "{}: it is not inside a loop; use it between loop, while or for and its end.",
             op_info(op).name);
      break;
    case VD_OP_RETURN: {
      if (no_return_ != nullptr) fail(VD_ERR_STATE, "return: {}.", no_return_);
      const Type given = args_.empty() ? Type() : nodes_[args_[0]].type;
      if (given != kernel_.return_type) {
        const auto name = [&](Type t) { return t.none() ? std::string("nothing") : kernel_.types.name(t); };
        fail(VD_ERR_INVALID, "return: the value is {}, and {} returns {}.", name(given),
             kernel_.is_function() ? "the function" : "a kernel", name(kernel_.return_type));
      }
      break;
    }
    case VD_OP_STORE:
      if (access_width(immediate) > 1 &&
          (nodes_[args_[0]].op != VD_OP_INDEX || !nodes_[nodes_.operand(args_[0], 0)].type.is_array())) {
        fail(VD_ERR_INVALID,
             "store: a wide access takes an element of a buffer or array; get its reference with index.");
      }
      break;
    case VD_OP_PRINTF:
      if ((kernel_.flags & VD_BUILDER_NO_PRINTF) != 0) return 0;
      break;
    case VD_OP_FOR:
      if (nodes_[args_[2]].op == VD_OP_CONST && nodes_[args_[2]].immediate == 0)
        fail(VD_ERR_INVALID, "for: step is 0; count up with a step above 0, or down with one below.");
      break;
    default:
      break;
  }
  ++stamp_;
  std::vector<ValueId> operands;
  operands.reserve(args_.size());
  for (const NodeId id : args_) operands.push_back(instantiate(id));
  const ValueId id = append(op, type, operands, immediate, location);
  if (op == VD_OP_VAR && dead_) unreached_vars_.push_back(id);
  if (op == VD_OP_LOOP || op == VD_OP_FOR || op == VD_OP_SCOPE) open_block(op, id, op == VD_OP_SCOPE ? 0 : 1, location);
  if (op_info(op).has(kTerminator)) terminate();
  return type.none() ? 0 : handle(freeze(id));
}

// ---- Blocks

void Builder::open_region(RegionId region) {
  region_ = region;
  open_.resize(kernel_.regions.size(), 0);
  open_[region] = 1;
  open_stack_.push_back(region);
}

void Builder::close_regions(uint32_t down_to) {
  while (open_stack_.size() > down_to) {
    open_[open_stack_.back()] = 0;
    open_stack_.pop_back();
  }
}

void Builder::enter(ValueId inst, int region) {
  check_depth();
  const RegionId inner = kernel_.add_region();
  kernel_.insts[inst].regions[region] = inner;
  open_region(inner);
}

void Builder::check_depth() const {
  if (open_stack_.size() >= kMaxDepth) fail(VD_ERR_INVALID, "blocks nest at most {} deep.", kMaxDepth);
}

void Builder::open_block(Op op, ValueId inst, int region, uint32_t location) {
  const auto open = static_cast<uint32_t>(open_stack_.size());
  blocks_.push_back({op, inst, inst, region_, dead_, open, open, location});
  enter(inst, region);
}

void Builder::open_if(uint32_t location) {
  check_depth();
  ++stamp_;
  const ValueId condition = instantiate(args_[0]);
  open_block(VD_OP_IF, append(VD_OP_IF, Type(), {&condition, 1}, 0, location), 0, location);
}

void Builder::open_while(uint64_t immediate, uint32_t location) {
  check_depth();
  const ValueId none = kNoValue;
  const ValueId loop = append(VD_OP_WHILE, Type(), {&none, 1}, immediate, location);
  open_block(VD_OP_WHILE, loop, 0, location);
  ++stamp_;
  const ValueId condition = instantiate(args_[0]);
  kernel_.operands[kernel_.insts[loop].first_operand] = condition;
  close_regions(blocks_.back().open_branch);
  enter(loop, 1);
}

// Values that an else_if's condition needs and that were frozen right before it: at the end of the branch that it
// closes, or behind the if that it continues. They cannot be used there, so they are computed where the condition is
// reached.
std::vector<ValueId> Builder::take_condition(RegionId from) {
  auto& list = kernel_.regions[from].insts;
  const auto stays = [&](ValueId id) { return kernel_.insts[id].op == VD_OP_COMMENT; };
  size_t first = list.size();
  while (first != 0 && (stays(list[first - 1]) || !op_info(kernel_.insts[list[first - 1]].op).has(kStatement))) --first;
  if (first == list.size()) return {};

  std::unordered_set<ValueId> needed;
  std::unordered_set<NodeId> seen{args_[0]};
  work_.assign(1, args_[0]);
  while (!work_.empty()) {
    const Node& node = nodes_[work_.back()];
    work_.pop_back();
    if (node.op == kOpFrozen) needed.insert(node.value);
    for (const NodeId operand : nodes_.operands(node)) {
      if (seen.insert(operand).second) work_.push_back(operand);
    }
  }
  std::vector<ValueId> taken;
  for (size_t i = list.size(); i-- > first;) {
    if (stays(list[i]) || !needed.contains(list[i])) continue;
    const auto operands = kernel_.operands_of(list[i]);
    needed.insert(operands.begin(), operands.end());
    taken.push_back(list[i]);
  }
  const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
  list.erase(std::remove_if(begin, list.end(), [&](ValueId id) { return !stays(id) && needed.contains(id); }),
             list.end());
  std::ranges::reverse(taken);
  return taken;
}

void Builder::open_else(Op op, uint64_t immediate, uint32_t location) {
  const char* name = op_info(op).name;
  const RegionId from = region_;
  if (immediate == 1) {
    if (closed_.empty())
      fail(VD_ERR_STATE, "{}: no if ends right before it; emit it right after the end of an if without an else.", name);
    blocks_.push_back(closed_.back());
    closed_.clear();
  }
  if (blocks_.size() <= suspended_depth_ || blocks_.back().kind != VD_OP_IF)
    fail(VD_ERR_STATE, "{}: no if is open; emit it between an if and its end.", name);
  Block& block = blocks_.back();
  if (kernel_.insts[block.inst].regions[1] != kNoRegion)
    fail(VD_ERR_STATE, "{}: the if has an else already; emit else_if before that else.", name);
  close_regions(block.open_branch);
  dead_ = block.dead_outer;
  enter(block.inst, 1);
  if (op == VD_OP_ELSE) return;
  // The condition is evaluated where it is reached, inside the else.
  for (const ValueId id : take_condition(from)) {
    kernel_.regions[region_].insts.push_back(id);
    freeze(id);
  }
  ++stamp_;
  const ValueId condition = instantiate(args_[0]);
  block.inst = append(VD_OP_IF, Type(), {&condition, 1}, 0, location);
  block.open_branch = static_cast<uint32_t>(open_stack_.size());
  enter(block.inst, 0);
}

void Builder::end() {
  if (blocks_.size() <= suspended_depth_) fail(VD_ERR_STATE, "end: no block is open; emit one end for each block.");
  const Block block = blocks_.back();
  blocks_.pop_back();
  close_regions(block.open_all);
  region_ = block.outer;
  dead_ = block.dead_outer;
  closed_.clear();
  if (block.kind == VD_OP_IF && kernel_.insts[block.inst].regions[1] == kNoRegion) {
    closed_.push_back(block);
    closed_.back().open_branch = block.open_all;
  }
}

// The rest of this block is not reached: it is checked, and then dropped.
void Builder::terminate() {
  dead_ = true;
  const RegionId nowhere = kernel_.add_region();
  open_region(nowhere);
}

bool Builder::inside_loop(size_t from) const {
  return std::ranges::any_of(std::span(blocks_).subspan(from), [](const Block& block) { return is_loop(block.kind); });
}

// ---- Lending

void Builder::suspend(bool arguments, const char* no_return) {
  lent_ = true;
  arguments_ = arguments;
  suspended_depth_ = blocks_.size();
  no_return_ = no_return;
  closed_.clear();  // the lender's if is not the borrower's to go on with
}

void Builder::resume() {
  if (!lent_) return;
  check_open();
  check_whole();
  check_closed(suspended_depth_);
  lent_ = false;
  arguments_ = true;
  suspended_depth_ = 0;
  no_return_ = nullptr;
}

void Builder::check_closed(size_t depth) const {
  if (blocks_.size() == depth) return;
  const Block& block = blocks_.back();
  fail(VD_ERR_STATE, "kernel \"{}\": the block of {} is open{}; close it with end (VD_OP_END).", kernel_.name,
       op_info(block.kind).name, place(block.location));
}

void Builder::check_whole() const {
  if (failure_.empty()) return;
  fail(VD_ERR_COMPILE,
       "kernel \"{}\" is incomplete, since a call that writes it failed: {}{} Mend that call, and write the kernel "
       "into a "
       "new builder.",
       kernel_.name, failure_, failure_.ends_with('.') ? "" : ".");
}

// ---- Calls and the end

vd_value Builder::call(const Kernel& function, std::span<const vd_value> operands, uint32_t location) {
  return located(location, [&] {
    if (!function.is_function())
      fail(VD_ERR_INVALID, "\"{}\" is a kernel, not a function; begin it with VD_BUILDER_FUNCTION.", function.name);
    if (operands.size() != function.arguments.size()) {
      fail(VD_ERR_INVALID, "operand count ({}) is not that of function \"{}\" ({}).", operands.size(), function.name,
           function.arguments.size());
    }
    closed_.clear();
    args_.clear();
    for (size_t i = 0; i < operands.size(); ++i) {
      NodeId id = node_of(operands[i], "operand");
      if (function.arguments[i].kind == VD_ARGUMENT_VALUE && nodes_[id].type.is_reference()) id = load(id, location);
      args_.push_back(id);
    }
    ++stamp_;
    std::vector<ValueId> values;
    for (const NodeId id : args_) values.push_back(instantiate(id));
    const size_t before = kernel_.insts.size();
    const ValueId result = inline_function(kernel_, region_, function, values, location);
    open_.resize(kernel_.regions.size(), 0);
    if (dead_) {
      for (size_t i = before; i < kernel_.insts.size(); ++i) {
        if (kernel_.insts[i].op == VD_OP_VAR) unreached_vars_.push_back(static_cast<ValueId>(i));
      }
    }
    return result == kNoValue ? 0 : handle(freeze(result));
  });
}

Kernel Builder::finish(bool run_passes) {
  check_open();
  if (lent_)
    fail(VD_ERR_STATE, "kernel \"{}\" cannot be finished by the caller: its generator finishes it.", kernel_.name);
  check_whole();
  check_closed(0);
  finished_ = true;
  // A variable whose declaration is never reached is zero for ever.
  auto& body = kernel_.regions[kernel_.body].insts;
  for (const ValueId id : unreached_vars_) kernel_.insts[id].operand_count = 0;
  body.insert(body.begin(), unreached_vars_.begin(), unreached_vars_.end());
  verify(kernel_);
  if (run_passes) optimise(kernel_);
  analyse(kernel_);
  Kernel whole = std::move(kernel_);
  kernel_.name = whole.name;  // for messages about later calls
  return whole;
}

}  // namespace vd::ir
