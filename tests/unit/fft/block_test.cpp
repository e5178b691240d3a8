// Transforms inside a caller's kernel, as code: their printed source, and the places of barriers.
#include "fft/block.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "codegen/glslang.h"
#include "codegen/print.h"

namespace vd::fft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

vd_fft_block_desc block_lines(uint64_t size, uint64_t inner = 1, vd_type type = VD_TYPE_COMPLEX_F32) {
  vd_fft_block_desc desc = VD_FFT_BLOCK_DESC_INIT;
  desc.size = size;
  desc.inner_count = inner;
  desc.outer_count = 3;
  desc.compute_type = type;
  desc.max_invocations = 1024;
  desc.max_shared_size = 48 << 10;
  return desc;
}

// A kernel that reads, has something done, and writes.
template <class Body>
ir::Kernel write(const vd_fft_block_desc& desc, Body&& body) {
  vd_builder_desc builder_desc = VD_BUILDER_DESC_INIT;
  builder_desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  const Ref<ir::Builder> builder = make_ref<ir::Builder>(builder_desc);
  const ir::Type type(desc.compute_type);
  const vd_value data = builder->argument(VD_ARGUMENT_BUFFER, type, "data");
  const Ref<vd_fft_block> block = make_ref<vd_fft_block>(*builder, desc);
  ir::KernelWriter c(*builder);
  const auto each = [&](vd_fft_access access, auto&& what) {
    for (;;) {
      vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
      block->next(access, element);
      if (element.value == 0) return;
      what(element);
    }
  };
  each(VD_FFT_ACCESS_READ, [&](auto& e) { c.store(e.value, c.load(c.at(data, e.index))); });
  body(*block, c);
  each(VD_FFT_ACCESS_WRITE, [&](auto& e) { c.store(c.at(data, e.index), c.load(e.value)); });
  return builder->finish();
}

size_t barriers(const ir::Kernel& kernel) {
  size_t count = 0;
  const std::string text = codegen::print(kernel, VD_LANGUAGE_CUDA).text;
  for (size_t at = 0; (at = text.find("__syncthreads()", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(Source, BlocksCompileAndTakeNoSineFromTheDevice) {
  int number = 0;
  for (const vd_fft_block_desc& desc :
       {block_lines(16), block_lines(1001), block_lines(4096), block_lines(96, 40), block_lines(13, 7),
        block_lines(240, 1, VD_TYPE_COMPLEX_F64), block_lines(2048, 1, VD_TYPE_COMPLEX_F64)}) {
    const ir::Kernel kernel = write(desc, [](vd_fft_block& block, ir::KernelWriter&) {
      block.execute(false);
      block.execute(true);
      block.to_shared();
      block.from_shared(VD_FFT_ORDER_OUTPUT);
    });
    const std::string cuda = codegen::print(kernel, VD_LANGUAGE_CUDA).text;
    EXPECT_THAT(cuda, Not(HasSubstr("sin")));
    EXPECT_THAT(cuda, HasSubstr(fmt::format("__launch_bounds__({}", plan_block(desc).layout.workgroup_size())));
    const std::string opencl = codegen::print(kernel, VD_LANGUAGE_OPENCL).text;
    EXPECT_FALSE(opencl.empty());
    // tests/kernels has other compilers look at them.
    if (const char* folder = std::getenv("VD_FFT_SOURCES")) {
      const std::string path = fmt::format("{}/block{}", folder, ++number);
      std::ofstream(path + ".cu") << cuda;
      std::ofstream(path + ".cl") << opencl;
    }
#if VD_HAVE_VULKAN
    EXPECT_FALSE(codegen::compile_glsl(codegen::print(kernel, VD_LANGUAGE_GLSL).text, "fft").empty());
#endif
  }
}

// With wide addresses the known part of an address is in the instruction, if the rest has 64 bits.
TEST(Block, TypesOfIndices) {
  const auto type_of_first = [](vd_backend backend, uint64_t outer) {
    vd_fft_block_desc desc = block_lines(64);
    vd_device_info device = VD_DEVICE_INFO_INIT;
    device.backend = backend;
    device.max_workgroup_invocations = device.max_workgroup_size[0] = 128;
    device.max_shared_memory_size = 16384;
    desc.device = backend != VD_BACKEND_AUTO ? &device : nullptr;
    desc.outer_count = outer;
    ir::Type type;
    write(desc, [&](vd_fft_block& block, ir::KernelWriter&) {
      vd_fft_block_assignment place = VD_FFT_BLOCK_ASSIGNMENT_INIT;
      block.get_place(place);
      type = ir::Builder::type_of(place.first);
    });
    return type;
  };
  for (const vd_backend backend : {VD_BACKEND_AUTO, VD_BACKEND_VULKAN, VD_BACKEND_OPENCL, VD_BACKEND_HOST}) {
    EXPECT_EQ(type_of_first(backend, 3), ir::kU32) << backend;
    EXPECT_EQ(type_of_first(backend, uint64_t{1} << 26), ir::kU64) << backend;
  }
  EXPECT_EQ(type_of_first(VD_BACKEND_CUDA, 3), ir::kU64);
}

// One barrier for each time that other invocations use shared memory. Values in the registers of one invocation need
// none.
TEST(Block, Barriers) {
  const vd_fft_block_desc two_stages = block_lines(64);
  ASSERT_EQ(plan_block(two_stages).layout.radices.stages.size(), 2u);
  const auto count = [](const vd_fft_block_desc& desc, auto&& body) { return barriers(write(desc, body)); };
  const auto once = [](vd_fft_block& block, ir::KernelWriter&) { block.execute(false); };
  EXPECT_EQ(count(block_lines(13), once), 0u);
  EXPECT_EQ(count(two_stages, once), 1u);
  EXPECT_EQ(
      count(two_stages, [](vd_fft_block& block, ir::KernelWriter&) { block.execute(false), block.execute(true); }), 3u);
  const auto through = [](vd_fft_block& block, ir::KernelWriter&) {
    block.to_shared(), block.sync_shared(VD_FFT_ACCESS_WRITE_SHARED), block.from_shared(VD_FFT_ORDER_OUTPUT);
    block.sync_shared(VD_FFT_ACCESS_READ);
  };
  EXPECT_EQ(count(two_stages, through), 1u);
  // In a loop the second iteration writes where the first one reads.
  const auto loop = [](auto&& body) {
    return [body](vd_fft_block& block, ir::KernelWriter& c) {
      c.emit(VD_OP_FOR, {c.index(0), c.index(2), c.index(1)});
      body(block, c);
      c.emit(VD_OP_END, {});
    };
  };
  EXPECT_EQ(count(two_stages,
                  loop([](vd_fft_block& block, ir::KernelWriter&) { block.execute(false), block.execute(true); })),
            4u);
  EXPECT_EQ(count(two_stages, loop(through)), 2u);
}

}  // namespace
}  // namespace vd::fft::test
