// Each limit of a device that a plan or a launch can exceed: the error names kernel, number and limit, and no call
// reaches the driver, which need not check.
#include <gmock/gmock.h>

#include "backends/vulkan/capabilities.h"
#include "codegen/glslang.h"
#include "codegen/spirv.h"
#include "ir/text.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// b0[0] = b0[0] + ... + bn[0].
std::string sum_of(uint32_t buffers) {
  std::string arguments, code;
  uint32_t next = 0;
  std::string sum;
  for (uint32_t i = 0; i < buffers; ++i) {
    arguments += fmt::format("argument {} buffer u32 \"b{}\"\n", i, i);
    code += fmt::format("  %{}: storage u32 = index @{}, u32 0\n  %{}: u32 = load %{}\n", next, i, next + 1, next);
    const std::string loaded = fmt::format("%{}", next + 1);
    next += 2;
    if (i == 0) {
      sum = loaded;
      continue;
    }
    code += fmt::format("  %{}: u32 = add {}, {}\n", next, sum, loaded);
    sum = fmt::format("%{}", next++);
  }
  return "kernel \"sum\"\n" + arguments + "{\n" + code + "  store %0, " + sum + "\n}\n";
}

class VulkanLimits : public VulkanTest {
 protected:
  std::shared_ptr<backends::Module> compile(const ir::Kernel& kernel, std::array<uint32_t, 3> local = {1, 1, 1},
                                            bool by_address = false) {
    backends::ModuleDesc desc;
    desc.kernel = &kernel;
    desc.workgroup_size = local;
    desc.by_address = by_address;
    return device().make_module(desc);
  }
  template <class Match>
  void refused(const std::function<void()>& body, const Match& message, vd_status status = VD_ERR_UNSUPPORTED) {
    try {
      body();
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.what();
      EXPECT_THAT(error.what(), message);
    }
  }
  void open(const Overrides& wishes) {
    std::string reason;
    device_ = open_fresh(wishes, "", reason);
  }
};

TEST_F(VulkanLimits, AKernelMayHaveAsManyBuffersAsTheDeviceAllows) {
  for (const bool push : {true, false}) {
    Overrides wishes;
    wishes.push_descriptors = push;
    open(wishes);
    const uint32_t count = std::min(device().gpu().max_storage_buffers, 600u);
    const auto module = compile(ir::parse_text(sum_of(count)));
    std::vector<std::unique_ptr<backends::Memory>> buffers;
    std::vector<backends::Range> ranges;
    uint32_t expected = 0;
    for (uint32_t i = 0; i < count; ++i) {
      buffers.push_back(words({i + 7}));
      ranges.push_back(whole(*buffers.back()));
      expected += i + 7;
    }
    ListBuilder work;
    work.dispatch(*module, 1, ranges, {1, 1, 1});
    queue().submit(work.list);
    EXPECT_EQ(read_words(*buffers[0])[0], expected) << count << " buffers";
  }
}

TEST_F(VulkanLimits, MoreBuffersAreRefused) {
  uint32_t limit = device().gpu().max_storage_buffers;
  if (limit > 1000) {  // a real GPU's: a million
    Overrides wishes;
    wishes.max_storage_buffers = limit = 40;
    open(wishes);
  }
  const auto message = [&](const char* name, uint32_t count) {
    return AllOf(HasSubstr(fmt::format("kernel \"{}\" has {} buffers", name, count)),
                 HasSubstr(fmt::format("allows {}.", limit)), HasSubstr(device().info().name));
  };
  for (const uint32_t count : {limit + 1, limit + 24})
    refused([&] { compile(ir::parse_text(sum_of(count))); }, message("sum", count));
  refused([&] { glsl("#version 450\nvoid main() {}\n", limit + 1); }, message("test kernel", limit + 1));
}

// A buffer past what a descriptor binds, between short ones that begin at any element.
TEST_F(VulkanLimits, LongBuffersAreTakenByTheirAddresses) {
  for (const bool push : {true, false}) {
    Overrides wishes;
    wishes.push_descriptors = push;
    open(wishes);
    const uint64_t range = device().info().max_storage_buffer_range;
    const auto module = compile(ir::parse_text(sum_of(3)));
    EXPECT_EQ(static_cast<const Module&>(*module).by_address(), nullptr) << "nobody has asked";
    const auto large = memory(range + 16), a = words({1, 20}), b = words({300});
    ListBuilder work;
    work.fill({large.get(), range, 16}, 4000);
    work.dispatch(*module, 1, {{large.get(), 0, range + 16}, {a.get(), 4, 4}, whole(*b)}, {1, 1, 1});
    refused([&] { queue().submit(work.list); }, HasSubstr(std::to_string(range)));
    ASSERT_TRUE(module->binds_any_size());
    work.list.clear();
    work.level(0).fill({large.get(), 0, 16}, 4000);
    work.level(1).dispatch(*module, 1, {{large.get(), 0, range + 16}, {a.get(), 4, 4}, whole(*b)}, {1, 1, 1});
    work.level(2).dispatch(*module, 2, {whole(*b), whole(*a), whole(*a)}, {1, 1, 1});
    queue().submit(work.list);
    uint32_t sum = 0;
    queue().read({large.get(), 0, 4}, &sum);
    EXPECT_EQ(sum, 4320u);
    EXPECT_EQ(read_words(*b)[0], 302u) << "a short launch behind it";
    ListBuilder odd;
    odd.dispatch(*module, 1, {{large.get(), 2, range + 4}, whole(*a), whole(*b)}, {1, 1, 1});
    refused([&] { queue().submit(odd.list); },
            AllOf(HasSubstr("the offset (2) of buffer 0"), HasSubstr("\"sum\""), HasSubstr("a multiple of 4")));
  }
}

TEST_F(VulkanLimits, KernelsThatWantAddressesTakeShortBuffersByThem) {
  for (const bool there : {true, false}) {
    Overrides wishes;
    wishes.buffer_addresses = there;
    open(wishes);
    const auto made = compile(ir::parse_text(sum_of(3)), {1, 1, 1}, true);
    const auto& module = static_cast<const Module&>(*made);
    EXPECT_EQ(module.wants_addresses(), there);
    ASSERT_EQ(module.by_address() != nullptr, there);
    const auto a = words({1, 20, 300}), b = words({4000, 50000});
    ListBuilder work;
    work.dispatch(*made, 1, {whole(*b), {a.get(), 4, 4}, {a.get(), 8, 4}}, {1, 1, 1});
    // A descriptor's offset has to be aligned, and an address that of its elements.
    if (!there && device().info().storage_buffer_alignment > 4) {
      ASSERT_TRUE(made->binds_at(1, 4));
    }
    queue().submit(work.list);
    EXPECT_EQ(read_words(*b), (std::vector<uint32_t>{4320, 50000}));
    if (!there) continue;
    ListBuilder odd;
    odd.dispatch(*made, 1, {{b.get(), 2, 4}, whole(*a), whole(*a)}, {1, 1, 1});
    refused([&] { queue().submit(odd.list); },
            AllOf(HasSubstr("the offset (2) of buffer 0"), HasSubstr("\"sum\""), HasSubstr("a multiple of 4")));
  }
}

TEST_F(VulkanLimits, WithoutAddressesLongBuffersAreRefused) {
  Overrides wishes;
  wishes.buffer_addresses = false;
  open(wishes);
  const uint64_t range = device().info().max_storage_buffer_range;
  const auto module = compile(ir::parse_text(sum_of(1)));
  EXPECT_FALSE(module->binds_any_size());
  const auto large = memory(range + 16);
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*large)}, {1, 1, 1});
  refused([&] { queue().submit(work.list); }, AllOf(HasSubstr("\"sum\""), HasSubstr(std::to_string(range + 16)),
                                                    HasSubstr(fmt::format("at most {}.", range))));
}

TEST_F(VulkanLimits, ValuesThatFitInNoBlockAreRefused) {
  const uint64_t limit = device().info().max_uniform_buffer_range;
  if (limit > 1 << 20) GTEST_SKIP() << "the limit is " << limit;
  const ir::Kernel kernel = ir::parse_text(fmt::format(R"(kernel "large"
argument 0 buffer u32 "data"
argument 1 constant [u32 x {}] "table"
{{
  %0: uniform u32 = index @1, u32 3
  %1: u32 = load %0
  %2: storage u32 = index @0, u32 0
  store %2, %1
}}
)",
                                                       limit / 4 + 1));
  refused([&] { compile(kernel); }, AllOf(HasSubstr("\"large\""), HasSubstr(std::to_string(kernel.values.total_size)),
                                          HasSubstr(std::to_string(limit))));
}

TEST_F(VulkanLimits, PushConstantsOfASourceAreRefused) {
  const uint32_t limit = device().info().max_push_constant_size;
  refused([&] { glsl("#version 450\nvoid main() {}\n", 0, limit + 4); },
          AllOf(HasSubstr("test kernel"), HasSubstr(std::to_string(limit + 4)), HasSubstr(std::to_string(limit))));
}

TEST_F(VulkanLimits, SharedMemoryIsRefused) {
  const uint32_t limit = device().info().max_shared_memory_size;
  ir::Kernel kernel = ir::parse_text(sum_of(1));
  kernel.shared_size = limit + 4;
  refused([&] { compile(kernel); },
          AllOf(HasSubstr("\"sum\""), HasSubstr(std::to_string(limit + 4)), HasSubstr(std::to_string(limit))));
}

TEST_F(VulkanLimits, WorkgroupsAreRefusedByAxisAndInAll) {
  const auto& info = device().info();
  const ir::Kernel kernel = ir::parse_text(sum_of(1));
  for (size_t axis = 0; axis < 3; ++axis) {
    std::array<uint32_t, 3> local{1, 1, 1};
    local[axis] = info.max_workgroup_size[axis] + 1;
    refused([&] { compile(kernel, local); },
            AllOf(HasSubstr("\"sum\""), HasSubstr(fmt::format("{} on axis {}", local[axis], "xyz"[axis])),
                  HasSubstr(fmt::format("allows {}.", info.max_workgroup_size[axis]))));
  }
  const uint32_t half = info.max_workgroup_invocations / 2;
  refused(
      [&] {
        compile(kernel, {half, 2, 2});
      },
      AllOf(HasSubstr(fmt::format("{} invocations", half * 4)),
            HasSubstr(fmt::format("allows {}.", info.max_workgroup_invocations))));
}

TEST_F(VulkanLimits, WorkgroupsOfASourceAreRefusedToo) {
  const auto& info = device().info();
  const auto text = [](uint32_t x, uint32_t y) {
    return fmt::format("#version 450\nlayout(local_size_x = {}, local_size_y = {}) in;\nvoid main() {{}}\n", x, y);
  };
  const uint32_t half = info.max_workgroup_invocations / 2;
  refused([&] { glsl(text(half, 4), 0); },
          AllOf(HasSubstr("test kernel"), HasSubstr(fmt::format("{} invocations", half * 4)),
                HasSubstr(std::to_string(info.max_workgroup_invocations))));
  glsl(text(half, 2), 0);
  // Past what glslang itself lets through, as SPIR-V from elsewhere may be.
  auto words_of = codegen::compile_glsl(text(3, 5), "small");
  for (auto& word : words_of)
    if (word == 3 && *(&word + 1) == 5) word = info.max_workgroup_size[0] + 1;
  backends::SourceText source;
  source.language = VD_LANGUAGE_SPIRV;
  source.text.assign(reinterpret_cast<const char*>(words_of.data()), words_of.size() * 4);
  backends::ModuleDesc desc;
  desc.label = "foreign";
  desc.source = &source;
  refused([&] { device().make_module(desc); },
          AllOf(HasSubstr("foreign"), HasSubstr(fmt::format("{} on axis x", info.max_workgroup_size[0] + 1))));
  // The constant of gl_WorkGroupSize has the last word.
  words_of = codegen::compile_glsl(text(3, 5), "small");
  for (size_t at = 0; at + 3 < words_of.size(); ++at)
    if (words_of[at] == (4u << 16 | 43u) && words_of[at + 3] == 5) words_of[at + 3] = info.max_workgroup_size[1] + 7;
  source.text.assign(reinterpret_cast<const char*>(words_of.data()), words_of.size() * 4);
  refused([&] { device().make_module(desc); },
          AllOf(HasSubstr("foreign"), HasSubstr(fmt::format("{} on axis y", info.max_workgroup_size[1] + 7))));
  source.entry = "elsewhere";
  refused([&] { device().make_module(desc); }, AllOf(HasSubstr("foreign"), HasSubstr("\"elsewhere\"")), VD_ERR_COMPILE);
}

TEST_F(VulkanLimits, TooManyWorkgroupsAreRefused) {
  const auto& info = device().info();
  const auto module = affine();
  const auto buffer = words({1});
  for (size_t axis = 0; axis < 3; ++axis) {
    const uint32_t limit = info.max_workgroup_count[axis];
    if (limit == UINT32_MAX) continue;
    ListBuilder work;
    work.dispatch(*module, 1, {whole(*buffer)}, {1, 1, 1});
    work.list.commands.back().workgroups[axis] = limit + 1;
    refused([&] { queue().submit(work.list); },
            AllOf(HasSubstr("test kernel"), HasSubstr(fmt::format("{} workgroups on axis {}", limit + 1, "xyz"[axis])),
                  HasSubstr(fmt::format("allows {}.", limit))));
    refused([&] { device().make_executable(work.list); }, HasSubstr("test kernel"));
  }
  EXPECT_EQ(read_words(*buffer)[0], 1u);
}

TEST(VulkanSpirv, FindsAnEntryPointInWhateverComes) {
  const auto words = codegen::compile_glsl(
      "#version 450\nlayout(local_size_x = 3, local_size_y = 5, local_size_z = 7) in;\nvoid main() {}\n", "sizes");
  const codegen::SpirvEntry entry = codegen::find_entry(words, "main");
  EXPECT_TRUE(entry.found && entry.fixed);
  EXPECT_EQ(entry.workgroup_size, (std::array<uint32_t, 3>{3, 5, 7}));
  EXPECT_FALSE(codegen::find_entry(words, "mai").found);
  EXPECT_FALSE(codegen::find_entry(words, "main2").found);
  const auto user = codegen::compile_glsl(
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 2) buffer X { uint x[]; };\n"
      "layout(set = 0, binding = 3) buffer Y { uint y[]; };\n"
      "layout(push_constant) uniform Values { uint a, b, c; };\nvoid main() { x[a] = b; }\n",
      "uses");
  const codegen::SpirvUses uses = codegen::find_uses(user, "main");
  ASSERT_EQ(uses.bindings.size(), 2u);
  EXPECT_EQ(uses.bindings[0].binding, 2u);
  EXPECT_EQ(uses.bindings[0].kind, VD_BINDING_STORAGE_BUFFER);
  EXPECT_TRUE(uses.bindings[0].used);
  EXPECT_FALSE(uses.bindings[1].used) << "declared alone";
  EXPECT_EQ(uses.last_push_constant().name, "b");
  EXPECT_EQ(uses.last_push_constant().end(), 8u);
  // Cut anywhere, and with any word spoilt, it ends and reads nothing past the end.
  for (size_t size = 5; size < words.size(); ++size)
    (void)codegen::find_entry(std::vector<uint32_t>(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(size)),
                              "main");
  for (size_t size = 5; size < user.size(); ++size)
    (void)codegen::find_uses(std::vector<uint32_t>(user.begin(), user.begin() + static_cast<std::ptrdiff_t>(size)),
                             "main");
  for (size_t at = 5; at < user.size(); ++at) {
    auto spoilt = user;
    for (const uint32_t word : {0xffffffffu, 0u}) {
      spoilt[at] = word;
      (void)codegen::find_entry(spoilt, "main");
      (void)codegen::find_uses(spoilt, "main");
    }
  }
}

TEST(VulkanSpirv, NamesTheCapabilityThatADeviceLacks) {
  const auto words = codegen::compile_glsl(
      "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\nlayout(local_size_x = 1) in;\n"
      "layout(set = 0, binding = 0) buffer X { int64_t x[]; };\nvoid main() { x[0] = int64_t(double(x[1])); }\n",
      "wide");
  Features features;
  EXPECT_NE(missing_capability(words, features, 0), "");
  features.base.features.shaderInt64 = VK_TRUE;
  EXPECT_EQ(missing_capability(words, features, 0), "Float64");
  features.base.features.shaderFloat64 = VK_TRUE;
  EXPECT_EQ(missing_capability(words, features, 0), "");
  EXPECT_EQ(missing_capability(std::span(words).first(5), features, 0), "");
}

TEST(VulkanSpirv, NamesTheSubgroupOperationThatADeviceLacks) {
  const auto words = codegen::compile_glsl(
      "#version 450\n#extension GL_KHR_shader_subgroup_clustered : require\nlayout(local_size_x = 1) in;\n"
      "layout(set = 0, binding = 0) buffer X { uint x[]; };\nvoid main() { x[0] = subgroupClusteredAdd(x[1], 2); }\n",
      "clustered");
  const Features features;
  constexpr VkSubgroupFeatureFlags kWithout = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
  EXPECT_EQ(missing_capability(words, features, 0), "GroupNonUniform");
  EXPECT_EQ(missing_capability(words, features, kWithout), "GroupNonUniformClustered");
  EXPECT_EQ(missing_capability(words, features, kWithout | VK_SUBGROUP_FEATURE_CLUSTERED_BIT), "");
}

TEST(VulkanSpirv, SeesWhereAPushConstantEnds) {
  const auto end_of = [](const std::string& members, const std::string& use) {
    const auto words = codegen::compile_glsl(
        "#version 450\n#extension GL_EXT_scalar_block_layout : require\nlayout(local_size_x = 1) in;\n"
        "struct Pair { float a; ivec2 b; };\nlayout(set = 0, binding = 0) buffer X { float x[]; };\n"
        "layout(push_constant, scalar) uniform Values { " +
            members + " } v;\nfloat away() { return " + use + "; }\nvoid main() { x[0] = away(); }\n",
        "push");
    const codegen::SpirvPushConstant last = codegen::find_uses(words, "main").last_push_constant();
    return fmt::format("{} {}+{}", last.name, last.offset, last.size);
  };
  EXPECT_EQ(end_of("float s; ivec4 t;", "v.s"), "s 0+4");
  EXPECT_EQ(end_of("float s; ivec4 t;", "float(v.t.x)"), "t 4+16");
  EXPECT_EQ(end_of("float s; vec3 t[3]; float u;", "v.t[1].y"), "t 4+36");
  EXPECT_EQ(end_of("mat3x2 m;", "v.m[0].x"), "m 0+24");
  EXPECT_EQ(end_of("layout(row_major) mat3x2 m[2];", "v.m[0][0].x"), "m 0+48");
  EXPECT_EQ(end_of("float s; Pair p[2];", "v.p[0].a"), "p[0].a 4+4");
  EXPECT_EQ(end_of("float s; Pair p[2];", "v.p[int(x[1])].a"), "p[1].b 20+8");
  EXPECT_EQ(end_of("layout(offset = 8) ivec4 t;", "float(v.t.x)"), "t 8+16");
}

}  // namespace
}  // namespace vd::vulkan
