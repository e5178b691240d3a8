#include <fstream>

#include "ir/text.h"
#include "unit/opencl/fixture.h"

namespace vd::opencl {
namespace {

constexpr const char* kDouble = R"(
__kernel __attribute__((reqd_work_group_size(4, 1, 1))) void vkdispatch_main(__global uint* x) {
  x[get_global_id(0)] *= 2;
})";

constexpr const char* kScale = R"(kernel "scale" no_exec_bounds
argument 0 buffer u32 "x"
argument 1 constant u32 "factor"
argument 2 constant f64 "unused"
{
  %0: u32 = index global_id, u32 0
  %1: storage u32 = index @0, %0
  %2: u32 = load %1
  %3: u32 = load @1
  %4: u32 = mul %2, %3
  store %1, %4
  return
}
)";

class OpenClModule : public OpenClTest {
 protected:
  std::shared_ptr<backends::Module> kernel(const std::string& text, std::array<uint32_t, 3> workgroup_size) {
    const ir::Kernel kernel = ir::parse_text(text);
    backends::ModuleDesc desc;
    desc.kernel = &kernel;
    desc.workgroup_size = workgroup_size;
    return device().make_module(desc);
  }
  // One launch of a group on `buffer`.
  std::vector<uint32_t> run(backends::Module& module, backends::Memory& buffer, const backends::Range& range,
                            const std::vector<uint32_t>& values = {}) {
    ListBuilder work;
    work.dispatch(module, 1, {range}, values);
    queue().submit(work.list);
    return read_words(buffer);
  }
};

TEST_F(OpenClModule, TakesAUsersSource) {
  const auto module = source(kDouble, 1);
  EXPECT_EQ(module->source(), kDouble);
  const auto buffer = words({1, 2, 3, 4});
  EXPECT_EQ(run(*module, *buffer, whole(*buffer)), (std::vector<uint32_t>{2, 4, 6, 8}));
}

TEST_F(OpenClModule, AKernelWithoutOffsetsSeesASubBuffer) {
  const auto module = source(kDouble, 1);
  const uint64_t step = device().context().physical.sub_buffer_alignment;
  const auto buffer = words(std::vector<uint32_t>(step / 4 + 4, 3));
  const auto got = run(*module, *buffer, {buffer.get(), step, 16});
  EXPECT_EQ(got[step / 4 - 1], 3u);
  EXPECT_EQ(got[step / 4], 6u);
  ListBuilder unaligned;
  unaligned.dispatch(*module, 1, {{buffer.get(), 4, 16}}, {});
  expect_error([&] { queue().submit(unaligned.list); }, VD_ERR_UNSUPPORTED, "the offset (4) of buffer 0");
}

TEST_F(OpenClModule, AKernelWithOffsetsSeesAnyPart) {
  const auto module = affine();
  const auto buffer = words({1, 1, 1, 1});
  EXPECT_EQ(run(*module, *buffer, {buffer.get(), 4, 8}, {2, 5, 1}), (std::vector<uint32_t>{1, 6, 6, 1}));
}

// Memory of the same address as the last one's is not the same memory.
TEST_F(OpenClModule, NewMemoryIsNotTakenForOld) {
  const auto module = affine();
  for (uint32_t i = 0; i < 50; ++i) {
    const auto buffer = words({i});
    ASSERT_EQ(run(*module, *buffer, whole(*buffer), {1, 2, 1})[0], 2 * i + 1);
  }
}

TEST_F(OpenClModule, RefusesArgumentsThatDoNotFit) {
  expect_error([&] { source(kDouble, 2); }, VD_ERR_INVALID, "has 1 arguments; 2 buffers make 2, or 4 with offsets");
  expect_error([&] { source(kDouble, 1, 4); }, VD_ERR_INVALID, "1 buffers and a block of values make 2");
  backends::SourceText text;
  text.language = VD_LANGUAGE_CUDA;
  text.text = kDouble;
  backends::ModuleDesc desc;
  desc.source = &text;
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED,
               "OpenCL takes OpenCL C; plan \"kernel\" is in CUDA C++.");
  text.language = VD_LANGUAGE_OPENCL;
  text.bindings = {1};
  text.entry = "other";
  expect_error([&] { device().make_module(desc); }, VD_ERR_COMPILE, "has no kernel \"other\"");
}

// The runtime compares it with the caller's size, and takes it if the caller gave none.
TEST_F(OpenClModule, SaysWhichSizeASourceFixes) {
  backends::SourceText text;
  text.language = VD_LANGUAGE_OPENCL;
  text.text = kDouble;
  text.bindings = {1};
  backends::ModuleDesc desc;
  desc.source = &text;
  desc.workgroup_size = {1, 1, 1};
  const auto module = device().make_module(desc);
  EXPECT_EQ(module->fixed_size(), (std::array<uint32_t, 3>{4, 1, 1}));
  const auto buffer = words({1, 2, 3, 4});
  EXPECT_EQ(run(*module, *buffer, whole(*buffer)), (std::vector<uint32_t>{2, 4, 6, 8}));
  EXPECT_EQ(source("__kernel void vkdispatch_main(__global uint* x) { x[0] += 1; }", 1)->fixed_size(),
            (std::array<uint32_t, 3>{}));
  EXPECT_EQ(kernel(kScale, {8, 1, 1})->fixed_size(), (std::array<uint32_t, 3>{}));
}

TEST_F(OpenClModule, AParameterThatALaunchCannotGiveIsNamed) {
  const auto refused = [&](const std::string& parameters, uint32_t buffers, uint32_t values, const char* why) {
    SCOPED_TRACE(parameters);
    const std::string text =
        "typedef struct { uint n; } Values; __kernel void vkdispatch_main(" + parameters + ") { x[0] = 1; }";
    expect_error([&] { source(text, buffers, values); }, VD_ERR_INVALID, why);
  };
  refused(
      "__global uint* x, __local uint* y", 2, 0,
      "argument 1 of kernel \"vkdispatch_main\" of plan \"test kernel\" cannot take buffer 1, which a launch gives: "
      "it is a pointer to __local memory");
  refused("__global uint* x, __local uint* y", 1, 0,
          "cannot take the offset of buffer 0, a ulong, which a launch gives");
  refused(
      "__global uint* x, __global uint* y", 1, 0,
      "it is a pointer to __global or __constant memory; two arguments for each binding are a buffer and its offset");
  refused("__global uint* x, read_only image2d_t y", 2, 0, "it is an image");
  refused("__global uint* x, sampler_t y", 1, 4,
          "argument 1 of kernel \"vkdispatch_main\" of plan \"test kernel\" cannot "
          "take 4 bytes of values, which a launch gives: it is a sampler");
  refused("__global uint* x, Values y", 2, 0, "cannot take buffer 1, which a launch gives: it is a value");
  refused("__global uint* x, uint y", 1, 0,
          "cannot take the offset of buffer 0, a ulong, which a launch gives: "
          "clSetKernelArg failed with CL_INVALID_ARG_SIZE for 8 bytes");
  refused("__global uint* x, uint y", 1, 400, "cannot take 400 bytes of values");
  EXPECT_NE(source("__kernel void vkdispatch_main(__global uint* x, ulong at, __constant uint* y, ulong by, uint n) {}",
                   2, 4),
            nullptr);
}

TEST_F(OpenClModule, ASourceThatDoesNotCompileIsShown) {
  expect_error([&] { source("__kernel void vkdispatch_main(__global uint* x) { x[0] = nothing; }", 1); },
               VD_ERR_COMPILE, "clBuildProgram failed with CL_BUILD_PROGRAM_FAILURE for kernel \"test kernel\"");
  expect_error([&] { source("__kernel void vkdispatch_main(__global uint* x) { x[0] = nothing; }", 1); },
               VD_ERR_COMPILE, "nothing");
}

TEST(OpenClLog, NamesTheUsersPlace) {
  const PlaceOfLine place = [](uint32_t line) { return line == 7 ? std::string(" (blur.py:31)") : std::string(); };
  EXPECT_EQ(annotate_log("error: /tmp/x.cl:7:30: use of y\n", place), "error: /tmp/x.cl:7:30: use of y (blur.py:31)");
  EXPECT_EQ(annotate_log("<kernel>:7:5: warning\n<kernel>:8:1: note", place),
            "<kernel>:7:5: warning (blur.py:31)\n<kernel>:8:1: note");
  EXPECT_EQ(annotate_log("2 errors generated: 7", place), "2 errors generated: 7");
  EXPECT_EQ(annotate_log("", place), "");
  EXPECT_LT(annotate_log(std::string(100'000, '\n'), place).size(), 5000u);
}

TEST_F(OpenClModule, ValuesTravelAsAParameterOrByPointer) {
  for (const uint32_t limit : {0u, 8u}) {
    std::string reason;
    Overrides wishes;
    wishes.value_limit = limit;
    device_ = open_fresh(wishes, "", reason);
    const auto module = kernel(kScale, {4, 1, 1});
    EXPECT_EQ(module->source().find("__constant Block_values*") != std::string::npos, limit != 0);
    const auto buffer = words({1, 2, 3, 4});
    EXPECT_EQ(run(*module, *buffer, whole(*buffer), {3, 0, 0, 0}), (std::vector<uint32_t>{3, 6, 9, 12}));
    EXPECT_EQ(run(*module, *buffer, whole(*buffer), {2, 0, 0, 0}), (std::vector<uint32_t>{6, 12, 18, 24}));
  }
}

TEST_F(OpenClModule, KeepsProgramsOnDisk) {
  const ScratchFolder folder;
  std::string reason;
  Overrides wishes;
  wishes.keeps_programs = true;
  for (int turn = 0; turn < 3; ++turn) {
    device_ = open_fresh(wishes, folder.path(), reason);
    const auto module = kernel(kScale, {4, 1, 1});
    EXPECT_EQ(module->from_cache(), turn == 1) << turn;
    const auto again = kernel(kScale, {4, 1, 1});  // the same program, not compiled anew
    EXPECT_EQ(device().compile_counts().compiled, turn == 1 ? 0u : 1u) << turn;
    EXPECT_EQ(device().compile_counts().cached, turn == 1 ? 1u : 0u) << turn;
    const auto buffer = words({1, 2, 3, 4});
    EXPECT_EQ(run(*module, *buffer, whole(*buffer), {3, 0, 0, 0}), (std::vector<uint32_t>{3, 6, 9, 12}));
    ASSERT_FALSE(folder.files().empty());
    // A damaged binary is compiled again.
    if (turn == 1)
      for (const auto& file : folder.files()) std::ofstream(file, std::ios::app) << "x";
  }
}

TEST_F(OpenClModule, KeepsNoProgramsWhereNoneAreWanted) {
  const ScratchFolder folder;
  std::string reason;
  Overrides wishes;
  wishes.keeps_programs = false;
  for (int turn = 0; turn < 2; ++turn) {
    device_ = open_fresh(wishes, folder.path(), reason);
    EXPECT_FALSE(kernel(kScale, {4, 1, 1})->from_cache());
    EXPECT_EQ(device().compile_counts().compiled, 1u);
    EXPECT_TRUE(folder.files().empty());
  }
}

TEST_F(OpenClModule, OptionsArePartOfWhatIsCompiled) {
  std::string reason;
  Overrides wishes;
  wishes.build_options = "-DFACTOR=7";
  device_ = open_fresh(wishes, "", reason);
  const auto module = source("__kernel void vkdispatch_main(__global uint* x) { x[0] *= FACTOR; }", 1);
  const auto buffer = words({6});
  EXPECT_EQ(run(*module, *buffer, whole(*buffer))[0], 42u);
  wishes.build_options = "--no-such-option";
  device_ = open_fresh(wishes, "", reason);
  expect_error([&] { source(kDouble, 1); }, VD_ERR_COMPILE, "--no-such-option");
}

TEST_F(OpenClModule, RefusesWhatTheDeviceCannotRun) {
  const auto& info = device().info();
  ir::Kernel large = ir::parse_text(kScale);
  large.shared_size = info.max_shared_memory_size + 1;
  backends::ModuleDesc desc;
  desc.kernel = &large;
  desc.workgroup_size = {1, 1, 1};
  expect_error([&] { device().make_module(desc); }, VD_ERR_UNSUPPORTED, "bytes of shared memory; a workgroup has");
  expect_error([&] { kernel(kScale, {info.max_workgroup_size[0] + 1, 1, 1}); }, VD_ERR_UNSUPPORTED, "on axis x");
  expect_error(
      [&] {
        kernel(kScale, {info.max_workgroup_invocations, 2, 1});
      },
      VD_ERR_UNSUPPORTED, "invocations in a workgroup");
}

TEST_F(OpenClModule, ShowsItsNativeHandles) {
  uint64_t handle = 0;
  EXPECT_TRUE(device().native("cl_context", handle));
  EXPECT_NE(handle, 0u);
  EXPECT_TRUE(device().native("cl_device_id", handle));
  EXPECT_TRUE(device().queue(0).native("cl_command_queue", handle));
  EXPECT_FALSE(device().queue(0).native("VkQueue", handle));
  EXPECT_FALSE(device().native("VkDevice", handle));
  const auto buffer = memory(16);
  EXPECT_TRUE(buffer->native("cl_mem", handle));
  EXPECT_NE(handle, 0u);
  EXPECT_FALSE(buffer->native("VkBuffer", handle));
}

}  // namespace
}  // namespace vd::opencl
