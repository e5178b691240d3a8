// Instructions are a word with length and opcode, and their operands (SPIR-V specification, 2.3). Entry points and
// their modes stand before the first function, in that order.
#include "backends/vulkan/spirv.h"

#include <cstring>

namespace vd::vulkan {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpEntryPoint = 15, kOpExecutionMode = 16, kOpFunction = 54;
constexpr uint32_t kGlCompute = 5;   // an execution model
constexpr uint32_t kLocalSize = 17;  // an execution mode

// A string's bytes, four a word, end with a zero.
std::string_view string_at(std::span<const uint32_t> words) {
  const auto* text = reinterpret_cast<const char*>(words.data());
  return {text, strnlen(text, words.size_bytes())};
}

}  // namespace

SpirvEntry find_entry(std::span<const uint32_t> words, std::string_view name) {
  SpirvEntry entry;
  uint32_t function = 0;
  for (size_t at = kHeaderWords; at < words.size();) {
    const uint32_t op = words[at] & 0xffff, length = words[at] >> 16;
    if (length == 0 || length > words.size() - at || op == kOpFunction) break;
    const auto operands = words.subspan(at + 1, length - 1);
    if (op == kOpEntryPoint && operands.size() > 2 && operands[0] == kGlCompute &&
        string_at(operands.subspan(2)) == name) {
      entry.found = true;
      function = operands[1];
    }
    if (op == kOpExecutionMode && entry.found && operands.size() == 5 && operands[0] == function &&
        operands[1] == kLocalSize)
      entry.local_size = {operands[2], operands[3], operands[4]};
    at += length;
  }
  return entry;
}

}  // namespace vd::vulkan
