#include "codegen/module.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/error.h"

namespace vd::codegen {

using namespace ir;

namespace {

constexpr int index_of(Scalar s) { return static_cast<int>(s); }

// The shortest text that reads back as the same number, with a point or an exponent.
template <class T>
std::string shortest(T value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

float half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

std::string fill(const char* text, std::initializer_list<Replacement> replacements) {
  std::string out;
  for (const char* p = text; *p;) {
    if (*p == '{') {
      const std::string_view rest(p + 1);
      const size_t close = rest.find('}');
      const std::string_view key = rest.substr(0, close);
      bool found = false;
      for (const auto& [name, value] : replacements)
        if (name == key) {
          out += value;
          found = true;
          break;
        }
      if (found) {
        p += close + 2;
        continue;
      }
    }
    out += *p++;
  }
  return out;
}

Module::Module(const Kernel& k, const Dialect& d, const Options& o)
    : kernel(k), dialect(d), options(o), names(d.reserved) {
  names.take(d.entry);
  if (kernel.shared_size > dialect.static_shared_limit) dynamic_shared_size = kernel.shared_size;
  workgroup_size = kernel.attributes.workgroup_size;
  for (const Argument& argument : kernel.arguments)
    arguments.push_back(names.unique(argument.name, argument.kind == VD_ARGUMENT_BUFFER ? "buf" : "arg"));
  for (size_t i = 0; dialect.buffer_offsets && i < arguments.size(); ++i) {
    memories.push_back(names.unique(arguments[i] + "_memory"));
    offsets.push_back(names.unique(arguments[i] + "_offset"));
  }
  if (dialect.reads_units) {
    for (const std::string& name : arguments) samplers.push_back(names.unique(name + "_sampler"));
    exact_sampler = names.unique("exact_sampler");
  }
  if (dialect.buffer_addresses) {
    addresses = names.unique("addresses");
    for (const std::string& name : arguments) sizes.push_back(names.unique(name + "_size"));
  }
  for (const SharedArray& shared : kernel.shareds) shareds.push_back(names.unique(shared.name, "shared"));
  for (uint32_t i = 0; i < kernel.types.struct_count(); ++i) {
    const auto& s = kernel.types.get_struct(Type::structure(i));
    structs.push_back(names.unique(s.name, "Struct"));
    Names members(d.reserved);
    fields.emplace_back();
    for (const Field& field : s.fields) fields.back().push_back(members.unique(field.name, "f"));
  }
  if (kernel.values.total_size) {
    values = names.unique("values");
    exec_size = names.unique("exec_size");
    for (const std::string& name : arguments) shapes.push_back(names.unique(name + "_shape"));
  }
}

std::string Module::type(Type type) const {
  type = type.value();
  if (type.is_struct()) return structs.at(type.index());
  const int s = index_of(type.scalar());
  if (dialect.type_needs[s]) need(dialect.type_needs[s]);
  const char* text = type.is_scalar()                        ? dialect.scalar_types[s]
                     : type.is_vector() || type.is_complex() ? dialect.vector_types[s]
                     : type.is_matrix()                      ? dialect.matrix_types[s]
                                                             : nullptr;
  if (!text) fail(VD_ERR_UNSUPPORTED, "{} has no type {}", dialect.name, kernel.types.name(type));
  if (type.is_scalar()) return text;
  bool known = false;
  for (const Type t : composites) known |= t == type;
  if (!known) composites.push_back(type);
  const char n[] = {static_cast<char>('0' + type.count()), 0}, m[] = {static_cast<char>('0' + type.rows()), 0};
  return fill(text, {{"n", n}, {"m", m}});
}

std::string Module::declare(Type t, const std::string& name) const {
  std::string suffix;
  while (t.is_array()) {
    const auto& array = kernel.types.get_array(t);
    suffix += fmt::format("[{}]", array.count);
    t = array.element;
  }
  return type(t) + " " + name + suffix;
}

std::string Module::declare_field(Type t, const std::string& name) const {
  std::string suffix;
  while (t.is_array()) {
    const auto& array = kernel.types.get_array(t);
    suffix += fmt::format("[{}]", array.count);
    t = array.element;
  }
  if (dialect.packs_fields && (t.is_vector() || t.is_complex() || t.is_matrix())) {
    const uint32_t scalars = t.count() * t.rows();
    return fmt::format("{} {}{}[{}]", type(Type(t.scalar())), name, suffix, scalars);
  }
  if (dialect.packed_suffix && t.count() * t.rows() > 1 && t.rows() != 3 && (t.rows() > 1 || t.count() != 3)) {
    const std::string packed = type(t) + dialect.packed_suffix;
    if (t.is_matrix()) need(type(t.component()) + dialect.packed_suffix);
    need(packed);
    return packed + " " + name + suffix;
  }
  return type(t) + " " + name + suffix;
}

bool Module::packs_element(Type t) const {
  return (dialect.packs_three && t.is_vector() && t.count() == 3) || (dialect.packs_matrices && t.is_matrix());
}

std::string Module::element_type(Type t) const { return type(packs_element(t) ? Type(t.scalar()) : t); }

uint32_t Module::scalars_per_element(Type t) const { return packs_element(t) ? t.count() * t.rows() : 1; }

std::vector<Type> Module::composite_types() const {
  // A matrix needs its columns.
  for (size_t i = 0; i < composites.size(); ++i)
    if (composites[i].is_matrix()) type(composites[i].component());
  std::vector<Type> out;
  for (const Type t : composites)
    if (!t.is_matrix() && !(t.is_complex() && std::find(composites.begin(), composites.end(),
                                                        Type::vector(t.scalar(), 2)) != composites.end()))
      out.push_back(t);
  for (const Type t : composites)
    if (t.is_matrix()) out.push_back(t);
  return out;
}

bool Module::shared_is_raw() const {
  bool raw = dynamic_shared_size != 0;
  for (const SharedArray& s : kernel.shareds) raw |= s.explicit_offset;
  return raw;
}

std::string Module::value_struct(const char*, const char* head, const char* tail) const {
  std::string out = head;
  uint32_t end = 0, paddings = 0;
  for (const ValueMember& member : value_members()) {
    // Every member is aligned to its scalar, in C as in the block, so that only larger gaps need bytes.
    if (member.offset > end && member.offset - end >= kernel.types.align(member.type))
      out += fmt::format("    {} padding{}[{}];\n", dialect.scalar_types[index_of(Scalar::U8)], paddings++,
                         member.offset - end);
    out += "    " + declare_field(member.type, member.name) + ";\n";
    end = member.offset + static_cast<uint32_t>(kernel.types.size(member.type));
  }
  return out + tail;
}

void Module::need(std::string_view name) const {
  if (!needed(name)) needs.emplace_back(name);
}

bool Module::needed(std::string_view name) const {
  for (const std::string& n : needs)
    if (n == name) return true;
  return false;
}

const std::string& Module::view(uint32_t argument, Type element, bool coherent, uint32_t align) {
  if (!coherent && element.value() == kernel.arguments[argument].type.value()) return arguments[argument];
  if (align == 0) align = kernel.types.align(element.value());
  for (View& v : views)
    if (v.argument == argument && v.element == element.value() && v.coherent == coherent) {
      v.align = std::min(v.align, align);
      return v.name;
    }
  std::string name = arguments[argument] + "_as_" + kernel.types.name(element.value()) + (coherent ? "_coherent" : "");
  views.push_back({argument, element.value(), coherent, align, names.unique(name)});
  return views.back().name;
}

std::vector<AddressedBuffer> Module::addressed_buffers() const {
  std::vector<AddressedBuffer> out;
  for (uint32_t i = 0; dialect.buffer_addresses && i < kernel.arguments.size(); ++i) {
    const Argument& argument = kernel.arguments[i];
    if (argument.kind != VD_ARGUMENT_BUFFER) continue;
    const uint64_t size = kernel.types.size(argument.type);
    AddressedBuffer buffer{argument.binding, argument_align(size), size};
    for (const View& view : views) {
      if (view.argument != i) continue;
      buffer.align = std::max(buffer.align, view.align);
      buffer.least_size = std::max(buffer.least_size, kernel.types.size(view.element));
    }
    out.push_back(buffer);
  }
  return out;
}

const std::string& Module::image_function(ImageFunction f) {
  for (const ImageFunction& known : image_functions)
    if (known.argument == f.argument && known.op == f.op && known.at == f.at && known.level == f.level)
      return known.name;
  const char* verb = f.op == VD_OP_IMAGE_SAMPLE  ? "_sample"
                     : f.op == VD_OP_IMAGE_LOAD  ? "_load"
                     : f.op == VD_OP_IMAGE_STORE ? "_store"
                     : f.op == kOpImageRead      ? (f.at.is_float() ? "_filtered" : "_texel")
                                                 : "_size";
  f.name = names.unique(arguments[f.argument] + verb);
  image_functions.push_back(std::move(f));
  return image_functions.back().name;
}

std::string Module::literal(Scalar scalar, uint64_t bits) const {
  const int s = index_of(scalar);
  if (dialect.type_needs[s]) need(dialect.type_needs[s]);
  const auto signed_text = [&](int64_t value, int64_t lowest) {
    // The lowest number has no literal: its magnitude is one more than the type holds.
    if (value == lowest) return fmt::format("({}{} - 1)", lowest + 1, dialect.literal_suffix[s]);
    return fmt::format("{}{}", value, dialect.literal_suffix[s]);
  };
  const auto cast = [&](const std::string& text) {
    return fill(dialect.literal_cast, {{"T", dialect.scalar_types[s]}, {"0", text}});
  };
  const auto from_bits = [&](const std::string& hex) {
    return fill(
        dialect.from_bits[s],
        {{"0", hex}, {"lo", fmt::format("0x{:08x}", bits & 0xffffffffu)}, {"hi", fmt::format("0x{:08x}", bits >> 32)}});
  };
  switch (scalar) {
    case Scalar::Bool:
      return bits & 1 ? "true" : "false";
    case Scalar::I8:
      return cast(std::to_string(static_cast<int8_t>(bits)));
    case Scalar::I16:
      return cast(std::to_string(static_cast<int16_t>(bits)));
    case Scalar::I32:
      return signed_text(static_cast<int32_t>(bits), INT32_MIN);
    case Scalar::I64:
      return signed_text(static_cast<int64_t>(bits), INT64_MIN);
    case Scalar::U8:
      return cast(std::to_string(bits & 0xff));
    case Scalar::U16:
      return cast(std::to_string(bits & 0xffff));
    case Scalar::U32:
      return fmt::format("{}{}", bits & 0xffffffffu, dialect.literal_suffix[s]);
    case Scalar::U64:
      return fmt::format("{}{}", bits, dialect.literal_suffix[s]);
    case Scalar::F16: {
      const auto half = static_cast<uint16_t>(bits);
      const int exponent = half >> 10 & 31;
      if (exponent == 31 || (exponent == 0 && half & 1023) || !*dialect.literal_suffix[s])
        return from_bits(fmt::format("0x{:04x}", half));
      return shortest(half_value(half)) + dialect.literal_suffix[s];
    }
    case Scalar::F32: {
      const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
      if (value != 0 && !std::isnormal(value)) return from_bits(fmt::format("0x{:08x}u", bits & 0xffffffffu));
      return shortest(value) + dialect.literal_suffix[s];
    }
    case Scalar::F64: {
      const double value = std::bit_cast<double>(bits);
      if (value != 0 && !std::isnormal(value)) return from_bits(fmt::format("0x{:016x}", bits));
      return shortest(value) + dialect.literal_suffix[s];
    }
    case Scalar::None:
      break;
  }
  fail(VD_ERR_INTERNAL, "a constant without a type");
}

std::string Module::zero(Type t) const {
  if (t.is_scalar()) return literal(t.scalar(), 0);
  if (t.is_vector() || t.is_complex()) return fill(dialect.splat, {{"T", type(t)}, {"0", literal(t.scalar(), 0)}});
  const std::vector<std::byte> bytes(kernel.types.size(t));
  return constant_text(t, bytes.data());
}

std::string Module::constant_text(Type t, const std::byte* bytes) const {
  if (t.is_scalar()) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, scalar_size(t.scalar()));
    return literal(t.scalar(), bits);
  }
  std::string parts;
  const auto part = [&](Type p, size_t offset) {
    parts += (parts.empty() ? "" : ", ") + constant_text(p, bytes + offset);
  };
  if (t.is_struct()) {
    for (const Field& field : kernel.types.get_struct(t).fields) part(field.type, field.offset);
  } else if (t.is_array()) {
    const auto& array = kernel.types.get_array(t);
    for (uint32_t i = 0; i < array.count; ++i) part(array.element, kernel.types.size(array.element) * i);
  } else {
    const Type p = t.is_matrix() ? t.component() : Type(t.scalar());
    for (uint32_t i = 0; i < t.count(); ++i) part(p, kernel.types.size(p) * i);
  }
  const char* form = t.is_struct()   ? dialect.construct_struct
                     : t.is_array()  ? dialect.construct_array
                     : t.is_matrix() ? dialect.construct_matrix
                                     : dialect.construct;
  return fill(form, {{"T", t.is_array() ? declare(t, "") : type(t)}, {"0", parts}});
}

const std::string& Module::constant_table(uint32_t constant) {
  std::string& name = constants[constant];
  if (name.empty()) name = names.unique("table");
  return name;
}

std::string Module::snippets(std::string_view except) const {
  std::vector<const Snippet*> chosen;
  const auto find = [&](std::string_view name) -> const Snippet* {
    for (const Snippet& snippet : dialect.snippets)
      if (name == snippet.name) return &snippet;
    return nullptr;
  };
  const auto have = [&](const Snippet* snippet) {
    for (const Snippet* c : chosen)
      if (c == snippet) return true;
    return false;
  };
  for (const std::string& name : needs) {
    std::vector<const Snippet*> chain;
    for (const Snippet* s = find(name); s; s = s->after ? find(s->after) : nullptr) chain.push_back(s);
    while (!chain.empty()) {
      if (!have(chain.back()) && chain.back()->name != except) chosen.push_back(chain.back());
      chain.pop_back();
    }
  }
  std::string out;
  for (const Snippet* s : chosen) out += s->text;
  return out;
}

std::vector<ValueMember> Module::value_members() const {
  std::vector<ValueMember> members;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument& a = kernel.arguments[i];
    if (a.kind == VD_ARGUMENT_CONSTANT || a.kind == VD_ARGUMENT_VARIABLE)
      members.push_back({a.type, arguments[i], a.offset});
  }
  if (kernel.values.exec_size_offset != kNoOffset)
    members.push_back({Type::vector(Scalar::U32, 3), exec_size, kernel.values.exec_size_offset});
  for (size_t i = 0; i < kernel.values.shape_offsets.size(); ++i)
    if (kernel.values.shape_offsets[i] != kNoOffset)
      members.push_back({Type::vector(Scalar::I32, 4), shapes[i], kernel.values.shape_offsets[i]});
  return members;
}

std::string Module::place(uint32_t location) const {
  if (location == 0 || location >= kernel.locations.size()) return "";
  return fmt::format(" ({}:{})", kernel.locations[location].file, kernel.locations[location].line);
}

}  // namespace vd::codegen
