#include "ir/op.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/error.h"

namespace vd::ir {
namespace {

// "VD_OP_ADD" as "add".
template <size_t kSize>
struct Name {
  consteval Name(const char (&id)[kSize]) {  // NOLINT(google-explicit-constructor)
    for (size_t i = 0; i < kSize; ++i) text[i] = id[i] >= 'A' && id[i] <= 'Z' ? static_cast<char>(id[i] + 32) : id[i];
  }
  char text[kSize] = {};
};
template <Name kName>
constexpr auto kStored = kName;

struct Count {
  uint32_t fewest = 0, most = 0;
};

// The number of operands that "a, [b], [others...]" describes.
consteval Count count_operands(std::string_view names) {
  Count count;
  while (!names.empty()) {
    const size_t end = std::min(names.find(", "), names.size());
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(end + 2, names.size()));
    if (!name.starts_with('[')) ++count.fewest;
    count.most = name.find("...") != name.npos ? 65535 : count.most + 1;
  }
  return count;
}

consteval OpInfo make_info(Op op, const char* id, const char* name, const char* names, OperandRule operands,
                           ResultRule result, ImmediateRule immediate, uint32_t flags, double native, double precise,
                           const char* doc) {
  const Count count = count_operands(names);
  return {op, id, name, names, operands, result, immediate, count.fewest, count.most, flags, native, precise, doc};
}

constexpr OpInfo kOps[] = {
#define VD_IR_OP(id, number, names, operands, result, immediate, flags, native, precise, doc)       \
  make_info(static_cast<Op>(number), "VD_OP_" #id, kStored<#id>.text, names, OperandRule::operands, \
            ResultRule::result, ImmediateRule::immediate, (flags), native, precise, doc),
#define VD_IR_OP_INTERNAL(id, name, number, names, operands, result, immediate, flags, native, precise, doc)    \
  make_info(id, #id, name, names, OperandRule::operands, ResultRule::result, ImmediateRule::immediate, (flags), \
            native, precise, doc),
#include "ir/ops.inc"
#undef VD_IR_OP
#undef VD_IR_OP_INTERNAL
};

// vd_op is generated from the table. This notices a header that is older.
#define VD_IR_OP(id, number, ...) static_assert(VD_OP_##id == number, "vkdispatch.h is older than ops.inc: " #id);
#define VD_IR_OP_INTERNAL(...)
#include "ir/ops.inc"
#undef VD_IR_OP
#undef VD_IR_OP_INTERNAL

constexpr uint32_t kNumbers = static_cast<uint32_t>(kOps[std::size(kOps) - 1].op) + 1;

constexpr std::array<uint8_t, kNumbers> make_rows() {
  std::array<uint8_t, kNumbers> rows{};  // row + 1
  uint8_t row = 0;
  for (const OpInfo& info : kOps) rows[static_cast<uint32_t>(info.op)] = ++row;
  return rows;
}
constexpr std::array<uint8_t, kNumbers> kRows = make_rows();
static_assert(std::size(kOps) < 255);

constexpr bool rises() {
  for (size_t i = 1; i < std::size(kOps); ++i) {
    if (kOps[i - 1].op >= kOps[i].op) return false;
  }
  return true;
}
static_assert(rises(), "the rows of ops.inc are in order of number");

struct BuiltinInfo {
  vd_builtin number;
  const char* name;
  Type type;
  bool of_subgroup = false;
};
constexpr Type kU32x3 = Type::vector(Scalar::U32, 3);
constexpr BuiltinInfo kBuiltins[] = {
    {VD_BUILTIN_GLOBAL_ID, "global_id", kU32x3},
    {VD_BUILTIN_LOCAL_ID, "local_id", kU32x3},
    {VD_BUILTIN_LOCAL_INDEX, "local_index", kU32},
    {VD_BUILTIN_WORKGROUP_ID, "workgroup_id", kU32x3},
    {VD_BUILTIN_WORKGROUP_SIZE, "workgroup_size", kU32x3},
    {VD_BUILTIN_NUM_WORKGROUPS, "num_workgroups", kU32x3},
    {VD_BUILTIN_SUBGROUP_ID, "subgroup_id", kU32, true},
    {VD_BUILTIN_SUBGROUP_SIZE, "subgroup_size", kU32, true},
    {VD_BUILTIN_SUBGROUP_LANE, "subgroup_lane", kU32, true},
    {VD_BUILTIN_NUM_SUBGROUPS, "num_subgroups", kU32, true},
    {VD_BUILTIN_EXEC_SIZE, "exec_size", kU32x3},
    {VD_BUILTIN_CLUSTER_RANK, "cluster_rank", kU32},
};
static_assert(std::size(kBuiltins) == kBuiltinCount);

}  // namespace

bool is_op(Op op) {
  const uint32_t number = static_cast<uint32_t>(op);
  return number < kNumbers && kRows[number] != 0;
}

const OpInfo& op_info(Op op) {
  if (!is_op(op)) fail(VD_ERR_INVALID, "op ({}) is unknown.", static_cast<int32_t>(op));
  return kOps[kRows[static_cast<uint32_t>(op)] - 1];
}

std::span<const OpInfo> all_ops() { return kOps; }

const OpInfo* find_op(std::string_view name) {
  static const auto* const table = [] {
    auto* map = new std::unordered_map<std::string_view, const OpInfo*>;
    for (const OpInfo& info : kOps)
      if (!info.has(kInternal)) map->emplace(info.name, &info);
    return map;
  }();
  const auto found = table->find(name);
  return found == table->end() ? nullptr : found->second;
}

const char* builtin_name(uint32_t builtin) {
  if (builtin >= kBuiltinCount) fail(VD_ERR_INVALID, "built-in value ({}) is unknown.", builtin);
  return kBuiltins[builtin].name;
}

Type builtin_type(uint32_t builtin) {
  if (builtin >= kBuiltinCount) fail(VD_ERR_INVALID, "built-in value ({}) is unknown.", builtin);
  return kBuiltins[builtin].type;
}

bool is_subgroup_builtin(uint64_t builtin) { return builtin < kBuiltinCount && kBuiltins[builtin].of_subgroup; }

}  // namespace vd::ir
