// Random kernels: what they compute before the passes and after, and after a trip through text. A failure prints the
// seed and the kernel's text, which pastes into a test.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "ir/passes/dead_code.h"
#include "ir/passes/fold.h"
#include "ir/passes/pipeline.h"
#include "ir/passes/share_loads.h"
#include "ir/passes/unroll.h"
#include "ir/verify.h"
#include "support/samples.h"
#include "unit/ir/run.h"
#include "unit/ir/write.h"

namespace vd::ir::testing {
namespace {

constexpr uint32_t kElements = 16;

// Writes kernels that are well-typed and stay within bounds: two integer buffers, a float buffer, a shared array,
// variables, nested blocks. Loops count to small numbers.
class Random {
 public:
  explicit Random(uint32_t seed, bool by_value)
      : random_(seed), by_value_(by_value), w_(by_value ? VD_BUILDER_BY_VALUE : 0) {}

  Kernel write(bool run_passes) {
    ints_[0] = w_.buffer(kI32, "a");
    ints_[1] = w_.buffer(kI32, "b");
    floats_ = w_.buffer(kF32, "f");
    shared_ = w_.b->shared(kI32, kElements, VD_SHARED_OFFSET_AUTO, "s");
    constant_ = w_.value(kI32, "n");
    for (int i = 0; i < 3; ++i) variables_.push_back(w_.var(w_.i32(pick(5))));
    float_variable_ = w_.var(w_.f32(1));
    block(0, 12);
    for (size_t i = 0; i < std::min<size_t>(variables_.size(), kElements); ++i)
      w_.store(w_.index(ints_[1], static_cast<int>(i)), variables_[i]);
    w_.store(w_.index(floats_, 0), float_variable_);
    return w_.finish(run_passes);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  vd_value place() { return w_.op(VD_OP_AND, {integer(1), w_.i32(kElements - 1)}); }

  vd_value integer(int depth) {
    if (depth > 3 || pick(4) == 0) {
      switch (pick(5)) {
        case 0:
          return w_.i32(pick(20) - 10);
        case 1:
          return variables_[static_cast<size_t>(pick(static_cast<int>(variables_.size())))];
        case 2:
          return w_.op(VD_OP_BITCAST, {w_.gid()}, kI32);
        case 3:
          return counters_.empty() ? constant_
                                   : counters_[static_cast<size_t>(pick(static_cast<int>(counters_.size())))];
        default:
          return constant_;
      }
    }
    static constexpr Op ops[] = {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_DIV, VD_OP_REM, VD_OP_FLOORDIV, VD_OP_FLOORMOD,
                                 VD_OP_AND, VD_OP_OR,  VD_OP_XOR, VD_OP_SHL, VD_OP_SHR, VD_OP_MIN,      VD_OP_MAX};
    switch (pick(9)) {
      case 0:
        return w_.index(ints_[pick(2)], place());
      case 1:
        return w_.index(shared_, place());
      case 2:
        return w_.op(VD_OP_SELECT, {condition(depth + 1), integer(depth + 1), integer(depth + 1)});
      case 3:
        return w_.op(VD_OP_CONVERT, {number(depth + 1)}, kI32);
      case 4:
        return w_.op(pick(2) == 0 ? VD_OP_NEG : VD_OP_SIGN, {integer(depth + 1)});
      default:
        return w_.op(ops[pick(static_cast<int>(std::size(ops)))], {integer(depth + 1), integer(depth + 1)});
    }
  }

  vd_value number(int depth) {
    if (depth > 3) return pick(2) == 0 ? w_.f32(static_cast<float>(pick(9)) * 0.5F - 2) : float_variable_;
    static constexpr Op ops[] = {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_DIV, VD_OP_MIN, VD_OP_MAX};
    switch (pick(5)) {
      case 0:
        return w_.index(floats_, place());
      case 1:
        return w_.op(VD_OP_CONVERT, {integer(depth + 1)}, kF32);
      case 2: {
        const vd_value v = w_.op(VD_OP_CONSTRUCT, {number(depth + 1), number(depth + 1), number(depth + 1)},
                                 Type::vector(Scalar::F32, 3));
        return w_.index(w_.op(VD_OP_SWIZZLE, {v}, Type(),
                              0x200 | static_cast<uint32_t>(pick(3)) | static_cast<uint32_t>(pick(3)) << 2),
                        pick(2));
      }
      default:
        return w_.op(ops[pick(static_cast<int>(std::size(ops)))], {number(depth + 1), number(depth + 1)});
    }
  }

  vd_value condition(int depth) {
    static constexpr Op ops[] = {VD_OP_EQ, VD_OP_NE, VD_OP_LT, VD_OP_LE, VD_OP_GT, VD_OP_GE};
    const vd_value compare = pick(3) == 0 ? w_.op(ops[pick(6)], {number(depth + 1), number(depth + 1)})
                                          : w_.op(ops[pick(6)], {integer(depth + 1), integer(depth + 1)});
    if (depth > 2 || pick(3) != 0) return compare;
    return pick(2) == 0 ? w_.op(VD_OP_LNOT, {compare})
                        : w_.op(pick(2) == 0 ? VD_OP_LAND : VD_OP_LOR, {compare, condition(depth + 1)});
  }

  void block(int depth, int statements) {
    const size_t before = variables_.size();
    for (int i = 0; i < statements; ++i) statement(depth);
    if (pick(2) == 0) variables_.resize(before);  // else they are used behind their block
  }

  void statement(int depth) {
    const int kind = pick(depth > 2 ? 6 : 10);
    switch (kind) {
      case 0:
      case 1:
        w_.store(variables_[static_cast<size_t>(pick(static_cast<int>(variables_.size())))], integer(0));
        return;
      case 2:
        w_.store(w_.index(ints_[pick(2)], place()), integer(0));
        return;
      case 3:
        w_.store(w_.index(shared_, place()), integer(0));
        return;
      case 4:
        pick(2) == 0 ? w_.store(float_variable_, number(0)) : w_.store(w_.index(floats_, place()), number(0));
        return;
      case 5:
        if (pick(3) == 0) {
          w_.op(VD_OP_ATOMIC_ADD, {w_.index(ints_[0], place()), integer(2)});
        } else {
          variables_.push_back(w_.var(integer(0)));
        }
        return;
      case 6:
      case 7: {
        w_.op(VD_OP_IF, {condition(0)});
        block(depth + 1, 3);
        if (!by_value_ && pick(3) == 0) {  // by value its condition would be evaluated in the branch before
          w_.op(VD_OP_ELSE_IF, {condition(0)});
          block(depth + 1, 2);
        }
        if (pick(2) == 0) {
          w_.op(VD_OP_ELSE);
          block(depth + 1, 3);
        }
        w_.end();
        return;
      }
      case 8: {
        const uint32_t hint = pick(3) == 0 ? uint32_t{VD_LOOP_FULL} : static_cast<uint32_t>(pick(3));
        const vd_value i = w_.op(VD_OP_FOR, {w_.i32(pick(3)), w_.i32(pick(6)), w_.i32(1 + pick(2))}, Type(), hint);
        counters_.push_back(i);
        block(depth + 1, 3);
        leave_perhaps();
        counters_.pop_back();
        w_.end();
        return;
      }
      default: {
        const vd_value turns = w_.var(w_.i32(0));
        if (by_value_) {
          w_.op(VD_OP_LOOP);
          w_.op(VD_OP_IF, {w_.op(VD_OP_LOR, {w_.op(VD_OP_GE, {turns, w_.i32(4)}), condition(1)})});
          w_.op(VD_OP_BREAK);
          w_.end();
        } else {
          w_.op(VD_OP_WHILE, {w_.op(VD_OP_LAND, {w_.op(VD_OP_LT, {turns, w_.i32(4)}), condition(1)})});
        }
        w_.store(turns, w_.op(VD_OP_ADD, {turns, w_.i32(1)}));
        block(depth + 1, 3);
        leave_perhaps();
        w_.end();
        return;
      }
    }
  }

  void leave_perhaps() {
    if (pick(3) != 0) return;
    w_.op(VD_OP_IF, {condition(1)});
    w_.op(pick(4) == 0 ? VD_OP_RETURN : pick(2) == 0 ? VD_OP_BREAK : VD_OP_CONTINUE);
    w_.end();
  }

  std::mt19937 random_;
  const bool by_value_;
  Write w_;
  vd_value ints_[2] = {}, floats_ = 0, shared_ = 0, constant_ = 0, float_variable_ = 0;
  std::vector<vd_value> variables_, counters_;
};

std::vector<std::byte> outcome(const Kernel& kernel) {
  Memory memory;
  std::vector<int32_t> a(kElements), b(kElements);
  std::vector<float> f(kElements);
  for (uint32_t i = 0; i < kElements; ++i) {
    a[i] = static_cast<int32_t>(i * 7 % 13) - 5;
    b[i] = static_cast<int32_t>(i);
    f[i] = static_cast<float>(i) * 0.25F - 1;
  }
  memory.arguments = {bytes_of(a), bytes_of(b), bytes_of(f), bytes_of<int32_t>({3})};
  run(kernel, memory, {{2, 1, 1}, {2, 1, 1}, {4, 1, 1}});
  // A sum of two NaNs may give either.
  auto floats = values_of<float>(memory.arguments[2]);
  for (float& x : floats) x = std::isnan(x) ? NAN : x;
  memory.arguments[2] = bytes_of(floats);
  std::vector<std::byte> all = memory.shared;
  for (const auto& argument : memory.arguments) all.insert(all.end(), argument.begin(), argument.end());
  return all;
}

TEST(RandomKernels, MeanTheSameAfterEachPass) {
  const size_t count = vd::test::samples(60, 2000);
  for (uint32_t seed = 1; seed <= count; ++seed) {
    const Kernel kernel = Random(seed, seed % 2 == 0).write(false);
    const std::string text = print_text(kernel);
    const auto expected = outcome(kernel);
    ASSERT_EQ(print_text(parse_text(text)), text) << "seed " << seed;
    const auto same = [&](const char* what, const std::function<void(Kernel&)>& pass) {
      Kernel copy = parse_text(text);
      pass(copy);
      verify(copy);
      ASSERT_EQ(outcome(copy), expected) << what << ", seed " << seed << "\n" << text << "\n" << print_text(copy);
    };
    same("optimise", optimise);
    same("unroll", [](Kernel& k) { unroll(k); });
    same("prepare", [](Kernel& k) {
      PrepareOptions options;
      options.workgroup_size = {2, 1, 1};
      prepare(k, options);
    });
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace vd::ir::testing
