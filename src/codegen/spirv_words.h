// Words of SPIR-V: numbers of the specification, and walks over instructions that end whatever the words are. An
// instruction is a word with length and opcode, and its operands (SPIR-V specification, 2.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "ir/type.h"

namespace vd::codegen::spv {

inline constexpr size_t kHeaderWords = 5;

// Opcodes.
inline constexpr uint32_t kOpName = 5, kOpMemberName = 6, kOpMemoryModel = 14, kOpEntryPoint = 15;
inline constexpr uint32_t kOpExecutionMode = 16, kOpCapability = 17;
inline constexpr uint32_t kOpTypeBool = 20, kOpTypeInt = 21, kOpTypeFloat = 22, kOpTypeVector = 23, kOpTypeMatrix = 24;
inline constexpr uint32_t kOpTypeImage = 25, kOpTypeSampler = 26, kOpTypeSampledImage = 27, kOpTypeArray = 28;
inline constexpr uint32_t kOpTypeRuntimeArray = 29, kOpTypeStruct = 30, kOpTypePointer = 32;
inline constexpr uint32_t kOpConstant = 43, kOpConstantComposite = 44, kOpSpecConstantTrue = 48;
inline constexpr uint32_t kOpSpecConstantFalse = 49, kOpSpecConstant = 50, kOpSpecConstantComposite = 51;
inline constexpr uint32_t kOpSpecConstantOp = 52, kOpFunction = 54, kOpFunctionEnd = 56, kOpFunctionCall = 57,
                          kOpVariable = 59;
inline constexpr uint32_t kOpImageTexelPointer = 60, kOpLoad = 61, kOpStore = 62, kOpCopyMemorySized = 64;
inline constexpr uint32_t kOpAccessChain = 65, kOpInBoundsAccessChain = 66, kOpArrayLength = 68, kOpDecorate = 71;
inline constexpr uint32_t kOpMemberDecorate = 72, kOpCopyObject = 83, kOpExecutionModeId = 331;
// Decorations.
inline constexpr uint32_t kSpecId = 1, kBufferBlock = 3, kRowMajor = 4, kArrayStride = 6, kMatrixStride = 7;
inline constexpr uint32_t kBuiltIn = 11, kNonWritable = 24, kNonReadable = 25, kBinding = 33, kDescriptorSet = 34;
inline constexpr uint32_t kOffset = 35;
inline constexpr uint32_t kWorkgroupSize = 25;  // a built-in value
// Storage classes.
inline constexpr uint32_t kUniformConstant = 0, kInput = 1, kUniform = 2, kOutput = 3, kWorkgroup = 4;
inline constexpr uint32_t kPrivate = 6, kPushConstant = 9, kStorageBuffer = 12;
// An execution model, and modes.
inline constexpr uint32_t kGlCompute = 5, kLocalSize = 17, kLocalSizeId = 38;

// A string's bytes, four a word, end with a zero.
inline std::string_view string_at(std::span<const uint32_t> words) {
  const auto* text = reinterpret_cast<const char*>(words.data());
  return {text, strnlen(text, words.size_bytes())};
}

// The scalar that OpTypeBool, OpTypeInt or OpTypeFloat declares; none if the kernel language has no such type.
inline ir::Scalar declared_scalar(uint32_t op, std::span<const uint32_t> operands) {
  using ir::Scalar;
  if (op == kOpTypeBool) return Scalar::Bool;
  const uint32_t bits = operands.size() > 1 ? operands[1] : 0;
  if (op == kOpTypeFloat)
    return bits == 16 ? Scalar::F16 : bits == 32 ? Scalar::F32 : bits == 64 ? Scalar::F64 : Scalar::None;
  if (op != kOpTypeInt || operands.size() < 3) return Scalar::None;
  const bool negative = operands[2] != 0;
  switch (bits) {
    case 8:
      return negative ? Scalar::I8 : Scalar::U8;
    case 16:
      return negative ? Scalar::I16 : Scalar::U16;
    case 32:
      return negative ? Scalar::I32 : Scalar::U32;
    case 64:
      return negative ? Scalar::I64 : Scalar::U64;
    default:
      return Scalar::None;
  }
}

// Calls f(opcode, operands) for each instruction, until it says false. The number of the first word that it did not come
// to.
template <class F>
size_t for_each_instruction(std::span<const uint32_t> words, F&& f) {
  size_t at = kHeaderWords;
  while (at < words.size()) {
    const uint32_t op = words[at] & 0xffff, length = words[at] >> 16;
    if (length == 0 || length > words.size() - at || !f(op, words.subspan(at + 1, length - 1))) break;
    at += length;
  }
  return at;
}

// The same for those before the first function.
template <class F>
void for_each_declaration(std::span<const uint32_t> words, F&& f) {
  for_each_instruction(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op != kOpFunction) f(op, operands);
    return op != kOpFunction;
  });
}

}  // namespace vd::codegen::spv
