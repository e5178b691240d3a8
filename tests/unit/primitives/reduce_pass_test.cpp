// A reduction's kernel as source: what it says, and that every language's compiler takes it (tests/kernels has the
// others).
#include "primitives/reduce_pass.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "codegen/print.h"
#include "core/error.h"
#include "core/object.h"
#if VD_HAVE_VULKAN
#include "codegen/glslang.h"
#endif
#include "support/axes.h"

namespace vd::primitives {
namespace {

using testing::HasSubstr;
using testing::Not;

ir::Kernel write(const Reduction& reduction, const ReduceLayout& layout, ReducePass::Role role) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.flags = VD_BUILDER_NO_EXEC_BOUNDS;
  desc.name = "reduce";
  desc.workgroup_size[0] = layout.workgroup_size;
  const Ref<ir::Builder> builder = make_ref<ir::Builder>(desc);
  ReducePass pass(reduction, layout, role, *builder, nullptr);
  ReduceElement element;
  EXPECT_FALSE(pass.next(element));
  EXPECT_EQ(pass.values().size() % (layout.wide ? 8 : 4), 0u);
  return builder->finish();
}

ReduceLimits device(uint32_t subgroup, bool ticket) {
  ReduceLimits limits;
  limits.invocations = 512;
  limits.shared_bytes = 48 << 10;
  limits.subgroup = subgroup;
  limits.multiprocessors = 132;
  limits.ticket = ticket;
  return limits;
}

TEST(ReducePass, CompilesInEveryLanguage) {
  struct Case {
    std::vector<uint64_t> shape;
    uint32_t axes;
    vd_type type;
    vd_reduce_op op;
  };
  const std::vector<Case> cases{
      {{1 << 24}, 0, VD_TYPE_F32, VD_REDUCE_OP_ADD},    {{1000}, 0, VD_TYPE_I32, VD_REDUCE_OP_MIN},
      {{10, 300000}, 2, VD_TYPE_F64, VD_REDUCE_OP_MAX}, {{5000, 300}, 1, VD_TYPE_F32, VD_REDUCE_OP_MUL},
      {{7, 900, 11}, 5, VD_TYPE_U64, VD_REDUCE_OP_XOR}, {{1 << 20}, 0, VD_TYPE_COMPLEX_F32, VD_REDUCE_OP_ADD},
      {{1 << 20}, 0, VD_TYPE_F32X3, VD_REDUCE_OP_MAX},  {{1 << 16, 1 << 16}, 2, VD_TYPE_U32, VD_REDUCE_OP_ADD},
      {{1 << 20}, 0, VD_TYPE_F32M3, VD_REDUCE_OP_ADD}};
  int number = 0;
  for (const Case& c : cases) {
    for (const uint32_t subgroup : {32u, 0u}) {
      vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
      desc.rank = static_cast<uint32_t>(c.shape.size());
      std::copy(c.shape.begin(), c.shape.end(), desc.shape);
      vdtest::set_axes(desc, c.axes);
      desc.compute_type = c.type;
      desc.op = c.op;
      const Reduction reduction = read_reduction(desc);
      const ReduceLayout layout = choose_layout(reduction, device(subgroup, subgroup != 0), true);
      const bool split = layout.width > 1 && !layout.ticket;
      const ir::Kernel kernel = write(reduction, layout, split ? ReducePass::Role::First : ReducePass::Role::Whole);
      SCOPED_TRACE(layout.text());
      const std::string cuda = codegen::print(kernel, VD_LANGUAGE_CUDA).text;
      EXPECT_THAT(cuda, HasSubstr(fmt::format("__launch_bounds__({}", layout.workgroup_size)));
      const std::string opencl = subgroup == 0 ? codegen::print(kernel, VD_LANGUAGE_OPENCL).text : "";
      if (const char* folder = std::getenv("VD_REDUCE_SOURCES")) {
        const std::string path = fmt::format("{}/{}", folder, ++number);
        std::ofstream(path + ".cu") << cuda;
        if (!opencl.empty()) std::ofstream(path + ".cl") << opencl;
      }
#if VD_HAVE_VULKAN
      EXPECT_FALSE(codegen::compile_glsl(codegen::print(kernel, VD_LANGUAGE_GLSL).text, "reduce").empty());
#endif
    }
  }
}

// With columns, each invocation stores a part of its own, and one takes the ticket for all of them.
TEST(ReducePass, AllPartsAreThereBeforeTheTicketIsTaken) {
  vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
  desc.rank = 2;
  desc.shape[0] = 5000, desc.shape[1] = 300;
  vdtest::set_axes(desc, 1);
  const Reduction reduction = read_reduction(desc);
  const ReduceLayout layout = choose_layout(reduction, device(32, true), true);
  ASSERT_TRUE(layout.columns && layout.ticket) << layout.text();
  const std::string text = codegen::print(write(reduction, layout, ReducePass::Role::Whole), VD_LANGUAGE_CUDA).text;
  const size_t ticket = text.find("atomicAdd(&tickets"), written = text.rfind("&parts", ticket);
  ASSERT_TRUE(ticket != std::string::npos && written != std::string::npos) << text;
  EXPECT_THAT(text.substr(written, ticket - written), HasSubstr("__syncthreads()")) << text;
}

TEST(ReducePass, SizesAreNoPartOfTheCode) {
  vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
  desc.rank = 1;
  std::string before;
  for (const uint64_t n : {uint64_t{10000003}, uint64_t{50000000}}) {
    desc.shape[0] = n;
    const Reduction reduction = read_reduction(desc);
    const ReduceLayout layout = choose_layout(reduction, device(32, true), true);
    const std::string text = codegen::print(write(reduction, layout, ReducePass::Role::Whole), VD_LANGUAGE_CUDA).text;
    EXPECT_THAT(text, Not(HasSubstr(std::to_string(n))));
    EXPECT_TRUE(before.empty() || text == before);
    before = text;
  }
}

}  // namespace
}  // namespace vd::primitives
