// GLSL whose buffers are found by addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/glslang.h"
#include "codegen/print.h"
#include "codegen/spirv_validator.h"
#include "ir/text.h"
#include "unit/codegen/kernels.h"

namespace vd::test {
namespace {

using testing::HasSubstr;
using testing::Not;

codegen::Source by_address(const ir::Kernel& kernel, bool clamped = false) {
  codegen::Options options;
  options.buffer_addresses = true;
  options.clamped_indices = clamped;
  return codegen::print(kernel, VD_LANGUAGE_GLSL, options);
}

class Addresses : public testing::TestWithParam<Case> {};

TEST_P(Addresses, EveryKernelCompilesAndIsValid) {
  codegen::SpirvRules rules;
  rules.vulkan_minor = 2;
  rules.scalar_block_layout = true;
  for (const bool clamped : {false, true}) {
    const codegen::Source source = by_address(GetParam().make(), clamped);
    EXPECT_THAT(source.text, Not(HasSubstr("data[]"))) << "a buffer that is bound";
    const auto words = codegen::compile_glsl(source.text, GetParam().name, true);
    EXPECT_NO_THROW(codegen::validate_spirv(words, GetParam().name, rules)) << source.text;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Addresses, testing::ValuesIn(kernel_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(AddressedText, IndicesOfElementsKeep64BitsAndOthersDoNot) {
  const ir::Kernel kernel = ir::parse_text(R"(kernel "wide"
argument 0 buffer [f32 x 5] "a"
argument 1 constant u64 "at"
{
  %0: u64 = load @1
  %1: storage [f32 x 5] = index @0, %0
  %2: storage f32 = index %1, %0
  store %2, f32 1
}
)");
  const std::string place = "Block_a(addresses.a + 20ul * uint64_t(values.at)).data";
  const codegen::Source source = by_address(kernel);
  EXPECT_THAT(source.text, HasSubstr(place + "[uint(values.at)] = 1.0;"));
  EXPECT_EQ(source.addresses_binding, 1u);
  ASSERT_EQ(source.addresses.size(), 1u);
  EXPECT_EQ(source.addresses[0].align, 4u);
  EXPECT_EQ(source.addresses[0].least_size, 20u);
  EXPECT_THAT(by_address(kernel, true).text,
              HasSubstr("Block_a(addresses.a + 20ul * uint64_t(min(uint64_t(values.at), (addresses.a_size - 20ul) / "
                        "20ul))).data[uint(min(uint64_t(uint(values.at)), 4ul))] = 1.0;"));
}

// A sum in 64 bits cannot wrap before the multiplication that its known part is taken out of.
TEST(AddressedText, KnownPartsOfIndicesAreAddedLast) {
  const ir::Kernel kernel = ir::parse_text(R"(kernel "known"
argument 0 buffer f32x2 "a"
argument 1 constant u64 "at"
argument 2 constant u32 "short"
{
  %0: u64 = load @1
  %1: u64 = add %0, u64 256
  %2: storage f32x2 = index @0, %1
  %3: f32x2 = load %2
  %4: u32 = load @2
  %5: u32 = add %4, u32 256
  %6: storage f32x2 = index @0, %5
  store %6, %3
  %7: u64 = add %1, u64 3
  %8: storage f32x2 = index @0, %7
  store %8, %3
}
)");
  const std::string text = by_address(kernel).text;
  EXPECT_THAT(text, HasSubstr("Block_a(addresses.a + 8ul * uint64_t(values.at) + 2048ul).data"));
  EXPECT_THAT(text, HasSubstr("Block_a(addresses.a + 8ul * uint64_t(values.short_1 + 256u)).data = ")) << "it may wrap";
  EXPECT_THAT(text, HasSubstr("Block_a(addresses.a + 8ul * uint64_t(values.at) + 2072ul).data = "));
  // A clamped index is of the whole sum.
  EXPECT_THAT(by_address(kernel, true).text, Not(HasSubstr("2048ul")));
  EXPECT_NO_THROW(codegen::compile_glsl(text, "known", true)) << text;
}

// See Dialect::whole_vector.
TEST(AddressedText, ComponentsAreLoadedWithTheirVector) {
  const ir::Kernel kernel = ir::parse_text(R"(kernel "parts"
argument 0 buffer f32x2 "a"
{
  %0: storage f32x2 = index @0, u32 3
  %1: storage f32 = index %0, u32 1
  %2: f32 = load %1
  store %1, %2
}
)");
  const std::string place = "Block_a(addresses.a + 8ul * uint64_t(3u)).data";
  EXPECT_THAT(by_address(kernel).text, HasSubstr(place + ".y = vd_whole(" + place + ").y;"));
}

}  // namespace
}  // namespace vd::test
