// Recursive descent over the text form. Operands are on the line of their op; line ends have no other meaning.
#include <bit>
#include <charconv>
#include <unordered_map>

#include "core/error.h"
#include "core/name.h"
#include "core/traits.h"
#include "ir/analyse.h"
#include "ir/emitter.h"
#include "ir/evaluate.h"
#include "ir/half.h"
#include "ir/old_words.h"
#include "ir/text.h"
#include "ir/text_words.h"
#include "ir/type_rules.h"
#include "ir/verify.h"

namespace vd::ir {
namespace {

enum class Kind : uint8_t { End, Word, Number, String, Sign };

struct Token {
  Kind kind = Kind::End;
  std::string_view text;  // of a string without its quotes, escapes unchanged
  uint32_t line = 1, column = 1;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  const Token& now() const { return now_; }
  // The line on which the last token taken ended.
  uint32_t last_line() const { return last_line_; }

  Token take() {
    const Token token = now_;
    last_line_ = token.line;
    advance();
    return token;
  }

  [[noreturn]] void wrong(const Token& token, std::string_view wanted) const {
    const std::string found =
        token.kind == Kind::End ? std::string("the end") : fmt::format("\"{}\"", token.text.substr(0, 40));
    fail(VD_ERR_COMPILE, "line {}, column {}: expected {}, found {}.", token.line, token.column, wanted, found);
  }
  [[noreturn]] void wrong(std::string_view wanted) const { wrong(now_, wanted); }

 private:
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  void advance() {
    while (place_ < text_.size()) {
      const char c = text_[place_];
      if (c == '\n') {
        ++line_;
        line_start_ = ++place_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++place_;
      } else if (c == '/' && at(place_ + 1) == '/') {
        while (place_ < text_.size() && text_[place_] != '\n') ++place_;
      } else {
        break;
      }
    }
    now_ = {Kind::End, {}, line_, static_cast<uint32_t>(place_ - line_start_ + 1)};
    if (place_ >= text_.size()) return;
    const size_t start = place_;
    const char c = text_[place_];
    if (is_letter(c)) {
      while (is_letter(at(place_)) || is_digit(at(place_))) ++place_;
      now_.kind = Kind::Word;
    } else if (is_digit(c) || (c == '-' && is_digit(at(place_ + 1)))) {
      ++place_;
      while (is_letter(at(place_)) || is_digit(at(place_)) || at(place_) == '.' ||
             ((at(place_) == '+' || at(place_) == '-') && at(place_ - 1) == 'e')) {
        ++place_;
      }
      now_.kind = Kind::Number;
    } else if (c == '"') {
      ++place_;
      while (place_ < text_.size() && text_[place_] != '"' && text_[place_] != '\n')
        place_ += text_[place_] == '\\' ? 2 : 1;
      if (at(place_) != '"') wrong("a closing quote");
      now_ = {Kind::String, text_.substr(start + 1, place_ - start - 1), now_.line, now_.column};
      ++place_;
      return;
    } else {
      ++place_;
      now_.kind = Kind::Sign;
    }
    now_.text = text_.substr(start, place_ - start);
  }

  std::string_view text_;
  size_t place_ = 0, line_start_ = 0;
  uint32_t line_ = 1, last_line_ = 1;
  Token now_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : lex_(text), e_(k_) { e_.folding = false; }

  Kernel run() {
    header();
    while (!is("{")) declaration();
    expect("{");
    region(1);
    if (lex_.now().kind != Kind::End) lex_.wrong("the end");
    return std::move(k_);
  }

 private:
  bool is(std::string_view text) const {
    return lex_.now().text == text && (lex_.now().kind == Kind::Sign || lex_.now().kind == Kind::Word);
  }
  bool accept(std::string_view text) {
    if (!is(text)) return false;
    lex_.take();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) lex_.wrong(fmt::format("\"{}\"", text));
  }
  bool same_line() const { return lex_.now().kind != Kind::End && lex_.now().line == lex_.last_line(); }

  template <class T>
  T integer(std::string_view what, uint64_t limit) {
    const Token token = lex_.now();
    if (token.kind != Kind::Number) lex_.wrong(what);
    std::string_view digits = token.text;
    const int base = digits.starts_with("0x") ? 16 : 10;
    if (base == 16) digits.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error != std::errc() || end != digits.data() + digits.size() || value > limit) {
      lex_.wrong(token, fmt::format("{}, at most {}", what, limit));
    }
    lex_.take();
    return static_cast<T>(value);
  }
  template <class T>
  void from_digits(const Token& token, T& value) const {
    const char* const last = token.text.data() + token.text.size();
    const auto [end, error] = std::from_chars(token.text.data(), last, value);
    if (end != last || error != std::errc()) lex_.wrong(token, "a number of its type");
  }
  uint32_t number(std::string_view what, uint32_t limit = 0x7fffffff) { return integer<uint32_t>(what, limit); }

  std::string unquote(const Token& token);
  std::string string(std::string_view what) {
    if (lex_.now().kind != Kind::String) lex_.wrong(what);
    return unquote(lex_.take());
  }
  std::string name(std::string_view what) { return shown_name(string(what)); }
  std::string optional_name() { return lex_.now().kind == Kind::String ? name("a name") : std::string(); }

  void header();
  void size3(std::array<uint32_t, 3>& size);
  void declaration();
  void structure();
  void table_constant();
  void next_number(size_t have, std::string_view what) {
    const Token token = lex_.now();
    if (number(what) != have) lex_.wrong(token, fmt::format("{} {}", what, have));
  }
  Type type(uint32_t depth = 0);
  void region(uint32_t depth);
  void instruction(uint32_t depth);
  ValueId operand();
  uint64_t literal(Type type);
  uint32_t place();

  Lexer lex_;
  Kernel k_;
  Emitter e_;
  std::unordered_map<uint32_t, Type> struct_types_;
  std::unordered_map<uint32_t, ValueId> values_;
  std::unordered_map<std::string, uint32_t> strings_, locations_;
};

std::string Parser::unquote(const Token& token) {
  std::string text;
  for (size_t i = 0; i < token.text.size(); ++i) {
    char c = token.text[i];
    if (c == '\\' && i + 1 < token.text.size()) {
      c = token.text[++i];
      if (c == 'n') c = '\n';
      if (c == 'x') {
        unsigned value = 0;
        const std::string_view digits = token.text.substr(i + 1, 2);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
        if (error != std::errc() || end != digits.data() + 2) lex_.wrong(token, "two hexadecimal digits after \\x");
        c = static_cast<char>(value);
        i += 2;
      }
    }
    text += c;
  }
  return text;
}

void Parser::size3(std::array<uint32_t, 3>& size) {
  uint64_t all = 1;
  const Token token = lex_.now();
  for (uint32_t& n : size) {
    n = number("a size", kMostInvocations);
    all *= n;
  }
  if (all == 0 || all > kMostInvocations) lex_.wrong(token, "three sizes, at most 65535 in all");
}

void Parser::header() {
  if (accept("function")) {
    k_.flags |= VD_BUILDER_FUNCTION;
  } else {
    expect("kernel");
  }
  if (lex_.now().kind == Kind::String) k_.name = name("a name");
  Attributes& a = k_.attributes;
  while (same_line()) {
    const Token word = lex_.take();
    if (word.kind != Kind::Word) lex_.wrong(word, "an attribute");
    bool flag = false;
    for (const FlagWord& known : kFlagWords) {
      if (word.text == known.text) {
        k_.flags |= known.flag;
        flag = true;
      }
    }
    if (flag) continue;
    const std::string_view attribute = current_word(kOldAttributes, word.text);
    if (attribute == "workgroup_size")
      size3(a.workgroup_size);
    else if (attribute == "cluster_size")
      size3(a.cluster_size);
    else if (attribute == "min_workgroups")
      a.min_workgroups = number("a count");
    else if (attribute == "shared_carveout")
      a.shared_carveout = number("percent plus 1", 101);
    else if (attribute == "dynamic_shared_size")
      a.dynamic_shared_size = number("bytes");
    else if (attribute == "gives")
      k_.return_type = type();
    else
      lex_.wrong(word, "an attribute");
  }
}

void Parser::structure() {
  const uint32_t index = number("a struct's number", 0xffff);
  std::vector<Field> fields;
  const std::string name = optional_name();
  expect("{");
  do {
    const Type field = type();
    fields.push_back({field, optional_name(), 0});
  } while (accept(","));
  expect("}");
  if (!struct_types_.emplace(index, k_.types.structure(name, std::move(fields))).second)
    lex_.wrong("another struct's number");
}

void Parser::table_constant() {
  next_number(k_.constants.size(), "constant number");
  const Type t = type();
  const Token token = lex_.now();
  if (token.kind != Kind::Number || !token.text.starts_with("0x") || token.text.size() % 2 != 0)
    lex_.wrong("bytes in hexadecimal");
  std::vector<std::byte> bytes;
  for (size_t i = 2; i < token.text.size(); i += 2) {
    unsigned value = 0;
    const char* digits = token.text.data() + i;
    const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
    if (error != std::errc() || end != digits + 2) lex_.wrong("bytes in hexadecimal");
    bytes.push_back(static_cast<std::byte>(value));
  }
  if (bytes.size() != k_.types.size(t)) lex_.wrong(fmt::format("{} bytes in hexadecimal", k_.types.size(t)));
  lex_.take();
  k_.constants.push_back({t, std::move(bytes)});
}

void Parser::declaration() {
  if (accept("struct")) return structure();
  if (accept("constant")) return table_constant();
  if (accept("argument")) {
    next_number(k_.arguments.size(), "argument number");
    const Token word = lex_.take();
    Argument argument;
    bool known = false;
    for (size_t i = 0; i < std::size(kArgumentWords); ++i) {
      if (word.kind != Kind::Word || word.text != kArgumentWords[i]) continue;
      argument.kind = static_cast<vd_argument_kind>(i);
      known = true;
    }
    if (!known) lex_.wrong(word, "an argument's kind");
    argument.type = type();
    argument.name = optional_name();
    k_.arguments.push_back(std::move(argument));
    return;
  }
  expect("shared");
  next_number(k_.shareds.size(), "shared array number");
  SharedArray shared;
  shared.element = type();
  expect("x");
  shared.count = number("a count");
  if (accept("offset")) {
    shared.offset = number("an offset");
    shared.explicit_offset = true;
  }
  shared.name = optional_name();
  k_.shareds.push_back(std::move(shared));
}

Type Parser::type(uint32_t depth) {
  const Token token = lex_.now();
  if (depth > 32) lex_.wrong("a type that nests less deep");
  if (accept("[")) {
    const Type element = type(depth + 1);
    const uint32_t count = accept("x") ? number("a count") : 0;
    expect("]");
    return k_.types.array(element, count);
  }
  if (token.kind != Kind::Word) lex_.wrong("a type");
  for (uint32_t i = 1; i < std::size(kSpaceWords); ++i) {
    if (token.text != kSpaceWords[i]) continue;
    if (depth != 0) lex_.wrong("a value's type");
    lex_.take();
    return type(1).in(static_cast<Space>(i));
  }
  lex_.take();
  if (token.text.starts_with("struct")) {
    uint32_t index = 0;
    const std::string_view digits = token.text.substr(6);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const auto found = struct_types_.find(index);
    if (error != std::errc() || end != digits.data() + digits.size() || found == struct_types_.end())
      lex_.wrong(token, "a known struct");
    return found->second;
  }
  const Type t = parse_type(std::string(token.text));
  if (t.none()) lex_.wrong(token, "a type");
  return t;
}

uint64_t Parser::literal(Type t) {
  const Token token = lex_.now();
  if (token.kind != Kind::Number) lex_.wrong("a number");
  const Scalar s = t.scalar();
  const uint32_t bits = scalar_bits(s);
  const uint64_t mask = s == Scalar::Bool ? 1 : bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (token.text.starts_with("0x")) return integer<uint64_t>("bits", mask);
  if (!t.is_float() && !token.text.starts_with('-'))
    return integer<uint64_t>("a number", t.is_signed() ? mask >> 1 : mask);
  uint64_t result = 0;
  if (t.is_float()) {
    // One rounding, from the digits to the type; f16 values have few enough digits for double. The program's locale,
    // which strtod() would follow, has no say.
    if (s == Scalar::F32) {
      float value = 0;
      from_digits(token, value);
      result = std::bit_cast<uint32_t>(value);
    } else {
      double value = 0;
      from_digits(token, value);
      result = float_bits(s, value);
    }
  } else {
    int64_t value = 0;
    from_digits(token, value);
    const int64_t least = -static_cast<int64_t>(mask >> 1) - 1;
    if (!t.is_signed() || value < least) lex_.wrong("a number of its type");
    result = static_cast<uint64_t>(value) & mask;
  }
  lex_.take();
  return result;
}

ValueId Parser::operand() {
  const Token token = lex_.now();
  if (accept("%")) {
    const auto found = values_.find(number("a value's number"));
    if (found == values_.end()) lex_.wrong(token, "a value that is defined before");
    return found->second;
  }
  if (accept("@")) {
    const uint32_t index = number("an argument's number");
    if (index >= k_.arguments.size()) lex_.wrong(token, "a known argument");
    const Argument& a = k_.arguments[index];
    Type t = a.type;
    if (a.kind == VD_ARGUMENT_BUFFER) t = k_.types.array(a.type, 0).in(Space::Storage);
    if (a.kind == VD_ARGUMENT_CONSTANT || a.kind == VD_ARGUMENT_VARIABLE) t = t.in(Space::Uniform);
    if (a.kind == VD_ARGUMENT_REFERENCE && !t.is_reference()) t = t.in(Space::Private);
    return e_.leaf(kOpArgument, t, index);
  }
  if (accept("#")) {
    const uint32_t index = number("a shared array's number");
    if (index >= k_.shareds.size()) lex_.wrong(token, "a known shared array");
    return e_.leaf(kOpShared, k_.types.array(k_.shareds[index].element, k_.shareds[index].count).in(Space::Shared),
                   index);
  }
  if (accept("!")) {
    const uint32_t index = number("a constant's number");
    if (index >= k_.constants.size()) lex_.wrong(token, "a known constant");
    return e_.leaf(kOpConstant, k_.constants[index].type, index);
  }
  if (accept("$")) {
    const std::string text = string("a string");
    const auto [found, added] = strings_.try_emplace(text, static_cast<uint32_t>(k_.strings.size()));
    if (added) k_.strings.push_back(text);
    return e_.leaf(kOpString, Type::string(), found->second);
  }
  if (accept("zero")) {
    const Type t = type();
    return e_.leaf(VD_OP_ZERO, t, 0);
  }
  if (token.kind == Kind::Word) {
    const std::string_view builtin = current_word(kOldBuiltins, token.text);
    for (uint32_t i = 0; i < kBuiltinCount; ++i) {
      if (builtin != builtin_name(i)) continue;
      lex_.take();
      return e_.leaf(VD_OP_BUILTIN, builtin_type(i), i);
    }
    const Type t = type();
    if (t.is_array() || t.is_struct() || t.is_matrix() || t.is_reference() || t.scalar() == Scalar::None) {
      lex_.wrong(token, "a scalar's, vector's or complex type");
    }
    return e_.leaf(VD_OP_CONST, t, literal(t));
  }
  lex_.wrong("an operand");
}

uint32_t Parser::place() {
  Location location;
  location.file = name("a file");
  expect(":");
  location.line = number("a line");
  location.function = optional_name();
  const auto [found, added] =
      locations_.try_emplace(fmt::format("{}\n{}\n{}", location.line, location.file, location.function),
                             static_cast<uint32_t>(k_.locations.size()));
  if (added) k_.locations.push_back(std::move(location));
  return found->second;
}

void Parser::instruction(uint32_t depth) {
  Inst inst;
  uint32_t result = 0;
  const bool gives = accept("%");
  if (gives) {
    const Token token = lex_.now();
    result = number("a value's number");
    if (values_.contains(result)) lex_.wrong(token, "a value's number that is not taken");
    expect(":");
    inst.type = type();
    expect("=");
  }
  const Token word = lex_.take();
  const OpInfo* info = word.kind == Kind::Word ? find_op(word.text) : nullptr;
  if (info == nullptr || info->has(kLeaf)) lex_.wrong(word, "an op");
  inst.op = info->op;
  while (same_line() && accept(".")) {
    if (accept("precise")) {
      inst.immediate |= VD_MATH_PRECISE;
    } else {
      expect("native");
      inst.immediate |= VD_MATH_NATIVE;
    }
  }
  if (same_line() && accept("<")) {
    inst.immediate |= integer<uint64_t>("an immediate", ~kClassBits);
    expect(">");
  }
  const RegionId outer = e_.region();
  const auto inner = [&](int i) {
    inst.regions[i] = k_.add_region();
    e_.set_region(inst.regions[i]);
    region(depth + 1);
    e_.set_region(outer);
  };
  std::vector<ValueId> operands;
  if (inst.op == VD_OP_WHILE) {
    expect("{");
    inner(0);
    operands.push_back(operand());
  } else if (same_line() && !is("{") && !is("name") && !is("at") && !is("}")) {
    do {
      operands.push_back(operand());
    } while (accept(","));
  }
  std::string name;
  if (same_line() && accept("name")) name = this->name("a name");
  if (same_line() && accept("at")) inst.location = place();
  // Counters are used in the region that they open, so the instruction is there before it.
  const ValueId id = e_.append(inst, operands);
  if (gives) values_.emplace(result, id);
  if (!name.empty()) {
    if (inst.op != VD_OP_VAR) lex_.wrong(word, "a variable, to have a name");
    if (k_.names.size() <= id) k_.names.resize(id + 1);
    k_.names[id] = std::move(name);
  }
  const bool first = inst.op == VD_OP_IF || inst.op == VD_OP_SCOPE;
  if (first || is_loop(inst.op)) {
    expect("{");
    inner(first ? 0 : 1);
    if (inst.op == VD_OP_IF && accept("else")) {
      expect("{");
      inner(1);
    }
    k_.insts[id].regions = inst.regions;
  }
}

void Parser::region(uint32_t depth) {
  if (depth > kMaxDepth) lex_.wrong("fewer blocks inside each other");
  while (!accept("}")) {
    if (lex_.now().kind == Kind::End) lex_.wrong("\"}\"");
    instruction(depth);
  }
}

}  // namespace

Kernel parse_text(std::string_view text) {
  try {
    Kernel kernel = Parser(text).run();
    verify(kernel);
    analyse(kernel);
    return kernel;
  } catch (const Error& error) {
    if (error.status() == VD_ERR_COMPILE) throw;
    throw Error(VD_ERR_COMPILE, error.what());  // a type's own limit
  }
}

}  // namespace vd::ir
