// Specialisation constants. A value replaces the default in the module's own words, so that all checks, the validator and
// the driver see the module as it will run.
#include <algorithm>
#include <unordered_map>

#include "codegen/spirv.h"
#include "codegen/spirv_words.h"
#include "core/count_of.h"
#include "core/error.h"
#include "core/name.h"

namespace vd::codegen {

namespace {

constexpr size_t kFirstLiteral = 3;  // behind the instruction's word, its type and its id

// A constant, and where it is in the module.
struct FoundConstant {
  SpecConstant constant;
  size_t at = 0;        // of its instruction
  size_t literals = 0;  // words of its value; 0 for a bool, whose value is its opcode
};

uint32_t width_of(ir::Scalar scalar) {
  switch (scalar) {
    case ir::Scalar::Bool:
      return 1;
    case ir::Scalar::I8:
    case ir::Scalar::U8:
      return 8;
    case ir::Scalar::I16:
    case ir::Scalar::U16:
    case ir::Scalar::F16:
      return 16;
    case ir::Scalar::I64:
    case ir::Scalar::U64:
    case ir::Scalar::F64:
      return 64;
    default:
      return 32;
  }
}

bool has_sign(ir::Scalar scalar) { return scalar >= ir::Scalar::I8 && scalar <= ir::Scalar::I64; }

uint64_t mask_of(uint32_t bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

// Constants whose type is a scalar of the kernel language, by number. Of two with one number, which is valid, both.
std::vector<FoundConstant> find_all(std::span<const uint32_t> words) {
  std::unordered_map<uint32_t, std::string> names;
  std::unordered_map<uint32_t, uint32_t> ids;
  std::unordered_map<uint32_t, ir::Scalar> types;
  std::vector<FoundConstant> found;
  spv::for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> o) {
    if (op == spv::kOpName && o.size() >= 2) names[o[0]] = spv::string_at(o.subspan(1));
    if (op == spv::kOpDecorate && o.size() == 3 && o[1] == spv::kSpecId) ids[o[0]] = o[2];
    if ((op == spv::kOpTypeBool || op == spv::kOpTypeInt || op == spv::kOpTypeFloat) && !o.empty())
      types[o[0]] = spv::declared_scalar(op, o);
    const bool truth = (op == spv::kOpSpecConstantTrue || op == spv::kOpSpecConstantFalse) && o.size() == 2;
    if (!truth && (op != spv::kOpSpecConstant || o.size() < 3)) return;
    const auto id = ids.find(o[1]);
    const auto type = types.find(o[0]);
    if (id == ids.end() || type == types.end() || type->second == ir::Scalar::None) return;
    const uint32_t bits = width_of(type->second);
    if (truth != (type->second == ir::Scalar::Bool) || (!truth && o.size() != (bits == 64 ? 4u : 3u))) return;
    FoundConstant one;
    one.constant.id = id->second;
    one.constant.type = ir::Type(type->second);
    if (const auto name = names.find(o[1]); name != names.end()) one.constant.name = name->second;
    one.at = static_cast<size_t>(o.data() - words.data()) - 1;
    one.literals = truth ? 0 : o.size() - 2;
    one.constant.bits = truth ? (op == spv::kOpSpecConstantTrue ? 1 : 0)
                              : (o[2] | (o.size() > 3 ? uint64_t{o[3]} << 32 : 0)) & mask_of(bits);
    found.push_back(std::move(one));
  });
  std::ranges::stable_sort(found, {}, [](const FoundConstant& one) { return one.constant.id; });
  return found;
}

std::string list_numbers(const std::vector<FoundConstant>& found) {
  constexpr size_t kMost = 16;
  std::string text;
  for (size_t i = 0; i < found.size() && i < kMost; ++i) {
    const SpecConstant& constant = found[i].constant;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", constant.id);
    if (!constant.name.empty()) text += fmt::format(" ({})", shown_name(constant.name));
  }
  return text + (found.size() > kMost ? ", ..." : "");
}

// Zero above the constant's bits, or copies of its sign.
void check_spec_value(const vd_spec_constant& value, const SpecConstant& constant, const std::string& what) {
  const uint32_t bits = width_of(constant.type.scalar());
  const uint64_t above = ~mask_of(bits);
  const bool negative = has_sign(constant.type.scalar()) && (value.bits >> (bits - 1) & 1) != 0;
  if ((value.bits & above) == 0 || (negative && (value.bits & above) == above)) return;
  fail(VD_ERR_INVALID, "the value ({:#x}) of specialisation constant {} of {} does not fit in {}.", value.bits,
       value.id, what, count_of(bits, "bit"));
}

}  // namespace

std::vector<SpecConstant> find_spec_constants(std::span<const uint32_t> words) {
  std::vector<SpecConstant> constants;
  for (FoundConstant& one : find_all(words)) constants.push_back(std::move(one.constant));
  return constants;
}

void specialise(std::vector<uint32_t>& words, std::span<const vd_spec_constant> values, const std::string& what) {
  if (values.empty()) return;
  const std::vector<FoundConstant> found = find_all(words);
  std::vector<uint32_t> given;
  for (const vd_spec_constant& value : values) given.push_back(value.id);
  std::ranges::sort(given);
  if (const auto twice = std::ranges::adjacent_find(given); twice != given.end())
    fail(VD_ERR_INVALID, "specialisation constant {} of {} is given twice.", *twice, what);
  for (const vd_spec_constant& value : values) {
    const auto id_of = [](const FoundConstant& one) { return one.constant.id; };
    const auto first = std::ranges::lower_bound(found, value.id, {}, id_of);
    const auto end = std::ranges::upper_bound(found, value.id, {}, id_of);
    if (first == end) {
      fail(VD_ERR_INVALID, "{} has no specialisation constant {}; it has {}.", what, value.id,
           found.empty() ? "none" : list_numbers(found));
    }
    for (const FoundConstant& one : std::span(first, end)) {
      check_spec_value(value, one.constant, what);
      if (one.literals == 0) {
        words[one.at] = (words[one.at] & 0xffff0000) |
                        ((value.bits & 1) != 0 ? spv::kOpSpecConstantTrue : spv::kOpSpecConstantFalse);
        continue;
      }
      // A narrow signed number has copies of its sign in its word.
      const uint32_t bits = width_of(one.constant.type.scalar());
      uint64_t word = value.bits & mask_of(bits);
      if (has_sign(one.constant.type.scalar()) && (word >> (bits - 1) & 1) != 0) word |= ~mask_of(bits);
      words[one.at + kFirstLiteral] = static_cast<uint32_t>(word);
      if (one.literals > 1) words[one.at + kFirstLiteral + 1] = static_cast<uint32_t>(word >> 32);
    }
  }
}

}  // namespace vd::codegen
