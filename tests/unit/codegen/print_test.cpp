// Properties of printing beyond its text: names, places, errors, depth and speed.
#include "codegen/print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "codegen/glslang.h"
#include "codegen/names.h"
#include "core/error.h"
#include "support/samples.h"
#include "unit/codegen/kernels.h"

namespace vd::test {
namespace {

using namespace ir;
using testing::HasSubstr;
using testing::Not;

constexpr vd_language kLanguages[] = {VD_LANGUAGE_GLSL, VD_LANGUAGE_CUDA, VD_LANGUAGE_OPENCL};

// A chain of `ops` operations, as an unrolled FFT has them.
Kernel long_kernel(int ops) {
  Draft d;
  const ValueId x = d.buffer(Type::complex(Scalar::F32), "x");
  Emitter& e = d.e;
  std::vector<ValueId> values;
  for (uint32_t i = 0; i < 16; ++i) {
    const ValueId v = d.get(x, e.add(d.gid(), d.u(i * 64)));
    values.push_back(e.at(v, 0));
    values.push_back(e.at(v, 1));
  }
  for (int n = 0; n + 96 <= ops; n += 64)
    for (size_t i = 0; i < 16; ++i) {
      const ValueId a = values[i], b = values[31 - i];
      values[i] = e.fma(b, e.constant(kF32, 0.7 + n), a);
      values[31 - i] = e.sub(e.mul(a, e.constant(kF32, 0.1)), b);
    }
  for (uint32_t i = 0; i < 16; ++i)
    d.set(x, e.add(d.gid(), d.u(i * 64)), e.construct(Type::complex(Scalar::F32), {values[2 * i], values[2 * i + 1]}));
  return d.take();
}

// If Hopper has an instruction for a part of the structure, CUDA's text uses it.
TEST(Print, CudaHasTheSlotsNatively) {
  Draft d;
  Emitter& e = d.e;
  d.kernel.attributes.workgroup_size = {64, 1, 1};
  d.kernel.attributes.min_workgroups = 2;
  d.kernel.attributes.cluster_size = {2, 1, 1};
  const ValueId x = d.buffer(kF32, "x"), y = d.buffer(kF32, "y"), tile = d.shared(kF32, 256, "tile");
  const ValueId at = e.mul(d.lid(), d.u(4));
  e.emit(VD_OP_ASYNC_COPY, Type(), {e.index(tile, at), e.index(x, at)}, 16);
  e.emit(VD_OP_ASYNC_COMMIT, Type(), {});
  e.emit(VD_OP_ASYNC_WAIT, Type(), {}, 0);
  e.emit(VD_OP_CLUSTER_BARRIER, Type(), {});
  const uint64_t access = VD_ACCESS_X4 | uint64_t{5} << 8;
  const ValueId four = e.load(e.index(x, at), access | VD_ACCESS_STREAMING);
  e.store(e.index(y, at), e.add(four, e.load(e.index(tile, at), access)), access | VD_ACCESS_STREAMING);
  d.set(y, d.u(0), e.convert(kF32, e.builtin(VD_BUILTIN_CLUSTER_RANK)));
  d.set(y, d.u(1), e.emit(VD_OP_CLUSTER_LOAD, Type(), {e.index(tile, at), d.u(1)}));
  const std::string text = codegen::print(d.take(), VD_LANGUAGE_CUDA).text;
  for (const char* part :
       {"__cluster_dims__(2, 1, 1) __launch_bounds__(64, 2)", "vd_async_copy<16>(&tile",
        "cp.async.cg.shared.global [%0], [%1], 16;", "cp.async.wait_group", "barrier.cluster.arrive.aligned",
        "%%cluster_ctarank", "vd_cluster_load(&tile[", "mapa.u64 %0, %1, %2;", "__ldcs((const uint4*)p)",
        "__stcs((uint4*)p", "vd_load_streaming(&*(f32x4*)&x[", "*(f32x4*)&tile["})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Print, GivesTheLocalSizeItWasAskedFor) {
  Kernel kernel = long_kernel(100);
  EXPECT_THAT(codegen::print(kernel, VD_LANGUAGE_GLSL).text, HasSubstr("local_size_x = 64, local_size_y = 1"));
  EXPECT_THAT(codegen::print(kernel, VD_LANGUAGE_OPENCL, {.workgroup_size = {8, 4, 2}}).text,
              HasSubstr("reqd_work_group_size(8, 4, 2)"));
  EXPECT_THAT(codegen::print(kernel, VD_LANGUAGE_CUDA, {.workgroup_size = {8, 4, 2}}).text,
              HasSubstr("__launch_bounds__(64)"));
  kernel.attributes.workgroup_size = {16, 1, 1};
  EXPECT_EQ(codegen::print(kernel, VD_LANGUAGE_CUDA, {.workgroup_size = {8, 4, 2}}).workgroup_size,
            (std::array<uint32_t, 3>{16, 1, 1}));
}

TEST(Print, PutsValuesThatDoNotFitIntoABlock) {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  Emitter& e = d.e;
  ValueId sum = e.constant(kF32, 0);
  for (int i = 0; i < 40; ++i) sum = e.add(sum, e.load(d.value(kF32, "k" + std::to_string(i))));
  d.set(x, d.u(0), sum);
  const Kernel kernel = d.take();
  const codegen::Source block = codegen::print(kernel, VD_LANGUAGE_GLSL);
  EXPECT_EQ(block.values, codegen::ValuePlace::UniformBlock);
  EXPECT_EQ(block.values_binding, 1u);
  EXPECT_THAT(block.text, HasSubstr("layout(set = 0, binding = 1, scalar) uniform"));
  const codegen::Source push = codegen::print(kernel, VD_LANGUAGE_GLSL, {.value_limit = 256});
  EXPECT_EQ(push.values, codegen::ValuePlace::PushConstant);
  EXPECT_EQ(codegen::print(kernel, VD_LANGUAGE_CUDA).values, codegen::ValuePlace::Parameter);
  EXPECT_EQ(codegen::print(kernel, VD_LANGUAGE_CUDA, {.value_limit = 16}).values, codegen::ValuePlace::Pointer);
}

TEST(Print, TellsEachLinesPlace) {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  d.kernel.locations.push_back({"user.py", "f", 7});
  d.e.location = 1;
  d.set(x, d.u(0), d.e.constant(kF32, 1));
  const Kernel kernel = d.take();
  for (const vd_language language : kLanguages) {
    const codegen::Source source = codegen::print(kernel, language);
    const auto lines = static_cast<size_t>(std::count(source.text.begin(), source.text.end(), '\n'));
    ASSERT_EQ(source.locations.size(), lines);
    size_t line = 0, begin = 0;
    for (; begin < source.text.size(); begin = source.text.find('\n', begin) + 1, ++line) {
      const bool stores =
          source.text.substr(begin, source.text.find('\n', begin) - begin).find("= 1.0") != std::string::npos;
      EXPECT_EQ(source.locations[line], stores ? 1u : 0u) << line;
    }
  }
}

TEST(Print, NumbersLines) {
  const std::string text = codegen::print(long_kernel(100), VD_LANGUAGE_GLSL, {.line_numbers = true}).text;
  EXPECT_TRUE(text.starts_with("   1: #version 450\n   2: "));
}

TEST(Print, SaysWhatTheLanguageLacksAndWhere) {
  Draft d;
  const ValueId x = d.buffer(kF64, "x");
  d.kernel.name = "wave";
  d.kernel.locations.push_back({"user.py", "f", 12});
  d.e.location = 1;
  d.set(x, d.u(0), d.e.emit(VD_OP_SIN, d.get(x, d.u(1))));
  const Kernel kernel = d.take();
  try {
    codegen::print(kernel, VD_LANGUAGE_GLSL);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_UNSUPPORTED);
    EXPECT_STREQ(error.what(), "kernel \"wave\": GLSL has no form of sin for f64 (user.py:12)");
  }
  EXPECT_THAT(codegen::print(kernel, VD_LANGUAGE_CUDA).text, HasSubstr("sin("));
}

TEST(Print, NestsAsDeepAsTheKernel) {
  Draft d;
  const ValueId x = d.buffer(kI32, "x");
  Emitter& e = d.e;
  const int depth = 390;  // the verifier allows 400
  for (int i = 0; i < depth; ++i)
    e.begin_if(e.emit(VD_OP_GT, d.get(x, d.u(static_cast<uint32_t>(i))), e.constant(kI32, 0)));
  d.set(x, d.u(0), e.constant(kI32, 1));
  for (int i = 0; i < depth; ++i) e.end();
  const Kernel kernel = d.take();
  EXPECT_THAT(codegen::print(kernel, VD_LANGUAGE_CUDA).text, HasSubstr("x[0u] = 1;"));
}

TEST(Print, CutsDeepExpressions) {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  Emitter& e = d.e;
  ValueId v = d.get(x, d.gid());
  for (size_t i = 0; i < vd::test::samples(30000); ++i)
    v = e.div(e.constant(kF32, static_cast<double>(i) + 2), e.add(v, e.constant(kF32, 1)));
  d.set(x, d.gid(), v);
  const Kernel kernel = d.take();
  for (const vd_language language : kLanguages) {
    const std::string text = codegen::print(kernel, language).text;
    size_t longest = 0, begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      longest = std::max(longest, end - begin);
    EXPECT_LT(longest, 400u);
  }
}

// The limits are the library's promises, with a margin for slow machines and checked builds.
TEST(Glslang, SaysWhatIsWrongWithTheSource) {
  try {
    codegen::compile_glsl("#version 450\nvoid main() { nothing(); }\n", "broken");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), VD_ERR_COMPILE);
    EXPECT_THAT(error.what(), HasSubstr("kernel \"broken\""));
    EXPECT_THAT(error.what(), HasSubstr("nothing"));
    EXPECT_THAT(error.what(), HasSubstr("   2: void main()"));
  }
}

// Every literal reads back as the bits it was printed from.
TEST(Glslang, ReadsLiteralsExactly) {
  Draft d;
  const ValueId x = d.buffer(kF32, "x");
  std::vector<uint32_t> wanted;
  uint32_t state = 7;
  for (uint32_t i = 0; i < 2000; ++i) {
    state = state * 1664525u + 1013904223u;
    const uint32_t bits = state ^ state >> 13;
    const uint32_t exponent = bits >> 23 & 255;
    if (exponent == 0 || exponent == 255) continue;  // those travel as bits
    wanted.push_back(bits);
    d.set(x, d.u(i), d.e.bits(kF32, bits));
  }
  const codegen::Source source = codegen::print(d.take(), VD_LANGUAGE_GLSL);
  const std::vector<uint32_t> words = codegen::compile_glsl(source.text, "literals");
  std::set<uint32_t> constants;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == 43 && words[at] >> 16 == 4) constants.insert(words[at + 3]);
  for (const uint32_t bits : wanted) EXPECT_TRUE(constants.contains(bits)) << std::hex << bits;
}

TEST(Names, KeepWhatIsWrittenAndNeverRepeat) {
  static constexpr const char* kReserved[] = {"float", "if"};
  codegen::Names names(kReserved);
  EXPECT_EQ(names.unique("alpha"), "alpha");
  EXPECT_EQ(names.unique("alpha"), "alpha_1");
  EXPECT_EQ(names.unique("alpha_1"), "alpha_1_1");
  EXPECT_EQ(names.unique("alpha"), "alpha_2");
  EXPECT_EQ(names.unique("if"), "if_1");
  EXPECT_EQ(names.unique("gl_x"), "u_gl_x");
  EXPECT_EQ(names.unique("vd_x"), "u_vd_x");
  EXPECT_EQ(names.unique("2 b"), "_2_b");
  EXPECT_EQ(names.unique("", "buf"), "buf0");
  EXPECT_EQ(names.unique("", "buf"), "buf1");
  EXPECT_EQ(names.temporary(), "t0");
  names.take("t1");
  EXPECT_EQ(names.temporary(), "t2");
}

}  // namespace
}  // namespace vd::test
