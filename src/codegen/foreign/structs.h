// The number of members of the structs of a GLSL text, with members of nested structs: 29 structs, each with two of the
// previous one, have 2^29, and glslang visits each of them wherever the type is named.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/foreign/macros.h"

namespace vd::codegen {

inline constexpr uint64_t kMaxStructMembers = 16383;             // SPIR-V's own for a struct, without those within
inline constexpr uint64_t kMaxNamedMembers = uint64_t{1} << 20;  // of all structs, each time that the text names one

class StructSizes {
 public:
  // `what` names the text's owner: kernel "blur".
  explicit StructSizes(const std::string& what) : what_(what) {}

  // Throws VD_ERR_COMPILE with the struct's name and line if it has more than kMaxStructMembers, or if this use of it
  // is past kMaxNamedMembers.
  void read(const PlainToken& token);

 private:
  // A struct whose members are being read.
  struct Open {
    std::string name;
    size_t line = 0;
    uint64_t members = 0;
    uint64_t depth = 0;  // of braces
  };

  void begin_struct(const PlainToken& token);
  void end_struct();
  // The statement's type once more, and `count` members of it for the struct that is open.
  void add(const PlainToken& token, uint64_t count);

  const std::string& what_;
  std::unordered_map<std::string, uint64_t> sizes_;
  std::vector<Open> open_;
  uint64_t named_ = 0, depth_ = 0, inner_ = 0;  // inner_: parentheses and brackets
  // The statement so far: the last struct that it names, and whether it has anything at all.
  std::string type_;
  bool any_ = false;
  // `struct` was read, and then perhaps a name.
  bool expects_struct_ = false;
  std::string struct_name_;
};

}  // namespace vd::codegen
