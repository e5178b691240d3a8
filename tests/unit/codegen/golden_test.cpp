// Printed source against golden files, tests/kernels/golden/<case>.<language>. `--update` rewrites them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "codegen/glslang.h"
#include "codegen/print.h"
#include "core/error.h"
#include "ir/image_block.h"
#include "ir/passes/exact_samples.h"
#include "ir/passes/lower_images.h"
#include "ir/text.h"
#include "support/same_order.h"
#include "unit/codegen/kernels.h"

namespace vd::test {
namespace {

std::filesystem::path golden_folder() {
  const char* data = std::getenv("VD_TEST_DATA");
  return std::filesystem::path(data ? data : "tests") / "kernels" / "golden";
}

void expect_golden(const std::string& text, const std::string& file) {
  const auto path = golden_folder() / file;
  if (std::getenv("VD_UPDATE")) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return;
  }
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  std::stringstream golden;
  golden << in.rdbuf();
  // The order in which C++ evaluates arguments is the compiler's, and so is that of values emitted in them. The files
  // are GCC's.
  if (kSameOrder) {
    EXPECT_EQ(golden.str(), text) << path << " differs; --update rewrites it";
  } else {
    EXPECT_GT(golden.str().size(), text.size() / 2);
    EXPECT_LT(golden.str().size(), text.size() * 2);
  }
}

void expect_valid(const std::vector<uint32_t>& words) {
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
  std::string messages;
  tools.SetMessageConsumer(
      [&](spv_message_level_t, const char*, const spv_position_t&, const char* message) { messages += message; });
  spvtools::ValidatorOptions options;
  options.SetScalarBlockLayout(true);
  EXPECT_TRUE(tools.Validate(words.data(), words.size(), options)) << messages;
}

class Golden : public testing::TestWithParam<Case> {};

TEST_P(Golden, GlslIsAsReviewedAndCompiles) {
  const ir::Kernel kernel = GetParam().make();
  const codegen::Source source = codegen::print(kernel, VD_LANGUAGE_GLSL);
  expect_golden(source.text, GetParam().name + ".glsl");
  expect_valid(codegen::compile_glsl(source.text, kernel.name));
}

TEST(Glsl, SubgroupsOf32BitsWhereADeviceHasNoOthers) {
  for (const Case& c : kernel_cases()) {
    if (c.name != "subgroup_types") continue;
    const ir::Kernel kernel = c.make();
    codegen::Options options;
    options.subgroup_extended_types = false;
    const codegen::Source source = codegen::print(kernel, VD_LANGUAGE_GLSL, options);
    EXPECT_EQ(source.text.find("subgroup_extended_types"), std::string::npos) << source.text;
    expect_valid(codegen::compile_glsl(source.text, kernel.name));
  }
}

TEST(Glsl, FloatAtomicsByCompareAndSwapWhereADeviceHasNoOthers) {
  for (const Case& c : kernel_cases()) {
    if (c.name != "wide_atomics") continue;
    const ir::Kernel kernel = c.make();
    codegen::Options options;
    options.features &= ~(uint64_t{VD_FEATURE_F32_ATOMICS} | VD_FEATURE_F32_ATOMIC_ADD | VD_FEATURE_F64_ATOMIC_ADD);
    const codegen::Source source = codegen::print(kernel, VD_LANGUAGE_GLSL, options);
    EXPECT_EQ(source.text.find("GL_EXT_shader_atomic_float"), std::string::npos) << source.text;
    EXPECT_NE(source.text.find("atomicCompSwap"), std::string::npos) << source.text;
    expect_valid(codegen::compile_glsl(source.text, kernel.name));
  }
}

TEST(Glsl, WhatAtomicsOfF64HaveNoFormNamesOpAndLine) {
  Draft d;
  d.kernel.locations.push_back({"app.py", "step", 12});
  const ir::ValueId x = d.shared(ir::kF64, 4, "x");
  const ir::ValueId place = d.e.index(x, d.u(1));
  d.e.location = static_cast<uint32_t>(d.kernel.locations.size() - 1);
  d.e.emit(VD_OP_ATOMIC_MIN, ir::Type(), {place, d.e.constant(ir::kF64, 2)});
  const ir::Kernel kernel = d.take();
  try {
    codegen::print(kernel, VD_LANGUAGE_GLSL);
    FAIL() << "printed";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_UNSUPPORTED);
    EXPECT_THAT(error.what(), testing::HasSubstr("atomic_min of f64 in a shared array at app.py:12 is not"));
  }
  EXPECT_NO_THROW(codegen::print(kernel, VD_LANGUAGE_CUDA));
  EXPECT_NO_THROW(codegen::print(kernel, VD_LANGUAGE_OPENCL));
}

TEST_P(Golden, IrIsAsReviewed) {
  const ir::Kernel kernel = GetParam().make();
  expect_golden(ir::print_text(kernel, 0), GetParam().name + ".ir");
}

TEST_P(Golden, CudaIsAsReviewed) {
  const ir::Kernel kernel = GetParam().make();
  expect_golden(codegen::print(kernel, VD_LANGUAGE_CUDA).text, GetParam().name + ".cu");
}

TEST_P(Golden, OpenClIsAsReviewed) {
  const ir::Kernel kernel = GetParam().make();
  expect_golden(codegen::print(kernel, VD_LANGUAGE_OPENCL).text, GetParam().name + ".cl");
}

class GoldenImages : public testing::TestWithParam<Case> {};

TEST_P(GoldenImages, GlslIsAsReviewedAndCompiles) {
  const ir::Kernel kernel = GetParam().make();
  const codegen::Source source = codegen::print(kernel, VD_LANGUAGE_GLSL);
  expect_golden(source.text, GetParam().name + ".glsl");
  expect_valid(codegen::compile_glsl(source.text, kernel.name));
}

TEST_P(GoldenImages, CudaIsAsReviewed) {
  const ir::Kernel kernel = GetParam().make();
  expect_golden(codegen::print(kernel, VD_LANGUAGE_CUDA).text, GetParam().name + ".cu");
}

namespace {

ir::Kernel sampling_kernel(ir::Units units) {
  Draft d;
  const ir::ValueId layers = d.image(ir::Type::image(ir::Scalar::F32, 2, true), "layers");
  const ir::ValueId line = d.image(ir::Type::image(ir::Scalar::I32, 1, false), "line");
  const ir::ValueId out = d.buffer(ir::Type::vector(ir::Scalar::F32, 4), "out");
  const ir::ValueId x = d.e.convert(ir::kF32, d.gid());
  const ir::ValueId place = d.e.construct(ir::Type::vector(ir::Scalar::F32, 3), {x, x, d.e.constant(ir::kF32, 1)});
  const ir::ValueId whole = d.e.emit(VD_OP_IMAGE_SAMPLE, line, x);
  d.set(out, d.gid(),
        d.e.add(d.e.emit(VD_OP_IMAGE_SAMPLE, layers, place), d.e.convert(ir::Type::vector(ir::Scalar::F32, 4), whole)));
  ir::Kernel kernel = d.take();
  EXPECT_TRUE(ir::may_be_all_units(kernel));
  ir::lower_images(kernel, units);
  return kernel;
}

}  // namespace

// Images in buffers with copies that units of the device sample, which no other language has.
TEST(GoldenUnits, OpenClIsAsReviewed) {
  const ir::Kernel kernel = sampling_kernel(ir::Units::Some);
  expect_golden(codegen::print(kernel, VD_LANGUAGE_OPENCL).text, "images_units.cl");
  EXPECT_THROW(codegen::print(kernel, VD_LANGUAGE_CUDA), Error);
  EXPECT_THROW(codegen::print(kernel, VD_LANGUAGE_GLSL), Error);
  // Code that a launch does not run costs it registers.
  expect_golden(codegen::print(sampling_kernel(ir::Units::All), VD_LANGUAGE_OPENCL).text, "images_units_alone.cl");
}

// Without branches the device begins many samples before it waits for one.
TEST(GoldenUnits, OfOneKindSampleWithoutBranches) {
  const std::string nearest = codegen::print(sampling_kernel(ir::Units::AllNearest), VD_LANGUAGE_OPENCL).text;
  EXPECT_EQ(nearest.find("if ("), std::string::npos) << nearest;
  expect_golden(nearest, "images_units_nearest.cl");
  Draft d;
  const ir::ValueId plane = d.image(ir::Type::image(ir::Scalar::F32, 2, false), "plane");
  const ir::ValueId out = d.buffer(ir::Type::vector(ir::Scalar::F32, 4), "out");
  const ir::ValueId x = d.e.convert(ir::kF32, d.gid());
  d.set(out, d.gid(), d.e.emit(VD_OP_IMAGE_SAMPLE, plane, d.e.construct(ir::Type::vector(ir::Scalar::F32, 2), {x, x})));
  ir::Kernel kernel = d.take();
  ir::lower_images(kernel, ir::Units::AllLinear);
  const std::string linear = codegen::print(kernel, VD_LANGUAGE_OPENCL).text;
  EXPECT_EQ(linear.find("if ("), std::string::npos) << linear;
  expect_golden(linear, "images_units_linear.cl");
}

// Places without a level, one of them a whole number, and with one.
TEST(GoldenUnits, SampleTheNearestTexelExactly) {
  Draft d;
  const ir::ValueId layers = d.image(ir::Type::image(ir::Scalar::F32, 2, true), "layers");
  const ir::ValueId line = d.image(ir::Type::image(ir::Scalar::I32, 1, false), "line");
  const ir::ValueId out = d.buffer(ir::Type::vector(ir::Scalar::F32, 4), "out");
  const ir::ValueId x = d.e.mul(d.e.convert(ir::kF32, d.gid()), d.e.constant(ir::kF32, 0.5));
  const ir::ValueId whole_x = d.e.convert(ir::kF32, d.gid());
  const ir::ValueId place =
      d.e.construct(ir::Type::vector(ir::Scalar::F32, 3), {x, whole_x, d.e.constant(ir::kF32, 1)});
  const ir::ValueId whole = d.e.emit(VD_OP_IMAGE_SAMPLE, line, x, x);
  d.set(out, d.gid(),
        d.e.add(d.e.emit(VD_OP_IMAGE_SAMPLE, layers, place), d.e.convert(ir::Type::vector(ir::Scalar::F32, 4), whole)));
  ir::Kernel kernel = d.take();
  ir::exact_samples(kernel);
  const codegen::Source source = codegen::print(kernel, VD_LANGUAGE_GLSL);
  expect_golden(source.text, "images_exact.glsl");
  expect_valid(codegen::compile_glsl(source.text, kernel.name));
  expect_golden(codegen::print(kernel, VD_LANGUAGE_CUDA).text, "images_exact.cu");
}

TEST(GoldenUnits, AreOfTheKindThatAllImagesShare) {
  using ir::Units, ir::units_for;
  constexpr uint32_t kNearest = ir::kByUnit | ir::kNearestWithoutLevel, kLinear = ir::kByUnit | ir::kLinearByUnit;
  EXPECT_EQ(units_for(ir::kNearestWithoutLevel | ir::kEdgesRepeat), Units::Some);
  EXPECT_EQ(units_for(ir::kByUnit), Units::Some);
  EXPECT_EQ(units_for(kNearest), Units::All);
  EXPECT_EQ(units_for(kNearest | ir::kEdgesRepeat), Units::AllNearest);
  EXPECT_EQ(units_for(kLinear), Units::AllLinear);
  EXPECT_EQ(units_for(Units::AllLinear, Units::AllLinear), Units::AllLinear);
  EXPECT_EQ(units_for(Units::AllLinear, Units::AllNearest), Units::All);
  EXPECT_EQ(units_for(Units::All, Units::AllNearest), Units::All);
  EXPECT_EQ(units_for(Units::AllNearest, Units::Some), Units::Some);
}

TEST(GoldenUnits, AreNotAloneWhereALevelIsAskedFor) {
  Draft d;
  const ir::ValueId line = d.image(ir::Type::image(ir::Scalar::F32, 1, false), "line");
  const ir::ValueId out = d.buffer(ir::Type::vector(ir::Scalar::F32, 4), "out");
  const ir::ValueId x = d.e.convert(ir::kF32, d.gid());
  d.set(out, d.gid(), d.e.emit(VD_OP_IMAGE_SAMPLE, line, x, d.e.constant(ir::kF32, 1)));
  EXPECT_FALSE(ir::may_be_all_units(d.take()));
}

INSTANTIATE_TEST_SUITE_P(Kernels, GoldenImages, testing::ValuesIn(image_cases()),
                         [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Kernels, Golden, testing::ValuesIn(kernel_cases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vd::test
