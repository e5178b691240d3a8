// Identifiers of printed source: the user's names, word for word where the language allows it, each only once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace vd::codegen {

class Names {
 public:
  // `reserved` is sorted.
  explicit Names(std::span<const char* const> reserved) : reserved_(reserved) {}

  // `wanted` if it is free, else with the first suffix that is: "x", "x_1", "x_2". Letters that no identifier has
  // become underscores. An empty one counts up from `fallback`.
  std::string unique(std::string_view wanted, std::string_view fallback = "v");
  // The next of t0, t1, ... that is free.
  std::string temporary();
  // No later name may be this one.
  void take(std::string_view name) { taken_.emplace(name); }

 private:
  bool is_free(const std::string& name) const;

  std::span<const char* const> reserved_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, unsigned> suffixes_;
  unsigned temporaries_ = 0;
};

}  // namespace vd::codegen
