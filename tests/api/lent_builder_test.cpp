// Builders that a transform or a reduction hands out: what a map may write into them, and what is not its own.
#include <gtest/gtest.h>

#include "api/support.h"
#include "support/argument.h"

namespace api {
namespace {

using testing::HasSubstr;

// A transform's read of an element and a reduction's are inside blocks of the library's: an `if` for the lines that
// exist, and a loop.
class LentBuilder : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    context_ = host_context();
    if (is_fft()) {
      vd_fft_desc desc = VD_FFT_DESC_INIT;
      desc.flags = VD_FFT_MAP_INPUT | VD_FFT_OUT_OF_PLACE;
      desc.rank = 2;
      desc.shape[0] = 70, desc.shape[1] = 4;
      ASSERT_OK(vd_fft_gen_create(context_, &desc, fft_.out()));
    } else {
      vd_reduce_desc desc = VD_REDUCE_DESC_INIT;
      desc.flags = VD_REDUCE_MAP_INPUT;
      desc.rank = 1;
      desc.shape[0] = 5000;
      desc.in_type = VD_TYPE_COMPLEX_F32;
      ASSERT_OK(vd_reduce_gen_create(context_, &desc, reduce_.out()));
    }
  }
  bool is_fft() const { return GetParam(); }

  // To the next point; true at those where a value is written.
  vd_status next() {
    if (is_fft()) {
      vd_fft_element element = VD_FFT_ELEMENT_INIT;
      const vd_status status = vd_fft_gen_next(fft_, &element, writer_.builder.out());
      at_arguments_ = element.point == VD_FFT_POINT_ARGUMENTS;
      done_ = element.point == VD_FFT_POINT_DONE;
      index_ = element.index, value_ = element.value;
      return status;
    }
    vd_reduce_element element = VD_REDUCE_ELEMENT_INIT;
    const vd_status status = vd_reduce_gen_next(reduce_, &element, writer_.builder.out());
    at_arguments_ = element.point == VD_REDUCE_POINT_ARGUMENTS;
    done_ = element.point == VD_REDUCE_POINT_DONE;
    index_ = element.index, value_ = element.value;
    return status;
  }
  void begin() {
    ASSERT_OK(next());
    ASSERT_TRUE(at_arguments_);
    source_ = writer_.buffer("source", VD_TYPE_COMPLEX_F32);
    ASSERT_OK(next());
    ASSERT_NE(value_, 0u);
  }
  void write() { writer_.store(value_, writer_.at(source_, index_)); }
  vd_status emit(vd_op op, std::initializer_list<vd_value> operands = {}, uint64_t immediate = 0) {
    vd_value unused = 0;
    return vd_builder_emit(writer_.builder, op, 0, operands.begin(), static_cast<uint32_t>(operands.size()), immediate,
                           0, &unused);
  }
  vd_value yes() { return writer_.emit(VD_OP_EQ, {writer_.u32(1), writer_.u32(1)}); }
  vd_status finish() {
    return is_fft() ? vd_fft_gen_finish(fft_, plan_.out()) : vd_reduce_gen_finish(reduce_, plan_.out());
  }
  // The rest as it should be.
  void complete() {
    write();
    for (;;) {
      ASSERT_OK(next());
      if (done_) break;
      if (at_arguments_)
        source_ = writer_.buffer("source", VD_TYPE_COMPLEX_F32);
      else
        write();
    }
    EXPECT_OK(finish());
  }

  Context context_;
  Own<vd_fft_gen> fft_;
  Own<vd_reduce_gen> reduce_;
  Writer writer_{"unused"};
  Plan plan_;
  vd_value source_ = 0, index_ = 0, value_ = 0;
  bool at_arguments_ = false, done_ = false;
};

TEST_P(LentBuilder, AMapMustNotReturn) {
  begin();
  uint32_t location = 0;
  ASSERT_OK(vd_builder_location(writer_.builder, "map.py", 7, "map", &location));
  EXPECT_FAILS(
      vd_builder_emit(writer_.builder, VD_OP_RETURN, 0, nullptr, 0, 0, location, nullptr), VD_ERR_STATE,
      "vd_builder_emit: return: a map must not return: invocations meet at barriers after it (map.py:7, in map).");
  // An error that the caller did not look at is returned at the next point, and no other error.
  EXPECT_EQ(next(), VD_ERR_COMPILE);
  EXPECT_THAT(vd_last_error(), HasSubstr("a map must not return"));
  EXPECT_NE(finish(), VD_OK);
}

TEST_P(LentBuilder, BlocksOfTheLibraryAreNotTheMapsToClose) {
  begin();
  EXPECT_EQ(emit(VD_OP_END), VD_ERR_STATE);
  EXPECT_THAT(vd_last_error(), HasSubstr("end: no block is open; "));
  EXPECT_EQ(next(), VD_ERR_COMPILE);
}

TEST_P(LentBuilder, NorToGoOnWith) {
  begin();
  EXPECT_EQ(emit(VD_OP_ELSE), VD_ERR_STATE);
  EXPECT_THAT(vd_last_error(), HasSubstr("else: no if is open; "));
}

TEST_P(LentBuilder, NorToLeave) {
  for (const vd_op op : {VD_OP_BREAK, VD_OP_CONTINUE}) {
    SetUp();
    begin();
    EXPECT_EQ(emit(op), VD_ERR_INVALID);
    EXPECT_THAT(vd_last_error(), HasSubstr("it is not inside a loop; "));
    EXPECT_EQ(next(), VD_ERR_COMPILE);
  }
}

TEST_P(LentBuilder, LoopsOfItsOwnAre) {
  begin();
  ASSERT_OK(emit(VD_OP_LOOP));
  ASSERT_OK(emit(VD_OP_BREAK));
  ASSERT_OK(emit(VD_OP_END));
  complete();
}

TEST_P(LentBuilder, WhatIsLeftOpenIsToldAtOnceAndMayBeClosed) {
  begin();
  ASSERT_OK(emit(VD_OP_IF, {yes()}));
  Builder kept;
  vd_builder_retain(writer_.builder);
  *kept.out() = writer_.builder;
  EXPECT_EQ(next(), VD_ERR_STATE);
  EXPECT_THAT(vd_last_error(), HasSubstr("the block of if is open; close it with end (VD_OP_END)."));
  std::swap(writer_.builder, kept);
  ASSERT_OK(emit(VD_OP_END));
  ASSERT_OK(next());
  EXPECT_FALSE(at_arguments_);
}

TEST_P(LentBuilder, ArgumentsAreDeclaredWhereTheyAreAskedFor) {
  begin();
  vd_value late = 0;
  EXPECT_EQ(declare_argument(writer_.builder, VD_ARGUMENT_BUFFER, VD_TYPE_F32, "late", &late), VD_ERR_STATE);
  EXPECT_THAT(vd_last_error(), HasSubstr("argument \"late\": it is declared too late"));
  EXPECT_EQ(declare_argument(writer_.builder, VD_ARGUMENT_CONSTANT, VD_TYPE_F32, "late", &late), VD_ERR_STATE);
  EXPECT_EQ(next(), VD_ERR_COMPILE);
  EXPECT_THAT(vd_last_error(), HasSubstr("it is declared too late"));
}

TEST_P(LentBuilder, IsNotTheMapsToFinish) {
  begin();
  Kernel kernel;
  EXPECT_EQ(vd_builder_finish(writer_.builder, kernel.out()), VD_ERR_STATE);
  EXPECT_THAT(vd_last_error(), HasSubstr("cannot be finished by the caller"));
  complete();
}

// A builder that holds half a kernel.
TEST_P(LentBuilder, NorWhenNobodyWillFinishIt) {
  begin();
  fft_ = {};
  reduce_ = {};
  Kernel kernel;
  EXPECT_EQ(vd_builder_finish(writer_.builder, kernel.out()), VD_ERR_STATE);
}

// A failed read inside is reported as itself, not as the block that it left open.
TEST(LentBuilderOfATransform, AFailedReadIsToldItself) {
  Context context = host_context();
  vd_fft_desc desc = VD_FFT_DESC_INIT;
  desc.flags = VD_FFT_MAP_INPUT | VD_FFT_OUT_OF_PLACE;
  desc.rank = 1;
  desc.shape[0] = 30;
  desc.in_high[0] = 20;
  Own<vd_fft_gen> gen;
  ASSERT_OK(vd_fft_gen_create(context, &desc, gen.out()));
  vd_fft_element element = VD_FFT_ELEMENT_INIT;
  Writer w("unused");
  ASSERT_OK(vd_fft_gen_next(gen, &element, w.builder.out()));
  const vd_value source = w.buffer("source", VD_TYPE_COMPLEX_F32);
  ASSERT_OK(vd_fft_gen_next(gen, &element, w.builder.out()));
  EXPECT_EQ(vd_fft_gen_read(gen, source, w.emit(VD_OP_CONST, {}, VD_TYPE_F32, 0), 0), VD_ERR_INVALID);
  EXPECT_EQ(vd_fft_gen_next(gen, &element, w.builder.out()), VD_ERR_COMPILE);
  EXPECT_THAT(vd_last_error(), HasSubstr("and it takes an integer as index; "));
}

INSTANTIATE_TEST_SUITE_P(Of, LentBuilder, testing::Bool(),
                         [](const auto& info) { return info.param ? "Transforms" : "Reductions"; });

}  // namespace
}  // namespace api
