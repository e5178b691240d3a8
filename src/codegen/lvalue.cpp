// References as text: the spelling of an index, a field or a view of a buffer, shared array or variable.
#include <algorithm>

#include "codegen/printer.h"
#include "core/error.h"
#include "ir/op.h"

namespace vd::codegen {

using namespace ir;

std::string Printer::load_field(Type type, const std::string& field) const {
  if (dialect_.packs_fields && (type.is_vector() || type.is_complex()))
    return fill(dialect_.packed_load, {{"n", std::to_string(type.count())}, {"0", field}, {"1", "0"}});
  return field;
}

std::string Printer::field_component(Type type, const std::string& field, uint32_t c) const {
  if (dialect_.packs_fields && (type.is_vector() || type.is_complex())) return field + "[" + std::to_string(c) + "]";
  const char letter[] = {"xyzw"[c], 0};
  return fill(dialect_.component, {{"0!", field}, {"c", letter}});
}

Printer::Lvalue Printer::resolve(ValueId reference, uint64_t access, Expression* into, bool alone) {
  std::vector<ValueId> steps;
  ValueId root = reference;
  while (inst(root).op == VD_OP_INDEX || inst(root).op == VD_OP_MEMBER || inst(root).op == VD_OP_VIEW) {
    steps.push_back(root);
    root = args(root)[0];
  }
  const Inst& base = inst(root);
  Lvalue lvalue;
  lvalue.base = root;
  lvalue.space = base.type.space();
  lvalue.type = base.type.value();
  bool array = false;      // the next index picks an element of the whole
  bool in_struct = false;  // vectors are packed there
  uint32_t buffer = 0;
  const bool coherent = (access & VD_ACCESS_COHERENT) != 0;
  if (base.op == kOpArgument) {
    const Argument& argument = kernel_.arguments[base.immediate];
    buffer = static_cast<uint32_t>(base.immediate);
    if (argument.kind == VD_ARGUMENT_BUFFER) {
      see_buffer(lvalue, buffer, argument.type, coherent && !dialect_.pointer_view);
      array = true;
    } else if (argument.kind == VD_ARGUMENT_CONSTANT || argument.kind == VD_ARGUMENT_VARIABLE) {
      lvalue.text = fill(dialect_.value_member, {{"0", module_.values}, {"1", module_.arguments[buffer]}});
      in_struct = true;
    } else {
      lvalue.text = module_.arguments[buffer];
    }
  } else if (base.op == kOpShared) {
    lvalue.text = module_.shareds[base.immediate];
    array = true;
  } else {
    lvalue.text = expressions_[root].text;
  }
  if (in_struct && dialect_.packs_fields && lvalue.type.count() > 1) {
    lvalue.packed = true;
    lvalue.packed_index = "0";
  }
  lvalue.is_buffer = base.op == kOpArgument && array;
  const uint32_t width = access_width(access);

  const auto pack = [&](Type t) {
    if (in_struct) return dialect_.packs_fields && t.count() > 1;
    return lvalue.space != Space::Private && module_.packs_element(t);
  };
  for (size_t n = steps.size(); n-- > 0;) {
    const Inst& step = inst(steps[n]);
    const Type type = step.type.value();
    if (step.op == VD_OP_VIEW) {
      const Type element = type.is_array() ? kernel_.types.get_array(type).element : type;
      if (dialect_.pointer_view) {
        lvalue.text = fill(dialect_.pointer_view, {{"q", dialect_.spaces[static_cast<size_t>(lvalue.space)]},
                                                   {"T", module_.element_type(element)},
                                                   {"0", lvalue.text}});
      } else if (lvalue.is_buffer) {
        see_buffer(lvalue, buffer, element, coherent);
      } else {
        unsupported(step);
      }
      array = true;
      continue;
    }
    if (step.op == VD_OP_MEMBER) {
      const uint32_t s = lvalue.type.index();
      lvalue.text += "." + module_.fields[s][plain_immediate(step.immediate)];
      lvalue.type = type;
      in_struct = true;
      if (pack(type)) {
        lvalue.packed = true;
        lvalue.packed_index = "0";
      }
      continue;
    }
    const ValueId index = args(steps[n])[1];
    if (array) {
      array = false;
      if (n == 0 && width > 1) {
        wide_lvalue(lvalue, type, index, access, buffer, into);
        lvalue.type = type;
        return lvalue;
      }
      if (pack(type)) {
        lvalue.packed = true;
        lvalue.packed_index = use(index, kAny, into);
      } else {
        uint64_t known = 0;
        const std::string text = element_index(lvalue, index, kAny, into, known);
        lvalue.text = at(lvalue, text, known);
      }
    } else if (lvalue.type.is_array()) {
      if (n == 0 && width > 1) {
        wide_lvalue(lvalue, type, index, access, buffer, into);
        lvalue.type = type;
        return lvalue;
      }
      lvalue.text += "[" + inner(lvalue, index, kernel_.types.get_array(lvalue.type).count, into) + "]";
      if (pack(type)) {
        lvalue.packed = true;
        lvalue.packed_index = "0";
      }
    } else if (lvalue.type.is_matrix() && lvalue.packed) {
      // Column c of matrix m of n columns is vector n * m + c.
      const std::string column = use(index, kSum, into);
      lvalue.packed_index = lvalue.packed_index == "0"
                                ? column
                                : std::to_string(lvalue.type.count()) + " * (" + lvalue.packed_index + ") + " + column;
    } else if (lvalue.type.is_matrix()) {
      lvalue.text =
          fill(dialect_.column, {{"0!", lvalue.text}, {"i", inner(lvalue, index, lvalue.type.count(), into)}});
    } else {
      uint64_t c = 0;
      const bool constant = constant_index(index, c) && c < lvalue.type.count();
      if (lvalue.packed) {
        const std::string n_text = std::to_string(lvalue.type.count());
        const std::string component = constant ? std::to_string(c) : use(index, kAny, into);
        lvalue.text += lvalue.packed_index == "0"
                           ? "[" + component + "]"
                           : "[" + n_text + " * (" + lvalue.packed_index + ") + " + component + "]";
        lvalue.packed = false;
      } else {
        const char* form = !constant                                 ? dialect_.dynamic_place
                           : alone && lvalue.space != Space::Private ? dialect_.component_place
                                                                     : dialect_.component;
        const char letter[] = {constant ? "xyzw"[c] : '\0', 0};
        if (dialect_.whole_vector && lvalue.is_buffer && !alone) {
          lvalue.text = fill(dialect_.whole_vector, {{"0", lvalue.text}});
          if (std::ranges::find(module_.wholes, lvalue.type) == module_.wholes.end())
            module_.wholes.push_back(lvalue.type);
        }
        lvalue.text =
            fill(form, {{"0!", lvalue.text},
                        {"c", letter},
                        {"q", dialect_.spaces[static_cast<size_t>(lvalue.space)]},
                        {"S", module_.type(type)},
                        {"i", constant ? std::to_string(c) : inner(lvalue, index, lvalue.type.count(), into)}});
      }
    }
    lvalue.type = type;
  }
  if (width > 1) unsupported(inst(reference));
  if (coherent && dialect_.coherent_place && !lvalue.packed) {
    lvalue.text = fill(dialect_.coherent_place, {{"q", dialect_.spaces[static_cast<size_t>(lvalue.space)]},
                                                 {"T", module_.type(lvalue.type)},
                                                 {"0", lvalue.text}});
    lvalue.cast = true;
  }
  return lvalue;
}

void Printer::see_buffer(Lvalue& lvalue, uint32_t buffer, Type element, bool coherent, uint64_t stride) {
  const uint64_t size = kernel_.types.size(element);
  // A clamped access is aligned to its stride alone.
  const bool wide = stride != 0 && !module_.options.clamped_indices;
  lvalue.text = module_.view(buffer, element, coherent, wide ? static_cast<uint32_t>(size) : 0);
  lvalue.buffer = buffer;
  lvalue.size = size;
  lvalue.stride = stride != 0 ? stride : size;
}

std::string Printer::element_index(const Lvalue& array, ValueId index, Precedence limit, Expression* into,
                                   uint64_t& known) {
  const Inst& sum = inst(index);
  uint64_t count = 0;
  if (array.is_buffer && dialect_.buffer_addresses && !module_.options.clamped_indices && sum.op == VD_OP_ADD &&
      sum.type == kU64 && constant_index(args(index)[1], count)) {
    // Others are part of the sum's text.
    const ValueId base = args(index)[0];
    if (is_leaf(inst(base).op) && expressions_[base].state == State::Unset) leaf(base);
    const State state = expressions_[base].state;
    if (state == State::Named || state == State::Free) {
      known = count * array.stride;
      if (expressions_[index].state == State::Pending) expressions_[index].state = State::Consumed;
      return use(base, limit, into);
    }
  }
  return use(index, limit, into);
}

std::string Printer::at(const Lvalue& array, const std::string& index, uint64_t known) const {
  if (!array.is_buffer) return array.text + "[" + index + "]";
  if (!dialect_.buffer_addresses) return fill(dialect_.buffer_element, {{"0", array.text}, {"1", index}});
  const auto member = [&](const std::vector<std::string>& names) {
    return fill(dialect_.value_member, {{"0", module_.addresses}, {"1", names[array.buffer]}});
  };
  const std::string size = std::to_string(array.size), stride = std::to_string(array.stride);
  const std::string place =
      !module_.options.clamped_indices
          ? index
          : fill(dialect_.clamped_element, {{"1", index}, {"z", member(module_.sizes)}, {"n", size}, {"s", stride}});
  return fill(dialect_.buffer_element, {{"0", array.text},
                                        {"1", place},
                                        {"a", member(module_.arguments)},
                                        {"s", stride},
                                        {"k", known != 0 ? " + " + std::to_string(known) + "ul" : ""}});
}

std::string Printer::inner(const Lvalue& lvalue, ValueId index, uint32_t count, Expression* into) {
  std::string text = use(index, kAny, into);
  uint64_t constant = 0;
  if (!lvalue.is_buffer || !module_.options.clamped_indices || constant_index(index, constant)) return text;
  return fill(dialect_.clamped_index, {{"1", text}, {"n", std::to_string(count - 1)}});
}

// A place for two or four scalars at once: as one vector where the alignment allows, else element by element.
void Printer::wide_lvalue(Lvalue& lvalue, Type element, ValueId index, uint64_t access, uint32_t buffer,
                          Expression* into) {
  const uint32_t width = access_width(access);
  const Type vector = Type::vector(element.scalar(), width);
  const bool aligned = access_align(access) >= scalar_size(element.scalar()) * width;
  if (aligned && dialect_.wide_lvalue) {
    lvalue.wide = true;
    lvalue.text = fill(dialect_.wide_lvalue, {{"q", dialect_.spaces[static_cast<size_t>(lvalue.space)]},
                                              {"T", module_.type(vector)},
                                              {"0", at(lvalue, use(index, kAny, into))}});
    lvalue.cast = true;
  } else if (aligned && lvalue.is_buffer && !dialect_.pointer_view) {
    lvalue.wide = true;
    if (dialect_.buffer_addresses) {
      see_buffer(lvalue, buffer, vector, (access & VD_ACCESS_COHERENT) != 0, scalar_size(element.scalar()));
      uint64_t known = 0;
      const std::string text = element_index(lvalue, index, kAny, into, known);
      lvalue.text = at(lvalue, text, known);
      return;
    }
    lvalue.text = module_.view(buffer, vector, (access & VD_ACCESS_COHERENT) != 0);
    const std::string divisor = module_.literal(inst(index).type.scalar(), width);
    lvalue.text = at(lvalue, use(index, kProduct, into) + " / " + divisor);
  } else {
    // The index appears once for each element.
    uint64_t constant = 0;
    if (!constant_index(index, constant) && expressions_[index].state == State::Pending) name(index);
    lvalue.wide_index = use(index, kSum, into);
  }
}

std::string Printer::element_text(const Lvalue& lvalue, uint32_t n) const {
  return at(lvalue, n ? lvalue.wide_index + " + " + std::to_string(n) : lvalue.wide_index);
}

std::string Printer::store_text(const Lvalue& lvalue, const std::string& value, uint64_t access) const {
  if ((access & VD_ACCESS_STREAMING) && dialect_.streaming_store && lvalue.space == Space::Storage && !lvalue.packed) {
    module_.need(dialect_.streaming_needs);
    return fill(dialect_.streaming_store, {{"0", lvalue.text}, {"1", value}}) + ";";
  }
  if (!lvalue.packed) return lvalue.text + " = " + value + ";";
  return fill(dialect_.packed_store, {{"n", std::to_string(lvalue.type.count())},
                                      {"0", lvalue.text},
                                      {"1", lvalue.packed_index},
                                      {"2", value}}) +
         ";";
}

Printer::Expression Printer::load(ValueId id) {
  Expression e;
  const Inst& i = inst(id);
  const ValueId reference = args(id)[0];
  const uint32_t width = access_width(i.immediate);
  Lvalue lvalue = resolve(reference, i.immediate, &e, (i.immediate & VD_ACCESS_COHERENT) != 0);
  const Space space = inst(reference).type.space();
  if (space != Space::Uniform) {
    const ValueId variable = space == Space::Private ? lvalue.base : kNoValue;
    e.variable = e.reads ? (e.variable == variable ? variable : kNoValue) : variable;
    e.reads |= space_bit(space);
  } else if (!e.reads && e.depth == 0) {
    e.state = State::Free;  // never changes
  }
  if (width > 1 && !lvalue.wide) {
    std::string parts;
    for (uint32_t c = 0; c < width; ++c) parts += (c ? ", " : "") + element_text(lvalue, c);
    e.text = fill(dialect_.construct, {{"T", module_.type(i.type)}, {"0", parts}});
    e.precedence = dialect_.construct_precedence;
    e.depth++;
    return e;
  }
  e.text = lvalue.packed
               ? fill(dialect_.packed_load,
                      {{"n", std::to_string(lvalue.type.count())}, {"0", lvalue.text}, {"1", lvalue.packed_index}})
               : lvalue.text;
  e.precedence = lvalue.cast ? kUnary : kPrimary;
  if ((i.immediate & VD_ACCESS_STREAMING) && dialect_.streaming_load && space == Space::Storage && !lvalue.packed) {
    module_.need(dialect_.streaming_needs);
    e.text = fill(dialect_.streaming_load, {{"0", e.text}});
    e.precedence = kPrimary;
  }
  return e;
}

}  // namespace vd::codegen
