// Modules of GLSL that are kept on disk from one process to the next.
#include "codegen/kept_glsl.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>

#include "codegen/glslang.h"
#include "core/platform.h"
#include "support/error_of.h"

namespace vd::codegen {
namespace {

namespace fs = std::filesystem;

const std::string kSource = "#version 450\nlayout(local_size_x = 7) in;\nvoid main() {}\n";

struct KeptGlsl : testing::Test {
  fs::path dir = fs::path(testing::TempDir()) / ("vd_glsl_" + std::to_string(platform::process_id()));
  void SetUp() override {
    if (glslang_version() == "none") GTEST_SKIP() << "a library without glslang";
    fs::remove_all(dir);
  }
  void TearDown() override { fs::remove_all(dir); }
};

TEST_F(KeptGlsl, IsCompiledOnce) {
  DiskCache disk(dir.string());
  const auto words = compile_kept_glsl(disk, kSource, "first");
  EXPECT_EQ(words, compile_glsl(kSource, "first"));
  DiskCache later(dir.string());
  EXPECT_EQ(load_spirv(later, kept_glsl_key(kSource)), words);
  // Other words in their place come back, so nothing compiles.
  auto planted = words;
  planted.back() += 1;
  later.store(kept_glsl_key(kSource), std::as_bytes(std::span(planted)));
  EXPECT_EQ(compile_kept_glsl(later, kSource, "second"), planted);
  EXPECT_EQ(compile_kept_glsl(later, kSource + "\n", "third"), words);
}

TEST_F(KeptGlsl, WhatIsNoModuleIsCompiledAnew) {
  DiskCache disk(dir.string());
  const auto words = compile_glsl(kSource, "kernel");
  const std::vector<std::vector<uint32_t>> wrong{{}, {1, 2}, {words[0], 2}, {1, 2, 3, 4, 5, 6}};
  for (const auto& planted : wrong) {
    disk.store(kept_glsl_key(kSource), std::as_bytes(std::span(planted)));
    EXPECT_EQ(load_spirv(disk, kept_glsl_key(kSource)), std::nullopt);
    EXPECT_EQ(compile_kept_glsl(disk, kSource, "kernel"), words);
  }
}

TEST_F(KeptGlsl, SourceThatDoesNotCompileIsNotKept) {
  DiskCache disk(dir.string());
  const std::string wrong = "#version 450\nvoid main() { nonsense }\n";
  for (int i = 0; i < 2; ++i)
    EXPECT_NE(test::error_of(VD_ERR_COMPILE, [&] { compile_kept_glsl(disk, wrong, "kernel"); }).find("nonsense"),
              std::string::npos);
  EXPECT_EQ(load_spirv(disk, kept_glsl_key(wrong)), std::nullopt);
}

}  // namespace
}  // namespace vd::codegen
