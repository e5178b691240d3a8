#include "runtime/plan.h"

#include <gmock/gmock.h>

#include <cstring>
#include <thread>

#include "core/error.h"
#include "runtime/launch.h"
#include "unit/runtime/fake_backend.h"

namespace {

using namespace vd;
using fake::error_of;
using fake::World;
using testing::HasSubstr;

struct PlanTest : testing::Test {
  World world;
  Ref<vd_context> ctx = fake::make_context(world);
  Ref<vd_kernel> kernel = fake::mix_kernel();
  Ref<vd_plan> make(std::array<uint32_t, 3> workgroup_size = {}) {
    return vd_plan::create(*ctx, {kernel.get(), nullptr, workgroup_size, 0, {}});
  }
  Ref<vd_buffer> buffer(uint64_t size) {
    vd_buffer::Desc desc;
    desc.size = size;
    desc.label = "x";
    return vd_buffer::create(*ctx, desc);
  }
};

TEST_F(PlanTest, EqualKernelsShareAModule) {
  auto a = make(), b = make();
  EXPECT_EQ(world.modules_made, 1);
  auto c = make({64, 1, 1});
  EXPECT_EQ(world.modules_made, 2);
  a = b = c = nullptr;
  make();  // the last ones are kept
  EXPECT_EQ(world.modules_made, 2);
}

// The library's own kernels may be in a graph that the program captured, for which it keeps no plan.
TEST_F(PlanTest, KernelsOfTheLibraryStay) {
  constexpr uint32_t kMany = 100;  // more than are kept
  const auto make_many = [&](bool own) {
    for (uint32_t i = 0; i < kMany; ++i) {
      const Ref<vd_kernel> one = make_ref<vd_kernel>(kernel->code, hash_text(fmt::format("own {}", i)));
      vd_plan::Desc desc;
      desc.kernel = one.get();
      desc.own = own;
      vd_plan::create(*ctx, desc);
    }
  };
  make_many(false);
  EXPECT_LT(world.modules.size(), kMany);
  make_many(true);
  EXPECT_EQ(world.modules.size(), kMany);
  ctx = nullptr;
  EXPECT_TRUE(world.modules.empty());
}

TEST_F(PlanTest, ManyThreadsCompileOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { make(); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(world.modules_made, 1);
}

TEST_F(PlanTest, LocalSizeIsTheKernelsElseTheWishElseTheLibrarys) {
  EXPECT_EQ(make()->workgroup_size(), (std::array<uint32_t, 3>{128, 1, 1}));
  EXPECT_EQ(make({16, 2, 0})->workgroup_size(), (std::array<uint32_t, 3>{16, 2, 1}));
  EXPECT_EQ(error_of(VD_ERR_INVALID,
                     [&] {
                       make({16, 16, 1});
                     }),
            "desc->workgroup_size (16, 16, 1) has 256 invocations, which is more than device \"fake\" takes (128)");
  EXPECT_EQ(error_of(VD_ERR_INVALID,
                     [&] {
                       make({1, 1, 200});
                     }),
            "desc->workgroup_size[2] (200) is more than device \"fake\" takes (128)");
  ir::Kernel code = kernel->code;
  code.attributes.workgroup_size = {8, 0, 0};
  kernel = make_ref<vd_kernel>(code, hash_text("fixed"));
  EXPECT_EQ(make()->workgroup_size(), (std::array<uint32_t, 3>{8, 1, 1}));
  EXPECT_EQ(make({8, 1, 1})->workgroup_size(), (std::array<uint32_t, 3>{8, 1, 1}));
  EXPECT_THAT(error_of(VD_ERR_INVALID, [&] { make({16, 1, 1}); }), HasSubstr("fixes (8, 1, 1)"));
}

TEST_F(PlanTest, RequirementsNameKernelOpLineAndDevice) {
  fake::ContextOptions options;
  options.info.features &= ~uint64_t{VD_FEATURE_F64};
  ctx = fake::make_context(world, options);
  ir::Kernel code = kernel->code;
  code.requirements = VD_FEATURE_F64;
  kernel = make_ref<vd_kernel>(code, hash_text("f64"));
  EXPECT_EQ(
      error_of(VD_ERR_UNSUPPORTED, [&] { make(); }),
      "kernel \"mix\" needs 64-bit floats, which device \"fake\" does not have; do without, or take another device "
      "(vdlist --all --verbose shows what each has)");
  code.locations.push_back({"app.py", "step", 12});
  const ir::ValueId zero = code.add(VD_OP_ZERO, ir::kF64, {});
  const ir::ValueId operands[1] = {zero};
  code.regions[code.body].insts.push_back(code.add(VD_OP_NEG, ir::kF64, operands, 0, 1));
  kernel = make_ref<vd_kernel>(code, hash_text("f64 op"));
  EXPECT_THAT(error_of(VD_ERR_UNSUPPORTED, [&] { make(); }),
              HasSubstr("kernel \"mix\" needs 64-bit floats for op \"neg\" at app.py:12 in step, which device \"fake\" "
                        "does not have; do without"));
}

TEST_F(PlanTest, WhatElementsOfABufferNeedNamesTheArgument) {
  fake::ContextOptions options;
  options.info.features &= ~uint64_t{VD_FEATURE_STORAGE_8};
  ctx = fake::make_context(world, options);
  ir::Kernel code = kernel->code;
  code.requirements = VD_FEATURE_STORAGE_8;
  code.arguments.back().type = ir::Type(ir::Scalar::U8);
  code.arguments.back().kind = VD_ARGUMENT_BUFFER;
  code.arguments.back().name = "photo";
  code.arguments.back().use = VD_ARGUMENT_ACCESS_READ;
  kernel = make_ref<vd_kernel>(code, hash_text("bytes"));
  EXPECT_THAT(
      error_of(VD_ERR_UNSUPPORTED, [&] { make(); }),
      HasSubstr("kernel \"mix\" needs 8-bit elements in buffers for argument \"photo\", which device \"fake\" does "
                "not have; do without"));
}

TEST_F(PlanTest, SharedMemoryHasALimit) {
  ir::Kernel code = kernel->code;
  code.shared_size = 5000;
  kernel = make_ref<vd_kernel>(code, hash_text("shared"));
  EXPECT_EQ(
      error_of(VD_ERR_UNSUPPORTED, [&] { make(); }),
      "kernel \"mix\" needs 5000 bytes of shared memory, device \"fake\" has 4096; make its shared arrays smaller");
}

TEST_F(PlanTest, CompileErrorLeavesTheContextHealthy) {
  auto unknown = fake::make_kernel("unknown", {});
  error_of(VD_ERR_COMPILE, [&] { vd_plan::create(*ctx, {unknown.get(), nullptr, {}, 0, {}}); });
  EXPECT_EQ(make()->name(), "mix");
}

TEST_F(PlanTest, ExtentsAreChecked) {
  auto plan = make({32, 1, 1});
  const auto extent = [&](std::array<uint32_t, 3> invocations, std::array<uint32_t, 3> workgroups) {
    return runtime::extent_of(*plan, invocations.data(), workgroups.data());
  };
  EXPECT_EQ(extent({33, 2, 0}, {}).workgroups, (std::array<uint32_t, 3>{2, 2, 1}));
  EXPECT_EQ(extent({33, 2, 0}, {}).invocations, (std::array<uint32_t, 3>{33, 2, 1}));
  EXPECT_EQ(extent({}, {2, 3, 0}).invocations, (std::array<uint32_t, 3>{64, 3, 1}));
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { extent({}, {}); }), "desc->invocations (0, 0, 0) is zero on the first axis");
  EXPECT_EQ(error_of(VD_ERR_INVALID,
                     [&] {
                       extent({}, {0, 1, 0});
                     }),
            "desc->workgroups (0, 1, 0) is zero on the first axis");
  EXPECT_THAT(error_of(VD_ERR_INVALID, [&] { extent({1, 1, 1}, {1, 1, 1}); }), HasSubstr("both"));
  EXPECT_EQ(error_of(VD_ERR_INVALID,
                     [&] {
                       extent({}, {1, 1001, 1});
                     }),
            "desc->workgroups[1] (1001) is more than device \"fake\" takes (1000)");
  EXPECT_EQ(
      error_of(VD_ERR_INVALID,
               [&] {
                 extent({32001, 1, 1}, {});
               }),
      "desc->invocations[0] (32001) makes 1001 workgroups of 32, which is more than device \"fake\" takes (1000)");
}

TEST_F(PlanTest, BindingsAreChecked) {
  auto plan = make();
  auto x = buffer(300);
  const uint32_t value = 7;
  const auto bind = [&](uint64_t offset, uint64_t size) {
    return fake::mix_arguments(*plan, {{x.get()}, {x.get(), offset, size}}, value).bounds()[1].size;
  };
  const auto bind_first = [&](const runtime::Bound& bound) { fake::mix_arguments(*plan, {bound, {x.get()}}, value); };
  EXPECT_EQ(bind(0, VD_WHOLE_SIZE), 300u);
  EXPECT_EQ(bind(4, VD_WHOLE_SIZE), 296u);
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { bind(2, 4); }),
            "argument 1 (\"a1\") of \"mix\": offset (2) is not a multiple of 4");
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { bind(256, 64); }),
            "argument 1 (\"a1\") of \"mix\": offset (256) + size (64) is past the end of buffer \"x\" (300)");
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { bind(300, VD_WHOLE_SIZE); }),
            "argument 1 (\"a1\") of \"mix\": offset (300) is the end of buffer \"x\"");
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { bind(4, 0); }),
            "argument 1 (\"a1\") of \"mix\": size (0) is empty; VD_WHOLE_SIZE is to the end of buffer \"x\"");
  error_of(VD_ERR_INVALID, [&] { bind(304, VD_WHOLE_SIZE); });
  error_of(VD_ERR_INVALID, [&] { bind(~uint64_t{3}, 8); });
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { bind_first({}); }), "argument 0 (\"a0\") of \"mix\" has no buffer");
  auto other = fake::make_context(world);
  std::swap(ctx, other);
  auto foreign = buffer(300);
  EXPECT_THAT(error_of(VD_ERR_INVALID, [&] { bind_first({foreign.get()}); }), HasSubstr("another context"));
  auto big = [&] {
    std::swap(ctx, other);
    return buffer(1 << 17);
  }();
  EXPECT_NO_THROW(bind_first({big.get()})) << "longer than the device binds: the launch takes a range of it";
  const auto give = [&](uint32_t binding_count, uint32_t values_size) {
    constexpr uint32_t one[3] = {1, 1, 1}, none[3] = {};
    runtime::Arguments(*plan, one, none, &value, values_size, binding_count,
                       [&](uint32_t) { return runtime::Bound{x.get()}; });
  };
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { give(1, 4); }),
            "desc->binding_count (1) is not the number of buffer and image arguments of \"mix\" (2)");
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { give(2, 0); }),
            "desc->values_size (0) is not the size of the values of \"mix\" (4)");
}

TEST_F(PlanTest, OffsetsKeepToTheDevicesAlignment) {
  world.offset_alignment = 64;
  auto plan = make();
  auto x = buffer(300);
  const uint32_t value = 7;
  const auto bind = [&](vd_buffer& to, uint64_t offset) {
    fake::mix_arguments(*plan, {{x.get()}, {&to, offset}}, value);
  };
  bind(*x, 128);
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { bind(*x, 4); }),
            "argument 1 (\"a1\") of \"mix\": offset (4) is not a multiple of 64, as device \"fake\" needs");
  auto slice = x->slice(16, 256);
  bind(*slice, 48);
  EXPECT_EQ(error_of(VD_ERR_INVALID, [&] { bind(*slice, 64); }),
            "argument 1 (\"a1\") of \"mix\": offset (64) in a slice from byte 16 on is not a multiple of 64, as device "
            "\"fake\" needs");
}

TEST_F(PlanTest, VectorsOf3AlignToTheirScalar) {
  const auto align = [&](ir::Type type) {
    auto k = fake::make_kernel("mix", {{VD_ARGUMENT_BUFFER, type, VD_ARGUMENT_ACCESS_READ}});
    return vd_plan::create(*ctx, {k.get(), nullptr, {}, 0, {}})->bindings()[0].align;
  };
  EXPECT_EQ(align(ir::Type::vector(ir::Scalar::F32, 3)), 4u);
  EXPECT_EQ(align(ir::Type::vector(ir::Scalar::F32, 2)), 8u);
  EXPECT_EQ(align(ir::Type::vector(ir::Scalar::F32, 4)), 16u);
  EXPECT_EQ(align(ir::Type::vector(ir::Scalar::F64, 4)), 16u);
  EXPECT_EQ(align(ir::Type(ir::Scalar::U8)), 1u);
}

TEST_F(PlanTest, ShapesFollowTheValues) {
  auto k = fake::make_kernel("mix", {{VD_ARGUMENT_BUFFER, ir::kU32, VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_SHAPE},
                                     {VD_ARGUMENT_CONSTANT, ir::kU32, VD_ARGUMENT_ACCESS_READ}});
  auto plan = vd_plan::create(*ctx, {k.get(), nullptr, {}, 0, {}});
  vd_buffer::Desc desc;
  desc.size = 4 * 6;
  desc.shape = {2, 3};
  auto shaped = vd_buffer::create(*ctx, desc);
  const auto shape = [&](vd_buffer& b, uint64_t offset) {
    constexpr uint32_t one[3] = {1, 1, 1}, none[3] = {};
    const uint32_t value = 77;
    const runtime::Arguments arguments(*plan, one, none, &value, sizeof(value), 1, [&](uint32_t) {
      return runtime::Bound{&b, offset};
    });
    std::vector<std::byte> block;
    runtime::append_values(*plan, arguments.extent(), &value, arguments.bounds(), block);
    std::vector<int32_t> words(block.size() / 4);
    std::memcpy(words.data(), block.data(), block.size());
    return words;
  };
  EXPECT_EQ(shape(*shaped, 0), (std::vector<int32_t>{77, 2, 3, 1, 6}));
  EXPECT_EQ(shape(*shaped, 4), (std::vector<int32_t>{77, 5, 1, 1, 5}));
  EXPECT_EQ(shape(*buffer(64), 0), (std::vector<int32_t>{77, 16, 1, 1, 16}));
}

TEST_F(PlanTest, SourcePlansTakeGroups) {
  fake::ContextOptions options;
  options.bodies["text"] = [](const auto&, auto) {};
  ctx = fake::make_context(world, options);
  backends::SourceText source{VD_LANGUAGE_GLSL, "text", "main", {1, 1}, 8};
  auto plan = vd_plan::create(*ctx, {nullptr, &source, {}, 0, "raw"});
  EXPECT_EQ(plan->bindings().size(), 2u);
  EXPECT_EQ(plan->values_size(), 8u);
  EXPECT_EQ(plan->name(), "raw");
  source.bindings = {VD_BINDING_STORAGE_BUFFER, VD_BINDING_UNIFORM_BUFFER};
  plan = vd_plan::create(*ctx, {nullptr, &source, {}, 0, {}});
  EXPECT_FALSE(plan->bindings()[0].uniform);
  EXPECT_TRUE(plan->bindings()[1].uniform);
  EXPECT_FALSE(plan->bindings()[1].write);
  source.bindings = {VD_BINDING_STORAGE_BUFFER, VD_BINDING_SAMPLED_IMAGE};
  EXPECT_THAT(error_of(VD_ERR_UNSUPPORTED,
                       [&] {
                         vd_plan::create(*ctx, {nullptr, &source, {}, 0, {}});
                       }),
              HasSubstr("binding_kinds[1] (5) is an image"));
}

TEST_F(PlanTest, SourceMayFixItsSize) {
  fake::ContextOptions options;
  options.bodies["workgroups of 32"] = options.bodies["any"] = [](const auto&, auto) {};
  ctx = fake::make_context(world, options);
  const auto size = [&](const char* text, std::array<uint32_t, 3> told) {
    const backends::SourceText source{VD_LANGUAGE_GLSL, text, "main", {1}, 0};
    return vd_plan::create(*ctx, {nullptr, &source, told, 0, "mine"})->workgroup_size();
  };
  using Size = std::array<uint32_t, 3>;
  EXPECT_EQ(size("any", {}), (Size{1, 1, 1}));
  EXPECT_EQ(size("any", {16, 0, 0}), (Size{16, 1, 1}));
  EXPECT_EQ(size("workgroups of 32", {}), (Size{32, 1, 1}));
  EXPECT_EQ(size("workgroups of 32", {32, 0, 0}), (Size{32, 1, 1}));
  EXPECT_THAT(error_of(VD_ERR_INVALID,
                       [&] {
                         size("workgroups of 32", {64, 1, 1});
                       }),
              HasSubstr("desc->workgroup_size (64, 1, 1) of plan \"mine\" is not what its source fixes (32, 1, 1)"));
}

}  // namespace
