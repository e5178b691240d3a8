#include "codegen/spirv_read.h"

#include <cstring>

#include "codegen/spirv.h"
#include "codegen/spirv_words.h"

namespace vd::codegen {
namespace {

constexpr uint32_t kSimple = 0, kGlsl450 = 1;  // memory models

uint32_t swapped(uint32_t word) { return word << 24 | (word & 0xff00) << 8 | (word >> 8 & 0xff00) | word >> 24; }

}  // namespace

std::vector<uint32_t> read_spirv(std::string_view bytes) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  if (words.empty()) return words;
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  if (words.front() == swapped(kSpirvMagic))
    for (uint32_t& word : words) word = swapped(word);
  spv::for_each_declaration(words, [&](uint32_t op, std::span<const uint32_t> operands) {
    if (op == spv::kOpMemoryModel && operands.size() == 2 && operands[1] == kSimple)
      words[static_cast<size_t>(&operands[1] - words.data())] = kGlsl450;
  });
  return words;
}

}  // namespace vd::codegen
