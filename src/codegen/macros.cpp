// The expansion is glslang's: a stack of token lists under the text; a macro is busy, and not expanded again, while its
// list is on the stack; arguments are expanded before they are put in; ## joins what stands beside it. Conditions are
// computed, since what is left out defines nothing.
#include "codegen/macros.h"

#include <cctype>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.h"

namespace vd::codegen {
namespace {

constexpr size_t kMaxSteps = 8 * kMaxMacroTokens;  // also tokens of expansions on the way
constexpr int kMaxNesting = 500;                   // of arguments within arguments, and of parentheses in #if
constexpr int kMaxExpression = 3000;               // glslang calls itself for each
constexpr size_t kMaxNameLength = 1024;            // glslang's

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Lines joined at backslashes and comments made spaces. The line breaks that this takes away follow the line, so that
// numbers of lines stay.
std::string joined(const std::string& text) {
  std::string out;
  out.reserve(text.size() + 1);
  size_t owed = 0;
  enum { Code, LineComment, BlockComment } state = Code;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    if (c == '\r') continue;
    if (c == '\\' && (next == '\n' || (next == '\r' && at + 2 < text.size() && text[at + 2] == '\n'))) {
      at += next == '\r' ? 2 : 1;
      ++owed;
    } else if (c == '\n' && state == BlockComment) {
      ++owed;
    } else if (c == '\n') {
      state = Code;
      out.append(owed + 1, '\n');
      owed = 0;
    } else if (state == BlockComment && c == '*' && next == '/') {
      state = Code;
      ++at;
    } else if (state == Code && c == '/' && (next == '/' || next == '*')) {
      state = next == '/' ? LineComment : BlockComment;
      out += ' ';
      ++at;
    } else if (state == Code) {
      out += c;
    }
  }
  out += '\n';
  return out;
}

struct Token {
  uint32_t text = 0;  // number in the table of texts
  bool name = false;
  bool finished = false;  // its macro was busy when it was read, so it stays as it is
};
using Tokens = std::vector<Token>;

struct Macro {
  uint32_t name = 0;
  bool function = false, busy = false;
  std::vector<uint32_t> parameters;
  Tokens body;
};

class Expansion {
 public:
  Expansion(const std::string& what, std::string text) : what_(what), text_(std::move(text)) {}

  void define_builtins(const BuiltinMacros& builtins) {
    std::set<std::string> names;
    for (size_t at = 0; at < text_.size();) {
      if (!begins_name(text_[at])) {
        ++at;
        continue;
      }
      const size_t begin = at;
      while (continues_name(text_[at])) ++at;
      const std::string_view name(&text_[begin], at - begin);
      if (name.starts_with("GL_") || name.starts_with("__") || name == "VULKAN") names.emplace(name);
    }
    if (names.empty()) return;
    std::string version;
    if (const size_t hash = text_.find_first_not_of(" \t\n"); hash != std::string::npos && text_[hash] == '#') {
      const std::string line = text_.substr(hash, text_.find('\n', hash) - hash);
      if (line.find("version") != std::string::npos) version = line;
    }
    for (const auto& [name, value] : builtins(version, names)) {
      Macro macro;
      macro.name = intern(name);
      macro.body = tokens_of(value);
      macros_[macro.name] = std::make_shared<Macro>(std::move(macro));
    }
  }

  void run() {
    Token token;
    while (next(token)) {
      bool from_macro = !stack_.empty();
      if (expand(token)) continue;
      deepen(token);
      if (from_macro && ++given_ > kMaxMacroTokens) {
        fail(VD_ERR_COMPILE, "{}: macro \"{}\" in line {} takes the text past {} tokens of macros, which is the limit.",
             what_, texts_[outer_], outer_line_, kMaxMacroTokens);
      }
    }
  }

 private:
  struct Stream {
    Tokens tokens;
    size_t at = 0;
    std::shared_ptr<Macro> macro;
    bool wall = false;  // an argument that is expanded alone: nothing below is read
  };

  // ---- Expressions

  // What is open, and its operators so far. Commas part what stands side by side in a call or a list of values.
  struct Level {
    bool list = false;
    int operators = 0;
  };

  // Counts how deep the expression at a token is at most: its operators, and those of the expressions around it.
  void deepen(const Token& token) {
    const std::string& text = texts_[token.text];
    if (token.name || text == "]" || text == "[") {
      before_call_ = text != "[";
      before_.clear();
      if (text == "[") add_operator();
      return;
    }
    const bool call = std::exchange(before_call_, false);
    const std::string before = std::exchange(before_, text);
    if (text == "(" || text == "{") {
      add_operator();
      const bool values = before == "=" || before == "," || (before == "{" && levels_.back().list);
      levels_.push_back({text == "(" ? call : values, 0});
    } else if (text == ")" || text == "}") {
      depth_of_expression_ -= levels_.back().operators;
      if (levels_.size() > 1) {
        levels_.pop_back();
      } else {
        levels_.back().operators = 0;
      }
      if (text == "}") side_by_side();
    } else if (text == ";" || (text == "," && levels_.back().list)) {
      side_by_side();
    } else if (std::ispunct(static_cast<unsigned char>(text[0])) != 0) {
      add_operator();
    }
  }

  void side_by_side() {
    depth_of_expression_ -= levels_.back().operators;
    levels_.back().operators = 0;
  }

  void add_operator() {
    ++levels_.back().operators;
    if (++depth_of_expression_ <= kMaxExpression) return;
    const std::string by = stack_.empty() ? "" : fmt::format("macro \"{}\" makes ", texts_[outer_]);
    fail(VD_ERR_COMPILE, "{}: {}the expression in line {} {} more than {} operators and parentheses within each other.",
         what_, by, stack_.empty() ? line_number_ : outer_line_, by.empty() ? "has" : "of", kMaxExpression);
  }

  // ---- Texts

  uint32_t intern(std::string_view text) {
    const auto [found, added] = ids_.try_emplace(std::string(text), static_cast<uint32_t>(texts_.size()));
    if (added) texts_.push_back(found->first);
    return found->second;
  }
  bool is(const Token& token, std::string_view text) const { return texts_[token.text] == text; }

  Tokens tokens_of(std::string_view line) {
    static constexpr std::string_view kPairs[] = {"##", "<<", ">>", "&&", "||", "^^", "==", "!=", "<=", ">=",
                                                  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
    Tokens tokens;
    for (size_t at = 0; at < line.size();) {
      const size_t begin = at;
      Token token;
      if (std::isspace(static_cast<unsigned char>(line[at])) != 0) {
        ++at;
        continue;
      }
      if (begins_name(line[at])) {
        token.name = true;
        while (at < line.size() && continues_name(line[at])) ++at;
      } else if (std::isdigit(static_cast<unsigned char>(line[at])) != 0) {
        while (at < line.size() && (continues_name(line[at]) || line[at] == '.')) ++at;
      } else {
        ++at;
        for (const auto& pair : kPairs)
          if (line.substr(begin, 2) == pair) at = begin + 2;
      }
      token.text = intern(line.substr(begin, at - begin));
      tokens.push_back(token);
    }
    return tokens;
  }

  // ---- Reading

  bool next(Token& token) {
    while (!stack_.empty()) {
      Stream& top = stack_.back();
      if (top.at < top.tokens.size()) {
        token = top.tokens[top.at++];
        return true;
      }
      if (top.wall) return false;
      if (top.macro) top.macro->busy = false;
      stack_.pop_back();
    }
    while (line_at_ >= line_.size()) {
      if (!read_line()) return false;
    }
    token = line_[line_at_++];
    return true;
  }

  bool read_line() {
    if (text_at_ >= text_.size()) return false;
    const size_t end = text_.find('\n', text_at_);
    const std::string_view line(&text_[text_at_], end - text_at_);
    text_at_ = end + 1;
    ++line_number_;
    line_at_ = 0;
    line_ = {};
    const size_t first = line.find_first_not_of(" \t\v\f");
    if (first != std::string_view::npos && line[first] == '#') {
      directive(tokens_of(line.substr(first + 1)));
    } else if (skipped() == 0) {
      line_ = tokens_of(line);
    }
    return true;
  }

  void step(size_t count) {
    if (steps_ += count; steps_ > kMaxSteps) {
      fail(VD_ERR_COMPILE,
           "{}: macro \"{}\" in line {} takes the text past {} steps of macro expansion, which is the limit.", what_,
           texts_[outer_], outer_line_, kMaxSteps);
    }
  }

  // ---- Expanding

  // Whether the token is a macro's, whose expansion is read next.
  bool expand(Token& token) {
    if (!token.name || token.finished) return false;
    const auto found = macros_.find(token.text);
    if (found == macros_.end()) return false;
    const std::shared_ptr<Macro> macro = found->second;
    if (macro->busy) {
      token.finished = true;
      return false;
    }
    if (stack_.empty()) {
      outer_ = token.text;
      outer_line_ = line_number_;
    }
    std::vector<Tokens> arguments;
    if (macro->function) {
      Token after;
      if (!next(after)) return false;
      if (!is(after, "(")) {
        stack_.push_back({{after}, 0, nullptr, false});
        return false;
      }
      read_arguments(arguments);
    }
    arguments.resize(macro->parameters.size());
    Stream stream{substituted(*macro, arguments), 0, macro, false};
    macro->busy = true;
    stack_.push_back(std::move(stream));
    return true;
  }

  void read_arguments(std::vector<Tokens>& arguments) {
    arguments.emplace_back();
    Token token;
    for (int depth = 0; next(token);) {
      step(1);
      if (is(token, "(")) ++depth;
      if (is(token, ")") && depth-- == 0) return;
      if (is(token, ",") && depth == 0) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(token);
      }
    }
  }

  Tokens expanded(const Tokens& tokens) {
    if (++depth_ > kMaxNesting)
      fail(VD_ERR_COMPILE, "{}: macro \"{}\" in line {} has more than {} levels of arguments within arguments.", what_,
           texts_[outer_], outer_line_, kMaxNesting);
    stack_.push_back({tokens, 0, nullptr, true});
    Tokens out;
    Token token;
    while (next(token)) {
      step(1);
      if (!expand(token)) out.push_back(token);
    }
    stack_.pop_back();
    --depth_;
    return out;
  }

  Tokens substituted(const Macro& macro, const std::vector<Tokens>& arguments) {
    Tokens out;
    std::vector<std::optional<Tokens>> full(arguments.size());
    bool paste = false;
    for (size_t i = 0; i < macro.body.size(); ++i) {
      const Token& token = macro.body[i];
      if (is(token, "##")) {
        paste = !out.empty();
        continue;
      }
      const bool pasted = paste || (i + 1 < macro.body.size() && is(macro.body[i + 1], "##"));
      const Tokens* part = nullptr;
      for (size_t p = 0; token.name && p < macro.parameters.size(); ++p) {
        if (macro.parameters[p] != token.text) continue;
        if (!pasted && !full[p]) full[p] = expanded(arguments[p]);
        part = pasted ? &arguments[p] : &*full[p];
      }
      const size_t count = part != nullptr ? part->size() : 1;
      step(count + 1);
      for (size_t k = 0; k < count; ++k) {
        const Token& add = part != nullptr ? (*part)[k] : token;
        if (paste && k == 0) {
          join(out.back(), add);
        } else {
          out.push_back(add);
        }
      }
      paste = false;
    }
    return out;
  }

  void join(Token& left, const Token& right) {
    const std::string text = texts_[left.text] + texts_[right.text];
    if (text.size() > kMaxNameLength) return;  // glslang refuses it
    left.text = intern(text);
    left.name = begins_name(text[0]);
    left.finished = false;
  }

  // ---- Directives

  // Conditions: what is open, and whether its code counts.
  struct Condition {
    bool counts = false, done = false;  // done: some branch counted
    bool within = false;                // a branch of code that does not count
  };
  size_t skipped() const { return conditions_.empty() || conditions_.back().counts ? 0 : 1; }

  void directive(const Tokens& tokens) {
    if (tokens.empty()) return;
    const std::string word = texts_[tokens[0].text];
    const Tokens rest(tokens.begin() + 1, tokens.end());
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      Condition condition;
      condition.within = skipped() != 0;
      if (!condition.within) {
        condition.counts =
            word == "if" ? value_of(rest) != 0 : (!rest.empty() && macros_.contains(rest[0].text)) == (word == "ifdef");
      }
      condition.done = condition.counts;
      conditions_.push_back(condition);
    } else if ((word == "elif" || word == "else") && !conditions_.empty()) {
      const bool open = !conditions_.back().within && !conditions_.back().done;
      const bool counts = open && (word == "else" || value_of(rest) != 0);
      conditions_.back().counts = counts;
      conditions_.back().done = conditions_.back().done || counts;
    } else if (word == "endif" && !conditions_.empty()) {
      conditions_.pop_back();
    } else if (word == "undef" && skipped() == 0 && !rest.empty()) {
      macros_.erase(rest[0].text);
    } else if (word == "define" && skipped() == 0 && !rest.empty() && rest[0].name) {
      define(rest);
    }
  }

  // A parameter list's parenthesis follows the name at once; its place is lost here, so the line is read again.
  void define(const Tokens& tokens) {
    auto macro = std::make_shared<Macro>();
    macro->name = tokens[0].text;
    const size_t line_begin = text_.rfind('\n', text_at_ - 2) + 1;  // 0 on the first line
    size_t at = text_.find("define", line_begin) + 6;
    at = text_.find(texts_[macro->name], at) + texts_[macro->name].size();
    macro->function = text_[at] == '(';
    size_t body = 1;
    if (macro->function) {
      for (body = 2; body < tokens.size() && !is(tokens[body], ")"); ++body)
        if (tokens[body].name) macro->parameters.push_back(tokens[body].text);
      body = std::min(body + 1, tokens.size());
    }
    macro->body.assign(tokens.begin() + static_cast<std::ptrdiff_t>(body), tokens.end());
    macros_[macro->name] = std::move(macro);
  }

  // ---- #if

  int64_t value_of(const Tokens& tokens) {
    Tokens plain;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (!is(tokens[i], "defined")) {
        plain.push_back(tokens[i]);
        continue;
      }
      const bool parenthesis = i + 1 < tokens.size() && is(tokens[i + 1], "(");
      i += parenthesis ? 2 : 1;
      const bool has = i < tokens.size() && macros_.contains(tokens[i].text);
      if (parenthesis) ++i;
      plain.push_back({intern(has ? "1" : "0"), false, true});
    }
    if (stack_.empty()) {
      outer_ = plain.empty() ? 0 : plain[0].text;
      outer_line_ = line_number_;
    }
    const Tokens all = expanded(plain);
    size_t at = 0;
    return binary(all, at, 0, 0);
  }

  static int precedence(std::string_view op) {
    static const std::unordered_map<std::string_view, int> kLevels = {
        {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
        {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
    const auto found = kLevels.find(op);
    return found == kLevels.end() ? 0 : found->second;
  }

  static int64_t apply(std::string_view op, int64_t a, int64_t b) {
    const auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
    const auto whole = [](uint32_t bits) { return int64_t{static_cast<int32_t>(bits)}; };
    if (op == "||") return a != 0 || b != 0;
    if (op == "&&") return a != 0 && b != 0;
    if (op == "|") return a | b;
    if (op == "^") return a ^ b;
    if (op == "&") return a & b;
    if (op == "==") return a == b;
    if (op == "!=") return a != b;
    if (op == "<") return a < b;
    if (op == ">") return a > b;
    if (op == "<=") return a <= b;
    if (op == ">=") return a >= b;
    if (op == "<<") return whole(ua << (ub & 31));
    if (op == ">>") return a >> (ub & 31);
    if (op == "+") return whole(ua + ub);
    if (op == "-") return whole(ua - ub);
    if (op == "*") return whole(ua * ub);
    if (b == 0) return 0;
    return op == "/" ? a / b : a % b;
  }

  int64_t binary(const Tokens& tokens, size_t& at, int least, int depth) {
    int64_t left = unary(tokens, at, depth);
    while (at < tokens.size()) {
      const std::string_view op = texts_[tokens[at].text];
      const int level = precedence(op);
      if (level == 0 || level <= least || depth > kMaxNesting) break;
      ++at;
      left = apply(op, left, binary(tokens, at, level, depth + 1));
    }
    return left;
  }

  int64_t unary(const Tokens& tokens, size_t& at, int depth) {
    std::string signs;
    for (; at < tokens.size(); ++at) {
      const std::string& sign = texts_[tokens[at].text];
      if (sign != "!" && sign != "~" && sign != "-" && sign != "+") break;
      signs += sign;
    }
    int64_t value = 0;
    if (at < tokens.size()) {
      const Token token = tokens[at++];
      if (is(token, "(") && depth < kMaxNesting) {
        value = binary(tokens, at, 0, depth + 1);
        if (at < tokens.size()) ++at;
      } else if (!token.name) {
        value = static_cast<int32_t>(std::strtoul(texts_[token.text].c_str(), nullptr, 0));
      }
    }
    for (size_t i = signs.size(); i-- > 0;)
      value = signs[i] == '!' ? value == 0 : signs[i] == '~' ? ~value : signs[i] == '-' ? -value : value;
    return static_cast<int32_t>(value);
  }

  const std::string& what_;
  const std::string text_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<std::string> texts_;
  std::unordered_map<uint32_t, std::shared_ptr<Macro>> macros_;
  std::vector<Stream> stack_;
  std::vector<Condition> conditions_;
  Tokens line_;
  size_t line_at_ = 0, text_at_ = 0, line_number_ = 0, outer_line_ = 0, given_ = 0, steps_ = 0;
  uint32_t outer_ = 0;
  int depth_ = 0;
  std::vector<Level> levels_{Level()};
  int depth_of_expression_ = 0;
  bool before_call_ = false;
  std::string before_;
};

}  // namespace

void check_macros(const std::string& text, const std::string& what, const BuiltinMacros& builtins) {
  std::string plain = joined(text);
  Expansion expansion(what, std::move(plain));
  expansion.define_builtins(builtins);
  expansion.run();
}

}  // namespace vd::codegen
