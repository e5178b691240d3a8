#include "ir/builder.h"

#include <gmock/gmock.h>

#include <functional>

#include "ir/contents.h"
#include "unit/ir/run.h"
#include "unit/ir/write.h"

namespace vd::ir::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<float> run_floats(const Kernel& kernel, std::vector<std::vector<float>> buffers, size_t result) {
  Memory memory;
  for (const auto& buffer : buffers) memory.arguments.push_back(bytes_of(buffer));
  run(kernel, memory);
  return values_of<float>(memory.arguments.at(result));
}

TEST(Builder, ExpressionsAreByName) {
  Write w;
  const vd_value buf = w.buffer(kF32), out = w.buffer(kF32);
  const vd_value x = w.index(buf, 0);
  w.store(w.index(buf, 0), w.f32(0));
  w.store(w.index(out, 0), x);
  EXPECT_THAT(run_floats(w.finish(), {{7}, {1}}, 1), ElementsAre(0));
}

TEST(Builder, ARecipeOfAVariableFollowsIt) {
  Write w;
  const vd_value out = w.buffer(kF32);
  const vd_value r = w.var(w.f32(1));
  const vd_value e = w.op(VD_OP_ADD, {r, w.f32(1)});
  w.store(r, w.f32(5));
  w.store(w.index(out, 0), e);
  EXPECT_THAT(run_floats(w.finish(), {{0}}, 0), ElementsAre(6));
}

TEST(Builder, LetFreezes) {
  Write w;
  const vd_value buf = w.buffer(kF32), out = w.buffer(kF32);
  const vd_value x = w.op(VD_OP_LET, {w.index(buf, 0)});
  w.store(w.index(buf, 0), w.f32(0));
  w.store(w.index(out, 0), x);
  EXPECT_THAT(run_floats(w.finish(), {{7}, {1}}, 1), ElementsAre(7));
}

TEST(Builder, ByValueFreezesEachLoad) {
  Write w(VD_BUILDER_BY_VALUE);
  const vd_value buf = w.buffer(kF32), out = w.buffer(kF32);
  const vd_value sum = w.op(VD_OP_ADD, {w.index(buf, 0), w.f32(1)});
  w.store(w.index(buf, 0), w.f32(0));
  w.store(w.index(out, 0), sum);
  EXPECT_THAT(run_floats(w.finish(), {{7}, {1}}, 1), ElementsAre(8));
}

TEST(Builder, ByValueElseIfLoadsItsConditionWhereItIsReached) {
  for (const bool closed : {false, true}) {
    Write w(VD_BUILDER_BY_VALUE);
    const vd_value in = w.buffer(kF32), out = w.buffer(kF32);
    const auto go_on = [&](vd_op op, std::initializer_list<vd_value> condition) {
      w.op(op, condition, Type(), closed ? 1 : 0);
    };
    const auto close = [&] {
      if (closed) w.end();
    };
    w.op(VD_OP_IF, {w.op(VD_OP_GT, {w.index(in, 0), w.f32(2)})});
    w.store(w.index(in, 1), w.f32(9));
    close();
    go_on(VD_OP_ELSE_IF, {w.op(VD_OP_GT, {w.index(in, 1), w.f32(0)})});
    w.store(w.index(out, 0), w.f32(20));
    close();
    go_on(VD_OP_ELSE, {});
    w.store(w.index(out, 0), w.f32(30));
    w.end();
    const Kernel kernel = w.finish();
    EXPECT_THAT(run_floats(kernel, {{5, 0}, {10}}, 1), ElementsAre(10));
    EXPECT_THAT(run_floats(kernel, {{1, 1}, {10}}, 1), ElementsAre(20));
    EXPECT_THAT(run_floats(kernel, {{1, -1}, {10}}, 1), ElementsAre(30));
  }
}

void values_around_an_else_if(bool taken) {
  Write w(VD_BUILDER_BY_VALUE);
  const vd_value in = w.buffer(kF32), out = w.buffer(kF32);
  w.op(VD_OP_IF, {w.op(VD_OP_GT, {w.index(in, 0), w.f32(2)})});
  w.end();
  const vd_value other = w.op(VD_OP_LOAD, {w.index(in, 0)}), x = w.op(VD_OP_LOAD, {w.index(in, 1)});
  w.op(VD_OP_ELSE_IF, {w.op(VD_OP_GT, {x, w.f32(0)})}, Type(), 1);
  w.end();
  if (taken) {
    EXPECT_THAT(message_of([&] { w.store(w.index(out, 0), x); }), HasSubstr("after the block that made it"));
    return;
  }
  w.store(w.index(out, 0), other);
  EXPECT_THAT(run_floats(w.finish(), {{7, 1}, {0}}, 1), ElementsAre(7));
}

TEST(Builder, AValueThatAnElseIfTookIsNotSeenBehindIt) { values_around_an_else_if(true); }
TEST(Builder, AValueBeforeAnElseIfIsSeenBehindIt) { values_around_an_else_if(false); }

TEST(Builder, AWhileConditionRunsEachTurn) {
  Write w;
  const vd_value out = w.buffer(kF32);
  const vd_value i = w.var(w.u32(0)), sum = w.var(w.f32(0));
  w.op(VD_OP_WHILE, {w.op(VD_OP_LT, {i, w.u32(4)})});
  w.store(sum, w.op(VD_OP_ADD, {sum, w.f32(2)}));
  w.store(i, w.op(VD_OP_ADD, {i, w.u32(1)}));
  w.end();
  w.store(w.index(out, 0), sum);
  EXPECT_THAT(run_floats(w.finish(), {{0}}, 0), ElementsAre(8));
}

TEST(Builder, ElseIfConditionsAreEvaluatedWhenReached) {
  Write w;
  const vd_value out = w.buffer(kF32);
  const vd_value r = w.var(w.f32(1));
  w.op(VD_OP_IF, {w.op(VD_OP_GT, {r, w.f32(2)})});
  w.store(w.index(out, 0), w.f32(10));
  w.op(VD_OP_ELSE_IF, {w.op(VD_OP_GT, {r, w.f32(0)})});
  w.store(w.index(out, 0), w.f32(20));
  w.op(VD_OP_ELSE);
  w.store(w.index(out, 0), w.f32(30));
  w.end();
  w.store(w.index(out, 1), w.f32(1));
  EXPECT_THAT(run_floats(w.finish(), {{0, 0}}, 0), ElementsAre(20, 1));
}

TEST(Builder, ElseContinuesTheLastIfOverComments) {
  Write w;
  const vd_value in = w.buffer(kF32), out = w.buffer(kF32);
  w.op(VD_OP_IF, {w.op(VD_OP_GT, {w.index(in, 0), w.f32(2)})});
  w.store(w.index(out, 0), w.f32(10));
  w.end();
  w.op(VD_OP_COMMENT, {w.b->string("now the other case")});
  w.op(VD_OP_ELSE_IF, {w.op(VD_OP_GT, {w.index(in, 0), w.f32(0)})}, Type(), 1);
  w.store(w.index(out, 0), w.f32(20));
  w.end();
  w.op(VD_OP_ELSE, {}, Type(), 1);
  w.store(w.index(out, 0), w.f32(30));
  w.end();
  const Kernel kernel = w.finish();
  EXPECT_THAT(run_floats(kernel, {{5}, {0}}, 1), ElementsAre(10));
  EXPECT_THAT(run_floats(kernel, {{1}, {0}}, 1), ElementsAre(20));
  EXPECT_THAT(run_floats(kernel, {{-1}, {0}}, 1), ElementsAre(30));
}

TEST(Builder, AnElseHasNoElse) {
  Write w;
  const vd_value in = w.buffer(kF32);
  w.op(VD_OP_IF, {w.op(VD_OP_GT, {w.index(in, 0), w.f32(2)})});
  w.end();
  w.op(VD_OP_ELSE, {}, Type(), 1);
  w.end();
  EXPECT_EQ(status_of([&] { w.op(VD_OP_ELSE, {}, Type(), 1); }), VD_ERR_STATE);
  EXPECT_THAT(message_of([&] { w.finish(); }), HasSubstr("is incomplete"));
}

TEST(Builder, AStructOfStructsIsNoSlowerThanItsTypes) {
  // A quarter of a billion scalars, which must not be visited one by one.
  Write w;
  Type type = Type(Scalar::U8);
  const char* const names[] = {"a", "b", "c", "d"};
  for (int i = 0; i < 14; ++i) type = w.b->struct_type("s", std::vector<Type>(4, type), names);
  EXPECT_EQ(contents_of(w.b->types(), type).scalars, 1u << 28);
  w.buffer(type);
  const Kernel kernel = w.finish();
  EXPECT_EQ(kernel.requirements, 0u);
}

TEST(Builder, AnElseNeedsItsIf) {
  Write w;
  const vd_value out = w.buffer(kF32);
  EXPECT_EQ(status_of([&] { w.op(VD_OP_ELSE); }), VD_ERR_STATE);
  w.op(VD_OP_IF, {w.op(VD_OP_GT, {w.index(out, 0), w.f32(0)})});
  w.end();
  w.store(w.index(out, 0), w.f32(1));
  EXPECT_EQ(status_of([&] { w.op(VD_OP_ELSE, {}, Type(), 1); }), VD_ERR_STATE);
  EXPECT_EQ(status_of([&] { w.end(); }), VD_ERR_STATE);
}

TEST(Builder, ATypeErrorNamesOpTypesAndPlace) {
  Write w;
  w.at = w.b->location("blur.py", 12, "blur");
  const std::string message = message_of([&] { w.op(VD_OP_ADD, {w.u32(1), w.f32(1)}); });
  EXPECT_THAT(message, HasSubstr("add"));
  EXPECT_THAT(message, HasSubstr("u32, f32"));
  EXPECT_THAT(message, HasSubstr("blur.py:12"));
}

TEST(Builder, ErrorsSayWhatToWriteInstead) {
  struct Mistake {
    const char* remedy;
    std::function<void(Write& w)> make;
  };
  const Mistake mistakes[] = {
      {"make the types equal with convert",
       [](Write& w) {
         w.op(VD_OP_ADD, {w.u32(1), w.f32(1)});
       }},
      {"compare the number with ne", [](Write& w) { w.op(VD_OP_IF, {w.u32(1)}); }},
      {"compare the number with ne",
       [](Write& w) {
         w.op(VD_OP_SELECT, {w.u32(1), w.u32(2), w.u32(3)});
       }},
      {"compare the number with ne",
       [](Write& w) {
         w.op(VD_OP_LAND, {w.u32(1), w.u32(2)});
       }},
      {"combine bools with land, lor, ne and lnot",
       [](Write& w) {
         const vd_value less = w.op(VD_OP_LT, {w.f32(1), w.f32(0)});
         w.op(VD_OP_AND, {less, less});
       }},
      {"change the index to an integer with convert", [](Write& w) { w.index(w.buffer(kF32), w.f32(1)); }},
      {"change the value's type with convert", [](Write& w) { w.store(w.index(w.buffer(kF32), 0), w.u32(1)); }},
      {"change the value's type with convert",
       [](Write& w) {
         w.op(VD_OP_ATOMIC_ADD, {w.index(w.buffer(kU32), 0), w.f32(1)});
       }},
      {"make a variable with var", [](Write& w) { w.store(w.f32(1), w.f32(2)); }},
      {"only buffers, shared arrays and variables can be written",
       [](Write& w) { w.store(w.b->argument(VD_ARGUMENT_CONSTANT, kF32, "c"), w.f32(2)); }},
      {"use it between loop, while or for and its end", [](Write& w) { w.op(VD_OP_CONTINUE); }},
      {"emit one end for each block", [](Write& w) { w.end(); }},
      {"emit it between an if and its end", [](Write& w) { w.op(VD_OP_ELSE); }},
      {"right after the end of an if", [](Write& w) { w.op(VD_OP_ELSE, {}, Type(), 1); }},
      {"emit else_if before that else",
       [](Write& w) {
         w.op(VD_OP_IF, {w.op(VD_OP_GT, {w.f32(1), w.f32(0)})});
         w.op(VD_OP_ELSE);
         w.op(VD_OP_ELSE);
       }},
      {"close it with end",
       [](Write& w) {
         w.op(VD_OP_LOOP);
         w.finish();
       }},
      {"count up with a step above 0",
       [](Write& w) {
         w.op(VD_OP_FOR, {w.u32(0), w.u32(4), w.u32(0)});
       }},
      {"write further code into another builder",
       [](Write& w) {
         w.finish();
         w.f32(1);
       }},
      {"use values that its own calls returned", [](Write& w) { w.op(VD_OP_NEG, {0}); }},
      {"only variables have names", [](Write& w) { w.b->name(w.f32(1), "one"); }},
      {"VD_SHARED_OFFSET_AUTO", [](Write& w) { w.b->shared(kF32, 4, 2, "part"); }},
      {"VD_BUILDER_FUNCTION", [](Write& w) { w.b->argument(VD_ARGUMENT_VALUE, kF32, "x"); }},
      {"keep it in a variable",
       [](Write& w) {
         w.op(VD_OP_LOOP);
         const vd_value inside = w.op(VD_OP_LET, {w.index(w.buffer(kF32), 0)});
         w.op(VD_OP_BREAK);
         w.end();
         w.store(w.index(w.buffer(kF32), 0), inside);
       }},
  };
  for (const Mistake& mistake : mistakes) {
    Write w;
    EXPECT_THAT(message_of([&] { mistake.make(w); }), HasSubstr(mistake.remedy));
  }
  // Nothing to convert: the op has no form for these operands.
  Write w;
  EXPECT_THAT(message_of([&] { w.op(VD_OP_AND, {w.f32(1), w.f32(1)}); }), Not(HasSubstr(";")));
}

TEST(Builder, AVariablesTypeIsTakenAsItIsGiven) {
  Write w;
  // A bit that no type has, other spaces, an invalid scalar.
  for (const auto& one :
       {std::pair{0x8000000Bu, "0x8000000b"}, std::pair{0x3000000Bu, "storage f32"},
        std::pair{0x2000000Bu, "shared f32"}, std::pair{0xF000000Bu, "0xf000000b"}, std::pair{0x0000001Bu, "0x1b"}}) {
    const uint32_t bits = one.first;
    EXPECT_EQ(status_of([&] { w.b->emit(VD_OP_VAR, Type(bits), {}, 0, 0); }), VD_ERR_INVALID) << bits;
    EXPECT_THAT(message_of([&] { w.b->emit(VD_OP_VAR, Type(bits), {}, 0, 0); }),
                HasSubstr(fmt::format("var: type ({}) is not the type of a variable", one.second)));
  }
  EXPECT_EQ(Builder::type_of(w.b->emit(VD_OP_VAR, Type(0x1000000B), {}, 0, 0)), kF32.in(Space::Private));
}

TEST(Builder, ForeignValuesAreErrors) {
  Write w;
  EXPECT_EQ(status_of([&] { w.op(VD_OP_NEG, {0}); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.op(VD_OP_NEG, {0x0000000b00ffffffu}); }), VD_ERR_INVALID);
  const vd_value one = w.f32(1);
  EXPECT_EQ(status_of([&] { w.op(VD_OP_NEG, {one ^ (uint64_t{7} << 32)}); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.op(static_cast<vd_op>(1024)); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.op(static_cast<vd_op>(-1)); }), VD_ERR_INVALID);
  w.at = 17;
  EXPECT_EQ(status_of([&] { w.f32(2); }), VD_ERR_INVALID);
}

TEST(Builder, AScalarBesideAVectorIsSplat) {
  Write w;
  const Type f32x3 = Type::vector(Scalar::F32, 3);
  const vd_value out = w.buffer(f32x3);
  const vd_value element = w.index(out, 0);
  w.store(element, w.op(VD_OP_MUL, {w.f32(2), w.op(VD_OP_ADD, {element, w.index(w.op(VD_OP_LET, {element}), 1)})}));
  EXPECT_THAT(run_floats(w.finish(), {{1, 2, 3}}, 0), ElementsAre(6, 8, 10));
}

TEST(Builder, ConstantIndicesAreChecked) {
  Write w;
  const vd_value v = w.zero(Type::vector(Scalar::I32, 3));
  EXPECT_THAT(message_of([&] { w.index(v, 7); }), HasSubstr("index (7) is past the end of i32x3 (3 elements)"));
  EXPECT_THAT(message_of([&] { w.index(v, w.i32(-1)); }), HasSubstr("index (-1) is negative"));
  // No place is before a buffer either, however long it will be.
  const vd_value out = w.buffer(kF32);
  EXPECT_THAT(message_of([&] { w.index(out, w.i32(-1)); }), HasSubstr("index (-1) is negative"));
  // An unsigned index is the number that was written, and no negative one of the same bits.
  const vd_value half = w.op(VD_OP_CONST, {}, kU64, uint64_t{1} << 63);
  EXPECT_THAT(message_of([&] { w.index(out, half); }),
              HasSubstr("index (9223372036854775808) is past the end of every buffer"));
}

void variable_of_a_closed_block(bool wrong) {
  Write w;
  const vd_value out = w.buffer(kF32);
  w.op(VD_OP_IF, {w.op(VD_OP_GT, {w.index(out, 0), w.f32(0)})});
  const vd_value frozen = w.op(VD_OP_LET, {w.index(out, 0)});
  const vd_value variable = w.var(w.f32(3));
  w.end();
  w.store(w.index(out, 1), variable);
  if (wrong) {
    EXPECT_THAT(message_of([&] { w.store(w.index(out, 0), frozen); }), HasSubstr("after the block"));
    return;
  }
  const Kernel kernel = w.finish();
  EXPECT_THAT(run_floats(kernel, {{1, 9}}, 0), ElementsAre(1, 3));
  EXPECT_THAT(run_floats(kernel, {{0, 9}}, 0), ElementsAre(0, 0));
}

TEST(Builder, AVariableOfAClosedBlockIsNoError) { variable_of_a_closed_block(false); }
TEST(Builder, AValueOfAClosedBlockIsAnError) { variable_of_a_closed_block(true); }

TEST(Builder, CodeBehindAReturnIsCheckedAndDropped) {
  Write w;
  const vd_value out = w.buffer(kF32);
  w.op(VD_OP_IF, {w.op(VD_OP_GT, {w.index(out, 0), w.f32(0)})});
  w.op(VD_OP_RETURN);
  const vd_value late = w.var(w.f32(3));
  w.store(w.index(out, 0), late);
  w.end();
  w.store(w.index(out, 1), late);
  EXPECT_THAT(run_floats(w.finish(), {{0, 9}}, 0), ElementsAre(0, 0));
}

TEST(Builder, LoopsCountUpAndDown) {
  Write w;
  const vd_value out = w.buffer(kI32);
  const vd_value sum = w.var(w.i32(0));
  const vd_value i = w.op(VD_OP_FOR, {w.i32(5), w.i32(0), w.i32(-2)});
  w.op(VD_OP_IF, {w.op(VD_OP_EQ, {i, w.i32(3)})});
  w.op(VD_OP_CONTINUE);
  w.end();
  w.store(sum, w.op(VD_OP_ADD, {sum, i}));
  w.end();
  w.store(w.index(out, 0), sum);
  const Kernel kernel = w.finish();
  Memory memory{{bytes_of<int32_t>({0})}, {}};
  run(kernel, memory);
  EXPECT_THAT(values_of<int32_t>(memory.arguments[0]), ElementsAre(6));
  EXPECT_EQ(status_of([&] {
              Write v;
              v.op(VD_OP_FOR, {v.i32(0), v.i32(1), v.i32(0)});
            }),
            VD_ERR_INVALID);
}

TEST(Builder, BreakNeedsALoop) {
  Write w;
  EXPECT_THAT(message_of([&] { w.op(VD_OP_BREAK); }), HasSubstr("not inside a loop"));
}

TEST(Builder, SubgroupOpsAreNeverShared) {
  Write w;
  const vd_value out = w.buffer(kU32);
  const vd_value one = w.u32(1);
  const vd_value a = w.op(VD_OP_SUBGROUP_ADD, {one}), b = w.op(VD_OP_SUBGROUP_ADD, {one});
  EXPECT_NE(a, b);
  w.store(w.index(out, 0), a);
  w.store(w.index(out, 1), a);
  const std::string text = print_text(w.finish());
  size_t count = 0;
  for (size_t at = text.find("subgroup_add"); at != std::string::npos; at = text.find("subgroup_add", at + 1)) ++count;
  EXPECT_EQ(count, 2u);
}

TEST(Builder, FinishRefusesOpenBlocksAndFurtherCalls) {
  Write w;
  w.op(VD_OP_LOOP);
  EXPECT_EQ(status_of([&] { w.finish(); }), VD_ERR_STATE);
  w.op(VD_OP_BREAK);
  w.end();
  w.finish();
  EXPECT_EQ(status_of([&] { w.f32(1); }), VD_ERR_STATE);
  EXPECT_EQ(status_of([&] { w.finish(); }), VD_ERR_STATE);
}

TEST(Builder, BlocksNestOnlySoDeep) {
  Write w;
  const vd_value yes = w.op(VD_OP_CONST, {}, kBool, 1);
  const std::string message = message_of([&] {
    for (uint32_t i = 0; i < 2 * kMaxDepth; ++i) w.op(VD_OP_IF, {yes});
  });
  EXPECT_THAT(message, HasSubstr("nest at most"));
}

TEST(Builder, AChainOfAHundredThousandNodesIsNoDeeperThanOne) {
  Write w;
  const vd_value out = w.buffer(kF32);
  vd_value v = w.op(VD_OP_LOAD, {w.index(out, 0)});
  for (int i = 0; i < 100000; ++i) v = w.op(VD_OP_ADD, {v, w.f32(1)});
  w.store(w.index(out, 0), v);
  EXPECT_THAT(run_floats(w.finish(), {{1}}, 0), ElementsAre(100001));
}

TEST(Builder, ArgumentsAreChecked) {
  Write w;
  EXPECT_EQ(status_of([&] { w.buffer(kBool); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.buffer(Type()); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.b->argument(VD_ARGUMENT_VALUE, kF32, "x"); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.b->argument(VD_ARGUMENT_IMAGE, kF32, "x"); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.b->shared(kF32, 0, VD_SHARED_OFFSET_AUTO, nullptr); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.b->shared(kF32, 4, 2, nullptr); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.b->constant(kF32, "abc", 3); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.store(w.value(kF32), w.f32(1)); }), VD_ERR_INVALID);
}

TEST(Builder, DescribeIsReadable) {
  Write w;
  const vd_value src = w.buffer(kF32, "src");
  EXPECT_EQ(w.b->describe(w.op(VD_OP_ADD, {w.index(src, w.gid()), w.f32(1.5F)})), "src[global_id.x] + 1.5");
}

TEST(Builder, PreciseAndNativeExcludeEachOther) {
  EXPECT_EQ(status_of([] { Write w(VD_BUILDER_PRECISE | VD_BUILDER_NATIVE); }), VD_ERR_INVALID);
  Write w;
  const vd_value x = w.f32(2);
  EXPECT_EQ(status_of([&] { w.op(VD_OP_SQRT, {x}, Type(), VD_MATH_PRECISE | VD_MATH_NATIVE); }), VD_ERR_INVALID);
  EXPECT_EQ(status_of([&] { w.op(VD_OP_AND, {w.u32(1), w.u32(2)}, Type(), VD_MATH_PRECISE); }), VD_ERR_INVALID);
}

TEST(Builder, FormatsAreCheckedAgainstTheirValues) {
  Write w;
  w.op(VD_OP_PRINTF, {w.b->string("%d %f"), w.i32(1)});
  EXPECT_THAT(message_of([&] { w.finish(); }), HasSubstr("takes more values"));
}

}  // namespace
}  // namespace vd::ir::testing
