// Contents of modules of SPIR-V, and specialisation; with faults, every question gets an answer.
#include "codegen/spirv.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string_view>

#include "codegen/glslang.h"
#include "codegen/spirv_read.h"
#include "core/error.h"
#include "support/error_of.h"
#include "support/samples.h"

namespace vd::codegen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<uint32_t> kEverything{
#include "support/spirv/everything.inc"
};

TEST(Spirv, ShowsBindingsByKind) {
  const SpirvUses uses = find_uses(kEverything, "main");
  std::vector<std::string> found;
  for (const SpirvBinding& b : uses.bindings) {
    found.push_back(fmt::format("{}.{} {} {} x{} {}{}{} {} {}", b.set, b.binding, b.name, static_cast<int>(b.kind),
                                b.count, b.used ? 'u' : '-', b.readable ? 'r' : '-', b.writable ? 'w' : '-', b.size,
                                b.image.none() ? "" : ir::type_name(b.image)));
  }
  EXPECT_THAT(found,
              ElementsAre("0.0 In 1 x1 ur- 0 ", "0.1 Out 1 x1 u-w 4 ", "0.2 Shape 3 x1 ur- 20 ",
                          "0.3 photo 5 x1 ur- 0 image2d_f32", "0.4 picture 6 x1 u-w 0 image2d_array_f32_w_rgba8_unorm",
                          "0.5 Unused 1 x1 -rw 0 ", "1.0 volume 6 x2 urw 0 image3d_u32_rw_r32_u32"));
  EXPECT_EQ(uses.shared_size, 64u);
}

TEST(Spirv, ShowsPushConstants) {
  const SpirvUses uses = find_uses(kEverything, "main");
  ASSERT_EQ(uses.push_constants.size(), 3u);
  EXPECT_EQ(uses.push_constants[1].name, "scale");
  EXPECT_EQ(uses.push_constants[1].offset, 8u);
  EXPECT_EQ(uses.push_constants[1].size, 8u);
  EXPECT_EQ(uses.push_constants[1].type, ir::Type::vector(ir::Scalar::F32, 2));
  EXPECT_TRUE(uses.push_constants[1].used);
  EXPECT_FALSE(uses.push_constants[2].used);
  EXPECT_EQ(uses.last_push_constant().end(), 16u);
}

std::vector<std::string> push_constants_of(const std::string& declarations) {
  const std::string source =
      "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n" + declarations + "void main() {}";
  std::vector<std::string> found;
  for (const SpirvPushConstant& one : find_uses(compile_glsl(source, "push"), "main").push_constants)
    found.push_back(
        fmt::format("{} {}+{} {}{}{}", one.name, one.offset, one.size, one.type.none() ? "" : ir::type_name(one.type),
                    one.element.none() ? "" : "[]",
                    one.element.none() ? "" : fmt::format("{}/{}", ir::type_name(one.element), one.stride)));
  return found;
}

TEST(Spirv, ShowsPartsOfPushConstants) {
  EXPECT_THAT(push_constants_of("struct S { int i; float f; };"
                                "layout(push_constant) uniform P { S s; S more[2]; int v[2][3]; };"),
              ElementsAre("s.i 0+4 i32", "s.f 4+4 f32", "more[0].i 8+4 i32", "more[0].f 12+4 f32", "more[1].i 16+4 i32",
                          "more[1].f 20+4 f32", "v[0] 24+12 []i32/4", "v[1] 36+12 []i32/4"));
  EXPECT_THAT(push_constants_of("struct A { ivec2 xy; double d[2]; }; struct B { int8_t b; A a[1]; mat2 m; };"
                                "layout(push_constant) uniform P { layout(offset = 16) B b[1]; uint last; };"),
              ElementsAre("b[0].b 16+1 i8", "b[0].a[0].xy 24+8 i32x2", "b[0].a[0].d 32+16 []f64/8",
                          "b[0].m 48+16 f32m2", "last 64+4 u32"));
  EXPECT_THAT(push_constants_of("struct S { int i; float f; };"
                                "layout(push_constant) uniform P { S s[100000]; S t; };"),
              ElementsAre("s 0+800000 ", "t.i 800000+4 i32", "t.f 800004+4 f32"));
}

TEST(Spirv, ShowsHowMatricesLie) {
  std::vector<std::string> found;
  const std::string source =
      "#version 450\nstruct S { mat3x2 m; vec3 v; };"
      "layout(push_constant) uniform P { layout(row_major) dmat3x2 d[2]; layout(row_major) S r[1]; S c; };"
      "void main() {}";
  for (const SpirvPushConstant& one : find_uses(compile_glsl(source, "push"), "main").push_constants)
    found.push_back(
        fmt::format("{} {}+{} {}{}", one.name, one.offset, one.size, one.matrix_stride, one.row_major ? " rows" : ""));
  EXPECT_THAT(found, ElementsAre("d 0+120 32 rows", "r[0].m 128+28 16 rows", "r[0].v 160+12 0", "c.m 176+24 8",
                                 "c.v 208+12 0"));
}

std::string used_push_constants(const std::string& declarations, const std::string& body) {
  const std::string source =
      "#version 450\nlayout(binding = 0) buffer X { float x[]; };" + declarations + "void main() {" + body + "}";
  std::string found;
  for (const SpirvPushConstant& one : find_uses(compile_glsl(source, "push"), "main").push_constants)
    if (one.used) found += (found.empty() ? "" : " ") + one.name;
  return found;
}

TEST(Spirv, ShowsWhichPartsOfPushConstantsAreUsed) {
  const std::string block =
      "struct T { float a, b; }; struct S { T t; float f[2]; mat2 m; };"
      "layout(constant_id = 0) const uint k = 1;"
      "layout(push_constant) uniform P { S s; T more[2]; float v[2][2]; };";
  EXPECT_EQ(used_push_constants(block, ""), "");
  EXPECT_EQ(used_push_constants(block, "x[0] = s.t.b + s.f[1];"), "s.t.b s.f");
  EXPECT_EQ(used_push_constants(block, "x[0] = s.m[1][0];"), "s.m");
  EXPECT_EQ(used_push_constants(block, "x[0] = more[1].a + v[0][1];"), "more[1].a v[0]");
  EXPECT_EQ(used_push_constants(block, "x[0] = more[uint(x[1])].a;"), "more[0].a more[0].b more[1].a more[1].b");
  EXPECT_EQ(used_push_constants(block, "x[0] = more[k].a;"), "more[0].a more[0].b more[1].a more[1].b")
      << "a plan may replace the index";
  EXPECT_EQ(used_push_constants(block, "T t = s.t; x[0] = t.a;"), "s.t.a s.t.b") << "a load of all of them";
}

// The driver decides what such code reads, so all elements must be there.
TEST(Spirv, CountsAllElementsAsUsedWhereAnIndexIsPastThem) {
  std::vector<uint32_t> words = compile_glsl(
      "#version 450\nlayout(binding = 0) buffer X { float x[]; }; struct T { float a, b; };"
      "layout(push_constant) uniform P { T more[2]; float after; }; void main() { x[0] = more[1].a; }",
      "push");
  const auto used = [&] {
    std::string names;
    for (const SpirvPushConstant& one : find_uses(words, "main").push_constants)
      if (one.used) names += one.name + " ";
    return names;
  };
  EXPECT_EQ(used(), "more[1].a ");
  constexpr uint32_t kConstant = 4 << 16 | 43;  // four words
  for (size_t i = 5; i + 3 < words.size(); i += words[i] >> 16)
    if (words[i] == kConstant && words[i + 3] == 1) words[i + 3] = ~uint32_t{0};
  EXPECT_EQ(used(), "more[0].a more[0].b more[1].a more[1].b ");
}

TEST(Spirv, SpecialisesEachKindOfConstant) {
  const auto of = [](const std::vector<uint32_t>& words, uint32_t id) {
    for (const SpecConstant& constant : find_spec_constants(words))
      if (constant.id == id) return constant.bits;
    return ~uint64_t{0};
  };
  std::vector<uint32_t> words = kEverything;
  EXPECT_EQ(of(words, 0), 0xfffffffdu);
  EXPECT_EQ(of(words, 2), 1u);
  const vd_spec_constant values[] = {{10, 0, 16}, {0, 0, ~uint64_t{0}}, {2, 0, 0}, {1, 0, 0x3f800000}, {3, 0, 8}};
  specialise(words, values, "it");
  EXPECT_EQ(of(words, 0), 0xffffffffu);
  EXPECT_EQ(of(words, 1), 0x3f800000u);
  EXPECT_EQ(of(words, 2), 0u);
  EXPECT_EQ(find_entry(words, "main").workgroup_size, (std::array<uint32_t, 3>{16, 2, 1}));
  EXPECT_EQ(find_uses(words, "main").shared_size, 128u);
  EXPECT_EQ(find_entry(words, "main").size_ids,
            (std::array<uint32_t, 3>{10, VD_NO_SPEC_CONSTANT, VD_NO_SPEC_CONSTANT}));
}

TEST(Spirv, RefusesValuesThatDoNotFit) {
  const auto refused = [](std::vector<vd_spec_constant> values) {
    std::vector<uint32_t> words = kEverything;
    return test::error_of(VD_ERR_INVALID, [&] { specialise(words, values, "plan \"p\""); });
  };
  EXPECT_THAT(
      refused({{7, 0, 1}}),
      HasSubstr("plan \"p\" has no specialisation constant 7; it has 0 (steps), 1 (gain), 2 (negate), 3 (parts), 10"));
  EXPECT_THAT(refused({{3, 0, uint64_t{1} << 32}}),
              HasSubstr("the value (0x100000000) of specialisation constant 3 of plan \"p\" does not fit in 32 bits."));
  EXPECT_THAT(refused({{2, 0, 2}}), HasSubstr("does not fit in 1 bit."));
  EXPECT_THAT(refused({{3, 0, 1}, {0, 0, 1}, {3, 0, 2}}), HasSubstr("constant 3 of plan \"p\" is given twice."));
}

std::string_view bytes_of(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

TEST(Spirv, IsReadInEitherOrderOfBytes) {
  EXPECT_EQ(read_spirv(bytes_of(kEverything)), kEverything);
  std::vector<uint32_t> other = kEverything;
  for (uint32_t& word : other) word = __builtin_bswap32(word);
  EXPECT_EQ(read_spirv(bytes_of(other)), kEverything);
  EXPECT_TRUE(read_spirv("abc").empty());
  EXPECT_EQ(read_spirv("abcdefgh").size(), 2u);
}

TEST(Spirv, SimpleMemoryModelBecomesThatOfGlsl) {
  std::vector<uint32_t> words = kEverything;
  const auto model = std::ranges::find(words, 3u << 16 | 14u);
  ASSERT_NE(model, words.end());
  ASSERT_EQ(model[2], 1u);
  model[2] = 0;
  EXPECT_EQ(read_spirv(bytes_of(words)), kEverything);
}

TEST(Spirv, RefusesWordsThatAreNotAModule) {
  const auto refused = [](const std::vector<uint32_t>& words) {
    return test::error_of(VD_ERR_COMPILE, [&] { check_spirv_words(words, "it"); });
  };
  EXPECT_THAT(refused({}), HasSubstr("it (0 bytes) is not a SPIR-V module."));
  EXPECT_THAT(refused({1, 2, 3, 4, 5, 6}), HasSubstr("is not a SPIR-V module."));
  std::vector<uint32_t> cut = kEverything;
  cut.pop_back();
  cut.back() = 9u << 16;
  EXPECT_THAT(refused(cut), HasSubstr("has 9 words, and the module ends at word"));
  cut.pop_back();
  EXPECT_THAT(refused(cut), HasSubstr("it is cut off: it ends at word")) << "without the end of its last function";
  EXPECT_THAT(refused(cut), HasSubstr("within a function"));
  const auto function = std::ranges::find_if(cut, [](uint32_t word) { return word == (5u << 16 | 54u); });
  ASSERT_NE(function, cut.end());
  EXPECT_THAT(refused({cut.begin(), function}), HasSubstr("before the function of its entry point"));
}

// All questions, of words that may be anything.
void ask(const std::vector<uint32_t>& words) {
  for (const std::string& name : find_entries(words)) {
    (void)find_entry(words, name);
    (void)find_uses(words, name);
  }
  (void)find_uses(words, "main");
  (void)find_capabilities(words);
  (void)uses_subgroups(words);
  for (const SpecConstant& constant : find_spec_constants(words)) {
    std::vector<uint32_t> special = words;
    const vd_spec_constant value[] = {{constant.id, 0, constant.bits}};
    try {
      specialise(special, value, "it");
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), VD_ERR_INVALID) << error.what();
    }
    EXPECT_EQ(special.size(), words.size());
  }
}

TEST(Spirv, AnswersWhateverComes) {
  for (size_t at = 5; at < kEverything.size(); ++at) {
    ask({kEverything.begin(), kEverything.begin() + static_cast<std::ptrdiff_t>(at)});
    for (const uint32_t word : {0xffffffffu, 0u, kEverything[at] + 1, kEverything[at] ^ 0x10000}) {
      auto spoilt = kEverything;
      spoilt[at] = word;
      ask(spoilt);
    }
  }
  for (uint32_t seed = 0; seed < vd::test::samples(2000); ++seed) {
    std::mt19937 random(seed);
    auto spoilt = kEverything;
    for (uint32_t faults = 1 + random() % 6; faults > 0; --faults)
      spoilt[5 + random() % (spoilt.size() - 5)] = spoilt[random() % spoilt.size()];
    ask(spoilt);
  }
}

// A module of many variables of one struct with many members takes time in proportion to its words.
TEST(Spirv, ReadsAHugeModuleQuickly) {
  constexpr uint32_t kMany = 40000, kStruct = 5, kPointer = 6;
  const auto op = [](uint32_t code, uint32_t words) { return words << 16 | code; };
  std::vector<uint32_t> words{0x07230203, 0x10000, 0, 3 * kMany, 0};
  for (uint32_t i = 0; i < kMany; ++i)
    for (const uint32_t word : {op(72, 5), kStruct, i, 35u, i * 4}) words.push_back(word);  // OpMemberDecorate Offset
  words.insert(words.end(), {op(21, 4), 4, 32, 0, op(30, kMany + 2 > 0xffff ? 2 : kMany + 2), kStruct});
  words.insert(words.end(), kMany, 4);
  words.insert(words.end(), {op(32, 4), kPointer, 9, kStruct});  // of push constants
  for (uint32_t i = 0; i < kMany; ++i)
    for (const uint32_t word : {op(59, 4), kPointer, 100 + i, 9u}) words.push_back(word);
  EXPECT_EQ(find_uses(words, "main").push_constants.size(), kMany);
}

}  // namespace
}  // namespace vd::codegen
