#include "backends/vulkan/float_controls.h"

#include <gtest/gtest.h>

#include "codegen/glslang.h"

namespace vd::vulkan {
namespace {

VkPhysicalDeviceFloatControlsProperties everything() {
  VkPhysicalDeviceFloatControlsProperties p{};
  p.denormBehaviorIndependence = p.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
  for (VkBool32* one : {&p.shaderDenormPreserveFloat16, &p.shaderDenormPreserveFloat32, &p.shaderDenormPreserveFloat64,
                        &p.shaderSignedZeroInfNanPreserveFloat16, &p.shaderSignedZeroInfNanPreserveFloat32,
                        &p.shaderSignedZeroInfNanPreserveFloat64, &p.shaderRoundingModeRTEFloat16,
                        &p.shaderRoundingModeRTEFloat32, &p.shaderRoundingModeRTEFloat64})
    *one = VK_TRUE;
  return p;
}

TEST(FloatControls, AreAllThatTheDeviceHas) {
  EXPECT_EQ(choose_float_controls(everything()), (FloatControls{112, 112, 112}));
  EXPECT_EQ(choose_float_controls({}), FloatControls{});
}

TEST(FloatControls, AreAskedForTogetherWhereTheyDependOnEachOther) {
  auto p = everything();
  p.shaderDenormPreserveFloat64 = p.shaderRoundingModeRTEFloat16 = VK_FALSE;
  EXPECT_EQ(choose_float_controls(p), (FloatControls{48, 112, 96}));
  p.denormBehaviorIndependence = p.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY;
  EXPECT_EQ(choose_float_controls(p), (FloatControls{32, 112, 32}));
  p.denormBehaviorIndependence = p.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
  EXPECT_EQ(choose_float_controls(p), (FloatControls{0, 112, 0}));
}

struct Count {
  int capabilities = 0, extensions = 0, modes = 0;
};
Count count(const std::vector<uint32_t>& words) {
  Count n;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    const uint32_t op = words[at] & 0xffff;
    n.capabilities += op == 17 && words[at + 1] >= 4464 && words[at + 1] <= 4467;
    n.extensions += op == 10;
    n.modes += op == 16 && words[at + 2] >= 4459 && words[at + 2] <= 4462;
  }
  return n;
}

TEST(FloatControls, BecomeModesOfTheEntryPoint) {
  const std::string source = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
  for (const bool spirv_1_5 : {false, true}) {
    const auto plain = codegen::compile_glsl(source, "k", spirv_1_5);
    auto words = plain;
    add_float_controls(words, {112, 32, 0});
    const Count before = count(plain), after = count(words);
    EXPECT_EQ(after.capabilities, 2);
    EXPECT_EQ(after.modes, 4);
    EXPECT_EQ(after.extensions - before.extensions, spirv_1_5 ? 0 : 1);
    words = plain;
    add_float_controls(words, {});
    EXPECT_EQ(words, plain);
  }
}

}  // namespace
}  // namespace vd::vulkan
