// Instructions are a word with length and opcode, and their operands (SPIR-V specification, 2.3). Capabilities, entry
// points and their modes stand before the first function, in that order.
#include "backends/vulkan/spirv.h"

#include <cstring>

namespace vd::vulkan {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpEntryPoint = 15, kOpExecutionMode = 16, kOpCapability = 17, kOpFunction = 54;
constexpr uint32_t kGlCompute = 5;   // an execution model
constexpr uint32_t kLocalSize = 17;  // an execution mode

// A string's bytes, four a word, end with a zero.
std::string_view string_at(std::span<const uint32_t> words) {
  const auto* text = reinterpret_cast<const char*>(words.data());
  return {text, strnlen(text, words.size_bytes())};
}

// Calls f(opcode, operands) for each instruction before the first function.
template <class F>
void for_each_declaration(std::span<const uint32_t> words, F&& f) {
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t op = words[at] & 0xffff, length = words[at] >> 16;
    if (length == 0 || length > words.size() - at || op == kOpFunction) break;
    f(op, words.subspan(at + 1, length - 1));
    at += length;
  }
}

bool is_of_subgroups(uint32_t capability) {
  // GroupNonUniform and what builds on it; ballot and vote of the extensions before it; rotate; partitioned.
  return (capability >= 61 && capability <= 68) || capability == 4423 || capability == 4431 || capability == 6026 ||
         capability == 5297;
}

}  // namespace

SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name) {
  SpirvEntry entry;
  uint32_t function = 0;
  for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op == kOpEntryPoint && operands.size() > 2 && operands[0] == kGlCompute &&
        string_at(operands.subspan(2)) == name) {
      entry.found = true;
      function = operands[1];
    }
    if (op == kOpExecutionMode && entry.found && operands.size() == 5 && operands[0] == function &&
        operands[1] == kLocalSize) {
      entry.fixed = true;
      entry.local_size = {operands[2], operands[3], operands[4]};
    }
  });
  return entry;
}

bool uses_subgroups(std::span<const uint32_t> words) {
  bool uses = false;
  for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    uses = uses || (op == kOpCapability && operands.size() == 1 && is_of_subgroups(operands[0]));
  });
  return uses;
}

}  // namespace vd::vulkan
