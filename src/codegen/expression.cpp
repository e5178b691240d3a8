// Expressions: each value's text from its operands' texts. No recursion: operands come before their users.
#include <algorithm>

#include "codegen/printer.h"
#include "core/error.h"
#include "ir/op.h"

namespace vd::codegen {

using namespace ir;

namespace {

// Longer and deeper expressions are cut by a name: compilers and people read them with an effort that grows faster.
constexpr uint8_t kMaxDepth = 10;
constexpr size_t kMaxLength = 160;

}  // namespace

void Printer::unsupported(const Inst& i) const {
  fail(VD_ERR_UNSUPPORTED, "kernel \"{}\": {} has no form of {} for {}{}", kernel_.name, dialect_.name,
       op_info(i.op).name,
       kernel_.types.name(i.operand_count && !kernel_.insts[kernel_.operands_of(i)[0]].type.none()
                              ? kernel_.insts[kernel_.operands_of(i)[0]].type.value()
                              : i.type.value()),
       module_.place(i.location));
}

bool Printer::is_precise(const Inst& i) const {
  if (!op_info(i.op).has(kFloat)) return false;
  return (i.immediate & VD_MATH_PRECISE) || ((kernel_.flags & VD_BUILDER_PRECISE) && !(i.immediate & VD_MATH_NATIVE));
}

bool Printer::constant_index(ValueId id, uint64_t& out) const {
  const Inst& i = inst(id);
  if (i.op == VD_OP_ZERO && i.type.is_scalar()) {
    out = 0;
    return true;
  }
  if (i.op != VD_OP_CONST || !i.type.is_scalar() || !i.type.is_integer()) return false;
  const uint32_t bits = scalar_size(i.type.scalar()) * 8;
  out = i.immediate;
  if (bits < 64) {
    out &= (uint64_t{1} << bits) - 1;
    if (i.type.is_signed() && out >> (bits - 1) & 1) out |= ~uint64_t{0} << bits;
  }
  return true;
}

const Rule& Printer::rule_for(ValueId id) {
  const Inst& i = inst(id);
  const auto operands = args(id);
  const Type from = operands.empty() ? i.type : inst(operands[0]).type.value();
  const bool native =
      (i.immediate & VD_MATH_NATIVE) || ((kernel_.flags & VD_BUILDER_NATIVE) && !(i.immediate & VD_MATH_PRECISE));
  const Rule* rule = find_rule(dialect_, i.op, from, i.type.value(), is_precise(i), native);
  if (!rule) unsupported(i);
  module_.precise |= is_precise(i);
  if (rule->needs) {
    if (*rule->needs == '{')
      module_.need(fill(rule->needs, {{"A", module_.type(from)}}));
    else
      module_.need(rule->needs);
  }
  const char* extended = dialect_.subgroup_needs[static_cast<size_t>(from.scalar())];
  if (extended && op_info(i.op).has(kConvergent)) module_.need(extended);
  return *rule;
}

// ---- the form of a value: in place, named, or none ----

void Printer::pure(ValueId id) {
  if (uses_.of[id].count == 0 && !op_info(inst(id).op).has(kConvergent)) {
    expressions_[id].state = State::Consumed;
    return;
  }
  const Inst& i = inst(id);
  Expression e = build(id);
  // Expressions as short as a name need none: components of built-in values and of names, values of the launch.
  bool free = e.state == State::Free;
  if (op_info(i.op).has(kConvergent)) {
    expressions_[id] = std::move(e);
    return name(id);
  }
  record_expression(id, std::move(e), free);
}

void Printer::record_expression(ValueId id, Expression e, bool free) {
  const UseCount& use = uses_.of[id];
  const bool wants_name = id < kernel_.names.size() && !kernel_.names[id].empty();
  const bool short_enough = e.depth <= kMaxDepth && e.text.size() <= kMaxLength;
  expressions_[id] = std::move(e);
  Expression& stored = expressions_[id];
  if (free && !wants_name) {
    stored.state = State::Free;
  } else if (use.count == 1 && !use.elsewhere && !wants_name && short_enough) {
    stored.state = State::Pending;
    if (stored.reads) pending_reads_.push_back(id);
  } else {
    name(id);
  }
}

void Printer::name(ValueId id) {
  const bool wants_name = id < kernel_.names.size() && !kernel_.names[id].empty();
  const std::string name = wants_name ? module_.names.unique(kernel_.names[id]) : module_.names.temporary();
  Expression& e = expressions_[id];
  const char* qualifier = e.precise ? dialect_.precise : dialect_.constant;
  line((qualifier ? qualifier : "") + module_.declare(inst(id).type, name) + " = " + e.text + ";");
  e = Expression{};
  e.text = name;
  e.state = State::Named;
}

std::string Printer::name_text(Type type, const std::string& text) {
  const std::string name = module_.names.temporary();
  line(dialect_.constant + module_.declare(type, name) + " = " + text + ";");
  return name;
}

void Printer::flush(uint8_t spaces, ValueId variable, ValueId except) {
  size_t kept = 0;
  for (size_t i = 0; i < pending_reads_.size(); ++i) {
    const ValueId id = pending_reads_[i];
    const Expression& e = expressions_[id];
    if (e.state != State::Pending) continue;
    const bool other_variable =
        spaces == kPrivateBit && variable != kNoValue && e.variable != kNoValue && e.variable != variable;
    if (id == except || !(e.reads & spaces) || other_variable) {
      pending_reads_[kept++] = id;
    } else {
      name(id);
    }
  }
  pending_reads_.resize(kept);
}

std::string Printer::use(ValueId id, Precedence limit, Expression* into) {
  if (is_leaf(inst(id).op) && expressions_[id].state == State::Unset) leaf(id);
  Expression& e = expressions_[id];
  if (e.state == State::Pending && e.precise && !(into && into->precise)) name(id);
  if (into) {
    into->depth = std::max<uint8_t>(into->depth, static_cast<uint8_t>(e.depth + 1));
    if (e.reads) {
      into->variable = into->reads ? (into->variable == e.variable ? e.variable : kNoValue) : e.variable;
      into->reads |= e.reads;
    }
  }
  std::string text;
  const Precedence precedence = e.precedence;
  switch (e.state) {
    case State::Pending:
      text = std::move(e.text);
      e.state = State::Consumed;
      break;
    case State::Free:
    case State::Named:
      text = e.text;
      break;
    default:
      fail(VD_ERR_INTERNAL, "value {} of kernel \"{}\" is printed before it is known", id, kernel_.name);
  }
  if (precedence > limit) return "(" + text + ")";
  return text;
}

// ---- leaves ----

const Printer::Expression& Printer::leaf(ValueId id) {
  const Inst& i = inst(id);
  Expression& e = expressions_[id];
  e.state = State::Free;
  const auto scalar_text = [&](Scalar s, uint64_t bits) {
    std::string text = module_.literal(s, bits);
    if (text[0] == '-') e.precedence = kUnary;
    return text;
  };
  switch (static_cast<uint32_t>(i.op)) {
    case VD_OP_CONST: {
      const std::string text = scalar_text(i.type.scalar(), i.immediate);
      if (i.type.is_scalar()) {
        e.text = text;
      } else if (i.type.is_complex()) {
        e.text = fill(dialect_.construct,
                      {{"T", module_.type(i.type)}, {"0", text + ", " + module_.literal(i.type.scalar(), 0)}});
        e.precedence = dialect_.construct_precedence;
      } else {
        e.text = fill(dialect_.splat, {{"T", module_.type(i.type)}, {"0", text}});
        e.precedence = dialect_.construct_precedence;
      }
      break;
    }
    case VD_OP_ZERO:
      e.text = module_.zero(i.type);
      if (!i.type.is_scalar()) e.precedence = dialect_.construct_precedence;
      break;
    case VD_OP_BUILTIN:
      e = builtin(static_cast<vd_builtin>(i.immediate), -1);
      break;
    case static_cast<uint32_t>(kOpArgument):
      e.text = module_.arguments[i.immediate];
      break;
    case static_cast<uint32_t>(kOpConstant): {
      const Constant& constant = kernel_.constants[i.immediate];
      const Type t = constant.type;
      if (t.is_array() || t.is_struct()) {
        e.text = module_.constant_table(static_cast<uint32_t>(i.immediate));
        break;
      }
      e.text = module_.constant_text(t, constant.bytes.data());
      e.precedence = t.is_scalar() ? (e.text[0] == '-' ? kUnary : kPrimary) : dialect_.construct_precedence;
      break;
    }
    default:
      unsupported(i);
  }
  e.state = State::Free;
  return e;
}

Printer::Expression Printer::builtin(vd_builtin which, int component) {
  Expression e;
  e.state = State::Free;
  if (which == VD_BUILTIN_EXEC_SIZE) {
    const std::string block = fill(dialect_.value_member, {{"0", module_.values}, {"1", module_.exec_size}});
    e.text = component < 0 ? load_field(Type::vector(Scalar::U32, 3), block)
                           : field_component(Type::vector(Scalar::U32, 3), block, static_cast<uint32_t>(component));
    return e;
  }
  const BuiltinRule* rule = nullptr;
  for (const BuiltinRule& r : dialect_.builtins)
    if (r.builtin == which) rule = &r;
  if (!rule) fail(VD_ERR_UNSUPPORTED, "{} has no built-in value \"{}\"", dialect_.name, ir::builtin_name(which));
  if (rule->needs) module_.need(rule->needs);
  const Type type = builtin_type(which);
  const auto local = module_.workgroup_size;
  if (component < 0 && !rule->whole) {
    // From its components.
    std::string parts;
    for (uint32_t c = 0; c < type.count(); ++c) parts += (c ? ", " : "") + builtin(which, static_cast<int>(c)).text;
    e.text = fill(dialect_.construct, {{"T", module_.type(type)}, {"0", parts}});
    e.precedence = dialect_.construct_precedence;
    return e;
  }
  const std::string x = std::to_string(local[0]), y = std::to_string(local[1]), z = std::to_string(local[2]);
  const size_t c = component < 0 ? 0 : static_cast<size_t>(component);
  const char letter[] = {"xyz"[c], 0}, digit[] = {static_cast<char>('0' + c), 0};
  const std::string size = std::to_string(local[c]);
  std::string text;
  if (component >= 0 && !rule->component) {
    text = fill(dialect_.component, {{"0!", rule->whole}, {"c", letter}});
  } else {
    text = fill(component < 0 ? rule->whole : rule->component,
                {{"c", letter}, {"i", digit}, {"size", size}, {"x", x}, {"y", y}, {"z", z}});
  }
  if (rule->named) {
    const size_t slot = static_cast<size_t>(which) * 4 + c;
    if (builtin_names_.size() <= slot) builtin_names_.resize(slot + 1);
    std::string& name = builtin_names_[slot];
    if (name.empty()) {
      name = ir::builtin_name(which);
      if (component >= 0) name += std::string("_") + letter;
      name = module_.names.unique(name);
      module_.declarations +=
          "    " + std::string(dialect_.constant) + module_.declare(type.component(), name) + " = " + text + ";\n";
    }
    text = name;
  }
  e.text = text;
  return e;
}

// ---- values ----

Printer::Expression Printer::build(ValueId id) {
  const Inst& i = inst(id);
  switch (i.op) {
    case VD_OP_LOAD:
      return load(id);
    case VD_OP_INDEX:
      return component_of(id);
    case VD_OP_SWIZZLE:
      return swizzle(id);
    case VD_OP_CONSTRUCT:
      return construct(id);
    case VD_OP_MEMBER: {
      Expression e;
      const Type t = inst(args(id)[0]).type.value();
      const std::string field =
          use(args(id)[0], kPrimary, &e) + "." + module_.fields[t.index()][plain_immediate(i.immediate)];
      e.text = load_field(i.type, field);
      return e;
    }
    case VD_OP_SHAPE: {
      Expression e;
      const Inst& base = inst(base_of(kernel_, args(id)[0]));
      if (base.op != kOpArgument) {
        const SharedArray& shared = kernel_.shareds.at(base.immediate);
        const std::string n = std::to_string(shared.count);
        e.text = fill(dialect_.construct, {{"T", module_.type(i.type)}, {"0", n + ", 1, 1, " + n}});
        e.precedence = dialect_.construct_precedence;
        return e;
      }
      e.text = load_field(i.type,
                          fill(dialect_.value_member, {{"0", module_.values}, {"1", module_.shapes[base.immediate]}}));
      e.state = State::Free;
      return e;
    }
    case VD_OP_IMAGE_SAMPLE:
    case VD_OP_IMAGE_LOAD:
    case VD_OP_IMAGE_SIZE:
      return image_call(id);
    default:
      break;
  }
  if (i.op == kOpImageRead) return image_read(id);
  return apply(rule_for(id), id);
}

Printer::Expression Printer::image_read(ValueId id) {
  const Inst& i = inst(id);
  if (!dialect_.reads_units) unsupported(i);
  const auto operands = args(id);
  const auto argument = static_cast<uint32_t>(inst(operands[0]).immediate);
  Expression e;
  const bool filters = inst(operands[1]).type.is_float();
  e.text = fmt::format("{}({}, {}, {})", module_.image_function({argument, i.op, inst(operands[1]).type, {}, {}}),
                       module_.arguments[argument], filters ? module_.samplers[argument] : module_.exact_sampler,
                       use(operands[1], kAny, &e));
  e.reads |= kImageBit;
  return e;
}

Printer::Expression Printer::image_call(ValueId id) {
  const Inst& i = inst(id);
  if (!dialect_.image_function || dialect_.reads_units) unsupported(i);
  const auto operands = args(id);
  const auto argument = static_cast<uint32_t>(inst(operands[0]).immediate);
  Expression e;
  if (i.op == VD_OP_IMAGE_SIZE && module_.shapes.size() > argument &&
      kernel_.values.shape_offsets[argument] != kNoOffset) {
    // The launch tells the size of a stored image: a bound level does not know how many there are.
    e.text = load_field(i.type, fill(dialect_.value_member, {{"0", module_.values}, {"1", module_.shapes[argument]}}));
    e.state = State::Free;
    return e;
  }
  ImageFunction function{argument, i.op, {}, {}, {}};
  const bool has_place = i.op != VD_OP_IMAGE_SIZE;
  if (has_place) function.at = inst(operands[1]).type;
  const size_t level = has_place ? 2 : 1;
  if (i.op != VD_OP_IMAGE_STORE && operands.size() > level) function.level = inst(operands[level]).type;
  std::string list;
  for (size_t n = dialect_.passes_images ? 0 : 1; n < operands.size(); ++n)
    list += (list.empty() ? "" : ", ") + use(operands[n], kAny, &e);
  e.text = module_.image_function(std::move(function)) + "(" + list + ")";
  if (has_place) e.reads |= kImageBit;
  return e;
}

Printer::Expression Printer::apply(const Rule& rule, ValueId id, std::string_view place) {
  Expression e;
  const Inst& i = inst(id);
  const auto operands = args(id);
  e.precise = dialect_.precise && i.type.is_float() && is_precise(i);
  e.precedence = rule.precedence;
  const bool infix = rule.precedence > kUnary;
  for (const char* p = rule.text; *p; ++p) {
    if (*p != '{') {
      e.text += *p;
      continue;
    }
    const char key = p[1];
    const bool primary = p[2] == '!';
    p += primary ? 3 : 2;
    switch (key) {
      case '0':
      case '1':
      case '2': {
        const size_t n = static_cast<size_t>(key - '0');
        Precedence limit = kAny;
        if (primary || rule.precedence == kUnary)
          limit = kPrimary;
        else if (rule.precedence == kTernary)
          limit = kOr;
        else if (infix)
          limit = infix_limit(rule.precedence, operands[n], n == 0);
        e.text += use(operands[n], limit, &e);
        break;
      }
      case 'T':
        e.text += module_.type(i.type);
        break;
      case 'A':
        e.text += module_.type(inst(operands[0]).type);
        break;
      case 'S':
        e.text += module_.type(Type(i.type.scalar()));
        break;
      case 'U': {
        const auto s = static_cast<uint32_t>(i.type.scalar());
        e.text += module_.type(i.type.is_signed() ? i.type.with(static_cast<Scalar>(s + 4)) : i.type);
        break;
      }
      case 'q':
        e.text += dialect_.spaces[static_cast<size_t>(inst(operands[0]).type.space())];
        break;
      case 'n':
        e.text += static_cast<char>('0' + i.type.count());
        break;
      case 'P':
        e.text += place;
        break;
      default:
        fail(VD_ERR_INTERNAL, "a rule of {} has an unknown part: {}", dialect_.name, rule.text);
    }
  }
  return e;
}

// The loosest operator that may stand without brackets beside another. Where people mix up precedences (shifts, bits,
// && in ||), an operand gets brackets.
Precedence Printer::infix_limit(Precedence parent, ValueId operand, bool left) {
  if (is_leaf(inst(operand).op) && expressions_[operand].state == State::Unset) leaf(operand);
  const Precedence own = expressions_[operand].precedence;
  const bool confusing =
      parent == kShift || parent == kBitAnd || parent == kBitXor || parent == kBitOr || (parent == kOr && own == kAnd);
  if (confusing && own != parent) return kUnary;
  return left ? parent : static_cast<Precedence>(parent - 1);
}

Printer::Expression Printer::component_of(ValueId id) {
  Expression e;
  const ValueId whole = args(id)[0], at = args(id)[1];
  const Type type = inst(whole).type.value();
  uint64_t index = 0;
  const bool constant = constant_index(at, index);
  if (inst(whole).op == VD_OP_BUILTIN && constant && type.is_vector() && index < type.count())
    return builtin(static_cast<vd_builtin>(inst(whole).immediate), static_cast<int>(index));
  if (inst(whole).op == VD_OP_SHAPE && constant && expressions_[whole].state == State::Free && index < 4) {
    const Inst& base = inst(base_of(kernel_, args(whole)[0]));
    if (base.op == kOpArgument) {
      e.text = field_component(
          type, fill(dialect_.value_member, {{"0", module_.values}, {"1", module_.shapes[base.immediate]}}),
          static_cast<uint32_t>(index));
      e.state = State::Free;
      return e;
    }
  }
  const bool named = is_leaf(inst(whole).op) || expressions_[whole].state == State::Named;
  if (constant && (type.is_vector() || type.is_complex()) && index < type.count()) {
    const char letter[] = {"xyzw"[index], 0};
    e.text = fill(dialect_.component, {{"0!", use(whole, kPrimary, &e)}, {"c", letter}});
    if (named) e.state = State::Free;
    return e;
  }
  if (constant && type.is_matrix() && index < type.count()) {
    e.text = fill(dialect_.column, {{"0!", use(whole, kPrimary, &e)}, {"i", std::to_string(index)}});
    return e;
  }
  const std::string text = use(whole, kPrimary, &e);
  const std::string index_expression = use(at, kAny, &e);
  e.text = fill(type.is_matrix()  ? dialect_.column
                : type.is_array() ? "{0!}[{i}]"
                                  : dialect_.dynamic_component,
                {{"0!", text}, {"i", index_expression}});
  return e;
}

Printer::Expression Printer::swizzle(ValueId id) {
  Expression e;
  const Inst& i = inst(id);
  const ValueId whole = args(id)[0];
  const Type type = inst(whole).type.value();
  const uint32_t count = static_cast<uint32_t>(i.immediate >> 8 & 0xf);
  const auto picked = [&](uint32_t c) { return static_cast<uint32_t>(i.immediate >> (2 * c) & 3); };
  if (type.is_scalar()) {
    const std::string text = use(whole, count == 1 ? kPrimary : kAny, &e);
    e.text = count == 1 ? text : fill(dialect_.splat, {{"T", module_.type(i.type)}, {"0", text}});
    if (count > 1) e.precedence = dialect_.construct_precedence;
    return e;
  }
  if (count == 1 && inst(whole).op == VD_OP_BUILTIN)
    return builtin(static_cast<vd_builtin>(inst(whole).immediate), static_cast<int>(picked(0)));
  const bool named = is_leaf(inst(whole).op) || expressions_[whole].state == State::Named;
  std::string letters;
  for (uint32_t c = 0; c < count; ++c) letters += "xyzw"[picked(c)];
  if (count == 1 || dialect_.swizzle) {
    e.text =
        fill(count == 1 ? dialect_.component : dialect_.swizzle, {{"0!", use(whole, kPrimary, &e)}, {"c", letters}});
    if (named && count == 1) e.state = State::Free;
    return e;
  }
  // The operand appears once for each component, so it needs a name.
  if (expressions_[whole].state == State::Pending) name(whole);
  const std::string text = use(whole, kPrimary, &e);
  std::string parts;
  for (uint32_t c = 0; c < count; ++c)
    parts += (c ? ", " : "") + fill(dialect_.component, {{"0!", text}, {"c", letters.substr(c, 1)}});
  e.text = fill(dialect_.construct, {{"T", module_.type(i.type)}, {"0", parts}});
  e.precedence = dialect_.construct_precedence;
  return e;
}

Printer::Expression Printer::construct(ValueId id) {
  Expression e;
  const Inst& i = inst(id);
  const auto operands = args(id);
  e.precedence = dialect_.construct_precedence;
  if (i.type.is_vector() && operands.size() == 1 && inst(operands[0]).type.is_scalar()) {
    e.text = fill(dialect_.splat, {{"T", module_.type(i.type)}, {"0", use(operands[0], kAny, &e)}});
    return e;
  }
  std::string parts;
  for (size_t n = 0; n < operands.size(); ++n) parts += (n ? ", " : "") + use(operands[n], kAny, &e);
  if (i.type.is_complex() && operands.size() == 1) parts += ", " + module_.literal(i.type.scalar(), 0);
  const char* form = i.type.is_struct()   ? dialect_.construct_struct
                     : i.type.is_array()  ? dialect_.construct_array
                     : i.type.is_matrix() ? dialect_.construct_matrix
                                          : dialect_.construct;
  const std::string type = i.type.is_array() ? module_.declare(i.type, "") : module_.type(i.type);
  e.text = fill(form, {{"T", type}, {"0", parts}});
  return e;
}

}  // namespace vd::codegen
