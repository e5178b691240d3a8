// Printed sources, built by the driver as OpenCL C 1.2 and as 3.0. Many drivers that have 3.0, PoCL among them, report
// 1.2 as CL_DEVICE_OPENCL_C_VERSION: so the version that a device takes by default says nothing about the other.
#include <cstring>

#include "ir/text.h"
#include "unit/fft/support.h"
#include "unit/opencl/fixture.h"

namespace vd::opencl {
namespace {

class OpenClLanguage : public OpenClTest, public testing::WithParamInterface<uint32_t> {
 protected:
  void SetUp() override {
    std::string reason;
    Overrides wishes;
    wishes.native_subgroups = false;
    device_ = open_fresh(wishes, "", reason, 1, GetParam());
    if (!device_) GTEST_SKIP() << "no OpenCL device: " << reason;
    if (GetParam() >= 300 && device().info().api_version[1] < 3) GTEST_SKIP() << "the driver has no OpenCL 3.0";
  }
  std::shared_ptr<backends::Module> kernel(const std::string& text, uint32_t workgroup_size) {
    const ir::Kernel code = ir::parse_text(text);
    backends::ModuleDesc desc;
    desc.kernel = &code;
    desc.workgroup_size = {workgroup_size, 1, 1};
    return device().make_module(desc);
  }
  void run(backends::Module& module, uint32_t workgroups, const std::vector<backends::Range>& ranges,
           const std::vector<uint32_t>& values = {}) {
    ListBuilder work;
    work.dispatch(module, workgroups, ranges, values);
    queue().submit(work.list);
  }
};

TEST_P(OpenClLanguage, IsTheOneThatIsAskedFor) {
  const std::string option = GetParam() >= 300 ? "with \"-cl-std=CL3.0" : "with \"-cl-std=CL1.2";
  expect_error([&] { source("nonsense", 0); }, VD_ERR_COMPILE, option);
  const auto version = source(
      "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void vkdispatch_main(__global uint* x) "
      "{ x[0] = __OPENCL_C_VERSION__; }",
      1);
  const auto buffer = words({0});
  run(*version, 1, {whole(*buffer)});
  EXPECT_EQ(read_words(*buffer)[0], GetParam() >= 300 ? 300u : 120u);
}

TEST_P(OpenClLanguage, Atomics) {
  const auto module = kernel(R"(kernel "atomics" no_exec_bounds
argument 0 buffer u32 "x"
argument 1 buffer i32 "y"
shared 0 u32 x 1 "count"
{
  %0: u32 = index local_id, u32 0
  %1: shared u32 = index #0, u32 0
  %2: bool = eq %0, u32 0
  if %2 {
    store %1, u32 0
  }
  barrier
  %3: u32 = atomic_add %1, u32 2
  barrier
  %4: u32 = load %1
  %5: storage u32 = index @0, u32 0
  %6: u32 = atomic_add %5, u32 3
  %7: storage u32 = index @0, u32 1
  %8: u32 = atomic_max %7, %4
  %9: storage i32 = index @1, u32 0
  %10: i32 = atomic_min %9, i32 -4
}
)",
                             16);
  const auto unsigned_words = words({1, 0}), signed_words = words({5});
  run(*module, 2, {whole(*unsigned_words), whole(*signed_words)});
  EXPECT_EQ(read_words(*unsigned_words), (std::vector<uint32_t>{1 + 32 * 3, 32}));
  EXPECT_EQ(read_words(*signed_words)[0], static_cast<uint32_t>(-4));
}

TEST_P(OpenClLanguage, EmulatedSubgroups) {
  const auto module = kernel(R"(kernel "subgroups" no_exec_bounds
argument 0 buffer u32 "x"
{
  %0: u32 = index global_id, u32 0
  %1: storage u32 = index @0, %0
  %2: u32 = load %1
  %3: u32 = subgroup_add %2
  %4: u32 = subgroup_shuffle_xor %2, u32 1
  %5: u32 = mul %4, u32 1000
  %6: u32 = add %3, %5
  store %1, %6
}
)",
                             64);
  std::vector<uint32_t> values(64);
  for (uint32_t i = 0; i < 64; ++i) values[i] = i % 7;
  const auto buffer = words(values);
  run(*module, 1, {whole(*buffer)});
  const std::vector<uint32_t> got = read_words(*buffer);
  const uint32_t lanes = device().info().subgroup_size;
  for (uint32_t i = 0; i < 64; ++i) {
    uint32_t sum = 0;
    for (uint32_t j = i / lanes * lanes; j < std::min(64U, (i / lanes + 1) * lanes); ++j) sum += values[j];
    ASSERT_EQ(got[i], sum + 1000 * values[i ^ 1]) << i;
  }
}

TEST_P(OpenClLanguage, Halves) {
  const auto text = R"(kernel "halves" no_exec_bounds
argument 0 buffer f16 "x"
{
  %0: u32 = index global_id, u32 0
  %1: storage f16 = index @0, %0
  %2: f16 = load %1
  %3: f16 = mul %2, f16 3.0
  store %1, %3
}
)";
  if ((device().info().features & VD_FEATURE_F16) == 0) {
    expect_error([&] { kernel(text, 2); }, VD_ERR_UNSUPPORTED, "16-bit floats");
    return;
  }
  const auto buffer = words({0x40003c00});  // 1 and 2
  run(*kernel(text, 2), 1, {whole(*buffer)});
  EXPECT_EQ(read_words(*buffer)[0], 0x46004200u);  // 3 and 6
}

TEST_P(OpenClLanguage, ATransform) {
  constexpr uint64_t kSize = 60, kLines = 3;
  fft::Limits limits;
  limits.shared_bytes = device().info().max_shared_memory_size;
  limits.invocations = device().info().max_workgroup_invocations;
  const fft::Program program = fft::make_program(fft::test::lines(kSize, kLines), limits);
  const std::vector<fft::test::Exact> data = fft::test::random_values(kSize * kLines, 7);
  const std::vector<float> flat = fft::test::flat<float>(data);
  const auto memory_of = [&](const void* values, size_t bytes) {
    auto made = memory(std::max<size_t>(bytes, 16));
    if (bytes != 0) test::write(queue(), {made.get(), 0, bytes}, values);
    return made;
  };
  const auto buffer = memory_of(flat.data(), flat.size() * sizeof(float));
  const std::vector<std::byte>& numbers = program.constants->parts.at(0).bytes;
  const auto constants = memory_of(numbers.data(), numbers.size());
  const auto workspace = memory(std::max<uint64_t>(program.workspace_size, 16));
  std::vector<std::shared_ptr<backends::Module>> modules;
  for (const fft::Pass& pass : program.passes) {
    modules.push_back(
        device().make_module({&pass.kernel->code, nullptr, pass.kernel->code.attributes.workgroup_size, "fft"}));
    std::vector<backends::Range> ranges{whole(*buffer)};
    if (pass.workspace) ranges.push_back(whole(*workspace));
    ranges.push_back(whole(*constants));
    ASSERT_EQ(pass.layout.workgroups[1] * pass.layout.workgroups[2], 1u);
    std::vector<uint32_t> values(pass.values.size() / sizeof(uint32_t));
    if (!values.empty()) std::memcpy(values.data(), pass.values.data(), pass.values.size());
    run(*modules.back(), pass.layout.workgroups[0], ranges, values);
  }
  std::vector<float> got(flat.size());
  queue().read({buffer.get(), 0, got.size() * sizeof(float)}, got.data());
  const std::vector<fft::test::Exact> result = fft::test::unflat(got);
  for (size_t line = 0; line < kLines; ++line) {
    const auto first = static_cast<std::ptrdiff_t>(line * kSize), end = first + static_cast<std::ptrdiff_t>(kSize);
    const std::vector<fft::test::Exact> want = fft::test::exact_dft({data.begin() + first, data.begin() + end}, -1);
    EXPECT_LE(fft::test::distance({result.begin() + first, result.begin() + end}, want),
              fft::test::bound(kSize, ir::Scalar::F32));
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, OpenClLanguage, testing::Values(102, 300),
                         [](const auto& made) { return std::string(made.param == 102 ? "C12" : "C30"); });

}  // namespace
}  // namespace vd::opencl
