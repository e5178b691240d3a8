#include "ir/builder.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/name.h"
#include "core/traits.h"
#include "ir/analyse.h"
#include "ir/contents.h"
#include "ir/evaluate.h"
#include "ir/passes/inline.h"
#include "ir/passes/pipeline.h"
#include "ir/type_rules.h"
#include "ir/verify.h"

namespace vd::ir {
namespace {

constexpr vd_builder_flags kKnownFlags = VD_BUILDER_BY_VALUE | VD_BUILDER_FUNCTION | VD_BUILDER_NO_EXEC_BOUNDS |
                                         VD_BUILDER_NO_SUBGROUP | VD_BUILDER_NO_PRINTF | VD_BUILDER_PRECISE |
                                         VD_BUILDER_NATIVE;

uint64_t truncate(uint64_t bits, Scalar s) {
  if (s == Scalar::Bool) return bits != 0;
  const uint32_t width = scalar_bits(s);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

}  // namespace

Builder::Builder(const vd_builder_desc& desc) {
  if ((desc.flags & ~kKnownFlags) != 0) fail(VD_ERR_INVALID, "flags ({:#x}) have unknown bits.", desc.flags);
  if ((desc.flags & VD_BUILDER_PRECISE) != 0 && (desc.flags & VD_BUILDER_NATIVE) != 0) {
    fail(VD_ERR_INVALID, "flags ({:#x}) ask for both precise and native math; set one of the two at most.", desc.flags);
  }
  const Type return_type(desc.return_type);
  if (!return_type.none()) {
    if ((desc.flags & VD_BUILDER_FUNCTION) == 0)
      fail(VD_ERR_INVALID,
           "return_type ({}) is for functions only; set VD_BUILDER_FUNCTION, or store the "
           "result to a buffer.",
           shown_type(return_type));
    if (!kernel_.types.is_valid(return_type) || return_type.is_reference() || kernel_.types.size(return_type) == 0) {
      fail(VD_ERR_INVALID, "return_type ({}) is not the type of a value.", shown_type(return_type));
    }
  }
  kernel_.flags = desc.flags;
  if (desc.name != nullptr && desc.name[0] != '\0') kernel_.name = shown_name(desc.name);
  kernel_.return_type = return_type;
  const auto size = [&](const uint32_t(&from)[3], std::array<uint32_t, 3>& to, const char* what) {
    const bool any = from[0] != 0 || from[1] != 0 || from[2] != 0;
    for (int i = 0; i < 3; ++i) to[i] = any ? std::max(from[i], 1u) : 0;
    if (any && uint64_t{to[0]} * to[1] * to[2] > kMostInvocations) {
      fail(VD_ERR_INVALID, "{} ({}, {}, {}) is past the limit ({} in all).", what, to[0], to[1], to[2],
           kMostInvocations);
    }
  };
  size(desc.workgroup_size, kernel_.attributes.workgroup_size, "workgroup_size");
  size(desc.cluster_size, kernel_.attributes.cluster_size, "cluster_size");
  if (desc.shared_carveout > 101)
    fail(VD_ERR_INVALID, "shared_carveout ({}) is past the limit (101).", desc.shared_carveout);
  kernel_.attributes.min_workgroups = desc.min_workgroups;
  kernel_.attributes.shared_carveout = desc.shared_carveout;
  kernel_.attributes.dynamic_shared_size = desc.dynamic_shared_size;
  open_.assign(1, 1);
  open_stack_.push_back(kernel_.body);
}

// ---- Declarations

void Builder::check_open() const {
  if (finished_)
    fail(VD_ERR_STATE, "kernel \"{}\" is finished; write further code into another builder.", kernel_.name);
}

void Builder::check_location(uint32_t location) const {
  if (location >= kernel_.locations.size()) {
    fail(VD_ERR_INVALID, "location ({}) is not from this builder ({} known); add one with vd_builder_location().",
         location, kernel_.locations.size());
  }
}

// The message with the place that it speaks of inside its sentence.
std::string Builder::at_place(std::string message, uint32_t location) const {
  const std::string where = place(location);
  if (where.empty() || message.ends_with(where + ".")) return message;
  if (message.ends_with('.')) message.pop_back();
  return message + where + ".";
}

std::string Builder::place(uint32_t location) const {
  const Location& at = kernel_.locations[location];
  if (location == 0) return "";
  return at.function.empty() ? fmt::format(" ({}:{})", at.file, at.line)
                             : fmt::format(" ({}:{}, in {})", at.file, at.line, at.function);
}

vd_value Builder::argument(vd_argument_kind kind, Type type, const char* name, uint32_t location) {
  return located(location, [&] { return add_argument(kind, type, name); });
}

vd_value Builder::add_argument(vd_argument_kind kind, Type type, const char* name) {
  check_open();
  const std::string text = name == nullptr ? "" : shown_name(name);
  if (!arguments_)
    fail(VD_ERR_STATE, "argument \"{}\": it is declared too late; declare it when the generator asks for arguments.",
         text);
  const bool function = kernel_.is_function();
  if (kernel_.arguments.size() >= 0xffff)
    fail(VD_ERR_INVALID, "a kernel has at most {} arguments; join values in a struct.", 0xffff);
  if (kind == VD_ARGUMENT_IMAGE) {
    if (!type.is_image() || !kernel_.types.is_valid(type))
      fail(VD_ERR_INVALID, "argument \"{}\": type ({}) is not the type of an image.", text,
           shown_type(type, kernel_.types));
    kernel_.arguments.push_back({kind, type, text});
    return handle(nodes_.intern(kOpArgument, type, {}, kernel_.arguments.size() - 1, 0));
  }
  if (!kernel_.types.is_valid(type) || kernel_.types.size(type.value()) == 0 ||
      (type.is_reference() && kind != VD_ARGUMENT_REFERENCE)) {
    fail(VD_ERR_INVALID, "argument \"{}\": type ({}) is not the type of a value.", text,
         shown_type(type, kernel_.types));
  }
  Type value;
  switch (kind) {
    case VD_ARGUMENT_BUFFER:
      value = kernel_.types.array(type, 0).in(Space::Storage);
      break;
    case VD_ARGUMENT_CONSTANT:
    case VD_ARGUMENT_VARIABLE:
      if (function)
        fail(VD_ERR_INVALID, "argument \"{}\": a function takes values, references and buffers; use VD_ARGUMENT_VALUE.",
             text);
      value = type.in(Space::Uniform);
      break;
    case VD_ARGUMENT_VALUE:
    case VD_ARGUMENT_REFERENCE:
      if (!function)
        fail(VD_ERR_INVALID,
             "argument \"{}\": only a function takes values and references; use VD_ARGUMENT_CONSTANT or "
             "VD_ARGUMENT_BUFFER, or set VD_BUILDER_FUNCTION.",
             text);
      value = kind == VD_ARGUMENT_VALUE || type.is_reference() ? type : type.in(Space::Private);
      break;
    default:
      fail(VD_ERR_INVALID, "argument \"{}\": kind ({}) is unknown.", text, static_cast<int32_t>(kind));
  }
  if (kind != VD_ARGUMENT_VALUE && kind != VD_ARGUMENT_REFERENCE &&
      contents_of(kernel_.types, type).holds(Scalar::Bool)) {
    fail(VD_ERR_INVALID, "argument \"{}\": a bool cannot be in a buffer or a block of values; use u32.", text);
  }
  kernel_.arguments.push_back({kind, type, text});
  return handle(nodes_.intern(kOpArgument, value, {}, kernel_.arguments.size() - 1, 0));
}

vd_value Builder::shared(Type element, uint32_t count, uint32_t offset, const char* name) {
  check_open();
  if (count == 0) fail(VD_ERR_INVALID, "count (0) of a shared array is not at least 1.");
  if (!kernel_.types.is_valid(element)) fail(VD_ERR_INVALID, "type ({}) is unknown.", shown_type(element));
  const Type type = kernel_.types.array(element, count);
  const bool given = offset != VD_SHARED_OFFSET_AUTO;
  if (given && offset % kernel_.types.align(element) != 0) {
    fail(VD_ERR_INVALID, "offset ({}) is not a multiple of {}'s alignment ({}); VD_SHARED_OFFSET_AUTO chooses one.",
         offset, kernel_.types.name(element), kernel_.types.align(element));
  }
  if (kernel_.shareds.size() >= 0xffff)
    fail(VD_ERR_INVALID, "a kernel has at most {} shared arrays; join arrays, and index at an offset.", 0xffff);
  std::string text =
      name == nullptr || name[0] == '\0' ? fmt::format("shared{}", kernel_.shareds.size()) : shown_name(name);
  kernel_.shareds.push_back({element, count, offset, given, std::move(text)});
  return handle(nodes_.intern(kOpShared, type.in(Space::Shared), {}, kernel_.shareds.size() - 1, 0));
}

Type Builder::array_type(Type element, uint32_t count) {
  check_open();
  if (count == 0) fail(VD_ERR_INVALID, "count (0) of an array type is not at least 1.");
  if (!kernel_.types.is_valid(element)) fail(VD_ERR_INVALID, "type ({}) is unknown.", shown_type(element));
  return kernel_.types.array(element, count);
}

Type Builder::struct_type(const char* name, std::span<const Type> types, std::span<const char* const> names) {
  check_open();
  std::vector<Field> fields;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string field = i < names.size() && names[i] != nullptr ? shown_name(names[i]) : "";
    if (!kernel_.types.is_valid(types[i]))
      fail(VD_ERR_INVALID, "type ({}) of field \"{}\" is unknown.", shown_type(types[i]), field);
    fields.push_back({types[i], field, 0});
  }
  return kernel_.types.structure(name == nullptr ? "" : shown_name(name), std::move(fields));
}

vd_value Builder::constant(Type type, const void* data, uint64_t size) {
  check_open();
  if (!kernel_.types.is_valid(type) || type.is_reference() || kernel_.types.size(type) == 0) {
    fail(VD_ERR_INVALID, "type ({}) is not the type of a value.", shown_type(type, kernel_.types));
  }
  if (size != kernel_.types.size(type)) {
    fail(VD_ERR_INVALID, "size ({}) is not that of type {} ({}).", size, kernel_.types.name(type),
         kernel_.types.size(type));
  }
  const auto* bytes = static_cast<const std::byte*>(data);
  std::string key = fmt::format("{:x}:", type.bits());
  key.append(static_cast<const char*>(data), size);
  const auto [found, added] = constants_.try_emplace(std::move(key), static_cast<uint32_t>(kernel_.constants.size()));
  if (added) kernel_.constants.push_back({type, {bytes, bytes + size}});
  return handle(nodes_.intern(kOpConstant, type, {}, found->second, 0));
}

vd_value Builder::string(std::string_view text) {
  check_open();
  const auto [found, added] = strings_.try_emplace(std::string(text), static_cast<uint32_t>(kernel_.strings.size()));
  if (added) kernel_.strings.emplace_back(text);
  return handle(nodes_.intern(kOpString, Type::string(), {}, found->second, 0));
}

uint32_t Builder::location(std::string_view file, uint32_t line, std::string_view function) {
  check_open();
  std::string key = fmt::format("{}\n{}\n{}", line, file, function);
  const auto [found, added] = locations_.try_emplace(std::move(key), static_cast<uint32_t>(kernel_.locations.size()));
  if (added) kernel_.locations.push_back({shown_name(file), shown_name(function), line});
  return found->second;
}

void Builder::name(vd_value value, std::string_view name) {
  check_open();
  if (value == 0) {
    kernel_.name = shown_name(name);
    return;
  }
  const Node& node = nodes_[node_of(value, "value")];
  if (node.op != kOpFrozen || kernel_.insts[node.value].op != VD_OP_VAR)
    fail(VD_ERR_INVALID, "value is not a variable; only variables have names, and var makes one.");
  if (kernel_.names.size() <= node.value) kernel_.names.resize(node.value + 1);
  kernel_.names[node.value] = shown_name(name);
}

void Builder::fix_workgroup_size(const std::array<uint32_t, 3>& size) {
  check_open();
  std::array<uint32_t, 3>& fixed = kernel_.attributes.workgroup_size;
  if (fixed[0] != 0 && fixed != size) {
    fail(VD_ERR_INVALID, "kernel \"{}\" is for workgroups of ({}, {}, {}), not of ({}, {}, {}).", kernel_.name,
         fixed[0], fixed[1], fixed[2], size[0], size[1], size[2]);
  }
  fixed = size;
}

// ---- Expressions

NodeId Builder::node_of(vd_value value, const char* what) const {
  if (value == 0) {
    fail(VD_ERR_INVALID,
         "{} (0) is not a value of this builder: the call that gives it failed, or was not made; use values that its "
         "own calls returned.",
         what);
  }
  const auto id = static_cast<NodeId>(value);
  if (id == 0 || id >= nodes_.size() || nodes_[id].type != type_of(value)) {
    fail(VD_ERR_INVALID, "{} ({:#x}) is not a value of this builder; use values that its own calls returned.", what,
         value);
  }
  return id;
}

Type Builder::check(Op op, Type type, uint64_t immediate) {
  arg_types_.clear();
  for (const NodeId id : args_) arg_types_.push_back(nodes_[id].type);
  return result_type(kernel_.types, op, type, arg_types_, immediate);
}

NodeId Builder::expression(Op op, Type type, uint64_t immediate, uint32_t location) {
  type = check(op, type, immediate);
  if (op == VD_OP_INDEX) check_index(location);
  if ((op == VD_OP_LOAD || op == VD_OP_STORE) && access_width(immediate) > 1) {
    const Node& reference = nodes_[args_[0]];
    if (reference.op != VD_OP_INDEX || !nodes_[nodes_.operand(args_[0], 0)].type.is_array()) {
      fail(VD_ERR_INVALID, "{}: a wide access takes an element of a buffer or array; get its reference with index.",
           op_info(op).name);
    }
  }
  const bool convergent = op_info(op).has(kConvergent);
  const NodeId node = nodes_.intern(op, type, args_, immediate, location, !convergent);
  const bool by_value = (kernel_.flags & VD_BUILDER_BY_VALUE) != 0;
  if (by_value && (convergent || op_info(op).has(kReads))) {
    ++stamp_;
    return freeze(instantiate(node));
  }
  return node;
}

NodeId Builder::load(NodeId reference, uint32_t location) {
  std::vector<NodeId> others;
  others.swap(args_);
  args_.assign(1, reference);
  const NodeId node = expression(VD_OP_LOAD, Type(), 0, location);
  args_.swap(others);
  return node;
}

NodeId Builder::splat(NodeId value, Type type, uint32_t location) {
  if (nodes_[value].op == VD_OP_CONST) return nodes_.intern(VD_OP_CONST, type, {}, nodes_[value].immediate, 0);
  return nodes_.intern(VD_OP_CONSTRUCT, type, {&value, 1}, 0, location);
}

// A scalar beside a vector of the same scalar becomes a vector.
void Builder::coerce(Op op, Type given, uint32_t location) {
  const auto type = [&](size_t i) { return nodes_[args_[i]].type; };
  const auto widen = [&](size_t i, Type wide) {
    if (wide.is_vector() && type(i).is_scalar() && type(i) == Type(wide.scalar()))
      args_[i] = splat(args_[i], wide.value(), location);
  };
  switch (op_info(op).operands) {
    case OperandRule::Product:
    case OperandRule::Quotient:
      if (op == VD_OP_MUL && args_.size() == 2 && type(0).is_scalar() &&
          (type(1).is_complex() || type(1).is_matrix())) {
        std::swap(args_[0], args_[1]);
      }
      [[fallthrough]];
    case OperandRule::Arithmetic:
    case OperandRule::Numbers:
    case OperandRule::Integers:
    case OperandRule::Floats:
    case OperandRule::Equality:
    case OperandRule::Booleans: {
      Type wide;
      for (size_t i = 0; i < args_.size(); ++i) {
        if (type(i).is_vector()) wide = type(i);
      }
      if (wide.none()) return;
      for (size_t i = 0; i < args_.size(); ++i) widen(i, wide);
      return;
    }
    case OperandRule::Shift:
      if (args_.size() == 2 && type(0).is_vector()) widen(1, type(0).with(type(1).scalar()));
      return;
    case OperandRule::Select:
      if (args_.size() != 3) return;
      widen(1, type(2).is_vector() ? type(2) : type(1).with(type(1).scalar()));
      widen(2, type(1));
      if (type(0).is_vector() && type(1).is_scalar() && type(1) == type(2)) {
        const Type wide = Type::vector(type(1).scalar(), type(0).count());
        widen(1, wide);
        widen(2, wide);
      }
      return;
    case OperandRule::Store:
      if (args_.size() == 2) widen(1, type(0).value());
      return;
    case OperandRule::Initial:
      if (args_.size() == 1 && !given.none()) widen(0, given.value());
      return;
    default:
      return;
  }
}

void Builder::check_index(uint32_t) const {
  const Node& at = nodes_[args_[1]];
  if (at.op != VD_OP_CONST) return;
  const Type of = nodes_[args_[0]].type;
  const uint32_t count = element_count(kernel_.types, of);
  if (at.type.is_signed() && extend(at.type.scalar(), at.immediate) < 0) {
    fail(VD_ERR_INVALID, "index: index ({}) is negative.", extend(at.type.scalar(), at.immediate));
  }
  if (count == 0 && at.immediate > INT64_MAX) {
    fail(VD_ERR_INVALID, "index: index ({}) is past the end of every buffer.", at.immediate);
  }
  if (count == 0 || at.immediate < count) return;
  fail(VD_ERR_INVALID, "index: index ({}) is past the end of {} ({} elements).", at.immediate, kernel_.types.name(of),
       count);
}

vd_value Builder::emit(vd_op op, Type type, std::span<const vd_value> operands, uint64_t immediate, uint32_t location) {
  const vd_value result = emit_checked(op, type, operands, immediate, location);
  for (Watcher* watcher : watchers_) watcher->emitted(op, operands, immediate, location, result);
  return result;
}

vd_value Builder::emit_checked(Op op, Type type, std::span<const vd_value> operands, uint64_t immediate,
                               uint32_t location) {
  check_open();
  check_location(location);
  if (!is_public(op)) {
    fail(VD_ERR_INVALID, "op ({}) is unknown.", static_cast<int32_t>(op));
  }
  const OpInfo& info = op_info(op);
  try {
    args_.clear();
    for (const vd_value operand : operands) args_.push_back(node_of(operand, "operand"));
    const uint32_t references = reference_operands(op);
    for (size_t i = 0; i < args_.size(); ++i) {
      const bool may_refer = i < 32 && (references >> i & 1) != 0;
      if (!may_refer && nodes_[args_[i]].type.is_reference()) args_[i] = load(args_[i], location);
    }
    coerce(op, type, location);
    if ((kernel_.flags & VD_BUILDER_NO_SUBGROUP) != 0 && is_subgroup(op)) {
      fail(VD_ERR_INVALID,
           "{}: the kernel was begun with VD_BUILDER_NO_SUBGROUP; begin it without that flag, or use shared memory.",
           info.name);
    }
    if (op == VD_OP_CONST) immediate = truncate(immediate, type.scalar());
    if (op == VD_OP_VIEW && args_.size() == 1 && !type.is_array() && nodes_[args_[0]].type.is_array()) {
      const auto& from = kernel_.types.get_array(nodes_[args_[0]].type);
      const uint64_t size = kernel_.types.is_valid(type) ? kernel_.types.size(type.value()) : 0;
      if (size == 0 || contents_of(kernel_.types, type).holds(Scalar::Bool))
        fail(VD_ERR_INVALID, "view: type ({}) is not the type of an element.", shown_type(type, kernel_.types));
      const uint32_t count = from.count == 0 ? 0 : static_cast<uint32_t>(from.size / size);
      if (from.count != 0 && count == 0)
        fail(VD_ERR_INVALID, "view: the array ({} bytes) is smaller than one {} ({} bytes).", from.size,
             kernel_.types.name(type), size);
      type = kernel_.types.array(type.value(), count).in(nodes_[args_[0]].type.space());
    }
    if (op == VD_OP_VAR && !type.none()) {
      if (!kernel_.types.is_valid(type) || (type.is_reference() && type.space() != Space::Private))
        fail(VD_ERR_INVALID, "var: type ({}) is not the type of a variable.", shown_type(type, kernel_.types));
      type = type.in(Space::Private);
    }
    if (!info.has(kStatement)) return handle(expression(op, type, immediate, location));
    return statement(op, type, immediate, location);
  } catch (const Error& error) {
    const std::string message = location == 0 ? error.what() : at_place(error.what(), location);
    keep_failure(message);
    throw Error(error.status(), message);
  }
}

}  // namespace vd::ir
