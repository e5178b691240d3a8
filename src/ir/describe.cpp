// Recipes as text for people: messages, comments and debugging. Not a language.
#include "core/error.h"
#include "ir/builder.h"
#include "ir/evaluate.h"
#include "ir/type_rules.h"

namespace vd::ir {
namespace {

const char* infix(Op op) {
  switch (op) {
    case VD_OP_ADD:
      return "+";
    case VD_OP_SUB:
      return "-";
    case VD_OP_MUL:
      return "*";
    case VD_OP_DIV:
      return "/";
    case VD_OP_REM:
      return "%";
    case VD_OP_FLOORDIV:
      return "//";
    case VD_OP_FLOORMOD:
      return "%";
    case VD_OP_AND:
      return "&";
    case VD_OP_OR:
      return "|";
    case VD_OP_XOR:
      return "^";
    case VD_OP_SHL:
      return "<<";
    case VD_OP_SHR:
      return ">>";
    case VD_OP_EQ:
      return "==";
    case VD_OP_NE:
      return "!=";
    case VD_OP_LT:
      return "<";
    case VD_OP_LE:
      return "<=";
    case VD_OP_GT:
      return ">";
    case VD_OP_GE:
      return ">=";
    case VD_OP_LAND:
      return "&&";
    case VD_OP_LOR:
      return "||";
    default:
      return nullptr;
  }
}

constexpr uint32_t kMaxNesting = 16;
constexpr size_t kMaxText = 2000;

class Describer {
 public:
  Describer(const Kernel& kernel, const RecipeTable& nodes) : k_(kernel), nodes_(nodes) {}

  std::string text(NodeId id, uint32_t depth = 0) {
    const Node& node = nodes_[id];
    const auto operand = [&](uint32_t i) { return text(nodes_.operand(id, i), depth + 1); };
    if (depth > kMaxNesting || (length_ += 4) > kMaxText) return "...";
    if (node.op == kOpArgument) {
      const std::string& name = k_.arguments[node.immediate].name;
      return name.empty() ? fmt::format("argument{}", node.immediate) : name;
    }
    if (node.op == kOpShared) return k_.shareds[node.immediate].name;
    if (node.op == kOpConstant) return fmt::format("constant{}", node.immediate);
    if (node.op == kOpString) return fmt::format("\"{}\"", k_.strings[node.immediate]);
    if (node.op == kOpFrozen) {
      return node.value < k_.names.size() && !k_.names[node.value].empty() ? k_.names[node.value]
                                                                           : fmt::format("v{}", node.value);
    }
    if (const char* sign = infix(node.op)) return fmt::format("({} {} {})", operand(0), sign, operand(1));
    switch (node.op) {
      case VD_OP_CONST:
        return number(node);
      case VD_OP_ZERO:
        return "0";
      case VD_OP_BUILTIN:
        return builtin_name(static_cast<uint32_t>(node.immediate));
      case VD_OP_INDEX:
        return index(id, depth);
      case VD_OP_MEMBER: {
        const Type type = nodes_[nodes_.operand(id, 0)].type;
        return fmt::format("{}.{}", operand(0), k_.types.get_struct(type).fields[node.immediate].name);
      }
      case VD_OP_LOAD:
        return operand(0);
      case VD_OP_NEG:
        return "-" + operand(0);
      case VD_OP_NOT:
        return "~" + operand(0);
      case VD_OP_LNOT:
        return "!" + operand(0);
      default:
        break;
    }
    std::string list;
    for (uint32_t i = 0; i < node.operand_count; ++i) list += (i == 0 ? "" : ", ") + operand(i);
    const bool named = node.op == VD_OP_CONSTRUCT || node.op == VD_OP_CONVERT || node.op == VD_OP_BITCAST;
    return fmt::format("{}({})", named ? k_.types.name(node.type) : op_info(node.op).name, list);
  }

 private:
  std::string index(NodeId id, uint32_t depth) {
    const NodeId of = nodes_.operand(id, 0), at = nodes_.operand(id, 1);
    const Type type = nodes_[of].type;
    if (nodes_[at].op == VD_OP_CONST && !type.is_array() && !type.is_matrix() && nodes_[at].immediate < 4) {
      const char* names[] = {"x", "y", "z", "w"};
      const char* name =
          type.is_complex() ? (nodes_[at].immediate == 0 ? "real" : "imag") : names[nodes_[at].immediate];
      return fmt::format("{}.{}", text(of, depth + 1), name);
    }
    return fmt::format("{}[{}]", text(of, depth + 1), text(at, depth + 1));
  }

  static std::string number(const Node& node) {
    const Scalar s = node.type.scalar();
    if (s == Scalar::Bool) return node.immediate != 0 ? "true" : "false";
    if (node.type.is_float()) return fmt::format("{}", float_value(s, node.immediate));
    return node.type.is_signed() ? fmt::format("{}", extend(s, node.immediate)) : fmt::format("{}", node.immediate);
  }

  const Kernel& k_;
  const RecipeTable& nodes_;
  size_t length_ = 0;
};

}  // namespace

std::string Builder::describe(vd_value value) const {
  std::string text = Describer(kernel_, nodes_).text(node_of(value, "value"));
  if (text.size() >= 2 && text.front() == '(' && text.back() == ')') {
    // Outer parentheses, if they are a pair.
    int depth = 0;
    size_t at = 0;
    for (; at < text.size(); ++at) {
      depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (at + 1 == text.size()) return text.substr(1, text.size() - 2);
  }
  return text;
}

}  // namespace vd::ir
