#include <fstream>

#include "codegen/glslang.h"
#include "support/scratch_folder.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

constexpr const char* kDouble = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
void main() { x[gl_GlobalInvocationID.x] *= 2u; }
)";

class VulkanModule : public VulkanTest {
 protected:
  void expect_error(const std::function<void()>& body, vd_status status, const std::string& part) {
    try {
      body();
      ADD_FAILURE() << "nothing was thrown; expected: " << part;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), status) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
};

TEST_F(VulkanModule, RunsGlslAndSpirv) {
  const auto from_glsl = glsl(kDouble, 1);
  EXPECT_EQ(from_glsl->source(), kDouble);
  EXPECT_EQ(from_glsl->fixed_size(), (std::array<uint32_t, 3>{64, 1, 1}));
  const auto words_of = codegen::compile_glsl(kDouble, "double");
  backends::SourceText source;
  source.language = VD_LANGUAGE_SPIRV;
  source.text.assign(reinterpret_cast<const char*>(words_of.data()), words_of.size() * 4);
  source.bindings = {1};
  backends::ModuleDesc desc;
  desc.source = &source;
  const auto from_spirv = device().make_module(desc);
  const auto buffer = words(std::vector<uint32_t>(64, 3));
  ListBuilder work;
  work.level(0).dispatch(*from_glsl, 1, {whole(*buffer)}, {});
  work.level(1).dispatch(*from_spirv, 1, {whole(*buffer)}, {});
  queue().submit(work.list);
  EXPECT_EQ(read_words(*buffer), std::vector<uint32_t>(64, 12));
}

TEST_F(VulkanModule, GivesTheCompilersLog) {
  expect_error([&] { glsl("#version 450\nvoid main() { nonsense; }\n", 0); }, VD_ERR_COMPILE, "nonsense");
  expect_error([&] { glsl("#version 450\nvoid main() { nonsense; }\n", 0); }, VD_ERR_COMPILE, "test kernel");
}

TEST_F(VulkanModule, RefusesWhatItCannotTake) {
  backends::SourceText source;
  backends::ModuleDesc desc;
  desc.label = "mine";
  expect_error([&] { device().make_module(desc); }, VD_ERR_INVALID, "neither kernel nor source");
  desc.source = &source;
  source.language = VD_LANGUAGE_CUDA;
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED,
               "takes GLSL and SPIR-V; plan \"mine\" is in CUDA C++.");
  source.language = VD_LANGUAGE_SPIRV;
  source.text = "not SPIR-V at all, but long enough";
  expect_error([&] { device().make_module(desc); }, VD_ERR_COMPILE, "is not a SPIR-V module");
  source.language = VD_LANGUAGE_GLSL;
  source.text = kDouble;
  source.bindings = {70};
  expect_error([&] { device().make_module(desc); }, VD_ERR_INVALID, "binding kind (70) of plan \"mine\"");
  source.bindings = {1};
  source.values_size = 1 << 20;
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED, "1048576");
}

// A driver crashes on the one that it takes, and the validator of SPIR-V lets both pass.
TEST_F(VulkanModule, RefusesAVariableThatIsPlacedTwice) {
  constexpr uint32_t kDecorate = 4u << 16 | 71, kSet = 34;
  auto words = codegen::compile_glsl(kDouble, "double");
  size_t at = 5;
  while (words[at] != kDecorate || words[at + 2] != kSet) at += words[at] >> 16;
  const std::vector<uint32_t> again{kDecorate, words[at + 1], kSet, 3};
  for (const size_t place : {at, at + 4}) {
    auto twice = words;
    twice.insert(twice.begin() + static_cast<ptrdiff_t>(place), again.begin(), again.end());
    backends::SourceText source;
    source.language = VD_LANGUAGE_SPIRV;
    source.text.assign(reinterpret_cast<const char*>(twice.data()), twice.size() * 4);
    source.bindings = {1};
    backends::ModuleDesc desc;
    desc.source = &source;
    expect_error([&] { device().make_module(desc); }, VD_ERR_INVALID, "uses set 3 (binding 0)");
  }
}

// A driver crashes on an input that nothing places, and the validator of SPIR-V lets it pass.
TEST_F(VulkanModule, RefusesAnInputThatIsNoBuiltInValue) {
  constexpr uint32_t kDecorate = 4u << 16 | 71, kBuiltIn = 11;
  auto words = codegen::compile_glsl(kDouble, "double");
  size_t at = 5;
  while (words[at] != kDecorate || words[at + 2] != kBuiltIn) at += words[at] >> 16;
  const uint32_t id = words[at + 1];
  words.erase(words.begin() + static_cast<ptrdiff_t>(at), words.begin() + static_cast<ptrdiff_t>(at + 4));
  backends::SourceText source;
  source.language = VD_LANGUAGE_SPIRV;
  source.text.assign(reinterpret_cast<const char*>(words.data()), words.size() * 4);
  source.bindings = {1};
  backends::ModuleDesc desc;
  desc.source = &source;
  expect_error([&] { device().make_module(desc); }, VD_ERR_COMPILE,
               fmt::format("has an input or output (id {}) that is not a built-in value", id));
}

// Drivers let these pass and crash.
TEST_F(VulkanModule, RefusesSourceThatUsesMoreThanIsTold) {
  const auto text = [](const std::string& declaration, const std::string& body) {
    return "#version 450\nlayout(local_size_x = 64) in;\n" + declaration + "\nvoid main() { " + body + "; }\n";
  };
  const auto refused = [&](const std::string& source, uint32_t buffers, vd_status status, const std::string& part) {
    expect_error([&] { glsl(source, buffers, 4); }, status, part);
  };
  const std::string two = text("layout(set = 0, binding = 1) buffer X { uint x[]; };", "x[0] = 1");
  refused(two, 1, VD_ERR_INVALID,
          "the source of plan \"test kernel\" uses binding 1, which is not below binding_count (1).");
  EXPECT_NE(glsl(two, 2, 4), nullptr);
  refused(text("layout(set = 1, binding = 0) buffer X { uint x[]; };", "x[0] = 1"), 1, VD_ERR_INVALID,
          "uses set 1 (binding 0)");
  refused(
      text("layout(set = 0, binding = 0) uniform U { uint u; };\nlayout(set = 0, binding = 1) buffer X { uint x[]; };",
           "x[0] = u"),
      2, VD_ERR_INVALID,
      "binding_kinds[0] (1) is a storage buffer, and the source of plan \"test kernel\" has a uniform block (3) "
      "there.");
  refused(
      text("layout(set = 0, binding = 0) uniform sampler2D s;\nlayout(set = 0, binding = 1) buffer X { vec4 x[]; };",
           "x[0] = textureLod(s, vec2(0), 0)"),
      2, VD_ERR_INVALID, "has an image with its sampler (5) there");
  const std::string pushed =
      "layout(push_constant) uniform V { uint a, b; };\nlayout(set = 0, binding = 0) buffer X { uint x[]; };";
  refused(text(pushed, "x[0] = b"), 1, VD_ERR_INVALID,
          "uses push constant \"b\" at offset (4) with size (4), past values_size (4).");
  refused(text("layout(push_constant) uniform V { ivec4 a; };\nlayout(set = 0, binding = 0) buffer X { uint x[]; };",
               "x[0] = a.x"),
          1, VD_ERR_INVALID, "uses push constant \"a\" at offset (0) with size (16), past values_size (4).");
  EXPECT_NE(glsl(text(pushed, "x[0] = a"), 1, 4), nullptr);
}

TEST_F(VulkanModule, RefusesMacrosThatExpandWithoutEnd) {
  std::string text = "#version 450\n#define B0 x[0] = 1;\n";
  for (int i = 1; i <= 30; ++i) text += fmt::format("#define B{} B{} B{}\n", i, i - 1, i - 1);
  text += "layout(binding = 0) buffer X { int x[]; };\nvoid main() { B30 }\n";
  expect_error([&] { glsl(text, 1); }, VD_ERR_COMPILE, "macro \"B30\" in line 34 takes the text past 1048576 tokens");
}

TEST_F(VulkanModule, ComesFromTheDiskCacheInASecondProcess) {
  const test::ScratchFolder folder;
  std::string reason;
  {
    device_ = open_fresh({}, folder.path(), reason);
    const auto first = glsl(kDouble, 1);
    EXPECT_FALSE(first->from_cache());
    EXPECT_FALSE(glsl(kDouble, 1)->from_cache()) << "from memory, while the first is there";
    EXPECT_EQ(device().compile_counts().compiled, 1u);
    EXPECT_EQ(device().compile_counts().cached, 0u);
  }
  // A second device knows nothing of the first but what is on disk.
  device_ = open_fresh({}, folder.path(), reason);
  EXPECT_TRUE(glsl(kDouble, 1)->from_cache());
  EXPECT_EQ(device().compile_counts().compiled, 0u);
  EXPECT_EQ(device().compile_counts().cached, 1u);
  EXPECT_GE(folder.files().size(), 1u);
}

PFN_vkCreatePipelineLayout driver_layout = nullptr;
uint32_t layouts = 0;
VKAPI_ATTR VkResult VKAPI_CALL counted_layout(VkDevice device, const VkPipelineLayoutCreateInfo* info,
                                              const VkAllocationCallbacks* callbacks, VkPipelineLayout* layout) {
  ++layouts;
  return driver_layout(device, info, callbacks, layout);
}

// NVIDIA's driver takes 9 ms for its first layout: on a GPU it is made beside the queues.
TEST_F(VulkanModule, TheFirstKernelOnAGpuFindsTheDriversFirstLayout) {
  for (const bool gpu : {false, true}) {
    Overrides wishes;
    wishes.spin = gpu;
    std::string reason;
    device_ = open_fresh(wishes, "", reason);
    auto& make = const_cast<Gpu&>(device().gpu()).vk.vkCreatePipelineLayout;
    driver_layout = make;
    make = counted_layout;
    layouts = 0;
    const auto module = glsl(kDouble, 1);
    EXPECT_EQ(layouts, device().gpu().spins ? 0u : 1u);
    const auto other = accumulate();
    EXPECT_EQ(layouts, device().gpu().spins ? 1u : 2u);
    EXPECT_EQ(device().gpu().spins, gpu || device().info().type != VD_DEVICE_CPU);
  }
}

TEST_F(VulkanModule, IgnoresDamagedCacheEntries) {
  const test::ScratchFolder folder;
  std::string reason;
  device_ = open_fresh({}, folder.path(), reason);
  glsl(kDouble, 1);
  device_.reset();
  for (const auto& file : folder.files()) std::ofstream(file, std::ios::app) << "damage";
  device_ = open_fresh({}, folder.path(), reason);
  const auto module = glsl(kDouble, 1);
  EXPECT_FALSE(module->from_cache());
  const auto buffer = words(std::vector<uint32_t>(64, 5));
  ListBuilder work;
  work.dispatch(*module, 1, {whole(*buffer)}, {});
  queue().submit(work.list);
  EXPECT_EQ(read_words(*buffer)[63], 10u);
}

TEST_F(VulkanModule, OutlivesItsDevice) {
  std::string reason;
  device_ = open_fresh({}, "", reason);
  const auto module = glsl(kDouble, 1);
  const auto buffer = memory(64);
  device_.reset();
  EXPECT_EQ(module->source(), kDouble);
}

}  // namespace
}  // namespace vd::vulkan
