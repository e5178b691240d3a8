#include "codegen/spirv_shift.h"

#include <algorithm>
#include <unordered_map>

#include "codegen/spirv_words.h"

namespace vd::codegen {
namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t kVersion14 = 0x00010400;  // from then on an entry point lists all variables that it uses
constexpr uint32_t kOpIAdd = 128, kOpDecorationGroup = 73, kOpDecorateId = 332;
constexpr uint32_t kOpTypeForwardPointer = 39, kBlock = 2;

void append(Words& out, uint32_t op, std::initializer_list<uint32_t> operands) {
  out.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | op);
  out.insert(out.end(), operands);
}

bool is_annotation(uint32_t op) {
  return (op >= spv::kOpDecorate && op <= kOpDecorationGroup + 2) || op == kOpDecorateId;
}
bool is_type(uint32_t op) { return op >= 19 && op <= kOpTypeForwardPointer; }

// Declarations of a module.
struct Declared {
  std::unordered_map<uint32_t, uint32_t> strides, bindings;  // decorations by id
  std::unordered_map<uint32_t, uint32_t> array_of_struct;    // structs with one member
  std::unordered_map<uint32_t, uint32_t> struct_of_pointer;  // to storage buffers
  std::unordered_map<uint32_t, uint32_t> widths;             // bits of integer types
  std::unordered_map<uint32_t, uint32_t> type_of;            // of values
  std::unordered_map<uint32_t, uint32_t> member_of;          // of variables of storage buffers: their number
  std::vector<ShiftedSpirv::Shift> shifts;
  uint32_t u32 = 0, uniform_u32 = 0;  // types
};

class Shifter {
 public:
  Shifter(std::span<const uint32_t> words, uint32_t binding) : words_(words), binding_(binding) {}

  std::optional<ShiftedSpirv> run() {
    if (words_.size() < spv::kHeaderWords || !declare() || said_.shifts.empty()) return {};
    next_ = words_[3];
    out_.assign(words_.begin(), words_.begin() + spv::kHeaderWords);
    const size_t end = spv::for_each_instruction(
        words_, [&](uint32_t op, std::span<const uint32_t> operands) { return rewrite(op, operands); });
    if (end != words_.size() || !in_functions_) return {};
    out_[3] = next_;
    return ShiftedSpirv{std::move(out_), std::move(said_.shifts)};
  }

 private:
  bool declare() {
    bool whole = true;
    spv::for_each_instruction(words_, [&](uint32_t op, std::span<const uint32_t> o) {
      if (op == spv::kOpDecorate && o.size() >= 3) {
        if (o[1] == spv::kArrayStride) said_.strides[o[0]] = o[2];
        if (o[1] == spv::kBinding) said_.bindings[o[0]] = o[2];
      } else if (op == spv::kOpTypeInt && o.size() >= 3) {
        said_.widths[o[0]] = o[1];
        if (o[1] == 32 && o[2] == 0) said_.u32 = o[0];
      } else if (op == spv::kOpTypeStruct && o.size() == 2) {
        said_.array_of_struct[o[0]] = o[1];
      } else if (op == spv::kOpTypePointer && o.size() >= 3) {
        if (o[1] == spv::kStorageBuffer) said_.struct_of_pointer[o[0]] = o[2];
        if (o[1] == spv::kUniform && o[2] == said_.u32) said_.uniform_u32 = o[0];
      } else if (op == spv::kOpVariable && o.size() >= 3 && o[2] == spv::kStorageBuffer) {
        whole = whole && declare_buffer(o[0], o[1]);
      }
      // The result type comes first wherever there is one, and no other instruction has a type there.
      if (!is_type(op) && !is_annotation(op) && op != spv::kOpName && op != spv::kOpMemberName && o.size() >= 2 &&
          said_.widths.contains(o[0]))
        said_.type_of[o[1]] = o[0];
      return whole;
    });
    return whole;
  }

  bool declare_buffer(uint32_t pointer, uint32_t id) {
    const auto block = said_.struct_of_pointer.find(pointer);
    if (block == said_.struct_of_pointer.end()) return false;
    const auto array = said_.array_of_struct.find(block->second);
    if (array == said_.array_of_struct.end() || !said_.bindings.contains(id)) return false;
    const auto stride = said_.strides.find(array->second);
    if (stride == said_.strides.end() || stride->second == 0) return false;
    said_.member_of[id] = static_cast<uint32_t>(said_.shifts.size());
    said_.shifts.push_back({said_.bindings[id], stride->second});
    return true;
  }

  bool rewrite(uint32_t op, std::span<const uint32_t> operands) {
    if (is_type(op) && !annotated_) annotate();
    if (op == spv::kOpFunction && !in_functions_) declare_block();
    const bool access = op == spv::kOpAccessChain || op == spv::kOpInBoundsAccessChain;
    if (access && operands.size() >= 3 && said_.member_of.contains(operands[2])) return rewrite_access(op, operands);
    // A use of a buffer in another way.
    if (in_functions_ &&
        std::ranges::any_of(operands, [&](uint32_t word) { return word != 0 && said_.member_of.contains(word); }) &&
        (op == spv::kOpArrayLength || op == spv::kOpCopyObject || op == spv::kOpFunctionCall))
      return false;
    if (op == spv::kOpEntryPoint && words_[1] >= kVersion14) {
      append_words(op, operands);
      out_[out_.size() - operands.size() - 1] += 1 << 16;
      entry_ = out_.size();
      out_.push_back(0);  // the block, once it has an id
      return true;
    }
    append_words(op, operands);
    return true;
  }

  void append_words(uint32_t op, std::span<const uint32_t> operands) {
    out_.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | op);
    out_.insert(out_.end(), operands.begin(), operands.end());
  }

  // Annotations come before types.
  void annotate() {
    annotated_ = true;
    struct_ = next_++;
    block_ = next_++;
    if (entry_ != 0) out_[entry_] = block_;
    append(out_, spv::kOpDecorate, {struct_, kBlock});
    for (uint32_t i = 0; i < said_.shifts.size(); ++i)
      append(out_, spv::kOpMemberDecorate, {struct_, i, spv::kOffset, 4 * i});
    append(out_, spv::kOpDecorate, {block_, spv::kDescriptorSet, 0});
    append(out_, spv::kOpDecorate, {block_, spv::kBinding, binding_});
  }

  // Types that are no structs are unique in a module, so those that it has are used.
  void declare_block() {
    in_functions_ = true;
    if (said_.u32 == 0) append(out_, spv::kOpTypeInt, {said_.u32 = next_++, 32, 0});
    if (said_.uniform_u32 == 0)
      append(out_, spv::kOpTypePointer, {said_.uniform_u32 = next_++, spv::kUniform, said_.u32});
    out_.push_back(static_cast<uint32_t>(said_.shifts.size() + 2) << 16 | spv::kOpTypeStruct);
    out_.push_back(struct_);
    out_.insert(out_.end(), said_.shifts.size(), said_.u32);
    const uint32_t pointer = next_++;
    append(out_, spv::kOpTypePointer, {pointer, spv::kUniform, struct_});
    append(out_, spv::kOpVariable, {pointer, block_, spv::kUniform});
    first_number_ = next_;
    for (uint32_t i = 0; i < said_.shifts.size(); ++i) append(out_, spv::kOpConstant, {said_.u32, next_++, i});
  }

  bool rewrite_access(uint32_t op, std::span<const uint32_t> operands) {
    if (!in_functions_ || operands.size() < 5) return false;  // the array itself
    const uint32_t index = operands[4];
    const auto type = said_.type_of.find(index);
    if (type == said_.type_of.end()) return false;
    if (said_.widths[type->second] != 32) return false;
    const uint32_t place = next_++, shift = next_++;
    append(out_, spv::kOpAccessChain, {said_.uniform_u32, place, block_, first_number_ + said_.member_of[operands[2]]});
    append(out_, spv::kOpLoad, {said_.u32, shift, place});
    const uint32_t sum = next_++;
    append(out_, kOpIAdd, {type->second, sum, index, shift});
    append_words(op, operands);
    out_[out_.size() - operands.size() + 4] = sum;
    return true;
  }

  const std::span<const uint32_t> words_;
  const uint32_t binding_;
  Declared said_;
  Words out_;
  uint32_t next_ = 0, struct_ = 0, block_ = 0, first_number_ = 0;
  size_t entry_ = 0;
  bool annotated_ = false, in_functions_ = false;
};

}  // namespace

std::optional<ShiftedSpirv> shift_buffers(std::span<const uint32_t> words, uint32_t binding) {
  return Shifter(words, binding).run();
}

}  // namespace vd::codegen
