#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "core/error.h"
#include "ir/evaluate.h"
#include "ir/text.h"
#include "ir/text_words.h"
#include "ir/type_rules.h"

namespace vd::ir {
namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

class Printer {
 public:
  Printer(const Kernel& kernel, vd_print_flags flags)
      : k_(kernel),
        canonical_((flags & VD_PRINT_CANONICAL) != 0),
        places_((flags & VD_PRINT_LOCATIONS) != 0 && !canonical_),
        numbers_(kernel.insts.size(), kNoValue) {}

  std::string run() {
    // The code goes first: it says which structs, constants and places are used, and in which order.
    std::string code = std::move(out_);
    region(k_.body, 1);
    code.swap(out_);
    header();
    arguments();
    std::string head;
    head.swap(out_);
    tables();
    // Types may nest: the table of structs grows while it is printed, and precedes all uses.
    return title_ + out_ + head + "{\n" + code + "}\n";
  }

 private:
  void header();
  void arguments();
  void tables();
  void region(RegionId region, uint32_t depth);
  void inst(ValueId id, uint32_t depth);
  void operand(ValueId id);
  void constant(const Inst& inst);
  void number(Type type, uint64_t bits);
  void type(Type type);
  void name(const std::string& text) {
    if (canonical_ || text.empty()) return;
    out_ += ' ';
    append_quoted(out_, text);
  }
  // Without names, structs of equal fields are one.
  uint32_t same_struct(uint32_t index) const {
    if (!canonical_) return index;
    const auto& fields = k_.types.get_struct(Type::structure(index)).fields;
    for (uint32_t i = 0; i < index; ++i) {
      const auto& other = k_.types.get_struct(Type::structure(i)).fields;
      if (std::ranges::equal(fields, other, {}, &Field::type, &Field::type)) return i;
    }
    return index;
  }
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  // Most of a text are such numbers: fmt takes several times as long for one.
  template <class Number>
  void put_number(Number value) {
    std::array<char, std::numeric_limits<Number>::digits10 + 2> digits;
    out_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }
  void put_number(char mark, uint64_t value) {
    out_ += mark;
    put_number(value);
  }
  static uint32_t intern(std::vector<uint32_t>& order, std::unordered_map<uint32_t, uint32_t>& index, uint32_t item) {
    const auto [found, added] = index.try_emplace(item, static_cast<uint32_t>(order.size()));
    if (added) order.push_back(item);
    return found->second;
  }

  const Kernel& k_;
  const bool canonical_, places_;
  std::string out_, title_;
  std::vector<ValueId> numbers_;
  uint32_t next_ = 0;
  std::vector<uint32_t> structs_, constants_;
  std::unordered_map<uint32_t, uint32_t> struct_index_, constant_index_;
};

void Printer::type(Type t) {
  if (t.is_reference()) put("{} ", space_word(t.space()));
  const Type v = t.value();
  if (v.is_array() && k_.types.is_valid(v)) {
    const auto& array = k_.types.get_array(v);
    out_ += '[';
    type(array.element);
    if (array.count != 0) put(" x {}", array.count);
    out_ += ']';
  } else if (v.is_struct() && k_.types.is_valid(v)) {
    put("struct{}", intern(structs_, struct_index_, same_struct(v.index())));
  } else {
    out_ += type_name(v);
  }
}

void Printer::header() {
  std::string outer;
  outer.swap(out_);
  put("{}", k_.is_function() ? "function" : "kernel");
  name(k_.name);
  if (!k_.return_type.none()) {
    out_ += " gives ";
    type(k_.return_type);
  }
  for (const FlagWord& word : kFlagWords) {
    if ((k_.flags & word.flag) != 0) put(" {}", word.text);
  }
  const Attributes& a = k_.attributes;
  if (a.workgroup_size[0] != 0)
    put(" workgroup_size {} {} {}", a.workgroup_size[0], a.workgroup_size[1], a.workgroup_size[2]);
  if (a.cluster_size[0] != 0) put(" cluster_size {} {} {}", a.cluster_size[0], a.cluster_size[1], a.cluster_size[2]);
  if (a.min_workgroups != 0) put(" min_workgroups {}", a.min_workgroups);
  if (a.shared_carveout != 0) put(" shared_carveout {}", a.shared_carveout);
  if (a.dynamic_shared_size != 0) put(" dynamic_shared_size {}", a.dynamic_shared_size);
  out_ += '\n';
  title_.swap(out_);
  out_.swap(outer);
}

void Printer::arguments() {
  for (size_t i = 0; i < k_.arguments.size(); ++i) {
    const Argument& argument = k_.arguments[i];
    put("argument {} {} ", i, argument_word(argument.kind));
    type(argument.type);
    name(argument.name);
    out_ += '\n';
  }
  for (size_t i = 0; i < k_.shareds.size(); ++i) {
    const SharedArray& shared = k_.shareds[i];
    put("shared {} ", i);
    type(shared.element);
    put(" x {}", shared.count);
    if (shared.explicit_offset) put(" offset {}", shared.offset);
    name(shared.name);
    out_ += '\n';
  }
}

void Printer::tables() {
  // Constants may use structs and structs others, so structs come last and are put first.
  for (size_t i = 0; i < constants_.size(); ++i) {
    const Constant& constant = k_.constants[constants_[i]];
    put("constant {} ", i);
    type(constant.type);
    out_ += " 0x";
    for (const std::byte byte : constant.bytes) put("{:02x}", static_cast<unsigned>(byte));
    out_ += '\n';
  }
  std::string rest;
  rest.swap(out_);
  // Numbered by first use, and printed so that a struct comes after those that it contains.
  std::vector<std::pair<uint32_t, std::string>> lines;
  for (size_t i = 0; i < structs_.size(); ++i) {
    const auto& type_info = k_.types.get_struct(Type::structure(structs_[i]));
    put("struct {}", i);
    name(type_info.name);
    out_ += " {";
    for (size_t f = 0; f < type_info.fields.size(); ++f) {
      out_ += f == 0 ? " " : ", ";
      type(type_info.fields[f].type);
      name(type_info.fields[f].name);
    }
    out_ += " }\n";
    lines.emplace_back(type_info.depth, std::move(out_));
    out_.clear();
  }
  std::ranges::stable_sort(lines, {}, &std::pair<uint32_t, std::string>::first);
  for (const auto& line : lines) out_ += line.second;
  out_ += rest;
}

void Printer::region(RegionId region, uint32_t depth) {
  for (const ValueId id : k_.regions[region].insts) inst(id, depth);
}

void Printer::number(Type t, uint64_t bits) {
  const Scalar s = t.scalar();
  if (t.is_float()) {
    const double value = float_value(s, bits);
    // Values that decimal digits cannot give exactly are printed as bits: infinities and NaN.
    if (value - value != 0) {
      put("0x{:x}", bits);
    } else if (s == Scalar::F64) {
      put("{}", value);
    } else {
      put("{}", static_cast<float>(value));
    }
  } else if (t.is_signed()) {
    put_number(extend(s, bits));
  } else {
    put_number(bits);
  }
}

void Printer::constant(const Inst& inst) {
  type(inst.type);
  out_ += ' ';
  number(inst.type, inst.immediate);
}

void Printer::operand(ValueId id) {
  const Inst& leaf = k_.insts[id];
  switch (static_cast<uint32_t>(leaf.op)) {
    case VD_OP_CONST:
      return constant(leaf);
    case VD_OP_ZERO:
      out_ += "zero ";
      return type(leaf.type);
    case VD_OP_BUILTIN:
      out_ += builtin_name(static_cast<uint32_t>(leaf.immediate));
      return;
    case static_cast<uint32_t>(kOpArgument):
      return put_number('@', leaf.immediate);
    case static_cast<uint32_t>(kOpShared):
      return put_number('#', leaf.immediate);
    case static_cast<uint32_t>(kOpConstant):
      return put_number('!', intern(constants_, constant_index_, static_cast<uint32_t>(leaf.immediate)));
    case static_cast<uint32_t>(kOpString):
      out_ += '$';
      return append_quoted(out_, k_.strings[leaf.immediate]);
    default:
      return put_number('%', numbers_[id]);
  }
}

void Printer::inst(ValueId id, uint32_t depth) {
  const Inst& inst = k_.insts[id];
  if (inst.op == VD_OP_COMMENT && canonical_) return;
  const std::string indent(depth * 2, ' ');
  out_ += indent;
  if (!inst.type.none()) {
    numbers_[id] = next_++;
    put_number('%', numbers_[id]);
    out_ += ": ";
    type(inst.type);
    out_ += " = ";
  }
  out_ += op_info(inst.op).name;
  const bool plain_bits = inst.op == VD_OP_CONST;
  const uint64_t immediate = plain_bits ? inst.immediate : plain_immediate(inst.immediate);
  if (!plain_bits && (inst.immediate & VD_MATH_PRECISE) != 0) out_ += ".precise";
  if (!plain_bits && (inst.immediate & VD_MATH_NATIVE) != 0) out_ += ".native";
  if (immediate != 0) put("<{}>", immediate);
  if (inst.op == VD_OP_WHILE) {
    out_ += " {\n";
    region(inst.regions[0], depth + 1);
    out_ += indent + "} ";
    operand(k_.operands[inst.first_operand]);
  } else {
    for (uint32_t i = 0; i < inst.operand_count; ++i) {
      out_ += i == 0 ? " " : ", ";
      operand(k_.operands[inst.first_operand + i]);
    }
  }
  if (inst.op == VD_OP_VAR && id < k_.names.size() && !k_.names[id].empty() && !canonical_) {
    out_ += " name";
    name(k_.names[id]);
  }
  if (places_ && inst.location != 0) {
    const Location& at = k_.locations[inst.location];
    out_ += " at ";
    append_quoted(out_, at.file);
    put_number(':', at.line);
    if (!at.function.empty()) name(at.function);
  }
  const RegionId inner = inst.op == VD_OP_IF || inst.op == VD_OP_SCOPE ? inst.regions[0] : inst.regions[1];
  if (inner != kNoRegion) {
    out_ += " {\n";
    region(inner, depth + 1);
    out_ += indent + "}";
    if (inst.op == VD_OP_IF && inst.regions[1] != kNoRegion) {
      out_ += " else {\n";
      region(inst.regions[1], depth + 1);
      out_ += indent + "}";
    }
  }
  out_ += '\n';
}

std::string number_lines(const std::string& text) {
  std::string out;
  size_t line = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    fmt::format_to(std::back_inserter(out), "{:4}: {}\n", ++line, std::string_view(text).substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  return out;
}

}  // namespace

std::string print_text(const Kernel& kernel, vd_print_flags flags) {
  std::string text = Printer(kernel, flags).run();
  return (flags & VD_PRINT_LINE_NUMBERS) != 0 ? number_lines(text) : text;
}

}  // namespace vd::ir
