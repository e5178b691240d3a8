// Builders and kernels through the C API. What each op does is tested elsewhere; here it is what the calls promise.
#include <algorithm>
#include <random>

#include "api/support.h"
#include "support/argument.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string text_of(vd_kernel* kernel, vd_language language = VD_LANGUAGE_IR, vd_print_flags flags = 0) {
  vd_print_desc desc = VD_PRINT_DESC_INIT;
  desc.language = language;
  desc.flags = flags;
  api::Blob blob;
  EXPECT_OK(vd_kernel_print(kernel, &desc, blob.out()));
  uint64_t size = 0;
  const char* text = static_cast<const char*>(vd_blob_data(blob, &size));
  if (text == nullptr) return {};
  EXPECT_EQ(text[size], '\0');
  return std::string(text, size);
}

TEST(Types, HaveSizes) {
  uint32_t size = 0;
  ASSERT_OK(vd_type_get_size(VD_TYPE_F32, &size));
  EXPECT_EQ(size, 4u);
  ASSERT_OK(vd_type_get_size(VD_TYPE_F32X3, &size));
  EXPECT_EQ(size, 12u);
  ASSERT_OK(vd_type_get_size(VD_TYPE_COMPLEX_F64, &size));
  EXPECT_EQ(size, 16u);
  ASSERT_OK(vd_type_get_size(VD_TYPE_F32M3, &size));
  EXPECT_EQ(size, 36u);
  for (const vd_type type : {0u, 0xDu, 0x5101u, 0x1u << 28 | 0xBu, 0xFFFFFFFFu, 0x400u, 0x500u}) {
    EXPECT_EQ(vd_type_get_size(type, &size), VD_ERR_INVALID) << std::hex << type;
  }
  EXPECT_FAILS(vd_type_get_size(0xFF, &size), VD_ERR_INVALID,
               "vd_type_get_size: type (0xff) is not a scalar, vector, complex or matrix type.");
  EXPECT_FAILS(vd_type_get_size(1u << 28 | VD_TYPE_F32, &size), VD_ERR_INVALID,
               "vd_type_get_size: type (private f32) is not a scalar, vector, complex or matrix type.");
}

TEST(Ops, AreListedAndDescribed) {
  uint32_t count = 0;
  EXPECT_EQ(vd_op_list(0, nullptr, &count), VD_INCOMPLETE);
  ASSERT_GT(count, 100u);
  std::vector<vd_op> ops(count);
  ASSERT_OK(vd_op_list(count, ops.data(), &count));
  EXPECT_TRUE(std::is_sorted(ops.begin(), ops.end()));
  for (const vd_op op : ops) {
    vd_op_info info = VD_OP_INFO_INIT;
    ASSERT_OK(vd_op_get_info(op, &info));
    EXPECT_EQ(info.op, op);
    EXPECT_STRNE(info.name, "");
    EXPECT_STRNE(info.doc, "") << info.name;
    EXPECT_LE(info.min_operands, info.max_operands) << info.name;
    // As many names as operands: "[value]" may be left out, "parts..." may be many, "[values...]" both.
    const std::string names = info.operands;
    const auto count = names.empty() ? 0 : static_cast<uint32_t>(1 + std::count(names.begin(), names.end(), ','));
    const bool many = names.find("...") != std::string::npos, optional = names.ends_with("]");
    EXPECT_EQ(info.min_operands, optional ? count - 1 : count) << info.name;
    EXPECT_EQ(info.max_operands, many ? 65535 : count) << info.name;
  }
  vd_op_info info = VD_OP_INFO_INIT;
  EXPECT_FAILS(vd_op_get_info(VD_OP_NONE, &info), VD_ERR_INVALID, "vd_op_get_info: op (0) is unknown.");
  EXPECT_EQ(vd_op_get_info(static_cast<vd_op>(1024), &info), VD_ERR_INVALID);  // the library's own
}

// The rule that the header states of a launch's block of values, written down a second time.
class ValuesPacker {
 public:
  // The offset of a value of `size` bytes, made of scalars of `align` bytes at most.
  uint64_t place(uint64_t size, uint64_t align) {
    const uint64_t at = (end_ + align - 1) / align * align;
    end_ = at + size;
    return at;
  }
  uint64_t end() const { return end_; }

 private:
  uint64_t end_ = 0;
};

TEST(Arguments, ValuesLieInOrderByTheAlignmentOfTheirScalars) {
  struct Kind {
    vd_type type;
    uint32_t size, align;
  };
  const Kind plain[] = {
      {VD_TYPE_I8, 1, 1},          {VD_TYPE_U8, 1, 1},           {VD_TYPE_U8X3, 3, 1},   {VD_TYPE_I16, 2, 2},
      {VD_TYPE_F16, 2, 2},         {VD_TYPE_F16X3, 6, 2},        {VD_TYPE_U32, 4, 4},    {VD_TYPE_F32, 4, 4},
      {VD_TYPE_F32X2, 8, 4},       {VD_TYPE_F32X3, 12, 4},       {VD_TYPE_F32X4, 16, 4}, {VD_TYPE_F32M3, 36, 4},
      {VD_TYPE_COMPLEX_F32, 8, 4}, {VD_TYPE_COMPLEX_F16, 4, 2},  {VD_TYPE_I64, 8, 8},    {VD_TYPE_F64, 8, 8},
      {VD_TYPE_F64X3, 24, 8},      {VD_TYPE_COMPLEX_F64, 16, 8}, {VD_TYPE_F32M4, 64, 4},
  };
  std::mt19937 random(17);
  for (int round = 0; round < 50; ++round) {
    api::Writer w("k");
    // {u8, f64x2, u16}: 1, then 7 of padding, 16, 2, then 6 behind the last.
    const vd_type fields[] = {VD_TYPE_U8, VD_TYPE_F64X2, VD_TYPE_U16};
    const char* const names[] = {"a", "b", "c"};
    Kind structure{0, 32, 8}, array{0, 5 * 12, 4};
    ASSERT_OK(vd_builder_struct_type(w.builder, "part", fields, names, 3, &structure.type));
    ASSERT_OK(vd_builder_array_type(w.builder, VD_TYPE_F32X3, 5, &array.type));
    ValuesPacker packer;
    std::vector<std::pair<uint64_t, uint32_t>> expected;  // offset and size of each argument; buffers have none
    for (int n = 0; n < 12; ++n) {
      const size_t pick = random() % (std::size(plain) + 4);
      vd_value reference = 0;
      const std::string name = "p" + std::to_string(n);
      if (pick < 2) {
        ASSERT_OK(declare_argument(w.builder, VD_ARGUMENT_BUFFER, VD_TYPE_F64, name.c_str(), &reference));
        expected.push_back({UINT64_MAX, 8});
        continue;
      }
      const Kind& kind = pick == 2 ? structure : pick == 3 ? array : plain[pick - 4];
      const auto how = random() % 2 == 0 ? VD_ARGUMENT_CONSTANT : VD_ARGUMENT_VARIABLE;
      ASSERT_OK(declare_argument(w.builder, how, kind.type, name.c_str(), &reference));
      expected.push_back({packer.place(kind.size, kind.align), kind.size});
    }
    api::Kernel kernel;
    ASSERT_OK(vd_builder_finish(w.builder, kernel.out()));
    vd_kernel_info info = VD_KERNEL_INFO_INIT;
    ASSERT_OK(vd_kernel_get_info(kernel, &info));
    EXPECT_EQ(info.values_size, packer.end());
    for (uint32_t n = 0; n < expected.size(); ++n) {
      vd_argument_info argument = VD_ARGUMENT_INFO_INIT;
      ASSERT_OK(vd_kernel_get_argument(kernel, n, &argument));
      EXPECT_EQ(argument.size, expected[n].second) << argument.name;
      if (expected[n].first != UINT64_MAX) {
        EXPECT_EQ(argument.offset, expected[n].first) << argument.name << " in round " << round;
      }
    }
  }
}

TEST(Builder, FinishTellsTheFirstFailureOfACallerWhoDidNotLook) {
  api::Writer w("k");
  uint32_t location = 0;
  ASSERT_OK(vd_builder_location(w.builder, "app.py", 12, "step", &location));
  const vd_value operands[] = {w.emit(VD_OP_CONST, {}, VD_TYPE_F32, 0), w.u32(1)};
  vd_builder_emit(w.builder, VD_OP_XOR, 0, operands, 2, 0, location, nullptr);
  vd_builder_emit(w.builder, static_cast<vd_op>(9999), 0, nullptr, 0, 0, 0, nullptr);
  api::Kernel kernel;
  EXPECT_EQ(vd_builder_finish(w.builder, kernel.out()), VD_ERR_COMPILE);
  EXPECT_THAT(
      vd_last_error(),
      AllOf(HasSubstr("vd_builder_finish: kernel \"k\" is incomplete, since a call that writes it failed: xor: "),
            HasSubstr(" (app.py:12, in step). Mend that call, and write the kernel into a new "
                      "builder.")));
}

TEST(Builder, ArgumentsThatAreRefusedNameTheLine) {
  api::Writer w("k");
  vd_argument_desc desc = VD_ARGUMENT_DESC_INIT;
  ASSERT_OK(vd_builder_location(w.builder, "app.py", 12, "step", &desc.location));
  vd_value value = 7;
  const auto refuse = [&](const char* message) {
    EXPECT_FAILS(vd_builder_argument(w.builder, &desc, &value), VD_ERR_INVALID,
                 (std::string("vd_builder_argument: ") + message + " (app.py:12, in step).").c_str());
    EXPECT_EQ(value, 0u);
  };
  desc.kind = VD_ARGUMENT_IMAGE;
  desc.name = "image";
  desc.type = VD_TYPE_F64;
  refuse("desc->type (f64) is not f32, i32 or u32, as a channel of an image is");
  desc.type = VD_TYPE_F32;
  refuse("desc->image_dimensions (0) is not between 1 and 3");
  desc.image_dimensions = 2;
  desc.image_layers = 3;
  refuse("desc->image_layers (3) is neither 0 nor 1");
  desc.image_layers = 0;
  desc.name = nullptr;
  refuse("desc->name is NULL");
  desc.name = "image";
  desc.kind = static_cast<vd_argument_kind>(77);
  refuse("desc->kind (77) is unknown");
  EXPECT_FAILS(vd_builder_emit(w.builder, VD_OP_CONST, 0x7fffffff, nullptr, 0, 0, desc.location, &value),
               VD_ERR_INVALID, "vd_builder_emit: type (0x7fffffff) is not a type (app.py:12, in step).");
  EXPECT_FAILS(vd_builder_call(w.builder, nullptr, nullptr, 0, desc.location, &value), VD_ERR_INVALID,
               "vd_builder_call: function is NULL (app.py:12, in step).");
}

// Entries without a location name the one of the call before them.
TEST(Builder, AnErrorNamesTheLocationOfTheCallBefore) {
  api::Writer w("k");
  vd_location location = 0;
  vd_value value = 0;
  vd_type type = 0;
  const auto at = [&](uint32_t line) { ASSERT_OK(vd_builder_location(w.builder, "app.py", line, "step", &location)); };
  const auto refused = [](vd_status status, const char* message) {
    EXPECT_EQ(status, VD_ERR_INVALID);
    EXPECT_STREQ(vd_last_error(), message);
  };
  at(3);
  refused(vd_builder_shared(w.builder, VD_TYPE_F32, 0, VD_SHARED_OFFSET_AUTO, nullptr, &value),
          "vd_builder_shared: count (0) of a shared array is not at least 1 (app.py:3, in step).");
  at(4);
  refused(vd_builder_array_type(w.builder, 0xFF, 4, &type),
          "vd_builder_array_type: element (0xff) is not a type (app.py:4, in step).");
  at(5);
  refused(vd_builder_struct_type(w.builder, "s", nullptr, nullptr, 0, &type),
          "vd_builder_struct_type: field_count (0) is zero (app.py:5, in step).");
  at(6);
  refused(vd_builder_constant(w.builder, VD_TYPE_F32, nullptr, 4, &value),
          "vd_builder_constant: data is NULL with 4 bytes (app.py:6, in step).");
  at(7);
  refused(vd_builder_string(w.builder, nullptr, &value), "vd_builder_string: text is NULL (app.py:7, in step).");
  // Not that of any earlier call.
  const char* without = "vd_builder_shared: count (0) of a shared array is not at least 1.";
  refused(vd_builder_shared(w.builder, VD_TYPE_F32, 0, VD_SHARED_OFFSET_AUTO, nullptr, &value), without);
  at(8);
  ASSERT_OK(vd_builder_emit(w.builder, VD_OP_ZERO, VD_TYPE_U32, nullptr, 0, 0, location, &value));
  refused(vd_builder_shared(w.builder, VD_TYPE_F32, 0, VD_SHARED_OFFSET_AUTO, nullptr, &value), without);
}

TEST(Builder, TwoArgumentsOfOneNameAreRefused) {
  api::Writer w("k");
  w.buffer("a");
  w.buffer("x");
  w.buffer("");
  w.buffer("");  // without a name
  vd_value value = 0;
  EXPECT_EQ(declare_argument(w.builder, VD_ARGUMENT_CONSTANT, VD_TYPE_U32, "x", &value), VD_ERR_INVALID);
  EXPECT_STREQ(vd_last_error(),
               "vd_builder_argument: desc->name (\"x\") is the name of argument 1 already, and argument 4 needs "
               "another.");
  api::Kernel kernel;
  EXPECT_EQ(vd_builder_finish(w.builder, kernel.out()), VD_ERR_COMPILE);
}

TEST(Builder, TypeErrorFailsTheCallAndNamesTheLine) {
  api::Writer w("k");
  uint32_t location = 0;
  ASSERT_OK(vd_builder_location(w.builder, "app.py", 12, "step", &location));
  const vd_value f = w.emit(VD_OP_CONST, {}, VD_TYPE_F32, 0), u = w.u32(1);
  const vd_value operands[] = {f, u};
  vd_value value = 7;
  EXPECT_EQ(vd_builder_emit(w.builder, VD_OP_XOR, 0, operands, 2, 0, location, &value), VD_ERR_INVALID);
  EXPECT_EQ(value, 0u);
  EXPECT_THAT(vd_last_error(),
              AllOf(HasSubstr("vd_builder_emit: "), HasSubstr("xor"), HasSubstr(" (app.py:12, in step).")));
  EXPECT_EQ(vd_builder_emit(w.builder, static_cast<vd_op>(9999), 0, nullptr, 0, 0, 0, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(vd_builder_emit(w.builder, VD_OP_ADD, 0, nullptr, 2, 0, 0, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(vd_builder_emit(w.builder, VD_OP_ADD, 0, operands, 1, 0, 0, nullptr), VD_ERR_INVALID);
  EXPECT_EQ(vd_builder_emit(w.builder, VD_OP_NEG, 0, operands, 1, 0, 999, nullptr), VD_ERR_INVALID);  // no such place
  const vd_value foreign = 12345;
  EXPECT_EQ(vd_builder_emit(w.builder, VD_OP_NEG, 0, &foreign, 1, 0, 0, nullptr), VD_ERR_INVALID);
}

TEST(Builder, OpenBlocksAndFinishingTwice) {
  api::Writer w("k");
  w.emit(VD_OP_LOOP, {});
  api::Kernel kernel;
  EXPECT_EQ(vd_builder_finish(w.builder, kernel.out()), VD_ERR_STATE);
  w.emit(VD_OP_BREAK, {});
  w.emit(VD_OP_END, {});
  ASSERT_OK(vd_builder_finish(w.builder, kernel.out()));
  api::Kernel again;
  EXPECT_EQ(vd_builder_finish(w.builder, again.out()), VD_ERR_STATE);
  EXPECT_EQ(vd_builder_emit(w.builder, VD_OP_BARRIER, 0, nullptr, 0, 0, 0, nullptr), VD_ERR_STATE);
}

TEST(Builder, DescribesRecipes) {
  api::Writer w("k");
  const vd_value src = w.buffer("src");
  api::Blob text;
  ASSERT_OK(vd_builder_describe(w.builder, w.emit(VD_OP_ADD, {w.at(src, w.u32(3)), w.u32(1)}), text.out()));
  EXPECT_STREQ(static_cast<const char*>(vd_blob_data(text, nullptr)), "src[3] + 1");
}

TEST(Builder, FunctionsAreInlined) {
  vd_builder_desc desc = VD_BUILDER_DESC_INIT;
  desc.name = "twice";
  desc.flags = VD_BUILDER_FUNCTION;
  desc.return_type = VD_TYPE_U32;
  api::Writer f("unused");
  ASSERT_OK(vd_builder_create(&desc, f.builder.out()));
  const vd_value x = f.argument(VD_ARGUMENT_VALUE, VD_TYPE_U32, "x");
  f.emit(VD_OP_RETURN, {f.emit(VD_OP_ADD, {x, x})});
  const api::Kernel function = f.finish();
  api::Writer w("k");
  const vd_value out = w.buffer("out"), id = w.x();
  vd_value value = 0;
  ASSERT_OK(vd_builder_call(w.builder, function, &id, 1, 0, &value));
  w.store(w.at(out, id), value);
  const api::Kernel kernel = w.finish();
  api::Writer wrong("k");
  EXPECT_EQ(vd_builder_call(wrong.builder, function, &id, 0, 0, &value), VD_ERR_INVALID);

  const api::Context ctx = api::host_context();
  const api::Plan plan = api::make_plan(ctx, kernel);
  const api::Buffer buffer = api::make_buffer(ctx, 16);
  vd_buffer* buffers[] = {buffer};
  ASSERT_OK(vd_plan_try_launch(plan, nullptr, 0, 4, 1, 1, buffers, 1, nullptr, 0));
  EXPECT_EQ(api::read<uint32_t>(buffer, 4), (std::vector<uint32_t>{0, 2, 4, 6}));

  for (const vd_language language : {VD_LANGUAGE_GLSL, VD_LANGUAGE_CUDA, VD_LANGUAGE_OPENCL, VD_LANGUAGE_SPIRV}) {
    vd_print_desc print = VD_PRINT_DESC_INIT;
    print.language = language;
    api::Blob text;
    EXPECT_EQ(vd_kernel_print(function, &print, text.out()), VD_ERR_INVALID) << language;
    EXPECT_THAT(vd_last_error(), HasSubstr("kernel \"twice\" is a function"));
  }

  vd_plan_desc plan_desc = VD_PLAN_DESC_INIT;
  plan_desc.kernel = function;
  api::Plan none;
  EXPECT_FAILS(vd_plan_create(ctx, &plan_desc, none.out()), VD_ERR_INVALID,
               "vd_plan_create: kernel \"twice\" is a function, which only a kernel can call.");
}

TEST(Kernel, SaysWhatItIs) {
  const api::Kernel kernel = api::mix_kernel();
  vd_kernel_info info = VD_KERNEL_INFO_INIT;
  ASSERT_OK(vd_kernel_get_info(kernel, &info));
  EXPECT_STREQ(info.name, "mix");
  EXPECT_EQ(info.argument_count, 3u);
  EXPECT_EQ(info.values_size, 4u);
  EXPECT_GT(info.op_count, 3u);
  EXPECT_EQ(info.uses_barrier, 0u);
  vd_argument_info argument = VD_ARGUMENT_INFO_INIT;
  ASSERT_OK(vd_kernel_get_argument(kernel, 0, &argument));
  EXPECT_STREQ(argument.name, "dst");
  EXPECT_EQ(argument.kind, VD_ARGUMENT_BUFFER);
  EXPECT_EQ(argument.type, static_cast<vd_type>(VD_TYPE_U32));
  EXPECT_EQ(argument.access, static_cast<vd_argument_access>(VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE));
  EXPECT_EQ(argument.size, 4u);
  ASSERT_OK(vd_kernel_get_argument(kernel, 1, &argument));
  EXPECT_EQ(argument.binding, 1u);
  EXPECT_EQ(argument.access, static_cast<vd_argument_access>(VD_ARGUMENT_ACCESS_READ));
  ASSERT_OK(vd_kernel_get_argument(kernel, 2, &argument));
  EXPECT_EQ(argument.kind, VD_ARGUMENT_CONSTANT);
  EXPECT_EQ(argument.offset, 0u);
  EXPECT_FAILS(vd_kernel_get_argument(kernel, 3, &argument), VD_ERR_INVALID,
               "vd_kernel_get_argument: index (3) is not below the arguments of kernel \"mix\" (3).");
}

TEST(Kernel, ArgumentsAreDescribed) {
  api::Writer w("k");
  vd_value value = 1;
  vd_argument_desc desc = VD_ARGUMENT_DESC_INIT;
  EXPECT_FAILS(vd_builder_argument(w.builder, &desc, &value), VD_ERR_INVALID,
               "vd_builder_argument: desc->name is NULL.");
  EXPECT_EQ(value, 0u);
  desc.name = "x";
  ASSERT_OK(vd_builder_location(w.builder, "user.c", 12, "main", &desc.location));
  EXPECT_FAILS(vd_builder_argument(w.builder, &desc, &value), VD_ERR_INVALID,
               "vd_builder_argument: argument \"x\": type (0) is not the type of a value (user.c:12, in main).");
  desc.type = VD_TYPE_F32;
  desc.location += 1;
  EXPECT_FAILS(vd_builder_argument(w.builder, &desc, &value), VD_ERR_INVALID,
               "vd_builder_argument: location (2) is not from this builder (2 known); add one with "
               "vd_builder_location().");
  desc.location = 0;
  desc.image_layers = 1;
  EXPECT_EQ(vd_builder_argument(w.builder, &desc, &value), VD_ERR_INVALID);
  EXPECT_THAT(vd_last_error(), testing::HasSubstr("image_layers (1)"));
  desc.kind = VD_ARGUMENT_IMAGE;
  desc.image_dimensions = 2;
  EXPECT_OK(vd_builder_argument(w.builder, &desc, &value));
}

TEST(Kernel, HashIgnoresNames) {
  const auto hash_of = [](vd_kernel* kernel) {
    vd_kernel_info info = VD_KERNEL_INFO_INIT;
    EXPECT_OK(vd_kernel_get_info(kernel, &info));
    return std::pair(info.hash[0], info.hash[1]);
  };
  const api::Kernel a = api::mix_kernel("a"), b = api::mix_kernel("b");
  EXPECT_EQ(hash_of(a), hash_of(b));
  api::Writer w("a");
  w.store(w.at(w.buffer("x"), w.x()), w.u32(1));
  const api::Kernel c = w.finish();
  EXPECT_NE(hash_of(a), hash_of(c));
}

TEST(Kernel, TextFormRoundTrips) {
  const api::Kernel kernel = api::mix_kernel();
  const std::string text = text_of(kernel);
  api::Kernel parsed;
  ASSERT_OK(vd_kernel_parse(text.data(), text.size(), parsed.out()));
  EXPECT_EQ(text_of(parsed), text);
  EXPECT_EQ(text_of(kernel, VD_LANGUAGE_IR, VD_PRINT_CANONICAL), text_of(parsed, VD_LANGUAGE_IR, VD_PRINT_CANONICAL));
  api::Kernel bad;
  EXPECT_EQ(vd_kernel_parse("kernel ?", 8, bad.out()), VD_ERR_COMPILE);
  EXPECT_EQ(vd_kernel_parse("", 0, bad.out()), VD_ERR_COMPILE);
  EXPECT_EQ(vd_kernel_parse(nullptr, 0, bad.out()), VD_ERR_INVALID);
}

TEST(Kernel, PrintsInEveryLanguage) {
  const api::Kernel kernel = api::mix_kernel();
  EXPECT_THAT(text_of(kernel, VD_LANGUAGE_GLSL), HasSubstr("#version 450"));
  EXPECT_THAT(text_of(kernel, VD_LANGUAGE_CUDA), HasSubstr("__global__"));
  EXPECT_THAT(text_of(kernel, VD_LANGUAGE_OPENCL), HasSubstr("__kernel"));
  EXPECT_THAT(text_of(kernel, VD_LANGUAGE_GLSL, VD_PRINT_LINE_NUMBERS), HasSubstr("1"));
  const std::string words = text_of(kernel, VD_LANGUAGE_SPIRV);
  ASSERT_GT(words.size(), 20u);
  uint32_t magic;
  std::memcpy(&magic, words.data(), 4);
  EXPECT_EQ(magic, 0x07230203u);
  vd_print_desc desc = VD_PRINT_DESC_INIT;
  desc.language = static_cast<vd_language>(8);
  api::Blob blob;
  EXPECT_EQ(vd_kernel_print(kernel, &desc, blob.out()), VD_ERR_INVALID);
}

}  // namespace
