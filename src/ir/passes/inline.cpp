// Returns: a function whose only return is its last instruction is copied unchanged. Otherwise its value goes to a
// variable; behind an `if` that always returns in one branch the rest of the code moves into the other branch; where a
// return hides in a loop or returns only sometimes, a flag says so: loops break on it, and the rest runs if it is not
// set.
#include "ir/passes/inline.h"

#include <algorithm>
#include <unordered_map>

#include "core/error.h"
#include "ir/emitter.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

class Inliner {
 public:
  Inliner(Kernel& kernel, RegionId region, const Kernel& function, std::span<const ValueId> arguments,
          uint32_t location)
      : e_(kernel, region),
        f_(function),
        arguments_(arguments),
        location_(location),
        map_(function.insts.size(), kNoValue) {
    e_.folding = false;
    e_.location = location;
  }

  ValueId run() {
    check_arguments();
    find_returns();
    const auto& body = f_.regions[f_.body].insts;
    simple_ = returns_ == 0 || (returns_ == 1 && f_.insts[body.back()].op == VD_OP_RETURN);
    const bool gives = !f_.return_type.none();
    if (gives && returns_ == 0) fail(VD_ERR_INVALID, "function \"{}\" never returns a value.", f_.name);
    if (!simple_) {
      if (gives) result_ = e_.var(e_.zero(map_type(f_.return_type)));
      flag_ = e_.var(e_.bits(kBool, 0));
    }
    copy_list(body, 0);
    e_.location = location_;
    if (!gives) return kNoValue;
    return simple_ ? value_ : e_.load(result_);
  }

 private:
  using List = std::vector<ValueId>;

  Type map_type(Type type);
  void check_arguments();
  void find_returns();
  bool always_returns(RegionId region) const;
  bool may_return(RegionId region) const;
  uint32_t map_location(uint32_t location);
  ValueId map_leaf(ValueId id);
  ValueId map_operand(ValueId id) { return map_[id] != kNoValue ? map_[id] : map_leaf(id); }
  void copy_list(const List& list, size_t from);
  void copy_statements(const List& list, size_t from);
  void copy_inst(ValueId id);
  void copy_block(ValueId id);
  void copy_return(const Inst& inst);
  void copy_returning_if(const Inst& inst, const List& list, size_t next);
  void copy_rest(const List& list, size_t next, bool returned_perhaps);

  Emitter e_;
  const Kernel& f_;
  const std::span<const ValueId> arguments_;
  const uint32_t location_;
  std::vector<ValueId> map_;
  std::vector<bool> holds_return_;
  std::vector<uint32_t> locations_;
  std::unordered_map<uint32_t, Type> types_;  // arrays and structs of the function as the kernel has them
  uint32_t returns_ = 0, loops_ = 0, depth_ = 0;
  bool simple_ = false;
  ValueId result_ = kNoValue, flag_ = kNoValue, value_ = kNoValue;
};

// Arrays and structs have other numbers in the kernel's own table.
Type Inliner::map_type(Type type) {
  if (!type.is_array() && !type.is_struct()) return type;
  if (const auto known = types_.find(type.value().bits()); known != types_.end()) return known->second.in(type.space());
  TypeTable& types = e_.kernel().types;
  Type own;
  if (type.is_array()) {
    const auto array = f_.types.get_array(type);
    own = types.array(map_type(array.element), array.count);
  } else {
    std::vector<Field> fields = f_.types.get_struct(type).fields;
    for (Field& field : fields) field.type = map_type(field.type);
    own = types.structure(f_.types.get_struct(type).name, std::move(fields));
  }
  types_.emplace(type.value().bits(), own);
  return own.in(type.space());
}

void Inliner::check_arguments() {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& parameter = f_.arguments[i];
    const Type given = e_.type(arguments_[i]);
    const Type wanted = map_type(parameter.type);
    const TypeTable& types = e_.kernel().types;
    bool fits = false;
    switch (parameter.kind) {
      case VD_ARGUMENT_BUFFER:
        fits = given.is_array() && given.is_reference() && types.get_array(given).element == wanted;
        break;
      case VD_ARGUMENT_REFERENCE:
        fits = given.is_reference() && given.value() == wanted.value();
        break;
      default:
        fits = given == wanted;
        break;
    }
    if (!fits) {
      fail(VD_ERR_INVALID, "function \"{}\": argument \"{}\" has type {}, not {}.", f_.name, parameter.name,
           types.name(given), types.name(wanted));
    }
  }
}

void Inliner::find_returns() {
  holds_return_.assign(f_.insts.size(), false);
  struct Frame {
    RegionId region;
    size_t next;
    ValueId block;
  };
  std::vector<Frame> stack{{f_.body, 0, kNoValue}};
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const auto& list = f_.regions[frame.region].insts;
    if (frame.next == list.size()) {
      stack.pop_back();
      continue;
    }
    const ValueId id = list[frame.next++];
    const Inst& inst = f_.insts[id];
    if (inst.op == VD_OP_RETURN) {
      ++returns_;
      for (const Frame& outer : stack) {
        if (outer.block != kNoValue) holds_return_[outer.block] = true;
      }
    }
    for (int i = 1; i >= 0; --i) {
      if (inst.regions[i] != kNoRegion) stack.push_back({inst.regions[i], 0, id});
    }
  }
}

bool Inliner::may_return(RegionId region) const {
  if (region == kNoRegion) return false;
  return std::ranges::any_of(f_.regions[region].insts,
                             [&](ValueId id) { return holds_return_[id] || f_.insts[id].op == VD_OP_RETURN; });
}

bool Inliner::always_returns(RegionId region) const {
  if (region == kNoRegion || f_.regions[region].insts.empty()) return false;
  const Inst& last = f_.insts[f_.regions[region].insts.back()];
  if (last.op == VD_OP_IF) return always_returns(last.regions[0]) && always_returns(last.regions[1]);
  if (last.op == VD_OP_SCOPE) return always_returns(last.regions[0]);
  return last.op == VD_OP_RETURN;
}

uint32_t Inliner::map_location(uint32_t location) {
  if (location == 0) return location_;
  if (locations_.empty()) locations_.assign(f_.locations.size(), 0);
  if (locations_[location] == 0) {
    e_.kernel().locations.push_back(f_.locations[location]);
    locations_[location] = static_cast<uint32_t>(e_.kernel().locations.size() - 1);
  }
  return locations_[location];
}

ValueId Inliner::map_leaf(ValueId id) {
  const Inst& inst = f_.insts[id];
  Kernel& k = e_.kernel();
  if (inst.op == kOpArgument) {
    map_[id] = arguments_[inst.immediate];
  } else if (inst.op == kOpShared) {
    SharedArray shared = f_.shareds[inst.immediate];
    shared.element = map_type(shared.element);
    const Type type = k.types.array(shared.element, shared.count).in(Space::Shared);
    k.shareds.push_back(std::move(shared));
    map_[id] = e_.leaf(kOpShared, type, k.shareds.size() - 1);
  } else if (inst.op == kOpConstant) {
    map_[id] = e_.bytes(map_type(inst.type), f_.constants[inst.immediate].bytes);
  } else if (inst.op == kOpString) {
    const std::string& text = f_.strings[inst.immediate];
    const auto found = std::ranges::find(k.strings, text);
    const auto index = static_cast<uint64_t>(found - k.strings.begin());
    if (found == k.strings.end()) k.strings.push_back(text);
    map_[id] = e_.leaf(kOpString, Type::string(), index);
  } else {
    map_[id] = e_.leaf(inst.op, map_type(inst.type), inst.immediate);
  }
  return map_[id];
}

void Inliner::copy_list(const List& list, size_t from) {
  // The rest behind a return is one block deeper, so as many returns as this would nest deeper than a kernel may.
  if (depth_ == 2 * kMaxDepth) {
    fail(VD_ERR_INVALID, "function \"{}\": its returns make blocks nest more than {} deep.", f_.name, depth_);
  }
  ++depth_;
  copy_statements(list, from);
  --depth_;
}

void Inliner::copy_statements(const List& list, size_t from) {
  for (size_t i = from; i < list.size(); ++i) {
    const Inst& inst = f_.insts[list[i]];
    e_.location = map_location(inst.location);
    if (inst.op == VD_OP_RETURN) return copy_return(inst);
    if (!holds_return_[list[i]]) {
      copy_inst(list[i]);
    } else if (inst.op == VD_OP_IF && loops_ == 0) {
      return copy_returning_if(inst, list, i + 1);
    } else if (loops_ == 0) {
      copy_block(list[i]);
      return copy_rest(list, i + 1, true);
    } else {
      copy_block(list[i]);
      if (!is_loop(inst.op)) continue;
      e_.begin_if(e_.load(flag_));
      e_.leave();
      e_.end();
    }
  }
}

void Inliner::copy_rest(const List& list, size_t next, bool returned_perhaps) {
  if (next == list.size()) return;
  if (!returned_perhaps) return copy_list(list, next);
  e_.begin_if(e_.emit(VD_OP_LNOT, e_.load(flag_)));
  copy_list(list, next);
  e_.end();
}

void Inliner::copy_return(const Inst& inst) {
  if (inst.operand_count != 0) {
    const ValueId value = map_operand(f_.operands[inst.first_operand]);
    if (simple_) {
      value_ = value;
      return;
    }
    e_.store(result_, value);
  }
  if (simple_) return;
  e_.store(flag_, e_.bits(kBool, 1));
  if (loops_ != 0) e_.leave();
}

void Inliner::copy_returning_if(const Inst& inst, const List& list, size_t next) {
  const RegionId yes = inst.regions[0], no = inst.regions[1];
  const bool first = always_returns(yes), second = always_returns(no);
  e_.begin_if(map_operand(f_.operands[inst.first_operand]));
  copy_list(f_.regions[yes].insts, 0);
  if (!first && second) copy_rest(list, next, may_return(yes));
  const bool rest_in_else = first && !second && next != list.size();
  if (no != kNoRegion || rest_in_else) {
    e_.begin_else();
    if (no != kNoRegion) copy_list(f_.regions[no].insts, 0);
    if (rest_in_else) copy_rest(list, next, may_return(no));
  }
  e_.end();
  if (!first && !second) copy_rest(list, next, true);
}

void Inliner::copy_inst(ValueId id) {
  const Inst& inst = f_.insts[id];
  if (inst.regions[0] != kNoRegion || inst.regions[1] != kNoRegion) return copy_block(id);
  List operands;
  for (const ValueId operand : f_.operands_of(inst)) operands.push_back(map_operand(operand));
  // A reference takes the space of its base.
  Type type = map_type(inst.type);
  if (inst.op == VD_OP_VIEW) type = type.in(e_.type(operands[0]).space());
  if (inst.op == VD_OP_INDEX || inst.op == VD_OP_MEMBER) type = Type();
  uint64_t immediate = inst.immediate;
  if (op_info(inst.op).has(kFloat) && (immediate & kClassBits) == 0) {
    if ((f_.flags & VD_BUILDER_PRECISE) != 0) immediate |= VD_MATH_PRECISE;
    if ((f_.flags & VD_BUILDER_NATIVE) != 0) immediate |= VD_MATH_NATIVE;
  }
  const ValueId copy = e_.emit(inst.op, type, operands, immediate);
  map_[id] = copy;
  if (id < f_.names.size() && !f_.names[id].empty()) {
    Kernel& k = e_.kernel();
    if (k.names.size() <= copy) k.names.resize(copy + 1);
    k.names[copy] = f_.names[id];
  }
}

void Inliner::copy_block(ValueId id) {
  const Inst inst = f_.insts[id];
  const bool late = inst.op == VD_OP_WHILE;  // its condition is known after its region
  List operands;
  for (const ValueId operand : f_.operands_of(inst)) operands.push_back(late ? kNoValue : map_operand(operand));
  Inst fresh = inst;
  fresh.location = e_.location;
  fresh.regions = {kNoRegion, kNoRegion};
  Kernel& k = e_.kernel();
  const ValueId copy = e_.append(fresh, operands);
  map_[id] = copy;
  const RegionId outer = e_.region();
  loops_ += is_loop(inst.op) ? 1 : 0;
  for (int i = 0; i < 2; ++i) {
    if (inst.regions[i] == kNoRegion) continue;
    const RegionId region = k.add_region();
    k.insts[copy].regions[i] = region;
    e_.set_region(region);
    copy_list(f_.regions[inst.regions[i]].insts, 0);
    if (late && i == 0) k.operands[k.insts[copy].first_operand] = map_operand(f_.operands[inst.first_operand]);
  }
  loops_ -= is_loop(inst.op) ? 1 : 0;
  e_.set_region(outer);
}

}  // namespace

ValueId inline_function(Kernel& kernel, RegionId region, const Kernel& function, std::span<const ValueId> arguments,
                        uint32_t location) {
  return Inliner(kernel, region, function, arguments, location).run();
}

}  // namespace vd::ir
