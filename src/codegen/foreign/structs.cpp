#include "codegen/foreign/structs.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace vd::codegen {

void StructSizes::read(const PlainToken& token) {
  const std::string_view text = token.text;
  if (expects_struct_) {
    if (text == "{") return begin_struct(token);
    expects_struct_ = token.name && struct_name_.empty();
    if (expects_struct_) struct_name_ = text;
    return;
  }
  if (text == "struct") {
    expects_struct_ = true;
    struct_name_.clear();
  } else if (text == "(" || text == "[") {
    ++inner_;
  } else if (text == ")" || text == "]") {
    if (inner_ != 0) --inner_;
  } else if (text == "{") {
    if (any_) add(token, 0);
    ++depth_;
    type_.clear();
    any_ = false;
  } else if (text == "}") {
    end_struct();
  } else if (text == ";" || (text == "," && inner_ == 0)) {
    // Each name of `S a, b;` is one more of S.
    if (any_) add(token, 1);
    if (text == ";") {
      type_.clear();
      any_ = false;
    }
  } else if (token.name) {
    any_ = true;
    if (!sizes_.contains(std::string(text))) return;
    if (inner_ != 0) {
      const std::string outer = std::exchange(type_, text);
      add(token, 0);
      type_ = outer;
    } else {
      type_ = text;
    }
  }
}

void StructSizes::begin_struct(const PlainToken& token) {
  expects_struct_ = false;
  if (struct_name_.empty()) struct_name_ = fmt::format("<line {}>", token.line);  // no other text names it
  open_.push_back({struct_name_, token.line, 0, depth_++});
  type_.clear();
  any_ = false;
}

void StructSizes::end_struct() {
  if (depth_ != 0) --depth_;
  type_.clear();
  any_ = false;
  if (open_.empty() || open_.back().depth < depth_) return;
  const Open done = open_.back();
  open_.pop_back();
  // A struct within a function may have the name of one outside it: the larger counts.
  uint64_t& size = sizes_[done.name];
  size = std::max(size, done.members);
  // `struct S { ... } a, b;`
  type_ = done.name;
}

void StructSizes::add(const PlainToken& token, uint64_t count) {
  const auto found = type_.empty() ? sizes_.end() : sizes_.find(type_);
  const uint64_t members = found == sizes_.end() ? 0 : found->second;
  named_ += members;
  if (!open_.empty()) {
    Open& open = open_.back();
    open.members += count * std::max<uint64_t>(members, 1);
    if (open.members > kMaxStructMembers) {
      fail(VD_ERR_COMPILE,
           "{}: struct \"{}\" in line {} has more than {} members, those of structs within it counted; that is the "
           "limit.",
           what_, open.name, open.line, kMaxStructMembers);
    }
  }
  if (named_ > kMaxNamedMembers) {
    fail(VD_ERR_COMPILE,
         "{}: struct \"{}\", named in line {}, takes the text past {} members of the structs that it names, which is "
         "the "
         "limit.",
         what_, type_, token.line, kMaxNamedMembers);
  }
}

}  // namespace vd::codegen
