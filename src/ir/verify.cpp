#include "ir/verify.h"

#include <string_view>

#include "core/error.h"
#include "ir/contents.h"
#include "ir/evaluate.h"
#include "ir/fold.h"
#include "ir/type_rules.h"

namespace vd::ir {
namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : k_(kernel),
        home_(kernel.insts.size(), kNoRegion),
        leaf_checked_(kernel.insts.size(), false),
        visited_(kernel.regions.size(), false),
        open_(kernel.regions.size(), false) {}

  void run() {
    check_tables();
    if (k_.body >= k_.regions.size()) bad(kNoValue, "it has no body");
    check_region(k_.body, 0);
  }

 private:
  template <class... Args>
  [[noreturn]] void bad(ValueId id, fmt::format_string<Args...> format, Args&&... args) const {
    std::string message = fmt::format("kernel \"{}\": ", k_.name);
    if (id != kNoValue)
      message += fmt::format("{}: ", is_op(k_.insts[id].op) ? op_info(k_.insts[id].op).name : "unknown op");
    message += fmt::format(format, std::forward<Args>(args)...) + place(id);
    throw Error(VD_ERR_COMPILE, std::move(message));
  }
  std::string place(ValueId id) const {
    if (id == kNoValue) return ".";
    const uint32_t location = k_.insts[id].location;
    if (location == 0 || location >= k_.locations.size()) return ".";
    return fmt::format(" ({}:{}).", k_.locations[location].file, k_.locations[location].line);
  }

  void check_tables();
  void check_region(RegionId region, uint32_t depth);
  void check_inst(ValueId id, RegionId region, uint32_t depth);
  void check_regions(ValueId id);
  void check_leaf(ValueId id);
  void check_operand(ValueId user, ValueId id);
  void check_types(ValueId id);
  void check_special(ValueId id);
  void check_format(ValueId id);

  const Kernel& k_;
  std::vector<RegionId> home_;  // an instruction's region, once it has been visited; a counter's is its loop's body
  std::vector<bool> leaf_checked_;
  std::vector<bool> visited_, open_;
  uint32_t loops_ = 0, conditions_ = 0;
  std::vector<Type> types_;
};

void Verifier::check_tables() {
  const bool function = k_.is_function();
  for (const Argument& argument : k_.arguments) {
    const bool image = argument.kind == VD_ARGUMENT_IMAGE;
    const bool valid = k_.types.is_valid(argument.type) && argument.type.is_image() == image &&
                       (image || k_.types.size(argument.type.value()) != 0);
    if (image && !valid) bad(kNoValue, "argument \"{}\" does not have the type of an image", argument.name);
    if (!valid) bad(kNoValue, "argument \"{}\" does not have the type of a value", argument.name);
    const bool inner = argument.kind == VD_ARGUMENT_VALUE || argument.kind == VD_ARGUMENT_REFERENCE;
    if (inner && !function) bad(kNoValue, "argument \"{}\" is one that only functions have", argument.name);
    if (function && (argument.kind == VD_ARGUMENT_CONSTANT || argument.kind == VD_ARGUMENT_VARIABLE)) {
      bad(kNoValue, "argument \"{}\" is one that functions do not have", argument.name);
    }
    if (argument.type.is_reference() && argument.kind != VD_ARGUMENT_REFERENCE)
      bad(kNoValue, "argument \"{}\" is a reference", argument.name);
    if (!inner && contents_of(k_.types, argument.type).holds(Scalar::Bool))
      bad(kNoValue, "argument \"{}\" holds a bool, which cannot be in a buffer or a block of values", argument.name);
  }
  for (const SharedArray& shared : k_.shareds) {
    if (!k_.types.is_valid(shared.element) || shared.element.is_reference() || shared.count == 0 ||
        k_.types.size(shared.element) == 0) {
      bad(kNoValue, "shared array \"{}\" has no element type or no element", shared.name);
    }
    if (shared.explicit_offset && shared.offset % k_.types.align(shared.element) != 0) {
      bad(kNoValue, "shared array \"{}\": offset ({}) is not aligned", shared.name, shared.offset);
    }
  }
  for (const Constant& constant : k_.constants) {
    if (!k_.types.is_valid(constant.type) || constant.type.is_reference() ||
        constant.bytes.size() != k_.types.size(constant.type) || constant.bytes.empty()) {
      bad(kNoValue, "a constant does not have its type's size");
    }
  }
  if (!k_.return_type.none() &&
      (!function || !k_.types.is_valid(k_.return_type) || k_.types.size(k_.return_type.value()) == 0)) {
    bad(kNoValue, "the return type is not the type of a value");
  }
}

void Verifier::check_region(RegionId region, uint32_t depth) {
  if (depth > 2 * kMaxDepth) bad(kNoValue, "blocks nest more than {} deep", 2 * kMaxDepth);
  if (visited_[region]) bad(kNoValue, "a region belongs to two instructions");
  visited_[region] = open_[region] = true;
  const auto& list = k_.regions[region].insts;
  for (size_t i = 0; i < list.size(); ++i) {
    const ValueId id = list[i];
    if (id >= k_.insts.size()) bad(kNoValue, "an instruction's number ({}) is out of range", id);
    if (home_[id] != kNoRegion) bad(id, "it appears in the code twice");
    check_inst(id, region, depth);
    if (op_info(k_.insts[id].op).has(kTerminator) && i + 1 != list.size()) bad(id, "code follows it");
  }
  open_[region] = false;
}

void Verifier::check_inst(ValueId id, RegionId region, uint32_t depth) {
  const Inst& inst = k_.insts[id];
  if (!is_op(inst.op)) bad(id, "its op ({}) is unknown", static_cast<int32_t>(inst.op));
  const OpInfo& info = op_info(inst.op);
  switch (inst.op) {
    case VD_OP_LET:
    case VD_OP_ELSE:
    case VD_OP_ELSE_IF:
    case VD_OP_END:
      bad(id, "only a builder may contain it");
    default:
      break;
  }
  if (info.has(kLeaf)) bad(id, "a leaf must not be in a region");
  if (inst.location >= k_.locations.size())
    bad(kNoValue, "{}: location ({}) is out of range", info.name, inst.location);
  if (inst.first_operand > k_.operands.size() || inst.operand_count > k_.operands.size() - inst.first_operand) {
    bad(id, "its operands are out of range");
  }
  check_regions(id);
  if (inst.op == VD_OP_WHILE) {
    ++conditions_;
    // The condition is seen from inside its region only: leave that open until it has been checked.
    check_region(inst.regions[0], depth + 1);
    open_[inst.regions[0]] = true;
    --conditions_;
  }
  for (const ValueId operand : k_.operands_of(inst)) check_operand(id, operand);
  check_types(id);
  if (inst.op == VD_OP_WHILE) open_[inst.regions[0]] = false;
  check_special(id);
  const bool loop = is_loop(inst.op);
  home_[id] = inst.op == VD_OP_FOR ? inst.regions[1] : region;
  loops_ += loop ? 1 : 0;
  for (int i = inst.op == VD_OP_WHILE ? 1 : 0; i < 2; ++i) {
    if (inst.regions[i] != kNoRegion) check_region(inst.regions[i], depth + 1);
  }
  loops_ -= loop ? 1 : 0;
}

void Verifier::check_regions(ValueId id) {
  const Inst& inst = k_.insts[id];
  bool need[2] = {false, false}, may[2] = {false, false};
  switch (inst.op) {
    case VD_OP_IF:
      need[0] = may[1] = true;
      break;
    case VD_OP_WHILE:
      need[0] = need[1] = true;
      break;
    case VD_OP_LOOP:
    case VD_OP_FOR:
      need[1] = true;
      break;
    case VD_OP_SCOPE:
      need[0] = true;
      break;
    default:
      break;
  }
  for (int i = 0; i < 2; ++i) {
    const RegionId region = inst.regions[i];
    if (region == kNoRegion ? need[i] : !(need[i] || may[i]) || region >= k_.regions.size())
      bad(id, "its regions do not match its op");
  }
}

void Verifier::check_leaf(ValueId id) {
  const Inst& inst = k_.insts[id];
  leaf_checked_[id] = true;
  if (inst.operand_count != 0) bad(id, "a leaf has no operand");
  const auto in_table = [&](size_t size) {
    if (inst.immediate >= size) bad(id, "immediate ({}) is past the end of its table ({})", inst.immediate, size);
  };
  Type wanted = inst.type;
  if (inst.op == kOpArgument) {
    in_table(k_.arguments.size());
    const Argument& argument = k_.arguments[inst.immediate];
    switch (argument.kind) {
      case VD_ARGUMENT_BUFFER:
        if (!inst.type.is_array() || inst.type.space() != Space::Storage || !k_.types.is_valid(inst.type) ||
            k_.types.get_array(inst.type).element != argument.type || k_.types.get_array(inst.type).count != 0) {
          bad(id, "its type ({}) is not that of its argument", type_name(inst.type));
        }
        break;
      case VD_ARGUMENT_CONSTANT:
      case VD_ARGUMENT_VARIABLE:
        wanted = argument.type.in(Space::Uniform);
        break;
      case VD_ARGUMENT_REFERENCE:
        wanted = argument.type.is_reference() ? argument.type : argument.type.in(Space::Private);
        break;
      default:
        wanted = argument.type;
        break;
    }
  } else if (inst.op == kOpShared) {
    in_table(k_.shareds.size());
    const SharedArray& shared = k_.shareds[inst.immediate];
    if (!inst.type.is_array() || inst.type.space() != Space::Shared || !k_.types.is_valid(inst.type) ||
        k_.types.get_array(inst.type).element != shared.element ||
        k_.types.get_array(inst.type).count != shared.count) {
      bad(id, "its type ({}) is not that of its shared array", type_name(inst.type));
    }
  } else if (inst.op == kOpConstant) {
    in_table(k_.constants.size());
    wanted = k_.constants[inst.immediate].type;
  } else if (inst.op == kOpString) {
    in_table(k_.strings.size());
    wanted = Type::string();
  } else {
    check_types(id);
  }
  if (inst.type != wanted) bad(id, "its type is {}, not {}", type_name(inst.type), type_name(wanted));
}

void Verifier::check_operand(ValueId user, ValueId id) {
  if (id >= k_.insts.size()) bad(user, "an operand's number ({}) is out of range", id);
  const Inst& inst = k_.insts[id];
  if (!is_op(inst.op)) bad(user, "an operand is not an instruction");
  if (op_info(inst.op).has(kLeaf)) {
    if (!leaf_checked_[id]) check_leaf(id);
    return;
  }
  if (home_[id] == kNoRegion) bad(user, "an operand ({}) is used before it is computed", op_info(inst.op).name);
  if (inst.op != VD_OP_VAR && !open_[home_[id]])
    bad(user, "an operand ({}) is used outside the block that computes it", op_info(inst.op).name);
  if (inst.type.none()) bad(user, "an operand ({}) has no value", op_info(inst.op).name);
}

void Verifier::check_types(ValueId id) {
  const Inst& inst = k_.insts[id];
  types_.clear();
  for (const ValueId operand : k_.operands_of(inst)) types_.push_back(k_.insts[operand].type);
  try {
    const Type type = result_type(k_.types, inst.op, inst.type, types_, inst.immediate);
    if (type != inst.type)
      bad(id, "its type is {}, not {}", k_.types.name(inst.type), type.none() ? "none" : k_.types.name(type));
  } catch (const Error& error) {
    if (error.status() == VD_ERR_COMPILE) throw;
    std::string message = error.what();
    if (message.ends_with('.')) message.pop_back();
    throw Error(VD_ERR_COMPILE, fmt::format("kernel \"{}\": {}{}", k_.name, message, place(id)));
  }
}

void Verifier::check_special(ValueId id) {
  const Inst& inst = k_.insts[id];
  const auto operand = [&](uint32_t i) -> const Inst& { return k_.insts[k_.operands[inst.first_operand + i]]; };
  if (op_info(inst.op).has(kTerminator) && conditions_ != 0) bad(id, "it is in the condition of a loop");
  switch (inst.op) {
    case VD_OP_BREAK:
    case VD_OP_CONTINUE:
      if (loops_ == 0) bad(id, "it is not inside a loop");
      break;
    case VD_OP_RETURN: {
      const Type given = inst.operand_count == 0 ? Type() : operand(0).type;
      if (given != k_.return_type) bad(id, "its value is not of the return type");
      break;
    }
    case VD_OP_INDEX: {
      uint64_t at = 0;
      const uint32_t count = element_count(k_.types, operand(0).type);
      if (!constant_splat(k_, k_.operands[inst.first_operand + 1], at)) break;
      const Type type = operand(1).type;
      const int64_t signed_at = extend(type.scalar(), at);
      if (type.is_signed() && signed_at < 0) {
        bad(id, "index ({}) is negative", signed_at);
      } else if (count == 0 && at > INT64_MAX) {
        bad(id, "index ({}) is past the end of every buffer", at);
      } else if (count != 0 && at >= count) {
        bad(id, "index ({}) is out of range ({} elements)", at, count);
      }
      break;
    }
    case VD_OP_LOAD:
    case VD_OP_STORE:
      if (access_width(inst.immediate) > 1) {
        const Inst& reference = operand(0);
        if (reference.op != VD_OP_INDEX || !k_.insts[k_.operands[reference.first_operand]].type.is_array()) {
          bad(id, "a wide access takes an element of a buffer or array");
        }
      }
      break;
    case VD_OP_SHAPE:
      if (operand(0).op != kOpArgument && operand(0).op != kOpShared)
        bad(id, "it takes a buffer or shared array itself");
      break;
    case VD_OP_FOR: {
      uint64_t step = 0;
      if (constant_splat(k_, k_.operands[inst.first_operand + 2], step) && step == 0) bad(id, "step is 0");
      break;
    }
    case VD_OP_PRINTF:
      check_format(id);
      break;
    default:
      if ((k_.flags & VD_BUILDER_NO_SUBGROUP) != 0 && is_subgroup(inst.op))
        bad(id, "the kernel was begun with VD_BUILDER_NO_SUBGROUP");
      break;
  }
}

// Each conversion of the format takes one scalar of its kind. Allowed is what every language prints alike: flags, width
// and precision of at most three digits, letters of a length, which have no effect, and d i u x X o c or f F e E g G a
// A.
void Verifier::check_format(ValueId id) {
  const Inst& inst = k_.insts[id];
  const std::string_view text = k_.strings[k_.insts[k_.operands[inst.first_operand]].immediate];
  uint32_t used = 1;
  size_t at = 0;
  const auto skip = [&](std::string_view any, size_t most) {
    for (size_t n = 0; n < most && at < text.size() && any.find(text[at]) != std::string_view::npos; ++n) ++at;
  };
  while ((at = text.find('%', at)) != std::string_view::npos) {
    ++at;
    if (at < text.size() && text[at] == '%') {
      ++at;
      continue;
    }
    constexpr std::string_view digits = "0123456789";
    skip("-+ #0", 5);
    skip(digits, 3);
    if (at < text.size() && text[at] == '.') {
      ++at;
      skip(digits, 3);
    }
    skip("hlLqjzt", 2);
    if (at == text.size()) bad(id, "the format ends inside a conversion");
    const char kind = text[at++];
    const bool integer = std::string_view("diuxXoc").find(kind) != std::string_view::npos;
    const bool real = std::string_view("fFeEgGaA").find(kind) != std::string_view::npos;
    if (!integer && !real) bad(id, "the format has an unknown conversion (%{})", kind);
    if (used >= inst.operand_count) bad(id, "the format takes more values than the {} given", inst.operand_count - 1);
    const Type type = k_.insts[k_.operands[inst.first_operand + used]].type;
    if (type.is_float() != real) bad(id, "conversion %{} of the format does not fit a {}", kind, k_.types.name(type));
    ++used;
  }
  if (used != inst.operand_count)
    bad(id, "the format takes {} values, and there are {}", used - 1, inst.operand_count - 1);
}

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace vd::ir
