// The expansion is glslang's: a stack of token lists under the text; a macro is busy, and not expanded again, while its
// list is on the stack; arguments are expanded before they are put in; ## joins the tokens beside it. Conditions are
// computed, since excluded text defines nothing.
#include "codegen/foreign/macros.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/foreign/condition.h"
#include "codegen/foreign/lines.h"
#include "codegen/foreign/tokens.h"
#include "core/error.h"

namespace vd::codegen {
namespace {

constexpr size_t kMaxSteps = 8 * kMaxMacroTokens;  // also tokens of expansions on the way
constexpr size_t kMaxNameLength = 1024;            // glslang's

struct Macro {
  uint32_t name = 0;
  bool function = false, busy = false;
  std::vector<uint32_t> parameters;
  Tokens body;
};

class Expansion {
 public:
  Expansion(const std::string& what, std::string text, const TextReader& reader)
      : what_(what), text_(std::move(text)), reader_(reader) {}

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
      macro.name = table_.intern(name);
      macro.body = table_.split(value);
      macros_[macro.name] = std::make_shared<Macro>(std::move(macro));
    }
  }

  void run() {
    Token token;
    while (next(token)) {
      const bool from_macro = !stack_.empty();
      if (expand(token)) continue;
      read(token);
      if (from_macro && ++given_ > kMaxMacroTokens) {
        fail(VD_ERR_COMPILE, "{}: macro \"{}\" in line {} takes the text past {} tokens of macros, which is the limit.",
             what_, table_.text(outer_), outer_line_, kMaxMacroTokens);
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

  void read(const Token& token) const {
    if (stack_.empty()) {
      reader_({table_.text(token), token.name, line_number_, {}});
    } else {
      reader_({table_.text(token), token.name, outer_line_, table_.text(outer_)});
    }
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
      directive(table_.split(line.substr(first + 1)));
    } else if (skipped() == 0) {
      line_ = table_.split(line);
    }
    return true;
  }

  void step(size_t count) {
    if (steps_ += count; steps_ > kMaxSteps) {
      fail(VD_ERR_COMPILE,
           "{}: macro \"{}\" in line {} takes the text past {} steps of macro expansion, which is the limit.", what_,
           table_.text(outer_), outer_line_, kMaxSteps);
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
      if (!table_.is(after, "(")) {
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
      if (table_.is(token, "(")) ++depth;
      if (table_.is(token, ")") && depth-- == 0) return;
      if (table_.is(token, ",") && depth == 0) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(token);
      }
    }
  }

  Tokens expanded(const Tokens& tokens) {
    if (++depth_ > kMaxNesting)
      fail(VD_ERR_COMPILE, "{}: macro \"{}\" in line {} has more than {} levels of arguments within arguments.", what_,
           table_.text(outer_), outer_line_, kMaxNesting);
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
      if (table_.is(token, "##")) {
        paste = !out.empty();
        continue;
      }
      const bool pasted = paste || (i + 1 < macro.body.size() && table_.is(macro.body[i + 1], "##"));
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
    const std::string text = table_.text(left) + table_.text(right);
    if (text.size() > kMaxNameLength) return;  // glslang refuses it
    left.text = table_.intern(text);
    left.name = begins_name(text[0]);
    left.finished = false;
  }

  // ---- Directives

  // An open condition, and whether its code counts.
  struct Condition {
    bool counts = false, done = false;  // done: some branch counted
    bool within = false;                // a branch of code that does not count
  };
  size_t skipped() const { return conditions_.empty() || conditions_.back().counts ? 0 : 1; }

  void directive(const Tokens& tokens) {
    if (tokens.empty()) return;
    const std::string word = table_.text(tokens[0]);
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
    at = text_.find(table_.text(macro->name), at) + table_.text(macro->name).size();
    macro->function = text_[at] == '(';
    size_t body = 1;
    if (macro->function) {
      for (body = 2; body < tokens.size() && !table_.is(tokens[body], ")"); ++body)
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
      if (!table_.is(tokens[i], "defined")) {
        plain.push_back(tokens[i]);
        continue;
      }
      const bool parenthesis = i + 1 < tokens.size() && table_.is(tokens[i + 1], "(");
      i += parenthesis ? 2 : 1;
      const bool has = i < tokens.size() && macros_.contains(tokens[i].text);
      if (parenthesis) ++i;
      plain.push_back({table_.intern(has ? "1" : "0"), false, true});
    }
    if (stack_.empty()) {
      outer_ = plain.empty() ? 0 : plain[0].text;
      outer_line_ = line_number_;
    }
    return condition_value(table_, expanded(plain));
  }

  const std::string& what_;
  const std::string text_;
  const TextReader& reader_;
  TokenTable table_;
  std::unordered_map<uint32_t, std::shared_ptr<Macro>> macros_;
  std::vector<Stream> stack_;
  std::vector<Condition> conditions_;
  Tokens line_;
  size_t line_at_ = 0, text_at_ = 0, line_number_ = 0, outer_line_ = 0, given_ = 0, steps_ = 0;
  uint32_t outer_ = 0;
  int depth_ = 0;
};

}  // namespace

void expand_macros(const std::string& text, const std::string& what, const BuiltinMacros& builtins,
                   const TextReader& reader) {
  Expansion expansion(what, joined_lines(text), reader);
  expansion.define_builtins(builtins);
  expansion.run();
}

}  // namespace vd::codegen
