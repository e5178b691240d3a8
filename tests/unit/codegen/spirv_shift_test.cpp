#include "codegen/spirv_shift.h"

#include <gtest/gtest.h>

#include "codegen/glslang.h"
#include "codegen/spirv_validator.h"

namespace vd::codegen {
namespace {

constexpr const char* kHead = R"(#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 64) in;
)";

std::vector<uint32_t> compile(const std::string& body) { return compile_glsl(kHead + body, "shift", true); }

SpirvRules rules() {
  SpirvRules rules;
  rules.vulkan_minor = 2;
  rules.scalar_block_layout = true;
  return rules;
}

TEST(SpirvShift, IndicesGetANumberAdded) {
  const auto words = compile(R"(
layout(set = 0, binding = 0, scalar) readonly buffer Block_v { vec3 data[]; } v;
layout(set = 0, binding = 1, scalar) buffer Block_n { uint data[]; } n;
layout(set = 0, binding = 1, scalar) buffer Block_n4 { uvec4 data[]; } n4;
layout(push_constant) uniform Values { int at; } values;
void main() {
  const uint i = gl_GlobalInvocationID.x;
  n.data[values.at] = uint(v.data[i].y);
  atomicAdd(n.data[i], 1u);
  n4.data[2].z = n4.data[i & 1u].x;
})");
  validate_spirv(words, "the kernel", rules());
  const auto shifted = shift_buffers(words, 2);
  ASSERT_TRUE(shifted.has_value());
  EXPECT_NO_THROW(validate_spirv(shifted->words, "the shifted kernel", rules()));
  ASSERT_EQ(shifted->shifts.size(), 3u);
  std::vector<std::pair<uint32_t, uint32_t>> found;
  for (const auto& [binding, stride] : shifted->shifts) found.emplace_back(binding, stride);
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 12}, {1, 4}, {1, 16}}));
  EXPECT_GT(shifted->words.size(), words.size());
}

TEST(SpirvShift, LeavesOtherFormsAlone) {
  EXPECT_FALSE(shift_buffers(compile("void main() {}"), 0));
  EXPECT_FALSE(shift_buffers(compile(R"(
layout(set = 0, binding = 0, scalar) buffer Block { uint count; float data[]; } x;
void main() { x.data[0] = 1; })"),
                             1));
  EXPECT_FALSE(shift_buffers(compile(R"(
layout(set = 0, binding = 0, scalar) buffer Block { float data[]; } x;
void main() { x.data[0] = float(x.data.length()); })"),
                             1));
  EXPECT_FALSE(shift_buffers({}, 0));
  const auto words = compile(R"(
layout(set = 0, binding = 0, scalar) buffer Block { float data[]; } x;
void main() { x.data[0] = 1; })");
  for (size_t size = 1; size < words.size(); ++size)
    shift_buffers(std::span(words).first(size), 1);  // cut anywhere, it ends
}

}  // namespace
}  // namespace vd::codegen
