#include "codegen/names.h"

#include <algorithm>

namespace vd::codegen {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string identifier(std::string_view wanted) {
  std::string name;
  for (char c : wanted) name += is_letter(c) || is_digit(c) ? c : '_';
  if (!name.empty() && is_digit(name[0])) name.insert(name.begin(), '_');
  // Names that begin with gl_ or vd_ belong to the language or to us.
  if (name.starts_with("gl_") || name.starts_with("vd_") || name.starts_with("GL_")) name.insert(0, "u_");
  return name;
}

}  // namespace

bool Names::is_free(const std::string& name) const {
  const auto less = [](std::string_view a, std::string_view b) { return a < b; };
  return !taken_.contains(name) &&
         !std::binary_search(reserved_.begin(), reserved_.end(), std::string_view(name), less);
}

std::string Names::unique(std::string_view wanted, std::string_view fallback) {
  std::string base = identifier(wanted);
  if (base.empty()) {
    for (unsigned& n = suffixes_[std::string(fallback) + '#'];;) {
      std::string name = std::string(fallback) + std::to_string(n++);
      if (is_free(name)) return *taken_.insert(name).first;
    }
  }
  if (is_free(base)) return *taken_.insert(base).first;
  for (unsigned& n = suffixes_[base];;) {
    std::string name = base + '_' + std::to_string(++n);
    if (is_free(name)) return *taken_.insert(name).first;
  }
}

std::string Names::temporary() {
  for (;;) {
    std::string name = "t" + std::to_string(temporaries_++);
    if (is_free(name)) return *taken_.insert(name).first;
  }
}

}  // namespace vd::codegen
