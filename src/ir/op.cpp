#include "ir/op.h"

#include <array>
#include <unordered_map>

#include "core/error.h"

namespace vd::ir {
namespace {

constexpr OpInfo kOps[] = {
#define VD_IR_OP(id, number, name, names, operands, result, fewest, most, flags, native, precise, doc) \
  {VD_OP_##id, "VD_OP_" #id, name,    names, OperandRule::operands, ResultRule::result, fewest, most,  \
   (flags),    native,       precise, doc},
#define VD_IR_OP_INTERNAL(id, number, name, names, operands, result, fewest, most, flags, native, precise, doc) \
  {id, #id, name, names, OperandRule::operands, ResultRule::result, fewest, most, (flags), native, precise, doc},
#include "ir/ops.inc"
#undef VD_IR_OP
#undef VD_IR_OP_INTERNAL
};

#define VD_IR_OP(id, number, ...) static_assert(VD_OP_##id == number, "ops.inc and vkdispatch.h disagree on " #id);
#define VD_IR_OP_INTERNAL(id, number, ...) static_assert(id == number);
#include "ir/ops.inc"
#undef VD_IR_OP
#undef VD_IR_OP_INTERNAL

// Compiled for its warning: a public op without a row makes -Wswitch speak up.
[[maybe_unused]] constexpr bool has_row(vd_op op) {
  switch (op) {
#define VD_IR_OP(id, ...) case VD_OP_##id:
#define VD_IR_OP_INTERNAL(id, ...)
#include "ir/ops.inc"
#undef VD_IR_OP
#undef VD_IR_OP_INTERNAL
    return true;
    case VD_OP_NONE:
    case VD_OP_FORCE_32:
      return false;
  }
  return false;
}

constexpr uint32_t kNumbers = 1030;

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
};
constexpr Type kU32x3 = Type::vector(Scalar::U32, 3);
constexpr BuiltinInfo kBuiltins[] = {
    {VD_BUILTIN_GLOBAL_ID, "global_id", kU32x3},       {VD_BUILTIN_LOCAL_ID, "local_id", kU32x3},
    {VD_BUILTIN_LOCAL_INDEX, "local_index", kU32},     {VD_BUILTIN_WORKGROUP_ID, "group_id", kU32x3},
    {VD_BUILTIN_WORKGROUP_SIZE, "group_size", kU32x3}, {VD_BUILTIN_NUM_WORKGROUPS, "num_groups", kU32x3},
    {VD_BUILTIN_SUBGROUP_ID, "subgroup_id", kU32},     {VD_BUILTIN_SUBGROUP_SIZE, "subgroup_size", kU32},
    {VD_BUILTIN_SUBGROUP_LANE, "subgroup_lane", kU32}, {VD_BUILTIN_NUM_SUBGROUPS, "num_subgroups", kU32},
    {VD_BUILTIN_EXEC_SIZE, "exec_size", kU32x3},       {VD_BUILTIN_CLUSTER_RANK, "cluster_rank", kU32},
};
static_assert(std::size(kBuiltins) == kBuiltinCount);

}  // namespace

bool is_op(Op op) {
  const uint32_t number = static_cast<uint32_t>(op);
  return number < kNumbers && kRows[number] != 0;
}

const OpInfo& op_info(Op op) {
  if (!is_op(op)) fail(VD_ERR_INVALID, "op ({}) is none.", static_cast<int32_t>(op));
  return kOps[kRows[static_cast<uint32_t>(op)] - 1];
}

std::span<const OpInfo> all_ops() { return kOps; }

const OpInfo* find_op(std::string_view name) {
  static const auto* const table = [] {
    auto* map = new std::unordered_map<std::string_view, const OpInfo*>;
    for (const OpInfo& info : kOps)
      if (info.op < kOpArgument) map->emplace(info.name, &info);
    return map;
  }();
  const auto found = table->find(name);
  return found == table->end() ? nullptr : found->second;
}

const char* builtin_name(uint32_t builtin) {
  if (builtin >= kBuiltinCount) fail(VD_ERR_INVALID, "built-in value ({}) is none.", builtin);
  return kBuiltins[builtin].name;
}

Type builtin_type(uint32_t builtin) {
  if (builtin >= kBuiltinCount) fail(VD_ERR_INVALID, "built-in value ({}) is none.", builtin);
  return kBuiltins[builtin].type;
}

}  // namespace vd::ir
