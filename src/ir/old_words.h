// Names that the text form had in release 0.2. The text has no version and programs keep it in files, so the parser reads
// them as the names of today; nothing prints them.
#pragma once

#include <string_view>
#include <utility>

namespace vd::ir {

inline constexpr std::pair<std::string_view, std::string_view> kOldAttributes[] = {
    {"local_size", "workgroup_size"},
    {"min_groups", "min_workgroups"},
};
inline constexpr std::pair<std::string_view, std::string_view> kOldBuiltins[] = {
    {"group_id", "workgroup_id"},
    {"group_size", "workgroup_size"},
    {"num_groups", "num_workgroups"},
};

// The name of today for a word of one of these tables; any other word is returned unchanged.
template <class Table>
constexpr std::string_view current_word(const Table& table, std::string_view word) {
  for (const auto& [old, current] : table)
    if (word == old) return current;
  return word;
}

}  // namespace vd::ir
